"""The reference and the package restore the real files that the other protected."""

import io
from dataclasses import replace
from typing import Any

import pytest

from sudokucrypt import (
    InvalidParameterError,
    decrypt_file,
    encrypt_file,
    images,
    scramble_file,
    unscramble_file,
)
from tests.cli.gallery import GALLERY
from tests.images.builders import gif, gif_image, meaning, noise
from tests.kit.reference import description, pictures
from tests.kit.reference.header import ENCRYPT, KEYED
from tests.kit.replay_parts import draft_of
from tests.recipes.memory import result_of
from tests.vectors.bridge import data_of, frame_of, stored_pixels
from tests.vectors.common import KEY, SECRET


def extras_of(picture: images.Picture) -> bytes | None:
    """The extras of a picture of which nothing stands readably in the file."""
    return images.describe(images.PictureRecord(picture=picture))


def some_slow(names: list[str]) -> list[Any]:
    """Leave three in four to the whole check."""
    slow = pytest.mark.slow
    return [pytest.param(n, marks=[slow] if index % 4 else []) for index, n in enumerate(names)]


@pytest.mark.parametrize("name", some_slow(list(GALLERY)[::2]))
def test_files(name: str) -> None:
    """Real files that the package encrypts and scrambles, sealed or not, are restored."""
    before = images.decode_picture(GALLERY[name])
    plain = data_of([frame.pixels for frame in before.frames])
    region = [(1, 2, 5, 7)]
    for scheme, options in (
        (encrypt_file, {"metadata": "keep"}),
        (encrypt_file, {"metadata": "strip", "regions": region}),
        (scramble_file, {"metadata": "seal", "unit": "sample"}),
    ):
        at_hand = images.decode_picture(result_of(scheme, GALLERY[name], KEY, **options))
        assert at_hand.header is not None
        back, meaning = pictures.restore_picture(
            [frame_of(frame.pixels) for frame in at_hand.frames], at_hand.header, key=SECRET
        )
        assert [frame.data for frame in back] == plain
        described = {} if meaning is None else {**meaning}
        described.pop("readable", None)  # `keep` adds this and nothing else
        bare = [images.Metadata()] * len(before.frames)
        expected = before.with_metadata(bare) if options["metadata"] == "strip" else before
        assert (description.write(described) if described else None) == extras_of(expected)


@pytest.mark.parametrize("name", some_slow(list(GALLERY)[1::3]))
def test_files_of_the_reference(name: str) -> None:
    """What the reference makes of a real file is restored by the package, with its metadata."""
    before = images.decode_picture(GALLERY[name])
    frames = [frame_of(frame.pixels) for frame in before.frames]
    for restore, scheme in ((decrypt_file, ENCRYPT), (unscramble_file, KEYED)):
        draft = draft_of(frames[0], scheme=scheme, rounds=2, extras=extras_of(before))
        result, written = pictures.protect_picture(frames, draft, key=SECRET)
        bare = before.samples_only().with_metadata([images.Metadata()] * len(frames))
        at_hand = replace(bare.with_pixels(list(map(stored_pixels, result))), header=written)
        data = images.encode_picture(at_hand, images.default_format(at_hand))
        back = images.decode_picture(
            result_of(restore, data, KEY, format=images.default_format(before))
        )
        assert data_of([frame.pixels for frame in back.frames]) == data_of(
            [frame.pixels for frame in before.frames]
        )


@pytest.mark.parametrize("sides", [(0, 0), (0, 9), (9, 0)])
def test_a_canvas_without_pixels(sides: tuple[int, int]) -> None:
    """A GIF whose screen has no pixels comes back as it was, and has no regions."""
    image = gif_image(noise(3, 5, 1) % 2, bits=2, palette=bytes(6))
    data = gif(image, rows=sides[0], columns=sides[1])
    for protect, restore in ((encrypt_file, decrypt_file), (scramble_file, unscramble_file)):
        back = result_of(restore, result_of(protect, data, KEY), KEY)
        before, after = images.decode_picture(data), images.decode_picture(back)
        assert (meaning(after), after.animation) == (meaning(before), before.animation)
        with pytest.raises(InvalidParameterError):
            protect(io.BytesIO(data), io.BytesIO(), KEY, regions=[(0, 0, 1, 1)])
