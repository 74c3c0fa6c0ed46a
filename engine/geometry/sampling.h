// Particles from shapes: where they are, and the volume that they share.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/parameters.h"
#include "geometry/shape.h"

namespace knead {

enum class SamplingMethod { grid, jitter, poisson };
inline constexpr std::array<const char*, 3> enum_names(SamplingMethod) { return {"grid", "jitter", "poisson"}; }

struct Sampling {
  SamplingMethod method = SamplingMethod::grid;
  std::optional<double> per_cell = {};
  std::optional<double> spacing = {};  // [m]
  template <class Visitor> void describe(Visitor& visit) {
    visit("method", method,
          {.text = "grid: a regular lattice; jitter: one random point per lattice cell; poisson: random points with a least distance."});
    visit("per_cell", per_cell,
          {.above = 0,
           .text = "Particles in a cube of edge dx; if neither this nor `spacing` is given, 8 in a solver with a grid and 1 in others."});
    visit("spacing", spacing, {.unit = "m", .above = 0, .text = "Each particle stands for about the cube of this."});
  }
};

// The spacing that is meant, for a solver with cells of size dx [m]. Throws InputError if both are given.
double sampling_spacing(const Sampling& sampling, double dx);

// About one point for each spacing^3 inside the shape; the same points whatever the number of threads. Throws InputError for a
// shape without bounds or with too many points. May be empty: the shape can slip through the lattice.
//   grid: the centres of a lattice that starts at the lowest corner of the bounds, so that a box of whole spacings is filled exactly
//   jitter: a uniformly random point of each lattice cell
//   poisson: see sample_poisson
std::vector<Vec3d> sample(const Shape& shape, SamplingMethod method, double spacing, std::uint64_t seed);

// Random points of which no two are closer than `radius` (a little less than `spacing`), and hardly anywhere room for one more.
struct PoissonPoints {
  std::vector<Vec3d> points;
  double radius = 0;  // [m]
};
PoissonPoints sample_poisson(const Shape& shape, double spacing, std::uint64_t seed);

// Volume of a bounded shape [m^3]: exact where the shape knows it, else by quadrature on cells not larger than `resolution` [m].
// Divided by the number of points it is the volume of each particle.
double shape_volume(const Shape& shape, double resolution);

}  // namespace knead
