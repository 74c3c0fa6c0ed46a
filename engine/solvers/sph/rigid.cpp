#include "solvers/sph/rigid.h"

#include <algorithm>
#include <cmath>

#include "solvers/sph/rigid_contact.h"

namespace knead {

namespace {

bool all_finite(const std::vector<RigidState>& states) {
  return std::all_of(states.begin(), states.end(), [](const RigidState& state) {
    const Quaternion& q = state.orientation;
    return std::isfinite(sum(state.position) + sum(state.velocity) + sum(state.angular_velocity) + q.w + q.x + q.y + q.z);
  });
}

// Turns a free body by dt. The kinetic energy is split into its three parts along the principal axes, and each part alone is a rotation
// about that axis (Dullweber, Leimkuhler & McLachlan 1997): symplectic and of second order, with the angular momentum kept to rounding.
void turn_freely(const RigidBody& body, double dt, RigidState& state) {
  const Mat3d start = rotation_matrix(state.orientation) * body.axes;
  Vec3d momentum = body.moments * (transpose(start) * state.angular_velocity);  // in principal axes
  const auto turn = [&](int axis, double time) {
    const double angle = time * momentum[axis] / body.moments[axis];
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double c = std::cos(angle), s = std::sin(angle), mj = momentum[j], mk = momentum[k];
    momentum[j] = c * mj + s * mk, momentum[k] = c * mk - s * mj;
    state.orientation = state.orientation * quaternion_from_vector(column(body.axes, axis) * angle);
  };
  turn(0, dt / 2), turn(1, dt / 2), turn(2, dt), turn(1, dt / 2), turn(0, dt / 2);
  state.orientation = normalized(state.orientation);
  const Vec3d rate{momentum.x / body.moments.x, momentum.y / body.moments.y, momentum.z / body.moments.z};
  state.angular_velocity = rotation_matrix(state.orientation) * (body.axes * rate);
}

// Velocities after gravity, fields and what the particles do; returns the work of the fields [J].
double apply_forces(const World& world, double time, double dt, const RigidBody& body, const Vec3d& force, const Vec3d& torque,
                    RigidState& state) {
  Vec3d field, spin;  // accelerations
  for (const Field& each : world.fields) {
    field += acceleration(each, state.position, time);
    // The swirl acts on every point: its torque is I (strength axis), as it is linear in space.
    if (each.type == FieldType::rotational && time >= each.start && time < each.end) spin += each.axis * each.strength;
  }
  const Vec3d before = state.velocity;
  state.velocity += (world.gravity.at(time) + field + force / body.mass) * dt;
  state.angular_velocity += (spin + inverse_inertia_of(body, state) * torque) * dt;
  return body.mass * dt * 0.5 * dot(field, before + state.velocity) + dt * dot(spin, inertia_of(body, state) * state.angular_velocity);
}

// Adds the forces to `force` and returns the work of the colliders [J].
double account(const World& world, const std::vector<RigidContact>& contacts, double dt, std::vector<Vec3d>& force) {
  force.resize(world.colliders.size() + world.rigid_bodies.size());
  double work = 0;
  for (const RigidContact& contact : contacts) {
    const Vec3d push = contact.impulse / dt;
    const auto other =
        contact.b < 0 ? static_cast<std::size_t>(contact.collider) : world.colliders.size() + static_cast<std::size_t>(contact.b);
    force[world.colliders.size() + static_cast<std::size_t>(contact.a)] += push;
    force[other] -= push;
    if (contact.b < 0) work += dot(contact.impulse, contact.surface_velocity);
  }
  return work;
}

}  // namespace

Vec3d free_acceleration(const World& world, const RigidState& body, double time) {
  Vec3d total = world.gravity.at(time);
  for (const Field& field : world.fields) total += acceleration(field, body.position, time);
  return total;
}

double rigid_speed(const World& world, const State& state) {
  double fastest = 0;
  for (std::size_t i = 0; i < state.rigid.size(); ++i)
    fastest = std::max(fastest, length(state.rigid[i].velocity) + length(state.rigid[i].angular_velocity) * world.rigid_bodies[i].radius);
  return fastest;
}

bool move_rigid_bodies(const World& world, State& state, double dt, const std::vector<Vec3d>& force, const std::vector<Vec3d>& torque) {
  if (state.rigid.empty()) return true;
  std::vector<RigidState> next = state.rigid;
  double work = 0;
  for (std::size_t i = 0; i < next.size(); ++i)
    work += apply_forces(world, state.time, dt, world.rigid_bodies[i], i < force.size() ? force[i] : Vec3d{},
                         i < torque.size() ? torque[i] : Vec3d{}, next[i]);
  if (!all_finite(next)) return false;

  std::vector<RigidContact> contacts = find_contacts(world, next, state.time, dt);
  solve_contacts(world, next, contacts, dt);
  const std::vector<RigidState> apart = separating_motion(world, next, contacts, dt);
  for (std::size_t i = 0; i < next.size(); ++i) {
    RigidState& body = next[i];
    body.position += (body.velocity + apart[i].velocity) * dt;
    turn_freely(world.rigid_bodies[i], dt, body);
    body.orientation = normalized(quaternion_from_vector(apart[i].angular_velocity * dt) * body.orientation);
  }
  if (!all_finite(next)) return false;
  work += account(world, contacts, dt, state.collider_force);
  state.external_work += work;
  state.rigid = std::move(next);
  return true;
}

}  // namespace knead
