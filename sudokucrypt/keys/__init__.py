"""Keys and passphrases: their text and files, subkeys, the key stream."""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "keys.key": "Key PictureKey SALT_LENGTH",
    "keys.age_file": "FILE_LIMIT AgeFile AgeFileError",
    "keys.identity": "Identity Recipient encrypted_to",
    "keys.locked": "lock unlock",
    "keys.passphrase": (
        "CostlyDerivationError DerivationBudget KeyDerivation MasterKey PROFILES Passphrase "
        "ProtectingKey RETRY_HINT RestoringKey put_off_costly"
    ),
    "keys.ring": "KeyRing read_key",
    "keys.secret": (
        "KEY_FILE_LIMIT KeyStream Secret decode_key_file error_context is_locked key_texts"
    ),
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.keys.age_file import FILE_LIMIT as FILE_LIMIT
    from sudokucrypt.keys.age_file import AgeFile as AgeFile
    from sudokucrypt.keys.age_file import AgeFileError as AgeFileError
    from sudokucrypt.keys.identity import Identity as Identity
    from sudokucrypt.keys.identity import Recipient as Recipient
    from sudokucrypt.keys.identity import encrypted_to as encrypted_to
    from sudokucrypt.keys.key import SALT_LENGTH as SALT_LENGTH
    from sudokucrypt.keys.key import Key as Key
    from sudokucrypt.keys.key import PictureKey as PictureKey
    from sudokucrypt.keys.locked import lock as lock
    from sudokucrypt.keys.locked import unlock as unlock
    from sudokucrypt.keys.passphrase import PROFILES as PROFILES
    from sudokucrypt.keys.passphrase import RETRY_HINT as RETRY_HINT
    from sudokucrypt.keys.passphrase import CostlyDerivationError as CostlyDerivationError
    from sudokucrypt.keys.passphrase import DerivationBudget as DerivationBudget
    from sudokucrypt.keys.passphrase import KeyDerivation as KeyDerivation
    from sudokucrypt.keys.passphrase import MasterKey as MasterKey
    from sudokucrypt.keys.passphrase import Passphrase as Passphrase
    from sudokucrypt.keys.passphrase import ProtectingKey as ProtectingKey
    from sudokucrypt.keys.passphrase import RestoringKey as RestoringKey
    from sudokucrypt.keys.passphrase import put_off_costly as put_off_costly
    from sudokucrypt.keys.ring import KeyRing as KeyRing
    from sudokucrypt.keys.ring import read_key as read_key
    from sudokucrypt.keys.secret import KEY_FILE_LIMIT as KEY_FILE_LIMIT
    from sudokucrypt.keys.secret import KeyStream as KeyStream
    from sudokucrypt.keys.secret import Secret as Secret
    from sudokucrypt.keys.secret import decode_key_file as decode_key_file
    from sudokucrypt.keys.secret import error_context as error_context
    from sudokucrypt.keys.secret import is_locked as is_locked
    from sudokucrypt.keys.secret import key_texts as key_texts
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES)
