// St. Venant-Kirchhoff elasticity in Hencky (logarithmic) strain.
#pragma once
#include "base/parameters.h"
#include "materials/moduli.h"
#include "math/vec.h"

namespace knead {

struct Hencky {
  static constexpr const char* name = "hencky";
  static constexpr const char* text = "St. Venant-Kirchhoff elasticity in logarithmic strain; what metal and sand plasticity are built on.";
  static constexpr bool is_fluid = false;
  static constexpr double smallest_stretch = 1e-4;                // stretches are clamped here before the logarithm, in the state too
  static constexpr double smallest_strain = -9.2103403719761836;  // its logarithm
  Moduli moduli;

  template <class Visitor> void describe(Visitor& visit) { visit.moduli(moduli); }

  // Psi = mu |eps|^2 + lambda/2 (tr eps)^2, eps = log sigma [Pa]
  template <class S> KNEAD_INLINE S energy(const Vec3<S>& sigma) const {
    const Vec3<S> eps = strain(sigma);
    const S tr = sum(eps);
    return S(moduli.mu) * dot(eps, eps) + S(0.5 * moduli.lambda) * tr * tr;
  }
  // tau_i = 2 mu eps_i + lambda tr eps [Pa]
  template <class S> KNEAD_INLINE Vec3<S> kirchhoff(const Vec3<S>& sigma) const { return kirchhoff_at(strain(sigma)); }
  template <class S> KNEAD_INLINE Vec3<S> kirchhoff_at(const Vec3<S>& eps) const {
    const S pressure = S(moduli.lambda) * sum(eps);
    return {S(2 * moduli.mu) * eps.x + pressure, S(2 * moduli.mu) * eps.y + pressure, S(2 * moduli.mu) * eps.z + pressure};
  }
  // d tau_i / d eps_j with eps = log sigma [Pa]
  template <class S> KNEAD_INLINE Mat3<S> kirchhoff_derivative(const Vec3<S>&) const {
    Mat3<S> D;
    for (int i = 0; i < 9; ++i) D.m[i] = S(i % 4 == 0 ? moduli.p_wave() : moduli.lambda);
    return D;
  }
  // rho0 c^2 of the fastest wave [Pa]: max_i sigma_i^2 d^2 Psi / d sigma_i^2 = lambda + 2 mu - min tau for waves along a principal axis,
  // 2 mu x / (1 - exp(-2 x)) <= mu + 2 mu x, x = eps_max - eps_min, for transverse ones: in strong tension those are faster.
  template <class S> KNEAD_INLINE S wave_modulus(const Vec3<S>& sigma) const { return wave_modulus_at(strain(sigma)); }
  template <class S> KNEAD_INLINE S wave_modulus_at(const Vec3<S>& eps) const {
    const Vec3<S> tau = kirchhoff_at(eps);
    return max(S(moduli.p_wave()), S(moduli.mu) + max(tau.x, max(tau.y, tau.z))) - min(tau.x, min(tau.y, tau.z));
  }
  // The same matter without principal axes: stress from the whole strain, and a bound on the wave modulus, from the largest and the
  // smallest that a strain with the same trace and norm can give. The bound is exact where two strains are equal.
  template <class S> KNEAD_INLINE Sym3<S> kirchhoff_of(const Sym3<S>& eps) const {
    return eps * S(2 * moduli.mu) + isotropic(S(moduli.lambda) * trace(eps));
  }
  template <class S> KNEAD_INLINE S wave_modulus_bound(const Sym3<S>& eps) const {
    const S tr = trace(eps), mean = S(moduli.bulk()) * tr;
    const S deviation = S(2 * moduli.mu * 0.81649658092772603) * sqrt(max(norm_squared(eps) - tr * tr * S(1.0 / 3.0), S(0)));
    return max(S(moduli.p_wave()), S(moduli.mu) + mean + deviation) - (mean - deviation);
  }

  template <class S> static KNEAD_INLINE Vec3<S> strain(const Vec3<S>& sigma) {
    const S floor(smallest_stretch);
    return {log(max(sigma.x, floor)), log(max(sigma.y, floor)), log(max(sigma.z, floor))};
  }
};

}  // namespace knead
