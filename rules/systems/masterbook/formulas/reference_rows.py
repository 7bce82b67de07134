"""Rows of MasterBook's fights and talk by their id, read once from `data/combat.json`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Final, Literal

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.errors import InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.formulas.success_chart import Column

#: Use of a weapon: held, shot, or sent flying by muscles.
Use = Literal["hand", "fire", "missile"]
#: Rounds that something may be done in; `none`: outside of rounds (MB-CMB-04, MB-TIME-01).
Rounds = Literal["combat", "interaction", "none"]


class AttackOption(Record):
    """An option of attacks: a fire mode, a part of the body, a surprise (MB-OPT, MB-SUR)."""

    id: str
    uses: tuple[Use, ...]
    #: Only one option of a group is chosen.
    group: str = ""
    #: Modifiers of the attacker's total, of their own defense, and of the result points for damage.
    attack: int = 0
    defense: int = 0
    damage: int = 0
    #: Modifier of the Strength that the damage value counts with.
    strength: int = 0
    #: Other options, of which one must be chosen too.
    needs: tuple[str, ...] = ()
    #: Focus of martial arts that knows it.
    focus: str = ""
    #: Columns on which its result may be read.
    columns: tuple[str, ...] = ()
    #: Whether the attacker, and the target, may still defend actively.
    active: bool = True
    foe_active: bool = True
    #: Whether it takes the round.
    waits: bool = False
    #: Whether it makes a knockdown of the first wound.
    fells: bool = False
    #: Whether it holds the target.
    holds: bool = False
    #: Whether it makes two attacks in one action.
    twice: bool = False
    #: Whether the GM may change its numbers.
    free: bool = False
    #: Whether it counts for maneuvers too.
    maneuver: bool = False


class Cover(Record):
    """A kind of cover, and the Toughness that it adds."""

    id: str
    toughness: int


class Concealment(Record):
    """A kind of concealment."""

    id: str
    #: Added to the defense, and for each further square meter.
    defense: int
    each: int = 0


class Focus(Record):
    """A focus of martial arts (MB-SKILL-MARTIAL-ARTS)."""

    name: str
    #: Skills that it stands in for.
    replaces: tuple[str, ...]
    #: Bonus of its attacks, and the condition that they need; empty: none.
    bonus: int = 0
    on: Literal["", "sword", "kick", "surprise"] = ""
    #: Least bonus number of its active defense; 0: the ordinary one.
    floor: int = 0
    #: Options that it parries too.
    against: tuple[str, ...] = ()


class InteractionKind(Record):
    """A skill of interaction."""

    skill: str
    #: Skill that resists it, and the Attribute that does without the skill.
    resisting: str
    resisting_attribute: str
    #: Column that its result is read on.
    column: Column
    #: Rounds that it may be used in.
    rounds: tuple[Rounds, ...]


class EffectKind(Record):
    """An effect of an interaction result (MB-INT-11)."""

    id: str
    #: Marks of the target, and of the acting character.
    theirs: tuple[str, ...] = ()
    mine: tuple[str, ...] = ()
    #: Shock of the target.
    shock: int = 0


class PushKind(Record):
    """A kind of movement that can be pushed (MB-PSH-01, MB-MOV-03)."""

    skill: str
    #: Trouble of a failure by `missed_by` or more, and its shock.
    trouble: str = ""
    #: Most result points in a realistic game.
    limit: int | None = None
    missed_by: int | None = None
    shock: int = 0
    #: Added to the difficulty of a push.
    more: int = 0
    #: Whether a failure leaves the distance without a push.
    usual: bool = False


_ROWS: Final = from_json(dict[str, object], json_loader("rules.systems.masterbook", "combat")())
OPTIONS: Final = rows_by_key(from_json(tuple[AttackOption, ...], _ROWS["options"]), "id")
#: Parts of the body.
LOCATIONS: Final = tuple(row.id for row in OPTIONS.values() if row.group == "location")
COVERS: Final = rows_by_key(from_json(tuple[Cover, ...], _ROWS["covers"]), "id")
CONCEALMENTS: Final = rows_by_key(from_json(tuple[Concealment, ...], _ROWS["concealments"]), "id")
FOCUSES: Final = rows_by_key(from_json(tuple[Focus, ...], _ROWS["focuses"]))
INTERACTIONS: Final = rows_by_key(
    from_json(tuple[InteractionKind, ...], _ROWS["interactions"]), "skill"
)
#: Other skills that can maneuver, and their penalties.
SUBSTITUTES: Final = from_json(dict[str, int], _ROWS["substitutes"])
EFFECTS: Final = rows_by_key(from_json(tuple[EffectKind, ...], _ROWS["effects"]), "id")
PUSHES: Final = rows_by_key(from_json(tuple[PushKind, ...], _ROWS["pushes"]), "skill")

#: Parts of a total or a difficulty: the id of each cause, and its number.
Causes = tuple[tuple[str, int], ...]


def typed_ids(*ids: str) -> tuple[str, ...]:
    """Return ids of rows as players type them: `full auto`."""
    return tuple(row_id.replace("_", " ") for row_id in ids)


def require_compatible(
    field: str, rows: Iterable[Any], group: Callable[[Any], str] = attrgetter("group")
) -> None:
    """Raise InvalidInput("mb-options-exclude") for two rows of one group."""
    groups: dict[str, str] = {}
    for row in rows:
        first = groups.setdefault(group(row) or row.id, row.id)
        if first != row.id:
            value, other = typed_ids(row.id, first)
            raise InvalidInput("mb-options-exclude", field=field, value=value, other=other)


def nonzero_causes(*causes: tuple[str, int]) -> Causes:
    """Return the causes whose numbers are not 0."""
    return tuple([cause for cause in causes if cause[1]])


def cause_total(causes: Causes) -> int:
    """Return the sum of the causes' numbers (MB-DN-03)."""
    return sum([number for _, number in causes])
