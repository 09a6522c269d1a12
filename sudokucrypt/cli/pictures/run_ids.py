"""The identifiers of runs: digits that depend on all that results depend on."""

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
    from sudokucrypt.cli.pictures.job import Work
    from sudokucrypt.cli.pictures.regions import RegionOptions
    from sudokucrypt.keys import PictureKey, ProtectingKey, RestoringKey

_Path = TypeVar("_Path", str, Path, str | None, Path | None, Location | None)

_ELSEWHERE = {"sources", "manifest", "shard", "jobs", "threads", "resume", "replace", "listing"}
_LIMITS = {"recursive", "boxes_out", "max_pixels", "max_rounds", "cluster"}
_KEYS = {"key", "new_key", "prompt", "file", "descriptor"}
# Options that no single result depends on, and those that say where the keys are.
_WITHOUT_EFFECT = _ELSEWHERE | _LIMITS | _KEYS


def run_id(work: Work) -> str:
    """Return 16 digits that identify all that results depend on: command, options and keys.

    Passphrases have no id: runs that differ in nothing else have the same digits.
    """
    context = click.get_current_context()
    options = {
        name: value
        for name, value in _list_invoked_options().items()
        if name not in _WITHOUT_EFFECT
    }
    if work.layers:  # each has options of its own, and which key is whose counts
        options["layers"] = [
            replace(one, region=make_paths_absolute(one.region)) for one in work.layers
        ]
    ids = [_hash_run(one) for key in work.keys for one in split_key(key)]
    text = json.dumps([context.command.name, ids, options], sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:16]


def make_paths_absolute(region: RegionOptions) -> RegionOptions:
    """Return the options with a path from the root on."""
    return replace(
        region,
        mask_file=make_absolute_path(region.mask_file),
        boxes_file=make_absolute_path(region.boxes_file),
    )


def split_key(
    key: RestoringKey | ProtectingKey,
) -> Sequence[Key | Passphrase | PictureKey | Identity | Recipient]:
    """Return what a key consists of."""
    if isinstance(key, KeyRing):
        return key.keys
    return key if isinstance(key, Sequence) else [key]


def make_absolute_path(path: _Path) -> _Path:
    """Return a path from the root on, as whatever it is given; URLs stay as they are."""
    if path is None or isinstance(path, Url) or isinstance(parse_location(path), Url):
        return path
    whole = str(Path(path).absolute())
    return type(path)(f"{whole}/" if str(path).endswith("/") else whole)


def _list_invoked_options() -> dict[str, Any]:
    """Return the options of the command that runs, with paths from the root on."""
    context = click.get_current_context()
    kinds = {parameter.name: parameter.type for parameter in context.command.params}
    return {name: _make_absolute(value, kinds[name]) for name, value in context.params.items()}


def _make_absolute(value: Any, kind: click.ParamType[Any]) -> Any:
    """Return the value of an option; a path is one from the root on."""
    if not isinstance(kind, click.Path) or value is None or str(value) == "-":
        return value
    if isinstance(value, tuple):
        return tuple(_make_absolute(each, kind) for each in value)
    return make_absolute_path(value)


def _hash_run(key: Key | Passphrase | PictureKey | Identity | Recipient) -> str:
    if isinstance(key, Identity):
        key = key.recipient
    if isinstance(key, Recipient):
        return key.to_text()
    return key.id if isinstance(key, Key) else type(key).__name__
