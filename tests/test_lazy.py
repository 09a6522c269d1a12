"""Imports on first use: packages have the names of their stubs, and load few modules."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import sudokucrypt
from sudokucrypt import errors, sudoku
from sudokucrypt.keys import PROFILES
from sudokucrypt.lazy import DeferredModule
from tests.programs import run_python

_PACKAGE_FOLDER = Path(sudokucrypt.__file__).parent
_LAZY_PACKAGES = sorted(
    ".".join(("sudokucrypt", *file.parent.relative_to(_PACKAGE_FOLDER).parts))
    for file in _PACKAGE_FOLDER.rglob("__init__.py")
    if "make_lazy_names(" in file.read_text("utf-8")
)


_MAX_MODULES = 45


def _list_loaded(script: str) -> set[str]:
    """Return the modules that a script loads in a new interpreter."""
    script += "\nimport sys; print(*sys.modules)"
    return {*run_python("-c", script).stdout.splitlines()[-1].split()}


@pytest.mark.parametrize("name", _LAZY_PACKAGES)
def test_a_package_has_what_its_stub_lists(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package has exactly the names of its stub, each from the module that the stub names."""
    monkeypatch.setattr(
        "sudokucrypt.keys.passphrase.PROFILES", PROFILES
    )  # the real key derivation, not the cheap one of tests
    package = import_module(name)
    stub_tree = ast.parse(Path(str(package.__file__)).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in stub_tree.body if isinstance(node, ast.ImportFrom)]
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
    """The module is not imported when a function of it is looked up, only when it is called."""
    script = (
        "from sudokucrypt.lazy import DeferredModule; import sys;"
        "split = DeferredModule('shlex').split; assert 'shlex' not in sys.modules"
    )
    assert "shlex" not in _list_loaded(script)
    assert "shlex" in _list_loaded(f"{script}; split('a')")
    assert DeferredModule("shlex").split("a 'b c'", comments=True) == ["a", "b c"]


def test_the_package_itself_loads_next_to_nothing() -> None:
    """To import `sudokucrypt` loads two of its modules, and not NumPy."""
    loaded = _list_loaded("import sudokucrypt")
    assert {name for name in loaded if name.startswith("sudokucrypt.")} == {
        "sudokucrypt._version",
        "sudokucrypt.lazy",
    }
    assert not {"numpy", "dataclasses", "typing"} & {*loaded}


def test_encrypting_an_array_loads_few_modules() -> None:
    """To encrypt an array loads at most 45 modules of the package."""
    loaded = _list_loaded(
        "import sudokucrypt; import numpy;"
        "sudokucrypt.encrypt(numpy.zeros((8, 8), numpy.uint8), sudokucrypt.Key.generate())"
    )
    own_modules = [name for name in loaded if name.startswith("sudokucrypt")]
    assert len(own_modules) <= _MAX_MODULES, own_modules


@pytest.mark.parametrize(
    ("script", "needed", "heavy"),
    [
        ("import sudokucrypt.images", "sudokucrypt.images", {"PIL", "imagecodecs"}),
        (
            "import sudokucrypt.sudoku.model.grid",
            "sudokucrypt.sudoku.model.grid",
            {
                f"sudokucrypt.sudoku.{package}"
                for package in (
                    "solving",
                    "counting",
                    "making",
                    "deducing",
                    "historical",
                    "drawing",
                )
            },
        ),
    ],
)
def test_packages_load_no_other_package_and_no_codec(
    script: str, needed: str, heavy: set[str]
) -> None:
    """To import one package loads its model, but no other package and no codec."""
    loaded = _list_loaded(script)
    assert needed in loaded
    assert not heavy & loaded


_MODULES_OF_PICTURES = {"numpy", "PIL", "cryptography", "hashlib", "importlib.metadata"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        ("--help", {"numpy", "PIL", "imagecodecs", "scipy"}),
        ("keygen -o x.key", {"numpy", "PIL", "imagecodecs", "scipy"}),
        ("encrypt --threads x photo.png", {"numpy", "hashlib", "concurrent.futures"}),
        *(
            (f"{command} --pgn", _MODULES_OF_PICTURES)
            for command in ("encrypt", "decrypt", "scramble", "unscramble", "rekey", "info")
        ),
        *(
            (f"{command} --pgn", {"numpy", "hashlib"})
            for command in ("redact", "open", "demo", "share")
        ),
        ("analyze --list-metrics", {"PIL", "imagecodecs"}),
        ("sudoku solve 1...............", {"ssl", "http.client", "xml.sax", "importlib.metadata"}),
    ],
)
def test_commands_load_what_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, heavy: set[str]
) -> None:
    """Help and errors need no slow modules, and the solver loads no network code."""
    monkeypatch.chdir(tmp_path)
    loaded = _list_loaded(
        f"import sys; sys.argv = ['sudokucrypt', *{arguments.split()}]\n"
        "from sudokucrypt.cli.main import main\ntry: main()\nexcept SystemExit: pass"
    )
    assert "sudokucrypt.cli.program" in loaded
    assert not heavy & loaded


@pytest.mark.parametrize(
    ("inner_package", "name"),
    [("sudoku", "solve"), ("sudoku.drawing", "draw"), ("analysis", "avalanche")],
)
def test_inner_packages_are_found_from_the_top(inner_package: str, name: str) -> None:
    """After `import sudokucrypt`, inner packages are attributes, and `dir` lists their names."""
    parent, _, package_name = f"sudokucrypt.{inner_package}".rpartition(".")
    _list_loaded(
        f"import sudokucrypt; assert {package_name!r} in dir({parent});"
        f"assert {name!r} in dir(sudokucrypt.{inner_package})"
    )


def test_sudoku_exports_its_errors() -> None:
    """The package `sudoku` exports the errors that its functions raise."""
    for name in (
        *("BrokenRuleError", "InvalidGridError", "MultipleSolutionsError", "NoSolutionError"),
        "UndecidedError",
    ):
        assert getattr(sudoku, name) is getattr(errors, name)
        assert name in sudoku.__all__
