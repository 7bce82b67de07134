"""Rows of MasterBook's fights and talk by their id, read once from `data/combat.json`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Final, Literal

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.errors import InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.formulas.success_chart import Column

#: What an attack is made with: what is held, what shoots, what muscles send flying.
Use = Literal["hand", "fire", "missile"]
#: The rounds that something may be done in, `none` outside of all (MB-CMB-04, MB-TIME-01).
Rounds = Literal["combat", "interaction", "none"]


class AttackOptionKind(Record):
    """What an attack may be declared with, from a fire mode to a part of the body and a surprise
    (MB-OPT, MB-SUR).

    Of one `group` only one is chosen; `needs` names others of which one has to be. `strength`
    counts for the damage value. `active` and `foe_active`: whether the attacker and the target may
    still defend themselves actively. `waits` takes the round, `fells` makes a knockdown of the
    first wound, `holds` holds the target, `twice` is two attacks as one action, `free` numbers are
    the game master's to change, `maneuver` counts for maneuvers too. `focus` is the martial art
    that knows it, `columns` are those that the result may be read on.
    """

    id: str
    uses: tuple[Use, ...]
    group: str = ""
    attack: int = 0
    defense: int = 0
    damage: int = 0
    strength: int = 0
    needs: tuple[str, ...] = ()
    focus: str = ""
    columns: tuple[str, ...] = ()
    active: bool = True
    foe_active: bool = True
    waits: bool = False
    fells: bool = False
    holds: bool = False
    twice: bool = False
    free: bool = False
    maneuver: bool = False


class Cover(Record):
    """What something in the way adds to Toughness."""

    id: str
    toughness: int


class Concealment(Record):
    """What not being seen whole adds to the defense; `each` further square meter adds that much
    more.
    """

    id: str
    defense: int
    each: int = 0


class Focus(Record):
    """A focus of martial arts: which skills it stands for, and its bonus where it attacks `on` a
    condition.

    `floor` is the least bonus number of its active defense, 0 for that of everybody. It parries
    what is declared `against` it too.
    """

    name: str
    replaces: tuple[str, ...]
    bonus: int = 0
    on: Literal["", "sword", "kick", "surprise"] = ""
    floor: int = 0
    against: tuple[str, ...] = ()


class InteractionKind(Record):
    """A skill that works on somebody: what resists it, the column it is read on, the rounds it is
    allowed in.
    """

    skill: str
    resisting: str
    resisting_attribute: str
    column: Column
    rounds: tuple[Rounds, ...]


class EffectKind(Record):
    """What a result of interaction does: marks of the target, of whoever acts; shock of the target
    (MB-INT-11).
    """

    id: str
    theirs: tuple[str, ...] = ()
    mine: tuple[str, ...] = ()
    shock: int = 0


class PushKind(Record):
    """Movement that can be pushed: `limit` are its realistic result points, `more` the difficulty
    that pushing adds.

    A failure leaves the `usual` distance or none; missed by `missed_by` or more brings `trouble`,
    with this `shock`.
    """

    skill: str
    trouble: str = ""
    limit: int | None = None
    missed_by: int | None = None
    shock: int = 0
    more: int = 0
    usual: bool = False


_ROWS: Final = from_json(dict[str, object], json_loader("rules.systems.masterbook", "combat")())
OPTIONS: Final = rows_by_key(from_json(tuple[AttackOptionKind, ...], _ROWS["options"]), "id")
#: Parts of the body.
LOCATIONS: Final = tuple([each.id for each in OPTIONS.values() if each.group == "location"])
COVERS: Final = rows_by_key(from_json(tuple[Cover, ...], _ROWS["covers"]), "id")
CONCEALMENTS: Final = rows_by_key(from_json(tuple[Concealment, ...], _ROWS["concealments"]), "id")
FOCUSES: Final = rows_by_key(from_json(tuple[Focus, ...], _ROWS["focuses"]))
INTERACTIONS: Final = rows_by_key(
    from_json(tuple[InteractionKind, ...], _ROWS["interactions"]), "skill"
)
#: Skills that maneuver as well, by how much harder than the one that is made for it.
SUBSTITUTES: Final = from_json(dict[str, int], _ROWS["substitutes"])
EFFECTS: Final = rows_by_key(from_json(tuple[EffectKind, ...], _ROWS["effects"]), "id")
PUSHES: Final = rows_by_key(from_json(tuple[PushKind, ...], _ROWS["pushes"]), "skill")

#: What a total or a difficulty is made of: what for, by its id, and how much.
Causes = tuple[tuple[str, int], ...]


def typed_ids(*ids: str) -> tuple[str, ...]:
    """Ids of rows as people write them: `full auto`."""
    return tuple([each.replace("_", " ") for each in ids])


def exclude(
    field: str, rows: Iterable[Any], group: Callable[[Any], str] = attrgetter("group")
) -> None:
    """InvalidInput("mb-options-exclude") for two of one group."""
    groups: dict[str, str] = {}
    for each in rows:
        before = groups.setdefault(group(each) or each.id, each.id)
        if before != each.id:
            value, other = typed_ids(each.id, before)
            raise InvalidInput("mb-options-exclude", field=field, value=value, other=other)


def nonzero_causes(*causes: tuple[str, int]) -> Causes:
    """Those that come to something."""
    return tuple([each for each in causes if each[1]])


def cause_total(causes: Causes) -> int:
    """What they come to together (MB-DN-03)."""
    return sum([number for _, number in causes])
