"""Recovery under EBB: rest, and treating an injury (EBB-HEAL)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rules.core.errors import NotPermitted
from rules.systems.ebb.attack import TOOL_MAX
from rules.systems.ebb.attempt import PROPOSAL, Proposal, begun
from rules.systems.ebb.check import AnyAttempt, Attempt, succeeded
from rules.systems.ebb.injury import REST, SESSION_END, find_injury, injuries, treated
from rules.systems.ebb.resources import RESOURCES, gained
from rules.table.checks.check import Values
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.checks.stages import APPROACH, FREE, IMPOSSIBLE
from rules.table.events import Line
from rules.table.forms import Asking, Form, Pick, Typed
from rules.table.forms import Option as Offer
from rules.table.permissions import is_gm, owns
from rules.table.resources import restored
from rules.table.system import Game

#: The stage in which it does what it does.
HEALED: Final = "healed"


def _injuries(asking: Asking) -> tuple[Offer, ...]:
    """Those of whoever asks; of somebody else who is treated only where one may read that sheet."""
    game, who = asking.game, asking.who
    if game is None or asking.check is not None or not who:
        return ()
    target = game.state.characters.get(asking.values.get("target", who))
    if target is None:
        return ()
    mine = target.id == who or is_gm(game.state, game.actor) or owns(game.state, game.actor, target)
    return injuries(target.sheet) if mine else ()


TREAT_FORM: Final = replace(
    PROPOSAL, fields=(*PROPOSAL.fields, Typed("injury", most=TOOL_MAX, among=_injuries))
)
#: The ways to rest, and which of them only GMs may say (EBB-HEAL).
_WAYS: Final = (Offer(REST, Line("ebb-heal-rest")), Offer(SESSION_END, Line("ebb-heal-session")))
_GMS_ALONE: Final = (SESSION_END,)


_WAY: Final = Pick("method", among=_WAYS)


def _ways(asking: Asking) -> tuple[Offer, ...]:
    game = asking.game
    gm = game is None or is_gm(game.state, game.actor)
    return tuple(each for each in _WAYS if gm or each.value not in _GMS_ALONE)


REST_FORM: Final = Form((replace(_WAY, among=_ways, find=_WAY.found), APPROACH))


def treats(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """A treatment as it is proposed: of oneself where nobody is named. Raises as `find_injury`, where one may know."""
    check = check.but(target=check.target or check.actor)
    target, tool = game.character(check.target or ""), values.get("injury", "").strip()
    if is_gm(game.state, game.actor) or owns(game.state, game.actor, target):
        tool = find_injury(target.sheet, tool)
    return _begun(game, check, values, tool)


def rests(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Whoever rests does it to themselves. NotPermitted("gm-only") for what only GMs may say."""
    method = values.get("method", REST)
    if method in _GMS_ALONE and not is_gm(game.state, game.actor):
        raise NotPermitted("gm-only")
    return _begun(game, check.but(target=check.actor), values, method)


def _begun(game: Game, check: AnyAttempt, values: Values, tool: str) -> AnyAttempt:
    """What is kept of NPCs, their injuries too, is theirs alone."""
    check = begun(game, check, values, tool)
    people = [game.state.characters.get(each) for each in (check.actor, check.target or "")]
    if all(each is not None and each.owner is None for each in people):
        check = check.but(visibility="private")
    return check


class Resting(Proposal):
    """A GM says whether there is time, and need not ask anybody (EBB-HEAL)."""

    def __init__(self) -> None:
        super().__init__(HEALED, (FREE, IMPOSSIBLE), Form((APPROACH,)))

    def rulings(self, check: AnyAttempt) -> tuple[Option, ...]:
        free, impossible = super().rulings(check)
        return free.but(label=Line("answer-time")), impossible.but(label=Line("answer-no-time"))


class Healing(Stage[Attempt]):
    """What rest, or a treatment that worked, does."""

    name = HEALED

    def enter(self, game: Game, check: AnyAttempt, /) -> Step[Attempt] | None:
        data, who = check.data, check.target
        if who is None or who not in game.state.characters or not succeeded(data) or data.came is not None:
            return None
        if check.kind == "rest":
            sheet, back = restored(RESOURCES, game.sheet(who), "session")
            came = Line("ebb-rested", {"values": gained(back)})
        else:
            sheet, text = treated(game.sheet(who), data.tool)
            came = Line("ebb-treated", {"text": text})
        if sheet is not game.sheet(who):
            game = game.put(who, sheet)
        return Step(game.state, data.but(came=came))
