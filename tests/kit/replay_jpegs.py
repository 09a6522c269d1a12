"""What the vectors of JPEG files say, asked of the reference alone."""

import struct
from dataclasses import replace
from typing import Any

from tests.kit.reference import RefusedError, bech32, containers, jpegs, structure
from tests.kit.reference import header as headers
from tests.kit.reference.header import JPEG, Header
from tests.kit.reference.hkdf import key_id, picture_key
from tests.kit.replay_parts import SECRET, agree, hex_or_digest

Case = dict[str, Any]


def planes_of(shown: list[Any]) -> jpegs.Planes:
    """Return the blocks of each component, which are shown with how often they come if many."""
    planes = []
    for plane in shown:
        repeated: list[Any] = [[plane, 1]] if isinstance(plane, str) else plane
        data = b"".join(bytes.fromhex(block) * times for block, times in repeated)
        numbers = struct.unpack(f"<{len(data) // 2}h", data)
        planes.append([list(numbers[at : at + 64]) for at in range(0, len(numbers), 64)])
    return planes


def _shown(planes: jpegs.Planes) -> list[str]:
    """Return the blocks of each component as the vectors show them."""
    numbers = ([number for block in plane for number in block] for plane in planes)
    return [hex_or_digest(struct.pack(f"<{len(plane)}h", *plane)) for plane in numbers]


def draft_of_jpeg(skeleton: structure.Skeleton, **fields: Any) -> Header:
    """Return the draft of the header of a file, with other fields than the usual ones."""
    given: dict[str, Any] = {"unit": "block", "block_size": 8, "dtype": "uint8", **fields}
    given = {"shape": jpegs.shape_of(skeleton), "key_id": key_id(SECRET), **given}
    return Header(scheme=JPEG, **given)


def check_jpeg(case: Case) -> None:
    """Fail unless the reference makes header and blocks of a case, and the file again."""
    plain, planes = bytes.fromhex(case["plain"]), planes_of(case["coefficients"])
    sealed = bytes.fromhex(case["structure"])
    about = structure.read(sealed)
    agree("structure", structure.write(about), sealed)
    agree("skeleton", structure.skeleton_of(plain), about.skeleton)
    parsed = structure.read_skeleton(about.skeleton)
    rounds = case["rounds"] or 1
    draft = draft_of_jpeg(parsed, rounds=rounds, salt=case["salt"])
    if case["rounds"] is None:
        draft = replace(draft, rounds=jpegs.rounds_of(jpegs.parts_of(parsed)))
    bare = replace(about, turns=(), fillers=())
    result, header = jpegs.protect_jpeg(plain, planes, bare, draft, key=SECRET)
    agree("header", header.decode("ascii"), case["header"])
    agree("scrambled blocks", _shown(result), case["scrambled_coefficients"])
    scrambled = bytes.fromhex(case["scrambled"])
    agree("header in the file", containers.header_that_counts(scrambled), header)
    of_picture = picture_key(SECRET, bytes.fromhex(headers.read(header).salt or ""))
    agree("picture key", of_picture.hex(), case["picture_key"])
    at_hand = structure.skeleton_of(scrambled)
    for secret in ({"master": SECRET}, {"of_picture": of_picture}):
        back = jpegs.restore_jpeg(at_hand, result, header, **secret)
        agree("restored file", back, (plain, about))


def check_accepted(case: Case) -> None:
    """Fail unless the reference restores a scrambled file."""
    agree("restored file", _restored(case).hex(), case["plain"])


def check_rejected(case: Case) -> None:
    """Fail unless the reference refuses a scrambled file."""
    try:
        _restored(case)
    except RefusedError:
        return
    raise AssertionError("accepted")


def _restored(case: Case) -> bytes:
    """Return the file that a scrambled one gives, whose header is in it or stands beside it."""
    scrambled, key = bytes.fromhex(case["scrambled"]), bech32.key_from_text(case["key"])
    if "header" in case:
        header = case["header"].encode("ascii")
    else:
        header = containers.header_that_counts(scrambled) or b""
    at_hand, planes = structure.skeleton_of(scrambled), planes_of(case["coefficients"])
    return jpegs.restore_jpeg(at_hand, planes, header, master=key)[0]
