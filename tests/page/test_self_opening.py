"""Self-opening pictures: exact for the command line, and a page when named .html."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import DecryptionError, Passphrase, decrypt_bytes, encrypt_bytes
from sudokucrypt.page import make_self_opening_png, page
from sudokucrypt.page.caption import CAPTION_TEXT, caption, make_chunk
from sudokucrypt.page.self_opening import _COMMENT_ENDS, _split_chunks
from tests.cli.conftest import PICTURES
from tests.page.conftest import Driver

KEY = Passphrase("lend trace april dove gulf iron")


def test_samples_are_below_a_caption() -> None:
    """The samples are below a caption, the file is restored, and the page adds about its size."""
    content = bytes(range(256)) * 800
    encrypted = encrypt_bytes(content, KEY, name="a.bin")
    result = make_self_opening_png(encrypted)
    assert decrypt_bytes(result, KEY) == content
    old_samples, new_samples = (
        np.asarray(Image.open(io.BytesIO(data))) for data in (encrypted, result)
    )
    caption_rows, noise = new_samples[: -len(old_samples)], new_samples[-len(old_samples) :]
    assert np.array_equal(old_samples, noise)
    assert np.isin(caption_rows, (0, 255)).all()
    assert 0.02 < np.mean(caption_rows == 0) < 0.2
    assert len(result) <= len(encrypted) * 1.01 + len(page()) + 3000


@pytest.mark.parametrize("size", [0, 1, 3000, 3900, 20_000, 300_000])
def test_captions_fit_any_picture(size: int) -> None:
    """A caption has fewer rows than columns, and very narrow pictures have none."""
    encrypted = encrypt_bytes(bytes(size), KEY, name="a.bin")
    result = caption(encrypted)
    old_samples, new_samples = (
        np.asarray(Image.open(io.BytesIO(data))) for data in (encrypted, result)
    )
    rows, columns = len(new_samples) - len(old_samples), old_samples.shape[1]
    assert (rows == 0) == (columns < 72)
    assert rows < columns
    assert decrypt_bytes(result, KEY) == bytes(size)
    lines = -(-len(CAPTION_TEXT) // max(1, columns // 6))
    assert rows == 0 or rows >= 10 * lines


def test_captions_survive_other_programs() -> None:
    """A picture saved again as RGB, without the page, is restored below its caption."""
    content = bytes(range(256)) * 40
    stream = io.BytesIO()
    picture = Image.open(
        io.BytesIO(make_self_opening_png(encrypt_bytes(content, KEY, name="a.bin")))
    )
    picture.convert("RGB").save(stream, "PNG")
    assert decrypt_bytes(stream.getvalue(), KEY) == content
    pixels = np.asarray(picture).copy()
    pixels[0, 0] = 7
    Image.fromarray(pixels).save(stream := io.BytesIO(), "PNG")
    with pytest.raises(DecryptionError, match="it was resized, cropped or turned"):
        decrypt_bytes(stream.getvalue(), KEY)


def test_pictures_without_captions() -> None:
    """Pictures that are narrow, or not gray with 8 bits, get no caption."""
    pixels = encrypt_bytes((PICTURES / "astronaut.png").read_bytes(), KEY, as_file=False)
    assert caption(pixels) == pixels


def test_samples_that_would_end_the_comment() -> None:
    """Chunks are split inside every mark that would end the comment, and keep their bytes."""
    bodies = [b"--!>-->" * 40, b"-->", b"x" * 100]
    split = _split_chunks(b"".join(make_chunk(b"IDAT", body) for body in bodies))
    assert not _COMMENT_ENDS.search(split)
    position, joined_bytes = 0, b""
    while position < len(split):
        end = position + 12 + int.from_bytes(split[position : position + 4])
        body = split[position + 8 : end - 4]
        assert split[position:end] == make_chunk(b"IDAT", body)
        position, joined_bytes = end, joined_bytes + body
    assert joined_bytes == b"".join(bodies)


@pytest.mark.programs("chromium")
def test_it_opens(driver: Driver, tmp_path: Path) -> None:
    """Named .html, the picture asks for the passphrase, and restores the file under the policy."""
    content = bytes(range(256)) * 300  # long enough that noise contains every byte and line end
    path = tmp_path / "self.html"
    path.write_bytes(make_self_opening_png(encrypt_bytes(content, KEY, name="a.bin")))
    driver.tab.ask(
        "Page.navigate", url=path.as_uri()
    )  # not with open(), as the document replaces itself
    driver.tab.wait_for("document.getElementById('main')?.hidden", False)
    policy = "document.head.querySelector('meta[http-equiv]').content.length > 100"
    assert driver.tab.value(policy)
    driver.enter("passphrase", "lend trace april dove gulf iron")
    assert driver.run() == (["a.bin"], [])
    assert driver.save().read_bytes() == content
