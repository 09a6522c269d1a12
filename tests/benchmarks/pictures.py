"""Draw pictures for benchmarks: a sample in any size."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from sudokucrypt.typing import AnyArray

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Subject:
    """A picture to measure, by its rows and columns."""

    rows: int
    columns: int

    def draw(self) -> AnyArray:
        """Return the picture: an enlarged sample with fixed grain."""
        with Image.open(ROOT / "samples" / "pictures" / "astronaut.png") as sample:
            width, height = sample.size
            middle = (0, height * 7 / 32, width, height * 25 / 32)
            wide = sample.convert("RGB").resize((self.columns, self.rows), box=middle)
        shape = (self.rows, self.columns, 3)
        grain = np.random.default_rng(1).integers(-3, 4, shape, dtype=np.int16)
        return np.clip(np.asarray(wide) + grain, 0, 255).astype(np.uint8)
