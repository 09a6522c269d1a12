"""Measure --dask: deaths of workers, throughput next to --jobs, memory of client and scheduler.

Run ``python tests/benchmarks/cluster.py deaths``, ``throughput`` or ``memory`` on a quiet machine;
``pip install -e '.[dask]'`` installs the cluster. The scheduler of the local cluster runs in the
process of the command, so that one figure is the memory of client and scheduler together.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))  # when run as a script

from sudokucrypt import Key, decrypt_file
from sudokucrypt.images import encode_picture, read_picture
from sudokucrypt.images.picture import Picture

_COMMAND = [sys.executable, "-m", "sudokucrypt", "encrypt", "in", "--key", "my.key"]
_DASK = ["--dask", "local", "--jobs", "2"]


def main() -> None:
    """Take one kind of measurement, and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["deaths", "throughput", "memory"])
    parser.add_argument("--pictures", type=int, help="by default 10,000, or 500 for throughput")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-cluster-") as name:
        os.chdir(name)
        Key(bytes(32)).to_file("my.key")
        if options.what == "deaths":
            print(json.dumps(count_deaths(options.pictures or 10_000)))
        elif options.what == "throughput":
            print(json.dumps(measure_throughput(options.pictures or 500)))
        else:
            print(json.dumps(measure_memory([1000, options.pictures or 10_000])))


def make_small_pictures(count: int) -> None:
    """Write different pictures of a few hundred pixels to the folder ``in``."""
    draws = np.random.default_rng(1)
    Path("in").mkdir(exist_ok=True)
    for index in range(count):
        pixels = draws.integers(0, 256, (1 + index % 37, 2 + index % 23, 3), dtype=np.uint8)
        Path(f"in/{index:06}.png").write_bytes(encode_picture(Picture.plain(pixels), "PNG"))


def count_deaths(count: int, rounds: int = 3) -> dict[str, object]:
    """Kill both workers of a cluster in each round, and check every result."""
    make_small_pictures(count)
    arguments = [*_COMMAND, "-o", "out", *_DASK, "--manifest", "done.jsonl"]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
    moments = random.Random(2)  # noqa: S311 - moments, not secrets
    killed_count = 0
    try:
        for index in range(rounds):
            _wait_for_lines(process, count * (index + 1) // (rounds + 2))
            for worker in list_workers(process.pid):
                time.sleep(moments.uniform(0, 0.5))
                with suppress(ProcessLookupError):  # a new worker has taken its place
                    os.kill(worker, signal.SIGKILL)
                    killed_count += 1
        message = process.communicate(timeout=3600)[1]
    finally:
        process.kill()
    lines = [json.loads(line) for line in Path("done.jsonl").read_text().splitlines()]
    sources = {line["source"] for line in lines}
    assert process.returncode == 0, message
    assert len(lines) == len(sources) == count, (len(lines), len(sources), message)
    assert not [line for line in lines if line["error"]]
    assert len(list(Path("out").iterdir())) == count, "something else lies in the folder"
    for line in lines:
        decrypt_file(line["target"], "back.png", Key(bytes(32)), compress=0, replace=True)
        plain = read_picture(Path(line["source"])).pixels
        assert np.array_equal(read_picture(Path("back.png")).pixels, plain), line
    manifest = Path("done.jsonl").read_bytes()
    resumed = subprocess.run(
        [*arguments, "--resume"], capture_output=True, text=True, check=True, timeout=3600
    )
    assert f"0 encrypted, {count} already there, 0 failed" in resumed.stderr, resumed.stderr
    assert Path("done.jsonl").read_bytes() == manifest
    return {"pictures": count, "killed": killed_count, "said": message.splitlines()[-1]}


def measure_throughput(count: int) -> dict[str, object]:
    """Compare two workers with two jobs on photos of 2 megapixels, in turn."""
    draws = np.random.default_rng(1)
    Path("in").mkdir()
    rows, columns = np.mgrid[:1200, :1700]
    for index in range(count):
        pixels = (rows * (index % 7 + 1) + columns)[..., None] // 9 % 256
        noise = draws.integers(0, 8, (1200, 1700, 3))
        photo = Picture.plain(((pixels + noise) % 256).astype(np.uint8))
        Path(f"in/{index:04}.png").write_bytes(encode_picture(photo, "PNG", compress=1))
    seconds: dict[str, list[float]] = {"jobs": [], "dask": []}
    for _ in range(3):
        for name, options in (("jobs", ["--jobs", "2"]), ("dask", _DASK)):
            start = time.perf_counter()
            subprocess.run([*_COMMAND, "-o", name, *options, "--force"], check=True)
            seconds[name].append(time.perf_counter() - start)
    least_seconds = {name: min(times) for name, times in seconds.items()}
    return {"seconds": seconds, "share": least_seconds["jobs"] / least_seconds["dask"]}


def measure_memory(counts: Sequence[int]) -> dict[str, object]:
    """Return the most memory, in MB, of client and scheduler for several numbers of inputs."""
    peaks: dict[int, int] = {}
    for count in counts:
        make_small_pictures(count)
        arguments = [*_COMMAND, "-o", f"out{count}", *_DASK, "--manifest", f"{count}.jsonl"]
        process = subprocess.Popen(arguments)
        while process.poll() is None:
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
            except FileNotFoundError:
                break
            peak_lines = [line for line in status.splitlines() if line.startswith("VmHWM")]
            peaks[count] = int(peak_lines[0].split()[1]) // 1000 if peak_lines else peaks[count]
            time.sleep(0.05)
        assert process.wait() == 0
    return {"MB": peaks}


def _wait_for_lines(process: subprocess.Popen[str], count: int) -> None:
    """Wait until the manifest has `count` lines."""
    while process.poll() is None:
        manifest = Path("done.jsonl")
        if manifest.exists() and manifest.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.02)
    raise AssertionError(process.communicate()[1])


def list_workers(client: int) -> list[int]:
    """Return the process numbers of the workers, which a server that the client started has
    forked."""
    return [
        worker
        for server in _list_children(client)
        if b"forkserver" in Path(f"/proc/{server}/cmdline").read_bytes()
        for worker in _list_children(server)
    ]


def _list_children(process: int) -> list[int]:
    child_lists = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for children in child_lists for child in children.read_text().split()]


if __name__ == "__main__":
    main()
