"""``sudokucrypt security-report``: the whole battery on one scheme."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from sudokucrypt.analysis import measure_security, specimens
from sudokucrypt.cli import options
from sudokucrypt.cli.analysis.output import OutputOptions
from sudokucrypt.cli.analysis.pictures import level_option, read_image, read_images
from sudokucrypt.cli.analysis.schemes import chosen_schemes, list_schemes_option, own_scheme
from sudokucrypt.cli.progress import progress_bar
from sudokucrypt.reports import security_report

_PORTRAIT = Path(__file__).parents[1] / "pictures" / "demo.jpg"


@click.command("security-report")
@click.argument("names", metavar="SCHEME [IN]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--scheme",
    "own",
    metavar="FILE.py:FUNCTION",
    help="A scheme of your own in place of SCHEME, also as MODULE:FUNCTION: it takes an array and "
    "the bytes of a key, and returns an array.",
)
@list_schemes_option
@click.option(
    "--keys",
    metavar="N",
    type=click.IntRange(5),
    default=20,
    show_default=True,
    help="How many keys each figure is measured under.",
)
@level_option
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where to write; by default the folder you are in.",
)
@click.option("--force", is_flag=True, help="Replace existing output.")
@options.max_pixels_option
def command(
    *,
    names: tuple[Path, ...],
    own: str | None,
    keys: int,
    level: float,
    folder: Path,
    force: bool,
    max_pixels: int | None,
) -> None:
    """Measure and attack SCHEME in every way, and write a page and its data.

    Writes SCHEME-security.html and SCHEME-security.json. The pictures are IN, or without them a
    portrait and some that are made: black, gradient, checkerboard, text, clouds.
    """
    if own is None and not names:
        raise click.UsageError("missing argument 'SCHEME'")
    if own is None:
        (scheme,), sources = chosen_schemes([str(names[0])]), names[1:]
    else:
        scheme, sources = own_scheme(own), names
    page, data = (folder / f"{scheme.name}-security.{ending}" for ending in ("html", "json"))
    places = OutputOptions(forms=("json",), page=page, output=data, force=force)
    places.check(sources, new=folder)
    if sources:
        pictures = read_images(sources, max_pixels=max_pixels)
    else:
        pictures = [replace(read_image(_PORTRAIT), name="portrait"), *specimens()]
    with progress_bar("measuring") as advance:
        found = measure_security(scheme, pictures, keys=keys, level=level, progress=advance)
    folder.mkdir(parents=True, exist_ok=True)
    places.write(security_report(found))
    click.echo(f"{page}\n{data}")
