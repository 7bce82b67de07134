"""Last ditch effort: all remaining steps of a task tried at once (MB-CARD-C07)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound, Outdated
from rules.core.name_matching import matches
from rules.core.record import Record
from rules.systems.masterbook.checks.action_economy import (
    require_awake,
    spend_action,
    turns_of,
    use_up_marks,
)
from rules.systems.masterbook.checks.attempt_values import means_of, rated_by
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.declared_actions import read_ranks
from rules.systems.masterbook.checks.procedure import throw_for
from rules.systems.masterbook.checks.roll_stages import (
    Moments,
    ResolutionWindow,
    RolledAction,
    dice_stages,
    idle,
    training_notes,
)
from rules.systems.masterbook.checks.state import Attempt, Plan, Rating
from rules.systems.masterbook.checks.view import dice_of
from rules.systems.masterbook.deck import skill_resolution as tasks
from rules.systems.masterbook.deck.card_definitions import LETTERS
from rules.systems.masterbook.deck.play import Moment
from rules.systems.masterbook.deck.skill_resolution import Task, TaskStep
from rules.systems.masterbook.deck.table_deck import for_all
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.reference_rows import nonzero_causes
from rules.systems.masterbook.rounds.task_state import (
    ROLLABLE_NAMES,
    readable_tasks,
    require_task,
    task_at,
    with_task,
)
from rules.systems.masterbook.rounds.task_steps import (
    best_of,
    find_listed_skill,
    plan_of,
    read_step_skill,
    require_listed,
    result_blocks,
    usable_skills,
)
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Ref, Text, Verdict
from rules.table.check import OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult, has_throws
from rules.table.checks.shared_blocks import approach_blocks, full_and_plain
from rules.table.checks.stages import APPROACH_FIELD, ROLL
from rules.table.forms.fields import FormContext, Option, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.lookup import (
    find_known,
    known_characters,
)
from rules.table.permissions import known_name, owns
from rules.table.state import AnyCharacter
from rules.table.system import Game

#: Most characters of the text of a step.
MAX_STEP_TEXT: Final = 120


class LastDitchStep(Record):
    """One step of a last ditch effort."""

    letter: str
    #: Character who does the step.
    who: str
    #: Skill or Attribute that is rolled. Empty until the character's player has named it.
    what: str
    #: Difficulty number.
    number: int
    #: Multi-action penalty of a character who does several steps.
    loss: int = 0
    rating: Rating = Rating(0)


class LastDitchEffort(Attempt):
    """All remaining steps tried at once (MB-CARD-C07)."""

    steps: tuple[LastDitchStep, ...] = ()
    #: The task as it stood when the effort was proposed.
    task: Task = Task()
    #: Characters whose players have agreed.
    joined: tuple[str, ...] = ()
    #: The character whose player has refused.
    refused: str = ""
    #: The character who could not act any more when a player agreed.
    unable: str = ""
    #: Whether all steps worked; None before the result.
    worked: bool | None = None
    #: The task after the effort.
    after: Task | None = None

    def steps_of(self, who: str) -> tuple[LastDitchStep, ...]:
        """Return the steps that a character does."""
        return tuple([step for step in self.steps if step.who == who])


STEP_KEYS: Final = tuple(f"step_{letter.casefold()}" for letter in LETTERS)
STEP_KEY_OF: Final[dict[str, str]] = dict(zip(LETTERS, STEP_KEYS, strict=True))


def _step_offers(letter: str, asking: FormContext) -> tuple[Option, ...]:
    """Return the characters and skills that completion offers for a step."""
    game = asking.game
    if game is None:
        return ()
    task_states = list(readable_tasks(game).values())
    if len(task_states) != 1 or task_states[0].task.status != "open":
        return ()
    task, at = task_states[0].task, LETTERS.index(letter)
    if not task.level <= at < len(task.steps):
        return ()
    skills = usable_skills(task.steps[at])
    offers = list(skills)
    # A step without a name is the asking user's own.
    own_id = asking.who or game.state.person(game.actor.id).active
    for character in known_characters(game.state, game.actor):
        is_offered = character.owner is not None or owns(game.state, game.actor, character)
        if character.id == own_id or not is_offered:
            continue
        name = known_name(game.state, game.actor, character)
        offers.extend(f"{name}: {skill}" for skill in skills)
    return plain_options(offers)


def _step_field(letter: str, key: str) -> Typed:
    """Return the field for the character and skill of a step."""
    return Typed(key, most=MAX_STEP_TEXT, choices=lambda asking: _step_offers(letter, asking))


DOER_FIELDS: Final = tuple(_step_field(letter, key) for letter, key in STEP_KEY_OF.items())
RANKS_FIELD: Final = Typed("ranks", most=20)
DITCH_FORM: Final = Form((*DOER_FIELDS, RANKS_FIELD, APPROACH_FIELD))


def find_doer(game: Game, text: str, field: str) -> tuple[AnyCharacter | None, str]:
    """Return the character (None: the actor) and skill (maybe empty) that a step's text names.

    Such texts are `Boris: Climbing`, `Boris`, `Climbing` and `Martial Arts: wrestling`. Raises
    InvalidInput("mb-task-who") for an unknown name.
    """
    name, colon, skill = text.partition(":")
    if not colon and (not text.strip() or _is_skill(text)):
        return None, text.strip()
    try:
        return find_known(game.state, game.actor, name.strip(), field), skill.strip()
    except (NotFound, InvalidInput):
        if _is_skill(name):
            return None, text.strip()
        value = name.strip()[:100]
        raise InvalidInput("mb-task-who", field=field, value=value) from None


def _is_skill(text: str) -> bool:
    return bool(matches(ROLLABLE_NAMES, text.partition("(")[0], str))


def _begin_last_ditch(game: Game, check: Any, values: Values) -> Any:
    """Propose a last ditch effort (MB-CARD-C07).

    Raises Impossible("mb-task-none"), ("mb-card-task-closed"), and as `find_doer`,
    `_require_able` and `read_step_skill`.
    """
    task_state = require_task(game.state, check.place)
    task = task_state.task
    tasks.require_open(task)
    remaining = task.steps[task.level :]
    letters = LETTERS[task.level : len(task.steps)]
    doers: list[str] = []
    skills: list[str] = []
    for letter, step in zip(letters, remaining, strict=True):
        who, skill = _doer_and_skill(game, check, letter, step, values)
        doers.append(who)
        skills.append(skill)
    ranks = read_ranks(values.get("ranks", ""), len(remaining))
    losses = tasks.last_ditch_penalties(doers, ranks)
    numbers = tasks.last_ditch_difficulties(task)
    steps: list[LastDitchStep] = []
    for at, letter in enumerate(letters):
        steps.append(LastDitchStep(letter, doers[at], skills[at], numbers[at], losses[at]))
    own = tuple(dict.fromkeys([who for who in doers if _is_own(game, who)]))
    data = LastDitchEffort(
        answer=ROLL,
        steps=tuple(steps),
        task=task,
        joined=own,
        request=Plan(skill=skills[0]),
    )
    for who in own:
        data = _with_ratings(game, data, who)
    return check.replace(
        data=data,
        approach=values.get(APPROACH_FIELD.key, "").strip(),
        hidden=not task_state.shown,
        reveal=game.state.settings.reveal,
    )


def _doer_and_skill(
    game: Game, check: Check[Any], letter: str, step: TaskStep, values: Values
) -> tuple[str, str]:
    """Return the character who does a step of the effort, and the skill.

    The skill is empty if another player still has to choose it. Raises as `find_doer`,
    `_require_able`, `read_step_skill` and `require_listed`.
    """
    field = STEP_KEY_OF[letter]
    named, skill = find_doer(game, values.get(field, ""), field)
    who = check.actor if named is None else named.id
    _require_able(game, who)
    if _is_own(game, who):
        skill = read_step_skill(game, who, step, skill, field)
    elif skill:
        skill = find_listed_skill(skill)
        require_listed(step, skill, field)
    return who, skill


def _require_able(game: Game, who: str) -> None:
    """Raise unless a character has an action left in this round (MB-CARD-C07, MB-ACT-01).

    Raises Impossible("mb-no-action-left"), and as `require_awake`.
    """
    require_awake(game, who)
    turns_of(game, who)


def _is_able(game: Game, who: str) -> bool:
    """Return whether a character still has an action for the effort."""
    try:
        _require_able(game, who)
    except Impossible:
        return False
    return True


def _is_own(game: Game, who: str) -> bool:
    """Return whether the actor decides for a character, so that no other player is asked."""
    return owns(game.state, game.actor, game.character(who))


def _with_ratings(game: Game, data: LastDitchEffort, who: str) -> LastDitchEffort:
    """Return the effort with a character's ratings by the present sheet. Raises as `rated_by`.

    The effort is an action of each character who does a step, also out of turn (MB-ACT-01).
    """
    steps: list[LastDitchStep] = []
    for step in data.steps:
        if step.who != who:
            steps.append(step)
            continue
        rating = rated_by(game, who, plan_of(step.what), acting=True)
        loss = nonzero_causes(("multi_action", step.loss))
        steps.append(step.replace(rating=rating.with_causes(*loss)))
    return data.replace(steps=tuple(steps))


class LastDitchConsent(Stage[LastDitchEffort]):
    """Agreement of the players whose characters do a step, and their skills (MB-CARD-C07)."""

    name = "agreed"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        data = check.data
        waiting = [step.who for step in data.steps if step.who not in data.joined]
        if not waiting or data.refused:
            return ()
        who = tuple(dict.fromkeys(waiting))
        return (Prompt("ditch", who, "answer", "decline", button="mb-task-ditch"),)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        task = check.data.task
        fields: list[Pick] = []
        values: dict[str, Any] = {}
        for tried in check.data.steps_of(who):
            step = task.steps[LETTERS.index(tried.letter)]
            key = STEP_KEY_OF[tried.letter]
            choices = _rollable_skills(game, who, step)
            title = Text("mb-task-step", {"letter": tried.letter})
            fields.append(Pick(key, choices=choices, title=title, needed=True))
            offered = [option.value for option in choices]
            if tried.what in offered:
                values[key] = tried.what
            elif offered:
                values[key] = best_of(game, who, offered)
        join = CheckOption("join", Text("mb-task-join"), Form(tuple(fields)), values=values)
        return join, CheckOption("decline", Text("mb-task-decline"))

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        data, who = check.data, choice.who
        if choice.option == "decline":
            return StageResult(game.state, data.replace(refused=who), OVER)
        task_state = task_at(game.state, check.place, open_=True)
        if task_state is None or not task_state.task.is_like(data.task):
            raise Outdated("mb-task-moved", letter=None)
        for doer in dict.fromkeys([step.who for step in data.steps]):
            if not _is_able(game, doer):
                return StageResult(game.state, data.replace(unable=doer), OVER)
        steps: list[LastDitchStep] = []
        for step in data.steps:
            if step.who == who:
                step = step.replace(what=choice.values[STEP_KEY_OF[step.letter]])
            steps.append(step)
        data = data.replace(steps=tuple(steps), joined=(*data.joined, who))
        return StageResult(game.state, _with_ratings(game, data, who))


def _rollable_skills(game: Game, who: str, step: TaskStep) -> tuple[Option, ...]:
    """Return the skills that a character can roll for a step, with their values."""
    options: list[Option] = []
    for name in usable_skills(step):
        try:
            rating = rated_by(game, who, plan_of(name))
        except Impossible:
            continue
        options.append(Option(name, Text("mb-skill", {"name": name, "value": rating.value})))
    return tuple(options)


def _moments(game: Game, check: Any, *letters: str) -> tuple[Moment, ...]:
    """Return the totals of these steps as cards see them."""
    moments: list[Moment] = []
    for step in check.data.steps:
        if step.letter in letters:
            total = Moment("roll_pending", step.who, step.who, "total", step.letter)
            moments.append(means_of(game, step.who, plan_of(step.what)).of(total))
    return tuple(moments)


class LastDitchRoll(RolledAction):
    """Dice of all remaining steps."""

    def refresh_from_sheets(self, game: Game, check: Any, data: Any) -> Any:
        for who in dict.fromkeys([step.who for step in data.steps if not step.rating.barred]):
            data = _with_ratings(game, data, who)
        return data

    def throws_due(self, game: Game, check: Any) -> tuple[Throw, ...]:
        thrown = {throw.what for throw in check.data.throws}
        throws: list[Throw] = []
        for step in check.data.steps:
            if step.letter not in thrown:
                throws.append(throw_for(game, check, step.who, step.letter, step.rating))
        return tuple(throws)

    def untrained_moments(self, game: Game, check: Any) -> Moments:
        barred = [step.letter for step in check.data.steps if step.rating.barred]
        moments = _moments(game, check, *barred)
        return tuple(moment.replace(window="pre_roll") for moment in moments)

    def open_dice_moments(self, game: Game, check: Any) -> Moments:
        return _moments(game, check, *[throw.what for throw in check.data.throws])

    def resolution_moments(self, game: Game, check: Any) -> Moments:
        """Return a moment for each character, who may begin all own steps anew (MB-CARD-E15)."""
        characters = dict.fromkeys([throw.who for throw in check.data.throws])
        return tuple(Moment("after_resolution", who, who) for who in characters)

    def use_up_effects(self, game: Game, check: Any) -> Game:
        for who in dict.fromkeys([step.who for step in check.data.steps]):
            game = use_up_marks(game, who)
            game = spend_action(game, who)
        return game


class LastDitchStage(Stage[Any]):
    """Result of the effort: all steps worked, or none did (MB-CARD-C07)."""

    name = "ended"

    def enter(self, game: Game, check: Any, /) -> StageResult[Any] | None:
        data, task_state = check.data, task_at(game.state, check.place, open_=True)
        if data.worked is not None or task_state is None:
            return None
        total_of = {throw.what: throw.total for throw in data.throws}
        totals = [total_of[step.letter] for step in data.steps]
        worked = tasks.has_reached_all(totals, [step.number for step in data.steps])
        lost = game.setting("csr_failed_last_ditch_with_clock") == "task_lost"
        after = tasks.last_ditch(task_state.task, success=worked, lost=lost)
        state = with_task(game, check.place, task_state.replace(task=after)).state
        return StageResult(state, data.replace(worked=worked, after=after))


def describe_ditch(game: Game, check: Any) -> tuple[Block, ...]:
    """Describe the effort: every step with its dice, and the task after it."""
    data = check.data
    blocks: list[Block] = []
    if data.worked is not None:
        code = "mb-success" if data.worked else "mb-failure"
        tone = "good" if data.worked else "bad"
        blocks.append(Verdict(Text(code), tone, FOR_EVERYONE, worked=data.worked))
        blocks += result_blocks(data.after, "ditch")
    blocks += approach_blocks(check)
    if data.refused:
        blocks.append(for_all("mb-task-refused", who=Ref(data.refused)))
    if data.unable:
        blocks.append(for_all("mb-task-unable", who=Ref(data.unable)))
    for step in data.steps:
        about = {"who": Ref(step.who), "what": step.what or None}
        label = Text("mb-task-step", {"letter": step.letter})
        numbered = Text("mb-task-does", {**about, "number": step.number})
        full = Fact(label, numbered, FOR_EVERYONE)
        if check.hidden:
            blocks += full_and_plain(full, value=Text("mb-task-does", about))
        else:
            blocks.append(full)
    return (*blocks, *training_notes(check), *dice_of(game, data))


_LAST_DITCH_ROLL: Final = LastDitchRoll()
DITCH_PROCEDURE: Final = Procedure[Any](
    "ditch",
    (
        LastDitchConsent(),
        *dice_stages(_LAST_DITCH_ROLL),
        ResolutionWindow(_LAST_DITCH_ROLL, hostile=False),
        LastDitchStage(),
        BadLuckStage(),
    ),
    data=LastDitchEffort,
    form=DITCH_FORM,
    dice_have_fallen=has_throws,
    begin=_begin_last_ditch,
    describe=describe_ditch,
    cast=lambda check: tuple(dict.fromkeys([step.who for step in check.data.steps])),
    idle=idle,
    anybody=True,
)
