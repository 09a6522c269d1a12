"""Encrypt every picture of a folder from Python, with a progress bar, and continue after errors.

Usage: python batch_with_progress.py IN OUT KEY
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from rich.progress import track

import sudokucrypt

SUFFIXES = {".bmp", ".gif", ".heic", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}


def main(source: Path, target: Path, key_file: Path) -> int:
    """Encrypt the pictures in `source` to files in `target`; return how many failed."""
    key = sudokucrypt.Key.from_file(key_file)
    target.mkdir(parents=True, exist_ok=True)
    pictures = sorted(path for path in source.iterdir() if path.suffix.lower() in SUFFIXES)
    failure_count = 0
    with ThreadPoolExecutor(2) as pool:
        tasks = {
            # Complete names, so that photo.jpg and photo.png have different results.
            # Files are written completely or not at all, so an existing result is finished.
            pool.submit(sudokucrypt.encrypt_file, path, target / f"{path.name}.png", key): path
            for path in pictures
            if not (target / f"{path.name}.png").exists()
        }
        for task in track(as_completed(tasks), "encrypting", total=len(tasks)):
            try:
                task.result()
            except sudokucrypt.SudokucryptError as error:
                failure_count += 1
                print(f"{tasks[task].name}: {error}")
    print(f"{len(tasks) - failure_count} encrypted, {len(pictures) - len(tasks)} already there, "
          f"{failure_count} failed")  # fmt: skip
    return failure_count


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:4])) > 0)
