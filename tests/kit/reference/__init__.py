"""Reference program for the schemes of version 1, from the pages of docs/spec/ alone.

It imports nothing of `sudokucrypt`, nothing outside the standard library, and follows the text
step by step where a faster way is plain to see.
Where the pages leave a choice, a comment that starts with "Assumed:" names the choice made here.

=================  ==========================================================
module             section of the page on scrambling
=================  ==========================================================
`bech32`           1, the text of a key and the key file (BIP 173)
`hkdf`             1, subkeys, the key id and picture keys (RFC 5869)
`chacha20`         2, the stream (RFC 8439)
`draws`            2, draw and shuffle
`grid`             3, Sudoku grids
`units`            4, units and groups; 5, default rounds
`permutation`      5, the permutation
`header`           6, the header; `fields` says which values its fields have
`tags`             6, the message and what it gives: tag, seal, and 7, the salt
`context`          7, what `scramble-context-v1` binds its maps to
`pictures`         7, the schemes
`containers`       8, where the header is
=================  ==========================================================

=================  ==========================================================
module             section of the page on encryption
=================  ==========================================================
`pictures`         2, the scheme
`frames`           3, the mask
`header`           2, the unit; 4, the field `kdf`
`kdf`              4, keys from passphrases (scrypt of RFC 7914)
`argon2`           4, Argon2id (RFC 9106)
`aead`             5, ChaCha20-Poly1305 (RFC 8439)
`locked`           5, locked key files
=================  ==========================================================

=================  ==========================================================
module             section of the page on pictures
=================  ==========================================================
`frames`           1, what becomes of one frame
`selection`        2, the canvas; 3, regions and masks
`parts`            2 and 3, what changes of each frame; 4, the frames described
`description`      4, the extras; `grammar` holds the kinds of their values
`files`            6, files of any kind
`pictures`         all of them together; `drawn` draws such pictures for tests
=================  ==========================================================

=================  ==========================================================
module             section of the page on JPEG
=================  ==========================================================
`structure`        2, what a skeleton says; 6, the structure
`entropy`          7, the file again
`jpegs`            3 to 5 and 8, the scheme on coefficients
`containers`       9, where the header is
=================  ==========================================================
"""


class RefusedError(ValueError):
    """Input that the specification tells a reader or a writer to refuse."""


def require(condition: bool, what: str) -> None:
    """Refuse input unless the condition holds."""
    if not condition:
        raise RefusedError(what)
