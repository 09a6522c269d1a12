"""Compare the reference implementation with the test vectors, and raise an error at a difference.

This module imports nothing of the package. `tests/page/replay.js` compares the engine of the page
with the other kinds of vectors, and with most of these.
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
from tests.kit.reference.chacha20 import iterate_words
from tests.kit.reference.header import SAMPLE_BYTES

Case = dict[str, Any]
SECRET = bytes(range(32))
MAX_HEX_BYTES = 512
"""Results of more bytes than this are given by their SHA-256."""

PERIOD = 65521
"""Plain images repeat after the given number of bytes."""

_WORDS_IN_A_BLOCK = 16


def require_equal(name: str, actual: object, expected: object) -> None:
    """Fail unless a result of the reference is equal to the value in the vector."""
    if actual != expected:
        raise AssertionError(f"{name}: {actual!r:.80} is not {expected!r:.80}")


def encode_or_digest(data: bytes) -> str:
    """Return short data as hexadecimal digits, and long data as a digest."""
    return (
        data.hex() if len(data) <= MAX_HEX_BYTES else "sha256:" + hashlib.sha256(data).hexdigest()
    )


def fill_texts(header: str, characters: dict[str, int] | None) -> str:
    """Return a header in which each letter `*` is replaced by long texts of zero bytes."""
    for name, count in (characters or {}).items():
        text = "AAAA" * (count // 3) + ("", "AA==", "AAA=")[count % 3]
        header = header.replace(f'"{name}":"*"', f'"{name}":"{text}"')
    return header


def describe_case(case: Case) -> tuple[bytes, bytes]:
    """Return the header line of a case, and the blobs and padding that follow it."""
    line = case["line"].replace("*", "a" * (case["fill"] or 0)).encode("ascii")
    padding = case["padding"]
    zeros = bytes.fromhex(padding) if isinstance(padding, str) else bytes(padding)
    return line, bytes.fromhex(case["blobs"]) + zeros


def _make_stream(use: str, context: bytes) -> Iterator[int]:
    return iterate_words(hkdf.derive_subkey(SECRET, use, context=context))


def _encode_little_endian(numbers: Iterator[int]) -> bytes:
    return b"".join(number.to_bytes(4, "little") for number in numbers)


def make_plain_image(case: Case) -> bytes:
    """Return the plain image of a case: the stream for its label, repeated if it is too short."""
    length = prod(case["shape"]) * SAMPLE_BYTES[case["dtype"]]
    random_length = min(length, PERIOD)
    source = _make_stream("vectors", case["label"].encode())
    plain = _encode_little_endian(islice(source, -(-random_length // 4)))[:random_length]
    plain = (plain * (length // PERIOD + 1))[:length]
    if case["dtype"] == "bool":
        plain = bytes(byte & 1 for byte in plain)
    if case["plain"] is not None:
        require_equal("plain image", encode_or_digest(plain), case["plain"])
    return plain


def _check_draws(case: Case) -> None:
    if "words" in case:
        source = iter(case["words"])
        require_equal(
            "below", [draws.draw(bound, source) for bound in case["bounds"]], case["below"]
        )
        require_equal("words used", len(case["words"]) - len(list(source)), case["used"])
        return
    context = case["label"].encode()
    if "block" in case:
        subkey = hkdf.derive_subkey(SECRET, "draws", context=context)
        source = iterate_words(subkey, counter=case["block"])
        require_equal(
            "stream", _encode_little_endian(islice(source, _WORDS_IN_A_BLOCK)).hex(), case["stream"]
        )
        try:
            next(source)
        except RefusedError:
            return
        raise AssertionError("a word behind the end of the stream")
    length = len(case["stream"]) // 8
    require_equal(
        "stream",
        _encode_little_endian(islice(_make_stream("draws", context), length)).hex(),
        case["stream"],
    )
    source = _make_stream("draws", context)
    require_equal("below", [draws.draw(bound, source) for bound in case["bounds"]], case["below"])
    shuffles = [draws.shuffle(len(f), source) for f in case["shuffles"]]
    require_equal("shuffles", shuffles, case["shuffles"])


def _check_robust(case: Case) -> None:
    """Compare header, carrier image, and the picture restored from a damaged carrier image."""
    plain, (rows, columns, *colors) = make_plain_image(case), case["shape"]
    size = len(plain) // (rows * columns)
    require_equal("channels", size, *(colors or [1]))
    pixels = [tuple(plain[i : i + size]) for i in range(0, len(plain), size)]
    picture = [pixels[i : i + columns] for i in range(0, len(pixels), columns)]
    salt = bytes.fromhex(case["salt"])
    header, carrier_image = robust.scramble(picture, SECRET, salt=salt, profile=case["profile"])
    require_equal("header", header.hex(), case["header"])
    require_equal("shape of the sheet", [len(carrier_image), len(carrier_image[0])], case["sheet"])
    samples = bytes(sample for row in carrier_image for sample in row)
    require_equal("sheet", encode_or_digest(samples), case["samples"])
    noise = _make_noise(case, len(samples))
    damaged_samples = [sample ^ (byte & 7) for sample, byte in zip(samples, noise, strict=True)]
    width = len(carrier_image[0])
    received = [damaged_samples[i : i + width] for i in range(0, len(damaged_samples), width)]
    restored_rows = robust.restore(received, header, SECRET)
    restored = bytes(sample for row in restored_rows for pixel in row for sample in pixel)
    require_equal("restored", encode_or_digest(restored), case["restored"])


def _make_noise(case: Case, size: int) -> bytes:
    label = f"damage of {case['label']}"
    return make_plain_image({"label": label, "shape": [size], "dtype": "uint8", "plain": None})


VECTORS = Path(__file__).parent / "vectors"
KINDS = sorted(path.stem for path in VECTORS.glob("*.json"))
"""The files of vectors."""


@cache
def load(kind: str, folder: Path = VECTORS) -> list[Case]:
    """Load the cases of one kind of vectors."""
    file_content = (folder / f"{kind}.json").read_text(encoding="ascii")
    cases: list[Case] = json.loads(file_content)["cases"]
    return cases


def _check_container(case: Case) -> None:
    files = {
        name: None if case[name] is None else bytes.fromhex(case[name])
        for name in ("named", "beside")
    }
    try:
        result = containers.choose_header(
            bytes.fromhex(case["picture"]),
            named_header=files["named"],
            neighbor_header=files["beside"],
        )
        if result is not None:
            headers.read(result)
    except RefusedError as error:
        if not case["refused"]:
            raise AssertionError(f"refused: {error}") from error
        return
    require_equal("refused", False, case["refused"])
    require_equal("header", result and result.decode("ascii"), case["header"])


def _check_card(case: Case) -> None:
    numbers = case["numbers"]
    if numbers is not None:
        require_equal(
            "numbers", [str(cards.parse_grid_number(text)) for text in case["grids"]], numbers
        )
    try:
        key = cards.read_card(case["grids"])
    except RefusedError:
        require_equal("refused", None, case["key"])
        return
    require_equal("key", key.hex(), case["key"])
    require_equal("check", cards.check(key), case["check"])


def _check_shares(case: Case) -> None:
    if case["key"] is not None:
        _check_split(case)
    try:
        key = shares.join(case["given"])
    except RefusedError:
        require_equal("refused", None, case["key"])
        return
    require_equal("key", key.hex(), case["key"])


def _check_split(case: Case) -> None:
    coefficients = [bytes.fromhex(text) for text in case["coefficients"]]
    require_equal("constant coefficient", coefficients[0].hex(), case["key"])
    require_equal("coefficients", len(coefficients), case["needed"])
    card = case["card"]
    numbers = range(1, 1 + len(case["made"] or []))
    share, *other_shares = [
        shares.Share(
            case["needed"],
            number,
            bytes.fromhex(case["split"]),
            shares.evaluate(coefficients, number),
        )
        for number in (card["number"], *numbers)
    ]
    require_equal("shares", list(map(shares.write_text, other_shares)), case["made"] or [])
    require_equal("label", shares.write_label(share), card["label"])
    require_equal("value on the card", shares.read_grids(card["grids"]), share.value)


CHECKS: dict[str, Callable[[Case], None]] = {
    "draws": _check_draws,
    "robust": _check_robust,
    "containers": _check_container,
    "cards": _check_card,
    "shares": _check_shares,
}
"""The check of each kind of vectors that the reference is asked, by the name of its file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the reference with all vectors, or those of some kinds, and print differences."""
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
