"""Protect arrays that are no ordinary pictures: many channels, floats, slices, whole maps.

Usage: python numpy_use.py [SIZE]
"""

from __future__ import annotations

import sys

import numpy as np

import sudokucrypt


def main(size: int = 256) -> None:
    """Run every step on arrays of `size` rows and columns."""
    rng = np.random.default_rng(1)
    key = sudokucrypt.Key.generate()

    # Shapes (M,), (M, N) and (M, N, C) of numbers; here a scan of 12 spectral bands as floats.
    rows, columns = np.indices((size, size)) / size
    scan = np.stack([np.sin(band * rows) + np.cos(columns) for band in range(12)], axis=-1)
    secret = sudokucrypt.encrypt(scan, key)
    print(f"encrypted: {secret.pixels.shape} {secret.pixels.dtype}")
    restored = sudokucrypt.decrypt(secret.pixels, key, secret.header)
    print(f"same bytes: {restored.tobytes() == scan.tobytes()}")

    # The header is a few bytes of text that travels beside the array.
    text = secret.header.to_bytes()
    again = sudokucrypt.Header.from_bytes(text)
    print(f"header: {len(text)} bytes, same after a round trip: {again == secret.header}")

    # An array is protected as a whole; of a part, protect the slice and keep its header.
    depth = rng.integers(0, 4096, (size, size), dtype=np.uint16)
    part = np.s_[size // 4 : size // 2, size // 4 : 3 * size // 4]
    hidden = depth.copy()
    hidden[part], header = sudokucrypt.scramble(depth[part], key)
    print(f"pixels that changed places: {np.mean(hidden != depth):.1%}")
    hidden[part] = sudokucrypt.unscramble(hidden[part], key, header)
    print(f"the part is restored: {np.array_equal(hidden, depth)}")

    # The whole map of a scrambled image, for those who study it.
    result = sudokucrypt.scramble(depth, key)
    order = sudokucrypt.picture_permutation(key, result.header)
    print(f"the map is right: {np.array_equal(depth.ravel()[order], result.pixels.ravel())}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
