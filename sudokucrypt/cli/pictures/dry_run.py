"""What a run would do, without doing it: ``--dry-run``."""

import click

from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import Item
from sudokucrypt.cli.pictures.job import Job
from sudokucrypt.errors import InvalidParameterError, OutputExistsError
from sudokucrypt.recipes.naming import ResultNaming
from sudokucrypt.remote import Url
from sudokucrypt.storage import exists

_UNKNOWN = ".*"
"""The suffix of a result whose format depends on what is in its input."""


def list_results(job: Job, *, restoring: bool, existing: str | None) -> None:
    """Print each input with the location of its result; nothing is read but names.

    `existing` says what becomes of results that exist, if they stop nothing.
    """
    for item in job.items:
        if item.fault:
            say("error", item.fault)
            continue
        click.echo(
            f"{item.source} -> {_predict_result(item, job, restoring=restoring, existing=existing)}"
        )
    possible = sum(not item.fault for item in job.items)
    say("note", f"{possible} {'file' if possible == 1 else 'files'} would be {job.work.word}")


def claim_names(job: Job) -> dict[int, InvalidParameterError]:
    """Claim the names of results in the order of the inputs, where nothing must be read for it.

    So it does not depend on speed which of two inputs gets a name. Return the errors of inputs
    whose results have no name to themselves, by the index of the input.
    """
    errors: dict[int, InvalidParameterError] = {}
    if (suffix := _predict_suffix(job)) == _UNKNOWN or "{random}" in job.naming.template:
        return errors
    for index, item in enumerate(job.items):
        named = None if item.fault else job.name_result(item)
        if isinstance(named, ResultNaming):
            try:
                job.claims.claim(named.make_path(suffix), item.source)
            except InvalidParameterError as error:
                errors[index] = error
    return errors


def names_are_clear(job: Job) -> bool:
    """Return whether the name of each result is clear without looking into its input."""
    return job.work.options.sealing and _predict_suffix(job) != _UNKNOWN


def _predict_result(item: Item, job: Job, *, restoring: bool, existing: str | None) -> str:
    """Return where the result of one input would go, and what is in its way."""
    target = job.name_result(item)
    if target is None:
        return "stdout"
    if isinstance(target, ResultNaming):
        if restoring and target.takes_sealed_names:
            folder = target.source.parent if target.folder is None else target.folder
            return f"{folder}/ (its name is encrypted in it)"
        target = target.make_path(_predict_suffix(job))
    try:
        job.claims.claim(target, item.source)
    except (InvalidParameterError, OutputExistsError) as error:
        return f"{target} ({error})"
    if isinstance(target, Url) or target.suffix == _UNKNOWN or not exists(target):
        return str(target)
    return f"{target} ({existing or 'exists'})"


def _predict_suffix(job: Job) -> str:
    """Return the suffix of a result whose format is known without reading anything."""
    options = job.work.options
    if (chosen := getattr(options, "format", None)) is not None:
        from sudokucrypt.images import suffix_of

        return suffix_of(chosen)
    return _UNKNOWN if getattr(options, "as_file", False) is False else ".png"
