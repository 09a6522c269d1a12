/* The loops of a fused pass; `fused_pass.h` says what its steps are.

   Strip to columns and columns to boxes are transpositions, done in squares of 16 bytes a side with
   vectors: a square is loaded row by row, turned in registers, and stored column by column, where a
   copy unit by unit would touch a new cache line for each. The way back is the same in reverse.
   Columns hold units of 1, 2, 4 or 8 bytes, so one of 3 or 6 bytes takes 4 or 8 there; other sizes
   are copied as they are. */

#include "fused_pass.h"
#include "gathering.h"

/* Where the memory of a stack begins in the picture, and how many bytes its pieces lie apart in a band. */
INLINE ptrdiff_t strip_start(const fused_pass* t, ptrdiff_t stack) {
    return stack * (t->banded ? t->n : t->q) * t->size;
}

INLINE ptrdiff_t strip_step(const fused_pass* t) { return (t->banded ? t->q : t->n) * t->size; }

/* Whether a picture is too large for the caches near a core, so that fetching ahead pays: from 4 MiB
   on, measured; below, the requests cost more than they save. */
INLINE int is_large(const fused_pass* t) { return t->n * t->n * t->size > (ptrdiff_t)1 << 22; }

/* ---- The four steps, unit by unit, for sizes without vectors and strips too narrow for them ---- */

static void strip_to_columns_any(const fused_pass* t, byte* strip, ptrdiff_t step) {
    const ptrdiff_t stride = column_stride(t), size = t->size;
    for (ptrdiff_t k = 0; k < t->n; k++) {
        const byte* row = strip + t->rows[k] * step;
        for (ptrdiff_t c = 0; c < t->q; c++)
            memcpy(t->columns + c * stride + k * t->width, row + c * size, size);
    }
}

static void columns_to_strip_any(const fused_pass* t, byte* strip, ptrdiff_t step) {
    const ptrdiff_t size = t->size;
    for (ptrdiff_t k = 0; k < t->n; k++) {
        byte* row = strip + t->rows[k] * step;
        for (ptrdiff_t c = 0; c < t->q; c++)
            memcpy(row + c * size, unit_of(t->in_strip + c, t->n, k, t->width), size);
    }
}

static void columns_to_boxes_any(const fused_pass* t) {
    const ptrdiff_t width = t->width;
    for (ptrdiff_t at = 0; at < t->q; at++)
        for (ptrdiff_t k = 0; k < t->n; k++)
            memcpy(t->slots[k] + at * width, unit_of(t->in_boxes + at, t->n, k, width), width);
}

static void boxes_to_columns_any(const fused_pass* t) {
    const ptrdiff_t width = t->width;
    for (ptrdiff_t at = 0; at < t->q; at++)
        for (ptrdiff_t k = 0; k < t->n; k++)
            memcpy(unit_of(t->in_boxes + at, t->n, k, width), t->slots[k] + at * width, width);
}

/* ---- The same with vectors: a square has 16 / width units a side ----

   Squares at the end lie over others, which writes some units twice but needs no other loop for what
   is left. Macros, since the byte shuffle needs an attribute of its own. */

#ifdef VECTORS
/* Rows of a strip lie anywhere in the picture: three squares ahead is about as long as memory takes. */
#define STRIP_TO_COLUMNS(SIZE, WIDTH, attribute, LOAD)                                             \
attribute static void strip_to_columns_##SIZE(const fused_pass* t, byte* strip, ptrdiff_t step) {  \
    enum { SIDE = 16 / WIDTH };                                                                    \
    const ptrdiff_t stride = column_stride(t), n = t->n, q = t->q;                                 \
    for (ptrdiff_t next = 0; next < n; next += SIDE) {                                             \
        const ptrdiff_t k = next + SIDE <= n ? next : n - SIDE;                                    \
        const byte* row[SIDE];                                                                     \
        for (int i = 0; i < SIDE; i++) {                                                           \
            row[i] = strip + t->rows[k + i] * step;                                                \
            const ptrdiff_t ahead = k + i + 3 * SIDE < n ? k + i + 3 * SIDE : n - 1;               \
            const byte* soon = strip + t->rows[ahead] * step;                                      \
            FETCH(soon + q * SIZE, q * SIZE, 0);                                                   \
        }                                                                                          \
        for (ptrdiff_t to = 0; to < q; to += SIDE) {                                               \
            const ptrdiff_t c = to + SIDE <= q ? to : q - SIDE;                                    \
            vector v[16];                                                                          \
            for (int i = 0; i < SIDE; i++) v[i] = LOAD(row[i] + c * SIZE);                         \
            transpose(v, WIDTH);                                                                   \
            byte* column = t->columns + c * stride + k * WIDTH;                                    \
            for (int i = 0; i < SIDE; i++) store16(column + i * stride, v[i]);                     \
        }                                                                                          \
    }                                                                                              \
}

/* The surplus of a square that is stored in whole vectors is written over by the next one; the last
   square of a row is stored to size, as what lies behind it may belong to another thread. */
#define COLUMNS_TO_STRIP(SIZE, WIDTH, attribute, STORE)                                            \
attribute static void columns_to_strip_##SIZE(const fused_pass* t, byte* strip, ptrdiff_t step) {  \
    enum { SIDE = 16 / WIDTH };                                                                    \
    const ptrdiff_t n = t->n, q = t->q;                                                            \
    for (ptrdiff_t next = 0; next < n; next += SIDE) {                                             \
        const ptrdiff_t k = next + SIDE <= n ? next : n - SIDE;                                    \
        for (int i = 0; i < SIDE; i++) {                                                           \
            const ptrdiff_t ahead = k + i + 3 * SIDE < n ? k + i + 3 * SIDE : n - 1;               \
            byte* soon = strip + t->rows[ahead] * step;                                            \
            FETCH(soon + q * SIZE, q * SIZE, 1);                                                   \
            __builtin_prefetch(soon, 1);                                                           \
        }                                                                                          \
        for (ptrdiff_t to = 0; to < q; to += SIDE) {                                               \
            const ptrdiff_t c = to + SIDE <= q ? to : q - SIDE;                                    \
            vector v[16];                                                                          \
            for (int i = 0; i < SIDE; i++)                                                         \
                v[i] = load16(unit_of(t->in_strip + c + i, n, k, WIDTH));                          \
            transpose(v, WIDTH);                                                                   \
            if (c * SIZE + 16 <= q * SIZE) for (int i = 0; i < SIDE; i++)                          \
                STORE(16, strip + t->rows[k + i] * step + c * SIZE, v[i]);                         \
            else for (int i = 0; i < SIDE; i++)                                                    \
                STORE(12, strip + t->rows[k + i] * step + c * SIZE, v[i]);                         \
        }                                                                                          \
    }                                                                                              \
}

#define SPREAD_3(from) shuffle_bytes(load12(from), load16(SPREAD[0]))
#define SPREAD_6(from) shuffle_bytes(load12(from), load16(SPREAD[1]))
#define PACK_3(bytes, to, v) store##bytes(to, shuffle_bytes(v, load16(PACK[0])))
#define PACK_6(bytes, to, v) store##bytes(to, shuffle_bytes(v, load16(PACK[1])))
#define EVEN(bytes, to, v) store16(to, v)

STRIP_TO_COLUMNS(1, 1, NOTHING, load16)
STRIP_TO_COLUMNS(2, 2, NOTHING, load16)
STRIP_TO_COLUMNS(3, 4, WITH_BYTE_SHUFFLE, SPREAD_3)
STRIP_TO_COLUMNS(4, 4, NOTHING, load16)
STRIP_TO_COLUMNS(6, 8, WITH_BYTE_SHUFFLE, SPREAD_6)
STRIP_TO_COLUMNS(8, 8, NOTHING, load16)
COLUMNS_TO_STRIP(1, 1, NOTHING, EVEN)
COLUMNS_TO_STRIP(2, 2, NOTHING, EVEN)
COLUMNS_TO_STRIP(3, 4, WITH_BYTE_SHUFFLE, PACK_3)
COLUMNS_TO_STRIP(4, 4, NOTHING, EVEN)
COLUMNS_TO_STRIP(6, 8, WITH_BYTE_SHUFFLE, PACK_6)
COLUMNS_TO_STRIP(8, 8, NOTHING, EVEN)

/* The q units of a place of the rotated columns lie side by side in a box. */
INLINE void columns_and_boxes(const fused_pass* t, const int undo, const int width) {
    const int side = 16 / width;
    const ptrdiff_t n = t->n, q = t->q;
    for (ptrdiff_t next = 0; next < n; next += side) {
        const ptrdiff_t k = next + side <= n ? next : n - side;
        byte** const slots = t->slots + k;
        for (ptrdiff_t to = 0; to < q; to += side) {
            const ptrdiff_t at = to + side <= q ? to : q - side;
            const rotated* columns = t->in_boxes + at;
            vector v[16];
            if (undo) {
                for (int i = 0; i < side; i++) v[i] = load16(slots[i] + at * width);
                transpose(v, width);
                for (int i = 0; i < side; i++) store16(columns[i].first + k * width, v[i]);
            } else {
                for (int i = 0; i < side; i++) v[i] = load16(unit_of(columns + i, n, k, width));
                transpose(v, width);
                for (int i = 0; i < side; i++) store16(slots[i] + at * width, v[i]);
            }
        }
    }
}

#define COLUMNS_AND_BOXES(WIDTH)                                                                   \
static void columns_to_boxes_##WIDTH(const fused_pass* t) { columns_and_boxes(t, 0, WIDTH); }      \
static void boxes_to_columns_##WIDTH(const fused_pass* t) { columns_and_boxes(t, 1, WIDTH); }

COLUMNS_AND_BOXES(1)
COLUMNS_AND_BOXES(2)
COLUMNS_AND_BOXES(4)
COLUMNS_AND_BOXES(8)
#endif

/* ---- One table says which loops serve which size ---- */

typedef struct {
    ptrdiff_t size;
    void (*strip_to_columns)(const fused_pass*, byte* strip, ptrdiff_t step);
    void (*columns_to_boxes)(const fused_pass*);
    void (*boxes_to_columns)(const fused_pass*);
    void (*columns_to_strip)(const fused_pass*, byte* strip, ptrdiff_t step);
} loops;

#define LOOPS(SIZE, WIDTH)                                                                         \
    {SIZE, strip_to_columns_##SIZE, columns_to_boxes_##WIDTH, boxes_to_columns_##WIDTH,            \
     columns_to_strip_##SIZE}

static const loops ANY_SIZE = {
    0, strip_to_columns_any, columns_to_boxes_any, boxes_to_columns_any, columns_to_strip_any
};

/* The loops for the units of a pass: with vectors if a row of a strip fills one, and if the processor
   can take apart what 3 and 6 bytes are packed to. */
static const loops* loops_of(const fused_pass* t) {
#ifdef VECTORS
    static const loops VECTOR_LOOPS[] = {
        LOOPS(1, 1), LOOPS(2, 2), LOOPS(3, 4), LOOPS(4, 4), LOOPS(6, 8), LOOPS(8, 8)
    };
    if (t->q * t->width >= 16 && (t->size == t->width || has_byte_shuffle()))
        for (size_t i = 0; i < sizeof VECTOR_LOOPS / sizeof *VECTOR_LOOPS; i++)
            if (VECTOR_LOOPS[i].size == t->size) return &VECTOR_LOOPS[i];
#endif
    return &ANY_SIZE;
}

/* ---- Rows of pictures ---- */

/* Row `band` p + `stack` of a picture in pieces of q units: side by side, or one below the other. */
INLINE memory row_of(
    const fused_pass* t, const byte* picture, ptrdiff_t stack, ptrdiff_t band, int below
) {
    const ptrdiff_t p = t->p, length = t->q * t->size, row = t->n * t->size;
    const byte* first = picture + band * p * row;
    return below ? (memory){first + stack * length, p, length, row}
                 : (memory){first + stack * row, p, length, length};
}

/* Gather that row of the target from a box; `soon` is what is read next. */
static void write_row(
    const fused_pass* t, byte* target, const byte* box, ptrdiff_t stack, ptrdiff_t band, int below,
    memory soon
) {
    const memory row = row_of(t, target, stack, band, below);
    gathering g = {t->outer, t->inner, 1, t->n, 0, t->wide, t->joined, soon};
    if (below || is_large(t)) g.pieces = row.pieces, g.length = t->q, g.jump = row.jump;
    gather((byte*)row.first, box, &g, t->shifts[band * t->p + stack], t->size, t->width);
}

/* Copy that row of the source into one piece. */
static void copy_row(
    const fused_pass* t, byte* held, const byte* source, ptrdiff_t stack, ptrdiff_t band, int below
) {
    const memory row = row_of(t, source, stack, band, below);
    if (!below) memcpy(held, row.first, t->n * t->size);
    else
        for (ptrdiff_t piece = 0; piece < row.pieces; piece++)
            memcpy(held + piece * row.bytes, row.first + piece * row.jump, row.bytes);
}

/* What is gathered is copied before, so source and target may be one picture: a row at a time, or a
   band, where its rows have their pieces one below the other before or after. */
INTERNAL void move_bands(
    const fused_pass* t, const byte* source, byte* target, ptrdiff_t start, ptrdiff_t stop, int undo
) {
    const ptrdiff_t p = t->p, row = t->n * t->size, step = t->banded ? row : 0;
    for (ptrdiff_t band = start; band < stop; band++) {
        for (ptrdiff_t stack = 0; t->banded && stack < p; stack++)
            copy_row(t, t->held + stack * row, source, stack, band, undo);
        for (ptrdiff_t stack = 0; stack < p; stack++) {
            const int last = band + 1 == stop && (t->banded || stack + 1 == p);
            memory soon = row_of(t, source, stack, band, 0);
            soon.first += t->banded ? p * row : row;
            if (last || !is_large(t)) soon = (memory){0};
            if (!t->banded) copy_row(t, t->held, source, stack, band, 0);
            write_row(t, target, t->held + stack * step, stack, band, t->banded && !undo, soon);
        }
    }
}

/* ---- Stacks ---- */

/* How a band's box is divided: with a swapped grid into q pieces of q units, else into one of n;
   behind each is room for q. */
typedef struct {
    ptrdiff_t pieces, length, bytes;
} division;

INLINE division division_of(const fused_pass* t) {
    const ptrdiff_t pieces = t->swapped ? t->q : 1, length = t->n / pieces;
    return (division){pieces, length, (length + t->q) * t->width};
}

/* Point the slots of a stack at the boxes, and its rotated columns at the buffer of columns. */
static void point_at_boxes(const fused_pass* t, ptrdiff_t stack, int undo) {
    const ptrdiff_t n = t->n, q = t->q, width = t->width, stride = column_stride(t);
    const uint32_t start = t->starts[stack];
    byte* const moved = t->boxes + start * (t->swapped ? division_of(t).bytes : width);
    for (ptrdiff_t k = 0; k < n; k++)
        t->slots[k] = moved + t->offsets[k] + (start >= t->limits[k] ? t->backs[k] : 0);
    for (ptrdiff_t at = 0; at < q; at++) {
        const ptrdiff_t c = t->order[stack * q + at], turn = t->turns[stack * q + c];
        byte* column = t->columns + c * stride;
        /* Undoing, columns leave the boxes as they are, and are turned back into the strip. */
        t->in_boxes[at] = undo ? (rotated){column, 0} : (rotated){column - turn * width, turn};
        t->in_strip[c] = (rotated){column + (turn - n) * width, n - turn};
    }
}

/* Repeat the first units of each column behind it, so that a square may begin at its end. */
static void repeat_starts(const fused_pass* t) {
    const ptrdiff_t stride = column_stride(t), most = t->n < 16 ? t->n : 16;
    for (ptrdiff_t c = 0; c < t->q; c++) {
        byte* column = t->columns + c * stride;
        memcpy(column + t->n * t->width, column, most * t->width);
    }
}

/* What was written behind a piece belongs to its start. All q units of the last place are copied, the
   first of them to the room before it, as this takes no branch that depends on the key. */
static void close_boxes(const fused_pass* t, ptrdiff_t stack) {
    const ptrdiff_t q = t->q, width = t->width, start = t->starts[stack];
    const division box = division_of(t);
    for (ptrdiff_t band = 0; band < q; band++) {
        for (ptrdiff_t index = 0; index < box.pieces; index++) {
            byte* piece = t->boxes + band * band_stride(t) + index * box.bytes;
            ptrdiff_t surplus = t->surplus[band] + (t->swapped && index < start);
            surplus = surplus == q ? 0 : surplus;
            memcpy(piece + (surplus - q) * width, piece + (box.length - q + surplus) * width, q * width);
        }
    }
}

/* Fill the boxes from the rows of the source, which undoes block and row pass; what lies at the start
   of a piece stands behind its end too, where `close_boxes` had taken it from. */
static void open_boxes(const fused_pass* t, const byte* source, ptrdiff_t stack) {
    const ptrdiff_t p = t->p, q = t->q, width = t->width;
    const division box = division_of(t);
    gathering g = {t->outer, t->inner, box.pieces, box.length, box.bytes, t->wide, t->joined};
    /* Large pictures are fetched ahead with each piece, so that one of n units is cut up. */
    if (!t->swapped && is_large(t)) g.pieces = p, g.length = q, g.jump = q * width;
    for (ptrdiff_t band = 0; band < q; band++) {
        byte* first = t->boxes + band * band_stride(t);
        copy_row(t, t->held, source, stack, band, !t->banded);
        g.soon = (memory){0};
        if (band + 1 < q && is_large(t)) g.soon = row_of(t, source, stack, band + 1, !t->banded);
        gather(first, t->held, &g, t->shifts[band * p + stack], width, t->size);
        for (byte* piece = first; piece < first + box.pieces * box.bytes; piece += box.bytes)
            memcpy(piece + box.length * width, piece, q * width);
    }
}

INTERNAL void apply_stack(const fused_pass* t, const byte* source, byte* target, ptrdiff_t stack) {
    const loops* of_size = loops_of(t);
    point_at_boxes(t, stack, 0);
    of_size->strip_to_columns(t, (byte*)source + strip_start(t, stack), strip_step(t));
    repeat_starts(t);
    of_size->columns_to_boxes(t);
    close_boxes(t, stack);
    for (ptrdiff_t band = 0; band < t->q; band++) {
        memory soon = {0};
        if (t->banded && stack + 1 < t->p && is_large(t))  /* a part of the next strip */
            soon = row_of(t, source, stack + 1, band, 0);
        write_row(t, target, t->boxes + band * band_stride(t), stack, band, !t->banded, soon);
    }
}

INTERNAL void undo_stack(const fused_pass* t, const byte* source, byte* target, ptrdiff_t stack) {
    const loops* of_size = loops_of(t);
    point_at_boxes(t, stack, 1);
    open_boxes(t, source, stack);
    of_size->boxes_to_columns(t);
    repeat_starts(t);
    of_size->columns_to_strip(t, target + strip_start(t, stack), strip_step(t));
}

/* ---- The remainder behind the window ---- */

/* The partners are all known, so the one that is 32 exchanges ahead is fetched: each is a miss of the
   cache of its own, and this many are under way at once. */
INTERNAL void exchange_units(
    byte* data, ptrdiff_t size, ptrdiff_t last, const int64_t* partners, ptrdiff_t count, int undo,
    byte* held
) {
    const ptrdiff_t step = undo ? -1 : 1, first = undo ? count - 1 : 0;
    for (ptrdiff_t done = 0; done < count; done++) {
        const ptrdiff_t index = first + done * step;
        byte* one = data + (last - index) * size;
        byte* other = data + partners[index] * size;
        if (done + 32 < count) __builtin_prefetch(data + partners[index + 32 * step] * size, 1);
        if (one == other) continue;  /* memcpy may not be given the same memory twice */
        memcpy(held, one, size);
        memcpy(one, other, size);
        memcpy(other, held, size);
    }
}
