#include "solvers/mpm/admm_system.h"

#include <algorithm>
#include <bit>

#include "base/threads.h"
#include "spatial/block_table.h"

namespace knead {

namespace {

constexpr std::size_t block_values = block_nodes * 4;

// Blocks of one colour are at least two apart along every axis, so that their pads never meet.
int colour_of(const BlockCoordinates& block, const Lattice& lattice) {
  int colour = 0;
  for (int axis = 0; axis < 3; ++axis) {
    int part = block[axis] & 1;
    if (lattice.period[axis] % 2 == 1 && block[axis] == lattice.period[axis] - 1) part = 2;  // the first one is its neighbour
    colour = 3 * colour + part;
  }
  return colour;
}

}  // namespace

template <class T> void GlobalSystem<T>::lay_out(const Transfers<T>& transfers, const State& state) {
  if (laid_out_ == transfers.laid_out) return;
  laid_out_ = transfers.laid_out;
  const std::vector<BlockCoordinates>& blocks = transfers.grid_blocks.blocks;
  std::vector<std::uint64_t> keys(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) keys[b] = morton_key(blocks[b]);
  BlockTable table;
  table.build(keys);
  neighbours_.resize(blocks.size());
  parallel_for(blocks.size(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b)
      for (int d = 0; d < 27; ++d) neighbours_[b][d] = table.find(morton_key(neighbour_block(blocks[b], d, transfers.lattice)));
  });
  colours_.assign(27, {});
  for (std::size_t b = 0; b < state.order.blocks.size(); ++b)
    colours_[colour_of(state.order.blocks[b], transfers.lattice)].push_back(static_cast<std::uint32_t>(b));
}

template <class T> void GlobalSystem<T>::find_rows(const BlockGrid& blocks, const std::vector<T>& speed_squared, const T* grid) {
  const std::size_t count = blocks.blocks.size();
  active_.clear();
  rows_.assign(count, 0);
  first_row_.assign(count, 0);
  T* const mass = mass_.reserve(count * block_nodes);
  std::uint32_t total = 0;
  for (std::size_t b = 0; b < count; ++b) {
    first_row_[b] = total;
    if (speed_squared[b] < 0) continue;
    active_.push_back(static_cast<std::uint32_t>(b));
    for (std::size_t n = 0; n < block_nodes; ++n) {
      const T m = grid[b * block_values + 4 * n + 3];
      mass[b * block_nodes + n] = m > T(1e-30) ? m : T(0);
      if (m > T(1e-30)) rows_[b] = static_cast<std::uint16_t>(rows_[b] | 1u << (n / 4));
    }
    total += static_cast<std::uint32_t>(std::popcount(rows_[b]));
  }
  T* const values = values_.reserve(std::size_t(total) * stencil_entries * 4);
  parallel_for(total, 64, [&](std::size_t first, std::size_t last) {
    std::fill(values + first * stencil_entries * 4, values + last * stencil_entries * 4, T(0));
  });
  matrix_ = {first_row_.data(), rows_.data(), neighbours_.data(), values, mass};
}

template <class T>
void GlobalSystem<T>::assemble(const Transfers<T>& transfers, const State& state, const MpmContext<T>& context, const AdmmContext<T>& admm,
                               const T* grid) {
  kernels_ = &transfers.kernels;
  lay_out(transfers, state);
  find_rows(transfers.grid_blocks, transfers.speed_squared, grid);
  const std::size_t values = transfers.grid_blocks.blocks.size() * block_values;
  inverse_.reserve(values / 4);
  std::fill_n(p_.reserve(values), values, T(0));  // blocks that are not active must be zero
  q_.reserve(values);
  parts_.resize(active_.size());
  preconditioned_ = 0;
  for (const std::vector<std::uint32_t>& colour : colours_)
    parallel_for(colour.size(), 2, [&](std::size_t first, std::size_t last) {
      for (std::size_t n = first; n < last; ++n) kernels_->assemble(context, admm, matrix_, colour[n]);
    });
}

template <class T> double GlobalSystem<T>::sum(const std::function<double(std::uint32_t)>& part) {
  parallel_for(active_.size(), 8, [&](std::size_t first, std::size_t last) {
    for (std::size_t n = first; n < last; ++n) parts_[n] = part(active_[n]);
  });
  double total = 0;
  for (double value : parts_) total += value;
  return total;
}

template <class T> void GlobalSystem<T>::precondition(T rho) {
  if (preconditioned_ == rho) return;
  preconditioned_ = rho;
  T* const inverse = inverse_.data();
  sum([&](std::uint32_t b) {
    const T* row = matrix_.values + std::size_t(first_row_[b]) * stencil_entries * 4 + 4 * (stencil_entries / 2);
    for (int n = 0; n < 16; ++n) {
      const bool stored = rows_[b] >> n & 1;
      for (int k = 0; k < 4; ++k) {
        const std::size_t node = std::size_t(b) * block_nodes + static_cast<std::size_t>(4 * n + k);
        const T mass = matrix_.mass[node];
        inverse[node] = stored && mass > 0 ? 1 / (mass + rho * row[k]) : T(0);
      }
      if (stored) row += stencil_entries * 4;
    }
    return 0.0;
  });
}

template <class T> void GlobalSystem<T>::correct(T rho, const T* change, T* r) {
  T *const p = p_.data(), *const q = q_.data();
  for (std::uint32_t b : active_) std::copy_n(change + std::size_t(b) * block_values, block_values, p + std::size_t(b) * block_values);
  sum([&](std::uint32_t b) { return kernels_->multiply(matrix_, rho, p, q, b); });
  for (std::uint32_t b : active_)
    for (std::size_t k = std::size_t(b) * block_values; k < (std::size_t(b) + 1) * block_values; ++k) r[k] -= q[k];
}

template <class T> void GlobalSystem<T>::add(const T* change, T* grid) const {
  for (std::uint32_t b : active_)
    for (std::size_t k = std::size_t(b) * block_values; k < (std::size_t(b) + 1) * block_values; ++k) grid[k] += change[k];
}

template <class T>
typename GlobalSystem<T>::Result GlobalSystem<T>::solve(T rho, const GridContacts<T>& contacts, int iterations, double tolerance, T* r,
                                                        T* d) {
  precondition(rho);
  const T* const inverse = inverse_.data();
  T *const p = p_.data(), *const q = q_.data();
  contacts.project(r);
  // p = M^-1 r, and r M^-1 r
  double rz = sum([&](std::uint32_t b) {
    const std::size_t at = std::size_t(b) * block_values;
    T total = 0;
    for (std::size_t n = 0; n < block_nodes; ++n)
      for (std::size_t k = at + 4 * n; k < at + 4 * n + 4; ++k) {
        p[k] = inverse[std::size_t(b) * block_nodes + n] * r[k];
        total += p[k] * r[k];
        d[k] = 0;
      }
    return double(total);
  });
  Result result;
  const double enough = tolerance * tolerance * rz;
  while (result.iterations < iterations && rz > enough && rz > 0) {
    const double curvature = sum([&](std::uint32_t b) { return kernels_->multiply(matrix_, rho, p, q, b); });
    if (!(curvature > 0)) break;
    contacts.project(q);
    const double length = rz / curvature;
    const T step = static_cast<T>(length);
    const double next = sum([&](std::uint32_t b) {
      const std::size_t at = std::size_t(b) * block_values;
      T total = 0;
      for (std::size_t n = 0; n < block_nodes; ++n)
        for (std::size_t k = at + 4 * n; k < at + 4 * n + 4; ++k) {
          d[k] += step * p[k];
          r[k] -= step * q[k];
          total += inverse[std::size_t(b) * block_nodes + n] * r[k] * r[k];
        }
      return double(total);
    });
    result.energy += length * rz;
    const T keep = static_cast<T>(next / rz);
    sum([&](std::uint32_t b) {
      const std::size_t at = std::size_t(b) * block_values;
      for (std::size_t n = 0; n < block_nodes; ++n)
        for (std::size_t k = at + 4 * n; k < at + 4 * n + 4; ++k) p[k] = inverse[std::size_t(b) * block_nodes + n] * r[k] + keep * p[k];
      return 0.0;
    });
    rz = next;
    ++result.iterations;
  }
  result.kinetic = sum([&](std::uint32_t b) {
    const std::size_t at = std::size_t(b) * block_values;
    T total = 0;
    for (std::size_t n = 0; n < block_nodes; ++n)
      for (std::size_t k = at + 4 * n; k < at + 4 * n + 3; ++k) total += matrix_.mass[std::size_t(b) * block_nodes + n] * d[k] * d[k];
    return double(total);
  });
  return result;
}

template class GlobalSystem<float>;
template class GlobalSystem<double>;

}  // namespace knead
