"""Files here and elsewhere: bounded reading, and writing that leaves the whole file or nothing."""

from sudokucrypt.storage.atomic import (
    PART_SUFFIX,
    flush,
    sweep,
    sweep_once,
    write_atomically,
    write_secret,
)
from sudokucrypt.storage.locations import (
    REPLACE_HINT,
    FileStatus,
    Location,
    exists,
    is_folder,
    name_here,
    parse_location,
    read_limited,
    require_free,
    same_file,
    size_of,
)

__all__ = [
    "PART_SUFFIX",
    "REPLACE_HINT",
    "FileStatus",
    "Location",
    "exists",
    "flush",
    "is_folder",
    "name_here",
    "parse_location",
    "read_limited",
    "require_free",
    "same_file",
    "size_of",
    "sweep",
    "sweep_once",
    "write_atomically",
    "write_secret",
]
