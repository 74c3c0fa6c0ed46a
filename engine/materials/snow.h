// Snow: stretches are limited, and compaction hardens.
#pragma once
#include "base/parameters.h"
#include "materials/flow.h"
#include "materials/hoisted.h"
#include "materials/moduli.h"
#include "math/vec.h"

namespace knead {

struct Snow {
  static constexpr const char* name = "snow";
  static constexpr const char* text = "Snow: breaks beyond a small stretch, packs beyond a small compression and hardens as it packs.";
  static constexpr bool needs_hencky = false;
  static constexpr bool uses_plastic_strain = true;
  static constexpr bool uses_plastic_volume = true;  // log J_P
  double critical_compression = 0.025;               // theta_c [-]
  double critical_stretch = 0.0075;                  // theta_s [-]
  double hardening = 10;                             // xi [-]

  template <class Visitor> void describe(Visitor& visit) {
    visit("critical_compression", critical_compression,
          {.minimum = 0, .maximum = 0.99, .animatable = true, .text = "Compression of a stretch beyond which snow packs."});
    visit("critical_stretch", critical_stretch,
          {.minimum = 0, .maximum = 10, .animatable = true, .text = "Extension of a stretch beyond which snow breaks."});
    visit("hardening", hardening,
          {.minimum = 0, .animatable = true, .text = "Growth of the moduli with packing: exp(hardening (1 - J_P)), at most exp(4)."});
  }

  // Each stretch is clamped to [1 - theta_c, 1 + theta_s]; what is cut off goes to the plastic part, whose volume is J_P.
  template <class S> KNEAD_INLINE Vec3<S> return_map(const Moduli&, const Vec3<S>& eps, FlowState<S>& state) const {
    const Vec3<S> H{clamped(eps.x), clamped(eps.y), clamped(eps.z)}, flow = eps - H;
    const S volume = sum(flow);
    state.plastic_volume = state.plastic_volume + volume;
    state.plastic_strain = state.plastic_strain + equivalent_strain(flow);
    return H;
  }
  template <class S> KNEAD_INLINE Mat3<S> return_map_derivative(const Moduli&, const Vec3<S>& eps, const FlowState<S>&) const {
    return Mat3<S>::diagonal({inside(eps.x), inside(eps.y), inside(eps.z)});
  }
  // exp(xi (1 - J_P)), the exponent held within [-4, 4]: beyond that a packed particle would dictate the time step of all.
  template <class S> KNEAD_INLINE S stiffness(const FlowState<S>& state) const {
    const S J_P = exp(min(max(state.plastic_volume, S(-20)), S(20)));
    return exp(min(max(S(hardening) * (S(1) - J_P), S(-4)), S(4)));
  }
  // d log stiffness / d log J_P
  template <class S> KNEAD_INLINE S stiffness_slope(const FlowState<S>& state) const {
    const S J_P = exp(min(max(state.plastic_volume, S(-20)), S(20))), exponent = S(hardening) * (S(1) - J_P);
    return select(abs(exponent) < S(4), S(-hardening) * J_P, S(0));
  }

 private:
  template <class S> KNEAD_INLINE S clamped(const S& e) const {
    return min(max(e, S(natural_logarithm(1 - critical_compression))), S(natural_logarithm(1 + critical_stretch)));
  }
  template <class S> KNEAD_INLINE S inside(const S& e) const {
    const S not_below = select(e < S(natural_logarithm(1 - critical_compression)), S(0), S(1));
    return select(e > S(natural_logarithm(1 + critical_stretch)), S(0), not_below);
  }
};

}  // namespace knead
