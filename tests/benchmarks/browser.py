"""Measure how long the page takes next to the command line, and how much memory it takes.

``python -m tests.benchmarks.browser`` prints the table of docs/explanation/page.md. The benchmark
needs Chromium, and Linux for the memory.
"""

import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import numpy as np
from PIL import Image

from sudokucrypt import Passphrase, encrypt_file
from sudokucrypt.page import page
from tests.benchmarks.measuring import KEY, run_process, take_turns
from tests.page.conftest import Driver
from tests.reports.browser import open_browser

ROUNDS = 7
LARGE_SIZE = 100_000_000  # bytes of a file
SIX_WORDS = "lend trace april dove gulf iron"
_TIME_DECRYPTION = """(async () => {
    const going = document.getElementById("going-on");
    const start = performance.now();
    const over = new Promise((done) =>
        new MutationObserver(() => going.hidden && done()).observe(going, { attributes: true }));
    document.getElementById("run").click();
    await over;
    return performance.now() - start;
})()"""


class Memory:
    """The most memory that the processes of a browser held in a `with` block, less that before."""

    def __init__(self, profile: Path) -> None:
        self._profile = str(profile).encode()
        self.peak = 0

    def __enter__(self) -> "Memory":
        self._before, self._ended = self._count_held(), threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(0.02):
            self.peak = max(self.peak, self._count_held() - self._before)

    def _count_held(self) -> int:
        """Return the bytes of pages that belong to no file on disk, each page counted once."""
        total = 0
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if self._profile in (process / "cmdline").read_bytes():
                    lines = (process / "smaps_rollup").read_text().splitlines()
                    total += sum(int(line.split()[1]) for line in lines if line[:4] == "Pss:")
            except OSError:  # the process has ended
                continue
        return 1024 * total


def time_decryption(opened: Driver, file: Path) -> float:
    """Decrypt a file in the page, and return the seconds it took."""
    opened.choose("files", [file])
    seconds: float = opened.tab.value(_TIME_DECRYPTION) / 1000
    assert opened.get_texts("#errors p") == []
    opened.tab.value("document.getElementById('cards').replaceChildren()")
    return seconds


def main() -> None:
    """Measure the page and the command line, and print the table."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-browser-") as name:
        folder = Path(name)
        (folder / "page.html").write_bytes(page())
        (folder / "my.key").write_text(KEY.to_file_text())
        (folder / "my.key").chmod(0o600)
        (folder / "words.txt").write_text(SIX_WORDS)
        rows, columns = np.indices((2160, 3840))
        noise = np.random.default_rng(0).integers(0, 9, (2160, 3840, 3))
        shades = np.stack([rows // 9, columns // 16, (rows + columns) // 25], axis=2) + noise
        Image.fromarray(shades.astype(np.uint8)).save(folder / "photo.png", compress_level=6)
        (folder / "small.txt").write_text("small")
        encrypt_file(folder / "photo.png", folder / "4k.png", KEY, as_file=False)
        encrypt_file(folder / "small.txt", folder / "small.png", Passphrase(SIX_WORDS))
        (folder / "large.bin").write_bytes(np.random.default_rng(1).bytes(LARGE_SIZE))
        encrypt_file(folder / "large.bin", folder / "large.png", KEY)
        with open_browser(folder / "profile") as tab:
            _measure(Driver(tab, folder), folder)


def _measure(opened: Driver, folder: Path) -> None:
    page_seconds: dict[str, list[float]] = {"4k": [], "small": []}
    command_words = [sys.executable, "-m", "sudokucrypt", "decrypt"]

    def open_in_page(name: str) -> None:
        opened.open(folder / "page.html")  # a new page keeps no derived key
        if name == "small":
            opened.enter("passphrase", SIX_WORDS)
        else:
            opened.choose("key-file", [folder / "my.key"])
        page_seconds[name].append(time_decryption(opened, folder / f"{name}.png"))

    def run_command(name: str, *secret: str) -> None:
        target = str(folder / f"{name}.back.png")
        run_process([*command_words, str(folder / f"{name}.png"), "-o", target, "--force", *secret])

    def derive_key() -> None:
        passphrase = Passphrase(SIX_WORDS)
        start = time.perf_counter()
        encrypt_file(folder / "small.txt", folder / "other.png", passphrase, replace=True)
        derivation_seconds.append(time.perf_counter() - start)

    derivation_seconds: list[float] = []
    timings = take_turns(
        {
            "4k": lambda: run_command("4k", "--key", str(folder / "my.key")),
            "4k in page": lambda: open_in_page("4k"),
            "derived": derive_key,
            "small in page": lambda: open_in_page("small"),
        },
        ROUNDS,
        "page",
    )
    photo_seconds, small_seconds = (median(page_seconds[name][1:]) for name in ("4k", "small"))
    opened.open(folder / "page.html")
    opened.choose("key-file", [folder / "my.key"])
    with Memory(folder / "profile") as memory:
        time_decryption(opened, folder / "large.png")
    print("| what | page | package | ratio |\n|---|---:|---:|---:|")
    command_seconds = timings["4k"].median
    print(
        f"| 3840 x 2160 RGB, beside the whole process of `decrypt` | {photo_seconds:.2f} s "
        f"| {command_seconds:.2f} s | {photo_seconds / command_seconds:.2f} |"
    )
    derivation = median(derivation_seconds[1:])
    print(
        f"| Argon2id of 256 MiB and a small file | {small_seconds:.2f} s | {derivation:.2f} s "
        f"| {small_seconds / derivation:.2f} |"
    )
    print(f"| memory for a file of 100 MB, in files | {memory.peak / LARGE_SIZE:.1f} | | |")


if __name__ == "__main__":
    main()
