// Surfaces of particles, on arrangements whose surface is known.
#include "surface/reconstruct.h"

#include <cstring>
#include <numbers>

#include "base/random.h"
#include "base/threads.h"
#include "surface/particle_kernels.h"
#include "surface_support.h"

using namespace knead;
using namespace knead::test;
using doctest::Approx;

namespace {

constexpr double spacing = 0.0625;  // a power of two, so that lattices and voxels are exact
const Reconstruction settings{.spacing = spacing, .voxel = spacing / 2};

std::vector<Vec3f> ball(double radius) {
  return lattice(14, spacing, [&](const Vec3d& p) { return length(p) < radius; });
}
double volume_of(const std::vector<Vec3f>& points) { return static_cast<double>(points.size()) * spacing * spacing * spacing; }

// Moves every particle by up to `share` of the spacing along each axis.
std::vector<Vec3f> jittered(std::vector<Vec3f> points, double share) {
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      points[i][axis] += static_cast<float>((2 * random_uniform(3, static_cast<std::uint64_t>(axis), i) - 1) * share * spacing);
  return points;
}

}  // namespace

TEST_CASE("reconstruction: a ball of particles gives a closed ball of their volume, a fifth of a spacing from the sphere") {
  for (const double jitter : {0.0, 0.3}) {
    CAPTURE(jitter);
    const std::vector<Vec3f> points = jittered(ball(10 * spacing), jitter);
    const SurfaceMesh mesh = reconstruct(points, settings);
    CHECK(is_closed(mesh.triangles));
    CHECK(parts_of(plain(mesh)).size() == 1);
    CHECK(signed_volume(plain(mesh)) == Approx(volume_of(points)).epsilon(0.03));
    // The stairs of the lattice are of half a spacing; the sphere of the same volume runs through their middle.
    const double radius = std::cbrt(volume_of(points) * 3 / (4 * std::numbers::pi));
    double mean_error = 0, largest_error = 0, turned = 1;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      const Vec3d p = to_double(mesh.positions[i]);
      const double error = std::abs(length(p) - radius);
      mean_error += error / static_cast<double>(mesh.positions.size());
      largest_error = std::max(largest_error, error);
      turned = std::min(turned, dot(normalized(p), to_double(mesh.normals[i])));
    }
    CHECK(mean_error < 0.2 * spacing);
    CHECK(largest_error < 0.6 * spacing);
    CHECK(turned > 0.8);  // normals point out, less than 37 degrees off
  }
}

TEST_CASE("reconstruction: a box of particles keeps its faces in place and its volume") {
  const auto is_inside = [](const Vec3d& p) {
    return std::abs(p.x) < 8 * spacing && std::abs(p.y) < 6 * spacing && std::abs(p.z) < 10 * spacing;
  };
  const std::vector<Vec3f> points = lattice(14, spacing, is_inside);
  const SurfaceMesh mesh = reconstruct(points, settings);
  CHECK(is_closed(mesh.triangles));
  CHECK(signed_volume(plain(mesh)) == Approx(volume_of(points)).epsilon(0.04));
  // In the middle of the faces, away from the rounded edges.
  for (const Vec3f& p : mesh.positions)
    if (std::abs(p.x) < 3 * spacing && std::abs(p.z) < 5 * spacing) CHECK(std::abs(std::abs(p.y) - 6 * spacing) < 0.1 * spacing);
}

TEST_CASE("reconstruction: the level puts the surface of a full half space half a spacing above the last layer, for any radius") {
  for (const float radius : {1.5f, 2.0f, 3.0f}) {
    CAPTURE(radius);
    const float level = surface_level({.spacing = 1, .radius = radius});
    CHECK(level > 0.05f);
    CHECK(level < 0.7f);
    CHECK(surface_level({.spacing = 7, .radius = radius}) == Approx(level).epsilon(1e-5));
  }
}

TEST_CASE("reconstruction: a sheet one particle thick is one closed piece without holes, about a spacing thick") {
  const auto is_inside = [](const Vec3d& p) {
    return std::abs(p.x) < 10 * spacing && std::abs(p.z) < 10 * spacing && p.y > 0 && p.y < spacing;
  };
  const std::vector<Vec3f> points = lattice(14, spacing, is_inside);
  // Also tilted and off the lattice of voxels.
  for (const double tilt : {0.0, 0.35}) {
    CAPTURE(tilt);
    std::vector<Vec3f> turned = points;
    for (Vec3f& p : turned)
      p = {static_cast<float>(p.x * std::cos(tilt) - p.y * std::sin(tilt) + 0.013),
           static_cast<float>(p.x * std::sin(tilt) + p.y * std::cos(tilt)), p.z};
    const SurfaceMesh mesh = reconstruct(turned, settings);
    CHECK(is_closed(mesh.triangles));
    CHECK(parts_of(plain(mesh)).size() == 1);
    // Euler's number of a sphere: a hole through the sheet would make it smaller by two.
    const auto vertices = static_cast<int>(mesh.positions.size()), faces = static_cast<int>(mesh.triangles.size());
    CHECK(vertices - faces / 2 == 2);
    const double thickness = signed_volume(plain(mesh)) / (20 * spacing * 20 * spacing);
    CHECK(thickness > 0.7 * spacing);
    CHECK(thickness < 1.5 * spacing);
  }
}

TEST_CASE("reconstruction: a jet of single particles is one piece") {
  std::vector<Vec3f> points;
  for (int i = 0; i < 30; ++i) points.push_back({static_cast<float>(i * spacing), static_cast<float>(i * 0.3 * spacing), 0.01f});
  CHECK(parts_of(plain(reconstruct(points, settings))).size() == 1);
}

TEST_CASE("reconstruction: lone particles are closed drops wherever they lie between the voxels, also on coarse lattices") {
  for (const double voxel : {0.5, 0.7, 1.3}) {
    CAPTURE(voxel);
    std::vector<Vec3f> points;
    for (int i = 0; i < 40; ++i)
      points.push_back({static_cast<float>((8 * i + random_uniform(1, 0, static_cast<std::uint64_t>(i))) * spacing),
                        static_cast<float>(random_uniform(1, 1, static_cast<std::uint64_t>(i)) * spacing),
                        static_cast<float>(random_uniform(1, 2, static_cast<std::uint64_t>(i)) * spacing)});
    const SurfaceMesh mesh = reconstruct(points, {.spacing = spacing, .voxel = voxel * spacing});
    CHECK(is_closed(mesh.triangles));
    const std::vector<MeshPart> drops = parts_of(plain(mesh));
    REQUIRE(drops.size() == 40);
    if (voxel > 0.7) continue;
    for (const MeshPart& drop : drops) {
      // Coarser than the default the corners of the drops are cut off, but they are there.
      CHECK(drop.signed_volume > (voxel > 0.5 ? 0.1 : 0.7) * spacing * spacing * spacing);
      CHECK(drop.signed_volume < 1.8 * spacing * spacing * spacing);
    }
  }
}

TEST_CASE("reconstruction: particles moved by whole voxels give the same mesh, moved") {
  const std::vector<Vec3f> points = ball(5 * spacing);
  const SurfaceMesh mesh = reconstruct(points, settings);
  const auto moved_by = [&](const Vec3d& voxels) {
    std::vector<Vec3f> moved = points;
    for (Vec3f& p : moved)
      for (int i = 0; i < 3; ++i) p[i] += static_cast<float>(voxels[i] * settings.voxel);  // exact: all are multiples of 2^-5
    return reconstruct(moved, settings);
  };
  // Cells and blocks repeat every 24 voxels: not a bit changes but for the rounding of the sum itself.
  const SurfaceMesh far = moved_by({24, -48, 72});
  REQUIRE(far.triangles == mesh.triangles);
  CHECK(std::memcmp(far.normals.data(), mesh.normals.data(), mesh.normals.size() * sizeof(Vec3f)) == 0);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i)
    REQUIRE(length(to_double(far.positions[i]) - to_double(mesh.positions[i]) - Vec3d{24, -48, 72} * settings.voxel) < 1e-6);
  // By any other number of voxels the sums are added up in another order.
  const SurfaceMesh near = moved_by({1, 5, -3});
  REQUIRE(near.positions.size() == mesh.positions.size());
  CHECK(signed_volume(plain(near)) == Approx(signed_volume(plain(mesh))).epsilon(1e-5));
}

TEST_CASE("reconstruction: nothing flickers as particles drift through the voxels") {
  // A ball and a lone drop in eleven places within a voxel: their volumes and the farthest point hardly change.
  std::vector<Vec3f> points = jittered(ball(6 * spacing), 0.3);
  points.push_back({static_cast<float>(9 * spacing), 0, 0});
  double least[2] = {1e9, 1e9}, most[2] = {0, 0}, nearest = 1e9, farthest = 0;
  for (int step = 0; step <= 10; ++step) {
    const float shift = 0.1f * static_cast<float>(step) * static_cast<float>(settings.voxel);
    std::vector<Vec3f> moved = points;
    for (Vec3f& p : moved) p = p + Vec3f{shift, 0.7f * shift, -0.4f * shift};
    const TriangleMesh mesh = plain(reconstruct(moved, settings));
    std::vector<MeshPart> parts = parts_of(mesh);
    REQUIRE(parts.size() == 2);
    if (parts[0].signed_volume < parts[1].signed_volume) std::swap(parts[0], parts[1]);
    for (std::size_t i = 0; i < 2; ++i) {
      least[i] = std::min(least[i], parts[i].signed_volume);
      most[i] = std::max(most[i], parts[i].signed_volume);
    }
    const double top = parts[0].bounds.maximum.y - 0.7 * shift;
    nearest = std::min(nearest, top), farthest = std::max(farthest, top);
  }
  CHECK(most[0] < 1.002 * least[0]);
  CHECK(most[1] < 1.2 * least[1]);  // a drop is two and a half voxels wide: six per cent of its radius
  CHECK(farthest - nearest < 0.1 * spacing);
}

TEST_CASE("reconstruction: the same bytes for one and two threads") {
  const std::vector<Vec3f> points = jittered(ball(9 * spacing), 0.4);
  set_thread_count(1);
  const std::string one = ply_bytes(reconstruct(points, settings));
  set_thread_count(2);
  const std::string two = ply_bytes(reconstruct(points, settings));
  set_thread_count(0);
  CHECK(one == two);
}

TEST_CASE("reconstruction: a small gap inside is filled, a large cavity stays") {
  const auto hollow = [&](double radius) {
    return parts_of(
        plain(reconstruct(lattice(14, spacing, [&](const Vec3d& p) { return length(p) < 9 * spacing && length(p) > radius; }), settings)));
  };
  CHECK(hollow(1.8 * spacing).size() == 1);
  CHECK(hollow(4 * spacing).size() == 2);
}

TEST_CASE("reconstruction: no particles give an empty mesh, and particles that are not finite are left out") {
  CHECK(reconstruct({}, settings).triangles.empty());
  const std::vector<Vec3f> points{{0, 0, 0}, {0, 0, 0.01f}, {0.01f, 0, 0}, {NAN, 0, 0}, {0, INFINITY, 0}, {1e30f, 0, 0}, {0, -1e30f, 0}};
  CHECK(parts_of(plain(reconstruct(points, settings))).size() == 1);
}
