/* The tables of a fused pass: all that depends on its grids alone, so that the loops only look up. */

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "fused_pass.h"

INLINE void set(const fused_pass* t, void* table, ptrdiff_t at, ptrdiff_t number) {
    if (t->wide) ((uint32_t*)table)[at] = (uint32_t)number;
    else ((uint16_t*)table)[at] = (uint16_t)number;
}

/* Cut the next piece off the memory, in whole cache lines; where there is none yet, only count. */
static void* cut(const fused_pass* t, ptrdiff_t* used, ptrdiff_t bytes) {
    byte* piece = t->room ? t->room + *used : NULL;
    *used += (bytes + 63) / 64 * 64;
    return piece;
}

/* Divide the memory among tables and buffers, and return how much that is. One block for all of them
   costs one request, and puts what is used together on few pages. */
static ptrdiff_t divide(fused_pass* t, int rows_only) {
    const ptrdiff_t n = t->n, q = t->q, each = n * sizeof(uint32_t), entry = t->wide ? 4 : 2;
    ptrdiff_t used = 0;
    /* Twice n entries, so that a row turned by its shift needs no remainder. */
    t->outer = cut(t, &used, t->joined ? 2 * n * entry : 0);
    t->inner = cut(t, &used, n * entry);
    t->shifts = cut(t, &used, each);
    /* Some bytes more, since a unit of 3 or 6 bytes is read as 4 or 8. */
    t->held = cut(t, &used, (rows_only && t->banded ? t->p : 1) * n * t->size + 8);
    if (rows_only) return used;
    t->rows = cut(t, &used, each);
    t->turns = cut(t, &used, each);
    t->offsets = cut(t, &used, n * sizeof(ptrdiff_t));
    t->backs = cut(t, &used, n * sizeof(ptrdiff_t));
    t->limits = cut(t, &used, each);
    t->starts = cut(t, &used, each);
    t->surplus = cut(t, &used, each);
    t->order = cut(t, &used, each);
    t->slots = cut(t, &used, n * sizeof(byte*));
    t->in_boxes = cut(t, &used, q * sizeof(rotated));
    t->in_strip = cut(t, &used, q * sizeof(rotated));
    t->columns = cut(t, &used, q * column_stride(t));
    cut(t, &used, q * t->width);  /* room before the first box, for `close_boxes` */
    t->boxes = cut(t, &used, q * band_stride(t) + 64);
    return used;
}

/* Reserve the memory, and return whether there is so much. */
static int reserve(fused_pass* t, int rows_only) {
    const size_t page = (size_t)1 << 21;  /* a huge page of x86-64 and ARM */
    t->room = NULL;
    size_t bytes = (size_t)divide(t, rows_only);
    void* room = NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    /* Columns lie so far apart that, with pages of 4 KiB, each would need one of its own, more than
       the processor remembers. Below half a page the system has better use for the memory. */
    if (bytes >= page / 2) {
        bytes = (bytes + page - 1) / page * page;
        if (posix_memalign(&room, page, bytes)) return 0;
        madvise(room, bytes, MADV_HUGEPAGE);
    }
#endif
    (void)page;
    t->room = room ? (byte*)room : (byte*)malloc(bytes);
    if (!t->room) return 0;
    divide(t, rows_only);
    return 1;
}

/* Fill `outer`, `inner` and `shifts` for a row pass, behind a block pass with these digits if any.

   The block pass puts the unit with digit d of its grid into column d; the row pass sends column c of
   row r to sigma[alpha[r] + beta[c]]. Together that is outer[inner + shift of the row], so a row costs
   two lookups a unit however many passes are joined. */
static void fill_joined(const fused_pass* t, const int64_t* digits, const int64_t* row, int undo) {
    const ptrdiff_t n = t->n, q = t->q;
    const int64_t *alpha = row, *beta = row ? row + n : NULL, *sigma = row ? row + 2 * n : NULL;
    for (ptrdiff_t at = 0, across = 0, down = 0; at < n; at++, across++) {
        if (across == q) across = 0, down++;
        const ptrdiff_t from = undo && t->swapped ? across * q + down : at;
        const ptrdiff_t digit = digits ? digits[from] : at;
        /* The box has q pieces of q units then, each with room for q more behind it. */
        const ptrdiff_t place = t->swapped ? across * 2 * q + down : at;
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

INTERNAL int prepare_rows(fused_pass* t, const int64_t* row, int undo) {
    t->swapped = 0;
    if (!reserve(t, 1)) return 0;
    fill_joined(t, NULL, row, undo);
    return 1;
}

/* Rows, rotations and places of the columns: `downs` are the rows of the block pass's grid.

   Row r of a column has the digit sigma[alpha[r] + beta[c]] and goes there. So with the rows in the
   order of alpha, a column is sigma rotated by beta[c], and place k of it belongs to row sigma[k]. */
static void fill_columns(fused_pass* t, const int64_t* column, const int64_t* downs) {
    const ptrdiff_t n = t->n, q = t->q;
    const uint32_t p32 = (uint32_t)t->p, q32 = (uint32_t)q;  /* these divide faster */
    const int64_t *alpha = column, *beta = column + n, *sigma = column + 2 * n;
    for (ptrdiff_t at = 0; at < n; at++) {
        const uint32_t line = (uint32_t)at, band = (uint32_t)sigma[at] / p32;
        const uint32_t place = (uint32_t)downs[sigma[at]];
        t->rows[alpha[at]] = t->banded ? line / p32 * p32 * p32 + line % p32 : line;
        t->turns[at] = (uint32_t)beta[at];
        t->offsets[at] = band * band_stride(t);
        if (t->swapped) {
            /* Piece place % q, and in it position place / q. */
            const uint32_t piece = place % q32;
            t->surplus[band] = place / q32;
            t->offsets[at] += piece * 2 * q * t->width + t->surplus[band] * t->width;
            t->backs[at] = (t->surplus[band] + 1 < q32 ? 1 : 1 - q) * t->width - 2 * n * t->width;
            t->limits[at] = q32 - piece;
        } else {
            /* One piece; a stack whose start would bring it behind the end begins anew in front. */
            t->surplus[band] = place % q32;
            t->offsets[at] += place * t->width;
            t->backs[at] = -n * t->width;
            t->limits[at] = (uint32_t)n - place;
        }
    }
}

/* The order of the columns of each stack in a box, and where that stack starts in it: `across` are the
   columns of the block pass's grid. */
static void fill_orders(fused_pass* t, const int64_t* across) {
    const ptrdiff_t q = t->q;
    const uint32_t q32 = (uint32_t)q;
    for (ptrdiff_t stack = 0; stack < t->p; stack++) {
        const uint32_t first = (uint32_t)across[stack * q];
        t->starts[stack] = t->swapped ? first % q32 : first / q32 * q32;
        for (ptrdiff_t c = 0; c < q; c++) {
            const uint32_t offset = (uint32_t)across[stack * q + c];
            const uint32_t within = t->swapped ? offset / q32 : offset % q32;
            t->order[stack * q + within] = (uint32_t)c;
        }
    }
}

INTERNAL int prepare_stacks(
    fused_pass* t, const int64_t* column, const int64_t* block, const int64_t* row, int undo
) {
    const int64_t *downs = block, *across = block + t->n, *digits = block + 2 * t->n;
    /* The columns of a stack have q offsets in a row, or else, swapped, q apart. */
    t->swapped = 0;
    for (ptrdiff_t c = 1; c < t->q; c++) t->swapped |= across[c] / t->q != across[0] / t->q;
    if (!reserve(t, 0)) return 0;
    fill_columns(t, column, downs);
    fill_orders(t, across);
    fill_joined(t, digits, row, undo);
    return 1;
}
