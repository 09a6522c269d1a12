"""Mutants of keys: text, files, subkeys, derivations, locked files."""

from __future__ import annotations

from tests.vectors.mutants.mutant import mutants_of

_SUBKEYS = [
    ("another version in the info", 'b"sudokucrypt/v1/"', 'b"sudokucrypt/v2/"'),
    ("no zero before a context", 'info += b"\\x00" + context', "info += context"),
    ("an empty context as none", "    if context is not None:\n", "    if context:\n"),
    ("a context behind a zero where there is none", "    if context is not None:\n"
     '        info += b"\\x00" + context', '    info += b"\\x00" + (context or b"")'),
    ("the key as salt of the extraction", "extract(salt, material)", "extract(material, b'')"),
    ("the counter from 0", "        counter += 1\n        previous =",
     "        counter += 0\n        previous ="),
    ("the id under its old label", '"master/id"', '"id"'),
    ("the id in upper case", "length=KEY_ID_BYTES).hex()", "length=KEY_ID_BYTES).hex().upper()"),
    ("the last bytes as the id", 'subkey(key, "master/id", length=KEY_ID_BYTES).hex()',
     'subkey(key, "master/id")[-4:].hex()'),
    ("the picture key without its level", '"master/picture"', '"picture"'),
    ("the picture key without the salt", '"master/picture", context=salt',
     '"master/picture", context=b""'),
    ("the picture key from the digits of the salt", '"master/picture", context=salt',
     '"master/picture", context=salt.hex().encode()'),
    ("the picture key from the salt backwards", '"master/picture", context=salt',
     '"master/picture", context=salt[::-1]'),
    ("the picture key from half of the salt", '"master/picture", context=salt',
     '"master/picture", context=salt[:8]'),
    ("the salt within the label", '"master/picture", context=salt)',
     '"master/picture/" + salt.hex())'),
]  # fmt: skip

_TEXTS = [
    ("the constant of Bech32m", "CHECKSUM_CONSTANT = 1", "CHECKSUM_CONSTANT = 0x2BC830A3"),
    ("any checksum", "if _polymod([*_expand(prefix), *values]) != CHECKSUM_CONSTANT:",
     "if _polymod([*_expand(prefix), *values]) < 0:"),
    ("mixed case", "if text not in (text.lower(), text.upper()):", "if not text:"),
    ("a text in lower case is written", "groups_from_bytes(key)).upper()",
     "groups_from_bytes(key))"),
    ("the Kelvin sign", "if not all(33 <= ord(c) <= 126 for c in text):\n"
     '        raise RefusedError("a character outside of the range of Bech32")\n'
     "    if text not in (text.lower(), text.upper()):", "if text not in (text.lower(), "
     "text.upper(), text.replace('\\u212a', 'K')):"),
    ("a letter more than it takes", "if len(padding) > 4 or", "if"),
    ("padding that is not zero", 'if len(padding) > 4 or "1" in padding:',
     "if len(padding) > 4:"),
    ("any prefix", "if found != prefix or len(key)", "if len(key)"),
    ("a picture key for a key", "if found != prefix or len(key)",
     'if not found.startswith("sudokucrypt-") or len(key)'),
    ("a prefix of the right start", "if found != prefix or len(key)",
     "if not found.startswith(prefix[:-1]) or len(key)"),
    ("any length", "if found != prefix or len(key) != KEY_BYTES:", "if found != prefix:"),
    ("longer keys", "len(key) != KEY_BYTES:\n        raise RefusedError(\"Bech32",
     "len(key) < KEY_BYTES:\n        raise RefusedError(\"Bech32"),
    ("no byte order mark", "text = text.removeprefix(BYTE_ORDER_MARK)", "pass"),
    ("several byte order marks", "text = text.removeprefix(BYTE_ORDER_MARK)",
     "text = text.lstrip(BYTE_ORDER_MARK)"),
    ("byte order marks around every line", 'IGNORED = " \\t\\r"', 'IGNORED = " \\t\\r\\ufeff"'),
    ("a file that is not UTF-8", 'content.decode("utf-8")', 'content.decode("utf-8", "replace")'),
    ("bytes that are not UTF-8 left out", 'content.decode("utf-8")',
     'content.decode("utf-8", "ignore")'),
    ("Latin-1", 'content.decode("utf-8")', 'content.decode("utf-8-sig" if content.isascii() or '
     'content[:1] == b"\\xef" else "latin-1")'),
    ("surrogates in a file", 'content.decode("utf-8")', 'content.decode("utf-8", "surrogatepass")'),
    ("all white space around a line", "line.strip(IGNORED)", "line.strip()"),
    ("no carriage return around a line", 'IGNORED = " \\t\\r"', 'IGNORED = " \\t"'),
    ("no tab around a line", 'IGNORED = " \\t\\r"', 'IGNORED = " \\r"'),
    ("no space around a line", 'IGNORED = " \\t\\r"', 'IGNORED = "\\t\\r"'),
    ("VT around a line", 'IGNORED = " \\t\\r"', 'IGNORED = " \\t\\r\\v"'),
    ("FF around a line", 'IGNORED = " \\t\\r"', 'IGNORED = " \\t\\r\\f"'),
    ("every line end of Unicode", 'text.split("\\n")', "text.splitlines()"),
    ("carriage returns as line ends", 'text.split("\\n")',
     'text.replace("\\r", "\\n").split("\\n")'),
    ("NEL as a line end", 'text.split("\\n")', 'text.replace("\\x85", "\\n").split("\\n")'),
    ("LS as a line end", 'text.split("\\n")', 'text.replace("\\u2028", "\\n").split("\\n")'),
    ("VT as a line end", 'text.split("\\n")', 'text.replace("\\v", "\\n").split("\\n")'),
    ("FF as a line end", 'text.split("\\n")', 'text.replace("\\f", "\\n").split("\\n")'),
    ("comments before trimming", 'for line in text.split("\\n")]',
     'for line in text.split("\\n") if not line.startswith("#")]\n'
     '    lines = [line + " " if line.startswith("#") else line for line in lines]\n'
     '    return [line for line in lines if line]'),
    ("no comments", 'if line and not line.startswith("#")', "if line"),
    ("comments by semicolons", 'line.startswith("#")', 'line.startswith(("#", ";"))'),
    ("the first of several keys", "if len(others) != 1:", "if len(others) < 1:"),
]  # fmt: skip

_DERIVATIONS = [
    ("NFKC", '"NFC"', '"NFKC"'),
    ("NFD", '"NFC"', '"NFD"'),
    ("no normal form", 'unicodedata.normalize("NFC", passphrase)', "passphrase"),
    ("a trimmed passphrase", 'unicodedata.normalize("NFC", passphrase)',
     'unicodedata.normalize("NFC", passphrase).strip()'),
    ("zeros in a passphrase", 'if "\\0" in passphrase:', "if False:"),
    ("an empty passphrase", "if not passphrase:", "if passphrase is None:"),
    ("surrogates in a passphrase", '.encode("utf-8")', '.encode("utf-8", "surrogatepass")'),
    ("surrogates left out", '.encode("utf-8")', '.encode("utf-8", "ignore")'),
    ("surrogates as question marks", '.encode("utf-8")', '.encode("utf-8", "replace")'),
    ("UTF-16", '.encode("utf-8")', '.encode("utf-16-le")'),
    ("memory below the limit", "d.memory > MAX_MEMORY", "d.memory >= MAX_MEMORY"),
    ("memory above the limit", "d.memory > MAX_MEMORY", "d.memory > MAX_MEMORY + 1"),
    ("the limit of the package for memory", "MAX_MEMORY = 4194304", "MAX_MEMORY = 1048576"),
    ("no limit for memory", "d.memory > MAX_MEMORY or ", ""),
    ("64 passes", "d.passes > MAX_PASSES", "d.passes >= MAX_PASSES"),
    ("65 passes", "d.passes > MAX_PASSES", "d.passes > MAX_PASSES + 1"),
    ("64 lanes", "d.parallel > MAX_PARALLEL", "d.parallel >= MAX_PARALLEL"),
    ("65 lanes", "d.parallel > MAX_PARALLEL", "d.parallel > MAX_PARALLEL + 1"),
    ("the limit of the package for lanes", "MAX_PARALLEL = 64", "MAX_PARALLEL = 16"),
    ("7 KiB for a lane", "d.memory < 8 * d.parallel", "d.memory < 7 * d.parallel"),
    ("9 KiB for a lane", "d.memory < 8 * d.parallel", "d.memory <= 8 * d.parallel"),
    ("lanes do not count for the least memory", "d.memory < 8 * d.parallel", "d.memory < 8"),
    ("8 KiB for a lane of scrypt", "d.function == ARGON2ID and d.memory", "d.memory"),
    ("a cost of 1", "d.memory < 2 or", "d.memory < 1 or"),
    ("no cost of 2", "d.memory < 2 or", "d.memory <= 2 or"),
    ("a cost that is no power of two", " or d.memory & (d.memory - 1)", ""),
    ("passes of scrypt", " or d.passes != 1", ""),
    ("leading zeros", '_NUMBER = "([1-9][0-9]*)"', '_NUMBER = "(0*[1-9][0-9]*)"'),
    ("another function", 'f"(argon2id|scrypt):', 'f"(argon2id?|scrypt):'),
    ("readers take only known functions", "_READABLE.fullmatch(text) is not None",
     "_FORM.fullmatch(text) is not None"),
    ("names of 33 letters", "[a-z0-9]{1,32}:[a", "[a-z0-9]{1,33}:[a"),
    ("names of 31 letters", "[a-z0-9]{1,32}:[a", "[a-z0-9]{1,31}:[a"),
    ("no name", "[a-z0-9]{1,32}:[a", "[a-z0-9]{0,32}:[a"),
    ("names in upper case", "[a-z0-9]{1,32}:[a", "[A-Za-z0-9]{1,32}:[a"),
    ("65 letters of numbers", "{1,64}", "{1,65}"),
    ("63 letters of numbers", "{1,64}", "{1,63}"),
    ("no numbers", "{1,64}", "{0,64}"),
    ("a salt in upper case", ":[0-9a-f]{32}\")\n", ":[0-9a-fA-F]{32}\")\n"),
    ("something behind the salt", "_READABLE.fullmatch(text)", "_READABLE.match(text)"),
    ("another block size of scrypt", "SCRYPT_BLOCK_SIZE = 8", "SCRYPT_BLOCK_SIZE = 1"),
    ("one lane of scrypt", "            p=d.parallel,", "            p=1,"),
    ("one lane of Argon2id", "        parallel=d.parallel,\n        length", 
     "        parallel=1,\n        length"),
    ("one pass of Argon2id", "        passes=d.passes,\n        parallel=d.parallel,\n        length",
     "        passes=1,\n        parallel=d.parallel,\n        length"),
    ("the digits of the salt", "salt=bytes.fromhex(salt)", "salt=salt.encode()"),
]  # fmt: skip

_ARGON2 = [
    ("version 0x10", "VERSION = 0x13", "VERSION = 0x10"),
    ("Argon2i", "ARGON2ID = 2", "ARGON2ID = 1"),
    ("all addresses from the data", "independent = turn == 0 and part < SLICES // 2",
     "independent = False"),
    ("addresses of all first passes independent", "turn == 0 and part < SLICES // 2",
     "part < SLICES // 2"),
    ("blocks of later passes in place of the old", "new if turn == 0 else _exclusive_or(new, "
     "blocks[j])", "new"),
    ("one lane alone", "j2 % self.parallel", "lane"),
    ("one multiplication less", "a + b + 2 * (a & _LOW) * (b & _LOW)", "a + b"),
    ("the last lane as the result", "last = _exclusive_or(last, blocks[-1])", "last = blocks[-1]"),
]  # fmt: skip

_LOCKED = [
    ("the derived key itself", "cipher_key = subkey(kdf.derive(passphrase, derivation), USE)",
     "cipher_key = kdf.derive(passphrase, derivation)"),
    ("another label", 'USE = "lock"', 'USE = "master/lock"'),
    ("more than two lines", "if len(lines) != 2:\n        raise RefusedError(\"a locked key file has "
     "a derivation and a locked key\")\n    derivation, text = lines",
     "if len(lines) < 2:\n        raise RefusedError\n    derivation, text = lines[:2]"),
    ("lines in any order", "derivation, text = lines", "derivation, text = sorted(lines)[::-1]"),
    ("the prefix of a plain key", "if prefix != LOCKED_PREFIX or", "if"),
    ("any length", " or len(sealed) != LOCKED_BYTES:", ":"),
    ("a limit of 90 characters", "decode(text, limit=None)", "decode(text)"),
    ("no associated data", "nonce=ZERO_NONCE, associated=derivation.encode(\"ascii\"))",
     'nonce=ZERO_NONCE, associated=b"")'),
    ("the line feed as associated data", "nonce=ZERO_NONCE, associated=derivation.encode(\"ascii\"))",
     'nonce=ZERO_NONCE, associated=derivation.encode("ascii") + b"\\n")'),
    ("another nonce", "unseal(sealed, key=cipher_key, nonce=ZERO_NONCE",
     'unseal(sealed, key=cipher_key, nonce=b"\\1" * 12'),
]  # fmt: skip

_AEAD = [
    ("a tag compared by 4 bytes", "compare_digest(tag, _tag(sealed, key=key, nonce=nonce, "
     "associated=associated))", "compare_digest(tag[:4], _tag(sealed, key=key, nonce=nonce, "
     "associated=associated)[:4])"),
    ("any tag", "if not hmac.compare_digest(tag,", "if tag is None and not hmac.compare_digest(tag,"),
    ("no clamp", "_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF", "_CLAMP = 2**128 - 1"),
    ("no padding", "return data + bytes(-len(data) % 16)", "return data"),
    ("lengths exchanged", 'len(associated).to_bytes(8, "little") + len(sealed).to_bytes(8, "little")',
     'len(sealed).to_bytes(8, "little") + len(associated).to_bytes(8, "little")'),
]  # fmt: skip

MUTANTS = (
    *mutants_of("hkdf", "keys encryptions", _SUBKEYS),
    *mutants_of("bech32", "accept reject keys", _TEXTS),
    *mutants_of("kdf", "accept reject encryptions", _DERIVATIONS),
    *mutants_of("argon2", "encryptions accept", _ARGON2),
    *mutants_of("locked", "accept reject", _LOCKED),
    *mutants_of("aead", "accept reject", _AEAD),
)
"""Mutants of keys."""
