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
from sudokucrypt.images import MAX_PIXELS, extract_header, read_shape
from sudokucrypt.images.attachments import add_attachment
from sudokucrypt.keys import Key, KeyRing, ProtectingKey, RestoringKey
from sudokucrypt.recipes.carriers.redaction.areas import merge_areas
from sudokucrypt.recipes.carriers.redaction.layers import (
    Binding,
    LayerContent,
    combine_shares,
    rebuild_original,
    seal,
    unseal,
)
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.medium import Mask, Medium
from sudokucrypt.recipes.carriers.redaction.package import FIRST_VERSION, Index, Package
from sudokucrypt.recipes.protection import require_key


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenedRedaction:
    """A redacted picture of which some layers were opened."""

    medium: Medium  # the redacted picture
    index: Index  # its covered areas
    package: Package  # its sealed layers
    contents: Mapping[int, bytes]  # of the opened layers, by number from 0
    threads: int | None  # as for `unredact_file`

    @property
    def version(self) -> int:
        """The version of the format: version 1 does not authenticate orientation and colors."""
        return self.index.version

    @property
    def covered_layer_numbers(self) -> tuple[int, ...]:
        """The numbers, from 1, of the layers that no key opened."""
        numbers = range(len(self.index.layers))
        return tuple(layer + 1 for layer in numbers if layer not in self.contents)

    def lift_covers(self) -> tuple[bytes, tuple[str, ...]]:
        """Return the file without the covers of the opened layers, and the names of these layers.

        Raises `DecryptionError` if the picture is not the one that was redacted.
        """
        index, result = self.index, self.medium
        hidden_mask = merge_areas(index.canvas, index.layers)
        remaining_hidden_mask, names, key_shares = hidden_mask.copy(), [], []
        # If all layers were opened, the rest restores the original display
        # settings, so the settings of the picture need no check.
        for layer, mask, content in self._read_layers(
            hidden_mask, check_display=bool(self.covered_layer_numbers)
        ):
            names.append(content.name or f"{layer + 1}")
            key_shares.append(content.key_share)
            result = result.uncover(mask, content.pixels)
            remaining_hidden_mask &= ~mask
        if self.covered_layer_numbers:
            return self._cover_again(
                result, remaining_hidden_mask, hidden_mask, self.package
            ), tuple(names)
        try:
            restoration_data = unseal(
                self.package.sealed_restoration_data, combine_shares(key_shares), self.threads
            )
            data = rebuild_original(restoration_data, result, self.package.digest, self.version)
            return data, tuple(names)
        except (DecryptionError, FormatError, InvalidImageError):
            raise DecryptionError("the rest of the file was changed", hint=None) from None

    def rekey(self, key: ProtectingKey) -> bytes:
        """Return the redacted picture with the opened layers sealed for another key."""
        self.lift_covers()
        hidden_mask = merge_areas(self.index.canvas, self.index.layers)
        for _ in self._read_layers(hidden_mask, check_display=True):
            pass  # the result keeps the display settings of this picture, so they are checked
        layers = list(self.package.layers)
        for layer, content in self.contents.items():
            layers[layer] = seal(content, key, self.threads)
        package = Package(self.package.line, tuple(layers), self.package.sealed_restoration_data)
        return self._cover_again(self.medium, hidden_mask, hidden_mask, package)

    def _read_layers(
        self, hidden_mask: Mask, *, check_display: bool
    ) -> Iterator[tuple[int, Mask, LayerContent]]:
        """Check each opened layer, and yield its number, mask and content."""
        first = self.version == FIRST_VERSION
        binding = Binding.from_picture(
            self.package.line,
            self.medium,
            hidden_mask,
            includes_display=check_display and not first,
        )
        parse_content = LayerContent.from_bytes_v1 if first else LayerContent.from_bytes
        for layer, mask in enumerate(self.index.iterate_masks()):
            if (data := self.contents.get(layer)) is not None:
                yield layer, mask, parse_content(layer, data, binding, self.medium.size(mask))

    def _cover_again(
        self, medium: Medium, remaining_hidden_mask: Mask, hidden_mask: Mask, package: Package
    ) -> bytes:
        """Return a redacted picture with new covers, since the old ones may have been edited."""
        permanent_area = self.index.permanent
        uncertain_mask = (
            hidden_mask if permanent_area is None else hidden_mask | permanent_area.mask()
        )
        redacted_data = medium.cover(
            remaining_hidden_mask, self.index.cover, uncertain_mask
        ).to_bytes()
        return add_attachment(redacted_data, package.to_bytes())


def open_layers(
    data: bytes,
    package: Package | None,
    keys: Sequence[RestoringKey],
    *,
    name: str,
    max_pixels: int | None = None,
    threads: int | None = None,
) -> OpenedRedaction:
    """Open all layers of a redacted picture that one of the keys opens.

    Raises `DecryptionError` if no layer opens, or the picture is of another size or kind; and
    `FormatError` or `InvalidImageError` if there are no layers, or they or the picture are damaged.
    """
    package = require_package(package, name)
    for key in keys:
        require_key(key)
    index = package.index(MAX_PIXELS if max_pixels is None else max_pixels)
    require_canvas(index, data, name)
    results = {n: _open_layer(n, part, keys, threads) for n, part in enumerate(package.layers)}
    opened_contents = {layer: content for layer, content in results.items() if content is not None}
    if not opened_contents:
        raise DecryptionError(
            "no layer opens: the key fits none of them, or they were changed",
            hint="'redactions' says which keys lift them",
            hint_key="layers",
        )
    medium = open_medium(data, name, max_pixels, is_legacy=index.version == FIRST_VERSION)
    if (medium.canvas, medium.kind) != (index.canvas, index.medium):
        raise _make_other_picture_error(*medium.canvas)
    return OpenedRedaction(
        medium=medium, index=index, package=package, contents=opened_contents, threads=threads
    )


def require_canvas(index: Index, data: bytes, name: str) -> None:
    """Raise `DecryptionError` if the canvas of an index differs from the size of the picture."""
    rows, columns = read_shape(data, name)
    if (rows, columns) != index.canvas:
        raise _make_other_picture_error(rows, columns)


def _make_other_picture_error(rows: int, columns: int) -> DecryptionError:
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
    layer: int, sealed_layer: bytes, keys: Sequence[RestoringKey], threads: int | None
) -> bytes | None:
    """Return the content of a layer, or None if no key opens it.

    Raises `DecryptionError` if a key has the id of the layer, but the layer was changed.
    """
    key_groups = (key.keys if isinstance(key, KeyRing) else (key,) for key in keys)
    key_ids = {key.id for key_group in key_groups for key in key_group if isinstance(key, Key)}
    try:
        for key in keys:
            with suppress(DecryptionError):
                return unseal(sealed_layer, key, threads)
        header = Header.from_bytes(extract_header(sealed_layer) or b"")
    except UnsupportedVersionError:
        raise
    except (FormatError, InvalidImageError, InvalidParameterError):
        raise FormatError(f"layer {layer + 1} is damaged", hint="get a fresh copy") from None
    if header.kdf is None and header.key_id in key_ids:
        raise DecryptionError(f"layer {layer + 1} was changed", hint=None)
    return None
