// Emitters: between steps, new particles enter the State.
#pragma once
#include <cstddef>
#include <vector>

#include "world/state.h"
#include "world/world.h"

namespace knead {

// InputError when an emitter cannot work: nowhere to emit to, no bounds, no room inside.
void check_emitters(const World& world);

// Brings every emitter up to State::time; calling it twice at one time changes nothing. Returns the number of new particles.
// New particles are at rest elastically (F = I, J = 1) and move with the emitter's velocity; their kinetic and potential energy
// counts as external work.
std::size_t advance_emitters(const World& world, State& state);

// How many particles each emitter will have emitted at `end` [s], looked at in intervals of `interval` [s].
std::vector<std::size_t> count_emissions(const World& world, double end, double interval);

}  // namespace knead
