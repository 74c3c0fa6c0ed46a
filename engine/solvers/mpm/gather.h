// G2P: velocities, velocity gradients and positions of a block's particles from the grid.
#pragma once
#include <cstring>

#include "solvers/mpm/constitutive.h"
#include "solvers/mpm/weights.h"

namespace knead {
inline namespace KNEAD_ISA {

// The nodes around a block, from the 27 grid blocks that hold them.
template <class T> KNEAD_INLINE void load_pad(const MpmContext<T>& context, std::uint32_t block, const T* grid, T* pad) {
  const PadBox box = context.boxes[block];
  for (int x = box.low[0]; x < box.low[0] + box.size[0]; ++x)
    for (int y = box.low[1]; y < box.low[1] + box.size[1]; ++y) {
      const int nx = x - 1 + block_size, ny = y - 1 + block_size;  // node counted from the corner of the block at -1
      const std::int32_t* source = &context.neighbours[block][9 * (nx / block_size) + 3 * (ny / block_size)];
      const std::size_t row = 4 * block_size * (block_size * (nx % block_size) + ny % block_size);
      T* to = pad + 4 * pad_size * (pad_size * x + y);
      auto from = [&](int d) KNEAD_INLINE_LAMBDA { return grid + static_cast<std::size_t>(source[d]) * block_nodes * 4 + row; };
      std::memcpy(to, from(0) + 4 * 3, 4 * sizeof(T));
      std::memcpy(to + 4, from(1), 16 * sizeof(T));
      std::memcpy(to + 20, from(2), 12 * sizeof(T));
      // A row of four nodes that begins at the sixth ends here, with weight 0: whatever is not loaded must be a number.
      std::memset(to + 4 * pad_size, 0, 4 * sizeof(T));
    }
}

// Velocity and its first moments at each particle of a chunk: record = (v, sum w v (x_i - x_p)_x / dx, ..._y, ..._z).
template <class T> KNEAD_INLINE void gather_chunk(int count, const Weights<T>& weights, const T* pad, T (*record)[16]) {
  using R = Row<T>;
  R node[9];
  int current = static_cast<int>(weights.first_node[0]);
  auto fetch = [&]() KNEAD_INLINE_LAMBDA {
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) node[3 * a + b] = R::load(pad + 4 * (current + pad_size * (pad_size * a + b)));
  };
  fetch();
  for (int k = 0; k < count; ++k) {
    const int first = static_cast<int>(weights.first_node[k]);
    if (first != current) {
      current = first;
      fetch();
    }
    R sum = R::zero(), moment_x = R::zero(), moment_y = R::zero();
    for (int b = 0; b < 3; ++b) {
      R line = node[b] * weights.x[0][k], line_x = node[b] * weights.moment_x[0][k];
      for (int a = 1; a < 3; ++a) {
        add_product(line, node[3 * a + b], weights.x[a][k]);
        add_product(line_x, node[3 * a + b], weights.moment_x[a][k]);
      }
      add_product(sum, line, weights.y[b][k]);
      add_product(moment_x, line_x, weights.y[b][k]);
      add_product(moment_y, line, weights.moment_y[b][k]);
    }
    const R wz = R::spread(weights.z[k]);
    (sum * wz).store_sum(record[k]);
    (moment_x * wz).store_sum(record[k] + 4);
    (moment_y * wz).store_sum(record[k] + 8);
    (sum * R::spread(weights.moment_z[k])).store_sum(record[k] + 12);
  }
}

// Asks for the columns of the chunk after the one that begins at `first`: G2P writes two dozen arrays at once, more streams than the
// processor follows by itself. Asking past the end of a column is harmless.
template <class T, int N> KNEAD_INLINE void prefetch_next(T* const (&columns)[N], std::uint32_t first) {
  constexpr std::uint32_t line = 64 / sizeof(T);
  for (T* column : columns)
    for (std::uint32_t k = 0; k < chunk_particles; k += line) __builtin_prefetch(column + first + chunk_particles + k, 1);
}

// Velocities, gradients and positions of a chunk; returns whether a particle leaves what the pad can hold.
template <class T>
KNEAD_INLINE bool advance_chunk(const MpmContext<T>& context, const BlockCoordinates& block, std::uint32_t first, int count,
                                const T (*record)[16], const T (*before)[16], Wide<T>& fastest) {
  using S = Wide<T>;
  const ParticleView<T>& p = context.particles;
  bool leaves = false;
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    S v[4], moment[4], old[4];
    deinterleave(record[k], 16, v);
    for (int a = 0; a < 3; ++a) {
      deinterleave(record[k] + 4 * (a + 1), 16, moment);
      for (int r = 0; r < 3; ++r) (moment[r] * S(4 * context.inverse_dx)).store(p.C[3 * r + a] + i, rest);
    }
    if (before) deinterleave(before[k], 16, old);
    S outside(0.0), speed(0.0);
    for (int r = 0; r < 3; ++r) {
      const S x = S::load(p.position[r] + i) + v[r] * S(context.round_trip ? T(0) : context.dt);
      const S local = (x - S(context.origin[r])) * S(context.inverse_dx) - S(static_cast<T>(block_size * block[r] - 1));
      // The stencil must begin at -1 ... 4, that is at 0 ... 5 of the pad.
      const auto within = local >= S(0.5) && local < S(6.5) && x >= S(context.domain_min[r]) && x < S(context.domain_max[r]);
      outside = select(within, outside, S(1.0));
      x.store(p.position[r] + i, rest);
      const S velocity = before ? v[r] + (S::load(p.velocity[r] + i) - old[r]) * S(context.flip_ratio) : v[r];
      velocity.store(p.velocity[r] + i, rest);
      speed = speed + velocity * velocity;
    }
    for (int lane = 0; lane < S::lanes; ++lane)
      if (lane >= rest) speed.v[lane] = 0, outside.v[lane] = 0;
    leaves = leaves || any(outside > S(0.0));
    fastest = max(fastest, speed);
  }
  return leaves;
}

template <class T> void gather_block(const MpmContext<T>& context, std::uint32_t block) {
  constexpr std::size_t pad_values = pad_nodes * 4;
  alignas(64) T pad[pad_values + 16], pad_before[pad_values + 16];
  alignas(64) T record[chunk_particles][16], before[chunk_particles][16];
  Weights<T> weights;
  load_pad(context, block, context.grid, pad);
  if (context.grid_before) load_pad(context, block, context.grid_before, pad_before);
  for (std::uint32_t r = context.first_run[block]; r < context.first_run[block + 1]; ++r) {
    const Run run = context.runs[r];
    const GroupLaw<T>& group = context.groups[run.group];
    Wide<T> fastest(0.0);
    bool leaves = false;
    for (std::uint32_t first = run.begin; first < run.end; first += chunk_particles) {
      const int count = static_cast<int>(run.end - first < chunk_particles ? run.end - first : chunk_particles);
      prefetch_next(context.particles.position, first);
      prefetch_next(context.particles.velocity, first);
      prefetch_next(context.particles.C, first);
      if (context.particles.F[0]) prefetch_next(context.particles.F, first);
      make_weights<false>(context, context.blocks[block], first, count, weights);
      gather_chunk<T>(count, weights, pad, record);
      if (context.grid_before) gather_chunk<T>(count, weights, pad_before, before);
      leaves =
          advance_chunk<T>(context, context.blocks[block], first, count, record, context.grid_before ? before : nullptr, fastest) || leaves;
      if (context.round_trip) continue;
      group.update(context, group, first, count);
      if (group.branch) update_branch(context, *group.branch, first, count);
    }
    T largest = 0;
    for (int lane = 0; lane < Wide<T>::lanes; ++lane) largest = fastest[lane] > largest ? fastest[lane] : largest;
    context.measures[r].speed_squared = largest;
    context.measures[r].leaves = leaves;
  }
}

}  // namespace KNEAD_ISA
}  // namespace knead
