"""Pictures that survive recompression, on the command line: made, restored, looked into."""

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.images import read_picture
from sudokucrypt.robust import PROFILES
from tests.cli.conftest import Run
from tests.images.jpeg.corpus import photographs

KEY = ("--key", "my.key")


@pytest.fixture(autouse=True)
def _photo(run: Run) -> None:
    """A photograph, a key, and what a service made of the scrambled photograph."""
    Image.fromarray(next(iter(photographs().values()))).save("photo.jpg", quality=95)
    assert run("scramble", "photo.jpg", "--robust", *KEY, "-o", "sent.jpg").code == 0
    Image.open("sent.jpg").save("received.jpg", quality=75)


def test_a_recompressed_picture_comes_back(run: Run) -> None:
    """Roughly, with the quality to expect, by the same command as any scrambled picture."""
    done = run("unscramble", "received.jpg", *KEY, "-o", "back.png")
    assert done.code == 0
    assert "restored roughly, about" in done.err
    assert "nothing shows whether its pixels were changed" in done.err
    plain, back = (read_picture(Path(name)).pixels for name in ("photo.jpg", "back.png"))
    assert back.shape == plain.shape
    loss = np.mean((plain.astype(float) - back) ** 2)
    assert 10 * np.log10(255**2 / loss) > 26
    piped = run("unscramble", "-", *KEY, "-o", "-", stdin=Path("received.jpg").read_bytes())
    with Image.open(io.BytesIO(piped.raw)) as image:
        assert image.size == plain.shape[1::-1]


def test_what_makes_it_fail_is_named(run: Run) -> None:
    """A wrong key, a resized picture, and one that was never protected."""
    assert run("keygen", "-o", "other.key").code == 0
    Image.open("sent.jpg").resize((300, 300)).save("small.jpg", quality=90)
    for arguments, code, words in (
        (("received.jpg", "--key", "other.key"), 3, "wrong key: the picture needs key"),
        (("small.jpg", *KEY), 3, "was resized"),
        (("photo.jpg", *KEY), 4, "is not a protected picture"),
    ):
        done = run("unscramble", *arguments, "-o", "no.png")
        assert (done.code, words in done.err) == (code, True), done.err
        assert not Path("no.png").exists()


def test_info_reads_the_cells(run: Run) -> None:
    """Without a key what the cells say, with one whether the header is that of the key."""
    fields = json.loads(run("info", "received.jpg", "--json").out)
    assert fields["scheme"] == "robust-v1"
    assert tuple(fields["shape"]) == read_picture(Path("photo.jpg")).pixels.shape
    assert "fits the header" in run("info", "received.jpg", *KEY).out
    assert run("keygen", "-o", "other.key").code == 0
    assert run("info", "received.jpg", "--key", "other.key").code == 3


def test_profiles_say_how_large(run: Run) -> None:
    """The list names each with its source; a sheet is no larger than asked for."""
    listed = run("scramble", "--profile", "list").out
    assert all(name in listed and each.source in listed for name, each in PROFILES.items())
    done = run("scramble", "photo.jpg", "--robust", "--max-side", "300", *KEY, "-o", "s.png")
    assert "made smaller to" in done.err
    assert max(read_picture(Path("s.png")).pixels.shape) <= 300
    done = run("scramble", "photo.jpg", "--robust", "--profile", "nobody", *KEY, "-o", "x.png")
    assert (done.code, "there is no profile 'nobody'" in done.err) == (2, True)


def test_options_of_exact_results_are_refused(run: Run) -> None:
    """What has no meaning for a rough result, and what needs --robust."""
    for options in (
        ("--robust", "--unit", "block"),
        ("--robust", "--sidecar"),
        ("--robust", "--deterministic"),
        ("--robust", "--region", "0,0,9,9"),
        ("--quality", "50"),
        ("--profile", "x"),
    ):
        done = run("scramble", "photo.jpg", *options, *KEY, "-o", "no.jpg")
        assert (done.code, "--robust" in done.err) == (2, True), done.err
    done = run("scramble", "received.jpg", "--robust", *KEY, "-o", "no.jpg")
    assert "protected already" in done.err
    assert not Path("no.jpg").exists()


def test_folders_say_it_once(run: Run) -> None:
    """Many pictures are restored by one command, which says of all of them what came back."""
    Path("in").mkdir()
    for name in "ab":
        shutil.copy("received.jpg", f"in/{name}.jpg")
    done = run("unscramble", "in", *KEY, "-o", "out")
    assert done.code == 0
    assert "2 pictures: restored roughly" in done.err
    assert len(list(Path("out").iterdir())) == 2


def test_existing_results_are_not_compared(run: Run) -> None:
    """With --resume new results are made, and one that exists is an error that says why."""
    ways = (
        ("scramble", "photo.jpg", "--robust", "-o", "new.jpg"),
        ("unscramble", "received.jpg", "-o", "new.png"),
    )
    for way in ways:
        assert run(*way, *KEY, "--resume").code == 0
        before = Path(way[-1]).read_bytes()
        done = run(*way, *KEY, "--resume")
        assert (done.code, "exists, and rough results cannot be compared" in done.err) == (6, True)
        assert "'new." in run(*way, *KEY).err
        assert Path(way[-1]).read_bytes() == before


@pytest.mark.slow
def test_a_cluster_makes_them_too(run: Run) -> None:
    """Workers take the options of a robust picture, though they always resume."""
    pytest.importorskip("distributed")
    Path("in").mkdir()
    for name in "ab":
        shutil.copy("photo.jpg", f"in/{name}.jpg")
    done = run(
        "scramble", "in", "--robust", "--max-side", "600", "-o", "out", *KEY, "--dask", "local"
    )
    assert done.code == 0, done.err
    assert len(list(Path("out").iterdir())) == 2
