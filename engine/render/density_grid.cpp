#include "render/density_grid.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"

namespace knead {
namespace {

constexpr int border = 3;                        // empty cells around the particles, for the blur and the differences
constexpr double largest_count = 12e6;           // cells; strays far out make the grid coarser, not the memory larger
constexpr std::size_t smallest_count_ends = 50;  // with fewer balls none is a stray

}  // namespace

DensityGrid::DensityGrid(const Balls& balls) {
  if (balls.centers.empty() || !(balls.spacing > 0)) return;
  std::vector<Vec3d> points;
  points.reserve(balls.centers.size());
  for (const Vec3f& c : balls.centers) points.push_back({c.x, c.y, c.z});
  const Bounds3 bounds = robust_bounds(std::move(points), balls.centers.size() > smallest_count_ends ? 0.001 : 0);
  const Vec3d extent = bounds.maximum - bounds.minimum;
  double spacing = balls.spacing;
  auto count = [&](double s) {
    double product = 1;
    for (int i = 0; i < 3; ++i) product *= extent[i] / s + 2 * border + 4;
    return product;
  };
  while (count(spacing) > largest_count) spacing *= 1.25;
  spacing_ = static_cast<float>(spacing), inverse_ = 1 / spacing_;
  const double extra = (border + 1) * spacing;
  origin_ = {static_cast<float>(bounds.minimum.x - extra), static_cast<float>(bounds.minimum.y - extra),
             static_cast<float>(bounds.minimum.z - extra)};
  for (int i = 0; i < 3; ++i) size_[i] = static_cast<int>((extent[i] + 2 * extra) / spacing) + 2;
  values_.assign(cell(0, 0, size_[2]), 0);
  fill(balls);
  blur();
}

void DensityGrid::fill(const Balls& balls) {
  const float share = std::pow(balls.spacing * inverse_, 3.0f);  // of a cell that one particle stands for
  for (const Vec3f& center : balls.centers) {
    const Vec3f place = (center - origin_) * inverse_;
    const int x = static_cast<int>(std::floor(place.x)), y = static_cast<int>(std::floor(place.y)),
              z = static_cast<int>(std::floor(place.z));
    if (x < 0 || y < 0 || z < 0 || x + 1 >= size_[0] || y + 1 >= size_[1] || z + 1 >= size_[2]) continue;
    const float fx = place.x - static_cast<float>(x), fy = place.y - static_cast<float>(y), fz = place.z - static_cast<float>(z);
    for (int i = 0; i < 8; ++i)
      values_[cell(x + (i & 1), y + (i >> 1 & 1), z + (i >> 2))] +=
          share * (i & 1 ? fx : 1 - fx) * (i & 2 ? fy : 1 - fy) * (i & 4 ? fz : 1 - fz);
  }
}

// Twice (1 2 1) / 4 along each axis: the lattice of the particles disappears, the body stays.
void DensityGrid::blur() {
  const std::size_t strides[3] = {1, static_cast<std::size_t>(size_[0]), cell(0, 0, 1)};
  std::vector<float> other(values_.size());
  for (int pass = 0; pass < 6; ++pass) {
    const std::size_t stride = strides[pass % 3];
    const std::size_t last = values_.size() - stride;
    parallel_for(values_.size(), 1 << 15, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        other[i] = i < stride || i >= last ? 0 : 0.25f * (values_[i - stride] + values_[i + stride]) + 0.5f * values_[i];
    });
    values_.swap(other);
  }
}

float DensityGrid::density(const Vec3f& point) const {
  const Vec3f place = (point - origin_) * inverse_;
  if (!(place.x >= 0 && place.y >= 0 && place.z >= 0)) return 0;
  const int x = static_cast<int>(place.x), y = static_cast<int>(place.y), z = static_cast<int>(place.z);
  if (x + 1 >= size_[0] || y + 1 >= size_[1] || z + 1 >= size_[2]) return 0;
  const float fx = place.x - static_cast<float>(x), fy = place.y - static_cast<float>(y), fz = place.z - static_cast<float>(z);
  const float* v = values_.data() + cell(x, y, z);
  const std::size_t sy = static_cast<std::size_t>(size_[0]), sz = cell(0, 0, 1);
  auto along = [&](const float* p) { return p[0] + fx * (p[1] - p[0]); };
  const float low = along(v) + fy * (along(v + sy) - along(v)), high = along(v + sz) + fy * (along(v + sz + sy) - along(v + sz));
  return low + fz * (high - low);
}

Vec3f DensityGrid::normal(const Vec3f& point) const {
  const float h = spacing_;
  const Vec3f slope{density({point.x - h, point.y, point.z}) - density({point.x + h, point.y, point.z}),
                    density({point.x, point.y - h, point.z}) - density({point.x, point.y + h, point.z}),
                    density({point.x, point.y, point.z - h}) - density({point.x, point.y, point.z + h})};
  const float size = length(slope);
  return size > 0.02f ? slope / size : Vec3f{};
}

float DensityGrid::thickness(const Vec3f& origin, const Vec3f& direction, float distance) const {
  // The part of the ray inside the grid.
  float begin = 0, end = distance;
  for (int i = 0; i < 3; ++i) {
    const float low = origin_[i], high = origin_[i] + static_cast<float>(size_[i] - 1) * spacing_;
    const float a = (low - origin[i]) / direction[i], b = (high - origin[i]) / direction[i];
    begin = std::max(begin, std::min(a, b)), end = std::min(end, std::max(a, b));
  }
  if (!(end > begin)) return 0;
  const int steps = std::clamp(static_cast<int>((end - begin) / spacing_) + 1, 2, 400);
  const float step = (end - begin) / static_cast<float>(steps);
  float sum = 0;
  for (int i = 0; i < steps; ++i)
    sum += std::min(1.0f, 1.4f * density(origin + direction * (begin + (static_cast<float>(i) + 0.5f) * step)));
  return sum * step;
}

}  // namespace knead
