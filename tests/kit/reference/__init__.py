"""Reference program for what the engine of the page lacks, from the pages of docs/spec/ alone.

That engine (`sudokucrypt/page/engine`, in JavaScript) is the second implementation of everything
else. What both have here, such as streams and permutations, is what the rest builds on.
The reference imports nothing of `sudokucrypt`, nothing outside the standard library, and follows
the text step by step where a faster way is plain to see.
Where the pages leave a choice, a comment that starts with "Assumed:" names the choice made here.

=============  =================================================================
module         page and section
=============  =================================================================
`bech32`       scrambling 1, the text of a key (BIP 173)
`hkdf`         scrambling 1, subkeys, the key id and picture keys (RFC 5869)
`chacha20`     scrambling 2, the stream (RFC 8439)
`draws`        scrambling 2, draw and shuffle
`grid`         scrambling 3, Sudoku grids
`units`        scrambling 4, units and groups; 5, default rounds
`permutation`  scrambling 5, the permutation
`header`       scrambling 6; encryption 2, the unit, and 4, the field `kdf`
`fields`       scrambling 6, the values of the fields of a header
`tags`         scrambling 6, the message, tag and seal; 7, the salt
`containers`   scrambling 8, where the header is in PNG and TIFF files
`cards`        key cards; `numbering` numbers their grids
`shares`       key shares
`robust`       robust pictures
=============  =================================================================
"""


class RefusedError(ValueError):
    """Input that the specification tells a reader or a writer to refuse."""


def require(condition: bool, what: str) -> None:
    """Refuse input unless the condition holds."""
    if not condition:
        raise RefusedError(what)
