"""Imports on first use: what packages list is what type checkers see, and little is loaded."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import sudokucrypt
from sudokucrypt.keys import PROFILES
from sudokucrypt.lazy import DeferredModule

_TOP = Path(sudokucrypt.__file__).parent
_FACES = sorted(
    ".".join(("sudokucrypt", *file.parent.relative_to(_TOP).parts))
    for file in _TOP.rglob("__init__.py")
    if "lazy_names(" in file.read_text("utf-8")
)


_MOST_MODULES = 45


def _loaded(script: str) -> list[str]:
    """Return the modules that a script loads in an interpreter of its own."""
    script += "; import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return run.stdout.split()


@pytest.mark.parametrize("name", _FACES)
def test_a_package_has_what_its_stub_lists(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name comes from the module that type checkers are told; there are no others."""
    monkeypatch.setattr("sudokucrypt.keys.passphrase.PROFILES", PROFILES)  # not the cheap ones
    package = import_module(name)
    tree = ast.parse(Path(str(package.__file__)).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    listed = {str(alias.asname): str(node.module) for node in imports for alias in node.names}
    assert all(alias.name == alias.asname for node in imports for alias in node.names)
    listed.pop("__version__", None)
    assert package.__all__ == sorted(each for each, module in listed.items() if module != name)
    assert {*listed} <= {*dir(package)}
    for each, module in listed.items():
        assert module != f"{name}.{each}", "the module would take the place of what it exports"
        assert hasattr(package, each)
        assert module == name or hasattr(import_module(module), each)
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        package.nothing  # noqa: B018


def test_a_deferred_module_is_imported_by_the_first_call() -> None:
    """Not when one of its functions is handed on."""
    script = (
        "from sudokucrypt.lazy import DeferredModule; import sys;"
        "split = DeferredModule('shlex').split; assert 'shlex' not in sys.modules"
    )
    assert "shlex" not in _loaded(script)
    assert "shlex" in _loaded(f"{script}; split('a')")
    assert DeferredModule("shlex").split("a 'b c'", comments=True) == ["a", "b c"]


def test_the_package_itself_loads_next_to_nothing() -> None:
    """To import it takes no time, whatever it offers."""
    loaded = _loaded("import sudokucrypt")
    assert {each for each in loaded if each.startswith("sudokucrypt.")} == {
        "sudokucrypt._version",
        "sudokucrypt.lazy",
    }
    assert not {"numpy", "dataclasses", "typing"} & {*loaded}


def test_to_encrypt_an_array_loads_what_it_needs() -> None:
    """Files, JPEG coefficients, grids and their drawings stay out of the way of an array."""
    loaded = _loaded(
        "import sudokucrypt; import numpy;"
        "sudokucrypt.encrypt(numpy.zeros((8, 8), numpy.uint8), sudokucrypt.Key.generate())"
    )
    ours = [each for each in loaded if each.startswith("sudokucrypt")]
    assert len(ours) <= _MOST_MODULES, ours


def test_to_solve_a_sudoku_loads_no_network() -> None:
    """The command line reaches the engine without anything that opens connections."""
    loaded = _loaded(
        "import sys; sys.argv = ['sudokucrypt', 'sudoku', 'solve', '1...............'];"
        "from sudokucrypt.cli.program import run; run()"
    )
    assert "sudokucrypt.sudoku.solving.solver" in loaded
    assert not {"ssl", "socket", "http.client"} & {*loaded}


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "scramble", "unscramble", "rekey"])
def test_a_misspelt_option_loads_no_pictures(command: str) -> None:
    """Whoever mistypes has the answer before NumPy and cryptography are there."""
    loaded = _loaded(
        f"import sys; sys.argv = ['sudokucrypt', '{command}', '--pgn'];"
        "from sudokucrypt.cli.program import run; assert run() == 2"
    )
    assert "sudokucrypt.cli.pictures.commands" in loaded
    assert not {"numpy", "PIL", "cryptography"} & {*loaded}
