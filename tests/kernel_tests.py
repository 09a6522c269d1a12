"""Which tests are skipped without compiled kernels, and why: ``kernel_tests.txt``.

A line is a folder, a file or a test, with ``*`` for anything; the heading above it is the reason.
"""

import re
from functools import cache
from pathlib import Path

from sudokucrypt.kernels import is_compiled

_LIST = Path(__file__).with_suffix(".txt")


def find_reason_to_skip(name: str) -> str | None:
    """Return why the tests of this name, or of this file, are skipped here, or None."""
    if is_compiled():
        return None
    return next((reason for reason, kind in _list_parts().items() if kind.fullmatch(name)), None)


@cache
def _list_parts() -> dict[str, re.Pattern[str]]:
    found = {}
    for section in re.split(r"^\[(?=.*\]$)", _LIST.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        heading, *lines = filter(None, section.splitlines())
        kinds = (re.escape(line).replace(r"\*", ".*") for line in lines)
        found[heading.removesuffix("]")] = re.compile(
            "|".join(f"{kind}(::.*|/.*)?" for kind in kinds)
        )
    return found
