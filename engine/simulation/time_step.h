// How the time of a run is cut: frames at exact times, steps that land on them.
#pragma once
#include "solvers/solver.h"

namespace knead {

struct StepChoice {
  StepLimit limit;     // dt, and the rule that it obeys
  bool lands = false;  // ends exactly on the frame
};

// The longest step that the limit allows on the way to the frame, `rest` away [s]. Less than two steps before the frame the
// rest is halved, so that no frame ends with a tiny step (whose rounding errors would be divided by a tiny dt).
StepChoice fit_step(const StepLimit& limit, double rest);

}  // namespace knead
