"""Protect arrays that are no ordinary pictures, and look at the map of a scrambled image.

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

    # The header is a short text that must be kept with the array.
    stored = secret.header.to_bytes()
    second_header = sudokucrypt.Header.from_bytes(stored)
    print(f"header: {len(stored)} bytes, same after a round trip: {second_header == secret.header}")

    # An array is protected as one unit; to restore parts, protect slices and keep their headers.
    depth = rng.integers(0, 4096, (size, size), dtype=np.uint16)
    part = np.s_[size // 4 : size // 2, size // 4 : 3 * size // 4]
    protected = depth.copy()
    protected[part], header = sudokucrypt.scramble(depth[part], key)
    print(f"pixels that changed places: {np.mean(protected != depth):.1%}")
    protected[part] = sudokucrypt.unscramble(protected[part], key, header)
    print(f"the part is restored: {np.array_equal(protected, depth)}")

    # The complete map of a scrambled image, for research.
    result = sudokucrypt.scramble(depth, key)
    order = sudokucrypt.picture_permutation(key, result.header)
    print(f"the map is right: {np.array_equal(depth.ravel()[order], result.pixels.ravel())}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
