"""Make the worked examples of the pages in docs/spec; running this module writes them there.

Key and salt are those of the vectors: the bytes 00, 01, ... 1f and 00, 01, ... 0f.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from sudokucrypt import KeyDerivation, KeyStream, Passphrase
from sudokucrypt.ciphers import Part
from sudokucrypt.header import Header
from sudokucrypt.images.jpeg import read_coefficients
from sudokucrypt.keys.key import derive_bytes
from sudokucrypt.recipes.jpegs import plan_jpeg
from sudokucrypt.recipes.protection import protect_image
from sudokucrypt.robust import scramble_robustly
from sudokucrypt.typing import AnyArray
from tests.kit.reference.draws import inverse
from tests.kit.reference.permutation import draw_permutation
from tests.kit.reference.robust import (
    choose_width,
    count_blocks,
    count_heading_rows,
    cut_blocks,
    encode_header,
)
from tests.vectors.common import KEY, SALT, make_protection, write_little
from tests.vectors.gallery import pad_text

PAGES: Final = Path(__file__).parents[2] / "docs" / "spec"
PLAIN: Final = (16 * np.arange(6)[:, None] + np.arange(6)).astype(np.uint8)
"""Six by six samples whose hexadecimal digits are their row and column."""

CONTEXT: Final = "album"
PHRASE: Final = "caf\u00e9"
KDF: Final = f"argon2id:m=8,t=1,p=1:{bytes(range(16, 32)).hex()}"
PROFILE: Final = b"icc "
EXTRAS: Final = pad_text(
    '{"format":"PNG","frames":[{"shape":[6,6],"dtype":"uint8","mode":"gray",'
    '"metadata":{"icc":4,"resolution":["72","72","inch"]}}]}',
    PROFILE,
)
JPEG: Final = b"".join(
    map(
        bytes.fromhex,
        (
            "ffd8",
            "ffdb0043 00" + "03" * 64,
            "ffc1000b 08 0006 0006 01 001100",
            "ffc4002d 00" + "01" + "00" * 15 + "07",
            "10 00020105" + "00" * 12 + "16230006264471c4",
            "ffda0008 01 0000 003f00 6a14b5c52b75e673bf73",
            "ffd9",
        ),
    )
)
"""A gray JPEG of six by six pixels: one block."""

MOST_PIXELS: Final = 36
_INDENT: Final = 15
_WIDTH: Final = 96  # hexadecimal digits in a line


def _format_field(name: str, *lines: str) -> str:
    """Return a name and its value, line by line."""
    labels = [name, *[""] * (len(lines) - 1)]
    labeled_lines = zip(labels, lines, strict=True)
    return "".join(f"{head:{_INDENT}}{line}\n" for head, line in labeled_lines)


def _format_samples(pixels: AnyArray) -> Iterator[str]:
    """Yield rows of samples in hexadecimal."""
    return (" ".join(f"{sample:02x}" for sample in row) for row in pixels.tolist())


def _format_bytes(data: bytes) -> Sequence[str]:
    """Return the lines of bytes in hexadecimal."""
    text = data.hex()
    return [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)]


def _format_keys() -> str:
    """Return the fields with which all examples begin."""
    return (
        _format_field("key", KEY.to_bytes().hex())
        + _format_field("key id", KEY.id)
        + _format_field("salt", SALT.hex())
        + _format_field("picture key", KEY.picture_key(SALT).to_bytes().hex())
    )


def _format_subkey(use: str, context: bytes | None = None) -> str:
    """Return the field of a subkey of the picture key."""
    return _format_field(use, derive_bytes(KEY.picture_key(SALT).to_bytes(), use, context).hex())


def _iterate_words(secret: bytes, use: str, context: bytes) -> Iterator[int]:
    """Yield the stream of a subkey as 64-bit words."""
    stream = KeyStream(derive_bytes(secret, use, context))
    while True:
        yield int.from_bytes(stream.read(4), "little")


def make_scrambling_example() -> str:
    """Return the example of a scrambled picture, step by step, with and without a context."""
    result = protect_image(PLAIN, KEY, make_protection("scramble-v1"))
    header = result.header
    form = re.sub(rb',"(tag|seal)":"[0-9a-f]*"', b"", header.to_bytes())
    digest = hashlib.sha256(write_little(PLAIN)).digest()
    message = len(form).to_bytes(8, "little") + form + (1).to_bytes(8, "little") + digest
    assert header.tag is not None
    words = _iterate_words(KEY.picture_key(SALT).to_bytes(), "picture/permutation", header.tag)
    sources = draw_permutation(36, 4, words)
    shared = protect_image(PLAIN, KEY, make_protection(context=CONTEXT))
    return (
        _format_field("key text", KEY.to_text())
        + _format_keys()
        + _format_field("plain", *_format_samples(PLAIN))
        + _format_field("d_0", digest.hex())
        + _format_field("message", *_format_bytes(message))
        + _format_subkey("picture/tag")
        + _format_field("tag", header.tag.hex())
        + _format_subkey("picture/seal")
        + _format_field("header", header.to_bytes().decode("ascii"))
        + _format_field("order", " ".join(map(str, sources)))
        + _format_field("scrambled", *_format_samples(result.pixels))
        + "\n"
        + _format_field("text", CONTEXT)
        + _format_field("header", shared.header.to_bytes().decode("ascii"))
        + _format_field("scrambled", *_format_samples(shared.pixels))
    )


def make_encryption_example() -> str:
    """Return the example of the picture encrypted with the key and with a passphrase."""
    result = protect_image(PLAIN, KEY, make_protection())
    assert result.header.tag is not None
    stream = KeyStream(
        derive_bytes(KEY.picture_key(SALT).to_bytes(), "picture/keystream", result.header.tag)
    )
    locked = protect_image(PLAIN, Passphrase(PHRASE), make_protection(kdf=KDF))
    derived = KeyDerivation.from_text(KDF).derive(Passphrase(PHRASE))
    return (
        _format_keys()
        + _format_field("plain", *_format_samples(PLAIN))
        + _format_field("header", result.header.to_bytes().decode("ascii"))
        + _format_field("mask", *_format_bytes(stream.read(36)))
        + _format_field("encrypted", *_format_samples(result.pixels))
        + "\n"
        + _format_field("passphrase", PHRASE.encode().hex())
        + _format_field("derived key", derived.to_bytes().hex())
        + _format_field("header", locked.header.to_bytes().decode("ascii"))
        + _format_field("encrypted", *_format_samples(locked.pixels))
    )


def make_pictures_example() -> str:
    """Return the example of the picture with a resolution and a color profile, encrypted."""
    line, _, blobs = EXTRAS.partition(b"\n")
    result, header = make_protection().protect([Part(pixels=PLAIN)], KEY, encrypted_metadata=EXTRAS)
    return (
        _format_keys()
        + _format_field("plain", *_format_samples(PLAIN))
        + _format_field("line", line.decode("ascii"))
        + _format_field("blobs", PROFILE.hex())
        + _format_field("padding", f"{len(blobs) - len(PROFILE)} zero bytes")
        + _format_field("header", header.to_bytes().decode("ascii"))
        + _format_field("encrypted", *_format_samples(result[0]))
    )


def make_jpeg_example() -> str:
    """Return the example of a JPEG of one block: its structure and its result."""
    plan = plan_jpeg(JPEG, name="example", max_pixels=MOST_PIXELS)
    plain = list(
        _format_coefficients(plan.structure.file.coefficients[0])
    )  # copied, since scrambling changes them in place
    data, header = plan.protect(KEY, make_protection("scramble-v1"))
    decoded_file = read_coefficients(data, max_pixels=MOST_PIXELS)
    structure = plan.structure.to_bytes()
    skeleton = JPEG[: JPEG.index(b"\xff\xda") + 10] + b"\xff\xd9"
    start, result, after_skeleton = structure.partition(skeleton)
    assert result
    fields = json.loads(header.to_bytes())
    text = json.dumps({**fields, "extras": ""}, separators=(",", ":"))
    assert header.encrypted_metadata is not None
    return (
        _format_keys()
        + _format_field("file", *_format_bytes(JPEG))
        + _format_field("coefficients", *plain)
        + _format_field("structure", f"{start.hex()} || skeleton || {after_skeleton.hex()}")
        + _format_field("skeleton", *_format_bytes(skeleton))
        + _format_field("text", text)
        + _format_field("masked extras", *_format_bytes(header.encrypted_metadata))
        + _format_field("scrambled", *_format_coefficients(decoded_file.coefficients[0]))
    )


def _format_coefficients(plane: AnyArray) -> Iterator[str]:
    """Yield lines of the coefficients of the only block, sixteen in each."""
    numbers = plane.reshape(-1).tolist()
    return (" ".join(map(str, numbers[at : at + 16])) for at in range(0, 64, 16))


def make_robust_example() -> str:
    """Return the example of a carrier with one block of the picture among gray blocks."""
    result = scramble_robustly(PLAIN, KEY, salt=SALT)
    header = result.header.to_bytes()
    across = choose_width(count_blocks(6, 6, colors=False))
    rows = [[int(sample) for sample in row] for row in result.samples.tolist()]
    cells = list(cut_blocks(rows))[across * count_heading_rows(across) :]
    key, context = KEY.picture_key(SALT).to_bytes(), header[:32]
    signs = KeyStream(derive_bytes(key, "picture/robust/signs", context)).read(8)
    sources = draw_permutation(
        len(cells), 4, _iterate_words(key, "picture/robust/permutation", context)
    )
    cell = inverse(sources)[0]
    shape = " x ".join(map(str, result.samples.shape))
    return (
        _format_keys()
        + _format_field("plain", *_format_samples(PLAIN))
        + _format_field("header", header.hex())
        + _format_field("parity", encode_header(header)[40:].hex())
        + _format_field(
            "sheet", f"{shape} samples, {across} cells in a row, {len(cells)} of them blocks"
        )
        + _format_field("signs", f"{signs.hex()} of block 0")
        + _format_field("cell", f"{cell} among the blocks holds block 0")
        + _format_field("samples", *_format_samples(np.array(cells[cell]).reshape(8, 8)))
        + _format_field(
            "SHA-256", f"{hashlib.sha256(result.samples.tobytes()).hexdigest()} of the sheet"
        )
    )


EXAMPLES: Final[dict[str, Callable[[], str]]] = {
    "scrambling-v1": make_scrambling_example,
    "encryption-v1": make_encryption_example,
    "pictures-v1": make_pictures_example,
    "jpeg-v1": make_jpeg_example,
    "robust-v1": make_robust_example,
}
"""What makes the example of each page, but for that of key cards."""

_BLOCK = re.compile(r"^## Example\n.*?^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_example(name: str) -> str:
    """Return the example on a page."""
    match = _BLOCK.search((PAGES / f"{name}.md").read_text(encoding="utf-8"))
    assert match is not None
    return match[1]


def read_headers(name: str) -> list[Header]:
    """Return the headers in the example of a page."""
    lines = re.findall(r"^header +(\{.*)$", read_example(name), re.MULTILINE)
    return [Header.from_bytes(line.encode("ascii")) for line in lines]


def write_examples() -> None:
    """Write every example to its page."""
    for name, make_example in EXAMPLES.items():
        page = PAGES / f"{name}.md"
        text = page.read_text(encoding="utf-8")
        text_before, _, text_after = text.partition(read_example(name))
        page.write_text(text_before + make_example() + text_after, encoding="utf-8")


if __name__ == "__main__":
    write_examples()
