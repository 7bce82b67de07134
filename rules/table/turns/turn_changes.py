"""Changes of turn and round: effects that end or begin with them, and the calls that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from rules.table.actions import Action, Actor
from rules.table.blocks import Ref, Text, text_for_audience
from rules.table.check import AnyCheck
from rules.table.checks import engine
from rules.table.checks.access import is_open_to
from rules.table.checks.audience_views import TableNames, check_view, events_for
from rules.table.checks.deaths import players_killed
from rules.table.checks.procedure import has_role, kind_with_role, procedure_of
from rules.table.events import EVERYONE, GMS, Audience, BoardChanged, BoardStep, Event
from rules.table.initiative import (
    absent_owner,
    encounter_in,
    initiative_key,
    is_hidden,
    known_round,
    last_known_phase,
    next_name,
    next_turn_start,
    require_encounter,
    same_slot,
    settle_turn,
    slot_name,
    slot_on_turn,
    turn_number,
    with_slot_changes,
)
from rules.table.marks import apply_tick, lines_by_audience
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm
from rules.table.resources import TickKind
from rules.table.state import SYSTEM, AnyCharacter, AnyEncounter, Slot, TableState
from rules.table.system import Game, Initiative, TickResult

#: Conditions that are left out: that nothing is the matter, and summaries beside their details.
_WELL: Final = ("unhurt",)
_SUMMED_UP: Final = (*_WELL, "hurt", "badly-hurt")

#: Most lines of news that a call carries. More than that have a message of their own.
_NEWS_MAX: Final = 8

#: Characters whose turns have passed by themselves, each with the reason.
Past = tuple[tuple[str, Text], ...]
#: Function from an order of action to the next one; called again once effects have run out.
Move = Callable[[AnyEncounter], AnyEncounter]


def board_event(encounter: AnyEncounter, who: Actor, step: BoardStep, **more: Any) -> BoardChanged:
    """Return the event of a step in an order of action; `more` are further fields."""
    known = encounter.told if encounter.timeline else encounter.round
    fields: dict[str, Any] = {"audience": EVERYONE, "round": known, **more}
    return BoardChanged(
        step=step, place=encounter.place, by=who.id, timeline=encounter.timeline, **fields
    )


def call_events(
    game: Game,
    encounter: AnyEncounter,
    step: BoardStep = "turn",
    *,
    news: tuple[Text, ...] = (),
) -> tuple[BoardChanged, ...]:
    """Return the call of the character on turn; none while no character is on turn.

    The actor, whose action brought the turn about, gets no ping. If the owner is away, the
    stand-ins are called, or the GMs if there are none. Only the GMs read the call of a hidden
    character. `news` are the round's lines for the call to its first turn.
    """
    slot, state, who = slot_on_turn(encounter), game.state, game.actor
    if slot is None:
        return ()
    character = None if slot.character is None else state.characters[slot.character]
    owner = None if character is None else character.owner
    hidden = is_hidden(state, slot)
    away = absent_owner(state, encounter)
    people = (owner,) if owner is not None else ()
    if away is not None:
        people = away.stand_ins
    name = slot_name(state, slot) if character is None or not hidden else character.name
    called = board_event(
        encounter,
        who,
        step,
        audience=GMS if hidden else EVERYONE,
        round=encounter.round if hidden else known_round(state, encounter),
        ping=tuple([person for person in people if person != who.id]),
        ping_gms=not people and not is_gm(state, who),
        name=name,
        characters=() if character is None else (character.id,),
        doing=slot.doing,
        turn=turn_number(encounter),
        player=owner is not None,
        after=_after(game, encounter),
        lines=() if character is None else condition_lines(game, character, full=hidden),
        spent=_is_spent(game, slot),
        news=news,
        away=None if away is None else away.owner,
    )
    return (called,)


def _after(game: Game, encounter: AnyEncounter) -> str:
    """Return the public name of the next character on turn; empty for none.

    Where each round has an order of its own, only the present round counts.
    """
    turns = game.system.turns
    later = encounter if turns is None or turns.then is None else turns.then(game, encounter)
    past = [
        entry
        for entry in later.order
        if _idle(game, entry) is not None or _is_spent(game, entry) or is_passed_over(game, entry)
    ]
    return next_name(game.state, later, rolls=opens_rounds(game), past=past)


def _idle(game: Game, slot: Slot | None) -> tuple[Text, ...] | None:
    """Return why the character in a slot can do nothing in its turn; None if it can act."""
    turns = game.system.turns
    if turns is None or turns.idle is None or slot is None or slot.character is None:
        return None
    return turns.idle(game, game.character(slot.character))


def _is_spent(game: Game, slot: Slot | None) -> bool:
    """Return whether a player's character has nothing left to act with in this round.

    An NPC never counts: what it has left is the GMs' alone.
    """
    turns = game.system.turns
    if turns is None or slot is None or slot.character is None:
        return False
    character = game.character(slot.character)
    return character.owner is not None and turns.spent(game, character)


def is_only_end_left(game: Game, encounter: AnyEncounter) -> bool:
    """Return whether a player's character on turn has acted, so that only *End turn* is left."""
    slot = slot_on_turn(encounter)
    if encounter.ended or encounter.timeline or not _is_spent(game, slot):
        return False
    return not turn_holders(game, encounter, slot)


def _passes_by_itself(game: Game, slot: Slot | None) -> bool:
    """Return whether a turn passes by itself because its character has nothing left to act with.

    A table that waits for everybody leaves the end of each turn to its player.
    """
    return not game.state.settings.wait_for_everybody and _is_spent(game, slot)


def is_passed_over(game: Game, slot: Slot) -> bool:
    """Return whether a turn never begins because its character has nothing left to act with.

    That goes for NPCs too. An NPC's turn that has begun is the GMs' to end, because only they know
    what the NPC has left.
    """
    turns = game.system.turns
    if turns is None or slot.character is None or game.state.settings.wait_for_everybody:
        return False
    return turns.spent(game, game.character(slot.character))


def has_acted(game: Game, encounter: AnyEncounter, slot: Slot) -> bool:
    """Return whether the character on turn has done something with the turn."""
    if slot.character is None:
        return False
    for check in game.state.checks.values():
        theirs = (check.actor, check.place, check.round)
        if theirs != (slot.character, encounter.place, encounter.round):
            continue
        began = check.is_open or check.stage_started_at >= encounter.since
        if began and procedure_of(game, check.kind).takes_turn(game, check):
            return True
    return _is_spent(game, slot)


def _why_passed(game: Game, slot: Slot, was: Slot | None) -> tuple[Text, ...] | None:
    """Return the words for a turn that passes by itself; None for a turn that doesn't.

    A turn that has begun with something to act with doesn't pass: `was` is the slot on turn so far.
    """
    why = _idle(game, slot)
    if why is not None or not is_passed_over(game, slot) or slot.character is None:
        return why
    if was is not None and same_slot(slot, was):
        return None
    return (Text("turn-spent", {"name": game.character(slot.character).name}),)


def condition_lines(game: Game, character: AnyCharacter, *, full: bool = False) -> tuple[Text, ...]:
    """Return lines on a character's condition; of an NPC only what shows, unless `full`.

    There are none for a character who is well, and no summary beside its details, unless the
    system has words of its own for the board.
    """
    sheets = game.system.sheets
    if sheets is None:
        return ()
    full = full or character.owner is not None
    if sheets.board_health is not None:
        seen = sheets.board_health(game, character, full)
        return tuple(line for line in seen if line.code not in _WELL)
    seen = sheets.health(game, character, full)
    return tuple(
        [each for each in seen if each.code not in (_WELL if len(seen) == 1 else _SUMMED_UP)]
    )


def turn_holders(game: Game, encounter: AnyEncounter, done: Slot | None) -> list[AnyCheck]:
    """Return the open checks of this round whose actor is the character with the turn `done`."""
    if done is None or done.character is None or not encounter.round:
        return []
    found = engine.open_round_checks(game, encounter.place, encounter.round)
    return [each for each in found if each.actor == done.character]


def round_holders(game: Game, encounter: AnyEncounter) -> list[AnyCheck]:
    """Return the checks that hold the end of the round: those that wait for a decision."""
    found = engine.open_round_checks(game, encounter.place, encounter.round)
    return [each for each in found if any(asked.waiting_for for asked in each.asked)]


def held_lines(game: Game, checks: Iterable[AnyCheck], audience: Audience) -> tuple[Text, ...]:
    """Return a line for each check that an audience may know of, with those the check waits for.

    If the audience may know of none, there is one line without names.
    """
    lines: list[Text] = []
    for check in checks:
        asked = check_view(game, check, audience).asked
        if not _is_known(game, check, audience):
            continue
        who = tuple(dict.fromkeys([ref for pending in asked for ref in pending.who]))
        gms = any(pending.gms for pending in asked)
        actor = Ref(check.actor) if check.actor else None
        about = {"who": who, "gms": gms, "check": check.id, "actor": actor}
        lines.append(
            text_for_audience(Text("turn-held-by", about), audience, TableNames(game.state))
        )
    return tuple(lines) or (Text("turn-held"),)


def _is_known(game: Game, check: AnyCheck, audience: Audience) -> bool:
    """Return whether an audience may know that a check is open."""
    if audience.everyone:
        return check.visibility == "public" and not check.gm_only
    return is_open_to(game, check, game.actor)


def board_holders(game: Game, place: str) -> tuple[Text, ...]:
    """Return public lines about the checks that hold the end of a turn, or the start of a round.

    There are none while no check holds either.
    """
    encounter = encounter_in(game.state, place)
    if encounter is None or not (encounter.ended or encounter.opening):
        return ()
    slot = slot_on_turn(encounter)
    held: list[AnyCheck] = []
    if encounter.opening:
        held = round_holders(game, encounter)
    elif slot is not None:
        held = _holders(game, encounter, partial(next_after, done=slot), slot)
    return held_lines(game, held, EVERYONE) if held else ()


def apply_move(
    game: Game,
    before: AnyEncounter,
    by: Move,
    *,
    done: Slot | None = None,
    anyhow: bool = False,
    keep: bool = False,
    overdue: bool = False,
) -> tuple[Game, tuple[Event, ...]]:
    """Return the table after a move, and its events, with the call to the turn that begins.

    `before` is the order up to now, and `done` the slot whose turn the move ends. Effects that end
    with the turn or the round run out. The turn waits for its character's own open checks, and the
    end of a round for all checks that wait for a decision. With `keep`, the wait is noted, and the
    turn ends when those checks do. With `overdue`, only the end of the round waits; with `anyhow`,
    nothing does.

    Raises Impossible("round-open") if a check holds the move, without `keep`.
    """
    place, was = before.place, slot_on_turn(before)
    seen = game
    past: Past = ()

    def move(now: AnyEncounter) -> AnyEncounter:
        nonlocal past
        after = by(now)
        # Turns of the next round are skipped once that round has begun, not here.
        if after.round != before.round:
            after, past = after, ()
        else:
            after, past = _skip_turns(seen, after, was=was)
        return after

    after = move(require_encounter(game.state, place))
    held: list[AnyCheck] = []
    if before.round and not anyhow:
        held = _holders(game, before, by, done)
        if overdue and not _ends_round(game, before, by, done):
            held = []
    if held and keep:
        ended = require_encounter(game.state, place).replace(ended=True)
        if game.actor.id != SYSTEM and ended.lapses:
            # Where the clock had stopped, the turn's time begins anew.
            ended = ended.replace(lapses=0, since=next_turn_start(ended, game.at))
        return game.with_state(game.state.with_encounter(ended)), _held_events(game, before, held)
    if held:
        raise engine.round_open_error(game, held)
    events: tuple[Event, ...] = ()
    if done is not None and done.character is not None:
        game, events = _pass(game, before, "turn", (done.character,), before.round)
        after = move(require_encounter(game.state, place))
    if before.round and after.round != before.round:
        game, more = _pass(game, before, "round-end", _everybody(before), after.round - 1)
        after, events = move(require_encounter(game.state, place)), (*events, *more)
    events = (*events, *_passed_over(game, before, past))
    begins = after.round != before.round
    opening = begins and not after.timeline and opens_rounds(game)
    after = after.replace(opening=opening or after.opening)
    now = slot_on_turn(after)
    if after.timeline:
        after = after.replace(
            told=max(last_known_phase(game.state, each) for each in (before, after))
        )
    same = not begins and _same(was, now)
    if not same:
        after = after.replace(since=next_turn_start(before, game.at), ended=False)
    if game.actor.id != SYSTEM:
        after = after.replace(lapses=0)
    game = game.with_state(game.state.with_encounter(after))
    if begins:
        game, more = _pass(game, after, "round-start", _everybody(after), after.round)
        events = (*events, *more)
    if opening:
        game, more = _open_round(game, place)
        return game, (*events, *more)
    return game, events if same else (
        *events,
        *call_events(game, require_encounter(game.state, place)),
    )


def _holders(game: Game, before: AnyEncounter, by: Move, done: Slot | None) -> list[AnyCheck]:
    """Return the open checks that hold a move: those of the turn, or of a round that would end."""
    if _ends_round(game, before, by, done):
        return round_holders(game, before)
    return turn_holders(game, before, done)


def _ends_round(game: Game, before: AnyEncounter, by: Move, done: Slot | None) -> bool:
    """Return whether a move ends the round, turns that pass by themselves included."""
    now, turns = require_encounter(game.state, before.place), game.system.turns
    if done is not None and turns is not None and turns.then is not None:
        now = turns.then(game, now)
    after = by(now)
    if after.round == before.round:
        after, _ = _skip_turns(game, after, was=slot_on_turn(before))
    return after.round != before.round


def _held_events(
    game: Game, encounter: AnyEncounter, held: Sequence[AnyCheck]
) -> tuple[Event, ...]:
    """Return the event that tells the actor which checks hold the end of the turn.

    The clock is told nothing.
    """
    actor, slot = game.actor, slot_on_turn(encounter)
    if actor.id == SYSTEM or slot is None:
        return ()
    audience = GMS if is_gm(game.state, actor) else Audience(people=(actor.id,))
    told = board_event(
        encounter,
        actor,
        "held",
        audience=Audience(people=(actor.id,)),
        name=slot_name(game.state, slot, actor) or None,
        player=not is_gm(game.state, actor),
        lines=held_lines(game, held, audience),
    )
    return (told,)


def _skip_turns(
    game: Game, encounter: AnyEncounter, *, within: bool = False, was: Slot | None = None
) -> tuple[AnyEncounter, Past]:
    """Return the order after turns that pass by themselves, and those turns.

    The order goes at most to the next round. With `within`, an order that would leave the round
    comes back unchanged. `was` is the slot on turn so far.
    """
    after = encounter
    past: list[tuple[str, Text]] = []
    while after.round == encounter.round:
        slot = slot_on_turn(after)
        why = None if slot is None else _why_passed(game, slot, was)
        if slot is None or slot.character is None or why is None:
            return after, tuple(past)
        past += [(slot.character, each) for each in why]
        after = settle_turn(after.replace(turn=after.turn + 1))
    return (encounter, ()) if within else (after, tuple(past))


def end_finished_turns(before: Game, found: Outcome) -> Outcome:
    """Return the outcome in which turns that are over by themselves have ended.

    A turn is over if its character can do nothing any more or has nothing left to act with. It is
    over too if its end waited for checks that are over now.
    """
    game, events = (
        before.with_state(_without_averted_deaths(before.state, found.state)),
        found.events,
    )
    for place in found.state.encounters:
        encounter = require_encounter(game.state, place)
        slot = slot_on_turn(encounter)
        if slot is None or encounter.would_kill:
            continue
        was, more = game, ()
        if encounter.ended:
            game, more = _end_turn(game, encounter, slot)
        elif _idle(game, slot) is not None:
            game, more = _end_idle_turn(game, encounter, slot)
        elif _passes_by_itself(game, slot):
            events = (*events, *_spent_events(before, game, encounter))
            game, more = _end_turn(game, encounter, slot)
        killed = players_killed(was, game)
        if killed and game.actor.id == SYSTEM:
            game, more = stall_before_death(was, encounter, killed)
        events = (*events, *more)
    return found.replace(state=game.state, events=events)


def stall_before_death(
    game: Game, encounter: AnyEncounter, killed: tuple[str, ...]
) -> tuple[Game, tuple[Event, ...]]:
    """Return the table in which the clock leaves a turn to the GMs, and the event that calls them.

    `killed` are the players' characters whom the turn's end would kill.
    """
    stalled = encounter.replace(would_kill=killed)
    told = board_event(
        stalled,
        game.actor,
        "stalled",
        audience=GMS,
        round=encounter.round,
        ping_gms=True,
        would_kill=tuple([game.character(who).name for who in killed]),
    )
    return game.with_state(game.state.with_encounter(stalled)), (told,)


def _without_averted_deaths(before: TableState, state: TableState) -> TableState:
    """Return the table without `would_kill` for turns that the clock may try to end again.

    It may once another turn has begun, or once a character in `would_kill` has changed.
    """
    for place, encounter in state.encounters.items():
        was = before.encounters.get(place)
        if was is None or not was.would_kill or was.would_kill != encounter.would_kill:
            continue
        same = was.since == encounter.since and _same(slot_on_turn(was), slot_on_turn(encounter))
        if same and all(
            before.characters.get(each) is state.characters.get(each) for each in was.would_kill
        ):
            continue
        state = state.with_encounter(encounter.replace(would_kill=()))
    return state


def _end_idle_turn(
    game: Game, encounter: AnyEncounter, slot: Slot
) -> tuple[Game, tuple[Event, ...]]:
    """End the turn of a character that can do nothing.

    The turn waits for open checks of the round, and for delayed characters with something left to
    act with. If no character can do anything, the turn stays until a player or GM ends it.
    """
    if engine.open_round_checks(game, encounter.place, encounter.round):
        return game, ()
    if all(_idle(game, entry) is not None for entry in encounter.order):
        return game, ()
    if _is_delayed_turn_left(game, encounter):
        return game, ()
    return apply_move(game, encounter, lambda now: now, done=slot)


def _end_turn(game: Game, encounter: AnyEncounter, slot: Slot) -> tuple[Game, tuple[Event, ...]]:
    """End a turn that its player has ended, or whose character has nothing left to act with.

    The turn goes on while a check holds it. A turn that its player hasn't ended doesn't end the
    round as long as a character may still act in the round.
    """

    def move(now: AnyEncounter) -> AnyEncounter:
        return next_after(now, slot)

    if _holders(game, encounter, move, slot):
        return game, ()
    if not encounter.ended and _may_still_act(game, encounter, slot):
        if _ends_round(game, encounter, move, slot):
            return game, ()
    return apply_move(game, encounter, move, done=slot)


def _may_still_act(game: Game, encounter: AnyEncounter, slot: Slot) -> bool:
    """Return whether a character may still act before the round ends.

    That is a delayed character with something left to act with, or the one in the slot if it may do
    something after its turn.
    """
    return _is_delayed_turn_left(game, encounter) or _left_to_do(game, slot) is not None


def _is_delayed_turn_left(game: Game, encounter: AnyEncounter) -> bool:
    """Return whether a delayed character can act, and has something left to act with."""
    for slot in encounter.order:
        if slot.delayed and _idle(game, slot) is None and not is_passed_over(game, slot):
            return True
    return False


def _left_to_do(game: Game, slot: Slot) -> Text | None:
    """Return what a character may do in the round after its turn; None for nothing."""
    turns = game.system.turns
    if turns is None or slot.character is None:
        return None
    return turns.lingers(game, game.character(slot.character))


def _spent_events(before: Game, game: Game, encounter: AnyEncounter) -> tuple[Event, ...]:
    """Return the event that tells a player what is left to do once the turn is spent.

    Only the owner reads it, and only if their own action spent the turn.
    """
    slot = slot_on_turn(encounter)
    left = None if slot is None else _left_to_do(game, slot)
    if slot is None or slot.character is None or left is None:
        return ()
    owner = game.character(slot.character).owner
    was = encounter_in(before.state, encounter.place)
    now_done = not turn_holders(game, encounter, slot)
    if owner is None or owner != game.actor.id or was is None or not now_done:
        return ()
    if slot.character in before.state.characters and _is_spent(before, slot):
        if not turn_holders(before, was, slot):
            return ()
    more = {"audience": Audience(people=(owner,)), "quiet": True, "lines": (left,)}
    name = slot_name(game.state, slot, game.actor)
    return (board_event(encounter, game.actor, "spent", name=name, **more),)


def next_after(encounter: AnyEncounter, done: Slot) -> AnyEncounter:
    """Return the order after a turn: the next turn, or on a timeline the character delayed.

    The order comes back unchanged if `done` isn't on turn any more.
    """
    now = slot_on_turn(encounter)
    if now is None or not same_slot(now, done):
        return encounter
    if encounter.timeline:
        return with_slot_changes(encounter, done, delayed=True, doing="")
    return settle_turn(encounter.replace(turn=encounter.turn + 1))


def _passed_over(game: Game, encounter: AnyEncounter, past: Past) -> tuple[Event, ...]:
    """Return the events about turns that have passed by themselves, a line each."""
    return (
        _passing(game, encounter, lines_by_audience(TickResult(game, past)), encounter.round)
        if past
        else ()
    )


def _same(was: Slot | None, now: Slot | None) -> bool:
    """Return whether two slots are the same, or both None."""
    return was is now if was is None or now is None else same_slot(was, now)


def _everybody(encounter: AnyEncounter) -> tuple[str, ...]:
    """Return the ids of the characters in an order of action, and of those who have left it."""
    slots = (*encounter.order, *encounter.left)
    return tuple(dict.fromkeys([slot.character for slot in slots if slot.character is not None]))


def tick_encounter_end(game: Game, encounter: AnyEncounter) -> tuple[Game, tuple[Event, ...]]:
    """Return the table and events after the effects that end with an order of action."""
    return _pass(game, encounter, "encounter-end", _everybody(encounter), encounter.round)


def _pass(
    game: Game, encounter: AnyEncounter, tick: TickKind, who: Iterable[str], at: int
) -> tuple[Game, tuple[Event, ...]]:
    done = apply_tick(game, tick, who, at=at, place=encounter.place)
    return done.game, (*_passing(game, encounter, lines_by_audience(done), at), *done.events)


def _passing(
    game: Game, encounter: AnyEncounter, told: Iterable[tuple[Audience, tuple[Text, ...]]], at: int
) -> tuple[Event, ...]:
    events: list[Event] = []
    for audience, lines in told:
        # The round or phase as this audience may know it.
        known = encounter.told if encounter.timeline and not audience.gms else at
        more = {"audience": audience, "round": known, "lines": lines}
        events += [board_event(encounter, game.actor, "passed", **more)] if lines else ()
    return tuple(events)


# --- a round that begins with a check -------------------------------------------------------------


def opens_rounds(game: Game) -> bool:
    """Return whether each round begins with a check in these rules."""
    return bool(kind_with_role(game.system, "round"))


def _open_round(game: Game, place: str) -> tuple[Game, tuple[Event, ...]]:
    """Begin the check with which a round opens, and carry it as far as it goes by itself.

    While the check is open nobody acts.
    """
    made = engine.begin(game, kind_with_role(game.system, "round"), place, {})
    events = events_for(game.state, made)
    game = made.game
    if not made.check.is_open and require_encounter(game.state, place).opening:
        state, more = begin_turns(game, place)
        return game.with_state(state), (*events, *more)
    return game, events


def begin_turns(
    game: Game, place: str, news: Iterable[Text] = ()
) -> tuple[TableState, tuple[Event, ...]]:
    """Begin the turns of a round: return the table on its first turn, and the call to it.

    The last stage of a `round` check does this, so that the turns begin whenever the check is over.
    Everybody reads the round's `news` in the call.
    """
    encounter = require_encounter(game.state, place)
    begun = settle_turn(
        encounter.replace(opening=False, turn=0, since=next_turn_start(encounter, game.at))
    )
    after, past = _skip_turns(game, begun, within=True)
    game = game.with_state(game.state.with_encounter(after))
    names = TableNames(game.state)
    told = tuple([text_for_audience(each, EVERYONE, names) for each in news])
    return game.state, (*_passed_over(game, after, past), *call_events(game, after, news=told))


def opening_check(game: Game, place: str) -> AnyCheck | None:
    """Return the check that the present round of a place began with, once it is over."""
    encounter = encounter_in(game.state, place)
    if encounter is None or not encounter.round or encounter.opening:
        return None
    for check in reversed(tuple(game.state.checks.values())):
        of_round = (check.place, check.round) == (place, encounter.round)
        if of_round and has_role(game, check.kind, "round"):
            return None if check.is_open else check
    return None


def with_round_news(found: Outcome) -> Outcome:
    """Return the outcome in which a call carries the public "passed" lines that precede it.

    The events of those lines become quiet: they get no message of their own.
    """
    events: list[Event] = list(found.events)
    for index, call in enumerate(found.events):
        if not (isinstance(call, BoardChanged) and call.step == "turn" and call.audience.everyone):
            continue
        told = [
            each
            for each in events[:index]
            if isinstance(each, BoardChanged)
            and (each.step, each.place, each.quiet) == ("passed", call.place, False)
            and each.audience.everyone
        ]
        lines = tuple([line for each in told for line in each.lines])
        if not lines or len(lines) > _NEWS_MAX:
            continue
        for place, event in enumerate(events):
            if any(event is other for other in told):
                events[place] = event.replace(quiet=True)
        events[index] = call.replace(news=(*lines, *call.news))
    return found.replace(events=tuple(events))


def with_scores(state: TableState, place: str, scores: Mapping[str, tuple[int, ...]]) -> TableState:
    """Return the table with the order of a place sorted by new scores, by character id.

    Characters without a new score keep the old one. No character is delayed any more.
    """
    encounter = require_encounter(state, place)
    found = [(entry, scores.get(entry.character or "", entry.score)) for entry in encounter.order]
    new = [each.replace(score=score, delayed=False, lapsed=False) for each, score in found]
    order = tuple(sorted(new, key=lambda slot: initiative_key(state, slot)))
    return state.with_encounter(encounter.replace(order=order, turn=0))


def initiative_for(
    game: Game, encounter: AnyEncounter, character: AnyCharacter
) -> Initiative | None:
    """Return a character's initiative; None where the GM orders the characters."""
    if (turns := game.system.turns) is None or (turns.house and not encounter.house):
        return None
    # The score of NPCs is hidden, so it may not hang on a seed that will be revealed.
    stream = game.rng.secret if character.owner is None else game.rng.public
    return turns.initiative(game, character, stream)


# --- leaving the game -----------------------------------------------------------------------------


def calls_after_departure(
    game: Game, state: TableState, action: Action
) -> tuple[TableState, tuple[Event, ...]]:
    """Return the table, and the calls to turns that began because a character left the game.

    `game` is the table before the departure, `state` the table after it.
    """
    calls: list[Event] = []
    for place in state.encounters:
        before, encounter = encounter_in(game.state, place), encounter_in(state, place)
        was, now = slot_on_turn(before), slot_on_turn(encounter)
        if before is None or encounter is None or was is None:
            continue
        kept = state.encounters[place]
        if encounter.round != before.round:
            later, events = apply_move(game.with_state(state), before, lambda now: now, anyhow=True)
            state = later.state.with_encounter(
                _with_gone(kept, require_encounter(later.state, place))
            )
            calls += events
        elif now is not None and not same_slot(was, now):
            begun = next_turn_start(before, action.at)
            state = state.with_encounter(kept.replace(since=begun, ended=False))
            begun_now = encounter.replace(since=begun, ended=False)
            calls += call_events(game.with_state(state), begun_now)
    return state, tuple(calls)


def _with_gone(kept: AnyEncounter, now: AnyEncounter) -> AnyEncounter:
    """Return the present order, in which characters out of play keep their places."""
    there = {(entry.character, entry.name): entry for entry in now.order}
    order = tuple([there.get((entry.character, entry.name), entry) for entry in kept.order])
    if not now.order or [entry for entry in order if (entry.character, entry.name) in there] != [
        *now.order
    ]:
        return now
    return now.replace(order=order, turn=order.index(now.order[now.turn]))
