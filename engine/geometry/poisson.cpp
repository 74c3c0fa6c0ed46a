// Poisson disk sampling: random points, no two closer than a radius, thrown until hardly any room is left.
//
// Cells of size radius / sqrt(3) hold at most one point each. Blocks of 8 x 8 x 8 cells are filled one by one: those of one of eight
// colours (odd or even along each axis) are far enough apart to be filled at the same time, so the points do not depend on the
// threads. Within a block darts go into cells that may still have room; these are then split in eight, the parts that one sphere
// covers are dropped, and so on: after a few rounds the room that is left is a tiny share of the volume.
#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>

#include "base/random.h"
#include "base/threads.h"
#include "geometry/lattice.h"
#include "geometry/sampling.h"

namespace knead {

namespace {

constexpr int halo = 2;                            // cells that can conflict, on each side
constexpr int most_neighbors = 96;                 // a close packing has at most 82 points within reach of a cell
constexpr int first_passes = 3, split_rounds = 4;  // of darts into whole cells, and of splitting
// Radius over spacing at which these darts leave one point for each spacing^3, measured far from surfaces.
constexpr double radius_per_spacing = 0.9025;
const double radius_in_cells = std::sqrt(3.0) * (1 + 1e-12);  // the excess covers the rounding of positions

struct Block {
  Cell corner;
  bool is_full;
  std::vector<Vec3d> points;  // in cells, from the corner of the block
};

// A cube that may still have room: its cell (0 to 511), and its lowest corner within the block, in cells.
struct Room {
  int cell;
  Vec3d corner;
};

class BlockFiller {
 public:
  BlockFiller(const Shape& shape, const Lattice& lattice, std::uint64_t seed) : shape_(shape), lattice_(lattice), seed_(seed) {}

  // around: points of the neighbouring blocks, in cells from the corner of this one.
  void fill(Block& block, const std::vector<Vec3d>& around) {
    block_ = &block;
    counter_ = 0;
    stream_ = mix_bits(mix_bits(mix_bits(static_cast<std::uint64_t>(block.corner[0])) ^ static_cast<std::uint64_t>(block.corner[1])) ^
                       static_cast<std::uint64_t>(block.corner[2]));
    points_.clear();
    neighbor_count_.fill(0);
    occupied_.fill(false);
    for (const Vec3d& point : around) insert(point);
    rooms_.clear();
    for (int cell = 0; cell < block_size * block_size * block_size; ++cell)
      add_cell({cell, {double(cell >> 6), double(cell >> 3 & 7), double(cell & 7)}});
    double size = 1;
    for (int pass = 0; pass < first_passes; ++pass) throw_darts(size);
    for (int round = 0; round < split_rounds && !rooms_.empty(); ++round) {
      split(size);
      size /= 2;
      throw_darts(size);
    }
  }

 private:
  Vec3d world(const Vec3d& local) const {
    return lattice_.origin +
           (Vec3d{double(block_->corner[0]), double(block_->corner[1]), double(block_->corner[2])} + local) * lattice_.spacing;
  }

  // Makes the point known to all cells of this block within reach.
  void insert(const Vec3d& point) {
    const auto index = static_cast<std::uint16_t>(points_.size());
    points_.push_back(point);
    int low[3], high[3];
    for (int i = 0; i < 3; ++i) {
      const int cell = static_cast<int>(std::floor(point[i]));
      low[i] = std::max(0, cell - halo), high[i] = std::min(block_size - 1, cell + halo);
    }
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int k = low[2]; k <= high[2]; ++k) {
          const auto cell = static_cast<std::size_t>(i << 6 | j << 3 | k);
          if (neighbor_count_[cell] < most_neighbors) neighbors_[cell][neighbor_count_[cell]++] = index;
        }
  }

  bool has_conflict(int cell, const Vec3d& point) const {
    const auto& near = neighbors_[static_cast<std::size_t>(cell)];
    for (std::size_t i = 0; i < neighbor_count_[static_cast<std::size_t>(cell)]; ++i)
      if (length_squared(point - points_[near[i]]) < radius_in_cells * radius_in_cells) return true;
    return false;
  }

  // Keeps a cube unless it is outside the shape or one sphere covers all of it.
  void keep_if_free(const Room& room, double size, std::vector<Vec3d>& near, std::vector<Room>& kept) const {
    const Vec3d middle = room.corner + Vec3d{size / 2, size / 2, size / 2};
    for (Vec3d& point : near) {
      const Vec3d d = middle - point;
      const Vec3d farthest{std::abs(d.x) + size / 2, std::abs(d.y) + size / 2, std::abs(d.z) + size / 2};
      if (length_squared(farthest) < radius_in_cells * radius_in_cells)
        return std::swap(point, near.front());  // likely covers the next cube too
    }
    if (!block_->is_full && shape_.distance(world(middle)) > 0.8660254037844387 * size * lattice_.spacing) return;
    kept.push_back(room);
  }

  // The points whose spheres reach into a cube.
  void find_near(const Room& room, double size, std::vector<Vec3d>& near) const {
    near.clear();
    const Vec3d middle = room.corner + Vec3d{size / 2, size / 2, size / 2};
    const double reach = radius_in_cells + 0.8660254037844387 * size;
    const auto& indices = neighbors_[static_cast<std::size_t>(room.cell)];
    for (std::size_t i = 0; i < neighbor_count_[static_cast<std::size_t>(room.cell)]; ++i)
      if (length_squared(middle - points_[indices[i]]) < reach * reach) near.push_back(points_[indices[i]]);
  }

  void add_cell(const Room& room) {
    find_near(room, 1, near_);
    keep_if_free(room, 1, near_, rooms_);
  }

  double random() { return random_uniform(seed_, stream_, counter_++); }

  // As many darts as there are cubes, each into a cube picked at random.
  void throw_darts(double size) {
    const std::size_t darts = rooms_.size();
    for (std::size_t dart = 0; dart < darts && !rooms_.empty(); ++dart) {
      const auto pick = std::min(rooms_.size() - 1, static_cast<std::size_t>(random() * static_cast<double>(rooms_.size())));
      const Room room = rooms_[pick];
      const auto discard = [&] { rooms_[pick] = rooms_.back(), rooms_.pop_back(); };
      if (occupied_[static_cast<std::size_t>(room.cell)]) {
        discard();
        continue;
      }
      Vec3d point = room.corner;
      for (int i = 0; i < 3; ++i) point[i] += size * random();
      if (has_conflict(room.cell, point)) continue;
      if (!block_->is_full && !(shape_.distance(world(point)) < 0)) continue;
      insert(point);
      block_->points.push_back(point);
      occupied_[static_cast<std::size_t>(room.cell)] = true;
      discard();
    }
  }

  void split(double size) {
    parts_.clear();
    const double half = size / 2;
    for (const Room& room : rooms_) {
      if (occupied_[static_cast<std::size_t>(room.cell)]) continue;
      find_near(room, size, near_);
      for (int c = 0; c < 8; ++c)
        keep_if_free({room.cell, room.corner + Vec3d{(c >> 2) * half, (c >> 1 & 1) * half, (c & 1) * half}}, half, near_, parts_);
    }
    rooms_.swap(parts_);
  }

  const Shape& shape_;
  const Lattice& lattice_;
  std::uint64_t seed_, stream_ = 0, counter_ = 0;
  Block* block_ = nullptr;
  std::vector<Vec3d> points_, near_;
  std::vector<Room> rooms_, parts_;
  std::array<std::array<std::uint16_t, most_neighbors>, 512> neighbors_;
  std::array<std::uint16_t, 512> neighbor_count_;
  std::array<bool, 512> occupied_;
};

std::uint64_t key_of(const Cell& corner) {
  std::uint64_t key = 0;
  for (const int c : corner) key = key << 21 | (static_cast<std::uint64_t>(c / block_size + 1) & 0x1fffff);
  return key;
}

using BlockIndex = std::unordered_map<std::uint64_t, std::size_t>;

void collect_around(const std::vector<Block>& blocks, const BlockIndex& index, const Block& block, std::vector<Vec3d>& around) {
  around.clear();
  for (int n = 0; n < 27; ++n) {
    if (n == 13) continue;
    const int x = (n / 9 - 1) * block_size, y = (n / 3 % 3 - 1) * block_size, z = (n % 3 - 1) * block_size;
    const Vec3d shift{double(x), double(y), double(z)};
    const auto entry = index.find(key_of({block.corner[0] + x, block.corner[1] + y, block.corner[2] + z}));
    if (entry == index.end()) continue;
    for (const Vec3d& point : blocks[entry->second].points) {
      const Vec3d moved = point + shift;
      if (std::min({moved.x, moved.y, moved.z}) > -halo && std::max({moved.x, moved.y, moved.z}) < block_size + halo)
        around.push_back(moved);
    }
  }
}

std::vector<Vec3d> fill(const Shape& shape, double radius, std::uint64_t seed) {
  const Lattice lattice = lattice_over(shape, radius / std::sqrt(3.0));
  std::vector<Block> blocks;
  BlockIndex index;
  std::array<std::vector<std::size_t>, 8> colors;
  for (const LatticeBlock& block : blocks_of(shape, lattice)) {
    const auto color = [&](std::size_t axis) { return static_cast<std::size_t>(block.corner[axis] / block_size & 1); };
    index[key_of(block.corner)] = blocks.size();
    colors[color(0) << 2 | color(1) << 1 | color(2)].push_back(blocks.size());
    blocks.push_back({block.corner, block.is_full, {}});
  }
  for (const auto& same_color : colors)
    parallel_for(same_color.size(), 4, [&](std::size_t begin, std::size_t end) {
      const auto filler = std::make_unique<BlockFiller>(shape, lattice, seed);
      std::vector<Vec3d> around;
      for (std::size_t i = begin; i < end; ++i) {
        Block& block = blocks[same_color[i]];
        collect_around(blocks, index, block, around);
        filler->fill(block, around);
      }
    });
  std::vector<Vec3d> points;
  for (const Block& block : blocks)
    for (const Vec3d& point : block.points)
      points.push_back(lattice.origin +
                       (Vec3d{double(block.corner[0]), double(block.corner[1]), double(block.corner[2])} + point) * lattice.spacing);
  return points;
}

}  // namespace

// Near the surface points lie a little denser, as nothing beyond it keeps them off. Where that changes the number by more than
// two per cent, a second try with a corrected radius comes closer to one point for each spacing^3.
PoissonPoints sample_poisson(const Shape& shape, double spacing, std::uint64_t seed) {
  PoissonPoints result{{}, radius_per_spacing * spacing};
  result.points = fill(shape, result.radius, seed);
  const double wanted = shape_volume(shape, spacing) / (spacing * spacing * spacing);
  const auto excess = [&](const PoissonPoints& points) { return static_cast<double>(points.points.size()) / wanted; };
  if (result.points.empty() || !(wanted > 0) || std::abs(excess(result) - 1) < 0.02) return result;
  PoissonPoints second{{}, result.radius * std::cbrt(excess(result))};
  second.points = fill(shape, second.radius, seed);
  return std::abs(excess(second) - 1) < std::abs(excess(result) - 1) ? second : result;
}

}  // namespace knead
