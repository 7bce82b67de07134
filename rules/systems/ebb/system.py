"""EBB as the table sees it: one object that answers what only this system knows."""

from __future__ import annotations

from collections.abc import Mapping

from rules.core.rng import Rng
from rules.systems.ebb import check
from rules.systems.ebb.check import EbbChallenge, EbbCharacter, EbbRequest, EbbRolled, EbbRuling
from rules.systems.ebb.describe import describe_character, describe_check, difficulty_line
from rules.systems.ebb.difficulty import assess, attribute_counts
from rules.systems.ebb.ladder import difficulty_at, parse_difficulty
from rules.systems.ebb.odds import task_odds
from rules.systems.ebb.sheet import (
    EbbSheet,
    effective_attribute,
    find_ability,
    find_attribute,
    read_sheet,
    write_sheet,
)
from rules.systems.ebb.switches import read_switches, switch_choices, write_switches
from rules.systems.ebb.tables import ATTRIBUTES, LADDER, LEVEL_STEP
from rules.table.actions import Answer, Propose, Revise
from rules.table.events import Line
from rules.table.state import Reveal
from rules.table.system import Choice, Described, Kinds, Odds, SpendOption, Spent

#: How many levels beyond the named ones are offered.
_BEYOND = 3


class Ebb:
    """The EBB system."""

    key = "ebb"
    name = "EBB"
    version = 1
    kinds = Kinds(EbbSheet, EbbRequest, EbbRuling, EbbRolled)

    def read_character(self, data: Mapping[str, object], *, new: bool) -> tuple[str, EbbSheet]:
        return read_sheet(data, new=new)

    def write_character(self, character: EbbCharacter) -> dict[str, object]:
        return write_sheet(character.name, character.sheet)

    def describe_character(self, character: EbbCharacter) -> tuple[Line, ...]:
        return describe_character(character)

    def skills(self, character: EbbCharacter) -> tuple[Choice, ...]:
        return tuple(
            Choice(
                ability.name, Line("ebb-ability-choice", {"name": ability.name, "die": f"d{ability.sides}"})
            )
            for ability in character.sheet.abilities
        )

    def attributes(self, character: EbbCharacter) -> tuple[Choice, ...]:
        return tuple(
            Choice(
                name,
                Line(
                    "ebb-attribute-choice",
                    {"name": name, "value": effective_attribute(character.sheet, name)},
                ),
            )
            for name in ATTRIBUTES
        )

    def difficulties(self) -> tuple[Choice, ...]:
        top = LADDER[-1][1]
        thresholds = [threshold for _, threshold in LADDER]
        thresholds += [top + LEVEL_STEP * more for more in range(1, _BEYOND + 1)]
        found = (difficulty_at(threshold) for threshold in thresholds)
        return tuple(Choice(str(level.name), difficulty_line(level)) for level in found)

    def switches(self, *, gm: bool) -> tuple[Choice, ...]:
        return switch_choices(gm=gm)

    def strikes(self, challenge: EbbChallenge) -> tuple[Choice, ...]:
        request = challenge.request
        found: list[Choice] = []
        if request.ability is not None:
            found.append(Choice("ability", Line("ebb-strike", {"name": request.ability})))
        if request.attribute is not None:
            found.append(Choice("attribute", Line("ebb-strike", {"name": request.attribute})))
        return tuple(found)

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
        words = write_switches(adjustments)
        if ruling is not None:
            words += ("specialist",) * ruling.specialist + ("specialist-luck",) * ruling.specialist_luck
        return difficulty, words, adjustments.bonus

    def rule(self, character: EbbCharacter, challenge: EbbChallenge, answer: Answer) -> EbbRuling:
        return check.rule(challenge, answer)

    def require_traits(self, character: EbbCharacter, challenge: EbbChallenge) -> None:
        if challenge.request.ability is not None:
            find_ability(character.sheet, challenge.request.ability)

    def needs_approach(self, challenge: EbbChallenge) -> bool:
        return True

    def roll(self, character: EbbCharacter, challenge: EbbChallenge, rng: Rng) -> EbbRolled:
        return check.roll(character.sheet, challenge, rng)

    def spends(self, character: EbbCharacter, challenge: EbbChallenge) -> tuple[SpendOption, ...]:
        return check.spends(character.sheet, challenge)

    def spend(
        self, character: EbbCharacter, challenge: EbbChallenge, what: str, choice: str | None, rng: Rng
    ) -> Spent:
        return check.spend(character, challenge, what, choice, rng)

    def describe(
        self, character: EbbCharacter, challenge: EbbChallenge, *, gm: bool, reveal: Reveal
    ) -> Described:
        return describe_check(character, challenge, gm=gm, reveal=reveal)

    def odds(
        self,
        character: EbbCharacter,
        *,
        skill: str | None,
        attribute: str | None,
        difficulty: str,
        switches: tuple[str, ...],
        modifier: int,
    ) -> Odds:
        adjustments = read_switches(switches, bonus=modifier, gm=False).adjustments
        target = assess(parse_difficulty(difficulty), adjustments)
        value = None
        if attribute is not None and attribute_counts(adjustments):
            value = effective_attribute(character.sheet, find_attribute(attribute))
        sides = None if skill is None else find_ability(character.sheet, skill).sides
        chances = task_odds(
            attribute=value, ability_sides=sides, threshold=target.threshold, bonus=adjustments.bonus
        )
        outcomes = [
            (Line("ebb-odds-extra", {"count": count}), chance)
            for count, chance in enumerate(chances.at_least[1:4], start=1)
        ]
        outcomes += [
            (Line("ebb-odds-near-miss"), chances.near_miss),
            (Line("ebb-odds-failure"), chances.failure),
            (Line("ebb-odds-automatic"), chances.automatic_failure),
            (Line("ebb-odds-fumble"), chances.fumble),
        ]
        return Odds(difficulty_line(target), chances.success, tuple(outcomes))


SYSTEM = Ebb()
