"""URLs are inputs and outputs like paths: in memory, in archives, and in a store like S3."""

import io
import json
import logging
import os
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from socket import SHUT_RDWR, socket
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

import numpy as np
import pytest

from sudokucrypt import Key, decrypt_file, encrypt_file, remote
from sudokucrypt.errors import OutputExistsError
from sudokucrypt.images import read_picture
from sudokucrypt.remote import Url, stores
from sudokucrypt.storage import Location, parse_location, write_atomically
from tests.cli.conftest import KEY, Run, lines_of, names, quick
from tests.images.builders import encoded, noise

fsspec = pytest.importorskip("fsspec", reason="it comes with the extra 'cloud'")


class Failing:
    """A server of S3 on the loopback address that fails when it is told to."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application
        self.plan: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()

    def __call__(self, environment: WSGIEnvironment, answer: StartResponse) -> Iterable[bytes]:
        """Answer, or fail as planned: `500`, `cut` amid the answer, or `deaf` after acting."""
        method = environment["REQUEST_METHOD"]
        self.asked[method] += 1
        for kind in ("500", "cut", "deaf"):
            if self.plan[f"{method} {kind}"] > 0:
                self.plan[f"{method} {kind}"] -= 1
                if kind == "500":
                    environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
                    answer("500 Internal Server Error", [("Content-Length", "0")])
                    return [b""]
                said = answer if kind == "cut" else _silent
                body = b"".join(self._application(environment, said))
                return _broken(body if kind == "cut" else b"", environment["werkzeug.socket"])
        return self._application(environment, answer)


def _silent(*_: Any) -> Callable[[bytes], None]:
    return lambda _: None


def _broken(body: bytes, connection: socket) -> Iterator[bytes]:
    """Send half of an answer, or nothing, and hang up."""
    if body:
        yield body[: len(body) // 2]
    connection.shutdown(SHUT_RDWR)
    raise ConnectionError("cut")


@pytest.fixture(scope="module")
def server() -> Iterator[Failing]:
    """A store like S3, whose settings every run finds in its environment."""
    pytest.importorskip("s3fs", reason="it comes with the extra 'cloud'")
    moto = pytest.importorskip("moto.moto_server.werkzeug_app", reason="it stands for S3")
    serving = pytest.importorskip("werkzeug.serving", reason="it runs moto")
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    failing = Failing(moto.DomainDispatcherApplication(moto.create_backend_app))
    running = serving.make_server("127.0.0.1", 0, failing, threaded=True)
    thread = threading.Thread(target=running.serve_forever)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{running.port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "nobody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patch.setenv("AWS_MAX_ATTEMPTS", "1")  # the retries are ours
        thread.start()
        yield failing
    running.shutdown()
    thread.join()


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of an empty folder, in memory or in the store like S3."""
    fsspec.filesystem("memory").store.clear()
    if request.param == "memory":
        yield "memory://work"
    else:
        failing: Failing = request.getfixturevalue("server")
        failing.plan.clear()
        files = fsspec.filesystem("s3", use_listings_cache=False)
        if not files.exists("bucket"):
            files.mkdir("bucket")
        elif files.exists("bucket/work"):
            files.rm("bucket/work", recursive=True)
        yield "s3://bucket/work"


BOTH_SLOWLY = pytest.mark.parametrize("store", quick(["memory", "s3"], "memory"), indirect=True)
BOTH = pytest.mark.parametrize("store", ["memory", "s3"], indirect=True)
S3 = pytest.mark.parametrize("store", ["s3"], indirect=True)
MEMORY = pytest.mark.parametrize("store", ["memory"], indirect=True)


def held(url: str) -> set[str]:
    """The names of all objects below a place."""
    files, path = fsspec.url_to_fs(url, use_listings_cache=False)
    inside = path.strip("/") + "/"
    return {name.strip("/").removeprefix(inside) for name in files.find(path)}


@BOTH
def test_a_folder_goes_there_and_back(run: Run, folder: Path, store: str) -> None:
    """What a run writes elsewhere has the names and the content that it has on a disk."""
    assert run("encrypt", folder, "-r", "-o", "here", "--deterministic", *KEY).code == 0
    done = run("encrypt", folder, "-r", "-o", f"{store}/safe", "--deterministic", *KEY)
    assert (done.code, done.err.splitlines()[-1]) == (0, "sudokucrypt: note: 4 encrypted, 0 failed")
    assert held(f"{store}/safe") == names(Path("here"))
    for name in names(Path("here")):
        assert fsspec.open(f"{store}/safe/{name}").open().read() == Path("here", name).read_bytes()
    again = run("encrypt", folder, "-r", "-o", f"{store}/safe", "--deterministic", *KEY)
    assert again.code == 6
    assert "the results of 4 inputs exist" in again.err
    again = run("encrypt", folder, "-r", "-o", f"{store}/safe", "--deterministic", "--resume", *KEY)
    assert "0 encrypted, 4 already there, 0 failed" in again.err
    done = run("decrypt", f"{store}/safe", "-r", "-o", f"{store}/back", "--jobs", "2", *KEY)
    assert "4 decrypted, 0 failed" in done.err
    assert run("decrypt", f"{store}/back", "-r", "-o", "wrong", *KEY).code == 4
    assert run("decrypt", f"{store}/safe", "-r", "-o", "back", *KEY).code == 0
    assert held(f"{store}/back") == names(Path("back"))
    plain = read_picture(folder / "a.png").pixels
    assert np.array_equal(read_picture(Path("back/a.decrypted.png")).pixels, plain)


@BOTH_SLOWLY
def test_rules_for_folders_hold_elsewhere(run: Run, store: str) -> None:
    """Hidden objects, results, sidecars, other files and folders are left out with a note."""
    files, path = fsspec.url_to_fs(store)
    picture = encoded(noise(4, 4, 1), "PNG")
    for name, data in {
        "a.png": picture, "noend": picture, ".h.png": picture, "a.encrypted.png": picture,
        "x.txt": b"no", "b.png.sudokucrypt.json": b"{}", "deep/c.png": picture,
        ".deep/d.png": picture,
    }.items():  # fmt: skip
        files.pipe_file(f"{path}/{name}", data)
    done = run("encrypt", store, "-o", "out", "--list", *KEY)
    assert done.code == 0
    assert names(Path("out")) == {"a.encrypted.png", "noend.encrypted.png"}
    assert {line.rpartition("/")[2] for line in done.out.splitlines()} == {
        ".h.png: hidden file", "a.encrypted.png: result of this command",
        "x.txt: file that is not a picture",
        "b.png.sudokucrypt.json: sidecar, read with its picture",
        "deep: folder that was not entered", ".deep: hidden folder",
    }  # fmt: skip
    assert run("encrypt", store, "-r", "-o", f"{store}/all", *KEY).code == 0
    assert held(f"{store}/all") == {
        "a.encrypted.png", "noend.encrypted.png", "deep/c.encrypted.png"
    }  # fmt: skip
    done = run("encrypt", store, "-r", "-o", f"{store}/all", "--resume", "--list", *KEY)
    assert "work/all: folder of results" in done.out


@MEMORY
def test_single_files(run: Run, store: str) -> None:
    """One object is read, written beside, shown, rekeyed, refused and replaced as a file is."""
    files, path = fsspec.url_to_fs(store)
    files.pipe_file(f"{path}/p.png", Path("photo.png").read_bytes())
    done = run("scramble", f"{store}/p.png", "--sidecar", *KEY)
    assert done.err == f"sudokucrypt: note: wrote '{store}/p.scrambled.png'\n"
    assert held(store) == {"p.png", "p.scrambled.png", "p.scrambled.png.sudokucrypt.json"}
    shown = run("info", f"{store}/p.scrambled.png", "--json", *KEY)
    assert json.loads(shown.out)["verified"] is True
    Key(bytes(32)).to_file("new.key")
    assert run("rekey", f"{store}/p.scrambled.png", "--new-key", "new.key", *KEY).code == 0
    back = run("unscramble", f"{store}/p.rekeyed.png", "-o", "back.png", "--key", "new.key")
    assert back.code == 0
    assert np.array_equal(
        read_picture(Path("back.png")).pixels, read_picture(Path("photo.png")).pixels
    )
    done = run("scramble", f"{store}/p.png", "-o", f"{store}/p.scrambled.png", *KEY)
    assert done.code == 6
    assert f"'{store}/p.scrambled.png' exists" in done.err
    assert (
        run("scramble", f"{store}/p.png", "-o", f"{store}/p.scrambled.png", "--force", *KEY).code
        == 0
    )
    assert run("scramble", f"{store}/p.png", "-o", f"{store}/p.png", "--force", *KEY).code == 2
    assert run("scramble", f"{store}/none.png", *KEY).code == 4


@MEMORY
def test_files_keep_their_time_and_name(run: Run, store: str) -> None:
    """A file that was encrypted as it is gets back name and time through a store."""
    Path("notes.txt").write_text("words")
    os.utime("notes.txt", ns=(10**18, 10**18))
    assert run("encrypt", "notes.txt", "-o", f"{store}/x.png", *KEY).code == 0
    assert run("decrypt", f"{store}/x.png", "-o", "back/", *KEY).code == 0
    assert Path("back/notes.txt").stat().st_mtime_ns == 10**18
    encrypt_file(f"{store}/x.png", "y.png", Key(bytes(range(32))), as_file=True)
    made = fsspec.filesystem("memory").modified("work/x.png").timestamp()
    assert abs(Path("y.png").stat().st_mtime - made) < 1e-3


@BOTH
def test_a_manifest_is_relied_on(run: Run, folder: Path, store: str) -> None:
    """--resume asks only for sizes of what a manifest lists."""
    arguments = ("encrypt", folder, "-o", f"{store}/safe", "--manifest", "m.jsonl", *KEY)
    assert run(*arguments).code == 0
    assert {line["target"] for line in lines_of("m.jsonl")} == {
        f"{store}/safe/a.encrypted.png", f"{store}/safe/b.encrypted.png"
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sudokucrypt.recipes.encrypt_file", os.abort)
        assert "2 already there, 0 failed" in run(*arguments, "--resume").err


@S3
@pytest.mark.parametrize("kind", ["500", "cut", "deaf"])
@pytest.mark.parametrize("method", quick(["GET", "PUT", "HEAD"], "PUT"))
def test_a_store_that_fails_for_a_while(
    run: Run, folder: Path, store: str, server: Failing, monkeypatch: pytest.MonkeyPatch,
    method: str, kind: str,
) -> None:  # fmt: skip
    """Errors of the server and lost connections are overcome, and nothing is there in part."""
    monkeypatch.setattr(stores, "_PAUSE", 0.0)
    assert run("encrypt", folder, "-o", f"{store}/in", *KEY).code == 0
    server.plan[f"{method} {kind}"] = 2
    done = run("rekey", f"{store}/in", "-o", f"{store}/out", "--new-key", "my.key", *KEY)
    assert done.code == 0, done.err
    assert server.plan[f"{method} {kind}"] == 0
    assert held(f"{store}/out") == {"a.rekeyed.png", "b.rekeyed.png"}
    assert run("decrypt", f"{store}/out", "-o", "back", *KEY).code == 0


@S3
def test_a_store_that_fails_for_good(
    run: Run, folder: Path, store: str, server: Failing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be written is listed with the reason, is not there, and can be made later."""
    monkeypatch.setattr(stores, "_PAUSE", 0.0)
    server.plan["PUT 500"] = 1000
    done = run("encrypt", folder, "-o", f"{store}/out", *KEY)
    assert done.code == 1
    assert f"cannot write '{store}/out/a.encrypted.png': " in done.err
    assert held(f"{store}/out") == set()
    server.plan.clear()
    assert run("encrypt", folder, "-o", f"{store}/out", "--resume", *KEY).code == 0


@S3
def test_requests_for_each_picture(run: Run, store: str, server: Failing) -> None:
    """The figures of the page that plans a large archive hold."""
    asked: list[list[Counter[str]]] = []
    for pictures in (1, 3):
        folder = Path(f"with{pictures}")
        folder.mkdir()
        for number in range(pictures):
            (folder / f"{number}.png").write_bytes(encoded(noise(3, 3, 1) + number, "PNG"))
        counts = []
        for arguments in (
            ("encrypt", folder, "-o", f"{store}/{folder}/in"),
            ("decrypt", f"{store}/{folder}/in", "-o", f"{store}/{folder}/out"),
        ):
            server.asked.clear()
            assert run(*arguments, *KEY).code == 0
            counts.append(Counter(server.asked))
        asked.append(counts)
    for number, most in enumerate(({"PUT": 1, "GET": 1}, {"PUT": 1, "GET": 3, "HEAD": 2})):
        more = asked[1][number] - asked[0][number]
        assert more["PUT"] == 2
        assert more <= Counter({method: 2 * count for method, count in most.items()}), more


def test_archives_are_read(run: Run) -> None:
    """Pictures in a zip file are inputs, and nothing can be written into one."""
    with zipfile.ZipFile("photos.zip", "w") as archive:
        archive.write("photo.png", "deep/photo.png")
    done = run("encrypt", "zip://::photos.zip", "-r", "-o", "out", *KEY)
    assert done.code == 0
    assert names(Path("out")) == {"deep/photo.encrypted.png"}
    assert run("encrypt", "zip://deep/photo.png::photos.zip", "-o", "one.png", *KEY).code == 0
    done = run("encrypt", "photo.png", "-o", "zip://new.png::photos.zip", *KEY)
    assert done.code == 1
    assert "cannot write 'zip://new.png::photos.zip': " in done.err


@pytest.mark.parametrize("name", ["../evil.png", "deep/../../evil.png", "deep/..\\\\evil.png"])
def test_names_that_lead_out(run: Run, name: str) -> None:
    """An archive or store of somebody else cannot have results written outside of -o."""
    picture = encoded(noise(4, 4, 1), "PNG")
    with zipfile.ZipFile("photos.zip", "w") as archive:
        archive.writestr("good.png", picture)
        archive.writestr(name, picture)
    before = names(Path.cwd())
    done = run("encrypt", "zip://::photos.zip", "-r", "-o", "out/in", *KEY)
    assert done.code == 4
    assert "leads out of its folder" in done.err
    assert names(Path.cwd()) - before == {"out/in/good.encrypted.png"}


def test_names_that_lead_to_devices(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows an archive cannot have results written to a device or another drive either."""
    monkeypatch.setattr("sudokucrypt.storage.locations.WINDOWS", True)
    with zipfile.ZipFile("photos.zip", "w") as archive:
        for name in ("good.png", "nul.png", "aux/in.png", "C:in.png"):
            archive.writestr(name, encoded(noise(4, 4, 1), "PNG"))
    done = run("encrypt", "zip://::photos.zip", "-r", "-o", "out", *KEY)
    assert done.code == 4
    assert done.err.count("leads out of its folder") == 3
    assert names(Path("out")) == {"good.encrypted.png"}


def test_stores_that_move(run: Run, tmp_path: Path) -> None:
    """Where a store can move, an object gets its name when it is whole, as on a disk."""
    moved: list[tuple[str, str]] = []
    local = fsspec.get_filesystem_class("file")

    class Disk(local):  # type: ignore[misc,valid-type]
        protocol = "disk"

        def mv(self, one: str, other: str, **options: Any) -> None:
            moved.append((Path(one).name, Path(other).name))
            super().mv(one, other, **options)

    fsspec.register_implementation("disk", Disk, clobber=True)
    done = run("encrypt", "photo.png", "-o", f"disk://{tmp_path}/new/x.png", *KEY)
    assert done.code == 0, done.err
    ((one, other),) = moved
    assert (one[:8], one[-17:], other) == (
        ".x.png.",
        ".sudokucrypt-part",
        "x.png",
    ) or one.startswith(".x.png.")
    assert names(tmp_path / "new") == {"x.png"}
    assert run("encrypt", "photo.png", "-o", f"disk://{tmp_path}/new/x.png", *KEY).code == 6


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nowhere://x/y.png", "there is no store called nowhere"),
        ("s3://me:word@bucket/y.png", "the URL contains a password"),
        ("zip://x.png::s3://me:word@bucket/y.zip", "the URL contains a password"),
    ],
)
@pytest.mark.parametrize("use", ["source", "output"])
def test_urls_that_cannot_be_used(run: Run, url: str, message: str, use: str) -> None:
    """An unknown store and a password in a URL are refused, and the password is not repeated."""
    arguments = [url, "-o", "o.png"] if use == "source" else ["photo.png", "-o", url]
    done = run("encrypt", *arguments, *KEY)
    assert done.code in (2, 4)
    assert message in done.err
    assert "word@" not in done.err


def test_signatures_are_not_shown() -> None:
    """A signed address is opened as it is, and shown without what it proves."""
    url = Url.read("https://host/a/b%20c.png?X-Amz-Signature=abc&X=1&token=def")
    assert url is not None
    assert url.text.endswith("?X-Amz-Signature=abc&X=1&token=def")
    assert str(url) == repr(url) == "https://host/a/b%20c.png?X-Amz-Signature=...&X=1&token=..."
    assert (url.name, url.stem, url.suffix) == ("b c.png", "b c", ".png")


def test_places() -> None:
    """URLs are taken apart and joined as paths are; what is no URL is a path."""
    url = Url.read("s3://bucket/a/b.tar.gz/")
    assert url == Url("s3", "bucket/a/b.tar.gz")
    assert (str(url.parent), url.name, url.suffix) == ("s3://bucket/a", "b.tar.gz", ".gz")
    assert str(url.parent / Path("x/y")) == "s3://bucket/a/x/y"
    assert url / Path() == url
    inner = Url.read("zip://a/b.png::s3://bucket/x.zip")
    assert inner is not None
    assert str(inner.with_name("c")) == "zip://a/c::s3://bucket/x.zip"
    assert parse_location("file:///tmp/a%20b.png") == Path("/tmp/a b.png")  # noqa: S108 - a name
    for text in ("a.png", "./s3://x", "C:/x", "x:y", "://x"):
        assert parse_location(text) == Path(text)
    assert parse_location(Path("s3://x")) == Path("s3:/x")


@MEMORY
def test_python_takes_urls(run: Run, store: str) -> None:
    """The functions take URLs as text, as the commands do."""
    del run
    key = Key(bytes(32))
    report = encrypt_file("photo.png", f"{store}/p.png", key)
    assert str(report.target) == f"{store}/p.png"
    held_back = io.BytesIO()
    decrypt_file(f"{store}/p.png", held_back, key)
    assert held_back.getvalue()[1:4] == b"PNG"
    with pytest.raises(OutputExistsError):
        encrypt_file("photo.png", f"{store}/p.png", key)


@MEMORY
def test_two_writers_of_one_object(run: Run, store: str) -> None:
    """The second is refused unless it writes the same: a first try may have come through."""
    del run, store
    url = Url("memory", "work/x")
    remote.write(url, b"one", replace=False)
    remote.write(url, b"one", replace=False)
    second: dict[Location, list[bytes]] = {url: [b"two"]}
    with pytest.raises(OutputExistsError):
        write_atomically(second, replace=False)
    assert remote.read(url, limit=3)[0] == b"one"
    with pytest.raises(OSError, match="more than the 2"):
        remote.read(url, limit=2)


def test_without_the_library(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    import sys

    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    done = run("encrypt", "photo.png", "-o", "s3://bucket/x.png", *KEY)
    assert done.code == 4
    assert "pip install 'sudokucrypt[cloud]'" in done.err


@S3
def test_keys_that_no_folder_can_hold(run: Run, store: str) -> None:
    """Objects with empty parts or dots in their keys are named; those of folders are not."""
    client = pytest.importorskip("boto3").client("s3")
    picture = encoded(noise(5, 6, 3), "PNG")
    for key in ("a.png", "b/c.png", "/d.png", "b//e.png", "b/../f.png", "./g.png", "h/", "m/i.png"):
        client.put_object(Bucket="bucket", Key=f"work/in/{key}", Body=picture)
    client.put_object(Bucket="bucket", Key="work/in/m/", Body=b"")
    done = run("encrypt", f"{store}/in", "-r", "-o", f"{store}/out", *KEY)
    assert done.code == 4
    for folder in ("in", "in/b", "in/h"):
        assert f"names in '{store}/{folder}' have an empty part" in done.err
    for folder in ("in/b/..", "in/."):
        assert f"the name of '{store}/{folder}' leads out of its folder" in done.err
    assert "3 encrypted, 5 failed" in done.err
    assert held(f"{store}/out") == {f"{n}.encrypted.png" for n in ("a", "b/c", "m/i")}
