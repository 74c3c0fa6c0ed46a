#include "frames/by_body.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/error.h"

namespace knead {

namespace {

std::string unique_identifier(const std::string& name, std::set<std::string>& taken) {
  std::string identifier = name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "_" : "";
  for (const char c : name) identifier += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  std::string result = identifier;
  for (int k = 2; !taken.insert(result).second; ++k) result = identifier + "_" + std::to_string(k);
  return result;
}

// As if the particles filled their bounding box: right for a block at rest, too large for a splash.
float estimated_spacing(const FrameColumn& position, const std::vector<std::uint32_t>& particles) {
  double volume = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float low = INFINITY, high = -INFINITY;
    for (const std::uint32_t i : particles) {
      low = std::min(low, position.floats[3 * i + axis]);
      high = std::max(high, position.floats[3 * i + axis]);
    }
    volume *= high - low;
  }
  const double spacing = std::cbrt(volume / static_cast<double>(std::max<std::size_t>(particles.size(), 1)));
  return std::isfinite(spacing) && spacing > 0 ? static_cast<float>(spacing) : 0.01f;
}

}  // namespace

std::vector<BodyParticles> by_body(const Frame& frame) {
  const FrameColumn *position = frame.find("position"), *body = frame.find("body");
  if (!position) throw SimulationError("frame " + std::to_string(frame.index) + " has no positions.");
  std::size_t count = std::max<std::size_t>(frame.body_names.size(), 1);
  if (body)
    for (const std::int32_t index : body->ints) count = std::max(count, static_cast<std::size_t>(std::max(index, 0)) + 1);

  std::vector<BodyParticles> bodies(count);
  for (std::size_t i = 0; i < frame.count; ++i)
    bodies[body ? static_cast<std::size_t>(std::max(body->ints[i], 0)) : 0].particles.push_back(static_cast<std::uint32_t>(i));
  std::set<std::string> taken;
  for (std::size_t b = 0; b < count; ++b) {
    bodies[b].name = b < frame.body_names.size() ? frame.body_names[b] : "body " + std::to_string(b);
    bodies[b].identifier = unique_identifier(bodies[b].name, taken);
    const float told = b < frame.body_spacings.size() ? frame.body_spacings[b] : 0;
    bodies[b].spacing = told > 0 ? told : estimated_spacing(*position, bodies[b].particles);
  }
  return bodies;
}

double frame_rate(const Frame& frame) {
  if (frame.index <= 0 || !(frame.time > 0)) return 24;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", frame.index / frame.time);
  return std::strtod(digits, nullptr);
}

}  // namespace knead
