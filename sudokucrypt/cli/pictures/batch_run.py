"""Run a command on one or more files: in parallel, with a summary, and despite failed files."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.finding import FileSearch, find_items, join_first_paths
from sudokucrypt.cli.messages import say, say_if_verbose, say_result_notes, show_progress_bar
from sudokucrypt.cli.options import require_template
from sudokucrypt.cli.pictures.job import Job, Naming, RunSettings, read_masks
from sudokucrypt.cli.pictures.outcomes import (
    PARTIAL_EXIT_CODE,
    Failure,
    Outcome,
    Summary,
    say_reasons_for_pixels,
)
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.recipes.naming import DEFAULT_TEMPLATE
from sudokucrypt.recipes.options import EncryptOptions
from sudokucrypt.recipes.sinks import Claims, identify_files, make_same_output_error
from sudokucrypt.storage import exists, is_folder, parse_location
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudokucrypt.cli.options import BatchOptions, InputItem, PruningOptions
    from sudokucrypt.cli.pictures.cluster import ClusterEngine
    from sudokucrypt.cli.pictures.job import Engine, InputOutcome, InputTask
    from sudokucrypt.cli.pictures.manifest import Manifest
    from sudokucrypt.cli.pictures.updating import Update


def run(
    options: BatchOptions,
    work: RunSettings,
    *,
    all_files: bool | None = None,
    is_restoring: bool = False,
    only_redacted: bool = False,
    pruning: PruningOptions | None = None,
) -> tuple[int, ...] | None:
    """Run the work on all inputs; return the shape of the smallest new result, or None.

    `all_files`, `is_restoring` and `only_redacted` are passed to `FileSearch`; with `pruning` the
    work may be an update of folders. A single input raises its own error. If any of several inputs
    fails, `click.exceptions.Exit` is raised with the exit code that all failures share, or 1. It is
    also raised, with `PARTIAL_EXIT_CODE`, if some layers of a result stay covered.
    """
    resume, force = work.options.resume, work.options.replace
    if resume and force:
        raise click.UsageError("--resume keeps what --force would replace; give one of them")
    # Masks are read first, so that a bad mask stops the run before anything is written.
    masks = read_masks(work)
    secret_files = [path for secret in work.secret_options for path in secret.list_files()]
    search = _make_search(
        options,
        work.participle,
        secret_files,
        all_files=all_files,
        is_restoring=is_restoring,
        only_redacted=only_redacted,
    )
    inputs = find_items(options.sources, search)
    items = inputs.items
    has_several_inputs = options.has_several_inputs() and (len(items) != 1 or not items[0].fault)
    job = Job(
        work=work,
        naming=_choose_naming(options, work, has_several_inputs=has_several_inputs),
        items=items,
        claims=_make_claims(work, items, secret_files),
        secret_files=secret_files,
        masks=masks,
    )
    if options.listing:
        inputs.print_left_out_files()
    else:
        inputs.print_left_out_counts(all_files=all_files)
    update = _make_update(options, job, pruning)
    _warn_of_unused_boxes(options, job)
    if options.dry_run:
        _list_results(job, update, is_restoring=is_restoring)
        if not work.only_searches:
            return None
    # A dry run needs no cluster, and there is nothing to resume.
    manifest_path, cluster_address = (
        (None, None) if options.dry_run else (options.manifest, options.cluster)
    )
    with ExitStack() as exit_stack:
        manifest = None
        keeps_results = resume or update is not None
        if manifest_path is not None:
            from sudokucrypt.cli.pictures.manifest import Manifest
            from sudokucrypt.cli.pictures.run_ids import compute_run_id

            manifest = exit_stack.enter_context(
                Manifest(manifest_path, compute_run_id(work), resume=keeps_results, replace=force)
            )
        if not has_several_inputs:
            if cluster_address is not None:
                say("note", "a single input is worked on here, without --dask")
            return _run_single_input(job, manifest)
        if cluster_address is None:
            from sudokucrypt.cli.pictures.processes import start_engine

            engine: Engine = start_engine(job, options.jobs)
        else:
            engine = exit_stack.enter_context(_make_cluster(options, cluster_address, job))
        resumed_manifest = manifest if resume else None
        name_errors: Mapping[int, SudokucryptError] = {}
        if not is_restoring:
            from sudokucrypt.cli.pictures.dry_run import claim_names

            name_errors = claim_names(job)
        participle = "searched" if options.dry_run else work.participle
        summary = _run_several_inputs(
            job, participle, engine, manifest, resumed_manifest, name_errors, update
        )
    return _finish_run(
        work, summary, update, is_resumed=keeps_results or cluster_address is not None
    )


def _finish_run(
    work: RunSettings, summary: Summary, update: Update | None, *, is_resumed: bool
) -> tuple[int, ...] | None:
    """Print the summary of a run; return the shape of the smallest result."""
    was_pruning_successful = update is None or update.handle_stale_results(
        has_failures=bool(summary.failures)
    )
    _say_closing_note(work, summary.sealed_count)
    summary.print_summary(is_resumed=is_resumed)
    if exit_code := summary.find_exit_code() or int(not was_pruning_successful):
        raise click.exceptions.Exit(exit_code)
    return summary.smallest_shape


def _make_update(options: BatchOptions, job: Job, pruning: PruningOptions | None) -> Update | None:
    """Return the update of folders that the options ask for, or None."""
    encrypt_options = job.work.options
    if pruning is None or not isinstance(encrypt_options, EncryptOptions):
        return None
    if not (encrypt_options.update or encrypt_options.checksum):
        return None
    # Imported here, since most runs do not need it.
    from sudokucrypt.cli.pictures.updating import Update

    return Update.for_job(options, job, encrypt_options, pruning)


def _list_results(job: Job, update: Update | None, *, is_restoring: bool) -> None:
    """Print the results that the run would write, without writing them."""
    from sudokucrypt.cli.pictures.dry_run import list_results

    note_for_existing = "exists, and is kept" if job.work.options.resume else None
    note_for_existing = "would be replaced" if job.work.options.replace else note_for_existing
    note_for_existing = "exists, and is kept if it is up to date" if update else note_for_existing
    list_results(job, is_restoring=is_restoring, note_for_existing=note_for_existing)
    if update is not None:
        update.handle_stale_results(
            has_failures=any(item.fault for item in job.items), is_dry_run=True
        )


def _make_search(
    options: BatchOptions,
    participle: str,
    secret_files: Sequence[Path],
    *,
    all_files: bool | None,
    is_restoring: bool,
    only_redacted: bool,
) -> FileSearch:
    """Return the rules by which folders are searched for inputs."""
    output = options.output
    if options.listing and options.writes_to_stdout:
        raise click.UsageError("--list prints to stdout, where the result goes")
    return FileSearch(
        participle=participle,
        recursive=options.recursive,
        excluded_folders=() if output in (None, "-") else (parse_location(str(output)),),
        secret_files=tuple(secret_files),
        manifest=options.manifest,
        shard=options.shard,
        all_files=all_files,
        is_restoring=is_restoring,
        only_redacted=only_redacted,
    )


def _make_cluster(options: BatchOptions, address: str, job: Job) -> ClusterEngine:
    """Return the Dask cluster at this address, prepared for the job but not connected."""
    from sudokucrypt.cli.pictures.cluster import ClusterEngine
    from sudokucrypt.cli.pictures.remote_tasks import RemoteTask

    if options.writes_to_stdout or Path("-") in options.sources:
        raise click.UsageError("--dask takes files, not stdin and stdout")
    if options.jobs is not None and address != "local":
        raise click.UsageError("--jobs is for this machine; a cluster has its workers already")
    with Workers() as workers:
        jobs = options.jobs or workers.threads
    return ClusterEngine(address, RemoteTask.for_job(job), jobs=jobs)


def _make_claims(
    work: RunSettings, items: Sequence[InputItem], secret_files: Sequence[Path]
) -> Claims:
    """Return the files that results must not replace: secrets and, with --force, inputs."""
    # Without --force no existing file is replaced anyway.
    replaces_files = work.options.replace or getattr(work.options, "update", False)
    inputs = [item.source for item in items if not item.is_stdin] if replaces_files else ()
    return Claims(secret_files, identify_files(inputs))


def _choose_naming(options: BatchOptions, work: RunSettings, *, has_several_inputs: bool) -> Naming:
    """Return the rules by which results are named."""
    output = options.output
    template = DEFAULT_TEMPLATE if options.template is None else options.template
    folder = None
    if output == "-":
        if has_several_inputs:
            raise click.UsageError("several pictures do not fit into stdout; name a folder")
        return Naming(output=output, template=template)
    if output is not None:
        folder = parse_location(output)
        goes_to_folder = output.endswith("/") or is_folder(folder)
        if not (has_several_inputs or goes_to_folder):
            if template != DEFAULT_TEMPLATE:
                raise click.UsageError("--name is for results that -o does not name")
            return Naming(output=output, template=template)
        if not goes_to_folder and (folder.suffix or exists(folder)):
            raise click.UsageError(
                f"several pictures go to a folder; write '{output}/' if '{output}' is one"
            )
    require_template(template)
    if "{random}" in template and (
        options.cluster or (work.options.resume and not options.manifest)
    ):
        raise click.UsageError(
            "results with random names cannot be found again; resume with --manifest, and without "
            "--dask"
        )
    return Naming(output=output, folder=folder, template=template)


def _run_single_input(job: Job, manifest: Manifest | None) -> tuple[int, ...] | None:
    """Process the only input of a run; return the shape of its new result, or raise its error."""
    (item,) = job.items
    source = str(item.source)
    try:
        report = job.run(item)
    except SudokucryptError as error:
        if manifest is not None:
            manifest.write([Outcome(source=source, result=Failure.from_error(error))])
        raise
    outcome = Outcome(source=source, result=report)
    if manifest is not None:
        manifest.write([outcome])
    _say_result_details(outcome)
    if not report.kept and report.pixels_because is not None:
        say_reasons_for_pixels(job.work.participle, {report.pixels_because: 1})
    say_result_notes(report, is_named=job.naming.output is not None)
    _say_closing_note(job.work, int(report.layers > 0 and not report.kept))
    if report.covered:
        raise click.exceptions.Exit(PARTIAL_EXIT_CODE)
    return None if report.kept else report.shape


def _warn_of_unused_boxes(options: BatchOptions, job: Job) -> None:
    """Warn if lists of boxes name pictures that are not among the inputs."""
    layers = job.work.layers
    if not layers:
        return
    input_names = {"", *(PurePath(str(item.source)).name for item in job.items)}
    unknown_names = {name for layer in layers for name in layer.region.boxes_by_name} - input_names
    if unknown_names and options.shard is None:  # with --shard, another part may have the picture
        names = join_first_paths(sorted(unknown_names))
        say("warning", f"boxes are listed for pictures that are no inputs: {names}")


def _say_closing_note(work: RunSettings, count: int) -> None:
    """Print the closing note of the work, unless `count`, the number of sealed results, is 0."""
    if work.closing_note and count:
        say("note", work.closing_note.format("this file" if count == 1 else "these files"))


def _say_result_details(outcome: Outcome) -> None:
    """With --verbose, print where the result of an input is, and the sizes of both."""
    report = outcome.result
    if not isinstance(report, Failure) and report.target is not None and not report.kept:
        sizes = f"{report.source_bytes or 0:,} to {report.target_bytes or 0:,} bytes"
        say_if_verbose(f"'{outcome.source}' -> '{report.target}', {sizes}")


class _ResultLocations:
    """The locations of all results of a run, to find two inputs with the same location."""

    def __init__(self) -> None:
        # For the hash of each location, whether a result other than a kept copy is there.
        self._has_original_by_hash: dict[int, bool] = {}

    def check(self, outcome: Outcome) -> Outcome:
        """Return the outcome, or a failure if another input has a result at the same location."""
        report = outcome.result
        if isinstance(report, Failure) or report.target is None:
            return outcome
        # Equal restored files may share a location: an existing file is reported as kept only if
        # it was compared with the result.
        location_hash, is_kept_copy = hash(report.target), report.kept and report.mode == "file"
        # A copy may be reported before the file that it was compared with.
        is_original = (
            report.mode == "file"
            and not report.kept
            and not self._has_original_by_hash.get(location_hash)
        )
        if location_hash in self._has_original_by_hash and not (
            outcome.is_recorded or is_kept_copy or is_original
        ):
            return replace(
                outcome, result=Failure.from_error(make_same_output_error(report.target))
            )
        self._has_original_by_hash[location_hash] = (
            self._has_original_by_hash.get(location_hash, False) or not is_kept_copy
        )
        return outcome


def _run_several_inputs(
    job: Job,
    participle: str,
    engine: Engine,
    manifest: Manifest | None,
    resumed_manifest: Manifest | None,
    name_errors: Mapping[int, SudokucryptError],
    update: Update | None = None,
) -> Summary:
    """Process all inputs, and return the summary with their failures.

    Inputs in `name_errors` are not processed: they fail with the given error.
    """
    items, summary = job.items, Summary(participle)
    seen_targets = _ResultLocations()

    def record_outcomes(outcomes: Sequence[InputOutcome]) -> None:
        outcomes = [(index, seen_targets.check(outcome)) for index, outcome in outcomes]
        for index, outcome in outcomes:
            summary.add(index, outcome)
            _say_result_details(outcome)
        if manifest is not None:
            manifest.write(outcome for _, outcome in outcomes)

    tasks: Iterator[InputTask] = (
        (
            index,
            item,
            None if resumed_manifest is None else resumed_manifest.find_report(str(item.source)),
        )
        for index, item in enumerate(items)
        if index not in name_errors
    )
    record_outcomes(
        [
            (index, Outcome(source=str(items[index].source), result=Failure.from_error(error)))
            for index, error in name_errors.items()
        ]
    )
    try:
        with show_progress_bar(participle) as advance:

            def record_and_show(outcomes: Sequence[InputOutcome]) -> None:
                record_outcomes(outcomes)
                advance(summary.count, len(items))

            if update is not None:
                tasks = update.iterate_outdated_inputs(tasks, record_and_show)
            for outcomes in engine.run_tasks(tasks):
                record_and_show(outcomes)
    except BaseException:
        for outcomes in engine.stop():
            record_outcomes(outcomes)
        finished_count = summary.done_count + summary.kept_count
        continuation_hint = "--resume goes on" if update is None else "the same command goes on"
        say(
            "note",
            f"stopped after {finished_count} of {len(items)}; {continuation_hint} from there",
        )
        raise
    return summary
