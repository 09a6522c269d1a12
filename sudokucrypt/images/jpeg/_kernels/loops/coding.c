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

static inline int size_of(uint32_t value) { return value ? highest(value) + 1 : 0; }

/* The token of a value of s bits: s and these bits; of a negative one, those of the value less one. */
static inline uint32_t token_of(int32_t value) {
    uint32_t size = (uint32_t) size_of((uint32_t) magnitude(value));
    uint32_t bits = (uint32_t) (value + (value >> 31)) & (((uint32_t) 1 << size) - 1);
    return size << 20 | size << 15 | bits;
}

static inline uint32_t value_token(const writer *w, uint32_t table, int zeros, int32_t value) {
    uint32_t index = (uint32_t) (value + USUAL);
    return table | (uint32_t) zeros << 24 | (index < 2 * USUAL ? w->usual[index] : token_of(value));
}

static inline void add(scan *work, uint32_t token) { work->tokens[work->used++] = token; }

/* Bits without a symbol, collected one by one. */
typedef struct {
    uint32_t value, count;
} raw_bits;

static inline void flush(scan *work, raw_bits *raw) {
    if (raw->count) add(work, RAW | raw->count << 15 | raw->value);
    raw->value = raw->count = 0;
}

/* A run of ends of block is one token, which is filled in when its length is known. */
static inline void open_run(writer *w, uint32_t table) {
    w->slot = w->work->used;
    w->length = 1;
    w->corrections = 0;
    add(w->work, table);
}

static inline void close_run(writer *w) {
    if (w->length) {
        uint32_t size = (uint32_t) size_of((uint32_t) w->length) - 1;
        uint32_t more = (uint32_t) w->length - ((uint32_t) 1 << size);
        w->work->tokens[w->slot] |= size << 24 | size << 15 | more;
        w->length = w->corrections = 0;
    }
}

/* Add a block to the run, or begin another where the run is full, or where the list of breaks says that
   whoever wrote the scan did not do as we would: so what was read is written bit by bit the same. */
static inline void go_on(writer *w, uint32_t table) {
    int listed = w->work->breaks[w->work->listed] == w->block;
    int stops = w->corrections > MOST_CORRECTIONS || w->length >= w->work->longest;
    w->work->listed += listed;
    if (!w->length || w->length == LONGEST_RUN || stops != listed) {
        close_run(w);
        open_run(w, table);
        return;
    }
    w->length++;
    if (stops) w->corrections = 0;
}

static inline void write_dc(writer *w, int index, const int16_t *block) {
    int32_t value = block[0] >> w->work->low;
    add(w->work, value_token(w, w->work->parts[index].numbers[0], 0, value - w->previous[index]));
    w->previous[index] = value;
}

/* Append what is not zero of a band; return the index of the last one that was. */
static inline int write_ac(
    writer *w, uint32_t table, const int16_t *block, int first, int last, int low
) {
    uint64_t left = ~places_of(block, low, 0) & band_of(first, last);
    uint32_t *next; /* kept apart from the scan: in a register it takes a fifth of the time less */
    int before = first - 1;
    if (left && w->length) close_run(w);
    next = w->work->tokens + w->work->used;
    for (; left; left &= left - 1) {
        int place = lowest(left), zeros = place - before - 1;
        int32_t value = magnitude(block[place]) >> low;
        for (; zeros > 15; zeros -= 16) *next++ = table | (uint32_t) 15 << 24;
        *next++ = value_token(w, table, zeros, block[place] > 0 ? value : -value);
        before = place;
    }
    w->work->used = next - w->work->tokens;
    return before;
}

/* The bits of corrections follow the symbol of the next new coefficient, in whose run of zeros they lie;
   so they wait until it is known. Those behind the last one follow the end of the block. */
static inline void write_refined(writer *w, uint32_t table, const int16_t *block) {
    scan *work = w->work;
    int last = work->last, low = work->low, zeros = 0, before = work->first - 1;
    uint64_t band = band_of(work->first, last), left = ~places_of(block, low, 0) & band;
    uint64_t fresh = places_of(block, low, 1) & band;
    raw_bits raw = {0, 0};
    if (fresh) {
        uint32_t waiting[COEFFICIENTS];
        int waits = 0, newest = highest(fresh);
        close_run(w);
        for (; left & band_of(0, newest); left &= left - 1) {
            int place = lowest(left), size = magnitude(block[place]) >> low, ready = size == 1;
            zeros += place - before - 1;
            before = place;
            while (zeros > 15 || ready) {
                if (zeros > 15) {
                    add(work, table | (uint32_t) 15 << 24);
                    zeros -= 16;
                } else {
                    add(work, value_token(w, table, zeros, block[place] > 0 ? 1 : -1));
                    zeros = ready = 0;
                }
                for (int bit = 0; bit < waits; bit++) {
                    raw.value = raw.value << 1 | waiting[bit];
                    if (++raw.count == RAW_BITS) flush(work, &raw);
                }
                flush(work, &raw);
                waits = 0;
            }
            if (size > 1) waiting[waits++] = (uint32_t) size & 1;
        }
        if (newest == last) return;
        open_run(w, table);
    } else {
        go_on(w, table);
    }
    for (; left; left &= left - 1) {
        w->corrections++;
        raw.value = raw.value << 1 | ((uint32_t) magnitude(block[lowest(left)]) >> low & 1);
        if (++raw.count == RAW_BITS) flush(work, &raw);
    }
    flush(work, &raw);
}

static inline void write_block(writer *w, int index, const int16_t *block) {
    scan *work = w->work;
    uint32_t table = work->parts[index].numbers[1];
    raw_bits raw = {0, 1};
    switch (work->kind) {
    case SEQUENTIAL:
        write_dc(w, index, block);
        if (write_ac(w, table, block, 1, COEFFICIENTS - 1, 0) < COEFFICIENTS - 1) add(work, table);
        break;
    case DC_FIRST:
        write_dc(w, index, block);
        break;
    case DC_REFINED:
        raw.value = (uint32_t) (block[0] >> work->low) & 1;
        flush(work, &raw);
        break;
    case AC_FIRST: {
        int before = write_ac(w, table, block, work->first, work->last, work->low);
        if (before < work->first) go_on(w, table);
        else if (before < work->last) open_run(w, table);
        break;
    }
    default:
        write_refined(w, table, block);
    }
    w->block++;
}

/* Room for what one unit takes at most, so that nothing below has to ask. */
static int make_room(scan *work, ptrdiff_t needed) {
    uint32_t *grown;
    if (work->room - work->used >= needed) return 1;
    work->room += work->room / 2 + 16 * needed;
    grown = (uint32_t *) realloc(work->tokens, (size_t) work->room * sizeof(uint32_t));
    if (grown) work->tokens = grown;
    return grown != NULL;
}

/* ---- Bits ---- */

/* The bits of a token are put behind fewer than 8 that wait, and all of them are written: what is
   waiting then is written again with the next. That takes no branch, of which none could be foretold.
   A token takes 31 bits at most; the target has room for 4 bytes each, and 8 more. */
static void emit(const scan *work, bit_writer *out) {
    const uint32_t *codes = out->codes; /* in registers, as the target might be any of it */
    uint8_t *at = out->target + out->used;
    uint64_t held = out->held;
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
        held |= value << 1 << (63 - bits); /* in two steps, as `bits` is 0 at a whole end */
        for (int byte = 0; byte < 8; byte++) at[byte] = (uint8_t) (held >> (56 - 8 * byte));
        at += bits >> 3;
        held <<= bits & 0x38;
        bits &= 7;
        if (token >= END) out->ends[out->interval++] = at - out->target;
    }
    out->used = at - out->target;
    out->held = held, out->bits = bits;
}

/* ---- Scans ---- */

/* Tokens that wait until they are counted or become bits: few enough for a near cache. */
enum { AT_ONCE = 1 << 12 };

static int pass_on(scan *work, int64_t *counts, bit_writer *out) {
    if (out) {
        ptrdiff_t needed = out->used + 4 * work->used + 8;
        if (needed > out->room) {
            uint8_t *grown = (uint8_t *) realloc(out->target, (size_t) (needed + needed / 2));
            if (!grown) return 0;
            out->target = grown;
            out->room = needed + needed / 2;
        }
        emit(work, out);
    } else {
        for (ptrdiff_t place = 0; place < work->used; place++) counts[work->tokens[place] >> 20]++;
    }
    work->used = 0;
    return 1;
}

INTERNAL int write_scan(scan *work, int64_t *counts, bit_writer *out) {
    writer w;
    ptrdiff_t unit = 0, total = work->rows * work->columns;
    memset(&w, 0, sizeof w);
    w.work = work;
    for (int32_t value = -USUAL; value < USUAL; value++) w.usual[value + USUAL] = token_of(value);
    while (unit < total) {
        ptrdiff_t stop = total - unit < work->interval ? total : unit + work->interval;
        w.length = w.corrections = 0;
        memset(w.previous, 0, sizeof w.previous);
        for (; unit < stop; unit++) {
            ptrdiff_t row = unit / work->columns, column = unit % work->columns;
            for (int index = 0; index < work->count; index++) {
                const part *p = &work->parts[index];
                if (!make_room(work, (ptrdiff_t) MOST_OF_BLOCK * p->down * p->across)) return 0;
                for (int y = 0; y < p->down; y++)
                    for (int x = 0; x < p->across; x++)
                        write_block(
                            &w, index, block_at(p, row * p->down + y, column * p->across + x)
                        );
            }
            /* The token of a run that goes on is not yet known. */
            if (work->used >= AT_ONCE && !w.length && !pass_on(work, counts, out)) return 0;
        }
        close_run(&w);
        add(work, END);
    }
    return pass_on(work, counts, out);
}
