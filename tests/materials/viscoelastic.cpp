#include <doctest/doctest.h>

#include "materials/response.h"
#include "materials/viscoelastic.h"

using namespace knead;

namespace {
const Viscoelasticity law{Moduli::from_young(8e4, 0.2), 400, 900};
const Vec3d strains[] = {{0.3, 0.1, -0.2}, {0.1, 0.1, 0.1}, {-1, -1, -2}, {0, 0, 0}};
}  // namespace

TEST_CASE("viscoelasticity: the closed form solves backward Euler of the dissipation potential") {
  for (const Vec3d& trial : strains)
    for (const double dt : {1e-6, 1e-3, 1.0, 1e3}) {
      const Vec3d eps = law.relax(trial, dt), tau = law.spring().kirchhoff_at(eps);
      const double tr = sum(tau);
      for (int i = 0; i < 3; ++i) {
        // d Phi / d tau_i = dev(tau)_i / nu_d + 2 tr(tau) / (9 nu_v), Eq. (7)
        const double rate = (tau[i] - tr / 3) / law.viscosity_deviatoric + 2 * tr / (9 * law.viscosity_volumetric);
        CHECK(eps[i] == doctest::Approx(trial[i] - dt * rate).epsilon(1e-9).scale(1e-6));
      }
    }
}

TEST_CASE("viscoelasticity: the derivative is that of the relaxation, and plastic work is never negative") {
  const double dt = 2e-3, h = 1e-6;
  const Mat3d D = law.relax_derivative<double>(dt);
  for (const Vec3d& eps : strains) {
    for (int j = 0; j < 3; ++j) {
      Vec3d up = eps, down = eps;
      up[j] += h, down[j] -= h;
      const Vec3d difference = (law.relax(up, dt) - law.relax(down, dt)) * (0.5 / h);
      for (int i = 0; i < 3; ++i) CHECK(difference[i] == doctest::Approx(D(i, j)).epsilon(1e-8).scale(1));
    }
    const Vec3d after = law.relax(eps, dt);
    CHECK(dot(law.spring().kirchhoff_at(after), eps - after) >= 0);
  }
}

TEST_CASE("viscoelasticity: creep under constant shear stress follows the standard linear solid within 1 %") {
  // s = 2 mu_E e + 2 mu_N e_N held: e(t) = s / 2 mu_E (1 - mu_N / (mu_E + mu_N) exp(-t / T_c)), T_c = nu_d / 2 mu_N (mu_E + mu_N) / mu_E.
  const double mu_E = 1e4, mu_N = law.moduli.mu, s = 500, T_c = law.viscosity_deviatoric / (2 * mu_N) * (mu_E + mu_N) / mu_E;
  const double dt = T_c / 400;
  double e = 0, e_N = 0;
  for (int k = 1; k <= 800; ++k) {
    // The trial of the branch follows the total strain: e_N = keep (e_N + de), and the stress is in balance after the step.
    const double keep = law.keep_deviator(dt);
    const double next = (s - 2 * mu_N * keep * (e_N - e)) / (2 * mu_E + 2 * mu_N * keep);
    e_N = law.relax(Vec3d{e_N + next - e, -(e_N + next - e), 0}, dt).x;
    e = next;
    if (k % 200 == 0) {
      const double exact = s / (2 * mu_E) * (1 - mu_N / (mu_E + mu_N) * std::exp(-k * dt / T_c));
      CHECK(e == doctest::Approx(exact).epsilon(0.01));
    }
  }
}

TEST_CASE("viscoelasticity: stress and energy of the branch are those of its spring, and waves feel it unrelaxed") {
  Material material;
  material.elasticity = Hencky{Moduli::from_young(5e4, 0.3)};
  const double alone = rest_wave_modulus(material);
  CHECK(branch_energy(material, Mat3d::diagonal({2, 1, 1})) == 0);
  material.viscoelasticity = law;
  CHECK(rest_wave_modulus(material) == doctest::Approx(alone + law.moduli.p_wave()));
  CHECK(branch_stress(material, Mat3d::diagonal({1.2, 1, 1})).xx == doctest::Approx(law.moduli.p_wave() * std::log(1.2)));
  CHECK(branch_energy(material, Mat3d::diagonal({1.2, 1, 1})) == doctest::Approx(0.5 * law.moduli.p_wave() * std::pow(std::log(1.2), 2)));
}
