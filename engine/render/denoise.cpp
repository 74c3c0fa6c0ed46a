#include "render/denoise.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"

namespace knead {
namespace {

constexpr float kernel[3] = {0.375f, 0.25f, 0.0625f};  // B-spline

// Close to exp(-x), and several times cheaper; 0 from x = 8 on.
KNEAD_INLINE float falling(float x) {
  const float a = std::max(0.0f, 1 - 0.125f * x), b = a * a, c = b * b;
  return c * c;
}

// How alike the surfaces in two pixels are: 0 for another object, little across a crease.
KNEAD_INLINE float likeness(const PixelLayers& layers, std::size_t i, std::size_t j, float inverse_depth) {
  if (layers.object[j] != layers.object[i] || !layers.filtered[j]) return 0;
  const Vec3f turn = layers.normal[i] - layers.normal[j];
  const Color tint = layers.albedo[i] - layers.albedo[j];
  return falling(24 * dot(turn, turn) + 60 * dot(tint, tint) + std::fabs(layers.depth[i] - layers.depth[j]) * inverse_depth);
}

// Calls body(j, weight) for each neighbour of pixel (x, y), up to `reach` steps of `stride` away, that belongs to the same surface.
template <class Body>
KNEAD_INLINE void for_neighbours(const PixelLayers& layers, int x, int y, int reach, int stride, float pixel_angle, Body&& body) {
  const std::size_t i = static_cast<std::size_t>(y) * static_cast<std::size_t>(layers.width) + static_cast<std::size_t>(x);
  // A surface seen at a slant may recede by several pixel sizes per pixel.
  const float inverse = 1 / (6 * pixel_angle * layers.depth[i] * static_cast<float>(stride));
  constexpr float shares[5] = {0, 1, 1.0f / 2, 1.0f / 3, 1.0f / 4};
  for (int dy = -reach; dy <= reach; ++dy) {
    const int ny = y + dy * stride;
    if (ny < 0 || ny >= layers.height) continue;
    const std::size_t row = static_cast<std::size_t>(ny) * static_cast<std::size_t>(layers.width);
    for (int dx = -reach; dx <= reach; ++dx) {
      const int nx = x + dx * stride;
      if ((dx == 0 && dy == 0) || nx < 0 || nx >= layers.width) continue;
      const std::size_t j = row + static_cast<std::size_t>(nx);
      const float weight = likeness(layers, i, j, inverse * shares[std::abs(dx) + std::abs(dy)]);
      if (weight > 0) body(j, kernel[std::abs(dx)] * kernel[std::abs(dy)] * weight);
    }
  }
}

// Calls body(x, y, i) for each pixel that may be filtered, in parallel.
template <class Body> void for_filtered(const PixelLayers& layers, Body&& body) {
  parallel_for(static_cast<std::size_t>(layers.height), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y)
      for (std::size_t x = 0; x < static_cast<std::size_t>(layers.width); ++x) {
        const std::size_t i = y * static_cast<std::size_t>(layers.width) + x;
        if (layers.filtered[i]) body(static_cast<int>(x), static_cast<int>(y), i);
      }
  });
}

// Brightness without most of its noise: what tells the edge of a shadow from a grain.
std::vector<float> guide_of(const PixelLayers& layers, float pixel_angle) {
  std::vector<float> guide(layers.diffuse.size());
  for_filtered(layers, [&](int x, int y, std::size_t i) {
    float sum = luminance(layers.diffuse[i]) * kernel[0] * kernel[0], weights = kernel[0] * kernel[0];
    for_neighbours(layers, x, y, 1, 1, pixel_angle,
                   [&](std::size_t j, float weight) { sum += luminance(layers.diffuse[j]) * weight, weights += weight; });
    guide[i] = sum / weights;
  });
  return guide;
}

}  // namespace

void smooth_light(PixelLayers& layers, int passes, float pixel_angle) {
  std::vector<Color> out(layers.diffuse.size());
  for (int pass = 0; pass < passes; ++pass) {
    const int stride = 1 << pass;
    const std::vector<float> guide = guide_of(layers, pixel_angle);
    out = layers.diffuse;
    for_filtered(layers, [&](int x, int y, std::size_t i) {
      Color sum = layers.diffuse[i] * (kernel[0] * kernel[0]);
      float weights = kernel[0] * kernel[0];
      for_neighbours(layers, x, y, 2, stride, pixel_angle, [&](std::size_t j, float weight) {
        const float jump = (guide[i] - guide[j]) / (0.09f * (guide[i] + guide[j]) + 1e-3f);
        weight *= falling(jump * jump);
        sum += layers.diffuse[j] * weight;
        weights += weight;
      });
      out[i] = sum * (1 / weights);
    });
    layers.diffuse.swap(out);
  }
}

}  // namespace knead
