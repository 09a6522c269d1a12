"""Mutants of single frames, contexts and selections."""

from __future__ import annotations

from tests.vectors.mutants.mutant import mutants_of

_FRAMES = [
    ("booleans of any byte", 'if self.dtype == "bool" and not set(self.data) <= {0, 1}:', "if False:"),
    ("the maps of a picture under a context's label", '"picture/permutation", self.nonce',
     '"master/context", self.nonce'),
    ("maps without their level", '"picture/permutation", self.nonce', '"permutation", self.nonce'),
    ("maps of the public label", '"picture/permutation", self.nonce', '"master/map", self.nonce'),
    ("maps of the salt", '"picture/permutation", self.nonce',
     '"picture/permutation", bytes.fromhex(self.header.salt or "")'),
    ("maps of half of the tag", '"picture/permutation", self.nonce',
     '"picture/permutation", self.nonce[:16]'),
    ("maps of the digits of the tag", '"picture/permutation", self.nonce',
     '"picture/permutation", self.nonce.hex().encode()'),
    ("contexts without their level", 'use, context = "master/context",', 'use, context = "context",'),
    ("contexts under the label of pictures", 'use, context = "master/context",',
     'use, context = "picture/permutation",'),
    ("a context of the text alone", "context_info(shape, self.header, self.nonce)", "self.nonce"),
    ("a context of the first frame's shape", "context_info(shape, self.header, self.nonce)",
     "context_info(self.header.shape, self.header, self.nonce)"),
    ("one map for all groups", 'use = use if group == "main" else f"{use}/{group}"', "pass"),
    ("the main group by its name", 'use = use if group == "main" else f"{use}/{group}"',
     'use = f"{use}/{group}"'),
    ("the group behind the frame", 'use = use if group == "main" else f"{use}/{group}"\n'
     "        return words(subkey(self.key, use_in_frame(use, number), context=context))",
     'use = use_in_frame(use, number) + ("" if group == "main" else f"/{group}")\n'
     "        return words(subkey(self.key, use, context=context))"),
    ("edges exchanged", 'f"{use}/{group}"', 'f"{use}/{dict(right=\'bottom\', bottom=\'right\')[group]}"'),
    ("one map for all frames", "use_in_frame(use, number), context=context", "use, context=context"),
    ("the mask without its level", 'use_in_frame("picture/keystream", number)',
     'use_in_frame("keystream", number)'),
    ("the mask by the label of the extras", 'use_in_frame("picture/keystream", number)',
     'use_in_frame("picture/extras", number)'),
    ("one mask for all frames", 'use_in_frame("picture/keystream", number)', '"picture/keystream"'),
    ("a mask without the tag", "subkey(self.key, use, context=self.nonce), bits",
     "subkey(self.key, use), bits"),
    ("the first frame by its number", 'return use if number == 0 else f"{use}/frame/{number}"',
     'return f"{use}/frame/{number}"'),
    ("frames from 1", 'f"{use}/frame/{number}"', 'f"{use}/frame/{number + 1}"'),
    ("frame numbers of two digits", 'f"{use}/frame/{number}"', 'f"{use}/frame/{number:02}"'),
    ("the last digit of a frame number", 'f"{use}/frame/{number}"', 'f"{use}/frame/{number % 10}"'),
    ("frame numbers in base 16", 'f"{use}/frame/{number}"', 'f"{use}/frame/{number:x}"'),
    ("frames without a word", 'f"{use}/frame/{number}"', 'f"{use}/{number}"'),
    ("selected pixels as a column", "return (1, len(pixels), channels), numbers",
     "return (len(pixels), 1, channels), numbers"),
    ("selected samples as pixels", "return (1, len(pixels), channels), numbers",
     "return (1, len(numbers), 1), numbers"),
    ("selected pixels of one channel", "numbers = [pixel * channels + channel for pixel in pixels "
     "for channel in range(channels)]", "numbers = [channel * (math.prod(shape) // channels) + pixel "
     "for pixel in pixels for channel in range(channels)]"),
    ("bytes of a sample highest first", "return [self.data[i : i + size] for i in range(0, "
     "len(self.data), size)]\n\n\n@dataclass", "return [self.data[i : i + size][::-1] for i in range(0, "
     "len(self.data), size)]\n\n\n@dataclass"),
    ("booleans under a whole byte", 'bits = 1 if frame.dtype == "bool" else frame.bits or 8',
     "bits = frame.bits or 8"),
    ("bits under a whole byte", 'bits = 1 if frame.dtype == "bool" else frame.bits or 8',
     'bits = 1 if frame.dtype == "bool" else 8'),
    ("scrambled samples masked", "if work.header.scheme != ENCRYPT:\n        return samples", ""),
    ("the mask along the whole frame", "    data = work.masked(b\"\".join(samples), bits, number)",
     "    rest = bytes(len(frame.data) - sum(map(len, samples)))\n"
     '    data = work.masked(rest + b"".join(samples), bits, number)[len(rest) :]'),
    ("masked before moved", "    part = move_from([samples[i] for i in numbers], "
     "_sources(shape, work, number))\n    return _with_part(frame, numbers, "
     "_masked(part, frame, work, number))", "    part = _masked([samples[i] for i in numbers], frame, "
     "work, number)\n    part = move_from(part, _sources(shape, work, number))\n"
     "    return _with_part(frame, numbers, part)"),
    ("the inverse map", "    part = move_from([samples[i] for i in numbers], _sources(shape, work, "
     "number))", "    part = move_from([samples[i] for i in numbers], inverse(_sources(shape, work, "
     "number)))"),
    ("restored by the map itself", "move_from(part, inverse(_sources(shape, work, number)))",
     "move_from(part, _sources(shape, work, number))"),
    ("the corner moves", "sources = list(range(math.prod(shape)))\n",
     "sources = list(range(math.prod(shape)))[::-1]\n"),
]  # fmt: skip

_CONTEXTS = [
    ("NFKC", '"NFC"', '"NFKC"'),
    ("NFD", '"NFC"', '"NFD"'),
    ("no normal form", 'unicodedata.normalize("NFC", context)', "context"),
    ("a trimmed text", 'unicodedata.normalize("NFC", context)',
     'unicodedata.normalize("NFC", context).strip()'),
    ("a text in lower case", 'unicodedata.normalize("NFC", context)',
     'unicodedata.normalize("NFC", context).lower()'),
    ("an empty text", "if not context:", "if context is None:"),
    ("surrogates", '.encode("utf-8")', '.encode("utf-8", "surrogatepass")'),
    ("surrogates left out", '.encode("utf-8")', '.encode("utf-8", "ignore")'),
    ("surrogates as question marks", '.encode("utf-8")', '.encode("utf-8", "replace")'),
    ("no rows", "(rows, columns, channels, ", "(columns, channels, "),
    ("no columns", "(rows, columns, channels, ", "(rows, channels, "),
    ("no channels", "(rows, columns, channels, ", "(rows, columns, "),
    ("columns before rows", "(rows, columns, channels, ", "(columns, rows, channels, "),
    ("channels first", "(rows, columns, channels, ", "(channels, rows, columns, "),
    ("one channel", "(rows, columns, channels, ", "(rows, columns, 1, "),
    ("no block size", "header.block_size or 0, header.rounds)", "header.rounds)"),
    ("a block size of 1", "header.block_size or 0", "header.block_size or 1"),
    ("no rounds", "header.block_size or 0, header.rounds)", "header.block_size or 0)"),
    ("rounds before the block size", "header.block_size or 0, header.rounds)",
     "header.rounds, header.block_size or 0)"),
    ("no unit", 'header.unit.encode("ascii") + b"\\x00" + text', 'b"\\x00" + text'),
    ("no zero", 'header.unit.encode("ascii") + b"\\x00" + text', 'header.unit.encode("ascii") + text'),
    ("the text before the unit", 'header.unit.encode("ascii") + b"\\x00" + text',
     'text + b"\\x00" + header.unit.encode("ascii")'),
    ("the text first", 'return b"".join(map(le64, numbers)) + header.unit.encode("ascii") + b"\\x00" '
     "+ text", 'return text + b"\\x00" + b"".join(map(le64, numbers)) + header.unit.encode("ascii")'),
    ("numbers of four bytes", 'b"".join(map(le64, numbers))', 'b"".join(le64(x)[:4] for x in numbers)'),
    ("numbers highest byte first", 'b"".join(map(le64, numbers))',
     'b"".join(le64(x)[::-1] for x in numbers)'),
]  # fmt: skip

_SELECTIONS = [
    ("lengths of four bytes", "MAX_GROUPS = 5", "MAX_GROUPS = 4"),
    ("lengths of six bytes", "MAX_GROUPS = 5", "MAX_GROUPS = 6"),
    ("groups of 7 bits highest first", "number += byte % MORE << shift",
     "number = number * MORE + byte % MORE"),
    ("lengths in more bytes than they need", " or GROUP_BITS * len(written_number(number)) != shift",
     ""),
    ("a length that is cut off", "    if shift:\n        raise", "    if False:\n        raise"),
    ("empty runs", "if not runs or 0 in runs[1:]:", "if not runs:"),
    ("no first empty run", "if not runs or 0 in runs[1:]:", "if not runs or 0 in runs:"),
    ("runs that end before the canvas", "if sum(runs) != canvas.rows * canvas.columns or sum(runs) == 0:",
     "if sum(runs) > canvas.rows * canvas.columns:"),
    ("runs that end behind the canvas", "if sum(runs) != canvas.rows * canvas.columns or sum(runs) == 0:",
     "if sum(runs) < canvas.rows * canvas.columns:"),
    ("a mask on a canvas without pixels", " or sum(runs) == 0", ""),
    ("the first run selected", "if turn % 2:", "if not turn % 2:"),
    ("areas of three canvases", "MAX_COVERS = 4", "MAX_COVERS = 3"),
    ("areas of five canvases", "MAX_COVERS = 4", "MAX_COVERS = 5"),
    ("areas of four canvases less a pixel", "if area > MAX_COVERS", "if area >= MAX_COVERS"),
    ("areas of four canvases and a pixel", "if area > MAX_COVERS * canvas.rows * canvas.columns:",
     "if area > MAX_COVERS * canvas.rows * canvas.columns + 1:"),
    ("any areas", "if area > MAX_COVERS * canvas.rows * canvas.columns:", "if False:"),
    ("the largest area", "area = sum(rows * columns for _, _, rows, columns in regions)",
     "area = max(rows * columns for _, _, rows, columns in regions)"),
    ("regions below the canvas", "if row + rows > canvas.rows or column", "if column"),
    ("regions right of the canvas", " or column + columns > canvas.columns:", ":"),
    ("no regions at the end of the canvas", "if row + rows > canvas.rows or",
     "if row + rows >= canvas.rows or"),
    ("no regions at the right of the canvas", "column + columns > canvas.columns:",
     "column + columns >= canvas.columns:"),
    ("the last region", "for row, column, rows, columns in regions:\n        if",
     "for row, column, rows, columns in regions[-1:]:\n        if"),
    ("corners in place of sizes", "for r in range(row, row + rows):", "for r in range(row, rows):"),
    ("a canvas of the frame's columns", "and (top + r) * canvas.columns + left + c in selected",
     "and (top + r) * n + left + c in selected"),
    ("pixels beyond the right wrap around", "        and left + c < canvas.columns\n", ""),
    ("places not looked at", "top, left = place", "top, left = 0, 0"),
    ("places turned", "top, left = place", "left, top = place"),
    ("pixels column by column", "        for r in range(m)\n        for c in range(n)\n",
     "        for c in range(n)\n        for r in range(m)\n"),
]  # fmt: skip

MUTANTS = (
    *mutants_of("frames", "frames images encryptions regions", _FRAMES),
    *mutants_of("context", "images frames accept reject", _CONTEXTS),
    *mutants_of("selection", "regions accept reject accept_pictures reject_pictures", _SELECTIONS),
)
"""Mutants of single frames, contexts and selections."""
