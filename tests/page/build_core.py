"""Compile the WebAssembly core of the page: ``python -m tests.page.build_core`` writes its module.

Other releases of clang give other bytes, so the release is fixed.
"""

import subprocess
import tempfile
import zlib
from functools import reduce
from itertools import repeat
from pathlib import Path

import sudokucrypt

COMPILER, LINKER = "clang-19", "wasm-ld-19"
_PACKAGE = Path(sudokucrypt.__file__).parent
_CORE, _LOOPS = _PACKAGE / "page" / "core", _PACKAGE / "images" / "jpeg" / "_kernels" / "loops"
MODULE = _PACKAGE / "page" / "engine" / "core_wasm.js"
_SOURCES = (
    *(_CORE / name for name in ("argon2.c", "streams.c", "moves.c", "jpeg.c")),
    *(_LOOPS / name for name in ("decoding.c", "coding.c")),
)
# The size of the page counts more than its speed, except in code for all bytes of a file.
_OPTIMIZED_FOR_SPEED = {"streams", "moves"}
_COMPILER_OPTIONS = (
    *("--target=wasm32", "-std=c11", "-msimd128", "-ffreestanding", "-nostdlib"),
    "-mbulk-memory",  # memory.copy and memory.fill replace memcpy and memset
    *("-Wall", "-Wextra", "-Werror", "-Wno-unused-function"),
    *("-isystem", str(_CORE / "libc"), "-I", str(_LOOPS)),
)
# Digits of base 85 without signs that end a string, an element or a comment.
_DIGITS = "".join(map(chr, range(40, 125))).translate(str.maketrans("<>\\`", "!#$%"))
_LINKER_OPTIONS = ("--no-entry", "--strip-all", "-z", "stack-size=65536")


def write_module() -> None:
    """Write the JavaScript module of the compiled core."""
    MODULE.write_text(make_module(compile_core()), encoding="ascii")


def make_module(wasm: bytes) -> str:
    """Return a compiled core as a JavaScript module, compressed by zopfli to half the size."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-core-") as folder:
        path = Path(folder) / "core"
        path.write_bytes(wasm)
        command = ["zopfli", "--zlib", "--i1000", "-c", str(path)]
        deflated = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    letters = "".join(map(_encode_digits, range(0, len(deflated), 4), repeat(deflated)))
    note = "// core/*.c and loops of the package, by tests/page/build_core.py; zlib, base 85."
    return f'{note}\n\n/** A module of WebAssembly. */\nexport const coreWasm =\n  "{letters}";\n'


def extract_core(text: str) -> bytes:
    """Return the compiled core in a JavaScript module."""
    letters = text.split('"')[1]
    numbers = [
        reduce(
            lambda number, letter: 85 * number + _DIGITS.index(letter),
            letters[start : start + 5],
            0,
        )
        for start in range(0, len(letters), 5)
    ]
    return zlib.decompressobj().decompress(b"".join(n.to_bytes(4, "big") for n in numbers))


def _encode_digits(first_number: int, data: bytes) -> str:
    """Return the digits of four bytes."""
    number = int.from_bytes(data[first_number : first_number + 4].ljust(4, b"\0"), "big")
    return "".join(_DIGITS[number // 85**position % 85] for position in (4, 3, 2, 1, 0))


def compile_core() -> bytes:
    """Return the compiled core."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-core-") as folder:
        objects = []
        for source in _SOURCES:
            objects.append(f"{folder}/{source.stem}.o")
            speed = "-Os" if source.stem in _OPTIMIZED_FOR_SPEED else "-Oz"
            command = [COMPILER, *_COMPILER_OPTIONS, speed, "-c", "-o", objects[-1], str(source)]
            subprocess.run(command, check=True)
        output = Path(folder) / "core.wasm"
        subprocess.run([LINKER, *_LINKER_OPTIONS, *objects, "-o", str(output)], check=True)
        return output.read_bytes()


if __name__ == "__main__":
    write_module()
