// Small vectors and matrices over any scalar: float, double, Wide<float>, Wide<double>, dual numbers.
#pragma once
#include <cmath>
#include <type_traits>

#include "base/inline.h"

namespace knead {

// Scalar versions of the functions that Wide offers, so that templates read the same for both.
template <class T>
concept PlainScalar = std::is_floating_point_v<T>;

template <PlainScalar T> KNEAD_INLINE T select(bool mask, T a, T b) { return mask ? a : b; }
template <PlainScalar T> KNEAD_INLINE T min(T a, T b) { return a < b ? a : b; }
template <PlainScalar T> KNEAD_INLINE T max(T a, T b) { return a > b ? a : b; }
template <PlainScalar T> KNEAD_INLINE T abs(T a) { return a < T(0) ? -a : a; }
template <PlainScalar T> KNEAD_INLINE T sqrt(T a) { return std::sqrt(a); }
template <PlainScalar T> KNEAD_INLINE T rsqrt(T a) { return T(1) / std::sqrt(a); }
template <PlainScalar T> KNEAD_INLINE T exp(T a) { return std::exp(a); }
template <PlainScalar T> KNEAD_INLINE T log(T a) { return std::log(a); }
template <PlainScalar T> KNEAD_INLINE T floor(T a) { return std::floor(a); }
KNEAD_INLINE bool any(bool mask) { return mask; }
KNEAD_INLINE bool all(bool mask) { return mask; }

template <class S> struct Vec3 {
  S x{}, y{}, z{};
  KNEAD_INLINE S& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  KNEAD_INLINE const S& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};
using Vec3d = Vec3<double>;
using Vec3f = Vec3<float>;

template <class S> KNEAD_INLINE Vec3<S> operator+(const Vec3<S>& a, const Vec3<S>& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
template <class S> KNEAD_INLINE Vec3<S> operator-(const Vec3<S>& a, const Vec3<S>& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
template <class S> KNEAD_INLINE Vec3<S> operator-(const Vec3<S>& a) { return {-a.x, -a.y, -a.z}; }
template <class S> KNEAD_INLINE Vec3<S> operator*(const Vec3<S>& a, const Vec3<S>& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
template <class S> KNEAD_INLINE Vec3<S> operator*(const Vec3<S>& a, const S& s) { return {a.x * s, a.y * s, a.z * s}; }
template <class S> KNEAD_INLINE Vec3<S> operator*(const S& s, const Vec3<S>& a) { return {a.x * s, a.y * s, a.z * s}; }
template <class S> KNEAD_INLINE Vec3<S> operator/(const Vec3<S>& a, const S& s) { return a * (S(1) / s); }
template <class S> KNEAD_INLINE Vec3<S>& operator+=(Vec3<S>& a, const Vec3<S>& b) { return a = a + b; }
template <class S> KNEAD_INLINE Vec3<S>& operator-=(Vec3<S>& a, const Vec3<S>& b) { return a = a - b; }
template <class S> KNEAD_INLINE Vec3<S>& operator*=(Vec3<S>& a, const S& s) { return a = a * s; }
template <class S> KNEAD_INLINE bool operator==(const Vec3<S>& a, const Vec3<S>& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
template <class S> KNEAD_INLINE S dot(const Vec3<S>& a, const Vec3<S>& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class S> KNEAD_INLINE Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S> KNEAD_INLINE S sum(const Vec3<S>& a) { return a.x + a.y + a.z; }
template <class S> KNEAD_INLINE S length_squared(const Vec3<S>& a) { return dot(a, a); }
template <class S> KNEAD_INLINE S length(const Vec3<S>& a) { return sqrt(dot(a, a)); }
template <class S> KNEAD_INLINE Vec3<S> normalized(const Vec3<S>& a) { return a / length(a); }

// Row-major 3x3 matrix.
template <class S> struct Mat3 {
  S m[9]{};
  KNEAD_INLINE S& operator()(int row, int column) { return m[3 * row + column]; }
  KNEAD_INLINE const S& operator()(int row, int column) const { return m[3 * row + column]; }
  static KNEAD_INLINE Mat3 identity() { return diagonal({S(1), S(1), S(1)}); }
  static KNEAD_INLINE Mat3 diagonal(const Vec3<S>& d) {
    Mat3 r;
    r.m[0] = d.x, r.m[4] = d.y, r.m[8] = d.z;
    return r;
  }
};
using Mat3d = Mat3<double>;

template <class S> KNEAD_INLINE Mat3<S> operator+(const Mat3<S>& a, const Mat3<S>& b) {
  Mat3<S> r;
  for (int i = 0; i < 9; ++i) r.m[i] = a.m[i] + b.m[i];
  return r;
}
template <class S> KNEAD_INLINE Mat3<S> operator-(const Mat3<S>& a, const Mat3<S>& b) {
  Mat3<S> r;
  for (int i = 0; i < 9; ++i) r.m[i] = a.m[i] - b.m[i];
  return r;
}
template <class S> KNEAD_INLINE Mat3<S> operator*(const Mat3<S>& a, const S& s) {
  Mat3<S> r;
  for (int i = 0; i < 9; ++i) r.m[i] = a.m[i] * s;
  return r;
}
template <class S> KNEAD_INLINE Mat3<S> operator*(const S& s, const Mat3<S>& a) { return a * s; }
template <class S> KNEAD_INLINE Mat3<S> operator*(const Mat3<S>& a, const Mat3<S>& b) {
  Mat3<S> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
  return r;
}
template <class S> KNEAD_INLINE Vec3<S> operator*(const Mat3<S>& a, const Vec3<S>& v) {
  return {a.m[0] * v.x + a.m[1] * v.y + a.m[2] * v.z, a.m[3] * v.x + a.m[4] * v.y + a.m[5] * v.z,
          a.m[6] * v.x + a.m[7] * v.y + a.m[8] * v.z};
}
template <class S> KNEAD_INLINE Mat3<S> transpose(const Mat3<S>& a) {
  return {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}
template <class S> KNEAD_INLINE S determinant(const Mat3<S>& a) {
  return a.m[0] * (a.m[4] * a.m[8] - a.m[5] * a.m[7]) - a.m[1] * (a.m[3] * a.m[8] - a.m[5] * a.m[6]) +
         a.m[2] * (a.m[3] * a.m[7] - a.m[4] * a.m[6]);
}
template <class S> KNEAD_INLINE S trace(const Mat3<S>& a) { return a.m[0] + a.m[4] + a.m[8]; }
template <class S> KNEAD_INLINE S norm_squared(const Mat3<S>& a) {
  S r = a.m[0] * a.m[0];
  for (int i = 1; i < 9; ++i) r = r + a.m[i] * a.m[i];
  return r;
}
template <class S> KNEAD_INLINE Mat3<S> outer(const Vec3<S>& a, const Vec3<S>& b) {
  return {{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z}};
}
template <class S> KNEAD_INLINE Vec3<S> column(const Mat3<S>& a, int j) { return {a(0, j), a(1, j), a(2, j)}; }

// Symmetric 3x3 matrix, components in the order of the `stress` probe: xx, yy, zz, xy, yz, zx.
template <class S> struct Sym3 { S xx{}, yy{}, zz{}, xy{}, yz{}, zx{}; };

template <class S> KNEAD_INLINE Sym3<S> operator+(const Sym3<S>& a, const Sym3<S>& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.yz + b.yz, a.zx + b.zx};
}
template <class S> KNEAD_INLINE Sym3<S> operator-(const Sym3<S>& a, const Sym3<S>& b) {
  return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.yz - b.yz, a.zx - b.zx};
}
template <class S> KNEAD_INLINE Sym3<S> operator*(const Sym3<S>& a, const S& s) {
  return {a.xx * s, a.yy * s, a.zz * s, a.xy * s, a.yz * s, a.zx * s};
}
template <class S> KNEAD_INLINE Sym3<S> operator*(const S& s, const Sym3<S>& a) { return a * s; }
template <class S> KNEAD_INLINE S trace(const Sym3<S>& a) { return a.xx + a.yy + a.zz; }
template <class S> KNEAD_INLINE S norm_squared(const Sym3<S>& a) {
  return a.xx * a.xx + a.yy * a.yy + a.zz * a.zz + S(2) * (a.xy * a.xy + a.yz * a.yz + a.zx * a.zx);
}
template <class S> KNEAD_INLINE Sym3<S> isotropic(const S& s) { return {s, s, s, S(0), S(0), S(0)}; }
template <class S> KNEAD_INLINE Sym3<S> deviator(const Sym3<S>& a) { return a - isotropic(trace(a) * S(1.0 / 3.0)); }
template <class S> KNEAD_INLINE Sym3<S> symmetric_part(const Mat3<S>& a) {
  return {a.m[0], a.m[4], a.m[8], S(0.5) * (a.m[1] + a.m[3]), S(0.5) * (a.m[5] + a.m[7]), S(0.5) * (a.m[2] + a.m[6])};
}
template <class S> KNEAD_INLINE Mat3<S> to_matrix(const Sym3<S>& a) { return {{a.xx, a.xy, a.zx, a.xy, a.yy, a.yz, a.zx, a.yz, a.zz}}; }
// F F^T, the left Cauchy-Green tensor.
template <class S> KNEAD_INLINE Sym3<S> left_cauchy_green(const Mat3<S>& F) {
  const auto& m = F.m;
  return {m[0] * m[0] + m[1] * m[1] + m[2] * m[2], m[3] * m[3] + m[4] * m[4] + m[5] * m[5], m[6] * m[6] + m[7] * m[7] + m[8] * m[8],
          m[0] * m[3] + m[1] * m[4] + m[2] * m[5], m[3] * m[6] + m[4] * m[7] + m[5] * m[8], m[0] * m[6] + m[1] * m[7] + m[2] * m[8]};
}
// U diag(d) U^T.
template <class S> KNEAD_INLINE Sym3<S> compose(const Mat3<S>& U, const Vec3<S>& d) {
  const auto& u = U.m;
  auto entry = [&](int i, int j) KNEAD_INLINE_LAMBDA { return u[i] * u[j] * d.x + u[i + 1] * u[j + 1] * d.y + u[i + 2] * u[j + 2] * d.z; };
  return {entry(0, 0), entry(3, 3), entry(6, 6), entry(0, 3), entry(3, 6), entry(0, 6)};
}

}  // namespace knead
