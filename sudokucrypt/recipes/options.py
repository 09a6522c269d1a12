"""The options of each operation: a frozen dataclass that declares and describes each option.

Commands build an object of it from the command line, functions from their keywords, and recipes
take it. Nothing here imports NumPy, since commands that only print their help load this module.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from sudokucrypt.options import Options, option

if TYPE_CHECKING:
    from sudokucrypt.storage import LocationLike
    from sudokucrypt.typing import Unit

# Maximum number of rounds that a header may ask for, unless the caller allows more.
#
# The time grows with the rounds, and the default is at most 4.
MAX_ROUNDS = 16

# Whether metadata are sealed or dropped.
MetadataChoice: TypeAlias = Literal["seal", "strip"]

UPDATE_HINT = "replace results of files that changed with update=True"
"""The hint of errors for a result that differs from its input."""


_format_option = partial(
    option,
    None,
    "Format of the output, regardless of its suffix.",
    "--format FORMAT",
    heading="Where",
)


class ThreadOptions(Options):
    """Options of all functions that process samples."""

    threads: int | None = option(
        None,
        "The number of threads for one picture; by default the value of SUDOKUCRYPT_THREADS, or "
        "else one for each core. The result does not depend on this number.",
        "--threads N",
        unit="threads",
        least=1,
        most=1024,
    )


class ProtectOptions(Options):
    """Options for protecting samples."""

    rounds: int | None = option(
        None,
        "The number of rounds, in each of which all units change places; by default 2 if the "
        "smallest group has 2**20 units or more, 3 from 4096 units on, otherwise 4. Time grows "
        f"with the number of rounds; restoring more than {MAX_ROUNDS} needs `max_rounds`.",
        "--rounds R",
        unit="rounds",
        least=1,
        most=255,
    )
    deterministic: bool = option(
        False,
        "Derive the salt from key and picture, so that equal pictures give equal results. Anyone "
        "who can have pictures protected with this key can then check a guess at a picture.",
    )


class EncryptArrayOptions(ThreadOptions, ProtectOptions):
    """Options of `encrypt`."""

    scheme: str = option(
        "encrypt-v1",
        "The scheme: encrypt-v1, or another registered scheme that encrypts.",
        "--scheme NAME",
    )


class ScrambleUnitOptions(ThreadOptions, ProtectOptions):
    """Options for scrambling samples."""

    unit: Unit = option(
        "pixel",
        "The unit that moves: a pixel with all its channels, each channel value on its own, or a "
        "square block of pixels.",
        choices=("pixel", "sample", "block"),
        everyday=True,
    )
    block_size: int | None = option(
        None,
        "Side of a block; by default 16.",
        "--block-size B",
        unit="pixels",
        least=1,
        most=65535,
    )
    scheme: str = option(
        "scramble-v1",
        "The scheme: scramble-v1, or another registered scheme that does not encrypt. With "
        "scramble-v1, a file that stays a JPEG gets the scheme scramble-jpeg-v1 instead.",
        "--scheme NAME",
    )


class ScrambleArrayOptions(ScrambleUnitOptions):
    """Options of `scramble`."""

    context: str | None = option(
        None,
        "Use one permutation per key and context and store no tag. Nothing then detects a wrong "
        "context or a changed picture, and images under one context share their permutation; see "
        "docs/explanation/limitations.md.",
        in_commands=False,
    )


class PictureOptions(Options):
    """Options for the size of pictures that are read."""

    max_pixels: int | None = option(
        None,
        "Refuse pictures of more pixels than this number, or more than four times as many bytes "
        "of samples; by default 134217728.",
        "--max-pixels N",
        unit="pixels",
        least=1,
    )


class StoreOptions(PictureOptions, ThreadOptions):
    """Options for writing results."""

    participle: ClassVar[str]  # part of the names of results, such as "scrambled"
    seals_results: ClassVar[bool] = False  # whether results are protected
    sidecar_has_layers: ClassVar[bool] = False  # whether a sidecar holds layers instead of a header

    replace: bool = option(
        False, "Replace existing output.", "--force", heading="Where", everyday=True
    )
    resume: bool = option(
        False,
        "Skip results that exist and match what this run would write, except for random values.",
        heading="Where",
        everyday=True,
    )


class ContentOptions(StoreOptions):
    """Options for the protected parts of a file, and for the place of its header."""

    seals_results: ClassVar[bool] = True

    metadata: MetadataChoice = option(
        "seal",
        "Permanently drop EXIF, color profile, XMP and resolution, which are otherwise sealed.",
        "--strip-metadata",
        choices=("seal", "strip"),
        heading="What",
        is_flag=True,
        flag_value="strip",
        show_default=False,
    )
    format: str | None = _format_option(choices=("PNG", "TIFF"))
    sidecar: bool = option(False, "Also write the header to OUT.sudokucrypt.json.", heading="Where")
    header_rows: bool = option(
        True,
        "Also keep the header in rows below the picture, which survive programs that strip "
        "metadata.",
        "--header-rows/--no-header-rows",
        heading="Where",
    )


class EncryptOptions(ContentOptions, EncryptArrayOptions):
    """Options of `encrypt_file`."""

    participle: ClassVar[str] = "encrypted"
    compress: ClassVar[int] = 0  # encrypted samples are noise, which cannot be compressed

    update: bool = option(
        False,
        "Keep results whose input has the size and time that are sealed, and replace the others. "
        "A file that is not a result of this key and input is never replaced.",
        heading="Where",
        everyday=True,
    )
    checksum: bool = option(
        False,
        "With `update`, read the inputs and compare their bytes, regardless of their times.",
        heading="Where",
    )
    as_file: bool | None = option(
        None,
        "Encrypt the bytes of a file, which decrypting restores unchanged, or the pixels of a "
        "picture, if they contain all that viewers show. By default the bytes, unless another "
        "option needs pixels.",
        "--as",
        choices={"file": True, "pixels": False},
        heading="What",
        everyday=True,
    )
    pad: bool = option(
        False,
        "Hide the size of a file: add zeros, at most 12 %, which decrypting removes.",
    )
    preview: bool | None = option(
        None,
        "Also seal a small picture, which 'open' shows. By default for pictures of a million "
        "pixels or more that are encrypted as files, unless `deterministic` is used; the result "
        "is then at most 1.01 times as large as the file, where possible.",
        "--preview/--no-preview",
    )
    name: str | None = option(
        None,
        "The name of the restored file; by default the name of the source. Characters with a "
        "meaning in paths become _.",
        in_commands=False,
    )


class ScrambleOptions(ContentOptions, ScrambleUnitOptions):
    """Options of `scramble_file`."""

    participle: ClassVar[str] = "scrambled"
    # Options of `encrypt_file` that recipes read from both classes of options.
    as_file: ClassVar[bool | None] = False
    pad: ClassVar[bool] = False
    preview: ClassVar[bool | None] = False
    name: ClassVar[str | None] = None

    format: str | None = _format_option(choices=("PNG", "TIFF", "JPEG"))
    compress: int = option(
        0,
        "Compression of PNG: 0 stores the samples, which are noise, and 9 is slowest.",
        "--compress LEVEL",
        unit="levels",
        least=0,
        most=9,
    )


class OpenOptions(PictureOptions, ThreadOptions):
    """Options for the costs of opening a protected file, and for the place of its header."""

    sidecar: LocationLike | None = option(
        None,
        "Read the header from this file; by default from IN.sudokucrypt.json if it exists, else "
        "from IN.",
        "--sidecar FILE",
        heading="What",
    )
    max_rounds: int = option(
        MAX_ROUNDS,
        "Refuse headers with more rounds.",
        "--max-rounds R",
        unit="rounds",
        least=1,
        most=255,
    )


class RekeyOptions(OpenOptions, StoreOptions):
    """Options of `rekey_file`."""

    participle: ClassVar[str] = "rekeyed"

    format: str | None = _format_option(choices=("PNG", "TIFF", "JPEG"))


class DecryptOptions(RekeyOptions):
    """Options of `decrypt_file`."""

    participle: ClassVar[str] = "decrypted"

    compress: int = option(
        1,
        "Compression of a plain PNG: 0 stores the samples, 1 is quick and saves much on a "
        "photograph, and 9 is slowest.",
        "--compress LEVEL",
        unit="levels",
        least=0,
        most=9,
    )


class UnscrambleOptions(DecryptOptions):
    """Options of `unscramble_file`."""

    participle: ClassVar[str] = "restored"


class RobustOptions(StoreOptions):
    """Options of `scramble_robust_file`."""

    participle: ClassVar[str] = "scrambled"

    profile: str | None = option(
        None,
        "Make the result small enough for a service not to shrink it; --profile list prints all "
        "services.",
        "--profile NAME",
    )
    max_side: int | None = option(
        None,
        "Largest length allowed for the longer side of the result.",
        "--max-side N",
        unit="pixels",
        least=1,
    )
    quality: int | None = option(
        None,
        "Quality of the JPEG; by default 92, or that of the profile.",
        "--quality Q",
        least=1,
        most=100,
    )
    format: str | None = _format_option(choices=("JPEG", "PNG"))


class UnscrambleRobustOptions(StoreOptions):
    """Options of `unscramble_robust_file`."""

    participle: ClassVar[str] = "restored"

    format: str | None = _format_option(choices=("PNG", "TIFF", "JPEG"))


class OutlineOptions(StoreOptions):
    """Options of `outline_file`."""

    participle: ClassVar[str] = "outlined"

    allow_none: bool = option(
        False,
        "Copy pictures without a face or box byte for byte, instead of refusing them.",
        heading="What",
    )


class RedactOptions(OutlineOptions):
    """Options of `redact_file`."""

    participle: ClassVar[str] = "redacted"
    seals_results: ClassVar[bool] = True
    sidecar_has_layers: ClassVar[bool] = True

    cover: str = option(
        "black",
        "black, white, gray, a color such as #ff8800, or surroundings: a smooth fill from pixels "
        "that are not covered. Blur and mosaic are not offered: they reveal covered content.",
        "--cover COVER",
        everyday=True,
    )
    sidecar: bool = option(
        False,
        "Write the layers to OUT.redaction instead of the picture: they survive programs that "
        "strip metadata. Lifting still needs every visible pixel as it was written.",
        heading="Where",
    )


class UnredactOptions(StoreOptions):
    """Options of `unredact_file`."""

    participle: ClassVar[str] = "unredacted"

    sidecar: LocationLike | None = option(
        None,
        "Read the layers from this file; by default from IN, or else from IN.redaction.",
        "--sidecar FILE",
        heading="What",
    )
