"""Files here and elsewhere: bounded reading, and writing that leaves the whole file or nothing."""

from sudokucrypt.storage.atomic import (
    flush,
    sweep,
    sweep_once,
    write_atomically,
    write_secret,
)
from sudokucrypt.storage.locations import (
    DEVICE_NAME,
    PART_SUFFIX,
    REPLACE_HINT,
    FileStatus,
    Location,
    exists,
    ignores_case,
    is_folder,
    make_folder,
    name_here,
    parse_location,
    read_limited,
    require_free,
    same_file,
    size_of,
)

__all__ = [
    "DEVICE_NAME",
    "PART_SUFFIX",
    "REPLACE_HINT",
    "FileStatus",
    "Location",
    "exists",
    "flush",
    "ignores_case",
    "is_folder",
    "make_folder",
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
