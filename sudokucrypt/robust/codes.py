"""The Reed-Solomon code (80, 40) over bytes, which corrects errors and fills gaps.

References
----------
.. [1] I. S. Reed, G. Solomon, "Polynomial codes over certain finite fields", 1960,
   doi:10.1137/0108018.
.. [2] R. E. Blahut, "Theory and Practice of Error Control Codes", 1983: the decoder, by the
   algorithms of Berlekamp and Massey, Chien, and Forney.
"""

from collections.abc import Collection, Iterable
from typing import Final

from sudokucrypt.errors import DecryptionError, InvalidParameterError

# A half of parity: with 640 cells for the bits, a quarter of the bytes may be wrong.
MESSAGE_BYTES: Final = 40
CODE_BYTES: Final = 80
PARITY: Final = CODE_BYTES - MESSAGE_BYTES

_FIELD = 0x11D  # x^8 + x^4 + x^3 + x^2 + 1, of which x is a generator
# Twice the period, so that a sum of two logarithms needs no remainder.
_POWERS: list[int] = [1]
for _ in range(2 * 255):
    _doubled = _POWERS[-1] << 1
    _POWERS.append(_doubled ^ _FIELD if _doubled > 255 else _doubled)
_LOGS: Final = {power: exponent for exponent, power in enumerate(_POWERS[:255])}


def encode_bytes(message: bytes) -> bytes:
    """Return 40 bytes, followed by 40 bytes of parity."""
    if len(message) != MESSAGE_BYTES:
        raise InvalidParameterError(f"the code takes {MESSAGE_BYTES} bytes, not {len(message)}")
    rest = [*message, *[0] * PARITY]
    for position in range(MESSAGE_BYTES):
        factor = rest[position]
        for offset, value in enumerate(_GENERATOR):
            rest[position + offset] ^= _multiply_elements(factor, value)
    return message + bytes(rest[MESSAGE_BYTES:])


def decode_bytes(code: bytes, missing: Collection[int] = ()) -> tuple[bytes, int]:
    """Decode 80 bytes of `encode_bytes` to 40; return them, and how many were wrong or missing.

    `missing` are the positions, 0..79, of unknown bytes, whose values do not matter.
    Raises `DecryptionError` if more than ``(40 - len(missing)) // 2`` of the others are wrong.
    """
    word = list(code)
    if len(word) != CODE_BYTES:
        raise InvalidParameterError(f"the code has {CODE_BYTES} bytes, not {len(word)}")
    if len(missing) > PARITY:
        raise _fail_lost()
    syndromes = [_evaluate_polynomial(word, _POWERS[power]) for power in range(PARITY)]
    if any(syndromes):
        locator = _make_locator(syndromes, [CODE_BYTES - 1 - position for position in missing])
        positions = [
            position
            for position in range(CODE_BYTES)
            if _evaluate_polynomial(
                locator[::-1], _POWERS[(255 - (CODE_BYTES - 1 - position)) % 255]
            )
            == 0
        ]
        if len(positions) != len(locator) - 1 or 2 * len(positions) - len(missing) > PARITY:
            raise _fail_lost()
        _mend(word, syndromes, locator, positions)
        if any(_evaluate_polynomial(word, _POWERS[power]) for power in range(PARITY)):
            raise _fail_lost()
    wrong = {position for position in range(CODE_BYTES) if word[position] != code[position]}
    return bytes(word[:MESSAGE_BYTES]), len(wrong.union(missing))


def _fail_lost() -> DecryptionError:
    return DecryptionError("too many bytes are wrong to be corrected", hint=None)


def _multiply_elements(one: int, other: int) -> int:
    return _POWERS[_LOGS[one] + _LOGS[other]] if one and other else 0


def _divide_elements(one: int, other: int) -> int:
    return _POWERS[_LOGS[one] - _LOGS[other] + 255] if one else 0


def _multiply_polynomials(one: list[int], other: list[int]) -> list[int]:
    """Return the product of two polynomials, whichever end comes first."""
    result = [0] * (len(one) + len(other) - 1)
    for position, factor in enumerate(one):
        for offset, value in enumerate(other):
            result[position + offset] ^= _multiply_elements(factor, value)
    return result


def _evaluate_polynomial(polynomial: Iterable[int], at: int) -> int:
    """Return the value of a polynomial, given with its highest power first, at a point."""
    result = 0
    for value in polynomial:
        result = _multiply_elements(result, at) ^ value
    return result


def _make_locator(syndromes: list[int], missing: list[int]) -> list[int]:
    """Return the polynomial, lowest power first, with a root for each gap and each error."""
    # Gaps are known roots; the algorithm of Berlekamp and Massey goes on from them to the errors.
    locator = [1]
    for power in missing:
        locator = _multiply_polynomials(locator, [1, _POWERS[power]])
    scaled, errors = locator, 0
    for step in range(len(missing), PARITY):
        wrong = 0
        for offset, value in enumerate(locator[: step + 1]):
            wrong ^= _multiply_elements(value, syndromes[step - offset])
        scaled = [0, *scaled]
        if not wrong:
            continue
        size = max(len(locator), len(scaled))
        pairs = zip(
            locator + [0] * (size - len(locator)), scaled + [0] * (size - len(scaled)), strict=True
        )
        joined = [one ^ _multiply_elements(wrong, other) for one, other in pairs]
        if 2 * errors <= step - len(missing):
            errors = step - len(missing) + 1 - errors
            scaled = [_divide_elements(value, wrong) for value in locator]
        locator = joined
    while not locator[-1]:
        locator.pop()
    return locator


def _mend(word: list[int], syndromes: list[int], locator: list[int], positions: list[int]) -> None:
    """Correct the bytes at these positions."""
    evaluator = _multiply_polynomials(syndromes, locator)[:PARITY]
    for position in positions:
        power = CODE_BYTES - 1 - position
        inverse = _POWERS[(255 - power) % 255]
        # The derivative has the odd powers alone, one lower.
        slope = _evaluate_polynomial(
            [value * (n % 2 == 0) for n, value in enumerate(locator[1:])][::-1], inverse
        )
        if not slope:
            raise _fail_lost()
        size = _divide_elements(_evaluate_polynomial(evaluator[::-1], inverse), slope)
        word[position] ^= _multiply_elements(_POWERS[power], size)


# The product of all x - a^i: a word of the code is a multiple of it (Reed and Solomon, 1960).
_GENERATOR = [1]
for _number in range(PARITY):
    _GENERATOR = _multiply_polynomials(_GENERATOR, [1, _POWERS[_number]])
