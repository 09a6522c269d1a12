"""Robust pictures: make the carrier image (sheet) of a picture, and restore the picture.

A picture is a list of rows of pixels, each a tuple of one or three samples; a sheet is a list of
rows of samples; a block is a list of 64 samples. Sections refer to docs/spec/robust-v1.md.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from math import ceil, cos, pi, sqrt

from tests.kit.reference import RefusedError
from tests.kit.reference.chacha20 import ZERO_NONCE, iterate_key_stream, iterate_words
from tests.kit.reference.draws import move_from, move_to
from tests.kit.reference.hkdf import compute_key_id, derive_picture_key, derive_subkey, hmac_sha256
from tests.kit.reference.permutation import draw_permutation
from tests.kit.reference.units import choose_rounds

Block = list[int]
Picture = list[list[tuple[int, ...]]]
Sheet = list[list[int]]

DARK, LIGHT = 48, 208
SHRINK, ENLARGE = 3277, 5120
CODE_BITS = 640
CONTRASTS = (2, 4, 8, 16, 24, 32, 48, 64)
COLOR_HALF = 33685503
MATRIX = [
    [round(8192 * cos((2 * x + 1) * u * pi / 16) * (0.5 if u else sqrt(1 / 8))) for x in range(8)]
    for u in range(8)
]


def count_blocks(rows: int, columns: int, colors: bool) -> int:
    """Return B, the number of blocks (section 2)."""
    count = ceil(rows / 8) * ceil(columns / 8)
    return count + 2 * ceil(rows / 16) * ceil(columns / 16) * colors


def count_heading_rows(cells_per_row: int) -> int:
    """Return h(W), the rows of cells before the blocks (section 2)."""
    return 3 + ceil(CODE_BITS / cells_per_row)


def choose_width(count: int) -> int:
    """Return W, the number of cells in a row (section 2)."""
    cells_per_row = 32
    while cells_per_row * (cells_per_row - count_heading_rows(cells_per_row)) < count:
        cells_per_row += 1
    if cells_per_row > 8187:
        raise RefusedError("the sheet is too wide")
    return cells_per_row


def list_signs(count: int) -> list[int]:
    """Return the signs s(0), s(1) and so on (section 2)."""
    signs = [1] * 13
    for index in range(13, count):
        signs.append(signs[index - 13] ^ signs[index - 12] ^ signs[index - 10] ^ signs[index - 9])
    return signs[:count]


def make_header(
    rows: int, columns: int, *, colors: bool, profile: int, salt: bytes, master: bytes
) -> bytes:
    """Return the header of 40 bytes (section 3)."""
    plain = bytes([1, colors]) + rows.to_bytes(4, "little") + columns.to_bytes(4, "little")
    plain += bytes([profile, 0]) + salt + bytes.fromhex(compute_key_id(master))
    mac_key = derive_subkey(derive_picture_key(master, salt), "picture/robust/header")
    return plain + hmac_sha256(mac_key, plain)[:8]


def multiply(factor: int, other_factor: int) -> int:
    """Return the product of two bytes in GF(256) (section 3)."""
    result = 0
    for bit in range(8):
        if other_factor >> bit & 1:
            result ^= factor << bit
    for bit in range(14, 7, -1):
        if result >> bit & 1:
            result ^= 0x11D << (bit - 8)
    return result


def encode_header(header: bytes) -> bytes:
    """Return the header and its remainder by the generator polynomial (section 3)."""
    generator, power = [1], 1
    for _ in range(40):
        shifted = [*generator, 0]
        for index, value in enumerate(generator):
            shifted[index + 1] ^= multiply(value, power)
        generator, power = shifted, multiply(power, 2)
    padded_header = [*header, *[0] * 40]
    for index in range(40):
        lead = padded_header[index]
        for offset, value in enumerate(generator):
            padded_header[index + offset] ^= multiply(lead, value)
    return header + bytes(padded_header[40:])


def flip(block: Block, signs: bytes, gain: int) -> Block:
    """Return a block with flipped signs of frequencies, times a gain (section 5)."""
    eight = range(8)
    pixels = [[block[8 * i + j] - 128 for j in eight] for i in eight]
    t = [[sum(MATRIX[u][i] * pixels[i][j] for i in eight) + 128 >> 8 for j in eight] for u in eight]
    f = [[sum(MATRIX[v][j] * t[u][j] for j in eight) + 8192 >> 14 for v in eight] for u in eight]
    f = [[-f[u][v] if signs[u] >> v & 1 else f[u][v] for v in eight] for u in eight]
    t = [[sum(MATRIX[v][j] * f[u][v] for v in eight) + 4096 >> 13 for j in eight] for u in eight]
    q = [[sum(MATRIX[u][i] * t[u][j] for u in eight) + 4096 >> 13 for j in eight] for i in eight]
    return [clamp((gain * q[i][j] + 32768 >> 16) + 128) for i in eight for j in eight]


def clamp(value: int) -> int:
    """Limit a number to 0..255."""
    return max(0, min(255, value))


def make_probe(number: int) -> Block:
    """Return the probe in a cell (section 6)."""
    level = CONTRASTS[number % 8]
    plain = [128 + level if i < 3 and j < 5 else 128 - level for i in range(8) for j in range(8)]
    return flip(
        plain, hashlib.sha256(f"robust probe {number}".encode("ascii")).digest()[:8], SHRINK
    )


def make_planes(picture: Picture) -> Iterator[list[list[int]]]:
    """Return the plane of light, and of a color picture those of both differences (section 4)."""
    if len(picture[0][0]) == 1:
        yield [[pixel[0] for pixel in row] for row in picture]
        return
    yield [[19595 * r + 38470 * g + 7471 * b + 32768 >> 16 for r, g, b in row] for row in picture]
    rows, columns = len(picture), len(picture[0])
    for x, y, z in ((-11059, -21709, 32768), (32768, -27439, -5329)):
        plane = []
        for row_pair in range(0, 16 * ceil(rows / 16), 2):
            line = []
            for column_pair in range(0, 16 * ceil(columns / 16), 2):
                four = [
                    picture[min(row_pair + a, rows - 1)][min(column_pair + b, columns - 1)]
                    for a in (0, 1)
                    for b in (0, 1)
                ]
                r, g, b = (sum(pixel[n] for pixel in four) for n in range(3))
                line.append(x * r + y * g + z * b + COLOR_HALF >> 18)
            plane.append(line)
        yield plane


def cut_blocks(plane: list[list[int]]) -> Iterator[Block]:
    """Return the blocks of a plane in raster order (section 4)."""
    rows, columns = len(plane), len(plane[0])
    for top in range(0, rows, 8):
        for left in range(0, columns, 8):
            yield [
                plane[min(top + i, rows - 1)][min(left + j, columns - 1)]
                for i in range(8)
                for j in range(8)
            ]


def scramble(picture: Picture, master: bytes, *, salt: bytes, profile: int) -> tuple[bytes, Sheet]:
    """Return the header and the sheet of a picture."""
    rows, columns, colors = len(picture), len(picture[0]), len(picture[0][0]) == 3
    header = make_header(rows, columns, colors=colors, profile=profile, salt=salt, master=master)
    cells_per_row = choose_width(count_blocks(rows, columns, colors))
    blocks = [block for plane in make_planes(picture) for block in cut_blocks(plane)]
    blocks += [[128] * 64] * (-len(blocks) % cells_per_row)
    key = derive_picture_key(master, salt)
    flipped = [
        flip(block, signs, SHRINK)
        for block, signs in zip(blocks, draw_signs(key, header, len(blocks)), strict=True)
    ]
    moved_blocks = move_from(flipped, draw_block_permutation(key, header, len(blocks)))
    code = encode_header(header)
    bits = [code[i // 8] >> i % 8 & 1 for i in range(CODE_BITS)]
    cells = [i % 2 for i in range(cells_per_row)] + list_signs(cells_per_row)
    cells += [
        bits[i % CODE_BITS] for i in range(cells_per_row * (count_heading_rows(cells_per_row) - 3))
    ]
    preamble = [[LIGHT if cell else DARK] * 64 for cell in cells]
    return header, lay_cells(
        [*preamble, *(make_probe(i) for i in range(cells_per_row)), *moved_blocks], cells_per_row
    )


def restore(carrier_image: Sheet, header: bytes, master: bytes) -> Picture:
    """Check the header of a sheet, and return its picture."""
    rows, columns = (int.from_bytes(header[i : i + 4], "little") for i in (2, 6))
    colors, salt = header[1] == 1, header[12:28]
    right = make_header(rows, columns, colors=colors, profile=header[10], salt=salt, master=master)
    if header != right:
        raise RefusedError("the header is not this key's")
    key, cells_per_row = derive_picture_key(master, salt), len(carrier_image[0]) // 8
    cells = list(cut_blocks(carrier_image))[cells_per_row * count_heading_rows(cells_per_row) :]
    moved_blocks = move_to(cells, draw_block_permutation(key, header, len(cells)))
    blocks = [
        flip(block, signs, ENLARGE)
        for block, signs in zip(
            moved_blocks, draw_signs(key, header, len(moved_blocks)), strict=True
        )
    ]
    lightness = join_blocks(blocks, rows, columns)
    if not colors:
        return [[(y,) for y in row] for row in lightness]
    half_rows, n, first = ceil(rows / 2), ceil(columns / 2), ceil(rows / 8) * ceil(columns / 8)
    small = ceil(half_rows / 8) * ceil(n / 8)
    differences = [join_blocks(blocks[start:], half_rows, n) for start in (first, first + small)]
    return [
        [
            make_color_pixel(lightness[i][j], *(interpolate(plane, i, j) for plane in differences))
            for j in range(columns)
        ]
        for i in range(rows)
    ]


def interpolate(plane: list[list[int]], row: int, column: int) -> int:
    """Return a color difference at a pixel, minus 128 (section 4)."""
    k, n = row // 2, column // 2
    k2 = max(0, min(len(plane) - 1, k + (1 if row % 2 else -1)))
    n2 = max(0, min(len(plane[0]) - 1, n + (1 if column % 2 else -1)))
    weighted_sum = 9 * plane[k][n] + 3 * plane[k2][n] + 3 * plane[k][n2] + plane[k2][n2]
    return (weighted_sum + 8 >> 4) - 128


def make_color_pixel(luma: int, blue: int, red_chroma: int) -> tuple[int, int, int]:
    """Return red, green and blue of a pixel (section 4)."""
    red = luma + (91881 * red_chroma + 32768 >> 16)
    green = luma - (22554 * blue + 46802 * red_chroma + 32768 >> 16)
    return clamp(red), clamp(green), clamp(luma + (116130 * blue + 32768 >> 16))


def draw_signs(key: bytes, header: bytes, count: int) -> list[bytes]:
    """Return the 8 bytes of signs of each block (section 5)."""
    stream = iterate_key_stream(
        derive_subkey(key, "picture/robust/signs", context=header[:32]), counter=0, nonce=ZERO_NONCE
    )
    return [bytes(islice(stream, 8)) for _ in range(count)]


def draw_block_permutation(key: bytes, header: bytes, count: int) -> list[int]:
    """Return the permutation of the blocks (section 5)."""
    stream = iterate_words(derive_subkey(key, "picture/robust/permutation", context=header[:32]))
    return draw_permutation(count, choose_rounds([count]), stream)


def join_blocks(blocks: Sequence[Block], rows: int, columns: int) -> list[list[int]]:
    """Join blocks in raster order to a plane of this size."""
    cells_per_row = ceil(columns / 8)
    return [
        [blocks[i // 8 * cells_per_row + j // 8][i % 8 * 8 + j % 8] for j in range(columns)]
        for i in range(rows)
    ]


def lay_cells(cells: Sequence[Block], cells_per_row: int) -> Sheet:
    """Join cells in raster order to a sheet."""
    return join_blocks(cells, 8 * (len(cells) // cells_per_row), 8 * cells_per_row)
