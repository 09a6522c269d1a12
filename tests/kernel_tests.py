"""List the tests that are skipped without compiled kernels, with reasons: ``kernel_tests.txt``.

A line of that file is a folder, a file or a test, with ``*`` for any text; the heading above the
line is the reason.
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
    return next((reason for reason, kind in _list_patterns().items() if kind.fullmatch(name)), None)


@cache
def _list_patterns() -> dict[str, re.Pattern[str]]:
    reasons = {}
    for section in re.split(r"^\[(?=.*\]$)", _LIST.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        heading, *lines = filter(None, section.splitlines())
        kinds = (re.escape(line).replace(r"\*", ".*") for line in lines)
        reasons[heading.removesuffix("]")] = re.compile(
            "|".join(f"{kind}(::.*|/.*)?" for kind in kinds)
        )
    return reasons
