"""The commands that cover areas of pictures, and lift the covers."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt import recipes
from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import GroupedCommand, HintedUsageError, option
from sudokucrypt.cli.keys.secret_options import SecretOptions, recipient_options, secret_options
from sudokucrypt.cli.pictures.batch_options import BatchOptions, redact_options, unredact_options
from sudokucrypt.cli.pictures.regions import (
    LayerOptions,
    RegionOptions,
    area_options,
    check_layers,
    region_options,
)
from sudokucrypt.errors import InvalidImageError, SudokucryptError
from sudokucrypt.lazy import DeferredModule

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sudokucrypt.cli.inputs import Item
    from sudokucrypt.cli.keys import loading
    from sudokucrypt.cli.pictures import job as jobs
else:  # late, so that a misspelt option is answered at once
    loading = DeferredModule("sudokucrypt.cli.keys.loading")
    jobs = DeferredModule("sudokucrypt.cli.pictures.job")

_EXAMPLES = {
    "redact": """\
sudokucrypt redact photo.jpg --region 60,20,90,80 --key my.key
sudokucrypt redact holidays -r -o public --faces --allow-none --key my.key""",
    "unredact": """\
sudokucrypt unredact photo.jpg.redacted.jpg --key my.key
sudokucrypt unredact public -r --list""",
}

# Where a context holds the arguments of each layer.
_GROUPS = "sudokucrypt.layers"

_permanent_option = option(
    "--permanent",
    "Seal nothing of these areas: they are gone for good, and so are all metadata.",
    heading="What",
)


class LayeredCommand(GroupedCommand):
    """A command whose options behind each ``--layer`` are those of one layer."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments of layers aside."""
        groups: list[list[str]] = [[]]
        for text in args:
            first, sign, value = text.partition("=")
            if first == "--layer":
                groups.append([value] if sign else [])
            else:
                groups[-1].append(text)
        ctx.meta[_GROUPS] = groups[1:]
        return super().parse_args(ctx, groups[0])


@click.command(cls=LayeredCommand, examples=_EXAMPLES["redact"])
@redact_options
@region_options
@option(
    "--layer NAME",
    "Begin a layer: regions, faces, mask, --permanent and the key that follow are its own. The "
    "name is sealed. An overlap belongs to the first layer.",
    multiple=True,
    expose_value=False,
    heading="What",
)
@_permanent_option
@option("--yes", "Do not ask before something is covered for good.", heading="How")
@option(
    "--cover COVER",
    "black, white, gray, a color such as #ff8800, or surroundings: a smooth fill from pixels that "
    "are not covered. There is no blur and no mosaic, which show what they cover.",
    default="black",
    heading="How",
)
@option(
    "--sidecar",
    "Write the layers to OUT.redaction instead of the picture: they survive programs that strip "
    "metadata. Lifting still needs every visible pixel as it was written.",
    heading="Where",
)
@recipient_options
@secret_options
def redact(
    *,
    batch: BatchOptions,
    region: RegionOptions,
    permanent: bool,
    secret: SecretOptions,
    yes: bool,
    cover: str,
    sidecar: bool,
) -> None:
    """Cover areas of pictures so that their keys lift the covers again.

    IN is a picture, a folder, or - for stdin. With all keys, 'unredact' gives back the very file. A
    JPEG stays a JPEG, and nothing outside the covered blocks of 8 or 16 pixels changes; every other
    still becomes a PNG. Metadata and previews are sealed; orientation and color profile are written
    anew. Boxes still show where and how large something is.
    """
    from sudokucrypt.cli.pictures.batch_run import run
    from sudokucrypt.recipes.carriers.redaction.covers import checked_cover

    chosen = [("", region, permanent, secret)] if region.chooses else []
    chosen += _layers_of(click.get_current_context(), secret)
    if not chosen:
        raise click.UsageError("nothing is covered: give --region, --faces or --mask")
    check_layers([own for _, own, *_ in chosen], region, to_stdout=batch.to_stdout)
    cover = checked_cover(cover)
    if not (yes or batch.dry_run):
        _ask(batch, gone=[permanent for _, _, permanent, _ in chosen])
    secrets = tuple(dict.fromkeys(own for _, _, permanent, own in chosen if not permanent))
    layers = (
        LayerOptions(
            name=name,
            region=replace(
                own,
                list_regions=region.list_regions,
                allow_none=region.allow_none,
                several=batch.several,
            ),
            key=None if permanent else secrets.index(own_secret),
        )
        for name, own, permanent, own_secret in chosen
    )
    work = jobs.Work(
        recipe=recipes.redact_file,
        word="redacted",
        secrets=secrets,
        keys=tuple(loading.load_protecting(own, batch.sources) for own in secrets),
        options=batch.of_recipe(
            {"cover": cover, "sidecar": sidecar, "allow_none": region.allow_none}
        ),
        layers=tuple(layers),
    )
    run(batch, work)


def _layers_of(
    context: click.Context, secret: SecretOptions
) -> list[tuple[str, RegionOptions, bool, SecretOptions]]:
    """Return name, areas and key of each layer, and whether it is covered for good."""
    chosen = []
    for arguments in context.meta[_GROUPS]:
        try:
            inner = _layer.make_context("--layer", list(arguments), parent=context)
        except click.UsageError as error:
            raise _explained(error, context) from None
        with inner:
            _layer.invoke(inner)
            name, own, permanent, key = inner.obj
            named = key.given or key.to or key.to_file
            chosen.append((name, own, permanent, key if named else secret))
    return chosen


def _explained(error: click.UsageError, context: click.Context) -> click.UsageError:
    """Return the error for the arguments of a layer; it may say that they belong elsewhere."""
    known = {form for parameter in context.command.params for form in parameter.opts}
    if isinstance(error, click.NoSuchOption) and error.option_name not in known:
        return error
    hint = "name inputs, and give options that count for all layers, before the first --layer"
    return HintedUsageError(error.message, context, hint=hint)


@click.command("--layer")
@click.argument("name")
@area_options
@_permanent_option
@recipient_options
@secret_options
@click.pass_context
def _layer(context: click.Context, /, *, name: str, region: RegionOptions, **given: Any) -> None:
    """Keep what was said of one layer."""
    if not region.chooses:
        raise click.UsageError(f"layer '{name}' covers nothing: give --region, --faces or --mask")
    context.obj = name, region, given["permanent"], given["secret"]


def _ask(batch: BatchOptions, gone: Sequence[bool]) -> None:
    """Ask once, on a terminal, before something is covered for good in any input."""
    if not any(gone) or sys.stdin is None or not sys.stdin.isatty():
        return
    what = "an area" if gone == [True] else "some areas"
    question = f"'{batch.sources[0]}': {what} and all metadata will be gone from the result; go on?"
    if batch.several:
        question = "some areas and all metadata will be gone from all results; go on?"
    click.confirm(question, abort=True, err=True)


@click.command(cls=GroupedCommand, examples=_EXAMPLES["unredact"])
@unredact_options
@option(
    "--sidecar FILE",
    "Read the layers from FILE; by default those in IN, or else in IN.redaction.",
    type=options.PATH,
    heading="What",
)
@secret_options
def unredact(*, batch: BatchOptions, sidecar: Path | None, secret: SecretOptions) -> None:
    """Lift the covers of pictures that 'redact' wrote.

    IN is a picture, a folder, or - for stdin; of folders, only pictures with layers are taken. Keys
    of all layers (--key several times, and a passphrase) give back the very file; those of some
    give a picture in which only the other areas are covered. A picture that was edited outside its
    covered areas is refused.
    """
    if batch.listing:
        _list(batch, sidecar)
        return
    from sudokucrypt.cli.pictures.batch_run import run

    secrets = tuple(loading.split_secret(secret))
    work = jobs.Work(
        recipe=recipes.unredact_file,
        word="unredacted",
        secrets=secrets,
        keys=tuple(loading.load(own, batch.sources) for own in secrets),
        options=batch.of_recipe({"sidecar": sidecar}),
    )
    run(batch, work, lifting=True)


def _list(batch: BatchOptions, sidecar: Path | None) -> None:
    """Print what is covered in each input, and what was left out of folders."""
    from sudokucrypt.cli.finding import FileSearch, find_items
    from sudokucrypt.cli.pictures.outcomes import InputOutcome, Summary

    search = FileSearch(
        word="unredacted", recursive=batch.recursive, lifting=True, shard=batch.shard
    )
    inputs, summary = find_items(batch.sources, search), Summary("listed")
    inputs.list_left_out()
    for index, item in enumerate(inputs.items):
        try:
            redaction = _list_one(item, sidecar, batch)
            outcome = InputOutcome(source=str(item.source), shape=redaction.canvas)
        except SudokucryptError as error:
            if not batch.several:
                raise
            outcome = InputOutcome.failed(str(item.source), error)
        summary.add(index, outcome)
    if batch.several:
        summary.say(resumed=False)
    if code := summary.code():
        raise click.exceptions.Exit(code)


def _list_one(item: Item, sidecar: Path | None, batch: BatchOptions) -> recipes.Redaction:
    """Print what is covered in one input, after its name if there are several."""
    if item.fault:
        raise InvalidImageError(item.fault)
    redaction = recipes.redactions(item.content(), sidecar=sidecar, max_pixels=batch.max_pixels)
    before = f"{click.format_filename(str(item.source))}: " if batch.several else ""
    for number, layer in enumerate(redaction.layers, 1):
        click.echo(f"{before}layer {number}: {layer}")
    if redaction.permanent:
        click.echo(f"{before}permanent: {redaction.permanent} pixels")
    return redaction
