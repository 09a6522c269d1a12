"""EXIF blocks: TIFF files without a picture, and how their tags travel in a real one.

A block is a header, a directory of tags about the file, and below it directories about the shot
(EXIF) and the place (GPS)::

    II 42 8 | camera, orientation, time, EXIF -> , GPS -> | EXIF tags, interoperability -> | ...

Blocks are not interpreted. A maker's note stays as it is, byte for byte; where it holds offsets,
they count from the start of the block that the camera wrote, and are wrong as soon as any program
moves the note, as this one does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff.directory import SIGNATURES, SIZES, Reader, Tree, serialize

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from sudokucrypt.images.tiff.directory import Directory, Order

EXIF: Final = 34665
GPS: Final = 34853
INTEROPERABILITY: Final = 40965
BRANCHES: Final[Mapping[int, Mapping[int, Mapping[int, object]]]] = {
    EXIF: {INTEROPERABILITY: {}},
    GPS: {},
}
"""The tags that lead to directories, and those below them."""

PAGE_TAGS: Final = frozenset(
    {
        *(271, 272, 274, 306, 316),  # make, model, orientation, time, computer
        *(529, 530, 531, 532),  # how a JPEG mixes colors
        *(18246, 18249, 40091, 40092, 40093, 40094, 40095),  # rating, title and such of Windows
        50341,  # print image matching
    }
)
"""The tags of a TIFF page that EXIF is told by, beside the directories."""


@dataclass(frozen=True)
class Block:
    """The content of an EXIF block.

    Parameters
    ----------
    order : {"<", ">"}
        Byte order.
    tree : Tree
        The directory about the file, and those below it.
    thumbnail : bool
        Whether another directory follows, with a small picture.
    """

    order: Order
    tree: Tree
    thumbnail: bool

    @classmethod
    def parse(cls, data: bytes) -> Block | None:
        """Return what a block says, or none if it cannot be read."""
        if not data.startswith(SIGNATURES[:2]):
            return None
        try:
            reader = Reader(Source(data, "EXIF", 0))
            top = next(reader.chain(), None)
            if top is None:
                return None
            return cls(reader.order, read_tree(top, top, BRANCHES), bool(top.following))
        except SudokucryptError:
            return None

    def canonical(self) -> bytes | None:
        """Return the block that comes back from a TIFF page with these tags, or none."""
        fields = {tag: f for tag, f in self.tree.fields.items() if tag in PAGE_TAGS}
        return build(self.order, Tree(fields, self.tree.branches))


def page_exif(data: bytes | None) -> bytes | None:
    """Return what of a block comes back from the tags of a page, as a block."""
    block = None if data is None else Block.parse(data)
    return None if block is None else block.canonical()


def read_tree(
    directory: Directory, tags: Container[int], branches: Mapping[int, Mapping[int, object]]
) -> Tree:
    """Return these tags of a directory, and the directories below it.

    Raises
    ------
    InvalidImageError
        If a directory below cannot be read.
    """
    fields = {}
    for tag in directory:
        if tag in tags and tag not in branches:
            first = directory.fields(tag)[0]
            # Offsets would lead nowhere.
            if first.kind in SIZES:
                fields[tag] = first
    below = {}
    for tag, deeper in branches.items():
        if tag in directory:
            branch = directory.branch(tag)
            below[tag] = read_tree(branch, branch, deeper)  # type: ignore[arg-type]
    return Tree(fields, below)


def build(order: Order, tree: Tree) -> bytes | None:
    """Return the block of these tags, or none if there are none."""
    if not tree:
        return None
    magic = SIGNATURES[0] if order == "<" else SIGNATURES[1]
    start = len(magic) + 4
    offset = start.to_bytes(4, "little" if order == "<" else "big")
    return magic + offset + serialize(tree, start, order=order)
