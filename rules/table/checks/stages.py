"""Stages that several procedures share. Each rule system subclasses them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, TypeVar

from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated, RulesError
from rules.core.record import Record, field
from rules.table.blocks import Text
from rules.table.check import (
    ANY_GM,
    NEXT,
    OVER,
    PASS,
    REACT,
    AnyCheck,
    Check,
    Choice,
    Prompt,
    Values,
)
from rules.table.checks.procedure import (
    CheckOption,
    Stage,
    StageResult,
    has_role,
    kinds_with_role,
)
from rules.table.checks.standing_orders import asks_for_results
from rules.table.forms.fields import Find, Flag, FormContext, Number, Typed
from rules.table.forms.form import Form
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc

D = TypeVar("D")

#: Fields that name what is rolled with, the skill first. They are the same in proposals that are
#: alike.
SKILL_KEY: Final = "skill"
TRAITS: Final = (SKILL_KEY, "attribute", "weapon")
#: Values read from a form, by key.
Said = Mapping[str, bool | int | str | tuple[str, ...]]

#: Answers of a GM to a proposal. After the last two the check is over.
ROLL, MARGIN_ONLY, FREE, IMPOSSIBLE = "roll", "margin-only", "free", "impossible"
ANSWERS: Final = (ROLL, MARGIN_ONLY, FREE, IMPOSSIBLE)
#: The prompt with which a GM lets a result stand, and its one option.
LET_STAND: Final = "stand"
_ROLLED: Final = (ROLL, MARGIN_ONLY)
#: Longest idea, question and note, in characters.
APPROACH_MAX: Final = 1000
QUESTION_MAX: Final = 500
NOTE_MAX: Final = 500

#: Labels of these answers.
_RULED: Final = {
    ROLL: Text("answer-let-roll"),
    MARGIN_ONLY: Text("answer-margin-only"),
    FREE: Text("answer-free"),
    IMPOSSIBLE: Text("answer-impossible"),
}

#: Label of the answer with which the dice fall.
_ROLL_NOW: Final = Text("answer-roll-now")


class ProposalData(Record):
    """Data that every proposed check begins with: the owner's request and the GM's ruling."""

    #: Question of a GM that the owner has not answered yet.
    question: str = ""
    #: The GM's answer, one of ANSWERS; empty before there is one.
    answer: str = ""
    #: Participant who asked the question.
    asked_by: str = ""
    #: Participant who answered last.
    answered_by: str = ""
    #: The owner's request as its form has read it, without the texts that stand on the check.
    asked: Said = field(default_factory=dict[str, Any])
    #: The ruling as its form has read it, without the texts that stand on the check.
    ruled: Said | None = None
    #: The other side throws dice as well.
    opposed: bool = False
    #: The check rolls as soon as the GM has answered. Its owner chose so.
    rolls_when_answered: bool = False


#: Labels of a GM's answers to a character who rests.
REST_LABELS: Final = MappingProxyType(
    {FREE: Text("answer-time"), IMPOSSIBLE: Text("answer-no-time")}
)
#: The GMs may answer anew, or let dice stand, and are not waited for.
_RULE: Final = Prompt("rule", wait=None)
_STAND: Final = Prompt(LET_STAND, wait=None, versioned=True)

P = TypeVar("P", bound=ProposalData)

#: Form of a GM's question about a proposal.
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
    """Return an error if a difficulty is given but the other side's total decides; else None."""
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
    """Return whether a text means "none": it is empty or that word."""
    return text.strip().casefold() in ("", NONE_WORD)


def find_or_none(find: Find) -> Find:
    """Return a search like `find` that gives NONE_WORD for a text that means none."""
    return lambda asking, text: NONE_WORD if is_none(text) else find(asking, text)


#: Against what it is rolled, in the forms of those who propose and of GMs: some number or level.
_NUMBER: Final = "difficulty"
#: The most that a GM gives or takes at once.
MODIFIER_MAX: Final = 20
#: Fields that many of these forms have: the idea, the GM's note and the GM's modifier.
#: AGAINST_FIELD is the modifier of the other side.
APPROACH_FIELD: Final = Typed("approach", most=APPROACH_MAX, long=True)
NOTE_FIELD: Final = Typed("note", most=NOTE_MAX, long=True)
MODIFIER_FIELD: Final = Number("modifier", low=-MODIFIER_MAX, high=MODIFIER_MAX)
AGAINST_FIELD: Final = MODIFIER_FIELD.replace(key="against", hidden_if=_unopposed_error)
HIDDEN_FIELD: Final = Flag("hidden", label=Text("option-hidden"), hidden_if=opposed_error)
#: Label of the weapon in hand, which the rules take if an attacker chooses none.
IN_HAND_LABEL: Final = Text("in-hand")


def gm_only_error(asking: FormContext, word: str) -> RulesError | None:
    """Return an error if the actor is no GM; else None."""
    game = asking.game
    return None if game is not None and is_gm(game.state, game.actor) else NotPermitted("gm-only")


#: For the number that a GM names with a proposal, which stands without another answer: a player's
#: is no secret.
HIDDEN_BY_GM_FIELD: Final = HIDDEN_FIELD.replace(hidden_if=gm_only_error)
#: They stand on the check itself.
_OWN_PLACE: Final = frozenset((APPROACH_FIELD.key, NOTE_FIELD.key, HIDDEN_FIELD.key))


def require_other_target(check: AnyCheck, wanted: str = "victim") -> None:
    """Require that a check has a target other than its actor.

    `wanted` names in the error who is needed. Raises InvalidInput("which-target",
    "target-is-self").
    """
    if check.target is None:
        raise InvalidInput("which-target", field="target", value=None, wanted=wanted)
    if check.target == check.actor:
        raise InvalidInput("target-is-self", field="target", value=None)


def with_npc_privacy(game: Game, check: Check[D]) -> Check[D]:
    """Return the check; private to the GMs if an NPC acts on itself or on another NPC."""
    sides = (check.actor, check.target or check.actor)
    if all(is_npc(game, who) for who in sides):
        return check.replace(visibility="private")
    return check


def require_awaiting_roll(check: Check[P], *, thrown: bool) -> None:
    """Require that a check waits for its roll; `thrown` tells whether its dice have fallen.

    Raises Impossible("not-answered"), and Outdated("check-moved-on") once dice have fallen or the
    check is over.
    """
    if not check.data.answer and check.is_open:
        raise Impossible("not-answered", check=check.id)
    if thrown or not check.is_open:
        raise Outdated(
            "check-moved-on", check=check.id, status="rolled" if check.is_open else "settled"
        )


def spend_refusal(check: Check[P], stage: str, *, certain: bool) -> Text | None:
    """Return the reason why nothing can be spent on a check now; None if something could be.

    `stage` is the stage in which points are spent on such a check. `certain`: it succeeds without a
    roll.
    """
    if not check.data.answer:
        return Text("no-spend-yet")
    if check.data.answer == FREE or certain:
        return Text("no-spend-certain")
    if check.stage != stage or check.data.answer != ROLL:
        return Text("no-spend-now")
    return Text("no-spend-blind") if check.visibility == "blind" else None


def without_typed_texts(check: Check[P], who: str, mine: Collection[str]) -> P:
    """Return a check's data without a GM's question that the participant `who` typed."""
    data = check.data
    if data.question and data.asked_by == who and not check.is_open:
        return data.replace(question="")
    return data


def without_typed_defense(check: Check[Any], who: str, mine: Collection[str]) -> Any:
    """Return an opposed check's data without the texts that the participant `who` typed.

    These are a GM's question and the words of a defense. `mine` are the participant's characters.
    """
    data = without_typed_texts(check, who, mine)
    defense = data.defense
    if defense is None or not defense.approach:
        return data
    if data.defense_by == who or check.target in mine:
        return data.replace(defense=defense.replace(approach=""), defense_by="")
    return data


def stated_values(values: Values, among: Collection[str] | None = None) -> dict[str, Any]:
    """Return the values of a form that state something; NONE_WORD and 0 state nothing.

    `among` limits them to these keys. Without it, values that stand on the check itself are left
    out.
    """
    among = values.keys() - _OWN_PLACE if among is None else among
    stated: dict[str, Any] = {}
    for key, value in values.items():
        if key in among and value and value != NONE_WORD:
            stated[key] = value
    return stated


def draft_values(form: Form, said: Values, *more: Values) -> Values:
    """Return the values with which a form starts: those given before that are not empty."""
    given: dict[str, Any] = {}
    for values in (said, *more):
        given |= {key: value for key, value in values.items() if value}
    return {key: given[key] for key in form.keys if key in given}


class ProposalStage(Stage[P], ABC):
    """Stage in which GMs answer a proposal or ask back, and its owner replies, revises or
    withdraws.

    The check goes on as soon as an answer leaves something to roll.
    """

    name = "proposed"
    #: Form of an answer that takes no dice.
    word: Form = Form((NOTE_FIELD,))
    #: Stage after a success without a roll.
    free: str = OVER
    #: Stage after an automatic answer, if no other side has a say. None: the check stays.
    dice: str | None = None
    #: Labels of answers that differ from the usual ones.
    labels: Mapping[str, Text] = MappingProxyType({})

    def __init__(
        self, ask: Form, rule: Form, answers: tuple[str, ...] = ANSWERS, *, wanted: str = ""
    ) -> None:
        #: The owner's form, the GM's form, the answers that fit, and the difficulty that is wanted.
        self._ask, self._rule, self._answers, self._wanted = ask, rule, answers, wanted
        self._asks, self._rules = {*ask.keys} - _OWN_PLACE, {*rule.keys} - _OWN_PLACE

    @property
    def rule_form(self) -> Form:
        """The GM's form for an answer that calls for a roll."""
        return self._rule

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
        """Return whether the check is rolled against a number."""
        return not check.data.opposed

    def awaits_other_side(self, check: Check[P]) -> bool:
        """Return whether a participant besides the owner has a say before the roll."""
        return check.data.opposed

    def automatic_answer(self, game: Game, check: Check[P]) -> str | None:
        """Return the answer that holds without asking a GM; None if a GM has to be asked.

        A GM grants what takes no dice without being asked. A difficulty that is named stands in
        live play, and for NPCs.
        """
        if ROLL not in self._answers:
            return FREE if is_gm(game.state, game.actor) else None
        named = _NUMBER in check.data.asked
        if check.gm_only:
            return ROLL if named else MARGIN_ONLY
        if (named or not self.has_difficulty(check)) and self._needs_no_answer(game, check):
            return ROLL
        return None

    def is_attack(self, game: Game, check: Check[P]) -> bool:
        """Return whether the table's setting for attacks decides if a GM has to answer."""
        return has_role(game, check.kind, "attack")

    def _needs_no_answer(self, game: Game, check: Check[P]) -> bool:
        """Return whether a difficulty that is named stands without a GM's answer."""
        character = game.state.characters.get(check.actor)
        if character is not None and character.owner is None and is_gm(game.state, game.actor):
            return True
        settings = game.state.settings
        at_once = settings.attacks_at_once if self.is_attack(game, check) else settings.live
        return at_once and check.visibility == "public"

    def revise(self, game: Game, check: Check[P], values: Values) -> Check[P]:
        """Return the check as its owner revises it. What the GM has hidden stays hidden.

        Raises as `propose`.
        """
        found = self.propose(game, check, values)
        return found.replace(hidden=found.hidden or check.hidden)

    def propose(self, game: Game, check: Check[P], values: Values) -> Check[P]:
        """Return a check with what its owner proposes.

        Only a plain check may be the GMs' alone. Raises InvalidInput("wrong-type") for another,
        ("no-difficulty-here"), and as `read_request`.
        """
        if check.gm_only and not has_role(game, check.kind, "check"):
            allowed = kinds_with_role(game.system, "check")
            raise InvalidInput("wrong-type", field="kind", value=check.kind, allowed=allowed)
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
        answered = None if check.data.answer else self.with_automatic_answer(game, check)
        if answered is None:
            return None
        if answered.data.answer == FREE:
            to = self.free
        elif self.awaits_other_side(check):
            to = None
        else:
            to = self.dice
        return StageResult(game.state, answered.data, to, check=answered)

    def ask(self, game: Game, check: Check[P], /) -> tuple[Prompt, ...]:
        if check.data.answer:
            return ()
        # An owner who is asked something replies instead of revising. Players don't see what GMs
        # do for NPCs.
        if is_npc(game, check.actor):
            button = None
        elif check.data.question:
            button = "answer-withdraw"
        else:
            button = "answer-revise"
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
        """Return the answers that a GM may give. In an opposed check the totals decide, not a
        margin.
        """
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

    def ruling_draft(self, check: Check[P]) -> Values:
        """Return the values of a given answer, without the GM's note."""
        values = self.draft(check, self._rule)
        return {key: value for key, value in values.items() if key != NOTE_FIELD.key}

    def draft(self, check: Check[P], form: Form) -> Values:
        """Return the values with which a form starts; the first ruling starts from the proposal."""
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
            revised = self.revise(game, check, values)
            same_words = revised.approach == check.approach
            if option == "reply" and same_words and revised.data.asked == check.data.asked:
                raise Impossible("unchanged-reply", check=check.id)
            data = revised.data.replace(question="")
            return StageResult(game.state, data, reopen=True, check=revised)
        return self.apply_ruling(game, check, option, values)

    def apply_ruling(
        self, game: Game, check: Check[P], answer: str, values: Values
    ) -> StageResult[P]:
        """Return the result of a GM's answer, the first or a later one."""
        note, hidden = values.get(NOTE_FIELD.key, "").strip(), HIDDEN_FIELD.key in values
        said = stated_values(values, self._rules)
        data = check.data.replace(answered_by=game.actor.id, question="")
        asked = check.replace(data=data)
        ruled = self._with_ruling(game, asked, answer, said, note=note, hidden=hidden)
        if answer in _ROLLED:
            to = None
        elif answer == FREE:
            to = self.free
        else:
            to = OVER
        return StageResult(game.state, ruled.data, to, check=ruled)

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
        """Return the ways in which the owner may roll; empty while the roll lacks something."""
        return _ROLLS

    def missing_step(self, game: Game, check: Check[P]) -> str:
        """Return the step that the owner takes in place of a roll that would be refused.

        It is `write` or `revise`; empty if the roll lacks nothing.
        """
        return ""

    def options_before_roll(self, game: Game, check: Check[P], who: str) -> tuple[CheckOption, ...]:
        """Return what a character who throws dice may choose before they fall."""
        return ()

    def apply_choice(self, game: Game, check: Check[P], choice: Choice) -> StageResult[P]:
        """Return the result of one of these choices. After a roll the check goes on."""
        return StageResult(game.state, check.data)

    def other_rollers(self, game: Game, check: Check[P]) -> tuple[str, ...]:
        """Return the other characters who throw dice, and may choose something before."""
        return ()

    def opposing_label(self, game: Game, check: Check[P]) -> Text | None:
        """Return the label of the other side's answer; None if the other side throws no dice."""
        return _label("face") if check.data.opposed else None

    def opposing_values(self, check: Check[P]) -> Values | None:
        """Return what the other side has answered; None before it has."""
        return None

    def with_opposing_values(self, game: Game, check: Check[P], values: Values) -> P:
        """Return the data with the other side's answer."""
        return check.data

    def awaits_other_side(self, game: Game, check: Check[P]) -> bool:
        """Return whether the other side has still to answer before the roll."""
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
        if answered or _rolls_when_answered(game, check):
            return self._roll_at_once(game, check)
        return None

    def _roll_if_met(self, game: Game, ruled: StageResult[P]) -> StageResult[P] | None:
        """Return what a roll makes of a ruling, if that was the last answer of an opposed roll."""
        check = ruled.check
        if check is None or check.target is None or self.opposing_label(game, check) is None:
            return None
        if self.awaits_other_side(game, check):
            return None
        rolled = self._roll_at_once(game, check)
        return None if rolled is None else rolled.replace(check=check)

    def plain_roll(self, game: Game, check: Check[P]) -> CheckOption | None:
        """Return the actor's plain roll; None if the roll needs a choice.

        Nothing rolls by itself while a player wants a say.
        """
        rolls = self._available_rolls(game, check, "ready", check.actor)
        roll = rolls[0] if rolls and not check.held_for else None
        return roll if roll is not None and self.is_plain_roll(check, roll) else None

    def _roll_at_once(self, game: Game, check: Check[P]) -> StageResult[P] | None:
        """Return the result of the actor's plain roll; None if the roll needs a choice."""
        roll = self.plain_roll(game, check)
        if roll is None:
            return None
        choice = Choice("ready", roll.value, check.actor, roll.values)
        result = self.apply_choice(game, check, choice)
        return result.replace(to=NEXT) if result.to is None else result

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
        # The GMs may answer for another participant's character.
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
        if lacks:
            return (self._proposed.revision_option(check, lacks),)
        return self.roll_options(game, check, who)

    def choose(self, game: Game, check: Check[P], choice: Choice, /) -> StageResult[P]:
        if choice.prompt == "rule":
            ruling = self._proposed.apply_ruling(game, check, choice.option, choice.values)
            if ruling.to is not None:
                return ruling
            return self._roll_if_met(game, ruling) or ruling.replace(reopen=True)
        if choice.prompt == "own":
            return StageResult(game.state, check.data, OVER)
        if choice.prompt in ("face", "faced"):
            data = self.with_opposing_values(game, check, choice.values)
            # The dice fall when the last side has answered: the actor presses no Roll.
            rolled = self._roll_at_once(game, check.replace(data=data))
            return rolled or StageResult(game.state, data, reopen=True)
        if choice.option in ("write", "revise"):
            # A proposal that is revised needs the GM's answer again.
            revised = self._proposed.revise(game, check, choice.values)
            if choice.option == "write" and not revised.approach:
                raise Impossible("needs-approach", field=APPROACH_FIELD.key, write=True)
            data = revised.data.replace(answer="", question="")
            return StageResult(game.state, data, self._proposed.name, check=revised)
        result = self.apply_choice(game, check, choice)
        if result.to is not None:
            return result
        rolls = self._available_rolls(game, check, choice.prompt, choice.who)
        if choice.option in [roll.value for roll in rolls]:
            return result.replace(to=NEXT)
        return result


class RolledStage(Stage[D]):
    """Stage of an open roll: characters who are aware of it react until all have passed."""

    name = "open"
    passed = (REACT,)
    can_be_asked_for = True
    step_in = "before-verdict"

    def reactors(self, game: Game, check: Check[D]) -> tuple[str, ...]:
        """Return the characters who may react, able or not; none if all players know that none is
        able.
        """
        return (check.actor,) if check.target is None else (check.actor, check.target)

    def ask(self, game: Game, check: Check[D], /) -> tuple[Prompt, ...]:
        # A player who wants to be asked is asked even if no player could change anything.
        who = self.reactors(game, check)
        asks = bool(who or check.held_for) or asks_for_results(game.state)
        return (Prompt(REACT, who, "react", PASS),) if asks else ()


class ReactionStage(RolledStage[D], ABC):
    """Stage of an open roll that is final once every side that could change it has passed.

    Other characters may react meanwhile, but the check does not wait for them. A GM may let the
    result stand. After a change all other characters are asked anew.
    """

    @abstractmethod
    def reaction_options(self, game: Game, check: Check[D], who: str) -> tuple[CheckOption, ...]:
        """Return what a character may do about the dice now."""

    @abstractmethod
    def apply_reaction(self, game: Game, check: Check[D], choice: Choice) -> StageResult[D]:
        """Return the result of a reaction."""

    def other_reactors(self, game: Game, check: Check[D]) -> tuple[str, ...]:
        """Return the characters who may also react, but for whom the check does not wait."""
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
        if prompt == LET_STAND:
            return (_option(LET_STAND),)
        return self.reaction_options(game, check, who)

    def choose(self, game: Game, check: Check[D], choice: Choice, /) -> StageResult[D]:
        if choice.prompt == LET_STAND:
            return StageResult(game.state, check.data, NEXT)
        # GMs who may also react do not count: their options may be hidden, and a new time would
        # reveal them.
        reactors = {*self.reactors(game, check), *self.other_reactors(game, check)}
        asked = reactors - {choice.who, ANY_GM}
        return self.apply_reaction(game, check, choice).replace(reopen=bool(asked))


def _rolls_when_answered(game: Game, check: Check[P]) -> bool:
    """Return whether a check rolls by itself once the last side has answered."""
    return game.state.settings.roll_when_answered or check.data.rolls_when_answered


def can_hold(game: Game, check: AnyCheck) -> bool:
    """Return whether players can press *Wait for me*.

    It takes a check whose dice haven't fallen, by rules in which dice can be changed afterwards.
    A table that waits for all players has no need for it.
    """
    settings, course = game.state.settings, game.system.procedures[check.kind]
    if not settings.step_in_time or settings.wait_for_everybody:
        return False
    if check.gm_only or check.visibility == "blind" or not check.is_open or not check.asked:
        return False
    if course.dice_have_fallen(check.data):
        return False
    return any(isinstance(stage, RolledStage) for stage in course.stages.values())


def _own(game: Game, check: AnyCheck) -> tuple[str, ...]:
    """Return who may withdraw a check: its owner and the GMs. An NPC's owners are the GMs."""
    return (check.actor,) if is_npc(game, check.actor) else (check.actor, ANY_GM)


@cache
def _label(value: str) -> Text:
    return Text(f"answer-{value}")


def _option(
    value: str, form: Form | None = None, values: Values | None = None, *, written: bool = False
) -> CheckOption:
    helps = "never" if value in _WAYS_OUT else None
    says = _save_label if value == "revise" else None
    return CheckOption(
        value, _label(value), form, values=values or {}, written=written, helps=helps, says=says
    )


def _save_label(values: Values) -> Text:
    """Return the label of the button that sends a changed proposal."""
    return Text("answer-save-changes")


#: Answers that end the check or ask back. Their buttons are never highlighted.
_WAYS_OUT: Final = frozenset({"withdraw", "ask", LET_STAND, "roll-when-answered", "roll-myself"})
_ROLLS: Final = (_option("roll"),)
