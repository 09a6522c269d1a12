"""Make the cases of `accept`, `reject` and their kin from rows: what is made, and its one fault.

Each file in `rows` holds groups of cases, with the `fields` of a case in their order, what is alike
in `all` of them, and a row for each. A row holds the fields that are literal, and

- for pictures `make`, the options of `forge.forged`, perhaps beside those of a `base`, and what is
  otherwise in `header`, in the frames at hand and in the keys;
- for texts `text`, in which names in braces stand for other `texts` or for `this` of the row, and
  the value of a `field` of a header, or a `change`: a part of the
  text that occurs once, and what stands there instead.
"""

import json
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from tests.kit.reference import bech32
from tests.kit.reference.fields import decode_base64, encode_base64
from tests.kit.reference.header import BASE64_FIELDS, FIELDS
from tests.kit.reference.hkdf import derive_picture_key, derive_subkey
from tests.vectors import files
from tests.vectors.common import SECRET, Case, alter_bytes, change_text
from tests.vectors.forge import Forged, Options, derive_key, forge_still, make_extras

ROWS = Path(__file__).parent / "rows"


def make_from_rows(kind: str) -> list[Case]:
    """Return the cases of a file of rows."""
    content = json.loads((ROWS / f"{kind}.json").read_text(encoding="ascii"))
    bases = content.get("bases", {})
    texts = {name: _make_text(about, {}) for name, about in content.get("texts", {}).items()}
    return [
        {field: values[field] for field in group["fields"]}
        for group in content["groups"]
        for values in _iterate_cases(group, bases, texts)
    ]


def _iterate_cases(group: Case, bases: Case, texts: dict[str, str]) -> Iterator[Case]:
    """Return all fields of the cases of a group, and perhaps more than they show."""
    make_value = _MAKE[group["what"]]
    for row in group["rows"]:
        given_fields = {"what": group["what"], "fill": None, **group.get("all", {}), **row}
        given_fields["make"] = bases.get(row.get("base"), {}) | row.get("make", {})
        yield {**given_fields, **make_value(given_fields, texts)}


def _make_picture(row: Case, _texts: dict[str, str]) -> Case:
    """Return the fields of a picture of one array."""
    result = forge_still(row["make"])
    frame, plain = result.frame, result.plain
    pixels = row.get("pixels", {})
    samples = plain.data if pixels == "plain" else _change_bytes(frame.data, pixels)
    return {
        **_make_opening_fields(row, result),
        "shape": row.get("shape", list(frame.shape)),
        "dtype": row.get("dtype", frame.dtype),
        "pixels": samples.hex(),
        "plain": plain.data.hex(),
    }


def _make_frames(row: Case, _texts: dict[str, str]) -> Case:
    """Return the fields of a described picture, which has one frame."""
    result = forge_still(row["make"])
    return {
        **_make_opening_fields(row, result),
        "frames": [_make_frame(about, result) for about in row.get("frames", [{}])],
        "plain": [result.plain.data.hex()],
        "extras": None if result.extras is None else result.extras.hex(),
    }


def _make_opening_fields(row: Case, protected: Forged) -> Case:
    """Return the header of a picture, and what it is opened with."""
    options = row["make"]
    of_passphrase = "passphrase" in options
    values: Case = {
        "key": None if of_passphrase else "own",
        "passphrase": options.get("passphrase"),
        "picture_key": None,
        "context": options.get("context"),
    }
    values |= {name: row[name] for name in values if name in row}
    values["key"] = _write_key(values["key"], protected)
    values["picture_key"] = _write_key(values["picture_key"], protected, picture=True)
    header = row.get("header", {})
    return {**values, "header": None if header is None else edit_text(protected, header)}


def _write_key(about: Any, protected: Forged, *, picture: bool = False) -> str | None:
    """Return the text of a key: the `own` one of a picture, or of these bytes."""
    prefix = bech32.PICTURE_KEY_PREFIX if picture else bech32.KEY_PREFIX
    if about is None:
        return None
    if about == "own":
        return bech32.write_key(protected.own_key if picture else protected.master, prefix=prefix)
    if about == "own, in lower case":
        return bech32.write_key(protected.own_key, prefix=prefix).lower()
    if isinstance(about, dict):
        if "of" in about:
            return bech32.write_key(forge_still(about["of"]).own_key, prefix=prefix)
        master, salt = bytes.fromhex(about["master"]), bytes.fromhex(about["salt"])
        return bech32.write_key(derive_picture_key(master, salt), prefix=prefix)
    return bech32.write_key(bytes.fromhex(about), prefix=prefix)


def edit_text(protected: Forged, changes: Options) -> str:
    """Return the header with other fields, and the tag and seal that it had."""
    fields = protected.fields
    if "of" in changes:
        return forge_still(changes["of"]).header.decode("ascii")
    changed = {name: _make_field(name, value, fields) for name, value in changes.items()}
    fields = {name: value for name, value in {**fields, **changed}.items() if value is not None}
    ordered = {name: fields[name] for name in FIELDS if name in fields}
    return json.dumps(ordered, separators=(",", ":"))


def _make_field(name: str, value: Any, fields: Case) -> Any:
    """Return a field of a header: a value, or what is done to the old one."""
    if not isinstance(value, dict):
        return value
    if "field" in value:
        return fields[value["field"]]
    if "of" in value:
        return forge_still(value["of"]).fields[name]
    old_text = fields.get(name, "")
    data = (decode_base64(old_text) or b"") if name in BASE64_FIELDS else bytes.fromhex(old_text)
    data = _change_bytes(data, value)
    return encode_base64(data) if name in BASE64_FIELDS else data.hex()


def _change_bytes(data: bytes, change: Case) -> bytes:
    """Return bytes that are given, or that are altered."""
    return bytes.fromhex(change["bytes"]) if "bytes" in change else alter_bytes(data, change)


def _make_frame(change: Case, protected: Forged) -> Case:
    """Return the frame at hand: the one that was made, perhaps with other shape or samples."""
    frame = protected.frame
    samples = _change_bytes(frame.data, change).hex()
    shape, dtype = change.get("shape", list(frame.shape)), change.get("dtype", frame.dtype)
    return {"shape": shape, "dtype": dtype, "samples": samples}


def _make_text(about: Any, texts: dict[str, str]) -> str:
    """Return a text that stands there, or that is made of something."""
    if isinstance(about, str):
        for name, text in texts.items():
            about = about.replace(f"{{{name}}}", text)
        return str(about)
    if "make" in about:
        return forge_still(about["make"]).header.decode("ascii")
    if "described" in about:
        extras = make_extras(about["described"]) or b""
        return extras.partition(b"\n")[0].decode("ascii")
    locked_part = _seal_row(**about["locked"]) if "locked" in about else b""
    groups = bech32.split_bytes(_change_bytes(locked_part, about)) + about.get("more", [])
    if "bits" in about:
        groups[-1] |= about["bits"]
    text = bech32.encode(about["prefix"], groups)
    return text if about.get("lower") else text.upper()


def _make_row_text(row: Case, texts: dict[str, str]) -> str:
    """Return the text of a row with its change, if it has one."""
    if "this" in row:
        texts = {**texts, "this": _make_text(row["this"], texts)}
    text = _make_text(row["text"], texts)
    if "field" in row:
        text = _replace_field(text, *row["field"])
    if "change" in row:
        text = change_text(text.encode("utf-8"), row["change"]).decode("utf-8")
    return text


def _replace_field(header: str, name: str, value: str) -> str:
    """Return a header with another value, as JSON text, in a field."""
    fields = json.loads(header)
    text_before, _, text_after = header.partition(f'"{name}":')
    old_text = json.dumps(fields[name], separators=(",", ":"))
    return f'{text_before}"{name}":{value}{text_after.removeprefix(old_text)}'


def _make_header(row: Case, texts: dict[str, str]) -> Case:
    return {"header": _make_row_text(row, texts)}


def _make_description(row: Case, texts: dict[str, str]) -> Case:
    """Return the fields of a description alone, with the shortest padding unless it is given."""
    text, blobs, fill_length = _make_row_text(row, texts), row.get("blobs", ""), row["fill"]
    length = len(text) + (0 if fill_length is None else fill_length - 1) + 1 + len(blobs) // 2
    return {"line": text, "blobs": blobs, "padding": row.get("padding", -length % 256)}


def _make_key(row: Case, texts: dict[str, str]) -> Case:
    """Return the fields of a key file, which has bytes if it is not UTF-8."""
    text = _make_row_text(row, texts)
    if "start" not in row and "encoding" not in row:
        return {"content": text, "bytes": None}
    data = bytes.fromhex(row.get("start", "")) + text.encode(row.get("encoding", "utf-8"))
    return {"content": None, "bytes": data.hex()}


def _make_container(row: Case, texts: dict[str, str]) -> Case:
    """Return the bytes of a picture file and of its sidecars, and the header that counts."""
    sidecars = {name: row.get(name) for name in ("named", "beside")}
    built = files.build_file(row["file"], lambda text: _make_text(text, texts).encode("utf-8"))
    contents = {
        name: None if text is None else _make_text(text, texts).encode("utf-8").hex()
        for name, text in sidecars.items()
    }
    return {
        "picture": built.hex(),
        **contents,
        "header": None if row["header"] is None else _make_text(row["header"], texts),
    }


def _seal_row(
    *,
    passphrase: str,
    derivation: str,
    associated: str | None = None,
    nonce: str = "00" * 12,
    use: str | None = "lock",
    secret: str = SECRET.hex(),
) -> bytes:
    """Return a locked key in which one thing may be another, all others made to fit."""
    phrase = unicodedata.normalize("NFC", passphrase).encode("utf-8")
    key = derive_key(phrase, derivation)
    cipher = ChaCha20Poly1305(key if use is None else derive_subkey(key, use))
    associated_bytes = (derivation if associated is None else associated).encode("ascii")
    return cipher.encrypt(bytes.fromhex(nonce), bytes.fromhex(secret), associated_bytes)


_MAKE: dict[str, Callable[[Case, dict[str, str]], Case]] = {
    "picture": _make_picture,
    "frames": _make_frames,
    "header": _make_header,
    "extras": _make_description,
    "key": _make_key,
    "kdf": lambda _row, _texts: {},  # a derivation is a literal text
    "container": _make_container,
}
"""What makes the fields of each kind of case."""
