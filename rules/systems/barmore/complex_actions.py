"""Complex actions: many rolls over the story's time toward a required Degree of Success.

BAR-COMPLEX.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.name_matching import clean_name, find_or_likely
from rules.core.record import Record
from rules.systems.barmore import check_state, view
from rules.systems.barmore.check_forms import read_difficulty, read_options
from rules.systems.barmore.check_state import Pace, Plan
from rules.systems.barmore.pool import PoolRoll, judge
from rules.table.actions import Action
from rules.table.blocks import (
    EVERYONE,
    FOR_EVERYONE,
    GMS,
    GMS_ONLY,
    Block,
    Fact,
    Group,
    Note,
    Ref,
    Text,
    Value,
    Verdict,
)
from rules.table.check import ANY_GM
from rules.table.checks.stages import NONE_WORD
from rules.table.commands import OwnWait, PendingButton
from rules.table.events import Reported
from rules.table.forms.typed_texts import one_line
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, owns, public_name, require_gm, require_owner
from rules.table.readable_places import may_read
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game
from rules.table.times.duration import LATEST

TASK_PREFIX: Final = "task"
NAME_MAX: Final = 80
#: Most complex actions that a table has open at once.
MAX_TASKS: Final = 50
#: Most levels that a complex action requires.
HIGHEST_REQUIRED: Final = 10_000
#: Most minutes that one roll stands for.
MAX_ROLL_MINUTES: Final = LATEST // HIGHEST_REQUIRED


class Task(Record):
    """A complex action of one character."""

    id: str
    name: str
    #: Id of the character who works on it.
    character: str
    skill: str
    attribute: str
    difficulty: int
    #: Minutes of the story for one roll.
    every: int
    #: Levels that are required, 1 or more.
    required: int
    #: Levels reached so far, which may be below 0.
    done: int = 0
    #: Rolls made so far.
    rolls: int = 0
    #: Players see only whether a roll was a success: no Difficulty, and no totals.
    hidden: bool = False
    #: The action was given up.
    dropped: bool = False
    #: Minutes that the rolls took.
    minutes: int = 0
    #: Roll that waits for a GM, since it claims something.
    wish: Plan | None = None
    #: Number of the action among all of the table.
    number: int = 0
    #: Place in which the task was begun.
    place: str = ""
    #: Time of the last change, in seconds since 1970; 0 if that isn't known.
    since: int = 0

    @property
    def is_finished(self) -> bool:
        """True once the levels reach what is required."""
        return self.done >= self.required

    @property
    def is_over(self) -> bool:
        """True if it gets no further rolls."""
        return self.dropped or self.is_finished

    def with_roll(self, degree: int, pace: Pace) -> Task:
        """Return the task after a roll of that success level; a negative degree is a failure level.

        The roll took the usual time, halved and doubled as the *pace* says (BAR-TIME), in minutes
        rounded up.
        """
        after = self.minutes + ceil(pace.time_taken(self.every))
        return self.replace(done=self.done + degree, rolls=self.rolls + 1, minutes=after, wish=None)


class StartTask(Action, kw_only=True):
    """Set a complex action for a character, as a GM."""

    name: str
    difficulty: str = NONE_WORD
    required: int
    #: Minutes of the story for one roll.
    every: int
    skill: str | None = None
    attribute: str | None = None
    as_: str
    hidden: bool = False


class RollTask(Action, kw_only=True):
    """Make the next roll of a complex action."""

    task: str
    options: tuple[str, ...] = ()
    modifier: int = 0
    #: Number of rolls when the button was shown; None for any number.
    rolls: int | None = None


class AcceptWish(Action, kw_only=True):
    """Accept a roll that claims something, as a GM."""

    task: str
    #: Claims that the GM refuses.
    refused: tuple[str, ...] = ()
    #: Number of rolls when the button was shown; None for any number.
    rolls: int | None = None


class DropTask(Action, kw_only=True):
    """Give a complex action up, as a GM or as the player of its character."""

    task: str


def tasks_of(state: TableState) -> tuple[Task, ...]:
    """Return the complex actions of a table, oldest first."""
    tasks = (part for part in state.own.values() if isinstance(part, Task))
    return tuple(sorted(tasks, key=lambda task: task.number))


def stranded_tasks(game: Game) -> dict[str, str]:
    """Return the names, by key, of open complex actions that the campaign no longer supports.

    Their traits are not in its trees, or their character is gone.
    """

    def has_traits(task: Task) -> bool:
        try:
            return bool(
                task.is_over or check_state.read_traits(game.campaign, task.skill, task.attribute)
            )
        except NotFound:
            return False

    stranded: dict[str, str] = {}
    for task in tasks_of(game.state):
        if task.character not in game.state.characters or not has_traits(task):
            stranded[_key(task)] = task.name
    return stranded


def task_text(what: str, **about: Value) -> Text:
    """Return a text about complex actions; *what* is its kind."""
    return Text("bar-task", {"what": what, **about})


def task_title(task: Task) -> Text:
    """Return the name of a complex action as a title."""
    return task_text("called", name=task.name, id=task.id)


def task_blocks(game: Game, task: Task, *, gm: bool) -> tuple[Text, ...]:
    """Return the state of a complex action, as GMs or all players may see it."""
    character = game.state.characters[task.character]
    try:
        task_traits = check_state.find_traits(character.sheet, game.campaign, _request(task))
        traits = view.trait_lines(task_traits, scores=gm or character.owner is not None)
    except NotFound:  # the action is over, and its campaign was replaced
        names = (task.skill, task.attribute)
        traits = tuple(Text("bar-trait", {"name": name}) for name in names if name)
    who = character.name if gm else public_name(character)
    difficulty = None if task.hidden and not gm else task.difficulty
    lines = (
        task_text("work", who=Ref(name=who), traits=traits, difficulty=difficulty),
        _progress_line(task, gm=gm),
        task_text("time", every=task.every, rolls=task.rolls, minutes=task.minutes),
    )
    if task.wish is None or task.is_over:
        return lines
    return (*lines, _wish_text(game, task))


def _progress_line(task: Task, *, gm: bool) -> Text:
    """Return how far a complex action is; of a hidden one, players see no levels."""
    done = task.done if gm or not task.hidden else None
    return task_text(
        "progress", required=task.required, done=done, over=task.is_finished, dropped=task.dropped
    )


def _wish_text(game: Game, task: Task) -> Text:
    """Return what the roll that waits for a GM claims."""
    return task_text("wish", claims=tuple(roll_claims(game, task).values()))


def roll_claims(game: Game, task: Task, plan: Plan | None = None) -> dict[str, Text]:
    """Return the claims of a roll by the keys under which a GM refuses them.

    The roll is *plan*, or the one that waits for a GM.
    """
    wanted = plan or task.wish
    if wanted is None:
        return {}
    return check_state.justifications(game, check_state.Entry(task.character, "", wanted))


def visible_tasks(game: Game) -> tuple[Task, ...]:
    """Return the complex actions that the actor may know of, newest first.

    Those are the actor's own, and those of known characters in places that the actor can view.
    """
    return tuple([task for task in reversed(tasks_of(game.state)) if _may_see_task(game, task)])


def _may_see_task(game: Game, task: Task) -> bool:
    """Return whether the actor may know of a complex action."""
    character = game.state.characters.get(task.character)
    if character is None:
        return False
    gm = is_gm(game.state, game.actor)
    theirs = owns(game.state, game.actor, character)
    known = gm or bool(public_name(character))
    return known and may_read(game.readable, task.place, theirs=theirs, gm=gm)


def is_public_task(state: TableState, task: Task) -> bool:
    """Return whether all players may see all of its rolls."""
    character = state.characters.get(task.character)
    return not task.hidden and character is not None and public_name(character) == character.name


def find_task(game: Game, text: str | None) -> Task:
    """Return the complex action of that id or name.

    Without a text it is the only open one of the actor's own, or the only open one that the actor
    may see. Raises NotFound("unknown-task") or InvalidInput("which-one").
    """
    state, who = game.state, game.actor
    pool = visible_tasks(game)
    open_ = tuple(task for task in pool if not task.is_over)
    mine = tuple(task for task in open_ if owns(state, who, state.characters[task.character]))
    return find_or_likely(pool, text, mine or open_, field="task", unknown="unknown-task")


def _request(task: Task, plan: Plan | None = None) -> Plan:
    """Return the plan of a roll: what the task requires, with what the player chooses."""
    return (plan or Plan()).replace(
        skill=task.skill, attribute=task.attribute, difficulty=task.difficulty
    )


def _key(task: Task) -> str:
    return f"{TASK_PREFIX}:{task.id}"


def move_tasks(game: Game, old: str, new: str) -> Game:
    """Return the game in which the complex actions of one place go on in another."""
    state = game.state
    for task in tasks_of(state):
        if task.place == old and not task.is_over:
            state = state.with_own(_key(task), task.replace(place=new))
    return game.with_state(state)


def _task_outcome(
    game: Game, task: Task, thrown: PoolRoll | None = None, chosen: tuple[Block, ...] = ()
) -> Outcome:
    """Return the table with a complex action as it is now, and the events about it.

    All players get an event, and the GMs one of their own if that is not the whole. Players get
    none about a character that is unknown to them.
    """
    task = task.replace(since=game.at)
    character = game.state.characters[task.character]
    known = bool(public_name(character))
    events: list[Reported] = []
    veiled = check_state.is_veiled(game, task.character)
    apart = known and (veiled or not is_public_task(game.state, task))
    for gm in (False, True) if apart else (not known,):
        causes = gm or character.owner is not None
        roll_blocks: tuple[Block, ...] = ()
        if thrown is not None:
            roll_blocks = _roll_blocks(task, thrown, gm=gm, causes=causes)
        if veiled and not gm:
            # Of a roll with hidden dice, players read only whether it succeeds.
            roll_blocks = tuple([block for block in roll_blocks if isinstance(block, Verdict)])
        rows = tuple((text,) for text in task_blocks(game, task, gm=gm))
        state_block = Group(None, rows, FOR_EVERYONE)
        blocks = (*roll_blocks, *(chosen if causes else ()), state_block)
        about: dict[str, Any] = {"by": game.actor.id, "quiet": gm and known}
        if not task.is_over:
            command = "task roll" if task.wish is None else "task accept"
            about |= {"command": command, **_continue_button(task)}
        audience = GMS if gm else EVERYONE
        events.append(Reported(audience=audience, title=task_title(task), blocks=blocks, **about))
    return Outcome(game.state.with_own(_key(task), task), tuple(events))


def _continue_button(task: Task) -> dict[str, Any]:
    """Return the button that continues a complex action, and the values that it sends."""
    button = task_text("button", wished=task.wish is not None)
    return {"button": button, "values": {"task": task.id, "rolls": task.rolls}}


def waiting_tasks(game: Game, *, wished: bool) -> Iterator[PendingButton]:
    """Yield the complex actions that the actor can continue.

    With *wished* they are those whose roll waits for the actor to accept it as a GM; otherwise
    those that the actor is to roll for.
    """
    state, gm = game.state, is_gm(game.state, game.actor)
    for task in visible_tasks(game):
        character = state.characters[task.character]
        may_continue = gm if wished else owns(state, game.actor, character)
        if not may_continue or task.is_over or character.retired:
            continue
        if wished == (task.wish is not None):
            state_line = _wish_text(game, task) if wished else _progress_line(task, gm=gm)
            text = Text("check-whose", {"who": task_title(task), "what": state_line})
            yield PendingButton(text, **_continue_button(task))


def claimed_rolls(game: Game) -> Iterator[OwnWait]:
    """Yield the rolls that wait for a GM to accept what they claim.

    A complex action that its player may go on with waits for nobody.
    """
    state = game.state
    for task in tasks_of(state):
        character = state.characters.get(task.character)
        if task.wish is None or task.is_over or character is None or character.retired:
            continue
        yield OwnWait(
            f"{_key(task)}:{task.rolls}:{task.since}",
            task_title(task),
            (ANY_GM,),
            task.place,
            task.since,
            visible_to=FOR_EVERYONE if public_name(character) else GMS_ONLY,
        )


def _roll_blocks(task: Task, thrown: PoolRoll, *, gm: bool, causes: bool) -> tuple[Block, ...]:
    """Return the blocks of one roll.

    Against a hidden Difficulty, players learn only whether the roll was a success.
    """
    result = judge(thrown, task.difficulty)
    degree = task_text("degree", degree=result.degree)
    tone = "good" if result.success else "bad"
    verdict = Verdict(view.verdict_line(result), tone, FOR_EVERYONE, degree=degree)
    pool = [
        Note(line, FOR_EVERYONE)
        for line in view.pool_lines(thrown.pool, thrown.parts, causes=causes)
    ]
    if task.hidden and not gm:
        return verdict.replace(degree=None), *pool
    return verdict, view.roll_block(thrown, None, FOR_EVERYONE), *pool


def start_task(game: Game, action: StartTask) -> Outcome:
    """Set a complex action (BAR-COMPLEX).

    Raises InvalidInput("empty"), ("no-difficulty"), ("out-of-range"), ("bad-frequency") or
    ("name-is-taken"), Impossible("too-many-tasks"), and what reading traits raises.
    """
    state = game.state
    require_gm(state, action.who)
    name = clean_name(one_line("name", action.name, NAME_MAX))
    if not name:
        raise InvalidInput("empty", field="name", value="", wanted="goal")
    character = find_known(state, action.who, action.as_, "as")
    difficulty = read_difficulty(action.difficulty)
    if difficulty == NONE_WORD:
        raise InvalidInput("no-difficulty", field="difficulty", value=None, wanted="number")
    if not 1 <= action.every <= MAX_ROLL_MINUTES:
        raise InvalidInput(
            "bad-frequency", field="every", value=action.every, lowest=1, highest=MAX_ROLL_MINUTES
        )
    if sum(not task.is_over for task in tasks_of(state)) >= MAX_TASKS:
        raise Impossible("too-many-tasks", most=MAX_TASKS)
    counters = state.counters
    known = bool(public_name(character))
    number = counters.started + 1
    # Ids of tasks that players know count only those. Other ids are tags that reveal no number.
    id = f"t{counters.own + 1}" if known else f"th{game.rng.tag(number)}"
    skill, attribute = check_state.read_traits(game.campaign, action.skill, action.attribute)
    task = Task(
        id, name, character.id, skill, attribute, int(difficulty), action.every, action.required
    )
    task = task.replace(hidden=action.hidden, number=number, place=action.place)
    check_state.build_pool(character.sheet, game.campaign, _request(task))
    ended = [task for task in tasks_of(state) if task.is_over]
    for oldest in ended[:-MAX_TASKS]:  # these make room
        state = state.with_own(_key(oldest), None)
    counters = counters.replace(own=counters.own + known, started=number)
    return _task_outcome(game.with_state(state.replace(counters=counters)), task)


def roll_task(game: Game, action: RollTask) -> Outcome:
    """Roll once more: add a success level, subtract a failure level or a botch (BAR-COMPLEX).

    A player's roll that claims something waits for a GM. Raises what `require_roll` and building
    the pool raise.
    """
    task = find_task(game, action.task)
    character = require_roll(game, task, action.rolls)
    plan = read_options(action.options, game.campaign).replace(modifier=action.modifier)
    plan = check_state.validate_request(character.sheet, game.campaign, _request(task, plan))
    if roll_claims(game, task, plan) and not is_gm(game.state, action.who):
        return _task_outcome(game, task.replace(wish=plan))
    return _resolve_roll(game, task, plan, ())


def accept_wish(game: Game, action: AcceptWish) -> Outcome:
    """Roll what a player wishes, without what the GM refuses (BAR-COMPLEX).

    Raises NotPermitted("gm-only"), Impossible("no-task-roll"), NotFound("unknown-trait"), and what
    `roll_task` raises.
    """
    require_gm(game.state, action.who)
    task = find_task(game, action.task)
    require_roll(game, task, action.rolls, by_owner=False)
    if task.wish is None:
        raise Impossible("no-task-roll", why="wish", name=task.name)
    claims = roll_claims(game, task)
    for key in action.refused:
        if key not in claims:
            raise NotFound(
                "unknown-trait", field="refuse", value=key[:NAME_MAX], nearest=tuple(claims)
            )
    return _resolve_roll(game, task, task.wish, action.refused)


def require_roll(
    game: Game, task: Task, rolls: int | None, *, by_owner: bool = True
) -> AnyCharacter:
    """Return the character who rolls next.

    Raises:
        Impossible("no-task-roll"): The character is gone, the task is over, or it has had another
            roll since.
        NotPermitted("owner-only"): The actor does not play the character.
    """
    character = game.state.characters.get(task.character)
    if character is None or character.retired:
        raise Impossible("no-task-roll", why="worker", name=task.name)
    if by_owner:
        require_owner(game.state, game.actor, character)
    _require_open(task)
    if rolls not in (None, task.rolls):
        raise Impossible("no-task-roll", why="moved-on", name=task.name, rolls=task.rolls)
    return character


def _require_open(task: Task) -> None:
    """Raise Impossible("no-task-roll") for a task that is over."""
    if task.is_over:
        raise Impossible("no-task-roll", why="over", name=task.name)


def _resolve_roll(game: Game, task: Task, plan: Plan, refused: tuple[str, ...]) -> Outcome:
    """Roll once, without what the GM refuses, and count the time that it took (BAR-TIME)."""
    character = game.character(task.character)
    ruling = plan.replace(disallow=refused, by_gm=False)
    built = check_state.build_pool(character.sheet, game.campaign, plan, ruling, cut=True)
    hidden = task.hidden or not public_name(character)
    thrown = check_state.roll_pool(game.rng.secret if hidden else game.rng.public, *built, plan)
    traits = check_state.find_traits(character.sheet, game.campaign, plan, refused)
    lines = view.option_lines(plan, ruling, traits)
    chosen = (Fact(Text("check-adjustments"), lines, FOR_EVERYONE),) if lines else ()
    degree = judge(thrown, task.difficulty).degree
    return _task_outcome(game, task.with_roll(degree, ruling.pace), thrown, chosen)


def drop_task(game: Game, action: DropTask) -> Outcome:
    """Give a task up, as a GM or as its player; raises what `require_roll` raises."""
    task = find_task(game, action.task)
    if not is_gm(game.state, action.who):
        require_roll(game, task, None)
    _require_open(task)
    return _task_outcome(game, task.replace(dropped=True))


#: Functions that carry out the actions.
ACTIONS: Final = {
    StartTask: start_task,
    RollTask: roll_task,
    AcceptWish: accept_wish,
    DropTask: drop_task,
}
