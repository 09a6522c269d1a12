"""Cover areas of a picture and seal what they hide; check and lift what was sealed.

Everything here is in memory, and a layer is what `encrypt_bytes` makes of its content::

    32 SHA-256 of the index | 32 of what is visible | 32 share | 8 length | name LF pixels | zeros

The shares of all layers, combined by exclusive or, are the key of the rest, which holds what else
the very file needs. So previews, metadata and tables, which know all areas, need all keys.
"""

from __future__ import annotations

import hashlib
import secrets
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    ImageTooLargeError,
    InvalidImageError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.header import Header
from sudokucrypt.images import MAX_PIXELS, header_of
from sudokucrypt.images.attachments import attachment, with_attachment
from sudokucrypt.keys import Key, KeyRing
from sudokucrypt.recipes.in_memory import decrypt_bytes, encrypt_bytes
from sudokucrypt.recipes.redaction.index import MOST_LAYERS, Index, Package
from sudokucrypt.recipes.redaction.samples import SampleMedium
from sudokucrypt.recipes.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from sudokucrypt.keys import ProtectingKey, RestoringKey
    from sudokucrypt.recipes.options import Regions
    from sudokucrypt.recipes.redaction.contract import Medium

_HEAD: Final = struct.Struct(">32s32s32sQ")
_UNIT: Final = 256  # a layer has whole units, so that its length says little of what it covers
_LEAST: Final = 4096
_SHARE: Final = 32
_STRUCTURE, _FILE = b"S", b"F"
_REST_HEAD: Final = struct.Struct(">32s32s1sQ")


@dataclass(frozen=True, eq=False)
class Layer:
    """Areas that are covered together, and who can lift the cover.

    Parameters
    ----------
    key : Key, Passphrase or None
        What `encrypt_file` takes; None covers for good and seals nothing.
    regions : sequence of (int, int, int, int) or callable, optional
        Rectangles (row, column, rows, columns), or what finds them in a `Picture`.
    mask : ndarray of shape (M, N), dtype bool, optional
        The pixels that are covered, besides those in `regions`.
    name : str
        What the layer is called, at most 100 characters; it is sealed.
    """

    key: ProtectingKey | None
    regions: Regions | None = None
    mask: NDArray[np.bool_] | None = None
    name: str = ""


@dataclass(frozen=True, eq=False)
class Lifted:
    """What came of lifting.

    Parameters
    ----------
    data : bytes
        The file: the very one if all layers were lifted.
    names : dict of int to str
        The lifted layers, counted from 0, and their names.
    layers : int
        How many layers there are.
    """

    data: bytes
    names: Mapping[int, str]
    layers: int

    @property
    def whole(self) -> bool:
        """Whether all layers were lifted."""
        return len(self.names) == self.layers


def medium_of(data: bytes, name: str, max_pixels: int | None) -> Medium:
    """Return the form in which a file is redacted: its coefficients, or else its samples."""
    most = MAX_PIXELS if max_pixels is None else max_pixels
    if data.startswith(b"\xff\xd8\xff"):
        from sudokucrypt.images.jpeg import quantiser_segment, read_coefficients
        from sudokucrypt.recipes.redaction.jpeg import JpegMedium

        try:
            file = read_coefficients(data, max_pixels=most, name=name)
            quantiser_segment(file)
            if file.complete and len(file.frame.components) in (1, 3, 4):
                return JpegMedium(file)
        except ImageTooLargeError:
            raise
        except (UnsupportedError, InvalidImageError):
            pass  # the samples may be read nevertheless
    return SampleMedium.of_file(data, name, most)


def redacted(
    data: bytes,
    medium: Medium,
    layers: Sequence[Layer],
    *,
    cover: str,
    name: str,
    max_pixels: int | None,
    threads: int | None = None,
) -> tuple[bytes, Package | None]:
    """Return a file in which areas are covered, and what lifts them; nothing if all is permanent.

    Raises
    ------
    InvalidParameterError
        If areas are not in the picture, or none are given.
    """
    chosen = [(layer, _selected(layer, medium)) for layer in layers]
    permanent = [selection for layer, selection in chosen if layer.key is None]
    sealed = [(layer, selection) for layer, selection in chosen if layer.key is not None]
    if not chosen or len(sealed) > MOST_LAYERS:
        raise InvalidParameterError(f"there must be 1 to {MOST_LAYERS} layers, not {len(chosen)}")
    gone = np.zeros(medium.canvas, dtype=np.bool_)
    for selection in permanent:
        gone |= selection.where
    if permanent:
        # What is lifted later is a file that never knew these areas.
        medium = medium.covered(gone, cover, _union(medium, [each for _, each in chosen]))
        data = medium.to_bytes()
        medium = medium_of(data, name, max_pixels)
    if not sealed:
        return data, None
    index = Index(
        id=secrets.token_bytes(16),
        medium=medium.kind,
        canvas=medium.canvas,
        cover=cover,
        layers=tuple(selection for _, selection in sealed),
        permanent=_joined(permanent, gone) if permanent else None,
    )
    hidden = _union(medium, index.layers)
    shown = medium.covered(hidden, cover, hidden | gone).to_bytes()
    written = medium_of(shown, name, max_pixels)
    visible = written.digest(hidden)
    line = index.to_line()
    shares = [secrets.token_bytes(_SHARE) for _ in sealed]
    contents = []
    for (layer, _), mask, share in zip(sealed, index.masks(), shares, strict=True):
        body = layer.name[:100].replace("\n", " ").encode() + b"\n" + medium.taken(mask)
        head = _HEAD.pack(hashlib.sha256(line).digest(), visible, share, len(body))
        contents.append(_padded(head + body))
    rest = _rest(data, medium, hashlib.sha256(line).digest())
    _verify(data, written, index, Package(line, (), rest), contents, visible)
    parts = [
        _encrypted(content, layer.key, threads)
        for (layer, _), content in zip(sealed, contents, strict=True)
        if layer.key is not None
    ]
    return shown, Package(line, tuple(parts), _encrypted(rest, _combined(shares), threads))


def lifted(
    data: bytes,
    keys: Sequence[RestoringKey],
    *,
    name: str,
    package: Package | None = None,
    max_pixels: int | None = None,
    threads: int | None = None,
) -> Lifted:
    """Return a picture without the covers that some keys lift.

    Raises
    ------
    DecryptionError
        If no layer opens, or the picture is not the one that was redacted.
    FormatError, InvalidImageError
        If there are no layers, or they or the picture are damaged.
    """
    package = package or package_in(data, name)
    index = package.index(MAX_PIXELS if max_pixels is None else max_pixels)
    found = {n: _opened(n, part, keys, threads) for n, part in enumerate(package.layers)}
    opened = {number: content for number, content in found.items() if content is not None}
    if not opened:
        raise DecryptionError(
            "no layer opens: the key is of none of them, or they were changed",
            hint="'redactions' says which keys lift them",
            hint_key="layers",
        )
    medium = medium_of(data, name, max_pixels)
    if (medium.canvas, medium.kind) != (index.canvas, index.medium):
        size = f"{medium.canvas[1]} x {medium.canvas[0]}"
        raise _changed(min(opened), f"a program resized or converted it ({size} pixels)")
    digest = medium.digest(_union(medium, index.layers))
    return _undone(medium, package, index, opened, digest, threads)


def _opened(
    number: int, part: bytes, keys: Sequence[RestoringKey], threads: int | None
) -> bytes | None:
    """Return the content of a layer, none if it is for other keys."""
    held = {
        each.id
        for key in keys
        for each in (key.keys if isinstance(key, KeyRing) else (key,))
        if isinstance(each, Key)
    }
    try:
        for key in keys:
            with suppress(DecryptionError):
                return decrypt_bytes(part, key, threads=threads)
        header = Header.from_bytes(header_of(part) or b"")
    except (FormatError, InvalidImageError, UnsupportedError):
        raise FormatError(f"layer {number + 1} is damaged", hint="get a fresh copy") from None
    if header.kdf is None and header.key_id in held:
        raise DecryptionError(f"layer {number + 1} was changed", hint=None)
    return None


def package_in(data: bytes, name: str) -> Package:
    """Return the package in a picture file; `InvalidImageError` if it has none."""
    found = attachment(data, name)
    if found is None:
        raise InvalidImageError(
            f"'{name}' holds no layers to lift",
            hint="a program may have removed them; name their sidecar if there is one",
        )
    return Package.of_bytes(found)


def _undone(
    medium: Medium,
    package: Package,
    index: Index,
    opened: Mapping[int, bytes],
    digest: bytes,
    threads: int | None,
) -> Lifted:
    """Return what the contents of some layers show of a picture, after checking all of it."""
    masks, hidden = index.masks(), _union(medium, index.layers)
    names, shares = {}, []
    result = medium
    for number, content in opened.items():
        share, names[number], pixels = _read(number, content, package.digest, digest)
        shares.append(share)
        result = result.given(masks[number], pixels)
    if len(opened) == len(masks):
        rest = package.rest
        try:
            if package.layers:  # it is verified before it is sealed
                rest = decrypt_bytes(rest, _combined(shares), threads=threads)
            return Lifted(_whole(rest, result, package.digest), names, len(masks))
        except DecryptionError:
            raise DecryptionError("the rest of the file was changed", hint=None) from None
    # What is not lifted gets its cover anew: anybody may have drawn on the one at hand.
    left = hidden.copy()
    for number in opened:
        left &= ~masks[number]
    if index.permanent is not None:
        hidden |= index.permanent.where
    return Lifted(
        with_attachment(result.covered(left, index.cover, hidden).to_bytes(), package.to_bytes()),
        names,
        len(masks),
    )


def _read(number: int, content: bytes, line: bytes, visible: bytes) -> tuple[bytes, str, bytes]:
    """Return the share, the name and the pixels in a layer that is of this picture."""
    head, body = content[: _HEAD.size], content[_HEAD.size :]
    if len(head) < _HEAD.size:
        raise _changed(number, "it is not the layer of a redaction")
    of_line, of_visible, share, length = _HEAD.unpack(head)
    if of_line != line:
        raise _changed(number, "it is the layer of another picture, or the areas were changed")
    if of_visible != visible:
        raise _changed(number, "the picture was edited outside the covered areas")
    name, feed, pixels = body[:length].partition(b"\n")
    if not feed or len(body) < length:
        raise _changed(number, "it is not the layer of a redaction")
    return share, name.decode(errors="replace"), pixels


def _verify(
    data: bytes,
    written: Medium,
    index: Index,
    package: Package,
    contents: Sequence[bytes],
    digest: bytes,
) -> None:
    """Raise an error unless the file that is about to be written gives back the very input."""
    opened = dict(enumerate(contents))
    try:
        same = _undone(written, package, index, opened, digest, None).data == data
    except SudokucryptError:
        same = False
    if not same:
        raise UnsupportedError(
            "the picture would not come back exactly; nothing was written",
            hint="save it as PNG with another program first",
        )


def _selected(layer: Layer, medium: Medium) -> Selection:
    regions = layer.regions(medium.picture) if callable(layer.regions) else layer.regions
    selection = Selection.chosen(medium.canvas, regions, layer.mask)
    if selection is None:
        raise InvalidParameterError("a layer has no areas", hint="give regions or a mask")
    return medium.rounded(selection)


def _union(medium: Medium, selections: Sequence[Selection]) -> NDArray[np.bool_]:
    union = np.zeros(medium.canvas, dtype=np.bool_)
    for selection in selections:
        union |= selection.where
    return union


def _joined(selections: Sequence[Selection], where: NDArray[np.bool_]) -> Selection:
    regions = [selection.regions for selection in selections]
    if any(each is None for each in regions):
        return Selection(where)
    return replace(selections[0], where=where, regions=sum(filter(None, regions), ()))


def _rest(data: bytes, medium: Medium, digest: bytes) -> bytes:
    structure = medium.structure(data)
    kind, body = (_FILE, data) if structure is None else (_STRUCTURE, structure)
    body = zlib.compress(body, 6)
    head = _REST_HEAD.pack(digest, hashlib.sha256(data).digest(), kind, len(body))
    return _padded(head + body, least=0)


def _whole(rest: bytes, medium: Medium, digest: bytes) -> bytes:
    """Return the very file."""
    if len(rest) < _REST_HEAD.size:
        raise DecryptionError
    line, expected, kind, length = _REST_HEAD.unpack_from(rest)
    try:
        body = zlib.decompress(rest[_REST_HEAD.size : _REST_HEAD.size + length])
    except zlib.error:
        raise DecryptionError from None
    data = body if kind == _FILE else medium.whole(body)
    if line != digest or hashlib.sha256(data).digest() != expected:
        raise DecryptionError
    return data


def _padded(content: bytes, *, least: int = _LEAST) -> bytes:
    return content.ljust(max(least, -(-len(content) // _UNIT) * _UNIT), b"\0")


def _encrypted(content: bytes, key: ProtectingKey, threads: int | None) -> bytes:
    return encrypt_bytes(
        content, key, as_file=True, preview=False, header_rows=False, name="layer", threads=threads
    )


def _combined(shares: Sequence[bytes]) -> Key:
    whole = reduce(lambda one, other: one ^ int.from_bytes(other), shares, 0)
    return Key(whole.to_bytes(_SHARE))


def _changed(number: int, what: str) -> DecryptionError:
    return DecryptionError(
        f"layer {number + 1} is not of this picture: {what}",
        hint="use the file that was written; an edited picture keeps its covers",
    )
