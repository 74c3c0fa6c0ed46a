// Grid update: the pads that reach a grid block become velocities.
#pragma once
#include <cstring>
#include <limits>

#include "solvers/mpm/kernels.h"
#include "solvers/mpm/rows.h"

namespace knead {
inline namespace KNEAD_ISA {

// The nodes of a grid block that the pad in direction d reaches: along one axis node n of the block is node n + 5 of the pad at -1,
// n + 1 of the own pad, n - 3 of the pad at +1.
struct Overlap {
  int offset[3], begin[3], end[3];
  KNEAD_INLINE Overlap(const PadBox& box, int d) {
    constexpr int shift[3] = {5, 1, -3};
    offset[0] = shift[d / 9], offset[1] = shift[d / 3 % 3], offset[2] = shift[d % 3];
    for (int axis = 0; axis < 3; ++axis) {
      const int low = box.low[axis] - offset[axis], high = low + box.size[axis];
      begin[axis] = low > 0 ? low : 0, end[axis] = high < block_size ? high : block_size;
    }
  }
  KNEAD_INLINE bool empty() const { return begin[0] >= end[0] || begin[1] >= end[1] || begin[2] >= end[2]; }
};

// Sums the pads that reach this grid block, always in the same order; false if none does.
template <class T>
KNEAD_INLINE bool sum_pads(const MpmContext<T>& context, std::uint32_t grid_block, const T* pads, T (&sum)[block_nodes * 4]) {
  using N = typename NodeVector<T>::Type;
  bool reached = false;
  for (int d = 0; d < 27; ++d) {
    const std::int32_t source = context.pads_of[grid_block][d];
    if (source < 0) continue;
    const PadBox box = context.boxes[source];
    const Overlap part(box, d);
    if (part.empty()) continue;
    if (!reached) std::memset(sum, 0, sizeof sum);
    reached = true;
    const T* const pad = pads + static_cast<std::size_t>(source) * pad_nodes * 4;
    for (int x = part.begin[0]; x < part.end[0]; ++x)
      for (int y = part.begin[1]; y < part.end[1]; ++y) {
        const int row = (x + part.offset[0] - box.low[0]) * box.size[1] + y + part.offset[1] - box.low[1];
        const T* from = pad + 4 * (row * box.size[2] + part.begin[2] + part.offset[2] - box.low[2]);
        T* to = sum + 4 * (block_size * (block_size * x + y) + part.begin[2]);
        for (int z = part.begin[2]; z < part.end[2]; ++z, from += 4, to += 4) {
          N a, b;
          std::memcpy(&a, from, sizeof a), std::memcpy(&b, to, sizeof b);
          a += b;
          std::memcpy(to, &a, sizeof a);
        }
      }
  }
  return reached;
}

template <class T> T collect_block(const MpmContext<T>& context, std::uint32_t grid_block) {
  using N = typename NodeVector<T>::Type;
  alignas(64) T sum[block_nodes * 4];
  T* const out = context.grid + static_cast<std::size_t>(grid_block) * block_nodes * 4;
  const N gravity{context.gravity[0] * context.dt, context.gravity[1] * context.dt, context.gravity[2] * context.dt, 0};
  N fastest{};
  bool finite = true;
  if (!sum_pads(context, grid_block, context.pads, sum)) return T(-1);
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

}  // namespace KNEAD_ISA
}  // namespace knead
