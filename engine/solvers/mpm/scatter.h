// P2G: momentum and mass of a block's particles into its pad (MLS-MPM: the stress force rides on the affine momentum). Momenta are
// computed many particles at a time; the sums over nodes go one particle at a time, a row of three nodes per instruction.
#pragma once
#include <cstring>

#include "math/vec.h"
#include "solvers/mpm/constitutive.h"
#include "solvers/mpm/weights.h"

namespace knead {
inline namespace KNEAD_ISA {

// One vector of records: see make_momenta. Q is that of the comment below times dx.
template <class T>
KNEAD_INLINE void make_record(const Weights<T>& weights, int k, const Mat3<Wide<T>>& Q, const Vec3<Wide<T>>& momentum, const Wide<T>& mass,
                              T (*record)[16]) {
  using S = Wide<T>;
  S column[4][4];  // [p0, q_x, q_y, q_z][component, mass]
  for (int a = 0; a < 3; ++a)
    for (int r = 0; r < 3; ++r) column[a + 1][r] = Q(r, a);
  const S f[3] = {S::load(weights.fraction[0] + k), S::load(weights.fraction[1] + k), S::load(weights.fraction[2] + k)};
  for (int r = 0; r < 3; ++r) column[0][r] = momentum[r] - (column[1][r] * f[0] + column[2][r] * f[1] + column[3][r] * f[2]);
  column[0][3] = mass;
  for (int a = 0; a < 4; ++a) interleave(column[a], record[k] + 4 * a, 16);
}

// Momentum of a chunk as a linear function of the node: record = (p0, q_x, q_y, q_z), momentum at node (a, b, c) of the stencil
// = weight * (p0 + a q_x + b q_y + c q_z), with Q = m C - dt V0 (4/dx^2) tau and p0 = m v - Q (x - x_first).
template <class T>
KNEAD_INLINE void make_momenta(const MpmContext<T>& context, T density, std::uint32_t first, int count, const Weights<T>& weights,
                               const T* tau, T (*record)[16]) {
  using S = Wide<T>;
  const ParticleView<T>& p = context.particles;
  const S stress_factor(-context.dt * 4 * context.inverse_dx * context.inverse_dx);
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const S volume = S::load(p.volume + i), mass = volume * S(density);
    Mat3<S> Q;
    if (context.transfer == TransferType::apic && !context.round_trip) {
      for (int c = 0; c < 9; ++c) Q.m[c] = S::load(p.C[c] + i) * mass;
    } else if (context.round_trip || context.transfer == TransferType::rpic) {
      const S half = S(0.5) * mass;
      const S a = (S::load(p.C[1] + i) - S::load(p.C[3] + i)) * half, b = (S::load(p.C[2] + i) - S::load(p.C[6] + i)) * half,
              c = (S::load(p.C[5] + i) - S::load(p.C[7] + i)) * half;
      Q = {{S(0.0), a, b, -a, S(0.0), c, -b, -c, S(0.0)}};
    }
    if (tau) {
      const S factor = volume * stress_factor;
      auto stress = [&](int c) KNEAD_INLINE_LAMBDA { return S::load(tau + c * chunk_particles + k) * factor; };
      Q = Q + to_matrix(Sym3<S>{stress(0), stress(1), stress(2), stress(3), stress(4), stress(5)});
    }
    const Vec3<S> momentum{S::load(p.velocity[0] + i) * mass, S::load(p.velocity[1] + i) * mass, S::load(p.velocity[2] + i) * mass};
    make_record(weights, k, Q * S(context.dx), momentum, mass, record);
  }
}

// First and last stencil begin along each axis of the pad.
struct StencilRange {
  int low[3] = {pad_size, pad_size, pad_size}, high[3] = {-1, -1, -1};
  KNEAD_INLINE void add(int node) {
    const int at[3] = {node / (pad_size * pad_size), node / pad_size % pad_size, node % pad_size};
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = at[axis] < low[axis] ? at[axis] : low[axis];
      high[axis] = at[axis] > high[axis] ? at[axis] : high[axis];
    }
  }
  KNEAD_INLINE PadBox box() const {
    PadBox box;
    for (int axis = 0; axis < 3; ++axis) {
      box.low[axis] = static_cast<std::uint8_t>(low[axis]);
      box.size[axis] = static_cast<std::uint8_t>(high[axis] + 3 - low[axis]);
    }
    return box;
  }
};

// Adds a chunk to the pad. Particles lie by cell, so the 3x3 rows of nodes stay in registers while the cell stays the same.
template <class T>
KNEAD_INLINE void scatter_chunk(int count, const Weights<T>& weights, const T (*record)[16], T* pad, StencilRange& range) {
  using R = Row<T>;
  alignas(64) static constexpr T steps[4] = {0, 1, 2, 3};
  const R step = R::spread(steps);
  R sum[9];
  for (auto& s : sum) s = R::zero();
  int current = static_cast<int>(weights.first_node[0]);
  auto flush = [&]() KNEAD_INLINE_LAMBDA {
    range.add(current);
    T* const corner = pad + 4 * current;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        T* const target = corner + 4 * pad_size * (pad_size * a + b);
        (R::load(target) + sum[3 * a + b]).store(target);
      }
  };
  for (int k = 0; k < count; ++k) {
    const int node = static_cast<int>(weights.first_node[k]);
    if (node != current) {
      flush();
      for (auto& s : sum) s = R::zero();
      current = node;
    }
    const R wz = R::spread(weights.z[k]);
    const R q_x = R::repeat(record[k] + 4) * wz, q_y = R::repeat(record[k] + 8) * wz;
    R row_b = (R::repeat(record[k]) + R::repeat(record[k] + 12) * step) * wz;
    for (int b = 0; b < 3; ++b) {
      R row = row_b;
      for (int a = 0; a < 3; ++a) {
        add_product(sum[3 * a + b], row, weights.xy[3 * a + b][k]);
        if (a < 2) row = row + q_x;
      }
      if (b < 2) row_b = row_b + q_y;
    }
  }
  flush();
}

// The box of a pad, without gaps.
template <class T> KNEAD_INLINE void store_box(const T* pad, const PadBox& box, T* out) {
  const std::size_t row = 4 * std::size_t(box.size[2]);
  for (int x = 0; x < box.size[0]; ++x)
    for (int y = 0; y < box.size[1]; ++y, out += row) {
      const T* from = pad + 4 * (pad_size * (pad_size * (x + box.low[0]) + y + box.low[1]) + box.low[2]);
      for (std::size_t k = 0; k < row; k += 4) std::memcpy(out + k, from + k, 4 * sizeof(T));
    }
}

template <class T> void scatter_block(const MpmContext<T>& context, std::uint32_t block) {
  constexpr std::size_t pad_values = pad_nodes * 4;
  // One node more than the pad: the last row's fourth node, which only ever receives zeros.
  alignas(64) T pad[pad_values + 16], pad_before[pad_values + 16];
  alignas(64) T tau[6 * chunk_particles], record[chunk_particles][16];
  Weights<T> weights;
  StencilRange range;
  const bool has_forces = !context.round_trip && !context.momentum_only;
  std::memset(pad, 0, sizeof pad);
  if (context.pads_before) std::memset(pad_before, 0, sizeof pad_before);
  for (std::uint32_t r = context.first_run[block]; r < context.first_run[block + 1]; ++r) {
    const Run run = context.runs[r];
    const GroupLaw<T>& group = context.groups[run.group];
    T largest = 0;
    for (std::uint32_t first = run.begin; first < run.end; first += chunk_particles) {
      const int count = static_cast<int>(run.end - first < chunk_particles ? run.end - first : chunk_particles);
      if (has_forces) {
        T modulus = group.stress(context, group, first, count, tau);
        if (group.branch) modulus += add_branch_stress(context, *group.branch, first, count, tau);
        largest = modulus > largest ? modulus : largest;
      }
      make_weights<true>(context, context.blocks[block], first, count, weights);
      make_momenta<T>(context, group.density, first, count, weights, has_forces ? tau : nullptr, record);
      scatter_chunk<T>(count, weights, record, pad, range);
      if (context.pads_before) {
        make_momenta<T>(context, group.density, first, count, weights, nullptr, record);
        scatter_chunk<T>(count, weights, record, pad_before, range);
      }
    }
    context.measures[r].wave_modulus = largest;
  }
  const PadBox box = range.box();
  context.boxes[block] = box;
  store_box(pad, box, context.pads + block * pad_values);
  if (context.pads_before) store_box(pad_before, box, context.pads_before + block * pad_values);
}

}  // namespace KNEAD_ISA
}  // namespace knead
