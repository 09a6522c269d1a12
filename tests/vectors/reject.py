"""The generator of the vectors that every reader must reject, one fault in each."""

from collections.abc import Iterator

from tests.vectors import (
    cases_forged,
    cases_headers,
    cases_lines,
    cases_texts,
    reject_headers,
    reject_keys,
    reject_pictures,
)
from tests.vectors.common import Case
from tests.vectors.reject_lines import faulty_extras, is_line
from tests.vectors.reject_selections import faulty_headers


def _alone() -> Iterator[Case]:
    """Return headers and descriptions alone, with the faults of what pictures of frames have."""
    for name, header in faulty_headers():
        case = {"name": f"header: {name}", "layer": "header syntax", "what": "header"}
        yield {**case, "header": header, "fill": None}
    for name, _, extras in faulty_extras():
        if is_line(extras):
            line, _, behind = extras.partition(b"\n")
            case = {"name": f"description: {name}", "layer": "description", "what": "extras"}
            shown = {"line": line.decode("ascii"), "blobs": behind.rstrip(b"\0").hex()}
            padding = len(behind) - len(behind.rstrip(b"\0"))
            yield {**case, **shown, "padding": padding, "fill": None}


def reject() -> list[Case]:
    """What every reader must reject, alone and in pictures, with the layer that rejects it."""
    rooms = (reject_headers, reject_pictures, reject_keys)
    own = [
        {"name": name, "layer": layer, **case}
        for room in rooms
        for name, layer, case in room.faults()
    ]
    others = (cases_forged, cases_headers, cases_lines, cases_texts)
    return [*own, *_alone(), *(case for room in others for case in room.rejected())]
