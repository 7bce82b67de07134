"""Keeping the order of action: who joins, whose turn it is, who waits, and what the board shows of
it.
"""

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
    Move,
    apply_move,
    board_event,
    initiative_for,
    next_after,
    opens_rounds,
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
    """One in the order, as onlookers know them.

    On a timeline `ends` is the phase in which they are done with what they are `doing`; in rounds
    `done` tells that their turn is over. `who` is the character's id.
    """

    name: str
    who: str | None = None
    score: int | None = None
    acts: bool = False
    waits: bool = False
    ends: int | None = None
    doing: str = ""
    done: bool = False


class Board(Record):
    """The order of action of a place; `round` is 0 while they gather, `house` tells of the house
    rule.

    On a `timeline` it is the phase. While a round is `opening` nobody acts: what it begins with is
    not over. `turn` is the number of the turn, 0 where it is nobody's whom onlookers know.
    """

    place: str
    round: int
    turn: int
    house: bool
    lines: tuple[BoardLine, ...]
    timeline: bool = False
    opening: bool = False


def board_view(state: TableState, place: str, viewer: Actor | None = None) -> Board | None:
    """Return the order of action of a place as all players see it, or as `viewer` does.

    None if there is none. Players see no character that they do not know. Scores are shown for
    players' characters only: an NPC's score would reveal its abilities.
    """
    encounter = encounter_in(state, place)
    if encounter is None:
        return None
    gm, now = viewer is not None and is_gm(state, viewer), slot_on_turn(encounter)
    lines: list[BoardLine] = []
    for index, slot in enumerate(encounter.order):
        open_score = gm or is_players(state, slot)
        score, name = _score(slot) if open_score else None, slot_name(state, slot, viewer)
        if name:
            done = (
                now is not None
                and not encounter.timeline
                and index < encounter.turn
                and not slot.delayed
            )
            who = slot.character
            lines.append(
                BoardLine(name, who, score, slot is now, slot.delayed, slot.ends, slot.doing, done)
            )
    turn, shown = turn_number(encounter) if any(line.acts for line in lines) else 0, tuple(lines)
    now_shown = encounter.round if gm else known_round(state, encounter)
    return Board(
        place, now_shown, turn, encounter.house, shown, encounter.timeline, encounter.opening
    )


def _score(slot: Slot) -> int | None:
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
    """Return the slots that the asking participant may handle, by the names that participant
    knows.
    """
    state, actor = asking.game.state, asking.game.actor
    kept = (encounter_in(state, place) for place in state.encounters)
    slots = (slot for encounter in kept if encounter is not None for slot in encounter.order)
    names = (slot_name(state, slot, actor) for slot in slots if may_handle(state, actor, slot))
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


def _as_shown(
    state: TableState, encounter: AnyEncounter, actor: Actor, round: int | None, turn: int | None
) -> Slot | None:
    """Return the slot on turn; on a timeline players know only of characters they know.

    Raises Outdated("turn-moved-on") if another turn was shown.
    """
    slot = slot_on_turn(encounter)
    hidden = slot is not None and is_hidden(state, slot) and not is_gm(state, actor)
    known = known_round(state, encounter)
    rounds = (None, known, encounter.round if is_gm(state, actor) else known)
    if round not in rounds or turn not in (None, 0 if hidden else turn_number(encounter)):
        name = None if slot is None else slot_name(state, slot) or None
        raise Outdated("turn-moved-on", name=name, round=known, timeline=encounter.timeline)
    return None if hidden and encounter.timeline else slot


def own_slot_on_turn(state: TableState, actor: Actor, place: str, round: int, turn: int) -> Slot:
    """Whose turn it is, as it was shown with these numbers; they are the actor's own, or a GM's NPC
    or thing.

    Impossible("no-encounter", "round-not-begun", "round-opening", "nobody-does-anything"),
    Outdated("turn-moved-on"), NotPermitted("not-your-turn").
    """
    encounter = require_encounter(state, place)
    slot = _as_shown(state, encounter, actor, round, turn)
    if slot is None:
        raise _nobody_acts(encounter)
    require_turn(state, actor, slot)
    if slot.character is not None and not may_act_as(
        state, actor, state.characters[slot.character]
    ):
        raise NotPermitted("not-your-turn", name=slot_name(state, slot))
    return slot


def _nobody_acts(encounter: AnyEncounter) -> Impossible:
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
    """Return the event for the acting participant; all others see the board. `more` are further
    fields.
    """
    heard = {"audience": Audience(people=(game.actor.id,)), **more}
    return board_event(encounter, game.actor, step, name=name or None, **heard)


def move_outcome(
    game: Game,
    encounter: AnyEncounter,
    move: Move,
    *events: Event,
    done: Slot | None = None,
    keep: bool = False,
    overdue: bool = False,
) -> Outcome:
    """Return the outcome of a move, with the call to the turn that begins; as `apply_move`."""
    game, more = apply_move(game, encounter, move, done=done, keep=keep, overdue=overdue)
    return Outcome(game.state, (*events, *more))


def _announced_outcome(
    game: Game, encounter: AnyEncounter, move: Move, step: BoardStep, name: str = "", **more: Any
) -> Outcome:
    """Return an outcome in which the acting participant is told what happened."""
    return move_outcome(
        game, encounter, move, actor_board_event(game, step, move(encounter), name, **more)
    )


# --- coming and going -----------------------------------------------------------------------------


def start(state: TableState, action: actions.StartEncounter, game: Game) -> Outcome:
    """Begin to keep the order of action in a place, for a GM (EBB-ROUND, BAR-PHASE).

    Raises Impossible("encounter-here").
    """
    if action.place in state.encounters:
        raise Impossible("encounter-here")
    turns = game.system.turns
    house = turns is not None and bool(turns.house) and bool(game.setting(turns.house))
    timeline = turns is not None and turns.timeline
    encounter: AnyEncounter = Encounter(action.place, house=house, timeline=timeline)
    return Outcome(
        state.with_encounter(encounter), (actor_board_event(game, "started", encounter),)
    )


def _enter(
    encounter: AnyEncounter, character: AnyCharacter, score: int | None, game: Game
) -> tuple[Slot, tuple[Text, ...]]:
    """Return a character's slot with its score given, rolled or absent, and the line on the
    roll.
    """
    slot = Slot("", character.id)
    if score is not None:
        return slot.replace(score=(score,)), ()
    if encounter.opening:
        # All roll when the round begins.
        return slot, ()
    before = next((each for each in encounter.left if each.character == character.id), None)
    if before is not None and before.score is not None:
        return before, (Text("initiative-as-before", {"score": _score(before)}),)
    if opens_rounds(game):
        # Every round rolls anew, and those of a group of NPCs roll together.
        group = character.group if character.owner is None else ""
        others = [
            (entry.score, game.character(entry.character))
            for entry in encounter.order
            if entry.character
        ]
        kin = [score for score, other in others if group and other.group == group]
        if kin or not encounter.round:
            return slot.replace(score=kin[0] if kin else None), ()
    rolled = initiative_for(game, encounter, character)
    return (slot, ()) if rolled is None else (slot.replace(score=rolled.score), (rolled.line,))


def _place(game: Game, encounter: AnyEncounter, slot: Slot) -> AnyEncounter:
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

    def side(each: Slot) -> int | None:
        return None if block is None else block(game, encounter, each)

    def place(each: Slot) -> tuple[int, tuple[bool, tuple[int, ...], str]]:
        return side(each) or 0, initiative_key(game.state, each)

    mine, now = place(slot), slot_on_turn(encounter)
    together = now is not None and side(now) is not None and side(now) == side(slot)
    first = encounter.turn + 1 if together else 0
    places = [place(entry) for entry in encounter.order]
    later = (at for at in range(first, len(places)) if mine < places[at])
    return with_slot(encounter, slot, next(later, len(places)))


def _has_passed(encounter: AnyEncounter, slot: Slot) -> bool:
    """Return whether a newcomer's turn of this round would have come before the present one."""
    if encounter.timeline or encounter.opening or not encounter.round:
        return False
    at = next(at for at, other in enumerate(encounter.order) if same_slot(other, slot))
    return at < encounter.turn


def join(state: TableState, action: actions.JoinEncounter, game: Game) -> Outcome:
    """Take part with one of one's own characters (EBB-ROUND).

    Impossible("no-encounter", "already-in-order", "in-other-order", "encounter-full"), and what
    `acting_character` raises.
    """
    encounter = require_encounter(state, action.place)
    character = acting_character(state, action.who, action.as_)
    if any(slot.character == character.id for slot in encounter.order):
        raise Impossible("already-in-order", name=character.name)
    _require_nowhere_else(state, action, (character,))
    after, lines = _entered(game, encounter, (character,), None)
    return _announced_outcome(
        game, encounter, lambda _: after, "joined", character.name, lines=lines
    )


def _elsewhere(state: TableState, place: str, who: str) -> str | None:
    """Return another place in whose order of action a character stands."""
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
        other = _elsewhere(state, action.place, character.id)
        if other is not None:
            name = known_name(state, action.who, character)
            raise Impossible("in-other-order", name=name, elsewhere=other)


def _entered(
    game: Game, encounter: AnyEncounter, new: Sequence[AnyCharacter], score: int | None
) -> tuple[AnyEncounter, tuple[Text, ...]]:
    """Return the order with these characters in it, and the line on their rolls."""
    lines: list[Text] = []
    late: list[str] = []
    for each in new:
        slot, said = _enter(encounter, each, score, game)
        encounter = _place(game, encounter, slot)
        several = (Text("initiative-of", {"name": each.name, "score": _score(slot)}),)
        lines += several if len(new) > 1 else said
        late += [each.name] if _has_passed(encounter, slot) else []
    if late:
        shown = {"names": tuple(late), "several": len(late) > 1, "round": encounter.round}
        lines.append(Text("initiative-passed", {**shown, "next": encounter.round + 1}))
    return encounter, tuple(lines)


def _named_characters(pool: Sequence[AnyCharacter], name: str) -> tuple[AnyCharacter, ...]:
    """Return the character or the group with exactly this name, alias or id."""
    wanted = name_key(name)
    named = [each for each in pool if wanted in (each.id, name_key(each.name))]
    named = named or [each for each in pool if each.group and name_key(each.group) == wanted]
    return tuple(named or [each for each in pool if each.alias and name_key(each.alias) == wanted])


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
    found = _named_characters([each for each in everybody if each.in_play], name)
    if not found and (group := _group_with_alias(everybody, name)):
        raise Impossible("group-meant", group=group, alias=name)
    out = () if found else _named_characters(everybody, name)
    if out:
        raise Impossible("not-in-play" if out[0].retired else "not-approved-yet", name=out[0].name)
    return found


def _similar_names(state: TableState, name: str) -> tuple[str, ...]:
    """Return the names of characters and groups in play that a GM may have meant."""
    there = [character for character in state.characters.values() if character.in_play]
    return similar_names(name, [key for each in there for key in (each.name, each.group) if key])


def _add_party(game: Game, encounter: AnyEncounter) -> Outcome:
    """Add all players' characters who stand in no order of action, here or elsewhere.

    Raises Impossible("party-in-order", "nobody-to-add").
    """
    party = player_characters(game.state)
    there = {slot.character for slot in encounter.order}
    missing = [each for each in party if each.id not in there]
    new = [
        character
        for character in missing
        if _elsewhere(game.state, encounter.place, character.id) is None
    ]
    if not new:
        raise Impossible("party-in-order" if party else "nobody-to-add")
    after, lines = _entered(game, encounter, new, None)
    name = new[0].name if len(new) == 1 else ""
    step: BoardStep = "added" if name else "party"
    return _announced_outcome(game, encounter, lambda _: after, step, name, lines=lines)


def add(state: TableState, action: actions.AddToEncounter, game: Game) -> Outcome:
    """Add a character, all of a group, or anything else by name, as a GM.

    With `party`, all players' characters are added. Raises InvalidInput for an unusable name or
    score, and as `join` and `_add_party`.
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
    there = {slot.character for slot in encounter.order}
    found = _characters_to_add(state, name)
    new = [each for each in found if each.id not in there]
    if found and not new:
        raise Impossible("already-in-order", name=found[0].name if len(found) == 1 else name)
    _require_nowhere_else(state, action, new)
    after, lines = _entered(game, encounter, new, action.score)
    if not found:
        if any(
            lookalike_key(slot_name(state, slot, action.who)) == lookalike_key(name)
            for slot in encounter.order
        ):
            raise Impossible("already-in-order", name=name)
        score = None if action.score is None else (action.score,)
        after = _place(game, after, Slot(name, None, score))
        lines = (Text("initiative-free-name", {"nearest": _similar_names(state, name)}),)
    called = found[0].name if len(found) == 1 else name
    return _announced_outcome(game, encounter, lambda _: after, "added", called, lines=lines)


def remove(state: TableState, action: actions.RemoveFromEncounter, game: Game) -> Outcome:
    """Take a character out of the order: the player's own, or for a GM any.

    Raises NotFound("not-in-order"), InvalidInput("ambiguous-in-order"), NotPermitted("owner-only").
    """
    encounter = require_encounter(state, action.place)
    slot = find_slot(state, action.who, action.name, encounter.order, "name")
    name = slot_name(state, slot, action.who)
    if not may_handle(state, action.who, slot):
        owner = None if slot.character is None else state.characters[slot.character].owner
        raise NotPermitted("owner-only", character=name, owner=owner)

    def move(now: AnyEncounter) -> AnyEncounter:
        gone = [index for index, other in enumerate(now.order) if same_slot(other, slot)]
        if slot.character is None or not gone:
            return without_slots(now, gone)
        left = [other for other in now.left if other.character != slot.character]
        kept = now.order[gone[0]].replace(delayed=False, doing="")
        return without_slots(now, gone).replace(left=(*left, kept)[-SLOTS_MAX:])

    return _announced_outcome(game, encounter, move, "removed", name)


def end(state: TableState, action: actions.EndEncounter, game: Game) -> Outcome:
    """A GM ends it: no round is left for what is still open, and what one began with, which is
    nobody's, ends too.
    """
    encounter = require_encounter(state, action.place)
    left_open = [
        check
        for check in state.open_checks
        if check.place == action.place and check.round is not None
    ]
    for each in left_open:
        state = state.with_check(each.replace(round=None))
    openings = [each.id for each in left_open if not each.actor]
    game, over = step_checks(game.with_state(state), openings, engine.end)
    game, events = tick_encounter_end(game, encounter)
    left = {place: each for place, each in game.state.encounters.items() if place != action.place}
    return Outcome(
        game.state.replace(encounters=left),
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
            raise InvalidInput(
                "named-twice", field="names", value=slot_name(state, slot, action.who)
            )
        named.append(slot)
    after = (*named, *(slot for slot in encounter.order if slot not in named))
    slot = slot_on_turn(encounter)
    turn = 0 if slot is None else after.index(slot)
    changed = encounter.replace(order=after, turn=turn)
    if changed.timeline:
        changed = settle_turn(changed)  # the GM decides between those who are done at the same time
    return _announced_outcome(game, encounter, lambda _: changed, "ordered")


def next_turn(state: TableState, action: actions.NextTurn, game: Game) -> Outcome:
    """Move on to the next turn or round, for the acting player or a GM (EBB-ROUND).

    A GM begins the first round so. Raises Outdated("turn-moved-on"), NotPermitted("not-your-turn"),
    Impossible("nobody-in-order").
    """
    encounter = require_encounter(state, action.place)
    slot = _as_shown(state, encounter, action.who, action.round, action.turn)
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
    """End a turn, or have it end as soon as the open checks that hold it are over.

    One that is `overdue` waits only for what holds the end of the round.
    """
    state = game.state
    name, move = slot_name(state, slot), partial(next_after, done=slot)
    said: tuple[Event, ...] = ()
    if encounter.timeline:
        after = move(encounter)
        now = slot_on_turn(after)
        if now is None or is_hidden(state, now):
            # Nobody is called in public then, but everybody may know that it is quiet.
            whose = () if slot.character is None else (slot.character,)
            heard = {"audience": EVERYONE, "characters": whose} if name else {}
            said = (
                actor_board_event(
                    game, "delayed", after, name or slot_name(state, slot, game.actor), **heard
                ),
            )
    made = move_outcome(game, encounter, move, done=slot, keep=True, overdue=overdue)
    ended = made.state.encounters[encounter.place].ended
    # What it tells of the board says whose turn has ended.
    events = [
        event.replace(done=name) if isinstance(event, BoardChanged) and not ended else event
        for event in made.events
    ]
    return made.replace(events=(*(() if ended else said), *events))


def _begun(encounter: AnyEncounter) -> AnyEncounter:
    """Begin the first round, or the turns of a round that has been opening."""
    if encounter.opening:
        return settle_turn(encounter.replace(opening=False))
    return encounter if encounter.round else settle_turn(encounter.replace(round=1, turn=0))


def delay(state: TableState, action: actions.DelayTurn, game: Game) -> Outcome:
    """Let the character on turn wait, or with `back` a waiting character act now.

    Impossible("round-not-begun", "round-opening", "nobody-else-acts", "nobody-waits",
    "waits-to-the-end"), InvalidInput("which-waits"), and what `next_turn` raises.
    """
    encounter = require_encounter(state, action.place)
    slot = _as_shown(state, encounter, action.who, action.round, action.turn)
    if action.back and encounter.round:
        return _back(game, action, encounter)
    if slot is None:
        raise _nobody_acts(encounter)
    if action.as_ is not None:
        meant = find_slot(state, action.who, action.as_, encounter.order, "as")
        if meant != slot:
            raise Impossible("not-on-turn", name=slot_name(state, meant, action.who) or None)
    require_turn(state, action.who, slot)
    return let_wait(game, encounter, slot)


def let_wait(game: Game, encounter: AnyEncounter, slot: Slot, *, lapsed: bool = False) -> Outcome:
    """Let the character on turn wait for its moment; of one `lapsed` by the clock all hear it.

    Impossible("nobody-else-acts"), and what the system's own rules refuse.
    """
    if not encounter.timeline and all(other.delayed for other in encounter.order if other != slot):
        raise Impossible("nobody-else-acts")
    turns = game.system.turns
    waits = None if turns is None else turns.waits
    told: dict[str, Any] = {}
    if turns is not None and turns.waits_last is not None:
        told["lines"] = (turns.waits_last,)
    if lapsed:
        whose = () if slot.character is None else (slot.character,)
        told |= {"audience": EVERYONE, "characters": whose}
    game = game if waits is None else waits(game, encounter)
    ready = require_encounter(game.state, encounter.place)

    def move(now: AnyEncounter) -> AnyEncounter:
        return with_slot_changes(now, slot, delayed=True, lapsed=lapsed, doing="")

    name = slot_name(game.state, slot, None if lapsed else game.actor)
    return _announced_outcome(game, ready, move, "delayed", name, **told)


def _back(game: Game, action: actions.DelayTurn, encounter: AnyEncounter) -> Outcome:
    state = game.state
    waiting = [slot for slot in encounter.order if slot.delayed]
    if action.as_ is not None:
        slot = find_slot(state, action.who, action.as_, encounter.order, "as")
        require_turn(state, action.who, slot)
        waiting = [slot] if slot.delayed else []
    mine = [slot for slot in waiting if may_handle(state, action.who, slot)]
    if not mine:
        raise Impossible("nobody-waits")
    if len(mine) > 1:
        names = tuple(slot_name(state, slot, action.who) for slot in mine)
        raise InvalidInput("which-waits", field="as", value=None, allowed=names)
    slot, turns = mine[0], game.system.turns
    if turns is not None and turns.waits_last is not None:
        raise Impossible("waits-to-the-end", name=slot_name(state, slot, action.who) or None)
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
    name = slot_name(state, slot, action.who)
    told = actor_board_event(game, "returned", after, name)
    done = slot_on_turn(encounter) if encounter.ended else None
    return move_outcome(game, encounter, lambda _: after, told, done=done)
