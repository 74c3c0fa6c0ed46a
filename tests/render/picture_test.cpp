// Pictures against formulas: silhouettes, light, shadows.
#include "render/picture.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "base/threads.h"

using namespace knead;

namespace {

constexpr int width = 320, height = 240;

// No light but the sun's, which has no size: shades and shadows have formulas.
Sky dark_sky(const Vec3d& sun) {
  Sky sky;
  const Vec3d s = normalized(sun);
  sky.sun = {static_cast<float>(s.x), static_cast<float>(s.y), static_cast<float>(s.z)};
  sky.sun_radius = 0;
  sky.sun_light = {0.8f, 0.8f, 0.8f};
  sky.horizon = sky.zenith = {};
  return sky;
}

PictureScene one_ball(const Vec3f& center, float radius) {
  PictureScene scene;
  Balls balls;
  balls.centers = {center}, balls.radii = {radius};
  balls.finish.color = {0.5f, 0.5f, 0.5f};
  scene.balls.push_back(balls);
  return scene;
}

PictureSettings settings_of(Quality quality = Quality::preview) { return {width, height, quality}; }

PictureScene crowd() {
  PictureScene scene;
  for (const Surface surface : {Surface::matte, Surface::snow, Surface::gloss, Surface::metal, Surface::liquid}) {
    Balls balls;
    balls.spacing = 0.05f;
    balls.finish.surface = surface;
    balls.finish.smoothing = surface == Surface::matte ? 0.0f : 0.8f;
    for (int i = 0; i < 400; ++i) {
      auto random = [&](std::uint64_t stream) {
        return static_cast<float>(random_uniform(static_cast<std::uint64_t>(surface), stream, static_cast<std::uint64_t>(i)));
      };
      balls.centers.push_back({random(0) - 0.5f, 0.6f * random(1) + 0.05f, random(2) - 0.5f});
      balls.radii.push_back(0.04f);
    }
    scene.balls.push_back(balls);
  }
  scene.ground = Ground{};
  scene.panes.push_back({{-0.6, 0, -0.6}, {1.2, 0, 0}, {0, 0.8, 0}});
  return scene;
}

}  // namespace

TEST_CASE("the silhouette of a ball covers the area that perspective says") {
  PictureScene scene = one_ball({0, 0, 0}, 0.5f);
  scene.balls[0].finish.color = {};  // black before a bright sky
  scene.sky = dark_sky({0, -1, 0});
  scene.sky.horizon = scene.sky.zenith = {0.5f, 0.5f, 0.5f};
  const Image image = take_picture(scene, {{0, 0, 3}, {0, 0, 0}, {0, 1, 0}, 40}, settings_of());
  const double background = to_srgb(0.5f) * 255;
  double covered = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {  // a pixel at the edge counts by its light
      const double light = to_linear(static_cast<float>(std::min(1.0, image.at(x, y)[1] / background * to_srgb(0.5f)))) / 0.5;
      covered += 1 - light;
    }
  const double focal = height / (2 * std::tan(20 * std::numbers::pi / 180)), radius = focal * std::tan(std::asin(0.5 / 3));
  CHECK(covered == doctest::Approx(std::numbers::pi * radius * radius).epsilon(0.01));
}

TEST_CASE("a matte ball is shaded by the cosine of the sun's angle") {
  PictureScene scene = one_ball({0, 0, 0}, 1);
  scene.sky = dark_sky({0.5, 0.6, 1});
  const Camera camera{{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 36};
  const View view(camera, width, height);
  const Image image = take_picture(scene, camera, settings_of());
  for (const auto& [x, y] : {std::pair{160, 120}, {200, 90}, {130, 150}, {185, 140}, {150, 60}}) {
    // Where the ray through the middle of the pixel meets the ball.
    const Vec3d d = view.direction(x + 0.5, y + 0.5);
    const double b = dot(view.position, d), distance = -b - std::sqrt(b * b - dot(view.position, view.position) + 1);
    const Vec3d normal = view.position + d * distance;
    const double cosine = std::max(0.0, dot(normal, Vec3d{scene.sky.sun.x, scene.sky.sun.y, scene.sky.sun.z}));
    const auto expected = static_cast<double>(to_srgb(static_cast<float>(0.5 * 0.8 * cosine))) * 255;
    CHECK(std::abs(image.at(x, y)[0] - expected) < 2.5);  // rounding, and the change within a pixel
  }
}

TEST_CASE("a ball's shadow on the ground has the place and size that the sun gives it") {
  PictureScene scene = one_ball({0, 1, 0}, 0.25f);
  scene.ground = Ground{};
  scene.size = 4;
  scene.sky = dark_sky({0.8, 1, 0.3});
  const Camera camera{{0, 6, 5}, {-0.4, 0, 0}, {0, 1, 0}, 40};
  const View view(camera, width, height);
  const Image image = take_picture(scene, camera, settings_of());
  auto brightness_at = [&](const Vec3d& point) {
    const Vec3d place = view.project(point);
    return static_cast<int>(image.at(static_cast<int>(place.x), static_cast<int>(place.y))[1]);
  };
  const Vec3d sun{0.8, 1, 0.3}, middle = Vec3d{0, 1, 0} - sun;  // falls by 1 along the sun's ray
  const int lit = brightness_at({1.2, 0, 0});
  CHECK(lit > 60);
  CHECK(brightness_at(middle) < 10);
  // Across the sun's direction the shadow is as wide as the ball, along it longer by 1 / sin(elevation).
  const Vec3d along = normalized(Vec3d{0.8, 0, 0.3}), across{-along.z, 0, along.x};
  const double stretch = length(sun) / sun.y;
  for (const double side : {-1.0, 1.0}) {
    CHECK(brightness_at(middle + across * (side * 0.25 * 0.85)) < 0.3 * lit);
    CHECK(brightness_at(middle + across * (side * 0.25 * 1.15)) > 0.7 * lit);
    CHECK(brightness_at(middle + along * (side * 0.25 * stretch * 0.88)) < 0.3 * lit);
    CHECK(brightness_at(middle + along * (side * 0.25 * stretch * 1.12)) > 0.7 * lit);
  }
}

TEST_CASE("open ground under an even sky is lit by all of it, and ground beside a wall by half") {
  PictureScene scene;
  scene.ground = Ground{};
  scene.size = 100;  // so that the ground does not fade
  scene.sky = dark_sky({0, -1, 0});
  scene.sky.sun_light = {};
  scene.sky.horizon = scene.sky.zenith = {0.5f, 0.5f, 0.5f};
  scene.sky.ground = {0.5f, 0.5f, 0.5f};
  const Camera camera{{0, 5, 0}, {0, 0, 0}, {0, 0, -1}, 10};
  const double open = take_picture(scene, camera, settings_of()).at(160, 120)[1];
  CHECK(open == doctest::Approx(to_srgb(0.25f) * 255).epsilon(0.02));
  // A black wall that fills one half of the sky over the pixel.
  MeshSurface wall;
  wall.vertices = {{0.001f, -1000, -1000}, {0.001f, -1000, 1000}, {0.001f, 1000, 1000}, {0.001f, 1000, -1000}};
  wall.triangles = {{0, 1, 2}, {0, 2, 3}};
  wall.finish.color = {};
  scene.meshes.push_back(wall);
  const Camera beside{{-0.05, 5, 0}, {-0.05, 0, 0}, {0, 0, -1}, 1};
  const double half = take_picture(scene, beside, settings_of(Quality::final)).at(160, 120)[1];
  // Blocked rays bring 45 % of the ground's own colour times the light of the whole sky: 0.5 (0.5 + 0.5 * 0.45 * 0.5) 0.5.
  const float expected = 0.5f * 0.5f * (0.5f + 0.5f * 0.45f * 0.5f);
  CHECK(half == doctest::Approx(to_srgb(expected) * 255).epsilon(0.03));
}

TEST_CASE("a mesh, a shape and a ball of the same form give nearly the same picture") {
  const Camera camera{{0, 1, 4}, {0, 0, 0}, {0, 1, 0}, 36};
  const PictureScene ball = one_ball({0, 0, 0}, 1);
  PictureScene mesh, shape;
  struct UnitBall : Shape {
    double distance(const Vec3d& p) const override { return length(p) - 1; }
    Bounds3 bounds() const override { return {{-1, -1, -1}, {1, 1, 1}}; }
  };
  shape.shapes.push_back({std::make_shared<UnitBall>(), {}, {{-1, -1, -1}, {1, 1, 1}}, ball.balls[0].finish});
  MeshSurface globe;
  constexpr int rows = 60, columns = 120;
  for (int i = 0; i <= rows; ++i)
    for (int k = 0; k < columns; ++k) {
      const float a = std::numbers::pi_v<float> * static_cast<float>(i) / rows,
                  b = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / columns;
      globe.vertices.push_back({std::sin(a) * std::sin(b), std::cos(a), std::sin(a) * std::cos(b)});
    }
  globe.normals = globe.vertices;
  for (std::uint32_t i = 0; i < rows; ++i)
    for (std::uint32_t k = 0; k < columns; ++k) {
      const std::uint32_t a = i * columns + k, b = i * columns + (k + 1) % columns;
      globe.triangles.push_back({a, a + columns, b}), globe.triangles.push_back({b, a + columns, b + columns});
    }
  globe.finish = ball.balls[0].finish;
  mesh.meshes.push_back(globe);
  const Image expected = take_picture(ball, camera, settings_of());
  for (const PictureScene* other : {&mesh, &shape}) {
    const Image image = take_picture(*other, camera, settings_of());
    double sum = 0;
    for (std::size_t i = 0; i < image.pixels.size(); ++i) sum += std::abs(image.pixels[i] - expected.pixels[i]);
    CHECK(sum / static_cast<double>(image.pixels.size()) < 0.6);
  }
}

TEST_CASE("one thread and several give the same bytes") {
  const PictureScene scene = crowd();
  const Camera camera{{1, 1, 2}, {0, 0.3, 0}, {0, 1, 0}, 40};
  set_thread_count(1);
  const Image one = take_picture(scene, camera, settings_of());
  set_thread_count(3);
  const Image three = take_picture(scene, camera, settings_of());
  set_thread_count(0);
  CHECK(one.pixels == three.pixels);
}

TEST_CASE("the preview is close to the final picture") {
  const PictureScene scene = crowd();
  const Camera camera{{1, 1, 2}, {0, 0.3, 0}, {0, 1, 0}, 40};
  PictureSettings small{160, 120, Quality::preview};
  const Image preview = take_picture(scene, camera, small);
  small.quality = Quality::final;
  const Image good = take_picture(scene, camera, small);
  double sum = 0;
  for (std::size_t i = 0; i < good.pixels.size(); ++i) sum += std::abs(preview.pixels[i] - good.pixels[i]);
  CHECK(sum / static_cast<double>(good.pixels.size()) < 5);  // of 255; a picture of nothing but edges
}

TEST_CASE("a frame without particles shows sky above ground") {
  PictureScene scene;
  scene.ground = Ground{};
  scene.balls.emplace_back();  // a body that has no particles yet
  const Image image = take_picture(scene, {{0, 0.5, 3}, {0, 0.5, 0}, {0, 1, 0}, 40}, settings_of());
  const Color sky = to_srgb(tone_map(scene.sky.radiance({0, std::sin(0.3f), -std::cos(0.3f)})));
  const int row = static_cast<int>(120 - 120 / std::tan(20 * std::numbers::pi / 180) * std::tan(0.3));
  CHECK(std::abs(image.at(160, row)[2] - 255 * sky.z) < 2.5);
  // The ground near the camera is darker than the sky and has the ground's warmth.
  const std::uint8_t* ground = image.at(160, 230);
  CHECK(ground[0] >= ground[2]);
  CHECK(image.at(160, row)[2] > image.at(160, row)[0]);
}

TEST_CASE("a liquid is clear where it is thin and takes its colour where it is deep") {
  auto pool = [](float depth) {
    PictureScene scene;
    scene.ground = Ground{};
    scene.ground->point = {0, -3, 0};
    scene.size = 100;
    scene.sky.sun_light = {}, scene.sky.horizon = scene.sky.zenith = {0.8f, 0.8f, 0.8f}, scene.sky.ground = {0.6f, 0.6f, 0.6f};
    MeshSurface water;  // a box whose top is at y = 0
    for (int i = 0; i < 8; ++i) water.vertices.push_back({i & 1 ? 2.0f : -2.0f, i & 2 ? 0.0f : -depth, i & 4 ? 2.0f : -2.0f});
    water.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                       {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    water.finish = {.surface = Surface::liquid, .color = {0.1f, 0.5f, 0.9f}, .depth = 1, .cloudiness = 0};
    scene.meshes.push_back(water);
    const Image image = take_picture(scene, {{0, 6, 0.01}, {0, 0, 0}, {0, 1, 0}, 20}, settings_of());
    return std::array<double, 2>{to_linear(static_cast<float>(image.at(160, 120)[0]) / 255),
                                 to_linear(static_cast<float>(image.at(160, 120)[2]) / 255)};
  };
  const auto thin = pool(0.01f), deep = pool(1.0f);
  CHECK(thin[0] > 0.85 * thin[1]);
  // Straight down through 1 m: a tenth of the red is left, beside what the surface reflects (2 %).
  CHECK(deep[0] / thin[0] == doctest::Approx(0.1).epsilon(0.35));
  CHECK(deep[1] / thin[1] > 0.75);
}
