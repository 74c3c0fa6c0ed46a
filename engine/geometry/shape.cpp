#include "geometry/shape.h"

namespace knead {

std::optional<double> Shape::volume() const { return std::nullopt; }

bool is_finite(const Bounds3& bounds) {
  for (int i = 0; i < 3; ++i)
    if (!std::isfinite(bounds.minimum[i]) || !std::isfinite(bounds.maximum[i])) return false;
  return true;
}

Vec3d numerical_normal(const Shape& shape, const Vec3d& point, double step) {
  Vec3d gradient;
  for (int i = 0; i < 3; ++i) {
    Vec3d before = point, after = point;
    before[i] -= step, after[i] += step;
    gradient[i] = shape.distance(after) - shape.distance(before);
  }
  const double size = length(gradient);
  return size > 0 ? gradient / size : Vec3d{0, 1, 0};
}

Vec3d Shape::normal(const Vec3d& point) const {
  const Bounds3 box = bounds();
  return numerical_normal(*this, point, is_finite(box) ? 1e-6 * length(box.maximum - box.minimum) : 1e-6);
}

}  // namespace knead
