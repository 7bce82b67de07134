"""Barmore's dice pool as the table sees it: one object that answers what only this system knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NoReturn

from rules.core.errors import Impossible
from rules.core.rng import Rng
from rules.systems.barmore import chances, check, creation, describe, gm_tools, harm
from rules.systems.barmore.acts import BeginAction, begin_action
from rules.systems.barmore.campaign import DEFAULT, Campaign, describe_campaign, read_campaign, write_campaign
from rules.systems.barmore.check import (
    BarChallenge,
    BarCharacter,
    BarRequest,
    BarRolled,
    BarRuling,
    build,
    find_traits,
)
from rules.systems.barmore.dice import DIE_TYPES
from rules.systems.barmore.options import (
    GmOptions,
    Options,
    choices,
    read_options,
    write_gm_options,
    write_options,
)
from rules.systems.barmore.sheet import BarSheet, attribute_score, read_sheet, write_sheet
from rules.systems.barmore.tables import PHASE_ATTRIBUTES
from rules.systems.barmore.task import no_dice_total
from rules.systems.barmore.tasks import (
    PREFIX,
    DropTask,
    RollTask,
    StartTask,
    Task,
    TaskChanged,
    drop_task,
    roll_task,
    start_task,
    stranded_tasks,
)
from rules.systems.barmore.traits import Tree, resolve_trait
from rules.systems.barmore.wounds import incapacitated
from rules.table.actions import Action, Advance, Answer, Defend, Join, Learn, Propose, Revise
from rules.table.events import Event, Line
from rules.table.plain import Plain
from rules.table.state import AnyCharacter, AnyHelper, HitDefault, Kind, Side, TableState
from rules.table.system import (
    Cast,
    Choice,
    Creation,
    CreationStep,
    Described,
    Growth,
    Handler,
    HealMethod,
    HitChoice,
    Initiative,
    Kinds,
    OddsTable,
    Product,
    SpendOption,
    Spent,
)

#: Difficulties worth offering.
_OFFERED = (5, 10, 15, 20, 25, 30, 40)
_HANDLERS: dict[type[Action], Handler] = {
    StartTask: start_task,
    RollTask: roll_task,
    DropTask: drop_task,
    BeginAction: begin_action,
}
#: What may be chosen anew once the Difficulty is known, before the roll (BAR-DIE, BAR-POOL, BAR-AUTO).
_DIE, _CONVERT = "die", "convert"
_NO_DICE = "no dice"


class Barmore(Plain):
    """The dice pool system of one table: with its `campaign`, at `time` (minutes since the story began)."""

    key = "barmore"
    name = "Barmore's dice pool"
    playable = True
    version = 3
    kinds = Kinds(BarSheet, BarRequest, BarRuling, BarRolled, Campaign, {PREFIX: Task})
    handlers: Mapping[type[Action], Handler] = _HANDLERS
    events: tuple[type[Event], ...] = (TaskChanged,)
    challenges: frozenset[Kind] = frozenset(("check", "attack", "treat", "rest", "contest", "team"))
    timeline = True
    reacts = False
    #: Nothing is spent on dice that have fallen, phases make the order, and a hit leaves no choice.
    unused_settings = frozenset(("window", "house_initiative", "hit_default", "hit_window"))

    def __init__(self, campaign: Campaign = DEFAULT, time: int = 0) -> None:
        self.campaign = campaign
        self.time = time

    def at(self, campaign: Campaign | None, time: int) -> Barmore:
        return Barmore(campaign or DEFAULT, time)

    # --- the campaign ---------------------------------------------------------------------------------------

    def read_campaign(self, data: Mapping[str, object]) -> Campaign:
        return read_campaign(data)

    def write_campaign(self) -> dict[str, object]:
        return write_campaign(self.campaign)

    def describe_campaign(self) -> tuple[Line, ...]:
        return describe_campaign(self.campaign)

    # --- characters -----------------------------------------------------------------------------------------

    def read_character(self, data: Mapping[str, object], *, new: bool) -> tuple[str, BarSheet]:
        return read_sheet(data, self.campaign)

    def write_character(self, character: BarCharacter) -> dict[str, object]:
        return write_sheet(character.name, character.sheet)

    def describe_character(self, character: BarCharacter) -> tuple[Line, ...]:
        return describe.describe_character(character, self.campaign)

    def values(self, character: BarCharacter) -> Mapping[str, str]:
        scores = (*character.sheet.attributes, *character.sheet.abilities)
        return {name: str(score) for name, score in scores}

    def blank_sheet(self) -> BarSheet:
        return BarSheet()

    def health(self, character: BarCharacter, *, full: bool) -> tuple[Line, ...]:
        return harm.health(character.sheet, self.campaign, full=full)

    def roster(self) -> tuple[dict[str, object], ...]:
        return creation.roster(self.campaign)

    def creation_steps(self) -> tuple[CreationStep, ...]:
        return creation.STEPS

    def read_creation(self, values: Mapping[str, str], character: BarCharacter | None = None) -> Creation:
        return creation.read_creation(values, self.campaign, character)

    def write_creation(self, character: BarCharacter) -> dict[str, str]:
        return creation.write_creation(character)

    def learn(self, character: BarCharacter, action: Learn) -> Growth:
        _no_growth()

    def advance(self, character: BarCharacter, action: Advance) -> Growth:
        _no_growth()

    def time_passed(self, character: BarCharacter) -> tuple[BarCharacter, tuple[Line, ...]]:
        return harm.time_passed(character, self.campaign, self.time)

    def award(self, character: BarCharacter, kind: str, amount: int) -> tuple[BarCharacter, Line]:
        raise Impossible("nothing-to-award")

    def produce(self, what: str, rng: Rng) -> Product:
        raise Impossible("not-in-these-rules", name=self.name)

    def adjustables(self, character: BarCharacter) -> tuple[Choice, ...]:
        return gm_tools.adjustables(character.sheet)

    def adjust_values(self, character: BarCharacter, what: str) -> tuple[Choice, ...]:
        return gm_tools.adjust_values(character.sheet, what)

    def adjust(self, character: BarCharacter, what: str, value: str) -> tuple[BarCharacter, Line]:
        return gm_tools.adjust(character, self.campaign, what, value, self.time)

    def initiative(self, character: BarCharacter, rng: Rng, *, house: bool) -> Initiative:
        score = attribute_score(character.sheet, self.campaign, PHASE_ATTRIBUTES[0])
        return Initiative(score, 0, (), Line("bar-initiative", {"name": PHASE_ATTRIBUTES[0], "score": score}))

    # --- proposals ------------------------------------------------------------------------------------------

    def skills(self, character: BarCharacter) -> tuple[Choice, ...]:
        return _offered(self.campaign.traits.abilities, dict(character.sheet.abilities))

    def attributes(self, character: BarCharacter) -> tuple[Choice, ...]:
        return _offered(self.campaign.traits.attributes, dict(character.sheet.attributes))

    def difficulties(self, target: AnyCharacter | None = None) -> tuple[Choice, ...]:
        plain = tuple(Choice(str(number), describe.difficulty_line(number)) for number in _OFFERED)
        if target is None:
            return plain
        against = self._resistance(target)
        there = {choice.value for choice in against}
        return (*against, *(choice for choice in plain if choice.value not in there))

    def _resistance(self, target: BarCharacter) -> tuple[Choice, ...]:
        """What somebody who does not roll can set against it, the most first; nothing where Wounds leave nothing.

        With no trait, and with the best abilities beside Reaction Time or Speed (BAR-AUTO, BAR-OPPOSED, BAR-TRAUMA).
        """
        sheet: BarSheet = target.sheet
        if incapacitated(sheet.wounds, "physical"):
            return ()
        best = sorted(sheet.abilities, key=lambda each: -each[1])[:5]
        named = ((ability, attribute) for ability, _ in best for attribute in PHASE_ATTRIBUTES[:2])
        found: dict[int, Line] = {}
        for ability, attribute in ((None, None), *named):
            request = BarRequest(ability, attribute, None, Options())
            total = no_dice_total(build(sheet, self.campaign, request).pool)
            bare = Line("bar-resists-bare", {"value": total})
            with_ = Line("bar-resists", {"value": total, "ability": ability, "attribute": attribute})
            found.setdefault(total, bare if ability is None else with_)
        return tuple(Choice(str(total), found[total]) for total in sorted(found, reverse=True))

    def options(
        self,
        *,
        gm: bool,
        character: AnyCharacter | None = None,
        kind: Kind | None = None,
        mode: str = "",
    ) -> tuple[Choice, ...]:
        sheet = None if character is None else character.sheet
        return choices(self.campaign, sheet, gm=gm, kind=kind, mode=mode)

    def defence_options(self) -> tuple[Choice, ...]:
        return choices(self.campaign, None, gm=False, kind="contest")

    def disallowable(self, challenge: BarChallenge) -> tuple[Choice, ...]:
        found = list(self.justifications(challenge))
        for behind, request in _brought(challenge):
            if request.options.support is not None:
                support = Line("bar-disallow-support", {"name": request.options.support})
                found.append(Choice(check.JUSTIFICATION_SUPPORT + behind, support))
        return tuple(found)

    def justifications(self, challenge: BarChallenge) -> tuple[Choice, ...]:
        return tuple(
            Choice(each.kind + behind, Line("bar-justification", {"name": each.wanted, "used": each.used}))
            for behind, request in _brought(challenge)
            for each in request.justifications
        )

    def modes(self, kind: Kind) -> tuple[Choice, ...]:
        return tuple(
            Choice(mode, Line(f"bar-how-{mode.replace('_', '-')}")) for mode in check.MODES.get(kind, ())
        )

    def find_mode(self, kind: Kind, text: str) -> str:
        return check.find_mode(kind, text)

    def opposes(self, kind: Kind, target: BarCharacter, mode: str) -> bool:
        return check.opposes(self.campaign, kind, target, mode)

    def measured(self, challenge: BarChallenge) -> bool:
        return check.measured(challenge)

    def propose(self, character: BarCharacter, action: Propose) -> BarRequest:
        return check.propose(character.sheet, self.campaign, action)

    def revise(self, character: BarCharacter, challenge: BarChallenge, action: Revise) -> BarRequest:
        return check.revise(character.sheet, self.campaign, challenge.request, action, challenge.kind)

    def proposed_traits(self, challenge: BarChallenge) -> tuple[str | None, str | None]:
        return challenge.request.ability, challenge.request.attribute

    def suggest(self, challenge: BarChallenge) -> tuple[str | None, tuple[str, ...], int]:
        request, ruling = challenge.request, challenge.ruling
        if ruling is not None:
            difficulty = None if ruling.difficulty is None else str(ruling.difficulty)
            return difficulty, write_gm_options(ruling.options), ruling.modifier
        asked = None if request.difficulty is None else str(request.difficulty)
        granted = write_gm_options(GmOptions(pace=request.options.pace))
        return asked, granted, request.modifier

    def refused(self, challenge: BarChallenge) -> tuple[str, ...]:
        return () if challenge.ruling is None else challenge.ruling.refused

    def rule(self, character: BarCharacter, challenge: BarChallenge, answer: Answer) -> BarRuling:
        ruling = check.rule(challenge, answer)
        build(character.sheet, self.campaign, challenge.request, ruling)
        return ruling

    def require_traits(self, character: BarCharacter, challenge: BarChallenge) -> None:
        find_traits(character.sheet, self.campaign, challenge.request)
        for helper in challenge.helpers:
            check.read_traits(self.campaign, helper.request.ability, helper.request.attribute)

    def against(self, challenge: BarChallenge) -> int:
        return 0 if challenge.ruling is None else challenge.ruling.against

    def defend(self, character: BarCharacter, action: Defend) -> BarRequest:
        return check.join(character.sheet, self.campaign, action)

    def require_defence(self, target: BarCharacter, challenge: BarChallenge) -> None:
        if challenge.defence is not None:
            find_traits(target.sheet, self.campaign, challenge.defence)

    def join(self, character: BarCharacter, challenge: BarChallenge, action: Join) -> BarRequest:
        return check.join(character.sheet, self.campaign, action)

    def stranded(self, state: TableState) -> Mapping[str, str]:
        return stranded_tasks(state, self.campaign)

    def require_team(self, cast: Cast, challenge: BarChallenge) -> None:
        check.require_team(cast, self.campaign, challenge)

    # --- the dice -------------------------------------------------------------------------------------------

    def roll(self, cast: Cast, challenge: BarChallenge, rng: Rng) -> BarRolled:
        return check.roll(cast, self.campaign, challenge, rng)

    def spends(
        self, character: BarCharacter, challenge: BarChallenge, side: Side = "actor"
    ) -> tuple[SpendOption, ...]:
        """Nothing is spent here; but now that the Difficulty is known, the die may be chosen (BAR-DIE)."""
        if challenge.status != "answered" or challenge.opposed or challenge.answer == "margin-only":
            return ()
        options = challenge.request.options
        dice = [die for die in DIE_TYPES if options.no_dice or die != options.die]
        if self.campaign.dice_phobes and not options.no_dice:
            dice.append(_NO_DICE)
        found = [SpendOption(_DIE, Line("bar-choose-die"), tuple(dice))]
        ability = find_traits(
            character.sheet, self.campaign, challenge.request, check.ruling_of(challenge).refused
        ).ability
        hurried = min(0, check.ruling_of(challenge).options.pace.dice()[0])
        most = max(0, (0 if ability is None else ability.score) + hurried)
        counts = tuple(str(count) for count in range(most + 1) if count != options.convert)
        if counts and (most or options.convert):
            found.append(SpendOption(_CONVERT, Line("bar-choose-convert"), counts))
        return tuple(found)

    def spend(
        self,
        character: BarCharacter,
        challenge: BarChallenge,
        what: str,
        choice: str | None,
        rng: Rng,
        side: Side = "actor",
    ) -> Spent:
        if challenge.status != "answered" or challenge.opposed or what not in (_DIE, _CONVERT):
            raise Impossible("choose-before-roll", check=challenge.id)
        words = tuple(
            word
            for word in write_options(challenge.request.options)
            if not word.startswith(("die", "no dice") if what == _DIE else "convert")
        )
        if choice == _NO_DICE:
            words = (*words, _NO_DICE)
        elif what != _CONVERT or choice != "0":
            words = (*words, f"{what}: {choice or ''}")
        request = replace(challenge.request, options=read_options(words, self.campaign))
        build(character.sheet, self.campaign, request, check.ruling_of(challenge))
        line = Line(f"bar-chosen-{what}", {"choice": choice or "0"})
        return Spent(None, character, line, request=request)

    def why_not_spend(self, character: BarCharacter, challenge: BarChallenge) -> Line:
        return Line("bar-nothing-to-spend")

    def succeeded(self, challenge: BarChallenge) -> bool:
        return check.succeeded(challenge)

    # --- hits and recovery ----------------------------------------------------------------------------------

    def hit_choices(self, target: BarCharacter, challenge: BarChallenge) -> tuple[HitChoice, ...]:
        return harm.hit_choices(challenge)

    def default_hit(self, target: BarCharacter, challenge: BarChallenge, default: HitDefault) -> str:
        return harm.WOUND

    def take_hit(
        self, target: BarCharacter, challenge: BarChallenge, choice: str, words: Mapping[str, str]
    ) -> tuple[BarCharacter, Line]:
        healed = harm.time_passed(target, self.campaign, self.time)[0]
        return harm.take_hit(healed, self.campaign, challenge, self.time)

    def heal_methods(self) -> tuple[HealMethod, ...]:
        return harm.heal_methods()

    def belongings(self, character: BarCharacter) -> tuple[str, ...]:
        sheet: BarSheet = character.sheet
        return (*(weapon.name for weapon in sheet.weapons), *sheet.equipment)

    def injuries(self, target: BarCharacter) -> tuple[Choice, ...]:
        return harm.injuries(target)

    def find_injury(self, target: BarCharacter, text: str) -> str:
        return harm.find_injury(target, text)

    def healed(
        self, challenge: BarChallenge, target: BarCharacter
    ) -> tuple[BarCharacter, tuple[Line, ...]] | None:
        return harm.healed(challenge, target, self.campaign, self.time)

    # --- words ----------------------------------------------------------------------------------------------

    def describe(self, cast: Cast, challenge: BarChallenge, *, gm: bool) -> Described:
        return describe.describe_check(cast, self.campaign, challenge, gm=gm)

    def describe_other(self, target: BarCharacter, challenge: BarChallenge) -> Described:
        return describe.describe_defence(target, self.campaign, challenge)

    def describe_helper(
        self,
        character: BarCharacter,
        challenge: BarChallenge,
        helper: AnyHelper,
        *,
        gm: bool,
    ) -> Described:
        return describe.describe_helper(character, self.campaign, challenge, helper.request, gm=gm)

    def odds_table(self, character: BarCharacter, action: Propose, difficulty: str) -> OddsTable:
        return chances.odds_table(character.sheet, self.campaign, action, difficulty)

    def odds_of(self, cast: Cast, challenge: BarChallenge) -> OddsTable:
        return chances.odds_of(cast, self.campaign, challenge)


def _brought(challenge: BarChallenge) -> tuple[tuple[str, BarRequest], ...]:
    """What everybody brings, each with what stands behind a refusal of it."""
    found = [("", challenge.request)]
    if challenge.defence is not None:
        found.append((f".{check.OTHER_SIDE}", challenge.defence))
    found += [(f".{helper.character}", helper.request) for helper in challenge.helpers]
    return tuple(found)


def _no_growth() -> NoReturn:
    raise Impossible("no-price-for-growth")


def _offered(tree: Tree, scores: Mapping[str, int]) -> tuple[Choice, ...]:
    """Every trait of a tree with the score that counts for it: own scores first, then what stands in (BAR-TRAIT)."""
    found = [resolve_trait(tree, scores, node.name) for node in tree.nodes]
    ranks = {"own": 0, "ancestor": 1, "none": 2}
    found.sort(key=lambda each: (ranks.get(each.via, 2), -each.score))
    return tuple(
        Choice(
            each.wanted,
            Line(
                "bar-trait-choice",
                {"name": each.wanted, "used": each.used, "score": each.score, "via": each.via},
            ),
        )
        for each in found
    )


SYSTEM = Barmore()
