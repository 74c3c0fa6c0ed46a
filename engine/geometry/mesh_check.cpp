// Is a mesh a solid? Closed, consistently oriented, facing outwards, not crossing itself.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/error.h"
#include "base/threads.h"
#include "geometry/mesh.h"

namespace knead {

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string place(const Vec3d& point) { return "(" + number(point.x) + ", " + number(point.y) + ", " + number(point.z) + ")"; }

// Every edge must belong to two triangles that run along it in opposite directions.
void check_edges(const TriangleMesh& mesh) {
  struct Edge {
    std::uint32_t low, high;
    bool forward;  // the triangle runs from low to high
  };
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const Triangle& triangle : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = triangle[i], b = triangle[(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return std::pair(a.low, a.high) < std::pair(b.low, b.high); });
  std::size_t open = 0, crowded = 0, twisted = 0;
  const Edge *first_open = nullptr, *first_crowded = nullptr, *first_twisted = nullptr;
  for (std::size_t i = 0, next; i < edges.size(); i = next) {
    std::size_t forward = 0;
    for (next = i; next < edges.size() && edges[next].low == edges[i].low && edges[next].high == edges[i].high; ++next)
      forward += edges[next].forward;
    const std::size_t uses = next - i;
    if (uses == 1 && open++ == 0) first_open = &edges[i];
    if (uses > 2 && crowded++ == 0) first_crowded = &edges[i];
    if (uses == 2 && forward != 1 && twisted++ == 0) first_twisted = &edges[i];
  }
  const auto where = [&](const Edge* edge) { return place((mesh.vertices[edge->low] + mesh.vertices[edge->high]) * 0.5); };
  if (open > 0)
    throw InputError("the mesh is not closed: " + std::to_string(open) + " edges belong to one triangle only, the first at " +
                     where(first_open) + "; close its holes or merge vertices that should be one.");
  if (crowded > 0)
    throw InputError("the mesh has " + std::to_string(crowded) + " edges that belong to more than two triangles, the first at " +
                     where(first_crowded) + "; remove doubled faces or separate the parts that touch there.");
  if (twisted > 0)
    throw InputError("the triangles of the mesh are not consistently oriented: at " + std::to_string(twisted) +
                     " edges neighbours face opposite sides, the first at " + where(first_twisted) +
                     "; recalculate the normals so that all faces run counter-clockwise seen from outside.");
}

double tetrahedron(const Vec3d& a, const Vec3d& b, const Vec3d& c) { return dot(a, cross(b, c)) / 6; }

Vec3d corner_of(const TriangleMesh& mesh, std::uint32_t triangle, std::size_t corner) {
  return mesh.vertices[mesh.triangles[triangle][corner]];
}

// How many times the part goes round the point: 1 or -1 inside, 0 outside, in between on the surface. Sum of solid angles.
double winding(const TriangleMesh& mesh, const MeshPart& part, const Vec3d& point) {
  double angle = 0;
  for (const std::uint32_t triangle : part.triangles) {
    const Vec3d a = corner_of(mesh, triangle, 0) - point, b = corner_of(mesh, triangle, 1) - point,
                c = corner_of(mesh, triangle, 2) - point;
    const double la = length(a), lb = length(b), lc = length(c);
    angle += 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return angle / (4 * std::numbers::pi);
}

bool contains(const Bounds3& box, const Vec3d& point) {
  for (int i = 0; i < 3; ++i)
    if (point[i] < box.minimum[i] || point[i] > box.maximum[i]) return false;
  return true;
}

void grow(Bounds3& box, const Vec3d& point) {
  for (int i = 0; i < 3; ++i) box.minimum[i] = std::min(box.minimum[i], point[i]), box.maximum[i] = std::max(box.maximum[i], point[i]);
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Bounds3 nothing{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};

// Union-find over vertices.
std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t vertex) {
  while (parent[vertex] != vertex) vertex = parent[vertex] = parent[parent[vertex]];
  return vertex;
}

}  // namespace

Bounds3 bounds_of(const TriangleMesh& mesh) {
  Bounds3 box = nothing;
  for (const Vec3d& vertex : mesh.vertices) grow(box, vertex);
  return box;
}

double surface_area(const TriangleMesh& mesh) {
  double area = 0;
  for (const Triangle& t : mesh.triangles)
    area += length(cross(mesh.vertices[t[1]] - mesh.vertices[t[0]], mesh.vertices[t[2]] - mesh.vertices[t[0]])) / 2;
  return area;
}

double signed_volume(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return 0;
  const Vec3d origin = mesh.vertices.front();  // near the mesh, against cancellation
  double volume = 0;
  for (const Triangle& t : mesh.triangles)
    volume += tetrahedron(mesh.vertices[t[0]] - origin, mesh.vertices[t[1]] - origin, mesh.vertices[t[2]] - origin);
  return volume;
}

std::vector<MeshPart> parts_of(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> parent(mesh.vertices.size()), part_of(mesh.vertices.size(), UINT32_MAX);
  std::iota(parent.begin(), parent.end(), 0u);
  for (const Triangle& t : mesh.triangles)
    for (std::size_t i = 1; i < 3; ++i) parent[root_of(parent, t[i])] = root_of(parent, t[0]);
  std::vector<MeshPart> parts;
  for (std::uint32_t triangle = 0; triangle < mesh.triangles.size(); ++triangle) {
    std::uint32_t& index = part_of[root_of(parent, mesh.triangles[triangle][0])];
    if (index == UINT32_MAX) {
      index = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back().bounds = nothing;
    }
    MeshPart& part = parts[index];
    part.triangles.push_back(triangle);
    const Vec3d origin = corner_of(mesh, part.triangles.front(), 0);
    part.signed_volume +=
        tetrahedron(corner_of(mesh, triangle, 0) - origin, corner_of(mesh, triangle, 1) - origin, corner_of(mesh, triangle, 2) - origin);
    for (std::size_t i = 0; i < 3; ++i) grow(part.bounds, corner_of(mesh, triangle, i));
  }
  parallel_for(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3d point = corner_of(mesh, parts[i].triangles.front(), 0);
      for (std::size_t j = 0; j < parts.size(); ++j)
        if (i != j && contains(parts[j].bounds, point)) parts[i].depth += std::abs(winding(mesh, parts[j], point)) > 0.5;
    }
  });
  return parts;
}

std::vector<MeshPart> check_mesh(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) throw InputError("the mesh has no triangles.");
  check_edges(mesh);
  const double volume = signed_volume(mesh);
  const Bounds3 box = bounds_of(mesh);
  const Vec3d size = box.maximum - box.minimum;
  if (!std::isfinite(length(size)) || !std::isfinite(volume)) throw InputError("the mesh is too large to compute with.");
  if (!(std::abs(volume) > 1e-12 * std::pow(std::max({size.x, size.y, size.z}), 3))) throw InputError("the mesh encloses no volume.");
  if (const auto pair = find_self_intersection(mesh))
    throw InputError("the mesh intersects or touches itself, for example at triangle " + std::to_string((*pair)[0]) + " near " +
                     place(corner_of(mesh, (*pair)[0], 0)) + " and triangle " + std::to_string((*pair)[1]) +
                     "; repair it, or give its parts as separate files in a shape of type \"union\".");
  auto parts = parts_of(mesh);
  for (const MeshPart& part : parts) {
    if (part.depth % 2 == 0 && part.signed_volume <= 0)
      throw InputError(std::string("the mesh is inside out") + (parts.size() > 1 ? " in one of its parts" : "") +
                       ": its triangles face inwards (signed volume " + number(part.signed_volume) + " m^3), for example near " +
                       place(corner_of(mesh, part.triangles.front(), 0)) + "; flip its faces (reverse the order of their corners).");
    if (part.depth % 2 == 1 && part.signed_volume >= 0)
      throw InputError("the mesh has a part inside another part, near " + place(corner_of(mesh, part.triangles.front(), 0)) +
                       "; remove it, or flip its faces to make it a cavity.");
  }
  return parts;
}

}  // namespace knead
