// What a flow law knows of a particle beside its strain.
#pragma once
#include "math/vec.h"

namespace knead {

template <class S> struct FlowState {
  S plastic_strain{};  // equivalent plastic strain, sum of sqrt(2/3) |dev(eps - H)| over all returns [-]; 0 at the start
  S plastic_volume{};  // logarithm of a volume ratio: what sand has still to pay back, log J_P of snow; 0 at the start
  double dt = 0;       // not remembered, but told: the step in which the flow happens, for laws that depend on the rate [s]
};

// The return of a law that knows the trace and the size of the deviator only: a new trace, and the share of the deviator that is kept.
// Laws that have `radial_return` need no principal strains.
template <class S> struct RadialReturn { S trace, keep; };

// Equivalent strain sqrt(2/3) |dev e|: the axial strain of an isochoric uniaxial flow.
template <class S> KNEAD_INLINE S equivalent_strain(const Vec3<S>& e) {
  const S mean = sum(e) * S(1.0 / 3.0), x = e.x - mean, y = e.y - mean, z = e.z - mean;
  return S(0.81649658092772603) * sqrt(x * x + y * y + z * z);
}

}  // namespace knead
