// Powers of two near a magnitude: scaling by them is exact, so that decompositions may square and cube entries of any size.
#pragma once
#include <cstring>

#include "math/vec.h"
#include "math/wide.h"

namespace knead {

template <class S> struct ScalarOf { using Type = S; };
template <class T> struct ScalarOf<Wide<T>> { using Type = T; };
template <class S> inline constexpr bool is_single = std::is_same_v<typename ScalarOf<S>::Type, float>;

// factor = 2^k and inverse = 2^-k with factor <= magnitude < 2 factor; both stay normal at the ends of the range and for 0.
template <class S> struct BinaryScale { S factor, inverse; };

template <class T> KNEAD_INLINE BinaryScale<Wide<T>> binary_scale(Wide<T> magnitude) {
  using Traits = WideTraits<T>;
  constexpr auto exponent_mask = ~((typename Traits::Int(1) << Traits::mantissa_bits) - 1);
  constexpr double largest = sizeof(T) == 4 ? 0x1p126 : 0x1p1022;
  const auto bits = as_bits(min(max(magnitude, Wide<T>(1 / largest)), Wide<T>(largest))) & exponent_mask;
  return {from_bits<T>(bits), from_bits<T>(2 * Traits::one_bits - bits)};
}
template <PlainScalar T> KNEAD_INLINE BinaryScale<T> binary_scale(T magnitude) {
  using Traits = WideTraits<T>;
  using Int = typename Traits::Int;
  constexpr double largest = sizeof(T) == 4 ? 0x1p126 : 0x1p1022;
  const T clamped = min(max(magnitude, T(1 / largest)), T(largest));
  Int bits;
  std::memcpy(&bits, &clamped, sizeof bits);
  bits &= ~((Int(1) << Traits::mantissa_bits) - 1);
  const Int inverse_bits = 2 * Traits::one_bits - bits;
  BinaryScale<T> scale;
  std::memcpy(&scale.factor, &bits, sizeof bits);
  std::memcpy(&scale.inverse, &inverse_bits, sizeof bits);
  return scale;
}

template <class S> KNEAD_INLINE S largest_entry(const Mat3<S>& A) {
  S r = abs(A.m[0]);
  for (int i = 1; i < 9; ++i) r = max(r, abs(A.m[i]));
  return r;
}
template <class S> KNEAD_INLINE S largest_entry(const Sym3<S>& A) {
  return max(max(max(abs(A.xx), abs(A.yy)), max(abs(A.zz), abs(A.xy))), max(abs(A.yz), abs(A.zx)));
}

}  // namespace knead
