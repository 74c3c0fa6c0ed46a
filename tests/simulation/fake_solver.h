// A solver whose every result is known: particles fall freely. It diverges on demand.
#pragma once
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string>

#include "geometry/shapes.h"
#include "simulation/simulation.h"

namespace knead::testing {

class FallingSolver : public Solver {
 public:
  double dt = 0.01;                                          // stable step at the first step [s]
  double growth = 1;                                         // factor per step, so that steps do not repeat
  double at_most = std::numeric_limits<double>::infinity();  // the solver shortens steps that are longer, and says so [s]
  std::function<bool(const State&, double dt)> diverges = nullptr;

  void prepare(const World&, State& state) override {
    const Column* there = state.find("F");
    Column& F = state.add("F", state.column("position").type(), 9);
    if (!there)
      for (int component : {0, 4, 8})
        for (std::size_t i = 0; i < state.count; ++i) F.set_value(component, i, 1);
    state.collider_force.assign(1, Vec3d{});
  }
  StepLimit stable_dt(const World&, const State& state) override {
    return {dt * std::pow(growth, static_cast<double>(state.step % 7)), "wave", 0};
  }
  // Symplectic Euler: v += g dt, x += v dt.
  StepReport step(const World& world, State& state, double step_dt) override {
    StepReport report;
    report.phases = {{"fall", 0.25}, {"rest", 0.5}};
    if (step_dt > at_most) report.dt = step_dt = at_most;
    report.grid_blocks = 3;
    if (diverges && diverges(state, step_dt)) {
      report.status = StepStatus::diverged;
      report.quantity = "grid velocity is not finite";
      report.body = 0;
      report.position = {0.1, 0.2, 0.3};
      report.value = std::numeric_limits<double>::quiet_NaN();
      return report;
    }
    const Vec3d g = world.gravity.at(state.time);
    Column &x = state.column("position"), &v = state.column("velocity");
    for (int axis = 0; axis < 3; ++axis)
      for (std::size_t i = 0; i < state.count; ++i) {
        v.set_value(axis, i, v.value(axis, i) + g[axis] * step_dt);
        x.set_value(axis, i, x.value(axis, i) + v.value(axis, i) * step_dt);
      }
    for (RigidState& body : state.rigid) {
      body.position += body.velocity * step_dt;
      body.orientation = normalized(quaternion_from_vector(body.angular_velocity * step_dt) * body.orientation);
    }
    state.collider_force.assign(1, g * static_cast<double>(state.step + 1));
    state.time += step_dt;
    ++state.step;
    return report;
  }
  SolverEstimate estimate(const World&, const State&) override { return {}; }
};

// A folder of its own that is gone at the end of the test.
struct TemporaryFolder {
  std::filesystem::path path;
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "knead_simulation_XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code code;
    std::filesystem::remove_all(path, code);
  }
};

inline Material test_material(double density = 1000) {
  Material material;
  material.name = "rubber";
  material.density = density;
  material.elasticity = Hencky{Moduli::from_young(1e5, 0.3)};
  return material;
}

inline ShapePointer test_box(const Vec3d& low, const Vec3d& high) {
  Box box;
  box.min = low, box.max = high;
  return make_shape({box, std::nullopt}, "", 0.1);
}

inline void add_particle(State& state, const Vec3d& position, const Vec3d& velocity, double volume, int group = 0) {
  const std::size_t i = state.count;
  state.resize(i + 1);
  for (int axis = 0; axis < 3; ++axis) {
    state.column("position").set_value(axis, i, position[axis]);
    state.column("velocity").set_value(axis, i, velocity[axis]);
  }
  state.column("volume").set_value(0, i, volume);
  state.column("id").set_value(0, i, state.next_id++);
  state.column("group").set_value(0, i, group);
}

inline void add_base_columns(State& state, ScalarType real) {
  state.add("position", real, 3);
  state.add("velocity", real, 3);
  state.add("volume", real, 1);
  state.add("id", ScalarType::u32, 1);
  state.add("group", ScalarType::u16, 1);
}

// One body "block" of 4x4x4 particles, 0.1 m apart, that starts with 1 m/s along x; half a second at 10 frames a second.
inline Simulation falling_block(const std::filesystem::path& folder, ScalarType real = ScalarType::f64) {
  Simulation simulation;
  simulation.world.precision = real == ScalarType::f64 ? Precision::real_double : Precision::single;
  simulation.world.materials = {test_material()};
  simulation.world.bodies = {{"block", 0}};
  simulation.world.groups = {{0, -1}};
  Collider floor;
  floor.name = "floor";
  simulation.world.colliders = {floor};
  add_base_columns(simulation.state, real);
  for (int n = 0; n < 64; ++n) add_particle(simulation.state, Vec3d{n % 4 + 0.5, n / 4 % 4 + 0.5, n / 16 + 0.5} * 0.1, {1, 0, 0}, 1e-3);
  simulation.solver = std::make_unique<FallingSolver>();
  simulation.settings.duration = 0.5;
  simulation.settings.fps = 10;
  simulation.settings.folder = folder;
  simulation.settings.checkpoint_minutes = 0;
  simulation.settings.resolved_scene = "{\"knead\": 1}";
  simulation.settings.version = "test";
  simulation.settings.replay_command = "knead run scene.json -o out";
  return simulation;
}

inline FallingSolver& solver_of(Simulation& simulation) { return static_cast<FallingSolver&>(*simulation.solver); }

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<std::vector<std::string>> read_csv(const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(read_text(path));
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

inline std::size_t file_count(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace knead::testing
