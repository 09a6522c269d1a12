/* Rows from units that lie anywhere in a box or a row.

   The one random access of a fused pass is here, so everything else serves it. Several units are
   collected in a register and stored together, which takes fewer stores. What is left is copied unit
   by unit: by `width` bytes, one move of the processor, even where a unit has fewer; the next unit is
   written over the surplus, and only the last ones are copied to size. */

#include "gathering.h"

/* The table entry for unit y, and where that unit is in the source. With a row pass behind the block
   pass, two tables are joined: the outer one turns by `shift` from row to row, the inner one stays. */
#define ENTRY(y) (joined ? INDEX(table, INDEX(inner, y, wide), wide) : INDEX(inner, y, wide))
#define UNIT(y) (source + (ptrdiff_t)ENTRY(y) * from)
#define MOVE(y, width) memcpy(target + (y) * to, UNIT(y), width)

/* The first 1, 2 or 4 bytes of a unit, as a number that can be joined with others. */
INLINE uint32_t word(const byte* from, ptrdiff_t size) {
    uint16_t half;
    uint32_t whole;
    if (size == 1) return *from;
    memcpy(&half, from, 2);
    if (size == 2) return half;
    memcpy(&whole, from, 4);
    return whole;
}

/* A macro, since the variant with the byte shuffle needs an attribute of its own, and since every
   size is to be a constant inside: then each move is one instruction and the ifs below vanish. */
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
/* Collected are 8 units of 1 byte or 4 of 2 in a word, 4 units of 4 or 3 bytes in a vector. Units of 3
   bytes are read as 4 and packed; only where 16 bytes would reach behind the piece are 12 stored. */
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

/* Narrow tables are what all but the largest pictures have: they get loops of their own. */
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

/* Units of 3 and 6 bytes may come from, or go to, buffers where they are padded to 4 and 8. */
INTERNAL void gather(
    byte* target, const byte* source, const gathering* g, ptrdiff_t shift, ptrdiff_t to,
    ptrdiff_t from
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
