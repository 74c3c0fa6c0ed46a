// Von Mises plasticity with linear isotropic hardening, in Hencky strain.
#pragma once
#include "base/parameters.h"
#include "materials/flow.h"
#include "materials/moduli.h"
#include "math/vec.h"

namespace knead {

struct VonMises {
  static constexpr const char* name = "von_mises";
  static constexpr const char* text = "Metal, clay, dough: yields when the shear stress reaches a limit, and keeps its volume.";
  static constexpr bool needs_hencky = true;
  static constexpr bool uses_plastic_volume = false;
  double yield_stress = 0;       // uniaxial [Pa]
  double hardening_modulus = 0;  // d sigma / d eps_p, uniaxial [Pa]

  template <class Visitor>
  void describe(Visitor& visit) {
    visit("yield_stress", yield_stress, {.unit = "Pa", .above = 0, .required = true, .animatable = true, .text = "Stress in uniaxial tension at which the material yields."});
    visit("hardening_modulus", hardening_modulus, {.unit = "Pa", .minimum = 0, .animatable = true, .text = "Slope of the yield stress over the plastic strain."});
  }

  // Trial strains to admissible ones: eps - dgamma N with dgamma = (2 mu n - tau_Y) / (2 mu + h), where |dev tau| <= tau_Y =
  // sqrt(2/3) (sigma_Y + H' eps_p) and h = 2/3 H'. The plastic strain grows by sqrt(2/3) dgamma.
  template <class S>
  KNEAD_INLINE Vec3<S> return_map(const Moduli& moduli, const Vec3<S>& eps, FlowState<S>& state) const {
    const S mean = sum(eps) * S(1.0 / 3.0);
    const Vec3<S> dev{eps.x - mean, eps.y - mean, eps.z - mean};
    const S n = sqrt(dot(dev, dev));
    const S tau_Y = S(std::sqrt(2.0 / 3.0)) * (S(yield_stress) + S(hardening_modulus) * state.plastic_strain);
    const S excess = max(S(2 * moduli.mu) * n - tau_Y, S(0));
    const S dgamma = min(excess * S(1 / (2 * moduli.mu + 2.0 / 3.0 * hardening_modulus)), n);
    state.plastic_strain = state.plastic_strain + S(std::sqrt(2.0 / 3.0)) * dgamma;
    const S keep = S(1) - dgamma / max(n, S(1e-30));
    return {mean + dev.x * keep, mean + dev.y * keep, mean + dev.z * keep};
  }
  // d H_i / d eps_j of the map above.
  template <class S>
  KNEAD_INLINE Mat3<S> return_map_derivative(const Moduli& moduli, const Vec3<S>& eps, const FlowState<S>& state) const;

  // Factor on the elastic moduli of the hardened material.
  template <class S>
  KNEAD_INLINE S stiffness(const FlowState<S>&) const { return S(1); }
};

}  // namespace knead
