// World: what is constant in a step. Colliders, gravity and fields are functions of time.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "geometry/contact.h"
#include "geometry/motion.h"
#include "geometry/shape.h"
#include "materials/material.h"
#include "math/animated.h"
#include "math/vec.h"
#include "world/rigid_body.h"

namespace knead {

enum class Precision { single, real_double };
inline constexpr std::array<const char*, 2> enum_names(Precision) { return {"single", "double"}; }

struct Body {
  std::string name;
  int material = 0;  // index into World::materials
};

// Particles that a solver treats alike: one body, free or held by one pin. Column `group` points here.
struct Group {
  int body = 0;
  int pin = -1;  // index into World::colliders of the sticky collider that holds these particles, or -1
};

// A shape in the way. A pinned region is a sticky collider whose group of particles follows it exactly.
struct Collider {
  std::string name;
  ShapePointer shape;
  Motion motion;
  Contact contact = Contact::sticky;
  double friction = 0;  // Coulomb coefficient, for `separate`
  bool is_pin = false;
};

enum class FieldType { uniform, rotational, radial };
inline constexpr std::array<const char*, 3> enum_names(FieldType) { return {"uniform", "rotational", "radial"}; }

// Extra acceleration [m/s^2]: uniform: `vector`; rotational: strength * axis x (x - center) [strength in 1/s^2];
// radial: strength * (x - center) / |x - center| (negative pulls inwards).
struct Field {
  FieldType type = FieldType::uniform;
  Vec3d vector, center, axis{0, 1, 0};
  double strength = 0;
  double start = 0, end = std::numeric_limits<double>::infinity();
};
Vec3d acceleration(const Field& field, const Vec3d& x, double time);

struct Emitter {
  std::string name;
  ShapePointer shape;
  int body = 0;                          // emitted particles form a body of their own
  Vec3d velocity;                        // [m/s]
  std::optional<Animated<double>> rate;  // [m^3/s]; absent: the shape is kept full as particles leave with `velocity`
  double start = 0, end = std::numeric_limits<double>::infinity();
  std::uint64_t max_particles = std::numeric_limits<std::uint32_t>::max();
  double spacing = 0;  // [m]
};

struct Domain {
  Vec3d minimum, maximum;
  std::array<bool, 3> periodic{};  // the other axes delete what leaves
};

struct World {
  Precision precision = Precision::single;
  std::uint64_t seed = 1;
  Animated<Vec3d> gravity = Vec3d{0, -9.81, 0};
  std::vector<Material> materials;
  std::vector<std::function<Material(double time)>> animated_materials;  // empty function: constant
  std::vector<Body> bodies;
  std::vector<Group> groups;
  std::vector<Collider> colliders;
  std::vector<RigidBody> rigid_bodies;
  std::vector<Field> fields;
  std::vector<Emitter> emitters;
  std::optional<Domain> domain;
};

}  // namespace knead
