// Rigid bodies between particles: free motion, and contact with colliders and with each other.
#pragma once
#include <vector>

#include "world/state.h"
#include "world/world.h"

namespace knead {

// Speed of the fastest point of any rigid body, for the choice of dt [m/s].
double rigid_speed(const World& world, const State& state);

// Gravity and fields at the centre of mass [m/s^2].
Vec3d free_acceleration(const World& world, const RigidState& body, double time);

// Moves State::rigid from state.time on by dt. `force` [N] and `torque` [N m], about the centres of mass, are what particles do to
// each rigid body; gravity, fields and contact are added here. Contact forces on colliders and bodies are added to
// State::collider_force (colliders, then rigid bodies), and the work of fields and moving colliders to State::external_work.
// False, and nothing changed, when a number is not finite.
bool move_rigid_bodies(const World& world, State& state, double dt, const std::vector<Vec3d>& force, const std::vector<Vec3d>& torque);

}  // namespace knead
