#include "render/sky.h"

#include <algorithm>
#include <cmath>

namespace knead {

Color Sky::radiance(const Vec3f& direction) const {
  // The gradient begins below the horizon, where the far ground fades into it: no line shows.
  const float height = std::max(0.0f, dot(direction, up) + 0.2f);
  const float share = 1 - std::exp(-2.5f * height * std::sqrt(height));
  // The air glows around the sun.
  const float near = std::max(0.0f, dot(direction, sun)), near4 = near * near * near * near;
  return (horizon * (1 - share) + zenith * share) * (1 + 0.35f * near4 * near4) + horizon * Color{0.14f, 0.11f, 0.07f} * near4;
}

Color Sky::studio(const Vec3f& direction) const {
  const float height = dot(direction, up);
  const Vec3f flat = sun - up * dot(sun, up);
  const float side = dot(direction, flat) / std::max(1e-3f, length(flat));
  auto soft = [](float from, float to, float x) {
    const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
  };
  const Color base = radiance(direction) * (0.30f + 0.5f * soft(-0.6f, 0.9f, side));
  // A large lamp overhead and a narrow one opposite the sun.
  const float overhead = soft(0.45f, 0.75f, height) * soft(-0.5f, 0.2f, side);
  const float rim = soft(0.55f, 0.75f, -side) * soft(-0.1f, 0.15f, height) * (1 - soft(0.45f, 0.7f, height));
  return base + Color{1.5f, 1.47f, 1.42f} * overhead + Color{0.75f, 0.82f, 0.9f} * rim;
}

Color Sky::lit_ground() const { return ground * (sun_light * std::max(0.0f, dot(sun, up)) + (horizon + zenith) * 0.5f); }

Color Sky::ambient(const Vec3f& normal) const {
  const float share = 0.5f + 0.5f * dot(normal, up);
  const Color above = horizon * 0.45f + zenith * 0.55f;
  return above * share + lit_ground() * (1 - share);
}

Sky sky_for(const Vec3d& up, const Vec3d& view, bool from_right) {
  Sky sky;
  const Vec3d flat = view - up * dot(view, up);
  const double size = length(flat);
  // Straight down there is no forward: any level direction does.
  const Vec3d other = std::abs(up.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1};
  const Vec3d forward = size > 1e-6 * length(view) ? flat / size : normalized(cross(up, other));
  const Vec3d right = cross(forward, up);
  const Vec3d sun = normalized(up * 1.05 + right * (from_right ? 0.74 : -0.74) - forward * 0.48);
  auto to_float = [](const Vec3d& v) { return Vec3f{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; };
  sky.up = to_float(up), sky.sun = to_float(sun);
  return sky;
}

}  // namespace knead
