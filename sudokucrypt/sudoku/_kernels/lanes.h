/* Many 9x9 puzzles side by side, one in each lane of vectors.

   The vector of a cell contains nine bits in each lane: the candidates of that cell in the lane's
   puzzle. So one instruction works on all these puzzles and all digits, and logic on whole
   mini-rows replaces the look-ups. A stack is treated as a band whose rows are its columns.

   Each lane proceeds separately. When no more conclusions follow it tries a digit, after a
   contradiction it goes back, and when its puzzle is finished it takes the next one. At each node
   it draws the same conclusions as the search by look-ups, and so visits the same nodes.

   `solver.h` includes this file once for each vector width. LANES is the number of lanes, TARGET a
   function attribute that enables the instructions, and NAME makes names unique. */

#define VECTOR NAME(vector)
#define CELL NAME(cell)

typedef uint16_t VECTOR __attribute__((vector_size(2 * LANES)));

typedef union {
    VECTOR all;
    uint16_t lane[LANES];
} CELL;

/* Draw conclusions in a band that begins at `cells`, or in a stack. `step` is the distance to the
   next cell of a mini-row, `box` to the next box, and `line` to the next row. Lanes with a
   contradiction become nonzero in `bad`; all cells are added to `sum`. */
TARGET static inline __attribute__((always_inline)) void NAME(conclude)(
    CELL* cells, const int line, const int box, const int step, VECTOR* bad, VECTOR* sum
) {
    VECTOR there[9], fixed[9], left[9], kept[9];
    for (int i = 0; i < 9; i++) {
        const CELL* cell = cells + i / 3 * line + i % 3 * box;
        there[i] = fixed[i] = (VECTOR){0};
        for (int k = 0; k < 3; k++) {
            const VECTOR bits = cell[k * step].all;
            there[i] |= bits;
            fixed[i] |= bits & (VECTOR)((bits & (bits - 1)) == 0);
        }
    }
    for (int i = 0; i < 9; i++) {  /* a fixed digit leaves the other mini-rows of its row and box */
        const int row = i / 3 * 3, next = row + (i + 1) % 3, last = row + (i + 2) % 3;
        left[i] = there[i] & ~(fixed[next] | fixed[last] | fixed[(i + 3) % 9] | fixed[(i + 6) % 9]);
    }
    for (int i = 0; i < 9; i++) {  /* a digit also needs a mini-row in each other row and box */
        const int a = (i / 3 + 1) % 3 * 3, b = (i / 3 + 2) % 3 * 3;
        const int x = (i + 1) % 3, y = (i + 2) % 3;
        kept[i] = left[i] & ((left[a + x] & left[b + y]) | (left[a + y] & left[b + x]));
    }
    *bad |= (kept[0] | kept[1] | kept[2]) ^ 511;
    for (int i = 0; i < 9; i++) {
        const int row = i / 3 * 3;
        CELL* cell = cells + i / 3 * line + i % 3 * box;
        const VECTOR only = kept[i] & ~(kept[row + (i + 1) % 3] | kept[row + (i + 2) % 3]);
        VECTOR bits[3];
        for (int k = 0; k < 3; k++) bits[k] = cell[k * step].all & kept[i];
        for (int k = 0; k < 3; k++) {
            VECTOR now = bits[k];
            if (step == 1) {  /* hidden singles of rows; those of columns and boxes follow */
                const VECTOR single = now & only & ~(bits[(k + 1) % 3] | bits[(k + 2) % 3]);
                now &= (single & -single) | (VECTOR)(single == 0);
            }
            *bad |= (VECTOR)(now == 0);
            *sum += now;
            cell[k * step].all = now;
        }
    }
}

TARGET static void NAME(solve)(
    const int8_t* puzzles, int8_t* first, int64_t* counts, ptrdiff_t start, ptrdiff_t stop,
    int64_t limit, int64_t budget
) {
    /* For each depth: the candidates that remain to be searched after the trial there. */
    uint16_t (*saved)[LANES][81] = malloc(81 * sizeof *saved);
    CELL cells[81] = {0}, sums[2] = {0}, bad, event;
    ptrdiff_t number[LANES];  /* the index of each lane's puzzle, or -1 */
    int64_t nodes[LANES];
    int depth[LANES], active = 0;
    if (!saved) return;
    memset(number, -1, sizeof number);
    for (int half = 0; active > FEW || start < stop; half = !half) {
        const VECTOR before = sums[half].all;
        bad.all = sums[half].all = (VECTOR){0};
        for (int k = 0; k < 3; k++) {
            if (half) NAME(conclude)(cells + 3 * k, 1, 27, 9, &bad.all, &sums[half].all);
            else NAME(conclude)(cells + 27 * k, 9, 3, 1, &bad.all, &sums[half].all);
        }
        /* Bits are only cleared, so an unchanged sum since two passes ago means no conclusion. */
        event.all = (VECTOR)(bad.all != 0) | (VECTOR)(sums[half].all == before);
        for (int lane = 0; lane < LANES; lane++) {
            ptrdiff_t at = number[lane];
            if (!event.lane[lane]) continue;
            sums[0].lane[lane] = sums[1].lane[lane] = 0;
            if (at >= 0) {
                uint16_t* row = saved[depth[lane]][lane];
                int chosen = -1, more = 1;
                if (!bad.lane[lane]) {
                    for (int i = 0; i < 81; i++) row[i] = cells[i].lane[lane];
                    chosen = choose_cell(row);
                    if (chosen < 0 && !counts[at]++)
                        for (int i = 0; i < 81; i++) first[81 * at + i] = lowest_bit(row[i]);
                }
                if (chosen >= 0) {
                    cells[chosen].lane[lane] = row[chosen] & -row[chosen];
                    row[chosen] &= row[chosen] - 1;
                    depth[lane]++;
                } else if (depth[lane] && counts[at] < limit) {
                    row = saved[--depth[lane]][lane];
                    for (int i = 0; i < 81; i++) cells[i].lane[lane] = row[i];
                } else {
                    more = 0;
                }
                if (more && --nodes[lane]) continue;
                if (more) counts[at] = -1;
                active--;
            }
            number[lane] = -1;
            if (start == stop) continue;
            at = number[lane] = start++;
            for (int i = 0; i < 81; i++) {
                const int digit = puzzles[81 * at + i];
                cells[i].lane[lane] = digit < 0 ? 511 : 1 << digit;
            }
            counts[at] = depth[lane] = 0;
            nodes[lane] = budget;
            active++;
        }
    }
    for (int lane = 0; lane < LANES; lane++)
        if (number[lane] >= 0) counts[number[lane]] = LEFT;
    free(saved);
}
