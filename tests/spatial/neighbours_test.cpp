// Neighbour lists against brute force.
#include "spatial/neighbours.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "base/threads.h"
#include "spatial/kernels.h"

using namespace knead;

namespace {

template <class T> struct Cloud {
  std::vector<T> x[3];
  void add(double a, double b, double c) { x[0].push_back(T(a)), x[1].push_back(T(b)), x[2].push_back(T(c)); }
  Points<T> points() const { return {{x[0].data(), x[1].data(), x[2].data()}, x[0].size()}; }
};

template <class T> Cloud<T> random_cloud(std::size_t count, double extent, std::uint64_t seed, double shift = 0) {
  Cloud<T> cloud;
  for (std::size_t i = 0; i < count; ++i) {
    double x[3];
    for (std::size_t axis = 0; axis < 3; ++axis) x[axis] = shift + extent * (2 * random_uniform(seed, axis, i) - 1);
    cloud.add(x[0], x[1], x[2]);
  }
  return cloud;
}

template <class T> Cloud<T> lattice(int n, double spacing) {
  Cloud<T> cloud;
  for (int i = 0; i < n * n * n; ++i) cloud.add(i % n * spacing, i / n % n * spacing, i / n / n * spacing);
  return cloud;
}

// Pairs at the radius itself, to rounding, may be in a list or not.
template <class T> void check_lists(const Cloud<T>& a, const Cloud<T>& b, double radius, const NeighbourLists& lists) {
  const bool same = &a == &b;
  const std::size_t count = a.x[0].size();
  const double rounding = 8 * double(std::numeric_limits<T>::epsilon());
  REQUIRE(lists.first.size() == count + 1);
  REQUIRE(lists.index.size() >= lists.pairs());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> list(lists.index.begin() + std::ptrdiff_t(lists.first[i]),
                                    lists.index.begin() + std::ptrdiff_t(lists.first[i + 1]));
    std::sort(list.begin(), list.end());
    wrong += std::adjacent_find(list.begin(), list.end()) != list.end();
    for (std::size_t j = 0; j < b.x[0].size(); ++j) {
      double square = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double d = double(a.x[axis][i] - b.x[axis][j]);
        square += d * d;
      }
      const bool listed = std::binary_search(list.begin(), list.end(), std::uint32_t(j));
      const double distance = std::sqrt(square);
      if (std::abs(distance - radius) < rounding * radius) continue;
      wrong += listed != (distance < radius && !(same && i == j));
    }
  }
  CHECK(wrong == 0);
}

template <class T> void check_all(const Cloud<T>& a, const Cloud<T>& b, double radius) {
  NeighbourSearch<T> search;
  NeighbourLists lists;
  search.find(a.points(), b.points(), radius, lists);
  check_lists(a, b, radius, lists);
}

}  // namespace

TEST_CASE_TEMPLATE("neighbours: as by brute force", T, float, double) {
  SUBCASE("random") {
    const Cloud<T> cloud = random_cloud<T>(1500, 1, 1);
    for (const double radius : {0.02, 0.2, 0.7, 5.0}) check_all(cloud, cloud, radius);
  }
  SUBCASE("lattice") {
    const Cloud<T> cloud = lattice<T>(12, 0.05);
    check_all(cloud, cloud, 0.1);
    check_all(cloud, cloud, 0.0999);
  }
  SUBCASE("two sets, of which one is larger, and smaller, and elsewhere") {
    const Cloud<T> a = random_cloud<T>(700, 1, 2), b = random_cloud<T>(1100, 0.5, 3), c = random_cloud<T>(300, 0.1, 4, 7);
    check_all(a, b, 0.2);
    check_all(b, a, 0.2);
    check_all(a, c, 0.3);
    check_all(c, a, 7.0);
  }
  SUBCASE("clusters in wide space, some too far off for cells") {
    Cloud<T> cloud;
    for (const double place : {0.0, 3.0, -800.0, 1e4, 3e6}) {
      const Cloud<T> cluster = random_cloud<T>(200, 0.05, 5, place);
      for (std::size_t i = 0; i < 200; ++i) cloud.add(double(cluster.x[0][i]), double(cluster.x[1][i]), double(cluster.x[2][i]));
    }
    check_all(cloud, cloud, 0.03);
    check_all(random_cloud<T>(300, 0.05, 6), cloud, 0.03);
    check_all(cloud, random_cloud<T>(300, 0.05, 6), 0.03);
  }
  SUBCASE("far from the origin") {
    const Cloud<T> cloud = random_cloud<T>(800, 1, 7, sizeof(T) == 4 ? 3e3 : 1e9);
    check_all(cloud, cloud, 0.2);
  }
  SUBCASE("coincident points are neighbours of each other") {
    Cloud<T> cloud;
    for (int i = 0; i < 150; ++i) cloud.add(0.3, -0.2, 0.1), cloud.add(i % 3, 0, 0);
    check_all(cloud, cloud, 0.5);
  }
  SUBCASE("one point, and none") {
    const Cloud<T> none, one = random_cloud<T>(1, 1, 8);
    check_all(none, none, 0.1);
    check_all(none, one, 0.1);
    check_all(one, none, 0.1);
    check_all(one, one, 0.1);
  }
}

TEST_CASE_TEMPLATE("neighbours: points that are not finite have none, and spoil nothing", T, float, double) {
  Cloud<T> cloud = random_cloud<T>(500, 1, 9);
  const T infinity = std::numeric_limits<T>::infinity();
  cloud.x[0][3] = infinity, cloud.x[1][50] = std::numeric_limits<T>::quiet_NaN(), cloud.x[2][250] = -infinity, cloud.x[0][251] = T(1e30);
  NeighbourSearch<T> search;
  NeighbourLists lists;
  search.find(cloud.points(), cloud.points(), 0.3, lists);
  for (const std::size_t i : {3, 50, 250, 251}) CHECK(lists.first[i + 1] == lists.first[i]);
  std::size_t wrong = 0;
  for (const std::uint32_t j : lists.index) wrong += j == 3 || j == 50 || j == 250 || j == 251;
  CHECK(wrong == 0);
  check_lists(cloud, cloud, 0.3, lists);
}

TEST_CASE("neighbours: the same bytes with one and two threads, and in a search that has done other work before") {
  const Cloud<float> cloud = random_cloud<float>(100000, 1, 10), other = random_cloud<float>(100, 3, 11);
  NeighbourLists lists[2];
  std::vector<std::uint32_t> order[2];
  for (const std::size_t k : {0, 1}) {
    set_thread_count(int(k) + 1);
    NeighbourSearch<float> search;
    if (k == 1) search.find(other.points(), cloud.points(), 0.1, lists[k]);
    search.sort(cloud.points(), 0.04, order[k]);
    search.find(cloud.points(), cloud.points(), 0.04, lists[k]);
    lists[k].index.resize(lists[k].pairs());
  }
  set_thread_count(0);
  CHECK(order[0] == order[1]);
  CHECK(lists[0].first == lists[1].first);
  CHECK(lists[0].index == lists[1].index);
}

TEST_CASE("neighbours: sorted points are a permutation, sorted again they stay, and neighbours are near in memory") {
  const Cloud<double> cloud = random_cloud<double>(20000, 1, 12);
  NeighbourSearch<double> search;
  std::vector<std::uint32_t> order, again;
  search.sort(cloud.points(), 0.1, order);
  std::vector<std::uint32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < 20000; ++i) REQUIRE(sorted[i] == i);
  Cloud<double> placed;
  for (const std::uint32_t i : order) placed.add(cloud.x[0][i], cloud.x[1][i], cloud.x[2][i]);
  search.sort(placed.points(), 0.1, again);
  CHECK(std::is_sorted(again.begin(), again.end()));
  auto mean_gap = [&](const Cloud<double>& points) {
    NeighbourLists lists;
    search.find(points.points(), points.points(), 0.1, lists);
    double sum = 0;
    for (std::size_t i = 0; i < 20000; ++i)
      for (std::size_t k = lists.first[i]; k < lists.first[i + 1]; ++k) sum += std::abs(double(lists.index[k]) - double(i));
    return sum / double(lists.pairs());
  };
  CHECK(mean_gap(placed) < 0.25 * mean_gap(cloud));
}

TEST_CASE_TEMPLATE("neighbours: every instruction set finds the same", T, float, double) {
  const Cloud<T> cloud = random_cloud<T>(3000, 1, 13);
  NeighbourLists lists[3];
  const char* const sets[3] = {"baseline", "avx2", "avx512"};
  for (const std::size_t k : {0, 1, 2}) {
    setenv("KNEAD_INSTRUCTION_SET", sets[k], 1);
    NeighbourSearch<T> search;
    search.find(cloud.points(), cloud.points(), 0.3, lists[k]);
    unsetenv("KNEAD_INSTRUCTION_SET");
    check_lists(cloud, cloud, 0.3, lists[k]);
  }
}
