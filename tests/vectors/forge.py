"""Make pictures that are right, or wrong in one thing alone, with the reference.

An edited header is refused for its seal, whatever else is wrong with it. So a fault is put into
the draft of a picture, and tag, masks and seal are computed to fit it: only the check of this
fault can refuse the picture. What a picture is made of comes from a row of data, see `rows`.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from typing import Any

from sudokucrypt.images import describe
from tests.kit.reference import description, kdf
from tests.kit.reference import header as headers
from tests.kit.reference.context import context_text
from tests.kit.reference.frames import Frame, Work, protect_frame
from tests.kit.reference.header import CONTEXT, ENCRYPT, SAMPLE_BYTES, Header
from tests.kit.reference.hkdf import key_id, picture_key
from tests.kit.reference.parts import Pixels, canvas_of, pixels_of_frames, rounds_of_picture
from tests.kit.reference.pictures import closed, salted
from tests.kit.reference.selection import Canvas, pixels_of_frame, read_mask, write_mask
from tests.kit.reference.tags import tag_of
from tests.vectors.common import SALT, SECRET, changed, flipped, little, plain_bytes
from tests.vectors.gallery import PICTURES

Options = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Unchecked(Header):
    """A header that no rule is applied to, so that it can hold what readers must refuse."""

    def __post_init__(self) -> None:
        """Check nothing."""


@dataclass(frozen=True, kw_only=True)
class Forged:
    """A protected picture, its plain frames and extras, and the master key behind it."""

    header: bytes
    frames: list[Frame]
    plain: list[Frame]
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
        return picture_key(self.master, bytes.fromhex(self.fields["salt"]))


def forged(options: Options) -> Forged:
    """Return the picture that is made by these options, each of which may be left out.

    ========================================  ==================================================
    `picture`                                 a name of the gallery, in place of `frames`
    `frames`                                  shape and dtype, with the label of a stream or of
                                              SHAKE-256, or with the samples
    `scheme`, `unit`, `block_size`, `rounds`  as in the header; a `context` has its own scheme
    `secret`; `kdf` and `passphrase`          the master key, or what gives it; in place of a text
                                              that is not allowed, `passphrase_bytes`
    `salt`, `key_id`                          those of the header; a salt of null is deterministic
    `context`, `context_bytes`                the text, or bytes of no text that is allowed
    `regions`, `runs`                         what is selected, and protected
    `selected`                                what is protected instead: rectangles are cut off at
                                              the edges ("cut"), or go on in the next row
                                              ("wrapped"), or "nothing"
    `extras`                                  null, the name of a described picture, or a line
                                              with blobs, and padding or `more` of it
    `stated`                                  fields of the draft that say otherwise
    `tagged`                                  fields of the draft under the tag alone
    `flipped`                                 a bit of the tag that is wrong, the rest to fit
    ========================================  ==================================================
    """
    return _forged(json.dumps(options, sort_keys=True))


@cache
def _forged(text: str) -> Forged:
    options = json.loads(text)
    described = extras_of(options.get("picture", options.get("extras")))
    extras = extras_of(options["extras"]) if "extras" in options else described
    plain = _plain_frames(options)
    master = _master(options)
    draft = _draft(options, plain[0], master)
    meaning = None
    if described and ("picture" in options or draft.regions or draft.mask):
        meaning = description.read(described)
    if "picture" in options and meaning:
        plain = [
            replace(frame, bits=about.get("bits"))
            for frame, about in zip(plain, meaning["frames"], strict=True)
        ]
    shapes = [frame.shape for frame in plain]
    pixels = _pixels(options, shapes, draft, meaning)
    if "rounds" not in options:
        size = draft.block_size
        rounds = rounds_of_picture(shapes, draft.unit, block_size=size, pixels=pixels)
        draft = replace(draft, rounds=rounds)
    draft = replace(draft, extras=extras)
    draft = replace(draft, **_fields(options.get("stated", {})))
    return _protected(options, plain, draft, pixels, master)


def _protected(
    options: Options, plain: list[Frame], draft: Header, pixels: Sequence[Pixels], master: bytes
) -> Forged:
    """Protect the frames as `protect_picture` of the reference does, without any check."""
    if draft.scheme == CONTEXT:
        given = options.get("context_bytes")
        nonce = context_text(options["context"]) if given is None else bytes.fromhex(given)
        work, whole = Work(header=draft, key=master, nonce=nonce), draft
    else:
        samples = [frame.data for frame in plain]
        draft = salted(draft, samples, master)
        of_picture = picture_key(master, bytes.fromhex(draft.salt or ""))
        tagged = replace(draft, **_fields(options.get("tagged", {})))
        tag = tag_of(tagged, samples, of_picture)
        if "flipped" in options:
            tag = flipped(tag, options["flipped"])
        work = Work(header=draft, key=of_picture, nonce=tag)
        whole = closed(draft, of_picture, tag)
    result = [
        protect_frame(frame, index, work=work, pixels=part)
        for index, (frame, part) in enumerate(zip(plain, pixels, strict=True))
    ]
    header = headers.write(whole)
    return Forged(header=header, frames=result, plain=plain, extras=draft.extras, master=master)


def _plain_frames(options: Options) -> list[Frame]:
    if "picture" not in options:
        return [frame_of(about) for about in options["frames"]]
    frames = PICTURES[options["picture"]].picture.frames
    return [
        Frame(shape=f.pixels.shape, dtype=f.pixels.dtype.name, data=little(f.pixels))
        for f in frames
    ]


def frame_of(about: Options) -> Frame:
    """Return a plain frame whose samples follow from a label, or are given."""
    shape, dtype = tuple(about["shape"]), about["dtype"]
    length = prod(shape) * SAMPLE_BYTES[dtype]
    if "samples" in about:
        data = bytes.fromhex(about["samples"])
        return Frame(shape=shape, dtype=dtype, data=data, bits=about.get("bits"))
    if "shake" in about:
        data = hashlib.shake_256(about["shake"].encode()).digest(length)
    else:
        data = plain_bytes(about["stream"], length)
    if dtype == "bool":
        data = bytes(byte & 1 for byte in data)
    return Frame(shape=shape, dtype=dtype, data=data)


def extras_of(about: str | Options | None) -> bytes | None:
    """Return the description of a picture of the gallery, or a line with blobs and padding."""
    if about is None:
        return None
    if isinstance(about, str):
        return describe(PICTURES[about])
    if "bytes" in about:
        return bytes.fromhex(about["bytes"])
    if "described" in about:
        bare = describe(PICTURES[about["described"]]) or b""
        if "change" in about:
            bare = changed(bare.rstrip(b"\0"), about["change"])
    else:
        bare = about["line"].encode("utf-8") + b"\n" + bytes.fromhex(about.get("blobs", ""))
    padding = about.get("padding", -len(bare) % description.PADDED_TO)
    zeros = bytes.fromhex(padding) if isinstance(padding, str) else bytes(padding)
    return bare + zeros + bytes(about.get("more", 0))


def _master(options: Options) -> bytes:
    if "kdf" not in options:
        return bytes.fromhex(options["secret"]) if "secret" in options else SECRET
    if "passphrase_bytes" in options:
        return kdf.derive_from(bytes.fromhex(options["passphrase_bytes"]), options["kdf"])
    return kdf.derive(options["passphrase"], options["kdf"])


def _draft(options: Options, first: Frame, master: bytes) -> Header:
    """Return the draft of a header, whose rounds are 1 unless they are given."""
    of_context = "context" in options or "context_bytes" in options
    fields = {name: options[name] for name in ("block_size", "rounds", "kdf") if name in options}
    return Unchecked(
        **{"rounds": 1, **fields},
        scheme=CONTEXT if of_context else options.get("scheme", ENCRYPT),
        unit=options.get("unit", "pixel"),
        shape=first.shape,
        dtype=first.dtype,
        key_id=options.get("key_id", key_id(master)),
        salt=None if of_context else options.get("salt", SALT.hex()),
        **_fields({name: options[name] for name in ("regions", "runs") if name in options}),
    )


def _fields(given: Options) -> dict[str, Any]:
    """Return fields of a draft as the reference has them."""
    fields = {
        name: tuple(map(_tuple, value)) if isinstance(value, list) else value
        for name, value in given.items()
        if name not in {"runs", "mask", "extras"}
    }
    if "runs" in given:
        fields["mask"] = write_mask(given["runs"])
    if "mask" in given:
        fields["mask"] = bytes.fromhex(given["mask"])
    if "extras" in given:
        fields["extras"] = extras_of(given["extras"])
    return fields


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _pixels(
    options: Options,
    shapes: Sequence[tuple[int, ...]],
    draft: Header,
    meaning: dict[str, Any] | None,
) -> Sequence[Pixels]:
    """Return the pixels of each frame that are protected, None for all of a frame."""
    selected = options.get("selected")
    if selected is None:
        return pixels_of_frames(shapes, draft, meaning)
    if selected == "nothing":
        return [[] for _ in shapes]
    canvas = canvas_of(shapes[0], meaning)
    chosen = _selected(draft, canvas, wrapped=selected == "wrapped")
    return [pixels_of_frame(shape, (0, 0), canvas=canvas, selected=chosen) for shape in shapes]


def _selected(header: Header, canvas: Canvas, *, wrapped: bool) -> set[int]:
    """Return the pixels of the canvas that a reader would select without a look at its size."""
    chosen: set[int] = set()
    for row, column, rows, columns in header.regions or ():
        last = column + columns if wrapped else min(column + columns, canvas.columns)
        for r in range(row, min(row + rows, canvas.rows)):
            chosen.update(r * canvas.columns + c for c in range(column, min(last, 99)))
    first = 0
    for turn, length in enumerate(read_mask(header.mask) if header.mask else ()):
        if turn % 2:
            chosen.update(range(first, first + length))
        first += length
    return chosen
