"""Test the security suite on ideal schemes and on faulty ones."""

import hashlib
import os
from dataclasses import replace
from math import factorial, log2

import numpy as np
import pytest

from sudokucrypt import analysis
from sudokucrypt.analysis.attacks import Finding, Outcome
from sudokucrypt.analysis.attacks.contract import UnitChoice
from sudokucrypt.analysis.progress import limit_time, run_in_fork
from sudokucrypt.analysis.security import (
    _estimate_key_bits,
    _flip_last_bit,
    _query_long_result,
    estimate_calls,
)
from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.reports import security_report, to_csv, to_html, to_json
from sudokucrypt.typing import AnyArray

PICTURES = analysis.specimens(64)[1:3]


@pytest.fixture
def few_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out most attacks, for tests of other parts of a report."""
    names = ["differential", "key-bits", "reuse"]
    monkeypatch.setattr("sudokucrypt.analysis.security._list_attack_names", lambda: names)


@pytest.fixture(scope="module")
def shuffle_figures() -> analysis.SecurityFigures:
    """Return the security figures of a uniform shuffle."""
    return analysis.measure_security(analysis.BASELINES["uniform"], PICTURES, keys=5)


def test_the_ideal_shuffle_looks_uniform_and_falls(
    shuffle_figures: analysis.SecurityFigures,
) -> None:
    """The maps of a uniform shuffle pass, its pictures are restored, and attacks break it."""
    verdicts = [series.passed for series in shuffle_figures.maps if series.most_fails is not None]
    assert verdicts == [True] * 7
    assert [each.exact for each in shuffle_figures.pictures] == [5, 5]
    for each in shuffle_figures.pictures:
        assert each.wrong_key is not None
        assert each.restored is not None
        assert not np.array_equal(each.wrong_key, each.restored)
        assert np.array_equal(np.sort(each.wrong_key, axis=None), np.sort(each.plain.pixels, None))
    assert shuffle_figures.robustness is not None
    assert {run.picture for run in shuffle_figures.robustness.runs} == {PICTURES[0]}
    assert not shuffle_figures.robustness.detects
    broken = {result.attack.name for result in shuffle_figures.attacks if result.runs[0].broken}
    expected = "adaptive affine chosen-ciphertext chosen-plaintext codebook differential influence"
    broken -= {"superposition", "feistel"}  # the gradient is smooth: few levels give it away
    assert broken == {*expected.split(), "known-plaintext", "repeats", "s-boxes"}
    assert all(
        result.control_was_broken for result in shuffle_figures.attacks if not result.attack.blocks
    )
    assert shuffle_figures.key_bits == 256


@pytest.mark.parametrize(("unit", "units"), [("bit", 96), ("sample", 12), ("pixel", 4)])
def test_keys_are_no_more_than_maps(unit: UnitChoice, units: int) -> None:
    """The key space of a scheme that moves pixels, samples or bits is at most their orders."""
    scheme = replace(
        analysis.scheme_from_function(lambda image, _: image),
        unit=unit,
        key_bits=10**6,
        moves_only=True,
    )
    plain = analysis.NamedImage(name="plain", pixels=np.zeros((2, 2, 3), np.uint8))
    assert _estimate_key_bits(scheme, plain, None) == pytest.approx(log2(factorial(units)))


def test_randomness_is_that_of_the_first_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bits are tested of a result under the first of the keys, unless samples only move."""
    keys = list[bytes]()

    def note_key(_: object, __: object, key: bytes) -> tuple[()]:
        keys.append(key)
        return ()

    monkeypatch.setattr("sudokucrypt.analysis.security._list_attack_names", list)
    monkeypatch.setattr("sudokucrypt.analysis.security._test_randomness", note_key)
    small = [replace(PICTURES[0], pixels=np.ascontiguousarray(PICTURES[0].pixels[:16, :16]))]
    for name in ("chain-xor", "uniform"):
        analysis.measure_security(analysis.BASELINES[name], small, keys=5, seed=3)
    assert keys == [analysis.report_key(0, seed=3)]


def test_results_for_tests_of_bits_have_a_million_bits() -> None:
    """A result has a million bits, or the size of the picture if that size is refused."""
    still = analysis.scheme_from_function(lambda image, _: image)
    square = analysis.BASELINES["arnold"]
    for scheme, shape in ((still, (512, 256)), (square, PICTURES[0].pixels.shape)):
        result = _query_long_result(scheme, PICTURES[0], bytes(32), np.ones_like)
        assert result.shape == shape
        assert (result == 1).all()


def test_a_wrong_key_is_one_bit_away() -> None:
    """`_flip_last_bit` changes only the last bit of a key."""
    assert _flip_last_bit(bytes(range(32))) == bytes(range(31)) + b"\x1e"


@pytest.mark.slow
def test_a_report_begins_with_its_answers(shuffle_figures: analysis.SecurityFigures) -> None:
    """The report begins with its answers, and is written as JSON, CSV and HTML."""
    report = security_report(shuffle_figures)
    assert report.lead.startswith("Is it broken? Yes: by chosen plaintext, with 2 images.")
    assert (
        "Without salt, it is broken by adaptive chosen plaintext, affine structure, chosen "
        "ciphertext, chosen plaintext, codebook with feedback, differences, feistel network, "
        "influence, known plaintext, repeats, s-boxes and affine structure" in report.lead
    )
    answers = {row[0].text: row[2].text for row in report.sections[1].tables[0].rows}
    assert answers["Was every picture restored exactly?"] == "yes"
    assert answers["Does it withstand chosen plaintext, without salt?"] == "no"
    assert report.data["map"]["fixed_points"]["measured"] == 5
    assert report.data["pictures"][0]["figures"]["npcr_same_salt"]["mean"] == 1 / 64**2
    assert to_json(report)
    assert to_csv(report).startswith("of,name,mean,")
    assert "data:image/svg+xml" in to_html(report)


def set_nothing_found(finding: Finding | None) -> Finding:
    """Return the finding with the outcome that nothing was found."""
    assert finding is not None
    return replace(finding, outcome=Outcome.NOTHING)


def test_an_attack_that_fails_its_control_answers_nothing(
    shuffle_figures: analysis.SecurityFigures,
) -> None:
    """If an attack fails on its control too, the answer about the scheme is "unknown"."""
    attack = shuffle_figures.attacks[0]
    blunt = replace(
        attack,
        runs=tuple(replace(run, finding=set_nothing_found(run.finding)) for run in attack.runs),
    )
    table = security_report(replace(shuffle_figures, attacks=(blunt,))).sections[1].tables[0]
    assert [cell.text for cell in table.rows[-1]][::2] == [
        "Does it withstand adaptive chosen plaintext, without salt?",
        "unknown",
    ]


@pytest.mark.usefixtures("few_attacks")
def test_a_stream_for_each_picture_passes(stream_scheme: analysis.MeasuredScheme) -> None:
    """A scheme with a stream for each picture is not broken, and its metrics pass."""
    result = analysis.measure_security(stream_scheme, PICTURES, keys=5)
    report = security_report(result)
    assert report.lead.count("attacks tried here finds anything") == 2
    for picture in result.pictures:
        assert all(series.passed is not False for series in picture.series)
    assert result.maps == ()
    assert [each.wrong_key for each in result.pictures] == [None, None]
    assert report.data["robustness"]["results"][0]["restored_exactly"] is True
    assert report.data["map"] is None
    assert report.data["randomness"]["frequency"]["bits"] == 8 * 512 * 256


@pytest.mark.usefixtures("few_attacks")
def test_a_scheme_for_square_pictures_has_a_report() -> None:
    """The report of a scheme for square pictures leaves out other pictures, with the reason."""

    def encrypt_square(image: AnyArray, key: bytes) -> AnyArray:
        if image.shape[0] != image.shape[1]:
            raise ValueError("square pictures only")
        return image ^ np.uint8(key[0])

    wide_picture = analysis.NamedImage(name="wide", pixels=np.zeros((8, 12), np.uint8))
    result = analysis.measure_security(
        analysis.scheme_from_function(encrypt_square),
        [wide_picture, analysis.specimens(32)[3]],
        keys=5,
    )
    assert result.randomness
    assert [each.plain.name for each in result.pictures] == ["text"]
    assert result.refusals["wide"] == "'encrypt_square' failed: ValueError: square pictures only"
    report = security_report(result)
    assert report.lead.startswith("Is it broken? Yes: by ")
    assert [section.title for section in report.sections[:2]] == ["Is it broken?", "Answers"]
    assert len(report.sections[0].figures) == 3
    assert report.data["broken"]["images"] >= 1
    assert "wide: left out, 'encrypt_square' failed: ValueError: square pictures only." in (
        report.sections[1].notes
    )
    figures = analysis.measure_security(
        analysis.scheme_from_function(encrypt_square), [wide_picture], keys=5
    )
    assert figures.pictures == ()
    assert security_report(figures).lead.startswith(
        "Is it broken? Nothing could be run: 'encrypt_square'"
    )
    with pytest.raises(InvalidImageError, match="square"):
        analysis.measure_security(analysis.BASELINES["arnold"], [wide_picture], keys=5)


@pytest.mark.usefixtures("few_attacks")
def test_a_quick_report_says_what_to_expect_and_what_is_done() -> None:
    """A quick report announces its cost and each part, and says if a scheme has no secret."""

    def mask_without_key(image: AnyArray, _: bytes) -> AnyArray:
        return image ^ np.arange(image.size, dtype=np.uint8).reshape(image.shape)

    messages: list[str] = []
    result = analysis.measure_security(
        analysis.scheme_from_function(mask_without_key),
        PICTURES,
        quick=True,
        announce=messages.append,
    )
    assert messages[0].startswith("about ")
    assert "calls of mask_without_key" in messages[0]
    assert {"gradient", "Key bits", "One changed sample"} <= set(messages)
    assert (result.keys, result.robustness, result.randomness) == (5, None, ())
    assert (result.measured_bits, result.key_bits, result.scheme.key_bits) == (0, 0, None)
    answers = [row[1].text for row in security_report(result).sections[1].tables[0].rows]
    assert "no secret: the key changes nothing" in answers
    assert len(result.places[0].measurements) == 20


@pytest.mark.parametrize("fresh", [False, True])
def test_the_number_of_calls_is_estimated(fresh: bool) -> None:
    """Estimated calls are right within a factor of 2, and samples within a factor of 3."""
    calls: list[int] = []

    def count_calls(image: AnyArray, key: bytes) -> AnyArray:
        calls.append(image.size)
        seed = [*key, *(os.urandom(8) if fresh else image.tobytes())]
        stream = np.random.default_rng(seed).integers(0, 256, image.shape, np.uint8)
        return np.asarray(image ^ stream)

    # Without `code` the scheme runs in this process, where its calls are counted.
    scheme = replace(analysis.scheme_from_function(count_calls), code=())
    calls.clear()
    pictures = [analysis.specimens(64)[-1]]
    analysis.measure_security(scheme, pictures, quick=True)
    expected = estimate_calls(scheme, pictures, keys=5, places=20)
    for value, actual, factor in zip(expected, (len(calls), sum(calls)), (2, 3), strict=True):
        assert actual / factor <= value <= factor * actual


def test_a_hanging_scheme_is_stopped() -> None:
    """A scheme that hangs is stopped after the time limit, and its refusals say so."""

    def slow(image: AnyArray, _: bytes) -> AnyArray:
        while image.flat[0] == 77:
            pass
        return image[::-1]

    with pytest.raises(UnsupportedError, match=r"stopped after 0\.05 seconds"), limit_time(0.05):
        slow(np.full((2, 2), 77, np.uint8), b"")
    for wrong in (0, -1.0, float("nan")):
        with pytest.raises(InvalidParameterError, match="a limit is"), limit_time(wrong):
            pass
    stuck = analysis.NamedImage(name="stuck", pixels=np.full((16, 16), 77, np.uint8))
    figures = analysis.measure_security(analysis.scheme_from_function(slow), [stuck], timeout=0.2)
    assert {each.as_used.refusal for each in figures.attacks} == {"stopped after 0.2 seconds"}


def test_interrupts_that_finalizers_swallow_come_again() -> None:
    """Work that hangs in a finalizer and swallows the interrupt is stopped."""

    class Kept:
        def __del__(self) -> None:
            while True:
                pass

    def work() -> None:
        Kept()
        while True:
            pass

    with pytest.raises(UnsupportedError, match="stopped after"):
        run_in_fork(work, limit=0.05)


@pytest.mark.usefixtures("few_attacks")
def test_a_scheme_with_its_own_nonce_is_never_used_without_salt() -> None:
    """The report of a scheme that draws its own nonce has no part without salt."""
    random = np.random.default_rng(3)

    def pad_image(image: AnyArray, _: bytes) -> AnyArray:
        masked: AnyArray = image ^ random.integers(0, 256, image.shape, np.uint8)
        return masked

    result = analysis.measure_security(
        analysis.scheme_from_function(pad_image), PICTURES[:1], keys=5, quick=True
    )
    report = security_report(result)
    assert "ithout salt" not in to_json(report).replace("without_salt", "")
    assert report.lead.startswith("Is it broken? No attack here breaks it. With fresh salt, none")
    assert (result.key, result.key_bits) == ((), None)
    answers = {row[0].text: row[2].text for row in report.sections[1].tables[0].rows}
    assert answers["Has the key space 128 bits or more?"] == "unknown"


@pytest.mark.usefixtures("few_attacks")
def test_a_scheme_without_key_has_no_key_figures() -> None:
    """A scheme without a key has 0 bits of key space and no measurements of the key."""
    result = analysis.measure_security(analysis.BASELINES["hilbert"], PICTURES[:1], keys=5)
    assert result.key == ()
    assert result.key_bits == 0
    assert all(not series.passed for series in result.maps if series.name == "neighbors_kept")


def test_a_series_allows_for_chance() -> None:
    """A series of 20 tests passes with 5 failures and fails with 6."""
    good = analysis.Measurement(name="x", value=0.5, lower=0.0, upper=1.0, level=0.05)
    bad = replace(good, value=2.0)
    series = analysis.Series(name="x", measurements=(good,) * 15 + (bad,) * 5, most_fails=5)
    assert series.passed
    assert not replace(series, measurements=(good,) * 14 + (bad,) * 6).passed
    undefined = replace(good, value=float("nan"))
    assert replace(series, measurements=(undefined,)).passed is None
    assert replace(series, measurements=(bad,)).passed is False


def test_too_few_keys_are_refused() -> None:
    """Four keys are refused, since with fewer than 5 all tests could fail by chance."""
    with pytest.raises(InvalidParameterError, match="at least one picture and 5 keys, not 2 and 4"):
        analysis.measure_security(analysis.BASELINES["uniform"], PICTURES, keys=4)


def test_specimens_are_what_they_are_called() -> None:
    """Each specimen has the property of its name, and the text is the same in all versions."""
    black, gradient, board, text, white, clouds = (image.pixels for image in analysis.specimens(64))
    assert not black.any()
    assert (white == 255).all()
    assert (np.diff(gradient.astype(int), axis=1) >= 0).all()
    assert set(np.unique(board)) == {0, 255}
    assert 0.05 < np.mean(text < 128) < 0.5
    assert hashlib.sha256(text.tobytes()).hexdigest()[:16] == "7c5f92ddc269cf79"
    pairs = clouds[:, :-1].ravel(), clouds[:, 1:].ravel()
    assert np.corrcoef(*pairs)[0, 1] > 0.6
    assert np.array_equal(clouds, analysis.specimens(64)[-1].pixels)
