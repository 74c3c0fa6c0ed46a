// Memory bandwidth with one and with all threads.
#include <algorithm>
#include <string>
#include <thread>

#include "bandwidth.h"
#include "benchmarks.h"

namespace knead::bench {

void bench_memory(Report& report) {
  const int all = std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
  for (int threads : {1, all}) {
    const Bandwidth bandwidth = measure_bandwidth(threads);
    const std::string variant = std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    report.add({"copy", variant, "GB/s", bandwidth.copy * 1e-9});
    report.add({"triad", variant, "GB/s", bandwidth.triad * 1e-9});
  }
}

}  // namespace knead::bench
