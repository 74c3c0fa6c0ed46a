// Viscoplastic flow of Herschel and Bulkley, in Hencky strain.
#pragma once
#include <cmath>

#include "base/parameters.h"
#include "materials/flow.h"
#include "materials/moduli.h"
#include "materials/rate_flow.h"
#include "math/vec.h"

namespace knead {

struct HerschelBulkley {
  static constexpr const char* name = "herschel_bulkley";
  static constexpr const char* text = "Foam, paste, mud: above the yield stress it flows like a shear-thinning or shear-thickening fluid.";
  static constexpr bool needs_hencky = true;
  static constexpr bool uses_plastic_strain = true;
  static constexpr bool uses_plastic_volume = false;
  double yield_stress = 0;  // uniaxial [Pa]
  double consistency = 0;   // k [Pa s^n]
  double power = 1;         // n [-]

  template <class Visitor> void describe(Visitor& visit) {
    visit("yield_stress", yield_stress,
          {.unit = "Pa",
           .minimum = 0,
           .required = true,
           .animatable = true,
           .text = "Stress in uniaxial tension at which the material yields."});
    visit("consistency", consistency,
          {.unit = "Pa s^n",
           .minimum = 0,
           .required = true,
           .animatable = true,
           .text = "k of tau = yield_stress / sqrt(3) + k rate^n in simple shear."});
    visit("power", power,
          {.minimum = 0.05,
           .maximum = 4,
           .animatable = true,
           .text = "n of the same law; below 1 it thins with the rate, above it thickens."});
  }

  // Trial strains to those at the end of the step: of the deviator's excess over the yield strain a part relaxes (RateFlow), volume is
  // kept. Nothing flows in no time: state.dt = 0 leaves every strain as it is.
  template <class S> KNEAD_INLINE Vec3<S> return_map(const Moduli& moduli, const Vec3<S>& eps, FlowState<S>& state) const {
    const Trial<S> trial(*this, moduli, eps, state);
    state.plastic_strain = state.plastic_strain + S(std::sqrt(2.0 / 3.0)) * trial.dgamma;
    const S keep = S(1) - trial.dgamma / max(trial.n, S(1e-30));
    return {trial.mean + trial.dev.x * keep, trial.mean + trial.dev.y * keep, trial.mean + trial.dev.z * keep};
  }
  // d H_i / d eps_j: 1 1^T/3 + keep (I - 1 1^T/3) - (dgamma' - dgamma/n) N N^T. From x + c x^n = 1 with c ~ e^(n-1) and dgamma = x e
  // follows dgamma' = x / (x + n (1 - x)).
  template <class S> KNEAD_INLINE Mat3<S> return_map_derivative(const Moduli& moduli, const Vec3<S>& eps, const FlowState<S>& state) const {
    const Trial<S> trial(*this, moduli, eps, state);
    const S third(1.0 / 3.0), inverse_n = S(1) / max(trial.n, S(1e-30)), flown = trial.dgamma * inverse_n, keep = S(1) - flown;
    const S slope = trial.part / max(trial.part + S(power) * (S(1) - trial.part), S(1e-30));
    const S radial = select(trial.dgamma > S(0), slope - flown, S(0));
    const Vec3<S> N = trial.dev * inverse_n;
    Mat3<S> D;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) D(i, j) = third + keep * (S(i == j ? 1 : 0) - third) - radial * N[i] * N[j];
    return D;
  }

  template <class S> KNEAD_INLINE S stiffness(const FlowState<S>&) const { return S(1); }

 private:
  template <class S> struct Trial {
    Vec3<S> dev;
    S mean, n, part, dgamma;
    KNEAD_INLINE Trial(const HerschelBulkley& law, const Moduli& moduli, const Vec3<S>& eps, const FlowState<S>& state) {
      mean = sum(eps) * S(1.0 / 3.0);
      dev = {eps.x - mean, eps.y - mean, eps.z - mean};
      n = sqrt(dot(dev, dev));
      const S yield_strain(min(std::sqrt(2.0 / 3.0) * law.yield_stress / max(2 * moduli.mu, 1e-300), 1e12));
      const S excess = max(n - yield_strain, S(0));
      part = RateFlow{law.consistency, law.power}.relaxed_part(excess, S(moduli.mu), state.dt);
      dgamma = min(part * excess, n);
    }
  };
};

}  // namespace knead
