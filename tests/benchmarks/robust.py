"""Measure the quality and cost of `robust-v1` on photographs, and how often headers are read.

``python -m tests.benchmarks.robust [FOLDER]`` prints all figures of docs/spec/robust-v1.md and
docs/howto/lossy-channels.md. The photographs are those of scikit-image and matplotlib, and those in
a folder, if one is given. ``--trials N`` sets how many headers are read, 1000 by default.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sudokucrypt import Key
from sudokucrypt.errors import DecryptionError, FormatError
from sudokucrypt.robust import (
    RobustHeader,
    ScrambledCarrier,
    align_carrier,
    find_carrier,
    forecast_psnr,
    scramble_robustly,
    unscramble_robustly,
)
from tests.benchmarks.measuring import take_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Samples = NDArray[np.uint8]

PHOTOGRAPH_NAMES = Path(__file__).with_name("photographs.txt").read_text("ascii").split()
"""Files of scikit-image that are photographs."""

CODED_BEFORE = {"coins", "grass"}
"""They were JPEG once, as their levels show: what that coding left would cost nothing again."""

QUALITIES = (50, 75, 85, 95)
CODECS = {"JPEG": (20, 95), "WEBP": (30, 95), "AVIF": (40, 95)}
_KEY, _OTHER_KEY = Key(bytes(range(32))), Key(bytes(range(1, 33)))


def load_photographs(folder: Path | None = None) -> dict[str, Samples]:
    """Return photographs by name; the larger ones are cut into halves."""
    import matplotlib as mpl
    import skimage

    data = Path(skimage.__file__).parent / "data"
    paths = [data / name for name in PHOTOGRAPH_NAMES]
    paths.append(Path(mpl.get_data_path()) / "sample_data" / "grace_hopper.jpg")
    paths += sorted(folder.iterdir()) if folder else []
    result = {}
    for path in paths:
        with Image.open(path) as file:
            image = file.convert("L" if file.mode == "L" else "RGB")
        if path.suffix == ".jpg" or path.stem in CODED_BEFORE:
            image = image.resize((image.width // 2, image.height // 2), Image.Resampling.BOX)
        samples = np.asarray(image)
        result[path.stem] = samples
        if samples.ndim == 3 and min(samples.shape[:2]) >= 400:
            middle = samples.shape[1] // 2
            result[f"{path.stem}, left"] = samples[:, :middle]
            result[f"{path.stem}, right"] = samples[:, middle:]
    return result


def recode_samples(samples: Samples, codec: str, quality: int) -> tuple[Samples, int]:
    """Return the samples after a codec, and the size of the coded file in bytes."""
    buffer = io.BytesIO()
    Image.fromarray(samples).save(buffer, codec, quality=quality)
    size = buffer.tell()
    with Image.open(buffer) as file:
        return np.asarray(file.convert("L" if samples.ndim == 2 else "RGB")), size


def measure_psnr(plain: Samples, other: Samples) -> float:
    """Return the peak signal to noise ratio, in dB."""
    return float(10 * np.log10(255**2 / np.square(plain.astype(float) - other).mean()))


def compare_qualities(pictures: dict[str, Samples]) -> Iterator[str]:
    """Yield the mean and worst loss of quality and growth of files at each quality."""
    scrambled = {name: _scramble_picture(picture) for name, picture in pictures.items()}
    yield (
        "| quality | plain JPEG, dB | robust, dB | loss, mean | worst | size, mean | worst "
        "| forecast off, mean | worst |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for qualities in [*[(q,) for q in QUALITIES], (92, 75)]:
        rows = []
        for name, picture in pictures.items():
            plain, received = picture, scrambled[name].samples
            for step in qualities:
                plain, plain_size = recode_samples(plain, "JPEG", step)
                received, size = recode_samples(received, "JPEG", step)
            restored, forecast = _restore_picture(received)
            rows.append(
                (
                    measure_psnr(picture, plain),
                    measure_psnr(picture, restored),
                    size / plain_size,
                    forecast,
                )
            )
        usual, robust, sizes, forecasts = np.array(rows).T
        losses, errors = usual - robust, np.abs(forecasts - robust)
        yield (
            f"| {' then '.join(map(str, qualities))} | {usual.mean():.2f} | {robust.mean():.2f} "
            f"| {losses.mean():.2f} | {losses.max():.2f} | {sizes.mean():.3f} | {sizes.max():.3f} "
            f"| {errors.mean():.2f} | {errors.max():.2f} |"
        )


def count_headers_read(pictures: dict[str, Samples], trials: int) -> Iterator[str]:
    """Yield the share of headers that are read after random compression and resizing."""
    rng = np.random.default_rng(1)
    photographs = list(pictures.values())
    read_count, scale_count, wrong_refused, right_refused, most_mended = 0, 0, 0, 0, 0
    for trial in range(trials):
        scrambled = _scramble_picture(photographs[trial % len(photographs)], trial)
        codec = list(CODECS)[trial % len(CODECS)]
        scale = 1.0 if trial % 4 == 0 else rng.uniform(0.5, 1.0)
        rows, columns = (round(side * scale) for side in scrambled.samples.shape)
        image = Image.fromarray(scrambled.samples)
        resampling = rng.choice([Image.Resampling.BILINEAR, Image.Resampling.LANCZOS])
        resized = np.asarray(image.resize((columns, rows), Image.Resampling(resampling)))
        received, _ = recode_samples(
            resized, codec, int(rng.integers(*CODECS[codec], endpoint=True))
        )
        try:
            result = find_carrier(received)
        except (FormatError, DecryptionError) as error:
            yield f"trial {trial}: {codec}, scale {scale:.3f}: {error}"
            continue
        read_count += result.header == scrambled.header
        scale_count += (result.scale == 1) == (received.shape == scrambled.samples.shape)
        most_mended = max(most_mended, result.mended)
        wrong_refused += _is_refused(result.header, _OTHER_KEY)
        right_refused += _is_refused(result.header, _KEY)
    yield f"headers read: {read_count} of {trials}; at most {most_mended} of 80 bytes were wrong"
    yield f"resized or not, and told so: {scale_count} of {trials}"
    yield f"wrong keys refused: {wrong_refused} of {trials}; right keys refused: {right_refused}"


def count_false_positives(pictures: dict[str, Samples], trials: int) -> Iterator[str]:
    """Yield how many crops of ordinary photographs are mistaken for robust pictures."""
    rng = np.random.default_rng(2)
    photographs = list(pictures.values())
    false_positives = damaged = 0
    for trial in range(trials):
        picture = photographs[trial % len(photographs)]
        channel = picture if picture.ndim == 2 else picture[..., 1]
        row, column = (int(rng.integers(0, side // 2)) for side in channel.shape)
        try:
            find_carrier(np.ascontiguousarray(channel[row:, column:]))
            false_positives += 1
        except FormatError:
            pass
        except DecryptionError:
            damaged += 1
    yield f"ordinary crops taken for robust: {false_positives} of {trials}; for damaged: {damaged}"


def measure_speed(picture: Samples) -> Iterator[str]:
    """Yield the time that 12 megapixels take next to decoding and encoding the same JPEG."""
    photo = np.asarray(Image.fromarray(picture).resize((4000, 3000), Image.Resampling.LANCZOS))
    buffer = io.BytesIO()
    Image.fromarray(photo).save(buffer, "JPEG", quality=90)

    def decode() -> Samples:
        return np.asarray(Image.open(io.BytesIO(buffer.getvalue())))

    def encode(samples: Samples) -> None:
        Image.fromarray(samples).save(io.BytesIO(), "JPEG", quality=90)

    def scramble() -> None:
        encode(_scramble_picture(decode()).samples)

    scrambled = _scramble_picture(photo)
    calls: dict[str, Callable[[], object]] = {
        "usual": lambda: encode(decode()),
        "robust": scramble,
        "back": lambda: unscramble_robustly(scrambled.samples, _KEY, scrambled.header),
    }
    timings = take_turns(calls, 5)
    coding, robust, restoring = (timing.median for timing in timings.values())
    yield (
        f"12 megapixels: JPEG decoded and encoded {coding:.3f} s, scrambled in between "
        f"{robust:.3f} s ({robust / coding:.2f} times); unscrambling alone {restoring:.3f} s"
    )


def _scramble_picture(picture: Samples, trial: int = 0) -> ScrambledCarrier:
    return scramble_robustly(picture, _KEY, salt=trial.to_bytes(16, "little"))


def _restore_picture(received: Samples) -> tuple[Samples, float]:
    result = find_carrier(received)
    sheet = align_carrier(received, result)
    return unscramble_robustly(sheet, _KEY, result.header), forecast_psnr(sheet, result)


def _is_refused(header: RobustHeader, key: Key) -> bool:
    try:
        header.open_key(key)
    except DecryptionError:
        return True
    return False


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--trials", type=int, default=1000)
    options = parser.parse_args()
    pictures = load_photographs(options.folder)
    print(f"{len(pictures)} pictures")
    for lines in (
        compare_qualities(pictures),
        measure_speed(pictures["astronaut"]),
        count_headers_read(pictures, options.trials),
        count_false_positives(pictures, options.trials),
    ):
        for line in lines:
            print(line, flush=True)


if __name__ == "__main__":
    main()
