// The sum of all bumps on a sparse lattice of blocks of 8 x 8 x 8 values.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "surface/particle_kernels.h"

namespace knead {

struct Field {
  static constexpr int block_size = 8, block_values = block_size * block_size * block_size;
  std::vector<std::array<int, 3>> blocks;  // coordinates of each block: its lowest lattice point is 8 times that; sorted
  std::vector<float> values;               // block by block, z fastest

  const float* block(std::size_t index) const { return values.data() + index * block_values; }
  std::size_t find(const std::array<int, 3>& block) const;  // blocks.size() where there is none
};

// Values between lattice points; 0 off the blocks. Remembers the last block, since the next place is often near.
class FieldSampler {
 public:
  explicit FieldSampler(const Field& field) : field_(field), last_(field.blocks.size()) {}
  float operator()(const Vec3f& at);

 private:
  std::size_t find(const std::array<int, 3>& block);
  const Field& field_;
  std::size_t last_;
};

// In units of the lattice distance, as the kernels. Each block adds up its kernels in their order, so that the result does not
// depend on the number of threads. Blocks in the depth of the fluid are not added up: their values are 1.
Field make_field(const CellGrid& points, const std::vector<Kernel>& kernels);

// Raises bumps where their sum at the particle itself is below `least`: what is thinner than a particle is still drawn.
void keep_thin_parts(Field& field, const CellGrid& points, const std::vector<Kernel>& kernels, float least);

}  // namespace knead
