#include "math/instruction_sets/arrays.h"

namespace knead {

std::vector<InstructionSet> available_math_arrays() {
  std::vector<InstructionSet> sets{math_arrays_baseline()};
#if defined(KNEAD_MATH_ARRAYS_X86)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets.push_back(math_arrays_avx2());
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    sets.push_back(math_arrays_avx512());
#endif
  return sets;
}

}  // namespace knead
