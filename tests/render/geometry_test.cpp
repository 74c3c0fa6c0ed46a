// What pictures are made of: density grids, traced shapes, sample points, surface files, normals.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/error.h"
#include "geometry/primitives.h"
#include "render/density_grid.h"
#include "render/sample_points.h"
#include "render/shape_tracing.h"
#include "render/surface_file.h"

using namespace knead;

namespace {

// Particles on a lattice, in the unit ball or the box [-1, 1]^3.
Balls lattice(bool ball, float spacing) {
  Balls balls;
  balls.spacing = spacing;
  for (float x = -1 + spacing / 2; x < 1; x += spacing)
    for (float y = -1 + spacing / 2; y < 1; y += spacing)
      for (float z = -1 + spacing / 2; z < 1; z += spacing)
        if (!ball || x * x + y * y + z * z < 1) balls.centers.push_back({x, y, z}), balls.radii.push_back(spacing / 2);
  return balls;
}

}  // namespace

TEST_CASE("particles at rest have density 1 inside and none outside") {
  const DensityGrid grid(lattice(false, 0.1f));
  CHECK(grid.density({0.03f, -0.21f, 0.4f}) == doctest::Approx(1).epsilon(0.01));
  CHECK(grid.density({1.5f, 0, 0}) == 0);
  CHECK(grid.density({1, 0, 0}) == doctest::Approx(0.5).epsilon(0.05));  // on the face
  CHECK(grid.density({1e9f, -1e9f, 0}) == 0);
}

TEST_CASE("the smooth normal of a ball of particles points away from its middle") {
  const DensityGrid grid(lattice(true, 0.06f));
  for (const Vec3f& direction : {Vec3f{1, 0, 0}, normalized(Vec3f{1, 2, -0.5f}), normalized(Vec3f{-0.3f, 0.4f, 0.9f})}) {
    const Vec3f normal = grid.normal(direction);
    CHECK(length(normal) == doctest::Approx(1));
    CHECK(dot(normal, direction) > 0.99f);  // 8 degrees: the lattice makes steps in the surface
  }
  CHECK(grid.normal({0, 0, 0}) == Vec3f{});
  CHECK(grid.normal({5, 0, 0}) == Vec3f{});
}

TEST_CASE("the way through a box of particles is its width, or up to where the ray ends") {
  const DensityGrid grid(lattice(false, 0.05f));
  CHECK(grid.thickness({-3, 0.1f, 0.2f}, {1, 0, 0}, 100) == doctest::Approx(2).epsilon(0.05));
  CHECK(grid.thickness({-3, 0.1f, 0.2f}, {1, 0, 0}, 3) == doctest::Approx(1).epsilon(0.06));
  CHECK(grid.thickness({-3, 5, 0}, {1, 0, 0}, 100) == 0);
  const Vec3f slant = normalized(Vec3f{1, 1, 0});
  CHECK(grid.thickness(slant * -3.0f, slant, 100) == doctest::Approx(2 * std::sqrt(2.0)).epsilon(0.05));
}

TEST_CASE("a stray particle far away neither fills the memory nor spoils the rest") {
  Balls balls = lattice(true, 0.06f);
  balls.centers.push_back({1e6f, 0, 0}), balls.radii.push_back(0.03f);
  const DensityGrid grid(balls);
  CHECK(grid.density({0, 0, 0}) == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("rays meet moved shapes where the formula says, from outside and from inside") {
  ShapeSurface surface;
  surface.shape = make_primitive(Sphere{{1, 0, 0}, 0.5});
  surface.pose.translation = {0, 2, 0};
  surface.bounds = moved_bounds(surface.shape->bounds(), surface.pose);
  CHECK(surface.bounds.maximum.y == doctest::Approx(2.5));
  double distance = 0;
  CHECK(trace_shape(surface, {1, 2, 5}, {0, 0, -1}, 0, 1e9, distance));
  CHECK(distance == doctest::Approx(4.5).epsilon(1e-5));
  CHECK(trace_shape(surface, {1, 2, 0}, {0, 0, -1}, 0, 1e9, distance));
  CHECK(distance == doctest::Approx(0.5).epsilon(1e-4));
  CHECK_FALSE(trace_shape(surface, {1, 2, 5}, {0, 0, -1}, 0, 4.4, distance));
  CHECK_FALSE(trace_shape(surface, {1, 2.6, 5}, {0, 0, -1}, 0, 1e9, distance));
  CHECK_FALSE(trace_shape(surface, {1, 2, 5}, {0, 0, 1}, 0, 1e9, distance));
  const Vec3d normal = shape_normal(surface, {1, 2, 0.5});
  CHECK(normal.z == doctest::Approx(1));
}

TEST_CASE("the points of a square of pixels fill every cell of every even division once") {
  for (const std::uint32_t stream : {0u, 1u, 5u}) {
    std::vector<Point2> points;  // 8 x 8 pixels with 4 points each: 256
    for (std::uint32_t y = 16; y < 24; ++y)
      for (std::uint32_t x = 40; x < 48; ++x)
        for (std::uint32_t i = 0; i < 4; ++i) points.push_back(SamplePoints(x, y, stream, 4)(i));
    for (int bits = 0; bits <= 8; ++bits) {
      std::set<std::pair<int, int>> cells;
      for (const Point2& p : points)
        cells.insert({static_cast<int>(p.x * static_cast<float>(1 << bits)), static_cast<int>(p.y * static_cast<float>(256 >> bits))});
      CHECK(cells.size() == 256);
    }
  }
}

TEST_CASE("directions around a normal are unit vectors, above it, with mean cosine 2/3") {
  const Vec3f normal = normalized(Vec3f{0.2f, -0.7f, 0.4f});
  double sum = 0;
  const SamplePoints points(3, 4, 0, 4096);
  for (std::uint32_t i = 0; i < 4096; ++i) {
    const Vec3f direction = cosine_direction(normal, points(i));
    CHECK(length(direction) == doctest::Approx(1).epsilon(1e-4));
    CHECK(dot(direction, normal) >= 0);
    sum += static_cast<double>(dot(direction, normal));
  }
  CHECK(sum / 4096 == doctest::Approx(2.0 / 3).epsilon(0.002));
}

TEST_CASE("creased normals keep the edges of a box and smooth a shallow bend") {
  const std::vector<Vec3f> vertices{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0.2f}, {2, 1, 0.2f}, {0, 0, -1}, {0, 1, -1}};
  const std::vector<Triangle> triangles{{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}, {0, 3, 7}, {0, 7, 6}};
  const std::vector<Vec3f> normals = creased_normals(vertices, triangles, 40);
  REQUIRE(normals.size() == 18);
  CHECK(normals[0].z == doctest::Approx(1));                               // at the right angle
  CHECK(normals[12].x == doctest::Approx(-1));                             // its other side
  CHECK(normals[1].z < 0.9999f);                                           // at the bend: between the two
  CHECK(dot(normals[1], normals[6]) == doctest::Approx(1).epsilon(0.01));  // and the same from both sides
}

namespace {

struct PlyText {
  std::string header, data;
  template <class T> void put(T value) { data.append(reinterpret_cast<const char*>(&value), sizeof value); }
};

PlyText triangle_file(bool normals) {
  PlyText ply;
  ply.header = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
  if (normals) ply.header += "property float nx\nproperty float ny\nproperty float nz\n";
  ply.header += "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) ply.put(i == k ? 1.5f : 0.0f);
    for (int k = 0; k < 3 && normals; ++k) ply.put(k == 1 ? 1.0f : 0.0f);
  }
  ply.put(static_cast<std::uint8_t>(3));
  for (int i : {2, 0, 1}) ply.put(i);
  return ply;
}

}  // namespace

TEST_CASE("surface files are read with and without normals, and damaged ones are named") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string path = (folder / ("knead_surface_" + std::to_string(::getpid()) + ".ply")).string();
  for (const bool normals : {false, true}) {
    const PlyText ply = triangle_file(normals);
    std::ofstream(path, std::ios::binary) << ply.header << ply.data;
    const MeshSurface mesh = read_surface(path);
    REQUIRE(mesh.vertices.size() == 3);
    CHECK(mesh.vertices[1] == Vec3f{0, 1.5f, 0});
    CHECK(mesh.triangles == std::vector<Triangle>{{2, 0, 1}});
    CHECK(mesh.normals.size() == (normals ? 3 : 0));
    if (normals) CHECK(mesh.normals[2] == Vec3f{0, 1, 0});
  }
  PlyText cut = triangle_file(true), wrong = cut;
  cut.data.resize(cut.data.size() - 5);
  wrong.data[wrong.data.size() - 2] = 9;  // a vertex that is not there
  for (const PlyText* ply : {&cut, &wrong}) {
    std::ofstream(path, std::ios::binary) << ply->header << ply->data;
    CHECK_THROWS_AS(read_surface(path), InputError);
  }
  std::filesystem::remove(path);
  CHECK_THROWS_AS(read_surface(path), InputError);
}
