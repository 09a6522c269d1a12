"""Runs with several processes have the same results and stop in the same way as with one."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import click
import pytest

from sudokucrypt.cli.options import InputItem
from sudokucrypt.cli.pictures import processes
from sudokucrypt.cli.pictures.boxes import Box
from sudokucrypt.cli.pictures.job import Engine, Job, Naming, RunSettings
from sudokucrypt.cli.pictures.outcomes import Outcome
from sudokucrypt.cli.pictures.processes import ProcessEngine, start_engine
from sudokucrypt.cli.pictures.threads import ThreadEngine
from sudokucrypt.keys import Key, Passphrase
from sudokucrypt.recipes import FileReport
from sudokucrypt.recipes.operations import protect
from sudokucrypt.recipes.options import EncryptOptions
from sudokucrypt.storage import UNFINISHED_SUFFIX
from tests.cli.conftest import KEY, Run, write_small_pictures
from tests.cli.test_files_of_any_kind import read_tree

COUNT = 45
KEY_OF_ZEROS = Key(bytes(32))
FEW = [InputItem(Path(f"{index}.jpg")) for index in range(3)]
MANY = [InputItem(Path(f"{index}.jpg")) for index in range(COUNT)]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")


@pytest.fixture(autouse=True)
def isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that only one thread is running, so that forking is allowed, and two cores."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setenv("SUDOKUCRYPT_THREADS", "2")


def start(
    items: list[InputItem],
    jobs: int | None = None,
    key: Key | Passphrase = KEY_OF_ZEROS,
    found_boxes: dict[str, list[Box]] | None = None,
) -> Engine:
    """Return the engine that encrypts these inputs."""
    options = EncryptOptions()
    work = RunSettings(
        recipe=protect, options=options, secret_options=(), keys=(key,), found_boxes=found_boxes
    )
    return start_engine(Job(work=work, naming=Naming(), items=items), jobs)


def test_when_processes_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are used for many or large inputs, if memory and the kind of work allow it."""
    assert isinstance(start(MANY), ProcessEngine)
    assert isinstance(start(MANY, 5), ProcessEngine)
    assert isinstance(start(MANY, 1), ThreadEngine)
    assert isinstance(start(FEW), ThreadEngine)
    assert isinstance(start([*MANY, InputItem(Path("-"))]), ThreadEngine)
    assert isinstance(start(MANY, 2, Passphrase("a word")), ThreadEngine)
    assert isinstance(start(MANY, 2, found_boxes={}), ThreadEngine)
    large_items = [InputItem(tmp_path / name) for name in "ab"]
    for item in large_items:
        Path(str(item.source)).write_bytes(b"")
        os.truncate(str(item.source), 1 << 24)
    assert isinstance(start(large_items), ProcessEngine)
    assert isinstance(start(large_items[:1]), ThreadEngine)
    monkeypatch.setattr(processes, "_measure_free_memory", lambda: 1 << 28)
    assert isinstance(start(large_items), ThreadEngine)
    assert isinstance(start(large_items, 2), ProcessEngine)


def test_free_memory_is_limited_by_the_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The free memory is at most the memory limit of a container, if there is one."""
    assert 0 < processes._measure_free_memory() < sys.maxsize
    limits = (tmp_path / "max", tmp_path / "current")
    monkeypatch.setattr(processes, "_MEMORY_FILES", limits)
    for path, number in zip(limits, (5000, 2000), strict=True):
        path.write_text(f"{number}\n")
    assert processes._measure_free_memory() == 3000
    limits[0].write_text("max\n")
    assert processes._measure_free_memory() > 3000


@pytest.mark.parametrize("command", ["encrypt", "scramble"])
def test_results_and_reports_are_the_same(run: Run, command: str) -> None:
    """Two processes give the same results and failures as one thread, for both commands."""
    write_small_pictures(Path("in"), COUNT)
    Path("in/x.png").write_bytes(b"\x89PNG\r\n\x1a\n, and no more")
    outcomes = []
    for jobs in "12":
        result = run(
            command, "in", "-o", f"out{jobs}", "--deterministic", "--jobs", jobs, *KEY, code=None
        )
        verb = {"encrypt": "decrypt", "scramble": "unscramble"}[command]
        restored_result = run(verb, f"out{jobs}", "-o", f"back{jobs}", "--jobs", jobs, *KEY)
        second_result = run(command, "in", "-o", f"out{jobs}", "--jobs", jobs, *KEY, code=None)
        outcomes.append(
            [
                (command_result.code, command_result.err.replace(f"out{jobs}", "out"))
                for command_result in (result, restored_result, second_result)
            ]
            + [read_tree(Path(f"out{jobs}")), read_tree(Path(f"back{jobs}"))]
        )
    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0][-1]) >= COUNT


def test_names_go_to_the_first_inputs(run: Run) -> None:
    """Of several files with one sealed name the first is restored; equal ones count as kept."""
    for index in range(COUNT):
        Path("in", f"{index:02}").mkdir(parents=True)
        content = b"same" if index % 3 else b"other %d" % (index % 2)
        Path("in", f"{index:02}", f"{index // 9}.txt").write_bytes(content)
        os.utime(Path("in", f"{index:02}", f"{index // 9}.txt"), (9, 9))
    run("encrypt in -r --all-files -o out", *KEY)
    Path("flat").mkdir()
    for index, path in enumerate(sorted(Path("out").rglob("*.png"))):
        path.rename(Path("flat", f"{index:02}.png"))
    reports = []
    for jobs in "12":
        result = run("decrypt flat -o", f"back{jobs}", "--jobs", jobs, *KEY, code=None)
        reports.append(
            (result.code, result.err.replace(f"back{jobs}", ""), read_tree(Path(f"back{jobs}")))
        )
    assert reports[0][1] == reports[1][1], reports[0][1] + reports[1][1]
    assert reports[0] == reports[1]
    assert len(reports[0][2]) == COUNT // 9


def test_a_process_that_dies_fails_its_input_alone(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a process dies, its input fails, other inputs are done, and no partial file stays."""
    write_small_pictures(Path("in"), COUNT)
    find_outcome = Job.find_outcome

    def die_or_work(self: Job, item: InputItem, **options: object) -> Outcome:
        if item.source.name in ("0003.png", f"{COUNT - 1:04}.png"):
            Path("out").mkdir(exist_ok=True)
            Path(f"out/.{item.source.name}.0123456789abcdef{UNFINISHED_SUFFIX}").write_bytes(
                b"half"
            )
            os.kill(os.getpid(), signal.SIGKILL)
        return find_outcome(self, item, **options)  # type: ignore[arg-type] # they are passed on

    monkeypatch.setattr(Job, "find_outcome", die_or_work)
    result = run("encrypt in -o out", *KEY, code=1)
    assert f"{COUNT - 2} encrypted, 2 failed" in result.err
    assert "'in/0003.png': the process that worked on it ended" in result.err
    assert "if memory is short, use --jobs 1" in result.err
    assert len(list(Path("out").iterdir())) == COUNT - 2


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_few_processes_may_be_started(
    run: Run, monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    """If few processes can start, they do all the work; without any, an error has a hint."""
    write_small_pictures(Path("in"), COUNT)
    find_outcome, fork = Job.find_outcome, os.fork
    forked: list[bool] = []

    def fork_a_few() -> int:
        if len(forked) == allowed:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        forked.append(True)
        return fork()

    def die_or_work(self: Job, item: InputItem, **options: object) -> Outcome:
        if allowed == 2 and item.source.name == "0003.png":
            os.kill(os.getpid(), signal.SIGKILL)
        return find_outcome(self, item, **options)  # type: ignore[arg-type] # they are passed on

    monkeypatch.setattr(os, "fork", fork_a_few)
    monkeypatch.setattr(Job, "find_outcome", die_or_work)
    result = run("encrypt in -o out --jobs 3", *KEY, code=None)
    if not allowed:
        assert result.code == 1
        assert "cannot start a process: resource temporarily unavailable" in result.err
        assert "hint: use --jobs 1" in result.err
    elif allowed == 1:
        assert f"{COUNT} encrypted, 0 failed" in result.err
    else:
        failure_count = result.err.count("': the process that worked on it ended")
        assert failure_count in (1, 2)  # the process may have had a further input
        assert f"{COUNT - failure_count} encrypted, {failure_count} failed" in result.err
        assert "'in/0003.png': the process that worked on it ended" in result.err


def test_all_processes_die(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """If all processes die and none can be started, the run ends with an error."""
    write_small_pictures(Path("in"), COUNT)
    fork = os.fork
    forked: list[bool] = []

    def fork_a_few() -> int:
        if len(forked) == 2:
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        forked.append(True)
        return fork()

    monkeypatch.setattr(os, "fork", fork_a_few)
    monkeypatch.setattr(Job, "find_outcome", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
    run("encrypt in -o out", *KEY, code=1, says="cannot start a process: cannot allocate memory")


def test_errors_that_end_the_run_are_raised(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A usage error in a process is raised by the run, with the outcomes until then."""
    write_small_pictures(Path("in"), COUNT)

    def fail_or_work(self: Job, item: InputItem, **options: object) -> Outcome:
        del self, options
        if item.source.name == "0007.png":
            raise click.UsageError("no more")
        report = FileReport(shape=(1, 1), target=Path(item.source.name))
        return Outcome(source=str(item.source), result=report)

    monkeypatch.setattr(Job, "find_outcome", fail_or_work)
    run("encrypt in -o out", *KEY, code=2, says=("no more", "--resume goes on from there"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_the_run(run: Run, number: signal.Signals) -> None:
    """An interrupted or killed run leaves no partial file and no process, and can be resumed."""
    write_small_pictures(Path("in"), 300)
    command = [sys.executable, "-m", "sudokucrypt", "encrypt", "in", "-o", "out", "--jobs", "2"]
    command += KEY
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, process_group=0)
    while process.poll() is None and len(list(Path("out").glob("0*"))) < 20:
        time.sleep(0.002)
    if number == signal.SIGINT:  # a terminal sends the signal to the whole group
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    try:
        message = process.communicate(timeout=60)[1]  # the pipe ends once all processes have ended
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert "Traceback" not in message
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert "stopped after" in message
    run("encrypt in -o out --resume", *KEY, says=", 0 failed")
    run("decrypt out -o back", *KEY)
    assert read_tree(Path("back")) == read_tree(Path("in"))
