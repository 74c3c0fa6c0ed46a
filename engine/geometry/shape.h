// Shapes as signed distances: negative inside, 1-Lipschitz (never larger in magnitude than the true distance).
#pragma once
#include <memory>
#include <optional>

#include "math/vec.h"

namespace knead {

struct Bounds3 {
  Vec3d minimum, maximum;
};

class Shape {
 public:
  virtual ~Shape() = default;
  virtual double distance(const Vec3d& point) const = 0;  // [m]
  virtual Bounds3 bounds() const = 0;                     // infinite for planes
  virtual Vec3d normal(const Vec3d& point) const;         // outward unit normal; default: central differences
  virtual std::optional<double> volume() const;           // [m^3], where it is known exactly; default: unknown
};
using ShapePointer = std::shared_ptr<const Shape>;

bool is_finite(const Bounds3& bounds);

// Central differences of the distance over 2 * step. Where the distance is flat the direction is arbitrary but unit.
Vec3d numerical_normal(const Shape& shape, const Vec3d& point, double step);

}  // namespace knead
