#include "solvers/sph/boundary.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "base/threads.h"
#include "solvers/sph/pairs.h"

namespace knead {

namespace {

constexpr int tile_cells = 8;           // spacings along a tile
constexpr int margin_cells = 4;         // around it, so that neighbouring tiles agree on who is there
constexpr double least_distance = 0.8;  // between samples, in spacings: random packing then has about one for each dx^2
constexpr std::int32_t farthest = 1 << 24;

const Shape& shape_of(const World& world, std::size_t owner) {
  const std::size_t colliders = world.colliders.size();
  return owner < colliders ? *world.colliders[owner].shape : *world.rigid_bodies[owner - colliders].shape;
}

double friction_of(Contact contact, double coefficient) {
  return contact == Contact::sticky ? sph_sticks : contact == Contact::slip ? 0 : coefficient;
}

// Moves x to where the distance is `level`, or as near to that as a thin part allows; false if there is no such place nearby.
bool project(const Shape& shape, double level, double dx, Vec3d& x) {
  double d = shape.distance(x);
  for (int k = 0; k < 6 && std::abs(d - level) > 0.01 * dx; ++k) {
    x += shape.normal(x) * (level - d);
    d = shape.distance(x);
  }
  return std::abs(d - level) < 0.05 * dx || (d < 0 && d > level - 0.5 * dx);
}

struct Candidate {
  Vec3d x;
  std::uint64_t rank;  // who stays when two are too near
};

// Points that a finer lattice around the tile gives when moved to the surface. Those of the lattice of spacing dx come first, so that
// walls along the axes get a square lattice.
std::vector<Candidate> candidates(const Shape& shape, double dx, const std::array<std::int32_t, 3>& tile, std::uint64_t seed) {
  std::vector<Candidate> found;
  const double level = -0.5 * dx, reach = 0.51 * dx;
  const int first = -margin_cells, last = tile_cells + margin_cells, coarse = 2;
  for (int z = first; z < last; z += coarse)
    for (int y = first; y < last; y += coarse)
      for (int x = first; x < last; x += coarse) {
        const Vec3d corner =
            Vec3d{double(tile[0]) * tile_cells + x, double(tile[1]) * tile_cells + y, double(tile[2]) * tile_cells + z} * dx;
        const double half = 0.5 * coarse * dx;
        if (std::abs(shape.distance(corner + Vec3d{half, half, half}) - level) > std::sqrt(3.0) * half + reach) continue;
        for (int k = 0; k < 8 * coarse * coarse * coarse; ++k) {
          const int n = 2 * coarse, a = k % n, b = k / n % n, c = k / n / n;
          Vec3d place = corner + Vec3d{a + 0.5, b + 0.5, c + 0.5} * (0.5 * dx);
          place = place + Vec3d{0.25, 0.25, 0.25} * dx;  // the even ones are the middles of cells, as bodies on a lattice have them
          if (!(std::abs(shape.distance(place) - level) <= reach)) continue;
          if (!project(shape, level, dx, place)) continue;
          const std::uint64_t odd = static_cast<std::uint64_t>((a & 1) + (b & 1) + (c & 1));
          const std::uint64_t number = static_cast<std::uint64_t>(((tile[2] * tile_cells + z) * 2 + c + (1 << 20))) << 42 |
                                       static_cast<std::uint64_t>(((tile[1] * tile_cells + y) * 2 + b + (1 << 20)) & 0x1fffff) << 21 |
                                       static_cast<std::uint64_t>(((tile[0] * tile_cells + x) * 2 + a + (1 << 20)) & 0x1fffff);
          found.push_back({place, odd << 60 | mix_bits(number ^ mix_bits(seed)) >> 4});
        }
      }
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  return found;
}

// Walls that overlap would count twice in their corners: of the samples of two resting colliders at the same place the first stays, and
// what lies deep in another is not needed.
bool is_covered(const World& world, std::size_t owner, const Vec3d& x, double dx) {
  if (owner >= world.colliders.size() || world.colliders[owner].motion.moves()) return false;
  for (std::size_t other = 0; other < world.colliders.size(); ++other) {
    const Collider& collider = world.colliders[other];
    if (other == owner || collider.is_pin || collider.motion.moves() || collider.motion.release) continue;
    const double d = collider.shape->distance(x);
    if (d < -0.75 * dx || (d < -0.25 * dx && other < owner)) return true;
  }
  return false;
}

}  // namespace

template <class T> typename BoundarySampler<T>::Tile BoundarySampler<T>::sample(const World& world, const TileKey& key) const {
  Tile tile;
  const Shape& shape = shape_of(world, static_cast<std::size_t>(key[0]));
  const std::array<std::int32_t, 3> at{key[1], key[2], key[3]};
  const double edge = tile_cells * dx_;
  const Vec3d low = Vec3d{double(at[0]), double(at[1]), double(at[2])} * edge;
  const double center = shape.distance(low + Vec3d{0.5, 0.5, 0.5} * edge);
  if (std::abs(center) > edge * std::sqrt(3.0) / 2 + dx_) return tile;

  std::vector<Vec3d> kept;
  const int bins = tile_cells + 2 * margin_cells + 4;  // cubes of dx; projection may leave the margin
  std::vector<std::vector<std::uint32_t>> bin(static_cast<std::size_t>(bins * bins * bins));
  auto for_near = [&](const Vec3d& x, int reach, auto&& f) {
    int c[3];
    for (int axis = 0; axis < 3; ++axis) c[axis] = static_cast<int>(std::floor((x[axis] - low[axis]) / dx_)) + margin_cells + 2;
    for (int z = std::max(0, c[2] - reach); z <= std::min(bins - 1, c[2] + reach); ++z)
      for (int y = std::max(0, c[1] - reach); y <= std::min(bins - 1, c[1] + reach); ++y)
        for (int i = std::max(0, c[0] - reach); i <= std::min(bins - 1, c[0] + reach); ++i) {
          auto& list = bin[static_cast<std::size_t>((z * bins + y) * bins + i)];
          if (reach > 0 && list.empty()) continue;
          f(list);
        }
  };
  for (const Candidate& candidate : candidates(shape, dx_, at, world.seed + static_cast<std::uint64_t>(key[0]))) {
    bool room = true;
    for_near(candidate.x, 1, [&](const auto& list) {
      for (const std::uint32_t k : list) room &= length_squared(kept[k] - candidate.x) > least_distance * least_distance * dx_ * dx_;
    });
    if (!room) continue;
    for_near(candidate.x, 0, [&](auto& list) { list.push_back(static_cast<std::uint32_t>(kept.size())); });
    kept.push_back(candidate.x);
  }
  with_smoothing<double>(smoothing_, 2 * dx_, [&](const auto& kernel) {
    for (const Vec3d& x : kept) {
      const Vec3d r = (x - low) / edge;
      if (!(r.x >= 0 && r.x < 1 && r.y >= 0 && r.y < 1 && r.z >= 0 && r.z < 1)) continue;
      if (is_covered(world, static_cast<std::size_t>(key[0]), x, dx_)) continue;
      double sum = 0;
      for_near(x, 2, [&](const auto& list) {
        for (const std::uint32_t k : list) sum += kernel.W(length(kept[k] - x));
      });
      tile.points.push_back(x);
      tile.volume.push_back(plane_number(smoothing_) / sum);
    }
  });
  return tile;
}

template <class T> void BoundarySampler<T>::find_occupied(const Points<T>& particles) {
  const double inverse = 1 / (tile_cells * dx_);
  std::vector<std::vector<std::array<std::int32_t, 3>>> found((particles.count + sph_chunk - 1) / sph_chunk);
  for_sph_chunks(particles.count, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    auto& list = found[chunk];
    for (std::size_t i = begin; i < end; ++i) {
      std::array<std::int32_t, 3> tile;
      bool inside = true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double place = std::floor(static_cast<double>(particles.x[axis][i]) * inverse);
        inside = inside && std::abs(place) < farthest;  // false for NaN
        tile[axis] = inside ? static_cast<std::int32_t>(place) : 0;
      }
      if (inside && (list.empty() || list.back() != tile)) list.push_back(tile);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  });
  occupied_.clear();
  for (const auto& list : found) occupied_.insert(occupied_.end(), list.begin(), list.end());
  std::sort(occupied_.begin(), occupied_.end());
  occupied_.erase(std::unique(occupied_.begin(), occupied_.end()), occupied_.end());
}

// Tiles of the owner's own space that particles may be near.
template <class T> void BoundarySampler<T>::find_tiles(std::size_t owner, const Shape& shape, const Pose& pose) {
  const double edge = tile_cells * dx_, reach = 2 * dx_;
  const Bounds3 bounds = shape.bounds();
  for (const auto& tile : occupied_) {
    const Vec3d center = pose.invert(Vec3d{tile[0] + 0.5, tile[1] + 0.5, tile[2] + 0.5} * edge);
    std::int32_t low[3], high[3];
    bool near = true;
    for (int axis = 0; axis < 3; ++axis) {
      const Mat3d& R = pose.rotation;  // the tile in the owner's space is as wide as the sum over the rotated edges
      const double half = 0.5 * edge * (std::abs(R(0, axis)) + std::abs(R(1, axis)) + std::abs(R(2, axis))) + reach;
      const double from = std::max(center[axis] - half, bounds.minimum[axis]), to = std::min(center[axis] + half, bounds.maximum[axis]);
      near = near && from <= to && std::abs(from) < farthest * dx_ && std::abs(to) < farthest * dx_;
      if (!near) break;
      low[axis] = static_cast<std::int32_t>(std::floor(from / edge)), high[axis] = static_cast<std::int32_t>(std::floor(to / edge));
    }
    if (!near) continue;
    for (std::int32_t x = low[0]; x <= high[0]; ++x)
      for (std::int32_t y = low[1]; y <= high[1]; ++y)
        for (std::int32_t z = low[2]; z <= high[2]; ++z) active_.push_back({static_cast<std::int32_t>(owner), x, y, z});
  }
}

template <class T>
void BoundarySampler<T>::place(const World& world, const State& state, const Points<T>& particles, double time, SphBoundary<T>& boundary) {
  const std::size_t colliders = world.colliders.size(), owners = colliders + world.rigid_bodies.size();
  auto pose_at = [&](std::size_t owner) {
    return owner < colliders ? world.colliders[owner].motion.pose(time)
                             : pose_of(world.rigid_bodies[owner - colliders], state.rigid[owner - colliders]);
  };
  find_occupied(particles);
  active_.clear();
  for (std::size_t owner = 0; owner < owners; ++owner) {
    if (owner < colliders && (world.colliders[owner].is_pin || !world.colliders[owner].motion.active(time))) continue;
    find_tiles(owner, shape_of(world, owner), pose_at(owner));
  }
  std::sort(active_.begin(), active_.end());
  active_.erase(std::unique(active_.begin(), active_.end()), active_.end());
  std::vector<std::pair<const TileKey*, Tile*>> missing;
  for (const TileKey& key : active_) {
    const auto [entry, is_new] = tiles_.try_emplace(key);
    if (is_new) missing.push_back({&entry->first, &entry->second});
  }
  parallel_for(missing.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) *missing[k].second = sample(world, *missing[k].first);
  });

  const bool moving_tile = std::any_of(active_.begin(), active_.end(), [&](const TileKey& key) {
    const auto owner = static_cast<std::size_t>(key[0]);
    return owner >= colliders || world.colliders[owner].motion.moves();
  });
  if (!moving_tile && active_ == placed_) return;
  placed_ = active_;
  for (int axis = 0; axis < 3; ++axis) boundary.x[axis].clear(), boundary.v[axis].clear();
  boundary.volume.clear(), boundary.friction.clear(), boundary.owner.clear();
  std::size_t last = owners;
  Pose pose;
  for (const TileKey& key : active_) {
    const Tile& tile = tiles_.find(key)->second;
    if (tile.points.empty()) continue;
    const auto owner = static_cast<std::size_t>(key[0]);
    if (owner != last) pose = pose_at(owner), last = owner;
    const bool moving = owner >= colliders || world.colliders[owner].motion.moves();
    const Contact contact = owner < colliders ? world.colliders[owner].contact : world.rigid_bodies[owner - colliders].contact;
    const double coefficient = owner < colliders ? world.colliders[owner].friction : world.rigid_bodies[owner - colliders].friction;
    const T friction = static_cast<T>(friction_of(contact, coefficient));
    for (std::size_t k = 0; k < tile.points.size(); ++k) {
      const Vec3d x = moving ? pose.apply(tile.points[k]) : tile.points[k];
      const Vec3d v = owner >= colliders ? state.rigid[owner - colliders].velocity_at(x)
                      : moving           ? world.colliders[owner].motion.velocity_at(x, time)
                                         : Vec3d{};
      for (int axis = 0; axis < 3; ++axis) {
        boundary.x[axis].push_back(static_cast<T>(x[axis]));
        boundary.v[axis].push_back(static_cast<T>(v[axis]));
      }
      boundary.volume.push_back(static_cast<T>(tile.volume[k]));
      boundary.friction.push_back(friction);
      boundary.owner.push_back(static_cast<std::uint32_t>(owner));
    }
  }
}

template class BoundarySampler<float>;
template class BoundarySampler<double>;

}  // namespace knead
