"""Read and write links of f-puzzles, SudokuPad and others, with their JSON and compression.

Links are compressed to base64 like in the JavaScript library lz-string 1.5.0. Strings are coded by
LZ78 over UTF-16 units: codes 0 and 1 announce a new unit of 8 or 16 bits, code 2 is the end, and
each code has as many bits as the size of the dictionary needs. The bits of a code are written
lowest first, and fill characters of 6 bits from the highest bit.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations, islice
from typing import Any
from urllib.parse import quote, unquote

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats import fpuzzles
from sudokucrypt.sudoku.formats.contract import (
    MAX_CHARACTERS,
    PuzzleFormat,
    StoredPuzzle,
    add_metadata,
    add_pencil_marks,
    add_solution,
    add_typed_digits,
    label_parts,
    load_json,
)
from sudokucrypt.sudoku.formats.fpuzzles import MAX_BOARD_ROWS, RULES_BY_FLAG, make_board_variant
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.constraints import Constraint
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle

# The Base64 alphabet.
_BASE64_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_SYMBOL_VALUES = {symbol: value for value, symbol in enumerate(_BASE64_ALPHABET)}
_MAX_SYMBOLS = 2**15  # real puzzles have a few thousand; decoding the maximum takes 0.1 s
# The code that ends a text.
_END_CODE = 2


def _split_utf16_units(text: str) -> list[str]:
    """Return the UTF-16 units of a text."""
    encoded_text = text.encode("utf-16-le", "surrogatepass")
    return [
        chr(int.from_bytes(encoded_text[start : start + 2], "little"))
        for start in range(0, len(encoded_text), 2)
    ]


def compress(text: str) -> str:
    """Return the base64 of a compressed text.

    >>> decompress(compress("hello hello hello"))
    'hello hello hello'
    """
    bits: list[int] = []

    def append_bits(value: int, width: int) -> None:
        bits.extend(value >> shift & 1 for shift in range(width))

    codes: dict[str, int] = {}
    unwritten_units: set[str] = set()  # units that have a code but have not been written yet
    next_code, used_code_count = 3, 2  # the number of used codes decides the bits of the next code
    current_word = ""

    def append_word(word: str) -> None:
        nonlocal used_code_count
        if word in unwritten_units:
            unwritten_units.discard(word)
            needs_16_bits = ord(word) > 255
            append_bits(int(needs_16_bits), used_code_count.bit_length())
            append_bits(ord(word), 16 if needs_16_bits else 8)
            used_code_count += 1
        else:
            append_bits(codes[word], used_code_count.bit_length())
        used_code_count += 1

    for unit in _split_utf16_units(text):
        if unit not in codes:
            codes[unit] = next_code
            next_code += 1
            unwritten_units.add(unit)
        if current_word + unit in codes:
            current_word += unit
            continue
        append_word(current_word)
        codes[current_word + unit] = next_code
        next_code += 1
        current_word = unit
    if current_word:
        append_word(current_word)
    append_bits(_END_CODE, used_code_count.bit_length())
    bits += [0] * (6 - len(bits) % 6)
    symbols = "".join(
        _BASE64_ALPHABET[int("".join(map(str, bits[start : start + 6])), 2)]
        for start in range(0, len(bits), 6)
    )
    return symbols + "=" * (-len(symbols) % 4)


def decompress(text: str) -> str:
    """Return the decompressed text; raise `InvalidGridError` if it is damaged or too long."""
    # In the query of an address, a plus sign may have been changed to a blank.
    symbols = text.replace(" ", "+").rstrip("=")
    if len(symbols) > _MAX_SYMBOLS or not set(symbols) <= _SYMBOL_VALUES.keys():
        raise InvalidGridError("the link is damaged, or too long for a puzzle")
    try:
        units = "".join(_iterate_decoded_texts(_iterate_bits(symbols)))
        return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except (StopIteration, RuntimeError, UnicodeDecodeError, ValueError, IndexError):
        raise InvalidGridError("the link is damaged: it cannot be decompressed") from None


def _iterate_bits(symbols: str) -> Iterator[int]:
    for symbol in symbols:
        value = _SYMBOL_VALUES[symbol]
        yield from (value >> shift & 1 for shift in range(5, -1, -1))


def _iterate_decoded_texts(bits: Iterator[int]) -> Iterator[str]:
    """Decode the codes in a stream of bits, and yield the dictionary entry for each code."""

    def read_number(width: int) -> int:
        return sum(next(bits) << shift for shift in range(width))

    words, used_code_count, text_length = ["", "", ""], 3, 0
    previous_word = ""
    while True:
        code = read_number(used_code_count.bit_length())
        if code == _END_CODE:
            return
        if code < _END_CODE:
            words.append(chr(read_number(16 if code else 8)))
            code = len(words) - 1
            used_code_count += bool(previous_word)
        if code > len(words) or (code == len(words) and not previous_word):
            raise ValueError(code)
        word = words[code] if code < len(words) else previous_word + previous_word[0]
        yield word
        text_length += len(word)
        if text_length > MAX_CHARACTERS:
            raise ValueError(text_length)
        if previous_word:
            words.append(previous_word + word[0])
        used_code_count += 1
        previous_word = word


# SudokuPad's own links contain drawings in JSON, without quotes and with short keys.

# Digits, regions and cages are read. Lines and shapes are refused, since only the rules in words
# explain their meaning. Rules in words beyond ordinary Sudoku become a note.

_LONG_KEYS = {"ca": "cages", "ce": "cells", "a": "arrows", "o": "overlays", "u": "underlays",
         "l": "lines", "v": "value", "re": "regions", "t": "title"}  # fmt: skip
_DRAWING_KEYS = ("lines", "arrows", "overlays", "underlays", "foglight", "triggereffect")
_JSON_TOKEN = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[\[\]{},:]|[^\[\]{},:'\"]+")
_SHORT_VALUES = {"t": "true", "f": "false"}
# Rules in words that say more than the rules of ordinary puzzles.
_EXTRA_RULES = re.compile(r"^(?!\s*(normal )?sudoku rules apply\W*$)\s*\S", re.IGNORECASE)
_CAPTION = re.compile(
    r"(title|author|rules|solution|antiknight|antiking):\s*(.*)", re.DOTALL | re.IGNORECASE
)


def expand_json(text: str) -> str:
    """Return a link's JSON with its omitted quotes, long keys and empty objects restored."""
    tokens = _JSON_TOKEN.findall(text[:MAX_CHARACTERS]) or ["{"]  # makes empty text damaged JSON
    expanded_tokens: list[str] = []
    for lexeme, next_lexeme in zip(tokens, [*tokens[1:], ""], strict=True):
        if lexeme[0] in "'\"":
            plain = re.sub(r"\\(['\"\\])", r"\1", lexeme[1:-1]).replace("\\n", "\n")
            expanded_tokens.append(json.dumps(plain))
        elif lexeme in "[]{}:,":
            expanded_tokens.append(lexeme)
            if lexeme in "[," and next_lexeme in (",", "]"):
                expanded_tokens.append("{}")
        elif next_lexeme == ":":
            expanded_tokens.append(json.dumps(_LONG_KEYS.get(lexeme, lexeme)))
        else:
            is_number = re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", lexeme)
            expanded_tokens.append(
                lexeme if is_number else _SHORT_VALUES.get(lexeme, json.dumps(lexeme))
            )
    return "".join(expanded_tokens)


def load_drawing(text: str) -> StoredPuzzle:
    """Return the puzzle of a drawing in JSON, in which quotes may be missing."""
    return parse_drawing(
        load_json(text if text.startswith('{"') else expand_json(text), "a SudokuPad puzzle")
    )


def parse_drawing(fields: Any) -> StoredPuzzle:
    """Return the puzzle of a drawing; raise `InvalidGridError` for unsupported shapes."""
    rows = fields.get("cells") if isinstance(fields, dict) else None
    size = len(rows) if isinstance(rows, list) else 0
    if (
        not rows
        or size > MAX_BOARD_ROWS
        or not all(isinstance(r, list) and len(r) == size for r in rows)
    ):
        raise InvalidGridError(f"the link has no square of 1 to {MAX_BOARD_ROWS} rows")
    for key in _DRAWING_KEYS:
        if fields.get(key):
            raise InvalidGridError(
                f"the link contains {key}, whose meaning is explained only by rules in words",
                hint="f-puzzles links hold rules that a program can read",
            )
    captions = dict(_iterate_captions(fields))
    cages = [_read_cage(cage, size) for cage in _list_entries(fields, "cages") if cage.get("cells")]
    variant = make_board_variant(size, _label_regions(fields.get("regions") or [], size))
    for key in ("antiknight", "antiking"):
        if captions.get(key) not in (None, "false"):
            variant = RULES_BY_FLAG[key].add_rule_to(variant)
    values = [cell.get("value") or 0 if isinstance(cell, dict) else -1 for r in rows for cell in r]
    for cell, value in enumerate(values):
        if (
            type(value) not in (int, str)
            or not re.fullmatch("[0-9]{1,2}", str(value))
            or int(value) > size
        ):
            raise InvalidGridError(
                f"{get_cell_name(*divmod(cell, size))} of the link is not 1 to {size}"
            )
    rules = [cage for cage in cages if cage]
    puzzle = SudokuPuzzle(
        [int(value) for value in values], variant.with_constraints(*rules) if rules else variant
    )
    rules_text = captions.get("rules", "")
    notes = (
        (f"rules in words are not applied: {rules_text[:300]!r}",)
        if _EXTRA_RULES.search(rules_text)
        else ()
    )
    stored_puzzle = add_metadata(StoredPuzzle(puzzle, notes=notes), captions)
    return add_solution(stored_puzzle, captions.get("solution"))


def _list_entries(fields: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = fields.get(key) or []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise InvalidGridError(f"the {key} of the link are damaged")
    return value


def _iterate_captions(fields: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names and values of metadata, which older puzzles store in cages without cells."""
    for cage in _list_entries(fields, "cages"):
        match = (
            _CAPTION.match(str(cage.get("value", ""))[:10_000]) if not cage.get("cells") else None
        )
        if match:
            yield match[1].lower(), match[2]
    metadata = fields.get("metadata")
    for key, value in metadata.items() if isinstance(metadata, dict) else ():
        if isinstance(value, str | bool):
            yield key, value if isinstance(value, str) else str(value).lower()


def _number_cells(cells: object, size: int) -> list[int]:
    """Return the numbers of cells that are given as pairs of row and column, from 0."""
    is_valid = isinstance(cells, list) and all(
        isinstance(c, list) and len(c) == 2 and all(type(n) is int and 0 <= n < size for n in c)
        for c in cells
    )
    if not isinstance(cells, list) or not is_valid:
        raise InvalidGridError("the link has a cell outside the grid")
    return [row * size + column for row, column in cells]


def _read_cage(cage: dict[str, Any], size: int) -> Constraint | None:
    """Return the constraint of a cage, or None if it only marks cells without a rule."""
    value = str(cage.get("value") or 0)
    if not (value.isascii() and value.isdecimal() and len(value) < 4):
        raise InvalidGridError(f"the cage {value[:20]!r} of the link is no sum")
    is_distinct = cage.get("unique") not in (False, "false")
    cells = tuple(_number_cells(cage["cells"], size))
    if not is_distinct and not int(value):
        return None
    return Constraint("killer" if is_distinct else "sum", cells, int(value))


def _label_regions(regions: object, size: int) -> list[int] | None:
    """Return the number of the region of each cell, or -1 without region."""
    if not isinstance(regions, list) or len(regions) > size * size:
        raise InvalidGridError("the regions of the link are damaged")
    labels = [-1] * (size * size)
    for region, cells in enumerate(regions):
        for cell in _number_cells(cells, size):
            labels[cell] = region
    return labels if regions else None


# Links: f-puzzles, SudokuPad and SudokuWiki.

_LINK = re.compile(r"(https?://)?([^/?#:\s]+)(?::[0-9]+)?((?:[/?#]\S*)?)", re.IGNORECASE)
_CLASSIC_SYMBOLS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SUDOKUPAD_HOSTS = ("sudokupad.app", "crackingthecryptic.com", "svencodes.com")
# The hosts of links that are recognized without https:// too.
_HOSTS = (*_SUDOKUPAD_HOSTS, "f-puzzles.com", "sudokuwiki.org", "tinyurl.com")
_CELL_DIGITS = re.compile(r"(?<![0-9.])[0-9.]{81}(?![0-9.])")
_MIN_PACKED_LENGTH = 64  # characters of a packed puzzle; a shorter text is the name of a page
_MAX_REPAIRS = 64  # the number of places that are tried for a lost slash


def _get_host(name: str) -> str:
    return ".".join(name.lower().split(".")[-2:])


def _is_link(text: str) -> bool:
    match = _LINK.fullmatch(text.split(maxsplit=1)[0]) if text[:200].strip() else None
    return match is not None and (match[1] is not None or _get_host(match[2]) in _HOSTS)


def _read_link(link: str) -> StoredPuzzle:
    match = _LINK.fullmatch(link)
    if match is None:
        raise InvalidGridError(f"{link[:40]!r} is not a link to a puzzle")
    host, path = _get_host(match[2]), match[3]
    # The packed puzzle may be preceded by the name of a page and followed by settings.
    packed_text = re.sub(r"^/?(sudoku/?|puzzle/?)?(\?puzzleid=)?|[?&#].*", "", unquote(path))
    read_packed_text = next(
        (
            _READERS_BY_PREFIX[prefix]
            for prefix in _READERS_BY_PREFIX
            if packed_text.startswith(prefix)
        ),
        None,
    )
    load = re.search(r"[?&]load=([^&#]+)", path)
    if host == "f-puzzles.com" and load:
        packed_text, read_packed_text = (
            f"fpuzzles{unquote(load[1])}",
            _READERS_BY_PREFIX["fpuzzles"],
        )
    elif host not in _SUDOKUPAD_HOSTS:
        read_packed_text = None
    try:
        if read_packed_text:
            return read_packed_text(packed_text)
        if board_match := re.search(r"[?&]bd=(S9B[^&#]*)", path):
            return _read_sudokuwiki_board(board_match[1])
        if cells := _CELL_DIGITS.search(unquote(path)):
            return StoredPuzzle(SudokuPuzzle.from_text(cells[0]))
    except InvalidGridError:
        if len(packed_text) >= _MIN_PACKED_LENGTH or not read_packed_text:
            raise
    raise InvalidGridError(
        f"the address {link[:60]!r} does not contain its puzzle",
        hint="open the page and copy its long link or its 81 cells; nothing is fetched from here",
    )


def _unpack_puzzle(packed_text: str, parse_text: Callable[[str], StoredPuzzle]) -> StoredPuzzle:
    """Return the puzzle of a packed text, even if a program replaced two slashes by one."""
    try:
        return parse_text(decompress(packed_text))
    except InvalidGridError:
        slash_indexes = [index for index, symbol in enumerate(packed_text) if symbol == "/"]
        lost_slash_count = -len(packed_text) % 4
        for positions in (
            islice(combinations(slash_indexes, lost_slash_count), _MAX_REPAIRS)
            if lost_slash_count
            else ()
        ):
            repaired_text = "".join(
                symbol + "/" * (index in positions) for index, symbol in enumerate(packed_text)
            )
            with suppress(InvalidGridError):
                return parse_text(decompress(repaired_text))
        raise


def _parse_fpuzzles(text: str) -> StoredPuzzle:
    return fpuzzles.parse_fpuzzles(load_json(text, "an f-puzzles puzzle"))


def _read_sudokuwiki_board(board: str) -> StoredPuzzle:
    """Return the puzzle of a SudokuWiki board, which has two symbols per cell after S9B."""
    if not re.fullmatch(r"S9B[0-9a-z]{162}", board):
        raise InvalidGridError("the link has no board of 9x9 after bd=")
    # Values 1 to 9 are givens, 10 to 18 are entered digits, and values from 19 on are candidates.
    values = [int(board[start : start + 2], 36) for start in range(3, len(board), 2)]
    if not 0 < min(values) <= max(values) < 19 + 511:
        raise InvalidGridError("the link is damaged")
    stored_puzzle = StoredPuzzle(SudokuPuzzle([value if value < 10 else 0 for value in values]))
    stored_puzzle = add_typed_digits(
        stored_puzzle, [value - 9 if 10 <= value < 19 else 0 for value in values]
    )
    return add_pencil_marks(stored_puzzle, [max(0, value - 18) for value in values])


def _read_classic_puzzle(packed_text: str) -> StoredPuzzle:
    """Unpack a puzzle: each symbol encodes a digit and the number of open cells after it."""
    if len(packed_text) > 81 or not set(packed_text) <= {*_CLASSIC_SYMBOLS[:60]}:
        raise InvalidGridError("the link is damaged")
    values = map(_CLASSIC_SYMBOLS.index, packed_text)
    cells = "".join(str(value % 10) + "0" * (value // 10) for value in values)
    if len(cells) != 81:
        raise InvalidGridError(f"the link holds {len(cells)} cells, not 81")
    return StoredPuzzle(SudokuPuzzle.from_text(cells))


_READERS_BY_PREFIX: dict[str, Callable[[str], StoredPuzzle]] = {
    "fpuzzles": lambda packed: _unpack_puzzle(packed[len("fpuzzles") :], _parse_fpuzzles),
    "fpuz": lambda packed: _unpack_puzzle(packed[len("fpuz") :], _parse_fpuzzles),
    "scf": lambda packed: _read_classic_puzzle(packed[len("scf") :]),
    "scl": lambda packed: _unpack_puzzle(packed[len("scl") :], load_drawing),
    "ctc": lambda packed: _unpack_puzzle(packed[len("ctc") :], load_drawing),
}


def _make_link_writer(address: str) -> Callable[[Sequence[StoredPuzzle]], str]:
    """Return a function that writes links: an address and the compressed JSON of f-puzzles."""

    def write_links(puzzles: Sequence[StoredPuzzle]) -> str:
        packed_texts = (
            quote(compress(fpuzzles.format_fpuzzles(stored_puzzle)), safe="")
            for stored_puzzle in puzzles
        )
        return "".join(f"{address}{text}\n" for text in packed_texts)

    return write_links


FPUZZLES_LINK_FORMAT = PuzzleFormat(
    name="f-puzzles-link",
    title="a link",
    matches=_is_link,
    split=lambda text: label_parts("link", text.split()),
    read=_read_link,
    write=_make_link_writer("https://f-puzzles.com/?load="),
    typed=True,
)
SUDOKUPAD_FORMAT = PuzzleFormat(
    name="sudokupad",
    title="SudokuPad",
    write=_make_link_writer("https://sudokupad.app/fpuzzles"),
    typed=True,
)
