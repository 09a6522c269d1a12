"""Section 7: what binds a map of `scramble-context-v1` to its text and to its image."""

import unicodedata
from collections.abc import Sequence

from tests.kit.reference import RefusedError
from tests.kit.reference.header import Header
from tests.kit.reference.tags import le64
from tests.kit.reference.units import rows_columns_channels


def context_text(context: str) -> bytes:
    """The context text in form C, as UTF-8."""
    if not context:
        raise RefusedError("the context text is empty")
    try:
        return unicodedata.normalize("NFC", context).encode("utf-8")
    except UnicodeEncodeError as error:
        raise RefusedError("the context text is not Unicode text") from error


def context_info(shape: Sequence[int], header: Header, text: bytes) -> bytes:
    """The context of the subkeys for a frame, or a row of selected pixels, of this shape."""
    rows, columns, channels = rows_columns_channels(shape)
    numbers = (rows, columns, channels, header.block_size or 0, header.rounds)
    return b"".join(map(le64, numbers)) + header.unit.encode("ascii") + b"\x00" + text
