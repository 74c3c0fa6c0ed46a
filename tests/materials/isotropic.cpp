#include "materials/isotropic.h"

#include "law_suite.h"
#include "materials/response.h"

using namespace knead;
using namespace knead::test;

namespace {
Mat3d inverse_transposed(const Mat3d& F) {
  const Vec3d a = column(F, 0), b = column(F, 1), c = column(F, 2);
  const Vec3d x = cross(b, c), y = cross(c, a), z = cross(a, b);
  return Mat3d{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}} * (1 / determinant(F));
}
// P = tau F^-T: a second way to the first Piola stress that shares neither V nor the division by the stretches.
template <class Law> Mat3d piola(const Law& law, const Mat3d& F) {
  Vec3d sigma;
  Mat3d U;
  principal_stretches(F, sigma, U);
  return to_matrix(compose(U, law.kirchhoff(sigma))) * inverse_transposed(F);
}
struct Frames {
  Mat3d U, V, F;
};
Frames frames(Random& random, const Vec3d& sigma) {
  const Mat3d U = random.rotation(), V = random.rotation();
  return {U, V, U * Mat3d::diagonal(sigma) * transpose(V)};
}
}  // namespace

// P is obtained through F F^T, whose smallest eigenvalue carries an absolute error of 1e-16: stretches down to 1e-2 leave the differences
// six digits. Smaller ones are compared in principal space, below.
TEST_CASE("Every solid: the differential of the first Piola stress agrees with finite differences") {
  for_each_solid([]<class Law>(const Law& law) {
    Random random;
    for (const Vec3d& sigma : sample_stretches<Law>()) {
      if (std::abs(sigma.z) < 0.01 || std::abs(sigma.y + sigma.z) < 0.02) continue;
      const auto [U, V, F] = frames(random, sigma);
      const PrincipalPiola<double> principal(law, sigma);
      const Mat3d exact = U * Mat3d::diagonal(principal.P) * transpose(V);
      const double scale = std::sqrt(principal.derivative().norm_squared()) + largest(exact);
      CHECK(largest(piola(law, F) - exact) < 1e-9 * scale);
      const Mat3d dF = random.matrix(-1, 1);
      const double h = 1e-5 * std::abs(sigma.z);
      const Mat3d difference = (piola(law, F + dF * h) - piola(law, F - dF * h)) * (1 / (2 * h));
      INFO("sigma ", sigma.x, " ", sigma.y, " ", sigma.z);
      CHECK(largest(difference - principal.derivative().differential(U, V, dF)) < 2e-6 * scale);
    }
  });
}

TEST_CASE("Every solid: the principal Hessian agrees with finite differences down to nearly zero stretches") {
  for_each_solid([]<class Law>(const Law& law) {
    for (const Vec3d& sigma : sample_stretches<Law>()) {
      const PrincipalPiola<double> principal(law, sigma);
      for (int j = 0; j < 3; ++j) {
        Vec3d low = sigma, high = sigma;
        const double h = 1e-5 * std::abs(sigma[j]);
        low[j] -= h, high[j] += h;
        const Vec3d difference = (PrincipalPiola<double>(law, high).P - PrincipalPiola<double>(law, low).P) * (1 / (2 * h));
        for (int i = 0; i < 3; ++i) {
          const double scale = std::abs(principal.hessian(i, j)) + length(principal.P) / std::abs(sigma[j]) + sample_moduli().mu;
          CHECK(std::abs(difference[i] - principal.hessian(i, j)) < 1e-6 * scale);
        }
      }
    }
  });
}

TEST_CASE("A collapsed stretch has a finite first Piola stress") {
  for_each_solid([](const auto& law) {
    const PrincipalPiola<double> principal(law, Vec3d{1, 1, 0});
    CHECK(std::isfinite(principal.P.z + principal.derivative().norm_squared()));
  });
  const FixedCorotated law{sample_moduli()};  // P_3 = 2 mu (sigma_3 - 1) + lambda (J - 1) there
  CHECK(PrincipalPiola<double>(law, Vec3d{1, 1, 0}).P.z == doctest::Approx(-sample_moduli().p_wave()).epsilon(1e-5));
}

// The return map as a function of F: sum_i exp(H_i) / sigma_i u_i u_i^T F.
TEST_CASE("Every flow law: the differential of the returned deformation gradient agrees with finite differences") {
  for_each_law<FlowLaw>([]<class Flow>(const Flow& flow) {
    const Moduli moduli = sample_moduli();
    auto returned = [&](const Vec3d& sigma) {
      FlowState<double> state;
      const Vec3d H = flow.return_map(moduli, Hencky::strain(sigma), state);
      return Vec3d{std::exp(H.x), std::exp(H.y), std::exp(H.z)};
    };
    auto map = [&](const Mat3d& F) {
      Vec3d sigma;
      Mat3d U;
      principal_stretches(F, sigma, U);
      const Vec3d f = returned(sigma);
      return to_matrix(compose(U, Vec3d{f.x / sigma.x, f.y / sigma.y, f.z / sigma.z})) * F;
    };
    Random random;
    for (const Vec3d& sigma : {Vec3d{1.2, 0.9, 0.7}, Vec3d{0.95, 0.95, 0.6}, Vec3d{0.9 + 1e-9, 0.9, 0.85}, Vec3d{0.9, 0.6 + 1e-7, 0.6},
                               Vec3d{1.004, 1.001, 0.99}, Vec3d{1.5, 1.4, 1.3}}) {
      const auto [U, V, F] = frames(random, sigma);
      const Vec3d f = returned(sigma);
      Mat3d df = flow.return_map_derivative(moduli, Hencky::strain(sigma), FlowState<double>{});
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) df(i, j) *= f[i] / sigma[j];
      const IsotropicDerivative<double> derivative(sigma, f, df);
      const Mat3d dF = random.matrix(-1, 1);
      const Mat3d difference = (map(F + dF * 1e-6) - map(F - dF * 1e-6)) * (1 / 2e-6);
      INFO("sigma ", sigma.x, " ", sigma.y, " ", sigma.z);
      CHECK(largest(difference - derivative.differential(U, V, dF)) < 1e-6);
    }
  });
}

TEST_CASE("The adjoint of an isotropic derivative is its adjoint") {
  Random random;
  const IsotropicDerivative<double> derivative(Vec3d{1.5, 1.1, 0.4}, random.vector(-1, 1), random.matrix(-1, 1));
  const Mat3d D = random.matrix(-1, 1), M = random.matrix(-1, 1);
  CHECK(trace(transpose(M) * derivative.apply(D)) == doctest::Approx(trace(transpose(derivative.apply_transposed(M)) * D)).epsilon(1e-12));
}

TEST_CASE("Hencky at rest: the norm of the stiffness is the square root of 45 for unit Lame parameters") {
  const PrincipalPiola<double> principal(Hencky{Moduli{1, 1}}, Vec3d{1, 1, 1});
  CHECK(principal.derivative().norm_squared() == doctest::Approx(45).epsilon(1e-12));
}

TEST_CASE("Isotropic derivatives in single precision agree with double at general, equal and nearly equal stretches") {
  for_each_solid([](const auto& law) {
    for (const Vec3d& sigma : {Vec3d{1.5, 1.1, 0.8}, Vec3d{1.2, 1.2, 0.9}, Vec3d{1.2001, 1.2, 0.9}, Vec3d{1.21, 1.2, 1.19}}) {
      const auto exact = PrincipalPiola<double>(law, sigma).derivative();
      const auto single = PrincipalPiola<float>(law, cast<float>(sigma)).derivative();
      for (int pair = 0; pair < 3; ++pair) CHECK(std::abs(single.a[pair] - exact.a[pair]) < 2e-4 * std::sqrt(exact.norm_squared()));
    }
  });
}
