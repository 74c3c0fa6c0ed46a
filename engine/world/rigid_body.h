// Rigid bodies: what is constant of one (World), and where it is (State).
#pragma once
#include <string>
#include <vector>

#include "geometry/contact.h"
#include "geometry/mass_properties.h"
#include "geometry/motion.h"
#include "geometry/shape.h"
#include "math/quaternion.h"
#include "math/vec.h"

namespace knead {

// A solid that moves as a whole and is pushed by what it touches. Everything here is in its pose at time 0.
struct RigidBody {
  std::string name;
  ShapePointer shape;
  double mass = 0;                      // [kg]
  Vec3d center;                         // of mass [m]
  Vec3d moments;                        // of inertia about the principal axes through the center [kg m^2]
  Mat3d axes = Mat3d::identity();       // the principal axes, in columns; a rotation
  Contact contact = Contact::separate;  // as of a collider
  double friction = 0;                  // Coulomb coefficient, for `separate`
  double radius = 0;                    // of the ball around the center that holds the body [m]
  double spacing = 0;                   // between the points below [m]
  std::vector<Vec3d> points, normals;   // of the surface, edges and corners among them; normals point outwards
};

// Trivially copyable: checkpoints keep the bytes.
struct RigidState {
  Vec3d position;          // of the centre of mass [m]
  Quaternion orientation;  // from the pose at time 0
  Vec3d velocity;          // of the centre of mass [m/s]
  Vec3d angular_velocity;  // [rad/s]

  Vec3d velocity_at(const Vec3d& x) const { return velocity + cross(angular_velocity, x - position); }
};

// Mass, axes and surface points from the shape; `properties` are those of the shape. InputError where they make no solid.
RigidBody make_rigid_body(const std::string& name, ShapePointer shape, const MassProperties& properties, double density);

// Pose::apply takes points of the pose at time 0 to where they are now.
Pose pose_of(const RigidBody& body, const RigidState& state);
Mat3d inertia_of(const RigidBody& body, const RigidState& state);  // about the centre of mass, in world axes [kg m^2]
Mat3d inverse_inertia_of(const RigidBody& body, const RigidState& state);
Vec3d angular_momentum(const RigidBody& body, const RigidState& state);  // about the centre of mass [kg m^2/s]
double kinetic_energy(const RigidBody& body, const RigidState& state);   // [J]

}  // namespace knead
