#include "solvers/mpm/admm_ruiz.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace knead {

namespace {

// body(node of the grid, w_i (x_i - x_p) / dx) for the 27 nodes around a particle of a block.
template <class T, class Body> void each_node(const MpmContext<T>& context, std::uint32_t block, std::uint32_t particle, Body&& body) {
  double weight[3][3], offset[3][3];
  int first[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double x = (double(context.particles.position[axis][particle]) - double(context.origin[axis])) * double(context.inverse_dx);
    const double base = std::floor(x - 0.5), f = x - base;
    weight[axis][0] = 0.5 * (1.5 - f) * (1.5 - f), weight[axis][1] = 0.75 - (f - 1) * (f - 1),
    weight[axis][2] = 0.5 * (f - 0.5) * (f - 0.5);
    for (int k = 0; k < 3; ++k) offset[axis][k] = k - f;
    first[axis] = static_cast<int>(base) - block_size * context.blocks[block][static_cast<std::size_t>(axis)] + block_size;
  }
  for (int n = 0; n < 27; ++n) {
    const int at[3] = {n / 9, n / 3 % 3, n % 3};
    int direction = 0, inside = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int node = first[axis] + at[axis];  // counted from the corner of the block at -1
      direction = 3 * direction + node / block_size, inside = block_size * inside + node % block_size;
    }
    const double w = weight[0][at[0]] * weight[1][at[1]] * weight[2][at[2]];
    const std::size_t grid_block = static_cast<std::size_t>(context.neighbours[block][static_cast<std::size_t>(direction)]);
    body(grid_block * block_nodes + static_cast<std::size_t>(inside), Vec3d{offset[0][at[0]], offset[1][at[1]], offset[2][at[2]]} * w);
  }
}

// The largest entry of D for a node: dt |F^T grad w|, grad w = 4/dx^2 w (x_i - x_p).
template <class T> double entry(const MpmContext<T>& context, T* const (&F)[9], std::uint32_t i, const Vec3d& s) {
  double largest = 0;
  for (int c = 0; c < 3; ++c)
    largest = std::max(largest, std::abs(double(F[c][i]) * s.x + double(F[3 + c][i]) * s.y + double(F[6 + c][i]) * s.z));
  return 4 * double(context.dt) * double(context.inverse_dx) * largest;
}

template <class T>
void equilibrate_branch(const MpmContext<T>& context, const AdmmBranch<T>& branch, T* const (&F)[9], const State& state,
                        std::size_t grid_blocks, const T* grid, int sweeps) {
  if (!F[0]) return;
  std::vector<double> G(state.count, 1), R(state.count, 1), Q(grid_blocks * block_nodes, 1), reach(Q.size());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    std::fill(reach.begin(), reach.end(), 0.0);
    std::vector<double> next_R = R;
    for (const Run& run : state.order.runs) {
      if (context.groups[run.group].is_fluid) continue;
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        const double H = double(branch.weight[i]), W = std::sqrt(H);
        double row = W * G[i];
        each_node(context, run.block, i, [&](std::size_t node, const Vec3d& s) {
          const double d = W * entry(context, F, i, s);
          row = std::max(row, d * Q[node]);
          reach[node] = std::max(reach[node], d * R[i]);
        });
        next_R[i] = R[i] / std::sqrt(R[i] * row);
        G[i] /= std::sqrt(std::max(G[i] * G[i] * H, G[i] * W * R[i]));
      }
    }
    for (std::size_t node = 0; node < Q.size(); ++node) {
      const double norm = std::max(Q[node] * Q[node] * double(grid[4 * node + 3]), Q[node] * reach[node]);
      if (reach[node] > 0 && norm > 0) Q[node] /= std::sqrt(norm);
    }
    R = std::move(next_R);
  }
  // The scale of all of R together is that of the penalty, which is not to change.
  double logarithms = 0;
  for (double r : R) logarithms += std::log(r);
  const double mean = std::exp(logarithms / double(std::max<std::size_t>(state.count, 1)));
  for (std::size_t i = 0; i < state.count; ++i) branch.weight[i] *= static_cast<T>(std::pow(R[i] / mean, 2));
}

}  // namespace

template <class T>
void equilibrate(const MpmContext<T>& context, const AdmmContext<T>& admm, const State& state, std::size_t grid_blocks, const T* grid,
                 int sweeps) {
  equilibrate_branch(context, admm.elastic, context.particles.F, state, grid_blocks, grid, sweeps);
  if (admm.viscous.weight) equilibrate_branch(context, admm.viscous, context.particles.F_N, state, grid_blocks, grid, sweeps);
}

template void equilibrate(const MpmContext<float>&, const AdmmContext<float>&, const State&, std::size_t, const float*, int);
template void equilibrate(const MpmContext<double>&, const AdmmContext<double>&, const State&, std::size_t, const double*, int);

}  // namespace knead
