// Unit quaternions as rotations: w + xi + yj + zk, and q v q^-1 turns v.
#pragma once
#include <cmath>

#include "math/vec.h"

namespace knead {

struct Quaternion {
  double w = 1, x = 0, y = 0, z = 0;
};

inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {  // first b, then a
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

inline Quaternion normalized(const Quaternion& q) {
  const double scale = 1 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w * scale, q.x * scale, q.y * scale, q.z * scale};
}

// By |v| [rad] about v.
inline Quaternion quaternion_from_vector(const Vec3d& v) {
  const double half = 0.5 * length(v);
  const double s = half > 1e-9 ? 0.5 * std::sin(half) / half : 0.5;  // sin(half) / |v|
  return {std::cos(half), v.x * s, v.y * s, v.z * s};
}

inline Mat3d rotation_matrix(const Quaternion& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, yz = q.y * q.z, zx = q.z * q.x, wx = q.w * q.x,
               wy = q.w * q.y, wz = q.w * q.z;
  return {{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (zx + wy), 2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx), 2 * (zx - wy), 2 * (yz + wx),
           1 - 2 * (xx + yy)}};
}

}  // namespace knead
