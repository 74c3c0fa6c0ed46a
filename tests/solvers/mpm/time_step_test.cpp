// What limits an automatic step, and which body.
#include "setup.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("mpm: the automatic step is cfl dx / (c + v) of the body that needs the smallest, and says which rule it was") {
  const double dx = 0.1;
  MpmCase c(dx);
  c.add_box(solid(NeoHookean{Moduli::from_young(1e4, 0.3)}, 1000), {0, 0, 0}, {0.2, 0.2, 0.2}, [](const Vec3d&) { return Vec3d{0, 1, 0}; });
  c.add_box(solid(Hencky{Moduli::from_young(1e6, 0.3)}, 500), {1, 0, 0}, {1.2, 0.2, 0.2});
  c.start();
  const Moduli stiff = Moduli::from_young(1e6, 0.3);
  StepLimit limit = c.solver->stable_dt(c.world, c.state);
  CHECK(limit.rule == "wave");
  CHECK(limit.body == 1);
  CHECK(limit.dt == doctest::Approx(0.4 * dx / std::sqrt(stiff.p_wave() / 500)).epsilon(1e-12));
  c.steps(1, 1e-5);  // now from what the step has measured
  CHECK(c.solver->stable_dt(c.world, c.state).dt == doctest::Approx(limit.dt).epsilon(1e-6));

  MpmCase fast(dx);
  fast.add_box(solid(Hencky{stiff}), {1, 0, 0}, {1.2, 0.2, 0.2});
  fast.add_box(solid(NeoHookean{Moduli::from_young(1e4, 0.3)}), {0, 0, 0}, {0.2, 0.2, 0.2}, [](const Vec3d&) { return Vec3d{0, -60, 0}; });
  fast.start();
  limit = fast.solver->stable_dt(fast.world, fast.state);
  CHECK(limit.rule == "particle");
  CHECK(limit.body == 1);
  CHECK(limit.dt == doctest::Approx(0.4 * dx / (60 + std::sqrt(Moduli::from_young(1e4, 0.3).p_wave() / 1000))).epsilon(1e-12));

  MpmCase thick(dx);
  thick.add_box(fluid(1e4, 1e4), {0, 0, 0}, {0.2, 0.2, 0.2});
  thick.add_box(solid(Hencky{stiff}), {1, 0, 0}, {1.2, 0.2, 0.2});
  thick.start();
  limit = thick.solver->stable_dt(thick.world, thick.state);
  CHECK(limit.rule == "viscosity");
  CHECK(limit.body == 0);
  CHECK(limit.dt == doctest::Approx(1000 * dx * dx / (6 * 1e4)).epsilon(1e-12));
  const SolverEstimate estimate = thick.solver->estimate(thick.world, thick.state);
  CHECK(estimate.particles == thick.state.count);
  CHECK(estimate.limits.front().rule == "viscosity");
  CHECK(estimate.limits.size() == 3);  // two waves and one viscosity
  for (std::size_t k = 1; k < estimate.limits.size(); ++k) CHECK(estimate.limits[k - 1].dt <= estimate.limits[k].dt);
}

TEST_CASE("mpm: compression and packing shorten the automatic step as the stiffness grows") {
  const Moduli moduli = Moduli::from_young(1e6, 0.3);
  const auto step_of = [&](const Material& material, const Mat3d& F, double plastic_volume, double J) {
    MpmCase c(0.1);
    c.add_box(material, {0, 0, 0}, {0.3, 0.3, 0.3});
    c.start();
    for (std::size_t i = 0; i < c.state.count; ++i) {
      if (c.state.find("F")) c.set("F", i, F);
      else c.state.column("J").set_value(0, i, J);
      if (c.state.find("plastic_volume")) c.state.column("plastic_volume").set_value(0, i, plastic_volume);
    }
    c.steps(1, 1e-9);
    return c.solver->stable_dt(c.world, c.state).dt;
  };
  const Mat3d rest = Mat3d::identity(), pressed = Mat3d::diagonal({0.5, 1, 1});
  const Material hencky = solid(Hencky{moduli});
  const double tau = moduli.p_wave() * std::log(0.5);  // the smallest principal stress; rho c^2 = lambda + 2 mu - tau
  CHECK(step_of(hencky, pressed, 0, 1) / step_of(hencky, rest, 0, 1) ==
        doctest::Approx(std::sqrt(moduli.p_wave() / (moduli.p_wave() - tau))).epsilon(1e-4));
  const Material snow = solid(FixedCorotated{moduli}, 400, Snow{});
  CHECK(step_of(snow, rest, std::log(0.9), 1) / step_of(snow, rest, 0, 1) == doctest::Approx(std::exp(-0.5)).epsilon(1e-4));
  const Material water = fluid(1e6);
  CHECK(step_of(water, rest, 0, 0.9) / step_of(water, rest, 0, 1) == doctest::Approx(std::pow(0.9, 3)).epsilon(1e-4));
}
