// Symmetric 3x3 eigenproblem by cyclic Jacobi rotations: slower than Spectrum, but gives the vectors, to full accuracy.
#pragma once
#include "math/scale.h"
#include "math/vec.h"

namespace knead {

// One Jacobi rotation in the plane of p and q: apq becomes zero; r is the third index. V's columns p and q turn along.
template <class S> KNEAD_INLINE void jacobi_rotate(S& app, S& aqq, S& apq, S& apr, S& aqr, Mat3<S>& V, int p, int q) {
  // Below this the squares underflow: such entries are far below rounding of a matrix of order one and count as zero.
  constexpr double negligible = is_single<S> ? 1e-36 : 1e-300;
  const S x = aqq - app, y = apq + apq;
  const S square = x * x + y * y;
  const S h = sqrt(square);
  // tan of the angle: the smaller root of t^2 + 2 t x / y - 1 = 0, which is y / (x + sign(x) h)
  const S cosine = h + abs(x), sine = select(x < S(0), -y, y);
  const S inverse = select(square > S(negligible), S(1) / sqrt(max(cosine * cosine + y * y, S(negligible))), S(0));
  const S c = select(square > S(negligible), cosine * inverse, S(1)), s = sine * inverse;
  const S change = apq * sine * (h + h) * (inverse * inverse);  // t apq, since cosine^2 + sine^2 = 2 h cosine
  app = app - change;
  aqq = aqq + change;
  apq = S(0);
  const S pr = apr, qr = aqr;
  apr = c * pr - s * qr;
  aqr = s * pr + c * qr;
  for (int i = 0; i < 3; ++i) {
    const S vp = V(i, p), vq = V(i, q);
    V(i, p) = c * vp - s * vq;
    V(i, q) = s * vp + c * vq;
  }
}

// A = V diag(values) V^T for A of order one; values in no order. Sweeps until every lane has converged.
template <class S> KNEAD_INLINE void jacobi_sweeps(const Sym3<S>& A, Vec3<S>& values, Mat3<S>& V) {
  constexpr double rounding = is_single<S> ? 6e-8 : 1.1e-16;
  Sym3<S> a = A;
  V = Mat3<S>::identity();
  const S limit = norm_squared(A) * S(rounding * rounding);
  for (int sweep = 0; sweep < 8; ++sweep) {  // three to five are the rule
    jacobi_rotate(a.xx, a.yy, a.xy, a.zx, a.yz, V, 0, 1);
    jacobi_rotate(a.yy, a.zz, a.yz, a.xy, a.zx, V, 1, 2);
    jacobi_rotate(a.xx, a.zz, a.zx, a.xy, a.yz, V, 0, 2);
    if (!any(a.xy * a.xy + a.yz * a.yz > limit)) break;
  }
  values = {a.xx, a.yy, a.zz};
}

// A = V diag(values) V^T; values descend, vectors are the columns of V, det V = 1.
template <class S> KNEAD_INLINE void eigen_symmetric(const Sym3<S>& A, Vec3<S>& values, Mat3<S>& vectors) {
  const BinaryScale<S> scale = binary_scale(largest_entry(A));
  jacobi_sweeps(A * scale.inverse, values, vectors);
  // Sort descending; a swap of two columns negates one of them, so that V stays a rotation.
  auto order = [&](int i, int j) KNEAD_INLINE_LAMBDA {
    const auto swap = values[i] < values[j];
    const S low = select(swap, values[i], values[j]);
    values[i] = select(swap, values[j], values[i]);
    values[j] = low;
    for (int k = 0; k < 3; ++k) {
      const S vi = vectors(k, i), vj = vectors(k, j);
      vectors(k, i) = select(swap, vj, vi);
      vectors(k, j) = select(swap, -vi, vj);
    }
  };
  order(0, 1), order(1, 2), order(0, 1);
  values = values * scale.factor;
}

}  // namespace knead
