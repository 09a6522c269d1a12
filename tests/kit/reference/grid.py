"""Section 3: Sudoku grids represented by three tables."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.kit.reference.draws import draw, shuffle


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A grid of order n = p q with boxes of p rows and q columns.

    `alpha` and `beta` are tables of n numbers 0..n - 1 for the rows and the columns, `sigma` is a
    permutation of these numbers.
    """

    p: int
    q: int
    alpha: tuple[int, ...]
    beta: tuple[int, ...]
    sigma: tuple[int, ...]

    @property
    def order(self) -> int:
        """The number n = p q of rows, columns and digits."""
        return self.p * self.q

    def digit(self, r: int, c: int) -> int:
        """Return S[r, c], a number 0..n - 1."""
        return self.sigma[(self.alpha[r] + self.beta[c]) % self.order]

    def digits(self) -> list[list[int]]:
        """Return all digits as a list of rows."""
        return [[self.digit(r, c) for c in range(self.order)] for r in range(self.order)]


def draw_grid(p: int, q: int, words: Iterator[int]) -> Grid:
    """Return grid(p, q), drawn from a stream of 32-bit words in the order of section 3."""
    order = p * q

    bands = shuffle(q, words)
    row = [0] * order
    for i in range(q):
        within = shuffle(p, words)
        for k in range(p):
            row[i * p + k] = bands[i] * p + within[k]

    stacks = shuffle(p, words)
    column = [0] * order
    for j in range(p):
        within = shuffle(q, words)
        for k in range(q):
            column[j * q + k] = stacks[j] * q + within[k]

    sigma = shuffle(order, words)
    is_transposed = draw(2, words) if p == q else 0

    alpha = [q * (row[r] % p) + row[r] // p for r in range(order)]
    beta = [column[c] for c in range(order)]
    if is_transposed == 1:
        alpha, beta = beta, alpha
    return Grid(p=p, q=q, alpha=tuple(alpha), beta=tuple(beta), sigma=tuple(sigma))
