// What the tests of this room share: lattices of particles, and what makes a mesh a closed surface.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "geometry/mesh_write.h"

namespace knead::test {

// Centres of a lattice of cells of size `spacing` that start at the origin; those for which `is_inside`.
inline std::vector<Vec3f> lattice(int count, double spacing, const std::function<bool(const Vec3d&)>& is_inside) {
  std::vector<Vec3f> points;
  for (int i = -count; i < count; ++i)
    for (int j = -count; j < count; ++j)
      for (int k = -count; k < count; ++k) {
        const Vec3d p = Vec3d{i + 0.5, j + 0.5, k + 0.5} * spacing;
        if (is_inside(p)) points.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
      }
  return points;
}

inline TriangleMesh plain(const SurfaceMesh& mesh) {
  TriangleMesh result;
  for (const Vec3f& p : mesh.positions) result.vertices.push_back({p.x, p.y, p.z});
  result.triangles = mesh.triangles;
  return result;
}

// Every edge is run through once each way.
inline bool is_closed(const std::vector<Triangle>& triangles) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
  for (const Triangle& t : triangles)
    for (std::size_t i = 0; i < 3; ++i) ++uses[{t[i], t[(i + 1) % 3]}];
  return std::all_of(uses.begin(), uses.end(), [&](const auto& use) {
    const auto back = uses.find({use.first.second, use.first.first});
    return use.second == 1 && back != uses.end() && back->second == 1;
  });
}

inline Vec3d to_double(const Vec3f& v) { return {v.x, v.y, v.z}; }

}  // namespace knead::test
