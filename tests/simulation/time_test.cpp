#include <doctest/doctest.h>

#include "simulation/simulation.h"
#include "simulation/time_step.h"

using namespace knead;

TEST_CASE("the number of frames is the duration times the rate, rounded up but not by rounding errors") {
  auto frames = [](double duration, double fps) {
    RunSettings settings;
    settings.duration = duration, settings.fps = fps;
    return settings.frame_count();
  };
  CHECK(frames(1.0, 24) == 24);
  CHECK(frames(0.1, 30) == 3);  // 0.1 * 30 = 3.0000000000000004
  CHECK(frames(0.7, 10) == 7);
  CHECK(frames(1.1, 10) == 11);  // 11.000000000000002
  CHECK(frames(0.26, 10) == 3);
  CHECK(frames(1000000.0 / 3, 3) == 1000000);
  CHECK(frames(0.001, 24) == 1);
}

TEST_CASE("a step is the limit, half of a short rest, or the whole rest") {
  const StepLimit limit{0.1, "wave", 2};
  const StepChoice free = fit_step(limit, 0.5);
  CHECK(free.limit.dt == 0.1);
  CHECK(free.limit.rule == "wave");
  CHECK(free.limit.body == 2);
  CHECK(!free.lands);

  const StepChoice halved = fit_step(limit, 0.15);
  CHECK(halved.limit.dt == 0.075);
  CHECK(halved.limit.rule == "frame");
  CHECK(!halved.lands);

  const StepChoice whole = fit_step(limit, 0.04);
  CHECK(whole.limit.dt == 0.04);
  CHECK(whole.limit.rule == "frame");
  CHECK(whole.lands);
}

TEST_CASE("a rest that is one or two steps long up to rounding is not cut further") {
  const StepLimit limit{0.1, "fixed", -1};
  CHECK(fit_step(limit, 0.1 * (1 + 1e-12)).lands);
  CHECK(fit_step(limit, 0.1 * (1 + 1e-12)).limit.rule == "fixed");
  CHECK(fit_step(limit, 0.2 * (1 - 1e-12)).limit.dt == 0.1);
  CHECK(fit_step(limit, 0.2).limit.dt == 0.1);
}

TEST_CASE("an unlimited step covers the whole rest") {
  const StepChoice choice = fit_step({std::numeric_limits<double>::infinity(), "none", -1}, 0.3);
  CHECK(choice.lands);
  CHECK(choice.limit.dt == 0.3);
}
