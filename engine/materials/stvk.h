// St. Venant-Kirchhoff elasticity in Green strain.
#pragma once
#include "base/parameters.h"
#include "materials/moduli.h"
#include "materials/spectral_bound.h"
#include "math/vec.h"

namespace knead {

struct StVenantKirchhoff {
  static constexpr const char* name = "stvk";
  static constexpr const char* text =
      "Linear law in Green strain: stiffens in tension, gives way in strong compression. For small strains with large rotations.";
  static constexpr bool is_fluid = false;
  Moduli moduli;

  template <class Visitor> void describe(Visitor& visit) { visit.moduli(moduli); }

  // Psi = mu |E|^2 + lambda/2 (tr E)^2, E_i = (sigma_i^2 - 1)/2 [Pa]
  template <class S> KNEAD_INLINE S energy(const Vec3<S>& sigma) const {
    const Vec3<S> E = green(sigma);
    const S tr = sum(E);
    return S(moduli.mu) * dot(E, E) + S(0.5 * moduli.lambda) * tr * tr;
  }
  // tau_i = sigma_i^2 (2 mu E_i + lambda tr E) [Pa]
  template <class S> KNEAD_INLINE Vec3<S> kirchhoff(const Vec3<S>& sigma) const {
    const Vec3<S> E = green(sigma);
    const S two_mu(2 * moduli.mu), v = S(moduli.lambda) * sum(E);
    return {sigma.x * sigma.x * (two_mu * E.x + v), sigma.y * sigma.y * (two_mu * E.y + v), sigma.z * sigma.z * (two_mu * E.z + v)};
  }
  // sigma_j d tau_i / d sigma_j = 2 tau_i delta_ij + sigma_i^2 (2 mu delta_ij + lambda) sigma_j^2 [Pa]
  template <class S> KNEAD_INLINE Mat3<S> kirchhoff_derivative(const Vec3<S>& sigma) const {
    const Vec3<S> tau = kirchhoff(sigma), squared = sigma * sigma;
    Mat3<S> D = outer(squared, squared) * S(moduli.lambda);
    for (int i = 0; i < 3; ++i) D(i, i) = D(i, i) + S(2) * tau[i] + S(2 * moduli.mu) * squared[i] * squared[i];
    return D;
  }
  // max_i sigma_i^2 (mu (sigma_i^2 - 1) + lambda tr E + (lambda + 2 mu) sigma_i^2), reached at the largest stretch; transverse waves,
  // sigma_i^2 (mu (sigma_i^2 + sigma_j^2 - 1) + lambda tr E), are slower [Pa]
  template <class S> KNEAD_INLINE S wave_modulus(const Vec3<S>& sigma) const {
    const Vec3<S> squared = sigma * sigma;
    return stiffness_at(max(squared.x, max(squared.y, squared.z)), sum(squared));
  }

  // The same from F, without its stretches: tau = mu (b^2 - b) + lambda/2 (tr b - 3) b, b = F F^T [Pa]
  template <class S> KNEAD_INLINE Sym3<S> kirchhoff(const Mat3<S>& F) const {
    const Sym3<S> b = left_cauchy_green(F);
    return left_cauchy_green(to_matrix(b)) * S(moduli.mu) + b * (S(0.5 * moduli.lambda) * (trace(b) - S(3)) - S(moduli.mu));
  }
  // From a bound on the largest stretch that is at most a third too high in its square, and exact at rest [Pa].
  template <class S> KNEAD_INLINE S wave_modulus(const Mat3<S>& F) const {
    const Sym3<S> b = left_cauchy_green(F);
    return stiffness_at(largest_eigenvalue_bound(b), trace(b));
  }

 private:
  template <class S> static KNEAD_INLINE Vec3<S> green(const Vec3<S>& sigma) {
    const S half(0.5);
    return {half * (sigma.x * sigma.x - S(1)), half * (sigma.y * sigma.y - S(1)), half * (sigma.z * sigma.z - S(1))};
  }
  template <class S> KNEAD_INLINE S stiffness_at(const S& squared, const S& trace_b) const {
    const S bracket = S(moduli.mu) * (squared - S(1)) + S(0.5 * moduli.lambda) * (trace_b - S(3)) + S(moduli.p_wave()) * squared;
    return squared * max(bracket, S(0));
  }
};

}  // namespace knead
