#include "render/color.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace knead {

float to_linear(float srgb) { return srgb <= 0.04045f ? srgb / 12.92f : std::pow((srgb + 0.055f) / 1.055f, 2.4f); }
float to_srgb(float linear) { return linear <= 0.0031308f ? linear * 12.92f : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f; }
Color to_linear(const Color& srgb) { return {to_linear(srgb.x), to_linear(srgb.y), to_linear(srgb.z)}; }
Color to_srgb(const Color& linear) { return {to_srgb(linear.x), to_srgb(linear.y), to_srgb(linear.z)}; }

Color tone_map(const Color& linear) {
  constexpr float shoulder = 0.55f, white = 5;  // straight up to the shoulder; `white` becomes 1
  // Above the shoulder an exponential with the same slope, scaled so that `white` just reaches 1.
  constexpr float reach = 1 - shoulder;
  const float scale = 1 / (1 - std::exp(-(white - shoulder) / reach));
  auto curve = [&](float x) {
    if (x <= shoulder) return std::max(0.0f, x);
    return std::min(1.0f, shoulder + reach * scale * (1 - std::exp(-(x - shoulder) / (reach * scale))));
  };
  // Bright colours go towards white: the part beyond the shoulder is shared out to the other channels.
  const float peak = std::max({linear.x, linear.y, linear.z});
  const float wash = peak > shoulder ? 0.35f * (1 - shoulder / peak) : 0.0f;
  const float grey = luminance(linear);
  const Color washed = linear * (1 - wash) + Color{grey, grey, grey} * wash;
  return {curve(washed.x), curve(washed.y), curve(washed.z)};
}

namespace {

using Stop = std::array<std::uint8_t, 3>;  // sRGB, evenly spaced
constexpr Stop viridis[] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142}, {38, 130, 142},
                            {31, 158, 137}, {53, 183, 121}, {109, 205, 89}, {180, 222, 44}, {253, 231, 37}};
constexpr Stop inferno[] = {{2, 2, 10},    {31, 12, 72},   {85, 15, 109},  {136, 34, 106}, {186, 54, 85},
                            {227, 89, 51}, {249, 140, 10}, {249, 201, 50}, {252, 255, 164}};
constexpr Stop coolwarm[] = {{59, 76, 192},   {98, 130, 234},  {141, 176, 254}, {184, 208, 249}, {221, 221, 221},
                             {245, 196, 173}, {244, 154, 123}, {222, 96, 77},   {180, 4, 38}};
constexpr Stop gray[] = {{20, 20, 20}, {235, 235, 235}};

std::span<const Stop> stops_of(ColorMap map) {
  switch (map) {
    case ColorMap::inferno: return inferno;
    case ColorMap::coolwarm: return coolwarm;
    case ColorMap::gray: return gray;
    default: return viridis;
  }
}

}  // namespace

Color map_color(ColorMap map, float share) {
  const std::span<const Stop> stops = stops_of(map);
  const float place = std::clamp(share, 0.0f, 1.0f) * static_cast<float>(stops.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const float part = place - static_cast<float>(below);
  auto channel = [&](std::size_t i) {
    return (static_cast<float>(stops[below][i]) * (1 - part) + static_cast<float>(stops[below + 1][i]) * part) / 255;
  };
  return {channel(0), channel(1), channel(2)};
}

Color turned_hue(const Color& linear, float degrees) {
  // Rotation about (1, 1, 1): greys stay, and so does the sum of the channels.
  const float angle = degrees * 3.14159265f / 180, c = std::cos(angle), s = std::sin(angle) / std::sqrt(3.0f), t = (1 - c) / 3;
  const Color turned{linear.x * (c + t) + linear.y * (t - s) + linear.z * (t + s),
                     linear.x * (t + s) + linear.y * (c + t) + linear.z * (t - s),
                     linear.x * (t - s) + linear.y * (t + s) + linear.z * (c + t)};
  return {std::clamp(turned.x, 0.0f, 1.0f), std::clamp(turned.y, 0.0f, 1.0f), std::clamp(turned.z, 0.0f, 1.0f)};
}

}  // namespace knead
