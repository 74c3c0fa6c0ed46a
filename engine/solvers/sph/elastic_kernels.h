// The inner loops of elastic solids, compiled once per instruction set and chosen at run time. Everything here is plain data: vectors
// are four numbers, the last one zero, so that a particle is one load; particles are in rest order, of which `place` is the index.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace knead {

// One neighbour j of one particle i at rest: V_j grad W(X_i - X_j) and j. It never changes.
template <class T> struct RestPair {
  T gradient[3];  // [1/m]
  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> place;
};

// The same in eight bytes: the gradient in steps of ElasticArrays::packed_scale, and j as a page of places near i and a place on it.
struct PackedPair {
  std::int16_t gradient[3];
  std::uint16_t place;  // 256 times the number in the table of pages, plus the place on the page
};
inline constexpr std::size_t page_size = 256;  // places

// Numbers that are read together, in one line of the cache if they are single: three columns of 4, and nothing.
template <class T> struct alignas(16 * sizeof(T)) Tensor {
  T at[16] = {};
};

template <class T> struct ElasticArrays {
  const std::size_t* first;  // pairs of place i: first[i] ... first[i + 1] - 1
  const RestPair<T>* pairs;
  const PackedPair* packed;    // null: `pairs` are to be used
  const std::uint32_t* pages;  // first places of the pages near page n: pages[first_page[n]] ...
  const std::uint32_t* first_page;
  T packed_scale;             // [1/m]
  const T* gradient_sum;      // s_i = sum_j V_j grad W_ij, 4 per place
  const T* frame;             // R_i L_i, three columns of 4
  const T* constants;         // 2 G, K - 2 G / 3 [Pa], V [m^3], m [kg]
  const T* residual_weight;   // 1 / m; 0 of held particles
  const T* inverse_diagonal;  // inverse of the diagonal block, three columns of 4; zero of held particles
  Tensor<T>* stress;          // T_i = P_i R_i L_i [Pa]
};

template <class T> struct ElasticVectors {  // of the conjugate gradients, 4 numbers per place
  T *velocity, *residual, *direction, *image, *preconditioned;
};

struct ElasticSums {
  double product = 0;   // what the next scalar of the conjugate gradients needs
  double residual = 0;  // sum of |r_i| / m_i [m/s]
};

template <class T> struct ElasticKernels {
  const char* instruction_set;
  // sum_j (x_j - x_i) (x) V_j grad W_ij
  void (*gradient)(const ElasticArrays<T>&, std::size_t begin, std::size_t end, const T* x, Tensor<T>* out);
  // Stress of strain0 (xx, yy, zz, xy, yz, zx, two unused; null: none) plus scale sym grad p.
  void (*stress)(const ElasticArrays<T>&, std::size_t begin, std::size_t end, const T* p, T scale, const T* strain0);
  // image = mass_part m p - dt f(stress); returns p . image
  double (*force)(const ElasticArrays<T>&, std::size_t begin, std::size_t end, const T* p, T mass_part, T dt, T* image);
  // v += alpha p, r -= alpha image, z = D^-1 r; returns r . z and the residual
  ElasticSums (*update)(const ElasticArrays<T>&, const ElasticVectors<T>&, std::size_t begin, std::size_t end, T alpha);
  // p = z + beta p
  void (*turn)(const ElasticVectors<T>&, std::size_t begin, std::size_t end, T beta);
  // Polar rotation of matrices given as nine arrays.
  void (*rotations)(const T* const F[9], T* const R[9], std::size_t begin, std::size_t end);
};

// The kernels for the best instruction set of this machine, or for the named one ("baseline", "avx2", "avx512").
template <class T> const ElasticKernels<T>& elastic_kernels(const char* instruction_set = nullptr);

}  // namespace knead
