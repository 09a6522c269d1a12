"""Which of several known photographs a scrambled JPEG is, by the sizes in its blocks.

Masks that keep the size class of every coefficient keep what a block looks like in the file: its
runs of zeros and its sizes. Blocks that move take them along. The attacker has candidates for the
picture, and compares how often each such sequence occurs.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract
from sudokucrypt.analysis.attacks.jpeg_files import ScrambledJpeg, jpeg_control, size_classes
from sudokucrypt.images import MAX_PIXELS
from sudokucrypt.images.jpeg import ZIGZAG, JpegFile, read_coefficients

# The gray of blocks that are not found again.
_HIDDEN = 128

# Odds that two sequences have one sum of sizes, weighted by these modulo 2^64, are 2^-61.
_WEIGHTS = np.random.PCG64(0).random_raw(64)

_ZIGZAG = np.asarray(ZIGZAG)
# Where each coefficient of a block is in the same block on its side.
_TRANSPOSED = np.argsort(_ZIGZAG)[_ZIGZAG % 8 * 8 + _ZIGZAG // 8]

# More blocks than two photographs have in common by sequences that occur once: at most 0.024 of 156
# pairs of photographs in three qualities.
_STRANGERS = 0.05

BlockHashes = NDArray[np.uint64]


def recognition_attack(
    oracle: contract.JpegOracle,
    data: bytes,
    others: Sequence[bytes] = (),
    *,
    max_pixels: int = MAX_PIXELS,
) -> contract.Finding:
    """Recognize a scrambled JPEG among candidates, and find its blocks again.

    The candidates are the file itself, the `others`, and two made ones: the file on its side, and
    one whose frequencies are those of the file in other blocks. One of the others that has the very
    same sequences counts as the file. The picture is recognized, and the scheme leaks, if the
    result holds more blocks of it than of the next candidate, by a fifth of those that are left, or
    if a twentieth more of its blocks are found again; both are more than strangers have in common.
    The scheme is broken if a fifth is found again.

    `recovered` is the share of blocks that are found again: their sequences occur once in the
    picture and once in the result, so both positions are known. The `picture` shows those parts.
    Details are the numbers of `candidates` and of `blocks`, and the shares of blocks that the
    result has in common with the picture (`alike`), in any position, and with the `next` candidate.

    Raises `UnsupportedError` or `InvalidImageError` if a file is no JPEG whose coefficients are
    read, or the result has other blocks.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes the bytes of a JPEG file, and returns those of another.
    data : bytes
        The JPEG file that the attacker is after.
    others : sequence of bytes, default ()
        Other JPEG files, which are candidates too.
    max_pixels : int, default 134217728
        The largest number of pixels of a picture that is read.
    """
    files = ScrambledJpeg.query(oracle, data, max_pixels=max_pixels)
    own, result = _hashes(files.plain), _hashes(files.scrambled)
    read = (_hashes(read_coefficients(each, max_pixels=max_pixels)) for each in others)
    # A copy of the picture among the others would make the next candidate as good as the first.
    rest = [each for each in read if not np.array_equal(np.sort(each), np.sort(own))]
    # Two that anyone can make: what they have in common with the result is no recognition of
    # blocks.
    rest += [_hashes(files.plain, transposed=True), _hashes(files.plain, mixed=True)]
    alike, following = _in_common(own, result), max(_in_common(each, result) for each in rest)
    again = _occur_once(own, result)
    share = float(again.mean())
    chance = max(float(_occur_once(each, result).mean()) for each in rest)
    # What the next candidate has is taken for chance, on both counts.
    same = contract.outcome_of(alike, chance=following, trials=len(own))
    outcome = contract.outcome_of(share, chance=chance, trials=len(own))
    if outcome is not contract.Outcome.BROKEN:
        known = same is contract.Outcome.BROKEN
        known |= outcome is contract.Outcome.LEAKS and share - chance >= _STRANGERS
        outcome = contract.Outcome.LEAKS if known else contract.Outcome.NOTHING
    answer = "nobody" if outcome is contract.Outcome.NOTHING else "whoever has the picture"
    text = (
        f"{answer} recognizes it: {alike:.3f} of its blocks are in the result, and {following:.3f} "
        f"of the next of {len(rest) + 1} candidates; {share:.3f} of {len(own)} are found again"
    )
    # Only the first component is drawn: those of colors mostly have fewer blocks.
    first = files.plain.coefficients[0].shape[:2]
    picture = files.plain_pixels.copy()
    picture[~files.enlarge(again[: first[0] * first[1]].reshape(first))] = _HIDDEN
    return contract.Finding(
        outcome=outcome,
        text=text,
        queries=1 + len(others),
        recovered=share,
        seen=files.scrambled_pixels,
        picture=picture,
        details={
            "candidates": len(rest) + 1,
            "blocks": len(own),
            "alike": alike,
            "next": following,
        },
    )


def _hashes(file: JpegFile, *, mixed: bool = False, transposed: bool = False) -> BlockHashes:
    """Return a number for each block of each component that stands for the sizes in it.

    With `mixed` the sizes of each frequency are those of another block, and with `transposed`
    blocks are on their sides.
    """
    hashes, weights = [], _WEIGHTS[_TRANSPOSED] if transposed else _WEIGHTS
    for component, plane in enumerate(file.coefficients):
        blocks = plane.reshape(-1, plane.shape[-1])
        sums = np.full(len(blocks), component, dtype=np.uint64) * weights[0]
        for index in range(1, blocks.shape[1]):
            sizes = size_classes(blocks[:, index]).astype(np.uint64)
            # Each frequency is rolled by another distance, so that its histogram stays and no block
            # does.
            moved = index * len(blocks) // blocks.shape[1] if mixed else 0
            sums += np.roll(sizes, moved) * weights[index]
        hashes.append(sums)
    return np.concatenate(hashes)


def _in_common(first: BlockHashes, second: BlockHashes) -> float:
    """Return the share of blocks that two files have in common, of those of the larger one."""
    kinds = np.unique(np.concatenate([first, second]), return_inverse=True)[1]
    counts = [
        np.bincount(each, minlength=kinds.max() + 1) for each in np.split(kinds, [len(first)])
    ]
    return float(np.minimum(*counts).sum() / max(len(first), len(second)))


def _occur_once(first: BlockHashes, second: BlockHashes) -> NDArray[np.bool_]:
    """Return which blocks of one file occur once in it and once in the other."""
    mine, theirs = (
        values[counts == 1]
        for values, counts in (np.unique(each, return_counts=True) for each in (first, second))
    )
    return np.isin(first, np.intersect1d(mine, theirs, assume_unique=True))


@contract.attack(
    name="recognition",
    title="Recognition of a known photograph",
    control=jpeg_control,
    takes="jpegs",
    details={
        "candidates": "how many candidates there were",
        "blocks": "how many blocks there are in all components",
        "alike": "the share of blocks that the picture and the result have in common",
        "next": "the largest share that another candidate and the result have in common",
    },
)
def _run(
    target: contract.JpegTarget, data: bytes, others: Sequence[bytes] = (), *, max_pixels: int
) -> contract.Finding:
    """Recognize a scrambled JPEG among known ones, and find its blocks again.

    Needs: one scrambled JPEG, and candidates for the picture

    The attacker has one result and candidates for the picture: the picture itself, those that
    are named beside it, the picture on its side, and one whose frequencies are those of the
    picture in other blocks. Sequences of sizes in blocks, and how often they occur, tell them
    apart. Figures are shares of blocks that are found again.
    """
    return recognition_attack(target.oracle, data, others, max_pixels=max_pixels)
