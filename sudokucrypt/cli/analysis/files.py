"""What the analysis commands read and write: samples of pictures, and reports in any form."""

import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import click

from sudokucrypt.analysis import NamedImage, NamedJpeg
from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.cli.messages import progress_bar, say
from sudokucrypt.cli.options import PATH
from sudokucrypt.errors import InvalidParameterError, SudokucryptError, UnsupportedError
from sudokucrypt.reports import Report, to_csv, to_html, to_json, to_latex, to_markdown, to_text
from sudokucrypt.reports.writing import require_page_libraries
from sudokucrypt.storage import require_free, same_file, write_atomically

_STREAM = Path("-")
_PORTRAIT = Path(__file__).parents[1] / "pictures" / "demo.jpg"
_WRITERS = {
    "json": to_json,
    "markdown": to_markdown,
    "csv": to_csv,
    "latex": to_latex,
    "text": to_text,
}
_UNPRINTED = {"Cc", "Zl", "Zp"}


def read_jpeg(source: Path, *, max_pixels: int | None = None) -> NamedJpeg:
    """Read a JPEG file, or stdin for ``-``, without decoding it."""
    from sudokucrypt.images import MAX_PIXELS, header_in_jpeg, read_file

    limit = MAX_PIXELS if max_pixels is None else max_pixels
    data = sys.stdin.buffer.read() if source == _STREAM else read_file(source)
    # Names are shown in reports: control characters must not reach a terminal.
    name = "stdin" if source == _STREAM else _shown(source.name)
    if not data.startswith(b"\xff\xd8\xff"):
        raise UnsupportedError(
            f"'{name}' is not a JPEG, which this attack takes", hint="name a JPEG file"
        )
    if header_in_jpeg(data, name) is not None:
        say("note", f"'{name}' is scrambled already: attacks are after the plain picture")
    return NamedJpeg(name=name, data=data, max_pixels=limit)


def read_image(source: Path, *, max_pixels: int | None = None) -> NamedImage:
    """Read the samples of a picture file, or of stdin for ``-``, as they are stored."""
    from sudokucrypt.images import MAX_PIXELS, decode_picture, read_picture

    limit = MAX_PIXELS if max_pixels is None else max_pixels
    if source == _STREAM:
        picture = decode_picture(sys.stdin.buffer.read(), "stdin", max_pixels=limit)
        name = "stdin"
    else:
        picture = read_picture(source, max_pixels=limit)
        name = _shown(source.name)
    frame = picture.frames[0]
    if frame.pixels.dtype.name not in {"bool", "uint8", "uint16"}:
        raise UnsupportedError(
            f"'{name}' has samples of {frame.pixels.dtype}, and those of 1 to 16 bits are measured"
        )
    if picture.format == "JPEG" and picture.header is not None:
        say(
            "note",
            f"'{name}' is a scrambled JPEG: the pixels that viewers show are measured, and those "
            "of a block stay alike",
        )
    if len(picture.frames) > 1:
        say("note", f"the first of {len(picture.frames)} frames of '{name}' is measured")
    if frame.mode == "palette":
        say("note", f"'{name}' has a palette: the numbers of its colors are measured")
    return NamedImage(name=name, pixels=frame.pixels, levels=2**frame.depth)


def read_images(sources: Sequence[Path], *, max_pixels: int | None = None) -> list[NamedImage]:
    """Read several pictures; where names are equal, each is called by its whole path."""
    images = [read_image(source, max_pixels=max_pixels) for source in sources]
    names = [source.name for source in sources]
    return [
        replace(image, name=_shown(str(source))) if names.count(source.name) > 1 else image
        for source, image in zip(sources, images, strict=True)
    ]


def portrait() -> NamedImage:
    """Return the picture that is measured where none is named."""
    return replace(read_image(_PORTRAIT), name="portrait")


def _shown(name: str) -> str:
    """Return the name of a file as text of one line that any form of a report can hold."""
    text = os.fsencode(name).decode("utf-8", "replace")
    return "".join("\ufffd" if unicodedata.category(c) in _UNPRINTED else c for c in text)


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What was said on the command line about the report."""

    forms: tuple[Literal["json", "markdown", "csv", "latex"], ...]
    page: Path | None
    output: Path | None
    force: bool

    def check(
        self, sources: Sequence[Path], *, also: Iterable[Path] = (), new: Path | None = None
    ) -> None:
        """Refuse what could not be written in the end, before any work is done.

        `also` is what else the command writes, `new` a folder that it makes in the end.
        """
        if sources.count(_STREAM) > 1:
            raise click.UsageError("stdin can be read only once")
        if len(set(self.forms)) > 1:
            raise click.UsageError("choose one of --json, --markdown, --csv and --latex")
        named = [path for path in (self.page, self.output, *also) if path is not None]
        targets = [path for path in named if path != _STREAM]
        streams = len(named) - len(targets) + (self.output is None and self._text_wanted)
        if streams > 1:
            raise click.UsageError("stdout can take only one result")
        if self.page is not None:
            require_page_libraries()
        for index, target in enumerate(targets):
            if not target.parent.exists() and target.parent != new:
                raise SudokucryptError(f"cannot write '{target}': its folder does not exist")
            if not self.force:
                require_free(target)
            if any(same_file(target, other) for other in targets[:index]):
                raise click.UsageError(f"two results are written to '{target}'")
            if any(same_file(target, source) for source in sources if source != _STREAM):
                raise InvalidParameterError(
                    "input and output are the same file", hint="name another output"
                )

    @property
    def _text_wanted(self) -> bool:
        """Whether there is a result beside the page."""
        return self.page is None or bool(self.forms) or self.output is not None

    def write(self, report: Report, *, also: Mapping[Path, bytes] | None = None) -> None:
        """Write the page if there is one, all other forms, and what else the command writes."""
        contents = dict(also or {})
        if self.page is not None:
            with progress_bar("drawing") as advance:
                contents[self.page] = to_html(report, progress=advance).encode("utf-8")
        if self._text_wanted:
            text = _WRITERS[self.forms[0] if self.forms else "text"](report)
            ending = "" if text.endswith("\n") else "\n"
            contents[self.output or _STREAM] = f"{text}{ending}".encode()
        # Files first: what is printed is lost if a file cannot be written.
        stream = contents.pop(_STREAM, b"")
        write_atomically({path: [part] for path, part in contents.items()}, replace=self.force)
        click.echo(stream, nl=False)


# All flags of forms are collected, so that two of them are noticed.
_form_option = partial(option, name="forms", multiple=True)

# Gives a command the options for its report, as one parameter ``output``.
output_options = option_group(
    "output",
    ReportOptions,
    _form_option("--json", "Write JSON.", flag_value="json"),
    _form_option("--markdown", "Write Markdown.", flag_value="markdown"),
    _form_option("--csv", "Write CSV, one line for each row.", flag_value="csv"),
    _form_option("--latex", "Write the tables in LaTeX, with booktabs.", flag_value="latex"),
    option(
        "--html OUT.html",
        "Write one self-contained page with all pictures and plots.",
        name="page",
        type=PATH,
    ),
    option(
        "-o, --output OUT",
        "File for text, JSON, Markdown, CSV or LaTeX; by default stdout, as with -.",
        type=PATH,
    ),
    option("--force", "Replace existing output."),
)
