# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernel; `orbits_plain` holds the same function with its description."""

cdef extern from "bits.h":
    int lowest_bit(unsigned long long bits) nogil
    int count_bits(unsigned long long bits) nogil

ctypedef unsigned int mask

cdef struct Search:
    Py_ssize_t orbits, digits, cut, part, parts, seen
    const int* ends
    const int* houses
    const mask* allowed
    const unsigned char* images
    const mask* opens
    mask* used
    int* order
    long long found, left


def count(
    const int[::1] ends, const int[:, ::1] houses, const mask[::1] allowed,
    const unsigned char[:, ::1] images, const mask[::1] opens, mask begun,
    mask[::1] used, int[::1] order, Py_ssize_t cut, Py_ssize_t part, Py_ssize_t parts,
    long long nodes,
):
    cdef Search search
    search.orbits, search.digits = order.shape[0], images.shape[1]
    search.cut, search.part, search.parts = cut, part, parts
    search.ends, search.houses, search.allowed = &ends[0], &houses[0, 0], &allowed[0]
    search.images, search.opens = &images[0, 0], &opens[0]
    search.used, search.order = &used[0], &order[0]
    search.seen = search.found = 0
    search.left = nodes
    with nogil:
        _visit(&search, 0, begun)
    return search.found if search.left >= 0 else -1


cdef void _visit(Search* search, Py_ssize_t depth, mask begun) noexcept nogil:
    cdef Py_ssize_t place, best = depth
    cdef int orbit, size, least = 99, digit
    cdef const int* held
    cdef mask bits, chosen = 0
    search.left -= 1
    if search.left < 0:
        return
    # The parts of a search that was shared out are told apart by their nodes at one depth.
    if depth == search.cut:
        search.seen += 1
        if search.seen % search.parts != search.part:
            return
    if depth == search.orbits:
        search.found += 1
        return
    # The orbit with the fewest digits left; at one or none it cannot get better.
    for place in range(depth, search.orbits):
        orbit = search.order[place]
        held = search.houses + 3 * search.ends[orbit]
        bits = search.used[held[0]] | search.used[held[1]] | search.used[held[2]]
        bits = search.allowed[orbit] & begun & ~bits
        size = count_bits(bits)
        if size < least:
            least, best, chosen = size, place, bits
            if size <= 1:
                break
    # In the last orbit each digit makes a grid: count them without going there.
    if depth + 1 == search.orbits and search.cut <= depth:
        search.found += least
        return
    orbit = search.order[best]
    # Swap the orbit to the front of those that are open; it goes back where it was.
    search.order[best], search.order[depth] = search.order[depth], orbit
    while chosen:
        digit = lowest_bit(chosen)
        chosen &= chosen - 1
        _exchange(search, orbit, digit)
        _visit(search, depth + 1, begun | search.opens[digit])
        _exchange(search, orbit, digit)
    search.order[depth], search.order[best] = search.order[best], orbit


cdef inline void _exchange(Search* search, int orbit, int digit) noexcept nogil:
    """Put a digit and its images into the cells of an orbit, or take them away."""
    cdef int place
    cdef const int* held
    cdef const unsigned char* image = search.images + digit
    cdef mask bit
    for place in range(search.ends[orbit], search.ends[orbit + 1]):
        bit = <mask> 1 << image[0]
        held = search.houses + 3 * place
        search.used[held[0]] ^= bit
        search.used[held[1]] ^= bit
        search.used[held[2]] ^= bit
        image += search.digits
