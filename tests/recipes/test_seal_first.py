"""The seal is checked first: before it, nothing in a header is decrypted, parsed or used."""

import io
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Header,
    Key,
    KeyDerivation,
    Passphrase,
    SudokucryptError,
    decrypt,
    decrypt_file,
    encrypt,
    encrypt_file,
    rekey_file,
    scramble,
    scramble_file,
    unscramble,
    unscramble_file,
)
from sudokucrypt.ciphers import ENCRYPT, Part
from sudokucrypt.images import Picture, blank_samples, decode_picture, encode_picture, read_picture
from sudokucrypt.recipes import find_header, open_file, open_sealed_info, read_sealed_info
from sudokucrypt.recipes.carriers.picture import are_same_pictures
from sudokucrypt.recipes.protection import Protection
from tests.cli.conftest import mark_slow
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise
from tests.recipes.memory import inspect_picture
from tests.recipes.test_arrays import draw_image
from tests.spies import watch_calls

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(32))
HEX_DIGITS, BASE64_DIGITS = (
    "0123456789abcdef",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
)
FILES: Any = {
    "scramble-v1": (scramble_file, unscramble_file),
    "encrypt-v1": (encrypt_file, decrypt_file),
}

LATE_MODULES = (
    "sudokucrypt.images.description",
    "sudokucrypt.bijections",
    "sudokucrypt.draws",
    "sudokucrypt.storage:write",
    "sudokucrypt.storage:_UnfinishedFile",
)
"""Modules and functions that must not be entered before the seal was checked."""

LATE_CALLS = (
    *("KeyStream.mask", "Pipeline.run", "sample_digests", "picture_parts"),
    "decode_picture",
)


class Trace(NamedTuple):
    """The error of a call, and the functions of the package that it entered."""

    error: tuple[type[BaseException], str, str | None]
    entered_functions: frozenset[str]


@contextmanager
def trace_calls() -> Iterator[set[str]]:
    """Collect the names of the functions of the package that are entered."""
    entered: set[str] = set()

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("sudokucrypt."):
            entered.add(f"{module}:{frame.f_code.co_qualname}")

    previous_profiler = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield entered
    finally:
        sys.setprofile(previous_profiler)


def trace_refusal(call: Callable[[], object]) -> Trace:
    """Return the error that a call must raise, with the functions that it entered."""
    with trace_calls() as entered_functions, pytest.raises(SudokucryptError) as error_info:
        call()
    error = error_info.value
    return Trace((type(error), str(error), error.hint), frozenset(entered_functions))


def list_reached(trace: Trace, *names: str) -> list[str]:
    """Return the entered functions in these modules or with these names."""
    return [
        name for name in trace.entered_functions if name.startswith(names) or name.endswith(names)
    ]


@cache
def make_stored(scheme: str) -> Picture:
    """Return a picture that a passphrase protects, with sealed metadata."""
    result = io.BytesIO()
    protect, _ = FILES[scheme]
    options: Any = {"rounds": 3} | ({"as_file": False} if protect is encrypt_file else {})
    protect(io.BytesIO(GALLERY["RGB-metadata.png"]), result, Passphrase("open"), **options)
    return decode_picture(result.getvalue())


def read_header(scheme: str) -> Header:
    """Return the header of the stored picture of a scheme."""
    return Header.from_bytes(make_stored(scheme).header or b"")


@cache
def derive_key(scheme: str) -> Key:
    """Return the key that the passphrase of the stored picture gives."""
    return KeyDerivation.from_text(read_header(scheme).kdf or "").derive(Passphrase("open"))


def change_fields(header: Header) -> Iterator[Header]:
    """Yield headers that each differ in one field: a bit of bytes, a digit, or a value."""
    values: dict[str, Any]
    for name in ("salt", "tag", "header_mac", "encrypted_metadata"):
        for position in range(
            0, len(getattr(header, name)), 7 if name == "encrypted_metadata" else 1
        ):
            data = bytearray(getattr(header, name))
            data[position] ^= 1 << position % 8
            values = {name: bytes(data)}
            yield replace(header, **values)
    for position in range(1, 33):
        kdf = header.kdf or ""
        digit = HEX_DIGITS[(HEX_DIGITS.index(kdf[-position]) + 1) % 16]
        yield replace(
            header, kdf=kdf[: len(kdf) - position] + digit + kdf[len(kdf) - position + 1 :]
        )
    changes: list[dict[str, Any]] = [
        *({"rounds": rounds} for rounds in range(1, 17) if rounds != header.rounds),
        *({"shape": shape} for shape in ((18, 13, 3), (13, 18), (1, 1), (2**31 - 1,) * 3)),
        *({"dtype": kind} for kind in ("uint16", "bool", "float64")),
        *(
            {"encrypted_metadata": extras}
            for extras in (
                None,
                b"x",
                (header.encrypted_metadata or b"")[:-1],
                (header.encrypted_metadata or b"") + bytes(256),
                b"[" * 2**20,
            )
        ),
        {"unit": "sample"},
        {"shape": (1,)},
        {"unit": "block", "block_size": 2},
    ]
    for values in changes:
        yield replace(header, **values)


@pytest.mark.parametrize(("scheme", "of_picture"), [("scramble-v1", False), ("encrypt-v1", True)])
@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_all_changed_fields_are_refused_equally(scheme: str, of_picture: bool, step: int) -> None:
    """A header with any changed field gives the error of a header with a wrong tag.

    It enters no other functions, and in particular none that decrypts or parses metadata.
    """
    picture, header, key = make_stored(scheme), read_header(scheme), derive_key(scheme)
    opening = key.for_picture(header) if of_picture else key
    _, restore = FILES[scheme]

    def attempt(changed: Header) -> Trace:
        data = encode_picture(replace(picture, header=changed.to_bytes()), "PNG")
        return trace_refusal(lambda: restore(io.BytesIO(data), io.BytesIO(), opening))

    expected = attempt(replace(header, tag=bytes(32)))
    assert expected.error[:2] == (DecryptionError, str(DecryptionError()))
    assert not list_reached(expected, *LATE_MODULES, *LATE_CALLS)
    assert list_reached(expected, "PictureKey.verifies")
    for changed in list(change_fields(header))[::step]:
        if changed == header:
            continue
        result = attempt(changed)
        assert result.error == expected.error, changed
        # Which functions parse and write the header depends on its fields.
        entered = {
            n
            for n in result.entered_functions
            if "sudokucrypt.header" not in n and "images.png" not in n
        }
        assert entered <= expected.entered_functions, changed


@pytest.mark.parametrize("scheme", FILES)
@pytest.mark.parametrize("step", [83, pytest.param(3, marks=pytest.mark.slow)])
def test_every_byte_of_the_header(scheme: str, step: int) -> None:
    """If any byte of the header is changed, its metadata are neither decrypted nor parsed."""
    picture, line, key = make_stored(scheme), make_stored(scheme).header or b"", derive_key(scheme)
    _, restore = FILES[scheme]
    refusals = set()
    for position in range(0, len(line), step):
        for letter in (line[position] ^ 1, ord("1"), ord("A")):
            changed = line[:position] + bytes([letter]) + line[position + 1 :]
            if changed == line or not changed.isascii():
                continue
            try:
                data = encode_picture(replace(picture, header=changed), "PNG")
            except SudokucryptError:
                continue
            result = trace_refusal(lambda data=data: restore(io.BytesIO(data), io.BytesIO(), key))  # type: ignore[misc]
            assert not list_reached(result, *LATE_MODULES, *LATE_CALLS), changed
            refusals.add(result.error[0])
    assert DecryptionError in refusals


@pytest.mark.parametrize("scheme", FILES)
def test_the_order_of_checks(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the right key, the seal is compared once, before metadata are decrypted and parsed."""
    from sudokucrypt import images
    from sudokucrypt.keys import KeyStream, PictureKey

    # Before the functions are watched, since protecting the picture calls them too.
    data, key = encode_picture(make_stored(scheme), "PNG"), derive_key(scheme)
    order: list[str] = []

    def record_calls(owner: object, name: str) -> None:
        watch_calls(monkeypatch, owner, name, lambda *_, **__: order.append(name))

    record_calls(PictureKey, "verifies")
    record_calls(PictureKey, "tag")
    record_calls(KeyStream, "__init__")
    record_calls(images, "parse_description")
    _, restore = FILES[scheme]
    restore(io.BytesIO(data), io.BytesIO(), key)
    assert order[:3] == ["verifies", "__init__", "parse_description"]
    assert order.count("verifies") == 1
    assert order[-1] == "tag"


@pytest.mark.parametrize("call", ["rekey", "info"])
def test_rekeying_and_inspecting_check_the_seal(call: str) -> None:
    """`rekey_file` and `inspect_file` refuse a changed header before they decrypt metadata."""
    picture, header, key = (
        make_stored("encrypt-v1"),
        read_header("encrypt-v1"),
        derive_key("encrypt-v1"),
    )
    changed = replace(header, encrypted_metadata=(header.encrypted_metadata or b"")[::-1])
    data = encode_picture(replace(picture, header=changed.to_bytes()), "PNG")
    result = trace_refusal(
        (lambda: rekey_file(io.BytesIO(data), io.BytesIO(), key, OTHER_KEY))
        if call == "rekey"
        else (lambda: inspect_picture(io.BytesIO(data), key))
    )
    assert result.error[:2] == (DecryptionError, str(DecryptionError()))
    assert not list_reached(result, *LATE_MODULES, *LATE_CALLS)


@pytest.mark.parametrize(("protect", "restore"), [(scramble, unscramble), (encrypt, decrypt)])
def test_changed_headers_of_arrays_are_refused_equally(protect: Any, restore: Any) -> None:
    """A header of an array with any changed field gives the error of a header with a wrong tag."""
    result = protect(draw_image((13, 17)), KEY)
    expected = trace_refusal(
        lambda: restore(result.pixels, KEY, replace(result.header, tag=bytes(32)))
    )
    assert expected.error[:2] == (DecryptionError, str(DecryptionError()))
    assert not list_reached(expected, *LATE_MODULES, *LATE_CALLS)
    field_changes: list[dict[str, Any]] = [
        {"salt": bytes(16)},
        {"header_mac": bytes(32)},
        {"rounds": 16},
        {"shape": (17, 13)},
        {"shape": (13, 17, 1)},
        {"dtype": "int8"},
        {"encrypted_metadata": b"x"},
        {"kdf": "argon2id:m=8,t=1,p=1:" + "00" * 16},
    ]
    for change_header in field_changes:
        changed = replace(result.header, **change_header)
        actual = trace_refusal(lambda changed=changed: restore(result.pixels, KEY, changed))  # type: ignore[misc]
        assert actual.error == expected.error, change_header
        entered = {name for name in actual.entered_functions if "sudokucrypt.header" not in name}
        assert entered <= expected.entered_functions, change_header


def test_a_wrong_passphrase_is_refused_by_its_id() -> None:
    """A changed derivation and a wrong passphrase are refused with the same message."""
    picture, header = make_stored("encrypt-v1"), read_header("encrypt-v1")
    kdf = (header.kdf or "")[:-1] + ("0" if (header.kdf or "")[-1] != "0" else "1")
    data = encode_picture(replace(picture, header=replace(header, kdf=kdf).to_bytes()), "PNG")
    unchanged = encode_picture(picture, "PNG")
    errors = {
        trace_refusal(
            lambda: decrypt_file(io.BytesIO(data), io.BytesIO(), Passphrase("open"))
        ).error,
        trace_refusal(
            lambda: decrypt_file(io.BytesIO(unchanged), io.BytesIO(), Passphrase("shut"))
        ).error,
    }
    (error,) = errors
    assert error[:2] == (DecryptionError, "wrong passphrase, or the header was changed")


def test_sealed_nonsense_is_refused_like_a_wrong_key() -> None:
    """A header with wrong contents and a right seal gives the error of a wrong key."""
    picture, header = make_stored("encrypt-v1"), read_header("encrypt-v1")
    key = derive_key("encrypt-v1").for_picture(header)
    field_changes: list[dict[str, Any]] = [
        {"encrypted_metadata": bytes(512)},
        {"encrypted_metadata": None},
        {"shape": (18, 13, 3)},
        {"dtype": "int8"},
        {"rounds": 4},
        {"tag": bytes(32)},
    ]
    for changed_fields in field_changes:
        draft = replace(header, **changed_fields)
        forged_header = replace(draft, header_mac=key.seal(draft))
        assert key.verifies(forged_header)
        data = encode_picture(replace(picture, header=forged_header.to_bytes()), "PNG")
        result = trace_refusal(lambda data=data: decrypt_file(io.BytesIO(data), io.BytesIO(), key))  # type: ignore[misc]
        assert result.error[:2] == (DecryptionError, str(DecryptionError())), changed_fields


def test_sealed_metadata_are_not_readable() -> None:
    """The metadata in a header are encrypted, and padded to a multiple of 256 bytes."""
    for scheme in FILES:
        fields = json.loads(read_header(scheme).to_bytes())
        assert set(fields["extras"]) <= set(BASE64_DIGITS + "=")
        assert len(read_header(scheme).encrypted_metadata or b"") % 256 == 0
        assert b"format" not in (read_header(scheme).encrypted_metadata or b"")


# Reading the sealed contents of a header, without samples.


FEW_PICTURES = ("L.png", "P-metadata.png", "F.tiff", "CMYK.tiff", "P.gif", "RGB.jpg")


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """An encrypted JPEG with a preview."""
    path = tmp_path / "photo.png"
    encrypt_file(io.BytesIO(GALLERY["RGB.jpg"]), path, KEY, preview=True, name="a photo.jpg")
    return path


@pytest.mark.parametrize("protect", [encrypt_file, scramble_file])
@pytest.mark.parametrize("name", mark_slow(GALLERY, *FEW_PICTURES))
def test_sealed_info_equals_the_restored_picture(tmp_path: Path, name: str, protect: Any) -> None:
    """`read_sealed_info` returns file, preview, format and shape of the restored picture."""
    options = {"preview": True} if protect is encrypt_file else {}
    source = tmp_path / name
    source.write_bytes(GALLERY[name])
    path = protect(source, None, KEY, **options).target
    info, (header, record) = read_sealed_info(path, KEY), inspect_picture(path, KEY)
    assert (info.file, info.preview) == (record.file, record.preview)
    assert info.format == (None if header.encrypted_metadata is None else record.picture.format)
    assert info.shape == record.picture.pixels.shape
    assert (find_header(path), info.header.tag) == (header, header.tag)


def test_opening_gives_the_plain_file(photo: Path) -> None:
    """`open_file` returns name, type and bytes of a file, or of a picture with the same pixels."""
    opened_file = open_file(photo, KEY)
    assert (opened_file.name, opened_file.type) == ("a photo.jpg", "image/jpeg")
    assert bytes(opened_file.content) == GALLERY["RGB.jpg"]
    for name, protect, kind in (
        ("RGB-metadata.png", encrypt_file, "image/png"),
        ("1xfloat32.tiff", encrypt_file, "image/tiff"),
    ):
        source = photo.with_name(name)
        source.write_bytes(GALLERY[name])
        opened_file = open_file(protect(source, None, KEY).target or "", KEY)
        assert (opened_file.name, opened_file.type) == (name, kind)
        restored = decode_picture(bytes(opened_file.content))
        assert are_same_pictures(restored, decode_picture(GALLERY[name]))


def test_changed_samples_do_not_affect_sealed_info(photo: Path) -> None:
    """If samples are changed, `read_sealed_info` returns the same, and `open_file` refuses."""
    info_before, stored_picture = read_sealed_info(photo, KEY), read_picture(photo)
    photo.write_bytes(encode_array(stored_picture.pixels ^ 1, "PNG", header=stored_picture.header))
    assert read_sealed_info(photo, KEY) == info_before
    with pytest.raises(DecryptionError):
        open_file(photo, KEY)


@pytest.mark.parametrize("scheme", ["scramble-v1", "encrypt-v1"])
def test_nothing_is_read_before_the_seal(scheme: str) -> None:
    """`open_sealed_info` refuses wrong keys and changed headers without decrypting metadata."""
    header, key = read_header(scheme), derive_key(scheme)
    assert open_sealed_info(header, key).header.encrypted_metadata
    for changed in list(change_fields(header))[::9]:
        trace = trace_refusal(lambda: open_sealed_info(changed, key))  # noqa: B023
        assert trace.error[:2] == (DecryptionError, str(DecryptionError()))
        assert not list_reached(trace, *LATE_MODULES, *LATE_CALLS)
    for wrong in (OTHER_KEY, Passphrase("wrong"), OTHER_KEY.picture_key(header.salt or b"")):
        with pytest.raises(DecryptionError):
            open_sealed_info(header, wrong)


def test_sealed_descriptions_are_checked() -> None:
    """A sealed description of another shape or type than the header's is refused."""
    pixels = noise(3, 4, 1)
    line = b'{"format":"PNG","frames":[{"shape":%b,"dtype":"%b","mode":"gray"}]}\n'
    for shape, kind in (
        (b"[3,5]", b"uint8"), (b"[3,4]", b"uint16"), (b"[3,4]", b"object"), (b"[0,4]", b"uint8"),
        (b"[3]", b"uint8"), (b"[2147483647,2147483647]", b"float64"), (b"[3,4]", b"S9"),
        (b'"34"', b"uint8"), (b"[3,4,5]", b"uint8"), (b"[3,4]", b"nonsense"),
    ):  # fmt: skip
        data = line % (shape, kind)
        settings = Protection(scheme=ENCRYPT, salt=bytes(16))
        extras = data + bytes(-len(data) % 256)
        header = settings.protect([Part(pixels=pixels)], KEY, encrypted_metadata=extras)[1]
        with pytest.raises(DecryptionError):
            open_sealed_info(header, KEY)
    for size in ((9,), (3, 4, 5), (3, 4, 1)):  # arrays that are no pictures
        with pytest.raises(DecryptionError):
            open_sealed_info(encrypt(np.zeros(size), KEY).header, KEY)


def test_blank_samples_take_no_memory() -> None:
    """`blank_samples` returns samples of any described shape, and refuses other descriptions."""
    line = b'{"frames":[%b]}\n'
    large_samples = blank_samples(line % b'{"shape":[2147483647,2147483647],"dtype":"uint8"}')
    assert large_samples.shape == (2**31 - 1, 2**31 - 1)
    assert blank_samples(line % b'{"shape":[2,3,4],"dtype":"float64"}').dtype == np.float64
    for extras in (b"", b"\n", b"[]\n", b"{}\n", b'{"frames":7}\n', line % b"7", line % b""):
        with pytest.raises(FormatError):
            blank_samples(extras)


@pytest.fixture
def derivations(monkeypatch: pytest.MonkeyPatch) -> list[KeyDerivation]:
    """The list of all derivations that were computed during the test."""
    result: list[KeyDerivation] = []
    watch_calls(monkeypatch, KeyDerivation, "_derive", lambda each, _: result.append(each))
    return result


def test_a_salt_costs_one_derivation(derivations: list[KeyDerivation]) -> None:
    """Several headers with equal derivations cost one, for a right and for a wrong passphrase."""
    derivation = KeyDerivation.new()
    settings = Protection(scheme=ENCRYPT, salt=bytes(16), derivation=derivation)
    passphrase_used, parts = Passphrase("open"), [Part(pixels=noise(3, 4, 1))]
    headers = [settings.protect(parts, passphrase_used)[1] for _ in range(3)]
    derivations.clear()
    for passphrase, opens in ((passphrase_used, True), (Passphrase("wrong"), False)):
        for header in headers:
            if opens:
                info = open_sealed_info(header, passphrase)
                assert open_sealed_info(header, info.key) == info
            else:
                with pytest.raises(DecryptionError, match="passphrase"):
                    open_sealed_info(header, passphrase)
    assert derivations == [derivation]  # of the wrong passphrase; the other was derived before


def test_a_plain_picture_has_no_sealed_info(tmp_path: Path) -> None:
    """`find_header` returns None for a plain picture, and `read_sealed_info` refuses it."""
    path = tmp_path / "x.png"
    path.write_bytes(GALLERY["RGB.png"])
    assert find_header(path) is None
    with pytest.raises(FormatError):
        read_sealed_info(path, KEY)


def test_a_large_file_takes_a_moment(tmp_path: Path) -> None:
    """`read_sealed_info` reads only the header of a PNG of 16 megabytes, in under 0.1 s."""
    path = tmp_path / "large.png"
    data = np.random.default_rng(0).bytes(1 << 24)
    encrypt_file(io.BytesIO(data), path, KEY, as_file=True, name="large.bin")
    start_time = time.process_time()
    info = read_sealed_info(path, KEY)
    assert time.process_time() - start_time < 0.1
    assert info.file is not None
    assert info.file.size == len(data)
