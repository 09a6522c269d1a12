"""Compile the core of the page: ``python -m tests.page.build_core`` writes its module.

Other releases of clang give other bytes, so one release is named.
"""

import subprocess
import tempfile
import zlib
from base64 import b64decode, b64encode
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
# The bytes of the page count more than its speed, but where all bytes of a file pass.
_FAST = {"streams", "moves"}
_OPTIONS = (
    *("--target=wasm32", "-std=c11", "-msimd128", "-ffreestanding", "-nostdlib"),
    "-mbulk-memory",  # memory.copy and memory.fill stand in for memcpy and memset
    *("-Wall", "-Wextra", "-Werror", "-Wno-unused-function"),
    *("-isystem", str(_CORE / "libc"), "-I", str(_LOOPS)),
)
_LINKING = ("--no-entry", "--strip-all", "-z", "stack-size=65536")


def main() -> None:
    """Write the module."""
    MODULE.write_text(module(core()), encoding="ascii")


def module(code: bytes) -> str:
    """Return a compiled core as a JavaScript module, deflated: that halves it."""
    letters = b64encode(zlib.compress(code, 9)).decode("ascii")
    head = (
        "// core/*.c and loops of the package, compiled by tests/page/build_core.py; zlib, base64."
    )
    return f'{head}\n\n/** A module of WebAssembly. */\nexport const coreWasm =\n  "{letters}";\n'


def core_in(text: str) -> bytes:
    """Return the compiled core in a JavaScript module."""
    return zlib.decompress(b64decode(text.split('"')[1]))


def core() -> bytes:
    """Return the core, compiled."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-core-") as folder:
        objects = []
        for source in _SOURCES:
            objects.append(f"{folder}/{source.stem}.o")
            speed = "-Os" if source.stem in _FAST else "-Oz"
            command = [COMPILER, *_OPTIONS, speed, "-c", "-o", objects[-1], str(source)]
            subprocess.run(command, check=True)
        output = Path(folder) / "core.wasm"
        subprocess.run([LINKER, *_LINKING, *objects, "-o", str(output)], check=True)
        return output.read_bytes()


if __name__ == "__main__":
    main()
