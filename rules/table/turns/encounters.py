"""Encounters of a place: begin and end them, and who joins and leaves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated
from rules.core.name_matching import clean_name, find_one, lookalike_key, name_key, similar_names
from rules.core.record import Record
from rules.table import actions
from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.checks import engine
from rules.table.checks.check_actions import step_checks
from rules.table.events import EVERYONE, Audience, BoardChanged, BoardStep, Event
from rules.table.forms import FormContext, Option
from rules.table.gm_tools import player_characters
from rules.table.initiative import (
    current_phase_for,
    encounter_in,
    initiative_key,
    is_hidden,
    is_players,
    known_round,
    may_act_as,
    require_encounter,
    same_slot,
    settle_turn,
    slot_name,
    slot_on_turn,
    turn_number,
    with_slot,
    with_slot_changes,
    without_slots,
)
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, known_name, require_gm
from rules.table.state import AnyCharacter, AnyEncounter, Encounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.turn_changes import (
    ROUND_KIND,
    Move,
    apply_move,
    board_event,
    initiative_for,
    next_after,
    tick_encounter_end,
)
from rules.table.typed_texts import one_line

#: Most slots in an order of action.
SLOTS_MAX = 50
#: Longest name of something that is no character, in characters.
NAME_MAX = 80
#: Lowest and highest score that a GM may set.
SCORE_RANGE = (-99, 999)


# --- what the board shows -------------------------------------------------------------------------


class BoardLine(Record):
    """A slot of an encounter, as the reader of the board knows it."""

    name: str
    #: Id of the character.
    who: str | None = None
    score: int | None = None
    #: Whether the slot is on turn.
    acts: bool = False
    #: Whether its turn is delayed.
    waits: bool = False
    #: Phase in which the character ends what it is doing, on a timeline.
    ends: int | None = None
    #: Name of what the character is doing, on a timeline.
    doing: str = ""
    #: Whether its turn of the round is over.
    done: bool = False


class Board(Record):
    """Initiative in a place, as the reader of the board knows it."""

    place: str
    #: Round, or phase on a timeline; 0 before the first round.
    round: int
    #: Number of the turn; 0 if the reader knows of no character on turn.
    turn: int
    #: Whether the house rule on initiative applies.
    house: bool
    lines: tuple[BoardLine, ...]
    timeline: bool = False
    #: Whether the check that the round begins with is open. Until it is over, no character acts.
    opening: bool = False


def board_view(state: TableState, place: str, viewer: Actor | None = None) -> Board | None:
    """Return initiative in a place as all players see it, or as *viewer* does.

    None without an encounter. Players see no character that they do not know. Scores are shown for
    players' characters only: an NPC's score would reveal its abilities.
    """
    encounter = encounter_in(state, place)
    if encounter is None:
        return None
    gm = viewer is not None and is_gm(state, viewer)
    on_turn = slot_on_turn(encounter)
    in_rounds = on_turn is not None and not encounter.timeline
    lines: list[BoardLine] = []
    for index, slot in enumerate(encounter.order):
        name = slot_name(state, slot, viewer)
        if not name:
            continue
        may_see_score = gm or is_players(state, slot)
        line = BoardLine(
            name,
            who=slot.character,
            score=shown_score(slot) if may_see_score else None,
            acts=slot is on_turn,
            waits=slot.delayed,
            ends=slot.ends,
            doing=slot.doing,
            done=in_rounds and index < encounter.turn and not slot.delayed,
        )
        lines.append(line)
    knows_turn = any(line.acts for line in lines)
    return Board(
        place,
        encounter.round if gm else known_round(state, encounter),
        turn_number(encounter) if knows_turn else 0,
        encounter.house,
        tuple(lines),
        encounter.timeline,
        encounter.opening,
    )


def shown_score(slot: Slot) -> int | None:
    """Return a score as it is shown, without the part that decides ties."""
    return slot.score[0] if slot.score else None


def may_handle(state: TableState, actor: Actor, slot: Slot) -> bool:
    """Return whether the actor may act or wait for a slot.

    GMs may for every slot, players for their own characters, and stand-ins for those of an absent
    owner.
    """
    if is_gm(state, actor):
        return True
    return slot.character is not None and may_act_as(state, actor, state.characters[slot.character])


def slot_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the slots that a participant may handle, by the names that the participant knows."""
    state, actor = asking.game.state, asking.game.actor
    names: list[str] = []
    for place in state.encounters:
        encounter = encounter_in(state, place)
        slots = () if encounter is None else encounter.order
        names += [slot_name(state, slot, actor) for slot in slots if may_handle(state, actor, slot)]
    return tuple(Option(name, Text("named", {"name": name})) for name in names if name)


# --- finding --------------------------------------------------------------------------------------


def find_slot(
    state: TableState, actor: Actor, text: str, slots: Sequence[Slot], field: str
) -> Slot:
    """Return a slot by a name that the actor knows, its beginning, or a character's id.

    Raises InvalidInput("ambiguous-in-order"), NotFound("not-in-order").
    """
    return find_one(
        slots,
        text,
        lambda slot: slot_name(state, slot, actor),
        lambda slot: slot.character,
        field=field,
        unknown="not-in-order",
        ambiguous="ambiguous-in-order",
    )


def shown_slot_on_turn(
    state: TableState, encounter: AnyEncounter, actor: Actor, round: int | None, turn: int | None
) -> Slot | None:
    """Return the slot on turn; on a timeline players know only of characters they know.

    Raises Outdated("turn-moved-on") if another turn was shown.
    """
    slot = slot_on_turn(encounter)
    gm = is_gm(state, actor)
    hidden = slot is not None and is_hidden(state, slot) and not gm
    known = known_round(state, encounter)
    rounds = (None, known, encounter.round if gm else known)
    if round not in rounds or turn not in (None, 0 if hidden else turn_number(encounter)):
        name = None if slot is None else slot_name(state, slot) or None
        raise Outdated("turn-moved-on", name=name, round=known, timeline=encounter.timeline)
    return None if hidden and encounter.timeline else slot


def own_slot_on_turn(state: TableState, actor: Actor, place: str, round: int, turn: int) -> Slot:
    """Return the slot on turn, shown with these numbers: the actor's own, or an NPC or thing of GMs.

    Raises Impossible("no-encounter", "round-not-begun", "round-opening", "nobody-does-anything"),
    Outdated("turn-moved-on"), NotPermitted("not-your-turn").
    """
    encounter = require_encounter(state, place)
    slot = shown_slot_on_turn(state, encounter, actor, round, turn)
    if slot is None:
        raise nobody_acts_error(encounter)
    require_turn(state, actor, slot)
    if slot.character is not None and not may_act_as(
        state, actor, state.characters[slot.character]
    ):
        raise NotPermitted("not-your-turn", name=slot_name(state, slot))
    return slot


def nobody_acts_error(encounter: AnyEncounter) -> Impossible:
    """Return the error for a time when no slot is on turn.

    It is Impossible("round-not-begun", "round-opening", "nobody-does-anything").
    """
    if encounter.opening:
        return Impossible("round-opening")
    return Impossible("nobody-does-anything" if encounter.round else "round-not-begun")


def require_turn(state: TableState, actor: Actor, slot: Slot) -> None:
    """Require that the actor may act in a slot. Raises NotPermitted("not-your-turn")."""
    if not may_handle(state, actor, slot):
        raise NotPermitted("not-your-turn", name=slot_name(state, slot) or None)


# --- what is told ---------------------------------------------------------------------------------


def actor_board_event(
    game: Game, step: BoardStep, encounter: AnyEncounter, name: str = "", **more: Any
) -> BoardChanged:
    """Return the event for the acting participant; all others see the board.

    *more* are further fields, or another audience.
    """
    fields = {"audience": Audience(people=(game.actor.id,)), **more}
    return board_event(encounter, game.actor, step, name=name or None, **fields)


def move_outcome(
    game: Game,
    encounter: AnyEncounter,
    move: Move,
    *events: Event,
    done: Slot | None = None,
    keep: bool = False,
    overdue: bool = False,
) -> Outcome:
    """Return the outcome of a move after *events*, with the call to the turn that begins.

    See `apply_move` for the options and errors.
    """
    game, more = apply_move(game, encounter, move, done=done, keep=keep, overdue=overdue)
    return Outcome(game.state, (*events, *more))


def announced_outcome(
    game: Game, encounter: AnyEncounter, move: Move, step: BoardStep, name: str = "", **more: Any
) -> Outcome:
    """Return the outcome of a move, with an event for the acting participant."""
    event = actor_board_event(game, step, move(encounter), name, **more)
    return move_outcome(game, encounter, move, event)


# --- coming and going -----------------------------------------------------------------------------


def start(state: TableState, action: actions.StartEncounter, game: Game) -> Outcome:
    """Begin an encounter in a place, for a GM (EBB-ROUND, BAR-PHASE).

    Raises Impossible("encounter-here").
    """
    if action.place in state.encounters:
        raise Impossible("encounter-here")
    turns = game.system.turns
    house = turns is not None and bool(turns.house) and bool(game.setting(turns.house))
    timeline = turns is not None and turns.timeline
    encounter: AnyEncounter = Encounter(action.place, house=house, timeline=timeline)
    event = actor_board_event(game, "started", encounter)
    return Outcome(state.with_encounter(encounter), (event,))


def _new_slot(
    encounter: AnyEncounter, character: AnyCharacter, score: int | None, game: Game
) -> tuple[Slot, tuple[Text, ...]]:
    """Return a newcomer's slot and the line on its roll; the score is given, rolled or absent."""
    slot = Slot("", character.id)
    if score is not None:
        return slot.replace(score=(score,)), ()
    if encounter.opening:
        # All roll when the round begins.
        return slot, ()
    before = next((left for left in encounter.left if left.character == character.id), None)
    if before is not None and before.score is not None:
        return before, (Text("initiative-as-before", {"score": shown_score(before)}),)
    if ROUND_KIND in game.system.procedures:
        # Every round rolls anew, and those of a group of NPCs roll together.
        kin = _slot_of_same_group(game, encounter, character)
        if kin is not None:
            return slot.replace(score=kin.score), ()
        if not encounter.round:
            return slot, ()
    initiative = initiative_for(game, encounter, character)
    if initiative is None:
        return slot, ()
    return slot.replace(score=initiative.score), (initiative.line,)


def _slot_of_same_group(
    game: Game, encounter: AnyEncounter, character: AnyCharacter
) -> Slot | None:
    """Return the first slot of the group of an NPC; None without a group, or if there is none."""
    if character.owner is not None or not character.group:
        return None
    for slot in encounter.order:
        if slot.character and game.character(slot.character).group == character.group:
            return slot
    return None


def _with_newcomer(game: Game, encounter: AnyEncounter, slot: Slot) -> AnyEncounter:
    """Put a newcomer into the order by score; without a score, at the end.

    Where sides act in turn, a newcomer to the side on turn still acts with that side. On a timeline
    a newcomer can act now.
    """
    if len(encounter.order) >= SLOTS_MAX:
        raise Impossible("encounter-full", most=SLOTS_MAX)
    if encounter.timeline:
        slot = slot.replace(ends=current_phase_for(game.state, encounter, slot))
    turns = game.system.turns
    block = turns.block if turns is not None else None

    def side(other: Slot) -> int | None:
        return None if block is None else block(game, encounter, other)

    def rank(other: Slot) -> tuple[int, tuple[bool, tuple[int, ...], str]]:
        return side(other) or 0, initiative_key(game.state, other)

    own_rank, on_turn = rank(slot), slot_on_turn(encounter)
    first = 0
    if on_turn is not None and side(on_turn) is not None and side(on_turn) == side(slot):
        first = encounter.turn + 1
    for index, other in enumerate(encounter.order):
        if index >= first and own_rank < rank(other):
            return with_slot(encounter, slot, index)
    return with_slot(encounter, slot, len(encounter.order))


def _has_passed(encounter: AnyEncounter, slot: Slot) -> bool:
    """Return whether a newcomer's turn of this round would have come before the present one."""
    if encounter.timeline or encounter.opening or not encounter.round:
        return False
    at = next(at for at, other in enumerate(encounter.order) if same_slot(other, slot))
    return at < encounter.turn


def join(state: TableState, action: actions.JoinEncounter, game: Game) -> Outcome:
    """Add a character of the acting player to initiative (EBB-ROUND).

    Raises Impossible("no-encounter", "already-in-order", "in-other-order", "encounter-full"), and
    as `acting_character`.
    """
    encounter = require_encounter(state, action.place)
    character = acting_character(state, action.who, action.as_)
    if any(slot.character == character.id for slot in encounter.order):
        raise Impossible("already-in-order", name=character.name)
    _require_nowhere_else(state, action, (character,))
    after, lines = _with_newcomers(game, encounter, (character,), None)
    return announced_outcome(
        game, encounter, lambda _: after, "joined", character.name, lines=lines
    )


def _other_place(state: TableState, place: str, who: str) -> str | None:
    """Return another place than *place* where a character is in initiative."""
    for other in state.encounters:
        encounter = encounter_in(state, other) if other != place else None
        if encounter is not None and any(slot.character == who for slot in encounter.order):
            return other
    return None


def _require_nowhere_else(
    state: TableState, action: actions.Action, new: Sequence[AnyCharacter]
) -> None:
    """Raise Impossible("in-other-order") if a character is in initiative in another place."""
    for character in new:
        other = _other_place(state, action.place, character.id)
        if other is not None:
            name = known_name(state, action.who, character)
            raise Impossible("in-other-order", name=name, elsewhere=other)


def _with_newcomers(
    game: Game, encounter: AnyEncounter, new: Sequence[AnyCharacter], score: int | None
) -> tuple[AnyEncounter, tuple[Text, ...]]:
    """Return the encounter with these characters in it, and the lines on their rolls."""
    lines: list[Text] = []
    late: list[str] = []
    for character in new:
        slot, roll_lines = _new_slot(encounter, character, score, game)
        encounter = _with_newcomer(game, encounter, slot)
        if len(new) > 1:
            params = {"name": character.name, "score": shown_score(slot)}
            roll_lines = (Text("initiative-of", params),)
        lines += roll_lines
        if _has_passed(encounter, slot):
            late.append(character.name)
    if late:
        params = {
            "names": tuple(late),
            "several": len(late) > 1,
            "round": encounter.round,
            "next": encounter.round + 1,
        }
        lines.append(Text("initiative-passed", params))
    return encounter, tuple(lines)


def _named_characters(pool: Sequence[AnyCharacter], name: str) -> tuple[AnyCharacter, ...]:
    """Return the character or the group with exactly this name, alias or id."""
    wanted = name_key(name)
    named: list[AnyCharacter] = []
    grouped: list[AnyCharacter] = []
    aliased: list[AnyCharacter] = []
    for character in pool:
        if wanted in (character.id, name_key(character.name)):
            named.append(character)
        if character.group and name_key(character.group) == wanted:
            grouped.append(character)
        if character.alias and name_key(character.alias) == wanted:
            aliased.append(character)
    return tuple(named or grouped or aliased)


def _group_with_alias(pool: Sequence[AnyCharacter], alias: str) -> str:
    """Return the group whose members have an alias of this name and a number; empty if none."""
    wanted = name_key(alias)
    for character in pool:
        stem, _, number = name_key(character.alias).rpartition(" ")
        if character.in_play and character.group and stem == wanted and number.isdecimal():
            return character.group
    return ""


def _characters_to_add(state: TableState, name: str) -> tuple[AnyCharacter, ...]:
    """Return the characters that a name means; none if it names something else.

    The name of a character out of play is refused, as it would become public. So is the shared
    alias of a group.

    Raises Impossible("not-in-play", "not-approved-yet", "group-meant").
    """
    everybody = tuple(state.characters.values())
    named = _named_characters([character for character in everybody if character.in_play], name)
    if named:
        return named
    group = _group_with_alias(everybody, name)
    if group:
        raise Impossible("group-meant", group=group, alias=name)
    for character in _named_characters(everybody, name):
        code = "not-in-play" if character.retired else "not-approved-yet"
        raise Impossible(code, name=character.name)
    return ()


def _similar_names(state: TableState, name: str) -> tuple[str, ...]:
    """Return the names of characters and groups in play that a GM may have meant."""
    names: list[str] = []
    for character in state.characters.values():
        if character.in_play:
            names += [character.name, character.group]
    return similar_names(name, [other for other in names if other])


def _add_party(game: Game, encounter: AnyEncounter) -> Outcome:
    """Add all players' characters who aren't in initiative yet, here or in another place.

    Raises Impossible("party-in-order", "nobody-to-add").
    """
    party = player_characters(game.state)
    here = {slot.character for slot in encounter.order}
    new: list[AnyCharacter] = []
    for character in party:
        elsewhere = _other_place(game.state, encounter.place, character.id)
        if character.id not in here and elsewhere is None:
            new.append(character)
    if not new:
        raise Impossible("party-in-order" if party else "nobody-to-add")
    after, lines = _with_newcomers(game, encounter, new, None)
    name = new[0].name if len(new) == 1 else ""
    step: BoardStep = "added" if name else "party"
    return announced_outcome(game, encounter, lambda _: after, step, name, lines=lines)


def add(state: TableState, action: actions.AddToEncounter, game: Game) -> Outcome:
    """Add a character, all members of a group, or anything else by name, for a GM.

    With `party`, all players' characters are added. Raises InvalidInput for an unusable name or
    score, and as `join`, `_characters_to_add` and `_add_party`.
    """
    encounter = require_encounter(state, action.place)
    if action.party:
        return _add_party(game, encounter)
    name = clean_name(one_line("name", action.name, NAME_MAX))
    if not name:
        raise InvalidInput("empty", field="name", value="", wanted="actor")
    low, high = SCORE_RANGE
    if action.score is not None and not low <= action.score <= high:
        raise InvalidInput(
            "out-of-range", field="score", value=action.score, lowest=low, highest=high
        )
    named = _characters_to_add(state, name)
    if not named:
        return _add_free_name(game, encounter, action, name)
    title = named[0].name if len(named) == 1 else name
    here = {slot.character for slot in encounter.order}
    new = [character for character in named if character.id not in here]
    if not new:
        raise Impossible("already-in-order", name=title)
    _require_nowhere_else(state, action, new)
    after, lines = _with_newcomers(game, encounter, new, action.score)
    return announced_outcome(game, encounter, lambda _: after, "added", title, lines=lines)


def _add_free_name(
    game: Game, encounter: AnyEncounter, action: actions.AddToEncounter, name: str
) -> Outcome:
    """Add something that is no character. Raises Impossible("already-in-order")."""
    wanted = lookalike_key(name)
    for slot in encounter.order:
        if lookalike_key(slot_name(game.state, slot, action.who)) == wanted:
            raise Impossible("already-in-order", name=name)
    score = None if action.score is None else (action.score,)
    after = _with_newcomer(game, encounter, Slot(name, None, score))
    lines = (Text("initiative-free-name", {"nearest": _similar_names(game.state, name)}),)
    return announced_outcome(game, encounter, lambda _: after, "added", name, lines=lines)


def remove(state: TableState, action: actions.RemoveFromEncounter, game: Game) -> Outcome:
    """Remove a character from initiative: the player's own, or for a GM any.

    Raises NotFound("not-in-order"), InvalidInput("ambiguous-in-order"), NotPermitted("owner-only").
    """
    encounter = require_encounter(state, action.place)
    slot = find_slot(state, action.who, action.name, encounter.order, "name")
    name = slot_name(state, slot, action.who)
    if not may_handle(state, action.who, slot):
        owner = None if slot.character is None else state.characters[slot.character].owner
        raise NotPermitted("owner-only", character=name, owner=owner)

    def move(now: AnyEncounter) -> AnyEncounter:
        removed = [index for index, other in enumerate(now.order) if same_slot(other, slot)]
        if slot.character is None or not removed:
            return without_slots(now, removed)
        left = [other for other in now.left if other.character != slot.character]
        kept = now.order[removed[0]].replace(delayed=False, doing="")
        return without_slots(now, removed).replace(left=(*left, kept)[-SLOTS_MAX:])

    return announced_outcome(game, encounter, move, "removed", name)


def end(state: TableState, action: actions.EndEncounter, game: Game) -> Outcome:
    """End an encounter, for a GM.

    Open checks of its rounds go on without a round. A check that a round began with, which belongs
    to no character, ends.
    """
    encounter = require_encounter(state, action.place)
    openings: list[str] = []
    for check in state.open_checks:
        if check.place == action.place and check.round is not None:
            state = state.with_check(check.replace(round=None))
            if not check.actor:
                openings.append(check.id)
    game, over = step_checks(game.with_state(state), openings, engine.end)
    game, events = tick_encounter_end(game, encounter)
    encounters = dict(game.state.encounters)
    encounters.pop(action.place, None)
    return Outcome(
        game.state.replace(encounters=encounters),
        (*over, actor_board_event(game, "ended", encounter), *events),
    )


# --- turns ----------------------------------------------------------------------------------------


def order(state: TableState, action: actions.OrderEncounter, game: Game) -> Outcome:
    """Set the order for a GM; the turn stays with its slot (EBB-ROUND).

    Raises NotFound("not-in-order"), InvalidInput("ambiguous-in-order", "named-twice", "empty").
    """
    encounter = require_encounter(state, action.place)
    if not action.order:
        raise InvalidInput("empty", field="names", value="", wanted="order")
    named: list[Slot] = []
    for text in action.order:
        slot = find_slot(state, action.who, text, encounter.order, "names")
        if slot in named:
            name = slot_name(state, slot, action.who)
            raise InvalidInput("named-twice", field="names", value=name)
        named.append(slot)
    after = (*named, *(slot for slot in encounter.order if slot not in named))
    on_turn = slot_on_turn(encounter)
    turn = 0 if on_turn is None else after.index(on_turn)
    changed = encounter.replace(order=after, turn=turn)
    if changed.timeline:
        # The GM's order decides between characters who are done in the same phase.
        changed = settle_turn(changed)
    return announced_outcome(game, encounter, lambda _: changed, "ordered")


def next_turn(state: TableState, action: actions.NextTurn, game: Game) -> Outcome:
    """Move on to the next turn or round, for the acting player or a GM (EBB-ROUND).

    A GM begins the first round by it. Raises Outdated("turn-moved-on"),
    NotPermitted("not-your-turn"), Impossible("nobody-in-order", "nobody-does-anything").
    """
    encounter = require_encounter(state, action.place)
    slot = shown_slot_on_turn(state, encounter, action.who, action.round, action.turn)
    if encounter.opening:
        engine.require_round_over(game, action.place, encounter.round)
    if slot is None:
        require_gm(state, action.who)
    else:
        require_turn(state, action.who, slot)
    if not encounter.order:
        raise Impossible("nobody-in-order")
    if slot is None:
        if encounter.timeline and encounter.round:
            raise Impossible("nobody-does-anything")
        return move_outcome(game, encounter, _begun)
    return end_turn(game, encounter, slot)


def end_turn(game: Game, encounter: AnyEncounter, slot: Slot, *, overdue: bool = False) -> Outcome:
    """End a turn, or note that it ends once the open checks that hold it are over.

    With *overdue*, the turn waits only for checks that hold the end of the round.
    """
    name, move = slot_name(game.state, slot), partial(next_after, done=slot)
    outcome = move_outcome(game, encounter, move, done=slot, keep=True, overdue=overdue)
    if outcome.state.encounters[encounter.place].ended:
        return outcome
    events: list[Event] = []
    if encounter.timeline:
        events += _quiet_delay_events(game, move(encounter), slot)
    for event in outcome.events:
        # Events of the board say whose turn has ended.
        events.append(event.replace(done=name) if isinstance(event, BoardChanged) else event)
    return outcome.replace(events=tuple(events))


def _quiet_delay_events(game: Game, after: AnyEncounter, slot: Slot) -> tuple[Event, ...]:
    """Return the event of a turn's end on a timeline if no next turn is called in public.

    All participants may know that nothing happens for now. If they don't know the character, only
    the acting participant is told.
    """
    state, on_turn = game.state, slot_on_turn(after)
    if on_turn is not None and not is_hidden(state, on_turn):
        return ()
    name = slot_name(state, slot)
    if not name:
        return (actor_board_event(game, "delayed", after, slot_name(state, slot, game.actor)),)
    characters = () if slot.character is None else (slot.character,)
    public = {"audience": EVERYONE, "characters": characters}
    return (actor_board_event(game, "delayed", after, name, **public),)


def _begun(encounter: AnyEncounter) -> AnyEncounter:
    """Begin the first round, or the turns of a round that has been opening."""
    if encounter.opening:
        return settle_turn(encounter.replace(opening=False))
    if encounter.round:
        return encounter
    return settle_turn(encounter.replace(round=1, turn=0))


def delay(state: TableState, action: actions.DelayTurn, game: Game) -> Outcome:
    """Delay the turn of the character on turn, or with `back` let a delayed character act now.

    Raises Impossible("round-not-begun", "round-opening", "nobody-else-acts", "nobody-waits",
    "waits-to-the-end", "not-on-turn"), InvalidInput("which-waits"), and as `next_turn`.
    """
    encounter = require_encounter(state, action.place)
    slot = shown_slot_on_turn(state, encounter, action.who, action.round, action.turn)
    if action.back and encounter.round:
        return _act_now(game, action, encounter)
    if slot is None:
        raise nobody_acts_error(encounter)
    if action.as_ is not None:
        named = find_slot(state, action.who, action.as_, encounter.order, "as")
        if named != slot:
            raise Impossible("not-on-turn", name=slot_name(state, named, action.who) or None)
    require_turn(state, action.who, slot)
    return delay_slot(game, encounter, slot)


def delay_slot(game: Game, encounter: AnyEncounter, slot: Slot, *, lapsed: bool = False) -> Outcome:
    """Delay the turn of a slot. If the clock does it (*lapsed*), all participants are told.

    Raises Impossible("nobody-else-acts"), and what the system's own rules refuse.
    """
    if not encounter.timeline and all(other.delayed for other in encounter.order if other != slot):
        raise Impossible("nobody-else-acts")
    turns = game.system.turns
    fields: dict[str, Any] = {}
    if turns is not None and turns.waits_last is not None:
        fields["lines"] = (turns.waits_last,)
    if lapsed:
        characters = () if slot.character is None else (slot.character,)
        fields |= {"audience": EVERYONE, "characters": characters}
    if turns is not None and turns.waits is not None:
        game = turns.waits(game, encounter)
    present = require_encounter(game.state, encounter.place)

    def move(now: AnyEncounter) -> AnyEncounter:
        return with_slot_changes(now, slot, delayed=True, lapsed=lapsed, doing="")

    name = slot_name(game.state, slot, None if lapsed else game.actor)
    return announced_outcome(game, present, move, "delayed", name, **fields)


def _act_now(game: Game, action: actions.DelayTurn, encounter: AnyEncounter) -> Outcome:
    """Let the delayed character of an action act now. Raises as `delay`."""
    state, turns = game.state, game.system.turns
    slot = _delayed_slot(state, action, encounter)
    name = slot_name(state, slot, action.who)
    if turns is not None and turns.waits_last is not None:
        raise Impossible("waits-to-the-end", name=name or None)
    if encounter.timeline:
        after = with_slot_changes(
            encounter, slot, delayed=False, ends=current_phase_for(state, encounter, slot)
        )
    else:
        others = tuple(other for other in encounter.order if other != slot)
        # A turn that has been ended goes first, though an open check holds it still.
        turn = others.index(encounter.order[encounter.turn]) + encounter.ended
        back = slot.replace(delayed=False, lapsed=False)
        after = encounter.replace(order=(*others[:turn], back, *others[turn:]), turn=turn)
    event = actor_board_event(game, "returned", after, name)
    done = slot_on_turn(encounter) if encounter.ended else None
    return move_outcome(game, encounter, lambda _: after, event, done=done)


def _delayed_slot(
    state: TableState, action: actions.DelayTurn, encounter: AnyEncounter
) -> Slot:
    """Return the delayed slot that an action names, or the only one that its actor may handle.

    Raises Impossible("nobody-waits"), InvalidInput("which-waits"), and as `find_slot`.
    """
    delayed = [slot for slot in encounter.order if slot.delayed]
    if action.as_ is not None:
        slot = find_slot(state, action.who, action.as_, encounter.order, "as")
        require_turn(state, action.who, slot)
        delayed = [slot] if slot.delayed else []
    own = [slot for slot in delayed if may_handle(state, action.who, slot)]
    if not own:
        raise Impossible("nobody-waits")
    if len(own) > 1:
        names = tuple(slot_name(state, slot, action.who) for slot in own)
        raise InvalidInput("which-waits", field="as", value=None, allowed=names)
    return own[0]
