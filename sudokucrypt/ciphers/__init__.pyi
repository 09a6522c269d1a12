from sudokucrypt.ciphers.jpeg_coefficients import DcRange as DcRange
from sudokucrypt.ciphers.jpeg_coefficients import coefficient_scheme as coefficient_scheme
from sudokucrypt.ciphers.picture_map import picture_permutation as picture_permutation
from sudokucrypt.ciphers.pipeline import ContextScheme as ContextScheme
from sudokucrypt.ciphers.pipeline import KeyStreamMask as KeyStreamMask
from sudokucrypt.ciphers.pipeline import Part as Part
from sudokucrypt.ciphers.pipeline import Permutation as Permutation
from sudokucrypt.ciphers.pipeline import Pipeline as Pipeline
from sudokucrypt.ciphers.pipeline import Stage as Stage
from sudokucrypt.ciphers.pipeline import StageContext as StageContext
from sudokucrypt.ciphers.schemes import ENCRYPT as ENCRYPT
from sudokucrypt.ciphers.schemes import SCHEMES as SCHEMES
from sudokucrypt.ciphers.schemes import SCRAMBLE as SCRAMBLE
from sudokucrypt.ciphers.schemes import SCRAMBLE_JPEG as SCRAMBLE_JPEG
from sudokucrypt.ciphers.schemes import SegmentCipher as SegmentCipher
from sudokucrypt.ciphers.schemes import TaggedScheme as TaggedScheme
from sudokucrypt.ciphers.schemes import find_scheme as find_scheme
from sudokucrypt.ciphers.schemes import register_scheme as register_scheme
from sudokucrypt.ciphers.schemes import require_tag as require_tag
from sudokucrypt.ciphers.schemes import sample_digests as sample_digests
from sudokucrypt.ciphers.schemes import tag_message as tag_message

__all__: list[str]
