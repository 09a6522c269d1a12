/* The loops of a fused pass; `fused_pass.h` says what its steps are.

   Strip to columns and columns to boxes are transpositions, done in squares of 16 bytes a side with
   vectors: a square is loaded row by row, turned in registers, and stored column by column, where a
   copy unit by unit would touch a new cache line for each. The way back is the same in reverse.
   Columns hold units of 1, 2, 4 or 8 bytes, so one of 3 or 6 bytes takes 4 or 8 there; other sizes
   are copied as they are. */

#include "fused_pass.h"
#include "gathering.h"

/* Where the memory of a stack begins in the picture, and how many bytes its pieces lie apart in a band. */
INLINE ptrdiff_t find_strip_start(const fused_pass* pass, ptrdiff_t stack) {
    return stack * (pass->is_banded ? pass->n : pass->q) * pass->size;
}

INLINE ptrdiff_t find_strip_step(const fused_pass* pass) {
    return (pass->is_banded ? pass->q : pass->n) * pass->size;
}

/* Whether a picture is too large for the caches near a core, so that fetching ahead pays: from 4 MiB
   on, measured; below, the requests cost more than they save. */
INLINE int is_large(const fused_pass* pass) { return pass->n * pass->n * pass->size > (ptrdiff_t)1 << 22; }

/* ---- The four steps, unit by unit, for sizes without vectors and strips too narrow for them ---- */

static void strip_to_columns_any(const fused_pass* pass, byte* strip, ptrdiff_t step) {
    const ptrdiff_t stride = column_stride(pass), size = pass->size;
    for (ptrdiff_t k = 0; k < pass->n; k++) {
        const byte* row = strip + pass->rows[k] * step;
        for (ptrdiff_t c = 0; c < pass->q; c++)
            memcpy(pass->columns + c * stride + k * pass->width, row + c * size, size);
    }
}

static void columns_to_strip_any(const fused_pass* pass, byte* strip, ptrdiff_t step) {
    const ptrdiff_t size = pass->size;
    for (ptrdiff_t k = 0; k < pass->n; k++) {
        byte* row = strip + pass->rows[k] * step;
        for (ptrdiff_t c = 0; c < pass->q; c++)
            memcpy(row + c * size, find_unit(pass->in_strip + c, pass->n, k, pass->width), size);
    }
}

static void columns_to_boxes_any(const fused_pass* pass) {
    const ptrdiff_t width = pass->width;
    for (ptrdiff_t index = 0; index < pass->q; index++)
        for (ptrdiff_t k = 0; k < pass->n; k++)
            memcpy(
                pass->slots[k] + index * width, find_unit(pass->in_boxes + index, pass->n, k, width), width
            );
}

static void boxes_to_columns_any(const fused_pass* pass) {
    const ptrdiff_t width = pass->width;
    for (ptrdiff_t index = 0; index < pass->q; index++)
        for (ptrdiff_t k = 0; k < pass->n; k++)
            memcpy(
                find_unit(pass->in_boxes + index, pass->n, k, width), pass->slots[k] + index * width, width
            );
}

/* ---- The same with vectors: a square has 16 / width units a side ----

   Squares at the end lie over others, which writes some units twice but needs no other loop for what
   is left. Macros, since the byte shuffle needs an attribute of its own. */

#ifdef VECTORS
/* Rows of a strip lie anywhere in the picture: three squares ahead is about as long as memory takes. */
#define STRIP_TO_COLUMNS(SIZE, WIDTH, attribute, LOAD)                                             \
attribute static void strip_to_columns_##SIZE(const fused_pass* pass, byte* strip, ptrdiff_t step) { \
    enum { SIDE = 16 / WIDTH };                                                                    \
    const ptrdiff_t stride = column_stride(pass), n = pass->n, q = pass->q;                        \
    for (ptrdiff_t next_place = 0; next_place < n; next_place += SIDE) {                           \
        const ptrdiff_t k = next_place + SIDE <= n ? next_place : n - SIDE;                        \
        const byte* row[SIDE];                                                                     \
        for (int i = 0; i < SIDE; i++) {                                                           \
            row[i] = strip + pass->rows[k + i] * step;                                             \
            const ptrdiff_t ahead = k + i + 3 * SIDE < n ? k + i + 3 * SIDE : n - 1;               \
            const byte* upcoming = strip + pass->rows[ahead] * step;                               \
            FETCH(upcoming + q * SIZE, q * SIZE, 0);                                               \
        }                                                                                          \
        for (ptrdiff_t next_column = 0; next_column < q; next_column += SIDE) {                    \
            const ptrdiff_t c = next_column + SIDE <= q ? next_column : q - SIDE;                  \
            vector v[16];                                                                          \
            for (int i = 0; i < SIDE; i++) v[i] = LOAD(row[i] + c * SIZE);                         \
            transpose(v, WIDTH);                                                                   \
            byte* column = pass->columns + c * stride + k * WIDTH;                                 \
            for (int i = 0; i < SIDE; i++) store16(column + i * stride, v[i]);                     \
        }                                                                                          \
    }                                                                                              \
}

/* The surplus of a square that is stored in whole vectors is written over by the next one; the last
   square of a row is stored to size, as what lies behind it may belong to another thread. */
#define COLUMNS_TO_STRIP(SIZE, WIDTH, attribute, STORE)                                            \
attribute static void columns_to_strip_##SIZE(const fused_pass* pass, byte* strip, ptrdiff_t step) { \
    enum { SIDE = 16 / WIDTH };                                                                    \
    const ptrdiff_t n = pass->n, q = pass->q;                                                      \
    for (ptrdiff_t next_place = 0; next_place < n; next_place += SIDE) {                           \
        const ptrdiff_t k = next_place + SIDE <= n ? next_place : n - SIDE;                        \
        for (int i = 0; i < SIDE; i++) {                                                           \
            const ptrdiff_t ahead = k + i + 3 * SIDE < n ? k + i + 3 * SIDE : n - 1;               \
            byte* upcoming = strip + pass->rows[ahead] * step;                                     \
            FETCH(upcoming + q * SIZE, q * SIZE, 1);                                               \
            __builtin_prefetch(upcoming, 1);                                                       \
        }                                                                                          \
        for (ptrdiff_t next_column = 0; next_column < q; next_column += SIDE) {                    \
            const ptrdiff_t c = next_column + SIDE <= q ? next_column : q - SIDE;                  \
            vector v[16];                                                                          \
            for (int i = 0; i < SIDE; i++)                                                         \
                v[i] = load16(find_unit(pass->in_strip + c + i, n, k, WIDTH));                     \
            transpose(v, WIDTH);                                                                   \
            if (c * SIZE + 16 <= q * SIZE) for (int i = 0; i < SIDE; i++)                          \
                STORE(16, strip + pass->rows[k + i] * step + c * SIZE, v[i]);                      \
            else for (int i = 0; i < SIDE; i++)                                                    \
                STORE(12, strip + pass->rows[k + i] * step + c * SIZE, v[i]);                      \
        }                                                                                          \
    }                                                                                              \
}

#define SPREAD_3(from) shuffle_bytes(load12(from), load16(SPREAD[0]))
#define SPREAD_6(from) shuffle_bytes(load12(from), load16(SPREAD[1]))
#define PACK_3(bytes, target, v) store##bytes(target, shuffle_bytes(v, load16(PACK[0])))
#define PACK_6(bytes, target, v) store##bytes(target, shuffle_bytes(v, load16(PACK[1])))
#define EVEN(bytes, target, v) store16(target, v)

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
INLINE void copy_columns_and_boxes(const fused_pass* pass, const int undo, const int width) {
    const int side = 16 / width;
    const ptrdiff_t n = pass->n, q = pass->q;
    for (ptrdiff_t next_place = 0; next_place < n; next_place += side) {
        const ptrdiff_t k = next_place + side <= n ? next_place : n - side;
        byte** const slots = pass->slots + k;
        for (ptrdiff_t next_column = 0; next_column < q; next_column += side) {
            const ptrdiff_t index = next_column + side <= q ? next_column : q - side;
            const rotated* columns = pass->in_boxes + index;
            vector v[16];
            if (undo) {
                for (int i = 0; i < side; i++) v[i] = load16(slots[i] + index * width);
                transpose(v, width);
                for (int i = 0; i < side; i++) store16(columns[i].first + k * width, v[i]);
            } else {
                for (int i = 0; i < side; i++) v[i] = load16(find_unit(columns + i, n, k, width));
                transpose(v, width);
                for (int i = 0; i < side; i++) store16(slots[i] + index * width, v[i]);
            }
        }
    }
}

#define COLUMNS_AND_BOXES(WIDTH)                                                                   \
static void columns_to_boxes_##WIDTH(const fused_pass* pass) { copy_columns_and_boxes(pass, 0, WIDTH); } \
static void boxes_to_columns_##WIDTH(const fused_pass* pass) { copy_columns_and_boxes(pass, 1, WIDTH); }

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
static const loops* choose_loops(const fused_pass* pass) {
#ifdef VECTORS
    static const loops VECTOR_LOOPS[] = {
        LOOPS(1, 1), LOOPS(2, 2), LOOPS(3, 4), LOOPS(4, 4), LOOPS(6, 8), LOOPS(8, 8)
    };
    if (pass->q * pass->width >= 16 && (pass->size == pass->width || has_byte_shuffle()))
        for (size_t i = 0; i < sizeof VECTOR_LOOPS / sizeof *VECTOR_LOOPS; i++)
            if (VECTOR_LOOPS[i].size == pass->size) return &VECTOR_LOOPS[i];
#endif
    return &ANY_SIZE;
}

/* ---- Rows of pictures ---- */

/* Row `band` p + `stack` of a picture in pieces of q units: side by side, or one below the other. */
INLINE memory find_row(
    const fused_pass* pass, const byte* picture, ptrdiff_t stack, ptrdiff_t band, int below
) {
    const ptrdiff_t p = pass->p, length = pass->q * pass->size, row = pass->n * pass->size;
    const byte* first = picture + band * p * row;
    return below ? (memory){first + stack * length, p, length, row}
                 : (memory){first + stack * row, p, length, length};
}

/* Gather that row of the target from a box; `upcoming` is what is read next. */
static void write_row(
    const fused_pass* pass, byte* target, const byte* box, ptrdiff_t stack, ptrdiff_t band, int below,
    memory upcoming
) {
    const memory row = find_row(pass, target, stack, band, below);
    gathering task = {
        pass->outer_table, pass->inner_table, 1, pass->n, 0, pass->is_wide, pass->has_row_pass, upcoming
    };
    if (below || is_large(pass))
        task.pieces = row.pieces, task.length = pass->q, task.distance = row.distance;
    gather((byte*)row.first, box, &task, pass->shifts[band * pass->p + stack], pass->size, pass->width);
}

/* Copy that row of the source into one piece. */
static void copy_row(
    const fused_pass* pass, byte* row_buffer, const byte* source, ptrdiff_t stack, ptrdiff_t band, int below
) {
    const memory row = find_row(pass, source, stack, band, below);
    if (!below) memcpy(row_buffer, row.first, pass->n * pass->size);
    else
        for (ptrdiff_t piece = 0; piece < row.pieces; piece++)
            memcpy(row_buffer + piece * row.bytes, row.first + piece * row.distance, row.bytes);
}

/* What is gathered is copied before, so source and target may be one picture: a row at a time, or a
   band, where its rows have their pieces one below the other before or after. */
INTERNAL void move_bands(
    const fused_pass* pass, const byte* source, byte* target, ptrdiff_t start, ptrdiff_t stop, int undo
) {
    const ptrdiff_t p = pass->p, row = pass->n * pass->size, step = pass->is_banded ? row : 0;
    for (ptrdiff_t band = start; band < stop; band++) {
        for (ptrdiff_t stack = 0; pass->is_banded && stack < p; stack++)
            copy_row(pass, pass->row_buffer + stack * row, source, stack, band, undo);
        for (ptrdiff_t stack = 0; stack < p; stack++) {
            const int last = band + 1 == stop && (pass->is_banded || stack + 1 == p);
            memory upcoming = find_row(pass, source, stack, band, 0);
            upcoming.first += pass->is_banded ? p * row : row;
            if (last || !is_large(pass)) upcoming = (memory){0};
            if (!pass->is_banded) copy_row(pass, pass->row_buffer, source, stack, band, 0);
            const byte* box = pass->row_buffer + stack * step;
            write_row(pass, target, box, stack, band, pass->is_banded && !undo, upcoming);
        }
    }
}

/* ---- Stacks ---- */

/* How a band's box is divided: with a swapped grid into q pieces of q units, else into one of n;
   behind each is room for q. */
typedef struct {
    ptrdiff_t pieces, length, bytes;
} division;

INLINE division divide_box(const fused_pass* pass) {
    const ptrdiff_t pieces = pass->is_swapped ? pass->q : 1, length = pass->n / pieces;
    return (division){pieces, length, (length + pass->q) * pass->width};
}

/* Point the slots of a stack at the boxes, and its rotated columns at the buffer of columns. */
static void point_at_boxes(const fused_pass* pass, ptrdiff_t stack, int undo) {
    const ptrdiff_t n = pass->n, q = pass->q, width = pass->width, stride = column_stride(pass);
    const uint32_t start = pass->stack_starts[stack];
    byte* const moved = pass->boxes + start * (pass->is_swapped ? divide_box(pass).bytes : width);
    for (ptrdiff_t k = 0; k < n; k++)
        pass->slots[k] = moved + pass->offsets[k] + (start >= pass->limits[k] ? pass->back_offsets[k] : 0);
    for (ptrdiff_t index = 0; index < q; index++) {
        const ptrdiff_t c = pass->order[stack * q + index], rotation = pass->rotations[stack * q + c];
        byte* column = pass->columns + c * stride;
        /* Undoing, columns leave the boxes as they are, and are turned back into the strip. */
        pass->in_boxes[index] = undo ? (rotated){column, 0} : (rotated){column - rotation * width, rotation};
        pass->in_strip[c] = (rotated){column + (rotation - n) * width, n - rotation};
    }
}

/* Repeat the first units of each column behind it, so that a square may begin at its end. */
static void repeat_first_units(const fused_pass* pass) {
    const ptrdiff_t stride = column_stride(pass), repeated = pass->n < 16 ? pass->n : 16;
    for (ptrdiff_t c = 0; c < pass->q; c++) {
        byte* column = pass->columns + c * stride;
        memcpy(column + pass->n * pass->width, column, repeated * pass->width);
    }
}

/* What was written behind a piece belongs to its start. All q units of the last place are copied, the
   first of them to the room before it, as this takes no branch that depends on the key. */
static void close_boxes(const fused_pass* pass, ptrdiff_t stack) {
    const ptrdiff_t q = pass->q, width = pass->width, start = pass->stack_starts[stack];
    const division box = divide_box(pass);
    for (ptrdiff_t band = 0; band < q; band++) {
        for (ptrdiff_t piece_index = 0; piece_index < box.pieces; piece_index++) {
            byte* piece = pass->boxes + band * band_stride(pass) + piece_index * box.bytes;
            ptrdiff_t surplus = pass->surplus[band] + (pass->is_swapped && piece_index < start);
            surplus = surplus == q ? 0 : surplus;
            memcpy(piece + (surplus - q) * width, piece + (box.length - q + surplus) * width, q * width);
        }
    }
}

/* Fill the boxes from the rows of the source, which undoes block and row pass; what lies at the start
   of a piece stands behind its end too, where `close_boxes` had taken it from. */
static void open_boxes(const fused_pass* pass, const byte* source, ptrdiff_t stack) {
    const ptrdiff_t p = pass->p, q = pass->q, width = pass->width;
    const division box = divide_box(pass);
    gathering task = {
        pass->outer_table, pass->inner_table, box.pieces, box.length, box.bytes, pass->is_wide,
        pass->has_row_pass
    };
    /* Large pictures are fetched ahead with each piece, so that one of n units is cut up. */
    if (!pass->is_swapped && is_large(pass)) task.pieces = p, task.length = q, task.distance = q * width;
    for (ptrdiff_t band = 0; band < q; band++) {
        byte* first = pass->boxes + band * band_stride(pass);
        copy_row(pass, pass->row_buffer, source, stack, band, !pass->is_banded);
        task.upcoming = (memory){0};
        if (band + 1 < q && is_large(pass))
            task.upcoming = find_row(pass, source, stack, band + 1, !pass->is_banded);
        gather(first, pass->row_buffer, &task, pass->shifts[band * p + stack], width, pass->size);
        for (byte* piece = first; piece < first + box.pieces * box.bytes; piece += box.bytes)
            memcpy(piece + box.length * width, piece, q * width);
    }
}

INTERNAL void apply_stack(const fused_pass* pass, const byte* source, byte* target, ptrdiff_t stack) {
    const loops* size_loops = choose_loops(pass);
    point_at_boxes(pass, stack, 0);
    size_loops->strip_to_columns(pass, (byte*)source + find_strip_start(pass, stack), find_strip_step(pass));
    repeat_first_units(pass);
    size_loops->columns_to_boxes(pass);
    close_boxes(pass, stack);
    for (ptrdiff_t band = 0; band < pass->q; band++) {
        memory upcoming = {0};
        if (pass->is_banded && stack + 1 < pass->p && is_large(pass))  /* a part of the next strip */
            upcoming = find_row(pass, source, stack + 1, band, 0);
        const byte* box = pass->boxes + band * band_stride(pass);
        write_row(pass, target, box, stack, band, !pass->is_banded, upcoming);
    }
}

INTERNAL void undo_stack(const fused_pass* pass, const byte* source, byte* target, ptrdiff_t stack) {
    const loops* size_loops = choose_loops(pass);
    point_at_boxes(pass, stack, 1);
    open_boxes(pass, source, stack);
    size_loops->boxes_to_columns(pass);
    repeat_first_units(pass);
    size_loops->columns_to_strip(pass, target + find_strip_start(pass, stack), find_strip_step(pass));
}

/* ---- The remainder behind the window ---- */

/* The partners are all known, so the one that is 32 exchanges ahead is fetched: each is a miss of the
   cache of its own, and this many are under way at once. */
INTERNAL void exchange_units(
    byte* data, ptrdiff_t size, ptrdiff_t last, const int64_t* partners, ptrdiff_t count, int undo,
    byte* unit_buffer
) {
    const ptrdiff_t step = undo ? -1 : 1, first = undo ? count - 1 : 0;
    for (ptrdiff_t exchanged = 0; exchanged < count; exchanged++) {
        const ptrdiff_t index = first + exchanged * step;
        byte* unit = data + (last - index) * size;
        byte* partner = data + partners[index] * size;
        if (exchanged + 32 < count) __builtin_prefetch(data + partners[index + 32 * step] * size, 1);
        if (unit == partner) continue;  /* memcpy may not be given the same memory twice */
        memcpy(unit_buffer, unit, size);
        memcpy(unit, partner, size);
        memcpy(partner, unit_buffer, size);
    }
}
