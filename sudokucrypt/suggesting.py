"""What people meant by attributes and options that are missing, so that errors say the call."""

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
    "from_hex": "from_text",
    "force": "replace",
    "from_passphrase": "Passphrase(...)",
    "from_password": "Passphrase(...)",
    "from_path": "from_file",
    "from_str": "from_text",
    "from_string": "from_text",
    "generate": "random_grid",
    "generate_key": "Key.generate",
    "keygen": "Key.generate",
    "load": "from_file",
    "load_key": "Key.from_file",
    "make": "generate",
    "new": "generate",
    "new_key": "Key.generate",
    "open": "from_file",
    "overwrite": "replace",
    "parse": "from_text",
    "puzzle": "make_puzzle",
    "random": "generate",
    "read": "from_file",
    "save": "to_file",
    "region": "redact_file(...)",
    "regions": "redact_file(...)",
    "mask": "redact_file(...)",
    "allow_none": "redact_file(...)",
    "shuffle": "scramble",
    "solve": "sudoku.solve",
    "to_str": "to_text",
    "to_string": "to_text",
    "unshuffle": "unscramble",
    "write": "to_file",
    "Password": "Passphrase",
    "Sudoku": "sudoku.SudokuPuzzle",
}
"""Names that other libraries have, and ours; only those that an object has are suggested."""

_CALLS = {"Key(...)", "Passphrase(...)", "redact_file(...)"}
"""Those that are no attributes of the object, but what to call instead."""

_CLOSE = 0.75  # of difflib: below it, anything would be suggested


def meant_by(name: str, known: Iterable[str]) -> str | None:
    """Return what was probably meant by the name of an attribute or option that is missing."""
    names = [each for each in known if not each.startswith("_")]
    meant = _MEANT.get(name, "")
    if meant in _CALLS or meant.partition(".")[0] in names:
        return meant.removesuffix("(...)")
    return next(iter(get_close_matches(name, names, n=1, cutoff=_CLOSE)), None)
