"""Protected pictures are restored after other programs saved them, and robust pictures."""

import io
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Identity,
    InvalidImageError,
    InvalidKeyError,
    InvalidParameterError,
    Key,
    OutputExistsError,
    Passphrase,
    UnsupportedError,
    decrypt_file,
    encrypt_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import Picture, encode_picture, extract_header, read_picture
from sudokucrypt.keys import MasterKey
from sudokucrypt.recipes import (
    scramble_robust,
    scramble_robust_file,
    unscramble_robust,
    unscramble_robust_file,
)
from sudokucrypt.recipes.robust import _does_carrier_fit
from sudokucrypt.robust import PROFILES, profile_numbered
from sudokucrypt.typing import AnyArray
from tests import programs
from tests.benchmarks.pictures import Subject
from tests.benchmarks.robust import measure_psnr
from tests.images.builders import save_image

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(range(1, 33)))


def _make_photo(channels: int, dtype: str, side: int = 60) -> AnyArray:
    """Return an image of waves, which optimizers of PNG treat like a photograph."""
    rows, columns = np.mgrid[:side, : side + 7]
    waves = [np.sin(rows / (7 + c)) + np.cos(columns / (5 + 2 * c)) for c in range(channels)]
    pixels = (np.dstack(waves) + 2) / 4 * np.iinfo(dtype).max
    return pixels.astype(dtype)[..., 0] if channels == 1 else pixels.astype(dtype)


def _resave(source: Path, target: Path, **options: Any) -> None:
    with Image.open(source) as image:
        image.load()
        image.info.clear()
        image.save(target, **options)


def _convert_through(suffix: str, **options: Any) -> Callable[[Path, Path], None]:
    def change(source: Path, target: Path) -> None:
        intermediate = target.with_suffix(suffix)
        _resave(source, intermediate, **options)
        _resave(intermediate, target)

    return change


def _run_program(name: str, *arguments: str) -> Callable[[Path, Path], None]:
    def change(source: Path, target: Path) -> None:
        names = {"IN": str(source), "OUT": str(target)}
        command = [str(programs.find_program(name)), *(names.get(each, each) for each in arguments)]
        subprocess.run(command, check=True, capture_output=True)

    return change


FUNCTION_PAIRS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "pixels": (partial(encrypt_file, as_file=False), decrypt_file),
    "file": (partial(encrypt_file, as_file=True), decrypt_file),
    "scrambled": (scramble_file, unscramble_file),
}
PILLOW_CHANGES = {
    "Pillow": _resave,
    "WebP": _convert_through(".webp", lossless=True, exact=True),
    "TIFF": _convert_through(".tiff"),
    "BMP": _convert_through(".bmp"),
}
PROGRAMS = [
    ("zopflipng", "--iterations=1", "IN", "OUT"),
    ("pngcrush", "-rem", "alla", "-reduce", "IN", "OUT"),
    ("optipng", "-o1", "-strip", "all", "IN", "-out", "OUT"),
    ("oxipng", "--strip", "all", "IN", "--out", "OUT"),
    ("exiftool", "-all=", "IN", "-o", "OUT"),
    ("imagemagick", "IN", "-strip", "OUT"),
]
SAMPLE_KINDS = [(count, dtype) for count in (1, 2, 3, 4) for dtype in ("uint8", "uint16")]


KEPT_BY_PILLOW = [
    *((name, count, "uint8") for name in ("Pillow", "WebP", "TIFF") for count in (1, 2, 3, 4)),
    *(("BMP", count, "uint8") for count in (1, 3)),  # BMP has no opacity
    ("Pillow", 1, "uint16"),  # Pillow supports 16 bits only for gray
]


@pytest.mark.parametrize(("name", "count", "dtype"), KEPT_BY_PILLOW)
def test_pillow(name: str, count: int, dtype: str, tmp_path: Path) -> None:
    """Protected pictures that Pillow saved, directly or through a lossless format, are restored."""
    _check(PILLOW_CHANGES[name], (count, dtype), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SAMPLE_KINDS, ids=str)
@pytest.mark.parametrize(
    "command",
    [pytest.param(each, marks=pytest.mark.programs(each[0]), id=each[0]) for each in PROGRAMS],
)
def test_programs(command: tuple[str, ...], kind: tuple[int, str], tmp_path: Path) -> None:
    """Protected pictures that programs optimized or stripped of metadata are restored."""
    _check(_run_program(*command), kind, tmp_path)


def _check(change_file: Callable[[Path, Path], None], kind: tuple[int, str], folder: Path) -> None:
    """Check that pictures of all recipes are restored from header rows after a change."""
    source, stored_path, changed, restored = (folder / f"{name}.png" for name in "abcd")
    pixels = _make_photo(*kind)
    source.write_bytes(encode_picture(Picture.plain(pixels), "PNG"))
    for recipe, (protect, restore) in FUNCTION_PAIRS.items():
        protect(source, stored_path, KEY, replace=True)
        changed.unlink(missing_ok=True)
        change_file(stored_path, changed)
        assert extract_header(changed.read_bytes()) is None
        restore(changed, restored, KEY, replace=True)
        assert np.array_equal(read_picture(restored).pixels, pixels)
        if recipe == "file":
            assert restored.read_bytes() == source.read_bytes()


@pytest.mark.parametrize("recipe", ["pixels", "scrambled"])
def test_a_flipped_bit_in_header_rows_is_refused(recipe: str, tmp_path: Path) -> None:
    """A picture with its header only in rows is refused if any bit of these rows is flipped."""
    protect, restore = FUNCTION_PAIRS[recipe]
    source, stored_path, changed, restored = (tmp_path / f"{name}.png" for name in "abcd")
    plain = _make_photo(3, "uint8")
    source.write_bytes(encode_picture(Picture.plain(plain), "PNG"))
    protect(source, stored_path, KEY)
    with Image.open(stored_path) as image:
        pixels = np.array(image)
    draw = np.random.default_rng(3)
    for _ in range(60):
        flipped = pixels.copy()
        row = draw.integers(len(plain), len(pixels))
        column, channel, bit = draw.integers(0, [pixels.shape[1], 3, 8])
        flipped[row, column, channel] ^= 1 << bit
        Image.fromarray(flipped).save(changed)
        with pytest.raises(SudokucryptError):
            restore(changed, restored, KEY)
        assert not restored.exists()


# Robust pictures as files and arrays.


PHOTO = Subject(120, 90).draw()


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A photograph in a file."""
    path = tmp_path / "photo.png"
    Image.fromarray(PHOTO).save(path)
    return path


def _recompress(path: Path, quality: int = 75, scale: float = 1.0) -> Path:
    """Recompress and perhaps resize a picture, as a service does, and return the new file."""
    with Image.open(path) as file:
        size = (round(file.width * scale), round(file.height * scale))
        file.convert("RGB").resize(size).save(path.with_name("received.jpg"), quality=quality)
    return path.with_name("received.jpg")


@pytest.mark.parametrize("suffix", [".jpg", ".png"])
def test_files_are_restored_after_recompression(photo: Path, suffix: str) -> None:
    """A robust picture is restored after recompression, about as well as its report estimates."""
    carrier_path = photo.with_name(f"sent{suffix}")
    result = scramble_robust_file(photo, carrier_path, KEY)
    assert (result.target, result.shape, result.shrunk, result.dropped) == (
        carrier_path,
        PHOTO.shape,
        False,
        (),
    )
    with Image.open(carrier_path) as file:
        assert (file.mode, file.size) == ("L", result.sent[::-1])
    target = photo.with_name("back.png")
    report = unscramble_robust_file(_recompress(carrier_path), target, KEY)
    restored = np.asarray(Image.open(target))
    assert (report.shape, report.sent, report.missing) == (PHOTO.shape, result.sent, 0)
    assert measure_psnr(PHOTO, restored) > 25
    assert report.expected_psnr == pytest.approx(measure_psnr(PHOTO, restored), abs=6)


def test_formats_follow_the_suffix(photo: Path) -> None:
    """Robust pictures are JPEG or PNG; restored ones PNG, JPEG or another lossless format."""
    assert scramble_robust_file(photo, None, KEY).target == photo.with_name(
        "photo.png.scrambled.jpg"
    )
    carrier_path = photo.with_name("photo.png.scrambled.jpg")
    assert unscramble_robust_file(carrier_path, None, KEY).target == photo.with_name(
        "photo.png.restored.png"
    )
    unscramble_robust_file(carrier_path, photo.with_name("fine.jpg"), KEY)
    with (
        Image.open(photo.with_name("fine.jpg")) as restored,
        Image.open(io.BytesIO(save_image(PHOTO, "JPEG", quality=95))) as expected,
    ):
        assert restored.quantization == expected.quantization  # type: ignore[attr-defined]
    for suffix in (".jpg", ".tif", ".png"):
        restored_path = photo.with_name(f"back{suffix}")
        unscramble_robust_file(carrier_path, restored_path, KEY)
        assert np.asarray(Image.open(restored_path)).shape == PHOTO.shape
    for target in ("sent.webp", "sent.tif", "sent.avif", "sent"):
        with pytest.raises(UnsupportedError, match="written as JPEG or PNG"):
            scramble_robust_file(photo, photo.with_name(target), KEY)
    with pytest.raises(UnsupportedError, match="cannot be written as AVIF"):
        unscramble_robust_file(carrier_path, photo.with_name("back.avif"), KEY)
    with pytest.raises(OutputExistsError):
        scramble_robust_file(photo, carrier_path, KEY)
    stream = io.BytesIO()
    assert scramble_robust_file(io.BytesIO(photo.read_bytes()), stream, KEY).target is None
    assert stream.getvalue().startswith(b"\xff\xd8")


def test_errors_of_robust_pictures(photo: Path) -> None:
    """Wrong keys, resized pictures, other pictures and protected inputs have their own errors."""
    carrier_path = photo.with_name("sent.jpg")
    scramble_robust_file(photo, carrier_path, KEY)
    restored_path = photo.with_name("back.png")
    for scale in (1.0, 0.8):  # the error for a wrong key comes before that for resizing
        received = _recompress(carrier_path, scale=scale)
        with pytest.raises(DecryptionError, match=f"needs key {KEY.id}.* is key {OTHER_KEY.id}"):
            unscramble_robust_file(received, restored_path, OTHER_KEY)
        with pytest.raises(DecryptionError, match="not a passphrase"):
            unscramble_robust_file(received, restored_path, Passphrase("any words"))
    with pytest.raises(DecryptionError, match="was resized"):
        unscramble_robust_file(received, restored_path, KEY)
    with pytest.raises(FormatError, match="not a robust picture"):
        unscramble_robust_file(photo, restored_path, KEY)
    with pytest.raises(UnsupportedError, match="protected already") as error_info:
        scramble_robust_file(carrier_path, restored_path, KEY)
    assert error_info.value.hint == "restore it first to protect it in another way"
    encrypted = photo.with_name("encrypted.png")
    encrypt_file(photo, encrypted, KEY, as_file=False)
    with pytest.raises(UnsupportedError, match="protected already"):
        scramble_robust_file(encrypted, photo.with_name("again.jpg"), KEY)
    pages = photo.with_name("pages.tif")
    with Image.open(carrier_path) as image:
        image.save(pages, save_all=True, append_images=[image])
    with pytest.raises(UnsupportedError, match="stack of pages"):
        unscramble_robust_file(pages, restored_path, KEY)
    assert not restored_path.exists()


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (Passphrase("any words"), "takes a key, not a passphrase"),
        (Identity.generate().recipient, "takes a key, not recipients"),
        (KEY.picture_key(bytes(16)), "one picture cannot protect"),
        (b"key", "key"),
    ],
)
def test_only_master_keys_protect(photo: Path, key: MasterKey, message: str) -> None:
    """Passphrases, picture keys and bytes are refused before anything is read or written."""
    carrier_path = photo.with_name("sent.jpg")
    with pytest.raises((InvalidKeyError, InvalidParameterError), match=message):
        scramble_robust_file(photo, carrier_path, key)
    with pytest.raises((InvalidKeyError, InvalidParameterError), match=message):
        scramble_robust(PHOTO, key)  # type: ignore[arg-type]
    assert not carrier_path.exists()


@pytest.mark.parametrize("image", [np.zeros(9, "u1"), np.zeros((9, 9)), [["a"]], [], None])
def test_other_images_are_refused(image: Any) -> None:
    """Arrays that are not gray or color images of 8 bits are refused, with any `max_side`."""
    for max_side in (None, 256):
        with pytest.raises(InvalidImageError):
            scramble_robust(image, KEY, max_side=max_side)


def test_salts_are_random_and_hedged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Salts of the same picture differ; without randomness, salts of two pictures still differ."""
    salts = {scramble_robust(PHOTO, KEY).header.salt for _ in range(3)}
    assert len(salts) == 3
    monkeypatch.setattr("sudokucrypt.recipes.robust.secrets.token_bytes", bytes)
    changed = PHOTO.copy()
    changed[5, 5, 1] ^= 1
    hedged = [scramble_robust(image, KEY).header.salt for image in (PHOTO, PHOTO, changed)]
    assert hedged[0] == hedged[1] != hedged[2]


@pytest.mark.parametrize("shape", [(300, 400, 3), (700, 100, 3), (400, 400), (10, 3000, 3)])
def test_carrier_images_fit_the_longest_side(shape: tuple[int, ...]) -> None:
    """An image is reduced until its carrier image just fits `max_side`, or not at all."""
    image = np.zeros(shape, dtype=np.uint8)
    for max_side in (256, 320, 2000):
        result = scramble_robust(image, KEY, max_side=max_side)
        assert max(result.samples.shape) <= max_side
        rows, columns = result.header.shape[:2]
        unchanged = (rows, columns) == shape[:2]
        factor = (max(rows, columns) + 1) / max(shape[:2])
        larger = [max(1, round(factor * side)) for side in shape[:2]]
        assert unchanged or not _does_carrier_fit((*larger, *shape[2:]), max_side)
        assert unchanged or max(result.samples.shape) > max_side - 40
        assert columns / shape[1] == pytest.approx(rows / shape[0], abs=0.6 / min(shape[:2]))
    with pytest.raises(InvalidParameterError, match="max_side"):
        scramble_robust(image, KEY, max_side=255)


def test_a_line_of_pixels_stays_one() -> None:
    """A side of one pixel is never reduced to none, nor enlarged."""
    for shape, axis in (((1, 3000), 0), ((3000, 1), 1)):
        header = scramble_robust(np.zeros(shape, np.uint8), KEY, max_side=256).header
        assert header.shape[axis] == 1
        assert header.shape[1 - axis] < 3000


def test_the_longest_side_of_a_profile_can_be_changed() -> None:
    """A profile limits the sides of a carrier image, unless `max_side` is given."""
    image = np.zeros((10, 3000), dtype=np.uint8)
    for name, profile in PROFILES.items():
        result = scramble_robust(image, KEY, profile=name)
        assert max(result.samples.shape) <= profile.max_side
        assert max(scramble_robust(image, KEY, profile=name, max_side=256).samples.shape) <= 256


def test_profiles_are_sourced_and_numbered() -> None:
    """Each profile has a source, a date and its own number, which the header contains."""
    assert len({profile.number for profile in PROFILES.values()}) == len(PROFILES)
    for name, profile in PROFILES.items():
        assert profile.source.startswith("https://")
        assert len(profile.date) == len("2026-11")
        assert profile_numbered(profile.number) is profile
        assert scramble_robust(PHOTO, KEY, profile=name).header.profile == profile.number
    with pytest.raises(InvalidParameterError, match="no profile 'fax'"):
        scramble_robust(PHOTO, KEY, profile="fax")


def test_carrier_images_in_three_channels() -> None:
    """A carrier image with three equal channels is restored; other samples are refused."""
    gray = scramble_robust(PHOTO, KEY).samples
    colored = np.dstack([gray] * 3)
    gray_result, colored_result = unscramble_robust(gray, KEY), unscramble_robust(colored, KEY)
    np.testing.assert_array_equal(gray_result.pixels, colored_result.pixels)
    for samples in (gray.astype(np.uint16), gray[None], colored[..., :2]):
        with pytest.raises(FormatError):
            unscramble_robust(samples, KEY)


def test_a_stream_gets_the_usual_format_and_quality(photo: Path) -> None:
    """A carrier image is a JPEG of quality 92, or a PNG if that is requested."""
    quantizers = []
    for data in (save_image(PHOTO[..., 0], "JPEG", quality=92), _scramble_to_stream(photo)):
        with Image.open(io.BytesIO(data)) as image:
            quantizers.append(image.quantization[0])  # type: ignore[attr-defined]
    assert quantizers[0] == quantizers[1]
    assert _scramble_to_stream(photo, format="PNG").startswith(b"\x89PNG")


def _scramble_to_stream(photo: Path, **options: Any) -> bytes:
    stream = io.BytesIO()
    scramble_robust_file(photo, stream, KEY, **options)
    return stream.getvalue()


def test_another_key_does_not_keep_a_robust_picture(photo: Path) -> None:
    """With `resume`, a robust picture of another key is named as one."""
    carrier_path = photo.with_name("sent.jpg")
    scramble_robust_file(photo, carrier_path, KEY)
    assert scramble_robust_file(photo, carrier_path, KEY, resume=True).kept
    with pytest.raises(OutputExistsError, match="wrong key"):
        scramble_robust_file(photo, carrier_path, Key(bytes(32)), resume=True)


def test_samples_that_no_carrier_image_has(tmp_path: Path) -> None:
    """A picture of floating-point samples is no robust picture."""
    path = tmp_path / "floats.tif"
    path.write_bytes(encode_picture(Picture.plain(np.zeros((300, 300), "f4")), "TIFF"))
    with pytest.raises(FormatError, match="not a protected picture"):
        unscramble_robust_file(path, tmp_path / "out.png", KEY)
