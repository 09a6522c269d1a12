"""The commands ``redact`` and ``unredact``: cover areas of pictures, and lift the covers."""

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
    load_protecting_key,
    load_restoring_key,
    recipient_options,
    secret_options,
    split_secret_options,
)
from sudokucrypt.cli.options import PATH_TYPE, BatchOptions, batch_options, unredact_options
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

    from sudokucrypt.cli.options import InputItem
    from sudokucrypt.cli.pictures import boxes as boxes_module
    from sudokucrypt.cli.pictures import job as job_module
    from sudokucrypt.cli.pictures.boxes import Box
else:  # imported late, so that a misspelled option is reported at once
    job_module = DeferredModule("sudokucrypt.cli.pictures.job")
    boxes_module = DeferredModule("sudokucrypt.cli.pictures.boxes")

_EXAMPLES = {
    "redact": """\
sudokucrypt redact photo.jpg --region 60,20,90,80 --key my.key
sudokucrypt redact holidays -r -o public --faces --allow-none --key my.key""",
    "unredact": """\
sudokucrypt unredact photo.jpg.redacted.jpg --key my.key
sudokucrypt unredact public -r --list""",
}

# The key in `Context.meta` under which the arguments of each layer are stored.
_LAYERS_KEY = "sudokucrypt.layers"

# Names of the parameters that select areas, of the parameters that name keys, and of all
# parameters of a layer.
_AREA_PARAMETERS = {"rectangles", "mask_file", "boxes_file", "faces", "metadata"}
_KEY_PARAMETERS = {"key", "identity", "to", "to_file", "prompt", "file", "descriptor"}
_LAYER_PARAMETERS = {
    *_AREA_PARAMETERS,
    *_KEY_PARAMETERS,
    "face_margin",
    "permanent",
    "max_derivation",
}
_SEALED_NOTE = "programs that remove metadata remove what is sealed: keep {}, or use --sidecar"

_permanent_option = option(
    "--permanent",
    "Seal nothing of these areas: they are gone for good, and so are all metadata.",
    heading="What",
    everyday=True,
)


class LayeredCommand(GroupedCommand):
    """A command where options of areas and keys after ``--layer`` belong to that layer.

    Options of keys before the first ``--layer`` apply to every layer that has none of its own.
    Other options may be anywhere.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move the arguments of layers into the context, and parse the others."""
        if ctx.resilient_parsing:  # for shell completion, where the command may be incomplete
            return super().parse_args(ctx, args)
        groups = [
            (name, self._group_by_parameter(ctx, layer_options))
            for name, layer_options in _split_at_layers(args, ctx)
        ]
        common_options, layers = groups[0][1], []
        any_layer_has_faces = any("faces" in options for _, options in groups)
        for name, options in groups:
            if "face_margin" in options and not (
                any_layer_has_faces if options is common_options else "faces" in options
            ):
                raise click.UsageError("--face-margin goes with --faces", ctx)
            if options is common_options:
                continue
            layer_options = {name: options.pop(name) for name in _LAYER_PARAMETERS & options.keys()}
            uninherited_names = _AREA_PARAMETERS | (
                _KEY_PARAMETERS if layer_options.keys() & _KEY_PARAMETERS else set()
            )
            inherited_options = {
                name: common_options[name]
                for name in common_options.keys() & _LAYER_PARAMETERS - uninherited_names
            }
            if (
                layer_options.keys() & _KEY_PARAMETERS
                and "permanent" in inherited_options | layer_options
            ):
                raise click.UsageError(
                    f"layer '{name}' is covered for good by --permanent, so that no key lifts it",
                    ctx,
                )
            layers.append([*_join_arguments(inherited_options | layer_options), "--", name])
        inputs = [text for _, options in groups for text in options.pop("sources", ())]
        ctx.meta[_LAYERS_KEY] = layers
        command_arguments = [text for _, options in groups for text in _join_arguments(options)]
        return super().parse_args(ctx, [*command_arguments, "--", *inputs])

    def _group_by_parameter(self, ctx: click.Context, args: list[str]) -> dict[str, list[str]]:
        """Group the arguments of a command line by the parameter that they belong to."""
        values, _, given_parameters = self.make_parser(ctx).parse_args(args)
        arguments: dict[str, list[str]] = {}
        for parameter in dict.fromkeys(given_parameters):
            value, name = values[str(parameter.name)], parameter.opts[-1]
            if isinstance(value, tuple):  # inputs
                texts = list(value)
            elif getattr(parameter, "is_flag", False):
                texts = [name]
            else:
                items = value if isinstance(value, list) else [value]
                texts = [text for item in items if isinstance(item, str) for text in (name, item)]
            arguments[str(parameter.name)] = texts
        return arguments


def _split_at_layers(args: list[str], context: click.Context) -> list[tuple[str, list[str]]]:
    """Return the name and arguments of each layer; the nameless first item applies to all."""
    groups: list[tuple[str, list[str]]] = [("", [])]
    remaining_arguments = [*args]
    while remaining_arguments:
        argument = remaining_arguments.pop(0)
        option_name, equals_sign, value = argument.partition("=")
        if option_name != "--layer":
            operands = remaining_arguments if argument == "--" else []
            groups[-1][1].extend([argument, *operands])
            remaining_arguments = remaining_arguments[len(operands) :]
        elif equals_sign or (remaining_arguments and not remaining_arguments[0].startswith("-")):
            groups.append((value if equals_sign else remaining_arguments.pop(0), []))
        else:
            raise click.UsageError("--layer takes the name of a layer", context)
    return groups


def _join_arguments(arguments: Mapping[str, Sequence[str]]) -> list[str]:
    return [text for texts in arguments.values() for text in texts]


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
    type=PATH_TYPE,
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

    layers = _add_boxes(
        _Layer("", region, permanent, secret), _read_layers(click.get_current_context())
    )
    if not layers:
        raise click.UsageError(
            "nothing is covered: give --region, --boxes, --faces, --mask or --metadata"
        )
    region = replace(region, allow_none=options.allow_none)
    check_layers(
        [layer.region for layer in layers], region, writes_to_stdout=batch.writes_to_stdout
    )
    _require_used_secrets([secret, *(layer.secret for layer in layers)], layers)
    if boxes_out is not None:
        _check_boxes_out(boxes_out, batch, layers, replaces_file=options.replace)
    options = replace(options, cover=normalize_cover(options.cover))
    if not (yes or batch.dry_run or preview):
        _confirm_removal(batch, permanent_flags=[layer.permanent for layer in layers])
    layer_secrets = [] if preview else [layer.secret for layer in layers if not layer.permanent]
    secrets = tuple(dict.fromkeys(layer_secrets))
    layer_options = (
        LayerOptions(
            name=layer.name,
            region=replace(
                layer.region,
                list_regions=region.list_regions,
                allow_none=region.allow_none,
                has_several_inputs=batch.has_several_inputs(),
            ),
            key=None if layer.permanent or preview else secrets.index(layer.secret),
        )
        for layer in layers
    )
    found_boxes: dict[str, list[Box]] | None = None if boxes_out is None else {}
    only_searches = region.list_regions or boxes_out is not None
    recipe = recipes.outline_file if preview else recipes.redact_file
    work = job_module.RunSettings(
        recipe=recipes.check_areas if batch.dry_run and only_searches else unwrap(recipe),
        options=_make_outline_options(options) if preview else options,
        secret_options=secrets,
        keys=tuple(load_protecting_key(secret, batch.sources) for secret in secrets),
        layers=tuple(layer_options),
        only_searches=only_searches,
        found_boxes=found_boxes,
        closing_note="" if options.sidecar else _SEALED_NOTE,
    )
    try:
        run(batch, work)
    finally:
        if boxes_out is not None and found_boxes:
            all_boxes = (box for _, boxes in sorted(found_boxes.items()) for box in boxes)
            boxes_module.write_boxes(boxes_out, all_boxes, replace=options.replace)


class _Layer(NamedTuple):
    """The options of one layer on the command line."""

    name: str
    region: RegionOptions
    permanent: bool
    secret: SecretOptions

    def with_boxes(self, boxes: Iterable[Box]) -> _Layer:
        """Return a copy of the layer that covers these boxes."""
        return self._replace(region=replace(self.region, boxes=tuple(boxes)))


def _require_used_secrets(secrets: Sequence[SecretOptions], layers: Sequence[_Layer]) -> None:
    """Raise `click.UsageError` if the user named a secret that lifts no layer."""
    layer_secrets = [
        replace(layer.secret, max_derivation=0) for layer in layers if not layer.permanent
    ]
    for secret in secrets:
        is_named = secret.is_given or secret.to or secret.to_file
        if is_named and replace(secret, max_derivation=0) not in layer_secrets:
            raise HintedUsageError(
                "a key would lift nothing: --permanent covers its areas, or every layer has "
                "another key",
                click.get_current_context(),
                hint="omit the key; before the first --layer, --permanent and keys apply to all "
                "layers",
            )


def _read_layers(context: click.Context) -> list[_Layer]:
    """Return the options after each ``--layer``."""
    layers = []
    for arguments in context.meta[_LAYERS_KEY]:
        with _layer_command.make_context(
            "--layer", list(arguments), parent=context
        ) as layer_context:
            _layer_command.invoke(layer_context)
            layers.append(layer_context.obj)
    if not all(boxes_module.is_layer_name(layer.name) for layer in layers):
        raise click.UsageError("the name of a layer must be a single line of text", context)
    return layers


def _add_boxes(base_layer: _Layer, layers: Sequence[_Layer]) -> list[_Layer]:
    """Return the layers that cover something, with the boxes of the lists in ``--boxes``.

    Boxes before the first ``--layer`` (in `base_layer`) go to the layers that they name. A
    layer that only boxes name is added, with the options of `base_layer`.
    """
    boxes_by_layer: dict[str, list[Box]] = {}
    for box in base_layer.region.read_boxes_file():
        boxes_by_layer.setdefault(box.layer, []).append(box)
    unassigned_boxes, named_layers = boxes_by_layer.pop("", []), []
    for layer in layers:
        listed_boxes = layer.region.read_boxes_file()
        if misplaced_box := next(
            (box for box in listed_boxes if box.layer not in ("", layer.name)), None
        ):
            raise click.UsageError(
                f"{misplaced_box.entry_location}: the box is for layer '{misplaced_box.layer}', "
                "not for "
                f"'{layer.name}'; before the first --layer, --boxes gives each box to the layer "
                "that it names"
            )
        named_layers.append(layer.with_boxes([*listed_boxes, *boxes_by_layer.pop(layer.name, [])]))
        if not named_layers[-1].region.selects_areas:
            raise click.UsageError(
                f"layer '{layer.name}' covers nothing: give --region, --boxes, --faces or --mask"
            )
    named_layers += [
        base_layer._replace(name=name, region=RegionOptions(boxes=tuple(layer_boxes)))
        for name, layer_boxes in boxes_by_layer.items()
    ]
    common_layer = base_layer.with_boxes(unassigned_boxes)
    uses_common_layer = (
        unassigned_boxes or base_layer.region.always_selects_areas or not named_layers
    )
    return [
        *([common_layer] if uses_common_layer and common_layer.region.selects_areas else []),
        *named_layers,
    ]


def _make_outline_options(options: RedactOptions) -> OutlineOptions:
    """Convert the options of covering to options of ``--preview``, which draws outlines."""
    return OutlineOptions(
        **{option.name: getattr(options, option.name) for option in fields(OutlineOptions)}
    )


def _check_boxes_out(
    path: Path, batch: BatchOptions, layers: Sequence[_Layer], *, replaces_file: bool
) -> None:
    """Raise an error if this path or the other options do not allow ``--boxes-out``."""
    from sudokucrypt.recipes.sinks import Claims
    from sudokucrypt.storage import require_free

    if path.suffix.lower() not in (".json", ".csv"):
        raise click.UsageError(f"boxes are written to a .json or .csv file, not to '{path}'")
    if not replaces_file:
        require_free(path)
    Claims(tuple(file for layer in layers for file in layer.secret.list_files())).require_no_secret(
        path
    )
    if batch.cluster is not None:
        raise click.UsageError("--boxes-out cannot be combined with --dask")
    if any(layer.region.mask_file is not None for layer in layers):
        raise click.UsageError("--boxes-out lists rectangles, and a mask is not a rectangle")


@click.command("--layer")
@click.argument("name")
@area_options
@_permanent_option
@recipient_options
@secret_options
@click.pass_context
def _layer_command(
    context: click.Context, /, *, name: str, region: RegionOptions, **options: Any
) -> None:
    """Store the options of one layer in the context."""
    context.obj = _Layer(name, region, options["permanent"], options["secret"])


def _confirm_removal(batch: BatchOptions, permanent_flags: Sequence[bool]) -> None:
    """On a terminal, ask for confirmation before any area is covered without a key."""
    if not any(permanent_flags) or sys.stdin is None or not sys.stdin.isatty():
        return
    areas_text = "an area" if permanent_flags == [True] else "some areas"
    question = (
        f"'{batch.sources[0]}': {areas_text} and all metadata will be gone from the result; go on?"
    )
    if batch.has_several_inputs():
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
        _list_redactions(batch, options)
        return
    from sudokucrypt.cli.pictures.batch_run import run
    from sudokucrypt.recipes.redaction import lift_file_covers

    secrets = tuple(split_secret_options(secret))
    work = job_module.RunSettings(
        recipe=lift_file_covers,
        options=options,
        secret_options=secrets,
        keys=tuple(load_restoring_key(secret, batch.sources) for secret in secrets),
    )
    run(batch, work, only_redacted=True)


def _list_redactions(batch: BatchOptions, options: UnredactOptions) -> None:
    """Print the layers of each input, and the files that are left out of folders."""
    from sudokucrypt.cli.finding import FileSearch, find_items
    from sudokucrypt.cli.pictures.outcomes import Failure, Outcome, Summary

    search = FileSearch(
        participle="unredacted", recursive=batch.recursive, only_redacted=True, shard=batch.shard
    )
    has_several_inputs = batch.has_several_inputs()
    inputs, summary = find_items(batch.sources, search), Summary("listed")
    inputs.print_left_out_files()
    for index, item in enumerate(inputs.items):
        try:
            redaction = _list_redaction(item, options, has_several_inputs=has_several_inputs)
            result: recipes.FileReport | Failure = recipes.FileReport(shape=redaction.canvas)
        except SudokucryptError as error:
            if not has_several_inputs:
                raise
            result = Failure.from_error(error)
        summary.add(index, Outcome(source=str(item.source), result=result))
    if has_several_inputs:
        summary.print_summary(is_resumed=False)
    if exit_code := summary.find_exit_code():
        raise click.exceptions.Exit(exit_code)


def _list_redaction(
    item: InputItem, options: UnredactOptions, *, has_several_inputs: bool
) -> recipes.Redaction:
    """Print the layers of one input, after its name if there are several inputs."""
    if item.fault:
        raise InvalidImageError(item.fault)
    redaction = recipes.redactions(
        item.get_file_source(), sidecar=options.sidecar, max_pixels=options.max_pixels
    )
    prefix = f"{click.format_filename(str(item.source))}: " if has_several_inputs else ""
    for number, layer in enumerate(redaction.layers, 1):
        click.echo(f"{prefix}layer {number}: {layer}")
    if redaction.permanent:
        click.echo(f"{prefix}permanent: {redaction.permanent} pixels")
    return redaction
