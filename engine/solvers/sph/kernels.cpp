// One table of kernels for the instruction set that this file is compiled for.
#include <cmath>

#include "math/polar.h"
#include "math/wide.h"
#include "solvers/sph/elastic_kernels.h"

namespace knead {
inline namespace KNEAD_ISA {
namespace {

template <class T> struct FourOf;
template <> struct FourOf<float> {
  typedef float Type __attribute__((vector_size(16)));
};
template <> struct FourOf<double> {
  typedef double Type __attribute__((vector_size(32)));
};
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
  KNEAD_INLINE void add_outer(const Four<T>& a, const T* b) {
    for (int k = 0; k < 3; ++k) c[k] += a * b[k];
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

// sum_j (p_j - p_i) (x) a_ij. Two sums side by side hide the latency of the additions.
template <class T> KNEAD_INLINE Columns<T> gradient_of(const ElasticArrays<T>& at, std::size_t i, const T* p) {
  const Four<T> own = load(p + 4 * i);
  Columns<T> even, odd;
  const RestPair<T>*pair = at.pairs + at.first[i], *end = at.pairs + at.first[i + 1];
  for (; pair + 1 < end; pair += 2) {
    even.add_outer(load(p + 4 * pair[0].place) - own, pair[0].gradient);
    odd.add_outer(load(p + 4 * pair[1].place) - own, pair[1].gradient);
  }
  if (pair < end) even.add_outer(load(p + 4 * pair->place) - own, pair->gradient);
  for (int k = 0; k < 3; ++k) even.c[k] += odd.c[k];
  return even;
}

template <class T> void gradient(const ElasticArrays<T>& at, std::size_t begin, std::size_t end, const T* x, T* out) {
  for (std::size_t i = begin; i < end; ++i) gradient_of(at, i, x).save(out + 12 * i);
}

// P = 2 G eps + (K - 2 G / 3) tr(eps) I (eq. 8), T = P R L.
template <class T>
KNEAD_INLINE void stress_range(const ElasticArrays<T>& at, std::size_t begin, std::size_t end, const T* p, T scale, const T* strain0) {
  const T half = scale * T(0.5);
  for (std::size_t i = begin; i < end; ++i) {
    const Columns<T> sum = gradient_of(at, i, p);
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
    for (int c = 0; c < 3; ++c)
      store(at.stress + 12 * i + 4 * c, P.c[0] * RL[4 * c] + P.c[1] * RL[4 * c + 1] + P.c[2] * RL[4 * c + 2]);
  }
}
template <class T> void stress(const ElasticArrays<T>& at, std::size_t begin, std::size_t end, const T* p, T scale, const T* strain0) {
  if (strain0) stress_range(at, begin, end, p, scale, strain0);
  else stress_range<T>(at, begin, end, p, scale, nullptr);
}

template <class T> struct ForceSum {
  Four<T> c[3] = {};
  KNEAD_INLINE void add(const T* stress, const T* a) {
    for (int k = 0; k < 3; ++k) c[k] += load(stress + 4 * k) * a[k];
  }
};

// f_i = V_i sum_j V_j (P_i g_ij - P_j g_ji) = V_i (T_i s_i + sum_j T_j a_ij), since grad W_ji = -grad W_ij (eq. 9)
template <class T>
double force(const ElasticArrays<T>& at, std::size_t begin, std::size_t end, const T* p, T mass_part, T dt, T* image) {
  T product[2] = {0, 0};
  double total = 0;
  for (std::size_t i = begin; i < end; ++i) {
    ForceSum<T> even, odd;
    even.add(at.stress + 12 * i, at.gradient_sum + 4 * i);
    const RestPair<T>*pair = at.pairs + at.first[i], *last = at.pairs + at.first[i + 1];
    for (; pair + 1 < last; pair += 2) {
      even.add(at.stress + 12 * pair[0].place, pair[0].gradient);
      odd.add(at.stress + 12 * pair[1].place, pair[1].gradient);
    }
    if (pair < last) even.add(at.stress + 12 * pair->place, pair->gradient);
    const Four<T> sum = (even.c[0] + odd.c[0]) + (even.c[1] + odd.c[1]) + (even.c[2] + odd.c[2]);
    const Four<T> own = load(p + 4 * i), result = own * (mass_part * at.constants[4 * i + 3]) - sum * (dt * at.constants[4 * i + 2]);
    store(image + 4 * i, result);
    product[i & 1] += dot3<T>(own, result);
    if ((i & 63) == 63) total += double(product[0]) + double(product[1]), product[0] = product[1] = 0;
  }
  return total + double(product[0]) + double(product[1]);
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
