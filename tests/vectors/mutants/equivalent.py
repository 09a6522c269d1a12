"""Mutants that no vector can kill, each with the reason."""

from __future__ import annotations

from tests.vectors.mutants.mutant import Mutant

_LAST = "what it lets pass is refused all the same, since it must be what is written for it"
_ONE = "all refusals are one, so their order cannot be told from outside"
_FAR = "it would take more than 2^38 bytes of a stream"

_CHANGES = [
    ("hkdf", "no salt as an empty key", "bytes(HASH_BYTES) if salt is None else salt",
     'b"" if salt is None else salt', "keys",
     "HMAC fills a short key with zeros, and so an empty one like one of 32 zeros"),
    ("chacha20", "what is beyond the stream left as it is", "if len(combined) < len(data):",
     "if False:", "encryptions", _FAR),
    ("header", "another version read", '    require(fields.get("sudokucrypt") == VERSION, "another '
     'version")\n', "", "accept reject", _LAST),
    ("header", "unknown fields read", '    require(set(fields) <= set(FIELDS), "unknown field")\n', "",
     "accept reject", _LAST),
    ("fields", "base64 of any letters", ", validate=True", "", "accept reject", _LAST),
    ("header", "the length looked at once", '    require(len(data) <= MAX_HEADER_BYTES, "too long")\n    '
     "try:", "    try:", "accept reject", "the length is looked at again behind the reading"),
    ("bech32", "any characters", 'if not all(33 <= ord(c) <= 126 for c in text):',
     "if not all(32 <= ord(c) <= 126 for c in text):", "accept reject",
     "neither the prefix of a key nor its data has such a character"),
    ("bech32", "keys of any length of the text", "if limit is not None and len(text) > limit:",
     "if False:", "accept reject", "the bytes of a key have one length, and so has its text"),
    ("kdf", "the form alone", "match = _FORM.fullmatch(text) if is_readable(text) else None",
     "match = _FORM.fullmatch(text)", "accept reject",
     "numbers within the limits are shorter than those that a reader of headers takes"),
    ("selection", "rows below the canvas looked up", "        if top + r < canvas.rows\n        and left",
     "        if left", "regions", "the places below the canvas are in no selection"),
    ("description", "the line looked at once", '    require(bool(feed), "no line feed")\n    require(len('
     'line) <= MAX_LINE_BYTES, "the line is too long")', '    require(bool(feed), "no line feed")',
     "accept reject", "its length is looked at again when it is written"),
    ("description", "readable before the file", '    "file": Optional(FILE),\n    "readable": '
     'Optional(Value(is_readable)),\n', '    "readable": Optional(Value(is_readable)),\n    "file": '
     'Optional(FILE),\n', "accept", "a file has no readable copies"),
    ("grammar", "pairs of three", "len(value) == 2,", "len(value) > 1,", "reject", _LAST),
    ("description", "a carriage return", 'extras.partition(b"\\n")',
     'extras.replace(b"\\r\\n", b"\\n", 1).partition(b"\\n")', "reject", _LAST),
    ("description", "blobs of one byte more", "length <= len(blobs) - place, ",
     "length <= len(blobs) - place + 1, ", "accept reject", _LAST),
    ("description", "no line feed", '    require(bool(feed), "no line feed")\n', "", "reject",
     "what is written has one, so extras without it are not in the one form"),
    ("pictures", "extras unmasked before the seal", "        check_seal(header, work_key)\n        nonce = "
     'bytes.fromhex(header.tag or "")\n        check_frames(frames, header)\n        header = opened('
     "header, work_key)", "        nonce = bytes.fromhex(header.tag or \"\")\n        check_frames(frames, "
     "header)\n        sealed, header = header, opened(header, work_key)\n        check_seal(sealed, "
     "work_key)", "reject reject_pictures", _ONE),
    ("pictures", "the description read before the seal", "        check_seal(header, work_key)\n        "
     'nonce = bytes.fromhex(header.tag or "")\n', "        described_frames(frames, opened(header, work_key"
     "))\n        check_seal(header, work_key)\n        nonce = bytes.fromhex(header.tag or \"\")\n",
     "reject reject_pictures", _ONE),
    ("pictures", "no context where there must be one", "if (header.scheme == CONTEXT) != (context is not "
     "None):", "if header.scheme != CONTEXT and context is not None:", "reject",
     "a header under a context has neither salt nor seal, which the steps without one need"),
    ("pictures", "a context and a passphrase", "(key is None or passphrase is not None or of_picture",
     "(key is None or of_picture", "reject", "a header under a context has no derivation"),
    ("pictures", "a deterministic salt under a passphrase", '    if draft.kdf is not None:\n        raise '
     'RefusedError("a deterministic salt under a passphrase")\n', "", "images encryptions",
     "a writer's refusal: no vector holds what must not be made"),
    ("pictures", "frames of another shape protected", "    _check_context(draft, context)\n    check_frames("
     "frames, draft)\n", "    _check_context(draft, context)\n", "images frames",
     "a writer's refusal: no vector holds what must not be made"),
    ("frames", "any length of the data", "if len(self.data) != math.prod(self.shape) * size:",
     "if False:", "images frames", "frames at hand are arrays, whose bytes fit their shape"),
    ("containers", "only the entity for quotes", '{b"&lt;": b"<", b"&gt;": b">", b"&quot;": b\'"\', '
     'b"&apos;": b"\'", b"&amp;": b"&"}', '{b"&quot;": b\'"\'}', "containers",
     "no header that is taken has one of the other letters"),
    ("containers", "headers of any length within", "len(header) <= MAX_HEADER_BYTES and printable",
     "printable", "containers",
     "the header that counts is measured again; to tell the other case a vector would hold a file "
     "of 32 MiB beside a sidecar"),
]  # fmt: skip

MUTANTS = [
    Mutant(name=f"{module}: {what}", module=module, old=old, new=new, killers=killers, reason=reason)
    for module, what, old, new, killers, reason in _CHANGES
]
"""Mutants that no vector can kill."""
