// Points sorted into cubic cells, so that those near a place lie in a few runs of memory.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "math/vec.h"

namespace knead {

struct CellGrid {
  float size = 1;                     // of a cell, in the units of the points
  std::vector<std::uint32_t> order;   // indices of the points as given, by cell, and by index within a cell
  std::vector<float> x, y, z;         // the points in that order
  std::vector<std::uint64_t> keys;    // of the cells that hold points, ascending
  std::vector<std::uint32_t> starts;  // first point of each of these cells, and the end

  static constexpr int key_bits = 21;
  static constexpr std::int64_t bias = 1 << 10;  // room for neighbours of the lowest cells
  // Cells with the same x and y and consecutive z have consecutive keys.
  static std::uint64_t key(std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<std::uint64_t>(((i + bias) << (2 * key_bits)) + ((j + bias) << key_bits) + (k + bias));
  }
  static int coordinate(std::uint64_t key, int axis) {
    return static_cast<int>(key >> (key_bits * (2 - axis)) & ((1u << key_bits) - 1)) - static_cast<int>(bias);
  }
  // Number of the first cell with a key that is not smaller.
  std::size_t find(std::uint64_t key) const;
};

// Coordinates must be at least 0 and below 2^20 cells.
CellGrid sort_into_cells(std::span<const Vec3f> points, float cell_size);

}  // namespace knead
