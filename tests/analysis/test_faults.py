"""Faults that reports once had: each test fails on version 1.1.0."""

import ctypes
import faulthandler
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from signal import raise_signal

import numpy as np
import pytest

from sudokucrypt import analysis
from sudokucrypt.analysis.attacks import ATTACKS, Finding, Outcome, Target
from sudokucrypt.analysis.attacks.probing import shrink_picture
from sudokucrypt.analysis.progress import limit_time, run_in_fork
from sudokucrypt.analysis.schemes import FrozenRandomness
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.reports import comparison_report, security_report, to_csv, to_latex
from sudokucrypt.typing import AnyArray
from tests.analysis.pictures import picture

FACE = np.ascontiguousarray(picture("camera")[100:164, 200:264])
PLAIN = analysis.NamedImage(name="camera", pixels=FACE)
CARRIER = picture("astronaut")[..., 1]


def draw_stream(like: AnyArray, *seed: int) -> AnyArray:
    """Return random samples in the shape of an image, which depend only on the seed."""
    return np.random.default_rng([*seed]).integers(0, 256, like.shape, dtype=np.uint8)


def mask_by_picture(image: AnyArray, key: bytes) -> AnyArray:
    """Mask a picture by a stream that depends on the whole picture, which no attack breaks."""
    return image ^ draw_stream(image, *sha256(key + image.tobytes()).digest())


def report_on(
    scheme: Callable[[AnyArray, bytes], AnyArray], *, quick: bool = False
) -> analysis.SecurityFigures:
    """Return the security figures of a scheme on one picture under five keys."""
    return analysis.measure_security(
        analysis.scheme_from_function(scheme), [PLAIN], keys=5, quick=quick
    )


def test_low_bits_in_the_clear_end_no_attack() -> None:
    """A scheme that masks only high bits gets a finding, though a rule without key bytes fits."""

    def encrypt_high_bits(image: AnyArray, key: bytes) -> AnyArray:
        return image & 15 | (image ^ draw_stream(image, key[0])) & 240

    result = analysis.run_attack(
        "propagation", PLAIN, [analysis.scheme_from_function(encrypt_high_bits)]
    )
    assert result.runs[0].refusal == ""


@pytest.fixture
def few_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out most attacks, for tests of other parts of a report."""
    names = ["visible", "key-bits", "reuse"]
    monkeypatch.setattr("sudokucrypt.analysis.security._list_attack_names", lambda: names)


class UnspeakableError(Exception):
    """An error whose conversion to text fails."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.usefixtures("few_attacks")
@pytest.mark.parametrize(
    "error",
    [
        IndexError,
        MemoryError,
        RecursionError,
        GeneratorExit,
        SystemExit,
        StopIteration,
        KeyboardInterrupt,
        UnspeakableError,
    ],
)
def test_an_error_of_a_scheme_is_a_row(error: type[BaseException]) -> None:
    """A scheme that raises an error in some calls has a report with all attacks."""
    calls = 0

    def raise_sometimes(image: AnyArray, key: bytes) -> AnyArray:
        nonlocal calls
        calls += 1
        if calls % 50 == 49:
            raise error("not today")
        if calls % 50 == 48:
            return image[1:]
        return mask_by_picture(image, key)

    result = report_on(raise_sometimes, quick=True)
    assert len(security_report(result).data["attacks"]) == 3


def make_scheme_from(result: Callable[[AnyArray], object]) -> Callable[[AnyArray, bytes], object]:
    return lambda image, _: result(image)


@pytest.mark.usefixtures("few_attacks")
@pytest.mark.parametrize(
    "result",
    [
        lambda _: None,
        lambda _: "text",
        lambda image: image / 2,
        lambda image: image * 1j,
        lambda image: image.ravel(),
        lambda image: np.concatenate([image, image]),
        lambda image: image.astype(object),
        lambda _: [[1], [1, 2]],
        lambda image: (row for row in image),
    ],
)
def test_a_scheme_that_no_picture_suits_has_a_whole_report(
    result: Callable[[AnyArray], object],
) -> None:
    """If results have wrong shapes or types, each attack is a row with the reason."""
    report = security_report(report_on(make_scheme_from(result), quick=True))  # type: ignore[arg-type]
    assert len(report.data["attacks"]) == 3
    answers = report.sections[1].tables[0].rows
    assert (
        sum("returned an array" in row[1].text or "failed" in row[1].text for row in answers) >= 3
    )
    assert report.lead.startswith("Is it broken? Nothing could be run")


@pytest.mark.usefixtures("few_attacks")
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, IndexError])
def test_errors_of_an_inverse_do_not_end_a_report(error: type[BaseException]) -> None:
    """Errors of `decrypt` and `public` of a scheme do not end a report."""

    class Failing:
        encrypt = staticmethod(mask_by_picture)

        def decrypt(self, *_: object) -> AnyArray:
            raise error

        public = decrypt

    scheme = analysis.scheme_from_function(Failing)
    for attack in ("repeats", "chosen-ciphertext", "feistel"):
        assert analysis.run_attack(attack, PLAIN, [scheme]).runs[0].outcome is not Outcome.BROKEN
    result = analysis.measure_security(scheme, [PLAIN], keys=5, quick=True)
    assert security_report(result).data["attacks"]


@pytest.mark.usefixtures("few_attacks")
@pytest.mark.parametrize("result", [None, 1.5, "text", np.zeros(5), np.full(FACE.shape, 0.5)])
def test_an_inverse_may_return_anything(result: object) -> None:
    """If `decrypt` returns anything but the image, no picture counts as restored."""

    class Lossy:
        encrypt = staticmethod(mask_by_picture)

        def decrypt(self, *_: object) -> object:
            return result

    scheme = analysis.scheme_from_function(Lossy)
    figures = analysis.measure_security(scheme, [PLAIN], keys=5, quick=True)
    assert [each.exact for each in figures.pictures] == [0]


@pytest.mark.parametrize("value", [[1, {}], np.arange(3), {"a": np.arange(2)}, None])
def test_side_information_may_be_of_any_type(value: object) -> None:
    """Side information that cannot be compared or hashed is accepted."""

    def mask_image(image: AnyArray, key: bytes) -> AnyArray:
        return image ^ draw_stream(image, *key)

    mask_image.public = lambda _: value  # type: ignore[attr-defined]
    run = analysis.run_attack("repeats", PLAIN, [analysis.scheme_from_function(mask_image)]).runs[0]
    assert run.refusal == ""


def test_an_interrupt_by_the_user_ends_everything(request: pytest.FixtureRequest) -> None:
    """An interrupt by the user is raised, and is no error of the running scheme."""
    # In the background of a shell, interrupts are ignored.
    previous_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, previous_handler))

    def slow(image: AnyArray, _: bytes) -> AnyArray:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
        return image

    with pytest.raises(KeyboardInterrupt):
        analysis.scheme_from_function(slow)


def test_a_scheme_that_moves_about_leaves_things_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scheme that changes folder and closes stdout changes neither for the report."""
    monkeypatch.chdir(tmp_path)

    def change_folder_and_streams(image: AnyArray, _: bytes) -> AnyArray:
        os.chdir("/")
        sys.stdout.close()
        return image

    analysis.scheme_from_function(change_folder_and_streams).fixed(FACE, bytes(32))
    assert Path.cwd() == tmp_path
    assert not sys.stderr.closed


def sleep_forever() -> None:
    while True:
        with suppress(BaseException):
            time.sleep(1)


def loop_forever() -> None:
    while True:
        try:
            time.sleep(1)
        finally:
            continue  # noqa: B012 - a scheme may do so


@pytest.mark.parametrize("hang", [sleep_forever, loop_forever])
def test_a_scheme_that_catches_interrupts_is_stopped(hang: Callable[[], None]) -> None:
    """A scheme that catches interrupts is stopped by a later interrupt."""
    calls = iter([0, 0])

    def hang_sometimes(image: AnyArray, key: bytes) -> AnyArray:
        if next(calls, 1):
            hang()
        return mask_by_picture(image, key)

    scheme = analysis.scheme_from_function(hang_sometimes)
    run = analysis.run_attack("reuse", PLAIN, [scheme], timeout=0.1, control=False).runs[0]
    assert run.refusal == "stopped after 0.1 seconds"


@pytest.mark.usefixtures("few_attacks")
def test_the_head_says_where_few_attacks_were_run() -> None:
    """If only 1 of 3 attacks could be run, the first sentences of the report say so."""
    calls = 0

    def raise_when_tired(image: AnyArray, key: bytes) -> AnyArray:
        nonlocal calls
        calls += 1
        if calls > 8:
            raise ValueError("no more")
        return mask_by_picture(image, key)

    lead = security_report(report_on(raise_when_tired, quick=True)).lead
    assert lead.startswith("Is it broken? No attack here breaks it, and only 1 of 3 could be run")


def test_a_scheme_ends_no_process() -> None:
    """`os._exit` in a scheme becomes an error, and is the original function afterwards."""
    leave = os._exit

    def exit_process(_: AnyArray, __: bytes) -> AnyArray:
        os._exit(7)

    scheme = analysis.scheme_from_function(exit_process)
    with pytest.raises(UnsupportedError, match="failed: SystemExit: 7"):
        scheme.fixed(FACE, bytes(32))
    assert os._exit is leave


def abort_process() -> None:
    faulthandler.disable()
    os.abort()


def crash_process() -> None:
    faulthandler.disable()
    ctypes.string_at(0)


def _end_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _stay_in_compiled_code() -> None:
    re.match("(a+)+$", 40 * "a" + "b")


@pytest.mark.usefixtures("few_attacks")
@pytest.mark.parametrize(
    "end", [abort_process, crash_process, _end_process, _stay_in_compiled_code]
)
def test_a_scheme_that_crashes_is_a_refused_row(end: Callable[[], None]) -> None:
    """A scheme that crashes in one attack has this refusal, and a report of the others."""

    def crash_in_one_attack(image: AnyArray, key: bytes) -> AnyArray:
        if image.size == 64:  # the size that only one attack queries
            end()
        return mask_by_picture(image, key)

    scheme = analysis.scheme_from_function(crash_in_one_attack)
    figures = analysis.measure_security(scheme, [PLAIN], keys=5, quick=True, timeout=1)
    refusals = {each.attack.name: each.as_used.refusal for each in figures.attacks}
    assert refusals["visible"] == ""
    assert re.match("the process was ended by signal|stopped after", refusals["key-bits"])


def test_a_scheme_that_always_ends_its_process_is_refused_by_each_part() -> None:
    """A scheme that kills its process in each call is refused with the signal."""

    def crash_in_one_attack(_: AnyArray, __: bytes) -> AnyArray:
        raise_signal(signal.SIGKILL)
        return FACE

    run = analysis.run_attack(
        "reuse", PLAIN, [analysis.scheme_from_function(crash_in_one_attack)]
    ).runs[0]
    assert run.refusal == "the process was ended by signal 9"


def test_an_interrupt_reaches_the_process_of_a_scheme(tmp_path: Path) -> None:
    """The process of a scheme is gone after its work was stopped."""
    note = tmp_path / "process"

    def work() -> None:
        note.write_text(str(os.getpid()))
        signal.setitimer(signal.ITIMER_REAL, 0)
        re.match("(a+)+$", 40 * "a" + "b")

    with pytest.raises(UnsupportedError, match="stopped"):
        run_in_fork(work, limit=0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


class TwoWordsError(Exception):
    """An error that cannot be pickled."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")
        self.held = lambda: first  # a function without a name cannot be pickled


class TwoWordsReadError(Exception):
    """An error that can be pickled but not unpickled, unless another library allows it."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


def test_errors_come_from_the_process_of_a_scheme() -> None:
    """Errors from the process of a scheme arrive, even if they or results cannot be pickled."""

    def fail(error: type[Exception]) -> None:
        raise error("no", "luck")

    def interrupt() -> None:
        # In the background of a shell the signal is ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        raise_signal(signal.SIGINT)

    with pytest.raises(UnsupportedError, match="TwoWordsError: no luck"):
        run_in_fork(lambda: fail(TwoWordsError))
    with pytest.raises((UnsupportedError, TwoWordsReadError), match="no luck"):
        run_in_fork(lambda: fail(TwoWordsReadError))
    with pytest.raises(Exception, match="pickle"):
        run_in_fork(lambda: lambda: None)
    with pytest.raises(UnsupportedError, match="ended with exit code 1"):
        run_in_fork(lambda: os.closerange(3, 256))  # as on a full disk, nothing can be written
    with pytest.raises(KeyboardInterrupt):
        run_in_fork(interrupt)


def raise_fault(*_: object) -> Finding:
    raise ZeroDivisionError("by a fault of ours")


def test_an_error_of_an_attack_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """If an attack raises an error of any type, its row says that it could not be run."""
    faulty = replace(ATTACKS["repeats"], run=raise_fault)
    monkeypatch.setattr("sudokucrypt.analysis.attacking._find_attack", lambda *_: faulty)
    scheme = analysis.scheme_from_function(mask_by_picture)
    run = analysis.run_attack("repeats", PLAIN, [scheme]).runs[0]
    assert run.refusal == "could not be run: ZeroDivisionError: by a fault of ours"


def test_a_scheme_that_forks_writes_one_report() -> None:
    """The second process of a scheme that forks ends inside of the call."""

    def fork_process(image: AnyArray, _: bytes) -> AnyArray:
        os.fork()
        return image

    scheme, process = analysis.scheme_from_function(fork_process), os.getpid()
    scheme.fixed(FACE, bytes(32))
    assert os.getpid() == process


def carrier(image: AnyArray, _: bytes) -> AnyArray:
    """Put the picture, masked by a one-time pad, into a public photograph."""
    result = np.resize(CARRIER, image.shape).copy()
    if image.ndim == 2:
        result = CARRIER[: image.shape[0], : image.shape[1]].copy()
    rows, columns = (slice(side // 4, side - side // 4) for side in image.shape[:2])
    pad = np.frombuffer(os.urandom(image.size), np.uint8).reshape(image.shape)
    result[rows, columns] = (image ^ pad)[rows, columns]
    return result


@pytest.mark.usefixtures("few_attacks")
@pytest.mark.parametrize("corner", [0, 100, 200])
def test_photographs_as_carriers_show_nothing(corner: int) -> None:
    """A carrier photograph agrees with another photograph by chance, which is no finding."""
    plain = np.ascontiguousarray(picture("camera")[corner:, corner:][:256, :256])
    for _ in range(5):
        target = Target(name="carrier", oracle=lambda image: carrier(image, b""))
        assert ATTACKS["visible"].run(target, plain).outcome is Outcome.NOTHING
    quick = report_on(carrier, quick=True)
    assert quick.failures == ()
    assert security_report(quick).lead.startswith("Is it broken? No attack here breaks it. ")


@pytest.mark.usefixtures("few_attacks")
def test_the_head_weighs_what_metrics_find() -> None:
    """A stream that is equal in all rows is reported as a leak, and an ideal stream is not."""

    def alike(image: AnyArray, key: bytes) -> AnyArray:
        return image ^ draw_stream(image[0], *sha256(key + image.tobytes()).digest())

    report = security_report(report_on(alike, quick=True))
    assert any("correlation vertical of camera is 0." in each for each in report.data["leaks"])
    assert security_report(report_on(mask_by_picture, quick=True)).data["leaks"] == []


@pytest.mark.usefixtures("few_attacks")
def test_answers_distinguish_key_and_picture() -> None:
    """Answers about changed bits of key and picture are right for a stream of the key only."""

    def stable(image: AnyArray, key: bytes) -> AnyArray:
        return image ^ draw_stream(image, *key)

    table = security_report(report_on(stable, quick=True)).sections[1].tables[0]
    answers = {row[0].text: row[2].text for row in table.rows}
    assert answers["Does one changed bit of the key change the result?"] == "yes"
    assert answers["Does one changed bit of the picture change the result?"] == "no"


@pytest.mark.parametrize("seed", range(40))
def test_key_figures_allow_for_their_number(seed: int) -> None:
    """A scheme with a synthetic IV passes all tests of the key under every seed."""
    from sudokucrypt.analysis.security import _measure_bit_flips

    scheme = analysis.scheme_from_function(mask_by_picture)
    key = analysis.report_key(0, seed=seed)
    small_picture = analysis.NamedImage(name="small", pixels=FACE[:32, :32])
    assert all(each.passed for each in _measure_bit_flips(scheme, small_picture, key, 0.05))


def few_values(image: AnyArray, key: bytes) -> AnyArray:
    """Mask by a stream of the key, hashed to one of a million values."""
    return image ^ draw_stream(image, int.from_bytes(sha256(key).digest()) % 10**6)


def mask_strips(image: AnyArray, key: bytes) -> AnyArray:
    """Mask each of 32 strips by one byte of the key."""
    parts = [
        part ^ draw_stream(part, byte)
        for part, byte in zip(np.array_split(image.ravel(), 32), key, strict=True)
    ]
    return np.concatenate(parts).reshape(image.shape)


def small_and_fresh(image: AnyArray, key: bytes) -> AnyArray:
    """Mask by a stream of two bytes of the key and a nonce."""
    return image ^ draw_stream(image, key[0], key[1], *os.urandom(8))


@pytest.mark.parametrize("scheme", [few_values, mask_strips, small_and_fresh])
def test_small_spaces_and_short_reaches_show(scheme: Callable[[AnyArray, bytes], AnyArray]) -> None:
    """Few keys, keys that can be searched in parts, and few keys with a nonce are broken."""
    made = analysis.scheme_from_function(scheme)
    run = analysis.run_attack("key-bits", PLAIN, [made], control=False).runs[0]
    assert run.broken


@pytest.mark.usefixtures("few_attacks")
def test_effective_key_bits_state_no_key_space() -> None:
    """If every key bit has an effect, the size of the key space is reported as unknown."""
    result = report_on(mask_by_picture, quick=True)
    table = security_report(result).sections[1].tables[0]
    answers = {row[0].text: (row[1].text, row[2].text) for row in table.rows}
    assert answers["Has the key space 128 bits or more?"] == (
        "256 bits have an effect; the size of the space is not shown",
        "unknown",
    )


def test_sources_of_randomness_are_held_still_and_let_go() -> None:
    """Frozen sources, also generators of a module, give equal values, and continue afterwards."""
    own_generator = np.random.default_rng(5)

    def draw_mask() -> tuple[object, ...]:
        return (
            os.urandom(8),
            own_generator.integers(2**60),
            np.random.default_rng().integers(2**60),
            time.time(),
        )

    frozen = FrozenRandomness(draw_mask)
    with frozen():
        first = draw_mask()
    with frozen():
        assert draw_mask() == first
    assert draw_mask() != draw_mask()
    with frozen():  # the generators begin anew from the seed 0
        assert random.getrandbits(64) == random.Random(0).getrandbits(64)  # noqa: S311
        assert np.random.rand() == np.random.RandomState(0).rand()
    drawn_since = 2
    expected = np.random.default_rng(5).integers(2**60, size=drawn_since + 1)[-1]
    assert own_generator.integers(2**60) == expected


def test_an_inverse_in_the_same_module_is_found() -> None:
    """The inverse of a function `encrypt` is the function `decrypt` of its module."""
    names: dict[str, object] = {}
    exec(  # noqa: S102 - a module of a user
        "def encrypt(image, key): return image + key[0]\n"
        "def decrypt(image, key): return image - key[0]\n",
        names,
    )
    scheme = analysis.scheme_from_function(names["encrypt"])
    run = scheme.fixed(FACE, bytes([7] * 32))
    assert run.undo is not None
    assert np.array_equal(run.undo(bytes([7] * 32)), FACE)


def test_the_published_interval_is_no_verdict() -> None:
    """Local entropy with the published interval, which few random images meet, has no verdict."""
    from sudokucrypt.reports.words import make_measurement_table

    noise = np.random.default_rng(1).integers(0, 256, (256, 256), dtype=np.uint8)
    metric = analysis.METRICS["local_entropy_published"]
    table = make_measurement_table("x", metric.measure_named(noise))
    assert table.rows[0][-1].verdict is None


def test_means_are_over_the_same_pictures() -> None:
    """Means leave out a picture that one scheme refuses; published values have one row."""
    wide = analysis.NamedImage(name="wide", pixels=FACE[:32])
    names = ("arnold", "uniform")
    figures = analysis.compare_schemes(
        [PLAIN, wide], [analysis.BASELINES[name] for name in names], repeats=0
    )
    published = [{"scheme": "paper", "npcr_same_salt": "0.9961"}]
    report = comparison_report(figures, published=published)
    means, square, other = report.sections[:3]
    assert means.paragraphs[0].startswith("The mean over the pictures that all schemes accept: cam")
    assert [row[1].text for row in means.tables[0].rows[:2]] == [
        row[1].text.lstrip("-") for row in square.tables[0].rows[1:]
    ]
    assert [row[0].text for row in means.tables[0].rows] == [*names, "paper (published)"]
    assert [row[0].text for row in other.tables[0].rows] == ["expected", *names]


def test_two_reports_of_one_seed_are_equal() -> None:
    """Two reports with equal seeds are equal as CSV and LaTeX, as they contain no times."""
    schemes = [analysis.BASELINES["uniform"]]
    first, second = (
        comparison_report(analysis.compare_schemes([PLAIN], schemes, repeats=0)) for _ in range(2)
    )
    assert (to_csv(first), to_latex(first)) == (to_csv(second), to_latex(second))


def test_notes_are_in_latex() -> None:
    """The notes of a section follow its last table in LaTeX."""
    figures = analysis.compare_schemes([PLAIN], [analysis.BASELINES["uniform"]], repeats=0)
    text = to_latex(comparison_report(figures))
    assert "No figure here shows secrecy" in text
    assert text.index("known limits") < text.index("No figure here shows secrecy")


def test_schemes_that_sometimes_keep_an_image_are_attacked() -> None:
    """A scheme that by chance leaves noise unchanged in one of three calls is attacked."""
    calls = 0

    def moving(image: AnyArray) -> AnyArray:
        nonlocal calls
        calls += 1
        return image if len(image) <= 16 or calls % 3 else image[::-1]

    assert shrink_picture(moving, FACE[:, :], max_samples=256).shape == (32, 32)


def test_output_before_work_is_written_once() -> None:
    """What was printed before work goes to stdout, and what work prints goes to stderr."""
    script = """
import sys
from sudokucrypt.analysis.progress import run_in_fork
print("before")
run_in_fork(lambda: print("inside", flush=True))
"""
    command = [sys.executable, "-c", script]
    buffered = os.environ | {"PYTHONUNBUFFERED": ""}
    process = subprocess.run(command, env=buffered, capture_output=True, text=True, check=True)
    assert (process.stdout, process.stderr) == ("before\n", "inside\n")


def test_a_limit_ends_with_its_work() -> None:
    """After work that ended in time nothing is interrupted, and the old handler is back."""
    handler = signal.getsignal(signal.SIGALRM)
    with limit_time(0.05):
        pass
    time.sleep(0.1)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is handler
