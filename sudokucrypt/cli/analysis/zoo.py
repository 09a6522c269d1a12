"""``sudokucrypt zoo``: published ciphers, measured and attacked."""

import sys
from pathlib import Path

import click

from sudokucrypt import analysis, reports
from sudokucrypt.analysis.zoo import entries_in, measured_zoo
from sudokucrypt.cli.analysis import files
from sudokucrypt.cli.analysis.options import seed_option, timeout_option
from sudokucrypt.cli.extensions import Group, option
from sudokucrypt.cli.messages import progress_bar
from sudokucrypt.cli.options import PATH, max_pixels_option
from sudokucrypt.errors import InvalidParameterError

# Some published ciphers take minutes for larger pictures.
_SIDE = 64


def _picture(source: Path | None, max_pixels: int | None) -> analysis.NamedImage:
    """Return the gray picture that is attacked, by default a part of a portrait."""
    if source is not None:
        return files.read_image(source, max_pixels=max_pixels)
    portrait = files.portrait().pixels
    gray = portrait if portrait.ndim == 2 else portrait[..., 1]
    step = min(gray.shape) // _SIDE
    return analysis.NamedImage(name="portrait", pixels=gray[::step, ::step][:_SIDE, :_SIDE].copy())


def _cipher(name: str) -> analysis.PublishedCipher:
    if name not in analysis.LITERATURE:
        raise InvalidParameterError(
            f"there is no published cipher {name!r}",
            hint=f"choose from {', '.join(analysis.LITERATURE)}",
        )
    return analysis.LITERATURE[name]


@click.group("zoo", cls=Group, invoke_without_command=True)
@option(
    "--ciphers A,B,...", "Names of the ciphers, separated by commas; by default all.", name="names"
)
@option(
    "--picture IN",
    "Gray picture of 8 bits that is attacked; by default a part of a portrait, 64 x 64.",
    name="source",
    type=PATH,
)
@seed_option
@timeout_option
@files.output_options
@max_pixels_option
def command(
    *,
    names: str | None,
    source: Path | None,
    seed: int,
    timeout: float | None,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Measure and attack published ciphers, in one table; `zoo show NAME` shows one.

    The usual metrics stand beside the score of each attack, which knows neither design nor key, and
    that of the control with a fresh salt for each image.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    output.check([] if source is None else [source])
    chosen = [_cipher(name.strip()) for name in names.split(",")] if names else None
    with progress_bar("attacking", stages=14) as advance:
        result = analysis.measure_zoo(
            _picture(source, max_pixels), chosen, seed=seed, timeout=timeout, progress=advance
        )
    output.write(reports.zoo_report(result))


@command.command()
@click.argument("name", metavar="NAME")
@option("--picture IN", "Gray picture of 8 bits that is attacked.", name="source", type=PATH)
@files.output_options
@max_pixels_option
def show(
    *, name: str, source: Path | None, output: files.ReportOptions, max_pixels: int | None
) -> None:
    """Show one published cipher: its source, its core, its break, and pictures in HTML.

    The attack that recovered most when the zoo was measured is run on it again.
    """
    cipher = _cipher(name)
    output.check([] if source is None else [source])
    entry = next(
        (each for each in entries_in(measured_zoo()["64"]) if each.cipher == cipher.name), None
    )
    best = None if entry is None else entry.best_attack
    figures = None
    if best is not None:
        figures = analysis.run_attack(best, _picture(source, max_pixels), [cipher], control=False)
    core = " ".join((sys.modules[cipher.module].__doc__ or "").split())
    output.write(reports.cipher_report(cipher, figures, core=core))
