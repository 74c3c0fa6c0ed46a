// Signed distances of the shapes that have a formula. Each throws InputError where its parameters make no solid.
#pragma once
#include "geometry/shapes.h"

namespace knead {

ShapePointer make_primitive(const Box& box);
ShapePointer make_primitive(const Sphere& sphere);
ShapePointer make_primitive(const Ellipsoid& ellipsoid);
ShapePointer make_primitive(const Plane& plane);
ShapePointer make_primitive(const Cylinder& cylinder);
ShapePointer make_primitive(const Capsule& capsule);
ShapePointer make_primitive(const Cone& cone);
ShapePointer make_primitive(const Torus& torus);

// Checks that both shapes' makers share: each throws InputError "KEY must ...".
void require_positive(double value, const char* key);
void require_finite(const Vec3d& value, const char* key);
Vec3d require_direction(const Vec3d& value, const char* key);  // returns it with length 1

}  // namespace knead
