// Quadratic B-spline weights of a chunk of particles, many at a time.
#pragma once
#include "math/wide.h"
#include "solvers/mpm/kernels.h"
#include "solvers/mpm/rows.h"

namespace knead {
inline namespace KNEAD_ISA {

// Weights of a chunk of particles, laid out for the loops over nodes.
template <class T> struct alignas(64) Weights {
  T xy[9][chunk_particles];                                      // products of the weights along x and y, for scattering
  T x[3][chunk_particles], y[3][chunk_particles];                // weights of the three nodes along an axis
  T moment_x[3][chunk_particles], moment_y[3][chunk_particles];  // weight times (node - particle) / dx
  T z[chunk_particles][4], moment_z[chunk_particles][4];         // the same along z, and a fourth node with 0
  T fraction[3][chunk_particles];                                // place within the stencil in cells, 0.5 ... 1.5
  T first_node[chunk_particles];                                 // in the pad
};

// Weights w of the three nodes, and m = w (node - f).
template <class T> KNEAD_INLINE void spline_weights(const Wide<T>& f, Wide<T> (&w)[4], Wide<T> (&m)[4]) {
  using S = Wide<T>;
  const S a = S(1.5) - f, b = f - S(1.0), c = f - S(0.5);
  w[0] = S(0.5) * a * a, w[1] = S(0.75) - b * b, w[2] = S(0.5) * c * c;
  m[0] = -(f * w[0]), m[1] = -(b * w[1]), m[2] = (S(2.0) - f) * w[2];
}

// Where in its block's pad a particle's stencil begins, and its place within the stencil.
template <class T>
KNEAD_INLINE void locate(const MpmContext<T>& context, const BlockCoordinates& block, std::uint32_t i, Wide<T> (&base)[3],
                         Wide<T> (&fraction)[3]) {
  using S = Wide<T>;
  for (int axis = 0; axis < 3; ++axis) {
    const S local = (S::load(context.particles.position[axis] + i) - S(context.origin[axis])) * S(context.inverse_dx) -
                    S(static_cast<T>(block_size * block[axis] - 1));
    base[axis] = floor(local - S(0.5));
    fraction[axis] = local - base[axis];
  }
}

// What scattering needs, or what gathering needs.
template <bool scatters, class T>
KNEAD_INLINE void make_weights(const MpmContext<T>& context, const BlockCoordinates& block, std::uint32_t first, int count,
                               Weights<T>& out) {
  using S = Wide<T>;
  for (int k = 0; k < count; k += S::lanes) {
    S base[3], fraction[3], w[4], m[4];
    locate(context, block, first + static_cast<std::uint32_t>(k), base, fraction);
    // A lane past the end may lie anywhere; those that count are inside, but nothing may write outside of the pad.
    const S limit(5.0), zero(0.0);
    ((min(max(base[0], zero), limit) * S(8.0) + min(max(base[1], zero), limit)) * S(8.0) + min(max(base[2], zero), limit))
        .store(out.first_node + k);
    for (int axis = 0; axis < 3; ++axis) fraction[axis].store(out.fraction[axis] + k);
    S wx[4], wy[4], mx[4], my[4];
    spline_weights(fraction[0], wx, mx);
    spline_weights(fraction[1], wy, my);
    spline_weights(fraction[2], w, m);
    interleave(w, out.z[k], 4);
    if constexpr (scatters) {
      for (int n = 0; n < 9; ++n) (wx[n / 3] * wy[n % 3]).store(out.xy[n] + k);
    } else {
      for (int n = 0; n < 3; ++n) wx[n].store(out.x[n] + k), mx[n].store(out.moment_x[n] + k);
      for (int n = 0; n < 3; ++n) wy[n].store(out.y[n] + k), my[n].store(out.moment_y[n] + k);
      interleave(m, out.moment_z[k], 4);
    }
  }
}

}  // namespace KNEAD_ISA
}  // namespace knead
