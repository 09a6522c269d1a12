"""What every reader must accept and reject: the package and the reference do, alike."""

from __future__ import annotations

import json
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Header,
    InvalidKeyError,
    Key,
    Passphrase,
    SudokucryptError,
    UnsupportedError,
    UnsupportedVersionError,
    decrypt,
    unscramble,
)
from sudokucrypt.keys import unlock
from tests.reference import RefusedError, bech32, locked, scheme
from tests.reference.header import SAMPLE_BYTES
from tests.vectors.generate import FOLDER

if TYPE_CHECKING:
    from tests.vectors.common import Case

ERRORS: dict[str, set[type[SudokucryptError]]] = {
    "header syntax": {FormatError},
    "version": {UnsupportedVersionError},
    "scheme": {UnsupportedVersionError},
    "kdf limits": {UnsupportedError, FormatError},
    "key": {DecryptionError},
    "tag": {DecryptionError},
    "shape": {DecryptionError},
    "key text": {InvalidKeyError},
    "key file": {InvalidKeyError},
}
FEWEST_CASES = 120


def loaded(kind: str) -> list[Case]:
    cases: list[Case] = json.loads((FOLDER / f"{kind}.json").read_text(encoding="ascii"))["cases"]
    return cases


def parameters(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in loaded(kind)]


def read_by_package(case: Case) -> bytes:
    """Return the plain image or the key."""
    if case["what"] == "key":
        if case["passphrase"] is None:
            return Key.from_text(case["content"]).to_bytes()
        return unlock(case["content"], Passphrase(case["passphrase"])).to_bytes()
    little = np.dtype(case["dtype"]).newbyteorder("<")
    pixels = np.frombuffer(bytes.fromhex(case["pixels"]), little).reshape(case["shape"])
    header = None if case["header"] is None else Header.from_bytes(case["header"].encode())
    passphrase = case["passphrase"]
    key = Key.from_text(case["key"]) if passphrase is None else Passphrase(passphrase)
    if header is None or header.scheme.startswith("scramble-"):
        return unscramble(pixels, key, header, context=case["context"]).tobytes()
    return decrypt(pixels, key, header).tobytes()


def read_by_reference(case: Case) -> bytes:
    """Return the plain image or the key."""
    if case["what"] == "key":
        content = case["content"].encode()
        if case["passphrase"] is None:
            return bech32.key_from_file(content)
        return locked.unlock(content, case["passphrase"])
    header = None if case["header"] is None else case["header"].encode()
    if case["passphrase"] is None:
        key = bech32.key_from_text(case["key"])
    else:
        key = scheme.key_from_passphrase(header or b"", case["passphrase"])
    return scheme.restore_bytes(
        bytes.fromhex(case["pixels"]),
        header,
        shape=case["shape"],
        dtype=case["dtype"],
        key=key,
        context=case["context"],
    )


def test_every_case_has_a_name_and_its_bytes() -> None:
    """There are enough cases, no two have one name, every layer has some, and pixels fit."""
    cases = loaded("accept") + loaded("reject")
    assert len(cases) >= FEWEST_CASES
    assert len({case["name"] for case in cases}) == len(cases)
    assert {case["layer"] for case in loaded("reject")} == set(ERRORS)
    for case in cases:
        if case["what"] == "picture":
            length = prod(case["shape"]) * SAMPLE_BYTES[case["dtype"]]
            assert len(case["pixels"]) == 2 * length, case["name"]


@pytest.mark.parametrize("case", parameters("accept"))
def test_accepted(case: Case) -> None:
    """Both programs restore the plain image or read the key."""
    wanted = bytes.fromhex(case["plain"] if case["what"] == "picture" else case["secret"])
    assert read_by_package(case) == wanted
    assert read_by_reference(case) == wanted


@pytest.mark.parametrize("case", parameters("reject"))
def test_rejected_by_package(case: Case) -> None:
    """The package refuses with exactly the error of the layer."""
    with pytest.raises(SudokucryptError) as caught:
        read_by_package(case)
    assert type(caught.value) in ERRORS[case["layer"]]


@pytest.mark.parametrize("case", parameters("reject"))
def test_rejected_by_reference(case: Case) -> None:
    """The reference refuses."""
    with pytest.raises(RefusedError):
        read_by_reference(case)
