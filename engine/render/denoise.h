// Smooths light over a surface and leaves its edges.
#pragma once
#include <cstdint>
#include <vector>

#include "render/color.h"

namespace knead {

// One value per pixel, row by row.
struct PixelLayers {
  int width = 0, height = 0;
  std::vector<Color> diffuse, rest, albedo;
  std::vector<Vec3f> normal;
  std::vector<float> depth;            // [m]
  std::vector<std::int32_t> object;    // -1: sky or mixed
  std::vector<std::uint8_t> filtered;  // 1: the filter may touch the pixel
};

// Edge-aware wavelet filter on `diffuse`: pixels of the same object with like normal, depth, colour and brightness are averaged.
// `pixel_angle` is the size of a pixel over its distance.
void smooth_light(PixelLayers& layers, int passes, float pixel_angle);

}  // namespace knead
