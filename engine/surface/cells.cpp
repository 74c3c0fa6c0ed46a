#include "surface/cells.h"

#include <algorithm>

namespace knead {

std::size_t CellGrid::find(std::uint64_t key) const {
  return static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin());
}

CellGrid sort_into_cells(std::span<const Vec3f> points, float cell_size) {
  CellGrid grid;
  grid.size = cell_size;
  struct Entry {
    std::uint64_t key;
    std::uint32_t index;
  };
  std::vector<Entry> entries(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto cell = [&](float x) { return static_cast<std::int64_t>(std::floor(x / cell_size)); };
    entries[i] = {CellGrid::key(cell(points[i].x), cell(points[i].y), cell(points[i].z)), static_cast<std::uint32_t>(i)};
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; });
  grid.order.reserve(points.size());
  for (auto* column : {&grid.x, &grid.y, &grid.z}) column->reserve(points.size());
  for (const Entry& entry : entries) {
    if (grid.keys.empty() || grid.keys.back() != entry.key) {
      grid.keys.push_back(entry.key);
      grid.starts.push_back(static_cast<std::uint32_t>(grid.order.size()));
    }
    const Vec3f& point = points[entry.index];
    grid.order.push_back(entry.index);
    grid.x.push_back(point.x), grid.y.push_back(point.y), grid.z.push_back(point.z);
  }
  grid.starts.push_back(static_cast<std::uint32_t>(grid.order.size()));
  return grid;
}

}  // namespace knead
