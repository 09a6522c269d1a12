"""Which tests need the compiled coder of JPEG files, which has no fallback: ``coder_tests.txt``.

A line is a folder, a file or a test, with ``*`` for anything. Without the coder they are skipped.
"""

import re
from functools import cache
from pathlib import Path

from sudokucrypt.kernels import is_compiled

REASON = "needs the compiled coder of JPEG files"

_LIST = Path(__file__).with_name("coder_tests.txt")


def lacks_coder(name: str) -> bool:
    """Return whether the tests of this name, or of this file, need a coder that is not there."""
    return not is_compiled() and bool(_listed().fullmatch(name))


@cache
def _listed() -> re.Pattern[str]:
    lines = [line for line in _LIST.read_text("utf-8").splitlines() if not line.startswith("#")]
    kinds = (re.escape(line).replace(r"\*", ".*") for line in lines)
    return re.compile("|".join(f"{kind}(::.*|/.*)?" for kind in kinds))
