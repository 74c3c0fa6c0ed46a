// Eight floats at once, as the compiler's own vector type: the same results on every machine, whatever its vector length.
#pragma once
#include <cstring>

namespace knead {

constexpr int lanes = 8;
typedef float Lanes __attribute__((vector_size(lanes * sizeof(float))));

inline Lanes load(const float* from) {
  Lanes value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline void store(const Lanes& value, float* to) { std::memcpy(to, &value, sizeof value); }
inline float sum_of(const Lanes& v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }
inline Lanes positive_part(const Lanes& v) { return v > 0 ? v : Lanes{}; }

}  // namespace knead
