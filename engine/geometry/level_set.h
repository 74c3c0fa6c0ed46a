// A signed distance on a sparse lattice, in blocks of 8 x 8 x 8 values; off the blocks only the sign is known.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "math/vec.h"

namespace knead {

struct LevelSet {
  static constexpr int block_size = 8, block_values = block_size * block_size * block_size;
  static constexpr std::int32_t outside = -1, inside = -2;

  Vec3d origin;                         // position of lattice point (0, 0, 0) [m]
  double voxel = 1;                     // distance between lattice points [m]
  double band = 1;                      // magnitude of the distance off the blocks [m]
  std::array<int, 3> first{}, count{};  // the box of blocks: lowest block coordinates, number of blocks
  std::vector<std::int32_t> blocks;     // index of each block's values, or outside, or inside; x runs slowest
  std::vector<float> values;            // [m]; within a block z runs fastest

  std::size_t slot(const std::array<int, 3>& block) const {  // of a block in the box
    return (static_cast<std::size_t>(block[0] - first[0]) * static_cast<std::size_t>(count[1]) +
            static_cast<std::size_t>(block[1] - first[1])) *
               static_cast<std::size_t>(count[2]) +
           static_cast<std::size_t>(block[2] - first[2]);
  }
  double value(int i, int j, int k) const;    // at a lattice point
  double distance(const Vec3d& point) const;  // trilinear between lattice points
};

}  // namespace knead
