#include "simulation/emitters.h"

#include <doctest/doctest.h>

#include <set>

#include "base/error.h"
#include "simulation/fake_solver.h"

using namespace knead;
using namespace knead::testing;

namespace {

constexpr double spacing = 0.05;

struct Tap {
  World world;
  State state;

  explicit Tap(const Vec3d& velocity, std::optional<Animated<double>> rate = std::nullopt) {
    world.materials = {test_material()};
    world.bodies = {{"jet", 0}};
    world.groups = {{0, -1}};
    Emitter emitter;
    emitter.name = "tap", emitter.shape = test_box({0, 0, 0}, {0.4, 0.2, 0.3}), emitter.velocity = velocity;
    emitter.rate = rate, emitter.spacing = spacing;
    world.emitters = {emitter};
    add_base_columns(state, ScalarType::f64);
    state.add("F", ScalarType::f64, 9);
    state.add("J", ScalarType::f64, 1);
  }
  Emitter& emitter() { return world.emitters[0]; }

  // Emits and lets the particles move on with their velocity, in steps of dt.
  void advance(double duration, double dt) {
    const int steps = static_cast<int>(std::round(duration / dt));
    advance_emitters(world, state);
    for (int step = 1; step <= steps; ++step) {
      for (int axis = 0; axis < 3; ++axis)
        for (std::size_t i = 0; i < state.count; ++i) {
          Column& x = state.column("position");
          x.set_value(axis, i, x.value(axis, i) + dt * state.column("velocity").value(axis, i));
        }
      state.time = step * dt;
      advance_emitters(world, state);
    }
  }
  Vec3d position(std::size_t i) const {
    const Column& x = state.column("position");
    return {x.value(0, i), x.value(1, i), x.value(2, i)};
  }
};

// Has bounds but no inside.
struct Hollow : Shape {
  double distance(const Vec3d&) const override { return 0.1; }
  Bounds3 bounds() const override { return {{0, 0, 0}, {1, 1, 1}}; }
};

}  // namespace

TEST_CASE("a fill starts with the shape full and then emits v A t / spacing^3 particles, within a layer") {
  Tap tap({0, 1.7, 0});
  tap.advance(0, 0.01);
  CHECK(tap.state.count == 8 * 4 * 6);  // the box in units of the spacing
  tap.advance(0.6, 0.004);
  const double layer = 8 * 6;
  const double expected = 8 * 4 * 6 + 1.7 * 0.4 * 0.3 * 0.6 / (spacing * spacing * spacing);
  CHECK(std::abs(static_cast<double>(tap.state.count) - expected) <= layer);
  CHECK(tap.state.emitters[0].emitted == tap.state.count);
}

TEST_CASE("the stream of a fill is one unbroken lattice, whatever the direction and the steps") {
  for (const Vec3d velocity : {Vec3d{0, 1, 0}, Vec3d{0.9, -0.5, 0.3}}) {
    Tap tap(velocity);
    tap.advance(0.5, 0.0137);
    double nearest = 1e9;
    for (std::size_t i = 0; i < tap.state.count; ++i)
      for (std::size_t j = 0; j < i; ++j) nearest = std::min(nearest, length(tap.position(i) - tap.position(j)));
    CHECK(nearest == doctest::Approx(spacing).epsilon(1e-9));  // no gap narrower than the lattice, no doubled point

    // All points of the moving lattice that are inside the shape now are there.
    std::size_t inside = 0, wanted = 0;
    for (std::size_t i = 0; i < tap.state.count; ++i) inside += tap.emitter().shape->distance(tap.position(i)) < 0;
    for (int k = -40; k < 60; ++k)
      for (int j = -40; j < 60; ++j)
        for (int i = -40; i < 60; ++i)
          wanted += tap.emitter().shape->distance(Vec3d{i + 0.5, j + 0.5, k + 0.5} * spacing + velocity * tap.state.time) < 0;
    CHECK(inside == wanted);
  }
}

TEST_CASE("the number of emitted particles does not depend on the steps, even when a step crosses the whole shape") {
  Tap fine({0, 1.1, 0});
  fine.advance(0.5, 0.0025);
  for (const double dt : {0.025, 0.25, 0.5}) {
    Tap coarse({0, 1.1, 0});
    coarse.advance(0.5, dt);
    REQUIRE(coarse.state.count == fine.state.count);
    double highest = 0, expected = 0;
    for (std::size_t i = 0; i < fine.state.count; ++i) {
      highest = std::max(highest, coarse.position(i).y);
      expected = std::max(expected, fine.position(i).y);
    }
    CHECK(highest == doctest::Approx(expected).epsilon(1e-9));
  }
}

TEST_CASE("what emitters will emit is counted beforehand, in intervals of any length") {
  Tap fill({0, 1.1, 0}), rate({0, 0, 0}, Animated<double>(0.02)), late({0, 1.1, 0});
  late.emitter().start = 0.2, late.emitter().end = 0.3, late.emitter().max_particles = 150;
  for (Tap* tap : {&fill, &rate, &late}) {
    tap->advance(0.5, 0.0025);
    for (const double interval : {0.01, 0.2, 1.0}) CHECK(count_emissions(tap->world, 0.5, interval) == std::vector{tap->state.count});
  }
}

TEST_CASE("a rate emits its volume, at places inside the shape that depend on the seed alone") {
  Tap tap({0, 0, 0}, Animated<double>(0.02)), same({0, 0, 0}, Animated<double>(0.02)), other({0, 0, 0}, Animated<double>(0.02));
  other.world.seed = 2;
  tap.advance(0.5, 0.01);
  same.advance(0.5, 0.05);
  other.advance(0.5, 0.01);
  CHECK(tap.state.count == 80);  // 0.02 m^3/s * 0.5 s / (0.05 m)^3
  REQUIRE(same.state.count == 80);
  REQUIRE(other.state.count == 80);
  std::set<double> places;
  bool differs = false;
  for (std::size_t i = 0; i < 80; ++i) {
    CHECK(tap.emitter().shape->distance(tap.position(i)) < 0);
    CHECK(tap.position(i) == same.position(i));
    differs = differs || !(tap.position(i) == other.position(i));
    places.insert(tap.position(i).x);
  }
  CHECK(places.size() == 80);
  CHECK(differs);
}

TEST_CASE("a rate in key frames emits its integral") {
  Animated<double> ramp(0.0);
  ramp.keys = {{0.0, 0.0}, {1.0, 0.1}};
  Tap tap({0, 0, 0}, ramp);
  tap.advance(1, 0.01);
  CHECK(tap.state.count == 400);  // 0.05 m^3 / (0.05 m)^3
}

TEST_CASE("start, end and max_particles bound an emitter") {
  Tap late({0, 1, 0}, Animated<double>(0.02));
  late.emitter().start = 0.2, late.emitter().end = 0.4;
  late.advance(1, 0.01);
  CHECK(late.state.count == 32);

  Tap few({0, 1, 0});
  few.emitter().max_particles = 200;
  few.advance(1, 0.01);
  CHECK(few.state.count == 200);

  Tap short_fill({0, 1, 0});
  short_fill.emitter().start = 0.3, short_fill.emitter().end = 0.5;
  short_fill.advance(0.25, 0.01);
  CHECK(short_fill.state.count == 0);
  short_fill.advance(1, 0.01);
  CHECK(std::abs(static_cast<double>(short_fill.state.count) - (8 * 4 * 6 + 0.2 * 0.4 * 0.3 / 1.25e-4)) <= 48);
}

TEST_CASE("emitted particles rest elastically, have ids of their own and count as external work") {
  Tap tap({0, 2, 0});
  tap.state.order.valid = true;
  tap.state.measure.valid = true;
  CHECK(advance_emitters(tap.world, tap.state) == 192);
  CHECK(advance_emitters(tap.world, tap.state) == 0);
  CHECK(!tap.state.order.valid);
  CHECK(!tap.state.measure.valid);
  CHECK(tap.state.next_id == 192);
  double volume = 0;
  for (std::size_t i = 0; i < tap.state.count; ++i) {
    CHECK(tap.state.column("id").value(0, i) == static_cast<double>(i));
    volume += tap.state.column("volume").value(0, i);
    for (int component = 0; component < 9; ++component) CHECK(tap.state.column("F").value(component, i) == (component % 4 == 0 ? 1 : 0));
    CHECK(tap.state.column("J").value(0, i) == 1);
    CHECK(tap.state.column("velocity").value(1, i) == 2);
  }
  CHECK(volume == doctest::Approx(0.4 * 0.2 * 0.3));
  const double mass = 1000 * volume;
  CHECK(tap.state.external_work == doctest::Approx(mass * (0.5 * 4 + 9.81 * 0.1)));  // the centre is at y = 0.1
}

TEST_CASE("an emitter that cannot work is refused") {
  Tap good({0, 1, 0}), unbounded({0, 1, 0}), early({0, 1, 0}), nowhere({0, 1, 0}), empty({0, 1, 0}, Animated<double>(1.0));
  CHECK_NOTHROW(check_emitters(good.world));
  unbounded.emitter().shape = make_shape({Plane{}, std::nullopt}, "", 0.1);
  CHECK_THROWS_AS(check_emitters(unbounded.world), InputError);
  early.emitter().start = -1;
  CHECK_THROWS_AS(check_emitters(early.world), InputError);
  nowhere.world.groups[0].pin = 0;
  CHECK_THROWS_AS(check_emitters(nowhere.world), InputError);
  empty.emitter().shape = std::make_shared<Hollow>();
  CHECK_THROWS_AS(check_emitters(empty.world), InputError);
}
