"""Small procedures that need everything a check can do, and a table to play them on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rules.core.errors import InvalidInput, RulesError
from rules.core.record import Record
from rules.core.rng import ScriptedRng, Streams
from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.check import ANY_GM, OVER, PASS, Check, Choice, Cost, Orders, Prompt, Values
from rules.table.checks import engine, prompt_times
from rules.table.checks.audience_views import check_view
from rules.table.checks.available_moves import Move, check_moves
from rules.table.checks.check_run import MAX_STEPS, CheckAdvance
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.standing_orders import with_orders
from rules.table.events import EVERYONE, Audience, PromptView
from rules.table.events import GMS as GMS_ALONE
from rules.table.forms.fields import NO_CONTEXT, FormContext, Typed
from rules.table.forms.form import Form
from rules.table.resources import Resource
from rules.table.state import DAY, SYSTEM, Character, Settings, TableState
from rules.table.system import Game, System
from tests.sample_table import patient

GM, CLOCK = Actor("p1"), Actor(SYSTEM)
#: Who plays whom: five players, and two NPCs of which players know one.
OWNERS = {"a": "p2", "b": "p3", "c": "p4", "d": "p5", "e": "p6", "orc": None, "imp": None}
PLACE = "200"


class Sheet(Record):
    points: int = 0
    cards: tuple[str, ...] = ()
    hits: int = 10


class Toy(Form):
    """A form: fields with what reads each; every violation at once is one error here."""

    reads: Mapping[str, Callable[[Any], Any]] = {}

    def read_json(self, data: Any, asking: FormContext = NO_CONTEXT) -> dict[str, Any]:
        for key in data:
            if key not in self.reads:
                raise InvalidInput(
                    "unknown-field", field=key, value=None, allowed=tuple(self.reads)
                )
        return {key: read(data[key]) for key, read in self.reads.items() if key in data}


def Fields(**fields: Callable[[Any], Any]) -> Toy:
    return Toy(tuple(Typed(key) for key in fields), reads=fields)


def number(value: Any) -> int:
    if not isinstance(value, int):
        raise InvalidInput(
            "wrong-type", field="number", value=str(value), allowed=("whole-number",)
        )
    return value


def option(value: str, form: Toy | None = None, cost: Cost | None = None) -> CheckOption:
    return CheckOption(value, Text(f"choose-{value}"), form, cost)


# --- a proposal: the GM answers or asks, the owner replies, revises, withdraws, rolls -------------


class Idea(Record):
    how: str = ""
    question: str = ""
    level: int | None = None
    faces: tuple[int, ...] = ()


class Ruling(Stage[Any]):
    name = "ruling"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        own = Prompt("own", (check.actor,), wait=None, button="revise")
        if check.data.question:
            return Prompt("reply", (check.actor,)), Prompt("rule", wait=None), own
        return Prompt("rule"), own

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        if prompt == "rule":
            return option("roll", Fields(level=number, hidden=bool)), option(
                "ask", Fields(question=str)
            )
        if prompt == "reply":
            return (option("reply", Fields(how=str)),)
        return option("revise", Fields(how=str)), option("withdraw")

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        data, values = check.data, choice.values
        if choice.option == "withdraw":
            return StageResult(game.state, data, OVER)
        if choice.option == "ask":
            return StageResult(game.state, data.replace(question=values["question"]))
        if choice.option in ("reply", "revise"):
            return StageResult(
                game.state, data.replace(how=values["how"], question=""), reopen=True
            )
        settings = game.state.settings
        about = check.replace(
            hidden=values.get("hidden", False), reveal=settings.reveal, note="fixed", actor="x"
        )
        return StageResult(
            game.state, data.replace(level=values["level"], question=""), "ready", check=about
        )


class Rolling(Stage[Any]):
    name = "ready"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        return (
            Prompt("ready", (check.actor,)),
            Prompt("rule", wait=None),
            Prompt("own", (check.actor,), None),
        )

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        if prompt == "ready":
            return option("roll"), option("luck", cost=Cost("points", 2))
        return (
            (option("roll", Fields(level=number)),) if prompt == "rule" else (option("withdraw"),)
        )

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        if choice.option == "withdraw":
            return StageResult(game.state, check.data, OVER)
        if choice.prompt == "rule":
            return StageResult(game.state, check.data.replace(level=choice.values["level"]))
        return StageResult(game.state, check.data, "thrown", said=Text("rolled"))


class Thrown(Stage[Any]):
    name = "thrown"

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        return StageResult(
            game.state, check.data.replace(faces=(game.rng_for(check).below(10) + 1,))
        )


PROPOSAL = Procedure(
    "proposal",
    (Ruling(), Rolling(), Thrown()),
    data=Idea,
    form=Fields(how=str),
    begin=lambda game, check, values: check.replace(data=Idea(values.get("how", ""))),
    describe=lambda game, check: (check.data.level, check.data.faces),
    dice_have_fallen=lambda data: bool(data.faces),
)


# --- a window for everybody aware, with passes, cards, jumps back ---------------------------------


class Total(Record):
    aware: tuple[str, ...] = ()
    faces: tuple[int, ...] = ()
    owed: int = 0
    plus: int = 0
    level: int | None = None
    how: tuple[str, ...] = ()


class Pending(Stage[Any]):
    name = "pending"
    orders = (("react", option("card")), ("react", option("cancel")))

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        data = check.data
        if data.faces:
            return None
        return StageResult(game.state, data.replace(faces=(game.rng_for(check).below(10) + 1,)))

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        return (Prompt("react", check.data.aware, "react", PASS, secret=True),)

    def deciders(self, game: Game, check: Check[Any], prompt: Prompt, /) -> tuple[str, ...]:
        return (check.actor,)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        sheet, found = game.sheet(who), []
        if "card" in sheet.cards:
            found.append(option("card"))
        if who == check.actor and sheet.points:
            found.append(option("more", cost=Cost("points")))
        if who != check.actor and sheet.points and check.data.owed:
            found.append(option("cancel", cost=Cost("points")))
        return tuple(found)

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        data = check.data.replace(
            how=(*check.data.how, f"{choice.who}:{choice.option}:{choice.how}")
        )
        if choice.option == "more":
            return StageResult(game.state, data.replace(owed=1), reopen=True)
        if choice.option == "cancel":
            return StageResult(game.state, data.replace(owed=0))
        sheet = game.sheet(choice.who)
        game = game.with_sheet(
            choice.who, sheet.replace(cards=tuple(each for each in sheet.cards if each != "card"))
        )
        return StageResult(game.state, data.replace(plus=data.plus + 3), reopen=True)


class Again(Stage[Any]):
    name = "again"

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        data = check.data
        if not data.owed:
            return None
        more = game.rng_for(check).below(10) + 1
        return StageResult(game.state, data.replace(faces=(*data.faces, more), owed=0), "pending")


class Naming(Stage[Any]):
    name = "naming"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        return () if check.data.level is not None else (Prompt("level"),)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (option("level", Fields(level=number)),)

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        return StageResult(game.state, check.data.replace(level=choice.values["level"]))


def _aware(game: Game, check: Check[Any], values: Values) -> Check[Any]:
    return check.replace(data=Total(tuple(values["aware"])))


WINDOW = Procedure(
    "window",
    (Pending(), Again(), Naming()),
    data=Total,
    form=Fields(aware=list),
    begin=_aware,
    describe=lambda game, check: (sum(check.data.faces) + check.data.plus,),
    dice_have_fallen=lambda data: bool(data.faces),
)


# --- secret choices at the same time, then dice by themselves -------------------------------------


class Duel(Record):
    sides: tuple[str, ...] = ()
    chosen: tuple[tuple[str, str, str], ...] = ()
    faces: tuple[int, ...] = ()
    judged: bool = False


class Choosing(Stage[Any]):
    name = "choosing"
    orders = (
        ("side", option("high", Fields(plus=number), Cost("points"))),
        ("side", option("low")),
    )

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        done = [who for who, _, _ in check.data.chosen]
        left = tuple([each for each in check.data.sides if each not in done])
        found = [Prompt("side", left, "react", "low", secret=True)] if left else []
        if not check.data.judged:
            found.append(Prompt("judge", wait=None))
        return tuple(found)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        if prompt == "judge":
            return option("judge"), option("stop")
        return option("high", Fields(plus=number), Cost("points")), option("low")

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        data = check.data
        if choice.option == "stop":
            return StageResult(game.state, data, OVER)
        if choice.option == "judge":
            return StageResult(game.state, data.replace(judged=True))
        found = (choice.who, choice.option, choice.how)
        return StageResult(game.state, data.replace(chosen=(*data.chosen, found)))


class Both(Stage[Any]):
    name = "both"

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        faces = tuple([game.rng.public.below(6) + 1 for _ in check.data.sides])
        return StageResult(game.state, check.data.replace(faces=faces))


DUEL = Procedure(
    "duel",
    (Choosing(), Both()),
    data=Duel,
    form=Fields(sides=list),
    begin=lambda game, check, values: check.replace(data=Duel(tuple(values["sides"]))),
    cast=lambda check: check.data.sides,
)


# --- one blast on several people: everybody changes their own throw in one prompt -----------------


class Throw(Record):
    who: str
    faces: tuple[int, ...]
    changed: bool = False


class Blast(Record):
    targets: tuple[str, ...] = ()
    throws: tuple[Throw, ...] = ()
    section: int = 0
    taken: tuple[tuple[str, int, int], ...] = ()


class Shot(Stage[Any]):
    name = "shot"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        return () if check.data.section else (Prompt("section", wait="answer", default="random"),)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return option("random"), option("section", Fields(section=number))

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        found = choice.values.get("section") or game.rng.public.below(3) + 1
        return StageResult(game.state, check.data.replace(section=found))


class Stay(Stage[Any]):
    name = "stay"

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        data = check.data
        throws = tuple([Throw(who, (game.rng.public.below(6) + 1,)) for who in data.targets])
        return StageResult(game.state, data.replace(throws=throws))

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        left = tuple([each.who for each in check.data.throws if not each.changed])
        return (Prompt("stay", left, "react", PASS),) if left else ()

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (option("flip", cost=Cost("points")),) if game.sheet(who).points else ()

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        throws = tuple(
            [
                each.replace(faces=(6,), changed=True) if each.who == choice.who else each
                for each in check.data.throws
            ]
        )
        return StageResult(game.state, check.data.replace(throws=throws))


class Hurt(Stage[Any]):
    name = "hurt"

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        taken: list[tuple[str, int, int]] = []
        for each in check.data.throws:
            before = game.sheet(each.who).hits
            after = before if each.faces[0] > 4 else before - 3
            game = game.with_sheet(each.who, game.sheet(each.who).replace(hits=after))
            taken.append((each.who, before, after))
        return StageResult(game.state, check.data.replace(taken=tuple(taken)))


BLAST = Procedure(
    "blast",
    (Shot(), Stay(), Hurt()),
    data=Blast,
    form=Fields(targets=list),
    begin=lambda game, check, values: check.replace(data=Blast(tuple(values["targets"]))),
    cast=lambda check: check.data.targets,
    describe=lambda game, check: check.data.taken,
    dice_have_fallen=lambda data: bool(data.throws),
)


# --- offers, secrets of one person, the window of a hit, circles ----------------------------------


class Team(Record):
    members: tuple[str, ...] = ()
    struck: str = ""
    chosen: str = ""


class Joining(Stage[Any]):
    name = "joining"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        return Prompt("join", None, wait=None, button="join"), Prompt("start", (check.actor,))

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        if prompt == "start":
            return (option("start", Fields(struck=str)),)
        if not who or who == check.actor:
            return ()
        return (option("leave"),) if who in check.data.members else (option("join"),)

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        data, who = check.data, choice.who
        if choice.option == "start":
            return StageResult(
                game.state, data.replace(struck=choice.values.get("struck", "")), "struck"
            )
        if choice.option == "join":
            return StageResult(game.state, data.replace(members=(*data.members, who)))
        return StageResult(
            game.state, data.replace(members=tuple(each for each in data.members if each != who))
        )


class Struck(Stage[Any]):
    name = "struck"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        who = check.data.struck
        return (
            (Prompt("hit", (who,), "answer", "suffer", visible_to=(who,), harms=True),)
            if who and not check.data.chosen
            else ()
        )

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return option("suffer"), option("soften", cost=Cost("points"))

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        return StageResult(game.state, check.data.replace(chosen=choice.option))


TEAM = Procedure(
    "team",
    (Joining(), Struck()),
    data=Team,
    cast=lambda check: check.data.members,
    dice_have_fallen=lambda data: False,
)


class Round(Stage[Any]):
    name = "round"

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        return StageResult(game.state, check.data, "round")


class Echo(Stage[Any]):
    """Asks for ever: what is ordered here would answer for ever."""

    name = "echo"
    orders = (("say", option("yes")),)

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        return (Prompt("say", (check.actor,), "react", PASS),)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (option("yes"), option("anew"))

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        return StageResult(game.state, check.data, reopen=choice.option == "anew")


CIRCLE = Procedure("circle", (Round(),), data=Team)
ECHO = Procedure("echo", (Echo(),), data=Team)
POINTS = Resource[Sheet](
    "points", lambda sheet: sheet.points, lambda sheet, points: sheet.replace(points=points)
)
TOYS = System(
    "toys",
    "Toys",
    procedures={each.kind: each for each in (PROPOSAL, WINDOW, DUEL, BLAST, TEAM, CIRCLE, ECHO)},
    resources=(POINTS,),
)


# --- a table --------------------------------------------------------------------------------------


def table(settings: Mapping[str, Any] | None = None, **sheets: Sheet) -> TableState:
    """All seven characters, with these sheets where they are named."""
    agreed = Settings("T", "toys", ("p1",), **patient({"step_in_time": DAY, **(settings or {})}))
    characters = {
        key: Character(
            key, key, owner, sheets.get(key, Sheet()), "off" if key == "imp" else "revealed"
        )
        for key, owner in OWNERS.items()
    }
    return TableState(agreed, characters=characters)


def add_orders(state: TableState, **orders: Orders) -> TableState:
    for who, each in orders.items():
        state = with_orders(state, who, each)
    return state


def calls(game: Game, check: Check[Any], actor: Actor | None = None) -> tuple[PromptView, ...]:
    """The open prompts that somebody, or with None everybody, may know of."""
    audience = (
        EVERYONE if actor is None else GMS_ALONE if actor == GM else Audience(people=(actor.id,))
    )
    # These tell no blocks.
    silent = game.system.procedures[check.kind].replace(describe=lambda game, check: ())
    game = game.replace(system=game.system.replace(procedures={check.kind: silent}))
    return check_view(game, check, audience).asked


def owner(who: str) -> Actor:
    return Actor(OWNERS.get(who) or "p1") if who else GM


class Play:
    """One check, played by name. `at` moves as the test says."""

    def __init__(
        self, state: TableState, dice: Sequence[int] | Streams = (), at: int = 1000
    ) -> None:
        self.state, self.at = state, at
        self.rng: Streams = dice if not isinstance(dice, Sequence) else ScriptedRng(dice)
        self.last: CheckAdvance
        self.id = ""
        #: Reminders that the clock has sent.
        self.reminded: set[str] = set()

    def game(self, actor: Actor = GM) -> Game:
        return Game(self.state, TOYS, self.rng, self.at, actor)

    @property
    def check(self) -> Check[Any]:
        return self.state.checks[self.id]

    @property
    def asked(self) -> dict[str, tuple[str, ...]]:
        """Who is still waited for, by prompt."""
        return {each.prompt.key: each.waiting_for for each in self.check.asked}

    def keep(self, made: CheckAdvance) -> CheckAdvance:
        self.last, self.state = made, made.state
        self.id = made.check.id
        return made

    def begin(self, kind: str, actor: str = "a", **values: Any) -> Play:
        extra = {
            key: values.pop(key) for key in ("target", "visibility", "gm_only") if key in values
        }
        self.keep(engine.begin(self.game(owner(actor)), kind, PLACE, values, actor=actor, **extra))
        return self

    def number(self, prompt: str) -> int:
        found = self.check.prompt(prompt)
        return found.number if found is not None else 0

    def do(
        self,
        prompt: str,
        option: str,
        *who: str,
        by: Actor | None = None,
        number: int | None = None,
        **values: Any,
    ) -> CheckAdvance:
        named = who or (ANY_GM,)
        game = self.game(by or owner(named[0]))
        asked = self.number(prompt) if number is None else number
        return self.keep(engine.choose(game, self.id, prompt, asked, option, named, values))

    def later(self, seconds: int) -> CheckAdvance | None:
        """Time passes; whatever the clock has to do is done, in order."""
        until = self.at + seconds
        made = None
        for _ in range(MAX_STEPS):
            waits = prompt_times.pending_waits(self.check)
            due = [each for each in waits if each.due <= until and each.id not in self.reminded]
            wait = min(due, key=lambda each: each.due, default=None)
            if wait is None:
                break
            self.at = max(self.at, wait.due)
            try:
                made = self.keep(engine.lapse(self.game(CLOCK), wait.id))
            except RulesError:
                break
            if wait.default is None:
                self.reminded.add(wait.id)  # a reminder comes once
        self.at = until
        return made

    def moves(self, actor: Actor) -> dict[tuple[str, str], tuple[str, ...]]:
        """Options by prompt and character."""
        return {
            (each.prompt, each.who): _values(each)
            for each in check_moves(self.game(actor), self.check)
        }


def _values(move: Move) -> tuple[str, ...]:
    return tuple(each.value for each in move.options) + ((PASS,) if move.passes else ())
