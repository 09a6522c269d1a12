"""Ids of runs, by which a manifest recognizes lines of a run with the same options and keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sudokucrypt.keys import Identity, Key, KeyRing, Passphrase, Recipient
from sudokucrypt.remote import Url
from sudokucrypt.storage import Location, parse_location

if TYPE_CHECKING:
    from sudokucrypt.cli.pictures.job import RunSettings
    from sudokucrypt.cli.pictures.regions import RegionOptions
    from sudokucrypt.keys import PictureKey, ProtectingKey, RestoringKey

_Path = TypeVar("_Path", str, Path, str | None, Path | None, Location | None)

_EXECUTION_OPTIONS = {
    "sources",
    "manifest",
    "shard",
    "jobs",
    "threads",
    "resume",
    "replace",
    "listing",
}
_SEARCH_OPTIONS = {"recursive", "boxes_out", "max_pixels", "max_rounds", "cluster"}
_KEY_OPTIONS = {"key", "new_key", "prompt", "file", "descriptor"}
# Options that do not change any single result, and those that say where the keys are.
_OPTIONS_WITHOUT_EFFECT = _EXECUTION_OPTIONS | _SEARCH_OPTIONS | _KEY_OPTIONS


def compute_run_id(work: RunSettings) -> str:
    """Return 16 hexadecimal digits, a hash of the command, its options and its keys.

    Passphrases have no id, so runs that differ only in a passphrase have the same digits.
    """
    context = click.get_current_context()
    options = {
        name: value
        for name, value in _list_invoked_options().items()
        if name not in _OPTIONS_WITHOUT_EFFECT
    }
    if work.layers:  # each layer has its own options, and the index of its own key
        options["layers"] = [
            replace(layer, region=make_paths_absolute(layer.region)) for layer in work.layers
        ]
    key_ids = [_identify_key(part) for key in work.keys for part in split_key(key)]
    text = json.dumps([context.command.name, key_ids, options], sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:16]


def make_paths_absolute(region: RegionOptions) -> RegionOptions:
    """Return the options with absolute paths."""
    return replace(
        region,
        mask_file=make_absolute_path(region.mask_file),
        boxes_file=make_absolute_path(region.boxes_file),
    )


def split_key(
    key: RestoringKey | ProtectingKey,
) -> Sequence[Key | Passphrase | PictureKey | Identity | Recipient]:
    """Return the parts of a key ring or of several keys, or a single key as a list."""
    if isinstance(key, KeyRing):
        return key.keys
    return key if isinstance(key, Sequence) else [key]


def make_absolute_path(path: _Path) -> _Path:
    """Return an absolute path of the same type; URLs and None are returned unchanged."""
    if path is None or isinstance(path, Url) or isinstance(parse_location(path), Url):
        return path
    absolute_path = str(Path(path).absolute())
    return type(path)(f"{absolute_path}/" if str(path).endswith("/") else absolute_path)


def _list_invoked_options() -> dict[str, Any]:
    """Return the values of all options of the current command, with absolute paths."""
    context = click.get_current_context()
    types_by_option = {parameter.name: parameter.type for parameter in context.command.params}
    return {
        name: _make_option_absolute(value, types_by_option[name])
        for name, value in context.params.items()
    }


def _make_option_absolute(value: Any, option_type: click.ParamType[Any]) -> Any:
    """Return the value of an option, with absolute paths if its type is a path."""
    if not isinstance(option_type, click.Path) or value is None or str(value) == "-":
        return value
    if isinstance(value, tuple):
        return tuple(_make_option_absolute(path, option_type) for path in value)
    return make_absolute_path(value)


def _identify_key(key: Key | Passphrase | PictureKey | Identity | Recipient) -> str:
    if isinstance(key, Identity):
        key = key.recipient
    if isinstance(key, Recipient):
        return key.to_text()
    return key.id if isinstance(key, Key) else type(key).__name__
