"""Search a picture at several sizes for faces, with the neural network YuNet of OpenCV.

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

from sudokucrypt.errors import UnsupportedError, format_extra_hint
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers

# Larger pictures are reduced to this number of pixels, which bounds time and memory.
_MAX_PIXELS = 8_000_000
# A picture is searched in levels of decreasing size. The sides of a level are the sides of the
# previous level times the ratio. The longer side of the last level is at most the limit.
_LEVEL_RATIO, _LAST_LEVEL_SIDE = 0.4, 640
# A level with a longer side than this is searched in parts. Parts overlap by the largest face for
# which they are searched, so that each such face is completely inside one part.
_PART_SIDE, _LARGEST_PART_FACE = 1632, 96
# Larger faces are left to the next level, where the network finds them with fewer errors.
_LARGEST_LEVEL_FACE = 240
# Scores of the network are in 0..1. Boxes with at least the first score are faces. A box with
# at least the second score is searched again: it is resized so that the face has the size that the
# network knows best, and turned by each of these angles. The box is a face if the network then
# gives it at least the third score.
_SURE_SCORE, _POSSIBLE_SCORE, _CONFIRMED_SCORE = 0.65, 0.4, 0.85
_CONFIRMING_DEGREES, _CONFIRMING_FACE_SIDE, _MAX_CONFIRMATIONS = (-30, 0, 30), 128, 24
# Two boxes show the same face if their overlap is more than this share of their union or of the
# smaller box.
_SAME_FACE_UNION_SHARE, _SAME_FACE_SMALLER_SHARE = 0.3, 0.7

# A search changes settings of OpenCV, which all threads of the process share.
_OPENCV_LOCK = threading.Lock()


class Face(NamedTuple):
    """A rectangle in fractional pixels, and the score of its face, 0..1."""

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
        """Convert a face in a part that begins at `row` and `column` to the whole picture."""
        return self._replace(row=self.row + row, column=self.column + column)

    def scale(self, factor: float) -> "Face":
        """Return the face in a picture whose sides are `factor` times as long."""
        row, column, rows, columns = (factor * value for value in self[:4])
        return Face(row, column, rows, columns, self.score)

    def is_same_as(self, other: "Face") -> bool:
        """Return whether two boxes share so much that they show one face."""
        rows = min(self.row + self.rows, other.row + other.rows) - max(self.row, other.row)
        columns = min(self.column + self.columns, other.column + other.columns) - max(
            self.column, other.column
        )
        shared_area = max(0.0, rows) * max(0.0, columns)
        areas = self.rows * self.columns, other.rows * other.columns
        return shared_area > min(
            _SAME_FACE_UNION_SHARE * (sum(areas) - shared_area),
            _SAME_FACE_SMALLER_SHARE * min(areas),
        )


class Detector:
    """The network YuNet in OpenCV, for one thread; `open_detector` makes it."""

    def __init__(self) -> None:
        import cv2

        self._cv2 = cv2
        model = np.frombuffer(
            files(__package__).joinpath("yunet_s_640_640.onnx").read_bytes(), dtype=np.uint8
        )
        self._network = cv2.FaceDetectorYN.create(
            "onnx",
            model,
            np.empty(0, dtype=np.uint8),
            (32, 32),
            _POSSIBLE_SCORE,
            _SAME_FACE_UNION_SHARE,
            5000,
        )

    def reduce(self, pixels: AnyArray) -> AnyArray:
        """Reduce a picture to the largest size that is searched."""
        rows, columns = pixels.shape[:2]
        return self._resize(pixels, min(1.0, math.sqrt(_MAX_PIXELS / (rows * columns))))

    def search(self, pixels: AnyArray) -> list[Face]:
        """Return the faces of a gray or RGB picture of 8 bits, the best one first."""
        # OpenCV keeps colors in the order BGR.
        full_size_pixels = np.dstack([pixels] * 3) if pixels.ndim == 2 else pixels[..., ::-1]
        candidates: list[Face] = []
        level, factor = np.ascontiguousarray(full_size_pixels), 1.0
        while True:
            is_last = max(level.shape[:2]) <= _LAST_LEVEL_SIDE
            candidates += (
                face.scale(1 / factor) for face in self._search_level(level, is_last=is_last)
            )
            if is_last:
                break
            factor *= _LEVEL_RATIO
            level = self._resize(level, _LEVEL_RATIO)
        faces: list[Face] = []
        confirmation_count = 0
        for face in sorted(candidates, key=lambda face: (-face.score, face)):
            if any(face.is_same_as(better_face) for better_face in faces):
                continue
            if face.score < _SURE_SCORE:
                confirmation_count += 1
                if confirmation_count > _MAX_CONFIRMATIONS or not self._is_confirmed(
                    full_size_pixels, face
                ):
                    continue
            faces.append(face)
        return faces

    def _search_level(self, level: AnyArray, *, is_last: bool) -> Iterator[Face]:
        """Yield the faces of a level up to a maximum side; the last level has no maximum."""
        is_split = max(level.shape[:2]) > _PART_SIDE
        max_face_side = (
            math.inf if is_last else _LARGEST_PART_FACE if is_split else _LARGEST_LEVEL_FACE
        )
        rows, columns = (list(_cut_parts(side)) for side in level.shape[:2])
        for row, end_row in rows:
            for column, end_column in columns:
                for face in self._detect(level[row:end_row, column:end_column]):
                    if face.side <= max_face_side:
                        yield face.shift(row, column)

    def _is_confirmed(self, pixels: AnyArray, face: Face) -> bool:
        """Return whether the network finds the face again in a resized picture around its box."""
        border_width = 0.7 * face.side
        top, left = max(0, int(face.row - border_width)), max(0, int(face.column - border_width))
        bottom, right = (
            face.row + face.rows + border_width,
            face.column + face.columns + border_width,
        )
        factor = _CONFIRMING_FACE_SIDE / face.side
        face_pixels = self._resize(pixels[top : int(bottom), left : int(right)], factor)
        face_center = (
            factor * (face.column + face.columns / 2 - left),
            factor * (face.row + face.rows / 2 - top),
        )
        side = round(_CONFIRMING_FACE_SIDE * 2.4)
        for degrees in _CONFIRMING_DEGREES:
            rotation: AnyArray = self._cv2.getRotationMatrix2D(face_center, degrees, 1)
            rotation[:, 2] += side / 2 - np.array(face_center)
            for turned_face in self._detect(
                self._cv2.warpAffine(face_pixels, rotation, (side, side))
            ):
                offsets = (
                    turned_face.row + turned_face.rows / 2 - side / 2,
                    turned_face.column + turned_face.columns / 2 - side / 2,
                )
                if (
                    turned_face.score >= _CONFIRMED_SCORE
                    and max(map(abs, offsets)) < 0.35 * _CONFIRMING_FACE_SIDE
                    and 0.4 < turned_face.side / _CONFIRMING_FACE_SIDE < 1.8
                ):
                    return True
        return False

    def _detect(self, pixels: AnyArray) -> list[Face]:
        rows, columns = pixels.shape[:2]
        self._network.setInputSize((columns, rows))
        detections = self._network.detect(np.ascontiguousarray(pixels))[1]
        return [
            Face(row, column, height, width, score)
            for column, row, width, height, *_, score in (
                () if detections is None else detections.tolist()
            )
        ]

    def _resize(self, pixels: AnyArray, factor: float) -> AnyArray:
        if factor == 1:
            return pixels
        rows, columns = (max(1, round(factor * side)) for side in pixels.shape[:2])
        method = self._cv2.INTER_AREA if factor < 1 else self._cv2.INTER_LINEAR
        return self._cv2.resize(np.ascontiguousarray(pixels), (columns, rows), interpolation=method)


@contextmanager
def open_detector() -> Iterator[Detector]:
    """Yield a detector, while OpenCV prints no messages and has as many threads as `Workers`.

    Raises `UnsupportedError` if OpenCV is not installed. One search runs at a time in a process.
    """
    try:
        import cv2
    except ImportError:
        raise UnsupportedError(
            "finding faces needs OpenCV", hint=format_extra_hint("faces")
        ) from None
    with _OPENCV_LOCK:
        threads = cv2.getNumThreads()
        # OpenCV before version 4.13 neither has nor needs this setting.
        cv2_logging = getattr(cv2.utils, "logging", None)
        level = (
            None if cv2_logging is None else cv2_logging.setLogLevel(cv2_logging.LOG_LEVEL_SILENT)
        )
        cv2.setNumThreads(Workers().threads)
        try:
            yield Detector()
        finally:
            cv2.setNumThreads(threads)
            if cv2_logging is not None:
                cv2_logging.setLogLevel(level)


def _cut_parts(side: int) -> list[tuple[int, int]]:
    """Return start and stop of the parts of a side, which overlap by the largest face of a part."""
    side_without_overlap = side - _LARGEST_PART_FACE
    count = max(1, math.ceil(side_without_overlap / (_PART_SIDE - _LARGEST_PART_FACE)))
    cut_positions = [side_without_overlap * part // count for part in range(count + 1)]
    return [(max(0, start), stop + _LARGEST_PART_FACE) for start, stop in pairwise(cut_positions)]
