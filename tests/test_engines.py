"""The recipes for other engines give back every file; they run where the engine is installed."""

import re
import sys
from pathlib import Path

import pytest

from sudokucrypt import Key, decrypt_bytes
from tests.test_docs import ROOT, blocks

PAGE = ROOT / "docs" / "howto" / "many-machines.md"


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the recipe for Dask defines, in a folder with two files."""
    pytest.importorskip("dask", reason="it comes with the extra 'dask'")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "holidays").mkdir()
    for name in ("a.jpg", "b.jpg"):
        (tmp_path / "holidays" / name).write_bytes(f"\xff\xd8\xff {name}".encode("latin-1"))
    defined: dict[str, object] = {"__name__": "__main__"}
    exec(compile(blocks(PAGE, "python")[0], str(PAGE), "exec"), defined)  # noqa: S102
    return defined


def test_the_recipe_travels_without_the_key(names: dict[str, object]) -> None:
    """The functions go to other machines as they are, and the key does not go with them."""
    cloudpickle = pytest.importorskip("cloudpickle", reason="it comes with Dask")
    key = Key.from_file("shared.key")
    sent = cloudpickle.dumps(names["protect"])
    assert key.to_bytes() not in sent
    assert key.to_text().encode() not in sent
    name, data = cloudpickle.loads(sent)("holidays/a.jpg")
    assert decrypt_bytes(data, key) == Path("holidays", name).read_bytes()
    with pytest.raises(TypeError, match="never pickled"):
        cloudpickle.dumps(lambda: key)


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "module"), [("ray", "ray.data"), ("spark", "pyspark")])
@pytest.mark.filterwarnings("ignore")
def test_recipes(
    names: dict[str, object], monkeypatch: pytest.MonkeyPatch, engine: str, module: str
) -> None:
    """A folder comes back from the engine as pictures that open with the key."""
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    pytest.importorskip(module, reason=f"{engine} is not installed; its recipe is not run")
    text = PAGE.read_text(encoding="utf-8")
    pattern = rf"^```{{code-block}} python\n:name: {engine}\n(.*?)^```$"
    (recipe,) = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
    exec(compile(recipe, str(PAGE), "exec"), names)  # noqa: S102
    results = names["results"]
    assert isinstance(results, list)
    key = Key.from_file("shared.key")
    held = {name: decrypt_bytes(data, key) for name, data in results}
    assert held == {path.name: path.read_bytes() for path in Path("holidays").iterdir()}
