"""The secrets: small pictures that must not be found in any output.

Each preview is the bytes of a file, with the secrets that must not be found: its bytes, except
those that any file has, and its samples. A case is a file with a hidden preview.
"""

from dataclasses import dataclass

import imagecodecs
import numpy as np

from sudokucrypt.typing import AnyArray
from tests.images.builders import make_png, noise, read_by_pillow, save_image

PIXELS: AnyArray = np.random.default_rng(77).integers(0, 256, (24, 32, 3), dtype=np.uint8)
"""What the previews show; random, so that 16 bytes of it are nowhere else by chance."""

RAW = PIXELS.tobytes()


@dataclass(frozen=True)
class Preview:
    """A small picture as a file, and the byte strings that reveal it."""

    data: bytes
    secrets: tuple[bytes, ...]


def _make_preview(data: bytes, *, prefix: int = 0, suffix: int = 0) -> Preview:
    """Return a preview without the first and last bytes as secrets, which any file may have."""
    own_bytes = data[prefix : len(data) - suffix]
    return Preview(data, (own_bytes, read_by_pillow(data).tobytes(), RAW))


JPEG = _make_preview(save_image(PIXELS, "JPEG", quality=40), prefix=20)
PNG = _make_preview(make_png(PIXELS), prefix=41, suffix=16)
GIF = _make_preview(save_image(PIXELS, "GIF"), prefix=800)
WEBP = _make_preview(save_image(PIXELS, "WEBP", lossless=True), prefix=30)
TIFF = Preview(save_image(PIXELS, "TIFF"), (RAW,))
BMP = Preview(save_image(PIXELS, "BMP"), (RAW, save_image(PIXELS, "BMP")[54:]))
JPEG_2000 = _make_preview(save_image(PIXELS, "JPEG2000"), prefix=200)
SAMPLES = Preview(RAW, (RAW,))
JPEG_XL = Preview(bytes(imagecodecs.jpegxl_encode(PIXELS, lossless=True)), (RAW,))
JPEG_XL = Preview(JPEG_XL.data, (JPEG_XL.data, RAW))

PREVIEWS = {
    "JPEG": JPEG, "PNG": PNG, "GIF": GIF, "WebP": WEBP, "TIFF": TIFF, "BMP": BMP,
    "JPEG 2000": JPEG_2000, "JPEG XL": JPEG_XL,
}  # fmt: skip
"""Those that are files, by their formats."""

MAIN = noise(48, 64, 3)
"""The picture that is protected."""
MAIN_NUMBERS = noise(48, 64, 1)
"""The same for formats with palettes."""


# Cases: files with a hidden secret.


@dataclass(frozen=True)
class Case:
    """A file, and the secrets that no output may contain."""

    name: str
    data: bytes
    secrets: tuple[bytes, ...]

    @property
    def suffix(self) -> str:
        """Return the suffix of the file."""
        format_name = self.name.partition("-")[0]
        return {"jpeg": ".jpg", "netpbm": ".ppm"}.get(format_name, f".{format_name}")


def hide_preview(name: str, data: bytes, preview: Preview | None = None) -> Case:
    """Return a case with the given preview as secret, by default a JPEG, or raw samples by name."""
    preview = preview or (SAMPLES if "samples" in name else JPEG)
    return Case(name, data, preview.secrets)
