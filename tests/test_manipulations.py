"""Whatever is done to protected files, their sidecars and names: the right content, or nothing."""

import io
import random
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    Key,
    Layer,
    SudokucryptError,
    UnsupportedError,
    decrypt_file,
    encrypt_file,
    images,
    redact_file,
    scramble_file,
    unredact_file,
    unscramble_file,
)
from sudokucrypt.header import sidecar_name
from sudokucrypt.recipes.records import same_pictures
from tests.images.builders import noise

KEY, OTHER = Key(bytes(range(32))), Key(bytes(range(1, 33)))
PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
LAYOUTS: dict[bytes, tuple[int, int, int, int]] = {
    PNG: (8, 0, 4, 12),
    JPEG: (2, 2, 2, 2),
}
"""Where the first piece starts, and in each where its length stands, which lacks some bytes."""
RESTORES: dict[Any, Any] = {
    encrypt_file: decrypt_file,
    scramble_file: unscramble_file,
    redact_file: unredact_file,
}
AREAS = [(0, 0, 4, 4)]
TABLE = (DecryptionError, FormatError, InvalidImageError, UnsupportedError)
"""What changed files raise."""
EDGES = bytes([0, 1, 0x7F, 0x80, 0xFF])


@dataclass(frozen=True, kw_only=True)
class Protected:
    """A file with its sidecar and name, and the plain file that it is restored to."""

    name: str
    data: bytes
    sidecar: bytes | None
    plain: bytes
    restore: Callable[..., object]


def _made(folder: Path, name: str, source: bytes, protect: Any, **options: Any) -> Protected:
    """Protect a file, and check that it comes back."""
    path = folder / name
    protected_with = [Layer(KEY, AREAS)] if protect is redact_file else KEY
    protect(io.BytesIO(source), path, protected_with, **options)
    beside = path.with_name(sidecar_name(path.name))
    restore = RESTORES[protect]
    restored = io.BytesIO()
    restore(path, restored, KEY)
    return Protected(
        name=name,
        data=path.read_bytes(),
        sidecar=beside.read_bytes() if beside.exists() else None,
        plain=restored.getvalue(),
        restore=restore,
    )


@pytest.fixture(scope="module")
def protected(tmp_path_factory: pytest.TempPathFactory) -> list[Protected]:
    """Small files of all carriers that authenticate, in several containers."""
    folder = tmp_path_factory.mktemp("protected")
    gray, film = images.Picture.plain(noise(7, 9, 1)), io.BytesIO()
    frames = [Image.fromarray(noise(6, 5, 3)) for _ in range(3)]
    frames[0].save(film, "PNG", save_all=True, append_images=frames[1:], duration=40)
    tagged, photo = io.BytesIO(), io.BytesIO()
    exif = Image.Exif()
    exif[270] = "described"
    Image.fromarray(noise(8, 8, 4)).save(tagged, "PNG", exif=exif)
    Image.fromarray(noise(17, 9, 3) // 4).save(photo, "JPEG", quality=60)
    picture = images.encode_picture(gray, "PNG")
    return [
        _made(folder, "a.png", picture, encrypt_file),
        _made(folder, "b.png", picture, scramble_file),
        _made(folder, "c.tiff", picture, encrypt_file),
        _made(folder, "d.tif", tagged.getvalue(), scramble_file),
        _made(folder, "e.png", film.getvalue(), encrypt_file),
        _made(folder, "f.png", tagged.getvalue(), encrypt_file, sidecar=True),
        _made(folder, "g.tiff", tagged.getvalue(), scramble_file, sidecar=True),
        _made(folder, "h.png", picture, encrypt_file, rounds=9),
        _made(folder, "i.png", b"any file, of any kind", encrypt_file, as_file=True),
        _made(folder, "j.jpg", photo.getvalue(), scramble_file),
        _made(folder, "k.png", photo.getvalue(), encrypt_file),
        _made(folder, "l.png", picture, redact_file),
        _made(folder, "m.jpg", photo.getvalue(), redact_file),
    ]


def pieces(data: bytes) -> list[bytes]:
    """Return a file in its chunks or segments; one without such in pieces of 16 bytes."""
    layout = next((value for start, value in LAYOUTS.items() if data.startswith(start)), None)
    if layout is None:
        return [data[at : at + 16] for at in range(0, max(1, len(data)), 16)]
    at, offset, width, more = layout
    result = [data[:at]]
    while at + 8 < len(data):
        length = int.from_bytes(data[at + offset : at + offset + width], "big") + more
        result.append(data[at : at + length])
        at += max(length, 4)
    return [*result, data[at:]]


def by_bytes(source: random.Random, data: bytes, _other: bytes) -> bytes:
    """Change, insert, remove, double or move some bytes, or cut the file off."""
    if not data:
        return data
    at = source.randrange(len(data))
    end = min(len(data), at + source.choice((1, 1, 2, 4, 30)))
    part = data[at:end]
    flipped = bytes([data[at] ^ 1 << source.randrange(8)])
    return source.choice(
        (
            data[:at] + flipped + data[at + 1 :],
            data[:at] + bytes([source.choice(EDGES)]) + data[at + 1 :],
            data[:at] + source.randbytes(end - at) + data[end:],
            data[:at] + source.randbytes(end - at) + data[at:],
            data[:at] + data[end:],
            data[:end] + part + data[end:],
            data[:at] + data[end:] + part,
            data[:at],
        )
    )


def by_pieces(source: random.Random, data: bytes, other: bytes) -> bytes:
    """Remove, double, exchange or change chunks, or take one of another file."""
    parts, others = pieces(data), pieces(other)
    one, two = (source.randrange(len(parts)) for _ in range(2))
    match source.randrange(5):
        case 0:
            del parts[one]
        case 1:
            parts.insert(two, parts[one])
        case 2:
            parts[one], parts[two] = parts[two], parts[one]
        case 3:
            parts[one] = source.choice(others)
        case _:
            parts[one] = _with_checksum(by_bytes(source, parts[one], b""), data)
    return b"".join(parts)


def by_samples(source: random.Random, data: bytes, _other: bytes) -> bytes:
    """Save a picture again as programs do that drop the header, with or without other samples.

    The rows that hold the header then count: rows are changed, exchanged, doubled or cut off.
    """
    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            pixels = np.array(image)
    except Exception:  # of many kinds: it is no such file, or was changed before
        return data
    one, two = (source.randrange(len(pixels)) for _ in range(2))
    match source.randrange(6):
        case 0:
            pixels.reshape(-1)[source.randrange(pixels.size)] ^= True
        case 1:
            pixels[[one, two]] = pixels[[two, one]]
        case 2:
            pixels = np.insert(pixels, one, pixels[two], axis=0)
        case 3:
            pixels = np.delete(pixels, one, axis=0)
        case 4:
            pixels = pixels[:, : source.randrange(1, pixels.shape[1] + 1)]
    saved = io.BytesIO()
    if pixels.size:
        Image.fromarray(pixels).save(saved, "PNG")
    return saved.getvalue()


def _with_checksum(chunk: bytes, data: bytes) -> bytes:
    """Make length and checksum of a changed chunk of a PNG right."""
    if not data.startswith(PNG) or len(chunk) < 12:
        return chunk
    body = chunk[4:-4]
    return (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")


def manipulated(source: random.Random, file: Protected, other: Protected) -> Protected:
    """Return a file that somebody changed once, or a few times."""
    for _ in range(source.choice((1, 1, 1, 2, 5))):
        chosen = source.choice((by_bytes, by_pieces, by_samples))
        match source.randrange(8):
            case 0:
                suffix = source.choice((".png", ".jpg", ".tiff", ".webp", "", ".gif"))
                file = replace(file, name=file.name.partition(".")[0] + suffix)
            case 1:
                file = replace(file, sidecar=other.sidecar)
            case 2 if file.sidecar is not None:
                file = replace(file, sidecar=chosen(source, file.sidecar, other.data))
            case _:
                file = replace(file, data=chosen(source, file.data, other.data))
    return file


def same(one: bytes, other: bytes) -> bool:
    """Whether two plain files are equal, or are pictures of equal samples and metadata."""
    if one == other:
        return True
    try:
        first, second = images.decode_picture(one), images.decode_picture(other)
    except SudokucryptError:
        return False
    return same_pictures(first, second) and first.metadata == second.metadata


@pytest.mark.parametrize(
    "count",
    [
        300,
        pytest.param(3000, marks=pytest.mark.slow),
        pytest.param(100_000, marks=pytest.mark.nightly),
    ],
)
def test_nothing_wrong_is_released(protected: list[Protected], tmp_path: Path, count: int) -> None:
    """A changed file is restored to exactly what was protected, or refused without a byte."""
    source = random.Random(count)  # noqa: S311 - changes, not secrets
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        file, other = source.sample(protected, 2)
        changed = manipulated(source, file, other)
        path, target = tmp_path / changed.name, io.BytesIO()
        path.write_bytes(changed.data)
        sidecar = path.with_name(sidecar_name(path.name))
        if changed.sidecar is not None:
            sidecar.write_bytes(changed.sidecar)
        key = source.choice((KEY, KEY, KEY, OTHER))
        refusal: SudokucryptError | None = None
        try:
            changed.restore(path, target, key)
        except SudokucryptError as error:
            refusal = error
        if refusal is None:
            outcomes["exact"] += 1
            assert key == KEY
            assert any(same(each.plain, target.getvalue()) for each in (file, other)), changed
        else:
            outcomes["refused"] += 1
            assert not target.getvalue()
            # The header of another file may ask for another function.
            assert isinstance(refusal, TABLE) or "scrambled" in str(refusal), changed
        sidecar.unlink(missing_ok=True)
        path.unlink()
    assert min(outcomes.values()) > count // 50, outcomes
