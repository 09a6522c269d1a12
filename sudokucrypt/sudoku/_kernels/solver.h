/* The choice of the next cell, and the search of many puzzles at once by vector instructions. */

#ifndef SUDOKUCRYPT_SOLVER_H
#define SUDOKUCRYPT_SOLVER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../kernels/bits.h"

/* Return the cell that the next node tries, given the candidates of all 81 cells as bits.
   Return -1 if each cell has one candidate. */
static int choose_cell(const uint16_t* cells) {
    uint16_t is_pair[81];
    int chosen = -1, most_pairs = 0, fewest = 10;
    for (int i = 0; i < 81; i++) {
        const uint16_t others = cells[i] & (cells[i] - 1);  /* except the lowest */
        is_pair[i] = others && !(others & (others - 1));
    }
    for (int i = 0; i < 81; i += 27) {
        uint16_t count = 0;
        for (int k = 0; k < 27; k++) count += is_pair[i + k];
        if (count > most_pairs) {
            most_pairs = count;
            chosen = i;
        }
    }
    if (most_pairs) {
        while (!is_pair[chosen]) chosen++;
        return chosen;
    }
    for (int i = 0; i < 81; i++) {
        const int count = count_bits(cells[i]);
        if (count > 1 && count < fewest) {
            fewest = count;
            chosen = i;
        }
    }
    return chosen;
}

#define UNSOLVED (-2)    /* the count of a puzzle that the search of single puzzles must solve */
#define MAX_SINGLE 3     /* up to this number of puzzles, the search of single puzzles is faster */

#if defined(__GNUC__) && (defined(__SSE2__) || defined(__ARM_NEON))
#define LANES 8
#define TARGET
#define NAME(name) name##_8
#include "lanes.h"
#ifdef __x86_64__
#undef LANES
#undef TARGET
#undef NAME
#define LANES 16
#define TARGET __attribute__((target("avx2")))
#define NAME(name) name##_16
#include "lanes.h"
#endif
#endif

/* Solve the puzzles start..stop-1; those that remain, a few or all, get the count UNSOLVED. */
static void solve_side_by_side(
    const int8_t* puzzles, int8_t* first, int64_t* counts, ptrdiff_t start, ptrdiff_t stop,
    int64_t limit, int64_t budget
) {
    for (ptrdiff_t index = start; index < stop; index++) counts[index] = UNSOLVED;
    if (stop - start <= MAX_SINGLE || limit < 1 || budget < 1) return;
#ifdef LANES
#ifdef __x86_64__
    if (stop - start > 8 && __builtin_cpu_supports("avx2")) {
        solve_16(puzzles, first, counts, start, stop, limit, budget);
        return;
    }
#endif
    solve_8(puzzles, first, counts, start, stop, limit, budget);
#endif
}

#endif
