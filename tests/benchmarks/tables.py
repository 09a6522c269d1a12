"""Define the tables of the page on performance: the contestants, and the quotients with goals."""

import importlib.util
import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.measuring import KEY, Bench, Calls, Kind, Timing
from tests.page.node import write_program

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "samples" / "pictures"
_PAGE = ROOT / "tests" / "page"
_SAME_SPEED = 1.03  # no slower than version 1.1.0


@dataclass(frozen=True)
class Row:
    """A quotient of the costs of two contestants, or of a cost and a number, and its goal."""

    title: str
    goal: float
    kind: Kind
    first: str
    divisor: str | float
    subtracted: str = ""  # a contestant whose cost is subtracted from the first one's

    def compute_value(self, timings: Mapping[str, Timing]) -> float | None:
        """Return the quotient of the least costs, or None if one of them was not measured."""
        names = [
            name for name in (self.first, self.subtracted, self.divisor) if isinstance(name, str)
        ]
        if not {*filter(None, names)} <= timings.keys():
            return None
        cost = {"": 0.0} | {name: timing.find_least(self.kind) for name, timing in timings.items()}
        divisor = cost[self.divisor] if isinstance(self.divisor, str) else self.divisor
        return (cost[self.first] - cost[self.subtracted]) / divisor


@dataclass(frozen=True)
class Table:
    """Contestants and the rows that compare them."""

    title: str
    text: str
    calls: Calls
    rows: list[Row]


def _compare_versions(calls: Calls, kind: Kind = "cpu") -> list[Row]:
    """Return a row for each contestant that version 1.1.0 has too."""
    old_names = (name for name in calls if name.endswith(", 1.1.0"))
    names = (name.removesuffix(", 1.1.0") for name in old_names)
    return [Row(f"{name} / 1.1.0", _SAME_SPEED, kind, name, f"{name}, 1.1.0") for name in names]


_ARRAYS = """
import hashlib
import numpy as np
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sudokucrypt import *
key, draws = Key(bytes(range(32))), np.random.default_rng(1)
def noise(*shape, dtype="u1"):
    return draws.integers(0, 256, shape, dtype=dtype)
picture = noise(*SHAPE, 3)
pixels, target = picture.reshape(-1, 3), np.zeros_like(picture)
scrambled, encrypted = scramble(picture, key), encrypt(picture, key)
samples, blocks = scramble(picture, key, unit="sample"), scramble(picture, key, unit="block")
scramble(picture, key, threads=2)
"""


def define_arrays(bench: Bench) -> Table:
    """Define the table of arrays in memory."""
    setup = _ARRAYS.replace("*SHAPE", "216, 384" if bench.quick else "2160, 3840")
    calls = {
        **bench.make_snippets(
            setup,
            {
                "`np.copyto`": "np.copyto(target, picture)",
                "hashlib's SHA-256": "hashlib.sha256(picture.data.cast('B')).digest()",
                "AES-256-GCM": "AESGCM(bytes(32)).encrypt(bytes(12), picture.data.cast('B'), None)",
                "NumPy, `permutation` and index": "pixels[draws.permutation(len(pixels))]",
                "scramble, 2 threads": "scramble(picture, key, threads=2)",
                "unscramble, 2 threads": "unscramble(scrambled, key, threads=2)",
                "encrypt, 2 threads": "encrypt(picture, key, threads=2)",
            },
        ),
        **bench.make_snippet_pairs(
            setup,
            {
                "scramble": "scramble(picture, key, threads=1)",
                "unscramble": "unscramble(scrambled, key, threads=1)",
                "encrypt": "encrypt(picture, key, threads=1)",
                "decrypt": "decrypt(encrypted, key, threads=1)",
                "scramble samples": "scramble(picture, key, unit='sample', threads=1)",
                "unscramble samples": "unscramble(samples, key, threads=1)",
                "scramble blocks of 16": "scramble(picture, key, unit='block', threads=1)",
                "unscramble blocks of 16": "unscramble(blocks, key, threads=1)",
            },
        ),
    }
    threaded = "scramble, 2 threads"
    rows = [
        Row(
            "scramble on 2 threads / SHA-256 of the bytes",
            1.3,
            "wall",
            threaded,
            "hashlib's SHA-256",
        ),
        Row("scramble on 2 threads / copy", 9, "wall", threaded, "`np.copyto`"),
        Row("unscramble / scramble, 2 threads", 1.1, "wall", "unscramble, 2 threads", threaded),
        Row("encrypt / scramble, 2 threads", 1.15, "wall", "encrypt, 2 threads", threaded),
        Row("scramble / NumPy", 0.04, "wall", threaded, "NumPy, `permutation` and index"),
    ]
    text = "3840 x 2160 pixels of RGB, on one thread unless a row names another number."
    return Table("Arrays", text, calls, rows + _compare_versions(calls))


def define_shapes(bench: Bench) -> Table:
    """Define the table of pictures of other shapes and kinds."""
    shapes = {
        "64 x 64 RGB": "64, 64, 3",
        "512 x 512 RGB": "512, 512, 3",
        "1023 x 1024 RGB": "1024, 1023, 3",
        "1816 x 4032 RGB": "4032, 1816, 3",
        "3456 x 3456 RGB": "3456, 3456, 3",
        "4000 x 3000 gray": "3000, 4000",
        "4000 x 3000 RGB": "3000, 4000, 3",
        "4000 x 3000 RGBA": "3000, 4000, 4",
        "4000 x 3000 RGB, 16 bits": "3000, 4000, 3, dtype='u2'",
        "7680 x 4320 RGB": "4320, 7680, 3",
    }
    chosen = dict(list(shapes.items())[: 2 if bench.quick else None])
    lines = [f"p{i} = noise({shape})" for i, shape in enumerate(chosen.values())]
    setup = "\n".join([_ARRAYS.replace("*SHAPE", "64, 64"), *lines])
    times = [100, 5, *[1] * len(chosen)]  # short calls are repeated
    texts, numpy = {}, {}
    for index, name in enumerate(chosen):
        loop = f"for _ in range({times[index]}):"
        texts[name] = f"{loop} scramble(p{index}, key, threads=1)"
        if index < 2:
            expression = f"p{index}.reshape(-1, 3)[draws.permutation(p{index}[..., 0].size)]"
            numpy[f"NumPy, {name}"] = f"{loop} {expression}"
    calls = {**bench.make_snippet_pairs(setup, texts), **bench.make_snippets(setup, numpy)}
    rows = [
        Row(f"{name} / NumPy", goal, "cpu", name, f"NumPy, {name}")
        for name, goal in (("64 x 64 RGB", 2.2), ("512 x 512 RGB", 0.4))
    ]
    text = "`scramble` on one thread; 64 x 64 pixels 100 times, 512 x 512 pixels 5 times."
    return Table("Shapes", text, calls, rows + _compare_versions(calls))


def define_fallbacks(bench: Bench) -> Table:
    """Define the table of arrays in memory without compiled kernels."""
    setup = _ARRAYS.replace("*SHAPE", "216, 384" if bench.quick else "2160, 3840")
    texts = {
        "scramble": "scramble(picture, key, threads=1)",
        "unscramble": "unscramble(scrambled, key, threads=1)",
        "encrypt": "encrypt(picture, key, threads=1)",
        "scramble samples": "scramble(picture, key, unit='sample', threads=1)",
    }
    calls = bench.make_snippet_pairs(setup, texts, {"SUDOKUCRYPT_PLAIN": "1"})
    return Table(
        "Without kernels", "3840 x 2160 pixels, on one thread.", calls, _compare_versions(calls)
    )


_METHODS = {
    **dict.fromkeys(("per_pixel_md5", "row_md5"), "'key'"),
    "tomato_scramble": "1.0",
    "row_logistic": "0.5",
    "row_column_logistic": "0.5",
}


def define_peers(bench: Bench) -> Table:
    """Define the table of other tools; `pip install --group bench` installs them."""
    setup = _ARRAYS.replace("*SHAPE", "216, 384" if bench.quick else "2160, 3840")
    calls = dict(bench.make_snippets(setup, {"scramble": "scramble(picture, key, threads=2)"}))
    rows = []
    if importlib.util.find_spec("pyscramble"):
        theirs = setup + "import pyscramble\nrgba = np.dstack([picture, picture[..., 0]])"
        names = {f"pyscramble {method.replace('_', ' ')}": method for method in _METHODS}
        calls |= bench.make_snippets(
            theirs,
            {
                name: f"pyscramble.{method}_encrypt(rgba, {_METHODS[method]})"
                for name, method in names.items()
            },
        )
        rows = [Row(f"scramble / {name}", 0.033, "wall", "scramble", name) for name in names]
    text = (
        "3840 x 2160 pixels, on 2 threads here. pyscramble works on RGBA, and each of its methods "
        "converts pixels to integers and back."
    )
    return Table("Other tools", text, calls, rows)


_PHOTO = """
import sys
sys.path.append({root!r})
from PIL import Image
from tests.benchmarks.pictures import Subject
Image.fromarray(Subject({rows}, {columns}).draw()).save({name!r}, **{options!r})
"""


def _write_photo(bench: Bench, name: str, rows: int, columns: int, **options: object) -> int:
    """Write a photo, and return its size in memory, in bytes."""
    if bench.quick:
        rows, columns = rows // 20, columns // 20
    if not (bench.folder / name).exists():
        root = str(ROOT)
        bench.prepare(
            _PHOTO.format(root=root, rows=rows, columns=columns, name=name, options=options)
        )
    return 3 * rows * columns


_RECODE = """
import sys, imagecodecs
with open(sys.argv[1], "rb") as file: pixels = imagecodecs.png_decode(file.read())
with open(sys.argv[2], "wb") as file: file.write(imagecodecs.png_encode(pixels, level=0))
"""
_OPTIONS = ("--key", "my.key", "--force", "--quiet")


def define_files(bench: Bench) -> Table:
    """Define the table of pictures from file to file."""
    _write_photo(bench, "4k.png", 2160, 3840, compress_level=6)
    _write_photo(bench, "12.jpg", 3000, 4000, quality=90)
    work = {
        "scramble a JPEG": "scramble_file('12.jpg', 'a.jpg', **options)",
        "unscramble the JPEG": "unscramble_file('a.jpg', 'b.jpg', **options)",
        "scramble a PNG, in Python": "scramble_file('4k.png', 'a.png', **options)",
        "unscramble the PNG, in Python": "unscramble_file('a.png', 'b.png', **options)",
    }
    setup = (
        "from sudokucrypt import *\n"
        "options = {'key': Key(bytes(range(32))), 'replace': True, 'threads': 1}\n"
    )
    calls = {
        **bench.make_command_pair(
            "scramble a PNG", "scramble", "4k.png", "-o", "hidden.png", *_OPTIONS
        ),
        **bench.make_command_pair(
            "unscramble it", "unscramble", "hidden.png", "-o", "back.png", *_OPTIONS
        ),
        **bench.make_snippet_pairs(setup, work),
    }
    python, codecs = sys.executable, "imagecodecs, decode and encode"
    rows = []
    if importlib.util.find_spec("imagecodecs"):
        calls[codecs] = bench.make_command(python, "-c", _RECODE, "4k.png", "other.png")
        rows = [Row(f"scramble a PNG / {codecs}", 1.1, "cpu", "scramble a PNG", codecs)]
    if shutil.which("jpegtran"):
        tran = ["jpegtran", "-optimize", "-outfile", "tran.jpg", "12.jpg"]
        calls["jpegtran -optimize"] = bench.make_command(*tran)
        rows += [
            Row("scramble a JPEG / jpegtran", 1.6, "cpu", "scramble a JPEG", "jpegtran -optimize")
        ]
    text = (
        "A PNG of 3840 x 2160 pixels, by whole processes and in Python, and a JPEG of 12 "
        "megapixels, in Python on one thread."
    )
    return Table("Picture files", text, calls, rows + _compare_versions(calls))


def define_memory(bench: Bench) -> Table:
    """Define the table of the most memory that processes take."""
    size = _write_photo(bench, "100.png", 10_000, 10_000, compress_level=1)
    words = ("100.png", "-o", "m.png", *_OPTIONS)
    work = {
        "scramble": ("scramble", *words),
        "unscramble": ("unscramble", "m.png", "-o", "n.png", *_OPTIONS),
        "encrypt by pixels": ("encrypt", "--as", "pixels", *words),
        "decrypt": ("decrypt", "m.png", "-o", "n.png", *_OPTIONS),
    }
    calls = {
        k: c
        for name, words in work.items()
        for k, c in bench.make_command_pair(name, *words).items()
    }
    # The memory of Python itself is negligible next to 300 MB.
    least = 40e6 if bench.quick else 0.0
    rows = [Row(f"{name} / its samples", 1.3, "peak", name, size + least) for name in work]
    text = "A PNG of 100 megapixels of RGB; the memory is the peak of the whole process."
    return Table("Memory", text, calls, rows)


_BARE = "import numpy, PIL.Image, click, cryptography.hazmat.primitives.ciphers"


def define_start(bench: Bench) -> Table:
    """Define the table of the start of commands."""
    shutil.copy(PICTURES / "chelsea.jpg", bench.folder / "photo.jpg")
    small = bench.folder / "small"
    small.mkdir(exist_ok=True)
    for index in range(20 if bench.quick else 200):
        (small / f"{index}.txt").write_text(f"{index}\n" * 100)
    python, encrypting = sys.executable, ("photo.jpg", "-o", "e.png", *_OPTIONS)
    key = ("--key", "my.key", "--quiet")
    calls = {
        "import click": bench.make_command(python, "-c", "import click"),
        "imports of libraries": bench.make_command(python, "-c", _BARE),
        **bench.make_command_pair("--help", "--help"),
        **bench.make_command_pair("--version", "--version"),
        "wrong option": bench.make_command(python, "-m", "sudokucrypt", "encrypt", "--x", code=2),
        **bench.make_command_pair("encrypt a photo", "encrypt", *encrypting),
        **bench.make_command_pair(
            "encrypt without preview", "encrypt", "--no-preview", *encrypting
        ),
        **bench.make_command_pair("decrypt it", "decrypt", "e.png", "-o", "d.jpg", *_OPTIONS),
        **bench.make_command_pair(
            "redact it", "redact", "photo.jpg", "-o", "r.jpg", "--region", "9,9,90,90", *_OPTIONS
        ),
        **bench.make_command_pair(
            "small files",
            *("encrypt", "small", "--all-files", "--jobs", "1"),
            *("-o", "out", "--force"),
            *key,
        ),
    }
    libraries = "imports of libraries"
    rows = [
        Row("--help / import click", 1.6, "cpu", "--help", "import click"),
        Row("--version / import click", 1.6, "cpu", "--version", "import click"),
        Row("a wrong option / import click", 1.6, "cpu", "wrong option", "import click"),
        Row("encrypt without preview / imports", 1.4, "cpu", "encrypt without preview", libraries),
        Row("encrypt a photo / imports", 1.6, "cpu", "encrypt a photo", libraries),
        Row("decrypt it / imports", 1.6, "cpu", "decrypt it", libraries),
        Row("redact it / imports", 1.6, "cpu", "redact it", libraries),
        Row("small files / 1.1.0", 0.7, "cpu", "small files", "small files, 1.1.0"),
    ]
    text = "A photo of 28 kB, 200 text files, and the imports of NumPy, Pillow, Click and ciphers."
    return Table("Start", text, calls, rows)


def define_large(bench: Bench) -> Table:
    """Define the table of files of any size, next to age; both programs flush to disk."""
    size, folder = 3 * 10 ** (6 if bench.quick else 9), bench.folder
    with (folder / "large").open("wb") as file:
        for _ in range(size // 10**6):
            file.write(os.urandom(10**6))
    (folder / "little").write_bytes(os.urandom(900_000))
    calls: dict[str, Callable[[], object]] = {}
    for threads in (1, 2):
        ways = {
            f"encrypt, {threads} threads": ("encrypt", "large", "-o", "large.png"),
            f"decrypt, {threads} threads": ("decrypt", "large.png", "-o", "back"),
        }
        for name, words in ways.items():
            arguments = [sys.executable, "-m", "sudokucrypt", *words, *_OPTIONS]
            call = bench.make_command(*arguments, variables={"SUDOKUCRYPT_THREADS": str(threads)})
            calls[name] = _warm_cache(call, folder / words[1], folder / words[-1])
    if shutil.which("age"):
        bench.make_command("sh", "-c", "age-keygen -o age.key 2>age.txt")()
        recipient = (folder / "age.txt").read_text().split()[-1]
        # GNU's sync flushes the file named as its argument.
        locking, opening = (
            f"age -r {recipient} -o large.age large",
            "age -d -i age.key -o b large.age",
        )
        for name, command, source, target in (
            ("encrypt", locking, "large", "large.age"),
            ("decrypt", opening, "large.age", "b"),
        ):
            call = bench.make_command("sh", "-c", f"{command} && sync {target}")
            calls[f"age, {name}"] = _warm_cache(call, folder / source, folder / target)
    calls |= bench.make_command_pair(
        "encrypt 900 kB", "encrypt", "little", "-o", "l.png", *_OPTIONS
    )
    calls |= bench.make_command_pair("decrypt 900 kB", "decrypt", "l.png", "-o", "l", *_OPTIONS)
    rows = [
        Row("encrypt on one thread / age", 3.0, "cpu", "encrypt, 1 threads", "age, encrypt"),
        Row("decrypt on one thread / age", 2.0, "cpu", "decrypt, 1 threads", "age, decrypt"),
        Row("encrypt on two threads / age", 2.0, "wall", "encrypt, 2 threads", "age, encrypt"),
        Row("decrypt on two threads / age", 2.0, "wall", "decrypt, 2 threads", "age, decrypt"),
        Row("memory of encrypt, in 150 MB", 1, "peak", "encrypt, 2 threads", 150e6),
        Row("memory of decrypt, in 150 MB", 1, "peak", "decrypt, 2 threads", 150e6),
        *_compare_versions({name: calls[name] for name in calls if "900" in name}),
    ]
    return Table("Large files", "A file of 3 GB, and one of 900 kB.", calls, rows)


def _warm_cache(call: Callable[[], object], source: Path, target: Path) -> Callable[[], object]:
    """Return a call that finds its source in the cache of the system, and no target.

    Some machines take memory back from the cache within seconds.
    """

    def measure() -> object:
        target.unlink(missing_ok=True)
        with source.open("rb", buffering=0) as file:
            while file.read(1 << 20):
                pass
        return call()

    return measure


def define_folders(bench: Bench) -> Table:
    """Define the table of folders of photos."""
    photo = (PICTURES / "chelsea.jpg").read_bytes()
    draws = random.Random(1)  # noqa: S311 - no secrets
    # Viewers ignore bytes after the end of a JPEG.
    for name, count, size in (("photos", 200, 8), ("album", 300, 3_400_000), ("single", 1, 8)):
        (bench.folder / name).mkdir(exist_ok=True)
        for index in range(min(count, 4) if bench.quick else count):
            (bench.folder / name / f"{index}.jpg").write_bytes(photo + draws.randbytes(size))
    key, python = ("--key", "my.key", "--quiet"), [sys.executable, "-m", "sudokucrypt", "encrypt"]
    new = [*python, "photos", "-o", "safe", *key, "--force"]
    calls = {
        "200 photos, --jobs 1": bench.make_command(*new, "--jobs", "1"),
        "200 photos": bench.make_command(*new),
        "300 photos, the first time": bench.make_command(
            *("sh", "-c", 'rm -rf kept && "$@"', "sh"),
            *python,
            *("album", "-o", "kept", "--update"),
            *key,
        ),
        "300 photos, unchanged": bench.make_command(
            *python, "album", "-o", "kept", "--update", *key
        ),
        "1 photo, --update": bench.make_command(*python, "single", "-o", "one", "--update", *key),
    }
    first = "300 photos, the first time"
    rows = [
        Row(
            "200 photos / the same with --jobs 1", 0.6, "wall", "200 photos", "200 photos, --jobs 1"
        ),
        Row(
            "300 photos unchanged, less the start / the first time",
            *(0.03, "wall"),
            "300 photos, unchanged",
            first,
            "1 photo, --update",
        ),
    ]
    return Table("Folders", "200 photos of 28 kB, and 300 of 3.4 MB.", calls, rows)


_RESTORE = """
import { restore } from "./engine/engine.js";
import { readSecrets } from "./engine/keys.js";
const [secret] = await readSecrets([argument.key]);
return (await restore(new Uint8Array(readFileSync(argument.source)), null, [secret])).bytes.length;
"""
_SODIUM = """
import sodium from "libsodium-wrappers";
await sodium.ready;
const call = (name, ...given) => sodium[`crypto_secretstream_xchacha20poly1305_${name}`](...given);
const key = call("keygen");
const { state, header } = call("init_push", key);
const opening = call("init_pull", header, key);
const data = readFileSync(argument.source);
for (let at = 0; at < data.length; at += 65536)
call("pull", opening, call("push", state, data.subarray(at, at + 65536), null, 0));
return data.length;
"""


def define_page(bench: Bench) -> Table:
    """Define the table of the page's engine in Node, next to libsodium-wrappers if NODE_PATH leads
    to it."""
    _write_photo(bench, "4k.png", 2160, 3840, compress_level=6)
    for name, size in (("medium", 10**8), ("huge", 10**9)):
        (bench.folder / name).write_bytes(bytes(size // (1000 if bench.quick else 1)))
    bench.make_command(
        *_build_python_command("encrypt", "--as", "pixels", "4k.png", "-o", "4k.hidden.png")
    )()
    calls = dict(
        bench.make_command_pair(
            "4K in the package", "decrypt", "4k.hidden.png", "-o", "4k.b.png", *_OPTIONS
        )
    )
    if not shutil.which("node"):
        return Table("The page", "Without Node nothing was measured.", {}, [])

    def run_in_node(script: str, title: str, **argument: object) -> Callable[[], object]:
        folder = bench.folder / title
        folder.mkdir(exist_ok=True)
        given = {key: str(bench.folder / str(value)) for key, value in argument.items()}
        data = json.dumps({**given, "key": KEY.to_text(), "work": title.split(maxsplit=1)[0]})
        return bench.make_command("node", write_program(script, folder), data=data)

    program = (_PAGE / "large.js").read_text(encoding="utf-8")
    calls["4K in the page"] = run_in_node(_RESTORE, "restore", source="4k.hidden.png")
    for name in ("medium", "huge"):
        calls[f"protect, {name}"] = run_in_node(
            program, f"protect {name}", source=name, target=f"{name}.png"
        )
        calls[f"open, {name}"] = run_in_node(
            program, f"open {name}", source=f"{name}.png", target=f"{name}.b"
        )
    modules = Path(os.environ.get("NODE_PATH", "."))
    if (modules / "libsodium-wrappers").exists():
        (bench.folder / "node_modules").symlink_to(modules)
        calls["libsodium, both ways"] = run_in_node(_SODIUM, "sodium", source="medium")
    rows = [
        Row(
            "4K by pixels / decrypt of 1.1.0",
            2.0,
            "cpu",
            "4K in the page",
            "4K in the package, 1.1.0",
        ),
        Row(
            "100 MB protected / libsodium both ways",
            3,
            "cpu",
            "protect, medium",
            "libsodium, both ways",
        ),
        Row(
            "100 MB opened / libsodium both ways", 3, "cpu", "open, medium", "libsodium, both ways"
        ),
        Row("memory of protect, 1 GB, in 400 MB", 1, "peak", "protect, huge", 400e6),
        Row("memory of open, 1 GB, in 400 MB", 1, "peak", "open, huge", 400e6),
    ]
    text = "A PNG of 3840 x 2160 pixels encrypted by pixels; files of 100 MB and 1 GB."
    return Table("The page", text, calls, rows)


def _build_python_command(*words: str) -> list[str]:
    return [sys.executable, "-m", "sudokucrypt", *words, *_OPTIONS]


def define_reports(bench: Bench) -> Table:
    """Define the table of pages of figures."""
    _write_photo(bench, "12.png", 3000, 4000, compress_level=1)
    quick = ["--quick"] if bench.quick else []
    security = ("security-report", "scramble", *quick, "--quiet", "--force")
    analyze = ("analyze", "12.png", "--force", "--quiet")
    calls = {
        "analyze": bench.make_command(
            sys.executable, "-m", "sudokucrypt", *analyze, "-o", "a.html"
        ),
        **bench.make_command_pair("security-report", *security),
    }
    if bench.old:
        html = ("--html", "b.html")
        calls["analyze, 1.1.0"] = bench.make_command(
            bench.old, "-m", "sudokucrypt", *analyze, *html
        )
    rows = [
        Row("analyze / 1.1.0", 0.7, "cpu", "analyze", "analyze, 1.1.0"),
        Row("security-report / 1.1.0", 0.7, "cpu", "security-report", "security-report, 1.1.0"),
        Row("security-report, in 30 s", 1, "cpu", "security-report", 30),
    ]
    text = "`analyze` of 12 megapixels, and `security-report scramble` of the default size."
    return Table("Reports", text, calls, rows)


_SUDOKU = """
from sudokucrypt.sudoku import *
texts = [puzzle.to_text() for puzzle, _ in make_puzzles({count}, seeded_draws(1))]
puzzles = [SudokuPuzzle.from_text(text) for text in texts]
open("puzzles.txt", "w").write("\\n".join(texts * 20))
solve(puzzles[0])
"""


def define_sudoku(bench: Bench) -> Table:
    """Define the table of Sudoku puzzles."""
    count = 100 if bench.quick else 1000
    calls = {
        **bench.make_snippet_pairs(
            _SUDOKU.format(count=count),
            {
                "solve, each": "for puzzle in puzzles: solve(puzzle)",
                "from_text, each": "for text in texts: SudokuPuzzle.from_text(text)",
                "make": f"make_puzzles({count}, seeded_draws(2))",
                "rate 20": "for puzzle in puzzles[:20]: grade(puzzle)",
            },
        ),
        **bench.make_command_pair("sudoku solve", "sudoku", "solve", "puzzles.txt", "--quiet"),
    }
    rows = [
        Row("one solve, in 30 µs", 1, "cpu", "solve, each", count * 30e-6),
        Row("one from_text, in 30 µs", 1, "cpu", "from_text, each", count * 30e-6),
        *_compare_versions(calls),
    ]
    return Table("Sudoku", "1,000 puzzles of 9 x 9, and a file of 20,000.", calls, rows)


_FIRST = 'rm -rf clone && git clone -q "$1" clone && cd clone && '
_FIRST += (
    "python3 -m venv .venv && .venv/bin/python -m pip install -q . && .venv/bin/sudokucrypt demo"
)
_WHEEL = "rm -rf empty && python3 -m venv empty && empty/bin/pip install -q wheels/*.whl && "
_WHEEL += "empty/bin/sudokucrypt encrypt photo.jpg -o first.png --key my.key --force --quiet"


def define_install(bench: Bench) -> Table:
    """Define the table of installing, which needs a network and is measured only if it is named."""
    shutil.copy(PICTURES / "chelsea.jpg", bench.folder / "photo.jpg")
    bench.prepare(
        f"import subprocess, sys; subprocess.run([sys.executable, '-m', 'pip', 'wheel', '-q', "
        f"'--no-deps', '-w', 'wheels', {str(ROOT)!r}], check=True)"
    )
    calls = {
        "README's first command": bench.make_command("sh", "-c", _FIRST, "sh", ROOT),
        "from a wheel": bench.make_command("sh", "-c", _WHEEL),
    }
    rows = [
        Row("README's first command, in 45 s", 1, "wall", "README's first command", 45),
        Row("from a wheel to a picture, in 15 s of CPU", 1, "cpu", "from a wheel", 15),
    ]
    text = "The first command of the README in a fresh clone, and a wheel in an empty environment."
    return Table("Installing", text, calls, rows)


TABLES: Mapping[str, Callable[[Bench], Table]] = {
    table.__name__.removeprefix("define_"): table
    for table in (
        *(
            define_arrays,
            define_shapes,
            define_fallbacks,
            define_peers,
            define_files,
            define_memory,
            define_start,
            define_large,
            define_folders,
            define_page,
            define_reports,
        ),
        *(define_sudoku, define_install),
    )
}
