// Rigid bodies by themselves: free motion, contact, friction.
#include "rigid_setup.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("rigid: free fall is that of the symplectic Euler scheme, with any force and field added") {
  RigidCase c;
  c.world.fields.push_back({.type = FieldType::uniform, .vector = {1, 0, 0}, .center = {}, .axis = {0, 1, 0}, .strength = 0});
  const double mass = c.add(ball({0, 5, 0}, 0.3), 500, {0, 0, 2}).mass;
  const double dt = 1e-3;
  const int steps = 1000;
  for (int n = 0; n < steps; ++n) c.step(dt, {Vec3d{0, 0, 3 * mass}});
  CHECK(length(c.body().velocity - Vec3d{1, -9.81, 5}) < 1e-11);
  const double half = 0.5 * dt * dt * steps * (steps + 1);
  CHECK(length(c.body().position - Vec3d{half, 5 - 9.81 * half, 2 + 3 * half}) < 1e-11);
  CHECK(c.state.external_work == doctest::Approx(mass * half).epsilon(1e-2));  // of the field; the work of gravity is potential energy
}

TEST_CASE("rigid: a body that spins about its middle axis flips over and over (Dzhanibekov) with its energy and angular momentum") {
  RigidCase c;
  c.world.gravity = Vec3d{};
  c.add(box({-0.1, -0.25, -0.5}, {0.1, 0.25, 0.5}, {10, 20, 30}), 1000);
  const RigidBody& body = c.world.rigid_bodies[0];
  CHECK(body.moments.x > body.moments.y);
  CHECK(body.moments.y > body.moments.z);
  c.state.rigid[0].angular_velocity = column(body.axes, 1) * 10.0 + column(body.axes, 0) * 1e-3;
  const Vec3d before = c.spin(0);
  const double energy = c.kinetic();
  double most = 0, least = 1, drift = 0;
  int flips = 0, side = 1;
  for (int n = 0; n < 100000; ++n) {  // 100 s, about 160 turns
    c.step(1e-3);
    const Vec3d axis = rotation_matrix(c.body().orientation) * column(body.axes, 1);
    const double along = dot(axis, before) / length(before);
    most = std::max(most, along), least = std::min(least, along);
    if (along * side < -0.9) ++flips, side = -side;
    drift = std::max(drift, std::abs(c.kinetic() / energy - 1));
  }
  measured("largest relative change of the energy in 100 s of flips", drift);
  measured("relative change of the angular momentum", length(c.spin(0) - before) / length(before));
  CHECK(flips > 10);
  CHECK(most > 0.999);
  CHECK(least < -0.999);
  CHECK(drift < 2e-5);  // (omega dt)^2 = 1e-4, and no trend
  CHECK(length(c.spin(0) - before) < 1e-10 * length(before));
  const Quaternion q = c.body().orientation;
  CHECK(std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-14);
}

TEST_CASE("rigid: a symmetric top precesses at the rate of its formula") {
  RigidCase c;
  c.world.gravity = Vec3d{};
  c.add({Cylinder{{0, -0.05, 0}, {0, 0.1, 0}, 0.4}, {}});
  const RigidBody& body = c.world.rigid_bodies[0];
  c.state.rigid[0].angular_velocity = {1, 20, 0};
  // The axis of the body goes around the angular momentum with |L| / I_across.
  const Vec3d L = c.spin(0);
  const double rate = length(L) / body.moments.y, time = 0.5, dt = 1e-3;
  const Mat3d ideal = rotation_matrix(quaternion_from_vector(L * (rate * time / length(L))));
  c.run(time, dt);
  const Vec3d axis = rotation_matrix(c.body().orientation) * Vec3d{0, 1, 0};
  CHECK(length(axis - ideal * Vec3d{0, 1, 0}) < 1e-4);
}

TEST_CASE("rigid: a torque about a principal axis turns as T / I says, a swirling field as strength / 1") {
  RigidCase c;
  c.world.gravity = Vec3d{};
  c.add(box({-0.2, -0.1, -0.3}, {0.2, 0.1, 0.3}));
  const double I = c.world.rigid_bodies[0].mass * (0.4 * 0.4 + 0.2 * 0.2) / 12;
  for (int n = 0; n < 1000; ++n) c.step(1e-3, {}, {Vec3d{0, 0, 5}});
  CHECK(c.body().angular_velocity.z == doctest::Approx(5 / I).epsilon(3e-5));
  RigidCase swirl;
  swirl.world.gravity = Vec3d{};
  swirl.world.fields.push_back({.type = FieldType::rotational, .vector = {}, .center = {}, .axis = {0, 1, 0}, .strength = 3});
  swirl.add(ball({0, 0, 0}, 0.3));
  swirl.run(1, 1e-2);
  CHECK(swirl.body().angular_velocity.y == doctest::Approx(3).epsilon(1e-9));
  CHECK(swirl.state.external_work == doctest::Approx(swirl.kinetic()).epsilon(0.02));
}

TEST_CASE("rigid: on a slope a box sticks where friction is enough and else slides with g (sin - mu cos)") {
  const double slope = 20 * 3.14159265358979 / 180, g = 9.81, dt = 1e-3;
  const Vec3d up{std::sin(slope), std::cos(slope), 0}, down{std::cos(slope), -std::sin(slope), 0};
  for (const double mu : {0.0, 0.2, 0.3, 0.5}) {
    RigidCase c;
    c.add_collider(plane(up), Contact::separate, mu);
    c.add(box({-0.2, 0, -0.2}, {0.2, 0.2, 0.2}, {0, 0, -20}));
    const Vec3d start = c.body().position;
    c.run(1, dt);
    const double ideal = std::max(0.0, g * (std::sin(slope) - mu * std::cos(slope)));
    const Vec3d way = c.body().position - start;
    CHECK(dot(c.body().velocity, down) == doctest::Approx(ideal).epsilon(1e-6));
    CHECK(std::abs(dot(way, up)) < 1e-6);
    CHECK(dot(way, down) == doctest::Approx(0.5 * ideal * (1 + dt)).epsilon(1e-5));
    CHECK(length(c.body().angular_velocity) < 1e-6);
    if (ideal == 0) {
      measured("creep of a box held by friction [m/s]", length(way));
      CHECK(length(way) < 1e-9);
    }
    const Vec3d weight{0, g * c.world.rigid_bodies[0].mass, 0};
    if (ideal == 0) CHECK(length(c.state.collider_force[0] + weight) < 1e-6 * weight.y);
  }
}

TEST_CASE("rigid: a box that falls on its corner comes to rest flat on the floor, and stays") {
  RigidCase c;
  c.add_collider(plane(), Contact::separate, 0.4);
  c.add(box({-0.2, 0.5, -0.1}, {0.2, 0.7, 0.1}, {30, 0, 25}));
  double deepest = 0;
  for (int n = 0; n < 3000; ++n) {
    c.step(1e-3);
    for (int k = 0; k < 8; ++k) {
      const Vec3d corner{k & 1 ? -0.2 : 0.2, k & 2 ? 0.5 : 0.7, k & 4 ? -0.1 : 0.1};
      const ShapeSpec turned = box({-0.2, 0.5, -0.1}, {0.2, 0.7, 0.1}, {30, 0, 25});
      deepest = std::min(deepest, c.place(0, rotation_matrix(quaternion_from_vector({0, 0, 25 * 3.14159265358979 / 180})) *
                                                 (rotation_matrix(quaternion_from_vector({30 * 3.14159265358979 / 180, 0, 0})) * corner))
                                      .y);
    }
  }
  measured("deepest corner in the floor [m]", deepest);
  CHECK(deepest > -2e-3);
  const Vec3d at = c.body().position;
  c.run(2, 1e-3);
  CHECK(length(c.body().position - at) < 1e-6);
  CHECK(length(c.body().angular_velocity) < 1e-5);
  CHECK(c.kinetic() < 1e-9);
  CHECK(std::min({std::abs(at.y - 0.1), std::abs(at.y - 0.2)}) < 2e-3);  // on one of its faces
}

TEST_CASE("rigid: a stack of boxes stands, equal ones and a heavy one on light ones") {
  RigidCase c;
  c.add_collider(plane(), Contact::separate, 0.5);
  for (int n = 0; n < 5; ++n) c.add(box({-0.1, 0.2 * n, -0.1}, {0.1, 0.2 * n + 0.2, 0.1}), n == 4 ? 5000 : 1000);
  std::vector<RigidState> start = c.state.rigid;
  c.run(2, 2e-3);
  double moved = 0, turned = 0;
  for (std::size_t i = 0; i < start.size(); ++i)
    moved = std::max(moved, length(c.body(i).position - start[i].position)),
    turned = std::max(turned, 1 - std::abs(c.body(i).orientation.w));
  measured("largest displacement in a stack of five after 2 s [m]", moved);
  CHECK(moved < 1e-4);
  CHECK(turned < 1e-6);
  double mass = 0;
  for (const RigidBody& body : c.world.rigid_bodies) mass += body.mass;
  CHECK(c.state.collider_force[0].y == doctest::Approx(-9.81 * mass).epsilon(1e-3));
}

TEST_CASE("rigid: a ball on a slope rolls with 5/7 of g sin, with its foot at rest") {
  const double slope = 0.3, dt = 1e-3;
  const Vec3d up{std::sin(slope), std::cos(slope), 0}, down{std::cos(slope), -std::sin(slope), 0};
  RigidCase c;
  c.add_collider(plane(up), Contact::separate, 0.6);
  c.add(ball(up * 0.25, 0.25));
  c.run(1, dt);
  const double speed = dot(c.body().velocity, down);
  measured("rolling: speed over 5/7 g sin t", speed / (5.0 / 7 * 9.81 * std::sin(slope)));
  CHECK(speed == doctest::Approx(5.0 / 7 * 9.81 * std::sin(slope)).epsilon(1e-3));
  CHECK(length(c.body().angular_velocity + Vec3d{0, 0, speed / 0.25}) < 1e-3 * speed / 0.25);
  CHECK(std::abs(dot(c.body().position, up) - 0.25) < 1e-4);
}

TEST_CASE("rigid: bodies that collide keep momentum and angular momentum, and lose energy as plastic bodies do") {
  RigidCase c;
  c.world.gravity = Vec3d{};
  c.add(box({-0.3, -0.1, -0.1}, {0.3, 0.1, 0.1}), 1000, {0, 0, 0}, {0, 0, 2});
  c.world.rigid_bodies[0].friction = 0.3;
  c.add(ball({0.2, 0.5, 0.02}, 0.15), 3000, {0.2, -3, 0.1}, {5, 0, 0});
  c.add({Capsule{{-0.5, 0.4, 0}, {0.2, 0.1, 0.1}, 0.08}, {}}, 800, {0.5, -2, 0}, {0, 3, 1});
  const Vec3d p = c.momentum(), l = c.angular();
  double energy = c.kinetic();
  const double first = energy;
  bool grew = false;
  for (int n = 0; n < 1000; ++n) {
    c.step(1e-3);
    grew |= c.kinetic() > energy * (1 + 1e-4);
    energy = c.kinetic();
  }
  measured("share of the kinetic energy that is left after three bodies collided", energy / first);
  CHECK(length(c.momentum() - p) < 1e-11 * length(p));
  CHECK(length(c.angular() - l) < 1e-4 * length(l));  // positions move after the impulses: of first order in dt
  CHECK_FALSE(grew);
  CHECK(energy < 0.9 * first);
}

TEST_CASE("rigid: two balls that meet head on move on together") {
  RigidCase c;
  c.world.gravity = Vec3d{};
  c.add(ball({-1, 0, 0}, 0.2), 1000, {2, 0, 0});
  c.add(ball({1, 0, 0}, 0.2), 3000, {-1, 0, 0});
  c.run(1, 1e-3);
  CHECK(c.body(0).velocity.x == doctest::Approx(-0.25).epsilon(1e-9));
  CHECK(c.body(1).velocity.x == doctest::Approx(-0.25).epsilon(1e-9));
  CHECK(c.body(1).position.x - c.body(0).position.x == doctest::Approx(0.4).epsilon(1e-6));
}

TEST_CASE("rigid: a moving collider carries what lies on it, and its work is counted") {
  RigidCase c;
  Motion lift;
  lift.velocity = {0.3, 0.5, 0};
  c.add_collider(box({-1, -0.2, -1}, {1, 0, 1}), Contact::sticky, 0, lift);
  c.add(box({-0.1, 0, -0.1}, {0.1, 0.2, 0.1}));
  c.run(1, 1e-3);
  CHECK(length(c.body().velocity - Vec3d{0.3, 0.5, 0}) < 1e-6);
  CHECK(std::abs(c.body().position.y - 0.6) < 1e-4);
  const double mass = c.world.rigid_bodies[0].mass;
  // Lifted by 0.5 m and set in motion by a jerk: twice the kinetic energy, half of which is lost.
  CHECK(c.state.external_work == doctest::Approx(mass * (9.81 * 0.5 + 0.3 * 0.3 + 0.5 * 0.5)).epsilon(1e-3));
}

TEST_CASE("rigid: a body pressed into another is pushed out without being thrown") {
  RigidCase c;
  c.add_collider(plane(), Contact::separate, 0.3);
  c.add(box({-0.2, -0.03, -0.2}, {0.2, 0.17, 0.2}));
  double fastest = 0;
  for (int n = 0; n < 500; ++n) {
    c.step(1e-3);
    fastest = std::max(fastest, length(c.body().velocity));
  }
  CHECK(std::abs(c.body().position.y - 0.1) < 1e-3);
  CHECK(fastest < 0.01);
}

TEST_CASE("rigid: forces that are not numbers change nothing and are reported") {
  RigidCase c;
  c.add(ball({0, 0, 0}, 0.2), 1000, {1, 2, 3});
  const RigidState before = c.body();
  CHECK_FALSE(move_rigid_bodies(c.world, c.state, 1e-3, {Vec3d{0, std::nan(""), 0}}, {}));
  CHECK(c.body().position == before.position);
  CHECK(c.body().velocity == before.velocity);
  CHECK(rigid_speed(c.world, c.state) == doctest::Approx(std::sqrt(14.0)));
}
