"""What the vectors of single steps say, asked of the reference: keys to maps, robust pictures."""

import hashlib
from collections.abc import Callable, Iterator
from itertools import islice
from math import prod
from typing import Any

from tests.kit.reference import RefusedError, bech32, draws, hkdf, robust
from tests.kit.reference.chacha20 import words
from tests.kit.reference.grid import grid
from tests.kit.reference.header import SAMPLE_BYTES
from tests.kit.reference.permutation import layout, public_map
from tests.kit.reference.units import default_rounds, group_sizes

Case = dict[str, Any]
SECRET = bytes(range(32))
SHOWN = 512
"""Results of more bytes than this are given by their SHA-256."""

PERIOD = 65521
"""Plain images repeat after so many bytes."""

_WORDS_IN_A_BLOCK = 16


def agree(what: str, actual: object, wanted: object) -> None:
    """Fail unless what the reference made is what the vector says."""
    if actual != wanted:
        raise AssertionError(f"{what}: {actual!r:.80} is not {wanted!r:.80}")


def hex_or_digest(data: bytes) -> str:
    """Return short data in hexadecimal, long data as its digest."""
    return data.hex() if len(data) <= SHOWN else "sha256:" + hashlib.sha256(data).hexdigest()


def filled(header: str, fill: dict[str, int] | None) -> str:
    """Return a header in which long texts stand in position of the letter `*`.

    That is so many zero bytes as extras.
    """
    for name, count in (fill or {}).items():
        text = "AAAA" * (count // 3) + ("", "AA==", "AAA=")[count % 3]
        header = header.replace(f'"{name}":"*"', f'"{name}":"{text}"')
    return header


def described(case: Case) -> tuple[bytes, bytes]:
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


def _key(case: Case) -> None:
    secret, salt = bytes.fromhex(case["secret"]), bytes.fromhex(case["salt"])
    prefix = bech32.PICTURE_KEY_PREFIX
    agree("text", bech32.key_text(secret), case["text"])
    agree("read text", bech32.key_from_text(case["text"]), secret)
    agree("picture text", bech32.key_text(secret, prefix=prefix), case["picture_text"])
    agree("read", bech32.key_from_text(case["picture_text"], prefix=prefix), secret)
    agree("id", hkdf.key_id(secret), case["id"])
    of_picture = hkdf.picture_key(secret, salt)
    agree("picture key", of_picture.hex(), case["picture_key"])
    for item in case["subkeys"]:
        key = of_picture if item["level"] == "picture" else secret
        context = None if item["context"] is None else bytes.fromhex(item["context"])
        result = hkdf.subkey(key, item["use"], context=context).hex()
        agree(item["use"], result[: len(item["subkey"])], item["subkey"])


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


def _grid(case: Case) -> None:
    p, q = case["box"]
    result = grid(p, q, _stream("grids", bytes.fromhex(case.get("context") or bytes([p, q]).hex())))
    for name in ("alpha", "beta", "sigma"):
        agree(name, list(getattr(result, name)), case[name])
    agree("digits", [[result.digit(r, c) for c in range(p * q)] for r in (0, 1)], case["digits"])


def _layout(case: Case) -> None:
    result = layout(case["count"])
    agree("box", [result.p, result.q], case["box"])
    agree("spares", result.spares, case["spares"])


def _rounds(case: Case) -> None:
    (shape,), block_size = case["shapes"], case["block_size"]
    sizes = group_sizes(shape, case["unit"], block_size=block_size)
    agree("rounds", default_rounds(sizes.values()), case["rounds"])


def _permutation(case: Case) -> None:
    nonce = bytes.fromhex(case["nonce"])
    result = public_map(case["count"], SECRET, nonce=nonce, rounds=case["rounds"])
    if isinstance(case["permutation"], list):
        agree("permutation", result, case["permutation"])
    else:
        digest = hashlib.sha256(b"".join(position.to_bytes(8, "little") for position in result))
        agree("permutation", f"sha256:{digest.hexdigest()}", case["permutation"])


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


MAKERS: dict[str, Callable[[Case], None]] = {
    "keys": _key,
    "draws": _draws,
    "grids": _grid,
    "layouts": _layout,
    "rounds": _rounds,
    "permutations": _permutation,
    "robust": _robust,
}
"""The check of each kind of vectors, by the name of its file."""
