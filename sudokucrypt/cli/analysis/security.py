"""``sudokucrypt security-report``: every measurement and attack on one scheme."""

from pathlib import Path

import click

from sudokucrypt import analysis, reports
from sudokucrypt.cli.analysis import files, schemes
from sudokucrypt.cli.analysis.options import level_option, seed_option, timeout_option
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import announced, progress_bar, say
from sudokucrypt.cli.options import PATH, max_pixels_option
from sudokucrypt.reports.latex import PageWidth
from sudokucrypt.storage import make_folder


@click.command()
@click.argument("names", metavar="SCHEME [IN]...", nargs=-1, type=PATH)
@schemes.own_scheme_option("Your own scheme, instead of SCHEME")
@schemes.list_schemes_option
@schemes.metric_option
@schemes.attack_option
@option("--keys N", "Number of keys for each figure.", type=click.IntRange(5), default=20)
@seed_option
@level_option
@option("--quick", "Look at a small part of the first picture only, under 5 keys, in seconds.")
@timeout_option
@option("--latex", "Also write the tables in LaTeX.")
@option("--csv", "Also write the figures as CSV.")
@files.width_option
@option("--figures", "Also write all pictures and plots to a folder, each as SVG and as PDF.")
@option(
    "-o, --output DIR",
    "Folder for all files; by default the current one.",
    name="folder",
    type=click.Path(path_type=Path, file_okay=False, readable=False),
    default=Path(),
    show_default=False,
)
@option("--force", "Replace existing output.")
@max_pixels_option
def security_report(
    *,
    names: tuple[Path, ...],
    own: str | None,
    keys: int,
    seed: int,
    level: float,
    quick: bool,
    timeout: float | None,
    latex: bool,
    csv: bool,
    width: PageWidth,
    figures: bool,
    folder: Path,
    force: bool,
    max_pixels: int | None,
) -> None:
    """Run every measurement and attack on SCHEME, and write a page and its data.

    Writes SCHEME-security.html and SCHEME-security.json. Without IN, a portrait and six generated
    pictures are used: black, gradient, checkerboard, text, white, clouds.
    """
    if own is None and not names:
        raise click.UsageError("missing argument 'SCHEME'")
    first = names[:1] if own is None else ()
    (scheme,) = schemes.chosen_schemes(
        list(map(str, first)), own=() if own is None else (own,), seed=seed, timeout=timeout
    )
    sources = names[len(first) :]
    # A scheme of the user may be called by its location.
    stem = f"{scheme.name.rpartition(':')[2]}-security"
    page, data = (folder / f"{stem}.{ending}" for ending in ("html", "json"))
    more = {"latex": folder / f"{stem}.tex"} if latex else {}
    more |= {"csv": folder / f"{stem}.csv"} if csv else {}
    output = files.ReportOptions(
        forms=("json",),
        width=width,
        page=page,
        figures=folder / f"{stem}-figures" if figures else None,
        output=data,
        force=force,
    )
    output.check(sources, also=more.values(), new=folder)
    if sources:
        pictures = files.read_images(sources, max_pixels=max_pixels)
    else:
        pictures = [files.portrait(), *analysis.specimens()]
    with progress_bar("measuring", stages=10) as advance:
        result = analysis.measure_security(
            scheme,
            pictures,
            keys=keys,
            seed=seed,
            level=level,
            quick=quick,
            timeout=timeout,
            progress=advance,
            announce=announced(),
        )
    report = reports.security_report(result)
    # Only now: a report that cannot be made leaves no folder behind.
    make_folder(folder)
    output.write(report, also={path: output.text(report, form) for form, path in more.items()})
    answer = reports.broken_sentence(result).removesuffix(".")
    say("note", f"{answer[:1].lower()}{answer[1:]}")
    click.echo("\n".join(map(str, (page, data, *more.values()))))
