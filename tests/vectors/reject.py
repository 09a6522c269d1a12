"""The generator of the vectors that every reader must reject, one fault in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.vectors import reject_headers, reject_keys, reject_pictures

if TYPE_CHECKING:
    from tests.vectors.common import Case


def reject() -> list[Case]:
    """Pictures and keys that every reader must reject, with the layer that rejects them."""
    rooms = (reject_headers, reject_pictures, reject_keys)
    return [
        {"name": name, "layer": layer, **case}
        for room in rooms
        for name, layer, case in room.faults()
    ]
