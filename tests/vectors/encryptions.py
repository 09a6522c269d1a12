"""The generator of the vectors for `encrypt-v1`, with keys and with passphrases."""

from __future__ import annotations

from sudokucrypt import KeyDerivation, Passphrase
from sudokucrypt.ciphers import ENCRYPT
from sudokucrypt.recipes.parts import Protection, protect_image
from tests.vectors.common import KEY, SALT, Case, bytes_or_digest, plain_image
from tests.vectors.pictures import KDF_SALT, PASSPHRASE


def encryptions() -> list[Case]:
    """Whole encrypted images with their headers."""
    wanted: list[Case] = [
        {"shape": [1], "dtype": "uint8"},
        {"shape": [1], "dtype": "bool"},
        {"shape": [1, 1, 3], "dtype": "float64"},
        {"shape": [40], "dtype": "uint8"},
        {"shape": [40], "dtype": "bool"},
        {"shape": [8, 9, 3], "dtype": "uint8"},
        {"shape": [8, 9, 3], "dtype": "uint8", "salt": None},
        {"shape": [8, 9, 3], "dtype": "bool", "rounds": 1},
        {"shape": [8, 9, 3], "dtype": "uint16", "rounds": 5},
        {"shape": [8, 9, 3], "dtype": "float32"},
        {"shape": [7, 13], "dtype": "int64", "salt": None, "rounds": 255},
        {"shape": [10, 11, 2], "dtype": "float16"},
        {"shape": [64, 64, 3], "dtype": "uint8"},
        {"shape": [64, 64, 3], "dtype": "uint16", "salt": None},
        {"shape": [8, 9, 3], "dtype": "uint8", "kdf": f"argon2id:m=32,t=1,p=1:{KDF_SALT}"},
        {"shape": [8, 9, 3], "dtype": "uint8", "kdf": f"scrypt:m=16,t=1,p=1:{KDF_SALT}"},
        {"shape": [5, 7], "dtype": "int16", "kdf": f"argon2id:m=33,t=2,p=2:{KDF_SALT}"},
    ]
    cases = []
    for number, options in enumerate(wanted):
        case: Case = {"label": f"encryption {number}", "rounds": None, "salt": SALT.hex()}
        case |= {"passphrase": None, "kdf": None} | options
        if case["kdf"] is not None:
            case["passphrase"] = PASSPHRASE
        image = plain_image(case["label"], case["shape"], case["dtype"])
        result = protect_image(
            image,
            KEY if case["passphrase"] is None else Passphrase(case["passphrase"]),
            Protection(
                scheme=ENCRYPT,
                rounds=case["rounds"],
                salt=None if case["salt"] is None else bytes.fromhex(case["salt"]),
                derivation=None if case["kdf"] is None else KeyDerivation.from_text(case["kdf"]),
            ),
        )
        case["plain"] = bytes_or_digest(image.tobytes())
        case["header"] = result.header.to_bytes().decode()
        case["encrypted"] = bytes_or_digest(result.pixels.tobytes())
        cases.append(case)
    return cases
