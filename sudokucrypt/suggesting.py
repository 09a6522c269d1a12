"""Suggestions for attributes and options that do not exist, for error messages."""

from collections.abc import Iterable
from difflib import get_close_matches

_MEANT = {
    "analyze": "analysis.measure_image",
    "analyse": "analysis.measure_image",
    "create": "generate",
    "decode": "decrypt",
    "decrypt_image": "decrypt",
    "dump": "to_file",
    "descramble": "unscramble",
    "encode": "encrypt",
    "encrypt_image": "encrypt",
    "encrypt_array": "encrypt",
    "from_bytes": "Key(...)",
    "from_hex": "Key(...)",
    "force": "replace",
    "from_passphrase": "Passphrase(...)",
    "from_password": "Passphrase(...)",
    "from_path": "from_file",
    "from_str": "from_text",
    "from_string": "from_text",
    "generate": "random_grid|Key.generate|Passphrase(...)",
    "generate_key": "Key.generate",
    "keygen": "Key.generate",
    "load": "from_file|ProtectedImage.open|open",
    "load_key": "Key.from_file",
    "make": "generate",
    "new": "generate",
    "new_key": "Key.generate",
    "open": "from_file|ProtectedImage.open",
    "overwrite": "replace",
    "parse": "from_text",
    "puzzle": "make_puzzle",
    "random": "generate",
    "read": "from_file|images.read_picture",
    "save": "to_file|ProtectedImage.save",
    "region": "redact_file(...)",
    "regions": "redact_file(...)",
    "mask": "redact_file(...)",
    "allow_none": "redact_file(...)",
    "shuffle": "scramble",
    "solve": "sudoku.solve",
    "to_str": "to_text",
    "to_string": "to_text",
    "to_json": "to_bytes",
    "to_text": "to_bytes",
    "from_json": "from_bytes",
    "from_text": "from_bytes",
    "hex": "to_bytes",
    "text": "to_text",
    "fingerprint": "id",
    "encrypt": "encrypt(...)",
    "decrypt": "decrypt(...)",
    "public_key": "recipient",
    "from_env": "from_text",
    "to_bytes": "save",
    "tobytes": "save",
    "shape": "result.pixels.shape(...)",
    "dtype": "result.pixels.dtype(...)",
    "show": "result.pixels(...)",
    "imread": "images.read_picture",
    "imsave": "ProtectedImage.save",
    "version": "__version__(...)",
    "exceptions": "sudokucrypt.errors(...)",
    "rekey": "rekey_file",
    "encrypt_folder": "encrypt_file",
    "decrypt_folder": "decrypt_file",
    "split_key": "keys.split_key(...)",
    "join_key": "keys.join_key(...)",
    "workers": "threads",
    "jobs": "threads",
    "exist_ok": "replace",
    "unshuffle": "unscramble",
    "write": "to_file",
    "Password": "Passphrase",
    "Sudoku": "sudoku.SudokuPuzzle",
}
"""Names that other libraries have, and ours: the first of those after each other that exists."""

_CALL = "(...)"
"""How the names end that are no attributes of the object, but what to call instead."""

_CLOSE = 0.75  # of difflib: below it, anything would be suggested


def meant_by(name: str, known: Iterable[str]) -> str | None:
    """Return what was probably meant by the name of an attribute or option that is missing."""
    every = {*known}
    for meant in _MEANT.get(name, "").split("|"):
        if meant.endswith(_CALL) or meant.partition(".")[0] in every:
            return meant.removesuffix(_CALL)
    names = [each for each in every if not each.startswith("_")]
    return next(iter(get_close_matches(name, names, n=1, cutoff=_CLOSE)), None)
