"""``sudokucrypt analyze``: how random a picture looks."""

from __future__ import annotations

from pathlib import Path

import click

from sudokucrypt.analysis import METRICS, measure_image
from sudokucrypt.analysis.randomness import bits_from_image, packed_bits
from sudokucrypt.cli import options
from sudokucrypt.cli.analysis.output import OutputOptions, output_options
from sudokucrypt.cli.analysis.pictures import level_option, read_images
from sudokucrypt.cli.progress import progress_bar
from sudokucrypt.reports import image_report


def _list_metrics(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print every metric and what it is."""
    if wanted and not context.resilient_parsing:
        for name, metric in METRICS.items():
            click.echo(f"{name:26}{metric.meaning}")
        context.exit()


@click.command("analyze")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.option(
    "--against",
    metavar="PLAIN",
    type=click.Path(path_type=Path),
    help="The plain picture that IN was made from, to be compared.",
)
@click.option(
    "--twin",
    metavar="OTHER",
    type=click.Path(path_type=Path),
    help="The result for a plain picture that differs in one pixel, under the same key: gives "
    "npcr and uaci.",
)
@level_option
@click.option(
    "--randomness", is_flag=True, help="Run the tests of NIST SP 800-22 on the bits of IN too."
)
@click.option(
    "--export-bits",
    "bits",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the bits of all samples, the highest first, for other test suites; - is stdout.",
)
@click.option(
    "--list-metrics",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_metrics,
    help="Print the names of all metrics, those of other commands among them.",
)
@output_options
@options.max_pixels_option
def command(
    *,
    source: Path,
    against: Path | None,
    twin: Path | None,
    level: float,
    randomness: bool,
    bits: Path | None,
    output: OutputOptions,
    max_pixels: int | None,
) -> None:
    """Measure how random the picture IN, or - for stdin, looks.

    Correlation, entropy, histogram, texture: each figure beside what a random picture of this
    size gives, with a verdict. Passing every test does not show that a picture is secret.
    """
    others = [path for path in (against, twin) if path is not None]
    output.check([source, *others], also=[] if bits is None else [bits])
    images = read_images([source, *others], max_pixels=max_pixels)
    image = images[0]
    with progress_bar("measuring") as advance:
        found = measure_image(
            image,
            against=None if against is None else images[1],
            twin=None if twin is None else images[-1],
            level=level,
            randomness=randomness,
            progress=advance,
        )
    also = {}
    if bits is not None:
        also[bits] = packed_bits(bits_from_image(image.pixels, levels=image.levels))
    output.write(image_report(found), also=also)
