// A number or vector that changes in time by key frames.
#pragma once
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace knead {

enum class Interpolation { linear, smooth, step };
inline constexpr std::array<const char*, 3> enum_names(Interpolation) { return {"linear", "smooth", "step"}; }

template <class T> struct Animated {
  std::vector<std::pair<double, T>> keys;  // sorted by time [s]; one key = constant
  Interpolation interpolation = Interpolation::linear;

  Animated(T value = T{}) : keys{{0.0, value}} {}

  bool constant() const { return keys.size() == 1; }

  // Before the first key and after the last one the value is that key's.
  T at(double time) const {
    if (time <= keys.front().first) return keys.front().second;
    if (time >= keys.back().first) return keys.back().second;
    const auto [a, b, s] = segment(time);
    if (interpolation == Interpolation::step) return a->second;
    return a->second + (b->second - a->second) * (interpolation == Interpolation::smooth ? s * s * (3 - 2 * s) : s);
  }

  // Time derivative, from the right at a key.
  T rate(double time) const {
    if (constant() || time < keys.front().first || time >= keys.back().first || interpolation == Interpolation::step) return T{};
    const auto [a, b, s] = segment(time);
    const double slope = interpolation == Interpolation::smooth ? 6 * s * (1 - s) : 1.0;
    return (b->second - a->second) * (slope / (b->first - a->first));
  }

 private:
  struct Segment {
    const std::pair<double, T>*a, *b;
    double s;
  };
  Segment segment(double time) const {
    auto next = std::upper_bound(keys.begin(), keys.end(), time, [](double t, const auto& key) { return t < key.first; });
    const auto *b = &*next, *a = b - 1;
    return {a, b, (time - a->first) / (b->first - a->first)};
  }
};

}  // namespace knead
