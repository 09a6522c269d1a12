"""The options of pictures that survive services which recompress them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from sudokucrypt.cli.extensions import Command, declared_option, option
from sudokucrypt.recipes.options import RobustOptions, ScrambleOptions

# Parameters that have no meaning where nothing is restored exactly.
_EXACT_ONLY = {
    "unit", "block_size", "rounds", "deterministic", "scheme", "metadata", "sidecar",
    "compress",
}  # fmt: skip


def _list_profiles(context: click.Context, _: click.Parameter, name: str | None) -> str | None:
    """Print the profiles if they are asked for, and end."""
    if name != "list":
        return name
    from sudokucrypt.robust import PROFILES

    click.echo(f"{'profile':10} {'max side':>8} {'quality':>7}  {'date':7}  source")
    for each in PROFILES.values():
        line = f"{each.name:10} {each.max_side:8} {each.quality:7}  {each.date:7}  {each.source}"
        click.echo(line)
    return context.exit()


def robust_options(command: Command) -> Command:
    """Give a command the parameters ``robust``, ``profile``, ``max_side`` and ``quality``."""
    for add in (
        declared_option(RobustOptions, "quality"),
        declared_option(RobustOptions, "max_side"),
        declared_option(RobustOptions, "profile", callback=_list_profiles, is_eager=True),
        option(
            "--robust",
            "Survive services that recompress pictures; the restored picture is close to the "
            "original, not equal. Writes a gray JPEG, or a PNG.",
            heading="How",
            everyday=True,
        ),
    ):
        command = add(command)
    return command


def check_robust(*, robust: bool, **service: Any) -> None:
    """Raise `click.UsageError` for options that mean nothing together."""
    if not robust:
        if any(service.values()):
            raise click.UsageError("--profile, --max-side and --quality go with --robust")
        return
    context = click.get_current_context()
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        given = value and value != parameter.get_default(context)
        if given and parameter.name in _EXACT_ONLY:
            raise click.UsageError(f"--robust cannot be combined with {parameter.opts[0]}")


def make_robust(options: ScrambleOptions, **service: Any) -> RobustOptions:
    """Return the options of a robust picture; those of all pictures are as they were given."""
    shared = {each.name for each in fields(RobustOptions)} & {each.name for each in fields(options)}
    return RobustOptions(**{name: getattr(options, name) for name in shared}, **service)
