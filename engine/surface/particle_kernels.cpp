#include "surface/particle_kernels.h"

#include <algorithm>
#include <array>
#include <numbers>

#include "base/threads.h"
#include "math/eigen.h"
#include "surface/lanes.h"

namespace knead {

namespace {

constexpr float centering = 0.9f;   // how far a point moves towards the weighted mean of its neighbours
constexpr float returning = 0.54f;  // and how far back
constexpr float widening = 1;       // of flat and long bumps along themselves

// Of the neighbours of a point, itself included, relative to it, with weights (1 - (d / reach)^2)^2.
struct Moments {
  float weight;
  Vec3f mean;
  Sym3<float> covariance;
};

// The points of a cell and of the cells around it, copied together once for all points of the cell.
class Neighbourhood {
 public:
  static constexpr int rings = 2;  // cells to each side

  Neighbourhood(const CellGrid& grid, std::size_t first_cell) : grid_(grid) {
    std::size_t n = 0;
    for (int i = -rings; i <= rings; ++i)
      for (int j = -rings; j <= rings; ++j, ++n) {
        // Cells are visited in the order of their keys, so the two ends of each column of neighbours only move up.
        offset_[n] = (static_cast<std::int64_t>(i) << (2 * CellGrid::key_bits)) + (static_cast<std::int64_t>(j) << CellGrid::key_bits);
        const std::uint64_t key = grid.keys[first_cell] + static_cast<std::uint64_t>(offset_[n]);
        low_[n] = grid.find(key - rings);
        high_[n] = grid.find(key + rings + 1);
      }
  }

  void gather(std::size_t cell) {
    count_ = 0;
    for (std::size_t n = 0; n < columns; ++n) {
      const std::uint64_t key = grid_.keys[cell] + static_cast<std::uint64_t>(offset_[n]);
      while (low_[n] < grid_.keys.size() && grid_.keys[low_[n]] < key - rings) ++low_[n];
      while (high_[n] < grid_.keys.size() && grid_.keys[high_[n]] < key + rings + 1) ++high_[n];
      const std::size_t begin = grid_.starts[low_[n]], size = grid_.starts[high_[n]] - begin;
      if (size == 0) continue;
      make_room(count_ + size);
      std::copy_n(grid_.x.data() + begin, size, x_.data() + count_);
      std::copy_n(grid_.y.data() + begin, size, y_.data() + count_);
      std::copy_n(grid_.z.data() + begin, size, z_.data() + count_);
      count_ += size;
    }
    constexpr float far = 1e9f;  // beyond any reach: weighs nothing
    std::fill_n(x_.data() + count_, lanes, far), std::fill_n(y_.data() + count_, lanes, far), std::fill_n(z_.data() + count_, lanes, far);
  }

  Moments moments(const Vec3f& at, float reach) const {
    Lanes w{}, wx{}, wy{}, wz{}, xx{}, yy{}, zz{}, xy{}, yz{}, zx{};
    const float inverse = 1 / (reach * reach);
    for (std::size_t i = 0; i < count_; i += lanes) {
      const Lanes dx = load(x_.data() + i) - at.x, dy = load(y_.data() + i) - at.y, dz = load(z_.data() + i) - at.z;
      Lanes t = positive_part(1 - (dx * dx + dy * dy + dz * dz) * inverse);
      t *= t;
      const Lanes tx = t * dx, ty = t * dy, tz = t * dz;
      w += t, wx += tx, wy += ty, wz += tz;
      xx += tx * dx, yy += ty * dy, zz += tz * dz, xy += tx * dy, yz += ty * dz, zx += tz * dx;
    }
    const float weight = sum_of(w), scale = 1 / weight;
    const Vec3f mean = Vec3f{sum_of(wx), sum_of(wy), sum_of(wz)} * scale;
    const Sym3<float> covariance{sum_of(xx) * scale - mean.x * mean.x, sum_of(yy) * scale - mean.y * mean.y,
                                 sum_of(zz) * scale - mean.z * mean.z, sum_of(xy) * scale - mean.x * mean.y,
                                 sum_of(yz) * scale - mean.y * mean.z, sum_of(zx) * scale - mean.z * mean.x};
    return {weight, mean, covariance};
  }

 private:
  static constexpr std::size_t columns = (2 * rings + 1) * (2 * rings + 1);
  void make_room(std::size_t count) {
    if (x_.size() < count + lanes) x_.resize(2 * count + lanes), y_.resize(2 * count + lanes), z_.resize(2 * count + lanes);
  }

  const CellGrid& grid_;
  std::array<std::int64_t, columns> offset_;
  std::array<std::size_t, columns> low_, high_;  // the cells of each column
  std::vector<float> x_ = std::vector<float>(lanes), y_ = x_, z_ = x_;
  std::size_t count_ = 0;
};

Kernel make_kernel(const Vec3f& point, const Moments& moments, const KernelSettings& settings) {
  Vec3f variance;
  Mat3<float> axes;
  eigen_symmetric(moments.covariance, variance, axes);
  const float full_spread = settings.reach() / 3;  // of a full neighbourhood with these weights, along any axis
  Vec3f spread;
  for (int i = 0; i < 3; ++i) spread[i] = std::clamp(std::sqrt(std::max(variance[i], 0.0f)) / full_spread, 0.5f, 1.0f);
  const float flatness = 1 - spread.z;  // 0 inside the fluid
  Vec3f radii, inverse_squares;
  for (int i = 0; i < 3; ++i) {
    radii[i] = settings.radius * settings.spacing * spread[i] * (1 + widening * flatness * (spread[i] - spread.z));
    inverse_squares[i] = 1 / (radii[i] * radii[i]);
  }
  constexpr float integral = 64 * std::numbers::pi_v<float> / 315;
  Kernel kernel;
  kernel.center = point;
  kernel.height = settings.spacing * settings.spacing * settings.spacing / (integral * radii.x * radii.y * radii.z);
  kernel.metric = compose(axes, inverse_squares);
  const Sym3<float> box = compose(axes, radii * radii);  // the ellipsoid reaches sqrt of the diagonal along each axis
  kernel.extent = {std::sqrt(box.xx), std::sqrt(box.yy), std::sqrt(box.zz)};
  // Full: the weights of a lattice add up to 32 pi / 105 reach^3 / spacing^3, and none of them pulls to one side.
  const float full_weight = 32 * std::numbers::pi_v<float> / 105 * 27;
  kernel.is_deep = moments.weight > 0.8f * full_weight && length(moments.mean) < 0.2f * settings.spacing;
  return kernel;
}

// Calls visit(index, point, moments) for each point, with a function that computes its moments.
template <class Visit> void visit_neighbourhoods(const CellGrid& points, float reach, Visit&& visit) {
  parallel_for(points.keys.size(), 512, [&](std::size_t begin, std::size_t end) {
    Neighbourhood neighbourhood(points, begin);
    for (std::size_t cell = begin; cell < end; ++cell) {
      neighbourhood.gather(cell);
      for (std::size_t i = points.starts[cell]; i < points.starts[cell + 1]; ++i) {
        const Vec3f point{points.x[i], points.y[i], points.z[i]};
        visit(i, point, [&] { return neighbourhood.moments(point, reach); });
      }
    }
  });
}

}  // namespace

std::vector<Kernel> make_kernels(const CellGrid& points, const KernelSettings& settings) {
  std::vector<Kernel> kernels(points.order.size());
  std::vector<Vec3f> drawn_in(kernels.size());
  visit_neighbourhoods(points, settings.reach(), [&](std::size_t i, const Vec3f& point, const auto& moments) {
    const Moments found = moments();
    kernels[i] = make_kernel(point, found, settings);
    drawn_in[i] = point + found.mean * centering;
  });
  const CellGrid moved = sort_into_cells(drawn_in, points.size);
  visit_neighbourhoods(moved, settings.reach(), [&](std::size_t m, const Vec3f& point, const auto& moments) {
    const std::size_t i = moved.order[m];
    if (!kernels[i].is_deep) kernels[i].center = point - moments().mean * returning;
  });
  return kernels;
}

float surface_level(const KernelSettings& given) {
  const KernelSettings settings{.spacing = 1, .radius = given.radius};
  const int deep = static_cast<int>(std::ceil(settings.radius + settings.reach())) + 1, wide = 2 * deep;
  std::vector<Vec3f> points;
  for (int i = 0; i < wide; ++i)
    for (int j = 0; j < deep; ++j)
      for (int k = 0; k < wide; ++k) points.push_back({float(i), float(j), float(k)});
  const std::vector<Kernel> kernels = make_kernels(sort_into_cells(points, settings.reach() / 2), settings);
  constexpr int samples = 4;  // along each side of a square between four points
  float total = 0;
  for (int i = 0; i < samples; ++i)
    for (int k = 0; k < samples; ++k) {
      const Vec3f at{float(deep) + (float(i) + 0.5f) / samples, float(deep) - 0.5f, float(deep) + (float(k) + 0.5f) / samples};
      for (const Kernel& kernel : kernels) {
        const Vec3f d = at - kernel.center;
        const float rest = 1 - dot(d, to_matrix(kernel.metric) * d);
        if (rest > 0) total += kernel.height * rest * rest * rest;
      }
    }
  return total / (samples * samples);
}

}  // namespace knead
