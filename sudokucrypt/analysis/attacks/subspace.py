"""Attack fresh streams of few bits by the part of results that these streams cannot change."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract, probing, unit_maps
from sudokucrypt.analysis.attacks.affine import affine_attack
from sudokucrypt.analysis.attacks.codebook import codebook_attack
from sudokucrypt.analysis.baselines import UniformShuffle
from sudokucrypt.typing import AnyArray

# At most this many bits in a picture, since the attack takes more results than a stream has bits.
_MAX_PICTURE_BITS = 8 * 8 * 8
# The maximum number of bits of a stream: more would take too many results.
_MAX_STREAM_BITS = 256
# Sides of the smallest pictures. In color, a stream of half the bits of a picture is found only in
# 4 x 4 pixels, since 8 x 8 pixels have 1,536 bits. A stream of 193 to 256 bits is found only in
# 8 x 8 pixels.
_SMALLEST_SIDES = (8, 4)
# Pictures with a larger share of one level are replaced by noise: with few samples, guesses would
# be right by chance too often.
_MAX_LEVEL_SHARE = 0.2
# The span counts as complete after this number of successive results without a new dimension. If
# the span is incomplete, this happens in one of 2^24 cases.
_CONFIRMING_RESULT_COUNT = 24

_Units = NDArray[np.uint8]


class _Span:
    """The span of a few vectors modulo 2 or 256: one vector for each leading position.

    The leading entry of each vector is a power of two, and multiples of the vector that cancel this
    entry are spanned by the other vectors. Reference: J. A. Howell, 1986,
    doi:10.1080/03081088608817705.
    """

    def __init__(self, bits: int) -> None:
        self._unit_bits, self.vectors_by_position = bits, dict[int, _Units]()

    def reduce(self, vector: _Units) -> _Units:
        """Subtract multiples of the vectors of the span, so that leading entries become small."""
        remainder = vector.copy()
        for position in sorted(self.vectors_by_position):
            row = self.vectors_by_position[position]
            if factor := int(remainder[position]) // int(row[position]):
                remainder = self._subtract_multiple(remainder, factor, row)
        return remainder

    def add(self, vector: _Units) -> bool:
        """Add a vector to the span, and return whether it was new."""
        pending_vectors, is_new = [vector], False
        while pending_vectors:
            remainder = self.reduce(pending_vectors.pop())
            if not remainder.any():
                continue
            is_new, position = True, int(np.flatnonzero(remainder)[0])
            leading_entry = int(remainder[position])
            unit = leading_entry & -leading_entry
            remainder = self._subtract_multiple(
                np.zeros_like(remainder), -pow(leading_entry // unit, -1, 256), remainder
            )
            if position in self.vectors_by_position:
                pending_vectors.append(self.vectors_by_position[position])
            self.vectors_by_position[position] = remainder
            pending_vectors.append(
                self._subtract_multiple(
                    np.zeros_like(remainder), -(1 << self._unit_bits) // unit, remainder
                )
            )
        return is_new

    def _subtract_multiple(self, vector: _Units, factor: int, row: _Units) -> _Units:
        return (vector - np.uint8(factor & 255) * row) & np.uint8((1 << self._unit_bits) - 1)


@dataclass(frozen=True)
class _Addition:
    """A way to add a stream: to bits modulo 2, or to samples modulo 256."""

    name: str
    bits: int

    def split(self, image: AnyArray) -> _Units:
        """Return the units of an image: its bits, or its samples of 8 bits."""
        samples = image.reshape(-1)
        if self.bits == 8 or image.dtype == np.bool_:
            return samples.view(np.uint8)
        return np.unpackbits(samples.view(np.uint8))

    def join(self, units: _Units, template: AnyArray) -> AnyArray:
        """Return the image of these units."""
        has_whole_samples = self.bits == 8 or template.dtype == np.bool_
        return (
            (units if has_whole_samples else np.packbits(units))
            .view(template.dtype)
            .reshape(template.shape)
        )

    def subtract(self, units: _Units, base_units: _Units) -> _Units:
        """Return differences of units modulo the size of the group."""
        return np.asarray((units - base_units) & np.uint8((1 << self.bits) - 1))


def _learn_span(results: Iterator[_Units], addition: _Addition, limit: int) -> _Span | None:
    """Return the span of differences of results, or None if it has more than `limit` vectors."""
    span, redundant_count, first = _Span(addition.bits), 0, next(results)
    for result in results:
        redundant_count = 0 if span.add(addition.subtract(result, first)) else redundant_count + 1
        if redundant_count == _CONFIRMING_RESULT_COUNT:
            return span
        if len(span.vectors_by_position) > limit:
            return None
    return None


def _recover_unknown_samples(
    query: probing.Queries,
    small_picture: AnyArray,
    is_unknown: NDArray[np.bool_],
    addition: _Addition,
) -> contract.Finding | None:
    """Return a finding about unknown samples from the part of results that streams do not change.

    Returns None if there is no such part, or if it does not depend on the picture.
    """
    base_image, unit_count = (
        np.where(is_unknown, small_picture ^ small_picture, small_picture),
        addition.split(small_picture).size,
    )
    limit = min(unit_count // 2, _MAX_STREAM_BITS)
    span = _learn_span(
        (addition.split(query(base_image)) for _ in range(2 * limit)), addition, limit
    )
    if span is None:
        return None
    base_units = addition.split(query(base_image))

    def get_fixed_part(image: AnyArray) -> AnyArray:
        """Return the fixed part of a result, for the unknown samples from `image`."""
        result = addition.split(query(np.where(is_unknown, image, small_picture)))
        return addition.join(span.reduce(addition.subtract(result, base_units)), small_picture)

    noise = probing.draw_noise(probing.make_generator(36), small_picture)
    fixed_part = get_fixed_part(noise)
    if not fixed_part.any() or not np.array_equal(fixed_part, get_fixed_part(noise)):
        return None
    text = (
        f"fresh streams, added by {addition.name}, differ in at most "
        f"{len(span.vectors_by_position)} of "
    )
    text += f"{unit_count} dimensions"
    for attack in (affine_attack, codebook_attack):
        guess = np.where(is_unknown, attack(get_fixed_part, small_picture).picture, small_picture)
        true_samples, guessed_samples = (
            each[is_unknown].reshape(1, -1) for each in (small_picture, guess)
        )
        # A stream that changes only low bits leaves the high bits unchanged, and vice versa.
        finding = probing.judge_guess_parts(
            true_samples, guessed_samples, true_samples, queries=query.count, text=text
        )
        if finding.outcome is not contract.Outcome.NOTHING:
            return replace(finding, picture=guess, plain=small_picture)
    outcome, text = contract.Outcome.LEAKS, f"{text}, so results reveal equal images"
    return replace(finding, outcome=outcome, text=text, picture=guess, plain=small_picture)


def _make_row_scheme() -> contract.Oracle:
    """Return a scheme that masks all rows of a shuffled image by one row of a new stream."""
    generator = probing.make_generator(35)

    def scheme(image: AnyArray) -> AnyArray:
        moved_image = UniformShuffle().scramble(image)
        return np.asarray(moved_image ^ probing.draw_noise(generator, image[:1]))

    return scheme


@contract.attack(
    name="subspace",
    threat="chosen",
    title="Streams of few bits",
    control=lambda: contract.Target(
        name="one new row on all rows of a map", oracle=_make_row_scheme()
    ),
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Remove fresh streams that depend linearly on few bits, and solve for the rest.

    Needs: results of equal images, some of the attacker's choice, and half of the samples of
    one

    Results of one image differ only by the fresh stream. If the stream depends on few bits by
    exclusive-or or sums, such as a stream of a register, some hundred results show all changes
    that are possible. The part that cannot change is attacked by linear equations and a codebook.
    The attacker knows half of the samples of the picture.
    """
    samples = _MAX_PICTURE_BITS // max(probing.count_bits(picture), 2)
    small_pictures = [
        probing.shrink_picture(
            target.oracle,
            picture,
            max_samples=samples,
            smallest_side=side,
            max_level_share=_MAX_LEVEL_SHARE,
        )
        for side in _SMALLEST_SIDES
    ]
    pictures_by_shape = {image.shape: image for image in small_pictures}
    return unit_maps.choose_best_finding(
        partial(_attack_picture, target.oracle), list(pictures_by_shape.values())
    )


def _attack_picture(oracle: contract.Oracle, small_picture: AnyArray) -> contract.Finding:
    """Return the finding of the attack on a small picture."""
    query, generator = probing.Queries(oracle), probing.make_generator(37)
    target_result = query(small_picture)
    if probing.is_repeatable(query, small_picture):
        text = "equal images give equal results, so no stream is new"
        return probing.report_nothing(target_result, small_picture, queries=query.count, text=text)
    is_unknown = (generator.permutation(small_picture.size) % 2 == 0).reshape(small_picture.shape)
    additions = [
        _Addition("exclusive-or", 1),
        *[_Addition("sum", 8)] * (small_picture.dtype == np.uint8),
    ]
    findings = [
        _recover_unknown_samples(query, small_picture, is_unknown, addition)
        for addition in additions
    ]
    text = "fresh streams can change every part of a result"
    empty_finding = probing.report_nothing(
        target_result, small_picture, queries=query.count, text=text
    )
    actual_findings = [replace(each, seen=target_result) for each in findings if each is not None]
    return unit_maps.choose_best_finding(lambda finding: finding, [*actual_findings, empty_finding])
