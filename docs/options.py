"""The options of pictures, in Python and on the command line: ``python -m docs.options``.

They are written into the reference between ``<!-- options -->`` and ``<!-- /options -->``, as the
dataclasses of `sudokucrypt.recipes.options` declare them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudokucrypt.options import Declared, declared_options, describe_type
from sudokucrypt.recipes import options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from dataclasses import Field

PAGE = Path(__file__).parent / "reference" / "options.md"
VERBS = {
    "encrypt": options.EncryptOptions,
    "decrypt": options.DecryptOptions,
    "scramble": options.ScrambleOptions,
    "unscramble": options.UnscrambleOptions,
    "scramble --robust": options.RobustOptions,
    "rekey": options.RekeyOptions,
    "redact": options.RedactOptions,
    "unredact": options.UnredactOptions,
}
"""The commands, and the options that each of them and its function in Python take."""

_BLOCK = re.compile(r"<!-- options -->\n.*?<!-- /options -->", re.DOTALL)


def filled(page: str) -> str:
    """Return the page with an item for each option, below its heading."""
    lines = [line for heading in ("What", "Where", "How") for line in _section(heading)]
    return _BLOCK.sub("\n".join(["<!-- options -->", *lines, "", "<!-- /options -->"]), page)


def _section(heading: str) -> Iterator[str]:
    """Yield the lines of one group of options."""
    found: dict[Field[Any], tuple[Declared, list[str]]] = {}
    for verb, kind in VERBS.items():
        for each, declared in declared_options(kind).values():
            if declared.heading == heading:
                found.setdefault(each, (declared, []))[1].append(verb)
    yield from ("", f"### {heading}", "")
    for each, (declared, verbs) in found.items():
        form = declared.form or f"--{each.name.replace('_', '-')}"
        names = f"`{form}`, in Python `{each.name}`" if declared.in_commands else f"`{each.name}`"
        yield f"- {names} ({describe_type(each, declared)}): {declared.text} For {_join(verbs)}."


def _join(verbs: list[str]) -> str:
    *most, last = [f"`{verb}`" for verb in verbs]
    return f"{', '.join(most)} and {last}" if most else last


def main() -> None:
    """Write the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
