// Functions that kernels compiled for several instruction sets share are always inlined: an out-of-line copy made
// for AVX-512 could otherwise be the one that the linker keeps for every machine.
#pragma once
#define KNEAD_INLINE __attribute__((always_inline)) inline
#define KNEAD_INLINE_LAMBDA __attribute__((always_inline))
