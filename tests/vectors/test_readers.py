"""What every reader must accept and reject: the package does, and `tests/page` asks the page."""

import re
from math import prod

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    Header,
    Key,
    PictureKey,
    SudokucryptError,
    UnsupportedVersionError,
    decrypt_bytes,
)
from sudokucrypt.images import header_in_jpeg
from sudokucrypt.images.attachments import add_attachment
from sudokucrypt.keys import RestoringKey
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.jpegs import JpegPlan, restore_jpeg
from sudokucrypt.recipes.opening import open_header
from tests.images import builders as b
from tests.kit.reference.header import SAMPLE_BYTES
from tests.kit.replay import CHECKS, load
from tests.recipes.redacting import lift_covers
from tests.vectors.common import KEY, Case, check_each, find_faults
from tests.vectors.readers import (
    ERRORS,
    find_header,
    list_expected,
    read_by_package,
    read_container,
    read_picture_by_package,
)
from tests.vectors.test_vectors import mark_slow

READ_KINDS = ("accept", "reject", "accept_pictures", "reject_pictures", "containers")
IGNORED_FIELDS = re.compile(rb'"(?:readable|texts|native)":')
KINDS = ("picture", "key", "header", "extras", "kdf")
FEWEST_CASES = 1600


def test_every_case_has_a_name_and_its_bytes() -> None:
    """There are enough cases, no two of a file have one name, all layers some, and pixels fit."""
    cases = [case for kind in READ_KINDS for case in load(kind)]
    assert len(cases) >= FEWEST_CASES
    for kind in READ_KINDS:
        assert len({case["name"] for case in load(kind)}) == len(load(kind))
    assert {case["layer"] for case in cases if "layer" in case} == set(ERRORS)
    for case in cases:
        if case.get("what") == "picture":
            length = prod(case["shape"]) * SAMPLE_BYTES[case["dtype"]]
            assert len(case["pixels"]) == 2 * length, case["name"]


@pytest.mark.parametrize("what", mark_slow(KINDS, "header"))
def test_accepted(what: str) -> None:
    """The package restores plain images, and reads what it should."""

    def check(case: Case) -> None:
        result, expected = read_by_package(case), case.get("plain", case.get("secret"))
        assert expected is None or result.hex() == expected

    assert not find_faults([case for case in load("accept") if case["what"] == what], check)


@check_each("accept_pictures")
def test_accepted_pictures(case: Case) -> None:
    """The package restores the plain frames and their description."""
    require_restored(case, *read_picture_by_package(case))


def require_restored(case: Case, samples: bytes, extras: bytes | None) -> None:
    """Compare samples and description, which may have had more padding than is needed.

    Of stills of earlier releases, readers restore less than was sealed (Pictures, section 3).
    """
    assert [samples.hex()] == case["plain"]
    if IGNORED_FIELDS.search(bytes.fromhex(case["extras"] or "")):
        return
    expected = b"" if case["extras"] is None else bytes.fromhex(case["extras"])
    assert expected.rstrip(b"\0") == (extras or b"").rstrip(b"\0")


@check_each("frames")
def test_protected_pictures(case: Case) -> None:
    """The package restores what it protected, by the master key and by the picture key."""
    frames = [{**frame, "samples": frame["protected"]} for frame in case["frames"]]
    line, blobs = case["line"], bytes.fromhex(case["blobs"] or "")
    extras = None if line is None else (line.encode("ascii") + b"\n" + blobs).hex()
    plain = [frame["plain"] for frame in case["frames"]]
    changed_case = {**case, "frames": frames, "plain": plain, "extras": extras}
    secrets = [{"key": KEY.to_text(), "picture_key": None}]
    if case["picture_key"] is not None:
        own_key = PictureKey(bytes.fromhex(case["picture_key"])).to_text()
        secrets.append({"key": None, "picture_key": own_key})
    for secret in secrets:
        require_restored(changed_case, *read_picture_by_package({**changed_case, **secret}))


@pytest.mark.parametrize("kind", ["reject", "reject_pictures"])
@pytest.mark.parametrize("layer", ERRORS)
def test_rejected(kind: str, layer: str) -> None:
    """The package refuses with exactly the error of the layer."""
    read_case = read_by_package if kind == "reject" else read_picture_by_package

    def check(case: Case) -> None:
        with pytest.raises(SudokucryptError) as error_info:
            read_case(case)
        assert type(error_info.value) in list_expected(case), error_info.value

    cases = [case for case in load(kind) if case["layer"] == layer]
    assert not cases or not find_faults(cases, check)


@check_each("captions")
def test_captions(case: Case) -> None:
    """The package restores files below words in black and white, and refuses other rows there."""
    picture = bytes.fromhex(case["picture"])
    if case["content"] is not None:
        assert decrypt_bytes(picture, KEY).hex() == case["content"]
        return
    with pytest.raises(SudokucryptError):
        decrypt_bytes(picture, KEY)


@check_each("containers")
def test_containers(case: Case) -> None:
    """The package takes the header that counts and restores what it wrote, or refuses."""
    if case["refused"]:
        with pytest.raises(SudokucryptError):
            find_header(case)
        return
    header = find_header(case)
    assert (None if header is None else header.to_bytes().decode()) == case["header"]
    if case["plain"] is not None:
        require_restored(case, *read_container(case))


def test_the_reference_finds_headers() -> None:
    """The reference finds the same headers, and refuses the same files."""
    assert not find_faults(load("containers"), CHECKS["containers"])


def _restore_jpeg(case: Case, key: RestoringKey) -> JpegPlan:
    """Restore a scrambled JPEG file, whose header is in the file or in the case."""
    data = bytes.fromhex(case["scrambled"])
    text = case["header"].encode() if "layer" in case and "header" in case else None
    header = Header.from_bytes(text or header_in_jpeg(data, "vector") or b"")
    return restore_jpeg(data, open_header(header, key), name="vector")


@check_each("jpegs")
def test_jpegs_are_restored(case: Case) -> None:
    """The master key and the picture key restore every file, with its structure."""
    for key in (KEY, PictureKey(bytes.fromhex(case["picture_key"]))):
        plan = _restore_jpeg(case, key)
        assert plan.plain_file.hex() == case["plain"]
        assert plan.structure.to_bytes().hex() == case["structure"]


@check_each("accept_jpegs")
def test_peculiar_jpegs_are_restored(case: Case) -> None:
    """Fill bytes before markers are no fault."""
    assert _restore_jpeg(case, Key.from_text(case["key"])).plain_file.hex() == case["plain"]


@check_each("reject_jpegs")
def test_faults_of_jpegs_are_refused(case: Case) -> None:
    """Each fault under a right seal is refused as a wrong key is, and what left by its name."""
    is_earlier_version = case["layer"] == "earlier version"
    with pytest.raises(UnsupportedVersionError if is_earlier_version else DecryptionError):
        _restore_jpeg(case, Key.from_text(case["key"]))


def _read_keys(case: Case) -> list[Key]:
    return [Key(bytes.fromhex(key)) for key in case["keys"]]


def _lift(case: Case) -> None:
    redacted, plain = (bytes.fromhex(case[name]) for name in ("redacted", "plain"))
    assert lift_covers(redacted, *_read_keys(case)) == plain
    for key in _read_keys(case)[: len(case["keys"]) - 1]:
        assert lift_covers(redacted, key) not in (plain, redacted)


def _lift_second(case: Case) -> None:
    _lift(case)
    redacted = bytes.fromhex(case["redacted"])
    assert open_medium(redacted, "x", None).display_settings == case["manner"]
    if "partial" in case:
        part = open_medium(lift_covers(redacted, _read_keys(case)[0]), "x", None)
        pixels = part.picture.pixels
        little = pixels.astype(pixels.dtype.newbyteorder("<"))
        assert (part.display_settings, little.tobytes().hex()) == (case["manner"], case["partial"])


def _refuse(case: Case) -> None:
    pixels = np.frombuffer(bytes.fromhex(case["pixels"]), np.uint8).reshape(case["canvas"])
    package = bytes.fromhex(case["package"])
    with pytest.raises(SudokucryptError):
        lift_covers(add_attachment(b.make_png(pixels), package), *_read_keys(case))


def _refuse_second(case: Case) -> None:
    with pytest.raises(SudokucryptError):
        lift_covers(bytes.fromhex(case["redacted"]), *_read_keys(case))


def test_redactions_are_lifted() -> None:
    """All keys give the very file, and some another one."""
    assert not find_faults(load("redactions"), _lift)
    assert not find_faults(load("redactions_v2"), _lift_second)


def test_changed_redactions_are_refused() -> None:
    """Nothing comes of a package or a picture that was changed."""
    assert not find_faults(load("reject_redactions"), _refuse)
    assert not find_faults(load("reject_redactions_v2"), _refuse_second)
