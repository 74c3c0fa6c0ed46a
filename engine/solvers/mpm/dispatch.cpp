// Chooses the kernels for the machine that runs.
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "solvers/mpm/kernels.h"

namespace knead {

namespace baseline {
extern const MpmKernels<float> float_kernels;
extern const MpmKernels<double> double_kernels;
}  // namespace baseline
#if defined(KNEAD_HAS_AVX2)
namespace avx2 {
extern const MpmKernels<float> float_kernels;
extern const MpmKernels<double> double_kernels;
}  // namespace avx2
#endif
#if defined(KNEAD_HAS_AVX512)
namespace avx512 {
extern const MpmKernels<float> float_kernels;
extern const MpmKernels<double> double_kernels;
}  // namespace avx512
#endif

namespace {
template <class T> const MpmKernels<T>& pick(const MpmKernels<float>& f, const MpmKernels<double>& d) {
  if constexpr (std::is_same_v<T, float>) return f;
  else return d;
}
}  // namespace

template <class T> const MpmKernels<T>& mpm_kernels(const char* instruction_set) {
  if (!instruction_set) instruction_set = std::getenv("KNEAD_INSTRUCTION_SET");  // to compare and to reproduce other machines' results
#if defined(KNEAD_HAS_AVX512)
  if ((!instruction_set || std::strcmp(instruction_set, "avx512") == 0) && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return pick<T>(avx512::float_kernels, avx512::double_kernels);
#endif
#if defined(KNEAD_HAS_AVX2)
  if ((!instruction_set || std::strcmp(instruction_set, "baseline") != 0) && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma"))
    return pick<T>(avx2::float_kernels, avx2::double_kernels);
#endif
  return pick<T>(baseline::float_kernels, baseline::double_kernels);
}

template const MpmKernels<float>& mpm_kernels(const char*);
template const MpmKernels<double>& mpm_kernels(const char*);

}  // namespace knead
