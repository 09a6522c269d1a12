"""The jigsaw attack: reassemble moved and turned blocks from one result, without any query."""

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks import contract
from sudokucrypt.analysis.attacks.assembly import AssemblyScores, BlockIdentities, assemble_blocks
from sudokucrypt.analysis.attacks.blocks import (
    TURN_GROUPS,
    BlockEdges,
    choose_turn_group,
    compute_joint_costs,
    count_partner_pairs,
    crop_to_blocks,
    cut_blocks,
    estimate_block_size,
)
from sudokucrypt.analysis.baselines import BlockShuffle
from sudokucrypt.analysis.inputs import check_image
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.typing import AnyArray

# The maximum number of blocks: tables have up to 64 entries for each pair of blocks.
MAX_BLOCKS = 1024

# The side of the blocks of the control, if none is given.
_CONTROL_BLOCK_SIDE = 32

# The whole picture counts as visible from this share of right joints; with fewer, only parts are
# visible.
_MIN_VISIBLE_SHARE = 0.5


def jigsaw_attack(
    oracle: contract.Oracle, image: ArrayLike, *, block_size: int | None = None
) -> contract.Finding:
    """Reassemble the blocks of a scrambled picture by their edges.

    Without `block_size`, the side of the blocks is estimated from the differences of neighboring
    pixels in the scrambled picture, which are larger where blocks meet. The picture is cropped to
    whole blocks, two or more, and at most 1024 from its middle. It is scrambled once, or twice if
    there are too many blocks of the estimated size, and otherwise only used to score the attack.

    The attacker uses one scrambled picture and no knowledge of key or plain image; salt is no
    obstacle. Blocks may be rotated, mirrored and inverted: the pairs of edges that fit best
    show this. Blocks of equal content count as the same block. Flat regions, noise,
    drawings and small blocks are harder. `recovered` is the share of right joints between
    neighboring blocks. The picture is shown upright and not as a negative, though no attacker knows
    its orientation.

    Details are `block_size`, the side of a block in pixels; `estimated`, whether the attack
    estimated this side; `blocks`, the number of blocks; and `turns`, how blocks were turned, such
    as "not rotated". All except `estimated` are None if no blocks show. `chance` is the mean share
    of right joints in random assemblies, `direct` the share of blocks in their right position, and
    `largest` the share of blocks in the largest part whose joints are all right.
    Source: T. Chuman, W. Sirichotedumrong, H. Kiya, 2019, doi:10.1109/TIFS.2018.2881677; costs and
    scores after A. C. Gallagher, 2012, doi:10.1109/CVPR.2012.6247699.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The picture that the attacker is after; it serves to score the attack.
    block_size : int, optional
        The side of the blocks in pixels, 2 or more; by default it is estimated.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import BlockShuffle
    >>> waves = np.sin(np.add.outer(np.arange(64) ** 2 / 900, np.arange(64) ** 1.5 / 70))
    >>> picture = np.uint8(127 + 120 * waves)
    >>> result = jigsaw_attack(BlockShuffle(16).scramble, picture)
    >>> result.block_size, result.turns, result.recovered
    (16, 'not rotated', 1.0)
    """
    check_image(image)
    plain, scrambled_image, size_is_estimated = np.asarray(image), None, block_size is None
    if block_size is None:
        scrambled_image = contract.query(oracle, plain)
        block_size = estimate_block_size(check_image(scrambled_image)[0])
        if block_size is None:
            return _report_no_blocks(scrambled_image)
    block_counts = _require_whole_blocks(plain, block_size)
    plain, shape = crop_to_blocks(plain, block_size, max_blocks=MAX_BLOCKS)
    # Only the cropped picture is scrambled, so that blocks outside it cannot help the attack.
    if scrambled_image is None or shape != block_counts:
        scrambled_image = contract.query(oracle, plain)
    scrambled_image, _ = crop_to_blocks(scrambled_image, block_size, max_blocks=MAX_BLOCKS)
    samples, levels = check_image(scrambled_image)
    blocks = cut_blocks(samples, block_size)
    edges = BlockEdges(blocks, levels)
    turn_group_name = choose_turn_group(count_partner_pairs(edges))
    turn_group = TURN_GROUPS[turn_group_name]
    identities = BlockIdentities(
        cut_blocks(check_image(plain)[0], block_size), blocks, shape, levels
    )
    assembly = identities.turn_upright(
        assemble_blocks(compute_joint_costs(edges, turn_group), turn_group, shape)
    )
    scores = identities.score_assembly(assembly, turn_group)
    outcome = contract.judge_share(scores.joints, chance=scores.chance, trials=scores.count)
    if outcome is contract.Outcome.BROKEN and scores.joints < _MIN_VISIBLE_SHARE:
        outcome = contract.Outcome.LEAKS
    size_text = f"blocks of {block_size} pixels a side"
    if size_is_estimated:
        size_text += ", as steps between neighboring pixels show"
    return contract.Finding(
        outcome=outcome,
        text=_describe_outcome(outcome, scores, size_text, turn_group_name),
        recovered=scores.joints,
        seen=scrambled_image,
        picture=assembly.render_picture(blocks, levels)
        .reshape(scrambled_image.shape)
        .astype(scrambled_image.dtype),
        details={
            "block_size": block_size,
            "estimated": size_is_estimated,
            "blocks": len(blocks),
            "turns": turn_group_name,
            "direct": scores.direct,
            "neighbor": scores.joints,
            "chance": scores.chance,
            "largest": scores.largest,
        },
    )


def _require_whole_blocks(plain: AnyArray, block_size: int) -> tuple[int, int]:
    """Count the rows and the columns of whole blocks; raise if there are fewer than two blocks."""
    if isinstance(block_size, bool) or not isinstance(block_size, int) or block_size < 2:
        raise InvalidParameterError(
            f"a block has 2 pixels a side or more, not {block_size!r}",
            hint="single pixels have no edges to fit; use chosen_plaintext_attack",
        )
    rows, columns = plain.shape[0] // block_size, plain.shape[1] // block_size
    if rows * columns < 2:
        raise InvalidImageError(
            f"an image of {plain.shape[0]}x{plain.shape[1]} pixels has fewer than two blocks "
            f"of side {block_size}"
        )
    return rows, columns


def _report_no_blocks(scrambled_image: AnyArray) -> contract.Finding:
    text = "steps between neighboring pixels of one scrambled picture show no blocks"
    empty_details = dict.fromkeys(("block_size", "blocks", "turns"))
    zero_shares = dict.fromkeys(("direct", "neighbor", "chance", "largest"), 0.0)
    return contract.Finding(
        outcome=contract.Outcome.NOTHING,
        text=text,
        seen=scrambled_image,
        picture=scrambled_image,
        details={"estimated": True, **empty_details, **zero_shares},
    )


def _describe_outcome(
    outcome: contract.Outcome, scores: AssemblyScores, size_text: str, turn_group_name: str
) -> str:
    """Return the reasons for an outcome as a text."""
    score_text = (
        f"{scores.joints:.2f} of the joints are correct where chance gives "
        f"{scores.chance:.2f}, "
        f"{scores.direct:.2f} of the blocks are in place, and the largest correct part has "
        f"{scores.largest:.2f} of them"
    )
    if outcome is contract.Outcome.NOTHING:
        extent_text = "no more of the picture was reassembled than by chance"
    elif scores.joints >= 0.9:
        extent_text = "the picture was reassembled almost completely"
    else:
        amount_word = "much" if scores.joints >= _MIN_VISIBLE_SHARE else "some"
        extent_text = f"{amount_word} of the picture was reassembled"
    return (
        f"{extent_text}, from one scrambled picture only; it has {size_text}, and edges fit best "
        f"if they are {turn_group_name}; {score_text}"
    )


@contract.attack(
    name="jigsaw",
    threat="ciphertext only",
    title="Jigsaw",
    control=lambda *, block_size: contract.Target(
        name="block", oracle=BlockShuffle(block_size or _CONTROL_BLOCK_SIDE).scramble
    ),
    options=(
        contract.AttackOption(
            name="block_size",
            metavar="B",
            default=0,
            least=0,
            most=65535,
            text="Side of the blocks in pixels; 0 detects it, unless the scheme states it.",
        ),
    ),
    blocks=True,
    details={
        "block_size": "the side of a block in pixels, null if no blocks show",
        "estimated": "whether the attack estimated that size",
        "blocks": "the number of blocks that were attacked",
        "turns": 'how blocks were turned, as their edges suggest, such as `"not rotated"`',
        "direct": "the share of blocks in their original positions",
        "neighbor": "the share of correct joints",
        "chance": "the share of correct joints of blocks that are joined at random",
        "largest": "the share of blocks in the largest correct part",
    },
)
def _run_attack(target: contract.Target, picture: AnyArray, *, block_size: int) -> contract.Finding:
    """Reassemble scrambled blocks by their edges.

    Needs: one result; the size of its blocks is visible or known

    The attacker has only one result, estimates the size of its blocks, and joins blocks whose edges
    fit, even if blocks are rotated, mirrored or inverted.
    """
    return jigsaw_attack(target.oracle, picture, block_size=target.block_size or block_size or None)
