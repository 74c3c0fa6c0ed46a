#include "viewer/surface_packing.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/threads.h"

namespace knead::viewer {
namespace {

constexpr std::size_t header_bytes = 64, vertex_words = 6;

std::uint16_t sixteen_bits(double fraction) { return static_cast<std::uint16_t>(std::lround(std::clamp(fraction, 0.0, 1.0) * 65535)); }

// Area-weighted: the cross product of two edges is the triangle's normal, twice its area long.
std::vector<Vec3d> vertex_normals(const TriangleMesh& mesh) {
  std::vector<Vec3d> normals(mesh.vertices.size());
  for (const Triangle& triangle : mesh.triangles) {
    const Vec3d &a = mesh.vertices[triangle[0]], &b = mesh.vertices[triangle[1]], &c = mesh.vertices[triangle[2]];
    const Vec3d normal = cross(b - a, c - a);
    for (const std::uint32_t corner : triangle) normals[corner] += normal;
  }
  return normals;
}

// The octahedron |x| + |y| + |z| = 1 unfolded into a square: the lower half is folded outwards over its edges.
void write_normal(const Vec3d& normal, std::uint16_t* target) {
  const double size = std::abs(normal.x) + std::abs(normal.y) + std::abs(normal.z);
  double u = size > 0 ? normal.x / size : 0, v = size > 0 ? normal.y / size : 0;
  if (normal.z < 0) {
    const double folded = (1 - std::abs(v)) * (u < 0 ? -1 : 1);
    v = (1 - std::abs(u)) * (v < 0 ? -1 : 1);
    u = folded;
  }
  target[0] = sixteen_bits(0.5 + 0.5 * u), target[1] = sixteen_bits(0.5 + 0.5 * v);
}

}  // namespace

LargeBytes pack_mesh(const TriangleMesh& mesh) {
  const Bounds3 bounds = mesh.vertices.empty() ? Bounds3{} : bounds_of(mesh);
  const Vec3d extent = bounds.maximum - bounds.minimum;
  const std::uint32_t counts[3]{static_cast<std::uint32_t>(mesh.vertices.size()), static_cast<std::uint32_t>(mesh.triangles.size()), 0};
  const double frame[6]{bounds.minimum.x, bounds.minimum.y, bounds.minimum.z, extent.x, extent.y, extent.z};
  const std::size_t triangles_at = header_bytes + 2 * vertex_words * mesh.vertices.size();
  LargeBytes bytes(triangles_at + sizeof(Triangle) * mesh.triangles.size());
  std::memcpy(bytes.data(), "KVS1", 4);
  std::memcpy(bytes.data() + 4, counts, sizeof counts);
  std::memcpy(bytes.data() + 16, frame, sizeof frame);

  const std::vector<Vec3d> normals = vertex_normals(mesh);
  parallel_for(mesh.vertices.size(), 16384, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint16_t words[vertex_words]{};
      for (int c = 0; c < 3; ++c)
        words[c] = extent[c] > 0 ? sixteen_bits((mesh.vertices[i][c] - bounds.minimum[c]) / extent[c]) : std::uint16_t{0};
      write_normal(normals[i], words + 3);
      std::memcpy(bytes.data() + header_bytes + 2 * vertex_words * i, words, sizeof words);
    }
  });
  if (!mesh.triangles.empty()) std::memcpy(bytes.data() + triangles_at, mesh.triangles.data(), sizeof(Triangle) * mesh.triangles.size());
  return bytes;
}

}  // namespace knead::viewer
