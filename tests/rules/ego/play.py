"""A table of EGO for tests of its fights: Vesna of Ann, Boris of Ben, two enemies by profile, a
guard by sheet.
"""

from __future__ import annotations

from typing import Any, Final, Self

from rules.core.rng import ScriptedRng, Streams
from rules.systems.ego.character.sheet import Arm, EgoSheet, Profile, Skill, Specialty, WornArmor
from rules.table.actions import Action, Actor, Choose
from rules.table.blocks import Change, Text, Verdict
from rules.table.check import PASS, OpenPrompt
from rules.table.state import AnyEncounter, Character, Settings, TableState
from tests.rules import toy_table
from tests.sample_table import ANN, BEN, patient

PLAYERS: Final = {each.id: each for each in (ANN, BEN)}
SWORD, PISTOL, RIFLE = "Sword, Long", "Med Cal, automatic", "Assault rifle"
#: Four dice in each ability; with the sword 4 + 3 dice, and 2 of the specialty.
HERO: Final = EgoSheet(
    muscle=12,
    agility=10,
    intellect=10,
    vitality=12,
    skills=(
        Skill("Melee Combat", 3),
        Skill("Hand-to-hand Combat", 2),
        Skill("Gun Combat", 3),
        Skill("Acrobatics", 3),
    ),
    specialties=(
        Specialty("Melee Weapon", 2, SWORD),
        Specialty("Martial Arts", 1),
        Specialty("Tumbling", 2),
        Specialty("Sharpshooter", 1),
    ),
    karma=5,
    armour=WornArmor("Leather", 5, 5),
    arms=(
        Arm(SWORD, drawn=True),
        Arm(PISTOL, rounds=6, magazine=6),
        Arm(RIFLE, rounds=20, magazine=20),
        Arm("Sword, Bastard"),
        Arm("Stun Baton"),
        Arm("Frag Grenade", weight=1),
        Arm("Hunting Knife", weight=2),
        Arm("Brass Knuckles"),
        Arm("Beam Pistol"),
        Arm("Lgt machine gun"),
        Arm("Maul"),
        Arm("Ballista"),
    ),
)
BARE: Final = HERO.replace(armour=None, arms=(), specialties=())


def table(**settings: Any) -> TableState:
    """In live play with no time for reactions, unless settings say otherwise."""
    people = (
        Character("k1", "Vesna", "p2", HERO),
        Character("k2", "Boris", "p3", HERO),
        Character("k3", "Orc", None, EgoSheet(profile=Profile(5, 2, (4,), 12, 5))),
        Character("k4", "Goblin", None, EgoSheet(profile=Profile(3, 3, (2,), 6, 3))),
        Character("k5", "Guard", None, BARE),
    )
    shared = {"live": True, "step_in_time": 0} | {
        key: settings.pop(key) for key in Settings.__struct_fields__ if key in settings
    }
    return TableState(
        Settings("Marches", "ego", ("p1",), own=settings, **patient(shared)),
        characters={each.id: each for each in people},
    )


class Play(toy_table.Play):
    """That table, and what happens at it."""

    def __init__(self, state: TableState | None = None, **settings: Any) -> None:
        super().__init__(state or table(**settings))

    def totals(self, who: Actor | None = None) -> list[Any]:
        """Return what the dice came to; of damage dice, what they add up to."""
        return [
            found.params["points"]
            if isinstance(found, Text) and found.code == "ego-dealt"
            else found
            for found in super().totals(who)
        ]

    def do(
        self,
        deed: type[Action],
        who: Actor,
        /,
        *faces: int,
        rng: Streams | None = None,
        **fields: Any,
    ) -> Self:
        """An action; without a time to step in, players let their dice stand at once."""
        dice = ScriptedRng(faces)
        super().do(deed, who, rng=rng or dice, **fields)
        told = self.events
        while not self.state.settings.step_in_time and (waits := self._dice_waits()):
            asked, character = waits
            fields = {
                "check": self.check.id,
                "prompt": asked.prompt.key,
                "number": asked.number,
                "as_": (character,),
            }
            owner = PLAYERS[self.state.characters[character].owner or ""]
            super().do(Choose, owner, rng=rng or dice, option=PASS, **fields)
            told = (*told, *self.events)
        self.events = told
        assert dice.left == 0
        return self

    def _dice_waits(self) -> tuple[OpenPrompt, str] | None:
        """The prompt about dice that waits for a player's character, and that character."""
        for asked in self.check.asked if self.state.checks else ():
            for who in asked.waiting_for if asked.prompt.wait in ("react", "means") else ():
                if who and self.state.characters[who].owner:
                    return asked, who
        return None

    def strike(self, who: Actor, target: str, /, *faces: int, **values: Any) -> Play:
        """An attack that is let come: on an NPC the dice fall at once."""
        owner = PLAYERS.get(self.called(target).owner or "")
        self.begin(who, "attack", *(faces if owner is None else ()), target=target, **values)
        return self if owner is None else self.choose(owner, "face", PASS, *faces)

    def during(self, encounter: AnyEncounter) -> Play:
        """With this order of action in its place."""
        self.state = self.state.with_encounter(encounter)
        return self

    def number(self) -> int:
        """What it goes against at range."""
        return self.listed("check-difficulty")[0].params["number"]

    def does(self, who: Any = None) -> Any:
        """What the head says of a hit."""
        return next(each.what for each in self.blocks(who) if isinstance(each, Verdict))

    def changes(self, who: Any = None) -> dict[tuple[str, str], tuple[Any, Any]]:
        """What somebody reads of numbers that are others now: by name and what it is."""
        found: dict[tuple[str, str], tuple[Any, Any]] = {}
        for each in self.blocks(who):
            if isinstance(each, Change) and each.who is not None:
                found[each.who.name, str(each.what.params["what"])] = (each.before, each.after)
        return found
