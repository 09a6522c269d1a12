"""What every reader must accept and reject: the package does, and `tests/page` asks the page."""

import re
from math import prod

import pytest

from sudokucrypt import PictureKey, SudokucryptError, decrypt_bytes
from tests.kit.reference.header import SAMPLE_BYTES
from tests.kit.replay import CHECKS, load
from tests.vectors.common import KEY, Case, faults
from tests.vectors.readers import (
    ERRORS,
    expected,
    header_that_counts,
    read_by_package,
    read_container,
    read_picture_by_package,
)
from tests.vectors.test_vectors import slow_if

READ = ("accept", "reject", "accept_pictures", "reject_pictures", "containers")
IGNORED = re.compile(rb'"(?:readable|texts|native)":')
KINDS = ("picture", "key", "header", "extras", "kdf")
FEWEST_CASES = 1600


def test_every_case_has_a_name_and_its_bytes() -> None:
    """There are enough cases, no two of a file have one name, all layers some, and pixels fit."""
    cases = [case for kind in READ for case in load(kind)]
    assert len(cases) >= FEWEST_CASES
    for kind in READ:
        assert len({case["name"] for case in load(kind)}) == len(load(kind))
    assert {case["layer"] for case in cases if "layer" in case} == set(ERRORS)
    for case in cases:
        if case.get("what") == "picture":
            length = prod(case["shape"]) * SAMPLE_BYTES[case["dtype"]]
            assert len(case["pixels"]) == 2 * length, case["name"]


@pytest.mark.parametrize("what", slow_if(KINDS, "header"))
def test_accepted(what: str) -> None:
    """The package restores plain images, and reads what it should."""

    def check(case: Case) -> None:
        result, wanted = read_by_package(case), case.get("plain", case.get("secret"))
        assert wanted is None or result.hex() == wanted

    assert not faults([case for case in load("accept") if case["what"] == what], check)


def test_accepted_pictures() -> None:
    """The package restores the plain frames and their description."""

    def check(case: Case) -> None:
        require_restored(case, *read_picture_by_package(case))

    assert not faults(load("accept_pictures"), check)


def require_restored(case: Case, samples: bytes, extras: bytes | None) -> None:
    """Compare samples and description, which may have had more padding than is needed.

    Of stills of earlier releases, readers restore less than was sealed (Pictures, section 3).
    """
    assert [samples.hex()] == case["plain"]
    if IGNORED.search(bytes.fromhex(case["extras"] or "")):
        return
    wanted = b"" if case["extras"] is None else bytes.fromhex(case["extras"])
    assert wanted.rstrip(b"\0") == (extras or b"").rstrip(b"\0")


def test_protected_pictures() -> None:
    """The package restores what it protected, by the master key and by the picture key."""

    def check(case: Case) -> None:
        frames = [{**frame, "samples": frame["protected"]} for frame in case["frames"]]
        line, blobs = case["line"], bytes.fromhex(case["blobs"] or "")
        extras = None if line is None else (line.encode("ascii") + b"\n" + blobs).hex()
        plain = [frame["plain"] for frame in case["frames"]]
        given = {**case, "frames": frames, "plain": plain, "extras": extras}
        secrets = [{"key": KEY.to_text(), "picture_key": None}]
        if case["picture_key"] is not None:
            own = PictureKey(bytes.fromhex(case["picture_key"])).to_text()
            secrets.append({"key": None, "picture_key": own})
        for secret in secrets:
            require_restored(given, *read_picture_by_package({**given, **secret}))

    assert not faults(load("frames"), check)


@pytest.mark.parametrize("kind", ["reject", "reject_pictures"])
@pytest.mark.parametrize("layer", ERRORS)
def test_rejected(kind: str, layer: str) -> None:
    """The package refuses with exactly the error of the layer."""
    read = read_by_package if kind == "reject" else read_picture_by_package

    def check(case: Case) -> None:
        with pytest.raises(SudokucryptError) as caught:
            read(case)
        assert type(caught.value) in expected(case), caught.value

    cases = [case for case in load(kind) if case["layer"] == layer]
    assert not cases or not faults(cases, check)


def test_captions() -> None:
    """The package restores files below words in black and white, and refuses other rows there."""

    def check(case: Case) -> None:
        picture = bytes.fromhex(case["picture"])
        if case["content"] is not None:
            assert decrypt_bytes(picture, KEY).hex() == case["content"]
            return
        with pytest.raises(SudokucryptError):
            decrypt_bytes(picture, KEY)

    assert not faults(load("captions"), check)


def test_containers() -> None:
    """The package takes the header that counts and restores what it wrote, or refuses."""

    def check(case: Case) -> None:
        if case["refused"]:
            with pytest.raises(SudokucryptError):
                header_that_counts(case)
            return
        header = header_that_counts(case)
        assert (None if header is None else header.to_bytes().decode()) == case["header"]
        if case["plain"] is not None:
            require_restored(case, *read_container(case))

    assert not faults(load("containers"), check)


def test_the_reference_finds_headers() -> None:
    """The reference finds the same headers, and refuses the same files."""
    assert not faults(load("containers"), CHECKS["containers"])
