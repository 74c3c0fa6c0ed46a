// Frames as USD in text form: a Points prim per body, /knead/BODY.
//
//   points, velocities [m, m/s], widths (the spacing at rest), ids, extent; the other columns as primvars of the same name
//   with interpolation vertex, elementSize 6 or 9 for stress and F
//
// The values of frame 42 are time samples at time code 42, so that its file can be looked at alone, and so that frames.usda can
// string the files together as value clips. Clips rather than one file with all samples: appending a frame does not rewrite the
// others, a viewer opens only the frame that it shows, and the library itself resolves them, so that every program that is built
// on it reads them. frames/frame_manifest.usda lists what the clips hold; without it the library would open all of them to see.
#pragma once
#include <string>

#include "frames/frame.h"

namespace knead {

void write_usda(const Frame& frame, const std::string& path);               // throws SimulationError when the file cannot be written
void write_usda_series(const Frame& latest, const std::string& directory);  // DIR/frames.usda, for the frames 0 to latest.index

}  // namespace knead
