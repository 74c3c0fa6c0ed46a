// A small simulation built by hand: a world, its particles, and a solver, without scene files and without the loop around steps.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "geometry/primitives.h"
#include "materials/response.h"
#include "solvers/mpm/mpm.h"

namespace knead::test {

using VelocityField = std::function<Vec3d(const Vec3d&)>;
constexpr double pi = std::numbers::pi;

// Shown when KNEAD_SHOW_MEASURED is set: the numbers of the table in docs/solvers/mpm.md.
inline void measured(const std::string& what, double value) {
  static const bool show = std::getenv("KNEAD_SHOW_MEASURED") != nullptr;
  if (show) std::printf("%s: %.6g\n", what.c_str(), value);
}

inline Material solid(ElasticLaw elasticity, double density = 1000, FlowLaw plasticity = NoFlow{}) {
  Material material;
  material.density = density;
  material.elasticity = elasticity;
  material.plasticity = plasticity;
  return material;
}

inline Material generalized(const Generalized& law, double viscosity = 0, double density = 1000) {
  Material material;
  material.density = density;
  material.viscosity = viscosity;
  material.generalized = law;
  return material;
}

inline Material fluid(double bulk_modulus, double viscosity = 0, double gamma = 7, double density = 1000) {
  Material material = solid(Eos{bulk_modulus, gamma}, density);
  material.viscosity = viscosity;
  return material;
}

// One of every solid law, with the same moduli.
inline std::vector<std::pair<std::string, ElasticLaw>> solids(const Moduli& moduli) {
  return {{"hencky", Hencky{moduli}},
          {"fixed_corotated", FixedCorotated{moduli}},
          {"neo_hookean", NeoHookean{moduli}},
          {"stvk", StVenantKirchhoff{moduli}}};
}

inline Mat3d cross_matrix(const Vec3d& w) { return {{0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0}}; }

struct MpmCase {
  World world;
  State state;
  MpmParameters parameters;
  std::unique_ptr<Solver> solver;
  double smallest_dt = 1e300;  // of automatic steps so far

  explicit MpmCase(double dx, Precision precision = Precision::real_double) {
    parameters.dx = dx;
    world.precision = precision;
    world.gravity = Vec3d{};
    const ScalarType type = precision == Precision::single ? ScalarType::f32 : ScalarType::f64;
    state.add("position", type, 3);
    state.add("velocity", type, 3);
    state.add("volume", type, 1);
    state.add("id", ScalarType::u32, 1);
    state.add("group", ScalarType::u16, 1);
  }

  // A body of its own, and the group of its free particles; returns the group.
  int add_body(const Material& material, int pin = -1) {
    world.materials.push_back(material);
    world.bodies.push_back({"body", int(world.materials.size()) - 1});
    return add_group(int(world.bodies.size()) - 1, pin);
  }
  int add_group(int body, int pin) {
    world.groups.push_back({body, pin});
    return int(world.groups.size()) - 1;
  }

  void add_particle(int group, const Vec3d& x, double volume, const Vec3d& velocity) {
    const std::size_t i = state.count;
    state.resize(i + 1);
    set("position", i, x);
    set("velocity", i, velocity);
    state.column("volume").set_value(0, i, volume);
    state.column("id").set_value(0, i, double(state.next_id++));
    state.column("group").set_value(0, i, group);
  }

  // A lattice of per_axis^3 particles a cell, filling the box exactly; `inside` may leave some out.
  void fill(int group, const Vec3d& low, const Vec3d& high, int per_axis = 2, const VelocityField& velocity = {},
            const std::function<bool(const Vec3d&)>& inside = {}) {
    const double h = parameters.dx / per_axis;
    const Vec3d size = high - low;
    const long n[3] = {std::lround(size.x / h), std::lround(size.y / h), std::lround(size.z / h)};
    for (long a = 0; a < n[0]; ++a)
      for (long b = 0; b < n[1]; ++b)
        for (long c = 0; c < n[2]; ++c) {
          const Vec3d x = low + Vec3d{a + 0.5, b + 0.5, c + 0.5} * h;
          if (!inside || inside(x)) add_particle(group, x, h * h * h, velocity ? velocity(x) : Vec3d{});
        }
  }
  int add_box(const Material& material, const Vec3d& low, const Vec3d& high, const VelocityField& velocity = {}, int per_axis = 2) {
    const int group = add_body(material);
    fill(group, low, high, per_axis, velocity);
    return group;
  }

  int add_collider(ShapePointer shape, Contact contact, double friction = 0, const Motion& motion = {}) {
    world.colliders.push_back(
        {.name = "collider", .shape = shape, .motion = motion, .contact = contact, .friction = friction, .is_pin = false});
    return int(world.colliders.size()) - 1;
  }
  int add_floor(Contact contact, double friction = 0, const Motion& motion = {}) {
    return add_collider(make_primitive(Plane{{0, 0, 0}, {0, 1, 0}}), contact, friction, motion);
  }
  void periodic(const Vec3d& low, const Vec3d& high, std::array<bool, 3> axes) { world.domain = Domain{low, high, axes}; }

  void start() {
    solver = make_mpm(parameters, world);
    solver->prepare(world, state);
  }
  // Column C as of a velocity field with a constant gradient, which APIC then reproduces exactly.
  void set_gradient(const Mat3d& gradient) {
    for (std::size_t i = 0; i < state.count; ++i) set("C", i, gradient);
  }

  StepReport step(double dt) { return solver->step(world, state, dt); }
  // dt = 0: as long as the solver says.
  void run(double until, double dt = 0, const std::function<void(double)>& after = {}) {
    while (state.time < until * (1 - 1e-12)) {
      double now = dt > 0 ? dt : solver->stable_dt(world, state).dt;
      now = std::min(now, until - state.time);
      smallest_dt = std::min(smallest_dt, now);
      const StepReport report = step(now);
      REQUIRE_MESSAGE(report.status == StepStatus::ok, report.quantity << " " << report.value << " at step " << state.step);
      if (after) after(now);
    }
  }
  void steps(int count, double dt) {
    for (int k = 0; k < count; ++k) REQUIRE(step(dt).status == StepStatus::ok);
  }

  Vec3d vector(const char* column, std::size_t i) const {
    const Column& c = state.column(column);
    return {c.value(0, i), c.value(1, i), c.value(2, i)};
  }
  Mat3d matrix(const char* column, std::size_t i) const {
    Mat3d r;
    for (int k = 0; k < 9; ++k) r.m[k] = state.column(column).value(k, i);
    return r;
  }
  double scalar(const char* column, std::size_t i) const { return state.column(column).value(0, i); }
  void set(const char* column, std::size_t i, const Vec3d& v) {
    for (int k = 0; k < 3; ++k) state.column(column).set_value(k, i, v[k]);
  }
  void set(const char* column, std::size_t i, const Mat3d& v) {
    for (int k = 0; k < 9; ++k) state.column(column).set_value(k, i, v.m[k]);
  }
  Vec3d x(std::size_t i) const { return vector("position", i); }
  Vec3d v(std::size_t i) const { return vector("velocity", i); }
  int group(std::size_t i) const { return int(scalar("group", i)); }
  int body(std::size_t i) const { return world.groups[group(i)].body; }
  const Material& material(std::size_t i) const { return world.materials[world.bodies[body(i)].material]; }
  double mass(std::size_t i) const { return scalar("volume", i) * material(i).density; }

  Vec3d momentum(int only_body = -1) const {
    Vec3d p;
    for (std::size_t i = 0; i < state.count; ++i)
      if (only_body < 0 || body(i) == only_body) p += v(i) * mass(i);
    return p;
  }
  // About the origin, with the part that column C carries (methods 0.7).
  Vec3d angular_momentum(bool affine = true) const {
    Vec3d L;
    for (std::size_t i = 0; i < state.count; ++i) {
      L += cross(x(i), v(i)) * mass(i);
      const Mat3d C = matrix("C", i);
      const Vec3d axial{C(2, 1) - C(1, 2), C(0, 2) - C(2, 0), C(1, 0) - C(0, 1)};
      if (affine) L += axial * (mass(i) * state.affine_inertia);
    }
    return L;
  }
  double total_mass() const {
    double m = 0;
    for (std::size_t i = 0; i < state.count; ++i) m += mass(i);
    return m;
  }
  Vec3d mean_velocity() const { return momentum() / total_mass(); }
  Vec3d center() const {
    Vec3d c;
    for (std::size_t i = 0; i < state.count; ++i) c += x(i) * mass(i);
    return c / total_mass();
  }
  FlowState<double> flow(std::size_t i) const {
    FlowState<double> f;
    if (state.find("plastic_strain")) f.plastic_strain = scalar("plastic_strain", i);
    if (state.find("plastic_volume")) f.plastic_volume = scalar("plastic_volume", i);
    return f;
  }
  double volume_ratio_of(std::size_t i) const {
    return volume_ratio(material(i), state.find("F") ? matrix("F", i) : Mat3d{}, state.find("J") ? scalar("J", i) : 1, flow(i));
  }
  Sym3<double> cauchy(std::size_t i) const {
    return kirchhoff_stress(material(i), state.find("F") ? matrix("F", i) : Mat3d{}, state.find("J") ? scalar("J", i) : 1, flow(i),
                            matrix("C", i)) *
           (1 / volume_ratio_of(i));
  }
  std::vector<std::size_t> by_id() const {  // place of each particle that is left, in the order of ids
    std::vector<std::size_t> place;
    std::vector<std::pair<double, std::size_t>> all;
    for (std::size_t i = 0; i < state.count; ++i) all.push_back({scalar("id", i), i});
    std::sort(all.begin(), all.end());
    for (const auto& [id, i] : all) place.push_back(i);
    return place;
  }
};

// Every byte of every column, and what else survives a step.
inline std::vector<unsigned char> bytes_of(const State& state) {
  std::vector<unsigned char> all;
  auto append = [&](const void* data, std::size_t size) {
    const auto* p = static_cast<const unsigned char*>(data);
    all.insert(all.end(), p, p + size);
  };
  for (const Column& column : state.columns)
    for (int c = 0; c < column.components(); ++c) append(column.bytes(c), state.count * size_of(column.type()));
  append(&state.time, sizeof state.time);
  append(&state.external_work, sizeof state.external_work);
  for (const Vec3d& force : state.collider_force) append(&force, sizeof force);
  for (const double& value : state.measure.wave_speed) append(&value, sizeof value);
  for (const double& value : state.measure.speed) append(&value, sizeof value);
  return all;
}

inline bool all_finite(const MpmCase& c) {
  for (const Column& column : c.state.columns)
    for (int k = 0; k < column.components(); ++k)
      for (std::size_t i = 0; i < c.state.count; ++i)
        if (!std::isfinite(column.value(k, i))) return false;
  return true;
}

// Numbers in [-1, 1] that depend on the seed alone.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  double next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return 2 * (double(state_ >> 11) / 9007199254740992.0) - 1;
  }
  Vec3d vector() {
    const double a = next(), b = next(), c = next();
    return {a, b, c};
  }
  Mat3d matrix() {
    Mat3d m;
    for (double& e : m.m) e = next();
    return m;
  }

 private:
  std::uint64_t state_;
};

}  // namespace knead::test
