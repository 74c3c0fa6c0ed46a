// What the fluid phases need of every pair, computed once per step: kernel gradients beside the index of the other one, and kernel sums.
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/threads.h"
#include "solvers/sph/particles.h"
#include "spatial/neighbours.h"
#include "spatial/smoothing.h"

namespace knead {

// Four numbers in one register: a vector and something beside it.
template <class T> struct QuadOf;
template <> struct QuadOf<float> { typedef float Type __attribute__((vector_size(16))); };
template <> struct QuadOf<double> { typedef double Type __attribute__((vector_size(32))); };
template <class T> using Quad = typename QuadOf<T>::Type;
template <class T> KNEAD_INLINE Quad<T> load_quad(const void* from) {
  Quad<T> q;
  std::memcpy(&q, from, sizeof q);
  return q;
}
template <class T> KNEAD_INLINE T dot3(const Quad<T>& a, const Quad<T>& b) {
  const Quad<T> c = a * b;
  return c[0] + c[1] + c[2];
}

template <class T> struct SphPair {
  T gradient[3];
  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> index;
};

template <class T> struct SphPairs {
  T scale = 0;                       // s: volume of a cube of the spacing H/2, which makes sums of kernels numbers near one [m^3]
  std::vector<SphPair<T>> fluid;     // s grad W_ij [1/m], in the places of SphContext::fluid
  std::vector<SphPair<T>> wall;      // V_b grad W_ib [1/m], in the places of SphContext::wall
  std::vector<T> number, wall_part;  // s sum_j W_ij with the particle itself; sum_b V_b W_ib
};

template <class T> void set_pairs(const SphContext<T>& context, SmoothingType smoothing, SphPairs<T>& pairs);

// s sum_j W_ij of a cubic lattice of spacing H/2, where s is the volume of its cells: a little more than one.
double lattice_number(SmoothingType smoothing);
// The same of a plane of such a lattice.
double plane_number(SmoothingType smoothing);

// Chunks of particles for sums: they do not depend on the number of threads.
inline constexpr std::size_t sph_chunk = 1024;
template <class Function> void for_sph_chunks(std::size_t count, Function&& f) {
  parallel_for((count + sph_chunk - 1) / sph_chunk, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t chunk = first; chunk < last; ++chunk)
      f(chunk, chunk * sph_chunk, (chunk + 1) * sph_chunk < count ? (chunk + 1) * sph_chunk : count);
  });
}

}  // namespace knead
