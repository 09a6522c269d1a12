"""Figures of photographs after schemes, lossy channels and attacks.

Each pixel of a panel is a pixel of the picture. Keys are fixed, so figures are reproducible.
"""

from __future__ import annotations

from io import BytesIO
from itertools import cycle
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont, ImageOps

import sudokucrypt
from sudokucrypt.analysis import ATTACKS, BASELINES, report_key
from sudokucrypt.analysis.attacks import (
    Target,
    mask_in_place,
    recognition_attack,
    sketch_attack,
)
from sudokucrypt.robust import scramble_robustly, unscramble_robustly

Pixels = NDArray[np.uint8]
Panel = tuple[str, Pixels]

_SAMPLES = Path(__file__).parents[2] / "samples" / "pictures"
_KEY = sudokucrypt.Key(bytes(range(32)))
_OTHER_KEY = sudokucrypt.Key(bytes(range(1, 33)))
_GAP, _PANEL_SIDE, _LARGE_SIDE = 12, 144, 192  # pixels
_FACE_AREA = 20, 60, 50, 46  # row, column, rows, columns
_ATTACKED_SIDE = 128  # pixels, of which some attacks take half
LETTER_HEIGHT = 16
"""Size of the labels in pixels, for sheets of three panels, which phones show at two thirds."""


def draw_modes(path: Path) -> None:
    """Draw a photograph, and its results of `encrypt`, `scramble` and `redact`."""
    image = _load_photo(_LARGE_SIDE)
    encrypted = sudokucrypt.encrypt(image, _KEY, deterministic=True)
    scrambled = sudokucrypt.scramble(image, _KEY, deterministic=True)
    redacted = sudokucrypt.redact(image, [_FACE_AREA], _KEY)
    panels = [
        ("a photo", image),
        ("encrypt", encrypted.pixels),
        ("scramble", scrambled.pixels),
        ("redact", redacted.pixels),
    ]
    _save_panels([panels], path)


def draw_lossy_channels(path: Path) -> None:
    """Draw sent and restored pictures for a lossy channel: scrambled pixels, blocks, robust."""
    rows: list[list[Panel]] = []
    for name, qualities in (("chelsea.jpg", (75,)), ("astronaut.png", (50,))):
        image = _load_photo(name=name)
        sent_images, restored_images = [], []
        for label, size in (("pixels", 1), ("16 x 16 blocks", 16)):
            order = sudokucrypt.permutation(_count_pixels(image) // size**2, _KEY, nonce=b"lossy")
            blocks = _split_blocks(image, size)[order]
            sent = _assemble(blocks, size, image.shape)
            received = np.empty_like(blocks)
            received[order] = _split_blocks(_recompress(sent, qualities), size)
            sent_images.append((f"{label}:\nsent", sent))
            restored_images.append(
                (_format_chain(qualities), _assemble(received, size, image.shape))
            )
        robust = scramble_robustly(image, _KEY, salt=bytes(range(11, 256, 16)))
        shown_pixels = np.asarray(Image.fromarray(robust.samples).resize(image.shape[:2]))
        sent_images.append(("robust: sent,\nshown smaller", _convert_to_color(shown_pixels)))
        restored = unscramble_robustly(_recompress(robust.samples, qualities), _KEY, robust.header)
        restored_images.append((_format_chain(qualities), restored))
        rows += [sent_images, restored_images]
    _save_panels(rows, path)


def _recompress(image: Pixels, qualities: tuple[int, ...]) -> Pixels:
    """Return a picture after JPEG compression at each of these qualities in turn."""
    for quality in qualities:
        stream = BytesIO()
        Image.fromarray(image).save(stream, "JPEG", quality=quality)
        image = np.asarray(Image.open(stream))
    return image


def _format_chain(qualities: tuple[int, ...]) -> str:
    return f"back from\nJPEG {', then '.join(map(str, qualities))}"


def draw_attacks(path: Path) -> None:
    """Draw results of weak schemes and of `encrypt`, and below them the recovered pictures."""
    photos = cycle(
        _load_photo(_ATTACKED_SIDE, name) for name in ("astronaut.png", "chelsea.jpg", "camera.png")
    )
    attacks = {
        "content-keyed": "adaptive",
        "bit-shuffle": "chosen-plaintext",
        "s-box": "codebook",
        "chain-add": "differential",
        "le": "differential",
    }
    oracles = {name: BASELINES[name].oracle(report_key(0), fixed=True) for name in attacks} | {
        "encrypt": lambda plain: sudokucrypt.encrypt(plain, _KEY, deterministic=True).pixels
    }
    protected_images, recovered = [], []
    for (name, oracle), image in zip(oracles.items(), photos, strict=False):
        attack = attacks.get(name, "codebook")
        result = ATTACKS[attack].run(Target(name=name, oracle=oracle), image)
        protected_images.append((name, _enlarge(result.seen)))
        label = f"broken:\n{attack}" if result.outcome == "broken" else result.outcome.value
        recovered.append((label, _enlarge(result.picture)))
    _save_panels([protected_images[:3], recovered[:3], protected_images[3:], recovered[3:]], path)


def draw_controls(path: Path) -> None:
    """Draw the results of the controls of attacks, and below them the recovered pictures."""
    photos = cycle(
        _load_photo(_ATTACKED_SIDE, name) for name in ("chelsea.jpg", "camera.png", "astronaut.png")
    )
    protected_images, recovered = [], []
    # Without searches for the key, whose controls return results under several keys.
    attacks = (
        each for each in ATTACKS.values() if each.takes == "pixels" and each.threat != "key search"
    )
    for attack, image in zip(attacks, photos, strict=False):
        options = {option.name: option.default for option in attack.options}
        # Gray pictures, since some attacks can recover only few samples of a color picture.
        finding = attack.run(attack.control(**options), image[..., 1], **options)
        if not np.array_equal(finding.seen, finding.picture):
            protected_images.append(("result", _convert_to_color(_enlarge(finding.seen))))
            recovered.append((attack.name, _convert_to_color(_enlarge(finding.picture))))
    starts = range(0, len(protected_images), 3)
    _save_panels(
        [row[start : start + 3] for start in starts for row in (protected_images, recovered)], path
    )


def _convert_to_color(gray: Pixels) -> Pixels:
    return np.dstack([gray] * 3)


def _enlarge(pixels: Pixels) -> Pixels:
    """Enlarge the result of a smaller picture to the size of all panels."""
    factor = _ATTACKED_SIDE // len(pixels)
    return pixels.repeat(factor, axis=0).repeat(factor, axis=1)


def draw_jpegs(path: Path) -> None:
    """Draw protected JPEGs, and below them the results of sketches and recognition."""

    def encode_jpeg(name: str) -> bytes:
        stream = BytesIO()
        Image.fromarray(_load_photo(name=name)).save(stream, "JPEG", quality=90)
        return stream.getvalue()

    def scramble_jpeg(data: bytes) -> bytes:
        return sudokucrypt.scramble_bytes(data, _KEY, deterministic=True)

    photos = {name: encode_jpeg(name) for name in ("astronaut.png", "chelsea.jpg", "camera.png")}
    astronaut, cat, photographer = photos.values()
    masked, sketched_cat = (
        sketch_attack(mask_in_place, astronaut),
        sketch_attack(scramble_jpeg, cat),
    )
    recognition = recognition_attack(scramble_jpeg, photographer)
    attacked_images = [
        ("masked in place", masked.seen),
        ("scrambled", sketched_cat.seen),
        ("scrambled", recognition.seen),
    ]
    protected_images = [
        (f"sketch:\n{masked.outcome}", _convert_to_color(masked.picture)),
        (f"sketch:\n{sketched_cat.outcome}", _convert_to_color(sketched_cat.picture)),
        (f"who has the photo\nfinds {recognition.recovered:.0%} again", recognition.picture),
    ]
    plain_images = [
        (f"plain {number}", _load_photo(name=name)) for number, name in enumerate(photos, 1)
    ]
    _save_panels([plain_images, attacked_images, protected_images], path)


def draw_redaction(path: Path) -> None:
    """Draw a covered picture, and the same picture after lifting with one key and with both."""
    image, areas = _load_photo(), ([(17, 47, 36, 34)], [(94, 77, 15, 17), (96, 36, 26, 25)])
    plain_file, redacted_file = BytesIO(), BytesIO()
    Image.fromarray(image).save(plain_file, "PNG")
    layers = [
        sudokucrypt.Layer(key, regions)
        for key, regions in zip((_KEY, _OTHER_KEY), areas, strict=True)
    ]
    sudokucrypt.redact_file(BytesIO(plain_file.getvalue()), redacted_file, layers)
    panels = [("published", redacted_file.getvalue())]
    for label, keys in (
        ("one key lifts\none layer", [_OTHER_KEY]),
        ("all keys:\nthe very file", [_KEY, _OTHER_KEY]),
    ):
        lifted_file = BytesIO()
        sudokucrypt.unredact_file(BytesIO(redacted_file.getvalue()), lifted_file, *keys)
        panels.append((label, lifted_file.getvalue()))
    _save_panels([[(label, np.asarray(Image.open(BytesIO(data)))) for label, data in panels]], path)


def _load_photo(size: int = _PANEL_SIDE, name: str = "astronaut.png") -> Pixels:
    """Return the middle square of a photograph."""
    with Image.open(_SAMPLES / name) as file:
        square = ImageOps.fit(file.convert("RGB"), (size, size), Image.Resampling.LANCZOS)
        return np.asarray(square)


def _count_pixels(image: Pixels) -> int:
    rows, columns, _ = image.shape
    return int(rows * columns)


def _split_blocks(image: Pixels, size: int) -> Pixels:
    rows, columns, channels = image.shape
    tiles = image.reshape(rows // size, size, columns // size, size, channels)
    return tiles.swapaxes(1, 2).reshape(-1, size, size, channels)


def _assemble(blocks: Pixels, size: int, shape: tuple[int, ...]) -> Pixels:
    rows, columns, channels = shape
    tiles = blocks.reshape(rows // size, columns // size, size, size, channels)
    return tiles.swapaxes(1, 2).reshape(shape)


def _save_panels(rows: list[list[Panel]], path: Path) -> None:
    """Write rows of panels of equal size, centered, each with its label below."""
    height, width, _ = rows[0][0][1].shape
    line_counts = [max(label.count("\n") + 1 for label, _ in row) for row in rows]
    heights = [height + _GAP + int(1.25 * LETTER_HEIGHT * count) for count in line_counts]
    total_width = max(map(len, rows)) * (width + _GAP) + _GAP
    canvas = Image.new("RGB", (total_width, sum(heights) + _GAP), "white")
    draw, font = ImageDraw.Draw(canvas), ImageFont.load_default(LETTER_HEIGHT)
    for row_number, row in enumerate(rows):
        top = _GAP + sum(heights[:row_number])
        row_left = (total_width - len(row) * (width + _GAP) + _GAP) // 2
        for position, (label, pixels) in enumerate(row):
            left = row_left + position * (width + _GAP)
            canvas.paste(Image.fromarray(pixels), (left, top))
            draw.multiline_text(
                (left + width / 2, top + height + 2),
                label,
                fill="black",
                font=font,
                anchor="ma",
                align="center",
                spacing=2,
            )
    canvas.save(path, optimize=True)
