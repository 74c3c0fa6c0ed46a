// Elastic bodies of a few hundred particles, looked at through the elastic part of the solver alone.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "geometry/shapes.h"
#include "solvers/sph/elastic.h"
#include "solvers/sph/sph.h"

namespace knead::test {

struct ElasticCase {
  World world;
  State state;
  double dx;
  ElasticParameters parameters;
  std::unique_ptr<ElasticSolids<double>> solids;
  std::unique_ptr<Solver> solver;

  explicit ElasticCase(double spacing) : dx(spacing) {
    world.precision = Precision::real_double;
    world.gravity = Vec3d{};
    state.add("position", ScalarType::f64, 3), state.add("velocity", ScalarType::f64, 3), state.add("volume", ScalarType::f64, 1);
    state.add("id", ScalarType::u32, 1), state.add("group", ScalarType::u16, 1);
  }
  int add_body(double density, const Moduli& moduli) {
    const int body = static_cast<int>(world.bodies.size());
    Material material;
    material.density = density;
    Linear law;
    law.moduli = moduli;
    material.elasticity = law;
    world.materials.push_back(material);
    world.bodies.push_back({.name = "body", .material = body});
    world.groups.push_back({.body = body, .pin = -1});
    return static_cast<int>(world.groups.size()) - 1;
  }
  // Particles of the group in the body that hold still.
  int add_pin(int body) {
    world.groups.push_back({.body = body, .pin = static_cast<int>(world.colliders.size())});
    world.colliders.push_back(
        {.name = "pin", .shape = make_box(), .motion = {}, .contact = Contact::sticky, .friction = 0, .is_pin = true});
    return static_cast<int>(world.groups.size()) - 1;
  }
  void add(const Vec3d& x, int group, double volume) {
    const std::size_t i = state.count;
    state.resize(i + 1);
    for (int axis = 0; axis < 3; ++axis) state.column("position").data<double>(axis)[i] = x[axis];
    state.column("volume").data<double>()[i] = volume;
    state.column("id").data<std::uint32_t>()[i] = state.next_id++;
    state.column("group").data<std::uint16_t>()[i] = static_cast<std::uint16_t>(group);
  }
  // A lattice of nx * ny * nz particles with its corner at `low`; noise moves each by up to that part of the spacing.
  void add_lattice(int nx, int ny, int nz, int group, const Vec3d& low = {}, double noise = 0) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> shift(-noise, noise);
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
          add(low + Vec3d{i + 0.5 + shift(random), j + 0.5 + shift(random), k + 0.5 + shift(random)} * dx, group, dx * dx * dx);
  }
  void rest() {
    solids = std::make_unique<ElasticSolids<double>>(parameters, RestShape<double>::Options{2 * dx, SmoothingType::wendland_c2, true});
    ElasticSolids<double>::prepare(world, state);
    solids->bind(world, state);
  }
  Vec3d get(const char* name, std::size_t i) const {
    const Column& column = state.column(name);
    return {column.value(0, i), column.value(1, i), column.value(2, i)};
  }
  void set(const char* name, std::size_t i, const Vec3d& v) {
    for (int axis = 0; axis < 3; ++axis) state.column(name).set_value(axis, i, v[axis]);
  }
  Mat3d matrix(const char* name, std::size_t i) const {
    Mat3d m;
    for (int c = 0; c < 9; ++c) m.m[c] = state.column(name).value(c, i);
    return m;
  }
  // Every particle to map(rest position), and F and R of that.
  void move(const std::function<Vec3d(const Vec3d&)>& map) {
    for (std::size_t i = 0; i < state.count; ++i) set("position", i, map(get("X", i)));
    solids->deform(state);
  }
  std::vector<Vec3d> forces() {
    std::vector<Vec3d> f;
    solids->forces(world, state, f);
    return f;
  }
  // Corotated linear energy of F (eqs. 6 to 8) [J].
  double energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < state.count; ++i) {
      const auto& material = world.materials[static_cast<std::size_t>(
          world.bodies[static_cast<std::size_t>(world.groups[state.column("group").data<std::uint16_t>()[i]].body)].material)];
      const Moduli& m = std::get<Linear>(material.elasticity).moduli;
      const Sym3<double> e = symmetric_part(matrix("F", i) * transpose(matrix("R", i))) - isotropic(1.0);
      sum += state.column("volume").data<double>()[i] * (m.mu * norm_squared(e) + 0.5 * m.lambda * trace(e) * trace(e));
    }
    return sum;
  }
  void start(double tolerance = 1e-3) {
    SphParameters sph;
    sph.dx = dx;
    sph.keeps_dt = true;
    sph.elasticity = parameters;
    sph.elasticity.tolerance = tolerance;
    solver = make_sph(sph, world);
    solver->prepare(world, state);
  }
  StepReport step(double dt) {
    const StepReport report = solver->step(world, state, dt);
    REQUIRE(report.status == StepStatus::ok);
    return report;
  }

 private:
  static ShapePointer make_box() { return make_shape({.kind = Sphere{.center = {}, .radius = 1}, .transform = {}}, {}, 1); }
};

inline Mat3d rotation_about(const Vec3d& axis, double angle) {
  const Vec3d n = normalized(axis);
  const Mat3d N{{0, -n.z, n.y, n.z, 0, -n.x, -n.y, n.x, 0}};
  return Mat3d::identity() + N * std::sin(angle) + N * N * (1 - std::cos(angle));
}

}  // namespace knead::test
