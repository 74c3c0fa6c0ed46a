#include "geometry/motion.h"

#include "geometry/rotation.h"

namespace knead {

bool Motion::moves() const {
  return !translate.constant() || !rotate.constant() || !(velocity == Vec3d{}) || !(angular_velocity == Vec3d{});
}

Pose Motion::pose(double time) const {
  return {.rotation = rotation_from_vector(angular_velocity * time) * euler_rotation(rotate.at(time)),
          .translation = translate.at(time) + velocity * time,
          .pivot = pivot};
}

// With R = Q(t) Rz Ry Rx, the angular velocity that belongs to dR/dt R^T is
// w + Q (z' e_z + Rz (y' e_y + Ry x' e_x)), x', y', z' being the rates of the Euler angles.
Vec3d Motion::velocity_at(const Vec3d& x, double time) const {
  const double radians = std::numbers::pi / 180;
  const Vec3d angle = rotate.at(time) * radians, rate = rotate.rate(time) * radians;
  const Vec3d about_xy = Vec3d{0, rate.y, 0} + rotation_about(1, angle.y) * Vec3d{rate.x, 0, 0};
  const Vec3d euler = Vec3d{0, 0, rate.z} + rotation_about(2, angle.z) * about_xy;
  const Vec3d spin = angular_velocity + rotation_from_vector(angular_velocity * time) * euler;
  const Vec3d center = pivot + translate.at(time) + velocity * time;
  return velocity + translate.rate(time) + cross(spin, x - center);
}

}  // namespace knead
