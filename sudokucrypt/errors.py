"""All exceptions that this package raises on purpose.

::

    SudokucryptError
    +-- InvalidParameterError    (ValueError)  an option or argument out of range
    +-- InvalidGridError         (ValueError)  numbers that are not a Sudoku grid
    |   +-- BrokenRuleError                    two givens that break a rule
    +-- NoSolutionError                        a puzzle that cannot be completed
    +-- MultipleSolutionsError                 a puzzle with more than one solution
    +-- UndecidedError                         a search that was given up
    +-- InvalidKeyError          (ValueError)  text or a file that holds no key
    |   +-- MissingKeyError                    (FileNotFoundError)  no such file
    +-- InvalidImageError        (ValueError)  an array or file that is not a readable image
    |   +-- ImageTooLargeError                 an image over a limit that the caller may raise
    |   +-- MissingInputError                  (FileNotFoundError)  no such file
    +-- UnsupportedError         (ValueError)  valid input that this version does not handle
    +-- FormatError              (ValueError)  a header that is missing or malformed
    |   +-- UnsupportedVersionError            a header of a newer or an older release
    +-- DecryptionError                        a wrong key, or a changed picture or header
    +-- OutputExistsError    (FileExistsError) an output that exists already

Each error may carry a hint: what to do about it, in one line.
"""


class SudokucryptError(Exception):
    """Base class of all errors of this package.

    The message says what is wrong, in lower case and without a final stop. `hint` says what to do
    about it in Python. A program can use `hint_key` to look up a hint in its own words, such as the
    name of an option.
    """

    def __init__(
        self, message: str, *, hint: str | None = None, hint_key: str | None = None
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.hint_key = hint_key
        if hint:
            self.add_note(f"hint: {hint}")  # tracebacks show it


class InvalidParameterError(SudokucryptError, ValueError):
    """An option or argument lies outside its range."""


class InvalidGridError(SudokucryptError, ValueError):
    """Numbers that are not a Sudoku grid of the stated box shape."""


class BrokenRuleError(InvalidGridError):
    """Givens that break a rule, so that the puzzle has no solution."""


class NoSolutionError(SudokucryptError):
    """A puzzle that cannot be completed."""


class MultipleSolutionsError(SudokucryptError):
    """A puzzle with more than one solution, where exactly one is required."""


class UndecidedError(SudokucryptError):
    """A search that was given up before it had an answer.

    `found` is the number of solutions that the search had found, if it counted them.
    """

    found: int | None = None


class InvalidKeyError(SudokucryptError, ValueError):
    """Text or a file that does not contain a key."""


class InvalidImageError(SudokucryptError, ValueError):
    """An array or a file that is not a readable image."""


class ImageTooLargeError(InvalidImageError):
    """An image of more pixels than the limit, which the caller may raise."""


class MissingInputError(InvalidImageError, FileNotFoundError):
    """The file to be read does not exist."""


class MissingKeyError(InvalidKeyError, FileNotFoundError):
    """The file of a key or a passphrase does not exist."""


class UnsupportedError(SudokucryptError, ValueError):
    """Valid input of a kind that this version does not handle."""


class FormatError(SudokucryptError, ValueError):
    """A header that is missing, malformed or not in canonical form."""


class UnsupportedVersionError(FormatError):
    """A header with a version, scheme or field that this release does not support."""


def make_version_error(feature: str) -> UnsupportedVersionError:
    """Return the error for a file with a feature that the format no longer has after version 1.1.

    The message says what to do, since some callers print no hint.
    """
    return UnsupportedVersionError(
        f"made by an earlier version with {feature}: restore it with version 1.1.0"
    )


_DECRYPTION_HINT = (
    "the header has the id of the key that is needed; a picture that was resized, recompressed or "
    "edited cannot be restored"
)


class DecryptionError(SudokucryptError):
    """The key is wrong, or the picture or its header was changed.

    All these cases have one error, since they cannot be told apart reliably. The message says only
    what is public, such as that the ids of the keys differ.
    """

    def __init__(
        self,
        message: str = "wrong key, or the picture or its header was changed",
        *,
        hint: str | None = _DECRYPTION_HINT,
        hint_key: str | None = None,
    ) -> None:
        key = "key_id" if hint == _DECRYPTION_HINT else hint_key
        super().__init__(message, hint=hint, hint_key=key)


class OutputExistsError(SudokucryptError, FileExistsError):
    """The output exists already and may not be replaced."""


def format_reason(error: OSError) -> str:
    """Return the reason that the system gives for an error, in lower case for messages."""
    return (error.strerror or str(error)).lower()


# The packages of each extra. A test compares them with those in pyproject.toml.
_PACKAGES_BY_EXTRA = {
    "analysis": "jinja2 matplotlib scikit-image scipy",
    "cloud": "aiobotocore fsspec s3fs",
    "dask": "dask distributed",
    "faces": "opencv-python-headless",
    "formats": "imagecodecs pi-heif",
    "print": "reportlab segno",
}


def format_extra_hint(extra: str) -> str:
    """Return the command that installs the packages of an extra.

    The command names the packages of the extra and not this package, which is not on the index yet,
    so that anyone could publish something under its name.
    """
    return f"pip install {_PACKAGES_BY_EXTRA[extra]}"
