"""Cases of key cards: the grids of a dozen keys, and grids that stand for none."""

from collections.abc import Iterator, Sequence

from sudokucrypt import Key
from sudokucrypt.cards import card_grids
from sudokucrypt.cards.numbers import decode_key
from sudokucrypt.keys import KeyShare, join_key
from sudokucrypt.keys.shares import evaluate
from sudokucrypt.keys.texts import encode_bech32
from sudokucrypt.sudoku import grid_total, rank, unrank
from tests.vectors.common import KEY, Case, make_plain_bytes

TOTAL = grid_total()
CHECKS = TOTAL**4 >> 256
CHECK_BYTES = 8


def cards() -> list[Case]:
    """Return a case for each card: its key, or none if it is refused."""
    return [*_right(), *_wrong()]


def _right() -> Iterator[Case]:
    keys = {"the least key": bytes(32), "the largest key": b"\xff" * 32, "00 to 1f": KEY.to_bytes()}
    keys |= {f"key {index}": make_plain_bytes(f"key card {index}", 32) for index in range(9)}
    for name, secret in keys.items():
        key = Key(secret)
        yield _case(name, [grid.to_text() for grid in card_grids(key)], key)


def _wrong() -> Iterator[Case]:
    number, zero = int.from_bytes(KEY.to_bytes(), "big"), Key(bytes(32))
    grids = [grid.to_text() for grid in card_grids(KEY)]
    first, second, third, fourth = grids
    yield _case("the check of another key", _grids_of(number * CHECKS + _check(zero)), None)
    yield _case("a check that is larger by 1", _grids_of(number * CHECKS + _check(KEY) + 1), None)
    yield _case("another order", [second, first, third, fourth], None)
    yield _case("a key of 257 bits, modulo 2^256", _grids_of(2**256 * CHECKS + _check(zero)), None)
    yield _case("the last grids", _grids_of(TOTAL**4 - 1), None)
    for name, text in {
        "a digit twice in a row, a column and a box": "1" + first[:1] + first[2:],
        "two digits of a row exchanged": first[1] + first[0] + first[2:],
        "two rows of two boxes exchanged": first[27:36] + first[9:27] + first[:9] + first[36:],
        "an open cell": "0" + first[1:],
        "80 cells": first[:-1],
        "82 cells": first + "1",
    }.items():
        yield _case(name, [text, second, third, fourth], None, numbers=False)


def _check(key: Key) -> int:
    return int.from_bytes(key.subkey("card", length=CHECK_BYTES), "big") % CHECKS


def _grids_of(number: int) -> list[str]:
    """Return the four grids for a number below T^4, a valid card or not."""
    numbers = [number // TOTAL**power % TOTAL for power in (3, 2, 1, 0)]
    return [unrank(each).to_text() for each in numbers]


def _case(name: str, grids: list[str], key: Key | None, *, numbers: bool = True) -> Case:
    ranks = [rank(grid) for grid in grids] if numbers else None
    assert ranks is None or decode_key(ranks) == key
    return {
        "name": name,
        "key": None if key is None else key.to_bytes().hex(),
        "check": None if key is None else _check(key),
        "grids": grids,
        "numbers": None if ranks is None else list(map(str, ranks)),
    }


# Cases of key shares: those of some splits, and texts that give no key.


PREFIX = "sudokucrypt-key-share-"


def shares() -> list[Case]:
    """Return a case for each split, and for each group of texts that is refused."""
    return [*_right_shares(), *_wrong_shares()]


def _right_shares() -> Iterator[Case]:
    for count, needed, given in (
        (2, 2, (2, 1)),
        (3, 2, (1, 3)),
        (5, 3, (5, 1, 4)),
        (5, 3, (1, 2, 3, 4, 5)),
        (9, 9, (9, 8, 7, 6, 5, 4, 3, 2, 1)),
        (9, 4, (2, 9, 3, 7)),
        (255, 3, (255, 128, 1)),
        (3, 2, (1, 1, 2)),
    ):
        name = f"{needed} of {count}, joined from {', '.join(map(str, given))}"
        made, coefficients = _make_case(name, count, needed)
        yield {
            "name": name,
            "needed": needed,
            "split": made[0].split.hex(),
            "coefficients": [each.hex() for each in coefficients],
            "made": [share.to_text() for share in made] if count < 10 else None,
            "given": [made[number - 1].to_text() for number in given],
            "key": KEY.to_bytes().hex(),
            "card": {
                "number": given[0],
                "label": made[given[0] - 1].label,
                "grids": [grid.to_text() for grid in card_grids(made[given[0] - 1])],
            },
        }


def _wrong_shares() -> Iterator[Case]:
    (one, two, three, *_), _ = _make_case("a", 5, 3)
    (other, *_), _ = _make_case("b", 5, 3)
    moved = KeyShare(3, 4, one.split, one.value)
    for name, texts in {
        "nothing": [],
        "two of three": [one.to_text(), two.to_text()],
        "one of three, three times": [one.to_text()] * 3,
        "one of another split": [one.to_text(), two.to_text(), other.to_text()],
        "another number of needed shares": [
            one.to_text(),
            two.to_text(),
            KeyShare(2, 3, one.split, three.value).to_text(),
        ],
        "one number with two values": [
            *(share.to_text() for share in (one, two, three)),
            KeyShare(3, 1, one.split, two.value).to_text(),
        ],
        "a fourth that contradicts three": [share.to_text() for share in (one, two, three, moved)],
        "a wrong checksum": [one.to_text(), two.to_text(), _damage_data(three.to_text())],
        "the text of a key": [one.to_text(), two.to_text(), KEY.to_text()],
        "a label": [one.to_text(), two.to_text(), three.label],
        "the prefix of a key": [*_texts(one, two), _text(_payload(three), "sudokucrypt-key-")],
        "version 2": [*_texts(one, two), _text(b"\x02" + _payload(three)[1:])],
        "needed shares 1": [_text(b"\x01\x01" + _payload(one)[2:])],
        "needed shares 0": [_text(b"\x01\x00" + _payload(one)[2:])],
        "number 0": [*_texts(one, two), _text(b"\x01\x03\x00" + _payload(three)[3:])],
        "50 bytes": [*_texts(one, two), _text(_payload(three)[:-1])],
        "52 bytes": [*_texts(one, two), _text(_payload(three) + b"\0")],
    }.items():
        yield {
            "name": name,
            "needed": None,
            "split": None,
            "coefficients": None,
            "made": None,
            "given": texts,
            "key": None,
            "card": None,
        }


def _make_case(label: str, count: int, needed: int) -> tuple[Sequence[KeyShare], list[bytes]]:
    """Return shares whose random bytes are those of the label, and the coefficients."""
    split = make_plain_bytes(f"split {label}", 16)
    coefficients = [KEY.to_bytes()]
    coefficients += [make_plain_bytes(f"coefficient {i} {label}", 32) for i in range(1, needed)]
    made = [
        KeyShare(needed, number, split, evaluate(coefficients, number))
        for number in range(1, count + 1)
    ]
    assert join_key(made) == KEY
    return made, coefficients


def _texts(*made: KeyShare) -> list[str]:
    return [share.to_text() for share in made]


def _payload(share: KeyShare) -> bytes:
    return bytes([1, share.needed, share.number]) + share.split + share.value


def _text(payload: bytes, prefix: str = PREFIX) -> str:
    return encode_bech32(prefix, payload).upper()


def _damage_data(text: str) -> str:
    return text[:-1] + ("Q" if text[-1] != "Q" else "P")
