#include "solvers/sph/rigid_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace knead {

namespace {

constexpr std::size_t most_points = 12;  // per pair
constexpr int most_iterations = 2000;
constexpr double infinity = std::numeric_limits<double>::infinity();

// One thing that a body may touch, in world coordinates.
struct Obstacle {
  const Shape* shape;
  Pose pose;
  double distance(const Vec3d& x) const { return shape->distance(pose.invert(x)); }
  Vec3d normal(const Vec3d& x) const { return pose.rotation * shape->normal(pose.invert(x)); }
};

double friction_of(Contact contact, double coefficient) {
  return contact == Contact::sticky ? infinity : contact == Contact::slip ? 0 : coefficient;
}

struct Touch {
  Vec3d x, normal;  // normal out of the obstacle
  double gap;
};

// Slides from a point of the surface to where it is nearest to the obstacle, not farther than the next point of the surface: between
// the points of a ball lies the one on which it rests. A step goes towards the obstacle, then back to the surface; far steps turn much.
Vec3d slide_to_nearest(const RigidBody& body, const Obstacle& own, const Obstacle& other, const Vec3d& start) {
  Vec3d x = start;
  double best = other.distance(x), reach = 4 * body.radius;
  for (int iteration = 0; iteration < 24 && reach > 1e-3 * body.spacing; ++iteration) {
    Vec3d y = x - other.normal(x) * reach;
    for (int k = 0; k < 3; ++k) y -= own.normal(y) * own.distance(y);
    const double gap = other.distance(y);
    const bool on_surface = std::abs(own.distance(y)) < 1e-6 * body.radius;
    if (!on_surface || length(y - start) > body.spacing || !(gap < best)) {
      reach /= 4;
      continue;
    }
    const bool done = best - gap < 1e-12 * body.radius;
    x = y, best = gap;
    if (done) break;
  }
  return x;
}

// The points of the surface that are closer to the obstacle than margin. The distance changes by no more than one walks, so that points
// near a far one need no look.
std::vector<std::uint32_t> near_points(const RigidBody& body, const Obstacle& own, const Obstacle& other, double margin) {
  std::vector<std::uint32_t> found;
  const Mat3d turn = transpose(other.pose.rotation) * own.pose.rotation;
  const Vec3d origin = other.pose.invert(own.pose.apply({}));
  Vec3d looked_at;
  double free = -1;
  for (std::uint32_t i = 0; i < body.points.size(); ++i) {
    const Vec3d X = turn * body.points[i] + origin;
    if (free > 0 && length_squared(X - looked_at) < free * free) continue;
    const double d = other.shape->distance(X);
    looked_at = X, free = d - margin;
    if (free < 0) found.push_back(i);
  }
  return found;
}

// Of the touches, a few that are far from each other in place or direction, outer ones first, and the deepest.
std::vector<Touch> spread(const std::vector<Touch>& all, double radius) {
  if (all.empty()) return {};
  Vec3d middle;
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    middle += all[i].x * (1.0 / static_cast<double>(all.size()));
    if (all[i].gap < all[deepest].gap) deepest = i;
  }
  std::vector<double> far;  // squared, in radii
  for (const Touch& touch : all) far.push_back(length_squared(touch.x - middle));
  std::size_t next = static_cast<std::size_t>(std::max_element(far.begin(), far.end()) - far.begin());
  far.assign(all.size(), infinity);
  std::vector<Touch> chosen;
  double lowest = infinity;
  while (chosen.size() + 1 < most_points && far[next] > 1e-4) {
    chosen.push_back(all[next]);
    lowest = std::min(lowest, all[next].gap);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double place = length_squared(all[i].x - chosen.back().x) / (radius * radius),
                   direction = length_squared(all[i].normal - chosen.back().normal);
      far[i] = std::min(far[i], place + direction);
    }
    next = static_cast<std::size_t>(std::max_element(far.begin(), far.end()) - far.begin());
  }
  if (all[deepest].gap < lowest - 1e-9 * radius) chosen.push_back(all[deepest]);
  return chosen;
}

// At an edge the direction out of the obstacle is a matter of rounding: it is taken at a place somewhat inside the body, where it is clear.
Touch touch_at(const RigidBody& body, const Obstacle& other, const Vec3d& x, const Vec3d& body_normal) {
  return {x, other.normal(x - body_normal * (0.5 * body.spacing)), other.distance(x)};
}

std::vector<Touch> touches(const RigidBody& body, const Obstacle& own, const Obstacle& other, double margin) {
  std::vector<Touch> all;
  for (const std::uint32_t i : near_points(body, own, other, margin))
    all.push_back(touch_at(body, other, own.pose.apply(body.points[i]), own.pose.rotation * body.normals[i]));
  std::vector<Touch> few = spread(all, body.radius);
  for (Touch& touch : few) {
    const Vec3d x = slide_to_nearest(body, own, other, touch.x);
    if (x == touch.x) continue;
    touch = touch_at(body, other, x, own.normal(x));
  }
  return spread(few, body.radius);
}

class Finder {
 public:
  Finder(const World& world, const std::vector<RigidState>& rigid, double time, double dt)
      : world_(world), rigid_(rigid), time_(time), dt_(dt) {
    for (std::size_t i = 0; i < rigid.size(); ++i)
      own_.push_back({world.rigid_bodies[i].shape.get(), pose_of(world.rigid_bodies[i], rigid[i])});
  }

  std::vector<RigidContact> find() {
    for (std::size_t a = 0; a < rigid_.size(); ++a) {
      for (std::size_t c = 0; c < world_.colliders.size(); ++c) with_collider(a, c);
      for (std::size_t b = 0; b < a; ++b) with_body(a, b);
    }
    return std::move(contacts_);
  }

 private:
  double speed(std::size_t i) const {
    return length(rigid_[i].velocity) + length(rigid_[i].angular_velocity) * world_.rigid_bodies[i].radius;
  }

  void with_collider(std::size_t a, std::size_t c) {
    const Collider& collider = world_.colliders[c];
    if (collider.is_pin || !collider.motion.active(time_)) return;
    const RigidBody& body = world_.rigid_bodies[a];
    const Obstacle other{collider.shape.get(), collider.motion.pose(time_)};
    const double moved = collider.motion.moves() ? length(collider.motion.velocity_at(rigid_[a].position, time_)) : 0;
    const double margin = 0.01 * body.radius + 2 * dt_ * (speed(a) + moved);
    if (other.distance(rigid_[a].position) > body.radius + margin) return;
    const double friction = std::max(friction_of(body.contact, body.friction), friction_of(collider.contact, collider.friction));
    for (const Touch& touch : touches(body, own_[a], other, margin)) {
      RigidContact contact = contact_at(a, touch, friction);
      contact.collider = static_cast<int>(c);
      contact.surface_velocity = collider.motion.velocity_at(touch.x, time_);
      contacts_.push_back(contact);
    }
  }

  // Points of both against the other; where they are the same, one of them is enough.
  void with_body(std::size_t a, std::size_t b) {
    const RigidBody &first = world_.rigid_bodies[a], &second = world_.rigid_bodies[b];
    const double smaller = std::min(first.radius, second.radius), margin = 0.01 * smaller + 2 * dt_ * (speed(a) + speed(b));
    const double apart = length(rigid_[a].position - rigid_[b].position);
    if (apart > first.radius + second.radius + margin || own_[b].distance(rigid_[a].position) > first.radius + margin) return;
    std::vector<Touch> all = touches(first, own_[a], own_[b], margin);
    for (Touch touch : touches(second, own_[b], own_[a], margin)) {
      touch.normal = -touch.normal;
      all.push_back(touch);
    }
    const double friction = std::max(friction_of(first.contact, first.friction), friction_of(second.contact, second.friction));
    for (const Touch& touch : spread(all, smaller)) {
      RigidContact contact = contact_at(a, touch, friction);
      contact.b = static_cast<int>(b);
      contacts_.push_back(contact);
    }
  }

  static RigidContact contact_at(std::size_t a, const Touch& touch, double friction) {
    RigidContact contact;
    contact.a = static_cast<int>(a);
    contact.point = touch.x, contact.normal = touch.normal, contact.gap = touch.gap, contact.friction = friction;
    return contact;
  }

  const World& world_;
  const std::vector<RigidState>& rigid_;
  double time_, dt_;
  std::vector<Obstacle> own_;
  std::vector<RigidContact> contacts_;
};

// Velocities of the bodies, and what impulses do to them.
class Velocities {
 public:
  Velocities(const World& world, std::vector<RigidState>& rigid) : rigid_(rigid) {
    for (std::size_t i = 0; i < rigid.size(); ++i) {
      const RigidBody& body = world.rigid_bodies[i];
      inverse_mass_.push_back(1 / body.mass);
      inverse_inertia_.push_back(inverse_inertia_of(body, rigid[i]));
    }
  }

  Vec3d relative(const RigidContact& c) const {
    const Vec3d other = c.b < 0 ? c.surface_velocity : rigid_[index(c.b)].velocity_at(c.point);
    return rigid_[index(c.a)].velocity_at(c.point) - other;
  }
  void push(const RigidContact& c, const Vec3d& impulse) {
    push(index(c.a), c.point, impulse);
    if (c.b >= 0) push(index(c.b), c.point, -impulse);
  }
  // Change of the relative velocity along u by a unit impulse along v.
  double response(const RigidContact& c, const Vec3d& u, const Vec3d& v) const {
    return response(index(c.a), c.point, u, v) + (c.b >= 0 ? response(index(c.b), c.point, u, v) : 0);
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  void push(std::size_t i, const Vec3d& x, const Vec3d& impulse) {
    rigid_[i].velocity += impulse * inverse_mass_[i];
    rigid_[i].angular_velocity += inverse_inertia_[i] * cross(x - rigid_[i].position, impulse);
  }
  double response(std::size_t i, const Vec3d& x, const Vec3d& u, const Vec3d& v) const {
    const Vec3d arm = x - rigid_[i].position;
    return inverse_mass_[i] * dot(u, v) + dot(cross(arm, u), inverse_inertia_[i] * cross(arm, v));
  }

  std::vector<RigidState>& rigid_;
  std::vector<double> inverse_mass_;
  std::vector<Mat3d> inverse_inertia_;
};

// A contact with what does not change while impulses are sought.
struct Solve {
  Vec3d t[2];             // along the surface
  double normal_mass;     // [kg]
  double tangent_mass;    // the least in any direction along the surface [kg]
  double target;          // least normal velocity [m/s]
  double along[2]{0, 0};  // impulses along t [N s]
};

Solve prepare(const RigidContact& c, const Velocities& velocities, double target) {
  Solve solve;
  const Vec3d& n = c.normal;
  const Vec3d aside = std::abs(n.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  solve.t[0] = normalized(cross(n, aside)), solve.t[1] = cross(n, solve.t[0]);
  solve.normal_mass = 1 / velocities.response(c, n, n);
  const double xx = velocities.response(c, solve.t[0], solve.t[0]), xy = velocities.response(c, solve.t[0], solve.t[1]),
               yy = velocities.response(c, solve.t[1], solve.t[1]);
  solve.tangent_mass = 2 / (xx + yy + std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy));
  solve.target = target;
  return solve;
}

// Each returns the largest change of velocity that it made [m/s].
double press(RigidContact& c, Solve& solve, Velocities& velocities) {
  const double missing = solve.target - dot(velocities.relative(c), c.normal);
  const double total = std::max(0.0, c.normal_impulse + missing * solve.normal_mass), change = total - c.normal_impulse;
  if (change == 0) return 0;
  c.normal_impulse = total;
  velocities.push(c, c.normal * change);
  return std::abs(change) / solve.normal_mass;
}

// A step against the motion along the surface, then back into the friction cone. With one mass for all directions the impulse that
// stays on the cone is exactly opposite to the motion, as Coulomb's law says; with the inverse of the 2x2 response it is not.
double rub(RigidContact& c, Solve& solve, Velocities& velocities) {
  const Vec3d v = velocities.relative(c);
  double first = solve.along[0] - solve.tangent_mass * dot(v, solve.t[0]),
         second = solve.along[1] - solve.tangent_mass * dot(v, solve.t[1]);
  const double size = std::sqrt(first * first + second * second);
  const double limit = c.normal_impulse > 0 ? c.friction * c.normal_impulse : 0;
  if (size > limit) first *= limit / size, second *= limit / size;
  const Vec3d change = solve.t[0] * (first - solve.along[0]) + solve.t[1] * (second - solve.along[1]);
  solve.along[0] = first, solve.along[1] = second;
  velocities.push(c, change);
  return length(change) / solve.tangent_mass;
}

template <class Target>
void iterate(const World& world, std::vector<RigidState>& rigid, std::vector<RigidContact>& contacts, bool with_friction, Target&& target) {
  Velocities velocities(world, rigid);
  std::vector<Solve> solves;
  for (const RigidContact& c : contacts) solves.push_back(prepare(c, velocities, target(c)));
  double first = 0;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    double change = 0;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      if (with_friction && contacts[i].friction > 0) change = std::max(change, rub(contacts[i], solves[i], velocities));
      change = std::max(change, press(contacts[i], solves[i], velocities));
    }
    first = std::max(first, change);
    if (change <= 1e-10 * first) break;
  }
  for (std::size_t i = 0; i < contacts.size(); ++i)
    contacts[i].impulse =
        contacts[i].normal * contacts[i].normal_impulse + solves[i].t[0] * solves[i].along[0] + solves[i].t[1] * solves[i].along[1];
}

}  // namespace

std::vector<RigidContact> find_contacts(const World& world, const std::vector<RigidState>& rigid, double time, double dt) {
  return Finder(world, rigid, time, dt).find();
}

void solve_contacts(const World& world, std::vector<RigidState>& rigid, std::vector<RigidContact>& contacts, double dt) {
  iterate(world, rigid, contacts, true, [&](const RigidContact& c) { return -std::max(c.gap, 0.0) / dt; });
}

std::vector<RigidState> separating_motion(const World& world, const std::vector<RigidState>& rigid,
                                          const std::vector<RigidContact>& contacts, double dt) {
  constexpr double share = 0.2;  // of the depth that one step takes away
  constexpr double slop = 1e-4;  // of the radius: a depth that is left alone
  std::vector<RigidState> apart = rigid;
  for (RigidState& state : apart) state.velocity = state.angular_velocity = {};
  std::vector<RigidContact> deep;
  for (const RigidContact& c : contacts) {
    const double radius = world.rigid_bodies[static_cast<std::size_t>(c.a)].radius;
    if (c.gap >= -slop * radius) continue;
    deep.push_back(c);
    deep.back().normal_impulse = 0, deep.back().surface_velocity = {};
  }
  if (deep.empty()) return apart;
  iterate(world, apart, deep, false, [&](const RigidContact& c) {
    const double radius = world.rigid_bodies[static_cast<std::size_t>(c.a)].radius;
    return std::min(share * (-c.gap - slop * radius), 0.02 * radius) / dt;
  });
  return apart;
}

}  // namespace knead
