/* The tables of a fused pass: all that depends on its grids alone, so that the loops only look up. */

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "fused_pass.h"

INLINE void set_entry(const fused_pass* pass, void* table, ptrdiff_t index, ptrdiff_t number) {
    if (pass->is_wide) ((uint32_t*)table)[index] = (uint32_t)number;
    else ((uint16_t*)table)[index] = (uint16_t)number;
}

/* Cut the next piece off the memory, in whole cache lines; where there is none yet, only count. */
static void* cut_memory(const fused_pass* pass, ptrdiff_t* used, ptrdiff_t bytes) {
    byte* piece = pass->memory_block ? pass->memory_block + *used : NULL;
    *used += (bytes + 63) / 64 * 64;
    return piece;
}

/* Divide the memory among tables and buffers, and return how much that is. One block for all of them
   costs one request, and puts what is used together on few pages. */
static ptrdiff_t divide_memory(fused_pass* pass, int rows_only) {
    const ptrdiff_t n = pass->n, q = pass->q;
    const ptrdiff_t index_bytes = n * sizeof(uint32_t), entry_size = pass->is_wide ? 4 : 2;
    ptrdiff_t used = 0;
    /* Twice n entries, so that a row turned by its shift needs no remainder. */
    pass->outer_table = cut_memory(pass, &used, pass->has_row_pass ? 2 * n * entry_size : 0);
    pass->inner_table = cut_memory(pass, &used, n * entry_size);
    pass->shifts = cut_memory(pass, &used, index_bytes);
    /* Some bytes more, since a unit of 3 or 6 bytes is read as 4 or 8. */
    const ptrdiff_t buffered_rows = rows_only && pass->is_banded ? pass->p : 1;
    pass->row_buffer = cut_memory(pass, &used, buffered_rows * n * pass->size + 8);
    if (rows_only) return used;
    pass->rows = cut_memory(pass, &used, index_bytes);
    pass->rotations = cut_memory(pass, &used, index_bytes);
    pass->offsets = cut_memory(pass, &used, n * sizeof(ptrdiff_t));
    pass->back_offsets = cut_memory(pass, &used, n * sizeof(ptrdiff_t));
    pass->limits = cut_memory(pass, &used, index_bytes);
    pass->stack_starts = cut_memory(pass, &used, index_bytes);
    pass->surplus = cut_memory(pass, &used, index_bytes);
    pass->order = cut_memory(pass, &used, index_bytes);
    pass->slots = cut_memory(pass, &used, n * sizeof(byte*));
    pass->in_boxes = cut_memory(pass, &used, q * sizeof(rotated));
    pass->in_strip = cut_memory(pass, &used, q * sizeof(rotated));
    pass->columns = cut_memory(pass, &used, q * column_stride(pass));
    cut_memory(pass, &used, q * pass->width);  /* room before the first box, for `close_boxes` */
    pass->boxes = cut_memory(pass, &used, q * band_stride(pass) + 64);
    return used;
}

/* Reserve the memory, and return whether there is so much. */
static int reserve_memory(fused_pass* pass, int rows_only) {
    const size_t page = (size_t)1 << 21;  /* a huge page of x86-64 and ARM */
    pass->memory_block = NULL;
    size_t bytes = (size_t)divide_memory(pass, rows_only);
    void* memory_block = NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    /* Columns lie so far apart that, with pages of 4 KiB, each would need one of its own, more than
       the processor remembers. Below half a page the system has better use for the memory. */
    if (bytes >= page / 2) {
        bytes = (bytes + page - 1) / page * page;
        if (posix_memalign(&memory_block, page, bytes)) return 0;
        madvise(memory_block, bytes, MADV_HUGEPAGE);
    }
#endif
    (void)page;
    pass->memory_block = memory_block ? (byte*)memory_block : (byte*)malloc(bytes);
    if (!pass->memory_block) return 0;
    divide_memory(pass, rows_only);
    return 1;
}

/* Fill both tables and `shifts` for a row pass, after a block pass with these digits if any.

   The block pass puts the unit with digit d of its grid into column d; the row pass sends column c of
   row r to sigma[alpha[r] + beta[c]]. Together that is outer[inner + shift of the row], so a row costs
   two lookups a unit however many passes are joined. */
static void fill_joined(const fused_pass* pass, const int64_t* digits, const int64_t* row, int undo) {
    const ptrdiff_t n = pass->n, q = pass->q;
    const int64_t *alpha = row, *beta = row ? row + n : NULL, *sigma = row ? row + 2 * n : NULL;
    for (ptrdiff_t index = 0, across = 0, down = 0; index < n; index++, across++) {
        if (across == q) across = 0, down++;
        const ptrdiff_t from = undo && pass->is_swapped ? across * q + down : index;
        const ptrdiff_t digit = digits ? digits[from] : index;
        /* The box has q pieces of q units then, each with room for q more behind it. */
        const ptrdiff_t place = pass->is_swapped ? across * 2 * q + down : index;
        pass->shifts[index] = (uint32_t)(!row ? 0 : undo || !alpha[index] ? alpha[index] : n - alpha[index]);
        if (!row) {
            set_entry(pass, pass->inner_table, undo ? index : digit, undo ? digit : place);
        } else if (undo) {
            set_entry(pass, pass->outer_table, index, sigma[index]);
            set_entry(pass, pass->outer_table, n + index, sigma[index]);
            set_entry(pass, pass->inner_table, index, beta[digit]);
        } else {
            set_entry(pass, pass->outer_table, beta[digit], place);
            set_entry(pass, pass->outer_table, n + beta[digit], place);
            set_entry(pass, pass->inner_table, sigma[index], index);
        }
    }
}

INTERNAL int prepare_rows(fused_pass* pass, const int64_t* row, int undo) {
    pass->is_swapped = 0;
    if (!reserve_memory(pass, 1)) return 0;
    fill_joined(pass, NULL, row, undo);
    return 1;
}

/* Rows, rotations and places of the columns: `block_rows` are the rows of the block pass's grid.

   Row r of a column has the digit sigma[alpha[r] + beta[c]] and goes there. So with the rows in the
   order of alpha, a column is sigma rotated by beta[c], and place k of it belongs to row sigma[k]. */
static void fill_columns(fused_pass* pass, const int64_t* column, const int64_t* block_rows) {
    const ptrdiff_t n = pass->n, q = pass->q;
    const uint32_t p32 = (uint32_t)pass->p, q32 = (uint32_t)q;  /* these divide faster */
    const int64_t *alpha = column, *beta = column + n, *sigma = column + 2 * n;
    for (ptrdiff_t index = 0; index < n; index++) {
        const uint32_t line = (uint32_t)index, band = (uint32_t)sigma[index] / p32;
        const uint32_t place = (uint32_t)block_rows[sigma[index]];
        pass->rows[alpha[index]] = pass->is_banded ? line / p32 * p32 * p32 + line % p32 : line;
        pass->rotations[index] = (uint32_t)beta[index];
        pass->offsets[index] = band * band_stride(pass);
        if (pass->is_swapped) {
            /* Piece place % q, and in it position place / q. */
            const uint32_t piece = place % q32;
            pass->surplus[band] = place / q32;
            pass->offsets[index] += piece * 2 * q * pass->width + pass->surplus[band] * pass->width;
            const ptrdiff_t units_back = (pass->surplus[band] + 1 < q32 ? 1 : 1 - q) - 2 * n;
            pass->back_offsets[index] = units_back * pass->width;
            pass->limits[index] = q32 - piece;
        } else {
            /* One piece; a stack whose start would bring it behind the end begins anew in front. */
            pass->surplus[band] = place % q32;
            pass->offsets[index] += place * pass->width;
            pass->back_offsets[index] = -n * pass->width;
            pass->limits[index] = (uint32_t)n - place;
        }
    }
}

/* The order of the columns of each stack in a box, and where that stack starts in it: `across` are the
   columns of the block pass's grid. */
static void fill_orders(fused_pass* pass, const int64_t* across) {
    const ptrdiff_t q = pass->q;
    const uint32_t q32 = (uint32_t)q;
    for (ptrdiff_t stack = 0; stack < pass->p; stack++) {
        const uint32_t first = (uint32_t)across[stack * q];
        pass->stack_starts[stack] = pass->is_swapped ? first % q32 : first / q32 * q32;
        for (ptrdiff_t c = 0; c < q; c++) {
            const uint32_t offset = (uint32_t)across[stack * q + c];
            const uint32_t within = pass->is_swapped ? offset / q32 : offset % q32;
            pass->order[stack * q + within] = (uint32_t)c;
        }
    }
}

INTERNAL int prepare_stacks(
    fused_pass* pass, const int64_t* column, const int64_t* block, const int64_t* row, int undo
) {
    const int64_t *block_rows = block, *across = block + pass->n, *digits = block + 2 * pass->n;
    /* The columns of a stack have q offsets in a row, or else, swapped, q apart. */
    pass->is_swapped = 0;
    for (ptrdiff_t c = 1; c < pass->q; c++) pass->is_swapped |= across[c] / pass->q != across[0] / pass->q;
    if (!reserve_memory(pass, 0)) return 0;
    fill_columns(pass, column, block_rows);
    fill_orders(pass, across);
    fill_joined(pass, digits, row, undo);
    return 1;
}
