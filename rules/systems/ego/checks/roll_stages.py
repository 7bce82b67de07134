"""Reactions to rolls: changes of dice in the order of the rules (EGO-DIE-05, EGO-ADV-02)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar

from rules.core.memo import memo_by_identity
from rules.core.record import Record
from rules.systems.ego.character.combat_values import with_current_round, with_open_karma
from rules.systems.ego.character.sheet import EgoSheet
from rules.systems.ego.formulas import dice
from rules.systems.ego.formulas.dice import UNLUCKY, RerollSource, Throw
from rules.systems.ego.formulas.reference_rows import Rows, SpecialtyKind, Trait, rows_of, skills_of
from rules.table.blocks import Text
from rules.table.check import ANY_GM, Check, Choice, Cost
from rules.table.checks.procedure import CheckOption, StageResult
from rules.table.checks.shared_blocks import NumberChange
from rules.table.checks.stages import ProposalData, ReactionStage
from rules.table.system import Game

T = TypeVar("T")

LUCKY: Final = "Lucky"
#: Code of the event of a hit: who took how much damage, and what armor stopped.
HURT: Final = "ego-hurt"
#: Code of the event of a character that is dead or unconscious, or stays conscious.
DOWN: Final = "ego-hit-down"
#: One failed die as a success (EGO-KAR-03).
FLIP: Final = Cost("karma", 1)


def sources_of(sheet: EgoSheet, campaign: Rows, about: Iterable[str]) -> tuple[RerollSource, ...]:
    """Return the sources of re-rolls for a roll.

    `about` are the abilities in its pool, its topics, and a specialty that is rolled by itself.
    """
    about = tuple(about)
    owned = (*sheet.advantages, *sheet.disadvantages)
    traits, specialties = _rows_with_rerolls(campaign)
    sources: list[RerollSource] = []
    for trait in traits:
        if trait.when in about and trait.name in owned:
            sources.append(RerollSource(trait.name, owned.count(trait.name), trait.bad))
    for specialty in specialties:
        if specialty.name in about:
            sources.append(RerollSource(specialty.name, specialty.rerolls))
    return tuple(sources)


@memo_by_identity
def _rows_with_rerolls(campaign: Rows) -> tuple[list[Trait], list[SpecialtyKind]]:
    """Return the traits and the specialties that re-roll dice (EGO-ADV-02, EGO-SPC-03)."""
    specialties: list[SpecialtyKind] = []
    for skill in skills_of(campaign).values():
        specialties += [specialty for specialty in skill.specialties if specialty.rerolls]
    traits = [trait for trait in rows_of(campaign, "traits").values() if trait.when]
    return traits, specialties


class Trial(Record):
    """A roll that a character makes."""

    who: str
    what: str
    dice: int
    #: Successes needed; 0 if the roll has no number of its own.
    needed: int = 0
    #: Abilities whose dice are in the pool, and topics of the roll.
    about: tuple[str, ...] = ()
    #: Dice bought with Karma.
    karma: int = 0


def roll_trial(game: Game, check: Check[Any], trial: Trial) -> Throw:
    """Roll the dice of a character, with those of Karma that is paid for."""
    sheet, karma = game.sheet(trial.who), trial.karma
    sources = sources_of(sheet, game.campaign, trial.about)
    number = dice.pool_size(trial.dice, karma=karma)
    pool = dice.throw(game.rng_for(check, trial.who), number, karma, sources)
    spent = (sheet.karma + karma, sheet.karma) if karma else ()
    return Throw(trial.who, trial.what, pool, sources, spent)


class Trials(ProposalData):
    """Rolls of a check, their dice, and their results."""

    trials: tuple[Trial, ...] = ()
    throws: tuple[Throw, ...] = ()
    #: Numbers of sheets that have changed.
    shifts: tuple[NumberChange, ...] = ()
    #: Events in words.
    consequences: tuple[Text, ...] = ()
    #: Ids of the characters that roll to stay conscious.
    stays: tuple[str, ...] = ()
    #: Whether the results are applied.
    over: bool = False
    #: Dice bought with Karma.
    karma: int = 0
    #: Faces of the damage dice.
    faces: tuple[int, ...] = ()
    #: Damage that the dice come to.
    dealt: int = 0


def luck_left(sheet: EgoSheet, name: str) -> int:
    """Return how often luck still adds or takes a success in this session (EGO-ADV-02)."""
    if name == UNLUCKY:
        return sheet.disadvantages.count(name) - sheet.unlucky
    return sheet.advantages.count(name) - sheet.lucky


def _unlucky_option(throw: Throw, name: str) -> CheckOption:
    return CheckOption(
        f"unlucky:{throw.what}:{throw.who}",
        Text("ego-react", {"how": "unlucky", "name": name}),
        helps="losing",
    )


def most_added_successes(game: Game, check: Check[Any], throw: Throw) -> int:
    """Return how many successes re-rolls, a flip and luck can add to a throw at most."""
    game = with_current_round(game, throw.who, check.round)
    sheet: EgoSheet = game.sheet(throw.who)
    pool = throw.pool
    rerolled = 0
    for source in throw.sources:
        if not source.forced:
            left = source.dice - pool.used.count(source.name)
            rerolled += max(0, min(left, len(dice.rerollable(pool, source))))
    flips = bool(sheet.karma and dice.flippable(pool, flipped=sheet.round.flipped))
    lucky = dice.may_be_lucky(pool) and luck_left(sheet, LUCKY) > 0
    return rerolled + flips + lucky


class DiceReaction(ReactionStage[T]):
    """Changes of open dice, all in one prompt.

    Players change only their own dice. A GM may take a success from an unlucky character. The stage
    has the throws of the data for its `whats`. A stage without `whats` has those of the last roll,
    because the results of earlier rolls are applied.
    """

    whats: tuple[str, ...] = ()

    def mine(self, check: Check[Any], who: str | None = None) -> list[Throw]:
        """Return the open throws of this stage: all, or those of a character."""
        whats = self.whats or [trial.what for trial in check.data.trials[-1:]]
        throws = [throw for throw in check.data.throws if throw.what in whats]
        return [throw for throw in throws if who in (None, throw.who)]

    def is_settled(self, game: Game, check: Check[T]) -> bool:
        """Return whether it is public that no change could make a difference any more."""
        return False

    def reactors(self, game: Game, check: Check[T]) -> tuple[str, ...]:
        """Return the characters that have thrown dice.

        Only their own players know whether they have Karma or luck left.
        """
        if self.is_settled(game, check):
            return ()
        thrown = dict.fromkeys([throw.who for throw in self.mine(check) if throw.pool.faces])
        present = [game.character(who) for who in thrown if who in game.state.characters]
        if check.visibility == "blind":  # Only GMs see the dice.
            present = [character for character in present if character.owner is None]
        return tuple(character.id for character in present)

    def has_means(self, game: Game, check: Check[T], who: str, /) -> bool:
        throws, game = self.mine(check, who), with_open_karma(game, who, check.id)
        return any(any(True for _ in self._ways(game, check, throw)) for throw in throws)

    def other_reactors(self, game: Game, check: Check[T]) -> tuple[str, ...]:
        unlucky = any(luck_left(game.sheet(throw.who), UNLUCKY) > 0 for throw in self.mine(check))
        return (ANY_GM,) if unlucky and self.reactors(game, check) else ()

    def reaction_options(self, game: Game, check: Check[T], who: str) -> tuple[CheckOption, ...]:
        if who != ANY_GM:
            options: list[CheckOption] = []
            for throw in self.mine(check, who):
                options += self._ways(game, check, throw)
            return tuple(options)
        successful = [throw for throw in self.mine(check) if throw.pool.successes > 0]
        able = [throw for throw in successful if dice.may_be_unlucky(throw.pool)]
        unlucky = [throw for throw in able if luck_left(game.sheet(throw.who), UNLUCKY) > 0]
        return tuple(_unlucky_option(throw, game.character(throw.who).name) for throw in unlucky)

    def _ways(self, game: Game, check: Check[T], throw: Throw) -> Iterable[CheckOption]:
        """List the changes of a throw that are possible now, in the order of the rules."""
        game = with_current_round(game, throw.who, check.round)
        sheet: EgoSheet = game.sheet(throw.who)
        what = {"what": throw.what if len(self.mine(check, throw.who)) > 1 else None}
        for source in dice.open_rerolls(throw.pool, throw.sources):
            shown = {**what, "how": "reroll", "source": source.name}
            yield CheckOption(
                f"reroll:{throw.what}:{source.name}", Text("ego-react", shown), helps="losing"
            )
        if not throw.pool.faces:
            return
        if sheet.karma and dice.flippable(throw.pool, flipped=sheet.round.flipped):
            shown = {**what, "how": "flip", "karma": sheet.karma}
            yield CheckOption(f"flip:{throw.what}:", Text("ego-react", shown), cost=FLIP)
        if dice.may_be_lucky(throw.pool) and (left := luck_left(sheet, LUCKY)) > 0:
            yield CheckOption(
                f"lucky:{throw.what}:",
                Text("ego-react", {**what, "how": "lucky", "left": left}),
                helps="losing",
            )

    def apply_reaction(self, game: Game, check: Check[T], choice: Choice) -> StageResult[T]:
        how, what, name = choice.option.split(":", 2)
        who = name if how == "unlucky" else choice.who
        throw = next(throw for throw in self.mine(check, who) if throw.what == what)
        game = with_current_round(game, who, check.round)
        sheet: EgoSheet = game.sheet(who)
        pool, spent = throw.pool, throw.karma
        if how == "reroll":
            source = next(source for source in throw.sources if source.name == name)
            die = dice.rerollable(pool, source)[0]
            pool = dice.reroll(pool, source, die, game.rng_for(check, who))
        elif how == "flip":
            pool = dice.flip(pool)
            flipped = sheet.round.replace(flipped=check.round is not None)
            sheet = sheet.replace(round=flipped)
            spent = (throw.karma or (sheet.karma + FLIP.amount,))[0], sheet.karma
        elif how == "lucky":
            pool, sheet = dice.add_lucky_success(pool), sheet.replace(lucky=sheet.lucky + 1)
        else:
            pool, sheet = dice.take_unlucky_success(pool), sheet.replace(unlucky=sheet.unlucky + 1)
        data: Any = check.data
        now = throw.replace(pool=pool, karma=spent)
        throws = tuple(now if other is throw else other for other in data.throws)
        data = data.replace(throws=throws)
        shown = {
            "how": how,
            "source": name if how == "reroll" else None,
            "successes": pool.successes,
        }
        return StageResult(game.with_sheet(who, sheet).state, data, said=Text("ego-changed", shown))
