"""Scramble a photo as a JPEG, send it through services, and see after which it can be restored.

Usage: python jpeg_stays_jpeg.py PHOTO.jpg HIDDEN.jpg
"""

from __future__ import annotations

import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from PIL import Image

from sudokucrypt import Key, SudokucryptError, scramble_file, unscramble_file
from sudokucrypt.images.jpeg import Segment, read_coefficients

METADATA = {*range(0xE0, 0xF0), 0xFE}
"""Markers of the segments that hold EXIF, color profiles, comments and headers of ours."""


def store_unchanged(photo: bytes) -> bytes:
    """Return the file unchanged."""
    return photo


def optimize_codes(photo: bytes) -> bytes:
    """Return the same picture without metadata and with optimal codes, as by jpegtran."""
    file = read_coefficients(photo, max_pixels=2**27)
    parts = [
        part for part in file.parts if not (isinstance(part, Segment) and part.marker in METADATA)
    ]
    return replace(file, parts=tuple(parts)).optimize().to_bytes()


def recompress(photo: bytes) -> bytes:
    """Decode the picture, and compress it again with high quality."""
    recompressed = BytesIO()
    Image.open(BytesIO(photo)).save(recompressed, "JPEG", quality=95)
    return recompressed.getvalue()


def main(photo: Path, protected_path: Path) -> None:
    """Scramble a photo, and try to restore the output of each service."""
    key = Key.generate()
    scramble_file(photo, protected_path, key, sidecar=True)
    plain, protected = photo.read_bytes(), protected_path.read_bytes()
    print(f"the photo: {len(plain)} bytes")
    print(f"scrambled, as {Image.open(BytesIO(protected)).format}: {len(protected)} bytes")
    sidecar = protected_path.with_name(f"{protected_path.name}.sudokucrypt.json")
    for service in (store_unchanged, optimize_codes, recompress):
        received, restored = service(protected), BytesIO()
        try:
            unscramble_file(BytesIO(received), restored, key, sidecar=sidecar)
            message = f"the same file is back: {restored.getvalue() == plain}"
        except SudokucryptError as error:
            message = str(error)
        print(f"{service.__name__}, {len(received)} bytes: {message}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
