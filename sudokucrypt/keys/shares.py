"""Shares of a key: any `needed` of them give the key, and fewer reveal nothing about it.

docs/spec/key-shares-v1.md specifies them. There is a random polynomial over GF(256) for each byte
of the key, whose value at 0 is that byte; a share has the values at its number (Shamir, 1979).
Branches depend only on public numbers, so the time reveals nothing about the secret.
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
    add_origin_to_errors,
    decode_bech32,
    encode_bech32,
    normalize_key_text,
    read_key_file,
    refuse_key,
    require_no_mistake,
    split_key_texts,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence


# An integer of 32 bytes represents 32 elements of GF(256), with the modulus of AES: one per byte.
_LOW_SEVEN_BITS_MASK = int.from_bytes(b"\x7f" * KEY_LENGTH, "big")
_ONE_IN_EACH_BYTE = int.from_bytes(b"\x01" * KEY_LENGTH, "big")
_REDUCTION_POLYNOMIAL = 0x1B  # x^8 is x^4 + x^3 + x + 1
_SQUARING_COUNT = 7  # number of squarings for a^254, which is 1/a, since a^255 is 1


def evaluate_polynomials(coefficients: Sequence[bytes], number: int) -> bytes:
    """Return the values of 32 polynomials at a number; `coefficients` begin with the constants."""
    result = 0
    for coefficient in reversed(coefficients):
        result = _multiply(result, number) ^ int.from_bytes(coefficient, "big")
    return result.to_bytes(KEY_LENGTH, "big")


def interpolate_polynomials(
    points: Sequence[tuple[int, bytes]], numbers: Sequence[int]
) -> list[bytes]:
    """Return values at `numbers` of the 32 polynomials through the points (number, values)."""
    weights = [
        _invert_element(reduce(_multiply, (x ^ other for other, _ in points if other != x), 1))
        for x, _ in points
    ]
    results = []
    for number in numbers:
        product = reduce(_multiply, (number ^ x for x, _ in points), 1)
        result = 0
        for (share_number, value), weight in zip(points, weights, strict=True):
            factor = _multiply(product, _multiply(weight, _invert_element(number ^ share_number)))
            result ^= _multiply(int.from_bytes(value, "big"), factor)
        results.append(result.to_bytes(KEY_LENGTH, "big"))
    return results


def _multiply(elements: int, factor: int) -> int:
    """Multiply up to 32 elements of GF(256), which may be secret, by a public element."""
    result = 0
    while factor:
        if factor & 1:
            result ^= elements
        carries = elements >> 7 & _ONE_IN_EACH_BYTE
        elements = (elements & _LOW_SEVEN_BITS_MASK) << 1 ^ carries * _REDUCTION_POLYNOMIAL
        factor >>= 1
    return result


@cache
def _invert_element(element: int) -> int:
    """Return 1/a for a public a: a^254, the product of a^2, a^4, ... a^128."""
    result = 1
    for _ in range(_SQUARING_COUNT):
        element = _multiply(element, element)
        result = _multiply(result, element)
    return result


MAX_SHARES: Final = 255
"""Most shares of a split: a share is numbered by an element of GF(256) except 0."""

_VERSION = 1
_SPLIT_ID_LENGTH = (
    16  # bytes of the random number of a split; two splits never have the same number
)
_NUMBERS_LENGTH = 3  # bytes: version, number of needed shares, number of the share
_MAX_LABEL_LENGTH = 256  # characters, including blanks and line ends between groups
_HEAD_LENGTH = _NUMBERS_LENGTH + _SPLIT_ID_LENGTH  # bytes before the value


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

    needed: int  #: Number of shares that give the key, 2 to 255.
    number: int  #: Number of this share, 1 to 255.
    split: bytes  #: 16 random bytes that are equal in all shares of a split.
    value: bytes  #: 32 secret bytes.
    #: The place where the share was read, for messages, such as ``"'share-1.txt'"``.
    origin: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not (2 <= self.needed <= MAX_SHARES and 1 <= self.number <= MAX_SHARES):
            _refuse_share("its numbers are out of range")
        if (len(self.split), len(self.value)) != (_SPLIT_ID_LENGTH, KEY_LENGTH):
            _refuse_share("its length is wrong")

    @classmethod
    def from_text(cls, text: str) -> KeyShare:
        """Read a share from its Bech32 text, or from a whole file with `#` comment lines.

        Raises `InvalidKeyError` if there is not exactly one share or a character is wrong. The
        message locates a single wrong character, and never repeats the text.
        """
        return _require_one_share(read_shares(text))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> KeyShare:
        """Read the file of one share; errors are those of `from_text` and `Key.from_file`."""
        text = read_key_file(path)
        origin = f"'{path}'"
        shares = read_shares(text, origin=origin)
        with add_origin_to_errors(origin):
            return _require_one_share(shares)

    @classmethod
    def from_label(cls, label: str, value: bytes) -> KeyShare:
        """Return the share with a `label` and a `value` of 32 bytes.

        Raises `InvalidKeyError` if the label is not valid.
        """
        if len(label) > _MAX_LABEL_LENGTH:
            _refuse_share("its length is wrong")
        require_no_mistake(label)
        needed_count, number, split_id, _ = _parse_fields(
            normalize_key_text("".join(label.split())), LABEL_PREFIX, 0
        )
        return cls(needed_count, number, split_id, value)

    @property
    def label(self) -> str:
        """All fields except the secret value, as upper-case Bech32 text."""
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
    """Split a key into shares; any `needed` of them give the key.

    Fewer shares reveal nothing about the key, even to unlimited computation. Each split is random:
    shares of two splits of the same key do not fit together.

    Parameters
    ----------
    key : Key
        The key; an `Identity`, a `PictureKey` and a `Passphrase` have no shares.
    shares : int
        Number of shares to make, `needed` to 255.
    needed : int
        Number of shares that give the key, 2 to `shares`.

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
    if not 2 <= needed <= shares <= MAX_SHARES:
        raise InvalidParameterError(
            f"{needed} of {shares} shares cannot be needed: "
            f"at least 2 must be needed, of at most {MAX_SHARES} shares",
            hint="one share that opens alone is a copy of the key",
        )
    split_id = secrets.token_bytes(_SPLIT_ID_LENGTH)
    coefficients = [secrets.token_bytes(KEY_LENGTH) for _ in range(needed - 1)]
    return tuple(
        KeyShare(
            needed, number, split_id, evaluate_polynomials([key.to_bytes(), *coefficients], number)
        )
        for number in range(1, shares + 1)
    )


def join_key(shares: Iterable[KeyShare], *, key_id: str | None = None) -> Key:
    """Join shares, and return their key.

    Parameters
    ----------
    shares : iterable of KeyShare
        At least the needed number of shares, in any order. Further shares are checked.
    key_id : str, optional
        The `id` that the key must have. Without it, and without further shares, a changed share
        gives a wrong key.

    Raises
    ------
    InvalidKeyError
        Shares are missing, are of several splits, contradict each other, or give a key with
        another id. The message names the share, by its `origin` if it has one.

    """
    distinct_shares = list(dict.fromkeys(shares))
    _require_one_split(distinct_shares)
    shares_by_number = {share.number: share for share in reversed(distinct_shares)}
    for share in distinct_shares:
        if shares_by_number[share.number] != share:
            first, second = _describe_share(shares_by_number[share.number]), _describe_share(share)
            raise InvalidKeyError(f"{first} and {second} have the same number, and differ")
    needed_count = distinct_shares[0].needed
    if len(distinct_shares) < needed_count:
        numbers = ", ".join(map(str, sorted(shares_by_number)))
        raise InvalidKeyError(
            f"{needed_count} shares are needed, and there are only {len(distinct_shares)} "
            f"(number {numbers})",
            hint="fewer shares tell nothing about the key; see docs/howto/lost.md",
        )
    share_points = [(share.number, share.value) for share in distinct_shares[:needed_count]]
    surplus_shares = distinct_shares[needed_count:]
    secret, *values = interpolate_polynomials(
        share_points, [0, *(share.number for share in surplus_shares)]
    )
    if values != [share.value for share in surplus_shares]:
        raise InvalidKeyError(
            "the shares contradict each other: at least one of them was changed",
            hint=f"leave one out at a time; {needed_count} are enough",
        )
    key = Key(secret)
    if key_id is not None and key.id != key_id.strip().lower():
        raise InvalidKeyError(
            f"the shares give key {key.id}, not the one that was asked for",
            hint="a share was changed, or they are shares of another key",
        )
    return key


def read_shares(text: str, *, origin: str | None = None) -> list[KeyShare]:
    """Read all shares in a typed or stored text, and correct letters that look like others.

    `origin` is the name of the text in messages. Raises `InvalidKeyError` for other texts.
    """
    share_texts = [normalize_key_text(share_text) for share_text in split_key_texts(text)]
    with add_origin_to_errors(origin):
        if not share_texts:
            _refuse_share("there is none")
        require_no_mistake(text)
    shares = []
    for index, share_text in enumerate(share_texts, 1):
        has_several_texts = origin is not None and len(share_texts) > 1
        share_origin = f"text {index} of {origin}" if has_several_texts else origin
        with add_origin_to_errors(share_origin):
            shares.append(
                KeyShare(*_parse_fields(share_text, SHARE_PREFIX, KEY_LENGTH), share_origin)
            )
    return shares


def _require_one_share(shares: list[KeyShare]) -> KeyShare:
    """Return the only share of a list, or raise `InvalidKeyError` for another number of shares."""
    if len(shares) != 1:
        _refuse_share("there must be exactly one share, and nothing else but comments")
    return shares[0]


def _parse_fields(text: str, prefix: str, value_length: int) -> tuple[int, int, bytes, bytes]:
    """Return the fields of a share in a text: needed shares, number, split and value."""
    try:
        actual_prefix, data = decode_bech32(text)
    except ValueError as error:
        _refuse_share(str(error))
    if actual_prefix != prefix:
        _refuse_share(f"a share starts with {prefix.upper()}1")
    if len(data) != _HEAD_LENGTH + value_length:
        _refuse_share("its length is wrong")
    version, needed_count, number = data[:_NUMBERS_LENGTH]
    if version != _VERSION:
        _refuse_share("it is of a newer version")
    return needed_count, number, data[_NUMBERS_LENGTH:_HEAD_LENGTH], data[_HEAD_LENGTH:]


def _require_one_split(shares: Sequence[KeyShare]) -> None:
    """Raise `InvalidKeyError` for shares of several splits; it names a share of a rarer split."""
    splits = [(share.split, share.needed) for share in shares]
    if not splits:
        raise InvalidKeyError("there is no share")
    most_common_split = max(splits, key=splits.count)
    for share, split in zip(shares, splits, strict=True):
        if split != most_common_split:
            common_share = shares[splits.index(most_common_split)]
            raise InvalidKeyError(
                f"{_describe_share(share)} is of another split than "
                f"{_describe_share(common_share)}",
                hint="every split of a key has shares of its own, which fit no others",
            )


def _describe_share(share: KeyShare) -> str:
    return share.origin or f"share {share.number}"


def _refuse_share(reason: str) -> NoReturn:
    """Raise `InvalidKeyError` for a text that is not a share."""
    refuse_key(
        reason,
        noun="key share",
        hint="copy all of it again; 'split_key' makes shares",
        hint_key="share",
    )
