"""Node, which runs the modules of the page as they are."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import sudokucrypt

_PAGE = Path(sudokucrypt.__file__).parent / "page"


def run_node(script: str, argument: object) -> object:
    """Return what the body of an async function gives for its `argument`, both as JSON.

    Imports stand at its start, from ``./engine/x.js``.
    """
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-node-") as name:
        folder = Path(name)
        for room in ("engine", "shell"):
            shutil.copytree(_PAGE / room, folder / room)
        (folder / "package.json").write_text('{"type": "module"}')  # else .js is CommonJS
        lines = [line.strip() for line in script.splitlines()]
        imports = [line for line in lines if line.startswith("import ")]
        body = "\n".join(line for line in lines if line not in imports)
        call = "console.log(JSON.stringify(await run(JSON.parse(readFileSync(0)))));"
        start = 'import { readFileSync } from "node:fs";'
        text = "\n".join([start, *imports, f"async function run(argument) {{ {body} }}", call])
        (folder / "test.js").write_text(text, encoding="utf-8")
        data = json.dumps(argument).encode()
        done = subprocess.run(
            ["node", "test.js"], cwd=folder, input=data, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        result: object = json.loads(done.stdout)
        return result
