"""The parts of the kernel `deducing`, which run as Python and are also compiled by Cython."""
