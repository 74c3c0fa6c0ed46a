// The generalized material, fluids, viscosity and snow under the implicit integrator.
#include "solvers/mpm/admm_setup.h"

namespace knead::test {

namespace {

struct Example {
  std::string name;
  Material material;
  bool smooth;
};

// Every corner, all of them at once, and the materials that they stand for. Waves run at 10 m/s and more.
std::vector<Example> examples() {
  const Moduli moduli = Moduli::from_bulk(4e4, 1e5);
  Material viscous_solid = solid(Hencky{moduli});
  viscous_solid.viscosity = 50;
  return {{"water", generalized({.bulk_modulus_d = 1e5}), true},
          {"honey", generalized({.bulk_modulus_d = 1e5}, 100), true},
          {"rubber", generalized({.bulk_modulus_i = 1e5, .shear_modulus_i = 4e4}), true},
          {"paste", generalized({.bulk_modulus_d = 1e5, .shear_modulus_d = 4e4, .yield_stress = 500, .consistency = 20, .power = 0.7}), false},
          {"snow",
           generalized({.bulk_modulus_i = 1e5, .shear_modulus_i = 4e4, .hardening = 10, .stretch_limit = 1.0075, .compression_limit = 0.975}),
           false},
          {"everything",
           generalized({.bulk_modulus_i = 5e4,
                        .shear_modulus_i = 2e4,
                        .bulk_modulus_d = 3e4,
                        .shear_modulus_d = 1e4,
                        .yield_stress = 300,
                        .consistency = 30,
                        .power = 2,
                        .hardening = 5,
                        .stretch_limit = 1.1,
                        .compression_limit = 0.9},
                       20),
           false},
          {"eos", fluid(1e5), true},
          {"viscous eos", fluid(1e5, 100), true},
          {"viscous hencky", viscous_solid, true},
          {"fixed_corotated snow", solid(FixedCorotated{moduli}, 1000, Snow{0.025, 0.0075, 10}), false}};
}

}  // namespace

TEST_CASE("admm: fluids, viscosity, snow and the generalized material are, with short steps, those of the explicit integrator") {
  for (const Example& example : examples()) {
    INFO("material: ", example.name);
    double difference[2];
    for (int k = 0; k < 2; ++k) {
      const double dt = 2e-4 / (k + 1);
      MpmCase implicit(0.1), explicit_case(0.1);
      falling_cube(implicit, example.material);
      falling_cube(explicit_case, example.material);
      start_implicit(implicit, thorough(1e-8));
      explicit_case.start();
      implicit.steps(20 * (k + 1), dt);
      explicit_case.steps(20 * (k + 1), dt);
      difference[k] = distance_between(implicit, explicit_case);
    }
    // The cube has moved by about 1.5 mm; the two Euler methods differ by a dt of acceleration.
    measured("implicit less explicit, " + example.name, difference[1]);
    measured("  ratio", difference[1] / difference[0]);
    CHECK(difference[0] < 4e-5);
    CHECK(difference[1] < 0.65 * difference[0]);
  }
}

TEST_CASE("admm: the fixed point satisfies the balance of backward Euler for fluids, viscosity, snow and the generalized material") {
  for (const Example& example : examples()) {
    INFO("material: ", example.name);
    MpmCase c(0.1);
    falling_cube(c, example.material);
    start_implicit(c, thorough(example.smooth ? 1e-6 : 1e-4));
    for (int step = 0; step < 3; ++step) {
      const StepReport report = c.step(5e-3);
      REQUIRE(report.status == StepStatus::ok);
      CHECK(report.convergence.back().residual <= (example.smooth ? 1e-6 : 1e-4));
      measured("iterations, " + example.name, report.iterations);
      measured("  linear", report.linear_iterations);
    }
  }
}

}  // namespace knead::test
