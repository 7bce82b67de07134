"""Initiative, multiple actions, and combined actions (MB-INI, MB-RND, MB-ACT, MB-MUL, MB-CBN)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple

from rules.core.errors import InvalidInput
from rules.core.record import Record

#: Kinds of rounds.
RoundKind = Literal["combat", "interaction"]
#: Attribute of initiative, by the kind of rounds (MB-INI-01).
INITIATIVE: Final[Mapping[RoundKind, str]] = {"combat": "agility", "interaction": "confidence"}
#: Added to the difficulty of everything done after waiting (MB-ACT-02).
WAITING_COST: Final = 2
#: Simple actions of a round that make a complex one harder, and by how much (MB-ACT-01).
_MANY_SIMPLE, _CROWDING_PENALTY = 3, 2
#: Agility total that gets one simple action more than those done (MB-ACT-01).
CROWDED_DIFFICULTY: Final = 4
#: Penalty of an action above its rank (MB-MUL-01).
_ABOVE_RANK: Final = 1


def initiative_order(
    scores: Mapping[str, int], sides: Iterable[Iterable[str]] = ()
) -> tuple[tuple[str, ...], ...]:
    """Return the order of action, the highest first; equal scores act at once (MB-INI-01).

    With cards all of a side act before the next one. *sides* are in their order.
    """
    order: list[tuple[str, ...]] = []
    for side in sides or (scores,):
        side_scores = {who: scores[who] for who in side}
        for score in sorted(set(side_scores.values()), reverse=True):
            order.append(tuple(who for who in side_scores if side_scores[who] == score))
    return tuple(order)


def crowding_penalty(simple: int) -> int:
    """Return the difficulty that *simple* further actions add to a complex one (MB-ACT-01)."""
    return _CROWDING_PENALTY if simple >= _MANY_SIMPLE else 0


def too_many(simple: int) -> bool:
    """Return whether the last of *simple* actions needs a roll (MB-ACT-01).

    The roll is Agility against `CROWDED_DIFFICULTY`.
    """
    return simple > _MANY_SIMPLE


def multi_action_penalty(rank: int, of: int) -> int:
    """Return the modifier of one of several actions or targets, by its rank (MB-MUL-01, -02).

    Raises InvalidInput("mb-bad-rank") for a rank below 1 or above their number.
    """
    if not 1 <= rank <= of:
        raise InvalidInput("mb-bad-rank", field="rank", value=rank, lowest=1, highest=of)
    return 0 if of == 1 else -(rank + _ABOVE_RANK)


# --- combined actions -----------------------------------------------------------------------------

#: Up to here each character of a group adds to the effect; beyond every second does (MB-CBN-01).
_TEN: Final = 10


class GroupModifiers(NamedTuple):
    """Modifiers of a group that acts as one (MB-CBN-01)."""

    #: Added to the difficulty number.
    difficulty: int
    #: Added to the effect.
    effect: int


def group_modifiers(number: int) -> GroupModifiers:
    """Return the modifiers of a group of *number* characters (MB-CBN-01)."""
    if number < 2:
        return GroupModifiers(0, 0)
    difficulty = (number + 1) // 2
    if number <= _TEN:
        return GroupModifiers(difficulty, number + 1)
    beyond_ten = (number - _TEN + 1) // 2
    return GroupModifiers(difficulty, _TEN + 1 + beyond_ten)


class GroupResult(Record):
    """Result of a group's roll."""

    #: Characters of the group who succeeded.
    succeeded: int
    #: Their result points.
    points: int = 0
    #: Effect that they have together.
    effect: int = 0


def resolve_group(number: int, total: int, dn: int, effect: int) -> GroupResult:
    """Return the result of a group's one roll against one target (MB-CBN-01).

    *effect* is the average value of one character. As many succeed as the total allows.
    """
    succeeded = 0
    for size in range(1, number + 1):
        if total >= dn + group_modifiers(size).difficulty:
            succeeded = size
    if not succeeded:
        return GroupResult(0)
    modifiers = group_modifiers(succeeded)
    points = total - dn - modifiers.difficulty
    return GroupResult(succeeded, points, effect + modifiers.effect + points)


#: Added to the best total by each helper who coordinated and succeeded (MB-CBN-02).
_COORDINATION: Final = 2


def characters_reaching(totals: Mapping[str, int], dn: int) -> tuple[str, ...]:
    """Return the characters whose totals reach a number (MB-CBN-02)."""
    return tuple(who for who, total in totals.items() if total >= dn)


def coordination_bonus(number: int) -> int:
    """Return the bonus of *number* helpers who made both rolls (MB-CBN-02)."""
    return _COORDINATION * number


def shock_share(shock: int, among: int) -> int:
    """Return the shock of each character who tried to coordinate a push (MB-CBN-03)."""
    return -(-shock // among)
