"""The location of a remote file, with the methods of a path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath
from urllib.parse import unquote

from sudokucrypt.errors import InvalidParameterError

# The scheme has at least two letters, since C:// is a drive of Windows.
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_PASSWORD = re.compile(r"://[^/@:]*:[^/@]*@")
# A signature or token in a URL works like a password, and messages end up in logs.
_SECRET = re.compile(r"(?i)([?&][^=&]*(?:sig|token|key|secret|credential|auth)[^=&]*=)[^&]+")


@dataclass(frozen=True, order=True)
class Url:
    """The location of a remote file, with the methods of a `Path`."""

    scheme: str  # the name of the store in fsspec
    path: str  # the path in the store, without a slash at its end
    # The text after the path: the query, or the location of the archive that holds the file.
    inner_path: str = ""

    @classmethod
    def read(cls, text: str) -> Url | None:
        """Parse a text as the URL of a remote file; return None if the text is not such a URL.

        Raises `InvalidParameterError` if the URL contains a password.
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
        path, separator, inner_path = path.partition("::")
        if scheme in ("http", "https"):
            # In other schemes a question mark may be part of a name.
            path, question_mark, query = path.partition("?")
            inner_path = question_mark + query + separator + inner_path
        else:
            inner_path = separator + inner_path
        return cls(scheme, path.rstrip("/") if path.strip("/") else path, inner_path)

    @property
    def text(self) -> str:
        """The whole URL, to open the file; messages use `str(url)`, which hides secrets."""
        return f"{self.scheme}://{self.path}{self.inner_path}"

    def __str__(self) -> str:
        return hide_secrets(self.text)

    __repr__ = __str__

    @property
    def name(self) -> str:
        """The last part of the path."""
        name = self.path.rpartition("/")[2]
        return unquote(name) if self.scheme in ("http", "https") else name

    @property
    def stem(self) -> str:
        """The name without its suffix."""
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        """The suffix of the name, with its dot."""
        return PurePosixPath(self.name).suffix

    @property
    def parent(self) -> Url:
        """The folder that holds the file."""
        return Url(self.scheme, self.path.rpartition("/")[0], self.inner_path)

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
        relative_path = PurePosixPath(other).as_posix()
        if relative_path == ".":
            return self
        joined_path = f"{self.path.rstrip('/')}/{relative_path}" if self.path else relative_path
        return Url(self.scheme, joined_path, self.inner_path)


def hide_secrets(text: str) -> str:
    """Return a text in which the values of signatures and tokens are replaced by dots."""
    return _SECRET.sub(r"\1...", text)
