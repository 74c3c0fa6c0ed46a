// Logarithm and exponential of symmetric matrices near the identity and near zero, as short polynomials: no eigenvalues, roots or
// divisions. For single precision; see docs/numerics.md for the error.
#pragma once
#include "math/vec.h"

namespace knead {

inline constexpr double near_identity = 0.125;  // |X| up to which log(I + X) is right to rounding

// a b of two functions of one matrix: they commute, so the product is symmetric.
template <class S> KNEAD_INLINE Sym3<S> commuting_product(const Sym3<S>& a, const Sym3<S>& b) {
  return {a.xx * b.xx + a.xy * b.xy + a.zx * b.zx, a.xy * b.xy + a.yy * b.yy + a.yz * b.yz, a.zx * b.zx + a.yz * b.yz + a.zz * b.zz,
          a.xx * b.xy + a.xy * b.yy + a.zx * b.yz, a.xy * b.zx + a.yy * b.yz + a.yz * b.zz, a.xx * b.zx + a.xy * b.yz + a.zx * b.zz};
}

// log(I + X) = X - X^2/2 + X^3 (I/3 - X/4 + X^2/5 - X^3/6), for |X| <= near_identity.
template <class S> KNEAD_INLINE Sym3<S> log_of_one_plus(const Sym3<S>& X) {
  const Sym3<S> X2 = commuting_product(X, X), X3 = commuting_product(X2, X);
  const Sym3<S> tail = isotropic(S(1.0 / 3.0)) - X * S(0.25) + X2 * S(0.2) - X3 * S(1.0 / 6.0);
  return X - X2 * S(0.5) + commuting_product(X3, tail);
}

// exp(D) - I = D + D^2 (I/2 + D/6 + D^2/24), for |D| <= near_identity / 2.
template <class S> KNEAD_INLINE Sym3<S> exp_minus_one(const Sym3<S>& D) {
  const Sym3<S> D2 = commuting_product(D, D);
  return D + commuting_product(D2, isotropic(S(0.5)) + D * S(1.0 / 6.0) + D2 * S(1.0 / 24.0));
}

}  // namespace knead
