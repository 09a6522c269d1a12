"""A picture as this package sees it: exact samples and what else its file carried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """The samples of an image file, with its header if it has one.

    Parameters
    ----------
    pixels : ndarray of shape (M, N), (M, N, 2), (M, N, 3) or (M, N, 4)
        Gray, gray and alpha, RGB, or RGB and alpha; uint8 or uint16 in native byte order,
        C-contiguous.
    header : bytes or None
        Our header as it stands in the file, not interpreted.
    format : str
        ``PNG``, ``JPEG``, ``TIFF``, ``WebP``, ``BMP`` or ``PPM``.
    left_out : tuple of str
        What the file carries besides samples and header and is not kept, such as
        ``("EXIF", "ICC profile")``.
    """

    pixels: AnyArray
    header: bytes | None
    format: str
    left_out: tuple[str, ...]
