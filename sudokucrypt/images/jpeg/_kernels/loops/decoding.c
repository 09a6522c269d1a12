/* The blocks of a scan from their bits.

   Bits are read through windows of the next 57 bits or more from any bit on; a margin behind the
   last byte makes that safe, as positions are compared with the end behind each block. */

#include "scan.h"

typedef struct {
    scan *work;
    const uint8_t *bits;
    uint16_t short_lookups[COMPONENTS][2][1 << SHORT]; /* lookups of the first bits; 0 for longer codes */
    /* What is in the first bits whole of AC: one value, or two, or one and the end of the block, as
       second value (16), first value (16), end (8), places from the first to the second (8), zeros
       before the first (8), bits taken (8); more zeros than a block has if there is nothing. Components
       with one table share one lookup, so that it stays in the nearest cache. */
    uint64_t short_values[COMPONENTS][1 << SHORT];
    const uint64_t *values[COMPONENTS];
    int64_t position, end, run, length, corrections, block;
    int32_t previous[COMPONENTS];
    int is_run_open;
} reader;

enum { WINDOW = 57, LONGEST_CODE = 16, NOTHING = COEFFICIENTS << 8 };

/* At least 57 bits from any bit on, the first one highest: a symbol of 16 bits and its value of 15 are
   taken from one window. Compilers make one load and one byte swap of this. */
static inline uint64_t load_window(const reader *state) {
    const uint8_t *p = state->bits + (state->position >> 3);
    uint64_t bytes = (uint64_t) p[0] << 56 | (uint64_t) p[1] << 48 | (uint64_t) p[2] << 40
        | (uint64_t) p[3] << 32 | (uint64_t) p[4] << 24 | (uint64_t) p[5] << 16
        | (uint64_t) p[6] << 8 | (uint64_t) p[7];
    return bytes << (state->position & 7);
}

/* How long the code in front is (above 8 bits) and which symbol it stands for; 0 for none. */
static inline uint32_t look_up(const reader *state, int index, int kind, uint64_t bits) {
    uint32_t entry = state->short_lookups[index][kind][bits >> (64 - SHORT)];
    return entry ? entry : state->work->parts[index].lookups[kind][bits >> 48];
}

/* The value in so many of the first bits, 0 to 16. */
static inline int32_t extend_sign(uint64_t bits, uint32_t size) {
    int32_t value = (int32_t) (bits >> 1 >> (63 - size));
    int32_t sign_mask = (int32_t) (bits >> 63) - 1; /* all ones if the value is negative */
    return value + (sign_mask & (1 - (int32_t) ((uint32_t) 1 << size)));
}

/* Shifted in two steps, as a shift by 64 is undefined and the count may be 0. */
static inline uint32_t take_bits(reader *state, uint32_t count) {
    uint32_t value = (uint32_t) (load_window(state) >> 1 >> (63 - count));
    state->position += count;
    return value;
}

static inline int read_dc(reader *state, int index, int16_t *block) {
    uint64_t bits = load_window(state);
    uint32_t entry = look_up(state, index, 0, bits), length = entry >> 8, size = entry & 0xFF;
    int32_t value;
    if (!entry || size > LARGEST_SIZE) return 0;
    value = state->previous[index] += extend_sign(bits << length, size);
    state->position += length + size;
    /* Differences take 16 bits at most, and every value is checked: nothing overflows. */
    value *= 1 << state->work->low;
    if (value < LEAST_DC || value > LARGEST_DC) return 0;
    block[0] = (int16_t) value;
    return 1;
}

/* Begin a run of ends of block. A writer goes on with a run for as long as it can, so where one begins
   behind another that had not stopped, that is listed: what is written again breaks there too. */
static inline void begin_run(reader *state, uint32_t size, int begins_block) {
    int must_stop = state->corrections > MOST_CORRECTIONS || state->length >= state->work->longest;
    if (begins_block && state->is_run_open && !must_stop)
        state->work->breaks[state->work->listed++] = state->block;
    state->run = ((int64_t) 1 << size) + take_bits(state, size) - 1;
    state->length = 1;
    state->corrections = 0;
    state->is_run_open = 1;
}

/* Read the values of a band, each behind a number of zeros; 0 if they do not fit into it. Where there is
   no second value the first is written twice, which takes no branch. */
static inline int read_ac(reader *state, int index, int16_t *block, int first, int last, int low) {
    int sequential = state->work->kind == SEQUENTIAL, place = first, remaining = 0;
    const uint64_t *values = state->values[index];
    uint64_t bits = 0;
    while (place <= last) {
        uint32_t symbol, length, zeros, size;
        uint64_t entry;
        int first_place, second_place;
        if (remaining < SHORT) {
            bits = load_window(state);
            remaining = WINDOW;
        }
        entry = values[bits >> (64 - SHORT)];
        length = entry & 0xFF;
        first_place = place + (int) (entry >> 8 & 0xFF);
        second_place = first_place + (int) (entry >> 16 & 0xFF);
        if (second_place <= last) {
            block[first_place] = (int16_t) (entry >> 32);
            block[second_place] = (int16_t) (entry >> 48);
            place = second_place + 1;
            if (entry >> 24 & 1) {
                state->position += length;
                return 1;
            }
        } else {
            if (remaining < LONGEST_CODE + LARGEST_SIZE) {
                bits = load_window(state);
                remaining = WINDOW;
            }
            symbol = look_up(state, index, 1, bits);
            length = symbol >> 8, zeros = symbol >> 4 & 15, size = symbol & 15;
            if (!symbol) return 0;
            if (size) {
                place += (int) zeros;
                if (place > last || (int) size + low > LARGEST_SIZE) return 0;
                block[place++] = (int16_t) (extend_sign(bits << length, size) * (1 << low));
                length += size;
            } else if (zeros == 15) {
                place += 16;
                if (place > last + 1) return 0;
            } else {
                state->position += length;
                if (!sequential) begin_run(state, zeros, place == first);
                return !sequential || zeros == 0;
            }
        }
        state->position += length;
        bits <<= length;
        remaining -= (int) length;
    }
    state->is_run_open = 0;
    return 1;
}

/* Read a bit of each coefficient that is not zero; return where that many zeros end, or the end of the
   band if `zeros` is negative. */
static inline int correct(reader *state, int16_t *block, int place, int zeros) {
    int last = state->work->last, bit = 1 << state->work->low;
    for (; place <= last; place++) {
        int value = block[place];
        if (value) {
            state->corrections++;
            if (take_bits(state, 1)) block[place] = (int16_t) (value + (value > 0 ? bit : -bit));
        } else if (zeros < 0) {
            while (place + 4 <= last && are_four_zeros(block + place + 1)) place += 4;
        } else if (zeros-- == 0) {
            break;
        }
    }
    return place;
}

/* One more bit of a band: of coefficients that were not zero a correction, of the others those that
   become 1 or -1 now. */
static inline int refine(reader *state, int index, int16_t *block) {
    int place = state->work->first, last = state->work->last, bit = 1 << state->work->low;
    if (state->run) {
        if (state->corrections > MOST_CORRECTIONS) {
            state->work->breaks[state->work->listed++] = state->block;
            state->corrections = 0;
        }
        state->run--;
        state->length++;
        correct(state, block, place, -1);
        return 1;
    }
    while (place <= last) {
        uint32_t entry = look_up(state, index, 1, load_window(state));
        uint32_t zeros = entry >> 4 & 15, size = entry & 15;
        int value = 0;
        if (!entry || size > 1) return 0;
        state->position += entry >> 8;
        if (!size && zeros < 15) {
            begin_run(state, zeros, place == state->work->first);
            correct(state, block, place, -1);
            return 1;
        }
        if (size) value = take_bits(state, 1) ? bit : -bit;
        place = correct(state, block, place, (int) zeros);
        if (place > last) return 0;
        block[place++] = (int16_t) value;
    }
    state->is_run_open = 0;
    return 1;
}

static inline int read_block(reader *state, int index, int16_t *block) {
    scan *work = state->work;
    switch (work->kind) {
    case SEQUENTIAL:
        return read_dc(state, index, block) && read_ac(state, index, block, 1, COEFFICIENTS - 1, 0);
    case DC_FIRST:
        return read_dc(state, index, block);
    case DC_REFINED:
        if (take_bits(state, 1)) block[0] |= (int16_t) (1 << work->low);
        return 1;
    case AC_FIRST:
        return read_ac(state, index, block, work->first, work->last, work->low);
    default:
        return refine(state, index, block);
    }
}

/* The blocks of all components that lie over one another (a minimum coded unit). */
static int read_unit(reader *state, ptrdiff_t unit) {
    scan *work = state->work;
    ptrdiff_t row = unit / work->columns, column = unit % work->columns;
    for (int index = 0; index < work->count; index++) {
        const part *component = &work->parts[index];
        for (int y = 0; y < component->down; y++) {
            for (int x = 0; x < component->across; x++) {
                if (!read_block(state, index, find_block(
                        component, row * component->down + y, column * component->across + x
                    )))
                    return 0;
                if (state->position > state->end) return 0;
                state->block++;
            }
        }
    }
    return 1;
}

/* A value of AC with what is in front of it, or the end of a block; no bits if it is not whole. */
typedef struct {
    uint32_t bits, zeros, ends;
    int32_t value;
} coded;

/* What the lowest `count` bits of some begin with. Only scans of whole blocks end them without a run. */
static coded find_coded(const scan *work, const uint16_t *lookup, uint32_t bits, uint32_t count) {
    uint32_t entry = lookup[bits << (16 - count) & 0xFFFF], length = entry >> 8, size = entry & 15;
    uint32_t ends = work->kind == SEQUENTIAL && !(entry & 0xFF);
    if (!entry || length + size > count || (int) size + work->low > LARGEST_SIZE || !(size || ends))
        return (coded){0, 0, 0, 0};
    int32_t value = extend_sign((uint64_t) bits << (64 - count) << length, size);
    return (coded){length + size, entry >> 4 & 15, ends, value * (1 << work->low)};
}

/* Fill what is looked up by the first bits: most values take few bits together with their codes. */
static void fill_short_lookups(reader *state, int index) {
    const scan *work = state->work;
    const uint16_t *const *lookups = work->parts[index].lookups;
    for (int kind = 0; kind < 2; kind++)
        for (int position = 0; lookups[kind] && position < 1 << SHORT; position++) {
            uint16_t entry = lookups[kind][position << (16 - SHORT)];
            state->short_lookups[index][kind][position] = entry >> 8 > SHORT ? 0 : entry;
        }
    state->values[index] = state->short_values[index];
    for (int earlier = 0; earlier < index; earlier++)
        if (work->parts[earlier].lookups[1] == lookups[1]) state->values[index] = state->values[earlier];
    if (!lookups[1] || state->values[index] != state->short_values[index]) return;
    for (uint32_t position = 0; position < 1 << SHORT; position++) {
        coded one = find_coded(work, lookups[1], position, SHORT), other = {0, 0, 0, 0};
        if (one.bits && !one.ends) other = find_coded(work, lookups[1], position, SHORT - one.bits);
        uint32_t places = other.bits ? other.zeros + 1 : 0;
        int32_t second = other.bits ? other.value : one.value;
        state->short_values[index][position] = !one.bits ? NOTHING
            : (uint64_t) (uint16_t) second << 48 | (uint64_t) (uint16_t) one.value << 32
                | (one.ends | other.ends) << 24 | places << 16 | one.zeros << 8
                | (one.bits + other.bits);
    }
}

/* Restart intervals are independent: predictions and runs begin anew in each. */
INTERNAL int decode_scan(
    scan *work, const uint8_t *bits, const int64_t *ends, ptrdiff_t intervals, int64_t *positions
) {
    reader state;
    ptrdiff_t unit = 0, total = work->rows * work->columns;
    memset(&state, 0, sizeof state);
    state.work = work;
    state.bits = bits;
    for (int index = 0; index < work->count; index++) fill_short_lookups(&state, index);
    for (ptrdiff_t interval = 0; interval < intervals; interval++) {
        ptrdiff_t stop = total - unit < work->interval ? total : unit + work->interval;
        state.position = interval ? 8 * ends[interval - 1] : 0;
        state.end = 8 * ends[interval];
        state.run = state.length = state.corrections = state.is_run_open = 0;
        memset(state.previous, 0, sizeof state.previous);
        while (unit < stop) {
            if (state.run && work->kind == AC_FIRST) {  /* blocks without a bit are skipped at once */
                int64_t skipped = state.run < stop - unit ? state.run : stop - unit;
                state.run -= skipped;
                state.length += skipped;
                state.block += skipped;
                unit += (ptrdiff_t) skipped;
            } else if (!read_unit(&state, unit++)) {
                return 0;
            }
        }
        if (state.run) return 0;
        positions[interval] = state.position;
    }
    return 1;
}
