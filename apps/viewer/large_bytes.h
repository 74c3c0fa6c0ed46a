// Memory for millions of numbers that are all written: not filled with zeros first, and used again, since the system clears what it
// gives, which takes as long as packing a frame.
#pragma once
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace knead::viewer {

void* take_block(std::size_t bytes);  // for any alignment up to that of a page; std::bad_alloc when there is no more
void give_block(void* block, std::size_t bytes);

template <class T> struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class Other> explicit LargeAllocator(const LargeAllocator<Other>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(take_block(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) { give_block(memory, count * sizeof(T)); }
  template <class U> void construct(U* place) { ::new (static_cast<void*>(place)) U; }
  template <class U, class... Values> void construct(U* place, Values&&... values) {
    ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }
  bool operator==(const LargeAllocator&) const { return true; }
};

template <class T> using LargeVector = std::vector<T, LargeAllocator<T>>;
using LargeBytes = LargeVector<char>;

}  // namespace knead::viewer
