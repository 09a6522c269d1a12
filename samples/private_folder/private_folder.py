"""Encrypt a folder of documents and pictures under random names, and list the result.

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
    """Encrypt every file, with a preview if it is a picture; return the paths of the results."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    safe.mkdir()
    targets = {path: safe / f"{token_hex(8)}.png" for path in files}
    for path, target in targets.items():
        encrypt_file(path, target, key, as_file=True, preview=True)
    return targets


def main(folder: Path, safe: Path, key_file: Path) -> None:
    """Fill the folder SAFE, list its sealed names and previews, and open all files in memory."""
    key = Key.from_file(key_file)
    targets = encrypt_folder(folder, safe, key)
    for target in sorted(targets.values()):
        info = read_sealed_info(target, key)
        assert info.file is not None
        preview = "with a preview" if info.preview else ""
        print(f"{target.name}  {info.file.name:16} {info.file.size:>8} bytes  {preview}".rstrip())
    same = [open_file(target, key).content == path.read_bytes() for path, target in targets.items()]
    print(f"opened and found the same: {sum(same)} of {len(same)}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
