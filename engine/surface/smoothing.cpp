#include "surface/smoothing.h"

#include <algorithm>
#include <numeric>

#include "base/threads.h"

namespace knead {

namespace {

// The vertices that share an edge with each vertex, one list after the other. In a closed mesh every edge is run through once each
// way, so that the second vertices of the edges that leave a vertex are all of its neighbours, once each.
struct Adjacency {
  std::vector<std::uint32_t> starts, neighbours;

  Adjacency(std::size_t vertices, const std::vector<Triangle>& triangles) : starts(vertices + 1), neighbours(triangles.size() * 3) {
    for (const Triangle& triangle : triangles)
      for (const std::uint32_t corner : triangle) ++starts[corner + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    for (const Triangle& triangle : triangles)
      for (std::size_t i = 0; i < 3; ++i) neighbours[next[triangle[i]]++] = triangle[(i + 1) % 3];
  }
};

void move_towards_mean(const Adjacency& adjacency, const std::vector<Vec3f>& from, std::vector<Vec3f>& to, float share) {
  parallel_for(from.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3f total{};
      const std::uint32_t first = adjacency.starts[i], last = adjacency.starts[i + 1];
      for (std::uint32_t n = first; n < last; ++n) total += from[adjacency.neighbours[n]];
      to[i] = first == last ? from[i] : from[i] + (total / static_cast<float>(last - first) - from[i]) * share;
    }
  });
}

std::uint32_t find_root(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

Vec3d to_double(const Vec3f& v) { return {v.x, v.y, v.z}; }

// For each vertex the lowest vertex of its connected part.
std::vector<std::uint32_t> find_parts(std::size_t vertices, const std::vector<Triangle>& triangles) {
  std::vector<std::uint32_t> part(vertices);
  std::iota(part.begin(), part.end(), 0u);
  for (const Triangle& t : triangles)
    for (std::size_t i = 1; i < 3; ++i) {
      const std::uint32_t a = find_root(part, t[0]), b = find_root(part, t[i]);
      part[std::max(a, b)] = std::min(a, b);
    }
  for (std::uint32_t i = 0; i < part.size(); ++i) part[i] = find_root(part, i);
  return part;
}

// At the lowest vertex of each part its volume; negative for a cavity.
std::vector<double> part_volumes(const std::vector<std::uint32_t>& part, const std::vector<Vec3f>& positions,
                                 const std::vector<Triangle>& triangles) {
  std::vector<double> volume(positions.size());
  for (const Triangle& t : triangles) {
    // Relative to a vertex of the part: a closed mesh has the same volume from anywhere, and the rounding is that of the part alone.
    const Vec3d origin = to_double(positions[part[t[0]]]), a = to_double(positions[t[0]]) - origin;
    volume[part[t[0]]] += dot(a, cross(to_double(positions[t[1]]) - origin, to_double(positions[t[2]]) - origin)) / 6;
  }
  return volume;
}

}  // namespace

void fill_small_cavities(std::vector<Vec3f>& positions, std::vector<Triangle>& triangles, double least) {
  const std::vector<std::uint32_t> part = find_parts(positions.size(), triangles);
  const std::vector<double> volume = part_volumes(part, positions, triangles);
  const auto is_filled = [&](std::uint32_t vertex) { return volume[part[vertex]] <= 0 && volume[part[vertex]] > -least; };
  std::vector<std::uint32_t> number(positions.size());
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    if (is_filled(i)) continue;
    positions[kept] = positions[i];
    number[i] = kept++;
  }
  if (kept == positions.size()) return;
  triangles.erase(std::remove_if(triangles.begin(), triangles.end(), [&](const Triangle& t) { return is_filled(t[0]); }), triangles.end());
  for (Triangle& t : triangles)
    for (std::uint32_t& corner : t) corner = number[corner];
  positions.resize(kept);
}

void smooth_ripples(std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles, int passes, double drop) {
  if (passes == 0) return;
  const std::vector<std::uint32_t> part = find_parts(positions.size(), triangles);
  const std::vector<double> volume = part_volumes(part, positions, triangles);
  const Adjacency adjacency(positions.size(), triangles);
  const std::vector<Vec3f> raw = positions;
  std::vector<Vec3f> other(positions.size());
  for (int pass = 0; pass < passes; ++pass) {
    move_towards_mean(adjacency, positions, other, 0.6f);
    move_towards_mean(adjacency, other, positions, -0.62f);
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto share = static_cast<float>(std::min(1.0, std::abs(volume[part[i]]) / drop));
    if (share < 1) positions[i] = raw[i] + (positions[i] - raw[i]) * share;
  }
}

std::vector<Vec3f> vertex_normals(const std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles) {
  std::vector<Vec3f> normals(positions.size());
  for (const Triangle& t : triangles) {
    const Vec3f n = cross(positions[t[1]] - positions[t[0]], positions[t[2]] - positions[t[0]]);
    for (const std::uint32_t corner : t) normals[corner] += n;
  }
  parallel_for(normals.size(), 16384, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3d n = to_double(normals[i]);  // squares of small areas underflow in single precision
      const double size = length(n);
      normals[i] = size > 0 ? Vec3f{float(n.x / size), float(n.y / size), float(n.z / size)} : Vec3f{0, 1, 0};
    }
  });
  return normals;
}

}  // namespace knead
