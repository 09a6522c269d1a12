"""Reference program for the schemes of version 1, from the pages of docs/spec/ alone.

It imports nothing of `sudokucrypt`, nothing outside the standard library, and follows the text
step by step where a faster way is plain to see.
Where the pages leave a choice, a comment that starts with "Assumed:" names the choice made here.

=============  =================================================================
module         page and section
=============  =================================================================
`bech32`       scrambling 1, the text of a key and the key file (BIP 173)
`hkdf`         scrambling 1, subkeys, the key id and picture keys (RFC 5869)
`chacha20`     scrambling 2, the stream (RFC 8439)
`draws`        scrambling 2, draw and shuffle
`grid`         scrambling 3, Sudoku grids
`units`        scrambling 4, units and groups; 5, default rounds
`permutation`  scrambling 5, the permutation
`header`       scrambling 6; encryption 2, the unit, and 4, the field `kdf`
`fields`       scrambling 6, the values of the fields of a header
`tags`         scrambling 6, the message, tag and seal; 7, the salt
`context`      scrambling 7, what `scramble-context-v1` binds its maps to
`pictures`     scrambling 7 and encryption 2, the schemes; pictures, as a whole
`containers`   scrambling 8 and JPEG 9, where the header is
`kdf`          encryption 4, keys from passphrases (scrypt of RFC 7914)
`argon2`       encryption 4, Argon2id (RFC 9106)
`aead`         encryption 5, ChaCha20-Poly1305 (RFC 8439)
`locked`       encryption 5, locked key files
`frames`       pictures 1, what becomes of one frame; encryption 3, the mask
`selection`    pictures 2, the canvas; 3, regions and masks
`parts`        pictures 2 and 3, what changes of each frame; 4, the frames
`description`  pictures 4, the extras; `grammar` holds the kinds of values
`files`        pictures 6, files of any kind
`structure`    JPEG 2, what a skeleton says; 6, the structure
`fillers`      JPEG 2, 6 and 7, blocks that only complete a unit
`entropy`      JPEG 7, the file again
`jpegs`        JPEG 3 to 5 and 8, the scheme on coefficients
`cards`        key cards; `numbering` numbers their grids
`robust`       robust pictures
=============  =================================================================

`drawn` draws random pictures for tests.
"""


class RefusedError(ValueError):
    """Input that the specification tells a reader or a writer to refuse."""


def require(condition: bool, what: str) -> None:
    """Refuse input unless the condition holds."""
    if not condition:
        raise RefusedError(what)
