// Meshes that are carried by particles.
#include "surface/embedding.h"

#include <numbers>
#include <numeric>

#include "geometry/rotation.h"
#include "geometry/tessellate.h"
#include "surface_support.h"

using namespace knead;
using namespace knead::test;
using doctest::Approx;

namespace {

constexpr double spacing = 0.0625;

CarrierParticles numbered(std::vector<Vec3f> positions) {
  CarrierParticles particles{std::move(positions), {}};
  particles.ids.resize(particles.positions.size());
  std::iota(particles.ids.begin(), particles.ids.end(), 100);
  return particles;
}

template <class Map> CarrierParticles mapped(CarrierParticles particles, Map&& map) {
  for (Vec3f& p : particles.positions) {
    const Vec3d q = map(to_double(p));
    p = {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z)};
  }
  return particles;
}

const Vec3d half{6 * spacing, 4 * spacing, 5 * spacing};
TriangleMesh box_mesh() { return make_surface({Box{-half, half}, {}}, ".", spacing); }
CarrierParticles box_particles() {
  return numbered(
      lattice(8, spacing, [](const Vec3d& p) { return std::abs(p.x) < half.x && std::abs(p.y) < half.y && std::abs(p.z) < half.z; }));
}

// Particles are stored as floats of about 1: an affine map shows through that rounding, some times larger at the corners, where the
// fit extends beyond the particles.
constexpr double rounding = 3e-6;

}  // namespace

TEST_CASE("embedding: under an affine map the mesh follows to rounding, its corners and edges sharp") {
  const Mat3d stretch{{1.3, 0.4, 0, -0.2, 0.8, 0.1, 0.3, 0, 1.1}};
  const Vec3d shift{0.3, -0.2, 0.5};
  const auto map = [&](const Vec3d& p) { return stretch * p + shift; };
  const Embedding embedding(box_mesh(), box_particles(), spacing);
  const SurfaceMesh rest = embedding.carried_by(box_particles()), now = embedding.carried_by(mapped(box_particles(), map));
  REQUIRE(now.triangles == rest.triangles);
  double error = 0;
  for (std::size_t i = 0; i < now.positions.size(); ++i)
    error = std::max(error, length(map(to_double(rest.positions[i])) - to_double(now.positions[i])));
  CHECK(error < rounding);
  CHECK(signed_volume(plain(now)) == Approx(8 * half.x * half.y * half.z * determinant(stretch)).epsilon(1e-5));
  CHECK(embedding.torn_share(now) == 0);
  // Each corner comes three times, with the normals of its three faces.
  for (int c = 0; c < 8; ++c) {
    const Vec3d corner = map({c & 1 ? half.x : -half.x, c & 2 ? half.y : -half.y, c & 4 ? half.z : -half.z});
    std::vector<Vec3d> normals;
    for (std::size_t i = 0; i < now.positions.size(); ++i)
      if (length(to_double(now.positions[i]) - corner) < rounding) normals.push_back(to_double(now.normals[i]));
    REQUIRE(normals.size() == 3);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // A face's normal is that of the two mapped edges that span it.
      bool found = false;
      for (std::size_t other = 0; other < 3; ++other) {
        const Vec3d across = cross(column(stretch, static_cast<int>((axis + 1) % 3)), column(stretch, static_cast<int>((axis + 2) % 3)));
        found |= std::abs(dot(normals[other], normalized(across))) > 1 - 1e-4;
      }
      CHECK(found);
    }
  }
}

TEST_CASE("embedding: a rigid rotation keeps every length") {
  const Mat3d turn = rotation_from_vector({0.7, -1.9, 0.4});
  const Embedding embedding(box_mesh(), box_particles(), spacing);
  const SurfaceMesh now = embedding.carried_by(mapped(box_particles(), [&](const Vec3d& p) { return turn * p; }));
  double error = 0;
  const SurfaceMesh rest = embedding.carried_by(box_particles());
  for (std::size_t i = 0; i < now.positions.size(); ++i)
    error = std::max(error, length(turn * to_double(rest.positions[i]) - to_double(now.positions[i])));
  CHECK(error < rounding);
}

TEST_CASE("embedding: particles in one plane carry a body with its thickness, also on a line, also a single one") {
  // The particles are a sheet, a rod or one point; the mesh around them is a box of a spacing's thickness.
  const Mat3d turn = rotation_from_vector({0.4, 1.2, -0.8});
  const auto check = [&](int wide, int deep) {
    std::vector<Vec3f> points;
    for (int i = -wide; i <= wide; ++i)
      for (int k = -deep; k <= deep; ++k) points.push_back({static_cast<float>(i * spacing), 0, static_cast<float>(k * spacing)});
    const Vec3d size{(wide + 0.5) * spacing, 0.5 * spacing, (deep + 0.5) * spacing};
    const Embedding embedding(make_surface({Box{-size, size}, {}}, ".", spacing / 2), numbered(points), spacing);
    const bool is_point = points.size() == 1;
    const SurfaceMesh now = embedding.carried_by(mapped(numbered(points), [&](const Vec3d& p) { return turn * p + Vec3d{1, 2, 3}; }));
    CHECK(signed_volume(plain(now)) == Approx(8 * size.x * size.y * size.z).epsilon(1e-4));
    if (deep == 0) return;
    double error = 0;
    const SurfaceMesh rest = embedding.carried_by(numbered(points));
    for (std::size_t i = 0; i < now.positions.size(); ++i)
      error = std::max(error, length(turn * to_double(rest.positions[i]) + Vec3d{1, 2, 3} - to_double(now.positions[i])));
    CHECK(error < 4 * rounding);
    CHECK(!is_point);
  };
  check(6, 6);
  check(8, 0);
  check(0, 0);
}

TEST_CASE("embedding: particles that are gone are left out, and a part without any goes with them") {
  const CarrierParticles all = box_particles();
  const Embedding embedding(box_mesh(), all, spacing);
  CarrierParticles some, right;
  for (std::size_t i = 0; i < all.ids.size(); ++i) {
    if (i % 7 != 0) some.positions.push_back(all.positions[i]), some.ids.push_back(all.ids[i]);
    if (all.positions[i].x > 0) right.positions.push_back(all.positions[i]), right.ids.push_back(all.ids[i]);
  }
  const SurfaceMesh whole = embedding.carried_by(all), thinned = embedding.carried_by(some), cut = embedding.carried_by(right);
  REQUIRE(thinned.triangles == whole.triangles);
  for (std::size_t i = 0; i < whole.positions.size(); ++i)
    REQUIRE(length(to_double(whole.positions[i]) - to_double(thinned.positions[i])) < rounding);
  CHECK(cut.triangles.size() < whole.triangles.size());
  CHECK(embedding.torn_share(cut) == 1);
  for (const Vec3f& p : cut.positions) CHECK(p.x > -4 * spacing);
  CHECK(embedding.carried_by({}).triangles.empty());
}

TEST_CASE("embedding: a part of the body across a gap does not pull at the mesh") {
  // Two plates, two spacings apart; the upper one moves away.
  const auto is_inside = [](const Vec3d& p) {
    return std::abs(p.x) < 6 * spacing && std::abs(p.z) < 6 * spacing && std::abs(p.y) < 5 * spacing && std::abs(p.y) > spacing;
  };
  const Vec3d low{-6 * spacing, -5 * spacing, -6 * spacing}, high{6 * spacing, -spacing, 6 * spacing};
  const CarrierParticles rest = numbered(lattice(8, spacing, is_inside));
  const Embedding embedding(make_surface({Box{low, high}, {}}, ".", spacing), rest, spacing);
  const SurfaceMesh before = embedding.carried_by(rest);
  const SurfaceMesh after = embedding.carried_by(mapped(rest, [](const Vec3d& p) { return p.y > 0 ? p + Vec3d{0, 1, 0} : p; }));
  for (std::size_t i = 0; i < before.positions.size(); ++i)
    REQUIRE(length(to_double(before.positions[i]) - to_double(after.positions[i])) < rounding);
}

TEST_CASE("embedding: a body pulled apart is torn, one that is only stretched is not") {
  const Embedding embedding(box_mesh(), box_particles(), spacing);
  const auto stretched = mapped(box_particles(), [](const Vec3d& p) { return Vec3d{2.5 * p.x, p.y, p.z}; });
  CHECK(embedding.torn_share(embedding.carried_by(stretched)) == 0);
  const auto parted = mapped(box_particles(), [](const Vec3d& p) { return Vec3d{p.x > 0 ? p.x + 3 : p.x, p.y, p.z}; });
  CHECK(embedding.torn_share(embedding.carried_by(parted)) > 0.01);
}

TEST_CASE("rest meshes: coarse triangles are split until no edge is longer, closed as before, on the same surface") {
  TriangleMesh coarse;
  coarse.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 0.3, 0}, {0, 0, 2}};
  coarse.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  const TriangleMesh fine = subdivide(coarse, 0.11);
  CHECK(is_closed(fine.triangles));
  CHECK(signed_volume(fine) == Approx(signed_volume(coarse)).epsilon(1e-12));
  CHECK(surface_area(fine) == Approx(surface_area(coarse)).epsilon(1e-12));
  for (const Triangle& t : fine.triangles)
    for (std::size_t i = 0; i < 3; ++i) REQUIRE(length(fine.vertices[t[i]] - fine.vertices[t[(i + 1) % 3]]) <= 0.11);
}

TEST_CASE("rest meshes: a coarse round mesh becomes rounder as it is split") {
  TriangleMesh coarse = make_surface({Sphere{{0, 0, 0}, 1}, {}}, ".", 0.4);
  for (Vec3d& v : coarse.vertices) v = normalized(v);
  const TriangleMesh fine = subdivide(coarse, 0.15);
  CHECK(is_closed(fine.triangles));
  const double volume = 4 * std::numbers::pi / 3;
  CHECK(signed_volume(coarse) < 0.97 * volume);  // the flat triangles miss some of the ball
  CHECK(std::abs(signed_volume(fine) - volume) < 0.25 * (volume - signed_volume(coarse)));
}

TEST_CASE("rest meshes: a cylinder has its two rims sharp and its side smooth") {
  const TriangleMesh mesh = make_surface({Cylinder{{0, 0, 0}, {0, 1, 0}, 0.5}, {}}, ".", 0.05);
  const CreasedMesh creased = split_creases(mesh, 40);
  std::vector<int> copies(mesh.vertices.size());
  for (const std::uint32_t source : creased.source) ++copies[source];
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Vec3d& p = mesh.vertices[v];
    const double radius = std::hypot(p.x, p.z);
    const bool on_rim = (std::abs(p.y) < 1e-6 || std::abs(p.y - 1) < 1e-6) && radius > 0.4999;
    if (p.y > 0.1 && p.y < 0.9) CHECK(copies[v] == 1);
    if (radius < 0.4) CHECK(copies[v] == 1);
    if (on_rim) CHECK(copies[v] == 2);
  }
}
