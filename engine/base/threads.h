// Threads: one parallel loop. Results never depend on how the range is cut.
#pragma once
#include <cstddef>
#include <type_traits>

namespace knead {

// Number of threads that parallel loops use from now on; 0 = all cores.
void set_thread_count(int count);
int thread_count();

// Denormal numbers are flushed to zero in this thread; parallel loops pass the setting on. Call first thing in main.
void flush_denormals();

namespace detail {
using RangeFunction = void (*)(void* context, std::size_t begin, std::size_t end);
void parallel_ranges(std::size_t count, std::size_t grain, RangeFunction function, void* context);
}  // namespace detail

// Calls body(begin, end) for disjoint ranges that cover [0, count), each about `grain` long or longer.
template <class Body> void parallel_for(std::size_t count, std::size_t grain, Body&& body) {
  detail::parallel_ranges(
      count, grain,
      [](void* context, std::size_t begin, std::size_t end) { (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end); },
      &body);
}

}  // namespace knead
