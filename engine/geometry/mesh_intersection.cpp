// Does a mesh cross itself? Pairs of triangles from a tree of boxes, then edges against triangles.
#include <algorithm>
#include <atomic>

#include "base/threads.h"
#include "geometry/triangle_tree.h"

namespace knead {

namespace {

// Relative to the size of the two triangles: an edge that reaches less far through a triangle ends on it.
constexpr double tolerance = 1e-7;

class Intersector {
 public:
  explicit Intersector(const TriangleMesh& mesh) : mesh_(mesh), tree_(mesh) {}

  // The smallest partner with a greater index that crosses this triangle, or the number of triangles.
  std::uint32_t first_partner(std::uint32_t triangle) const {
    auto best = static_cast<std::uint32_t>(mesh_.triangles.size());
    tree_.visit_overlapping(tree_.box(triangle), [&](std::uint32_t other) {
      if (other > triangle && other < best && cross_each_other(triangle, other)) best = other;
    });
    return best;
  }

 private:
  bool has_vertex(const Triangle& t, std::uint32_t vertex) const { return t[0] == vertex || t[1] == vertex || t[2] == vertex; }

  bool cross_each_other(std::uint32_t first, std::uint32_t second) const {
    const Triangle &a = mesh_.triangles[first], &b = mesh_.triangles[second];
    const int shared = has_vertex(b, a[0]) + has_vertex(b, a[1]) + has_vertex(b, a[2]);
    if (shared >= 2) return false;  // neighbours along an edge; doubled faces were found with the edges
    const Bounds3 both = joined(tree_.box(first), tree_.box(second));
    const double size = length(both.maximum - both.minimum);
    if (edges_pierce(a, b, size) || edges_pierce(b, a, size)) return true;
    return shared == 0 && lie_on_each_other(a, b, size);
  }

  // Does an edge of a go through b? Edges that start at a corner of b touch it there and do not count. If two triangles that share
  // one vertex cross, then the edge opposite to it pierces the other one.
  bool edges_pierce(const Triangle& a, const Triangle& b, double size) const {
    const Vec3d &p = mesh_.vertices[b[0]], &q = mesh_.vertices[b[1]], &r = mesh_.vertices[b[2]];
    const Vec3d area = cross(q - p, r - p);
    const double twice_area = length(area);
    if (!(twice_area > tolerance * size * size * tolerance)) return false;
    const Vec3d normal = area / twice_area;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t from = a[i], to = a[(i + 1) % 3];
      if (has_vertex(b, from) || has_vertex(b, to)) continue;
      const Vec3d &x = mesh_.vertices[from], &y = mesh_.vertices[to];
      const double hx = dot(x - p, normal), hy = dot(y - p, normal);
      if (!(hx * hy < 0) || !(std::min(std::abs(hx), std::abs(hy)) > tolerance * size)) continue;
      const Vec3d hit = x + (y - x) * (hx / (hx - hy));
      const double slack = -1e-12 * twice_area;  // the rim counts: an edge may pass exactly between two triangles of a face
      if (dot(cross(q - p, hit - p), normal) >= slack && dot(cross(r - q, hit - q), normal) >= slack &&
          dot(cross(p - r, hit - r), normal) >= slack)
        return true;
    }
    return false;
  }

  // Two triangles in one plane that overlap and face the same side bound a place that is inside twice. (Facing opposite sides they
  // bound two solids that touch.)
  bool lie_on_each_other(const Triangle& a, const Triangle& b, double size) const {
    const Vec3d &p = mesh_.vertices[a[0]], &q = mesh_.vertices[a[1]], &r = mesh_.vertices[a[2]];
    const Vec3d area = cross(q - p, r - p);
    const double twice_area = length(area);
    if (!(twice_area > tolerance * size * size)) return false;
    const Vec3d normal = area / twice_area;
    const Vec3d other[3] = {mesh_.vertices[b[0]], mesh_.vertices[b[1]], mesh_.vertices[b[2]]};
    if (!(dot(cross(other[1] - other[0], other[2] - other[0]), normal) > tolerance * size * size)) return false;
    for (const Vec3d& x : other)
      if (!(std::abs(dot(x - p, normal)) <= tolerance * size)) return false;
    // Two convex polygons overlap unless an edge of one separates them.
    const Vec3d own[3] = {p, q, r};
    const auto separated_by_edge_of = [&](const Vec3d* one, const Vec3d* two) {
      for (int i = 0; i < 3; ++i) {
        const Vec3d inwards = normalized(cross(normal, one[(i + 1) % 3] - one[i]));
        if (std::max({dot(two[0] - one[i], inwards), dot(two[1] - one[i], inwards), dot(two[2] - one[i], inwards)}) <= tolerance * size)
          return true;
      }
      return false;
    };
    return !separated_by_edge_of(own, other) && !separated_by_edge_of(other, own);
  }

  const TriangleMesh& mesh_;
  TriangleTree tree_;
};

}  // namespace

std::optional<std::array<std::uint32_t, 2>> find_self_intersection(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return std::nullopt;
  const Intersector intersector(mesh);
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  std::atomic<std::uint32_t> first = count;  // the smallest triangle that crosses another, whoever finds it
  parallel_for(count, 256, [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::uint32_t>(begin); i < end && i < first.load(std::memory_order_relaxed); ++i) {
      if (intersector.first_partner(i) == count) continue;
      std::uint32_t known = first.load();
      while (i < known && !first.compare_exchange_weak(known, i)) {}
      return;
    }
  });
  if (first == count) return std::nullopt;
  return std::array{first.load(), intersector.first_partner(first)};
}

}  // namespace knead
