"""``sudokucrypt info FOLDER``: check that a key restores every file, and list all other files."""

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
    """Restore every file of a folder in memory, and print how many files could be restored.

    Files that are not protected are listed. If there are any, or a file cannot be restored,
    `click.exceptions.Exit` is raised with the exit code that all failures share, or 1. `options`
    are passed to `inspect_file`.
    """
    search = FileSearch(word="checked", recursive=recursive, restoring=True, secrets=secrets)
    inputs = find_items([folder], search)
    summary = Summary("opened")
    with progress_bar("checked") as advance:
        for index, item in enumerate(inputs.items):
            summary.add(index, _check(item, key, options))
            advance(summary.count, len(inputs.items))
    unprotected = _list_others(inputs)
    if as_json:
        _print_json(summary, unprotected)
    else:
        if summary.failures:
            summary.print_summary(resumed=False)
        for line in unprotected.describe_left_out(all_files=None):
            click.echo(f"also there: {line}")
        remark = f"{len(unprotected.left_out)} more" if unprotected.left_out else "nothing else"
        click.echo(f"{summary.done_count} of {summary.count} open; {remark} in '{folder}'")
    if exit_code := summary.find_exit_code() or int(bool(unprotected.left_out)):
        raise click.exceptions.Exit(exit_code)


def _check(item: Item, key: RestoringKey, options: OpenOptions) -> Outcome:
    """Return the outcome of one file; it fails unless everything in it is restored exactly."""
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
        result = Failure.from_error(error)
    return Outcome(source=str(item.source), result=result)


def _list_others(inputs: InputFiles) -> InputFiles:
    """Return the files of a folder that are neither protected files nor their sidecars."""
    return type(inputs)(
        left_out=[
            (path, reason)
            for path, reason in inputs.left_out
            if reason is not LeftOutReason.SIDECAR or not exists(split_sidecar(path))
        ]
    )


def _print_json(summary: Summary, unprotected: InputFiles) -> None:
    fields = {
        "files": summary.count,
        "open": summary.done_count,
        "failed": {source: failure.error for source, failure in summary.failures.values()},
        "others": {str(path): reason.value[0] for path, reason in unprotected.left_out},
    }
    click.echo(json.dumps(fields, indent=2))
