"""Pictures of several frames, with a meaning or in parts: both programs read and refuse alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from sudokucrypt import DecryptionError, FormatError, Header, Key, SudokucryptError
from sudokucrypt.images import describe, dress
from sudokucrypt.recipes.encryption import encryption_scheme
from sudokucrypt.recipes.pictures import restore_picture
from sudokucrypt.recipes.scrambling import context_header, scrambling_scheme
from tests.reference import RefusedError, bech32, description, pictures
from tests.reference import header as headers
from tests.reference.frames import Frame
from tests.reference.header import ENCRYPT
from tests.reference.hkdf import key_id
from tests.reference.selection import write_mask
from tests.vectors.bridge import SECRET, data_of, stored
from tests.vectors.common import bytes_or_digest
from tests.vectors.test_readers import loaded, parameters
from tests.vectors.test_vectors import cases
from tests.vectors.whole import PICTURES

if TYPE_CHECKING:
    from tests.vectors.common import Case

ERRORS: dict[str, set[type[SudokucryptError]]] = {
    "header syntax": {FormatError},
    "description": {FormatError},
    "selection": {FormatError},
    "frames": {DecryptionError},
    "tag": {DecryptionError},
    "key": {DecryptionError},
}


def frames_at_hand(case: Case) -> list[Frame]:
    """The protected frames of a case that is read."""
    return [
        Frame(shape=tuple(f["shape"]), dtype=f["dtype"], data=bytes.fromhex(f["samples"]))
        for f in case["frames"]
    ]


def read_by_package(case: Case) -> tuple[list[bytes], bytes | None]:
    """Return the plain frames and their description."""
    picture = stored(frames_at_hand(case))
    key = Key.from_text(case["key"])
    if case["header"] is None:
        header = context_header(picture.pixels, key, case["context"])
    else:
        header = Header.from_bytes(case["header"].encode())
    if header.scheme == ENCRYPT:
        scheme = encryption_scheme(header)
    else:
        scheme = scrambling_scheme(header, case["context"])
    plain = restore_picture(picture, key, header, scheme)
    return data_of([frame.pixels for frame in plain.frames]), describe(plain)


def read_by_reference(case: Case) -> tuple[list[bytes], bytes | None]:
    """Return the plain frames and their description."""
    header = None if case["header"] is None else case["header"].encode()
    key = bech32.key_from_text(case["key"])
    frames, meaning = pictures.restore_picture(
        frames_at_hand(case), header, key=key, context=case["context"]
    )
    extras = None if meaning is None else description.write(meaning)
    return [frame.data for frame in frames], extras


@pytest.mark.parametrize("case", [*cases("frames"), *cases("regions")])
def test_reference_confirms_pictures(case: dict[str, Any]) -> None:
    """Frames and header agree, and the description tells what the picture is."""
    extras = None
    if case["line"] is not None:
        extras = case["line"].encode() + b"\n" + bytes.fromhex(case["blobs"])
    frames = [
        Frame(shape=tuple(f["shape"]), dtype=f["dtype"], data=bytes.fromhex(f["plain"]))
        for f in case["frames"]
    ]
    draft = headers.Header(
        scheme=case["scheme"],
        unit=case["unit"],
        block_size=case["block_size"],
        rounds=1,
        shape=frames[0].shape,
        dtype=frames[0].dtype,
        regions=case["regions"] and tuple(map(tuple, case["regions"])),
        mask=case["runs"] and write_mask(case["runs"]),
        key_id=key_id(SECRET),
        salt=case["salt"],
        extras=extras,
    )
    made, header = protected(frames, draft, case)
    assert header.decode() == case["header"]
    assert [bytes_or_digest(frame.data) for frame in made] == [
        f["protected"] for f in case["frames"]
    ]
    back, _ = pictures.restore_picture(made, header, key=SECRET, context=case["context"])
    assert [frame.data for frame in back] == [frame.data for frame in frames]
    assert describe(dress(stored(frames), extras)) == extras == describe(PICTURES[case["label"]])


def protected(
    frames: list[Frame], draft: headers.Header, case: dict[str, Any]
) -> tuple[list[Frame], bytes]:
    """What the reference makes of frames, with the rounds that were chosen or the default ones."""
    meaning = None if draft.extras is None else description.read(draft.extras)
    shapes = [frame.shape for frame in frames]
    rounds = case["rounds"] or pictures.rounds_of_picture(
        shapes,
        draft.unit,
        block_size=draft.block_size,
        pixels=pictures.pixels_of_frames(shapes, draft, meaning),
    )
    header = replace(draft, rounds=rounds)
    return pictures.protect_picture(frames, header, key=SECRET, context=case["context"])


def test_every_case_has_a_name() -> None:
    """No two cases have one name, and every layer has some."""
    rejected = loaded("reject_pictures")
    names = [case["name"] for case in [*loaded("accept_pictures"), *rejected]]
    assert len(set(names)) == len(names)
    assert {case["layer"] for case in rejected} == set(ERRORS)


@pytest.mark.parametrize("case", parameters("accept_pictures"))
def test_accepted(case: Case) -> None:
    """Both programs restore the plain frames and their description."""
    extras = None if case["extras"] is None else bytes.fromhex(case["extras"])
    wanted = ([bytes.fromhex(plain) for plain in case["plain"]], extras)
    assert read_by_package(case) == wanted
    assert read_by_reference(case) == wanted


@pytest.mark.parametrize("case", parameters("reject_pictures"))
def test_rejected_by_package(case: Case) -> None:
    """The package refuses with exactly the error of the layer."""
    expected = ERRORS[case["layer"]]
    if case["layer"] == "description" and '"encrypt-v1"' in case["header"]:
        expected = {DecryptionError}  # masked bytes that make no sense were changed
    with pytest.raises(SudokucryptError) as caught:
        read_by_package(case)
    assert {type(caught.value)} == expected


@pytest.mark.parametrize("case", parameters("reject_pictures"))
def test_rejected_by_reference(case: Case) -> None:
    """The reference refuses."""
    with pytest.raises(RefusedError):
        read_by_reference(case)
