"""Mutants of the stream, the draws and the grids."""

from __future__ import annotations

from tests.vectors.mutants.mutant import mutants_of

_STREAM = [
    ("the stream from block 1", "counter: int = 0) -> Iterator[int]:", "counter: int = 1) -> Iterator[int]:"),
    ("half of the stream", "BLOCK_COUNT = 2**32", "BLOCK_COUNT = 2**31"),
    ("a stream without its last block", "for number in range(counter, BLOCK_COUNT):",
     "for number in range(counter, BLOCK_COUNT - 1):"),
    ("a stream that starts again", "for number in range(counter, BLOCK_COUNT):\n"
     "        yield from struct.unpack(\"<16L\", block(subkey, number, ZERO_NONCE))",
     "while True:\n"
     "        yield from struct.unpack(\"<16L\", block(subkey, counter % 2**32, ZERO_NONCE))\n"
     "        counter += 1"),
    ("words highest byte first", 'yield from struct.unpack("<16L"', 'yield from struct.unpack(">16L"'),
    ("eight rounds", "_DOUBLE_ROUNDS = 10", "_DOUBLE_ROUNDS = 4"),
    ("a rotation by 15", "d = _rotate(d ^ a, 16)", "d = _rotate(d ^ a, 15)"),
    ("the constant of 16 bytes", "0x3320646E", "0x3120646E"),
    ("the start is not added", "(x + y) & _MASK", "x"),
]  # fmt: skip

_DRAWS = [
    ("the limit is taken", "if x >= span - span % bound:", "if x > span - span % bound:"),
    ("the limit less one is not taken", "if x >= span - span % bound:",
     "if x >= span - span % bound - 1:"),
    ("a limit from 2^32 - 1", "if x >= span - span % bound:",
     "if x >= span - 1 - (span - 1) % bound:"),
    ("no limit", "if x >= span - span % bound:", "if x < 0:"),
    ("the high part of a product", "return x % bound", "return x * bound // span"),
    ("words highest first", "x += next(words) * 2 ** (WORD_BITS * i)",
     "x = x * 2**WORD_BITS + next(words)"),
    ("binary digits of the bound", "bits = (bound - 1).bit_length()", "bits = bound.bit_length()"),
    ("no word for a bound of 1", "count = max(1, (bits + WORD_BITS - 1) // WORD_BITS)",
     "count = (bits + WORD_BITS - 1) // WORD_BITS"),
    ("one word for every bound", "count = max(1, (bits + WORD_BITS - 1) // WORD_BITS)", "count = 1"),
    ("two words for every bound", "count = max(1,", "count = max(2,"),
    ("a shuffle from the front", "for i in range(size - 1, 0, -1):", "for i in range(1, size):"),
    ("a shuffle of one cycle", "j = draw(i + 1, words)", "j = draw(i, words)"),
    ("a shuffle that draws for place 0", "for i in range(size - 1, 0, -1):",
     "for i in range(size - 1, -1, -1):"),
    ("a shuffle that draws below the size", "j = draw(i + 1, words)", "j = draw(size, words)"),
    ("a shuffle without its last step", "for i in range(size - 1, 0, -1):",
     "for i in range(size - 1, 1, -1):"),
    ("targets for sources", "    return [units[source] for source in sources]",
     "    return move_to(units, sources)"),
]  # fmt: skip

_GRIDS = [
    ("bands of columns", "bands = shuffle(q, words)", "bands = shuffle(p, words)"),
    ("stacks before bands", "    bands = shuffle(q, words)\n    row = [0] * n\n",
     "    stacks = shuffle(p, words)\n    bands = shuffle(q, words)\n    row = [0] * n\n"),
    ("one shuffle within all bands", "        within = shuffle(p, words)\n        for k in range(p):",
     "        within = shuffle(p, words) if i == 0 else within\n        for k in range(p):"),
    ("bands not moved", "bands[i] * p + within[k]", "i * p + within[k]"),
    ("rows within bands not moved", "bands[i] * p + within[k]", "bands[i] * p + k"),
    ("stacks not moved", "stacks[j] * q + within[k]", "j * q + within[k]"),
    ("columns within stacks not moved", "stacks[j] * q + within[k]", "stacks[j] * q + k"),
    ("the inverse of the rows", "row[i * p + k] = bands[i] * p + within[k]",
     "row[bands[i] * p + within[k]] = i * p + k"),
    ("the inverse of the columns", "column[j * q + k] = stacks[j] * q + within[k]",
     "column[stacks[j] * q + within[k]] = j * q + k"),
    ("no digits drawn", "sigma = shuffle(n, words)", "sigma = list(range(n))"),
    ("no turn", "t = draw(2, words) if p == q else 0", "t = 0"),
    ("a turn of oblong boxes", "t = draw(2, words) if p == q else 0", "t = draw(2, words)"),
    ("the turn is drawn first", "    bands = shuffle(q, words)\n    row = [0] * n\n",
     "    t = draw(2, words) if p == q else 0\n    bands = shuffle(q, words)\n    row = [0] * n\n"),
    ("turned the other way", "if t == 1:", "if t == 0 and p == q:"),
    ("the base grid of columns", "alpha = [q * (row[r] % p) + row[r] // p",
     "alpha = [p * (row[r] % q) + row[r] // q"),
    ("no shift of the bands", "alpha = [q * (row[r] % p) + row[r] // p", "alpha = [q * (row[r] % p)"),
    ("digits by difference", "self.alpha[r] + self.beta[c]", "self.alpha[r] - self.beta[c]"),
    ("digits not exchanged", "return self.sigma[(self.alpha[r] + self.beta[c]) % self.order]",
     "return (self.alpha[r] + self.beta[c]) % self.order"),
    ("the inverse of the digits", "return self.sigma[(self.alpha[r] + self.beta[c]) % self.order]",
     "return self.sigma.index((self.alpha[r] + self.beta[c]) % self.order)"),
]  # fmt: skip

MUTANTS = (
    *mutants_of("chacha20", "draws encryptions", _STREAM),
    *mutants_of("draws", "draws permutations", _DRAWS),
    *mutants_of("grid", "grids permutations", _GRIDS),
)
"""Mutants of the stream, the draws and the grids."""
