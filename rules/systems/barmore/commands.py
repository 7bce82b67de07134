"""Commands under `/barmore`: teams, complex actions, contests and phases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.name_matching import split_words
from rules.systems.barmore import complex_actions
from rules.systems.barmore.check_forms import player_form, roll_label
from rules.systems.barmore.check_state import MODES
from rules.systems.barmore.complex_actions import (
    NAME_MAX,
    Task,
    find_task,
    is_public_task,
    task_title,
    visible_tasks,
)
from rules.systems.barmore.procedure import require_joining
from rules.systems.barmore.reference_rows import GOVERNING_ATTRIBUTES
from rules.systems.barmore.timed_actions import BeginAction, simultaneous_times
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Block, Group, Note, Text
from rules.table.check import Values
from rules.table.checks.available_moves import available_moves
from rules.table.checks.stages import MODIFIER_FIELD
from rules.table.commands import (
    AS_FIELD,
    WITH_FIELD,
    WORDS_MAX,
    ButtonQuestion,
    Command,
    CommandAction,
    CommandView,
    PromptAnswer,
    check_starter,
    known_character_options,
)
from rules.table.forms.fields import (
    Flag,
    FormContext,
    Many,
    Number,
    Option,
    Pick,
    Typed,
    plain_options,
)
from rules.table.forms.form import Form
from rules.table.permissions import is_gm
from rules.table.system import Game
from rules.table.times.duration import parse_span
from rules.table.turns.slots import slot_options


def _task_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the complex actions that the actor may see."""
    return tuple(Option(task.id, task_title(task)) for task in visible_tasks(asking.game))


_CHECK: Final = Typed("check", most=100, needed=True)
_TASK: Final = Typed("task", most=100, choices=_task_options)


def _join(game: Game, given: Values) -> PromptAnswer:
    """Join or leave a team."""
    request: dict[str, Any] = dict(given)
    check, leave, words, as_ = [request.pop(key, None) for key in ("check", "leave", "with", "as")]
    require_joining(game, check, as_, leave=bool(leave))
    if leave:
        return PromptAnswer(check, "join", "leave", as_=as_)
    if "skill" not in request:
        raise InvalidInput("bar-which-skill", field="skill", value=None)
    return PromptAnswer(check, "join", "join", request, words, as_)


def _roll(game: Game, given: Values) -> PromptAnswer:
    """Roll for the team that is named, or for the latest one that is ready."""
    ready = (move.check for move in reversed(available_moves(game)) if move.prompt == "ready")
    teams = (key for key in ready if game.state.checks[key].kind == "team")
    check = given.get("check") or next(teams, None)
    if check is None:
        raise InvalidInput("which-team", field="check", value=None)
    return PromptAnswer(check, "ready", "roll")


def _start_task(game: Game, given: Values) -> CommandAction:
    """Set a complex action."""
    values = {key: value for key, value in given.items() if key != "who"}
    return CommandAction(
        complex_actions.StartTask,
        values | {"as_": given["who"], "every": parse_span(given["every"], "every")},
    )


def _task_of(game: Game, given: Values) -> Task:
    """Return the complex action that the option names."""
    return find_task(game, given.get("task"))


#: Options that are several words, with the action's names for them.
_WORD_LISTS: Final = {"with": "options", "refuse": "refused"}


def _task_command(
    action: type[Action], *, public: bool = True
) -> Callable[[Game, Values], CommandAction]:
    """Return the function of a command about a complex action.

    With *public* all players may read the answer, unless the action itself is secret.
    """

    def run(game: Game, given: Values) -> CommandAction:
        task = _task_of(game, given)
        lists = {name: split_words(given[key]) for key, name in _WORD_LISTS.items() if key in given}
        values = {key: value for key, value in given.items() if key not in _WORD_LISTS}
        return CommandAction(
            action,
            {**values, **lists, "task": task.id},
            openly=public and is_public_task(game.state, task),
        )

    return run


def _roll_question(game: Game, given: Values) -> ButtonQuestion:
    """Return the form that asks what to roll with."""
    task = _task_of(game, given)
    who = complex_actions.require_roll(game, task, given.get("rolls")).id
    return ButtonQuestion(player_form("check"), who, task_title(task), roll_label)


def _refusable_claims(asking: FormContext) -> tuple[Option, ...]:
    """Return the claims of rolls that wait for a GM."""
    options: list[Option] = []
    for task in visible_tasks(asking.game):
        if not task.is_over:
            claims = complex_actions.roll_claims(asking.game, task)
            options += [Option(key, label) for key, label in claims.items()]
    return tuple(options)


def _show_tasks(game: Game, given: Values) -> CommandView:
    """Show one complex action, or all that the actor may see."""
    tasks = (_task_of(game, given),) if "task" in given else visible_tasks(game)
    gm = is_gm(game.state, game.actor)
    blocks: list[Block] = []
    for task in tasks:
        rows = tuple((text,) for text in complex_actions.task_blocks(game, task, gm=gm))
        blocks.append(Group(task_title(task), rows, FOR_EVERYONE))
    if not blocks:
        blocks.append(Note(complex_actions.task_text("none"), FOR_EVERYONE))
    return CommandView(complex_actions.task_text("all"), tuple(blocks))


def _begin(game: Game, given: Values, *, switch: bool) -> CommandAction:
    """Begin actions on the timeline; *switch* breaks off what is under way."""
    values = {"doing": given["action"], "costs": split_words(given["cost"]), "switch": switch}
    return CommandAction(
        BeginAction, values | {"scores": split_words(given.get("score")), "as_": given.get("as")}
    )


def _show_times(game: Game, given: Values) -> CommandView:
    """Show what several actions at once take, and the least time for all (BAR-MULTI)."""
    minutes, least = simultaneous_times(split_words(given["times"]))
    lines = [{"minutes": time} for time in minutes] + [{"seconds": int(least * 60)}]
    return CommandView(
        Text("bar-at-once"),
        tuple([Note(Text("bar-at-once", line), FOR_EVERYONE) for line in lines]),
        openly=True,
    )


_MODE: Final = Pick(
    "mode", choices=plain_options(mode.replace("_", " ") for mode in MODES["team"]), needed=True
)
_START_FORM: Final = Form.of(
    Typed("name", most=NAME_MAX, needed=True),
    Typed("who", most=100, choices=known_character_options, needed=True),
    Number("required", low=1, high=complex_actions.HIGHEST_REQUIRED, needed=True),
    Typed("every", most=100, needed=True),
    Flag("hidden"),
)
_ACT_FORM: Final = Form.of(
    Typed("action", most=NAME_MAX, needed=True),
    Typed("cost", most=100, needed=True),
    Typed("score", most=100, choices=lambda asking: plain_options(GOVERNING_ATTRIBUTES.phases)),
    Typed("as", most=100, choices=slot_options),
)
#: A button carries the number of rolls at the time when it was shown.
_BUTTON_FORM: Final = Form((_TASK, Number("rolls", high=10**6)))
_TRAITS: Final = ("skill", "attribute")
COMMANDS: Final = (
    Command(
        "team start",
        check_starter("team"),
        Form((_MODE, WITH_FIELD, AS_FIELD)),
        "team",
        (*_TRAITS, "difficulty", "approach"),
    ),
    Command(
        "team join",
        _join,
        Form((_CHECK, WITH_FIELD, AS_FIELD, Flag("leave"))),
        "team",
        (*_TRAITS, "approach"),
    ),
    Command("team roll", _roll, Form((_CHECK.replace(needed=False),)), "team"),
    Command("task start", _start_task, _START_FORM, "check", ("difficulty", *_TRAITS)),
    Command(
        "task roll",
        _task_command(complex_actions.RollTask),
        Form((_TASK, WITH_FIELD, MODIFIER_FIELD)),
        "check",
        pressed=_BUTTON_FORM,
        asks=_roll_question,
        waits=partial(complex_actions.waiting_tasks, wished=False),
    ),
    Command(
        "task accept",
        _task_command(complex_actions.AcceptWish),
        Form((_TASK, Typed("refuse", most=WORDS_MAX, choices=_refusable_claims))),
        pressed=_BUTTON_FORM,
        waits=partial(complex_actions.waiting_tasks, wished=True),
    ),
    Command("task show", _show_tasks, Form((_TASK,))),
    Command("task drop", _task_command(complex_actions.DropTask, public=False), Form((_TASK,))),
    Command("act", partial(_begin, switch=False), _ACT_FORM),
    Command("switch", partial(_begin, switch=True), _ACT_FORM),
    Command("at-once", _show_times, Form((Typed("times", most=WORDS_MAX, needed=True),))),
)


def _any_word(asking: FormContext, text: str) -> str:
    return text


_COSTS: Final = Many("costs", find=_any_word, needed=True)
_SCORES: Final = Many("scores", find=_any_word)
#: Values of entries that a GM can amend.
ACTION_FORMS: Final[Mapping[type[Action], Form]] = {
    complex_actions.StartTask: Form(
        (
            Typed("difficulty", most=NAME_MAX, needed=True),
            Number("required", low=1, high=complex_actions.HIGHEST_REQUIRED, needed=True),
        )
    ),
    complex_actions.RollTask: Form((MODIFIER_FIELD,)),
    BeginAction: Form((Typed("doing", most=NAME_MAX, needed=True), _COSTS, _SCORES)),
}
