// Cameras: rays through pixels, and framing.
#include "render/camera.h"

#include <doctest/doctest.h>

#include "base/random.h"

using namespace knead;

namespace {

std::vector<Vec3d> random_points(int count, const Vec3d& low, const Vec3d& high) {
  std::vector<Vec3d> points;
  for (int i = 0; i < count; ++i) {
    Vec3d p;
    for (int k = 0; k < 3; ++k)
      p[k] = low[k] + (high[k] - low[k]) * random_uniform(3, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(i));
    points.push_back(p);
  }
  return points;
}

}  // namespace

TEST_CASE("a point on the ray of a place in the picture is projected to that place") {
  const View view({{1, 2, 3}, {0.2, 0.1, -0.4}, {0, 1, 0}, 40}, 640, 360);
  for (double x : {0.0, 17.5, 320.0, 640.0})
    for (double y : {0.0, 100.0, 360.0}) {
      const Vec3d place = view.project(view.position + view.direction(x, y) * 2.5);
      CHECK(place.x == doctest::Approx(x).epsilon(1e-9).scale(1));
      CHECK(place.y == doctest::Approx(y).epsilon(1e-9).scale(1));
    }
  // The target is in the middle, and up is up.
  CHECK(view.project({0.2, 0.1, -0.4}).x == doctest::Approx(320));
  CHECK(view.project({0.2, 0.5, -0.4}).y < 180);
}

TEST_CASE("an automatic camera puts all points into the picture, touching its margin") {
  for (const Vec3d& up : {Vec3d{0, 1, 0}, Vec3d{0, 0, 1}, Vec3d{1, 0, 0}})
    for (const double aspect : {16.0 / 9, 1.0, 0.5})
      for (const Vec3d& high : {Vec3d{1, 1, 1}, Vec3d{8, 1, 0.5}, Vec3d{0.2, 7, 0.3}}) {
        const std::vector<Vec3d> points = corners_of({{-0.3, 0.1, 2}, {high.x, high.y + 0.1, high.z + 2}});
        const Camera camera = camera_around({points, up, aspect, 0.05}, {-30, 20});
        const View view(camera, static_cast<int>(1000 * aspect), 1000);
        double nearest = 1;
        for (const Vec3d& point : points) {
          const Vec3d place = view.project(point);
          CHECK(place.z > 0);
          const double x = place.x / view.width, y = place.y / view.height;
          nearest = std::min({nearest, x, 1 - x, y, 1 - y});
        }
        CHECK(nearest == doctest::Approx(0.05).epsilon(0.02));
      }
}

TEST_CASE("room for a legend stays free on the right") {
  const std::vector<Vec3d> points = corners_of({{-3, 0, -1}, {3, 1, 1}});
  const View view(camera_around({points, {0, 1, 0}, 2, 0.05, 0.2}, {0, 10}), 2000, 1000);
  double left = 2000, right = 0;
  for (const Vec3d& point : points) left = std::min(left, view.project(point).x), right = std::max(right, view.project(point).x);
  CHECK(left == doctest::Approx(100));
  CHECK(right == doctest::Approx(2000 - 100 - 400));
}

TEST_CASE("the automatic camera looks from above, and from where more can be seen") {
  const std::vector<Vec3d> points = corners_of({{-1, 0, -1}, {1, 1, 1}});
  const Camera open = choose_camera({points, {0, 1, 0}, 1.5}, [](const Camera&) { return 0.0; });
  CHECK(open.position.y > open.target.y);
  CHECK(open.position.z > 0);
  const Camera other = choose_camera({points, {0, 1, 0}, 1.5}, [](const Camera& camera) { return camera.position.z > 0 ? 0.6 : 0.0; });
  CHECK(other.position.z < 0);
}

TEST_CASE("robust bounds leave out strays and keep the rest") {
  std::vector<Vec3d> points = random_points(10000, {0, 0, 0}, {1, 2, 3});
  for (int i = 0; i < 5; ++i) points.push_back({100, 100, -100});
  const Bounds3 bounds = robust_bounds(points, 0.002);
  CHECK(bounds.minimum.x >= 0);
  CHECK(bounds.maximum.x == doctest::Approx(1).epsilon(0.01));
  CHECK(bounds.maximum.y == doctest::Approx(2).epsilon(0.01));
  CHECK(bounds.minimum.z == doctest::Approx(0).epsilon(0.03).scale(1));
  CHECK(robust_bounds(points, 0).maximum.x == 100);
}
