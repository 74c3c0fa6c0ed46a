// The order of particles: by block, group and cell.
#include "spatial/order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/random.h"
#include "base/threads.h"

using namespace knead;

namespace {

template <class T> struct Cloud {
  std::vector<T> x[3];
  std::vector<std::uint16_t> group;
  std::size_t groups;

  Cloud(std::size_t count, std::size_t group_count, double extent) : groups(group_count) {
    for (std::size_t i = 0; i < count; ++i) {
      for (int axis = 0; axis < 3; ++axis) x[axis].push_back(T(extent * (2 * random(4 * i + std::size_t(axis)) - 1)));
      group.push_back(std::uint16_t(random(4 * i + 3) * double(group_count)));
    }
  }
  static double random(std::size_t i) { return double(mix_bits(i + 1) >> 11) / 9007199254740992.0; }
  SortInput<T> input() const { return {{x[0].data(), x[1].data(), x[2].data()}, group.data(), group.size(), groups}; }
  Vec3d at(std::size_t i) const { return {double(x[0][i]), double(x[1][i]), double(x[2][i])}; }
};

template <class T>
void check_order(const Cloud<T>& cloud, const Lattice& lattice, const Order& order, const std::vector<std::uint32_t>& permutation) {
  std::vector<bool> seen(cloud.group.size(), false);
  for (const std::uint32_t i : permutation) {
    REQUIRE(i < seen.size());
    REQUIRE(!seen[i]);
    seen[i] = true;
  }
  std::uint32_t next = 0, last_block = 0;
  std::uint64_t last_key = 0;
  std::set<std::uint32_t> blocks;
  for (std::size_t r = 0; r < order.runs.size(); ++r) {
    const Run& run = order.runs[r];
    REQUIRE(run.begin == next);  // the runs cover everything, in order, and none is empty
    REQUIRE(run.end > run.begin);
    next = run.end;
    if (r > 0 && run.block == last_block) REQUIRE(run.group > order.runs[r - 1].group);
    if (r > 0) REQUIRE(run.block >= last_block);
    if (blocks.insert(run.block).second) {
      const std::uint64_t key = morton_key(order.blocks[run.block]);
      if (run.block > 0) REQUIRE(key > last_key);
      last_key = key;
    }
    last_block = run.block;
    std::uint32_t cell = 0, particle = 0;
    for (std::uint32_t k = run.begin; k < run.end; ++k) {
      const std::uint32_t i = permutation[k];
      const CellAddress address = cell_address(cloud.at(i), lattice);
      REQUIRE(address.block == order.blocks[run.block]);
      REQUIRE(cloud.group[i] == run.group);
      REQUIRE(address.cell >= cell);
      if (address.cell == cell && k > run.begin) REQUIRE(i > particle);  // stable
      cell = address.cell, particle = i;
    }
  }
  REQUIRE(next == permutation.size());
  REQUIRE(blocks.size() == order.blocks.size());
}

}  // namespace

TEST_CASE("order: random particles are sorted by block, group and cell, stably, and none is lost") {
  const Lattice lattice{{0.3, -0.2, 0.1}, 0.07, {}};
  for (const std::size_t count : {1ul, 100ul, 5000ul, 150000ul}) {
    const Cloud<float> single(count, 3, 4);
    const Cloud<double> exact(count, 2, 0.5);
    Order order;
    std::vector<std::uint32_t> permutation;
    sort_particles(single.input(), lattice, nullptr, order, permutation);
    CHECK(order.valid);
    CHECK(permutation.size() == count);
    check_order(single, lattice, order, permutation);
    sort_particles(exact.input(), lattice, nullptr, order, permutation);
    CHECK(permutation.size() == count);
    check_order(exact, lattice, order, permutation);
  }
}

TEST_CASE("order: the same with one and two threads") {
  const Cloud<float> cloud(200000, 2, 3);
  const Lattice lattice{{}, 0.05, {}};
  Order order[2];
  std::vector<std::uint32_t> permutation[2];
  for (const int k : {0, 1}) {
    set_thread_count(k + 1);
    sort_particles(cloud.input(), lattice, nullptr, order[k], permutation[k]);
  }
  set_thread_count(0);
  CHECK(permutation[0] == permutation[1]);
  CHECK(order[0].blocks == order[1].blocks);
}

TEST_CASE("order: particles without a finite place, beyond the largest block, or marked, are left out") {
  Cloud<double> cloud(1000, 2, 1);
  const Lattice lattice{{}, 0.1, {}};
  const double inf = std::numeric_limits<double>::infinity();
  cloud.x[0][3] = inf, cloud.x[1][70] = -inf, cloud.x[2][71] = std::nan(""), cloud.x[0][72] = 1e30, cloud.x[1][999] = -0.4 * (1 << 20);
  std::vector<std::uint8_t> discard(1000, 0);
  discard[0] = discard[500] = 1;
  Order order;
  std::vector<std::uint32_t> permutation;
  sort_particles(cloud.input(), lattice, discard.data(), order, permutation);
  CHECK(permutation.size() == 1000 - 7);
  for (const std::uint32_t gone : {0u, 3u, 70u, 71u, 72u, 500u, 999u}) CHECK(std::count(permutation.begin(), permutation.end(), gone) == 0);
  check_order(cloud, lattice, order, permutation);
  discard.assign(1000, 1);
  sort_particles(cloud.input(), lattice, discard.data(), order, permutation);
  CHECK(permutation.empty());
  CHECK(order.runs.empty());
  CHECK(order.blocks.empty());
}

TEST_CASE("order: far particles up to the largest block have their own blocks") {
  const Lattice lattice{{}, 1, {}};
  Cloud<double> cloud(8, 1, 1);
  const double far = 4.0 * (largest_block - 1);
  for (std::size_t i = 0; i < 8; ++i)
    cloud.x[0][i] = i & 1 ? far : -far, cloud.x[1][i] = i & 2 ? far : -far, cloud.x[2][i] = i & 4 ? far : -far;
  Order order;
  std::vector<std::uint32_t> permutation;
  sort_particles(cloud.input(), lattice, nullptr, order, permutation);
  CHECK(order.blocks.size() == 8);
  check_order(cloud, lattice, order, permutation);
}

TEST_CASE("order: a stencil begins half a cell below a particle, and a periodic axis wraps its block") {
  Lattice lattice{{0, 0, 0}, 0.5, {4, 0, 0}};
  CHECK(cell_address({0.25, 0.25, 0.25}, lattice).block == BlockCoordinates{0, 0, 0});
  CHECK(cell_address({0.25, 0.25, 0.25}, lattice).cell == 0);
  CHECK(cell_address({0.2, 0.2, 0.2}, lattice).block == BlockCoordinates{3, -1, -1});
  CHECK(cell_address({0.2, 0.2, 0.2}, lattice).cell == 63);
  CHECK(cell_address({8.25 + 0.5, 0.25, 1.3}, lattice).block == BlockCoordinates{0, 0, 0});
  CHECK(cell_address({8.25 + 0.5, 0.25, 1.3}, lattice).cell == 16 * 1 + 2);
}

TEST_CASE("order: keys of blocks are distinct and keep the order of one axis") {
  std::set<std::uint64_t> keys;
  for (int x = -5; x <= 5; ++x)
    for (int y = -5; y <= 5; ++y)
      for (int z = -5; z <= 5; ++z) keys.insert(morton_key({x, y, z}));
  CHECK(keys.size() == 11 * 11 * 11);
  for (int x = -100; x < 100; ++x) CHECK(morton_key({x, 7, -3}) < morton_key({x + 1, 7, -3}));
  CHECK(morton_key({-largest_block, 0, 0}) < morton_key({largest_block, 0, 0}));
}
