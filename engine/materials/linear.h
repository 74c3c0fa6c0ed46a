// Linear elasticity in a rotated frame.
#pragma once
#include "base/parameters.h"
#include "materials/moduli.h"
#include "math/vec.h"

namespace knead {

struct Linear {
  static constexpr const char* name = "linear";
  static constexpr const char* text = "Corotated linear elasticity: small strains, any rotation.";
  static constexpr bool is_fluid = false;
  Moduli moduli;

  template <class Visitor> void describe(Visitor& visit) { visit.moduli(moduli, true); }

  // Psi = mu |sigma - 1|^2 + lambda/2 (sum sigma - 3)^2 [Pa]
  template <class S> KNEAD_INLINE S energy(const Vec3<S>& sigma) const {
    const Vec3<S> e = strain(sigma);
    const S tr = sum(e);
    return S(moduli.mu) * dot(e, e) + S(0.5 * moduli.lambda) * tr * tr;
  }
  // tau_i = sigma_i (2 mu e_i + lambda tr e), e = sigma - 1 [Pa]
  template <class S> KNEAD_INLINE Vec3<S> kirchhoff(const Vec3<S>& sigma) const {
    const Vec3<S> e = strain(sigma);
    const S two_mu(2 * moduli.mu), v = S(moduli.lambda) * sum(e);
    return {sigma.x * (two_mu * e.x + v), sigma.y * (two_mu * e.y + v), sigma.z * (two_mu * e.z + v)};
  }
  // sigma_j d tau_i / d sigma_j = tau_i delta_ij + sigma_i (2 mu delta_ij + lambda) sigma_j [Pa]
  template <class S> KNEAD_INLINE Mat3<S> kirchhoff_derivative(const Vec3<S>& sigma) const {
    const Vec3<S> tau = kirchhoff(sigma);
    Mat3<S> D = outer(sigma, sigma) * S(moduli.lambda);
    for (int i = 0; i < 3; ++i) D(i, i) = D(i, i) + tau[i] + S(2 * moduli.mu) * sigma[i] * sigma[i];
    return D;
  }
  // Longitudinal waves, (lambda + 2 mu) max sigma^2, and transverse ones, sigma_i^2 (2 mu + (lambda tr e - 2 mu) / (sigma_i + sigma_j)),
  // which are the faster ones in strong expansion [Pa]
  template <class S> KNEAD_INLINE S wave_modulus(const Vec3<S>& sigma) const {
    const S tension = max(S(moduli.lambda) * sum(strain(sigma)) - S(2 * moduli.mu), S(0));
    S fastest(0);
    for (int i = 0; i < 3; ++i) {
      const S squared = sigma[i] * sigma[i], next = sigma[(i + 1) % 3], previous = sigma[(i + 2) % 3];
      const S least = max(min(abs(sigma[i] + next), abs(sigma[i] + previous)), S(1e-3));
      fastest = max(fastest, squared * max(S(moduli.p_wave()), S(2 * moduli.mu) + tension / least));
    }
    return fastest;
  }

 private:
  template <class S> static KNEAD_INLINE Vec3<S> strain(const Vec3<S>& sigma) { return {sigma.x - S(1), sigma.y - S(1), sigma.z - S(1)}; }
};

}  // namespace knead
