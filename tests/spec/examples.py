"""The worked examples of the pages in docs/spec; running this writes them there anew.

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
from sudokucrypt.keys.key import derive
from sudokucrypt.recipes.jpegs import planned_jpeg
from sudokucrypt.recipes.protection import protect_image
from sudokucrypt.robust import scramble_robustly
from sudokucrypt.typing import AnyArray
from tests.kit.reference.draws import inverse
from tests.kit.reference.permutation import permutation
from tests.kit.reference.robust import block_count, blocks_of, code_of, heading_rows, width
from tests.vectors.common import KEY, SALT, make_protection, write_little
from tests.vectors.gallery import pad_text

PAGES: Final = Path(__file__).parents[2] / "docs" / "spec"
PLAIN: Final = (16 * np.arange(6)[:, None] + np.arange(6)).astype(np.uint8)
"""Six by six samples whose hexadecimal digits are their row and column."""

CONTEXT: Final = "album"
SPOKEN: Final = "caf\u00e9"
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


def _field(name: str, *lines: str) -> str:
    """A name, and beside it what has it, line by line."""
    heads = [name, *[""] * (len(lines) - 1)]
    pairs = zip(heads, lines, strict=True)
    return "".join(f"{head:{_INDENT}}{line}\n" for head, line in pairs)


def _samples(pixels: AnyArray) -> Iterator[str]:
    """Rows of samples."""
    return (" ".join(f"{sample:02x}" for sample in row) for row in pixels.tolist())


def _cut(data: bytes) -> Sequence[str]:
    """Bytes in hexadecimal, in several lines if there are many."""
    text = data.hex()
    return [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)]


def _keys() -> str:
    """The fields that all examples begin with."""
    return (
        _field("key", KEY.to_bytes().hex())
        + _field("key id", KEY.id)
        + _field("salt", SALT.hex())
        + _field("picture key", KEY.picture_key(SALT).to_bytes().hex())
    )


def _subkey(use: str, context: bytes | None = None) -> str:
    """A subkey of the picture key."""
    return _field(use, derive(KEY.picture_key(SALT).to_bytes(), use, context).hex())


def _words(secret: bytes, use: str, context: bytes) -> Iterator[int]:
    """The stream of a subkey as words."""
    stream = KeyStream(derive(secret, use, context))
    while True:
        yield int.from_bytes(stream.read(4), "little")


def make_scrambling_example() -> str:
    """A picture under a salt, step by step, and the same under a context."""
    result = protect_image(PLAIN, KEY, make_protection("scramble-v1"))
    header = result.header
    form = re.sub(rb',"(tag|seal)":"[0-9a-f]*"', b"", header.to_bytes())
    digest = hashlib.sha256(write_little(PLAIN)).digest()
    message = len(form).to_bytes(8, "little") + form + (1).to_bytes(8, "little") + digest
    assert header.tag is not None
    words = _words(KEY.picture_key(SALT).to_bytes(), "picture/permutation", header.tag)
    sources = permutation(36, 4, words)
    shared = protect_image(PLAIN, KEY, make_protection(context=CONTEXT))
    return (
        _field("key text", KEY.to_text())
        + _keys()
        + _field("plain", *_samples(PLAIN))
        + _field("d_0", digest.hex())
        + _field("message", *_cut(message))
        + _subkey("picture/tag")
        + _field("tag", header.tag.hex())
        + _subkey("picture/seal")
        + _field("header", header.to_bytes().decode("ascii"))
        + _field("order", " ".join(map(str, sources)))
        + _field("scrambled", *_samples(result.pixels))
        + "\n"
        + _field("text", CONTEXT)
        + _field("header", shared.header.to_bytes().decode("ascii"))
        + _field("scrambled", *_samples(shared.pixels))
    )


def encryption() -> str:
    """The same picture encrypted, under the key and under a passphrase."""
    result = protect_image(PLAIN, KEY, make_protection())
    assert result.header.tag is not None
    stream = KeyStream(
        derive(KEY.picture_key(SALT).to_bytes(), "picture/keystream", result.header.tag)
    )
    locked = protect_image(PLAIN, Passphrase(SPOKEN), make_protection(kdf=KDF))
    derived = KeyDerivation.from_text(KDF).derive(Passphrase(SPOKEN))
    return (
        _keys()
        + _field("plain", *_samples(PLAIN))
        + _field("header", result.header.to_bytes().decode("ascii"))
        + _field("mask", *_cut(stream.read(36)))
        + _field("encrypted", *_samples(result.pixels))
        + "\n"
        + _field("passphrase", SPOKEN.encode().hex())
        + _field("derived key", derived.to_bytes().hex())
        + _field("header", locked.header.to_bytes().decode("ascii"))
        + _field("encrypted", *_samples(locked.pixels))
    )


def pictures() -> str:
    """The same picture with a resolution and a color profile, encrypted."""
    line, _, rest = EXTRAS.partition(b"\n")
    result, header = make_protection().protect([Part(pixels=PLAIN)], KEY, encrypted_metadata=EXTRAS)
    return (
        _keys()
        + _field("plain", *_samples(PLAIN))
        + _field("line", line.decode("ascii"))
        + _field("blobs", PROFILE.hex())
        + _field("padding", f"{len(rest) - len(PROFILE)} zero bytes")
        + _field("header", header.to_bytes().decode("ascii"))
        + _field("encrypted", *_samples(result[0]))
    )


def jpeg() -> str:
    """A JPEG of one block: its structure number by number, and what is sent of it."""
    plan = planned_jpeg(JPEG, name="example", max_pixels=MOST_PIXELS)
    plain = list(_list_parts(plan.structure.file.coefficients[0]))  # protecting uses them up
    data, header = plan.protect(KEY, make_protection("scramble-v1"))
    actual = read_coefficients(data, max_pixels=MOST_PIXELS)
    structure = plan.structure.to_bytes()
    skeleton = JPEG[: JPEG.index(b"\xff\xda") + 10] + b"\xff\xd9"
    head, result, rest = structure.partition(skeleton)
    assert result
    fields = json.loads(header.to_bytes())
    text = json.dumps({**fields, "extras": ""}, separators=(",", ":"))
    assert header.encrypted_metadata is not None
    return (
        _keys()
        + _field("file", *_cut(JPEG))
        + _field("coefficients", *plain)
        + _field("structure", f"{head.hex()} || skeleton || {rest.hex()}")
        + _field("skeleton", *_cut(skeleton))
        + _field("text", text)
        + _field("masked extras", *_cut(header.encrypted_metadata))
        + _field("scrambled", *_list_parts(actual.coefficients[0]))
    )


def _list_parts(plane: AnyArray) -> Iterator[str]:
    """The coefficients of the only block, sixteen in a line."""
    numbers = plane.reshape(-1).tolist()
    return (" ".join(map(str, numbers[at : at + 16])) for at in range(0, 64, 16))


def robust() -> str:
    """The same picture as a sheet of one block among blocks of 128."""
    result = scramble_robustly(PLAIN, KEY, salt=SALT)
    header = result.header.to_bytes()
    across = width(block_count(6, 6, colors=False))
    rows = [[int(sample) for sample in row] for row in result.samples.tolist()]
    cells = list(blocks_of(rows))[across * heading_rows(across) :]
    key, context = KEY.picture_key(SALT).to_bytes(), header[:32]
    signs = KeyStream(derive(key, "picture/robust/signs", context)).read(8)
    sources = permutation(len(cells), 4, _words(key, "picture/robust/permutation", context))
    cell = inverse(sources)[0]
    shape = " x ".join(map(str, result.samples.shape))
    return (
        _keys()
        + _field("plain", *_samples(PLAIN))
        + _field("header", header.hex())
        + _field("parity", code_of(header)[40:].hex())
        + _field("sheet", f"{shape} samples, {across} cells in a row, {len(cells)} of them blocks")
        + _field("signs", f"{signs.hex()} of block 0")
        + _field("cell", f"{cell} among the blocks holds block 0")
        + _field("samples", *_samples(np.array(cells[cell]).reshape(8, 8)))
        + _field("SHA-256", f"{hashlib.sha256(result.samples.tobytes()).hexdigest()} of the sheet")
    )


EXAMPLES: Final[dict[str, Callable[[], str]]] = {
    "scrambling-v1": make_scrambling_example,
    "encryption-v1": encryption,
    "pictures-v1": pictures,
    "jpeg-v1": jpeg,
    "robust-v1": robust,
}
"""What makes the example of each page, but for that of key cards."""

_BLOCK = re.compile(r"^## Example\n.*?^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_example(name: str) -> str:
    """The example that stands on a page."""
    match = _BLOCK.search((PAGES / f"{name}.md").read_text(encoding="utf-8"))
    assert match is not None
    return match[1]


def headers(name: str) -> list[Header]:
    """The headers that stand in the example of a page."""
    lines = re.findall(r"^header +(\{.*)$", read_example(name), re.MULTILINE)
    return [Header.from_bytes(line.encode("ascii")) for line in lines]


def main() -> None:
    """Write every example to its page."""
    for name, make in EXAMPLES.items():
        page = PAGES / f"{name}.md"
        text = page.read_text(encoding="utf-8")
        before, _, after = text.partition(read_example(name))
        page.write_text(before + make() + after, encoding="utf-8")


if __name__ == "__main__":
    main()
