"""The place of a file elsewhere, which can be joined and taken apart as a path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath
from urllib.parse import unquote

from sudokucrypt.errors import InvalidParameterError

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_PASSWORD = re.compile(r"://[^/@:]*:[^/@]*@")
_SECRET = re.compile(r"(?i)([?&][^=&]*(?:sig|token|key|secret|credential|auth)[^=&]*=)[^&]+")


@dataclass(frozen=True, order=True)
class Url:
    """The place of a file elsewhere; it can be joined and taken apart as a `Path` can.

    Parameters
    ----------
    scheme : str
        What fsspec calls the store.
    path : str
        The place in it, without a slash at its end.
    rest : str
        What follows: the query of an address, or the place of the archive that it is in.
    """

    scheme: str
    path: str
    rest: str = ""

    @classmethod
    def read(cls, text: str) -> Url | None:
        """Return the place that a text names, or none if it is no URL of a place elsewhere.

        Raises
        ------
        InvalidParameterError
            If a password stands in it, where others can read it.
        """
        found = _URL.fullmatch(text)
        if found is None:
            return None
        scheme, place = found[1].lower(), found[2]
        if _PASSWORD.search(text):
            raise InvalidParameterError(
                "the URL contains a password, where others can read it",
                hint="put it into the settings of fsspec, or into the environment",
            )
        place, mark, rest = place.partition("::")
        if scheme in ("http", "https"):
            place, query, after = place.partition("?")
            rest = query + after + mark + rest
        else:
            rest = mark + rest
        return cls(scheme, place.rstrip("/") if place.strip("/") else place, rest)

    @property
    def text(self) -> str:
        """The URL as it is opened; messages have `str`, which hides signatures."""
        return f"{self.scheme}://{self.path}{self.rest}"

    def __str__(self) -> str:
        return without_secrets(self.text)

    __repr__ = __str__

    @property
    def name(self) -> str:
        """The last part."""
        name = self.path.rpartition("/")[2]
        return unquote(name) if self.scheme in ("http", "https") else name

    @property
    def stem(self) -> str:
        """The last part without suffix."""
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        """The suffix of the last part."""
        return PurePosixPath(self.name).suffix

    @property
    def parent(self) -> Url:
        """The folder."""
        return Url(self.scheme, self.path.rpartition("/")[0], self.rest)

    def with_name(self, name: str) -> Url:
        """Return a place in the same folder."""
        return self.parent / name

    def absolute(self) -> Url:
        """Return this, which is whole."""
        return self

    def is_absolute(self) -> bool:
        """Tell that this is whole."""
        return True

    def __truediv__(self, other: str | PurePath) -> Url:
        added = PurePosixPath(other).as_posix()
        if added == ".":
            return self
        joined = f"{self.path.rstrip('/')}/{added}" if self.path else added
        return Url(self.scheme, joined, self.rest)


def without_secrets(text: str) -> str:
    """Return a text in which the values of signatures and tokens are hidden."""
    return _SECRET.sub(r"\1...", text)
