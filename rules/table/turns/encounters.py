"""Encounters of a place: begin and end them, and who joins and leaves."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core.errors import Impossible, InvalidInput, NotPermitted
from rules.core.name_matching import clean_name, lookalike_key, name_key, similar_names
from rules.table import actions
from rules.table.blocks import Text
from rules.table.checks import engine
from rules.table.checks.check_actions import step_checks
from rules.table.events import BoardStep
from rules.table.forms.typed_texts import one_line
from rules.table.initiative import (
    current_phase_for,
    encounter_in,
    initiative_key,
    require_encounter,
    same_slot,
    slot_name,
    slot_on_turn,
    with_slot,
    without_slots,
)
from rules.table.lookup import acting_character, player_characters
from rules.table.outcome import Outcome
from rules.table.permissions import known_name
from rules.table.state import AnyCharacter, AnyEncounter, Encounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.board import shown_score
from rules.table.turns.slots import actor_board_event, announced_outcome, find_slot, may_handle
from rules.table.turns.turn_calls import opens_rounds
from rules.table.turns.turn_changes import initiative_for, tick_encounter_end

#: Most slots of an encounter.
SLOTS_MAX = 50
#: Longest name of something that is no character, in characters.
NAME_MAX = 80
#: Lowest and highest score that a GM may set.
SCORE_RANGE = (-99, 999)


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
    if opens_rounds(game):
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
    characters = tuple(state.characters.values())
    in_play = [character for character in characters if character.in_play]
    named = _named_characters(in_play, name)
    if named:
        return named
    group = _group_with_alias(characters, name)
    if group:
        raise Impossible("group-meant", group=group, alias=name)
    for character in _named_characters(characters, name):
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
