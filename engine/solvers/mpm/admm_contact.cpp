#include "solvers/mpm/admm_contact.h"

#include <cmath>

#include "base/threads.h"

namespace knead {

namespace {

constexpr int most_changes = 6;

template <class T> Vec3d load(const T* vector, std::size_t at) {
  return {double(vector[at]), double(vector[at + 1]), double(vector[at + 2])};
}
template <class T> void store(T* vector, std::size_t at, const Vec3d& value) {
  for (int r = 0; r < 3; ++r) vector[at + static_cast<std::size_t>(r)] = static_cast<T>(value[r]);
}

bool meets(const ContactSide& side, const Vec3d& velocity) {
  return side.kind != Contact::separate || dot(velocity - side.velocity, side.normal) < 0;
}

// One side's friction at a node that presses with -r_n: what is out of balance along the surface is held up to the limit, and a node
// that slides turns to sticking when friction would drive it.
bool update_friction(NodeContact& node, const ContactSide& side, const Vec3d& unbalanced, const Vec3d& velocity) {
  const double pressing = std::max(-dot(unbalanced, side.normal), 0.0), limit = side.friction * pressing;
  const Vec3d along = unbalanced + side.normal * pressing;
  if (node.sticks) {
    const double needed = length(along);
    if (needed <= limit) return false;
    node.sticks = false;
    node.friction = along * (-limit / needed);
    return true;
  }
  const Vec3d relative = velocity - side.velocity, slip = relative - side.normal * dot(relative, side.normal);
  if (dot(slip, node.friction) > 0) {
    node.sticks = true;
    node.friction = {};
    return true;
  }
  const double speed = length(slip);
  if (speed > 0) node.friction = slip * (-limit / speed);
  return false;
}

// A guess from the velocities without stresses, as an explicit step would decide.
void start_friction(NodeContact& node, const Vec3d& velocity, double mass) {
  const ContactSide& side = node.side[0];
  if (node.sides > 1 || side.kind != Contact::separate || !(side.friction > 0) || !side.pressed) return;
  const Vec3d relative = velocity - side.velocity;
  const double approach = -dot(relative, side.normal), limit = side.friction * approach;
  const Vec3d slip = relative + side.normal * approach;
  const double speed = length(slip);
  node.sticks = speed <= limit;
  if (!node.sticks) node.friction = slip * (-limit * mass / speed);
}

}  // namespace

void NodeContact::prescribe() {
  directions = 0;
  auto add = [&](const Vec3d& wanted, const Vec3d& velocity) {
    Vec3d rest = wanted;
    double value = dot(wanted, velocity);
    for (int k = 0; k < directions; ++k) {
      const double part = dot(wanted, direction[k]);
      rest -= direction[k] * part;
      value -= part * prescribed[k];
    }
    const double size = length(rest);
    if (directions == 3 || size < 0.1) return;  // nearly the same direction as before
    direction[directions] = rest / size;
    prescribed[directions++] = value / size;
  };
  for (int s = 0; s < sides; ++s) {
    if (!side[s].pressed) continue;
    if (side[s].kind != Contact::sticky) add(side[s].normal, side[s].velocity);
    if (side[s].kind == Contact::sticky || sticks)
      for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) add(axis, side[s].velocity);
  }
}

Vec3d NodeContact::along(const Vec3d& v) const {
  if (directions == 3) return v;
  Vec3d sum;
  for (int k = 0; k < directions; ++k) sum += direction[k] * dot(direction[k], v);
  return sum;
}

template <class T>
void GridContacts<T>::find(const World& world, const BlockGrid& blocks, const Lattice& lattice, double time,
                           const std::vector<T>& speed_squared, const T* grid) {
  nodes_.clear();
  std::vector<Pose> poses;
  for (const Collider& collider : world.colliders) poses.push_back(collider.motion.pose(time));
  for (std::size_t b = 0; b < blocks.blocks.size(); ++b) {
    if (speed_squared[b] < 0) continue;
    NodeContact found[block_nodes];
    for (std::size_t c = 0; c < world.colliders.size(); ++c) {
      const Collider& collider = world.colliders[c];
      if (!collider.motion.active(time) || !comes_near(collider, poses[c], lattice, blocks.blocks[b])) continue;
      for (int n = 0; n < block_nodes; ++n) {
        const std::size_t at = 4 * (b * block_nodes + static_cast<std::size_t>(n));
        NodeContact& node = found[n];
        if (!(grid[at + 3] > T(1e-30)) || node.sides == 3) continue;
        const Vec3d x = node_position(lattice, blocks.blocks[b], n), X = poses[c].invert(x);
        if (collider.shape->distance(X) > 0) continue;
        node.at = at;
        ContactSide& side = node.side[node.sides++];
        side = {c, collider.contact, collider.friction, {}, collider.motion.velocity_at(x, time), false};
        if (collider.contact != Contact::sticky) side.normal = poses[c].rotation * collider.shape->normal(X);
        side.pressed = meets(side, load(grid, at));
      }
    }
    for (NodeContact& node : found)
      if (node.sides > 0) {
        start_friction(node, load(grid, node.at), double(grid[node.at + 3]));
        node.prescribe();
        nodes_.push_back(node);
      }
  }
}

template <class T> void GridContacts<T>::impose(T* grid, T* change) const {
  for (const NodeContact& node : nodes_) {
    const Vec3d before = load(grid, node.at);
    Vec3d after = before - node.along(before);
    for (int k = 0; k < node.directions; ++k) after += node.direction[k] * node.prescribed[k];
    if (node.directions == 0) after = before;
    store(grid, node.at, after);
    if (change) store(change, node.at, after - before);
  }
}

template <class T> bool GridContacts<T>::update(const T* residual, const T* grid) {
  bool changed = false;
  for (NodeContact& node : nodes_) {
    const Vec3d unbalanced = load(residual, node.at), velocity = load(grid, node.at);
    bool here = false;
    for (int s = 0; s < node.sides && node.changes < most_changes; ++s) {
      ContactSide& side = node.side[s];
      if (side.kind != Contact::separate) continue;
      const bool holds = side.pressed ? dot(unbalanced, side.normal) <= 0 : meets(side, velocity);
      if (holds != side.pressed) {
        side.pressed = holds;
        node.friction = {};
        node.sticks = node.sides == 1 && holds && side.friction > 0;
        here = true;
      } else if (holds && node.sides == 1 && side.friction > 0) {
        here = update_friction(node, side, unbalanced, velocity);
      }
    }
    if (here) {
      ++node.changes;
      node.prescribe();
    }
    changed = changed || here;
  }
  return changed;
}

template <class T> void GridContacts<T>::add_friction(T* residual) const {
  for (const NodeContact& node : nodes_) store(residual, node.at, load(residual, node.at) + node.friction);
}

template <class T> void GridContacts<T>::project(T* vector) const {
  parallel_for(nodes_.size(), 1024, [&](std::size_t first, std::size_t last) {
    for (std::size_t n = first; n < last; ++n) {
      const NodeContact& node = nodes_[n];
      if (node.directions == 3) store(vector, node.at, {});
      else if (node.directions > 0) {
        const Vec3d v = load(vector, node.at);
        store(vector, node.at, v - node.along(v));
      }
    }
  });
}

template <class T> void GridContacts<T>::add_prescribed(const T* scalar, T* vector) const {
  for (const NodeContact& node : nodes_)
    for (int k = 0; k < node.directions; ++k)
      for (std::size_t c = 0; c < 3; ++c)
        vector[node.at + c] += scalar[node.at / 4] * static_cast<T>(node.direction[k][int(c)] * node.direction[k][int(c)]);
}

template <class T> ContactResult GridContacts<T>::result(const World& world, const T* residual, double dt) const {
  ContactResult result;
  result.force.assign(world.colliders.size(), Vec3d{});
  for (const NodeContact& node : nodes_) {
    int holder = 0;
    while (holder < node.sides - 1 && !node.side[holder].pressed) ++holder;
    const ContactSide& side = node.side[holder];
    const Vec3d impulse = node.along(load(residual, node.at)) - node.friction;  // on the collider
    result.force[side.collider] += impulse / dt;
    result.work -= dot(impulse, side.velocity);
  }
  return result;
}

template class GridContacts<float>;
template class GridContacts<double>;

}  // namespace knead
