"""What the vectors say, asked of the reference: each case agrees, or an error shows where not.

Nothing of the package is imported here; `replay_parts` contains the kinds of single steps. The
engine of the page is asked the other kinds, and most of these too (`tests/page/replay.js`).
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.kit.reference import RefusedError, cards, containers, shares
from tests.kit.reference import header as headers
from tests.kit.replay_parts import MAKERS, agree

Case = dict[str, Any]
VECTORS = Path(__file__).parent / "vectors"
KINDS = sorted(path.stem for path in VECTORS.glob("*.json"))
"""The files of vectors."""


@cache
def load(kind: str, folder: Path = VECTORS) -> list[Case]:
    """Return the cases of one file of vectors."""
    content = (folder / f"{kind}.json").read_text(encoding="ascii")
    cases: list[Case] = json.loads(content)["cases"]
    return cases


def _container(case: Case) -> None:
    files = {
        name: None if case[name] is None else bytes.fromhex(case[name])
        for name in ("named", "beside")
    }
    try:
        result = containers.header_that_counts(bytes.fromhex(case["picture"]), **files)
        if result is not None:
            headers.read(result)
    except RefusedError as error:
        if not case["refused"]:
            raise AssertionError(f"refused: {error}") from error
        return
    agree("refused", False, case["refused"])
    agree("header", result and result.decode("ascii"), case["header"])


def _card(case: Case) -> None:
    numbers = case["numbers"]
    if numbers is not None:
        agree("numbers", [str(cards.number_of(text)) for text in case["grids"]], numbers)
    try:
        key = cards.read_card(case["grids"])
    except RefusedError:
        agree("refused", None, case["key"])
        return
    agree("key", key.hex(), case["key"])
    agree("check", cards.check(key), case["check"])


def _shares(case: Case) -> None:
    if case["key"] is not None:
        _split(case)
    try:
        key = shares.join(case["given"])
    except RefusedError:
        agree("refused", None, case["key"])
        return
    agree("key", key.hex(), case["key"])


def _split(case: Case) -> None:
    coefficients = [bytes.fromhex(each) for each in case["coefficients"]]
    agree("constant coefficient", coefficients[0].hex(), case["key"])
    agree("coefficients", len(coefficients), case["needed"])
    card = case["card"]
    numbers = range(1, 1 + len(case["made"] or []))
    share, *made = [
        shares.Share(
            case["needed"],
            number,
            bytes.fromhex(case["split"]),
            shares.value_at(coefficients, number),
        )
        for number in (card["number"], *numbers)
    ]
    agree("shares", list(map(shares.text, made)), case["made"] or [])
    agree("label", shares.label(share), card["label"])
    agree("value on the card", shares.read_grids(card["grids"]), share.value)


CHECKS: dict[str, Callable[[Case], None]] = {
    **MAKERS,
    "containers": _container,
    "cards": _card,
    "shares": _shares,
}
"""The check of each kind of vectors that the reference is asked, by the name of its file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask the reference its vectors, or those of some files, and print where it disagrees."""
    parser = argparse.ArgumentParser(description="Compare the reference with the vectors.")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="files of vectors (default: all)")
    failures = 0
    for kind in parser.parse_args(arguments).kinds or CHECKS:
        cases = load(kind)
        for case in cases:
            try:
                CHECKS[kind](case)
            except (AssertionError, RefusedError) as error:
                failures += 1
                print(ascii(f"{kind}: {case.get('name') or case.get('label')}: {error}")[1:-1])
        print(f"{kind}: {len(cases)} cases", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
