// Which meshes are solids, and how good their level sets are.
#include "base/threads.h"
#include "geometry/mesh_shape.h"
#include "geometry/primitives.h"
#include "geometry/sampling.h"
#include "geometry_support.h"

using namespace knead;
using namespace knead::test;
using doctest::Approx;

namespace {
std::string verdict(const TriangleMesh& mesh) {
  return message_of([&] { check_mesh(mesh); });
}
}  // namespace

TEST_CASE("Mesh checks: sound meshes pass") {
  CHECK(verdict(box_mesh({0, 0, 0}, {1, 2, 3})) == "no error");
  CHECK(verdict(sphere_mesh({0, 0, 0}, 1, 4)) == "no error");
  CHECK(verdict(joined(box_mesh({0, 0, 0}, {1, 1, 1}), box_mesh({2, 0, 0}, {3, 1, 1}))) == "no error");
  CHECK(verdict(joined(box_mesh({0, 0, 0}, {3, 3, 3}), flipped(box_mesh({1, 1, 1}, {2, 2, 2})))) == "no error");          // a cavity
  CHECK(verdict(joined(box_mesh({0, 0, 0}, {1, 1, 1}), box_mesh({1.0001, 0.25, 0.25}, {2, 0.75, 0.75}))) == "no error");  // close
}

TEST_CASE("Mesh checks: open, crowded, twisted, inverted, nested and crossing meshes are told apart") {
  TriangleMesh open = box_mesh({0, 0, 0}, {1, 1, 1});
  open.triangles.pop_back();
  CHECK(holds(verdict(open), "the mesh is not closed: 3 edges belong to one triangle only"));

  TriangleMesh twisted = box_mesh({0, 0, 0}, {1, 1, 1});
  std::swap(twisted.triangles[5][0], twisted.triangles[5][1]);
  CHECK(holds(verdict(twisted), "not consistently oriented: at 3 edges"));

  TriangleMesh doubled = box_mesh({0, 0, 0}, {1, 1, 1});
  doubled.triangles.push_back(doubled.triangles[0]);
  doubled.triangles.push_back({doubled.triangles[0][0], doubled.triangles[0][2], doubled.triangles[0][1]});
  CHECK(holds(verdict(doubled), "more than two triangles"));

  CHECK(holds(verdict(flipped(sphere_mesh({0, 0, 0}, 1, 2))), "inside out"));
  CHECK(holds(verdict(flipped(sphere_mesh({0, 0, 0}, 1, 2))), "flip its faces"));
  CHECK(
      holds(verdict(joined(box_mesh({0, 0, 0}, {1, 1, 1}), flipped(box_mesh({2, 0, 0}, {2.5, 1, 1})))), "inside out in one of its parts"));
  CHECK(holds(verdict(joined(box_mesh({0, 0, 0}, {3, 3, 3}), box_mesh({1, 1, 1}, {2, 2, 2}))), "a part inside another part"));

  CHECK(holds(verdict(joined(box_mesh({0, 0, 0}, {1, 1, 1}), box_mesh({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5}))), "intersects or touches itself"));
  CHECK(holds(verdict(joined(box_mesh({0, 0, 0}, {1, 1, 1}), box_mesh({0.5, 0, 0}, {1.5, 1, 1}))),
              "intersects or touches itself"));  // faces in common planes
  CHECK(holds(verdict(joined(sphere_mesh({0, 0, 0}, 1, 3), sphere_mesh({1.9, 0.1, 0.05}, 1, 3))), "intersects or touches itself"));
  TriangleMesh pierced = sphere_mesh({0, 0, 0}, 1, 3);
  pierced.vertices[3] = pierced.vertices[3] * -1.5;  // one vertex pulled through the opposite side
  CHECK(holds(verdict(pierced), "intersects or touches itself"));
  CHECK(holds(verdict({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}}), "encloses no volume"));
}

TEST_CASE("Mesh level sets: distance, normal and volume of a fine sphere are those of the sphere") {
  const Vec3d center{0.3, -0.2, 0.1};
  const TriangleMesh mesh = sphere_mesh(center, 0.5, 5);
  const double spacing = 0.02;
  const ShapePointer shape = make_mesh_shape(mesh, spacing);
  const Bounds3 space{center - Vec3d{1, 1, 1}, center + Vec3d{1, 1, 1}};
  // 20480 triangles with edges of 0.02 lie up to edge^2 / (6 radius) = 1.4e-4 below the sphere; trilinear interpolation adds up to
  // voxel^2 / 8 times the sum of second derivatives, 2 / 0.45: 2.3e-4.
  int near = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const Vec3d x = random_point(space, 1, i), y = i % 2 ? random_point(space, 2, i) : x + (random_point(space, 2, i) - center) * 0.01;
    const double d = shape->distance(x), truth = length(x - center) - 0.5;
    REQUIRE(std::abs(d - shape->distance(y)) <= length(x - y) * 1.01 + 1e-6);
    REQUIRE(std::abs(d) <= std::abs(truth) + 1e-3);
    REQUIRE((std::abs(truth) < 1e-3 || (d < 0) == (truth < 0)));
    if (std::abs(truth) > 2 * spacing) continue;
    ++near;
    REQUIRE(std::abs(d - truth) < 3.7e-4);
    REQUIRE(close(shape->normal(x), normalized(x - center), 0.05));
  }
  CHECK(near > 400);
  CHECK(*shape->volume() == signed_volume(mesh));
  CHECK(*shape->volume() == Approx(4 * std::acos(-1.0) / 3 * 0.125).epsilon(2e-3));
  const auto points = sample(*shape, SamplingMethod::grid, 0.02, 1);
  CHECK(static_cast<double>(points.size()) * 8e-6 == Approx(*shape->volume()).epsilon(0.01));
}

TEST_CASE("Mesh level sets: a box keeps its faces, also when thinner than the spacing") {
  const ShapePointer shape = make_mesh_shape(box_mesh({0, 0, 0}, {1, 0.02, 1}), 0.05), box = make_primitive(Box{{0, 0, 0}, {1, 0.02, 1}});
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const Vec3d x = random_point({{-0.1, -0.1, -0.1}, {1.1, 0.1, 1.1}}, 1, i);
    const double d = shape->distance(x), truth = box->distance(x);
    REQUIRE(std::abs(d) <= std::abs(truth) + 0.002);  // half a voxel of 0.02 / 6 at the edges
    if (std::abs(truth) > 0.002) REQUIRE((d < 0) == (truth < 0));
  }
}

TEST_CASE("Mesh level sets: a cavity is outside, and a ball in the cavity inside again") {
  const TriangleMesh mesh = joined(joined(box_mesh({0, 0, 0}, {3, 3, 3}), flipped(box_mesh({0.5, 0.5, 0.5}, {2.5, 2.5, 2.5}))),
                                   sphere_mesh({1.5, 1.5, 1.5}, 0.6, 3));
  const ShapePointer shape = make_mesh_shape(mesh, 0.05);
  CHECK(shape->distance({0.25, 1.5, 1.5}) < 0);
  CHECK(shape->distance({0.7, 1.5, 1.5}) > 0);
  CHECK(shape->distance({1.5, 1.5, 1.5}) < 0);
  CHECK(shape->distance({-0.5, 1.5, 1.5}) == Approx(0.5));
  const auto points = sample(*shape, SamplingMethod::grid, 0.05, 1);
  CHECK(static_cast<double>(points.size()) * 1.25e-4 == Approx(signed_volume(mesh)).epsilon(0.01));
}

TEST_CASE("Mesh level sets: the same bits on one thread and two") {
  const TriangleMesh mesh = sphere_mesh({0, 0, 0}, 1, 4);
  set_thread_count(1);
  const ShapePointer one = make_mesh_shape(mesh, 0.03);
  set_thread_count(2);
  const ShapePointer two = make_mesh_shape(mesh, 0.03);
  set_thread_count(0);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const Vec3d x = random_point({{-1.2, -1.2, -1.2}, {1.2, 1.2, 1.2}}, 1, i);
    REQUIRE(one->distance(x) == two->distance(x));
  }
}

TEST_CASE("Mesh level sets: a mesh in millimetres is refused before it eats the memory") {
  CHECK(holds(message_of([] { make_mesh_shape(box_mesh({0, 0, 0}, {1000, 1000, 1000}), 0.01); }), "is it in metres"));
}
