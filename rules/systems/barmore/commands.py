"""What stands under `/barmore`: teams, complex actions, contests and phases."""

from __future__ import annotations

from collections.abc import Callable
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
from rules.table.blocks import FOR_EVERYONE, Group, Note, Text
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
from rules.table.duration import parse_span
from rules.table.forms import (
    Flag,
    Form,
    FormContext,
    Number,
    Option,
    Pick,
    Typed,
    Values,
    plain_options,
)
from rules.table.permissions import is_gm
from rules.table.system import Game
from rules.table.turns.encounters import slot_options


def _tasks(asking: FormContext) -> tuple[Option, ...]:
    found = visible_tasks(asking.game)
    return tuple(Option(task.id, task_title(task)) for task in found)


_CHECK: Final = Typed("check", most=100, needed=True)
_TASK: Final = Typed("task", most=100, choices=_tasks)


def _join(game: Game, given: Values) -> PromptAnswer:
    said: dict[str, Any] = dict(given)
    check, leave, words, as_ = [said.pop(key, None) for key in ("check", "leave", "with", "as")]
    require_joining(game, check, as_, leave=bool(leave))
    if leave:
        return PromptAnswer(check, "join", "leave", as_=as_)
    if "skill" not in said:
        raise InvalidInput("bar-which-skill", field="skill", value=None)
    return PromptAnswer(check, "join", "join", said, words, as_)


def _roll(game: Game, given: Values) -> PromptAnswer:
    ready = (each.check for each in reversed(available_moves(game)) if each.prompt == "ready")
    check = given.get("check") or next(
        (key for key in ready if game.state.checks[key].kind == "team"), None
    )
    if check is None:
        raise InvalidInput("which-team", field="check", value=None)
    return PromptAnswer(check, "ready", "roll")


def _start_task(game: Game, given: Values) -> CommandAction:
    values = {key: value for key, value in given.items() if key != "who"}
    return CommandAction(
        complex_actions.StartTask,
        values | {"as_": given["who"], "every": parse_span(given["every"], "every")},
    )


def _task_of(game: Game, given: Values) -> Task:
    return find_task(game, given.get("task"))


#: Options that are several words, and what the action calls them.
_WORD_LISTS: Final = {"with": "options", "refuse": "refused"}


def _task_command(
    action: type[Action], *, told: bool = True
) -> Callable[[Game, Values], CommandAction]:
    """What is done about one of the complex actions; `told` where everybody may read it."""

    def run(game: Game, given: Values) -> CommandAction:
        task = _task_of(game, given)
        lists = {name: split_words(given[key]) for key, name in _WORD_LISTS.items() if key in given}
        values = {key: each for key, each in given.items() if key not in _WORD_LISTS}
        return CommandAction(
            action,
            {**values, **lists, "task": task.id},
            openly=told and is_public_task(game.state, task),
        )

    return run


def _before_roll(game: Game, given: Values) -> ButtonQuestion:
    task = _task_of(game, given)
    who = complex_actions.require_roll(game, task, given.get("rolls")).id
    return ButtonQuestion(player_form("check"), who, task_title(task), roll_label)


def _refusable(asking: FormContext) -> tuple[Option, ...]:
    """What the rolls claim that wait for a GM."""
    game, found = asking.game, visible_tasks(asking.game)
    waiting = [complex_actions.roll_claims(game, task) for task in found if not task.is_over]
    return tuple([Option(key, label) for each in waiting for key, label in each.items()])


def _show_tasks(game: Game, given: Values) -> CommandView:
    found = (_task_of(game, given),) if "task" in given else visible_tasks(game)
    gm = is_gm(game.state, game.actor)
    told = [(task_title(each), complex_actions.task_blocks(game, each, gm=gm)) for each in found]
    blocks = tuple(
        Group(title, tuple((text,) for text in texts), FOR_EVERYONE) for title, texts in told
    )
    return CommandView(
        complex_actions.task_text("all"),
        blocks or (Note(complex_actions.task_text("none"), FOR_EVERYONE),),
    )


def _act(game: Game, given: Values, *, switch: bool) -> CommandAction:
    values = {"doing": given["action"], "costs": split_words(given["cost"]), "switch": switch}
    return CommandAction(
        BeginAction, values | {"scores": split_words(given.get("score")), "as_": given.get("as")}
    )


def _at_once(game: Game, given: Values) -> CommandView:
    minutes, least = simultaneous_times(split_words(given["times"]))
    told = [{"minutes": time} for time in minutes] + [{"seconds": int(least * 60)}]
    return CommandView(
        Text("bar-at-once"),
        tuple([Note(Text("bar-at-once", each), FOR_EVERYONE) for each in told]),
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
#: Buttons carry for how many rolls they were shown.
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
        asks=_before_roll,
        waits=partial(complex_actions.waiting_tasks, wished=False),
    ),
    Command(
        "task accept",
        _task_command(complex_actions.AcceptWish),
        Form((_TASK, Typed("refuse", most=WORDS_MAX, choices=_refusable))),
        pressed=_BUTTON_FORM,
        waits=partial(complex_actions.waiting_tasks, wished=True),
    ),
    Command("task show", _show_tasks, Form((_TASK,))),
    Command("task drop", _task_command(complex_actions.DropTask, told=False), Form((_TASK,))),
    Command("act", partial(_act, switch=False), _ACT_FORM),
    Command("switch", partial(_act, switch=True), _ACT_FORM),
    Command("at-once", _at_once, Form((Typed("times", most=WORDS_MAX, needed=True),))),
)
