"""What the vectors say, asked of the reference: each case agrees, or an error shows where not.

Nothing of the package is imported here. `replay_parts` holds the kinds that a writer must produce
step by step, and this module those of whole pictures and of what readers accept and refuse.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.kit.reference import (
    RefusedError,
    bech32,
    cards,
    containers,
    description,
    kdf,
    locked,
    pictures,
    rows,
)
from tests.kit.reference import header as headers
from tests.kit.reference.files import file_of_frame
from tests.kit.reference.frames import Frame
from tests.kit.reference.hkdf import picture_key
from tests.kit.reference.parts import pixels_of_frames, rounds_of_picture
from tests.kit.replay_jpegs import check_accepted, check_jpeg, check_rejected
from tests.kit.replay_parts import (
    MAKERS,
    SECRET,
    agree,
    described,
    draft_of,
    filled,
    hex_or_digest,
    plain_of,
    selection_of,
)
from tests.kit.replay_redactions import check_redaction, check_rejected_redaction

Case = dict[str, Any]
VECTORS = Path(__file__).parent / "vectors"


@cache
def load(kind: str, folder: Path = VECTORS) -> list[Case]:
    """Return the cases of one file of vectors."""
    content = (folder / f"{kind}.json").read_text(encoding="ascii")
    cases: list[Case] = json.loads(content)["cases"]
    return cases


def _draft(case: Case, frames: list[Frame], secret: bytes, extras: bytes | None = None) -> Any:
    """Return the draft of the header of a case, with the rounds that it states or the default."""
    same = {name: case.get(name) for name in ("scheme", "unit", "block_size", "kdf", "salt")}
    selection = selection_of(case)
    draft = draft_of(frames[0], secret, **same, **selection, extras=extras)
    if case["rounds"] is not None:
        return replace(draft, rounds=case["rounds"])
    meaning = None if extras is None else description.read(extras)
    shapes = [frame.shape for frame in frames]
    chosen = pixels_of_frames(shapes, draft, meaning)
    rounds = rounds_of_picture(shapes, draft.unit, block_size=draft.block_size, pixels=chosen)
    return replace(draft, rounds=rounds)


def _made(frames: list[Frame], draft: Any, case: Case, secret: bytes) -> list[Frame]:
    """Protect the frames of a case, compare the header, and restore them with every key."""
    context = case.get("context")
    result, header = pictures.protect_picture(frames, draft, key=secret, context=context)
    agree("header", header.decode("ascii"), case["header"])
    keys: list[Case] = [{"key": secret}]
    if context is None:
        of_picture = picture_key(secret, bytes.fromhex(json.loads(header)["salt"]))
        agree("picture key", of_picture.hex(), case.get("picture_key") or of_picture.hex())
        keys.append({"of_picture": of_picture})
    bare = [replace(frame, bits=None) for frame in result]
    for key in keys:
        back, meaning = pictures.restore_picture(bare, header, context=context, **key)
        agree("restored frames", [f.data for f in back], [f.data for f in frames])
        extras = None if meaning is None else description.write(meaning)
        agree("description", extras, draft.extras)
        if meaning is not None and "file" in meaning:
            size = meaning["file"]["size"]
            agree("file", file_of_frame(back[0], size), frames[0].data[:size])
    return result


def _image(case: Case) -> None:
    scheme = "scramble-v1" if case["context"] is None else "scramble-context-v1"
    frame = Frame(shape=tuple(case["shape"]), dtype=case["dtype"], data=plain_of(case))
    draft = _draft({"scheme": scheme, **case}, [frame], SECRET)
    (result,) = _made([frame], draft, case, SECRET)
    agree("scrambled", hex_or_digest(result.data), case["scrambled"])


def _encryption(case: Case) -> None:
    secret = SECRET
    if case["passphrase"] is not None:
        secret = kdf.derive(case["passphrase"], case["kdf"])
    given = {"scheme": "encrypt-v1", "unit": "pixel", "block_size": None, **case}
    frame = Frame(shape=tuple(case["shape"]), dtype=case["dtype"], data=plain_of(case))
    (result,) = _made([frame], _draft(given, [frame], secret), case, secret)
    agree("encrypted", hex_or_digest(result.data), case["encrypted"])


def _picture(case: Case) -> None:
    extras = None
    if case["line"] is not None:
        bare = case["line"].encode("ascii") + b"\n" + bytes.fromhex(case["blobs"])
        extras = bare + bytes(-len(bare) % 256)
        agree("extras", description.write(description.read(extras)), extras)
    frames = [
        Frame(shape=tuple(f["shape"]), dtype=f["dtype"], data=bytes.fromhex(f["plain"]))
        for f in case["frames"]
    ]
    result = _made(frames, _draft(case, frames, SECRET, extras), case, SECRET)
    shown = [hex_or_digest(frame.data) for frame in result]
    agree("protected frames", shown, [f["protected"] for f in case["frames"]])


def _secrets(case: Case) -> Case:
    """Return the secrets of a case that is read, as arguments."""
    key, of_picture = case.get("key"), case.get("picture_key")
    prefix = bech32.PICTURE_KEY_PREFIX
    return {
        "key": None if key is None else bech32.key_from_text(key),
        "passphrase": case.get("passphrase"),
        "of_picture": of_picture and bech32.key_from_text(of_picture, prefix=prefix),
        "context": case["context"],
    }


def _read(case: Case) -> Any:
    """Return what a case of a picture, key, header, description or derivation gives."""
    match case.get("what"):
        case "key":
            return _read_key(case)
        case "header":
            return headers.read(filled(case["header"], case["fill"]).encode("utf-8"))
        case "extras":
            return description.read(b"\n".join(described(case)))
        case "kdf":
            return kdf.parse(case["text"])
    header = None if case["header"] is None else case["header"].encode("utf-8")
    frames = [
        Frame(shape=tuple(f["shape"]), dtype=f["dtype"], data=bytes.fromhex(f["samples"]))
        for f in case.get("frames") or [{**case, "samples": case["pixels"]}]
    ]
    return pictures.restore_picture(frames, header, **_secrets(case))


def _read_key(case: Case) -> bytes:
    data = case["content"].encode() if case.get("bytes") is None else bytes.fromhex(case["bytes"])
    if case["passphrase"] is not None:
        return locked.unlock(data, case["passphrase"])
    of_picture = case.get("level") == "picture"
    prefix = bech32.PICTURE_KEY_PREFIX if of_picture else bech32.KEY_PREFIX
    return bech32.key_from_file(data, prefix=prefix)


def _accept(case: Case) -> None:
    try:
        result = _read(case)
    except RefusedError as error:
        raise AssertionError(f"refused: {error}") from error
    if case.get("what") == "key":
        agree("key", result.hex(), case["secret"])
    elif case.get("what") == "picture":
        agree("plain", [frame.data.hex() for frame in result[0]], [case["plain"]])
    elif "frames" in case:
        frames, meaning = result
        agree("plain frames", [frame.data.hex() for frame in frames], case["plain"])
        if case["extras"] is None:
            agree("description", meaning, None)
        else:
            agree("description", meaning, description.read(bytes.fromhex(case["extras"])))


def _reject(case: Case) -> None:
    try:
        _read(case)
    except RefusedError:
        return
    raise AssertionError("accepted")


def _container(case: Case) -> None:
    files = {
        name: None if case[name] is None else bytes.fromhex(case[name])
        for name in ("named", "beside")
    }
    try:
        result = containers.header_that_counts(bytes.fromhex(case["picture"]), **files)
        if result is not None:
            headers.read(result)
    except RefusedError as error:
        if not case["refused"]:
            raise AssertionError(f"refused: {error}") from error
        return
    agree("refused", False, case["refused"])
    agree("header", result and result.decode("ascii"), case["header"])


def _header_rows(case: Case) -> None:
    stored, plain = case["stored"], case["plain"]
    result = rows.read(_pixels(stored), stored["bits"])
    if result is None:
        agree("header", None, case["header"])
        return
    header, above, channels, bits = result
    agree("header", header.decode(), case["header"])
    agree("plain", (above, channels, bits), (_pixels(plain), plain["channels"], plain["bits"]))
    if case["name"].startswith("written"):
        actual = above + rows.rows(header, stored["columns"], channels, bits)
        agree("stored", actual, _pixels(stored))


def _pixels(shown: Case) -> rows.Pixels:
    data, size, channels = bytes.fromhex(shown["samples"]), shown["bits"] // 8, shown["channels"]
    samples = [int.from_bytes(data[i : i + size]) for i in range(0, len(data), size)]
    pixels = [tuple(samples[i : i + channels]) for i in range(0, len(samples), channels)]
    columns = shown["columns"]
    return [pixels[i : i + columns] for i in range(0, len(pixels), columns)]


def _card(case: Case) -> None:
    numbers = case["numbers"]
    if numbers is not None:
        agree("numbers", [str(cards.number_of(text)) for text in case["grids"]], numbers)
    try:
        key = cards.read_card(case["grids"])
    except RefusedError:
        agree("refused", None, case["key"])
        return
    agree("key", key.hex(), case["key"])
    agree("check", cards.check(key), case["check"])


CHECKS: dict[str, Callable[[Case], None]] = {
    **MAKERS,
    "images": _image,
    "encryptions": _encryption,
    **dict.fromkeys(("frames", "regions"), _picture),
    **dict.fromkeys(("accept", "accept_pictures"), _accept),
    **dict.fromkeys(("reject", "reject_pictures"), _reject),
    "containers": _container,
    "cards": _card,
    "header_rows": _header_rows,
    "jpegs": check_jpeg,
    "accept_jpegs": check_accepted,
    "reject_jpegs": check_rejected,
    "redactions": check_redaction,
    "reject_redactions": check_rejected_redaction,
}
"""The check of each kind of vectors, by the name of its file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask the reference all vectors, or those of some files, and print where it disagrees."""
    parser = argparse.ArgumentParser(description="Compare the reference with the vectors.")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="files of vectors (default: all)")
    failures = 0
    for kind in parser.parse_args(arguments).kinds or CHECKS:
        cases = load(kind)
        for case in cases:
            try:
                CHECKS[kind](case)
            except (AssertionError, RefusedError) as error:
                failures += 1
                print(ascii(f"{kind}: {case.get('name') or case.get('label')}: {error}")[1:-1])
        print(f"{kind}: {len(cases)} cases", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
