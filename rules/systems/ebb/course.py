"""The course of EBB's challenges, from the proposal to what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.core.errors import Impossible
from rules.core.rng import Rng
from rules.systems.ebb import chances, check, injury, opposed
from rules.systems.ebb.check import EbbChallenge, EbbCharacter, EbbRequest, EbbRolled, EbbRuling, ruled_values
from rules.systems.ebb.describe import (
    describe_check,
    describe_defence,
    difficulty_line,
)
from rules.systems.ebb.ladder import difficulty_at
from rules.systems.ebb.options import ASK, DEFENCE, RULE, values_of
from rules.systems.ebb.sheet import (
    find_ability,
)
from rules.systems.ebb.tables import LADDER, LEVEL_STEP
from rules.table.actions import Answer, Defend, Join, Propose, Revise
from rules.table.events import Line
from rules.table.state import AnyChallenge, AnyCharacter, AnyHelper, HitDefault, Kind, Side
from rules.table.system import (
    Cast,
    Choice,
    Described,
    HealMethod,
    HitChoice,
    OddsTable,
    SpendOption,
    Spent,
)

#: How many levels beyond the named ones are offered.
_BEYOND = 3


class EbbCourse:
    """The course of EBB's challenges."""

    kinds: frozenset[Kind] = frozenset(("check", "attack", "treat", "rest"))
    needs_approach = True
    reacts = True

    def difficulties(self, target: AnyCharacter | None = None) -> tuple[Choice, ...]:
        top = LADDER[-1][1]
        thresholds = [threshold for _, threshold in LADDER]
        thresholds += [top + LEVEL_STEP * more for more in range(1, _BEYOND + 1)]
        found = (difficulty_at(threshold) for threshold in thresholds)
        return tuple(Choice(str(level.name), difficulty_line(level)) for level in found)

    def options(
        self,
        *,
        gm: bool,
        character: AnyCharacter | None = None,
        kind: Kind | None = None,
        mode: str = "",
    ) -> tuple[Choice, ...]:
        return (RULE if gm else ASK).offers()

    def modes(self, kind: Kind) -> tuple[Choice, ...]:
        return ()

    def find_mode(self, kind: Kind, text: str) -> str:
        raise Impossible("not-in-these-rules", name="EBB")

    def opposes(self, kind: Kind, target: AnyCharacter, mode: str) -> bool:
        return kind == "attack" and target.owner is not None

    def measured(self, challenge: AnyChallenge) -> bool:
        return not challenge.opposed

    def disallowable(self, challenge: EbbChallenge) -> tuple[Choice, ...]:
        request = challenge.request
        found: list[Choice] = []
        if request.ability is not None:
            found.append(Choice("ability", Line("ebb-disallow", {"name": request.ability})))
        if request.attribute is not None:
            found.append(Choice("attribute", Line("ebb-disallow", {"name": request.attribute})))
        return tuple(found)

    def justifications(self, challenge: AnyChallenge) -> tuple[Choice, ...]:
        return ()

    def propose(self, character: EbbCharacter, action: Propose) -> EbbRequest:
        return check.propose(character.sheet, action)

    def revise(self, character: EbbCharacter, challenge: EbbChallenge, action: Revise) -> EbbRequest:
        return check.revise(character.sheet, challenge.request, action)

    def proposed_traits(self, challenge: EbbChallenge) -> tuple[str | None, str | None]:
        return challenge.request.ability, challenge.request.attribute

    def suggest(self, challenge: EbbChallenge) -> tuple[str | None, tuple[str, ...], int]:
        request, ruling = challenge.request, challenge.ruling
        level = request.difficulty if ruling is None else ruling.base
        difficulty = None if level is None else level.name or str(level.threshold)
        adjustments = request.adjustments if ruling is None else ruling.adjustments
        said = values_of(adjustments) if ruling is None else ruled_values(ruling)
        return difficulty, RULE.write_words(said), adjustments.bonus

    def refused(self, challenge: EbbChallenge) -> tuple[str, ...]:
        ruling = challenge.ruling
        if ruling is None:
            return ()
        return ("ability",) * ruling.disallow_ability + ("attribute",) * ruling.disallow_attribute

    def rule(self, character: EbbCharacter, challenge: EbbChallenge, answer: Answer) -> EbbRuling:
        return check.rule(challenge, answer)

    def require_traits(self, character: EbbCharacter, challenge: EbbChallenge) -> None:
        if challenge.request.ability is not None:
            find_ability(character.sheet, challenge.request.ability)

    def against(self, challenge: EbbChallenge) -> int:
        return 0 if challenge.ruling is None else challenge.ruling.against

    def defence_options(self) -> tuple[Choice, ...]:
        return DEFENCE.offers()

    def defend(self, character: EbbCharacter, action: Defend) -> EbbRequest:
        return opposed.defend(character.sheet, action)

    def require_defence(self, target: EbbCharacter, challenge: EbbChallenge) -> None:
        if challenge.defence is not None and challenge.defence.ability is not None:
            find_ability(target.sheet, challenge.defence.ability)

    def join(self, character: AnyCharacter, challenge: AnyChallenge, action: Join) -> Any:
        raise Impossible("not-in-these-rules", name="EBB")

    def require_team(self, cast: Cast, challenge: AnyChallenge) -> None:
        pass

    def require_help(self, character: AnyCharacter, challenge: AnyChallenge, helper: AnyHelper) -> None:
        return None

    def roll(self, cast: Cast, challenge: EbbChallenge, rng: Rng) -> EbbRolled:
        sheet, other = cast.actor.sheet, cast.target
        if other is None or not challenge.opposed:
            return EbbRolled(check.roll(sheet, challenge, rng))
        bonus = opposed.points(check.ruling_of(challenge).adjustments)
        mine = check.roll(sheet, challenge, rng, bonus)
        return EbbRolled(mine, other=opposed.roll_defence(other.sheet, challenge, rng))

    def spends(
        self, character: EbbCharacter, challenge: EbbChallenge, side: Side = "actor"
    ) -> tuple[SpendOption, ...]:
        return check.spends(character.sheet, challenge, side)

    def spend(
        self,
        character: EbbCharacter,
        challenge: EbbChallenge,
        what: str,
        choice: str | None,
        rng: Rng,
        side: Side = "actor",
    ) -> Spent:
        return check.spend(character, challenge, what, choice, rng, side)

    def succeeded(self, challenge: EbbChallenge) -> bool:
        return injury.succeeded(challenge)

    def hit_choices(self, target: EbbCharacter, challenge: EbbChallenge) -> tuple[HitChoice, ...]:
        return injury.hit_choices(target)

    def default_hit(self, target: EbbCharacter, challenge: EbbChallenge, default: HitDefault) -> str:
        return injury.default_hit(target, soften=default == "soften")

    def take_hit(
        self, target: EbbCharacter, challenge: EbbChallenge, choice: str, words: Mapping[str, str]
    ) -> tuple[EbbCharacter, Line]:
        return injury.take_hit(target, challenge, choice, words)

    def heal_methods(self) -> tuple[HealMethod, ...]:
        return injury.heal_methods()

    def injuries(self, target: EbbCharacter) -> tuple[Choice, ...]:
        return injury.injuries(target)

    def find_injury(self, target: EbbCharacter, text: str) -> str:
        return injury.find_injury(target, text)

    def healed(
        self, challenge: EbbChallenge, target: EbbCharacter
    ) -> tuple[EbbCharacter, tuple[Line, ...]] | None:
        return injury.healed(challenge, target)

    def describe_other(self, target: EbbCharacter, challenge: EbbChallenge) -> Described:
        return describe_defence(target, challenge)

    def describe_helper(
        self, character: AnyCharacter, challenge: AnyChallenge, helper: AnyHelper, *, gm: bool
    ) -> Described:
        return Described()

    def describe(self, cast: Cast, challenge: EbbChallenge, *, gm: bool) -> Described:
        return describe_check(cast.actor, challenge, gm=gm)

    def odds_table(self, character: EbbCharacter, action: Propose, difficulty: str) -> OddsTable:
        return chances.odds_table(character.sheet, action, difficulty)

    def odds_of(self, cast: Cast, challenge: EbbChallenge) -> OddsTable:
        return chances.odds_of(cast.actor.sheet, challenge)

    def why_not_spend(self, character: EbbCharacter, challenge: EbbChallenge) -> Line:
        return chances.why_not_spend(character.sheet, challenge)
