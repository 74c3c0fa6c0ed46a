// What a mesh needs before it can be carried by particles: triangles small enough to bend, and corners that know which edges are sharp.
#pragma once
#include <cstdint>
#include <vector>

#include "geometry/mesh.h"

namespace knead {

// Splits edges longer than `longest` in the middle until there are none; closed meshes stay closed. Where triangles meet at more than
// `degrees` the surface stays where it is; elsewhere new vertices lie on the round surface that the normals suggest.
// Throws InputError where that makes more triangles than memory should hold.
constexpr double crease_degrees = 40;
TriangleMesh subdivide(TriangleMesh mesh, double longest, double degrees = crease_degrees);

// A mesh in which vertices on sharp edges (the triangles meet at more than `degrees`) come several times, once for each smooth side.
struct CreasedMesh {
  std::vector<std::uint32_t> source;  // the vertex of the mesh as given that each vertex is a copy of
  std::vector<Triangle> triangles;    // as given, in the same order
};
CreasedMesh split_creases(const TriangleMesh& mesh, double degrees);

}  // namespace knead
