// One pass of an implicit step over the particles of a block: velocities from the grid, what the particles answer, impulses to the pad.
#pragma once
#include "solvers/mpm/admm_generalized.h"
#include "solvers/mpm/collect.h"
#include "solvers/mpm/gather.h"
#include "solvers/mpm/scatter.h"

namespace knead {
inline namespace KNEAD_ISA {

// Velocity gradients of a chunk from its records of gather_chunk.
template <class T> KNEAD_INLINE void store_gradients(const MpmContext<T>& context, int count, const T (*record)[16], T* C) {
  using S = Wide<T>;
  const S factor(4 * context.inverse_dx);
  for (int k = 0; k < count; k += S::lanes)
    for (int a = 0; a < 3; ++a) {
      S moment[4];
      deinterleave(record[k] + 4 * (a + 1), 16, moment);
      for (int r = 0; r < 3; ++r) (moment[r] * factor).store(C + (3 * r + a) * chunk_particles + k);
    }
}

// D^T Y = dt 4/dx^2 sum w (Y F^T) (x_i - x_p), from the moments Y F^T of a chunk.
template <class T>
KNEAD_INLINE void make_impulses(const MpmContext<T>& context, int count, const Weights<T>& weights, const T* Q, T (*record)[16]) {
  using S = Wide<T>;
  const S factor(context.dt * 4 * context.inverse_dx), zero(0.0);
  for (int k = 0; k < count; k += S::lanes) {
    Mat3<S> moment;
    for (int c = 0; c < 9; ++c) moment.m[c] = S::load(Q + c * chunk_particles + k) * factor;
    make_record<T>(weights, k, moment, {zero, zero, zero}, zero, record);
  }
}

template <class T> void implicit_block(const MpmContext<T>& context, const AdmmContext<T>& admm, std::uint32_t block) {
  constexpr std::size_t pad_values = pad_nodes * 4;
  alignas(64) T pad[pad_values + 16], impulse[pad_values + 16];
  alignas(64) T record[chunk_particles][16], C[9 * chunk_particles], Q[9 * chunk_particles];
  Weights<T> weights;
  StencilRange range;
  const bool transfers = !is_local(admm.pass);
  if (transfers) {
    load_pad(context, block, context.grid, pad);
    std::memset(impulse, 0, sizeof impulse);
  }
  for (std::uint32_t r = context.first_run[block]; r < context.first_run[block + 1]; ++r) {
    const Run run = context.runs[r];
    const GroupLaw<T>& group = context.groups[run.group];
    const bool multiplies = admm.pass == AdmmPass::multiply;
    if (multiplies && !group.couples()) continue;
    double gap = 0;
    for (std::uint32_t first = run.begin; first < run.end; first += chunk_particles) {
      const int count = static_cast<int>(run.end - first < chunk_particles ? run.end - first : chunk_particles);
      if (transfers) {
        make_weights<false>(context, context.blocks[block], first, count, weights);
        gather_chunk<T>(count, weights, pad, record);
        store_gradients<T>(context, count, record, C);
        std::memset(Q, 0, sizeof Q);
      }
      gap += group.implicit(context, admm, group, first, count, C, Q);
      if (group.viscosity > 0) implicit_viscosity(context, admm, group, first, count, C, Q);
      if (group.branch && !multiplies) gap += implicit_branch(context, admm, group, first, count, C, Q);
      if (!transfers) continue;
      make_weights<true>(context, context.blocks[block], first, count, weights);
      make_impulses<T>(context, count, weights, Q, record);
      scatter_chunk<T>(count, weights, record, impulse, range);
    }
    if (!multiplies) admm.gap[r] = gap;
  }
  if (transfers) store_box(impulse, context.boxes[block], context.pads + block * pad_values);
}

// Diagonal of the coupled part, a mean over the components: for a particle V tangent dt (tr C)^2 gives |s|^2 / 3 to a node with
// s = w (x_i - x_p) / dx, and 2 eta V J |dev sym C|^2 gives 5/9 |s|^2, times dt 16 / dx^2. In the first of the four values of a pad's node.
template <class T> void coupled_diagonal(const MpmContext<T>& context, const AdmmContext<T>& admm, std::uint32_t block) {
  constexpr std::size_t pad_values = pad_nodes * 4;
  alignas(64) T pad[pad_values];
  Weights<T> weights;
  std::memset(pad, 0, sizeof pad);
  const T factor = context.dt * 16 * context.inverse_dx * context.inverse_dx;
  for (std::uint32_t r = context.first_run[block]; r < context.first_run[block + 1]; ++r) {
    const Run run = context.runs[r];
    const GroupLaw<T>& group = context.groups[run.group];
    if (!group.couples()) continue;
    for (std::uint32_t first = run.begin; first < run.end; first += chunk_particles) {
      const int count = static_cast<int>(run.end - first < chunk_particles ? run.end - first : chunk_particles);
      make_weights<false>(context, context.blocks[block], first, count, weights);
      for (int k = 0; k < count; ++k) {
        const std::uint32_t i = first + static_cast<std::uint32_t>(k);
        const T volumetric = group.is_fluid ? admm.elastic.weight[i] * context.dt / 3 : T(0);
        const T c = factor * (volumetric + (group.viscosity > 0 ? admm.damping[i] * T(5.0 / 9.0) : T(0)));
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b) {
            const T xy = weights.x[a][k] * weights.y[b][k], mx = weights.moment_x[a][k] * weights.y[b][k],
                    my = weights.x[a][k] * weights.moment_y[b][k];
            T* const line = pad + 4 * (static_cast<int>(weights.first_node[k]) + pad_size * (pad_size * a + b));
            for (int z = 0; z < 3; ++z) {
              const T wz = weights.z[k][z], sx = mx * wz, sy = my * wz, sz = xy * weights.moment_z[k][z];
              line[4 * z] += c * (sx * sx + sy * sy + sz * sz);
            }
          }
      }
    }
  }
  store_box(pad, context.boxes[block], context.pads + block * pad_values);
}

template <class T> void collect_diagonal(const MpmContext<T>& context, std::uint32_t grid_block, T* diagonal) {
  alignas(64) T sum[block_nodes * 4];
  if (!sum_pads(context, grid_block, context.pads, sum)) return;
  for (std::size_t node = 0; node < block_nodes; ++node) diagonal[grid_block * std::size_t(block_nodes) + node] += sum[4 * node];
}

template <class T> double collect_product(const MpmContext<T>& context, std::uint32_t grid_block, const T* p, T* q) {
  alignas(64) T sum[block_nodes * 4];
  if (!sum_pads(context, grid_block, context.pads, sum)) return 0;
  const std::size_t at = static_cast<std::size_t>(grid_block) * block_nodes * 4;
  T total = 0;
  for (std::size_t k = 0; k < block_nodes * 4; ++k) {
    q[at + k] += sum[k];
    total += p[at + k] * sum[k];
  }
  return double(total);
}

template <class T> bool collect_residual(const MpmContext<T>& context, const T* start, std::uint32_t grid_block, T* residual) {
  using N = typename NodeVector<T>::Type;
  alignas(64) T sum[block_nodes * 4];
  const std::size_t at = static_cast<std::size_t>(grid_block) * block_nodes * 4;
  if (!sum_pads(context, grid_block, context.pads, sum)) return false;
  for (int node = 0; node < block_nodes; ++node) {
    N impulse, before, now;
    std::memcpy(&impulse, sum + 4 * node, sizeof impulse);
    std::memcpy(&before, start + at + 4 * node, sizeof before);
    std::memcpy(&now, context.grid + at + 4 * node, sizeof now);
    N r = impulse + (before - now) * before[3];
    if (!(before[3] > T(1e-30))) r = N{};
    r[3] = 0;
    std::memcpy(residual + at + 4 * node, &r, sizeof r);
  }
  return true;
}

}  // namespace KNEAD_ISA
}  // namespace knead
