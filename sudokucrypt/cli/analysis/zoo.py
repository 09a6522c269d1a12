"""``sudokucrypt zoo``: measure and attack published ciphers."""

from pathlib import Path

import click

from sudokucrypt import analysis, reports
from sudokucrypt.analysis.zoo import fit_picture, parse_entries, read_zoo
from sudokucrypt.cli.analysis import files, schemes
from sudokucrypt.cli.analysis.options import seed_option, timeout_option
from sudokucrypt.cli.extensions import Group, option
from sudokucrypt.cli.messages import show_progress_bar
from sudokucrypt.cli.options import PATH_TYPE, max_pixels_option

# Pixels; some published ciphers take minutes for larger pictures.
_PICTURE_SIDE = 64


def _load_portrait() -> analysis.NamedImage:
    """Return a portrait in color, reduced to `_PICTURE_SIDE` pixels a side."""
    pixels = files.load_portrait().pixels
    step = min(pixels.shape[:2]) // _PICTURE_SIDE
    return analysis.NamedImage(
        name="portrait", pixels=pixels[::step, ::step][:_PICTURE_SIDE, :_PICTURE_SIDE].copy()
    )


@click.group("zoo", cls=Group, invoke_without_command=True)
@schemes.scheme_options("measure", "all published and all standard ciphers.")
@option(
    "--picture IN",
    "Picture of 8 bits a sample that is attacked, can be repeated; by default a portrait in color "
    "and clouds in gray, 64 x 64. Ciphers of gray images take one channel of a picture in color.",
    name="sources",
    multiple=True,
    type=PATH_TYPE,
)
@option(
    "--keys N",
    "Measure the metrics under N keys.",
    type=click.IntRange(1),
    default=5,
)
@seed_option
@timeout_option
@files.output_options
@max_pixels_option
def command(
    *,
    names: str | None,
    own_schemes: tuple[str, ...],
    sources: tuple[Path, ...],
    keys: int,
    seed: int,
    timeout: float | None,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Measure and attack published ciphers, in one table; `zoo show NAME` shows one cipher.

    Each cipher has a row with the usual metrics, with the score of each attack, which knows neither
    design nor key, and with that of the control with a new key for each image.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    output.check(sources)
    scheme_names = names.split(",") if names else []
    chosen_schemes = (
        schemes.choose_schemes(scheme_names, own_schemes=own_schemes, seed=seed, timeout=timeout)
        or None
    )
    with show_progress_bar("attacking", stages=14) as advance:
        pictures = files.read_images(sources, max_pixels=max_pixels)
        result = analysis.measure_zoo(
            pictures or [_load_portrait(), analysis.specimens(_PICTURE_SIDE)[-1]],
            chosen_schemes,
            keys=keys,
            seed=seed,
            timeout=timeout,
            progress=advance,
        )
    output.write(reports.zoo_report(result))


@command.command()
@click.argument("name", metavar="NAME")
@option(
    "--picture IN", "Picture of 8 bits a sample that is attacked.", name="source", type=PATH_TYPE
)
@files.output_options
@max_pixels_option
def show(
    *, name: str, source: Path | None, output: files.ReportOptions, max_pixels: int | None
) -> None:
    """Show one cipher: what it does, its source, its break, and pictures in HTML.

    The attack that recovered most when the zoo was measured is run on it again.
    """
    (cipher,) = schemes.choose_schemes([name])
    output.check([] if source is None else [source])
    entry = next(
        (entry for entry in parse_entries(read_zoo()) if entry.cipher == cipher.name), None
    )
    best_attack = None if entry is None else entry.best_attack
    attack_result = None
    if best_attack is not None:
        picture = (
            _load_portrait() if source is None else files.read_image(source, max_pixels=max_pixels)
        )
        attack_result = analysis.run_attack(
            best_attack, fit_picture(picture, cipher), [cipher], control=False
        )
    output.write(reports.cipher_report(cipher, attack_result))
