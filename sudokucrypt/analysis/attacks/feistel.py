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
from sudokucrypt.analysis.attacks.masks import ADDERS, REMOVERS, Combination, list_combinations
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.typing import AnyArray

_SAMPLES = 64 * 64

HalfMask = NDArray[np.bool_]


@dataclass(frozen=True)
class _Cut:
    """A way to cut an image into equal halves, and to combine one with a function of the other.

    `half` is a mask of one half, of samples or of their bits.
    """

    name: str
    half: HalfMask
    combination: Combination

    def split(self, image: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return both halves of an image."""
        units = image if self.half.size == image.size else np.unpackbits(image).view(np.bool_)
        half_mask = self.half.reshape(units.shape)
        return units[half_mask], units[~half_mask]

    def join(self, first: AnyArray, second: AnyArray, template: AnyArray) -> AnyArray:
        """Return the image with these halves, in the shape and dtype of a template."""
        units = np.empty(self.half.shape, first.dtype)
        units[self.half], units[~self.half] = first, second
        packed = units if self.half.size == template.size else np.packbits(units)
        return packed.reshape(template.shape)


def _iterate_cuts(template: AnyArray) -> Iterator[_Cut]:
    """Yield the cuts to try, with their combinations."""
    indices = np.arange(template.size).reshape(template.shape)
    row, column = np.indices(template.shape)[:2]
    halves = {
        "halves in reading order": indices < indices.size // 2,
        "the left and the right": column < template.shape[1] // 2,
        "every second sample": indices % 2 == 0,
        "every second row": row % 2 == 0,
        "every second column": column % 2 == 0,
    }
    bits = np.arange(8 * template.size)
    bit_halves = {
        "nibbles": bits % 8 < 4,
        "every second pair of bits": bits % 4 < 2,
        "every second bit": bits % 2 < 1,
    }
    yield from (
        _Cut(name, mask, combination)
        for (name, half), combination in product(halves.items(), list_combinations(template)[:2])
        for mask in (half, ~half)
        if 2 * np.count_nonzero(half) == half.size
    )
    for name, half in bit_halves.items() if template.dtype == np.uint8 else ():
        yield from (_Cut(name, mask, "exclusive-or") for mask in (half, ~half))


def _restore(
    query: probing.Queries, undo: probing.Queries, target_result: AnyArray, cut: _Cut
) -> AnyArray:
    """Return the picture, if the scheme is a Feistel network whose last round changes this half.

    An image has the halves L and R, and its result the halves b and a; L is the half that changes
    in the last round: m = L + F1(R), a = R + F2(m) and b = m + F3(a). Since constants can be moved
    between the functions, assume F1(r) = 0 for one value r of R. Then images with R = r show F2 of
    any m, and F3 of the corresponding a. Results with this a and another m show F1 of
    r + F2(m) - F2(other m). Two such steps give the R of the picture without its own result.
    """
    add, subtract, split = ADDERS[cut.combination], REMOVERS[cut.combination], cut.split

    def join(changed_half: AnyArray, other_half: AnyArray) -> AnyArray:
        return cut.join(changed_half, other_half, target_result)

    half_b, half_a = split(target_result)
    offset, half_x = (probing.draw_noise(probing.make_generator(seed), half_b) for seed in (29, 30))
    shifted_m, half_r = split(undo(join(add(half_b, offset), half_a)))  # m + offset, as F1(r) = 0
    half_m = subtract(shifted_m, offset)
    _, a_of_m = split(query(join(half_m, half_r)))
    b_of_x, a_of_x = split(query(join(half_x, half_r)))
    m_of_step, r_of_step = split(undo(join(add(half_m, subtract(b_of_x, half_x)), a_of_x)))
    f1_of_step = subtract(half_m, m_of_step)
    b_of_last, a_of_last = split(query(join(subtract(shifted_m, f1_of_step), r_of_step)))
    m_of_last, _ = split(undo(join(add(half_x, subtract(b_of_last, shifted_m)), a_of_last)))
    f1_of_picture = subtract(half_x, m_of_last)
    return join(subtract(half_m, f1_of_picture), subtract(half_a, subtract(a_of_m, half_r)))


def _run_network(image: AnyArray, *, inverse: bool = False) -> AnyArray:
    """Run three rounds over halves in reading order, keyed by a checksum of the other half."""
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
        raise UnsupportedError("the scheme has no inverse that takes only results")
    small_picture = probing.shrink_target(target.oracle, picture, samples=_SAMPLES)
    query, undo = probing.Queries(target.oracle), probing.Queries(target.undo)
    target_result = query(small_picture)
    best = probing.report_nothing(
        target_result,
        small_picture,
        queries=0,
        text="no two halves cancel in three rounds",
        halves=None,
    )
    for cut in _iterate_cuts(small_picture):
        guess = _restore(query, undo, target_result, cut)
        finding = probing.judge(
            target_result,
            guess,
            small_picture,
            queries=query.count + undo.count,
            text=f"three rounds over {cut.name}, combined by {cut.combination}",
            halves=cut.name,
        )
        best = max(best, finding, key=lambda each: each.recovered)
        if best.broken:
            break
    return best
