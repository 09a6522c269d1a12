"""Cases of key shares: those of some splits, and texts that give no key."""

from collections.abc import Iterator, Sequence

from sudokucrypt.cards import card_grids
from sudokucrypt.keys import KeyShare, join_key
from sudokucrypt.keys.shares import evaluate
from sudokucrypt.keys.texts import encode_bech32
from tests.vectors.common import KEY, Case, plain_bytes

PREFIX = "sudokucrypt-key-share-"


def shares() -> list[Case]:
    """Return a case for each split, and for each group of texts that is refused."""
    return [*_right(), *_wrong()]


def _right() -> Iterator[Case]:
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


def _wrong() -> Iterator[Case]:
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
    split = plain_bytes(f"split {label}", 16)
    coefficients = [KEY.to_bytes()]
    coefficients += [plain_bytes(f"coefficient {i} {label}", 32) for i in range(1, needed)]
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
