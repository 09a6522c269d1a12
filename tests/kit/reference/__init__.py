"""A second implementation of the parts of docs/spec/ that the engine of the page does not have.

The engine (`sudokucrypt/page/engine`, in JavaScript) is the second implementation of all other
parts. Both have basic parts such as streams and permutations.
This reference imports nothing of `sudokucrypt` and nothing outside the standard library. It follows
the text of the specification step by step, even where a faster way is obvious.
Where the specification leaves a choice, a comment that starts with "Assumed:" names the choice.

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
    """An error about input that readers or writers must refuse by the specification."""


def require(condition: bool, message: str) -> None:
    """Raise `RefusedError` unless the condition is true."""
    if not condition:
        raise RefusedError(message)
