// The colliders and rigid bodies of a run for the page: planes as planes, everything else as triangles, with the poses of those that move.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "scene/run_folder.h"

namespace knead::viewer {

nlohmann::json collider_meshes(const RunFolder& run);

}  // namespace knead::viewer
