// Implicit SPH against beam theory, and the comparisons of Peer et al. 2018: a cube in a rotational field (their figure 2), and implicit
// steps against explicit ones (their figure 5).
#include <cmath>
#include <string>
#include <vector>

#include "base/threads.h"
#include "benchmarks.h"
#include "geometry/shapes.h"
#include "solvers/sph/elastic.h"
#include "solvers/sph/sph.h"

namespace knead::bench {

namespace {

// A block on a lattice in double precision; what is left of x = 0 is held.
struct Block {
  World world;
  State state;
  SphParameters parameters;
  std::unique_ptr<Solver> solver;

  Block(double dx, const Moduli& moduli, const std::array<int, 3>& cells, const Vec3d& low) {
    parameters.dx = dx;
    parameters.keeps_dt = true;
    world.precision = Precision::real_double;
    world.gravity = Vec3d{};
    Material material;
    material.density = 1000;
    material.elasticity = Linear{moduli};
    world.materials.push_back(material);
    world.bodies.push_back({.name = "block", .material = 0});
    world.groups = {{.body = 0, .pin = -1}, {.body = 0, .pin = 0}};
    world.colliders.push_back({.name = "pin",
                               .shape = make_shape({.kind = Sphere{.center = {1e3, 0, 0}, .radius = 1}, .transform = {}}, {}, 1),
                               .motion = {},
                               .contact = Contact::sticky,
                               .friction = 0,
                               .is_pin = true});
    state.add("position", ScalarType::f64, 3), state.add("velocity", ScalarType::f64, 3), state.add("volume", ScalarType::f64, 1);
    state.add("id", ScalarType::u32, 1), state.add("group", ScalarType::u16, 1);
    state.resize(static_cast<std::size_t>(cells[0] * cells[1] * cells[2]));
    for (int k = 0; k < cells[2]; ++k)
      for (int j = 0; j < cells[1]; ++j)
        for (int i = 0; i < cells[0]; ++i) {
          const std::size_t n = state.next_id++;
          const Vec3d x = low + Vec3d{i + 0.5, j + 0.5, k + 0.5} * dx;
          for (int axis = 0; axis < 3; ++axis) state.column("position").data<double>(axis)[n] = x[axis];
          state.column("volume").data<double>()[n] = dx * dx * dx;
          state.column("id").data<std::uint32_t>()[n] = static_cast<std::uint32_t>(n);
          state.column("group").data<std::uint16_t>()[n] = x.x < 0 ? 1 : 0;
        }
  }
  void start() {
    solver = make_sph(parameters, world);
    solver->prepare(world, state);
  }
  Vec3d get(const char* name, std::size_t i) const {
    const Column& column = state.column(name);
    return {column.value(0, i), column.value(1, i), column.value(2, i)};
  }
};

constexpr double height = 0.2, beam_length = 1, youngs_modulus = 1e5, poisson_ratio = 0.3, density = 1000;
constexpr double inertia = height * height * height * height / 12, section = height * height;

Block beam(int across) {
  const double dx = height / across;
  return {dx, Moduli::from_young(youngs_modulus, poisson_ratio), {5 * across + 2, across, across}, {-2 * dx, -height / 2, -height / 2}};
}

double mean_of_tip(const Block& block, const double* value) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < block.state.count; ++i)
    if (block.get("X", i).x > beam_length - block.parameters.dx) sum += value[i], count += 1;
  return sum / count;
}

// Static deflection of the elastic part alone, in one step so long that inertia does not matter.
void bending(Report& report) {
  const double shear = youngs_modulus / (2 * (1 + poisson_ratio));
  for (const int across : {4, 8, 12, 16}) {
    Block block = beam(across);
    ElasticParameters parameters;
    parameters.tolerance = 1e-11, parameters.max_iterations = 10000;
    ElasticSolids<double> solids(parameters, {2 * block.parameters.dx, SmoothingType::wendland_c2, true});
    ElasticSolids<double>::prepare(block.world, block.state);
    solids.bind(block.world, block.state);
    const double g = 1e-6, dt = 1e3;
    std::vector<double> v[3];
    std::vector<std::uint8_t> held(block.state.count);
    for (std::vector<double>& axis : v) axis.assign(block.state.count, 0);
    for (std::size_t i = 0; i < block.state.count; ++i) {
      held[i] = block.state.column("group").data<std::uint16_t>()[i] == 1;
      if (!held[i]) v[1][i] = g * dt;
    }
    double* pointers[3] = {v[0].data(), v[1].data(), v[2].data()};
    solids.solve(block.world, block.state, dt, held.data(), pointers);
    const double q = density * g, L = beam_length;
    const double theory = q * section * L * L * L * L / (8 * youngs_modulus * inertia) + q * L * L / (2 * 5.0 / 6 * shear);
    report.add(
        {"cantilever tip over Timoshenko", std::to_string(across) + " across", "ratio", mean_of_tip(block, v[1].data()) * dt / theory});
  }
}

// The whole solver: a beam that is set off with a velocity like its first mode swings through rest after half a period.
void frequency(Report& report) {
  const int across = 12;
  Block block = beam(across);
  block.parameters.elasticity.tolerance = 1e-7;
  block.start();
  for (std::size_t i = 0; i < block.state.count; ++i) {
    const double x = std::max(block.get("X", i).x, 0.0);
    block.state.column("velocity").data<double>(1)[i] = block.state.column("group").data<std::uint16_t>()[i] == 0 ? 0.01 * x * x : 0;
  }
  const double dt = 2e-3, exact = 1.8751 * 1.8751 / (2 * 3.14159265) * std::sqrt(youngs_modulus * inertia / (density * section));
  double before = 0, time = 0;
  for (;;) {
    block.solver->step(block.world, block.state, dt);
    time += dt;
    double tip = 0, count = 0;
    for (std::size_t i = 0; i < block.state.count; ++i)
      if (block.get("X", i).x > beam_length - block.parameters.dx) tip += block.get("position", i).y - block.get("X", i).y, count += 1;
    if (tip < 0 && before > 0) {
      const double half = time - dt * (-tip) / (before - tip);
      report.add({"first bending frequency over Euler-Bernoulli", "12 across", "ratio", 0.5 / half / exact});
      return;
    }
    before = tip;
    if (time > 20) return report.add({"first bending frequency over Euler-Bernoulli", "12 across", "ratio", std::nan("")});
  }
}

// Figure 2: angular momentum of a cube during and after 3 s in a rotational field, over that of a rigid one.
void rotation(Report& report) {
  struct Variant {
    const char* name;
    bool green, corrected;
    double xsph;
  };
  for (const Variant& variant : {Variant{"St. Venant-Kirchhoff", true, true, 0}, Variant{"corotated", false, true, 0},
                                 Variant{"corotated with XSPH", false, true, 0.05}, Variant{"without correction", false, false, 0}}) {
    const int n = 8;
    const double dx = 0.05, strength = 2;
    Block block(dx, Moduli::from_bulk(1e4, 1e4), {n, n, n}, {0, 0, 0});
    block.parameters.elasticity.strain = variant.green ? ElasticStrain::green : ElasticStrain::corotated;
    if (variant.green) block.parameters.elasticity.integration = ElasticIntegration::explicit_euler;
    block.parameters.elasticity.kernel_correction = variant.corrected;
    block.parameters.elasticity.xsph = variant.xsph;
    const Vec3d center{n * dx / 2, n * dx / 2, n * dx / 2};
    block.world.fields.push_back(
        {.type = FieldType::rotational, .vector = {}, .center = center, .axis = {0, 1, 0}, .strength = strength, .start = 0, .end = 3});
    block.start();
    const double dt = 1e-3;
    double moment = 0;
    for (std::size_t i = 0; i < block.state.count; ++i) {
      const Vec3d r = block.get("X", i) - center;
      moment += density * dx * dx * dx * (r.x * r.x + r.z * r.z);
    }
    for (int step = 1; step <= 5000; ++step) {
      block.solver->step(block.world, block.state, dt);
      if (step % 1000 != 0) continue;
      double angular = 0;
      for (std::size_t i = 0; i < block.state.count; ++i)
        angular += density * dx * dx * dx * cross(block.get("position", i) - center, block.get("velocity", i)).y;
      report.add({"angular momentum over that of a rigid cube after 3 s",
                  std::string(variant.name) + ", " + std::to_string(step / 1000) + " s", "ratio", angular / (moment * strength * 3)});
    }
  }
}

// 15,625 particles with moduli of 5e5 Pa: what a second of simulation costs with implicit steps of 2 ms and with explicit ones of 0.01 ms
// without kernel correction (Becker et al. 2009).
void larger_steps(Report& report) {
  double cost[2];
  for (const int kind : {0, 1}) {
    set_thread_count(1);
    Block block(0.04, Moduli::from_bulk(5e5, 5e5), {25, 25, 25}, {0.02, 0, 0});
    block.world.precision = Precision::single;
    const double dt = kind == 0 ? 2e-3 : 1e-5;
    State narrow;
    for (const char* name : {"position", "velocity"}) narrow.add(name, ScalarType::f32, 3);
    narrow.add("volume", ScalarType::f32, 1), narrow.add("id", ScalarType::u32, 1), narrow.add("group", ScalarType::u16, 1);
    narrow.resize(block.state.count);
    for (Column& column : narrow.columns)
      for (int c = 0; c < column.components(); ++c)
        for (std::size_t i = 0; i < block.state.count; ++i) column.set_value(c, i, block.state.column(column.name()).value(c, i));
    narrow.next_id = block.state.next_id;
    if (kind == 1)
      block.parameters.elasticity.integration = ElasticIntegration::explicit_euler, block.parameters.elasticity.kernel_correction = false;
    block.solver = make_sph(block.parameters, block.world);
    block.solver->prepare(block.world, narrow);
    for (std::size_t i = 0; i < narrow.count; ++i)
      narrow.column("velocity").data<float>(0)[i] = float(0.2 * std::sin(6 * narrow.column("position").value(1, i)));
    constexpr int steps = 40;
    block.solver->step(block.world, narrow, dt);
    const double start = seconds_now(1);
    int iterations = 0;
    for (int step = 0; step < steps; ++step) iterations += block.solver->step(block.world, narrow, dt).linear_iterations;
    cost[kind] = (seconds_now(1) - start) / steps / dt;
    report.add({"cost of a simulated second", kind == 0 ? "implicit, 2 ms" : "explicit, 0.01 ms", "s", cost[kind]});
    if (kind == 0) report.add({"elastic iterations", "implicit, 2 ms", "per step", double(iterations) / steps});
  }
  report.add({"explicit over implicit", "15,625 particles", "times", cost[1] / cost[0]});
}

}  // namespace

void bench_sph_paper(Report& report) {
  set_thread_count(1);
  bending(report);
  larger_steps(report);
  rotation(report);
  frequency(report);
  set_thread_count(0);
}

}  // namespace knead::bench
