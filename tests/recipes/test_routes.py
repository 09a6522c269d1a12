"""Where pictures come from and go to: how much is read, and which header counts."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    Key,
    decrypt_file,
    encrypt_file,
    read_header,
    scramble_file,
)
from sudokucrypt.images import decode_picture, read_picture
from tests.images.builders import encoded, noise

if TYPE_CHECKING:
    from pathlib import Path

KEY = Key(bytes(range(32)))
PLAIN = encoded(noise(9, 8, 1), "PNG")


class Counting(io.BytesIO):
    """A stream that knows how much was read of it, and how much at most was asked for."""

    most = taken = 0

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes."""
        self.most = max(self.most, -1 if size is None else size)
        data = super().read(size)
        self.taken += len(data)
        assert size is not None
        assert size > 0
        return data


def test_streams_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream as long as a file may be is read, one byte more is refused, and in pieces."""
    limit = len(PLAIN)
    monkeypatch.setattr("sudokucrypt.images.FILE_LIMIT", limit)
    result = io.BytesIO()
    encrypt_file(io.BytesIO(PLAIN), result, KEY)
    assert result.getvalue()
    with pytest.raises(InvalidImageError, match=f"more than the {limit} bytes that are read"):
        encrypt_file(io.BytesIO(PLAIN + b"x"), io.BytesIO(), KEY)
    endless = Counting(bytes(2**25))
    with pytest.raises(InvalidImageError, match="more than the"):
        encrypt_file(endless, io.BytesIO(), KEY)
    assert endless.taken <= limit + endless.most
    assert endless.most <= 2**20


def test_a_named_sidecar_counts_before_all_others(tmp_path: Path) -> None:
    """The one that was named, else the one beside the file, else the header inside."""
    for name in "ab":
        source = io.BytesIO(encoded(noise(9, 8, 1) ^ (name == "b"), "PNG"))
        encrypt_file(source, tmp_path / f"{name}.png", KEY, sidecar=True)
    first, second = (tmp_path / f"{name}.png.sudokucrypt.json" for name in "ab")
    inside = read_header(tmp_path / "a.png")
    other = read_header(tmp_path / "a.png", sidecar=second)
    assert other == read_header(tmp_path / "b.png") != inside
    first.write_bytes(second.read_bytes())
    assert read_header(tmp_path / "a.png") == other
    with pytest.raises(DecryptionError, match=r"the header is from .*a\.png\.sudokucrypt"):
        decrypt_file(tmp_path / "a.png", io.BytesIO(), KEY)
    first.write_bytes(b"damaged")
    with pytest.raises(FormatError):
        read_header(tmp_path / "a.png")
    first.unlink()
    assert read_header(tmp_path / "a.png") == inside
    with pytest.raises(FormatError, match="cannot read the sidecar"):
        read_header(tmp_path / "a.png", sidecar=first)


def test_what_a_stream_is_written_to(tmp_path: Path) -> None:
    """Streams and files get the same bytes, whatever the other end is."""
    (tmp_path / "in.png").write_bytes(PLAIN)
    results = []
    for source in (tmp_path / "in.png", io.BytesIO(PLAIN)):
        stream = io.BytesIO()
        scramble_file(source, stream, KEY, deterministic=True)
        results.append(stream.getvalue())
        if not isinstance(source, io.BytesIO):
            scramble_file(source, tmp_path / "out.png", KEY, deterministic=True)
            results.append((tmp_path / "out.png").read_bytes())
            report = scramble_file(source, None, KEY, deterministic=True)
            assert report.target == tmp_path / "in.scrambled.png"
            results.append(report.target.read_bytes())
    assert len(set(results)) == 1
    assert not np.array_equal(
        decode_picture(results[0]).pixels, read_picture(tmp_path / "in.png").pixels
    )
