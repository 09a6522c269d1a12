"""Scramble and encrypt images with keyed Sudoku bijections, and restore them exactly.

Files of any kind, by name or as bytes::

    from sudokucrypt import Key, decrypt_file, encrypt_file

    key = Key.generate()
    key.to_file("my.key")  # later: Key.from_file("my.key")
    encrypt_file("photo.jpg", "secret.png", key)
    decrypt_file("secret.png", "again.jpg", key)  # the same file, byte for byte

NumPy arrays, and objects that NumPy converts to arrays, such as images of Pillow::

    result = sudokucrypt.encrypt(image, key)
    result.save("secret.png")  # or keep result.pixels and result.header
    image = sudokucrypt.decrypt(result, key)

`encrypt` and `decrypt`
    keep a secret and detect every change; `scramble` and `unscramble` only hide what a picture
    shows. Each takes arrays; functions that end in ``_file`` or ``_bytes`` take files or bytes.
`Key`, `Passphrase`, `Recipient`
    the kinds of keys: a key file, words to remember, or the age identity of another person.
`redact_file`, `unredact_file`
    cover areas of a picture so that keys lift the covers again.
`scramble_robust_file`
    hides pictures from view in a form that services may recompress.
`sudokucrypt.sudoku`
    makes, solves, counts and draws Sudoku.
`sudokucrypt.analysis`, `sudokucrypt.reports`
    measure the results of schemes, and attack schemes.

All errors are `SudokucryptError`; those about input are also `ValueError`, those about files
also `FileNotFoundError` or `FileExistsError`.
"""

from sudokucrypt._version import __version__ as __version__
from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
