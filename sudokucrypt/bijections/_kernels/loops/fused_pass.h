/* A fused pass: column pass, block pass and the row pass that follows, in one trip through memory.

   It works on the stacks of the window, each q columns wide, one after the other:

     strip     the units of the stack: n rows of q units in the source
     columns   the strip column by column, its rows in the order in which the column pass adds up:
               the pass rotates each column by an offset of its own, and does nothing else
     boxes     for each band the n units of its box, in the order in which the block pass adds up:
               those of one row lie side by side there, so they are copied q at a time
     target    one row for each band, gathered by a table that joins block and row pass

   So every step but the last reads and writes runs of memory, and the last one scatters over a box
   that fits into the cache; passes one by one would scatter over the whole picture three times.

   A stack has as many units as its target rows, which are written to the memory of its strip, in
   pieces of q units: no second picture is needed, and what is written is still near. Piece m of row
   i p + j so lies where row i p + m of stack j was, which makes one of two layouts of the other:

     raster    row i p + j, piece m
     banded    row i p + m, piece j

   The next fused pass reads its strip j there, from the rows i p + j, and its rows go there again.

   A grid is alpha, beta and sigma, of n numbers each, one after the other:
   S[r, c] = sigma[(alpha[r] + beta[c]) mod n]. */

#ifndef SUDOKUCRYPT_FUSED_PASS_H
#define SUDOKUCRYPT_FUSED_PASS_H

#include "common.h"

/* A column that is rotated without being moved: its unit k is unit k + n of `first` up to the turn,
   and unit k behind it. */
typedef struct {
    byte* first;
    ptrdiff_t rotation;
} rotated;

/* What a thread needs: its tables, made from the grids of the passes, and its buffers. */
typedef struct {
    ptrdiff_t n, p, q;
    ptrdiff_t size, width;    /* bytes of a unit in the picture, and in columns and boxes */
    int is_swapped;              /* whether rows and columns of the block pass's grid are exchanged */
    int is_wide;                 /* whether tables hold 32 bits, not 16 */
    int has_row_pass;               /* whether there is a row pass */
    int is_banded;               /* whether strips, or rows behind a row pass, are in the banded layout */
    /* The column pass. */
    uint32_t* rows;           /* the row of the strip at each place of a column */
    uint32_t* rotations;          /* by how many places each column is rotated */
    /* Columns to boxes. */
    ptrdiff_t* offsets;       /* where the units of each place of a rotated column go in the boxes */
    ptrdiff_t* back_offsets;         /* what to add to that for a stack whose start is at the limit or over */
    uint32_t* limits;
    uint32_t* stack_starts;         /* how many units, or pieces, each stack adds to it */
    uint32_t* surplus;        /* how many units of each band are written behind the end of a piece */
    uint32_t* order;          /* the columns of each stack, from its first, in the order of a box */
    byte** slots;             /* for the stack at hand: where each place of the columns goes */
    rotated* in_boxes;        /* its columns in the order of a box */
    rotated* in_strip;        /* its columns in the order of the strip, as they are turned back */
    /* The block pass and the row pass: position in a box, or back: outer[inner[y] + shifts[row]]. */
    void* outer_table;
    void* inner_table;
    uint32_t* shifts;
    /* The buffers. */
    byte* columns;
    byte* boxes;              /* the boxes of one band after another */
    byte* row_buffer;               /* a row in one piece, or all of a band */
    byte* memory_block;               /* the memory of all tables and buffers */
} fused_pass;

/* Unit k of a rotated column, which takes no branch that depends on the key: timing must not tell
   by how much it is rotated. */
INLINE byte* find_unit(const rotated* column, ptrdiff_t n, ptrdiff_t k, const ptrdiff_t width) {
    return column->first + (k + (k < column->rotation ? n : 0)) * width;
}

/* Bytes from one column to the next, and from one band's boxes to the next: whole cache lines, and
   an odd number of them, since powers of two would share few sets of the cache. */
INLINE ptrdiff_t round_to_lines(ptrdiff_t bytes) {
    return ((bytes + 63) / 64 | 1) * 64;
}

/* Behind a column its first 16 units are repeated, so that a square of vectors may begin at its end. */
INLINE ptrdiff_t column_stride(const fused_pass* pass) {
    return round_to_lines((pass->n + 16) * pass->width);
}

/* Behind each piece of a box is room for q units; with a swapped grid there are q pieces of q. */
INLINE ptrdiff_t band_stride(const fused_pass* pass) {
    return round_to_lines((pass->is_swapped ? 2 * pass->n : pass->n + pass->q) * pass->width);
}

/* Make ready for a row pass with this grid; 0 if there is not enough memory. */
INTERNAL int prepare_rows(fused_pass* pass, const int64_t* row, int undo);

/* Make ready for a column pass, a block pass and a row pass if any, with these grids; the same. */
INTERNAL int prepare_stacks(
    fused_pass* pass, const int64_t* column, const int64_t* block, const int64_t* row, int undo
);

/* Move one stack, and the way back; `target` may be `source`, and holds the other layout. */
INTERNAL void apply_stack(const fused_pass* pass, const byte* source, byte* target, ptrdiff_t stack);
INTERNAL void undo_stack(const fused_pass* pass, const byte* source, byte* target, ptrdiff_t stack);

/* A row pass of the bands start..stop - 1, from raster or, undoing it, to raster; the same. */
INTERNAL void move_bands(
    const fused_pass* pass, const byte* source, byte* target, ptrdiff_t start, ptrdiff_t stop, int undo
);

/* Exchange units with the last ones, one after the other; `partners` are anywhere in the picture. */
INTERNAL void exchange_units(
    byte* data, ptrdiff_t size, ptrdiff_t last, const int64_t* partners, ptrdiff_t count, int undo,
    byte* unit_buffer
);

#endif
