// The order of particles in memory: by block of the grid, then by group, then by cell, so that a block's work is contiguous.
// Sorting is rare: between sorts a particle may drift one cell out of its block (docs/decisions/0002).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/vec.h"

namespace knead {

inline constexpr int block_size = 4;  // cells along an edge of a block

using BlockCoordinates = std::array<std::int32_t, 3>;

// Particles [begin, end) of one group in one block.
struct Run {
  std::uint32_t block, group, begin, end;
};

struct Order {
  std::vector<BlockCoordinates> blocks;  // occupied, in particle order
  std::vector<Run> runs;                 // sorted by block
  bool valid = false;
};

// Where the nodes are: origin + dx * integer. A periodic axis has `period` blocks (0: open).
struct Lattice {
  Vec3d origin;
  double dx = 1;
  std::array<std::int32_t, 3> period{};
};

// Interleaved bits of the coordinates: neighbours in space are near in the order. Valid for |coordinate| < 2^20.
std::uint64_t morton_key(const BlockCoordinates& block);
inline constexpr std::int32_t largest_block = (1 << 20) - 2;

// A coordinate in cells, less the half cell by which a stencil begins below it: the floor of it is the first node touched. The one
// formula for all who must agree on that node to the last bit.
inline double stencil_place(double x, const Lattice& lattice, int axis, double inverse_dx) {
  return (x - lattice.origin[axis]) * inverse_dx - 0.5;
}

// Block of the first of the 3x3x3 nodes that a particle at x touches, and that node's place in the block.
struct CellAddress {
  BlockCoordinates block;
  std::uint32_t cell;  // 0..63
};
CellAddress cell_address(const Vec3d& x, const Lattice& lattice);

template <class T> struct SortInput {
  const T* position[3];
  const std::uint16_t* group;
  std::size_t count;
  std::size_t group_count;
};

// Fills `order` and `permutation` (new place -> old place). Particles whose position is not finite or beyond the
// largest block, or for which `discard` is set (may be null), are left out: the permutation is then shorter than count.
template <class T>
void sort_particles(const SortInput<T>& input, const Lattice& lattice, const std::uint8_t* discard, Order& order,
                    std::vector<std::uint32_t>& permutation);

}  // namespace knead
