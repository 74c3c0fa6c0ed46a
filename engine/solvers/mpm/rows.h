// Rows of grid nodes in registers, and the way between one register per component and one node per particle.
#pragma once
#include <cstring>

#include "math/wide.h"

namespace knead {
inline namespace KNEAD_ISA {

// One node: three components and the mass.
template <class T> struct NodeVector { typedef T Type __attribute__((vector_size(4 * sizeof(T)))); };

// Compilers build a wide vector out of a narrow one through memory, which stalls on the store just made; these do not.
#if KNEAD_WIDE_BYTES == 64
KNEAD_INLINE __m512 repeat_node(const float* p) { return _mm512_broadcast_f32x4(_mm_loadu_ps(p)); }
KNEAD_INLINE __m512d repeat_node(const double* p) { return _mm512_broadcast_f64x4(_mm256_loadu_pd(p)); }
KNEAD_INLINE __m512 spread_node(const float* p) {
  return _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3), _mm512_castps128_ps512(_mm_loadu_ps(p)));
}
template <int first> KNEAD_INLINE __m512d spread_pair(const double* p) {
  return _mm512_permutexvar_pd(_mm512_setr_epi64(first, first, first, first, first + 1, first + 1, first + 1, first + 1),
                               _mm512_castpd256_pd512(_mm256_loadu_pd(p)));
}
KNEAD_INLINE __m512d combine(__m256d a, __m256d b) { return _mm512_insertf64x4(_mm512_castpd256_pd512(a), b, 1); }
KNEAD_INLINE __m512 combine(__m128 a, __m128 b, __m128 c, __m128 d) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_set_m128(b, a)), _mm256_set_m128(d, c), 1);
}
#elif KNEAD_WIDE_BYTES == 32
KNEAD_INLINE __m256 repeat_node(const float* p) { return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(p)); }
template <int first> KNEAD_INLINE __m256 spread_pair(const float* p) {
  return _mm256_permutevar8x32_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)),
                                  _mm256_setr_epi32(first, first, first, first, first + 1, first + 1, first + 1, first + 1));
}
KNEAD_INLINE __m256 combine(__m128 a, __m128 b) { return _mm256_set_m128(b, a); }
#endif

// Four nodes along z, in as few registers as the instruction set allows.
template <class T> struct Row {
  static constexpr int bytes = 4 * int(sizeof(T)) > KNEAD_WIDE_BYTES ? 4 * int(sizeof(T)) : KNEAD_WIDE_BYTES;
  static constexpr int lanes = bytes / int(sizeof(T)), vectors = 16 / lanes, nodes = lanes / 4;
  typedef T Vector __attribute__((vector_size(bytes)));
  Vector v[vectors];

  static KNEAD_INLINE Row load(const T* p) {
    Row r;
    std::memcpy(r.v, p, sizeof r.v);
    return r;
  }
  KNEAD_INLINE void store(T* p) const { std::memcpy(p, v, sizeof v); }
  static KNEAD_INLINE Row zero() {
    Row r;
    for (int i = 0; i < vectors; ++i) r.v[i] = Vector{};
    return r;
  }
  // The same four numbers at every node.
  static KNEAD_INLINE Row repeat(const T* p) {
    Vector all;
    if constexpr (nodes == 1) std::memcpy(&all, p, sizeof all);
    else all = repeat_node(p);
    Row r;
    for (int i = 0; i < vectors; ++i) r.v[i] = all;
    return r;
  }
  // Number k of four at every component of node k.
  static KNEAD_INLINE Row spread(const T* p) {
    Row r;
    if constexpr (nodes == 1) {
      for (int i = 0; i < 4; ++i) r.v[i] = Vector{} + p[i];
    } else if constexpr (nodes == 2) {
      r.v[0] = spread_pair<0>(p), r.v[1] = spread_pair<2>(p);
    } else {
      r.v[0] = spread_node(p);
    }
    return r;
  }
  // Sum over the nodes.
  KNEAD_INLINE void store_sum(T* p) const {
    typename NodeVector<T>::Type n;
    if constexpr (nodes == 1) {
      n = v[0] + v[1] + v[2];
    } else if constexpr (nodes == 2) {
      const Vector t = v[0] + v[1];
      n = __builtin_shufflevector(t, t, 0, 1, 2, 3) + __builtin_shufflevector(t, t, 4, 5, 6, 7);
    } else {
      typedef T Half __attribute__((vector_size(8 * sizeof(T))));
      const Half t =
          __builtin_shufflevector(v[0], v[0], 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(v[0], v[0], 8, 9, 10, 11, 12, 13, 14, 15);
      n = __builtin_shufflevector(t, t, 0, 1, 2, 3) + __builtin_shufflevector(t, t, 4, 5, 6, 7);
    }
    std::memcpy(p, &n, sizeof n);
  }
};
template <class T> KNEAD_INLINE Row<T> operator+(Row<T> a, const Row<T>& b) {
  for (int i = 0; i < Row<T>::vectors; ++i) a.v[i] += b.v[i];
  return a;
}
template <class T> KNEAD_INLINE Row<T> operator*(Row<T> a, const Row<T>& b) {
  for (int i = 0; i < Row<T>::vectors; ++i) a.v[i] *= b.v[i];
  return a;
}
template <class T> KNEAD_INLINE Row<T> operator*(Row<T> a, T s) {
  for (int i = 0; i < Row<T>::vectors; ++i) a.v[i] *= s;
  return a;
}
template <class T> KNEAD_INLINE void add_product(Row<T>& a, const Row<T>& b, T s) {
  for (int i = 0; i < Row<T>::vectors; ++i) a.v[i] += b.v[i] * s;
}

template <class N> KNEAD_INLINE void transpose(N (&r)[4]) {
  const N ab0 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), ab1 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  const N cd0 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5), cd1 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  r[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5), r[1] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  r[2] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5), r[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

// Four wide numbers to four numbers per particle: out[lane][0..3] = in[0..3][lane].
template <class T> KNEAD_INLINE void interleave(const Wide<T> (&in)[4], T* out, int stride) {
  using N = typename NodeVector<T>::Type;
  if constexpr (Wide<T>::lanes % 4 == 0) {
    for (int lane = 0; lane < Wide<T>::lanes; lane += 4) {
      N row[4];
      for (int c = 0; c < 4; ++c) std::memcpy(&row[c], reinterpret_cast<const char*>(&in[c].v) + lane * sizeof(T), sizeof row[c]);
      transpose(row);
      for (int k = 0; k < 4; ++k) std::memcpy(out + (lane + k) * stride, &row[k], sizeof row[k]);
    }
  } else {
    for (int lane = 0; lane < Wide<T>::lanes; ++lane)
      for (int c = 0; c < 4; ++c) out[lane * stride + c] = in[c][lane];
  }
}

// Four numbers per particle to wide numbers: out[c][lane] = in[lane][c].
template <class T> KNEAD_INLINE void deinterleave(const T* in, int stride, Wide<T> (&out)[4]) {
  using N = typename NodeVector<T>::Type;
  constexpr int lanes = Wide<T>::lanes;
  if constexpr (lanes % 4 == 0) {
    N part[4][lanes / 4];  // [component][group of four particles]
    for (int g = 0; g < lanes / 4; ++g) {
      N row[4];
      for (int k = 0; k < 4; ++k) std::memcpy(&row[k], in + (4 * g + k) * stride, sizeof row[k]);
      transpose(row);
      for (int k = 0; k < 4; ++k) part[k][g] = row[k];
    }
    for (int k = 0; k < 4; ++k) {
      if constexpr (lanes == 4) out[k] = typename Wide<T>::Vector(part[k][0]);
      else if constexpr (lanes == 8) out[k] = typename Wide<T>::Vector(combine(part[k][0], part[k][1]));
      else out[k] = typename Wide<T>::Vector(combine(part[k][0], part[k][1], part[k][2], part[k][3]));
    }
  } else {
    for (int lane = 0; lane < lanes; ++lane)
      for (int c = 0; c < 4; ++c) out[c].v[lane] = in[lane * stride + c];
  }
}

}  // namespace KNEAD_ISA
}  // namespace knead
