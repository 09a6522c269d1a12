"""``sudokucrypt analyze`` and ``compare``: measure pictures, and compare schemes."""

from pathlib import Path
from typing import get_args

import click

from sudokucrypt import analysis, reports
from sudokucrypt.analysis.progress import run_guarded
from sudokucrypt.analysis.randomness import Reference, bits_from_image, packed_bits
from sudokucrypt.cli.analysis import files, schemes
from sudokucrypt.cli.analysis.options import level_option, seed_option, timeout_option
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import show_progress_bar
from sudokucrypt.cli.options import PATH_TYPE, max_pixels_option


@click.command()
@click.argument("source", metavar="[IN]", type=PATH_TYPE, required=False)
@option(
    "--bits FILE",
    "Instead of a picture, test the bits of FILE, or - for stdin, by NIST SP 800-22; the most "
    "significant bit of each byte comes first.",
    name="raw",
    type=PATH_TYPE,
)
@option(
    "--against PLAIN", "Compare IN with the plain picture that it was made from.", type=PATH_TYPE
)
@option(
    "--twin OTHER",
    "Compute npcr and uaci; OTHER is the result, under the same key, for a plain picture that "
    "differs in one pixel.",
    type=PATH_TYPE,
)
@schemes.own_scheme_option(
    "Measure what your scheme makes of IN, the plain picture, and of IN with one sample changed"
)
@level_option
@schemes.metric_option
@option("--randomness", "Also run the tests of NIST SP 800-22 on the bits of IN.")
@option(
    "--nist-constants NAME",
    "Constants of these tests: 'corrected', or those of the program sts-2.1.2, which differ in "
    "six tests.",
    name="reference",
    type=click.Choice(get_args(Reference)),
    default="corrected",
)
@option(
    "--export-bits FILE",
    "Write the bits of all samples, most significant first, for other test suites; - is stdout.",
    name="bits",
    type=PATH_TYPE,
)
@schemes.listing_option(
    "--list-metrics",
    lambda: (f"{name:26}{metric.meaning}" for name, metric in analysis.METRICS.items()),
    text="Print the names of all metrics, including those of other commands.",
)
@schemes.new_scheme_option
@timeout_option
@files.output_options
@max_pixels_option
def analyze(
    *,
    source: Path | None,
    raw: Path | None,
    against: Path | None,
    twin: Path | None,
    own_scheme: str | None,
    level: float,
    randomness: bool,
    reference: Reference,
    bits: Path | None,
    timeout: float | None,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Measure how random the picture IN, or - for stdin, looks.

    Correlation, entropy, histogram, texture: each figure is shown beside the value of a random
    picture of this size, with a verdict. Passing every test does not show that a picture is secret.
    """
    if raw is not None:
        if source is not None:
            raise click.UsageError("--bits takes the place of IN: leave one of them out")
        output.check([raw])
        bit_data = files.read_bytes(raw)
        with show_progress_bar("testing") as advance:
            bits_result = analysis.measure_bits(
                bit_data, name=str(raw), reference=reference, progress=advance
            )
        output.write(reports.bits_report(bits_result))
        return
    if source is None:
        raise click.UsageError("missing argument 'IN'")
    path_options = {"against": against, "twin": twin}
    paths = {role: path for role, path in path_options.items() if path is not None}
    if own_scheme is not None and paths:
        raise click.UsageError(
            "--scheme makes the pictures that --against and --twin name: leave these options out"
        )
    sources = [source, *paths.values()]
    output.check(sources, other_files=[] if bits is None else [bits])
    scheme = None if own_scheme is None else schemes.load_scheme(own_scheme, timeout=timeout)
    image, *further_images = files.read_images(sources, max_pixels=max_pixels)
    images_by_role = dict(zip(paths, further_images, strict=True))
    if scheme is not None:
        # With --scheme, IN is the plain picture, and the scheme makes all other pictures of it.
        images_by_role["against"], key = image, analysis.report_key(0)
        original_image = image
        image, images_by_role["twin"] = run_guarded(
            lambda: analysis.protected_twins(scheme.fixed, original_image, key, name=scheme.name),
            foreign=bool(scheme.code),
            limit=timeout,
        )
    with show_progress_bar("measuring") as advance:
        result = analysis.measure_image(
            image,
            against=images_by_role.get("against"),
            twin=images_by_role.get("twin"),
            level=level,
            randomness=randomness,
            reference=reference,
            progress=advance,
        )
    other_files = {}
    if bits is not None:
        other_files[bits] = packed_bits(bits_from_image(image.pixels, levels=image.levels))
    output.write(reports.image_report(result), other_files=other_files)


def _parse_sides(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, ...]:
    """Convert text such as "256,512" to sides in pixels."""
    try:
        side_lengths = tuple(int(side) for side in text.split(",")) if text else ()
    except ValueError:
        side_lengths = (0,)
    if not all(1 <= side <= analysis.LARGEST_SIDE for side in side_lengths):
        raise click.UsageError(
            f"--sizes takes sides of 1 to {analysis.LARGEST_SIDE} pixels, such as 256,512"
        )
    return side_lengths


@click.command()
@click.argument("sources", metavar="IN...", nargs=-1, required=True, type=PATH_TYPE)
@schemes.scheme_options(
    "compare",
    "scramble, scramble-context, encrypt, and all others except the published ciphers of zoo.",
)
@schemes.metric_option
@level_option
@option(
    "--keys N",
    "Measure each scheme under N keys, and show means and deviations.",
    type=click.IntRange(1),
    default=1,
)
@seed_option
@option(
    "--published FILE.csv",
    "Values that papers print, to be shown below: one row for each scheme, with the columns that "
    "--csv writes.",
    type=PATH_TYPE,
)
@option(
    "--repeats N",
    "Time each scheme N times; the shortest time counts. Times differ between two runs.",
    type=click.IntRange(0),
    default=0,
)
@option(
    "--sizes N,N,...",
    "Also measure time and memory of the schemes on square images with these sides in pixels.",
    name="sides",
    callback=_parse_sides,
)
@option("--robustness", "Also disturb the results, and measure what is restored.")
@timeout_option
@files.output_options
@max_pixels_option
def compare(
    *,
    sources: tuple[Path, ...],
    names: str | None,
    own_schemes: tuple[str, ...],
    level: float,
    keys: int,
    seed: int,
    published: Path | None,
    repeats: int,
    sides: tuple[int, ...],
    robustness: bool,
    timeout: float | None,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Compare schemes on the pictures IN, in one table.

    Each scheme has a row with figures, verdicts and times; all use the same keys.
    """
    output.check([*sources, *([published] if published else [])])
    scheme_names = schemes.list_compared_scheme_names() if names is None else names.split(",")
    chosen_schemes = schemes.choose_schemes(
        scheme_names, own_schemes=own_schemes, seed=seed, timeout=timeout
    )
    rows = files.read_published_rows(published) if published else []
    pictures = files.read_images(sources, max_pixels=max_pixels)
    with show_progress_bar("comparing", stages=10) as advance:
        result = analysis.compare_schemes(
            pictures,
            chosen_schemes,
            level=level,
            keys=keys,
            seed=seed,
            repeats=repeats,
            sides=sides,
            robustness=robustness,
            timeout=timeout,
            progress=advance,
        )
    output.write(reports.comparison_report(result, published=rows))
