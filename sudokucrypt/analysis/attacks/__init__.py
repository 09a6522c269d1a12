"""Attacks on schemes that are given as callables, each with a control that it must break.

An oracle is a scheme under one key: a callable that takes an image and returns one of the same
shape and dtype. Images are as in `sudokucrypt.analysis`. The ``unit`` that is traced is a whole
"pixel", M N of them, a single "sample", M N C of them, or a "bit" of a sample; "auto" tries all of
them. `InvalidImageError` is raised for shapes and dtypes that are not taken, and where a scheme
changes them.

Attacks on JPEG files take an oracle for the bytes of such files in place of images.
"""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "analysis.attacks.adaptive": "AdaptiveResult adaptive_attack",
    "analysis.attacks.affine": "affine_attack",
    "analysis.attacks.attack": (
        "ATTACKS Attack AttackOption AttackResult AttackUnit Finding JpegOracle JpegTarget "
        "Oracle Outcome Target UnitChoice"
    ),
    "analysis.attacks.codebook": "codebook_attack",
    "analysis.attacks.differential": "Chain DifferentialResult differential_attack",
    "analysis.attacks.jigsaw": "JigsawResult jigsaw_attack",
    "analysis.attacks.jpeg_files": "masked_in_place",
    "analysis.attacks.masks": "Combination ReuseResult fixed_mask masked_shuffle reuse_attack",
    "analysis.attacks.mirrored": "MirroredResult mirrored_attack",
    "analysis.attacks.plaintext": (
        "ChosenPlaintextResult KnownPlaintextResult chosen_images chosen_plaintext_attack "
        "known_plaintext_attack known_plaintext_share"
    ),
    "analysis.attacks.recognition": "RecognitionResult recognition_attack",
    "analysis.attacks.row_column": "RowColumnResult row_column_attack",
    "analysis.attacks.sketch": "SketchResult sketch_attack",
    "analysis.attacks.tracing": "RecoveredMap",
    "analysis.attacks.unit_maps": "random_images",
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.analysis.attacks.adaptive import AdaptiveResult as AdaptiveResult
    from sudokucrypt.analysis.attacks.adaptive import adaptive_attack as adaptive_attack
    from sudokucrypt.analysis.attacks.affine import affine_attack as affine_attack
    from sudokucrypt.analysis.attacks.attack import ATTACKS as ATTACKS
    from sudokucrypt.analysis.attacks.attack import Attack as Attack
    from sudokucrypt.analysis.attacks.attack import AttackOption as AttackOption
    from sudokucrypt.analysis.attacks.attack import AttackResult as AttackResult
    from sudokucrypt.analysis.attacks.attack import AttackUnit as AttackUnit
    from sudokucrypt.analysis.attacks.attack import Finding as Finding
    from sudokucrypt.analysis.attacks.attack import JpegOracle as JpegOracle
    from sudokucrypt.analysis.attacks.attack import JpegTarget as JpegTarget
    from sudokucrypt.analysis.attacks.attack import Oracle as Oracle
    from sudokucrypt.analysis.attacks.attack import Outcome as Outcome
    from sudokucrypt.analysis.attacks.attack import Target as Target
    from sudokucrypt.analysis.attacks.attack import UnitChoice as UnitChoice
    from sudokucrypt.analysis.attacks.codebook import codebook_attack as codebook_attack
    from sudokucrypt.analysis.attacks.differential import Chain as Chain
    from sudokucrypt.analysis.attacks.differential import DifferentialResult as DifferentialResult
    from sudokucrypt.analysis.attacks.differential import differential_attack as differential_attack
    from sudokucrypt.analysis.attacks.jigsaw import JigsawResult as JigsawResult
    from sudokucrypt.analysis.attacks.jigsaw import jigsaw_attack as jigsaw_attack
    from sudokucrypt.analysis.attacks.jpeg_files import masked_in_place as masked_in_place
    from sudokucrypt.analysis.attacks.masks import Combination as Combination
    from sudokucrypt.analysis.attacks.masks import ReuseResult as ReuseResult
    from sudokucrypt.analysis.attacks.masks import fixed_mask as fixed_mask
    from sudokucrypt.analysis.attacks.masks import masked_shuffle as masked_shuffle
    from sudokucrypt.analysis.attacks.masks import reuse_attack as reuse_attack
    from sudokucrypt.analysis.attacks.mirrored import MirroredResult as MirroredResult
    from sudokucrypt.analysis.attacks.mirrored import mirrored_attack as mirrored_attack
    from sudokucrypt.analysis.attacks.plaintext import (
        ChosenPlaintextResult as ChosenPlaintextResult,
    )
    from sudokucrypt.analysis.attacks.plaintext import KnownPlaintextResult as KnownPlaintextResult
    from sudokucrypt.analysis.attacks.plaintext import chosen_images as chosen_images
    from sudokucrypt.analysis.attacks.plaintext import (
        chosen_plaintext_attack as chosen_plaintext_attack,
    )
    from sudokucrypt.analysis.attacks.plaintext import (
        known_plaintext_attack as known_plaintext_attack,
    )
    from sudokucrypt.analysis.attacks.plaintext import (
        known_plaintext_share as known_plaintext_share,
    )
    from sudokucrypt.analysis.attacks.recognition import RecognitionResult as RecognitionResult
    from sudokucrypt.analysis.attacks.recognition import recognition_attack as recognition_attack
    from sudokucrypt.analysis.attacks.row_column import RowColumnResult as RowColumnResult
    from sudokucrypt.analysis.attacks.row_column import row_column_attack as row_column_attack
    from sudokucrypt.analysis.attacks.sketch import SketchResult as SketchResult
    from sudokucrypt.analysis.attacks.sketch import sketch_attack as sketch_attack
    from sudokucrypt.analysis.attacks.tracing import RecoveredMap as RecoveredMap
    from sudokucrypt.analysis.attacks.unit_maps import random_images as random_images
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES)
