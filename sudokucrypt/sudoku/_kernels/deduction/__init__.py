"""The parts of the kernel `deducing`, which run as Python and are compiled by Cython as well."""
