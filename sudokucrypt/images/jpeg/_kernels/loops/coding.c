/* The tokens of a scan from its blocks, and the bits of tokens. */

#include "scan.h"

typedef struct {
    scan *work;
    int64_t length, corrections, block;
    ptrdiff_t slot;
    int32_t previous[COMPONENTS];
} writer;

static inline void add(scan *work, uint32_t token) { work->tokens[work->used++] = token; }

static inline int size_of(uint32_t value) {
#if defined(__GNUC__)
    return value ? 32 - __builtin_clz(value) : 0;
#else
    int size = 0;
    for (; value; value >>= 1) size++;
    return size;
#endif
}

/* A value of s bits is s and these bits; of a negative one, those of the value less one. */
static inline void add_value(scan *work, uint32_t table, int zeros, int32_t value) {
    uint32_t size = (uint32_t) size_of((uint32_t) magnitude(value));
    uint32_t bits = (uint32_t) (value + (value >> 31)) & (((uint32_t) 1 << size) - 1);
    add(work, table | (uint32_t) zeros << 24 | size << 20 | size << 15 | bits);
}

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
    add_value(w->work, w->work->parts[index].numbers[0], 0, value - w->previous[index]);
    w->previous[index] = value;
}

/* Append what is not zero of a band; return the index of the last one that was. */
static inline int write_ac(
    writer *w, uint32_t table, const int16_t *block, int first, int last, int low
) {
    int before = first - 1;
    for (int place = first; place <= last; place++) {
        int32_t value;
        int zeros;
        if (!block[place]) {
            while (place + 4 <= last && four_zeros(block + place + 1)) place += 4;
            continue;
        }
        value = magnitude(block[place]) >> low;
        if (!value) continue;
        if (w->length) close_run(w);
        for (zeros = place - before - 1; zeros > 15; zeros -= 16)
            add(w->work, table | (uint32_t) 15 << 24);
        add_value(w->work, table, zeros, block[place] > 0 ? value : -value);
        before = place;
    }
    return before;
}

/* The bits of corrections follow the symbol of the next new coefficient, in whose run of zeros they lie;
   so they wait until it is known. Those behind the last one follow the end of the block. */
static inline void write_refined(writer *w, uint32_t table, const int16_t *block) {
    scan *work = w->work;
    int first = work->first, last = work->last, low = work->low, newest = last, zeros = 0;
    raw_bits raw = {0, 0};
    ptrdiff_t place;
    while (newest >= first && magnitude(block[newest]) >> low != 1) newest--;
    if (newest >= first) {
        uint32_t waiting[COEFFICIENTS];
        int waits = 0;
        close_run(w);
        for (place = first; place <= newest; place++) {
            int size = magnitude(block[place]) >> low, ready = size == 1;
            if (!size) {
                zeros++;
                continue;
            }
            while (zeros > 15 || ready) {
                if (zeros > 15) {
                    add(work, table | (uint32_t) 15 << 24);
                    zeros -= 16;
                } else {
                    add_value(work, table, zeros, block[place] > 0 ? 1 : -1);
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
    for (place = newest + 1; place <= last; place++) {
        int size = magnitude(block[place]) >> low;
        if (size < 2) continue;
        w->corrections++;
        raw.value = raw.value << 1 | ((uint32_t) size & 1);
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

INTERNAL int tokenize_scan(scan *work) {
    writer w;
    ptrdiff_t unit = 0, total = work->rows * work->columns;
    memset(&w, 0, sizeof w);
    w.work = work;
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
        }
        close_run(&w);
        add(work, END);
    }
    return 1;
}

/* ---- Bits ---- */

/* Bits are collected in a word and written 32 at a time; the target has room for 4 bytes a token. */
INTERNAL int emit_tokens(
    const uint32_t *tokens, ptrdiff_t count, const uint32_t *codes, const uint8_t *padding,
    uint8_t *target, int64_t *ends
) {
    uint64_t held = 0;
    uint8_t *at = target;
    int bits = 0, interval = 0; /* fewer than 32 bits are held between tokens */
    for (ptrdiff_t place = 0; place < count; place++) {
        uint32_t token = tokens[place], entry = codes[token >> 20];
        uint32_t more = token >> 15 & 15, length = entry & 31;
        if (!length && token < RAW) return 0;
        held = held << (length + more) | (uint64_t) (entry >> 5) << more | (token & 0x7FFF);
        bits += (int) (length + more);
        if (token >= END) {
            int missing = -bits & 7;
            held = held << missing | (padding[interval] & ((1u << missing) - 1));
            for (bits += missing; bits; *at++ = (uint8_t) (held >> bits)) bits -= 8;
            ends[interval++] = at - target;
        } else if (bits >= 32) {
            uint32_t word = (uint32_t) (held >> (bits - 32));
            at[0] = (uint8_t) (word >> 24);
            at[1] = (uint8_t) (word >> 16);
            at[2] = (uint8_t) (word >> 8);
            at[3] = (uint8_t) word;
            at += 4;
            bits -= 32;
        }
    }
    return 1;
}
