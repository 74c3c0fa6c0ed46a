// Who is near whom: particles sorted by cells, and lists of all neighbours within a distance. For any set of points, without a box
// around it; the same bytes for any number of threads.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace knead {

template <class T> struct Points {
  const T* x[3];
  std::size_t count;
};

// The neighbours of i are index[first[i]] ... index[first[i + 1] - 1].
struct NeighbourLists {
  std::vector<std::size_t> first;    // one more than there are points
  std::vector<std::uint32_t> index;  // may be longer than first.back()
  std::size_t pairs() const { return first.empty() ? 0 : first.back(); }
};

// Points in cubic cells; blocks of 4 x 4 x 4 cells lie along a Morton curve. Cells are counted from the lower corner of the points.
// What is too far off for the number of cells shares the outermost ones, which costs time, never neighbours.
template <class T> class CellGrid {
 public:
  void build(const Points<T>& points, double edge);

  const std::uint32_t* order() const { return order_.data(); }  // place -> point; by cell, then by number
  Points<T> places() const { return {{x_[0].data(), x_[1].data(), x_[2].data()}, keys_.size()}; }

  static constexpr int edge_cells = 4, block_cells = edge_cells * edge_cells * edge_cells;
  std::size_t block_count() const { return blocks_.size(); }
  // First place of each cell of a block, x fastest, and the end.
  const std::uint32_t* cells(std::size_t block) const { return &begin_[block * (block_cells + 1)]; }
  std::int32_t cell_of(double x, int axis) const;
  std::int32_t find_block(const std::array<std::int32_t, 3>& block) const;  // coordinates in blocks; -1 if nothing is there

 private:
  struct Keyed {
    std::uint64_t key;  // Morton code of the block, then the cell in it
    std::uint32_t point;
  };
  void set_frame(const Points<T>& points, double edge);
  void set_keys(const Points<T>& points);
  void sort_keys();
  void set_blocks();

  double inverse_edge_ = 1;
  std::array<double, 3> corner_{};  // in cells
  std::vector<Keyed> keys_, spare_;
  std::vector<std::uint32_t> histogram_, first_of_block_;
  std::vector<std::uint32_t> order_;   // this and the next with slack behind the end
  std::vector<T> x_[3];                // by place
  std::vector<std::uint64_t> blocks_;  // Morton codes, ascending
  std::vector<std::uint32_t> begin_;
  std::vector<std::int32_t> slots_;  // hash table of blocks
};

// Memory for searches, kept between them.
template <class T> class NeighbourSearch {
 public:
  // new place -> old place: points that are near each other get places that are near each other.
  void sort(const Points<T>& points, double radius, std::vector<std::uint32_t>& permutation);

  // For each point of `a` the points of `b` closer than `radius`, in an order that depends on the points alone. If the two are the same
  // arrays, a point is not its own neighbour. Points that are not finite have no neighbours.
  void find(const Points<T>& a, const Points<T>& b, double radius, NeighbourLists& lists);

 private:
  CellGrid<T> grid_a_, grid_b_;
};

}  // namespace knead
