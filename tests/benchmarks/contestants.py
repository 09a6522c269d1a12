"""What the benchmark measures, and how: contestants take turns, so that all meet one machine."""

import hashlib
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sudokucrypt import Key, encrypt, scramble, unscramble
from sudokucrypt.typing import AnyArray, Unit

Contestants = Mapping[str, Callable[[], object]]
Timings = Mapping[str, "Timing"]

KEY = Key(bytes(range(32)))
UNITS: tuple[Unit, ...] = ("pixel", "sample", "block")
SLOW, SLOW_ROUNDS = 1.0, 3
"""What takes over so many seconds takes part in so many rounds only."""

COPY = "`np.copyto`"
FANCY = "NumPy `permutation` + fancy index"
TAKE = "NumPy `permutation` + `take`"
PYSCRAMBLE = "pyscramble"
CORE = "core only"
PYCASSO = "image-scramble, 8x8 tiles, file to file"
SCRAMBLE = "`sudokucrypt scramble`"
FLOOR = "imagecodecs decode + encode (level 0)"
HELP, VERSION = "`sudokucrypt --help`", "`sudokucrypt --version`"
CLICK = "`python -c 'import click'`"
ENCRYPT = "encrypt, 2 threads"
SHA = "hashlib's SHA-256 of the same bytes"

_PYSCRAMBLE_METHODS: dict[str, float | str] = {
    "tomato_scramble": 1.0,
    "per_pixel_md5": "key",
    "row_md5": "key",
    "block_md5": "key",
    "row_logistic": 0.5,
    "row_column_logistic": 0.5,
}
_IMPORTS = "import sys, os, numpy, PIL.Image"
_IMAGECODECS = f"""{_IMPORTS}, imagecodecs
with open(sys.argv[1], "rb") as file: pixels = imagecodecs.png_decode(file.read())
with open(sys.argv[2], "wb") as file:
    file.write(imagecodecs.png_encode(pixels, level=0))
"""
_PILLOW = f"""{_IMPORTS}
with PIL.Image.open(sys.argv[1]) as picture: picture.save(sys.argv[2], compress_level=0)
"""


@dataclass(frozen=True)
class Timing:
    """How long a contestant took in each round, in seconds."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def take_turns(contestants: Contestants, repeats: int, say: Callable[[str], None]) -> Timings:
    """Time the contestants in rounds, each once a round, after a round that is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    slow = set()
    for number in range(repeats + 1):
        say(f"round {number} of {repeats}")
        for name, call in contestants.items():
            if name in slow and number > SLOW_ROUNDS:
                continue
            began = time.perf_counter()
            call()
            took = time.perf_counter() - began
            if number:
                seconds[name].append(took)
            elif took > SLOW:
                slow.add(name)
    return {name: Timing(tuple(values)) for name, values in seconds.items()}


def copy(picture: AnyArray) -> Contestants:
    """Return the measure of all ratios."""
    return {COPY: partial(np.copyto, np.zeros_like(picture), picture)}


def ours_name(action: str, unit: Unit, threads: int) -> str:
    """Return the name of one of our contestants."""
    kind = "block of 16" if unit == "block" else unit
    return f"{action}, unit {kind}, {threads} thread{'s' if threads > 1 else ''}"


def ours(picture: AnyArray) -> Contestants:
    """Scramble and unscramble with every unit on one and two threads, default rounds, tag."""
    chosen: dict[str, Callable[[], object]] = {}
    for unit in UNITS:
        result = scramble(picture, KEY, unit=unit)
        if not np.array_equal(unscramble(result.pixels, KEY, result.header), picture):
            raise AssertionError(unit)
        back = partial(unscramble, result.pixels, KEY, result.header)
        for threads in (1, 2):
            there = partial(scramble, picture, KEY, unit=unit, threads=threads)
            chosen[ours_name("scramble", unit, threads)] = there
            chosen[ours_name("unscramble", unit, threads)] = partial(back, threads=threads)
    return {**chosen, ENCRYPT: partial(encrypt, picture, KEY, threads=2)}


def peers(picture: AnyArray, folder: Path) -> tuple[Contestants, list[str]]:
    """Return the other tools, and the names of those that are not installed."""
    rng = np.random.default_rng(1)
    pixels = picture.reshape(-1, 3)
    chosen: dict[str, Callable[[], object]] = {
        FANCY: lambda: pixels[rng.permutation(len(pixels))],
        TAKE: lambda: np.take(pixels, rng.permutation(len(pixels)), axis=0),
        SHA: lambda: hashlib.sha256(picture.data.cast("B")).digest(),
        "AES-256-GCM of the same bytes": partial(
            AESGCM(bytes(32)).encrypt, bytes(12), picture.data.cast("B"), None
        ),
    }
    missing = []
    for name, module, found in (
        (PYSCRAMBLE, "pyscramble", partial(_pyscramble, picture)),
        (PYCASSO, "pycasso", partial(_pycasso, picture, folder)),
    ):
        try:
            chosen |= found(import_module(module))
        except ImportError:
            missing.append(name)
    return chosen, missing


def _pyscramble(picture: AnyArray, module: Any) -> Contestants:
    """Each method as its users call it, and without the conversion to and from integers."""
    rows, columns = picture.shape[:2]
    rgba = np.dstack([picture, np.full((rows, columns), 255, np.uint8)])
    core = import_module("pyscramble._core")
    integers = core.pixels_to_int(rgba)
    chosen: dict[str, Callable[[], object]] = {}
    for method, key in _PYSCRAMBLE_METHODS.items():
        name = f"{PYSCRAMBLE} {method.replace('_', ' ')}"
        blocks = method == "block_md5"
        size, counts = ((columns, rows), (32, 32)) if blocks else ((), ())
        function, inner = (getattr(place, f"{method}_encrypt") for place in (module, core))
        chosen[name] = partial(function, rgba, *size, key)
        chosen[f"{name}, {CORE}"] = partial(inner, integers, columns, rows, key, *counts)
    return chosen


def _pycasso(picture: AnyArray, folder: Path, module: Any) -> Contestants:
    source, target = write_photo(picture, folder), str(folder / "pycasso")

    def export() -> None:
        canvas = module.Canvas(str(source), (8, 8), "seed")
        canvas.export("scramble", target, "png")
        canvas.close()

    return {PYCASSO: export}


def write_photo(picture: AnyArray, folder: Path) -> Path:
    """Write the picture as a PNG of the usual compression."""
    path = folder / "photo.png"
    path.write_bytes(imagecodecs.png_encode(picture, level=6))
    return path


def processes(picture: AnyArray, folder: Path) -> Contestants:
    """Whole processes, from file to file where they have files."""
    source, key = str(write_photo(picture, folder)), str(folder / "my.key")
    scrambled, restored, other = (str(folder / f"{name}.png") for name in ("s", "r", "o"))
    KEY.to_file(key)
    script = Path(sys.executable).with_name("sudokucrypt")
    own = [str(script)] if script.is_file() else [sys.executable, "-m", "sudokucrypt"]
    flushing = _IMAGECODECS + "    file.flush()\n    os.fsync(file.fileno())\n"
    commands = {
        SCRAMBLE: [*own, "scramble", source, "-o", scrambled, "--key", key, "--force"],
        "`sudokucrypt unscramble`": [
            *(*own, "unscramble", scrambled),
            *("-o", restored, "--key", key, "--force"),
        ],
        FLOOR: [sys.executable, "-c", _IMAGECODECS, source, other],
        f"{FLOOR}, then flush to disk": [sys.executable, "-c", flushing, source, other],
        "Pillow decode + encode (level 0)": [sys.executable, "-c", _PILLOW, source, other],
        "`python -c 'import numpy, PIL.Image'`": [
            *(sys.executable, "-c", "import numpy, PIL.Image")
        ],
        CLICK: [sys.executable, "-c", "import click"],
        HELP: [*own, "--help"],
        VERSION: [*own, "--version"],
    }
    return {name: partial(run, command) for name, command in commands.items()}


def require_restored(picture: AnyArray, folder: Path) -> None:
    """Refuse times of commands that did not give the picture back."""
    if not np.array_equal(imagecodecs.png_decode((folder / "r.png").read_bytes()), picture):
        raise AssertionError("the restored file is another picture")


def run(command: list[str], data: bytes | None = None, **settings: str) -> str:
    """Run a process without the developer's own settings and return what it prints."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("SUDOKUCRYPT_")}
    done = subprocess.run(
        command, input=data, env={**kept, **settings}, check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode()


def peak_memory(call: Callable[[], object]) -> int:
    """Return how many bytes Python and NumPy held at most during a call, its result included."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
