"""More time: a player who is asked takes it once a wait, a GM gives it until any time."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated
from rules.table.actions import MoreTime, MoreTurnTime
from rules.table.blocks import EVERYONE, GMS, Audience
from rules.table.check import AnyCheck, OpenPrompt
from rules.table.checks.access import find_check, may_answer_prompt, may_see_prompt
from rules.table.checks.audience_views import check_view
from rules.table.checks.engine import moved_on_error
from rules.table.checks.prompt_times import (
    extra_seconds_until,
    granted_seconds,
    with_more_time,
)
from rules.table.events import Event, Notice
from rules.table.initiative import block_of, is_hidden, require_encounter, slot_name
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, public_name, require_gm
from rules.table.state import DAY, AnyEncounter, TableState
from rules.table.system import Game
from rules.table.times.rest import running_time
from rules.table.turns.slots import nobody_acts_error, own_slots, require_turn, shown_slot_on_turn
from rules.table.turns.turn_block import slots_to_act
from rules.table.turns.turn_clock import deadline_of_turn, present_span

#: Most time that a wait can have beyond the table's, in seconds.
MOST_MORE: Final = 60 * DAY
#: Beyond this a deadline always has too much more time, whatever the rest: at least one day of
#: each week runs. Counting the rest of centuries would take minutes.
_FARTHEST: Final = 8 * MOST_MORE


def give_prompt_more_time(state: TableState, action: MoreTime, game: Game) -> Outcome:
    """Give an open prompt more time.

    Raises:
        NotFound("unknown-check"): the actor can't see the check.
        Outdated("check-moved-on"): the prompt isn't open with that number, as far as the actor may
            know.
        NotPermitted("not-asked"): the prompt doesn't wait for the actor, who is no GM.
        NotPermitted("gm-only"): a player named a time.
        Impossible("no-deadline"): nothing runs out for the prompt.
        Impossible("clock-stands"): the table's clock is paused.
        Impossible("more-time-taken"): a player has taken more time already.
        Impossible("more-time-limit"): it would be more than `MOST_MORE`.
        InvalidInput("until-not-later"): the time isn't after the deadline.
    """
    check = find_check(game, action.check)
    asked = check.prompt(action.prompt)
    if (
        asked is None
        or action.number not in (None, asked.number)
        or not may_see_prompt(game, asked, game.actor)
    ):
        raise moved_on_error(game, check, action.prompt)
    gm = is_gm(state, action.who)
    who = _own_character(game, check, asked)
    if not gm and who is None:
        raise NotPermitted("not-asked", check=check.id)
    _require_more(game, asked.due, action.until, taken=asked.extended)
    settings = state.settings
    if action.until is None:
        more = asked.more + granted_seconds(settings, asked)
    else:
        more = extra_seconds_until(settings, asked, action.until)
    _require_limit(more)
    now = with_more_time(settings, asked, more, action.at)
    now = now.replace(extended=asked.extended or not gm)
    prompts = tuple(now if pending is asked else pending for pending in check.asked)
    check = check.replace(asked=prompts)
    after = game.with_state(state.with_check(check))
    public = _is_public(check, asked)
    name = _name_of(state, asked, who)
    events: list[Event] = [
        _more_time_event(game, name, now.due, public=public, own=who is not None)
    ]
    if public:
        events.append(check_view(after, check, EVERYONE))
    return Outcome(after.state, tuple(events))


def _own_character(game: Game, check: AnyCheck, asked: OpenPrompt) -> str | None:
    """Return the character awaited for which the actor may answer; None if there is none."""
    for who in asked.waiting_for:
        if may_answer_prompt(game, check, asked, who):
            return who
    return None


def _is_public(check: AnyCheck, asked: OpenPrompt) -> bool:
    """Return whether everyone may know who needs more time for a prompt."""
    if not check.is_public:
        return False
    return asked.prompt.visible_to is None and not asked.prompt.secret


def _name_of(state: TableState, asked: OpenPrompt, who: str | None) -> str:
    """Return the public name of the character that gets more time; empty for the GMs."""
    waiting = asked.waiting_for
    key = who if who is not None else (waiting[0] if waiting else "")
    character = state.characters.get(key)
    return "" if character is None else public_name(character)


def give_turn_more_time(state: TableState, action: MoreTurnTime, game: Game) -> Outcome:
    """Give the turn in a place more time.

    Raises as `give_prompt_more_time` and `shown_slot_on_turn`, NotPermitted("not-your-turn"), and
    Impossible("no-encounter", "round-not-begun", "round-opening", "nobody-does-anything").
    """
    encounter = require_encounter(state, action.place)
    slot = shown_slot_on_turn(state, encounter, action.who, action.round, action.turn)
    if slot is None:
        raise nobody_acts_error(encounter)
    # Any player of a block may need the time, which all of it gets.
    own = own_slots(state, action.who, block_of(state, encounter))
    slot = own[0] if own else slot
    require_turn(state, action.who, slot, slots_to_act(state, encounter))
    gm, due = is_gm(state, action.who), deadline_of_turn(state, encounter)
    _require_more(game, due, action.until, taken=encounter.extended)
    more = _more_of_turn(state, encounter, action.until)
    _require_limit(more)
    now = encounter.replace(more=more, extended=encounter.extended or not gm)
    after = state.with_encounter(now)
    public, owner = not is_hidden(state, slot), None
    if slot.character is not None:
        owner = state.characters[slot.character].owner
    event = _more_time_event(
        game.with_state(after),
        slot_name(state, slot),
        deadline_of_turn(after, now),
        public=public,
        own=not gm or owner == action.who.id,
    )
    return Outcome(after, (event,))


def _more_of_turn(state: TableState, encounter: AnyEncounter, until: int | None) -> int:
    """Return the seconds that a turn has beyond the table's time if it gets more."""
    span = present_span(state, encounter)
    if span is None:
        raise Outdated("wait-over", wait=encounter.place)
    if until is None:
        return encounter.more + span.length
    return running_time(span.rest, span.since, until) - span.length + encounter.more


def _require_more(game: Game, due: int | None, until: int | None, *, taken: bool) -> None:
    """Require that a wait may get more time. Raises as `give_prompt_more_time`."""
    if game.state.settings.pause is not None:
        raise Impossible("clock-stands")
    if until is not None:
        require_gm(game.state, game.actor)
    if due is None:
        raise Impossible("no-deadline")
    if until is not None and until <= max(due, game.at):
        raise InvalidInput("until-not-later", field="until", value=None, due=due)
    if until is not None and until - due > _FARTHEST:
        raise _limit_error()
    if taken and not is_gm(game.state, game.actor):
        raise Impossible("more-time-taken")


def _require_limit(more: int) -> None:
    """Raise Impossible("more-time-limit") for more time than a wait can have."""
    if more > MOST_MORE:
        raise _limit_error()


def _limit_error() -> Impossible:
    return Impossible("more-time-limit", days=MOST_MORE // DAY)


def _more_time_event(game: Game, name: str, due: int | None, *, public: bool, own: bool) -> Notice:
    """Return the event about more time: for everyone, or for the GMs and the actor.

    *own* is True if the actor needs the time.
    """
    audience = EVERYONE
    if not public:
        audience = GMS
        if not is_gm(game.state, game.actor):
            audience = Audience(gms=True, people=(game.actor.id,))
    params = {"name": name or None, "until": due, "own": own}
    return Notice("more-time", params, audience=audience, by=game.actor.id)
