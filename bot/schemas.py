"""Published JSON schemas, made of the forms that read the files.

`make schemas` writes them to docs/schemas.
"""

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
from rules.core.record import Record, field
from rules.systems.barmore import campaign, trait_trees, wounds
from rules.systems.barmore import sheet as bar_sheet
from rules.systems.barmore.reference_rows import NAMED_ATTRIBUTES
from rules.systems.ebb import sheet as ebb_sheet
from rules.systems.ego.character import sheet as ego_sheet
from rules.systems.masterbook.character import sheet_io
from rules.systems.masterbook.deck.deck_files import SCHEMA as MASTERBOOK_DECK
from rules.table.forms.entry_fields import Rows
from rules.table.forms.fields import Number, Typed
from rules.table.forms.form import Form

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
FOLDER: Final = Path(__file__).resolve().parents[1] / "docs/schemas"


def _share(most: int, about: str) -> dict[str, Any]:
    """Return the schema of a share such as `1/3`, or of a whole number up to `most`."""
    exact = {
        "type": ["string", "integer"],
        "pattern": "^[0-9]+(/[0-9]+)?$",
        "minimum": 0,
        "maximum": most,
    }
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


_PARENT: Final = "The parent trait's name; null or left out for a root."
_OPEN: Final = "null when no activity is possible."


class Schema(Record):
    """The schema of a kind of file."""

    title: str
    #: Description of the file, and of the checks that a schema can't state.
    about: str
    #: The form that reads the file, or a finished schema.
    form: Form | dict[str, Any]
    #: Descriptions of fields by their paths (`cards.id`), or keywords for what a form can't state.
    more: Mapping[str, str | dict[str, Any]] = field(default_factory=dict[str, Any])

    def text(self) -> str:
        """Return the text of the schema's file."""
        schema = self.form.schema() if isinstance(self.form, Form) else self.form
        for path, more in self.more.items():
            part = schema
            for key in path.split("."):
                part = part.get("items", part)["properties"][key]
            if isinstance(more, dict) and more.keys() & {"$ref", "additionalProperties"}:
                part.clear()
            part.update({"description": more} if isinstance(more, str) else more)
        head = {"$schema": DIALECT, "title": f"Storyguide: {self.title}", "description": self.about}
        return json.dumps(head | schema, indent=2, ensure_ascii=False) + "\n"


SCHEMAS: Final[Mapping[str, Schema]] = {
    "ebb-character": Schema(
        "EBB character",
        "What /character import reads at a table that plays EBB. The import also checks the rules "
        "of the game, such as one drawback for each ability.",
        ebb_sheet.CHARACTER,
        {
            "tag": "A call sign or nickname.",
            "group": "Who the character belongs to.",
            "fate": "Fate points.",
            "attributes": "Base values. They follow from the abilities; if you give them, "
            "they have to match.",
            "abilities.group": "The attribute that the ability belongs to.",
            "drawbacks": "One for each ability.",
            "injuries.part": "The part of the body.",
            "portrait": "An https address of a picture.",
            "notes": "Only the player and the GMs read them.",
            "sacrificed": "Sacrificed points not restored yet, by attribute.",
        },
    ),
    "barmore-character": Schema(
        "Barmore character",
        "What /character import reads at a table that plays Barmore's dice pool. The import also "
        "checks that every ability and attribute is in the campaign's trees.",
        bar_sheet.CHARACTER,
        {
            "concept": "Who the character is, in a line.",
            "portrait": "An https address of a picture.",
            "notes": "Only the player and the GMs read them.",
            "abilities": "Scores by ability, named as in the campaign; whatever you leave "
            "out is found along the tree.",
            "attributes": "Scores by attribute, named as in the campaign; they can be negative.",
            "weapons.powered": "Whether Muscle Power drives it; true if left out, unless "
            "the weapon is mental.",
            "weapons.lethal": "True if left out.",
            "weapons.kind": 'The type of its damage, such as "cutting".',
            "weapons.mental": "Whether it hurts the mind; false if left out.",
            "armour.covers": "Types of damage it affects; all if left out.",
            "armour.converts": "Types of lethal damage it makes non-lethal.",
            "armour.mental": "Whether it affects mental attacks only.",
            "wounds.penalty": f"Penalty Dice in activities of its own kind; {_OPEN}",
            "wounds.other": f"Penalty Dice in activities of the other kind; {_OPEN}",
            "wounds.taken": "The minute of the story when it happened.",
            "wounds.as_of": "The minute of the story its healing is counted up to.",
            "wounds.healed": _share(1, 'The exact share healed so far, such as "1/3".'),
            "wounds.factor": _share(
                1000, 'How many times as fast it heals under medical attention, such as "3/2".'
            ),
            "wounds.activity": "How its owner's life affects its healing.",
            "wounds.number": "Its number on the sheet.",
            "last_wound": "The last Wound's number; no number is used twice.",
            "minor": "Whether an NPC never rolls; null or left out: the campaign decides.",
        },
    ),
    "ego-character": Schema(
        "EGO character",
        "What /character import reads at a table that plays EGO. The import also checks names "
        "against the tables and the campaign, and a new character against its points, limits and "
        "money.",
        ego_sheet.CHARACTER,
        {
            "maxima": "How the race differs from the human maximum of 16, by ability.",
            "height": "In inches.",
            "skills.field": "What it's about: a class of vehicles, a language, a discipline.",
            "skills.ability": "Only for a skill of your own.",
            "specialties.field": "The weapon of Melee Weapon.",
            "powers.rating": "0 for a spell or psionic effect that is known.",
            "armour": 'Its name, or with its rating now and when whole, such as "Leather 4/5".',
            "spare_armour": "Armor that the character owns besides; what `armour` names is worn.",
            "arms.rounds": "What the magazine holds; null where nobody counts.",
            "arms.spare": "Rounds to reload with; null where nobody counts.",
            "arms.weight": "In pounds, for throwing.",
            "exp_saved": "EXP from adventures, where the table keeps it apart.",
            "profile": 'For NPCs instead of abilities: "att 5, defense 2, damage 4, '
            'vitality 12, ar 5".',
            "portrait": "An https address of a picture.",
            "notes": "Only the player and the GMs read them.",
        },
    ),
    "masterbook-character": Schema(
        "MasterBook character",
        "What /character import reads at a table that plays MasterBook. The import also checks "
        "names against the tables and the campaign.",
        sheet_io.CHARACTER,
        {
            "toughness": "Null or left out: as Strength and Endurance have it.",
            "species": "A species of the campaign.",
            "trades": 'Columns that were traded, such as "III for I".',
            "advantages": 'Objects, or lines such as "Luck (CII)".',
            "compensations": 'Objects, or lines such as "Enemy (CII): Count Orlok; motive: oil".',
            "effects": 'Special effects: objects, or names of the library such as "Flight".',
            "weight": "In kilograms.",
            "height": "In centimeters.",
            "skills.adds": "General adds, or those of the focus.",
            "skills.focus": "Which focus of a macroskill: judo, car, French.",
            "skills.specializations": "Adds on top, by specialization.",
            "skills.attribute": "Only for a skill of your own.",
            "arms.rounds": "What the magazine holds; null where nobody counts.",
            "arms.dv": "Only for a weapon of your own with a damage value that stands.",
            "arms.add": "Only for a weapon of your own: what it adds to Strength.",
            "arms.maximum": "The most its base damage can come to.",
            "arms.kind": "The class whose ranges it has: Pistol, Large bows.",
            "armour": "From the skin outward.",
            "harm": 'What has been suffered, such as "wounds 2, shock 3".',
            "bound_points": "Skill points for a group of skills only: non_combat, combat, or an "
            "Attribute.",
            "npc_kind": "Only for NPCs: how important they are.",
            "lifted": "The value to which a lift was pushed.",
            "grown": "Adds gained since the last adventure, by skill.",
            "taught": "Adds gained by lessons in the midst of this adventure, by skill.",
            "portrait": "An https address of a picture.",
            "notes": "Only the player and the GMs read them.",
        },
    ),
    "barmore-tree": Schema(
        "Barmore trees of traits",
        "The abilities and attributes of a campaign that plays Barmore's dice pool. The import "
        "also checks that names are unique, that parents exist, that no branch is a circle or "
        f"deeper than {trait_trees.MAX_DEPTH} levels, and that every attribute the rules name is "
        "there.",
        trait_trees.TREE_FORM,
        {
            "origin": "Where the trees come from.",
            "abilities": {"minItems": 1},
            "abilities.parent": _PARENT,
            "attributes": {
                "minItems": len(NAMED_ATTRIBUTES),
                "description": f"{', '.join(NAMED_ATTRIBUTES[:-1])} and "
                f"{NAMED_ATTRIBUTES[-1]} are required.",
            },
            "attributes.parent": _PARENT,
            "attributes.activity": "Which Wounds hinder it. Required at the roots; traits "
            "below inherit it.",
        },
    ),
    "barmore-chart": Schema(
        "Barmore Wound chart",
        "What degrees of damage do in a campaign that plays Barmore's dice pool. The import also "
        "checks that the rows rise from degree 1 and that their names are unique.",
        wounds.CHART_FORM,
        {
            "origin": "Where the chart comes from.",
            "rows": {"minItems": 1},
            "rows.from": "The degree where the row starts; it runs up to the next one.",
            "rows.penalty": f"Penalty Dice in activities of the Wound's own kind; {_OPEN}",
            "rows.other_penalty": f"Penalty Dice in activities of the other kind; {_OPEN}",
            "rows.healing_days": "For Physical Wounds, at an Immune System of 0.",
            "rows.mental_healing_days": "For Mental Wounds, at a Stamina of 0.",
            "rows.effect": "What else it does.",
        },
    ),
    "barmore-campaign": Schema(
        "Barmore campaign",
        "What a table that plays Barmore's dice pool agrees on. Whatever you leave out stays as "
        "shipped. The import also checks what barmore-tree and barmore-chart say of their parts.",
        Form(
            (
                Rows("traits", trait_trees.TREE_FORM),
                Rows("chart", wounds.CHART_FORM),
                Rows("options", campaign.OPTIONS),
            )
        ),
        {
            "traits": {
                "$ref": "barmore-tree.schema.json",
                "description": "The trees of abilities and attributes.",
            },
            "chart": {"$ref": "barmore-chart.schema.json", "description": "The Wound chart."},
            "options": campaign.OPTIONS.schema(),
            "options.dice_phobes": "Any player can play without dice; true if left out.",
            "options.minor_npcs": "NPCs without scores never roll; true if left out.",
        },
    ),
    "masterbook-deck": Schema(
        "MasterBook deck",
        "What /deck import reads at a table that plays MasterBook with cards. The import also "
        "checks the deck as a whole: numbers are unique, names are known, and cards that are "
        "flipped have both lines.",
        MASTERBOOK_DECK,
    ),
    "deck": Schema(
        "deck of cards",
        "What /deck import reads. Ids of decks and cards have to be unique, copies included, and a "
        f"deck holds at most {CARDS_MAX} cards in all.",
        _DECK,
        {
            "id": {
                "pattern": "^[a-z0-9][a-z0-9-]*$",
                "description": "The deck's name in commands.",
            },
            "cards": {"minItems": 1},
            "cards.id": {"pattern": "^[^\\s:]+$"},
            "cards.rank": "Queen or 7, for example; short ones go in the picture's corner.",
            "cards.suit": "The picture shows hearts, spades, clubs and diamonds.",
            "cards.text": "What the card says.",
            "cards.fields": {
                "type": "object",
                "maxProperties": FIELDS_MAX,
                "propertyNames": {"minLength": 1, "maxLength": NAME_MAX},
                "additionalProperties": {"type": "string", "maxLength": FIELD_MAX},
                "description": "Whatever else is on the card, each under its name.",
            },
            "cards.copies": "How many copies there are; each adds a number to the id, such "
            "as crow.1.",
        },
    ),
}


def schema_files() -> dict[str, str]:
    """Return the text of each schema's file by its name."""
    return {f"{name}.schema.json": schema.text() for name, schema in SCHEMAS.items()}


if __name__ == "__main__":
    for name, text in schema_files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
