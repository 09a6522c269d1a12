"""The golden vectors: the package still makes them, and the independent reference agrees."""

from __future__ import annotations

import hashlib
import json
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sudokucrypt import Header, Key, Passphrase, decrypt, invert, permutation, unscramble
from tests.reference import bech32, draws, hkdf, kdf, scheme
from tests.reference.chacha20 import words
from tests.reference.grid import grid
from tests.reference.header import SAMPLE_BYTES
from tests.reference.permutation import layout
from tests.reference.permutation import permutation as reference_permutation
from tests.reference.units import default_rounds, groups
from tests.vectors.common import KEY, bytes_or_digest
from tests.vectors.generate import FOLDER, KINDS, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = bytes(range(32))


def cases(kind: str) -> list[Any]:
    loaded = json.loads((FOLDER / f"{kind}.json").read_text(encoding="ascii"))["cases"]
    return [pytest.param(case, id=str(number)) for number, case in enumerate(loaded)]


def stream(use: str, context: bytes) -> Iterator[int]:
    return words(hkdf.subkey(SECRET, use, context=context))


def plain_of(case: dict[str, Any]) -> bytes:
    """Return the plain image of a case, made by the reference."""
    length = prod(case["shape"]) * SAMPLE_BYTES[case["dtype"]]
    source = stream("vectors", case["label"].encode())
    plain = b"".join(next(source).to_bytes(4, "little") for _ in range(-(-length // 4)))[:length]
    if case["dtype"] == "bool":
        plain = bytes(byte & 1 for byte in plain)
    assert bytes_or_digest(plain) == case["plain"]
    return plain


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_are_regenerated_byte_for_byte(kind: str) -> None:
    """The generator gives exactly what stands in the files."""
    assert text_of(kind) == (FOLDER / f"{kind}.json").read_text(encoding="ascii")


@pytest.mark.parametrize("case", cases("keys"))
def test_reference_confirms_keys(case: dict[str, str]) -> None:
    """Bech32 text, id and subkeys agree."""
    secret = bytes.fromhex(case["secret"])
    assert bech32.key_text(secret) == case["text"]
    assert bech32.key_from_text(case["text"]) == secret
    assert hkdf.key_id(secret) == case["id"]
    assert hkdf.subkey(secret, "tag").hex() == case["tag"]
    assert hkdf.subkey(secret, "permutation", context=b"\0\1").hex() == case["permutation"]
    assert hkdf.subkey(secret, "context", context=b"").hex() == case["context"]


@pytest.mark.parametrize("case", cases("draws"))
def test_reference_confirms_draws(case: dict[str, Any]) -> None:
    """Stream bytes, integers and shuffles agree, rejections included."""
    source = stream("draws", case["label"].encode())
    read = b"".join(next(source).to_bytes(4, "little") for _ in range(20))
    assert read.hex() == case["stream"]
    source = stream("draws", case["label"].encode())
    assert [draws.draw(bound, source) for bound in case["bounds"]] == case["below"]
    assert [draws.shuffle(len(f), source) for f in case["shuffles"]] == case["shuffles"]


@pytest.mark.parametrize("case", cases("grids"))
def test_reference_confirms_grids(case: dict[str, Any]) -> None:
    """Tables and digits agree."""
    p, q = case["box"]
    made = grid(p, q, stream("grids", bytes([p, q])))
    assert [list(table) for table in (made.alpha, made.beta, made.sigma)] == [
        case[name] for name in ("alpha", "beta", "sigma")
    ]
    assert [[made.digit(r, c) for c in range(p * q)] for r in (0, 1)] == case["digits"]


@pytest.mark.parametrize("case", cases("layouts"))
def test_reference_confirms_layouts(case: dict[str, Any]) -> None:
    """Box, rows and tail agree."""
    made = layout(case["count"])
    n = case["box"][0] * case["box"][1]
    assert [made.p, made.q] == case["box"]
    assert divmod(case["count"], n) == (case["rows"], case["tail"])


@pytest.mark.parametrize("case", cases("permutations"))
def test_reference_confirms_permutations(case: dict[str, Any]) -> None:
    """Whole maps agree."""
    count, nonce = case["count"], bytes.fromhex(case["nonce"])
    rounds = case["rounds"] or default_rounds([count])
    made = reference_permutation(count, rounds, stream("permutation", nonce))
    digest = hashlib.sha256(b"".join(place.to_bytes(8, "little") for place in made)).hexdigest()
    assert case["permutation"] == (made if count <= 100 else f"sha256:{digest}")
    again = permutation(count, KEY, nonce=nonce, rounds=case["rounds"])
    assert np.array_equal(again[invert(again)], np.arange(count))


@pytest.mark.parametrize("case", cases("images"))
def test_reference_confirms_images(case: dict[str, Any]) -> None:
    """Header and scrambled image agree, and both programs restore them."""
    options = {name: case[name] for name in ("shape", "dtype", "unit", "block_size", "context")}
    plain = plain_of(case)
    sizes = groups(case["shape"], case["unit"], block_size=case["block_size"])
    scrambled, header = scheme.scramble_bytes(
        plain,
        key=SECRET,
        salt=None if case["salt"] is None else bytes.fromhex(case["salt"]),
        rounds=case["rounds"] or default_rounds([len(units) for units in sizes.values()]),
        **options,
    )
    assert header.decode() == case["header"]
    assert bytes_or_digest(scrambled) == case["scrambled"]
    pixels = np.frombuffer(scrambled, case["dtype"]).reshape(case["shape"])
    back = unscramble(pixels, Key(SECRET), Header.from_bytes(header), context=case["context"])
    assert back.tobytes() == plain
    restored = scheme.restore_bytes(
        scrambled,
        header,
        shape=case["shape"],
        dtype=case["dtype"],
        key=SECRET,
        context=case["context"],
    )
    assert restored == plain


@pytest.mark.parametrize("case", cases("encryptions"))
def test_reference_confirms_encryptions(case: dict[str, Any]) -> None:
    """Header and encrypted image agree, and both programs restore them."""
    options = {name: case[name] for name in ("shape", "dtype")}
    plain = plain_of(case)
    passphrase = case["passphrase"]
    secret = SECRET if passphrase is None else kdf.derive(passphrase, case["kdf"])
    encrypted, header = scheme.encrypt_bytes(
        plain,
        key=secret,
        kdf=case["kdf"],
        salt=None if case["salt"] is None else bytes.fromhex(case["salt"]),
        rounds=case["rounds"] or default_rounds([prod(case["shape"][:2])]),
        **options,
    )
    assert header.decode() == case["header"]
    assert bytes_or_digest(encrypted) == case["encrypted"]
    pixels = np.frombuffer(encrypted, case["dtype"]).reshape(case["shape"])
    key = Key(secret) if passphrase is None else Passphrase(passphrase)
    assert decrypt(pixels, key, Header.from_bytes(header)).tobytes() == plain
    assert scheme.restore_bytes(encrypted, header, key=secret, **options) == plain
