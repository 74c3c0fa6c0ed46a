#include "geometry/mass_properties.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/threads.h"
#include "geometry/lattice.h"

namespace knead {

namespace {

// Integrals of 1, x and x x^T.
struct Moments {
  double volume = 0;
  Vec3d first;
  Sym3<double> second{};
  Moments& operator+=(const Moments& other) {
    volume += other.volume, first += other.first, second = second + other.second;
    return *this;
  }
};

Sym3<double> square(const Vec3d& x) { return {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.y * x.z, x.z * x.x}; }

// Part of the unit cube around 0 where mean + a . x < 0, a_i >= 0: its volume and first moment, as sums over the corners of the cube
// (inclusion and exclusion of the tetrahedra that the plane cuts off beyond each).
void below_plane(double mean, Vec3d a, double& volume, Vec3d& first) {
  volume = 0, first = {};
  const double largest = std::max({a.x, a.y, a.z});
  for (int i = 0; i < 3; ++i) a[i] = std::max(a[i], 1e-3 * largest);  // the formula divides by each
  const double total = sum(a), alpha = total / 2 - mean;
  if (!(largest > 0) || alpha <= 0 || alpha >= total) {
    volume = mean < 0 ? 1 : 0;
    return;
  }
  if (alpha > total / 2) {  // the whole cube less the other part: smaller terms cancel less
    below_plane(-mean, a, volume, first);
    volume = 1 - volume;  // the other part mirrored is -first, the cube has none
    return;
  }
  const double scale = 1 / (6 * a.x * a.y * a.z);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3d c{corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, corner & 4 ? 0.5 : -0.5};
    const double rest = alpha - ((corner & 1 ? a.x : 0) + (corner & 2 ? a.y : 0) + (corner & 4 ? a.z : 0));
    if (!(rest > 0)) continue;
    const bool odd = (corner ^ corner >> 1 ^ corner >> 2) & 1;
    const double piece = (odd ? -1 : 1) * rest * rest * rest * scale;
    volume += piece;
    first += (c + Vec3d{rest / (4 * a.x), rest / (4 * a.y), rest / (4 * a.z)}) * piece;
  }
}

Moments moments_of_part(const Vec3d& center, double size, double share, const Vec3d& first) {
  Moments m;
  const double cube = size * size * size;
  m.volume = share * cube;
  m.first = center * m.volume + first * (cube * size);
  if (share > 0) {
    const double own = m.volume * size * size / 12;  // of a full cell: exact inside, of higher order at the surface
    m.second = square(m.first * (1 / m.volume)) * m.volume + Sym3<double>{own, own, own, 0, 0, 0};
  }
  return m;
}

// Of a cube that the surface may cut; see also inside_share in sampling.cpp. The mean over the centres of the six faces equals the mean
// of the distance over the cube up to fourth order. Where it differs much from the middle, there is an edge. Moments are about origin.
Moments moments_of_cube(const Shape& shape, const Vec3d& origin, const Vec3d& center, double size, int splits) {
  double mean = 0;
  Vec3d slope;
  for (int i = 0; i < 3; ++i) {
    Vec3d low = center, high = center;
    low[i] -= size / 2, high[i] += size / 2;
    const double a = shape.distance(low), b = shape.distance(high);
    mean += (a + b) / 6, slope[i] = b - a;
  }
  if (splits == 0 || std::abs(mean) > size || std::abs(mean - shape.distance(center)) < 0.02 * size) {
    double share = 0;
    Vec3d first;
    below_plane(mean, {std::abs(slope.x), std::abs(slope.y), std::abs(slope.z)}, share, first);
    for (int i = 0; i < 3; ++i)
      if (slope[i] < 0) first[i] = -first[i];
    return moments_of_part(center - origin, size, share, first);
  }
  Moments total;
  for (int c = 0; c < 8; ++c)
    total += moments_of_cube(shape, origin, center + Vec3d{(c >> 2) - 0.5, (c >> 1 & 1) - 0.5, (c & 1) - 0.5} * (size / 2), size / 2,
                             splits - 1);
  return total;
}

// About the center, from moments about the origin.
MassProperties properties_from(const Moments& m) {
  MassProperties result;
  result.volume = m.volume;
  if (!(m.volume > 0)) return result;
  result.center = m.first * (1 / m.volume);
  const Sym3<double> s = m.second - square(result.center) * m.volume;
  result.inertia = {s.yy + s.zz, s.zz + s.xx, s.xx + s.yy, -s.xy, -s.yz, -s.zx};
  return result;
}

}  // namespace

MassProperties mass_properties(const Shape& shape) {
  constexpr double cells_along_side = 64, most_cells_along_side = 256;
  constexpr int splits = 3;
  const Bounds3 box = shape.bounds();
  if (!is_finite(box)) throw InputError("the shape is not bounded, so it has no mass.");
  const Vec3d size = box.maximum - box.minimum, middle = (box.maximum + box.minimum) * 0.5;
  const double largest = std::max({size.x, size.y, size.z}), smallest = std::min({size.x, size.y, size.z});
  Lattice lattice = lattice_over(shape, std::clamp(smallest / 8, largest / most_cells_along_side, largest / cells_along_side));
  // Around the middle, so that what is symmetric has its centre exactly there.
  lattice.origin = middle - Vec3d{double(lattice.count[0]), double(lattice.count[1]), double(lattice.count[2])} * (lattice.spacing / 2);
  const std::vector<LatticeBlock> blocks = blocks_of(shape, lattice);
  std::vector<Moments> parts(blocks.size());
  const double h = lattice.spacing;
  parallel_for(blocks.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      // About the middle of the box, where little cancels.
      const auto full = [&](const Cell& corner, int cells) {
        parts[i] += moments_of_part(lattice.center(corner, cells) - middle, cells * h, 1, {});
      };
      const auto single = [&](const Cell& cell) { parts[i] += moments_of_cube(shape, middle, lattice.center(cell), h, splits); };
      if (blocks[i].is_full) full(blocks[i].corner, block_size);
      else descend(shape, lattice, blocks[i].corner, block_size, full, single);
    }
  });
  Moments total;
  for (const Moments& part : parts) total += part;
  MassProperties result = properties_from(total);
  result.center += middle;
  if (const auto exact = shape.volume(); exact && result.volume > 0) {
    result.inertia = result.inertia * (*exact / result.volume);
    result.volume = *exact;
  }
  return result;
}

MassProperties mass_properties(const TriangleMesh& mesh) {
  const Bounds3 box = bounds_of(mesh);
  const Vec3d middle = (box.maximum + box.minimum) * 0.5;
  Moments total;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d a = mesh.vertices[t[0]] - middle, b = mesh.vertices[t[1]] - middle, c = mesh.vertices[t[2]] - middle;
    const double volume = dot(a, cross(b, c)) / 6;
    const Vec3d corners = a + b + c;
    // Over the tetrahedron 0 a b c: integral of x = V (a + b + c) / 4, of x x^T = V (aa + bb + cc + (a+b+c)(a+b+c)) / 20.
    total.volume += volume;
    total.first += corners * (volume / 4);
    total.second = total.second + (square(a) + square(b) + square(c) + square(corners)) * (volume / 20);
  }
  MassProperties result = properties_from(total);
  result.center += middle;
  return result;
}

}  // namespace knead
