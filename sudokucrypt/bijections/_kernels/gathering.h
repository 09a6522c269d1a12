/* Rows from units that lie anywhere in a segment or a row.

   Several units are collected and stored together; else a unit is copied by `width` bytes where that
   is one move and it has fewer. The next units are written over the surplus, and the last ones are
   copied to size. */

#ifndef SUDOKUCRYPT_GATHERING_H
#define SUDOKUCRYPT_GATHERING_H

#include "vectors.h"

#define INDEX(table, at, wide) \
    ((wide) ? ((const uint32_t*)(table))[at] : (uint32_t)((const uint16_t*)(table))[at])

/* Memory that is needed soon, in pieces of some bytes that lie apart. With each piece of a row one
   of them is fetched, since many requests at once wait for each other. */
typedef struct {
    const byte* first;
    ptrdiff_t pieces, bytes, jump;
} memory;

typedef struct {
    const void* outer;
    const void* inner;
    ptrdiff_t pieces, length, jump;  /* how many pieces of how many units, and how far apart */
    int wide, joined;
    memory soon;                     /* what is read next */
    int onwards;                     /* whether what is written next lies behind each piece */
} gathering;

/* Fetch memory from its end: its start often shares a cache line with what came before. */
#define FETCH(end, bytes, for_writing)                                                             \
    for (ptrdiff_t at = 1; at <= (bytes); at += 64) __builtin_prefetch((end) - at, for_writing, 2)

#define PLACE(y) (joined ? INDEX(table, INDEX(inner, y, wide), wide) : INDEX(inner, y, wide))
#define UNIT(y) (source + (ptrdiff_t)PLACE(y) * from)
#define MOVE(y, width) memcpy(target + (y) * to, UNIT(y), width)

INLINE uint32_t word(const byte* from, ptrdiff_t size) {
    uint16_t half;
    uint32_t whole;
    if (size == 1) return *from;
    memcpy(&half, from, 2);
    if (size == 2) return half;
    memcpy(&whole, from, 4);
    return whole;
}

#define GATHER_SIZED(name, attribute, COLLECT)                                                     \
attribute INLINE void name(                                                                        \
    byte* target, const byte* source, const gathering* g, ptrdiff_t shift, ptrdiff_t to,           \
    ptrdiff_t from, ptrdiff_t size, ptrdiff_t width, const int wide, const int joined              \
) {                                                                                                \
    const byte* table = (const byte*)g->outer + shift * (wide ? 4 : 2);                            \
    const byte* inner = (const byte*)g->inner;                                                     \
    const ptrdiff_t length = g->length;                                                            \
    for (ptrdiff_t piece = 0; piece < g->pieces; piece++) {                                        \
        ptrdiff_t y = 0;                                                                           \
        if (piece < g->soon.pieces)                                                                \
            FETCH(g->soon.first + piece * g->soon.jump + g->soon.bytes, g->soon.bytes, 0);         \
        if (g->onwards) FETCH(target + 2 * length * to, length * to, 1);                           \
        COLLECT                                                                                    \
        for (; y + 4 < length; y += 4) {                                                           \
            MOVE(y, width);                                                                        \
            MOVE(y + 1, width);                                                                    \
            MOVE(y + 2, width);                                                                    \
            MOVE(y + 3, width);                                                                    \
        }                                                                                          \
        for (; y < length; y++) MOVE(y, size);                                                     \
        target += g->jump;                                                                         \
        inner += length * (wide ? 4 : 2);                                                          \
    }                                                                                              \
}

#ifdef VECTORS
#define FOUR(y) of_four(word(UNIT(y), 4), word(UNIT(y + 1), 4), word(UNIT(y + 2), 4), word(UNIT(y + 3), 4))
#define COLLECT_EVEN                                                                               \
    if (to <= 2) {                                                                                 \
        for (; y + 8 / to <= length; y += 8 / to) {                                                \
            uint64_t units = 0;                                                                    \
            for (int i = 0; i < 8 / to; i++)                                                       \
                units |= (uint64_t)word(UNIT(y + i), to) << 8 * to * i;                            \
            memcpy(target + y * to, &units, 8);                                                    \
        }                                                                                          \
    } else if (to == 4) {                                                                          \
        for (; y + 4 <= length; y += 4) store16(target + y * 4, FOUR(y));                          \
    }
#define COLLECT_3                                                                                  \
    for (; y + 4 <= length; y += 4) {                                                              \
        const vector units = shuffle_bytes(FOUR(y), load16(PACK[0]));                              \
        if (y + 6 <= length) store16(target + y * 3, units);                                       \
        else store12(target + y * 3, units);                                                       \
    }
GATHER_SIZED(gather_even, NOTHING, COLLECT_EVEN)
GATHER_SIZED(gather_shuffled, WITH_BYTE_SHUFFLE, COLLECT_3)
#else
GATHER_SIZED(gather_even, NOTHING, NOTHING)
#endif

#define GATHER(name, to, from, size, width)                                                        \
    if (!g->wide && g->joined) name(target, source, g, shift, to, from, size, width, 0, 1);        \
    else if (!g->wide) name(target, source, g, shift, to, from, size, width, 0, 0);                \
    else name(target, source, g, shift, to, from, size, width, 1, g->joined);

#ifdef VECTORS
WITH_BYTE_SHUFFLE static void gather_3(
    byte* target, const byte* source, const gathering* g, ptrdiff_t shift, ptrdiff_t from
) {
    if (from == 3) { GATHER(gather_shuffled, 3, 3, 3, 4) }
    else { GATHER(gather_shuffled, 3, 4, 3, 4) }
}
#endif

/* Let unit y of the target be a unit of the source; both lie `to` and `from` bytes apart. */
static void gather(
    byte* target, const byte* source, const gathering* g, ptrdiff_t shift, ptrdiff_t to, ptrdiff_t from
) {
    if (to == 1) { GATHER(gather_even, 1, 1, 1, 1) }
    else if (to == 2) { GATHER(gather_even, 2, 2, 2, 2) }
#ifdef VECTORS
    else if (to == 3 && has_byte_shuffle()) gather_3(target, source, g, shift, from);
#endif
    else if (to == 3 && from == 3) { GATHER(gather_even, 3, 3, 3, 4) }
    else if (to == 3) { GATHER(gather_even, 3, 4, 3, 4) }
    else if (to == 4 && from == 3) { GATHER(gather_even, 4, 3, 3, 4) }
    else if (to == 4) { GATHER(gather_even, 4, 4, 4, 4) }
    else if (to == 6 && from == 6) { GATHER(gather_even, 6, 6, 6, 8) }
    else if (to == 6) { GATHER(gather_even, 6, 8, 6, 8) }
    else if (to == 8 && from == 6) { GATHER(gather_even, 8, 6, 6, 8) }
    else if (to == 8) { GATHER(gather_even, 8, 8, 8, 8) }
    else { GATHER(gather_even, to, from, to, to) }
}

#endif
