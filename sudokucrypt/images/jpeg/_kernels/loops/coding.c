/* The tokens of a scan from its blocks, counted or written as bits. */

#include "scan.h"

/* Values whose tokens are looked up: all that 8 bits of samples usually give. */
enum { USUAL = 512 };

typedef struct {
    scan *work;
    int64_t length, corrections, block;
    ptrdiff_t slot;
    int32_t previous[COMPONENTS];
    uint32_t usual[2 * USUAL];
} writer;

static inline int count_value_bits(uint32_t value) { return value ? find_highest(value) + 1 : 0; }

/* The token of a value of s bits: s and these bits; of a negative one, those of the value less one. */
static inline uint32_t make_token(int32_t value) {
    uint32_t size = (uint32_t) count_value_bits((uint32_t) get_magnitude(value));
    uint32_t bits = (uint32_t) (value + (value >> 31)) & (((uint32_t) 1 << size) - 1);
    return size << 20 | size << 15 | bits;
}

static inline uint32_t make_value_token(const writer *state, uint32_t table, int zeros, int32_t value) {
    uint32_t index = (uint32_t) (value + USUAL);
    return table | (uint32_t) zeros << 24 | (index < 2 * USUAL ? state->usual[index] : make_token(value));
}

static inline void add_token(scan *work, uint32_t token) { work->tokens[work->used++] = token; }

/* Bits without a symbol, collected one by one. */
typedef struct {
    uint32_t value, count;
} raw_bits;

static inline void flush_raw_bits(scan *work, raw_bits *raw) {
    if (raw->count) add_token(work, RAW | raw->count << 15 | raw->value);
    raw->value = raw->count = 0;
}

/* A run of ends of block is one token, which is filled in when its length is known. */
static inline void open_run(writer *state, uint32_t table) {
    state->slot = state->work->used;
    state->length = 1;
    state->corrections = 0;
    add_token(state->work, table);
}

static inline void close_run(writer *state) {
    if (state->length) {
        uint32_t size = (uint32_t) count_value_bits((uint32_t) state->length) - 1;
        uint32_t more = (uint32_t) state->length - ((uint32_t) 1 << size);
        state->work->tokens[state->slot] |= size << 24 | size << 15 | more;
        state->length = state->corrections = 0;
    }
}

/* Add a block to the run, or begin another where the run is full, or where the list of breaks says that
   whoever wrote the scan did not do as we would: so what was read is written bit by bit the same. */
static inline void continue_run(writer *state, uint32_t table) {
    int is_listed = state->work->breaks[state->work->listed] == state->block;
    int must_stop = state->corrections > MOST_CORRECTIONS || state->length >= state->work->longest;
    state->work->listed += is_listed;
    if (!state->length || state->length == LONGEST_RUN || must_stop != is_listed) {
        close_run(state);
        open_run(state, table);
        return;
    }
    state->length++;
    if (must_stop) state->corrections = 0;
}

static inline void write_dc(writer *state, int index, const int16_t *block) {
    int32_t value = block[0] >> state->work->low;
    uint32_t table = state->work->parts[index].numbers[0];
    add_token(state->work, make_value_token(state, table, 0, value - state->previous[index]));
    state->previous[index] = value;
}

/* Append what is not zero of a band; return the index of the last one that was. */
static inline int write_ac(
    writer *state, uint32_t table, const int16_t *block, int first, int last, int low
) {
    uint64_t remaining = ~find_places(block, low, 0) & make_band_mask(first, last);
    uint32_t *next; /* kept apart from the scan: in a register it takes a fifth of the time less */
    int previous_place = first - 1;
    if (remaining && state->length) close_run(state);
    next = state->work->tokens + state->work->used;
    for (; remaining; remaining &= remaining - 1) {
        int place = find_lowest(remaining), zeros = place - previous_place - 1;
        int32_t value = get_magnitude(block[place]) >> low;
        for (; zeros > 15; zeros -= 16) *next++ = table | (uint32_t) 15 << 24;
        *next++ = make_value_token(state, table, zeros, block[place] > 0 ? value : -value);
        previous_place = place;
    }
    state->work->used = next - state->work->tokens;
    return previous_place;
}

/* The bits of corrections follow the symbol of the next new coefficient, in whose run of zeros they lie;
   so they wait until it is known. Those behind the last one follow the end of the block. */
static inline void write_refined(writer *state, uint32_t table, const int16_t *block) {
    scan *work = state->work;
    int last = work->last, low = work->low, zeros = 0, previous_place = work->first - 1;
    uint64_t band = make_band_mask(work->first, last), remaining = ~find_places(block, low, 0) & band;
    uint64_t new_places = find_places(block, low, 1) & band;
    raw_bits raw = {0, 0};
    if (new_places) {
        uint32_t waiting[COEFFICIENTS];
        int waiting_count = 0, newest = find_highest(new_places);
        close_run(state);
        for (; remaining & make_band_mask(0, newest); remaining &= remaining - 1) {
            int place = find_lowest(remaining), size = get_magnitude(block[place]) >> low, ready = size == 1;
            zeros += place - previous_place - 1;
            previous_place = place;
            while (zeros > 15 || ready) {
                if (zeros > 15) {
                    add_token(work, table | (uint32_t) 15 << 24);
                    zeros -= 16;
                } else {
                    add_token(work, make_value_token(state, table, zeros, block[place] > 0 ? 1 : -1));
                    zeros = ready = 0;
                }
                for (int bit = 0; bit < waiting_count; bit++) {
                    raw.value = raw.value << 1 | waiting[bit];
                    if (++raw.count == RAW_BITS) flush_raw_bits(work, &raw);
                }
                flush_raw_bits(work, &raw);
                waiting_count = 0;
            }
            if (size > 1) waiting[waiting_count++] = (uint32_t) size & 1;
        }
        if (newest == last) return;
        open_run(state, table);
    } else {
        continue_run(state, table);
    }
    for (; remaining; remaining &= remaining - 1) {
        state->corrections++;
        raw.value = raw.value << 1 | ((uint32_t) get_magnitude(block[find_lowest(remaining)]) >> low & 1);
        if (++raw.count == RAW_BITS) flush_raw_bits(work, &raw);
    }
    flush_raw_bits(work, &raw);
}

static inline void write_block(writer *state, int index, const int16_t *block) {
    scan *work = state->work;
    uint32_t table = work->parts[index].numbers[1];
    raw_bits raw = {0, 1};
    switch (work->kind) {
    case SEQUENTIAL:
        write_dc(state, index, block);
        if (write_ac(state, table, block, 1, COEFFICIENTS - 1, 0) < COEFFICIENTS - 1) add_token(work, table);
        break;
    case DC_FIRST:
        write_dc(state, index, block);
        break;
    case DC_REFINED:
        raw.value = (uint32_t) (block[0] >> work->low) & 1;
        flush_raw_bits(work, &raw);
        break;
    case AC_FIRST: {
        int previous_place = write_ac(state, table, block, work->first, work->last, work->low);
        if (previous_place < work->first) continue_run(state, table);
        else if (previous_place < work->last) open_run(state, table);
        break;
    }
    default:
        write_refined(state, table, block);
    }
    state->block++;
}

/* Room for what one unit takes at most, so that nothing below has to ask. */
static int reserve_tokens(scan *work, ptrdiff_t needed) {
    uint32_t *larger;
    if (work->capacity - work->used >= needed) return 1;
    work->capacity += work->capacity / 2 + 16 * needed;
    larger = (uint32_t *) realloc(work->tokens, (size_t) work->capacity * sizeof(uint32_t));
    if (larger) work->tokens = larger;
    return larger != NULL;
}

/* ---- Bits ---- */

/* The bits of a token are put behind fewer than 8 that wait, and all of them are written: what is
   waiting then is written again with the next. That takes no branch, of which none could be foretold.
   A token takes 31 bits at most; the target has room for 4 bytes each, and 8 more. */
static void emit_tokens(const scan *work, bit_writer *out) {
    const uint32_t *codes = out->codes; /* in registers, as the target might be any of it */
    uint8_t *position = out->target + out->used;
    uint64_t waiting_bits = out->waiting_bits;
    uint32_t bits = out->bits;
    for (ptrdiff_t place = 0; place < work->used; place++) {
        uint32_t token = work->tokens[place], entry = codes[token >> 20];
        uint32_t more = token >> 15 & 15, length = entry & 31;
        uint64_t value = (uint64_t) (entry >> 5) << more | (token & 0x7FFF);
        if (token >= END) {
            length = -bits & 7;
            value = out->padding[out->interval] & ((1u << length) - 1);
        } else if (!length && token < RAW) {
            out->lacking = 1;
        }
        bits += length + more;
        waiting_bits |= value << 1 << (63 - bits); /* in two steps, as `bits` is 0 at a whole end */
        for (int byte = 0; byte < 8; byte++) position[byte] = (uint8_t) (waiting_bits >> (56 - 8 * byte));
        position += bits >> 3;
        waiting_bits <<= bits & 0x38;
        bits &= 7;
        if (token >= END) out->ends[out->interval++] = position - out->target;
    }
    out->used = position - out->target;
    out->waiting_bits = waiting_bits, out->bits = bits;
}

/* ---- Scans ---- */

/* Tokens that wait until they are counted or become bits: few enough for a near cache. */
enum { AT_ONCE = 1 << 12 };

static int count_or_emit(scan *work, int64_t *counts, bit_writer *out) {
    if (out) {
        ptrdiff_t needed = out->used + 4 * work->used + 8;
        if (needed > out->capacity) {
            uint8_t *larger = (uint8_t *) realloc(out->target, (size_t) (needed + needed / 2));
            if (!larger) return 0;
            out->target = larger;
            out->capacity = needed + needed / 2;
        }
        emit_tokens(work, out);
    } else {
        for (ptrdiff_t place = 0; place < work->used; place++) counts[work->tokens[place] >> 20]++;
    }
    work->used = 0;
    return 1;
}

INTERNAL int write_scan(scan *work, int64_t *counts, bit_writer *out) {
    writer state;
    ptrdiff_t unit = 0, total = work->rows * work->columns;
    memset(&state, 0, sizeof state);
    state.work = work;
    for (int32_t value = -USUAL; value < USUAL; value++) state.usual[value + USUAL] = make_token(value);
    while (unit < total) {
        ptrdiff_t stop = total - unit < work->interval ? total : unit + work->interval;
        state.length = state.corrections = 0;
        memset(state.previous, 0, sizeof state.previous);
        for (; unit < stop; unit++) {
            ptrdiff_t row = unit / work->columns, column = unit % work->columns;
            for (int index = 0; index < work->count; index++) {
                const part *component = &work->parts[index];
                ptrdiff_t needed = (ptrdiff_t) MOST_OF_BLOCK * component->down * component->across;
                if (!reserve_tokens(work, needed)) return 0;
                for (int y = 0; y < component->down; y++)
                    for (int x = 0; x < component->across; x++)
                        write_block(&state, index, find_block(
                            component, row * component->down + y, column * component->across + x
                        ));
            }
            /* The token of a run that goes on is not yet known. */
            if (work->used >= AT_ONCE && !state.length && !count_or_emit(work, counts, out)) return 0;
        }
        close_run(&state);
        add_token(work, END);
    }
    return count_or_emit(work, counts, out);
}
