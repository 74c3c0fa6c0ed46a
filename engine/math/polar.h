// The rotation of a 3x3 matrix without its singular vectors.
#pragma once
#include "math/svd.h"

namespace knead {

// The matrix of cofactors: det(F) F^-T where F is regular.
template <class S> KNEAD_INLINE Mat3<S> cofactor(const Mat3<S>& F) {
  const auto& m = F.m;
  return {{m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6],  //
           m[2] * m[7] - m[1] * m[8], m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7],  //
           m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5], m[0] * m[4] - m[1] * m[3]}};
}

// R of F = R S with a proper rotation R = U V^T, also for det F < 0: it maximises tr(R^T F). docs/numerics.md has the derivation.
// tr S = sigma.x + sigma.y + sigma.z is the largest root of t^4 - 2 |F|^2 t^2 - 8 det(F) t + |F|^4 - 4 |cof F|^2, and by
// Cayley-Hamilton  R = (t cof F + (t^2 + |F|^2) / 2 F - F F^T F) / ((sx + sy) (sy + sz) (sz + sx)).
template <class S> KNEAD_INLINE Mat3<S> polar_rotation(const Mat3<S>& F) {
  constexpr bool single = is_single<S>;
  const BinaryScale<S> scale = binary_scale(largest_entry(F));
  const Mat3<S> A = F * scale.inverse;
  const Mat3<S> C = cofactor(A);
  const S n = norm_squared(A), det = A.m[0] * C.m[0] + A.m[1] * C.m[1] + A.m[2] * C.m[2];
  const S constant = n * n - S(4) * norm_squared(C);
  // Newton from above, where the polynomial is convex, is monotone; it starts within the square of the strain.
  S t = sqrt(S(3) * n), change = t;
  const S enough(single ? 1e-4 : 1e-8);  // the error is about the square of the last change, and squared again below
  for (int k = 0; k < 16 && any(change > t * enough); ++k) {
    change = (t * (t * (t * t - S(2) * n) - S(8) * det) + constant) / max(S(4) * (t * (t * t - n) - S(2) * det), S(1e-20));
    t = t - change;
  }
  const S second = S(0.5) * (t * t - n);
  const S denominator = t * second - det;  // (sx + sy) (sy + sz) (sz + sx)
  // Where sy + sz is small against sx the rotation is badly determined, the root is nearly double and the formula loses digits.
  const auto singular = !(denominator > t * t * t * S(single ? 0.02 : 1e-3)) || change > t * enough;
  const S inverse = select(singular, S(0), S(1) / max(denominator, S(1e-20)));
  const Mat3<S> cube = to_matrix(left_cauchy_green(A)) * A;
  Mat3<S> R = C * (t * inverse) + A * ((t * t - second) * inverse) - cube * inverse;
  // One Newton-Schulz step R (3 I - R^T R) / 2: errors in t only stretch R along the axes of S, and this removes them.
  R = R * (Mat3<S>::diagonal({S(1.5), S(1.5), S(1.5)}) - to_matrix(left_cauchy_green(transpose(R))) * S(0.5));
  if (any(singular)) [[unlikely]] {
    const Svd<S> exact = svd(A);
    const Mat3<S> robust = exact.U * transpose(exact.V);
    for (int i = 0; i < 9; ++i) R.m[i] = select(singular, robust.m[i], R.m[i]);
  }
  return R;
}

}  // namespace knead
