// Rotations of geometry: Euler angles in degrees about x, then y, then z, and rotation vectors.
#pragma once
#include <numbers>

#include "math/vec.h"

namespace knead {

inline Mat3d rotation_about(int axis, double angle) {  // [rad]
  const double c = std::cos(angle), s = std::sin(angle);
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  Mat3d r = Mat3d::identity();
  r(j, j) = c, r(k, k) = c, r(j, k) = -s, r(k, j) = s;
  return r;
}

inline Mat3d euler_rotation(const Vec3d& degrees) {
  const Vec3d a = degrees * (std::numbers::pi / 180);
  return rotation_about(2, a.z) * rotation_about(1, a.y) * rotation_about(0, a.x);
}

// Rodrigues' formula: by |v| [rad] about v.
inline Mat3d rotation_from_vector(const Vec3d& v) {
  const double angle = length(v);
  if (angle == 0) return Mat3d::identity();
  const Vec3d n = v / angle;
  const double c = std::cos(angle), s = std::sin(angle);
  Mat3d r = outer(n, n) * (1 - c) + Mat3d::identity() * c;
  r(0, 1) -= s * n.z, r(0, 2) += s * n.y, r(1, 0) += s * n.z, r(1, 2) -= s * n.x, r(2, 0) -= s * n.y, r(2, 1) += s * n.x;
  return r;
}

}  // namespace knead
