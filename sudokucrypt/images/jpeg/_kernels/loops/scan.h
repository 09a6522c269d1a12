/* The entropy coder of JPEG: blocks of a scan from its bits, their tokens, and the bits of those.

   `entropy_plain.py` describes tokens, runs and breaks. Bits are read through windows of the next
   57 bits or more from any bit on; a margin behind the last byte makes that safe, as positions
   are compared with the end behind each block. */

#ifndef SUDOKUCRYPT_SCAN_H
#define SUDOKUCRYPT_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Functions that several files of a kernel share, but no other library in the process. */
#if defined(__GNUC__)
#define INTERNAL __attribute__((visibility("hidden")))
#else
#define INTERNAL
#endif

/* The kinds of scans that ITU-T T.81 has, in the numbering of `images.jpeg.blocks`. */
enum { SEQUENTIAL, DC_FIRST, DC_REFINED, AC_FIRST, AC_REFINED };
/* A token holds 15 bits without a symbol. Codes of up to 10 bits, nearly all of them, are looked up in a
   table of 2 KiB, which stays in the nearest cache; one for the longest codes has 128 KiB. */
enum { COMPONENTS = 4, COEFFICIENTS = 64, RAW_BITS = 15, SHORT = 10 };
/* libjpeg ends a run once its buffer of 1000 correction bits has no room for another block of 63. */
enum { MOST_CORRECTIONS = 937, LONGEST_RUN = 0x7FFF };
/* Differences of two DC values take 15 bits, as many as a token has; JPEG needs no more than 11. */
enum { LEAST_DC = -16384, LARGEST_DC = 16383, LARGEST_SIZE = 15 };
enum { MOST_OF_BLOCK = 256 }; /* more tokens than a block and the end of an interval take */

static const uint32_t RAW = (uint32_t) 8 << 28, END = (uint32_t) 9 << 28;

typedef struct {
    int16_t *blocks;
    ptrdiff_t columns;
    int down, across;
    const uint16_t *lookups[2];
    uint32_t numbers[2];
} part;

typedef struct {
    part parts[COMPONENTS];
    int count, kind, first, last, low;
    ptrdiff_t rows, columns, interval;
    int64_t longest;
    int64_t *breaks;
    ptrdiff_t listed;
    uint32_t *tokens;
    ptrdiff_t used, room;
} scan;

static inline int magnitude(int value) { return value < 0 ? -value : value; }

/* Most coefficients are zero: four are looked at in one comparison. */
static inline int four_zeros(const int16_t *values) {
    uint64_t four;
    memcpy(&four, values, sizeof four);
    return four == 0;
}

static inline int16_t *block_at(const part *p, ptrdiff_t row, ptrdiff_t column) {
    return p->blocks + (row * p->columns + column) * COEFFICIENTS;
}

/* Decode the blocks of a scan from its bits; 0 if they are damaged. */
INTERNAL int decode_scan(
    scan *work, const uint8_t *bits, const int64_t *ends, ptrdiff_t intervals, int64_t *positions
);

/* List the tokens of a scan; 0 if there is not enough memory. */
INTERNAL int tokenize_scan(scan *work);

/* Write the bits of tokens; 0 if a symbol has no code. */
INTERNAL int emit_tokens(
    const uint32_t *tokens, ptrdiff_t count, const uint32_t *codes, const uint8_t *padding,
    uint8_t *target, int64_t *ends
);

#endif
