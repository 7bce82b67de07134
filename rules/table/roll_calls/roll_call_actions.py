"""Roll calls as GMs make them, the clock ends them, and players read their sealed texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rules.core.errors import (
    Impossible,
    InvalidInput,
    NotFound,
    Outdated,
    Param,
    Problems,
    RulesError,
)
from rules.table.actions import (
    Action,
    AddToRollCall,
    CallForRolls,
    Due,
    EndRollCall,
    OpenSeal,
    ReadSeal,
)
from rules.table.check import ANY_GM
from rules.table.checks import engine
from rules.table.checks.alike_answers import RULE
from rules.table.checks.check_events import events_for
from rules.table.checks.check_run import CheckAdvance
from rules.table.checks.odds import DIFFICULTY_KEY
from rules.table.checks.procedure import kind_with_role, procedure_of
from rules.table.checks.stages import (
    APPROACH_FIELD,
    MARGIN_ONLY,
    ROLL,
    SKILL_KEY,
    ProposalStage,
)
from rules.table.events import Event, Notice
from rules.table.forms.fields import Number
from rules.table.forms.typed_texts import trimmed_text
from rules.table.initiative import encounter_in
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.permissions import require_system
from rules.table.played_scenes import open_scene
from rules.table.roll_calls.roll_call import (
    CALL_PREFIX,
    RollCall,
    characters_to_add,
    find_roll_call,
    missing_checks,
    players_characters,
    read_seal,
    roll_call_key,
    roll_call_waits,
    traits_of,
    unread_checks,
    wait_of,
    without_oldest_calls,
)
from rules.table.roll_calls.roll_call import roll_calls as all_roll_calls
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game
from rules.table.whispers import whisper_at

#: Longest sealed text, and longest text about a call, in characters.
SEAL_MAX: Final = 1500
TEXT_MAX: Final = 200
#: Most characters of a call.
CALLED_MAX: Final = 20


def call_for_rolls(state: TableState, action: CallForRolls, game: Game) -> Outcome:
    """Begin and answer a check for each named character, for a GM.

    Without names they are the players' characters in the place's scene; without any there, those
    in its initiative, or else all of them.

    Raises:
        Impossible("not-in-these-rules"): the rules have no such check.
        InvalidInput("call-nobody", "call-players-only", "call-too-many", "bad-until").
        NotFound("call-lacks-skill"): characters can't roll the skill, and the rules need it.
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
        values=dict(action.values),
        ruling=dict(action.ruling),
    )
    counters = state.counters.replace(roll_call=number)
    now = game.with_state(without_oldest_calls(state.replace(counters=counters)))
    return _with_called(now, call, called)


def _with_called(game: Game, call: RollCall, called: Sequence[AnyCharacter]) -> Outcome:
    """Return the table after these characters were called to a roll call, in this order.

    Where the rules let a character roll without the skill, those who lack it do. But one of the
    call has to have it, or a misspelled name would be rolled.

    Raises NotFound("call-lacks-skill"), and as beginning and answering the checks does.
    """
    kind = kind_with_role(game.system, "check")
    is_optional = procedure_of(game, kind).skill_is_optional
    now, events = game, list[Event]()
    is_known = bool(call.checks)
    lacking: dict[str, RulesError] = {}
    for character in called:
        try:
            advance = _begin_called(now, kind, character, call)
        except RulesError as error:
            if not _is_about_skill(error, call):
                raise
            lacking[character.name] = error
            if not is_optional:
                continue
            advance = _begin_called(now, kind, character, _without_skill(call))
        events += events_for(now.state, advance)
        now = advance.game
        # Who lacks the skill has fewer traits.
        traits = max(call.traits, traits_of(advance.check), key=len)
        call = call.replace(checks=(*call.checks, advance.check.id), traits=traits)
    is_known = is_known or len(lacking) < len(called)
    if lacking and not (is_optional and is_known):
        raise _lacking_error(call, lacking, all_lack=not is_known)
    after = now.state.with_own(roll_call_key(call.id), call)
    return Outcome(after, tuple(events))


def _is_about_skill(error: RulesError, call: RollCall) -> bool:
    """Return whether a character can't roll because of the skill that a call names."""
    skill = call.values.get(SKILL_KEY)
    if not skill:
        return False
    for problem in _problems_of(error):
        is_unknown = isinstance(problem, NotFound) and problem.params.get("value") == skill
        is_barred = isinstance(problem, Impossible) and problem.params.get("field") == SKILL_KEY
        if not is_unknown and not is_barred:
            return False
    return True


def _problems_of(error: RulesError) -> tuple[RulesError, ...]:
    return error.problems if isinstance(error, Problems) else (error,)


def _without_skill(call: RollCall) -> RollCall:
    """Return a call of the same roll without its skill."""
    values = {key: value for key, value in call.values.items() if key != SKILL_KEY}
    return call.replace(values=values)


def _lacking_error(
    call: RollCall, lacking: Mapping[str, RulesError], *, all_lack: bool
) -> RulesError:
    """Return the refusal of a call for a skill that characters can't roll, by their names."""
    nearest: Param = ()
    if all_lack:
        first, *_ = _problems_of(next(iter(lacking.values())))
        nearest = first.params.get("nearest", ())
    return NotFound(
        "call-lacks-skill",
        field=SKILL_KEY,
        value=str(call.values[SKILL_KEY]),
        nearest=nearest,
        who=tuple(lacking),
        some=not all_lack,
        alone=bool(call.values.get("attribute")),
    )


def _called_characters(game: Game, action: CallForRolls) -> tuple[AnyCharacter, ...]:
    """Return the characters whom a call names, each once.

    Raises InvalidInput("call-nobody", "call-players-only", "call-too-many"), and as `find_known`.
    """
    state, named = game.state, dict[str, AnyCharacter]()
    for name in action.characters:
        character = _players_character(state, action, name)
        named[character.id] = character
    called = tuple(named.values())
    if not called:
        called = characters_here(state, action.place)
    if not called:
        raise InvalidInput("call-nobody", field="who", value=None)
    if len(called) > CALLED_MAX:
        raise InvalidInput("call-too-many", field="who", value=len(called), most=CALLED_MAX)
    return called


def _players_character(state: TableState, action: Action, name: str) -> AnyCharacter:
    """Return a named character that a player plays.

    Raises InvalidInput("call-players-only"), and as `find_known`.
    """
    character = find_known(state, action.who, name, "who")
    if character.owner is None or not character.in_play:
        raise InvalidInput("call-players-only", field="who", value=character.name)
    return character


def characters_here(state: TableState, place: str) -> tuple[AnyCharacter, ...]:
    """Return the players' characters of a place: of its scene, of its initiative, or all.

    In a whisper scene these are the ones in its cast.
    """
    played = players_characters(state)
    whisper = whisper_at(state, place)
    if whisper is not None:
        return tuple(character for character in played if character.id in whisper.cast)
    scene, encounter = open_scene(state, place), encounter_in(state, place)
    cast = () if scene is None else scene.cast
    acting = () if encounter is None else [slot.character for slot in encounter.order]
    for here in (cast, acting):
        found = tuple(character for character in played if character.id in here)
        if found:
            return found
    return played


def _begin_called(game: Game, kind: str, character: AnyCharacter, call: RollCall) -> CheckAdvance:
    """Return a check of a call after it was begun and answered."""
    course = procedure_of(game, kind)
    values = dict(call.values)
    takes_words = course.form is not None and APPROACH_FIELD.key in course.form.keys
    if call.text and takes_words:
        values.setdefault(APPROACH_FIELD.key, call.text)
    begun = engine.begin(game, kind, call.place, values, actor=character.id, group=call.id)
    asked = begun.check.prompt(RULE)
    if asked is None:
        return begun
    option, ruling = _ruling(begun, call)
    ruled = engine.choose(begun.game, begun.check.id, RULE, asked.number, option, (ANY_GM,), ruling)
    took, events = (*begun.took, *ruled.took), (*begun.events, *ruled.events)
    return CheckAdvance(ruled.game, ruled.check, took, events)


def _ruling(begun: CheckAdvance, call: RollCall) -> tuple[str, dict[str, Any]]:
    """Return the GM's answer to a check that has begun, and its values.

    It takes over what the call proposes, such as a modifier. Without a difficulty the margin
    decides, in rules that have such an answer.
    """
    ruling = {key: value for key, value in call.ruling.items() if value}
    stage = procedure_of(begun.game, begun.check.kind).stages[begun.check.stage]
    if not isinstance(stage, ProposalStage):
        return ROLL, ruling
    ruling = {**stage.ruling_draft(begun.check), **ruling}
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
    calls = all_roll_calls(game.state)
    call = next(call for call in calls if wait_of(call) == action.wait)
    return _without_missing(game, call, rolls=call.rolls)


def _without_missing(game: Game, call: RollCall, *, rolls: bool) -> Outcome:
    """Return the table after the missing dice of a call were rolled, or their checks ended."""
    step = engine.roll_by_clock if rolls else engine.end_by_clock
    now, events = game, list[Event]()
    for check in missing_checks(game, call):
        advance = step(now, now.state.checks[check.id])
        events += events_for(now.state, advance)
        now = advance.game
    return Outcome(now.state, tuple(events))


def end_early(state: TableState, action: EndRollCall, game: Game) -> Outcome:
    """Roll the missing dice of a call now, or end their checks, for a GM.

    Raises NotFound("unknown-roll-call"), Outdated("nothing-missing").
    """
    call = find_roll_call(state, action.call)
    if not missing_checks(game, call):
        raise Outdated("nothing-missing")
    return _without_missing(game, call, rolls=action.rolls)


def add_to_roll_call(state: TableState, action: AddToRollCall, game: Game) -> Outcome:
    """Call one more character to a call, for a GM. After its end, it has no end any more.

    Raises:
        NotFound("unknown-roll-call").
        InvalidInput("call-players-only", "call-too-many", "called-already").
        RulesError: as `find_known`, and as beginning and answering the check does.
    """
    call = find_roll_call(state, action.call)
    character = _players_character(state, action, action.character)
    if character not in characters_to_add(state, call):
        raise InvalidInput("called-already", field="who", value=character.name)
    if len(call.checks) >= CALLED_MAX:
        count = len(call.checks) + 1
        raise InvalidInput("call-too-many", field="who", value=count, most=CALLED_MAX)
    if call.until is not None and call.until <= action.at:
        call = call.replace(until=None)
    return _with_called(game, call, (character,))


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
