// The logarithm of the volume ratio, continued below a small ratio so that a collapsed or inverted particle has a finite stress.
#pragma once
#include "base/inline.h"
#include "math/vec.h"

namespace knead {

// L(J) = log J for J >= J0. With r = J / J0: a parabola L = log J0 - 3/2 + 2 r - r^2/2 for 0 <= r <= 1, a straight line of slope
// 2 / J0 for r < 0. L grows with J everywhere; L, J L' and J (J L')', all that stress and stiffness consist of, are continuous.
template <class S> struct ContinuedLog {
  S value;   // L
  S slope;   // J L'(J); 1 where L is the logarithm
  S change;  // J d(J L')/dJ; 0 where L is the logarithm

  static constexpr double start = 0.01;  // J0

  explicit KNEAD_INLINE ContinuedLog(const S& J) {
    const S r = min(J * S(1 / start), S(1)), positive = max(r, S(0));
    value = log(max(J, S(start))) + (S(-1.5) + S(2) * r - S(0.5) * positive * positive);
    slope = r * (S(2) - positive);
    change = r * (S(2) - S(2) * positive);
  }
};

}  // namespace knead
