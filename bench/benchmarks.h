// The parts of knead_bench; main.cpp has their list.
#pragma once
#include "timing.h"

namespace knead::bench {

void bench_memory(Report& report);
void bench_decompositions(Report& report);
void bench_steps(Report& report);
void bench_steps_100k(Report& report);  // parts of it
void bench_steps_1M(Report& report);
void bench_steps_8M(Report& report);
void bench_generalized(Report& report);
void bench_implicit(Report& report);
void bench_convergence(Report& report);
void bench_collapse(Report& report);
void bench_sph(Report& report);
void bench_sph_paper(Report& report);  // beam theory and the comparisons of the paper
void bench_sph_large(Report& report);  // up to five million particles

}  // namespace knead::bench
