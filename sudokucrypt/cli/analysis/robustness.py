"""``sudokucrypt robustness``: disturb protected pictures, and measure the restored ones."""

from pathlib import Path

import click

from sudokucrypt import analysis, reports
from sudokucrypt.cli.analysis import files, schemes
from sudokucrypt.cli.analysis.options import timeout_option
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import show_progress_bar
from sudokucrypt.cli.options import PATH_TYPE, max_pixels_option

_DEFAULT_SCHEMES = (
    *("scramble", "scramble-block", "scramble-context", "scramble-context-block", "encrypt"),
    "scramble-robust",
)


def _parse_strengths(
    _: click.Context, __: click.Parameter, text: str | None
) -> dict[str, list[float]]:
    """Convert text such as "jpeg=50,jpeg=90,crop" to the strengths of each disturbance."""
    disturbances: dict[str, list[float]] = {}
    for part in (text or ",".join(analysis.DISTURBANCES)).split(","):
        name, equals_sign, strength = part.strip().partition("=")
        strengths = disturbances.setdefault(name, [])
        if equals_sign:
            try:
                strengths.append(float(strength))
            except ValueError:
                message = f"the strength {strength!r} of {name} is not a number"
                raise click.BadParameter(message) from None
    return disturbances


@click.command("robustness")
@click.argument("sources", metavar="[IN]...", nargs=-1, type=PATH_TYPE)
@schemes.scheme_options("measure", f"{', '.join(_DEFAULT_SCHEMES)}, or with --scheme that alone.")
@option(
    "--disturbances A,B=S,...",
    "Names of the disturbances, separated by commas, each with a strength or at its usual ones; "
    "by default all.",
    callback=_parse_strengths,
)
@schemes.listing_option(
    "--list-disturbances",
    lambda: (
        f"{name:18}{disturbance.meaning}; "
        f"{', '.join(f'{strength:g}' for strength in disturbance.usual)} ({disturbance.unit})"
        for name, disturbance in analysis.DISTURBANCES.items()
    ),
    text="Print the names of all disturbances, with their usual strengths.",
)
@timeout_option
@files.output_options
@max_pixels_option
def command(
    *,
    sources: tuple[Path, ...],
    names: str | None,
    own_schemes: tuple[str, ...],
    disturbances: dict[str, list[float]],
    timeout: float | None,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Disturb protected pictures as channels and services do, and measure what is restored.

    The disturbances are noise, flipped bits, a lost corner, JPEG and resizing. PSNR, SSIM and
    correlation of the restored pictures are shown beside their theoretical values. Schemes that
    detect changes refuse to restore. Without IN, a portrait is used.
    """
    output.check(sources)
    scheme_names = names.split(",") if names else () if own_schemes else _DEFAULT_SCHEMES
    chosen_schemes = schemes.choose_schemes(
        scheme_names,
        own_schemes=own_schemes,
        further_schemes=[schemes.make_robust_scheme()],
        timeout=timeout,
    )
    pictures = (
        files.read_images(sources, max_pixels=max_pixels) if sources else [files.load_portrait()]
    )
    results = []
    for scheme in chosen_schemes:
        with show_progress_bar(scheme.name, stages=1) as advance:
            results.append(
                analysis.measure_robustness(
                    scheme,
                    pictures,
                    disturbances=disturbances,
                    timeout=timeout,
                    progress=advance,
                )
            )
    output.write(reports.robustness_report(results))
