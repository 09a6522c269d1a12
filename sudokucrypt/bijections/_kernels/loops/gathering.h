/* Gathering one row: what `gathering.c` has to be told, and how memory is fetched ahead. */

#ifndef SUDOKUCRYPT_GATHERING_H
#define SUDOKUCRYPT_GATHERING_H

#include "vectors.h"

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
} gathering;

/* Tables hold 16 bits where their numbers fit: half the memory, so they stay in the cache longer. */
#define INDEX(table, at, wide) \
    ((wide) ? ((const uint32_t*)(table))[at] : (uint32_t)((const uint16_t*)(table))[at])

/* Fetch memory from its end: its start often shares a cache line with what came before. */
#define FETCH(end, bytes, for_writing)                                                             \
    for (ptrdiff_t at = 1; at <= (bytes); at += 64) __builtin_prefetch((end) - at, for_writing, 2)

/* Let unit y of the target be a unit of the source; both lie `to` and `from` bytes apart. */
INTERNAL void gather(
    byte* target, const byte* source, const gathering* g, ptrdiff_t shift, ptrdiff_t to,
    ptrdiff_t from
);

#endif
