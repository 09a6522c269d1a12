"""Laws of salt, tag, seal, picture keys and contexts in the reference program."""

from dataclasses import replace

import pytest

from tests.reference import RefusedError, bech32
from tests.reference import header as headers
from tests.reference.context import context_info
from tests.reference.description import write
from tests.reference.frames import Frame
from tests.reference.header import CONTEXT, ENCRYPT, KEYED, Header
from tests.reference.hkdf import key_id, picture_key
from tests.reference.pictures import protect_picture, restore_picture
from tests.reference.tags import CHUNK_BYTES, le64, message_of
from tests.reference.test_description_laws import plain_meaning

KEY = bytes(range(32))
SALT = bytes(range(16))
FRAME = Frame(shape=(6, 7), dtype="uint8", data=bytes(range(42)))
SEALED = {
    **plain_meaning([FRAME.shape]),
    "readable": ["xmp"],
    "frames": [{"shape": [6, 7], "dtype": "uint8", "mode": "gray", "metadata": {"xmp": b"<x/>"}}],
}


def draft(scheme: str = KEYED, *, salt: bytes | None = SALT, extras: bytes | None = None) -> Header:
    return Header(
        scheme=scheme,
        unit="pixel",
        rounds=2,
        shape=FRAME.shape,
        dtype=FRAME.dtype,
        key_id=key_id(KEY),
        salt=None if salt is None or scheme == CONTEXT else salt.hex(),
        extras=extras,
    )


@pytest.mark.parametrize("scheme", [KEYED, ENCRYPT])
def test_picture_key(scheme: str) -> None:
    """The picture key restores its picture, whatever the id, and no other picture."""
    made, written = protect_picture([FRAME], draft(scheme), key=KEY)
    right = picture_key(KEY, SALT)
    assert restore_picture(made, written, of_picture=right)[0] == [FRAME]
    for wrong in (picture_key(KEY, SALT[::-1]), KEY, bytes(32)):
        with pytest.raises(RefusedError, match="wrong key"):
            restore_picture(made, written, of_picture=wrong)
    with pytest.raises(RefusedError, match="another key"):
        restore_picture(made, written, key=right)
    text = bech32.key_text(right, prefix=bech32.PICTURE_KEY_PREFIX)
    assert len(text) == 83
    assert bech32.key_from_text(text, prefix=bech32.PICTURE_KEY_PREFIX) == right
    with pytest.raises(RefusedError, match="not of a key"):
        bech32.key_from_text(text)


@pytest.mark.parametrize("scheme", [KEYED, ENCRYPT])
def test_deterministic(scheme: str) -> None:
    """Equal pictures have one salt; another sample, extras or shape gives another."""
    first = protect_picture([FRAME], draft(scheme, salt=None), key=KEY)
    assert protect_picture([FRAME], draft(scheme, salt=None), key=KEY) == first
    assert restore_picture(*first, key=KEY)[0] == [FRAME]
    others = [
        (replace(FRAME, data=bytes(42)), draft(scheme, salt=None)),
        (FRAME, draft(scheme, salt=None, extras=write(SEALED))),
        (replace(FRAME, shape=(7, 6)), replace(draft(scheme, salt=None), shape=(7, 6))),
    ]
    made = [protect_picture([frame], header, key=KEY)[1] for frame, header in others]
    salts = {headers.read(header).salt for header in (first[1], *made)}
    assert len(salts) == len(others) + 1


def test_every_field_is_under_the_seal() -> None:
    """A header with another field is refused before its tag is looked at."""
    made, written = protect_picture([FRAME], draft(extras=write(SEALED)), key=KEY)
    header = headers.read(written)
    extras = header.extras or b""
    changes = [
        {"rounds": 3},
        {"unit": "sample"},
        {"dtype": "int8"},
        {"salt": bytes(16).hex()},
        {"tag": bytes(32).hex()},
        {"seal": (header.seal or "")[:-2] + "00"},
        {"extras": extras[:-1] + bytes([extras[-1] ^ 1])},
        {"extras": None},
        {"regions": ((0, 0, 1, 1),)},
    ]
    for change in changes:
        other = headers.write(replace(header, **change))  # type: ignore[arg-type]
        with pytest.raises(RefusedError, match="altered header"):
            restore_picture(made, other, key=KEY)


def test_messages_differ() -> None:
    """A message tells frames from chunks, and has no empty chunk."""
    whole = bytes(CHUNK_BYTES)
    assert message_of(b"h", [whole])[9:17] == le64(1)
    assert message_of(b"h", [whole + b"\0"])[9:17] == le64(2)
    assert message_of(b"h", [b"ab"]) != message_of(b"h", [b"a", b"b"])
    assert message_of(b"ha", [b"b"]) != message_of(b"h", [b"ab"])


def test_context_info() -> None:
    """A context is bound to shape, unit, block size and rounds; one row is one dimension."""
    header = draft(CONTEXT)
    blocks = replace(header, unit="block", block_size=2)
    made = [
        context_info((6, 7), header, b"x"),
        context_info((7, 6), header, b"x"),
        context_info((6, 7, 2), header, b"x"),
        context_info((6, 7), replace(header, rounds=3), b"x"),
        context_info((6, 7), replace(header, unit="sample"), b"x"),
        context_info((6, 7), blocks, b"x"),
        context_info((6, 7), replace(blocks, block_size=3), b"x"),
        context_info((6, 7), header, b"y"),
    ]
    assert len(set(made)) == len(made)
    assert context_info((6, 7, 1), header, b"x") == made[0]
    assert context_info((42,), header, b"x") == context_info((1, 42), header, b"x")
    assert made[0] == bytes.fromhex("06 07 01 00 02".replace(" ", "00" * 7)) + bytes(7) + (
        b"pixel\0x"
    )


def test_contexts_and_keys() -> None:
    """A context takes a master key, seals nothing, and needs its scheme; the others take none."""
    made, written = protect_picture([FRAME], draft(CONTEXT), key=KEY, context="x")
    assert restore_picture(made, written, key=KEY, context="x")[0] == [FRAME]
    for wrong in (
        {"key": KEY},
        {"of_picture": KEY, "context": "x"},
        {"passphrase": "x", "context": "x"},
        {"key": KEY, "context": ""},
        {"key": KEY, "context": "\ud800"},
        {"key": KEY[::-1], "context": "x"},
    ):
        with pytest.raises(RefusedError):
            restore_picture(made, written, **wrong)
    with pytest.raises(RefusedError, match="neither header nor context"):
        restore_picture(made, None, key=KEY)
    with pytest.raises(RefusedError, match="under a context"):
        protect_picture([FRAME], draft(CONTEXT, extras=write(SEALED)), key=KEY, context="x")
    tagged = protect_picture([FRAME], draft(), key=KEY)
    with pytest.raises(RefusedError, match="a context text is for"):
        restore_picture(*tagged, key=KEY, context="x")
