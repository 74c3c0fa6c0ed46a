// From a checked SceneSpec to a Simulation that is ready to run: shapes, particles, groups, colliders, solver.
#pragma once
#include "scene/description.h"
#include "simulation/simulation.h"

namespace knead {

// InputError, with file, line and path, for what shows only now: meshes that cannot be used, bodies without particles.
Simulation build_simulation(const SceneSpec& spec);

Material make_material(const MaterialSpec& spec, const std::string& name);

}  // namespace knead
