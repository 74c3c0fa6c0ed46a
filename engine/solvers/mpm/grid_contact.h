// What happens to grid velocities besides the material: force fields and contact with colliders.
#pragma once
#include <cstdint>
#include <vector>

#include "spatial/block_grid.h"
#include "world/world.h"

namespace knead {

struct ContactResult {
  std::vector<Vec3d> force;  // on each collider, mean over the step [N]
  double work = 0;           // done on the material by colliders and fields [J]
};

Vec3d node_position(const Lattice& lattice, const BlockCoordinates& block, int node);
// Whether the collider in this pose comes near the block at all.
bool comes_near(const Collider& collider, const Pose& pose, const Lattice& lattice, const BlockCoordinates& block);

// Applies fields, and then, unless an implicit step deals with them, colliders in their order, to the nodes (velocity, mass) of `grid`, at time `time`; speed_squared of the
// blocks that changed is brought up to date. Sums go over fixed ranges of blocks: the result is independent of threads.
template <class T>
ContactResult apply_fields_and_contact(const World& world, const BlockGrid& blocks, const Lattice& lattice, double time, double dt, T* grid,
                                       std::vector<T>& speed_squared, bool with_colliders = true);

}  // namespace knead
