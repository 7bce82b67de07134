"""The same play twice: as challenges, and as checks that take their course by EBB's procedures.

What is done to a challenge is done to the check of the same id; afterwards both tables have to be the same, and so
has what everybody may read.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any, Final

from rules.core.errors import RulesError
from rules.core.rng import Rng, Sealed, Streams
from rules.registry import get_system, look
from rules.systems.ebb.attempt import request_values
from rules.systems.ebb.injury import hit_notes
from rules.systems.ebb.options import ASK, DEFENCE, RULE
from rules.systems.ebb.procedures import PROCEDURES
from rules.systems.ebb.sheet import EbbSheet, Injury, read_sheet
from rules.table.actions import (
    Action,
    Actor,
    Answer,
    AskBack,
    Begin,
    Choose,
    Defend,
    Due,
    Propose,
    Revise,
    Roll,
    Settle,
    Spend,
    TakeHit,
    Withdraw,
)
from rules.table.blocks import (
    EVERYONE,
    GMS,
    Audience,
    Block,
    Change,
    Fact,
    Note,
    Quote,
    Text,
    Verdict,
    for_audience,
)
from rules.table.blocks import Roll as Throw
from rules.table.checks import acting, machine
from rules.table.checks.access import may_see
from rules.table.checks.check import GMS as THE_GMS
from rules.table.checks.check import PASS, AnyCheck, Orders
from rules.table.checks.orders import with_orders
from rules.table.checks.procedure import procedure_of
from rules.table.checks.views import check_view
from rules.table.checks.views import may_see as may_see_challenge
from rules.table.checks.waits import Wait, waits_for
from rules.table.events import ChallengeChanged, CheckView, Event, Line
from rules.table.lookup import TableNames
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, owns
from rules.table.state import SYSTEM, AnyChallenge, Character, Settings, TableState
from rules.table.system import Game, System
from tests.builders import ANN, BEN, GM, NOON, PLACE, by, ebb_character, resolve

CLOCK: Final = Actor(SYSTEM)
EBB: Final[System] = replace(get_system("ebb"), procedures=PROCEDURES)
#: Terms of a total that stand among the dice.
_AMONG_DICE: Final = frozenset({"ebb-term-main", "ebb-term-ability"})
_ANSWERS: Final = {"cannot": "impossible"}


class Dice:
    """Streams that write down what was drawn from which."""

    def __init__(self, seed: object) -> None:
        self.log: list[tuple[str, int, int]] = []
        self.public: Rng = _Stream("public", self.log, random.Random(f"{seed} public"))
        self.secret: Rng = _Stream("secret", self.log, random.Random(f"{seed} secret"))
        self.shuffle: Rng = self.secret
        self.sealed = Sealed("", "")


class _Stream:
    def __init__(self, name: str, log: list[tuple[str, int, int]], chance: random.Random) -> None:
        self._name, self._log, self._chance = name, log, chance

    def below(self, n: int, /) -> int:
        # Ones and tens are what the rules look at.
        face = self._chance.choice((0, n - 1, self._chance.randrange(n), self._chance.randrange(n)))
        self._log.append((self._name, n, face))
        return face


def table(**settings: Any) -> TableState:
    """Anna and Boris are players' characters; Sidor has a sheet, nobody knows Lebed by name, a dog has nothing."""
    sheet = read_sheet(ebb_character("Anna"))[1]
    hurt = replace(sheet, injuries=(Injury("a broken arm", "arm"), Injury("a cut")))
    people = (
        Character("k1", "Anna", "p2", hurt),
        Character("k2", "Boris", "p3", sheet),
        Character("k3", "Sidor", None, hurt),
        Character("k4", "Lebed", None, EbbSheet(), stage="aliased", alias="the hooded man"),
        Character("k5", "Dog", None, EbbSheet()),
        Character("k6", "Spy", None, sheet, stage="off"),
    )
    return TableState(
        Settings("Marshes", "ebb", ("p1",), **settings), characters={each.id: each for each in people}
    )


class Twins:
    """One table as challenges (`old`) and as checks (`new`). GMs are asked for their NPCs."""

    def __init__(self, state: TableState, seed: object = 0) -> None:
        self.old = self.new = state
        for each in state.characters.values():
            if each.owner is None:
                self.new = with_orders(self.new, each.id, Orders(ask=True))
        self.dice: tuple[Streams, Streams] = (Dice(seed), Dice(seed))
        self.at = NOON
        self.refused: list[str] = []
        self.steps: Counter[str] = Counter()

    # --- acting -----------------------------------------------------------------------------------------------

    def game(self, who: Actor) -> Game:
        return Game(self.new, EBB, self.dice[1], self.at, who)

    def do(self, action: Action) -> bool:
        """Both ways; whether it was done. What one refuses the other has to refuse."""
        try:
            outcome = resolve(self.old, action, self.dice[0])
        except RulesError as error:
            self.refuse(action, error)
            return False
        self.follow(action, outcome)
        return True

    def refuse(self, action: Action, error: RulesError) -> None:
        """What challenges have refused, where a panel offers it all the same."""
        if isinstance(action, Propose | Roll):
            self.refused.append(error.code)
            self._refuses(action)

    def follow(self, action: Action, outcome: Outcome, dice: Streams | None = None) -> None:
        """What challenges have come to, with the same dice."""
        before, self.old = self.old, outcome.state
        if dice is not None:
            self.dice = (self.dice[0], dice)
        self.at = action.at
        self.new = self._twin(action, before).state
        self.steps[type(action).__name__] += 1
        # Nothing is told anew of a sheet that has changed meanwhile, where nobody has chosen anything.
        chosen = not isinstance(action, AskBack | Due | Settle | TakeHit | Withdraw)
        key = action.wait.partition(".")[0] if isinstance(action, Due) else getattr(action, "challenge", "")
        check = self.new.checks[key or f"c{self.new.counters.challenge}"]
        self._compare(check, outcome.events, chosen)

    def _refuses(self, action: Propose | Roll) -> None:
        try:
            self._twin(action, self.old)
        except RulesError:
            return
        raise AssertionError(f"only challenges refuse {action}: {self.refused[-1]}")

    def _twin(self, action: Action, before: TableState) -> Outcome:
        if isinstance(action, Propose):
            return self._begun(action)
        if isinstance(action, Due):
            return self._lapsed(action, before)
        key: str = getattr(action, "challenge")  # noqa: B009 - every other action is on a challenge
        was, check = before.challenges[key], self.new.checks[key]
        prompt, option, who, values = self._choice(action, was, check)
        asked = check.prompt(prompt)
        assert asked is not None, (prompt, check.stage, [each.prompt.key for each in check.asked])
        twin = Choose(
            **by(action.who, at=self.at),
            check=key,
            prompt=prompt,
            number=asked.number,
            option=option,
            as_=(who,),
            values=values,
        )
        return acting.choose(self.new, twin, self.dice[1], self.game(action.who))

    def _begun(self, action: Propose) -> Outcome:
        gm = is_gm(self.old, action.who)
        values = {
            **ASK.read_words(action.options),
            "skill": action.skill,
            "attribute": action.attribute,
            "difficulty": action.difficulty,
            "approach": action.approach,
            "modifier": action.modifier,
        }
        tool = {"attack": "weapon", "treat": "injury", "rest": "method"}.get(action.kind)
        if tool is not None:
            values[tool] = action.tool
        if action.kind == "rest":
            values = {"method": action.tool, "approach": action.approach}
        values = {key: each for key, each in values.items() if each}
        twin = Begin(
            **by(action.who, at=self.at),
            kind=action.kind,
            as_=(action.target or action.as_) if gm and action.kind == "rest" else action.as_,
            target=action.target if action.kind in ("attack", "treat") else None,
            values=values,
            visibility=action.visibility,
            gm_only=action.gm_only,
        )
        return acting.begin(self.new, twin, self.dice[1], self.game(action.who))

    def _lapsed(self, action: Due, before: TableState) -> Outcome:
        key = action.wait.partition(".")[0]
        meant = next(each for each in waits_for(before, before.challenges[key]) if each.id == action.wait)
        default = {"remind": None, "settle": "settle", "hit": "hit"}[meant.default]
        found = [each for each in machine.waiting(self.new.checks[key]) if _kind(each) == default]
        return acting.due(Due(**by(CLOCK, at=self.at), wait=found[0].id), self.game(CLOCK))

    def _choice(
        self, action: Action, was: AnyChallenge, check: AnyCheck
    ) -> tuple[str, str, str, dict[str, Any]]:
        """Prompt, option, for whom and with which values."""
        now = self.old.challenges[was.id]
        match action:
            case Answer():
                return "rule", _ANSWERS.get(action.kind, action.kind), THE_GMS, _ruling(action, was)
            case AskBack():
                return "rule", "ask", THE_GMS, {"question": action.question}
            case Revise():
                values = {**request_values(now.request, now.approach)}
                if check.kind == "rest":
                    values = {key: each for key, each in values.items() if key == "approach"}
                if was.question:
                    return "reply", "reply", check.actor, values
                return "own", "revise", check.actor, values
            case Withdraw():
                mine = owns(self.old, action.who, self.old.characters[check.actor])
                return "own", "withdraw", check.actor if mine else THE_GMS, {}
            case Roll():
                return "ready", "roll", check.actor, {}
            case Defend():
                said = DEFENCE.read_words(action.options)
                traits = {"skill": action.skill, "attribute": action.attribute, "approach": action.approach}
                values = {**said, **{key: each for key, each in traits.items() if each}}
                gm = is_gm(self.old, action.who)
                return "faced" if gm else "face", "face", THE_GMS if gm else was.target or "", values
            case Spend():
                return self._spend(action, now, check)
            case Settle():
                if is_gm(self.old, action.who):
                    return "stand", "stand", THE_GMS, {}
                asked = check.prompt("react")
                assert asked is not None, check.stage
                return "react", PASS, asked.left[0], {}
            case TakeHit():
                words = {"text": action.text, "part": action.part, "severity": action.severity}
                words = {key: each for key, each in words.items() if each and action.choice == "in-full"}
                if is_gm(self.old, action.who):
                    return "words", action.choice, THE_GMS, words
                return "hit", action.choice, was.target or "", {}
            case _:
                raise AssertionError(f"nobody has a twin of {action}")

    def _spend(
        self, action: Spend, now: AnyChallenge, check: AnyCheck
    ) -> tuple[str, str, str, dict[str, Any]]:
        if action.what == "luck":
            given: Any = now.rolled
            return "ready", f"luck:{given.luck}", check.actor, {}
        who = check.target if action.what.endswith("-other") else check.actor
        prompt = next(key for key in ("react", "also") if _asks(check, key, who or ""))
        return prompt, "reroll", who or "", {}

    # --- what has to be the same ------------------------------------------------------------------------------

    def _compare(self, check: AnyCheck, events: tuple[Event, ...], chosen: bool) -> None:
        challenge = self.old.challenges[check.id]
        assert self.new.characters == self.old.characters
        if isinstance(self.dice[0], Dice) and isinstance(self.dice[1], Dice):
            assert self.dice[0].log == self.dice[1].log
        assert check.open == challenge.open, (check.stage, challenge.status)
        old = sorted((each.due, each.default) for each in timed(self.old, challenge))
        assert sorted((each.due, _kind(each) or "remind") for each in machine.waiting(check)) == old
        for audience, who in self._audiences(check):
            known = self._sees(challenge, audience)
            assert may_see(self.game(who), check, who) == known
            if known:
                self._same_told(check, challenge, audience, who, events, chosen)

    def _hit_blindly(self, challenge: AnyChallenge, who: Actor) -> bool:
        hit = challenge.status == "hit" or bool(challenge.choice)
        return hit and challenge.visibility == "blind" and self._plays_target(challenge, who)

    def _plays_target(self, challenge: AnyChallenge, who: Actor) -> bool:
        target = self.old.characters.get(challenge.target or "")
        return target is not None and target.owner == who.id

    def _audiences(self, check: AnyCheck) -> list[tuple[Audience, Actor]]:
        people = [(Audience(people=(who.id,)), who) for who in (ANN, BEN)]
        public = check.visibility == "public" and not check.gm_only
        return [(GMS, GM), *people, *([(EVERYONE, Actor("p9"))] if public else [])]

    def _sees(self, challenge: AnyChallenge, audience: Audience) -> bool:
        if audience.everyone:
            return True
        who = GM if audience.gms else Actor(audience.people[0])
        return may_see_challenge(self.old, challenge, who)

    def _same_told(
        self,
        check: AnyCheck,
        challenge: AnyChallenge,
        audience: Audience,
        who: Actor,
        events: tuple[Event, ...],
        chosen: bool,
    ) -> None:
        gm = audience.gms
        person = None if gm or audience.everyone else who.id
        view = check_view(self.old, look(self.old), challenge, gm=gm, who=person)
        rolled = challenge.rolled
        bare = rolled is not None and rolled.other is None and challenge.visibility == "blind"
        if bare and not gm and not self._plays_target(challenge, who):
            # What was set against it is told with its dice, and none fell; a blind view told all of it to all.
            view = replace(view, other=None)
        lines: tuple[Line, ...] = ()
        for event in events:
            heard = event.audience.everyone or (gm and event.audience.gms) or who.id in event.audience.people
            if heard and isinstance(event, ChallengeChanged):
                lines = event.lines
        if challenge.ruling is None or self._hit_blindly(challenge, who):
            # Where there was no verdict, the head of a card said that it hit.
            lines = (*lines, *hit_notes(challenge))
        game = self.game(who)
        blocks = for_audience(
            procedure_of(game, check.kind).describe(game, check), audience, TableNames(self.new)
        )
        new, old = told_in_blocks(blocks), told_in_view(view, lines, check)
        # What a total means that cannot fail, the card itself said.
        new = Counter({said: count for said, count in new.items() if said[0] != "ebb-note-margin"})
        if check.gm_only and any(said[0] == "ebb-total" for said in new):
            # A GM's own roll against nothing tells its total where it was called a success.
            new = Counter({said: count for said, count in new.items() if said[0] != "ebb-total"})
            old = Counter({said: count for said, count in old.items() if said[0] != "ebb-margin-only"})
        if not chosen:
            new, old = _without_values(new), _without_values(old)
        assert not new - old and not old - new, (new - old, old - new, check, audience)


def timed(state: TableState, challenge: AnyChallenge) -> list[Wait]:
    """What ends by itself, without a reminder that what happens by itself forestalls."""
    found = [each for each in waits_for(state, challenge) if each.due is not None]
    ends = [each.due or 0 for each in found if each.default != "remind"]
    return [each for each in found if each.default != "remind" or not ends or (each.due or 0) < min(ends)]


def _kind(wait: machine.Waiting) -> str | None:
    """What the clock does then, as challenges call it."""
    if wait.default is None:
        return None
    return "settle" if wait.prompt == "react" else "hit"


def _asks(check: AnyCheck, key: str, who: str) -> bool:
    asked = check.prompt(key)
    return asked is not None and asked.prompt.who is not None and who in asked.prompt.who


def _ruling(action: Answer, was: AnyChallenge) -> dict[str, Any]:
    """The values of the GM's form."""
    if action.kind in ("free", "cannot") or was.kind == "rest":
        return {"note": action.note} if action.note else {}
    named = {"ability": was.request.ability, "attribute": was.request.attribute}
    values: dict[str, Any] = {
        **RULE.read_words(action.options),
        "modifier": action.modifier,
        "disallow": tuple(each for each in action.disallow if named[each] is not None),
        "note": action.note,
    }
    if was.opposed:
        values["against"] = action.against
    else:
        values |= {"difficulty": action.difficulty, "hidden": action.hidden}
    return {key: each for key, each in values.items() if each}


# --- facts ---------------------------------------------------------------------------------------------------


def _frozen(value: Any) -> str:
    return repr(sorted(value.items()) if isinstance(value, dict) else value)


def _said(code: str, params: Any) -> tuple[str, str]:
    """A code with its parameters; how high an attribute is that does not count nobody reads."""
    unread = ("value",) if code in ("ebb-attribute-disallowed", "ebb-attribute-defied") else ()
    return code, _frozen({key: value for key, value in params.items() if key not in unread})


#: A line of one step there, and what stands on the card from then on here.
_SPENT = ("ebb-sacrificed", "ebb-rerolled")


def told_in_view(view: CheckView, lines: tuple[Line, ...], check: AnyCheck) -> Counter[Any]:
    """What a view tells: codes with their parameters, dice, totals, and what people typed."""
    codes: list[Line] = [*view.shifts, *view.notes, *lines]
    codes = [each for each in codes if each.code not in _SPENT]
    if check.kind != "rest":
        codes += view.traits
    codes += [each for each in (view.target, view.verdict, view.degree) if each is not None]
    if view.asked is not None and view.status == "proposed" and check.kind != "rest":
        codes.append(view.asked)
    typed = [view.approach, view.question, view.note]
    typed += [view.tool] if check.kind in ("attack", "treat") else []
    dice, totals, terms = [*view.dice], [view.total], [*view.terms]
    other = view.other
    if other is not None:
        codes += [*other.traits, *other.shifts]
        typed.append(other.approach)
        dice += other.dice
        totals.append(other.total)
        terms += other.terms
    found: Counter[Any] = Counter(_said(line.code, line.params) for line in codes)
    found.update(text for text in typed if text.strip())
    found.update(("die", die.sides, die.face) for die in dice)
    found.update(("total", total) for total in totals if total is not None)
    found.update(
        (each.label.code, _frozen(each.label.params), each.value)
        for each in terms
        if each.label.code not in _AMONG_DICE
    )
    return found


def _without_values(told: Counter[Any]) -> Counter[Any]:
    """Without how high attributes are."""
    found: Counter[Any] = Counter()
    for each, count in told.items():
        attribute = isinstance(each, tuple) and str(each[0]).startswith("ebb-attribute")
        found[each[0] if attribute else each] += count
    return found


def told_in_blocks(blocks: tuple[Block, ...]) -> Counter[Any]:
    """The same of blocks; what only names a line is left out."""
    found: Counter[Any] = Counter()

    def told(value: Any) -> None:
        if isinstance(value, tuple):
            for each in value:
                told(each)
        elif isinstance(value, Text):
            if not value.code.startswith("check-") and value.code not in _SPENT:
                found[_said(value.code, value.params)] += 1
        elif isinstance(value, str) and value.strip():
            found[value] += 1

    for block in blocks:
        match block:
            case Verdict():
                told((block.text, block.degree))
            case Fact():
                told((block.what, block.value))
            case Note():
                told(block.text)
            case Quote():
                told(block.text)
            case Throw():
                found.update(("die", die.sides, die.face) for die in block.dice)
                if block.result is not None:
                    found[("total", block.result)] += 1
                for term in block.terms:
                    assert not isinstance(term, int)
                    found[(term.label.code, _frozen(term.label.params), term.value)] += 1
            case Change():
                raise AssertionError("what a challenge never told")
            case _:
                raise AssertionError(block)
    return found


__all__ = ["ANN", "BEN", "CLOCK", "EBB", "GM", "PLACE", "Twins", "by"]
