"""Photos at the command line: a scrambled JPEG stays one, and the very file comes back."""

from pathlib import Path

import pytest

from tests.cli.conftest import KEY, Run, same
from tests.images.jpeg.corpus import saved, smooth

PHOTO = saved(smooth(64, 80), comment=b"private words")
LACKING = saved(smooth(64, 80), progressive=True)
LACKING = LACKING[: LACKING.rindex(b"\xff\xda")] + b"\xff\xd9"
JPEG, PNG = b"\xff\xd8\xff", b"\x89PNG"


@pytest.fixture
def photos(run: Run) -> Path:
    """Photos of several kinds in folders, one of them damaged and one a PNG."""
    del run
    root = Path("photos")
    (root / "trip").mkdir(parents=True)
    (root / "a.jpg").write_bytes(PHOTO)
    (root / "b.JPEG").write_bytes(saved(smooth(65, 50), progressive=True))
    (root / "trip" / "c.jpe").write_bytes(saved(smooth(31, 33, 1)) + b"film behind it")
    (root / "trip" / "d.png").write_bytes(Path("photo.png").read_bytes())
    return root


def names(folder: str | Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}


def test_folders_of_photos(run: Run, photos: Path) -> None:
    """They stay JPEGs, are resumed and rekeyed as such, and come back as the very files."""
    assert run("keygen", "-o", "other.key").code == 0
    steps = (
        (("scramble", photos, "-o", "hidden"), "4 scrambled, 0 failed"),
        (("scramble", photos, "-o", "hidden", "--resume"), "0 scrambled, 4 already there"),
        (("rekey", "hidden", "-o", "moved", "--new-key", "other.key"), "4 rekeyed, 0 failed"),
    )
    for command, expected in steps:
        done = run(*command, "-r", "--jobs", "2", *KEY)
        assert (done.code, done.out) == (0, "")
        assert expected in done.err
    hidden = {"a.scrambled.jpg", "b.scrambled.jpg", "trip/c.scrambled.jpg", "trip/d.scrambled.png"}
    assert names("hidden") == hidden
    for name in hidden:
        start = PNG if name.endswith("png") else JPEG
        assert (Path("hidden") / name).read_bytes().startswith(start)
    done = run(
        "unscramble", "moved", "-r", "-o", "back", "--name", "{stem}{suffix}",
        "--key", "other.key",
    )  # fmt: skip
    assert done.code == 0
    assert names("back") == {"a.jpg", "b.jpg", "trip/c.jpg", "trip/d.png"}
    for back, plain in (("a.jpg", "a.jpg"), ("b.jpg", "b.JPEG"), ("trip/c.jpg", "trip/c.jpe")):
        assert (Path("back") / back).read_bytes() == (photos / plain).read_bytes()
    assert same("back/trip/d.png", photos / "trip" / "d.png")


def test_through_pipes(run: Run) -> None:
    """From stdin to stdout too."""
    done = run("scramble", "-", "-o", "-", *KEY, stdin=PHOTO)
    assert done.code == 0
    assert done.raw.startswith(JPEG)
    assert run("unscramble", "-", "-o", "-", *KEY, stdin=done.raw).raw == PHOTO


@pytest.mark.parametrize(
    ("options", "start"),
    [
        (("-o", "x.jpeg"), JPEG),
        (("-o", "x.JPG"), JPEG),
        (("-o", "x.jfif"), JPEG),
        (("-o", "x.png"), PNG),
        (("-o", "x.webp"), b"RIFF"),
        (("-o", "x", "--format", "png"), PNG),
        (("-o", "x.png", "--unit", "sample"), PNG),
        (("-o", "x.png", "--unit", "block", "--block-size", "8"), PNG),
    ],
)
def test_the_output_chooses_the_format(run: Run, options: tuple[str, ...], start: bytes) -> None:
    """Suffix and --format do; other units are units of pixels, and their results no JPEGs."""
    Path("photo.jpg").write_bytes(PHOTO)
    assert run("scramble", "photo.jpg", *options, *KEY).code == 0
    assert Path(options[1]).read_bytes().startswith(start)
    assert run("unscramble", options[1], "-o", "back.png", *KEY).code == 0
    assert same("back.png", "photo.jpg")


def test_info(run: Run) -> None:
    """It shows the scheme and the regions as they were rounded, and with a key what is sealed."""
    Path("photo.jpg").write_bytes(PHOTO)
    done = run("scramble", "photo.jpg", "-o", "x.jpg", "--region", "20,18,3,5", *KEY)
    assert (done.code, done.err) == (0, "")
    shown = run("info", "x.jpg", *KEY).out
    for line in ("scramble-jpeg-v1", "block of 8 pixels", "16,16,16,16", "this key restores"):
        assert line in shown
    assert "sealed    text\n" in shown


def test_what_cannot_stay_a_jpeg(run: Run) -> None:
    """Its pixels are scrambled with a note, and a name of a JPEG is refused with a hint."""
    Path("in.jpg").write_bytes(LACKING)
    done = run("scramble", "in.jpg", *KEY)
    assert done.code == 0
    assert "scrambled the pixels (JPEG that cannot stay one); 'encrypt' keeps" in done.err
    assert Path("in.scrambled.png").exists()
    done = run("scramble", "in.jpg", "-o", "x.jpg", *KEY)
    assert (done.code, names(".") & {"x.jpg"}) == (4, set())
    assert "'in.jpg' is a JPEG that lacks some of its scans" in done.err
    assert "hint: choose another format" in done.err


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (("scramble", "photo.jpg", "-o", "x.jpg", "--unit", "sample"), 4, "JPEG is lossy"),
        (("scramble", "photo.jpg", "-o", "photo.jpg", "--force"), 2, "are the same file"),
        (("scramble", "hidden.jpg", "-o", "x.jpg"), 4, "protected already"),
        (("scramble", "cut.jpg", "-o", "x.jpg"), 4, "in the middle of the picture"),
        (("encrypt", "photo.jpg", "-o", "x.jpg"), 4, "JPEG is lossy"),
        (("decrypt", "hidden.jpg", "-o", "x.jpg"), 2, "scrambled only"),
        (("rekey", "hidden.jpg", "-o", "x.png", "--new-key", "my.key"), 4, "not that of a JPEG"),
        (("unscramble", "changed.jpg", "-o", "x.jpg"), 3, "was changed"),
        (("unscramble", "cut.jpg", "-o", "x.jpg"), 4, "in the middle of the picture"),
        (("unscramble", "photo.jpg", "-o", "x.jpg"), 4, "not a protected picture"),
        (("unscramble", "photo.png", "-o", "x.png", "--sidecar", "hidden.jpg.sudokucrypt.json"), 4,
         "not the JPEG that was scrambled"),
    ],
)  # fmt: skip
def test_failures(run: Run, command: tuple[str, ...], code: int, words: str) -> None:
    """Each has its exit code and message, and nothing is written."""
    Path("photo.jpg").write_bytes(PHOTO)
    assert run("scramble", "photo.jpg", "-o", "hidden.jpg", *KEY, "--sidecar").code == 0
    hidden = Path("hidden.jpg").read_bytes()
    Path("cut.jpg").write_bytes(hidden[: len(hidden) // 2])
    sealed = hidden.index(b"}\n") + 40
    changed = hidden[:sealed] + bytes([hidden[sealed] ^ 1]) + hidden[sealed + 1 :]
    Path("changed.jpg").write_bytes(changed)
    before = names(".")
    done = run(*command, *KEY)
    assert done.code == code, done.err
    assert words in done.err
    assert names(".") == before
