// What makes a raw mesh fit to be shown: small cavities filled, ripples smoothed, normals.
#pragma once
#include <cstdint>
#include <vector>

#include "geometry/mesh_write.h"

namespace knead {

// Removes closed parts that enclose less than `least` of empty space: bubbles between particles that nobody meant.
void fill_small_cavities(std::vector<Vec3f>& positions, std::vector<Triangle>& triangles, double least);

// Moves each vertex towards the mean of its neighbours and back again a little farther (Taubin's filter), `passes` times: ripples of a
// few edges go, the volume stays, and the two sides of a thin sheet do not come closer. Closed parts of less volume than `drop`, which
// are all ripple to the filter, are moved the less the smaller they are.
void smooth_ripples(std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles, int passes, double drop);

// Unit normals: of the triangles around each vertex, weighted by area. (0, 1, 0) where they cancel.
std::vector<Vec3f> vertex_normals(const std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles);

}  // namespace knead
