#include "geometry/triangle_tree.h"

#include <algorithm>
#include <numeric>

namespace knead {

namespace {

double squared_distance_to_segment(const Vec3d& point, const Vec3d& a, const Vec3d& b) {
  const Vec3d ab = b - a;
  const double size = length_squared(ab), s = size > 0 ? std::clamp(dot(point - a, ab) / size, 0.0, 1.0) : 0;
  return length_squared(point - a - ab * s);
}

double squared_distance_to_box(const Vec3d& point, const Bounds3& box) {
  double result = 0;
  for (int i = 0; i < 3; ++i) {
    const double beyond = std::max({box.minimum[i] - point[i], point[i] - box.maximum[i], 0.0});
    result += beyond * beyond;
  }
  return result;
}

}  // namespace

bool overlap(const Bounds3& a, const Bounds3& b) {
  for (int i = 0; i < 3; ++i)
    if (a.minimum[i] > b.maximum[i] || b.minimum[i] > a.maximum[i]) return false;
  return true;
}

Bounds3 joined(const Bounds3& a, const Bounds3& b) {
  Bounds3 box;
  for (int i = 0; i < 3; ++i) box.minimum[i] = std::min(a.minimum[i], b.minimum[i]), box.maximum[i] = std::max(a.maximum[i], b.maximum[i]);
  return box;
}

// The nearest point is above the triangle, or on its rim.
double squared_distance_to_triangle(const Vec3d& point, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d normal = cross(b - a, c - a), p = point - a;
  const bool above =
      dot(cross(b - a, p), normal) >= 0 && dot(cross(c - b, point - b), normal) >= 0 && dot(cross(a - c, point - c), normal) >= 0;
  const double area = length_squared(normal), height = dot(p, normal);
  if (above && area > 0) return height * height / area;
  return std::min(
      {squared_distance_to_segment(point, a, b), squared_distance_to_segment(point, b, c), squared_distance_to_segment(point, c, a)});
}

TriangleTree::TriangleTree(const TriangleMesh& mesh) : mesh_(mesh), boxes_(mesh.triangles.size()), order_(mesh.triangles.size()) {
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const Triangle& t = mesh.triangles[i];
    boxes_[i] = {mesh.vertices[t[0]], mesh.vertices[t[0]]};
    for (std::size_t k = 1; k < 3; ++k) boxes_[i] = joined(boxes_[i], {mesh.vertices[t[k]], mesh.vertices[t[k]]});
  }
  std::iota(order_.begin(), order_.end(), 0u);
  nodes_.reserve(boxes_.size());
  build(0, static_cast<std::uint32_t>(order_.size()));
}

// Halves the triangles at the median along the longest side, so the depth is logarithmic whatever the mesh.
std::uint32_t TriangleTree::build(std::uint32_t begin, std::uint32_t end) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  Bounds3 box = boxes_[order_[begin]];
  for (std::uint32_t i = begin; i < end; ++i) box = joined(box, boxes_[order_[i]]);
  nodes_.push_back({box, begin, end, 0});
  if (end - begin <= 4) return index;
  const Vec3d size = box.maximum - box.minimum;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](std::uint32_t a, std::uint32_t b) {
    return boxes_[a].minimum[axis] + boxes_[a].maximum[axis] < boxes_[b].minimum[axis] + boxes_[b].maximum[axis];
  });
  build(begin, middle);
  const std::uint32_t right = build(middle, end);
  nodes_[index].right = right;
  return index;
}

double TriangleTree::distance(const Vec3d& point, double limit) const {
  double nearest = limit * limit;
  visit([&](const Bounds3& box) { return squared_distance_to_box(point, box) < nearest; },
        [&](std::uint32_t triangle) {
          const Triangle& t = mesh_.triangles[triangle];
          nearest =
              std::min(nearest, squared_distance_to_triangle(point, mesh_.vertices[t[0]], mesh_.vertices[t[1]], mesh_.vertices[t[2]]));
        });
  return std::sqrt(nearest);
}

}  // namespace knead
