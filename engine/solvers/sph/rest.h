// Elastic solids at rest: who is whose neighbour, and all that follows from it once and for all. Places are in an order of their own,
// along a Morton curve through the rest positions; a place finds its particle through the particle's id.
#pragma once
#include <vector>

#include "math/vec.h"
#include "solvers/sph/elastic_kernels.h"
#include "spatial/smoothing.h"
#include "world/state.h"
#include "world/world.h"

namespace knead {

inline constexpr std::int32_t nowhere = -1;

// A place whose neighbours do not span space, or whose gradients are not corrected: sum_j V_j x_ji (x) L grad W_ij is not I.
template <class T> struct Deficit {
  Mat3<T> missing;  // I minus that sum
  int rank;         // of the moment matrix: 2 on a sheet, 1 on a strand, 3: only uncorrected
};

template <class T> struct RestShape {
  struct Options {
    double support;  // H [m]
    SmoothingType smoothing;
    bool corrected;
  };
  void build(const World& world, const State& state, const Options& options);
  // Whether the elastic particles of State are still those it was built for: ids are never used twice.
  bool fits(const State& state) const { return built && state.count == particles_then && state.next_id == next_id_then; }
  std::size_t count() const { return id.size(); }
  std::int32_t place_of(std::uint32_t particle_id) const { return particle_id < place_of_id.size() ? place_of_id[particle_id] : nowhere; }

  std::vector<std::uint32_t> id, body;
  std::vector<T> X;                // rest positions, 4 per place [m]
  std::vector<T> volume;           // [m^3]
  std::vector<std::size_t> first;  // pairs of a place
  std::vector<RestPair<T>> pairs;
  // In single precision, where every page is near few others (else empty):
  std::vector<PackedPair> packed;
  std::vector<std::uint32_t> pages, first_page;
  T packed_scale = 1;                 // gradients in `pairs` are whole multiples of this in single precision [1/m]
  std::vector<T> gradient_sum;        // s_i = sum_j V_j grad W_ij, 4 per place
  std::vector<Mat3<T>> L;             // eq. 1, symmetric
  std::vector<std::int32_t> deficit;  // per place: index into `deficits`, or nowhere
  std::vector<Deficit<T>> deficits;
  // The diagonal block of the stiffness is (G q + (K + G/3) Q) where all rotations are I: q, then Q as xx, yy, zz, xy, yz, zx [m]
  std::vector<T> diagonal;
  std::vector<std::int32_t> place_of_id;

 private:
  void collect(const World& world, const State& state, double support);
  void connect(const Options& options);
  void round_gradients();
  void pack();
  void correct(bool corrected);
  void sum_diagonal();

  bool built = false;
  std::size_t particles_then = 0;
  std::uint32_t next_id_then = 0;
};

}  // namespace knead
