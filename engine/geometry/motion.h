// Rigid motion in time of colliders and pinned parts, relative to the pose at time 0.
#pragma once
#include <optional>

#include "base/parameters.h"
#include "math/animated.h"
#include "math/vec.h"

namespace knead {

// x(t) = rotation * (X - pivot) + pivot + translation, for a point X of the pose at time 0.
struct Pose {
  Mat3d rotation = Mat3d::identity();
  Vec3d translation;
  Vec3d pivot;
  Vec3d apply(const Vec3d& X) const { return rotation * (X - pivot) + pivot + translation; }
  Vec3d invert(const Vec3d& x) const { return transpose(rotation) * (x - pivot - translation) + pivot; }
};

struct Motion {
  Animated<Vec3d> translate;      // [m]
  Animated<Vec3d> rotate;         // [degrees] about x, then y, then z
  Vec3d velocity;                 // [m/s], constant
  Vec3d angular_velocity;         // [rad/s], constant, about `pivot`; applied after `rotate`
  Vec3d pivot;                    // [m]
  std::optional<double> release;  // [s]; from then on the collider or pin no longer acts

  bool moves() const;
  bool active(double time) const { return !release || time < *release; }
  Pose pose(double time) const;
  // Velocity at time t of the material point that is at x then [m/s].
  Vec3d velocity_at(const Vec3d& x, double time) const;

  template <class Visitor> void describe(Visitor& visit) {
    visit("translate", translate, {.unit = "m", .text = "Displacement from the pose at time 0."});
    visit("rotate", rotate, {.unit = "deg", .text = "Rotation about x, then y, then z, through the pivot."});
    visit("velocity", velocity, {.unit = "m/s", .text = "Constant velocity, on top of `translate`."});
    visit("angular_velocity", angular_velocity, {.unit = "rad/s", .text = "Constant rotation about the pivot, on top of `rotate`."});
    visit("pivot", pivot, {.unit = "m", .text = "Centre of rotation in the pose at time 0."});
    visit("release", release, {.unit = "s", .text = "From this time on the part no longer acts."});
  }
};

}  // namespace knead
