"""--dask processes files on a cluster: results are correct, and no key is sent."""

import base64
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import Key, decrypt_file
from sudokucrypt.cli.options import InputItem
from sudokucrypt.cli.pictures import cluster, local, remote_tasks, worker
from sudokucrypt.cli.pictures.job import Job, Naming, RunSettings
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome
from sudokucrypt.errors import SudokucryptError, format_extra_hint
from sudokucrypt.images import read_picture
from sudokucrypt.recipes import FileReport
from sudokucrypt.recipes.operations import restore
from sudokucrypt.recipes.options import DecryptOptions
from sudokucrypt.recipes.sinks import Claims
from tests.benchmarks.cluster import list_workers
from tests.cli.conftest import KEY, Run, is_same, list_names, read_manifest, write_small_pictures
from tests.images.builders import noise, save_image

distributed = pytest.importorskip("distributed", reason="it comes with the extra 'dask'")

REPORT = FileReport(shape=(1, 1))
ORDER = remote_tasks.RemoteTask(
    version="",
    run="",
    work=RunSettings(recipe=restore, options=DecryptOptions(), secret_options=(), keys=()),
    naming=Naming(),
    claims=Claims(),
    scheme=None,
    encrypted_known_texts=(),
)


@pytest.fixture(scope="module")
def messages() -> Iterator[list[bytes]]:
    """Record all messages between client, scheduler and workers as uncompressed bytes."""
    import dask
    from distributed.comm import tcp

    recorded: list[bytes] = []
    original_function = tcp.to_frames

    async def record_and_send(*arguments: Any, **options: Any) -> Any:
        frames = await original_function(*arguments, **options)
        recorded.extend(bytes(frame) for frame in frames)
        return frames

    with (
        pytest.MonkeyPatch.context() as patch,
        dask.config.set({"distributed.comm.compression": None}),
    ):
        patch.setattr(tcp, "to_frames", record_and_send)
        yield recorded


@pytest.fixture(scope="module")
def address(messages: list[bytes]) -> Iterator[str]:
    """Return the address of a cluster of two workers in this process, which communicate by TCP."""
    del messages
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address="127.0.0.1:0",
    ) as local:
        yield local.scheduler_address


def test_covering_on_a_cluster(run: Run, folder: Path, address: str, messages: list[bytes]) -> None:
    """Workers cover and lift areas with keys that they read themselves; files are restored."""
    areas = ("--layer", "a", "--region", "0,0,1,1", *KEY, "--layer", "b", "--region", "1,1,1,1")
    run("redact", folder, "-o", "there", "--dask", address, *areas, *KEY)
    listing = run("unredact there --list").out
    assert listing.count("layer 1") == listing.count("layer 2") == len(list_names(Path("there")))
    run("unredact there -o back --name {stem}", *KEY, "--dask", address)
    original_files = {path.stem: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    restored_files = {path.name: path.read_bytes() for path in Path("back").iterdir()}
    assert {name: original_files[name] for name in restored_files} == restored_files
    key = Key.from_file("my.key").to_text().encode()
    assert not any(key in message for message in messages)


def test_a_folder_on_a_cluster(run: Run, folder: Path, address: str) -> None:
    """Results, messages, exit code and manifest are the same as of a run without a cluster."""
    (folder / "0.png").write_bytes((folder / "a.png").read_bytes()[:-30])
    (folder / "a.bmp").write_bytes(save_image(noise(3, 3, 3), "BMP"))
    arguments = ("scramble", folder, "-r", *KEY)
    local_names = run(*arguments, "-o", "here", "--manifest", "here.jsonl", code=4)
    cluster_names = run(
        *arguments, "-o", "there", "--manifest", "there.jsonl", "--dask", address, code=4
    )
    assert local_names.code == cluster_names.code == 4
    assert list_names(Path("here")) == list_names(Path("there"))
    manifest_here = str(Path.cwd())
    assert (
        cluster_names.err.replace(f"{manifest_here}/", "").replace(", 0 already there", "")
        == local_names.err
    )
    manifest_there = [
        {line["source"]: line for line in read_manifest(f"{name}.jsonl")}
        for name in ("here", "there")
    ]
    assert manifest_there[0].keys() == manifest_there[1].keys()
    for source, line in manifest_there[0].items():
        other_entry = manifest_there[1][source]
        assert (line["source_bytes"], line["mode"]) == (
            other_entry["source_bytes"],
            other_entry["mode"],
        )
        assert (line["target"] or "").replace("here/", "there/") == (other_entry["target"] or "")
    result = run(
        *arguments,
        "-o",
        "there",
        "--manifest",
        "there.jsonl",
        "--dask",
        address,
        "--resume",
        code=4,
    )
    assert "0 scrambled, 5 already there, 1 failed" in result.err
    options = ("--name", "{name}{suffix}", "--dask", address)
    run("unscramble there -r -o back", *options, *KEY)
    Path("back/a.bmp.png").unlink()
    for name, restored_folder in (
        ("a.png", "a.png.png"),
        ("b.tif", "b.tif.png"),
        ("deep/d.gif", "deep/d.gif.png"),
    ):
        assert is_same(folder / name, Path("back", restored_folder))


def test_one_picture_needs_no_cluster(run: Run, folder: Path) -> None:
    """A single picture is processed locally with a note, even if the address is wrong."""
    result = run("scramble", folder / "a.png", "-o", "x.png", "--dask", "tcp://127.0.0.1:1", *KEY)
    assert "a single input is worked on here, without --dask" in result.err
    assert Path("x.png").exists()


@pytest.mark.parametrize("place", ["file", "variable", "passphrase"])
def test_no_key_is_sent(
    run: Run,
    folder: Path,
    address: str,
    messages: list[bytes],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    place: str,
) -> None:
    """No message, log or event of a cluster contains a secret or a key derived from it."""
    secret = bytes(np.random.default_rng(7).bytes(32))
    key = Key(secret)
    words = "correct horse battery staple forever"
    key.to_file("there.key")
    Path("words.txt").write_text(words)
    options = {"file": ["--key", "there.key"], "passphrase": ["--passphrase-file", "words.txt"]}
    if place == "variable":
        monkeypatch.setenv("SUDOKUCRYPT_KEY", key.to_text())
    messages.clear()
    run("encrypt", folder, "-o", "out", "--dask", address, *options.get(place, []))
    with distributed.Client(address, set_as_default=False) as client:
        logs = [client.get_scheduler_logs(), client.get_worker_logs(), client.get_events()]
        info = [client.scheduler_info(), client.story()]
    sent_bytes = b"\n".join(
        [*messages, *(repr(entry).encode() for entry in [*logs, *info, caplog.text])]
    )
    assert str(folder / "a.png").encode() in sent_bytes, "the messages are not recorded"
    forbidden_forms = [
        secret,
        key._extracted_key,
        key.to_text().encode(),
        words.encode(),
        *list_forms(words.encode()),
    ]
    forbidden_forms += [
        form for entry in (secret, key._extracted_key) for form in list_forms(entry)
    ]
    forbidden_forms += [key.to_text().lower().encode(), repr(secret)[2:-1].encode()]
    assert not [entry for entry in forbidden_forms if entry in sent_bytes]


def list_forms(secret: bytes) -> list[bytes]:
    """Return a secret in each encoding that a message could have."""
    return [secret.hex().encode(), base64.b64encode(secret)[:-2], repr(list(secret)).encode()]


def test_a_key_that_is_another_one_on_a_worker(
    run: Run, folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the key file of a worker has another key than the user's, nothing is written."""
    encrypted_text = remote_tasks._encrypt_known_text(Key(bytes(32)))
    monkeypatch.setattr(remote_tasks, "_encrypt_known_text", lambda _: encrypted_text)
    result = run("encrypt", folder, "-o", "out", "--dask", address, *KEY, code=1)
    assert "a worker cannot begin: its key is not the key of the client" in result.err
    assert "give every worker the same key file" in result.err
    assert not Path("out").exists()


def test_workers_of_other_versions(
    run: Run, folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a worker has another version, its error is reported, and nothing is written."""
    monkeypatch.setattr(remote_tasks, "__version__", "99")
    result = run("encrypt", folder, "-o", "out", "--dask", address, *KEY, code=1)
    assert "a worker cannot begin: the worker has sudokucrypt" in result.err
    assert not Path("out").exists()


def test_sealed_names_do_not_replace_each_other(run: Run, address: str) -> None:
    """Two different files with the same sealed name are an error; none replaces the other."""
    Path("in").mkdir()
    for name in ("1", "2"):
        Path(name).mkdir()
        Path(name, "same.txt").write_text(name)
        run("encrypt", Path(name, "same.txt"), "-o", f"in/{name}.png", *KEY)
    run("decrypt in -o out --force --dask", address, *KEY, code=6, says="same.txt' exists")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in", "--key", "-"], "--dask sends no key"),
        (["in", "--passphrase-fd", "FD"], "--dask sends no key"),
        (["in", "-", *KEY, "-o", "out"], "--dask takes files"),
        (["in", *KEY, "--jobs", "2"], "--jobs is for this machine"),
    ],
)
def test_streams_and_keys_are_not_sent(
    run: Run, folder: Path, address: str, arguments: list[str], message: str
) -> None:
    """--dask refuses stdin, stdout, and keys that are no files, with a hint."""
    del folder
    read_end, write_end = os.pipe()
    os.write(write_end, b"words that are long enough")
    os.close(write_end)
    arguments_given = [str(read_end) if argument == "FD" else argument for argument in arguments]
    result = run(
        "encrypt",
        *arguments_given,
        "--dask",
        address,
        stdin=Key(bytes(32)).to_text().encode(),
        code=2,
    )
    os.close(read_end)
    assert message in result.err


def test_typed_passphrases_are_not_sent(
    run: Run, folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker has no terminal to ask on, so the run ends before a worker begins."""
    monkeypatch.setattr("click.prompt", lambda *_, **__: "words that are long enough")
    command = ("encrypt", folder, "-o", "out", "--passphrase", "--dask", address)
    run(*command, terminal=True, code=2, says="--dask sends no key")


def test_unreachable_clusters(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong address and a missing library are errors with a hint."""
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "0.2s"}):
        for position in ("tcp://127.0.0.1:9", "nonsense://x"):
            result = run("encrypt", folder, "-o", "out", "--dask", position, *KEY, code=1)
            assert f"cannot reach a Dask scheduler at '{position}'" in result.err
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run("encrypt", folder, "-o", "out", "--dask", "local", *KEY, code=4)
    assert format_extra_hint("dask") in result.err


def test_an_interrupt_ends_what_has_begun(
    run: Run, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C, begun files are complete and in the manifest; --resume makes the others."""
    lock, started_count = threading.Lock(), [0]

    def slow(*arguments: Any, **options: Any) -> Any:
        with lock:
            started_count[0] += 1
            if started_count[0] == 5:
                os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        return job_run(*arguments, **options)

    job_run = Job.run
    write_small_pictures(Path("many"), 60)
    arguments = ("encrypt", "many", "-o", "out", "--manifest", "m", "--dask", address, *KEY)
    with monkeypatch.context() as patch:
        patch.setattr(Job, "run", slow)
        patch.setattr(worker, "_CHECK_SECONDS", 0.0)
        result = run(*arguments, code=130)
    written_paths = {f"out/{name}" for name in list_names(Path("out"))}
    assert 4 <= len(written_paths) < 30
    assert {line["target"] for line in read_manifest("m")} == written_paths
    assert f"stopped after {len(written_paths)} of 60; --resume goes on from there" in result.err
    result = run(*arguments, "--resume")
    assert (
        f"{60 - len(written_paths)} encrypted, {len(written_paths)} already there, 0 failed"
        in result.err
    )


class DyingExecutor:
    """A cluster whose workers die of picture 13; it records the batches that it gets."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.most = 0

    def nthreads(self) -> dict[str, int]:
        """Report two workers."""
        return {"a": 1, "b": 2}

    def get_executor(self, **_: Any) -> "DyingExecutor":
        """Return this object as its own executor."""
        return self

    def submit(self, _: Any, __: Any, tasks: list[Any]) -> "Future[Any]":
        """Process a batch immediately, or fail if it contains picture 13."""
        numbers = [number for number, _, _ in tasks]
        self.batches.append(numbers)
        future: Future[Any] = Future()
        if 13 in numbers:
            future.set_exception(distributed.KilledWorker("work", None, 3))
        else:
            future.set_result(
                [(n, Outcome(source="", result=REPORT, seconds=0.1)) for n in numbers]
            )
        return future


def test_a_picture_that_kills_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture that kills workers is retried alone, then an error; others are done once."""
    executor = DyingExecutor()
    monkeypatch.setattr(cluster.ClusterEngine, "_connect", lambda *_: executor)
    tasks = [(number, InputItem(Path(f"{number}.png")), None) for number in range(40)]
    with cluster.ClusterEngine("", ORDER, jobs=1) as engine:
        outcomes = [outcome for batch in engine.run_tasks(tasks) for outcome in batch]
    assert sorted(number for number, _ in outcomes) == list(range(40))
    ((source, failure),) = [
        (outcome.source, outcome.result)
        for _, outcome in outcomes
        if isinstance(outcome.result, Failure)
    ]
    assert source == "13.png"
    assert "the workers that worked on it died" in failure.error
    assert executor.batches.count([13]) == 3
    assert max(map(len, executor.batches)) <= 10, "a batch takes about a second"


def test_number_of_submitted_batches_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most two batches for each thread are submitted, for any number of inputs."""
    futures: list[Future[Any]] = []

    class SlowExecutor(DyingExecutor):
        def submit(self, _: Any, __: Any, tasks: list[Any]) -> "Future[Any]":
            future: Future[Any] = Future()
            future.tasks = tasks  # type: ignore[attr-defined]
            futures.append(future)
            assert len(futures) <= 6
            if len(futures) == 6:
                first_future: Any = futures.pop(0)
                outcome = Outcome(source="", result=REPORT, seconds=1e-4)
                first_future.set_result([(number, outcome) for number, _, _ in first_future.tasks])
            return future

    monkeypatch.setattr(cluster.ClusterEngine, "_connect", lambda *_: SlowExecutor())
    drawn_count = [0]

    def tasks() -> Iterator[Any]:
        for number in range(100_000):
            drawn_count[0] += 1
            yield number, InputItem(Path(f"{number}.png")), None

    with cluster.ClusterEngine("", ORDER, jobs=1) as engine:
        received_count = 0
        for batch in engine.run_tasks(tasks()):
            received_count += len(batch)
            assert drawn_count[0] - received_count <= 6 * 64
            if received_count > 2000:
                break
        for future in futures:
            future.cancel()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ModuleNotFoundError("sudokucrypt"), "the cluster cannot work on pictures"),
        (CancelledError(), "the cluster was stopped"),
    ],
)
def test_clusters_that_cannot_work(
    monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    """An error of the cluster itself ends the run with a message."""

    class BrokenExecutor(DyingExecutor):
        def submit(self, *_: Any) -> "Future[Any]":
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    monkeypatch.setattr(cluster.ClusterEngine, "_connect", lambda *_: BrokenExecutor())
    with (
        cluster.ClusterEngine("", ORDER, jobs=1) as engine,
        pytest.raises(SudokucryptError, match=message),
    ):
        list(engine.run_tasks([(0, InputItem(Path("a.png")), None)]))


@pytest.mark.slow
def test_dead_workers_are_replaced(run: Run) -> None:
    """On a local cluster whose workers are killed, every result is correct and written once."""
    samples_by_name = write_small_pictures(Path("many"), 150)
    del run
    command = [sys.executable, "-m", "sudokucrypt", "encrypt", "many", "-o", "out", *KEY]
    process = subprocess.Popen(
        [*command, "--dask", "local", "--jobs", "2", "--manifest", "m.jsonl"],
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not (
        Path("m.jsonl").exists() and len(read_manifest("m.jsonl")) > 20
    ):
        time.sleep(0.01)
    for worker_id in list_workers(process.pid):
        os.kill(worker_id, signal.SIGKILL)
    message = process.communicate(timeout=120)[1]
    assert process.returncode == 0, message
    assert all(line.startswith("sudokucrypt: note: ") for line in message.splitlines()), message
    assert sorted(line["source"] for line in read_manifest("m.jsonl")) == [
        f"many/{name}.png" for name in sorted(samples_by_name)
    ]
    assert len(list_names(Path("out"))) == 150
    for line in read_manifest("m.jsonl")[::10]:
        decrypt_file(line["target"], "back.png", Key(bytes(range(32))), replace=True)
        assert np.array_equal(
            read_picture(Path("back.png")).pixels, samples_by_name[Path(line["source"]).stem]
        )


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no groups of processes")
def test_an_interrupt_while_the_cluster_begins(run: Run) -> None:
    """Ctrl-C at any moment of the start ends the run without a traceback or lasting processes."""
    del run
    write_small_pictures(Path("many"), 20)
    command = [sys.executable, "-m", "sudokucrypt", "encrypt", "many", "-o", "out", *KEY]
    started_calls: list[int] = []
    for index in range(4):
        process = subprocess.Popen(
            [*command, "--dask", "local", "--jobs", "2", "--force"],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        time.sleep(0.4 + 0.17 * index)
        os.killpg(process.pid, (signal.SIGINT, signal.SIGTERM)[index % 2])
        message = process.communicate(timeout=60)[1].strip().splitlines()
        assert process.returncode in (0, 130), message
        assert all(line.startswith("sudokucrypt: ") or not line for line in message), message
        started_calls.append(process.pid)
    assert wait_until(lambda: not any(map(is_running, started_calls)))


@pytest.mark.skipif(os.name == "nt", reason="processes are asked whether they run")
def test_folders_of_killed_runs_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A local cluster removes folders of killed runs, but not those of running ones, or links."""
    monkeypatch.setattr("sudokucrypt.cli.pictures.local.gettempdir", lambda: str(tmp_path))
    ended_process = subprocess.Popen([sys.executable, "-c", ""])
    ended_process.wait()
    other_folder = tmp_path / "other"
    for name in (f"{ended_process.pid}-abc", f"{os.getpid()}-abc", "old"):
        (tmp_path / f"sudokucrypt-dask-{name}" / "deep").mkdir(parents=True)
    other_folder.mkdir()
    (tmp_path / f"sudokucrypt-dask-{ended_process.pid}-link").symlink_to(other_folder)
    local._remove_folders_of_killed_runs()
    assert {path.name for path in tmp_path.iterdir()} == {
        "other",
        f"sudokucrypt-dask-{os.getpid()}-abc",
        f"sudokucrypt-dask-{ended_process.pid}-link",
    }


def is_running(group: int) -> bool:
    with suppress(ProcessLookupError):
        os.killpg(group, 0)
        return True
    return False


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()
