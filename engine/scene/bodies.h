// Bodies to particles. Internal to this room.
#pragma once
#include "base/error.h"
#include "scene/description.h"
#include "scene/source.h"
#include "simulation/simulation.h"

namespace knead {

// Runs `make`, and puts file, line and path before whatever is wrong there.
template <class Make> auto at_place(const SceneSpec& spec, const Path& path, Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const InputError& error) {
    throw spec.source->error(path, error.what());
  }
}

// Adds body `index`, its pins and its particles to the simulation.
void add_body(const SceneSpec& spec, std::size_t index, int material, Simulation& simulation);

}  // namespace knead
