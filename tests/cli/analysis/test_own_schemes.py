"""``--scheme``: functions of users beside our schemes, and what is said of misfits."""

import json
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt.analysis import Keyed, report_key
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

def uniform(image, key):
    return image

def squares(image, key):
    raise ValueError("squares only")

five = 5

class Box:
    cipher = staticmethod(cipher)
'''


@pytest.fixture(autouse=True)
def small(run: Run) -> str:
    """A picture of 48 x 48 pixels, and a file of schemes."""
    del run  # has made the folder
    pixels = np.add.outer(np.arange(48), np.arange(48)).astype(np.uint8)
    Path("small.png").write_bytes(encoded(pixels, "PNG"))
    Path("mine.py").write_text(CODE)
    return "small.png"


@pytest.mark.parametrize("place", ["mine.py:cipher", "./mine.py:Box.cipher"])
def test_an_attack_takes_it_alone(run: Run, place: str) -> None:
    """By a name in a file, or one inside of that; the control comes last, and none of ours."""
    done = run("attack", "chosen-plaintext", "small.png", "--scheme", place, "--json")
    results = json.loads(done.out)["results"]
    outcomes = [(each["scheme"], each["outcome"]) for each in results]
    assert outcomes == [("cipher", "broken"), ("uniform", "broken")]


def test_a_comparison_sets_it_beside_others(run: Run) -> None:
    """It says what it changes, what it is, and whether pictures come back."""
    names = ("cipher", "masked", "squares")
    own = tuple(word for name in names for word in ("--scheme", f"mine.py:{name}"))
    done = run("compare", "small.png", *own, "--schemes", "uniform", "--repeats", "1", "--json")
    data = json.loads(done.out)
    assert [each["name"] for each in data["schemes"]] == [*names, "uniform"]
    assert [each["moves_only"] for each in data["schemes"]] == [True, False, False, True]
    assert [each["key_bits"] for each in data["schemes"]] == [16, 256, 256, 256]
    assert data["schemes"][0]["limits"] == "Turn rows and columns by amounts from the key"
    assert [each["restored_exactly"] for each in data["results"]] == [True, None, None, True]
    assert data["results"][2]["refusal"] == "'squares' failed: ValueError: squares only"
    why = "'squares' failed: ValueError: squares only"
    for command, said in (
        ("compare", f"squares: no figures: {why}."),
        ("robustness", f"Not measured: squares ({why})."),
    ):
        done = run(command, "small.png", "--scheme", "mine.py:squares", "--schemes", "uniform")
        assert said in " ".join(done.out.split())


def written(name: str, way: Keyed, pixels: np.ndarray) -> str:
    """Store what a scheme makes of a picture under the key of reports."""
    Path(name).write_bytes(encoded(way(pixels, report_key(0)).pixels, "PNG"))
    return name


@pytest.mark.parametrize("name", ["cipher", "masked"])
def test_an_analysis_is_that_of_its_results(run: Run, name: str) -> None:
    """IN is plain: the figures are those of result, plain picture and twin as three files."""
    way, plain = own_scheme(f"mine.py:{name}").fixed, read_picture(Path("small.png")).pixels
    other = plain.copy()
    other[24, 24] += 1
    files = (written("a.png", way, plain), "--against", "small.png",
             "--twin", written("b.png", way, other))  # fmt: skip
    expected = json.loads(run("analyze", *files, "--randomness", "--json").out)
    found = json.loads(
        run("analyze", "small.png", "--scheme", f"mine.py:{name}", "--randomness", "--json").out
    )
    assert found["image"].pop("name") == f"{name}(small.png)"
    assert found["twin"]["image"].pop("name") == f"{name}(twin of small.png)"
    del expected["image"]["name"], expected["twin"]["image"]["name"]
    assert found == expected


def test_an_analysis_takes_listed_schemes(run: Run) -> None:
    """Without salt, so that the results for both pictures can be compared; the bits are theirs."""
    arguments = ("--scheme", "scramble", "--csv", "--export-bits", "bits")
    done = run("analyze", "small.png", *arguments)
    assert done.code == 0, done.err
    bits = Path("bits").read_bytes()
    assert sorted(bits) == sorted(read_picture(Path("small.png")).pixels.tobytes())
    assert run("analyze", "small.png", *arguments, "--force").out == done.out
    assert Path("bits").read_bytes() == bits


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["mine.py:cipher", "--against", "small.png"], 2, "--against"),
        (["mine.py:cipher", "--twin", "small.png"], 2, "--twin"),
        (["mine.py:nothing"], 2, "nothing"),
        (["mine.py:squares"], 4, "'squares' failed: ValueError: squares only"),
    ],
)
def test_what_an_analysis_does_not_take(
    run: Run, options: list[str], code: int, words: str
) -> None:
    """Pictures that the scheme makes itself, and schemes that are none or refuse the picture."""
    done = run("analyze", "small.png", "--scheme", *options)
    assert (done.code, done.out) == (code, "")
    assert words in done.err


@pytest.mark.slow
def test_a_security_report_takes_it_in_place_of_a_name(run: Run) -> None:
    """All arguments are pictures then, and a function without inverse gets no word on restoring."""
    for name in ("cipher", "masked"):
        done = run("security-report", "--scheme", f"mine.py:{name}", "small.png", "--keys", "5")
        assert done.code == 0, done.err
    turned, masked = (
        json.loads(Path(f"{name}-security.json").read_text(encoding="utf-8"))
        for name in ("cipher", "masked")
    )
    assert turned["key_space_bits"] == 16
    assert [data["pictures"][0]["restored_exactly"] for data in (turned, masked)] == [5, None]
    (chosen,) = (each for each in turned["attacks"] if each["attack"] == "chosen-plaintext")
    assert (chosen["outcome"], chosen["results"][0]["outcome"]) == ("broken", "broken")
    (reuse,) = (each for each in masked["attacks"] if each["attack"] == "reuse")
    assert reuse["results"][0]["outcome"] == "broken"
    assert "key_sensitivity_decrypt" not in masked["key"]
    page = Path("masked-security.html").read_text(encoding="utf-8")
    assert "come back exactly" not in page
    assert run("security-report").code == 2


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("mine.py", "names no object"),
        ("mine.py:nothing", "nothing"),
        ("other.py:cipher", "'other.py'"),
        ("other:cipher", "'other'"),
        ("mine.py:five", "of type int, not a function"),
        ("mine.py:uniform", "two schemes 'uniform'"),
        ("broken.py:cipher", "SyntaxError"),
        ("needy.py:cipher", "nowhere"),
    ],
)
def test_what_does_not_fit_is_a_usage_error(run: Run, place: str, words: str) -> None:
    """What is wrong, and what is expected; no traceback."""
    Path("broken.py").write_text("def cipher(:")
    Path("needy.py").write_text("import nowhere")
    done = run("compare", "small.png", "--scheme", place, "--schemes", "uniform")
    assert done.code == 2
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_new_scheme(run: Run) -> None:
    """The file that --new-scheme writes is measured as it stands, and is never replaced."""
    done = run("analyze", "--new-scheme", "my scheme.py")
    assert (done.code, done.out) == (0, "")
    assert "--scheme 'my scheme.py':cipher" in Path("my scheme.py").read_text()
    assert run("analyze", "--new-scheme", "my scheme.py").code == 6
    done = run("compare", "small.png", "--scheme", "my scheme.py:cipher", "--schemes", "uniform",
               "--sizes", "16,24", "--json")  # fmt: skip
    data = json.loads(done.out)
    assert [each["restored_exactly"] for each in data["results"]] == [True, True]
    assert [(each["scheme"], each["side"]) for each in data["speed"]] == [
        ("cipher", 16), ("cipher", 24), ("uniform", 16), ("uniform", 24),
    ]  # fmt: skip


@pytest.mark.parametrize("sides", ["", "0", "16,", "a", "99999"])
def test_sizes_that_are_none(run: Run, sides: str) -> None:
    """--sizes takes sides of at least a pixel, or nothing."""
    done = run("compare", "small.png", "--schemes", "uniform", "--sizes", sides)
    assert done.code == (0 if not sides else 2)


def test_a_table_for_a_paper(run: Run) -> None:
    """--latex prints the tables of the comparison."""
    done = run("compare", "small.png", "--schemes", "uniform,encrypt", "--latex")
    assert done.code == 0
    assert done.out.count(r"\begin{tabular}") == done.out.count(r"\end{tabular}") > 1
    assert r"\toprule" in done.out
    assert run("compare", "small.png", "--latex", "--csv").code == 2
