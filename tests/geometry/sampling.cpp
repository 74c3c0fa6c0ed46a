#include "geometry/sampling.h"

#include <cstring>
#include <unordered_map>

#include "base/threads.h"
#include "geometry/combined.h"
#include "geometry/primitives.h"
#include "geometry_support.h"

using namespace knead;
using namespace knead::test;
using doctest::Approx;

namespace {

// Smallest distance between any two points, by cells of size `reach`; reach if there is none closer.
double closest_pair(const std::vector<Vec3d>& points, double reach) {
  std::unordered_map<std::uint64_t, std::vector<Vec3d>> cells;
  const auto key = [&](const Vec3d& p, int i, int j, int k) {
    const auto part = [&](double x, int shift) { return static_cast<std::uint64_t>(std::floor(x / reach) + shift + (1 << 20)); };
    return part(p.x, i) << 42 | part(p.y, j) << 21 | part(p.z, k);
  };
  double closest = reach;
  for (const Vec3d& p : points) {
    for (int n = 0; n < 27; ++n) {
      const auto entry = cells.find(key(p, n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1));
      if (entry == cells.end()) continue;
      for (const Vec3d& q : entry->second) closest = std::min(closest, length(p - q));
    }
    cells[key(p, 0, 0, 0)].push_back(p);
  }
  return closest;
}

bool same_bytes(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3d)) == 0;
}

// Hides what a shape knows about its volume.
class Anonymous final : public Shape {
 public:
  explicit Anonymous(ShapePointer shape) : shape_(std::move(shape)) {}
  double distance(const Vec3d& point) const override { return shape_->distance(point); }
  Bounds3 bounds() const override { return shape_->bounds(); }

 private:
  ShapePointer shape_;
};

}  // namespace

TEST_CASE("Sampling: a box of whole spacings gets exactly one point per cell") {
  const auto box = make_primitive(Box{{0.1, -0.3, 0.7}, {0.1 + 12 * 0.013, -0.3 + 7 * 0.013, 0.7 + 31 * 0.013}});
  for (const auto method : {SamplingMethod::grid, SamplingMethod::jitter}) {
    const auto points = sample(*box, method, 0.013, 5);
    CHECK(points.size() == 12 * 7 * 31);
    Vec3d mean;
    for (const Vec3d& p : points) {
      REQUIRE(box->distance(p) < 0);
      mean += p / static_cast<double>(points.size());
    }
    // The lattice is centred; jitter moves the mean by at most about four standard deviations, 4 * 0.29 * 0.013 / sqrt(2604).
    CHECK(close(mean, (box->bounds().minimum + box->bounds().maximum) * 0.5, method == SamplingMethod::grid ? 1e-12 : 3e-4));
  }
}

TEST_CASE("Sampling: the octree finds what testing every lattice point finds") {
  const auto shape = make_difference({make_primitive(Torus{{0, 0, 0}, {1, 1, 0.3}, 0.7, 0.25}), make_primitive(Sphere{{0.6, 0, 0}, 0.3})});
  const double spacing = 0.03;
  const Bounds3 box = shape->bounds();
  std::size_t expected = 0;
  for (double x = box.minimum.x + spacing / 2; x < box.maximum.x; x += spacing)
    for (double y = box.minimum.y + spacing / 2; y < box.maximum.y; y += spacing)
      for (double z = box.minimum.z + spacing / 2; z < box.maximum.z; z += spacing) expected += shape->distance({x, y, z}) < 0;
  CHECK(sample(*shape, SamplingMethod::grid, spacing, 1).size() == expected);
}

TEST_CASE("Sampling: counts times spacing cubed come to the volumes of the formulas") {
  const std::vector<ShapePointer> shapes{make_primitive(Sphere{{0.1, 0.2, 0.3}, 0.5}),
                                         make_primitive(Ellipsoid{{0, 0, 0}, {0.5, 0.3, 0.7}}),
                                         make_primitive(Cylinder{{0, 0, 0}, {0.3, 0.8, 0.1}, 0.4}),
                                         make_primitive(Capsule{{0, 0, 0}, {0.3, 0.8, 0.1}, 0.3}),
                                         make_primitive(Cone{{0, 0, 0}, {0.3, 0.8, 0.1}, 0.6}),
                                         make_primitive(Torus{{0, 0, 0}, {0.3, 0.8, 0.1}, 0.6, 0.2})};
  for (const auto& shape : shapes) {
    const double volume = *shape->volume(), spacing = 0.02;
    CHECK(static_cast<double>(sample(*shape, SamplingMethod::grid, spacing, 1).size()) * std::pow(spacing, 3) ==
          Approx(volume).epsilon(0.01));
    CHECK(static_cast<double>(sample(*shape, SamplingMethod::jitter, spacing, 1).size()) * std::pow(spacing, 3) ==
          Approx(volume).epsilon(0.01));
    // Quadrature that is not told the formula: second order in 1/128 of the size.
    CHECK(shape_volume(Anonymous(shape), 0.05) == Approx(volume).epsilon(1e-5));
  }
}

TEST_CASE("Sampling: the volume of combined shapes is that of inclusion and exclusion") {
  // Two unit spheres with centres 1 apart share a lens of volume 5 pi / 12.
  const auto a = make_primitive(Sphere{{0, 0, 0}, 1}), b = make_primitive(Sphere{{1, 0, 0}, 1});
  const double pi = std::acos(-1.0), ball = 4 * pi / 3, lens = 5 * pi / 12;
  CHECK(shape_volume(*make_union({a, b}), 0.1) == Approx(2 * ball - lens).epsilon(1e-4));
  CHECK(shape_volume(*make_intersection({a, b}), 0.1) == Approx(lens).epsilon(1e-4));
  CHECK(shape_volume(*make_difference({a, b}), 0.1) == Approx(ball - lens).epsilon(1e-4));
  CHECK(shape_volume(*make_intersection({a, make_primitive(Plane{{0, 0, 0}, {0, 1, 0}})}), 0.1) == Approx(ball / 2).epsilon(1e-4));
}

TEST_CASE("Sampling: a small part far from a large one is counted fully") {
  const auto shape = make_union({make_primitive(Sphere{{0, 0, 0}, 0.05}), make_primitive(Box{{9, 0, 0}, {10, 1, 1}})});
  CHECK(shape_volume(*shape, 0.02) ==
        Approx(1 + 4 * std::acos(-1.0) / 3 * std::pow(0.05, 3)).epsilon(4e-5));  // without the ball 5e-4 would be missing
}

TEST_CASE("Sampling: Poisson points keep their distance, fill the shape and have the density asked for") {
  const auto ball = make_primitive(Sphere{{0.3, 0, 0}, 0.5});
  const double spacing = 0.035;
  const auto [points, radius] = sample_poisson(*ball, spacing, 3);
  CHECK(radius > 0.85 * spacing);
  CHECK(closest_pair(points, radius) >= radius);
  CHECK(static_cast<double>(points.size()) * std::pow(spacing, 3) == Approx(*ball->volume()).epsilon(0.02));
  for (const Vec3d& p : points) REQUIRE(ball->distance(p) <= 0);
  // Nearly maximal: hardly any place inside is farther than the radius from all points.
  int gaps = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Vec3d x = Vec3d{0.3, 0, 0} + random_point({{-0.28, -0.28, -0.28}, {0.28, 0.28, 0.28}}, 4, i);
    double nearest = 1;
    for (const Vec3d& p : points) nearest = std::min(nearest, length_squared(p - x));
    gaps += nearest > radius * radius;
  }
  CHECK(gaps <= 10);
}

TEST_CASE("Sampling: the same seed gives the same bytes on one thread and two, another seed other points") {
  const auto shape = make_primitive(Torus{{0, 0, 0}, {0, 1, 0}, 0.5, 0.2});
  for (const auto method : {SamplingMethod::grid, SamplingMethod::jitter, SamplingMethod::poisson}) {
    set_thread_count(1);
    const auto one = sample(*shape, method, 0.03, 9);
    set_thread_count(2);
    const auto two = sample(*shape, method, 0.03, 9);
    set_thread_count(0);
    CHECK(same_bytes(one, two));
    CHECK(same_bytes(one, sample(*shape, method, 0.03, 10)) == (method == SamplingMethod::grid));
  }
}

TEST_CASE("Sampling: spacing follows from particles per cell, and what cannot be filled is refused") {
  CHECK(sampling_spacing({}, 0.1) == Approx(0.05));
  CHECK(sampling_spacing({.per_cell = 27}, 0.3) == Approx(0.1));
  CHECK(sampling_spacing({.spacing = 0.02}, 0.3) == 0.02);
  CHECK(holds(message_of([] { sampling_spacing({.per_cell = 8, .spacing = 1}, 1); }), "not both"));
  const auto ball = make_primitive(Sphere{{0, 0, 0}, 1});
  CHECK(holds(message_of([&] { sample(*make_primitive(Plane{}), SamplingMethod::grid, 0.1, 1); }), "not bounded"));
  CHECK(holds(message_of([&] { sample(*ball, SamplingMethod::grid, 0, 1); }), "greater than 0"));
  CHECK(holds(message_of([&] { sample(*ball, SamplingMethod::grid, 1e-12, 1); }), "too large for this spacing"));
}
