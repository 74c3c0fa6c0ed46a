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

  KNEAD_INLINE explicit Spectrum(const Sym3<S>& A) {
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
    const S c = cosine_of_third(r);
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
  }

  KNEAD_INLINE Vec3<S> values() const {
    if (extreme) [[unlikely]]
      return rotated_values();
    return {mean + scale * node.x, mean + scale * node.y, mean + scale * node.z};
  }

  // The symmetric matrix with the eigenvectors of A and the eigenvalues f, by Newton's divided differences.
  KNEAD_INLINE Sym3<S> compose(const Vec3<S>& f) const {
    if (extreme) [[unlikely]]
      return rotated_compose(f);
    const S d12 = node.x - node.y, d23 = node.y - node.z, d13 = node.x - node.z;
    const S inverse = S(1) / (d12 * d23 * d13);  // one division for three
    const S f12 = (f.x - f.y) * (d23 * d13 * inverse), f23 = (f.y - f.z) * (d12 * d13 * inverse);
    const S f123 = (f12 - f23) * (d12 * d23 * inverse);
    const S linear = f12 - f123 * (node.x + node.y);
    const S constant = f.x - node.x * (f12 - f123 * node.y);
    return B2 * f123 + B * linear + isotropic(constant);
  }

 private:
  static constexpr bool single = std::is_same_v<S, float> || requires { requires std::is_same_v<typename S::Scalar, float>; };

  // cos(acos(r) / 3) for r in [0, 1], the isolated root of 4 c^3 - 3 c = r: in single a polynomial within 1e-8, in double Newton steps
  // from a nearer guess (c in [0.866, 1] and slope >= 6, so they are safe).
  static KNEAD_INLINE S cosine_of_third(const S& r) {
    if constexpr (single) {
      constexpr double p[8] = {0.8660254134,   0.1666653269,   -0.04808181567, 0.02441884119,
                               -0.01436442723, 0.007773254269, -0.00300157021, 0.0005649869375};
      S c(p[7]);
      for (int k = 6; k >= 0; --k) c = c * r + S(p[k]);
      return min(c, S(1));
    } else {
      S c = S(0.8660254037844386) + r * (S(0.1666666666666667) - S(0.0326920704511053) * r);
      for (int k = 0; k < 3; ++k) c = c - (c * (S(4) * c * c - S(3)) - r) / (S(12) * c * c - S(3));
      return c;
    }
  }

  // The rare way, kept out of the way of the common one.
  [[gnu::noinline]] Vec3<S> rotated_values() const {
    Vec3<S> eigenvalues;
    Mat3<S> vectors;
    eigen_symmetric(B * scale + isotropic(mean), eigenvalues, vectors);
    return eigenvalues;
  }
  [[gnu::noinline]] Sym3<S> rotated_compose(const Vec3<S>& f) const {
    Vec3<S> eigenvalues;
    Mat3<S> vectors;
    eigen_symmetric(B * scale + isotropic(mean), eigenvalues, vectors);
    return knead::compose(vectors, f);
  }
};

}  // namespace knead
