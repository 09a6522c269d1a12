"""The published breaks of the published ciphers.

A break takes a `Service`, which counts its queries, and the result of an unknown picture, and
returns the picture as far as it recovers it. Like the papers, it may use the design of the cipher,
but not the key.
"""

from collections.abc import Callable

import numpy as np

from sudokucrypt.analysis import MeasuredScheme
from sudokucrypt.analysis.baselines.published_linear import Diaconu, Ieaie, compute_chain_factors
from sudokucrypt.analysis.baselines.published_mixing import Bciea, Mhm, turn_rows_by_parity
from sudokucrypt.analysis.baselines.published_streams import Brie, Patidar, Rces
from sudokucrypt.typing import AnyArray, IntArray
from tests.analysis.pictures import NAMES, picture


class Service:
    """A scheme under one key that encrypts and decrypts for a break, and counts the queries."""

    def __init__(self, scheme: MeasuredScheme, key: bytes) -> None:
        self.scheme, self.key, self.queries = scheme, key, 0
        self._undo = scheme.fixed(np.zeros((2, 2), dtype=np.uint8), key).undo

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Return the result of an image."""
        self.queries += 1
        return self.scheme.usual(np.ascontiguousarray(image, dtype=np.uint8), self.key).pixels

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Return the image of a result; a salted scheme uses its next salt."""
        self.queries += 1
        if self.scheme.fresh is not None:  # each result has a salt
            self._undo = self.scheme.usual(np.zeros_like(image), self.key).undo
        assert self._undo is not None
        return self._undo(self.key, np.ascontiguousarray(image))


Break = Callable[[Service, AnyArray], AnyArray]


def get_known_image(shape: tuple[int, ...], number: int = 0) -> AnyArray:
    """Return a part of a picture that is never attacked."""
    photograph = picture(NAMES[(0, 3)[number % 2]])
    gray = photograph if photograph.ndim == 2 else photograph[..., number % 3]
    top, left = (
        number * 37 % (side - each + 1) for side, each in zip(gray.shape, shape, strict=False)
    )
    return np.ascontiguousarray(gray[top : top + shape[0], left : left + shape[1]])


def number_units(shape: tuple[int, ...]) -> tuple[AnyArray, AnyArray]:
    """Return an image with the row number of each pixel, and one with the column numbers."""
    rows, columns = np.indices(shape).astype(np.uint8)
    return rows, columns


def break_ckba(service: Service, target_result: AnyArray) -> AnyArray:
    """Break CKBA: one known image shows the mask."""
    plain = get_known_image(target_result.shape)
    return target_result ^ plain ^ service.encrypt(plain)


def break_brie(service: Service, target_result: AnyArray) -> AnyArray:
    """Break BRIE: an image of ones shows the rotation of each pixel."""
    shown = service.encrypt(np.ones_like(target_result))
    turns = np.log2(np.maximum(shown, 1)).astype(np.uint8).reshape(-1)
    return Brie.rotate_bits(target_result, (8 - turns) % 8)


def break_rces(service: Service, target_result: AnyArray) -> AnyArray:
    """Break RCES: the difference of two known images shows the swaps, and then one the masks."""
    plain = [get_known_image(target_result.shape, number).reshape(-1) for number in (0, 1)]
    results = [service.encrypt(each.reshape(target_result.shape)).reshape(-1) for each in plain]
    plain_difference, result_difference = plain[0] ^ plain[1], results[0] ^ results[1]
    swaps = (
        plain_difference[: plain_difference.size // 2 * 2 : 2]
        != result_difference[: result_difference.size // 2 * 2 : 2]
    )
    masks = Rces.swap_pairs(plain[0], swaps) ^ results[0]
    return Rces.swap_pairs(target_result.reshape(-1) ^ masks, swaps).reshape(target_result.shape)


def break_patidar(service: Service, target_result: AnyArray) -> AnyArray:
    """Break Patidar's cipher: after undoing its keyless chains, a black image shows the mask."""
    return Patidar.undo_chains(target_result ^ service.encrypt(np.zeros_like(target_result)))


def break_pareek(service: Service, target_result: AnyArray) -> AnyArray:
    """Break Pareek's cipher: a black image shows operands, and a gray one the operations."""
    operand, gray = (
        service.encrypt(np.zeros_like(target_result)),
        service.encrypt(np.full_like(target_result, 127)),
    )
    return np.where(
        gray == operand + np.uint8(127), target_result - operand, target_result ^ operand
    )


def break_isea(service: Service, target_result: AnyArray) -> AnyArray:
    """Break ISEA: numbers of ones in log2(8MN) known images identify rows and columns of bits."""
    images = [
        get_known_image(target_result.shape, n) for n in range(int(np.log2(8 * target_result.size)))
    ]
    plain = np.stack([np.unpackbits(image, axis=1) for image in images]).astype(np.int64)
    result = np.stack([np.unpackbits(service.encrypt(image), axis=1) for image in images])
    matrix = np.unpackbits(target_result, axis=1)
    for axis in (1, 2):  # sums over columns distinguish rows, and vice versa
        result_order = np.lexsort(result.sum(axis=3 - axis))
        plain_order = np.lexsort(plain.sum(axis=3 - axis))
        restored_matrix = np.empty_like(matrix)
        if axis == 1:
            restored_matrix[plain_order] = matrix[result_order]
        else:
            restored_matrix[:, plain_order] = matrix[:, result_order]
        matrix = restored_matrix
    return np.packbits(matrix, axis=1)


def break_gao_chen(service: Service, target_result: AnyArray) -> AnyArray:
    """Break Gao and Chen's cipher: a black image shows the stream, numbered images the map."""
    black = service.encrypt(np.zeros_like(target_result))
    row, column = (
        (service.encrypt(image) ^ black).astype(np.intp)
        for image in number_units(target_result.shape)
    )
    plain = np.zeros_like(target_result)
    plain[row % target_result.shape[0], column % target_result.shape[1]] = target_result ^ black
    return plain


def break_mhm(service: Service, target_result: AnyArray) -> AnyArray:
    """Break MHM: a black image shows the masks, constant images the table up to a constant, and
    images of position numbers the map."""
    black = service.encrypt(np.zeros_like(target_result))

    def undo_masks(image: AnyArray) -> AnyArray:
        return Mhm.undo_outer_mask(image, black)

    # All steps except the table are linear: the table is known up to its value for black.
    table = np.array(
        [undo_masks(service.encrypt(np.full_like(target_result, v)))[0, 0] for v in range(256)]
    )
    inverse_table = np.argsort(table)

    def undo_substitution(image: AnyArray) -> AnyArray:
        """Undo masks, rotations of rows and the table of a result."""
        return Mhm.substitute_end_rows(
            Mhm.turn_rows_left(undo_masks(image), inverse=True), inverse_table.astype(np.uint8)
        )

    digits = -(-(target_result.size - 1).bit_length() // 8)
    numbers = np.arange(target_result.size).reshape(target_result.shape)
    sources = np.zeros(target_result.size, dtype=np.intp)
    for digit in range(digits):
        image = (numbers >> 8 * digit & 255).astype(np.uint8)
        digits_found = undo_substitution(service.encrypt(image)).astype(np.intp)
        sources += digits_found.reshape(-1) << 8 * digit
    plain = np.zeros_like(target_result).reshape(-1)
    plain[sources % target_result.size] = undo_substitution(target_result).reshape(
        -1
    )  # modulo, for wrong numbers under new keys
    return plain.reshape(target_result.shape)


def break_rubik(service: Service, target_result: AnyArray) -> AnyArray:
    """Break the Rubik cipher: a black image shows masks, images of even levels the amounts."""
    black = service.encrypt(np.zeros_like(target_result))
    rows, columns = target_result.shape
    # All rotations of a line of these levels differ, up to 256 pixels.
    levels = [2 * np.arange(128), 2 * np.arange(128)[::-1]]
    column_levels, row_levels = (
        np.resize(np.concatenate(levels), length).astype(np.uint8) for length in (rows, columns)
    )

    def turn_units(image: AnyArray, line: AnyArray) -> IntArray:
        """Return the amount by which each column of an image of equal columns moved up."""
        turns = np.stack([np.roll(line, -amount) for amount in range(len(line))])
        return np.array([int(np.argmax((turns == each).all(axis=1))) for each in image.T])

    equal_columns = np.repeat(column_levels[:, None], columns, axis=1)
    equal_rows = np.repeat(row_levels[None], rows, axis=0)
    column_shifts = turn_units(service.encrypt(equal_columns) ^ black, column_levels)
    # All sums are even, so columns move up; the amounts of rows show after moving columns back.
    seen_rows = service.encrypt(equal_rows) ^ black
    position = (np.arange(rows)[:, None] - column_shifts) % rows
    lines = np.take_along_axis(seen_rows, position, axis=0)
    row_shifts = -turn_units(lines.T, row_levels) % columns
    unmasked = (target_result ^ black).T[:, ::-1]
    turned_rows = turn_rows_by_parity(unmasked, column_shifts, inverse=True)[:, ::-1].T
    return turn_rows_by_parity(turned_rows, row_shifts, inverse=True)


def break_zhu(service: Service, target_result: AnyArray) -> AnyArray:
    """Break Zhu's cipher: the right one of 2^16 guesses of key bytes gives smooth pixels."""
    known_image = get_known_image(target_result.shape)
    plain, result, target = (
        [0, *each.reshape(-1).tolist()]
        for each in (known_image, service.encrypt(known_image), target_result)
    )
    last_index = target_result.size

    def list_last_pixels(
        previous_byte: IntArray, current_byte: IntArray, count: int
    ) -> list[AnyArray]:
        """Return the last pixels of the target for each guess, in reverse order."""
        mixed = result[last_index] ^ previous_byte ^ (result[last_index - 1] + current_byte & 255)
        words = [current_byte, previous_byte]
        for index in range(last_index - 1, last_index - count - 1, -1):
            current_byte, previous_byte, mixed = (
                previous_byte,
                current_byte,
                (mixed ^ plain[index + 1] ^ previous_byte) - current_byte & 255,
            )
            previous_byte = result[index] ^ mixed ^ (result[index - 1] + current_byte & 255)
            words.append(previous_byte)
        chain = [
            target[last_index - n] ^ words[n + 1] ^ (target[last_index - n - 1] + words[n] & 255)
            for n in range(count)
        ]
        return [chain[n] ^ words[n + 1] ^ (chain[n + 1] + words[n] & 255) for n in range(count - 1)]

    guesses = np.arange(1 << 16)
    last_pixels = np.stack(list_last_pixels(guesses >> 8, guesses & 255, 160))
    best_guess = int(np.abs(np.diff(last_pixels, axis=0)).sum(axis=0).argmin())
    pixels = list_last_pixels(np.array(best_guess >> 8), np.array(best_guess & 255), last_index - 1)
    pixel_values = np.zeros(last_index, dtype=np.uint8)
    pixel_values[2:] = np.array(pixels)[::-1]
    return pixel_values.reshape(target_result.shape)


def break_fridrich(service: Service, target_result: AnyArray) -> AnyArray:
    """Break two rounds of Fridrich's design: changed results show the map, then the table.

    Pixel p depends on the samples x, x - 1, y and y - 1 of the result, with x = m(m(p)) and
    y = m(m(p) - 1) for the map m of one round. So the pairs x, y make one long path m(0), m(1), ...
    """
    count, rng = target_result.size, np.random.default_rng(5)
    base = rng.integers(0, 256, count, dtype=np.uint8)

    def decrypt(values: AnyArray) -> AnyArray:
        return service.decrypt(values.reshape(target_result.shape)).reshape(-1)

    first, labels = decrypt(base), np.arange(count)
    pairs: list[IntArray] = []
    width = (count - 1).bit_length()
    # A random quarter of the samples is changed at a time: often it contains just one of the four
    # samples on which a pixel depends, whose index is then read bit by bit.
    for _ in range(150):
        chosen = rng.random(count) < 0.25
        indices, is_known = np.zeros(count, dtype=np.int64), np.ones(count, dtype=bool)
        for bit in range(width):
            ones, zeros = (
                decrypt(base + (chosen & (labels >> bit & 1 == bit_value))) != first
                for bit_value in (1, 0)
            )
            is_known &= ones != zeros
            indices |= ones.astype(np.int64) << bit
        pairs.append(np.flatnonzero(is_known) * count + indices[is_known])
    # Changes that cancel may give a false index, so the four most frequent ones are used.
    values, times = np.unique(np.concatenate(pairs), return_counts=True)
    influences: dict[int, list[int]] = {}
    for pair in values[np.argsort(-times, kind="stable")].tolist():
        influences.setdefault(pair // count, []).append(pair % count)
    neighbors: dict[int, list[int]] = {}
    for frequent in influences.values():
        result = sorted(frequent[:4], reverse=True)
        if len(result) in {3, 4}:
            is_run = len(result) == 3 and result[0] - result[2] == 2
            x, y = result[0], result[1 if is_run else 2]
            neighbors.setdefault(x, []).append(y)
            neighbors.setdefault(y, []).append(x)
    path, before = [0], -1
    while following := [each for each in neighbors.get(path[-1], ()) if each != before]:
        before = path[-1]
        path.append(following[0])
        if len(path) > count:
            break
    if sorted(path) != list(range(count)):
        return target_result
    positions = np.array(path)
    return _solve_fridrich_table(decrypt, positions, target_result)


def _solve_fridrich_table(
    decrypt: Callable[[AnyArray], AnyArray], places: IntArray, target_result: AnyArray
) -> AnyArray:
    """Recover the table of Fridrich's sums up to an offset, try all 256 offsets, and decrypt."""
    inverse_order = np.argsort(places)
    pixel = int(inverse_order[inverse_order[target_result.size // 2]])
    results = []
    for level in range(256):
        image = np.zeros(target_result.size, dtype=np.uint8)
        image[target_result.size // 2 - 1] = level
        results.append(decrypt(image))
    table = results[0][pixel] - np.array(results)[:, pixel]

    def try_offset(values: AnyArray, offset: int) -> AnyArray:
        for _ in range(2):
            shifted = np.concatenate([np.zeros(1, dtype=np.uint8), values[:-1]])
            values = (values - (table + np.uint8(offset))[shifted])[places]
        return values

    example = np.zeros(target_result.size, dtype=np.uint8)
    shares = [np.mean(try_offset(example, offset) == results[0]) for offset in range(256)]
    best_offset = int(np.argmax(shares))
    return try_offset(target_result.reshape(-1), best_offset).reshape(target_result.shape)


def break_bciea(service: Service, target_result: AnyArray) -> AnyArray:
    """Break BCIEA: chosen results with as many ones as the target show its map of bits."""
    target = np.concatenate(Bciea.split_bits(target_result))
    length, rng = len(target) // 2, np.random.default_rng(6)
    queries = 2 * (length - 1).bit_length() + 1

    def name_bits(bits: list[AnyArray]) -> AnyArray:
        name: AnyArray = np.zeros(len(bits[0]), dtype=np.uint64)
        for each in bits[1:]:
            name = name << np.uint64(1) | (bits[0] ^ each)
        return name

    # About one random choice in seven gives all bits different names, which is required, since one
    # wrong bit would rotate whole rows.
    while True:
        patterns = [rng.permutation(target) for _ in range(queries)]
        sent_names = name_bits(patterns)
        if len(np.unique(sent_names)) == len(sent_names):
            break
    name_order = np.argsort(sent_names)
    images = [
        Bciea.split_bits(service.decrypt(Bciea.join_bits(each, target_result.shape)))
        for each in patterns
    ]

    def trace_units(chains: list[AnyArray]) -> tuple[IntArray, AnyArray]:
        """Return where the bits of a row come from, and the stream."""
        result = np.searchsorted(sent_names, name_bits(chains), sorter=name_order)
        source = name_order[np.minimum(result, len(name_order) - 1)]
        return source, patterns[0][source] ^ chains[0]

    def chain(row: AnyArray, other: AnyArray) -> AnyArray:
        return Bciea.chain(row, other, np.zeros_like(row))

    first, mask = trace_units([chain(high, low) for high, low in images])
    second, other = trace_units(
        [chain(low, each[first]) for (_, low), each in zip(images, patterns, strict=True)]
    )
    low = Bciea.undo_chain(target[second], target[first], other)
    high = Bciea.undo_chain(target[first], low, mask)
    return Bciea.join_bits(np.concatenate([high, low]), target_result.shape)


def break_hua_filter(service: Service, target_result: AnyArray) -> AnyArray:
    """Break Hua's filter: images of one pixel give a matrix modulo 256 to solve bit by bit."""
    count = target_result.size
    black = service.encrypt(np.zeros_like(target_result)).reshape(-1)
    matrix = np.empty((count, count), dtype=np.uint8)
    for pixel, image in enumerate(np.eye(count, dtype=np.uint8)):
        matrix[:, pixel] = service.encrypt(image.reshape(target_result.shape)).reshape(-1) - black
    inverse = _invert_bits(matrix & 1)
    plain, goal = np.zeros(count, dtype=np.uint8), target_result.reshape(-1) - black
    for bit in range(8):
        remaining_bits = (goal - matrix @ plain) >> bit & 1
        parity = np.bitwise_count(inverse & np.packbits(remaining_bits)).sum(axis=1) & 1
        plain += parity.astype(np.uint8) << bit
    return plain.reshape(target_result.shape)


def break_bit_by_bit(service: Service, target_result: AnyArray) -> AnyArray:
    """Break a cipher that is linear over bits: restore a zero result and results of single bits.

    The exclusive-or of the restored images for all bits of the target is the picture.
    """
    bits = np.unpackbits(target_result)
    zero = service.decrypt(np.zeros_like(target_result))
    plain = zero.copy()
    for place in np.flatnonzero(bits):
        one = np.zeros_like(bits)
        one[place] = 1
        plain ^= zero ^ service.decrypt(np.packbits(one).reshape(target_result.shape))
    return plain


def break_diaconu(service: Service, target_result: AnyArray) -> AnyArray:
    """Break Diaconu's cipher: a black image shows the mask, and the rotations need no key."""
    return Diaconu.turn_bits(
        target_result ^ service.encrypt(np.zeros_like(target_result)), inverse=True
    )


def break_sudoku_matrix(service: Service, target_result: AnyArray) -> AnyArray:
    """Break the Sudoku matrix: a black image shows the moved mask, and column numbers the map."""
    _, column = number_units(target_result.shape)
    black = service.encrypt(np.zeros_like(target_result))
    sources = (service.encrypt(column) - black).astype(np.intp) % target_result.shape[1]
    plain = np.zeros_like(target_result)
    np.put_along_axis(plain, sources, target_result - black, axis=1)
    return plain


def break_ieaie(service: Service, target_result: AnyArray) -> AnyArray:
    """Break IEAIE: images with constant rows give the stream, and one of equal entropy the map.

    In the last column the chain adds the same values in all images, which shows the levels of the
    moved rows. Then linear equations modulo 256 give the stream.
    """
    side, rng = len(target_result), np.random.default_rng(8)
    places: IntArray = side * side + np.indices(target_result.shape).sum(axis=0) + 2
    known_pairs: list[tuple[IntArray, IntArray]] = []
    black = np.zeros(side, np.int64)
    for number in range(17):
        levels = rng.integers(0, 256, side) * (number > 0)  # black first
        image = np.repeat(levels[:, None], side, axis=1).astype(np.uint8)
        result = service.encrypt(image).astype(np.int64)
        ends = result[:, -1] - result[:, -2]
        black = ends if number == 0 else black
        known_pairs.append((places + (ends - black)[:, None], result))
    stream = _solve_ieaie_stream(known_pairs)
    target_rows = ((Ieaie.undo_chain(target_result, stream) - places) % 256).astype(np.uint8)
    # The histogram of the target is known now, and an image with this histogram has the same map.
    image = rng.permutation(target_rows.reshape(-1)).reshape(target_result.shape)
    result = service.encrypt(image)
    row_levels = ((Ieaie.undo_chain(result, stream) - places) % 256).astype(np.uint8)
    plain = np.zeros_like(target_result)
    by_levels = [
        np.lexsort(np.sort(each, axis=1).T[::-1])
        for each in (image, row_levels, image.T, row_levels.T)
    ]
    rows, columns = np.empty(side, np.intp), np.empty(side, np.intp)
    rows[by_levels[1]], columns[by_levels[3]] = by_levels[0], by_levels[2]
    plain[np.ix_(rows, columns)] = target_rows
    return plain


def _solve_ieaie_stream(known_pairs: list[tuple[IntArray, IntArray]]) -> IntArray:
    """Solve r(i, j) + d (c(i, j - 1) + k(i, j)) + k(i, d) = c(i, j) for k, modulo 256."""
    side = len(known_pairs[0][0])
    equations, right_sides = [], []
    for moved_rows, result in known_pairs:
        previous_column = np.zeros(side, np.int64)
        for column, factor in enumerate(compute_chain_factors(moved_rows)):
            equation = np.zeros(side, np.int64)
            equation[column] += factor
            equation[factor - 1] += 1
            equations.append(equation)
            right_sides.append(result[:, column] - moved_rows[:, column] - factor * previous_column)
            previous_column = result[:, column]
    matrix = np.concatenate([np.array(equations), np.array(right_sides)], axis=1) % 256
    for column in range(side):
        odd_rows = np.flatnonzero(matrix[column:, column] % 2)
        if not len(odd_rows):
            continue
        pivot = column + int(odd_rows[0])
        matrix[[column, pivot]] = matrix[[pivot, column]]
        matrix[column] = matrix[column] * pow(int(matrix[column, column]), -1, 256) % 256
        others = np.arange(len(matrix)) != column
        matrix[others] = (matrix[others] - matrix[others, column][:, None] * matrix[column]) % 256
    return matrix[:side, side:].T


def _invert_bits(matrix: AnyArray) -> AnyArray:
    """Return the packed inverse of a matrix of bits; columns without a pivot are ignored."""
    count = len(matrix)
    rows = np.packbits(np.concatenate([matrix, np.eye(count, dtype=np.uint8)], axis=1), axis=1)
    for column in range(count):
        ones = rows[:, column // 8] >> (7 - column % 8) & 1 == 1
        if not ones[column:].any():
            continue
        pivot = column + int(ones[column:].argmax())
        rows[[column, pivot]], ones[[column, pivot]] = rows[[pivot, column]], ones[[pivot, column]]
        ones[column] = False
        rows[ones] ^= rows[column]
    return rows[:, count // 8 :]


BREAKS: dict[str, Break] = {
    "bciea": break_bciea,
    "brie": break_brie,
    "ckba": break_ckba,
    "diaconu": break_diaconu,
    "fridrich-reduced": break_fridrich,
    "fu": break_bit_by_bit,
    "gao-chen": break_gao_chen,
    "hua-filter": break_hua_filter,
    "hua-lasm-no-frame": break_bit_by_bit,
    "ieaie-one-round": break_ieaie,
    "isea": break_isea,
    "mhm": break_mhm,
    "pareek": break_pareek,
    "patidar": break_patidar,
    "rces": break_rces,
    "rubik": break_rubik,
    "sudoku-matrix": break_sudoku_matrix,
    "zhu": break_zhu,
}
