"""Decode samples by tables that map result samples to levels, filled from constant images."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.scan_orders import ScanOrder, iterate_scans
from sudokucrypt.analysis.baselines import SBox, UniformShuffle
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray, IntArray

# At most this many samples: each may need a table of 256 entries for each of many relations.
_MAX_SAMPLES = 3 * 32 * 32
# Three images of each of 256 levels. A table then contains 1 - e^-3 of the keys that decoding
# looks up in it.
_CONSTANT_IMAGE_COUNT = 768
# The share of samples with a random level: previous samples should vary, and most samples should
# keep the level of the image.
_RANDOM_SAMPLE_SHARE = 1 / 48
_TEST_POSITION_COUNT = 32
# A relation counts as more than chance from this agreement, and at most this number of relations
# is used.
_MIN_AGREEMENT = 0.1
_MAX_TRIED_BOOKS = 3
# Each digit is sent three times, with a different offset added each time, since a table may lack
# the entry for one of the three levels.
_DIGIT_OFFSETS = (0, 85, 170)

_Bytes: TypeAlias = NDArray[np.uint8]
_JoinFunction: TypeAlias = Callable[[_Bytes, _Bytes], _Bytes]


def _rotate_left(samples: _Bytes, distances: _Bytes) -> _Bytes:
    return np.asarray(samples << (distances & 7) | samples >> (-distances & 7), np.uint8)


def _rotate_right(samples: _Bytes, distances: _Bytes) -> _Bytes:
    return _rotate_left(samples, -distances)


# Operations that may combine a sample with q, the previous sample of the result, each with its
# inverse.
_JOIN_RULES: dict[str, tuple[_JoinFunction, _JoinFunction]] = {
    "{}": (lambda x, _: x, lambda x, _: x),
    "{} ^ q": (np.bitwise_xor, np.bitwise_xor),
    "{} + q": (np.add, np.subtract),
    "{} - q": (np.subtract, np.add),
    "q - {}": (lambda x, q: q - x, lambda x, q: q - x),
    "{} turned left by q": (_rotate_left, _rotate_right),
    "{} turned right by q": (_rotate_right, _rotate_left),
}
# Operations that may add a stream that depends on q. The first function computes the stream from
# result c and plain sample p; the second function computes the plain sample from result and
# stream.
_STREAM_RULES: dict[str, tuple[_JoinFunction, _JoinFunction]] = {
    "c ^ p": (np.bitwise_xor, np.bitwise_xor),
    "c - p": (np.subtract, np.subtract),
    "c + p": (np.add, np.subtract),
}


@dataclass(frozen=True, eq=False)
class _Relation:
    """A relation between samples of result and image, stored in tables.

    The result sample is c, the sample before it q, and the plain sample p. A table maps a key of c
    and q to the value of c, q and p, and `compute_plain_sample` p from the value, c and q.
    """

    name: str
    compute_table_value: Callable[[_Bytes, _Bytes, _Bytes], _Bytes]
    compute_plain_sample: Callable[[_Bytes, _Bytes, _Bytes], _Bytes]


def _list_relations() -> dict[Callable[[_Bytes, _Bytes], AnyArray], list[_Relation]]:
    """Return the relations to try, grouped by the key of their tables, the simplest first."""
    relations_by_key: dict[Callable[[_Bytes, _Bytes], AnyArray], list[_Relation]] = {}

    def make_sample_relation(name: str, join: _JoinFunction, undo: _JoinFunction) -> _Relation:
        return _Relation(name, lambda _c, q, p: join(p, q), lambda value, _c, q: undo(value, q))

    def make_stream_relation(name: str, join: _JoinFunction, undo: _JoinFunction) -> _Relation:
        compute_plain_sample = (
            (lambda value, c, _q: undo(value, c))
            if name == "c + p"
            else (lambda value, c, _q: undo(c, value))
        )
        return _Relation(
            f"{name} follows from q", lambda c, _q, p: join(c, p), compute_plain_sample
        )

    for result_term, (compute_key, _) in _JOIN_RULES.items():
        relations_by_key[compute_key] = [
            make_sample_relation(
                f"{plain_term.format('p')} follows from {result_term.format('c')}", *pair
            )
            for plain_term, pair in _JOIN_RULES.items()
        ]
    relations_by_key[lambda _, q: q] = [
        make_stream_relation(name, *pair) for name, pair in _STREAM_RULES.items()
    ]
    return relations_by_key


@dataclass(eq=False)
class _Codebook:
    """Tables of one relation along one scan order, filled from results of one-level images.

    There is a table for each position, or one for all if `has_one_table`.
    """

    relation: _Relation
    compute_key: Callable[[_Bytes, _Bytes], AnyArray]
    scan: ScanOrder
    has_one_table: bool = False
    tables: IntArray = field(default_factory=lambda: np.zeros((0, 0), np.int16))

    def fill(self, results: _Bytes, levels: _Bytes) -> None:
        """Fill the tables from results, of shape (images, samples), and the level of each image."""
        table_count, key_count = (1, 1 << 16) if self.has_one_table else (results.shape[1], 1 << 8)
        self.tables = np.full((table_count, key_count), -1, np.int16)
        row_indices = np.arange(results.shape[1]) % table_count
        # In reverse order, so that the first of several contradicting images wins.
        for result, level in zip(results[::-1], levels[::-1], strict=True):
            previous_samples = self._get_previous_samples(result)
            values = self.relation.compute_table_value(
                result, previous_samples, np.full_like(result, level)
            )
            self.tables[row_indices, self.compute_key(result, previous_samples)] = values

    def decode(self, result: _Bytes) -> tuple[_Bytes, NDArray[np.bool_]]:
        """Return the decoded samples of a result, and a mask of the samples in the tables."""
        previous_samples = self._get_previous_samples(result)
        values = self.tables[
            np.arange(result.size) % len(self.tables), self.compute_key(result, previous_samples)
        ]
        return self.relation.compute_plain_sample(
            values.astype(np.uint8), result, previous_samples
        ), values >= 0

    def _get_previous_samples(self, result: _Bytes) -> _Bytes:
        # The start value of a chain is always the same, so any constant can represent it.
        return np.where(
            self.scan.previous_indices < 0, np.uint8(0), result[self.scan.previous_indices]
        )


def codebook_attack(oracle: contract.Oracle, picture: ArrayLike) -> contract.Finding:
    """Decode samples by tables from constant images, for schemes that feed back previous samples.

    In most published ciphers a sample of the result follows from one sample of the image and one
    neighboring sample of the result: substitutions, masks, S-boxes before or after a chain, and
    chains through an S-box. Images of one level with a few random samples show which neighbor, in
    which scan order, and how both are combined; they fill a table for each position, or one for
    all. Decoded samples may also have moved, which images that contain position numbers show. The
    picture has at most 256 levels, and a large one is shrunk.
    Source: R. Rhouma, S. Belghith, 2008, doi:10.1016/j.physleta.2008.07.057, for tables without
    feedback.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    picture : ndarray of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The picture that the attacker is after.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import SBox
    >>> waves = np.uint8(np.add.outer(np.arange(32), np.arange(32)) ** 2 % 256)
    >>> result = codebook_attack(SBox().scramble, waves)
    >>> result.outcome.value, result.recovered > 0.9
    ('broken', True)
    """
    plain = np.asarray(picture)
    if probing.count_bits(plain) > 8:
        raise InvalidImageError(
            "a codebook for samples of 65536 levels takes too many images",
            hint="convert the picture to 8 bits per sample",
        )
    small_picture = probing.shrink_picture(oracle, plain, max_samples=_MAX_SAMPLES)
    query, generator = probing.Queries(oracle), probing.make_generator()
    scrambled_picture = query(small_picture)
    level_count = 1 << probing.count_bits(small_picture)
    levels = np.repeat(np.arange(level_count), _CONSTANT_IMAGE_COUNT // level_count).astype(
        np.uint8
    )

    def run_scheme(samples: AnyArray) -> _Bytes:
        return (
            query(samples.astype(small_picture.dtype).reshape(small_picture.shape))
            .reshape(-1)
            .view(np.uint8)
        )

    if not probing.is_repeatable(query, plain):
        text = "equal images give different results"
        return probing.report_nothing(
            scrambled_picture, small_picture, queries=query.count, text=text, agreement=0.0
        )
    results = np.stack(
        [run_scheme(_make_speckled_image(generator, level, small_picture)) for level in levels]
    )
    # The book without feedback is tried before all scan orders, since it is cheap.
    ranked_books = [
        (1.0, _make_book_without_feedback(small_picture.size)),
        *_rank_books(generator, results, levels, small_picture.shape),
    ]
    findings = []
    for agreement, book in ranked_books[: 1 + _MAX_TRIED_BOOKS]:
        if agreement < _MIN_AGREEMENT:
            continue
        book.fill(results, levels)
        guess = _restore_picture(book, run_scheme, scrambled_picture, level_count)
        table_text = "one table of c and q" if book.has_one_table else "a table for each position"
        text = f"{book.relation.name}, by {table_text}"
        if "q" in text:
            text += f", q before c by {book.scan.name}"
        finding = probing.judge_guess(
            scrambled_picture,
            guess,
            small_picture,
            queries=query.count,
            text=text,
            agreement=agreement,
        )
        findings.append(finding)
        if finding.outcome is contract.Outcome.BROKEN:
            break
    return max(findings, key=lambda finding: finding.recovered)


def _make_book_without_feedback(size: int) -> _Codebook:
    """Return the book for schemes without feedback: each sample depends on one plain sample."""
    (key, (relation, *_)), *_ = _list_relations().items()
    return _Codebook(relation, key, ScanOrder("none", np.full(size, -1)))


def _make_speckled_image(
    generator: np.random.Generator, level: np.uint8, template: AnyArray
) -> AnyArray:
    image = np.full(template.shape, level).astype(template.dtype)
    return np.where(
        generator.random(template.shape) < _RANDOM_SAMPLE_SHARE,
        probing.draw_noise(generator, template),
        image,
    )


def _rank_books(
    generator: np.random.Generator, results: _Bytes, levels: _Bytes, shape: tuple[int, ...]
) -> list[tuple[float, _Codebook]]:
    """Return a book and its agreement for each relation and scan order, the best book first."""
    positions = generator.choice(
        results.shape[1], min(_TEST_POSITION_COUNT, results.shape[1]), replace=False
    )
    plain_samples = np.broadcast_to(levels[:, None], (len(levels), len(positions)))
    ranked_books = []
    relations_by_key = _list_relations()
    simplest_relation = next(iter(relations_by_key.values()))[0]
    for scan in iterate_scans(shape):
        result_samples = results[:, positions]
        previous_samples = np.where(
            scan.previous_indices[positions] < 0,
            np.uint8(0),
            results[:, scan.previous_indices[positions]],
        )
        for compute_key, relations_of_key in relations_by_key.items():
            agreements = _measure_agreements(
                compute_key(result_samples, previous_samples),
                [
                    each.compute_table_value(result_samples, previous_samples, plain_samples)
                    for each in relations_of_key
                ],
                plain_samples,
                previous_samples,
            )
            for agreement, relation in zip(agreements, relations_of_key, strict=True):
                ranked_books.append((agreement, _Codebook(relation, compute_key, scan)))
        # A single table for all positions is also tried; its keys are pairs of c and q.
        agreement = _measure_agreements(
            _join_into_keys(result_samples, previous_samples).reshape(-1, 1),
            [plain_samples.reshape(-1, 1)],
            plain_samples,
            previous_samples,
            with_one_table=True,
        )[0]
        # The agreement is halved, since a table of all pairs is only partly filled, so that a
        # smaller table is preferred.
        ranked_books.append(
            (agreement / 2, _Codebook(simplest_relation, _join_into_keys, scan, has_one_table=True))
        )
    return sorted(ranked_books, key=lambda each: -each[0])


def _join_into_keys(samples: _Bytes, previous_samples: _Bytes) -> AnyArray:
    return previous_samples.astype(np.uint16) << 8 | samples


def _measure_agreements(
    keys: AnyArray,
    values: list[_Bytes],
    plain_samples: _Bytes,
    previous_samples: _Bytes,
    *,
    with_one_table: bool = False,
) -> list[float]:
    """Return, for each array of values, how often equal keys at one position have equal values."""
    order = np.argsort(keys, axis=0, kind="stable")
    flat_order = order * keys.shape[1] + np.arange(keys.shape[1])

    def find_equal_neighbors(samples: AnyArray) -> NDArray[np.bool_]:
        sorted_samples = np.take(samples, flat_order)  # five times as fast as take_along_axis
        return np.asarray(sorted_samples[1:] == sorted_samples[:-1], bool)

    has_equal_keys = find_equal_neighbors(keys)
    if not with_one_table:
        # Pairs with equal p and q agree under any scheme, so they are no evidence.
        has_equal_keys &= ~(
            find_equal_neighbors(plain_samples) & find_equal_neighbors(previous_samples)
        )
    equal_key_count = np.count_nonzero(has_equal_keys)
    if equal_key_count < keys.size / _CONSTANT_IMAGE_COUNT:
        return [0.0] * len(values)
    return [
        float(
            np.count_nonzero(find_equal_neighbors(value_array) & has_equal_keys) / equal_key_count
        )
        for value_array in values
    ]


def _restore_picture(
    book: _Codebook, run_scheme: Callable[[AnyArray], _Bytes], target_result: AnyArray, levels: int
) -> AnyArray:
    """Decode a result, and move its samples back by a map that images of numbers reveal."""
    size, digit_count = target_result.size, 1
    while levels**digit_count < size:
        digit_count += 1
    sources, is_known_position = np.zeros(size, np.int64), np.ones(size, bool)
    for digit in range(digit_count):
        digit_values, has_digit = np.zeros(size, np.int64), np.zeros(size, bool)
        for offset in _DIGIT_OFFSETS:
            numbers = np.arange(size) // levels**digit + offset
            decoded_digits, is_known = book.decode(run_scheme(numbers % levels))
            is_newly_known = is_known & ~has_digit
            digit_values[is_newly_known] = (
                decoded_digits.astype(np.int64)[is_newly_known] - offset
            ) % levels
            has_digit |= is_known
        sources += digit_values * levels**digit
        is_known_position &= has_digit
    decoded_samples, is_known = book.decode(target_result.reshape(-1).view(np.uint8))
    is_known_position &= is_known & (sources < size)
    guess = np.zeros(size, np.uint8)
    guess[sources[is_known_position]] = decoded_samples[is_known_position]
    return guess.astype(target_result.dtype).reshape(target_result.shape)


def _substitute_and_chain(image: AnyArray) -> AnyArray:
    """Move, substitute and chain by exclusive-or: the commonest design of published ciphers."""
    substituted_samples = SBox().scramble(UniformShuffle().scramble(image)).reshape(-1)
    return np.bitwise_xor.accumulate(substituted_samples).reshape(image.shape)


def _undo_substituted_chain(image: AnyArray) -> AnyArray:
    unchained_samples = image.reshape(-1).copy()
    unchained_samples[1:] ^= image.reshape(-1)[:-1]
    return UniformShuffle().unscramble(SBox().unscramble(unchained_samples.reshape(image.shape)))


# The scheme that this attack must break, with its inverse.
CHAIN_CONTROL_TARGET = contract.Target(
    name="one map, one S-box and a chain",
    oracle=_substitute_and_chain,
    undo=_undo_substituted_chain,
)


@contract.attack(
    name="codebook",
    title="Codebook with feedback",
    control=lambda: CHAIN_CONTROL_TARGET,
    details={"agreement": "how often the best relation is true, 0..1"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Decode samples by tables that are filled from constant images.

    Needs: three images of the attacker's choice for each level, 768 in all

    The attacker has images of one level each scrambled, with a few random samples. If a sample of
    the result depends on one sample of the image and on the previous sample of the result, in any
    scan order, these results fill tables that decode all other results. Moves of samples are found
    as with chosen plaintext.
    """
    return codebook_attack(target.oracle, picture)
