"""``--dry-run``: list the results that a run would write, without writing them."""

import click

from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import InputItem
from sudokucrypt.cli.pictures.job import Job
from sudokucrypt.errors import InvalidParameterError, OutputExistsError
from sudokucrypt.recipes.naming import ResultNaming
from sudokucrypt.remote import Url
from sudokucrypt.storage import exists

_UNKNOWN_SUFFIX = ".*"
"""Stands for the suffix of a result whose format depends on the content of its input."""


def list_results(job: Job, *, is_restoring: bool, note_for_existing: str | None) -> None:
    """Print each input with the location of its result; no content is read.

    `note_for_existing` is printed for results that exist, such as "would be replaced"; with None,
    an existing result is printed as an obstacle.
    """
    for item in job.items:
        if item.fault:
            say("error", item.fault)
            continue
        result = _describe_planned_result(
            item, job, is_restoring=is_restoring, note_for_existing=note_for_existing
        )
        click.echo(f"{item.source} -> {result}")
    count = sum(not item.fault for item in job.items)
    say("note", f"{count} {'file' if count == 1 else 'files'} would be {job.work.participle}")


def claim_names(job: Job) -> dict[int, InvalidParameterError]:
    """Claim those names of results that do not depend on content, in the order of the inputs.

    If two inputs have the same name, the first one gets it, even if the second one is processed
    faster. Return the errors of the others, by the index of the input.
    """
    errors: dict[int, InvalidParameterError] = {}
    if (suffix := _predict_suffix(job)) == _UNKNOWN_SUFFIX or "{random}" in job.naming.template:
        return errors
    for index, item in enumerate(job.items):
        naming = None if item.fault else job.name_result(item)
        if isinstance(naming, ResultNaming):
            try:
                job.claims.claim(naming.make_path(suffix), item.source)
            except InvalidParameterError as error:
                errors[index] = error
    return errors


def are_names_predictable(job: Job) -> bool:
    """Return whether the name of every result is known without reading any input."""
    return job.work.options.seals_results and _predict_suffix(job) != _UNKNOWN_SUFFIX


def _describe_planned_result(
    item: InputItem, job: Job, *, is_restoring: bool, note_for_existing: str | None
) -> str:
    """Describe where the result of an input would be written, and any obstacle."""
    target = job.name_result(item)
    if target is None:
        return "stdout"
    if isinstance(target, ResultNaming):
        if is_restoring and target.takes_sealed_names:
            folder = target.source.parent if target.folder is None else target.folder
            return f"{folder}/ (its name is encrypted in it)"
        target = target.make_path(_predict_suffix(job))
    try:
        job.claims.claim(target, item.source)
    except (InvalidParameterError, OutputExistsError) as error:
        return f"{target} ({error})"
    if isinstance(target, Url) or target.suffix == _UNKNOWN_SUFFIX or not exists(target):
        return str(target)
    return f"{target} ({note_for_existing or 'exists'})"


def _predict_suffix(job: Job) -> str:
    """Return the suffix of all results, or `_UNKNOWN_SUFFIX` if it depends on the inputs."""
    options = job.work.options
    if (format_name := getattr(options, "format", None)) is not None:
        from sudokucrypt.images import get_suffix

        return get_suffix(format_name)
    return _UNKNOWN_SUFFIX if getattr(options, "as_file", False) is False else ".png"
