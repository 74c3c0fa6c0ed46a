// A ray against a signed distance, by steps that cannot pass the surface.
#pragma once
#include "geometry/shape.h"
#include "render/picture.h"

namespace knead {

// Where the ray enters the shape (or leaves it, when it starts inside) between near and far, within the surface's bounds; false: nowhere.
bool trace_shape(const ShapeSurface& surface, const Vec3d& origin, const Vec3d& direction, double near, double far, double& distance);
Vec3d shape_normal(const ShapeSurface& surface, const Vec3d& point);

// Bounds of the shape after the motion.
Bounds3 moved_bounds(const Bounds3& bounds, const Pose& pose);

}  // namespace knead
