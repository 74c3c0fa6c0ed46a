// Shapes to triangle meshes with their sharp edges: dual contouring of the signed distance.
#pragma once
#include "geometry/mesh.h"
#include "geometry/shapes.h"

namespace knead {

// A closed mesh, facing outwards, with triangles of about `spacing` [m]. Where the surface has an edge or a corner, the vertices lie
// on it. Parts thinner than `spacing` may be missed. The same mesh whatever the number of threads.
// Throws InputError for a shape without bounds or with too many cells.
TriangleMesh tessellate(const Shape& shape, double spacing);

// The surface of a described shape: the triangles of the file itself for a mesh, else tessellate(). InputError as make_shape.
TriangleMesh make_surface(const ShapeSpec& spec, const std::filesystem::path& folder, double spacing);

}  // namespace knead
