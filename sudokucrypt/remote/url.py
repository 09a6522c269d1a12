"""The location of a file elsewhere, which is joined and taken apart like a path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath
from urllib.parse import unquote

from sudokucrypt.errors import InvalidParameterError

# Two letters at least: C:// is a drive of Windows.
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_PASSWORD = re.compile(r"://[^/@:]*:[^/@]*@")
# What signs an address is as good as a password, and messages end up in logs.
_SECRET = re.compile(r"(?i)([?&][^=&]*(?:sig|token|key|secret|credential|auth)[^=&]*=)[^&]+")


@dataclass(frozen=True, order=True)
class Url:
    """The location of a file elsewhere; it is joined and taken apart like a `Path`."""

    scheme: str  # what fsspec calls the store
    path: str  # the path in it, without a slash at its end
    # What follows: the query of an address, or the location of the archive that it is in.
    rest: str = ""

    @classmethod
    def read(cls, text: str) -> Url | None:
        """Return the location that a text names, or none if it is not a URL of a file elsewhere.

        Raises `InvalidParameterError` if it contains a password, where others can read it.
        """
        match = _URL.fullmatch(text)
        if match is None:
            return None
        scheme, path = match[1].lower(), match[2]
        if _PASSWORD.search(text):
            raise InvalidParameterError(
                "the URL contains a password, where others can read it",
                hint="put it into the settings of fsspec, or into the environment",
            )
        path, mark, rest = path.partition("::")
        if scheme in ("http", "https"):
            # Elsewhere a question mark may be part of a name.
            path, query, after = path.partition("?")
            rest = query + after + mark + rest
        else:
            rest = mark + rest
        return cls(scheme, path.rstrip("/") if path.strip("/") else path, rest)

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
        """Return a location in the same folder."""
        return self.parent / name

    def absolute(self) -> Url:
        """Return this, since every URL is absolute."""
        return self

    def is_absolute(self) -> bool:
        """Return True, since every URL is absolute."""
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
