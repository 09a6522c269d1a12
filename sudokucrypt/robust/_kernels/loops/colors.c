/* From colors to luma and chroma in blocks, and back, in whole numbers.

   The factors are those of JFIF (ITU-R BT.601, full range) times 65536, rounded so that the three of
   luma add up to 65536 and those of either chroma to 0: gray stays gray. Whole numbers give the same
   picture on every processor, where floating point would not. */

#include <string.h>

#include "blocks.h"

static inline ptrdiff_t smaller(ptrdiff_t first, ptrdiff_t second) { return first < second ? first : second; }
static inline byte clip_to_byte(int32_t value) { return (byte)(value < 0 ? 0 : value > 255 ? 255 : value); }

static inline byte compute_luma(const byte* pixel, ptrdiff_t channels) {
    if (channels == 1) return pixel[0];
    return (byte)((19595 * pixel[0] + 38470 * pixel[1] + 7471 * pixel[2] + 32768) >> 16);
}

/* A block that reaches over the right edge is read pixel by pixel, each not beyond the last one; for all
   others there is nothing to compare, so the compiler makes vectors of the inner loop. */
INTERNAL void fill_luma_blocks(
    const byte* pixels, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t channels, byte* blocks,
    ptrdiff_t across, ptrdiff_t start, ptrdiff_t stop
) {
    for (ptrdiff_t row = 8 * start; row < 8 * stop; row++) {
        const byte* line = pixels + smaller(row, rows - 1) * columns * channels;
        byte* target = blocks + (row / 8 * across) * 64 + row % 8 * 8;
        for (ptrdiff_t block = 0; block < across; block++, target += 64) {
            const byte* first = line + 8 * block * channels;
            if (8 * block + 8 > columns)
                for (int i = 0; i < 8; i++)
                    target[i] = compute_luma(line + smaller(8 * block + i, columns - 1) * channels, channels);
            else if (channels == 1) memcpy(target, first, 8);
            else
                for (int i = 0; i < 8; i++) target[i] = compute_luma(first + 3 * i, 3);
        }
    }
}

/* Chroma of two by two pixels: sums of four, so the shift is two more than that of luma. One less than a
   half is added, as libjpeg does: with a whole half the largest chroma would be 256. */
static inline void compute_chroma(
    const byte* upper, const byte* lower, ptrdiff_t left, ptrdiff_t right, byte* blue, byte* red
) {
    const int32_t middle = (128 << 18) + (1 << 17) - 1;
    int32_t sums[3];
    for (int i = 0; i < 3; i++)
        sums[i] = upper[left + i] + upper[right + i] + lower[left + i] + lower[right + i];
    *blue = (byte)((-11059 * sums[0] - 21709 * sums[1] + 32768 * sums[2] + middle) >> 18);
    *red = (byte)((32768 * sums[0] - 27439 * sums[1] - 5329 * sums[2] + middle) >> 18);
}

INTERNAL void fill_chroma_blocks(
    const byte* pixels, ptrdiff_t rows, ptrdiff_t columns, byte* blue, byte* red,
    ptrdiff_t across, ptrdiff_t start, ptrdiff_t stop
) {
    for (ptrdiff_t row = 8 * start; row < 8 * stop; row++) {
        const byte* upper = pixels + smaller(2 * row, rows - 1) * columns * 3;
        const byte* lower = pixels + smaller(2 * row + 1, rows - 1) * columns * 3;
        ptrdiff_t offset = (row / 8 * across) * 64 + row % 8 * 8;
        for (ptrdiff_t block = 0; block < across; block++, offset += 64) {
            const int inside = 16 * block + 16 <= columns;
            for (int i = 0; i < 8; i++) {
                ptrdiff_t left = 16 * block + 2 * i, right = left + 1;
                if (!inside) {
                    left = smaller(left, columns - 1);
                    right = smaller(right, columns - 1);
                }
                compute_chroma(upper, lower, 3 * left, 3 * right, blue + offset + i, red + offset + i);
            }
        }
    }
}

/* One row of chroma as 3 of the nearest row and 1 of the next, for all columns: a chroma sample lies in
   the middle of four pixels, so a pixel is at a quarter of the distance to the next one. */
static void mix_rows(
    const byte* plane, ptrdiff_t across, ptrdiff_t near_row, ptrdiff_t next_row, ptrdiff_t count,
    int16_t* mixed
) {
    const byte* near_line = plane + (near_row / 8 * across) * 64 + near_row % 8 * 8;
    const byte* next_line = plane + (next_row / 8 * across) * 64 + next_row % 8 * 8;
    for (ptrdiff_t column = 0; column < count; column++) {
        const ptrdiff_t offset = column / 8 * 64 + column % 8;
        mixed[column] = (int16_t)(3 * near_line[offset] + next_line[offset]);
    }
}

/* The same is done from column to column, so 16 parts come together, and are divided once. */
INTERNAL void fill_colored_rows(
    const byte* luma, const byte* blue, const byte* red, ptrdiff_t luma_across,
    ptrdiff_t across, byte* pixels, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t start,
    ptrdiff_t stop, int16_t* row_buffer
) {
    const ptrdiff_t chroma_rows = (rows + 1) / 2, count = (columns + 1) / 2;
    int16_t* blues = row_buffer;
    int16_t* reds = row_buffer + count;
    for (ptrdiff_t row = start; row < stop; row++) {
        const ptrdiff_t near_row = row / 2;
        ptrdiff_t next_row = row % 2 ? smaller(near_row + 1, chroma_rows - 1) : near_row - 1;
        if (next_row < 0) next_row = 0;
        mix_rows(blue, across, near_row, next_row, count, blues);
        mix_rows(red, across, near_row, next_row, count, reds);
        const byte* line = luma + (row / 8 * luma_across) * 64 + row % 8 * 8;
        byte* target = pixels + row * columns * 3;
        for (ptrdiff_t column = 0; column < columns; column++) {
            const ptrdiff_t near_column = column / 2;
            ptrdiff_t next_column = column % 2 ? smaller(near_column + 1, count - 1) : near_column - 1;
            if (next_column < 0) next_column = 0;
            const int32_t light = line[column / 8 * 64 + column % 8];
            const int32_t blue_part = ((3 * blues[near_column] + blues[next_column] + 8) >> 4) - 128;
            const int32_t red_part = ((3 * reds[near_column] + reds[next_column] + 8) >> 4) - 128;
            target[3 * column] = clip_to_byte(light + ((91881 * red_part + 32768) >> 16));
            const int32_t green_part = (22554 * blue_part + 46802 * red_part + 32768) >> 16;
            target[3 * column + 1] = clip_to_byte(light - green_part);
            target[3 * column + 2] = clip_to_byte(light + ((116130 * blue_part + 32768) >> 16));
        }
    }
}
