"""The commands that cover areas of a picture, and lift the covers."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from sudokucrypt import recipes
from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import GroupedCommand, option
from sudokucrypt.cli.inputs import Item, SourcePath
from sudokucrypt.cli.keys.secret_options import SecretOptions, recipient_options, secret_options
from sudokucrypt.cli.messages import say_done
from sudokucrypt.cli.pictures.regions import RegionOptions, area_options, read_mask
from sudokucrypt.lazy import DeferredModule

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.cli.keys import loading
    from sudokucrypt.storage import Location
else:
    loading = DeferredModule("sudokucrypt.cli.keys.loading")

# Where a context holds the arguments of each layer.
_GROUPS = "sudokucrypt.layers"

_output_option = option(
    "-o, --output OUT",
    "The result, or - for stdout. By default it is written beside the input.",
    type=options.FILE,
)
_force_option = option("--force", "Replace existing output.")
_threads_option = option("--threads N", "Threads; by default one per core.", type=int)
_permanent_option = option(
    "--permanent",
    "Seal nothing of these areas: they are gone for good, and so are all metadata.",
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


@click.command(cls=LayeredCommand)
@click.argument("source", metavar="IN", type=SourcePath())
@_output_option
@option(
    "--cover COVER",
    "black, white, gray, a color such as #ff8800, or surroundings: a smooth fill from pixels that "
    "are not covered. There is no blur and no mosaic, which show what they cover.",
    default="black",
)
@option(
    "--layer NAME",
    "Begin a layer: regions, faces, mask, --permanent and the key that follow are its own. The "
    "name is sealed. An overlap belongs to the first layer.",
    multiple=True,
    expose_value=False,
)
@area_options
@_permanent_option
@option("--yes", "Do not ask before something is covered for good.")
@option(
    "--sidecar",
    "Write the layers to OUT.redaction instead of the picture: they survive programs that strip "
    "metadata. Lifting still needs every visible pixel as it was written.",
)
@_force_option
@options.max_pixels_option
@_threads_option
@recipient_options
@secret_options
def redact(
    *,
    source: Location,
    output: str | None,
    region: RegionOptions,
    permanent: bool,
    secret: SecretOptions,
    yes: bool,
    force: bool,
    max_pixels: int | None,
    **settings: Any,
) -> None:
    """Cover areas of a picture so that their keys lift the covers again.

    IN is a picture, or - for stdin. With all keys, 'unredact' gives back the very file. A JPEG
    stays a JPEG, and nothing outside the covered blocks of 8 or 16 pixels changes; PNG, TIFF, GIF
    and lossless WebP stay what they are. Metadata and previews are sealed; orientation and color
    profile are written anew. Boxes still show where and how large something is.
    """
    context = click.get_current_context()
    chosen = [("", region, permanent, secret)] if region.chooses else []
    for arguments in context.meta[_GROUPS]:
        with _layer.make_context("--layer", list(arguments), parent=context) as inner:
            _layer.invoke(inner)
            name, own, gone, key = inner.obj
            named = key.given or key.to or key.to_file
            chosen.append((name, own, gone, key if named else secret))
    if not chosen:
        raise click.UsageError("nothing is covered: give --region, --faces or --mask")
    item = Item(source)
    gone = sum(permanent for _, _, permanent, _ in chosen)
    if gone and not yes and sys.stdin is not None and sys.stdin.isatty():
        what = "an area" if gone == len(chosen) == 1 else "some areas"
        question = f"'{source}': {what} and all metadata will be gone from the result; go on?"
        click.confirm(question, abort=True, err=True)
    layers = [_layer_of(item, *parts, max_pixels) for parts in chosen]
    report = recipes.redact_file(
        item.content(),
        _target(item, output),
        layers,
        replace=force,
        max_pixels=max_pixels,
        **settings,
    )
    say_done(report, named=output is not None)


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


def _layer_of(
    item: Item,
    name: str,
    region: RegionOptions,
    permanent: bool,  # noqa: FBT001 - a field of a layer
    secret: SecretOptions,
    max_pixels: int | None,
) -> recipes.Layer:
    region.check(to_stdout=False)
    key = None if permanent else loading.load_protecting(secret, (item.source,))
    mask = None if region.mask_file is None else read_mask(region.mask_file, max_pixels)
    regions = replace(region).of_picture(item).get("regions")
    return recipes.Layer(key, regions, mask, name)


@click.command()
@click.argument("source", metavar="IN", type=SourcePath())
@_output_option
@option(
    "--list", "Print what is covered and which keys lift it, and write nothing.", name="listing"
)
@option(
    "--sidecar FILE",
    "Read the layers from FILE; by default those in IN, or else in IN.redaction.",
    type=options.PATH,
)
@_force_option
@options.max_pixels_option
@_threads_option
@secret_options
def unredact(
    *,
    source: Location,
    output: str | None,
    listing: bool,
    sidecar: Path | None,
    max_pixels: int | None,
    secret: SecretOptions,
    force: bool,
    threads: int | None,
) -> None:
    """Lift the covers of a picture that 'redact' wrote.

    IN is a picture, or - for stdin. Keys of all layers (--key several times, and a passphrase)
    give back the very file; those of some give a picture in which only the other areas are
    covered. A picture that was edited outside its covered areas is refused.
    """
    item = Item(source)
    if listing:
        _list(recipes.redactions(item.content(), sidecar=sidecar, max_pixels=max_pixels))
        return
    report = recipes.unredact_file(
        item.content(),
        _target(item, output),
        *loading.load_each(secret, (source,)),
        sidecar=sidecar,
        replace=force,
        max_pixels=max_pixels,
        threads=threads,
    )
    say_done(report, named=output is not None)


def _list(redaction: recipes.Redaction) -> None:
    for number, layer in enumerate(redaction.layers, 1):
        click.echo(f"layer {number}: {layer}")
    if redaction.permanent:
        click.echo(f"permanent: {redaction.permanent} pixels")


def _target(item: Item, output: str | None) -> str | BinaryIO | None:
    if output != "-" and not (item.piped and output is None):
        return output
    if sys.stdout is None or sys.stdout.isatty():
        raise click.UsageError("a picture is not for the terminal; name a file with -o")
    return sys.stdout.buffer
