"""A table of Barmore's dice pool for tests: Ann's Marek, Ben's Ilka, Sidor with scores, a rat
without, and a spy.
"""

from __future__ import annotations

from typing import Any, Self

from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN, Campaign
from rules.systems.barmore.check_state import Plan, build_pool
from rules.systems.barmore.pool import Pool, PoolRoll, no_dice_total
from rules.systems.barmore.sheet import BarSheet, read_sheet
from rules.systems.barmore.wounds import Wound
from rules.table.actions import Actor, Adjust, AdvanceTime
from rules.table.blocks import Text
from rules.table.forms.fields import FormContext, PartialGame
from rules.table.state import Character, Counters, Settings, TableState
from tests.rules import toy_table
from tests.sample_table import ANN, GM, patient

MAREK: dict[str, Any] = {
    "name": "Marek",
    "attributes": {
        "Body": 1,
        "Muscle Power": 2,
        "Speed": 2,
        "Reaction Time": 1,
        "Wits": -1,
        "Mind": 0,
    },
    "abilities": {"Athletics": 2, "Boats": 3, "Brawling": 1, "Rapier": 4},
    "weapons": [
        {"name": "Boathook", "modifier": 1, "kind": "piercing"},
        {"name": "Dread", "mental": True},
    ],
    "armour": [{"name": "Oilskins", "rating": 1, "covers": ["cutting"], "converts": ["cutting"]}],
}
ILKA: dict[str, Any] = {
    "name": "Ilka",
    "attributes": {
        "Body": 0,
        "Mind": 2,
        "Speed": -1,
        "Stamina": 2,
        "Immune System": 2,
        "Toughness": 1,
    },
    "abilities": {"Medicine": 3, "Knives": 2, "Athletics": 1},
    "weapons": [{"name": "Scalpel", "modifier": 2, "kind": "cutting"}],
}
SIDOR: dict[str, Any] = {"name": "Sidor", "attributes": {"Speed": 1}, "abilities": {"Brawling": 3}}


def came_to(total: int, add: int = 1, *, rolled: bool = True) -> PoolRoll:
    """So many Add Dice that came to this total, or without dice a pool that is worth it."""
    modifier = 0 if rolled else total - no_dice_total(Pool(add))
    return PoolRoll(Pool(add, modifier), (), "d8", (total,) if rolled else ())


def built_pool(
    ability: int,
    attribute: int,
    *,
    support: int = 0,
    convert: int = 0,
    wounds: int = 0,
    modifier: int = 0,
    **pace: Any,
) -> Pool:
    """The pool of somebody with these scores and a Wound that costs so many dice, with what is
    chosen.
    """
    own = BarSheet(
        abilities=(("Fighting", ability), *((("Athletics", support),) if support else ())),
        attributes=(("Body", attribute),),
        wounds=(Wound("physical", "Light", penalty=wounds),),
    )
    traits: dict[str, Any] = {"skill": "Fighting", "attribute": "Body", "modifier": modifier}
    plan = Plan(support=("Athletics",) if support else (), convert=convert, **traits, **pace)
    return build_pool(own, DEFAULT_CAMPAIGN, plan)[0]


def sheet(data: dict[str, Any], **changes: Any) -> BarSheet:
    """A sheet from a JSON object, with changes to its fields."""
    return read_sheet({**data, **changes}, DEFAULT_CAMPAIGN)[1]


def asking(campaign: Campaign, own: BarSheet | None = None) -> FormContext:
    """Who fills a form in: in which campaign, with whose sheet."""
    return FormContext(PartialGame(campaign, own))


def table(**settings: Any) -> TableState:
    """Sidor is known and rolls; a rat, of whom nothing is written down, never does; a spy is off
    stage.
    """
    people = (
        Character("k1", "Marek", "p2", sheet(MAREK)),
        Character("k2", "Ilka", "p3", sheet(ILKA)),
        Character("k3", "Sidor", None, sheet(SIDOR)),
        Character("k4", "Rat", None, BarSheet()),
        Character("k5", "Spy", None, sheet(SIDOR), stage="off"),
    )
    return TableState(
        Settings("Marshes", "barmore", ("p1",), **patient(settings)),
        Counters(character=5),
        characters={each.id: each for each in people},
        campaign=DEFAULT_CAMPAIGN,
    )


class Play(toy_table.Play):
    """That table, and what happens at it."""

    def __init__(self, state: TableState | None = None, **settings: Any) -> None:
        super().__init__(state or table(**settings))

    def answer(self, difficulty: str | None = "10", /, **fields: Any) -> Self:
        """The GM lets them roll, against a Difficulty where there is one."""
        given = {} if difficulty is None else {"difficulty": difficulty}
        return self.choose(GM, "rule", "roll", **given, **fields)

    def face(self, who: Actor, /, *faces: int, **fields: Any) -> Self:
        """What somebody sets against it, without a skill unless one is named; then all dice fall,
        and show these faces.
        """
        return self.choose(who, "face", "face", *faces, **{"skill": "none", **fields})

    def hold(self, who: str) -> Self:
        """The player of a character wants a say before the newest check stands."""
        self.state = self.state.with_check(self.check.replace(held_for=(who,)))
        return self

    def roll(self, *faces: int, who: Actor = ANN) -> Self:
        """Whoever acts rolls."""
        return self.choose(who, "ready", "roll", *faces)

    def adjust(self, name: str, what: str, value: str) -> Self:
        return self.do(Adjust, GM, character=name, what=what, value=value)

    def days(self, days: int) -> Self:
        """So many days of the story go by."""
        return self.do(AdvanceTime, GM, minutes=days * 24 * 60)

    def consequences(self, who: Actor | None = None) -> list[Text]:
        """What came of it for whom it was done to, without the Wounds in full."""
        found = [each for each in self.facts("check-of", who) if isinstance(each, Text)]
        told = [each for each in found if each.code != "bar-wound"]
        return [each for each in told if each.params.get("how") != "botch"]

    def how(self) -> list[object]:
        """In which way it came out for them."""
        return [each.params["how"] for each in self.consequences()]

    def line(self, code: str, who: Actor | None = None) -> Text | None:
        """What is said with this code, in notes or beside them."""
        said = [
            *self.notes(who),
            *self.listed("check-adjustments", who),
            *self.listed("check-claimed", who),
            *self.listed("check-defense-adjustments", who),
            *self.listed("bar-pool", who),
        ]
        return next((each for each in said if each.code == code), None)
