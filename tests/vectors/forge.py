"""Pictures with one fault that is right everywhere else: what a header merely edited cannot show.

An edited header is refused for its seal, whatever else is wrong. These pictures are made by the
reference with a fault inside, and tag, masks and seal are computed to fit it, so that only the
check of this fault refuses them. Nothing here reads the extras: they may be any bytes.
"""

from collections.abc import Sequence

from tests.reference import header as headers
from tests.reference.frames import Frame, Work, protect_frame
from tests.reference.header import Header
from tests.reference.hkdf import picture_key
from tests.reference.parts import Pixels
from tests.reference.pictures import closed
from tests.reference.tags import tag_of

Made = tuple[list[Frame], bytes]


def forged(
    frames: Sequence[Frame],
    draft: Header,
    *,
    key: bytes,
    of_picture: bytes | None = None,
    pixels: Sequence[Pixels] | None = None,
    tagged: Header | None = None,
    flipped: int | None = None,
) -> Made:
    """Return the protected frames and the header of a picture under tag and seal.

    Parameters
    ----------
    frames
        The plain frames; their `bits` count, whatever the extras say.
    draft
        The header without tag and seal: any key id, any selection, any bytes as extras.
    key
        The master key; with the salt of the draft it gives the picture key.
    of_picture
        A picture key in place of that one.
    pixels
        What changes of every frame, whatever the draft says; None for all.
    tagged
        The draft that is under the tag, in place of this one.
    flipped
        A bit of the tag that is another than it should be, with all streams and the seal to fit.
    """
    of_picture = of_picture or picture_key(key, bytes.fromhex(draft.salt or ""))
    tag = bytearray(tag_of(tagged or draft, [frame.data for frame in frames], of_picture))
    if flipped is not None:
        tag[flipped // 8] ^= 1 << flipped % 8
    made = _protected(frames, Work(header=draft, key=of_picture, nonce=bytes(tag)), pixels)
    return made, headers.write(closed(draft, of_picture, bytes(tag)))


def forged_context(
    frames: Sequence[Frame],
    draft: Header,
    *,
    key: bytes,
    text: bytes,
    pixels: Sequence[Pixels] | None = None,
) -> Made:
    """Return a picture under the bytes of a context, be they of no text that is allowed."""
    made = _protected(frames, Work(header=draft, key=key, nonce=text), pixels)
    return made, headers.write(draft)


def _protected(frames: Sequence[Frame], work: Work, pixels: Sequence[Pixels] | None) -> list[Frame]:
    chosen = pixels or [None] * len(frames)
    return [
        protect_frame(frame, number, work=work, pixels=part)
        for number, (frame, part) in enumerate(zip(frames, chosen, strict=True))
    ]
