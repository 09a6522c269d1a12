"""The options of pictures that survive services which recompress them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from sudokucrypt.cli.extensions import option, option_group

# Parameters that have no meaning where nothing comes back exactly.
_EXACT_ONLY = {
    "unit", "block_size", "rounds", "deterministic", "scheme", "strip_metadata", "sidecar",
    "compress",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RobustOptions:
    """What was said on the command line about the service that the picture goes through."""

    robust: bool
    profile: str | None
    max_side: int | None
    quality: int | None

    def of_recipe(self) -> dict[str, Any]:
        """Return the options of the recipe."""
        return {"profile": self.profile, "max_side": self.max_side, "quality": self.quality}

    def check(self) -> None:
        """Raise `click.UsageError` for options that mean nothing together."""
        if not self.robust:
            if self.profile or self.max_side or self.quality:
                raise click.UsageError("--profile, --max-side and --quality go with --robust")
            return
        context = click.get_current_context()
        for parameter in context.command.params:
            value = context.params.get(str(parameter.name))
            given = value and value != parameter.get_default(context)
            if given and parameter.name in _EXACT_ONLY:
                raise click.UsageError(f"--robust cannot be combined with {parameter.opts[0]}")


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


robust_options = option_group(
    "service",
    RobustOptions,
    option(
        "--robust",
        "Survive services that recompress pictures; the restored picture is close to the "
        "original, not equal. Writes a gray JPEG, or a PNG.",
        everyday=True,
    ),
    option(
        "--profile NAME",
        "Make the result small enough for a service not to shrink it; 'list' prints all services.",
        callback=_list_profiles,
        is_eager=True,
    ),
    option(
        "--max-side N", "Longest side of the result in pixels, at most.", type=click.IntRange(1)
    ),
    option(
        "--quality Q", "Quality of the JPEG, 1..100; by default 92.", type=click.IntRange(1, 100)
    ),
    heading="How",
)
