"""Check the layers of a redacted picture, and lift the covers that keys open."""

from collections.abc import Iterator, Mapping, Sequence
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
from sudokucrypt.images import MAX_PIXELS, header_of, shape_in
from sudokucrypt.images.attachments import attach
from sudokucrypt.keys import Key, KeyRing, ProtectingKey, RestoringKey
from sudokucrypt.recipes.carriers.redaction.areas import union
from sudokucrypt.recipes.carriers.redaction.layers import (
    Binding,
    LayerContent,
    combine_shares,
    seal,
    unseal,
    whole_file,
)
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.medium import Mask, Medium
from sudokucrypt.recipes.carriers.redaction.package import FIRST_VERSION, Index, Package
from sudokucrypt.recipes.protection import require_key


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenedRedaction:
    """A redacted picture, of which some layers were opened and all that is visible was checked."""

    medium: Medium  # the picture as it is at hand
    index: Index  # what is covered
    package: Package  # its layers
    contents: Mapping[int, bytes]  # what the opened layers hold, counted from 0
    threads: int | None  # as for `unredact_file`

    @property
    def version(self) -> int:
        """The version of the format: 1 does not protect how a picture is shown."""
        return self.index.version

    @property
    def covered(self) -> tuple[int, ...]:
        """The numbers, from 1, of the layers that no key opened."""
        numbers = range(len(self.index.layers))
        return tuple(layer + 1 for layer in numbers if layer not in self.contents)

    def lift(self) -> tuple[bytes, tuple[str, ...]]:
        """Return the file without the covers of the opened layers, and what these are called.

        Raises `DecryptionError` if the picture is not the one that was redacted.
        """
        index, result = self.index, self.medium
        hidden = union(index.canvas, index.layers)
        left, names, shares = hidden.copy(), [], []
        # With all keys the rest gives back the file, however the one at hand is shown.
        for layer, mask, content in self._read(hidden, shown=bool(self.covered)):
            names.append(content.name or f"{layer + 1}")
            shares.append(content.share)
            result = result.uncover(mask, content.pixels)
            left &= ~mask
        if self.covered:
            return self._cover_again(result, left, hidden, self.package), tuple(names)
        try:
            rest = unseal(self.package.rest, combine_shares(shares), self.threads)
            return whole_file(rest, result, self.package.digest, self.version), tuple(names)
        except (DecryptionError, FormatError, InvalidImageError):
            raise DecryptionError("the rest of the file was changed", hint=None) from None

    def rekey(self, key: ProtectingKey) -> bytes:
        """Return the picture with the opened layers sealed for another key."""
        self.lift()
        hidden = union(self.index.canvas, self.index.layers)
        for _ in self._read(hidden, shown=True):
            pass  # what is written now is shown as the picture at hand is
        layers = list(self.package.layers)
        for layer, content in self.contents.items():
            layers[layer] = seal(content, key, self.threads)
        package = Package(self.package.line, tuple(layers), self.package.rest)
        return self._cover_again(self.medium, hidden, hidden, package)

    def _read(self, hidden: Mask, *, shown: bool) -> Iterator[tuple[int, Mask, LayerContent]]:
        """Yield number, pixels and content of each opened layer, which is checked."""
        first = self.version == FIRST_VERSION
        binding = Binding.of(self.package.line, self.medium, hidden, shown=shown and not first)
        read = LayerContent.of_first_bytes if first else LayerContent.of_bytes
        for layer, mask in enumerate(self.index.masks()):
            if (data := self.contents.get(layer)) is not None:
                yield layer, mask, read(layer, data, binding, self.medium.size(mask))

    def _cover_again(self, medium: Medium, left: Mask, hidden: Mask, package: Package) -> bytes:
        """Return a redacted picture: anyone may have drawn on the covers of the one at hand."""
        permanent = self.index.permanent
        gone = hidden if permanent is None else hidden | permanent.mask()
        shown = medium.cover(left, self.index.cover, gone).to_bytes()
        return attach(shown, package.to_bytes())


def open_layers(
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
    package = require_package(package, name)
    for key in keys:
        require_key(key)
    index = package.index(MAX_PIXELS if max_pixels is None else max_pixels)
    require_canvas(index, data, name)
    results = {n: _open_layer(n, part, keys, threads) for n, part in enumerate(package.layers)}
    contents = {layer: content for layer, content in results.items() if content is not None}
    if not contents:
        raise DecryptionError(
            "no layer opens: the key is of none of them, or they were changed",
            hint="'redactions' says which keys lift them",
            hint_key="layers",
        )
    medium = open_medium(data, name, max_pixels, counted=index.version == FIRST_VERSION)
    if (medium.canvas, medium.kind) != (index.canvas, index.medium):
        raise _fail_other_picture(*medium.canvas)
    return OpenedRedaction(
        medium=medium, index=index, package=package, contents=contents, threads=threads
    )


def require_canvas(index: Index, data: bytes, name: str) -> None:
    """Raise `DecryptionError` if an index, which anyone can write, is not of a picture's size."""
    rows, columns = shape_in(data, name)
    if (rows, columns) != index.canvas:
        raise _fail_other_picture(rows, columns)


def _fail_other_picture(rows: int, columns: int) -> DecryptionError:
    return DecryptionError(
        "the layers are not of this picture: a program resized or converted it "
        f"({columns} x {rows} pixels)",
        hint="use the file that was written; an edited picture keeps its covers",
    )


def require_package(package: Package | None, name: str) -> Package:
    """Return the package of a picture, or raise `InvalidImageError` if it has none."""
    if package is None:
        raise InvalidImageError(
            f"'{name}' holds no layers to lift",
            hint="a program may have removed them; name their sidecar if there is one",
        )
    return package


def _open_layer(
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
