"""Pictures with one fault: another key, changed pixels or header, another shape.

What is merely edited in a header is refused for its seal, and shows that the seal covers it.
"""

from collections.abc import Iterator
from dataclasses import replace

from sudokucrypt import Key, KeyDerivation, Passphrase, PictureKey
from sudokucrypt.ciphers import KeyStreamMask, Permutation, Pipeline, TaggedScheme
from sudokucrypt.recipes.parts import Protection, protect_image
from tests.vectors.common import KEY, SALT, Case, flipped, little, plain_image
from tests.vectors.pictures import (
    ARGON2ID,
    CONTEXT,
    PASSPHRASE,
    SCRYPT,
    Picture,
    context_picture,
    header_fields,
    picture,
)

Fault = tuple[str, str, Case]
_OTHER = Key(bytes(range(1, 33)))
_SCRAMBLED = "scramble-v1"


def _header(whole: Picture, **changes: object) -> str:
    """Return the header with other fields, and the tag and seal that it had."""
    return replace(header_fields(whole), **changes).to_bytes().decode()  # type: ignore[arg-type]


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
    text, folded = " \ufb01le \u00b2 \u212b", " file 2 \u00c5"
    whole = picture(kdf=SCRYPT, passphrase=text)
    yield "passphrase trimmed and in form KC", whole.case(passphrase=folded.strip())
    yield "passphrase trimmed", whole.case(passphrase=text.strip())
    yield "passphrase in form KC", whole.case(passphrase=folded)


def _picture_keys() -> Iterator[tuple[str, Case]]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        whole = picture(scheme=scheme)
        other = picture(scheme=scheme, salt=bytes(16))
        none = {"key": None, "passphrase": None}
        for name, text in {
            "another picture": other.own_key(),
            "another master key": _OTHER.picture_key(SALT).to_text(),
            "the bytes of the master key": PictureKey(KEY.to_bytes()).to_text(),
        }.items():
            yield f"{scheme}: the key of {name}", whole.case(picture_key=text, **none)
        own = PictureKey.from_text(whole.own_key()).to_bytes()
        yield f"{scheme}: the picture key as a master key", whole.case(key=Key(own).to_text())
    whole = picture(kdf=SCRYPT)
    yield (
        "kdf: the key of another picture",
        whole.case(picture_key=picture().own_key(), key=None, passphrase=None),
    )


def _samples() -> Iterator[tuple[str, Case]]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        whole = picture(scheme=scheme)
        for bit in (0, 7, 100, 171, 335):
            changed = flipped(whole.pixels, bit)
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
        yield f"{dtype}: bit {bit} of the samples", whole.case(pixels=flipped(whole.pixels, bit))


def _seals() -> Iterator[tuple[str, Case]]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        whole = picture(scheme=scheme)
        old = header_fields(whole)
        for name, field, length in (
            ("seal", "header_mac", 256),
            ("tag", "tag", 256),
            ("salt", "salt", 128),
        ):
            value = getattr(old, field)
            for bit in (0, length // 2, length - 1):
                header = _header(whole, **{field: flipped(value, bit)})
                yield f"{scheme}: bit {bit} of the {name}", whole.case(header=header)
            other = getattr(header_fields(picture(scheme=scheme, label="another picture")), field)
            if other != value:
                header = _header(whole, **{field: other})
                yield f"{scheme}: the {name} of another picture", whole.case(header=header)
        header = _header(whole, header_mac=old.tag)
        yield f"{scheme}: the tag as seal", whole.case(header=header)
        header = _header(whole, tag=old.header_mac, header_mac=old.tag)
        yield f"{scheme}: tag and seal exchanged", whole.case(header=header)
        yield f"{scheme}: a seal of zeros", whole.case(header=_header(whole, header_mac=bytes(32)))


def _fields() -> Iterator[tuple[str, Case]]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        whole = picture(scheme=scheme)
        for rounds in (7, 9):
            yield f"{scheme}: {rounds} rounds", whole.case(header=_header(whole, rounds=rounds))
        yield f"{scheme}: a kdf", whole.case(header=_header(whole, kdf=SCRYPT))
        yield f"{scheme}: extras", whole.case(header=_header(whole, encrypted_metadata=bytes(256)))
        other = {"encrypt-v1": _SCRAMBLED, _SCRAMBLED: "encrypt-v1"}[scheme]
        yield f"{scheme}: {other} in its place", whole.case(header=_header(whole, scheme=other))
        turned = {"shape": (7, 6), "header": _header(whole, shape=(7, 6))}
        yield f"{scheme}: another shape in picture and header", whole.case(**turned)
        signed = {"dtype": "int8", "header": _header(whole, dtype="int8")}
        yield f"{scheme}: another dtype in picture and header", whole.case(**signed)
        header = _header(whole, regions=((0, 0, 6, 7),))
        yield f"{scheme}: a region that is everything", whole.case(header=header)
        header = _header(whole, mask=b"\0\x2a")
        yield f"{scheme}: a mask that is everything", whole.case(header=header)
        header = _header(whole, key_id="00000000")
        own = {"key": None, "picture_key": whole.own_key()}
        yield f"{scheme}: another key id, picture key", whole.case(header=header, **own)
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
        for shape in ((2, 3, 7), (1, 42, 1)):
            name = "x".join(map(str, shape))
            yield f"{scheme}: a picture of shape {name}", whole.case(shape=shape)
        header = _header(whole, shape=(7, 6))
        yield f"{scheme}: a header of shape 7x6", whole.case(header=header)
        yield f"{scheme}: a row cut off", whole.case(shape=(5, 7), pixels=whole.pixels[:35])
        yield f"{scheme}: a header of int8", whole.case(header=_header(whole, dtype="int8"))
        yield f"{scheme}: uint16 of half the shape", whole.case(dtype="uint16", shape=(3, 7))
    whole = picture(dtype="float32")
    yield "uint32 for float32", whole.case(dtype="uint32")
    whole = context_picture()
    yield "context: a picture of shape 7x6", whole.case(shape=(7, 6))
    yield "context: int8 for uint8", whole.case(dtype="int8")


def _contexts() -> Iterator[tuple[str, Case]]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        whole = picture(scheme=scheme)
        yield f"a context for {scheme}", whole.case(context=CONTEXT)
        yield f"{scheme}: no header", whole.case(header=None)
    whole = context_picture()
    yield "no context for its scheme", whole.case(context=None)
    yield "neither header nor context", whole.case(header=None, context=None)
    for name, header in (("header", whole.header), ("no header", None)):
        bare = {"key": None, "header": header}
        yield f"context, {name}: a passphrase", whole.case(passphrase=PASSPHRASE, **bare)
        own = picture().own_key()
        yield f"context, {name}: a picture key", whole.case(picture_key=own, **bare)
        yield f"context, {name}: empty", whole.case(context="", header=header)
        yield f"context, {name}: half a pair", whole.case(context="caf\ud800", header=header)


def _texts() -> Iterator[tuple[str, Case]]:
    whole = picture(kdf=SCRYPT)
    for name, text in {
        "empty": "", "a zero": "a\0", "a zero behind": f"{PASSPHRASE}\0",
        "half a pair": f"{PASSPHRASE}\udc80", "two halves in the wrong order": "\udfff\ud800",
    }.items():  # fmt: skip
        yield f"passphrase: {name}", whole.case(passphrase=text)


def _of_encryption() -> Iterator[tuple[str, Case]]:
    """Return encryptions of other units than pixels, whose tag and seal are right."""
    image = plain_image("units", (6, 7), "uint8")
    for unit, size in (("sample", None), ("block", 2)):
        scheme = TaggedScheme(
            "encrypt-v1",
            lambda header: Pipeline(
                (Permutation(header.unit, header.block_size, header.rounds), KeyStreamMask())
            ),
        )
        how = Protection(scheme=scheme, unit=unit, block_size=size, salt=SALT)  # type: ignore[arg-type]
        made = protect_image(image, KEY, how)
        header, pixels = made.header.to_bytes().decode(), little(made.pixels)
        yield f"encrypted {unit}s", picture().case(header=header, pixels=pixels)


def faults() -> Iterator[Fault]:
    """Pictures with one fault."""
    layers = (
        ("key", _keys), ("key", _picture_keys), ("seal", _seals), ("seal", _fields),
        ("tag", _samples), ("shape", _shapes), ("context", _contexts), ("text", _texts),
        ("unit", _of_encryption),
    )  # fmt: skip
    for layer, make in layers:
        for name, case in make():
            yield f"{layer}: {name}", layer, case
