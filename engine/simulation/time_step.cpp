#include "simulation/time_step.h"

#include <cmath>

#include "simulation/simulation.h"

namespace knead {

namespace {
constexpr double most_frames = 1e9;
constexpr double rounding = 1e-9;  // relative; a frame this much longer than n steps is n steps long
}  // namespace

StepChoice fit_step(const StepLimit& limit, double rest) {
  if (rest < limit.dt * (1 - rounding)) return {{rest, "frame", -1}, true};
  if (rest <= limit.dt * (1 + rounding)) return {{rest, limit.rule, limit.body}, true};
  if (rest < 2 * limit.dt * (1 - rounding)) return {{0.5 * rest, "frame", -1}, false};
  return {limit, false};
}

int RunSettings::frame_count() const {
  if (frames) return *frames;
  const double exact = std::fmin(duration * fps, most_frames), nearest = std::round(exact);
  return static_cast<int>(std::abs(exact - nearest) <= rounding * std::fmax(1.0, nearest) ? nearest : std::ceil(exact));
}

double RunSettings::frame_time(int frame) const { return frame / fps; }

}  // namespace knead
