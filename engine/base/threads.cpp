#include "base/threads.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#if defined(KNEAD_THREAD_SANITIZER)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
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

namespace {
// ThreadSanitizer does not see inside TBB: these notes say that a loop begins after all that was done before it, and ends before
// all that is done after it. Races between the ranges of one loop are still found.
void leave_note([[maybe_unused]] void* address) {
#if defined(KNEAD_THREAD_SANITIZER)
  __tsan_release(address);
#endif
}
void read_note([[maybe_unused]] void* address) {
#if defined(KNEAD_THREAD_SANITIZER)
  __tsan_acquire(address);
#endif
}
}  // namespace

void detail::parallel_ranges(std::size_t count, std::size_t grain, RangeFunction function, void* context) {
  if (count == 0) return;
  char begun = 0, ended = 0;
  leave_note(&begun);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain), [&](const tbb::blocked_range<std::size_t>& range) {
    read_note(&begun);
    function(context, range.begin(), range.end());
    leave_note(&ended);
  });
  read_note(&ended);
}

}  // namespace knead
