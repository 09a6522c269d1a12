"""Make the vectors of described pictures with the package, and those of files that hold headers."""

import numpy as np

from sudokucrypt.ciphers import Part
from sudokucrypt.images import Picture, PictureRecord, describe, parse_description
from tests.kit.replay import load
from tests.vectors.common import KEY, Case, bytes_or_digest, little, protection
from tests.vectors.gallery import STILLS, Still
from tests.vectors.rows import made_of_rows


def record_of(still: Still) -> PictureRecord:
    """Return what the package reads of a still and its description."""
    stored = np.frombuffer(still.data, np.dtype(still.dtype).newbyteorder("<"))
    pixels = stored.reshape(still.shape).astype(still.dtype)
    if still.extras is None:
        return PictureRecord(picture=Picture.plain(pixels))
    return parse_description(pixels, still.extras)


def pictures(case: Case) -> Case:
    """Return a protected still of the gallery, with the description that the package writes."""
    still = STILLS[case["label"]]
    record = record_of(still)
    names = ("unit", "block_size", "rounds", "context", "salt")
    settings = protection(case["scheme"], **{name: case[name] for name in names})
    extras = describe(record)
    assert extras == still.extras
    part = Part(pixels=record.picture.pixels)
    (result,), header = settings.protect([part], KEY, encrypted_metadata=extras)
    frame = {
        "shape": list(still.shape),
        "dtype": still.dtype,
        "plain": bytes_or_digest(still.data),
        "protected": bytes_or_digest(little(result)),
    }
    return case | {
        "line": still.line,
        "blobs": None if still.line is None else still.blobs.hex(),
        "frames": [frame],
        "picture_key": KEY.for_picture(header).to_bytes().hex(),
        "header": header.to_bytes().decode(),
    }


def containers() -> list[Case]:
    """Return whole files: those that release 1.0 wrote, which are kept, and those of rows."""
    written = [case for case in load("containers") if case["name"].startswith("written")]
    return written + made_of_rows("containers")
