"""Sessions: text files of commands and of what they print, read and played line by line.

sessions/README.md documents the syntax, session_steps.py the steps that make and check files.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Run
from tests.cli.session_steps import STEPS

MARKS = ("slow", "kernels")
_ANYTHING = re.compile(r"(?<!\.)\.\.\.(?!\.)")  # longer rows of dots are the empty cells of a grid
_MESSAGE = re.compile(r"(error|hint|warning|note): ")


@dataclass(frozen=True)
class Step:
    """One line of a session, and the indented lines below it."""

    number: int
    text: str
    expected: list[str] = field(default_factory=list)

    def with_values(self, values: dict[str, str]) -> "Step":
        """Return the step with the names of loops replaced by their values."""

        def filled(text: str) -> str:
            return re.sub(r"\$([A-Z]+)\b", lambda name: values.get(name[1], name[0]), text)

        return Step(self.number, filled(self.text), [filled(line) for line in self.expected])


@dataclass(frozen=True)
class Scene:
    """Steps in a fresh folder that show one law."""

    path: Path
    law: str
    steps: list[Step]
    marks: frozenset[str] = frozenset()

    def with_text(self, old: str, new: str) -> "Scene":
        """Return the scene with one text replaced by another in all of its lines."""
        steps = [
            Step(
                step.number,
                step.text.replace(old, new),
                [line.replace(old, new) for line in step.expected],
            )
            for step in self.steps
        ]
        return replace(self, steps=steps)


def read_scenes(path: Path) -> Iterator[Scene]:
    """Read a file: each scene begins with the lines before the first law, once per value."""
    opening: list[Step] = []
    blocks: list[tuple[str, list[Step]]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        steps = blocks[-1][1] if blocks else opening
        if line.startswith("  "):
            steps[-1].expected.append(line[2:])
        elif line.startswith("== "):
            blocks.append((line[3:], []))
        elif line and not line.startswith("#"):
            steps.append(Step(number, line))
    for law, steps in blocks:
        yield from _scenes(path, law, [*opening, *steps])


def _scenes(path: Path, law: str, steps: list[Step]) -> Iterator[Scene]:
    """One scene for each combination of the values of its loops."""
    loops = [step.text for step in steps if step.text.startswith("for ")]
    marks = frozenset(step.text for step in steps if step.text in MARKS)
    others = [step for step in steps if step.text not in {*loops, *marks}]
    for choices in product(*map(_choices, loops)):
        values = {name: value for choice in choices for name, value in choice.items()}
        suffix = f" ({', '.join(values.values())})" if values else ""
        yield Scene(path, law + suffix, [step.with_values(values) for step in others], marks)


def _choices(loop: str) -> list[dict[str, str]]:
    """`for A,B in x,y z,w` gives two choices of two values."""
    names, _, values = loop.removeprefix("for ").partition(" in ")
    keys = names.split(",")
    return [
        dict(zip(keys, value.split(",", len(keys) - 1), strict=True))
        for value in shlex.split(values)
    ]


@dataclass(frozen=True)
class Command:
    """A command line as it stands behind `$`, `!` or `?`."""

    environment: dict[str, str]
    arguments: list[str]
    stdin: bytes
    output: str | None
    code: int

    @classmethod
    def read(cls, text: str) -> "Command":
        """Read variables, arguments, `< FILE`, `> FILE` and `-> CODE` as a shell would."""
        line, _, code = text.partition(" -> ")
        line = re.sub(r"\$\(cat (\S+)\)", lambda name: shlex.quote(_text_of(name[1])), line)
        words = shlex.split(line)
        start = words.index("sudokucrypt")
        files: dict[str, str] = {}
        while len(words) > 2 and words[-2] in ("<", ">"):
            *words, sign, name = words
            files[sign] = name
        return cls(
            environment=dict(word.split("=", 1) for word in words[:start]),
            arguments=words[start + 1 :],
            stdin=Path(files["<"]).read_bytes() if "<" in files else b"",
            output=files.get(">"),
            code=int(code or 0),
        )


def _text_of(name: str) -> str:
    return Path(name).read_text(encoding="utf-8").rstrip("\n")


@dataclass
class Stage:
    """Plays scenes, with commands in this process or as programs of their own."""

    run: Run
    patch: pytest.MonkeyPatch
    as_program: bool = False

    def play(self, scene: Scene) -> None:
        """Take every step, and fail with file and line at the first that differs."""
        for step in scene.steps:
            line = f"{scene.path}:{step.number}: {scene.law}\n{step.text}"
            try:
                self._take(step)
            except (AssertionError, OSError) as error:
                raise pytest.fail.Exception(f"{line}\n{error}", pytrace=False) from None
            except Exception as error:
                error.add_note(line)
                raise

    def _take(self, step: Step) -> None:
        word, _, rest = step.text.partition(" ")
        if word in ("$", "!", "?"):
            self._command(word, Command.read(rest), step.expected)
        elif word == "env":
            self.patch.setenv(*rest.split("=", 1))
        elif word == "needs":
            pytest.importorskip(rest)
        elif word == "without":
            self.patch.setitem(sys.modules, rest, None)
        elif word == "program":
            self.as_program = True
        else:
            STEPS[word](*shlex.split(rest))

    def _command(self, prompt: str, command: Command, expected: list[str]) -> None:
        before = _snapshot() if prompt == "!" else {}
        with self.patch.context() as patch:
            for name, value in command.environment.items():
                patch.setenv(name, value)
            runner = _run_program if self.as_program else self.run
            done = runner(*command.arguments, stdin=command.stdin)
        if command.output:
            Path(command.output).write_bytes(done.raw)
        compare(done, expected, command)
        if prompt == "!":
            assert _snapshot() == before, "a command that fails changed the folder"


def compare(done: Result, expected: list[str], command: Command) -> None:
    """Compare exit code, messages and output with the lines of the file."""
    lines: dict[str, list[str]] = {"err": [], "out": []}
    stream = "out"
    for line in expected:
        if line != "...":
            stream = "err" if _MESSAGE.match(line) else "out"
        lines[stream].append(line)
    errors = re.sub("^sudokucrypt: ", "", done.err, flags=re.MULTILINE)
    got = f"exit code {done.code}, on stderr:\n{errors}on stdout:\n{done.out}"
    assert done.code == command.code, f"expected exit code {command.code}\n{got}"
    assert _fits(lines["err"], errors), f"expected other messages\n{got}"
    assert command.output or _fits(lines["out"], done.out), f"expected other output\n{got}"


def _fits(expected: list[str], text: str) -> bool:
    """Return whether the text has these lines, in which `...` stands for anything."""
    lines = text.removesuffix("\n").split("\n") if text else []
    ends = {0}  # how many lines may be used up; one pattern for all could take exponential time
    for line in expected:
        if line == "...":
            ends = set(range(min(ends), len(lines) + 1))
        else:
            pattern = re.compile(".*".join(map(re.escape, _ANYTHING.split(line))))
            ends = {end + 1 for end in ends if end < len(lines) and pattern.fullmatch(lines[end])}
        if not ends:
            return False
    return len(lines) in ends


def _snapshot() -> dict[Path, tuple[int, ...]]:
    """Return what changes when any file is made, written or removed."""
    status = {path: path.lstat() for path in Path().rglob("*")}
    return {
        path: (each.st_ino, each.st_mode, each.st_size, each.st_mtime_ns * (not path.is_dir()))
        for path, each in status.items()
    }


def _run_program(*arguments: str | Path, stdin: bytes = b"", terminal: bool = False) -> Result:
    """Run the command as its users do."""
    del terminal
    done = subprocess.run(
        [sys.executable, "-m", "sudokucrypt", *arguments],
        env={**os.environ, "COLUMNS": "80"},
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    out = done.stdout.decode("utf-8", "replace")
    return Result(done.returncode, out, done.stderr.decode(), done.stdout)
