// Points sorted by cells: keys, a stable radix sort of them, and where each cell begins.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "base/threads.h"
#include "spatial/kernels.h"
#include "spatial/neighbours.h"
#include "spatial/order.h"

namespace knead {

namespace {
constexpr std::int32_t largest_cell = (1 << 20) - 1;  // per axis; blocks are in the range of morton_key
constexpr std::size_t chunk_size = 1 << 15;
constexpr int digit_bits = 11, digits = 1 << digit_bits;
constexpr std::uint64_t cell_bits = 6;  // of the key

template <class Function> void for_chunks(std::size_t count, Function&& f) {
  parallel_for((count + chunk_size - 1) / chunk_size, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t chunk = first; chunk < last; ++chunk) f(chunk, chunk * chunk_size, std::min(count, (chunk + 1) * chunk_size));
  });
}

// Least and largest finite coordinate.
template <class T> std::array<double, 2> extent(const T* x, std::size_t count) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> range{infinity, -infinity};
  for (std::size_t i = 0; i < count; ++i) {
    const double value = x[i];
    if (!(std::abs(value) < infinity)) continue;
    range = {std::min(range[0], value), std::max(range[1], value)};
  }
  return range;
}
}  // namespace

template <class T> std::int32_t CellGrid<T>::cell_of(double x, int axis) const {
  const double cell = x * inverse_edge_ - corner_[static_cast<std::size_t>(axis)];
  return !(cell > 0) ? 0 : cell < largest_cell ? static_cast<std::int32_t>(cell) : largest_cell;
}

template <class T> void CellGrid<T>::set_frame(const Points<T>& points, double edge) {
  inverse_edge_ = 1 / edge;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [low, high] = extent(points.x[axis], points.count);
    corner_[axis] = low <= high ? std::floor(low * inverse_edge_) : 0;
    if (low > high || high * inverse_edge_ - corner_[axis] < largest_cell) continue;
    // Some are far off. Most are, we trust, around the one in the middle of the list.
    std::size_t middle = points.count / 2;
    while (middle + 1 < points.count && !std::isfinite(points.x[axis][middle])) ++middle;
    const double x = std::isfinite(points.x[axis][middle]) ? static_cast<double>(points.x[axis][middle]) : 0;
    corner_[axis] = std::floor(x * inverse_edge_) - largest_cell / 2;
  }
}

template <class T> void CellGrid<T>::set_keys(const Points<T>& points) {
  keys_.resize(points.count);
  for_chunks(points.count, [&](std::size_t, std::size_t begin, std::size_t end) {
    std::array<std::int32_t, 3> last{-1, 0, 0};
    std::uint64_t code = 0;
    for (std::size_t i = begin; i < end; ++i) {
      std::array<std::int32_t, 3> block;
      std::uint64_t cell = 0;
      for (int axis = 2; axis >= 0; --axis) {
        const std::int32_t c = cell_of(static_cast<double>(points.x[axis][i]), axis);
        block[static_cast<std::size_t>(axis)] = c / edge_cells;
        cell = cell * edge_cells + static_cast<std::uint64_t>(c % edge_cells);
      }
      if (block != last) last = block, code = morton_key(block) << cell_bits;
      keys_[i] = {code | cell, static_cast<std::uint32_t>(i)};
    }
  });
}

// Stable, by the digits in which keys differ; the result is unique, whatever the number of threads.
template <class T> void CellGrid<T>::sort_keys() {
  const std::size_t count = keys_.size(), chunks = (count + chunk_size - 1) / chunk_size;
  std::uint64_t varying = 0;
  bool sorted = true;
  for (std::size_t i = 1; i < count; ++i) {
    varying |= keys_[i].key ^ keys_[0].key;
    sorted &= keys_[i - 1].key <= keys_[i].key;
  }
  if (sorted) return;
  spare_.resize(count);
  histogram_.resize(chunks * digits);
  for (int shift = 0; shift < 64 && varying >> shift; shift += digit_bits) {
    if (!(varying >> shift & (digits - 1))) continue;
    for_chunks(count, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      std::uint32_t* const histogram = &histogram_[chunk * digits];
      std::fill(histogram, histogram + digits, 0u);
      for (std::size_t i = begin; i < end; ++i) ++histogram[keys_[i].key >> shift & (digits - 1)];
    });
    std::uint32_t total = 0;
    for (std::size_t digit = 0; digit < digits; ++digit)
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        std::uint32_t& entry = histogram_[chunk * digits + digit];
        const std::uint32_t n = entry;
        entry = total;
        total += n;
      }
    for_chunks(count, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      std::uint32_t* const place = &histogram_[chunk * digits];
      for (std::size_t i = begin; i < end; ++i) spare_[place[keys_[i].key >> shift & (digits - 1)]++] = keys_[i];
    });
    keys_.swap(spare_);
  }
}

// The blocks that hold points, where their cells begin, and the hash table that finds them.
template <class T> void CellGrid<T>::set_blocks() {
  blocks_.clear();
  first_of_block_.clear();
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (i == 0 || keys_[i].key >> cell_bits != blocks_.back()) {
      blocks_.push_back(keys_[i].key >> cell_bits);
      first_of_block_.push_back(static_cast<std::uint32_t>(i));
    }
  first_of_block_.push_back(static_cast<std::uint32_t>(keys_.size()));
  begin_.resize(blocks_.size() * (block_cells + 1));
  parallel_for(blocks_.size(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block) {
      std::uint32_t* const begin = &begin_[block * (block_cells + 1)];
      std::uint32_t place = first_of_block_[block];
      for (std::uint64_t cell = 0; cell <= block_cells; ++cell) {
        while (place < first_of_block_[block + 1] && (keys_[place].key & (block_cells - 1)) < cell) ++place;
        begin[cell] = place;
      }
    }
  });
  std::size_t size = 16;
  while (size < 2 * blocks_.size()) size *= 2;
  slots_.assign(size, -1);
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    std::size_t slot = mix_bits(blocks_[block]) & (size - 1);
    while (slots_[slot] >= 0) slot = (slot + 1) & (size - 1);
    slots_[slot] = static_cast<std::int32_t>(block);
  }
}

template <class T> std::int32_t CellGrid<T>::find_block(const std::array<std::int32_t, 3>& block) const {
  const std::uint64_t code = morton_key(block) & (~0ull >> cell_bits);  // as it is in a key
  std::size_t slot = mix_bits(code) & (slots_.size() - 1);
  while (slots_[slot] >= 0 && blocks_[static_cast<std::size_t>(slots_[slot])] != code) slot = (slot + 1) & (slots_.size() - 1);
  return slots_[slot];
}

template <class T> void CellGrid<T>::build(const Points<T>& points, double edge) {
  set_frame(points, edge);
  set_keys(points);
  sort_keys();
  set_blocks();
  order_.resize(points.count + kernel_slack);
  for (auto& x : x_) x.resize(points.count + kernel_slack);
  for_chunks(points.count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place) {
      const std::uint32_t point = keys_[place].point;
      order_[place] = point;
      for (int axis = 0; axis < 3; ++axis) x_[axis][place] = points.x[axis][point];
    }
  });
}

template class CellGrid<float>;
template class CellGrid<double>;

}  // namespace knead
