#include "solvers/mpm/grid_contact.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "geometry/contact.h"

namespace knead {

Vec3d node_position(const Lattice& lattice, const BlockCoordinates& block, int node) {
  const int x = block_size * block[0] + node / 16, y = block_size * block[1] + node / 4 % 4, z = block_size * block[2] + node % 4;
  return lattice.origin + Vec3d{double(x), double(y), double(z)} * lattice.dx;
}

// Distances are 1-Lipschitz.
bool comes_near(const Collider& collider, const Pose& pose, const Lattice& lattice, const BlockCoordinates& block) {
  const Vec3d center = node_position(lattice, block, 0) + Vec3d{1.5, 1.5, 1.5} * lattice.dx;
  return collider.shape->distance(pose.invert(center)) <= 1.5 * std::sqrt(3.0) * lattice.dx;
}

namespace {

struct ActiveCollider {
  const Collider* collider;
  std::size_t index;
  Pose pose;
};

// The part of the world that one block of nodes meets.
template <class T> struct BlockContact {
  const Lattice& lattice;
  const BlockCoordinates& block;
  double time, dt;
  T* nodes;

  void apply_field(const Field& field, double& work) const {
    for (int node = 0; node < block_nodes; ++node) {
      T* v = nodes + 4 * node;
      if (!(v[3] > 0)) continue;
      const Vec3d change = acceleration(field, node_position(lattice, block, node), time) * dt;
      const Vec3d before{double(v[0]), double(v[1]), double(v[2])};
      work += double(v[3]) * (dot(before, change) + 0.5 * dot(change, change));
      for (int r = 0; r < 3; ++r) v[r] += static_cast<T>(change[r]);
    }
  }

  void apply_collider(const ActiveCollider& active, Vec3d& impulse, double& work) const {
    const Collider& collider = *active.collider;
    for (int node = 0; node < block_nodes; ++node) {
      T* v = nodes + 4 * node;
      if (!(v[3] > 0)) continue;
      const Vec3d x = node_position(lattice, block, node), X = active.pose.invert(x);
      if (collider.shape->distance(X) > 0) continue;
      const Vec3d before{double(v[0]), double(v[1]), double(v[2])}, surface = collider.motion.velocity_at(x, time);
      const Vec3d normal = collider.contact == Contact::sticky ? Vec3d{} : active.pose.rotation * collider.shape->normal(X);
      const Vec3d after = contact_velocity(before, surface, normal, collider.contact, collider.friction);
      const Vec3d change = (after - before) * double(v[3]);
      impulse -= change;
      work += dot(change, surface);
      for (int r = 0; r < 3; ++r) v[r] = static_cast<T>(after[r]);
    }
  }

  T fastest() const {
    T result = 0;
    for (int node = 0; node < block_nodes; ++node) {
      const T* v = nodes + 4 * node;
      const T speed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
      if (!(speed <= result)) result = speed;  // NaN stays
    }
    return result;
  }
};

}  // namespace

template <class T>
ContactResult apply_fields_and_contact(const World& world, const BlockGrid& blocks, const Lattice& lattice, double time, double dt, T* grid,
                                       std::vector<T>& speed_squared, bool with_colliders) {
  std::vector<ActiveCollider> colliders;
  for (std::size_t c = 0; with_colliders && c < world.colliders.size(); ++c)
    if (world.colliders[c].motion.active(time)) colliders.push_back({&world.colliders[c], c, world.colliders[c].motion.pose(time)});
  std::vector<const Field*> fields;
  for (const Field& field : world.fields)
    if (time >= field.start && time < field.end) fields.push_back(&field);

  ContactResult result;
  result.force.assign(world.colliders.size(), Vec3d{});
  if (colliders.empty() && fields.empty()) return result;

  constexpr std::size_t range = 64;  // blocks per partial sum
  const std::size_t count = blocks.blocks.size(), ranges = (count + range - 1) / range;
  std::vector<Vec3d> impulses(ranges * world.colliders.size());
  std::vector<double> works(ranges, 0.0);
  parallel_for(ranges, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r)
      for (std::size_t b = r * range; b < std::min(count, (r + 1) * range); ++b) {
        if (speed_squared[b] < 0) continue;  // no particle reaches this block
        const BlockContact<T> here{lattice, blocks.blocks[b], time, dt, grid + b * block_nodes * 4};
        bool changed = !fields.empty();
        for (const Field* field : fields) here.apply_field(*field, works[r]);
        for (const ActiveCollider& active : colliders)
          if (comes_near(*active.collider, active.pose, lattice, blocks.blocks[b])) {
            here.apply_collider(active, impulses[r * world.colliders.size() + active.index], works[r]);
            changed = true;
          }
        // A block that was not finite before stays marked as such.
        if (changed && speed_squared[b] == speed_squared[b]) speed_squared[b] = here.fastest();
      }
  });
  for (std::size_t r = 0; r < ranges; ++r) {
    result.work += works[r];
    for (std::size_t c = 0; c < world.colliders.size(); ++c) result.force[c] += impulses[r * world.colliders.size() + c] / dt;
  }
  return result;
}

template ContactResult apply_fields_and_contact(const World&, const BlockGrid&, const Lattice&, double, double, float*, std::vector<float>&,
                                                bool);
template ContactResult apply_fields_and_contact(const World&, const BlockGrid&, const Lattice&, double, double, double*,
                                                std::vector<double>&, bool);

}  // namespace knead
