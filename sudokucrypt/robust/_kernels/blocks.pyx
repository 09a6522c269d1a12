# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernels; `blocks_plain` holds the same functions with their description."""

from libc.stdint cimport int16_t, int32_t
from libc.stdlib cimport free, malloc

ctypedef unsigned char byte

cdef extern from "loops/blocks.h":
    void flip_blocks(byte*, const byte*, int32_t, Py_ssize_t) nogil
    void fill_luma_blocks(
        const byte*, Py_ssize_t, Py_ssize_t, Py_ssize_t, byte*, Py_ssize_t, Py_ssize_t, Py_ssize_t
    ) nogil
    void fill_chroma_blocks(
        const byte*, Py_ssize_t, Py_ssize_t, byte*, byte*, Py_ssize_t, Py_ssize_t, Py_ssize_t
    ) nogil
    void fill_colored_rows(
        const byte*, const byte*, const byte*, Py_ssize_t, Py_ssize_t, byte*, Py_ssize_t,
        Py_ssize_t, Py_ssize_t, Py_ssize_t, int16_t*
    ) nogil


def flip(byte[:, ::1] blocks, const byte[:, ::1] signs, int gain, Py_ssize_t start, Py_ssize_t stop):
    if start >= stop:  # there is no first block to point at
        return
    with nogil:
        flip_blocks(&blocks[start, 0], &signs[start, 0], gain, stop - start)


def fill_light(
    const byte[:, :, ::1] pixels, byte[:, ::1] luma, Py_ssize_t across, Py_ssize_t start,
    Py_ssize_t stop,
):
    with nogil:
        fill_luma_blocks(
            &pixels[0, 0, 0], pixels.shape[0], pixels.shape[1], pixels.shape[2], &luma[0, 0],
            across, start, stop,
        )


def fill_colors(
    const byte[:, :, ::1] pixels, byte[:, ::1] blue, byte[:, ::1] red, Py_ssize_t across,
    Py_ssize_t start, Py_ssize_t stop,
):
    with nogil:
        fill_chroma_blocks(
            &pixels[0, 0, 0], pixels.shape[0], pixels.shape[1], &blue[0, 0], &red[0, 0], across,
            start, stop,
        )


def join_colors(
    const byte[:, ::1] luma, const byte[:, ::1] blue, const byte[:, ::1] red,
    Py_ssize_t luma_across, Py_ssize_t across, byte[:, :, ::1] pixels, Py_ssize_t start,
    Py_ssize_t stop,
):
    cdef int16_t* row_buffer = <int16_t*> malloc(2 * (pixels.shape[1] + 1) * sizeof(int16_t))
    if row_buffer == NULL:
        raise MemoryError
    with nogil:
        fill_colored_rows(
            &luma[0, 0], &blue[0, 0], &red[0, 0], luma_across, across, &pixels[0, 0, 0],
            pixels.shape[0], pixels.shape[1], start, stop, row_buffer,
        )
    free(row_buffer)
