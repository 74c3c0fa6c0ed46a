// Derivatives of isotropic functions G(F) = U f(sigma) V^T of the deformation gradient F = U diag(sigma) V^T: first Piola stresses,
// return maps, clamps. Nothing here differentiates U or V, so equal stretches are harmless.
#pragma once
#include <type_traits>

#include "math/vec.h"

namespace knead {

// In the principal frame, with D = U^T dF V and dG = U R V^T:
// R_ii = sum_j df_i/dsigma_j D_jj,  R_ij = a_ij (D_ij + D_ji)/2 + b_ij (D_ij - D_ji)/2  for i != j,
// a_ij = (f_i - f_j)/(sigma_i - sigma_j),  b_ij = (f_i + f_j)/(sigma_i + sigma_j).
template <class S> struct IsotropicDerivative {
  Mat3<S> diagonal;  // df_i / dsigma_j
  Vec3<S> a, b;      // of the pairs (0,1), (1,2), (2,0)

  // sigma as of a signed decomposition: descending, only the last may be negative.
  KNEAD_INLINE IsotropicDerivative(const Vec3<S>& sigma, const Vec3<S>& f, const Mat3<S>& df) : diagonal(df) {
    // Closer than this the difference quotient loses more digits to rounding (epsilon / gap) than the derivative at the stretches
    // themselves to truncation (gap^2): the cube root of the rounding unit balances the two.
    constexpr bool single = std::is_same_v<S, float> || requires { requires std::is_same_v<typename S::Scalar, float>; };
    const S near(single ? 4e-3 : 6e-6), tiny(1e-30);
    for (int pair = 0; pair < 3; ++pair) {
      const int i = pair, j = (pair + 1) % 3;
      const S gap = sigma[i] - sigma[j], total = sigma[i] + sigma[j], size = abs(sigma[i]) + abs(sigma[j]) + tiny;
      const auto close = abs(gap) < near * size;
      const S limit = S(0.5) * (df(i, i) - df(j, i) + df(j, j) - df(i, j));
      a[pair] = select(close, limit, (f[i] - f[j]) / select(close, S(1), gap));
      // sigma_i = -sigma_j is an inversion at which G has no derivative: b is held finite there.
      const S least = near * size;
      const S safe = select(abs(total) < least, select(total < S(0), -least, least), total);
      b[pair] = (f[i] + f[j]) / safe;
    }
  }

  // D to R.
  KNEAD_INLINE Mat3<S> apply(const Mat3<S>& D) const { return rotate(D, diagonal * Vec3<S>{D.m[0], D.m[4], D.m[8]}); }
  // The adjoint: what multiplies D when R is multiplied by M.
  KNEAD_INLINE Mat3<S> apply_transposed(const Mat3<S>& M) const { return rotate(M, transpose(diagonal) * Vec3<S>{M.m[0], M.m[4], M.m[8]}); }
  // dG for dF, in the frame of the world.
  KNEAD_INLINE Mat3<S> differential(const Mat3<S>& U, const Mat3<S>& V, const Mat3<S>& dF) const {
    return U * apply(transpose(U) * dF * V) * transpose(V);
  }
  // |dG/dF|^2, the sum over all 81 entries.
  KNEAD_INLINE S norm_squared() const { return knead::norm_squared(diagonal) + dot(a, a) + dot(b, b); }

 private:
  KNEAD_INLINE Mat3<S> rotate(const Mat3<S>& D, const Vec3<S>& on_diagonal) const {
    Mat3<S> R = Mat3<S>::diagonal(on_diagonal);
    for (int pair = 0; pair < 3; ++pair) {
      const int i = pair, j = (pair + 1) % 3;
      const S even = a[pair] * S(0.5) * (D(i, j) + D(j, i)), odd = b[pair] * S(0.5) * (D(i, j) - D(j, i));
      R(i, j) = even + odd;
      R(j, i) = even - odd;
    }
    return R;
  }
};

// Principal first Piola stress and its Hessian, from the Kirchhoff stress of an elastic law.
template <class S> struct PrincipalPiola {
  Vec3<S> sigma;    // where it was evaluated: stretches nearer to zero than 1e-6 are moved there, since P = tau / sigma
  Vec3<S> P;        // tau_i / sigma_i [Pa]
  Mat3<S> hessian;  // dP_i / dsigma_j = (sigma_j dtau_i/dsigma_j - delta_ij tau_i) / (sigma_i sigma_j) [Pa]

  template <class Law> KNEAD_INLINE PrincipalPiola(const Law& law, const Vec3<S>& stretches) {
    for (int i = 0; i < 3; ++i) sigma[i] = away_from_zero(stretches[i]);
    const Vec3<S> tau = law.kirchhoff(sigma);
    const Mat3<S> D = law.kirchhoff_derivative(sigma);
    for (int i = 0; i < 3; ++i) {
      P[i] = tau[i] / sigma[i];
      for (int j = 0; j < 3; ++j) hessian(i, j) = (i == j ? D(i, j) - tau[i] : D(i, j)) / (sigma[i] * sigma[j]);
    }
  }
  KNEAD_INLINE IsotropicDerivative<S> derivative() const { return {sigma, P, hessian}; }

 private:
  static KNEAD_INLINE S away_from_zero(const S& s) {
    const S least(1e-6);
    return select(abs(s) < least, select(s < S(0), -least, least), s);
  }
};

}  // namespace knead
