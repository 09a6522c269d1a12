/* Gathering one row: what `gathering.c` has to be told, and how memory is fetched ahead. */

#ifndef SUDOKUCRYPT_GATHERING_H
#define SUDOKUCRYPT_GATHERING_H

#include "vectors.h"

/* Memory that is needed soon, in pieces of some bytes that lie apart. With each piece of a row one
   of them is fetched, since many requests at once wait for each other. */
typedef struct {
    const byte* first;
    ptrdiff_t pieces, bytes, distance;
} memory;

typedef struct {
    const void* outer_table;
    const void* inner_table;
    ptrdiff_t pieces, length, distance;  /* how many pieces of how many units, and how far apart */
    int is_wide, has_row_pass;
    memory upcoming;                     /* what is read next */
} gathering;

/* Tables hold 16 bits where their numbers fit: half the memory, so they stay in the cache longer. */
#define INDEX(table, index, is_wide)                                                               \
    ((is_wide) ? ((const uint32_t*)(table))[index] : (uint32_t)((const uint16_t*)(table))[index])

/* Fetch memory from its end: its start often shares a cache line with what came before. */
#define FETCH(end, bytes, for_writing)                                                             \
    for (ptrdiff_t index = 1; index <= (bytes); index += 64) __builtin_prefetch((end) - index, for_writing, 2)

/* Let unit y of the target be a unit of the source; both lie `target_size` and `source_size` bytes apart. */
INTERNAL void gather(
    byte* target, const byte* source, const gathering* task, ptrdiff_t shift, ptrdiff_t target_size,
    ptrdiff_t source_size
);

#endif
