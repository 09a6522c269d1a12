"""``compare``, ``attack`` and ``security-report`` on our own schemes."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.analysis import ATTACKS, DISTURBANCES, METRICS, Keyed, report_key
from sudokucrypt.ciphers import (
    SCHEMES,
    KeyStreamMask,
    Permutation,
    Pipeline,
    TaggedScheme,
    register_scheme,
)
from sudokucrypt.cli.analysis.schemes import load_scheme, load_schemes
from sudokucrypt.errors import DecryptionError
from sudokucrypt.images import read_picture
from tests.cli.conftest import Run
from tests.images.builders import encode_array

OWN_SCHEMES = [
    "scramble",
    "scramble-sample",
    "scramble-block",
    "scramble-context",
    "scramble-context-block",
    "encrypt",
]
KEY, OTHER = bytes(32), bytes(31) + b"\1"


@pytest.fixture
def small_photo(run: Run) -> str:
    """Replace the photo by one of 64 x 64 pixels."""
    del run  # has made the folder
    pixels = np.ascontiguousarray(read_picture(Path("photo.png")).pixels[::4, ::4])
    Path("small-photo.png").write_bytes(encode_array(pixels, "PNG"))
    return "small-photo.png"


@pytest.mark.parametrize("name", OWN_SCHEMES)
def test_our_schemes_are_what_they_say(name: str) -> None:
    """Without salt results are equal, with fresh salts they differ, and both are restored.

    A wrong key or a changed pixel is an error, except under a context, which does not detect it.
    """
    scheme = load_schemes()[name]
    image = np.random.default_rng(5).integers(0, 256, (48, 32, 3), dtype=np.uint8)
    result = scheme.fixed(image, KEY)
    assert np.array_equal(result.pixels, scheme.fixed(image, KEY).pixels)
    assert not np.array_equal(result.pixels, scheme.fixed(image, OTHER).pixels)
    assert result.undo is not None
    assert np.array_equal(result.undo(KEY), image)
    only_moves = np.array_equal(np.sort(result.pixels, axis=None), np.sort(image, axis=None))
    assert only_moves is scheme.moves_only
    if scheme.fresh is None:
        assert name.startswith("scramble-context")
        assert not np.array_equal(result.undo(OTHER), image)
        assert (
            np.count_nonzero(
                result.undo(KEY, result.pixels ^ np.eye(48, 32, dtype=np.uint8)[..., None]) != image
            )
            == 96
        )
        return
    fresh_result = scheme.fresh(image, KEY)
    assert not np.array_equal(fresh_result.pixels, scheme.fresh(image, KEY).pixels)
    assert fresh_result.undo is not None
    assert np.array_equal(fresh_result.undo(KEY), image)
    with pytest.raises(DecryptionError):
        fresh_result.undo(OTHER)
    with pytest.raises(DecryptionError):
        fresh_result.undo(KEY, fresh_result.pixels ^ 1)


def test_registered_ciphers_are_schemes(run: Run, small_photo: str) -> None:
    """Registered ciphers are listed as schemes, by their name without version if it is free."""
    mask_cipher = Pipeline((KeyStreamMask(use="toy"),))
    toy_ciphers = [
        TaggedScheme("toy-v1", lambda _: mask_cipher, encrypts=True, key_bits=7),
        TaggedScheme("mask-v2", lambda _: mask_cipher, limits="no secret"),
        TaggedScheme("uniform-v1", lambda header: Pipeline((Permutation(header.unit, None, 2),))),
    ]
    names = ("toy", "mask-v2", "uniform-v1")
    for toy_cipher in toy_ciphers:
        register_scheme(toy_cipher)
    try:
        arguments = (small_photo, "--schemes", ",".join(names), "--repeats", "1", "--json")
        data = json.loads(run("compare", *arguments).out)
    finally:
        for toy_cipher in toy_ciphers:
            SCHEMES.remove(toy_cipher.name)
    described_schemes = [
        (record["key_bits"], record["moves_only"], record["limits"]) for record in data["schemes"]
    ]
    limits = "a cipher from outside"
    assert described_schemes == [(7, False, limits), (256, False, "no secret"), (256, True, limits)]
    assert [record["restored_exactly"] for record in data["results"]] == [True] * 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["analyze", "--scheme", "encrypt", "-o", "page.html"],
        ["compare", "--schemes", "encrypt,uniform", "-o", "page.html"],
        ["attack", "affine", "--schemes", "encrypt", "-o", "page.html"],
        ["robustness", "--schemes", "encrypt,scramble-context", "-o", "page.html"],
        ["security-report", "--scheme", "encrypt", "--keys", "5"],
    ],
)
def test_results_may_need_more_levels(run: Run, command: list[str]) -> None:
    """All commands measure and draw a scheme whose results have more levels than the image."""
    shades = Image.fromarray(np.arange(1024, dtype=np.uint8).reshape(32, 32) % 4, "P")
    shades.putpalette([0, 0, 0, 99, 99, 99, 200, 200, 200, 255, 255, 255])
    shades.save("shades.png", bits=2)
    name, *options = command
    words = [options.pop(0)] if name == "attack" else []
    run(name, *words, "shades.png", *options)
    (page,) = Path().glob("*.html")
    assert page.read_text(encoding="utf-8").count("<img") >= 2


def test_a_security_report_on_a_scheme_to_compare_with(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The security report on a baseline says what breaks it; its files have the scheme's name."""
    page = "sudokucrypt.cli.analysis.files.to_html"  # pages are drawn in the full run
    monkeypatch.setattr(page, lambda report, **_: report.lead)
    dots = np.arange(64, dtype=np.uint8).reshape(8, 8)
    Path("dots.png").write_bytes(encode_array(dots, "PNG"))
    result = run("security-report hilbert dots.png --keys 5")
    assert result.out.splitlines() == ["hilbert-security.html", "hilbert-security.json"]
    assert "it is broken by" in Path("hilbert-security.html").read_text(encoding="utf-8")


# ``--scheme``: functions of users as schemes, and errors about unsuitable objects.


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
def small(run: Run) -> None:
    """Write pictures of 48 x 48 pixels, and a Python file with schemes."""
    del run  # has made the folder
    for name, brightness_step in (("small.png", 1), ("steep.png", 4)):
        pixels = np.add.outer(np.arange(48), brightness_step * np.arange(48)).astype(np.uint8)
        Path(name).write_bytes(encode_array(pixels, "PNG"))
    Path("mine.py").write_text(CODE)


def write_result(name: str, scheme: Keyed, pixels: np.ndarray) -> str:
    """Write the result of a scheme for a picture, under the key of reports."""
    Path(name).write_bytes(encode_array(scheme(pixels, report_key(0)).pixels, "PNG"))
    return name


@pytest.mark.parametrize("name", ["cipher", "masked"])
def test_an_analysis_of_a_scheme_measures_its_results(run: Run, name: str) -> None:
    """`analyze --scheme` gives the same values as the result, plain picture and twin as files."""
    scheme, pixels = (load_scheme(f"mine.py:{name}").fixed, read_picture(Path("small.png")).pixels)
    changed_image = pixels.copy()
    changed_image[24, 24] += 1
    files = [write_result("a.png", scheme, pixels), "--against", "small.png", "--twin"]
    files.append(write_result("b.png", scheme, changed_image))
    expected = json.loads(run("analyze", *files, "--randomness", "--json").out)
    result = json.loads(
        run("analyze small.png --scheme", f"mine.py:{name}", "--randomness", "--json").out
    )
    assert result["image"].pop("name") == f"{name}(small.png)"
    assert result["twin"]["image"].pop("name") == f"{name}(twin of small.png)"
    del expected["image"]["name"], expected["twin"]["image"]["name"]
    assert result == expected


def test_an_analysis_takes_listed_schemes(run: Run) -> None:
    """With the name of a listed scheme, the exported bits are those of its result."""
    run("analyze small.png --scheme scramble --csv --export-bits bits")
    original_bytes = read_picture(Path("small.png")).pixels.tobytes()
    assert sorted(Path("bits").read_bytes()) == sorted(original_bytes)


def test_a_security_report_on_a_scheme_of_a_user(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`security-report --scheme` takes only pictures as arguments, and a scheme without inverse."""
    names = ["chosen-plaintext", "key-bits", "reuse"]  # other attacks would take too long
    monkeypatch.setattr("sudokucrypt.analysis.security._list_attack_names", lambda: names)
    for name in ("cipher", "masked"):
        run("security-report --scheme", f"mine.py:{name}", "small.png", "--keys", "5")
    rotation_data, mask_data = (
        json.loads(Path(f"{name}-security.json").read_text(encoding="utf-8"))
        for name in ("cipher", "masked")
    )
    assert (
        rotation_data["key_space_bits"] == 16
    )  # the stated bits, which all have an effect on large pictures
    assert [data["pictures"][0]["restored_exactly"] for data in (rotation_data, mask_data)] == [
        5,
        None,
    ]
    (chosen,) = (
        attack for attack in rotation_data["attacks"] if attack["attack"] == "chosen-plaintext"
    )
    assert (chosen["outcome"], chosen["results"][0]["outcome"]) == ("broken", "broken")
    (reuse_attack,) = (attack for attack in mask_data["attacks"] if attack["attack"] == "reuse")
    assert reuse_attack["results"][0]["outcome"] == "broken"
    assert "key_sensitivity_decrypt" not in mask_data["key"]
    page = Path("masked-security.html").read_text(encoding="utf-8")
    assert "come back exactly" not in page


USER_CODE = """
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
    """--metric with a function and --attack with a decorated function appear in the results."""
    Path("own.py").write_text(USER_CODE)
    try:
        result = run("analyze small.png --metric own.py:darkest --json")
        assert json.loads(result.out)["measurements"]["darkest"]["value"] == 0.0
        assert METRICS["darkest"].meaning == "How dark the darkest sample is. By its level"
        result = run("attack glance small.png --scheme mine.py:cipher --json")
        assert [record["outcome"] for record in json.loads(result.out)["results"]] == [
            "nothing found",
            "broken",
        ]
        run("analyze small.png --metric own.py:nothing", code=2)
    finally:
        METRICS.remove("darkest")
        ATTACKS.remove("glance")


# ``robustness``: schemes that refuse disturbed pictures, and schemes that restore them.


MODES = ["scramble", "scramble-block", "scramble-context", "scramble-context-block", "encrypt"]


def test_modes_with_a_tag_refuse_and_contexts_restore(run: Run) -> None:
    """Each disturbance is refused by schemes with a tag, and restored under a context."""
    data = json.loads(run("robustness steep.png --json").out)
    assert [record["name"] for record in data["schemes"]] == [*MODES, "scramble-robust"]
    robust = {record["disturbance"]: record for record in data["schemes"].pop()["results"]}
    assert robust["none"]["psnr"] > 30
    assert robust["jpeg"]["outcome"] == "restored"
    for scheme in data["schemes"]:
        first_result, *other_results = scheme["results"]
        assert first_result["restored_exactly"] is True
        context = scheme["name"].startswith("scramble-context")
        assert {record["outcome"] for record in other_results} == {
            "restored" if context else "refused"
        }
        assert scheme["detects_changes"] is not context
    assert len(other_results) == sum(len(record.usual) for record in DISTURBANCES.values()) - 1


def test_jpeg_spares_blocks_that_are_its_own(run: Run) -> None:
    """After JPEG, moved blocks of 16 pixels are restored far better than moved pixels."""
    result = run("robustness steep.png --disturbances", "jpeg=50, gaussian=0.05", "--csv")
    psnr = {
        (row["scheme"], row["disturbance"]): float(row["psnr"])
        for row in csv.DictReader(io.StringIO(result.out))
        if row["psnr"] and row["disturbance"] != "none"
    }
    assert psnr[MODES[3], "jpeg"] > psnr[MODES[2], "jpeg"] + 3
    assert psnr[MODES[3], "gaussian"] == pytest.approx(psnr[MODES[2], "gaussian"], abs=0.3)


def test_without_a_picture_a_portrait_is_measured(run: Run) -> None:
    """Without a picture, the page shows a restored portrait; text has the same tables."""
    arguments = ("--disturbances", "crop=0.25", "--schemes", "scramble-context", "-o", "r.html")
    run("robustness", *arguments)
    assert Path("r.html").read_text(encoding="utf-8").count("<img") == 2
    run("robustness", *arguments, code=6)
    assert "scramble-context, portrait" in run("robustness", *arguments[:4]).out
