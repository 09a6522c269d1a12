"""What the vectors say, asked of the reference: each case agrees, or an error shows where not.

Nothing of the package is imported here. The engine of the page is asked the other kinds, and most
of these too (`tests/page/replay.js`).
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

from tests.kit.reference import RefusedError, cards, containers, draws, hkdf, robust, shares
from tests.kit.reference import header as headers
from tests.kit.reference.chacha20 import words
from tests.kit.reference.header import SAMPLE_BYTES

Case = dict[str, Any]
SECRET = bytes(range(32))
SHOWN = 512
"""Results of more bytes than this are given by their SHA-256."""

PERIOD = 65521
"""Plain images repeat after the given number of bytes."""

_WORDS_IN_A_BLOCK = 16


def agree(what: str, actual: object, wanted: object) -> None:
    """Fail unless what the reference made is what the vector says."""
    if actual != wanted:
        raise AssertionError(f"{what}: {actual!r:.80} is not {wanted!r:.80}")


def hex_or_digest(data: bytes) -> str:
    """Return short data in hexadecimal, long data as its digest."""
    return data.hex() if len(data) <= SHOWN else "sha256:" + hashlib.sha256(data).hexdigest()


def fill_texts(header: str, fill: dict[str, int] | None) -> str:
    """Return a header in which long texts stand in position of the letter `*`.

    That is so many zero bytes as extras.
    """
    for name, count in (fill or {}).items():
        text = "AAAA" * (count // 3) + ("", "AA==", "AAA=")[count % 3]
        header = header.replace(f'"{name}":"*"', f'"{name}":"{text}"')
    return header


def describe_case(case: Case) -> tuple[bytes, bytes]:
    """Return the line of a description alone, and the blobs and padding behind it."""
    line = case["line"].replace("*", "a" * (case["fill"] or 0)).encode("ascii")
    padding = case["padding"]
    zeros = bytes.fromhex(padding) if isinstance(padding, str) else bytes(padding)
    return line, bytes.fromhex(case["blobs"]) + zeros


def _stream(use: str, context: bytes) -> Iterator[int]:
    return words(hkdf.subkey(SECRET, use, context=context))


def _little(numbers: Iterator[int]) -> bytes:
    return b"".join(number.to_bytes(4, "little") for number in numbers)


def plain_of(case: Case) -> bytes:
    """Return the plain image of a case: the stream for its label, over and over if it is long."""
    length = prod(case["shape"]) * SAMPLE_BYTES[case["dtype"]]
    start = min(length, PERIOD)
    source = _stream("vectors", case["label"].encode())
    plain = _little(islice(source, -(-start // 4)))[:start]
    plain = (plain * (length // PERIOD + 1))[:length]
    if case["dtype"] == "bool":
        plain = bytes(byte & 1 for byte in plain)
    if case["plain"] is not None:
        agree("plain image", hex_or_digest(plain), case["plain"])
    return plain


def _draws(case: Case) -> None:
    if "words" in case:
        source = iter(case["words"])
        agree("below", [draws.draw(bound, source) for bound in case["bounds"]], case["below"])
        agree("words used", len(case["words"]) - len(list(source)), case["used"])
        return
    context = case["label"].encode()
    if "block" in case:
        subkey = hkdf.subkey(SECRET, "draws", context=context)
        source = words(subkey, counter=case["block"])
        agree("stream", _little(islice(source, _WORDS_IN_A_BLOCK)).hex(), case["stream"])
        try:
            next(source)
        except RefusedError:
            return
        raise AssertionError("a word behind the end of the stream")
    length = len(case["stream"]) // 8
    agree("stream", _little(islice(_stream("draws", context), length)).hex(), case["stream"])
    source = _stream("draws", context)
    agree("below", [draws.draw(bound, source) for bound in case["bounds"]], case["below"])
    shuffles = [draws.shuffle(len(f), source) for f in case["shuffles"]]
    agree("shuffles", shuffles, case["shuffles"])


def _robust(case: Case) -> None:
    """Compare header, sheet and the picture that a damaged sheet is restored to."""
    plain, (rows, columns, *colors) = plain_of(case), case["shape"]
    size = len(plain) // (rows * columns)
    agree("channels", size, *(colors or [1]))
    pixels = [tuple(plain[i : i + size]) for i in range(0, len(plain), size)]
    picture = [pixels[i : i + columns] for i in range(0, len(pixels), columns)]
    salt = bytes.fromhex(case["salt"])
    header, sheet = robust.scramble(picture, SECRET, salt=salt, profile=case["profile"])
    agree("header", header.hex(), case["header"])
    agree("shape of the sheet", [len(sheet), len(sheet[0])], case["sheet"])
    samples = bytes(sample for row in sheet for sample in row)
    agree("sheet", hex_or_digest(samples), case["samples"])
    noise = _noise(case, len(samples))
    damaged = [sample ^ (byte & 7) for sample, byte in zip(samples, noise, strict=True)]
    wide = len(sheet[0])
    received = [damaged[i : i + wide] for i in range(0, len(damaged), wide)]
    back = robust.restore(received, header, SECRET)
    restored = bytes(sample for row in back for pixel in row for sample in pixel)
    agree("restored", hex_or_digest(restored), case["restored"])


def _noise(case: Case, size: int) -> bytes:
    label = f"damage of {case['label']}"
    return plain_of({"label": label, "shape": [size], "dtype": "uint8", "plain": None})


VECTORS = Path(__file__).parent / "vectors"
KINDS = sorted(path.stem for path in VECTORS.glob("*.json"))
"""The files of vectors."""


@cache
def load(kind: str, folder: Path = VECTORS) -> list[Case]:
    """Return the cases of one file of vectors."""
    content = (folder / f"{kind}.json").read_text(encoding="ascii")
    cases: list[Case] = json.loads(content)["cases"]
    return cases


def _container(case: Case) -> None:
    files = {
        name: None if case[name] is None else bytes.fromhex(case[name])
        for name in ("named", "beside")
    }
    try:
        result = containers.header_that_counts(bytes.fromhex(case["picture"]), **files)
        if result is not None:
            headers.read(result)
    except RefusedError as error:
        if not case["refused"]:
            raise AssertionError(f"refused: {error}") from error
        return
    agree("refused", False, case["refused"])
    agree("header", result and result.decode("ascii"), case["header"])


def _card(case: Case) -> None:
    numbers = case["numbers"]
    if numbers is not None:
        agree("numbers", [str(cards.number_of(text)) for text in case["grids"]], numbers)
    try:
        key = cards.read_card(case["grids"])
    except RefusedError:
        agree("refused", None, case["key"])
        return
    agree("key", key.hex(), case["key"])
    agree("check", cards.check(key), case["check"])


def _shares(case: Case) -> None:
    if case["key"] is not None:
        _split(case)
    try:
        key = shares.join(case["given"])
    except RefusedError:
        agree("refused", None, case["key"])
        return
    agree("key", key.hex(), case["key"])


def _split(case: Case) -> None:
    coefficients = [bytes.fromhex(each) for each in case["coefficients"]]
    agree("constant coefficient", coefficients[0].hex(), case["key"])
    agree("coefficients", len(coefficients), case["needed"])
    card = case["card"]
    numbers = range(1, 1 + len(case["made"] or []))
    share, *made = [
        shares.Share(
            case["needed"],
            number,
            bytes.fromhex(case["split"]),
            shares.value_at(coefficients, number),
        )
        for number in (card["number"], *numbers)
    ]
    agree("shares", list(map(shares.text, made)), case["made"] or [])
    agree("label", shares.label(share), card["label"])
    agree("value on the card", shares.read_grids(card["grids"]), share.value)


CHECKS: dict[str, Callable[[Case], None]] = {
    "draws": _draws,
    "robust": _robust,
    "containers": _container,
    "cards": _card,
    "shares": _shares,
}
"""The check of each kind of vectors that the reference is asked, by the name of its file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask the reference its vectors, or those of some files, and print where it disagrees."""
    parser = argparse.ArgumentParser(description="Compare the reference with the vectors.")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="files of vectors (default: all)")
    failures = 0
    for kind in parser.parse_args(arguments).kinds or CHECKS:
        cases = load(kind)
        for case in cases:
            try:
                CHECKS[kind](case)
            except (AssertionError, RefusedError) as error:
                failures += 1
                print(ascii(f"{kind}: {case.get('name') or case.get('label')}: {error}")[1:-1])
        print(f"{kind}: {len(cases)} cases", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
