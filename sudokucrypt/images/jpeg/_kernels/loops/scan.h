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

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif

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
    ptrdiff_t used, capacity;
} scan;

/* The bits of a scan, which may be written piece by piece; zeros at the start. */
typedef struct {
    const uint32_t *codes;
    const uint8_t *padding;
    int64_t *ends;            /* the byte behind each interval */
    uint8_t *target;
    ptrdiff_t capacity;       /* bytes of the target */
    ptrdiff_t used, interval;
    uint64_t waiting_bits;    /* the bits that wait are its highest */
    uint32_t bits;            /* how many these are, fewer than 8 */
    int lacking;              /* whether a symbol has no code */
} bit_writer;

static inline int get_magnitude(int value) { return value < 0 ? -value : value; }

/* Most coefficients are zero: four are looked at in one comparison. */
static inline int are_four_zeros(const int16_t *values) {
    uint64_t four;
    memcpy(&four, values, sizeof four);
    return four == 0;
}

/* Which coefficients of a block have this magnitude without their `low` lowest bits, one bit for each:
   loops then go from one that matters to the next, with a branch for each of them alone. */
static inline uint64_t find_places(const int16_t *block, int low, int wanted) {
    uint64_t places = 0;
#if defined(__SSE2__)
    const __m128i wanted_values = _mm_set1_epi16((short) wanted), shift = _mm_cvtsi32_si128(low);
    for (int index = 0; index < COEFFICIENTS; index += 16) {
        __m128i found[2];
        for (int half = 0; half < 2; half++) {
            __m128i values = _mm_loadu_si128((const __m128i *) (block + index + 8 * half));
            __m128i negative = _mm_srai_epi16(values, 15);
            values = _mm_sub_epi16(_mm_xor_si128(values, negative), negative);
            found[half] = _mm_cmpeq_epi16(_mm_srl_epi16(values, shift), wanted_values);
        }
        places |= (uint64_t) (uint32_t) _mm_movemask_epi8(_mm_packs_epi16(found[0], found[1])) << index;
    }
#else
    for (int index = 0; index < COEFFICIENTS; index++)
        places |= (uint64_t) (get_magnitude(block[index]) >> low == wanted) << index;
#endif
    return places;
}

/* The bits of coefficients first..last; shifted in two steps, as a shift by 64 is undefined. */
static inline uint64_t make_band_mask(int first, int last) {
    return ~(uint64_t) 0 << first & ~(~(uint64_t) 1 << last);
}

/* The index of the lowest and of the highest bit of a number that is not 0. */
#if defined(_MSC_VER) && defined(_WIN64)
static inline int find_lowest(uint64_t bits) {
    unsigned long index;
    _BitScanForward64(&index, bits);
    return (int) index;
}

static inline int find_highest(uint64_t bits) {
    unsigned long index;
    _BitScanReverse64(&index, bits);
    return (int) index;
}
#elif defined(__GNUC__)
static inline int find_lowest(uint64_t bits) { return __builtin_ctzll(bits); }
static inline int find_highest(uint64_t bits) { return 63 - __builtin_clzll(bits); }
#else
static inline int find_lowest(uint64_t bits) {
    int index = 0;
    for (; !(bits & 1); bits >>= 1) index++;
    return index;
}

static inline int find_highest(uint64_t bits) {
    int index = 0;
    while (bits >>= 1) index++;
    return index;
}
#endif

static inline int16_t *find_block(const part *component, ptrdiff_t row, ptrdiff_t column) {
    return component->blocks + (row * component->columns + column) * COEFFICIENTS;
}

/* Decode the blocks of a scan from its bits; 0 if they are damaged. */
INTERNAL int decode_scan(
    scan *work, const uint8_t *bits, const int64_t *ends, ptrdiff_t intervals, int64_t *positions
);

/* Count each symbol of each table of a scan, or write its bits; the other is NULL. 0 if there is not
   enough memory. */
INTERNAL int write_scan(scan *work, int64_t *counts, bit_writer *out);

#endif
