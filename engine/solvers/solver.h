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
  std::string rule;  // "wave", "particle", "rigid", "viscosity", "accuracy", "fixed", "frame", "retry"
  int body = -1;     // index into World::bodies, or -1
};

struct PhaseTime {
  const char* name;
  double milliseconds;
};

// One iteration of an implicit solve; residuals that were not asked for are NaN.
struct SolveIteration {
  double primal = 0, dual = 0;  // relative to what they are residuals of
  double residual = 0;          // of the nonlinear balance, relative to that at the start
  double penalty = 0;
  int linear_iterations = 0;
};

enum class StepStatus { ok, diverged };

struct StepReport {
  StepStatus status = StepStatus::ok;
  double dt = 0;  // by which time advanced, when that is less than was asked for [s]; 0: all of it
  std::vector<PhaseTime> phases;
  std::size_t grid_blocks = 0;
  int iterations = 0;                       // of an implicit solve; 0: explicit
  int linear_iterations = 0;                // within those
  double residual = 0;                      // of the momentum balance at the end of an implicit solve: root mean square over the mass [m/s]
  double density_error = 0;                 // mean relative compression that a pressure solve left
  std::vector<SolveIteration> convergence;  // when asked for
  // When diverged: State is unchanged, and this says what went wrong where.
  std::string quantity;  // "grid velocity is not finite", "grid velocity crosses more than a cell"
  int body = -1;
  Vec3d position;
  double value = 0;
};

struct SolverEstimate {  // for `knead check`
  std::size_t particles = 0, grid_nodes = 0, memory_bytes = 0;
  std::size_t pairs = 0;          // neighbours at rest, of solvers without a grid
  std::vector<StepLimit> limits;  // all candidates at the start, the smallest first
  double explicit_dt = 0;         // what an explicit step would have to be, when the solver is implicit [s]; 0: unknown
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
