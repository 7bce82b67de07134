"""Roll calls as GMs make them, the clock ends them, and players read their sealed texts."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.table.actions import CallForRolls, Due, OpenSeal, ReadSeal
from rules.table.check import ANY_GM, AnyCheck
from rules.table.checks import engine
from rules.table.checks.alike_answers import RULE, TRAITS
from rules.table.checks.check_events import events_for
from rules.table.checks.check_run import CheckAdvance
from rules.table.checks.odds import DIFFICULTY_KEY
from rules.table.checks.procedure import kind_with_role, procedure_of
from rules.table.checks.roll_calls import (
    CALL_PREFIX,
    RollCall,
    find_roll_call,
    missing_checks,
    read_seal,
    roll_call_key,
    roll_call_waits,
    unread_checks,
    wait_of,
    without_oldest_calls,
)
from rules.table.checks.roll_calls import roll_calls as all_roll_calls
from rules.table.checks.stages import (
    APPROACH_FIELD,
    MARGIN_ONLY,
    ROLL,
    ProposalData,
    ProposalStage,
)
from rules.table.events import Event, Notice
from rules.table.fields import Number
from rules.table.initiative import encounter_in
from rules.table.lookup import find_known, sort_by_name
from rules.table.outcome import Outcome
from rules.table.permissions import require_system
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game
from rules.table.typed_texts import trimmed_text
from rules.table.whispers import whisper_at

#: Longest sealed text, and longest text about a call, in characters.
SEAL_MAX: Final = 1500
TEXT_MAX: Final = 200
#: Most characters of a call.
CALLED_MAX: Final = 20


def call_for_rolls(state: TableState, action: CallForRolls, game: Game) -> Outcome:
    """Begin and answer a check for each named character, for a GM.

    Without names they are the players' characters in the place's initiative, or all of them.

    Raises:
        Impossible("not-in-these-rules"): the rules have no such check.
        InvalidInput("call-nobody", "call-players-only", "call-too-many", "bad-until").
        RulesError: as beginning and answering the checks does.
    """
    kind = kind_with_role(game.system, "check")
    procedure_of(game, kind)
    called = _called_characters(game, action)
    text = trimmed_text("text", action.text, TEXT_MAX) if action.text else ""
    seal = trimmed_text("seal", action.seal, SEAL_MAX) if action.seal else ""
    if action.until is not None and action.until <= action.at:
        raise InvalidInput("bad-until", field="until", value=None)
    number = state.counters.roll_call + 1
    call = RollCall(
        f"{CALL_PREFIX}{number}",
        action.place,
        action.who.id,
        (),
        text=text,
        seal=seal,
        until=action.until,
        rolls=action.rolls,
    )
    counters = state.counters.replace(roll_call=number)
    now = game.with_state(without_oldest_calls(state.replace(counters=counters)))
    events: list[Event] = []
    for character in called:
        made = _begin_called(now, kind, character, action, call)
        events += events_for(now.state, made)
        now = made.game
        traits = call.traits or _traits(made.check)
        call = call.replace(checks=(*call.checks, made.check.id), traits=traits)
    after = now.state.with_own(roll_call_key(call.id), call)
    return Outcome(after, tuple(events))


def _called_characters(game: Game, action: CallForRolls) -> tuple[AnyCharacter, ...]:
    """Return the characters whom a call names, each once.

    Raises InvalidInput("call-nobody", "call-players-only", "call-too-many"), and as `find_known`.
    """
    state, named = game.state, dict[str, AnyCharacter]()
    for name in action.characters:
        character = find_known(state, action.who, name, "who")
        if character.owner is None or not character.in_play:
            raise InvalidInput("call-players-only", field="who", value=character.name)
        named[character.id] = character
    found = tuple(named.values()) or _characters_here(state, action.place)
    if not found:
        raise InvalidInput("call-nobody", field="who", value=None)
    if len(found) > CALLED_MAX:
        raise InvalidInput("call-too-many", field="who", value=len(found), most=CALLED_MAX)
    return found


def _characters_here(state: TableState, place: str) -> tuple[AnyCharacter, ...]:
    """Return the players' characters in a place's initiative; all of them if it has none.

    In a whisper scene these are the ones in its cast.
    """
    played = [each for each in state.characters.values() if each.owner and each.in_play]
    scene = whisper_at(state, place)
    if scene is not None:
        return sort_by_name(each for each in played if each.id in scene.cast)
    encounter = encounter_in(state, place)
    if encounter is not None:
        acting = {slot.character for slot in encounter.order}
        here = [character for character in played if character.id in acting]
        played = here or played
    return sort_by_name(played)


def _begin_called(
    game: Game, kind: str, character: AnyCharacter, action: CallForRolls, call: RollCall
) -> CheckAdvance:
    """Return a check of a call after it was begun and answered."""
    course = procedure_of(game, kind)
    values = dict(action.values)
    takes_words = course.form is not None and APPROACH_FIELD.key in course.form.keys
    if call.text and takes_words:
        values.setdefault(APPROACH_FIELD.key, call.text)
    begun = engine.begin(game, kind, call.place, values, actor=character.id, group=call.id)
    asked = begun.check.prompt(RULE)
    if asked is None:
        return begun
    option, ruling = _ruling(begun, action)
    ruled = engine.choose(begun.game, begun.check.id, RULE, asked.number, option, (ANY_GM,), ruling)
    took, events = (*begun.took, *ruled.took), (*begun.events, *ruled.events)
    return CheckAdvance(ruled.game, ruled.check, took, events)


def _traits(check: AnyCheck) -> tuple[str, ...]:
    """Return the names of the traits that a check was begun with."""
    if not isinstance(check.data, ProposalData):
        return ()
    asked = check.data.asked
    return tuple(str(asked[trait]) for trait in TRAITS if asked.get(trait))


def _ruling(begun: CheckAdvance, action: CallForRolls) -> tuple[str, dict[str, Any]]:
    """Return the GM's answer to a check that has begun, and its values.

    Without a difficulty the margin decides, in rules that have such an answer.
    """
    ruling = {key: value for key, value in action.ruling.items() if value}
    stage = procedure_of(begun.game, begun.check.kind).stages[begun.check.stage]
    if not isinstance(stage, ProposalStage):
        return ROLL, ruling
    difficulty = ruling.get(DIFFICULTY_KEY)
    if difficulty is not None:
        is_number = isinstance(stage.rule_form.by_key.get(DIFFICULTY_KEY), Number)
        if is_number and str(difficulty).isdecimal():
            ruling[DIFFICULTY_KEY] = int(difficulty)
        return ROLL, ruling
    options = [option.value for option in stage.ruling_options(begun.check)]
    return (MARGIN_ONLY if MARGIN_ONLY in options else ROLL), ruling


def end_roll_call(game: Game, action: Due) -> Outcome:
    """Roll for the missing characters when the time of a call is over, or end these checks.

    Raises NotPermitted("system-only"), Outdated("wait-over", "not-yet-due").
    """
    require_system(action.who)
    due = roll_call_waits(game).get(action.wait)
    if due is None:
        raise Outdated("wait-over", wait=action.wait)
    if due > action.at:
        raise Outdated("not-yet-due", wait=action.wait)
    call = next(each for each in all_roll_calls(game.state) if wait_of(each) == action.wait)
    now, events = game, list[Event]()
    for check in missing_checks(game, call):
        step = engine.roll_by_clock if call.rolls else engine.end_by_clock
        made = step(now, now.state.checks[check.id])
        events += events_for(now.state, made)
        now = made.game
    return Outcome(now.state, tuple(events))


def read_sealed_text(state: TableState, action: ReadSeal, game: Game) -> Outcome:
    """Read the sealed text of a call for the actor's characters who have succeeded.

    Raises NotFound("unknown-roll-call"), Impossible("no-sealed-text").
    """
    call = find_roll_call(state, action.call)
    unread = unread_checks(game, call, action.who.id)
    if not unread:
        raise Impossible("no-sealed-text")
    return read_seal(game, call, unread)


def open_seal(state: TableState, action: OpenSeal, game: Game) -> Outcome:
    """Tell everybody the sealed text of a call, for a GM.

    Raises NotFound("unknown-roll-call"), Impossible("no-sealed-text").
    """
    call = find_roll_call(state, action.call)
    if not call.seal or call.opened:
        raise Impossible("no-sealed-text")
    # Who has succeeded stays as open or as hidden as it is.
    event = Notice("seal-opened", by=action.who.id, note=call.seal, place=call.place)
    after = state.with_own(roll_call_key(call.id), call.replace(opened=True))
    return Outcome(after, (event,))
