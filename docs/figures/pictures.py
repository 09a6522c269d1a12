"""Figures of pictures: what schemes, channels and attacks do to a photograph.

Every pixel of a panel is a pixel of the picture. Keys are fixed, so a figure comes out the same.
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
_OTHER = sudokucrypt.Key(bytes(range(1, 33)))
_GAP, _SIDE, _LARGE = 12, 144, 192  # pixels
_FACE = 20, 60, 50, 46  # row, column, rows, columns
_ATTACKED = 128  # pixels, of which some attacks take half
LETTERS = 16
"""Size of the labels in pixels, for sheets of three panels, which phones show at two thirds."""


def modes(path: Path) -> None:
    """Draw a photograph, and what `encrypt`, `scramble` and `redact` make of it."""
    image = _photo(_LARGE)
    encrypted = sudokucrypt.encrypt(image, _KEY, deterministic=True)
    scrambled = sudokucrypt.scramble(image, _KEY, deterministic=True)
    covers = sudokucrypt.redact(image, [_FACE], _KEY)
    panels = [
        ("a photo", image),
        ("encrypt", encrypted.pixels),
        ("scramble", scrambled.pixels),
        ("redact", covers.pixels),
    ]
    _save([panels], path)


def lossy(path: Path) -> None:
    """Draw what is sent, and what comes back after a lossy channel: pixels, blocks, robust."""
    rows: list[list[Panel]] = []
    for name, chain in (("chelsea.jpg", (75,)), ("astronaut.png", (50,))):
        image = _photo(name=name)
        sent, back = [], []
        for label, size in (("pixels", 1), ("16 x 16 blocks", 16)):
            order = sudokucrypt.permutation(_units(image) // size**2, _KEY, nonce=b"lossy")
            scrambled = _blocks(image, size)[order]
            sheet = _assembled(scrambled, size, image.shape)
            received = np.empty_like(scrambled)
            received[order] = _blocks(_through_jpeg(sheet, chain), size)
            sent.append((f"{label}:\nsent", sheet))
            back.append((_chain_label(chain), _assembled(received, size, image.shape)))
        made = scramble_robustly(image, _KEY, salt=bytes(range(11, 256, 16)))
        shown = np.asarray(Image.fromarray(made.samples).resize(image.shape[:2]))
        sent.append(("robust: sent,\nshown smaller", _in_color(shown)))
        restored = unscramble_robustly(_through_jpeg(made.samples, chain), _KEY, made.header)
        back.append((_chain_label(chain), restored))
        rows += [sent, back]
    _save(rows, path)


def _through_jpeg(image: Pixels, chain: tuple[int, ...]) -> Pixels:
    """Return what is left of a picture after JPEG at each of these qualities."""
    for quality in chain:
        stream = BytesIO()
        Image.fromarray(image).save(stream, "JPEG", quality=quality)
        image = np.asarray(Image.open(stream))
    return image


def _chain_label(chain: tuple[int, ...]) -> str:
    return f"back from\nJPEG {', then '.join(map(str, chain))}"


def attacks(path: Path) -> None:
    """Draw results of weak schemes and of `encrypt`, and below them what attacks recover."""
    photos = cycle(
        _photo(_ATTACKED, name) for name in ("astronaut.png", "chelsea.jpg", "camera.png")
    )
    tried = {
        "content-keyed": "adaptive",
        "bit-shuffle": "chosen-plaintext",
        "s-box": "codebook",
        "chain-add": "differential",
        "le": "differential",
    }
    oracles = {name: BASELINES[name].oracle(report_key(0), fixed=True) for name in tried} | {
        "encrypt": lambda plain: sudokucrypt.encrypt(plain, _KEY, deterministic=True).pixels
    }
    seen, recovered = [], []
    for (name, oracle), image in zip(oracles.items(), photos, strict=False):
        attack = tried.get(name, "codebook")
        found = ATTACKS[attack].run(Target(name=name, oracle=oracle), image)
        seen.append((name, _enlarged(found.seen)))
        label = f"broken:\n{attack}" if found.outcome == "broken" else found.outcome.value
        recovered.append((label, _enlarged(found.picture)))
    _save([seen[:3], recovered[:3], seen[3:], recovered[3:]], path)


def controls(path: Path) -> None:
    """Draw what attacks on pixels recover from their controls, each below the result."""
    photos = cycle(
        _photo(_ATTACKED, name) for name in ("chelsea.jpg", "camera.png", "astronaut.png")
    )
    seen, recovered = [], []
    # A search for the key returns results under other keys.
    tried = (a for a in ATTACKS.values() if a.takes == "pixels" and a.threat != "key search")
    for attack, image in zip(tried, photos, strict=False):
        options = {option.name: option.default for option in attack.options}
        # Gray, since some attacks take so many samples only that a color picture shows nothing.
        finding = attack.run(attack.control(**options), image[..., 1], **options)
        if not np.array_equal(finding.seen, finding.picture):
            seen.append(("result", _in_color(_enlarged(finding.seen))))
            recovered.append((attack.name, _in_color(_enlarged(finding.picture))))
    starts = range(0, len(seen), 3)
    _save([row[start : start + 3] for start in starts for row in (seen, recovered)], path)


def _in_color(gray: Pixels) -> Pixels:
    return np.dstack([gray] * 3)


def _enlarged(pixels: Pixels) -> Pixels:
    """Return what an attack saw of a smaller picture in the size of all panels."""
    factor = _ATTACKED // len(pixels)
    return pixels.repeat(factor, axis=0).repeat(factor, axis=1)


def jpegs(path: Path) -> None:
    """Draw protected JPEGs, and below what sketches and recognition make of them."""

    def jpeg(name: str) -> bytes:
        stream = BytesIO()
        Image.fromarray(_photo(name=name)).save(stream, "JPEG", quality=90)
        return stream.getvalue()

    def scrambled(data: bytes) -> bytes:
        return sudokucrypt.scramble_bytes(data, _KEY, deterministic=True)

    plain = {name: jpeg(name) for name in ("astronaut.png", "chelsea.jpg", "camera.png")}
    astronaut, cat, photographer = plain.values()
    masked, drawn = sketch_attack(mask_in_place, astronaut), sketch_attack(scrambled, cat)
    known = recognition_attack(scrambled, photographer)
    seen = [
        ("masked in place", masked.seen),
        ("scrambled", drawn.seen),
        ("scrambled", known.seen),
    ]
    made = [
        (f"sketch:\n{masked.outcome}", _in_color(masked.picture)),
        (f"sketch:\n{drawn.outcome}", _in_color(drawn.picture)),
        (f"who has the photo\nfinds {known.recovered:.0%} again", known.picture),
    ]
    before = [(f"plain {number}", _photo(name=name)) for number, name in enumerate(plain, 1)]
    _save([before, seen, made], path)


def redaction(path: Path) -> None:
    """Draw a picture with covers, what one of two keys lifts, and what both do."""
    image, places = _photo(), ([(17, 47, 36, 34)], [(94, 77, 15, 17), (96, 36, 26, 25)])
    plain, covered = BytesIO(), BytesIO()
    Image.fromarray(image).save(plain, "PNG")
    layers = [
        sudokucrypt.Layer(key, regions) for key, regions in zip((_KEY, _OTHER), places, strict=True)
    ]
    sudokucrypt.redact_file(BytesIO(plain.getvalue()), covered, layers)
    panels = [("published", covered.getvalue())]
    for label, keys in (
        ("one key lifts\none layer", [_OTHER]),
        ("all keys:\nthe very file", [_KEY, _OTHER]),
    ):
        result = BytesIO()
        sudokucrypt.unredact_file(BytesIO(covered.getvalue()), result, *keys)
        panels.append((label, result.getvalue()))
    _save([[(label, np.asarray(Image.open(BytesIO(data)))) for label, data in panels]], path)


def _photo(size: int = _SIDE, name: str = "astronaut.png") -> Pixels:
    """Return the middle square of a photograph."""
    with Image.open(_SAMPLES / name) as file:
        square = ImageOps.fit(file.convert("RGB"), (size, size), Image.Resampling.LANCZOS)
        return np.asarray(square)


def _units(image: Pixels) -> int:
    rows, columns, _ = image.shape
    return int(rows * columns)


def _blocks(image: Pixels, size: int) -> Pixels:
    rows, columns, channels = image.shape
    tiles = image.reshape(rows // size, size, columns // size, size, channels)
    return tiles.swapaxes(1, 2).reshape(-1, size, size, channels)


def _assembled(blocks: Pixels, size: int, shape: tuple[int, ...]) -> Pixels:
    rows, columns, channels = shape
    tiles = blocks.reshape(rows // size, columns // size, size, size, channels)
    return tiles.swapaxes(1, 2).reshape(shape)


def _save(rows: list[list[Panel]], path: Path) -> None:
    """Write panels of one size in rows, each in the middle and with its label below."""
    height, width, _ = rows[0][0][1].shape
    lines = [max(label.count("\n") + 1 for label, _ in row) for row in rows]
    heights = [height + _GAP + int(1.25 * LETTERS * count) for count in lines]
    whole = max(map(len, rows)) * (width + _GAP) + _GAP
    sheet = Image.new("RGB", (whole, sum(heights) + _GAP), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(LETTERS)
    for number, row in enumerate(rows):
        top = _GAP + sum(heights[:number])
        start = (whole - len(row) * (width + _GAP) + _GAP) // 2
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
