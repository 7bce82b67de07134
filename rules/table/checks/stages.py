"""Stages that several procedures share. What their rules have to say about it they say in a class of their own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, TypeVar

from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated, RulesError
from rules.core.record import Record, field
from rules.table.blocks import Text
from rules.table.check import GMS, NEXT, OVER, PASS, REACT, Check, Choice, Prompt, Values
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.forms import Asking, Find, Flag, Form, Number, Typed
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc

D = TypeVar("D")

#: What was said in a form.
Said = Mapping[str, bool | int | str | tuple[str, ...]]

#: What a GM may answer to a proposal; with the last two it is over.
ROLL, MARGIN_ONLY, FREE, IMPOSSIBLE = "roll", "margin-only", "free", "impossible"
ANSWERS: Final = (ROLL, MARGIN_ONLY, FREE, IMPOSSIBLE)
#: The prompt with which a GM lets a result stand, and its one option.
STAND: Final = "stand"
_ROLLED: Final = (ROLL, MARGIN_ONLY)
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


class ProposalData(Record):
    """What the data of a proposed check begins with: what a GM wants to know, and what they have answered.

    Who asked and who answered last are participants. `asked` is what was proposed and `ruled` what was answered to it
    where there is something to roll, as their forms have read it, without the words that stand on the check itself.
    `opposed` where the other side throws dice as well.
    """

    question: str = ""
    answer: str = ""
    asked_by: str = ""
    answered_by: str = ""
    asked: Said = field(default_factory=dict[str, Any])
    ruled: Said | None = None
    opposed: bool = False


#: What a GM says to whoever rests.
TIME: Final = MappingProxyType({FREE: Text("answer-time"), IMPOSSIBLE: Text("answer-no-time")})
#: The GMs may answer anew, or let dice stand, and are not waited for.
_RULE: Final = Prompt("rule", wait=None)
_STAND: Final = Prompt(STAND, wait=None, versioned=True)

P = TypeVar("P", bound=ProposalData)

#: What a GM asks back.
QUESTION: Final = Form.of(
    Typed(
        "question",
        needed=True,
        most=QUESTION_MAX,
        long=True,
        title=Text("answer-question"),
        read=lambda text: " ".join(text.split()),
    )
)


def if_measured(asking: Asking, word: str) -> RulesError | None:
    """Refuses a number where the other side's total is what it is measured against."""
    check = asking.check
    return _no_number(word) if check is not None and check.data.opposed else None


def _no_number(word: str) -> RulesError:
    return InvalidInput("no-difficulty-here", field=_NUMBER, value=word)


def _if_opposed(asking: Asking, word: str) -> RulesError | None:
    check = asking.check
    if check is None or check.data.opposed:
        return None
    return Impossible("not-opposed", field="against", check=check.id)


#: Typed for "none of them" where something may be taken away again.
NONE: Final = "none"


def is_none(text: str) -> bool:
    """Whether nothing is meant."""
    return text.strip().casefold() in ("", NONE)


def or_none(find: Find) -> Find:
    """As `find`, and NONE where nothing is meant."""
    return lambda asking, text: NONE if is_none(text) else find(asking, text)


#: Against what it is rolled, in the forms of those who propose and of GMs: some number or level.
_NUMBER: Final = "difficulty"
#: The most that a GM gives or takes at once.
MODIFIER_MAX: Final = 20
#: What many of these forms have: the idea, and what a GM says or grants besides; `against` is for the other side.
APPROACH: Final = Typed("approach", most=APPROACH_MAX, long=True)
NOTE: Final = Typed("note", most=NOTE_MAX, long=True)
MODIFIER: Final = Number("modifier", low=-MODIFIER_MAX, high=MODIFIER_MAX)
AGAINST: Final = MODIFIER.replace(key="against", hidden_if=_if_opposed)
HIDDEN: Final = Flag("hidden", label=Text("option-hidden"), hidden_if=if_measured)
#: What somebody attacks with where no weapon is chosen and the rules take the one that is drawn.
IN_HAND: Final = Text("in-hand")


def if_gm(asking: Asking, word: str) -> RulesError | None:
    """Refuses players what only GMs may say."""
    game = asking.game
    return None if game is not None and is_gm(game.state, game.actor) else NotPermitted("gm-only")


#: For the number that a GM names with a proposal, which stands without another answer: a player's is no secret.
HIDE: Final = HIDDEN.replace(hidden_if=if_gm)
#: They stand on the check itself.
_OWN_PLACE: Final = frozenset((APPROACH.key, NOTE.key, HIDDEN.key))


def require_other(check: Check[Any], wanted: str = "victim") -> None:
    """It is done to somebody else; `wanted` is who has to be named. InvalidInput("which-target", "target-is-self")."""
    if check.target is None:
        raise InvalidInput("which-target", field="target", value=None, wanted=wanted)
    if check.target == check.actor:
        raise InvalidInput("target-is-self", field="target", value=None)


def kept_by_gms(game: Game, check: Check[D]) -> Check[D]:
    """The check, for the GMs alone where an NPC does it to itself or another: what is kept of NPCs is theirs."""
    whom = (check.actor, check.target or check.actor)
    return check.replace(visibility="private") if all(is_npc(game, each) for each in whom) else check


def require_waiting(check: Check[Any], *, thrown: bool) -> None:
    """It waits for its roll. Impossible("not-answered"), Outdated("check-moved-on") once dice are `thrown`, or over."""
    if not check.data.answer and check.open:
        raise Impossible("not-answered", check=check.id)
    if thrown or not check.open:
        raise Outdated("check-moved-on", check=check.id, status="rolled" if check.open else "settled")


def unspent(check: Check[Any], stage: str, *, certain: bool) -> Text | None:
    """Why nothing can be spent on a check for which that is done in this stage; None where something could be."""
    if not check.data.answer:
        return Text("no-spend-yet")
    if check.data.answer == FREE or certain:
        return Text("no-spend-certain")
    if check.stage != stage or check.data.answer != ROLL:
        return Text("no-spend-now")
    return Text("no-spend-blind") if check.visibility == "blind" else None


def forget(check: Check[Any], who: str, mine: Collection[str]) -> Any:
    """The data of an idea without a GM's question and the words of a defence that a participant typed.

    `mine` are the participant's characters.
    """
    data = check.data
    defence = getattr(data, "defence", None)
    if data.question and data.asked_by == who and not check.open:
        data = data.replace(question="")
    if defence is not None and defence.approach and (data.defence_by == who or check.target in mine):
        data = data.replace(defence=defence.replace(approach=""), defence_by="")
    return data


def said_in(values: Values, among: Collection[str] | None = None) -> dict[str, Any]:
    """What these values of a form say, besides what has a place of its own: `none` and 0 say nothing.

    Where `among` is given, under these keys alone.
    """
    among = values.keys() - _OWN_PLACE if among is None else among
    return {key: each for key, each in values.items() if key in among and each and each != NONE}


def drafted(form: Form, said: Values, *more: Values) -> Values:
    """What filling a form in starts from: what was said before."""
    held = {key: each for values in (said, *more) for key, each in values.items() if each}
    return {key: held[key] for key in form.keys if key in held}


class Proposed(Stage[P], ABC):
    """GMs answer what somebody wants to do, or ask back; its owner replies, revises, withdraws.

    It goes on as soon as there is an answer that leaves something to roll. `ask` is what the owner fills in, `rule`
    what the GMs do, `answers` those that fit this kind of check. With an answer that needs no dice goes `word`; what
    succeeds so goes on at `free`. Where nobody has to be asked it goes on at `dice`, unless somebody has a say yet.
    `wanted` is what a GM has to name for a roll, `labels` what answers are called that are called otherwise here.
    The kinds of which GMs may have one to themselves are `alone`.
    """

    name = "proposed"
    word: Form = Form((NOTE,))
    free: str = OVER
    dice: str | None = None
    alone: tuple[str, ...] = ("check",)
    labels: Mapping[str, Text] = MappingProxyType({})

    def __init__(
        self, ask: Form, rule: Form, answers: tuple[str, ...] = ANSWERS, *, wanted: str = ""
    ) -> None:
        self._ask, self._rule, self._answers, self._wanted = ask, rule, answers, wanted
        self._asks, self._rules = {*ask.keys} - _OWN_PLACE, {*rule.keys} - _OWN_PLACE

    @abstractmethod
    def read_request(self, game: Game, check: Check[P], values: Values) -> Check[P]:
        """The check with what its data's `asked` means; `values` are all that were said, now or anew.

        Check and data were made for this: nobody has seen them yet, so they may still be filled in. So with `ruled`,
        which looks nothing up where it is answered as it is proposed: nobody has answered it then (`answered_by`).
        """

    def read_ruling(self, game: Game, check: Check[P]) -> P:
        """The data with what its `ruled` means, None where nothing is rolled."""
        return check.data

    def measured(self, check: Check[P]) -> bool:
        """Whether it is rolled against a number."""
        return not check.data.opposed

    def waits(self, check: Check[P]) -> bool:
        """Whether somebody besides the owner has something to say before the roll."""
        return check.data.opposed

    def unasked(self, game: Game, check: Check[P]) -> str | None:
        """The answer for which no GM has to be asked; None where one has.

        A GM grants what takes no dice without being asked; a number that is named stands in live play, and of NPCs.
        """
        if ROLL not in self._answers:
            return FREE if is_gm(game.state, game.actor) else None
        named = _NUMBER in check.data.asked
        if check.gm_only:
            return ROLL if named else MARGIN_ONLY
        return ROLL if (named or not self.measured(check)) and _needs_no_answer(game, check) else None

    def revised(self, game: Game, check: Check[P], values: Values) -> Check[P]:
        """The check with what its owner says of it now; what the GM hides stays hidden. Raises as `proposed`."""
        found = self.proposed(game, check, values)
        return found.replace(hidden=found.hidden or check.hidden)

    def proposed(self, game: Game, check: Check[P], values: Values) -> Check[P]:
        """A check that nobody has seen yet, nor its data, filled in with what its owner says of it.

        InvalidInput("wrong-type") where it may not be the GMs' alone, ("no-difficulty-here"), and as `asked`.
        """
        if check.gm_only and check.kind not in self.alone:
            raise InvalidInput("wrong-type", field="kind", value=check.kind, allowed=self.alone)
        said = said_in(values, self._asks)
        about = check.replace(
            approach=values.get(APPROACH.key, "").strip(),
            data=check.data.replace(asked=said),
            hidden=HIDDEN.key in values,
        )
        found = self.read_request(game, about, values)
        if (_NUMBER in said or about.hidden) and not self.measured(found):
            raise _no_number(str(said.get(_NUMBER, HIDDEN.key)))
        return found

    def dared(self, game: Game, check: Check[P], values: Values) -> Check[P]:
        """A contest as it is proposed. Raises as `require_other` and `proposed`."""
        require_other(check)
        return self.proposed(game, check, values)

    def presumed(self, game: Game, check: Check[P]) -> Check[P] | None:
        """The check answered as it was proposed, where no GM has to be asked; None where one has.

        Filled in like one that is proposed: nobody has seen it yet, nor its data.
        """
        answer, data = self.unasked(game, check), check.data
        if answer is None:
            return None
        said = said_in(data.asked if data.ruled is None else data.ruled, self._rules)
        return self._ruled(game, check, answer, said, note=check.note, hidden=check.hidden)

    def enter(self, game: Game, check: Check[P], /) -> Step[P] | None:
        found = None if check.data.answer else self.presumed(game, check)
        if found is None:
            return None
        to = self.free if found.data.answer == FREE else None if self.waits(check) else self.dice
        return Step(game.state, found.data, to, check=found)

    def ask(self, game: Game, check: Check[P], /) -> tuple[Prompt, ...]:
        if check.data.answer:
            return ()
        # Whoever is asked something answers it instead of revising. What GMs do for NPCs no player is shown.
        npc = is_npc(game, check.actor)
        button = None if npc else "answer-withdraw" if check.data.question else "answer-revise"
        own = Prompt("own", _own(game, check), wait=None, button=button)
        if check.data.question:
            return Prompt("reply", (check.actor,), button="answer-reply"), _RULE, own
        return Prompt("rule"), own

    def options(self, game: Game, check: Check[P], prompt: str, who: str, /) -> Iterable[Option]:
        if prompt == "rule":
            return (*self.rulings(check), _option("ask", QUESTION, written=True))
        values = self.draft(check, self._ask)
        if prompt == "reply":
            return (_option("reply", self._ask, values, written=True),)
        if who == GMS or check.data.question:
            return (_option("withdraw"),)
        return _option("revise", self._ask, values), _option("withdraw")

    def anew(self, check: Check[P], value: str) -> Option:
        return _option(value, self._ask, self.draft(check, self._ask), written=value == "write")

    def rulings(self, check: Check[P]) -> tuple[Option, ...]:
        """What a GM may answer: where both sides throw dice, their totals decide."""
        rule, word = [(form, self.draft(check, form)) for form in (self._rule, self.word)]
        found: list[Option] = []
        for each in self._answers:
            if each != MARGIN_ONLY or not check.data.opposed:
                form, values = rule if each in _ROLLED else word
                found.append(Option(each, self.labels.get(each, _RULED[each]), form, values=values))
        return tuple(found)

    def draft(self, check: Check[P], form: Form) -> Values:
        """What filling in one of the forms starts from; the first ruling from what was proposed."""
        data = check.data
        said = data.asked if form is self._ask or data.ruled is None else data.ruled
        own = {APPROACH.key: check.approach, NOTE.key: check.note, HIDDEN.key: check.hidden}
        return drafted(form, said, own)

    def choose(self, game: Game, check: Check[P], choice: Choice, /) -> Step[P]:
        option, values = choice.option, choice.values
        if option == "withdraw":
            return Step(game.state, check.data, OVER)
        if option == "ask":
            again = bool(check.data.question)
            data = check.data.replace(question=values["question"], asked_by=game.actor.id)
            return Step(game.state, data, reopen=again)
        if option in ("reply", "revise"):
            found = self.revised(game, check, values)
            if option == "reply" and (found.approach, found.data.asked) == (check.approach, check.data.asked):
                raise Impossible("unchanged-reply", check=check.id)
            return Step(game.state, found.data.replace(question=""), reopen=True, check=found)
        return self.answered(game, check, option, values)

    def answered(self, game: Game, check: Check[P], answer: str, values: Values) -> Step[P]:
        """What a GM's answer makes of it, the first or a later one."""
        note, hidden = values.get(NOTE.key, "").strip(), HIDDEN.key in values
        said, data = said_in(values, self._rules), check.data.replace(answered_by=game.actor.id, question="")
        found = self._ruled(game, check.replace(data=data), answer, said, note=note, hidden=hidden)
        to = None if answer in _ROLLED else self.free if answer == FREE else OVER
        return Step(game.state, found.data, to, check=found)

    def _ruled(
        self, game: Game, check: Any, answer: str, said: dict[str, Any], *, note: str, hidden: bool
    ) -> Check[P]:
        """The check, which nobody has seen yet, nor its data, filled in with what was answered.

        How much is told is fixed with it. InvalidInput("no-difficulty") for a roll without one.
        """
        rolled = answer in _ROLLED
        if answer == ROLL and _NUMBER not in said and self.measured(check):
            raise InvalidInput("no-difficulty", field=_NUMBER, value=None, wanted=self._wanted)
        check = check.replace(
            data=check.data.replace(answer=answer, ruled=said if rolled else said or None),
            note=note,
            hidden=hidden and rolled and _NUMBER in said,
            reveal=game.state.settings.reveal,
        )
        check = check.replace(data=self.read_ruling(game, check))
        return check.replace(hidden=self.hides(check))

    def hides(self, check: Check[P]) -> bool:
        """Whether its number is the GMs' alone, now that it is ruled."""
        return check.hidden


class Ready(Stage[P]):
    """The owner rolls, or does before what can be done before; a GM may answer anew.

    Where it has a say, the other side fills in `side` first, and may change that until the roll.
    """

    name = "ready"
    side: Form = Form()

    def __init__(self, proposed: Proposed[P]) -> None:
        self._proposed = proposed

    def rolls(self, game: Game, check: Check[P], who: str) -> tuple[Option, ...]:
        """How the owner may roll; empty while something is missing for it."""
        return _ROLLS

    def missing_step(self, game: Game, check: Check[P]) -> str:
        """What the owner has to do in the place of a roll that would be refused: `write`, `revise`; empty: nothing."""
        return ""

    def options_before_roll(self, game: Game, check: Check[P], who: str) -> tuple[Option, ...]:
        """What somebody who throws dice may choose before they fall."""
        return ()

    def apply_choice(self, game: Game, check: Check[P], choice: Choice) -> Step[P]:
        """What comes of one of these choices; after one of `rolls` it goes on."""
        return Step(game.state, check.data)

    def others(self, game: Game, check: Check[P]) -> tuple[str, ...]:
        """Who besides the actor throws dice, and may choose something before."""
        return ()

    def face(self, game: Game, check: Check[P]) -> Text | None:
        """What it is called that the other side says; None where it has nothing to say, since it throws no dice."""
        return _label("face") if check.data.opposed else None

    def faced(self, check: Check[P]) -> Values | None:
        """What the other side has said; None before it has."""
        defence = getattr(check.data, "defence", None)
        return None if defence is None else self.side.said(defence)

    def facing(self, game: Game, check: Check[P], values: Values) -> P:
        """The data with what it says."""
        return check.data

    def waits(self, game: Game, check: Check[P]) -> bool:
        """Whether the other side has its say before anybody rolls."""
        return self.face(game, check) is not None and self.faced(check) is None

    def ask(self, game: Game, check: Check[P], /) -> tuple[Prompt, ...]:
        waits = self.waits(game, check)
        ready = Prompt("ready", (check.actor,), button=f"answer-{self.missing_step(game, check) or ROLL}")
        found = [ready.replace(wait=None, button=None) if waits else ready, _RULE]
        if others := self.others(game, check):
            found.append(Prompt("before", others, wait=None))
        # Without a button of its own: behind the neutral one stands, too, what can be chosen instead of a roll.
        own = Prompt("own", _own(game, check), wait=None)
        if (called := self.face(game, check)) is None or check.target is None:
            return (*found, own)
        face = Prompt("face", (check.target,), "answer" if waits else None, button=called.code)
        # The GMs may choose for somebody else's character.
        gms = () if is_npc(game, check.target) else (Prompt("faced", wait=None),)
        return (face, *gms, *found, own)

    def options(self, game: Game, check: Check[P], prompt: str, who: str, /) -> Iterable[Option]:
        if prompt == "rule":
            yield from self._proposed.rulings(check)
        elif prompt == "own":
            yield _option("withdraw")
        elif prompt in ("face", "faced"):
            yield Option(
                "face", self.face(game, check) or _label("face"), self.side, values=self.faced(check) or {}
            )
        else:
            yield from self._rolls(game, check, prompt, who)
            yield from self.options_before_roll(game, check, who)

    def _rolls(self, game: Game, check: Check[P], prompt: str, who: str) -> tuple[Option, ...]:
        if prompt != "ready" or self.waits(game, check):
            return ()
        lacks = self.missing_step(game, check)
        return (self._proposed.anew(check, lacks),) if lacks else self.rolls(game, check, who)

    def choose(self, game: Game, check: Check[P], choice: Choice, /) -> Step[P]:
        if choice.prompt == "rule":
            made = self._proposed.answered(game, check, choice.option, choice.values)
            return made if made.to is not None else made.replace(reopen=True)
        if choice.prompt == "own":
            return Step(game.state, check.data, OVER)
        if choice.prompt in ("face", "faced"):
            return Step(game.state, self.facing(game, check, choice.values), reopen=True)
        if choice.option in ("write", "revise"):
            # What is proposed anew the GM answers anew.
            found = self._proposed.revised(game, check, choice.values)
            if choice.option == "write" and not found.approach:
                raise Impossible("needs-approach", field=APPROACH.key, write=True)
            data = found.data.replace(answer="", question="")
            return Step(game.state, data, self._proposed.name, check=found)
        made = self.apply_choice(game, check, choice)
        rolls = self._rolls(game, check, choice.prompt, choice.who) if made.to is None else ()
        return made.replace(to=NEXT) if choice.option in [each.value for each in rolls] else made


class Open(Stage[D]):
    """Dice lie open: whoever is aware of it reacts, until all have nothing to add."""

    name = "open"
    passed = (REACT,)

    def reactors(self, game: Game, check: Check[D]) -> tuple[str, ...]:
        """Who may react, whether they can or not; nobody where everybody knows that nobody could."""
        return (check.actor,) if check.target is None else (check.actor, check.target)

    def ask(self, game: Game, check: Check[D], /) -> tuple[Prompt, ...]:
        who = self.reactors(game, check)
        return (Prompt(REACT, who, "react", PASS),) if who else ()


class ReactionStage(Open[D], ABC):
    """Dice lie open, and stand as soon as those who would have them otherwise have nothing to add.

    The others may react meanwhile, but are not waited for; a GM may let the result stand. Whatever somebody changes all
    the others are asked about anew.
    """

    @abstractmethod
    def reactions(self, game: Game, check: Check[D], who: str) -> tuple[Option, ...]:
        """What somebody may do about the dice now."""

    @abstractmethod
    def apply_reaction(self, game: Game, check: Check[D], choice: Choice) -> Step[D]:
        """What comes of it."""

    def others(self, game: Game, check: Check[D]) -> tuple[str, ...]:
        """Who may react besides, and is not waited for."""
        return ()

    def ask(self, game: Game, check: Check[D], /) -> tuple[Prompt, ...]:
        found = super().ask(game, check)
        if not found:
            return ()
        if others := self.others(game, check):
            found = (*found, Prompt("also", others, wait=None, versioned=True))
        # A GM who is waited for passes instead.
        alone = all(is_npc(game, each) for each in found[0].who or ())
        return found if alone else (*found, _STAND)

    def options(self, game: Game, check: Check[D], prompt: str, who: str, /) -> tuple[Option, ...]:
        return (_option(STAND),) if prompt == STAND else self.reactions(game, check, who)

    def choose(self, game: Game, check: Check[D], choice: Choice, /) -> Step[D]:
        if choice.prompt == STAND:
            return Step(game.state, check.data, NEXT)
        # GMs who may react besides do not count: what they could do may be hidden, and a new time would tell of it.
        asked = {*self.reactors(game, check), *self.others(game, check)} - {choice.who, GMS}
        return self.apply_reaction(game, check, choice).replace(reopen=bool(asked))


def _needs_no_answer(game: Game, check: Check[Any]) -> bool:
    """Whether a difficulty that is named stands without a GM's answer: in live play, or of a GM's NPC."""
    character = game.state.characters.get(check.actor)
    if character is not None and character.owner is None and is_gm(game.state, game.actor):
        return True
    return game.state.settings.live and check.visibility == "public"


def _own(game: Game, check: Check[Any]) -> tuple[str, ...]:
    """Who may take it back: its owner, and the GMs in any case."""
    return (check.actor,) if is_npc(game, check.actor) else (check.actor, GMS)


@cache
def _label(value: str) -> Text:
    return Text(f"answer-{value}")


def _option(
    value: str, form: Form | None = None, values: Values | None = None, *, written: bool = False
) -> Option:
    return Option(value, _label(value), form, values=values or {}, written=written)


_ROLLS: Final = (_option("roll"),)
