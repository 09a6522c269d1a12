"""URLs as inputs and outputs: in memory, in archives, and in a store with the API of S3."""

import io
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

import pytest

from sudokucrypt import Key, decrypt_file, encrypt_file, remote
from sudokucrypt.errors import OutputExistsError
from sudokucrypt.remote import Url, stores
from sudokucrypt.storage import Location, parse_location, write_atomically
from tests.cli.conftest import KEY, Run, list_names, mark_slow, write_small_pictures
from tests.cli.session import Scene, Stage, read_scenes
from tests.cli.session_steps import list_names_at
from tests.images.builders import encode_array, noise

fsspec = pytest.importorskip("fsspec", reason="it comes with the extra 'cloud'")


class FailingServer:
    """A local server with the API of S3 that fails as a test demands."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application
        self.plan: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()

    def __call__(self, environment: WSGIEnvironment, answer: StartResponse) -> Iterable[bytes]:
        """Answer, or fail: status `500`, answer `cut` in the middle, or no answer (`deaf`)."""
        method = environment["REQUEST_METHOD"]
        self.asked[method] += 1
        for failure in ("500", "cut", "deaf"):
            if self.plan[f"{method} {failure}"] > 0:
                self.plan[f"{method} {failure}"] -= 1
                if failure == "500":
                    environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
                    answer("500 Internal Server Error", [("Content-Length", "0")])
                    return [b""]
                respond = answer if failure == "cut" else _answer_nothing
                body = b"".join(self._application(environment, respond))
                return _break_answer(
                    body if failure == "cut" else b"", environment["werkzeug.socket"]
                )
        return self._application(environment, answer)


def _answer_nothing(*_: Any) -> Callable[[bytes], None]:
    return lambda _: None


def _break_answer(body: bytes, connection: socket) -> Iterator[bytes]:
    """Send half of an answer, or nothing, and close the connection."""
    if body:
        yield body[: len(body) // 2]
    connection.shutdown(SHUT_RDWR)
    raise ConnectionError("cut")


@pytest.fixture(scope="module")
def server() -> Iterator[FailingServer]:
    """Run a store with the API of S3, whose settings are in the environment."""
    pytest.importorskip("s3fs", reason="it comes with the extra 'cloud'")
    moto = pytest.importorskip("moto.moto_server.werkzeug_app", reason="it stands for S3")
    serving = pytest.importorskip("werkzeug.serving", reason="it runs moto")
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    failing_server = FailingServer(moto.DomainDispatcherApplication(moto.create_backend_app))
    http_server = serving.make_server("127.0.0.1", 0, failing_server, threaded=True)
    thread = threading.Thread(target=http_server.serve_forever)
    # fsspec may cache a connection to an earlier server.
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{http_server.port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "nobody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patch.setenv("AWS_MAX_ATTEMPTS", "1")  # the program makes its own retries
        thread.start()
        yield failing_server
    http_server.shutdown()
    thread.join()


@pytest.fixture
def store(server: FailingServer) -> str:
    """Return the URL of an empty folder in the store."""
    server.plan.clear()
    files = fsspec.filesystem("s3", use_listings_cache=False)
    if not files.exists("bucket"):
        files.mkdir("bucket")
    elif files.exists("bucket/work"):
        files.rm("bucket/work", recursive=True)
    return "s3://bucket/work"


@pytest.fixture
def memory() -> str:
    """Return the URL of an empty folder in memory."""
    fsspec.filesystem("memory").store.clear()
    return "memory://work"


_SCENES = list(read_scenes(Path(__file__).parent / "sessions" / "stores.txt"))


@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(scene, id=scene.rule, marks=[pytest.mark.slow] if index else [])
        for index, scene in enumerate(_SCENES)
    ],
)
def test_session(run: Run, monkeypatch: pytest.MonkeyPatch, store: str, scene: Scene) -> None:
    """The session about stores in memory passes with S3, too."""
    Stage(run, monkeypatch).play(scene.with_text("memory://work", store))


def test_resume_asks_only_for_sizes(run: Run, folder: Path, store: str) -> None:
    """With a manifest, --resume only asks a store for the sizes of listed objects."""
    arguments = ("encrypt", folder, "-o", f"{store}/safe", "--manifest", "m.jsonl", *KEY)
    run(*arguments)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sudokucrypt.recipes.encrypt_file", os.abort)
        run(*arguments, "--resume", says="2 already there, 0 failed")


@pytest.mark.parametrize("failure_kind", ["500", "cut", "deaf"])
@pytest.mark.parametrize("method", mark_slow(["GET", "PUT", "HEAD"], "PUT"))
def test_a_store_that_fails_for_a_while(
    run: Run,
    folder: Path,
    store: str,
    server: FailingServer,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    failure_kind: str,
) -> None:
    """Temporary errors and lost connections are retried; no object is incomplete."""
    monkeypatch.setattr(stores, "_FIRST_PAUSE_SECONDS", 0.0)
    run("encrypt", folder, "-o", f"{store}/in", *KEY)
    server.plan[f"{method} {failure_kind}"] = 2
    run("rekey", f"{store}/in", "-o", f"{store}/out", "--new-key", "my.key", *KEY)
    assert server.plan[f"{method} {failure_kind}"] == 0
    assert list_names_at(f"{store}/out") == {"a.png.rekeyed.png", "b.tif.rekeyed.png"}
    run("decrypt", f"{store}/out", "-o", "back", *KEY)


def test_a_store_that_fails_for_good(
    run: Run, folder: Path, store: str, server: FailingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After permanent errors, missing results are reported, and a later run makes them."""
    monkeypatch.setattr(stores, "_FIRST_PAUSE_SECONDS", 0.0)
    server.plan["PUT 500"] = 1000
    result = run("encrypt", folder, "-o", f"{store}/out", *KEY, code=1)
    assert f"cannot write '{store}/out/a.png.encrypted.png': " in result.err
    assert list_names_at(f"{store}/out") == set()
    server.plan.clear()
    run("encrypt", folder, "-o", f"{store}/out", "--resume", *KEY)


def test_requests_for_each_picture(run: Run, store: str, server: FailingServer) -> None:
    """The number of requests for each picture is as docs/howto/hundred-million-pictures.md says."""
    requests: dict[tuple[str, int], Counter[str]] = {}
    for count in (2, 4):  # the first result invalidates a cached listing
        write_small_pictures(Path(f"with{count}"), count)
        encrypted_folder, restored_folder = f"{store}/{count}/safe", f"{store}/{count}/back"
        for command, source, target in (
            ("encrypt", f"with{count}", encrypted_folder),
            ("decrypt", encrypted_folder, restored_folder),
        ):
            server.asked.clear()
            run(command, source, "-o", target, *KEY)
            requests[command, count] = Counter(server.asked)
    for command, most in (
        ("encrypt", Counter(PUT=2, GET=2)),
        ("decrypt", Counter(PUT=2, GET=8, HEAD=4)),
    ):
        added_requests = requests[command, 4] - requests[command, 2]  # for two further pictures
        assert added_requests["PUT"] == 2
        assert added_requests <= most


def test_names_that_lead_to_devices(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows, names in an archive that are devices or drives are errors."""
    monkeypatch.setattr("sudokucrypt.storage.IS_WINDOWS", True)
    with zipfile.ZipFile("photos.zip", "w") as archive:
        for name in ("good.png", "nul.png", "aux/in.png", "C:in.png"):
            archive.writestr(name, encode_array(noise(4, 4, 1), "PNG"))
    result = run("encrypt zip://::photos.zip -r -o out", *KEY, code=4)
    assert result.err.count("leads out of its folder") == 3
    assert list_names(Path("out")) == {"good.png.encrypted.png"}


def test_objects_are_moved_when_complete(run: Run, tmp_path: Path) -> None:
    """In a store that can move objects, an object gets its name only when it is complete."""
    moves: list[tuple[str, str]] = []
    local = fsspec.get_filesystem_class("file")

    class MovingStore(local):  # type: ignore[misc,valid-type]
        protocol = "disk"

        def mv(self, source: str, target: str, **options: Any) -> None:
            moves.append((Path(source).name, Path(target).name))
            super().mv(source, target, **options)

    fsspec.register_implementation("disk", MovingStore, clobber=True)
    run("encrypt photo.png -o", f"disk://{tmp_path}/new/x.png", *KEY)
    ((source, target),) = moves
    assert source.startswith(".x.png.")
    assert target == "x.png"
    assert list_names(tmp_path / "new") == {"x.png"}
    run("encrypt photo.png -o", f"disk://{tmp_path}/new/x.png", *KEY, code=6)


def test_signatures_are_not_shown() -> None:
    """A signed URL is opened unchanged, and messages show it without the signature."""
    url = Url.read("https://host/a/b%20c.png?X-Amz-Signature=abc&X=1&token=def")
    assert url is not None
    assert url.text.endswith("?X-Amz-Signature=abc&X=1&token=def")
    assert str(url) == repr(url) == "https://host/a/b%20c.png?X-Amz-Signature=...&X=1&token=..."
    assert (url.name, url.stem, url.suffix) == ("b c.png", "b c", ".png")


def test_locations() -> None:
    """URLs have parents, names and suffixes like paths; any other text is a path."""
    url = Url.read("s3://bucket/a/b.tar.gz/")
    assert url == Url("s3", "bucket/a/b.tar.gz")
    assert (str(url.parent), url.name, url.suffix) == ("s3://bucket/a", "b.tar.gz", ".gz")
    assert str(url.parent / Path("x/y")) == "s3://bucket/a/x/y"
    assert url / Path() == url
    inner_url = Url.read("zip://a/b.png::s3://bucket/x.zip")
    assert inner_url is not None
    assert str(inner_url.with_name("c")) == "zip://a/c::s3://bucket/x.zip"
    assert parse_location("file:///tmp/a%20b.png") == Path("/tmp/a b.png")  # noqa: S108 - a name
    for text in ("a.png", "./s3://x", "C:/x", "x:y", "://x"):
        assert parse_location(text) == Path(text)
    assert parse_location(Path("s3://x")) == Path("s3:/x")


@pytest.mark.usefixtures("run")
def test_python_takes_urls(memory: str) -> None:
    """The functions of Python accept URLs as text, and report the time of an object."""
    key = Key(bytes(32))
    report = encrypt_file("photo.png", f"{memory}/p.png", key)
    assert str(report.target) == f"{memory}/p.png"
    restored_stream = io.BytesIO()
    decrypt_file(f"{memory}/p.png", restored_stream, key)
    assert restored_stream.getvalue()[1:4] == b"PNG"
    with pytest.raises(OutputExistsError):
        encrypt_file("photo.png", f"{memory}/p.png", key)
    encrypt_file(f"{memory}/p.png", "y.png", key, as_file=True)
    result = fsspec.filesystem("memory").info("work/p.png")["created"].timestamp()
    assert abs(Path("y.png").stat().st_mtime - result) < 1e-3


@pytest.mark.usefixtures("memory")
def test_two_writers_of_one_object() -> None:
    """A second writer of an object is refused, unless it writes the same bytes, as a retry does."""
    url = Url("memory", "work/x")
    remote.write(url, b"one", replace=False)
    remote.write(url, b"one", replace=False)
    new_url = Url("memory", "work/new")
    second_contents: dict[Location, list[bytes]] = {new_url: [b"two"], url: [b"two"]}
    with pytest.raises(OutputExistsError):
        write_atomically(second_contents, replace=False)
    assert not remote.exists(new_url)  # objects that were already written are removed
    assert remote.read(url, limit=3)[0] == b"one"
    with pytest.raises(OSError, match="more than the 2"):
        remote.read(url, limit=2)


def test_keys_that_no_folder_can_hold(run: Run, store: str) -> None:
    """Keys with empty parts or dots are reported as errors; markers of folders are not."""
    client = pytest.importorskip("boto3").client("s3")
    picture = encode_array(noise(5, 6, 3), "PNG")
    for key in ("a.png", "b/c.png", "/d.png", "b//e.png", "b/../f.png", "./g.png", "h/", "m/i.png"):
        client.put_object(Bucket="bucket", Key=f"work/in/{key}", Body=picture)
    client.put_object(Bucket="bucket", Key="work/in/m/", Body=b"")
    result = run("encrypt", f"{store}/in", "-r", "-o", f"{store}/out", *KEY, code=4)
    for folder in ("in", "in/b", "in/h"):
        assert f"names in '{store}/{folder}' have an empty part" in result.err
    for folder in ("in/b/..", "in/."):
        assert f"the name of '{store}/{folder}' leads out of its folder" in result.err
    assert "3 encrypted, 5 failed" in result.err
    assert list_names_at(f"{store}/out") == {f"{n}.png.encrypted.png" for n in ("a", "b/c", "m/i")}
