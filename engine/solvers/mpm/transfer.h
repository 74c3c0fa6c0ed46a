// Transfers between particles and grid with quadratic B-splines (methods: MLS-MPM with APIC). Weights and affine momenta are
// computed many particles at a time; the sums over nodes go one particle at a time, a row of three nodes per instruction.
#pragma once
#include <limits>

#include "math/vec.h"
#include "math/wide.h"
#include "solvers/mpm/constitutive.h"
#include "solvers/mpm/kernels.h"
#include "solvers/mpm/rows.h"

namespace knead {
inline namespace KNEAD_ISA {

// Weights of a chunk of particles, laid out for the loops over nodes.
template <class T>
struct alignas(64) Weights {
  T x[3][chunk_particles], y[3][chunk_particles];                // weights of the three nodes along an axis
  T moment_x[3][chunk_particles], moment_y[3][chunk_particles];  // weight times (node - particle) / dx
  T z[chunk_particles][4], moment_z[chunk_particles][4];         // the same along z, and a fourth node with 0
  T fraction[3][chunk_particles];    // place within the stencil in cells, 0.5 ... 1.5
  T first_node[chunk_particles];     // in the pad
};

// Weights w of the three nodes, and m = w (node - f).
template <class T>
KNEAD_INLINE void spline_weights(const Wide<T>& f, Wide<T> (&w)[4], Wide<T> (&m)[4]) {
  using S = Wide<T>;
  const S a = S(1.5) - f, b = f - S(1.0), c = f - S(0.5);
  w[0] = S(0.5) * a * a, w[1] = S(0.75) - b * b, w[2] = S(0.5) * c * c;
  m[0] = -(f * w[0]), m[1] = -(b * w[1]), m[2] = (S(2.0) - f) * w[2];
}

// Where in its block's pad a particle's stencil begins, and its place within the stencil.
template <class T>
KNEAD_INLINE void locate(const MpmContext<T>& context, const BlockCoordinates& block, std::uint32_t i, Wide<T> (&base)[3], Wide<T> (&fraction)[3]) {
  using S = Wide<T>;
  for (int axis = 0; axis < 3; ++axis) {
    const S local = (S::load(context.particles.position[axis] + i) - S(context.origin[axis])) * S(context.inverse_dx) -
                    S(static_cast<T>(block_size * block[axis] - 1));
    base[axis] = floor(local - S(0.5));
    fraction[axis] = local - base[axis];
  }
}

template <class T>
KNEAD_INLINE void make_weights(const MpmContext<T>& context, const BlockCoordinates& block, std::uint32_t first, int count, Weights<T>& out) {
  using S = Wide<T>;
  for (int k = 0; k < count; k += S::lanes) {
    S base[3], fraction[3], w[4], m[4];
    locate(context, block, first + static_cast<std::uint32_t>(k), base, fraction);
    // A lane past the end may lie anywhere; those that count are inside, but nothing may write outside of the pad.
    const S limit(5.0), zero(0.0);
    ((min(max(base[0], zero), limit) * S(8.0) + min(max(base[1], zero), limit)) * S(8.0) + min(max(base[2], zero), limit)).store(out.first_node + k);
    for (int axis = 0; axis < 3; ++axis) fraction[axis].store(out.fraction[axis] + k);
    spline_weights(fraction[0], w, m);
    for (int n = 0; n < 3; ++n) w[n].store(out.x[n] + k), m[n].store(out.moment_x[n] + k);
    spline_weights(fraction[1], w, m);
    for (int n = 0; n < 3; ++n) w[n].store(out.y[n] + k), m[n].store(out.moment_y[n] + k);
    spline_weights(fraction[2], w, m);
    interleave(w, out.z[k], 4);
    interleave(m, out.moment_z[k], 4);
  }
}

// Momentum of a chunk as a linear function of the node: record = (p0, q_x, q_y, q_z), momentum at node (a, b, c) of the stencil
// = weight * (p0 + a q_x + b q_y + c q_z), with Q = m C - dt V0 (4/dx^2) tau and p0 = m v - Q (x - x_first).
template <class T>
KNEAD_INLINE void make_momenta(const MpmContext<T>& context, T density, std::uint32_t first, int count, const Weights<T>& weights, const T* tau,
                               T (*record)[16]) {
  using S = Wide<T>;
  const ParticleView<T>& p = context.particles;
  const S dx(context.dx), stress_factor(-context.dt * 4 * context.inverse_dx * context.inverse_dx);
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const S volume = S::load(p.volume + i), mass = volume * S(density);
    Mat3<S> Q;
    if (context.transfer == TransferType::apic) {
      for (int c = 0; c < 9; ++c) Q.m[c] = S::load(p.C[c] + i) * mass;
    } else if (context.transfer == TransferType::rpic) {
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
    S column[4][4];  // [p0, q_x, q_y, q_z][component, mass]
    for (int a = 0; a < 3; ++a)
      for (int r = 0; r < 3; ++r) column[a + 1][r] = Q(r, a) * dx;
    const S f[3] = {S::load(weights.fraction[0] + k), S::load(weights.fraction[1] + k), S::load(weights.fraction[2] + k)};
    for (int r = 0; r < 3; ++r)
      column[0][r] = S::load(p.velocity[r] + i) * mass - (column[1][r] * f[0] + column[2][r] * f[1] + column[3][r] * f[2]);
    column[0][3] = mass;
    for (int a = 0; a < 4; ++a) interleave(column[a], record[k] + 4 * a, 16);
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
      const T wy = weights.y[b][k];
      R row = row_b;
      for (int a = 0; a < 3; ++a) {
        add_product(sum[3 * a + b], row, weights.x[a][k] * wy);
        if (a < 2) row = row + q_x;
      }
      if (b < 2) row_b = row_b + q_y;
    }
  }
  flush();
}

// The box of a pad, without gaps.
template <class T>
KNEAD_INLINE void store_box(const T* pad, const PadBox& box, T* out) {
  const std::size_t row = 4 * std::size_t(box.size[2]);
  for (int x = 0; x < box.size[0]; ++x)
    for (int y = 0; y < box.size[1]; ++y, out += row) {
      const T* from = pad + 4 * (pad_size * (pad_size * (x + box.low[0]) + y + box.low[1]) + box.low[2]);
      for (std::size_t k = 0; k < row; k += 4) std::memcpy(out + k, from + k, 4 * sizeof(T));
    }
}

template <class T>
void scatter_block(const MpmContext<T>& context, std::uint32_t block) {
  constexpr std::size_t pad_values = pad_nodes * 4;
  // One node more than the pad: the last row's fourth node, which only ever receives zeros.
  alignas(64) T pad[pad_values + 16], pad_before[pad_values + 16];
  alignas(64) T tau[6 * chunk_particles], record[chunk_particles][16];
  Weights<T> weights;
  StencilRange range;
  std::memset(pad, 0, sizeof pad);
  if (context.pads_before) std::memset(pad_before, 0, sizeof pad_before);
  for (std::uint32_t r = context.first_run[block]; r < context.first_run[block + 1]; ++r) {
    const Run run = context.runs[r];
    const GroupLaw<T>& group = context.groups[run.group];
    T largest = 0;
    for (std::uint32_t first = run.begin; first < run.end; first += chunk_particles) {
      const int count = static_cast<int>(run.end - first < chunk_particles ? run.end - first : chunk_particles);
      const T modulus = group.stress(context, group, first, count, tau);
      largest = modulus > largest ? modulus : largest;
      make_weights(context, context.blocks[block], first, count, weights);
      make_momenta(context, group.density, first, count, weights, tau, record);
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

// Sums the pads that reach this grid block, always in the same order.
template <class T>
KNEAD_INLINE void sum_pads(const MpmContext<T>& context, std::uint32_t grid_block, const T* pads, T (&sum)[block_nodes * 4]) {
  using N = typename NodeVector<T>::Type;
  std::memset(sum, 0, sizeof sum);
  // Along one axis node n of this block is node n + 5 of the pad at -1, n + 1 of the own pad, n - 3 of the pad at +1.
  constexpr int shift[3] = {5, 1, -3};
  for (int d = 0; d < 27; ++d) {
    const std::int32_t source = context.pads_of[grid_block][d];
    if (source < 0) continue;
    const int offset[3] = {shift[d / 9], shift[d / 3 % 3], shift[d % 3]};
    const PadBox box = context.boxes[source];
    int begin[3], end[3];  // nodes of this block that the box reaches
    for (int axis = 0; axis < 3; ++axis) {
      const int low = box.low[axis] - offset[axis], high = low + box.size[axis];
      begin[axis] = low > 0 ? low : 0, end[axis] = high < block_size ? high : block_size;
    }
    const T* const pad = pads + static_cast<std::size_t>(source) * pad_nodes * 4;
    for (int x = begin[0]; x < end[0]; ++x)
      for (int y = begin[1]; y < end[1]; ++y) {
        const int row = (x + offset[0] - box.low[0]) * box.size[1] + y + offset[1] - box.low[1];
        const T* from = pad + 4 * (row * box.size[2] + begin[2] + offset[2] - box.low[2]);
        T* to = sum + 4 * (block_size * (block_size * x + y) + begin[2]);
        for (int z = begin[2]; z < end[2]; ++z, from += 4, to += 4) {
          N a, b;
          std::memcpy(&a, from, sizeof a), std::memcpy(&b, to, sizeof b);
          a += b;
          std::memcpy(to, &a, sizeof a);
        }
      }
  }
}

template <class T>
T collect_block(const MpmContext<T>& context, std::uint32_t grid_block) {
  using N = typename NodeVector<T>::Type;
  alignas(64) T sum[block_nodes * 4];
  T* const out = context.grid + static_cast<std::size_t>(grid_block) * block_nodes * 4;
  const N gravity{context.gravity[0] * context.dt, context.gravity[1] * context.dt, context.gravity[2] * context.dt, 0};
  N fastest{};
  bool finite = true;
  sum_pads(context, grid_block, context.pads, sum);
  for (int node = 0; node < block_nodes; ++node) {
    N v;
    std::memcpy(&v, sum + 4 * node, sizeof v);
    const T mass = v[3];
    v = mass > T(1e-30) ? v * (T(1) / mass) + gravity : N{};
    v[3] = mass;
    std::memcpy(out + 4 * node, &v, sizeof v);
    N square = v * v;
    square[3] = 0;
    const T speed = square[0] + square[1] + square[2];
    finite = finite && speed < std::numeric_limits<T>::max() && mass < std::numeric_limits<T>::max();
    fastest = fastest[0] > speed ? fastest : N{speed, 0, 0, 0};
  }
  if (context.grid_before) {
    T* const before = context.grid_before + static_cast<std::size_t>(grid_block) * block_nodes * 4;
    sum_pads(context, grid_block, context.pads_before, sum);
    for (int node = 0; node < block_nodes; ++node) {
      N v;
      std::memcpy(&v, sum + 4 * node, sizeof v);
      v = v[3] > T(1e-30) ? v * (T(1) / v[3]) : N{};
      std::memcpy(before + 4 * node, &v, sizeof v);
    }
  }
  return finite ? fastest[0] : std::numeric_limits<T>::quiet_NaN();
}

// The nodes around a block, from the 27 grid blocks that hold them.
template <class T>
KNEAD_INLINE void load_pad(const MpmContext<T>& context, std::uint32_t block, const T* grid, T* pad) {
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
template <class T>
KNEAD_INLINE void gather_chunk(int count, const Weights<T>& weights, const T* pad, T (*record)[16]) {
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

// Velocities, gradients and positions of a chunk; returns whether a particle leaves what the pad can hold.
template <class T>
KNEAD_INLINE bool advance_chunk(const MpmContext<T>& context, const BlockCoordinates& block, std::uint32_t first, int count, const T (*record)[16],
                                const T (*before)[16], Wide<T>& fastest) {
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
      const S x = S::load(p.position[r] + i) + v[r] * S(context.dt);
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

template <class T>
void gather_block(const MpmContext<T>& context, std::uint32_t block) {
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
      make_weights(context, context.blocks[block], first, count, weights);
      gather_chunk<T>(count, weights, pad, record);
      if (context.grid_before) gather_chunk<T>(count, weights, pad_before, before);
      leaves = advance_chunk<T>(context, context.blocks[block], first, count, record, context.grid_before ? before : nullptr, fastest) || leaves;
      group.update(context, group, first, count);
    }
    T largest = 0;
    for (int lane = 0; lane < Wide<T>::lanes; ++lane) largest = fastest[lane] > largest ? fastest[lane] : largest;
    context.measures[r].speed_squared = largest;
    context.measures[r].leaves = leaves;
  }
}

}  // namespace KNEAD_ISA
}  // namespace knead
