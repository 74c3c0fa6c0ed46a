// Samples of boundaries.
#include "solvers/sph/boundary.h"

#include <algorithm>

#include "solvers/sph/fluid_setup.h"

using namespace knead;
using namespace knead::test;

namespace {
struct Sampled {
  World world;
  State state;
  SphBoundary<double> boundary;
  double dx = 0.1;
  void add(const ShapeKind& kind, const Motion& motion = {}) {
    world.colliders.push_back({.name = "wall", .shape = make_shape({.kind = kind, .transform = {}}, {}, dx), .motion = motion});
  }
  void place(const Vec3d& low, const Vec3d& high, double time = 0) {  // samples near the corners and edges of a box of particles
    std::vector<double> x[3];
    for (double a = low.x; a <= high.x; a += 2 * dx)
      for (double b = low.y; b <= high.y; b += 2 * dx)
        for (double c = low.z; c <= high.z; c += 2 * dx) x[0].push_back(a), x[1].push_back(b), x[2].push_back(c);
    BoundarySampler<double>(dx, SmoothingType::wendland_c2)
        .place(world, state, {{x[0].data(), x[1].data(), x[2].data()}, x[0].size()}, time, boundary);
  }
  Vec3d at(std::size_t b) const { return {boundary.x[0][b], boundary.x[1][b], boundary.x[2][b]}; }
};
}  // namespace

TEST_CASE("sph boundary: a plane continues the lattice of the particles on it, near them and not elsewhere") {
  Sampled scene;
  scene.add(Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}});
  scene.place({5, 0, 5}, {7, 1, 7});
  REQUIRE(scene.boundary.size() > 20 * 20);
  CHECK(scene.boundary.size() < 50 * 50);
  for (std::size_t b = 0; b < scene.boundary.size(); ++b) {
    CHECK(scene.at(b).y == doctest::Approx(-0.05));
    CHECK(scene.boundary.volume[b] == doctest::Approx(1e-3));
    const double cell = scene.at(b).x / 0.1 - 0.5;
    CHECK(std::abs(cell - std::round(cell)) < 1e-9);
  }
}

TEST_CASE("sph boundary: a ball has samples half a spacing below its surface, none too near another, and together a layer's volume") {
  Sampled scene;
  scene.add(Sphere{.center = {0.03, -0.02, 0.01}, .radius = 1});
  scene.place({-1.2, -1.2, -1.2}, {1.2, 1.2, 1.2});
  double volume = 0, nearest = 1;
  for (std::size_t b = 0; b < scene.boundary.size(); ++b) {
    CHECK(length(scene.at(b) - Vec3d{0.03, -0.02, 0.01}) == doctest::Approx(0.95).epsilon(0.01));
    volume += scene.boundary.volume[b];
    for (std::size_t c = 0; c < b; ++c) nearest = std::min(nearest, length(scene.at(b) - scene.at(c)));
  }
  CHECK(nearest > 0.079);
  // An irregular layer has larger kernel sums than a lattice, so it counts a little less than 4 pi r^2 dx.
  CHECK(volume == doctest::Approx(4 * 3.14159265 * 0.95 * 0.95 * 0.1).epsilon(0.1));
}

TEST_CASE("sph boundary: where two walls overlap, each place is there once") {
  Sampled scene;
  scene.add(Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}});
  scene.add(Plane{.point = {0, 0, 0}, .normal = {1, 0, 0}});
  scene.place({0, 0, 0}, {1, 1, 1});
  std::size_t corner = 0;
  for (std::size_t b = 0; b < scene.boundary.size(); ++b) {
    for (std::size_t c = 0; c < b; ++c) REQUIRE(length(scene.at(b) - scene.at(c)) > 0.079);
    corner += scene.at(b).x < 0 && scene.at(b).y < 0;
  }
  CHECK(corner > 0);
}

TEST_CASE("sph boundary: samples move and turn with their collider and know its velocity") {
  Sampled scene;
  Motion motion;
  motion.velocity = {1, 0, 0};
  motion.angular_velocity = {0, 0, 2};
  scene.add(Box{.min = {-0.5, -0.5, -0.5}, .max = {0.5, 0.5, 0.5}}, motion);
  scene.place({-1, -1, -1}, {1, 1, 1}, 0);
  const std::size_t count = scene.boundary.size();
  scene.place({-1, -1, -1}, {2, 1, 1}, 0.4);
  CHECK(scene.boundary.size() == count);
  for (std::size_t b = 0; b < scene.boundary.size(); ++b) {
    const Vec3d local = motion.pose(0.4).invert(scene.at(b));
    CHECK(std::max({std::abs(local.x), std::abs(local.y), std::abs(local.z)}) == doctest::Approx(0.45).epsilon(0.02));
    const Vec3d v = motion.velocity_at(scene.at(b), 0.4);
    CHECK(scene.boundary.v[0][b] == doctest::Approx(v.x));
    CHECK(scene.boundary.v[1][b] == doctest::Approx(v.y));
  }
}
