#include "spatial/block_grid.h"

#include <algorithm>

#include "base/threads.h"
#include "spatial/block_table.h"

namespace knead {

BlockCoordinates neighbour_block(const BlockCoordinates& block, int direction, const Lattice& lattice) {
  const int step[3] = {direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1};
  BlockCoordinates r;
  for (int axis = 0; axis < 3; ++axis) {
    r[axis] = block[axis] + step[axis];
    if (const std::int32_t period = lattice.period[axis]) r[axis] = (r[axis] + period) % period;
  }
  return r;
}

BlockGrid make_block_grid(const Order& order, const Lattice& lattice) {
  const std::size_t occupied = order.blocks.size();
  std::vector<std::uint64_t> occupied_keys(occupied);
  std::vector<std::pair<std::uint64_t, BlockCoordinates>> all(27 * occupied);
  parallel_for(occupied, 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      occupied_keys[b] = morton_key(order.blocks[b]);
      for (int d = 0; d < 27; ++d) {
        const BlockCoordinates block = neighbour_block(order.blocks[b], d, lattice);
        all[27 * b + d] = {morton_key(block), block};
      }
    }
  });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());

  BlockGrid grid;
  std::vector<std::uint64_t> keys(all.size());
  grid.blocks.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) keys[i] = all[i].first, grid.blocks[i] = all[i].second;
  BlockTable grid_table, occupied_table;
  grid_table.build(keys);
  occupied_table.build(occupied_keys);
  grid.pads.resize(grid.blocks.size());
  grid.neighbours.resize(occupied);
  parallel_for(grid.blocks.size(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b)
      for (int d = 0; d < 27; ++d) grid.pads[b][d] = occupied_table.find(morton_key(neighbour_block(grid.blocks[b], d, lattice)));
  });
  parallel_for(occupied, 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b)
      for (int d = 0; d < 27; ++d) grid.neighbours[b][d] = grid_table.find(morton_key(neighbour_block(order.blocks[b], d, lattice)));
  });
  return grid;
}

}  // namespace knead
