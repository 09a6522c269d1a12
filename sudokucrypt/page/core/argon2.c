/* Argon2id (RFC 9106, version 0x13) for pages: WebCrypto has none, and plain JavaScript takes ten
 * times as long. Compiled for wasm32 without a library, by tests/page/build_core.py:
 *
 *   memory:   | stack, constants | block 0 | block 1 | ... | block M' - 1 |
 *                                ^ argon2_blocks()
 *
 * The caller grows the memory, puts the message of H0 where the blocks will be, calls begin, then
 * segment for each pass, slice and lane in this order, and then finish, whose result lies at
 * argon2_blocks() again. Lanes are filled one after the other: a page from a file has no shared
 * memory. Calls for each segment let the caller report progress. */

#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define BLOCK_WORDS 128 /* 1,024 bytes */
#define SLICES 4

typedef uint64_t Pair __attribute__((vector_size(16)));
typedef uint32_t Quad __attribute__((vector_size(16)));
typedef uint8_t Bytes __attribute__((vector_size(16)));
typedef union {
    uint64_t words[BLOCK_WORDS];
    Pair pairs[BLOCK_WORDS / 2];
} Block;

extern uint8_t __heap_base; /* given by the linker: where the static data and the stack end */

static uint32_t lanes, lane_length, segment_length, passes;

EXPORT(blocks) Block *argon2_blocks(void) {
    return (Block *)(((uintptr_t)&__heap_base + 1023) & ~(uintptr_t)1023);
}

/* ---- BLAKE2b (RFC 7693), without a key ---- */

typedef struct {
    uint64_t state[8];
    uint64_t length;
    uint32_t filled;
    uint8_t buffer[128];
} Blake;

static const uint64_t BLAKE_START[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static const uint8_t BLAKE_ORDER[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

/* Columns, then diagonals, of the 4 x 4 words. */
static const uint8_t QUARTERS[8][4] = {
    {0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15},
    {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14},
};

static uint64_t rotated(uint64_t word, int bits) { return word >> bits | word << (64 - bits); }

static void blake_compress(Blake *blake, int last) {
    uint64_t message[16], v[16];
    __builtin_memcpy(message, blake->buffer, 128); /* wasm is little-endian, as BLAKE2b is */
    for (int i = 0; i < 8; i++) {
        v[i] = blake->state[i];
        v[i + 8] = BLAKE_START[i];
    }
    v[12] ^= blake->length;
    if (last) v[14] = ~v[14];
    for (int round = 0; round < 12; round++) {
        const uint8_t *order = BLAKE_ORDER[round % 10];
        for (int i = 0; i < 8; i++) {
            uint64_t *a = &v[QUARTERS[i][0]], *b = &v[QUARTERS[i][1]];
            uint64_t *c = &v[QUARTERS[i][2]], *d = &v[QUARTERS[i][3]];
            *a += *b + message[order[2 * i]];
            *d = rotated(*d ^ *a, 32);
            *c += *d;
            *b = rotated(*b ^ *c, 24);
            *a += *b + message[order[2 * i + 1]];
            *d = rotated(*d ^ *a, 16);
            *c += *d;
            *b = rotated(*b ^ *c, 63);
        }
    }
    for (int i = 0; i < 8; i++) blake->state[i] ^= v[i] ^ v[i + 8];
}

static void blake_begin(Blake *blake, uint32_t digest_length) {
    __builtin_memcpy(blake->state, BLAKE_START, sizeof BLAKE_START);
    blake->state[0] ^= 0x01010000 ^ digest_length;
    blake->length = blake->filled = 0;
}

static void blake_update(Blake *blake, const void *data, uint32_t length) {
    for (const uint8_t *byte = data; length--; byte++) {
        if (blake->filled == 128) { /* a full buffer waits: the last one is compressed otherwise */
            blake_compress(blake, 0);
            blake->filled = 0;
        }
        blake->buffer[blake->filled++] = *byte;
        blake->length++;
    }
}

static void blake_finish(Blake *blake, void *digest, uint32_t digest_length) {
    __builtin_memset(blake->buffer + blake->filled, 0, 128 - blake->filled);
    blake_compress(blake, 1);
    __builtin_memcpy(digest, blake->state, digest_length);
}

/* H' of RFC 9106, section 3.3: a digest of any length, 32 bytes of each of a chain of digests. */
static void long_hash(uint8_t *digest, uint32_t length, const void *data, uint32_t data_length) {
    Blake blake;
    uint8_t link[64];
    uint32_t link_length = length < 64 ? length : 64;
    blake_begin(&blake, link_length);
    blake_update(&blake, &length, 4);
    blake_update(&blake, data, data_length);
    blake_finish(&blake, link, link_length);
    while (length > 64) {
        __builtin_memcpy(digest, link, 32);
        digest += 32;
        length -= 32;
        link_length = length < 64 ? length : 64;
        blake_begin(&blake, link_length);
        blake_update(&blake, link, 64);
        blake_finish(&blake, link, link_length);
    }
    __builtin_memcpy(digest, link, length);
}

/* ---- the compression function G, section 3.5: two words of 64 bits at a time ---- */

static inline Pair turned(Pair pair, int bits) {
    Bytes b = (Bytes)pair;
    if (bits == 32) return (Pair)__builtin_shufflevector((Quad)pair, (Quad)pair, 1, 0, 3, 2);
    if (bits == 24)
        return (Pair)__builtin_shufflevector(b, b, 3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8,
                                             9, 10);
    if (bits == 16)
        return (Pair)__builtin_shufflevector(b, b, 2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15,
                                             8, 9);
    return pair + pair | pair >> 63;
}

/* a + b + 2 lo(a) lo(b), which makes hardware that only adds and turns no faster than others. */
static inline Pair mixed(Pair a, Pair b) {
    Pair product = (a & 0xffffffff) * (b & 0xffffffff);
    return a + b + product + product;
}

static inline void quarter(Pair *a, Pair *b, Pair *c, Pair *d) {
    *a = mixed(*a, *b);
    *d = turned(*d ^ *a, 32);
    *c = mixed(*c, *d);
    *b = turned(*b ^ *c, 24);
    *a = mixed(*a, *b);
    *d = turned(*d ^ *a, 16);
    *c = mixed(*c, *d);
    *b = turned(*b ^ *c, 63);
}

/* The permutation P of 16 words in 8 pairs: the columns, then the diagonals of a 4 x 4 matrix. A
 * row of the matrix is two pairs, so diagonals are quarters of rows shifted by one to three. */
static inline void permute(Pair *block, int step) {
    Pair a0 = block[0], a1 = block[step], b0 = block[2 * step], b1 = block[3 * step];
    Pair c0 = block[4 * step], c1 = block[5 * step], d0 = block[6 * step], d1 = block[7 * step];
    quarter(&a0, &b0, &c0, &d0);
    quarter(&a1, &b1, &c1, &d1);
    Pair p = __builtin_shufflevector(b0, b1, 1, 2), q = __builtin_shufflevector(b1, b0, 1, 2);
    Pair r = __builtin_shufflevector(d1, d0, 1, 2), s = __builtin_shufflevector(d0, d1, 1, 2);
    quarter(&a0, &p, &c1, &r);
    quarter(&a1, &q, &c0, &s);
    block[0] = a0;
    block[step] = a1;
    block[2 * step] = __builtin_shufflevector(q, p, 1, 2);
    block[3 * step] = __builtin_shufflevector(p, q, 1, 2);
    block[4 * step] = c0;
    block[5 * step] = c1;
    block[6 * step] = __builtin_shufflevector(r, s, 1, 2);
    block[7 * step] = __builtin_shufflevector(s, r, 1, 2);
}

/* Rows of the 8 x 8 matrix of pairs, then its columns. After the first pass over the memory, the
 * new block is xored to the old one. */
static void compress(Block *next, const Block *previous, const Block *reference, int keep) {
    Block mixture, sum;
    for (int i = 0; i < BLOCK_WORDS / 2; i++) {
        mixture.pairs[i] = sum.pairs[i] = previous->pairs[i] ^ reference->pairs[i];
        if (keep) sum.pairs[i] ^= next->pairs[i];
    }
    for (int row = 0; row < 8; row++) permute(mixture.pairs + 8 * row, 1);
    for (int column = 0; column < 8; column++) permute(mixture.pairs + column, 8);
    for (int i = 0; i < BLOCK_WORDS / 2; i++) next->pairs[i] = mixture.pairs[i] ^ sum.pairs[i];
}

/* ---- filling the memory, section 3.4 ---- */

/* Prepare the first two blocks of each lane; the message of H0 is at argon2_blocks(). */
EXPORT(begin)
void argon2_begin(uint32_t message_length, uint32_t memory, uint32_t t, uint32_t p) {
    uint8_t seed[72];
    Blake blake;
    lanes = p;
    passes = t;
    segment_length = memory / (SLICES * p);
    lane_length = segment_length * SLICES;
    blake_begin(&blake, 64);
    blake_update(&blake, argon2_blocks(), message_length);
    blake_finish(&blake, seed, 64);
    for (uint32_t lane = 0; lane < lanes; lane++)
        for (uint32_t index = 0; index < 2; index++) {
            __builtin_memcpy(seed + 64, &index, 4);
            __builtin_memcpy(seed + 68, &lane, 4);
            Block *block = argon2_blocks() + lane * lane_length + index;
            long_hash((uint8_t *)block, sizeof *block, seed, sizeof seed);
        }
}

/* Fill one lane of one slice. Argon2id takes addresses that do not depend on the passphrase in the
 * first half of the first pass, and from the block before everywhere else. */
EXPORT(segment) void argon2_segment(uint32_t pass, uint32_t slice, uint32_t lane) {
    static Block zero; /* not constant, so that the module does not hold its bytes */
    Block input = {{pass, lane, slice, lanes * lane_length, passes, 2}}, addresses;
    const int independent = pass == 0 && slice < SLICES / 2;
    Block *row = argon2_blocks() + lane * lane_length;
    for (uint32_t i = pass == 0 && slice == 0 ? 2 : 0; i < segment_length; i++) {
        const uint32_t column = slice * segment_length + i;
        const Block *previous = row + (column ? column : lane_length) - 1;
        uint64_t pseudorandom = previous->words[0];
        if (independent) {
            if (i % BLOCK_WORDS == 0 || input.words[6] == 0) {
                input.words[6]++;
                compress(&addresses, &zero, &input, 0);
                compress(&addresses, &zero, &addresses, 0);
            }
            pseudorandom = addresses.words[i % BLOCK_WORDS];
        }
        /* The first segment has no other lanes to refer to. */
        uint32_t other = pass == 0 && slice == 0 ? lane : (uint32_t)(pseudorandom >> 32) % lanes;
        /* What may be referred to: the slices that are complete, and in the same lane the blocks
         * of this segment before the previous one; at the start of a segment, other lanes have not
         * their last block. */
        uint32_t area = pass == 0 ? slice * segment_length : lane_length - segment_length;
        area += other == lane ? i - 1 : i == 0 ? -1 : 0;
        uint64_t x = (uint32_t)pseudorandom;
        uint64_t distance = area * (x * x >> 32) >> 32; /* near blocks more often than far ones */
        uint32_t start = pass == 0 ? 0 : (slice + 1) % SLICES * segment_length;
        uint32_t referred = (start + area - 1 - (uint32_t)distance) % lane_length;
        const Block *reference = argon2_blocks() + other * lane_length + referred;
        compress(row + column, previous, reference, pass != 0);
    }
}

/* Write the digest to argon2_blocks(). */
EXPORT(finish) void argon2_finish(uint32_t digest_length) {
    Block sum = {{0}};
    for (uint32_t lane = 1; lane <= lanes; lane++)
        for (int i = 0; i < BLOCK_WORDS / 2; i++)
            sum.pairs[i] ^= argon2_blocks()[lane * lane_length - 1].pairs[i];
    long_hash((uint8_t *)argon2_blocks(), digest_length, &sum, sizeof sum);
}
