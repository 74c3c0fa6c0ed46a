// A tiny harness for benchmarks: best of several runs, and rows for a table, CSV or JSON lines with the machine and the commit.
#pragma once
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace knead::bench {

// Best time of one call [s] over at least `repeats` calls and `seconds` of work: the minimum is what the code costs, the rest
// is the machine's business. The first call is not counted.
template <class Work> double best_seconds(Work&& work, int repeats = 5, double seconds = 0.1) {
  using Clock = std::chrono::steady_clock;
  work();
  double best = 1e300, total = 0;
  for (int n = 0; n < repeats || total < seconds; ++n) {
    const auto start = Clock::now();
    work();
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    best = elapsed < best ? elapsed : best;
    total += elapsed;
  }
  return best;
}

// Seconds that one thread has worked: other work on the machine then matters less. More threads are timed by the clock on the wall.
inline double seconds_now(int threads) {
  if (threads == 1) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Keeps the compiler from dropping work whose result nobody reads.
inline void keep(const void* data) { asm volatile("" : : "g"(data) : "memory"); }

std::string cpu_model();
std::string commit();  // of the working tree, or "unknown" without git
long cache_bytes();    // the largest cache [B]

struct Measurement {
  std::string name, variant, unit;  // what, how, and in which unit
  double value;
};

// What a benchmark was asked for: `--csv FILE` appends rows there (a header first if the file is new), `--json` prints one
// object per line instead of the table. Anything else is left in `rest`.
struct Options {
  std::string csv;
  bool json = false;
  std::vector<std::string> rest;
};
Options parse_options(int argc, char** argv);

// Prints each measurement as it comes.
class Report {
 public:
  Report(std::string benchmark, Options options);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  void add(const Measurement& measurement);

 private:
  std::string benchmark_, cpu_, commit_;
  Options options_;
  std::FILE* csv_ = nullptr;
};

}  // namespace knead::bench
