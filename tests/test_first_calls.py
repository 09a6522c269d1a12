"""First calls of a new user: they work, or the error says the right call."""

import copy
import inspect
import io
import pickle
import pydoc
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import sudokucrypt
from sudokucrypt import Key
from tests.check import CACHE
from tests.test_docs import ROOT

PICTURES = ROOT / "samples" / "pictures"


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the calls use: keys, pictures as files, bytes, arrays and images, results."""
    monkeypatch.chdir(tmp_path)
    data = (PICTURES / "astronaut.png").read_bytes()
    Path("photo.png").write_bytes(data)
    key = Key.generate()
    key.to_file("my.key")
    photo = Image.open("photo.png")
    image = np.asarray(photo)
    result = sudokucrypt.encrypt(image, key)
    scrambled = sudokucrypt.scramble(image, key)
    secret = sudokucrypt.encrypt_bytes(data, key)
    Path("sealed.png").write_bytes(secret)
    result.save("saved.png")
    Path("folder").mkdir()
    recipient = sudokucrypt.Identity.generate().recipient
    modules = {"s": sudokucrypt, "np": np, "io": io, "Path": Path, "pickle": pickle, "copy": copy}
    return {**locals(), **modules, "Key": Key, "data": data}


RIGHT_CALLS = (
    "s.decrypt(result, key)",
    "s.decrypt(result.pixels, key, result.header)",
    "s.decrypt(*(lambda pixels, header: (pixels, key, header))(*result))",
    "s.decrypt(np.asarray(result), key, result.header)",
    "s.unscramble(scrambled, key)",
    "s.decrypt(s.encrypt(photo, key), key)",
    "s.decrypt(s.encrypt(image.tolist(), key), key)",
    "s.images.read_picture('photo.png').pixels",
    "s.decrypt(result, key=key)",
    "s.decrypt(result.pixels, key, header=result.header)",
    "s.decrypt(result[0], key, result[1])",
    "s.decrypt(s.encrypt(image=image, key=key), key)",
    "s.decrypt(s.ProtectedImage.open('saved.png'), key)",
    "s.decrypt(s.ProtectedImage.open(io.BytesIO(Path('saved.png').read_bytes())), key)",
    "s.decrypt(result.pixels, key, s.read_header('saved.png'))",
    "s.decrypt(result.pixels, key, s.read_header(Path('saved.png').read_bytes()))",
    "s.decrypt(result.pixels, key, s.read_header(result))",
    "s.decrypt(pickle.loads(pickle.dumps(result)), key)",
    "s.decrypt(copy.copy(result), key)",
    "s.decrypt(result, s.KeyRing([Key.generate(), key]))",
    "s.decrypt(result, Key(bytearray(key.to_bytes())))",
    "s.decrypt(result, Key.from_text(Path('my.key').read_text()))",
    "s.images.decode_picture(s.decrypt_bytes(secret, key)).pixels",
)
"""Calls that return the image."""


@pytest.mark.parametrize("call", RIGHT_CALLS)
def test_first_calls_work(call: str, names: dict[str, Any]) -> None:
    """Each call returns the original image."""
    assert np.array_equal(eval(call, names), names["image"])  # noqa: S307 - written here


WRONG_CALLS = {
    "s.encrypt('photo.png', key)": "encrypt_file",
    "s.encrypt(data, key)": "encrypt_bytes",
    "s.encrypt_bytes('photo.png', key)": "_file",
    "s.encrypt_bytes(image, key)": "without _bytes",
    "s.encrypt_file(image, 'x.png', key)": "without _file",
    "s.encrypt(image, 'my.key')": "Key.from_file",
    "s.encrypt(image, 'some words')": "Passphrase",
    "s.encrypt(image, b'0' * 32)": "Key takes 32 bytes",
    "s.encrypt(result, key)": "protected already",
    "s.encrypt(np.stack([image, image]), key)": "for image in stack",
    "s.encrypt([image, image[1:]], key)": "for image in stack",
    "s.encrypt(photo.convert('P'), key)": "encrypt_file",
    "s.encrypt(photo.convert('CMYK'), key)": "convert('RGB')",
    "s.decrypt(result.pixels, key)": "pass the one that came with the image",
    "s.decrypt('photo.png', key)": "decrypt_file",
    "s.unscramble(data, key)": "decrypt_bytes",
    "s.decrypt(result.pixels, result.header, key)": "pass a result and a key",
    "s.decrypt(result.pixels, key, result)": "pass a result and a key",
    "s.decrypt(scrambled, key)": "unscramble it",
    "s.unscramble(result, key)": "decrypt it",
    "s.decrypt_file('photo.png', 'x.png', key)": "use the file that was written",
    "Key.load('my.key')": "use from_file",
    "Key.from_string('x')": "use from_text",
    "Key.new()": "use generate",
    "Key.from_passphrase('some words')": "use Passphrase",
    "Key.from_bytes(b'0' * 32)": "use Key",
    "Key('some words')": "Passphrase takes words",
    "s.Passphrase(b'some words')": "a passphrase is text",
    "key.save('x.key')": "use to_file",
    "s.load_key('my.key')": "use Key.from_file",
    "s.decode(image)": "use decrypt",
    "s.encript(image, key)": "use encrypt",
    "s.analyze(image)": "use analysis.measure_image",
    "s.solve('1')": "use sudoku.solve",
    "s.sudoku.generate()": "use random_grid",
    "s.redact_file('photo.png', 'x.png', key)": "[Layer(key, regions)]",
    "s.descramble(scrambled, key)": "use unscramble",
    "s.encrypt_file('photo.png', 'x.png', key, overwrite=True)": "use replace",
    "s.encrypt_file('photo.png', 'x.png', key, region=(0, 0, 8, 8))": "use redact_file",
    "s.encrypt(image, key, mask=image > 9)": "use redact_file",
    "s.encrypt_file('photo.png', 'my.key', key)": "choose another name, or pass replace=True",
    "s.encrypt(image)": "encrypt(image, key); Key.generate() makes a key",
    "s.encrypt(image, passphrase='some words')": "encrypt(image, Passphrase('some words'))",
    "s.encrypt(image, password='some words')": "encrypt(image, Passphrase('some words'))",
    "s.encrypt(key, image)": "the image comes first",
    "s.encrypt(None, key)": "an image is an array, not a NoneType",
    "s.encrypt(image, None)": "Key.from_file",
    "s.encrypt(image, key, 'out.png')": "result.save(path)",
    "s.encrypt(image, key, seed=3)": "the options are rounds, deterministic",
    "s.encrypt(image, key, workers=2)": "use threads",
    "s.encrypt(np.ma.masked_array(image, image > 3), key)": "image.filled(value)",
    "s.decrypt(result)": "decrypt(pixels, key); the key is that of the picture",
    "s.decrypt(result, passphrase='some words')": "decrypt(pixels, Passphrase('some words'))",
    "s.decrypt((result.pixels, result.header), key)": "decrypt(pixels, key, header)",
    "s.decrypt(result.pixels, key, result.header.to_bytes())": "Header.from_bytes reads one",
    "s.decrypt(key, result)": "the image comes first",
    "bytes(key)": "to_bytes()",
    "key.hex()": "use to_bytes",
    "key.text": "use to_text",
    "key.fingerprint": "use id",
    "key.encrypt(image)": "use encrypt",
    "Key()": "generate() draws a new one",
    "Key.from_file(io.StringIO(key.to_text()))": "from_text reads the text of a key",
    "Key.from_text(Path('my.key').read_bytes())": "data.decode()",
    "Key.from_hex('00' * 32)": "use Key",
    "s.Passphrase()": "Passphrase('some words')",
    "s.Passphrase.generate()": "use Passphrase",
    "s.KeyRing(key)": "KeyRing([key, other])",
    "s.KeyRing(key, key)": "KeyRing([key, other])",
    "s.Recipient('age1xyz')": "Recipient.from_text",
    "s.Identity.generate().public_key": "use recipient",
    "s.encrypt_file('photo.png', key=key)": "encrypt_file(source, target, key)",
    "s.encrypt_file('photo.png', key)": "encrypt_file(source, target, key); the target is the name",
    "s.encrypt_file('photo.png', 'x.png')": "Key.generate() makes a key",
    "s.encrypt_file(src='photo.png', dst='x.png', key=key)": "use source for src; use target for",
    "s.encrypt_file('photo.png', 'x.png', passphrase='some words')": "Passphrase('some words')",
    "s.encrypt_file('photo.png', 'x.png', key, exist_ok=True)": "use replace",
    "s.decrypt_file('sealed.png', key=key)": "decrypt_file(source, target, key)",
    "s.decrypt_bytes(secret)": "decrypt_bytes(data, key)",
    "s.rekey_file('sealed.png', 'x.png', key)": "rekey_file(source, target, key, new_key)",
    "s.rekey('secret.png', key, key)": "use rekey_file",
    "result.shape": "use result.pixels.shape",
    "result.tobytes()": "use save",
    "result.save()": "save(target)",
    "result.save('x.jpg')": ".png",
    "result.save('x')": ".png",
    "result.save(io.BytesIO(), format='webp')": "",
    "s.ProtectedImage.load('saved.png')": "use open",
    "s.ProtectedImage.open(io.BytesIO(secret))": "decrypt_bytes restore it",
    "s.ProtectedImage.open('photo.png')": "the picture has no header",
    "result.header['rounds']": "header.rounds",
    "result.header.to_json()": "use to_bytes",
    "s.Header.from_json('{}')": "use from_bytes",
    "s.open('secret.png')": "use ProtectedImage.open",
    "s.imread('photo.png')": "use images.read_picture",
    "s.save(result, 'x.png')": "use ProtectedImage.save",
    "s.version": "use __version__",
    "s.encrypt_folder('folder', key)": "use encrypt_file",
    "s.split_key(key, 5, 3)": "use keys.split_key",
    "s.derive_key('some words')": "use Passphrase",
    "s.encrypt_directory('folder', key)": "use encrypt_file",
    "s.info('sealed.png')": "use read_header",
    "s.share(['sealed.png'])": "use page.album",
    "s.solve_sudoku('1')": "use sudoku.solve",
    "result.image": "use pixels",
    "result.to_file('x.png')": "use save",
    "result.to_pil()": "use pixels",
    "s.encrypt(io.BytesIO(data), key)": "ends in _file",
    "s.redact(image, (0, 0, 9, 9), key)": "[(row, column, rows, columns)]",
    "s.redact(image, [(0, 0, 2, 2)])": "redact(image, regions, key); Key.generate() makes a key",
    "s.redact(image, key=key)": "[Region.xywh(10, 20, 64, 48)]",
    "s.redact_file('photo.png', 'x.png', regions=[(0, 0, 2, 2)], key=key)": "[Layer(key, [Region.",
    "s.redact_file('photo.png', 'x.png')": "[Layer(key, [Region.xywh(10, 20, 64, 48)])]",
    "s.unredact(image, key)": "unredact(result.pixels, result.layers, key)",
    "s.unredact_file(source='sealed.png')": "unredact_file(source, target)",
    "s.redactions()": "redactions(source)",
    "s.find_faces()": "find_faces(image)",
    "Key.generate(256)": "call generate()",
}
"""Wrong calls, and the words that their errors must have."""


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_wrong_first_calls_say_the_right_one(call: str, names: dict[str, Any]) -> None:
    """The message or the note of the error names the right call."""
    with pytest.raises((AttributeError, TypeError, sudokucrypt.SudokucryptError)) as error_info:
        eval(call, names)  # noqa: S307 - written here
    message = " ".join([str(error_info.value), *getattr(error_info.value, "__notes__", [])])
    assert WRONG_CALLS[call] in message


@pytest.mark.usefixtures("names")
def test_a_result_is_saved_with_its_header(names: dict[str, Any]) -> None:
    """A file that `save` writes can be restored; an existing file is not replaced by default."""
    result, key = names["result"], names["key"]
    result.save("secret.png")
    report = sudokucrypt.decrypt_file("secret.png", "again.png", key)
    assert report.target == Path("again.png")
    assert np.array_equal(np.asarray(Image.open("again.png")), names["image"])
    assert result._repr_png_() == Path("secret.png").read_bytes()
    with pytest.raises(FileExistsError):
        result.save("secret.png")
    result.save("secret.png", replace=True)
    names["scrambled"].save("scrambled.tif")
    sudokucrypt.unscramble_file("scrambled.tif", "shown.png", key)
    assert np.array_equal(np.asarray(Image.open("shown.png")), names["image"])
    assert sudokucrypt.encrypt(names["image"] / 255, key)._repr_png_() is None


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "bool", "int32", "float64", "float16"])
@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3), (5, 7, 4)])
def test_results_are_saved_to_streams(dtype: str, shape: tuple[int, ...]) -> None:
    """`save` and `open` keep pixels and header in a stream, if the format can store them."""
    key = Key.generate()
    image = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    result = sudokucrypt.encrypt(image, key)
    for name in (None, "tiff"):
        stream = io.BytesIO()
        try:
            result.save(stream, format=name)
        except sudokucrypt.UnsupportedError:
            assert (dtype, len(shape)) not in {("uint8", 2), ("uint8", 3), ("uint16", 3)}
            continue
        opened_image = sudokucrypt.ProtectedImage.open(io.BytesIO(stream.getvalue()))
        assert opened_image.header == result.header
        assert np.array_equal(sudokucrypt.decrypt(opened_image, key), image)
    assert "array" not in repr(result)
    assert repr(result).startswith(f"<ProtectedImage of {' x '.join(map(str, shape))} {dtype},")


def test_the_help_of_encrypt_is_one_page() -> None:
    """The help names types, describes every parameter, and refers to no other function."""
    text = pydoc.plain(pydoc.render_doc(sudokucrypt.encrypt))
    assert len(text.splitlines()) <= 60
    summary = text.splitlines()[2]
    assert len(summary) < 180
    assert "'" not in summary.replace("'encrypt-v1'", "")
    for name in inspect.signature(sudokucrypt.encrypt).parameters:
        assert re.search(rf"^    {name} : ", text, re.MULTILINE), name
    assert "As for" not in text
    for function in (sudokucrypt.decrypt, sudokucrypt.scramble, sudokucrypt.unscramble):
        text = pydoc.plain(pydoc.render_doc(function))
        assert not re.search(r"<\w+>", text)
        assert "SupportsArray" not in text


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("s.encrypt_file('no.png', 'x.png', key)", FileNotFoundError),
        ("s.images.read_picture('no.png')", FileNotFoundError),
        ("s.decrypt_file('no.png', 'x.png', key)", FileNotFoundError),
        ("Key.from_file('no.key')", FileNotFoundError),
        ("s.Passphrase.from_file('no.txt')", FileNotFoundError),
        ("s.encrypt_file('photo.png', 'my.key', key)", FileExistsError),
        ("key.to_file('my.key')", FileExistsError),
    ],
)
def test_errors_about_files_are_those_of_python_too(
    call: str, error: type[Exception], names: dict[str, Any]
) -> None:
    """An error about a file is both an error of this package and the error of Python."""
    with pytest.raises(error) as error_info:
        eval(call, names)  # noqa: S307 - written here
    assert isinstance(error_info.value, sudokucrypt.SudokucryptError)
    assert "no such file" in str(error_info.value) or "exists" in str(error_info.value)


def test_dir_and_help_show_what_is_public() -> None:
    """`dir` lists exactly the public names, and `help` shows how to use the package."""
    listed_names = {name for name in dir(sudokucrypt) if not name.startswith("__")}
    assert listed_names == {*sudokucrypt.__all__, "analysis", "images", "reports", "sudoku"}
    text = pydoc.plain(pydoc.render_doc(sudokucrypt))
    assert "encrypt_file(" in text
    assert "make_lazy_names" not in text


_WRONG_CODE = """from pathlib import Path
from sudokucrypt import Key, encrypt, encrypt_bytes, encrypt_file
key = Key.generate()
encrypt("photo.png", key)
encrypt(b"data", key)
encrypt(Path("photo.png"), key)
encrypt_bytes("photo.png", key)
encrypt_file("photo.png", key)
encrypt(key)
Key.load("my.key")
"""

_CORRECT_CODE = """import numpy as np
from PIL import Image
from sudokucrypt import Key, decrypt, encrypt
key = Key.generate()
result = encrypt(np.zeros((2, 3)), key)
pixels, header = result
image = decrypt(result, key) + decrypt(pixels, key, header)
encrypt(Image.new("L", (2, 3)), key)
encrypt([[1, 2], [3, 4]], key)
result.save("x.png", replace=True)
np.asarray(result)
"""


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_see_wrong_calls(checker: str, tmp_path: Path) -> None:
    """A type checker reports each line with a wrong call, and no right call."""
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(CACHE / "mypy")]
    if checker == "pyright":
        program = str(Path(sys.executable).with_name("basedpyright"))
        if not Path(program).exists():
            pytest.skip("basedpyright is not installed")
        command = [program, "--level", "error", "--pythonpath", sys.executable]
    files = {"wrong.py": _WRONG_CODE, "right.py": _CORRECT_CODE}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        command.append(str(tmp_path / name))
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    reported = re.findall(r"(wrong|right)\.py:(\d+):", outcome.stdout)
    assert {*reported} == {("wrong", str(line)) for line in range(4, 11)}, outcome.stdout
