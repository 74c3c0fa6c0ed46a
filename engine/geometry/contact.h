// Contact: one rule for grid nodes and for particles.
#pragma once
#include <array>

#include "math/vec.h"

namespace knead {

enum class Contact { sticky, slip, separate };
inline constexpr std::array<const char*, 3> enum_names(Contact) { return {"sticky", "slip", "separate"}; }

// The velocity after contact of what moves with `velocity` at a surface that moves with `surface_velocity`; `normal` is the
// unit normal out of the surface. Only `separate` knows friction: the stopped normal motion presses with an impulse per mass
// of -v_n, and Coulomb's law takes at most `friction` times that from the motion along the surface.
template <class S>
KNEAD_INLINE Vec3<S> contact_velocity(const Vec3<S>& velocity, const Vec3<S>& surface_velocity, const Vec3<S>& normal, Contact contact,
                                      S friction) {
  if (contact == Contact::sticky) return surface_velocity;
  const Vec3<S> relative = velocity - surface_velocity;
  const S normal_speed = dot(relative, normal);
  if (contact == Contact::separate && !(normal_speed < S(0))) return velocity;
  const Vec3<S> tangential = relative - normal * normal_speed;
  if (contact == Contact::slip || !(friction > S(0))) return surface_velocity + tangential;
  const S slip_speed = length(tangential), limit = -friction * normal_speed;
  if (slip_speed <= limit) return surface_velocity;  // inside the friction cone: sticks
  return surface_velocity + tangential * (S(1) - limit / slip_speed);
}

}  // namespace knead
