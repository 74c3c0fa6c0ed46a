// The sparse grid around the particles: every block that an occupied block's nodes can reach, and who reaches whom.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "spatial/order.h"

namespace knead {

// A block's particles write into its pad: the block's 4x4x4 nodes with two more on every side, since a particle that has
// drifted one cell out still touches nodes -1 ... 6.
inline constexpr int pad_size = 8;  // nodes along an edge of a pad
inline constexpr int pad_nodes = 512;
inline constexpr int block_nodes = 64;

struct BlockGrid {
  std::vector<BlockCoordinates> blocks;                  // all blocks of the grid, in Morton order
  std::vector<std::array<std::int32_t, 27>> pads;        // per grid block: occupied blocks at -1, 0, 1 along x, y, z, or -1
  std::vector<std::array<std::int32_t, 27>> neighbours;  // per occupied block: grid blocks at -1, 0, 1 (all exist)
};

// The block at -1, 0, 1 along x, y, z of another; direction is 9 (x + 1) + 3 (y + 1) + z + 1. Periodic axes wrap.
BlockCoordinates neighbour_block(const BlockCoordinates& block, int direction, const Lattice& lattice);

BlockGrid make_block_grid(const Order& order, const Lattice& lattice);

}  // namespace knead
