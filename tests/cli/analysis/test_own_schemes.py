"""``--scheme``: functions of users beside our schemes, and what is said of misfits."""

import json
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt.analysis import ATTACKS, METRICS, Keyed, report_key
from sudokucrypt.cli.analysis.schemes import own_scheme
from sudokucrypt.images import read_picture
from tests.cli.conftest import Run
from tests.images.builders import encoded

CODE = '''
import numpy as np

def cipher(image, key):
    """Turn rows and columns by amounts from the key."""
    return np.roll(image, (key[0], key[1]), axis=(0, 1))

cipher.undo = lambda image, key: np.roll(image, (-key[0], -key[1]), axis=(0, 1))
cipher.key_bits = 16

def masked(image, key):
    return image ^ np.random.default_rng(list(key)).integers(0, 256, image.shape, np.uint8)

'''


@pytest.fixture(autouse=True)
def small(run: Run) -> str:
    """A picture of 48 x 48 pixels, and a file of schemes."""
    del run  # has made the folder
    pixels = np.add.outer(np.arange(48), np.arange(48)).astype(np.uint8)
    Path("small.png").write_bytes(encoded(pixels, "PNG"))
    Path("mine.py").write_text(CODE)
    return "small.png"


def write_result(name: str, scheme: Keyed, pixels: np.ndarray) -> str:
    """Store what a scheme makes of a picture under the key of reports."""
    Path(name).write_bytes(encoded(scheme(pixels, report_key(0)).pixels, "PNG"))
    return name


@pytest.mark.parametrize("name", ["cipher", "masked"])
def test_an_analysis_is_that_of_its_results(run: Run, name: str) -> None:
    """IN is plain: the figures are those of result, plain picture and twin as three files."""
    scheme, plain = own_scheme(f"mine.py:{name}").fixed, read_picture(Path("small.png")).pixels
    other = plain.copy()
    other[24, 24] += 1
    files = [write_result("a.png", scheme, plain), "--against", "small.png", "--twin"]
    files.append(write_result("b.png", scheme, other))
    expected = json.loads(run("analyze", *files, "--randomness", "--json").out)
    result = json.loads(
        run("analyze", "small.png", "--scheme", f"mine.py:{name}", "--randomness", "--json").out
    )
    assert result["image"].pop("name") == f"{name}(small.png)"
    assert result["twin"]["image"].pop("name") == f"{name}(twin of small.png)"
    del expected["image"]["name"], expected["twin"]["image"]["name"]
    assert result == expected


def test_an_analysis_takes_listed_schemes(run: Run) -> None:
    """The bits that are exported are those of the result."""
    done = run("analyze", "small.png", "--scheme", "scramble", "--csv", "--export-bits", "bits")
    assert done.code == 0, done.err
    plain = read_picture(Path("small.png")).pixels.tobytes()
    assert sorted(Path("bits").read_bytes()) == sorted(plain)


def test_a_security_report_takes_it_in_place_of_a_name(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All arguments are pictures then, and a function without inverse gets no word on restoring."""
    names = ["chosen-plaintext", "key-bits", "reuse"]  # other attacks take their time
    monkeypatch.setattr("sudokucrypt.analysis.security._names", lambda: names)
    for name in ("cipher", "masked"):
        done = run("security-report", "--scheme", f"mine.py:{name}", "small.png", "--keys", "5")
        assert done.code == 0, done.err
    turned, masked = (
        json.loads(Path(f"{name}-security.json").read_text(encoding="utf-8"))
        for name in ("cipher", "masked")
    )
    assert turned["key_space_bits"] == 16  # as stated, and all of them count on large pictures
    assert [data["pictures"][0]["restored_exactly"] for data in (turned, masked)] == [5, None]
    (chosen,) = (each for each in turned["attacks"] if each["attack"] == "chosen-plaintext")
    assert (chosen["outcome"], chosen["results"][0]["outcome"]) == ("broken", "broken")
    (reuse,) = (each for each in masked["attacks"] if each["attack"] == "reuse")
    assert reuse["results"][0]["outcome"] == "broken"
    assert "key_sensitivity_decrypt" not in masked["key"]
    page = Path("masked-security.html").read_text(encoding="utf-8")
    assert "come back exactly" not in page


OWN = """
from sudokucrypt.analysis.attacks import Finding, Outcome, Target, attack


def darkest(image):
    "How dark the darkest sample is. By its level."
    return float(image.min())


@attack(
    name="glance",
    title="Glance",
    summary="Look.",
    needs="one result",
    method="The attacker looks.",
    control=lambda: Target(name="nothing", oracle=lambda image: image),
)
def glance(target, picture):
    seen = target.oracle(picture)
    broken = (seen == picture).all()
    outcome = Outcome.BROKEN if broken else Outcome.NOTHING
    return Finding(
        outcome=outcome, text="rows are alike", recovered=float(broken), seen=seen, picture=seen
    )
"""


def test_metrics_and_attacks_of_users_are_used_like_ours(run: Run) -> None:
    """A plain function is a metric, a decorated one an attack; both are in the results."""
    Path("own.py").write_text(OWN)
    try:
        done = run("analyze", "small.png", "--metric", "own.py:darkest", "--json")
        assert json.loads(done.out)["measurements"]["darkest"]["value"] == 0.0
        assert METRICS["darkest"].meaning == "How dark the darkest sample is. By its level"
        done = run("attack", "glance", "small.png", "--scheme", "mine.py:cipher", "--json")
        assert [each["outcome"] for each in json.loads(done.out)["results"]] == [
            "nothing found",
            "broken",
        ]
        assert run("analyze", "small.png", "--metric", "own.py:nothing").code == 2
    finally:
        METRICS.remove("darkest")
        ATTACKS.remove("glance")
