"""What the package makes of the cases that are read: accepted and rejected ones, and containers."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from sudokucrypt import (
    DecryptionError,
    Header,
    Key,
    KeyDerivation,
    Passphrase,
    PictureKey,
    SudokucryptError,
    decrypt,
    errors,
    images,
    read_header,
    unscramble,
)
from sudokucrypt.ciphers import TaggedScheme, find_scheme
from sudokucrypt.header import get_sidecar_name
from sudokucrypt.keys import RestoringKey, unlock
from sudokucrypt.recipes.arrays import make_context_header
from sudokucrypt.recipes.carriers.picture import restore_picture
from sudokucrypt.recipes.opening import find_encryption_scheme, find_scrambling_scheme, open_header
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers
from tests.kit.reference.header import SAMPLE_BYTES
from tests.kit.replay import describe_case, fill_texts
from tests.vectors.common import KEY, Case, write_little
from tests.vectors.rows import ROWS

ERRORS: dict[str, set[type[SudokucryptError]]] = {
    layer: {getattr(errors, name) for name in names}
    for layer, names in json.loads((ROWS / "layers.json").read_text(encoding="ascii")).items()
}
"""The errors of each layer that rejects. Behind a seal there is one only: `expected` says so."""

MOST_ROUNDS = 255


def list_expected(case: Case) -> set[type[SudokucryptError]]:
    """Return the errors that the package may raise: one alone where the header has a seal."""
    errors = ERRORS[case["layer"]]
    behind_seal = {"description", "file", "frames"}
    if case["layer"] not in behind_seal or case.get("what"):
        return errors
    tagged = case["header"] is not None and '"seal"' in case["header"]
    return {DecryptionError} if tagged else errors


def read_secret(case: Case) -> RestoringKey:
    """Return the key of any kind that a case is read with."""
    if case.get("passphrase") is not None:
        return Passphrase(case["passphrase"])
    if case["picture_key"] is not None:
        return PictureKey.from_text(case["picture_key"])
    return Key.from_text(case["key"])


def read_by_package(case: Case) -> Any:
    """Return what a case of one thing gives: the plain bytes, the secret, or something."""
    match case["what"]:
        case "key":
            return _read_key(case).to_bytes()
        case "header":
            return _read_header(fill_texts(case["header"], case["fill"]).encode())
        case "extras":
            return _read_extras(case)
        case "kdf":
            return KeyDerivation.from_text(case["text"])
    pixels = make_array(case["shape"], case["dtype"], case["pixels"])
    header_text = case["header"]
    header = None if header_text is None else Header.from_bytes(header_text.encode())
    secret, context = read_secret(case), case["context"]
    if context is not None or header is None or header.scheme.startswith("scramble-"):
        back = unscramble(pixels, secret, header, context=context, max_rounds=MOST_ROUNDS)
    else:
        back = decrypt(pixels, secret, header, max_rounds=MOST_ROUNDS)
    return write_little(back)


def _read_key(case: Case) -> Key | PictureKey:
    kind = Key if case["level"] == "master" else PictureKey
    if case["bytes"] is not None:
        with tempfile.TemporaryDirectory(prefix="sudokucrypt-vectors-") as scratch:
            path = Path(scratch) / "key.txt"
            path.write_bytes(bytes.fromhex(case["bytes"]))
            return kind.from_file(path)
    if case["passphrase"] is not None:
        key = unlock(case["content"], Passphrase(case["passphrase"]))
        assert isinstance(key, Key)
        return key
    return kind.from_text(case["content"])


def _read_header(data: bytes) -> Header:
    """Read a header as far as can be without key and picture."""
    header = Header.from_bytes(data)
    context = "any" if header.scheme == "scramble-context-v1" else None
    scheme = find_scheme(header.scheme, context)
    if isinstance(scheme, TaggedScheme):
        scheme.find_picture_key(KEY, header)
        scheme.pipeline(header)
    else:
        with Workers(1) as workers:
            scheme.open_header(KEY, header, workers)
    return header


def _read_extras(case: Case) -> images.PictureRecord:
    line, padding = describe_case(case)
    extras = line + b"\n" + padding
    record = images.parse_description(make_samples(line.decode("ascii")), extras)
    again = images.describe(record)
    assert again is not None
    assert extras.startswith(again)
    return record


def make_samples(line: str) -> AnyArray:
    """Return samples of the shape and type that a line speaks of, or some that must do.

    They take no memory, regardless of their size.
    """
    try:
        frame = json.loads(line)["frames"][0]
        shape, dtype = frame["shape"], frame["dtype"]
        sides = 2 <= len(shape) <= 3 and all(1 <= side < 2**31 for side in shape)
        if sides and dtype in SAMPLE_BYTES:
            return np.broadcast_to(np.zeros((), dtype), tuple(shape))
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    return np.zeros((6, 7), np.uint8)


def make_array(shape: list[int], dtype: str, samples: str) -> AnyArray:
    """Return the array of a case. Bytes that are no booleans never become an array of them."""
    data = bytes.fromhex(samples)
    if dtype == "bool" and max(data) > 1:
        raise DecryptionError
    little_endian = np.frombuffer(data, np.dtype(dtype).newbyteorder("<"))
    return little_endian.reshape(shape).astype(dtype)


def read_picture_by_package(case: Case) -> tuple[bytes, bytes | None]:
    """Return the plain samples and the description of a case of a picture."""
    (frame,) = case["frames"]
    picture = images.Picture.plain(make_array(frame["shape"], frame["dtype"], frame["samples"]))
    secret, context = read_secret(case), case["context"]
    if case["header"] is None:
        header = make_context_header(picture.pixels, secret, context)
    else:
        header = Header.from_bytes(case["header"].encode())
    return _restore_plain(picture, secret, header, context)


def find_header(case: Case) -> Header | None:
    """Return the header that the package takes of a picture file and its sidecars."""
    data = bytes.fromhex(case["picture"])
    if case["named"] is None and case["beside"] is None:
        header_inside = images.decode_picture(data).header
        return None if header_inside is None else Header.from_bytes(header_inside)
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-vectors-") as scratch:
        picture = Path(scratch) / "picture"
        picture.write_bytes(data)
        named_sidecar = None
        if case["named"] is not None:
            named_sidecar = Path(scratch) / "named.json"
            named_sidecar.write_bytes(bytes.fromhex(case["named"]))
        if case["beside"] is not None:
            neighbor_sidecar = picture.with_name(get_sidecar_name(picture.name))
            neighbor_sidecar.write_bytes(bytes.fromhex(case["beside"]))
        return read_header(picture, sidecar=named_sidecar)


def read_container(case: Case) -> tuple[bytes, bytes | None]:
    """Return the plain samples and the description of a picture file."""
    header = find_header(case)
    assert header is not None
    return _restore_plain(
        images.decode_picture(bytes.fromhex(case["picture"])), KEY, header, case["context"]
    )


def _restore_plain(
    picture: images.Picture, secret: RestoringKey, header: Header, context: str | None
) -> tuple[bytes, bytes | None]:
    encrypted = header.scheme == "encrypt-v1"
    scheme = (
        find_encryption_scheme(header) if encrypted else find_scrambling_scheme(header, context)
    )
    opened_header = open_header(header, secret, scheme=scheme, max_rounds=MOST_ROUNDS)
    record = restore_picture(picture, opened_header)
    return write_little(record.picture.pixels), images.describe(record)
