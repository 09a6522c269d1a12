"""What the generators of the vectors share: the key, plain images, and the form of bytes."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from sudokucrypt import Key, KeyDerivation, KeyStream, SudokucryptError
from sudokucrypt.ciphers import ContextScheme, find_scheme
from sudokucrypt.keys.key import derive_bytes
from sudokucrypt.recipes.protection import Protection
from sudokucrypt.typing import AnyArray
from tests.kit.replay import load

KEY = Key(bytes(range(32)))
SALT = bytes(range(16))
SECRET = KEY.to_bytes()
Case = dict[str, Any]

SHOWN = 512
"""Results of more bytes than this are given by their SHA-256."""

PERIOD = 65521
"""Plain images repeat after the given number of bytes. It is prime, so that no two chunks are
alike."""


def find_faults(cases: Iterable[Case], check: Callable[[Case], None]) -> dict[str, str]:
    """What is wrong with which case; one test for many of them, since they are thousands."""
    failures = {}
    number = 0
    for number, case in enumerate(cases, 1):
        try:
            check(case)
        except (AssertionError, SudokucryptError) as error:
            failures[case.get("name") or f"{case['label']} {number}"] = f"{error!r:.200}"
    assert number > 0
    return failures


def check_each(
    kind: str, chosen: Callable[[Case], bool] = lambda _: True
) -> Callable[[Callable[[Case], None]], Callable[[], None]]:
    """Make a law of a case a test of all cases of this kind that are chosen."""

    def make_test(law: Callable[[Case], None]) -> Callable[[], None]:
        def test() -> None:
            assert not find_faults(filter(chosen, load(kind)), law)

        test.__name__, test.__doc__ = law.__name__, law.__doc__
        return test

    return make_test


def make_protection(
    scheme: str = "encrypt-v1",
    *,
    context: str | None = None,
    salt: bytes | str | None = SALT,
    kdf: str | None = None,
    **options: Any,
) -> Protection:
    """Return the settings that protect a picture: a context has its own scheme, and no salt."""
    if context is not None:
        scheme, salt = ContextScheme.name, None
    return Protection(
        scheme=find_scheme(scheme, context),
        salt=bytes.fromhex(salt) if isinstance(salt, str) else salt,
        derivation=None if kdf is None else KeyDerivation.from_text(kdf),
        **options,
    )


def encode_or_digest(data: bytes) -> str:
    """Return short data in hexadecimal, long data as its digest."""
    return data.hex() if len(data) <= SHOWN else "sha256:" + hashlib.sha256(data).hexdigest()


def make_stream(use: str, context: bytes) -> KeyStream:
    """Return a stream of the vectors: its use has no level, so no scheme has the same."""
    return KeyStream(derive_bytes(SECRET, use, context))


def make_plain_bytes(label: str, length: int) -> bytes:
    """Return the plain image of a case: the stream for the use ``vectors``, over and over."""
    random_bytes = make_stream("vectors", label.encode()).read(min(length, PERIOD))
    return (random_bytes * (length // PERIOD + 1))[:length]


def make_plain_image(label: str, shape: Sequence[int], dtype: str) -> AnyArray:
    """Return the plain image of a case as an array; booleans are the lowest bits of the bytes."""
    little = np.dtype(dtype).newbyteorder("<")
    data = make_plain_bytes(label, prod(shape) * little.itemsize)
    if dtype == "bool":
        data = bytes(byte & 1 for byte in data)
    return np.frombuffer(data, little).reshape(shape)


def write_little(pixels: AnyArray) -> bytes:
    """Return the samples, lowest byte first."""
    return pixels.astype(pixels.dtype.newbyteorder("<")).tobytes()


def flip_bit(data: bytes, bit: int) -> bytes:
    """Return the bytes with one bit changed; negative numbers count from the end."""
    changed = bytearray(data)
    bit %= 8 * len(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def alter_bytes(data: bytes, change: Case) -> bytes:
    """Return bytes that a row changes.

    A bit is flipped, or two bytes are exchanged, or at a position bytes are left out and others
    put in, or only the first ones stay, with zeros behind them.
    """
    if "flip" in change:
        return flip_bit(data, change["flip"])
    if "exchange" in change:
        first_range, second_range = change["exchange"]
        changed = bytearray(data)
        changed[first_range], changed[second_range] = data[second_range], data[first_range]
        return bytes(changed)
    if "at" in change:
        start_byte, end_byte = change["at"], change["at"] + change["out"]
        return data[:start_byte] + bytes.fromhex(change["in"]) + data[end_byte:]
    return data[: change.get("first", len(data))] + bytes(change.get("zeros", 0))


def change_text(data: bytes, change: Sequence[str]) -> bytes:
    """Return data in which another text replaces one that it has once."""
    old_bytes, new_bytes = (text.encode("utf-8") for text in change)
    assert data.count(old_bytes) == 1, change
    return data.replace(old_bytes, new_bytes)
