/* Vectors of 16 bytes: loads, stores and interleaving, on x86-64 and ARM.

   16 bytes is what every processor of either family has, so one build serves them all. Other
   processors do not define VECTORS, and get the loops that copy unit by unit. */

#ifndef SUDOKUCRYPT_VECTORS_H
#define SUDOKUCRYPT_VECTORS_H

#include "common.h"

/* The attribute of a function that needs none. */
#define NOTHING

#if defined(__SSE2__)
#include <tmmintrin.h>
#define VECTORS 1
/* The byte shuffle came after SSE2, which is all that x86-64 promises: only functions that are
   marked may use it, and only where `has_byte_shuffle`. */
#define WITH_BYTE_SHUFFLE __attribute__((target("ssse3")))
typedef __m128i vector;
#define load16(from) _mm_loadu_si128((const __m128i*)(from))
#define store16(to, v) _mm_storeu_si128((__m128i*)(to), v)
#define interleave(bits, half, a, b) _mm_unpack##half##_epi##bits(a, b)
#define shuffle_bytes(v, order) _mm_shuffle_epi8(v, order)
#define combine_four(a, b, c, d) _mm_set_epi32((int)(d), (int)(c), (int)(b), (int)(a))
INLINE int has_byte_shuffle(void) { return __builtin_cpu_supports("ssse3") != 0; }
/* Four units of 3 bytes, or two of 6, are 12 bytes: reading 16 could reach behind the picture. */
INLINE vector load12(const byte* from) {
    int last;
    memcpy(&last, from + 8, 4);
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i*)from), _mm_cvtsi32_si128(last));
}
INLINE void store12(byte* to, vector v) {
    const int last = _mm_cvtsi128_si32(_mm_srli_si128(v, 8));
    _mm_storel_epi64((__m128i*)to, v);
    memcpy(to + 8, &last, 4);
}
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define VECTORS 1
#define WITH_BYTE_SHUFFLE
typedef uint8x16_t vector;
#define load16(from) vld1q_u8(from)
#define store16(to, v) vst1q_u8(to, v)
/* x86 says which half of its operands it interleaves, ARM numbers the two results. */
#define lo 1
#define hi 2
#define interleave_(bits, half, a, b)                                                              \
    vreinterpretq_u8_u##bits(vzip##half##q_u##bits(vreinterpretq_u##bits##_u8(a), vreinterpretq_u##bits##_u8(b)))
#define vreinterpretq_u8_u8(a) (a)
#define interleave(bits, half, a, b) interleave_(bits, half, a, b)
#define shuffle_bytes(v, order) vqtbl1q_u8(v, order)
#define combine_four(a, b, c, d) vreinterpretq_u8_u32((uint32x4_t){a, b, c, d})
INLINE int has_byte_shuffle(void) { return 1; }
INLINE vector load12(const byte* from) {
    byte bytes[16] = {0};
    memcpy(bytes, from, 12);
    return vld1q_u8(bytes);
}
INLINE void store12(byte* to, vector v) {
    vst1_u8(to, vget_low_u8(v));
    vst1q_lane_u32((uint32_t*)(to + 8), vreinterpretq_u32_u8(v), 2);
}
#endif

#ifdef VECTORS

/* The width is a constant wherever these are inlined, so nothing is chosen while they run. */
INLINE vector interleave_lower(vector a, vector b, const int width) {
    return width == 1 ? interleave(8, lo, a, b) : width == 2 ? interleave(16, lo, a, b)
         : width == 4 ? interleave(32, lo, a, b) : interleave(64, lo, a, b);
}

INLINE vector interleave_upper(vector a, vector b, const int width) {
    return width == 1 ? interleave(8, hi, a, b) : width == 2 ? interleave(16, hi, a, b)
         : width == 4 ? interleave(32, hi, a, b) : interleave(64, hi, a, b);
}

/* Transpose a square of 16 / width vectors: as often as its side can be halved, interleave the
   first half with the second. Seen as bits, that turns the index (row, column) of a unit by one
   bit each time; after log2(side) times, rows and columns have changed places. */
INLINE void transpose(vector* v, const int width) {
    const int side = 16 / width;
    vector interleaved[16];
    for (int halved = 1; halved < side; halved *= 2) {
        for (int i = 0; i < side / 2; i++) {
            interleaved[2 * i] = interleave_lower(v[i], v[i + side / 2], width);
            interleaved[2 * i + 1] = interleave_upper(v[i], v[i + side / 2], width);
        }
        for (int i = 0; i < side; i++) v[i] = interleaved[i];
    }
}

/* Orders for the byte shuffle, of units of 3 bytes and of 6: SPREAD pads them to 4 and 8, PACK takes
   the padding out again. 255 writes a zero. */
static const byte SPREAD[2][16] = {
    {0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255},
    {0, 1, 2, 3, 4, 5, 255, 255, 6, 7, 8, 9, 10, 11, 255, 255}};
static const byte PACK[2][16] = {
    {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 255, 255, 255, 255},
    {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 255, 255, 255, 255}};

#endif

#endif
