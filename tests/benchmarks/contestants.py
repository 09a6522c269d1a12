"""What the page compares: groups of contestants by name, each group measured in turns."""

import hashlib
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sudokucrypt import encrypt, scramble, scramble_file, unscramble, unscramble_file
from sudokucrypt.sudoku import make_puzzles, seeded_draws
from sudokucrypt.typing import AnyArray, Unit
from tests.benchmarks.measuring import KEY, Calls, Contestants, run
from tests.benchmarks.pictures import SMALL, TINY

UNITS: tuple[Unit, ...] = ("pixel", "sample", "block")

COPY = "`np.copyto`"
FANCY = "NumPy `permutation` + fancy index"
TAKE = "NumPy `permutation` + `take`"
PYSCRAMBLE = "pyscramble"
CORE = "core only"
PYCASSO = "image-scramble, 8x8 tiles, file to file"
FLOOR = "imagecodecs decode + encode (level 0)"
HELP, VERSION = "`sudokucrypt --help`", "`sudokucrypt --version`"
CLICK = "`python -c 'import click'`"
THERE, BACK = "scramble, unit pixel, 2 threads", "unscramble, unit pixel, 2 threads"
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
_FLUSH = "    file.flush()\n    os.fsync(file.fileno())\n"
_PILLOW = f"""{_IMPORTS}
with PIL.Image.open(sys.argv[1]) as picture: picture.save(sys.argv[2], compress_level=0)
"""
_BULK = """
import sys
from pathlib import Path
from sudokucrypt.sudoku.solving.batch import read_batch, solve_batch
solve_batch(read_batch(Path(sys.argv[1]).read_text()))
"""


def copy(picture: AnyArray) -> Contestants:
    """Return the measure of all ratios."""
    return {COPY: partial(np.copyto, np.zeros_like(picture), picture)}


def list_ours(picture: AnyArray) -> Contestants:
    """Scramble and unscramble with every unit on one and two threads, default rounds, tag."""
    chosen: Calls = {}
    for unit in UNITS:
        result = scramble(picture, KEY, unit=unit)
        if not np.array_equal(unscramble(result.pixels, KEY, result.header), picture):
            raise AssertionError(unit)
        for threads in (1, 2):
            name = f"unit {'block of 16' if unit == 'block' else unit}, {threads} thread"
            name += "s" if threads > 1 else ""
            chosen[f"scramble, {name}"] = partial(
                scramble, picture, KEY, unit=unit, threads=threads
            )
            chosen[f"unscramble, {name}"] = partial(
                unscramble, result.pixels, KEY, result.header, threads=threads
            )
    return {**chosen, ENCRYPT: partial(encrypt, picture, KEY, threads=2)}


def list_peers(picture: AnyArray, photo: Path) -> tuple[Contestants, list[str]]:
    """Return the other tools, and the names of those that are not installed."""
    draws = np.random.default_rng(1)
    pixels = picture.reshape(-1, 3)
    chosen: Calls = {
        FANCY: lambda: pixels[draws.permutation(len(pixels))],
        TAKE: lambda: np.take(pixels, draws.permutation(len(pixels)), axis=0),
        SHA: lambda: hashlib.sha256(picture.data.cast("B")).digest(),
        "AES-256-GCM of the same bytes": partial(
            AESGCM(bytes(32)).encrypt, bytes(12), picture.data.cast("B"), None
        ),
    }
    missing = []
    for name, module, contestants in (
        (PYSCRAMBLE, "pyscramble", partial(_list_pyscramble, picture)),
        (PYCASSO, "pycasso", partial(_list_pycasso, photo)),
    ):
        try:
            chosen |= contestants(import_module(module))
        except ImportError:
            missing.append(name)
    return chosen, missing


def _list_pyscramble(picture: AnyArray, module: Any) -> Contestants:
    """Each method as its users call it, and without the conversion to and from integers."""
    rows, columns = picture.shape[:2]
    rgba = np.dstack([picture, np.full((rows, columns), 255, np.uint8)])
    core = import_module("pyscramble._core")
    integers = core.pixels_to_int(rgba)
    chosen: Calls = {}
    for method, key in _PYSCRAMBLE_METHODS.items():
        name = f"{PYSCRAMBLE} {method.replace('_', ' ')}"
        blocks = method == "block_md5"
        size, counts = ((columns, rows), (32, 32)) if blocks else ((), ())
        function, inner = (getattr(where, f"{method}_encrypt") for where in (module, core))
        chosen[name] = partial(function, rgba, *size, key)
        chosen[f"{name}, {CORE}"] = partial(inner, integers, columns, rows, key, *counts)
    return chosen


def _list_pycasso(photo: Path, module: Any) -> Contestants:
    def export() -> None:
        canvas = module.Canvas(str(photo), (8, 8), "seed")
        canvas.export("scramble", str(photo.with_name("pycasso")), "png")
        canvas.close()

    return {PYCASSO: export}


def list_processes(photo: Path) -> Contestants:
    """Whole processes, from file to file where they have files."""
    key, hidden, back, other = (
        str(photo.with_name(name)) for name in ("my.key", "hidden.png", "back.png", "other.png")
    )
    KEY.to_file(key)
    script = Path(sys.executable).with_name("sudokucrypt")
    own = [str(script)] if script.is_file() else [sys.executable, "-m", "sudokucrypt"]
    python = [sys.executable, "-c"]
    files, options = [str(photo), other], ["--key", key, "--force"]
    commands = {
        "`sudokucrypt scramble`": [*own, "scramble", str(photo), "-o", hidden, *options],
        "`sudokucrypt unscramble`": [*own, "unscramble", hidden, "-o", back, *options],
        FLOOR: [*python, _IMAGECODECS, *files],
        f"{FLOOR}, then flush to disk": [*python, _IMAGECODECS + _FLUSH, *files],
        "Pillow decode + encode (level 0)": [*python, _PILLOW, *files],
        "`python -c 'import numpy, PIL.Image'`": [*python, "import numpy, PIL.Image"],
        CLICK: [*python, "import click"],
        HELP: [*own, "--help"],
        VERSION: [*own, "--version"],
    }
    return {name: partial(run, command) for name, command in commands.items()}


def require_restored(picture: AnyArray, photo: Path) -> None:
    """Refuse times of commands that did not give the picture back."""
    restored = imagecodecs.png_decode(photo.with_name("back.png").read_bytes())
    if not np.array_equal(restored, picture):
        raise AssertionError("the restored file is another picture")


def list_small_pictures() -> Contestants:
    """Scramble small pictures, and shuffle the same pixels with NumPy."""
    draws = np.random.default_rng(1)
    chosen: Calls = {}
    for subject, calls in ((TINY, 100), (SMALL, 5)):
        picture = subject.draw()
        pixels = picture.reshape(-1, 3)

        def shuffle(pixels: AnyArray = pixels, calls: int = calls) -> None:
            for _ in range(calls):
                pixels[draws.permutation(len(pixels))]

        def hide(picture: AnyArray = picture, calls: int = calls) -> None:
            for _ in range(calls):
                scramble(picture, KEY)

        chosen |= {f"ours, {subject}": hide, f"NumPy, {subject}": shuffle}
    return chosen


def list_file_to_file(photo: Path) -> Contestants:
    """Scramble and unscramble a PNG, and code the same pixels again, at two levels."""
    chosen: Calls = {}
    for level in (0, 6):
        hidden, other = (photo.with_name(f"{name} {level}.png") for name in ("hidden", "other"))
        options: dict[str, Any] = {"compress": level, "replace": True}
        chosen |= {
            f"scramble {level}": partial(scramble_file, photo, hidden, KEY, **options),
            f"recode {level}": partial(_recode, photo, other, level),
            f"unscramble {level}": partial(unscramble_file, hidden, other, KEY, **options),
            f"recode back {level}": partial(_recode, hidden, other, level),
        }
    return chosen


def _recode(source: Path, target: Path, level: int) -> None:
    pixels = imagecodecs.png_decode(source.read_bytes())
    target.write_bytes(imagecodecs.png_encode(pixels, level=level))


def list_puzzle_files(folder: Path, count: int) -> Contestants:
    """Solve a file of puzzles with the command, and with the call for lists of puzzles."""
    path = folder / "puzzles.txt"
    puzzles = [puzzle.to_text() for puzzle, _ in make_puzzles(count, seeded_draws(1))]
    path.write_text("\n".join(puzzles * 25) + "\n", encoding="ascii")
    command = [sys.executable, "-m", "sudokucrypt", "sudoku", "solve", str(path)]
    return {
        "command": partial(run, command),
        "bulk": partial(run, [sys.executable, "-c", _BULK, str(path)]),
    }
