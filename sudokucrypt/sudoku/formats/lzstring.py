"""LZ-based compression to base64, as the JavaScript library lz-string 1.5.0 has it.

Strings are coded by LZ78 over UTF-16 units: codes 0 and 1 announce a new unit of 8 or 16 bits, 2
is the end, and each code has as many bits as the size of the dictionary needs. Bits come lowest
first and fill characters of 6 bits from the highest bit.
"""

from collections.abc import Iterator

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.contract import MOST_CHARACTERS

# That of Base64.
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES = {symbol: value for value, symbol in enumerate(_ALPHABET)}
_MOST_SYMBOLS = 2**15  # real puzzles have some thousand; these take less than 0.1 s
# The code that ends a text.
_END = 2


def _units(text: str) -> list[str]:
    """Return the UTF-16 units of a text."""
    data = text.encode("utf-16-le", "surrogatepass")
    return [chr(int.from_bytes(data[at : at + 2], "little")) for at in range(0, len(data), 2)]


def compress(text: str) -> str:
    """Return the base64 of a compressed text.

    >>> decompress(compress("hello hello hello"))
    'hello hello hello'
    """
    bits: list[int] = []

    def emit(value: int, width: int) -> None:
        bits.extend(value >> shift & 1 for shift in range(width))

    codes: dict[str, int] = {}
    pending: set[str] = set()  # units that have a code, and were not written yet
    size, used = 3, 2  # `used` codes decide how many bits the next one has
    written = ""

    def put(word: str) -> None:
        nonlocal used
        if word in pending:
            pending.discard(word)
            wide = ord(word) > 255
            emit(int(wide), used.bit_length())
            emit(ord(word), 16 if wide else 8)
            used += 1
        else:
            emit(codes[word], used.bit_length())
        used += 1

    for unit in _units(text):
        if unit not in codes:
            codes[unit] = size
            size += 1
            pending.add(unit)
        if written + unit in codes:
            written += unit
            continue
        put(written)
        codes[written + unit] = size
        size += 1
        written = unit
    if written:
        put(written)
    emit(_END, used.bit_length())
    bits += [0] * (6 - len(bits) % 6)
    symbols = "".join(
        _ALPHABET[int("".join(map(str, bits[at : at + 6])), 2)] for at in range(0, len(bits), 6)
    )
    return symbols + "=" * (-len(symbols) % 4)


def decompress(text: str) -> str:
    """Return the text; `InvalidGridError` if it is damaged or longer than real puzzles are."""
    # In the query of an address, a plus sign may have become a blank.
    symbols = text.replace(" ", "+").rstrip("=")
    if len(symbols) > _MOST_SYMBOLS or not set(symbols) <= _VALUES.keys():
        raise InvalidGridError("the link is damaged, or too long for a puzzle")
    try:
        units = "".join(_words(_bits(symbols)))
        return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except (StopIteration, RuntimeError, UnicodeDecodeError, ValueError, IndexError):
        raise InvalidGridError("the link is damaged: it cannot be decompressed") from None


def _bits(symbols: str) -> Iterator[int]:
    for symbol in symbols:
        value = _VALUES[symbol]
        yield from (value >> shift & 1 for shift in range(5, -1, -1))


def _words(bits: Iterator[int]) -> Iterator[str]:
    """Yield the words of the dictionary that codes name."""

    def take(width: int) -> int:
        return sum(next(bits) << shift for shift in range(width))

    words, used, length = ["", "", ""], 3, 0
    previous = ""
    while True:
        code = take(used.bit_length())
        if code == _END:
            return
        if code < _END:
            words.append(chr(take(16 if code else 8)))
            code = len(words) - 1
            used += bool(previous)
        if code > len(words) or (code == len(words) and not previous):
            raise ValueError(code)
        word = words[code] if code < len(words) else previous + previous[0]
        yield word
        length += len(word)
        if length > MOST_CHARACTERS:
            raise ValueError(length)
        if previous:
            words.append(previous + word[0])
        used += 1
        previous = word
