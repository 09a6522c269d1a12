"""Compile the core of Argon2id for pages: ``python -m tests.page.build_argon2`` writes its module.

Other releases of clang give other bytes, so one release is named.
"""

import subprocess
import tempfile
from base64 import b64encode
from pathlib import Path

import sudokucrypt

COMPILER, LINKER = "clang-19", "wasm-ld-19"
_PAGE = Path(sudokucrypt.__file__).parent / "page"
MODULE = _PAGE / "engine" / "argon2_wasm.js"
_OPTIONS = (
    "--target=wasm32",
    "-std=c11",
    "-O3",
    "-msimd128",
    "-mbulk-memory",  # memory.copy and memory.fill stand in for memcpy and memset
    "-ffreestanding",
    "-nostdlib",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wl,--no-entry",
    "-Wl,--strip-all",
    "-Wl,-z,stack-size=65536",
)


def main() -> None:
    """Write the module."""
    MODULE.write_text(module(), encoding="ascii")


def module() -> str:
    """Return the compiled core as a JavaScript module."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-argon2-") as folder:
        output = Path(folder) / "argon2.wasm"
        source = str(_PAGE / "kdf" / "argon2.c")
        subprocess.run([COMPILER, *_OPTIONS, "-o", str(output), source], check=True)
        code = b64encode(output.read_bytes()).decode("ascii")
    head = "// kdf/argon2.c, compiled by tests/page/build_argon2.py; base64."
    return f'{head}\n\n/** A module of WebAssembly. */\nexport const argon2Wasm =\n  "{code}";\n'


if __name__ == "__main__":
    main()
