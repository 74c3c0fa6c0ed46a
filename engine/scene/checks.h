// What the schema cannot say: names that must match, sizes that must fit, and what the chosen solver can do.
#pragma once
#include "scene/description.h"

namespace knead {

class Errors;

void check_scene(const SceneSpec& spec);                             // InputError for what makes no sense in any solver
void check_solver_available(const SceneSpec& spec, Errors& errors);  // the solver's type alone; comes first
void check_available(const SceneSpec& spec);                         // InputError "not available in this solver: ..."

}  // namespace knead
