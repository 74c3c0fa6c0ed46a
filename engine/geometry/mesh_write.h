// Triangle meshes as the bytes of files: PLY, OBJ, and binary glTF for the web.
#pragma once
#include <string>
#include <vector>

#include "geometry/mesh.h"

namespace knead {

// A mesh to be shown: a vertex has one normal, so along sharp edges there are several vertices at the same place.
struct SurfaceMesh {
  std::vector<Vec3f> positions;     // [m]
  std::vector<Vec3f> normals;       // unit length, outwards; one per position
  std::vector<Triangle> triangles;  // counter-clockwise seen from outside
};

// Binary little-endian: vertices x,y,z,nx,ny,nz as float, faces as a list of uchar and int. Each comment is one line of the header.
std::string ply_bytes(const SurfaceMesh& mesh, const std::vector<std::string>& comments = {});

// Text, with nine digits: enough to read the same floats back.
std::string obj_bytes(const SurfaceMesh& mesh, const std::vector<std::string>& comments = {});

// glTF 2.0, one file (.glb): a scene of one mesh with positions, normals and 32-bit indices; metres, y up.
// A mesh without triangles becomes a scene without meshes, since glTF has no empty ones.
struct GltfLook {
  std::string name;
  Vec3d color{0.6, 0.6, 0.6};  // linear, each from 0 to 1
  double roughness = 0.6;
};
std::string glb_bytes(const SurfaceMesh& mesh, const GltfLook& look);

}  // namespace knead
