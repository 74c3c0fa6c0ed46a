// State to Frame: a copy of what a run shows, in the order of the particles' ids.
//
//   position, velocity     [m], [m/s]; positions lie inside the domain along its periodic axes
//   id, body               the particle's number for life, the index of its body in World::bodies
//   J                      current over rest volume: det F of a solid times exp(plastic_volume) where its flow law changes volume
//   density                rest density / J [kg/m^3]
//   pressure, von_mises    of the Cauchy stress tau / J, viscous part and the pressure of a solver that has its own included [Pa]; pressure is
//                          positive in compression
//   plastic_strain         accumulated [-], if some material of the run has one
// and on demand: F (elastic deformation gradient, of a fluid J^(1/3) I), stress (Cauchy: xx, yy, zz, xy, yz, zx [Pa]),
// C (the affine velocity field of APIC [1/s]), volume (current [m^3]).
// An inverted particle shows its negative J; density, stress and volume are then those of |J|, at least 1e-6.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "frames/frame.h"
#include "world/state.h"
#include "world/world.h"

namespace knead {

inline constexpr std::array<const char*, 4> extra_frame_attributes{"F", "stress", "C", "volume"};

// Throws InputError for an attribute that is not in the list above; those that every frame has may be named too.
Frame capture(const World& world, const State& state, int index, const std::vector<std::string>& extra_attributes = {});

}  // namespace knead
