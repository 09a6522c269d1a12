"""Suggestions for attributes and options that do not exist, for error messages."""

from collections.abc import Iterable
from difflib import get_close_matches

_SUGGESTIONS = {
    "analyze": "analysis.measure_image",
    "analyse": "analysis.measure_image",
    "create": "generate",
    "decode": "decrypt",
    "decrypt_image": "decrypt",
    "decrypt_directory": "decrypt_file",
    "derive_key": "Passphrase(...)",
    "dump": "to_file",
    "descramble": "unscramble",
    "encode": "encrypt",
    "encrypt_image": "encrypt",
    "encrypt_array": "encrypt",
    "encrypt_directory": "encrypt_file",
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
    "image": "pixels",
    "info": "read_header",
    "inspect": "read_header",
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
    "share": "page.album(...)",
    "solve": "sudoku.solve",
    "solve_sudoku": "sudoku.solve",
    "to_array": "pixels",
    "to_file": "save",
    "to_pil": "pixels",
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
    "write": "to_file|save",
    "Password": "Passphrase",
    "Sudoku": "sudoku.SudokuPuzzle",
}
"""For names of other libraries, our names; of several, the first that exists is suggested."""

_UNCHECKED_SUFFIX = "(...)"
"""The end of a suggestion that is no attribute of the object, and is made without a check."""

_MIN_SIMILARITY = 0.75  # the least ratio of difflib; a lower limit would suggest unrelated names


def suggest_name(name: str, existing_names: Iterable[str]) -> str | None:
    """Return the known name that is probably meant by a missing attribute or option, or None."""
    known_names = {*existing_names}
    for suggestion in _SUGGESTIONS.get(name, "").split("|"):
        if suggestion.endswith(_UNCHECKED_SUFFIX) or suggestion.partition(".")[0] in known_names:
            return suggestion.removesuffix(_UNCHECKED_SUFFIX)
    public_names = [each for each in known_names if not each.startswith("_")]
    return next(iter(get_close_matches(name, public_names, n=1, cutoff=_MIN_SIMILARITY)), None)
