"""The course of the dice pool's challenges, from the proposal to what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rules.core.errors import Impossible
from rules.core.rng import Rng
from rules.systems.barmore import chances, check, describe, harm
from rules.systems.barmore.campaign import DEFAULT, Campaign
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
from rules.systems.barmore.options import Options, asking, gm_form, player_form
from rules.systems.barmore.proposal import resistances
from rules.table.actions import Answer, Defend, Join, Propose, Revise
from rules.table.events import Line
from rules.table.state import (
    AnyChallenge,
    AnyCharacter,
    AnyHelper,
    HitDefault,
    Kind,
    Side,
)
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

#: Difficulties worth offering.
_OFFERED = (5, 10, 15, 20, 25, 30, 40)
#: What may be chosen anew once the Difficulty is known, before the roll (BAR-DIE, BAR-POOL, BAR-AUTO).
_DIE, _CONVERT = "die", "convert"
_NO_DICE = "no dice"


class BarmoreCourse:
    """The course of challenges at one table: with its `campaign`, at `time` (minutes since the story began)."""

    kinds: frozenset[Kind] = frozenset(("check", "attack", "treat", "rest", "contest", "team"))
    needs_approach = False
    reacts = False

    def __init__(self, campaign: Campaign = DEFAULT, time: int = 0) -> None:
        self.campaign = campaign
        self.time = time

    def difficulties(self, target: AnyCharacter | None = None) -> tuple[Choice, ...]:
        plain = tuple(Choice(str(number), describe.difficulty_line(number)) for number in _OFFERED)
        if target is None:
            return plain
        against = resistances(target.sheet, self.campaign)
        there = {choice.value for choice in against}
        return (*against, *(choice for choice in plain if choice.value not in there))

    def options(
        self,
        *,
        gm: bool,
        character: AnyCharacter | None = None,
        kind: Kind | None = None,
        mode: str = "",
    ) -> tuple[Choice, ...]:
        form = gm_form(kind, mode) if gm else player_form(kind)
        return form.offers(asking(self.campaign, None if character is None else character.sheet))

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

    def disallowable(self, challenge: BarChallenge) -> tuple[Choice, ...]:
        found = list(self.justifications(challenge))
        for behind, request in _brought(challenge):
            if request.options.support is not None:
                support = Line("bar-disallow-support", {"name": request.options.support})
                found.append(Choice(check.JUSTIFICATION_SUPPORT + behind, support))
        return tuple(found)

    def justifications(self, challenge: BarChallenge) -> tuple[Choice, ...]:
        return tuple(
            Choice(
                justification.kind + behind,
                Line("bar-justification", {"name": justification.wanted, "used": justification.used}),
            )
            for behind, request in _brought(challenge)
            for justification in request.justifications
        )

    def propose(self, character: BarCharacter, action: Propose) -> BarRequest:
        return check.propose(character.sheet, self.campaign, action)

    def revise(self, character: BarCharacter, challenge: BarChallenge, action: Revise) -> BarRequest:
        return check.revise(character.sheet, self.campaign, challenge.request, action, challenge.kind)

    def proposed_traits(self, challenge: BarChallenge) -> tuple[str | None, str | None]:
        return challenge.request.ability, challenge.request.attribute

    def suggest(self, challenge: BarChallenge) -> tuple[str | None, tuple[str, ...], int]:
        of = challenge.request if challenge.ruling is None else challenge.ruling
        form = gm_form(challenge.kind, challenge.tool)
        words = form.write_words(form.said(of.options))
        return None if of.difficulty is None else str(of.difficulty), words, of.modifier

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

    def defence_options(self) -> tuple[Choice, ...]:
        return player_form("contest").offers(asking(self.campaign))

    def defend(self, character: BarCharacter, action: Defend) -> BarRequest:
        return check.join(character.sheet, self.campaign, action)

    def require_defence(self, target: BarCharacter, challenge: BarChallenge) -> None:
        if challenge.defence is not None:
            find_traits(target.sheet, self.campaign, challenge.defence)

    def join(self, character: BarCharacter, challenge: BarChallenge, action: Join) -> BarRequest:
        return check.join(character.sheet, self.campaign, action)

    def require_team(self, cast: Cast, challenge: BarChallenge) -> None:
        check.require_team(cast, self.campaign, challenge)

    def require_help(self, character: AnyCharacter, challenge: AnyChallenge, helper: AnyHelper) -> None:
        return None

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
        hurried = min(0, check.ruling_of(challenge).options.dice()[0])
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
        form = player_form(challenge.kind)
        said = form.said(challenge.request.options)
        for key in (_DIE, _NO_DICE) if what == _DIE else (_CONVERT,):
            said.pop(key, None)
        if what != _CONVERT or choice != "0":
            word = _NO_DICE if choice == _NO_DICE else f"{what}: {choice or ''}"
            said |= form.read_words((word,), asking(self.campaign))
        request = replace(challenge.request, options=form.make(Options, said))
        build(character.sheet, self.campaign, request, check.ruling_of(challenge))
        line = Line(f"bar-chosen-{what}", {"choice": choice or "0"})
        return Spent(None, character, line, request=request)

    def succeeded(self, challenge: BarChallenge) -> bool:
        return check.succeeded(challenge)

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

    def injuries(self, target: BarCharacter) -> tuple[Choice, ...]:
        return harm.injuries(target)

    def find_injury(self, target: BarCharacter, text: str) -> str:
        return harm.find_injury(target, text)

    def healed(
        self, challenge: BarChallenge, target: BarCharacter
    ) -> tuple[BarCharacter, tuple[Line, ...]] | None:
        return harm.healed(challenge, target, self.campaign, self.time)

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

    def describe(self, cast: Cast, challenge: BarChallenge, *, gm: bool) -> Described:
        return describe.describe_check(cast, self.campaign, challenge, gm=gm)

    def odds_table(self, character: BarCharacter, action: Propose, difficulty: str) -> OddsTable:
        return chances.odds_table(character.sheet, self.campaign, action, difficulty)

    def odds_of(self, cast: Cast, challenge: BarChallenge) -> OddsTable:
        return chances.odds_of(cast, self.campaign, challenge)

    def why_not_spend(self, character: BarCharacter, challenge: BarChallenge) -> Line:
        return Line("bar-nothing-to-spend")


def _brought(challenge: BarChallenge) -> tuple[tuple[str, BarRequest], ...]:
    """What everybody brings, each with what stands behind a refusal of it."""
    found = [("", challenge.request)]
    if challenge.defence is not None:
        found.append((f".{check.OTHER_SIDE}", challenge.defence))
    found += [(f".{helper.character}", helper.request) for helper in challenge.helpers]
    return tuple(found)
