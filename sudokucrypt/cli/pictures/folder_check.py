"""``sudokucrypt info FOLDER``: check that a key restores every file, and list all other files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.finding import FileSearch, LeftOutReason, find_items, find_sidecar_picture
from sudokucrypt.cli.messages import show_progress_bar
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome, Summary
from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.recipes import FileReport, inspect_file
from sudokucrypt.storage import exists

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.cli.finding import InputFiles
    from sudokucrypt.cli.options import InputItem
    from sudokucrypt.keys import RestoringKey
    from sudokucrypt.recipes.options import OpenOptions
    from sudokucrypt.storage import Location


def check_folder(
    folder: Location,
    key: RestoringKey,
    *,
    recursive: bool,
    secret_files: tuple[Path, ...],
    as_json: bool,
    options: OpenOptions,
) -> None:
    """Restore every file of a folder in memory, and print how many files could be restored.

    Files that are not protected are listed. If there are any, or a file cannot be restored,
    `click.exceptions.Exit` is raised with the exit code that all failures share, or 1. `options`
    are passed to `inspect_file`.
    """
    search = FileSearch(
        participle="checked", recursive=recursive, is_restoring=True, secret_files=secret_files
    )
    inputs = find_items([folder], search)
    summary = Summary("opened")
    with show_progress_bar("checked") as advance:
        for index, item in enumerate(inputs.items):
            summary.add(index, _check_file(item, key, options))
            advance(summary.count, len(inputs.items))
    unprotected_files = _list_unprotected_files(inputs)
    if as_json:
        _print_json(summary, unprotected_files)
    else:
        if summary.failures:
            summary.print_summary(is_resumed=False)
        for line in unprotected_files.describe_left_out_files(all_files=None):
            click.echo(f"also there: {line}")
        remark = (
            f"{len(unprotected_files.left_out_files)} more"
            if unprotected_files.left_out_files
            else "nothing else"
        )
        click.echo(f"{summary.done_count} of {summary.count} open; {remark} in '{folder}'")
    if exit_code := summary.find_exit_code() or int(bool(unprotected_files.left_out_files)):
        raise click.exceptions.Exit(exit_code)


def _check_file(item: InputItem, key: RestoringKey, options: OpenOptions) -> Outcome:
    """Return the outcome of one file; it fails unless everything in it is restored exactly."""
    result: FileReport | Failure
    try:
        if item.fault:
            raise InvalidImageError(item.fault)
        inspection = inspect_file(item.source, key, options)
        if inspection.redaction is not None:
            raise UnsupportedError(
                f"'{item.source}' is redacted",
                hint="use 'unredact' to restore the areas for which you have a key",
            )
        if inspection.record is None:
            raise UnsupportedError(
                f"'{item.source}' is a robust picture, which is restored approximately"
            )
        result = FileReport(shape=inspection.record.picture.pixels.shape)
    except Exception as error:
        result = Failure.from_error(error)
    return Outcome(source=str(item.source), result=result)


def _list_unprotected_files(inputs: InputFiles) -> InputFiles:
    """Return the files of a folder that are neither protected files nor their sidecars."""
    return type(inputs)(
        left_out_files=[
            (path, reason)
            for path, reason in inputs.left_out_files
            if reason is not LeftOutReason.SIDECAR or not exists(find_sidecar_picture(path))
        ]
    )


def _print_json(summary: Summary, unprotected_files: InputFiles) -> None:
    fields = {
        "files": summary.count,
        "open": summary.done_count,
        "failed": {source: failure.error for source, failure in summary.failures.values()},
        "others": {str(path): reason.value[0] for path, reason in unprotected_files.left_out_files},
    }
    click.echo(json.dumps(fields, indent=2))
