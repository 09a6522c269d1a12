/* The entropy coder of JPEG for pages: the loops of the package, called piece by piece. */

#include "scan.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define PAGE 65536

extern uint8_t __heap_base;

static uintptr_t used, last;

/* Return memory of zeros, on a boundary of 16 bytes, or NULL if there is not enough. */
EXPORT(room) void *room(size_t size) {
    uintptr_t start = used ? used : ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    size_t pages = __builtin_wasm_memory_size(0);
    if (size > UINT32_MAX - PAGE - start) return NULL;
    used = (start + size + 15) & ~(uintptr_t)15;
    if (used > pages * PAGE) {
        size_t more = (used - pages * PAGE + PAGE - 1) / PAGE;
        if (__builtin_wasm_memory_grow(0, more) == (size_t)-1) return NULL;
    }
    return (void *)(last = start);
}

/* The last allocation grows in place. Any other moves, and its memory is lost; bytes after it are
   copied too, since its length is not known. */
void *realloc(void *old, size_t size) {
    void *grown;
    if (old && (uintptr_t)old == last) used = last;
    grown = room(size);
    return old && grown && grown != old ? memmove(grown, old, size) : grown;
}

static scan work;

/* Begin a scan of units; `interval` is the number of units of an interval. */
EXPORT(scan)
void scan_begin(
    int kind, int first, int last, int low, int rows, int columns, int interval, int longest
) {
    memset(&work, 0, sizeof work);
    work.kind = kind, work.first = first, work.last = last, work.low = low;
    work.rows = rows, work.columns = columns;
    work.interval = interval, work.longest = longest;
}

/* Add the blocks of a component; a unit has `down` rows and `across` columns of them. */
EXPORT(part)
void scan_part(
    int16_t *blocks, int columns, int down, int across, const uint16_t *dc, const uint16_t *ac,
    uint32_t dc_number, uint32_t ac_number
) {
    work.parts[work.count++] = (part){
        blocks, columns, down, across, {dc, ac}, {dc_number << 28, (4 + ac_number) << 28}
    };
}

/* Read the blocks from bits. Return the end of each interval in bits, the number of breaks, and the
   breaks; or 0 if the bits are damaged. Only runs have breaks, each block at most one. */
EXPORT(decode) int64_t *decode(const uint8_t *bits, const int64_t *ends, int intervals) {
    size_t most = work.kind > DC_REFINED ? (size_t)(work.rows * work.columns) : 0;
    int64_t *positions = room(8 * ((size_t)intervals + 1 + most));
    if (!positions) return NULL;
    work.breaks = positions + intervals + 1;
    if (!decode_scan(&work, bits, ends, intervals, positions)) return NULL;
    positions[intervals] = work.listed;
    return positions;
}

/* Count each symbol, 256 for each of 16 tables; return 0 if there is not enough memory. */
EXPORT(count) int64_t *count(int64_t *breaks) {
    int64_t *counts = room(8 * 16 * 256);
    work.breaks = breaks;
    return counts && write_scan(&work, counts, NULL) ? counts : NULL;
}

/* Write the blocks; return the bits, or 0 if a symbol has no code. `breaks` end with -1. */
EXPORT(encode)
uint8_t *encode(int64_t *breaks, const uint32_t *codes, const uint8_t *padding, int64_t *ends) {
    bit_writer out = {.codes = codes, .padding = padding, .ends = ends};
    work.breaks = breaks;
    return write_scan(&work, NULL, &out) && !out.lacking ? out.target : NULL;
}
