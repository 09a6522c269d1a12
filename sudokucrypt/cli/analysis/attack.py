"""``sudokucrypt attack``: run one attack, or all attacks."""

from pathlib import Path

import click

from sudokucrypt import analysis, reports
from sudokucrypt.analysis.attacks import Attack
from sudokucrypt.cli.analysis import files, schemes
from sudokucrypt.cli.analysis.options import timeout_option
from sudokucrypt.cli.extensions import CommandFunction, Group, option
from sudokucrypt.cli.messages import show_progress_bar
from sudokucrypt.cli.options import PATH_TYPE, max_pixels_option


class _AttackGroup(Group):
    """A group with a command for each registered attack, and a command for all attacks."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return ["all", *analysis.ATTACKS]

    def find_command(self, ctx: click.Context, name: str) -> click.Command | None:
        del ctx
        if name == "all":
            return attack_all
        return _make_attack_command(analysis.ATTACKS[name]) if name in analysis.ATTACKS else None


@click.command("all")
@click.argument("source", metavar="IN", type=PATH_TYPE)
@schemes.scheme_options(
    "attack", f"{', '.join(schemes.DEFAULT_SCHEMES)}, or with --scheme that alone."
)
@schemes.attack_option
@timeout_option
@files.output_options
@max_pixels_option
def attack_all(
    *,
    source: Path,
    names: str | None,
    own_schemes: tuple[str, ...],
    timeout: float | None,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Run every attack on schemes, and show which attacks break which schemes."""
    output.check([source])
    scheme_names = names.split(",") if names else () if own_schemes else schemes.DEFAULT_SCHEMES
    chosen_schemes = schemes.choose_schemes(scheme_names, own_schemes=own_schemes, timeout=timeout)
    picture = files.read_image(source, max_pixels=max_pixels)
    with show_progress_bar("attacking", stages=16) as advance:
        result = analysis.run_attacks(picture, chosen_schemes, timeout=timeout, progress=advance)
    output.write(reports.attacks_report(result))


@click.group("attack", cls=_AttackGroup)
def command() -> None:
    """Attack schemes on the picture IN, and show what the attacker recovers.

    Each attack runs on the schemes both as they are meant to be used and without salt, and on a
    control that it must break. It uses a fixed test key, never yours.
    """


def _make_attack_command(attack: Attack) -> click.Command:
    """Make the command of one attack, with an option for each of its numeric parameters."""
    if attack.takes != "pixels":
        return _make_jpeg_command(attack)
    default_names = (
        ("scramble-block", "scramble", "encrypt") if attack.blocks else schemes.DEFAULT_SCHEMES
    )

    def add_number_options(command: CommandFunction) -> CommandFunction:
        for attack_option in reversed(attack.options):
            declaration = f"--{attack_option.name.replace('_', '-')} {attack_option.metavar}"
            value_range = click.IntRange(attack_option.least, attack_option.most)
            command = option(
                declaration, attack_option.text, type=value_range, default=attack_option.default
            )(command)
        return command

    @click.command(attack.name, help=attack.summary)
    @click.argument("source", metavar="IN", type=PATH_TYPE)
    @schemes.scheme_options("attack", f"{', '.join(default_names)}, or with --scheme that alone.")
    @add_number_options
    @timeout_option
    @files.output_options
    @max_pixels_option
    def run(
        *,
        source: Path,
        names: str | None,
        own_schemes: tuple[str, ...],
        timeout: float | None,
        output: files.ReportOptions,
        max_pixels: int | None,
        **numbers: int,
    ) -> None:
        output.check([source])
        scheme_names = names.split(",") if names else () if own_schemes else default_names
        block_size = numbers.get("block_size") or 16
        chosen_schemes = schemes.choose_schemes(
            scheme_names, own_schemes=own_schemes, block_size=block_size, timeout=timeout
        )
        picture = files.read_image(source, max_pixels=max_pixels)
        with show_progress_bar("attacking") as advance:
            result = analysis.run_attack(
                attack.name,
                picture,
                chosen_schemes,
                options=numbers,
                timeout=timeout,
                progress=advance,
            )
        output.write(reports.attack_report(result))

    return run


def _make_jpeg_command(attack: Attack) -> click.Command:
    """Make the command of an attack on a JPEG file, or on several of them."""

    def add_others_argument(command: CommandFunction) -> CommandFunction:
        if attack.takes == "jpeg":
            return command
        return click.argument("others", metavar="[OTHER]...", nargs=-1, type=PATH_TYPE)(command)

    @click.command(attack.name, help=attack.summary)
    @click.argument("source", metavar="IN", type=PATH_TYPE)
    @add_others_argument
    @files.output_options
    @max_pixels_option
    def run(
        *,
        source: Path,
        output: files.ReportOptions,
        max_pixels: int | None,
        others: tuple[Path, ...] = (),
    ) -> None:
        output.check([source, *others])
        jpeg, *other_jpegs = (
            files.read_jpeg(path, max_pixels=max_pixels) for path in (source, *others)
        )
        chosen_schemes = [schemes.make_jpeg_scheme(max_pixels=jpeg.max_pixels)]
        with show_progress_bar("attacking") as advance:
            result = analysis.run_jpeg_attack(
                attack.name, jpeg, chosen_schemes, others=other_jpegs, progress=advance
            )
        output.write(reports.attack_report(result))

    return run
