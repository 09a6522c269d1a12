"""The pictures of the benchmark: a sample in any size, in several shapes and kinds of pixels."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from sudokucrypt.typing import AnyArray

ROOT = Path(__file__).resolve().parent.parent.parent
RGB = "RGB"


@dataclass(frozen=True)
class Subject:
    """A picture to be measured: rows, columns, and what a pixel is."""

    rows: int
    columns: int
    kind: str = RGB

    def __str__(self) -> str:
        return f"{self.columns} x {self.rows} {self.kind}"

    @property
    def pixels(self) -> int:
        return self.rows * self.columns

    def draw(self) -> AnyArray:
        """Return the picture: a sample, enlarged, with fixed grain."""
        with Image.open(ROOT / "samples" / "pictures" / "astronaut.png") as sample:
            width, height = sample.size
            middle = (0, height * 7 / 32, width, height * 25 / 32)
            wide = sample.convert(RGB).resize((self.columns, self.rows), box=middle)
        shape = (self.rows, self.columns, 3)
        grain = np.random.default_rng(1).integers(-3, 4, shape, dtype=np.int16)
        picture = np.clip(np.asarray(wide) + grain, 0, 255).astype(np.uint8)
        if self.kind == "gray":
            return np.ascontiguousarray(picture[..., 1])
        if self.kind == "RGBA":
            return np.dstack([picture, picture[..., 1]])
        if self.kind == "RGB, 16 bits":
            return picture.astype(np.uint16) * 257
        return picture


WIDE = tuple(Subject(*shape) for shape in ((378, 672), (1080, 1920), (2160, 3840), (4320, 7680)))
"""16:9, with 0.25, 2, 8.3 and 33 megapixels; all but the sizes use the third."""
PHOTO, SQUARE = Subject(3000, 4000), Subject(3456, 3456)
"""A photo of 4:3 with spare units, and a square that is just its window."""
LARGE_PHOTO, TINY, SMALL = Subject(4000, 6000), Subject(64, 64), Subject(512, 512)
KINDS = tuple(Subject(PHOTO.rows, PHOTO.columns, kind) for kind in ("gray", "RGBA", "RGB, 16 bits"))
SHAPES = (
    WIDE[2],
    PHOTO,
    LARGE_PHOTO,
    SQUARE,
    Subject(2400, 3840),
    Subject(4032, 1816),
    Subject(1600, 3840),
    Subject(1024, 1023),
    *KINDS,
)
"""16:9, 4:3, 3:2, 1:1, 16:10, 9:20, 12:5, a few units more than a square, and kinds of pixels."""


def reduce_subject(subject: Subject) -> Subject:
    """Return a smaller picture of the same kind, for a trial."""
    return Subject(subject.rows // 20, subject.columns // 20, subject.kind)
