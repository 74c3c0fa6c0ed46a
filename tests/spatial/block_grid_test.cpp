// The sparse grid: who reaches whom.
#include "spatial/block_grid.h"

#include <doctest/doctest.h>

#include <map>

#include "base/random.h"
#include "spatial/block_table.h"

using namespace knead;

namespace {

Order scattered(std::size_t count, int extent, const Lattice& lattice) {
  Order order;
  std::map<std::uint64_t, BlockCoordinates> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    BlockCoordinates b;
    for (int axis = 0; axis < 3; ++axis) {
      const auto random = std::int32_t(mix_bits(3 * i + std::size_t(axis) + 1) % std::uint64_t(2 * extent + 1));
      b[axis] = lattice.period[axis] ? random % lattice.period[axis] : random - extent;
    }
    blocks[morton_key(b)] = b;
  }
  for (const auto& [key, block] : blocks) order.blocks.push_back(block);
  return order;
}

void check_grid(const Order& order, const Lattice& lattice) {
  const BlockGrid grid = make_block_grid(order, lattice);
  std::map<BlockCoordinates, int> place, occupied;
  for (std::size_t b = 0; b < grid.blocks.size(); ++b) {
    REQUIRE(place.insert({grid.blocks[b], int(b)}).second);  // none twice
    if (b > 0) REQUIRE(morton_key(grid.blocks[b - 1]) < morton_key(grid.blocks[b]));
  }
  for (std::size_t b = 0; b < order.blocks.size(); ++b) occupied[order.blocks[b]] = int(b);
  const auto neighbour = [&](BlockCoordinates block, int d) {
    const int step[3] = {d / 9 - 1, d / 3 % 3 - 1, d % 3 - 1};
    for (int axis = 0; axis < 3; ++axis) {
      block[axis] += step[axis];
      if (lattice.period[axis]) block[axis] = (block[axis] + lattice.period[axis]) % lattice.period[axis];
    }
    return block;
  };
  std::map<BlockCoordinates, int> reached;
  REQUIRE(grid.neighbours.size() == order.blocks.size());
  REQUIRE(grid.pads.size() == grid.blocks.size());
  for (std::size_t b = 0; b < order.blocks.size(); ++b)
    for (int d = 0; d < 27; ++d) {
      const BlockCoordinates at = neighbour(order.blocks[b], d);
      REQUIRE(place.count(at) == 1);
      REQUIRE(grid.neighbours[b][d] == place[at]);
      reached[at] = 1;
      // Seen from there, this block lies in the opposite direction.
      REQUIRE(grid.pads[std::size_t(place[at])][26 - d] == int(b));
    }
  REQUIRE(reached.size() == grid.blocks.size());  // and nothing more than what can be reached
  for (std::size_t b = 0; b < grid.blocks.size(); ++b)
    for (int d = 0; d < 27; ++d) {
      const auto found = occupied.find(neighbour(grid.blocks[b], d));
      REQUIRE(grid.pads[b][d] == (found == occupied.end() ? -1 : found->second));
    }
}

}  // namespace

TEST_CASE("block grid: every block that can be reached is there once, and both tables agree with the coordinates") {
  for (const std::size_t count : {1ul, 5ul, 300ul}) {
    const Lattice open{{}, 1, {}};
    check_grid(scattered(count, 4, open), open);
    check_grid(scattered(count, 40, open), open);
  }
}

TEST_CASE("block grid: a periodic axis closes on itself, also when it is one block long") {
  for (const auto& period : {std::array<std::int32_t, 3>{1, 0, 0}, {0, 3, 0}, {2, 0, 5}, {1, 1, 1}, {4, 4, 4}}) {
    const Lattice lattice{{}, 1, period};
    check_grid(scattered(20, 6, lattice), lattice);
  }
}

TEST_CASE("block table: finds every key and no other, also when keys crowd") {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 5000; ++i) keys.push_back(i % 2 ? i : i << 40);
  BlockTable table;
  CHECK(table.find(7) == -1);
  table.build(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) REQUIRE(table.find(keys[i]) == std::int32_t(i));
  for (std::uint64_t i = 5001; i < 9000; ++i) REQUIRE(table.find(i) == -1);
  table.build({});
  CHECK(table.find(1) == -1);
}
