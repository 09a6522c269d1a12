"""Cases of key cards: the grids of a dozen keys, and grids that stand for none."""

from collections.abc import Iterator, Sequence

from sudokucrypt import Key
from sudokucrypt.cards import card_grids
from sudokucrypt.cards.numbers import decode_key
from sudokucrypt.keys import KeyShare, join_key
from sudokucrypt.keys.shares import evaluate_polynomials
from sudokucrypt.keys.texts import encode_bech32
from sudokucrypt.sudoku import grid_total, rank, unrank
from tests.vectors.common import KEY, Case, make_plain_bytes

TOTAL = grid_total()
CHECKS = TOTAL**4 >> 256
CHECK_BYTES = 8


def make_cards() -> list[Case]:
    """Return a case for each card: its key, or none if it is refused."""
    return [*_make_right(), *_make_wrong()]


def _make_right() -> Iterator[Case]:
    keys = {"the least key": bytes(32), "the largest key": b"\xff" * 32, "00 to 1f": KEY.to_bytes()}
    keys |= {f"key {index}": make_plain_bytes(f"key card {index}", 32) for index in range(9)}
    for name, secret in keys.items():
        key = Key(secret)
        yield _make_row(name, [grid.to_text() for grid in card_grids(key)], key)


def _make_wrong() -> Iterator[Case]:
    number, zero = int.from_bytes(KEY.to_bytes(), "big"), Key(bytes(32))
    grids = [grid.to_text() for grid in card_grids(KEY)]
    first, second, third, fourth = grids
    yield _make_row(
        "the check of another key", _make_grids(number * CHECKS + _find_check(zero)), None
    )
    yield _make_row(
        "a check that is larger by 1",
        _make_grids(number * CHECKS + _find_check(KEY) + 1),
        None,
    )
    yield _make_row("another order", [second, first, third, fourth], None)
    yield _make_row(
        "a key of 257 bits, modulo 2^256",
        _make_grids(2**256 * CHECKS + _find_check(zero)),
        None,
    )
    yield _make_row("the last grids", _make_grids(TOTAL**4 - 1), None)
    for name, text in {
        "a digit twice in a row, a column and a box": "1" + first[:1] + first[2:],
        "two digits of a row exchanged": first[1] + first[0] + first[2:],
        "two rows of two boxes exchanged": first[27:36] + first[9:27] + first[:9] + first[36:],
        "an open cell": "0" + first[1:],
        "80 cells": first[:-1],
        "82 cells": first + "1",
    }.items():
        yield _make_row(name, [text, second, third, fourth], None, numbers=False)


def _find_check(key: Key) -> int:
    return int.from_bytes(key.subkey("card", length=CHECK_BYTES), "big") % CHECKS


def _make_grids(number: int) -> list[str]:
    """Return the four grids for a number below T^4, a valid card or not."""
    numbers = [number // TOTAL**power % TOTAL for power in (3, 2, 1, 0)]
    return [unrank(each).to_text() for each in numbers]


def _make_row(name: str, grids: list[str], key: Key | None, *, numbers: bool = True) -> Case:
    ranks = [rank(grid) for grid in grids] if numbers else None
    assert ranks is None or decode_key(ranks) == key
    return {
        "name": name,
        "key": None if key is None else key.to_bytes().hex(),
        "check": None if key is None else _find_check(key),
        "grids": grids,
        "numbers": None if ranks is None else list(map(str, ranks)),
    }


# Cases of key shares: those of some splits, and texts that give no key.


PREFIX = "sudokucrypt-key-share-"


def make_shares() -> list[Case]:
    """Return a case for each split, and for each group of texts that is refused."""
    return [*_make_right_shares(), *_make_wrong_shares()]


def _make_right_shares() -> Iterator[Case]:
    for count, needed, given_count in (
        (2, 2, (2, 1)),
        (3, 2, (1, 3)),
        (5, 3, (5, 1, 4)),
        (5, 3, (1, 2, 3, 4, 5)),
        (9, 9, (9, 8, 7, 6, 5, 4, 3, 2, 1)),
        (9, 4, (2, 9, 3, 7)),
        (255, 3, (255, 128, 1)),
        (3, 2, (1, 1, 2)),
    ):
        name = f"{needed} of {count}, joined from {', '.join(map(str, given_count))}"
        made_shares, coefficients = _make_case(name, count, needed)
        yield {
            "name": name,
            "needed": needed,
            "split": made_shares[0].split.hex(),
            "coefficients": [each.hex() for each in coefficients],
            "made": [share.to_text() for share in made_shares] if count < 10 else None,
            "given": [made_shares[number - 1].to_text() for number in given_count],
            "key": KEY.to_bytes().hex(),
            "card": {
                "number": given_count[0],
                "label": made_shares[given_count[0] - 1].label,
                "grids": [grid.to_text() for grid in card_grids(made_shares[given_count[0] - 1])],
            },
        }


def _make_wrong_shares() -> Iterator[Case]:
    (one, two, three, *_), _ = _make_case("a", 5, 3)
    (other_share, *_), _ = _make_case("b", 5, 3)
    moved = KeyShare(3, 4, one.split, one.value)
    for name, texts in {
        "nothing": [],
        "two of three": [one.to_text(), two.to_text()],
        "one of three, three times": [one.to_text()] * 3,
        "one of another split": [one.to_text(), two.to_text(), other_share.to_text()],
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
        "the prefix of a key": [*_encode_all(one, two), _encode(_pack(three), "sudokucrypt-key-")],
        "version 2": [*_encode_all(one, two), _encode(b"\x02" + _pack(three)[1:])],
        "needed shares 1": [_encode(b"\x01\x01" + _pack(one)[2:])],
        "needed shares 0": [_encode(b"\x01\x00" + _pack(one)[2:])],
        "number 0": [*_encode_all(one, two), _encode(b"\x01\x03\x00" + _pack(three)[3:])],
        "50 bytes": [*_encode_all(one, two), _encode(_pack(three)[:-1])],
        "52 bytes": [*_encode_all(one, two), _encode(_pack(three) + b"\0")],
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
    made_shares = [
        KeyShare(needed, number, split, evaluate_polynomials(coefficients, number))
        for number in range(1, count + 1)
    ]
    assert join_key(made_shares) == KEY
    return made_shares, coefficients


def _encode_all(*made: KeyShare) -> list[str]:
    return [share.to_text() for share in made]


def _pack(share: KeyShare) -> bytes:
    return bytes([1, share.needed, share.number]) + share.split + share.value


def _encode(payload: bytes, prefix: str = PREFIX) -> str:
    return encode_bech32(prefix, payload).upper()


def _damage_data(text: str) -> str:
    return text[:-1] + ("Q" if text[-1] != "Q" else "P")
