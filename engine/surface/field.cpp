#include "surface/field.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "surface/lanes.h"

namespace knead {

namespace {

constexpr int size = Field::block_size;
static_assert(size == lanes);

float largest_extent(const std::vector<Kernel>& kernels) {
  float largest = 0;
  for (const Kernel& kernel : kernels) largest = std::max({largest, kernel.extent.x, kernel.extent.y, kernel.extent.z});
  return largest;
}

// How far a point's bump may reach out of its cell.
float reach_of(const CellGrid& points, const std::vector<Kernel>& kernels) {
  float moved = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Vec3f d = kernels[i].center - Vec3f{points.x[i], points.y[i], points.z[i]};
    moved = std::max({moved, std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  }
  return moved + largest_extent(kernels);
}

// The blocks that some bump may reach.
std::vector<std::array<int, 3>> find_blocks(const CellGrid& points, float reach) {
  std::vector<std::array<int, 3>> blocks;
  std::array<int, 3> last_low{}, last_high{};
  for (std::size_t cell = 0; cell < points.keys.size(); ++cell) {
    std::array<int, 3> low, high;
    for (int axis = 0; axis < 3; ++axis) {
      const float corner = static_cast<float>(CellGrid::coordinate(points.keys[cell], axis)) * points.size;
      low[static_cast<std::size_t>(axis)] = static_cast<int>(std::floor((corner - reach) / size));
      high[static_cast<std::size_t>(axis)] = static_cast<int>(std::floor((corner + points.size + reach) / size));
    }
    if (cell > 0 && low == last_low && high == last_high) continue;
    last_low = low, last_high = high;
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int k = low[2]; k <= high[2]; ++k) blocks.push_back({i, j, k});
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

// Whether all of a block is far from any surface: each of its cells holds points, all of them deep.
bool is_deep(const CellGrid& points, const std::vector<char>& deep_cells, const std::array<int, 3>& block) {
  int low[3], high[3];
  for (int axis = 0; axis < 3; ++axis) {
    const float corner = static_cast<float>(block[static_cast<std::size_t>(axis)] * size);
    low[axis] = static_cast<int>(std::floor(corner / points.size));
    high[axis] = static_cast<int>(std::floor((corner + size - 1) / points.size));
  }
  for (int i = low[0]; i <= high[0]; ++i)
    for (int j = low[1]; j <= high[1]; ++j) {
      std::size_t cell = points.find(CellGrid::key(i, j, low[2]));
      for (int k = low[2]; k <= high[2]; ++k, ++cell)
        if (cell >= points.keys.size() || points.keys[cell] != CellGrid::key(i, j, k) || !deep_cells[cell]) return false;
    }
  return true;
}

std::vector<char> find_deep_cells(const CellGrid& points, const std::vector<Kernel>& kernels) {
  std::vector<char> deep(points.keys.size(), 1);
  for (std::size_t cell = 0; cell < deep.size(); ++cell)
    for (std::size_t p = points.starts[cell]; p < points.starts[cell + 1]; ++p)
      if (!kernels[p].is_deep) deep[cell] = 0;
  return deep;
}

// Adds a bump of the given height to the values of a block. A row along z is one vector.
void add_bump(const Kernel& kernel, float height, const Vec3f& corner, float* values) {
  const Vec3f c = kernel.center - corner;
  const auto first = [](float x) { return std::max(0, static_cast<int>(std::ceil(x))); };
  const auto last = [](float x) { return std::min(size - 1, static_cast<int>(std::floor(x))); };
  const Sym3<float>& m = kernel.metric;
  constexpr Lanes counting{0, 1, 2, 3, 4, 5, 6, 7};
  for (int i = first(c.x - kernel.extent.x); i <= last(c.x + kernel.extent.x); ++i)
    for (int j = first(c.y - kernel.extent.y); j <= last(c.y + kernel.extent.y); ++j) {
      const float dx = static_cast<float>(i) - c.x, dy = static_cast<float>(j) - c.y;
      const float constant = 1 - (m.xx * dx * dx + m.yy * dy * dy + 2 * m.xy * dx * dy), linear = 2 * (m.yz * dy + m.zx * dx);
      if (constant + linear * linear / (4 * m.zz) <= 0) continue;  // the row passes by
      float* row = values + (i * size + j) * size;
      const Lanes dz = counting - c.z, inside = positive_part(constant - dz * (linear + m.zz * dz));
      store(load(row) + height * (inside * inside * inside), row);
    }
}

// Calls visit(point) for each point whose cell lies within `reach` of the block, in the order of the points.
template <class Visit> void visit_near(const CellGrid& points, const std::array<int, 3>& block, float reach, Visit&& visit) {
  int low[3], high[3];
  for (int axis = 0; axis < 3; ++axis) {
    const float corner = static_cast<float>(block[static_cast<std::size_t>(axis)] * size);
    low[axis] = static_cast<int>(std::floor((corner - reach) / points.size));
    high[axis] = static_cast<int>(std::floor((corner + size - 1 + reach) / points.size));
  }
  for (int i = low[0]; i <= high[0]; ++i)
    for (int j = low[1]; j <= high[1]; ++j) {
      const std::size_t begin = points.find(CellGrid::key(i, j, low[2]));
      for (std::size_t cell = begin; cell < points.keys.size() && points.keys[cell] <= CellGrid::key(i, j, high[2]); ++cell)
        for (std::size_t p = points.starts[cell]; p < points.starts[cell + 1]; ++p) visit(p);
    }
}

bool overlaps(const Kernel& kernel, const Vec3f& corner) {
  for (int axis = 0; axis < 3; ++axis) {
    const float c = kernel.center[axis] - corner[axis], e = kernel.extent[axis];
    if (c + e < 0 || c - e > size - 1) return false;
  }
  return true;
}

// heights[i]: what is added of bump i; 0 is passed over.
void add_bumps(Field& field, const CellGrid& points, const std::vector<Kernel>& kernels, const std::vector<float>& heights) {
  const float reach = reach_of(points, kernels);
  const std::vector<char> deep_cells = find_deep_cells(points, kernels);
  parallel_for(field.blocks.size(), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const auto& block = field.blocks[b];
      const Vec3f corner{static_cast<float>(block[0] * size), static_cast<float>(block[1] * size), static_cast<float>(block[2] * size)};
      float* values = field.values.data() + b * Field::block_values;
      if (is_deep(points, deep_cells, block)) {
        std::fill_n(values, Field::block_values, 1.0f);
        continue;
      }
      visit_near(points, block, reach, [&](std::size_t p) {
        if (heights[p] > 0 && overlaps(kernels[p], corner)) add_bump(kernels[p], heights[p], corner, values);
      });
    }
  });
}

}  // namespace

std::size_t Field::find(const std::array<int, 3>& block) const {
  const auto place = std::lower_bound(blocks.begin(), blocks.end(), block);
  return place != blocks.end() && *place == block ? static_cast<std::size_t>(place - blocks.begin()) : blocks.size();
}

std::size_t FieldSampler::find(const std::array<int, 3>& block) {
  if (last_ < field_.blocks.size() && field_.blocks[last_] == block) return last_;
  const std::size_t found = field_.find(block);
  if (found < field_.blocks.size()) last_ = found;
  return found;
}

float FieldSampler::operator()(const Vec3f& at) {
  const int i = static_cast<int>(std::floor(at.x)), j = static_cast<int>(std::floor(at.y)), k = static_cast<int>(std::floor(at.z));
  const float t[3] = {at.x - static_cast<float>(i), at.y - static_cast<float>(j), at.z - static_cast<float>(k)};
  float total = 0;
  for (int c = 0; c < 8; ++c) {
    const int x = i + (c >> 2), y = j + (c >> 1 & 1), z = k + (c & 1);
    const std::size_t index = find({x >> 3, y >> 3, z >> 3});
    if (index == field_.blocks.size()) continue;
    const float weight = (c & 4 ? t[0] : 1 - t[0]) * (c & 2 ? t[1] : 1 - t[1]) * (c & 1 ? t[2] : 1 - t[2]);
    total += weight * field_.block(index)[((x & 7) * size + (y & 7)) * size + (z & 7)];
  }
  return total;
}

Field make_field(const CellGrid& points, const std::vector<Kernel>& kernels) {
  Field field;
  field.blocks = find_blocks(points, reach_of(points, kernels));
  field.values.resize(field.blocks.size() * Field::block_values);
  std::vector<float> heights(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) heights[i] = kernels[i].height;
  add_bumps(field, points, kernels, heights);
  return field;
}

void keep_thin_parts(Field& field, const CellGrid& points, const std::vector<Kernel>& kernels, float least) {
  std::vector<float> more(kernels.size());
  parallel_for(kernels.size(), 1024, [&](std::size_t begin, std::size_t end) {
    FieldSampler sample(field);
    for (std::size_t i = begin; i < end; ++i) {
      if (kernels[i].is_deep) continue;
      const float sum = std::max(sample(kernels[i].center), kernels[i].height);
      if (sum < least) more[i] = kernels[i].height * (least / sum - 1);
    }
  });
  add_bumps(field, points, kernels, more);
}

}  // namespace knead
