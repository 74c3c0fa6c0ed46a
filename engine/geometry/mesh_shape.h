// The inside of a mesh as a shape.
#pragma once
#include "geometry/mesh.h"
#include "geometry/shape.h"

namespace knead {

// Checks the mesh (InputError) and turns it into a level set with lattice distance `spacing` [m], or finer where the mesh is small
// or thin. Within two lattice distances of the surface the distance is interpolated; farther away it is a lower bound.
ShapePointer make_mesh_shape(const TriangleMesh& mesh, double spacing);

}  // namespace knead
