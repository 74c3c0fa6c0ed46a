// Singular values of a 3x3 matrix with rotations on both sides.
#pragma once
#include "math/eigen.h"
#include "math/scale.h"
#include "math/vec.h"

namespace knead {

// F = U diag(sigma) V^T; U and V are rotations, sigma.x >= sigma.y >= |sigma.z|, and sigma.z has the sign of det F.
template <class S> struct Svd {
  Mat3<S> U;
  Vec3<S> sigma;
  Mat3<S> V;
};

// F^T F knows singular values below the square root of rounding only as zero, and with them their columns of V. What is left
// to do for these is one rotation of the second and third columns of B = F V, which makes them orthogonal, the longer first.
template <class S> KNEAD_INLINE void separate_small_columns(Mat3<S>& B, Mat3<S>& V) {
  constexpr double negligible = is_single<S> ? 1e-18 : 1e-150;  // its square is still normal
  const Vec3<S> b = column(B, 1), d = column(B, 2);
  const S x = dot(b, b) - dot(d, d), y = S(2) * dot(b, d);
  const S p = abs(x) + sqrt(x * x + y * y) + S(negligible);
  const auto ordered = x >= S(0);
  const S cosine = select(ordered, p, y), sine = select(ordered, y, p);
  const S inverse = S(1) / sqrt(p * p + y * y);
  const S c = cosine * inverse, s = sine * inverse;
  auto turn = [&](Mat3<S>& A) KNEAD_INLINE_LAMBDA {
    for (int i = 0; i < 3; ++i) {
      const S second = A(i, 1), third = A(i, 2);
      A(i, 1) = c * second + s * third;
      A(i, 2) = c * third - s * second;
    }
  };
  turn(B), turn(V);
}

// Turns rows i and j of B so that B(j, k) becomes zero and B(i, k) not negative; U's columns turn along, so U B stays the same.
template <class S> KNEAD_INLINE void givens(Mat3<S>& B, Mat3<S>& U, int i, int j, int k) {
  constexpr double negligible = is_single<S> ? 1e-32 : 1e-300;
  const S x = B(i, k), y = B(j, k);
  const S square = x * x + y * y;
  const auto some = square > S(negligible);
  const S inverse = S(1) / sqrt(max(square, S(negligible)));
  const S c = select(some, x * inverse, S(1)), s = select(some, y * inverse, S(0));
  for (int n = k; n < 3; ++n) {
    const S upper = B(i, n), lower = B(j, n);
    B(i, n) = c * upper + s * lower;
    B(j, n) = c * lower - s * upper;
  }
  for (int n = 0; n < 3; ++n) {
    const S left = U(n, i), right = U(n, j);
    U(n, i) = c * left + s * right;
    U(n, j) = c * right - s * left;
  }
}

template <class S> KNEAD_INLINE Svd<S> svd(const Mat3<S>& F) {
  const BinaryScale<S> scale = binary_scale(largest_entry(F));
  const Mat3<S> A = F * scale.inverse;
  Svd<S> result;
  Vec3<S> squares;
  eigen_symmetric(left_cauchy_green(transpose(A)), squares, result.V);
  Mat3<S> B = A * result.V;
  separate_small_columns(B, result.V);
  // The columns of B are orthogonal to rounding of the first and descend: in B = U R, R is diagonal to rounding of sigma.x.
  result.U = Mat3<S>::identity();
  givens(B, result.U, 0, 1, 0);
  givens(B, result.U, 0, 2, 0);
  givens(B, result.U, 1, 2, 1);
  const S x = abs(B(0, 0)), y = min(abs(B(1, 1)), x), z = max(min(B(2, 2), y), -y);  // in order also where they differ by rounding
  result.sigma = Vec3<S>{x, y, z} * scale.factor;
  return result;
}

}  // namespace knead
