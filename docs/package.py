"""The page that package indexes show, made from the README: ``python -m docs.package``.

An index resolves no relative link and shows no picture of the repository, so that both are left
out, and there the package is installed by its name.
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
_WHERE = """\
The documentation is in the source archive: start with `README.md`, and read `docs/explanation/security.md` and `docs/explanation/limitations.md` before you rely on sudokucrypt.
"""  # noqa: E501 - one sentence a line


def package_page() -> str:
    """Return the head of the README, its first commands, and the sections on Python and limits."""
    readme = _README.read_text(encoding="utf-8")
    head, _, rest = readme.partition("## Try it\n")
    commands = rest[rest.index("```console\n") :].partition("```\n\n")[0]
    terms = readme.rstrip().rpartition("\n\n")[2]
    # What is addressed to others has sections of the README that are not here.
    head = "\n\n".join(part for part in head.split("\n\n") if "](#" not in part)
    sections = _section(readme, "In Python"), _section(readme, "Limits")
    page = f"{head}{_INSTALL}{commands}```\n\n{''.join(sections)}{_WHERE}\n{terms}\n"
    return _RELATIVE_LINK.sub(r"\1", _PICTURE.sub("", page))


def _section(page: str, title: str) -> str:
    start = page.index(f"## {title}\n")
    return page[start : page.index("\n## ", start) + 1]


def main() -> None:
    """Write the page."""
    PAGE.write_text(package_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
