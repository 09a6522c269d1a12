"""``sudokucrypt info FOLDER``: whether every file of a folder opens, and what else is there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.finding import FileSearch, LeftOutReason, find_items, split_sidecar
from sudokucrypt.cli.messages import progress_bar
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome, Summary
from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.recipes import FileReport, inspect_file
from sudokucrypt.storage import exists

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.cli.finding import InputFiles
    from sudokucrypt.cli.options import Item
    from sudokucrypt.keys import RestoringKey
    from sudokucrypt.recipes.options import OpenOptions
    from sudokucrypt.storage import Location


def check_folder(
    folder: Location,
    key: RestoringKey,
    *,
    recursive: bool,
    secrets: tuple[Path, ...],
    as_json: bool,
    options: OpenOptions,
) -> None:
    """Restore every file of a folder in memory, and print how many open and what else is there.

    Raises `click.exceptions.Exit` unless every file opens and nothing else is there: with the exit
    code that all failures share, else 1. `options` are those of `inspect_file`.
    """
    search = FileSearch(word="checked", recursive=recursive, restoring=True, secrets=secrets)
    found = find_items([folder], search)
    summary = Summary("opened")
    with progress_bar("checked") as advance:
        for index, item in enumerate(found.items):
            summary.add(index, _check(item, key, options))
            advance(summary.count, len(found.items))
    others = _list_others(found)
    if as_json:
        _print_json(summary, others)
    else:
        if summary.failures:
            summary.say(resumed=False)
        for line in others.lines(all_files=None):
            click.echo(f"also there: {line}")
        rest = f"{len(others.left_out)} more" if others.left_out else "nothing else"
        click.echo(f"{summary.done} of {summary.count} open; {rest} in '{folder}'")
    if code := summary.code() or int(bool(others.left_out)):
        raise click.exceptions.Exit(code)


def _check(item: Item, key: RestoringKey, options: OpenOptions) -> Outcome:
    """Return the outcome of one file; it opens only if all of it can be restored exactly."""
    result: FileReport | Failure
    try:
        if item.fault:
            raise InvalidImageError(item.fault)
        inspection = inspect_file(item.source, key, options)
        if inspection.redaction is not None:
            raise UnsupportedError(
                f"'{item.source}' is redacted", hint="'unredact' shows what its keys give back"
            )
        if inspection.record is None:
            raise UnsupportedError(
                f"'{item.source}' is a robust picture, which is restored approximately"
            )
        result = FileReport(shape=inspection.record.picture.pixels.shape)
    except Exception as error:
        result = Failure.of(error)
    return Outcome(source=str(item.source), result=result)


def _list_others(found: InputFiles) -> InputFiles:
    """Return what is there besides protected files and their sidecars."""
    return type(found)(
        left_out=[
            (path, reason)
            for path, reason in found.left_out
            if reason is not LeftOutReason.SIDECAR or not exists(split_sidecar(path))
        ]
    )


def _print_json(summary: Summary, others: InputFiles) -> None:
    fields = {
        "files": summary.count,
        "open": summary.done,
        "failed": {source: one.error for source, one in summary.failures.values()},
        "others": {str(path): reason.value[0] for path, reason in others.left_out},
    }
    click.echo(json.dumps(fields, indent=2))
