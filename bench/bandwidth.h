// The machine's memory bandwidth, measured: what a memory-bound loop can reach at best.
#pragma once

namespace knead::bench {

// [B/s]; bytes are those that the loop names (copy: 16 per double, triad: 24), without what the cache reads before it writes.
struct Bandwidth {
  double copy;   // a = b
  double triad;  // a = b + s c
};

// Best of several passes over arrays of at least four times the largest cache together, split over `threads` threads.
Bandwidth measure_bandwidth(int threads);

}  // namespace knead::bench
