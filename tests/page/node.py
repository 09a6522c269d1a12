"""Run the JavaScript modules of the page in Node."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import sudokucrypt

_PAGE = Path(sudokucrypt.__file__).parent / "page"


def write_program(script: str, folder: Path) -> Path:
    """Write the body of an async function as a program for Node, next to a copy of the page.

    The program reads `argument` and prints the returned value, both as JSON. The body begins with
    its
    imports, such as from ``./engine/x.js``.
    """
    for folder_name in ("engine", "shell"):
        shutil.copytree(_PAGE / folder_name, folder / folder_name, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')  # without it, .js files are CommonJS
    lines = [line.strip() for line in script.splitlines()]
    imports = [line for line in lines if line.startswith("import ")]
    statements = "\n".join(line for line in lines if line not in imports)
    call = "console.log(JSON.stringify(await run(JSON.parse(readFileSync(0)))));"
    reader = 'import { readFileSync } from "node:fs";'
    text = "\n".join([reader, *imports, f"async function run(argument) {{ {statements} }}", call])
    program = folder / "test.js"
    program.write_text(text, encoding="utf-8")
    return program


def run_node(script: str, argument: object) -> object:
    """Return the value that a function body returns for `argument`; see `write_program`."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-node-") as name:
        folder = Path(name)
        program = write_program(script, folder)
        data = json.dumps(argument).encode()
        process = subprocess.run(
            ["node", program.name], cwd=folder, input=data, capture_output=True, check=False
        )
        assert process.returncode == 0, process.stderr.decode()
        result: object = json.loads(process.stdout)
        return result
