// How densely particles fill space, on a grid: the smooth surface that balls stand for, and the way of light through a liquid.
#pragma once
#include <vector>

#include "render/picture.h"

namespace knead {

class DensityGrid {
 public:
  explicit DensityGrid(const Balls& balls);

  // 0 in empty space, about 1 inside a body at rest.
  float density(const Vec3f& point) const;
  // Out of the body; zero where there is no slope to tell it.
  Vec3f normal(const Vec3f& point) const;
  // Length of the ray's part inside the particles, up to `distance` [m].
  float thickness(const Vec3f& origin, const Vec3f& direction, float distance) const;

 private:
  std::size_t cell(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size_[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(size_[0]) +
           static_cast<std::size_t>(x);
  }
  void fill(const Balls& balls);
  void blur();

  Vec3f origin_;
  float spacing_ = 1, inverse_ = 1;  // of the grid [m], [1/m]
  int size_[3] = {0, 0, 0};
  std::vector<float> values_;
};

}  // namespace knead
