// A world of rigid bodies alone, without particles.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>

#include "geometry/shapes.h"
#include "solvers/sph/rigid.h"

namespace knead::test {

struct RigidCase {
  World world;
  State state;

  RigidBody& add(const ShapeSpec& shape, double density = 1000, const Vec3d& velocity = {}, const Vec3d& angular_velocity = {}) {
    const ShapePointer solid = make_shape(shape, {}, 0.01);
    world.rigid_bodies.push_back(make_rigid_body("body", solid, mass_properties(*solid), density));
    state.rigid.push_back(
        {.position = world.rigid_bodies.back().center, .orientation = {}, .velocity = velocity, .angular_velocity = angular_velocity});
    return world.rigid_bodies.back();
  }
  void add_collider(const ShapeSpec& shape, Contact contact = Contact::sticky, double friction = 0, const Motion& motion = {}) {
    world.colliders.push_back({.name = "collider",
                               .shape = make_shape(shape, {}, 0.01),
                               .motion = motion,
                               .contact = contact,
                               .friction = friction,
                               .is_pin = false});
  }
  void step(double dt, const std::vector<Vec3d>& force = {}, const std::vector<Vec3d>& torque = {}) {
    state.collider_force.assign(world.colliders.size() + world.rigid_bodies.size(), {});
    REQUIRE(move_rigid_bodies(world, state, dt, force, torque));
    state.time += dt;
    ++state.step;
  }
  void run(double duration, double dt) {
    for (int n = 0, steps = int(std::lround(duration / dt)); n < steps; ++n) step(dt);
  }
  const RigidState& body(std::size_t i = 0) const { return state.rigid[i]; }
  Vec3d place(std::size_t i, const Vec3d& X) const { return pose_of(world.rigid_bodies[i], state.rigid[i]).apply(X); }
  Vec3d spin(std::size_t i) const { return angular_momentum(world.rigid_bodies[i], state.rigid[i]); }
  Vec3d momentum() const {
    Vec3d total;
    for (std::size_t i = 0; i < state.rigid.size(); ++i) total += world.rigid_bodies[i].mass * state.rigid[i].velocity;
    return total;
  }
  Vec3d angular() const {  // about the origin
    Vec3d total;
    for (std::size_t i = 0; i < state.rigid.size(); ++i)
      total += spin(i) + cross(state.rigid[i].position, state.rigid[i].velocity * world.rigid_bodies[i].mass);
    return total;
  }
  double kinetic() const {
    double total = 0;
    for (std::size_t i = 0; i < state.rigid.size(); ++i) total += kinetic_energy(world.rigid_bodies[i], state.rigid[i]);
    return total;
  }
};

inline ShapeSpec box(const Vec3d& min, const Vec3d& max, const Vec3d& rotate = {}) {
  return {Box{min, max}, Transform{.translate = {}, .rotate = rotate}};
}
inline ShapeSpec ball(const Vec3d& center, double radius) { return {Sphere{center, radius}, {}}; }
inline ShapeSpec plane(const Vec3d& normal = {0, 1, 0}) { return {Plane{{0, 0, 0}, normal}, {}}; }

inline void measured(const char* what, double value) { std::printf("  measured: %s: %.6g\n", what, value); }

}  // namespace knead::test
