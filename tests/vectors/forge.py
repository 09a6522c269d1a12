"""Make stills that are right, or wrong in one thing only, step by step.

An edited header is refused for its seal, whatever else is wrong with it. So a fault is put into
the draft of a header, and tag, masks and seal are computed to fit it: only the check of this
fault can refuse the still. What a still is made of comes from a row of data, see `rows`.
"""

import hashlib
import json
import unicodedata
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from typing import Any

from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from tests.kit.reference import header as headers
from tests.kit.reference.chacha20 import iterate_words
from tests.kit.reference.header import CONTEXT, ENCRYPT, SAMPLE_BYTES, Header
from tests.kit.reference.hkdf import compute_key_id, derive_picture_key, derive_subkey
from tests.kit.reference.permutation import draw_permutation
from tests.kit.reference.tags import close_header, compute_tag, encode_le64, mask, salt_header
from tests.kit.reference.units import (
    choose_rounds,
    group_sizes,
    list_groups,
    split_shape,
)
from tests.vectors.common import SALT, SECRET, change_text, flip_bit, make_plain_bytes
from tests.vectors.gallery import PADDED_TO, STILLS

Options = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Samples in C order, each lowest byte first."""

    shape: tuple[int, ...]
    dtype: str
    data: bytes


@dataclass(frozen=True, kw_only=True)
class Unchecked(Header):
    """A header that no rule is applied to, so that it can hold what readers must refuse."""

    def __post_init__(self) -> None:
        """Check nothing."""


@dataclass(frozen=True, kw_only=True)
class Forged:
    """A protected still, its plain samples and extras, and the master key behind it."""

    header: bytes
    frame: Frame
    plain: Frame
    extras: bytes | None
    master: bytes

    @property
    def fields(self) -> dict[str, Any]:
        """The header as JSON has it."""
        fields: dict[str, Any] = json.loads(self.header)
        return fields

    @property
    def own_key(self) -> bytes:
        """The picture key."""
        return derive_picture_key(self.master, bytes.fromhex(self.fields["salt"]))


def forge_still(options: Options) -> Forged:
    """Return the still that is made by these options, each of which may be left out.

    ========================================  ==================================================
    `picture`                                 a name of the gallery, in place of `frame`
    `frame`                                   shape and dtype, with the label of a stream or of
                                              SHAKE-256, or with the samples
    `scheme`, `unit`, `block_size`, `rounds`  as in the header; a `context` has its own scheme
    `secret`; `kdf` and `passphrase`          the master key, or what gives it; in place of a text
                                              that is not allowed, `passphrase_bytes`
    `salt`, `key_id`                          those of the header; a salt of null is deterministic
    `context`, `context_bytes`                the text, or bytes of no text that is allowed
    `extras`                                  null, the name of a described picture, or a line
                                              with blobs, and padding or `more` of it
    `stated`                                  fields of the draft that say otherwise
    `tagged`                                  fields of the draft under the tag only
    `flipped`                                 a bit of the tag that is wrong, the rest to fit
    ========================================  ==================================================
    """
    return _forge_still(json.dumps(options, sort_keys=True))


@cache
def _forge_still(text: str) -> Forged:
    options = json.loads(text)
    plain = _make_plain_frame(options)
    master = _derive_master(options)
    draft = _draft_header(options, plain, master)
    if "rounds" not in options:
        sizes = group_sizes(plain.shape, draft.unit, block_size=draft.block_size)
        draft = replace(draft, rounds=choose_rounds(sizes.values()))
    draft = replace(draft, extras=make_extras(options.get("extras", options.get("picture"))))
    draft = replace(draft, **_convert_fields(options.get("stated", {})))
    return _protect_picture(options, plain, draft, master)


def _protect_picture(options: Options, plain: Frame, draft: Header, master: bytes) -> Forged:
    """Protect the samples and close the header, without any check."""
    if draft.scheme == CONTEXT:
        given = options.get("context_bytes")
        text = _expand_text(options["context"]) if given is None else bytes.fromhex(given)
        rows, columns, channels = split_shape(plain.shape)
        numbers = (rows, columns, channels, draft.block_size or 0, draft.rounds)
        nonce = b"".join(map(encode_le64, numbers)) + draft.unit.encode("ascii") + b"\x00" + text
        key, whole = master, draft
    else:
        draft = salt_header(draft, [plain.data], master)
        key = derive_picture_key(master, bytes.fromhex(draft.salt or ""))
        tagged = replace(draft, **_convert_fields(options.get("tagged", {})))
        nonce = compute_tag(tagged, [plain.data], key)
        if "flipped" in options:
            nonce = flip_bit(nonce, options["flipped"])
        whole = close_header(draft, key, nonce)
    result = replace(plain, data=_move_samples(plain, draft, key, nonce))
    if draft.scheme == ENCRYPT:
        bits = 1 if plain.dtype == "bool" else 8
        stream = derive_subkey(key, "picture/keystream", context=nonce)
        result = replace(result, data=mask(result.data, stream, bits=bits))
    header = headers.write(whole)
    return Forged(header=header, frame=result, plain=plain, extras=draft.extras, master=master)


def _move_samples(frame: Frame, header: Header, key: bytes, nonce: bytes) -> bytes:
    """Return the samples with the units of every group moved."""
    size = SAMPLE_BYTES[frame.dtype]
    samples = [frame.data[i : i + size] for i in range(0, len(frame.data), size)]
    moved_samples = list(samples)
    use = "master/context" if header.scheme == CONTEXT else "picture/permutation"
    for name, units in list_groups(frame.shape, header.unit, block_size=header.block_size).items():
        stream = iterate_words(
            derive_subkey(key, use if name == "main" else f"{use}/{name}", context=nonce)
        )
        for position, source in enumerate(draw_permutation(len(units), header.rounds, stream)):
            for to_sample, from_sample in zip(units[position], units[source], strict=True):
                moved_samples[to_sample] = samples[from_sample]
    return b"".join(moved_samples)


def _make_plain_frame(options: Options) -> Frame:
    if "picture" not in options:
        return make_frame(options["frame"])
    still = STILLS[options["picture"]]
    return Frame(shape=still.shape, dtype=still.dtype, data=still.data)


def make_frame(about: Options) -> Frame:
    """Return plain samples that follow from a label, or are given."""
    shape, dtype = tuple(about["shape"]), about["dtype"]
    length = prod(shape) * SAMPLE_BYTES[dtype]
    if "samples" in about:
        return Frame(shape=shape, dtype=dtype, data=bytes.fromhex(about["samples"]))
    if "shake" in about:
        data = hashlib.shake_256(about["shake"].encode()).digest(length)
    else:
        data = make_plain_bytes(about["stream"], length)
    if dtype == "bool":
        data = bytes(byte & 1 for byte in data)
    return Frame(shape=shape, dtype=dtype, data=data)


def make_extras(about: str | Options | None) -> bytes | None:
    """Return the description of a picture of the gallery, or a line with blobs and padding."""
    if about is None:
        return None
    if isinstance(about, str):
        return STILLS[about].extras
    if "bytes" in about:
        return bytes.fromhex(about["bytes"])
    if "described" in about:
        unpadded = STILLS[about["described"]].extras or b""
        if "change" in about:
            unpadded = change_text(unpadded.rstrip(b"\0"), about["change"])
    else:
        unpadded = about["line"].encode("utf-8") + b"\n" + bytes.fromhex(about.get("blobs", ""))
    padding = about.get("padding", -len(unpadded) % PADDED_TO)
    zeros = bytes.fromhex(padding) if isinstance(padding, str) else bytes(padding)
    return unpadded + zeros + bytes(about.get("more", 0))


def _expand_text(text: str) -> bytes:
    return unicodedata.normalize("NFC", text).encode("utf-8")


def _derive_master(options: Options) -> bytes:
    if "kdf" not in options:
        return bytes.fromhex(options["secret"]) if "secret" in options else SECRET
    if "passphrase_bytes" in options:
        return derive_key(bytes.fromhex(options["passphrase_bytes"]), options["kdf"])
    return derive_key(_expand_text(options["passphrase"]), options["kdf"])


def derive_key(phrase: bytes, derivation: str) -> bytes:
    """Return the master key that a passphrase gives, regardless of its bytes."""
    name, costs, salt = derivation.split(":")
    memory, passes, lanes = (int(cost.partition("=")[2]) for cost in costs.split(","))
    if name == "scrypt":
        return hashlib.scrypt(phrase, salt=bytes.fromhex(salt), n=memory, r=8, p=lanes, dklen=32)
    argon2 = Argon2id(
        salt=bytes.fromhex(salt), length=32, iterations=passes, lanes=lanes, memory_cost=memory
    )
    return argon2.derive(phrase)


def _draft_header(options: Options, plain: Frame, master: bytes) -> Header:
    """Return the draft of a header, whose rounds are 1 unless they are given."""
    of_context = "context" in options or "context_bytes" in options
    fields = {name: options[name] for name in ("block_size", "rounds", "kdf") if name in options}
    return Unchecked(
        **{"rounds": 1, **fields},
        scheme=CONTEXT if of_context else options.get("scheme", ENCRYPT),
        unit=options.get("unit", "pixel"),
        shape=plain.shape,
        dtype=plain.dtype,
        key_id=options.get("key_id", compute_key_id(master)),
        salt=None if of_context else options.get("salt", SALT.hex()),
    )


def _convert_fields(given: Options) -> dict[str, Any]:
    """Return fields of a draft as the reference has them."""
    fields = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
    if "extras" in given:
        fields["extras"] = make_extras(given["extras"])
    return fields
