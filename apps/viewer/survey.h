// What a run's particles span, from a sample of them: where they are, and the usual range of every attribute.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "frames/run_frames.h"

namespace knead::viewer {

// { "minimum": [x, y, z], "maximum": [x, y, z], "attributes": { NAME: [1st percentile, 99th percentile] } }, of some evenly spread
// frames and of some thousand particles of each: quick for runs of any length. Frames that cannot be read are passed over.
nlohmann::json survey_frames(const std::vector<FrameFile>& frames);

}  // namespace knead::viewer
