"""Forms of entries of the journal: the values of an action, as a GM may give it others.

A form stands on the table that the entry met, so it offers what was offered then. It never has who
acted and when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rules.core.errors import NotFound, RulesError
from rules.core.name_matching import name_key
from rules.core.record import NODEFAULT, Record, field_defaults
from rules.table.actions import (
    Action,
    AddToEncounter,
    Adjust,
    Advance,
    AdvanceTime,
    Amend,
    AnswerAlike,
    Award,
    Begin,
    CallForRolls,
    ChangeSettings,
    Choose,
    EndScene,
    EntryChange,
    Learn,
    StartScene,
    SumUp,
)
from rules.table.amendments.call_values import (
    call_entry_form,
    call_values,
    example_character,
    held_call_value,
    shown_call_value,
    with_call_values,
)
from rules.table.blocks import Text
from rules.table.check import PASS, AnyCheck, Values
from rules.table.checks.access import find_check
from rules.table.checks.alike_answers import RULE
from rules.table.checks.available_moves import Move, check_moves
from rules.table.checks.procedure import CheckOption
from rules.table.commands import NAME_MAX, known_character_options
from rules.table.events import Event
from rules.table.forms.fields import Flag, FormContext, Number, Option, Pick, Typed
from rules.table.forms.form import Field, Form
from rules.table.gms.gm_tools import AWARD_MAX, REASON_MAX
from rules.table.lookup import find_known
from rules.table.permissions import is_gm
from rules.table.resources import award_options
from rules.table.settings.table_settings import settings_form
from rules.table.system import Game
from rules.table.times.duration import parse_moment, parse_span, span_text, split_moment

#: Key of the field for another option of an answer. No form of an option has it.
ANSWER: Final = "answer"
#: Key of the field for the target of a check.
_TARGET: Final = "target"
#: Kinds of actions that hold their values by the keys of a form.
_BY_KEY: Final = (Begin, Choose, AnswerAlike, ChangeSettings, CallForRolls)
#: Longest text in the form, in characters. The action itself may allow less.
_TEXT_MAX: Final = 2000


class EntryForm(Record):
    """The values of an entry as a form, filled in as they were."""

    form: Form
    context: FormContext
    #: Values by the keys of the form.
    values: Values
    #: Values with which an option of an answer starts, by the option.
    starts: Mapping[str, Values]

    def with_starts(self, before: Values, after: Values) -> Values:
        """Return a draft after a choice, with the values that another option starts with.

        `before` is the draft before the choice.
        """
        option = str(after.get(ANSWER, ""))
        if before.get(ANSWER) == option or option not in self.starts:
            return dict(after)
        return {**self.starts[option], **after}


def entry_form(game: Game, action: Action, draft: Values | None = None) -> EntryForm | None:
    """Return the form of an entry; None if it has no values that can be changed.

    *game* is the table before the entry, with the entry's actor and time. *draft* are the values so
    far, on which the fields of an answer depend.
    """
    draft = draft or {}
    if isinstance(action, Begin):
        return _begin_form(game, action)
    if isinstance(action, Choose):
        return _answer_form(game, action.check, action.prompt, action.as_, action, draft)
    if isinstance(action, AnswerAlike):
        check = action.checks[0][0] if action.checks else ""
        return _answer_form(game, check, "", (), action, draft)
    if isinstance(action, CallForRolls):
        return _call_form(game, action)
    if isinstance(action, ChangeSettings):
        form = settings_form(game.system)
        form = form.part(*(key for key in action.values if key in form.keys))
        return _filled(form, FormContext(game), dict(action.values)) if form.fields else None
    form = _form_of_kind(game, action)
    if form is None or not form.fields:
        return None
    who = getattr(action, "character", None) or getattr(action, "as_", None) or ""
    context = FormContext(game, None, who if who in game.state.characters else "")
    return _filled(form, context, _field_values(form, action))


def _filled(form: Form, context: FormContext, values: Values) -> EntryForm:
    context = context.replace(values=values)
    return EntryForm(form, context, _as_read(form, context, values), {})


def _as_read(form: Form, context: FormContext, values: Values) -> Values:
    """Return an entry's values as its form reads them, so that a menu shows which one was chosen.

    An action may hold the words of a command (`rif` for *Rifles*). A value that the form refuses
    stays as it is.
    """
    read, _ = form.read_draft(form.write_draft(values), context)
    shown: dict[str, Any] = {}
    for key, value in values.items():
        field = form.by_key.get(key)
        shown[key] = read.get(key, value)
        if isinstance(field, Pick) and isinstance(shown[key], str):
            shown[key] = _offered_value(field, context, shown[key])
    return shown


def _offered_value(field: Pick, context: FormContext, value: str) -> str:
    """Return the option that a typed value names (`boathook` for *Boathook*), or the value."""
    for option in field.options(context):
        if name_key(option.value) == name_key(value):
            return option.value
    return value


def is_known_to_gms(events: Iterable[Event]) -> bool:
    """Return whether GMs were told of an entry."""
    return any(event.audience.everyone or event.audience.gms for event in events)


def is_secret_choice(game: Game, action: Action) -> bool:
    """Return whether an action is a player's answer that was secret then.

    *game* is the table before it.
    """
    if not isinstance(action, Choose) or is_gm(game.state, action.who):
        return False
    check = game.state.checks.get(action.check)
    asked = None if check is None else check.prompt(action.prompt)
    return asked is not None and asked.prompt.secret


def with_values_taken_over(action: Action, then: Game, now: Game) -> Action:
    """Return a GM's ruling with what it took over from the proposal as the proposal is now.

    A ruling's form starts with the values of the proposal. Values that the GM left as they were
    follow the proposal. *then* is the table that the ruling met, *now* the changed one.
    """
    if not isinstance(action, Choose) or action.prompt != RULE or not action.values:
        return action
    if then.state.checks.get(action.check) == now.state.checks.get(action.check):
        return action
    before, after = _start_of_answer(then, action), _start_of_answer(now, action)
    values = dict(action.values)
    for key in {*before, *after}:
        if values.get(key) != before.get(key):
            continue
        values.pop(key, None)
        if key in after:
            values[key] = after[key]
    return action.replace(values=values)


def _start_of_answer(game: Game, action: Choose) -> Values:
    """Return the values with which the form of an answer started."""
    form = entry_form(game, action)
    return {} if form is None else form.starts.get(action.option, {})


# --- the fields -----------------------------------------------------------------------------------


def _begin_form(game: Game, action: Begin) -> EntryForm | None:
    procedure = game.system.procedures.get(action.kind)
    if procedure is None:
        return None
    form = procedure.form or Form()
    values = dict(action.values)
    if procedure.aims or action.target:
        form = _with_target(form)
        if action.target:
            values[_TARGET] = action.target
    if not form.fields:
        return None
    return _filled(form, FormContext(game, None, _acting(game, action)), values)


def _call_form(game: Game, action: CallForRolls) -> EntryForm:
    form = call_entry_form(game, action)
    values: dict[str, Any] = {}
    for key, held in call_values(action).items():
        field = form.by_key.get(key)
        values[key] = held if field is None else shown_call_value(field, held)
    return _filled(form, FormContext(game, None, example_character(game, action)), values)


def _with_target(form: Form) -> Form:
    """Return a check's form with the target as its first field, as in the panel that begins it."""
    leading = (_TARGET, *form.leading) if form.leading else ()
    target = _character_field(_TARGET, title=Text("field-target"))
    return form.replace(fields=(target, *form.fields), leading=leading)


def _acting(game: Game, action: Begin) -> str:
    """Return the id of the character that a check was begun for; empty if it can't be told."""
    if action.as_ is None:
        return game.state.person(action.who.id).active or ""
    try:
        return find_known(game.state, action.who, action.as_, "as").id
    except RulesError:
        return ""


def _character_field(key: str, **about: Any) -> Pick:
    """Return the field for a character whom the actor knows."""

    def find(asking: FormContext, text: str) -> str:
        game = asking.game
        return find_known(game.state, game.actor, text, key).id

    return Pick(key, choices=known_character_options, find=find, **about)


def _answer_form(
    game: Game,
    check_id: str,
    prompt: str,
    as_: tuple[str, ...],
    action: Choose | AnswerAlike,
    draft: Values,
) -> EntryForm | None:
    """Return the form of an answer: its option, and the fields of the option that is chosen."""
    try:
        check = find_check(game, check_id)
    except RulesError:
        return None
    move = _move_of(game, check, prompt, as_, action.option)
    if move is None:
        return None
    offered = {option.value: option for option in move.options}
    chosen = str(draft.get(ANSWER) or action.option)
    form = _option_form(move, offered.get(chosen))
    if not form.fields:
        return None
    values: dict[str, Any] = {ANSWER: action.option, **action.values}
    drafted = {key: value for key, value in draft.items() if key in form.keys}
    context = FormContext(game, check, move.who, {**values, **drafted})
    shown: dict[str, Any] = {ANSWER: chosen}
    if chosen == action.option:
        shown = {key: value for key, value in values.items() if key in form.keys}
    shown = dict(_as_read(form, context, shown))
    return EntryForm(form, context, shown, {key: option.values for key, option in offered.items()})


def _option_form(move: Move, option: CheckOption | None) -> Form:
    """Return the form of an option, with a field for another option if there are several."""
    form = Form() if option is None or option.form is None else option.form
    choices = _answer_options(move)
    if len(choices) <= 1:
        return form
    pick = Pick(ANSWER, choices=choices, title=Text("amend-answer-field"), needed=True)
    return form.replace(fields=(pick, *form.fields))


def _move_of(
    game: Game, check: AnyCheck, prompt: str, as_: tuple[str, ...], option: str
) -> Move | None:
    """Return the actor's move of an answer, by its prompt and characters, or by its option."""
    for move in check_moves(game, check):
        if prompt and (move.prompt != prompt or (as_ and move.who not in as_)):
            continue
        if prompt or any(offered.value == option for offered in move.options):
            return move
    return None


def _answer_options(move: Move) -> tuple[Option, ...]:
    options = [Option(offered.value, _answer_label(offered)) for offered in move.options]
    if move.passes and all(option.value != PASS for option in options):
        options.append(Option(PASS, Text("amend-answer-pass")))
    return tuple(options)


def _answer_label(option: CheckOption) -> Text:
    return option.short or option.label


def _moment_text(moment: int) -> str:
    day, hour, minute = split_moment(moment)
    return f"day {day} {hour:02}:{minute:02}"


def _span_field() -> Typed:
    def read(text: str) -> str:
        return span_text(parse_span(text, "advance"))

    return Typed(
        "minutes",
        called="advance",
        title=Text("amend-advance-field"),
        example="3 days",
        read=read,
        into=lambda text: parse_span(text, "advance"),
        back=span_text,
    )


def _moment_field() -> Typed:
    def read(text: str) -> str:
        return _moment_text(parse_moment(text, "set"))

    return Typed(
        "moment",
        called="set",
        title=Text("amend-moment-field"),
        example="day 4 14:30",
        read=read,
        into=lambda text: parse_moment(text, "set"),
        back=_moment_text,
    )


def _award_fields(game: Game, action: Action) -> tuple[Field, ...]:
    kinds = award_options(game.system.resources)
    return (
        Pick("kind", choices=kinds, needed=True),
        Number("amount", low=1, high=AWARD_MAX, default=1),
        _character_field("to"),
        _reason_field(),
    )


def _adjust_fields(game: Game, action: Action) -> tuple[Field, ...]:
    assert isinstance(action, Adjust)
    return (
        _character_field("character", needed=True),
        Typed("what", most=NAME_MAX, needed=True),
        Typed("value", most=NAME_MAX * 3, needed=True),
        _reason_field(),
    )


def _reason_field() -> Typed:
    return Typed("reason", most=REASON_MAX)


def _fixed(*fields: Field) -> Callable[[Game, Action], tuple[Field, ...]]:
    """Return the function for fields that don't depend on the table."""
    return lambda game, action: fields


#: Fields of the shared actions, by the names of the actions' own fields.
_FIELDS: Final[Mapping[type[Action], Callable[[Game, Any], tuple[Field, ...]]]] = {
    Award: _award_fields,
    Adjust: _adjust_fields,
    AdvanceTime: _fixed(_span_field(), _moment_field()),
    Learn: _fixed(
        Typed("skill", most=NAME_MAX, needed=True),
        Typed("attribute", most=NAME_MAX),
        Typed("drawback", most=NAME_MAX),
        Typed("explanation", most=_TEXT_MAX, long=True),
    ),
    Advance: _fixed(
        Typed("skill", most=NAME_MAX, needed=True),
        Typed("explanation", most=_TEXT_MAX, long=True),
    ),
    AddToEncounter: _fixed(Number("score", low=-1000, high=1000)),
    StartScene: _fixed(Typed("title", most=NAME_MAX, needed=True)),
    EndScene: _fixed(Typed("summary", most=_TEXT_MAX, long=True)),
    SumUp: _fixed(Typed("summary", most=_TEXT_MAX, long=True, needed=True)),
}


def _form_of_kind(game: Game, action: Action) -> Form | None:
    """Return the form for an action of this kind; None if it has none."""
    fields = _FIELDS.get(type(action))
    if fields is not None:
        return Form(fields(game, action))
    return game.system.action_forms.get(type(action))


def _field_values(form: Form, action: Action) -> dict[str, Any]:
    """Return the values of an action's own fields by the keys of a form, without empty ones."""
    values: dict[str, Any] = {}
    for field in form.fields:
        held = getattr(action, field.key)
        if held not in (None, "", False, ()) and held != _default_of(action, field.key):
            values[field.key] = _shown_value(field, action, held)
    return values


def _shown_value(field: Field, action: Action, held: Any) -> Any:
    """Return the value of a form for what an action holds; a system's deeds hold the form's own."""
    return field.form_value(held) if type(action) in _FIELDS else held


def _held_value(field: Field, action: Action, value: Any) -> Any:
    if isinstance(action, CallForRolls):
        return held_call_value(field, value)
    return field.record_value(value) if type(action) in _FIELDS else value


def _default_of(action: Action, key: str) -> Any:
    return field_defaults(type(action)).get(key)


# --- other values ---------------------------------------------------------------------------------


def entry_change(entry: int, shown: EntryForm, action: Action, read: Values) -> EntryChange:
    """Return what differs between the values of an entry and others that were read of its form."""
    option = _other_option(action, read)
    held = _values_by_key(action)
    # Both sides of the comparison have to be as the form reads them.
    reread, _ = shown.form.read_draft(shown.form.write_draft(shown.values), shown.context)
    if isinstance(action, ChangeSettings):
        read, reread = _with_switched_off(shown.form, read), _with_switched_off(shown.form, reread)
    values: dict[str, Any] = {}
    for key, value in read.items():
        if key == ANSWER:
            continue
        is_same = not option and key in held and reread.get(key) == value
        if not is_same:
            values[key] = _held_value(shown.form.by_key[key], action, value)
    start = shown.starts.get(option or getattr(action, "option", ""), {})
    without: list[str] = []
    for key in held:
        field = shown.form.by_key.get(key)
        if key in read or (field is None and not option):
            continue
        # Without a value of its own, the option would start with its usual one.
        if field is not None and field.null and key in start:
            values[key] = None
        else:
            without.append(key)
    return EntryChange(entry, option, values, tuple(without))


def _with_switched_off(form: Form, read: Values) -> dict[str, Any]:
    """Return settings with those that are off.

    A form leaves out what isn't ticked. Of a setting that would mean: it stays as it was before.
    """
    off = {field.key: False for field in form.fields if isinstance(field, Flag)}
    return {**off, **read}


def _other_option(action: Action, read: Values) -> str:
    """Return the option that was chosen in place of an answer's own; empty for the same one."""
    if not isinstance(action, Choose | AnswerAlike):
        return ""
    chosen = str(read.get(ANSWER, action.option))
    return "" if chosen == action.option else chosen


def _values_by_key(action: Action) -> dict[str, Any]:
    """Return the values that an action holds, without its defaults."""
    if isinstance(action, Begin):
        aimed = {} if action.target is None else {_TARGET: action.target}
        return {**action.values, **aimed}
    if isinstance(action, CallForRolls):
        return call_values(action)
    if isinstance(action, Choose | AnswerAlike | ChangeSettings):
        return dict(action.values)
    common = field_defaults(Action)
    values: dict[str, Any] = {}
    for key, default in field_defaults(type(action)).items():
        held = getattr(action, key)
        if key not in common and held != _left_out(default):
            values[key] = held
    return values


def _left_out(default: Any) -> Any:
    """Return what a field holds that is left out, given its default; a required text is empty."""
    return "" if default is NODEFAULT else default


def is_changeable_kind(game: Game, action: Action) -> bool:
    """Return whether entries of this kind can get other values."""
    kind = type(action)
    return kind in _BY_KEY or kind in _FIELDS or kind in game.system.action_forms


def changed_action(action: Action, change: EntryChange) -> Action:
    """Return an action with the values of a change.

    Raises NotFound("unknown-option") for a value that the action doesn't have.
    """
    if not isinstance(action, _BY_KEY):
        return _with_fields(action, change)
    values: dict[str, Any] = {}
    held = _values_by_key(action)
    for key, value in {**held, **change.values}.items():
        if key not in change.without:
            values[key] = value
    if isinstance(action, Begin):
        target = values.pop(_TARGET, None)
        return action.replace(values=values, target=target)
    if isinstance(action, CallForRolls):
        return with_call_values(action, values)
    if isinstance(action, Choose | AnswerAlike) and change.option:
        return action.replace(values=values, option=change.option)
    return action.replace(values=values)


def _with_fields(action: Action, change: EntryChange) -> Action:
    """Return an action whose own fields have other values; who acted and when stay."""
    defaults = field_defaults(type(action))
    common = field_defaults(Action)
    fields: dict[str, Any] = {}
    for key in (*change.without, *change.values):
        if key not in defaults or key in common or key == "as_":
            raise NotFound("unknown-option", field="change", value=key, nearest=())
        left_out = _left_out(defaults[key])
        fields[key] = change.values.get(key, left_out)
    return action.replace(**fields)


def changes_of(amend: Amend) -> dict[int, EntryChange]:
    """Return the other values of an amendment, by the numbers of their entries."""
    changes = {change.entry: change for change in amend.also}
    own = EntryChange(amend.entry, amend.option, amend.values, amend.without)
    if not amend.undo and not is_empty_change(own):
        changes[amend.entry] = own
    return changes


def is_empty_change(change: EntryChange) -> bool:
    """Return whether a change changes nothing."""
    return not (change.option or change.values or change.without)
