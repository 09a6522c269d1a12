/* What a thread needs for one trip: its tables, made from the grids of the passes, and its room.

   A grid is alpha, beta and sigma, of n numbers each, one after the other:
   S[r, c] = sigma[(alpha[r] + beta[c]) mod n]. The words are those of `stacks.h`. */

#ifndef SUDOKUCRYPT_TABLES_H
#define SUDOKUCRYPT_TABLES_H

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "vectors.h"

typedef struct {
    byte* first;              /* unit k is unit k + n of this up to the turn, and unit k behind it */
    ptrdiff_t turn;
} turned;

typedef struct {
    ptrdiff_t n, p, q;
    ptrdiff_t size, lane;     /* bytes of a unit in the picture, and in lanes and segments */
    int transposed;           /* whether rows and columns of the block pass's grid are exchanged */
    int wide;                 /* whether tables hold 32 bits, not 16 */
    int joined;               /* whether there is a row pass */
    int source_stacked, target_stacked;
    uint32_t* rows;           /* the row of the strip at each place of a lane */
    uint32_t* turns;          /* by how many places each column is turned */
    ptrdiff_t* offsets;       /* where the units of each place of a turned lane begin in the boxes */
    ptrdiff_t* backs;         /* what to add to that for a stack whose start is at the limit or over */
    uint32_t* limits;
    uint32_t* starts;         /* how many units, or pieces, each stack adds to it */
    uint32_t* surplus;        /* how many units of each band are written behind the end of a piece */
    uint32_t* columns;        /* the columns of each stack, from its first, in the order of a segment */
    void* outer;              /* place in a segment, or back: outer[inner[y] + shifts[row]] */
    void* inner;
    uint32_t* shifts;
    byte** segments;          /* where the units of each place of a turned lane go */
    turned* order;            /* the lanes in the order of a segment */
    turned* back;             /* the lanes in the order of the strip, as they are turned back */
    byte* lanes;
    byte* boxes;              /* the segments of one band after another */
    byte* held;               /* a row in one piece */
    byte* room;               /* all of these */
} stacks;

/* Unit k of a lane, which takes no branch that depends on the key. */
INLINE byte* unit_of(const turned* one, ptrdiff_t n, ptrdiff_t k, const ptrdiff_t lane) {
    return one->first + (k + (k < one->turn ? n : 0)) * lane;
}

/* Bytes from one lane to the next, and from one band's segments to the next: whole cache lines, and
   an odd number of them, since powers of two would share few sets of the cache. */
INLINE ptrdiff_t spaced(ptrdiff_t bytes) {
    return ((bytes + 63) / 64 | 1) * 64;
}

INLINE ptrdiff_t lane_stride(const stacks* t) { return spaced((t->n + 16) * t->lane); }

INLINE ptrdiff_t band_stride(const stacks* t) {
    return spaced((t->transposed ? 2 * t->n : t->n + t->q) * t->lane);
}

INLINE void set(const stacks* t, void* table, ptrdiff_t at, ptrdiff_t number) {
    if (t->wide) ((uint32_t*)table)[at] = (uint32_t)number;
    else ((uint16_t*)table)[at] = (uint16_t)number;
}

/* Cut the next piece off the memory, in whole cache lines; where there is none yet, only count. */
static void* cut(const stacks* t, ptrdiff_t* used, ptrdiff_t bytes) {
    byte* piece = t->room ? t->room + *used : NULL;
    *used += (bytes + 63) / 64 * 64;
    return piece;
}

/* Divide the memory, and return how much that is. */
static ptrdiff_t divided(stacks* t, int rows_only) {
    const ptrdiff_t n = t->n, q = t->q, each = n * sizeof(uint32_t), entry = t->wide ? 4 : 2;
    ptrdiff_t used = 0;
    t->outer = cut(t, &used, t->joined ? 2 * n * entry : 0);
    t->inner = cut(t, &used, n * entry);
    t->shifts = cut(t, &used, each);
    /* Some bytes more, since a unit of 3 or 6 bytes is read as 4 or 8. */
    t->held = cut(t, &used, n * t->size + 8);
    if (rows_only) return used;
    t->rows = cut(t, &used, each);
    t->turns = cut(t, &used, each);
    t->offsets = cut(t, &used, n * sizeof(ptrdiff_t));
    t->backs = cut(t, &used, n * sizeof(ptrdiff_t));
    t->limits = cut(t, &used, each);
    t->starts = cut(t, &used, each);
    t->surplus = cut(t, &used, each);
    t->columns = cut(t, &used, each);
    t->segments = cut(t, &used, n * sizeof(byte*));
    t->order = cut(t, &used, q * sizeof(turned));
    t->back = cut(t, &used, q * sizeof(turned));
    t->lanes = cut(t, &used, q * lane_stride(t));
    cut(t, &used, q * t->lane);  /* room before the first box */
    t->boxes = cut(t, &used, q * band_stride(t) + 64);
    return used;
}

/* Reserve the memory, and tell whether there is so much. */
static int reserved(stacks* t, int rows_only) {
    const size_t page = (size_t)1 << 21;
    t->room = NULL;
    size_t bytes = (size_t)divided(t, rows_only);
    void* room = NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= page / 2) {  /* lanes lie so far apart that small pages take long to find */
        bytes = (bytes + page - 1) / page * page;
        if (posix_memalign(&room, page, bytes)) return 0;
        madvise(room, bytes, MADV_HUGEPAGE);
    }
#endif
    (void)page;
    t->room = room ? (byte*)room : (byte*)malloc(bytes);
    if (!t->room) return 0;
    divided(t, rows_only);
    return 1;
}

/* Fill `outer`, `inner` and `shifts` for a row pass, behind a block pass with these digits if any. */
static void fill_joined(const stacks* t, const int64_t* digits, const int64_t* row, int undo) {
    const ptrdiff_t n = t->n, q = t->q;
    const int64_t *alpha = row, *beta = row ? row + n : NULL, *sigma = row ? row + 2 * n : NULL;
    for (ptrdiff_t at = 0, across = 0, down = 0; at < n; at++, across++) {
        if (across == q) across = 0, down++;
        const ptrdiff_t from = undo && t->transposed ? across * q + down : at;
        const ptrdiff_t digit = digits ? digits[from] : at;
        const ptrdiff_t place = t->transposed ? across * 2 * q + down : at;
        t->shifts[at] = (uint32_t)(!row ? 0 : undo || !alpha[at] ? alpha[at] : n - alpha[at]);
        if (!row) {
            set(t, t->inner, undo ? at : digit, undo ? digit : place);
        } else if (undo) {
            set(t, t->outer, at, sigma[at]);
            set(t, t->outer, n + at, sigma[at]);
            set(t, t->inner, at, beta[digit]);
        } else {
            set(t, t->outer, beta[digit], place);
            set(t, t->outer, n + beta[digit], place);
            set(t, t->inner, sigma[at], at);
        }
    }
}

/* Make ready for a row pass with this grid. */
static int prepare_rows(stacks* t, const int64_t* row, int undo) {
    t->transposed = 0;
    if (!reserved(t, 1)) return 0;
    fill_joined(t, NULL, row, undo);
    return 1;
}

/* Make ready for a column pass, a block pass and a row pass if any, with these grids. */
static int prepare_stacks(
    stacks* t, const int64_t* column, const int64_t* block, const int64_t* row, int undo
) {
    const ptrdiff_t n = t->n, p = t->p, q = t->q;
    const uint32_t p32 = (uint32_t)p, q32 = (uint32_t)q;  /* these divide faster */
    const int64_t *alpha = column, *beta = column + n, *sigma = column + 2 * n;
    const int64_t *downs = block, *across = block + n;
    /* The columns of a stack have q offsets in a row, or else, transposed, q apart. */
    t->transposed = 0;
    for (ptrdiff_t c = 1; c < q; c++) t->transposed |= across[c] / q != across[0] / q;
    if (!reserved(t, 0)) return 0;
    const int stacked = undo ? t->target_stacked : t->source_stacked;
    for (ptrdiff_t at = 0; at < n; at++) {
        const uint32_t line = (uint32_t)at, band = (uint32_t)sigma[at] / p32;
        const uint32_t place = (uint32_t)downs[sigma[at]];
        t->rows[alpha[at]] = stacked ? line % p32 * q32 + line / p32 : line;
        t->turns[at] = (uint32_t)beta[at];
        t->offsets[at] = band * band_stride(t);
        if (t->transposed) {
            const uint32_t number = place % q32;
            t->surplus[band] = place / q32;
            t->offsets[at] += number * 2 * q * t->lane + t->surplus[band] * t->lane;
            t->backs[at] = (t->surplus[band] + 1 < q32 ? 1 : 1 - q) * t->lane - 2 * n * t->lane;
            t->limits[at] = q32 - number;
        } else {
            t->surplus[band] = place % q32;
            t->offsets[at] += place * t->lane;
            t->backs[at] = -n * t->lane;
            t->limits[at] = (uint32_t)n - place;
        }
    }
    for (ptrdiff_t stack = 0; stack < p; stack++) {
        const uint32_t first = (uint32_t)across[stack * q];
        t->starts[stack] = t->transposed ? first % q32 : first / q32 * q32;
        for (ptrdiff_t c = 0; c < q; c++) {
            const uint32_t offset = (uint32_t)across[stack * q + c];
            const uint32_t within = t->transposed ? offset / q32 : offset % q32;
            t->columns[stack * q + within] = (uint32_t)c;
        }
    }
    fill_joined(t, block + 2 * n, row, undo);
    return 1;
}

#endif
