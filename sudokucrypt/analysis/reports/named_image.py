"""An image and what a report calls it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sudokucrypt.analysis.inputs import checked_image

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, eq=False, kw_only=True)
class NamedImage:
    """An image and what a report calls it.

    Parameters
    ----------
    name : str
        Such as the name of its file.
    pixels : ndarray of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        The samples as they are stored.
    levels : int
        Samples are 0..levels-1; by default, or for 0, as many as the dtype has.

    Raises
    ------
    InvalidImageError
        If the image has another shape or dtype, is empty, or has a sample above its levels.

    Examples
    --------
    >>> import numpy as np
    >>> NamedImage(name="black", pixels=np.zeros((2, 2), dtype=np.uint8)).levels
    256
    """

    name: str
    pixels: AnyArray
    levels: int = 0

    def __post_init__(self) -> None:
        _, levels = checked_image(self.pixels, levels=self.levels or None)
        object.__setattr__(self, "levels", levels)

    @property
    def channels(self) -> list[AnyArray]:
        """Views of the channels, one at least."""
        if self.pixels.ndim == 2:
            return [self.pixels]
        return [self.pixels[..., channel] for channel in range(self.pixels.shape[2])]
