"""Stages that several procedures share. What their rules have to say about it they say in a class of their own.

Their data begins with an `Idea` where it is proposed, with a `Blow` where somebody may be struck.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, TypeVar

from rules.core.record import Record, record
from rules.table import forms
from rules.table.checks.check import GMS, NEXT, OVER, PASS, Check, Choice, Prompt, Values, Wait
from rules.table.checks.procedure import Form, Option, Stage, Step
from rules.table.events import Line as Text
from rules.table.forms import Typed
from rules.table.permissions import is_gm
from rules.table.system import Game

D = TypeVar("D")

#: What a GM may answer to a proposal; with the last two it is over.
ROLL, MARGIN_ONLY, FREE, IMPOSSIBLE = "roll", "margin-only", "free", "impossible"
ANSWERS: Final = (ROLL, MARGIN_ONLY, FREE, IMPOSSIBLE)
#: The prompt with which a GM lets a result stand, and its one option.
STAND: Final = "stand"
#: Longest idea, question and note, in characters.
APPROACH_MAX: Final = 1000
QUESTION_MAX: Final = 500
NOTE_MAX: Final = 500

#: What these answers are called.
_RULED: Final = {
    ROLL: Text("answer-let-roll"),
    MARGIN_ONLY: Text("answer-margin-only"),
    FREE: Text("answer-free"),
    IMPOSSIBLE: Text("answer-impossible"),
}


@record
class Idea(Record):
    """What the data of a proposed check begins with: what a GM wants to know, and what they have answered.

    Who asked and who answered last are participants.
    """

    question: str = ""
    answer: str = ""
    asked_by: str = ""
    answered_by: str = ""


@record
class Blow(Idea):
    """What it begins with where somebody may be struck: also what they have chosen that it does."""

    choice: str = ""


#: The GMs may answer anew, or let dice stand, and are not waited for.
_RULE: Final = Prompt("rule", wait=None)
_STAND: Final = Prompt(STAND, wait=None, fresh=True)

P = TypeVar("P", bound=Idea)
B = TypeVar("B", bound=Blow)


#: What a GM asks back.
QUESTION: Final = forms.Form(
    (
        Typed(
            "question",
            needed=True,
            most=QUESTION_MAX,
            long=True,
            title=Text("answer-question"),
            read=lambda text: " ".join(text.split()),
        ),
    )
)


class Proposed(Stage[P]):
    """GMs answer what somebody wants to do, or ask back; its owner replies, revises, withdraws.

    It goes on as soon as there is an answer that leaves something to roll. `ask` is what the owner fills in, `rule`
    what the GMs do, `answers` those that fit this kind of check. With an answer that needs no dice goes `word`; what
    succeeds so goes on at `free`.
    """

    name = "proposed"
    word: Form | None = None
    free: str = OVER

    def __init__(self, ask: Form | None, rule: Form | None, answers: tuple[str, ...] = ANSWERS) -> None:
        self.asks, self._rule, self._answers = ask, rule, answers

    def revised(self, game: Game, check: Check[P], values: Values) -> Check[P]:
        """The check with what its owner has filled in anew."""
        return check

    def ruled(self, game: Game, check: Check[P], answer: str, values: Values) -> Check[P]:
        """The check with what a GM has filled in."""
        return check

    def draft(self, game: Game, check: Check[P], option: str) -> Values:
        """What filling in one of the options starts from."""
        return {}

    def unasked(self, game: Game, check: Check[P]) -> Check[P] | None:
        """The check answered as it was proposed, where no GM has to be asked; None where one has."""
        return None

    def enter(self, game: Game, check: Check[P], /) -> Step[P] | None:
        found = None if check.data.answer else self.unasked(game, check)
        return None if found is None else _answered(game, found)

    def ask(self, game: Game, check: Check[P], /) -> tuple[Prompt, ...]:
        if check.data.answer:
            return ()
        # Whoever is asked something answers it instead of revising. What GMs do for NPCs no player is shown.
        character = game.state.characters.get(check.actor)
        npc = character is None or character.owner is None
        button = None if npc else "answer-withdraw" if check.data.question else "answer-revise"
        own = Prompt("own", _own(game, check), wait=None, button=button)
        if check.data.question:
            return Prompt("reply", (check.actor,), button="answer-reply"), _RULE, own
        return Prompt("rule"), own

    def options(self, game: Game, check: Check[P], prompt: str, who: str, /) -> Iterable[Option]:
        if prompt == "rule":
            return (*self.drafted(game, check, self.rulings()), _option("ask", QUESTION))
        if prompt == "reply":
            return self.drafted(game, check, (_option("reply", self.asks),))
        if who == GMS:
            return (_option("withdraw"),)
        revise = () if check.data.question else (_option("revise", self.asks),)
        return (*self.drafted(game, check, revise), _option("withdraw"))

    def rulings(self) -> tuple[Option, ...]:
        """What a GM may answer."""
        return tuple(
            [
                Option(each, _RULED[each], self._rule if each in (ROLL, MARGIN_ONLY) else self.word)
                for each in self._answers
            ]
        )

    def drafted(self, game: Game, check: Check[P], options: tuple[Option, ...]) -> tuple[Option, ...]:
        """The options with what filling them in starts from."""
        return tuple([each.but(values=self.draft(game, check, each.value)) for each in options])

    def choose(self, game: Game, check: Check[P], choice: Choice, /) -> Step[P]:
        option, values = choice.option, choice.values
        if option == "withdraw":
            return Step(game.state, check.data, OVER)
        if option == "ask":
            again = bool(check.data.question)
            data = check.data.but(question=values["question"], asked_by=game.actor.id)
            return Step(game.state, data, reopen=again)
        if option in ("reply", "revise"):
            found = self.revised(game, check, values)
            return Step(game.state, found.data.but(question=""), reopen=True, check=found)
        return self.answered(game, check, option, values)

    def answered(self, game: Game, check: Check[P], answer: str, values: Values) -> Step[P]:
        """What a GM's answer makes of it, the first or a later one. How much is told is fixed with it."""
        found = self.ruled(game, check, answer, values).but(reveal=game.state.settings.reveal)
        step = _answered(
            game, found.but(data=found.data.but(answer=answer, answered_by=game.actor.id, question=""))
        )
        return step.but(to=self.free if answer == FREE else OVER) if answer in (FREE, IMPOSSIBLE) else step


class Ready(Stage[P]):
    """The owner rolls, or does before what can be done before; a GM may answer anew."""

    name = "ready"

    def __init__(self, proposed: Proposed[P]) -> None:
        self._proposed = proposed

    def rolls(self, game: Game, check: Check[P], who: str) -> tuple[Option, ...]:
        """How the owner may roll; empty while something is missing for it."""
        return _ROLLS

    def lacks(self, game: Game, check: Check[P]) -> str:
        """What the owner has to do in the place of a roll that would be refused: `write`, `revise`; empty: nothing."""
        return ""

    def before(self, game: Game, check: Check[P], who: str) -> tuple[Option, ...]:
        """What somebody who throws dice may choose before they fall."""
        return ()

    def chosen(self, game: Game, check: Check[P], choice: Choice) -> Step[P]:
        """What comes of one of these choices; after one of `rolls` it goes on."""
        return Step(game.state, check.data)

    def others(self, game: Game, check: Check[P]) -> tuple[str, ...]:
        """Who besides the actor throws dice, and may choose something before."""
        return ()

    def ask(self, game: Game, check: Check[P], /) -> tuple[Prompt, ...]:
        found = [Prompt("ready", (check.actor,), button=f"answer-{self.lacks(game, check) or ROLL}"), _RULE]
        if others := self.others(game, check):
            found.append(Prompt("before", others, wait=None))
        # Without a button of its own: behind the neutral one stands, too, what can be chosen instead of a roll.
        return (*found, Prompt("own", _own(game, check), wait=None))

    def options(self, game: Game, check: Check[P], prompt: str, who: str, /) -> Iterable[Option]:
        if prompt == "rule":
            yield from self._proposed.drafted(game, check, self._proposed.rulings())
        elif prompt == "own":
            yield _option("withdraw")
        else:
            if prompt == "ready" and (lacks := self.lacks(game, check)):
                yield from self._proposed.drafted(game, check, (_option(lacks, self._proposed.asks),))
            elif prompt == "ready":
                yield from self.rolls(game, check, who)
            yield from self.before(game, check, who)

    def choose(self, game: Game, check: Check[P], choice: Choice, /) -> Step[P]:
        if choice.prompt == "rule":
            made = self._proposed.answered(game, check, choice.option, choice.values)
            return made if made.to is not None else made.but(reopen=True)
        if choice.prompt == "own":
            return Step(game.state, check.data, OVER)
        if choice.option in ("write", "revise"):
            # The GM answers anew what is proposed anew.
            found = self._proposed.revised(game, check, choice.values)
            data = found.data.but(answer="", question="")
            return Step(game.state, data, self._proposed.name, check=found)
        made = self.chosen(game, check, choice)
        rolls = self.rolls(game, check, choice.who) if choice.prompt == "ready" and made.to is None else ()
        return made.but(to=NEXT) if choice.option in [each.value for each in rolls] else made


class Facing(Stage[D], ABC):
    """Those against whom, or with whom, something is done choose how they stand to it; in secret where it says so."""

    name = "facing"

    def __init__(self, form: Form | None = None, *, secret: bool = True, wait: Wait = "answer") -> None:
        self._form = form
        self._secret = secret
        self._wait: Wait = wait

    @abstractmethod
    def facing(self, game: Game, check: Check[D]) -> tuple[str, ...]:
        """Who has not chosen yet: follows from what everybody knows, and from who has chosen."""

    @abstractmethod
    def faced(self, game: Game, check: Check[D], choice: Choice) -> Step[D]:
        """What comes of somebody's choice."""

    def default(self, game: Game, check: Check[D]) -> str | None:
        """What the clock chooses for those who do not; None: they are reminded."""
        return None

    def ask(self, game: Game, check: Check[D], /) -> tuple[Prompt, ...]:
        left = self.facing(game, check)
        if not left:
            return ()
        default = self.default(game, check)
        return (Prompt("face", left, self._wait, default, self._secret, button="answer-face"),)

    def options(self, game: Game, check: Check[D], prompt: str, who: str, /) -> tuple[Option, ...]:
        return (_option("face", self._form),)

    def choose(self, game: Game, check: Check[D], choice: Choice, /) -> Step[D]:
        return self.faced(game, check, choice)


class Open(Stage[D]):
    """Dice lie open: whoever is aware of it reacts, until all have nothing to add."""

    name = "open"

    def __init__(self, *, secret: bool = False) -> None:
        self._secret = secret

    def aware(self, game: Game, check: Check[D]) -> tuple[str, ...]:
        """Who may react, whether they can or not; nobody where everybody knows that nobody could."""
        return (check.actor,) if check.target is None else (check.actor, check.target)

    def ask(self, game: Game, check: Check[D], /) -> tuple[Prompt, ...]:
        who = self.aware(game, check)
        return (Prompt("react", who, "react", PASS, self._secret),) if who else ()


class Standing(Open[D], ABC):
    """Dice lie open, and stand as soon as those who would have them otherwise have nothing to add.

    The others may react meanwhile, but are not waited for; a GM may let the result stand.
    """

    @abstractmethod
    def reactions(self, game: Game, check: Check[D], who: str) -> tuple[Option, ...]:
        """What somebody may do about the dice now."""

    @abstractmethod
    def reacted(self, game: Game, check: Check[D], choice: Choice) -> Step[D]:
        """What comes of it."""

    def others(self, game: Game, check: Check[D]) -> tuple[str, ...]:
        """Who may react besides, and is not waited for."""
        return ()

    def ask(self, game: Game, check: Check[D], /) -> tuple[Prompt, ...]:
        found = super().ask(game, check)
        if not found:
            return ()
        others = self.others(game, check)
        more = (Prompt("also", others, wait=None),) if others else ()
        # A GM who is waited for passes instead.
        theirs = [game.state.characters.get(each) for each in found[0].who or ()]
        owned = any(each is not None and each.owner is not None for each in theirs)
        return (*found, *more, _STAND) if owned else (*found, *more)

    def options(self, game: Game, check: Check[D], prompt: str, who: str, /) -> tuple[Option, ...]:
        return (_option(STAND),) if prompt == STAND else self.reactions(game, check, who)

    def choose(self, game: Game, check: Check[D], choice: Choice, /) -> Step[D]:
        if choice.prompt == STAND:
            return Step(game.state, check.data, NEXT)
        return self.reacted(game, check, choice)


class Struck(Stage[B], ABC):
    """Somebody was hit and chooses what it does; where that takes a GM's words, the GMs say them."""

    name = "struck"

    def struck(self, game: Game, check: Check[B]) -> str | None:
        """Who has to choose; None where nobody was hit, or nobody is there any more."""
        return check.target

    @abstractmethod
    def ways(self, game: Game, check: Check[B]) -> tuple[Option, ...]:
        """What they may choose."""

    def words(self, game: Game, check: Check[B], way: str) -> Form | None:
        """What a GM has to say before it is done; None: nothing."""
        return None

    @abstractmethod
    def done(self, game: Game, check: Check[B], way: str, values: Values) -> Step[B]:
        """What it does. Without the words that it takes (the clock gives none) as bad as it can be."""

    def default(self, game: Game, check: Check[B]) -> str | None:
        """What happens to those who never choose."""
        return None

    def ask(self, game: Game, check: Check[B], /) -> tuple[Prompt, ...]:
        who = self.struck(game, check)
        if who is None:
            return ()
        default = self.default(game, check)
        if check.data.choice:
            return (Prompt("words", wait="hit", default=default),)
        return Prompt("hit", (who,), "hit", default), Prompt("words", wait=None)

    def options(self, game: Game, check: Check[B], prompt: str, who: str, /) -> tuple[Option, ...]:
        ways = self.ways(game, check)
        if prompt == "hit":
            return ways
        return tuple([each.but(form=self.words(game, check, each.value) or each.form) for each in ways])

    def choose(self, game: Game, check: Check[B], choice: Choice, /) -> Step[B]:
        way = choice.option
        waits = choice.prompt == "hit" and choice.how != "clock" and self.words(game, check, way) is not None
        if waits:
            return Step(game.state, check.data.but(choice=way))
        made = self.done(game, check, way, choice.values)
        return made.but(to=made.to or NEXT)


def needs_no_answer(game: Game, check: Check[Any]) -> bool:
    """Whether a difficulty that is named stands without a GM's answer: in live play, or of a GM's NPC."""
    character = game.state.characters.get(check.actor)
    if character is not None and character.owner is None and is_gm(game.state, game.actor):
        return True
    return game.state.settings.live and check.visibility == "public"


def _answered(game: Game, check: Check[P]) -> Step[P]:
    return Step(game.state, check.data, check=check)


def _own(game: Game, check: Check[Any]) -> tuple[str, ...]:
    """Who may take it back: its owner, and the GMs in any case."""
    character = game.state.characters.get(check.actor)
    return (check.actor,) if character is None or character.owner is None else (check.actor, GMS)


@cache
def _label(value: str) -> Text:
    return Text(f"answer-{value}")


def _option(value: str, form: Form | None = None) -> Option:
    return Option(value, _label(value), form)


_ROLLS: Final = (_option("roll"),)
