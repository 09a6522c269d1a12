"""Test attacks that recover fixed maps of pixels, samples and bits, also behind masks."""

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import InvalidParameterError, Representation, bijection, invert
from sudokucrypt.analysis import attacks, specimens
from sudokucrypt.analysis.attacks import (
    AttackUnit,
    Oracle,
    Outcome,
    adaptive_attack,
    chosen_images,
    chosen_plaintext_attack,
    known_plaintext_attack,
    random_images,
    row_column_attack,
)
from sudokucrypt.analysis.attacks.adaptive import MAX_IMAGES
from sudokucrypt.analysis.attacks.plaintext import known_plaintext_share
from sudokucrypt.analysis.attacks.unit_maps import ImageUnits, MapCheck, match_units, refine_classes
from sudokucrypt.analysis.baselines import (
    ArnoldMap,
    BitShuffle,
    ContentKeyedShuffle,
    FibonacciPCode,
    GrayCode,
    PixelMap,
    RowColumnShuffle,
    UniformShuffle,
)
from sudokucrypt.sudoku import ParametricGrid
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.schemes import make_seed, scrambling
from tests.analysis.pictures import picture


@pytest.mark.parametrize("kind", PixelMap.__subclasses__())
def test_every_pixel_map_falls(kind: type[PixelMap]) -> None:
    """Two chosen images give the exact map of every pixel map."""
    scheme = kind()
    result = chosen_plaintext_attack(scheme.scramble, (64, 64))
    assert (result.queries, result.recovered) == (2, 1.0)
    assert np.array_equal(result.sources, invert(scheme.targets(64, 64)))
    assert result.verdict.startswith("broken: 2 chosen images gave the places of all 4096 pixels")


@settings(max_examples=20)
@given(
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.sampled_from([None, 1, 2, 3, 5]),
    st.sampled_from(["bool", "uint8", "uint16"]),
)
def test_any_shape_and_depth_is_attacked(
    shape: tuple[int, ...], channels: int | None, dtype: str
) -> None:
    """For any shape and dtype, ceil(log_L(K) / C) images give the exact map."""
    whole = shape if channels is None else (*shape, channels)
    scheme = UniformShuffle(3)
    result = chosen_plaintext_attack(scheme.scramble, whole, dtype=dtype)
    per_image = {"bool": 2, "uint8": 2**8, "uint16": 2**16}[dtype] ** (channels or 1)
    pixels = shape[0] * shape[1]
    assert per_image**result.queries >= pixels
    assert result.queries == 1 or per_image ** (result.queries - 1) < pixels
    assert np.array_equal(result.sources, invert(scheme.targets(*shape)))
    assert result.recovered == 1.0


@pytest.mark.parametrize(
    ("oracle", "unit", "queries", "dtype"),
    [
        (scrambling(context="album", unit="sample"), "sample", 2, "uint8"),
        (BitShuffle(2).scramble, "bit", 16, "uint8"),
        (BitShuffle(2).scramble, "bit", 17, "uint16"),
        (UniformShuffle(2).scramble, "pixel", 1, "uint16"),
    ],
)
def test_the_unit_that_moves_is_found(
    oracle: Oracle, unit: AttackUnit, queries: int, dtype: str
) -> None:
    """The attack finds out whether pixels, samples or bits move, and recovers their map."""
    shape = (40, 40, 3)
    result = chosen_plaintext_attack(oracle, shape, dtype=dtype)
    assert (result.unit, result.queries, result.recovered) == (unit, queries, 1.0)
    image = random_images(shape, 1, seed=4, dtype=dtype)[0]
    assert np.array_equal(result.restore(oracle(image)), image)
    if unit != "pixel":
        assert chosen_plaintext_attack(oracle, shape, dtype=dtype, unit="pixel").recovered < 0.01


@pytest.mark.parametrize("shape", [(64, 64), (48, 80), (20, 32, 3)])
@pytest.mark.parametrize("content", [np.sum, lambda image: np.bincount(image.reshape(-1))])
def test_a_map_that_depends_on_the_histogram_is_a_leak(
    shape: tuple[int, ...], content: Callable[[AnyArray], Any]
) -> None:
    """A map keyed by sum or histogram is reported as a leak, right only for one histogram."""

    def key_scheme(image: AnyArray) -> AnyArray:
        return UniformShuffle(make_seed(content(image))).scramble(image)

    result = chosen_plaintext_attack(key_scheme, shape)
    assert (result.recovered, result.same_histogram_share, result.outcome) == (0, 1, Outcome.LEAKS)
    assert result.verdict.startswith("leaks: one map for images of one histogram")
    other = random_images(shape, 1, seed=3)[0]
    assert np.mean(result.restore(key_scheme(other)) == other) < 0.02


def test_chosen_images_are_of_the_shape() -> None:
    """For 256 x 256 pixels there are two chosen images of this shape."""
    assert [image.shape for image in chosen_images((256, 256))] == [(256, 256)] * 2


@pytest.mark.parametrize("unit", ["pixel", "sample", "bit"])
@pytest.mark.parametrize("shape", [(64, 64), (32, 48, 3)])
def test_chosen_images_have_one_histogram_and_hold_every_number(
    shape: tuple[int, ...], unit: AttackUnit
) -> None:
    """If the levels divide the units, histograms are equal; encoded numbers are decoded."""
    labels = ImageUnits(shape, "uint8", unit)
    images = labels.encode(np.arange(labels.count))
    assert len({np.sort(labels.split(image), axis=0).tobytes() for image in images}) == 1
    numbers = np.random.default_rng(1).integers(0, labels.count, labels.count)
    assert np.array_equal(labels.decode(labels.encode(numbers)), numbers)
    assert all(np.array_equal(labels.join(labels.split(image)), image) for image in images)


def test_a_half_fixed_map_is_recovered_by_half() -> None:
    """A scheme that moves half of the pixels anew for each image is recovered by half."""
    check = MapCheck(ImageUnits((8, 8), "uint8"))
    positions = np.arange(64)
    shares = [
        check.measure_map_share(np.where(positions < n, positions, -1), check.images)
        for n in (0, 32, 64)
    ]
    assert shares == pytest.approx([0, 0.5, 1], abs=1e-4)
    seeds = iter(range(100))

    def move_halves(image: AnyArray) -> AnyArray:
        top = UniformShuffle(1).scramble(image[:16])
        return np.concatenate([top, UniformShuffle(next(seeds)).scramble(image[16:])])

    result = chosen_plaintext_attack(move_halves, (32, 32))
    assert 0.499 <= result.recovered < 0.51
    assert result.broken
    assert "0.50" in result.verdict or "0.49" in result.verdict


def test_theory_is_the_expected_number_of_classes() -> None:
    """`known_plaintext_share` equals the mean share of different values among random labels."""
    drawn = np.random.default_rng(5).integers(0, 4096, (100, 1000))
    different = np.mean([len(np.unique(row)) / 1000 for row in drawn])
    assert known_plaintext_share(1000, 1, levels=4096) == pytest.approx(different, abs=0.003)


def test_recovery_follows_theory() -> None:
    """Recovered shares of a map of 256 x 256 pixels agree with theory, within deviations."""
    result = known_plaintext_attack(UniformShuffle().scramble, random_images((256, 256), 4))
    assert result.broken
    for actual, expected in zip(result.recovered_after, result.expected_after, strict=True):
        deviation = (expected / 65536) ** 0.5
        assert abs(actual - expected) < 5 * deviation
    for images, share in enumerate(result.certain_after, 1):
        assert abs(share - exp(-65536 / 256**images)) < 0.01
    assert "pictures can be seen after 2" in result.verdict


def test_photographs_give_less_than_random_images() -> None:
    """Three photographs break a fixed map, but recover less than random images would."""
    known_images = [picture("grass")[row : row + 128, :128] for row in (0, 128, 256)]
    result = known_plaintext_attack(UniformShuffle().scramble, known_images)
    assert 0.5 < result.recovered_after[-1] < result.expected_after[-1]
    assert result.recovered == result.recovered_after[-1]
    assert list(result.recovered_after) == sorted(result.recovered_after)
    camera = picture("camera")[:128, :128]
    scrambled = UniformShuffle().scramble(camera)
    right = [float(np.mean(result.restore(scrambled, images=n) == camera)) for n in (1, 2, 3)]
    assert right[0] < right[1] < right[2] == float(np.mean(result.restore(scrambled) == camera))


def test_chosen_images_are_the_best_known_ones() -> None:
    """Chosen images give the whole map as known images; with three channels one is enough."""
    result = known_plaintext_attack(UniformShuffle(2).scramble, chosen_images((257, 256)))
    assert result.recovered == result.certain_after[-1] == 1.0
    assert result.recovered_after[1] < 1
    result = known_plaintext_attack(UniformShuffle().scramble, random_images((64, 64, 3), 1))
    assert min(result.recovered_after[0], result.expected_after[0]) > 0.999


def test_classes_hold_equal_units() -> None:
    """Units are in one class if and only if they are equal in all images."""
    rng = np.random.default_rng(3)
    images = rng.integers(0, 4, (3, 100, 2))
    order = rng.permutation(100)
    plain_classes = result_classes = np.zeros(100, dtype=np.int64)
    for image in images:
        plain_classes, result_classes = refine_classes(
            (plain_classes, image), (result_classes, image[order])
        )
    rows = images.swapaxes(0, 1).reshape(100, -1)
    equal = (rows[:, None] == rows[None]).all(axis=2)
    assert np.array_equal(plain_classes[:, None] == plain_classes[None], equal)
    assert np.array_equal(result_classes, plain_classes[order])
    assert np.array_equal(plain_classes[match_units(plain_classes, result_classes)], result_classes)
    assert sorted(match_units(plain_classes, result_classes).tolist()) == list(range(100))
    # Positions whose units are all used, or do not exist, get -1.
    assert match_units(np.array([4, 5, 5]), np.array([4, 4, 5, 6])).tolist() == [0, -1, 1, -1]


def test_images_are_counted_from_one() -> None:
    """Restoring with 0 images, or with more than were known, is refused."""
    result = known_plaintext_attack(UniformShuffle().scramble, random_images((4, 4), 2))
    for count in (0, 3):
        with pytest.raises(InvalidParameterError, match=r"must be 1\.\.2"):
            result.restore(np.zeros((4, 4), "u1"), images=count)


def test_random_images_are_uniform() -> None:
    """Random images are equal for equal seeds, contain all levels and have a middle mean."""
    one, two = random_images((200, 200), 2, seed=1)
    assert np.array_equal(one, random_images((200, 200), 2, seed=1)[0])
    assert not np.array_equal(one, two)
    assert len(np.unique(one)) == 256
    assert abs(one.mean() - 127.5) < 5 * 73.9 / 200
    assert set(np.unique(random_images((9, 9), 1, dtype=bool)[0])) == {False, True}


SIDES = (60, 70)


@pytest.mark.parametrize(
    "scheme", [RowColumnShuffle(4), FibonacciPCode(), FibonacciPCode(p=3)], ids=repr
)
@pytest.mark.parametrize("shape", [(37, 80), (90, 41, 3)])
def test_moved_lines_fall_to_one_image(
    scheme: RowColumnShuffle | FibonacciPCode, shape: tuple[int, ...]
) -> None:
    """One known image gives the exact map of schemes that move rows and columns."""
    result = row_column_attack(scheme.scramble, shape)
    assert np.array_equal(result.sources, invert(scheme.targets(*shape[:2])))
    assert (result.rows_found, result.columns_found, result.recovered) == (1, 1, 1)
    assert result.verdict.startswith("broken: 1 known image gave the places of all")


def test_lines_that_salt_moves_anew_leak() -> None:
    """Rows and columns that are moved anew leak; a uniform shuffle does not."""
    numbers = iter(range(10))
    result = row_column_attack(lambda image: RowColumnShuffle(next(numbers)).scramble(image), SIDES)
    assert (result.rows_found, result.columns_found) == (1, 1)
    assert (result.outcome, result.recovered < 0.01) == (Outcome.LEAKS, True)
    assert result.verdict.endswith("results show which pixels share a line")
    result = row_column_attack(UniformShuffle(1).scramble, SIDES)
    assert (result.outcome, result.rows_found) == (Outcome.NOTHING, 0)
    narrow = row_column_attack(UniformShuffle(1).scramble, (400, 1))  # rows of one pixel
    assert narrow.rows_found == 1
    assert narrow.outcome is not Outcome.LEAKS


def test_one_known_photograph_gives_the_map() -> None:
    """A known photograph gives the whole map; a constant image gives nothing."""
    scheme = RowColumnShuffle(4)
    constant = row_column_attack(scheme.scramble, image=np.full((12, 12), 7, dtype=np.uint8))
    assert (constant.sources.tolist(), constant.broken) == (list(range(144)), False)
    result = row_column_attack(scheme.scramble, image=picture("camera")[:200, :210])
    later = picture("grass")[:200, :210]
    assert result.broken
    assert np.array_equal(result.restore(scheme.scramble(later)), later)


@pytest.mark.parametrize(
    ("representation", "kept"),
    [(Representation.ROW_DIGIT, "rows_kept"), (Representation.DIGIT_COLUMN, "columns_kept")],
)
def test_one_sudoku_pass_keeps_lines(representation: Representation, kept: str) -> None:
    """A single Sudoku bijection keeps all rows or columns, and one image recovers most of it."""
    grid = ParametricGrid.random((16, 16), seeded_draws(1)).to_grid()
    targets = bijection(grid, Representation.ROW_COLUMN, representation)

    def move_once(image: np.ndarray) -> np.ndarray:
        moved = np.empty_like(image)
        moved.reshape(-1)[targets] = image.reshape(-1)
        return moved

    result = row_column_attack(move_once, (256, 256))
    assert getattr(result, kept) == 1.0
    assert result.recovered > 0.6
    assert result.broken
    # Gray's code moves rows as a whole at 256x256 and shuffles inside: 1 - 1/e and more.
    result = row_column_attack(GrayCode().scramble, (256, 256))
    assert (result.rows_found, result.columns_found) == (1, 0)
    assert result.recovered > 0.63
    assert result.broken


CAT = picture("chelsea.jpg")[100:190, 150:247]


def by_sum(image: AnyArray) -> AnyArray:
    return UniformShuffle(int(image.sum())).scramble(image)


def by_histogram(image: AnyArray) -> AnyArray:
    return UniformShuffle(make_seed(np.bincount(image.reshape(-1)))).scramble(image)


def move_by_bit_count(image: AnyArray) -> AnyArray:
    return BitShuffle(int(np.bitwise_count(image).sum())).scramble(image)


@pytest.mark.parametrize(
    "scheme",
    [by_sum, by_histogram, ContentKeyedShuffle(3).scramble, UniformShuffle().scramble],
)
@pytest.mark.parametrize("secret", [CAT, CAT[..., 0]], ids=["color", "gray"])
def test_maps_of_the_content_fall(scheme: Oracle, secret: AnyArray) -> None:
    """At most 6 images of its own samples restore a target with a content-keyed map."""
    result = adaptive_attack(scheme, scheme(secret))
    assert result.broken
    assert result.queries <= 6
    assert np.mean(result.restore(scheme(secret)) == secret) > 0.99
    assert result.recovered > 0.99
    assert "another target takes other images" in result.verdict


def test_bits_are_traced_too() -> None:
    """A map of bits that depends on the number of ones is recovered."""
    secret = CAT[..., 1]
    result = adaptive_attack(move_by_bit_count, move_by_bit_count(secret))
    assert (result.unit, result.broken) == ("bit", True)
    assert np.mean(result.restore(move_by_bit_count(secret)) == secret) > 0.95


def test_pictures_of_few_levels_take_many_images() -> None:
    """Text takes more images than a photograph; with one level nothing is recovered."""
    pictures = {each.name: each.pixels for each in specimens(64)}
    result = adaptive_attack(by_sum, by_sum(pictures["text"]))
    assert np.mean(result.restore(by_sum(pictures["text"])) == pictures["text"]) > 0.99
    assert 12 < result.queries < MAX_IMAGES
    result = adaptive_attack(by_sum, pictures["black"])
    assert (result.outcome, result.queries) == (Outcome.NOTHING, MAX_IMAGES)


SECRET = picture("camera")[:128, :128]


@pytest.mark.parametrize("combination", ["exclusive-or", "sum", "difference"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_a_stream_used_twice_is_removed(combination: attacks.Combination, dtype: str) -> None:
    """With each combination of stream and samples, one known image recovers all others."""
    secret = SECRET.astype(dtype)
    result = attacks.reuse_attack(attacks.fixed_mask(seed=5, combination=combination), secret)
    assert np.array_equal(result.picture, secret)
    assert (result.recovered, result.combination, result.broken) == (1.0, combination, True)
    assert (result.repeats, result.moves_only) == (True, False)
    assert result.verdict.startswith("broken: the key stream repeats")
    secret = SECRET > 100  # bits have one combination, and half of all guesses are right by chance
    result = attacks.reuse_attack(attacks.fixed_mask(), secret)
    assert np.array_equal(result.picture, secret)
    assert (result.expected, result.broken) == (0.5, True)
    assert not attacks.reuse_attack(UniformShuffle().scramble, secret).broken


@pytest.mark.parametrize("combination", ["exclusive-or", "sum", "difference"])
def test_a_map_behind_a_fixed_mask_is_found(combination: attacks.Combination) -> None:
    """Differences remove a fixed mask, and a later picture is restored completely."""
    mask = attacks.fixed_mask(seed=8, combination=combination)

    def scheme(image: AnyArray) -> AnyArray:
        return mask(ArnoldMap().scramble(image))

    result = attacks.differential_attack(scheme, SECRET.shape)
    assert (result.recovered, result.changed, result.combination) == (1.0, 1, combination)
    assert result.queries == 2 + 3
    assert np.array_equal(result.restore(scheme(SECRET)), SECRET)
    assert (result.npcr.value, result.npcr.passed) == (1 / SECRET.size, False)
    assert result.uaci.passed is False
    assert "one changed sample changes 1 of 16384" in result.verdict


@pytest.mark.parametrize("dtype", ["bool", "uint16"])
@pytest.mark.parametrize("unit", ["pixel", "sample"])
def test_images_of_other_depths_and_colors_are_attacked(
    dtype: str, unit: attacks.AttackUnit
) -> None:
    """The differential attack recovers maps of images of bits and of 16 bits."""
    result = attacks.differential_attack(
        attacks.masked_shuffle, (20, 30, 2), dtype=dtype, unit=unit
    )
    later = attacks.random_images((20, 30, 2), 1, dtype=dtype, seed=9)[0]
    assert result.recovered == 1.0
    assert np.array_equal(result.restore(attacks.masked_shuffle(later)), later)


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize(
    "chain",
    [attacks.Chain("exclusive-or"), attacks.Chain("sum", 3), attacks.Chain("sum", backward=True)],
)
@pytest.mark.parametrize("combination", ["exclusive-or", "sum", "difference"])
def test_a_map_and_a_mask_behind_a_chain_are_found(
    combination: attacks.Combination, chain: attacks.Chain, dtype: str
) -> None:
    """Differences of neighbors undo chains of each combination, and the map is recovered."""
    mask = attacks.fixed_mask(seed=8, combination=combination)
    join = np.bitwise_xor if chain.combination == "exclusive-or" else np.add

    def scheme(image: AnyArray) -> AnyArray:
        links = mask(UniformShuffle(1).scramble(image)).reshape(-1, chain.step)
        links = links[:: -1 if chain.backward else 1]
        links = join.accumulate(links, axis=0, dtype=links.dtype)
        return links[:: -1 if chain.backward else 1].reshape(image.shape)

    result = attacks.differential_attack(scheme, (30, 40, 3), dtype=dtype)
    later = attacks.random_images((30, 40, 3), 1, dtype=dtype, seed=9)[0]
    assert (result.recovered, result.chain) == (1.0, chain)
    assert np.array_equal(result.restore(scheme(later)), later)
    target_result = scheme(later)
    links = chain.undo(target_result)
    assert np.array_equal(links, mask(UniformShuffle(1).scramble(later)))
    assert np.array_equal(target_result, scheme(later))


def test_a_stream_that_is_used_again_in_part_leaks() -> None:
    """If a tenth of the stream is reused, the outcome is a leak and not a break."""
    numbers = iter(range(100))
    stays = np.arange(SECRET.size).reshape(SECRET.shape) % 10 == 0

    def scheme(image: AnyArray) -> AnyArray:
        new = attacks.fixed_mask(seed=next(numbers) + 9)(image)
        return np.where(stays, attacks.fixed_mask()(image), new)

    result = attacks.reuse_attack(scheme, SECRET)
    assert result.outcome is attacks.Outcome.LEAKS
    assert result.recovered == pytest.approx(0.1 + 0.9 / 256, abs=0.005)
    assert "in part" in result.verdict
