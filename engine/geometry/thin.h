// Bodies that are one particle thick: sheets and rods.
#pragma once
#include <vector>

#include "geometry/shapes.h"

namespace knead {

// True for a sheet or a rod, which have no inside: only particles can make a body of them.
bool is_thin(const ShapeSpec& spec);

// Points of a sheet or a rod, `spacing` [m] apart: rows along both edges, or along the line, as many as fit best, with what is left over
// shared by both ends. Each stands for spacing^3. InputError where edges are not at right angles, or where there is no extent.
std::vector<Vec3d> sample_thin(const ShapeSpec& spec, double spacing);

}  // namespace knead
