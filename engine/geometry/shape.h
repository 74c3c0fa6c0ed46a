// Shapes as signed distances: negative inside, 1-Lipschitz (never larger in magnitude than the true distance).
#pragma once
#include <memory>

#include "math/vec.h"

namespace knead {

struct Bounds3 {
  Vec3d minimum, maximum;
};

class Shape {
 public:
  virtual ~Shape() = default;
  virtual double distance(const Vec3d& point) const = 0;           // [m]
  virtual Bounds3 bounds() const = 0;                              // infinite for planes
  virtual Vec3d normal(const Vec3d& point) const;                  // outward unit normal; default: central differences
};
using ShapePointer = std::shared_ptr<const Shape>;

}  // namespace knead
