"""Measure the growth of JPEGs when they are scrambled, and the time to scramble and redact.

``python -m tests.benchmarks.jpeg [FOLDER]`` prints the tables of docs/howto/jpegs.md; the
photographs are those of `tests.benchmarks.robust` and of a folder. Times need jpegtran, of
libjpeg-turbo.
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from sudokucrypt import (
    Key,
    Layer,
    redact_file,
    scramble_bytes,
    scramble_file,
    unredact_file,
    unscramble_bytes,
    unscramble_file,
)
from tests.benchmarks.measuring import take_turns
from tests.benchmarks.robust import Samples, load_photographs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QUALITIES = (75, 85, 90, 95)
KINDS: dict[str, dict[str, Any]] = {
    "usual codes": {},
    "optimized": {"optimize": True},
    "progressive": {"progressive": True},
    "optimized, 4:4:4": {"optimize": True, "subsampling": 0},
}
ROUNDS = 7
_KEY = Key(bytes(range(32)))
_LAYERS = [Layer(_KEY, [(300, 400, 500, 600), (1500, 2000, 300, 300), (2500, 3000, 400, 700)])]


def save_jpeg(samples: Samples, **options: Any) -> bytes:
    """Return the samples as a JPEG written by Pillow."""
    buffer = io.BytesIO()
    Image.fromarray(samples).save(buffer, "JPEG", **options)
    return buffer.getvalue()


def measure_growth(pictures: dict[str, Samples]) -> Iterator[str]:
    """Yield the mean and worst growth beside the header; all files must be restored exactly."""
    yield f"| kind of JPEG | {' | '.join(f'quality {quality}' for quality in QUALITIES)} |"
    yield "|---|" + "---|" * len(QUALITIES)
    headers: list[int] = []
    for kind, options in KINDS.items():
        cells = []
        for quality in QUALITIES:
            growths = []
            for picture in pictures.values():
                data = save_jpeg(picture, quality=quality, **options)
                result = scramble_bytes(data, _KEY)
                assert unscramble_bytes(result, _KEY) == data
                headers.append(_find_header_size(result))
                growths.append(100 * ((len(result) - headers[-1]) / len(data) - 1))
            cells.append(f"{np.mean(growths):+.1f}%, worst {max(growths):+.1f}%")
        yield f"| {kind} | {' | '.join(cells)} |"
    yield f"headers: {min(headers)} to {max(headers)} bytes, {np.mean(headers):.0f} on average"


def _find_header_size(data: bytes) -> int:
    """Return the size of the one segment that holds our header."""
    start = data.index(b"sudokucrypt\0") - 2
    return 2 + int.from_bytes(data[start : start + 2], "big")


def measure_speed(picture: Samples) -> Iterator[str]:
    """Yield the times for 12 megapixels next to those of jpegtran, from file to file, in turn.

    Three areas are redacted, of 670,000 pixels.
    """
    jpegtran = shutil.which("jpegtran")
    if jpegtran is None:
        yield "jpegtran is not installed"
        return
    photo = np.asarray(Image.fromarray(picture).resize((4000, 3000), Image.Resampling.LANCZOS))
    grain = np.random.default_rng(1).normal(0, 8, photo.shape)
    photo = np.clip(photo + grain, 0, 255).astype(np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        plain, scrambled, redacted, restored, recoded = (
            Path(folder, name + ".jpg") for name in "abcde"
        )
        for kind, options in (("baseline", {}), ("progressive", {"progressive": True})):
            plain.write_bytes(save_jpeg(photo, quality=90, **options))
            mode = [f"-{kind}" for _ in options]
            command = [jpegtran, "-optimize", *mode, "-outfile", recoded, plain]
            calls: dict[str, Callable[[], object]] = {
                "jpegtran": partial(subprocess.run, command, check=True),
                "scramble": partial(scramble_file, plain, scrambled, _KEY, replace=True),
                "unscramble": partial(unscramble_file, scrambled, restored, _KEY, replace=True),
                "redact": partial(redact_file, plain, redacted, _LAYERS, replace=True),
                "unredact": partial(unredact_file, redacted, restored, _KEY, replace=True),
            }
            usual, *others = (timing.median for timing in take_turns(calls, ROUNDS).values())
            yield (
                f"12 megapixels, {kind}, {plain.stat().st_size} bytes: jpegtran {usual:.3f} s"
            ) + "".join(
                f", {name} {median:.3f} s ({median / usual:.2f} times)"
                for name, median in zip(list(calls)[1:], others, strict=True)
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    options = parser.parse_args()
    pictures = load_photographs(options.folder)
    print(f"{len(pictures)} photographs and halves of photographs")
    for lines in measure_growth(pictures), measure_speed(pictures["astronaut"]):
        for line in lines:
            print(line, flush=True)


if __name__ == "__main__":
    main()
