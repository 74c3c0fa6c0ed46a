// Incompressibility.
#include "solvers/sph/pressure.h"

#include "base/random.h"
#include "base/threads.h"
#include "solvers/sph/fluid_setup.h"
#include "solvers/sph/interaction.h"

using namespace knead;
using namespace knead::test;

namespace {

Vec3d jitter(std::size_t i, double size) {
  return Vec3d{random_uniform(7, 0, i) - 0.5, random_uniform(7, 1, i) - 0.5, random_uniform(7, 2, i) - 0.5} * size;
}
void shake(FluidCase& scene, double places, double speeds) {
  for (std::size_t i = 0; i < scene.state.count; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      scene.state.column("position").set_value(axis, i, scene.x(i)[axis] + jitter(i, places)[axis]);
      scene.state.column("velocity").set_value(axis, i, jitter(i + 1000000, speeds)[axis]);
    }
}

// s times the number density at x, of particles alone, by summing over all.
double number_at(const FluidCase& scene, std::size_t i) {
  const Smoothing<WendlandC2, double> kernel(2.0);
  double sum = 0;
  for (std::size_t j = 0; j < scene.state.count; ++j) sum += kernel.W(length(scene.x(i) - scene.x(j)) / scene.parameters.dx);
  return sum;
}

}  // namespace

TEST_CASE("sph pressure: pressure acts where there is compression, and after a converged solve none is left") {
  FluidCase scene(0.1, Precision::real_double);
  scene.world.gravity = Vec3d{};
  scene.fill(water(), {0, 0, 0}, {0.6, 0.6, 0.6});
  scene.fill(water(300), {0.6, 0, 0}, {1, 0.6, 0.6});
  scene.parameters.pressure = {.tolerance = 1e-10, .max_iterations = 5000, .relaxation = 0.5};
  scene.parameters.keeps_dt = true;
  scene.start();
  shake(scene, 0.002, 0.2);
  // So small a step that positions after it are linear in the velocities: the number density then follows from the velocities.
  const double dt = 1e-4;
  std::vector<double> before;
  const double rest = lattice_number(SmoothingType::wendland_c2);
  for (std::size_t i = 0; i < scene.state.count; ++i)
    for (int axis = 0; axis < 3; ++axis)  // a little wider than the lattice, so that compression is small
      scene.state.column("position").set_value(axis, i, 1.001 * scene.x(i)[axis]);
  scene.step(dt);
  CHECK(scene.report.density_error < 1e-10);
  std::size_t pressed = 0;
  double most = 0, gap = 0;
  for (std::size_t i = 0; i < scene.state.count; ++i) {
    const double n = number_at(scene, i), p = scene.state.column("multiplier").value(0, i);
    most = std::max(most, n / rest - 1);
    if (p > 0) ++pressed, gap = std::max(gap, std::abs(n / rest - 1));
  }
  CHECK(pressed > 10);
  CHECK(pressed < scene.state.count);
  CHECK(most < 1e-4);  // what the curvature of the kernel adds to the linear prediction
  CHECK(gap < 1e-4);
}

TEST_CASE("sph pressure: momentum and angular momentum are kept") {
  FluidCase scene(0.1, Precision::real_double);
  scene.world.gravity = Vec3d{};
  scene.fill(water(), {0, 0, 0}, {0.8, 0.8, 0.8});
  scene.fill(water(100), {0.8, 0, 0}, {1.2, 0.8, 0.8});
  scene.start();
  shake(scene, 0.06, 1);
  const Vec3d P = scene.momentum(), L = scene.angular_momentum();
  for (int k = 0; k < 5; ++k) {
    scene.step(0.001);
    CHECK(length(scene.momentum() - P) < 1e-12 * 500);
    CHECK(length(scene.angular_momentum() - L) < 1e-11 * 500);
  }
}

TEST_CASE("sph pressure: walls carry the weight of a column of water, and every step stays under the tolerance") {
  const double dx = 0.02, height = 0.4, width = 0.12;
  FluidCase scene(dx);
  scene.parameters.forces.xsph = 0.05;
  scene.add_tank({0, 0, 0}, {width, 0, width});
  scene.fill(water(), {0, 0, 0}, {width, height, width});
  scene.start();
  const double weight = 1000 * 9.81 * width * width * height, from = 0.3, until = 0.6;
  double carried = 0;
  Vec3d before;
  while (scene.state.time < until - 1e-9) {
    scene.step(0.002);
    if (scene.state.time < from - 1e-9) {
      before = scene.momentum();
      continue;
    }
    for (const Vec3d& force : scene.state.collider_force) carried -= force.y * 0.002;
  }
  CHECK(carried == doctest::Approx(weight * (until - from) + scene.momentum().y - before.y).epsilon(0.02));
  CHECK(scene.worst_error < scene.parameters.pressure.tolerance);
}

TEST_CASE("sph pressure: the mean pressure at half depth is that of the water above, within 2 %") {
  const double dx = 0.02, height = 0.4, width = 0.16;
  FluidCase scene(dx);
  scene.parameters.forces.xsph = 0.05;
  scene.parameters.pressure.tolerance = 3e-4;
  scene.add_tank({0, 0, 0}, {width, 0, width});
  scene.fill(water(), {0, 0, 0}, {width, height, width});
  scene.start();
  double n = 0, y1 = 0, p1 = 0;
  while (scene.state.time < 0.6) {
    scene.step(0.002);
    if (scene.state.time < 0.4) continue;
    for (std::size_t i = 0; i < scene.state.count; ++i) {
      const double y = scene.x(i).y, p = scene.state.column("pressure").value(0, i);
      if (y < 0.1 || y > 0.3) continue;
      n += 1, y1 += y, p1 += p;
    }
  }
  CHECK(std::abs(p1 / n / (9810 * (height - y1 / n)) - 1) < 0.02);
}

TEST_CASE("sph pressure: a solid at rest feels none, however its particles lie") {
  FluidCase scene(0.1);
  scene.world.gravity = Vec3d{};
  scene.fill(solid(1000, 1e5), {0, 0, 0}, {0.8, 0.8, 0.8});
  scene.points([](std::size_t i, const Vec3d& x) { return x + jitter(i, 0.04); });
  scene.start();
  for (int k = 0; k < 3; ++k) scene.step(0.001);
  double fastest = 0, pressure = 0;
  for (std::size_t i = 0; i < scene.state.count; ++i) {
    fastest = std::max(fastest, length(scene.v(i)));
    pressure = std::max(pressure, scene.state.column("pressure").value(0, i));
  }
  CHECK(fastest < 1e-4);  // rounding of the kernel sums over the step
  CHECK(pressure < 20);   // 2e-4 of Young's modulus
}

TEST_CASE("sph pressure: oil on water of ten times its density stays there, and neither is diluted") {
  const double dx = 0.02;
  FluidCase scene(dx);
  scene.parameters.forces.xsph = 0.05;
  scene.add_tank({0, 0, 0}, {0.12, 0, 0.12});
  scene.fill(water(1000), {0, 0, 0}, {0.12, 0.12, 0.12});
  scene.fill(water(100), {0, 0.12, 0}, {0.12, 0.24, 0.12});
  scene.start();
  scene.run(0.3);
  double mean[2] = {}, count[2] = {}, wrong = 0;
  for (std::size_t i = 0; i < scene.state.count; ++i) {
    const auto body = std::size_t(scene.state.column("group").value(0, i));
    const double y = scene.x(i).y;
    mean[body] += y, ++count[body];
    wrong += body == 0 ? y > 0.12 + dx : y < 0.12 - dx;
  }
  CHECK(wrong == 0);
  CHECK(mean[0] / count[0] == doctest::Approx(0.06).epsilon(0.03));  // each layer is as thick as it was
  CHECK(mean[1] / count[1] == doctest::Approx(0.18).epsilon(0.03));
  CHECK(scene.worst_error < scene.parameters.pressure.tolerance);
}

TEST_CASE("sph pressure: the same bits for 1 and 2 threads, and for a solver that is built anew in every step") {
  auto run = [](int threads, bool anew) {
    set_thread_count(threads);
    FluidCase scene(0.05);
    scene.add_tank({0, 0, 0}, {1, 0, 0.5});
    scene.fill(water(1000, 0.5), {0, 0, 0}, {0.5, 0.7, 0.5});
    scene.fill(solid(500, 1e4), {0.6, 0.2, 0.1}, {0.8, 0.4, 0.3});
    scene.parameters.forces.surface_tension = 0.5;
    scene.parameters.forces.drag.air_density = 1.2;
    scene.start();
    for (int k = 0; k < 10; ++k) {
      scene.step(0.002);
      if (anew) scene.solver = make_sph(scene.parameters, scene.world), scene.solver->prepare(scene.world, scene.state);
    }
    set_thread_count(0);
    std::vector<float> out;
    for (const char* name : {"position", "velocity"})
      for (int axis = 0; axis < 3; ++axis) {
        const float* p = scene.state.column(name).data<float>(axis);
        out.insert(out.end(), p, p + scene.state.count);
      }
    return out;
  };
  const std::vector<float> one = run(1, false);
  CHECK(one == run(2, false));
  CHECK(one == run(1, true));
}

TEST_CASE("sph pressure: a block slides on a wall until friction has taken its speed, and freely where there is none") {
  for (const double mu : {0.0, 0.3}) {
    FluidCase scene(0.05);
    scene.add_collider({.kind = Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}}, .transform = {}}, Contact::separate, mu);
    scene.fill(solid(1000, 1e6), {0, 0, 0}, {0.4, 0.2, 0.4});
    scene.start();
    for (std::size_t i = 0; i < scene.state.count; ++i) scene.state.column("velocity").set_value(0, i, 1.0);
    for (int k = 0; k < 100; ++k) scene.step(0.002);
    const double mass = 1000 * 0.4 * 0.2 * 0.4;
    CHECK(scene.momentum().x / mass == doctest::Approx(1 - mu * 9.81 * 0.2).epsilon(0.05));
  }
}
