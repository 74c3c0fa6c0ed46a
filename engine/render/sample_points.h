// Sample points for pictures: the same for a pixel whatever thread renders it, and spread evenly over neighbouring pixels too.
//
// A pixel takes a run of a (0,2)-sequence that starts at the pixel's place on a Z-shaped curve, so that the pixels of every square block
// share one well-stratified set; the order in each square is shuffled, lest patterns show.
#pragma once
#include <cmath>
#include <cstdint>

#include "render/color.h"

namespace knead {

KNEAD_INLINE std::uint32_t scramble(std::uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

struct Point2 {
  float x = 0, y = 0;
};

class SamplePoints {
 public:
  // One stream of points of a pixel; streams with different numbers are independent. `per_pixel` is a power of two.
  SamplePoints(std::uint32_t x, std::uint32_t y, std::uint32_t stream, std::uint32_t per_pixel) {
    constexpr int levels = 8;  // squares up to 256 pixels share a set
    std::uint32_t place = scramble((x >> levels) * 0x9e3779b9u ^ scramble((y >> levels) ^ stream * 0x85ebca6bu)), index = 0;
    mask_x_ = scramble(place ^ 0x68bc21ebu), mask_y_ = scramble(place ^ 0x02e5be93u);
    for (int level = levels - 1; level >= 0; --level) {
      const std::uint32_t quarter = ((x >> level) & 1) | ((y >> level) & 1) << 1;
      index = index << 2 | (quarter ^ (place & 3));  // two random bits: one of four orders of the quarters
      place = scramble(place + 4 * quarter + 1);
    }
    first_ = index * per_pixel;
  }

  Point2 operator()(std::uint32_t sample) const {
    const std::uint32_t index = first_ + sample;
    return {unit(reversed(index) ^ mask_x_), unit(sobol(index) ^ mask_y_)};
  }

 private:
  static std::uint32_t reversed(std::uint32_t bits) {
    bits = bits << 16 | bits >> 16;
    bits = (bits & 0x00ff00ffu) << 8 | (bits & 0xff00ff00u) >> 8;
    bits = (bits & 0x0f0f0f0fu) << 4 | (bits & 0xf0f0f0f0u) >> 4;
    bits = (bits & 0x33333333u) << 2 | (bits & 0xccccccccu) >> 2;
    return (bits & 0x55555555u) << 1 | (bits & 0xaaaaaaaau) >> 1;
  }
  // Second dimension of the Sobol sequence: its direction numbers are the rows of Pascal's triangle modulo 2.
  static std::uint32_t sobol(std::uint32_t index) {
    std::uint32_t result = 0;
    for (std::uint32_t direction = 1u << 31; index; index >>= 1, direction ^= direction >> 1)
      if (index & 1) result ^= direction;
    return result;
  }
  static float unit(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

  std::uint32_t first_, mask_x_, mask_y_;
};

// Two unit vectors that make a right-handed frame with the unit vector n.
inline void frame_of(const Vec3f& n, Vec3f& u, Vec3f& v) {
  const Vec3f other = std::fabs(n.x) < 0.6f ? Vec3f{1, 0, 0} : Vec3f{0, 1, 0};
  u = normalized(cross(other, n));
  v = cross(n, u);
}

// Evenly over the unit disc, without the seam of polar coordinates.
inline Point2 on_disc(Point2 p) {
  const float a = 2 * p.x - 1, b = 2 * p.y - 1;
  if (a == 0 && b == 0) return {};
  constexpr float quarter = 0.785398163f;
  const bool wide = std::fabs(a) > std::fabs(b);
  const float radius = wide ? a : b, angle = wide ? quarter * (b / a) : 2 * quarter - quarter * (a / b);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// Directions around n with density cos / pi.
inline Vec3f cosine_direction(const Vec3f& n, Point2 p) {
  Vec3f u, v;
  frame_of(n, u, v);
  const Point2 d = on_disc(p);
  return u * d.x + v * d.y + n * std::sqrt(std::max(0.0f, 1 - d.x * d.x - d.y * d.y));
}

}  // namespace knead
