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

#include "gathering.h"
#include "tables.h"

/* Where a strip begins in the picture, and how many bytes its rows lie apart. */
INLINE ptrdiff_t strip_start(const stacks* t, ptrdiff_t stack, int stacked) {
    return stack * t->q * (stacked ? t->n : 1) * t->size;
}

INLINE ptrdiff_t strip_step(const stacks* t, int stacked) {
    return (stacked ? t->q : t->n) * t->size;
}

/* Strip and lanes: the side of a square is 16 / lane units. Squares at the end lie over others. */

INLINE void strip_scalar(
    const stacks* t, byte* strip, ptrdiff_t step, byte* lanes, const int undo,
    const ptrdiff_t size, const ptrdiff_t lane
) {
    const ptrdiff_t stride = lane_stride(t);
    for (ptrdiff_t k = 0; k < t->n; k++) {
        byte* row = strip + t->rows[k] * step;
        for (ptrdiff_t c = 0; c < t->q; c++) {
            if (undo) memcpy(row + c * size, unit_of(t->back + c, t->n, k, lane), size);
            else memcpy(lanes + c * stride + k * lane, row + c * size, size);
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
            FETCH(soon + q * SIZE, q * SIZE, 0);                                                   \
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

/* The surplus of a square that is stored in whole vectors is written over by the next one. */
#define LANES_TO_STRIP(name, attribute, SIZE, LANE, STORE)                                         \
attribute static void name(const stacks* t, byte* strip, ptrdiff_t step) {                         \
    enum { SIDE = 16 / LANE };                                                                     \
    const ptrdiff_t n = t->n, q = t->q;                                                            \
    for (ptrdiff_t next = 0; next < n; next += SIDE) {                                             \
        const ptrdiff_t k = next + SIDE <= n ? next : n - SIDE;                                    \
        for (int i = 0; i < SIDE; i++) {                                                           \
            const ptrdiff_t ahead = k + i + 3 * SIDE < n ? k + i + 3 * SIDE : n - 1;               \
            byte* soon = strip + t->rows[ahead] * step;                                            \
            FETCH(soon + q * SIZE, q * SIZE, 1);                                                   \
            __builtin_prefetch(soon, 1);                                                           \
        }                                                                                          \
        for (ptrdiff_t to = 0; to < q; to += SIDE) {                                               \
            const ptrdiff_t c = to + SIDE <= q ? to : q - SIDE;                                    \
            vector v[16];                                                                          \
            for (int i = 0; i < SIDE; i++) v[i] = load16(unit_of(t->back + c + i, n, k, LANE));    \
            transpose(v, LANE);                                                                    \
            if (c * SIZE + 16 <= q * SIZE) for (int i = 0; i < SIDE; i++)                          \
                STORE(16, strip + t->rows[k + i] * step + c * SIZE, v[i]);                         \
            else for (int i = 0; i < SIDE; i++)                                                    \
                STORE(12, strip + t->rows[k + i] * step + c * SIZE, v[i]);                         \
        }                                                                                          \
    }                                                                                              \
}

#define SPREAD_3(from) shuffle_bytes(load12(from), load16(SPREAD[0]))
#define SPREAD_6(from) shuffle_bytes(load12(from), load16(SPREAD[1]))
#define PACK_3(bytes, to, v) store##bytes(to, shuffle_bytes(v, load16(PACK[0])))
#define PACK_6(bytes, to, v) store##bytes(to, shuffle_bytes(v, load16(PACK[1])))
#define EVEN(bytes, to, v) store16(to, v)

STRIP_TO_LANES(strip_to_lanes_1, NOTHING, 1, 1, load16)
STRIP_TO_LANES(strip_to_lanes_2, NOTHING, 2, 2, load16)
STRIP_TO_LANES(strip_to_lanes_3, WITH_BYTE_SHUFFLE, 3, 4, SPREAD_3)
STRIP_TO_LANES(strip_to_lanes_4, NOTHING, 4, 4, load16)
STRIP_TO_LANES(strip_to_lanes_6, WITH_BYTE_SHUFFLE, 6, 8, SPREAD_6)
STRIP_TO_LANES(strip_to_lanes_8, NOTHING, 8, 8, load16)
LANES_TO_STRIP(lanes_to_strip_1, NOTHING, 1, 1, EVEN)
LANES_TO_STRIP(lanes_to_strip_2, NOTHING, 2, 2, EVEN)
LANES_TO_STRIP(lanes_to_strip_3, WITH_BYTE_SHUFFLE, 3, 4, PACK_3)
LANES_TO_STRIP(lanes_to_strip_4, NOTHING, 4, 4, EVEN)
LANES_TO_STRIP(lanes_to_strip_6, WITH_BYTE_SHUFFLE, 6, 8, PACK_6)
LANES_TO_STRIP(lanes_to_strip_8, NOTHING, 8, 8, EVEN)
#endif

/* Lanes and segments: the q units of a place of the turned lanes lie side by side in a segment.
   The first units of a lane are repeated behind it, so that a square may begin at its end. */

INLINE void segments_scalar(const stacks* t, const int undo, const ptrdiff_t lane) {
    for (ptrdiff_t at = 0; at < t->q; at++) {
        for (ptrdiff_t k = 0; k < t->n; k++) {
            byte *unit = t->segments[k] + at * lane, *other = unit_of(t->order + at, t->n, k, lane);
            if (undo) memcpy(other, unit, lane);
            else memcpy(unit, other, lane);
        }
    }
}

#ifdef VECTORS
INLINE void lanes_and_segments(const stacks* t, const int undo, const int lane) {
    const int side = 16 / lane;
    const ptrdiff_t n = t->n, q = t->q;
    for (ptrdiff_t next = 0; next < n; next += side) {
        const ptrdiff_t k = next + side <= n ? next : n - side;
        byte** const segments = t->segments + k;
        for (ptrdiff_t to = 0; to < q; to += side) {
            const ptrdiff_t at = to + side <= q ? to : q - side;
            vector v[16];
            if (undo) {
                for (int i = 0; i < side; i++) v[i] = load16(segments[i] + at * lane);
                transpose(v, lane);
                for (int i = 0; i < side; i++) store16(t->order[at + i].first + k * lane, v[i]);
            } else {
                for (int i = 0; i < side; i++) v[i] = load16(unit_of(t->order + at + i, n, k, lane));
                transpose(v, lane);
                for (int i = 0; i < side; i++) store16(segments[i] + at * lane, v[i]);
            }
        }
    }
}
#endif

/* Whether a picture is too large for the caches near a core, so that fetching ahead pays. */
INLINE int is_large(const stacks* t) { return t->n * t->n * t->size > (ptrdiff_t)1 << 22; }

/* Row `band` p + `stack` of a picture, in pieces of q units. */
INLINE memory row_of(
    const stacks* t, const byte* picture, ptrdiff_t stack, ptrdiff_t band, int stacked
) {
    const ptrdiff_t p = t->p, q = t->q, length = q * t->size;
    if (stacked) return (memory){picture + (stack * q + band) * length, p, length, t->n * length};
    return (memory){picture + (band * p + stack) * p * length, p, length, length};
}

/* Gather that row of the target from a segment; `soon` is what is read next. */
static void write_row(
    const stacks* t, byte* target, const byte* segment, ptrdiff_t stack, ptrdiff_t band, memory soon
) {
    const memory row = row_of(t, target, stack, band, t->target_stacked);
    gathering g = {t->outer, t->inner, 1, t->n, 0, t->wide, t->joined, soon, is_large(t)};
    if (t->target_stacked || g.onwards)
        g.pieces = row.pieces, g.length = t->q, g.jump = row.jump;
    gather((byte*)row.first, segment, &g, t->shifts[band * t->p + stack], t->size, t->lane);
}

/* Copy that row of the source into one piece, and return where the next one of the stack lies. */
static memory copy_row(
    const stacks* t, byte* held, const byte* source, ptrdiff_t stack, ptrdiff_t band
) {
    const memory row = row_of(t, source, stack, band, t->source_stacked);
    if (t->source_stacked) {
        for (ptrdiff_t piece = 0; piece < row.pieces; piece++)
            memcpy(held + piece * row.bytes, row.first + piece * row.jump, row.bytes);
    } else {
        memcpy(held, row.first, t->n * t->size);
    }
    if (band + 1 == t->q || !is_large(t)) return (memory){0};
    return row_of(t, source, stack, band + 1, t->source_stacked);
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
    const stacks* t, const byte* source, byte* target, ptrdiff_t start, ptrdiff_t stop
) {
    for (ptrdiff_t place = start; place < stop; place++) {
        const ptrdiff_t stack = place / t->q, band = place % t->q;
        const memory soon = copy_row(t, t->held, source, stack, band);
        write_row(t, target, t->held, stack, band, soon);
    }
}

static void move_stack(
    const stacks* t, const byte* source, byte* target, ptrdiff_t stack, int undo
) {
    const ptrdiff_t n = t->n, p = t->p, q = t->q, size = t->size, lane = t->lane;
    const ptrdiff_t first = stack * q, between = band_stride(t), stride = lane_stride(t);
    /* Transposed, a band has q segments of q places, else one of n; behind each is room for q. */
    const ptrdiff_t pieces = t->transposed ? q : 1, length = n / pieces, piece = (length + q) * lane;
    const uint32_t start = t->starts[stack];
    byte** const segments = t->segments;
    byte *const lanes = t->lanes, *const boxes = t->boxes;
#ifdef VECTORS
    const int even = lane == 1 || lane == 2 || lane == 4 || lane == 8;
    const int vectors = even && q * lane >= 16 && (size == lane || has_byte_shuffle());
#endif
    byte* const moved = boxes + start * (t->transposed ? piece : lane);
    for (ptrdiff_t k = 0; k < n; k++)
        segments[k] = moved + t->offsets[k] + (start >= t->limits[k] ? t->backs[k] : 0);
    for (ptrdiff_t at = 0; at < q; at++) {
        const ptrdiff_t c = t->columns[first + at], turn = t->turns[first + c];
        byte* one = lanes + c * stride;
        t->order[at] = undo ? (turned){one, 0} : (turned){one - turn * lane, turn};
        t->back[c] = (turned){one + (turn - n) * lane, n - turn};
    }
    const int stacked = undo ? t->target_stacked : t->source_stacked;
    byte* strip = (undo ? target : (byte*)source) + strip_start(t, stack, stacked);
    const ptrdiff_t step = strip_step(t, stacked);
    if (undo) {
        gathering g = {t->outer, t->inner, pieces, length, piece, t->wide, t->joined};
        if (!t->transposed && is_large(t)) g.pieces = p, g.length = q, g.jump = q * lane;
        for (ptrdiff_t band = 0; band < q; band++) {
            const ptrdiff_t row = band * p + stack;
            byte* box = boxes + band * between;
            g.soon = copy_row(t, t->held, source, stack, band);
            gather(box, t->held, &g, t->shifts[row], lane, size);
            for (ptrdiff_t one = 0; one < pieces; one++)
                memcpy(box + one * piece + length * lane, box + one * piece, q * lane);
        }
#ifdef VECTORS
        if (vectors && lane == 1) lanes_and_segments(t, 1, 1);
        else if (vectors && lane == 2) lanes_and_segments(t, 1, 2);
        else if (vectors && lane == 4) lanes_and_segments(t, 1, 4);
        else if (vectors) lanes_and_segments(t, 1, 8);
        else
#endif
        segments_scalar(t, 1, lane);
        for (ptrdiff_t c = 0; c < q; c++)
            memcpy(lanes + c * stride + n * lane, lanes + c * stride, (n < 16 ? n : 16) * lane);
#ifdef VECTORS
        if (vectors) {
            if (size == 1) lanes_to_strip_1(t, strip, step);
            else if (size == 2) lanes_to_strip_2(t, strip, step);
            else if (size == 3) lanes_to_strip_3(t, strip, step);
            else if (size == 4) lanes_to_strip_4(t, strip, step);
            else if (size == 6) lanes_to_strip_6(t, strip, step);
            else lanes_to_strip_8(t, strip, step);
            return;
        }
#endif
        strip_scalar(t, strip, step, lanes, 1, size, lane);
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
    strip_scalar(t, strip, step, lanes, 0, size, lane);
    for (ptrdiff_t c = 0; c < q; c++)
        memcpy(lanes + c * stride + n * lane, lanes + c * stride, (n < 16 ? n : 16) * lane);
#ifdef VECTORS
    if (vectors && lane == 1) lanes_and_segments(t, 0, 1);
    else if (vectors && lane == 2) lanes_and_segments(t, 0, 2);
    else if (vectors && lane == 4) lanes_and_segments(t, 0, 4);
    else if (vectors) lanes_and_segments(t, 0, 8);
    else
#endif
    segments_scalar(t, 0, lane);
    /* What was written behind a piece belongs to its start. All q units of the last place are copied,
       the first of them to the room before it, as this takes no branch that depends on the key. */
    for (ptrdiff_t band = 0; band < q; band++) {
        for (ptrdiff_t number = 0; number < pieces; number++) {
            byte* one = boxes + band * between + number * piece;
            ptrdiff_t surplus = t->surplus[band] + (t->transposed && number < (ptrdiff_t)start);
            surplus = surplus == q ? 0 : surplus;
            memcpy(one + (surplus - q) * lane, one + (length - q + surplus) * lane, q * lane);
        }
    }
    for (ptrdiff_t band = 0; band < q; band++) {
        memory soon = {0};
        if (stacked && stack + 1 < p && is_large(t))  /* a part of the next strip */
            soon = (memory){strip + (n + band * p) * step, p, step, step};
        write_row(t, target, boxes + band * between, stack, band, soon);
    }
}

#endif
