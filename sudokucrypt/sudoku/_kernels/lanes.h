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
    VECTOR present[9], fixed[9], possible[9], supported[9];
    for (int i = 0; i < 9; i++) {
        const CELL* cell = cells + i / 3 * line + i % 3 * box;
        present[i] = fixed[i] = (VECTOR){0};
        for (int k = 0; k < 3; k++) {
            const VECTOR bits = cell[k * step].all;
            present[i] |= bits;
            fixed[i] |= bits & (VECTOR)((bits & (bits - 1)) == 0);
        }
    }
    for (int i = 0; i < 9; i++) {  /* a fixed digit leaves the other mini-rows of its row and box */
        const int row = i / 3 * 3, next = row + (i + 1) % 3, last = row + (i + 2) % 3;
        possible[i] = present[i]
            & ~(fixed[next] | fixed[last] | fixed[(i + 3) % 9] | fixed[(i + 6) % 9]);
    }
    for (int i = 0; i < 9; i++) {  /* a digit also needs a mini-row in each other row and box */
        const int next_row = (i / 3 + 1) % 3 * 3, last_row = (i / 3 + 2) % 3 * 3;
        const int next_box = (i + 1) % 3, last_box = (i + 2) % 3;
        supported[i] = possible[i] & ((possible[next_row + next_box] & possible[last_row + last_box])
            | (possible[next_row + last_box] & possible[last_row + next_box]));
    }
    *bad |= (supported[0] | supported[1] | supported[2]) ^ 511;
    for (int i = 0; i < 9; i++) {
        const int row = i / 3 * 3;
        CELL* cell = cells + i / 3 * line + i % 3 * box;
        const VECTOR locked = supported[i] & ~(supported[row + (i + 1) % 3] | supported[row + (i + 2) % 3]);
        VECTOR bits[3];
        for (int k = 0; k < 3; k++) bits[k] = cell[k * step].all & supported[i];
        for (int k = 0; k < 3; k++) {
            VECTOR kept = bits[k];
            if (step == 1) {  /* hidden singles of rows; those of columns and boxes follow */
                const VECTOR single = kept & locked & ~(bits[(k + 1) % 3] | bits[(k + 2) % 3]);
                kept &= (single & -single) | (VECTOR)(single == 0);
            }
            *bad |= (VECTOR)(kept == 0);
            *sum += kept;
            cell[k * step].all = kept;
        }
    }
}

TARGET static void NAME(solve)(
    const int8_t* puzzles, int8_t* first, int64_t* counts, ptrdiff_t start, ptrdiff_t stop,
    int64_t limit, int64_t budget
) {
    /* For each depth: the candidates that remain to be searched after the trial there. */
    uint16_t (*untried)[LANES][81] = malloc(81 * sizeof *untried);
    CELL cells[81] = {0}, sums[2] = {0}, bad, event;
    ptrdiff_t puzzle_index[LANES];  /* the index of each lane's puzzle, or -1 */
    int64_t nodes[LANES];
    int depth[LANES], active = 0;
    if (!untried) return;
    memset(puzzle_index, -1, sizeof puzzle_index);
    for (int over_stacks = 0; active > MAX_SINGLE || start < stop; over_stacks = !over_stacks) {
        const VECTOR previous_sum = sums[over_stacks].all;
        bad.all = sums[over_stacks].all = (VECTOR){0};
        for (int k = 0; k < 3; k++) {
            if (over_stacks) NAME(conclude)(cells + 3 * k, 1, 27, 9, &bad.all, &sums[over_stacks].all);
            else NAME(conclude)(cells + 27 * k, 9, 3, 1, &bad.all, &sums[over_stacks].all);
        }
        /* Bits are only cleared, so an unchanged sum since two passes ago means no conclusion. */
        event.all = (VECTOR)(bad.all != 0) | (VECTOR)(sums[over_stacks].all == previous_sum);
        for (int lane = 0; lane < LANES; lane++) {
            ptrdiff_t puzzle = puzzle_index[lane];
            if (!event.lane[lane]) continue;
            sums[0].lane[lane] = sums[1].lane[lane] = 0;
            if (puzzle >= 0) {
                uint16_t* row = untried[depth[lane]][lane];
                int chosen = -1, is_unfinished = 1;
                if (!bad.lane[lane]) {
                    for (int i = 0; i < 81; i++) row[i] = cells[i].lane[lane];
                    chosen = choose_cell(row);
                    if (chosen < 0 && !counts[puzzle]++)
                        for (int i = 0; i < 81; i++) first[81 * puzzle + i] = lowest_bit(row[i]);
                }
                if (chosen >= 0) {
                    cells[chosen].lane[lane] = row[chosen] & -row[chosen];
                    row[chosen] &= row[chosen] - 1;
                    depth[lane]++;
                } else if (depth[lane] && counts[puzzle] < limit) {
                    row = untried[--depth[lane]][lane];
                    for (int i = 0; i < 81; i++) cells[i].lane[lane] = row[i];
                } else {
                    is_unfinished = 0;
                }
                if (is_unfinished && --nodes[lane]) continue;
                if (is_unfinished) counts[puzzle] = -1;
                active--;
            }
            puzzle_index[lane] = -1;
            if (start == stop) continue;
            puzzle = puzzle_index[lane] = start++;
            for (int i = 0; i < 81; i++) {
                const int digit = puzzles[81 * puzzle + i];
                cells[i].lane[lane] = digit < 0 ? 511 : 1 << digit;
            }
            counts[puzzle] = depth[lane] = 0;
            nodes[lane] = budget;
            active++;
        }
    }
    for (int lane = 0; lane < LANES; lane++)
        if (puzzle_index[lane] >= 0) counts[puzzle_index[lane]] = UNSOLVED;
    free(untried);
}
