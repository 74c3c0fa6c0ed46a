// One table of kernels for the instruction set that this file is compiled for.
#include <cmath>

#include "math/polar.h"
#include "math/wide.h"
#include "solvers/sph/elastic_kernels.h"

namespace knead {
inline namespace KNEAD_ISA {
namespace {

template <class T> struct FourOf;
template <> struct FourOf<float> { typedef float Type __attribute__((vector_size(16))); };
template <> struct FourOf<double> { typedef double Type __attribute__((vector_size(32))); };
template <class T> using Four = typename FourOf<T>::Type;

template <class T> KNEAD_INLINE Four<T> load(const T* p) {
  Four<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T> KNEAD_INLINE void store(T* p, const Four<T>& v) { std::memcpy(p, &v, sizeof v); }
template <class T> KNEAD_INLINE T dot3(const Four<T>& a, const Four<T>& b) {
  const Four<T> c = a * b;
  return c[0] + c[1] + c[2];
}

// Three columns of a 3x3 matrix.
template <class T> struct Columns {
  Four<T> c[3];
  KNEAD_INLINE Columns() : c{} {}
  KNEAD_INLINE explicit Columns(const T* p) {
    for (int k = 0; k < 3; ++k) c[k] = load(p + 4 * k);
  }
  KNEAD_INLINE void save(T* p) const {
    for (int k = 0; k < 3; ++k) store(p + 4 * k, c[k]);
  }
};

template <class T> KNEAD_INLINE Columns<T> transposed(const Columns<T>& m) {
  const Four<T> low = __builtin_shufflevector(m.c[0], m.c[1], 0, 4, 1, 5), high = __builtin_shufflevector(m.c[0], m.c[1], 2, 6, 3, 7);
  Columns<T> t;
  t.c[0] = __builtin_shufflevector(low, m.c[2], 0, 1, 4, 7);
  t.c[1] = __builtin_shufflevector(low, m.c[2], 2, 3, 5, 7);
  t.c[2] = __builtin_shufflevector(high, m.c[2], 0, 1, 6, 7);
  return t;
}

template <class T> struct PairReader {  // pairs as they are
  const RestPair<T>* pairs;
  KNEAD_INLINE PairReader(const ElasticArrays<T>& at, std::size_t) : pairs(at.pairs) {}
  KNEAD_INLINE std::size_t place(std::size_t k) const { return pairs[k].place; }
  KNEAD_INLINE Four<T> gradient(std::size_t k) const {
    return load(reinterpret_cast<const T*>(pairs + k));
  }  // and the place, which nobody looks at
  static KNEAD_INLINE T scale(const ElasticArrays<T>&) { return T(1); }
};

struct PackedReader {
  const PackedPair* pairs;
  const std::uint32_t* pages;
  KNEAD_INLINE PackedReader(const ElasticArrays<float>& at, std::size_t i)
      : pairs(at.packed), pages(at.pages + at.first_page[i / page_size]) {}
  KNEAD_INLINE std::size_t place(std::size_t k) const {
    const unsigned both = pairs[k].place;
    return pages[both / page_size] + both % page_size;
  }
  KNEAD_INLINE Four<float> gradient(std::size_t k) const {
    typedef std::int16_t Shorts __attribute__((vector_size(8)));
    Shorts all;
    std::memcpy(&all, pairs + k, sizeof all);
    return __builtin_convertvector(all, Four<float>);
  }
  static KNEAD_INLINE float scale(const ElasticArrays<float>& at) { return at.packed_scale; }
};

// Sums over pairs of outer products with the gradient. Two side by side hide the latency of the additions.
template <class T, class Reader> struct PairSum {
  Four<T> c[2][3] = {};
  KNEAD_INLINE void add(int side, const Reader& reader, std::size_t k, const Four<T>& a) {
    const Four<T> g = reader.gradient(k);
    for (int n = 0; n < 3; ++n) c[side][n] += a * g[n];
  }
  KNEAD_INLINE void add(int side, const Reader& reader, std::size_t k, const Tensor<T>& tensor) {
    const Four<T> g = reader.gradient(k);
    for (int n = 0; n < 3; ++n) c[side][n] += load(tensor.at + 4 * n) * g[n];
  }
  KNEAD_INLINE Columns<T> total(T scale) const {
    Columns<T> sum;
    for (int n = 0; n < 3; ++n) sum.c[n] = (c[0][n] + c[1][n]) * scale;
    return sum;
  }
};

#if KNEAD_WIDE_BYTES == 64
// Three columns in one register.
template <> struct PairSum<float, PackedReader> {
  __m512 c[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
  // The gradient's components as the upper halves of integers, four times each.
  static KNEAD_INLINE __m512 gradient(const PackedReader& reader, std::size_t k) {
    const __m512i spread = _mm512_set_epi32(-1, -1, -1, -1, 0x0504ffff, 0x0504ffff, 0x0504ffff, 0x0504ffff, 0x0302ffff, 0x0302ffff,
                                            0x0302ffff, 0x0302ffff, 0x0100ffff, 0x0100ffff, 0x0100ffff, 0x0100ffff);
    long long all;
    std::memcpy(&all, reader.pairs + k, sizeof all);
    return _mm512_cvtepi32_ps(_mm512_shuffle_epi8(_mm512_set1_epi64(all), spread));
  }
  KNEAD_INLINE void add(int side, const PackedReader& reader, std::size_t k, const Four<float>& a) {
    c[side] = _mm512_fmadd_ps(_mm512_broadcast_f32x4((__m128)a), gradient(reader, k), c[side]);
  }
  KNEAD_INLINE void add(int side, const PackedReader& reader, std::size_t k, const Tensor<float>& tensor) {
    c[side] = _mm512_fmadd_ps(_mm512_load_ps(tensor.at), gradient(reader, k), c[side]);
  }
  KNEAD_INLINE Columns<float> total(float scale) const {
    const __m512 sum = _mm512_mul_ps(_mm512_add_ps(c[0], c[1]), _mm512_set1_ps(scale / 65536));
    alignas(64) float numbers[16];
    _mm512_store_ps(numbers, sum);
    return Columns<float>(numbers);
  }
};
#endif

// sum_j (p_j - p_i) (x) a_ij
template <class T, class Reader> KNEAD_INLINE Columns<T> gradient_of(const ElasticArrays<T>& at, std::size_t i, const T* p) {
  const Four<T> own = load(p + 4 * i);
  const Reader reader(at, i);
  PairSum<T, Reader> sum;
  std::size_t k = at.first[i];
  const std::size_t end = at.first[i + 1];
  for (; k + 1 < end; k += 2) {
    sum.add(0, reader, k, load(p + 4 * reader.place(k)) - own);
    sum.add(1, reader, k + 1, load(p + 4 * reader.place(k + 1)) - own);
  }
  if (k < end) sum.add(0, reader, k, load(p + 4 * reader.place(k)) - own);
  return sum.total(Reader::scale(at));
}

// Calls f with the type that reads the pairs.
template <class T, class Function> KNEAD_INLINE auto with_reader(const ElasticArrays<T>& at, Function&& f) {
  if constexpr (std::is_same_v<T, float>)
    if (at.packed) return f(std::type_identity<PackedReader>{});
  return f(std::type_identity<PairReader<T>>{});
}

template <class T> void gradient(const ElasticArrays<T>& at, std::size_t begin, std::size_t end, const T* x, Tensor<T>* out) {
  with_reader(at, [&](auto reader) {
    for (std::size_t i = begin; i < end; ++i) gradient_of<T, typename decltype(reader)::type>(at, i, x).save(out[i].at);
  });
}

// P = 2 G eps + (K - 2 G / 3) tr(eps) I (eq. 8), T = P R L.
template <class T, class Reader>
KNEAD_INLINE void stress_range(const ElasticArrays<T>& at, std::size_t begin, std::size_t end, const T* p, T scale, const T* strain0) {
  const T half = scale * T(0.5);
  for (std::size_t i = begin; i < end; ++i) {
    const Columns<T> sum = gradient_of<T, Reader>(at, i, p);
    const T* RL = at.frame + 12 * i;
    Columns<T> grad;  // grad u = sum (R L)^T (eq. 22)
    for (int c = 0; c < 3; ++c) grad.c[c] = sum.c[0] * RL[c] + sum.c[1] * RL[4 + c] + sum.c[2] * RL[8 + c];
    const Columns<T> other = transposed(grad);
    Columns<T> P;
    for (int c = 0; c < 3; ++c) P.c[c] = (grad.c[c] + other.c[c]) * half;
    if (strain0) {
      const T* e = strain0 + 8 * i;
      P.c[0] += Four<T>{e[0], e[3], e[5], 0};
      P.c[1] += Four<T>{e[3], e[1], e[4], 0};
      P.c[2] += Four<T>{e[5], e[4], e[2], 0};
    }
    const T two_G = at.constants[4 * i], volumetric = at.constants[4 * i + 1] * (P.c[0][0] + P.c[1][1] + P.c[2][2]);
    for (int c = 0; c < 3; ++c) P.c[c] *= two_G;
    P.c[0] += Four<T>{volumetric, 0, 0, 0};
    P.c[1] += Four<T>{0, volumetric, 0, 0};
    P.c[2] += Four<T>{0, 0, volumetric, 0};
    for (int c = 0; c < 3; ++c) store(at.stress[i].at + 4 * c, P.c[0] * RL[4 * c] + P.c[1] * RL[4 * c + 1] + P.c[2] * RL[4 * c + 2]);
  }
}
template <class T> void stress(const ElasticArrays<T>& at, std::size_t begin, std::size_t end, const T* p, T scale, const T* strain0) {
  with_reader(at, [&](auto reader) {
    using Reader = typename decltype(reader)::type;
    if (strain0) stress_range<T, Reader>(at, begin, end, p, scale, strain0);
    else stress_range<T, Reader>(at, begin, end, p, scale, nullptr);
  });
}

// f_i = V_i sum_j V_j (P_i g_ij - P_j g_ji) = V_i (T_i s_i + sum_j T_j a_ij), since grad W_ji = -grad W_ij (eq. 9)
template <class T, class Reader>
KNEAD_INLINE double force_range(const ElasticArrays<T>& at, std::size_t begin, std::size_t end, const T* p, T mass_part, T dt, T* image) {
  T product[2] = {0, 0};
  double total = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Reader reader(at, i);
    PairSum<T, Reader> pairs;
    std::size_t k = at.first[i];
    const std::size_t last = at.first[i + 1];
    for (; k + 1 < last; k += 2) {
      pairs.add(0, reader, k, at.stress[reader.place(k)]);
      pairs.add(1, reader, k + 1, at.stress[reader.place(k + 1)]);
    }
    if (k < last) pairs.add(0, reader, k, at.stress[reader.place(k)]);
    const Columns<T> others = pairs.total(Reader::scale(at)), own_stress(at.stress[i].at);
    const T* s = at.gradient_sum + 4 * i;
    Four<T> sum = others.c[0] + others.c[1] + others.c[2];
    for (int n = 0; n < 3; ++n) sum += own_stress.c[n] * s[n];
    const Four<T> own = load(p + 4 * i), result = own * (mass_part * at.constants[4 * i + 3]) - sum * (dt * at.constants[4 * i + 2]);
    store(image + 4 * i, result);
    product[i & 1] += dot3<T>(own, result);
    if ((i & 63) == 63) total += double(product[0]) + double(product[1]), product[0] = product[1] = 0;
  }
  return total + double(product[0]) + double(product[1]);
}
template <class T> double force(const ElasticArrays<T>& at, std::size_t begin, std::size_t end, const T* p, T mass_part, T dt, T* image) {
  return with_reader(at,
                     [&](auto reader) { return force_range<T, typename decltype(reader)::type>(at, begin, end, p, mass_part, dt, image); });
}

template <class T>
ElasticSums update(const ElasticArrays<T>& at, const ElasticVectors<T>& of, std::size_t begin, std::size_t end, T alpha) {
  ElasticSums sums;
  for (std::size_t i = begin; i < end; ++i) {
    store(of.velocity + 4 * i, load(of.velocity + 4 * i) + load(of.direction + 4 * i) * alpha);
    const Four<T> r = load(of.residual + 4 * i) - load(of.image + 4 * i) * alpha;
    store(of.residual + 4 * i, r);
    const Columns<T> D(at.inverse_diagonal + 12 * i);
    const Four<T> z = D.c[0] * r[0] + D.c[1] * r[1] + D.c[2] * r[2];
    store(of.preconditioned + 4 * i, z);
    sums.product += double(dot3<T>(r, z));
    sums.residual += double(std::sqrt(dot3<T>(r, r)) * at.residual_weight[i]);
  }
  return sums;
}

template <class T> void turn(const ElasticVectors<T>& of, std::size_t begin, std::size_t end, T beta) {
  for (std::size_t k = 4 * begin; k < 4 * end; k += 4) store(of.direction + k, load(of.preconditioned + k) + load(of.direction + k) * beta);
}

template <class T> void rotations(const T* const F[9], T* const R[9], std::size_t begin, std::size_t end) {
  using W = Wide<T>;
  for (std::size_t i = begin; i < end; i += W::lanes) {
    const int count = static_cast<int>(end - i < W::lanes ? end - i : W::lanes);
    Mat3<W> A;
    for (int c = 0; c < 9; ++c) A.m[c] = W::load(F[c] + i, count, c % 4 == 0 ? T(1) : T(0));
    const Mat3<W> rotation = polar_rotation(A);
    for (int c = 0; c < 9; ++c) rotation.m[c].store(R[c] + i, count);
  }
}

template <class T> constexpr ElasticKernels<T> make_table(const char* name) {
  return {name, gradient<T>, stress<T>, force<T>, update<T>, turn<T>, rotations<T>};
}

}  // namespace

#define KNEAD_TEXT(x) #x
#define KNEAD_NAME(x) KNEAD_TEXT(x)
extern constinit const ElasticKernels<float> float_elastic_kernels = make_table<float>(KNEAD_NAME(KNEAD_ISA));
extern constinit const ElasticKernels<double> double_elastic_kernels = make_table<double>(KNEAD_NAME(KNEAD_ISA));

}  // namespace KNEAD_ISA
}  // namespace knead
