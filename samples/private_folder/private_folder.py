"""Encrypt a folder of documents and pictures under random names, and see what is in it.

Usage: python private_folder.py FOLDER SAFE KEY
SAFE must not exist yet.
"""

from __future__ import annotations

import sys
from pathlib import Path
from secrets import token_hex

from sudokucrypt import Key, encrypt_file
from sudokucrypt.recipes import open_file, read_sealed_info


def encrypt_folder(folder: Path, safe: Path, key: Key) -> dict[Path, Path]:
    """Encrypt every file as it is, with a preview if it is a picture, and return where it is."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    safe.mkdir()
    places = {path: safe / f"{token_hex(8)}.png" for path in files}
    for path, place in places.items():
        encrypt_file(path, place, key, as_file=True, preview=True)
    return places


def main(folder: Path, safe: Path, key_file: Path) -> None:
    """Fill a safe, list it from the sealed headers, and open every file of it in memory."""
    key = Key.from_file(key_file)
    places = encrypt_folder(folder, safe, key)
    for place in sorted(places.values()):
        peek = read_sealed_info(place, key)
        assert peek.file is not None
        preview = "with a preview" if peek.preview else ""
        print(f"{place.name}  {peek.file.name:16} {peek.file.size:>8} bytes  {preview}".rstrip())
    same = [open_file(place, key).content == path.read_bytes() for path, place in places.items()]
    print(f"opened and found the same: {sum(same)} of {len(same)}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
