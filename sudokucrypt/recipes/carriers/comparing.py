"""Whether a protected result that exists is the one that would be made, up to a random salt."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sudokucrypt.ciphers import tag_message
from sudokucrypt.header import Header
from sudokucrypt.keys import AgeFile, Key, MasterKey, ProtectingKey
from sudokucrypt.recipes.carriers.contract import DifferingResultError
from sudokucrypt.recipes.opening import OpenedHeader, open_header, resolve_key
from sudokucrypt.recipes.protection import Protection, Scheme, divided

# What a result says of itself before it is opened, in the order in which differences are named.
_COMPARED = ("unit", "block_size", "rounds", "segment", "shape", "dtype")


def open_result(
    header: Header,
    scheme: Scheme,
    key: ProtectingKey,
    draft_of: Callable[[Key], Header],
    threads: int | None,
) -> tuple[OpenedHeader, Key, Header]:
    """Open the header of a result, and return with it the master key and the draft of the header.

    Raises `DifferingResultError` if scheme, kind of key, recipients or another open field are not
    those of the draft.
    """
    if header.scheme != scheme.name:
        raise DifferingResultError(f"its scheme is {header.scheme}")
    own = comparing_key(key, header)
    resolved = resolve_key(own, header)
    if not isinstance(resolved, Key) or (header.kdf is None) != isinstance(own, Key):
        raise DifferingResultError("it takes a passphrase" if header.kdf else "it takes a key")
    draft = draft_of(resolved)
    if differing := [
        f"its {name.replace('_', ' ')} {'differ' if name.endswith('s') else 'differs'}"
        for name in _COMPARED
        if getattr(header, name) != getattr(draft, name)
    ]:
        raise DifferingResultError(", ".join(differing))
    # The rounds are those of the draft by now, so that the caller chose them.
    rounds = header.rounds
    opened = open_header(header, resolved, scheme=scheme, max_rounds=rounds, threads=threads)
    return opened, resolved, draft


def require_same_salt(
    header: Header, key: Key, draft: Header, digests: Sequence[bytes], protection: Protection
) -> None:
    """Raise `DifferingResultError` unless a salt is random, or derived, as the draft would be."""
    # A synthetic salt depends on all but these, so that equal input gives equal results.
    unsalted = replace(draft, kdf=None, recipients=None, salt=None)
    message = tag_message(unsalted, digests)
    random = protection.salt is not None
    if (header.salt == key.synthetic_salt(message)) == random:
        raise DifferingResultError(f"its salt is {'deterministic' if random else 'random'}")


def comparing_key(key: ProtectingKey, header: Header) -> MasterKey:
    """Return the key that opens a result, if it has as many recipients of the same kinds.

    Nothing shows who they are.
    """
    own, recipients = divided(key)
    if own is None:
        raise DifferingResultError("only its recipients can open it, and compare it")
    stored = header.recipients
    kinds = (
        [] if stored is None else [one.arguments[0] for one in AgeFile.from_bytes(stored).stanzas]
    )
    if kinds != [recipient.kind for recipient in recipients]:
        raise DifferingResultError("it has other recipients")
    return own
