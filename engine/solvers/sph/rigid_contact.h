// Contact of rigid bodies with colliders and with each other: points of surfaces against signed distances, and the impulses there.
#pragma once
#include <vector>

#include "world/state.h"
#include "world/world.h"

namespace knead {

// The index of what a contact acts on: colliders come first, then rigid bodies, as in State::collider_force.
struct RigidContact {
  int a = 0;   // rigid body
  int b = -1;  // rigid body, or -1: the collider below
  int collider = -1;
  Vec3d point, normal;     // [m]; out of b, into a
  Vec3d surface_velocity;  // of the collider there [m/s]
  double gap = 0;          // [m]; negative: how deep
  double friction = 0;     // Coulomb coefficient; infinite where one of the two is sticky
  double normal_impulse = 0;
  Vec3d impulse;  // on a [N s]
};

// Where bodies touch or may touch within dt: each pair at a few points that are far from each other. The order depends on World alone.
std::vector<RigidContact> find_contacts(const World& world, const std::vector<RigidState>& rigid, double time, double dt);

// Impulses after which no contact closes by more than its gap within dt (Signorini), and those along the surface obey Coulomb's law.
// Changes velocities. Projected Gauss-Seidel iterations in the order of the contacts.
void solve_contacts(const World& world, std::vector<RigidState>& rigid, std::vector<RigidContact>& contacts, double dt);

// Velocities that push bodies apart where they are inside each other: for positions alone, so that no energy comes of it.
// In `position` and `orientation` nothing changes; returned is a RigidState per body whose velocities are these.
std::vector<RigidState> separating_motion(const World& world, const std::vector<RigidState>& rigid,
                                          const std::vector<RigidContact>& contacts, double dt);

}  // namespace knead
