"""Scramble a photo that stays a JPEG, pass it through services, and see which give it back.

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


def kept(photo: bytes) -> bytes:
    """Store the file as it is."""
    return photo


def optimized(photo: bytes) -> bytes:
    """Store the same picture without metadata and with optimal codes, as jpegtran does."""
    file = read_coefficients(photo, max_pixels=2**27)
    parts = [p for p in file.parts if not (isinstance(p, Segment) and p.marker in METADATA)]
    return replace(file, parts=tuple(parts)).optimize().to_bytes()


def compressed_again(photo: bytes) -> bytes:
    """Decode the picture and compress it at high quality."""
    stored = BytesIO()
    Image.open(BytesIO(photo)).save(stored, "JPEG", quality=95)
    return stored.getvalue()


def main(photo: Path, hidden: Path) -> None:
    """Scramble a photo, and try to restore what each service makes of it."""
    key = Key.generate()
    scramble_file(photo, hidden, key, sidecar=True)
    plain, sent = photo.read_bytes(), hidden.read_bytes()
    print(f"the photo: {len(plain)} bytes")
    print(f"scrambled, as {Image.open(BytesIO(sent)).format}: {len(sent)} bytes")
    sidecar = hidden.with_name(f"{hidden.name}.sudokucrypt.json")
    for service in (kept, optimized, compressed_again):
        received, restored = service(sent), BytesIO()
        try:
            unscramble_file(BytesIO(received), restored, key, sidecar=sidecar)
            found = f"the same file is back: {restored.getvalue() == plain}"
        except SudokucryptError as error:
            found = str(error)
        print(f"{service.__name__}, {len(received)} bytes: {found}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
