// Ruiz equilibration of the splitting (an option): rows of the linearised optimality conditions in (F, v, y),
//   ( H  0  W     )
//   ( 0  M  -D^T W)
//   ( W  -W D  0  ),
// are scaled until their largest entries are alike. With exact solves only the scale R of the constraints changes the iterations; it is kept
// one number per particle, so that local steps stay isotropic, and goes into the weights.
#pragma once
#include "solvers/mpm/kernels.h"
#include "world/state.h"

namespace knead {

// w^2 becomes R^2 w^2 for every branch; H is taken as w^2. `grid` holds (velocity, mass).
template <class T>
void equilibrate(const MpmContext<T>& context, const AdmmContext<T>& admm, const State& state, std::size_t grid_blocks, const T* grid,
                 int sweeps);

}  // namespace knead
