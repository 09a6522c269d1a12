"""The Reed-Solomon code (80, 40) over bytes, which corrects wrong and missing bytes.

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

# Half of the code is parity, so a quarter of its bytes may be wrong. Its 640 bits take 640 cells.
MESSAGE_BYTES: Final = 40
CODE_BYTES: Final = 80
PARITY_BYTES: Final = CODE_BYTES - MESSAGE_BYTES

_FIELD_POLYNOMIAL = 0x11D  # x^8 + x^4 + x^3 + x^2 + 1, of which x is a generator
# The powers of x for two periods, so that a sum of two logarithms needs no remainder.
_POWERS: list[int] = [1]
for _ in range(2 * 255):
    _doubled_power = _POWERS[-1] << 1
    _POWERS.append(_doubled_power ^ _FIELD_POLYNOMIAL if _doubled_power > 255 else _doubled_power)
_LOGS: Final = {power: exponent for exponent, power in enumerate(_POWERS[:255])}


def encode_bytes(message: bytes) -> bytes:
    """Return the 40 bytes of a message, followed by 40 bytes of parity."""
    if len(message) != MESSAGE_BYTES:
        raise InvalidParameterError(f"the code takes {MESSAGE_BYTES} bytes, not {len(message)}")
    remainder = [*message, *[0] * PARITY_BYTES]
    for position in range(MESSAGE_BYTES):
        factor = remainder[position]
        for offset, value in enumerate(_CODE_GENERATOR):
            remainder[position + offset] ^= _multiply_elements(factor, value)
    return message + bytes(remainder[MESSAGE_BYTES:])


def decode_bytes(code: bytes, missing_positions: Collection[int] = ()) -> tuple[bytes, int]:
    """Return the message in 80 bytes of code, and the number of wrong or missing bytes.

    `missing_positions` are the positions, 0..79, of unknown bytes, whose values are ignored.
    `DecryptionError` is raised if more than ``(40 - len(missing)) // 2`` other bytes are wrong.
    """
    code_word = list(code)
    if len(code_word) != CODE_BYTES:
        raise InvalidParameterError(f"the code has {CODE_BYTES} bytes, not {len(code_word)}")
    if len(missing_positions) > PARITY_BYTES:
        raise _make_error()
    syndromes = [_evaluate_polynomial(code_word, _POWERS[power]) for power in range(PARITY_BYTES)]
    if any(syndromes):
        locator = _make_locator(
            syndromes, [CODE_BYTES - 1 - position for position in missing_positions]
        )
        positions = [
            position
            for position in range(CODE_BYTES)
            if _evaluate_polynomial(
                locator[::-1], _POWERS[(255 - (CODE_BYTES - 1 - position)) % 255]
            )
            == 0
        ]
        if (
            len(positions) != len(locator) - 1
            or 2 * len(positions) - len(missing_positions) > PARITY_BYTES
        ):
            raise _make_error()
        _correct_bytes(code_word, syndromes, locator, positions)
        if any(_evaluate_polynomial(code_word, _POWERS[power]) for power in range(PARITY_BYTES)):
            raise _make_error()
    wrong_positions = {
        position for position in range(CODE_BYTES) if code_word[position] != code[position]
    }
    return bytes(code_word[:MESSAGE_BYTES]), len(wrong_positions.union(missing_positions))


def _make_error() -> DecryptionError:
    return DecryptionError("too many bytes are wrong to be corrected", hint=None)


def _multiply_elements(first: int, second: int) -> int:
    return _POWERS[_LOGS[first] + _LOGS[second]] if first and second else 0


def _divide_elements(dividend: int, divisor: int) -> int:
    return _POWERS[_LOGS[dividend] - _LOGS[divisor] + 255] if dividend else 0


def _multiply_polynomials(first: list[int], second: list[int]) -> list[int]:
    """Return the product of two polynomials, given in the same order of powers."""
    result = [0] * (len(first) + len(second) - 1)
    for position, factor in enumerate(first):
        for offset, value in enumerate(second):
            result[position + offset] ^= _multiply_elements(factor, value)
    return result


def _evaluate_polynomial(polynomial: Iterable[int], x: int) -> int:
    """Return the value at `x` of a polynomial, whose highest power is first."""
    result = 0
    for value in polynomial:
        result = _multiply_elements(result, x) ^ value
    return result


def _make_locator(syndromes: list[int], missing_positions: list[int]) -> list[int]:
    """Return the polynomial, lowest power first, with a root for each missing and wrong byte.

    `missing_positions` are the powers of the missing bytes.
    """
    # From the roots of missing bytes, the algorithm of Berlekamp and Massey finds the others.
    locator = [1]
    for power in missing_positions:
        locator = _multiply_polynomials(locator, [1, _POWERS[power]])
    scaled_locator, error_count = locator, 0
    for step in range(len(missing_positions), PARITY_BYTES):
        discrepancy = 0
        for offset, value in enumerate(locator[: step + 1]):
            discrepancy ^= _multiply_elements(value, syndromes[step - offset])
        scaled_locator = [0, *scaled_locator]
        if not discrepancy:
            continue
        size = max(len(locator), len(scaled_locator))
        term_pairs = zip(
            locator + [0] * (size - len(locator)),
            scaled_locator + [0] * (size - len(scaled_locator)),
            strict=True,
        )
        updated_locator = [
            value ^ _multiply_elements(discrepancy, scaled_value)
            for value, scaled_value in term_pairs
        ]
        if 2 * error_count <= step - len(missing_positions):
            error_count = step - len(missing_positions) + 1 - error_count
            scaled_locator = [_divide_elements(value, discrepancy) for value in locator]
        locator = updated_locator
    while not locator[-1]:
        locator.pop()
    return locator


def _correct_bytes(
    code_word: list[int], syndromes: list[int], locator: list[int], positions: list[int]
) -> None:
    """Correct the bytes at the given positions, in place."""
    evaluator = _multiply_polynomials(syndromes, locator)[:PARITY_BYTES]
    for position in positions:
        power = CODE_BYTES - 1 - position
        inverse = _POWERS[(255 - power) % 255]
        # In a field of characteristic 2, the derivative has only the odd powers, lowered by one.
        slope = _evaluate_polynomial(
            [value * (n % 2 == 0) for n, value in enumerate(locator[1:])][::-1], inverse
        )
        if not slope:
            raise _make_error()
        size = _divide_elements(_evaluate_polynomial(evaluator[::-1], inverse), slope)
        code_word[position] ^= _multiply_elements(_POWERS[power], size)


# The product of all x - a^i, which divides every word of the code (Reed and Solomon, 1960).
_CODE_GENERATOR = [1]
for _exponent in range(PARITY_BYTES):
    _CODE_GENERATOR = _multiply_polynomials(_CODE_GENERATOR, [1, _POWERS[_exponent]])
