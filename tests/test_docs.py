"""Examples in README, documentation and docstrings work as shown; generated pages are current."""

import ast
import builtins
import doctest
import importlib
import inspect
import keyword
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import click
import pytest

import sudokucrypt
from docs import api, manpage, package, update
from docs.figures.__main__ import FIGURES, is_similar
from docs.figures.__main__ import main as draw
from sudokucrypt import Key, decrypt_bytes
from sudokucrypt.ciphers import SCHEMES
from sudokucrypt.cli.main import main
from sudokucrypt.cli.program import cli
from sudokucrypt.images.driver import FORMATS
from tests.cli.conftest import signals  # noqa: F401 - undoes what the command does to them
from tests.programs import find_program

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_SHELL_CHARACTERS = set("|<>&;$*?`~(#")
"""What only a shell understands."""

MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "sudokucrypt").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def list_blocks(page: Path, language: str) -> list[str]:
    pattern = rf"^```{language}\n(.*?)^```$"
    return re.findall(pattern, page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def write_files(page: Path) -> None:
    """Write those blocks of a page to files whose caption is a file name."""
    captioned_blocks = r"^```\{code-block\} \w+\n:caption: (\S+)\n\n(.*?)^```$"
    for name, text in re.findall(
        captioned_blocks, page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        Path(name).write_text(text, encoding="utf-8")


def list_pages_with(language: str) -> list[Any]:
    """Return the pages with code blocks in this language."""
    return [
        pytest.param(page, id=str(page.relative_to(ROOT)))
        for page in PAGES
        if list_blocks(page, language)
    ]


def list_anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and MyST generate them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a folder with the pictures that pages use, and put our commands first on the path.

    Formats that a page registers are removed after the test.
    """
    formats = {*FORMATS}
    pictures = ROOT / "samples" / "pictures"
    png = (pictures / "astronaut.png").read_bytes()
    jpeg = (pictures / "chelsea.jpg").read_bytes()
    for name, data in {
        "photo.png": png,
        "photo.jpg": jpeg,
        "holidays/beach.jpg": jpeg,
        "holidays/hills.jpg": jpeg,
        "photos/cat.jpg": jpeg,
        "photos/trip/hills.png": png,
        "photos/trip/ticket.pdf": b"%PDF-1.7 a ticket",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    monkeypatch.delenv("SUDOKUCRYPT_KEY", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    yield tmp_path
    for name in {*FORMATS} - formats:
        FORMATS.remove(name)


@pytest.mark.parametrize("page", list_pages_with("python"))
@pytest.mark.usefixtures("folder")
def test_python_blocks_run(page: Path) -> None:
    """The Python blocks of a page run in order."""
    names: dict[str, object] = {}
    for block in list_blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)  # noqa: S102


_MISSING = {name for name in ("cmp", "diff", "grep", "tar") if find_program(name) is None}


@pytest.mark.slow
@pytest.mark.parametrize("page", list_pages_with("console"))
@pytest.mark.usefixtures("folder")
def test_commands_print_what_is_shown(
    page: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each `$` line of a console block prints what the page shows; `...` stands for any text."""
    write_files(page)
    schemes = {*SCHEMES}
    for block in list_blocks(page, "console"):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, expected = step.partition("\n")
            command, _, code = line.partition("  # exit code ")
            if command.startswith("sudokucrypt ") and not _SHELL_CHARACTERS & {*command}:
                monkeypatch.setattr(sys, "argv", shlex.split(command))
                with pytest.raises(
                    SystemExit
                ) as stopped:  # in this process, since a new one would take half a second
                    main()
                result = stopped.value.code or 0
                for name in {*SCHEMES} - schemes:  # each command starts with only our schemes
                    SCHEMES.remove(name)
            else:
                if missing := [name for name in shlex.split(command) if name in _MISSING]:
                    pytest.skip(f"needs {missing[0]}")
                result = subprocess.run(command, shell=True, check=False).returncode  # noqa: S602
            printed = "".join(capfd.readouterr()).strip()
            assert result == int(code or 0), (command, printed)
            pattern = re.escape(expected.strip()).replace(r"\.\.\.", ".*")
            assert re.fullmatch(pattern, printed, re.DOTALL), (command, printed)


def test_code_for_other_machines_does_not_contain_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Functions of the how-to for many machines can be pickled, and do not contain the key."""
    cloudpickle = pytest.importorskip("cloudpickle", reason="it comes with the extra 'dask'")
    monkeypatch.chdir(tmp_path)
    Path("holidays").mkdir()
    Path("holidays/a.jpg").write_bytes(b"\xff\xd8\xff a")
    names: dict[str, Any] = {"__name__": "__main__"}
    page = ROOT / "docs" / "howto" / "many-machines.md"
    exec(compile(list_blocks(page, "python")[0], str(page), "exec"), names)  # noqa: S102
    key = Key.from_file("shared.key")
    pickled_function = cloudpickle.dumps(names["protect"])
    assert key.to_bytes() not in pickled_function
    assert key.to_text().encode() not in pickled_function
    name, data = cloudpickle.loads(pickled_function)("holidays/a.jpg")
    assert decrypt_bytes(data, key) == Path("holidays", name).read_bytes()
    with pytest.raises(TypeError, match="never pickled"):
        cloudpickle.dumps(lambda: key)


def test_the_recipe_for_many_processes_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first program of the how-to for many machines encrypts a folder in processes."""
    page = ROOT / "docs" / "howto" / "many-machines.md"
    block = list_blocks(page, r"\{code-block\} python\n:name: processes")[0]
    assert page.read_text(encoding="utf-8").index(block) < 800
    monkeypatch.chdir(tmp_path)
    Path("many.py").write_text(block, encoding="utf-8")
    Key.generate().to_file("shared.key")
    Path("holidays").mkdir()
    Path("holidays/a.jpg").write_bytes(b"\xff\xd8\xff a")
    subprocess.run([sys.executable, "many.py"], check=True)
    protected_data = Path("holidays/a.jpg.encrypted.png").read_bytes()
    assert decrypt_bytes(protected_data, Key.from_file("shared.key")) == b"\xff\xd8\xff a"


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    """The examples in the docstrings of a module print what they show."""
    failure_count, _ = doctest.testmod(importlib.import_module(name))
    assert failure_count == 0


def test_names_in_docstrings_exist() -> None:
    """Each name in backticks is used in its module, or is defined somewhere in the package."""
    known = {*dir(builtins), *keyword.kwlist, *sys.stdlib_module_names}
    used_names, quoted_names = dict[Path, set[str]](), dict[Path, set[str]]()
    for path in (ROOT / "sudokucrypt").rglob("*.py"):
        known |= {path.stem, *path.parts}
        used = used_names[path] = set()
        quoted = quoted_names[path] = set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    used.add(name)
                case ast.arg(arg=name) | ast.alias(name=name):
                    known.add(name)
                case ast.Constant(value=str(text)):
                    quoted |= {*re.findall(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)", text)}
                    used |= {*re.findall(r"\w+", text)} if len(text) < 60 else set()
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    known.add(name)
                case ast.AnnAssign(target=ast.Name(id=name), col_offset=0 | 4):
                    known.add(name)
                case ast.Assign(targets=[ast.Name(id=name)], col_offset=0):
                    known.add(name)
    assert [
        f"{path}: {text}"
        for path, quoted in quoted_names.items()
        for text in quoted
        if not text.endswith(".py") and {*text.split(".")} - used_names[path] - known
    ] == []


def test_examples_exist() -> None:
    """The patterns of this module find examples, so that a changed layout cannot hide them."""
    result = [
        block
        for page in PAGES
        for language in ("python", "console")
        for block in list_blocks(page, language)
    ]
    assert len(result) >= 8


def test_relative_links_lead_somewhere() -> None:
    """Every relative link in README, docs and samples points to a file, folder or heading."""
    for page in [*PAGES, *(ROOT / "samples").glob("*/README.md")]:
        for target in re.findall(r"\]\(([^)\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                name, _, anchor = target.partition("#")
                result = page.parent / name if name else page
                assert result.exists(), (page, target)
                assert not anchor or anchor in list_anchors(result), (page, target)


def test_the_architecture_names_every_package() -> None:
    """The table of packages has a row for each package and module, and no other row."""
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("| package |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    named_packages = sorted(name for cell in cells for name in re.findall(r"`(\w+)`", cell))
    paths = (ROOT / "sudokucrypt").iterdir()
    existing_packages = {
        path.stem for path in paths if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert named_packages == sorted(name for name in existing_packages if not name.startswith("_"))


def test_each_decision_has_its_row() -> None:
    """The index of decisions links each record in order, with its date and rejected options."""
    folder = ROOT / "docs" / "development" / "decisions"
    text = (folder / "index.md").read_text(encoding="utf-8")
    row = re.compile(
        r"^\| \[(\d+)\]\((\1-[\w-]+)\.md\) \| 2\d{3}-\d\d-\d\d \| \w.*? \| \w.*? \|$", re.M
    )
    records = sorted(path.stem for path in folder.glob("[0-9]*.md"))
    assert [name for _, name in row.findall(text)] == records
    assert re.findall(r"^\d[\w-]+$", text, re.MULTILINE) == records


def test_claims_name_tests_that_exist() -> None:
    """Test files that pages name exist, and contain the named tests."""
    test_pattern = re.compile(r"(?:`(tests/[\w./-]+)`|the same(?: file)?)(?:, \*([^*]+)\*)?")
    for page in PAGES:
        path = ROOT
        for name, claimed_text in test_pattern.findall(page.read_text(encoding="utf-8")):
            path = ROOT / name if name else path
            assert path.exists(), (page, name)
            if claimed_text:
                text = path.read_text(encoding="utf-8").replace("_", " ").lower()
                assert claimed_text.lower() in text, (page, path, claimed_text)


def test_the_table_of_commands_is_complete() -> None:
    """Every command of the program is in a table of the page on the command line.

    Attacks are in a table of the analysis reference, which is made from their registry.
    """
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| `(.*?)` \|", text, re.MULTILINE)
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        command_names = [""]
        if isinstance(command, click.Group) and name != "attack":
            command_names = command.list_commands(context)
        for word in command_names:
            assert any(cell.startswith(name) and word in cell for cell in cells), (name, word)


def test_options_of_shown_commands_exist() -> None:
    """Each option of a command in a page or in the README of a sample is one of that command."""
    context, tried = click.Context(cli), 0
    decisions = ROOT / "docs" / "decisions"
    for page in [*PAGES, *(ROOT / "samples").glob("*/README.md")]:
        if decisions in page.parents:  # they also tell what was rejected
            continue
        text = page.read_text(encoding="utf-8")
        code_parts = re.findall(r"(?s)^```.*?^```|`[^`\n]+`", text, re.MULTILINE)
        for words in re.findall(r"\bsudokucrypt( [^`\n|;&>]+)", "\n".join(code_parts)):
            command: click.Command = cli
            names = {"--help", *(name for option in cli.params for name in option.opts)}
            for word in filter(None, re.split(r"[\s'\"=]+", words)):
                if isinstance(command, click.Group) and not word.startswith("-"):
                    command = command.get_command(context, word) or click.Command(word)
                    for option in command.params:
                        names |= {*option.opts, *option.secondary_opts}
                elif word.startswith("--") and word != "--":
                    tried += 1
                    assert word in names, (page, words)
    assert tried > 100


def test_ci_runs_the_command_of_the_readme() -> None:
    """One line in the README sets up and runs the check; .ci/run uses this line."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert sum(line.endswith("python tests/check.py") for line in lines) == 1
    assert "README.md" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_public_names_are_sorted_and_documented() -> None:
    """`__all__` is sorted and complete, and each name in it has a docstring."""
    assert sudokucrypt.__all__ == sorted(sudokucrypt.__all__)
    for name in sudokucrypt.__all__:
        assert name == "__version__" or getattr(sudokucrypt, name).__doc__


_SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL)
_WITHOUT_SENTENCES = (
    "sudokucrypt.images.driver",
    "sudokucrypt.recipes.robust",
    "sudokucrypt.recipes.sealed",
)
"""Modules whose options do not yet get their sentences from where they are declared."""


def parse_parameters(docstring: str) -> dict[str, tuple[str, str]]:
    """Return the head and text of each parameter in a docstring in NumPy style."""
    section = _SECTION.search(docstring)
    sections = {}
    for entry in re.split(r"^(?=\S)", section[1] if section else "", flags=re.MULTILINE):
        parameter_head, _, text = entry.partition("\n")
        for name in parameter_head.partition(" : ")[0].split(","):
            sections[name.strip().lstrip("*")] = parameter_head, " ".join(text.split())
    return {name: entry for name, entry in sections.items() if name}


def show_default(value: object) -> str:
    """Return a default as docstrings write it."""
    match value:
        case type():
            return value.__name__
        case Enum():
            return f"`{type(value).__name__}.{value.name}`"
        case str():
            return f'"{value}"'
    return str(value)


def test_each_parameter_of_public_functions_has_its_sentence() -> None:
    """Docstrings of public functions describe each parameter with its default, and no others."""
    faults, count = [], 0
    for function in api.list_functions():
        if function.__module__.startswith(_WITHOUT_SENTENCES):
            continue
        count += 1
        described = parse_parameters(inspect.getdoc(function) or "")
        parameters = inspect.signature(function).parameters
        name = f"{function.__module__}.{function.__name__}"
        faults += [f"{name} has no {each}" for each in described.keys() - parameters.keys()]
        for each, parameter in parameters.items():
            head, text = described.get(each, ("", ""))
            if not text.endswith("."):
                faults.append(f"{name}: {each} has no sentence")
            elif parameter.default not in (parameter.empty, False) and not re.search(
                r"\b(default|optional)\b|same defaults", f"{head} {text}"
            ):
                faults.append(f"{name}: {each} has no default")
            elif "default " in head and f"default {show_default(parameter.default)}" not in head:
                faults.append(f"{name}: {each} has another default")
    assert not faults
    assert count > 200


@pytest.mark.parametrize("page", [page for page in PAGES if page.name.startswith("api")])
def test_api_pages_are_up_to_date(page: Path) -> None:
    """The API pages are as `python -m docs.api` writes them, without directives of Sphinx."""
    text = page.read_text(encoding="utf-8")
    assert text == api.fill_page(text), "run docs.update again"
    assert "{eval-rst}" not in text
    assert api.insert_directives(text).count("{eval-rst}") == text.count("<!-- /api -->") > 5


def test_the_page_of_the_package_is_made_from_the_readme() -> None:
    """docs/package.md is up to date, and has no relative links, which break on package indexes."""
    page = package.PAGE.read_text(encoding="utf-8")
    assert page == package.make_page(), "run docs.update again"
    assert all(target.startswith("https://") for target in re.findall(r"\]\(([^)]*)\)", page))


def test_one_command_runs_all_generators() -> None:
    """docs.update runs each module in docs that is a program."""
    programs = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "docs").rglob("*.py")
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    assert programs == {*update.GENERATORS, "docs.update"}


def test_the_manual_page_is_that_of_the_program() -> None:
    """The manual page in the wheel is as `python -m docs.manpage` writes it."""
    assert manpage.PAGE.read_text(encoding="utf-8") == manpage.make_manpage(), (
        "run docs.update again"
    )


@pytest.mark.slow
def test_figures_are_those_of_the_code(tmp_path: Path) -> None:
    """Newly drawn figures are equal to those in docs/images, up to the fonts of labels."""
    draw(tmp_path)
    assert {path.name for path in IMAGES.iterdir()} == FIGURES.keys()
    for name in FIGURES:
        paths = [folder / name for folder in (tmp_path, IMAGES)]
        if name.endswith(".png"):
            assert is_similar(*paths), name
        else:
            roots = [ET.parse(path).getroot() for path in paths]  # noqa: S314 - drawn by us
            text_sets = [{text.strip() for text in root.itertext()} for root in roots]
            assert text_sets[0] == text_sets[1], name
