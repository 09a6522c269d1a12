"""Attacks on schemes that are given as callables, each with a control that it must break."""

from sudokucrypt.analysis.attacks.attack import (
    ATTACKS,
    Attack,
    AttackOption,
    AttackUnit,
    Finding,
    Oracle,
    Outcome,
    Target,
)
from sudokucrypt.analysis.attacks.chosen_plaintext import (
    ChosenPlaintextResult,
    chosen_images,
    chosen_plaintext_attack,
)
from sudokucrypt.analysis.attacks.differential import DifferentialResult, differential_attack
from sudokucrypt.analysis.attacks.jigsaw import JigsawResult, jigsaw_attack
from sudokucrypt.analysis.attacks.known_plaintext import (
    KnownPlaintextResult,
    known_plaintext_attack,
    known_plaintext_share,
)
from sudokucrypt.analysis.attacks.labels import random_images
from sudokucrypt.analysis.attacks.recovered import RecoveredMap
from sudokucrypt.analysis.attacks.reuse import (
    Combination,
    ReuseResult,
    fixed_mask,
    masked_shuffle,
    reuse_attack,
)
from sudokucrypt.analysis.attacks.row_column import RowColumnResult, row_column_attack

__all__ = [
    "ATTACKS",
    "Attack",
    "AttackOption",
    "AttackUnit",
    "ChosenPlaintextResult",
    "Combination",
    "DifferentialResult",
    "Finding",
    "JigsawResult",
    "KnownPlaintextResult",
    "Oracle",
    "Outcome",
    "RecoveredMap",
    "ReuseResult",
    "RowColumnResult",
    "Target",
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
