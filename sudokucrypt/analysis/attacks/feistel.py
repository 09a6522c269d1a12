"""Break Feistel networks of two or three rounds with any round functions.

A round combines one half with a function of the other half. Three rounds can be distinguished from
chance only by chosen ciphertexts. Results that have one half in common then cancel every function.
Source of the distinguisher: M. Luby, C. Rackoff, 1988, doi:10.1137/0217022.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.masks import (
    STREAM_ADDERS,
    STREAM_REMOVERS,
    Combination,
    list_combinations,
)
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.typing import AnyArray

_MAX_SAMPLES = 64 * 64

HalfMask = NDArray[np.bool_]


@dataclass(frozen=True)
class _Cut:
    """A way to cut an image into equal halves, and to combine one with a function of the other.

    `half_mask` is a mask of one half, of samples or of their bits.
    """

    name: str
    half_mask: HalfMask
    combination: Combination

    def split(self, image: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return both halves of an image."""
        units = image if self.half_mask.size == image.size else np.unpackbits(image).view(np.bool_)
        half_mask = self.half_mask.reshape(units.shape)
        return units[half_mask], units[~half_mask]

    def join(self, first: AnyArray, second: AnyArray, template: AnyArray) -> AnyArray:
        """Return the image with these halves, in the shape and dtype of a template."""
        units = np.empty(self.half_mask.shape, first.dtype)
        units[self.half_mask], units[~self.half_mask] = first, second
        joined_samples = units if self.half_mask.size == template.size else np.packbits(units)
        return joined_samples.reshape(template.shape)


def _iterate_cuts(template: AnyArray) -> Iterator[_Cut]:
    """Yield the cuts to try, each with every operation that may combine the halves."""
    indices = np.arange(template.size).reshape(template.shape)
    row, column = np.indices(template.shape)[:2]
    half_masks = {
        "halves in reading order": indices < indices.size // 2,
        "the left and the right": column < template.shape[1] // 2,
        "every second sample": indices % 2 == 0,
        "every second row": row % 2 == 0,
        "every second column": column % 2 == 0,
    }
    bits = np.arange(8 * template.size)
    bit_masks = {
        "nibbles": bits % 8 < 4,
        "every second pair of bits": bits % 4 < 2,
        "every second bit": bits % 2 < 1,
    }
    yield from (
        _Cut(name, mask, combination)
        for (name, half_mask), combination in product(
            half_masks.items(), list_combinations(template)[:2]
        )
        for mask in (half_mask, ~half_mask)
        if 2 * np.count_nonzero(half_mask) == half_mask.size
    )
    for name, half_mask in bit_masks.items() if template.dtype == np.uint8 else ():
        yield from (_Cut(name, mask, "exclusive-or") for mask in (half_mask, ~half_mask))


def _restore_picture(
    query: probing.Queries, undo: probing.Queries, target_result: AnyArray, cut: _Cut
) -> AnyArray:
    """Return the picture, if the scheme is a Feistel network whose last round changes the half L.

    An image has the halves L and R, and its result the halves b and a; L is the half that changes
    in the last round: m = L + F1(R), a = R + F2(m) and b = m + F3(a). Since constants can be moved
    between the functions, assume F1(r) = 0 for one value r of R. Then images with R = r show F2 of
    any m, and F3 of the corresponding a. Results with this a and another m show F1 of
    r + F2(m) - F2(other m). Two such steps give the R of the picture without its own result.
    """
    add, subtract, split = (
        STREAM_ADDERS[cut.combination],
        STREAM_REMOVERS[cut.combination],
        cut.split,
    )

    def join(changed_half: AnyArray, other_half: AnyArray) -> AnyArray:
        return cut.join(changed_half, other_half, target_result)

    result_left, result_right = split(target_result)
    offset, random_left = (
        probing.draw_noise(probing.make_generator(seed), result_left) for seed in (29, 30)
    )
    # The restored left half is m + offset, since the restored right half is r, and F1(r) = 0.
    shifted_middle, reference_right = split(undo(join(add(result_left, offset), result_right)))
    middle_half = subtract(shifted_middle, offset)
    _, middle_result_right = split(query(join(middle_half, reference_right)))
    random_result_left, random_result_right = split(query(join(random_left, reference_right)))
    first_step_middle, first_step_right = split(
        undo(join(add(middle_half, subtract(random_result_left, random_left)), random_result_right))
    )
    first_f1_value = subtract(middle_half, first_step_middle)
    second_step_left, second_step_right = split(
        query(join(subtract(shifted_middle, first_f1_value), first_step_right))
    )
    second_step_middle, _ = split(
        undo(join(add(random_left, subtract(second_step_left, shifted_middle)), second_step_right))
    )
    picture_f1_value = subtract(random_left, second_step_middle)
    return join(
        subtract(middle_half, picture_f1_value),
        subtract(result_right, subtract(middle_result_right, reference_right)),
    )


def _run_network(image: AnyArray, *, inverse: bool = False) -> AnyArray:
    """Run three Feistel rounds: a checksum of one half of the image keys the mask of the other."""
    result = image.reshape(-1).copy()
    half_size = result.size // 2
    for round_number in (2, 1, 0) if inverse else (0, 1, 2):
        changed_half, other_half = (result[:half_size], result[half_size : 2 * half_size])[
            :: 1 if round_number % 2 == 0 else -1
        ]
        seed = crc32(other_half.tobytes())
        changed_half ^= probing.draw_noise(
            probing.make_generator(seed + round_number), changed_half
        )
    return result.reshape(image.shape)


@contract.attack(
    name="feistel",
    threat="chosen ciphertext",
    title="Feistel network",
    control=lambda: contract.Target(
        name="three rounds over halves",
        oracle=_run_network,
        undo=lambda image: _run_network(image, inverse=True),
    ),
    details={"halves": "a description of the halves, or null"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Cancel the functions of two or three rounds.

    Needs: three results of the attacker's choice, restored under the key, and three images

    In a Feistel network, a function of one half is added to the other half, in turns. The attacker
    has results restored that share a half with the target, and has images of the restored halves
    scrambled: functions of equal halves cancel, in up to three rounds. Several ways to cut images
    and to combine halves are tried.
    """
    if target.undo is None:
        raise UnsupportedError("the scheme cannot restore results without further data")
    small_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_SAMPLES)
    query, undo = probing.Queries(target.oracle), probing.Queries(target.undo)
    target_result = query(small_picture)
    best_finding = probing.report_nothing(
        target_result,
        small_picture,
        queries=0,
        text="no two halves cancel in three rounds",
        halves=None,
    )
    for cut in _iterate_cuts(small_picture):
        guess = _restore_picture(query, undo, target_result, cut)
        finding = probing.judge_guess(
            target_result,
            guess,
            small_picture,
            queries=query.count + undo.count,
            text=f"three rounds over {cut.name}, combined by {cut.combination}",
            halves=cut.name,
        )
        best_finding = max(best_finding, finding, key=lambda each: each.recovered)
        if best_finding.broken:
            break
    return best_finding
