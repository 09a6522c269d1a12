"""Keys of one picture, limits and inspection on the command line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sudokucrypt import Header, Key, KeyDerivation, PictureKey, read_header
from sudokucrypt.images import read_picture
from tests.cli.conftest import WAYS, Run, same
from tests.cli.gallery import GALLERY
from tests.images.builders import encoded

KEY = Key(bytes(range(32)))


@pytest.fixture
def shared(run: Run) -> Path:
    """The key of the one picture safe.png, in a file."""
    Path("in.png").write_bytes(GALLERY["RGB-metadata.png"])
    assert run("encrypt", "in.png", "-o", "safe.png", "--key", "my.key").code == 0
    done = run("key", "picture", "safe.png", "--key", "my.key")
    assert done.code == 0
    Path("shared.key").write_text(done.out, encoding="ascii")
    Path("shared.key").chmod(0o600)
    return Path("shared.key")


@pytest.mark.parametrize(("protect", "restore"), WAYS)
def test_sharing_one_picture(
    run: Run, monkeypatch: pytest.MonkeyPatch, protect: str, restore: str
) -> None:
    """`key picture` prints 83 letters; from a file, stdin or the environment they open IN."""
    run(protect, "photo.png", "-o", "safe.png", "--key", "my.key")
    done = run("key", "picture", "safe.png", "--key", "my.key")
    assert (done.code, len(done.out)) == (0, 84)
    assert done.err == "sudokucrypt: note: whoever has this key can restore 'safe.png'\n"
    assert PictureKey.from_text(done.out) == KEY.for_picture(read_header("safe.png"))
    Path("shared.key").write_text(done.out, encoding="ascii")
    assert run(restore, "safe.png", "-o", "1.png", "--key", "shared.key").code == 0
    assert run(restore, "safe.png", "-o", "2.png", "--key", "-", stdin=done.out.encode()).code == 0
    monkeypatch.setenv("SUDOKUCRYPT_KEY", done.out)
    assert run(restore, "safe.png", "-o", "3.png").code == 0
    assert all(same(f"{number}.png", "photo.png") for number in (1, 2, 3))


def test_where_the_picture_comes_from(run: Run, shared: Path) -> None:
    """The picture may come from stdin, and its header from a sidecar."""
    text = shared.read_text(encoding="ascii")
    data = Path("safe.png").read_bytes()
    assert run("key", "picture", "-", "--key", "my.key", stdin=data).out == text
    header = read_header("safe.png")
    Path("bare.png").write_bytes(encoded(read_picture(Path("safe.png")).pixels, "PNG"))
    Path("header.json").write_bytes(header.to_bytes() + b"\n")
    assert run("key", "picture", "bare.png", "--key", "my.key").code == 4
    options = ("--sidecar", "header.json", "--key", "my.key")
    assert run("key", "picture", "bare.png", *options).out == text
    assert run("key", "picture", "safe.png", "--max-pixels", "9", "--key", "my.key").code == 4
    assert run("key", "picture", "-", "--key", "-", stdin=data).code == 2


def test_from_a_passphrase(run: Run) -> None:
    """A picture under a passphrase has a key to share, too."""
    Path("pw").write_bytes(b"open")
    Path("no").write_bytes(b"shut")
    run("encrypt", "photo.png", "-o", "safe.png", "--passphrase-file", "pw")
    done = run("key", "picture", "safe.png", "--passphrase-file", "pw")
    Path("shared.key").write_text(done.out, encoding="ascii")
    assert run("decrypt", "safe.png", "-o", "back.png", "--key", "shared.key").code == 0
    assert same("back.png", "photo.png")
    assert run("key", "picture", "safe.png", "--passphrase-file", "no").code == 3
    derived = KeyDerivation.from_text(read_header("safe.png").kdf or "")
    assert derived.memory == 64  # what the tests derive with


def test_it_opens_nothing_else(run: Run, shared: Path) -> None:
    """Another picture of the same key, and the same one protected again, stay shut with code 3."""
    key = ("--key", str(shared))
    run("encrypt", "photo.png", "-o", "other.png", "--key", "my.key")
    run("encrypt", "in.png", "-o", "again.png", "--key", "my.key")
    messages = set()
    for name in ("other.png", "again.png"):
        for command in (["decrypt", name, "-o", "out.png", *key], ["info", name, *key],
                        ["rekey", name, "-o", "out.png", "--new-key", "my.key", *key]):  # fmt: skip
            done = run(*command)
            assert (done.code, done.out, Path("out.png").exists()) == (3, "", False)
            messages.add(done.err)
    assert len(messages) == 1
    assert messages.pop().startswith("sudokucrypt: error: wrong key, or the picture or its header")


@pytest.mark.parametrize(
    "arguments",
    [
        ["encrypt", "photo.png"],
        ["scramble", "photo.png"],
        ["scramble", "photo.png", "--context", "x"],
        ["key", "picture", "safe.png"],
    ],
)
def test_it_protects_nothing(
    run: Run, shared: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    """Where something would be protected, the message says what the key is, and nothing is done."""
    before = set(Path().iterdir())
    for key in (["--key", str(shared)], []):
        monkeypatch.setenv("SUDOKUCRYPT_KEY", shared.read_text(encoding="ascii"))
        done = run(*arguments, *key)
        assert (done.code, done.out) == (4, "")
        assert (
            "this is the key of one picture: it restores that picture, but cannot protect any"
            in done.err
        )
        assert "keygen" in done.err
    assert set(Path().iterdir()) == before


def test_rekeying_with_it(run: Run, shared: Path) -> None:
    """It is the old key of `rekey`, and never the new one; the result no longer opens with it."""
    done = run("rekey", "safe.png", "-o", "x.png", "--key", "my.key", "--new-key", str(shared))
    assert (done.code, Path("x.png").exists()) == (4, False)
    assert "key of one picture" in done.err
    Key(bytes(32)).to_file("new.key")
    options = ("--key", str(shared), "--new-key", "new.key")
    assert run("rekey", "safe.png", "-o", "new.png", *options).code == 0
    assert run("decrypt", "new.png", "-o", "x.png", "--key", str(shared)).code == 3
    assert run("decrypt", "new.png", "-o", "back.png", "--key", "new.key").code == 0
    assert same("back.png", "in.png")


def test_a_context_has_none(run: Run) -> None:
    """A picture that was scrambled under a context has no key of its own."""
    run("scramble", "photo.png", "-o", "c.png", "--key", "my.key", "--context", "x")
    done = run("key", "picture", "c.png", "--key", "my.key")
    assert (done.code, done.out) == (4, "")
    assert "no key of its own" in done.err


def test_showing_it(run: Run, shared: Path) -> None:
    """`key show` prints it like any key; it has no id."""
    text = shared.read_text(encoding="ascii")
    assert run("key", "show", str(shared)).out == text
    assert run("key", "show", "-", stdin=text.lower().encode()).out == text
    done = run("key", "show", str(shared), "--id")
    assert (done.code, done.out) == (4, "")
    assert "no id" in done.err


@pytest.mark.parametrize("command", ["encrypt", "info", "rekey", "key show", "key picture"])
@pytest.mark.parametrize("text", [KEY.to_text(), PictureKey(bytes(range(32))).to_text().lower()])
def test_keys_among_the_arguments(run: Run, command: str, text: str) -> None:
    """A key in the arguments, in capitals or not, is refused and not repeated."""
    options = ["--new-key", "my.key"] if command == "rekey" else []
    where = [text] if command == "key show" else ["photo.png", "--key", text]
    done = run(*command.split(), *where, *options)
    assert (done.code, done.out) == (2, "")
    assert "the key itself is on the command line" in done.err
    for shown in (text, text.upper(), text.lower(), text[30:], text[-20:].upper()):
        assert shown not in done.err
    done = run("rekey", "photo.png", "--key", "my.key", "--new-key", text)
    assert done.code == 2
    assert text[-20:] not in done.err


# limits and inspection


@pytest.mark.parametrize(("protect", "restore"), WAYS)
def test_many_rounds(run: Run, protect: str, restore: str) -> None:
    """More than 16 rounds are refused with code 4 and a hint; --max-rounds allows more."""
    run(protect, "photo.png", "-o", "s.png", "--rounds", "17", "--key", "my.key")
    Key(bytes(32)).to_file("new.key")
    for command in ([restore, "s.png", "-o", "out.png"], ["info", "s.png"],
                    ["rekey", "s.png", "-o", "out.png", "--new-key", "new.key"]):  # fmt: skip
        done = run(*command, "--key", "my.key")
        assert (done.code, Path("out.png").exists()) == (4, False)
        assert "asks for 17 rounds, more than the 16 that are allowed" in done.err
        assert "--max-rounds" in done.err
        assert run(*command, "--key", "my.key", "--max-rounds", "17").code == 0
        Path("out.png").unlink(missing_ok=True)
    assert "rounds    17\n" in run("info", "s.png").out
    for bad in ("0", "256", "x"):
        assert run(restore, "s.png", "--max-rounds", bad, "--key", "my.key").code == 2


@pytest.mark.parametrize("kdf", ["argon2id:m=917505,t=1,p=1", "scrypt:m=1048576,t=1,p=1"])
def test_costly_passphrases(run: Run, kdf: str) -> None:
    """A derivation that costs too much is refused with code 4 and a hint."""
    Path("pw").write_bytes(b"open")
    run("encrypt", "photo.png", "-o", "c.png", "--passphrase-file", "pw")
    picture = read_picture(Path("c.png"))
    header = replace(Header.from_bytes(picture.header or b""), kdf=f"{kdf}:" + "00" * 16)
    Path("d.png").write_bytes(encoded(picture.pixels, "PNG", header=header.to_bytes()))
    done = run("decrypt", "d.png", "-o", "out.png", "--passphrase-file", "pw")
    assert (done.code, Path("out.png").exists()) == (4, False)
    assert "more memory or time than is allowed" in done.err
    assert kdf in run("info", "d.png").out


@pytest.mark.parametrize("choice", [[], ["--keep-metadata"], ["--strip-metadata"]])
def test_inspecting_with_a_key(run: Run, choice: list[str]) -> None:
    """`info --key` says that the key fits, what is sealed, and what of it is readable."""
    Path("in.png").write_bytes(GALLERY["RGB-metadata.png"])
    run("encrypt", "in.png", "-o", "c.png", "--key", "my.key", *choice)
    sealed = ["EXIF", "ICC profile", "resolution", "text", "PNG gAMA", "PNG zTXt", "PNG iTXt"]
    readable = sealed[:3] if choice == ["--keep-metadata"] else []
    fields = json.loads(run("info", "c.png", "--json", "--key", "my.key").out)
    assert fields.pop("verified") is True
    assert fields.pop("sealed") == ([] if choice == ["--strip-metadata"] else sealed)
    assert fields.pop("readable") == readable
    assert fields == json.loads(run("info", "c.png", "--json").out)
    shown = run("info", "c.png", "--key", "my.key")
    assert (shown.code, shown.err) == (0, "")
    assert "verified  yes, this key restores the picture\n" in shown.out
    assert f"readable  {', '.join(readable) or 'no metadata'}\n" in shown.out
    assert "verified" not in run("info", "c.png").out


def test_inspecting_with_the_wrong_key(run: Run) -> None:
    """With another key, a changed picture or a context nothing is shown."""
    Key(bytes(32)).to_file("other.key")
    run("encrypt", "photo.png", "-o", "c.png", "--key", "my.key")
    run("scramble", "photo.png", "-o", "s.png", "--key", "my.key", "--context", "x")
    picture = read_picture(Path("c.png"))
    Path("d.png").write_bytes(encoded(picture.pixels ^ 1, "PNG", header=picture.header))
    for arguments, code in ((["c.png", "--key", "other.key"], 3), (["d.png", "--key", "my.key"], 3),
                            (["s.png", "--key", "my.key"], 2)):  # fmt: skip
        done = run("info", *arguments)
        assert (done.code, done.out) == (code, "")
        assert run("info", arguments[0]).code == 0


def test_a_key_file_is_private_and_never_replaced(run: Run, shared: Path) -> None:
    """`-o` writes for the owner alone; no command offers to replace a key by --force."""
    assert run("key", "picture", "safe.png", "-o", "new.key", "--key", "my.key").code == 0
    new = Path("new.key")
    assert new.read_text("ascii") == shared.read_text("ascii")
    assert new.stat().st_mode & 0o777 == 0o600
    before = new.read_bytes()
    for command in (["key", "picture", "safe.png", "--key", "my.key"], ["keygen"]):
        done = run(*command, "-o", "new.key")
        assert (done.code, new.read_bytes()) == (6, before)
        assert "never replaced" in done.err
        assert "--force" not in done.err
