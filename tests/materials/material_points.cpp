// Single material points driven through tests of the laboratory, against closed forms.
#include "law_suite.h"
#include "materials/response.h"
#include "math/eigen.h"

using namespace knead;
using namespace knead::test;

namespace {
// Uniaxial stress on a material point in Hencky strain: axial strain is prescribed, the lateral one is found so that its stress is zero.
template <class Flow> struct UniaxialTest {
  Hencky elastic;
  Flow flow;
  Vec3d strain{};  // elastic
  FlowState<double> state{};

  Vec3d stress() const { return elastic.kirchhoff(Vec3d{std::exp(strain.x), std::exp(strain.y), std::exp(strain.z)}); }

  void stretch(double axial) {
    const Vec3d old = strain;
    const FlowState<double> before = state;
    auto lateral_stress = [&](double lateral) {
      state = before;
      strain = flow.return_map(elastic.moduli, old + Vec3d{axial, lateral, lateral}, state);
      return stress().y;
    };
    double low = -std::abs(axial), high = std::abs(axial);  // the lateral strain is at most the axial one
    for (int k = 0; k < 60; ++k) (lateral_stress(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
    lateral_stress(0.5 * (low + high));
  }
};

// A deformation gradient whose left Cauchy-Green tensor is b.
Mat3d root(const Sym3<double>& b) {
  Vec3d values;
  Mat3d axes;
  eigen_symmetric(b, values, axes);
  return to_matrix(compose(axes, Vec3d{std::sqrt(values.x), std::sqrt(values.y), std::sqrt(values.z)}));
}

// Simple shear of a material point that was compressed isotropically: b <- (I + L) b (I + L)^T, returned; gives tau_xy / p.
double shear_over_pressure(const DruckerPrager& sand, const Moduli& moduli) {
  Sym3<double> b = isotropic(std::exp(-2 * 0.01));
  FlowState<double> state;
  Mat3d step = Mat3d::identity();
  step(0, 1) = 1e-4;
  for (int k = 0; k < 4000; ++k) {
    Vec3d values;
    Mat3d axes;
    principal_stretches(step * root(b), values, axes);
    Vec3d eps{std::log(values.x), std::log(values.y), std::log(values.z)};
    eps = sand.return_map(moduli, eps, state);
    b = compose(axes, Vec3d{std::exp(2 * eps.x), std::exp(2 * eps.y), std::exp(2 * eps.z)});
  }
  Vec3d values;
  Mat3d axes;
  principal_stretches(root(b), values, axes);
  const Sym3<double> tau = compose(axes, Hencky{moduli}.kirchhoff(values));
  return tau.xy / (-trace(tau) / 3);
}
}  // namespace

TEST_CASE("Von Mises: a bar yields at its yield stress and follows the hardening slope") {
  const double E = 2e5, yield = 400, slope = 3e3;
  UniaxialTest<VonMises> bar{{Moduli::from_young(E, 0.3)}, {yield, slope}};
  double axial = 0;
  for (int k = 0; k < 99; ++k) bar.stretch(yield / E * 0.01), axial += yield / E * 0.01;
  CHECK(bar.stress().x == doctest::Approx(E * axial).epsilon(1e-9));
  CHECK(bar.state.plastic_strain == 0);
  for (int k = 0; k < 200; ++k) {
    bar.stretch(1e-3), axial += 1e-3;
    const double plastic = bar.state.plastic_strain;
    CHECK(bar.stress().x == doctest::Approx(yield + slope * plastic).epsilon(1e-9));
    CHECK(plastic == doctest::Approx(axial - bar.stress().x / E).epsilon(1e-9));  // total = elastic + plastic in log strain
  }
  const double peak = bar.stress().x;
  bar.stretch(-2 * peak / E * 0.999);  // isotropic hardening: the elastic range grew to both sides
  CHECK(bar.stress().x == doctest::Approx(peak - 2 * peak * 0.999).epsilon(1e-9));
  bar.stretch(-0.01);
  CHECK(bar.stress().x < -peak);
}

TEST_CASE("Von Mises: the returned stress lies on or inside the yield surface and keeps the volume") {
  const VonMises law{.yield_stress = 2e3, .hardening_modulus = 5e3};
  const Moduli m = sample_moduli();
  Random random;
  for (int k = 0; k < 300; ++k) {
    FlowState<double> state{random.uniform(0, 0.2), 0};
    const Vec3d eps = random.vector(-0.1, 0.1), H = law.return_map(m, eps, state);
    const double limit = std::sqrt(2.0 / 3.0) * (law.yield_stress + law.hardening_modulus * state.plastic_strain);
    CHECK(2 * m.mu * std::sqrt(1.5) * equivalent_strain(H) <= limit * (1 + 1e-12));
    CHECK(std::abs(sum(H) - sum(eps)) < 1e-15);
  }
}

TEST_CASE("Von Mises: in pure shear it yields at the yield stress over the square root of three") {
  const VonMises law{.yield_stress = 2e3};
  const Moduli m = sample_moduli();
  const double at_yield = law.yield_stress / std::sqrt(3.0) / (2 * m.mu);
  FlowState<double> state;
  law.return_map(m, Vec3d{at_yield, 0, -at_yield} * 0.9999, state);
  CHECK(state.plastic_strain == 0);
  law.return_map(m, Vec3d{at_yield, 0, -at_yield} * 1.0001, state);
  CHECK(state.plastic_strain > 0);
}

TEST_CASE("Drucker-Prager: the returned stress lies on or inside the cone") {
  const Moduli m = sample_moduli();
  Random random;
  for (double cohesion : {0.0, 500.0})
    for (int k = 0; k < 300; ++k) {
      const DruckerPrager law{.friction_angle = 35, .cohesion = cohesion};
      FlowState<double> state{0, random.uniform(0, 0.02)};
      const Vec3d H = law.return_map(m, random.vector(-0.1, 0.05), state);
      const double trace_tau = 3 * m.bulk() * sum(H);
      CHECK(2 * m.mu * std::sqrt(1.5) * equivalent_strain(H) <= law.strength() - law.alpha() * trace_tau + 1e-12 * m.mu);
      CHECK(trace_tau / 3 <= law.tension_limit() + 1e-12 * m.mu);
    }
}

// tau / p = 3 alpha / sqrt(2) in isochoric plane shear: 0.4457, 0.6927, 0.9444 for 20, 30, 40 degrees. The stress turns with the elastic
// strain, here 1 %, which is the tolerance.
TEST_CASE("Drucker-Prager: a sheared material point reaches the shear stress of the cone") {
  const Moduli m = Moduli::from_young(1e6, 0.3);
  const double angles[] = {20, 30, 40}, expected[] = {0.4457, 0.6927, 0.9444};
  for (int k = 0; k < 3; ++k) {
    const DruckerPrager sand{.friction_angle = angles[k]};
    CHECK(3 * sand.alpha() / std::sqrt(2.0) == doctest::Approx(expected[k]).epsilon(2e-4));
    CHECK(shear_over_pressure(sand, m) == doctest::Approx(expected[k]).epsilon(0.01));
    const DruckerPrager plane{.friction_angle = angles[k], .cone = ConeMatch::plane_strain};
    CHECK(shear_over_pressure(plane, m) == doctest::Approx(sine_of_degrees(angles[k])).epsilon(0.01));
  }
}

// Principal pressures a > b with (a - b)/2 = c cos(phi) + (a + b)/2 sin(phi); the third is b, their mean, or a.
TEST_CASE("Drucker-Prager: each cone meets Mohr-Coulomb in its own state, with friction, with cohesion and with both") {
  const Moduli m = sample_moduli();
  for (ConeMatch cone : {ConeMatch::compression, ConeMatch::plane_strain, ConeMatch::extension})
    for (auto [angle, cohesion] : {std::pair{30.0, 0.0}, {30.0, 400.0}, {0.0, 400.0}}) {
      const DruckerPrager law{.friction_angle = angle, .cohesion = cohesion, .cone = cone};
      const double s = sine_of_degrees(angle), c = sine_of_degrees(90 - angle), b = 1000, a = (b * (1 + s) + 2 * cohesion * c) / (1 - s);
      const double third = cone == ConeMatch::compression ? b : cone == ConeMatch::extension ? a : 0.5 * (a + b);
      auto flows_at = [&](double difference) {  // factor on the deviator, at the same pressure
        const double mean = -(a + b + third) / 3, volumetric = mean / (3 * m.bulk());
        const Vec3d tau{-b - mean, -third - mean, -a - mean};
        FlowState<double> state;
        law.return_map(m, tau * (difference / (2 * m.mu)) + Vec3d{volumetric, volumetric, volumetric}, state);
        return state.plastic_strain > 0;
      };
      CHECK_FALSE(flows_at(1 - 1e-6));
      CHECK(flows_at(1 + 1e-6));
    }
}

TEST_CASE("Drucker-Prager: expansion is free and is paid back before there is pressure") {
  const DruckerPrager sand{.friction_angle = 30};
  const Moduli m = sample_moduli();
  FlowState<double> state;
  Vec3d eps = sand.return_map(m, Vec3d{0.2 / 3, 0.2 / 3, 0.2 / 3}, state);
  CHECK(length(eps) == 0);
  CHECK(state.plastic_volume == doctest::Approx(0.2).epsilon(1e-14));
  for (int k = 1; k <= 25; ++k) {  // down to log J = -0.05 in steps of 0.01
    eps = sand.return_map(m, eps - Vec3d{1, 1, 1} * (0.01 / 3), state);
    CHECK(std::abs(sum(eps) - std::min(0.2 - 0.01 * k, 0.0)) < 1e-14);
  }
  CHECK(std::abs(state.plastic_volume) < 1e-14);
  CHECK(state.plastic_strain < 1e-14);
}

TEST_CASE("Drucker-Prager: cohesive sand bears tension up to cohesion over the tangent of its friction angle") {
  const DruckerPrager soil{.friction_angle = 30, .cohesion = 200};
  const Moduli m = sample_moduli();
  FlowState<double> state;
  const Vec3d eps = soil.return_map(m, Vec3d{0.1, 0.1, 0.1}, state);
  CHECK(m.bulk() * sum(eps) == doctest::Approx(200 / std::tan(std::acos(-1.0) / 6)).epsilon(1e-12));
}

TEST_CASE("Drucker-Prager: without friction a cohesive bar yields at twice the cohesion") {
  UniaxialTest<DruckerPrager> clay{{sample_moduli()}, {.friction_angle = 0, .cohesion = 300}};
  for (int k = 0; k < 50; ++k) clay.stretch(1e-3);
  CHECK(clay.stress().x == doctest::Approx(600).epsilon(1e-9));
}

TEST_CASE("Snow: stretches are clamped, packing hardens, breaking softens, both to a limit") {
  const Snow snow;
  FlowState<double> state;
  const Vec3d packed = snow.return_map(sample_moduli(), Vec3d{0, 0, std::log(0.9)}, state);
  CHECK(std::exp(packed.z) == doctest::Approx(0.975));
  CHECK(packed.x == 0);
  CHECK(std::exp(state.plastic_volume) == doctest::Approx(0.9 / 0.975));
  CHECK(snow.stiffness(state) == doctest::Approx(std::exp(10 * (1 - 0.9 / 0.975))));
  const Vec3d torn = snow.return_map(sample_moduli(), Vec3d{0.5, 0, 0}, state);
  CHECK(std::exp(torn.x) == doctest::Approx(1.0075));
  CHECK(snow.stiffness(state) < 1);
  CHECK(snow.stiffness(FlowState<double>{0, -3}) == doctest::Approx(std::exp(4.0)));
  CHECK(snow.stiffness(FlowState<double>{0, 30}) == doctest::Approx(std::exp(-4.0)));
}
