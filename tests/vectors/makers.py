"""Make the vectors of single steps, arrays and JPEG files from the inputs that they contain.

Each function takes a case, of which only the inputs count, and returns it with what comes out."""

import hashlib
import struct
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from sudokucrypt import Key, KeyStream, ParametricGrid, Passphrase, PictureKey, StreamDraws
from sudokucrypt import permutation as public_map
from sudokucrypt.bijections import RasterLayout
from sudokucrypt.ciphers import Part
from sudokucrypt.images import (
    EmbeddedFile,
    Picture,
    PictureRecord,
    describe,
    embed,
    parse_description,
)
from sudokucrypt.images.jpeg import JpegFile, read_coefficients
from sudokucrypt.keys import MasterKey
from sudokucrypt.keys.key import derive_bytes
from sudokucrypt.recipes.jpegs import plan_jpeg, restore_jpeg
from sudokucrypt.recipes.opening import open_header
from sudokucrypt.recipes.protection import Protection, protect_image
from sudokucrypt.robust import scramble_robustly, unscramble_robustly
from tests.kit.replay import load
from tests.vectors.common import (
    KEY,
    Case,
    encode_or_digest,
    make_plain_bytes,
    make_plain_image,
    make_protection,
    make_stream,
    write_little,
)
from tests.vectors.gallery import STILLS, Still
from tests.vectors.rows import make_from_rows

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray

SHOWN_UNITS = 100
_MOST_PIXELS = 2**22
_FEW_BLOCKS = 2**12
_MARKS = range(0xA0000000, 0xA0001000)
"""Words behind the chosen ones: the first of them that is drawn shows how many were left."""


class ChosenWords(StreamDraws):
    """Draws from chosen words, which can count how many of them it used."""

    def __init__(self, words: list[int]) -> None:
        super().__init__(self)
        self._chosen = words
        self._all = [*words, *_MARKS]

    def read(self, length: int) -> bytes:
        """Return all words at once, which are enough for whatever is drawn."""
        del length
        return struct.pack(f"<{len(self._all)}I", *self._all)

    def count_used(self) -> int:
        """Return how many words were used, by drawing the others until the first mark comes."""
        unread_words = 0
        while self.below(2**32) != _MARKS[0]:
            unread_words += 1
        return len(self._chosen) - unread_words


def read_last_block(stream: KeyStream) -> bytes:
    """Return the last 64 bytes of a stream of 256 GiB, without those before them."""
    stream._encryptor = stream._make_encryptor(2**32 - 1)
    stream._remaining_bytes = 64
    return stream.read(64)


def make_keys(case: Case) -> Case:
    """Return texts and ids of a key, a picture key, and subkeys for every use."""
    secret, salt = bytes.fromhex(case["secret"]), bytes.fromhex(case["salt"])
    key = Key(secret)
    of_picture = key.picture_key(salt)
    return case | {
        "text": key.to_text(),
        "id": key.id,
        "picture_text": PictureKey(secret).to_text(),
        "picture_key": of_picture.to_bytes().hex(),
        "subkeys": [_derive_subkey(item, key, of_picture) for item in case["subkeys"]],
    }


def _derive_subkey(item: Case, key: Key, of_picture: PictureKey) -> Case:
    key_use = item["use"].removeprefix(f"{item['level']}/")
    context = None if item["context"] is None else bytes.fromhex(item["context"])
    if item["level"] == "passphrase":  # whose key has one use, which has no level in front
        subkey = derive_bytes(key.to_bytes(), item["use"])
    else:
        source = key if item["level"] == "master" else of_picture
        subkey = source.subkey(key_use, context, length=4 if key_use == "id" else 32)
    return item | {"subkey": subkey.hex()}


def make_draws(case: Case) -> Case:
    """Return a stream, integers below bounds and shuffles; or draws from chosen words."""
    if "words" in case:
        chosen_words = ChosenWords(case["words"])
        drawn_numbers = [chosen_words.below(bound) for bound in case["bounds"]]
        return case | {"below": drawn_numbers, "used": chosen_words.count_used()}
    label = case["label"].encode()
    if "block" in case:
        return case | {"stream": read_last_block(make_stream("draws", label)).hex()}
    source = StreamDraws(make_stream("draws", label))
    return case | {
        "stream": make_stream("draws", label).read(80).hex(),
        "below": [source.below(bound) for bound in case["bounds"]],
        "shuffles": [source.permutations([len(f)]).tolist() for f in case["shuffles"]],
    }


def make_grids(case: Case) -> Case:
    """Return the tables of a drawn grid, and the digits of its first two rows."""
    p, q = case["box"]
    source = StreamDraws(make_stream("grids", bytes.fromhex(case["context"])))
    grid = ParametricGrid.random((p, q), source)
    tables = {name: getattr(grid, name).tolist() for name in ("alpha", "beta", "sigma")}
    digits = [[grid.cell(row, column) for column in range(grid.order)] for row in (0, 1)]
    return case | tables | {"digits": digits}


def make_layouts(case: Case) -> Case:
    """Return the layout of a count."""
    layout = RasterLayout.for_count(case["count"])
    return case | {"box": list(layout.box), "spares": layout.remainder}


def make_rounds(case: Case) -> Case:
    """Return the default rounds of a picture of this shape."""
    (shape,) = case["shapes"]
    part = Part(pixels=np.broadcast_to(np.uint8(0), tuple(shape)))
    settings = make_protection(
        "scramble-v1", unit=case["unit"], block_size=case["block_size"], salt=None
    )
    return case | {"rounds": settings.make_draft_header([part], KEY).rounds}


def make_permutations(case: Case) -> Case:
    """Return a whole public map: as numbers when short, else as SHA-256 of 64-bit ones."""
    nonce = bytes.fromhex(case["nonce"])
    result = public_map(case["count"], KEY, nonce=nonce, rounds=case["rounds"])
    digest = hashlib.sha256(result.astype("<i8").tobytes()).hexdigest()
    short = case["count"] <= SHOWN_UNITS
    return case | {"permutation": result.tolist() if short else f"sha256:{digest}"}


def make_images(case: Case) -> Case:
    """Return a scrambled image with its header."""
    names = ("unit", "block_size", "rounds", "context", "salt")
    settings = make_protection("scramble-v1", **{name: case[name] for name in names})
    return _protect_picture(case, settings, KEY, "scrambled")


def make_encryptions(case: Case) -> Case:
    """Return an encrypted image with its header, under a key or a passphrase."""
    settings = make_protection(rounds=case["rounds"], salt=case["salt"], kdf=case["kdf"])
    key = KEY if case["kdf"] is None else Passphrase(case["passphrase"])
    return _protect_picture(case, settings, key, "encrypted")


def make_segments(case: Case) -> Case:
    """Return a file as an encrypted picture, moved in segments if it has more than one."""
    content = make_plain_bytes(case["label"], case["size"])
    file = EmbeddedFile(name=case["name"], size=case["size"], padded=case["padded"])
    pixels = embed(content, file)
    extras = describe(PictureRecord(picture=Picture.plain(pixels), file=file))
    settings = make_protection(rounds=case["rounds"], salt=case["salt"])
    (result,), header = settings.protect(
        [Part(pixels=pixels)], KEY, encrypted_metadata=extras, has_segments=True
    )
    assert extras is not None
    return case | {
        "line": extras.partition(b"\n")[0].decode(),
        "plain": encode_or_digest(content),
        "picture_key": KEY.for_picture(header).to_bytes().hex(),
        "header": header.to_bytes().decode(),
        "encrypted": encode_or_digest(result.tobytes()),
    }


def _protect_picture(case: Case, settings: Protection, key: MasterKey, name: str) -> Case:
    image = make_plain_image(case["label"], case["shape"], case["dtype"])
    result = protect_image(image, key, settings)
    if isinstance(key, Passphrase):
        assert settings.derivation is not None
        key = settings.derivation.derive(key)
    of_picture = None if result.header.salt is None else key.for_picture(result.header)
    return case | {
        "plain": encode_or_digest(write_little(image)),
        "picture_key": None if of_picture is None else of_picture.to_bytes().hex(),
        "header": result.header.to_bytes().decode(),
        name: encode_or_digest(write_little(result.pixels)),
    }


def make_robust(case: Case) -> Case:
    """Return the sheet of a robust picture, and what a damaged one is restored to."""
    plain = make_plain_image(case["label"], case["shape"], "uint8")
    salt = bytes.fromhex(case["salt"])
    result = scramble_robustly(plain, KEY, salt=salt, profile=case["profile"])
    noise = make_plain_bytes(f"damage of {case['label']}", result.samples.size)
    low_bits = (np.frombuffer(noise, np.uint8) & 7).reshape(result.samples.shape)
    damaged_samples = np.bitwise_xor(result.samples, low_bits, dtype=np.uint8)
    restored = unscramble_robustly(damaged_samples, KEY, result.header)
    results: dict[str, AnyArray] = {"plain": plain, "samples": result.samples, "restored": restored}
    shown_values: dict[str, Any] = {
        name: encode_or_digest(array.tobytes()) for name, array in results.items()
    }
    header = result.header.to_bytes().hex()
    return case | shown_values | {"header": header, "sheet": list(result.samples.shape)}


def make_jpegs(case: Case) -> Case:
    """Return a scrambled JPEG file, its coefficients, and its structure in plain form."""
    settings = make_protection("scramble-v1", salt=case["salt"], rounds=case["rounds"])
    data = bytes.fromhex(case["plain"])
    plan = plan_jpeg(data, name="vector", max_pixels=_MOST_PIXELS)
    coefficients = _list_parts(plan.structure.file)  # which scrambling overwrites
    result, header = plan.protect(KEY, settings)
    decoded_file = read_coefficients(result, max_pixels=_MOST_PIXELS)
    back = restore_jpeg(result, open_header(header, KEY), _MOST_PIXELS, name="vector")
    return case | {
        "coefficients": coefficients,
        "structure": back.structure.to_bytes().hex(),
        "picture_key": KEY.for_picture(header).to_bytes().hex(),
        "header": header.to_bytes().decode("ascii"),
        "scrambled_coefficients": [
            encode_or_digest(write_little(plane)) for plane in decoded_file.coefficients
        ],
        "scrambled": result.hex(),
    }


def _list_parts(file: JpegFile) -> list[Any]:
    """Return the blocks of each component, each number as two bytes, the lower one first.

    Of very many blocks, those that repeat are shown once, with how often they come in a row.
    """
    if max(plane.size for plane in file.coefficients) <= 64 * _FEW_BLOCKS:
        return [write_little(plane).hex() for plane in file.coefficients]
    planes = (
        [write_little(block).hex() for block in plane.reshape(-1, 64)]
        for plane in file.coefficients
    )
    return [[[block, len(list(same))] for block, same in groupby(plane)] for plane in planes]


# Make the vectors of described pictures with the package, and those of files that hold headers.


def read_record(still: Still) -> PictureRecord:
    """Return what the package reads of a still and its description."""
    stored_samples = np.frombuffer(still.data, np.dtype(still.dtype).newbyteorder("<"))
    pixels = stored_samples.reshape(still.shape).astype(still.dtype)
    if still.extras is None:
        return PictureRecord(picture=Picture.plain(pixels))
    return parse_description(pixels, still.extras)


def make_pictures(case: Case) -> Case:
    """Return a protected still of the gallery, with the description that the package writes."""
    still = STILLS[case["label"]]
    record = read_record(still)
    names = ("unit", "block_size", "rounds", "context", "salt")
    settings = make_protection(case["scheme"], **{name: case[name] for name in names})
    extras = describe(record)
    assert extras == still.extras
    part = Part(pixels=record.picture.pixels)
    (result,), header = settings.protect([part], KEY, encrypted_metadata=extras)
    frame = {
        "shape": list(still.shape),
        "dtype": still.dtype,
        "plain": encode_or_digest(still.data),
        "protected": encode_or_digest(write_little(result)),
    }
    return case | {
        "line": still.line,
        "blobs": None if still.line is None else still.blobs.hex(),
        "frames": [frame],
        "picture_key": KEY.for_picture(header).to_bytes().hex(),
        "header": header.to_bytes().decode(),
    }


def make_containers() -> list[Case]:
    """Return whole files: those that release 1.0 wrote, which are kept, and those of rows."""
    written_cases = [case for case in load("containers") if case["name"].startswith("written")]
    return written_cases + make_from_rows("containers")
