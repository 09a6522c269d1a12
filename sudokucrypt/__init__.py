"""Scramble and encrypt images with keyed Sudoku bijections, and restore them exactly."""

from sudokucrypt._version import __version__ as __version__
from sudokucrypt.lazy import lazy_names

_NAMES = {
    "bijections": (
        "Numbering Representation bijection cells_at compose cycle_type invert names_of order "
        "permutation"
    ),
    "ciphers": "picture_permutation",
    "draws": "StreamDraws",
    "errors": (
        "BrokenRuleError DecryptionError FormatError InvalidGridError InvalidImageError "
        "InvalidKeyError InvalidParameterError MultipleSolutionsError NoSolutionError "
        "OutputExistsError SudokucryptError UndecidedError UnsupportedError "
        "UnsupportedVersionError"
    ),
    "header": "Header",
    "keys": "Identity Key KeyDerivation KeyRing KeyStream Passphrase PictureKey Recipient",
    "recipes": (
        "FileReport Layer ProtectedImage RedactedLayer Redaction RedactionReport RobustPicture "
        "RobustReport decrypt decrypt_bytes decrypt_file encrypt encrypt_bytes encrypt_file "
        "find_faces find_robust read_header redact_file redactions rekey_file scramble "
        "scramble_bytes scramble_file scramble_robust scramble_robust_file unredact_file "
        "unscramble unscramble_bytes unscramble_file unscramble_robust unscramble_robust_file"
    ),
    "sudoku.model": "ParametricGrid SudokuGrid Symmetry",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt import analysis as analysis
    from sudokucrypt import images as images
    from sudokucrypt import reports as reports
    from sudokucrypt import sudoku as sudoku
    from sudokucrypt.bijections import Numbering as Numbering
    from sudokucrypt.bijections import Representation as Representation
    from sudokucrypt.bijections import bijection as bijection
    from sudokucrypt.bijections import cells_at as cells_at
    from sudokucrypt.bijections import compose as compose
    from sudokucrypt.bijections import cycle_type as cycle_type
    from sudokucrypt.bijections import invert as invert
    from sudokucrypt.bijections import names_of as names_of
    from sudokucrypt.bijections import order as order
    from sudokucrypt.bijections import permutation as permutation
    from sudokucrypt.ciphers import picture_permutation as picture_permutation
    from sudokucrypt.draws import StreamDraws as StreamDraws
    from sudokucrypt.errors import BrokenRuleError as BrokenRuleError
    from sudokucrypt.errors import DecryptionError as DecryptionError
    from sudokucrypt.errors import FormatError as FormatError
    from sudokucrypt.errors import InvalidGridError as InvalidGridError
    from sudokucrypt.errors import InvalidImageError as InvalidImageError
    from sudokucrypt.errors import InvalidKeyError as InvalidKeyError
    from sudokucrypt.errors import InvalidParameterError as InvalidParameterError
    from sudokucrypt.errors import MultipleSolutionsError as MultipleSolutionsError
    from sudokucrypt.errors import NoSolutionError as NoSolutionError
    from sudokucrypt.errors import OutputExistsError as OutputExistsError
    from sudokucrypt.errors import SudokucryptError as SudokucryptError
    from sudokucrypt.errors import UndecidedError as UndecidedError
    from sudokucrypt.errors import UnsupportedError as UnsupportedError
    from sudokucrypt.errors import UnsupportedVersionError as UnsupportedVersionError
    from sudokucrypt.header import Header as Header
    from sudokucrypt.keys import Identity as Identity
    from sudokucrypt.keys import Key as Key
    from sudokucrypt.keys import KeyDerivation as KeyDerivation
    from sudokucrypt.keys import KeyRing as KeyRing
    from sudokucrypt.keys import KeyStream as KeyStream
    from sudokucrypt.keys import Passphrase as Passphrase
    from sudokucrypt.keys import PictureKey as PictureKey
    from sudokucrypt.keys import Recipient as Recipient
    from sudokucrypt.recipes import FileReport as FileReport
    from sudokucrypt.recipes import Layer as Layer
    from sudokucrypt.recipes import ProtectedImage as ProtectedImage
    from sudokucrypt.recipes import RedactedLayer as RedactedLayer
    from sudokucrypt.recipes import Redaction as Redaction
    from sudokucrypt.recipes import RedactionReport as RedactionReport
    from sudokucrypt.recipes import RobustPicture as RobustPicture
    from sudokucrypt.recipes import RobustReport as RobustReport
    from sudokucrypt.recipes import decrypt as decrypt
    from sudokucrypt.recipes import decrypt_bytes as decrypt_bytes
    from sudokucrypt.recipes import decrypt_file as decrypt_file
    from sudokucrypt.recipes import encrypt as encrypt
    from sudokucrypt.recipes import encrypt_bytes as encrypt_bytes
    from sudokucrypt.recipes import encrypt_file as encrypt_file
    from sudokucrypt.recipes import find_faces as find_faces
    from sudokucrypt.recipes import find_robust as find_robust
    from sudokucrypt.recipes import read_header as read_header
    from sudokucrypt.recipes import redact_file as redact_file
    from sudokucrypt.recipes import redactions as redactions
    from sudokucrypt.recipes import rekey_file as rekey_file
    from sudokucrypt.recipes import scramble as scramble
    from sudokucrypt.recipes import scramble_bytes as scramble_bytes
    from sudokucrypt.recipes import scramble_file as scramble_file
    from sudokucrypt.recipes import scramble_robust as scramble_robust
    from sudokucrypt.recipes import scramble_robust_file as scramble_robust_file
    from sudokucrypt.recipes import unredact_file as unredact_file
    from sudokucrypt.recipes import unscramble as unscramble
    from sudokucrypt.recipes import unscramble_bytes as unscramble_bytes
    from sudokucrypt.recipes import unscramble_file as unscramble_file
    from sudokucrypt.recipes import unscramble_robust as unscramble_robust
    from sudokucrypt.recipes import unscramble_robust_file as unscramble_robust_file
    from sudokucrypt.sudoku.model import ParametricGrid as ParametricGrid
    from sudokucrypt.sudoku.model import SudokuGrid as SudokuGrid
    from sudokucrypt.sudoku.model import Symmetry as Symmetry
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(
        __name__, _NAMES, packages=("analysis", "images", "reports", "sudoku")
    )
