// Distances and normals of single shapes.
#include "geometry/shapes.h"

#include "geometry/rotation.h"
#include "geometry_support.h"

using namespace knead;
using namespace knead::test;
using doctest::Approx;

namespace {

ShapePointer make(const ShapeKind& kind, std::optional<Transform> transform = {}) { return make_shape({kind, transform}, ".", 0.1); }

struct Expected {
  Vec3d point;
  double distance;
  Vec3d normal;
};

void check(const ShapeKind& kind, const std::vector<Expected>& expected) {
  const ShapePointer shape = make(kind);
  for (const Expected& e : expected) {
    CAPTURE(e.point.x);
    CAPTURE(e.point.y);
    CAPTURE(e.point.z);
    CHECK(shape->distance(e.point) == Approx(e.distance).epsilon(1e-12));
    CHECK(close(shape->normal(e.point), e.normal, 1e-9));
  }
}

const double h = std::sqrt(0.5);

// One of each, well inside [-2, 2]^3 (the plane excepted).
std::vector<ShapeSpec> one_of_each() {
  const ShapeSpec box{Box{{-1, -0.5, -0.7}, {0.4, 0.5, 0.2}}, {}}, ball{Sphere{{0.5, 0.3, 0}, 0.8}, {}};
  Transform stretched{.translate = {0.2, -0.1, 0.3}, .rotate = {20, -35, 50}, .scale = {0.5, 1, 1.6}};
  return {box,
          ball,
          {Ellipsoid{{0.1, 0.2, 0.3}, {1.2, 0.4, 0.7}}, {}},
          {Ellipsoid{{0.1, 0.2, 0.3}, {1.2, 1.2, 0.05}}, {}},
          {Cylinder{{-0.5, -0.5, 0}, {0.7, 0.9, 0.2}, 0.4}, {}},
          {Capsule{{-0.5, -0.5, 0}, {0.7, 0.9, 0.2}, 0.4}, {}},
          {Cone{{-0.5, -0.5, 0}, {0.7, 0.9, 0.2}, 0.6}, {}},
          {Torus{{0, 0.1, 0}, {1, 2, 3}, 0.8, 0.3}, {}},
          {Plane{{0.1, 0, 0}, {1, 2, -1}}, {}},
          {Union{{box, ball}}, {}},
          {Intersection{{box, ball}}, {}},
          {Difference{{box, ball}}, {}},
          {SmoothUnion{{box, ball, {Sphere{{-0.8, 0.8, 0}, 0.5}, {}}}, 0.4}, {}},
          {Box{{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}, stretched},
          {Torus{{0, 0, 0}, {0, 1, 0}, 0.8, 0.3}, stretched}};
}

}  // namespace

TEST_CASE("Shapes: distances and normals at chosen points are those of the formulas") {
  check(Box{{-1, -1, -1}, {1, 2, 3}}, {{{2, 0, 0}, 1, {1, 0, 0}},
                                       {{2, 3, 0}, std::sqrt(2.0), {h, h, 0}},
                                       {{-2, -2, -2}, std::sqrt(3.0), Vec3d{-1, -1, -1} / std::sqrt(3.0)},
                                       {{0, 1.75, 1}, -0.25, {0, 1, 0}},
                                       {{1, 0, 1}, 0, {1, 0, 0}}});
  check(Sphere{{1, 0, 0}, 2}, {{{4, 0, 0}, 1, {1, 0, 0}}, {{1, -1, 0}, -1, {0, -1, 0}}});
  check(Ellipsoid{{0, 0, 0}, {3, 2, 1}},
        {{{5, 0, 0}, 2, {1, 0, 0}}, {{0, -3, 0}, 1, {0, -1, 0}}, {{0, 0, 0.25}, -0.75, {0, 0, 1}}, {{0, 0, 4}, 3, {0, 0, 1}}});
  check(Cylinder{{0, 0, 0}, {0, 2, 0}, 1}, {{{3, 1, 0}, 2, {1, 0, 0}},
                                            {{0, 3, 0.5}, 1, {0, 1, 0}},
                                            {{2, 3, 0}, std::sqrt(2.0), {h, h, 0}},
                                            {{0, 0.25, 0}, -0.25, {0, -1, 0}},
                                            {{0, 1, 0.9}, -0.1, {0, 0, 1}}});
  check(
      Capsule{{0, 0, 0}, {0, 2, 0}, 1},
      {{{3, 1, 0}, 2, {1, 0, 0}}, {{0, 5, 0}, 2, {0, 1, 0}}, {{1, -1, 0}, std::sqrt(2.0) - 1, {h, -h, 0}}, {{0.5, 1, 0}, -0.5, {1, 0, 0}}});
  check(Cone{{0, 0, 0}, {0, 1, 0}, 1}, {{{1, 1, 0}, h, {h, h, 0}},
                                        {{0, 3, 0}, 2, {0, 1, 0}},
                                        {{0.5, -1, 0}, 1, {0, -1, 0}},
                                        {{0, 0.125, 0.5}, -0.125, {0, -1, 0}},
                                        {{2, -1, 0}, std::sqrt(2.0), {h, -h, 0}},
                                        {{0.5, 0.5, 0}, 0, {h, h, 0}}});
  check(Torus{{0, 0, 0}, {0, 0, 5}, 2, 0.5}, {{{0, 4, 0}, 1.5, {0, 1, 0}},
                                              {{2, 0, 1}, 0.5, {0, 0, 1}},
                                              {{1.75, 0, 0}, -0.25, {-1, 0, 0}},
                                              {{0, 0, 0}, 1.5, make(Torus{{0, 0, 0}, {0, 0, 1}, 2, 0.5})->normal({})}});
  check(Plane{{0, 1, 0}, {0, 3, 4}}, {{{7, 1, 5}, 4, {0, 0.6, 0.8}}, {{0, 0, 0}, -0.6, {0, 0.6, 0.8}}});
}

TEST_CASE("Ellipsoid: the distance agrees with a dense search over the surface") {
  const Ellipsoid ellipsoid{{0.1, 0.2, 0.3}, {1.2, 0.4, 0.7}};
  const ShapePointer shape = make(ellipsoid);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Vec3d x = random_point({{-1.5, -1, -1}, {1.5, 1, 1.5}}, 1, i);
    double nearest = 1e9;
    for (int a = 0; a <= 400; ++a)
      for (int b = 0; b < 800; ++b) {
        const double theta = std::numbers::pi * a / 400, phi = std::numbers::pi * b / 400;
        const Vec3d unit{std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)};
        nearest = std::min(nearest, length(ellipsoid.center + ellipsoid.radii * unit - x));
      }
    // The search misses the closest point by at most half a step, 0.005 m, which adds at most that and usually its square.
    CHECK(std::abs(shape->distance(x)) <= nearest + 1e-12);
    CHECK(std::abs(shape->distance(x)) >= nearest - 0.005);
  }
}

TEST_CASE("Shapes: no distance changes by more than the way, and normals are unit gradients") {
  const Bounds3 space{{-2, -2, -2}, {2, 2, 2}};
  for (const ShapeSpec& spec : one_of_each()) {
    CAPTURE(std::visit([](const auto& kind) { return kind.name; }, spec.kind));
    const ShapePointer shape = make_shape(spec, ".", 0.1);
    int unit_gradients = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      // Pairs far apart, and pairs close to each other.
      const Vec3d a = random_point(space, 1, i), b = i % 2 ? random_point(space, 2, i) : a + (random_point(space, 2, i)) * 1e-3;
      REQUIRE(std::abs(shape->distance(a) - shape->distance(b)) <= length(a - b) * (1 + 1e-9) + 1e-12);
      const Vec3d n = shape->normal(a);
      REQUIRE(length(n) == Approx(1).epsilon(1e-9));
      const double step = 1e-6;
      Vec3d gradient;
      for (int axis = 0; axis < 3; ++axis) {
        Vec3d low = a, high = a;
        low[axis] -= step, high[axis] += step;
        gradient[axis] = (shape->distance(high) - shape->distance(low)) / (2 * step);
      }
      if (length(gradient) > 0.1 && close(normalized(gradient), n, 1e-4)) ++unit_gradients;
    }
    CHECK(unit_gradients > 1980);  // the rest: differences across an edge or the medial surface
  }
}

TEST_CASE("Shapes: outside their bounds there is nothing, and the bounds are tight") {
  for (const ShapeSpec& spec : one_of_each()) {
    const ShapePointer shape = make_shape(spec, ".", 0.1);
    const Bounds3 box = shape->bounds();
    if (!is_finite(box)) continue;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      const Vec3d x = random_point({{-3, -3, -3}, {3, 3, 3}}, 1, i);
      bool within = true;
      for (int axis = 0; axis < 3; ++axis) within = within && x[axis] >= box.minimum[axis] && x[axis] <= box.maximum[axis];
      if (!within) REQUIRE(shape->distance(x) > -1e-12);
    }
  }
  const Bounds3 tilted = make(Cylinder{{0, 0, 0}, {1, 1, 0}, 1})->bounds();
  CHECK(close(tilted.minimum, {-h, -h, -1}, 1e-12));
  CHECK(close(tilted.maximum, {1 + h, 1 + h, 1}, 1e-12));
  const Bounds3 ring = make(Torus{{0, 0, 0}, {0, 1, 0}, 2, 0.5})->bounds();
  CHECK(close(ring.maximum, {2.5, 0.5, 2.5}, 1e-12));
}

TEST_CASE("Combined shapes: distances obey the identities of set algebra") {
  const ShapeSpec a{Box{{-1, -1, -1}, {1, 1, 1}}, {}}, b{Sphere{{0.8, 0, 0}, 0.9}, {}}, c{Sphere{{-1, 1, 0}, 0.6}, {}};
  const auto A = make_shape(a, ".", 1), B = make_shape(b, ".", 1), C = make_shape(c, ".", 1);
  const auto both = make(Union{{a, b, c}}), common = make(Intersection{{a, b}}), cut = make(Difference{{a, b, c}}),
             blended = make(SmoothUnion{{a, b}, 0.3});
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Vec3d x = random_point({{-2, -2, -2}, {2, 2, 2}}, 3, i);
    const double da = A->distance(x), db = B->distance(x), dc = C->distance(x);
    CHECK(both->distance(x) == std::min({da, db, dc}));
    CHECK(common->distance(x) == std::max(da, db));
    CHECK(cut->distance(x) == std::max({da, -db, -dc}));
    CHECK(blended->distance(x) <= std::min(da, db));
    CHECK(blended->distance(x) >= std::min(da, db) - 0.3 / 4);  // the parabola is deepest where both are equal
    if (std::abs(da - db) > 0.3) CHECK(blended->distance(x) == std::min(da, db));
  }
}

TEST_CASE("Transform: scales first, then turns about x, y, z, then moves") {
  const Transform transform{.translate = {1, 2, 3}, .rotate = {0, 0, 90}, .scale = {2, 2, 2}};
  const ShapePointer moved = make(Box{{0, 0, 0}, {1, 0.5, 0.25}}, transform);
  // The corner (1, 0.5, 0.25) goes to (2, 1, 0.5), turned (-1, 2, 0.5), moved (0, 4, 3.5).
  CHECK(moved->distance({0, 4, 3.5}) == Approx(0).epsilon(1e-12));
  CHECK(moved->distance({0, 5, 3.25}) == Approx(1));
  CHECK(close(moved->normal({0.5, 5, 3.25}), {0, 1, 0}, 1e-12));
  CHECK(*moved->volume() == Approx(1));
  CHECK(close(moved->bounds().minimum, {0, 2, 3}, 1e-12));
  CHECK(close(euler_rotation({90, 90, 0}) * Vec3d{0, 1, 0}, {1, 0, 0}, 1e-12));  // y to z about x, then z to x about y
}

TEST_CASE("Shapes: parameters that make no solid are refused with a sentence") {
  CHECK(holds(message_of([] { make(Box{{0, 0, 0}, {1, 0, 1}}); }), "every coordinate of min must be smaller"));
  CHECK(holds(message_of([] { make(Sphere{{0, 0, 0}, 0}); }), "radius must be a number greater than 0"));
  CHECK(holds(message_of([] { make(Ellipsoid{{0, 0, 0}, {1, -1, 1}}); }), "each of the radii"));
  CHECK(holds(message_of([] { make(Cylinder{{0, 0, 0}, {0, 0, 0}, 1}); }), "axis must be a vector that is not zero"));
  CHECK(holds(message_of([] { make(Plane{{0, 0, 0}, {0, 0, 0}}); }), "normal must be a vector that is not zero"));
  CHECK(holds(message_of([] { make(Torus{{0, 0, 0}, {0, 1, 0}, 1, 2}); }), "tube must not be greater"));
  CHECK(holds(message_of([] { make(Union{}); }), "at least one shape"));
  CHECK(holds(message_of([] { make(Intersection{{{Sphere{{0, 0, 0}, 1}, {}}, {Sphere{{5, 0, 0}, 1}, {}}}}); }), "nothing in common"));
  CHECK(holds(message_of([] { make(Sphere{}, Transform{.scale = {1, 0, 1}}); }), "transform.scale"));
  CHECK(holds(message_of([] { make(Sheet{}); }), "one particle thick"));
  CHECK(holds(message_of([] { make(Rod{}); }), "one particle thick"));
  CHECK(holds(message_of([] { make(PointsFile{"a.ply"}); }), "list of particles"));
  CHECK(holds(message_of([] { make(MeshFile{"missing.obj"}); }), "there is no such file"));
  CHECK(holds(message_of([] { make(MeshFile{"missing.xyz"}); }), "must end in .obj, .ply or .stl"));
}
