"""Descriptions: `described` undoes `describe`, and reads nothing else."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import DecryptionError, FormatError, UnsupportedError, images
from sudokucrypt.images.picture import Mode
from tests.cli.gallery import GALLERY
from tests.images.builders import meaning, noise

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
sides = st.integers(0, 2**31 - 1)
fractions = st.builds(Fraction, st.integers(0, 10**20 - 1), st.integers(1, 10**20 - 1))
blobs = st.binary(max_size=9)
# Lone halves of pairs occur in texts; two of them that make a pair would be read as one character.
texts = st.text('aé€😀\n\0"\\\x7f\ud83d\ude00', max_size=9).filter(
    lambda text: text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
palettes = st.builds(
    lambda count, wide, alphas: images.Palette(
        colors=bytes(range(count * (6 if wide else 3))), wide=wide, alphas=alphas[:count]
    ),
    st.integers(0, 5),
    st.booleans(),
    blobs,
)
metadata = st.builds(
    images.Metadata,
    exif=st.none() | blobs,
    icc=st.none() | blobs,
    xmp=st.none() | blobs,
    resolution=st.none()
    | st.builds(
        images.Resolution,
        columns=fractions,
        rows=fractions,
        unit=st.sampled_from(["inch", "meter", None]),
    ),
    texts=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    native=st.lists(st.tuples(texts, blobs), max_size=2).map(tuple),
)


@st.composite
def frames(draw: st.DrawFn) -> images.Frame:
    """Frames of every mode."""
    mode = draw(st.sampled_from(sorted(_CHANNELS)))
    dtype = draw(st.sampled_from(["uint8", "uint8", "uint16", "bool", "int64", "float32"]))
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    shape = (rows, columns, _CHANNELS[mode])[: 2 if _CHANNELS[mode] == 1 else 3]
    transparent = st.none() | st.lists(numbers, min_size=1, max_size=4).map(tuple)
    return images.Frame(
        pixels=np.zeros(shape, dtype=dtype),
        mode=mode,
        bits=draw(st.sampled_from([None, 2, 4])) if dtype == "uint8" else None,
        palette=draw(st.none() | palettes),
        transparent=draw(transparent),
        row=draw(st.just(0) | sides),
        column=draw(st.just(0) | sides),
        showing=draw(
            st.none()
            | st.builds(images.Showing, duration=fractions, disposal=numbers, blend=numbers)
        ),
        metadata=draw(st.just(images.Metadata()) | metadata),
    )


pictures = st.builds(
    images.Picture,
    frames=st.lists(frames(), min_size=1, max_size=3).map(tuple),
    format=texts,
    animation=st.none()
    | st.builds(
        images.Animation,
        rows=sides,
        columns=sides,
        loops=st.none() | numbers,
        background=st.none() | blobs,
        palette=st.none() | palettes,
    ),
)


def bare(picture: images.Picture) -> list[images.Frame]:
    """The samples of a picture, as a file holds them that says something else of each of them."""
    return [
        images.Frame(
            pixels=frame.pixels, mode="gray", row=7, metadata=images.Metadata(exif=b"false")
        )
        for frame in picture.frames
    ]


def extras_of(picture: images.Picture, *readable: str) -> bytes:
    """The description of a picture that is more than its samples."""
    extras = images.describe(images.Described(picture=picture, readable=readable))
    assert extras is not None
    return extras


def same(first: images.Picture, second: images.Picture) -> bool:
    """Whether two pictures mean the same."""
    return meaning(first) == meaning(second) and first.animation == second.animation


def readable_in(picture: images.Picture) -> list[str]:
    """The metadata that some frame has and that may stand readably."""
    held = [frame.metadata for frame in picture.frames]
    return [n for n in images.READABLE_FIELDS if any(getattr(m, n) is not None for m in held)]


@settings(max_examples=12)
@given(pictures, st.data())
def test_described_undoes_describe(picture: images.Picture, data: st.DataObject) -> None:
    """described(samples, describe(x)) == x, with the list of what is readable, padded to 256."""
    held = readable_in(picture)
    readable = tuple(name for name in held if data.draw(st.booleans()))
    said = images.Described(picture=picture, readable=readable)
    extras = images.describe(said)
    if extras is None:
        return
    again = images.described(bare(picture), extras)
    assert same(again.picture, picture)
    assert (again.picture.format, again.readable, again.file) == (picture.format, readable, None)
    assert images.describe(again) == extras
    assert len(extras) % 256 == 0


def test_files() -> None:
    """The pictures of real files are described and come back, and their format is remembered."""
    for name in list(GALLERY)[::2]:
        picture = images.decode_picture(GALLERY[name])
        extras = images.describe(images.Described(picture=picture))
        if extras is None:
            assert not any(frame.metadata for frame in picture.frames), name
            continue
        again = images.described(bare(picture), extras).picture
        assert same(again, picture), name
        assert again.format == picture.format, name


def test_what_speaks_for_itself_has_no_description() -> None:
    """Plain arrays are described by nothing, and everything that is more by something."""
    for channels in (1, 2, 3, 4):
        assert (
            images.describe(images.Described(picture=images.Picture.plain(noise(3, 4, channels))))
            is None
        )
    plain = images.Picture.plain(_GRAY)
    for change in (
        {"bits": 4},
        {"palette": images.Palette(colors=b"")},
        {"transparent": (0,)},
        {"column": 1},
        {"mode": "palette"},
        {"showing": images.Showing(duration=Fraction(0))},
        {"metadata": images.Metadata(exif=b"")},
    ):
        assert extras_of(replace(plain, frames=(replace(plain.frames[0], **change),)))
    assert extras_of(replace(plain, animation=images.Animation(rows=3, columns=4)))
    assert extras_of(replace(plain, frames=plain.frames * 2))


def test_the_line_is_the_documented_one() -> None:
    """Line, blobs and padding are those that the specification prescribes."""
    frame = images.Frame(
        pixels=_GRAY,
        mode="palette",
        bits=4,
        palette=images.Palette(colors=b"abcdef", alphas=b"\7"),
        metadata=images.Metadata(
            icc=b"profile", texts=(("Titel", "\u00e4\x7f/"),), native=(("x", b"y"),)
        ),
    )
    shared = images.Palette(colors=b"", wide=True)
    about = images.Animation(rows=3, columns=4, background=b"BG", palette=shared)
    picture = images.Picture(frames=(frame,), format="GIF", animation=about)
    extras = (
        b'{"format":"GIF","readable":["icc"],'
        b'"palettes":[{"colors":0,"wide":true},{"colors":6,"alphas":1}],'
        b'"animation":{"rows":3,"columns":4,"background":2,"palette":0},'
        b'"frames":[{"shape":[3,4],"dtype":"uint8","mode":"palette","bits":4,"palette":1,'
        b'"metadata":{"icc":7,"texts":[["Titel","\\u00e4\\u007f/"]],"native":[["x",1]]}}]}\n'
        b"abcdef\7BGprofiley"
    )
    assert extras_of(picture, "icc") == extras.ljust(512, b"\0")


@pytest.mark.parametrize("change", [-256, -255, -1, 1, 255, 257])
def test_padding_of_another_length_is_refused(change: int) -> None:
    """The length is a multiple of 256; more padding than needed is read, and only zeros are."""
    picture = replace(images.Picture.plain(_GRAY), animation=images.Animation(rows=3, columns=4))
    extras, held = extras_of(picture), bare(picture)
    for more in (0, 256, 256 * 50):
        assert same(images.described(held, extras + bytes(more)).picture, picture)
    wrong = extras[:change] if change < 0 else extras + bytes(change)
    for data in (wrong, extras[:-1] + b"x", extras + bytes(255) + b"\1", extras + b"\n" * 256):
        with pytest.raises(FormatError):
            images.described(held, data)


@pytest.mark.parametrize(
    "names",
    [["icc"], ["exif", "exif"], ["xmp", "exif"], ["texts"], ["native"], ["exif", "icc"], "exif",
     [[]], [None], {"exif": 1}, []],
)  # fmt: skip
def test_only_what_is_sealed_is_readable(names: Any) -> None:
    """`readable` names metadata that some frame has, each once and in order, or is absent."""
    picture = images.Picture.plain(_GRAY).with_metadata(
        [images.Metadata(exif=b"e", xmp=b"x", texts=(("a", "b"),))]
    )
    good = extras_of(picture, "exif", "xmp")
    assert images.described(bare(picture), good).readable == ("exif", "xmp")
    listed = json.dumps(names, separators=(",", ":")).encode()
    line, _, blobs = good.partition(b"\n")
    changed = line.replace(b'["exif","xmp"]', listed) + b"\n" + blobs.rstrip(b"\0")
    with pytest.raises(FormatError):
        images.described(bare(picture), changed.ljust(-len(changed) % 256 + len(changed), b"\0"))


@settings(max_examples=12)
@given(pictures, st.data())
def test_a_changed_byte_is_refused_or_another_meaning(
    picture: images.Picture, data: st.DataObject
) -> None:
    """No changed byte is ignored: it gives an error or a picture with exactly that description."""
    extras = images.describe(images.Described(picture=picture))
    if extras is None:
        return
    changed = bytearray(extras)
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        again = images.described(bare(picture), bytes(changed))
    except (FormatError, DecryptionError):
        return
    assert (images.describe(again) or b"").ljust(len(changed), b"\0") == bytes(changed)


@given(st.binary(max_size=99) | st.binary(max_size=99).map(lambda data: data + b"\n"))
def test_other_bytes_are_refused(data: bytes) -> None:
    """Random bytes are a FormatError, never another exception, whatever their length."""
    for extras in (data, data.ljust(256, b"\0")):
        with pytest.raises(FormatError):
            images.described(images.Picture.plain(_GRAY).frames, extras)


def test_other_frames_are_refused() -> None:
    """Another number, shape or type of frames than described is a DecryptionError."""
    extras = extras_of(
        replace(images.Picture.plain(_GRAY), frames=images.Picture.plain(_GRAY).frames * 2)
    )
    for arrays in (
        [_GRAY],
        [_GRAY] * 3,
        [_GRAY, _GRAY.T.copy()],
        [_GRAY, _GRAY.view("int8")],
        [_GRAY, noise(3, 4, 3)],
    ):
        frames = [images.Picture.plain(pixels).frames[0] for pixels in arrays]
        with pytest.raises(DecryptionError):
            images.described(frames, extras)


def test_limits() -> None:
    """A line of over 4 MiB is not written, nor read."""

    def told(text: str) -> images.Picture:
        return images.Picture.plain(_GRAY).with_metadata([images.Metadata(texts=(("", text),))])

    room = 4 * 2**20 - len(extras_of(told("")).rstrip(b"\0").rstrip(b"\n"))
    longest = told("x" * room)
    assert same(images.described(bare(longest), extras_of(longest)).picture, longest)
    with pytest.raises(UnsupportedError, match="more than a header"):
        extras_of(told("x" * (room + 1)))
    line = extras_of(longest).rstrip(b"\0").replace(b"x", b"xx", 1)
    with pytest.raises(FormatError):
        images.described(bare(longest), line + bytes(-len(line) % 256))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"format":' * 50_000, "9" * 10**6])
def test_hostile_lines(text: str) -> None:
    """Deep brackets and endless numbers are refused like any other nonsense."""
    for line in (text, f'{{"format":"","frames":{text}}}'):
        data = line.encode() + b"\n"
        with pytest.raises(FormatError):
            images.described(images.Picture.plain(_GRAY).frames, data + bytes(-len(data) % 256))
