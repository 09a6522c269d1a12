"""Write all generated files in docs: ``python -m docs.update``.

Only measuring the published ciphers, which takes minutes, is a separate option of
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
    """Run all generators."""
    for name, write in GENERATORS.items():
        print(name)
        write()


if __name__ == "__main__":
    main()
