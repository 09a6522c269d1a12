"""Reference program for the schemes of version 1, from the pages of docs/spec/ alone.

It imports nothing of `sudokucrypt`, nothing outside the standard library, and follows the text
step by step where a faster way is plain to see.
Where the pages leave a choice, a comment that starts with "Assumed:" names the choice made here.

=================  ==========================================================
module             section of the page on scrambling
=================  ==========================================================
`bech32`           1, the text of a key and the key file (BIP 173)
`hkdf`             1, subkeys and the key id (RFC 5869)
`chacha20`         2, the stream (RFC 8439)
`draws`            2, draw and shuffle
`grid`             3, Sudoku grids
`units`            4, units and groups; 5, default rounds
`permutation`      5, the permutation
`header`           6, the header
`frames`           6, the tag
`scheme`           7, the two schemes
=================  ==========================================================

=================  ==========================================================
module             section of the page on encryption
=================  ==========================================================
`scheme`           2, the scheme; 3, the mask
`header`           2, the unit; 4, the field `kdf`
`kdf`              4, keys from passphrases (scrypt of RFC 7914)
`argon2`           4, Argon2id (RFC 9106)
`aead`             5, ChaCha20-Poly1305 (RFC 8439)
`locked`           5, locked key files
=================  ==========================================================

=================  ==========================================================
module             section of the page on pictures
=================  ==========================================================
`frames`           1, what becomes of one frame; the tag over all frames
`selection`        2, the canvas; 3, regions and masks
`description`      4, the extras
`pictures`         all of them together; `drawn` draws such pictures for tests
=================  ==========================================================
"""


class RefusedError(ValueError):
    """Input that the specification tells a reader or a writer to refuse."""
