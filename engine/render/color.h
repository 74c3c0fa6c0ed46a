// Colours: linear light inside the renderer, sRGB in files and scenes, and the maps that turn numbers into colours.
#pragma once
#include <array>
#include <cstdint>

#include "math/vec.h"

namespace knead {

using Color = Vec3f;  // red, green, blue; linear unless a name says sRGB

float to_linear(float srgb);
float to_srgb(float linear);
Color to_linear(const Color& srgb);
Color to_srgb(const Color& linear);
KNEAD_INLINE float luminance(const Color& linear) { return 0.2126f * linear.x + 0.7152f * linear.y + 0.0722f * linear.z; }

// Scene light in [0, infinity) to display light in [0, 1): middle tones keep their contrast, bright ones roll off and lose colour
// as on film. Monotone in each channel of a grey.
Color tone_map(const Color& linear);

enum class ColorMap { viridis, inferno, coolwarm, gray };
inline constexpr std::array<const char*, 4> enum_names(ColorMap) { return {"viridis", "inferno", "coolwarm", "gray"}; }
Color map_color(ColorMap map, float share);  // sRGB; the share is clamped to [0, 1]

// The same colour turned around the grey axis by an angle [degrees], for bodies of the same material.
Color turned_hue(const Color& linear, float degrees);

}  // namespace knead
