// Viscosity, surface tension, drag.
#include "solvers/sph/forces.h"

#include "base/random.h"
#include "solvers/sph/fluid_setup.h"
#include "solvers/sph/interaction.h"

using namespace knead;
using namespace knead::test;

namespace {
void set_velocity(FluidCase& scene, const std::function<Vec3d(const Vec3d&)>& v) {
  for (std::size_t i = 0; i < scene.state.count; ++i)
    for (int axis = 0; axis < 3; ++axis) scene.state.column("velocity").set_value(axis, i, v(scene.x(i))[axis]);
}
}  // namespace

TEST_CASE("sph forces: a shear wave loses speed at the rate of the viscosity") {
  const double dx = 0.05, nu = 0.01, wave = 2 * 3.14159265358979 / (16 * dx), dt = 1e-3;
  FluidCase scene(dx, Precision::real_double);
  scene.fill(water(1000, 1000 * nu), {0, 0, 0}, {0.8, 1.6, 0.8});
  scene.points([&](std::size_t i, const Vec3d& x) {  // as in a liquid: a lattice has directions of its own
    return x + Vec3d{random_uniform(1, 0, i) - 0.5, random_uniform(1, 1, i) - 0.5, random_uniform(1, 2, i) - 0.5} * (0.8 * dx);
  });
  scene.start();
  const std::size_t n = scene.state.count;
  std::vector<double> v[3], mass(n, 1000 * dx * dx * dx), density(n, 1000);
  std::vector<std::uint8_t> kind(n, sph_fluid);
  for (std::size_t i = 0; i < n; ++i) v[0].push_back(std::sin(wave * scene.x(i).y)), v[1].push_back(0), v[2].push_back(0);
  SphParticles<double> particles;
  for (int axis = 0; axis < 3; ++axis)
    particles.x[axis] = scene.state.column("position").data<double>(axis), particles.v[axis] = v[axis].data();
  particles.count = n, particles.mass = mass.data(), particles.volume = scene.state.column("volume").data<double>();
  particles.rest_density = density.data(), particles.group = scene.state.column("group").data<std::uint16_t>(),
  particles.kind = kind.data();
  particles.support = 2 * dx;
  Interaction<double> interaction({}, {}, dx, SmoothingType::wendland_c2);
  interaction.bind(scene.world, scene.state, particles);
  interaction.accelerate(dt, particles.v);
  double now = 0, before = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d x = scene.x(i);
    if (x.x < 0.12 || x.x > 0.68 || x.z < 0.12 || x.z > 0.68 || x.y < 0.4 || x.y > 1.2) continue;
    now += v[0][i] * std::sin(wave * x.y);
    before += std::sin(wave * x.y) * std::sin(wave * x.y);
  }
  CHECK((1 - now / before) / dt == doctest::Approx(nu * wave * wave).epsilon(0.05));
}

TEST_CASE("sph forces: viscosity and surface tension keep momentum, and viscosity angular momentum") {
  FluidCase scene(0.1, Precision::real_double);
  scene.world.gravity = Vec3d{};
  scene.fill(water(1000, 5), {0, 0, 0}, {0.8, 0.8, 0.8});
  scene.fill(water(200, 1), {0.8, 0, 0}, {1.6, 0.8, 0.8});
  SUBCASE("viscosity") {}
  SUBCASE("surface tension") { scene.parameters.forces.surface_tension = 5; }
  scene.points([](std::size_t i, const Vec3d& x) {
    return x * 1.03 + Vec3d{random_uniform(1, 0, i), random_uniform(1, 1, i), random_uniform(1, 2, i)} * 0.02;
  });
  scene.start();
  set_velocity(scene, [](const Vec3d& x) { return Vec3d{x.y, -x.x * x.z, std::sin(9 * x.x)}; });
  const Vec3d P = scene.momentum(), L = scene.angular_momentum();
  scene.step(1e-4);
  CHECK(length(scene.momentum() - P) < 1e-11 * length(P));
  if (scene.parameters.forces.surface_tension == 0) CHECK(length(scene.angular_momentum() - L) < 1e-11 * length(L));
}

TEST_CASE("sph forces: without gravity, surface tension makes a drop of a cube") {
  FluidCase scene(0.001);
  scene.world.gravity = Vec3d{};
  scene.parameters.forces.surface_tension = 0.0724;
  scene.parameters.forces.xsph = 0.1;
  scene.fill(water(), {0, 0, 0}, {0.009, 0.009, 0.009});
  scene.start();
  auto corners = [&] {  // largest distance from the centre, relative to the radius of the ball of that volume
    Vec3d center;
    for (std::size_t i = 0; i < scene.state.count; ++i) center += scene.x(i) / double(scene.state.count);
    double farthest = 0;
    for (std::size_t i = 0; i < scene.state.count; ++i) farthest = std::max(farthest, length(scene.x(i) - center));
    return farthest / std::cbrt(3 * 729e-9 / (4 * 3.14159265));
  };
  CHECK(corners() > 1.2);
  scene.run(0.1);
  CHECK(corners() < 1.05);
}

TEST_CASE("sph forces: a lone drop falls at the speed at which the air carries its weight") {
  FluidCase scene(0.002, Precision::real_double);
  scene.parameters.max_dt = 0.002;
  scene.parameters.forces.drag.air_density = 1.2041;
  scene.fill(water(), {0, 0, 0}, {0.002, 0.002, 0.002});
  scene.start();
  scene.run(3);
  // Terminal velocity: 1/2 rho |v|^2 C A = m g with the drag coefficient and flattening of the paper, solved by bisection.
  const double L = std::cbrt(3 / (4 * 3.14159265358979)) * 0.002, rho = 1.2041, sigma = 0.0724, mu = 1.845e-5;
  const double damping = 5 * 1e-3 / (2 * 1000 * L * L), omega = std::sqrt(8 * sigma / (1000 * L * L * L) - damping * damping);
  double low = 0.1, high = 30;
  for (int k = 0; k < 100; ++k) {
    const double v = (low + high) / 2, We = rho * v * v * L / sigma, Re = 2 * rho * v * L / mu;
    const double y = std::min(1.0, (1 + std::exp(-3.14159265358979 / omega * damping)) * We / 12);
    const double C = (Re <= 1000 ? 24 / Re * (1 + std::pow(Re, 2.0 / 3) / 6) : 0.424) * (1 + 2.632 * y), r = L * (1 + y / 2);
    (0.5 * rho * v * v * C * 3.14159265358979 * r * r < 1000 * 8e-9 * 9.81 ? low : high) = v;
  }
  CHECK(-scene.v(0).y == doctest::Approx(low).epsilon(0.01));
}
