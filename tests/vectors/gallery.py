"""The pictures of the vectors by name, with everything that a description can say of one."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from sudokucrypt.images import (
    Animation,
    EmbeddedFile,
    Frame,
    FrameControl,
    Metadata,
    Palette,
    Picture,
    PictureRecord,
    Resolution,
    embed,
)
from tests.vectors.common import plain_bytes, plain_image

PREVIEW = bytes.fromhex(
    "524946461e000000574542505650384c110000002f0000000007508f2257abff8188e87f0000"
)
"""A WebP file of one red pixel. Its last bytes are zero, as those of the padding."""

_COLORS = bytes(range(12))
_MODES = {1: "gray", 2: "gray-alpha", 3: "rgb", 4: "rgba"}
_INCH = Resolution(columns=Fraction(72), rows=Fraction(100, 3), unit="inch")
_FULL = Metadata(exif=b"MM\0*", icc=b"profile", xmp=b"<x/>", resolution=_INCH)


def frame(label: str, shape: tuple[int, ...], dtype: str = "uint8", **meaning: Any) -> Frame:
    """Return a frame of the plain image for a label, cut to its bits."""
    pixels = plain_image(label, shape, dtype).astype(dtype)
    if "bits" in meaning:
        pixels &= 2 ** meaning["bits"] - 1
    return Frame(pixels=pixels, **{"mode": _MODES[[*shape, 1][2]], **meaning})


def _one(label: str, shape: tuple[int, ...], dtype: str = "uint8", **meaning: Any) -> Picture:
    return Picture(frames=(frame(label, shape, dtype, **meaning),), format="TIFF")


def _pages() -> Picture:
    shapes = (((7, 6), "uint8"), ((3, 8, 3), "uint16"), ((1, 1), "bool"), ((3, 7, 2), "float32"))
    frames = [frame(f"page {n}", *kind) for n, kind in enumerate(shapes)]
    return Picture(frames=tuple(frames), format="TIFF")


def _small_pages() -> Picture:
    kinds = (((3, 4), "uint8"), ((2, 3, 3), "uint16"), ((1, 1), "bool"))
    frames = [frame(f"small page {n}", *kind) for n, kind in enumerate(kinds)]
    return Picture(frames=tuple(frames), format="TIFF")


def _equal(count: int, shape: tuple[int, ...] = (7, 9)) -> Picture:
    return Picture(frames=(frame("equal", shape),) * count, format="TIFF")


def _shallow() -> Picture:
    kinds: list[tuple[str, Any]] = [("uint8", {"bits": 2}), ("uint8", {"bits": 4})]
    frames = [frame(f"shallow {n}", (6, 7), *kind[:1], **kind[1]) for n, kind in enumerate(kinds)]
    return Picture(frames=(*frames, frame("shallow 2", (6, 7), "bool")), format="PNG")


def _animation() -> Picture:
    shared, own = Palette(colors=_COLORS), Palette(colors=_COLORS[::-1], alphas=b"\0\x80")
    frames = (
        frame("drawn 0", (8, 10), mode="palette", bits=4, palette=shared,
              showing=FrameControl(duration=Fraction(1, 10))),
        frame("drawn 1", (5, 6), mode="palette", palette=own, row=6, column=7,
              transparent=(3,), showing=FrameControl(duration=Fraction(7, 100), disposal=2)),
        frame("drawn 2", (6, 7), mode="palette", palette=shared, column=4,
              showing=FrameControl(duration=Fraction(0), blend=1)),
    )  # fmt: skip
    about = Animation(rows=8, columns=10, loops=0, background=b"\1\2", palette=own)
    return Picture(frames=frames, format="GIF", animation=about)


def _canvas(rows: int, columns: int, row: int = 0, column: int = 0) -> Picture:
    """Return an animation whose canvas is another than its first frame."""
    frames = (
        frame("canvas 0", (6, 7), row=row, column=column),
        frame("canvas 1", (3, 5), "bool", row=4, column=6),
    )
    animation = Animation(rows=rows, columns=columns)
    return Picture(frames=frames, format="PNG", animation=animation)


def _moving() -> Picture:
    """Return an animation that GIF can hold, with a palette of its own in the second frame."""
    shared, own = (Palette(colors=bytes(range(start, start + 48))) for start in (0, 100))
    tenth = FrameControl(duration=Fraction(1, 10), disposal=2)
    kinds: list[tuple[tuple[int, int], dict[str, Any]]] = [
        ((6, 7), {"showing": tenth, "transparent": (3,)}),
        ((5, 4), {"showing": tenth, "palette": own, "row": 1, "column": 3}),
    ]
    frames = [frame(f"moving {n}", *kind[:1], mode="palette", **kind[1])
              for n, kind in enumerate(kinds)]  # fmt: skip
    shallow = tuple(replace(f, pixels=f.pixels & 15) for f in frames)
    about = Animation(rows=6, columns=8, loops=0, background=b"\1\0", palette=shared)
    return Picture(frames=shallow, format="GIF", animation=about)


def _layers() -> Picture:
    """Return an animation that PNG can hold, of which the last frame is smaller."""
    shown = FrameControl(duration=Fraction(1, 4), blend=1)
    frames = (
        frame("layer 0", (6, 7), showing=shown),
        frame("layer 1", (3, 4), row=2, column=3, showing=shown),
    )
    return Picture(frames=frames, format="PNG", animation=Animation(rows=6, columns=7, loops=3))


def _sealed() -> Picture:
    said = Metadata(
        exif=b"II*\0",
        icc=bytes(3),
        xmp=b"",
        resolution=_INCH,
        texts=(("Title", 'Gr\u00f6\u00dfe "3\\4"\n\t\x7f'), ("", "\U0001f9e9\udfff/")),
        native=(("PNG gAMA", b"\n\0\xff"), ("", b"")),
    )
    return Picture(frames=(frame("sealed", (7, 6, 3), metadata=said),), format="PNG")


def _said(metadata: Metadata, *readable: str, second: bool = False) -> PictureRecord:
    """Return a picture with metadata, of its second frame if there is one, and readable copies."""
    frames = [frame(f"said {n}", (6, 7)) for n in range(1 + second)]
    frames[-1] = replace(frames[-1], metadata=metadata)
    picture = Picture(frames=tuple(frames), format="TIFF")
    return PictureRecord(picture=picture, cleartext=readable)


def _padded(more: int) -> Picture:
    """Return a picture whose extras, before the padding, have this length beyond 256."""
    bare = len(b'{"format":"TIFF","frames":[{"shape":[6,7],"dtype":"uint8","mode":"gray",'
               b'"metadata":{"exif":100}}]}\n')  # fmt: skip
    said = Metadata(exif=bytes(range(256 - bare + more)))
    return _one("padded", (6, 7), metadata=said)


def file_picture(data: bytes, **about: Any) -> PictureRecord:
    """Return the picture of a file."""
    file = EmbeddedFile(**{"name": "notes.txt", **about}, size=len(data))
    pixels = Frame(pixels=embed(data, file), mode="gray")
    return PictureRecord(picture=Picture(frames=(pixels,), format="PNG"), file=file)


_FILES = {
    f"file of {size}": file_picture(plain_bytes("file", size), **about)
    for size, about in (
        (0, {}), (1, {"time": -1}), (2, {"type": "text/plain"}),
        (3, {"name": "\U0001f9e9", "type": "image/svg+xml", "time": 1700000000000000000}),
        (4, {"time": 0}), (12, {"name": "...", "time": -(2**63)}),
        (13, {"name": "a b~", "type": "application/vnd.a-b.c+d", "time": 2**63 - 1}), (300, {}),
    )
}  # fmt: skip

_STILLS: dict[str, Picture] = {
    "sealed": _sealed(),
    "two bits": _one("two bits", (6, 8), bits=2),
    "four bits": _one("four bits", (6, 8, 3), bits=4),
    "cmyk": _one("cmyk", (6, 7, 4), "uint16", mode="cmyk"),
    "palette": _one("palette", (6, 7), mode="palette", palette=Palette(colors=_COLORS, wide=True)),
    "alphas": _one("alphas", (6, 7), mode="palette",
                   palette=Palette(colors=b"\1\2\3\4\5\6", alphas=b"\0\xff")),
    "wide alphas": _one("wide alphas", (6, 7), mode="palette",
                        palette=Palette(colors=bytes(range(12)), alphas=b"\0\x7f", wide=True)),
    "no colors": _one("no colors", (6, 7), mode="palette"),
    "transparent": _one("transparent", (6, 7, 3), transparent=(1, 2, 255)),
    "third side": _one("third side", (6, 7, 1), transparent=(9,)),
    "placed": _one("placed", (6, 7), row=0, column=4),
    "shown": _one("shown", (6, 7), showing=FrameControl(duration=Fraction(10**20 - 1, 10**20 - 3))),
    "no canvas": replace(_one("no canvas", (3, 4)), animation=Animation(rows=0, columns=9)),
    "padding of none": _padded(0),
    "padding of 1": _padded(-1),
    "padding of 255": _padded(1),
    "plain": _one("plain", (6, 7, 3)),
    "plain bool": _one("plain bool", (6, 7), "bool"),
    "plain row": _one("plain row", (1, 42), "uint16"),
}  # fmt: skip

_SEVERAL: dict[str, Picture] = {
    "pages": _pages(), "small pages": _small_pages(), "equal": _equal(3),
    "twelve": _equal(12, (5, 7)), "shallow": _shallow(), "animation": _animation(),
    "larger canvas": _canvas(9, 13), "smaller canvas": _canvas(5, 8),
    "canvas around a place": _canvas(8, 9, row=2, column=3),
    "moving": _moving(), "layers": _layers(),
}  # fmt: skip

_DESCRIBED: dict[str, PictureRecord] = {
    "readable exif": _said(_FULL, "exif"),
    "readable icc and xmp": _said(_FULL, "icc", "xmp"),
    "readable all": _said(_FULL, "exif", "icc", "resolution", "xmp"),
    "readable of a later frame": _said(Metadata(xmp=b"<y/>"), "xmp", second=True),
    "readable of no bytes": _said(Metadata(exif=b""), "exif"),
    **_FILES,
    "preview": PictureRecord(picture=_one("preview", (6, 7)), preview=PREVIEW),
    "preview of an animation": PictureRecord(picture=_animation(), preview=PREVIEW),
    "preview beside readable icc": replace(_said(_FULL, "icc"), preview=PREVIEW),
    "preview of a file of 0": replace(_FILES["file of 0"], preview=PREVIEW),
    "preview of a file of 13": replace(_FILES["file of 13"], preview=PREVIEW),
}

PICTURES: dict[str, PictureRecord] = {
    **{name: PictureRecord(picture=picture) for name, picture in {**_SEVERAL, **_STILLS}.items()},
    **_DESCRIBED,
}
"""Pictures by names."""
