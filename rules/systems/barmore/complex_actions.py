"""Complex actions: many rolls over the story's time toward one required Degree of Success
(BAR-COMPLEX).
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
    Block,
    Fact,
    Group,
    Note,
    Ref,
    Text,
    Value,
    Verdict,
)
from rules.table.checks.stages import NONE_WORD
from rules.table.commands import PendingButton
from rules.table.duration import LATEST
from rules.table.events import Reported
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, owns, public_name, require_gm, require_owner
from rules.table.readable_places import may_read
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game
from rules.table.typed_texts import one_line

TASK_PREFIX: Final = "task"
NAME_MAX: Final = 80
#: How many complex actions a table keeps at once.
MAX_TASKS: Final = 50
#: The most levels that one takes.
HIGHEST_REQUIRED: Final = 10_000
#: The most minutes that one roll stands for.
MAX_ROLL_MINUTES: Final = LATEST // HIGHEST_REQUIRED


class Task(Record):
    """A complex action of one character: against which Difficulty, how often one rolls (in
    minutes), how far it is.

    So many levels are `required` (>= 1) and `done` (which may be below 0) after so many `rolls`,
    which took so many `minutes`. Where the Difficulty is `hidden` players see whether a roll got
    them further, and no totals. `number` is which one it was at the table. A roll that is wished
    for waits for a GM, since it claims something.
    """

    id: str
    name: str
    character: str
    skill: str
    attribute: str
    difficulty: int
    every: int
    required: int
    done: int = 0
    rolls: int = 0
    hidden: bool = False
    dropped: bool = False
    minutes: int = 0
    wish: Plan | None = None
    number: int = 0
    #: Place in which the task was begun.
    place: str = ""

    @property
    def is_finished(self) -> bool:
        """Whether the running total has reached what is required."""
        return self.done >= self.required

    @property
    def is_over(self) -> bool:
        """Whether nothing more is rolled for it."""
        return self.dropped or self.is_finished

    def with_roll(self, degree: int, pace: Pace) -> Task:
        """One roll later: the success level is added; a negative degree is a failure level and
        takes away.

        It took the usual time, halved and doubled as the `pace` says (BAR-TIME), in minutes rounded
        up.
        """
        after = self.minutes + ceil(pace.time_taken(self.every))
        return self.replace(done=self.done + degree, rolls=self.rolls + 1, minutes=after, wish=None)


class StartTask(Action, kw_only=True):
    """A GM sets a complex action for a character: `every` is the time between two rolls, in
    minutes.
    """

    name: str
    difficulty: str = NONE_WORD
    required: int
    every: int
    skill: str | None = None
    attribute: str | None = None
    as_: str
    hidden: bool = False


class RollTask(Action, kw_only=True):
    """The next roll of a complex action; `rolls` is how many were shown, None for however many
    there are.
    """

    task: str
    options: tuple[str, ...] = ()
    modifier: int = 0
    rolls: int | None = None


class AcceptWish(Action, kw_only=True):
    """A GM accepts a roll that claims something, without what is `refused`; `rolls` as for the roll
    itself.
    """

    task: str
    refused: tuple[str, ...] = ()
    rolls: int | None = None


class DropTask(Action, kw_only=True):
    """A GM, or whoever works on it, gives a complex action up."""

    task: str


def tasks_of(state: TableState) -> tuple[Task, ...]:
    """The complex actions of a table, oldest first."""
    found = (part for part in state.own.values() if isinstance(part, Task))
    return tuple(sorted(found, key=lambda task: task.number))


def stranded_tasks(game: Game) -> dict[str, str]:
    """The complex actions that are open and ask for what the trees do not know, or of nobody: key
    -> name.
    """

    def stands(task: Task) -> bool:
        try:
            return bool(
                task.is_over or check_state.read_traits(game.campaign, task.skill, task.attribute)
            )
        except NotFound:
            return False

    people, found = game.state.characters, tasks_of(game.state)
    return {
        _key(each): each.name for each in found if each.character not in people or not stands(each)
    }


def task_text(what: str, **about: Value) -> Text:
    """What is told of complex actions."""
    return Text("bar-task", {"what": what, **about})


def task_title(task: Task) -> Text:
    """What it is called."""
    return task_text("called", name=task.name, id=task.id)


def task_blocks(game: Game, task: Task, *, gm: bool) -> tuple[Text, ...]:
    """Where a complex action stands, as GMs or everybody may see it."""
    character, concealed = game.state.characters[task.character], task.hidden and not gm
    try:
        found = check_state.find_traits(character.sheet, game.campaign, _request(task))
        traits = view.trait_lines(found, scores=gm or character.owner is not None)
    except NotFound:  # it is over, and its campaign is no more
        traits = tuple(
            Text("bar-trait", {"name": name}) for name in (task.skill, task.attribute) if name
        )
    who, difficulty = (
        character.name if gm else public_name(character),
        None if concealed else task.difficulty,
    )
    return (
        task_text("work", who=Ref(name=who), traits=traits, difficulty=difficulty),
        _progress_line(task, gm=gm),
        task_text("time", every=task.every, rolls=task.rolls, minutes=task.minutes),
        *(() if task.wish is None or task.is_over else (_wish_text(game, task),)),
    )


def _progress_line(task: Task, *, gm: bool) -> Text:
    done = task.done if gm or not task.hidden else None
    return task_text(
        "progress", required=task.required, done=done, over=task.is_finished, dropped=task.dropped
    )


def _wish_text(game: Game, task: Task) -> Text:
    """What a roll claims that waits for a GM."""
    return task_text("wish", claims=tuple(roll_claims(game, task).values()))


def roll_claims(game: Game, task: Task, plan: Plan | None = None) -> dict[str, Text]:
    """What a roll claims, each by what it is refused under: the one that waits, or this `plan`."""
    wanted = plan or task.wish
    return (
        {}
        if wanted is None
        else check_state.justifications(game, check_state.Entry(task.character, "", wanted))
    )


def visible_tasks(game: Game) -> tuple[Task, ...]:
    """Return the complex actions that the actor may know of, newest first.

    Those are the actor's own, and those of known characters in places that the actor can view.
    """
    return tuple([task for task in reversed(tasks_of(game.state)) if _may_see_task(game, task)])


def _may_see_task(game: Game, task: Task) -> bool:
    character = game.state.characters.get(task.character)
    if character is None:
        return False
    gm = is_gm(game.state, game.actor)
    theirs = owns(game.state, game.actor, character)
    known = gm or bool(public_name(character))
    return known and may_read(game.readable, task.place, theirs=theirs, gm=gm)


def is_public_task(state: TableState, task: Task) -> bool:
    """Whether everybody may see all of its rolls."""
    character = state.characters.get(task.character)
    return not task.hidden and character is not None and public_name(character) == character.name


def find_task(game: Game, text: str | None) -> Task:
    """The complex action meant: by id or name, or the only open one of somebody's own where nothing
    is said.

    NotFound("unknown-task"), InvalidInput("which-one").
    """
    state, who = game.state, game.actor
    pool = visible_tasks(game)
    open_ = tuple(task for task in pool if not task.is_over)
    mine = tuple(task for task in open_ if owns(state, who, state.characters[task.character]))
    return find_or_likely(pool, text, mine or open_, field="task", unknown="unknown-task")


def _request(task: Task, plan: Plan | None = None) -> Plan:
    """What is wanted of whoever rolls for it, with what they choose."""
    return (plan or Plan()).replace(
        skill=task.skill, attribute=task.attribute, difficulty=task.difficulty
    )


def _key(task: Task) -> str:
    return f"{TASK_PREFIX}:{task.id}"


def _task_outcome(
    game: Game, task: Task, thrown: PoolRoll | None = None, chosen: tuple[Block, ...] = ()
) -> Outcome:
    """The table with a complex action as it is now.

    Everybody hears of it and, where that is not the whole, the GMs; of whom players know nothing
    they hear nothing.
    """
    character = game.state.characters[task.character]
    known, events = bool(public_name(character)), list[Reported]()
    veiled = check_state.is_veiled(game, task.character)
    apart = known and (veiled or not is_public_task(game.state, task))
    for gm in (False, True) if apart else (not known,):
        causes = gm or character.owner is not None
        rolled = () if thrown is None else _roll_blocks(task, thrown, gm=gm, causes=causes)
        if veiled and not gm:
            # Of a roll with hidden dice, players read only whether it succeeds.
            rolled = tuple([each for each in rolled if isinstance(each, Verdict)])
        stands = Group(
            None, tuple((text,) for text in task_blocks(game, task, gm=gm)), FOR_EVERYONE
        )
        blocks, audience = (*rolled, *(chosen if causes else ()), stands), GMS if gm else EVERYONE
        about: dict[str, Any] = {"by": game.actor.id, "quiet": gm and known}
        if not task.is_over:
            about |= {"command": "task roll" if task.wish is None else "task accept", **_next(task)}
        events.append(Reported(audience=audience, title=task_title(task), blocks=blocks, **about))
    return Outcome(game.state.with_own(_key(task), task), tuple(events))


def _next(task: Task) -> dict[str, Any]:
    """The button that goes on with it, and what that says."""
    button = task_text("button", wished=task.wish is not None)
    return {"button": button, "values": {"task": task.id, "rolls": task.rolls}}


def waiting_tasks(game: Game, *, wished: bool) -> Iterator[PendingButton]:
    """What is still to be rolled for by whoever asks, or was `wished` for and is theirs to accept
    as a GM.
    """
    state, gm = game.state, is_gm(game.state, game.actor)
    for task in visible_tasks(game):
        character = state.characters[task.character]
        theirs = gm if wished else owns(state, game.actor, character)
        if (
            theirs
            and not task.is_over
            and not character.retired
            and wished == (task.wish is not None)
        ):
            how = _wish_text(game, task) if wished else _progress_line(task, gm=gm)
            text = Text("check-whose", {"who": task_title(task), "what": how})
            yield PendingButton(text, **_next(task))


def _roll_blocks(task: Task, thrown: PoolRoll, *, gm: bool, causes: bool) -> tuple[Block, ...]:
    """One roll for it; against a hidden Difficulty players learn only whether it got them
    further.
    """
    found = judge(thrown, task.difficulty)
    degree = task_text("degree", degree=found.degree)
    told = Verdict(
        view.verdict_line(found), "good" if found.success else "bad", FOR_EVERYONE, degree=degree
    )
    pool = [
        Note(line, FOR_EVERYONE)
        for line in view.pool_lines(thrown.pool, thrown.parts, causes=causes)
    ]
    if task.hidden and not gm:
        return told.replace(degree=None), *pool
    return told, view.roll_block(thrown, None, FOR_EVERYONE), *pool


def start_task(game: Game, action: StartTask) -> Outcome:
    """Set a complex action (BAR-COMPLEX).

    InvalidInput("empty", "no-difficulty", "out-of-range", "bad-frequency", "name-is-taken"),
    Impossible("too-many-tasks"), and what reading traits raises.
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
    counters, known = state.counters, bool(public_name(character))
    number = counters.started + 1
    # Players count those of which they know, and no others.
    id = f"t{counters.own + 1}" if known else f"th{game.rng.tag(number)}"
    skill, attribute = check_state.read_traits(game.campaign, action.skill, action.attribute)
    task = Task(
        id, name, character.id, skill, attribute, int(difficulty), action.every, action.required
    )
    task = task.replace(hidden=action.hidden, number=number, place=action.place)
    check_state.build_pool(character.sheet, game.campaign, _request(task))
    ended = [each for each in tasks_of(state) if each.is_over]
    for each in ended[:-MAX_TASKS]:  # the oldest of them make room
        state = state.with_own(_key(each), None)
    counters = counters.replace(own=counters.own + known, started=number)
    return _task_outcome(game.with_state(state.replace(counters=counters)), task)


def roll_task(game: Game, action: RollTask) -> Outcome:
    """Roll once more: a success level is added, a failure level taken away, a botch too
    (BAR-COMPLEX).

    As `require_roll`, and what building the pool raises.
    """
    task = find_task(game, action.task)
    character = require_roll(game, task, action.rolls)
    plan = read_options(action.options, game.campaign).replace(modifier=action.modifier)
    plan = check_state.validate_request(character.sheet, game.campaign, _request(task, plan))
    if roll_claims(game, task, plan) and not is_gm(game.state, action.who):
        return _task_outcome(game, task.replace(wish=plan))
    return _resolve_roll(game, task, plan, ())


def accept_wish(game: Game, action: AcceptWish) -> Outcome:
    """Roll as somebody wished, without what is refused (BAR-COMPLEX).

    NotPermitted("gm-only"), Impossible("no-task-roll"), NotFound("unknown-trait"), and as
    `roll_task`.
    """
    require_gm(game.state, action.who)
    task = find_task(game, action.task)
    require_roll(game, task, action.rolls, by_owner=False)
    if task.wish is None:
        raise Impossible("no-task-roll", why="wish", name=task.name)
    known = roll_claims(game, task)
    for each in action.refused:
        if each not in known:
            raise NotFound(
                "unknown-trait", field="refuse", value=each[:NAME_MAX], nearest=tuple(known)
            )
    return _resolve_roll(game, task, task.wish, action.refused)


def require_roll(
    game: Game, task: Task, rolls: int | None, *, by_owner: bool = True
) -> AnyCharacter:
    """Who rolls next.

    Impossible("no-task-roll") where nobody does, it is over, or it has moved on;
    NotPermitted("owner-only").
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
    if task.is_over:
        raise Impossible("no-task-roll", why="over", name=task.name)


def _resolve_roll(game: Game, task: Task, plan: Plan, refused: tuple[str, ...]) -> Outcome:
    """Roll once, without what is refused; the time it took counts (BAR-TIME)."""
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
    """Give it up: its owner, or a GM. As `require_roll`."""
    task = find_task(game, action.task)
    if not is_gm(game.state, action.who):
        require_roll(game, task, None)
    _require_open(task)
    return _task_outcome(game, task.replace(dropped=True))


#: How each is carried out.
ACTIONS: Final = {
    StartTask: start_task,
    RollTask: roll_task,
    AcceptWish: accept_wish,
    DropTask: drop_task,
}
