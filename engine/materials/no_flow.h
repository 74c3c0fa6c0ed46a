// No plasticity: every strain is elastic.
#pragma once
#include "materials/flow.h"
#include "materials/moduli.h"
#include "math/vec.h"

namespace knead {

struct NoFlow {
  static constexpr const char* name = "none";
  static constexpr const char* text = "No plasticity: the material always returns to its rest shape.";
  static constexpr bool needs_hencky = false;
  static constexpr bool uses_plastic_strain = false;
  static constexpr bool uses_plastic_volume = false;

  template <class Visitor> void describe(Visitor&) {}

  template <class S> KNEAD_INLINE Vec3<S> return_map(const Moduli&, const Vec3<S>& eps, FlowState<S>&) const { return eps; }
  template <class S> KNEAD_INLINE Mat3<S> return_map_derivative(const Moduli&, const Vec3<S>&, const FlowState<S>&) const {
    return Mat3<S>::identity();
  }
  template <class S> KNEAD_INLINE S stiffness(const FlowState<S>&) const { return S(1); }
};

}  // namespace knead
