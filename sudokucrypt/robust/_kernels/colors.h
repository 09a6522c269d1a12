/* From colors to light and color differences in blocks, and back, in whole numbers.

   A plane has `across` blocks in a row; those are 64 bytes each, one after the other. */

#ifndef SUDOKUCRYPT_COLORS_H
#define SUDOKUCRYPT_COLORS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char byte;

static inline ptrdiff_t least(ptrdiff_t one, ptrdiff_t other) { return one < other ? one : other; }
static inline byte clipped(int32_t value) { return (byte)(value < 0 ? 0 : value > 255 ? 255 : value); }

static inline byte light_at(const byte* pixel, ptrdiff_t channels) {
    if (channels == 1) return pixel[0];
    return (byte)((19595 * pixel[0] + 38470 * pixel[1] + 7471 * pixel[2] + 32768) >> 16);
}

/* Rows of blocks of the light; at the right and lower edges the last pixels are repeated. */
static void light_blocks(
    const byte* pixels, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t channels, byte* blocks,
    ptrdiff_t across, ptrdiff_t start, ptrdiff_t stop
) {
    for (ptrdiff_t row = 8 * start; row < 8 * stop; row++) {
        const byte* line = pixels + least(row, rows - 1) * columns * channels;
        byte* target = blocks + (row / 8 * across) * 64 + row % 8 * 8;
        for (ptrdiff_t block = 0; block < across; block++, target += 64) {
            const byte* first = line + 8 * block * channels;
            if (8 * block + 8 > columns)
                for (int i = 0; i < 8; i++)
                    target[i] = light_at(line + least(8 * block + i, columns - 1) * channels, channels);
            else if (channels == 1) memcpy(target, first, 8);
            else
                for (int i = 0; i < 8; i++) target[i] = light_at(first + 3 * i, 3);
        }
    }
}

static inline void differences_at(
    const byte* upper, const byte* lower, ptrdiff_t left, ptrdiff_t right, byte* blue, byte* red
) {
    const int32_t middle = (128 << 18) + (1 << 17) - 1;
    int32_t sums[3];
    for (int i = 0; i < 3; i++)
        sums[i] = upper[left + i] + upper[right + i] + lower[left + i] + lower[right + i];
    *blue = (byte)((-11059 * sums[0] - 21709 * sums[1] + 32768 * sums[2] + middle) >> 18);
    *red = (byte)((32768 * sums[0] - 27439 * sums[1] - 5329 * sums[2] + middle) >> 18);
}

/* Rows of blocks of both color differences, each the mean of two by two pixels. */
static void color_blocks(
    const byte* pixels, ptrdiff_t rows, ptrdiff_t columns, byte* blue, byte* red,
    ptrdiff_t across, ptrdiff_t start, ptrdiff_t stop
) {
    for (ptrdiff_t row = 8 * start; row < 8 * stop; row++) {
        const byte* upper = pixels + least(2 * row, rows - 1) * columns * 3;
        const byte* lower = pixels + least(2 * row + 1, rows - 1) * columns * 3;
        ptrdiff_t place = (row / 8 * across) * 64 + row % 8 * 8;
        for (ptrdiff_t block = 0; block < across; block++, place += 64) {
            const int inside = 16 * block + 16 <= columns;
            for (int i = 0; i < 8; i++) {
                ptrdiff_t left = 16 * block + 2 * i, right = left + 1;
                if (!inside) {
                    left = least(left, columns - 1);
                    right = least(right, columns - 1);
                }
                differences_at(upper, lower, 3 * left, 3 * right, blue + place + i, red + place + i);
            }
        }
    }
}

/* One row of color differences as 3 of the nearest row and 1 of the next, for all columns. */
static void mixed_row(
    const byte* plane, ptrdiff_t across, ptrdiff_t near_row, ptrdiff_t next_row, ptrdiff_t count,
    int16_t* mixed
) {
    const byte* near_line = plane + (near_row / 8 * across) * 64 + near_row % 8 * 8;
    const byte* next_line = plane + (next_row / 8 * across) * 64 + next_row % 8 * 8;
    for (ptrdiff_t column = 0; column < count; column++) {
        const ptrdiff_t place = column / 8 * 64 + column % 8;
        mixed[column] = (int16_t)(3 * near_line[place] + next_line[place]);
    }
}

/* Rows of pixels from the blocks of all planes; `room` holds two rows of color differences. */
static void colored_rows(
    const byte* light, const byte* blue, const byte* red, ptrdiff_t light_across,
    ptrdiff_t across, byte* pixels, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t start,
    ptrdiff_t stop, int16_t* room
) {
    const ptrdiff_t small_rows = (rows + 1) / 2, count = (columns + 1) / 2;
    int16_t* blues = room;
    int16_t* reds = room + count;
    for (ptrdiff_t row = start; row < stop; row++) {
        const ptrdiff_t near_row = row / 2;
        ptrdiff_t next_row = row % 2 ? least(near_row + 1, small_rows - 1) : near_row - 1;
        if (next_row < 0) next_row = 0;
        mixed_row(blue, across, near_row, next_row, count, blues);
        mixed_row(red, across, near_row, next_row, count, reds);
        const byte* line = light + (row / 8 * light_across) * 64 + row % 8 * 8;
        byte* target = pixels + row * columns * 3;
        for (ptrdiff_t column = 0; column < columns; column++) {
            const ptrdiff_t near_column = column / 2;
            ptrdiff_t next_column = column % 2 ? least(near_column + 1, count - 1) : near_column - 1;
            if (next_column < 0) next_column = 0;
            const int32_t y = line[column / 8 * 64 + column % 8];
            const int32_t b = ((3 * blues[near_column] + blues[next_column] + 8) >> 4) - 128;
            const int32_t r = ((3 * reds[near_column] + reds[next_column] + 8) >> 4) - 128;
            target[3 * column] = clipped(y + ((91881 * r + 32768) >> 16));
            target[3 * column + 1] = clipped(y - ((22554 * b + 46802 * r + 32768) >> 16));
            target[3 * column + 2] = clipped(y + ((116130 * b + 32768) >> 16));
        }
    }
}

#endif
