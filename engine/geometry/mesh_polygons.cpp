// Polygons to triangles: a fan where the polygon is convex, ear clipping where it is not.
#include "geometry/mesh_text.h"

namespace knead {

namespace {

constexpr std::size_t most_concave_corners = 500;  // ear clipping takes at least quadratic time

Vec3d polygon_normal(const std::vector<Vec3d>& vertices, const std::vector<std::uint32_t>& polygon) {
  Vec3d normal;  // Newell's: the sum of cross products is the area vector, also when the corners are not in one plane
  for (std::size_t i = 0; i < polygon.size(); ++i)
    normal += cross(vertices[polygon[i]] - vertices[polygon[0]], vertices[polygon[(i + 1) % polygon.size()]] - vertices[polygon[0]]);
  return normal;
}

class EarClipper {
 public:
  EarClipper(const std::vector<Vec3d>& vertices, const std::vector<std::uint32_t>& polygon, const Vec3d& normal)
      : vertices_(vertices), polygon_(polygon), normal_(normal), next_(polygon.size()), previous_(polygon.size()) {
    for (std::size_t i = 0; i < polygon.size(); ++i) next_[i] = (i + 1) % polygon.size(), previous_[(i + 1) % polygon.size()] = i;
  }

  // Goes round and cuts ears, stepping back after each, where the next one often is. After a whole round without one (corners that
  // cross or coincide), or far too many tests, it cuts anyway: what comes out is then as bad as the polygon, and the checks of the
  // mesh will say so.
  void clip(std::vector<Triangle>& triangles) {
    std::size_t left = polygon_.size(), corner = 0, failures = 0, tests = 0;
    while (left > 3) {
      const bool give_up = failures >= left || ++tests > 64 * polygon_.size();
      if (give_up || is_ear(corner)) {
        emit(corner, triangles);
        next_[previous_[corner]] = next_[corner], previous_[next_[corner]] = previous_[corner];
        --left, failures = 0;
        corner = previous_[corner];
      } else {
        ++failures;
        corner = next_[corner];
      }
    }
    emit(corner, triangles);
  }

 private:
  const Vec3d& at(std::size_t corner) const { return vertices_[polygon_[corner]]; }
  double turn(const Vec3d& a, const Vec3d& b, const Vec3d& c) const { return dot(cross(b - a, c - a), normal_); }
  bool is_ear(std::size_t corner) const {
    const std::size_t before = previous_[corner], after = next_[corner];
    const Vec3d &a = at(before), &b = at(corner), &c = at(after);
    if (!(turn(a, b, c) > 0)) return false;
    for (std::size_t i = next_[after]; i != before; i = next_[i])
      if (turn(a, b, at(i)) >= 0 && turn(b, c, at(i)) >= 0 && turn(c, a, at(i)) >= 0) return false;
    return true;
  }
  void emit(std::size_t corner, std::vector<Triangle>& triangles) const {
    triangles.push_back({polygon_[previous_[corner]], polygon_[corner], polygon_[next_[corner]]});
  }
  const std::vector<Vec3d>& vertices_;
  const std::vector<std::uint32_t>& polygon_;
  Vec3d normal_;
  std::vector<std::size_t> next_, previous_;
};

}  // namespace

void triangulate(const std::vector<Vec3d>& vertices, const std::vector<std::uint32_t>& polygon, std::vector<Triangle>& triangles) {
  const std::size_t count = polygon.size();
  if (count < 3) return;
  const Vec3d normal = count > 3 ? polygon_normal(vertices, polygon) : Vec3d{};
  bool convex = true;
  for (std::size_t i = 0; count > 3 && i < count && convex; ++i) {
    const Vec3d &a = vertices[polygon[i]], &b = vertices[polygon[(i + 1) % count]], &c = vertices[polygon[(i + 2) % count]];
    convex = dot(cross(b - a, c - b), normal) >= 0;
  }
  if (!convex) {
    if (count > most_concave_corners)
      throw InputError("a polygon that is not convex has " + std::to_string(count) + " corners, more than " +
                       std::to_string(most_concave_corners));
    return EarClipper(vertices, polygon, normal).clip(triangles);
  }
  for (std::size_t i = 1; i + 1 < count; ++i) triangles.push_back({polygon[0], polygon[i], polygon[i + 1]});
}

}  // namespace knead
