"""Luck and Fast Reactions: what advantages on the sheet do where cards would (MB-CARD-L01, MB-CARD-L02, MB-BG-27)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rules.core.errors import Impossible
from rules.core.record import record
from rules.systems.masterbook.deck import playing
from rules.systems.masterbook.deck.dealing import refuse
from rules.systems.masterbook.deck.kinds import KINDS
from rules.systems.masterbook.deck.playing import ALL_USES, Effect, Moment, Use
from rules.systems.masterbook.deck.table import begun, cards_of
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.table.actions import Action
from rules.table.marks import marks_of, with_marks
from rules.table.state import Mark
from rules.table.system import Game

#: The mark of a use, until the adventure is over: `what` is the kind of card, and how many there were before.
LUCK: Final = "luck"
_NAMED: Final = re.compile(r"luck\W*c?(ii|iii|iv)\W*", re.IGNORECASE)

_FAST: Final = re.compile(r"\bfast reactions?\b", re.IGNORECASE)


@record(kw_only=True)
class UseLuck(Action):
    """Use Luck between actions, for the effect of a kind of card."""

    effect: str
    as_: str | None = None


@record(kw_only=True)
class Rescue(Action):
    """A GM burns somebody's Luck to avert a disaster."""

    character: str


def quick(sheet: MasterbookSheet) -> bool:
    """Whether somebody has Fast Reactions (MB-CARD-L02)."""
    return any(_FAST.search(each) for each in sheet.advantages)


def advantages(sheet: MasterbookSheet) -> tuple[str, ...]:
    """The Luck that somebody has, by its columns."""
    found = [_NAMED.fullmatch(each.strip()) for each in sheet.advantages]
    return tuple([f"c{each[1].casefold()}" for each in found if each is not None])


def used(game: Game, who: str) -> tuple[str, ...]:
    """What somebody has used it for in this adventure."""
    return tuple([each.what.partition(" ")[0] for each in marks_of(game.state, who, LUCK)])


def left(game: Game, who: str) -> tuple[tuple[str, ...], ...]:
    """The uses that are left of somebody's Luck, each with what it may be."""
    has = advantages(game.sheet(who))
    try:
        return playing.luck(has, used(game, who)) if has else ()
    except Impossible:  # the sheet had more of it
        return ()


def effect_of(game: Game, who: str, key: str, moment: Moment, use: Use = "") -> Effect:
    """What Luck would do. Raises as `playing.lucky`."""
    rounds = begun(game) and cards_of(game).deal.round is not None
    return playing.lucky(
        advantages(game.sheet(who)),
        used(game, who),
        who,
        key,
        moment,
        rounds=rounds or bool(game.state.encounters),
        use=use,
        setting=game.setting,
    )


def rescued(game: Game, who: str) -> Game:
    """The game once a GM has burned somebody's Luck to avert a disaster (MB-BG-27).

    Impossible("mb-card-off") where the table does not play so, ("mb-luck-none") where nothing is left for it.
    """
    refuse(off=not game.setting("luck3_gm_rescue"))
    if not any(playing.RESCUE in use for use in left(game, who)):
        raise Impossible("mb-luck-none", who=game.called(who))
    return spent(game, who, playing.RESCUE)


def ways(game: Game, who: str, moments: Sequence[Moment]) -> Iterator[tuple[str, int, Moment, Use]]:
    """What somebody's Luck may do now, on which of these."""
    kinds = dict.fromkeys([each for use in left(game, who) for each in use])
    for key in [each for each in kinds if each in KINDS and KINDS[each].windows]:
        for at, moment in enumerate(moments):
            for use in playing.uses_of(KINDS[key], moment.window, ALL_USES):
                try:
                    effect_of(game, who, key, moment, use)
                except Impossible:
                    continue
                yield key, at, moment, use


def spent(game: Game, who: str, key: str) -> Game:
    """The game once somebody has used their Luck for it."""
    mark = Mark(LUCK, f"{key} {len(used(game, who))}", until="adventure")
    return game.with_(with_marks(game.state, who, mark))
