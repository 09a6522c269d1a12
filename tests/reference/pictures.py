"""Section 7: the schemes; section 2 of the page on encryption; both for pictures of any frames."""

import hmac
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from tests.reference import RefusedError, description
from tests.reference import header as headers
from tests.reference.description import Description
from tests.reference.frames import Frame, Work, mask, protect_frame, restore_frame, tag_of
from tests.reference.header import CONTEXT, ENCRYPT, Header
from tests.reference.hkdf import key_id, subkey
from tests.reference.selection import (
    Canvas,
    pixels_of_frame,
    read_mask,
    selected_by_mask,
    selected_by_regions,
)
from tests.reference.units import default_rounds, groups, rows_columns_channels

KEY_BYTES = 32
Pixels = list[int] | None


def context_nonce(context: str) -> bytes:
    """Nonce of `scramble-context-v1`: the context text in form C, as UTF-8."""
    if not context:
        raise RefusedError("the context text is empty")
    try:
        return unicodedata.normalize("NFC", context).encode("utf-8")
    except UnicodeEncodeError as error:
        raise RefusedError("the context text is not Unicode text") from error


def _check_key(key: bytes) -> None:
    if len(key) != KEY_BYTES:
        raise RefusedError("a key is 32 bytes")


def canvas_of(shape: Sequence[int], meaning: Description | None) -> Canvas:
    """The canvas of a picture whose frame 0 has this shape."""
    if meaning is not None and "animation" in meaning:
        animation = meaning["animation"]
        return Canvas(rows=animation["rows"], columns=animation["columns"])
    rows, columns, _ = rows_columns_channels(shape)
    return Canvas(rows=rows, columns=columns)


def pixels_of_frames(
    shapes: Sequence[Sequence[int]], header: Header, meaning: Description | None
) -> list[Pixels]:
    """Pixels that change in every frame, or None for all."""
    canvas = canvas_of(shapes[0], meaning)
    if header.regions is not None:
        selected = selected_by_regions(header.regions, canvas)
    elif header.mask is not None:
        selected = selected_by_mask(read_mask(header.mask), canvas)
    else:
        return [None for _ in shapes]
    described = [{}] * len(shapes) if meaning is None else meaning["frames"]
    places = [frame.get("place", (0, 0)) for frame in described]
    return [
        pixels_of_frame(shape, place, canvas=canvas, selected=selected)
        for shape, place in zip(shapes, places, strict=True)
    ]


def rounds_of_picture(
    shapes: Sequence[Sequence[int]],
    unit: str,
    *,
    block_size: int | None = None,
    pixels: Sequence[Pixels] | None = None,
) -> int:
    """Default rounds for frames of these shapes, of which these pixels change."""
    counts = []
    for shape, chosen in zip(shapes, pixels or [None for _ in shapes], strict=True):
        if chosen is None:
            units_of = groups(shape, unit, block_size=block_size)
            counts += [len(units) for units in units_of.values()]
        else:
            _, _, channels = rows_columns_channels(shape)
            counts.append(len(chosen) * (channels if unit == "sample" else 1))
    return default_rounds(counts)


def _described(frames: Sequence[Frame], header: Header, extras: bytes | None) -> list[Frame]:
    """The frames with the bits of their description; refused if they are others than described."""
    if frames[0].shape != header.shape or frames[0].dtype != header.dtype:
        raise RefusedError("another shape or dtype")
    if extras is None:
        if len(frames) > 1:
            raise RefusedError("several frames without a description")
        return list(frames)
    described = description.read(extras)["frames"]
    at_hand = [(list(frame.shape), frame.dtype) for frame in frames]
    if at_hand != [(frame["shape"], frame["dtype"]) for frame in described]:
        raise RefusedError("other frames than described")
    return [
        replace(frame, bits=about.get("bits"))
        for frame, about in zip(frames, described, strict=True)
    ]


def _masked_extras(header: Header, key: bytes, nonce: bytes) -> bytes | None:
    if header.extras is None or header.scheme != ENCRYPT:
        return header.extras
    return mask(header.extras, subkey(key, "extras", context=nonce))


def protect_picture(
    frames: Sequence[Frame], header: Header, *, key: bytes, context: str | None = None
) -> tuple[list[Frame], bytes]:
    """Scramble or encrypt the frames of a picture.

    Parameters
    ----------
    frames
        The plain frames.
    header
        The header without its tag; its extras are not masked.
    key
        32 bytes.
    context
        Context text; None exactly if the scheme is not `scramble-context-v1`.

    Returns
    -------
    tuple
        The protected frames, and the header.
    """
    _check_key(key)
    frames = _described(frames, header, header.extras)
    meaning = None if header.extras is None else description.read(header.extras)
    shapes = [frame.shape for frame in frames]
    if context is None:
        for frame in frames:
            frame.samples()
        nonce = tag_of(header, [frame.data for frame in frames], key)
        work = Work(header=header, key=key, nonce=nonce)
        extras = _masked_extras(header, key, nonce)
        written = replace(header, extras=extras).with_tag(nonce)
    else:
        work = Work(header=header, key=key, nonce=context_nonce(context))
        written = header
    chosen = pixels_of_frames(shapes, header, meaning)
    made = [
        protect_frame(frame, number, work=work, pixels=pixels)
        for number, (frame, pixels) in enumerate(zip(frames, chosen, strict=True))
    ]
    return made, headers.write(written)


def _header_for_context(frames: Sequence[Frame], key: bytes) -> Header:
    return Header(
        scheme=CONTEXT,
        unit="pixel",
        rounds=rounds_of_picture([frame.shape for frame in frames], "pixel"),
        shape=frames[0].shape,
        dtype=frames[0].dtype,
        key_id=key_id(key),
    )


def restore_picture(
    frames: Sequence[Frame], header_bytes: bytes | None, *, key: bytes, context: str | None = None
) -> tuple[list[Frame], Description | None]:
    """Restore the frames of a picture by the scheme that its header names.

    Parameters
    ----------
    frames
        The frames at hand.
    header_bytes
        The header, or None for `scramble-context-v1` without one.
    key
        32 bytes.
    context
        Context text; None exactly if the scheme is not `scramble-context-v1`.

    Returns
    -------
    tuple
        The plain frames, and what they mean.
    """
    _check_key(key)
    if header_bytes is None:
        header = _header_for_context(frames, key)
    else:
        header = headers.read(header_bytes)
    if (header.scheme == CONTEXT) != (context is not None):
        raise RefusedError("a context text is for scramble-context-v1, and needed there")
    if header.key_id != key_id(key):
        raise RefusedError("another key")
    nonce = bytes.fromhex(header.tag or "") if context is None else context_nonce(context)
    extras = _masked_extras(header, key, nonce)
    header = replace(header, extras=extras)
    frames = _described(frames, header, extras)
    meaning = None if extras is None else description.read(extras)
    chosen = pixels_of_frames([frame.shape for frame in frames], header, meaning)
    work = Work(header=header, key=key, nonce=nonce)
    # Assumed: encrypted booleans of another byte than 0 or 1 are refused like plain ones.
    plain = [
        restore_frame(frame, number, work=work, pixels=pixels)
        for number, (frame, pixels) in enumerate(zip(frames, chosen, strict=True))
    ]
    if context is None:
        tag = tag_of(header, [frame.data for frame in plain], key)
        if not hmac.compare_digest(tag, nonce):
            raise RefusedError("wrong key or altered data")
    return plain, meaning
