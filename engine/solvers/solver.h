// What every solver offers: State at t to State at t + dt. A solver neither logs nor writes nor reads clocks for decisions.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "world/state.h"
#include "world/world.h"

namespace knead {

// Why a step was not longer.
struct StepLimit {
  double dt = 0;     // [s]
  std::string rule;  // "wave", "particle", "viscosity", "fixed", "frame", "retry"
  int body = -1;     // index into World::bodies, or -1
};

struct PhaseTime {
  const char* name;
  double milliseconds;
};

enum class StepStatus { ok, diverged };

struct StepReport {
  StepStatus status = StepStatus::ok;
  std::vector<PhaseTime> phases;
  std::size_t grid_blocks = 0;
  int iterations = 0;  // of an implicit solve; 0: explicit
  // When diverged: State is unchanged, and this says what went wrong where.
  std::string quantity;  // "grid velocity is not finite", "grid velocity crosses more than a cell"
  int body = -1;
  Vec3d position;
  double value = 0;
};

struct SolverEstimate {  // for `knead check`
  std::size_t particles = 0, grid_nodes = 0, memory_bytes = 0;
  std::vector<StepLimit> limits;  // all candidates at the start, the smallest first
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual void prepare(const World& world, State& state) = 0;  // adds the columns it needs, with their values at rest
  virtual StepLimit stable_dt(const World& world, const State& state) = 0;
  virtual StepReport step(const World& world, State& state, double dt) = 0;
  virtual SolverEstimate estimate(const World& world, const State& state) = 0;
};

}  // namespace knead
