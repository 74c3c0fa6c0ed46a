#include "spatial/neighbours.h"

#include <algorithm>
#include <limits>

#include "base/threads.h"
#include "spatial/kernels.h"

namespace knead {

namespace {

template <class T> struct Box { T low[3], high[3]; };

// Around the places that are finite; inside out if none is.
template <class T> Box<T> box_around(const Points<T>& places, std::uint32_t begin, std::uint32_t end) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  Box<T> box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (int axis = 0; axis < 3; ++axis)
    for (std::uint32_t place = begin; place < end; ++place) {
      const T x = places.x[axis][place];
      if (x < box.low[axis]) box.low[axis] = x;
      if (x > box.high[axis]) box.high[axis] = x;
    }
  return box;
}

// The blocks of b around a box.
template <class T> struct Window {
  std::int32_t low[3], size[3];
  std::vector<std::int32_t> block;

  void set(const CellGrid<T>& b, const Box<T>& box, double radius) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = b.cell_of(static_cast<double>(box.low[axis]) - radius, axis) / b.edge_cells;
      size[axis] = b.cell_of(static_cast<double>(box.high[axis]) + radius, axis) / b.edge_cells - low[axis] + 1;
    }
    block.clear();
    for (std::int32_t z = 0; z < size[2]; ++z)
      for (std::int32_t y = 0; y < size[1]; ++y)
        for (std::int32_t x = 0; x < size[0]; ++x) block.push_back(b.find_block({low[0] + x, low[1] + y, low[2] + z}));
  }
  std::int32_t at(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return block[static_cast<std::size_t>(((z - low[2]) * size[1] + y - low[1]) * size[0] + x - low[0])];
  }
};

// What one thread needs while it searches, and one pass of the search: `index` null counts only.
template <class T> class Pass {
 public:
  Pass(const NeighbourKernels<T>& kernels, const CellGrid<T>& a, const CellGrid<T>& b, double radius, NeighbourLists& lists,
       std::uint32_t* index)
      : kernels_(kernels), a_(a), b_(b), radius_(radius), lists_(lists), index_(index), places_(a.places()), same_(&a == &b) {
    for (int axis = 0; axis < 3; ++axis) c_.x[axis] = b.places().x[axis];
    c_.point = b.order();
    c_.radius_squared = static_cast<T>(radius) * static_cast<T>(radius);
  }

  void block(std::size_t block) {
    const std::uint32_t* const cells = a_.cells(block);
    const std::uint32_t begin = cells[0], end = cells[a_.block_cells];
    const Box<T> box = box_around(places_, begin, end);
    bool wide = false;  // holds points that are too far off for cells of their own
    for (int axis = 0; axis < 3; ++axis)
      wide |= static_cast<double>(box.high[axis]) - static_cast<double>(box.low[axis]) > radius_ * (a_.edge_cells + 1);
    if (!wide) window_.set(b_, box, radius_);
    for (int cell = 0; !wide && cell < a_.block_cells; ++cell) search(cells[cell], cells[cell + 1]);
    for (std::uint32_t place = begin; wide && place < end; ++place) {
      window_.set(b_, box_around(places_, place, place + 1), radius_);
      search(place, place + 1);
    }
  }

 private:
  // Neighbours of the places [begin, end) of a, which are near each other.
  void search(std::uint32_t begin, std::uint32_t end) {
    if (begin == end) return;
    const Box<T> box = box_around(places_, begin, end);
    const int candidates = gather(box);
    for (std::uint32_t place = begin; place < end; ++place) {
      const std::uint32_t point = a_.order()[place], self = same_ ? point : ~0u;
      const T x[3] = {places_.x[0][place], places_.x[1][place], places_.x[2][place]};
      if (!index_) {
        lists_.first[point + 1] = static_cast<std::size_t>(kernels_.count(c_, candidates, x, self));
        continue;
      }
      const int found = kernels_.collect(c_, candidates, x, self, found_.data());
      std::copy(found_.data(), found_.data() + found, index_ + lists_.first[point]);
    }
  }

  int gather(const Box<T>& box) {
    if (!(box.low[0] <= box.high[0] && box.low[1] <= box.high[1] && box.low[2] <= box.high[2])) return 0;
    std::int32_t low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = b_.cell_of(static_cast<double>(box.low[axis]) - radius_, axis);
      high[axis] = b_.cell_of(static_cast<double>(box.high[axis]) + radius_, axis);
      c_.low[axis] = box.low[axis], c_.high[axis] = box.high[axis];
    }
    constexpr int n = CellGrid<T>::edge_cells;
    ranges_.clear();
    std::size_t total = 0;
    for (std::int32_t z = low[2]; z <= high[2]; ++z)
      for (std::int32_t y = low[1]; y <= high[1]; ++y)
        for (std::int32_t x = low[0]; x <= high[0]; x = (x / n + 1) * n) {  // the part of the row in one block
          const std::int32_t block = window_.at(x / n, y / n, z / n);
          if (block < 0) continue;
          const std::uint32_t* const row = b_.cells(static_cast<std::size_t>(block)) + (z % n * n + y % n) * n;
          const std::uint32_t from = row[x % n], to = row[std::min(high[0] - x / n * n, n - 1) + 1];
          if (from == to) continue;
          ranges_.push_back({from, to});
          total += to - from;
        }
    reserve(total);
    int count = 0;
    for (const Range& range : ranges_) count = kernels_.gather(c_, range.begin, range.end, count);
    return count;
  }

  void reserve(std::size_t candidates) {
    if (found_.size() >= candidates + kernel_slack) return;
    const std::size_t size = 2 * candidates + kernel_slack;
    for (int axis = 0; axis < 3; ++axis) near_x_[axis].resize(size), c_.near_x[axis] = near_x_[axis].data();
    near_.resize(size), found_.resize(size);
    c_.near = near_.data();
  }

  struct Range {
    std::uint32_t begin, end;
  };
  const NeighbourKernels<T>& kernels_;
  const CellGrid<T>&a_, &b_;
  const double radius_;
  NeighbourLists& lists_;
  std::uint32_t* const index_;
  const Points<T> places_;
  const bool same_;
  Candidates<T> c_{};
  Window<T> window_;
  std::vector<Range> ranges_;
  std::vector<T> near_x_[3];
  std::vector<std::uint32_t> near_, found_;
};

}  // namespace

template <class T> void NeighbourSearch<T>::sort(const Points<T>& points, double radius, std::vector<std::uint32_t>& permutation) {
  grid_a_.build(points, static_cast<double>(static_cast<T>(radius)));
  permutation.assign(grid_a_.order(), grid_a_.order() + points.count);
}

template <class T> void NeighbourSearch<T>::find(const Points<T>& a, const Points<T>& b, double radius, NeighbourLists& lists) {
  radius = static_cast<double>(static_cast<T>(radius));  // what the tests of distances see
  const bool same = a.x[0] == b.x[0] && a.x[1] == b.x[1] && a.x[2] == b.x[2] && a.count == b.count;
  grid_a_.build(a, radius);
  if (!same) grid_b_.build(b, radius);
  const CellGrid<T>& grid_b = same ? grid_a_ : grid_b_;
  lists.first.assign(a.count + 1, 0);
  const NeighbourKernels<T>& kernels = neighbour_kernels<T>();
  auto pass = [&](std::uint32_t* index) {
    parallel_for(grid_a_.block_count(), 4, [&](std::size_t first, std::size_t last) {
      Pass<T> search(kernels, grid_a_, grid_b, radius, lists, index);
      for (std::size_t block = first; block < last; ++block) search.block(block);
    });
  };
  pass(nullptr);
  for (std::size_t i = 0; i < a.count; ++i) lists.first[i + 1] += lists.first[i];
  if (lists.index.size() < lists.pairs()) lists.index.resize(lists.pairs() + lists.pairs() / 8);
  pass(lists.index.data());
}

template class NeighbourSearch<float>;
template class NeighbourSearch<double>;

}  // namespace knead
