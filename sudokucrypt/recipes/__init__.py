"""The safe front: scramble, encrypt and restore arrays and files with one call each."""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "recipes.arrays": "decrypt encrypt scramble unscramble",
    "recipes.carriers.contract": "PlainFile",
    "recipes.faces": "find_faces",
    "recipes.files": "decrypt_file encrypt_file scramble_file unscramble_file",
    "recipes.in_memory": "decrypt_bytes encrypt_bytes scramble_bytes unscramble_bytes",
    "recipes.protection": "ProtectedImage",
    "recipes.redaction": (
        "Layer RedactedLayer Redaction RedactionReport redact_file redactions unredact_file"
    ),
    "recipes.reporting": "FileReport RobustReport",
    "recipes.robust": "RobustPicture scramble_robust unscramble_robust",
    "recipes.robust_files": "find_robust scramble_robust_file unscramble_robust_file",
    "recipes.sealed": (
        "Inspection SealedInfo find_header find_sealed_info inspect_any_file inspect_file "
        "open_file picture_key read_header read_sealed_info read_undisputed_header rekey_file "
        "sealed_info"
    ),
    "recipes.naming": "plain_stem",
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.recipes.arrays import decrypt as decrypt
    from sudokucrypt.recipes.arrays import encrypt as encrypt
    from sudokucrypt.recipes.arrays import scramble as scramble
    from sudokucrypt.recipes.arrays import unscramble as unscramble
    from sudokucrypt.recipes.carriers.contract import PlainFile as PlainFile
    from sudokucrypt.recipes.faces import find_faces as find_faces
    from sudokucrypt.recipes.files import decrypt_file as decrypt_file
    from sudokucrypt.recipes.files import encrypt_file as encrypt_file
    from sudokucrypt.recipes.files import scramble_file as scramble_file
    from sudokucrypt.recipes.files import unscramble_file as unscramble_file
    from sudokucrypt.recipes.in_memory import decrypt_bytes as decrypt_bytes
    from sudokucrypt.recipes.in_memory import encrypt_bytes as encrypt_bytes
    from sudokucrypt.recipes.in_memory import scramble_bytes as scramble_bytes
    from sudokucrypt.recipes.in_memory import unscramble_bytes as unscramble_bytes
    from sudokucrypt.recipes.naming import plain_stem as plain_stem
    from sudokucrypt.recipes.protection import ProtectedImage as ProtectedImage
    from sudokucrypt.recipes.redaction import Layer as Layer
    from sudokucrypt.recipes.redaction import RedactedLayer as RedactedLayer
    from sudokucrypt.recipes.redaction import Redaction as Redaction
    from sudokucrypt.recipes.redaction import RedactionReport as RedactionReport
    from sudokucrypt.recipes.redaction import redact_file as redact_file
    from sudokucrypt.recipes.redaction import redactions as redactions
    from sudokucrypt.recipes.redaction import unredact_file as unredact_file
    from sudokucrypt.recipes.reporting import FileReport as FileReport
    from sudokucrypt.recipes.reporting import RobustReport as RobustReport
    from sudokucrypt.recipes.robust import RobustPicture as RobustPicture
    from sudokucrypt.recipes.robust import scramble_robust as scramble_robust
    from sudokucrypt.recipes.robust import unscramble_robust as unscramble_robust
    from sudokucrypt.recipes.robust_files import find_robust as find_robust
    from sudokucrypt.recipes.robust_files import scramble_robust_file as scramble_robust_file
    from sudokucrypt.recipes.robust_files import unscramble_robust_file as unscramble_robust_file
    from sudokucrypt.recipes.sealed import Inspection as Inspection
    from sudokucrypt.recipes.sealed import SealedInfo as SealedInfo
    from sudokucrypt.recipes.sealed import find_header as find_header
    from sudokucrypt.recipes.sealed import find_sealed_info as find_sealed_info
    from sudokucrypt.recipes.sealed import inspect_any_file as inspect_any_file
    from sudokucrypt.recipes.sealed import inspect_file as inspect_file
    from sudokucrypt.recipes.sealed import open_file as open_file
    from sudokucrypt.recipes.sealed import picture_key as picture_key
    from sudokucrypt.recipes.sealed import read_header as read_header
    from sudokucrypt.recipes.sealed import read_sealed_info as read_sealed_info
    from sudokucrypt.recipes.sealed import read_undisputed_header as read_undisputed_header
    from sudokucrypt.recipes.sealed import rekey_file as rekey_file
    from sudokucrypt.recipes.sealed import sealed_info as sealed_info
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES)
