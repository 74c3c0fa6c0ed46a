// Contact in an implicit step: velocities of grid nodes that colliders prescribe, whole or along a normal, and reactions that decide
// which of them hold.
#pragma once
#include <vector>

#include "solvers/mpm/grid_contact.h"

namespace knead {

// One collider at a node.
struct ContactSide {
  std::size_t collider = 0;
  Contact kind = Contact::sticky;
  double friction = 0;
  Vec3d normal, velocity;  // of the surface
  bool pressed = false;    // a prescribed velocity, as opposed to one that may leave
};

struct NodeContact {
  std::size_t at = 0;  // of the node's first component in the grid
  int sides = 0;
  ContactSide side[3];
  bool sticks = false;        // friction holds a pressed node altogether
  Vec3d friction;             // impulse on a sliding one
  int changes = 0;            // of its state in this step
  int directions = 0;         // in which the velocity is prescribed
  Vec3d direction[3];         // orthonormal
  double prescribed[3] = {};  // velocity along each

  void prescribe();                   // directions from the sides
  Vec3d along(const Vec3d& v) const;  // the part of v in the prescribed directions
};

template <class T> class GridContacts {
 public:
  // All nodes with mass inside of a collider; which sides press follows from the velocities in `grid`.
  void find(const World& world, const BlockGrid& blocks, const Lattice& lattice, double time, const std::vector<T>& speed_squared,
            const T* grid);
  bool empty() const { return nodes_.empty(); }
  // Makes the velocities what they are prescribed to be; `change` (may be null) receives the differences.
  void impose(T* grid, T* change) const;
  // Presses and releases, sticks and slides, from the impulse that is out of balance at each node. True if anything changed. A node that
  // cannot decide keeps its state after a few changes, so that the iteration can converge.
  bool update(const T* residual, const T* grid);
  void add_friction(T* residual) const;
  void project(T* vector) const;  // onto what is free
  void add_prescribed(const T* scalar,
                      T* vector) const;  // to each component the scalar of the node, times the share of it that is prescribed
  // Force on each collider, and work on the material, from the unbalanced impulses without friction.
  ContactResult result(const World& world, const T* residual, double dt) const;

 private:
  std::vector<NodeContact> nodes_;
};

}  // namespace knead
