"""The golden vectors: the package still makes them, and the reference agrees with its kinds."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from sudokucrypt import (
    Header,
    InvalidGridError,
    Key,
    KeyDerivation,
    Passphrase,
    PictureKey,
    UnsupportedError,
    decrypt,
    invert,
    permutation,
    picture_permutation,
    unscramble,
)
from sudokucrypt.sudoku import rank
from tests.kit import replay
from tests.kit.replay import CHECKS, KINDS, VECTORS, load
from tests.vectors.common import (
    KEY,
    Case,
    check_each,
    encode_or_digest,
    find_faults,
    make_plain_image,
    make_stream,
    write_little,
)
from tests.vectors.forge import forge_still
from tests.vectors.generate import CASE_MAKERS, FILE_MAKERS, make_text
from tests.vectors.makers import ChosenWords, read_last_block
from tests.vectors.readers import MOST_ROUNDS, make_array

if TYPE_CHECKING:
    from sudokucrypt.keys import RestoringKey

pytestmark = pytest.mark.kernels


def mark_slow(kinds: Iterable[str], slow: str) -> list[Any]:
    """Return all kinds, of which some are slow."""
    return [
        pytest.param(kind, marks=[pytest.mark.slow] if kind in slow.split() else [])
        for kind in kinds
    ]


@pytest.mark.parametrize("kind", [*CASE_MAKERS, *FILE_MAKERS])
def test_vectors_are_regenerated_byte_for_byte(kind: str) -> None:
    """The generator makes exactly what stands in the files."""
    assert make_text(kind) == (VECTORS / f"{kind}.json").read_text(encoding="ascii")


@pytest.mark.parametrize("kind", mark_slow(sorted(CHECKS.keys() & CASE_MAKERS), "robust"))
def test_reference_confirms(kind: str) -> None:
    """The reference makes the same, and restores what was protected with every key."""
    assert not find_faults(load(kind), CHECKS[kind])


@check_each("draws")
def test_many_draws_at_once(case: Case) -> None:
    """Draws of one word, many at once, are those that come one by one."""
    if "words" in case and max(case["bounds"]) <= 2**32:
        chosen_words = ChosenWords(case["words"])
        assert chosen_words.below_each(np.array(case["bounds"])).tolist() == case["below"]
        assert chosen_words.count_used() == case["used"]


def test_end_of_a_stream() -> None:
    """Nothing comes behind the last block."""
    stream = make_stream("draws", b"a")
    assert read_last_block(stream).hex() == load("draws")[-1]["stream"]
    with pytest.raises(UnsupportedError):
        stream.read(1)


@check_each("keys")
def test_keys_are_read(case: Case) -> None:
    """Both kinds of keys come back from their texts."""
    assert Key.from_text(case["text"]).to_bytes().hex() == case["secret"]
    assert PictureKey.from_text(case["picture_text"]).to_bytes().hex() == case["secret"]


@check_each("permutations")
def test_maps_are_undone(case: Case) -> None:
    """The inverse of a map undoes it."""
    count, nonce = case["count"], bytes.fromhex(case["nonce"])
    result = permutation(count, KEY, nonce=nonce, rounds=case["rounds"])
    assert np.array_equal(result[invert(result)], np.arange(count))


@pytest.mark.parametrize(("kind", "name"), [("images", "scrambled"), ("encryptions", "encrypted")])
def test_package_restores(kind: str, name: str) -> None:
    """Small images come back by the master key or passphrase, and by the picture key."""

    def check(case: Case) -> None:
        header = Header.from_bytes(case["header"].encode())
        pixels = make_array(case["shape"], case["dtype"], case[name])
        secrets: list[RestoringKey] = [KEY]
        if case.get("passphrase") is not None:
            secrets = [Passphrase(case["passphrase"])]
        if case["picture_key"] is not None:
            secrets.append(PictureKey(bytes.fromhex(case["picture_key"])))
        plain = make_plain_image(case["label"], case["shape"], case["dtype"])
        for key in secrets:
            if kind == "images":
                context = case["context"]
                back = unscramble(pixels, key, header, context=context, max_rounds=MOST_ROUNDS)
            else:
                back = decrypt(pixels, key, header, max_rounds=MOST_ROUNDS)
            assert write_little(back) == write_little(plain)
        assert encode_or_digest(write_little(plain)) == case["plain"]

    short_cases = [case for case in load(kind) if not case[name].startswith("sha256:")]
    assert not find_faults(short_cases, check)


@check_each("images", lambda case: case["unit"] == "pixel" and case["picture_key"])
def test_maps_of_images(case: Case) -> None:
    """The map of an image, which its key gives, is the one that moved its pixels."""
    header = Header.from_bytes(case["header"].encode())
    plain = make_plain_image(case["label"], case["shape"], case["dtype"])
    moved_units = plain.reshape(-1, *plain.shape[2:])[picture_permutation(KEY, header)]
    assert encode_or_digest(write_little(moved_units)) == case["scrambled"]


@check_each("cards", lambda case: case["numbers"] is None)
def test_cards_of_no_grids(case: Case) -> None:
    """What is not a grid has no number; `cards` looks at the keys of all others."""
    with pytest.raises(InvalidGridError):
        list(map(rank, case["grids"]))


@check_each("encryptions", lambda case: case["kdf"])
def test_derived_keys(case: Case) -> None:
    """What a passphrase gives is the key whose picture key stands in the case."""
    derived = KeyDerivation.from_text(case["kdf"]).derive(Passphrase(case["passphrase"]))
    header = Header.from_bytes(case["header"].encode())
    assert derived.for_picture(header).to_bytes().hex() == case["picture_key"]
    assert derived.id == header.key_id


@check_each("images", lambda case: case["context"] is not None)
def test_arrays_under_a_context(case: Case) -> None:
    """The page has no contexts: `forge` makes the same headers and samples by the specification."""
    frame = {"stream": case["label"], "shape": case["shape"], "dtype": case["dtype"]}
    names = ("unit", "block_size", "rounds", "context")
    options = {name: case[name] for name in names if case[name] is not None}
    result = forge_still({"frame": frame, **options})
    assert result.header.decode() == case["header"]
    assert encode_or_digest(result.frame.data) == case["scrambled"]


# The kit is whole: its files are what `schema.json` says, are frozen, and can be run.


SCHEMA: dict[str, Any] = json.loads((VECTORS.parent / "schema.json").read_text(encoding="ascii"))
DIGEST_BYTES = 8
EARLIER_DIGESTS: dict[str, Any] = json.loads(
    Path(__file__).with_name("lines_of_1_1.json").read_text(encoding="ascii")
)
"""Digests of the lines of 1.1.0 that stayed, joined, and how many others there are, by file."""


def test_schema_is_a_schema_of_every_file() -> None:
    """The schema is valid, and names each kind of which there is a file."""
    Draft202012Validator.check_schema(SCHEMA)
    assert {choice["$ref"] for choice in SCHEMA["oneOf"]} == {f"#/$defs/{name}" for name in KINDS}


@pytest.mark.parametrize(
    "kind", mark_slow(KINDS, "reject accept reject_pictures containers images")
)
def test_file_is_valid(kind: str) -> None:
    """The file is of its kind, and of no other."""
    content = json.loads((VECTORS / f"{kind}.json").read_text(encoding="ascii"))
    kind_schema = {"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]}
    Draft202012Validator(kind_schema).validate(content)
    content["cases"] = content["cases"][:3]
    Draft202012Validator(SCHEMA).validate(content)
    content["cases"][0]["more"] = None
    assert not Draft202012Validator(kind_schema).is_valid(content)


def test_vectors_are_frozen() -> None:
    """No byte of a file changes unless SHA256SUMS does, and the README has a line on each."""
    files = sorted(VECTORS.glob("*.json"))
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    assert (VECTORS / "SHA256SUMS").read_text(encoding="ascii") == "".join(sums)
    readme = (VECTORS.parent / "README.md").read_text(encoding="utf-8")
    assert all(f"`{path.stem}`" in readme for path in files)


@pytest.mark.parametrize("kind", KINDS)
def test_cases_that_stayed_are_those_of_1_1(kind: str) -> None:
    """Every line is one of 1.1.0 or one of the new ones, which are counted."""
    digests, step = EARLIER_DIGESTS["lines"][kind], 2 * DIGEST_BYTES
    stayed = {digests[at : at + step] for at in range(0, len(digests), step)}
    lines = (json.dumps(case, separators=(",", ":")).encode() for case in load(kind))
    now = {hashlib.sha256(line).hexdigest()[:step] for line in lines}
    assert stayed <= now
    assert len(now - stayed) == EARLIER_DIGESTS["new"].get(kind, 0)


def test_the_kit_is_run_by_a_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command asks the reference the vectors that are named, and prints what disagrees."""
    assert replay.main(["draws", "shares"]) == 0
    assert capsys.readouterr().out == "draws: 41 cases\nshares: 25 cases\n"
    monkeypatch.setattr(
        replay,
        "load",
        lambda _: [{"label": "one", "words": [7], "bounds": [4], "below": [2], "used": 1}],
    )
    assert replay.main(["draws"]) == 1
    assert capsys.readouterr().out.startswith("draws: one: below: [3] is not [2]\n")
