/* One trip through memory that does a column pass, a block pass and the row pass that follows.

   A trip works on the stacks of the window, each q columns wide, one after the other:

     strip     the units of the stack, n rows of q units in the source
     lanes     the strip column by column, its rows in the order in which the column pass adds up:
               the pass turns each lane round by an offset of its own, and does nothing else
     segments  for each band the n units of its box, in the order in which the block pass adds up:
               those of one row lie side by side there, so they are copied q at a time
     target    one row for each band, gathered by a table that joins block and row pass

   Between two trips a picture may be stacked: one strip after the other, each in one piece of memory
   with its rows in the order in which a trip writes them (row i p + j at place j q + i). So strips
   are read, and rows written, in long runs.

   Strip to lanes and lanes to segments are transpositions, done in squares of 16 bytes a side with
   vectors. The way back is the same in reverse. Lanes hold units of 1, 2, 4 or 8 bytes, so one of 3
   or 6 bytes takes 4 or 8 there; other sizes are copied as they are. */

#ifndef SUDOKUCRYPT_STACKS_H
#define SUDOKUCRYPT_STACKS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

typedef unsigned char byte;

typedef struct {
    ptrdiff_t n, p, q;
    ptrdiff_t size, lane;     /* bytes of a unit in the picture, and in lanes and segments */
    int transposed;           /* whether rows and columns of the block pass's grid are exchanged */
    int wide;                 /* whether tables hold 32 bits, not 16 */
    int joined;               /* whether a row pass follows */
    int source_stacked, target_stacked;
    const uint32_t* rows;     /* the row of the strip at each place of a lane */
    const uint32_t* turns;    /* by how many places each column is turned */
    const uint32_t* bands;    /* the band to which each place of a turned lane goes */
    const uint32_t* places;   /* where its units begin there, for a stack whose start is 0 */
    const uint32_t* starts;   /* what each stack adds to that */
    const uint32_t* columns;  /* the columns of each stack, from its first, in the order of a segment */
    const void* outer;        /* place in a segment, or back: outer[inner[y] + shifts[row]] */
    const void* inner;
    const uint32_t* shifts;
} stacks;

#define INLINE static inline __attribute__((always_inline))

/* Vectors of 16 bytes: loads, stores and interleaving, on x86-64 and ARM. */

#if defined(__SSE2__)
#include <tmmintrin.h>
#define VECTORS 1
#define WITH_BYTE_SHUFFLE __attribute__((target("ssse3")))
typedef __m128i vector;
#define load16(from) _mm_loadu_si128((const __m128i*)(from))
#define store16(to, v) _mm_storeu_si128((__m128i*)(to), v)
#define interleave(bits, half, a, b) _mm_unpack##half##_epi##bits(a, b)
#define shuffle_bytes(v, order) _mm_shuffle_epi8(v, order)
static int has_byte_shuffle(void) { return __builtin_cpu_supports("ssse3") != 0; }
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
#define lo 1
#define hi 2
#define interleave_(bits, half, a, b) \
    vreinterpretq_u8_u##bits(vzip##half##q_u##bits(vreinterpretq_u##bits##_u8(a), vreinterpretq_u##bits##_u8(b)))
#define vreinterpretq_u8_u8(a) (a)
#define interleave(bits, half, a, b) interleave_(bits, half, a, b)
#define shuffle_bytes(v, order) vqtbl1q_u8(v, order)
static int has_byte_shuffle(void) { return 1; }
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

INLINE vector lower(vector a, vector b, const int lane) {
    return lane == 1 ? interleave(8, lo, a, b) : lane == 2 ? interleave(16, lo, a, b)
         : lane == 4 ? interleave(32, lo, a, b) : interleave(64, lo, a, b);
}

INLINE vector upper(vector a, vector b, const int lane) {
    return lane == 1 ? interleave(8, hi, a, b) : lane == 2 ? interleave(16, hi, a, b)
         : lane == 4 ? interleave(32, hi, a, b) : interleave(64, hi, a, b);
}

/* Transpose a square of 16 / lane vectors: as often as its side can be halved, interleave the first
   half with the second. */
INLINE void transpose(vector* v, const int lane) {
    const int side = 16 / lane;
    vector w[16];
    for (int done = 1; done < side; done *= 2) {
        for (int i = 0; i < side / 2; i++) {
            w[2 * i] = lower(v[i], v[i + side / 2], lane);
            w[2 * i + 1] = upper(v[i], v[i + side / 2], lane);
        }
        for (int i = 0; i < side; i++) v[i] = w[i];
    }
}

static const byte SPREAD[2][16] = {
    {0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255},
    {0, 1, 2, 3, 4, 5, 255, 255, 6, 7, 8, 9, 10, 11, 255, 255}};
static const byte PACK[2][16] = {
    {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 255, 255, 255, 255},
    {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 255, 255, 255, 255}};

#endif

/* Bytes from one lane to the next, and from one band's segments to the next: whole cache lines, and
   an odd number of them, since powers of two would share few sets of the cache. */
INLINE ptrdiff_t spaced(ptrdiff_t bytes) {
    return ((bytes + 63) / 64 | 1) * 64;
}

INLINE ptrdiff_t lane_stride(const stacks* t) { return spaced((t->n + 16) * t->lane); }

INLINE ptrdiff_t band_stride(const stacks* t) {
    return spaced((t->transposed ? 2 * t->n : t->n + t->q) * t->lane);
}

/* Room for one thread, or NULL. Lanes lie so far apart that small pages take long to find. */
static byte* reserve_scratch(const stacks* t) {
    const size_t page = (size_t)1 << 21;
    size_t bytes = (size_t)(t->q * (lane_stride(t) + band_stride(t)) + (t->n + 2) * t->size + 128)
                 + (size_t)t->n * sizeof(byte*);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    void* held = NULL;
    if (bytes >= page / 2) {
        bytes = (bytes + page - 1) / page * page;
        if (posix_memalign(&held, page, bytes)) return NULL;
        madvise(held, bytes, MADV_HUGEPAGE);
        return (byte*)held;
    }
#endif
    (void)page;
    return (byte*)malloc(bytes);
}

/* Where a strip begins in the picture, and how many bytes its rows lie apart. */
INLINE ptrdiff_t strip_start(const stacks* t, ptrdiff_t stack, int stacked) {
    return stack * t->q * (stacked ? t->n : 1) * t->size;
}

INLINE ptrdiff_t strip_step(const stacks* t, int stacked) {
    return (stacked ? t->q : t->n) * t->size;
}

/* Strip and lanes: the side of a square is 16 / lane units. Squares at the end lie over others. */

INLINE void strip_scalar(
    const stacks* t, byte* strip, ptrdiff_t step, ptrdiff_t first, byte* lanes, const int undo,
    const ptrdiff_t size, const ptrdiff_t lane
) {
    const ptrdiff_t stride = lane_stride(t);
    for (ptrdiff_t k = 0; k < t->n; k++) {
        byte* row = strip + t->rows[k] * step;
        for (ptrdiff_t c = 0; c < t->q; c++) {
            if (undo) {
                ptrdiff_t place = k + t->turns[first + c];
                if (place >= t->n) place -= t->n;
                memcpy(row + c * size, lanes + c * stride + place * lane, size);
            } else {
                memcpy(lanes + c * stride + k * lane, row + c * size, size);
            }
        }
    }
}

#ifdef VECTORS
#define STRIP_TO_LANES(name, attribute, SIZE, LANE, LOAD)                                          \
attribute static void name(const stacks* t, const byte* strip, ptrdiff_t step, byte* lanes) {        \
    enum { SIDE = 16 / LANE };                                                                     \
    const ptrdiff_t stride = lane_stride(t), n = t->n, q = t->q;                                   \
    for (ptrdiff_t next = 0; next < n; next += SIDE) {                                             \
        const ptrdiff_t k = next + SIDE <= n ? next : n - SIDE;                                    \
        const byte* row[SIDE];                                                                     \
        for (int i = 0; i < SIDE; i++) {                                                           \
            row[i] = strip + t->rows[k + i] * step;                                                \
            const ptrdiff_t ahead = k + i + 3 * SIDE < n ? k + i + 3 * SIDE : n - 1;               \
            const byte* soon = strip + t->rows[ahead] * step;                                      \
            for (ptrdiff_t at = 0; at < q * SIZE; at += 64) __builtin_prefetch(soon + at);         \
        }                                                                                          \
        for (ptrdiff_t to = 0; to < q; to += SIDE) {                                               \
            const ptrdiff_t c = to + SIDE <= q ? to : q - SIDE;                                    \
            vector v[16];                                                                          \
            for (int i = 0; i < SIDE; i++) v[i] = LOAD(row[i] + c * SIZE);                         \
            transpose(v, LANE);                                                                    \
            byte* lane = lanes + c * stride + k * LANE;                                            \
            for (int i = 0; i < SIDE; i++) store16(lane + i * stride, v[i]);                       \
        }                                                                                          \
    }                                                                                              \
}

#define LANES_TO_STRIP(name, attribute, SIZE, LANE, STORE)                                         \
attribute static void name(                                                                        \
    const stacks* t, byte* strip, ptrdiff_t step, ptrdiff_t first, const byte* lanes               \
) {                                                                                                \
    enum { SIDE = 16 / LANE };                                                                     \
    const ptrdiff_t stride = lane_stride(t), n = t->n, q = t->q;                                   \
    for (ptrdiff_t next = 0; next < n; next += SIDE) {                                             \
        const ptrdiff_t k = next + SIDE <= n ? next : n - SIDE;                                    \
        for (int i = 0; i < SIDE; i++) {                                                           \
            const ptrdiff_t ahead = k + i + 3 * SIDE < n ? k + i + 3 * SIDE : n - 1;               \
            byte* soon = strip + t->rows[ahead] * step;                                            \
            for (ptrdiff_t at = 0; at < q * SIZE; at += 64) __builtin_prefetch(soon + at, 1);      \
        }                                                                                          \
        for (ptrdiff_t to = 0; to < q; to += SIDE) {                                               \
            const ptrdiff_t c = to + SIDE <= q ? to : q - SIDE;                                    \
            vector v[16];                                                                          \
            for (int i = 0; i < SIDE; i++) {                                                       \
                ptrdiff_t place = k + t->turns[first + c + i];                                     \
                if (place >= n) place -= n;                                                        \
                v[i] = load16(lanes + (c + i) * stride + place * LANE);                            \
            }                                                                                      \
            transpose(v, LANE);                                                                    \
            for (int i = 0; i < SIDE; i++)                                                         \
                STORE(strip + t->rows[k + i] * step + c * SIZE, v[i]);                             \
        }                                                                                          \
    }                                                                                              \
}

#define SPREAD_3(from) shuffle_bytes(load12(from), load16(SPREAD[0]))
#define SPREAD_6(from) shuffle_bytes(load12(from), load16(SPREAD[1]))
#define PACK_3(to, v) store12(to, shuffle_bytes(v, load16(PACK[0])))
#define PACK_6(to, v) store12(to, shuffle_bytes(v, load16(PACK[1])))
#define NOTHING

STRIP_TO_LANES(strip_to_lanes_1, NOTHING, 1, 1, load16)
STRIP_TO_LANES(strip_to_lanes_2, NOTHING, 2, 2, load16)
STRIP_TO_LANES(strip_to_lanes_3, WITH_BYTE_SHUFFLE, 3, 4, SPREAD_3)
STRIP_TO_LANES(strip_to_lanes_4, NOTHING, 4, 4, load16)
STRIP_TO_LANES(strip_to_lanes_6, WITH_BYTE_SHUFFLE, 6, 8, SPREAD_6)
STRIP_TO_LANES(strip_to_lanes_8, NOTHING, 8, 8, load16)
LANES_TO_STRIP(lanes_to_strip_1, NOTHING, 1, 1, store16)
LANES_TO_STRIP(lanes_to_strip_2, NOTHING, 2, 2, store16)
LANES_TO_STRIP(lanes_to_strip_3, WITH_BYTE_SHUFFLE, 3, 4, PACK_3)
LANES_TO_STRIP(lanes_to_strip_4, NOTHING, 4, 4, store16)
LANES_TO_STRIP(lanes_to_strip_6, WITH_BYTE_SHUFFLE, 6, 8, PACK_6)
LANES_TO_STRIP(lanes_to_strip_8, NOTHING, 8, 8, store16)
#endif

/* Lanes and segments: the q units of a place of the turned lanes lie side by side in a segment.
   The first units of a lane are repeated behind it, so that a square may begin at its end. */

INLINE ptrdiff_t turned_back(const stacks* t, ptrdiff_t column, ptrdiff_t place) {
    place -= t->turns[column];
    return place < 0 ? place + t->n : place;
}

INLINE void segments_scalar(
    const stacks* t, ptrdiff_t stack, byte* lanes, byte** segments, const int undo, const ptrdiff_t lane
) {
    const ptrdiff_t stride = lane_stride(t), first = stack * t->q;
    for (ptrdiff_t at = 0; at < t->q; at++) {
        const ptrdiff_t c = t->columns[first + at];
        byte* from = lanes + c * stride;
        for (ptrdiff_t k = 0; k < t->n; k++) {
            byte* unit = segments[k] + at * lane;
            if (undo) memcpy(from + k * lane, unit, lane);
            else memcpy(unit, from + turned_back(t, first + c, k) * lane, lane);
        }
    }
}

#ifdef VECTORS
INLINE void lanes_and_segments(
    const stacks* t, ptrdiff_t stack, byte* lanes, byte** segments, const int undo, const int lane
) {
    const int side = 16 / lane;
    const ptrdiff_t stride = lane_stride(t), first = stack * t->q, n = t->n, q = t->q;
    for (ptrdiff_t next = 0; next < n; next += side) {
        const ptrdiff_t k = next + side <= n ? next : n - side;
        for (ptrdiff_t to = 0; to < q; to += side) {
            const ptrdiff_t at = to + side <= q ? to : q - side;
            const uint32_t* columns = t->columns + first + at;
            vector v[16];
            if (undo) {
                for (int i = 0; i < side; i++) v[i] = load16(segments[k + i] + at * lane);
                transpose(v, lane);
                for (int i = 0; i < side; i++) store16(lanes + columns[i] * stride + k * lane, v[i]);
            } else {
                for (int i = 0; i < side; i++) {
                    const ptrdiff_t place = turned_back(t, first + columns[i], k);
                    v[i] = load16(lanes + columns[i] * stride + place * lane);
                }
                transpose(v, lane);
                for (int i = 0; i < side; i++) store16(segments[k + i] + at * lane, v[i]);
            }
        }
    }
}
#endif

/* Segments and rows: a unit is copied by `width` bytes where that is one move and it has fewer; the
   next unit is written over the surplus, and the last ones are copied to size. */

#define INDEX(table, at, wide) \
    ((wide) ? ((const uint32_t*)(table))[at] : (uint32_t)((const uint16_t*)(table))[at])

typedef struct {
    const void* outer;
    const void* inner;
    ptrdiff_t pieces, length, jump;  /* how many pieces of how many units, and how far apart */
    int wide, joined;
} gathering;

INLINE void gather_sized(
    byte* target, const byte* source, const gathering* g, ptrdiff_t shift,
    ptrdiff_t to, ptrdiff_t from, ptrdiff_t size, ptrdiff_t width, const int wide, const int joined
) {
    const byte* table = (const byte*)g->outer + shift * (wide ? 4 : 2);
    const byte* inner = (const byte*)g->inner;
    const ptrdiff_t length = g->length;
#define PLACE(y) (joined ? INDEX(table, INDEX(inner, y, wide), wide) : INDEX(inner, y, wide))
#define MOVE(y, width) memcpy(target + (y) * to, source + (ptrdiff_t)PLACE(y) * from, width)
    for (ptrdiff_t piece = 0; piece < g->pieces; piece++) {
        ptrdiff_t y = 0;
        for (; y + 4 < length; y += 4) {
            MOVE(y, width);
            MOVE(y + 1, width);
            MOVE(y + 2, width);
            MOVE(y + 3, width);
        }
        for (; y < length; y++) MOVE(y, size);
        target += g->jump;
        inner += length * (wide ? 4 : 2);
    }
#undef MOVE
#undef PLACE
}

#define GATHER(to, from, size, width)                                                              \
    if (!g->wide && g->joined) gather_sized(target, source, g, shift, to, from, size, width, 0, 1); \
    else if (!g->wide) gather_sized(target, source, g, shift, to, from, size, width, 0, 0);         \
    else gather_sized(target, source, g, shift, to, from, size, width, 1, g->joined);

/* Let unit y of the target be a unit of the source; both lie `to` and `from` bytes apart. */
static void gather(
    byte* target, const byte* source, const gathering* g, ptrdiff_t shift, ptrdiff_t to, ptrdiff_t from
) {
    if (to == 1) { GATHER(1, 1, 1, 1) }
    else if (to == 2) { GATHER(2, 2, 2, 2) }
    else if (to == 3 && from == 3) { GATHER(3, 3, 3, 4) }
    else if (to == 3) { GATHER(3, 4, 3, 4) }
    else if (to == 4 && from == 3) { GATHER(4, 3, 3, 4) }
    else if (to == 4) { GATHER(4, 4, 4, 4) }
    else if (to == 6 && from == 6) { GATHER(6, 6, 6, 8) }
    else if (to == 6) { GATHER(6, 8, 6, 8) }
    else if (to == 8 && from == 6) { GATHER(8, 6, 6, 8) }
    else if (to == 8) { GATHER(8, 8, 8, 8) }
    else { GATHER(to, from, to, to) }
}

/* Row `band` p + `stack` of the target, gathered from a segment. */
static void write_row(
    const stacks* t, byte* target, const byte* segment, ptrdiff_t stack, ptrdiff_t band
) {
    const ptrdiff_t n = t->n, p = t->p, q = t->q, row = band * p + stack;
    gathering g = {t->outer, t->inner, 1, n, 0, t->wide, t->joined};
    if (t->target_stacked) {
        g.pieces = p, g.length = q, g.jump = n * q * t->size;
        target += (stack * q + band) * q * t->size;
    } else {
        target += row * n * t->size;
    }
    gather(target, segment, &g, t->shifts[row], t->size, t->lane);
}

/* The same row of the source, in one piece. */
static void copy_row(
    const stacks* t, byte* held, const byte* source, ptrdiff_t stack, ptrdiff_t band
) {
    const ptrdiff_t n = t->n, p = t->p, length = t->q * t->size;
    if (!t->source_stacked) {
        memcpy(held, source + (band * p + stack) * n * t->size, n * t->size);
        return;
    }
    for (ptrdiff_t other = 0; other < p; other++) {
        const byte* piece = source + (other * n + stack * t->q + band) * length;
        __builtin_prefetch(piece + 4 * length);
        memcpy(held + other * length, piece, length);
    }
}

/* Exchange units with the last ones, one after the other; `places` are anywhere in the picture. */
static void exchange_units(
    byte* data, ptrdiff_t size, ptrdiff_t last, const int64_t* places, ptrdiff_t count, int undo,
    byte* held
) {
    const ptrdiff_t step = undo ? -1 : 1, first = undo ? count - 1 : 0;
    for (ptrdiff_t done = 0; done < count; done++) {
        const ptrdiff_t number = first + done * step;
        byte* one = data + (last - number) * size;
        byte* other = data + places[number] * size;
        if (done + 32 < count) __builtin_prefetch(data + places[number + 32 * step] * size, 1);
        if (one == other) continue;
        memcpy(held, one, size);
        memcpy(one, other, size);
        memcpy(other, held, size);
    }
}

/* A row pass, of the rows that begin at `start`, counted as a trip counts them. */
static void move_rows_of(
    const stacks* t, const byte* source, byte* target, ptrdiff_t start, ptrdiff_t stop, byte* held
) {
    for (ptrdiff_t place = start; place < stop; place++) {
        copy_row(t, held, source, place / t->q, place % t->q);
        write_row(t, target, held, place / t->q, place % t->q);
    }
}

static void move_stack(
    const stacks* t, const byte* source, byte* target, ptrdiff_t stack, byte* scratch, int undo
) {
    const ptrdiff_t n = t->n, p = t->p, q = t->q, size = t->size, lane = t->lane;
    const ptrdiff_t first = stack * q, between = band_stride(t), stride = lane_stride(t);
    /* Transposed, a band has q segments of q places, else one of n; behind each is room for q. */
    const ptrdiff_t pieces = t->transposed ? q : 1, length = n / pieces, piece = (length + q) * lane;
    byte** segments = (byte**)scratch;
    byte* lanes = scratch + (n * sizeof(byte*) + 63) / 64 * 64;
    byte* bands = lanes + q * stride;
    byte* held = bands + q * between;
#ifdef VECTORS
    const int even = lane == 1 || lane == 2 || lane == 4 || lane == 8;
    const int vectors = even && q * lane >= 16 && (size == lane || has_byte_shuffle());
#endif
    for (ptrdiff_t k = 0; k < n; k++) {
        ptrdiff_t place = t->places[k] + t->starts[stack];
        if (t->transposed) place = place % q * 2 * q + place / q % q;
        else if (place >= n) place -= n;
        segments[k] = bands + t->bands[k] * between + place * lane;
    }
    const int stacked = undo ? t->target_stacked : t->source_stacked;
    byte* strip = (undo ? target : (byte*)source) + strip_start(t, stack, stacked);
    const ptrdiff_t step = strip_step(t, stacked);
    if (undo) {
        const gathering g = {t->outer, t->inner, pieces, length, piece, t->wide, t->joined};
        for (ptrdiff_t band = 0; band < q; band++) {
            const ptrdiff_t row = band * p + stack;
            byte* box = bands + band * between;
            copy_row(t, held, source, stack, band);
            gather(box, held, &g, t->shifts[row], lane, size);
            for (ptrdiff_t one = 0; one < pieces; one++)
                memcpy(box + one * piece + length * lane, box + one * piece, q * lane);
        }
#ifdef VECTORS
        if (vectors && lane == 1) lanes_and_segments(t, stack, lanes, segments, 1, 1);
        else if (vectors && lane == 2) lanes_and_segments(t, stack, lanes, segments, 1, 2);
        else if (vectors && lane == 4) lanes_and_segments(t, stack, lanes, segments, 1, 4);
        else if (vectors) lanes_and_segments(t, stack, lanes, segments, 1, 8);
        else
#endif
        segments_scalar(t, stack, lanes, segments, 1, lane);
        for (ptrdiff_t c = 0; c < q; c++)
            memcpy(lanes + c * stride + n * lane, lanes + c * stride, (n < 16 ? n : 16) * lane);
#ifdef VECTORS
        if (vectors) {
            if (size == 1) lanes_to_strip_1(t, strip, step, first, lanes);
            else if (size == 2) lanes_to_strip_2(t, strip, step, first, lanes);
            else if (size == 3) lanes_to_strip_3(t, strip, step, first, lanes);
            else if (size == 4) lanes_to_strip_4(t, strip, step, first, lanes);
            else if (size == 6) lanes_to_strip_6(t, strip, step, first, lanes);
            else lanes_to_strip_8(t, strip, step, first, lanes);
            return;
        }
#endif
        strip_scalar(t, strip, step, first, lanes, 1, size, lane);
        return;
    }
#ifdef VECTORS
    if (vectors && size == 1) strip_to_lanes_1(t, strip, step, lanes);
    else if (vectors && size == 2) strip_to_lanes_2(t, strip, step, lanes);
    else if (vectors && size == 3) strip_to_lanes_3(t, strip, step, lanes);
    else if (vectors && size == 4) strip_to_lanes_4(t, strip, step, lanes);
    else if (vectors && size == 6) strip_to_lanes_6(t, strip, step, lanes);
    else if (vectors) strip_to_lanes_8(t, strip, step, lanes);
    else
#endif
    strip_scalar(t, strip, step, first, lanes, 0, size, lane);
    for (ptrdiff_t c = 0; c < q; c++)
        memcpy(lanes + c * stride + n * lane, lanes + c * stride, (n < 16 ? n : 16) * lane);
#ifdef VECTORS
    if (vectors && lane == 1) lanes_and_segments(t, stack, lanes, segments, 0, 1);
    else if (vectors && lane == 2) lanes_and_segments(t, stack, lanes, segments, 0, 2);
    else if (vectors && lane == 4) lanes_and_segments(t, stack, lanes, segments, 0, 4);
    else if (vectors) lanes_and_segments(t, stack, lanes, segments, 0, 8);
    else
#endif
    segments_scalar(t, stack, lanes, segments, 0, lane);
    for (ptrdiff_t k = 0; k < n; k++) {  /* what was written behind a segment belongs to its start */
        byte* box = bands + t->bands[k] * between;
        const ptrdiff_t one = (segments[k] - box) / piece;
        const ptrdiff_t surplus = segments[k] - box - one * piece + (q - length) * lane;
        if (surplus > 0) memcpy(box + one * piece, box + one * piece + length * lane, surplus);
    }
    for (ptrdiff_t band = 0; band < q; band++) {
        if (stacked && stack + 1 < p) {  /* the next strip, into the second-level cache */
            const byte* soon = strip + strip_step(t, 1) * n + band * n * size;
            for (ptrdiff_t at = 0; at < n * size; at += 64) __builtin_prefetch(soon + at, 0, 2);
        }
        write_row(t, target, bands + band * between, stack, band);
    }
}

#endif
