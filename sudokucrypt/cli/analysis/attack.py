"""``sudokucrypt attack``: one attack on several schemes, and what the attacker sees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.analysis import ATTACKS, run_attack
from sudokucrypt.cli import options
from sudokucrypt.cli.analysis.output import OutputOptions, output_options
from sudokucrypt.cli.analysis.pictures import read_image
from sudokucrypt.cli.analysis.schemes import chosen_schemes, list_schemes_option, own_scheme_option
from sudokucrypt.cli.progress import progress_bar
from sudokucrypt.reports import attack_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.analysis.attacks import Attack

_USUAL = "scramble,scramble-context,encrypt"
_USUAL_BLOCKS = "scramble-block,scramble,encrypt"
_BLOCK_SIZE = 16


class _Attacks(click.Group):
    """A command for each attack that is registered."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(ATTACKS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        return _attack_command(ATTACKS[cmd_name]) if cmd_name in ATTACKS else None


@click.group("attack", cls=_Attacks)
def command() -> None:
    """Attack schemes on the picture IN, and show what the attacker makes of it.

    Each attack runs on the schemes as they are meant to be used and without salt, and on a control
    that it must break. The key is one for tests, never yours.
    """


def _attack_command(attack: Attack) -> click.Command:
    """Return the command of one attack, with an option for each number that it takes."""
    usual = _USUAL_BLOCKS if attack.blocks else _USUAL

    def run(
        *,
        source: Path,
        schemes: str | None,
        own: tuple[str, ...],
        output: OutputOptions,
        max_pixels: int | None,
        **numbers: int,
    ) -> None:
        output.check([source])
        names = schemes.split(",") if schemes else [] if own else usual.split(",")
        chosen = chosen_schemes(names, own=own, block_size=numbers.get("block_size", _BLOCK_SIZE))
        plain = read_image(source, max_pixels=max_pixels)
        with progress_bar("attacking") as advance:
            found = run_attack(attack.name, plain, chosen, options=numbers, progress=advance)
        output.write(attack_report(found))

    run.__doc__ = attack.summary
    decorators: list[Callable[..., Callable[..., None]]] = [
        options.max_pixels_option,
        output_options,
        *(
            click.option(
                f"--{option.name.replace('_', '-')}",
                metavar=option.metavar,
                type=click.IntRange(option.least, option.most),
                default=option.default,
                show_default=True,
                help=option.text,
            )
            for option in reversed(attack.options)
        ),
        list_schemes_option,
        own_scheme_option,
        click.option(
            "--schemes",
            metavar="A,B,...",
            help="What to attack, names with commas between; by default "
            f"{usual.replace(',', ', ')}, or with --scheme that alone.",
        ),
        click.argument("source", metavar="IN", type=click.Path(path_type=Path)),
    ]
    decorated: Callable[..., None] = run
    for decorate in decorators:
        decorated = decorate(decorated)
    return click.command(attack.name)(decorated)
