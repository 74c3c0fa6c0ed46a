// Scenes of particles on lattices, for tests of pressure, boundaries and forces.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "geometry/shapes.h"
#include "solvers/sph/sph.h"

namespace knead::test {

inline Material water(double density = 1000, double viscosity = 0) {
  Material material;
  material.density = density;
  material.elasticity = Eos{};
  material.viscosity = viscosity;
  return material;
}

inline Material solid(double density, double youngs_modulus, double poisson_ratio = 0.3) {
  Material material;
  material.density = density;
  Linear law;
  law.moduli = Moduli::from_young(youngs_modulus, poisson_ratio);
  material.elasticity = law;
  return material;
}

struct FluidCase {
  World world;
  State state;
  SphParameters parameters;
  std::unique_ptr<Solver> solver;
  StepReport report;
  double worst_error = 0;
  int most_iterations = 0;

  explicit FluidCase(double dx, Precision precision = Precision::single) {
    parameters.dx = dx;
    world.precision = precision;
  }
  void add_collider(const ShapeSpec& shape, Contact contact = Contact::slip, double friction = 0, const Motion& motion = {}) {
    world.colliders.push_back(
        {.name = "wall", .shape = make_shape(shape, {}, parameters.dx), .motion = motion, .contact = contact, .friction = friction});
  }
  // Walls around a box, open above.
  void add_tank(const Vec3d& low, const Vec3d& high, Contact contact = Contact::slip) {
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {1.0, -1.0}) {
        if (axis == 1 && side < 0) continue;
        Vec3d normal;
        normal[axis] = side;
        add_collider({.kind = Plane{.point = side > 0 ? low : high, .normal = normal}, .transform = {}}, contact);
      }
  }
  // A body of its own on the lattice of spacing dx that fills the box, less what `keep` refuses.
  void fill(const Material& material, const Vec3d& low, const Vec3d& high, const std::function<bool(const Vec3d&)>& keep = {}) {
    const auto body = int(world.bodies.size());
    world.materials.push_back(material);
    world.bodies.push_back({.name = "body", .material = body});
    world.groups.push_back({.body = body, .pin = -1});
    const double dx = parameters.dx;
    for (double z = low.z + dx / 2; z < high.z; z += dx)
      for (double y = low.y + dx / 2; y < high.y; y += dx)
        for (double x = low.x + dx / 2; x < high.x; x += dx)
          if (!keep || keep({x, y, z})) points_.push_back({{x, y, z}, body});
  }
  void points(const std::function<Vec3d(std::size_t, const Vec3d&)>& move) {
    for (std::size_t i = 0; i < points_.size(); ++i) points_[i].x = move(i, points_[i].x);
  }
  void start() {
    if (world.precision == Precision::single) place<float>();
    else place<double>();
    solver = make_sph(parameters, world);
    solver->prepare(world, state);
  }
  double step(double dt) {
    report = solver->step(world, state, dt);
    REQUIRE(report.status == StepStatus::ok);
    worst_error = std::max(worst_error, report.density_error);
    most_iterations = std::max(most_iterations, report.iterations);
    return dt;
  }
  void run(double until) {
    while (state.time < until - 1e-9) step(std::min(solver->stable_dt(world, state).dt, until - state.time));
  }
  Vec3d get(const char* column, std::size_t i) const {
    const Column& c = state.column(column);
    return {c.value(0, i), c.value(1, i), c.value(2, i)};
  }
  Vec3d x(std::size_t i) const { return get("position", i); }
  Vec3d v(std::size_t i) const { return get("velocity", i); }
  double mass(std::size_t i) const {
    const int body = int(state.column("group").value(0, i));
    return world.materials[std::size_t(body)].density * state.column("volume").value(0, i);
  }
  Vec3d momentum() const {
    Vec3d sum;
    for (std::size_t i = 0; i < state.count; ++i) sum += v(i) * mass(i);
    return sum;
  }
  Vec3d angular_momentum() const {
    Vec3d sum;
    for (std::size_t i = 0; i < state.count; ++i) sum += cross(x(i), v(i)) * mass(i);
    return sum;
  }
  double kinetic() const {
    double sum = 0;
    for (std::size_t i = 0; i < state.count; ++i) sum += 0.5 * mass(i) * length_squared(v(i));
    return sum;
  }

 private:
  struct Point {
    Vec3d x;
    int body;
  };
  template <class T> void place() {
    const ScalarType real = scalar_type_of<T>();
    state.add("position", real, 3), state.add("velocity", real, 3);
    const double dx = parameters.dx;
    state.add("volume", real, 1), state.add("id", ScalarType::u32, 1), state.add("group", ScalarType::u16, 1);
    state.resize(points_.size());
    state.next_id = static_cast<std::uint32_t>(points_.size());
    Column& position = state.column("position");
    for (std::size_t i = 0; i < points_.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) position.set_value(axis, i, points_[i].x[axis]);
      state.column("volume").set_value(0, i, dx * dx * dx);
      state.column("id").set_value(0, i, double(i));
      state.column("group").set_value(0, i, points_[i].body);
    }
  }
  std::vector<Point> points_;
};

}  // namespace knead::test
