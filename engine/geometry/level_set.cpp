#include "geometry/level_set.h"

#include <algorithm>

namespace knead {

double LevelSet::value(int i, int j, int k) const {
  const std::array<int, 3> block{i >> 3, j >> 3, k >> 3};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (block[axis] < first[axis] || block[axis] >= first[axis] + count[axis]) return band;
  const std::int32_t index = blocks[slot(block)];
  if (index < 0) return index == inside ? -band : band;
  return values[static_cast<std::size_t>(index) * block_values + static_cast<std::size_t>((i & 7) << 6 | (j & 7) << 3 | (k & 7))];
}

double LevelSet::distance(const Vec3d& point) const {
  const Vec3d x = (point - origin) / voxel;
  int cell[3];
  double t[3];
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const double low = first[a] * block_size, high = (first[a] + count[a]) * block_size - 1;
    if (!(x[axis] > low && x[axis] < high)) return band;
    cell[axis] = static_cast<int>(std::floor(x[axis]));
    t[axis] = x[axis] - cell[axis];
  }
  const auto [i, j, k] = cell;
  double corner[8];
  if ((i & 7) != 7 && (j & 7) != 7 && (k & 7) != 7) {  // all eight in one block
    const std::int32_t index = blocks[slot({i >> 3, j >> 3, k >> 3})];
    if (index < 0) return index == inside ? -band : band;
    const float* v = values.data() + static_cast<std::size_t>(index) * block_values + ((i & 7) << 6 | (j & 7) << 3 | (k & 7));
    const double loaded[8] = {v[0], v[1], v[8], v[9], v[64], v[65], v[72], v[73]};
    std::copy(loaded, loaded + 8, corner);
  } else {
    for (int c = 0; c < 8; ++c) corner[c] = value(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1));
  }
  const auto mix = [](double a, double b, double s) { return a + (b - a) * s; };
  const double low = mix(mix(corner[0], corner[1], t[2]), mix(corner[2], corner[3], t[2]), t[1]);
  const double high = mix(mix(corner[4], corner[5], t[2]), mix(corner[6], corner[7], t[2]), t[1]);
  return mix(low, high, t[0]);
}

}  // namespace knead
