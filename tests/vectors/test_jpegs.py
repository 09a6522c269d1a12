"""JPEG files that stay JPEG files: package and reference restore, refuse and make the same."""

import random
from dataclasses import replace

import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Header,
    Key,
    PictureKey,
    UnsupportedVersionError,
)
from sudokucrypt.images import header_in_jpeg
from sudokucrypt.images.jpeg import JpegFile, JpegStructure
from sudokucrypt.keys import RestoringKey
from sudokucrypt.recipes.jpegs import JpegPlan, restored
from sudokucrypt.recipes.opening import open_header
from tests.images.jpeg.corpus import corpus
from tests.images.jpeg.made import read
from tests.kit.reference import RefusedError, containers, jpegs, structure
from tests.kit.reference.entropy import file_of
from tests.kit.replay import load
from tests.kit.replay_jpegs import check_rejected, draft_of_jpeg
from tests.vectors import jpeg_files
from tests.vectors.common import KEY, SECRET, Case, faults, protection
from tests.vectors.jpegs import MOST_PIXELS, _base_of, plan_of, sound

_SHARE = 32
_UNSENT = "0: 1 63 0 2;"  # in the script of files that lack bits


def _restored(case: Case, key: RestoringKey) -> JpegPlan:
    data = bytes.fromhex(case["scrambled"])
    text = case["header"].encode() if "layer" in case and "header" in case else None
    header = Header.from_bytes(text or header_in_jpeg(data, "vector") or b"")
    return restored(data, open_header(header, key), name="vector")


def test_package_restores() -> None:
    """Every file comes back by the master key and by its picture key, with its structure."""

    def check(case: Case) -> None:
        for key in (KEY, PictureKey(bytes.fromhex(case["picture_key"]))):
            plan = _restored(case, key)
            assert plan.plain.hex() == case["plain"]
            assert plan.structure.to_bytes().hex() == case["structure"]

    assert not faults(load("jpegs"), check)


def test_peculiar_files_are_restored() -> None:
    """Fill bytes before markers are no fault."""

    def check(case: Case) -> None:
        assert _restored(case, Key.from_text(case["key"])).plain.hex() == case["plain"]

    assert not faults(load("accept_jpegs"), check)


@pytest.mark.parametrize("label", jpeg_files.FILES)
def test_made_files_are_those_of_the_vectors(label: str) -> None:
    """What no usual program writes is made again."""
    (case,) = (case for case in load("jpegs") if case["label"] == label)
    assert jpeg_files.plain_of(label).hex() == case["plain"]


def test_faults_are_refused() -> None:
    """Each fault under a right seal is refused as a wrong key is, and what left by its name."""

    def check(case: Case) -> None:
        check_rejected(case)
        earlier = case["layer"] == "earlier version"
        with pytest.raises(UnsupportedVersionError if earlier else DecryptionError):
            _restored(case, Key.from_text(case["key"]))

    assert not faults(load("reject_jpegs"), check)
    case = {"key": KEY.to_text(), **sound()}
    assert _restored(case, KEY).plain
    with pytest.raises(AssertionError, match="accepted"):
        check_rejected(case)


def _planes(file: JpegFile) -> jpegs.Planes:
    return [plane.reshape(-1, 64).tolist() for plane in file.coefficients]


@pytest.mark.slow
@pytest.mark.parametrize("share", range(3))
def test_both_agree_on_files_of_other_programs(share: int) -> None:
    """Both make the same header and blocks, and each finds the file and the header again."""
    source = random.Random(share)  # noqa: S311 - a test wants the same again

    def check(case: Case) -> None:
        data = corpus()[case["name"]]
        file = read(data)
        plan = plan_of(data)
        salt = source.choice([None, source.randbytes(16)])
        result, header = plan.protect(KEY, protection("scramble-v1", salt=salt))
        about = structure.read(plan.structure.to_bytes())
        assert structure.skeleton_of(data) == about.skeleton
        fields = {"rounds": header.rounds, "salt": None if salt is None else salt.hex()}
        skeleton = structure.read_skeleton(about.skeleton)
        draft = draft_of_jpeg(skeleton, **fields)
        planes, written = jpegs.protect_jpeg(data, _planes(file), about, draft, key=SECRET)
        assert written == header.to_bytes() == containers.header_that_counts(result)
        assert planes == _planes(read(result))
        at_hand = structure.skeleton_of(result)
        assert jpegs.restore_jpeg(at_hand, planes, written, master=SECRET)[0] == data
        assert restored(result, open_header(header, KEY), name="file").plain == data

    names = [name for name, data in corpus().items() if len(data) < 2500 and _UNSENT not in name]
    assert not faults(({"name": name} for name in names[share::_SHARE]), check)


def test_breaks_of_no_run_are_refused_by_both() -> None:
    """Neither implementation guesses what a break means at a block that joins no run."""
    base = _base_of("gray, progressive")
    first, *others = base.right.scans
    about = replace(base.right, scans=(replace(first, breaks=(0,)), *others))
    with pytest.raises(RefusedError, match="joins no run"):
        file_of(about, base.planes)
    ours = JpegStructure.from_bytes(structure.write(about), max_pixels=MOST_PIXELS)
    with pytest.raises(FormatError, match="joins no run"):
        ours.rebuilt(base.file.coefficients)
