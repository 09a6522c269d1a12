"""Record what attacks ask and find, in weak ciphers of all kinds whose nonces never change.

Each attack has a file in ``findings``. After a change of an attack that is wanted, run this file
with ``--update``, and read the differences.
"""

import os
import random
import tomllib
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt.analysis import BASELINES, MeasuredScheme, NamedImage, scheme_from_function
from sudokucrypt.analysis.attacking import AttackRun, run_attack
from sudokucrypt.analysis.attacks import ATTACKS, JpegOracle, JpegTarget, mask_in_place
from sudokucrypt.analysis.baselines.substituting import make_standard_ciphers
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks import jpegs
from tests.analysis.attacks.test_verdicts import VERDICTS
from tests.analysis.ciphers import ROWS, make_cipher
from tests.analysis.families import BROKEN, SECURE
from tests.analysis.fresh import FRESH_BROKEN, FRESH_SECURE
from tests.analysis.papers import PAPERS_BROKEN, PAPERS_SECURE
from tests.analysis.pictures import picture
from tests.analysis.test_families import CASES
from tests.images.jpeg.corpus import save_image

TRIED: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("findings.toml").read_text(encoding="utf-8")
)
"""By attack and kind of picture, the ciphers that are attacked."""

GRAY = np.ascontiguousarray(picture("camera")[100:124, 200:224])
PICTURES = {
    "gray": GRAY,
    "color": np.ascontiguousarray(picture("astronaut")[100:116, 200:216]),
    "bits": GRAY > 100,
    "deep": GRAY.astype(np.uint16) * 257 ^ 5,
}
FUNCTIONS: dict[str, Any] = {
    **(BROKEN | SECURE | FRESH_BROKEN | FRESH_SECURE | PAPERS_BROKEN | PAPERS_SECURE),
    **{f"case: {name}": function for name, (_, function) in CASES.items()},
    **{f"row: {name}": make_cipher(stages) for name, (stages, _) in ROWS["broken"].items()},
    **{f"row: {name}": make_cipher(stages) for name, stages in ROWS["secure"].items()},
    **{
        f"verdict: {name}": make_cipher(row["stages"])
        for name, row in VERDICTS.items()
        if "stages" in row
    },
}


def record_calls(scheme: MeasuredScheme, calls: list[bytes]) -> MeasuredScheme:
    """Return a scheme that runs in this process, and keeps the images and keys that it is given."""

    def record(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(image: AnyArray, key: bytes) -> Any:
            calls.extend((image.tobytes(), key))
            return function(image, key)

        return run

    fixed, inverse = record(scheme.fixed), scheme.inverse and record(scheme.inverse)
    fresh = fixed if scheme.fresh is scheme.fixed else scheme.fresh and record(scheme.fresh)
    return replace(scheme, fixed=fixed, fresh=fresh, inverse=inverse, code=())


def digest(*parts: AnyArray | bytes) -> str:
    return sha256(b"".join(np.asarray(each).tobytes() for each in parts)).hexdigest()[:8]


def describe_details(value: Any) -> Any:
    """Return a value for a record: figures rounded, since their last digits depend on the system.

    Arrays are replaced by their digest.
    """
    if isinstance(value, np.ndarray):
        return digest(value)
    if isinstance(value, list | tuple):
        return [describe_details(each) for each in value]
    return round(float(value), 4) if isinstance(value, float) else value


def describe_run(run: AttackRun) -> str:
    """Return all that a run shows, as one text."""
    finding = run.finding
    if finding is None:
        return f"refused: {run.refusal}"
    pictures = finding.seen, finding.picture, *finding.stages
    if finding.undo is not None:
        pictures += (finding.restore(finding.seen),)
    if finding.plain is not None:
        pictures += (finding.plain,)
    details = {name: describe_details(value) for name, value in finding.details.items()}
    return (
        f"{run.salt} salt, {finding.queries} queries, {finding.recovered:.4f} recovered, "
        f"pictures {digest(*pictures)}, {details}: {finding.verdict}"
    )


def attack_cipher(attack: str, cipher: str, kind: str) -> list[str]:
    """Return what an attack finds in a cipher, and a digest of the images and keys that it tries.

    The random numbers of the system follow from the name of the cipher.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "urandom", random.Random(cipher).randbytes)  # noqa: S311
        calls = list[bytes]()
        # Their nonces are counted, so each attack gets new ones.
        standard = {scheme.name: scheme for scheme in make_standard_ciphers()}
        scheme = standard.get(cipher) or (
            BASELINES[cipher]
            if cipher in BASELINES
            else scheme_from_function(FUNCTIONS[cipher], name=cipher)
        )
        plain = NamedImage(name=kind, pixels=PICTURES[kind])
        runs = run_attack(attack, plain, [record_calls(scheme, calls)], control=False).runs
    return [*map(describe_run, runs), digest(*calls)]


def attack_control(attack: str, kind: str) -> str:
    """Return what an attack finds in its control."""
    plain = NamedImage(name=kind, pixels=PICTURES[kind])
    (run,) = run_attack(attack, plain, []).runs
    return describe_run(run)


@pytest.mark.parametrize("attack", TRIED)
def test_attacks_ask_and_find_what_they_did(
    attack: str, compare_with_record: Callable[[Path, object], None]
) -> None:
    """Outcomes, reasons, shares, pictures and queries of attacks are those on record."""
    found: dict[str, object] = {
        f"{cipher}, {kind}": attack_cipher(attack, cipher, kind)
        for kind, ciphers in TRIED[attack].items()
        for cipher in ciphers
    }
    controls = {f"its control, {kind}": attack_control(attack, kind) for kind in ("gray", "bits")}
    compare_with_record(Path(__file__).with_name("findings") / f"{attack}.json", found | controls)


FILES = {
    "color": save_image(PICTURES["color"].repeat(3, axis=0).repeat(3, axis=1), quality=80),
    "gray": save_image(picture("camera")[100:180, 200:290, None], quality=60),
    "odd": save_image(picture("astronaut")[100:157, 200:275], quality=90, subsampling=0),
    "wide": save_image(picture("chelsea.jpg")[100:132, 100:260], quality=30),
}
FILE_SCHEMES: dict[str, JpegOracle] = {
    "ours": jpegs.scramble_file,
    "signs": mask_in_place,
    "means": jpegs.mask_means,
    "blocks": jpegs.shuffle_blocks,
    "frequencies": jpegs.shuffle_frequencies,
}


def attack_file(attack: str, scheme: str, kind: str) -> str:
    """Return what an attack on files finds, without pictures, which depend on the decoder."""
    others = [[data for name, data in FILES.items() if name != kind]]
    inputs = FILES[kind], *(others if ATTACKS[attack].takes == "jpegs" else ())
    target = JpegTarget(name=scheme, oracle=FILE_SCHEMES[scheme])
    finding = ATTACKS[attack].run(target, *inputs, max_pixels=10**6)
    details = {name: describe_details(value) for name, value in finding.details.items()}
    sizes = finding.seen.shape, finding.picture.shape
    return f"{finding.recovered:.4f} recovered, {sizes}, {details}: {finding.verdict}"


def test_attacks_on_files_find_what_they_did(
    compare_with_record: Callable[[Path, object], None],
) -> None:
    """Outcomes, reasons and shares of attacks on JPEG files are those on record."""
    found = {
        f"{attack}, {scheme}, {kind}": attack_file(attack, scheme, kind)
        for attack in (name for name, each in ATTACKS.items() if each.takes != "pixels")
        for scheme in FILE_SCHEMES
        for kind in FILES
    }
    compare_with_record(Path(__file__).with_name("findings") / "files.json", found)


def test_every_attack_has_a_record() -> None:
    """All attacks on pixels are tried."""
    assert {*TRIED} == {name for name, attack in ATTACKS.items() if attack.takes == "pixels"}
