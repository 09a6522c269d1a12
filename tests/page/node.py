"""Node, which runs the modules of the page as they are."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import sudokucrypt

_PAGE = Path(sudokucrypt.__file__).parent / "page"


def write_program(script: str, folder: Path) -> Path:
    """Write the body of an async function, with the page next to it, as a program for Node.

    It reads its `argument`, and prints what it gives, both as JSON. Imports stand at its start,
    from ``./engine/x.js``.
    """
    for room in ("engine", "shell"):
        shutil.copytree(_PAGE / room, folder / room, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')  # else .js is CommonJS
    lines = [line.strip() for line in script.splitlines()]
    imports = [line for line in lines if line.startswith("import ")]
    body = "\n".join(line for line in lines if line not in imports)
    call = "console.log(JSON.stringify(await run(JSON.parse(readFileSync(0)))));"
    start = 'import { readFileSync } from "node:fs";'
    text = "\n".join([start, *imports, f"async function run(argument) {{ {body} }}", call])
    program = folder / "test.js"
    program.write_text(text, encoding="utf-8")
    return program


def run_node(script: str, argument: object) -> object:
    """Return what the body of an async function gives for its `argument`; see `write_program`."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-node-") as name:
        folder = Path(name)
        program = write_program(script, folder)
        data = json.dumps(argument).encode()
        done = subprocess.run(
            ["node", program.name], cwd=folder, input=data, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        result: object = json.loads(done.stdout)
        return result
