"""Test published ciphers: published breaks recover pictures, though usual metrics pass."""

import re
from collections.abc import Callable
from math import pi, sin
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from docs import literature as page
from docs.literature import crop_photograph
from sudokucrypt import InvalidImageError
from sudokucrypt.analysis import (
    ATTACKS,
    BASELINES,
    MeasuredScheme,
    SchemeResult,
    published_ciphers,
    report_key,
    standard_ciphers,
)
from sudokucrypt.analysis.attacks import Target
from sudokucrypt.analysis.baselines import GrayCipher
from sudokucrypt.analysis.baselines.chaos import argsort_orbit, follow_orbit
from sudokucrypt.analysis.baselines.published_linear import (
    Diaconu,
    Fu,
    HuaLogisticSine,
    Ieaie,
    LatinSquare,
)
from sudokucrypt.analysis.baselines.published_mixing import Bciea, Isea, Mhm
from sudokucrypt.analysis.schemes import RELIABLE_EVIDENCE
from sudokucrypt.analysis.zoo import (
    find_similar_ciphers,
    list_pixel_attacks,
    parse_entries,
    read_zoo,
)
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray
from tests.analysis.baselines.breaks import BREAKS, Service

PUBLISHED = [cipher.name for cipher in published_ciphers()]

BUDGETS: dict[str, Callable[[int], int]] = {
    "bciea": lambda pixels: 2 * (4 * pixels - 1).bit_length() + 1,
    "brie": lambda _: 1,
    "ckba": lambda _: 1,
    "diaconu": lambda _: 1,
    "fridrich-reduced": lambda pixels: pixels,  # of order MN, one ciphertext for each sample
    "fu": lambda pixels: 8 * pixels + 1,
    "gao-chen": lambda _: 3,
    "hua-filter": lambda pixels: pixels + 1,
    "hua-lasm-no-frame": lambda pixels: 8 * pixels + 1,
    "ieaie-one-round": lambda _: 18,
    "isea": lambda pixels: (8 * pixels - 1).bit_length(),
    "mhm": lambda pixels: 257 + -(-(pixels - 1).bit_length() // 8),
    "pareek": lambda _: 128,
    "patidar": lambda _: 1,
    "rces": lambda _: 2,
    "rubik": lambda _: 3,
    "sudoku-matrix": lambda _: 2,
    "zhu": lambda _: 1,
}
"""The number of queries of each published break, for a number of pixels."""

RESULTS = {
    "bciea": 0x759DE84A,
    "brie": 0x3B30574B,
    "ckba": 0x3F31DEF5,
    "diaconu": 0x89CF3FA4,
    "fridrich-reduced": 0x105BAF0C,
    "fu": 0x3E5CAB89,
    "gao-chen": 0xF1A27D21,
    "hua-filter": 0x856CCE4F,
    "isea": 0xC722121D,
    "latin-square-no-noise": 0xD3432DD1,
    "pareek": 0xBFDC97B7,
    "rces": 0x3C217D76,
    "rubik": 0x733032DE,
    "sudoku-matrix": 0x8F96EB6C,
    "zhu": 0x89A858F2,
    "hua-lasm-no-frame": 0x186F35D6,
    "ieaie-one-round": 0x2730DC26,
    "mhm": 0xCF14B792,
    "patidar": 0x92A91688,
}
"""CRC-32 of results of the ciphers; some depend on the last bits of sines."""

HALF_A_MINUTE = {"bciea", "fridrich-reduced", "ieaie-one-round"}

SMALL = {"fu": 16, "hua-filter": 24, "hua-lasm-no-frame": 16}
"""Sides of pictures for breaks that take a query for each pixel or bit."""

CODE_RESULTS: dict[str, tuple[type[GrayCipher], str, object, int, int]] = {
    "bciea": (
        Bciea,
        "derive_starts",
        (0.123456789, 0.312345679, 0.271828183, 0.357142857),
        32,
        0x0FA15E4C,
    ),
    "diaconu": (Diaconu, "derive_start", 0.92837471, 32, 0x3212CB17),
    "fu": (Fu, "derive_parameters", (0.92837471, 40, 141), 32, 0xF41EE6C2),
    "hua-lasm-no-frame": (
        HuaLogisticSine,
        "derive_start",
        [
            (0.50330161476313151, 0.025562283736235258, 0.68173298731153409),
            (0.44252595155649033, 0.96478662052959407, 0.82095732410516575),
        ],
        22,
        0xBC445BC8,
    ),
    "ieaie-one-round": (Ieaie, "derive_starts", (0.0056, 0.3678, 0.6229, 0.7676), 32, 0x5DC5E0CD),
    "latin-square-no-noise": (LatinSquare, "key", bytes(range(32)), 256, 0x6C7DE6E6),
    "mhm": (Mhm, "derive_starts", (1.0, 2.0, 0.3), 256, 0x095BBDAA),
}
"""For each public code: class, attribute of the key, key, side of the picture, and CRC-32.

The files of the authors were run by GNU Octave 7.3 in November 2026 on `crop_photograph(side)`. The
keys are from their own examples, except those of hua-lasm and latin-square.
"""

COUNTS = (
    "three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)

TAKES_SINES = {"hua-lasm-no-frame", "ieaie-one-round", "mhm", "patidar"}
"""Ciphers whose stream depends on the last bit of sines, and so on the system."""


def has_known_sines() -> bool:
    """Return whether this system has the sines with which results were recorded."""
    sines = np.array([sin(pi * k / 10_000) for k in range(40_000)])
    return crc32(sines.data) == 0xF0EE2E7B


def recover_picture(name: str, side: int, *, new_keys: bool) -> float:
    """Return the share of pixels that a break recovers, within its budget."""
    cipher, plain = BASELINES[name], crop_photograph(side).pixels
    service = Service(cipher.with_new_key_per_image() if new_keys else cipher, report_key(0))
    target_result = service.scheme.usual(plain, service.key).pixels
    result = BREAKS[name](service, target_result)
    assert service.queries <= BUDGETS[name](plain.size)
    return float(np.mean(result == plain))


@pytest.mark.parametrize("name", RESULTS)
def test_ciphers_stay_as_they_were_measured(name: str) -> None:
    """Results have the recorded CRC-32, so the measurements of the page are valid."""
    image = np.random.default_rng(1).integers(0, 256, (48, 48), dtype=np.uint8)
    result = crc32(BASELINES[name].fixed(image, report_key(0)).pixels.tobytes())
    assert result == RESULTS[name] or (name in TAKES_SINES and not has_known_sines())


def test_small_images_give_the_recorded_results(
    compare_with_record: Callable[[Path, object], None],
) -> None:
    """Results of the ciphers for images of a few pixels, and for bits and colors, never change."""
    found: dict[str, list[str]] = {}
    for name in RESULTS.keys() - TAKES_SINES:
        lines = found.setdefault(name, [])
        for shape in ((1, 1), (1, 2), (2, 2), (3, 2), (2, 5), (7, 1), (8, 8), (6, 4, 3)):
            image = np.random.default_rng(2).integers(0, 256, shape, dtype=np.uint8)
            try:
                result = BASELINES[name].fixed(image, report_key(1)).pixels
            except SudokucryptError as error:
                lines.append(f"{shape}: {error}")
            else:
                lines.append(f"{shape}: {crc32(result.tobytes()):08x}")
    assert RESULTS.keys() == {*PUBLISHED}
    path = Path(__file__).with_name("small_results.json")
    compare_with_record(path, dict(sorted(found.items())))


@pytest.mark.parametrize("name", CODE_RESULTS)
def test_ciphers_give_what_public_code_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the key of the public code, results equal its results byte for byte."""
    kind, parameter, key, side, expected = CODE_RESULTS[name]
    if parameter == "derive_start" and isinstance(key, list):
        monkeypatch.setattr(kind, parameter, lambda _, turn: key[turn])
    elif parameter != "key":
        monkeypatch.setattr(kind, parameter, lambda _: key)
    cipher = kind(key) if isinstance(key, bytes) else kind()
    plain = crop_photograph(side).pixels
    result = cipher.scramble(plain)
    assert crc32(result.tobytes()) == expected or (name in TAKES_SINES and not has_known_sines())
    assert np.array_equal(cipher.unscramble(result), plain)


def test_isea_falls_under_orders_that_are_not_ours() -> None:
    """ISEA is broken under the published key of its break too, with four iterations."""
    plain = crop_photograph(64).pixels
    orbit = follow_orbit(lambda x: 3.98 * x * (1 - x), 0.2009, 4 * 600, skipped_count=0)

    def fix_key(image: AnyArray, _: bytes) -> SchemeResult:
        rows, columns = image.shape
        for values in orbit.reshape(4, 600):
            down, across = (
                argsort_orbit(values[20 : 20 + rows]),
                argsort_orbit(values[51 : 51 + 8 * columns]),
            )
            image = Isea.permute_bits(image, down, across)
        return SchemeResult(image, lambda _, result=image: result)

    scheme = MeasuredScheme(name="isea with another key", fixed=fix_key, limits="")
    service = Service(scheme, report_key(0))
    result = scheme.fixed(plain, report_key(0)).pixels
    assert np.mean(BREAKS["isea"](service, result) == plain) > 0.99
    assert service.queries == 15
    finding = ATTACKS["chosen-plaintext"].run(
        Target(name="x", oracle=scheme.oracle(report_key(0), fixed=True)), plain
    )
    assert (finding.outcome, finding.recovered) == ("broken", 1.0)


@pytest.mark.parametrize("name", PUBLISHED)
def test_ciphers_state_their_sources_and_refuse_other_images(name: str) -> None:
    """Source, evidence and basis are stated; 16-bit images are refused."""
    cipher = BASELINES[name]
    assert "doi:" in cipher.source
    assert cipher.evidence
    assert "Chosen: " in cipher.basis
    assert bool(cipher.broken_by) == (name in BREAKS)
    color = np.zeros((8, 8, 3), np.uint8)
    if name in IN_COLOR:
        result = cipher.fixed(color, report_key(0))
        assert result.undo is not None
        assert np.array_equal(result.undo(report_key(0)), color)
    else:
        with pytest.raises(InvalidImageError, match=f"{name} takes gray images of 8 bits"):
            cipher.fixed(color, report_key(0))
    with pytest.raises(InvalidImageError, match=f"{name} takes (gray )?images of 8 bits"):
        cipher.fixed(np.zeros((8, 8), np.uint16), report_key(0))


def test_colors_take_the_operations_of_gray_pixels() -> None:
    """Channels have one operation and three bytes in pareek, and one map in sudoku-matrix."""
    plain = np.random.default_rng(2).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    result = BASELINES["pareek"].fixed(plain, report_key(0)).pixels
    gray = BASELINES["pareek"].fixed(plain[..., 0], report_key(0)).pixels.reshape(-1)
    first = np.arange(64) % 16 % 3 == 0  # where a gray pixel takes the byte of the first channel
    assert np.array_equal(result[..., 0].reshape(-1)[first], gray[first])
    result = BASELINES["sudoku-matrix"].fixed(plain, report_key(0)).pixels
    for channel in range(3):
        gray = BASELINES["sudoku-matrix"].fixed(plain[..., channel], report_key(0)).pixels
        assert np.array_equal(result[..., channel], gray)


BROKEN = sorted(set(BREAKS) - set(SMALL))
IN_COLOR = {"pareek", "sudoku-matrix"}


@pytest.mark.parametrize("name", BROKEN)
def test_published_breaks_recover_the_picture(name: str) -> None:
    """Breaks recover nearly all pixels of 64 x 64, and under new keys no more than by chance."""
    assert recover_picture(name, 64, new_keys=False) > 0.99
    # A pixel of BRIE turns by one of four amounts, which another key often shares.
    assert recover_picture(name, 64, new_keys=True) < (0.35 if name == "brie" else 0.06)


@pytest.mark.parametrize(
    ("name", "side", "new_keys"),
    [
        pytest.param(name, side, new_keys, marks=pytest.mark.nightly)
        for name in sorted(HALF_A_MINUTE)
        for side, new_keys in ((256, False),)
    ]
    + [(name, 256, False) for name in BROKEN if name not in HALF_A_MINUTE],
)
def test_published_breaks_recover_large_pictures(name: str, side: int, *, new_keys: bool) -> None:
    """Breaks recover nearly all pixels of 256 x 256."""
    share = recover_picture(name, side, new_keys=new_keys)
    assert share < 0.05 if new_keys else share > 0.99


@pytest.mark.parametrize(
    ("name", "side"),
    [
        *SMALL.items(),
        *(pytest.param(name, 64, marks=pytest.mark.nightly) for name in sorted(SMALL)),
    ],
)
def test_linear_ciphers_are_one_matrix(name: str, side: int) -> None:
    """Linear ciphers are solved with a query for each pixel or bit, so pictures are small."""
    assert recover_picture(name, side, new_keys=False) > 0.99
    if side == SMALL[name]:
        assert recover_picture(name, side, new_keys=True) < 0.05


@pytest.mark.parametrize("number", range(4))
def test_pareek_shows_its_picture_under_any_key(number: int) -> None:
    """An eighth of the pixels is unchanged and an eighth complemented, under each key."""
    plain = crop_photograph(64).pixels
    oracle = BASELINES["pareek"].oracle(report_key(number), fixed=True)
    result = oracle(plain)
    assert 0.08 < np.mean(result == plain) < 0.18
    assert 0.08 < np.mean(result == 255 - plain) < 0.18
    assert ATTACKS["visible"].run(Target(name="x", oracle=oracle), plain).outcome != "nothing found"


SIXTH = {"ckba", "aes-128-ctr-fixed-nonce"}
RECORDED = [*PUBLISHED, *(scheme.name for scheme in standard_ciphers())]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in SIXTH else pytest.mark.nightly) for name in RECORDED],
)
def test_the_zoo_is_what_was_measured(name: str) -> None:
    """Metrics and attacks on two pictures give the recorded results."""
    (again,) = parse_entries(page.measure_cipher(name))
    recorded_entry = {entry.cipher: entry for entry in parse_entries(read_zoo())}[name]
    assert again.metrics == recorded_entry.metrics
    assert again.broken_by == recorded_entry.broken_by
    assert again.controls == recorded_entry.controls


def test_blind_attacks_break_most_published_ciphers() -> None:
    """At least 13 of the recorded ciphers are broken, by attacks that exist."""
    data = read_zoo()
    entries = {entry.cipher: entry for entry in parse_entries(data)}
    assert set(entries) == set(RECORDED)
    assert sum(bool(entries[name].broken_by) for name in PUBLISHED) >= 13
    for row in data["ciphers"].values():
        assert set(row["attacks"]) == set(list_pixel_attacks())
    assert find_similar_ciphers(entries["ckba"].broken_by)[0] in entries


def test_standard_encryption_falls_with_one_nonce_only() -> None:
    """Of standard ciphers, attacks break only the one that reuses its nonce."""
    entries = {entry.cipher: entry for entry in parse_entries(read_zoo())}
    broken = {scheme.name for scheme in standard_ciphers() if entries[scheme.name].broken_by}
    assert broken == {"aes-128-ctr-fixed-nonce"}


def test_most_evidence_is_better_than_memory() -> None:
    """Twelve ciphers were checked against pairs, code or texts, seven by running code."""
    sure = [each.name for each in published_ciphers() if each.evidence in RELIABLE_EVIDENCE]
    assert len(sure) == 12
    assert set(CODE_RESULTS) <= set(sure)


def test_the_page_states_the_numbers_of_ciphers() -> None:
    """The numbers of ciphers in the text of the page are right."""
    text = page.PAGE.read_text("utf-8")
    words = dict(zip(range(3, 20), COUNTS.split(), strict=True))
    run = set(CODE_RESULTS)
    sure = {each.name for each in published_ciphers() if each.evidence in RELIABLE_EVIDENCE}
    assert f"{words[len(PUBLISHED)]} published ciphers" in text
    assert f"{words[len(sure)].capitalize()} of the ciphers were checked" in text
    assert f"{words[len(run)]} give byte for byte" in text
    assert (
        f"{words[len(PUBLISHED) - len(sure)].capitalize()} ciphers were written from memory" in text
    )
    assert f"{words[len(sure - run)]} of the others we ran no code" in text
    assert f"All breaks except {words[len(SMALL)]} also do so for 256 x 256" in text
    claimed = [each.name for each in published_ciphers() if each.claimed]
    assert len(claimed) == 2


def test_every_cited_paper_is_in_the_bibliography() -> None:
    """Each cited DOI or arXiv number is in the bibliography, with author, title and year."""
    text = page.PAGE.with_name("literature.bib").read_text("utf-8")
    cited = re.findall(
        r"doi:(10\.\d+/[\w./()-]*\w)|arXiv:(\d+\.\d+)",
        " ".join(f"{each.source} {each.broken_by}" for each in published_ciphers())
        + page.PAGE.read_text("utf-8"),
    )
    assert len(cited) > 30
    assert [each for each in cited if f"{{{''.join(each)}}}" not in text] == []
    entries = re.findall(r"^@\w+\{([\w-]+), (.*)\}$", text, re.MULTILINE)
    assert len({name for name, _ in entries}) == len(entries) == text.count("\n@")
    for name, fields in entries:
        for field in ("author", "title", "year"):
            assert f"{field} = {{" in fields, name


def test_the_page_is_what_its_command_writes() -> None:
    """The tables of the page are those that `update_page` writes."""
    text = page.PAGE.read_text("utf-8")
    assert page.update_page(text) == text
