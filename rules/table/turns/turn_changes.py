"""Changes of turn and round: effects that end or begin with them, and the calls that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from rules.table.blocks import Text, text_for_audience
from rules.table.check import AnyCheck
from rules.table.checks import engine
from rules.table.checks.audience_names import TableNames
from rules.table.checks.check_events import events_for
from rules.table.checks.procedure import has_role, kind_with_role
from rules.table.checks.round_checks import round_open_error
from rules.table.events import EVERYONE, GMS, Audience, BoardChanged, Event
from rules.table.initiative import (
    block_of,
    encounter_in,
    has_lapsed_round,
    initiative_key,
    last_known_phase,
    next_turn_start,
    require_encounter,
    same_slot,
    settle_turn,
    slot_name,
    slot_on_turn,
    with_slot_changes,
)
from rules.table.marks import apply_tick, lines_by_audience
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm
from rules.table.resources import TickKind
from rules.table.state import SYSTEM, AnyCharacter, AnyEncounter, Slot, TableState
from rules.table.system import Game, Initiative, TickResult
from rules.table.turns.spent_turns import (
    reasons_to_pass,
)
from rules.table.turns.turn_block import (
    is_member,
    is_turn_ending,
    keep_block,
    load_turn_end,
    share_slot,
    slots_to_act,
    without_turn_ends,
)
from rules.table.turns.turn_calls import board_event, call_events, opens_rounds
from rules.table.turns.turn_holders import held_lines, round_holders, turn_holders

#: Most lines of news in a call. More lines get a message of their own.
_NEWS_MAX: Final = 8
#: Characters whose turns have passed by themselves, each with the reason.
PassedTurns = tuple[tuple[str, Text], ...]
#: Function from an encounter to the next one; called again once effects have run out.
Move = Callable[[AnyEncounter], AnyEncounter]


def board_holders(game: Game, place: str) -> tuple[Text, ...]:
    """Return public lines about the checks that hold the end of a turn, or the start of a round.

    There are none while no check holds either.
    """
    encounter = encounter_in(game.state, place)
    if encounter is None:
        return ()
    held: list[AnyCheck] = []
    if encounter.opening:
        held = round_holders(game, encounter)
    for slot in block_of(game.state, encounter):
        if is_turn_ending(encounter, slot):
            held += move_holders(game, encounter, partial(next_after, done=slot), slot)
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

    *before* is the encounter up to now, and *done* the slot whose turn the move ends. Effects that
    end with the turn or the round run out. The turn waits for its character's own open checks, and
    the end of a round for all checks that wait for a decision. With *keep*, the wait is noted, and
    the turn ends when those checks do. With *overdue*, only the end of the round waits; with
    *anyhow*, nothing does.

    Raises Impossible("round-open") if a check holds the move, without *keep*.
    """
    held: list[AnyCheck] = []
    if before.round and not anyhow:
        held = move_holders(game, before, by, done)
        if overdue and not ends_round(game, before, by, done):
            held = []
    if held and keep:
        return _hold_turn(game, before, held)
    if held:
        raise round_open_error(game, held)
    return _carry_out_move(game, before, by, done)


def _hold_turn(
    game: Game, before: AnyEncounter, held: Sequence[AnyCheck]
) -> tuple[Game, tuple[Event, ...]]:
    """Return the table in which a turn ends once the checks that hold it are over."""
    ended = require_encounter(game.state, before.place).replace(ended=True)
    left = slots_to_act(game.state, ended)
    stopped = has_lapsed_round(game.state, ended) if left else bool(ended.lapses)
    if game.actor.id != SYSTEM and stopped:
        # The clock had stopped, so the turn's time begins anew.
        ended = ended.replace(since=next_turn_start(ended, game.at))
    if game.actor.id != SYSTEM:
        ended = ended.replace(lapses=0)
    game = game.with_state(game.state.with_encounter(ended))
    events: tuple[Event, ...] = _held_events(game, before, held)
    if left and ended.since != before.since:
        events = (*events, *call_events(game, ended))
    return game, events


def _carry_out_move(
    game: Game, before: AnyEncounter, by: Move, done: Slot | None
) -> tuple[Game, tuple[Event, ...]]:
    """Return the table after a move that no check holds, and its events."""
    place, was = before.place, slot_on_turn(before)
    seen = game
    past: PassedTurns = ()

    def move(now: AnyEncounter) -> AnyEncounter:
        nonlocal past
        after = keep_block(seen.state, before, by(now))
        # Turns of the next round are skipped once that round has begun, not here.
        if after.round != before.round:
            past = ()
        else:
            after, past = _skip_turns(seen, after, was=was)
        return after

    after = move(require_encounter(game.state, place))
    events: tuple[Event, ...] = ()
    if done is not None and done.character is not None:
        game, events = _tick(game, before, "turn", (done.character,), before.round)
        after = move(require_encounter(game.state, place))
    if before.round and after.round != before.round:
        game, more = _tick(game, before, "round-end", _character_ids(before), after.round - 1)
        after, events = move(require_encounter(game.state, place)), (*events, *more)
    events = (*events, *_passed_turn_events(game, before, past))

    begins = after.round != before.round
    opening = begins and not after.timeline and opens_rounds(game)
    after = after.replace(opening=opening or after.opening)
    if after.timeline:
        phases = (last_known_phase(game.state, before), last_known_phase(game.state, after))
        after = after.replace(told=max(phases))
    block = block_of(game.state, before)
    after = _with_turn_begun(game, before, after)
    same_turn = not begins and after.since == before.since
    game = game.with_state(game.state.with_encounter(after))

    if begins:
        game, more = _tick(game, after, "round-start", _character_ids(after), after.round)
        events = (*events, *more)
    if opening:
        game, more = _open_round(game, place)
        return game, (*events, *more)
    if same_turn:
        return game, (*events, *_calls_to_newcomers(game, place, block))
    return game, (*events, *call_events(game, require_encounter(game.state, place)))


def _with_turn_begun(game: Game, before: AnyEncounter, after: AnyEncounter) -> AnyEncounter:
    """Return the encounter after a move, with the start of its turn and what is to end.

    The turn goes on as long as the block has a slot in common with the one before. If the clock
    had stopped, the time of those who are left begins anew.
    """
    goes_on = after.round == before.round
    goes_on = goes_on and share_slot(block_of(game.state, before), block_of(game.state, after))
    same_slot = is_same_slot(slot_on_turn(before), slot_on_turn(after))
    by_clock = game.actor.id == SYSTEM
    stopped = has_lapsed_round(game.state, before) and not by_clock and not same_slot
    if not goes_on or stopped:
        after = after.replace(since=next_turn_start(before, game.at))
    if not goes_on:
        after = without_turn_ends(after)
    elif not same_slot:
        after = load_turn_end(after)
    return after if by_clock else after.replace(lapses=0)


def _calls_to_newcomers(game: Game, place: str, block: Sequence[Slot]) -> tuple[Event, ...]:
    """Return the call to characters who have joined a block that had been called before.

    An owner whose own action it was needs no call.
    """
    encounter = require_encounter(game.state, place)
    new: list[Slot] = []
    for slot in block_of(game.state, encounter):
        character = None if slot.character is None else game.character(slot.character)
        if character is None or is_member(slot, block) or character.owner == game.actor.id:
            continue
        new.append(slot)
    return call_events(game, encounter, called=new) if new else ()


def move_holders(game: Game, before: AnyEncounter, by: Move, done: Slot | None) -> list[AnyCheck]:
    """Return the open checks that hold a move: those of the turn, or of a round that would end."""
    if ends_round(game, before, by, done):
        return round_holders(game, before)
    return turn_holders(game, before, done)


def ends_round(game: Game, before: AnyEncounter, by: Move, done: Slot | None) -> bool:
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
    actor_only = Audience(people=(actor.id,))
    gm = is_gm(game.state, actor)
    event = board_event(
        encounter,
        actor,
        "held",
        audience=actor_only,
        name=slot_name(game.state, slot, actor) or None,
        player=not gm,
        lines=held_lines(game, held, GMS if gm else actor_only),
    )
    return (event,)


def _skip_turns(
    game: Game, encounter: AnyEncounter, *, within: bool = False, was: Slot | None = None
) -> tuple[AnyEncounter, PassedTurns]:
    """Return the encounter after turns that pass by themselves, and those turns.

    The encounter goes at most to the next round. With *within*, an encounter that would leave the
    round comes back unchanged. *was* is the slot on turn so far.
    """
    after = encounter
    past: list[tuple[str, Text]] = []
    while after.round == encounter.round:
        slot = slot_on_turn(after)
        why = None if slot is None else reasons_to_pass(game, slot, was)
        if slot is None or slot.character is None or why is None:
            return after, tuple(past)
        past += [(slot.character, reason) for reason in why]
        after = keep_block(game.state, after, settle_turn(after.replace(turn=after.turn + 1)))
    return (encounter, ()) if within else (after, tuple(past))


def next_after(encounter: AnyEncounter, done: Slot) -> AnyEncounter:
    """Return the encounter after a turn: the next turn, or on a timeline the character delayed.

    The encounter comes back unchanged if *done* isn't on turn any more.
    """
    now = slot_on_turn(encounter)
    if now is None or not same_slot(now, done):
        return encounter
    if encounter.timeline:
        return with_slot_changes(encounter, done, delayed=True, doing="")
    return settle_turn(encounter.replace(turn=encounter.turn + 1))


def _passed_turn_events(
    game: Game, encounter: AnyEncounter, past: PassedTurns
) -> tuple[Event, ...]:
    """Return the events about turns that have passed by themselves, a line each."""
    if not past:
        return ()
    lines = lines_by_audience(TickResult(game, past))
    return _passed_events(game, encounter, lines, encounter.round)


def is_same_slot(was: Slot | None, now: Slot | None) -> bool:
    """Return whether two slots are the same, or both None."""
    if was is None or now is None:
        return was is now
    return same_slot(was, now)


def _character_ids(encounter: AnyEncounter) -> tuple[str, ...]:
    """Return the ids of the characters in an encounter, and of those who have left it."""
    slots = (*encounter.order, *encounter.left)
    return tuple(dict.fromkeys([slot.character for slot in slots if slot.character is not None]))


def tick_encounter_end(game: Game, encounter: AnyEncounter) -> tuple[Game, tuple[Event, ...]]:
    """Return the table and events after the effects that end with an encounter."""
    return _tick(game, encounter, "encounter-end", _character_ids(encounter), encounter.round)


def _tick(
    game: Game, encounter: AnyEncounter, tick: TickKind, who: Iterable[str], at: int
) -> tuple[Game, tuple[Event, ...]]:
    """Return the table and events after a tick for characters of an encounter."""
    result = apply_tick(game, tick, who, at=at, place=encounter.place)
    events = _passed_events(game, encounter, lines_by_audience(result), at)
    return result.game, (*events, *result.events)


def _passed_events(
    game: Game,
    encounter: AnyEncounter,
    lines_for: Iterable[tuple[Audience, tuple[Text, ...]]],
    at: int,
) -> tuple[Event, ...]:
    """Return an event for each audience that has lines to read about what has passed."""
    events: list[Event] = []
    for audience, lines in lines_for:
        if lines:
            # The round or phase as this audience may know it.
            known = encounter.told if encounter.timeline and not audience.gms else at
            fields = {"audience": audience, "round": known, "lines": lines}
            events.append(board_event(encounter, game.actor, "passed", **fields))
    return tuple(events)


# --- a round that begins with a check -------------------------------------------------------------


def _open_round(game: Game, place: str) -> tuple[Game, tuple[Event, ...]]:
    """Begin the check with which a round opens, and carry it as far as it goes by itself.

    While the check is open, no character acts.
    """
    advance = engine.begin(game, kind_with_role(game.system, "round"), place, {})
    events = events_for(game.state, advance)
    game = advance.game
    if not advance.check.is_open and require_encounter(game.state, place).opening:
        state, more = begin_turns(game, place)
        return game.with_state(state), (*events, *more)
    return game, events


def begin_turns(
    game: Game, place: str, news: Iterable[Text] = ()
) -> tuple[TableState, tuple[Event, ...]]:
    """Begin the turns of a round: return the table on its first turn, and the call to it.

    The last stage of a `round` check does this, so that the turns begin whenever the check is over.
    All participants read the round's *news* in the call.
    """
    encounter = require_encounter(game.state, place)
    begun = settle_turn(
        encounter.replace(opening=False, turn=0, since=next_turn_start(encounter, game.at))
    )
    after, past = _skip_turns(game, begun, within=True)
    game = game.with_state(game.state.with_encounter(after))
    names = TableNames(game.state)
    lines = tuple([text_for_audience(line, EVERYONE, names) for line in news])
    passed = _passed_turn_events(game, after, past)
    return game.state, (*passed, *call_events(game, after, news=lines))


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


def with_round_news(outcome: Outcome) -> Outcome:
    """Return the outcome in which a call carries the public "passed" lines that precede it.

    The events of those lines become quiet: they get no message of their own.
    """
    events: list[Event] = list(outcome.events)
    for index, call in enumerate(outcome.events):
        if not (isinstance(call, BoardChanged) and call.step == "turn" and call.audience.everyone):
            continue
        lines: list[Text] = []
        passed: list[int] = []
        for earlier, event in enumerate(events[:index]):
            if isinstance(event, BoardChanged) and _is_public_news(event, call.place):
                lines += event.lines
                passed.append(earlier)
        if not lines or len(lines) > _NEWS_MAX:
            continue
        for earlier in passed:
            events[earlier] = events[earlier].replace(quiet=True)
        events[index] = call.replace(news=(*lines, *call.news))
    return outcome.replace(events=tuple(events))


def _is_public_news(event: BoardChanged, place: str) -> bool:
    """Return whether an event has public "passed" lines of a place, with a message of their own."""
    if event.step != "passed" or event.place != place or event.quiet:
        return False
    return event.audience.everyone


def with_scores(state: TableState, place: str, scores: Mapping[str, tuple[int, ...]]) -> TableState:
    """Return the table with the initiative of a place sorted by new scores, by character id.

    Characters without a new score keep the old one. No character is delayed any more.
    """
    encounter = require_encounter(state, place)
    slots: list[Slot] = []
    for slot in encounter.order:
        score = scores.get(slot.character or "", slot.score)
        slots.append(slot.replace(score=score, delayed=False, lapsed=False))
    slots.sort(key=lambda slot: initiative_key(state, slot))
    return state.with_encounter(encounter.replace(order=tuple(slots), turn=0, seats=()))


def initiative_for(
    game: Game, encounter: AnyEncounter, character: AnyCharacter
) -> Initiative | None:
    """Return a character's initiative; None where the GM orders the characters."""
    turns = game.system.turns
    if turns is None or (turns.house and not encounter.house):
        return None
    # The score of NPCs is hidden, so it may not depend on a seed that will be revealed.
    stream = game.rng.secret if character.owner is None else game.rng.public
    return turns.initiative(game, character, stream)
