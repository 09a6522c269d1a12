"""Names of results: sealed names become harmless, and some files are never replaced."""

import io
import os
import pickle
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sudokucrypt import (
    FileReport,
    InvalidImageError,
    InvalidParameterError,
    Key,
    OutputExistsError,
    decrypt_file,
    encrypt_bytes,
    encrypt_file,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.images import kept_name
from sudokucrypt.recipes import open_file, sinks
from sudokucrypt.recipes.carriers.contract import ProtectRequest
from sudokucrypt.recipes.naming import ResultNaming, make_safe_name
from sudokucrypt.recipes.options import DecryptOptions, ScrambleOptions
from sudokucrypt.recipes.protection import make_protection
from sudokucrypt.recipes.sinks import Claims, RunTarget, Sink, identify_files
from sudokucrypt.recipes.sources import OpenContent
from sudokucrypt.storage import ignores_case, parse_location
from tests.images.builders import encode_array, noise, save_image
from tests.spies import watch_calls

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = Key(bytes(range(32)))
SOURCE, OTHER_SOURCE = Path("one"), Path("other")


@pytest.mark.parametrize(
    ("sealed", "safe"),
    [
        ("photo.jpg", "photo.jpg"),
        ("Übung 100% {x}.pdf", "Übung 100% {x}.pdf"),
        (".bashrc", "_.bashrc"),
        (".", "_"),
        ("..", "__"),
        ("...", "___"),
        ("-rf", "_-rf"),
        ("--force", "_--force"),
        ("-", "_-"),
        (" leading", " leading"),
        ("trailing ", "trailing_"),
        ("dot.", "dot_"),
        ("~", "~"),
        ("$HOME", "$HOME"),
        ("a*b?c", "a*b?c"),
        ("%2e%2e%2f", "%2e%2e%2f"),
        ("\x1b[31mred", "_[31mred"),
        ("tab\there", "tab_here"),
        ("soft\u00adhyphen", "soft_hyphen"),
        ("\u2066isolate\u2069", "_isolate_"),
        ("rtl\u200f.txt", "rtl_.txt"),
        ("join\u200d", "join_"),
        ("a\u200cb\u200dc", "a_b_c"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt",) * 2,
        ("\u0915\u094d\u200d\u0937.txt",) * 2,
        ("\u0d28\u0d4d\u200d.txt",) * 2,
        ("\U0001f469\U0001f3fd\u200d\U0001f4bb\u2764\ufe0f\u200d\U0001f525.png",) * 2,
        ("\u0645\u200c\u200c\u062e\u200c.txt", "\u0645__\u062e_.txt"),
        ("\u0645\u200c\u0600\u200d\u062e", "\u0645___\u062e"),
        ("\u200d\u0915" + "\u0915\u200d" * 100, "_\u0915" + "\u0915\u200d" * 41 + "\u0915"),
        ("desktop.ini", "_desktop.ini"),
        ("Autorun.INF", "_Autorun.INF"),
        ("my desktop.ini", "my desktop.ini"),
        ("b.png.redaction", "b.png_redaction"),
        ("B.PNG.Redaction", "B.PNG_Redaction"),
        (".redaction", "__redaction"),
        ("word\u2060joiner", "word_joiner"),
        ("e\u0301.txt", "e\u0301.txt"),
        ("b.png.sudokucrypt.json", "b.png.sudokucrypt_json"),
        ("B.PNG.SudokuCrypt.JSON", "B.PNG.SudokuCrypt_JSON"),
        ("invoice\u202efdp.exe", "invoice_fdp.exe"),
        ("a\u200bb\ufeff.txt", "a_b_.txt"),
        ("a\nb\x7f", "a_b_"),
        ("a\u2028b", "a_b"),
        ("setup.exe. . ", "setup.exe____"),
        ("NUL", "_NUL"),
        ("con", "_con"),
        ("Aux.txt", "_Aux.txt"),
        ("LPT9.", "LPT9_"),
        ("console.txt", "console.txt"),
        ("x" * 255, "x" * 255),
        (".sudokucrypt.json", "_.sudokucrypt_json"),
        ("a.\u017fudokucrypt.json", "a.\u017fudokucrypt_json"),
        ("com1.tar.gz", "_com1.tar.gz"),
        ("." + "ä" * 120 + ".jpeg", "_." + "ä" * 120 + ".jpeg"),
        ("." + "ä" * 124 + ".jpegs", "_." + "ä" * 123 + ".jpegs"),
    ],
)
def test_sealed_names_become_harmless(tmp_path: Path, sealed: str, safe: str) -> None:
    """`make_safe_name` changes invisible characters, and names of hidden files and sidecars.

    Other names stay, and a result has a safe name.
    """
    assert make_safe_name(sealed) == safe
    assert make_safe_name(safe) == safe
    assert len(safe.encode()) <= 255
    file = encrypt_bytes(b"", KEY, name=sealed)
    tmp_path.joinpath("in.png").write_bytes(file)
    assert open_file(tmp_path / "in.png", KEY).name == make_safe_name(kept_name(sealed))


@pytest.mark.parametrize("name", ["/etc/passwd", "..\\up", "C:x", "../up", "a\0b", "a\nb"])
def test_sealed_names_have_no_folders(name: str) -> None:
    """The name that is sealed has no separators of paths, colons, NUL or line ends."""
    assert not set(kept_name(name)) & set("/\\:\0\n")


def test_random_names_have_64_bits(tmp_path: Path) -> None:
    """`{random}` becomes 16 random digits, and a suffix follows."""
    naming = ResultNaming(source=tmp_path / "a.txt", participle="encrypted", template="{random}")
    names = {naming.make_path(".png").name for _ in range(2)}
    assert len(names) == 2
    assert all(re.fullmatch(r"[0-9a-f]{16}\.png", name) for name in names)


@pytest.mark.parametrize(("length", "is_whole"), [(241, True), (242, False), (243, False)])
def test_only_names_that_are_too_long_are_shortened(length: int, *, is_whole: bool) -> None:
    """A name of 255 bytes stays whole, and a longer one loses only what it must."""
    naming = ResultNaming(source=Path("a" * length), participle="encrypted")
    name = str(naming.make_path(".png"))
    assert len(name) == 255
    assert ("~" not in name) == is_whole


@pytest.mark.parametrize("size", [235, 240, 251])
def test_long_names(tmp_path: Path, size: int) -> None:
    """The result of a file with a long name has a shortened name, and restores the long name."""
    names = ["a" * size + ".txt", "é" * (size // 2) + ".txt"]
    for name in names:
        (tmp_path / name).write_bytes(b"content")
        stored_path = encrypt_file(tmp_path / name, None, KEY).target
        assert stored_path is not None
        assert stored_path.name.endswith(".encrypted.png")
        (tmp_path / name).unlink()
        assert decrypt_file(stored_path, None, KEY).target == tmp_path / name


@pytest.mark.parametrize("folder", [None, "out"])
def test_a_hidden_sealed_name(tmp_path: Path, folder: str | None) -> None:
    """A file sealed as `.bashrc` is restored as `_.bashrc`; the report has the sealed name.

    It replaces no existing file, in the folder of the input or another one.
    """
    source = tmp_path / "in.png"
    source.write_bytes(encrypt_bytes(b"alias ls=rm", KEY, name=".bashrc"))
    out = tmp_path if folder is None else tmp_path / folder

    def make_naming() -> ResultNaming:
        return ResultNaming(
            source=source, participle="decrypted", folder=None if folder is None else out
        )

    report = decrypt_file(source, make_naming(), KEY)
    assert (report.target, report.renamed) == (out / "_.bashrc", ".bashrc")
    assert decrypt_file(source, tmp_path / "named", KEY).renamed is None
    names: list[str | None] = []

    def choose_name(_: str, name: str | None) -> Path:
        names.append(name)
        return tmp_path / "chosen"

    decrypt_file(source, choose_name, KEY)
    assert names == ["_.bashrc"]
    with pytest.raises(
        OutputExistsError, match="exists, and a file that is restored under its sealed name"
    ):
        decrypt_file(source, make_naming(), KEY, replace=True)
    sink = Sink.for_target(source, make_naming(), DecryptOptions(replace=True))
    with pytest.raises(
        OutputExistsError, match="exists, and a file that is restored under its sealed name"
    ):
        sink.make_sealed_destination(".bashrc")
    assert decrypt_file(source, make_naming(), KEY, resume=True).kept


def test_a_file_that_appears_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with the sealed name that appears after the check for it is not replaced."""
    source, existing = tmp_path / "in.png", tmp_path / "a.txt"
    source.write_bytes(encrypt_bytes(b"new", KEY, name="a.txt"))
    monkeypatch.setattr("sudokucrypt.recipes.sinks.exists", lambda _: False)
    existing.write_bytes(b"mine")
    with pytest.raises(OutputExistsError):
        decrypt_file(source, None, KEY, replace=True)
    assert existing.read_bytes() == b"mine"


def test_no_input_is_replaced(tmp_path: Path) -> None:
    """An input cannot be claimed as output, by name or through links; other files can."""
    names = ("a", "soft", "hard", "other")
    first, symbolic_link, hard_link, other = (tmp_path / f"{name}.encrypted.png" for name in names)
    first.write_bytes(b"an input")
    symbolic_link.symlink_to(first)
    os.link(first, hard_link)
    other.write_bytes(b"no input")
    claims = pickle.loads(pickle.dumps(Claims([], identify_files([first]))))  # noqa: S301 - our own
    for path in (first, symbolic_link, hard_link):
        with pytest.raises(InvalidParameterError, match="which replaces no input"):
            claims.claim(path, SOURCE)
    claims.claim(other, SOURCE)
    claims.claim(tmp_path / "new.png", SOURCE)
    for target in (first, lambda *_: symbolic_link):
        with pytest.raises(InvalidParameterError, match="input and output are the same file"):
            encrypt_file(first, target, KEY, replace=True)


def test_no_secret_is_replaced(tmp_path: Path) -> None:
    """A key file cannot be claimed as output, nor named as one, by name or through links."""
    path, link = tmp_path / "my.key", tmp_path / "link"
    KEY.to_file(path)
    link.symlink_to(path)
    claims, data = Claims([path]), path.read_bytes()
    url = parse_location("memory://in.png")
    assert identify_files([url]) == {url}
    calls: list[Callable[[Path], object]] = [
        lambda target: claims.claim(target, SOURCE),
        lambda target: claims.check(target, SOURCE),
        lambda target: encrypt_file(io.BytesIO(b"x"), RunTarget(target, claims), KEY, replace=True),
    ]
    for call in calls:
        for target in (path, link):
            with pytest.raises(OutputExistsError, match="exists") as error_info:
                call(target)
            assert "never replaced" in str(error_info.value.hint)
    assert path.read_bytes() == data


def test_a_name_that_several_inputs_claim_is_shared(tmp_path: Path) -> None:
    """A sealed name is shared for all its inputs once another one claimed it, or if they ask."""
    claims, path = Claims(), tmp_path / "a.png"
    assert not claims.is_shared(path, SOURCE)
    claims.claim(path, SOURCE, is_sealed_name=True)
    for claim in (claims.claim, claims.check):
        claim(path, SOURCE)
        with pytest.raises(InvalidParameterError, match="another input is written to"):
            claim(path, OTHER_SOURCE)
    assert [claims.is_shared(path, source) for source in (SOURCE, OTHER_SOURCE)] == [False, True]
    claims.claim(path, OTHER_SOURCE, is_sealed_name=True)
    assert [claims.is_shared(path, source) for source in (SOURCE, OTHER_SOURCE)] == [True, True]


def test_inputs_with_the_same_sealed_name_are_compared(tmp_path: Path) -> None:
    """In one run, an equal file under the same sealed name is kept, and another one is refused."""
    claims, kept = Claims(), list[bool]()
    for index, content in enumerate((b"same", b"same", b"other")):
        source = tmp_path / f"{index}.png"
        source.write_bytes(encrypt_bytes(content, KEY, name="a.txt"))
        naming = ResultNaming(source=source, participle="decrypted")
        if content == b"other":
            with pytest.raises(InvalidParameterError, match="another input is written to"):
                decrypt_file(source, RunTarget(naming, claims), KEY)
            break
        kept.append(decrypt_file(source, RunTarget(naming, claims), KEY).kept)
    assert kept == [False, True]
    assert (tmp_path / "a.txt").read_bytes() == b"same"


def test_names_that_differ_in_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the file system ignores case, two inputs cannot claim names that differ only in case."""
    claims = Claims()
    claims.claim(tmp_path / "Note.txt", SOURCE)
    claims.claim(tmp_path / "note.txt", OTHER_SOURCE)
    probed: list[Path] = []
    monkeypatch.setattr("sudokucrypt.recipes.sinks.ignores_case", Path.is_dir)
    watch_calls(monkeypatch, sinks, "ignores_case", probed.append)
    claims = Claims()
    claims.claim(tmp_path / "Stra\u00dfe e\u0301.txt", SOURCE)
    for sealed in (False, True):
        with pytest.raises(InvalidParameterError, match="another input is written to"):
            claims.claim(tmp_path / "STRASSE \u00c9.TXT", OTHER_SOURCE, is_sealed_name=sealed)
    assert probed == [tmp_path]  # once for a folder, since a probe is a file
    for name in ("Note.txt", "note.txt"):
        (tmp_path / name).write_text(name)
    shared = Claims()
    first_path, second_path = (
        ResultNaming(source=tmp_path / name, participle="encrypted", folder=tmp_path / "X")
        for name in ("Note.txt", "note.txt")
    )
    encrypt_file(first_path.source, RunTarget(first_path, shared), KEY)
    with pytest.raises(InvalidParameterError, match="another input is written to"):
        encrypt_file(second_path.source, RunTarget(second_path, shared), KEY, replace=True)


@pytest.mark.parametrize(
    ("mode", "umask", "result"),
    [(0o777, 0o077, 0o600), (0o777, 0o022, 0o644), (0o640, 0o022, 0o640), (0o444, 0o002, 0o444)],
)
def test_results_follow_the_umask(tmp_path: Path, mode: int, umask: int, result: int) -> None:
    """Results have the permissions of the input, limited by the umask, and are not executable."""
    source, key = tmp_path / "a.png", Key(bytes(32))
    source.write_bytes(encode_array(noise(9, 9, 3), "PNG"))
    source.chmod(mode)
    old_umask = os.umask(umask)
    try:
        encrypt_file(source, tmp_path / "b.png", KEY, sidecar=True)
        decrypt_file(tmp_path / "b.png", tmp_path / "c.png", KEY)
        scramble_file(source, tmp_path / "d.png", KEY)
        rekey_file(tmp_path / "d.png", tmp_path / "e.png", KEY, key)
    finally:
        os.umask(old_umask)
    source.unlink()
    assert {path.stat().st_mode & 0o7777 for path in tmp_path.iterdir()} == {result}
    assert len(list(tmp_path.iterdir())) == 5


@pytest.mark.parametrize("as_file", [True, False])
@pytest.mark.parametrize("change_file", ["grows", "shrinks", "is written anew"])
def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change_file: str, as_file: bool
) -> None:
    """An input that grows, shrinks or is rewritten while it is read is refused."""
    source = tmp_path / "log.txt"
    source.write_bytes(bytes(1000) if as_file else encode_array(noise(30, 30, 3), "PNG"))

    open_content, is_changed = OpenContent.open.__func__, OpenContent.is_changed  # type: ignore[attr-defined] # a class method

    def open_and_shrink(cls: type[OpenContent], path: Path) -> OpenContent:
        content: OpenContent = open_content(cls, path)
        if change_file == "shrinks":
            source.write_bytes(bytes(400))
        return content

    def change_and_compare(content: OpenContent) -> bool:
        if change_file != "shrinks":
            source.write_bytes(b"x" * (2000 if change_file == "grows" else 1000))
            os.utime(source, ns=(1, 1))
        return is_changed(content)

    monkeypatch.setattr(OpenContent, "open", classmethod(open_and_shrink))
    monkeypatch.setattr(OpenContent, "is_changed", change_and_compare)
    with pytest.raises(InvalidImageError, match="changed while it was read"):
        encrypt_file(source, tmp_path / "out.png", KEY, as_file=as_file)
    assert not (tmp_path / "out.png").exists()


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".txt"])
def test_existing_results_are_noticed_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """If the result exists, encrypting fails before it reads, and decrypting before it decodes."""
    source = tmp_path / f"in{suffix}"
    data = {".png": encode_array(noise(9, 9, 3), "PNG"), ".jpg": save_image(noise(9, 9, 3), "JPEG")}
    source.write_bytes(data.get(suffix, b"text"))
    target = encrypt_file(source, None, KEY).target
    assert target is not None
    restored = decrypt_file(target, tmp_path / "back", KEY) if suffix != ".png" else None
    with monkeypatch.context() as patch:
        patch.setattr(OpenContent, "open", os.abort)
        for as_file in (None, True, *[False] * (suffix == ".png")):
            with pytest.raises(OutputExistsError, match=r"encrypted\.png' exists"):
                encrypt_file(source, None, KEY, as_file=as_file)
    assert encrypt_file(source, None, KEY, resume=True).kept
    decrypt_file(target, None, KEY, resume=True)
    with monkeypatch.context() as patch:
        patch.setattr("sudokucrypt.images.decode_picture", os.abort)
        patch.setattr("sudokucrypt.recipes.carriers.file.open_stream", os.abort)
        for replace in (False, True)[: 1 + (restored is not None)]:  # a sealed name replaces none
            with pytest.raises(OutputExistsError, match="exists"):
                decrypt_file(target, None, KEY, replace=replace)
    assert encrypt_file(source, None, KEY, replace=True).target == target
    assert restored is None or restored.file is not None


def test_a_file_of_another_suffix_is_no_existing_result(tmp_path: Path) -> None:
    """A JPEG that stays one is scrambled beside the PNG whose name such a result might have."""
    source, other = tmp_path / "in.jpg", tmp_path / "in.jpg.scrambled.png"
    source.write_bytes(save_image(noise(32, 32, 3), "JPEG"))
    other.write_bytes(b"other")
    target = tmp_path / "in.jpg.scrambled.jpg"
    assert scramble_file(source, None, KEY).target == target
    with pytest.raises(OutputExistsError, match=r"scrambled\.jpg' exists"):
        scramble_file(source, None, KEY)
    scramble_file(io.BytesIO(encode_array(noise(9, 9, 3), "PNG")), other, KEY, replace=True)
    suffixes = [unscramble_file(other, None, KEY, format=name).target for name in (None, "TIFF")]
    assert [path and path.suffix for path in suffixes] == [".png", ".tiff"]


@pytest.mark.parametrize(
    ("source", "options", "suffix"),
    [
        ("in.png", {}, ".png"),
        ("in.PNG", {"unit": "sample"}, ".png"),
        ("in.JPG", {}, ".jpg"),
        ("in.jpg", {"unit": "sample"}, None),
        ("in.tif", {}, None),
        ("in.jpg", {"format": "PNG"}, ".png"),
        ("in.png", {"format": "TIFF"}, ".tiff"),
    ],
)
def test_a_suffix_is_guessed_only_where_it_is_certain(
    source: str, options: dict[str, Any], suffix: str | None
) -> None:
    """JPEGs stay JPEGs only if their blocks are scrambled; other inputs must be read first."""
    chosen = ScrambleOptions(**options)
    sink = Sink.for_target(Path(source), None, chosen)
    protection = make_protection(chosen)
    request = ProtectRequest(sink=sink, key=KEY, protection=protection, options=chosen)
    assert request.guess_suffix() == suffix


@pytest.mark.parametrize("call", ["encrypt", "encrypt pixels", "decrypt", "rekey"])
def test_two_runs_that_resume_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """With `resume`, an equal result that another run writes meanwhile is kept."""
    source, target = tmp_path / "in.png", tmp_path / "out.png"
    source.write_bytes(encode_array(noise(9, 9, 3), "PNG"))
    if call in ("decrypt", "rekey"):
        encrypt_file(source, tmp_path / "safe.png", KEY)
        source = tmp_path / "safe.png"
    calls: dict[str, Callable[[], FileReport]] = {
        "encrypt": lambda: encrypt_file(source, target, KEY, as_file=True, resume=True),
        "encrypt pixels": lambda: encrypt_file(source, target, KEY, resume=True, sidecar=True),
        "decrypt": lambda: decrypt_file(source, target, KEY, resume=True),
        "rekey": lambda: rekey_file(source, target, KEY, Key(bytes(32)), resume=True),
    }
    store, other_run_started = Sink.store, list[bool]()

    def store_after_other_run(*arguments: Any, **options: Any) -> int:
        if not other_run_started:  # after the check for an existing result, before writing
            other_run_started.append(True)
            monkeypatch.setattr(Sink, "store", store)
            assert not calls[call]().kept
        return store(*arguments, **options)

    monkeypatch.setattr(Sink, "store", store_after_other_run)
    assert calls[call]().kept


def test_ignores_case_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ignores_case` finds its probe in another case or not, and removes it."""
    assert not ignores_case(tmp_path)

    def find_and_remove(path: Path) -> bool:
        """Look for a name in lower case, which another sweep removes meanwhile."""
        (found,) = tmp_path.iterdir()
        found.unlink()
        return found.name == path.name.lower()

    with monkeypatch.context() as patch:
        patch.setattr(os.path, "lexists", find_and_remove)
        assert ignores_case(tmp_path)
    assert not ignores_case(tmp_path / "missing")
    assert list(tmp_path.iterdir()) == []
