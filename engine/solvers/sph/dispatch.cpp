// Chooses the kernels for the machine that runs.
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "solvers/sph/elastic_kernels.h"

namespace knead {

#define KNEAD_DECLARE(isa)                                                \
  namespace isa {                                                         \
  extern const ElasticKernels<float> float_elastic_kernels;               \
  extern const ElasticKernels<double> double_elastic_kernels;             \
  template <class T> const ElasticKernels<T>& elastic_table() {           \
    if constexpr (std::is_same_v<T, float>) return float_elastic_kernels; \
    else return double_elastic_kernels;                                   \
  }                                                                       \
  }
KNEAD_DECLARE(baseline)
#if defined(KNEAD_HAS_AVX2)
KNEAD_DECLARE(avx2)
#endif
#if defined(KNEAD_HAS_AVX512)
KNEAD_DECLARE(avx512)
#endif

template <class T> const ElasticKernels<T>& elastic_kernels(const char* instruction_set) {
  if (!instruction_set) instruction_set = std::getenv("KNEAD_INSTRUCTION_SET");
#if defined(KNEAD_HAS_AVX512)
  if ((!instruction_set || std::strcmp(instruction_set, "avx512") == 0) && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return avx512::elastic_table<T>();
#endif
#if defined(KNEAD_HAS_AVX2)
  if ((!instruction_set || std::strcmp(instruction_set, "baseline") != 0) && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma"))
    return avx2::elastic_table<T>();
#endif
  return baseline::elastic_table<T>();
}

template const ElasticKernels<float>& elastic_kernels(const char*);
template const ElasticKernels<double>& elastic_kernels(const char*);

}  // namespace knead
