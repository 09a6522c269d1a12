/* ChaCha20 (RFC 8439), the mixing of scrypt (RFC 7914) and SHAKE-256 (FIPS 202) for pages, in which
 * they are several times as fast as in plain JavaScript. */

#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define BLOCKS 512 /* 32 KiB of a stream at once: calls are few, and it stays in the cache */

typedef uint32_t Quad __attribute__((vector_size(16)));
typedef uint8_t Bytes __attribute__((vector_size(16)));

static uint32_t state[16];
static _Alignas(16) uint32_t stream[16 * BLOCKS];

/* ---- ChaCha20: four blocks side by side ---- */

EXPORT(chacha_state) uint32_t *chacha_state(void) { return state; }
EXPORT(chacha_stream) uint32_t *chacha_stream(void) { return stream; }

/* Rotations by whole bytes are shuffles, which processors have. */
#define BYTES(v, ...) (Quad)__builtin_shufflevector((Bytes)(v), (Bytes)(v), __VA_ARGS__)

static inline void quarter(Quad *v, int a, int b, int c, int d) {
    v[a] += v[b], v[d] ^= v[a];
    v[d] = BYTES(v[d], 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    v[c] += v[d], v[b] ^= v[c], v[b] = v[b] << 12 | v[b] >> 20;
    v[a] += v[b], v[d] ^= v[a];
    v[d] = BYTES(v[d], 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
    v[c] += v[d], v[b] ^= v[c], v[b] = v[b] << 7 | v[b] >> 25;
}

/* XOR four words of four blocks, of which each lane is one, into `to`. */
static inline void combine(uint32_t *to, const Quad *v, Quad counted) {
    const Quad low = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const Quad high = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const Quad low2 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const Quad high2 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    *(Quad *)to ^= counted & __builtin_shufflevector(low, low2, 0, 1, 4, 5);
    *(Quad *)(to + 16) ^= counted & __builtin_shufflevector(low, low2, 2, 3, 6, 7);
    *(Quad *)(to + 32) ^= counted & __builtin_shufflevector(high, high2, 0, 1, 4, 5);
    *(Quad *)(to + 48) ^= counted & __builtin_shufflevector(high, high2, 2, 3, 6, 7);
}

/* XOR `count` blocks at `stream`, rounded up to a multiple of four, with the given bits of the key
 * stream, and advance the counter by `count`. */
EXPORT(chacha) void chacha(uint32_t count, uint32_t bits) {
    const Quad counted = {bits, bits, bits, bits};
    for (uint32_t block = 0; block < count; block += 4) {
        Quad start[16], v[16];
        for (int i = 0; i < 16; i++) start[i] = (Quad){state[i], state[i], state[i], state[i]};
        start[12] += (Quad){0, 1, 2, 3} + block;
        for (int i = 0; i < 16; i++) v[i] = start[i];
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 4; i++) quarter(v, i, 4 + i, 8 + i, 12 + i);
            for (int i = 0; i < 4; i++)
                quarter(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
        }
        for (int i = 0; i < 16; i++) v[i] += start[i];
        for (int i = 0; i < 16; i += 4) combine(stream + 16 * block + i, v + i, counted);
    }
    state[12] += count;
}

/* ---- scrypt with r = 8 ---- */

enum { WORDS = 256, CHUNK = 16 }; /* of a block of 128 r bytes, and of Salsa20 */

extern uint8_t __heap_base;

/* The block of a lane, followed by the n blocks of memory that the caller has grown. */
EXPORT(scrypt_block) uint32_t *scrypt_block(void) {
    return (uint32_t *)(((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15);
}

static inline void turn(uint32_t *x, int a, int b, int c, int d) {
    uint32_t sum = x[a] + x[d];
    x[b] ^= sum << 7 | sum >> 25, sum = x[b] + x[a];
    x[c] ^= sum << 9 | sum >> 23, sum = x[c] + x[b];
    x[d] ^= sum << 13 | sum >> 19, sum = x[d] + x[c];
    x[a] ^= sum << 18 | sum >> 14;
}

/* scryptBlockMix: chunks are chained by Salsa20/8; even ones go first, odd ones last. */
static void mix_block(uint32_t *block) {
    uint32_t mixed[WORDS], sum[CHUNK], x[CHUNK];
    __builtin_memcpy(sum, block + WORDS - CHUNK, sizeof sum);
    for (int chunk = 0; chunk < WORDS / CHUNK; chunk++) {
        for (int i = 0; i < CHUNK; i++) x[i] = sum[i] ^= block[chunk * CHUNK + i];
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 4; i++)
                turn(x, 5 * i, (5 * i + 4) % 16, (5 * i + 8) % 16, (5 * i + 12) % 16);
            for (int i = 0; i < 4; i++)
                turn(x, 5 * i, 4 * i + (i + 1) % 4, 4 * i + (i + 2) % 4, 4 * i + (i + 3) % 4);
        }
        for (int i = 0; i < CHUNK; i++) sum[i] += x[i];
        int target = chunk / 2 + chunk % 2 * (WORDS / CHUNK / 2);
        __builtin_memcpy(mixed + target * CHUNK, sum, sizeof sum);
    }
    __builtin_memcpy(block, mixed, sizeof mixed);
}

/* Fill the blocks of memory from `from` to `to`, or mix them into the lane in their order. */
EXPORT(scrypt) void scrypt_mix(uint32_t from, uint32_t to, uint32_t n, uint32_t filling) {
    uint32_t *block = scrypt_block(), *memory = block + WORDS;
    for (uint32_t i = from; i < to; i++) {
        if (filling) {
            __builtin_memcpy(memory + i * WORDS, block, 4 * WORDS);
        } else {
            const uint32_t *other = memory + (block[WORDS - CHUNK] & (n - 1)) * WORDS;
            for (int k = 0; k < WORDS; k++) block[k] ^= other[k];
        }
        mix_block(block);
    }
}

/* ---- SHAKE-256 ---- */

/* One permutation of the 25 lanes at `stream`. */
EXPORT(keccak) void keccak(void) {
    uint64_t *lanes = (uint64_t *)stream, moved[25], sums[5];
    uint32_t lfsr = 1;
    for (int round = 0; round < 24; round++) {
        for (int x = 0; x < 5; x++)
            sums[x] = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20];
        for (int i = 0; i < 25; i++) {
            uint64_t right = sums[(i + 1) % 5];
            lanes[i] ^= sums[(i + 4) % 5] ^ (right << 1 | right >> 63);
        }
        /* Offsets of the turns, and where lanes go, by the definition in section 3.2.2. */
        moved[0] = lanes[0];
        for (uint32_t t = 0, x = 1, y = 0; t < 24; t++) {
            uint32_t offset = (t + 1) * (t + 2) / 2 % 64, below = (2 * x + 3 * y) % 5;
            uint64_t lane = lanes[x + 5 * y];
            moved[y + 5 * below] = lane << offset | lane >> (-offset & 63);
            x = y;
            y = below;
        }
        for (int i = 0; i < 25; i++) {
            int row = i - i % 5;
            lanes[i] = moved[i] ^ (~moved[row + (i + 1) % 5] & moved[row + (i + 2) % 5]);
        }
        for (int j = 0; j < 7; j++) {
            if (lfsr & 1) lanes[0] ^= (uint64_t)1 << ((1 << j) - 1);
            lfsr = lfsr & 128 ? (lfsr << 1 ^ 0x171) & 255 : lfsr << 1;
        }
    }
}
