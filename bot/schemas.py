"""The published JSON schemas, made of the forms that read the files: `make schemas` writes docs/schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rules.core.cards.decks import (
    CARD_ID_MAX,
    CARDS_MAX,
    FIELD_MAX,
    FIELDS_MAX,
    ID_MAX,
    NAME_MAX,
    TEXT_MAX,
)
from rules.core.record import record
from rules.systems.barmore import campaign, traits, wounds
from rules.systems.barmore import sheet as bar_sheet
from rules.systems.barmore.tables import GOVERNING
from rules.systems.ebb import sheet as ebb_sheet
from rules.table.forms import Form, Number, Rows, Typed

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
FOLDER: Final = Path(__file__).resolve().parents[1] / "docs/schemas"


def _share(most: int, about: str) -> dict[str, Any]:
    """A share such as `1/3`, or a whole number up to `most`."""
    exact = {"type": ["string", "integer"], "pattern": "^[0-9]+(/[0-9]+)?$", "minimum": 0, "maximum": most}
    return {**exact, "description": about}


_CARD: Final = Form(
    (
        Typed("id", most=CARD_ID_MAX, needed=True),
        Typed("name", most=NAME_MAX, needed=True),
        Typed("rank", most=NAME_MAX, blank=True),
        Typed("suit", most=NAME_MAX, blank=True),
        Typed("text", most=TEXT_MAX, blank=True),
        Typed("fields"),
        Number("copies", low=1, high=CARDS_MAX),
    )
)
_DECK: Final = Form(
    (
        Typed("id", most=ID_MAX, needed=True),
        Typed("name", most=NAME_MAX, needed=True),
        Rows("cards", _CARD, most=CARDS_MAX, needed=True),
    )
)
_PARENT: Final = "The name of the trait above; null or nothing for a root."
_OPEN: Final = "null when none are left."


@record
class Schema:
    """A file: what it is of, what it says besides, and the form.

    `more` are by the way to a field (`cards.id`) its description, or keywords for what a form cannot say.
    """

    title: str
    about: str
    form: Form
    more: Mapping[str, str | dict[str, Any]]

    def text(self) -> str:
        """The file."""
        found = self.form.schema()
        for path, more in self.more.items():
            part = found
            for key in path.split("."):
                part = part.get("items", part)["properties"][key]
            if isinstance(more, dict) and more.keys() & {"$ref", "additionalProperties"}:
                part.clear()
            part.update({"description": more} if isinstance(more, str) else more)
        head = {"$schema": DIALECT, "title": f"Storyguide: {self.title}", "description": self.about}
        return json.dumps(head | found, indent=2, ensure_ascii=False) + "\n"


SCHEMAS: Final[Mapping[str, Schema]] = {
    "ebb-character": Schema(
        "EBB character",
        "What /character import reads for a table that plays EBB. Rules of the game (such as one drawback for each "
        "ability) are checked on import.",
        ebb_sheet.CHARACTER,
        {
            "tag": "A call sign or nickname.",
            "group": "Whom the character belongs to.",
            "fate": "Fate points.",
            "attributes": "Base values. They follow from the abilities; if given, they have to agree.",
            "abilities.group": "The attribute that the ability belongs to.",
            "drawbacks": "As many as there are abilities.",
            "injuries.part": "The part of the body.",
            "portrait": "The https address of a picture.",
            "notes": "Only the player and the GMs read them.",
            "sacrificed": "Points given up and not restored yet, by attribute.",
        },
    ),
    "barmore-character": Schema(
        "Barmore character",
        "What /character import reads for a table that plays Barmore's dice pool. That every ability and attribute is "
        "one of the campaign's trees is checked on import.",
        bar_sheet.CHARACTER,
        {
            "concept": "Who it is, in a line.",
            "portrait": "The https address of a picture.",
            "notes": "Only the player and the GMs read them.",
            "abilities": "Scores by the names of the campaign's abilities; what is left out is found along the tree.",
            "attributes": "Scores by the names of the campaign's attributes; they may be negative.",
            "weapons.powered": "Whether Muscle Power drives it; true unless it is mental.",
            "weapons.lethal": "True if left out.",
            "weapons.kind": 'The type of its damage, such as "cutting".',
            "weapons.mental": "Whether it hurts the mind; false if left out.",
            "armour.covers": "Types of damage that it affects; none: all.",
            "armour.converts": "Types of lethal damage that it makes non-lethal.",
            "armour.mental": "Whether it affects mental attacks, and those only.",
            "wounds.penalty": f"Penalty Dice in activities of its own kind; {_OPEN}",
            "wounds.other": f"Penalty Dice in activities of the other kind; {_OPEN}",
            "wounds.taken": "The minute of the story in which it was dealt.",
            "wounds.as_of": "The minute of the story up to which its healing is counted.",
            "wounds.healed": _share(1, 'The exact share that is healed, such as "1/3".'),
            "wounds.factor": _share(
                1000, 'How many times as fast it heals under medical attention, such as "3/2".'
            ),
            "wounds.activity": "What its owner's life does to its healing.",
            "wounds.number": "Tells it from the other Wounds of the sheet.",
            "last_wound": "The number of the last Wound there has been; none is used twice.",
            "minor": "Whether an NPC never rolls; null or nothing leaves it to the campaign.",
        },
    ),
    "barmore-tree": Schema(
        "Barmore trees of traits",
        "The abilities and attributes of a campaign that plays Barmore's dice pool. That names are unique, that "
        "parents are there, that no branch goes round in a circle or deeper than "
        f"{traits.DEEPEST} levels, and that the attributes hold all that the rules name is checked on import.",
        traits.TREE,
        {
            "origin": "Where the trees come from.",
            "abilities": {"minItems": 1},
            "abilities.parent": _PARENT,
            "attributes": {
                "minItems": len(GOVERNING),
                "description": f"{', '.join(GOVERNING[:-1])} and {GOVERNING[-1]} have to be among them.",
            },
            "attributes.parent": _PARENT,
            "attributes.activity": "Which Wounds hinder it. Needed at the roots; below them it is inherited.",
        },
    ),
    "barmore-chart": Schema(
        "Barmore Wound chart",
        "What degrees of damage do in a campaign that plays Barmore's dice pool. That the rows rise from degree 1 on "
        "and have names of their own is checked on import.",
        wounds.CHART,
        {
            "origin": "Where the chart comes from.",
            "rows": {"minItems": 1},
            "rows.from": "The degree at which the row begins; it goes up to the next one.",
            "rows.penalty": f"Penalty Dice in activities of the Wound's own kind; {_OPEN}",
            "rows.other_penalty": f"Penalty Dice in activities of the other kind; {_OPEN}",
            "rows.healing_days": "Of Physical Wounds, for an Immune System of 0.",
            "rows.mental_healing_days": "Of Mental Wounds, for a Stamina of 0.",
            "rows.effect": "What else it does.",
        },
    ),
    "barmore-campaign": Schema(
        "Barmore campaign",
        "What a table that plays Barmore's dice pool agrees on. Whatever is left out is as it ships. What barmore-tree "
        "and barmore-chart say of their parts that a schema cannot is checked on import.",
        Form((Rows("traits", traits.TREE), Rows("chart", wounds.CHART), Rows("options", campaign.OPTIONS))),
        {
            "traits": {
                "$ref": "barmore-tree.schema.json",
                "description": "The trees of abilities and attributes.",
            },
            "chart": {"$ref": "barmore-chart.schema.json", "description": "The Wound chart."},
            "options": campaign.OPTIONS.schema(),
            "options.dice_phobes": "Any player may do without dice; true if left out.",
            "options.minor_npcs": "NPCs of whom no scores are written down never roll; true if left out.",
        },
    ),
    "deck": Schema(
        "deck of cards",
        "What /deck import reads. Ids of decks and of cards have to be unique besides, copies included, and a deck has "
        f"{CARDS_MAX} cards at most in all.",
        _DECK,
        {
            "id": {"pattern": "^[a-z0-9][a-z0-9-]*$", "description": "What commands call the deck."},
            "cards": {"minItems": 1},
            "cards.id": {"pattern": "^[^\\s:]+$"},
            "cards.rank": "Such as queen or 7; short ones stand in the picture's corner.",
            "cards.suit": "hearts, spades, clubs and diamonds are drawn.",
            "cards.text": "What the card says.",
            "cards.fields": {
                "type": "object",
                "maxProperties": FIELDS_MAX,
                "propertyNames": {"minLength": 1, "maxLength": NAME_MAX},
                "additionalProperties": {"type": "string", "maxLength": FIELD_MAX},
                "description": "Whatever else stands on the card, each with its name.",
            },
            "cards.copies": "How many there are of it; each copy has the id with a number behind it, such as crow.1.",
        },
    ),
}


def files() -> dict[str, str]:
    """Every file by its name."""
    return {f"{name}.schema.json": schema.text() for name, schema in SCHEMAS.items()}


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
