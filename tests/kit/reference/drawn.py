"""Random pictures of every kind that section 4 of the page on pictures allows, for tests."""

import random
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

from tests.kit.reference import files
from tests.kit.reference.description import CHANNELS, PADDED_TO, Description, write
from tests.kit.reference.frames import Frame
from tests.kit.reference.grammar import READABLE
from tests.kit.reference.header import CONTEXT, ENCRYPT, KEYED, OF_FRAMES, SAMPLE_BYTES, Header
from tests.kit.reference.hkdf import key_id
from tests.kit.reference.parts import canvas_of, pixels_of_frames, rounds_of_picture
from tests.kit.reference.selection import MAX_COVERS, Canvas, write_mask

MAX_NUMBER = 4294967295
LETTERS = 'aZ0 ~"\\/\b\t\n\f\r\0\x1f\x7f\u00c5\u2028\udfff\U0001f9e9'


class Drawer:
    """Draws pictures, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)  # noqa: S311 - a test wants the same again

    def maybe(self, thing: Any) -> Any:
        """The thing or None."""
        return self.source.choice([thing, None])

    def number(self) -> int:
        """A number of the description, often a small one."""
        return self.source.choice([0, 1, 2, 255, 65536, MAX_NUMBER, self.source.randrange(2**32)])

    def data(self, most: int = 9) -> bytes:
        """Bytes, perhaps none."""
        return self.source.randbytes(self.source.randint(0, most))

    def text(self) -> str:
        """A text with everything that must be escaped."""
        return "".join(self.source.choices(LETTERS, k=self.source.randint(0, 6)))

    def fraction(self) -> str:
        """A fraction of at most 20 digits above and below."""
        above, below = (self.source.randrange(10 ** self.source.choice([1, 3, 20])) for _ in "//")
        return str(Fraction(above, below or 1))

    def meaning(self) -> Description:
        """A description of a still, of pages, of an animation, or now and then of a file."""
        meaning = self._file() if self.source.random() < 0.1 else self._picture()
        if self.source.random() < 0.3:
            meaning["preview"] = b"RIFF" + self.source.randbytes(4) + b"WEBP" + self.data()
        return meaning

    def _picture(self) -> Description:
        frames = [self._frame() for _ in range(self.source.choice([1, 1, 2, 3]))]
        animation = None
        if self.source.random() < 0.5:
            animation = {
                "rows": self.source.randint(1, 30),
                "columns": self.source.randint(1, 30),
                "loops": self.maybe(self.number()),
                "background": self.maybe(self.data()),
                "palette": self.maybe(self._palette()),
            }
        if len(frames) == 1 and animation is None:
            frames[0] |= {"bits": self.source.choice([2, 4]), "dtype": "uint8"}
        present = {name for frame in frames for name in frame["metadata"] or {}}
        readable = [name for name in READABLE if name in present and self.maybe(name)]
        about = {"format": self.text(), "readable": readable or None}
        return _numbered({**about, "animation": animation, "frames": frames})

    def _file(self) -> Description:
        data = self.data(40)
        media_type = self.maybe("image/svg+xml")
        time = self.maybe(self.source.randrange(-(2**63), 2**63))
        name = "".join(self.source.choices("aZ. ~\u00c5\U0001f9e9", k=9)) + "x"
        return files.meaning_of_file(data, name, media_type=media_type, time=time)

    def _palette(self) -> Description:
        wide = self.source.random() < 0.3
        count = self.source.randint(0, 4)
        colors = self.source.randbytes(1) * count * (6 if wide else 3)  # of which some are equal
        return {"colors": colors, "alphas": self.data(count) or None, "wide": wide or None}

    def _frame(self) -> Description:
        mode = self.source.choice(list(CHANNELS))
        rows, columns = self.source.choice([(1, 1), (7, 5), (1, 40), (9, 8), (13, 3)])
        shape = [rows, columns, CHANNELS[mode]]
        if shape[2] == 1:
            shape.pop()
        dtype = self.source.choice(["uint8", "uint8", *SAMPLE_BYTES])
        position = [self.source.randint(0, 9), self.source.randint(0, 30)]
        showing = [self.fraction(), self.number(), self.number()]
        return {
            "shape": shape,
            "dtype": dtype,
            "mode": mode,
            "bits": self.source.choice([2, 4, None]) if dtype == "uint8" else None,
            "palette": self.maybe(self._palette()),
            "transparent": self.maybe([self.number() for _ in range(CHANNELS[mode])]),
            "place": None if position == [0, 0] else self.maybe(position),
            "showing": self.maybe(showing),
            "metadata": self.maybe(self._metadata()) or None,
        }

    def _metadata(self) -> Description:
        unit = self.source.choice(["inch", "meter", None])
        return _present(
            {
                "exif": self.maybe(self.data()),
                "icc": self.maybe(self.data()),
                "xmp": self.maybe(self.data(300)),
                "resolution": self.maybe([self.fraction(), self.fraction(), unit]),
                "texts": self.maybe([[self.text(), self.text()] for _ in range(2)]),
                "native": self.maybe([[self.text(), self.data()]]),
            }
        )

    def frames(self, meaning: Description) -> list[Frame]:
        """Samples for a description, within its bits."""
        frames = []
        for about in meaning["frames"]:
            shape = tuple(about["shape"])
            size = SAMPLE_BYTES[about["dtype"]]
            bits = 1 if about["dtype"] == "bool" else about.get("bits", 8)
            count = meaning["file"]["size"] if "file" in meaning else prod(shape) * size
            data = bytes(b % 2**bits for b in self.source.randbytes(count))
            data = data.ljust(prod(shape) * size, b"\0")
            frames.append(Frame(shape=shape, dtype=about["dtype"], data=data))
        return frames

    def header(self, meaning: Description, key: bytes) -> Header:
        """A header without tag and seal, of a scheme that suits, with the default rounds."""
        first = meaning["frames"][0]
        shape = tuple(first["shape"])
        scheme = self.source.choice(_schemes_for(meaning))
        unit = "pixel" if scheme == ENCRYPT else self.source.choice(["pixel", "sample", "block"])
        whole = unit == "block" or "file" in meaning
        selection = {} if whole else self._selection(canvas_of(shape, meaning))
        header = Header(
            scheme=scheme,
            unit=unit,
            block_size=self.source.randint(1, 9) if unit == "block" else None,
            rounds=1,
            shape=shape,
            dtype=first["dtype"],
            key_id=key_id(key),
            salt=None if scheme == CONTEXT else self.maybe(self.source.randbytes(16).hex()),
            extras=write(meaning) + bytes(self.source.choice([0, 0, 1, 2]) * PADDED_TO),
            **selection,
        )
        shapes = [frame["shape"] for frame in meaning["frames"]]
        rounds = rounds_of_picture(
            shapes,
            unit,
            block_size=header.block_size,
            pixels=pixels_of_frames(shapes, header, meaning),
        )
        return replace(header, rounds=rounds)

    def _selection(self, canvas: Canvas) -> dict[str, Any]:
        count = canvas.rows * canvas.columns
        form = self.source.choice([None, "regions", "mask", "nothing", "everything"])
        if count == 0:
            return {}
        if form == "regions":
            wanted = self.source.randint(1, MAX_COVERS)
            return {"regions": tuple(self._region(canvas) for _ in range(wanted))}
        if form == "mask":
            cuts = sorted({self.source.randint(0, count) for _ in range(6)} | {count})
            runs = [b - a for a, b in zip([0, *cuts], cuts, strict=False)]
            return {"mask": write_mask(runs)}
        runs_of = {"nothing": [count], "everything": [0, count]}
        return {"mask": write_mask(runs_of[form])} if form in runs_of else {}

    def _region(self, canvas: Canvas) -> tuple[int, int, int, int]:
        row = self.source.randrange(canvas.rows)
        column = self.source.randrange(canvas.columns)
        rows = self.source.randint(1, canvas.rows - row)
        return row, column, rows, self.source.randint(1, canvas.columns - column)


def _schemes_for(meaning: Description) -> tuple[str, ...]:
    """The schemes that protect a picture with this description."""
    if "file" in meaning:
        return (ENCRYPT,)
    if "preview" in meaning or any("metadata" in frame for frame in meaning["frames"]):
        return (KEYED, ENCRYPT)
    return OF_FRAMES


def _present(fields: Description) -> Description:
    """The fields that are not absent."""
    return {name: value for name, value in fields.items() if value is not None}


def _numbered(meaning: Description) -> Description:
    """The description with its palettes in a list, and their numbers where they were."""
    palettes: list[Description] = []
    parts = [meaning["animation"], *meaning["frames"]]
    for part in parts:
        if part is not None and part["palette"] is not None:
            palette = _present(part["palette"])
            if palette not in palettes:
                palettes.append(palette)
            part["palette"] = palettes.index(palette)
    animation = None if meaning["animation"] is None else _present(meaning["animation"])
    return _present(
        {
            "format": meaning["format"],
            "readable": meaning["readable"],
            "palettes": palettes or None,
            "animation": animation,
            "frames": [_present(frame) for frame in meaning["frames"]],
        }
    )
