"""Pictures that survive services which recompress them: options, and what is done and shown."""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from sudokucrypt import recipes
from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.errors import FormatError, OutputExistsError
from sudokucrypt.remote import Url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.cli.pictures.batch import Target
    from sudokucrypt.keys import MasterKey, RestoringKey
    from sudokucrypt.recipes import FileReport
    from sudokucrypt.robust import CarrierMatch
    from sudokucrypt.storage import Location

_EXACT_ONLY = {
    "unit", "block_size", "rounds", "deterministic", "context", "scheme", "rectangles", "mask_file",
    "faces", "face_margin", "list_regions", "allow_none", "keep_metadata", "strip_metadata",
    "sidecar", "compress",
}  # fmt: skip
"""Parameters that have no meaning where nothing comes back exactly."""


@dataclass(frozen=True, kw_only=True)
class RobustOptions:
    """What was said on the command line about the service that the picture goes through."""

    robust: bool
    profile: str | None
    max_side: int | None
    quality: int | None

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
)


def scramble_sheet(
    source: Location | BinaryIO, target: Target, *, key: MasterKey, resume: bool, **how: Any
) -> FileReport:
    """Scramble one picture into a robust one."""
    with _not_compared(resume=resume):
        return recipes.scramble_robust_file(source, target, key, **how)


def unscramble_any(
    source: Location | BinaryIO, target: Target, *, key: RestoringKey, **how: Any
) -> FileReport:
    """Restore one scrambled picture: exactly by its header, or else roughly by its cells."""
    source = again(source)
    try:
        return recipes.unscramble_file(source, target, key, **how)
    except FormatError as error:
        if error.hint_key != "no_header":
            raise
        rest = {name: how[name] for name in ("format", "max_pixels", "threads", "replace")}
        try:
            with _not_compared(resume=how["resume"]):
                return recipes.unscramble_robust_file(again(source), target, key, **rest)
        except FormatError:
            raise error from None


@contextmanager
def _not_compared(*, resume: bool) -> Iterator[None]:
    """Say why a result that exists is not kept where others would be."""
    try:
        yield
    except OutputExistsError as error:
        if not resume:
            raise
        raise OutputExistsError(
            f"{error}, and rough results cannot be compared",
            hint=error.hint,
            hint_key=error.hint_key,
        ) from None


def find_carrier(
    source: Location | BinaryIO, max_pixels: int | None, missing: FormatError
) -> CarrierMatch:
    """Return what the cells of a robust picture say, or raise the error for one without header."""
    try:
        return recipes.find_robust(again(source), max_pixels=max_pixels)
    except FormatError:
        raise missing from None


def again(source: Location | BinaryIO) -> Location | BinaryIO:
    """Return a source that can be read more than once, from its start."""
    if isinstance(source, Path | Url):
        return source
    if not isinstance(source, io.BytesIO):
        return io.BytesIO(source.read())
    source.seek(0)
    return source


def sheet_fields(found: CarrierMatch) -> dict[str, Any]:
    """Return what `info` shows of a robust picture, in the order of its lines."""
    from sudokucrypt.robust import NAME, profile_numbered

    header, profile = found.header, profile_numbered(found.header.profile)
    return {
        "scheme": NAME,
        "shape": list(header.shape),
        "sheet": list(found.carrier.shape),
        "profile": profile.name if profile else None,
        "scale": round(found.scale, 4),
        "missing": round(found.missing, 4),
        "key_id": header.key_id,
        "salt": header.salt.hex(),
    }
