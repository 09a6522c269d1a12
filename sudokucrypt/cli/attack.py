"""``sudokucrypt attack``: one attack on several schemes, and what the attacker sees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.analysis.reports import AttackSettings, attack_report, run_attack
from sudokucrypt.cli import options
from sudokucrypt.cli.analysis.output import OutputOptions, output_options
from sudokucrypt.cli.analysis.pictures import read_image
from sudokucrypt.cli.analysis.subjects import (
    chosen_subjects,
    list_schemes_option,
)
from sudokucrypt.cli.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.analysis.reports import AttackName

_USUAL = "scramble,scramble-context,encrypt"


@click.group("attack")
def command() -> None:
    """Attack schemes on the picture IN, and show what the attacker makes of it.

    Each attack runs on the schemes as they are meant to be used and without salt, and on a control
    that it must break. The key is one for tests, never yours.
    """


def _add(attack: AttackName, help_text: str, *, schemes: str = _USUAL) -> None:
    """Add the command of one attack."""

    def run(
        *,
        source: Path,
        schemes: str,
        output: OutputOptions,
        max_pixels: int | None,
        images: int = 4,
        block_size: int = 32,
    ) -> None:
        output.check([source])
        subjects = chosen_subjects(schemes.split(","), block_size=block_size)
        settings = AttackSettings(images=images, block_size=block_size)
        plain = read_image(source, max_pixels=max_pixels)
        with progress_bar("attacking") as advance:
            found = run_attack(attack, plain, subjects, settings=settings, progress=advance)
        output.write(attack_report(found))

    run.__doc__ = help_text
    decorators: list[Callable[..., Callable[..., None]]] = [
        options.max_pixels_option,
        output_options,
        *_EXTRA.get(attack, ()),
        list_schemes_option,
        click.option(
            "--schemes",
            metavar="A,B,...",
            default=schemes,
            show_default=True,
            help="What to attack, names with commas between.",
        ),
        click.argument("source", metavar="IN", type=click.Path(path_type=Path)),
    ]
    decorated: Callable[..., None] = run
    for decorate in decorators:
        decorated = decorate(decorated)
    command.add_command(click.command(attack)(decorated))


_EXTRA = {
    "kpa": [
        click.option(
            "--images",
            metavar="N",
            type=click.IntRange(1, 64),
            default=4,
            show_default=True,
            help="How many known images, of random samples.",
        )
    ],
    "jigsaw": [
        click.option(
            "--block-size",
            metavar="B",
            type=click.IntRange(2, 65535),
            default=32,
            show_default=True,
            help="Side of the blocks in pixels.",
        )
    ],
}

_add("cpa", "Recover the map from images of the attacker's choice.")
_add("kpa", "Recover the map from random images that the attacker knows.")
_add("row-column", "Find rows and columns again from one known image.")
_add("differential", "Take off a mask that is always the same, then recover the map.")
_add(
    "jigsaw",
    "Put scrambled blocks together by their edges.",
    schemes="scramble-block,scramble,encrypt",
)
_add("reuse", "Find equal images, and key streams that are used twice.")
