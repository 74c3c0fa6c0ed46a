// Counter-based random numbers: a pure function of (seed, stream, index), so results do not depend on order or threads.
#pragma once
#include <cstdint>

namespace knead {

// SplitMix64's finaliser: a bijection with good avalanche.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Uniform in [0, 1).
constexpr double random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(mix_bits(mix_bits(mix_bits(seed) ^ stream) ^ index) >> 11) * 0x1p-53;
}

}  // namespace knead
