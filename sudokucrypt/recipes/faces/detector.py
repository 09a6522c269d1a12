"""Search a picture for faces at several sizes, by the network YuNet in OpenCV.

Source: W. Wu, H. Peng, S. Yu, YuNet: A tiny millisecond-level face detector, 2023,
doi:10.1007/s11633-023-1423-y. NOTICE-yunet says where the model in this folder is from.
"""

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sudokucrypt.errors import UnsupportedError, extra_hint
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers

# Larger pictures are reduced to this, which bounds time and memory.
_MAX_PIXELS = 8_000_000
# Each level has this share of the sides of the level before, as long as one is above the limit.
_RATIO, _SMALL_SIDE = 0.4, 640
# Levels with a longer side are searched in parts. Parts overlap by the largest face that they are
# searched for, in pixels, so that each such face lies whole in one of them.
_PART_SIDE, _PART_FACE = 1632, 96
# Larger faces are left to the next level, where the network finds them with fewer errors.
_LEVEL_FACE = 240
# The network scores 0..1. Boxes from the first score on are faces. Boxes from the second on are
# looked at again: upright and turned in degrees, as large as the network knows faces best.
_SURE, _POSSIBLE, _CONFIRMED = 0.65, 0.4, 0.85
_TURNS, _CONFIRMED_SIDE, _MAX_CONFIRMATIONS = (-30, 0, 30), 128, 24
# Boxes that share more of their union, or of the smaller one, show the same face.
_SAME_UNION, _SAME_SMALLER = 0.3, 0.7

# The settings of OpenCV that a search changes belong to the process.
_LOCK = threading.Lock()


class Face(NamedTuple):
    """A rectangle in pixels, which need not be whole, and its score, 0..1."""

    row: float
    column: float
    rows: float
    columns: float
    score: float

    @property
    def side(self) -> float:
        """The longer side."""
        return max(self.rows, self.columns)

    def shift(self, row: float, column: float) -> "Face":
        """Return the face in the picture whose part begins at this row and column."""
        return self._replace(row=self.row + row, column=self.column + column)

    def scale(self, factor: float) -> "Face":
        """Return the face in the picture that is larger by this factor."""
        row, column, rows, columns = (factor * value for value in self[:4])
        return Face(row, column, rows, columns, self.score)

    def is_same_as(self, other: "Face") -> bool:
        """Return whether two boxes share so much that they show one face."""
        rows = min(self.row + self.rows, other.row + other.rows) - max(self.row, other.row)
        columns = min(self.column + self.columns, other.column + other.columns) - max(
            self.column, other.column
        )
        shared = max(0.0, rows) * max(0.0, columns)
        areas = self.rows * self.columns, other.rows * other.columns
        return shared > min(_SAME_UNION * (sum(areas) - shared), _SAME_SMALLER * min(areas))


class Detector:
    """YuNet in OpenCV. It is made by `open_detector`, and serves one thread."""

    def __init__(self) -> None:
        import cv2

        self._cv2 = cv2
        model = np.frombuffer(
            files(__package__).joinpath("yunet_s_640_640.onnx").read_bytes(), dtype=np.uint8
        )
        self._network = cv2.FaceDetectorYN.create(
            "onnx", model, np.empty(0, dtype=np.uint8), (32, 32), _POSSIBLE, _SAME_UNION, 5000
        )

    def reduce(self, pixels: AnyArray) -> AnyArray:
        """Return a picture that has at most as many pixels as are searched."""
        rows, columns = pixels.shape[:2]
        return self._resize(pixels, min(1.0, math.sqrt(_MAX_PIXELS / (rows * columns))))

    def search(self, pixels: AnyArray) -> list[Face]:
        """Return the faces of a gray or RGB picture of 8 bits, the best one first."""
        # OpenCV keeps colors in the order BGR.
        first = np.dstack([pixels] * 3) if pixels.ndim == 2 else pixels[..., ::-1]
        found: list[Face] = []
        level, factor = np.ascontiguousarray(first), 1.0
        while True:
            last = max(level.shape[:2]) <= _SMALL_SIDE
            found += (face.scale(1 / factor) for face in self._search_level(level, last=last))
            if last:
                break
            factor *= _RATIO
            level = self._resize(level, _RATIO)
        faces: list[Face] = []
        confirmations = 0
        for face in sorted(found, key=lambda face: (-face.score, face)):
            if any(face.is_same_as(other) for other in faces):
                continue
            if face.score < _SURE:
                confirmations += 1
                if confirmations > _MAX_CONFIRMATIONS or not self._is_confirmed(first, face):
                    continue
            faces.append(face)
        return faces

    def _search_level(self, level: AnyArray, *, last: bool) -> Iterator[Face]:
        """Yield the faces of a level, those that are too large for it only in the last one."""
        split = max(level.shape[:2]) > _PART_SIDE
        largest = math.inf if last else _PART_FACE if split else _LEVEL_FACE
        rows, columns = (list(_cut_parts(side)) for side in level.shape[:2])
        for row, last_row in rows:
            for column, last_column in columns:
                for face in self._detect(level[row:last_row, column:last_column]):
                    if face.side <= largest:
                        yield face.shift(row, column)

    def _is_confirmed(self, pixels: AnyArray, face: Face) -> bool:
        """Return whether a box shows a face when only its surroundings are looked at."""
        around = 0.7 * face.side
        top, left = max(0, int(face.row - around)), max(0, int(face.column - around))
        bottom, right = face.row + face.rows + around, face.column + face.columns + around
        factor = _CONFIRMED_SIDE / face.side
        part = self._resize(pixels[top : int(bottom), left : int(right)], factor)
        center = (
            factor * (face.column + face.columns / 2 - left),
            factor * (face.row + face.rows / 2 - top),
        )
        side = round(_CONFIRMED_SIDE * 2.4)
        for degrees in _TURNS:
            matrix: AnyArray = self._cv2.getRotationMatrix2D(center, degrees, 1)
            matrix[:, 2] += side / 2 - np.array(center)
            for again in self._detect(self._cv2.warpAffine(part, matrix, (side, side))):
                offsets = (
                    again.row + again.rows / 2 - side / 2,
                    again.column + again.columns / 2 - side / 2,
                )
                if (
                    again.score >= _CONFIRMED
                    and max(map(abs, offsets)) < 0.35 * _CONFIRMED_SIDE
                    and 0.4 < again.side / _CONFIRMED_SIDE < 1.8
                ):
                    return True
        return False

    def _detect(self, pixels: AnyArray) -> list[Face]:
        rows, columns = pixels.shape[:2]
        self._network.setInputSize((columns, rows))
        found = self._network.detect(np.ascontiguousarray(pixels))[1]
        return [
            Face(row, column, height, width, score)
            for column, row, width, height, *_, score in (() if found is None else found.tolist())
        ]

    def _resize(self, pixels: AnyArray, factor: float) -> AnyArray:
        if factor == 1:
            return pixels
        rows, columns = (max(1, round(factor * side)) for side in pixels.shape[:2])
        way = self._cv2.INTER_AREA if factor < 1 else self._cv2.INTER_LINEAR
        return self._cv2.resize(np.ascontiguousarray(pixels), (columns, rows), interpolation=way)


@contextmanager
def open_detector() -> Iterator[Detector]:
    """Yield a detector, with OpenCV silent and in as many threads as `Workers` has.

    Raises `UnsupportedError` if OpenCV is not installed. One search runs at a time in a process.
    """
    try:
        import cv2
    except ImportError:
        raise UnsupportedError("finding faces needs OpenCV", hint=extra_hint("faces")) from None
    with _LOCK:
        threads = cv2.getNumThreads()
        # Versions before 4.13 neither have it nor warn of each network.
        logging = getattr(cv2.utils, "logging", None)
        level = None if logging is None else logging.setLogLevel(logging.LOG_LEVEL_SILENT)
        cv2.setNumThreads(Workers().threads)
        try:
            yield Detector()
        finally:
            cv2.setNumThreads(threads)
            if logging is not None:
                logging.setLogLevel(level)


def _cut_parts(side: int) -> list[tuple[int, int]]:
    """Return where parts of a side start and stop, which overlap by the largest face of a part."""
    own = side - _PART_FACE
    count = max(1, math.ceil(own / (_PART_SIDE - _PART_FACE)))
    cuts = [own * part // count for part in range(count + 1)]
    return [(max(0, start), stop + _PART_FACE) for start, stop in pairwise(cuts)]
