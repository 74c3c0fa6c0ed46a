// Periodic axes, slabs, and what leaves.
#include "setup.h"

using namespace knead;
using namespace knead::test;

namespace {
const Material rubber = solid(NeoHookean{Moduli::from_young(1e5, 0.3)});
}  // namespace

TEST_CASE("mpm: a body that crosses a periodic boundary moves and deforms as it would without one") {
  const double dx = 0.125;  // a power of two: the two grids then round alike
  const VelocityField velocity = [](const Vec3d& x) { return Vec3d{3 + x.y, -2, 1.5 * x.x}; };
  MpmCase open(dx), closed(dx);
  closed.periodic({0, 0, 0}, {2, 2, 2}, {true, true, true});
  for (MpmCase* c : {&open, &closed}) {
    c->add_box(rubber, {1.0, 0.5, 0.5}, {1.5, 1.0, 1.0}, velocity);
    c->start();
    c->steps(400, 2e-3);
  }
  const std::vector<std::size_t> a = open.by_id(), b = closed.by_id();
  REQUIRE(a.size() == b.size());
  double worst = 0, strain = 0, crossed = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Vec3d d = open.x(a[k]) - closed.x(b[k]);
    for (int axis = 0; axis < 3; ++axis) worst = std::max(worst, std::abs(std::remainder(d[axis], 2.0)));
    strain = std::max(strain, std::sqrt(norm_squared(open.matrix("F", a[k]) - closed.matrix("F", b[k]))));
    crossed = std::max(crossed, length(d));
  }
  CHECK(crossed > 3);
  CHECK(worst < 1e-11);
  CHECK(strain < 1e-10);
  CHECK(length(open.momentum() - closed.momentum()) < 1e-12 * length(open.momentum()));
}

TEST_CASE("mpm: where the lowest stencil meets the upper end of a period, particles stay on their own nodes, also in single precision") {
  // A particle just below the first half cell belongs at the end of the period, but the sum with the length rounds to the beginning.
  struct Axis {
    double low, length, dx;
  };
  for (const Axis& axis : {Axis{0, 1, 0.0625}, Axis{0.1, 0.64, 0.01}, Axis{-7.3, 12.8, 0.05}})
    for (const Precision precision : {Precision::single, Precision::real_double}) {
      const double dx = axis.dx;
      MpmCase c(dx, precision);
      c.periodic({axis.low, -50, -50}, {axis.low + axis.length, 50, 50}, {true, false, false});
      const int group = c.add_body(rubber);
      const Vec3d v{0.001, 0, 0};
      for (const double edge : {axis.low + 0.5 * dx, axis.low + axis.length + 0.5 * dx}) {
        float f = float(edge);
        double d = edge;
        for (int k = 0; k < 4; ++k) {
          c.add_particle(group, {precision == Precision::single ? double(f) : d, 0.51 * dx, 0.52 * dx}, dx * dx * dx / 8, v);
          f = std::nextafterf(f, -100.f), d = std::nextafter(d, -100.0);
        }
      }
      const std::size_t tested = c.state.count;
      // Another velocity a few cells away: who meets a foreign node is noticed.
      for (const double cell : {5.0, 6.0, axis.length / dx - 4.0, axis.length / dx - 5.0})
        c.add_particle(group, {axis.low + cell * dx, 0.51 * dx, 0.52 * dx}, dx * dx * dx, {0, 0, 0.1});
      c.start();
      c.steps(1, 1e-6);
      for (const std::size_t i : c.by_id())
        if (c.scalar("id", i) < double(tested)) CHECK(length(c.v(i) - v) < 1e-6);
    }
}

TEST_CASE("mpm: in a periodic slab the strain is plane") {
  const double dx = 0.1;
  MpmCase c(dx);
  c.world.gravity = Vec3d{0, -10, 0};
  c.periodic({-2, -1, 0}, {2, 2, 4 * dx}, {false, false, true});
  c.add_floor(Contact::separate, 0.3);
  c.add_box(rubber, {-0.3, 0, 0}, {0.3, 0.6, 4 * dx});
  c.start();
  c.run(0.3);
  double out_of_plane = 0, in_plane = 0;
  for (std::size_t i = 0; i < c.state.count; ++i) {
    const Mat3d F = c.matrix("F", i);
    for (const int k : {2, 5, 6, 7}) out_of_plane = std::max(out_of_plane, std::abs(F.m[k]));
    out_of_plane = std::max(out_of_plane, std::abs(F.m[8] - 1));
    in_plane = std::max(in_plane, std::abs(F.m[4] - 1));
    CHECK(std::abs(c.v(i).z) < 1e-12);
  }
  CHECK(in_plane > 0.03);
  CHECK(out_of_plane < 1e-12);
}

TEST_CASE("mpm: particles that leave the domain are deleted, the others go on, and nothing left is no error") {
  MpmCase c(0.1);
  c.world.domain = Domain{{0, 0, 0}, {2, 2, 2}, {false, false, false}};
  c.add_box(rubber, {0.5, 0.5, 0.5}, {0.8, 0.8, 0.8}, [](const Vec3d&) { return Vec3d{4, 0, 0}; });
  c.add_box(rubber, {0.5, 1.4, 0.5}, {0.8, 1.7, 0.8});
  c.start();
  const std::size_t half = c.state.count / 2;
  std::size_t before = c.state.count;
  bool monotone = true;
  c.run(0.32, 1e-3, [&](double) {
    monotone = monotone && c.state.count <= before;
    before = c.state.count;
  });
  CHECK(monotone);
  CHECK(c.state.count < 2 * half);  // some are out
  CHECK(c.state.count > half);      // some are not yet
  for (std::size_t i = 0; i < c.state.count; ++i) CHECK(c.x(i).x < 2 + 4e-3);
  c.run(0.5, 1e-3);
  CHECK(c.state.count == half);
  for (std::size_t i = 0; i < c.state.count; ++i) {
    CHECK(c.body(i) == 1);
    CHECK(length(c.v(i)) == 0);
  }
  for (std::size_t i = 0; i < c.state.count; ++i) c.set("velocity", i, Vec3d{0, 9, 0});
  c.run(1, 1e-3);
  CHECK(c.state.count == 0);
}
