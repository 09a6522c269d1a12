/* Passes of the permutation, and checksums, for pages.

 * A pass moves units within regions: a row, a strip of columns, or a band of p rows. The region is
 * read or written in order, and units are scattered over a copy of it that stays in the cache, so
 * that a picture needs no second one. */

#include <stddef.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define copy __builtin_memcpy
#define STRIP 128 /* bytes of a row of a strip: two lines of the cache */

typedef uint8_t byte;

enum { ROWS, COLUMNS, BLOCKS };

typedef struct {
    uint32_t n, p, kind, undo;
    const uint16_t *alpha, *beta, *steps; /* steps twice: alpha + beta is below 2 n */
    byte *scratch;
} pass;

/* Move the units of a region, of which rows lie n units apart. A unit at (row, column) belongs to
 * the other unit that the pass names. `size` is a constant where this is inlined. */
static inline __attribute__((always_inline)) void move_region(
    const pass *t, byte *data, uint32_t first, uint32_t height, uint32_t width, const uint32_t size
) {
    const uint32_t line = width * size, whole = t->n * size;
    const uint32_t factor = t->kind == COLUMNS ? line : size, along = t->kind == COLUMNS ? size : 0;
    const uint32_t group = t->kind == BLOCKS ? t->n / t->p : width;
    const uint16_t *beta = t->beta + (t->kind == COLUMNS ? first : 0);
    byte *scratch = t->scratch;
    if (t->undo)
        for (uint32_t i = 0; i < height; i++) copy(scratch + i * line, data + i * whole, line);
    for (uint32_t i = 0; i < height; i++) {
        const uint16_t *steps = t->steps + t->alpha[t->kind == COLUMNS ? i : first + i];
        byte *at = data + i * whole, *base = scratch;
        for (uint32_t start = 0; start < width; start += group, base += whole) {
            const uint16_t *end = beta + start + group;
            byte *other = base;
            if (t->undo)
                for (const uint16_t *b = beta + start; b < end; b++, at += size, other += along)
                    copy(at, other + steps[*b] * factor, size);
            else
                for (const uint16_t *b = beta + start; b < end; b++, at += size, other += along)
                    copy(other + steps[*b] * factor, at, size);
        }
    }
    if (!t->undo)
        for (uint32_t i = 0; i < height; i++) copy(data + i * whole, scratch + i * line, line);
}

static inline __attribute__((always_inline)) void move_all(
    const pass *t, byte *data, const uint32_t size
) {
    const uint32_t n = t->n, strip = size < STRIP ? STRIP / size : 1;
    const int columns = t->kind == COLUMNS;
    const uint32_t step = columns ? strip : t->kind == BLOCKS ? t->p : 1;
    for (uint32_t first = 0; first < n; first += step) {
        const uint32_t length = n - first < step ? n - first : step;
        byte *start = data + (columns ? first : first * n) * size;
        move_region(t, start, first, columns ? n : length, columns ? length : n, size);
    }
}

/* A pass of n x n units of `size` bytes; `tables` are alpha, beta and sigma twice. */
EXPORT(move)
void move_units(
    byte *data, byte *scratch, const uint16_t *tables, uint32_t n, uint32_t p, uint32_t kind,
    uint32_t undo, uint32_t size
) {
    const pass t = {n, p, kind, undo, tables, tables + n, tables + 2 * n, scratch};
    switch (size) { /* of files, and of pixels that are frequent */
        case 1: move_all(&t, data, 1); break;
        case 3: move_all(&t, data, 3); break;
        case 4: move_all(&t, data, 4); break;
        default: move_all(&t, data, size);
    }
}

/* ---- checksums ---- */

#define TABLES 16 /* of CRC-32: the number of bytes that are looked up at once */

static uint32_t crcs[TABLES][256];

/* Update a CRC-32 with more bytes. */
EXPORT(crc)
uint32_t crc(uint32_t sum, const byte *data, uint32_t length) {
    if (!crcs[0][1]) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t value = i;
            for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (0xedb88320 & -(value & 1));
            crcs[0][i] = value;
        }
        for (int k = 1; k < TABLES; k++)
            for (int i = 0; i < 256; i++)
                crcs[k][i] = crcs[k - 1][i] >> 8 ^ crcs[0][crcs[k - 1][i] & 255];
    }
    sum = ~sum;
    for (; length >= TABLES; length -= TABLES, data += TABLES) {
        uint32_t words[TABLES / 4];
        copy(words, data, TABLES);
        words[0] ^= sum;
        sum = 0;
#pragma unroll
        for (int k = 0; k < TABLES; k++)
            sum ^= crcs[TABLES - 1 - k][words[k / 4] >> 8 * (k % 4) & 255];
    }
    while (length--) sum = sum >> 8 ^ crcs[0][(sum ^ *data++) & 255];
    return ~sum;
}

/* Update an Adler-32 with more bytes. */
EXPORT(adler)
uint32_t adler(uint32_t sum, const byte *data, uint32_t length) {
    uint32_t a = sum & 0xffff, b = sum >> 16;
    while (length) {
        uint32_t most = length < 5552 ? length : 5552; /* so that b stays below 2^32 */
        length -= most;
        while (most--) b += a += *data++;
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}
