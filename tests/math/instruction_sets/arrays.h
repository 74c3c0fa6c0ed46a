// The functions of engine/math over plain arrays, compiled once per instruction set: what tests and benchmarks call.
#pragma once
#include <cstddef>
#include <vector>

namespace knead {

// Arrays hold component after component, each of `count` items: entry k of item i is at k * count + i. `count` is a multiple
// of 16. Matrices have 9 components by rows, symmetric ones 6 in the order of Sym3.
template <class T> struct MathArrays {
  int lanes;
  void (*add)(const T* a, const T* b, T* out, std::size_t count);      // a + b
  void (*divide)(const T* a, const T* b, T* out, std::size_t count);   // a / b
  void (*smaller)(const T* a, const T* b, T* out, std::size_t count);  // a < b ? a : b by select
  void (*any_all)(const T* a, const T* b, T* out, std::size_t count);  // per pack: any(a < b) + 2 all(a < b)
  void (*floor)(const T* a, T* out, std::size_t count);
  void (*exp)(const T* a, T* out, std::size_t count);
  void (*log)(const T* a, T* out, std::size_t count);
  void (*svd)(const T* F, T* U, T* sigma, T* V, std::size_t count);
  void (*polar)(const T* F, T* R, std::size_t count);
  void (*eigen)(const T* A, T* values, T* vectors, std::size_t count);
  void (*spectrum_log)(const T* A, T* values, T* logarithm, std::size_t count);  // values and log A, by Spectrum
};

struct InstructionSet {
  const char* name;
  MathArrays<float> scalar_float, wide_float;
  MathArrays<double> scalar_double, wide_double;
};

InstructionSet math_arrays_baseline();
InstructionSet math_arrays_avx2();
InstructionSet math_arrays_avx512();

// Those that this binary has and this machine can run, the plainest first.
std::vector<InstructionSet> available_math_arrays();

}  // namespace knead
