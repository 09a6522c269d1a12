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

enum { SEQUENTIAL, DC_FIRST, DC_REFINED, AC_FIRST, AC_REFINED };
enum { COMPONENTS = 4, COEFFICIENTS = 64, RAW_BITS = 15, SHORT = 10 };
enum { MOST_CORRECTIONS = 937, LONGEST_RUN = 0x7FFF };
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

static inline int four_zeros(const int16_t *values) {
    uint64_t four;
    memcpy(&four, values, sizeof four);
    return four == 0;
}

static inline int16_t *block_at(const part *p, ptrdiff_t row, ptrdiff_t column) {
    return p->blocks + (row * p->columns + column) * COEFFICIENTS;
}

#endif
