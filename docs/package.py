"""Write the page for package indexes from the README: ``python -m docs.package``.

Indexes do not resolve relative links or show pictures of the repository, so both are left out. On
this page, the package is installed by its name.
"""

import re
from pathlib import Path

PAGE = Path(__file__).parent / "package.md"
_README = Path(__file__).parent.parent / "README.md"
_PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n\n", re.MULTILINE)
_RELATIVE_LINK = re.compile(r"\[([^\]]*)\]\((?!https?://)[^)]*\)")
_INSTALL = """\
## Install

```sh
pip install sudokucrypt
```

"""
_DOCS_SENTENCE = """\
The documentation is in the source archive: start with `README.md`, and read `docs/explanation/security.md` and `docs/explanation/limitations.md` before you rely on sudokucrypt.
"""  # noqa: E501 - one sentence a line


def make_page() -> str:
    """Return the start of the README, its first commands, and its sections on Python and limits."""
    readme = _README.read_text(encoding="utf-8")
    intro, _, remainder = readme.partition("## Try it\n")
    commands = remainder[remainder.index("```console\n") :].partition("```\n\n")[0]
    last_paragraph = readme.rstrip().rpartition("\n\n")[2]
    # References to other sections of the README, which are not on this page, are removed.
    intro = "\n\n".join(paragraph for paragraph in intro.split("\n\n") if "](#" not in paragraph)
    sections = _find_section(readme, "In Python"), _find_section(readme, "Limits")
    page = (
        f"{intro}{_INSTALL}{commands}```\n\n{''.join(sections)}{_DOCS_SENTENCE}\n{last_paragraph}\n"
    )
    return _RELATIVE_LINK.sub(r"\1", _PICTURE.sub("", page))


def _find_section(page: str, title: str) -> str:
    start = page.index(f"## {title}\n")
    return page[start : page.index("\n## ", start) + 1]


def main() -> None:
    """Write the page."""
    PAGE.write_text(make_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
