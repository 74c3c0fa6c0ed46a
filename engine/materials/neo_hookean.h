// Compressible neo-Hookean elasticity.
#pragma once
#include "base/parameters.h"
#include "materials/continued_log.h"
#include "materials/moduli.h"
#include "materials/spectral_bound.h"
#include "math/vec.h"

namespace knead {

struct NeoHookean {
  static constexpr const char* name = "neo_hookean";
  static constexpr const char* text =
      "Rubber and jelly: stiffens in compression, needs no decomposition of F and is therefore the fastest solid.";
  static constexpr bool is_fluid = false;
  Moduli moduli;

  template <class Visitor> void describe(Visitor& visit) { visit.moduli(moduli); }

  // Psi = mu/2 (|sigma|^2 - 3) - mu L + lambda/2 L^2 [Pa], L = log J continued below J = 0.01 (ContinuedLog).
  template <class S> KNEAD_INLINE S energy(const Vec3<S>& sigma) const {
    const S L = ContinuedLog<S>(sigma.x * sigma.y * sigma.z).value;
    return S(0.5 * moduli.mu) * (dot(sigma, sigma) - S(3)) - S(moduli.mu) * L + S(0.5 * moduli.lambda) * L * L;
  }
  // tau_i = mu sigma_i^2 + (lambda L - mu) J L' [Pa]; J L' = 1 where L is the logarithm
  template <class S> KNEAD_INLINE Vec3<S> kirchhoff(const Vec3<S>& sigma) const {
    const S mu(moduli.mu), v = volumetric(ContinuedLog<S>(sigma.x * sigma.y * sigma.z));
    return {mu * sigma.x * sigma.x + v, mu * sigma.y * sigma.y + v, mu * sigma.z * sigma.z + v};
  }
  // sigma_j d tau_i / d sigma_j [Pa]
  template <class S> KNEAD_INLINE Mat3<S> kirchhoff_derivative(const Vec3<S>& sigma) const {
    const ContinuedLog<S> L(sigma.x * sigma.y * sigma.z);
    const S v = S(moduli.lambda) * L.slope * L.slope + (S(moduli.lambda) * L.value - S(moduli.mu)) * L.change;
    Mat3<S> D;
    for (int i = 0; i < 9; ++i) D.m[i] = v;
    for (int i = 0; i < 3; ++i) D(i, i) = v + S(2 * moduli.mu) * sigma[i] * sigma[i];
    return D;
  }
  // mu max sigma^2 + max(lambda (J L')^2 + (mu - lambda L) (J L' - J (J L')'), 0) [Pa]; transverse waves carry mu sigma_i^2.
  template <class S> KNEAD_INLINE S wave_modulus(const Vec3<S>& sigma) const {
    const S widest = max(sigma.x * sigma.x, max(sigma.y * sigma.y, sigma.z * sigma.z));
    return S(moduli.mu) * widest + volumetric_stiffness(ContinuedLog<S>(sigma.x * sigma.y * sigma.z));
  }

  // The same from F, without its stretches: tau = mu b + (lambda L - mu) J L' I, b = F F^T [Pa]
  template <class S> KNEAD_INLINE Sym3<S> kirchhoff(const Mat3<S>& F) const {
    return left_cauchy_green(F) * S(moduli.mu) + isotropic(volumetric(ContinuedLog<S>(determinant(F))));
  }
  // At most 1/3 above the principal form's first term, and equal to it at rest [Pa].
  template <class S> KNEAD_INLINE S wave_modulus(const Mat3<S>& F) const {
    return S(moduli.mu) * largest_eigenvalue_bound(left_cauchy_green(F)) + volumetric_stiffness(ContinuedLog<S>(determinant(F)));
  }

 private:
  template <class S> KNEAD_INLINE S volumetric(const ContinuedLog<S>& L) const {
    return (S(moduli.lambda) * L.value - S(moduli.mu)) * L.slope;
  }
  template <class S> KNEAD_INLINE S volumetric_stiffness(const ContinuedLog<S>& L) const {
    return max(S(moduli.lambda) * L.slope * L.slope + (S(moduli.mu) - S(moduli.lambda) * L.value) * (L.slope - L.change), S(0));
  }
};

}  // namespace knead
