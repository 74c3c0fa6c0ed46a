#include "render/shape_tracing.h"

#include <algorithm>
#include <cmath>

namespace knead {

bool trace_shape(const ShapeSurface& surface, const Vec3d& origin, const Vec3d& direction, double near, double far, double& distance) {
  for (int i = 0; i < 3; ++i) {
    const double a = (surface.bounds.minimum[i] - origin[i]) / direction[i], b = (surface.bounds.maximum[i] - origin[i]) / direction[i];
    near = std::max(near, std::min(a, b)), far = std::min(far, std::max(a, b));
  }
  if (!(near < far)) return false;
  const double size = length(surface.bounds.maximum - surface.bounds.minimum), precision = 2e-6 * size;
  double place = near;
  double value = surface.shape->distance(surface.pose.invert(origin + direction * place));
  const double side = value < 0 ? -1 : 1;  // a ray that starts inside looks for the way out
  // A distance that is a lower bound needs more steps than the true one; grazing rays end at the limit.
  for (int step = 0; step < 300; ++step) {
    if (side * value < precision) return distance = place, true;
    place += std::max(side * value, precision);
    if (place > far) return false;
    value = surface.shape->distance(surface.pose.invert(origin + direction * place));
  }
  return distance = place, side * value < 100 * precision;
}

Vec3d shape_normal(const ShapeSurface& surface, const Vec3d& point) {
  return surface.pose.rotation * surface.shape->normal(surface.pose.invert(point));
}

Bounds3 moved_bounds(const Bounds3& bounds, const Pose& pose) {
  Bounds3 moved{};
  bool first = true;
  for (const Vec3d& corner : corners_of(bounds)) {
    const Vec3d place = pose.apply(corner);
    for (int i = 0; i < 3; ++i) {
      moved.minimum[i] = first ? place[i] : std::min(moved.minimum[i], place[i]);
      moved.maximum[i] = first ? place[i] : std::max(moved.maximum[i], place[i]);
    }
    first = false;
  }
  return moved;
}

}  // namespace knead
