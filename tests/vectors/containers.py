"""The generator of the vectors for whole files: what the package writes, and what others make."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from sudokucrypt.header import Header, sidecar_bytes
from sudokucrypt.images import (
    Animation,
    FrameControl,
    Palette,
    Picture,
    PictureRecord,
    encode_picture,
)
from sudokucrypt.images.webp.file import packet
from sudokucrypt.recipes.pictures import canvas_of, planned
from sudokucrypt.recipes.selection import Selection
from tests.vectors.built_files import webp
from tests.vectors.cases_containers import containers as foreign
from tests.vectors.common import KEY, Case, little, protection
from tests.vectors.gallery import PICTURES, frame

_CONTEXT = "caf\u00e9"
_WAYS = {
    "encrypted": protection(),
    "scrambled": protection("scramble-v1"),
    "under a context": protection(context=_CONTEXT),
}

# What is done, to which picture of the gallery, in which format.
_WRITTEN: list[tuple[str, str, str, dict[str, Any]]] = [
    ("encrypted", "plain", "PNG", {}), ("scrambled", "plain", "PNG", {}),
    ("under a context", "plain", "PNG", {}), ("encrypted", "two bits", "PNG", {}),
    ("scrambled", "alphas", "PNG", {}), ("encrypted", "sealed", "PNG", {}),
    ("encrypted", "plain", "PNG", {"regions": [(0, 0, 3, 3)]}), ("encrypted", "layers", "PNG", {}),
    ("encrypted", "file of 13", "PNG", {}), ("encrypted", "pages", "TIFF", {}),
    ("scrambled", "cmyk", "TIFF", {}), ("scrambled", "readable all", "TIFF", {"metadata": "keep"}),
    ("encrypted", "moving", "GIF", {}), ("scrambled", "moving", "GIF", {}),
    ("under a context", "moving", "GIF", {"regions": [(1, 1, 5, 6)]}),
    ("scrambled", "preview", "PNG", {}), ("encrypted", "preview of a file of 13", "PNG", {}),
]  # fmt: skip

# The samples of the first of them, as libwebp codes them without loss: another release of it may
# choose other bytes.
_CODED_FOR_WEBP = (
    "2f064001004fe1360000b289b3e6008fbe836760e40576ed1ee0c93ea279a87f306c1b49716e79f7981e9906"
    "0098247189432653ed012207f0895692479234774b2e698d0fe081f98fa38bc17fa102e315163c77303495e4"
    "da5e36827b362b6610a199c2a3641d31a72b060674f2bb796f432f52056ef9fcf892b3e22b210528a1b2fae4"
    "13d1f01f8f2e664383b40d778d47043210022603274a580813b91437dec2695c1cc03000c0a2c1d946b68be8"
    "7ff8eedbee7e01a4a0c0ae7990ef14cf56e3948dfdc7e7a05cc07dadca35"
)


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


_OWN = {"layers": PictureRecord(picture=_layers()), "moving": PictureRecord(picture=_moving())}


def _written() -> list[Case]:
    return [_case(*how[:3], **how[3]) for how in _WRITTEN]


def _protected(
    said: PictureRecord, done: str, file_format: str, **options: Any
) -> tuple[Picture, bytes | None]:
    """Return a protected picture as its file will hold it, and its description."""
    how = _WAYS[done]
    regions = options.pop("regions", None)
    selection = Selection.chosen(canvas_of(said.picture, None), regions, None)
    plan = planned(said, how.scheme, format=file_format, selection=selection, **options)
    made = how.protect(
        plan.parts, KEY, selection=plan.selection, encrypted_metadata=plan.encrypted_metadata
    )
    return plan.carrying(*made), plan.encrypted_metadata


def _case(done: str, name: str, file_format: str, **options: Any) -> Case:
    said = {**PICTURES, **_OWN}[name]
    made, extras = _protected(said, done, file_format, **options)
    data = encode_picture(made, file_format, compress=0)
    title = f"written: {file_format}, {name}, {done}"
    title += "".join(f", {option}" for option in options)
    context = _CONTEXT if done == "under a context" else None
    return _read(title, data, made.header or b"", said, extras) | {"context": context}


def _read(
    name: str, data: bytes, header: bytes, said: PictureRecord, extras: bytes | None, **files: str
) -> Case:
    """Return a case with what is restored of it."""
    case: Case = {"name": name, "picture": data.hex(), "named": None, "beside": None}
    case |= {"header": header.decode("ascii"), "refused": False, **files}
    case["context"] = None
    case["plain"] = [little(frame.pixels).hex() for frame in said.picture.frames]
    return case | {"extras": None if extras is None else extras.hex()}


def containers() -> list[Case]:
    """Whole files with the header that counts, if there is one, and what some are restored to."""
    nothing: Case = {"context": None, "plain": None, "extras": None}
    said = PICTURES["plain"]
    made, extras = _protected(said, "encrypted", "PNG")
    header = made.header or b""
    bare = encode_picture(replace(made, header=None), "PNG", compress=0)
    sidecar = sidecar_bytes(Header.from_bytes(header)).hex()
    cases = _written()
    for place in ("named", "beside"):
        name = f"written: PNG with its sidecar {place}"
        cases.append(_read(name, bare, header, said, extras, **{place: sidecar}))
    chunks = (
        (b"VP8X", b"\4" + bytes(3) + b"\6\0\0\5\0\0"),
        (b"VP8L", bytes.fromhex(_CODED_FOR_WEBP)),
        (b"XMP ", packet(header)),
    )
    cases.append(_read("written: WebP, plain, encrypted", webp(*chunks), header, said, extras))
    return cases + [case | nothing for case in foreign()]
