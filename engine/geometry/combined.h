// Shapes made of shapes: unions, intersections, differences, smooth unions, and a transform.
#pragma once
#include <vector>

#include "geometry/shapes.h"

namespace knead {

ShapePointer make_union(std::vector<ShapePointer> shapes);
ShapePointer make_intersection(std::vector<ShapePointer> shapes);  // throws InputError where the bounds are disjoint
ShapePointer make_difference(std::vector<ShapePointer> shapes);    // the first minus the others
ShapePointer make_smooth_union(std::vector<ShapePointer> shapes, double radius);
ShapePointer make_transformed(ShapePointer shape, const Transform& transform);

void check_transform(const Transform& transform);  // throws InputError
Vec3d apply(const Transform& transform, const Vec3d& point);

}  // namespace knead
