"""Shares of a key: any `needed` of them give the key, and fewer tell nothing about it.

docs/spec/key-shares-v1.md says how. A share has the values at its number of random polynomials over
GF(256), one for each byte, whose values at 0 are the key (Shamir, 1979). Only public numbers decide
which steps are taken, so no time and no table depends on a secret.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import TYPE_CHECKING, Final, NoReturn

from sudokucrypt.errors import InvalidKeyError, InvalidParameterError
from sudokucrypt.keys.key import KEY_LENGTH, Key
from sudokucrypt.keys.texts import (
    LABEL_PREFIX,
    SHARE_PREFIX,
    decode_bech32,
    encode_bech32,
    error_context,
    key_texts,
    normalize,
    read_key_file,
    refuse_key,
    require_no_mistake,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence


# Bytes of GF(256) with the modulus of AES, side by side in one integer.
_LOW_BITS = int.from_bytes(b"\x7f" * KEY_LENGTH, "big")
_ONES = int.from_bytes(b"\x01" * KEY_LENGTH, "big")
_REDUCTION = 0x1B  # x^8 is x^4 + x^3 + x + 1
_SQUARES = 7  # a^254 is 1/a, as a^255 is 1


def evaluate(coefficients: Sequence[bytes], number: int) -> bytes:
    """Return the values of 32 polynomials at a number; coefficients from the constant one on."""
    result = 0
    for coefficient in reversed(coefficients):
        result = _multiply(result, number) ^ int.from_bytes(coefficient, "big")
    return result.to_bytes(KEY_LENGTH, "big")


def interpolate(points: Sequence[tuple[int, bytes]], numbers: Sequence[int]) -> list[bytes]:
    """Return the values at numbers of the polynomials through points: other numbers, and values."""
    weights = [
        _invert_element(reduce(_multiply, (own ^ other for other, _ in points if other != own), 1))
        for own, _ in points
    ]
    results = []
    for number in numbers:
        whole = reduce(_multiply, (number ^ other for other, _ in points), 1)
        result = 0
        for (own, value), weight in zip(points, weights, strict=True):
            factor = _multiply(whole, _multiply(weight, _invert_element(number ^ own)))
            result ^= _multiply(int.from_bytes(value, "big"), factor)
        results.append(result.to_bytes(KEY_LENGTH, "big"))
    return results


def _multiply(elements: int, factor: int) -> int:
    """Multiply each of up to 32 elements of GF(256), which may be secret, by a public one."""
    result = 0
    while factor:
        if factor & 1:
            result ^= elements
        carries = elements >> 7 & _ONES
        elements = (elements & _LOW_BITS) << 1 ^ carries * _REDUCTION
        factor >>= 1
    return result


@cache
def _invert_element(element: int) -> int:
    """Return 1/a for a public a: a^254, the product of a^2, a^4, ... a^128."""
    result = 1
    for _ in range(_SQUARES):
        element = _multiply(element, element)
        result = _multiply(result, element)
    return result


MOST_SHARES: Final = 255
"""Most shares of a split: the numbers of a share are the elements of GF(256) except 0."""

_VERSION = 1
_SPLIT_LENGTH = 16  # bytes, so that no two splits get the same
_NUMBERS = 3  # bytes: version, needed shares, number
_LONGEST_LABEL = 256  # characters, with blanks and lines between groups
_HEAD = _NUMBERS + _SPLIT_LENGTH  # bytes before the value


@dataclass(frozen=True, repr=False)
class KeyShare:
    """One share of a key that `split_key` has split.

    `repr` never shows its value, and pickling is refused.

    Raises `InvalidKeyError` if a field is out of its range.

    >>> first, second, third = split_key(Key(bytes(32)), shares=3, needed=2)
    >>> join_key([third, first]) == Key(bytes(32))
    True
    >>> KeyShare.from_text(second.to_text()) == second
    True
    """

    needed: int  #: How many shares give the key, 2 to 255.
    number: int  #: Its number, 1 to 255.
    split: bytes  #: 16 random bytes that all shares of a split have in common.
    value: bytes  #: 32 secret bytes.
    #: Where the share was read, as messages call it, such as ``"'share-1.txt'"``.
    origin: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not (2 <= self.needed <= MOST_SHARES and 1 <= self.number <= MOST_SHARES):
            _refuse("its numbers are out of range")
        if (len(self.split), len(self.value)) != (_SPLIT_LENGTH, KEY_LENGTH):
            _refuse("its length is wrong")

    @classmethod
    def from_text(cls, text: str) -> KeyShare:
        """Read a share from its Bech32 text, or from a whole file with `#` comment lines.

        Raises `InvalidKeyError` if there is not exactly one share or a character is wrong, and
        says which one if it can; the message never repeats the text.
        """
        return _require_one(read_shares(text))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> KeyShare:
        """Read the file of one share; errors are those of `from_text` and `Key.from_file`."""
        text = read_key_file(path)
        origin = f"'{path}'"
        shares = read_shares(text, origin=origin)
        with error_context(origin):
            return _require_one(shares)

    @classmethod
    def from_label(cls, label: str, value: bytes) -> KeyShare:
        """Return the share with a `label` and a `value` of 32 bytes.

        Raises `InvalidKeyError` if the label is none.
        """
        if len(label) > _LONGEST_LABEL:
            _refuse("its length is wrong")
        require_no_mistake(label)
        needed, number, split, _ = _parse_fields(normalize("".join(label.split())), LABEL_PREFIX, 0)
        return cls(needed, number, split, value)

    @property
    def label(self) -> str:
        """Everything but the value, which is public, as upper-case Bech32 text."""
        return encode_bech32(LABEL_PREFIX, self._make_head()).upper()

    def to_text(self) -> str:
        """Return the share as upper-case Bech32 text."""
        return encode_bech32(SHARE_PREFIX, self._make_head() + self.value).upper()

    def to_file_text(self) -> str:
        """Return the content of a file of the share: comment lines, then the text."""
        return (
            f"# share {self.number} of a sudokucrypt key, of which {self.needed} are needed\n"
            f"# split: {self.split.hex()}\n{self.to_text()}\n"
        )

    def _make_head(self) -> bytes:
        return bytes([_VERSION, self.needed, self.number]) + self.split

    def __repr__(self) -> str:
        return f"<KeyShare {self.number}, of which {self.needed} are needed>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a share is never pickled, since the pickle would hold the secret")


def split_key(key: Key, *, shares: int, needed: int) -> tuple[KeyShare, ...]:
    """Split a key into shares, of which any `needed` give it back.

    Fewer than that tell nothing about the key, whatever is computed from them. Every split is
    random: shares of two splits of one key do not fit together.

    Parameters
    ----------
    key : Key
        The key; an `Identity`, a `PictureKey` and a `Passphrase` have no shares.
    shares : int
        How many shares are made, `needed` to 255.
    needed : int
        How many of them give the key, 2 to `shares`.

    Returns
    -------
    tuple of KeyShare
        The shares, with the numbers 1 to `shares`.

    Raises
    ------
    InvalidKeyError
        `key` is not a `Key`.
    InvalidParameterError
        A number is out of its range.

    """
    if not isinstance(key, Key):
        raise InvalidKeyError(f"only a Key has shares, not a {type(key).__name__}")
    if not 2 <= needed <= shares <= MOST_SHARES:
        raise InvalidParameterError(
            f"{needed} of {shares} shares cannot be needed: "
            f"it must be at least 2 of at most {MOST_SHARES}",
            hint="one share that opens alone is a copy of the key",
        )
    split = secrets.token_bytes(_SPLIT_LENGTH)
    coefficients = [secrets.token_bytes(KEY_LENGTH) for _ in range(needed - 1)]
    return tuple(
        KeyShare(needed, number, split, evaluate([key.to_bytes(), *coefficients], number))
        for number in range(1, shares + 1)
    )


def join_key(shares: Iterable[KeyShare], *, key_id: str | None = None) -> Key:
    """Return the key of which these are shares.

    Parameters
    ----------
    shares : iterable of KeyShare
        At least as many as are needed, in any order. More of them are compared with the others.
    key_id : str, optional
        The `id` that the key must have. Without it, and with no more shares than are needed, a
        changed share gives another key.

    Raises
    ------
    InvalidKeyError
        Shares are missing, are of several splits, contradict each other, or give a key with
        another id. The message names the share, by its `origin` if it has one.

    """
    given = list(dict.fromkeys(shares))
    _require_one_split(given)
    by_number = {share.number: share for share in reversed(given)}
    for share in given:
        if by_number[share.number] != share:
            first, second = _name(by_number[share.number]), _name(share)
            raise InvalidKeyError(f"{first} and {second} have the same number, and differ")
    needed, present = given[0].needed, sorted(by_number)
    if len(given) < needed:
        numbers = ", ".join(map(str, present))
        raise InvalidKeyError(
            f"{needed} shares are needed, and there are only {len(given)} (number {numbers})",
            hint="fewer shares tell nothing about the key; see docs/howto/lost.md",
        )
    points = [(share.number, share.value) for share in given[:needed]]
    others = given[needed:]
    secret, *values = interpolate(points, [0, *(share.number for share in others)])
    if values != [share.value for share in others]:
        raise InvalidKeyError(
            "the shares contradict each other: at least one of them was changed",
            hint=f"leave one out at a time; {needed} are enough",
        )
    key = Key(secret)
    if key_id is not None and key.id != key_id.strip().lower():
        raise InvalidKeyError(
            f"the shares give key {key.id}, not the one that was asked for",
            hint="a share was changed, or they are shares of another key",
        )
    return key


def read_shares(text: str, *, origin: str | None = None) -> list[KeyShare]:
    """Read the shares in what someone typed or stored; letters that look alike are read.

    `origin` is what messages call the text. Raises `InvalidKeyError` for anything but shares.
    """
    texts = [normalize(each) for each in key_texts(text)]
    with error_context(origin):
        if not texts:
            _refuse("there is none")
        require_no_mistake(text)
    result = []
    for index, each in enumerate(texts, 1):
        where = origin if origin is None or len(texts) == 1 else f"text {index} of {origin}"
        with error_context(where):
            result.append(KeyShare(*_parse_fields(each, SHARE_PREFIX, KEY_LENGTH), where))
    return result


def _require_one(shares: list[KeyShare]) -> KeyShare:
    """Return the one share of a list."""
    if len(shares) != 1:
        _refuse("there must be exactly one share, and nothing else but comments")
    return shares[0]


def _parse_fields(text: str, prefix: str, length: int) -> tuple[int, int, bytes, bytes]:
    """Return needed shares, number, split and value in a text; the value has `length` bytes."""
    try:
        actual, data = decode_bech32(text)
    except ValueError as error:
        _refuse(str(error))
    if actual != prefix:
        _refuse(f"a share starts with {prefix.upper()}1")
    if len(data) != _HEAD + length:
        _refuse("its length is wrong")
    version, needed, number = data[:_NUMBERS]
    if version != _VERSION:
        _refuse("it is of a newer version")
    return needed, number, data[_NUMBERS:_HEAD], data[_HEAD:]


def _require_one_split(shares: Sequence[KeyShare]) -> None:
    """Refuse shares of several splits, and name one that is of another split than most."""
    kinds = [(share.split, share.needed) for share in shares]
    if not kinds:
        raise InvalidKeyError("there is no share")
    usual = max(kinds, key=kinds.count)
    for share, kind in zip(shares, kinds, strict=True):
        if kind != usual:
            same = next(each for each, its in zip(shares, kinds, strict=True) if its == usual)
            raise InvalidKeyError(
                f"{_name(share)} is of another split than {_name(same)}",
                hint="every split of a key has shares of its own, which fit no others",
            )


def _name(share: KeyShare) -> str:
    return share.origin or f"share {share.number}"


def _refuse(reason: str) -> NoReturn:
    """Raise `InvalidKeyError` for a text that is not a share."""
    refuse_key(
        reason,
        noun="key share",
        hint="copy all of it again; 'split_key' makes shares",
        hint_key="share",
    )
