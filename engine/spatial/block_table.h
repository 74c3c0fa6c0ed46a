// From block coordinates to an index: an open-addressing hash table, built once per sort.
#pragma once
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace knead {

class BlockTable {
 public:
  // Keys must be distinct; key i gets index i.
  void build(const std::vector<std::uint64_t>& keys) {
    std::size_t size = 16;
    while (size < 2 * keys.size()) size *= 2;
    slots_.assign(size, Slot{});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::size_t slot = mix_bits(keys[i]) & (size - 1);
      while (slots_[slot].index != empty) slot = (slot + 1) & (size - 1);
      slots_[slot] = {keys[i], static_cast<std::int32_t>(i)};
    }
  }

  // Index of the key, or -1.
  std::int32_t find(std::uint64_t key) const {
    std::size_t slot = mix_bits(key) & (slots_.size() - 1);
    while (slots_[slot].index != empty && slots_[slot].key != key) slot = (slot + 1) & (slots_.size() - 1);
    return slots_[slot].index;
  }

 private:
  static constexpr std::int32_t empty = -1;
  struct Slot {
    std::uint64_t key = 0;
    std::int32_t index = empty;
  };
  std::vector<Slot> slots_ = std::vector<Slot>(16);
};

}  // namespace knead
