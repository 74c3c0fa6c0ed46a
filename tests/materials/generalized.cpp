// The generalized law against closed forms and against its own energy.
#include "law_suite.h"
#include "materials/response.h"

using namespace knead;
using namespace knead::test;

namespace {
Material generalized(const Generalized& law) {
  Material material;
  material.generalized = law;
  return material;
}
Sym3<double> stress(const Material& material, const Mat3d& F, const FlowState<double>& flow = {}) {
  return kirchhoff_stress(material, F, determinant(F), flow, {});
}
Mat3d deformed(Random& random, double size) {
  Mat3d F = random.matrix(-size, size);
  for (int i = 0; i < 9; i += 4) F.m[i] += 1;
  return F;
}
Sym3<double> rotated(const Mat3d& Q, const Sym3<double>& a) { return symmetric_part(Q * to_matrix(a) * transpose(Q)); }

// Every corner, and all of them at once.
std::vector<Generalized> corners() {
  return {{.bulk_modulus_d = 7e4},
          {.bulk_modulus_i = 7e4, .shear_modulus_i = 3e4},
          {.bulk_modulus_d = 7e4, .shear_modulus_d = 3e4, .yield_stress = 500, .consistency = 20, .power = 0.5},
          {.bulk_modulus_i = 7e4, .shear_modulus_i = 3e4, .hardening = 10, .stretch_limit = 1.0075, .compression_limit = 0.975},
          {.bulk_modulus_i = 5e4,
           .shear_modulus_i = 2e4,
           .bulk_modulus_d = 3e4,
           .shear_modulus_d = 1e4,
           .yield_stress = 300,
           .consistency = 30,
           .power = 2,
           .hardening = 5,
           .stretch_limit = 1.2,
           .compression_limit = 0.8}};
}
}  // namespace

// Central differences with a step of 1e-5 err by 1e-10 of the modulus, and rounding by 1e-16 / 1e-5.
TEST_CASE("Generalized: the stress is the derivative of the energy in every corner") {
  Random random;
  for (const Generalized& law : corners()) {
    const Material material = generalized(law);
    for (int k = 0; k < 30; ++k) {
      const FlowState<double> flow{0, law.is_limited() ? random.uniform(-0.2, 0.2) : 0.0};
      const Mat3d F = deformed(random, 0.2), direction = random.matrix(-1, 1);
      auto energy = [&](double s) {
        const Mat3d moved = F + (direction * F) * s;
        return elastic_energy(material, moved, determinant(moved), flow);
      };
      const double h = 1e-5, expected = (energy(h) - energy(-h)) / (2 * h);  // tau : direction
      const Mat3d tau = to_matrix(stress(material, F, flow));
      double work = 0;
      for (int i = 0; i < 9; ++i) work += tau.m[i] * direction.m[i];
      CHECK(std::abs(work - expected) < 1e-3);  // of moduli of 1e5
    }
  }
}

// K = 7, mu = 3: E = 7.875, nu = 0.3125.
TEST_CASE("Generalized: the hyperelastic corner in uniaxial tension and simple shear") {
  const Material rubber = generalized({.bulk_modulus_i = 7, .shear_modulus_i = 3});
  const double stretch[] = {1.1, 1.5, 0.8}, lateral[] = {0.970777, 0.884470, 1.072258}, axial[] = {0.783740, 3.957837, -1.616869};
  for (int k = 0; k < 3; ++k) {
    double low = 0.5, high = 1.5;
    for (int i = 0; i < 80; ++i) {
      const double middle = 0.5 * (low + high);
      (stress(rubber, Mat3d::diagonal({stretch[k], middle, middle})).yy < 0 ? low : high) = middle;
    }
    CHECK(low == doctest::Approx(lateral[k]).epsilon(1e-6));
    CHECK(stress(rubber, Mat3d::diagonal({stretch[k], low, low})).xx == doctest::Approx(axial[k]).epsilon(1e-6));
    // tau_1 - tau_2 = mu J^(-2/3) (a^2 - l^2), tr tau = 3/2 K (J^2 - 1)
    const double a = stretch[k], l = low, J = a * l * l;
    const Sym3<double> tau = stress(rubber, Mat3d::diagonal({a, l, l}));
    CHECK(tau.xx - tau.yy == doctest::Approx(3 * std::pow(J, -2.0 / 3) * (a * a - l * l)).epsilon(1e-14));
    CHECK(trace(tau) == doctest::Approx(1.5 * 7 * (J * J - 1)).epsilon(1e-13));
  }
  for (double shear : {0.01, 0.5, 3.0}) {
    Mat3d F = Mat3d::identity();
    F(0, 1) = shear;
    const Sym3<double> tau = stress(rubber, F);
    CHECK(tau.xy == doctest::Approx(3 * shear).epsilon(1e-14));
    CHECK(tau.xx - tau.yy == doctest::Approx(3 * shear * shear).epsilon(1e-12));
  }
}

// rho0 c^2 of a wave along n with the polarisation m is the second derivative of the energy along F -> (1 + s m n^T) F.
TEST_CASE("Generalized: the wave modulus bounds the fastest wave, and is exact at rest") {
  Random random;
  for (const Generalized& law : corners()) {
    const Material material = generalized(law);
    CHECK(wave_modulus(material, Mat3d::identity(), 1, {}) ==
          doctest::Approx(law.bulk_modulus_i + law.bulk_modulus_d + 4.0 / 3 * law.shear_modulus_i));
    for (int k = 0; k < 200; ++k) {
      const Mat3d F = deformed(random, 0.5);
      if (determinant(F) < 0.1) continue;
      const Vec3d m = normalized(random.vector(-1, 1)), n = normalized(random.vector(-1, 1));
      auto energy = [&](double s) {
        const Mat3d moved = F + (outer(m, n) * F) * s;
        return elastic_energy(material, moved, determinant(moved), {});
      };
      const double h = 1e-4, curvature = (energy(h) - 2 * energy(0) + energy(-h)) / (h * h);
      CHECK(curvature <= wave_modulus(material, F, determinant(F), {}) * (1 + 1e-6));
    }
  }
}

TEST_CASE("Generalized: the exponential keeps volume in shear and rotation, and has the volume exp(tr X)") {
  Random random;
  for (int k = 0; k < 50; ++k) {
    const Mat3d X = random.matrix(-0.02, 0.02);
    CHECK(determinant(exponential_times(X, Mat3d::identity())) == doctest::Approx(std::exp(trace(X))).epsilon(1e-9));
  }
  // 2 rad/s for 10 s in steps of 0.01 s: I + X would grow to a volume of 1.49.
  const Mat3d spin{{0, -0.02, 0, 0.02, 0, 0, 0, 0, 0}};
  Mat3d R = Mat3d::identity();
  for (int n = 0; n < 1000; ++n) R = exponential_times(spin, R);
  CHECK(determinant(R) == doctest::Approx(1).epsilon(1e-8));
}

// The elastic strain, a thousandth of the stress, turns the axes of the stress: 0.5 % at most.
TEST_CASE("Generalized: steady simple shear of the flowing branch has the stress of Herschel and Bulkley") {
  for (double power : {0.5, 1.0, 2.0, 0.8})
    for (double rate : {1.0, 4.0}) {
      const Generalized law{.shear_modulus_d = 1e3, .yield_stress = 0.3, .consistency = 0.25, .power = power};
      const double dt = 1e-4 / rate;
      Mat3d X{};
      X(0, 1) = rate * dt;
      Sym3<double> b = isotropic(1.0);
      FlowState<double> state{0, 0, dt};
      for (int n = 0; n < 20000; ++n) b = law.flow(b, X, state);
      const double expected = 0.3 / std::sqrt(3.0) + 0.25 * std::pow(rate, power);
      CHECK(std::abs(flow_stress(generalized(law), b).xy / expected - 1) < 5e-3);
    }
}

TEST_CASE("Generalized: below the yield stress the flowing branch is elastic, and a rotation leaves it at rest") {
  const Generalized law{.shear_modulus_d = 1e3, .yield_stress = 30, .consistency = 0.1, .power = 0.5};
  FlowState<double> state{0, 0, 1e-3};
  Mat3d X{};
  X(0, 1) = 1e-4;
  Sym3<double> b = isotropic(1.0);
  for (int n = 0; n < 170; ++n) b = law.flow(b, X, state);  // 17 Pa of 30 / sqrt(3) = 17.3
  CHECK(flow_stress(generalized(law), b).xy == doctest::Approx(17.0).epsilon(1e-10));
  CHECK(state.plastic_strain == 0);
  const Mat3d spin{{0, -0.015, -0.02, 0.015, 0, -0.01, 0.02, 0.01, 0}};
  b = isotropic(1.0);
  for (int n = 0; n < 300; ++n) b = law.flow(b, spin, state);
  CHECK(largest(b - isotropic(1.0)) < 1e-8);  // 300 times |X|^6 / 72
  CHECK(state.plastic_strain == 0);
}

TEST_CASE("Generalized: the update and the stress do not depend on the frame") {
  Random random;
  for (const Generalized& law : corners()) {
    const Material material = generalized(law);
    for (int k = 0; k < 20; ++k) {
      const Mat3d Q = random.rotation(), X = random.matrix(-0.05, 0.05), F = deformed(random, 0.2), QX = Q * X * transpose(Q);
      const Sym3<double> b = Generalized::isochoric(deformed(random, 0.1), 1.0);
      const Mat3d next = exponential_times(X, F), next_turned = exponential_times(QX, Q * F);
      CHECK(largest(next_turned - Q * next) < 1e-13);
      CHECK(largest(stress(material, next_turned) - rotated(Q, stress(material, next))) < 1e-13 * 1e5 * 10);
      if (!law.flows()) continue;
      FlowState<double> state{0, 0, 1e-3}, state_turned{0, 0, 1e-3};
      const Sym3<double> flown = law.flow(b, X, state), flown_turned = law.flow(rotated(Q, b), QX, state_turned);
      CHECK(largest(flown_turned - rotated(Q, flown)) < 1e-13);
      CHECK(std::abs(state.plastic_strain - state_turned.plastic_strain) < 1e-13);
      CHECK(state.plastic_strain > 0);
    }
  }
}
