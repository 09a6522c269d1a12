"""Arrays are restored exactly, changes are detected, and inputs are never changed in place."""

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import DTypeLike
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidParameterError,
    Key,
    KeyDerivation,
    OutputExistsError,
    Passphrase,
    ProtectedImage,
    UnsupportedVersionError,
    decrypt,
    encrypt,
    picture_permutation,
    read_header,
    scramble,
    unscramble,
)
from sudokucrypt.ciphers import Part, Pipeline, TaggedScheme
from sudokucrypt.images import read_picture
from sudokucrypt.recipes import picture_key
from sudokucrypt.typing import AnyArray, Unit
from sudokucrypt.workers import Workers

KEY = Key(bytes(range(32)))
FUNCTION_PAIRS: Any = [(scramble, unscramble), (encrypt, decrypt)]
UNITS: list[tuple[Unit, int | None]] = [
    ("pixel", None),
    ("sample", None),
    ("block", None),
    ("block", 3),
]
OPTION_CHOICES: list[tuple[Any, dict[str, Any]]] = [
    *((scramble, {"unit": unit, "block_size": size}) for unit, size in UNITS),
    (encrypt, {}),
]
DTYPES = ["bool", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "f2", "f4", "f8"]
SHAPES = st.one_of(
    st.tuples(st.integers(1, 200)),
    st.tuples(st.integers(1, 50), st.integers(1, 50)),
    st.tuples(st.integers(1, 30), st.integers(1, 30), st.integers(1, 5)),
)
LARGE_SHAPES = st.tuples(
    st.sampled_from([1, 97, 211, 509]) | st.integers(65, 600),
    st.sampled_from([1, 101, 480, 509]) | st.integers(65, 600),
    st.sampled_from([1, 3, 4]),
)


def draw_image(shape: tuple[int, ...], dtype: DTypeLike = "u1", seed: int = 0) -> AnyArray:
    """Return samples of random bits, which include NaN with any payload."""
    kind = np.dtype(dtype)
    data = np.random.default_rng(seed).integers(0, 256, (*shape, kind.itemsize), dtype=np.uint8)
    if kind.kind == "b":
        data &= 1
    return data.reshape(*shape[:-1], -1).view(kind)


def assert_round_trip(protect: Any, plain: AnyArray, **options: Any) -> None:
    plain_bytes = plain.tobytes()
    result = protect(plain, KEY, **options)
    assert (result.pixels.shape, result.pixels.dtype) == (plain.shape, plain.dtype)
    assert plain.tobytes() == plain_bytes
    context = {"context": options["context"]} if "context" in options else {}
    restored = dict(FUNCTION_PAIRS)[protect](result.pixels, KEY, result.header, **context)
    assert (restored.dtype, restored.tobytes()) == (plain.dtype, plain_bytes)


@pytest.mark.parametrize(
    "side", [pytest.param(20, marks=pytest.mark.slow), pytest.param(64, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize(("protect", "options"), OPTION_CHOICES)
def test_every_small_shape(protect: Any, options: dict[str, Any], side: int) -> None:
    """Arrays of all shapes up to this side, of alternating dtypes, are restored exactly."""
    for index, (rows, columns) in enumerate(np.ndindex(side, side)):
        dtype = DTYPES[index % len(DTYPES)]
        assert_round_trip(protect, draw_image((rows + 1, columns + 1), dtype), **options)


@settings(max_examples=40)
@given(
    SHAPES | LARGE_SHAPES,
    st.sampled_from(DTYPES),
    st.sampled_from(["<", ">"]),
    st.sampled_from(OPTION_CHOICES),
)
def test_round_trip(
    shape: tuple[int, ...], dtype: str, order: Any, options: tuple[Any, dict[str, Any]]
) -> None:
    """Arrays of any shape, dtype and byte order are restored bit by bit; the input is unchanged."""
    assert_round_trip(
        options[0], draw_image(shape, np.dtype(dtype).newbyteorder(order)), **options[1]
    )


@pytest.mark.parametrize(("protect", "restore"), [(encrypt, decrypt), (scramble, unscramble)])
def test_a_result_needs_no_other_header(protect: Any, restore: Any) -> None:
    """A result is restored by its own header, or by one that is passed."""
    image = draw_image((9, 8), "u1")
    result, other = (protect(image, KEY) for _ in range(2))
    assert np.array_equal(restore(result, KEY), image)
    with pytest.raises(DecryptionError):
        restore(result, KEY, other.header)


@given(st.data())
@settings(max_examples=25)
def test_layout_of_the_input_does_not_matter(data: st.DataObject) -> None:
    """Views with any strides give the result of their contiguous copy."""
    base = draw_image((30, 34, 4), "u2")
    step = st.sampled_from([1, 2, 3, -1, -2])
    view = base[:: data.draw(step), :: data.draw(step), :: data.draw(st.sampled_from([1, -1, 2]))]
    view = view.swapaxes(0, 1) if data.draw(st.booleans()) else view
    first_result = scramble(view, KEY, deterministic=True)
    second_result = scramble(np.ascontiguousarray(view), KEY, deterministic=True)
    assert first_result.header == second_result.header
    assert np.array_equal(first_result.pixels, second_result.pixels)
    assert np.array_equal(unscramble(first_result.pixels[:], KEY, first_result.header), view)


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_units_move_as_a_whole(rounds: int) -> None:
    """Scrambling keeps the multiset of pixels, of samples or of blocks, depending on the unit."""
    plain = draw_image((64, 48, 3))
    pixels = scramble(plain, KEY, rounds=rounds).pixels
    assert sorted(map(bytes, pixels.reshape(-1, 3))) == sorted(map(bytes, plain.reshape(-1, 3)))
    samples = scramble(plain, KEY, unit="sample", rounds=rounds).pixels
    assert np.array_equal(np.sort(samples, axis=None), np.sort(plain, axis=None))
    assert sorted(map(bytes, samples.reshape(-1, 3))) != sorted(map(bytes, plain.reshape(-1, 3)))

    def sort_blocks(array: AnyArray) -> list[bytes]:
        blocks = array.reshape(8, 8, 6, 8, 3).swapaxes(1, 2).reshape(48, -1)
        return sorted(map(bytes, blocks))

    scrambled = scramble(plain, KEY, unit="block", block_size=8, rounds=rounds).pixels
    assert sort_blocks(scrambled) == sort_blocks(plain)
    assert not np.array_equal(scrambled, plain)


def find_rounds(units: int) -> int:
    """Return the default number of rounds of an image with this number of pixels."""
    return scramble(np.zeros(units, dtype=np.uint8), KEY).header.rounds


@pytest.mark.parametrize(
    ("shape", "block_size", "smallest"),
    [
        ((256, 256), 4, 4096),  # only full blocks
        ((257, 256), 4, 64),  # 4,096 blocks, and 64 at the bottom edge
        ((256, 257), 4, 64),
        ((259, 262), 4, 64),
        ((513, 17), 1, 8721),
        ((2, 2), 4, 1),  # nothing can move
    ],
)
def test_the_smallest_group_decides_the_rounds(
    shape: tuple[int, int], block_size: int, smallest: int
) -> None:
    """The default rounds depend on the smallest group of blocks, such as those cut by an edge."""
    plain = np.zeros(shape, dtype=np.uint8)
    header = scramble(plain, KEY, unit="block", block_size=block_size).header
    assert find_rounds(64) > find_rounds(4096)
    assert header.rounds == find_rounds(smallest)


def test_the_default_block_size_is_16() -> None:
    """The header has block size 16 by default, and otherwise the size that was requested."""
    image = np.arange(40 * 40).reshape(40, 40)
    assert scramble(image, KEY, unit="block").header.block_size == 16
    assert scramble(image, KEY, unit="block", block_size=3).header.block_size == 3


def test_cut_blocks_stay_at_their_edge() -> None:
    """Blocks cut by the right or the bottom edge move only among themselves; the corner stays."""
    plain = np.arange(38 * 45).reshape(38, 45)
    scrambled = scramble(plain, KEY, unit="block", block_size=4).pixels
    for edge in (np.s_[:36, :44], np.s_[:36, 44:], np.s_[36:, :44]):
        assert np.array_equal(np.sort(scrambled[edge], axis=None), np.sort(plain[edge], axis=None))
        assert not np.array_equal(scrambled[edge], plain[edge])
    assert np.array_equal(scrambled[36:, 44:], plain[36:, 44:])


def test_what_a_result_has() -> None:
    """A result is a pair of pixels and header; what it and its header lack is named."""
    result = scramble(draw_image((6, 7)), KEY, unit="block")
    assert result.header.block_size == 16
    assert (len(result), result[0] is result.pixels, result[1] is result.header) == (2, True, True)
    assert read_header(result) is result.header
    assert repr(result) == "<ProtectedImage of 6 x 7 uint8, scramble-v1>"
    header: Any = result.header
    for value, name in ((result, "pixel"), (header, "round")):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'; use {name}s"):
            getattr(value, name)
    with pytest.raises(TypeError, match="fields of a header are attributes"):
        header["rounds"]
    with pytest.raises(InvalidImageError, match="this image is protected already"):
        encrypt(result, KEY)


def test_files_of_results(tmp_path: Path) -> None:
    """A result is saved in the format of the suffix or the one that is named, and shown as PNG."""
    result = encrypt(draw_image((6, 7)), KEY)
    png, tiff = tmp_path / "a.png", tmp_path / "b.tif"
    for path, file_format, start in ((png, None, b"\x89PNG"), (tiff, "tiff", b"II")):
        result.save(path, format=file_format)
        assert path.read_bytes().startswith(start)
        assert np.array_equal(decrypt(ProtectedImage.open(path), KEY), draw_image((6, 7)))
        with pytest.raises(OutputExistsError):
            result.save(path)
        result.save(path, format=file_format, replace=True)
    assert result._repr_png_() == png.read_bytes()
    doubles = encrypt(draw_image((6, 7), "f8"), KEY)
    assert doubles._repr_png_() is None
    for saved, file_format, start in (
        (result, None, b"\x89PNG"),
        (result, "tiff", b"II"),
        (doubles, None, b"II"),
    ):
        stream = io.BytesIO()
        saved.save(stream, format=file_format)
        assert stream.getvalue().startswith(start)


def test_what_is_no_image() -> None:
    """Objects of which NumPy makes arrays, but which are no images, are refused with their kind."""
    image = draw_image((6, 7))
    result = encrypt(image, KEY)
    refused: list[tuple[Any, str]] = [
        (np.ma.masked_array(image), "mask of a masked array"),
        ([image, image[1:]], "images of different shapes are a stack"),
        (image.reshape(1, 1, 6, 7), "an array of 4 dimensions is a stack"),
        *(
            (np.zeros(3, kind), f"samples of type {re.escape(str(np.dtype(kind)))} are not")
            for kind in (complex, object, "M8[s]", "S4", np.longdouble)
        ),
        (np.array(5), "not 0"),
        (image[:0], "the image is empty"),
        ("a.png", "this is the name of a file"),
        (Path("a.png"), "this is the name of a file"),
        (b"a", "this is the bytes of a file"),
        (io.BytesIO(b"a"), "this is an open file"),
        (None, "not a NoneType"),
        (KEY, "not a Key"),
        (result.header, "not a Header"),
        ((image, result.header), "the image argument contains both an image and its header"),
        (Image.new("P", (6, 7)), "a Pillow image of mode P"),
    ]
    for value, message in refused:
        with pytest.raises(InvalidImageError, match=message):
            scramble(value, KEY)


def test_a_large_image_is_not_divided() -> None:
    """Only files have segments: a large image under a context is restored without a header."""
    plain = draw_image((1100, 1000))
    result = scramble(plain, KEY, context="x")
    assert result.header.segment is None
    assert np.array_equal(unscramble(result.pixels, KEY, context="x"), plain)
    assert encrypt(plain, KEY).header.segment is None


@pytest.mark.parametrize("unit", ["pixel", "sample"])
def test_the_map_of_a_picture(unit: Unit) -> None:
    """`picture_permutation` returns the map of a scrambled picture: scrambled = plain[map]."""
    plain = draw_image((60, 70, 3))
    result = scramble(plain, KEY, unit=unit)
    flat_units = plain.reshape(-1, 3) if unit == "pixel" else plain.ravel()
    permutation = picture_permutation(KEY, result.header)
    assert np.array_equal(flat_units[permutation].reshape(plain.shape), result.pixels)


@pytest.mark.parametrize(("protect", "restore"), FUNCTION_PAIRS)
def test_every_result_is_new(protect: Any, restore: Any) -> None:
    """Two results of the same image differ; two deterministic results are equal.

    Deterministic results of two images that differ in one bit differ in most samples.
    """
    del restore
    plain = draw_image((40, 40))
    first_result, second_result = (protect(plain, KEY) for _ in range(2))
    assert first_result.header.salt != second_result.header.salt
    assert np.mean(first_result.pixels == second_result.pixels) < 0.02
    third_result, fourth_result = (protect(plain, KEY, deterministic=True) for _ in range(2))
    assert third_result.header == fourth_result.header
    assert third_result.header.salt is not None
    assert np.array_equal(third_result.pixels, fourth_result.pixels)
    changed = plain.copy()
    changed[0, 0] ^= 1
    assert np.mean(protect(changed, KEY, deterministic=True).pixels != third_result.pixels) > 0.9


@pytest.mark.parametrize(("protect", "restore"), FUNCTION_PAIRS)
def test_another_key_or_header_is_detected(protect: Any, restore: Any) -> None:
    """A wrong key, even if the header has its id, and the header of another image are refused."""
    result, other = protect(draw_image((20, 30)), KEY), protect(draw_image((20, 30), seed=1), KEY)
    wrong_key = Key(bytes(32))
    for key, header in (
        (wrong_key, result.header),
        (wrong_key, replace(result.header, key_id=wrong_key.id)),
        (KEY, other.header),
    ):
        with pytest.raises(DecryptionError):
            restore(result.pixels, key, header)


@pytest.mark.parametrize(("protect", "restore"), FUNCTION_PAIRS)
@given(data=st.data())
@settings(max_examples=25)
def test_any_flipped_bit_is_detected(protect: Any, restore: Any, data: st.DataObject) -> None:
    """If a bit of pixels, salt, tag or seal is flipped, restoring raises DecryptionError."""
    result = protect(draw_image((9, 11), "u2"), KEY, deterministic=True)
    pixels, header = result.pixels.copy(), result.header
    position = data.draw(st.sampled_from(["pixels", "salt", "tag", "header_mac"]))
    if position == "pixels":
        bit = np.uint16(1 << data.draw(st.integers(0, 15)))
        pixels.flat[data.draw(st.integers(0, pixels.size - 1))] ^= bit
    else:
        value = bytearray(getattr(header, position))
        value[data.draw(st.integers(0, len(value) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        changed: dict[str, Any] = {position: bytes(value)}
        header = replace(header, **changed)
    with pytest.raises(DecryptionError):
        restore(pixels, KEY, header)


FIELD_CHANGES: list[dict[str, Any]] = [
    {"rounds": 15}, {"unit": "sample"}, {"unit": "block", "block_size": 4}, {"salt": bytes(16)},
    {"tag": bytes(32)}, {"header_mac": bytes(32)}, {"kdf": "scrypt:m=2,t=1,p=1:" + "00" * 16},
    {"kdf": "argon2id:m=8,t=1,p=1:" + "00" * 16}, {"key_id": "00000000"}, {"dtype": "int8"},
    {"encrypted_metadata": b"x"}, {"shape": (17, 13, 3)}, {"shape": (13, 51)},
]  # fmt: skip
"""Each field of a header of shape (13, 17, 3), changed."""


@pytest.mark.parametrize(("protect", "restore"), FUNCTION_PAIRS)
def test_any_changed_field_is_detected(protect: Any, restore: Any) -> None:
    """If any field of the header is changed, restoring raises DecryptionError."""
    result = protect(draw_image((13, 17, 3)), KEY)
    for changed_fields in FIELD_CHANGES:
        with pytest.raises(DecryptionError):
            restore(result.pixels, KEY, replace(result.header, **changed_fields))


@pytest.mark.parametrize(("protect", "restore"), FUNCTION_PAIRS)
def test_reshaped_pixels_are_detected(protect: Any, restore: Any) -> None:
    """Restoring the same samples in another shape or of another type raises DecryptionError."""
    result = protect(draw_image((12, 16)), KEY)
    shapes = ((16, 12), (192,), (12, 16, 1), (4, 4, 12))
    views = [result.pixels.reshape(shape) for shape in shapes]
    views += [result.pixels.view(kind) for kind in ("i1", "u2", "f4")]
    for pixels in views:
        with pytest.raises(DecryptionError):
            restore(pixels, KEY, result.header)


def test_headers_of_other_kinds_are_refused() -> None:
    """A missing header, seal or tag, a wrong scheme and an unknown one raise their own errors."""
    plain = draw_image((9, 11))
    encrypted, scrambled = encrypt(plain, KEY), scramble(plain, KEY)
    with pytest.raises(FormatError, match="no header"):
        unscramble(scrambled.pixels, KEY)
    with pytest.raises(UnsupportedVersionError, match="scramble-v9"):
        unscramble(scrambled.pixels, KEY, replace(scrambled.header, scheme="scramble-v9"))
    with pytest.raises(InvalidParameterError, match="not scrambled"):
        unscramble(encrypted.pixels, KEY, encrypted.header)
    with pytest.raises(InvalidParameterError, match="scrambled only"):
        decrypt(scrambled.pixels, KEY, scrambled.header)
    with pytest.raises(DecryptionError):
        decrypt(scrambled.pixels, KEY, replace(scrambled.header, scheme="encrypt-v1"))
    key = KEY.picture_key(scrambled.header.salt or b"")
    file_header = replace(scrambled.header, encrypted_metadata=b"sealed")
    file_header = replace(file_header, header_mac=key.seal(file_header))
    with pytest.raises(InvalidParameterError, match="belongs to a picture file"):
        unscramble(scrambled.pixels, KEY, file_header)
    removals: list[dict[str, Any]] = [
        {"header_mac": None},
        {"header_mac": None, "tag": None, "salt": None},
    ]
    for result, restore in ((scrambled, unscramble), (encrypted, decrypt)):
        for removal in removals:
            with pytest.raises(FormatError, match="salt, tag or seal"):
                restore(result.pixels, KEY, replace(result.header, **removal))


def test_context_needs_no_header() -> None:
    """An image scrambled under a context with default options is restored without its header."""
    plain = draw_image((31, 37, 3))
    result = scramble(plain, KEY, context="caf\u00e9")
    assert result.header.tag is None
    assert result.header.salt is None
    assert np.array_equal(unscramble(result.pixels, KEY, context="cafe\u0301"), plain)
    assert not np.array_equal(unscramble(result.pixels, KEY, context="tea"), plain)
    assert_round_trip(scramble, plain, context="x", unit="block", block_size=5, rounds=1)


def test_contexts_are_neither_missing_nor_superfluous() -> None:
    """A missing, superfluous or empty context, and a wrong kind of key for one, are refused."""
    plain = draw_image((20, 20))
    untagged, tagged = scramble(plain, KEY, context="x"), scramble(plain, KEY)
    with pytest.raises(InvalidParameterError, match="under a context"):
        unscramble(untagged.pixels, KEY, untagged.header)
    with pytest.raises(InvalidParameterError, match="not scrambled under a context"):
        unscramble(tagged.pixels, KEY, tagged.header, context="x")
    with pytest.raises(DecryptionError):
        unscramble(untagged.pixels, Key(bytes(32)), untagged.header, context="x")
    sealed = replace(untagged.header, salt=bytes(16), tag=bytes(32), header_mac=bytes(32))
    with pytest.raises(FormatError, match="a salt, tag or seal, which"):
        unscramble(untagged.pixels, KEY, sealed, context="x")
    with pytest.raises(InvalidParameterError):
        scramble(plain, KEY, context="")
    for key in (KEY.for_picture(tagged.header), Passphrase("of several words")):
        with pytest.raises(InvalidParameterError, match="a context needs a key"):
            unscramble(untagged.pixels, key, context="x")


@pytest.mark.parametrize(
    "options",
    [
        {"unit": "tile"},
        {"unit": "pixel", "block_size": 8},
        {"unit": "block", "block_size": 0},
        {"unit": "block", "block_size": 65536},
        {"unit": "block", "block_size": 2.5},
        {"rounds": 0},
        {"rounds": 256},
        {"rounds": 1.0},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    """An unknown unit, and a block size or number of rounds out of range, are refused."""
    with pytest.raises(InvalidParameterError):
        scramble(draw_image((20, 20)), KEY, **options)


def test_lists_are_images() -> None:
    """A list of lists of integers is scrambled as an array."""
    assert scramble([[1, 2], [3, 4]], KEY).header.shape == (2, 2)


# Statistics of scrambled and encrypted pictures, and kinds of keys.


ASTRONAUT = Path(__file__).parents[2] / "sudokucrypt" / "cli" / "pictures" / "demo.jpg"


def measure_adjacent_z(image: AnyArray, rows: int, columns: int) -> float:
    """Return the correlation of samples at this distance, in standard deviations from 0."""
    height, width = image.shape
    samples = image[: height - rows, : width - columns].ravel()
    neighbors = image[rows:, columns:].ravel()
    return float(np.corrcoef(samples, neighbors)[0, 1] * np.sqrt(samples.size - 1))


def measure_chi_square(counts: AnyArray) -> float:
    """Return the chi-square statistic of counts against equal counts."""
    mean = counts.mean()
    return float(((counts - mean) ** 2 / mean).sum())


def test_booleans_stay_booleans() -> None:
    """An encrypted boolean image has only the values 0 and 1, about equally often."""
    result = encrypt(np.zeros((100, 100), dtype=bool), KEY, deterministic=True)
    counts = np.bincount(result.pixels.view(np.uint8).ravel())
    assert len(counts) == 2
    assert measure_chi_square(counts) < 10.83  # passed by 999 of 1,000 random images


def test_the_pipeline_is_permutation_then_key_stream() -> None:
    """An encrypted image is the exclusive or of its permuted samples and the key stream."""
    plain = draw_image((40, 41, 3), "u2")
    result = encrypt(plain, KEY)
    picture_key, tag = KEY.for_picture(result.header), result.header.tag
    assert tag is not None
    scrambled = plain.reshape(-1, 3)[picture_permutation(KEY, result.header)]
    stream = np.frombuffer(picture_key.stream("keystream", tag).read(scrambled.nbytes), "<u2")
    assert np.array_equal(result.pixels.ravel(), scrambled.ravel() ^ stream)


def test_long_masks_do_not_depend_on_threads() -> None:
    """A large image is encrypted to the same bytes with any number of threads."""
    plain = np.zeros((1200, 1000, 3), dtype=np.uint8)
    results = [encrypt(plain, KEY, deterministic=True, threads=number) for number in (1, 2, 5)]
    assert all(np.array_equal(result.pixels, results[0].pixels) for result in results)
    picture_key, tag = KEY.for_picture(results[0].header), results[0].header.tag
    assert tag is not None
    assert results[0].pixels.tobytes() == picture_key.stream("keystream", tag).read(plain.nbytes)


def load_pictures() -> dict[str, AnyArray]:
    """Return a photograph, a constant image and a gradient, by name."""
    gradient = np.add.outer(np.arange(512), np.arange(512)) // 4
    return {
        "astronaut": read_picture(ASTRONAUT).pixels,
        "constant": np.full((512, 512, 3), 77, dtype=np.uint8),
        "gradient": np.repeat(gradient[..., None], 3, axis=2).astype(np.uint8),
    }


@pytest.mark.parametrize("name", ["astronaut", "constant", "gradient"])
def test_encrypted_pictures_look_uniform(name: str) -> None:
    """Histogram, entropy and correlations of each encrypted channel are those of random samples."""
    pixels = encrypt(load_pictures()[name], KEY, deterministic=True).pixels
    for channel in range(3):
        samples = pixels[..., channel]
        counts = np.bincount(samples.ravel(), minlength=256)
        assert measure_chi_square(counts) < 330.6  # passed by 999 of 1,000 random images
        value_shares = counts / counts.sum()
        entropy = -(value_shares * np.log2(value_shares)).sum()
        # A random image of K samples falls short of 8 bits by 255 / (2 K ln 2) on average.
        shortfall = 255 / (2 * samples.size * np.log(2))
        assert abs(8 - entropy - shortfall) < 5 * np.sqrt(2 / 255) * shortfall
        for neighbor_step in ((0, 1), (1, 0), (1, 1)):
            assert abs(measure_adjacent_z(samples.astype(float), *neighbor_step)) < 3.5


@pytest.mark.slow
def test_npcr_and_uaci_pass() -> None:
    """Results of images that differ in one sample pass both tests in at least 88 of 100 runs.

    The level is 0.05, with critical values by the formulas of Wu, Noonan, Agaian (2011).
    """
    from scipy import stats

    rng = np.random.default_rng(5)
    size = 128 * 128
    npcr_low = 255 / 256 + stats.norm.ppf(0.05) * np.sqrt(255 / 256**2 / size)
    mean = 257 / 768
    variance = 257 * (255**2 + 2 * 255 + 3) / (18 * 256**2 * 255 * size)
    passed = np.zeros(2, dtype=int)
    for index in range(100):
        plain = rng.integers(0, 255, (128, 128), dtype=np.uint8)
        changed = plain.copy()
        changed[tuple(rng.integers(0, 128, 2))] += 1
        key = Key(bytes([index]) * 32)
        before, after = (encrypt(p, key, deterministic=True).pixels for p in (plain, changed))
        npcr = np.mean(before != after)
        uaci = np.mean(np.abs(before.astype(int) - after.astype(int))) / 255
        passed += (npcr > npcr_low, abs(uaci - mean) < stats.norm.ppf(0.975) * np.sqrt(variance))
    assert (passed >= 88).all(), passed


@pytest.mark.parametrize("unit", ["pixel", "sample"])
def test_scrambling_leaves_the_values_and_no_neighbors(unit: Unit) -> None:
    """A scrambled photograph keeps its histograms, and its neighbors are not correlated."""
    plain = read_picture(ASTRONAUT).pixels
    pixels = scramble(plain, KEY, unit=unit, deterministic=True).pixels
    for channel in range(3):
        plain_values, scrambled_values = plain[..., channel], pixels[..., channel]
        if unit == "pixel":
            assert np.array_equal(
                np.bincount(plain_values.ravel()), np.bincount(scrambled_values.ravel())
            )
        for step in ((0, 1), (1, 0), (1, 1)):
            assert abs(measure_adjacent_z(plain_values.astype(float), *step)) > 100
            assert abs(measure_adjacent_z(scrambled_values.astype(float), *step)) < 3


def test_other_schemes_are_refused() -> None:
    """Schemes that scramble or have a context, unknown ones, and one of 1.1.0 are refused."""
    plain = draw_image((20, 30, 3))
    with pytest.raises(InvalidParameterError):
        encrypt(plain, KEY, scheme="scramble-v1")
    with pytest.raises(InvalidParameterError, match="chosen by a context, not by its name"):
        scramble(plain, KEY, scheme="scramble-context-v1")
    with pytest.raises(UnsupportedVersionError):
        encrypt(plain, KEY, scheme="encrypt-v9")
    result = encrypt(plain, KEY)
    removed_scheme_header = replace(result.header, scheme="insecure-logistic-substitution-v1")
    for restore in (decrypt, unscramble):
        with pytest.raises(UnsupportedVersionError, match=r"restore it with version 1\.1\.0$"):
            restore(result.pixels, KEY, removed_scheme_header)


def test_the_refusal_of_a_passphrase_tells_nothing() -> None:
    """A wrong passphrase gives the same error whether or not the key id in the header fits it.

    Otherwise the error would confirm guesses, since an attacker may choose id and derivation.
    """
    result = encrypt(draw_image((9, 11)), Passphrase("open"))
    assert result.header.kdf is not None
    guess = Passphrase("guess")
    id_of_guess = KeyDerivation.from_text(result.header.kdf).derive(guess).id
    refusals = set()
    for key_id in (result.header.key_id, id_of_guess):
        header = replace(result.header, key_id=key_id)
        for call in (lambda h: decrypt(result.pixels, guess, h), lambda h: picture_key(guess, h)):
            with pytest.raises(DecryptionError) as error_info:
                call(header)
            refusals.add((str(error_info.value), error_info.value.hint, error_info.value.hint_key))
    assert len(refusals) == 1


def test_passphrases() -> None:
    """A passphrase restores its image in any Unicode normal form; wrong ones and keys do not."""
    plain = draw_image((9, 11))
    result = encrypt(plain, Passphrase("caf\u00e9"))
    assert result.header.kdf is not None
    assert np.array_equal(decrypt(result.pixels, Passphrase("cafe\u0301"), result.header), plain)
    for wrong_passphrase in (Passphrase("cafe"), KEY):
        with pytest.raises(DecryptionError):
            decrypt(result.pixels, wrong_passphrase, result.header)
    with_key = encrypt(plain, KEY)
    with pytest.raises(DecryptionError):
        decrypt(with_key.pixels, Passphrase("caf\u00e9"), with_key.header)
    scrambled = scramble(plain, Passphrase("x"))
    assert np.array_equal(unscramble(scrambled.pixels, Passphrase("x"), scrambled.header), plain)


def test_an_encrypted_picture_has_the_unit_pixel() -> None:
    """A header of an encrypted picture with another unit is refused, even if its seal is right."""
    part, draft_header = Part(pixels=draw_image((9, 11))), encrypt(draw_image((9, 11)), KEY).header
    scheme = TaggedScheme("encrypt-v1", lambda _: Pipeline(()))
    draft_header = replace(draft_header, unit="sample", tag=None, header_mac=None)
    with Workers(1) as workers:
        frames, header = scheme.protect([part], KEY, draft_header, workers)
        assert scheme.open_header(KEY, header, workers) == header
    with pytest.raises(FormatError, match="unit pixel"):
        decrypt(frames[0], KEY, header)


def test_the_key_of_a_passphrase_opens_too() -> None:
    """The key derived from a passphrase restores the image too; each image has its own key."""
    plain = draw_image((9, 11))
    result = encrypt(plain, Passphrase("x"))
    derived = KeyDerivation.from_text(result.header.kdf or "").derive(Passphrase("x"))
    assert np.array_equal(decrypt(result.pixels, derived, result.header), plain)
    assert (result.header.kdf or "")[-32:] != (result.header.salt or b"").hex()
    second_result = encrypt(plain, Passphrase("x"))
    assert second_result.header.kdf != result.header.kdf


def test_passphrases_need_salt() -> None:
    """A passphrase is refused for deterministic results and contexts, which have no random salt."""
    cases: list[dict[str, Any]] = [{"deterministic": True}, {"context": "x"}]
    for options in cases:
        with pytest.raises(InvalidParameterError):
            scramble(draw_image((4, 4)), Passphrase("x"), **options)
    with pytest.raises(InvalidParameterError):
        unscramble(draw_image((4, 4)), Passphrase("x"), context="x")


def test_numpy_takes_a_result_for_its_pixels() -> None:
    """`np.asarray` gives the pixels themselves, and `np.array` a copy."""
    result = scramble(np.arange(12, dtype=np.uint8).reshape(3, 4), KEY)
    assert np.shares_memory(np.asarray(result), result.pixels)
    assert not np.shares_memory(np.array(result), result.pixels)
    assert np.array_equal(np.array(result, dtype=float), result.pixels)
