// The inner loops of the neighbour search, compiled once per instruction set and chosen at run time. Everything here is plain data.
#pragma once
#include <cstdint>

namespace knead {

inline constexpr int kernel_slack = 64;  // room behind the end of what kernels read and write [elements]

// Points b that may be near some points a: a few ranges of places.
template <class T> struct Candidates {
  const T* x[3];               // of b, by place; with slack
  const std::uint32_t* point;  // place -> number; with slack
  T low[3], high[3];           // box around the points a
  T radius_squared;
  T* near_x[3];         // the candidates near the box; room for all, and slack
  std::uint32_t* near;  // their numbers
};

template <class T> struct NeighbourKernels {
  const char* instruction_set;
  // Adds those of [begin, end) that are near the box to the `count` that are there; returns how many there are then.
  int (*gather)(const Candidates<T>&, std::uint32_t begin, std::uint32_t end, int count);
  // Which of the `count` candidates are near x and are not `self`: how many, and their numbers into `found`.
  int (*count)(const Candidates<T>&, int count, const T* x, std::uint32_t self);
  int (*collect)(const Candidates<T>&, int count, const T* x, std::uint32_t self, std::uint32_t* found);
};

// The kernels for the best instruction set of this machine, or for the named one ("baseline", "avx2", "avx512").
template <class T> const NeighbourKernels<T>& neighbour_kernels(const char* instruction_set = nullptr);

}  // namespace knead
