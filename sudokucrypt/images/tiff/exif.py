"""EXIF blocks: TIFF files without a picture, and how their tags travel in a real one.

A block is a header, a directory of tags about the file, and below it directories about the shot
(EXIF) and the place (GPS)::

    II 42 8 | camera, orientation, time, EXIF -> , GPS -> | EXIF tags, interoperability -> | ...

Blocks are not interpreted. A maker's note stays as it is, byte for byte; where it holds offsets,
they count from the start of the block that the camera wrote, and are wrong as soon as any program
moves the note, as this one does.
"""

import struct
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff import directory as d

Branches: TypeAlias = "Mapping[int, Branches]"
# Tags whose values are offsets of directories.
EXIF, GPS, INTEROPERABILITY = 34665, 34853, 40965
# The tags that lead to directories, and those below them.
BRANCHES: Final[Branches] = {EXIF: {INTEROPERABILITY: {}}, GPS: {}}

# The tags of a TIFF page that belong to EXIF, besides the directories.
PAGE_TAGS: Final = frozenset(
    {
        *(271, 272, 274, 306, 316),  # make, model, orientation, time, computer
        *(529, 530, 531, 532),  # how a JPEG mixes colors
        *(18246, 18249, 40091, 40092, 40093, 40094, 40095),  # rating, title and such of Windows
        50341,  # print image matching
    }
)


@dataclass(frozen=True)
class Block:
    """The content of an EXIF block, and whether a thumbnail follows it."""

    order: d.ByteOrder
    tree: d.Tree
    thumbnail: bool

    @classmethod
    def parse(cls, data: bytes | None) -> "Block | None":
        """Return what a block says, or none if there is none or it cannot be read."""
        if data is None or not data.startswith(d.SIGNATURES[:2]):
            return None
        try:
            reader = d.TiffReader(Source(data, "EXIF", 0))
            top = next(reader.chain(), None)
            if top is None:
                return None
            return cls(reader.order, read_tree(top, top, BRANCHES), bool(top.following))
        except SudokucryptError:
            return None


def read_tree(directory: d.Directory, tags: Container[int], branches: Branches) -> d.Tree:
    """Return these tags of a directory, and the directories below it."""
    fields = {
        tag: first
        for tag in directory
        if tag in tags
        and tag not in branches
        # Offsets would lead nowhere.
        and (first := directory.fields(tag)[0]).kind in d.SIZES
    }
    below = {}
    for tag, deeper in branches.items():
        if tag in directory:
            branch = directory.at(directory.integer(tag))
            below[tag] = read_tree(branch, branch, deeper)
    return d.Tree(fields, below)


def build(order: d.ByteOrder, tree: d.Tree) -> bytes | None:
    """Return the block of these tags, or none if there are none."""
    if not tree:
        return None
    magic = d.SIGNATURES[0] if order == "<" else d.SIGNATURES[1]
    return magic + struct.pack(order + "I", 8) + d.serialize(tree, 8, order=order)
