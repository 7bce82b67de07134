"""How a check goes on: one way to answer its prompts, for people, standing orders and the clock alike.

After every answer the stage is asked again whom it asks. What it still asks keeps its number, time and passes; what is
new opens; the rest is closed. Where nobody is waited for, the check goes on by itself. Nothing is stored but the
check: no callback, no place in the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, cast

from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated, RulesError
from rules.core.record import Record, record
from rules.table.checks.access import find_check, knows_of, may_answer, may_see
from rules.table.checks.check import (
    GMS,
    NEXT,
    OVER,
    PASS,
    AnyCheck,
    Asked,
    Check,
    Choice,
    Cost,
    How,
    Order,
    Prompt,
    Seen,
    Values,
    Visibility,
)
from rules.table.checks.orders import may_pass, standing
from rules.table.checks.procedure import AnyProcedure, Asking, Option, Stage, Step, procedure_of
from rules.table.events import Event
from rules.table.events import Line as Text
from rules.table.game import NO_DICE, DiceNeeded
from rules.table.permissions import known_name, require_gm, require_system
from rules.table.resources import found, paid
from rules.table.state import Settings, TableState
from rules.table.system import Game

#: How many stages and orders may follow one another by themselves; more is a circle.
LIMIT: Final = 200
#: How many checks that are over stay within reach of buttons and undo; at twice as many the oldest go.
KEPT: Final = 20
#: How many checks may be open at a table at once.
OPEN_MAX: Final = 200
#: Of what is filled in: how many fields, how long a list, how deep, and how long a text.
_FIELDS, _LIST, _DEEP, _TEXT = 60, 200, 3, 4000
_EXACT: Final = 1 << 53
#: Behind the id of a wait that is a reminder before the clock answers.
_REMINDER: Final = ".remind"


@record
class Took(Record):
    """One thing that happened on the way, in order: what the events of a check are made of.

    `number` is that of the prompt answered, `seen` who may know of it; `stage` the one it came to. Of what is `secret`
    only `who` and the GMs hear before the stage is over.
    """

    step: Literal["begun", "chosen", "passed", "moved", "over", "reminded", "ended"]
    stage: str
    who: str = GMS
    prompt: str = ""
    number: int = 0
    option: str = ""
    how: How = "self"
    said: Text | None = None
    secret: bool = False
    seen: Seen = None


@record
class Made(Record):
    """What became of the table: the game after it, the check, what happened to it, and what happened besides."""

    game: Game
    check: AnyCheck
    took: tuple[Took, ...]
    events: tuple[Event, ...] = ()

    @property
    def state(self) -> TableState:
        """The table afterwards."""
        return self.game.state


@record
class Waiting(Record):
    """Somebody is waited for. `id` names this very wait and never comes again.

    `who` as in a prompt, `due` in seconds since 1970. `default` is what the clock answers then; None: it reminds.
    """

    id: str
    check: str
    prompt: str
    number: int
    who: tuple[str, ...]
    since: int
    due: int
    default: str | None = None


def waiting(check: AnyCheck) -> tuple[Waiting, ...]:
    """The waits of a check that end by themselves, reminders before what follows from silence."""
    found: list[Waiting] = []
    for each in check.asked:
        left = each.left
        if not left:
            continue
        key, number, since = each.prompt.key, each.number, each.since
        for due, what in ((each.remind, _REMINDER), (each.due, "")):
            if due is not None:
                name = f"{check.id}.{number}.{key}.{due}{what}"
                default = None if what else each.prompt.default
                found.append(Waiting(name, check.id, key, number, left, since, due, default))
    return tuple(found)


def opened(settings: Settings, prompt: Prompt, number: int, at: int) -> Asked:
    """A prompt as it is opened. Where the window for reactions is switched off, the clock answers at once."""
    due: int | None = None
    remind: int | None = None
    later = at + settings.remind_after if settings.remind_after else None
    if prompt.wait == "react":
        due = None if prompt.default is None else at + settings.window
    elif prompt.wait == "hit":
        due = at + settings.hit_window if settings.hit_window and prompt.default is not None else None
        remind = later if later is not None and (due is None or later < due) else None
    elif prompt.wait == "answer":
        due, remind = (None, later) if prompt.default is None else (later, None)
    return Asked(prompt, number, at, due, remind, named=prompt.who or ())


def retimed(settings: Settings, check: AnyCheck) -> AnyCheck:
    """A check whose reminders come when the table has agreed on now; when the clock answers stays as it was."""
    found: list[Asked] = []
    for each in check.asked:
        now = opened(settings, each.prompt, each.number, each.since)
        answers = each.prompt.default is not None and each.prompt.wait is not None
        found.append(each.but(due=each.due if answers else now.due, remind=now.remind))
    # One that stays as it is, an undo of the settings must not touch either.
    return check if tuple(found) == check.asked else check.but(asked=tuple(found))


class _Run:
    """A check on its way from one answer to where it waits next."""

    __slots__ = (
        "_answered",
        "_changed",
        "_count",
        "_course",
        "_quiet",
        "_reviewed",
        "check",
        "events",
        "game",
        "took",
    )

    def __init__(self, game: Game, check: AnyCheck) -> None:
        self.game = game
        self.check = check
        self.took: list[Took] = []
        self.events: list[Event] = []
        self._course: AnyProcedure = procedure_of(game, check.kind)
        self._quiet = (
            False  # whether the last thing that happened was secret, so that no revision tells of it
        )
        self._changed = False  # whether somebody has just chosen something, where others may see that
        self._answered: Choice | None = None  # what somebody has just chosen, where others may see that
        self._count = 0
        self._reviewed: tuple[Game, AnyCheck] | None = None

    @property
    def stage(self) -> Stage[Any]:
        return self._course.stages[self.check.stage]

    def made(self) -> Made:
        """What became of it, the check put in its place; the same state where nothing has changed."""
        state, check = self.game.state, self.check
        if state.checks.get(check.id) is not check:
            state = state.with_check(check)
        return Made(self.game.with_(state), check, tuple(self.took), tuple(self.events))

    def enter(self, stage: str) -> None:
        """Into a stage, and on as long as entering sends it elsewhere: every stage on the way is entered."""
        to: str | None = stage
        while to is not None:
            self._bound()
            if to == NEXT:
                to = self._course.following[self.check.stage]
            revision = self.check.revision
            if self._quiet or any(each.number >= revision for each in self.check.asked):
                revision += 1
            self._quiet = False
            self.check = self.check.but(stage=to, since=self.game.at, asked=(), revision=revision)
            self.took.append(Took("over" if to == OVER else "moved", to))
            if to == OVER:
                return
            made = self.stage.enter(self.game, self.check)
            if made is None:
                return
            self._apply(made)
            to = made.to

    def go(self) -> None:
        """Ask, let orders answer, and go on, until somebody is waited for or it is over."""
        while self.check.open:
            self._bound()
            self.review()
            if self._by_order() or self._at_once():
                continue
            if any(each.left for each in self.check.asked):
                return
            self.enter(self._course.following[self.check.stage])

    def take(self, asked: Asked, choice: Choice) -> None:
        """One answer, with its values as they were typed. Impossible("not-offered", "not-enough"), RulesError."""
        self._accept(asked, choice, self._answer(asked, choice))

    def by_clock(self, asked: Asked) -> None:
        """The clock answers for everybody who has not; where its answer cannot be, a pass."""
        key, number = asked.prompt.key, asked.number
        for who in asked.left:
            now = self.check.prompt(key)
            if now is None or now.number != number:
                return  # one of the answers has closed it, or opened it anew
            if who in now.left and not self._tries(
                now, Choice(key, asked.prompt.default or PASS, who, how="clock")
            ):
                self.take(now, Choice(key, PASS, who, how="clock"))
            if not self.check.open:
                return
            self.review()

    def look(self, asked: Asked, choice: Choice) -> None:
        """What an answer would change by itself, and nothing that follows from it."""
        answer = self._answer(asked, choice)
        if answer is not None:
            self._apply(answer[0])

    def end(self) -> None:
        """It is over, wherever it stands."""
        self.check = self.check.but(
            stage=OVER, since=self.game.at, asked=(), revision=self.check.revision + 1
        )
        self.took.append(Took("ended", OVER))

    def _answer(self, asked: Asked, choice: Choice) -> tuple[Step[Any], Text] | None:
        """What an answer makes of it and what it is called; None for a pass."""
        if choice.option == PASS:
            return None
        key, who = asked.prompt.key, choice.who
        offered = _offered(self.game, self.check, self.stage, key, who, choice.option)
        values = _read(offered, Asking(self.game, self.check, who, choice.values))
        game = _paid(self.game, who, offered.cost)
        made = self.stage.choose(game, self.check, choice.but(values=values))
        return made, made.said or offered.label

    def _accept(self, asked: Asked, choice: Choice, answer: tuple[Step[Any], Text] | None) -> None:
        prompt = asked.prompt
        made, said = (None, None) if answer is None else answer
        if made is not None:
            self._apply(made)
        step = "passed" if made is None else "chosen"
        stage, number = self.check.stage, asked.number
        self.took.append(
            Took(
                step,
                stage,
                choice.who,
                prompt.key,
                number,
                choice.option,
                choice.how,
                said,
                prompt.secret,
                prompt.seen,
            )
        )
        reopen = made is not None and made.reopen
        self._quiet = prompt.secret and not reopen
        revision = self.check.revision + (not self._quiet)
        now = self.check.asked
        if reopen:
            settings, at = self.game.state.settings, self.game.at
            now = tuple(
                [opened(settings, each.prompt, revision, at) for each in now if each.prompt.who != ()]
            )
        elif made is None:
            passed = (*asked.passed, choice.who)
            now = tuple([each.but(passed=passed) if each.prompt.key == prompt.key else each for each in now])
        self.check = self.check.but(revision=revision, asked=now)
        if made is not None and not prompt.secret:
            self._changed = True
            self._answered = choice if choice.how == "self" else self._answered
        if made is not None and made.to is not None:
            self.enter(made.to)

    def _tries(self, asked: Asked, choice: Choice) -> bool:
        """An answer that nobody is there to hear refused: False, and nothing has changed, where it cannot be."""
        try:
            answer = self._answer(asked, choice)
        except RulesError:
            return False
        self._accept(asked, choice, answer)
        return True

    def _by_order(self) -> bool:
        """Whether a standing order has answered; each is asked once an opening."""
        for each in self.check.asked:
            for who in each.left:
                if who in each.ordered:
                    continue
                order = standing(self.game, self.check, self.stage, each, who)
                if order is not None and self._ordered(each.prompt.key, who, order):
                    return True
        return False

    def _ordered(self, key: str, who: str, order: Order) -> bool:
        found = [
            each.but(ordered=(*each.ordered, who)) if each.prompt.key == key else each
            for each in self.check.asked
        ]
        self.check = self.check.but(asked=tuple(found))
        asked = next(each for each in found if each.prompt.key == key)
        choice = Choice(key, order.option, who, order.values, "order")
        if self._keeps(choice, order.keep) and self._tries(asked, choice):
            return True
        if order.otherwise is None:
            return False
        other = Choice(key, order.otherwise, who, how="order")
        if other.option != PASS and self._tries(asked, other):
            return True
        return may_pass(asked) and self._tries(asked, Choice(key, PASS, who, how="order"))

    def _keeps(self, choice: Choice, keep: tuple[str, int] | None) -> bool:
        """Whether so much of a resource is left after this choice."""
        if keep is None:
            return True
        key, least = keep
        resource = found(self.game.system.resources, key)
        options = self.stage.options(self.game, self.check, choice.prompt, choice.who)
        cost = next((each.cost for each in options if each.value == choice.option), None)
        spent = cost.amount if cost is not None and cost.resource == key and cost.who is None else 0
        return resource.of(self.game.sheet(choice.who)) - spent >= least

    def _at_once(self) -> bool:
        """Whether the clock has answered because there is no window at all."""
        for each in self.check.asked:
            if each.left and each.due is not None and each.due <= each.since:
                self.by_clock(each)
                return True
        return False

    def review(self) -> None:
        """Ask again: what stays open keeps its number, time and passes; what is new opens; the rest is closed.

        That a secret prompt is closed because everybody has answered stays unseen until the stage is over.
        """
        game, check, again = self.game, self.check, self._answered
        if (
            again is None
            and not self._changed
            and self._reviewed is not None
            and self._reviewed[0] is game
            and self._reviewed[1] is check
        ):
            return
        was = {each.prompt.key: each for each in check.asked}
        asked: dict[str, Asked] = {}
        for prompt in self.stage.ask(game, check):
            if prompt.key in asked or (prompt.who is None and prompt.wait is not None):
                raise RuntimeError(f"{check.kind} asks {prompt.key} in {check.stage} as nobody can answer it")
            asked[prompt.key] = self._asked(prompt, was.pop(prompt.key, None), again)
        self._answered, self._changed = None, False
        found = list(asked.values())
        for place, old in enumerate(check.asked if was else ()):
            if old.prompt.key in was and old.prompt.secret and (self._quiet or not old.left):
                found.insert(place, old.but(prompt=old.prompt.but(who=())))
        if tuple(found) != check.asked:
            self.check = check = check.but(asked=tuple(found))
        self._reviewed = (game, check)

    def _asked(self, prompt: Prompt, old: Asked | None, again: Choice | None) -> Asked:
        """A prompt as it stands: new, or as it was opened before. `again` is what somebody has just answered."""
        revision = self.check.revision
        if old is None or old.prompt.wait != prompt.wait:
            new = opened(self.game.state.settings, prompt, revision, self.game.at)
            if old is not None:
                new = new.but(number=old.number, passed=old.passed, ordered=old.ordered)
        else:
            new = old if old.prompt == prompt else old.but(prompt=prompt, named=_both(old, prompt))
            if again is not None and again.prompt == prompt.key and again.who in (prompt.who or ()):
                # Who has answered and is asked the same again: a second press is no second answer.
                new = new.but(number=revision)
            elif prompt.fresh and self._changed:
                new = new.but(number=revision)
        gone = [each for each in new.left if each != GMS and self._gone(each)]
        return new.but(passed=(*new.passed, *gone)) if gone else new

    def _gone(self, who: str) -> bool:
        character = self.game.state.characters.get(who)
        return character is None or character.retired

    def _bound(self) -> None:
        self._count += 1
        if self._count > LIMIT:
            raise RuntimeError(f"{self.check.kind} runs in a circle at {self.check.stage}")

    def _apply(self, made: Step[Any]) -> None:
        """Take over what a stage made."""
        self.game = self.game.with_(made.state)
        self.events += made.events
        now = made.check
        if now is None:
            self.check = self.check.but(data=made.data)
        else:
            self.check = self.check.but(
                data=made.data,
                target=now.target,
                hidden=now.hidden,
                reveal=now.reveal,
                approach=now.approach,
                note=now.note,
            )


def _both(old: Asked, prompt: Prompt) -> tuple[str, ...]:
    """Everybody asked since a prompt was opened."""
    return tuple(dict.fromkeys((*old.named, *(prompt.who or ()))))


def _offered(game: Game, check: AnyCheck, stage: Stage[Any], key: str, who: str, option: str) -> Option:
    found = next((each for each in stage.options(game, check, key, who) if each.value == option), None)
    if found is None:
        raise Impossible("not-offered", check=check.id)
    return found


def _read(option: Option, asking: Asking) -> Values:
    """What the option's form makes of the values; one without a form takes none."""
    if option.form is not None:
        return option.form.read_json(asking.values, asking)
    return _unasked(asking.values)


def _unasked(values: Values) -> Values:
    if values:
        raise InvalidInput("unknown-field", field=min(values)[:60], value=None, allowed=(), nearest=())
    return {}


def _paid(game: Game, who: str, cost: Cost | None) -> Game:
    """The game after a choice is paid for. Impossible("not-enough")."""
    if cost is None:
        return game
    payer = cost.who or who
    return game.put(payer, paid(game.system.resources, game.sheet(payer), cost))


def bounded(values: Values) -> None:
    """Refuse what no form could mean: InvalidInput("too-many-entries", "too-long", "out-of-range", "wrong-type")."""
    _bounded("values", values, 0)


def _bounded(field: str, value: object, depth: int) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, int):
        if not -_EXACT <= value <= _EXACT:
            raise InvalidInput("out-of-range", field=field, value="…", lowest=-_EXACT, highest=_EXACT)
    elif isinstance(value, str):
        if len(value) > _TEXT:
            raise InvalidInput("too-long", field=field, value=value[:60], highest=_TEXT, length=len(value))
        if not value.isascii() and value.encode("utf-8", "replace").decode() != value:
            raise InvalidInput("unprintable-text", field=field, value="…", fix="remove-control-characters")
    elif depth < _DEEP and isinstance(value, Mapping):
        row = cast("Mapping[object, object]", value)
        _few(field, len(row), _FIELDS)
        for key, each in row.items():
            _bounded(field, key, _DEEP)
            _bounded(str(key), each, depth + 1)
    elif depth < _DEEP and isinstance(value, list | tuple):
        entries = cast("list[object]", value)
        _few(field, len(entries), _LIST)
        for each in entries:
            _bounded(field, each, depth + 1)
    else:
        raise InvalidInput("wrong-type", field=field, value="…", allowed=("text", "whole-number", "list"))


def _few(field: str, found: int, most: int) -> None:
    if found > most:
        raise InvalidInput("too-many-entries", field=field, value=found, highest=most, count=found - most)


def _room(state: TableState) -> dict[str, AnyCheck]:
    """The checks without those that have been over for longest. Impossible("too-many-checks")."""
    checks = dict(state.checks)
    if len(checks) < 2 * KEPT:
        return checks
    over = [key for key, each in checks.items() if not each.open]
    if len(checks) - len(over) >= OPEN_MAX:
        raise Impossible("too-many-checks", most=OPEN_MAX)
    if len(over) >= 2 * KEPT:
        for key in over[:-KEPT]:
            del checks[key]
    return checks


def outlined(
    game: Game,
    kind: str,
    place: str,
    values: Values,
    *,
    actor: str = "",
    target: str | None = None,
    visibility: Visibility = "public",
    gm_only: bool = False,
) -> AnyCheck:
    """The check that `begin` would begin, before anything happens in it. Raises what form and procedure raise."""
    course = procedure_of(game, kind)
    bounded(values)
    state = game.state
    number = state.counters.check + 1
    encounter = state.encounters.get(place)
    check = Check(
        f"c{number}",
        kind,
        place,
        game.actor.id,
        course.first,
        game.at,
        course.data(),
        actor,
        encounter.round if encounter is not None and encounter.round else None,
        target=target,
        visibility=visibility,
        gm_only=gm_only,
    )
    form = course.form
    read = _unasked(values) if form is None else form.read_json(values, Asking(game, check, actor, values))
    return course.begin(game, check, read)


def begin(
    game: Game,
    kind: str,
    place: str,
    values: Values,
    *,
    actor: str = "",
    target: str | None = None,
    visibility: Visibility = "public",
    gm_only: bool = False,
) -> Made:
    """A new check, as far as it goes by itself. Whether `actor` may be acted as was checked by the caller.

    Impossible("not-in-these-rules", "too-many-checks"), and what form, procedure and stages raise.
    """
    check = outlined(
        game, kind, place, values, actor=actor, target=target, visibility=visibility, gm_only=gm_only
    )
    course, state = procedure_of(game, kind), game.state
    course.require(game, check)
    checks = _room(state)
    checks[check.id] = check
    game = game.with_(state.with_checks(checks, state.counters.but(check=state.counters.check + 1)))
    run = _Run(game, check)
    run.took.append(Took("begun", course.first, actor))
    run.enter(course.first)
    run.go()
    return run.made()


def choose(
    game: Game,
    check: str,
    prompt: str,
    number: int,
    option: str,
    who: tuple[str, ...] = (GMS,),
    values: Values | None = None,
) -> Made:
    """An answer to a prompt, by whoever acts, for each of these; and what follows by itself.

    NotFound("unknown-check"), Outdated("check-moved-on") where the prompt is not open with that number,
    NotPermitted("gm-only", "owner-only", "not-asked"), Impossible("already-answered", "not-offered", "not-enough"), and
    what form and stage raise. Where the first answer closes the prompt, the others are not needed.
    """
    found = find_check(game, check)
    bounded(values or {})
    asked = found.prompt(prompt)
    if asked is None or asked.number != number or not knows_of(game, asked, game.actor):
        raise moved_on(game, found, prompt)
    run = _Run(game, found)
    for each in who:
        now = run.check.prompt(prompt) if run.check.open else None
        if now is None:
            break
        _permit(game, found, now, each)
        if option == PASS and not may_pass(now):
            raise Impossible("not-offered", check=found.id)
        run.take(now, Choice(prompt, option, each, values or {}))
        if run.check.open:
            run.review()
    run.go()
    return run.made()


def moved_on(game: Game, check: AnyCheck, prompt: str) -> Outdated:
    """Why an answer to a prompt comes too late: what has become of the check, as far as whoever acts may know."""
    known = [each for each in check.asked if knows_of(game, each, game.actor)]
    if not check.open or (check.asked and not known):
        status = "settled"
    elif procedure_of(game, check.kind).fallen(check.data):
        # What is asked still was asked anew: something was spent on the dice, or they fell again.
        status = "anew" if any(each.prompt.key == prompt for each in known) else "rolled"
    else:
        status = "answered" if getattr(check.data, "answer", "") else "proposed"
    return Outdated("check-moved-on", check=check.id, status=status)


def _permit(game: Game, check: AnyCheck, asked: Asked, who: str) -> None:
    """Whether whoever acts may answer this prompt for `who` now."""
    character = game.state.characters.get(who)
    if not may_answer(game.state, game.actor, who, game.at, gm_only=check.gm_only):
        if character is None:
            raise NotPermitted("gm-only")
        name = known_name(game.state, game.actor, character)
        raise NotPermitted("owner-only", character=name, owner=character.owner)
    asks = asked.prompt.who is None or who in asked.prompt.who
    if who in asked.passed or (not asks and who in asked.named):
        raise Impossible("already-answered", check=check.id)
    if not asks:
        raise NotPermitted("not-asked", check=check.id)


def lapse(game: Game, wait: str) -> Made:
    """The clock has reached a wait: it answers by default or, where there is none, reminds.

    NotPermitted("system-only"), Outdated("wait-over", "not-yet-due").
    """
    require_system(game.actor)
    check = game.state.checks.get(wait.partition(".")[0])
    found = () if check is None else waiting(check)
    meant = next((each for each in found if each.id == wait), None)
    if check is None or meant is None:
        raise Outdated("wait-over", wait=wait)
    if meant.due > game.at:
        raise Outdated("not-yet-due", wait=wait)
    asked = check.prompt(meant.prompt)
    run = _Run(game, check)
    if asked is None or meant.default is None:
        if any(each.default is not None and each.due <= game.at for each in found):
            raise Outdated("wait-over", wait=wait)  # what happens by itself has come due as well
        seen = None if asked is None else asked.prompt.seen
        run.took.append(Took("reminded", check.stage, prompt=meant.prompt, number=meant.number, seen=seen))
        return run.made()
    run.by_clock(asked)
    run.go()
    return run.made()


def without(game: Game, check: AnyCheck, who: str) -> Made:
    """Somebody is asked no more: it counts as passed, and the check may go on, dice included.

    Whoever acts in it, or is named by it, cannot leave so: `held_by` finds that before.
    """
    asked = [each.but(passed=(*each.passed, who)) if who in each.left else each for each in check.asked]
    run = _Run(game, check.but(asked=tuple(asked)))
    run.go()
    return run.made()


def look_again(game: Game, check: AnyCheck) -> Made:
    """Ask again without an answer: orders, settings or somebody's owner have changed."""
    run = _Run(game, check)
    run.go()
    return run.made()


def end(game: Game, check: str) -> Made:
    """A GM ends an open check, wherever it stands. NotFound, NotPermitted("gm-only"), Outdated("check-moved-on")."""
    require_gm(game.state, game.actor)
    run = _Run(game, _open(game, check))
    run.end()
    return run.made()


def close(game: Game, check: str) -> Made:
    """A GM has an open check closed by its defaults; where somebody without one is waited for, it ends.

    Raises as `end`.
    """
    require_gm(game.state, game.actor)
    run = _Run(game, _open(game, check))
    for _ in range(LIMIT):
        asked = next((each for each in run.check.asked if each.left and each.prompt.default), None)
        if asked is None:
            break
        run.by_clock(asked)
        run.go()
    if run.check.open:
        run.end()
    return run.made()


def broken_off(game: Game, check: AnyCheck) -> Made:
    """The action behind a check was broken off: it ends as long as no dice have fallen, and goes on otherwise."""
    run = _Run(game, check)
    if check.open and not procedure_of(game, check.kind).fallen(check.data):
        run.end()
    return run.made()


def require_round_over(game: Game, place: str, number: int) -> None:
    """Impossible("round-open") with the `checks` begun in this round of a place that are still open.

    Of what whoever acts may not know of it is only said that it is open.
    """
    found = [
        each
        for each in game.state.checks.values()
        if each.open and each.place == place and each.round == number
    ]
    if found:
        raise Impossible(
            "round-open", checks=tuple([each.id for each in found if may_see(game, each, game.actor)])
        )


def _open(game: Game, check: str) -> AnyCheck:
    found = find_check(game, check)
    if not found.open:
        raise moved_on(game, found, "")
    return found


def preview(
    game: Game, check: AnyCheck, prompt: str, option: str, who: str, values: Values
) -> tuple[Game, AnyCheck] | None:
    """The game and the check as this answer would leave them; None where dice would fall. Raises as `choose`.

    Nothing goes on from there: only what the choice itself changes is seen.
    """
    bounded(values)
    asked = check.prompt(prompt)
    if asked is None:
        raise moved_on(game, check, prompt)
    run = _Run(game.but(rng=NO_DICE), check)
    try:
        run.look(asked, Choice(prompt, option, who, values))
    except DiceNeeded:
        return None
    return run.game, run.check


def reopened(check: AnyCheck, now: AnyCheck | None, at: int, was_at: int) -> AnyCheck:
    """A check that an undo brings back, in place of what it is `now` (None: it is not there).

    Each prompt gets a new number, so that nothing shown of it before fits, and the time it had left at `was_at`, when
    that was done which is undone; all of it where none was left, or the clock would do the same at once. No order
    answers and no dice fall until somebody acts or time comes.
    """
    revision = max(check.revision, 0 if now is None else now.revision) + 1
    later = at - was_at

    def moved(since: int, time: int | None) -> int | None:
        if time is None:
            return None
        return time + later if time > was_at else at + time - since

    asked = [
        each.but(
            number=revision,
            since=each.since + later,
            due=moved(each.since, each.due),
            remind=moved(each.since, each.remind),
            ordered=(),
        )
        for each in check.asked
    ]
    return check.but(revision=revision, asked=tuple(asked), since=check.since + later)
