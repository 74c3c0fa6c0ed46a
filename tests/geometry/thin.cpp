// Sheets and rods: rows of points.
#include "geometry/thin.h"

#include "geometry/geometry_support.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("a sheet is one layer of rows along both edges: count, area, plane and middle") {
  const Sheet sheet{{1, 2, 3}, {0.5, 0, 0.5}, {0, 0.25, 0}};  // 1.414 x 0.5 m
  const double spacing = 0.02;
  const std::vector<Vec3d> points = sample_thin({sheet, {}}, spacing);
  CHECK(points.size() == 71 * 25);
  CHECK(static_cast<double>(points.size()) * spacing * spacing == doctest::Approx(std::sqrt(2.0) * 0.5).epsilon(0.01));
  Vec3d middle;
  double nearest = 1;
  for (const Vec3d& x : points) {
    middle += x / static_cast<double>(points.size());
    CHECK(std::abs(dot(x - sheet.center, Vec3d{1, 0, -1})) < 1e-12);
    nearest = std::min(nearest, x == points[0] ? 1.0 : length(x - points[0]));
  }
  CHECK(length(middle - sheet.center) < 1e-12);
  CHECK(nearest == doctest::Approx(spacing));
  CHECK(length(points[1] - points[0] - Vec3d{0, spacing, 0}) < 1e-12);
}

TEST_CASE("a sheet moves, turns and grows with its transform, and must keep its right angles") {
  const Transform transform{.translate = {1, 0, 0}, .rotate = {90, 0, 0}, .scale = {2, 1, 3}};
  const std::vector<Vec3d> points = sample_thin({Sheet{{0, 0, 0}, {0.1, 0, 0}, {0, 0, 0.1}}, transform}, 0.1);
  CHECK(points.size() == 4 * 6);
  for (const Vec3d& x : points) CHECK(std::abs(x.z) < 1e-15);
  CHECK(message_of([] {
          sample_thin({Sheet{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {}}, 0.1);
        }) == "u and v of a sheet must be at right angles.");
  CHECK(message_of([] { sample_thin({Sheet{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, {}}, 0.1); }) == "v must be a vector that is not zero.");
  CHECK(holds(message_of([] { make_shape({Sheet{}, {}}, {}, 0.1); }), "one particle thick"));
}

TEST_CASE("a rod is a row of points along its line, around its corners") {
  const Rod rod{{{0, 0, 0}, {1, 0, 0}, {1, 0.5, 0}, {1, 0.5, 0.5}}};
  const std::vector<Vec3d> points = sample_thin({rod, {}}, 0.1);
  REQUIRE(points.size() == 20);
  CHECK(close(points[0], {0.05, 0, 0}, 1e-12));
  CHECK(close(points[9], {0.95, 0, 0}, 1e-12));
  CHECK(close(points[10], {1, 0.05, 0}, 1e-12));
  CHECK(close(points[19], {1, 0.5, 0.45}, 1e-12));
  CHECK(sample_thin({Rod{{{0, 0, 0}, {0.01, 0, 0}}}, {}}, 0.1).size() == 1);
  CHECK(message_of([] { sample_thin({Rod{{{0, 0, 0}}}, {}}, 0.1); }) == "a rod needs two points or more.");
  CHECK(message_of([] { sample_thin({Rod{{{1, 0, 0}, {1, 0, 0}}}, {}}, 0.1); }) == "the points of a rod must not all be the same.");
}
