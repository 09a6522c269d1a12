from sudokucrypt.analysis.attacks.adaptive import adaptive_attack as adaptive_attack
from sudokucrypt.analysis.attacks.affine import affine_attack as affine_attack
from sudokucrypt.analysis.attacks.codebook import codebook_attack as codebook_attack
from sudokucrypt.analysis.attacks.contract import ATTACKS as ATTACKS
from sudokucrypt.analysis.attacks.contract import Attack as Attack
from sudokucrypt.analysis.attacks.contract import AttackOption as AttackOption
from sudokucrypt.analysis.attacks.contract import AttackUnit as AttackUnit
from sudokucrypt.analysis.attacks.contract import Finding as Finding
from sudokucrypt.analysis.attacks.contract import JpegOracle as JpegOracle
from sudokucrypt.analysis.attacks.contract import JpegTarget as JpegTarget
from sudokucrypt.analysis.attacks.contract import Oracle as Oracle
from sudokucrypt.analysis.attacks.contract import Outcome as Outcome
from sudokucrypt.analysis.attacks.contract import Target as Target
from sudokucrypt.analysis.attacks.contract import UnitChoice as UnitChoice
from sudokucrypt.analysis.attacks.contract import attack as attack
from sudokucrypt.analysis.attacks.differential import Chain as Chain
from sudokucrypt.analysis.attacks.differential import differential_attack as differential_attack
from sudokucrypt.analysis.attacks.jigsaw import jigsaw_attack as jigsaw_attack
from sudokucrypt.analysis.attacks.jpeg_files import mask_in_place as mask_in_place
from sudokucrypt.analysis.attacks.masks import Combination as Combination
from sudokucrypt.analysis.attacks.masks import fixed_mask as fixed_mask
from sudokucrypt.analysis.attacks.masks import masked_shuffle as masked_shuffle
from sudokucrypt.analysis.attacks.masks import reuse_attack as reuse_attack
from sudokucrypt.analysis.attacks.mirrored import mirrored_attack as mirrored_attack
from sudokucrypt.analysis.attacks.plaintext import chosen_images as chosen_images
from sudokucrypt.analysis.attacks.plaintext import (
    chosen_plaintext_attack as chosen_plaintext_attack,
)
from sudokucrypt.analysis.attacks.plaintext import known_plaintext_attack as known_plaintext_attack
from sudokucrypt.analysis.attacks.plaintext import known_plaintext_share as known_plaintext_share
from sudokucrypt.analysis.attacks.recognition import recognition_attack as recognition_attack
from sudokucrypt.analysis.attacks.row_column import row_column_attack as row_column_attack
from sudokucrypt.analysis.attacks.sketch import sketch_attack as sketch_attack
from sudokucrypt.analysis.attacks.unit_maps import random_images as random_images

__all__: list[str]
