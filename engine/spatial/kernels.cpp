// One table of kernels for the instruction set that this file is compiled for.
#include "spatial/kernels.h"

#include "math/vec.h"
#include "math/wide.h"

namespace knead {
inline namespace KNEAD_ISA {

template <class T> KNEAD_INLINE unsigned bits_of(WideMask<T> mask) {
#if KNEAD_WIDE_BYTES == 64
  if constexpr (sizeof(T) == 4) return _mm512_movepi32_mask((__m512i)mask.v);
  else return _mm512_movepi64_mask((__m512i)mask.v);
#elif KNEAD_WIDE_BYTES == 32
  if constexpr (sizeof(T) == 4) return static_cast<unsigned>(_mm256_movemask_ps((__m256)mask.v));
  else return static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask.v));
#else
  unsigned bits = 0;
  for (int lane = 0; lane < Wide<T>::lanes; ++lane) bits |= (mask.v[lane] ? 1u : 0u) << lane;
  return bits;
#endif
}

// Writes those of the lanes whose bit is set, one after the other; may write a register's length.
template <class T> KNEAD_INLINE void compress(unsigned bits, const T* from, T* to) {
#if KNEAD_WIDE_BYTES == 64
  if constexpr (sizeof(T) == 4) _mm512_storeu_ps(to, _mm512_maskz_compress_ps(static_cast<__mmask16>(bits), _mm512_loadu_ps(from)));
  else _mm512_storeu_pd(to, _mm512_maskz_compress_pd(static_cast<__mmask8>(bits), _mm512_loadu_pd(from)));
#else
  for (; bits; bits &= bits - 1) *to++ = from[__builtin_ctz(bits)];
#endif
}
template <class T> KNEAD_INLINE void compress_numbers(unsigned bits, const std::uint32_t* from, std::uint32_t* to) {
#if KNEAD_WIDE_BYTES == 64
  if constexpr (sizeof(T) == 4)
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), _mm512_loadu_si512(from)));
  else
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(to),
        _mm256_maskz_compress_epi32(static_cast<__mmask8>(bits), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
#else
  for (; bits; bits &= bits - 1) *to++ = from[__builtin_ctz(bits)];
#endif
}
template <class T> KNEAD_INLINE unsigned unlike(const std::uint32_t* numbers, std::uint32_t number) {
#if KNEAD_WIDE_BYTES == 64
  const __m512i all = _mm512_set1_epi32(static_cast<int>(number));
  if constexpr (sizeof(T) == 4) return _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(numbers), all);
  else return _mm256_cmpneq_epi32_mask(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers)), _mm512_castsi512_si256(all));
#else
  unsigned bits = 0;
  for (int lane = 0; lane < Wide<T>::lanes; ++lane) bits |= (numbers[lane] != number ? 1u : 0u) << lane;
  return bits;
#endif
}
KNEAD_INLINE unsigned first_lanes(int count, int lanes) { return count >= lanes ? ~0u : (1u << count) - 1; }

template <class T> int gather(const Candidates<T>& c, std::uint32_t begin, std::uint32_t end, int count) {
  using W = Wide<T>;
  const W zero(0), radius_squared(c.radius_squared * T(1.0001));  // safe against rounding in a different order
  const Vec3<W> low{W(c.low[0]), W(c.low[1]), W(c.low[2])}, high{W(c.high[0]), W(c.high[1]), W(c.high[2])};
  for (std::uint32_t place = begin; place < end; place += W::lanes) {
    W square(0);
    for (int axis = 0; axis < 3; ++axis) {
      const W x = W::load(c.x[axis] + place);
      const W away = max(max(low[axis] - x, x - high[axis]), zero);
      square = square + away * away;
    }
    const unsigned bits = bits_of(square < radius_squared) & first_lanes(static_cast<int>(end - place), W::lanes);
    for (int axis = 0; axis < 3; ++axis) compress(bits, c.x[axis] + place, c.near_x[axis] + count);
    compress_numbers<T>(bits, c.point + place, c.near + count);
    count += __builtin_popcount(bits);
  }
  return count;
}

// Bits of the lanes from k on that are near x.
template <class T> KNEAD_INLINE unsigned near_bits(const Candidates<T>& c, int k, int count, const Vec3<Wide<T>>& x, std::uint32_t self) {
  using W = Wide<T>;
  const W dx = W::load(c.near_x[0] + k) - x.x, dy = W::load(c.near_x[1] + k) - x.y, dz = W::load(c.near_x[2] + k) - x.z;
  const unsigned bits = bits_of(dx * dx + dy * dy + dz * dz < W(c.radius_squared));
  return bits & unlike<T>(c.near + k, self) & first_lanes(count - k, W::lanes);
}

template <class T> int count_near(const Candidates<T>& c, int count, const T* x, std::uint32_t self) {
  const Vec3<Wide<T>> center{Wide<T>(x[0]), Wide<T>(x[1]), Wide<T>(x[2])};
  int found = 0;
  for (int k = 0; k < count; k += Wide<T>::lanes) found += __builtin_popcount(near_bits(c, k, count, center, self));
  return found;
}

template <class T> int collect_near(const Candidates<T>& c, int count, const T* x, std::uint32_t self, std::uint32_t* result) {
  const Vec3<Wide<T>> center{Wide<T>(x[0]), Wide<T>(x[1]), Wide<T>(x[2])};
  int found = 0;
  for (int k = 0; k < count; k += Wide<T>::lanes) {
    const unsigned bits = near_bits(c, k, count, center, self);
    compress_numbers<T>(bits, c.near + k, result + found);
    found += __builtin_popcount(bits);
  }
  return found;
}

#define KNEAD_TEXT(x) #x
#define KNEAD_NAME(x) KNEAD_TEXT(x)
template <class T> constexpr NeighbourKernels<T> make_neighbour_kernels() {
  return {KNEAD_NAME(KNEAD_ISA), gather<T>, count_near<T>, collect_near<T>};
}
extern constinit const NeighbourKernels<float> float_neighbour_kernels = make_neighbour_kernels<float>();
extern constinit const NeighbourKernels<double> double_neighbour_kernels = make_neighbour_kernels<double>();

}  // namespace KNEAD_ISA
}  // namespace knead
