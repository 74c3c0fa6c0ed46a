// Frames as OpenVDB files, for Houdini, Blender and what else reads volumes.
//
//   density           fog volume of all bodies: the share of space that is filled, near 1 inside and 0 in the air
//   density_BODY      the same of one body, where there are several
//   points_BODY       the particles as a point grid, with every column as an attribute under its name: v (velocity), id, J, ...
//
// Blender shows fog volumes and skips point grids; Houdini reads both. Names of bodies are made identifiers ("red ring" is
// red_ring). A voxel is as wide as two particles at rest. The file is made in memory, because OpenVDB puts a random number in it,
// which is made the same in all: the same run gives the same bytes.
#pragma once
#include <string>

#include "frames/frame.h"

namespace knead {

void write_vdb(const Frame& frame, const std::string& path);  // throws SimulationError when the file cannot be written

}  // namespace knead
