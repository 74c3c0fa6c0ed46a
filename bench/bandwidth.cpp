#include "bandwidth.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "timing.h"

namespace knead::bench {
namespace {

// Runs body(begin, end) on each thread's part, all starting together.
template <class Body> void in_parts(std::size_t count, int threads, const Body& body) {
  std::vector<std::thread> others;
  auto part = [&](int t) { body(count * t / threads, count * (t + 1) / threads); };
  for (int t = 1; t < threads; ++t) others.emplace_back(part, t);
  part(0);
  for (std::thread& thread : others) thread.join();
}

}  // namespace

Bandwidth measure_bandwidth(int threads) {
  // Virtual machines may report a cache shared with others: 64 MB an array at least, 512 MB at most.
  const std::size_t count =
      std::clamp<std::size_t>(4 * static_cast<std::size_t>(cache_bytes()) / 3, 64u << 20, 512u << 20) / sizeof(double);
  // Left uninitialised at first: each thread touches its own part before anyone else, as it will use it.
  const std::unique_ptr<double[]> storage[3] = {std::unique_ptr<double[]>(new double[count]), std::unique_ptr<double[]>(new double[count]),
                                                std::unique_ptr<double[]>(new double[count])};
  double *a = storage[0].get(), *b = storage[1].get(), *c = storage[2].get();
  in_parts(count, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) a[i] = 1, b[i] = 2, c[i] = 0.5;
  });
  const double copy = best_seconds(
      [&] {
        in_parts(count, threads, [&](std::size_t begin, std::size_t end) { std::copy(b + begin, b + end, a + begin); });
        keep(a);
      },
      20);
  const double triad = best_seconds(
      [&] {
        in_parts(count, threads, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + 3.0 * c[i];
        });
        keep(a);
      },
      20);
  const double bytes = static_cast<double>(count) * sizeof(double);
  return {2 * bytes / copy, 3 * bytes / triad};
}

}  // namespace knead::bench
