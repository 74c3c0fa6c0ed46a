// Times the phases of a step for its report; no decision hangs on it.
#pragma once
#include <chrono>

#include "solvers/solver.h"

namespace knead {

class PhaseClock {
 public:
  explicit PhaseClock(StepReport& report) : report_(report) {}
  void end(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    report_.phases.push_back({name, std::chrono::duration<double, std::milli>(now - last_).count()});
    last_ = now;
  }

 private:
  StepReport& report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace knead
