"""Schemes with a tag: pipelines that are bound to header, key and picture; and their register.

Files of more than 1 MiB are protected in segments, within which units of 64 bytes move.
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
    make_version_error,
)
from sudokucrypt.header import SEGMENT_BYTES, SEGMENT_UNIT_BYTES, Header
from sudokucrypt.keys import Key, KeyStream, PictureKey
from sudokucrypt.registry import Registry
from sudokucrypt.typing import AnyArray, IntArray
from sudokucrypt.workers import Workers


@dataclass(frozen=True)
class TaggedScheme:
    """A scheme with a synthetic IV: the tag of the plain image is the nonce of the pipeline.

    The key of the picture is derived from the master key and the salt. With that key the tag
    authenticates header and image. All streams depend on the tag, so that each picture has new
    ones. The seal authenticates the header alone, before anything in it is used.
    """

    name: str  #: The name of the scheme in headers.
    pipeline: Callable[[Header], Pipeline]  #: Makes the pipeline from a header.
    encrypts: bool = False  #: Whether the scheme claims to keep the picture secret.
    #: The number of bits of the key that the scheme uses, if it does not use all bits.
    key_bits: float | None = None
    limits: str = ""  #: What the scheme does not hide, for reports.

    def protect(
        self,
        parts: Sequence[Part],
        key: Key,
        draft_header: Header,
        workers: Workers,
        *,
        plain: Sequence[AnyArray] | None = None,
    ) -> tuple[list[AnyArray], Header]:
        """Return the protected frames and the whole header.

        A draft without salt gets a synthetic one, so that equal input gives equal output. If
        `plain` is given, the tag authenticates it and not the samples of the parts.
        """
        # The tag is computed first, since the stages use it as their nonce. It depends on the plain
        # picture (a synthetic IV), so that two pictures share streams only if they are equal.
        digests = sample_digests(plain or [part.pixels for part in parts], workers)
        header, picture_key = self.seal(digests, key, draft_header, workers)
        context = StageContext(picture_key, header.tag or b"", workers)
        pipeline, frames = self.pipeline(header), []
        for frame, part in enumerate(parts):
            frames.append(pipeline.run(part, context.for_frame(frame)))
        return frames, header

    def seal(
        self, digests: Sequence[bytes], key: Key, draft_header: Header, workers: Workers
    ) -> tuple[Header, PictureKey]:
        """Return the whole header of a picture with these digests, and the key of the picture.

        A draft without salt gets a synthetic one.
        """
        salt = draft_header.salt or key.derive_salt(tag_message(draft_header, digests))
        draft_header = draft_header if draft_header.salt else draft_header.complete(salt=salt)
        picture_key = key.picture_key(salt)
        tag = picture_key.tag(tag_message(draft_header, digests))
        context = StageContext(picture_key, tag, workers)
        # The seal is computed last. It covers the tag and the masked metadata, so that the whole
        # header can be checked before any part of it is used.
        header = draft_header.complete(
            tag=tag, encrypted_metadata=_mask_metadata(draft_header.encrypted_metadata, context)
        )
        return header.complete(header_mac=picture_key.seal(header)), picture_key

    def find_picture_key(self, key: Key | PictureKey, header: Header) -> PictureKey:
        """Return the key of the picture, derived from the salt if a master key is given."""
        if header.salt is None or header.tag is None or header.header_mac is None:
            raise FormatError(
                "the header lacks its salt, tag or seal",
                hint="the header is incomplete; use the complete header that was written",
            )
        return key if isinstance(key, PictureKey) else key.picture_key(header.salt)

    def open_header(self, key: Key | PictureKey, header: Header, workers: Workers) -> Header:
        """Return an authentic header with its encrypted_metadata in plain form.

        Raises `DecryptionError` if the seal is wrong, before anything in the header is used.
        """
        picture_key = self.find_picture_key(key, header)
        # The metadata are unmasked afterwards: a parser must never see unauthenticated bytes.
        if not picture_key.verifies(header):
            raise DecryptionError
        context = StageContext(picture_key, header.tag or b"", workers)
        return header.complete(
            encrypted_metadata=_mask_metadata(header.encrypted_metadata, context)
        )

    def restore(
        self,
        parts: Sequence[Part],
        key: Key | PictureKey,
        header: Header,
        workers: Workers,
        *,
        convert: Callable[[list[AnyArray]], list[AnyArray]] | None = None,
    ) -> list[AnyArray]:
        """Return the plain frames, or raise `DecryptionError` if the header has another tag.

        The header is what `open_header` returned. If the tag authenticates something else than the
        frames, `convert` makes that from the frames, and it is returned.
        """
        picture_key = self.find_picture_key(key, header)
        context = StageContext(picture_key, header.tag or b"", workers)
        pipeline, frames = self.pipeline(header), list[AnyArray]()
        # The tag is of the plain samples, so they are in memory before they are authenticated. If
        # they are wrong, they are erased here.
        try:
            for frame, part in enumerate(parts):
                frames.append(pipeline.run(part, context.for_frame(frame), backward=True))
            if convert is not None:
                frames[:] = convert(frames)
            require_tag(header, picture_key, sample_digests(frames, workers))
        except Exception as error:
            # The traceback refers to the variables of every call, and crash reports print them.
            frames.clear()
            clear_frames(error.__traceback__)
            for part in parts:
                if part.overwrite:
                    part.pixels.fill(0)
            raise
        return frames


def require_tag(header: Header, key: PictureKey, digests: Sequence[bytes]) -> None:
    """Raise `DecryptionError` unless the tag of an opened header authenticates these digests.

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


def _mask_metadata(encrypted_metadata: bytes | None, context: StageContext) -> bytes | None:
    """Mask the encrypted metadata, or unmask them if they are masked."""
    if encrypted_metadata is None:
        return None
    plain = np.frombuffer(encrypted_metadata, dtype=np.uint8)
    masked_metadata = np.empty_like(plain)
    context.stream("extras").mask(plain, masked_metadata, context.workers)
    return masked_metadata.tobytes()


def sample_digests(images: Sequence[AnyArray], workers: Workers) -> list[bytes]:
    """Return the SHA-256 digests of the plain samples, one for each chunk.

    The samples of each frame are read in C order, little endian. Each chunk of 1 MiB is hashed on
    its own, and every frame starts a new chunk.

    Parameters
    ----------
    images : sequence of ndarray
        The plain samples of each frame, of any shape and dtype.
    workers : Workers
        The threads that share the work; the result does not depend on their number.
    """
    return [digest for image in images for digest in _digest_chunks(image, workers)]


def tag_message(header: Header, digests: Sequence[bytes]) -> bytes:
    """Return the message that the tag authenticates and from which a synthetic salt is derived.

    The message holds the header without tag and seal, and the digests.

    Parameters
    ----------
    header : Header
        The header, with `encrypted_metadata` in plain form.
    digests : sequence of bytes
        The digests of the samples, from `sample_digests`.
    """
    header_bytes = header.to_bytes(without=("tag", "seal"))
    # Each part follows its length, so that different input never gives the same message.
    lengths = [len(part).to_bytes(8, "little") for part in (header_bytes, digests)]
    return b"".join([lengths[0], header_bytes, lengths[1], *digests])


def _digest_chunks(image: AnyArray, workers: Workers) -> list[bytes]:
    """Return the SHA-256 digest of each chunk of an image."""
    samples = np.ascontiguousarray(image, dtype=image.dtype.newbyteorder("<"))
    sample_bytes = samples.reshape(-1).view(np.uint8).data
    digests = [b""] * -(-len(sample_bytes) // SEGMENT_BYTES)

    def digest(first_chunk: int, end_chunk: int) -> None:
        for chunk_index in range(first_chunk, end_chunk):
            chunk_bytes = sample_bytes[
                chunk_index * SEGMENT_BYTES : (chunk_index + 1) * SEGMENT_BYTES
            ]
            digests[chunk_index] = hashlib.sha256(chunk_bytes).digest()

    workers.share(len(digests), digest)
    return digests


class SegmentMaps:
    """The permutations for the segments of one file of `size` bytes.

    All whole segments have the same permutation. A last segment that is shorter has another one.
    """

    def __init__(self, size: int, rounds: int, stream: KeyStream) -> None:
        draws = StreamDraws(stream)
        self._maps: dict[int, tuple[IntArray, IntArray]] = {0: (np.arange(0), np.arange(0))}
        with Workers(1) as workers:
            for count in (
                SEGMENT_BYTES // SEGMENT_UNIT_BYTES,
                size % SEGMENT_BYTES // SEGMENT_UNIT_BYTES,
            ):
                if count:
                    indexes = np.arange(count, dtype=np.int64)
                    UnitPermutation(count, rounds, draws).apply(indexes, indexes, workers)
                    self._maps[count] = (indexes, np.argsort(indexes))

    def apply(self, source: AnyArray, target: AnyArray, _workers: Workers) -> None:
        """Write the scrambled segment `source` to `target`.

        Both arrays have one dimension and share no memory. Bytes at the end that do not fill a unit
        keep their place.
        """
        self._gather_units(source, target, undo=False)

    def invert(self, source: AnyArray, target: AnyArray, _workers: Workers) -> None:
        """Write the unscrambled segment `source` to `target`."""
        self._gather_units(source, target, undo=True)

    def _gather_units(self, source: AnyArray, target: AnyArray, *, undo: bool) -> None:
        count = len(source) // SEGMENT_UNIT_BYTES
        end_sample = count * SEGMENT_UNIT_BYTES
        units = (
            array[:end_sample].reshape(count, SEGMENT_UNIT_BYTES) for array in (source, target)
        )
        # Every index is in range, but only the mode "clip" writes to the target without a buffer.
        np.take(next(units), self._maps[count][undo], axis=0, out=next(units), mode="clip")
        target[end_sample:] = source[end_sample:]


@dataclass(frozen=True)
class SegmentPermutation:
    """A stage that moves units of 64 bytes within the segments of a file."""

    rounds: int  #: The number of rounds, 1..255.

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the scrambled `source` to `target`."""
        self._move_units(source, target, context, undo=False)

    def backward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the unscrambled `source` to `target`."""
        self._move_units(source, target, context, undo=True)

    def _move_units(
        self, source: AnyArray, target: AnyArray, context: StageContext, *, undo: bool
    ) -> None:
        inputs, outputs = source.reshape(-1), target.reshape(-1)
        maps = SegmentMaps(len(inputs), self.rounds, context.stream("permutation"))

        def move_segments(first: int, end: int) -> None:
            for start in range(
                first * SEGMENT_BYTES, min(end * SEGMENT_BYTES, len(inputs)), SEGMENT_BYTES
            ):
                segment = slice(start, start + SEGMENT_BYTES)
                move_segment = maps.invert if undo else maps.apply
                move_segment(inputs[segment].copy(), outputs[segment], context.workers)

        context.workers.share(-(-len(inputs) // SEGMENT_BYTES), move_segments)


class SegmentCipher:
    """A cipher that processes the segments of one file, one at a time and in any order.

    The header of a file of at most one segment has no field `segment`: single bytes move in it.
    """

    def __init__(self, key: PictureKey, header: Header) -> None:
        self._workers = Workers(1)
        context = StageContext(key, header.tag or b"", self._workers)
        stream, size = context.stream("permutation"), prod(header.shape)
        self._mask_bytes = context.stream("keystream").mask
        self._maps: SegmentMaps | UnitPermutation
        if header.segment is None:
            # Without segments, a larger file cannot be processed in pieces.
            if size > SEGMENT_BYTES:
                raise ValueError("the file is larger than a segment, but is not in segments")
            self._maps = UnitPermutation(size, header.rounds, StreamDraws(stream))
        else:
            self._maps = SegmentMaps(size, header.rounds, stream)

    def protect(self, index: int, source: AnyArray, target: AnyArray) -> None:
        """Write the protected segment with this index to `target`; `source` is not changed.

        Both arrays are contiguous bytes and share no memory.
        """
        self._maps.apply(source, target, self._workers)
        self._mask_bytes(target, target, self._workers, start=index * SEGMENT_BYTES)

    def restore(self, index: int, source: AnyArray, target: AnyArray) -> None:
        """Write the plain segment with this index to `target`; `source` is overwritten."""
        self._mask_bytes(source, source, self._workers, start=index * SEGMENT_BYTES)
        self._maps.invert(source, target, self._workers)


SCHEMES = Registry(TaggedScheme, item_noun="a scheme", group="sudokucrypt.ciphers")
"""The schemes with a tag, by name."""


# An insecure scheme that version 1.1 still had, for study.
_REMOVED_SCHEME_NAME = "insecure-logistic-substitution-v1"


def _refuse_header(header: Header) -> Pipeline:
    raise InvalidParameterError(
        f"the scheme {header.scheme} is for JPEG files", hint="scramble a JPEG file with it"
    )


SCRAMBLE_JPEG: Final = TaggedScheme(
    "scramble-jpeg-v1",
    _refuse_header,
    limits="hides a JPEG from viewers and keeps its format; a known photo can be recognized",
)
"""The scheme that scrambles a JPEG file into another JPEG file."""


def register_scheme(scheme: TaggedScheme) -> TaggedScheme:
    """Add a scheme with a tag for this process, and return it.

    Headers hold the name of the scheme. To restore a picture, its scheme must be registered too.

    Raises `InvalidParameterError` if `scheme` is not a `TaggedScheme`, or a header cannot hold its
    name, or another scheme has this name.

    Parameters
    ----------
    scheme : TaggedScheme
        The scheme; its name has 1 to 64 small letters, digits and hyphens.
    """
    is_scheme = isinstance(scheme, TaggedScheme)
    is_valid = is_scheme and re.fullmatch(r"[a-z][a-z0-9-]{0,63}", scheme.name)
    if is_scheme and (not is_valid or scheme.name in (ContextScheme.name, SCRAMBLE_JPEG.name)):
        raise InvalidParameterError(
            f"a scheme cannot be named {scheme.name!r}",
            hint="use 1 to 64 small letters, digits and hyphens, such as my-cipher-v1",
        )
    return SCHEMES.register(scheme)


def _make_scramble_pipeline(header: Header) -> Pipeline:
    return Pipeline((Permutation(header.unit, header.block_size, header.rounds),))


def _make_encrypt_pipeline(header: Header) -> Pipeline:
    if header.unit != "pixel":
        raise FormatError(f"a header of scheme {header.scheme} must have the unit pixel")
    if header.segment is not None:
        return Pipeline((SegmentPermutation(header.rounds), KeyStreamMask()))
    return Pipeline((*_make_scramble_pipeline(header).stages, KeyStreamMask()))


ENCRYPT: TaggedScheme = register_scheme(
    TaggedScheme("encrypt-v1", _make_encrypt_pipeline, encrypts=True)
)
"""The scheme that moves pixels and masks their values."""

SCRAMBLE: TaggedScheme = register_scheme(TaggedScheme("scramble-v1", _make_scramble_pipeline))
"""The scheme that moves pixels, samples or blocks and changes no value."""


def find_scheme(name: str, context: str | None = None) -> TaggedScheme | ContextScheme:
    """Return the scheme with this name, with its context if it takes one.

    Raises `UnsupportedVersionError` if this release does not know the name, or no longer has the
    scheme. Raises `InvalidParameterError` if the scheme needs a context and none is given, or if
    there is a context that the scheme does not take.

    Parameters
    ----------
    name : str
        The name, as in headers.
    context : str, optional
        The text under which the picture was scrambled; by default there is none.
    """
    if name == ContextScheme.name:
        if context is None:
            raise InvalidParameterError(
                "this picture was scrambled under a context",
                hint="pass the text as context",
            )
        return ContextScheme(context)
    if name != SCRAMBLE_JPEG.name and name not in SCHEMES:
        if name == _REMOVED_SCHEME_NAME:
            raise make_version_error(f"the scheme {name}")
        raise UnsupportedVersionError(
            f"the scheme {name!r} is not known",
            hint=f"this release knows {', '.join(SCHEMES)}; a newer one may know it",
        )
    if context is not None:
        raise InvalidParameterError(
            "this picture was not scrambled under a context", hint="leave the context out"
        )
    return SCRAMBLE_JPEG if name == SCRAMBLE_JPEG.name else SCHEMES[name]
