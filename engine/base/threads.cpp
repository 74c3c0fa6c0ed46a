#include "base/threads.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace knead {

namespace {
std::unique_ptr<tbb::global_control>& control() {
  static std::unique_ptr<tbb::global_control> value;
  return value;
}
int& requested() {
  static int value = 0;
  return value;
}
}  // namespace

void set_thread_count(int count) {
  requested() = count;
  control().reset();
  if (count > 0)
    control() = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
}

int thread_count() { return requested() > 0 ? requested() : tbb::this_task_arena::max_concurrency(); }

void flush_denormals() {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // flush-to-zero and denormals-are-zero
#endif
}

void detail::parallel_ranges(std::size_t count, std::size_t grain, RangeFunction function, void* context) {
  if (count == 0) return;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [=](const tbb::blocked_range<std::size_t>& range) { function(context, range.begin(), range.end()); });
}

}  // namespace knead
