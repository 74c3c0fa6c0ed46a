// A tree of boxes over the triangles of a mesh, for finding those near a place.
#pragma once
#include <cstdint>
#include <vector>

#include "geometry/mesh.h"

namespace knead {

bool overlap(const Bounds3& a, const Bounds3& b);
Bounds3 joined(const Bounds3& a, const Bounds3& b);

class TriangleTree {
 public:
  explicit TriangleTree(const TriangleMesh& mesh);  // refers to the mesh

  const Bounds3& box(std::uint32_t triangle) const { return boxes_[triangle]; }

  // Calls found(triangle) for each triangle whose box overlaps, in an order that depends on the mesh alone.
  template <class Found> void visit_overlapping(const Bounds3& box, Found&& found) const {
    visit([&](const Bounds3& node) { return overlap(node, box); },
          [&](std::uint32_t triangle) {
            if (overlap(boxes_[triangle], box)) found(triangle);
          });
  }

  // Distance to the nearest triangle [m], or `limit` if none is nearer.
  double distance(const Vec3d& point, double limit) const;

 private:
  struct Node {
    Bounds3 box;
    std::uint32_t begin, end, right;  // right = 0: a leaf; the left child is the next node
  };
  std::uint32_t build(std::uint32_t begin, std::uint32_t end);

  template <class Enter, class Found> void visit(Enter&& enter, Found&& found) const {
    std::uint32_t stack[64], top = 0;  // the depth is logarithmic
    stack[top++] = 0;
    while (top > 0) {
      const std::uint32_t index = stack[--top];
      const Node& node = nodes_[index];
      if (!enter(node.box)) continue;
      if (node.right != 0) {
        stack[top++] = node.right, stack[top++] = index + 1;
      } else {
        for (std::uint32_t i = node.begin; i < node.end; ++i) found(order_[i]);
      }
    }
  }

  const TriangleMesh& mesh_;
  std::vector<Bounds3> boxes_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
};

// From a point to the triangle abc [m^2].
double squared_distance_to_triangle(const Vec3d& point, const Vec3d& a, const Vec3d& b, const Vec3d& c);

}  // namespace knead
