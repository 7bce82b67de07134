"""Rounds, and who acts in them: alone, several times, together (MB-INI, MB-RND, MB-ACT, MB-MUL,
MB-CBN).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from rules.core.errors import InvalidInput
from rules.core.record import Record

#: What rounds there are.
RoundKind = Literal["combat", "interaction"]
#: Which Attribute initiative goes by, in which rounds (MB-INI-01).
INITIATIVE: Final[Mapping[RoundKind, str]] = {"combat": "agility", "interaction": "confidence"}
#: What waiting adds to the difficulty of everything done then (MB-ACT-02).
WAITING_COST: Final = 2
#: Simple actions beside a complex one that make it harder, by how much; what gets one too many of
#: them done.
_MANY, _HARDER = 3, 2
CROWDED_DIFFICULTY: Final = 4
#: The first action loses one more than its rank, and so on.
_RANK: Final = 1


def initiative_order(
    scores: Mapping[str, int], sides: Iterable[Iterable[str]] = ()
) -> tuple[tuple[str, ...], ...]:
    """Who acts when, the highest first; those of one score at once (MB-INI-01).

    With cards all of a side act before the next; `sides` are in their order.
    """
    found: list[tuple[str, ...]] = []
    for side in sides or (scores,):
        here = {each: scores[each] for each in side}
        for score in sorted(set(here.values()), reverse=True):
            found.append(tuple([each for each in here if here[each] == score]))
    return tuple(found)


def crowding_penalty(simple: int) -> int:
    """What so many simple actions make a complex one in the same round harder by (MB-ACT-01)."""
    return _HARDER if simple >= _MANY else 0


def too_many(simple: int) -> bool:
    """Whether of so many simple actions the last gets done only with an Agility total of `CROWDED`
    (MB-ACT-01).
    """
    return simple > _MANY


def multi_action_penalty(rank: int, of: int) -> int:
    """What an action or a target of this rank of importance loses, of so many (MB-MUL-01,
    MB-MUL-02).

    InvalidInput("mb-bad-rank") for a rank that there is not.
    """
    if not 1 <= rank <= of:
        raise InvalidInput("mb-bad-rank", field="rank", value=rank, lowest=1, highest=of)
    return 0 if of == 1 else -(rank + _RANK)


# --- many as one ----------------------------------------------------------------------------------

#: Up to here each more of a group counts for the effect, from then on every second (MB-CBN-01).
_TEN: Final = 10


def group_modifiers(number: int) -> tuple[int, int]:
    """What a group of so many adds to the difficulty number, and to the effect (MB-CBN-01)."""
    if number < 2:
        return 0, 0
    return (number + 1) // 2, number + 1 if number <= _TEN else _TEN + 1 + (number - _TEN + 1) // 2


class GroupResult(Record):
    """How many of a group succeeded, with how many result points, and the effect that they have at
    once.
    """

    succeeded: int
    points: int = 0
    effect: int = 0


def resolve_group(number: int, total: int, dn: int, effect: int) -> GroupResult:
    """A group's one roll against one target; `effect` is the average value of one (MB-CBN-01)."""
    done = max(
        [each for each in range(1, number + 1) if total >= dn + group_modifiers(each)[0]], default=0
    )
    if not done:
        return GroupResult(0)
    harder, more = group_modifiers(done)
    points = total - dn - harder
    return GroupResult(done, points, effect + more + points)


#: What each who coordinated and succeeded adds to the best total (MB-CBN-02).
_EACH: Final = 2


def characters_reaching(totals: Mapping[str, int], dn: int) -> tuple[str, ...]:
    """Who reached a number: to coordinate, or then to act (MB-CBN-02)."""
    return tuple([each for each, total in totals.items() if total >= dn])


def coordination_bonus(number: int) -> int:
    """What so many who made both rolls add to the best total (MB-CBN-02)."""
    return _EACH * number


def shock_share(shock: int, among: int) -> int:
    """The shock of each who tried to coordinate a push (MB-CBN-03)."""
    return -(-shock // among)
