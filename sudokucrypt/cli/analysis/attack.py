"""``sudokucrypt attack``: one attack, or all of them."""

from pathlib import Path

import click

from sudokucrypt import analysis, reports
from sudokucrypt.analysis.attacks import Attack
from sudokucrypt.cli.analysis import files, schemes
from sudokucrypt.cli.analysis.options import timeout_option
from sudokucrypt.cli.extensions import Command, Group, option
from sudokucrypt.cli.messages import progress_bar
from sudokucrypt.cli.options import PATH, max_pixels_option


class _Attacks(Group):
    """A command for each attack that is registered, and one for all of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return ["all", *analysis.ATTACKS]

    def command_named(self, ctx: click.Context, name: str) -> click.Command | None:
        del ctx
        if name == "all":
            return attack_all
        return _attack_command(analysis.ATTACKS[name]) if name in analysis.ATTACKS else None


@click.command("all")
@click.argument("source", metavar="IN", type=PATH)
@schemes.scheme_options("attack", f"{', '.join(schemes.USUAL)}, or with --scheme that alone.")
@schemes.attack_option
@timeout_option
@files.output_options
@max_pixels_option
def attack_all(
    *,
    source: Path,
    names: str | None,
    own: tuple[str, ...],
    timeout: float | None,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Run every attack on schemes, and show which of them is broken by which."""
    output.check([source])
    wanted = names.split(",") if names else () if own else schemes.USUAL
    chosen = schemes.chosen_schemes(wanted, own=own, timeout=timeout)
    plain = files.read_image(source, max_pixels=max_pixels)
    with progress_bar("attacking", stages=16) as advance:
        result = analysis.run_attacks(plain, chosen, timeout=timeout, progress=advance)
    output.write(reports.attacks_report(result))


@click.group("attack", cls=_Attacks)
def command() -> None:
    """Attack schemes on the picture IN, and show what the attacker recovers.

    Each attack runs on the schemes both as they are meant to be used and without salt, and on a
    control that it must break. It uses a fixed test key, never yours.
    """


def _attack_command(kind: Attack) -> click.Command:
    """Return the command of one attack, with an option for each number that it takes."""
    if kind.takes != "pixels":
        return _jpeg_command(kind)
    usual = ("scramble-block", "scramble", "encrypt") if kind.blocks else schemes.USUAL

    def number_options(command: Command) -> Command:
        for each in reversed(kind.options):
            form = f"--{each.name.replace('_', '-')} {each.metavar}"
            limits = click.IntRange(each.least, each.most)
            command = option(form, each.text, type=limits, default=each.default)(command)
        return command

    @click.command(kind.name, help=kind.summary)
    @click.argument("source", metavar="IN", type=PATH)
    @schemes.scheme_options("attack", f"{', '.join(usual)}, or with --scheme that alone.")
    @number_options
    @timeout_option
    @files.output_options
    @max_pixels_option
    def run(
        *,
        source: Path,
        names: str | None,
        own: tuple[str, ...],
        timeout: float | None,
        output: files.ReportOptions,
        max_pixels: int | None,
        **numbers: int,
    ) -> None:
        output.check([source])
        wanted = names.split(",") if names else () if own else usual
        side = numbers.get("block_size") or 16
        chosen = schemes.chosen_schemes(wanted, own=own, block_size=side, timeout=timeout)
        plain = files.read_image(source, max_pixels=max_pixels)
        with progress_bar("attacking") as advance:
            result = analysis.run_attack(
                kind.name, plain, chosen, options=numbers, timeout=timeout, progress=advance
            )
        output.write(reports.attack_report(result))

    return run


def _jpeg_command(kind: Attack) -> click.Command:
    """Return the command of an attack on JPEG files, which may take several."""

    def others(command: Command) -> Command:
        if kind.takes == "jpeg":
            return command
        return click.argument("others", metavar="[OTHER]...", nargs=-1, type=PATH)(command)

    @click.command(kind.name, help=kind.summary)
    @click.argument("source", metavar="IN", type=PATH)
    @others
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
        plain, *known = (files.read_jpeg(each, max_pixels=max_pixels) for each in (source, *others))
        chosen = [schemes.jpeg_scheme(max_pixels=plain.max_pixels)]
        with progress_bar("attacking") as advance:
            result = analysis.run_jpeg_attack(
                kind.name, plain, chosen, others=known, progress=advance
            )
        output.write(reports.attack_report(result))

    return run
