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
  diagonal_.reserve(values / 4), z_.reserve(values);
  std::fill_n(p_.reserve(values), values, T(0));  // blocks that are not active must be zero
  q_.reserve(values);
  parts_.resize(active_.size());
  preconditioned_ = 0;
  stores_ = false;
  for (const GroupLaw<T>& group : transfers.groups) stores_ = stores_ || !group.is_fluid || group.flows;
  for (const std::vector<std::uint32_t>& colour : colours_)
    parallel_for(colour.size(), 2, [&](std::size_t first, std::size_t last) {
      for (std::size_t n = first; n < last; ++n) kernels_->assemble(context, admm, matrix_, colour[n]);
    });
  levels_.lay_out(transfers.grid_blocks.blocks, active_, transfers.lattice);
  find_diagonal();
  coupled_.begin(transfers, context, admm);
  if (coupled_.empty()) return;
  std::fill_n(coupled_diagonal_.reserve(values / 4), values / 4, T(0));
  coupled_.add_diagonal(active_, coupled_diagonal_.data());
}

template <class T> void GlobalSystem<T>::find_diagonal() {
  each_active([&](std::size_t first, std::size_t) {
    const std::size_t b = first / block_values;
    const T* row = matrix_.values + std::size_t(first_row_[b]) * stencil_entries * 4 + 4 * (stencil_entries / 2);
    for (std::size_t n = 0; n < 16; ++n) {
      const bool stored = rows_[b] >> n & 1;
      for (std::size_t k = 0; k < 4; ++k) diagonal_.data()[b * block_nodes + 4 * n + k] = stored ? row[k] : T(0);
      if (stored) row += stencil_entries * 4;
    }
  });
}

template <class T> void GlobalSystem<T>::precondition(T rho, const GridContacts<T>& contacts) {
  if (preconditioned_ == rho) return;
  preconditioned_ = rho;
  if (coupled_.empty()) return levels_.weigh(rho, matrix_.mass, diagonal_.data(), contacts);
  T *const all = z_.data(), *const coupled = coupled_diagonal_.data();  // z is free until the first product
  each_active([&](std::size_t first, std::size_t end) {
    for (std::size_t node = first / 4; node < end / 4; ++node) all[node] = diagonal_.data()[node] + coupled[node] / rho;
  });
  levels_.weigh(rho, matrix_.mass, all, contacts);
}

template <class T> double GlobalSystem<T>::multiply(T rho, T* p, T* q) {
  const double stored = sum([&](std::size_t first, std::size_t end) -> double {
    if (stores_) return kernels_->multiply(matrix_, rho, p, q, static_cast<std::uint32_t>(first / block_values));
    T total = 0;
    for (std::size_t k = first; k < end; ++k) {
      q[k] = matrix_.mass[k / 4] * p[k];
      total += p[k] * q[k];
    }
    return double(total);
  });
  return coupled_.empty() ? stored : stored + coupled_.add_product(active_, p, q);
}

template <class T> void GlobalSystem<T>::correct(T rho, const T* change, T* r) {
  T *const p = p_.data(), *const q = q_.data();
  each_active([&](std::size_t first, std::size_t) { std::copy_n(change + first, block_values, p + first); });
  multiply(rho, p, q);
  each_active([&](std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; ++k) r[k] -= q[k];
  });
}

template <class T> void GlobalSystem<T>::add(const T* change, T* grid) {
  each_active([&](std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; ++k) grid[k] += change[k];
  });
}

template <class T>
typename GlobalSystem<T>::Result GlobalSystem<T>::solve(T rho, const GridContacts<T>& contacts, int iterations, double tolerance, T* r,
                                                        T* d) {
  precondition(rho, contacts);
  T *const p = p_.data(), *const q = q_.data(), *const z = z_.data();
  // z = B r on what is free, and r z
  const auto preconditioned = [&] {
    levels_.apply(r, z);
    contacts.project(z);
    return sum([&](std::size_t first, std::size_t end) {
      T total = 0;
      for (std::size_t k = first; k < end; ++k) total += z[k] * r[k];
      return total;
    });
  };
  contacts.project(r);
  double rz = preconditioned();
  each_active([&](std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; ++k) p[k] = z[k], d[k] = 0;
  });
  Result result;
  const double enough = tolerance * tolerance * rz;
  while (result.iterations < iterations && rz > enough && rz > 0) {
    const double curvature = multiply(rho, p, q);
    if (!(curvature > 0)) break;
    contacts.project(q);
    const double length = rz / curvature;
    const T step = static_cast<T>(length);
    each_active([&](std::size_t first, std::size_t end) {
      for (std::size_t k = first; k < end; ++k) d[k] += step * p[k], r[k] -= step * q[k];
    });
    result.energy += length * rz;
    const double next = preconditioned();
    const T keep = static_cast<T>(next / rz);
    each_active([&](std::size_t first, std::size_t end) {
      for (std::size_t k = first; k < end; ++k) p[k] = z[k] + keep * p[k];
    });
    rz = next;
    ++result.iterations;
  }
  result.kinetic = sum([&](std::size_t first, std::size_t end) {
    T total = 0;
    for (std::size_t k = first; k < end; k += 4) total += matrix_.mass[k / 4] * (d[k] * d[k] + d[k + 1] * d[k + 1] + d[k + 2] * d[k + 2]);
    return total;
  });
  return result;
}

template class GlobalSystem<float>;
template class GlobalSystem<double>;

}  // namespace knead
