"""The options that say where keys, passphrases and recipients are."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sudokucrypt.cli.extensions import option_group
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import FILE
from sudokucrypt.errors import SudokucryptError, reason_of
from sudokucrypt.options import option

KEY_VARIABLE = "SUDOKUCRYPT_KEY"
PASSPHRASE_VARIABLE = "SUDOKUCRYPT_PASSPHRASE"  # noqa: S105 - a name, not a secret
_FILE_VARIABLE = "SUDOKUCRYPT_KEY_FILE"


@dataclass(frozen=True)
class SecretOptions:
    """Where the command line says that the secret is."""

    key: tuple[str, ...] = option(
        (),
        "Key file, folder of key files, or - for stdin; restoring takes several. By default "
        f"{KEY_VARIABLE} holds the text of the key, {_FILE_VARIABLE} names its file, or it is the "
        "file 'key' in your configuration folder.",
        "-k, --key KEY",
        type=FILE,
        multiple=True,
        heading="Key",
        everyday=True,
    )
    identity: tuple[str, ...] = option(
        (),
        "Identity file of age, as 'keygen --identity' and 'age-keygen' write it, or - for stdin.",
        "-i, --identity FILE",
        type=FILE,
        multiple=True,
        heading="Key",
        everyday=True,
    )
    to: tuple[str, ...] = option(
        (),
        "Let RECIPIENT open the result too, by its age identity: age1... or age1pq1... Without a "
        "key or passphrase option, nobody else can.",
        "--to RECIPIENT",
        multiple=True,
        heading="Key",
        everyday=True,
    )
    to_file: tuple[str, ...] = option(
        (),
        "Read recipients from a file, one a line; what follows # is ignored.",
        "--to-file FILE",
        type=FILE,
        multiple=True,
        heading="Key",
    )
    prompt: bool = option(
        False,
        f"Prompt for a passphrase; or set {PASSPHRASE_VARIABLE}.",
        "--passphrase",
        heading="Key",
        everyday=True,
    )
    file: str | None = option(
        None, "Read the passphrase from a file.", "--passphrase-file F", type=FILE, heading="Key"
    )
    descriptor: int | None = option(
        None,
        "Read the passphrase from an open file descriptor.",
        "--passphrase-fd N",
        least=0,
        most=65535,
        heading="Key",
    )
    max_derivation: int = option(
        3,
        "Refuse files whose key takes longer to derive than usual after N of them did not open, "
        "and others after the work of 8 N usual ones.",
        "--max-derivation N",
        unit="files",
        least=0,
        heading="Key",
    )

    @property
    def given(self) -> bool:
        """Whether an option names a key or passphrase."""
        return bool(self.prompt or self.keys) or {self.file, self.descriptor} != {None}

    def is_available(self) -> bool:
        """Return whether there is a secret: named, in the environment, or the default key."""
        return bool(self.given or held_variables() or default_key_file())

    @property
    def keys(self) -> tuple[str, ...]:
        """The files of keys and identities."""
        return self.key + self.identity

    @property
    def reads_stdin(self) -> bool:
        """Whether anything but a picture comes from stdin."""
        return "-" in (*self.keys, *self.to_file) or self.descriptor == 0

    def list_files(self) -> list[Path]:
        """Return the files that hold keys, passphrase and recipients."""
        named = [name for name in (*self.keys, *self.to_file, self.file) if name not in (None, "-")]
        default = None if self.given or held_variables() else default_key_file()
        paths = [Path(name) for name in named] + ([default] if default else [])
        return [file for name in paths for file in files_in(name)]


_OF_RECIPIENTS = ("to", "to_file")

# Give a command the options for keys and passphrases, and those for who else opens a result, as one
# parameter ``secret``.
secret_options = option_group("secret", SecretOptions, without=_OF_RECIPIENTS)
recipient_options = option_group("secret", SecretOptions, only=_OF_RECIPIENTS)


def default_key_file() -> Path | None:
    """Return the key file that is used where nothing names a key, or None if there is none."""
    with suppress(RuntimeError):  # there is no home
        path = default_key_path()
        return path if path.exists() or is_default_named() else None
    return None


def default_key_path() -> Path:
    """Return where the key file is, or would be, that is used where nothing names a key.

    Raises `RuntimeError` if the user has no home folder.
    """
    if named := os.environ.get(_FILE_VARIABLE):
        return Path(named)
    return _configuration() / "sudokucrypt" / "key"


def is_default_named() -> bool:
    """Return whether a variable names the default key file."""
    return bool(os.environ.get(_FILE_VARIABLE))


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner may read, and those above it, unless they exist.

    Raises `SudokucryptError` if it cannot be made.
    """
    try:
        for each in (*reversed(folder.parents), folder):
            if not each.is_dir():
                each.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        reason = reason_of(error)
        raise SudokucryptError(f"cannot make the folder '{folder}': {reason}") from error


def _configuration() -> Path:
    """Return the folder where programs of this user keep their settings."""
    # The XDG Base Directory Specification ignores relative paths: the folder at hand is no place
    # for a key, and may be anybody's.
    if os.path.isabs(folder := os.environ.get("XDG_CONFIG_HOME", "")):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".config"


def held_variables() -> list[str]:
    """Return the variables that hold a key or a passphrase."""
    return [name for name in (KEY_VARIABLE, PASSPHRASE_VARIABLE) if os.environ.get(name)]


def files_in(path: Path) -> list[Path]:
    """Return a file, or those of a folder that are not hidden."""
    if not path.is_dir():
        return [path]
    return sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))


def warn_if_open(name: str) -> None:
    """Warn of a file with a secret that other users may read or change.

    Pipes and open descriptors, such as shells make for `<(...)`, are nobody else's.
    """
    if os.name == "nt" or name.startswith(("/dev/", "/proc/")):
        return
    try:
        mode = os.stat(name).st_mode
    except (OSError, ValueError):  # reading it will say why
        return
    can = [word for word, bits in (("read", 0o044), ("change", 0o022)) if mode & bits]
    if can and stat.S_ISREG(mode):
        say("warning", f"other users can {' and '.join(can)} '{name}'")
        say("hint", f"to keep it to yourself: chmod 600 {shlex.quote(name)}")


def warn_if_readable() -> None:
    """Warn when stdout is a file that other users of this computer may read."""
    try:
        mode = os.fstat(1).st_mode
    except OSError:
        return
    if stat.S_ISREG(mode) and mode & (stat.S_IRGRP | stat.S_IROTH):
        say("warning", "the key goes to a file that others may read; -o FILE is safer")
