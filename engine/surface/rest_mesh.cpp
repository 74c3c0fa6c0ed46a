#include "surface/rest_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/error.h"

namespace knead {

namespace {

constexpr std::size_t most_triangles = 20'000'000;

// The edges of all triangles, both triangles of an edge next to each other.
struct EdgeUse {
  std::uint32_t low, high;         // vertices
  std::uint32_t triangle, corner;  // the edge starts at this corner
};
std::vector<EdgeUse> edges_of(const std::vector<Triangle>& triangles) {
  std::vector<EdgeUse> edges;
  edges.reserve(triangles.size() * 3);
  for (std::uint32_t t = 0; t < triangles.size(); ++t)
    for (std::uint32_t c = 0; c < 3; ++c) {
      const std::uint32_t a = triangles[t][c], b = triangles[t][(c + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), t, c});
    }
  std::sort(edges.begin(), edges.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.triangle < b.triangle;
  });
  return edges;
}

constexpr std::uint32_t none = UINT32_MAX;

// Cuts a triangle whose edges have the given midpoints (or none), so that neighbours with the same midpoints fit.
void append_parts(const Triangle& given, const std::array<std::uint32_t, 3>& given_middle, const std::vector<Vec3d>& vertices,
                  std::vector<Triangle>& parts) {
  const auto split = std::count_if(given_middle.begin(), given_middle.end(), [](std::uint32_t m) { return m != none; });
  if (split == 0) return parts.push_back(given);
  // Turned so that with one midpoint it is on the first edge, and with two they are on the first and the second.
  std::size_t turn = 0;
  const auto middle = [&](std::size_t i) { return given_middle[(i + turn) % 3]; };
  while (middle(0) == none || (split == 2 && middle(1) == none)) ++turn;
  const std::uint32_t a = given[turn % 3], b = given[(turn + 1) % 3], c = given[(turn + 2) % 3];
  if (split == 1) {
    parts.push_back({a, middle(0), c}), parts.push_back({middle(0), b, c});
  } else if (split == 2) {
    parts.push_back({middle(0), b, middle(1)});
    if (length_squared(vertices[a] - vertices[middle(1)]) <= length_squared(vertices[middle(0)] - vertices[c])) {
      parts.push_back({a, middle(0), middle(1)}), parts.push_back({a, middle(1), c});
    } else {
      parts.push_back({a, middle(0), c}), parts.push_back({middle(0), middle(1), c});
    }
  } else {
    parts.push_back({a, middle(0), middle(2)}), parts.push_back({middle(0), b, middle(1)});
    parts.push_back({middle(2), middle(1), c}), parts.push_back({middle(0), middle(1), middle(2)});
  }
}

// The normal of the smooth surface at each corner of each triangle.
class SmoothCorners {
 public:
  SmoothCorners(const TriangleMesh& mesh, double degrees) : creased_(split_creases(mesh, degrees)), normals_(creased_.source.size()) {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const auto& [a, b, c] = mesh.triangles[t];
      const Vec3d n = cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]);
      for (const std::uint32_t corner : creased_.triangles[t]) normals_[corner] += n;
    }
    for (Vec3d& n : normals_)
      if (length_squared(n) > 0) n = normalized(n);
  }

  // The middle of an edge that two triangles share: on the arc that the normals at its ends suggest, so that a coarse round mesh does
  // not show its facets; in the middle of the straight line where the edge is sharp.
  Vec3d middle(const TriangleMesh& mesh, const EdgeUse& p, const EdgeUse& q) const {
    const Vec3d a = mesh.vertices[p.low], b = mesh.vertices[p.high], straight = (a + b) * 0.5;
    const std::uint32_t at_a = corner(mesh, p, p.low), at_b = corner(mesh, p, p.high);
    if (at_a != corner(mesh, q, p.low) || at_b != corner(mesh, q, p.high)) return straight;
    const Vec3d &m = normals_[at_a], &n = normals_[at_b];
    // The middle lies r sin^2(t / 2) below both tangent planes of an arc of angle t, and its rise is half of that for small ones.
    return straight - (m * dot(straight - a, m) + n * dot(straight - b, n)) * 0.25;
  }

 private:
  std::uint32_t corner(const TriangleMesh& mesh, const EdgeUse& use, std::uint32_t vertex) const {
    const std::uint32_t next = (use.corner + 1) % 3;
    return creased_.triangles[use.triangle][mesh.triangles[use.triangle][use.corner] == vertex ? use.corner : next];
  }

  CreasedMesh creased_;
  std::vector<Vec3d> normals_;
};

}  // namespace

TriangleMesh subdivide(TriangleMesh mesh, double longest, double degrees) {
  for (;;) {
    const std::vector<EdgeUse> edges = edges_of(mesh.triangles);
    const auto is_long = [&](const EdgeUse& edge) {
      return length_squared(mesh.vertices[edge.high] - mesh.vertices[edge.low]) > longest * longest;
    };
    if (std::none_of(edges.begin(), edges.end(), is_long)) return mesh;
    const SmoothCorners corners(mesh, degrees);
    std::vector<std::array<std::uint32_t, 3>> middles(mesh.triangles.size(), {none, none, none});
    for (std::size_t e = 0; e < edges.size();) {
      std::size_t end = e + 1;
      while (end < edges.size() && edges[end].low == edges[e].low && edges[end].high == edges[e].high) ++end;
      if (is_long(edges[e])) {
        for (std::size_t i = e; i < end; ++i)
          middles[edges[i].triangle][edges[i].corner] = static_cast<std::uint32_t>(mesh.vertices.size());
        const bool is_pair = end == e + 2;
        mesh.vertices.push_back(is_pair ? corners.middle(mesh, edges[e], edges[e + 1])
                                        : (mesh.vertices[edges[e].low] + mesh.vertices[edges[e].high]) * 0.5);
      }
      e = end;
    }
    std::vector<Triangle> parts;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) append_parts(mesh.triangles[t], middles[t], mesh.vertices, parts);
    if (parts.size() > most_triangles) throw InputError("the mesh would have too many triangles at the spacing of the particles.");
    mesh.triangles = std::move(parts);
  }
}

CreasedMesh split_creases(const TriangleMesh& mesh, double degrees) {
  const double least_cosine = std::cos(degrees * std::numbers::pi / 180);
  std::vector<Vec3d> normals(mesh.triangles.size());
  for (std::size_t t = 0; t < normals.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    normals[t] = cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]);
  }
  const auto is_smooth = [&](std::uint32_t s, std::uint32_t t) {
    const double sizes = length(normals[s]) * length(normals[t]);
    return !(sizes > 0) || dot(normals[s], normals[t]) >= least_cosine * sizes;  // a triangle without area bends nothing
  };
  // Corners of triangles grow together across smooth edges; what has grown together is one vertex.
  std::vector<std::uint32_t> group(mesh.triangles.size() * 3);
  std::iota(group.begin(), group.end(), 0u);
  const auto root = [&](std::uint32_t i) {
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
  };
  const auto join = [&](std::uint32_t i, std::uint32_t j) {
    i = root(i), j = root(j);
    group[std::max(i, j)] = std::min(i, j);
  };
  const std::vector<EdgeUse> edges = edges_of(mesh.triangles);
  for (std::size_t e = 1; e < edges.size(); ++e) {
    const EdgeUse &p = edges[e - 1], &q = edges[e];
    if (p.low != q.low || p.high != q.high || !is_smooth(p.triangle, q.triangle)) continue;
    const auto corner = [&](const EdgeUse& use, std::uint32_t vertex) {
      const std::uint32_t next = (use.corner + 1) % 3;
      return use.triangle * 3 + (mesh.triangles[use.triangle][use.corner] == vertex ? use.corner : next);
    };
    join(corner(p, p.low), corner(q, p.low)), join(corner(p, p.high), corner(q, p.high));
  }
  CreasedMesh result;
  result.triangles.resize(mesh.triangles.size());
  std::vector<std::uint32_t> number(group.size(), none);
  for (std::uint32_t i = 0; i < group.size(); ++i) {
    std::uint32_t& vertex = number[root(i)];
    if (vertex == none) {
      vertex = static_cast<std::uint32_t>(result.source.size());
      result.source.push_back(mesh.triangles[i / 3][i % 3]);
    }
    result.triangles[i / 3][i % 3] = vertex;
  }
  return result;
}

}  // namespace knead
