"""The command writes one page that only its owner may read, or none and an error."""

import shutil
import stat
from pathlib import Path

import pytest

from sudokucrypt import Key, KeyDerivation
from tests.cli.conftest import KEY, Run

GALLERY = ("gallery", "safe", "-o", "page.html")
DELETE = (
    "sudokucrypt: warning: 'page.html' shows decrypted previews and names; delete it after use\n"
)


@pytest.mark.usefixtures("safe")
def test_the_page_is_its_owners(run: Run) -> None:
    """It has mode 0600 whatever it replaces, is replaced only with --force, and is named."""
    done = run(*GALLERY, *KEY)
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith(DELETE)
    page = Path("page.html")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    before = page.read_bytes()
    assert b"early.jpg" in before
    page.write_bytes(b"precious")
    page.chmod(0o644)
    assert run(*GALLERY, *KEY).code == 6
    assert page.read_bytes() == b"precious"
    assert run(*GALLERY, *KEY, "--force").code == 0
    assert (page.read_bytes(), stat.S_IMODE(page.stat().st_mode)) == (before, 0o600)


@pytest.mark.usefixtures("safe")
def test_what_is_left_out_is_named(run: Run) -> None:
    """Plain and damaged pictures, those of other keys, and folders without -r: one line each."""
    lines = run(*GALLERY, *KEY).err.splitlines()
    assert lines == [
        "sudokucrypt: warning: 'safe/damaged.png' is damaged: it ends in the middle of the picture",
        "sudokucrypt: note: left out 1 folder that was not entered: 'safe/lake'; -r enters folders",
        "sudokucrypt: note: left out 1 picture that is not protected: 'safe/plain.png'",
        "sudokucrypt: note: left out 1 file that the key does not open: 'safe/foreign.png'",
        DELETE.strip(),
    ]
    done = run(*GALLERY, *KEY, "-r", "--list", "--force")
    assert done.out.splitlines() == [
        "safe/foreign.png: file that the key does not open",
        "safe/plain.png: picture that is not protected",
    ]
    assert b"late.jpg" in Path("page.html").read_bytes()


@pytest.mark.usefixtures("safe")
def test_hidden_files_are_shown(run: Run) -> None:
    """A protected file whose name begins with a point is shown as others are."""
    Path("safe/3.png").rename("safe/.3.png")
    assert "hidden" not in run(*GALLERY, *KEY).err
    assert b"drawing.svg" in Path("page.html").read_bytes()


@pytest.mark.usefixtures("safe")
def test_a_wrong_key(run: Run) -> None:
    """A key that opens nothing, or a passphrase, gives code 3 and no page."""
    Key(b"x" * 32).to_file("wrong.key")
    Path("words").write_text("open sesame")
    for wrong in (["--key", "wrong.key"], ["--passphrase-file", "words"]):
        done = run(*GALLERY, *wrong)
        assert done.code == 3
        assert "sudokucrypt: error: the key opens none of 8 protected files\n" in done.err
        assert not Path("page.html").exists()
    shutil.rmtree("safe/lake")
    done = run("gallery", "safe/foreign.png", *KEY, "-o", "page.html")
    assert done.code == 3
    assert "wrong key" in done.err
    assert not Path("page.html").exists()


@pytest.mark.usefixtures("safe")
def test_nothing_to_show(run: Run) -> None:
    """A folder without protected pictures, or what is no folder, gives code 4 and no page."""
    Path("empty").mkdir()
    Path("mixed").mkdir()
    for name in ("plain.png", "damaged.png"):
        Path("mixed", name).write_bytes(Path("safe", name).read_bytes())
    for source, message in (
        ("mixed", "none of these pictures is protected"),
        ("safe/plain.png", "none of these pictures is protected"),
        ("safe/damaged.png", "is damaged"),
        ("empty", "there is no picture in 'empty'; -r looks into its folders too"),
        ("missing", "'missing'"),
    ):
        done = run("gallery", source, *KEY, "-o", "page.html")
        assert done.code == 4
        assert message in done.err
        assert done.err.count("sudokucrypt: error: ") == 1
        assert not Path("page.html").exists()


@pytest.mark.usefixtures("safe")
def test_inputs_are_not_replaced(run: Run) -> None:
    """Neither a picture of the folder nor the key becomes the page, --force or not."""
    Path("link.html").symlink_to("safe/1.png")
    for target in ("safe/1.png", "safe/plain.png", "my.key", "link.html"):
        before = Path(target).read_bytes()
        done = run("gallery", "safe", "-o", target, "--force", *KEY)
        assert done.code == 2
        assert "input and output are the same file" in done.err
        assert Path(target).read_bytes() == before


@pytest.mark.usefixtures("safe")
def test_what_makes_no_sense(run: Run) -> None:
    """One of -o and --serve, a port for --serve alone, and files in place of streams."""
    for options in (
        ["safe"], ["safe", "-o", "page.html", "--serve"], ["safe", "-o", "x.html", "--port", "1"],
        ["-", "-o", "page.html"], ["safe", "-o", "-"], ["safe", "--serve", "--port", "0"],
        ["-o", "page.html"],
    ):  # fmt: skip
        assert run("gallery", *options, *KEY).code == 2
    assert run("gallery", "safe", "-o", "no/such/page.html", *KEY).code == 1
    assert not Path("page.html").exists()


def test_passphrases(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of a passphrase are opened with one derivation for each salt, not for each file."""
    Path("words").write_text("open sesame")
    secret = ("--passphrase-file", "words")
    assert run("encrypt", "photo.png", "-o", "0.png", "--preview", *secret).code == 0
    for name in ("1.png", "2.png"):
        shutil.copy("0.png", name)
    made: list[KeyDerivation] = []
    derived = KeyDerivation._derived

    def noted(derivation: KeyDerivation, word: bytes) -> bytes:
        made.append(derivation)
        return derived(derivation, word)

    monkeypatch.setattr(KeyDerivation, "_derived", noted)
    done = run("gallery", "0.png", "1.png", "2.png", "-o", "page.html", *secret)
    assert (done.code, len(made)) == (0, 1)
    assert Path("page.html").read_bytes().count(b"data:image/webp") == 3


def test_a_port_that_is_taken(run: Run) -> None:
    """The message says so, and what to do."""
    import socket

    run("encrypt", "photo.png", "-o", "x.png", *KEY)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("gallery", "x.png", "--serve", "--port", str(port), *KEY)
    assert done.code == 1
    assert f"error: cannot listen on port {port}: address already in use" in done.err
    assert "hint: leave out --port to take a free one" in done.err
