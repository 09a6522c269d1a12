/* The loops behind `blocks.pyx`; `blocks_plain.py` describes what they compute.

   A plane has `across` blocks in a row; those are 64 bytes each, one after the other. */

#ifndef SUDOKUCRYPT_BLOCKS_H
#define SUDOKUCRYPT_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned char byte;

/* Functions that several files of a kernel share, but no other library in the process. */
#if defined(__GNUC__)
#define INTERNAL __attribute__((visibility("hidden")))
#else
#define INTERNAL
#endif

/* Flip the signs that 8 bytes a block ask for, and scale by gain / 4096. */
INTERNAL void flip_blocks(byte* blocks, const byte* signs, int32_t gain, ptrdiff_t count);

/* Rows of blocks of the luma; at the right and lower edges the last pixels are repeated. */
INTERNAL void fill_luma_blocks(
    const byte* pixels, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t channels, byte* blocks,
    ptrdiff_t across, ptrdiff_t start, ptrdiff_t stop
);

/* Rows of blocks of both chroma planes, each sample the mean of two by two pixels. */
INTERNAL void fill_chroma_blocks(
    const byte* pixels, ptrdiff_t rows, ptrdiff_t columns, byte* blue, byte* red,
    ptrdiff_t across, ptrdiff_t start, ptrdiff_t stop
);

/* Rows of pixels from the blocks of all planes; `row_buffer` holds two rows of chroma. */
INTERNAL void fill_colored_rows(
    const byte* luma, const byte* blue, const byte* red, ptrdiff_t luma_across,
    ptrdiff_t across, byte* pixels, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t start,
    ptrdiff_t stop, int16_t* row_buffer
);

#endif
