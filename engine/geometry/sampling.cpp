#include "geometry/sampling.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "geometry/lattice.h"

namespace knead {

namespace {

// Fills one block: place(cell) is the point of a cell.
template <class Place>
void fill_block(const Shape& shape, const Lattice& lattice, const LatticeBlock& block, const Place& place, std::vector<Vec3d>& points) {
  const auto full = [&](const Cell& corner, int size) {
    for (int i = corner[0]; i < std::min(corner[0] + size, lattice.count[0]); ++i)
      for (int j = corner[1]; j < std::min(corner[1] + size, lattice.count[1]); ++j)
        for (int k = corner[2]; k < std::min(corner[2] + size, lattice.count[2]); ++k) points.push_back(place(Cell{i, j, k}));
  };
  // Points on the surface itself are left out, so that rounding does not decide about a whole face of them.
  const double margin = 1e-9 * lattice.spacing;
  const auto single = [&](const Cell& cell) {
    const Vec3d point = place(cell);
    if (shape.distance(point) < -margin) points.push_back(point);
  };
  if (block.is_full) full(block.corner, block_size);
  else descend(shape, lattice, block.corner, block_size, full, single);
}

template <class Place> std::vector<Vec3d> fill(const Shape& shape, const Lattice& lattice, const Place& place) {
  const std::vector<LatticeBlock> blocks = blocks_of(shape, lattice);
  std::vector<std::vector<Vec3d>> pieces(blocks.size());
  parallel_for(blocks.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) fill_block(shape, lattice, blocks[i], place, pieces[i]);
  });
  std::size_t count = 0;
  for (const auto& piece : pieces) count += piece.size();
  std::vector<Vec3d> points;
  points.reserve(count);
  for (const auto& piece : pieces) points.insert(points.end(), piece.begin(), piece.end());
  return points;
}

// Volume of the part of the unit cube around 0 where mean + a . x < 0, a_i >= 0: a sum over the corners of the cube
// (inclusion and exclusion of the tetrahedra that the plane cuts off beyond each).
double fraction_below_plane(double mean, Vec3d a) {
  const double largest = std::max({a.x, a.y, a.z});
  if (!(largest > 0)) return mean < 0 ? 1 : 0;
  for (int i = 0; i < 3; ++i) a[i] = std::max(a[i], 1e-4 * largest);  // the formula divides by each
  const double total = sum(a), alpha = total / 2 - mean;
  if (alpha <= 0) return 0;
  if (alpha >= total) return 1;
  if (alpha > total / 2) return 1 - fraction_below_plane(-mean, a);  // smaller terms cancel less
  double volume = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const double rest = alpha - ((corner & 1 ? a.x : 0) + (corner & 2 ? a.y : 0) + (corner & 4 ? a.z : 0));
    const bool odd = (corner ^ corner >> 1 ^ corner >> 2) & 1;
    if (rest > 0) volume += (odd ? -1 : 1) * rest * rest * rest;
  }
  return volume / (6 * a.x * a.y * a.z);
}

// Share of a cube inside the shape, the surface being a plane there. The mean over the six faces' centres equals the mean of the
// distance over the cube up to fourth order, so that the curvature of the surface is accounted for. Where the mean differs much
// from the middle there is an edge of the shape, and smaller cubes look closer, `splits` times.
double inside_share(const Shape& shape, const Vec3d& center, double size, int splits) {
  double mean = 0;
  Vec3d difference;
  for (int i = 0; i < 3; ++i) {
    Vec3d low = center, high = center;
    low[i] -= size / 2, high[i] += size / 2;
    const double a = shape.distance(low), b = shape.distance(high);
    mean += (a + b) / 6, difference[i] = std::abs(b - a);
  }
  if (splits == 0 || std::abs(mean) > size || std::abs(mean - shape.distance(center)) < 0.02 * size)
    return fraction_below_plane(mean, difference);
  double share = 0;
  for (int c = 0; c < 8; ++c)
    share += inside_share(shape, center + Vec3d{(c >> 2) - 0.5, (c >> 1 & 1) - 0.5, (c & 1) - 0.5} * (size / 2), size / 2, splits - 1) / 8;
  return share;
}

}  // namespace

double sampling_spacing(const Sampling& sampling, double dx) {
  if (sampling.spacing && sampling.per_cell) throw InputError("give either per_cell or spacing, not both.");
  return sampling.spacing ? *sampling.spacing : dx / std::cbrt(sampling.per_cell.value_or(8));
}

std::vector<Vec3d> sample(const Shape& shape, SamplingMethod method, double spacing, std::uint64_t seed) {
  if (!(spacing > 0) || !std::isfinite(spacing)) throw InputError("the spacing of particles must be greater than 0.");
  if (method == SamplingMethod::poisson) return sample_poisson(shape, spacing, seed).points;
  const Lattice lattice = lattice_over(shape, spacing);
  if (method == SamplingMethod::grid) return fill(shape, lattice, [&](const Cell& cell) { return lattice.center(cell); });
  return fill(shape, lattice, [&](const Cell& cell) {
    const std::uint64_t index = (static_cast<std::uint64_t>(cell[0]) << 32 | static_cast<std::uint64_t>(cell[1])) * 0x9e3779b97f4a7c15ull +
                                static_cast<std::uint64_t>(cell[2]);
    const Vec3d offset{random_uniform(seed, 0, index), random_uniform(seed, 1, index), random_uniform(seed, 2, index)};
    return lattice.origin + (Vec3d{double(cell[0]), double(cell[1]), double(cell[2])} + offset) * spacing;
  });
}

double shape_volume(const Shape& shape, double resolution) {
  if (const auto exact = shape.volume()) return *exact;
  const Bounds3 box = shape.bounds();
  const Vec3d size = box.maximum - box.minimum;
  const Lattice lattice = lattice_over(shape, std::min(resolution, std::max({size.x, size.y, size.z}) / 128));
  const std::vector<LatticeBlock> blocks = blocks_of(shape, lattice);
  std::vector<double> cells(blocks.size());  // inside each block
  parallel_for(blocks.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto full = [&](const Cell&, int length) { cells[i] += length * length * length; };
      const auto single = [&](const Cell& cell) { cells[i] += inside_share(shape, lattice.center(cell), lattice.spacing, 2); };
      if (blocks[i].is_full) full(blocks[i].corner, block_size);
      else descend(shape, lattice, blocks[i].corner, block_size, full, single);
    }
  });
  double total = 0;
  for (const double share : cells) total += share;
  return total * std::pow(lattice.spacing, 3);
}

}  // namespace knead
