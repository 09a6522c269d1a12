"""Robust pictures: the sheet of a picture and the picture of a sheet, sample by sample.

A picture is a list of rows of pixels, each a tuple of one or three samples; a sheet is a list of
rows of samples; a block is a list of 64 samples. Sections are those of docs/spec/robust-v1.md.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from math import ceil, cos, pi, sqrt

from tests.kit.reference import RefusedError
from tests.kit.reference.chacha20 import ZERO_NONCE, key_stream, words
from tests.kit.reference.draws import move_from, move_to
from tests.kit.reference.hkdf import hmac_sha256, key_id, picture_key, subkey
from tests.kit.reference.permutation import permutation
from tests.kit.reference.units import default_rounds

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


def block_count(rows: int, columns: int, colors: bool) -> int:
    """Section 2: B."""
    count = ceil(rows / 8) * ceil(columns / 8)
    return count + 2 * ceil(rows / 16) * ceil(columns / 16) * colors


def heading_rows(across: int) -> int:
    """Section 2: h(W)."""
    return 3 + ceil(CODE_BITS / across)


def width(count: int) -> int:
    """Section 2: W."""
    across = 32
    while across * (across - heading_rows(across)) < count:
        across += 1
    if across > 8187:
        raise RefusedError("the sheet is too wide")
    return across


def list_signs(count: int) -> list[int]:
    """Section 2: s(0), s(1) and so on."""
    s = [1] * 13
    for n in range(13, count):
        s.append(s[n - 13] ^ s[n - 12] ^ s[n - 10] ^ s[n - 9])
    return s[:count]


def header_of(
    rows: int, columns: int, *, colors: bool, profile: int, salt: bytes, master: bytes
) -> bytes:
    """Section 3: the 40 bytes."""
    plain = bytes([1, colors]) + rows.to_bytes(4, "little") + columns.to_bytes(4, "little")
    plain += bytes([profile, 0]) + salt + bytes.fromhex(key_id(master))
    mac_key = subkey(picture_key(master, salt), "picture/robust/header")
    return plain + hmac_sha256(mac_key, plain)[:8]


def product(a: int, b: int) -> int:
    """Section 3: the product of two bytes in GF(256)."""
    result = 0
    for bit in range(8):
        if b >> bit & 1:
            result ^= a << bit
    for bit in range(14, 7, -1):
        if result >> bit & 1:
            result ^= 0x11D << (bit - 8)
    return result


def code_of(header: bytes) -> bytes:
    """Section 3: the header and the rest of its division by the generator polynomial."""
    generator, power = [1], 1
    for _ in range(40):
        shifted = [*generator, 0]
        for i, value in enumerate(generator):
            shifted[i + 1] ^= product(value, power)
        generator, power = shifted, product(power, 2)
    rest = [*header, *[0] * 40]
    for i in range(40):
        lead = rest[i]
        for j, value in enumerate(generator):
            rest[i + j] ^= product(lead, value)
    return header + bytes(rest[40:])


def flip(block: Block, signs: bytes, gain: int) -> Block:
    """Section 5: flip."""
    eight = range(8)
    p = [[block[8 * i + j] - 128 for j in eight] for i in eight]
    t = [[sum(MATRIX[u][i] * p[i][j] for i in eight) + 128 >> 8 for j in eight] for u in eight]
    f = [[sum(MATRIX[v][j] * t[u][j] for j in eight) + 8192 >> 14 for v in eight] for u in eight]
    f = [[-f[u][v] if signs[u] >> v & 1 else f[u][v] for v in eight] for u in eight]
    t = [[sum(MATRIX[v][j] * f[u][v] for v in eight) + 4096 >> 13 for j in eight] for u in eight]
    q = [[sum(MATRIX[u][i] * t[u][j] for u in eight) + 4096 >> 13 for j in eight] for i in eight]
    return [cut((gain * q[i][j] + 32768 >> 16) + 128) for i in eight for j in eight]


def cut(value: int) -> int:
    """A number brought into 0..255."""
    return max(0, min(255, value))


def probe(number: int) -> Block:
    """Section 6: the probe in a cell."""
    a = CONTRASTS[number % 8]
    plain = [128 + a if i < 3 and j < 5 else 128 - a for i in range(8) for j in range(8)]
    return flip(
        plain, hashlib.sha256(f"robust probe {number}".encode("ascii")).digest()[:8], SHRINK
    )


def planes_of(picture: Picture) -> Iterator[list[list[int]]]:
    """Section 4: the light, and with colors both differences, these of whole blocks."""
    if len(picture[0][0]) == 1:
        yield [[pixel[0] for pixel in row] for row in picture]
        return
    yield [[19595 * r + 38470 * g + 7471 * b + 32768 >> 16 for r, g, b in row] for row in picture]
    rows, columns = len(picture), len(picture[0])
    for x, y, z in ((-11059, -21709, 32768), (32768, -27439, -5329)):
        plane = []
        for i in range(0, 16 * ceil(rows / 16), 2):
            line = []
            for j in range(0, 16 * ceil(columns / 16), 2):
                four = [
                    picture[min(i + a, rows - 1)][min(j + b, columns - 1)]
                    for a in (0, 1)
                    for b in (0, 1)
                ]
                r, g, b = (sum(pixel[n] for pixel in four) for n in range(3))
                line.append(x * r + y * g + z * b + COLOR_HALF >> 18)
            plane.append(line)
        yield plane


def blocks_of(plane: list[list[int]]) -> Iterator[Block]:
    """Section 4: the blocks of a plane in raster order."""
    rows, columns = len(plane), len(plane[0])
    for top in range(0, rows, 8):
        for left in range(0, columns, 8):
            yield [
                plane[min(top + i, rows - 1)][min(left + j, columns - 1)]
                for i in range(8)
                for j in range(8)
            ]


def scramble(picture: Picture, master: bytes, *, salt: bytes, profile: int) -> tuple[bytes, Sheet]:
    """The header and the sheet of a picture."""
    rows, columns, colors = len(picture), len(picture[0]), len(picture[0][0]) == 3
    header = header_of(rows, columns, colors=colors, profile=profile, salt=salt, master=master)
    across = width(block_count(rows, columns, colors))
    blocks = [block for plane in planes_of(picture) for block in blocks_of(plane)]
    blocks += [[128] * 64] * (-len(blocks) % across)
    key = picture_key(master, salt)
    flipped = [
        flip(block, signs, SHRINK)
        for block, signs in zip(blocks, signs_of(key, header, len(blocks)), strict=True)
    ]
    moved = move_from(flipped, moves_of(key, header, len(blocks)))
    code = code_of(header)
    bits = [code[i // 8] >> i % 8 & 1 for i in range(CODE_BITS)]
    cells = [i % 2 for i in range(across)] + list_signs(across)
    cells += [bits[i % CODE_BITS] for i in range(across * (heading_rows(across) - 3))]
    top = [[LIGHT if cell else DARK] * 64 for cell in cells]
    return header, lay_cells([*top, *(probe(i) for i in range(across)), *moved], across)


def restore(sheet: Sheet, header: bytes, master: bytes) -> Picture:
    """The picture of a sheet, after a check of its header."""
    rows, columns = (int.from_bytes(header[i : i + 4], "little") for i in (2, 6))
    colors, salt = header[1] == 1, header[12:28]
    right = header_of(rows, columns, colors=colors, profile=header[10], salt=salt, master=master)
    if header != right:
        raise RefusedError("the header is not this key's")
    key, across = picture_key(master, salt), len(sheet[0]) // 8
    cells = list(blocks_of(sheet))[across * heading_rows(across) :]
    moved = move_to(cells, moves_of(key, header, len(cells)))
    blocks = [
        flip(block, signs, ENLARGE)
        for block, signs in zip(moved, signs_of(key, header, len(moved)), strict=True)
    ]
    light = plane_of(blocks, rows, columns)
    if not colors:
        return [[(y,) for y in row] for row in light]
    m, n, first = ceil(rows / 2), ceil(columns / 2), ceil(rows / 8) * ceil(columns / 8)
    small = ceil(m / 8) * ceil(n / 8)
    differences = [plane_of(blocks[at:], m, n) for at in (first, first + small)]
    return [
        [
            color_pixel(light[i][j], *(between(plane, i, j) for plane in differences))
            for j in range(columns)
        ]
        for i in range(rows)
    ]


def between(plane: list[list[int]], i: int, j: int) -> int:
    """Section 4: a color difference at a pixel, less 128."""
    k, n = i // 2, j // 2
    k2 = max(0, min(len(plane) - 1, k + (1 if i % 2 else -1)))
    n2 = max(0, min(len(plane[0]) - 1, n + (1 if j % 2 else -1)))
    whole = 9 * plane[k][n] + 3 * plane[k2][n] + 3 * plane[k][n2] + plane[k2][n2]
    return (whole + 8 >> 4) - 128


def color_pixel(y: int, b: int, r: int) -> tuple[int, int, int]:
    """Section 4: red, green and blue."""
    red = y + (91881 * r + 32768 >> 16)
    green = y - (22554 * b + 46802 * r + 32768 >> 16)
    return cut(red), cut(green), cut(y + (116130 * b + 32768 >> 16))


def signs_of(key: bytes, header: bytes, count: int) -> list[bytes]:
    """Section 5: the 8 bytes of signs of each block."""
    stream = key_stream(
        subkey(key, "picture/robust/signs", context=header[:32]), counter=0, nonce=ZERO_NONCE
    )
    return [bytes(islice(stream, 8)) for _ in range(count)]


def moves_of(key: bytes, header: bytes, count: int) -> list[int]:
    """Section 5: the permutation of the blocks."""
    stream = words(subkey(key, "picture/robust/permutation", context=header[:32]))
    return permutation(count, default_rounds([count]), stream)


def plane_of(blocks: Sequence[Block], rows: int, columns: int) -> list[list[int]]:
    """A plane from its blocks in raster order, cut to its size."""
    across = ceil(columns / 8)
    return [
        [blocks[i // 8 * across + j // 8][i % 8 * 8 + j % 8] for j in range(columns)]
        for i in range(rows)
    ]


def lay_cells(cells: Sequence[Block], across: int) -> Sheet:
    """The sheet of cells in raster order."""
    return plane_of(cells, 8 * (len(cells) // across), 8 * across)
