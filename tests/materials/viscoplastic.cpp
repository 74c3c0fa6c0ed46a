// The law of Herschel and Bulkley against its closed forms.
#include "law_suite.h"
#include "materials/response.h"
#include "math/wide.h"

using namespace knead;
using namespace knead::test;

namespace {
// Simple shear of a material point at a rate, until it is steady: tau_xy [Pa].
double steady_shear(const HerschelBulkley& law, const Moduli& moduli, double rate) {
  Mat3d F = Mat3d::identity(), gradient{};
  gradient(0, 1) = rate;
  const double dt = 1e-4 / rate;
  FlowState<double> state{0, 0, dt};
  Sym3<double> tau;
  for (int k = 0; k < 20000; ++k) {
    F = F + (gradient * F) * dt;
    Vec3d sigma;
    Mat3d axes;
    principal_stretches(F, sigma, axes);
    const Vec3d eps = Hencky::strain(sigma), H = law.return_map(moduli, eps, state);
    F = to_matrix(compose(axes, Vec3d{std::exp(H.x - eps.x), std::exp(H.y - eps.y), std::exp(H.z - eps.z)})) * F;
    tau = compose(axes, Hencky{moduli}.kirchhoff_at(H));
  }
  return tau.xy;
}
}  // namespace

// The elastic strain, about a hundredth of the stress over the modulus, turns the axes of the stress: 0.5 %.
TEST_CASE("Herschel-Bulkley: steady simple shear has the stress of the law, thinning and thickening") {
  const Moduli stiff = Moduli::from_bulk(1e3, 2e3);
  for (double power : {0.5, 1.0, 2.0, 0.7, 1.6})
    for (double rate : {0.5, 1.0, 4.0}) {
      const HerschelBulkley law{.yield_stress = 0.3, .consistency = 0.25, .power = power};
      CHECK(std::abs(steady_shear(law, stiff, rate) / (0.3 / std::sqrt(3.0) + 0.25 * std::pow(rate, power)) - 1) < 5e-3);
    }
}

TEST_CASE("Herschel-Bulkley: below the yield stress it is elastic, exactly") {
  const HerschelBulkley law{.yield_stress = 2e3, .consistency = 10, .power = 0.5};
  const Moduli m = sample_moduli();
  const double at_yield = law.yield_stress / std::sqrt(3.0) / (2 * m.mu);
  FlowState<double> state{0, 0, 1.0};
  const Vec3d below = Vec3d{at_yield, 0, -at_yield} * 0.9999;
  CHECK(length(law.return_map(m, below, state) - below) < 1e-18);
  CHECK(state.plastic_strain == 0);
  law.return_map(m, Vec3d{at_yield, 0, -at_yield} * 1.0001, state);
  CHECK(state.plastic_strain > 0);
}

// x + c x^n = 1 over 20 decades of c: the residual of what the iteration, or the closed form, answers.
TEST_CASE("Herschel-Bulkley: the part that relaxes solves its equation for every power, rate and precision") {
  for (double power : {0.05, 0.1, 0.3, 0.5, 0.9, 1.0, 1.1, 1.5, 2.0, 3.0, 4.0})
    for (int decade = -10; decade <= 10; ++decade) {
      const double dt = 1e-3, mu = 1e5, excess = 3e-3, rate = std::sqrt(2.0) * excess / dt, c = 2.7 * std::pow(10.0, decade);
      const RateFlow flow{c * mu * dt / std::pow(rate, power - 1), power};
      const double x = flow.relaxed_part(excess, mu, dt);
      CAPTURE(power);
      CAPTURE(c);
      REQUIRE(x > 0);
      REQUIRE(x <= 1);
      CHECK(x + c * std::pow(x, power) == doctest::Approx(1).epsilon(1e-12));
      const Wide<float> single = flow.relaxed_part(Wide<float>(excess), Wide<float>(mu), dt);
      CHECK(std::abs(double(single[0]) - x) < 2e-6 * std::max(power, 1 / power));  // of the excess; rounding of log c times the exponent
    }
}

TEST_CASE("Herschel-Bulkley: the closed forms of powers 1/2, 1 and 2 are what the iteration finds beside them") {
  for (double power : {0.5, 1.0, 2.0})
    for (double consistency : {1e-3, 1.0, 50.0, 1e4}) {
      const RateFlow exact{consistency, power}, near{consistency, power + 1e-9};
      CHECK(near.relaxed_part(2e-3, 1e5, 1e-3) == doctest::Approx(exact.relaxed_part(2e-3, 1e5, 1e-3)).epsilon(1e-7));
    }
}
