/* The transform of one block in whole numbers, the same on every processor.

   A separable cosine transform of 8 x 8 as JPEG has it: flipping the signs of its frequencies hides the
   block, and yet a channel that quantizes frequencies changes the flipped block as it would have
   changed the block. The bounds of all sums are in docs/spec/robust-v1.md: nothing overflows 16 bits
   between the steps. Two products of 16-bit numbers and their sum are one instruction on x86-64; the
   symmetry of the cosines halves the products. */

#include <string.h>

#include "blocks.h"

#if defined(__SSE2__)
#include <emmintrin.h>
typedef __m128i eight; /* numbers of 16 bits */
typedef __m128i four;  /* numbers of 32 bits */
#define load_eight(from) _mm_loadu_si128((const __m128i*)(from))
#define store_eight(to, a) _mm_storeu_si128((__m128i*)(to), a)
#define add_eight(a, b) _mm_add_epi16(a, b)
#define subtract_eight(a, b) _mm_sub_epi16(a, b)
#define lower_pairs(a, b) _mm_unpacklo_epi16(a, b)
#define upper_pairs(a, b) _mm_unpackhi_epi16(a, b)
#define multiply_pairs(pairs, one, other)                                                          \
    _mm_madd_epi16(pairs, _mm_set1_epi32((int)((uint32_t)(uint16_t)(other) << 16 | (uint16_t)(one))))
#define add_four(a, b) _mm_add_epi32(a, b)
#define subtract_four(a, b) _mm_sub_epi32(a, b)
#define round_pairs(a, b, shift)                                                                   \
    _mm_packs_epi32(                                                                               \
        _mm_srai_epi32(_mm_add_epi32(a, _mm_set1_epi32(1 << ((shift)-1))), shift),                 \
        _mm_srai_epi32(_mm_add_epi32(b, _mm_set1_epi32(1 << ((shift)-1))), shift)                  \
    )
#else
/* The same operations number by number; compilers for other processors make their own vectors of
   these. */
typedef struct { int16_t at[8]; } eight;
typedef struct { int32_t at[4]; } four;
#define EACH(type, count, value)                                                                   \
    type r; for (int i = 0; i < count; i++) r.at[i] = value; return r
static inline eight load_eight(const int16_t* from) { EACH(eight, 8, from[i]); }
static inline void store_eight(int16_t* to, eight a) { memcpy(to, a.at, sizeof a.at); }
static inline eight add_eight(eight a, eight b) { EACH(eight, 8, (int16_t)(a.at[i] + b.at[i])); }
static inline eight subtract_eight(eight a, eight b) { EACH(eight, 8, (int16_t)(a.at[i] - b.at[i])); }
static inline eight lower_pairs(eight a, eight b) { EACH(eight, 8, i & 1 ? b.at[i / 2] : a.at[i / 2]); }
static inline eight upper_pairs(eight a, eight b) {
    EACH(eight, 8, i & 1 ? b.at[4 + i / 2] : a.at[4 + i / 2]);
}
static inline four multiply_pairs(eight pairs, int32_t one, int32_t other) {
    EACH(four, 4, pairs.at[2 * i] * one + pairs.at[2 * i + 1] * other);
}
static inline four add_four(four a, four b) { EACH(four, 4, a.at[i] + b.at[i]); }
static inline four subtract_four(four a, four b) { EACH(four, 4, a.at[i] - b.at[i]); }
static inline eight round_pairs(four a, four b, int shift) {
    EACH(eight, 8, (int16_t)(((i < 4 ? a.at[i] : b.at[i - 4]) + (1 << (shift - 1))) >> shift));
}
#endif

/* The first half of 8192 c(u) cos((2x + 1) u pi / 16); the second half mirrors it, and odd rows
   change their sign there. */
static const int16_t HALF[8][4] = {
    {2896, 2896, 2896, 2896}, {4017, 3406, 2276, 799},   {3784, 1567, -1567, -3784},
    {3406, -799, -4017, -2276}, {2896, -2896, -2896, 2896}, {2276, -4017, 799, 3406},
    {1567, -3784, 3784, -1567}, {799, -2276, 3406, -4017},
};

/* Interleave three times, since a side of 8 can be halved three times. */
static inline void transpose(eight block[8]) {
    for (int pass = 0; pass < 3; pass++) {
        eight turned[8];
        for (int i = 0; i < 4; i++) {
            turned[2 * i] = lower_pairs(block[i], block[i + 4]);
            turned[2 * i + 1] = upper_pairs(block[i], block[i + 4]);
        }
        memcpy(block, turned, sizeof turned);
    }
}

/* Columns to frequencies: row u of the result is the sum over x of block[x] HALF[u][x], rounded. Rows x and
   7 - x have the same cosine for even u, and its negative for odd u, so their sums or differences are
   all that is multiplied. A macro, since the shift of a vector must be a constant. */
#define ANALYZE(block, shift)                                                                      \
    for (int odd = 0; odd < 2; odd++) {                                                            \
        eight low[2], high[2];                                                                     \
        for (int i = 0; i < 2; i++) {                                                              \
            const eight a = odd ? subtract_eight(block[2 * i], block[7 - 2 * i])                   \
                                : add_eight(block[2 * i], block[7 - 2 * i]);                       \
            const eight b = odd ? subtract_eight(block[2 * i + 1], block[6 - 2 * i])               \
                                : add_eight(block[2 * i + 1], block[6 - 2 * i]);                   \
            low[i] = lower_pairs(a, b);                                                            \
            high[i] = upper_pairs(a, b);                                                           \
        }                                                                                          \
        for (int u = odd; u < 8; u += 2) {                                                         \
            const int16_t* c = HALF[u];                                                            \
            result_rows[u] = round_pairs(                                                          \
                add_four(multiply_pairs(low[0], c[0], c[1]), multiply_pairs(low[1], c[2], c[3])),  \
                add_four(multiply_pairs(high[0], c[0], c[1]), multiply_pairs(high[1], c[2], c[3])), shift \
            );                                                                                     \
        }                                                                                          \
    }                                                                                              \
    memcpy(block, result_rows, sizeof result_rows);

/* Frequencies to columns. Even and odd frequencies are summed apart: their sum is row k, and their
   difference row 7 - k. */
static inline void synthesize(eight block[8]) {
    eight low[2][2], high[2][2], result_rows[8];
    for (int odd = 0; odd < 2; odd++)
        for (int i = 0; i < 2; i++) {
            low[odd][i] = lower_pairs(block[4 * i + odd], block[4 * i + 2 + odd]);
            high[odd][i] = upper_pairs(block[4 * i + odd], block[4 * i + 2 + odd]);
        }
    for (int k = 0; k < 4; k++) {
        four sums[2][2];
        for (int odd = 0; odd < 2; odd++) {
            const int a = HALF[odd][k], b = HALF[2 + odd][k], c = HALF[4 + odd][k], d = HALF[6 + odd][k];
            sums[odd][0] = add_four(multiply_pairs(low[odd][0], a, b), multiply_pairs(low[odd][1], c, d));
            sums[odd][1] = add_four(multiply_pairs(high[odd][0], a, b), multiply_pairs(high[odd][1], c, d));
        }
        result_rows[k] = round_pairs(
            add_four(sums[0][0], sums[1][0]), add_four(sums[0][1], sums[1][1]), 13
        );
        result_rows[7 - k] = round_pairs(
            subtract_four(sums[0][0], sums[1][0]), subtract_four(sums[0][1], sums[1][1]), 13
        );
    }
    memcpy(block, result_rows, sizeof result_rows);
}

/* One block; each of its 8 bytes of signs is for one row of frequencies. Between the transposes,
   frequencies from left to right come first. The factors of HALF have 13 bits behind the point: the
   first shift leaves 5 of them, the second 4, and the last one drops these with the 12 of the gain. */
static inline void flip_block(byte* samples, const byte* signs, const int32_t gain) {
    int16_t plain[64];
    eight block[8], result_rows[8];
    for (int i = 0; i < 64; i++) plain[i] = (int16_t)(samples[i] - 128);
    for (int i = 0; i < 8; i++) block[i] = load_eight(plain + 8 * i);
    ANALYZE(block, 8)
    transpose(block);
    ANALYZE(block, 14)
    for (int v = 0; v < 8; v++) {
        int16_t* line = plain + 8 * v;
        store_eight(line, block[v]);
        for (int u = 0; u < 8; u++) {
            const int16_t sign = (int16_t)-((signs[u] >> v) & 1);
            line[u] = (int16_t)((line[u] ^ sign) - sign);
        }
        block[v] = load_eight(line);
    }
    synthesize(block);
    transpose(block);
    synthesize(block);
    for (int i = 0; i < 8; i++) store_eight(plain + 8 * i, block[i]);
    for (int i = 0; i < 64; i++) {
        int32_t value = ((plain[i] * gain + 32768) >> 16) + 128;
        value = value < 0 ? 0 : value;
        samples[i] = (byte)(value > 255 ? 255 : value);
    }
}

INTERNAL void flip_blocks(byte* blocks, const byte* signs, int32_t gain, ptrdiff_t count) {
    for (ptrdiff_t index = 0; index < count; index++)
        flip_block(blocks + 64 * index, signs + 8 * index, gain);
}
