"""Redact arrays and picture files, and lift their covers again."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sudokucrypt import images
from sudokucrypt.errors import InvalidParameterError, OutputExistsError, UnsupportedError
from sudokucrypt.images.attachments import add_attachment, find_attachment
from sudokucrypt.keys import ProtectingKey, RestoringKey
from sudokucrypt.options import add_call_hints, document_options
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.carriers.contract import (
    BytesDraft,
    Draft,
    PartsAndSidecar,
    RedactionReport,
)
from sudokucrypt.recipes.carriers.redacted import RestoredRedaction
from sudokucrypt.recipes.carriers.redaction import lifting
from sudokucrypt.recipes.carriers.redaction.comparing import require_same_redaction
from sudokucrypt.recipes.carriers.redaction.covering import (
    Layer,
    RedactionPlan,
    plan_redaction,
    select_areas,
)
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.medium import Medium
from sudokucrypt.recipes.carriers.redaction.package import Package, find_package
from sudokucrypt.recipes.carriers.redaction.samples import SampleMedium
from sudokucrypt.recipes.naming import name_sidecar
from sudokucrypt.recipes.options import RedactOptions, UnredactOptions
from sudokucrypt.recipes.protection import check_image
from sudokucrypt.recipes.sinks import Destination, FileTarget, Sink
from sudokucrypt.recipes.sources import FileSource, SourceFile
from sudokucrypt.recipes.verbs import wrap_layers_function
from sudokucrypt.remote import Url
from sudokucrypt.storage import LocationLike, exists
from sudokucrypt.typing import AnyArray, ImageLike, RegionLike


@dataclass(frozen=True, eq=False, kw_only=True)
class RedactedImage:
    """An image with covered areas, and the data that lift the covers."""

    pixels: AnyArray  #: The redacted image, of the shape and dtype of the input.
    layers: bytes  #: The covered pixels, sealed; `unredact` takes them.


@add_call_hints
@document_options(RedactOptions)
def redact(
    image: ImageLike,
    regions: Sequence[RegionLike] | None,
    key: ProtectingKey,
    *,
    mask: NDArray[np.bool_] | None = None,
    cover: str = "black",
    threads: int | None = None,
) -> RedactedImage:
    """Cover areas of an image so that a key lifts the cover again.

    Raises `InvalidImageError` or `UnsupportedError` if neither PNG nor TIFF can hold the image, and
    `InvalidParameterError` if an area is not inside the image.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C)
        Booleans, integers or floats; for C of 1 to 4: gray, gray with opacity, red-green-blue, or
        red-green-blue with opacity. Never changed.
    regions : sequence of Region or (row, column, rows, columns), or None
        The rectangles to cover.
    <key>
    mask : array of shape (M, N), dtype bool, optional
        Pixels to cover in addition to `regions`.
    <cover>
    <threads>

    Examples
    --------
    >>> import numpy as np
    >>> from sudokucrypt import Key, redact, unredact
    >>> image, key = np.arange(48, dtype=np.uint8).reshape(6, 8), Key.generate()
    >>> result = redact(image, [(1, 1, 2, 3)], key)
    >>> result.pixels[1]
    array([ 8,  0,  0,  0, 12, 13, 14, 15], dtype=uint8)
    >>> np.array_equal(unredact(result.pixels, result.layers, key), image)
    True
    """
    array = check_image(image)
    medium = SampleMedium.from_pixels(array)
    data, package = plan_redaction(
        medium.to_bytes(),
        medium,
        select_areas([Layer(key, regions, mask)], medium, allow_none=False),
        cover=cover,
        name="the image",
        max_pixels=array.nbytes,
        threads=threads,
    ).make_redacted_file()
    layers = b"" if package is None else package.to_bytes()
    return RedactedImage(pixels=_decode_pixels(data, array), layers=layers)


@add_call_hints
@document_options(UnredactOptions)
def unredact(
    pixels: ImageLike, layers: bytes, *keys: RestoringKey, threads: int | None = None
) -> AnyArray:
    """Lift the covers of an image that `redact` returned.

    Parameters
    ----------
    pixels : array_like
        The image of a `RedactedImage`, unchanged.
    layers : bytes
        The layers of the same `RedactedImage`.
    *keys : Key, Passphrase, PictureKey, Identity or KeyRing
        Keys of all layers, or of the layers to lift.
    <threads>

    Raises
    ------
    DecryptionError, FormatError, InvalidImageError
        As for `unredact_file`.
    """
    if not isinstance(layers, bytes):
        raise InvalidParameterError(
            f"layers are bytes, not {type(layers).__name__}",
            hint="call unredact(result.pixels, result.layers, key) with what redact returned",
        )
    array = check_image(pixels)
    redaction = lifting.open_layers(
        SampleMedium.from_pixels(array).to_bytes(),
        Package.from_bytes(layers),
        keys,
        name="the image",
        max_pixels=array.nbytes,
        threads=threads,
    )
    return _decode_pixels(redaction.lift_covers()[0], array)


@wrap_layers_function(RedactOptions)
def redact_file(
    source: FileSource, target: FileTarget, layers: Sequence[Layer], options: RedactOptions
) -> RedactionReport:
    """Cover areas of a picture so that only their keys lift the covers.

    A JPEG stays a JPEG: its covered blocks become flat, and all other coefficients are unchanged.
    Any other still picture becomes a PNG. Metadata are sealed; only orientation, a usual color
    profile and, in PNG, the resolution stay visible. The report says what was written. With
    `resume`, an existing result is kept if its layers open with these keys and restore the input;
    layers that only recipients can open cannot be compared.

    Parameters
    ----------
    source : path or binary file
        IN: any still picture that can be read.
    <target>
    layers : sequence of Layer
        At most 64 layers with a key. Areas refer to the upright picture as viewers show it, and are
        enlarged to whole blocks of a JPEG; an overlap belongs to the first layer. Pixels that a
        layer without key covers are removed for good, and so are all metadata in this case.
    <options>

    Raises
    ------
    InvalidParameterError
        If an area is not inside the picture, or the cover is unknown.
    UnsupportedError
        If the input is not a still picture, is redacted already, or could not be restored exactly.
    InvalidImageError, OutputExistsError
        As for `scramble_file`.
    """
    sink = Sink.for_target(source, target, options)
    redaction_report = operations.write(
        sink, lambda: _draft_redaction(source, sink, layers, options)
    )
    return cast("RedactionReport", redaction_report)


def read_medium(source: FileSource, max_pixels: int | None) -> tuple[SourceFile, Medium]:
    """Read a picture that is not redacted yet, and return it with the medium to redact it in."""
    file = SourceFile.read(source)
    if find_attachment(file.load(), file.name) is not None:
        raise UnsupportedError(
            f"'{file.name}' is redacted already",
            hint="lift its covers first, and cover everything at once",
        )
    medium = open_medium(file.load(), file.name, max_pixels)
    return file, medium.convert_for_png() if isinstance(medium, SampleMedium) else medium


def _draft_redaction(
    source: FileSource, sink: Sink, layers: Sequence[Layer], options: RedactOptions
) -> tuple[Draft, SourceFile]:
    """Read a picture, and return the draft of its redacted form."""
    file, medium = read_medium(source, options.max_pixels)
    result_format = "PNG" if isinstance(medium, SampleMedium) else "JPEG"
    if not options.allow_none:  # with it, the result may be a copy with another suffix
        sink.require_free_name(images.get_suffix(result_format))
    areas = select_areas(layers, medium, allow_none=options.allow_none)
    if not areas:
        draft = _draft_copy(sink, file, medium.canvas)
        _require_no_layers(draft.destination)
        return draft, file
    if isinstance(medium, SampleMedium):
        chosen_format, destination = sink.choose_destination(result_format)
        if chosen_format != result_format:
            raise UnsupportedError(
                f"a redacted picture is written as PNG, not as {chosen_format}",
                hint="use the suffix .png",
            )
    else:
        destination = sink.choose_jpeg_destination()
    if not options.sidecar or all(layer.key is None for layer, _ in areas):
        _require_no_layers(destination)
    plan = plan_redaction(
        file.load(),
        medium,
        areas,
        cover=options.cover,
        name=file.name,
        max_pixels=options.max_pixels,
        threads=options.threads,
    )
    report = RedactionReport(shape=medium.canvas, layers=len(plan.layers))
    draft = _RedactedPictureDraft(
        destination=destination, report=report, plan=plan, sidecar=options.sidecar
    )
    return draft, file


class _RedactedPictureDraft(Draft):
    """The draft of a redacted picture, whose layers are put into the file or into a sidecar."""

    plan: RedactionPlan
    sidecar: bool

    def make_parts(self) -> PartsAndSidecar:
        data, package = self.plan.make_redacted_file()
        if package is None:
            return [data], None
        if self.sidecar:
            return [data], package.to_bytes()
        return [add_attachment(data, package.to_bytes())], None

    def compare(self, existing_file: SourceFile) -> None:
        package = find_package(existing_file)
        require_same_redaction(self.plan, existing_file.load(), package, with_sidecar=self.sidecar)


def _draft_copy(sink: Sink, file: SourceFile, canvas: tuple[int, int]) -> Draft:
    """Return the draft of a picture without covered areas: a copy of the input in its format."""
    driver = images.known_format(file.load())
    destination = sink.make_destination("" if driver is None else driver.suffixes[0])
    if isinstance(destination, Path | Url):
        target_driver = images.find_driver(destination.suffix.lower())
        if driver is None or target_driver is None or target_driver.name != driver.name:
            raise UnsupportedError(
                f"'{destination}' cannot be written: nothing is covered in '{file.name}', so the "
                "result keeps its format, which has another suffix",
                hint="give the output the suffix of the input, or name a folder",
            )
    report = RedactionReport(shape=canvas, copied=True)
    return BytesDraft(destination=destination, report=report, content=file.load())


def _require_no_layers(destination: Destination) -> None:
    """Raise `OutputExistsError` if a sidecar with layers of an earlier result exists.

    It could restore pixels that are now covered for good, or be mistaken for layers of the result.
    """
    if not isinstance(destination, Path | Url):
        return
    layers = name_sidecar(destination, layers=True)
    if exists(layers):
        raise OutputExistsError(
            f"'{layers}' exists, and holds the layers of an earlier result",
            hint="remove it, or name another output",
        )


@add_call_hints
@document_options(UnredactOptions)
def unredact_file(
    source: FileSource,
    target: FileTarget,
    *keys: RestoringKey,
    sidecar: LocationLike | None = None,
    replace: bool = False,
    resume: bool = False,
    max_pixels: int | None = None,
    threads: int | None = None,
) -> RedactionReport:
    """Lift the covers of a picture that `redact_file` wrote.

    `decrypt_file` does the same with one key or key ring.

    Raises `DecryptionError` if no layer opens, or if the picture was edited outside its covered
    areas; if a layer stays covered, also if orientation or colors were changed. Raises
    `FormatError` or `InvalidImageError` if the layers are missing, or they or the picture are
    damaged.

    Parameters
    ----------
    source : path or binary file
        IN: a picture that `redact_file` wrote.
    <target>
    *keys : Key, Passphrase, PictureKey, Identity or KeyRing
        Keys of layers. If they lift all layers, the result is the original file, byte for byte.
        Otherwise it is a redacted picture in which the other layers stay covered;
        `RedactionReport.covered` lists their numbers.
    <options>
    """
    options = UnredactOptions(
        sidecar=sidecar, replace=replace, resume=resume, max_pixels=max_pixels, threads=threads
    )
    return lift_file_covers(source, target, *keys, options=options)


def lift_file_covers(
    source: FileSource, target: FileTarget, *keys: RestoringKey, options: UnredactOptions
) -> RedactionReport:
    """Lift the covers of a picture, as `unredact_file` does."""
    sink, file = Sink.for_target(source, target, options), SourceFile.read(source)
    restored_redaction = RestoredRedaction(
        lifting.open_layers(
            file.load(),
            find_package(file, options.sidecar),
            keys,
            name=file.name,
            max_pixels=options.max_pixels,
            threads=options.threads,
        )
    )
    draft = restored_redaction.make_draft(sink, options)
    return cast("RedactionReport", operations.write(sink, lambda: (draft, file)))


def _decode_pixels(data: bytes, image: AnyArray) -> AnyArray:
    """Return the pixels of an encoded picture in the shape and type of an image."""
    pixels = images.decode_picture(data, max_pixels=image.nbytes).pixels
    return pixels.reshape(image.shape).astype(image.dtype, copy=False)
