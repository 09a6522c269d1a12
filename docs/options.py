"""Write the reference of options for pictures: ``python -m docs.options``.

The options that the dataclasses of `sudokucrypt.recipes.options` declare are written to the
reference between ``<!-- options -->`` and ``<!-- /options -->``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudokucrypt.options import OptionDeclaration, describe_type, list_declared_options
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


def fill_page(page: str) -> str:
    """Return the page with an item for each option, under its heading."""
    lines = [line for heading in ("What", "Where", "How") for line in _format_section(heading)]
    return _BLOCK.sub("\n".join(["<!-- options -->", *lines, "", "<!-- /options -->"]), page)


def _format_section(heading: str) -> Iterator[str]:
    """Yield the lines for one group of options."""
    verbs_of_options: dict[Field[Any], tuple[OptionDeclaration, list[str]]] = {}
    for verb, options_class in VERBS.items():
        for field, declared in list_declared_options(options_class).values():
            if declared.heading == heading:
                verbs_of_options.setdefault(field, (declared, []))[1].append(verb)
    yield from ("", f"### {heading}", "")
    for field, (declared, verbs) in verbs_of_options.items():
        form = declared.form or f"--{field.name.replace('_', '-')}"
        names = f"`{form}`, in Python `{field.name}`" if declared.in_commands else f"`{field.name}`"
        type_name = describe_type(field, declared)
        yield f"- {names} ({type_name}): {declared.text} For {_join_verbs(verbs)}."


def _join_verbs(verbs: list[str]) -> str:
    *other_verbs, last_verb = [f"`{verb}`" for verb in verbs]
    return f"{', '.join(other_verbs)} and {last_verb}" if other_verbs else last_verb


def main() -> None:
    """Write the page."""
    PAGE.write_text(fill_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
