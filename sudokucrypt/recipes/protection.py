"""The deterministic core of the recipes: given the salt, equal inputs give equal results."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, replace
from operator import index
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, Self, TypedDict

import numpy as np

from sudokucrypt.bijections import UnitGroups, chosen_rounds
from sudokucrypt.ciphers import (
    SCRAMBLE,
    ContextScheme,
    Part,
    TaggedScheme,
    find_scheme,
)
from sudokucrypt.errors import (
    FormatError,
    InvalidImageError,
    InvalidKeyError,
    InvalidParameterError,
    UnsupportedError,
)
from sudokucrypt.frozen import FrozenObject
from sudokucrypt.header import SEGMENT_BYTES, SEGMENT_UNIT_BYTES, Header
from sudokucrypt.keys import (
    SALT_LENGTH,
    Key,
    KeyDerivation,
    KeyRing,
    MasterKey,
    Passphrase,
    PictureKey,
    ProtectingKey,
    Secret,
)
from sudokucrypt.lazy import SuggestingType
from sudokucrypt.options import add_call_hints
from sudokucrypt.recipes.options import EncryptArrayOptions, ScrambleArrayOptions
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sudokucrypt.keys import Recipient
    from sudokucrypt.recipes.options import ScrambleUnitOptions
    from sudokucrypt.typing import AnyArray, Buffer, ImageLike, Unit

Scheme = TaggedScheme | ContextScheme

# Side of a block in pixels: a JPEG whose colors have half the resolution uses such blocks.
_DEFAULT_BLOCK_SIZE = 16

_LOSSLESS_MODES = {"1", "L", "LA", "RGB", "RGBA", "I", "F", "I;16", "I;16L", "I;16B", "I;16N"}
"""Modes of Pillow in which the array is the whole picture: no palette or color space is lost."""


class KeyFields(TypedDict, total=False):
    """The fields of a header that describe its key."""

    kdf: str
    recipients: bytes


@dataclass(frozen=True, eq=False, repr=False)
class ProtectedImage(metaclass=SuggestingType):
    """The result of `scramble` and `encrypt`: protected samples and their header.

    ``pixels, header = result`` takes it apart, NumPy takes it for its pixels, and notebooks show
    them. `save` writes it to a file or stream, and `open` reads it again.
    """

    CONSTRUCTION_HINT = "encrypt and scramble return one, and ProtectedImage.open reads one"

    pixels: AnyArray  #: The scrambled or encrypted image, of the shape and dtype of the input.
    header: Header  #: The header, which restoring needs in addition to the key.

    if not TYPE_CHECKING:  # with __getattr__, type checkers would accept any attribute

        def __getattr__(self, name):
            """Raise the error for a missing attribute."""
            type(self).suggest(name)

    @classmethod
    def open(cls, source: str | os.PathLike[str] | BinaryIO) -> Self:
        """Read a PNG or TIFF file that `save` wrote, with its header.

        Parameters
        ----------
        source : path or binary file
            A file, or a stream that is open for reading.

        Raises
        ------
        FormatError
            The picture has no header.
        InvalidImageError, UnsupportedError
            It is not a picture that can be read, or it was made of a file: `decrypt_file` restores
            such a picture.
        """
        from sudokucrypt.images import decode_picture, read_picture

        picture = (
            read_picture(source)
            if isinstance(source, str | os.PathLike)
            else decode_picture(source.read())
        )
        if picture.header is None:
            raise FormatError(
                "the picture has no header", hint="open the file that save has written"
            )
        header = Header.from_bytes(picture.header)
        if header.encrypted_metadata is not None:
            raise UnsupportedError(
                "the picture was made from a file, not from an array",
                hint="decrypt_file and decrypt_bytes restore it",
            )
        if (header.shape, header.dtype) != (picture.pixels.shape, picture.pixels.dtype.name):
            raise FormatError("the samples do not have the shape and type that the header states")
        return cls(picture.pixels, header)

    def __iter__(self) -> Iterator[Any]:
        """Yield pixels and header."""
        yield from (self.pixels, self.header)

    def __getitem__(self, index: int) -> Any:
        """Return the pixels for 0, and the header for 1."""
        return (self.pixels, self.header)[index]

    def __len__(self) -> int:
        """Return 2, the number of items: pixels and header."""
        return 2

    def __repr__(self) -> str:
        sides = " x ".join(map(str, self.header.shape))
        return f"<ProtectedImage of {sides} {self.header.dtype}, {self.header.scheme}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:  # noqa: FBT001
        """Return the pixels."""
        return np.array(self.pixels, dtype, copy=True) if copy else np.asarray(self.pixels, dtype)

    @add_call_hints
    def save(
        self,
        target: str | os.PathLike[str] | BinaryIO,
        *,
        format: str | None = None,  # noqa: A002 - the word for it everywhere in this package
        replace: bool = False,
    ) -> None:
        """Write a picture file that carries the header.

        `open` reads it again, and `decrypt_file` or `unscramble_file` restores it.

        Parameters
        ----------
        target : path or binary file
            A file, or a stream that is open for writing.
        format : {"PNG", "TIFF"}, optional
            By default the suffix of a path chooses it. A stream gets a PNG, or a TIFF if PNG
            cannot hold such samples.
        replace : bool
            Whether a file that exists is replaced.

        Raises
        ------
        OutputExistsError
            The file exists and may not be replaced.
        UnsupportedError
            The format cannot hold such samples, or the image was scrambled under a context, which
            files do not have.
        """
        from sudokucrypt.images import Picture, default_format, output_format
        from sudokucrypt.storage import write_atomically

        if self.header.scheme == ContextScheme.name:
            raise UnsupportedError(
                "no picture file holds an image that was scrambled under a context",
                hint="keep its pixels and its header yourself, such as with np.save",
            )
        if isinstance(target, str | os.PathLike):
            path = Path(target)
            chosen_format = output_format(path) if format is None else format.upper()
            write_atomically({path: self._get_parts(chosen_format)}, replace=replace)
            return
        default_format_name = default_format(Picture.plain(self.pixels))
        for part in self._get_parts(default_format_name if format is None else format.upper()):
            target.write(part)

    def _repr_png_(self) -> bytes | None:
        """Return the pixels as PNG for a notebook, or None if PNG does not support them."""
        try:
            return b"".join(self._get_parts("PNG"))
        except (InvalidImageError, UnsupportedError):
            return None

    def _get_parts(self, file_format: str) -> Iterable[Buffer]:
        from sudokucrypt.images import Picture, picture_parts

        picture = Picture.plain(self.pixels)
        return picture_parts(replace(picture, header=self.header.to_bytes()), file_format)


class Protection(FrozenObject):
    """The choices for protecting one image: scheme, unit, rounds and salt."""

    scheme: Scheme
    unit: Unit = "pixel"
    block_size: int | None = None
    rounds: int | None = None
    salt: bytes | None
    derivation: KeyDerivation | None = None
    threads: int | None = None

    def protect(
        self,
        parts: Sequence[Part],
        key: ProtectingKey,
        *,
        encrypted_metadata: bytes | None = None,
        has_segments: bool = False,
    ) -> tuple[list[AnyArray], Header]:
        """Return the protected parts and their header: equal input gives equal output."""
        master_key, fields = self.derive_master_key(key)
        metadata = encrypted_metadata
        draft_header = self.make_draft_header(
            parts, master_key, encrypted_metadata=metadata, has_segments=has_segments
        )
        if fields:
            draft_header = replace(draft_header, **fields)
        with Workers(self.threads, work_bytes=sum(part.pixels.nbytes for part in parts)) as workers:
            return self.scheme.protect(parts, master_key, draft_header, workers)

    def derive_master_key(self, key: ProtectingKey) -> tuple[Key, KeyFields]:
        """Return the master key, and the header fields about key derivation and recipients.

        If there are only recipients, the master key is random and is not stored.
        """
        self.require_salt(key)
        given_key, recipients = divide_key(key)
        fields: KeyFields = {}
        if isinstance(given_key, Passphrase):
            derivation = self.derivation or given_key.derivation
            given_key, fields["kdf"] = derivation.derive(given_key), derivation.to_text()
        # The recipients get the picture key, so a random master key is not needed later.
        master_key = given_key or Key.generate()
        if recipients and self.salt is not None:
            from sudokucrypt.keys.identity import encrypt_picture_key

            fields["recipients"] = encrypt_picture_key(
                recipients, master_key.picture_key(self.salt)
            )
        return master_key, fields

    def require_salt(self, key: ProtectingKey) -> None:
        """Raise `InvalidParameterError` if there is no random salt, but the key needs one."""
        master_key, recipients = divide_key(key)
        if self.salt is None and (recipients or not isinstance(master_key, Key)):
            subject = "recipients need" if recipients else "a passphrase needs"
            raise InvalidParameterError(
                f"{subject} a random salt",
                hint="use a key for deterministic results and contexts",
            )

    def make_draft_header(
        self,
        parts: Sequence[Part],
        key: Key,
        *,
        encrypted_metadata: bytes | None = None,
        has_segments: bool = False,
    ) -> Header:
        """Return the header of these parts with plain metadata, and without tag and seal.

        A `has_segments` picture is divided into segments if it is larger than one.
        """
        counts = [
            count
            for part in parts
            for count in UnitGroups(part.pixels.shape, self.unit, self.block_size).counts.values()
        ]
        first_pixels = parts[0].pixels
        segment = SEGMENT_BYTES if has_segments and first_pixels.size > SEGMENT_BYTES else None
        counts = [SEGMENT_BYTES // SEGMENT_UNIT_BYTES] if segment else counts
        return Header(
            scheme=self.scheme.name,
            unit=self.unit,
            block_size=None if self.block_size is None else index(self.block_size),
            rounds=chosen_rounds(self.rounds, min(filter(None, counts), default=1)),
            segment=segment,
            shape=first_pixels.shape,
            dtype=first_pixels.dtype.name,
            key_id=key.id,
            salt=self.salt,
            encrypted_metadata=encrypted_metadata,
        )


def make_protection(options: EncryptArrayOptions | ScrambleUnitOptions) -> Protection:
    """Return the protection that these options choose, with a new salt if it is random."""
    if options.scheme == ContextScheme.name:
        raise InvalidParameterError(
            f"the scheme {options.scheme} is chosen by a context, not by its name",
            hint="scramble an array with context=...; files are not scrambled under a context",
        )
    scheme: Scheme = find_scheme(options.scheme)
    unit: Unit = "pixel"
    size, has_random_salt = None, not options.deterministic
    if isinstance(options, EncryptArrayOptions):
        if not isinstance(scheme, TaggedScheme) or not scheme.encrypts:
            raise InvalidParameterError(f"the scheme {options.scheme} does not encrypt")
    elif scheme.encrypts:
        raise InvalidParameterError(
            f"the scheme {options.scheme} does not scramble", hint="encrypt with it"
        )
    else:
        unit, size = options.unit, options.block_size
        size = _DEFAULT_BLOCK_SIZE if unit == "block" and size is None else size
    if isinstance(options, ScrambleArrayOptions) and options.context is not None:
        if scheme is not SCRAMBLE:
            raise InvalidParameterError(f"the scheme {options.scheme} takes no context")
        scheme, has_random_salt = ContextScheme(options.context), False
    return Protection(
        scheme=scheme,
        unit=unit,
        block_size=size,
        rounds=options.rounds,
        salt=secrets.token_bytes(SALT_LENGTH) if has_random_salt else None,
        threads=options.threads,
    )


def protect_image(image: AnyArray, key: ProtectingKey, protection: Protection) -> ProtectedImage:
    """Scramble or encrypt one image."""
    frames, header = protection.protect([Part(pixels=image)], key)
    return ProtectedImage(frames[0], header)


def divide_key(key: object) -> tuple[MasterKey | None, tuple[Recipient, ...]]:
    """Split a key argument into the master key, or None, and the recipients.

    An identity counts as its recipient. Raises `InvalidKeyError` for an object that is none of
    these, for several master keys, and for recipients that cannot share a picture.
    """
    if isinstance(key, Key | Passphrase):
        return key, ()
    from sudokucrypt.keys.identity import Identity, Recipient, check_recipients

    master_keys: list[MasterKey] = []
    recipients: list[Recipient] = []
    for item in key if isinstance(key, list | tuple) else [key]:
        if isinstance(item, Key | Passphrase):
            master_keys.append(item)
        elif isinstance(item, Recipient | Identity):
            recipients.append(item if isinstance(item, Recipient) else item.recipient)
        else:
            # If the item were ignored, an intended recipient could not open the picture.
            _raise_key_error(item)
    if len(master_keys) > 1 or not master_keys + recipients:
        raise InvalidKeyError(f"one key protects a picture, not {len(master_keys)} keys")
    return next(iter(master_keys), None), check_recipients(recipients) if recipients else ()


def require_key(key: object, *, must_protect: bool = False) -> None:
    """Raise `InvalidKeyError` if an object cannot restore or, if `must_protect`, cannot protect."""
    if must_protect:
        divide_key(key)
    elif not isinstance(key, Secret | Passphrase | KeyRing):
        _raise_key_error(key)


def _raise_key_error(key: object) -> NoReturn:
    if isinstance(key, PictureKey):
        raise InvalidKeyError(
            "the key of one picture cannot protect any picture",
            hint="use the key that it came from",
        )
    if isinstance(key, KeyRing):
        raise InvalidKeyError(
            "a key ring restores pictures, and cannot protect any", hint="choose one of its keys"
        )
    raise InvalidKeyError(
        f"a key is a Key, Passphrase, PictureKey or Identity, not {type(key).__name__}",
        hint="Key.from_file reads a key file, Passphrase takes words, and Key takes 32 bytes"
        if isinstance(key, str | bytes | PurePath)
        else "read one with Key.from_file",
    )


def check_image(image: ImageLike) -> AnyArray:
    """Return the image as an array, or raise `InvalidImageError` if it is not a supported image."""
    require_image(image)
    if isinstance(image, np.ma.MaskedArray):
        raise InvalidImageError(
            "the mask of a masked array would be lost",
            hint="pass image.filled(value), or all samples: image.data",
        )
    try:
        array = np.asarray(image)
    except ValueError:  # raised for a list of arrays of different shapes
        raise _make_stack_error("images of different shapes are") from None
    if array.ndim > 3:
        raise _make_stack_error(f"an array of {array.ndim} dimensions is")
    if array.dtype.kind not in "buif" or array.dtype.itemsize > 8:
        raise InvalidImageError(
            f"samples of type {array.dtype} are not supported",
            hint="use booleans, integers of 8 to 64 bits or floats of 16 to 64 bits",
        )
    if array.ndim == 0:
        raise InvalidImageError("an image has one to three dimensions, not 0")
    if array.size == 0:
        raise InvalidImageError(f"the image is empty: its shape is {array.shape}")
    return array


def require_image(image: object) -> None:
    """Raise `InvalidImageError` for objects that are no images although NumPy converts them."""
    if isinstance(image, str | bytes | bytearray | memoryview | PurePath):
        is_name = isinstance(image, str | PurePath)
        input_text, suffix = ("the name", "_file") if is_name else ("the bytes", "_bytes")
        raise InvalidImageError(
            f"an image is an array, and this is {input_text} of a file",
            hint=f"call a function that ends in {suffix}, "
            f"such as encrypt{suffix} or decrypt{suffix}",
        )
    if hasattr(image, "read"):
        raise InvalidImageError(
            "an image is an array, and this is an open file",
            hint="call a function that ends in _file, or images.decode_picture(file.read())",
        )
    if isinstance(image, Secret | Passphrase | KeyRing | Header) or image is None:
        raise InvalidImageError(
            f"an image is an array, not a {type(image).__name__}",
            hint="the image comes first, and then the key",
        )
    if isinstance(image, list | tuple) and any(isinstance(each, Header) for each in image):
        raise InvalidImageError(
            "the image argument contains both an image and its header",
            hint="call decrypt(pixels, key, header)",
        )
    if isinstance(image, ProtectedImage):
        return
    mode = getattr(image, "mode", None)
    if isinstance(mode, str) and hasattr(image, "getbands") and mode not in _LOSSLESS_MODES:
        raise InvalidImageError(
            f"a Pillow image of mode {mode} has more than samples, and only samples are restored",
            hint="save it and call encrypt_file, or convert it: image.convert('RGB')",
        )


def _make_stack_error(subject: str) -> InvalidImageError:
    return InvalidImageError(
        f"{subject} a stack of images, and each image needs a header of its own",
        hint="results = [encrypt(image, key) for image in stack]",
    )
