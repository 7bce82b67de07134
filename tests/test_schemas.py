"""The published schemas are those that the forms make, and fit what ships."""

from __future__ import annotations

import json

import pytest

from bot.schemas import DIALECT, FOLDER, schema_files


def test_the_files_are_what_the_forms_make() -> None:
    """`make schemas` writes them anew."""
    assert {
        path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()
    } == schema_files()


@pytest.mark.parametrize("name", schema_files())
def test_each_is_closed_and_says_what_it_is(name: str) -> None:
    schema = json.loads(schema_files()[name])
    assert schema["$schema"] == DIALECT
    assert schema["title"].startswith("Storyguide: ") and schema["description"]
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
