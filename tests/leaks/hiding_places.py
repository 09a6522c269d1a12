"""All files with a hidden preview: every known hiding place, in every format that is read."""

from functools import cache

from tests.leaks import in_jpeg, in_others, in_tiff
from tests.leaks.previews import Case


@cache
def list_cases() -> dict[str, Case]:
    """Return all files by name."""
    modules = (in_jpeg, in_tiff, in_others)
    result = [case for module in modules for case in module.list_cases()]
    assert len({case.name for case in result}) == len(result)
    return {case.name: case for case in result}


PLACES = tuple(list_cases())
"""The names of all files, for tests that go through them."""
