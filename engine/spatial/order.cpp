#include "spatial/order.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "spatial/block_table.h"

namespace knead {

namespace {

std::uint64_t spread_bits(std::uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffff;
  v = (v | v << 16) & 0x1f0000ff0000ff;
  v = (v | v << 8) & 0x100f00f00f00f00f;
  v = (v | v << 4) & 0x10c30c30c30c30c3;
  return (v | v << 2) & 0x1249249249249249;
}

std::uint32_t gather_bits(std::uint64_t v) {
  v &= 0x1249249249249249;
  v = (v | v >> 2) & 0x10c30c30c30c30c3;
  v = (v | v >> 4) & 0x100f00f00f00f00f;
  v = (v | v >> 8) & 0x1f0000ff0000ff;
  v = (v | v >> 16) & 0x1f00000000ffff;
  return static_cast<std::uint32_t>((v | v >> 32) & 0x1fffff);
}

BlockCoordinates from_morton(std::uint64_t key) {
  BlockCoordinates block;
  for (int axis = 0; axis < 3; ++axis) block[axis] = static_cast<std::int32_t>(gather_bits(key >> axis)) - (1 << 20);
  return block;
}

// Without calls: std::floor is one where the instruction set has no rounding.
inline CellAddress address_of(const Vec3d& x, const Lattice& lattice, double inverse_dx) {
  CellAddress address{};
  for (int axis = 0; axis < 3; ++axis) {
    const double place = stencil_place(x[axis], lattice, axis, inverse_dx);
    auto base = static_cast<std::int64_t>(place);
    base -= place < static_cast<double>(base);
    std::int64_t block = base >> 2;
    if (const std::int32_t period = lattice.period[axis]) block = ((block % period) + period) % period;
    address.block[axis] = static_cast<std::int32_t>(block);
    address.cell = address.cell * block_size + static_cast<std::uint32_t>(base & 3);
  }
  return address;
}

constexpr std::uint32_t nowhere = 0xffffffffu;
constexpr std::size_t chunk_size = 1 << 16;  // particles per chunk of the parallel counting sort

// Distinct block keys of all particles, ascending; cell_of gets group * 64 + cell, or `nowhere` for discarded particles.
template <class T>
std::vector<std::uint64_t> collect_keys(const SortInput<T>& input, const Lattice& lattice, const std::uint8_t* discard,
                                        std::vector<std::uint64_t>& key_of, std::vector<std::uint32_t>& cell_of) {
  const std::size_t chunks = (input.count + chunk_size - 1) / chunk_size;
  std::vector<std::vector<std::uint64_t>> distinct(chunks);
  const double limit = static_cast<double>(largest_block) * block_size * lattice.dx, inverse_dx = 1 / lattice.dx;
  parallel_for(chunks, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t chunk = first; chunk < last; ++chunk) {
      auto& keys = distinct[chunk];
      BlockCoordinates previous{1 << 30, 0, 0};
      std::uint64_t key = 0;
      for (std::size_t i = chunk * chunk_size; i < std::min(input.count, (chunk + 1) * chunk_size); ++i) {
        const Vec3d x{static_cast<double>(input.position[0][i]), static_cast<double>(input.position[1][i]),
                      static_cast<double>(input.position[2][i])};
        const Vec3d r = x - lattice.origin;
        const bool inside = std::abs(r.x) < limit && std::abs(r.y) < limit && std::abs(r.z) < limit;  // false for NaN
        if (!inside || (discard && discard[i])) {
          cell_of[i] = nowhere;
          continue;
        }
        const CellAddress address = address_of(x, lattice, inverse_dx);
        if (address.block != previous) {
          previous = address.block;
          key = morton_key(previous);
          keys.push_back(key);
        }
        key_of[i] = key;
        cell_of[i] = input.group[i] * 64u + address.cell;
      }
      std::sort(keys.begin(), keys.end());
      keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    }
  });
  std::vector<std::uint64_t> all;
  for (const auto& keys : distinct) all.insert(all.end(), keys.begin(), keys.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Stable counting sort by block index; `starts` gets the first place of every block and the end. Unique, so thread-independent.
std::vector<std::uint32_t> sort_by_block(const std::vector<std::uint32_t>& block_of, std::size_t blocks,
                                         std::vector<std::uint32_t>& starts) {
  const std::size_t count = block_of.size(), chunks = (count + chunk_size - 1) / chunk_size;
  std::vector<std::uint32_t> histogram(chunks * blocks, 0);
  parallel_for(chunks, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t chunk = first; chunk < last; ++chunk)
      for (std::size_t i = chunk * chunk_size; i < std::min(count, (chunk + 1) * chunk_size); ++i)
        if (block_of[i] != nowhere) ++histogram[chunk * blocks + block_of[i]];
  });
  starts.assign(blocks + 1, 0);
  std::uint32_t total = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    starts[block] = total;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const std::uint32_t n = histogram[chunk * blocks + block];
      histogram[chunk * blocks + block] = total;
      total += n;
    }
  }
  starts[blocks] = total;
  std::vector<std::uint32_t> place(total);
  parallel_for(chunks, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t chunk = first; chunk < last; ++chunk)
      for (std::size_t i = chunk * chunk_size; i < std::min(count, (chunk + 1) * chunk_size); ++i)
        if (block_of[i] != nowhere) place[histogram[chunk * blocks + block_of[i]]++] = static_cast<std::uint32_t>(i);
  });
  return place;
}

}  // namespace

std::uint64_t morton_key(const BlockCoordinates& block) {
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis) key |= spread_bits(static_cast<std::uint64_t>(block[axis] + (1 << 20))) << axis;
  return key;
}

CellAddress cell_address(const Vec3d& x, const Lattice& lattice) { return address_of(x, lattice, 1 / lattice.dx); }

template <class T>
void sort_particles(const SortInput<T>& input, const Lattice& lattice, const std::uint8_t* discard, Order& order,
                    std::vector<std::uint32_t>& permutation) {
  std::vector<std::uint64_t> key_of(input.count);
  std::vector<std::uint32_t> cell_of(input.count), block_of(input.count), starts;
  const std::vector<std::uint64_t> keys = collect_keys(input, lattice, discard, key_of, cell_of);
  BlockTable table;
  table.build(keys);
  parallel_for(input.count, chunk_size, [&](std::size_t first, std::size_t last) {
    std::uint64_t key = ~0ull;
    std::uint32_t block = 0;
    for (std::size_t i = first; i < last; ++i) {
      if (cell_of[i] == nowhere) {
        block_of[i] = nowhere;
        continue;
      }
      if (key_of[i] != key) key = key_of[i], block = static_cast<std::uint32_t>(table.find(key));
      block_of[i] = block;
    }
  });
  key_of = {};
  permutation = sort_by_block(block_of, keys.size(), starts);

  // Inside a block: stable by group, then cell.
  const std::size_t bins = input.group_count * 64;
  std::vector<std::vector<Run>> runs(keys.size());
  parallel_for(keys.size(), 16, [&](std::size_t first, std::size_t last) {
    std::vector<std::uint32_t> offset(bins + 1), copy;
    for (std::size_t block = first; block < last; ++block) {
      const std::uint32_t begin = starts[block], end = starts[block + 1];
      std::fill(offset.begin(), offset.end(), 0u);
      for (std::uint32_t k = begin; k < end; ++k) ++offset[cell_of[permutation[k]] + 1];
      for (std::size_t bin = 0; bin < bins; ++bin) offset[bin + 1] += offset[bin];
      for (std::size_t group = 0; group < input.group_count; ++group) {
        const std::uint32_t a = begin + offset[group * 64], b = begin + offset[group * 64 + 64];
        if (a < b) runs[block].push_back({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(group), a, b});
      }
      copy.assign(permutation.begin() + begin, permutation.begin() + end);
      for (const std::uint32_t particle : copy) permutation[begin + offset[cell_of[particle]]++] = particle;
    }
  });
  order.blocks.clear();
  order.runs.clear();
  for (std::size_t block = 0; block < keys.size(); ++block) {
    order.blocks.push_back(from_morton(keys[block]));
    order.runs.insert(order.runs.end(), runs[block].begin(), runs[block].end());
  }
  order.valid = true;
}

template void sort_particles(const SortInput<float>&, const Lattice&, const std::uint8_t*, Order&, std::vector<std::uint32_t>&);
template void sort_particles(const SortInput<double>&, const Lattice&, const std::uint8_t*, Order&, std::vector<std::uint32_t>&);

}  // namespace knead
