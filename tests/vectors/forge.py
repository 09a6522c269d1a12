"""Pictures with one fault that is right everywhere else: what a header merely edited cannot show.

An edited header is refused for its seal, whatever else is wrong. These pictures are made by the
reference with a fault inside, and tag, masks and seal are computed to fit it, so that only the
check of this fault refuses them. Nothing here reads the extras: they may be any bytes.
"""

from collections.abc import Sequence

from tests.kit.reference import header as headers
from tests.kit.reference.frames import Frame, Work, protect_frame
from tests.kit.reference.header import Header
from tests.kit.reference.hkdf import picture_key
from tests.kit.reference.parts import Pixels
from tests.kit.reference.pictures import closed
from tests.kit.reference.tags import tag_of

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

    The draft may have any key id, selection and bytes as extras, but no tag and seal; the `bits` of
    the frames count, and `pixels`, None for all, are what changes of each. The picture key comes
    from master key and salt unless one is given. Under the tag stands another draft if one is
    `tagged`; `flipped` is a bit of the tag that is wrong, with all streams and the seal to fit.
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
