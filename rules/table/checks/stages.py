"""Stages that several procedures share. What their rules have to say about it they say in a class
of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, TypeVar

from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated, RulesError
from rules.core.record import Record, field
from rules.table.blocks import Text
from rules.table.check import ANY_GM, NEXT, OVER, PASS, REACT, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.standing_orders import asks_for_results
from rules.table.forms import Find, Flag, Form, FormContext, Number, Typed
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc

D = TypeVar("D")

#: What was said in a form.
Said = Mapping[str, bool | int | str | tuple[str, ...]]

#: What a GM may answer to a proposal; with the last two it is over.
ROLL, MARGIN_ONLY, FREE, IMPOSSIBLE = "roll", "margin-only", "free", "impossible"
ANSWERS: Final = (ROLL, MARGIN_ONLY, FREE, IMPOSSIBLE)
#: The prompt with which a GM lets a result stand, and its one option.
LET_STAND: Final = "stand"
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

#: Label of the answer with which the dice fall.
_ROLL_NOW: Final = Text("answer-roll-now")


class ProposalData(Record):
    """What the data of a proposed check begins with: what a GM wants to know, and what they have
    answered.

    Who asked and who answered last are participants. `asked` is what was proposed and `ruled` what
    was answered to it where there is something to roll, as their forms have read it, without the
    words that stand on the check itself. `opposed` where the other side throws dice as well.
    """

    question: str = ""
    answer: str = ""
    asked_by: str = ""
    answered_by: str = ""
    asked: Said = field(default_factory=dict[str, Any])
    ruled: Said | None = None
    opposed: bool = False
    #: The check rolls as soon as the GM has answered. Its owner chose so.
    rolls_when_answered: bool = False


#: What a GM says to whoever rests.
REST_LABELS: Final = MappingProxyType(
    {FREE: Text("answer-time"), IMPOSSIBLE: Text("answer-no-time")}
)
#: The GMs may answer anew, or let dice stand, and are not waited for.
_RULE: Final = Prompt("rule", wait=None)
_STAND: Final = Prompt(LET_STAND, wait=None, versioned=True)

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


def opposed_error(asking: FormContext, word: str) -> RulesError | None:
    """Refuses a number where the other side's total is what it is measured against."""
    check = asking.check
    return _no_number(word) if check is not None and check.data.opposed else None


def _no_number(word: str) -> RulesError:
    return InvalidInput("no-difficulty-here", field=_NUMBER, value=word)


def _unopposed_error(asking: FormContext, word: str) -> RulesError | None:
    check = asking.check
    if check is None or check.data.opposed:
        return None
    return Impossible("not-opposed", field="against", check=check.id)


#: Typed for "none of them" where something may be taken away again.
NONE_WORD: Final = "none"


def is_none(text: str) -> bool:
    """Whether nothing is meant."""
    return text.strip().casefold() in ("", NONE_WORD)


def find_or_none(find: Find) -> Find:
    """As `find`, and NONE where nothing is meant."""
    return lambda asking, text: NONE_WORD if is_none(text) else find(asking, text)


#: Against what it is rolled, in the forms of those who propose and of GMs: some number or level.
_NUMBER: Final = "difficulty"
#: The most that a GM gives or takes at once.
MODIFIER_MAX: Final = 20
#: What many of these forms have: the idea, and what a GM says or grants besides; `against` is for
#: the other side.
APPROACH_FIELD: Final = Typed("approach", most=APPROACH_MAX, long=True)
NOTE_FIELD: Final = Typed("note", most=NOTE_MAX, long=True)
MODIFIER_FIELD: Final = Number("modifier", low=-MODIFIER_MAX, high=MODIFIER_MAX)
AGAINST_FIELD: Final = MODIFIER_FIELD.replace(key="against", hidden_if=_unopposed_error)
HIDDEN_FIELD: Final = Flag("hidden", label=Text("option-hidden"), hidden_if=opposed_error)
#: What somebody attacks with where no weapon is chosen and the rules take the one that is drawn.
IN_HAND_LABEL: Final = Text("in-hand")


def gm_only_error(asking: FormContext, word: str) -> RulesError | None:
    """Refuses players what only GMs may say."""
    game = asking.game
    return None if game is not None and is_gm(game.state, game.actor) else NotPermitted("gm-only")


#: For the number that a GM names with a proposal, which stands without another answer: a player's
#: is no secret.
HIDDEN_BY_GM_FIELD: Final = HIDDEN_FIELD.replace(hidden_if=gm_only_error)
#: They stand on the check itself.
_OWN_PLACE: Final = frozenset((APPROACH_FIELD.key, NOTE_FIELD.key, HIDDEN_FIELD.key))


def require_other_target(check: Check[Any], wanted: str = "victim") -> None:
    """It is done to somebody else; `wanted` is who has to be named. InvalidInput("which-target",
    "target-is-self").
    """
    if check.target is None:
        raise InvalidInput("which-target", field="target", value=None, wanted=wanted)
    if check.target == check.actor:
        raise InvalidInput("target-is-self", field="target", value=None)


def with_npc_privacy(game: Game, check: Check[D]) -> Check[D]:
    """The check, for the GMs alone where an NPC does it to itself or another: what is kept of NPCs
    is theirs.
    """
    whom = (check.actor, check.target or check.actor)
    return (
        check.replace(visibility="private") if all(is_npc(game, each) for each in whom) else check
    )


def require_awaiting_roll(check: Check[Any], *, thrown: bool) -> None:
    """It waits for its roll. Impossible("not-answered"), Outdated("check-moved-on") once dice are
    `thrown`, or over.
    """
    if not check.data.answer and check.is_open:
        raise Impossible("not-answered", check=check.id)
    if thrown or not check.is_open:
        raise Outdated(
            "check-moved-on", check=check.id, status="rolled" if check.is_open else "settled"
        )


def spend_refusal(check: Check[Any], stage: str, *, certain: bool) -> Text | None:
    """Why nothing can be spent on a check for which that is done in this stage; None where
    something could be.
    """
    if not check.data.answer:
        return Text("no-spend-yet")
    if check.data.answer == FREE or certain:
        return Text("no-spend-certain")
    if check.stage != stage or check.data.answer != ROLL:
        return Text("no-spend-now")
    return Text("no-spend-blind") if check.visibility == "blind" else None


def without_typed_texts(check: Check[Any], who: str, mine: Collection[str]) -> Any:
    """Return a check's data without the texts that the participant `who` typed.

    These are a GM's question and the words of a defense. `mine` are the participant's characters.
    """
    data = check.data
    defense = getattr(data, "defense", None)
    if data.question and data.asked_by == who and not check.is_open:
        data = data.replace(question="")
    if (
        defense is not None
        and defense.approach
        and (data.defense_by == who or check.target in mine)
    ):
        data = data.replace(defense=defense.replace(approach=""), defense_by="")
    return data


def stated_values(values: Values, among: Collection[str] | None = None) -> dict[str, Any]:
    """What these values of a form say, besides what has a place of its own: `none` and 0 say
    nothing.

    Where `among` is given, under these keys alone.
    """
    among = values.keys() - _OWN_PLACE if among is None else among
    return {
        key: each for key, each in values.items() if key in among and each and each != NONE_WORD
    }


def draft_values(form: Form, said: Values, *more: Values) -> Values:
    """What filling a form in starts from: what was said before."""
    held = {key: each for values in (said, *more) for key, each in values.items() if each}
    return {key: held[key] for key in form.keys if key in held}


class ProposalStage(Stage[P], ABC):
    """GMs answer what somebody wants to do, or ask back; its owner replies, revises, withdraws.

    It goes on as soon as there is an answer that leaves something to roll. `ask` is what the owner
    fills in, `rule` what the GMs do, `answers` those that fit this kind of check. With an answer
    that needs no dice goes `word`; what succeeds so goes on at `free`. Where nobody has to be asked
    it goes on at `dice`, unless somebody has a say yet. `wanted` is what a GM has to name for a
    roll, `labels` what answers are called that are called otherwise here. The kinds of which GMs
    may have one to themselves are `alone`.
    """

    name = "proposed"
    word: Form = Form((NOTE_FIELD,))
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
        """Return the check with its data filled in from `data.asked`.

        `values` is everything that the owner said, now or in a revision.
        """

    def read_ruling(self, game: Game, check: Check[P]) -> P:
        """Return the data filled in from `data.ruled`, which is None if nothing is rolled.

        While `answered_by` is empty the check was only just proposed: its sheets need not be looked
        up again.
        """
        return check.data

    def has_difficulty(self, check: Check[P]) -> bool:
        """Whether it is rolled against a number."""
        return not check.data.opposed

    def awaits_other_side(self, check: Check[P]) -> bool:
        """Whether somebody besides the owner has something to say before the roll."""
        return check.data.opposed

    def automatic_answer(self, game: Game, check: Check[P]) -> str | None:
        """The answer for which no GM has to be asked; None where one has.

        A GM grants what takes no dice without being asked; a number that is named stands in live
        play, and of NPCs.
        """
        if ROLL not in self._answers:
            return FREE if is_gm(game.state, game.actor) else None
        named = _NUMBER in check.data.asked
        if check.gm_only:
            return ROLL if named else MARGIN_ONLY
        return (
            ROLL
            if (named or not self.has_difficulty(check)) and self._needs_no_answer(game, check)
            else None
        )

    def is_attack(self, check: Check[P]) -> bool:
        """Return whether the table's setting for attacks decides if a GM has to answer."""
        return check.kind == "attack"

    def _needs_no_answer(self, game: Game, check: Check[P]) -> bool:
        """Return whether a difficulty that is named stands without a GM's answer."""
        character = game.state.characters.get(check.actor)
        if character is not None and character.owner is None and is_gm(game.state, game.actor):
            return True
        settings = game.state.settings
        at_once = settings.attacks_at_once if self.is_attack(check) else settings.live
        return at_once and check.visibility == "public"

    def revise(self, game: Game, check: Check[P], values: Values) -> Check[P]:
        """Return the check as its owner revises it. What the GM has hidden stays hidden.

        Raises as `propose`.
        """
        found = self.propose(game, check, values)
        return found.replace(hidden=found.hidden or check.hidden)

    def propose(self, game: Game, check: Check[P], values: Values) -> Check[P]:
        """Return a check with what its owner proposes.

        Raises InvalidInput("wrong-type") if the check may not be the GMs' alone,
        ("no-difficulty-here"), and as `read_request`.
        """
        if check.gm_only and check.kind not in self.alone:
            raise InvalidInput("wrong-type", field="kind", value=check.kind, allowed=self.alone)
        said = stated_values(values, self._asks)
        about = check.replace(
            approach=values.get(APPROACH_FIELD.key, "").strip(),
            data=check.data.replace(asked=said),
            hidden=HIDDEN_FIELD.key in values,
        )
        found = self.read_request(game, about, values)
        if (_NUMBER in said or about.hidden) and not self.has_difficulty(found):
            raise _no_number(str(said.get(_NUMBER, HIDDEN_FIELD.key)))
        return found

    def propose_contest(self, game: Game, check: Check[P], values: Values) -> Check[P]:
        """Return a contest as it is proposed. Raises as `require_other_target` and `propose`."""
        require_other_target(check)
        return self.propose(game, check, values)

    def with_automatic_answer(self, game: Game, check: Check[P]) -> Check[P] | None:
        """Return the check answered as it was proposed, or None if a GM has to answer it."""
        answer, data = self.automatic_answer(game, check), check.data
        if answer is None:
            return None
        said = stated_values(data.asked if data.ruled is None else data.ruled, self._rules)
        return self._with_ruling(game, check, answer, said, note=check.note, hidden=check.hidden)

    def enter(self, game: Game, check: Check[P], /) -> StageResult[P] | None:
        found = None if check.data.answer else self.with_automatic_answer(game, check)
        if found is None:
            return None
        to = (
            self.free
            if found.data.answer == FREE
            else None
            if self.awaits_other_side(check)
            else self.dice
        )
        return StageResult(game.state, found.data, to, check=found)

    def ask(self, game: Game, check: Check[P], /) -> tuple[Prompt, ...]:
        if check.data.answer:
            return ()
        # Whoever is asked something answers it instead of revising. What GMs do for NPCs no player
        # is shown.
        npc = is_npc(game, check.actor)
        button = None if npc else "answer-withdraw" if check.data.question else "answer-revise"
        own = Prompt("own", _own(game, check), wait=None, button=button)
        if check.data.question:
            return Prompt("reply", (check.actor,), button="answer-reply"), _RULE, own
        return Prompt("rule"), own

    def options(
        self, game: Game, check: Check[P], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        if prompt == "rule":
            rulings = self._label_rulings(game, check)
            return (*rulings, _option("ask", QUESTION, written=True))
        values = self.draft(check, self._ask)
        if prompt == "reply":
            return (_option("reply", self._ask, values, written=True),)
        if who == ANY_GM or check.data.question:
            return (_option("withdraw"),)
        own = (_option("revise", self._ask, values), _option("withdraw"))
        if not self.offers_roll_choice(game, check):
            return own
        chosen = check.data.rolls_when_answered
        return (*own, _option("roll-myself" if chosen else "roll-when-answered"))

    def _label_rulings(self, game: Game, check: Check[P]) -> Iterable[CheckOption]:
        """Return what a GM may answer; if the dice fall with the answer, its label says so."""
        at_once = _rolls_when_answered(game, check) and not self.awaits_other_side(check)
        for ruling in self.ruling_options(check):
            calls = ruling.value == ROLL and ruling.label == _RULED[ROLL]
            yield ruling.replace(label=_ROLL_NOW) if at_once and calls else ruling

    def offers_roll_choice(self, game: Game, check: Check[P]) -> bool:
        """Return whether its player may choose that the check rolls when the GM has answered."""
        return (
            ROLL in self._answers
            and not check.data.answer
            and not check.data.question
            and not game.state.settings.roll_when_answered
            and not is_npc(game, check.actor)
        )

    def revision_option(self, check: Check[P], value: str) -> CheckOption:
        return _option(value, self._ask, self.draft(check, self._ask), written=value == "write")

    def ruling_options(self, check: Check[P]) -> tuple[CheckOption, ...]:
        """What a GM may answer: where both sides throw dice, their totals decide."""
        rule, word = [(form, self.draft(check, form)) for form in (self._rule, self.word)]
        found: list[CheckOption] = []
        for answer in self._answers:
            if answer != MARGIN_ONLY or not check.data.opposed:
                form, values = rule if answer in _ROLLED else word
                found.append(
                    CheckOption(
                        answer, self.labels.get(answer, _RULED[answer]), form, values=values
                    )
                )
        return tuple(found)

    def draft(self, check: Check[P], form: Form) -> Values:
        """What filling in one of the forms starts from; the first ruling from what was proposed."""
        data = check.data
        said = data.asked if form is self._ask or data.ruled is None else data.ruled
        own = {
            APPROACH_FIELD.key: check.approach,
            NOTE_FIELD.key: check.note,
            HIDDEN_FIELD.key: check.hidden,
        }
        return draft_values(form, said, own)

    def choose(self, game: Game, check: Check[P], choice: Choice, /) -> StageResult[P]:
        option, values = choice.option, choice.values
        if option == "withdraw":
            return StageResult(game.state, check.data, OVER)
        if option in ("roll-when-answered", "roll-myself"):
            chosen = option == "roll-when-answered"
            return StageResult(game.state, check.data.replace(rolls_when_answered=chosen))
        if option == "ask":
            again = bool(check.data.question)
            data = check.data.replace(question=values["question"], asked_by=game.actor.id)
            return StageResult(game.state, data, reopen=again)
        if option in ("reply", "revise"):
            found = self.revise(game, check, values)
            if option == "reply" and (found.approach, found.data.asked) == (
                check.approach,
                check.data.asked,
            ):
                raise Impossible("unchanged-reply", check=check.id)
            return StageResult(
                game.state, found.data.replace(question=""), reopen=True, check=found
            )
        return self.apply_ruling(game, check, option, values)

    def apply_ruling(
        self, game: Game, check: Check[P], answer: str, values: Values
    ) -> StageResult[P]:
        """What a GM's answer makes of it, the first or a later one."""
        note, hidden = values.get(NOTE_FIELD.key, "").strip(), HIDDEN_FIELD.key in values
        said, data = (
            stated_values(values, self._rules),
            check.data.replace(answered_by=game.actor.id, question=""),
        )
        found = self._with_ruling(
            game, check.replace(data=data), answer, said, note=note, hidden=hidden
        )
        to = None if answer in _ROLLED else self.free if answer == FREE else OVER
        return StageResult(game.state, found.data, to, check=found)

    def _with_ruling(
        self,
        game: Game,
        check: Check[P],
        answer: str,
        said: dict[str, Any],
        *,
        note: str,
        hidden: bool,
    ) -> Check[P]:
        """Return the check with its answer; how much of the roll players see is fixed with it.

        Raises InvalidInput("no-difficulty") for a roll without a difficulty.
        """
        rolled = answer in _ROLLED
        check = check.replace(
            data=check.data.replace(answer=answer, ruled=said if rolled else said or None),
            note=note,
            hidden=hidden and rolled and _NUMBER in said,
            reveal=game.state.settings.reveal,
        )
        if answer == ROLL and _NUMBER not in said and self.has_difficulty(check):
            raise InvalidInput("no-difficulty", field=_NUMBER, value=None, wanted=self._wanted)
        check = check.replace(data=self.read_ruling(game, check))
        return check.replace(hidden=self.hides_difficulty(check))

    def hides_difficulty(self, check: Check[P]) -> bool:
        """Return whether only GMs may know the difficulty of an answered check."""
        return check.hidden


class ReadyStage(Stage[P]):
    """The owner rolls, or does before what can be done before; a GM may answer anew.

    Where it has a say, the other side fills in `side` first, and may change that until the roll.
    """

    name = "ready"
    side: Form = Form()

    def __init__(self, proposed: ProposalStage[P]) -> None:
        self._proposed = proposed

    def roll_options(self, game: Game, check: Check[P], who: str) -> tuple[CheckOption, ...]:
        """How the owner may roll; empty while something is missing for it."""
        return _ROLLS

    def missing_step(self, game: Game, check: Check[P]) -> str:
        """What the owner has to do in the place of a roll that would be refused: `write`, `revise`;
        empty: nothing.
        """
        return ""

    def options_before_roll(self, game: Game, check: Check[P], who: str) -> tuple[CheckOption, ...]:
        """What somebody who throws dice may choose before they fall."""
        return ()

    def apply_choice(self, game: Game, check: Check[P], choice: Choice) -> StageResult[P]:
        """What comes of one of these choices; after one of `rolls` it goes on."""
        return StageResult(game.state, check.data)

    def other_rollers(self, game: Game, check: Check[P]) -> tuple[str, ...]:
        """Who besides the actor throws dice, and may choose something before."""
        return ()

    def opposing_label(self, game: Game, check: Check[P]) -> Text | None:
        """What it is called that the other side says; None where it has nothing to say, since it
        throws no dice.
        """
        return _label("face") if check.data.opposed else None

    def opposing_values(self, check: Check[P]) -> Values | None:
        """What the other side has said; None before it has."""
        defense = getattr(check.data, "defense", None)
        return None if defense is None else self.side.changed_values(defense)

    def with_opposing_values(self, game: Game, check: Check[P], values: Values) -> P:
        """The data with what it says."""
        return check.data

    def awaits_other_side(self, game: Game, check: Check[P]) -> bool:
        """Whether the other side has its say before anybody rolls."""
        return self.opposing_label(game, check) is not None and self.opposing_values(check) is None

    def is_plain_roll(self, check: Check[P], option: CheckOption) -> bool:
        """Return whether a roll takes no choice of its player's."""
        return option.value == ROLL and option.form is None and option.cost is None

    def enter(self, game: Game, check: Check[P], /) -> StageResult[P] | None:
        if not _rolls_when_answered(game, check) or self.awaits_other_side(game, check):
            return None
        return self._roll_at_once(game, check)

    def resume(self, game: Game, check: Check[P], /) -> StageResult[P] | None:
        answered = self.opposing_label(game, check) is not None
        if self.awaits_other_side(game, check):
            return None
        return (
            self._roll_at_once(game, check)
            if answered or _rolls_when_answered(game, check)
            else None
        )

    def _roll_if_met(self, game: Game, ruled: StageResult[P]) -> StageResult[P] | None:
        """Return what a roll makes of a ruling, if that was the last answer of an opposed roll."""
        check = ruled.check
        if check is None or check.target is None or self.opposing_label(game, check) is None:
            return None
        if self.awaits_other_side(game, check):
            return None
        rolled = self._roll_at_once(game, check)
        return None if rolled is None else rolled.replace(check=check)

    def _roll_at_once(self, game: Game, check: Check[P]) -> StageResult[P] | None:
        """Return the result of the actor's plain roll; None if the roll needs a choice.

        Nothing rolls by itself while a player wants a say.
        """
        rolls = self._available_rolls(game, check, "ready", check.actor)
        roll = rolls[0] if rolls and not check.held_for else None
        if roll is None or not self.is_plain_roll(check, roll):
            return None
        choice = Choice("ready", roll.value, check.actor, roll.values)
        made = self.apply_choice(game, check, choice)
        return made.replace(to=NEXT) if made.to is None else made

    def ask(self, game: Game, check: Check[P], /) -> tuple[Prompt, ...]:
        waits = self.awaits_other_side(game, check)
        ready = Prompt(
            "ready", (check.actor,), button=f"answer-{self.missing_step(game, check) or ROLL}"
        )
        found = [ready.replace(wait=None, button=None) if waits else ready, _RULE]
        if others := self.other_rollers(game, check):
            found.append(Prompt("before", others, wait=None))
        # Without a button of its own: behind the neutral one stands, too, what can be chosen
        # instead of a roll.
        own = Prompt("own", _own(game, check), wait=None)
        if (called := self.opposing_label(game, check)) is None or check.target is None:
            return (*found, own)
        face = Prompt("face", (check.target,), "answer" if waits else None, button=called.code)
        # The GMs may choose for somebody else's character.
        gms = () if is_npc(game, check.target) else (Prompt("faced", wait=None),)
        return (face, *gms, *found, own)

    def options(
        self, game: Game, check: Check[P], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        if prompt == "rule":
            yield from self._proposed.ruling_options(check)
        elif prompt == "own":
            yield _option("withdraw")
        elif prompt in ("face", "faced"):
            yield CheckOption(
                "face",
                self.opposing_label(game, check) or _label("face"),
                self.side,
                values=self.opposing_values(check) or {},
            )
        else:
            yield from self._available_rolls(game, check, prompt, who)
            yield from self.options_before_roll(game, check, who)

    def _available_rolls(
        self, game: Game, check: Check[P], prompt: str, who: str
    ) -> tuple[CheckOption, ...]:
        if prompt != "ready" or self.awaits_other_side(game, check):
            return ()
        lacks = self.missing_step(game, check)
        return (
            (self._proposed.revision_option(check, lacks),)
            if lacks
            else self.roll_options(game, check, who)
        )

    def choose(self, game: Game, check: Check[P], choice: Choice, /) -> StageResult[P]:
        if choice.prompt == "rule":
            made = self._proposed.apply_ruling(game, check, choice.option, choice.values)
            if made.to is not None:
                return made
            return self._roll_if_met(game, made) or made.replace(reopen=True)
        if choice.prompt == "own":
            return StageResult(game.state, check.data, OVER)
        if choice.prompt in ("face", "faced"):
            data = self.with_opposing_values(game, check, choice.values)
            # The dice fall when the last side has answered: the actor presses no Roll.
            rolled = self._roll_at_once(game, check.replace(data=data))
            return rolled or StageResult(game.state, data, reopen=True)
        if choice.option in ("write", "revise"):
            # What is proposed anew the GM answers anew.
            found = self._proposed.revise(game, check, choice.values)
            if choice.option == "write" and not found.approach:
                raise Impossible("needs-approach", field=APPROACH_FIELD.key, write=True)
            data = found.data.replace(answer="", question="")
            return StageResult(game.state, data, self._proposed.name, check=found)
        made = self.apply_choice(game, check, choice)
        rolls = (
            self._available_rolls(game, check, choice.prompt, choice.who) if made.to is None else ()
        )
        return made.replace(to=NEXT) if choice.option in [roll.value for roll in rolls] else made


class RolledStage(Stage[D]):
    """Dice lie open: whoever is aware of it reacts, until all have nothing to add."""

    name = "open"
    passed = (REACT,)
    can_be_asked_for = True
    step_in = "before-verdict"

    def reactors(self, game: Game, check: Check[D]) -> tuple[str, ...]:
        """Who may react, whether they can or not; nobody where everybody knows that nobody
        could.
        """
        return (check.actor,) if check.target is None else (check.actor, check.target)

    def ask(self, game: Game, check: Check[D], /) -> tuple[Prompt, ...]:
        # A player who wants a say is asked even if nobody could change anything.
        who = self.reactors(game, check)
        asks = bool(who or check.held_for) or asks_for_results(game.state)
        return (Prompt(REACT, who, "react", PASS),) if asks else ()


class ReactionStage(RolledStage[D], ABC):
    """Dice lie open, and stand as soon as those who would have them otherwise have nothing to add.

    The others may react meanwhile, but are not waited for; a GM may let the result stand. Whatever
    somebody changes all the others are asked about anew.
    """

    @abstractmethod
    def reaction_options(self, game: Game, check: Check[D], who: str) -> tuple[CheckOption, ...]:
        """What somebody may do about the dice now."""

    @abstractmethod
    def apply_reaction(self, game: Game, check: Check[D], choice: Choice) -> StageResult[D]:
        """What comes of it."""

    def other_reactors(self, game: Game, check: Check[D]) -> tuple[str, ...]:
        """Who may react besides, and is not waited for."""
        return ()

    def ask(self, game: Game, check: Check[D], /) -> tuple[Prompt, ...]:
        found = super().ask(game, check)
        if not found:
            return ()
        if others := self.other_reactors(game, check):
            found = (*found, Prompt("also", others, wait=None, versioned=True))
        # A GM who is waited for passes instead.
        alone = not check.held_for and all(is_npc(game, who) for who in found[0].who or ())
        return found if alone else (*found, _STAND)

    def options(
        self, game: Game, check: Check[D], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (
            (_option(LET_STAND),)
            if prompt == LET_STAND
            else self.reaction_options(game, check, who)
        )

    def choose(self, game: Game, check: Check[D], choice: Choice, /) -> StageResult[D]:
        if choice.prompt == LET_STAND:
            return StageResult(game.state, check.data, NEXT)
        # GMs who may react besides do not count: what they could do may be hidden, and a new time
        # would tell of it.
        asked = {*self.reactors(game, check), *self.other_reactors(game, check)} - {
            choice.who,
            ANY_GM,
        }
        return self.apply_reaction(game, check, choice).replace(reopen=bool(asked))


def _rolls_when_answered(game: Game, check: Check[Any]) -> bool:
    """Return whether a check rolls by itself once the last side has answered."""
    return game.state.settings.roll_when_answered or check.data.rolls_when_answered


def can_hold(game: Game, check: Check[Any]) -> bool:
    """Return whether players can press *Wait for me*.

    It takes a check whose dice haven't fallen, by rules in which dice can be changed afterwards.
    Where the table waits for everybody there is no need for it.
    """
    settings, course = game.state.settings, game.system.procedures[check.kind]
    if not settings.step_in_time or settings.wait_for_everybody:
        return False
    if check.gm_only or check.visibility == "blind" or not check.is_open or not check.asked:
        return False
    if course.fallen(check.data):
        return False
    return any(isinstance(stage, RolledStage) for stage in course.stages.values())


def _own(game: Game, check: Check[Any]) -> tuple[str, ...]:
    """Who may take it back: its owner, and the GMs in any case."""
    return (check.actor,) if is_npc(game, check.actor) else (check.actor, ANY_GM)


@cache
def _label(value: str) -> Text:
    return Text(f"answer-{value}")


def _option(
    value: str, form: Form | None = None, values: Values | None = None, *, written: bool = False
) -> CheckOption:
    helps = "never" if value in _WAYS_OUT else None
    return CheckOption(
        value, _label(value), form, values=values or {}, written=written, helps=helps
    )


#: Answers that end the check or ask back. Their buttons are never highlighted.
_WAYS_OUT: Final = frozenset({"withdraw", "ask", LET_STAND, "roll-when-answered", "roll-myself"})
_ROLLS: Final = (_option("roll"),)
