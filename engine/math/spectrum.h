// Isotropic functions of a symmetric positive 3x3 matrix without eigenvectors: eigenvalues in closed form, and the function as the
// quadratic polynomial of the matrix that interpolates it at the eigenvalues. About a sixth of the work of Jacobi rotations.
#pragma once
#include "math/eigen.h"
#include "math/vec.h"

namespace knead {

template <class S> struct Spectrum {
  Sym3<S> B, B2;  // (A - mean I) / scale, and its square
  Vec3<S> node;   // eigenvalues of B, descending, kept apart
  S mean, scale;
  bool extreme;  // some lane is too anisotropic for the polynomial: Jacobi rotations instead
  Vec3<S> jacobi_values;
  Mat3<S> jacobi_vectors;

  KNEAD_INLINE explicit Spectrum(const Sym3<S>& A) {
    constexpr bool single = std::is_same_v<S, float> || requires { requires std::is_same_v<typename S::Scalar, float>; };
    mean = trace(A) * S(1.0 / 3.0);
    const Sym3<S> D = A - isotropic(mean);
    // |D|^2 = 6 scale^2 makes the eigenvalues of B = D / scale 2 cos(phi + 2 pi k / 3)
    scale = sqrt(norm_squared(D) * S(1.0 / 6.0)) + mean * S(single ? 1e-9 : 1e-20) + S(1e-30);
    const S inverse = S(1) / scale;
    B = D * inverse;
    B2 = {B.xx * B.xx + B.xy * B.xy + B.zx * B.zx, B.xy * B.xy + B.yy * B.yy + B.yz * B.yz, B.zx * B.zx + B.yz * B.yz + B.zz * B.zz,
          B.xx * B.xy + B.xy * B.yy + B.zx * B.yz, B.xy * B.zx + B.yy * B.yz + B.yz * B.zz, B.xx * B.zx + B.xy * B.yz + B.zx * B.zz};
    // cos(3 phi) = det(B) / 2, and det B = tr(B^3) / 3 for a deviator
    const S half = (B.xx * B2.xx + B.yy * B2.yy + B.zz * B2.zz + S(2) * (B.xy * B2.xy + B.yz * B2.yz + B.zx * B2.zx)) * S(1.0 / 6.0);
    const S r = min(abs(half), S(1));
    // c = cos(phi) of the isolated root, from 4 c^3 - 3 c = |cos 3 phi|: c in [0.866, 1], slope >= 6, so Newton is safe
    S c = S(0.8660254037844386) + r * (S(0.1666666666666667) - S(0.0326920704511053) * r);
    S slope = S(1) / (S(12) * c * c - S(3));
    for (int k = 0; k < (single ? 2 : 3); ++k) {
      if (!single && k > 0) slope = S(1) / (S(12) * c * c - S(3));  // in single the first slope serves both steps
      c = c - (c * (S(4) * c * c - S(3)) - r) * slope;
    }
    // Two eigenvalues that coincide are known only to the square root of rounding, and where D is small to rounding / scale. Nodes
    // are kept that far apart: the polynomial then errs by the third derivative times the gap squared, which is rounding again.
    const S noise = mean * inverse * S(single ? 1e-6 : 2e-15);
    const S apart = min(max(noise * noise, S(single ? 1e-7 : 1e-15)), S(0.2));
    const S h = sqrt(max(S(1) - c * c, apart) * S(3));
    const auto positive = half >= S(0);
    const S isolated = S(2) * c;
    node.x = select(positive, isolated, c + h);
    node.y = select(positive, h - c, c - h);
    node.z = select(positive, -(c + h), -isolated);
    // Two small equal eigenvalues beside a large one: nodes off by the square root of rounding cost the polynomial rounding times
    // the ratio squared, while rotations lose rounding times the ratio, as the matrix itself does.
    extreme = any(mean + scale * node.z < (mean + scale * node.x) * S(single ? 0.1 : 0.01));
    if (extreme) [[unlikely]]
      eigen_symmetric(A, jacobi_values, jacobi_vectors);
  }

  KNEAD_INLINE Vec3<S> values() const {
    if (extreme) [[unlikely]]
      return jacobi_values;
    return {mean + scale * node.x, mean + scale * node.y, mean + scale * node.z};
  }

  // The symmetric matrix with the eigenvectors of A and the eigenvalues f, by Newton's divided differences.
  KNEAD_INLINE Sym3<S> compose(const Vec3<S>& f) const {
    if (extreme) [[unlikely]]
      return knead::compose(jacobi_vectors, f);
    const S d12 = node.x - node.y, d23 = node.y - node.z, d13 = node.x - node.z;
    const S inverse = S(1) / (d12 * d23 * d13);  // one division for three
    const S f12 = (f.x - f.y) * (d23 * d13 * inverse), f23 = (f.y - f.z) * (d12 * d13 * inverse);
    const S f123 = (f12 - f23) * (d12 * d23 * inverse);
    const S linear = f12 - f123 * (node.x + node.y);
    const S constant = f.x - node.x * (f12 - f123 * node.y);
    return B2 * f123 + B * linear + isotropic(constant);
  }
};

}  // namespace knead
