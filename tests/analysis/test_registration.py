"""Test that registered metrics, attacks and schemes of other packages are in all reports."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from sudokucrypt.analysis import ATTACKS, BASELINES, METRICS, Measurement, Metric
from sudokucrypt.analysis.attacks import Attack, AttackOption, Finding, Outcome, Target
from sudokucrypt.analysis.schemes import scheme_from_function
from sudokucrypt.cli.program import cli
from sudokucrypt.typing import AnyArray


def measure_brightest(image: AnyArray, *, levels: int, level: float) -> Measurement:
    """Return the share of samples of the highest level."""
    share = float(np.mean(image == levels - 1))
    return Measurement(name="brightest", value=share, expected=1 / levels, upper=0.1, level=level)


def mirror_by_key(image: AnyArray, key: bytes) -> AnyArray:
    """Mirror the picture if the key is odd."""
    return image[::-1] if key[0] & 1 else image


def compare_brightness(target: Target, plain: AnyArray, *, share: int) -> Finding:
    """Attack a scheme by comparing the brightness of rows before and after."""
    result = target.oracle(plain)
    similarity = float(np.mean(plain.mean(axis=1) == result.mean(axis=1)))
    outcome = Outcome.LEAKS if similarity >= share / 100 else Outcome.NOTHING
    outcome = Outcome.BROKEN if np.array_equal(plain, result) else outcome
    return Finding(
        outcome=outcome,
        text=f"{similarity:.2f} of the rows are as bright as before",
        queries=1,
        recovered=similarity,
        seen=result,
        picture=result,
        details={"rows_alike": similarity},
    )


METRIC = Metric(
    name="brightest",
    group="brightness",
    needs="image",
    measure=measure_brightest,
    meaning="share of samples of the highest level",
    column="brightest samples",
)
SCHEME = scheme_from_function(mirror_by_key, name="mirror")
ATTACK = Attack(
    name="brightness",
    title="Brightness of rows",
    summary="Compare rows before and after.",
    needs="one image and its result",
    method="The attacker looks at rows.",
    run=compare_brightness,
    control=lambda **_: Target(name="identity", oracle=lambda image: image),
    options=(
        AttackOption(
            name="share", metavar="P", default=50, least=1, most=100, text="Rows of a hundred."
        ),
    ),
    details={"rows_alike": "the share of rows that are as bright as before"},
)


@pytest.fixture(autouse=True)
def register_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register metric, scheme and attack, and save a picture for them."""
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(4).integers(0, 256, (48, 1))
    pixels = np.broadcast_to(rows, (48, 48)).astype(np.uint8).copy()
    pixels[1:, 1:] = pixels[1:, :0:-1]
    Image.fromarray(pixels).save("p.png")
    registrations: tuple[tuple[Any, Any], ...] = (
        (METRICS, METRIC),
        (BASELINES, SCHEME),
        (ATTACKS, ATTACK),
    )
    for registry, item in registrations:
        registry.register(item)
    yield
    for registry, item in registrations:
        registry.remove(item.name)


def run_command(*arguments: str) -> str:
    """Run a command, and return its standard output."""
    command_result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert command_result.exit_code == 0, command_result.stderr
    return command_result.stdout


def test_a_metric_is_measured_everywhere() -> None:
    """A registered metric is in the list, in reports of images, and a column of comparisons."""
    assert "share of samples of the highest level" in run_command("analyze", "--list-metrics")
    assert "## Brightness" in run_command("analyze", "p.png", "--markdown")
    data = json.loads(run_command("analyze", "p.png", "--json"))
    assert data["measurements"]["brightest"]["expected"] == 1 / 256
    arguments = ("compare", "p.png", "--schemes", "uniform", "--repeats", "1")
    assert "| brightest samples |" in run_command(*arguments, "--markdown")
    assert "brightest" in run_command(*arguments, "--csv").splitlines()[0].split(",")


def test_a_scheme_is_compared_and_attacked() -> None:
    """A registered scheme is listed, compared by default, and attacked by name."""
    assert "not stated" in run_command("compare", "--list-schemes")
    data = json.loads(run_command("compare", "p.png", "--repeats", "1", "--json"))
    (scheme,) = (each for each in data["schemes"] if each["name"] == "mirror")
    assert (scheme["moves_only"], scheme["key_bits"]) == (True, None)
    data = json.loads(run_command("attack", "row-column", "p.png", "--schemes", "mirror", "--json"))
    assert data["results"][0]["outcome"] == "broken"


def test_an_attack_has_its_command() -> None:
    """A registered attack has a command with its option, help and outcomes."""
    assert "Compare rows before and after." in run_command("attack", "--help")
    assert "Rows of a hundred.  [default: 50;" in run_command("attack", "brightness", "--help")
    arguments = ("attack", "brightness", "p.png", "--schemes", "row-column,uniform")
    outcomes = {}
    for share in ("1", "100"):
        results: list[dict[str, Any]] = json.loads(
            run_command(*arguments, "--share", share, "--json")
        )["results"]
        outcomes[share] = [result["outcome"] for result in results]
        assert set(results[0]["details"]) == {"rows_alike"}
    assert outcomes["100"] == ["nothing found", "nothing found", "broken"]
    assert outcomes["1"][0] == "leaks"
    assert "It finds something in row-column" in run_command(*arguments, "--share", "1")


def test_metrics_and_attacks_have_their_places_in_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """A security report measures the registered metric under each key, and runs the attack."""
    names = "sudokucrypt.analysis.security._list_attack_names"  # other attacks take their time
    monkeypatch.setattr(names, lambda: ["brightness"])
    run_command("security-report", "mirror", "p.png", "--keys", "5")
    data = json.loads(Path("mirror-security.json").read_text(encoding="utf-8"))
    (brightness,) = (each for each in data["attacks"] if each["attack"] == "brightness")
    assert brightness["control_broken"] is True
    assert data["pictures"][0]["figures"]["brightest"]["measured"] == 5
    page = Path("mirror-security.html").read_text(encoding="utf-8")
    assert "Does it withstand brightness of rows, without salt?" in page


def test_a_file_may_define_a_measured_scheme() -> None:
    """A file may define a `MeasuredScheme` instead of a function."""
    Path("mine.py").write_text(
        "from sudokucrypt.analysis import SchemeResult, MeasuredScheme\n"
        "ready = MeasuredScheme(\n"
        "    name='ready', fixed=lambda image, key: SchemeResult(image), limits='none'\n)\n"
    )
    command_result = run_command("attack", "reuse", "p.png", "--scheme", "mine.py:ready", "--json")
    assert [each["scheme"] for each in json.loads(command_result)["results"]] == [
        "ready",
        "one mask",
    ]
