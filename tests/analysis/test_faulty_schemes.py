"""Test that a faulty foreign scheme is one row of a report, under every command.

`FAULTS` has the faults of schemes and the reason that rows give, and `VERBS` the commands.
"""

import ctypes
import faulthandler
import json
import os
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from sudokucrypt.analysis import MeasuredScheme, SchemeResult
from sudokucrypt.cli.program import cli
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray


class OddError(BaseException):
    """An error that is no `Exception`."""


def fail(error: BaseException) -> Any:
    raise error


def hang(image: AnyArray) -> AnyArray:
    while True:
        with suppress(BaseException):
            time.sleep(1)
    return image


def fork_and_stay(image: AnyArray) -> AnyArray:
    if not os.fork():
        time.sleep(1000)
    return image


def write_everywhere(image: AnyArray) -> AnyArray:
    sys.stdout.write("one\n")
    os.write(1, b"two\n")
    os.system("echo three")  # noqa: S605 - as a scheme may do
    return image


def close_streams(image: AnyArray) -> AnyArray:
    os.closerange(0, 3)
    return image


def crash(image: AnyArray) -> AnyArray:
    faulthandler.disable()
    ctypes.string_at(0)
    return image


FAULTS: dict[str, tuple[Callable[[AnyArray], Any], str]] = {
    "raises": (lambda _: fail(ValueError("no")), "failed: ValueError: no"),
    "lacks-memory": (lambda _: np.ones(1 << 45), "failed: .*MemoryError"),
    "raises-an-odd-one": (lambda _: fail(OddError("odd")), "failed: OddError: odd"),
    "interrupts": (lambda _: fail(KeyboardInterrupt()), "failed: KeyboardInterrupt"),
    "exits": (lambda _: sys.exit(3), "failed: SystemExit: 3"),
    "leaves": (lambda _: os._exit(4), "failed: SystemExit: 4"),
    "asks": (lambda _: input("? "), "failed: EOFError"),
    "hangs": (hang, r"stopped after 0\.3 seconds"),
    "crashes": (crash, "the process was ended by signal 11"),
    "returns-none": (lambda _: None, r"of shape \(\) and dtype object"),
    "returns-text": (lambda _: "text", r"of shape \(\) and dtype <U4"),
    "returns-fractions": (
        lambda image: image / 2,
        "returned an array of shape .* and dtype float64",
    ),
    "returns-complex-ones": (
        lambda image: image * 1j,
        "returned an array of shape .* and dtype complex128",
    ),
    "returns-a-line": (lambda image: image.ravel(), r"of shape \(1024,\)"),
    "returns-more": (lambda image: np.concatenate([image, image]), r"of shape \(64, 32\)"),
    "returns-objects": (
        lambda image: image.astype(object),
        "returned an array of shape .* and dtype object",
    ),
    "returns-ragged-lists": (lambda _: [[1], [1, 2]], "failed: ValueError"),
    "returns-a-generator": (iter, r"of shape \(\) and dtype object"),
    "writes": (write_everywhere, ""),
    "forks": (lambda image: [image, os.fork()][0], ""),
    "leaves-a-process": (fork_and_stay, ""),
    "closes-streams": (close_streams, ""),
}

VERBS = {
    "attack": "attack reuse p.png",
    "analyze": "analyze p.png",
    "compare": "compare p.png --schemes uniform --robustness --sizes 16",
    "robustness": "robustness p.png --schemes uniform --disturbances crop",
    "security-report": "security-report p.png --quick",
}


@pytest.fixture
def run_verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Return a function that runs a command on a scheme."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "sudokucrypt.analysis.security._list_attack_names", lambda: ["visible", "reuse"]
    )
    monkeypatch.setitem(sys.modules, "held_scheme", holder := ModuleType("held_scheme"))
    pixels = np.random.default_rng(5).integers(0, 256, (32, 32), dtype=np.uint8)
    Image.fromarray(pixels).save("p.png")

    def run(verb: str, scheme: object, timeout: float = 60) -> Result:
        holder.__dict__["scheme"] = scheme
        options = ["--scheme", "held_scheme:scheme", "--timeout", str(timeout), "--json"]
        return CliRunner().invoke(cli, [*VERBS[verb].split(), *options])

    return run


DAILY_FAULTS = {"raises", "leaves", "hangs", "crashes", "returns-a-line", "writes"}
"""One fault of each kind. All verbs meet them every day, and `attack` meets every fault."""


@pytest.mark.parametrize(
    ("fault", "verb"),
    [
        pytest.param(
            fault,
            verb,
            marks=() if verb == "attack" or fault in DAILY_FAULTS else pytest.mark.nightly,
        )
        for fault, verb in product(FAULTS, VERBS)
    ],
)
def test_each_verb_ends_with_all_rows(
    run_verb: Callable[..., Result], capfd: pytest.CaptureFixture[str], fault: str, verb: str
) -> None:
    """A command ends with a row that names the fault; `analyze` fails with this error."""
    function, reason = FAULTS[fault]
    timeout = 0.3 if function is hang else 60
    command_result = run_verb(verb, lambda image, _: function(image), timeout)
    if verb == "analyze" and reason:
        assert isinstance(command_result.exception, SudokucryptError)
        assert re.search(reason, str(command_result.exception))
        assert command_result.stdout == ""
    else:
        assert command_result.exit_code == 0
        assert json.loads(command_result.stdout)
        assert re.search(reason, command_result.stdout)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("verb", VERBS)
def test_a_measured_scheme_whose_inverse_crashes_is_a_row(
    run_verb: Callable[..., Result], verb: str
) -> None:
    """A `MeasuredScheme` of a module whose inverse crashes is a row, too."""
    scheme = MeasuredScheme(
        name="own", fixed=lambda image, _: SchemeResult(image, lambda *_: crash(image)), limits=""
    )
    command_result = run_verb(verb, scheme)
    assert command_result.exit_code == 0
    assert ("the process was ended by signal 11" in command_result.stdout) is (
        verb not in {"analyze", "attack"}
    )
