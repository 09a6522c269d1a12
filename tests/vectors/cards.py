"""Cases of key cards: the grids of a dozen keys, and grids that stand for none."""

from collections.abc import Iterator

from sudokucrypt import Key
from sudokucrypt.cards import card_grids
from sudokucrypt.cards.numbers import key_of
from sudokucrypt.sudoku import grid_total, rank, unrank
from tests.vectors.common import KEY, Case, plain_bytes

TOTAL = grid_total()
CHECKS = TOTAL**4 >> 256
CHECK_BYTES = 8


def cards() -> list[Case]:
    """Return a case for each card: its key, or none if it is refused."""
    return [*_right(), *_wrong()]


def _right() -> Iterator[Case]:
    keys = {"the least key": bytes(32), "the largest key": b"\xff" * 32, "00 to 1f": KEY.to_bytes()}
    keys |= {f"key {index}": plain_bytes(f"key card {index}", 32) for index in range(9)}
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
    assert ranks is None or key_of(ranks) == key
    return {
        "name": name,
        "key": None if key is None else key.to_bytes().hex(),
        "check": None if key is None else _check(key),
        "grids": grids,
        "numbers": None if ranks is None else list(map(str, ranks)),
    }
