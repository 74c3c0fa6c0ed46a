#include <cmath>

#include "render/picture.h"

namespace knead {

std::vector<Vec3f> creased_normals(const std::vector<Vec3f>& vertices, const std::vector<Triangle>& triangles, float angle) {
  const float limit = std::cos(angle * 3.14159265f / 180);
  std::vector<Vec3f> areas, flats;  // normals with the length of twice the area, and of unit length
  for (const Triangle& t : triangles) {
    areas.push_back(cross(vertices[t[1]] - vertices[t[0]], vertices[t[2]] - vertices[t[0]]));
    const float size = length(areas.back());
    flats.push_back(size > 0 ? areas.back() / size : Vec3f{0, 0, 0});
  }
  // Triangles around each vertex, one after the other.
  std::vector<std::uint32_t> begins(vertices.size() + 1, 0), around(3 * triangles.size());
  for (const Triangle& t : triangles)
    for (std::uint32_t corner : t) ++begins[corner + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::uint32_t corner : triangles[t]) around[next[corner]++] = static_cast<std::uint32_t>(t);

  std::vector<Vec3f> normals;
  normals.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::uint32_t corner : triangles[t]) {
      Vec3f sum{};
      for (std::uint32_t k = begins[corner]; k < begins[corner + 1]; ++k)
        if (dot(flats[around[k]], flats[t]) >= limit) sum += areas[around[k]];
      const float size = length(sum);
      normals.push_back(size > 0 ? sum / size : flats[t]);
    }
  return normals;
}

}  // namespace knead
