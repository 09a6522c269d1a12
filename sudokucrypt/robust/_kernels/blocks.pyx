# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernels; `blocks_plain` holds the same functions with their description."""

from libc.stdint cimport int16_t, int32_t
from libc.stdlib cimport free, malloc

ctypedef unsigned char byte

cdef extern from "transform.h":
    void flip_block(byte*, const byte*, int32_t) nogil

cdef extern from "colors.h":
    void light_blocks(
        const byte*, Py_ssize_t, Py_ssize_t, Py_ssize_t, byte*, Py_ssize_t, Py_ssize_t, Py_ssize_t
    ) nogil
    void color_blocks(
        const byte*, Py_ssize_t, Py_ssize_t, byte*, byte*, Py_ssize_t, Py_ssize_t, Py_ssize_t
    ) nogil
    void colored_rows(
        const byte*, const byte*, const byte*, Py_ssize_t, Py_ssize_t, byte*, Py_ssize_t,
        Py_ssize_t, Py_ssize_t, Py_ssize_t, int16_t*
    ) nogil


def flip(byte[:, ::1] blocks, const byte[:, ::1] signs, int gain, Py_ssize_t start, Py_ssize_t stop):
    cdef Py_ssize_t number
    with nogil:
        for number in range(start, stop):
            flip_block(&blocks[number, 0], &signs[number, 0], gain)


def fill_light(
    const byte[:, :, ::1] pixels, byte[:, ::1] light, Py_ssize_t across, Py_ssize_t start,
    Py_ssize_t stop,
):
    with nogil:
        light_blocks(
            &pixels[0, 0, 0], pixels.shape[0], pixels.shape[1], pixels.shape[2], &light[0, 0],
            across, start, stop,
        )


def fill_colors(
    const byte[:, :, ::1] pixels, byte[:, ::1] blue, byte[:, ::1] red, Py_ssize_t across,
    Py_ssize_t start, Py_ssize_t stop,
):
    with nogil:
        color_blocks(
            &pixels[0, 0, 0], pixels.shape[0], pixels.shape[1], &blue[0, 0], &red[0, 0], across,
            start, stop,
        )


def join_colors(
    const byte[:, ::1] light, const byte[:, ::1] blue, const byte[:, ::1] red,
    Py_ssize_t light_across, Py_ssize_t across, byte[:, :, ::1] pixels, Py_ssize_t start,
    Py_ssize_t stop,
):
    cdef int16_t* room = <int16_t*> malloc(2 * (pixels.shape[1] + 1) * sizeof(int16_t))
    if room == NULL:
        raise MemoryError
    with nogil:
        colored_rows(
            &light[0, 0], &blue[0, 0], &red[0, 0], light_across, across, &pixels[0, 0, 0],
            pixels.shape[0], pixels.shape[1], start, stop, room,
        )
    free(room)
