"""Find repeated nonces, equal parts of results, equal states of chains, and equal streams."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import log2
from zlib import crc32

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.masks import STREAM_FINDERS, list_combinations
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray

# This many results of one image contain an equal pair if nonces have up to about 18 bits.
_REPETITION_COUNT = 768
_MAX_SAMPLES = 32 * 32
_MAX_TINY_SAMPLES = 8 * 8
# Large enough to show blocks of a quarter of a color picture of 64 x 64 pixels.
_MAX_BLOCK_SAMPLES = 4 * 64 * 64
# Parts count as equal from the first share of equal samples, and as unequal below the second.
_MIN_EQUAL_SHARE, _MAX_UNEQUAL_SHARE = 0.9, 0.5
# The number of tries, since a scheme may by chance hide several images in one photograph.
_PHOTOGRAPH_TRY_COUNT = 6
# Multipliers of common string hashes. For each of them, pairs of images that may have equal hashes
# are tried at one position.
_HASH_FACTORS = (31, 33, 37, 53, 101, 131)
# By chance, the number of equal samples exceeds the expected number by fewer standard deviations
# than this.
_MAX_CHANCE_DEVIATIONS = 8.0
# The number of images whose public side information is compared, without a query.
_PUBLIC_IMAGE_COUNT = 1 << 13
_CHECKSUM_BITS = 72  # enough bits that some of them cancel in any checksum of up to 64 bits
# The number of similar images, of which several pairs collide in states of up to about 13 bits, and
# the number of such pairs that excludes chance.
_SIMILAR_IMAGE_COUNT, _MIN_COLLISIONS = 256, 4
# The number of results of the whole picture that must confirm an observation on small pictures.
_CONFIRMING_IMAGE_COUNT = 96

InformationFunction = Callable[[AnyArray], object]


def _describe_nonce_size(results: Iterator[AnyArray]) -> str:
    """Describe the size of a nonce that gives this number of equal results, or return ""."""
    counts = Counter(result.tobytes() for result in results)
    equal_pair_count = sum(count * (count - 1) for count in counts.values()) / 2
    return (
        f"{log2(_REPETITION_COUNT * (_REPETITION_COUNT - 1) / 2 / equal_pair_count):.1f} bits"
        if equal_pair_count
        else ""
    )


def _describe_short_nonce(query: probing.Queries, image: AnyArray) -> str:
    return _describe_nonce_size(query(image) for _ in range(_REPETITION_COUNT))


def _split_into_pieces(image: AnyArray, kind: str) -> AnyArray:
    """Return an image as an array of its rows, columns or samples, along the first axis."""
    if kind == "rows":
        return image.reshape(len(image), -1)
    if kind == "columns":
        return image.reshape(len(image), -1).T
    return image.reshape(-1, 1)


def _measure_equal_share(image: AnyArray, kind: str, lag: int) -> float:
    pieces = _split_into_pieces(image, kind)
    return float(np.mean(pieces[lag:] == pieces[:-lag]))


def _make_periodic_image(kind: str, lag: int, template: AnyArray) -> AnyArray:
    """Return an image of noise that repeats after the given number of rows, columns or samples."""
    pieces = _split_into_pieces(probing.draw_noise(probing.make_generator(9), template), kind)
    repeated_pieces = pieces[np.arange(len(pieces)) % lag]
    return np.ascontiguousarray(
        repeated_pieces.T if kind == "columns" else repeated_pieces
    ).reshape(template.shape)


def _describe_equal_blocks(query: probing.Queries, template: AnyArray) -> str:
    """Describe which equal blocks of images give equal blocks of results, or return an empty text.

    The result of a constant image shows the period of blocks of any shape and of streams.
    """
    constant_result, noise_result = (
        query(np.full_like(template, 1)),
        query(probing.draw_noise(probing.make_generator(8), template)),
    )
    for kind in ("rows", "columns", "samples"):
        lags = range(1, len(_split_into_pieces(template, kind)) // 2 + 1)
        periods = [
            lag
            for lag in lags
            if _measure_equal_share(constant_result, kind, lag) >= _MIN_EQUAL_SHARE
        ]
        for lag in sorted({*periods[:1], *({8, 16} & {*periods})}):
            share = _measure_equal_share(
                query(_make_periodic_image(kind, lag, template)), kind, lag
            )
            if (
                share >= _MIN_EQUAL_SHARE
                and _measure_equal_share(noise_result, kind, lag) < _MAX_UNEQUAL_SHARE
            ):
                return f"a pattern with a period of {lag} {kind} has the same period in its result"
        # The stream may be the same in each row, except that it is rotated or permuted.
        sorted_pieces = [
            np.sort(_split_into_pieces(image, kind), axis=1)
            for image in (constant_result, noise_result)
        ]
        equal_share, chance_share = (
            np.mean((each == each[0]).all(axis=1)) for each in sorted_pieces
        )
        is_varied = sorted_pieces[0][0, 0] != sorted_pieces[0][0, -1]
        if kind != "samples" and is_varied and equal_share - chance_share >= _MIN_EQUAL_SHARE:
            return f"{kind} of a stream contain the same samples"
    return ""


def _measure_triple_share(images: list[AnyArray]) -> float:
    """Return the share of positions whose samples in three results recur together elsewhere."""
    rows = np.stack([image.reshape(-1) for image in images], axis=1)
    _, indices, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return float(np.mean(counts[indices.reshape(-1)] > 1))


def _describe_equal_positions(query: probing.Queries, template: AnyArray) -> str:
    """Describe a stream that is the same at several positions, or return an empty text.

    Three constant images show it, even if the stream is new for each image, at any positions.
    Results that hardly depend on their images, such as photographs that carry them, are excluded:
    they have as many equal positions for noise.
    """
    levels = [template.dtype.type(level) for level in (0, 1, 0)]
    # By chance, a scheme may hide all three images in one photograph, but not in every try.
    for _ in range(_PHOTOGRAPH_TRY_COUNT):
        noise = [
            probing.draw_noise(probing.make_generator(seed), template) for seed in (14, 15, 16)
        ]
        constant_results = [query(np.full_like(template, level)) for level in levels]
        if all(np.ptp(image.astype(np.int64)) == 0 for image in constant_results):
            return ""  # a constant image does not change if samples only move
        # A stream of few values agrees at some positions by chance, and equally often if the
        # results are shuffled.
        generator = probing.make_generator(17)
        shuffled_results = [generator.permutation(image.reshape(-1)) for image in constant_results]
        chance_share = max(
            _measure_triple_share([query(image) for image in noise]),
            _measure_triple_share(shuffled_results),
        )
        if _measure_triple_share(constant_results) - chance_share < _MAX_UNEQUAL_SHARE:
            return ""
    return "a stream is the same at several positions"


def _iterate_changed_pairs(base_image: AnyArray) -> Iterator[tuple[str, AnyArray, AnyArray]]:
    """Yield a description and a pair of images that differ in few samples.

    Some pairs have the same sum or histogram.
    """
    generator, samples = probing.make_generator(10), base_image.reshape(-1)
    size, allows_steps = samples.size, samples.dtype != np.bool_ and samples.size >= 16
    for factor in _HASH_FACTORS:
        # The first, last and middle samples are avoided, since some schemes use them as a summary.
        early_index, late_index = (int(size * (0.1 + 0.3 * each)) for each in generator.random(2))
        late_index += size // 2
        for description, bits_by_index in {
            "one sample": {early_index: 90},
            "another sample": {late_index: 90},
            "the lowest bit of a sample": {late_index: 1},
            "two samples by the same bits": {early_index: 90, late_index: 90},
        }.items():
            image = samples.copy()
            for index, bits in bits_by_index.items():
                image[index] ^= np.array(
                    bits & 1 if samples.dtype == np.bool_ else bits, samples.dtype
                )
            yield description, base_image, image.reshape(base_image.shape)
        for description, swapped_index in (
            ("samples", late_index),
            ("neighboring samples", early_index + 1),
        ):
            image = samples.copy()
            image[[early_index, swapped_index]] = samples[[swapped_index, early_index]]
            yield f"the order of two {description}", base_image, image.reshape(base_image.shape)
        if allows_steps:  # three samples are set to middle levels, which can be raised and lowered
            image = samples.copy()
            image[early_index : early_index + 3] = image[early_index : early_index + 3] // 4 + 140
            for description, steps in (
                ("three samples of the same sum", (1, -2, 1)),
                ("two samples of the same hash of strings", (1, -factor, 0)),
            ):
                stepped_image = image.copy()
                stepped_image[early_index : early_index + 3] = (
                    image[early_index : early_index + 3].astype(int) + steps
                )
                yield (
                    description,
                    image.reshape(base_image.shape),
                    stepped_image.reshape(base_image.shape),
                )


def _count_similar_pairs(query: probing.Queries, images: AnyArray) -> int:
    """Count pairs of results that have a part in common, beyond chance; 0 if there are very few."""
    rows = np.stack([query(each).reshape(-1) for each in images])
    shares = [np.mean(rows[index + 1 :] == row, axis=1) for index, row in enumerate(rows)]
    pair_shares, size = np.concatenate(shares), rows.shape[1]
    if not len(pair_shares) or (median_share := float(np.median(pair_shares))) == 1:
        return 0
    chance_margin = _MAX_CHANCE_DEVIATIONS * np.sqrt(max(median_share, 1 / size) / size)
    max_chance_share = median_share + max(
        contract.MIN_BROKEN_SHARE * (1 - median_share), chance_margin
    )
    sharing_pair_count = int(np.count_nonzero(pair_shares > max_chance_share))
    return sharing_pair_count if sharing_pair_count >= _MIN_COLLISIONS else 0


def _shares_unrelated_parts(query: probing.Queries, template: AnyArray) -> bool:
    """Return whether results of unrelated images have parts in common.

    Such parts come from another source, such as a photograph that carries several pictures.
    """
    generator = probing.make_generator(39)
    images = np.stack(
        [probing.draw_noise(generator, template) for _ in range(_SIMILAR_IMAGE_COUNT)]
    )
    return _count_similar_pairs(query, images) > 0


def _describe_state_collisions(query: probing.Queries, template: AnyArray) -> str:
    """Describe how often results of nearly equal images share a part, or return an empty text.

    A chain passes on a state, and a summary selects a stream. If the states of two images are equal
    by chance, their results are equal until the next changed sample, even with several chains.
    """
    generator, base_samples = (
        probing.make_generator(34),
        probing.draw_noise(probing.make_generator(11), template).reshape(-1),
    )
    for count in (1, 2, 3, 2):
        images = np.repeat(base_samples[None], _SIMILAR_IMAGE_COUNT, axis=0)
        changed_indices = generator.choice(
            base_samples.size, min(count, base_samples.size), replace=False
        )
        images[:, changed_indices] = probing.draw_noise(generator, images[:, changed_indices])
        images = np.unique(images, axis=0).reshape(-1, *template.shape)
        if pair_count := _count_similar_pairs(query, images):
            text = f"of {len(images)} images that differ in {count} of {template.size} samples"
            return f"{text} {pair_count} pairs have a part of their results in common, so"
    return ""


def _describe_nonce_collisions(
    query: probing.Queries, small_picture: AnyArray, plain: AnyArray
) -> str:
    """Describe how often results of one image have a part in common, or return an empty text."""
    # A small picture may have few different results, even with a long nonce.
    for image, repetitions in (
        (probing.draw_noise(probing.make_generator(38), small_picture), _SIMILAR_IMAGE_COUNT),
        (plain, _CONFIRMING_IMAGE_COUNT),
    ):
        images = np.repeat(image[None], repetitions, axis=0)
        if not (pair_count := _count_similar_pairs(query, images)):
            return ""
    return (
        f"of {repetitions} results of one image {pair_count} pairs have a part in common, so "
        "pictures show"
    )


def _compute_crc(image: AnyArray) -> int:
    """Return the checksum that published schemes use most often."""
    return crc32(image.tobytes())


def _find_colliding_image(
    base_image: AnyArray, compute_checksum: InformationFunction
) -> AnyArray | None:
    """Return another image with the same side information if that is a checksum, else None."""
    generator, samples = probing.make_generator(27), base_image.reshape(-1)

    def compute_checksum_number(image: AnyArray) -> int:
        checksum = compute_checksum(image.reshape(base_image.shape))
        return int.from_bytes(checksum) if isinstance(checksum, bytes) else hash(checksum)

    base_checksum, basis = compute_checksum_number(samples), dict[int, tuple[int, int]]()
    for index in generator.permutation(samples.size)[:_CHECKSUM_BITS].tolist():
        image = samples.copy()
        image[index] ^= np.array(1, samples.dtype)
        difference, flipped_bits = compute_checksum_number(image) ^ base_checksum, 1 << index
        while difference and difference.bit_length() in basis:
            earlier_difference, earlier_flipped_bits = basis[difference.bit_length()]
            difference, flipped_bits = (
                difference ^ earlier_difference,
                flipped_bits ^ earlier_flipped_bits,
            )
        if difference:
            basis[difference.bit_length()] = difference, flipped_bits
            continue
        flip_mask = np.array(
            [flipped_bits >> each & 1 for each in range(samples.size)], samples.dtype
        )
        return np.asarray((samples ^ flip_mask).reshape(base_image.shape))
    return None


def _describe_equal_parts(
    query: probing.Queries, template: AnyArray, get_information: InformationFunction | None
) -> str:
    """Describe which changes of an image leave a large part of its result equal, or return "".

    Samples that are equal in results of unrelated images are not counted.
    """
    base_image, unrelated_image = (
        probing.draw_noise(probing.make_generator(seed), template) for seed in (11, 12)
    )
    base_result = query(base_image)
    chance_share = float(np.mean(base_result == query(unrelated_image)))
    if chance_share == 1:
        return ""
    chance_margin = (
        _MAX_CHANCE_DEVIATIONS
        * np.sqrt(max(chance_share, 1 / template.size) / template.size)
        / (1 - chance_share)
    )
    changes = list(_iterate_changed_pairs(base_image))
    for name, compute_checksum in (
        ("the side information", get_information),
        ("their CRC-32", _compute_crc),
    ):
        if (
            compute_checksum is not None
            and (colliding_image := _find_colliding_image(base_image, compute_checksum)) is not None
        ):
            changes.append((f"bits that cancel in {name}", base_image, colliding_image))
    for description, first_image, second_image in changes:
        if np.array_equal(first_image, second_image) or (
            get_information is not None
            and get_information(second_image) != get_information(first_image)
        ):
            continue
        result = base_result if first_image is base_image else query(first_image)
        share = (float(np.mean(query(second_image) == result)) - chance_share) / (1 - chance_share)
        if share > max(contract.MIN_BROKEN_SHARE, chance_margin):
            text = f"two images that differ in {description} have {share:.2f} of their results in"
            return f"{text} common, so"
    return ""


def _describe_equal_streams(
    query: probing.Queries, template: AnyArray, get_information: InformationFunction | None
) -> str:
    """Describe how streams of unrelated images repeat, or return an empty text."""
    generator = probing.make_generator(28)
    images = [
        probing.draw_noise(generator, template)
        for _ in range(_REPETITION_COUNT if get_information is None else 0)
    ]
    if get_information is not None:
        images_by_information: dict[str, AnyArray] = {}
        for _ in range(_PUBLIC_IMAGE_COUNT):
            image = probing.draw_noise(generator, template)
            earlier_image = images_by_information.setdefault(repr(get_information(image)), image)
            if earlier_image is not image:
                images += [image, earlier_image]
            if len(images) >= 8:
                break
    pairs = [(image, query(image)) for image in images]
    for combination in list_combinations(template):
        stream_counts = Counter(
            STREAM_FINDERS[combination](result, image).tobytes() for image, result in pairs
        )
        repeated_stream_count = sum(count > 1 for count in stream_counts.values())
        if repeated_stream_count > len(pairs) / 4:
            return f"images of one side information share a stream, by {combination}, so results"
        if repeated_stream_count and get_information is None and len(stream_counts) > 1:
            return f"streams of {_REPETITION_COUNT} images repeat, by {combination}, so results"
    return ""


def _mask_by_previous_sums(image: AnyArray) -> AnyArray:
    """Mask each sample by a stream that depends on all previous samples."""
    stream_values = probing.make_generator(11).permutation(256)
    previous_sums = np.cumsum(image.reshape(-1), dtype=np.int64) - image.reshape(-1)
    stream = stream_values[previous_sums % 256] & (1 << probing.count_bits(image)) - 1
    return np.asarray(image ^ stream.astype(image.dtype).reshape(image.shape))


@contract.attack(
    name="repeats",
    threat="chosen",
    title="Repeats",
    control=lambda: contract.Target(
        name="a stream of the samples before", oracle=_mask_by_previous_sums
    ),
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Look for repeated nonces and streams, equal blocks and equal parts.

    Needs: images of the attacker's choice

    The attacker has three kinds of images scrambled: one image many times, which shows whether
    nonces repeat; images whose rows, columns or samples repeat; and pairs of images that differ in
    a sample, in the order of two samples, or in bits that keep sums, histogram or side information.
    If a part of both results is equal, then results show which pictures share a part, and guesses
    can be confirmed part by part.
    """
    small_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_SAMPLES)
    tiny_picture = small_picture
    with suppress(SudokucryptError):  # some schemes refuse such an image
        tiny_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_TINY_SAMPLES)
    query = probing.Queries(target.oracle)
    target_result = query(small_picture)
    block_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_BLOCK_SAMPLES)
    if text := _describe_equal_blocks(query, block_picture) or _describe_equal_positions(
        query, small_picture
    ):
        text += ", so drawings show"
    elif probing.is_repeatable(query, picture):
        text = _describe_equal_parts(query, small_picture, target.public)
        if (
            text := text or _describe_state_collisions(query, tiny_picture)
        ) and not _shares_unrelated_parts(query, tiny_picture):
            text += " guesses at parts are confirmed"
        else:
            text = _describe_equal_streams(query, tiny_picture, target.public)
    # A small picture may have few different results, even with a long nonce.
    elif _describe_short_nonce(query, tiny_picture) and (
        bits := _describe_short_nonce(query, picture)
    ):
        text = f"nonces repeat like those of {bits}"
    elif (
        text := _describe_nonce_collisions(query, tiny_picture, picture)
    ) and _shares_unrelated_parts(query, tiny_picture):
        text = ""
    if not text:
        text = "no nonce, block, part or stream repeats"
        return probing.report_nothing(target_result, small_picture, queries=query.count, text=text)
    return contract.Finding(
        outcome=contract.Outcome.BROKEN,
        text=text,
        queries=query.count,
        seen=target_result,
        picture=target_result,
        plain=small_picture,
    )
