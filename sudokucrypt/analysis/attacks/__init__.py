"""Attacks on schemes that are given as callables, each with a scheme that it must break."""

from sudokucrypt.analysis.attacks.chosen_plaintext import (
    ChosenPlaintextResult,
    chosen_images,
    chosen_plaintext_attack,
)
from sudokucrypt.analysis.attacks.combining import Combination
from sudokucrypt.analysis.attacks.controls import CONTROLS, fixed_mask, masked_shuffle
from sudokucrypt.analysis.attacks.differential import DifferentialResult, differential_attack
from sudokucrypt.analysis.attacks.jigsaw import JigsawResult, jigsaw_attack
from sudokucrypt.analysis.attacks.known_plaintext import (
    KnownPlaintextResult,
    known_plaintext_attack,
    known_plaintext_share,
)
from sudokucrypt.analysis.attacks.labels import AttackUnit, Oracle, random_images
from sudokucrypt.analysis.attacks.recovered import RecoveredMap
from sudokucrypt.analysis.attacks.reuse import ReuseResult, reuse_attack
from sudokucrypt.analysis.attacks.row_column import RowColumnResult, row_column_attack

__all__ = [
    "CONTROLS",
    "AttackUnit",
    "ChosenPlaintextResult",
    "Combination",
    "DifferentialResult",
    "JigsawResult",
    "KnownPlaintextResult",
    "Oracle",
    "RecoveredMap",
    "ReuseResult",
    "RowColumnResult",
    "chosen_images",
    "chosen_plaintext_attack",
    "differential_attack",
    "fixed_mask",
    "jigsaw_attack",
    "known_plaintext_attack",
    "known_plaintext_share",
    "masked_shuffle",
    "random_images",
    "reuse_attack",
    "row_column_attack",
]
