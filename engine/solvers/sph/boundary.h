// Samples of the surfaces of colliders and rigid bodies, half a spacing below them, where a lattice of particles would go on; each
// stands for a volume (Akinci et al. 2012). Surfaces are sampled where particles are, tile by tile, in the pose at time 0.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "solvers/sph/particles.h"
#include "spatial/neighbours.h"
#include "spatial/smoothing.h"
#include "world/state.h"

namespace knead {

template <class T> class BoundarySampler {
 public:
  BoundarySampler(double dx, SmoothingType smoothing) : dx_(dx), smoothing_(smoothing) {}

  // All samples near `particles` at `time`, in an order that depends on places alone. `boundary` is that of the last call.
  void place(const World& world, const State& state, const Points<T>& particles, double time, SphBoundary<T>& boundary);

 private:
  using TileKey = std::array<std::int32_t, 4>;  // owner, then the tile's coordinates
  struct Tile {
    std::vector<Vec3d> points;
    std::vector<double> volume;
  };
  void find_occupied(const Points<T>& particles);
  void find_tiles(std::size_t owner, const Shape& shape, const Pose& pose);
  Tile sample(const World& world, const TileKey& key) const;

  double dx_;
  SmoothingType smoothing_;
  std::map<TileKey, Tile> tiles_;                      // a function of the key and the world alone
  std::vector<std::array<std::int32_t, 3>> occupied_;  // tiles of world space that hold particles
  std::vector<TileKey> active_, placed_;               // now; in the samples as they were placed last
};

}  // namespace knead
