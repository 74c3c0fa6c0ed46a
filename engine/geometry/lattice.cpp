#include "geometry/lattice.h"

#include <algorithm>

#include "base/error.h"

namespace knead {

namespace {
constexpr double most_cells_along_axis = 1 << 28;
constexpr std::size_t most_blocks = std::size_t{1} << 24;  // about eight thousand million cells
}  // namespace

Lattice lattice_over(const Shape& shape, double spacing) {
  const Bounds3 box = shape.bounds();
  if (!is_finite(box)) throw InputError("the shape is not bounded, so it cannot be filled.");
  Lattice lattice{box.minimum, spacing, {}};
  for (int i = 0; i < 3; ++i) {
    // A little less than a whole number of spacings is that number.
    const double cells = std::ceil((box.maximum[i] - box.minimum[i]) / spacing - 1e-6);
    if (!(cells <= most_cells_along_axis)) throw InputError("the shape is too large for this spacing.");
    lattice.count[static_cast<std::size_t>(i)] = std::max(1, static_cast<int>(cells));
  }
  return lattice;
}

std::vector<LatticeBlock> blocks_of(const Shape& shape, const Lattice& lattice) {
  std::vector<LatticeBlock> blocks;
  const auto add = [&](const Cell& corner, bool is_full) {
    if (blocks.size() == most_blocks) throw InputError("the shape would be filled by too many particles at this spacing.");
    blocks.push_back({corner, is_full});
  };
  // Works on blocks as the cells of a coarser lattice.
  Lattice coarse = lattice;
  coarse.spacing *= block_size;
  int root = 1;
  for (auto& count : coarse.count) {
    count = (count + block_size - 1) / block_size;
    while (root < count) root *= 2;
  }
  const auto full = [&](const Cell& corner, int size) {
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j)
        for (int k = 0; k < size; ++k)
          add({(corner[0] + i) * block_size, (corner[1] + j) * block_size, (corner[2] + k) * block_size}, true);
  };
  const auto single = [&](const Cell& cell) {
    const Side side = side_of(shape, coarse, cell, 1);
    if (side != Side::outside) add({cell[0] * block_size, cell[1] * block_size, cell[2] * block_size}, side == Side::inside);
  };
  descend(shape, coarse, Cell{0, 0, 0}, root, full, single);
  return blocks;
}

}  // namespace knead
