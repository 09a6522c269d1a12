"""Pictures with one fault: another key, changed pixels or header, another shape."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sudokucrypt import Key, KeyDerivation, Passphrase
from tests.vectors.common import SALT, Case
from tests.vectors.pictures import (
    ARGON2ID,
    PASSPHRASE,
    SCRYPT,
    Picture,
    context_picture,
    header_fields,
    picture,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

Fault = tuple[str, str, Case]
_OTHER = Key(bytes(range(1, 33)))
_SCRAMBLED = "scramble-v1"


def _header(whole: Picture, **changes: object) -> str:
    """Return the header with other fields and the tag that it had, if no other is given."""
    return replace(header_fields(whole), **changes).to_bytes().decode()  # type: ignore[arg-type]


def _flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def _keys() -> Iterator[tuple[str, Case]]:
    wrong = _OTHER.to_text()
    for scheme in ("encrypt-v1", _SCRAMBLED):
        whole = picture(scheme=scheme)
        yield f"{scheme}: another key", whole.case(key=wrong)
        header = _header(whole, key_id=_OTHER.id)
        yield f"{scheme}: another key whose id stands there", whole.case(key=wrong, header=header)
        yield f"{scheme}: the id of another key", whole.case(header=header)
        yield f"{scheme}: passphrase without kdf", whole.case(key=None, passphrase=PASSPHRASE)
    whole = context_picture()
    yield "context: another key", whole.case(key=wrong)

    for kdf in (ARGON2ID, SCRYPT):
        whole, name = picture(kdf=kdf), kdf.partition(":")[0]
        yield f"{name}: another passphrase", whole.case(passphrase=PASSPHRASE * 2)
        yield f"{name}: space at the end", whole.case(passphrase=PASSPHRASE + " ")
        yield f"{name}: lower case", whole.case(passphrase=PASSPHRASE.lower())
        salted = kdf[:-1] + "e"
        yield f"{name}: another salt of the kdf", whole.case(header=_header(whole, kdf=salted))
        other = kdf.replace("m=8,", "m=9,").replace("m=16,", "m=32,")
        yield f"{name}: another cost", whole.case(header=_header(whole, kdf=other))
        yield f"{name}: a key", whole.case(passphrase=None, key=wrong)


def _samples() -> Iterator[tuple[str, Case]]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        whole = picture(scheme=scheme)
        for bit in (0, 7, 100, 171, 335):
            changed = _flipped(whole.pixels, bit)
            yield f"{scheme}: bit {bit} of the samples", whole.case(pixels=changed)
        first, second, rest = whole.pixels[:1], whole.pixels[1:2], whole.pixels[2:]
        assert first != second
        yield f"{scheme}: two samples exchanged", whole.case(pixels=second + first + rest)
        yield f"{scheme}: all samples zero", whole.case(pixels=bytes(len(whole.pixels)))
        yield f"{scheme}: the plain image", whole.case(pixels=whole.plain)
        other = picture(scheme=scheme, label="another picture")
        yield f"{scheme}: the header of another picture", whole.case(header=other.header)
    for dtype, bit in (("bool", 8), ("uint16", 15), ("float32", 31), ("float64", 0)):
        whole = picture(dtype=dtype)
        yield f"{dtype}: bit {bit} of the samples", whole.case(pixels=_flipped(whole.pixels, bit))


def _fields() -> Iterator[tuple[str, Case]]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        whole = picture(scheme=scheme)
        tag = header_fields(whole).tag or b""
        for bit in (0, 127, 128, 255):
            header = _header(whole, tag=_flipped(tag, bit))
            yield f"{scheme}: bit {bit} of the tag", whole.case(header=header)
        for bit in (0, 127):
            header = _header(whole, salt=_flipped(SALT, bit))
            yield f"{scheme}: bit {bit} of the salt", whole.case(header=header)
        yield f"{scheme}: no salt", whole.case(header=_header(whole, salt=None))
        for rounds in (7, 9):
            yield f"{scheme}: {rounds} rounds", whole.case(header=_header(whole, rounds=rounds))
        yield f"{scheme}: a kdf", whole.case(header=_header(whole, kdf=SCRYPT))
        bare = picture(scheme=scheme, salt=None)
        yield f"{scheme}: a salt", bare.case(header=_header(bare, salt=SALT))
        other = {"encrypt-v1": _SCRAMBLED, _SCRAMBLED: "encrypt-v1"}[scheme]
        yield f"{scheme}: {other} in its place", whole.case(header=_header(whole, scheme=other))
        turned = {"shape": (7, 6), "header": _header(whole, shape=(7, 6))}
        yield f"{scheme}: another shape in picture and header", whole.case(**turned)
        signed = {"dtype": "int8", "header": _header(whole, dtype="int8")}
        yield f"{scheme}: another dtype in picture and header", whole.case(**signed)
    whole = picture(scheme=_SCRAMBLED)
    yield "pixels as samples of one channel", whole.case(header=_header(whole, unit="sample"))
    whole = picture(scheme=_SCRAMBLED, unit="block", block_size=2)
    yield "blocks of another size", whole.case(header=_header(whole, block_size=3))
    whole = picture(kdf=SCRYPT)
    key = KeyDerivation.from_text(SCRYPT).derive(Passphrase(PASSPHRASE)).to_text()
    bare_header = _header(whole, kdf=None)
    yield "the derived key, no kdf", whole.case(header=bare_header, passphrase=None, key=key)


def _shapes() -> Iterator[tuple[str, Case]]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        whole = picture(scheme=scheme)
        for shape in ((7, 6), (42,), (6, 7, 1), (1, 42), (2, 21), (2, 3, 7)):
            name = "x".join(map(str, shape))
            yield f"{scheme}: a picture of shape {name}", whole.case(shape=shape)
            header = _header(whole, shape=shape)
            yield f"{scheme}: a header of shape {name}", whole.case(header=header)
        yield f"{scheme}: a row cut off", whole.case(shape=(5, 7), pixels=whole.pixels[:35])
        yield f"{scheme}: int8 for uint8", whole.case(dtype="int8")
        yield f"{scheme}: a header of int8", whole.case(header=_header(whole, dtype="int8"))
        yield f"{scheme}: uint16 of half the shape", whole.case(dtype="uint16", shape=(3, 7))
    whole = picture(dtype="float32")
    yield "uint32 for float32", whole.case(dtype="uint32")
    whole = context_picture()
    yield "context: a picture of shape 7x6", whole.case(shape=(7, 6))
    yield "context: int8 for uint8", whole.case(dtype="int8")


def faults() -> Iterator[Fault]:
    """Pictures with one fault."""
    layers = (("key", _keys), ("tag", _samples), ("tag", _fields), ("shape", _shapes))
    for layer, make in layers:
        for name, case in make():
            yield f"{layer}: {name}", layer, case
