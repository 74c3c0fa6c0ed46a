// Fixed corotated elasticity.
#pragma once
#include "base/parameters.h"
#include "materials/moduli.h"
#include "math/vec.h"

namespace knead {

struct FixedCorotated {
  static constexpr const char* name = "fixed_corotated";
  static constexpr const char* text = "Linear elasticity in a rotated frame; soft bodies and snow. Finite at collapse and inversion.";
  static constexpr bool is_fluid = false;
  Moduli moduli;

  template <class Visitor> void describe(Visitor& visit) { visit.moduli(moduli); }

  // Psi = mu |sigma - 1|^2 + lambda/2 (J - 1)^2 [Pa]; a polynomial, so collapse and inversion need no special care.
  template <class S> KNEAD_INLINE S energy(const Vec3<S>& sigma) const {
    const S x = sigma.x - S(1), y = sigma.y - S(1), z = sigma.z - S(1), v = sigma.x * sigma.y * sigma.z - S(1);
    return S(moduli.mu) * (x * x + y * y + z * z) + S(0.5 * moduli.lambda) * v * v;
  }
  // tau_i = 2 mu (sigma_i - 1) sigma_i + lambda (J - 1) J [Pa]
  template <class S> KNEAD_INLINE Vec3<S> kirchhoff(const Vec3<S>& sigma) const {
    const S two_mu(2 * moduli.mu), J = sigma.x * sigma.y * sigma.z, volumetric = S(moduli.lambda) * (J - S(1)) * J;
    return {two_mu * (sigma.x - S(1)) * sigma.x + volumetric, two_mu * (sigma.y - S(1)) * sigma.y + volumetric,
            two_mu * (sigma.z - S(1)) * sigma.z + volumetric};
  }
  // sigma_j d tau_i / d sigma_j = 2 mu (2 sigma_i - 1) sigma_i delta_ij + lambda (2 J - 1) J [Pa]
  template <class S> KNEAD_INLINE Mat3<S> kirchhoff_derivative(const Vec3<S>& sigma) const {
    const S two_mu(2 * moduli.mu), J = sigma.x * sigma.y * sigma.z, volumetric = S(moduli.lambda) * (S(2) * J - S(1)) * J;
    Mat3<S> D;
    for (int i = 0; i < 9; ++i) D.m[i] = volumetric;
    for (int i = 0; i < 3; ++i) D(i, i) = volumetric + two_mu * (S(2) * sigma[i] - S(1)) * sigma[i];
    return D;
  }
  // 2 mu max sigma^2 + lambda J^2 [Pa]. Transverse waves, 2 mu sigma_i^2 (1 - 1/(sigma_i + sigma_j)), are slower.
  template <class S> KNEAD_INLINE S wave_modulus(const Vec3<S>& sigma) const {
    const S J = sigma.x * sigma.y * sigma.z, widest = max(sigma.x * sigma.x, max(sigma.y * sigma.y, sigma.z * sigma.z));
    return S(2 * moduli.mu) * widest + S(moduli.lambda > 0 ? moduli.lambda : 0.0) * J * J;
  }
};

}  // namespace knead
