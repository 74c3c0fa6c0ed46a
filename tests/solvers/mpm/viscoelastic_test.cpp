// The viscoelastic branch in the solver, and the damping by RPIC round trips.
#include "setup.h"
#include "solvers/mpm/admm.h"

using namespace knead;
using namespace knead::test;

namespace {

const Moduli spring = Moduli::from_young(5e4, 0.3), branch = Moduli::from_young(8e4, 0.2);
const Mat3d rotation{{0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6}};

Material viscoelastic(double viscosity_deviatoric, double viscosity_volumetric) {
  Material material = solid(Hencky{spring});
  material.viscoelasticity = Viscoelasticity{branch, viscosity_deviatoric, viscosity_volumetric};
  return material;
}

void start(MpmCase& c, bool implicit) {
  AdmmParameters parameters;
  parameters.iterations = 100, parameters.tolerance = 1e-8, parameters.cg_iterations = 100;
  c.solver = implicit ? make_admm(c.parameters, parameters, c.world) : make_mpm(c.parameters, c.world);
  c.solver->prepare(c.world, c.state);
}

double total_energy(const MpmCase& c) {
  double energy = 0;
  for (std::size_t i = 0; i < c.state.count; ++i) {
    const Mat3d C = c.matrix("C", i);
    energy += 0.5 * c.mass(i) * (length_squared(c.v(i)) + norm_squared(C) * c.state.affine_inertia);
    energy +=
        c.scalar("volume", i) * (elastic_energy(c.material(i), c.matrix("F", i), 1, {}) + branch_energy(c.material(i), c.matrix("F_N", i)));
  }
  return energy;
}

// Decay of a shear wave over 100 steps, in units of k^2 dx^2 per step.
double decay_of_shear_wave(int cells, int trips) {
  const double dx = 0.1, dt = 1e-3, L = cells * dx, k = 2 * pi / L;
  MpmCase c(dx);
  c.parameters.transfer.rpic_iterations = trips;
  c.periodic({0, 0, 0}, {4 * dx, L, 4 * dx}, {true, true, true});
  c.add_box(fluid(1e-3), {0, 0, 0}, {4 * dx, L, 4 * dx}, [&](const Vec3d& x) { return Vec3d{1e-3 * std::sin(k * x.y), 0, 0}; });
  c.start();
  for (std::size_t i = 0; i < c.state.count; ++i) c.set("C", i, Mat3d{{0, 1e-3 * k * std::cos(k * c.x(i).y), 0, 0, 0, 0, 0, 0, 0}});
  auto amplitude = [&] {
    double a = 0;
    for (std::size_t i = 0; i < c.state.count; ++i) a += c.v(i).x * std::sin(k * c.x(i).y);
    return a;
  };
  c.steps(10, dt);  // past the start, where velocity and C settle to the mode
  const double before = amplitude();
  c.steps(100, dt);
  return std::log(before / amplitude()) / 100 / (k * k * dx * dx);
}

}  // namespace

TEST_CASE("viscoelastic mpm: at a held shape the stress relaxes as the standard linear solid, rotated or not") {
  // A uniform stress in a periodic box moves nothing, so that F stays as it is.
  const Vec3d strain{0.2, -0.05, 0.06};
  const double nu_d = 400, nu_v = 900, T_d = nu_d / (2 * branch.mu), T_v = nu_v / (2 * branch.bulk());
  for (const int example : {0, 1, 2, 3}) {
    const bool rotated = example % 2, implicit = example / 2;
    MpmCase c(0.1);
    c.periodic({0, 0, 0}, {0.4, 0.4, 0.4}, {true, true, true});
    c.add_box(viscoelastic(nu_d, nu_v), {0, 0, 0}, {0.4, 0.4, 0.4});
    start(c, implicit);
    const Mat3d U = Mat3d::diagonal({std::exp(strain.x), std::exp(strain.y), std::exp(strain.z)}), F = rotated ? rotation * U : U;
    for (std::size_t i = 0; i < c.state.count; ++i) c.set("F", i, F), c.set("F_N", i, F);
    const double dt = T_d / 100, mean = sum(strain) / 3;
    c.steps(100, dt);
    Sym3<double> tau = kirchhoff_stress(c.material(0), c.matrix("F", 0), 1, {}, {}) + branch_stress(c.material(0), c.matrix("F_N", 0));
    if (rotated) tau = symmetric_part(transpose(rotation) * to_matrix(tau) * rotation);
    auto expected = [&](double keep_d, double keep_v, double e) {
      return 2 * (spring.mu + branch.mu * keep_d) * (e - mean) + 3 * (spring.bulk() + branch.bulk() * keep_v) * mean;
    };
    const double discrete_d = std::pow(1 + dt / T_d, -100), discrete_v = std::pow(1 + dt / T_v, -100);
    const Vec3d found{tau.xx, tau.yy, tau.zz};
    for (int a = 0; a < 3; ++a) {
      CHECK(found[a] == doctest::Approx(expected(discrete_d, discrete_v, strain[a])).epsilon(1e-10));
      CHECK(found[a] == doctest::Approx(expected(std::exp(-100 * dt / T_d), std::exp(-100 * dt / T_v), strain[a])).epsilon(0.01));
    }
    CHECK(length(c.v(0)) < 1e-12);
  }
}

TEST_CASE("viscoelastic mpm: the energy of a free body never grows, and its momenta stay") {
  // Explicit, implicit with five times the step, which explicit steps could still have, and with four times what they could.
  for (const int example : {0, 1, 2}) {
    CAPTURE(example);
    MpmCase c(0.1);
    c.add_box(viscoelastic(300, 300), {0, 0, 0}, {0.6, 0.4, 0.4}, [](const Vec3d& x) { return Vec3d{2 * x.y, 3 * x.x, 3 * x.y * x.z}; });
    start(c, example > 0);
    const Vec3d momentum = c.momentum(), angular = c.angular_momentum();
    double energy = total_energy(c);
    const double first = energy;
    for (int k = 0; k < 40; ++k) {
      if (example == 0) c.steps(5, 5e-4);
      else c.steps(1, example == 1 ? 2.5e-3 : 1.2e-2);
      const double now = total_energy(c);
      CHECK(now <= energy * (1 + 1e-6));
      energy = now;
    }
    CHECK(energy < 0.9 * first);
    const double rounding = example == 0 ? 1e-12 : 1e-7;  // of the linear solves
    CHECK(length(c.momentum() - momentum) < rounding * length(momentum));
    if (example == 0) CHECK(length(c.angular_momentum() - angular) < rounding * length(angular));  // implicit: to first order in dt
  }
}

TEST_CASE("viscoelastic mpm: in steady shear the branch carries nu_d / 2 times the rate") {
  const double dx = 0.05, H = 8 * dx, speed = 0.4, nu_d = 60;
  Material material = solid(Eos{2e4, 1});
  material.viscoelasticity = Viscoelasticity{branch, nu_d, 1e9};
  MpmCase c(dx);
  c.periodic({0, -1, 0}, {4 * dx, 1, 4 * dx}, {true, false, true});
  Motion moving;
  moving.velocity = {speed, 0, 0};
  c.add_floor(Contact::sticky);
  c.add_collider(make_primitive(Plane{{0, H, 0}, {0, -1, 0}}), Contact::sticky, 0, moving);
  c.add_box(material, {0, 0, 0}, {4 * dx, H, 4 * dx}, [&](const Vec3d& x) { return Vec3d{speed * x.y / H, 0, 0}; });
  c.start();
  c.run(0.6);
  double stress = 0, rate = 0;
  for (std::size_t i = 0; i < c.state.count; ++i)
    if (std::abs(c.x(i).y - H / 2) < 2 * dx) stress += branch_stress(material, c.matrix("F_N", i)).xy, rate += c.matrix("C", i)(0, 1);
  measured("viscoelastic Couette: stress / (nu_d rate / 2)", stress / (nu_d / 2 * rate));
  CHECK(stress / (nu_d / 2 * rate) == doctest::Approx(1).epsilon(0.01));
  CHECK(rate > 0);
}

TEST_CASE("rpic damping: k round trips add a kinematic viscosity of k dx^2 / 8 dt") {
  // With 16 cells to a wave, the next term of the lattice's dispersion is 0.6 %.
  for (const int cells : {16, 32, 64}) {
    const double trip = decay_of_shear_wave(cells, 1) - decay_of_shear_wave(cells, 0);
    measured("RPIC trip: viscosity dt / dx^2, " + std::to_string(cells) + " cells", trip);
    CHECK(std::abs(8 * trip - 1) < 0.01);
  }
  const double five = decay_of_shear_wave(32, 5) - decay_of_shear_wave(32, 0);
  CHECK(std::abs(five / (5 / 8.0) - 1) < 0.05);
}

TEST_CASE("rpic damping: momentum and angular momentum are exact, and a refused step leaves velocities as they were") {
  MpmCase c(0.1);
  c.parameters.transfer.rpic_iterations = 7;
  c.add_box(solid(FixedCorotated{spring}), {0, 0, 0}, {0.5, 0.3, 0.3}, [](const Vec3d& x) { return Vec3d{x.y, -2 * x.x, x.z * x.z}; });
  c.start();
  const Vec3d momentum = c.momentum(), angular = c.angular_momentum();
  c.steps(50, 1e-3);
  CHECK(length(c.momentum() - momentum) < 1e-12 * length(momentum));
  CHECK(length(c.angular_momentum() - angular) < 1e-12 * length(angular));
  const std::vector<unsigned char> before = bytes_of(c.state);
  CHECK(c.step(10).status == StepStatus::diverged);
  CHECK(bytes_of(c.state) == before);
}
