// Compiled for each instruction set, with KNEAD_MATH_ARRAYS as the name of the function it defines. Everything else here is
// local to the file: a shared inline function made for AVX-512 must not end up in code for other machines.
#include "math/instruction_sets/arrays.h"

#include "math/polar.h"
#include "math/spectrum.h"
#include "math/svd.h"
#include "math/wide.h"

namespace knead {
namespace {

template <class S> struct Access {
  static constexpr int lanes = 1;
  static KNEAD_INLINE S load(const S* p) { return *p; }
  static KNEAD_INLINE void store(S* p, S value) { *p = value; }
};
template <class T> struct Access<Wide<T>> {
  static constexpr int lanes = Wide<T>::lanes;
  static KNEAD_INLINE Wide<T> load(const T* p) { return Wide<T>::load(p); }
  static KNEAD_INLINE void store(T* p, Wide<T> value) { value.store(p); }
};

template <class S, class T> KNEAD_INLINE Mat3<S> load_matrix(const T* p, std::size_t i, std::size_t count) {
  Mat3<S> r;
  for (int k = 0; k < 9; ++k) r.m[k] = Access<S>::load(p + k * count + i);
  return r;
}
template <class S, class T> KNEAD_INLINE void store_matrix(T* p, const Mat3<S>& value, std::size_t i, std::size_t count) {
  for (int k = 0; k < 9; ++k) Access<S>::store(p + k * count + i, value.m[k]);
}
template <class S, class T> KNEAD_INLINE void store_vector(T* p, const Vec3<S>& value, std::size_t i, std::size_t count) {
  for (int k = 0; k < 3; ++k) Access<S>::store(p + k * count + i, value[k]);
}
template <class S, class T> KNEAD_INLINE Sym3<S> load_symmetric(const T* p, std::size_t i, std::size_t count) {
  auto entry = [&](int k) KNEAD_INLINE_LAMBDA { return Access<S>::load(p + k * count + i); };
  return {entry(0), entry(1), entry(2), entry(3), entry(4), entry(5)};
}

template <class S, class T, class Operation>
KNEAD_INLINE void each(const T* a, const T* b, T* out, std::size_t count, Operation operation) {
  for (std::size_t i = 0; i < count; i += Access<S>::lanes)
    Access<S>::store(out + i, operation(Access<S>::load(a + i), Access<S>::load(b + i)));
}

template <class S, class T> void svd_array(const T* F, T* U, T* sigma, T* V, std::size_t count) {
  for (std::size_t i = 0; i < count; i += Access<S>::lanes) {
    const Svd<S> d = svd(load_matrix<S>(F, i, count));
    store_matrix(U, d.U, i, count);
    store_vector(sigma, d.sigma, i, count);
    store_matrix(V, d.V, i, count);
  }
}

template <class S, class T> void polar_array(const T* F, T* R, std::size_t count) {
  for (std::size_t i = 0; i < count; i += Access<S>::lanes) store_matrix(R, polar_rotation(load_matrix<S>(F, i, count)), i, count);
}

template <class S, class T> void eigen_array(const T* A, T* values, T* vectors, std::size_t count) {
  for (std::size_t i = 0; i < count; i += Access<S>::lanes) {
    Vec3<S> lambda;
    Mat3<S> V;
    eigen_symmetric(load_symmetric<S>(A, i, count), lambda, V);
    store_vector(values, lambda, i, count);
    store_matrix(vectors, V, i, count);
  }
}

template <class S, class T> void spectrum_log_array(const T* A, T* values, T* logarithm, std::size_t count) {
  for (std::size_t i = 0; i < count; i += Access<S>::lanes) {
    const Spectrum<S> spectrum(load_symmetric<S>(A, i, count));
    const Vec3<S> lambda = spectrum.values();
    const Sym3<S> r = spectrum.compose({log(lambda.x), log(lambda.y), log(lambda.z)});
    store_vector(values, lambda, i, count);
    store_vector(logarithm, Vec3<S>{r.xx, r.yy, r.zz}, i, count);
    store_vector(logarithm + 3 * count, Vec3<S>{r.xy, r.yz, r.zx}, i, count);
  }
}

template <class S, class T> MathArrays<T> arrays() {
  MathArrays<T> r;
  r.lanes = Access<S>::lanes;
  r.add = [](const T* a, const T* b, T* out, std::size_t count) {
    each<S>(a, b, out, count, [](S x, S y) KNEAD_INLINE_LAMBDA { return x + y; });
  };
  r.divide = [](const T* a, const T* b, T* out, std::size_t count) {
    each<S>(a, b, out, count, [](S x, S y) KNEAD_INLINE_LAMBDA { return x / y; });
  };
  r.smaller = [](const T* a, const T* b, T* out, std::size_t count) {
    each<S>(a, b, out, count, [](S x, S y) KNEAD_INLINE_LAMBDA { return select(x < y, x, y); });
  };
  r.any_all = [](const T* a, const T* b, T* out, std::size_t count) {
    each<S>(a, b, out, count, [](S x, S y) KNEAD_INLINE_LAMBDA { return S((any(x < y) ? 1 : 0) + (all(x < y) ? 2 : 0)); });
  };
  r.floor = [](const T* a, T* out, std::size_t count) { each<S>(a, a, out, count, [](S x, S) KNEAD_INLINE_LAMBDA { return floor(x); }); };
  r.exp = [](const T* a, T* out, std::size_t count) { each<S>(a, a, out, count, [](S x, S) KNEAD_INLINE_LAMBDA { return exp(x); }); };
  r.log = [](const T* a, T* out, std::size_t count) { each<S>(a, a, out, count, [](S x, S) KNEAD_INLINE_LAMBDA { return log(x); }); };
  r.svd = svd_array<S, T>;
  r.polar = polar_array<S, T>;
  r.eigen = eigen_array<S, T>;
  r.spectrum_log = spectrum_log_array<S, T>;
  return r;
}

}  // namespace

InstructionSet KNEAD_MATH_ARRAYS() {
#define KNEAD_NAME_OF(name) #name
#define KNEAD_NAME(name) KNEAD_NAME_OF(name)
  return {KNEAD_NAME(KNEAD_ISA), arrays<float, float>(), arrays<Wide<float>, float>(), arrays<double, double>(),
          arrays<Wide<double>, double>()};
}

}  // namespace knead
