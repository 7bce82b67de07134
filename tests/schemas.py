"""The published schemas, and a check for the keywords that they use."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KINDS: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


def schema(name: str) -> dict[str, Any]:
    """A schema of docs/schemas by its name."""
    return _load(f"{name}.schema.json")


def _load(file: str) -> dict[str, Any]:
    return json.loads((ROOT / "docs/schemas" / file).read_text(encoding="utf-8"))


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, KINDS[kind])


def faults(
    value: Any, schema: dict[str, Any], at: str = "$", root: dict[str, Any] | None = None
) -> list[str]:
    """What does not fit a schema. `root` holds its definitions: the schema itself when nothing else
    is given.
    """
    root = schema if root is None else root
    if "$ref" in schema:
        file, _, name = schema["$ref"].partition("#/$defs/")
        if file:
            return faults(value, _load(file), at)
        return faults(value, root["$defs"][name], at, root)
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{at}: {value!r}"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(value, kind) for kind in kinds):
        return [f"{at}: not {kinds}"]
    found: list[str] = []
    if isinstance(value, dict):
        found += [f"{at}: no {name}" for name in schema.get("required", ()) if name not in value]
        others = schema["additionalProperties"]
        for name, part in value.items():
            known = schema.get("properties", {}).get(name, others)
            found += faults(part, known, f"{at}.{name}", root) if known else [f"{at}: {name}?"]
    elif isinstance(value, list):
        found += [f"{at}: too many"] if len(value) > schema["maxItems"] else []
        found += [f"{at}: too few"] if len(value) < schema.get("minItems", 0) else []
        for index, part in enumerate(value):
            found += faults(part, schema["items"], f"{at}[{index}]", root)
    elif isinstance(value, str):
        if not schema.get("minLength", 0) <= len(value) <= schema["maxLength"]:
            found.append(f"{at}: length")
        if not re.search(schema.get("pattern", ""), value):
            found.append(f"{at}: pattern")
    elif isinstance(value, int) and not isinstance(value, bool):
        found += [] if schema["minimum"] <= value <= schema["maximum"] else [f"{at}: range"]
    return found
