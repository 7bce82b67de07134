"""Numbers of the GM's procedures: awards, warnings about acts, kinds of NPCs.

MB-GM-01 to MB-GM-06, MB-GM-08 to MB-GM-12, MB-LP-02.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record, field

#: Skill points that one Life Point is worth (MB-LP-02).
LIFE_POINT_WORTH: Final = 3
#: The most Life Points, unless the table has set another number.
LIFE_POINTS_MAX: Final = 10
#: How much a GM may add to an act's award, and take off.
ACT_ADJUST: Final = (-1, 2)
#: Life Points of an act in flat mode; the first is the default (OP-17).
FLAT_ACT_AWARD: Final = (1, 2)
#: Adventure awards above this are for grueling stories.
ADVENTURE_SOFT_CAP: Final = 5
#: More than this, with everything paid at the end of an adventure, is worth a second look.
END_TOTAL_SOFT_CAP: Final = 6
#: The smallest and the largest extra reward in skill points.
EXTRA_SKILL_POINTS: Final = (1, 3)

_RECOMMENDED_SCENES: Final = 2
_DRAMATIC: Final = "dramatic"


class GmWarning(Record):
    """A warning of MB-CHAR part 4: it informs the GM and blocks nothing."""

    code: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])


# --- acts and adventures --------------------------------------------------------------------------


def require_scenes(scenes: int) -> None:
    """Raise Impossible("mb-gm-scenes-zero") for an act without scenes (MB-GM-01)."""
    if scenes < 1:
        raise Impossible("mb-gm-scenes-zero")


def require_acts(acts: int) -> None:
    """Raise Impossible("mb-gm-acts-zero") for an adventure without acts (MB-GM-01)."""
    if acts < 1:
        raise Impossible("mb-gm-acts-zero")


def require_paying_act(last: bool) -> None:
    """Raise Impossible("mb-gm-act-award-last") for the last act: it pays no award (MB-GM-03)."""
    if last:
        raise Impossible("mb-gm-act-award-last")


def act_award(scenes: int, adjust: int = 0, *, flat: bool = False) -> int:
    """Return the Life Points that an act pays to each character (MB-GM-03).

    In flat mode *adjust* is the award itself, and 0 the smallest one.

    Raises:
        InvalidInput("mb-gm-act-adjust-range"): the GM adds or takes off too much.
        InvalidInput("out-of-range"): a flat award that is neither 1 nor 2.
    """
    low, high = FLAT_ACT_AWARD if flat else ACT_ADJUST
    if flat:
        award = adjust or low
        if not low <= award <= high:
            raise InvalidInput(
                "out-of-range", field="number", value=award, lowest=low, highest=high
            )
        return award
    if not low <= adjust <= high:
        raise InvalidInput(
            "mb-gm-act-adjust-range", field="number", value=adjust, lowest=low, highest=high
        )
    return max(0, scenes + adjust)


def act_warnings(act: int, scenes: Sequence[str]) -> tuple[GmWarning, ...]:
    """Return the warnings about an act with scenes of these kinds (MB-GM-01, MB-GM-02)."""
    warnings: list[GmWarning] = []
    if 0 < len(scenes) < _RECOMMENDED_SCENES:
        warnings.append(GmWarning("mb-gm-few-scenes", {"act": act}))
    if scenes and scenes[-1] != _DRAMATIC:
        warnings.append(GmWarning("mb-gm-act-end-not-dramatic", {"act": act}))
    dramatic = list(scenes).count(_DRAMATIC)
    if dramatic > 1:
        warnings.append(GmWarning("mb-gm-many-dramatic", {"act": act, "count": dramatic}))
    return tuple(warnings)


def adventure_award(acts: int, bonuses: int = 0) -> int:
    """Return the Life Points of an adventure: one an act, and bonuses (MB-GM-04).

    Raises as `require_acts`.
    """
    require_acts(acts)
    return acts + bonuses


def adventure_warnings(
    award: int, grueling: bool = False, soft_cap: int = ADVENTURE_SOFT_CAP
) -> tuple[GmWarning, ...]:
    """Return the warning about an adventure award that is too high (MB-GM-04)."""
    if grueling or award <= soft_cap:
        return ()
    return (GmWarning("mb-gm-adventure-soft-cap", {"cap": soft_cap, "value": award}),)


def end_total_warnings(
    total: int, award: int, grueling: bool = False, soft_cap: int = END_TOTAL_SOFT_CAP
) -> tuple[GmWarning, ...]:
    """Return the warning about everything paid at the end of an adventure (MB-GM-04).

    *total* is the award with what subplots and cards pay. An award that is too high by itself has
    a warning of its own.
    """
    if grueling or total <= soft_cap or total == award:
        return ()
    return (GmWarning("mb-gm-end-total-soft-cap", {"cap": soft_cap, "value": total}),)


# --- Life Points ----------------------------------------------------------------------------------


class Payment(Record):
    """Result of an award of Life Points (MB-GM-06)."""

    #: Life Points after the award.
    life_points: int
    #: Life Points by which the award passed the maximum.
    surplus: int = 0
    #: Skill points that the surplus was converted to.
    skill_points: int = 0
    warnings: tuple[GmWarning, ...] = ()

    @property
    def lost(self) -> int:
        """Life Points that are lost unless they are converted in time."""
        return 0 if self.skill_points else self.surplus


def pay_life_points(
    name: str, have: int, award: int, *, convert: bool = True, most: int = LIFE_POINTS_MAX
) -> Payment:
    """Pay an award of Life Points, up to the maximum (MB-GM-06).

    With *convert*, what would be lost becomes skill points at once.
    """
    room = max(0, most - have)
    surplus = max(0, award - room)
    now = have + award - surplus
    worth = LIFE_POINT_WORTH * surplus
    if convert or not surplus:
        return Payment(now, surplus, worth)
    about = {"name": name, "max": most, "lost": surplus, "skill_points": worth}
    return Payment(now, surplus, warnings=(GmWarning("mb-gm-lp-overflow", about),))


# --- the GM's characters --------------------------------------------------------------------------

#: Kind of an NPC.
NpcKind = Literal["grunt", "standard", "archetype"]
NPC_KINDS: Final[tuple[NpcKind, ...]] = get_args(NpcKind)
#: Life Points that an NPC of a kind begins with (MB-GM-08, OP-18).
NPC_LIFE_POINTS: Final[Mapping[NpcKind, int]] = {"grunt": 1, "standard": 5, "archetype": 10}
#: The fewest and the most Life Points of a kind.
NPC_LIFE_POINT_RANGE: Final[Mapping[NpcKind, tuple[int, int]]] = {
    "grunt": (0, 3),
    "standard": (1, 10),
    "archetype": (1, 10),
}
#: Skill adds of a standard NPC above those of the most developed player character (MB-GM-09).
STANDARD_ADDS: Final = (2, 5)
#: Attribute points of a standard NPC above those of the same character.
STANDARD_ATTRIBUTES: Final = 1


class Development(Record):
    """Measure of how developed a character is."""

    skill_adds: int
    attributes: int
    name: str = ""


class StandardTarget(Record):
    """Values of a standard NPC, by the most developed player character (MB-GM-09)."""

    least_adds: int
    most_adds: int
    attributes: int
    #: The character that the target is measured by.
    best: Development


def standard_target(characters: Iterable[Development]) -> StandardTarget | None:
    """Return the target of a standard NPC; None without player characters (MB-GM-09, OP-41)."""
    best = max(
        characters, key=lambda character: (character.skill_adds, character.attributes), default=None
    )
    if best is None:
        return None
    least, most = STANDARD_ADDS
    attributes = best.attributes + STANDARD_ATTRIBUTES
    return StandardTarget(best.skill_adds + least, best.skill_adds + most, attributes, best)


#: How much of an adventure a standard NPC took part in (MB-GM-12).
Participation = Literal["most_of_an_act", "several_acts", "brief", "unused"]


class NpcAward(Record):
    """Life Points and skill points that a standard NPC may get, from the fewest to the most."""

    life_points: tuple[int, int]
    skill_points: tuple[int, int]


def npc_award(participation: Participation, act_award: int = 0, acts: int = 1) -> NpcAward:
    """Return the award of a standard NPC (MB-GM-12).

    *act_award* is that of one act, *acts* the number of acts that the NPC took part in.
    """
    low, high = EXTRA_SKILL_POINTS
    if participation == "most_of_an_act":
        return NpcAward((act_award, act_award), (low, high))
    if participation == "several_acts":
        whole = acts * act_award
        return NpcAward((whole, whole), (acts * low, acts * high))
    if participation == "brief":
        return NpcAward((1, 2), (low, high))
    return NpcAward((0, 1), (0, high))
