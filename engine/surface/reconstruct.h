// Particles of a fluid or of grains to a smooth closed surface.
#pragma once
#include <span>

#include "geometry/mesh_write.h"

namespace knead {

struct Reconstruction {
  double spacing = 1;  // between particles at rest [m]
  double voxel = 0.5;  // lattice distance [m]
  double radius = 2;   // of a particle's bump inside the fluid, in spacings
  int smooth = 16;     // passes of the filter that takes ripples off the mesh
};

// The lattice has its points at whole multiples of `voxel` in the world, and nothing is scaled to the frame at hand: what rests gives
// the same surface in every frame. The same mesh whatever the number of threads. Points that are not
// finite, or a million spacings away from the others, are left out.
SurfaceMesh reconstruct(std::span<const Vec3f> points, const Reconstruction& settings);

}  // namespace knead
