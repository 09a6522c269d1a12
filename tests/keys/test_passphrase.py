"""Passphrases, derivations with their limits, and locked key files."""

import json
import os
import signal
import time
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidKeyError,
    InvalidParameterError,
    Key,
    KeyDerivation,
    Passphrase,
    UnsupportedError,
    decrypt_bytes,
    encrypt_bytes,
)
from sudokucrypt.errors import MissingKeyError
from sudokucrypt.keys import (
    PROFILES,
    CostlyDerivationError,
    DerivationBudget,
    is_locked,
    lock,
    passphrase,
    unlock,
)
from sudokucrypt.keys.texts import encode_bech32
from tests.spies import watch_calls

SALT = "00" * 16
CASES = json.loads(Path(__file__).with_name("derivations.json").read_text(encoding="utf-8"))


@pytest.fixture
def true_profiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the profiles of users instead of the cheap ones of tests."""
    monkeypatch.setattr("sudokucrypt.keys.passphrase.PROFILES", PROFILES)


WORDS = "lend trace april dove gulf iron"
SPELLINGS = [
    "Lend Trace April Dove Gulf Iron",
    "LEND TRACE APRIL DOVE GULF IRON",
    f" {WORDS} ",
    WORDS.replace(" ", "\u00a0"),
    WORDS.replace(" ", "  \t"),
    f"{WORDS}\n\n",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_drawn_words_open_in_other_spellings(spelling: str) -> None:
    """Capitals and spaces do not matter if all words are from our list, else they do."""
    secret = b"secret"
    assert decrypt_bytes(encrypt_bytes(secret, Passphrase(WORDS)), Passphrase(spelling)) == secret
    assert unlock(lock(Key(bytes(32)), Passphrase(WORDS)), Passphrase(spelling)) == Key(bytes(32))
    # A file that was protected with another spelling opens with that spelling only.
    result = encrypt_bytes(secret, Passphrase(spelling))
    assert decrypt_bytes(result, Passphrase(spelling)) == secret
    with pytest.raises(DecryptionError):
        decrypt_bytes(result, Passphrase(WORDS))
    own = f"{WORDS} Zebulon"
    with pytest.raises(DecryptionError):
        decrypt_bytes(encrypt_bytes(secret, Passphrase(own)), Passphrase(own.lower()))


def test_the_hint_mentions_spaces_at_the_ends() -> None:
    """The hint for a wrong passphrase says that it begins or ends with a space, if it does."""
    result = encrypt_bytes(b"secret", Passphrase("of my own"))
    hints = []
    for text in ("of my own ", "\u00a0of my own", " of my own ", "of my  own"):
        with pytest.raises(DecryptionError) as error_info:
            decrypt_bytes(result, Passphrase(text))
        hints.append(str(error_info.value.hint).partition(";")[0])
    assert hints == [
        "a space stands at its end",
        "a space stands at its start",
        "a space stands at its start and at its end",
        "check capitals, spaces and the keyboard layout",
    ]


@pytest.mark.usefixtures("true_profiles")
@pytest.mark.parametrize("profile", ["default", "strong"])
def test_profiles_round_trip(profile: str) -> None:
    """The text of a profile is read back and is affordable; two derivations differ in salt."""
    first_derivation, second_derivation = KeyDerivation.new(profile), KeyDerivation.new(profile)
    assert KeyDerivation.from_text(first_derivation.to_text()) == first_derivation
    assert first_derivation.salt != second_derivation.salt
    first_derivation.require_affordable()
    with pytest.raises(InvalidParameterError):
        KeyDerivation.new("weak")


def test_profiles_are_those_of_the_specification() -> None:
    """The default profile has 256 MiB, 3 passes and 4 lanes; all have 64 MiB, 3 and 4 or more."""
    assert PROFILES["default"] == (262144, 3, 4)
    assert all(m >= 65536 and t >= 3 and p >= 4 for m, t, p in PROFILES.values())


@pytest.mark.usefixtures("true_profiles")
def test_without_argon2id_there_is_scrypt(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the library has no Argon2id, new derivations use scrypt with N = 131072."""
    monkeypatch.setattr("sudokucrypt.keys.passphrase._has_argon2", lambda: False)
    result = KeyDerivation.new()
    assert (result.name, result.memory, result.iterations, result.lanes) == ("scrypt", 131072, 1, 1)
    result.require_affordable()
    with pytest.raises(UnsupportedError, match="no Argon2id"):
        KeyDerivation("argon2id", 64, 1, 1, bytes(16)).derive(Passphrase("pw"))


@pytest.mark.parametrize("text", CASES["other texts"])
def test_other_texts_are_refused(text: str) -> None:
    """A text of a derivation in another form is refused."""
    with pytest.raises(FormatError):
        KeyDerivation.from_text(text)


@pytest.mark.parametrize("cost", CASES["impossible costs"])
def test_costs_are_capped(cost: str) -> None:
    """Costs over 4 GiB, 64 passes or 64 lanes, and impossible numbers, are refused when read."""
    with pytest.raises(UnsupportedError):
        KeyDerivation.from_text(f"{cost}:{SALT}")


@pytest.mark.parametrize(("cost", "affordable"), CASES["asked by strangers"])
def test_affordable_costs(cost: str, *, affordable: bool) -> None:
    """Costs up to 896 MiB, 4 GiB times passes and 16 lanes, or N p = 2**20, are affordable."""
    derivation = KeyDerivation.from_text(f"{cost}:{SALT}")
    if affordable:
        derivation.require_affordable()
        return
    with pytest.raises(UnsupportedError, match="more memory or time than is allowed"):
        derivation.require_affordable()


def test_an_unaffordable_key_file_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked key file with too high costs is refused before anything is derived."""
    derived: list[KeyDerivation] = []
    text = lock(Key(bytes(32)), Passphrase("open"))
    monkeypatch.setattr(KeyDerivation, "derive", lambda self, _: derived.append(self))
    cheap_text = next(line for line in text.splitlines() if line.startswith("argon2id"))
    with pytest.raises(UnsupportedError, match="than is allowed"):
        unlock(text.replace(cheap_text, f"argon2id:m=917505,t=1,p=1:{SALT}"), Passphrase("open"))
    assert not derived


@pytest.mark.parametrize("text", ["\0", "a\0", "\0a", "open\0sesame"])
def test_passphrases_hold_no_zeros(text: str) -> None:
    """A passphrase with a zero character is refused, since to scrypt it may equal a shorter one."""
    with pytest.raises(InvalidKeyError, match="zero character"):
        Passphrase(text)
    with pytest.raises(InvalidKeyError, match="zero character"):
        Passphrase.from_bytes(text.encode())


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("e\u0301", "\u00e9"),  # one letter in two ways
        ("\ufb01", "\ufb01"),  # a ligature is no two letters
        ("\u2460", "\u2460"),  # a number in a circle is no number
        ("\uff41", "\uff41"),  # a wide letter is no letter
        ("\u212b", "\u00c5"),
    ],
)
def test_passphrases_are_in_form_c(text: str, normal: str) -> None:
    """Texts with the same normalization form C are one passphrase; look-alikes are not."""
    assert Passphrase(text).to_bytes() == normal.encode()


def test_passphrases_are_read_and_hidden(tmp_path: Path) -> None:
    """From a file, one line end is dropped and spaces are kept; `repr` does not show the text."""
    path = tmp_path / "pw"
    for content in (b"se cret", b"se cret\n", b"se cret\r\n", b"\xef\xbb\xbfse cret\n"):
        path.write_bytes(content)
        assert Passphrase.from_file(path).to_bytes() == b"se cret"
    path.write_bytes(b"se cret \n\n")
    assert Passphrase.from_file(path).to_bytes() == b"se cret \n"
    assert "cret" not in repr(Passphrase("se cret"))
    for content in (b"", b"\n", b"\xff", b"x" * 70_000):
        path.write_bytes(content)
        with pytest.raises(InvalidKeyError):
            Passphrase.from_file(path)
    for location in (tmp_path, tmp_path / "missing"):
        with pytest.raises(
            InvalidKeyError, match=f"cannot read the passphrase file '{location}': "
        ) as error_info:
            Passphrase.from_file(location)
        assert isinstance(error_info.value, MissingKeyError) == (not location.exists())
    with pytest.raises(InvalidKeyError):
        Passphrase("\ud800")


def test_locked_key_files() -> None:
    """The right passphrase opens a locked key, another one does not, and changes are detected."""
    key = Key(bytes(range(32)))
    text = lock(key, Passphrase("open"))
    assert is_locked(text)
    assert not is_locked(key.to_file_text())
    assert key.to_text() not in text
    assert key.id in text
    assert unlock(text, Passphrase("open")) == key
    assert unlock(text, Passphrase("open"), origin="'my.key'").origin == "'my.key'"
    with pytest.raises(DecryptionError, match="does not open the key file, or"):
        unlock(text, Passphrase("closed"))
    with pytest.raises(DecryptionError, match=r"does not open 'my.key', or"):
        unlock(text, Passphrase("closed"), origin="'my.key'")
    with pytest.raises(DecryptionError):
        unlock(text.replace("t=1", "t=2"), Passphrase("open"))
    line = text.splitlines()[-2]
    for prefix, length in (("sudokucrypt-locked-key-", 47), ("sudokucrypt-locked-lock-", 48)):
        with pytest.raises(InvalidKeyError, match="its length is wrong"):
            unlock(f"{line}\n{encode_bech32(prefix, bytes(length))}\n", Passphrase("open"))
    with pytest.raises(InvalidKeyError):
        unlock(text[:-3] + "QQ\n", Passphrase("open"))
    with pytest.raises(InvalidKeyError):
        unlock(key.to_file_text(), Passphrase("open"))
    with pytest.raises(InvalidKeyError):
        Key.from_text(text)


def test_argon2id_may_be_missing_in_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the library has the class but refuses to create it, Argon2id counts as missing."""
    from cryptography.exceptions import UnsupportedAlgorithm

    def refuse_argon2(**_parameters: object) -> None:
        raise UnsupportedAlgorithm("Argon2id")

    assert passphrase._has_argon2()
    monkeypatch.setattr("cryptography.hazmat.primitives.kdf.argon2.Argon2id", refuse_argon2)
    assert not passphrase._has_argon2()


def test_derived_keys_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A passphrase has one salt, derives each key once, and remembers at most 70 keys."""
    costs: list[str] = []
    watch_calls(monkeypatch, KeyDerivation, "_derive", lambda each, _: costs.append(each.to_text()))
    passphrase_object, second_object = Passphrase("one"), Passphrase("one")
    assert passphrase_object.derivation == passphrase_object.derivation != second_object.derivation
    assert passphrase_object.derivation.derive(
        passphrase_object
    ) == passphrase_object.derivation.derive(passphrase_object)
    assert len(costs) == 1
    cheap = [KeyDerivation("scrypt", 2, 1, 1, bytes([n]) * 16) for n in range(70)]
    keys = [each.derive(passphrase_object) for each in (*cheap, cheap[-1])]
    assert len(costs) == 71
    assert keys[-1] == keys[-2]
    assert cheap[0].derive(passphrase_object) == keys[0]
    assert len(costs) == 72


@pytest.mark.usefixtures("true_profiles")
def test_costly_derivations() -> None:
    """A derivation with more memory or work than the default is costly; lanes share the work."""
    costs: dict[tuple[Any, int, int, int], bool] = {
        ("argon2id", 262144, 3, 4): False,
        ("argon2id", 262144, 3, 16): False,
        ("argon2id", 262145, 1, 1): True,
        ("argon2id", 262144, 4, 4): True,
        ("argon2id", 64, 64, 1): False,
        ("scrypt", 131072, 1, 1): False,
        ("scrypt", 131072, 1, 2): True,
        ("scrypt", 262144, 1, 1): True,
    }
    for cost, costly in costs.items():
        assert KeyDerivation(*cost, salt=bytes(16)).costly == costly
    assert not KeyDerivation.new().costly
    assert KeyDerivation.new("strong").costly


def test_a_passphrase_is_text() -> None:
    """Other values are refused, and attributes that do not exist suggest others."""
    with pytest.raises(InvalidKeyError, match="a passphrase is text, not bytes"):
        Passphrase(b"open")  # type: ignore[arg-type] # that is what is tested
    with pytest.raises(AttributeError, match="no attribute 'to_byte'; use to_bytes"):
        _ = Passphrase("open").to_byte  # type: ignore[attr-defined] # that is what is tested


def test_a_budget_counts_costly_derivations_that_fail() -> None:
    """Two costly derivations may fail, or 16 usual ones; those that succeed are not counted."""
    costly = [KeyDerivation("argon2id", 1024, 2, 1, bytes([n]) * 16) for n in range(6)]
    budget = DerivationBudget(2)
    budget.deferring = True
    budget.charge(KeyDerivation.new())
    with pytest.raises(CostlyDerivationError):
        budget.charge(costly[0])
    budget.deferring = False
    for derivation in costly[:2]:
        budget.charge(derivation)
        budget.refund(derivation)
    for derivation in (*costly[2:4], *costly[:4], KeyDerivation.new()):
        budget.charge(derivation)
    for _ in range(2):
        budget.refund(costly[0])  # a success is not counted again
    with pytest.raises(UnsupportedError, match="failed for 2 others") as error_info:
        budget.charge(costly[4])
    assert error_info.value.hint_key == "max_derivation"
    budget.refund(costly[3])
    budget.charge(costly[4])
    for _ in range(14):  # two of the 16 were admitted above
        budget.charge(KeyDerivation.new())
    with pytest.raises(UnsupportedError, match="failed for 16 others"):
        budget.charge(KeyDerivation.new())
    budget = DerivationBudget()
    for derivation in costly[:3]:
        budget.charge(derivation)
    with pytest.raises(UnsupportedError, match="failed for 3 others"):
        budget.charge(costly[3])


@pytest.mark.usefixtures("true_profiles")
def test_a_budget_counts_what_derivations_cost() -> None:
    """Thousands of cheap derivations fail, and then 23 usual ones are still allowed."""
    budget = DerivationBudget(3)
    for index in range(5000):
        salt = index.to_bytes(16)
        budget.charge(KeyDerivation("argon2id", 8, 1, 1, salt))
        budget.charge(KeyDerivation("scrypt", 2, 1, 1, salt))
    usual_derivations = [KeyDerivation.new() for _ in range(24)]
    for derivation in usual_derivations[:23]:
        budget.charge(derivation)
    with pytest.raises(UnsupportedError, match="takes a while"):
        budget.charge(usual_derivations[23])
    budget.refund(usual_derivations[0])
    budget.charge(usual_derivations[23])
    scrypt = KeyDerivation("scrypt", 131072, 1, 1, bytes(16))
    assert scrypt.cost == KeyDerivation.get_default_cost() == usual_derivations[0].cost
    assert KeyDerivation("scrypt", 65536, 1, 2, bytes(16)).cost == scrypt.cost
    for max_costly in (0, 1):
        budget = DerivationBudget(max_costly)
        for derivation in usual_derivations[:8]:
            budget.charge(derivation)
        with pytest.raises(UnsupportedError, match="failed for 8 others"):
            budget.charge(usual_derivations[8])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_that_was_forked_during_a_derivation_derives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A child that is forked while a thread of the parent holds the lock can derive a key."""
    derive, has_begun, may_finish = KeyDerivation._derive, Event(), Event()

    def derive_slowly(derivation: KeyDerivation, secret: bytes) -> bytes:
        has_begun.set()
        may_finish.wait()
        return derive(derivation, secret)

    cheap = KeyDerivation("scrypt", 2, 1, 1, bytes(16))
    monkeypatch.setattr(KeyDerivation, "_derive", derive_slowly)
    thread = Thread(target=cheap.derive, args=(Passphrase("one"),))
    thread.start()
    has_begun.wait()
    child = os.fork()
    if not child:
        may_finish.set()
        cheap.derive(Passphrase("two"))
        os._exit(0)
    status, deadline = None, time.monotonic() + 10
    while status is None and time.monotonic() < deadline:
        ended_pid, code = os.waitpid(child, os.WNOHANG)
        status = code if ended_pid else None
        time.sleep(0.01)
    if status is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    may_finish.set()
    thread.join()
    assert status == 0
