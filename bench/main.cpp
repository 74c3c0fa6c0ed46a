// knead_bench [PART...] [--csv FILE] [--json]: all parts, or those named.
#include <algorithm>
#include <iostream>

#include "base/threads.h"
#include "benchmarks.h"

namespace knead::bench {
namespace {

struct Part {
  const char* name;
  void (*run)(Report&);
  bool within_another = false;  // runs only when named
};
constexpr Part parts[] = {
    {"memory", bench_memory},
    {"decompositions", bench_decompositions},
#if defined(KNEAD_BENCH_EIGEN)
    {"steps", bench_steps},
    {"steps_100k", bench_steps_100k, true},
    {"steps_1M", bench_steps_1M, true},
    {"steps_8M", bench_steps_8M, true},
    {"generalized", bench_generalized},
#endif
    {"implicit", bench_implicit},
    {"convergence", bench_convergence},
    {"collapse", bench_collapse},
    {"sph", bench_sph},
    {"sph_large", bench_sph_large, true},
    {"sph_paper", bench_sph_paper, true},
};

int usage() {
  std::cerr << "usage: knead_bench [PART...] [--csv FILE] [--json]\nparts:";
  for (const Part& part : parts) std::cerr << ' ' << part.name;
  std::cerr << '\n';
  return 2;
}

int run(const Options& options) {
  for (const std::string& word : options.rest)
    if (std::none_of(std::begin(parts), std::end(parts), [&](const Part& part) { return word == part.name; })) return usage();
  for (const Part& part : parts) {
    const bool named = std::find(options.rest.begin(), options.rest.end(), part.name) != options.rest.end();
    if (!named && (part.within_another || !options.rest.empty())) continue;
    Report report(part.name, options);
    part.run(report);
  }
  return 0;
}

}  // namespace
}  // namespace knead::bench

int main(int argc, char** argv) {
  knead::flush_denormals();  // as knead does
  return knead::bench::run(knead::bench::parse_options(argc, argv));
}
