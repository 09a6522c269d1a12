"""Descriptions: `dress` undoes `describe`, and reads nothing else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import DecryptionError, FormatError, UnsupportedError
from sudokucrypt.images import (
    Animation,
    Frame,
    Metadata,
    Palette,
    Picture,
    Resolution,
    Showing,
    decode_picture,
    describe,
    dress,
)
from tests.cli.gallery import GALLERY
from tests.images.builders import meaning, noise

if TYPE_CHECKING:
    from sudokucrypt.images.picture import Mode

_CHANNELS: dict[Mode, int] = {
    "gray": 1,
    "gray-alpha": 2,
    "rgb": 3,
    "rgba": 4,
    "palette": 1,
    "cmyk": 4,
}
_GRAY = noise(3, 4, 1)

numbers = st.integers(0, 2**32 - 1)
fractions = st.builds(Fraction, st.integers(0, 10**20 - 1), st.integers(1, 10**20 - 1))
blobs = st.binary(max_size=9)
# Lone halves of pairs occur in texts; two of them that make a pair would be read as one character.
texts = st.text(st.characters(exclude_categories=()), max_size=9).filter(
    lambda text: text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
palettes = st.builds(
    lambda count, wide, alphas: Palette(
        colors=bytes(range(count * (6 if wide else 3))), wide=wide, alphas=alphas
    ),
    st.integers(0, 5),
    st.booleans(),
    blobs,
)
metadata = st.builds(
    Metadata,
    exif=st.none() | blobs,
    icc=st.none() | blobs,
    xmp=st.none() | blobs,
    resolution=st.none()
    | st.builds(
        Resolution,
        columns=fractions,
        rows=fractions,
        unit=st.sampled_from(["inch", "meter", None]),
    ),
    texts=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    native=st.lists(st.tuples(texts, blobs), max_size=2).map(tuple),
)


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    """Frames of every mode."""
    mode = draw(st.sampled_from(sorted(_CHANNELS)))
    dtype = draw(st.sampled_from(["uint8", "uint8", "uint16", "bool", "int64", "float32"]))
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    shape = (rows, columns, _CHANNELS[mode])[: 2 if _CHANNELS[mode] == 1 else 3]
    transparent = st.none() | st.lists(numbers, min_size=1, max_size=4).map(tuple)
    return Frame(
        pixels=np.zeros(shape, dtype=dtype),
        mode=mode,
        bits=draw(st.sampled_from([None, 2, 4])) if dtype == "uint8" else None,
        palette=draw(st.none() | palettes),
        transparent=draw(transparent),
        row=draw(st.just(0) | numbers),
        column=draw(st.just(0) | numbers),
        showing=draw(
            st.none() | st.builds(Showing, duration=fractions, disposal=numbers, blend=numbers)
        ),
        metadata=draw(st.just(Metadata()) | metadata),
    )


pictures = st.builds(
    Picture,
    frames=st.lists(frames(), min_size=1, max_size=3).map(tuple),
    format=texts,
    animation=st.none()
    | st.builds(
        Animation,
        rows=numbers,
        columns=numbers,
        loops=st.none() | numbers,
        background=st.none() | blobs,
        palette=st.none() | palettes,
    ),
)


def silent(picture: Picture, **changes: Any) -> Picture:
    """The bare frames as another file holds them, without a word of their meaning."""
    frames = tuple(Frame(pixels=frame.pixels, mode=frame.bare().mode) for frame in picture.frames)
    return Picture(frames=frames, format="PNG", **changes)


def same(first: Picture, second: Picture) -> bool:
    """Whether two pictures mean the same."""
    return meaning(first) == meaning(second) and first.animation == second.animation


@given(pictures)
def test_dress_undoes_describe(picture: Picture) -> None:
    """dress(bare frames, describe(x)) == x, with the header of the file and what it leaves out."""
    stored = silent(picture, header=b"ours", left_out=("previews",))
    again = dress(stored, describe(picture))
    assert same(again, picture)
    assert (again.header, again.left_out) == (b"ours", ("previews",))
    assert describe(again) == describe(picture)


@pytest.mark.parametrize("name", list(GALLERY)[::2])
def test_files(name: str) -> None:
    """The pictures of real files are dressed again, and their format is remembered."""
    picture = decode_picture(GALLERY[name])
    description = describe(picture)
    again = dress(silent(picture), description)
    assert same(again, picture)
    assert description is None or again.format == picture.format


def test_what_speaks_for_itself_has_no_description() -> None:
    """Plain arrays are described by nothing, and everything that is more by something."""
    for channels in (1, 2, 3, 4):
        assert describe(Picture.plain(noise(3, 4, channels))) is None
    plain = Picture.plain(_GRAY)
    for change in (
        {"bits": 4},
        {"palette": Palette(colors=b"")},
        {"transparent": (0,)},
        {"column": 1},
        {"mode": "palette"},
        {"showing": Showing(duration=Fraction(0))},
        {"metadata": Metadata(exif=b"")},
    ):
        frame = replace(plain.frames[0], **change)
        assert describe(replace(plain, frames=(frame,))) is not None
    assert describe(replace(plain, animation=Animation(rows=3, columns=4))) is not None
    assert describe(replace(plain, frames=plain.frames * 2)) is not None


def test_the_line_is_the_documented_one() -> None:
    """The line and the blobs are those that the specification prescribes."""
    frame = Frame(
        pixels=_GRAY,
        mode="palette",
        bits=4,
        palette=Palette(colors=b"abcdef", alphas=b"\7"),
        metadata=Metadata(icc=b"profile", texts=(("Titel", "\u00e4\x7f/"),), native=(("x", b"y"),)),
    )
    shared = Palette(colors=b"", wide=True)
    about = Animation(rows=3, columns=4, background=b"BG", palette=shared)
    picture = Picture(frames=(frame,), format="GIF", animation=about)
    assert describe(picture) == (
        b'{"format":"GIF","palettes":[{"colors":0,"wide":true},{"colors":6,"alphas":1}],'
        b'"animation":{"rows":3,"columns":4,"background":2,"palette":0},'
        b'"frames":[{"shape":[3,4],"dtype":"uint8","mode":"palette","bits":4,"palette":1,'
        b'"metadata":{"icc":7,"texts":[["Titel","\\u00e4\\u007f/"]],"native":[["x",1]]}}]}\n'
        b"abcdef\7BGprofiley"
    )


def test_metadata_of_the_file_are_kept() -> None:
    """What the stored file says joins what the description says, frame by frame."""
    picture = replace(
        Picture.plain(_GRAY),
        frames=tuple(Frame(pixels=_GRAY, mode="gray", metadata=Metadata(icc=b"i")) for _ in "ab"),
    )
    said = [Metadata(exif=b"e"), Metadata(icc=b"other")]
    again = dress(silent(picture).with_metadata(said), describe(picture))
    kept = [frame.metadata for frame in again.frames]
    assert kept == [Metadata(exif=b"e", icc=b"i"), Metadata(icc=b"i")]


def test_without_a_description_a_frame_is_bare() -> None:
    """What a file says of samples that need no description is not believed; pages need one."""
    frame = Frame(pixels=_GRAY, mode="palette", bits=4, palette=Palette(colors=b"abc"), row=3)
    stored = Picture(frames=(frame,), format="GIF", animation=Animation(rows=9, columns=9))
    again = dress(stored, None)
    assert same(again, Picture.plain(_GRAY))
    with pytest.raises(DecryptionError):
        dress(replace(stored, frames=(frame, frame)), None)


@given(pictures, st.data())
def test_a_changed_byte_is_refused_or_another_meaning(
    picture: Picture, data: st.DataObject
) -> None:
    """No changed byte is ignored: it gives an error or a picture with exactly that description."""
    description = describe(picture)
    if description is None:
        return
    changed = bytearray(description)
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        again = dress(silent(picture), bytes(changed))
    except (FormatError, DecryptionError):
        return
    assert describe(again) == bytes(changed)


@given(st.binary(max_size=99) | st.binary(max_size=99).map(lambda data: data + b"\n"))
def test_other_bytes_are_refused(data: bytes) -> None:
    """Random bytes are a FormatError, never another exception."""
    with pytest.raises(FormatError):
        dress(Picture.plain(_GRAY), data)


def test_other_frames_are_refused() -> None:
    """Another number, shape or type of frames than described is a DecryptionError."""
    described = describe(replace(Picture.plain(_GRAY), frames=Picture.plain(_GRAY).frames * 2))
    for arrays in (
        [_GRAY],
        [_GRAY] * 3,
        [_GRAY, _GRAY.T.copy()],
        [_GRAY, _GRAY.view("int8")],
        [_GRAY, noise(3, 4, 3)],
    ):
        frames = tuple(Picture.plain(pixels).frames[0] for pixels in arrays)
        with pytest.raises(DecryptionError):
            dress(Picture(frames=frames, format="TIFF"), described)


def test_limits() -> None:
    """A line of over 4 MiB is not written, nor read."""

    def told(text: str) -> Picture:
        return Picture.plain(_GRAY).with_metadata([Metadata(texts=(("", text),))])

    room = 4 * 2**20 - len((describe(told("")) or b"").rstrip(b"\n"))
    longest = told("x" * room)
    assert same(dress(silent(longest), describe(longest)), longest)
    with pytest.raises(UnsupportedError, match="more than a header"):
        describe(told("x" * (room + 1)))
    line = (describe(longest) or b"").replace(b"x", b"xx", 1)
    with pytest.raises(FormatError):
        dress(silent(longest), line)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"format":' * 50_000, "9" * 10**6])
def test_hostile_lines(text: str) -> None:
    """Deep brackets and endless numbers are refused like any other nonsense."""
    for line in (text, f'{{"format":"","frames":{text}}}'):
        with pytest.raises(FormatError):
            dress(Picture.plain(_GRAY), line.encode() + b"\n")
