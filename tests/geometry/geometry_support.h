// What the tests of this room share: random points, meshes made on the spot, the message of an error.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "geometry/mesh.h"

namespace knead::test {

inline Vec3d random_point(const Bounds3& box, std::uint64_t stream, std::uint64_t index) {
  const Vec3d u{random_uniform(7, stream, 3 * index), random_uniform(7, stream, 3 * index + 1), random_uniform(7, stream, 3 * index + 2)};
  return box.minimum + (box.maximum - box.minimum) * u;
}

template <class Function> std::string message_of(Function&& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline bool close(const Vec3d& a, const Vec3d& b, double tolerance) { return length(a - b) <= tolerance; }

// A box of twelve triangles.
inline TriangleMesh box_mesh(const Vec3d& low, const Vec3d& high) {
  TriangleMesh mesh;
  for (int c = 0; c < 8; ++c) mesh.vertices.push_back({c & 1 ? high.x : low.x, c & 2 ? high.y : low.y, c & 4 ? high.z : low.z});
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

// An icosahedron, each triangle split in four `times` times, the vertices on the sphere.
inline TriangleMesh sphere_mesh(const Vec3d& center, double radius, int times) {
  const double p = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vec3d> v = {{-1, p, 0},  {1, p, 0},  {-1, -p, 0}, {1, -p, 0}, {0, -1, p},  {0, 1, p},
                          {0, -1, -p}, {0, 1, -p}, {p, 0, -1},  {p, 0, 1},  {-p, 0, -1}, {-p, 0, 1}};
  std::vector<Triangle> faces = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                 {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                 {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int i = 0; i < times; ++i) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [entry, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(v.size()));
      if (is_new) v.push_back(normalized(v[a]) + normalized(v[b]));
      return entry->second;
    };
    std::vector<Triangle> finer;
    for (const auto& [a, b, c] : faces) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const Triangle& part : {Triangle{a, ab, ca}, Triangle{b, bc, ab}, Triangle{c, ca, bc}, Triangle{ab, bc, ca}})
        finer.push_back(part);
    }
    faces = finer;
  }
  for (Vec3d& vertex : v) vertex = center + normalized(vertex) * radius;
  return {v, faces};
}

inline TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
  const auto offset = static_cast<std::uint32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const Triangle& t : b.triangles) a.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
  return a;
}

inline TriangleMesh flipped(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

}  // namespace knead::test
