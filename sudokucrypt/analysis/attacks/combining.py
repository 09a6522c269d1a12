"""The ways in which a key stream is put on samples, and taken off again."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sudokucrypt.typing import AnyArray

    Operation: TypeAlias = Callable[[AnyArray, AnyArray], AnyArray]

Combination: TypeAlias = Literal["exclusive-or", "sum"]
"""Exclusive-or of the bits, or the sum modulo the number of levels."""

REMOVERS: Mapping[Combination, Operation] = MappingProxyType(
    {"exclusive-or": np.bitwise_xor, "sum": np.subtract}
)
"""What takes a stream off samples of an unsigned dtype again."""

ADDERS: Mapping[Combination, Operation] = MappingProxyType(
    {"exclusive-or": np.bitwise_xor, "sum": np.add}
)
"""What puts a stream on samples of an unsigned dtype."""


def combinations_for(image: AnyArray) -> tuple[Combination, ...]:
    """Return the ways that differ for samples like these: bits have one only."""
    return ("exclusive-or",) if image.dtype == np.bool_ else ("exclusive-or", "sum")
