// Rigid bodies of a scene to those of the world. Internal to this room.
#pragma once
#include "scene/description.h"
#include "simulation/simulation.h"

namespace knead {

void add_rigid_bodies(const SceneSpec& spec, Simulation& simulation);

}  // namespace knead
