// The matrix of the global step: assembled particle by particle, stored row by row of four nodes, applied to three components at once.
#pragma once
#include <bit>
#include <cstring>

#include "solvers/mpm/generalized.h"
#include "solvers/mpm/weights.h"

namespace knead {
inline namespace KNEAD_ISA {

// The 27 nodes around the particles of one cell, with each other.
template <class T> struct CellMatrix {
  static constexpr int columns = 32;  // 27 and room for whole registers
  alignas(64) T values[27][columns];
};

// Adds s_i^T B s_j of one particle, s_i = w_i (x_i - x_p) / dx.
template <class T> KNEAD_INLINE void add_particle(const Weights<T>& weights, int k, const T (&B)[6], CellMatrix<T>& cell) {
  constexpr int columns = CellMatrix<T>::columns;
  alignas(64) T s[3][columns], q[3][columns];
  for (int n = 27; n < columns; ++n) s[0][n] = s[1][n] = s[2][n] = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const T xy = weights.x[a][k] * weights.y[b][k], mx = weights.moment_x[a][k] * weights.y[b][k],
              my = weights.x[a][k] * weights.moment_y[b][k];
      for (int c = 0; c < 3; ++c) {
        const int n = 9 * a + 3 * b + c;
        s[0][n] = mx * weights.z[k][c], s[1][n] = my * weights.z[k][c], s[2][n] = xy * weights.moment_z[k][c];
      }
    }
  for (int n = 0; n < columns; ++n) {
    q[0][n] = B[0] * s[0][n] + B[3] * s[1][n] + B[5] * s[2][n];
    q[1][n] = B[3] * s[0][n] + B[1] * s[1][n] + B[4] * s[2][n];
    q[2][n] = B[5] * s[0][n] + B[4] * s[1][n] + B[2] * s[2][n];
  }
  for (int i = 0; i < 27; ++i) {
    const T x = q[0][i], y = q[1][i], z = q[2][i];
    for (int j = 0; j < columns; ++j) cell.values[i][j] += x * s[0][j] + y * s[1][j] + z * s[2][j];
  }
}

// Adds a cell whose stencil begins at `node` of the block's pad to the rows of the matrix.
template <class T>
KNEAD_INLINE void add_cell(const MpmContext<T>& context, const MatrixView<T>& matrix, std::uint32_t block, int node,
                           const CellMatrix<T>& cell) {
  const int corner[3] = {node / (pad_size * pad_size), node / pad_size % pad_size, node % pad_size};
  for (int i = 0; i < 27; ++i) {
    const int at[3] = {i / 9, i / 3 % 3, i % 3};
    int direction = 0, inside[3];
    for (int axis = 0; axis < 3; ++axis) {
      const int n = corner[axis] + at[axis] - 1 + block_size;  // counted from the corner of the block at -1
      direction = 3 * direction + n / block_size;
      inside[axis] = n % block_size;
    }
    const std::size_t target = static_cast<std::size_t>(context.neighbours[block][direction]);
    const int bit = 4 * inside[0] + inside[1];
    if (!(matrix.rows[target] >> bit & 1)) continue;  // a node at the very edge of the splines, without mass
    const unsigned below = matrix.rows[target] & ((1u << bit) - 1u);
    const std::size_t row = matrix.first_row[target] + static_cast<std::size_t>(std::popcount(below));
    T* const values = matrix.values + row * (stencil_entries * 4) + inside[2];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        T* const line = values + 4 * (25 * (a - at[0] + 2) + 5 * (b - at[1] + 2) + 2 - at[2]);
        const T* const from = cell.values[i] + 9 * a + 3 * b;
        line[0] += from[0], line[4] += from[1], line[8] += from[2];
      }
  }
}

// dt^2 16/dx^2 times the sum over the branches of w^2 F F^T.
template <class T>
KNEAD_INLINE void make_stiffness(const MpmContext<T>& context, const AdmmContext<T>& admm, const GroupLaw<T>& group, std::uint32_t first,
                                 int count, T (&B)[6][chunk_particles]) {
  using S = Wide<T>;
  const S factor(context.dt * context.dt * 16 * context.inverse_dx * context.inverse_dx);
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    Mat3<S> F;
    Sym3<S> sum = isotropic(S(0));
    if (!group.is_fluid) {
      load_matrix(F, context.particles.F, i, count - k, T(1));
      sum = left_cauchy_green(F) * (S::load(admm.elastic.weight + i, count - k, T(0)) * factor);
    }
    if (group.branch) {
      load_matrix(F, context.particles.F_N, i, count - k, T(1));
      sum = sum + left_cauchy_green(F) * (S::load(admm.viscous.weight + i, count - k, T(0)) * factor);
    }
    if (group.flows)
      sum = sum + load_symmetric<S>(context.particles.b, i, count - k) * (S::load(admm.viscous.weight + i, count - k, T(0)) * factor);
    store_stress(sum, &B[0][k]);
  }
}

template <class T>
void assemble_block(const MpmContext<T>& context, const AdmmContext<T>& admm, const MatrixView<T>& matrix, std::uint32_t block) {
  Weights<T> weights;
  alignas(64) T B[6][chunk_particles];
  CellMatrix<T> cell;
  int current = -1;
  for (std::uint32_t r = context.first_run[block]; r < context.first_run[block + 1]; ++r) {
    const Run run = context.runs[r];
    const GroupLaw<T>& group = context.groups[run.group];
    if (group.is_fluid && !group.flows) continue;
    for (std::uint32_t first = run.begin; first < run.end; first += chunk_particles) {
      const int count = static_cast<int>(run.end - first < chunk_particles ? run.end - first : chunk_particles);
      make_weights<false>(context, context.blocks[block], first, count, weights);
      make_stiffness(context, admm, group, first, count, B);
      for (int k = 0; k < count; ++k) {
        const int node = static_cast<int>(weights.first_node[k]);
        if (node != current) {
          if (current >= 0) add_cell(context, matrix, block, current, cell);
          std::memset(&cell, 0, sizeof cell);
          current = node;
        }
        add_particle(weights, k, {B[0][k], B[1][k], B[2][k], B[3][k], B[4][k], B[5][k]}, cell);
      }
    }
  }
  if (current >= 0) add_cell(context, matrix, block, current, cell);
}

// The nodes of a block and two more on every side.
template <class T> KNEAD_INLINE void load_surroundings(const std::array<std::int32_t, 27>& neighbours, const T* p, T* pad) {
  for (int x = 0; x < pad_size; ++x)
    for (int y = 0; y < pad_size; ++y) {
      const int nx = x + 2, ny = y + 2;  // counted from the corner of the block at -1
      const std::int32_t* source = &neighbours[9 * (nx / block_size) + 3 * (ny / block_size)];
      const std::size_t row = 4 * block_size * (block_size * (nx % block_size) + ny % block_size);
      T* const to = pad + 4 * pad_size * (pad_size * x + y);
      const auto copy = [&](int d, int from, int at, std::size_t count) KNEAD_INLINE_LAMBDA {
        if (source[d] < 0) std::memset(to + 4 * at, 0, 4 * count * sizeof(T));
        else std::memcpy(to + 4 * at, p + static_cast<std::size_t>(source[d]) * block_nodes * 4 + row + 4 * from, 4 * count * sizeof(T));
      };
      copy(0, 2, 0, 2), copy(1, 0, 2, 4), copy(2, 0, 6, 2);
    }
}

template <class T> double multiply_block(const MatrixView<T>& matrix, T rho, const T* p, T* q, std::uint32_t grid_block) {
  using R = Row<T>;
  alignas(64) T pad[pad_nodes * 4];
  load_surroundings(matrix.neighbours[grid_block], p, pad);
  const T* values = matrix.values + std::size_t(matrix.first_row[grid_block]) * (stencil_entries * 4);
  T* const out = q + static_cast<std::size_t>(grid_block) * block_nodes * 4;
  R product = R::zero();
  for (int n = 0; n < 16; ++n) {
    if (!(matrix.rows[grid_block] >> n & 1)) {
      R::zero().store(out + 16 * n);
      continue;
    }
    const T* const corner = pad + 4 * pad_size * (pad_size * (n / 4) + n % 4);
    R sum[5];
    for (R& s : sum) s = R::zero();
    for (int a = 0; a < 5; ++a)
      for (int b = 0; b < 5; ++b) {
        const T* const line = corner + 4 * pad_size * (pad_size * a + b);
        for (int c = 0; c < 5; ++c, values += 4) sum[c] = sum[c] + R::load(line + 4 * c) * R::spread(values);
      }
    const R here = R::load(corner + 4 * (pad_size * (2 * pad_size + 2) + 2));
    const R mass = R::spread(matrix.mass + static_cast<std::size_t>(grid_block) * block_nodes + 4 * n);
    const R result = ((sum[0] + sum[1]) + (sum[2] + sum[3]) + sum[4]) * rho + here * mass;
    result.store(out + 16 * n);
    product = product + here * result;
  }
  alignas(64) T sums[16];
  product.store(sums);
  double total = 0;
  for (T s : sums) total += double(s);
  return total;
}

}  // namespace KNEAD_ISA
}  // namespace knead
