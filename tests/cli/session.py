"""Play sessions: text files with commands and their expected output.

sessions/README.md documents the syntax, session_steps.py the steps that make and check files.
"""

import difflib
import os
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Run
from tests.cli.session_steps import STEPS

MARKS = ("slow", "kernels")
# Three dots, which stand for any text; longer rows of dots are the empty cells of a grid.
_ANYTHING = re.compile(r"(?<!\.)\.\.\.(?!\.)")
_MESSAGE = re.compile(r"(error|hint|warning|note): ")


@dataclass(frozen=True)
class Step:
    """A line of a session that does something, and the expected output below it."""

    number: int
    text: str
    expected: list[str] = field(default_factory=list)

    def with_values(self, values: dict[str, str]) -> "Step":
        """Return a copy of the step in which variables of loops have these values."""

        def fill(text: str) -> str:
            return re.sub(r"\$([A-Z]+)\b", lambda name: values.get(name[1], name[0]), text)

        return Step(self.number, fill(self.text), [fill(line) for line in self.expected])


@dataclass(frozen=True)
class Scene:
    """Steps that are played in an empty folder, to show one rule of the program."""

    path: Path
    rule: str
    steps: list[Step]
    marks: frozenset[str] = frozenset()
    loops: bool = False

    def with_text(self, old_text: str, new_text: str) -> "Scene":
        """Return a copy of the scene in which all lines have one text replaced by another."""
        steps = [
            Step(
                step.number,
                step.text.replace(old_text, new_text),
                [line.replace(old_text, new_text) for line in step.expected],
            )
            for step in self.steps
        ]
        return replace(self, steps=steps)


def read_scenes(path: Path) -> Iterator[Scene]:
    """Read the scenes of a file; the lines before the first rule are the start of each scene."""
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
    for rule, steps in blocks:
        yield from _make_scenes(path, rule, [*opening, *steps])


def _make_scenes(path: Path, rule: str, steps: list[Step]) -> Iterator[Scene]:
    """Return a scene for each combination of the values of its loops."""
    loops = [step.text for step in steps if step.text.startswith("for ")]
    marks = frozenset(step.text for step in steps if step.text in MARKS)
    other_steps = [step for step in steps if step.text not in {*loops, *marks}]
    for combination in product(*map(_list_choices, loops)):
        values = {name: value for assignment in combination for name, value in assignment.items()}
        suffix = f" ({', '.join(values.values())})" if values else ""
        yield Scene(
            path,
            rule + suffix,
            [step.with_values(values) for step in other_steps],
            marks,
            bool(loops),
        )


def _list_choices(loop_line: str) -> list[dict[str, str]]:
    """Return the values of variables for each pass of a loop, such as `for A,B in x,y z,w`."""
    names, _, values = loop_line.removeprefix("for ").partition(" in ")
    variables = names.split(",")
    return [
        dict(zip(variables, value.split(",", len(variables) - 1), strict=True))
        for value in shlex.split(values)
    ]


@dataclass(frozen=True)
class Command:
    """A command line, which follows `$`, `!` or `?` in a session."""

    environment: dict[str, str]
    arguments: list[str]
    stdin: bytes
    output: str | None
    code: int

    @classmethod
    def read(cls, text: str) -> "Command":
        """Parse variables, arguments, `< FILE`, `> FILE` and `-> CODE` like a shell."""
        line, _, exit_code = text.partition(" -> ")
        line = re.sub(r"\$\(cat (\S+)\)", lambda name: shlex.quote(_read_text(name[1])), line)
        command_words = shlex.split(line)
        name_index = command_words.index("sudokucrypt")
        files: dict[str, str] = {}
        while len(command_words) > 2 and command_words[-2] in ("<", ">"):
            *command_words, redirection, name = command_words
            files[redirection] = name
        return cls(
            environment=dict(word.split("=", 1) for word in command_words[:name_index]),
            arguments=command_words[name_index + 1 :],
            stdin=Path(files["<"]).read_bytes() if "<" in files else b"",
            output=files.get(">"),
            code=int(exit_code or 0),
        )


def _read_text(name: str) -> str:
    return Path(name).read_text(encoding="utf-8").rstrip("\n")


@dataclass
class Updates:
    """The actual output of each step whose expected output differs, for `--update`."""

    changes: dict[Path, dict[int, tuple[Step, list[str]]]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def note(self, scene: Scene, step: Step, command: "Command", result: Result) -> None:
        """Store the new lines of a step: expected lines that still fit, and the actual output."""
        expected = _split_streams(step.expected)
        printed_texts = {"err": _remove_program_name(result.err), "out": result.out}
        streams = dict.fromkeys([*expected, *printed_texts])
        lines = [
            line
            for stream in streams
            if stream == "err" or not command.output
            for line in _update_lines(expected.get(stream, []), _split_lines(printed_texts[stream]))
        ]
        code_suffix = f" -> {result.code}" if result.code else ""
        text = re.sub(r"( -> \d+)?$", code_suffix, step.text, count=1)
        self.changes[scene.path][step.number] = step, [text, *(f"  {line}" for line in lines)]

    def write(self) -> None:
        """Write the changed files, last steps first, so that line numbers stay valid."""
        for path, changes in self.changes.items():
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, (step, new_lines) in sorted(changes.items(), reverse=True):
                lines[number - 1 : number + len(step.expected)] = new_lines
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@dataclass
class Stage:
    """A player of scenes, which runs commands in this process or as programs."""

    run: Run
    patch: pytest.MonkeyPatch
    updates: Updates | None = None
    as_program: bool = False

    def play(self, scene: Scene) -> None:
        """Do every step, and fail with file and line number at the first wrong one."""
        for step in scene.steps:
            line = f"{scene.path}:{step.number}: {scene.rule}\n{step.text}"
            try:
                self._do_step(step, scene)
            except (AssertionError, OSError) as error:
                raise pytest.fail.Exception(f"{line}\n{error}", pytrace=False) from None
            except Exception as error:
                error.add_note(line)
                raise

    def _do_step(self, step: Step, scene: Scene) -> None:
        step_name, _, arguments = step.text.partition(" ")
        if step_name in ("$", "!", "?"):
            self._run_command(step_name, Command.read(arguments), step, scene)
        elif step_name == "env":
            self.patch.setenv(*arguments.split("=", 1))
        elif step_name == "needs":
            pytest.importorskip(arguments)
        elif step_name == "without":
            self.patch.setitem(sys.modules, arguments, None)
        elif step_name == "program":
            self.as_program = True
        else:
            STEPS[step_name](*shlex.split(arguments))

    def _run_command(self, prompt: str, command: Command, step: Step, scene: Scene) -> None:
        old_snapshot = _take_snapshot() if prompt == "!" else {}
        with self.patch.context() as patch:
            for name, value in command.environment.items():
                patch.setenv(name, value)
            if self.as_program:
                result = _run_program(command)
            else:
                result = self.run("", *command.arguments, stdin=command.stdin, code=None)
        if command.output:
            Path(command.output).write_bytes(result.out_bytes)
        try:
            compare(result, step.expected, command)
        except AssertionError:
            # A step in a loop has several outputs, so that it cannot be updated.
            if self.updates is None or scene.loops:
                raise
            self.updates.note(scene, step, command, result)
        if prompt == "!":
            assert _take_snapshot() == old_snapshot, "a command that fails changed the folder"


def compare(result: Result, expected: list[str], command: Command) -> None:
    """Compare exit code, messages and output with the expected lines, and show differences."""
    lines, errors = _split_streams(expected), _remove_program_name(result.err)
    code_error = f"exit code {result.code} in place of {command.code}\n" * (
        result.code != command.code
    )
    differences = [
        "\n".join(
            difflib.unified_diff(lines[stream], _split_lines(text), name, "printed", "", "", 2, "")
        )
        for stream, text, name in (("err", errors, "messages"), ("out", result.out, "output"))
        if not _is_fitting(lines[stream], text) and not (stream == "out" and command.output)
    ]
    assert not code_error, f"{code_error}{errors}{result.out}"
    assert not differences, "\n".join(differences)


def _split_streams(expected: list[str]) -> dict[str, list[str]]:
    """Split the expected lines by stream: stderr and stdout, in any order."""
    lines: dict[str, list[str]] = {}
    stream = "out"
    for line in expected:
        if line != "...":
            stream = "err" if _MESSAGE.match(line) else "out"
        lines.setdefault(stream, []).append(line)
    return {**lines, **{name: [] for name in ("err", "out") if name not in lines}}


def _remove_program_name(errors: str) -> str:
    """Remove the name of the program from messages."""
    return re.sub("^sudokucrypt: ", "", errors, flags=re.MULTILINE)


def _split_lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _update_lines(expected_lines: list[str], actual_lines: list[str]) -> list[str]:
    """Return the actual lines, but keep expected lines that fit them or stand for several."""
    if _is_fitting(expected_lines, "\n".join(actual_lines)):
        return expected_lines
    shown_lines = [line for line in expected_lines if line != "..."]
    fitting_lines = [
        next((line for line in shown_lines if _is_fitting([line], line_now)), line_now)
        for line_now in actual_lines
    ]
    result: list[str] = []
    for operation, old_start, old_end, new_start, new_end in difflib.SequenceMatcher(
        None, expected_lines, fitting_lines, autojunk=False
    ).get_opcodes():
        left_out = operation != "equal" and "..." in expected_lines[old_start:old_end]
        result += ["..."] if left_out else fitting_lines[new_start:new_end]
    return result


def _is_fitting(expected: list[str], text: str) -> bool:
    """Return whether a text consists of these lines, in which `...` stands for any text."""
    lines = _split_lines(text)
    counts = {0}  # how many lines may be used up; one pattern for all could take exponential time
    for line in expected:
        if line == "...":
            counts = set(range(min(counts), len(lines) + 1))
        else:
            pattern = re.compile(".*".join(map(re.escape, _ANYTHING.split(line))))
            counts = {
                count + 1
                for count in counts
                if count < len(lines) and pattern.fullmatch(lines[count])
            }
        if not counts:
            return False
    return len(lines) in counts


def _take_snapshot() -> dict[Path, tuple[int, ...]]:
    """Return the state of all files, to detect any that is made, written or removed."""
    status = {path: path.lstat() for path in Path().rglob("*")}
    return {
        path: (
            path_status.st_ino,
            path_status.st_mode,
            path_status.st_size,
            path_status.st_mtime_ns * (not path.is_dir()),
        )
        for path, path_status in status.items()
    }


def _run_program(command: Command) -> Result:
    """Run a command as a program of its own."""
    result = subprocess.run(
        [sys.executable, "-m", "sudokucrypt", *command.arguments],
        env={**os.environ, "COLUMNS": "80"},
        input=command.stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    out = result.stdout.decode("utf-8", "replace")
    return Result(result.returncode, out, result.stderr.decode(), result.stdout)
