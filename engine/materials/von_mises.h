// Von Mises plasticity with linear isotropic hardening, in Hencky strain.
#pragma once
#include <cmath>

#include "base/parameters.h"
#include "materials/flow.h"
#include "materials/moduli.h"
#include "math/vec.h"

namespace knead {

struct VonMises {
  static constexpr const char* name = "von_mises";
  static constexpr const char* text = "Metal, clay, dough: yields when the shear stress reaches a limit, and keeps its volume.";
  static constexpr bool needs_hencky = true;
  static constexpr bool uses_plastic_strain = true;
  static constexpr bool uses_plastic_volume = false;
  double yield_stress = 0;       // uniaxial [Pa]
  double hardening_modulus = 0;  // d sigma / d eps_p, uniaxial [Pa]

  template <class Visitor> void describe(Visitor& visit) {
    visit("yield_stress", yield_stress,
          {.unit = "Pa",
           .above = 0,
           .required = true,
           .animatable = true,
           .text = "Stress in uniaxial tension at which the material yields."});
    visit("hardening_modulus", hardening_modulus,
          {.unit = "Pa", .minimum = 0, .animatable = true, .text = "Slope of the yield stress over the plastic strain."});
  }

  // Trial strains to admissible ones: eps - dgamma N with dgamma = (2 mu n - tau_Y) / (2 mu + h), where |dev tau| <= tau_Y =
  // sqrt(2/3) (sigma_Y + H' eps_p) and h = 2/3 H'. The plastic strain grows by sqrt(2/3) dgamma.
  template <class S> KNEAD_INLINE Vec3<S> return_map(const Moduli& moduli, const Vec3<S>& eps, FlowState<S>& state) const {
    const S tr = sum(eps), mean = tr * S(1.0 / 3.0);
    const Vec3<S> dev{eps.x - mean, eps.y - mean, eps.z - mean};
    const S keep = radial_return(moduli, tr, sqrt(dot(dev, dev)), state).keep;
    return {mean + dev.x * keep, mean + dev.y * keep, mean + dev.z * keep};
  }
  // The same from the trace of the strain and the norm n of its deviator.
  template <class S> KNEAD_INLINE RadialReturn<S> radial_return(const Moduli& moduli, const S& tr, const S& n, FlowState<S>& state) const {
    const Trial<S> trial(*this, moduli, n, state);
    state.plastic_strain = state.plastic_strain + S(std::sqrt(2.0 / 3.0)) * trial.dgamma;
    return {tr, S(1) - trial.dgamma / max(n, S(1e-30))};
  }
  // d H_i / d eps_j of the map above: 1 1^T/3 + keep (I - 1 1^T/3) - tau_Y / (n (2 mu + h)) N N^T, the last term when it yields.
  template <class S> KNEAD_INLINE Mat3<S> return_map_derivative(const Moduli& moduli, const Vec3<S>& eps, const FlowState<S>& state) const {
    const S third(1.0 / 3.0), mean = sum(eps) * third;
    const Vec3<S> dev{eps.x - mean, eps.y - mean, eps.z - mean};
    const S n = sqrt(dot(dev, dev));
    const Trial<S> trial(*this, moduli, n, state);
    const S inverse_n = S(1) / max(n, S(1e-30)), keep = S(1) - trial.dgamma * inverse_n;
    const S radial = select(trial.dgamma > S(0), trial.tau_Y * S(softness(moduli)) * inverse_n, S(0));
    const Vec3<S> N = dev * inverse_n;
    Mat3<S> D;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) D(i, j) = third + keep * (S(i == j ? 1 : 0) - third) - radial * N[i] * N[j];
    return D;
  }

  // Factor on the elastic moduli of the hardened material.
  template <class S> KNEAD_INLINE S stiffness(const FlowState<S>&) const { return S(1); }

 private:
  // 1 / (2 mu + h) [1/Pa]; finite also without moduli, when nothing yields.
  KNEAD_INLINE double softness(const Moduli& moduli) const { return 1 / max(2 * moduli.mu + 2.0 / 3.0 * hardening_modulus, 1e-30); }

  template <class S> struct Trial {
    S tau_Y, dgamma;
    KNEAD_INLINE Trial(const VonMises& law, const Moduli& moduli, const S& n, const FlowState<S>& state) {
      tau_Y = S(std::sqrt(2.0 / 3.0)) * (S(law.yield_stress) + S(law.hardening_modulus) * state.plastic_strain);
      const S excess = max(S(2 * moduli.mu) * n - tau_Y, S(0));
      dgamma = min(excess * S(law.softness(moduli)), n);
    }
  };
};

}  // namespace knead
