// What the phases of an SPH step share: particles in the order of State, samples of the boundary, who is near whom.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "world/world.h"

namespace knead {

struct NeighbourLists;

// Bits of SphParticles::kind.
inline constexpr std::uint8_t sph_fluid = 1;    // `eos`, or a solid whose moduli are all zero now
inline constexpr std::uint8_t sph_elastic = 2;  // shear or bulk modulus > 0 now
inline constexpr std::uint8_t sph_held = 4;     // follows a pin

template <class T> struct SphParticles {
  std::size_t count = 0;
  T *x[3], *v[3];         // columns of State, which the step has sorted
  const T* mass;          // [kg]
  const T* volume;        // at rest [m^3]
  const T* rest_density;  // [kg/m^3]
  const std::uint16_t* group;
  const std::uint8_t* kind;
  T support;  // H, the radius of the kernel [m]
};

// Samples of the surfaces of colliders and rigid bodies, in world space.
inline constexpr double sph_sticks = 1e6;  // friction coefficient of what holds on

template <class T> struct SphBoundary {
  std::vector<T> x[3], v[3], volume, friction;
  std::vector<std::uint32_t> owner;  // index of the collider, or the number of colliders plus that of the rigid body
  std::size_t size() const { return volume.size(); }
};

template <class T> struct SphContext {
  const World* world;
  SphParticles<T> particles;
  const SphBoundary<T>* boundary;
  const NeighbourLists* fluid;  // particles near a particle
  const NeighbourLists* wall;   // samples of the boundary near a particle
  double time, dt;
  double full_dt = 0;                              // an automatic step from here on [s]; 0: dt
  const std::vector<RigidState>* rigid = nullptr;  // of World::rigid_bodies
};

}  // namespace knead
