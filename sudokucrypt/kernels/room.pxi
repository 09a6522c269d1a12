# The class `Room` of `names.py` for compiled kernels: all its numbers and sets in one allocation.

from libc.stdlib cimport calloc, free

ctypedef int* Numbers
ctypedef uint64_t* Sets

cdef class Room:
    cdef void* memory
    cdef uint64_t* sets
    cdef int* numbers

    def __cinit__(self, Py_ssize_t numbers, Py_ssize_t sets=0):
        self.sets = <uint64_t*> calloc(sets + numbers // 2 + 1, sizeof(uint64_t))
        if self.sets == NULL:
            raise MemoryError
        self.memory = self.sets
        self.numbers = <int*> (self.sets + sets)

    def __dealloc__(self):
        free(self.memory)

    cdef int* take(self, Py_ssize_t count) noexcept:
        self.numbers += count
        return self.numbers - count

    cdef uint64_t* take_sets(self, Py_ssize_t count) noexcept:
        self.sets += count
        return self.sets - count
