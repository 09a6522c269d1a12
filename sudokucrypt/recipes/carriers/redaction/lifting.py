"""Check the layers of a redacted picture, and lift the covers that keys open."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidParameterError,
    UnsupportedVersionError,
)
from sudokucrypt.header import Header
from sudokucrypt.images import MAX_PIXELS, header_of
from sudokucrypt.images.attachments import with_attachment
from sudokucrypt.keys import Key, KeyRing, ProtectingKey, RestoringKey
from sudokucrypt.recipes.carriers.redaction.layers import (
    LayerContent,
    changed_layer,
    combined,
    seal,
    unseal,
    whole_file,
)
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.medium import Medium
from sudokucrypt.recipes.carriers.redaction.package import Index, Package, union
from sudokucrypt.recipes.protection import checked_key


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenedRedaction:
    """A redacted picture, of which some layers were opened and all that is visible was checked."""

    medium: Medium  # the picture as it is at hand
    index: Index  # what is covered
    package: Package  # its layers
    contents: Mapping[int, bytes]  # what the opened layers hold, counted from 0
    threads: int | None  # as for `unredact_file`

    def lifted(self) -> tuple[bytes, tuple[str, ...]]:
        """Return the file without the covers of the opened layers, and what these are called.

        Raises `DecryptionError` if the picture is not the one that was redacted.
        """
        canvas, digest = self.index.canvas, self.package.digest
        hidden = union(canvas, self.index.layers)
        visible, result, left = self.medium.digest(hidden), self.medium, hidden.copy()
        names, shares = [], []
        for layer, mask in enumerate(self.index.masks()):
            if (data := self.contents.get(layer)) is None:
                continue
            content = LayerContent.of_bytes(layer, data, index=digest, visible=visible)
            names.append(content.name or f"{layer + 1}")
            shares.append(content.share)
            result = result.restored(mask, content.pixels)
            left &= ~mask
        if len(shares) == len(self.index.layers):
            try:
                rest = unseal(self.package.rest, combined(shares), self.threads)
                return whole_file(rest, result, digest), tuple(names)
            except DecryptionError:
                raise DecryptionError("the rest of the file was changed", hint=None) from None
        # What is not lifted gets its cover anew: anyone may have drawn on the one at hand.
        gone = union(canvas, [] if self.index.permanent is None else [self.index.permanent])
        shown = result.covered(left, self.index.cover, hidden | gone).to_bytes()
        return with_attachment(shown, self.package.to_bytes()), tuple(names)

    def rekeyed(self, key: ProtectingKey) -> bytes:
        """Return the picture at hand, with the opened layers sealed for another key."""
        self.lifted()
        layers = list(self.package.layers)
        for layer, content in self.contents.items():
            layers[layer] = seal(content, key, self.threads)
        package = Package(self.package.line, tuple(layers), self.package.rest)
        return with_attachment(self.medium.to_bytes(), package.to_bytes())


def opened(
    data: bytes,
    package: Package | None,
    keys: Sequence[RestoringKey],
    *,
    name: str,
    max_pixels: int | None = None,
    threads: int | None = None,
) -> OpenedRedaction:
    """Return a picture and the layers in its package that some keys open.

    Raises `DecryptionError` if no layer opens, or the picture is of another size or kind; and
    `FormatError` or `InvalidImageError` if there are no layers, or they or the picture are damaged.
    """
    package = required_package(package, name)
    for key in keys:
        checked_key(key)
    index = package.index(MAX_PIXELS if max_pixels is None else max_pixels)
    results = {n: _content(n, part, keys, threads) for n, part in enumerate(package.layers)}
    contents = {layer: content for layer, content in results.items() if content is not None}
    if not contents:
        raise DecryptionError(
            "no layer opens: the key is of none of them, or they were changed",
            hint="'redactions' says which keys lift them",
            hint_key="layers",
        )
    medium = open_medium(data, name, max_pixels, redacted=True)
    if (medium.canvas, medium.kind) != (index.canvas, index.medium):
        size = f"{medium.canvas[1]} x {medium.canvas[0]}"
        raise changed_layer(min(contents), f"a program resized or converted it ({size} pixels)")
    return OpenedRedaction(
        medium=medium, index=index, package=package, contents=contents, threads=threads
    )


def required_package(package: Package | None, name: str) -> Package:
    """Return the package of a picture, or raise `InvalidImageError` if it has none."""
    if package is None:
        raise InvalidImageError(
            f"'{name}' holds no layers to lift",
            hint="a program may have removed them; name their sidecar if there is one",
        )
    return package


def _content(
    layer: int, part: bytes, keys: Sequence[RestoringKey], threads: int | None
) -> bytes | None:
    """Return the content of a layer, none if it is for other keys."""
    single = [one for key in keys for one in (key.keys if isinstance(key, KeyRing) else (key,))]
    try:
        for key in keys:
            with suppress(DecryptionError):
                return unseal(part, key, threads)
        header = Header.from_bytes(header_of(part) or b"")
    except UnsupportedVersionError:
        raise
    except (FormatError, InvalidImageError, InvalidParameterError):
        raise FormatError(f"layer {layer + 1} is damaged", hint="get a fresh copy") from None
    ids = {key.id for key in single if isinstance(key, Key)}
    if header.kdf is None and header.key_id in ids:
        raise DecryptionError(f"layer {layer + 1} was changed", hint=None)
    return None
