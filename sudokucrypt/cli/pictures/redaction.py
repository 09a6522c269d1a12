"""The commands that cover areas of pictures, and lift the covers."""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from inspect import unwrap
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from sudokucrypt import recipes
from sudokucrypt.cli.extensions import GroupedCommand, HintedUsageError, option, option_group
from sudokucrypt.cli.keys.secret_options import (
    SecretOptions,
    load,
    load_protecting,
    recipient_options,
    secret_options,
    split_secret,
)
from sudokucrypt.cli.options import PATH, BatchOptions, batch_options, unredact_options
from sudokucrypt.cli.pictures.regions import (
    LayerOptions,
    RegionOptions,
    area_options,
    check_layers,
    region_options,
)
from sudokucrypt.errors import InvalidImageError, SudokucryptError
from sudokucrypt.lazy import DeferredModule
from sudokucrypt.recipes.options import OutlineOptions, RedactOptions, UnredactOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from sudokucrypt.cli.options import Item
    from sudokucrypt.cli.pictures import boxes as lists
    from sudokucrypt.cli.pictures import job as jobs
    from sudokucrypt.cli.pictures.boxes import Box
else:  # late, so that a misspelt option is answered at once
    jobs = DeferredModule("sudokucrypt.cli.pictures.job")
    lists = DeferredModule("sudokucrypt.cli.pictures.boxes")

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

# What chooses areas, which belong to one layer, and what names keys, by their parameters.
_AREAS = {"rectangles", "mask_file", "boxes_file", "faces", "metadata"}
_KEYS = {"key", "identity", "to", "to_file", "prompt", "file", "descriptor"}
_OWN = {*_AREAS, *_KEYS, "face_margin", "permanent", "max_derivation"}
_CLOSING = "programs that remove metadata remove what is sealed: keep {}, or use --sidecar"

_permanent_option = option(
    "--permanent",
    "Seal nothing of these areas: they are gone for good, and so are all metadata.",
    heading="What",
    everyday=True,
)


class LayeredCommand(GroupedCommand):
    """A command whose options of areas and keys behind a ``--layer`` are those of this layer.

    Before the first one they hold for all layers, but for areas; all other options may be anywhere.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments of layers aside."""
        if ctx.resilient_parsing:  # a shell completes what may be half of a command
            return super().parse_args(ctx, args)
        groups = [(name, self._sort(ctx, own)) for name, own in _split(args, ctx)]
        front, layers = groups[0][1], []
        faces = any("faces" in given for _, given in groups)
        for name, given in groups:
            if "face_margin" in given and not (faces if given is front else "faces" in given):
                raise click.UsageError("--face-margin goes with --faces", ctx)
            if given is front:
                continue
            own = {each: given.pop(each) for each in _OWN & given.keys()}
            without = _AREAS | (_KEYS if own.keys() & _KEYS else set())
            held = {each: front[each] for each in front.keys() & _OWN - without}
            if own.keys() & _KEYS and "permanent" in held | own:
                raise click.UsageError(
                    f"layer '{name}' is covered for good by --permanent, so that no key lifts it",
                    ctx,
                )
            layers.append([*_list_all_layers(held | own), "--", name])
        inputs = [text for _, given in groups for text in given.pop("sources", ())]
        ctx.meta[_GROUPS] = layers
        whole = [text for _, given in groups for text in _list_all_layers(given)]
        return super().parse_args(ctx, [*whole, "--", *inputs])

    def _sort(self, ctx: click.Context, args: list[str]) -> dict[str, list[str]]:
        """Return the arguments that give each parameter."""
        values, _, order = self.make_parser(ctx).parse_args(args)
        given: dict[str, list[str]] = {}
        for parameter in dict.fromkeys(order):
            value, form = values[str(parameter.name)], parameter.opts[-1]
            if isinstance(value, tuple):  # inputs
                texts = list(value)
            elif getattr(parameter, "is_flag", False):
                texts = [form]
            else:
                each = value if isinstance(value, list) else [value]
                texts = [text for one in each if isinstance(one, str) for text in (form, one)]
            given[str(parameter.name)] = texts
        return given


def _split(args: list[str], context: click.Context) -> list[tuple[str, list[str]]]:
    """Return the name and the arguments of each layer; before the first, those of no name."""
    groups: list[tuple[str, list[str]]] = [("", [])]
    left = [*args]
    while left:
        text = left.pop(0)
        first, sign, value = text.partition("=")
        if first != "--layer":
            taken = left if text == "--" else []
            groups[-1][1].extend([text, *taken])
            left = left[len(taken) :]
        elif sign or (left and not left[0].startswith("-")):
            groups.append((value if sign else left.pop(0), []))
        else:
            raise click.UsageError("--layer takes the name of a layer", context)
    return groups


def _list_all_layers(given: Mapping[str, Sequence[str]]) -> list[str]:
    return [text for texts in given.values() for text in texts]


@click.command(cls=LayeredCommand, examples=_EXAMPLES["redact"])
@batch_options
@region_options
@option(
    "--layer NAME",
    "Begin a layer: areas, --permanent and keys that follow are its own. Before the first layer, "
    "all but areas hold for every layer. The name is sealed. An overlap belongs to the first "
    "layer.",
    multiple=True,
    expose_value=False,
    heading="What",
    everyday=True,
)
@_permanent_option
@option("--yes", "Do not ask before something is covered for good.", heading="How")
@option_group("options", RedactOptions)
@option(
    "--preview",
    "Write the picture as it is shown with lines around what would be covered, and cover nothing; "
    "it needs no key.",
    heading="How",
)
@option(
    "--boxes-out FILE",
    "Write the rectangles that were covered as a list that --boxes takes, JSON or CSV by the "
    "suffix; with --dry-run, those that would be.",
    type=PATH,
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
    options: RedactOptions,
    yes: bool,
    preview: bool,
    boxes_out: Path | None,
) -> None:
    """Cover areas of pictures so that their keys lift the covers again.

    IN is a picture, a folder, or - for stdin. With all keys, 'unredact' gives back the very file. A
    JPEG stays a JPEG, and nothing outside the covered blocks of 8 or 16 pixels changes; every other
    still becomes a PNG. Metadata and previews are sealed; orientation and color profile are written
    anew. Boxes still show where and how large something is.
    """
    from sudokucrypt.cli.pictures.batch_run import run
    from sudokucrypt.recipes.carriers.redaction.covers import normalize_cover

    chosen = _add_boxes(
        _Layer("", region, permanent, secret), _list_named_layers(click.get_current_context())
    )
    if not chosen:
        raise click.UsageError(
            "nothing is covered: give --region, --boxes, --faces, --mask or --metadata"
        )
    region = replace(region, allow_none=options.allow_none)
    check_layers([layer.region for layer in chosen], region, to_stdout=batch.to_stdout)
    _check_keys([secret, *(layer.secret for layer in chosen)], chosen)
    if boxes_out is not None:
        _check_list(boxes_out, batch, chosen, replacing=options.replace)
    options = replace(options, cover=normalize_cover(options.cover))
    if not (yes or batch.dry_run or preview):
        _ask(batch, gone=[layer.permanent for layer in chosen])
    sealing = [] if preview else [layer.secret for layer in chosen if not layer.permanent]
    secrets = tuple(dict.fromkeys(sealing))
    layers = (
        LayerOptions(
            name=layer.name,
            region=replace(
                layer.region,
                list_regions=region.list_regions,
                allow_none=region.allow_none,
                several=batch.has_several(),
            ),
            key=None if layer.permanent or preview else secrets.index(layer.secret),
        )
        for layer in chosen
    )
    found: dict[str, list[Box]] | None = None if boxes_out is None else {}
    searches = region.list_regions or boxes_out is not None
    recipe = recipes.outline_file if preview else recipes.redact_file
    work = jobs.Work(
        recipe=recipes.find_areas if batch.dry_run and searches else unwrap(recipe),
        options=_make_outlining_work(options) if preview else options,
        secrets=secrets,
        keys=tuple(load_protecting(own, batch.sources) for own in secrets),
        layers=tuple(layers),
        searches=searches,
        found=found,
        closing="" if options.sidecar else _CLOSING,
    )
    try:
        run(batch, work)
    finally:
        if boxes_out is not None and found:
            listed = (box for _, boxes in sorted(found.items()) for box in boxes)
            lists.write_boxes(boxes_out, listed, replace=options.replace)


class _Layer(NamedTuple):
    """What was said of one layer."""

    name: str
    region: RegionOptions
    permanent: bool
    secret: SecretOptions

    def with_boxes(self, boxes: Iterable[Box]) -> _Layer:
        """Return the layer with boxes."""
        return self._replace(region=replace(self.region, boxes=tuple(boxes)))


def _check_keys(secrets: Sequence[SecretOptions], layers: Sequence[_Layer]) -> None:
    """Raise `click.UsageError` for a secret that was named and lifts no layer."""
    used = [replace(each.secret, max_derivation=0) for each in layers if not each.permanent]
    for secret in secrets:
        named = secret.given or secret.to or secret.to_file
        if named and replace(secret, max_derivation=0) not in used:
            raise HintedUsageError(
                "a key would lift nothing: --permanent covers what it is for, or every layer has "
                "another key",
                click.get_current_context(),
                hint="leave it out; before the first --layer, --permanent and keys hold for all",
            )


def _list_named_layers(context: click.Context) -> list[_Layer]:
    """Return what was said behind each ``--layer``."""
    layers = []
    for arguments in context.meta[_GROUPS]:
        with _layer.make_context("--layer", list(arguments), parent=context) as inner:
            _layer.invoke(inner)
            layers.append(inner.obj)
    if not all(lists.is_layer_name(layer.name) for layer in layers):
        raise click.UsageError("the name of a layer is one line of text", context)
    return layers


def _add_boxes(front: _Layer, layers: Sequence[_Layer]) -> list[_Layer]:
    """Return the layers that cover something, with the boxes that are listed for each.

    Boxes before the first ``--layer`` go to the layers that they name, which begin with them if
    there are none, and have the key of all layers then.
    """
    boxes: dict[str, list[Box]] = {}
    for box in front.region.read_listed():
        boxes.setdefault(box.layer, []).append(box)
    unnamed, named = boxes.pop("", []), []
    for layer in layers:
        own = layer.region.read_listed()
        if other := next((box for box in own if box.layer not in ("", layer.name)), None):
            raise click.UsageError(
                f"{other.place}: the box is for layer '{other.layer}', not for '{layer.name}'; "
                "before the first --layer, --boxes gives each box to the layer that it names"
            )
        named.append(layer.with_boxes([*own, *boxes.pop(layer.name, [])]))
        if not named[-1].region.chooses:
            raise click.UsageError(
                f"layer '{layer.name}' covers nothing: give --region, --boxes, --faces or --mask"
            )
    named += [
        front._replace(name=name, region=RegionOptions(boxes=tuple(each)))
        for name, each in boxes.items()
    ]
    first = front.with_boxes(unnamed)
    wanted = unnamed or front.region.chooses_always or not named
    return [*([first] if wanted and first.region.chooses else []), *named]


def _make_outlining_work(options: RedactOptions) -> OutlineOptions:
    """Return how pictures are outlined that would be covered otherwise."""
    return OutlineOptions(
        **{each.name: getattr(options, each.name) for each in fields(OutlineOptions)}
    )


def _check_list(
    path: Path, batch: BatchOptions, layers: Sequence[_Layer], *, replacing: bool
) -> None:
    """Raise an error unless the boxes of a run can be listed in a file."""
    from sudokucrypt.recipes.sinks import Claims
    from sudokucrypt.storage import require_free

    if path.suffix.lower() not in (".json", ".csv"):
        raise click.UsageError(f"boxes are written as .json or .csv, not to '{path}'")
    if not replacing:
        require_free(path)
    Claims(tuple(file for each in layers for file in each.secret.list_files())).require_no_secret(
        path
    )
    if batch.cluster is not None:
        raise click.UsageError("--boxes-out is for runs without --dask")
    if any(layer.region.mask_file is not None for layer in layers):
        raise click.UsageError("--boxes-out lists rectangles, and a mask is none")


@click.command("--layer")
@click.argument("name")
@area_options
@_permanent_option
@recipient_options
@secret_options
@click.pass_context
def _layer(context: click.Context, /, *, name: str, region: RegionOptions, **given: Any) -> None:
    """Keep what was said of one layer."""
    context.obj = _Layer(name, region, given["permanent"], given["secret"])


def _ask(batch: BatchOptions, gone: Sequence[bool]) -> None:
    """Ask once, on a terminal, before something is covered for good in any input."""
    if not any(gone) or sys.stdin is None or not sys.stdin.isatty():
        return
    what = "an area" if gone == [True] else "some areas"
    question = f"'{batch.sources[0]}': {what} and all metadata will be gone from the result; go on?"
    if batch.has_several():
        question = "some areas and all metadata will be gone from all results; go on?"
    click.confirm(question, abort=True, err=True)


@click.command(cls=GroupedCommand, examples=_EXAMPLES["unredact"])
@unredact_options
@option_group("options", UnredactOptions)
@secret_options
def unredact(*, batch: BatchOptions, options: UnredactOptions, secret: SecretOptions) -> None:
    """Lift the covers of pictures that 'redact' wrote.

    IN is a picture, a folder, or - for stdin; of folders, only pictures with layers are taken. Keys
    of all layers (--key several times, and a passphrase) give back the very file; those of some
    give a picture in which only the other areas are covered. A picture that was edited outside its
    covered areas is refused.
    """
    if batch.listing:
        _list(batch, options)
        return
    from sudokucrypt.cli.pictures.batch_run import run
    from sudokucrypt.recipes.redaction import lift_file

    secrets = tuple(split_secret(secret))
    work = jobs.Work(
        recipe=lift_file,
        options=options,
        secrets=secrets,
        keys=tuple(load(own, batch.sources) for own in secrets),
    )
    run(batch, work, lifting=True)


def _list(batch: BatchOptions, options: UnredactOptions) -> None:
    """Print what is covered in each input, and what was left out of folders."""
    from sudokucrypt.cli.finding import FileSearch, find_items
    from sudokucrypt.cli.pictures.outcomes import Failure, Outcome, Summary

    search = FileSearch(
        word="unredacted", recursive=batch.recursive, lifting=True, shard=batch.shard
    )
    several = batch.has_several()
    inputs, summary = find_items(batch.sources, search), Summary("listed")
    inputs.list_left_out()
    for index, item in enumerate(inputs.items):
        try:
            redaction = _list_one(item, options, several=several)
            result: recipes.FileReport | Failure = recipes.FileReport(shape=redaction.canvas)
        except SudokucryptError as error:
            if not several:
                raise
            result = Failure.of(error)
        summary.add(index, Outcome(source=str(item.source), result=result))
    if several:
        summary.say(resumed=False)
    if code := summary.code():
        raise click.exceptions.Exit(code)


def _list_one(item: Item, options: UnredactOptions, *, several: bool) -> recipes.Redaction:
    """Print what is covered in one input, after its name if there are several."""
    if item.fault:
        raise InvalidImageError(item.fault)
    redaction = recipes.redactions(
        item.content(), sidecar=options.sidecar, max_pixels=options.max_pixels
    )
    before = f"{click.format_filename(str(item.source))}: " if several else ""
    for number, layer in enumerate(redaction.layers, 1):
        click.echo(f"{before}layer {number}: {layer}")
    if redaction.permanent:
        click.echo(f"{before}permanent: {redaction.permanent} pixels")
    return redaction
