"""Keys and passphrases: their text and files, subkeys, the key stream."""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "keys.key": "Key KeyRing PictureKey SALT_LENGTH read_key",
    "keys.locked": "is_locked lock unlock",
    "keys.passphrase": (
        "CostlyDerivationError DerivationBudget KeyDerivation MasterKey PROFILES Passphrase "
        "RETRY_HINT RestoringKey put_off_costly"
    ),
    "keys.secret": "KEY_FILE_LIMIT KeyStream decode_key_file error_context key_texts",
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.keys.key import SALT_LENGTH as SALT_LENGTH
    from sudokucrypt.keys.key import Key as Key
    from sudokucrypt.keys.key import KeyRing as KeyRing
    from sudokucrypt.keys.key import PictureKey as PictureKey
    from sudokucrypt.keys.key import read_key as read_key
    from sudokucrypt.keys.locked import is_locked as is_locked
    from sudokucrypt.keys.locked import lock as lock
    from sudokucrypt.keys.locked import unlock as unlock
    from sudokucrypt.keys.passphrase import PROFILES as PROFILES
    from sudokucrypt.keys.passphrase import RETRY_HINT as RETRY_HINT
    from sudokucrypt.keys.passphrase import CostlyDerivationError as CostlyDerivationError
    from sudokucrypt.keys.passphrase import DerivationBudget as DerivationBudget
    from sudokucrypt.keys.passphrase import KeyDerivation as KeyDerivation
    from sudokucrypt.keys.passphrase import MasterKey as MasterKey
    from sudokucrypt.keys.passphrase import Passphrase as Passphrase
    from sudokucrypt.keys.passphrase import RestoringKey as RestoringKey
    from sudokucrypt.keys.passphrase import put_off_costly as put_off_costly
    from sudokucrypt.keys.secret import KEY_FILE_LIMIT as KEY_FILE_LIMIT
    from sudokucrypt.keys.secret import KeyStream as KeyStream
    from sudokucrypt.keys.secret import decode_key_file as decode_key_file
    from sudokucrypt.keys.secret import error_context as error_context
    from sudokucrypt.keys.secret import key_texts as key_texts
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES)
