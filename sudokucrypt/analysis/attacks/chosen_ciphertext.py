"""Chosen ciphertext: recover a picture from changed results that are restored under the key."""

from collections.abc import Iterator
from itertools import chain, product

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.codebook import CHAIN_CONTROL_TARGET
from sudokucrypt.analysis.attacks.scan_orders import list_scan_orders
from sudokucrypt.errors import DecryptionError, UnsupportedError
from sudokucrypt.typing import AnyArray

_MAX_SAMPLES = 64 * 64
# The number of results in which two bits are exchanged, and, for each scan order, the number of
# results in which a part of a chain is changed.
_EXCHANGE_COUNT, _CHAIN_CHANGE_COUNT = 64, 8
# If two restored pictures have a larger share of equal samples, these samples belong to the plain
# picture.
_MIN_EQUAL_SHARE = 0.5


def _iterate_combined_pictures(
    undo: probing.Queries, target_result: AnyArray
) -> Iterator[tuple[str, AnyArray]]:
    """Yield a combination of three restored pictures: the plain one if the scheme is affine."""
    generator = probing.make_generator(8)
    first_change, second_change = (
        probing.draw_noise(generator, target_result) | np.array(1, target_result.dtype)
        for _ in range(2)
    )
    first_picture, second_picture, combined_picture = (
        undo(target_result ^ first_change),
        undo(target_result ^ second_change),
        undo(target_result ^ first_change ^ second_change),
    )
    yield "by exclusive-or of three others", first_picture ^ second_picture ^ combined_picture
    if target_result.dtype != np.bool_:
        first_picture, second_picture, combined_picture = (
            undo(target_result + first_change),
            undo(target_result + second_change),
            undo(target_result + first_change + second_change),
        )
        yield "as a sum of three others", first_picture + second_picture - combined_picture


def _iterate_changed_results(target_result: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """Yield changed results that many schemes restore with few errors.

    If one sample is changed, a scheme may restore all parts that do not depend on it. If lines move
    by amounts that depend on sums, or bits by the number of ones, changes must cancel: two bits are
    exchanged, or one bit is changed in all samples of a chain between two samples of one line.
    """
    result_samples, generator, lowest_bit = (
        target_result.reshape(-1),
        probing.make_generator(18),
        np.array(1, target_result.dtype),
    )
    for index in (0, result_samples.size - 1, result_samples.size // 2):
        image = result_samples.copy()
        image[index] ^= lowest_bit
        yield "with one changed sample", image
    for _ in range(_EXCHANGE_COUNT):
        bit = lowest_bit << np.array(
            generator.integers(probing.count_bits(target_result)), target_result.dtype
        )
        image, has_bit = result_samples.copy(), (result_samples & bit) != 0
        if has_bit.any() and not has_bit.all():
            image[[generator.choice(np.flatnonzero(each)) for each in (has_bit, ~has_bit)]] ^= bit
            yield "with two bits exchanged", image
    operations = (np.bitwise_xor,) if target_result.dtype == np.bool_ else (np.bitwise_xor, np.add)
    indices = np.arange(result_samples.size).reshape(target_result.shape)
    for (name, order), index_lines in product(
        list_scan_orders(target_result.shape).items(), (indices, indices.swapaxes(0, 1))
    ):
        for attempt in range(_CHAIN_CHANGE_COUNT if index_lines[0].size > 1 else 0):
            chain_end_indices = generator.choice(
                index_lines[generator.integers(len(index_lines))].reshape(-1), 2, replace=False
            )
            chain_start, chain_stop = np.sort(np.argsort(order)[chain_end_indices])
            image, operation = result_samples.copy(), operations[attempt % len(operations)]
            operation.at(image, order[chain_start:chain_stop], lowest_bit)
            yield f"with changes that cancel along {name}", image


def _iterate_agreeing_pictures(
    undo: probing.Queries, target_result: AnyArray
) -> Iterator[tuple[str, AnyArray]]:
    """Yield each restored picture that mostly agrees with an earlier one, beyond chance."""
    restored_pictures: list[AnyArray] = []
    for text, image in _iterate_changed_results(target_result):
        picture = undo(image.reshape(target_result.shape))
        if any(
            np.mean(earlier_picture == picture) > _MIN_EQUAL_SHARE
            for earlier_picture in restored_pictures
        ):
            yield text, picture
        restored_pictures.append(picture)


@contract.attack(
    name="chosen-ciphertext",
    threat="chosen ciphertext",
    title="Chosen ciphertext",
    control=lambda: CHAIN_CONTROL_TARGET,
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Restore changed results, and combine the restored pictures into the plain picture.

    Needs: results of the attacker's choice, restored under the key; none of them is the target

    The attacker has changed copies of the result restored. If the inverse is affine, three of
    them give the picture. If a change causes few errors, the rest of the picture is restored, and
    two restored pictures agree in it; some changes keep the sums of lines or the number of ones.
    Schemes that check a tag refuse changed results.
    """
    if target.undo is None:
        raise UnsupportedError("the scheme cannot restore results without further data")
    small_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_SAMPLES)
    target_result = contract.query(target.oracle, small_picture)
    if not np.array_equal(target_result, contract.query(target.oracle, small_picture)):
        raise UnsupportedError(
            "equal images give different results, so restoring a result takes further data"
        )
    undo = probing.Queries(target.undo)
    finding = probing.report_nothing(
        target_result, small_picture, queries=0, text="no two restored pictures have much in common"
    )
    try:
        for text, guess in chain(
            _iterate_combined_pictures(undo, target_result),
            _iterate_agreeing_pictures(undo, target_result),
        ):
            new_finding = probing.judge_guess(
                target_result, guess, small_picture, queries=undo.count, text=text
            )
            finding = max(finding, new_finding, key=lambda each: each.recovered)
            if finding.outcome is contract.Outcome.BROKEN:
                break
    except DecryptionError:
        text = "changed results are refused"
        return probing.report_nothing(target_result, small_picture, queries=undo.count, text=text)
    return finding
