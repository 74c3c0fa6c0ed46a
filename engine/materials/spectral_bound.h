// A bound on the largest eigenvalue of a symmetric matrix without computing eigenvalues.
#pragma once
#include "math/vec.h"

namespace knead {

// mean + sqrt(2/3) |deviator|: exact when the two smaller eigenvalues are equal. Eigenvalues of a traceless 3x3 matrix of norm n are
// at most sqrt(2/3) n. For a positive matrix the bound exceeds the largest eigenvalue by less than a third.
template <class S> KNEAD_INLINE S largest_eigenvalue_bound(const Sym3<S>& A) {
  return trace(A) * S(1.0 / 3.0) + S(0.81649658092772603) * sqrt(norm_squared(deviator(A)));
}

}  // namespace knead
