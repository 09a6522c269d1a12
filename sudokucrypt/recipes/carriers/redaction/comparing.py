"""Compare an existing redacted picture with the one that would be written."""

import math
from dataclasses import replace

from sudokucrypt.header import Header
from sudokucrypt.images import extract_header
from sudokucrypt.images.attachments import add_attachment
from sudokucrypt.recipes.carriers.contract import DifferingResultError, find_result_key
from sudokucrypt.recipes.carriers.redaction.areas import merge_areas
from sudokucrypt.recipes.carriers.redaction.covering import RedactionPlan
from sudokucrypt.recipes.carriers.redaction.layers import unseal
from sudokucrypt.recipes.carriers.redaction.lifting import OpenedRedaction
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import Package


def require_same_redaction(
    plan: RedactionPlan, existing_data: bytes, package: Package | None, *, with_sidecar: bool
) -> None:
    """Raise an error if a file or its layers differ from a plan in more than random values.

    The file is compared byte by byte, since layers do not authenticate covered areas. The layers
    are opened with the keys of the plan, and must restore the input exactly. Raises
    `DifferingResultError`, or the error of a layer that does not open.
    """
    if plan.index is None:
        if existing_data != plan.data:
            raise DifferingResultError("its bytes differ")
        return
    if package is None:
        raise DifferingResultError("it holds no layers")
    index = package.index(math.prod(plan.index.canvas))
    if replace(plan.index, id=index.id).to_line() != package.line:
        raise DifferingResultError("its areas or its cover differ")
    keys = [
        find_result_key(key, Header.from_bytes(extract_header(part) or b""))
        for key, part in zip(plan.keys, package.layers, strict=True)
    ]
    redacted_data, _ = plan.encode_redacted(merge_areas(index.canvas, index.layers))
    if existing_data != (
        redacted_data if with_sidecar else add_attachment(redacted_data, package.to_bytes())
    ):
        raise DifferingResultError("its pixels or metadata differ")
    numbered_layers = enumerate(zip(package.layers, keys, strict=True))
    opened_redaction = OpenedRedaction(
        medium=open_medium(existing_data, plan.name, plan.max_pixels),
        index=index,
        package=package,
        contents={layer: unseal(part, key, plan.threads) for layer, (part, key) in numbered_layers},
        threads=plan.threads,
    )
    data, names = opened_redaction.lift_covers()
    if names != tuple(layer.name or f"{n}" for n, layer in enumerate(plan.layers, 1)):
        raise DifferingResultError("the names of its layers differ")
    if data != plan.data:
        raise DifferingResultError("its hidden content differs")
