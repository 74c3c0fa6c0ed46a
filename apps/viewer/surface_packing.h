// A triangle mesh as the page draws it, little-endian:
//
//     0  "KVS1"
//     4  uint32  vertices
//     8  uint32  triangles
//    12  uint32  0
//    16  double  origin[3], extent[3] [m]; position = origin + extent * xyz
//    64  per vertex uint16 x, y, z of 65535, then its normal on the octahedron: uint16 u, v of 65535, and 0
//    ..  per triangle uint32 vertex[3]
#pragma once
#include "geometry/mesh.h"
#include "viewer/large_bytes.h"

namespace knead::viewer {

LargeBytes pack_mesh(const TriangleMesh& mesh);

}  // namespace knead::viewer
