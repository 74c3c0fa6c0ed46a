// Wide<T>: as many T as one register holds, used as a scalar type in templates. The instruction set of the translation unit
// sets the width, and an inline namespace keeps the code of different sets apart in one binary.
#pragma once
#include <cstdint>
#include <cstring>

#include "base/inline.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define KNEAD_ISA avx512
#define KNEAD_WIDE_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#define KNEAD_ISA avx2
#define KNEAD_WIDE_BYTES 32
#else
#define KNEAD_ISA baseline
#define KNEAD_WIDE_BYTES 16
#endif

namespace knead {
inline namespace KNEAD_ISA {

template <class T> struct WideTraits;
template <> struct WideTraits<float> {
  using Int = std::int32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr float round_magic = 0x1.8p23f;  // adding it rounds to an integer held in the low mantissa bits
  static constexpr Int one_bits = 0x3f800000, sqrt_half_bits = 0x3f3504f3;
  static constexpr float exp_limit = 87.0f;
  static constexpr int exp_terms = 7;
};
template <> struct WideTraits<double> {
  using Int = std::int64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr double round_magic = 0x1.8p52;
  static constexpr Int one_bits = 0x3ff0000000000000, sqrt_half_bits = 0x3fe6a09e667f3bcd;
  static constexpr double exp_limit = 708.0;
  static constexpr int exp_terms = 13, log_terms = 11;
};

template <class T> struct WideMask {
  using Int = typename WideTraits<T>::Int;
  typedef Int Vector __attribute__((vector_size(KNEAD_WIDE_BYTES)));
  Vector v;
};

template <class T> struct Wide {
  static constexpr int lanes = KNEAD_WIDE_BYTES / sizeof(T);
  using Scalar = T;
  typedef T Vector __attribute__((vector_size(KNEAD_WIDE_BYTES)));
  Vector v;

  KNEAD_INLINE Wide() : v{} {}
  KNEAD_INLINE Wide(Vector vector) : v(vector) {}
  KNEAD_INLINE explicit Wide(double s) : v(Vector{} + static_cast<T>(s)) {}
  KNEAD_INLINE explicit Wide(float s) : v(Vector{} + static_cast<T>(s)) {}
  KNEAD_INLINE explicit Wide(int s) : v(Vector{} + static_cast<T>(s)) {}
  static KNEAD_INLINE Wide load(const T* p) {
    Wide r;
    std::memcpy(&r.v, p, sizeof r.v);
    return r;
  }
  // The first `count` lanes from memory and `fill` in the others; all from memory if count is larger.
  static KNEAD_INLINE Wide load(const T* p, int count, T fill) {
    if (count >= lanes) [[likely]]
      return load(p);
    Wide r(fill);
    std::memcpy(&r.v, p, static_cast<std::size_t>(count) * sizeof(T));
    return r;
  }
  KNEAD_INLINE void store(T* p) const { std::memcpy(p, &v, sizeof v); }
  // The first `count` lanes only; all of them if count is larger.
  KNEAD_INLINE void store(T* p, int count) const {
    if (count >= lanes) store(p);
    else
      for (int i = 0; i < count; ++i) p[i] = v[i];
  }
  KNEAD_INLINE T operator[](int lane) const { return v[lane]; }
};

template <class T> KNEAD_INLINE Wide<T> operator+(Wide<T> a, Wide<T> b) { return a.v + b.v; }
template <class T> KNEAD_INLINE Wide<T> operator-(Wide<T> a, Wide<T> b) { return a.v - b.v; }
template <class T> KNEAD_INLINE Wide<T> operator*(Wide<T> a, Wide<T> b) { return a.v * b.v; }
template <class T> KNEAD_INLINE Wide<T> operator/(Wide<T> a, Wide<T> b) { return a.v / b.v; }
template <class T> KNEAD_INLINE Wide<T> operator-(Wide<T> a) { return -a.v; }
template <class T> KNEAD_INLINE Wide<T>& operator+=(Wide<T>& a, Wide<T> b) { return a = a + b; }
template <class T> KNEAD_INLINE Wide<T>& operator-=(Wide<T>& a, Wide<T> b) { return a = a - b; }
template <class T> KNEAD_INLINE Wide<T>& operator*=(Wide<T>& a, Wide<T> b) { return a = a * b; }
template <class T> KNEAD_INLINE WideMask<T> operator<(Wide<T> a, Wide<T> b) { return {a.v < b.v}; }
template <class T> KNEAD_INLINE WideMask<T> operator>(Wide<T> a, Wide<T> b) { return {a.v > b.v}; }
template <class T> KNEAD_INLINE WideMask<T> operator<=(Wide<T> a, Wide<T> b) { return {a.v <= b.v}; }
template <class T> KNEAD_INLINE WideMask<T> operator>=(Wide<T> a, Wide<T> b) { return {a.v >= b.v}; }
template <class T> KNEAD_INLINE WideMask<T> operator==(Wide<T> a, Wide<T> b) { return {a.v == b.v}; }
template <class T> KNEAD_INLINE WideMask<T> operator&&(WideMask<T> a, WideMask<T> b) { return {a.v & b.v}; }
template <class T> KNEAD_INLINE WideMask<T> operator||(WideMask<T> a, WideMask<T> b) { return {a.v | b.v}; }
template <class T> KNEAD_INLINE WideMask<T> operator!(WideMask<T> a) { return {~a.v}; }

template <class T> KNEAD_INLINE Wide<T> select(WideMask<T> mask, Wide<T> a, Wide<T> b) { return mask.v ? a.v : b.v; }
// a < b ? a : b and a > b ? a : b, also for NaN and signed zeros: what the one instruction does, for which compilers take two.
#if KNEAD_WIDE_BYTES == 64
KNEAD_INLINE Wide<float> min(Wide<float> a, Wide<float> b) { return Wide<float>::Vector(_mm512_maskz_min_ps(-1, a.v, b.v)); }
KNEAD_INLINE Wide<float> max(Wide<float> a, Wide<float> b) { return Wide<float>::Vector(_mm512_maskz_max_ps(-1, a.v, b.v)); }
KNEAD_INLINE Wide<double> min(Wide<double> a, Wide<double> b) { return Wide<double>::Vector(_mm512_maskz_min_pd(-1, a.v, b.v)); }
KNEAD_INLINE Wide<double> max(Wide<double> a, Wide<double> b) { return Wide<double>::Vector(_mm512_maskz_max_pd(-1, a.v, b.v)); }
#elif KNEAD_WIDE_BYTES == 32
KNEAD_INLINE Wide<float> min(Wide<float> a, Wide<float> b) { return Wide<float>::Vector(_mm256_min_ps(a.v, b.v)); }
KNEAD_INLINE Wide<float> max(Wide<float> a, Wide<float> b) { return Wide<float>::Vector(_mm256_max_ps(a.v, b.v)); }
KNEAD_INLINE Wide<double> min(Wide<double> a, Wide<double> b) { return Wide<double>::Vector(_mm256_min_pd(a.v, b.v)); }
KNEAD_INLINE Wide<double> max(Wide<double> a, Wide<double> b) { return Wide<double>::Vector(_mm256_max_pd(a.v, b.v)); }
#else
template <class T> KNEAD_INLINE Wide<T> min(Wide<T> a, Wide<T> b) { return a.v < b.v ? a.v : b.v; }
template <class T> KNEAD_INLINE Wide<T> max(Wide<T> a, Wide<T> b) { return a.v > b.v ? a.v : b.v; }
#endif
template <class T> KNEAD_INLINE Wide<T> abs(Wide<T> a) { return max(a, -a); }

template <class T> KNEAD_INLINE bool any(WideMask<T> mask) {
#if KNEAD_WIDE_BYTES == 64
  return _mm512_movepi32_mask((__m512i)mask.v) != 0;
#elif KNEAD_WIDE_BYTES == 32
  return _mm256_movemask_epi8((__m256i)mask.v) != 0;
#elif defined(__SSE2__)
  return _mm_movemask_epi8((__m128i)mask.v) != 0;
#else
  typename WideTraits<T>::Int r = 0;
  for (int i = 0; i < Wide<T>::lanes; ++i) r |= mask.v[i];
  return r != 0;
#endif
}
template <class T> KNEAD_INLINE bool all(WideMask<T> mask) { return !any(!mask); }

KNEAD_INLINE Wide<float> sqrt(Wide<float> a) {
#if KNEAD_WIDE_BYTES == 64
  return Wide<float>::Vector(_mm512_maskz_sqrt_ps(-1, a.v));  // g++ 12 warns of the unmasked one, wrongly
#elif KNEAD_WIDE_BYTES == 32
  return Wide<float>::Vector(_mm256_sqrt_ps(a.v));
#elif defined(__SSE2__)
  return Wide<float>::Vector(_mm_sqrt_ps(a.v));
#else
  for (int i = 0; i < Wide<float>::lanes; ++i) a.v[i] = __builtin_sqrtf(a.v[i]);
  return a;
#endif
}
KNEAD_INLINE Wide<double> sqrt(Wide<double> a) {
#if KNEAD_WIDE_BYTES == 64
  return Wide<double>::Vector(_mm512_maskz_sqrt_pd(-1, a.v));
#elif KNEAD_WIDE_BYTES == 32
  return Wide<double>::Vector(_mm256_sqrt_pd(a.v));
#elif defined(__SSE2__)
  return Wide<double>::Vector(_mm_sqrt_pd(a.v));
#else
  for (int i = 0; i < Wide<double>::lanes; ++i) a.v[i] = __builtin_sqrt(a.v[i]);
  return a;
#endif
}
template <class T> KNEAD_INLINE Wide<T> rsqrt(Wide<T> a) { return Wide<T>(1.0) / sqrt(a); }

template <class T> KNEAD_INLINE typename WideMask<T>::Vector as_bits(Wide<T> a) {
  typename WideMask<T>::Vector r;
  std::memcpy(&r, &a.v, sizeof r);
  return r;
}
template <class T> KNEAD_INLINE Wide<T> from_bits(typename WideMask<T>::Vector bits) {
  Wide<T> r;
  std::memcpy(&r.v, &bits, sizeof bits);
  return r;
}

// Nearest integer, for |a| < 2^22 (float) or 2^51 (double).
template <class T> KNEAD_INLINE Wide<T> round(Wide<T> a) {
  const Wide<T> magic(WideTraits<T>::round_magic);
  return (a + magic) - magic;
}
template <class T> KNEAD_INLINE Wide<T> floor(Wide<T> a) {
  const Wide<T> r = round(a);
  return select(r > a, r - Wide<T>(1.0), r);
}

// exp: 2^n e^r with |r| <= ln 2 / 2, Taylor series of e^r (truncation below rounding).
template <class T> KNEAD_INLINE Wide<T> exp(Wide<T> a) {
  using Traits = WideTraits<T>;
  using W = Wide<T>;
  const W x = min(max(a, W(-Traits::exp_limit)), W(Traits::exp_limit));
  const W magic(Traits::round_magic);
  const W shifted = x * W(1.4426950408889634) + magic;
  const W n = shifted - magic;
  const double ln2_high = sizeof(T) == 4 ? 0x1.62e4p-1 : 0x1.62e42fee00000p-1;  // few bits, so that n * ln2_high is exact
  const double ln2_low = sizeof(T) == 4 ? 1.4286068203094172e-06 : 1.9082149292705877e-10;
  const W r = (x - n * W(ln2_high)) - n * W(ln2_low);
  double inverse_factorial = 1;
  for (int k = 2; k <= Traits::exp_terms; ++k) inverse_factorial /= k;
  W p(inverse_factorial);
  for (int k = Traits::exp_terms; k >= 1; --k) {
    inverse_factorial *= k;
    p = p * r + W(inverse_factorial);
  }
  const auto scale = (as_bits(shifted) << Traits::mantissa_bits) + Traits::one_bits;
  return p * from_bits<T>(scale);
}

// log: exponent and log m with m in [sqrt(1/2), sqrt 2), as 2 atanh((m - 1) / (m + 1)) in double. Arguments must be positive and normal.
template <class T> KNEAD_INLINE Wide<T> log(Wide<T> a) {
  using Traits = WideTraits<T>;
  using W = Wide<T>;
  const auto bits = as_bits(a);
  const auto exponent = (bits - Traits::sqrt_half_bits) >> Traits::mantissa_bits;
  const W m = from_bits<T>(bits - (exponent << Traits::mantissa_bits));
  const W magic(Traits::round_magic);
  const W e = from_bits<T>(as_bits(magic) + exponent) - magic;
  const W f = m - W(1.0);
  const double ln2_high = sizeof(T) == 4 ? 0x1.62e4p-1 : 0x1.62e42fee00000p-1;
  const double ln2_low = sizeof(T) == 4 ? 1.4286068203094172e-06 : 1.9082149292705877e-10;
  if constexpr (sizeof(T) == 4) {
    // (log(1 + f) - f + f^2/2) / f^3 within 6e-9 of f: a polynomial costs less than the division
    constexpr double q[8] = {0.3333331673, -0.2500080903, 0.2000228579, -0.1662459525,
                             0.1418121811, -0.1312841700, 0.1288137959, -0.07860141437};
    W p(q[7]);
    for (int k = 6; k >= 0; --k) p = p * f + W(q[k]);
    const W f2 = f * f;
    return e * W(ln2_high) + (f + (e * W(ln2_low) + f2 * (p * f - W(0.5))));
  } else {
    const W s = f / (m + W(1.0)), s2 = s * s;
    W p(2.0 / (2 * Traits::log_terms + 1));
    for (int k = Traits::log_terms - 1; k >= 1; --k) p = p * s2 + W(2.0 / (2 * k + 1));
    return e * W(ln2_high) + (e * W(ln2_low) + (s * s2 * p + s * W(2.0)));
  }
}

}  // namespace KNEAD_ISA
}  // namespace knead
