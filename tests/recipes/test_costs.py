"""What a header may cost: whatever it claims, it is refused before there is work or memory."""

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Header,
    Key,
    KeyDerivation,
    Passphrase,
    UnsupportedError,
    decrypt,
    decrypt_file,
    encrypt,
    encrypt_file,
    rekey_file,
    scramble,
    scramble_file,
    unscramble,
    unscramble_file,
)
from sudokucrypt.bijections import UnitPermutation
from sudokucrypt.keys import KeyStream
from sudokucrypt.recipes import read_header, sealed_info
from tests.images.builders import encoded
from tests.recipes.memory import inspect_picture
from tests.recipes.test_arrays import image

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
WORD = Passphrase("open")
PLAIN = image((12, 17))
SEALED = encrypt(PLAIN, KEY).header
ARRAYS: Any = [(scramble, unscramble), (encrypt, decrypt)]
HUGE = 2**31 - 1


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The costly calls that were made, by name; none of them does its work."""
    result: list[str] = []

    def note(owner: Any, name: str, label: str) -> None:
        def noted(*arguments: Any, **options: Any) -> Any:
            del arguments, options
            result.append(label)
            raise AssertionError(label)

        monkeypatch.setattr(owner, name, noted)

    note(KeyDerivation, "_derive", "derivation")
    note(UnitPermutation, "__init__", "permutation")
    note(KeyStream, "mask", "key stream")
    return result


def calls(header: Header, key: Any) -> list[Callable[[], object]]:
    """All that opens a protected picture, for one with this header."""
    data = encoded(PLAIN, "PNG", header=header.to_bytes())
    restore, restore_file = (
        (decrypt, decrypt_file) if header.scheme == "encrypt-v1" else (unscramble, unscramble_file)
    )
    return [
        lambda: restore(PLAIN, key, header),
        lambda: restore_file(io.BytesIO(data), io.BytesIO(), key),
        lambda: rekey_file(io.BytesIO(data), io.BytesIO(), key, OTHER),
        lambda: inspect_picture(io.BytesIO(data), key),
        lambda: sealed_info(header, key),
    ]


@pytest.mark.parametrize(("scheme", "rounds"), [("encrypt-v1", 17), ("scramble-v1", 255)])
def test_rounds_are_limited(scheme: str, rounds: int, spent: list[str]) -> None:
    """More than 16 rounds are refused at once, even under the right key, and the hint says how."""
    header = Header(
        scheme=scheme, unit="pixel", rounds=rounds, shape=PLAIN.shape, dtype="uint8",
        key_id=KEY.id, kdf="argon2id:m=64,t=1,p=1:" + "00" * 16,
        salt=bytes(16), tag=bytes(32), header_mac=bytes(32),
    )  # fmt: skip
    sealed = replace(header, header_mac=KEY.picture_key(bytes(16)).seal(header))
    for key in (KEY, WORD, KEY.picture_key(bytes(16))):
        for call in calls(sealed, key):
            with pytest.raises(
                UnsupportedError, match=f"{rounds} rounds, more than the 16"
            ) as caught:
                call()
            assert "max_rounds" in str(caught.value.hint)
    assert not spent


@pytest.mark.parametrize(("protect", "restore"), ARRAYS)
@pytest.mark.parametrize("rounds", [1, 16, 17])
def test_rounds_that_are_allowed(protect: Any, restore: Any, rounds: int) -> None:
    """16 rounds are restored as they are, more of them where the caller allows so many."""
    result = protect(PLAIN, KEY, rounds=rounds)
    assert np.array_equal(restore(result.pixels, KEY, result.header, max_rounds=rounds), PLAIN)
    if rounds > 1:
        with pytest.raises(UnsupportedError, match="rounds"):
            restore(result.pixels, KEY, result.header, max_rounds=rounds - 1)
    if rounds <= 16:
        assert np.array_equal(restore(result.pixels, KEY, result.header), PLAIN)


@pytest.mark.parametrize("protect", [encrypt_file, scramble_file])
def test_files_of_many_rounds(protect: Any) -> None:
    """The same in files, by every call that opens one."""
    restore: Any = decrypt_file if protect is encrypt_file else unscramble_file
    data, again, back = io.BytesIO(), io.BytesIO(), io.BytesIO()
    protect(io.BytesIO(encoded(PLAIN, "PNG")), data, KEY, rounds=20)
    with pytest.raises(UnsupportedError, match="rounds"):
        rekey_file(io.BytesIO(data.getvalue()), again, KEY, OTHER)
    rekey_file(io.BytesIO(data.getvalue()), again, KEY, OTHER, max_rounds=20)
    assert inspect_picture(io.BytesIO(again.getvalue()), OTHER, max_rounds=20)[0].rounds == 20
    with pytest.raises(UnsupportedError, match="rounds"):
        inspect_picture(io.BytesIO(again.getvalue()), OTHER, max_rounds=19)
    with pytest.raises(UnsupportedError, match="rounds"):
        restore(io.BytesIO(again.getvalue()), back, OTHER)
    restore(io.BytesIO(again.getvalue()), back, OTHER, max_rounds=20)


def test_a_context_has_the_same_limit() -> None:
    """Nothing authenticates the rounds of a context, so that they are limited all the more."""
    result = scramble(PLAIN, KEY, context="x", rounds=17)
    with pytest.raises(UnsupportedError, match="17 rounds"):
        unscramble(result.pixels, KEY, result.header, context="x")
    back = unscramble(result.pixels, KEY, result.header, context="x", max_rounds=17)
    assert np.array_equal(back, PLAIN)


@pytest.mark.parametrize(
    "kdf",
    ["argon2id:m=917505,t=1,p=1", "argon2id:m=4194304,t=64,p=64", "argon2id:m=65536,t=65,p=1",
     "argon2id:m=9999999999,t=9999999999,p=1", "argon2id:m=1024,t=1,p=17",
     "scrypt:m=524288,t=1,p=3", "scrypt:m=4194304,t=1,p=64", "balloon:m=9"],
)  # fmt: skip
def test_derivations_are_limited(kdf: str, spent: list[str]) -> None:
    """What costs more than a stranger may ask for, or is unknown, is refused underived."""
    header = replace(SEALED, kdf=f"{kdf}:" + "00" * 16)
    for call in calls(header, WORD):
        with pytest.raises((UnsupportedError, FormatError), match=r"allowed|malformed"):
            call()
    assert not spent


def test_a_derivation_at_the_limit_is_paid_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dearest one that is allowed is derived once for each picture, and nothing behind it."""
    costs: list[str] = []

    def derived(self: KeyDerivation, secret: bytes) -> bytes:
        costs.append(self.to_text().rpartition(":")[0])
        return secret.ljust(32, b"\0")

    monkeypatch.setattr(KeyDerivation, "_derive", derived)
    for kdf in ("argon2id:m=917504,t=4,p=16", "scrypt:m=524288,t=1,p=2"):
        header = replace(SEALED, kdf=f"{kdf}:" + "00" * 16)
        for index in range(len(calls(header, WORD))):
            costs.clear()
            call = calls(header, Passphrase(f"{index}"))[index]
            with pytest.raises(DecryptionError):
                call()
            assert costs == [kdf]


@pytest.mark.parametrize(
    "change",
    [
        {"shape": (HUGE, HUGE, HUGE)},
        {"encrypted_metadata": b"[" * 2**18},
        {"encrypted_metadata": b'{"format":"PNG","frames":[' * 2**13},
    ],
    ids=["shape", "deep", "wide"],
)
def test_claims_are_not_believed(change: dict[str, Any], spent: list[str]) -> None:
    """Huge shapes and extras: none is laid out or parsed."""
    for scheme, key in (("encrypt-v1", KEY), ("scramble-v1", KEY.picture_key(bytes(16)))):
        header = replace(SEALED, scheme=scheme, **change)
        for call in calls(header, key):
            with pytest.raises(DecryptionError):
                call()
        read_header(io.BytesIO(encoded(PLAIN, "PNG", header=header.to_bytes())))
    assert not spent
