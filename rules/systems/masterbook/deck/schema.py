"""What a deck file looks like, for whoever writes one: the published schema, of the same lists that the reader has."""

from __future__ import annotations

from typing import Any

from rules.systems.masterbook.deck import files
from rules.table.forms import Flag, Form, Number, Pick, Rows, Typed, as_written


def described() -> tuple[Form, dict[str, str | dict[str, Any]]]:
    """The form of a deck file, and by the way to a field (`cards.name`) what a form cannot say (MB-CARD-D05)."""
    key = {"type": "string", "pattern": f"^{files.KEY}$"}

    def either(values: tuple[str, ...]) -> dict[str, Any]:
        return {"enum": [*values]}

    def closed(needed: tuple[str, ...], properties: dict[str, Any], kind: Any = "object") -> dict[str, Any]:
        return {
            "type": kind,
            "additionalProperties": False,
            "required": [*needed],
            "properties": properties,
        }

    nothing = ["object", "null"]
    sides = {
        side: closed(
            ("effect",),
            {"effect": either(effects), "skill": key} if side == "g" else {"effect": either(effects)},
            nothing,
        )
        for side, effects in files.SIDES.items()
    }
    line = closed(("first",), {"first": either(("P", "G")), **sides}, nothing)
    letters = {"type": "array", "items": either(files.LETTERS), "minItems": 1, "maxItems": 4}
    box = closed(("kind",), {"kind": either(files.BOXES), "letters": letters}, nothing)
    amount = {
        "type": "integer",
        "minimum": -files.AMOUNT_MOST,
        "maximum": files.AMOUNT_MOST,
    }
    effect = closed(
        ("op",),
        {
            "op": either(files.OPS),
            "amount": amount,
            "scope": {"type": "array", "items": key},
            "count": {"type": "integer", "minimum": 1, "maximum": 10},
            "target": either(files.TARGETS),
            "also_effect_value": amount,
            "treat_as_trained": {"type": "boolean"},
            "skill_points": {"type": "integer", "minimum": 0, "maximum": files.AMOUNT_MOST},
        },
    )
    points = {"type": "integer", "minimum": 0, "maximum": 10}
    award = closed(("when", "life_points"), {"when": either(files.DUES), "life_points": points})
    kind = closed(
        ("name", "type", "summary"),
        {
            "name": {"type": "string", "minLength": 1, "maxLength": files.NAME_MOST},
            "type": either(files.TYPES[:3]),
            "summary": {"type": "string", "minLength": 1, "maxLength": files.SUMMARY_MOST},
            "effect": effect,
            "windows": {"type": "array", "items": either(files.WINDOWS)},
            "in_rounds_from": either(files.HELD),
            "outside_rounds": {"type": "boolean"},
            "counts_in_hand": {"type": "boolean"},
            "replacement_draw": {"type": "boolean"},
            "on_draw": either(files.DRAWN),
            "award": award,
        },
    )
    card = Form(
        (
            Number("number", low=1, high=files.NUMBER_MOST, needed=True),
            Typed("name", most=files.NAME_MOST, needed=True),
            Pick("type", among=as_written(files.TYPES)),
            Flag("in_play"),
            *[Typed(each) for each in ("standard", "dramatic", "critical", "approved")],
            Typed("text", most=files.TEXT_MOST, blank=True),
        )
    )
    form = Form(
        (
            Pick("format", among=as_written((files.FORMAT,)), needed=True),
            Number("format_version", low=1, high=1, needed=True),
            Typed("deck_id", needed=True),
            Typed("title", most=files.TITLE_MOST, needed=True),
            Pick("origin", among=as_written(("user", "project_default"))),
            Typed("notes", most=files.NOTES_MOST, blank=True),
            Typed("definitions"),
            Rows("cards", card, most=files.CARDS_MOST, needed=True),
        )
    )
    approved = {
        "type": "array",
        "items": key,
        "maxItems": files.APPROVED_MOST,
        "additionalProperties": False,
    }
    more: dict[str, str | dict[str, Any]] = {
        "deck_id": {"pattern": f"^{files.ID}$"},
        "definitions": {
            "type": "object",
            "propertyNames": {"pattern": f"^{files.KEY}$"},
            "additionalProperties": kind,
            "description": "Cards of your own, and other results for pictures, each by its key.",
        },
        "cards": {"minItems": 1},
        "cards.name": {
            "pattern": f"^{files.KEY}$",
            "description": "A card of the game, or a key of your own.",
        },
        "cards.standard": line,
        "cards.dramatic": line,
        "cards.critical": box,
        "cards.approved": approved,
    }
    return form, more
