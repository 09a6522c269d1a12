"""Schemes with a tag: how a pipeline is tied to header, key and picture, and which there are.

Files of more than 1 MiB are moved in segments, each in units of 64 bytes.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from traceback import clear_frames
from typing import Final

import numpy as np

from sudokucrypt.bijections import UnitPermutation
from sudokucrypt.ciphers.pipeline import (
    ContextScheme,
    KeyStreamMask,
    Part,
    Permutation,
    Pipeline,
    StageContext,
)
from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidParameterError,
    UnsupportedVersionError,
    made_earlier,
)
from sudokucrypt.header import SEGMENT, SEGMENT_UNIT, Header
from sudokucrypt.keys import Key, KeyStream, PictureKey
from sudokucrypt.registry import Registry
from sudokucrypt.typing import AnyArray, IntArray
from sudokucrypt.workers import Workers


@dataclass(frozen=True)
class TaggedScheme:
    """A scheme with a synthetic IV: the tag of the plain image is the nonce of the pipeline.

    Salt and master key give the picture its key. Under that key the tag authenticates header and
    image and, by its dependence on both, makes every stream a new one; the seal authenticates
    the header alone, before anything in it is used.
    """

    name: str  #: What the header says.
    pipeline: Callable[[Header], Pipeline]  #: Makes the pipeline from a header.
    encrypts: bool = False  #: Whether secrecy is claimed.
    #: How many bits of the key it uses, where those are fewer than the key has.
    key_bits: float | None = None
    limits: str = ""  #: What it does not hide, as reports say it.

    def protect(
        self,
        parts: Sequence[Part],
        key: Key,
        draft: Header,
        workers: Workers,
        *,
        plain: Sequence[AnyArray] | None = None,
    ) -> tuple[list[AnyArray], Header]:
        """Return the protected frames and the whole header.

        A draft without salt gets a synthetic one, so that equal input gives equal output. The tag
        authenticates `plain` where that is given, in place of the samples of the parts.
        """
        # The tag is of the plain picture, so it comes before the stages, which are keyed by it: the
        # nonce is synthetic (SIV), and two pictures share streams only if they are equal.
        digests = sample_digests(plain or [part.pixels for part in parts], workers)
        header, picture_key = self.seal(digests, key, draft, workers)
        context = StageContext(picture_key, header.tag or b"", workers)
        pipeline, frames = self.pipeline(header), []
        for frame, part in enumerate(parts):
            frames.append(pipeline.run(part, context.for_frame(frame)))
        return frames, header

    def seal(
        self, digests: Sequence[bytes], key: Key, draft: Header, workers: Workers
    ) -> tuple[Header, PictureKey]:
        """Return the whole header of a picture with these digests, and the key of the picture.

        A draft without salt gets a synthetic one.
        """
        salt = draft.salt or key.synthetic_salt(tag_message(draft, digests))
        draft = draft if draft.salt else draft.complete(salt=salt)
        picture_key = key.picture_key(salt)
        tag = picture_key.tag(tag_message(draft, digests))
        context = StageContext(picture_key, tag, workers)
        # The seal comes last: it covers the tag and the metadata as they are written, so that
        # whoever opens the header checks all of it before using any of it.
        header = draft.complete(
            tag=tag, encrypted_metadata=_mask(draft.encrypted_metadata, context)
        )
        return header.complete(header_mac=picture_key.seal(header)), picture_key

    def working_key(self, key: Key | PictureKey, header: Header) -> PictureKey:
        """Return the key of the picture, which a master key derives from the salt."""
        if header.salt is None or header.tag is None or header.header_mac is None:
            raise FormatError(
                "the header lacks its salt, tag or seal",
                hint="it was cut off; restore the header that was written",
            )
        return key if isinstance(key, PictureKey) else key.picture_key(header.salt)

    def open_header(self, key: Key | PictureKey, header: Header, workers: Workers) -> Header:
        """Return an authentic header with its encrypted_metadata in plain form.

        Raises `DecryptionError` if its seal does not hold; nothing in it was used then.
        """
        picture_key = self.working_key(key, header)
        # Before the metadata are unmasked: a parser must never see what was not authenticated.
        if not picture_key.verifies(header):
            raise DecryptionError
        context = StageContext(picture_key, header.tag or b"", workers)
        return header.complete(encrypted_metadata=_mask(header.encrypted_metadata, context))

    def restore(
        self,
        parts: Sequence[Part],
        key: Key | PictureKey,
        header: Header,
        workers: Workers,
        *,
        plain_of: Callable[[list[AnyArray]], list[AnyArray]] | None = None,
    ) -> list[AnyArray]:
        """Return the plain frames, or raise `DecryptionError` if their tag is not the header's.

        The header is what `open_header` returned. `plain_of` makes of the frames what the tag
        authenticates, and what is returned, where that is not the frames.
        """
        picture_key = self.working_key(key, header)
        context = StageContext(picture_key, header.tag or b"", workers)
        pipeline, frames = self.pipeline(header), list[AnyArray]()
        # Only the plain samples can be checked, so they exist before they are known to be right;
        # nobody gets them unless they are.
        try:
            for frame, part in enumerate(parts):
                frames.append(pipeline.run(part, context.for_frame(frame), backward=True))
            if plain_of is not None:
                frames[:] = plain_of(frames)
            require_tag(header, picture_key, sample_digests(frames, workers))
        except Exception as error:
            # The traceback holds the variables of every call, and reports of crashes print them.
            frames.clear()
            clear_frames(error.__traceback__)
            for part in parts:
                if part.overwrite:
                    part.pixels.fill(0)
            raise
        return frames


def require_tag(header: Header, key: PictureKey, digests: Sequence[bytes]) -> None:
    """Raise `DecryptionError` unless the tag of an opened header is that of these digests.

    Parameters
    ----------
    header : Header
        The header with its tag, and with `encrypted_metadata` in plain form.
    key : PictureKey
        The key of the picture.
    digests : sequence of bytes
        The digests of the samples, from `sample_digests`.
    """
    if not hmac.compare_digest(key.tag(tag_message(header, digests)), header.tag or b""):
        raise DecryptionError


def _mask(encrypted_metadata: bytes | None, context: StageContext) -> bytes | None:
    """Mask the encrypted_metadata, or unmask them."""
    if encrypted_metadata is None:
        return None
    plain = np.frombuffer(encrypted_metadata, dtype=np.uint8)
    masked = np.empty_like(plain)
    context.stream("extras").mask(plain, masked, context.workers)
    return masked.tobytes()


def sample_digests(images: Sequence[AnyArray], workers: Workers) -> list[bytes]:
    """Return the SHA-256 digests of the plain samples.

    The samples of each frame are read in C order, little endian, in chunks of 1 MiB that are hashed
    on their own; a frame starts a new chunk.

    Parameters
    ----------
    images : sequence of ndarray
        The plain samples of each frame, of any shape and dtype.
    workers : Workers
        Who shares the work; the result does not depend on it.
    """
    return [digest for image in images for digest in _chunk_digests(image, workers)]


def tag_message(header: Header, digests: Sequence[bytes]) -> bytes:
    """Return what the tag authenticates, and what a synthetic salt comes from.

    Tag and seal of the header, if any, are left out, and its encrypted_metadata are in plain form.
    `digests` are those of `sample_digests`.

    Parameters
    ----------
    header : Header
        The header, with `encrypted_metadata` in plain form.
    digests : sequence of bytes
        The digests of the samples, from `sample_digests`.
    """
    described = header.to_bytes(without=("tag", "seal"))
    # With lengths in front, no header and digests give the message of other ones.
    lengths = [len(part).to_bytes(8, "little") for part in (described, digests)]
    return b"".join([lengths[0], described, lengths[1], *digests])


def _chunk_digests(image: AnyArray, workers: Workers) -> list[bytes]:
    """Return the SHA-256 digest of each chunk of an image."""
    samples = np.ascontiguousarray(image, dtype=image.dtype.newbyteorder("<"))
    data = samples.reshape(-1).view(np.uint8).data
    digests = [b""] * -(-len(data) // SEGMENT)

    def digest(start: int, stop: int) -> None:
        for chunk in range(start, stop):
            part = data[chunk * SEGMENT : (chunk + 1) * SEGMENT]
            digests[chunk] = hashlib.sha256(part).digest()

    workers.share(len(digests), digest)
    return digests


class SegmentMaps:
    """The maps of the segments of one file: one for all whole ones, and that of a shorter last one.

    `size` counts the samples of the picture, which are bytes.
    """

    def __init__(self, size: int, rounds: int, stream: KeyStream) -> None:
        draws = StreamDraws(stream)
        self._maps: dict[int, tuple[IntArray, IntArray]] = {0: (np.arange(0), np.arange(0))}
        with Workers(1) as workers:
            for count in (SEGMENT // SEGMENT_UNIT, size % SEGMENT // SEGMENT_UNIT):
                if count:
                    places = np.arange(count, dtype=np.int64)
                    UnitPermutation(count, rounds, draws).apply(places, places, workers)
                    self._maps[count] = (places, np.argsort(places))

    def apply(self, source: AnyArray, target: AnyArray, _workers: Workers) -> None:
        """Write one segment to `target`, moved.

        Both have one dimension and share no memory. Bytes that fill no unit stay.
        """
        self._gather(source, target, undo=False)

    def invert(self, source: AnyArray, target: AnyArray, _workers: Workers) -> None:
        """Write to `target` what `apply` made `source` from."""
        self._gather(source, target, undo=True)

    def _gather(self, source: AnyArray, target: AnyArray, *, undo: bool) -> None:
        count = len(source) // SEGMENT_UNIT
        end = count * SEGMENT_UNIT
        units = (array[:end].reshape(count, SEGMENT_UNIT) for array in (source, target))
        # Every index is in range; only this mode writes to the target without a buffer between.
        np.take(next(units), self._maps[count][undo], axis=0, out=next(units), mode="clip")
        target[end:] = source[end:]


@dataclass(frozen=True)
class SegmentPermutation:
    """Moves units of 64 bytes inside segments of a picture of bytes: a stage of a pipeline."""

    rounds: int  #: 1..255.

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the moved `source` to `target`."""
        self._move(source, target, context, undo=False)

    def backward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write to `target` what `forward` made `source` from."""
        self._move(source, target, context, undo=True)

    def _move(
        self, source: AnyArray, target: AnyArray, context: StageContext, *, undo: bool
    ) -> None:
        old, new = source.reshape(-1), target.reshape(-1)
        maps = SegmentMaps(len(old), self.rounds, context.stream("permutation"))

        def move(first: int, last: int) -> None:
            for start in range(first * SEGMENT, min(last * SEGMENT, len(old)), SEGMENT):
                inside = slice(start, start + SEGMENT)
                gather = maps.invert if undo else maps.apply
                gather(old[inside].copy(), new[inside], context.workers)

        context.workers.share(-(-len(old) // SEGMENT), move)


class SegmentCipher:
    """Protects and restores the segments of one file, each by itself and in any order.

    A picture of at most one segment has no field `segment`: it is moved as a whole, byte by byte.
    """

    def __init__(self, key: PictureKey, header: Header) -> None:
        self._workers = Workers(1)
        context = StageContext(key, header.tag or b"", self._workers)
        stream, size = context.stream("permutation"), prod(header.shape)
        self._mask = context.stream("keystream").mask
        self._maps: SegmentMaps | UnitPermutation
        if header.segment is None:
            if size > SEGMENT:  # moved as a whole, which takes all of it
                raise ValueError("a picture without segments is in one piece")
            self._maps = UnitPermutation(size, header.rounds, StreamDraws(stream))
        else:
            self._maps = SegmentMaps(size, header.rounds, stream)

    def protect(self, index: int, source: AnyArray, target: AnyArray) -> None:
        """Write the protected segment with this number to `target`; `source` stays.

        Both are contiguous bytes and share no memory.
        """
        self._maps.apply(source, target, self._workers)
        self._mask(target, target, self._workers, start=index * SEGMENT)

    def restore(self, index: int, source: AnyArray, target: AnyArray) -> None:
        """Write the plain segment with this number to `target`; `source` is overwritten."""
        self._mask(source, source, self._workers, start=index * SEGMENT)
        self._maps.invert(source, target, self._workers)


SCHEMES = Registry(TaggedScheme, called="a scheme", group="sudokucrypt.ciphers")
"""The schemes with a tag, by name."""


# An insecure scheme, for study only; `analysis` compares with its substitution.
_LEFT_AFTER_1_1 = "insecure-logistic-substitution-v1"


def _refuse_array(header: Header) -> Pipeline:
    raise InvalidParameterError(
        f"the scheme {header.scheme} is for JPEG files", hint="scramble a JPEG file with it"
    )


SCRAMBLE_JPEG: Final = TaggedScheme(
    "scramble-jpeg-v1",
    _refuse_array,
    limits="hides a JPEG from viewers and keeps its format; a known photo can be recognized",
)
"""The scheme of JPEG files that stay JPEG files."""


def register_scheme(scheme: TaggedScheme) -> TaggedScheme:
    """Add a scheme with a tag for this process, and return it.

    Headers name it; whoever restores its pictures must have registered it too.

    Raises `InvalidParameterError` if it is no `TaggedScheme`, or a header cannot hold its name, or
    the name is taken.

    Parameters
    ----------
    scheme : TaggedScheme
        The scheme; its name has 1 to 64 small letters, digits and hyphens.
    """
    named = isinstance(scheme, TaggedScheme)
    fits = named and re.fullmatch(r"[a-z][a-z0-9-]{0,63}", scheme.name)
    if named and (not fits or scheme.name in (ContextScheme.name, SCRAMBLE_JPEG.name)):
        raise InvalidParameterError(
            f"a scheme cannot be named {scheme.name!r}",
            hint="use 1 to 64 small letters, digits and hyphens, such as my-cipher-v1",
        )
    return SCHEMES.register(scheme)


def _make_scrambling(header: Header) -> Pipeline:
    return Pipeline((Permutation(header.unit, header.block_size, header.rounds),))


def _make_encrypting(header: Header) -> Pipeline:
    if header.unit != "pixel":
        raise FormatError(f"a header of scheme {header.scheme} has the unit pixel")
    if header.segment is not None:
        return Pipeline((SegmentPermutation(header.rounds), KeyStreamMask()))
    return Pipeline((*_make_scrambling(header).stages, KeyStreamMask()))


ENCRYPT: TaggedScheme = register_scheme(TaggedScheme("encrypt-v1", _make_encrypting, encrypts=True))
"""The scheme that moves pixels and masks their values."""

SCRAMBLE: TaggedScheme = register_scheme(TaggedScheme("scramble-v1", _make_scrambling))
"""The scheme that moves pixels, samples or blocks and changes no value."""


def find_scheme(name: str, context: str | None = None) -> TaggedScheme | ContextScheme:
    """Return the scheme that a header or a caller names.

    Raises `UnsupportedVersionError` if this release does not know the name or no longer has the
    scheme; and `InvalidParameterError` if the scheme needs a context and none is given, or the
    other way round.

    Parameters
    ----------
    name : str
        The name, as headers have it.
    context : str, optional
        The text that the picture was scrambled under; by default there is none.
    """
    if name == ContextScheme.name:
        if context is None:
            raise InvalidParameterError(
                "this picture was scrambled under a context",
                hint="pass the text as context",
            )
        return ContextScheme(context)
    if name != SCRAMBLE_JPEG.name and name not in SCHEMES:
        if name == _LEFT_AFTER_1_1:
            raise made_earlier(f"the scheme {name}")
        raise UnsupportedVersionError(
            f"the scheme {name!r} is not known",
            hint=f"this release knows {', '.join(SCHEMES)}; a newer one may know it",
        )
    if context is not None:
        raise InvalidParameterError(
            "this picture was not scrambled under a context", hint="leave the context out"
        )
    return SCRAMBLE_JPEG if name == SCRAMBLE_JPEG.name else SCHEMES[name]
