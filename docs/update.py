"""Write everything in docs that is made by programs: ``python -m docs.update``.

What needs minutes, such as measuring the published ciphers anew, has options of its own in
`docs.literature`.
"""

from collections.abc import Callable
from pathlib import Path

from docs import api, literature, manpage, options, package
from docs.figures import __main__ as figures

GENERATORS: dict[str, Callable[[], None]] = {
    "docs.manpage": manpage.main,
    "docs.api": api.main,
    "docs.options": options.main,
    "docs.package": package.main,
    "docs.literature": literature.main,
    "docs.figures.__main__": lambda: figures.update(Path(__file__).parent / "images"),
}
"""What writes pages and pictures, by the module that does; each runs by itself too."""


def main() -> None:
    """Run every generator."""
    for name, write in GENERATORS.items():
        print(name)
        write()


if __name__ == "__main__":
    main()
