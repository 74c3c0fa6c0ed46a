// A lattice of cubic cells over the bounds of a shape, walked by an octree that skips what the signed distance rules out.
#pragma once
#include <array>
#include <vector>

#include "geometry/shape.h"

namespace knead {

using Cell = std::array<int, 3>;

struct Lattice {
  Vec3d origin;    // lowest corner [m]
  double spacing;  // [m]
  Cell count;      // cells along each axis
  Vec3d center(const Cell& cell, double size = 1) const {
    return origin + Vec3d{cell[0] + 0.5 * size, cell[1] + 0.5 * size, cell[2] + 0.5 * size} * spacing;
  }
  bool contains(const Cell& cell) const { return cell[0] < count[0] && cell[1] < count[1] && cell[2] < count[2]; }
};

// Covers the bounds of the shape. Throws InputError where the shape has none or the cells would be too many.
Lattice lattice_over(const Shape& shape, double spacing);

constexpr int block_size = 8;
struct LatticeBlock {
  Cell corner;   // its lowest cell, a multiple of block_size
  bool is_full;  // all of it is inside the shape
};

// The blocks that are not wholly outside, in an order that depends on the lattice alone.
std::vector<LatticeBlock> blocks_of(const Shape& shape, const Lattice& lattice);

enum class Side { outside, across, inside };

// Where a cube of `size` cells lies: a signed distance beyond half the diagonal at its centre decides for all of it.
inline Side side_of(const Shape& shape, const Lattice& lattice, const Cell& corner, int size) {
  const double half_diagonal = 0.8660254037844387 * size * lattice.spacing, d = shape.distance(lattice.center(corner, size));
  return d > half_diagonal ? Side::outside : d < -half_diagonal ? Side::inside : Side::across;
}

// Calls full(corner, size) for cubes that are wholly inside and cell(cell) for single cells that may be cut by the surface.
template <class Full, class Single>
void descend(const Shape& shape, const Lattice& lattice, const Cell& corner, int size, Full&& full, Single&& single) {
  if (!lattice.contains(corner)) return;
  if (size == 1) return single(corner);
  const Side side = side_of(shape, lattice, corner, size);
  if (side == Side::outside) return;
  if (side == Side::inside) return full(corner, size);
  const int half = size / 2;
  for (int c = 0; c < 8; ++c)
    descend(shape, lattice, Cell{corner[0] + (c >> 2) * half, corner[1] + (c >> 1 & 1) * half, corner[2] + (c & 1) * half}, half, full,
            single);
}

}  // namespace knead
