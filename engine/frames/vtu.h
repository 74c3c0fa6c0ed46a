// Frames as VTK's XML unstructured grids, which every ParaView reads, and the list of them that it plays.
//
// A vertex cell per particle; the columns under their names, raw and little-endian behind the XML text. frames.pvd names all
// frames up to this one with their times, which are even: written anew as a whole after each frame, so that a resumed run
// leaves the same bytes.
#pragma once
#include <string>

#include "frames/frame.h"

namespace knead {

void write_vtu(const Frame& frame, const std::string& path);        // throws SimulationError when the file cannot be written
void write_pvd(const Frame& latest, const std::string& directory);  // DIR/frames.pvd, for the frames 0 to latest.index

}  // namespace knead
