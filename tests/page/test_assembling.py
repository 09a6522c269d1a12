"""Assembling the page: modules follow the rules for joining, and the policy fits the content."""

import hashlib
import re
from base64 import b64encode
from html.parser import HTMLParser
from pathlib import Path

import pytest

import sudokucrypt
from sudokucrypt.page import assembling, make_album, page, remove_files

_PAGE_FOLDER = Path(sudokucrypt.__file__).parent / "page"
_MODULES = {path: path.read_text("utf-8") for path in sorted(_PAGE_FOLDER.rglob("*.js"))}
_TOP_LEVEL_NAME = re.compile(
    r"^(export )?(?:async )?(?:function|class|const|let) ([\w$]+)", re.MULTILINE
)
_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)


class _Elements(HTMLParser):
    """The attributes of elements, and the text in scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.raw: list[tuple[str, str]] = []
        self.policy = ""
        self.ids: list[str] = []
        self._kind: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self._kind = None
        if tag == "style" or (tag == "script" and "type" not in attributes):
            self._kind = tag
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = str(attributes["content"])
        self.ids += [str(attributes["id"])] if "id" in attributes else []

    def handle_data(self, data: str) -> None:
        if self._kind:
            self.raw.append((self._kind, data))
            self._kind = None


def test_modules_can_be_joined() -> None:
    """All modules import and export in the same form, imports exist, and names are unique."""
    names: dict[str, Path] = {}
    for path, text in _MODULES.items():
        for _, name in _TOP_LEVEL_NAME.findall(text):
            assert name not in names, (path, names.get(name))
            names[name] = path
        code_without_imports = _IMPORT.sub("", text)
        assert not re.search(
            r"^\s*import\b|\bimport\(|\bexport (default|\{|\*)", code_without_imports, re.MULTILINE
        )
        for imported, target in _IMPORT.findall(text):
            source = _MODULES[(path.parent / target).resolve()]
            exported = {name for word, name in _TOP_LEVEL_NAME.findall(source) if word}
            assert {name.strip() for name in imported.split(",") if name.strip()} <= exported, path


def test_names_of_built_in_functions_are_free() -> None:
    """No module redefines a built-in function that the page calls without its object."""
    texts = {path: re.sub(r"//.*|/\*(?s:.*?)\*/", "", text) for path, text in _MODULES.items()}
    names = {name for text in texts.values() for _, name in assembling._BUILT_IN_CALL.findall(text)}
    other_use = re.compile(rf"(?<![.\w\"])(?:{'|'.join(names)})\b(?!: )")
    assert names > {"floor", "assign"}
    assert {
        path: other_use.findall(text) for path, text in texts.items() if other_use.search(text)
    } == {}


def test_no_template_is_within_another() -> None:
    """No template string contains another, as the assembler would not recognize its end."""
    for path, text in _MODULES.items():
        for template in re.findall(r"`(?:\\.|[^`\\])*`", text):
            assert template.rfind("${") <= template.rfind("}"), (path, template)


def test_the_page_has_no_forbidden_calls() -> None:
    """The script does not send, store, log, evaluate, or set HTML."""
    words = (
        r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|localStorage|sessionStorage|"
        r"indexedDB|caches|serviceWorker|console|eval|innerHTML|outerHTML|insertAdjacentHTML|"
        r"Math\.random|document\.write|document\.cookie|new Function)\b"
    )
    for entry in ("shell/main.js", "shell/worker.js", "see/see.js"):
        assert not re.search(words, assembling.join_code(entry))


def test_the_policy_allows_only_this_script_and_style() -> None:
    """The hashes in the policy are those of script and style, and it allows no other source."""
    elements = _Elements(page().decode())
    hashes = {
        kind: f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for kind, text in elements.raw
    }
    assert elements.policy == (
        f"default-src 'none'; script-src {hashes['script']} 'wasm-unsafe-eval'; "
        f"style-src {hashes['style']}; img-src blob: data:; media-src blob:; worker-src blob:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    assert len(elements.raw) == 2
    assert len(set(elements.ids)) == len(elements.ids)
    assert not re.search(rb"https?://(?!www\.eff\.org)", page())


def test_the_page_is_reproducible(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The page does not depend on the line ends of its sources, and has at most 232,000 bytes."""
    result = page()
    assert len(result) <= 232_000
    assert b"\r" not in result
    for path in [*_PAGE_FOLDER.rglob("*.*"), _PAGE_FOLDER.parent / "keys" / "words.txt"]:
        if path.suffix in {".js", ".css", ".html", ".txt"}:
            copy = tmp_path / (
                path.relative_to(_PAGE_FOLDER) if path.suffix != ".txt" else path.name
            )
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    monkeypatch.setattr(assembling, "files", lambda _: tmp_path)
    for name in ("make_script", "_make_page_parts"):
        monkeypatch.setattr(assembling, name, getattr(assembling, name).__wrapped__)  # not cached
    assert page() == result


def test_declarations_are_joined() -> None:
    """Shortened code has arrow functions, joined declarations, and unchanged strings."""
    code = (
        "const a = 1;  // one\n"
        "const b = {\n  c: 2,\n};\n"
        "const [d] = [a / 2, `${a + 1} + // ${b.c / 2}`];\n"
        "function f(x) {\n  if (x) {\n    const y = 1;\n    x = y;\n  }\n  const z = (x) - 1;\n"
        "  return z;\n}\n"
        "async function g({ h }) {\n  return { h };\n}\n"
        "function i(j) {\n  return j.map(\n    (k) => k,\n  );\n}\n"
        "function* l() {\n  yield 1;\n}\n"
        "const m = async (n) => {\n  const o = 1;\n  const p = 2;\n  return o + p;\n};\n"
    )
    assert assembling._strip_comments(assembling._use_arrows(code)) == (
        "let a=1,b={c:2},[d]=[a/2,`${a+1} + // ${b.c/2}`],"
        "f=x=>{if(x){let y=1;x=y}let z=(x)-1;return z},g=async({h})=>({h}),"
        "i=j=>j.map(k=>k);function*l(){yield 1}let m=async n=>{let o=1,p=2;return o+p};"
    )


def test_constants_are_inlined() -> None:
    """A constant is replaced by its value if that is shorter, in parentheses where needed."""
    code = (
        'const MOST_BYTES = 2 ** 20;\nconst LIMIT = 256 * 2 ** 20;\nconst SAID = "a\\u0020b";\n'
        "f(MOST_BYTES, 3 * MOST_BYTES, x.MOST_BYTES, SAID);\n"
        "g(LIMIT, LIMIT, LIMIT, LIMIT, LIMIT);\n"
    )
    assert assembling._inline_constants(code) == (
        "const LIMIT = 256 * 2 ** 20;\n"
        'f(2**20, 3 * (2**20), x.MOST_BYTES, "a\\u0020b");\n'
        "g(LIMIT, LIMIT, LIMIT, LIMIT, LIMIT);\n"
    )


def test_names_of_constants_are_in_no_string() -> None:
    """No string contains the name of a constant, as it would be replaced."""
    modules = {path: assembling._strip_module(text) for path, text in _MODULES.items()}
    names = {name for text in modules.values() for name, _ in assembling._CONSTANT.findall(text)}
    for path, text in modules.items():
        for string in re.findall(r"""("(?!\$\{)(?:\\.|[^"\\\n])*")""", text):
            assert not names & set(re.findall(r"\w+", string)), (path, string)


def test_compressed_words() -> None:
    """The compressed list of words in the page expands to the original list."""
    compressed = re.search(r'id="words">(?:#[^\n]*\n)*([^<]*)<', page().decode())
    assert compressed is not None
    words, shared_count = [""], 0
    for count, ending in re.findall(r"(\d*)(\D[a-z-]*)", compressed[1]):
        shared_count = int(count or shared_count)
        words.append(words[-1][:shared_count] + ending.lower())
    text = (_PAGE_FOLDER.parent / "keys" / "words.txt").read_text("ascii")
    assert words[1:] == [line for line in text.splitlines() if not line.startswith("#")]


def test_an_album_is_the_page_and_its_files() -> None:
    """An album without its files is the page; the files take at most 1.36 times their size."""
    files = [bytes(range(256)) * 40, b"</script><!--", b""]
    result = b"".join(make_album(files))
    assert remove_files(result) == page()
    assert len(result) - len(page()) <= 1.36 * len(files[0]) + 3 * 100
    assert remove_files(result.replace(b'id="file-1"', b'id="file-1" src="x"')) != page()
    assert _Elements(result.decode()).raw == _Elements(page().decode()).raw
