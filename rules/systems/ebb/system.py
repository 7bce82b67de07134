"""EBB as the table sees it: one object that answers what only this system knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rules.core.rng import Rng
from rules.systems.ebb import chances, check, creation, fate, gm_tools, injury, opposed
from rules.systems.ebb.check import EbbChallenge, EbbCharacter, EbbRequest, EbbRolled, EbbRuling, ruling_words
from rules.systems.ebb.describe import (
    describe_character,
    describe_check,
    describe_defence,
    difficulty_line,
)
from rules.systems.ebb.generators import produce
from rules.systems.ebb.health import health
from rules.systems.ebb.initiative import roll_initiative
from rules.systems.ebb.ladder import difficulty_at
from rules.systems.ebb.options import option_choices, write_options
from rules.systems.ebb.sheet import (
    EbbSheet,
    effective_attribute,
    find_ability,
    read_sheet,
    trait_values,
    write_sheet,
)
from rules.systems.ebb.tables import ATTRIBUTES, LADDER, LEVEL_STEP
from rules.table.actions import Advance, Answer, Defend, Learn, Propose, Revise
from rules.table.events import Line
from rules.table.plain import Plain
from rules.table.state import AnyCharacter, HitDefault, Kind, Side
from rules.table.system import (
    Cast,
    Choice,
    Creation,
    CreationStep,
    Described,
    Growth,
    HealMethod,
    HitChoice,
    Initiative,
    Kinds,
    OddsTable,
    Product,
    SpendOption,
    Spent,
)

#: How many levels beyond the named ones are offered.
_BEYOND = 3


class Ebb(Plain):
    """The EBB system."""

    key = "ebb"
    name = "EBB"
    playable = True
    version = 2
    needs_approach = True
    kinds = Kinds(EbbSheet, EbbRequest, EbbRuling, EbbRolled)

    def read_character(self, data: Mapping[str, object], *, new: bool) -> tuple[str, EbbSheet]:
        return read_sheet(data, new=new)

    def write_character(self, character: EbbCharacter) -> dict[str, object]:
        return write_sheet(character.name, character.sheet)

    def describe_character(self, character: EbbCharacter) -> tuple[Line, ...]:
        return describe_character(character)

    def values(self, character: EbbCharacter) -> Mapping[str, str]:
        return trait_values(character.sheet)

    def blank_sheet(self) -> EbbSheet:
        return EbbSheet()

    def health(self, character: EbbCharacter, *, full: bool) -> tuple[Line, ...]:
        return health(character.sheet, full=full)

    def roster(self) -> tuple[dict[str, object], ...]:
        return creation.roster()

    def creation_steps(self) -> tuple[CreationStep, ...]:
        return creation.STEPS

    def read_creation(self, values: Mapping[str, str], character: EbbCharacter | None = None) -> Creation:
        return creation.read_creation(values, character)

    def write_creation(self, character: EbbCharacter) -> dict[str, str]:
        return creation.write_creation(character)

    def learn(self, character: EbbCharacter, action: Learn) -> Growth:
        return fate.learn(character, action)

    def advance(self, character: EbbCharacter, action: Advance) -> Growth:
        return fate.advance(character, action)

    def advances(self, character: EbbCharacter) -> tuple[Choice, ...]:
        return fate.advances(character.sheet)

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
        return option_choices(gm=gm)

    def disallowable(self, challenge: EbbChallenge) -> tuple[Choice, ...]:
        request = challenge.request
        found: list[Choice] = []
        if request.ability is not None:
            found.append(Choice("ability", Line("ebb-disallow", {"name": request.ability})))
        if request.attribute is not None:
            found.append(Choice("attribute", Line("ebb-disallow", {"name": request.attribute})))
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
        words = write_options(adjustments)
        if ruling is not None:
            words += ruling_words(ruling)
        return difficulty, words, adjustments.bonus

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
        return opposed.defence_options()

    def defend(self, character: EbbCharacter, action: Defend) -> EbbRequest:
        return opposed.defend(character.sheet, action)

    def require_defence(self, target: EbbCharacter, challenge: EbbChallenge) -> None:
        if challenge.defence is not None and challenge.defence.ability is not None:
            find_ability(target.sheet, challenge.defence.ability)

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

    def belongings(self, character: EbbCharacter) -> tuple[str, ...]:
        return character.sheet.equipment

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

    def describe(self, cast: Cast, challenge: EbbChallenge, *, gm: bool) -> Described:
        return describe_check(cast.actor, challenge, gm=gm)

    def initiative(self, character: EbbCharacter, rng: Rng, *, house: bool) -> Initiative | None:
        return roll_initiative(character.sheet, rng) if house else None

    def session_end(self, character: EbbCharacter) -> tuple[EbbCharacter, tuple[Line, ...]]:
        sheet, lines = gm_tools.session_end(character.name, character.sheet)
        return (replace(character, sheet=sheet), lines) if lines else (character, ())

    def awards(self) -> tuple[Choice, ...]:
        return gm_tools.awards()

    def award(self, character: EbbCharacter, kind: str, amount: int) -> tuple[EbbCharacter, Line]:
        sheet, line = gm_tools.award(character.name, character.sheet, kind, amount)
        return replace(character, sheet=sheet), line

    def adjustables(self, character: EbbCharacter) -> tuple[Choice, ...]:
        return gm_tools.adjustables(character.sheet)

    def adjust_values(self, character: EbbCharacter, what: str) -> tuple[Choice, ...]:
        return gm_tools.adjust_values(character.sheet, what)

    def adjust(self, character: EbbCharacter, what: str, value: str) -> tuple[EbbCharacter, Line]:
        sheet, line = gm_tools.adjust(character.sheet, what, value)
        return replace(character, sheet=sheet), line

    def odds_table(self, character: EbbCharacter, action: Propose, difficulty: str) -> OddsTable:
        return chances.odds_table(character.sheet, action, difficulty)

    def odds_of(self, cast: Cast, challenge: EbbChallenge) -> OddsTable:
        return chances.odds_of(cast.actor.sheet, challenge)

    def why_not_spend(self, character: EbbCharacter, challenge: EbbChallenge) -> Line:
        return chances.why_not_spend(character.sheet, challenge)

    def produce(self, what: str, rng: Rng) -> Product:
        return produce(what, rng)


SYSTEM = Ebb()
