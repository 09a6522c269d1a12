"""Mutants of the schemes: the steps of protecting and restoring, and the frames at hand."""

from __future__ import annotations

from tests.vectors.mutants.mutant import mutants_of

_WRITING = [
    ("a tag of unmasked extras' seal", "    header = replace(header, extras=extras, tag=tag.hex())\n"
     "    return replace(header, seal=seal_of(header, key).hex())",
     "    whole = replace(header, extras=extras, tag=tag.hex())\n"
     "    header = replace(header, tag=tag.hex())\n"
     "    return replace(whole, seal=seal_of(header, key).hex())"),
    ("the tag over masked extras", "        tag = tag_of(draft, plain, of_picture)\n        work",
     "        tag = tag_of(draft, plain, of_picture)\n        if draft.extras is not None:\n"
     "            masked = replace(draft, extras=masked_extras(draft.extras, of_picture, tag))\n"
     "            tag = tag_of(masked, plain, of_picture)\n        work"),
    ("a random salt for a deterministic one", "replace(draft, salt=salt_of(draft, frames, master).hex())",
     'replace(draft, salt="5" * 32)'),
    ("one picture key for all pictures", "of_picture = picture_key(key, bytes.fromhex(draft.salt or \"\"))",
     "of_picture = picture_key(key, bytes(16))"),
    ("the master key as picture key", "of_picture = picture_key(key, bytes.fromhex(draft.salt or \"\"))",
     "of_picture = key"),
    ("maps by the master key", "work = Work(header=draft, key=of_picture, nonce=tag)",
     "work = Work(header=draft, key=key, nonce=tag)"),
    ("half of the tag for the streams", "work = Work(header=draft, key=of_picture, nonce=tag)",
     "work = Work(header=draft, key=of_picture, nonce=tag[:16])"),
]  # fmt: skip

_READING = [
    ("a context where there is none", "if (header.scheme == CONTEXT) != (context is not None):",
     "if header.scheme == CONTEXT and context is None:"),
    ("a passphrase without a derivation", '        if header.kdf is None:\n            raise RefusedError('
     '"a passphrase for a picture without a key derivation")\n',
     "        if header.kdf is None:\n            return secret.master or bytes(range(32))\n"),
    ("any id", "if header.key_id != key_id(key):", "if len(key) != KEY_BYTES:"),
    ("half of the id", "if header.key_id != key_id(key):", "if header.key_id[:4] != key_id(key)[:4]:"),
    ("the id of a picture key", "        check_key(secret.picture)\n        return secret.picture",
     "        check_key(secret.picture)\n        if header.key_id != key_id(secret.picture):\n"
     '            raise RefusedError("another key")\n        return secret.picture'),
    ("no picture key beside a derivation", "        check_key(secret.picture)\n        return secret.picture",
     "        if header.kdf is not None:\n            raise RefusedError\n        return secret.picture"),
    ("a picture key derived once more", "        check_key(secret.picture)\n        return secret.picture",
     "        return picture_key(secret.picture, bytes.fromhex(header.salt or \"\"))"),
    ("no derived key beside a derivation", "        key = secret.master or b\"\"\n        check_key(key)",
     "        key = secret.master or b\"\"\n        check_key(key if header.kdf is None else b\"\")"),
    ("any seal", "if not hmac.compare_digest(seal_of(header, key), bytes.fromhex(header.seal or \"\")):",
     "if header.seal is None:"),
    ("a seal compared by 4 bytes", "hmac.compare_digest(seal_of(header, key), "
     "bytes.fromhex(header.seal or \"\"))", "hmac.compare_digest(seal_of(header, key)[:4], "
     "bytes.fromhex(header.seal or \"\")[:4])"),
    ("a seal compared by 16 bytes", "hmac.compare_digest(seal_of(header, key), "
     "bytes.fromhex(header.seal or \"\"))", "hmac.compare_digest(seal_of(header, key)[:16], "
     "bytes.fromhex(header.seal or \"\")[:16])"),
    ("a seal compared by 31 bytes", "hmac.compare_digest(seal_of(header, key), "
     "bytes.fromhex(header.seal or \"\"))", "hmac.compare_digest(seal_of(header, key)[:31], "
     "bytes.fromhex(header.seal or \"\")[:31])"),
    ("a seal compared by its last bytes", "hmac.compare_digest(seal_of(header, key), "
     "bytes.fromhex(header.seal or \"\"))", "hmac.compare_digest(seal_of(header, key)[1:], "
     "bytes.fromhex(header.seal or \"\")[1:])"),
    ("any tag", "if not hmac.compare_digest(tag, bytes.fromhex(header.tag or \"\")):",
     "if header.tag is None:"),
    ("a tag compared by 4 bytes", "hmac.compare_digest(tag, bytes.fromhex(header.tag or \"\"))",
     "hmac.compare_digest(tag[:4], bytes.fromhex(header.tag or \"\")[:4])"),
    ("a tag compared by 16 bytes", "hmac.compare_digest(tag, bytes.fromhex(header.tag or \"\"))",
     "hmac.compare_digest(tag[:16], bytes.fromhex(header.tag or \"\")[:16])"),
    ("a tag compared by 31 bytes", "hmac.compare_digest(tag, bytes.fromhex(header.tag or \"\"))",
     "hmac.compare_digest(tag[:31], bytes.fromhex(header.tag or \"\")[:31])"),
    ("a tag compared by its last bytes", "hmac.compare_digest(tag, bytes.fromhex(header.tag or \"\"))",
     "hmac.compare_digest(tag[1:], bytes.fromhex(header.tag or \"\")[1:])"),
    ("a tag for samples alone", "tag = tag_of(header, [frame.data for frame in plain], key)",
     "tag = tag_of(header, [frame.data for frame in plain], key) if header.extras is None else "
     "bytes.fromhex(header.tag or \"\")"),
    ("a tag for scrambling alone", "    tag = tag_of(header, [frame.data for frame in plain], key)\n",
     "    if header.scheme == \"encrypt-v1\":\n        return\n"
     "    tag = tag_of(header, [frame.data for frame in plain], key)\n"),
    ("one round without a header", "rounds=rounds_of_picture([frame.shape for frame in frames], \"pixel\")",
     "rounds=1"),
    ("samples without a header", '        unit="pixel",\n        rounds=rounds_of_picture([frame.shape for '
     'frame in frames], "pixel"),', '        unit="sample",\n        rounds=rounds_of_picture([frame.shape '
     'for frame in frames], "sample"),'),
    ("a context and a picture key", " or of_picture is not None):", "):"),
    ("neither header nor context", '        if context is None or key is None:\n            raise '
     'RefusedError("neither header nor context")', "        context = context or \"x\"\n        key = key "
     'or b""'),
    ("another shape than the header's", "        check_frames(frames, header)\n        header = opened",
     "        header = opened"),
    ("another shape under a context", "context_text(context)\n        check_frames(frames, header)",
     "context_text(context)"),
    ("any samples behind a file", "        file_of_frame(plain[0], meaning[\"file\"][\"size\"])",
     "        pass"),
]  # fmt: skip

_PARTS = [
    ("the canvas of frame 0", 'if meaning is not None and "animation" in meaning:', "if False:"),
    ("the canvas turned", "return Canvas(rows=rows, columns=columns)",
     "return Canvas(rows=columns, columns=rows)"),
    ("the canvas of an animation turned", 'Canvas(rows=animation["rows"], columns=animation["columns"])',
     'Canvas(rows=animation["columns"], columns=animation["rows"])'),
    ("no places", 'frame.get("place", (0, 0)) for frame in described', "(0, 0) for frame in described"),
    ("the place of frame 0", 'frame.get("place", (0, 0)) for frame in described',
     '(0, 0) if frame is described[0] else frame.get("place", (0, 0)) for frame in described'),
    ("rounds of frame 0", "for shape, chosen in zip(shapes, pixels or [None for _ in shapes], "
     "strict=True):", "for shape, chosen in list(zip(shapes, pixels or [None for _ in shapes]))[:1]:"),
    ("rounds of the last frame", "for shape, chosen in zip(shapes, pixels or [None for _ in shapes], "
     "strict=True):", "for shape, chosen in list(zip(shapes, pixels or [None for _ in shapes]))[-1:]:"),
    ("rounds of whole frames", "        if chosen is None:\n", "        if True:\n"),
    ("frames without selection count", "        elif chosen:\n", "        else:\n"),
    ("selected samples count as pixels", "group_sizes((1, len(chosen), channels), unit)",
     "group_sizes((1, len(chosen)), unit)"),
    ("another type at hand", " or frames[0].dtype != header.dtype:", ":"),
    ("another shape at hand", "if frames[0].shape != header.shape or", "if"),
    ("another number of samples at hand", "frames[0].shape != header.shape",
     "len(frames[0].data) != len(frames[0].data)"),
    ("several frames without a description", "        if len(frames) > 1:\n            raise RefusedError("
     '"several frames without a description")\n', ""),
    ("any scheme for any description", "    description.check_suits(meaning, header)\n", ""),
    ("any frames for a description", "    if at_hand != [(frame[\"shape\"], frame[\"dtype\"]) for frame in "
     "meaning[\"frames\"]]:", "    if len(at_hand) != len(meaning[\"frames\"]):"),
    ("any types for a description", "at_hand = [(list(frame.shape), frame.dtype) for frame in frames]\n"
     "    if at_hand != [(frame[\"shape\"], frame[\"dtype\"]) for",
     "at_hand = [list(frame.shape) for frame in frames]\n    if at_hand != [frame[\"shape\"] for"),
    ("frames more than described", "    if at_hand != [(frame", "    if at_hand[: len(meaning["
     "\"frames\"])] != [(frame"),
    ("frames less than described", "for frame in meaning[\"frames\"]]:",
     "for frame in meaning[\"frames\"]][: len(frames)]:"),
    ("bits of frame 0", 'replace(frame, bits=about.get("bits"))',
     'replace(frame, bits=meaning["frames"][0].get("bits"))'),
    ("no bits", 'replace(frame, bits=about.get("bits"))', "frame"),
]  # fmt: skip

MUTANTS = (
    *mutants_of("pictures", "encryptions frames", _WRITING),
    *mutants_of("pictures", "reject reject_pictures accept accept_pictures", _READING),
    *mutants_of("parts", "rounds regions frames reject_pictures reject accept_pictures", _PARTS),
)
"""Mutants of the schemes."""
