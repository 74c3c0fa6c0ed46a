// Several bodies in one grid, and the order of particles as they move.
#include <limits>

#include "setup.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("mpm: two balls of different materials collide in one grid and bounce apart with their momentum") {
  MpmCase c(0.1);
  const Moduli moduli = Moduli::from_young(1e6, 0.2);
  const int a = c.add_body(solid(NeoHookean{moduli}, 1000)), b = c.add_body(solid(Hencky{moduli}, 2000));
  const auto ball = [&](int group, const Vec3d& center, const Vec3d& velocity) {
    c.fill(
        group, center - Vec3d{0.3, 0.3, 0.3}, center + Vec3d{0.3, 0.3, 0.3}, 2, [=](const Vec3d&) { return velocity; },
        [=](const Vec3d& x) { return length(x - center) < 0.3; });
  };
  ball(a, {-0.5, 0, 0}, {1, 0, 0});
  ball(b, {0.5, 0, 0}, {-0.5, 0, 0});  // as much momentum the other way
  c.start();
  const double kinetic = 0.5 * length(c.momentum(0)) * 1.5;
  c.run(1.0);
  double gap = 0;
  const double va = c.momentum(0).x / (c.total_mass() / 3), vb = c.momentum(1).x / (c.total_mass() * 2 / 3);
  for (std::size_t i = 0; i < c.state.count; ++i) gap += (c.body(i) == 0 ? -1 : 1) * c.x(i).x / double(c.state.count);
  measured("two balls: share of the relative speed after the collision", (vb - va) / 1.5);
  CHECK(length(c.momentum()) < 1e-13 * kinetic);
  CHECK(va < -0.75);  // of -1 without any loss, which includes that to vibration
  CHECK(vb > 0.375);
  CHECK(gap > 0.35);
}

TEST_CASE("mpm: particles are sorted again when they drift, and only then; the order stays one of blocks, groups and cells") {
  MpmCase c(0.1);
  const Moduli moduli = Moduli::from_young(1e5, 0.3);
  const VelocityField along = [](const Vec3d&) { return Vec3d{5, -3, 2}; };
  c.add_box(solid(NeoHookean{moduli}), {0, 0, 0}, {0.6, 0.6, 0.6}, along);
  c.add_box(solid(FixedCorotated{moduli}, 700), {0.25, 0.6, 0}, {0.85, 1.0, 0.6}, along);
  c.start();
  int sorts = 0;
  const double dt = 2e-3;  // a tenth of a cell
  for (int k = 0; k < 200; ++k) {
    const bool sorted = !c.state.order.valid;
    sorts += sorted;
    c.steps(1, dt);
    // Never farther than a cell from the block that owns it, measured on the stencil.
    for (const Run& run : c.state.order.runs) {
      const BlockCoordinates& block = c.state.order.blocks[run.block];
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        REQUIRE(c.group(i) == int(run.group));
        for (int axis = 0; axis < 3; ++axis) {
          const double base = std::floor(c.x(i)[axis] / 0.1 - 0.5) - 4 * block[axis];
          if (c.state.order.valid) REQUIRE((base >= -1 && base <= 4));
        }
      }
    }
  }
  // A particle may drift one cell, ten steps along x: not every step, not never.
  CHECK(sorts > 10);
  CHECK(sorts < 40);
  CHECK(length(c.mean_velocity() - Vec3d{5, -3, 2}) < 1e-12);
}

TEST_CASE("mpm: a particle far away or without a place does not hurt the others") {
  MpmCase c(0.1);
  c.add_box(solid(NeoHookean{Moduli::from_young(1e5, 0.3)}), {0, 0, 0}, {0.3, 0.3, 0.3});
  c.add_particle(0, {1e12, 0, 0}, 1e-3, {});
  c.add_particle(0, {0, std::numeric_limits<double>::quiet_NaN(), 0}, 1e-3, {});
  c.add_particle(0, {-4e4, 3e4, 2e4}, 1e-3, {});
  const std::size_t count = c.state.count;
  c.start();
  c.steps(3, 1e-3);
  CHECK(c.state.count == count - 2);
  CHECK(all_finite(c));
}
