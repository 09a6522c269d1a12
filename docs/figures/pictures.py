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
_GAP, _SIDE, _LARGE = 12, 144, 192  # pixels
_FACE = 20, 60, 50, 46  # row, column, rows, columns
_ATTACKED_SIDE = 128  # pixels, of which some attacks take half
LETTERS = 16
"""Size of the labels in pixels, for sheets of three panels, which phones show at two thirds."""


def draw_modes(path: Path) -> None:
    """Draw a photograph, and its results of `encrypt`, `scramble` and `redact`."""
    image = _load_photo(_LARGE)
    encrypted = sudokucrypt.encrypt(image, _KEY, deterministic=True)
    scrambled = sudokucrypt.scramble(image, _KEY, deterministic=True)
    covers = sudokucrypt.redact(image, [_FACE], _KEY)
    panels = [
        ("a photo", image),
        ("encrypt", encrypted.pixels),
        ("scramble", scrambled.pixels),
        ("redact", covers.pixels),
    ]
    _save_panels([panels], path)


def draw_lossy_channels(path: Path) -> None:
    """Draw sent and restored pictures for a lossy channel: scrambled pixels, blocks, robust."""
    rows: list[list[Panel]] = []
    for name, chain in (("chelsea.jpg", (75,)), ("astronaut.png", (50,))):
        image = _load_photo(name=name)
        sent_images, restored_images = [], []
        for label, size in (("pixels", 1), ("16 x 16 blocks", 16)):
            order = sudokucrypt.permutation(_split_pixels(image) // size**2, _KEY, nonce=b"lossy")
            scrambled = _split_blocks(image, size)[order]
            sheet = _assemble(scrambled, size, image.shape)
            received = np.empty_like(scrambled)
            received[order] = _split_blocks(_recompress(sheet, chain), size)
            sent_images.append((f"{label}:\nsent", sheet))
            restored_images.append((_format_chain(chain), _assemble(received, size, image.shape)))
        robust = scramble_robustly(image, _KEY, salt=bytes(range(11, 256, 16)))
        shown_pixels = np.asarray(Image.fromarray(robust.samples).resize(image.shape[:2]))
        sent_images.append(("robust: sent,\nshown smaller", _convert_to_color(shown_pixels)))
        restored = unscramble_robustly(_recompress(robust.samples, chain), _KEY, robust.header)
        restored_images.append((_format_chain(chain), restored))
        rows += [sent_images, restored_images]
    _save_panels(rows, path)


def _recompress(image: Pixels, chain: tuple[int, ...]) -> Pixels:
    """Return a picture after JPEG compression at each of these qualities in turn."""
    for quality in chain:
        stream = BytesIO()
        Image.fromarray(image).save(stream, "JPEG", quality=quality)
        image = np.asarray(Image.open(stream))
    return image


def _format_chain(chain: tuple[int, ...]) -> str:
    return f"back from\nJPEG {', then '.join(map(str, chain))}"


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
    attacks = (a for a in ATTACKS.values() if a.takes == "pixels" and a.threat != "key search")
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

    def jpeg(name: str) -> bytes:
        stream = BytesIO()
        Image.fromarray(_load_photo(name=name)).save(stream, "JPEG", quality=90)
        return stream.getvalue()

    def scrambled(data: bytes) -> bytes:
        return sudokucrypt.scramble_bytes(data, _KEY, deterministic=True)

    plain = {name: jpeg(name) for name in ("astronaut.png", "chelsea.jpg", "camera.png")}
    astronaut, cat, photographer = plain.values()
    masked, sketched_cat = sketch_attack(mask_in_place, astronaut), sketch_attack(scrambled, cat)
    recognition = recognition_attack(scrambled, photographer)
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
        (f"plain {number}", _load_photo(name=name)) for number, name in enumerate(plain, 1)
    ]
    _save_panels([plain_images, attacked_images, protected_images], path)


def draw_redaction(path: Path) -> None:
    """Draw a covered picture, and the same picture after lifting with one key and with both."""
    image, boxes = _load_photo(), ([(17, 47, 36, 34)], [(94, 77, 15, 17), (96, 36, 26, 25)])
    plain, redacted = BytesIO(), BytesIO()
    Image.fromarray(image).save(plain, "PNG")
    layers = [
        sudokucrypt.Layer(key, regions)
        for key, regions in zip((_KEY, _OTHER_KEY), boxes, strict=True)
    ]
    sudokucrypt.redact_file(BytesIO(plain.getvalue()), redacted, layers)
    panels = [("published", redacted.getvalue())]
    for label, keys in (
        ("one key lifts\none layer", [_OTHER_KEY]),
        ("all keys:\nthe very file", [_KEY, _OTHER_KEY]),
    ):
        result = BytesIO()
        sudokucrypt.unredact_file(BytesIO(redacted.getvalue()), result, *keys)
        panels.append((label, result.getvalue()))
    _save_panels([[(label, np.asarray(Image.open(BytesIO(data)))) for label, data in panels]], path)


def _load_photo(size: int = _SIDE, name: str = "astronaut.png") -> Pixels:
    """Return the middle square of a photograph."""
    with Image.open(_SAMPLES / name) as file:
        square = ImageOps.fit(file.convert("RGB"), (size, size), Image.Resampling.LANCZOS)
        return np.asarray(square)


def _split_pixels(image: Pixels) -> int:
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
    lines = [max(label.count("\n") + 1 for label, _ in row) for row in rows]
    heights = [height + _GAP + int(1.25 * LETTERS * count) for count in lines]
    total_width = max(map(len, rows)) * (width + _GAP) + _GAP
    sheet = Image.new("RGB", (total_width, sum(heights) + _GAP), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(LETTERS)
    for number, row in enumerate(rows):
        top = _GAP + sum(heights[:number])
        start = (total_width - len(row) * (width + _GAP) + _GAP) // 2
        for position, (label, pixels) in enumerate(row):
            left = start + position * (width + _GAP)
            sheet.paste(Image.fromarray(pixels), (left, top))
            draw.multiline_text(
                (left + width / 2, top + height + 2),
                label,
                fill="black",
                font=font,
                anchor="ma",
                align="center",
                spacing=2,
            )
    sheet.save(path, optimize=True)
