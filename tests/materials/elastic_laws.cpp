// The suite that every elastic law passes, old or new.
#include "law_suite.h"
#include "materials/isotropic.h"
#include "math/eigen.h"
#include "math/wide.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("Every solid: rest is free of stress and energy, and small strains follow Hooke's law") {
  for_each_solid([](const auto& law) {
    const Moduli m = sample_moduli();
    CHECK(std::abs(law.energy(Vec3d{1, 1, 1})) < 1e-12 * m.mu);
    CHECK(length(law.kirchhoff(Vec3d{1, 1, 1})) < 1e-12 * m.mu);
    const Mat3d D = law.kirchhoff_derivative(Vec3d{1, 1, 1});
    for (int i = 0; i < 9; ++i) CHECK(D.m[i] == doctest::Approx(m.lambda + (i % 4 == 0 ? 2 * m.mu : 0)).epsilon(1e-12));
    CHECK(law.wave_modulus(Vec3d{1, 1, 1}) == doctest::Approx(m.p_wave()).epsilon(1e-12));
  });
}

// Central differences with a step of 1e-5 err by 1e-10 (truncation) and 1e-11 of the energy's own size (rounding); 1e-6 leaves room.
TEST_CASE("Every solid: stress is the derivative of energy") {
  for_each_solid([]<class Law>(const Law& law) {
    for (const Vec3d& sigma : sample_stretches<Law>()) {
      const Vec3d tau = law.kirchhoff(sigma);
      const double scale = length(tau) + std::abs(law.energy(sigma)) + sample_moduli().mu;
      for (int i = 0; i < 3; ++i) {
        Vec3d low = sigma, high = sigma;
        low[i] *= 1 - 1e-5, high[i] *= 1 + 1e-5;
        INFO("sigma ", sigma.x, " ", sigma.y, " ", sigma.z, " axis ", i);
        CHECK(std::abs((law.energy(high) - law.energy(low)) / 2e-5 - tau[i]) < 1e-6 * scale);
      }
    }
  });
}

TEST_CASE("Every solid: the derivative of stress agrees with finite differences and is symmetric") {
  for_each_solid([]<class Law>(const Law& law) {
    for (const Vec3d& sigma : sample_stretches<Law>()) {
      const Mat3d D = law.kirchhoff_derivative(sigma);
      const double scale = largest(D) + length(law.kirchhoff(sigma)) + sample_moduli().mu;
      for (int j = 0; j < 3; ++j) {
        Vec3d low = sigma, high = sigma;
        low[j] *= 1 - 1e-5, high[j] *= 1 + 1e-5;
        const Vec3d difference = (law.kirchhoff(high) - law.kirchhoff(low)) * (1 / 2e-5);
        for (int i = 0; i < 3; ++i) {
          INFO("sigma ", sigma.x, " ", sigma.y, " ", sigma.z, " entry ", i, j);
          CHECK(std::abs(difference[i] - D(i, j)) < 1e-6 * scale);
          CHECK(std::abs(D(i, j) - D(j, i)) < 1e-12 * scale);
        }
      }
    }
  });
}

TEST_CASE("Every solid: the wave modulus bounds waves along and across the principal axes") {
  for_each_solid([]<class Law>(const Law& law) {
    for (const Vec3d& sigma : sample_stretches<Law>()) {
      const double bound = law.wave_modulus(sigma) * (1 + 1e-9) + 1e-9 * sample_moduli().mu;
      const Vec3d tau = law.kirchhoff(sigma);
      const Mat3d D = law.kirchhoff_derivative(sigma);
      for (int i = 0; i < 3; ++i) {
        INFO("sigma ", sigma.x, " ", sigma.y, " ", sigma.z, " axis ", i);
        CHECK(D(i, i) - tau[i] <= bound);  // sigma_i^2 d^2 Psi / d sigma_i^2
        for (int j = 0; j < 3; ++j) {
          const double gap = sigma[i] * sigma[i] - sigma[j] * sigma[j];
          if (std::abs(gap) > 1e-6) CHECK(sigma[i] * sigma[i] * (tau[i] - tau[j]) / gap <= bound);
        }
      }
    }
  });
}

// The acoustic tensor Q(n) of a wave along any direction n: Q a = A(a (x) F^T n) F^T n with A = dP/dF, in the principal frame.
TEST_CASE("Every solid: no wave in any direction is faster than the wave modulus says, at stretches from 0.5 to 2") {
  for_each_solid([]<class Law>(const Law& law) {
    Random random;
    for (int k = 0; k < 200; ++k) {
      Vec3d sigma = random.vector(0.5, 2);
      const PrincipalPiola<double> piola(law, sigma);
      const IsotropicDerivative<double> A = piola.derivative();
      const Vec3d n = normalized(random.vector(-1, 1)), pulled = sigma * n;
      Mat3d Q;
      for (int j = 0; j < 3; ++j) {
        Vec3d a;
        a[j] = 1;
        const Vec3d q = A.apply(outer(a, pulled)) * pulled;
        for (int i = 0; i < 3; ++i) Q(i, j) = q[i];
      }
      Vec3d values;
      Mat3d vectors;
      eigen_symmetric(symmetric_part(Q), values, vectors);
      INFO("sigma ", sigma.x, " ", sigma.y, " ", sigma.z);
      CHECK(values.x <= law.wave_modulus(sigma) * (1 + 1e-9));
    }
  });
}

TEST_CASE("Solids with a tensor form: it agrees with the principal form, and its wave modulus is a bound that is tight at rest") {
  for_each_solid([]<class Law>(const Law& law) {
    if constexpr (requires { law.kirchhoff(Mat3d{}); }) {
      Random random;
      for (const Vec3d& sigma : sample_stretches<Law>()) {
        const Mat3d U = random.rotation(), V = random.rotation(), F = U * Mat3d::diagonal(sigma) * transpose(V);
        const Sym3<double> expected = compose(U, law.kirchhoff(sigma));
        CHECK(largest(law.kirchhoff(F) - expected) < 1e-11 * (largest(expected) + sample_moduli().mu));
        CHECK(law.wave_modulus(F) >= law.wave_modulus(sigma) * (1 - 1e-10));
      }
      for (int k = 0; k < 50; ++k) {  // strains of 5 %: at most 7 % too much in sigma^2, and that squared
        const Vec3d sigma = random.vector(0.95, 1.05);
        CHECK(law.wave_modulus(Mat3d::diagonal(sigma)) <= law.wave_modulus(sigma) * 1.15);
      }
      CHECK(law.wave_modulus(Mat3d::identity()) == doctest::Approx(sample_moduli().p_wave()).epsilon(1e-12));
    }
  });
}

TEST_CASE("Every solid: float and wide agree with double") {
  for_each_solid([]<class Law>(const Law& law) {
    using W = Wide<double>;
    for (const Vec3d& sigma : sample_stretches<Law>()) {
      const Vec3d tau = law.kirchhoff(sigma);
      const Mat3d D = law.kirchhoff_derivative(sigma);
      const double scale = length(tau) + largest(D) + sample_moduli().mu;
      const Vec3f single = law.kirchhoff(cast<float>(sigma));
      const Vec3<W> wide = law.kirchhoff(cast<W>(sigma));
      const Mat3<float> single_D = law.kirchhoff_derivative(cast<float>(sigma));
      for (int i = 0; i < 3; ++i) {
        CHECK(std::abs(single[i] - tau[i]) < 2e-6 * scale);
        CHECK(std::abs(wide[i][W::lanes - 1] - tau[i]) < 1e-13 * scale);
      }
      for (int i = 0; i < 9; ++i) CHECK(std::abs(single_D.m[i] - D.m[i]) < 4e-6 * scale);
      CHECK(law.wave_modulus(cast<float>(sigma)) == doctest::Approx(law.wave_modulus(sigma)).epsilon(1e-5));
      CHECK(std::abs(law.energy(cast<W>(sigma))[0] - law.energy(sigma)) < 1e-13 * scale);
    }
  });
}

TEST_CASE("Every solid: collapsed, inverted and extremely stretched states have finite answers in single precision") {
  for_each_solid([]<class Law>(const Law& law) {
    const std::vector<Vec3f> states = {
        {1, 1, 0}, {0, 0, 0}, {1, 1, -1}, {1e4f, 1e4f, 1e4f}, {1e4f, 1e4f, -1e4f}, {1e4f, 1, 1e-6f}, {1e-6f, 1e-6f, -1e-6f}};
    for (const Vec3f& sigma : states) {
      float total = law.energy(sigma) + sum(law.kirchhoff(sigma)) + law.wave_modulus(sigma);
      for (float d : law.kirchhoff_derivative(sigma).m) total += d;
      CHECK(std::isfinite(total));
      CHECK(law.wave_modulus(sigma) >= 0);
      if constexpr (requires { law.kirchhoff(Mat3<float>{}); }) {
        const Mat3<float> F = Mat3<float>::diagonal(sigma);
        CHECK(std::isfinite(norm_squared(law.kirchhoff(F) * 1e-20f) + law.wave_modulus(F)));
      }
    }
  });
}

// Green strain knows sigma^2 only and cannot see an inversion: St. Venant-Kirchhoff is the known exception.
TEST_CASE("Every solid but stvk: a squeezed or inverted axis is pushed back") {
  for_each_solid([]<class Law>(const Law& law) {
    if constexpr (!std::is_same_v<Law, StVenantKirchhoff>) {
      for (double s : {0.9, 0.5, 0.1, 1e-2, 1e-3, 2e-4, -1e-3, -0.1, -1.0, -3.0}) {
        if constexpr (requires { Law::smallest_stretch; }) s = std::max(s, Law::smallest_stretch);
        CHECK(law.kirchhoff(Vec3d{1, 1, s}).z / s < 0);
      }
    }
  });
}

TEST_CASE("Every solid: zero moduli give zero stress") {
  for_each_solid([](auto law) {
    law.moduli = {};
    CHECK(length(law.kirchhoff(Vec3d{1.3, 1, 0.7})) == 0);
    CHECK(law.wave_modulus(Vec3d{1.3, 1, 0.7}) == 0);
  });
}

TEST_CASE("Hencky: uniaxial stress is Young's modulus times the logarithm of the stretch") {
  const Hencky law{Moduli::from_young(2e5, 0.3)};
  for (double l : {0.4, 0.9, 1.1, 2.0, 5.0}) {
    const double lateral = std::pow(l, -0.3);
    const Vec3d tau = law.kirchhoff(Vec3d{l, lateral, lateral});
    CHECK(tau.x == doctest::Approx(2e5 * std::log(l)).epsilon(1e-12));
    CHECK(std::abs(tau.y) < 1e-12 * 2e5);
  }
}

TEST_CASE("Fluids: pressure is minus the derivative of energy, the wave modulus its slope, and both stay finite") {
  for_each_law<ElasticLaw>([]<class Law>(const Law& sample) {
    if constexpr (Law::is_fluid) {
      for (double gamma : {1.0, 1.4, 7.0}) {
        Law law = sample;
        law.gamma = gamma;
        const double K = law.bulk_modulus;
        CHECK(law.pressure(1.0) == 0);
        CHECK(std::abs(law.energy(1.0)) < 1e-15 * K);
        CHECK(law.wave_modulus(1.0) == doctest::Approx(K));
        for (double J : {0.3, 0.5, 0.9, 0.99, 1.01, 1.5, 3.0, 20.0}) {
          const double h = 1e-5 * J, scale = std::abs(law.pressure(J)) + law.energy(J) / J + K;
          CHECK(std::abs((law.energy(J + h) - law.energy(J - h)) / (2 * h) + law.pressure(J)) < 1e-8 * scale);
          CHECK(std::abs((law.kirchhoff(J + h) - law.kirchhoff(J - h)) / (2 * h) * J - law.kirchhoff_derivative(J)) <
                1e-7 * scale * (1 + J));
          CHECK(law.kirchhoff(J) == doctest::Approx(-law.pressure(J) * J));
          CHECK(-J * J * (law.pressure(J + h) - law.pressure(J - h)) / (2 * h) == doctest::Approx(law.wave_modulus(J)).epsilon(1e-7));
          CHECK(law.pressure(static_cast<float>(J)) == doctest::Approx(law.pressure(J)).epsilon(1e-5));
        }
        for (double J : {0.01, 0.1, 2000.0}) {  // also where the pressure is held constant, which for gamma = 7 is below 0.27
          const double h = 1e-5 * J, scale = std::abs(law.pressure(J)) + law.energy(J) / J + K;
          CHECK(std::abs((law.energy(J + h) - law.energy(J - h)) / (2 * h) + law.pressure(J)) < 1e-8 * scale);
          CHECK(std::abs((law.kirchhoff(J + h) - law.kirchhoff(J - h)) / (2 * h) * J - law.kirchhoff_derivative(J)) <
                1e-7 * scale * (1 + J));
        }
        for (float J : {-1.0f, 0.0f, 1e-9f, 1e9f}) {
          CHECK(std::isfinite(law.pressure(J) + law.energy(J) + law.wave_modulus(J) + law.kirchhoff_derivative(J)));
          if (J < 1) CHECK(law.kirchhoff(J) < 0);
        }
      }
    }
  });
}

TEST_CASE("Weakly compressible water: one percent of compression gives Tait's pressure") {
  const Eos water{.bulk_modulus = 2.2e9};
  CHECK(water.pressure(0.99) == doctest::Approx(2.2e9 / 7 * (std::pow(0.99, -7) - 1)).epsilon(1e-12));
}
