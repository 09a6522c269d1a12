/* Rows from units that lie anywhere in a box or a row.

   The one random access of a fused pass is here, so everything else serves it. Several units are
   collected in a register and stored together, which takes fewer stores. What is left is copied unit
   by unit: by `width` bytes, one move of the processor, even where a unit has fewer; the next unit is
   written over the surplus, and only the last ones are copied to size. */

#include "gathering.h"

/* The table entry for unit y, and where that unit is in the source. With a row pass behind the block
   pass, two tables are joined: the outer one turns by `shift` from row to row, the inner one stays. */
#define INNER(y) INDEX(inner_table, y, is_wide)
#define ENTRY(y) (has_row_pass ? INDEX(table, INNER(y), is_wide) : INNER(y))
#define UNIT(y) (source + (ptrdiff_t)ENTRY(y) * source_size)
#define MOVE(y, width) memcpy(target + (y) * target_size, UNIT(y), width)

/* The first 1, 2 or 4 bytes of a unit, as a number that can be joined with others. */
INLINE uint32_t load_word(const byte* unit, ptrdiff_t size) {
    uint16_t half;
    uint32_t whole;
    if (size == 1) return *unit;
    memcpy(&half, unit, 2);
    if (size == 2) return half;
    memcpy(&whole, unit, 4);
    return whole;
}

/* A macro, since the variant with the byte shuffle needs an attribute of its own, and since every
   size is to be a constant inside: then each move is one instruction and the ifs below vanish. */
#define GATHER_SIZED(name, attribute, COLLECT)                                                     \
attribute INLINE void name(                                                                        \
    byte* target, const byte* source, const gathering* task, ptrdiff_t shift, ptrdiff_t target_size, \
    ptrdiff_t source_size, ptrdiff_t size, ptrdiff_t width, const int is_wide, const int has_row_pass \
) {                                                                                                \
    const byte* table = (const byte*)task->outer_table + shift * (is_wide ? 4 : 2);                \
    const byte* inner_table = (const byte*)task->inner_table;                                      \
    const memory* upcoming = &task->upcoming;                                                      \
    const ptrdiff_t length = task->length;                                                         \
    for (ptrdiff_t piece = 0; piece < task->pieces; piece++) {                                     \
        ptrdiff_t y = 0;                                                                           \
        if (piece < upcoming->pieces)                                                              \
            FETCH(upcoming->first + piece * upcoming->distance + upcoming->bytes, upcoming->bytes, 0); \
        COLLECT                                                                                    \
        for (; y + 4 < length; y += 4) {                                                           \
            MOVE(y, width);                                                                        \
            MOVE(y + 1, width);                                                                    \
            MOVE(y + 2, width);                                                                    \
            MOVE(y + 3, width);                                                                    \
        }                                                                                          \
        for (; y < length; y++) MOVE(y, size);                                                     \
        target += task->distance;                                                                  \
        inner_table += length * (is_wide ? 4 : 2);                                                 \
    }                                                                                              \
}

#ifdef VECTORS
/* Collected are 8 units of 1 byte or 4 of 2 in a word, 4 units of 4 or 3 bytes in a vector. Units of 3
   bytes are read as 4 and packed; only where 16 bytes would reach behind the piece are 12 stored. */
#define WORD(y) load_word(UNIT(y), 4)
#define FOUR(y) combine_four(WORD(y), WORD(y + 1), WORD(y + 2), WORD(y + 3))
#define COLLECT_EVEN                                                                               \
    if (target_size <= 2) {                                                                        \
        for (; y + 8 / target_size <= length; y += 8 / target_size) {                              \
            uint64_t units = 0;                                                                    \
            for (int i = 0; i < 8 / target_size; i++)                                              \
                units |= (uint64_t)load_word(UNIT(y + i), target_size) << 8 * target_size * i;     \
            memcpy(target + y * target_size, &units, 8);                                           \
        }                                                                                          \
    } else if (target_size == 4) {                                                                 \
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
#define GATHER(name, target_size, source_size, size, width)                                        \
    if (!task->is_wide && task->has_row_pass)                                                      \
        name(target, source, task, shift, target_size, source_size, size, width, 0, 1);            \
    else if (!task->is_wide) name(target, source, task, shift, target_size, source_size, size, width, 0, 0); \
    else name(target, source, task, shift, target_size, source_size, size, width, 1, task->has_row_pass);

#ifdef VECTORS
WITH_BYTE_SHUFFLE static void gather_3(
    byte* target, const byte* source, const gathering* task, ptrdiff_t shift, ptrdiff_t source_size
) {
    if (source_size == 3) { GATHER(gather_shuffled, 3, 3, 3, 4) }
    else { GATHER(gather_shuffled, 3, 4, 3, 4) }
}
#endif

/* Units of 3 and 6 bytes may come from, or go to, buffers where they are padded to 4 and 8. */
INTERNAL void gather(
    byte* target, const byte* source, const gathering* task, ptrdiff_t shift, ptrdiff_t target_size,
    ptrdiff_t source_size
) {
    if (target_size == 1) { GATHER(gather_even, 1, 1, 1, 1) }
    else if (target_size == 2) { GATHER(gather_even, 2, 2, 2, 2) }
#ifdef VECTORS
    else if (target_size == 3 && has_byte_shuffle()) gather_3(target, source, task, shift, source_size);
#endif
    else if (target_size == 3 && source_size == 3) { GATHER(gather_even, 3, 3, 3, 4) }
    else if (target_size == 3) { GATHER(gather_even, 3, 4, 3, 4) }
    else if (target_size == 4 && source_size == 3) { GATHER(gather_even, 4, 3, 3, 4) }
    else if (target_size == 4) { GATHER(gather_even, 4, 4, 4, 4) }
    else if (target_size == 6 && source_size == 6) { GATHER(gather_even, 6, 6, 6, 8) }
    else if (target_size == 6) { GATHER(gather_even, 6, 8, 6, 8) }
    else if (target_size == 8 && source_size == 6) { GATHER(gather_even, 8, 6, 6, 8) }
    else if (target_size == 8) { GATHER(gather_even, 8, 8, 8, 8) }
    else { GATHER(gather_even, target_size, source_size, target_size, target_size) }
}
