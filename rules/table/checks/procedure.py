"""Procedures of checks: stages, their prompts and options, and the results of answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Any, ClassVar, Final, Generic, Literal, Protocol, TypeVar

from rules.core.errors import Impossible
from rules.core.record import Record, field, force_setattr
from rules.table.blocks import Text
from rules.table.check import NEXT, OVER, Check, Choice, Cost, Prompt, Values
from rules.table.events import Event
from rules.table.forms.form import Form
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game, OddsTable, System

D = TypeVar("D")


#: What a kind of check is to shared code, whatever the system calls it. The shared command of that
#: name begins it; a "round" begins each round of turns.
Role = Literal["check", "attack", "contest", "heal", "round"]
#: When an option helps the asked player. "losing": while the check goes against the player, as far
#: as the player knows. The first option that helps has the highlighted button.
Helps = Literal["always", "losing", "never"]


class CheckOption(Record):
    """An option of a prompt."""

    value: str
    label: Text
    form: Form | None = None
    cost: Cost | None = None
    #: Odds after this choice, shown beside it; None if they are unknown.
    odds: Any = None
    #: Values with which its form starts: what was said before, or what another side proposes.
    values: Values = field(default_factory=dict[str, Any])
    #: Label that depends on the values filled in.
    says: Callable[[Values], Text] | None = None
    #: Public line about the option of a `shown` prompt. It tells nothing of a sheet.
    line: Text | None = None
    #: Label of the button of a `shown` prompt.
    short: Text | None = None
    #: Whether its form opens at once for typing.
    written: bool = False
    #: None: `losing` for an option with a cost, else `always`.
    helps: Helps | None = None
    #: Whether a sheet could ever allow the option. Standing orders offer only such options.
    orderable: Callable[[Any], bool] | None = None

    def is_helpful(self, *, losing: bool) -> bool:
        """Return whether it helps the asked player; *losing* goes by what that player knows."""
        helps = self.helps or ("always" if self.cost is None else "losing")
        # An option with zero odds is never highlighted.
        return (helps == "always" or (helps == "losing" and losing)) and self.odds != 0


class StageResult(Record, Generic[D]):
    """Result of a choice, or of entering a stage: the table and the check's data after it."""

    state: TableState
    data: D
    #: Stage to enter, even from itself. NEXT: the stage that follows. None: the check stays.
    to: str | None = None
    #: The options or the prompts of other characters have changed. Their passes are void, and the
    #: prompts get new numbers and times.
    reopen: bool = False
    #: Events besides the check's own.
    events: tuple[Event, ...] = ()
    #: The step in words, for log and undo. None: the option's label.
    said: Text | None = None
    #: The check with changes of `target`, `hidden`, `reveal`, `approach` or `note`. The engine
    #: takes over nothing else of it.
    check: Check[D] | None = None


class Stage(Generic[D]):
    """Stage of a check's procedure. A stage is never written to once it is built.

    `enter` runs by itself. The check goes on to the next stage once it waits for no answer.

    A stage may be entered again, so `enter` throws only dice that `data` does not have yet. The
    characters that are asked follow from public facts, never from what a character is able to do.
    """

    name: str = ""
    #: Name of the next stage. None: the next one in the procedure's list.
    then: str | None = None
    #: Prompts that a standing order may answer, each with an option of it. A pass may be ordered
    #: for every prompt that can be passed, and stands here only if it has a text of its own.
    orders: tuple[tuple[str, CheckOption], ...] = ()
    #: Prompts that a standing order may pass once and for all, whatever is done.
    passed: tuple[str, ...] = ()

    def enter(self, game: Game, check: Check[D], /) -> StageResult[D] | None:
        """Return what happens by itself on entering the stage; None: nothing."""
        return None

    def ask(self, game: Game, check: Check[D], /) -> tuple[Prompt, ...]:
        """Return the prompts of the stage.

        The engine asks again after every choice. The data tells which characters have answered and
        are left out.
        """
        return ()

    def options(
        self, game: Game, check: Check[D], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        """Return the options that `who` may choose now. They may be an iterator that is not used
        up.
        """
        return ()

    def deciders(self, game: Game, check: Check[D], prompt: Prompt, /) -> tuple[str, ...]:
        """Return the characters of `prompt.who` who decide, for a `react` or `means` prompt.

        The check waits for them alone, such as those who threw the dice; others may choose, but
        hold nothing. `rules.table.checks.waiting` then drops NPCs and deciders without means.
        """
        return prompt.who or ()

    def has_means(self, game: Game, check: Check[D], who: str, /) -> bool:
        """Return whether `who` could still change the dice, by public facts alone.

        Public facts are points and the number of cards. The engine asks it of deciders only, and
        not at a table that hides points.
        """
        return True

    def is_hurt(self, game: Game, check: Check[D], who: str, /) -> bool:
        """Return whether the dice on the table hurt `who`, by an attack or a crash.

        A hurt player's character has the table's full answer time, no matter which side rolled.
        """
        return False

    def has_wanted_result(self, game: Game, check: Check[D], who: str, /) -> bool | None:
        """Return whether the open result is what `who` wants; None: the verdict tells."""
        return None

    def has_secret_number(self, game: Game, check: Check[D], /) -> bool:
        """Return whether players don't learn the number that the dice are measured against.

        The verdict on such a number closes what comes before it, so the roller decides first.
        """
        return check.hidden

    def stays(self, game: Game, check: Check[D], /) -> bool:
        """Return whether the check stays here although it waits for no answer.

        It waits for something outside of it then, such as the story's time, and holds no round.
        """
        return False

    def secret_costs(self, check: Check[D], /) -> Iterable[tuple[str, str, int]]:
        """Return what secret answers of this stage have cost: character, resource, amount."""
        return ()

    #: Whether players may step in at this stage after the check has left it. "before-verdict":
    #: only if the number is open; "after-verdict": always; None: never.
    step_in: ClassVar[Literal["before-verdict", "after-verdict"] | None] = None

    #: Which switch of a player's orders asks for this stage: before results stand, or at the start
    #: of each round.
    asked_by: ClassVar[Literal["ask_results", "ask_rounds"]] = "ask_results"
    #: Whether players can ask to be asked in this stage.
    can_be_asked_for: ClassVar[bool] = False

    def resume(self, game: Game, check: Check[D], /) -> StageResult[D] | None:
        """Return what happens by itself once no player wants a say any more; None: nothing."""
        return None

    def choose(self, game: Game, check: Check[D], choice: Choice, /) -> StageResult[D]:
        """Carry out one of these options, with values that its form has read. RulesError."""
        raise Impossible("not-asked", check=check.id)


#: Function that runs by itself on entering a stage.
Enter = Callable[[Game, Check[D]], StageResult[D] | None]


class AutomaticStage(Stage[D]):
    """A stage without prompts: the check goes on once its function has a result.

    It has the name of its function.
    """

    def __init__(self, enter: Enter[D]) -> None:
        self.name, self._happens = enter.__name__.strip("_"), enter

    def enter(self, game: Game, check: Check[D], /) -> StageResult[D] | None:
        result = self._happens(game, check)
        if result is not None and not result.to:
            return result.replace(to=NEXT)
        return result


class RollPreview(Record):
    """Dice of the roll that a check waits for, as all participants may read them."""

    dice: Text | None
    #: Chance of success; None if the difficulty or what it depends on isn't public.
    chance: Fraction | None = None


class CheckOdds(Record):
    """The traits, adjustments and exact odds of a check before the roll.

    `notes` are other facts to know before the roll, such as its cost.
    """

    traits: tuple[Text, ...]
    shifts: tuple[Text, ...]
    table: OddsTable
    notes: tuple[Text, ...] = ()


#: Menus of all systems that begin checks: of a turn, of a list of NPCs, of a sheet.
Menu = Literal["turn", "npc", "sheet"]


class StartButton(Record):
    """The button that begins a kind of check, and its places in the menus of all systems."""

    label: Text
    #: Its rank among the buttons of each menu that has it.
    ranks: Mapping[Menu, int]
    #: Whether a character on turn is offered it. That may be a secret: only GMs see the button for
    #: an NPC. None: every character on turn has it.
    offered: Callable[[Game, AnyCharacter], bool] | None = None


CHECK_BUTTON: Final = StartButton(Text("button-check"), {"turn": 2, "npc": 2, "sheet": 1})
ATTACK_BUTTON: Final = StartButton(Text("button-attack"), {"turn": 1, "npc": 1, "sheet": 2})
DEFEND_BUTTON: Final = StartButton(Text("button-defend"), {"turn": 3})


class Procedure(Record, Generic[D]):
    """The course of one kind of check.

    Raises ValueError if it could never be played: without stages, with two stages of one name or
    one that leads to a missing stage, with an order given twice, or with data that is no record
    with defaults.
    """

    kind: str
    #: The stages in order. A function stands for a stage that only calls it.
    course: tuple[Stage[D] | Enter[D], ...]
    #: Class of the check's data, by which the codec reads checks of this kind.
    data: type[D]
    #: The options on beginning the check.
    form: Form | None = None
    #: Puts the options into a new check, whose data is `data()`.
    begin: Callable[[Game, Check[D], Values], Check[D]] = lambda game, check, values: check
    #: The blocks of the check's card.
    describe: Callable[[Game, Check[D]], tuple[Any, ...]] = lambda game, check: ()
    #: The characters that the data names besides actor and target.
    cast: Callable[[Check[D]], tuple[str, ...]] = lambda check: ()
    #: Raises RulesError if a character is gone, or lacks what the check names.
    require: Callable[[Game, Check[D]], None] = lambda game, check: None
    #: Raises RulesError if it can't begin like this, whatever else is said: for this actor, this
    #: target if one is named, and these options.
    require_start: Callable[[Game, str, str | None, Values], None] = (
        lambda game, who, target, values: None
    )
    #: Whether dice have fallen.
    dice_have_fallen: Callable[[D], bool] = lambda data: False
    #: The data without the texts that a participant typed; `mine` are the participant's characters.
    forget: Callable[[Check[D], str, Collection[str]], D] = lambda check, who, mine: check.data
    #: GMs may begin it for every character.
    anybody: bool = False
    #: The characters whose players hear of a private check; None: all that take part.
    private: Callable[[Check[D]], tuple[str, ...]] | None = None
    #: Returns the odds before the roll. Raises Impossible or Outdated if the check has none.
    odds: Callable[[Game, Check[D]], CheckOdds] | None = None
    #: Returns the dice of the roll that the check waits for; None where they are secret.
    next_roll: Callable[[Game, Check[D]], RollPreview | None] | None = None
    #: Why a character (the last argument) can spend nothing on the check now.
    idle: Callable[[Game, Check[D], str], Text] | None = None
    #: A panel begins it only with an idea in words.
    in_words: bool = False
    #: A character who lacks the named skill rolls without one.
    skill_is_optional: bool = False
    #: Only the rules begin it.
    by_itself: bool = False
    #: Stage whose offers stay open once the check is over. Nobody is waited for in it.
    afterwards: Stage[D] | None = None
    #: Whether beginning it takes the actor's own turn.
    takes_turn: Callable[[Game, Check[D]], bool] = lambda game, check: False
    #: None: only commands of the system begin it.
    role: Role | None = None
    #: Its button in the menus of all systems; None for a kind that only commands begin.
    button: StartButton | None = None
    #: Whether it aims at another character, for whom its panel asks.
    aims: bool = False
    #: The stages by name.
    stages: Mapping[str, Stage[D]] = {}
    #: The stage in which a check begins.
    first: str = ""
    #: The next stage of each stage.
    following: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        course: list[Any] = [
            part if isinstance(part, Stage) else AutomaticStage(part) for part in self.course
        ]
        names: list[str] = [stage.name for stage in course]
        kind = self.kind
        if not names or {OVER, NEXT} & {*names} or not all(names) or len(set(names)) != len(names):
            raise ValueError(f"{kind}: its stages need names of their own: {names}")
        after = {
            stage.name: stage.then or then
            for stage, then in zip(course, [*names[1:], OVER], strict=True)
        }
        for name, then in after.items():
            if then != OVER and then not in names:
                raise ValueError(f"{kind}: {name} goes on to {then}, which is no stage of it")
        for stage in course:
            given = [(prompt, option.value) for prompt, option in stage.orders]
            if len(set(given)) != len(given):
                raise ValueError(
                    f"{kind}: what may be ordered in {stage.name} stands there twice: {given}"
                )
        if not issubclass(self.data, Record):
            raise ValueError(f"{kind}: its data is no record")
        try:
            self.data()
        except TypeError as error:
            raise ValueError(f"{kind}: its data cannot be made of nothing: {error}") from error
        stages: dict[str, Any] = {stage.name: stage for stage in course}
        if self.afterwards is not None:
            stages[OVER] = self.afterwards
        force_setattr(self, "stages", stages)
        force_setattr(self, "first", names[0])
        force_setattr(self, "following", after)

    def actor_and_target(
        self, actor: str | None, target: str | None
    ) -> tuple[str | None, str | None]:
        """Return the actor and the target of a check that a command begins, as far as named.

        What GMs may begin for every character is done by the named target itself.
        """
        if self.anybody and actor is None:
            return target, None
        return actor, target


AnyProcedure = Procedure[Any]


class Thrown(Protocol):
    """Data of a check with the dice that have fallen."""

    @property
    def throws(self) -> Sequence[Any]: ...


def has_throws(data: Thrown) -> bool:
    """Return whether dice have fallen, for `Procedure.dice_have_fallen`."""
    return bool(data.throws)


def procedure_of(game: Game, kind: str) -> AnyProcedure:
    """Return the procedure of a kind of check. Raises Impossible("not-in-these-rules")."""
    procedure = game.system.procedures.get(kind)
    if procedure is None:
        raise Impossible("not-in-these-rules", name=game.system.name)
    return procedure


def kinds_with_role(system: System, role: Role) -> tuple[str, ...]:
    """Return the kinds of check that have a role in these rules."""
    procedures: Mapping[str, AnyProcedure] = system.procedures
    return tuple(kind for kind, procedure in procedures.items() if procedure.role == role)


def kind_with_role(system: System, role: Role) -> str:
    """Return the first kind of check with a role.

    Without one the text is empty, and `procedure_of` refuses it as not in these rules.
    """
    return next(iter(kinds_with_role(system, role)), "")


def start_buttons(system: System, menu: Menu) -> dict[str, StartButton]:
    """Return the buttons of a menu by the kind of check that they begin, in their order."""
    procedures: Mapping[str, AnyProcedure] = system.procedures
    ranked: list[tuple[int, str, StartButton]] = []
    for kind, procedure in procedures.items():
        button = procedure.button
        rank = None if button is None else button.ranks.get(menu)
        if button is not None and rank is not None:
            ranked.append((rank, kind, button))
    return {kind: button for _, kind, button in sorted(ranked, key=itemgetter(0))}


def has_role(game: Game, kind: str, role: Role) -> bool:
    """Return whether a kind of check has a role in these rules."""
    procedure: AnyProcedure | None = game.system.procedures.get(kind)
    return procedure is not None and procedure.role == role


def orderable_options(
    game: Game, who: str | None = None
) -> tuple[tuple[str, str, CheckOption], ...]:
    """Return the kind, prompt and option of each answer that a standing order may give.

    `who`: without the options that this character could never choose.
    """
    courses: Mapping[str, AnyProcedure] = game.system.procedures
    stages = [(kind, stage) for kind, course in courses.items() for stage in course.stages.values()]
    sheet = None if who is None else game.sheet(who)
    found: list[tuple[str, str, CheckOption]] = []
    for kind, stage in stages:
        for prompt, option in stage.orders:
            if sheet is None or option.orderable is None or option.orderable(sheet):
                found.append((kind, prompt, option))
    return tuple(found)


def passable_prompts(game: Game) -> tuple[str, ...]:
    """Return the prompts that a standing order may pass in these rules, whatever is done."""
    courses: Iterable[AnyProcedure] = game.system.procedures.values()
    stages = [stage for course in courses for stage in course.stages.values()]
    return tuple(dict.fromkeys([prompt for stage in stages for prompt in stage.passed]))
