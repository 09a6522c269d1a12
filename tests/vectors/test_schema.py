"""The vector files are what `schema.json` says."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.vectors.generate import KINDS, VECTORS
from tests.vectors.test_vectors import slow_if

SCHEMA: dict[str, Any] = json.loads((VECTORS.parent / "schema.json").read_text(encoding="ascii"))


def test_schema_is_a_schema_of_every_file() -> None:
    """The schema is valid, and names each kind that is generated and each file that is here."""
    Draft202012Validator.check_schema(SCHEMA)
    assert [choice["$ref"] for choice in SCHEMA["oneOf"]] == [f"#/$defs/{name}" for name in KINDS]
    assert {path.stem for path in VECTORS.glob("*.json")} == set(KINDS)


@pytest.mark.parametrize("kind", slow_if(KINDS, "reject accept reject_pictures containers images"))
def test_file_is_valid(kind: str) -> None:
    """The file is of its kind, and of no other."""
    content = json.loads((VECTORS / f"{kind}.json").read_text(encoding="ascii"))
    one = {"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]}
    Draft202012Validator(one).validate(content)
    content["cases"] = content["cases"][:3]
    Draft202012Validator(SCHEMA).validate(content)
    content["cases"][0]["more"] = None
    assert not Draft202012Validator(one).is_valid(content)
