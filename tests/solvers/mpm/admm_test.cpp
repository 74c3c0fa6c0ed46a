// The implicit integrator: what backward Euler must do whatever the material, and that it is the same physics as the explicit one.
#include "solvers/mpm/admm.h"

#include "base/threads.h"
#include "solvers/mpm/admm_setup.h"

namespace knead::test {

namespace {

const Moduli jelly = Moduli::from_young(1e5, 0.3);

Material viscoelastic(const Moduli& moduli) {
  Material material = solid(Hencky{{0.1 * moduli.mu, moduli.lambda}});
  Viscoelasticity branch;
  branch.moduli = moduli;
  branch.viscosity_deviatoric = branch.viscosity_volumetric = 0.04 * moduli.mu;  // relaxes within 20 ms
  material.viscoelasticity = branch;
  return material;
}

Material sand() {
  DruckerPrager flow;
  flow.friction_angle = 30;
  return solid(Hencky{jelly}, 1000, flow);
}

Material metal() {
  VonMises flow;
  flow.yield_stress = 800;
  flow.hardening_modulus = 1e4;
  return solid(Hencky{jelly}, 1000, flow);
}

std::vector<std::pair<std::string, Material>> materials() {
  std::vector<std::pair<std::string, Material>> all;
  for (const auto& [name, law] : solids(jelly)) all.push_back({name, solid(law)});
  all.push_back({"von_mises", metal()});
  all.push_back({"drucker_prager", sand()});
  all.push_back({"viscoelastic", viscoelastic(jelly)});
  return all;
}

}  // namespace

TEST_CASE("admm: a free block falls as backward Euler says, whatever the number of iterations") {
  for (int iterations : {1, 5}) {
    MpmCase c(0.1);
    c.world.gravity = Vec3d{1, -9.81, 0.5};
    c.add_box(solid(Hencky{jelly}), {0, 0, 0}, {0.3, 0.3, 0.3});
    AdmmParameters p;
    p.iterations = iterations;
    start_implicit(c, p);
    const Vec3d before = c.center();
    const double dt = 4e-3;
    c.steps(10, dt);
    CHECK(length(c.center() - before - Vec3d{1, -9.81, 0.5} * (0.5 * dt * dt * 10 * 11)) < 1e-12);
    CHECK(length(c.mean_velocity() - Vec3d{1, -9.81, 0.5} * (10 * dt)) < 1e-11);
  }
}

TEST_CASE("admm: with short steps it is the explicit integrator, to first order in the step, for every material") {
  for (const auto& entry : materials()) {
    const Material& material = entry.second;
    const std::string& name = entry.first;
    INFO("material: ", name);
    double difference[2];
    for (int k = 0; k < 2; ++k) {
      const double dt = 2e-4 / (k + 1);
      MpmCase implicit(0.1), explicit_case(0.1);
      falling_cube(implicit, material);
      falling_cube(explicit_case, material);
      start_implicit(implicit, thorough(1e-8));
      explicit_case.start();
      implicit.steps(20 * (k + 1), dt);
      explicit_case.steps(20 * (k + 1), dt);
      difference[k] = distance_between(implicit, explicit_case);
    }
    // The cube has moved by about 1.5 mm; the two Euler methods differ by a dt of acceleration.
    measured("implicit less explicit, " + name, difference[1]);
    CHECK(difference[0] < 4e-5);
    CHECK(difference[1] < 0.65 * difference[0]);
  }
}

TEST_CASE("admm: the fixed point satisfies the momentum balance of backward Euler") {
  for (const auto& entry : materials()) {
    const Material& material = entry.second;
    const std::string& name = entry.first;
    INFO("material: ", name);
    const bool smooth = name != "von_mises" && name != "drucker_prager";
    MpmCase c(0.1);
    falling_cube(c, material);
    start_implicit(c, thorough(smooth ? 1e-6 : 1e-4));
    for (int step = 0; step < 3; ++step) {
      const StepReport report = c.step(5e-3);  // a wave crosses half a cell to a cell; explicit steps are 3 ms
      REQUIRE(report.status == StepStatus::ok);
      CHECK(report.convergence.back().residual <= (smooth ? 1e-6 : 1e-4));
      measured("iterations, " + name, report.iterations);
    }
  }
}

TEST_CASE("admm: a free body that spins and swings keeps its momentum, and its angular momentum to first order in the step") {
  double drift[2];
  for (int k = 0; k < 2; ++k) {
    MpmCase c(0.1);
    c.add_box(viscoelastic(jelly), {0, 0, 0}, {0.4, 0.3, 0.3});
    start_implicit(c, thorough(1e-9));
    const Mat3d gradient = cross_matrix({1, 2, 3}) + Mat3d::diagonal({0.5, -1, 0.3});
    for (std::size_t i = 0; i < c.state.count; ++i) c.set("velocity", i, gradient * (c.x(i) - Vec3d{0.2, 0.15, 0.15}) + Vec3d{0.1, 0.2, 0});
    c.set_gradient(gradient);
    const Vec3d P = c.momentum(), L = c.angular_momentum();
    c.steps(10 * (k + 1), 5e-3 / (k + 1));
    CHECK(length(c.momentum() - P) < 1e-10 * length(P));
    drift[k] = length(c.angular_momentum() - L) / length(L);
  }
  // Stresses of the end of a step act at the places of its beginning: the torque that is left is of the order of dt.
  CHECK(drift[0] < 5e-3);
  CHECK(drift[1] < 0.6 * drift[0]);
}

TEST_CASE("admm: a turned body is free of stress and stays at rest") {
  MpmCase c(0.1);
  c.add_box(solid(Hencky{jelly}), {0, 0, 0}, {0.3, 0.3, 0.3});
  start_implicit(c);
  const double angle = 1.1;
  const Mat3d R{{std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle), 0, 0, 0, 1}};
  for (std::size_t i = 0; i < c.state.count; ++i) c.set("F", i, R);
  c.steps(3, 1e-2);
  for (std::size_t i = 0; i < c.state.count; ++i) REQUIRE(length(c.v(i)) < 1e-12);
}

TEST_CASE("admm: a cube that has come to rest presses on the floor with its weight") {
  MpmCase c(0.1);
  falling_cube(c, solid(Hencky{Moduli::from_young(1e6, 0.3)}), Contact::slip);
  start_implicit(c, thorough(1e-5, 100));
  c.run(1.0, 1e-2);  // backward Euler damps what swings
  CHECK(c.state.collider_force[0].y == doctest::Approx(-9.81 * c.total_mass()).epsilon(1e-3));
}

TEST_CASE("admm: on an incline a block slides with g (sin - mu cos), or not at all") {
  const double angle = 0.4, g = 9.81, dt = 4e-3;
  struct Example {
    Contact contact;
    double friction, acceleration;
  };
  for (const Example& e :
       {Example{Contact::slip, 0, g * std::sin(angle)}, Example{Contact::separate, 0, g * std::sin(angle)},
        Example{Contact::separate, 0.2, g * (std::sin(angle) - 0.2 * std::cos(angle))}, Example{Contact::separate, 0.6, 0}}) {
    CAPTURE(e.friction);
    MpmCase c(0.1);
    // The incline is level and gravity leans: the block's lattice then meets the surface everywhere alike.
    c.world.gravity = Vec3d{g * std::sin(angle), -g * std::cos(angle), 0};
    c.add_floor(e.contact, e.friction);
    c.add_box(solid(Hencky{Moduli::from_young(1e6, 0.3)}), {0, 0, 0}, {0.4, 0.2, 0.2});
    start_implicit(c, thorough(1e-4, 100));
    c.steps(50, dt);
    CHECK(c.mean_velocity().x == doctest::Approx(e.acceleration * 50 * dt).epsilon(0.02).scale(g * std::sin(angle) * 50 * dt));
  }
}

TEST_CASE("admm: separate lets go, sticky does not, and a moving collider takes along") {
  for (const Contact contact : {Contact::separate, Contact::sticky}) {
    MpmCase c(0.1);
    c.add_floor(contact);
    c.add_box(solid(Hencky{jelly}), {0, 0, 0}, {0.2, 0.2, 0.2}, [](const Vec3d&) { return Vec3d{0, 0.5, 0}; });
    start_implicit(c, thorough(1e-6, 100));
    c.steps(20, 1e-2);
    if (contact == Contact::separate) CHECK(c.mean_velocity().y == doctest::Approx(0.5).epsilon(1e-3));
    else CHECK(c.mean_velocity().y < 0.4);
  }
  Motion lift;
  lift.velocity = {0.3, 0.5, 0};
  MpmCase c(0.1);
  c.add_floor(Contact::sticky, 0, lift);
  c.add_box(solid(Hencky{jelly}), {0, 0, 0}, {0.2, 0.2, 0.2});
  start_implicit(c, thorough(1e-6, 100));
  c.steps(60, 1e-2);
  CHECK(length(c.mean_velocity() - lift.velocity) < 0.05);
}

TEST_CASE("admm: with steps of ten explicit ones a cube that falls on the floor neither breaks nor turns inside out") {
  for (const auto& entry : materials()) {
    const Material& material = entry.second;
    const std::string& name = entry.first;
    INFO("material: ", name);
    MpmCase c(0.05);
    Material stiff = material;
    stiff.density = 10;  // waves ten times faster: an explicit step is 0.17 ms
    falling_cube(c, stiff, Contact::separate);
    start_implicit(c);
    c.run(0.1, 2e-3);
    CHECK(all_finite(c));
    for (std::size_t i = 0; i < c.state.count; ++i) REQUIRE(determinant(c.matrix("F", i)) > 0);
  }
}

TEST_CASE("admm: threads, and a new solver between steps, change no bit") {
  auto run = [](int threads, bool rebuild) {
    set_thread_count(threads);
    MpmCase c(0.05, Precision::single);
    falling_cube(c, viscoelastic(jelly), Contact::separate);
    start_implicit(c);
    for (int step = 0; step < 4; ++step) {
      if (rebuild) c.solver = make_admm(c.parameters, {}, c.world);
      REQUIRE(c.step(4e-3).status == StepStatus::ok);
    }
    set_thread_count(0);
    return bytes_of(c.state);
  };
  const auto reference = run(1, false);
  CHECK(run(2, false) == reference);
  CHECK(run(7, true) == reference);
}

TEST_CASE("admm: a step that is too long is refused and leaves the state alone") {
  MpmCase c(0.1);
  c.parameters.transfer.rpic_iterations = 2;
  c.add_box(solid(Hencky{jelly}), {0, 0, 0}, {0.3, 0.3, 0.3}, [](const Vec3d&) { return Vec3d{3, 0, 0}; });
  start_implicit(c);
  c.steps(1, 1e-3);
  const auto before = bytes_of(c.state);
  const StepReport report = c.step(0.1);
  CHECK(report.status == StepStatus::diverged);
  CHECK(report.value == doctest::Approx(3).epsilon(1e-3));
  CHECK(bytes_of(c.state) == before);
}

TEST_CASE("admm: weights, penalties and all that can be switched change the way, not the goal") {
  std::vector<AdmmParameters> ways;
  for (const AdmmWeights weights : {AdmmWeights::stiffness, AdmmWeights::bulk, AdmmWeights::unit})
    for (const bool balancing : {false, true}) {
      ways.push_back(thorough(1e-7, 1000));
      ways.back().weights = weights, ways.back().residual_balancing = balancing;
    }
  ways.push_back(thorough(1e-7, 1000));
  ways.back().equilibration = 10;
  ways.push_back(thorough(1e-7, 1000));
  ways.back().over_relaxation = 1, ways.back().balance_iterations = 0;
  ways.push_back(thorough(1e-7, 3));
  ways.back().balance_iterations = 1000, ways.back().acceleration = 0;
  std::vector<double> heights;
  for (const AdmmParameters& way : ways) {
    MpmCase c(0.1);
    falling_cube(c, solid(Hencky{jelly}));
    start_implicit(c, way);
    c.steps(5, 5e-3);
    heights.push_back(c.center().y);
  }
  for (double height : heights) CHECK(height == doctest::Approx(heights[0]).epsilon(1e-8));
}

TEST_CASE("admm: the automatic step follows the particles and how fast matter deforms and turns, whatever the speed of sound") {
  for (const double young : {1e4, 1e9})
    for (const double rate : {0.0, 100.0}) {
      MpmCase c(0.1);
      c.world.gravity = Vec3d{0, -10, 0};
      c.add_box(solid(Hencky{Moduli::from_young(young, 0.3)}), {0, 0, 0}, {0.2, 0.2, 0.2}, [](const Vec3d&) { return Vec3d{0, -1, 0}; });
      start_implicit(c);
      for (std::size_t i = 0; i < c.state.count; ++i) c.set("C", i, Mat3d{{0, rate, 0, -rate, 0, 0, 0, 0, 0}});
      const StepLimit limit = c.solver->stable_dt(c.world, c.state);
      CHECK(limit.rule == (rate > 0 ? "accuracy" : "particle"));
      if (rate > 0) CHECK(limit.dt == doctest::Approx(0.2 / (rate * std::sqrt(2.0))));
      else CHECK((1 + 10 * limit.dt) * limit.dt == doctest::Approx(0.4 * 0.1));
    }
}

}  // namespace knead::test
