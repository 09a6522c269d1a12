"""Recognize which known photograph a scrambled JPEG shows, by sizes of block coefficients.

Masks that keep the size class of every coefficient also keep the sequence of runs of zeros and
sizes in each block, even if blocks move. The attacker has candidates for the picture, and compares
how often each such sequence occurs.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract
from sudokucrypt.analysis.attacks.jpeg_files import (
    ScrambledJpeg,
    compute_size_classes,
    make_control_target,
)
from sudokucrypt.images import MAX_PIXELS
from sudokucrypt.images.jpeg import ZIGZAG, JpegFile, read_coefficients

# The gray level of blocks that are not located.
_UNKNOWN_GRAY = 128

# Random weights of the coefficient sizes in a block. Different sequences of sizes have equal
# weighted sums modulo 2^64 with a probability of 2^-61.
_HASH_WEIGHTS = np.random.PCG64(0).random_raw(64)

_ZIGZAG_ORDER = np.asarray(ZIGZAG)
# The position of each coefficient of a block in the transposed block.
_TRANSPOSED_INDICES = np.argsort(_ZIGZAG_ORDER)[_ZIGZAG_ORDER % 8 * 8 + _ZIGZAG_ORDER // 8]

# A picture counts as recognized from this share of located blocks beyond chance. Unrelated
# photographs have less in common: at most 0.024 among 156 pairs of photographs in three qualities.
_MAX_UNRELATED_SHARE = 0.05

BlockHashes = NDArray[np.uint64]


def recognition_attack(
    oracle: contract.JpegOracle,
    data: bytes,
    others: Sequence[bytes] = (),
    *,
    max_pixels: int = MAX_PIXELS,
) -> contract.Finding:
    """Recognize a scrambled JPEG among candidates, and locate its blocks.

    The candidates are the file itself, the `others`, and two derived ones: the transposed file, and
    one in which the frequencies of the file are exchanged between blocks. A file among the others
    with the same sequences as the file is left out.

    The scheme leaks if the picture is recognized: if the result contains more blocks of it than of
    the next candidate, by a fifth of the remaining blocks, or if a twentieth more of its blocks are
    located. Unrelated photographs have less in common. The scheme is broken if a fifth of the
    blocks is located.

    `recovered` is the share of located blocks: their sequences occur once in the picture and once
    in the result, so both positions are known. The `picture` shows these blocks. Details are the
    numbers of `candidate_hashes` and of `blocks`, and the shares of blocks that the result has in
    common with the picture (`common_share`), in any position, and with the `next` candidate.

    Raises `UnsupportedError` or `InvalidImageError` if the coefficients of a file cannot be read,
    or if the result has other blocks.

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
    jpeg_pair = ScrambledJpeg.query(oracle, data, max_pixels=max_pixels)
    plain_hashes, scrambled_hashes = (
        _hash_blocks(jpeg_pair.plain_file),
        _hash_blocks(jpeg_pair.scrambled_file),
    )
    other_hashes = (_hash_blocks(read_coefficients(each, max_pixels=max_pixels)) for each in others)
    # A copy of the picture is left out, since it would be recognized equally well.
    candidate_hashes = [
        each for each in other_hashes if not np.array_equal(np.sort(each), np.sort(plain_hashes))
    ]
    # Candidates derived from the picture are added: anyone can make them, and recognition must
    # distinguish the blocks of the picture from their blocks.
    candidate_hashes += [
        _hash_blocks(jpeg_pair.plain_file, transposes_blocks=True),
        _hash_blocks(jpeg_pair.plain_file, mixes_blocks=True),
    ]
    common_share, next_best_share = (
        _measure_common_share(plain_hashes, scrambled_hashes),
        max(_measure_common_share(each, scrambled_hashes) for each in candidate_hashes),
    )
    is_located = _find_unique_blocks(plain_hashes, scrambled_hashes)
    located_share = float(is_located.mean())
    chance_share = max(
        float(_find_unique_blocks(each, scrambled_hashes).mean()) for each in candidate_hashes
    )
    # In both comparisons, the largest share among the other candidates counts as chance.
    recognition_outcome = contract.judge_share(
        common_share, chance=next_best_share, trials=len(plain_hashes)
    )
    outcome = contract.judge_share(located_share, chance=chance_share, trials=len(plain_hashes))
    if outcome is not contract.Outcome.BROKEN:
        is_recognized = recognition_outcome is contract.Outcome.BROKEN
        is_recognized |= (
            outcome is contract.Outcome.LEAKS
            and located_share - chance_share >= _MAX_UNRELATED_SHARE
        )
        outcome = contract.Outcome.LEAKS if is_recognized else contract.Outcome.NOTHING
    recognizer_text = (
        "nobody" if outcome is contract.Outcome.NOTHING else "anyone who has the picture"
    )
    text = (
        f"{recognizer_text} recognizes it: {common_share:.3f} of its blocks are in the result, and "
        f"{next_best_share:.3f} of the next of {len(candidate_hashes) + 1} candidates; "
        f"{located_share:.3f} of "
        f"{len(plain_hashes)} are located"
    )
    # Only the first component is drawn, since color components mostly have fewer blocks.
    grid_shape = jpeg_pair.plain_file.coefficients[0].shape[:2]
    picture = jpeg_pair.plain_pixels.copy()
    picture[
        ~jpeg_pair.enlarge_values(is_located[: grid_shape[0] * grid_shape[1]].reshape(grid_shape))
    ] = _UNKNOWN_GRAY
    return contract.Finding(
        outcome=outcome,
        text=text,
        queries=1 + len(others),
        recovered=located_share,
        seen=jpeg_pair.scrambled_pixels,
        picture=picture,
        details={
            "candidates": len(candidate_hashes) + 1,
            "blocks": len(plain_hashes),
            "alike": common_share,
            "next": next_best_share,
        },
    )


def _hash_blocks(
    file: JpegFile, *, mixes_blocks: bool = False, transposes_blocks: bool = False
) -> BlockHashes:
    """Return a hash of the sizes in each block of each component.

    With `mixes_blocks`, each frequency has the sizes of another block; with `transposes_blocks`,
    blocks are transposed.
    """
    hashes, weights = [], _HASH_WEIGHTS[_TRANSPOSED_INDICES] if transposes_blocks else _HASH_WEIGHTS
    for component, plane in enumerate(file.coefficients):
        blocks = plane.reshape(-1, plane.shape[-1])
        block_hashes = np.full(len(blocks), component, dtype=np.uint64) * weights[0]
        for index in range(1, blocks.shape[1]):
            sizes = compute_size_classes(blocks[:, index]).astype(np.uint64)
            # The coefficients of each frequency are shifted cyclically by a different number of
            # blocks, which keeps the histogram of the frequency but no whole block.
            distance = index * len(blocks) // blocks.shape[1] if mixes_blocks else 0
            block_hashes += np.roll(sizes, distance) * weights[index]
        hashes.append(block_hashes)
    return np.concatenate(hashes)


def _measure_common_share(first: BlockHashes, second: BlockHashes) -> float:
    """Return the number of blocks that two files have in common, as a share of the larger file."""
    numbers = np.unique(np.concatenate([first, second]), return_inverse=True)[1]
    counts = [
        np.bincount(each, minlength=numbers.max() + 1) for each in np.split(numbers, [len(first)])
    ]
    return float(np.minimum(*counts).sum() / max(len(first), len(second)))


def _find_unique_blocks(first: BlockHashes, second: BlockHashes) -> NDArray[np.bool_]:
    """Return a mask of the blocks of the first file that occur once in each of two files."""
    first_unique_hashes, second_unique_hashes = (
        values[counts == 1]
        for values, counts in (np.unique(each, return_counts=True) for each in (first, second))
    )
    return np.isin(
        first, np.intersect1d(first_unique_hashes, second_unique_hashes, assume_unique=True)
    )


@contract.attack(
    name="recognition",
    title="Recognition of a known photograph",
    control=make_control_target,
    takes="jpegs",
    details={
        "candidates": "the number of candidates",
        "blocks": "the number of blocks of all components",
        "alike": "the share of blocks that the picture and the result have in common",
        "next": "the largest share that another candidate and the result have in common",
    },
)
def _run_attack(
    target: contract.JpegTarget, data: bytes, others: Sequence[bytes] = (), *, max_pixels: int
) -> contract.Finding:
    """Recognize a scrambled JPEG among known ones, and locate its blocks.

    Needs: one scrambled JPEG, and candidates for the picture

    The attacker has one result and candidates for the picture: the picture itself, other given
    pictures, the transposed picture, and one in which the frequencies of the picture are exchanged
    between blocks. Sequences of sizes in blocks, and their counts, distinguish the candidates. The
    recovered share is the share of located blocks.
    """
    return recognition_attack(target.oracle, data, others, max_pixels=max_pixels)
