// Triangle meshes: reading them from files, and the checks that make one a solid.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "geometry/shape.h"
#include "math/vec.h"

namespace knead {

using Triangle = std::array<std::uint32_t, 3>;  // indices of vertices, counter-clockwise seen from outside

struct TriangleMesh {
  std::vector<Vec3d> vertices;  // [m]
  std::vector<Triangle> triangles;
};

enum class MeshFormat { obj, ply, stl };

// Reads any bytes: a mesh or an InputError, in memory proportional to the bytes. Polygons become triangles, vertices at the same
// place become one, and triangles that use a vertex twice are dropped.
TriangleMesh read_mesh_bytes(std::string_view bytes, MeshFormat format);
TriangleMesh read_mesh(const std::filesystem::path& file);  // format by the ending of the name

std::vector<Vec3d> read_points_bytes(std::string_view ply);
std::vector<Vec3d> read_points(const std::filesystem::path& file);  // vertices of a PLY file, as they are

Bounds3 bounds_of(const TriangleMesh& mesh);
double surface_area(const TriangleMesh& mesh);   // [m^2]
double signed_volume(const TriangleMesh& mesh);  // [m^3]; positive where the triangles face outwards

// Edge-connected parts. One with an even number of other parts around it is solid, one with an odd number is a cavity.
struct MeshPart {
  std::vector<std::uint32_t> triangles;
  Bounds3 bounds;
  double signed_volume = 0;
  int depth = 0;  // number of parts around it
};
std::vector<MeshPart> parts_of(const TriangleMesh& mesh);

// The first pair of triangles that cross each other; empty where there is none. Touching at shared vertices is no crossing.
std::optional<std::array<std::uint32_t, 2>> find_self_intersection(const TriangleMesh& mesh);

// Throws InputError with what is wrong and what helps, unless the mesh is closed, consistently oriented, facing outwards and free
// of self-intersections. Returns its parts.
std::vector<MeshPart> check_mesh(const TriangleMesh& mesh);

}  // namespace knead
