// What both integrators of MPM share: the order of the particles and the grid around them, the columns as kernels see them, transfers
// without forces, pinned particles, and the checks and measures of a step.
#pragma once
#include <memory>
#include <vector>

#include "solvers/mpm/mpm.h"
#include "solvers/phase_clock.h"
#include "spatial/block_grid.h"

namespace knead {

// Scratch memory that only grows, zero at first: what no step has written must still be a number.
template <class T> class Scratch {
 public:
  T* reserve(std::size_t count) {
    if (count > size_) {
      data_.reset();  // first, so that both never exist at once
      data_.reset(new (std::align_val_t(64)) T[count]{});
      size_ = count;
    }
    return data_.get();
  }
  T* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

// Public throughout: a step is written in these terms.
template <class T> struct Transfers {
  Transfers(const MpmParameters& given, const World& world);

  void prepare(const World& world, State& state) const;                      // columns
  std::vector<double> speeds(const World& world, const State& state) const;  // fastest particle per body [m/s]
  void sort(const World& world, State& state);
  void lay_out(const State& state);
  MpmContext<T> bind(const World& world, State& state, double dt);
  void damp(State& state, MpmContext<T> context);
  void undo_damping(State& state) const;
  using BlockKernel = void (*)(const MpmContext<T>&, std::uint32_t);
  void each_block(const State& state, const MpmContext<T>& context, BlockKernel kernel) const;
  void collect(const MpmContext<T>& context);
  bool check(const World& world, const State& state, double dt, StepReport& report) const;
  void remember_pinned(const World& world, const State& state);
  void carry_pinned(const World& world, State& state, const MpmContext<T>& context, double dt);
  void measure(const World& world, State& state) const;
  SolverEstimate estimate(const World& world, const State& state) const;  // without limits

  MpmParameters parameters;
  Lattice lattice;
  const MpmKernels<T>& kernels;

  // Derived from State::order; rebuilt whenever that changes.
  std::vector<BlockCoordinates> laid_out;
  BlockGrid grid_blocks;
  std::vector<std::uint32_t> first_run;

  // Scratch of one step.
  Scratch<T> pads, pads_before, grid, grid_before;
  std::vector<GroupLaw<T>> groups;
  std::vector<RunMeasure<T>> measures;
  std::vector<PadBox> boxes;
  std::vector<T> speed_squared;     // per grid block; -1: no particle reaches it
  std::vector<T> pinned_positions;  // before the step, of all pinned runs
  std::vector<T> undamped;          // velocity and C before the damping of this step
};

}  // namespace knead
