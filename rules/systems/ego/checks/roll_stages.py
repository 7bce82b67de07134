"""Dice that lie open, changed by whoever threw them in the order that the rules give (EGO-DIE-05,
EGO-ADV-02).
"""

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
#: What is told of a hit: who took how much of it, and what armor stopped.
HURT: Final = "ego-hurt"
#: One failed die as a success (EGO-KAR-03).
FLIP: Final = Cost("karma", 1)


def sources_of(sheet: EgoSheet, campaign: Rows, about: Iterable[str]) -> tuple[RerollSource, ...]:
    """What may re-roll dice of a roll: `about` are the abilities whose dice are in it, and what it
    deals with.

    A specialty that is rolled by itself is among them.
    """
    about, taken = tuple(about), (*sheet.advantages, *sheet.disadvantages)
    traits, special = _that_re_roll(campaign)
    again = [each for each in traits if each.when in about and each.name in taken]
    found = [RerollSource(each.name, taken.count(each.name), each.bad) for each in again]
    own = [RerollSource(each.name, each.rerolls) for each in special if each.name in about]
    return (*found, *own)


@memo_by_identity
def _that_re_roll(campaign: Rows) -> tuple[list[Trait], list[SpecialtyKind]]:
    """The traits, and the specialties, that do so (EGO-ADV-02, EGO-SPC-03)."""
    special = [
        each for skill in skills_of(campaign).values() for each in skill.specialties if each.rerolls
    ]
    return [each for each in rows_of(campaign, "traits").values() if each.when], special


class Trial(Record):
    """Somebody rolls so many dice against a number; `about` are the abilities whose dice are among
    them.
    """

    who: str
    what: str
    dice: int
    needed: int = 0
    about: tuple[str, ...] = ()
    karma: int = 0


def roll_trial(game: Game, check: Check[Any], trial: Trial) -> Throw:
    """Dice of somebody, with those of Karma that is paid for."""
    sheet, karma = game.sheet(trial.who), trial.karma
    sources = sources_of(sheet, game.campaign, trial.about)
    pool = dice.throw(
        game.rng_for(check, trial.who), dice.pool_size(trial.dice, karma=karma), karma, sources
    )
    return Throw(
        trial.who, trial.what, pool, sources, (sheet.karma + karma, sheet.karma) if karma else ()
    )


class Trials(ProposalData):
    """What is rolled, the dice as they lie, and what came of it.

    `karma` are dice that were bought for it, `shifts` numbers that have changed, `came` what
    happened in words, `over` tells that it has been done. `stays` are those who roll to stay
    conscious. `faces` are dice of damage, and `dealt` what they come to.
    """

    trials: tuple[Trial, ...] = ()
    throws: tuple[Throw, ...] = ()
    shifts: tuple[NumberChange, ...] = ()
    came: tuple[Text, ...] = ()
    stays: tuple[str, ...] = ()
    over: bool = False
    karma: int = 0
    faces: tuple[int, ...] = ()
    dealt: int = 0


def luck_left(sheet: EgoSheet, name: str) -> int:
    """How often a session still has it that a success is added, or taken away (EGO-ADV-02)."""
    bad = name == UNLUCKY
    taken = sheet.disadvantages if bad else sheet.advantages
    return taken.count(name) - (sheet.unlucky if bad else sheet.lucky)


def _unlucky(throw: Throw, name: str) -> CheckOption:
    return CheckOption(
        f"unlucky:{throw.what}:{throw.who}",
        Text("ego-react", {"how": "unlucky", "name": name}),
        helps="losing",
    )


class DiceReaction(ReactionStage[T]):
    """Throws lie open: everybody changes their own, in one prompt; a GM may take a success from who
    is unlucky.

    The data has `throws`; of these the stage has those for `whats`. Where it names none it has
    those thrown last: what came of earlier ones has happened.
    """

    whats: tuple[str, ...] = ()

    def mine(self, check: Check[Any], who: str | None = None) -> list[Throw]:
        """The throws that lie open here, of somebody."""
        here = self.whats or [each.what for each in check.data.trials[-1:]]
        return [each for each in check.data.throws if each.what in here and who in (None, each.who)]

    def is_settled(self, game: Game, check: Check[T]) -> bool:
        """Whether, as everybody can see, nobody could make anything of it any more."""
        return False

    def reactors(self, game: Game, check: Check[T]) -> tuple[str, ...]:
        """Who has thrown dice; whether they have Karma or luck left nobody else knows."""
        if self.is_settled(game, check):
            return ()
        thrown = dict.fromkeys([each.who for each in self.mine(check) if each.pool.faces])
        found = [game.character(each) for each in thrown if each in game.state.characters]
        # Blind, only GMs see dice to change.
        return tuple(
            [each.id for each in found if check.visibility != "blind" or each.owner is None]
        )

    def has_means(self, game: Game, check: Check[T], who: str, /) -> bool:
        throws, game = self.mine(check, who), with_open_karma(game, who, check.id)
        return any(True for each in throws for _ in self._ways(game, check, each))

    def other_reactors(self, game: Game, check: Check[T]) -> tuple[str, ...]:
        unlucky = any(luck_left(game.sheet(each.who), UNLUCKY) > 0 for each in self.mine(check))
        return (ANY_GM,) if unlucky and self.reactors(game, check) else ()

    def reaction_options(self, game: Game, check: Check[T], who: str) -> tuple[CheckOption, ...]:
        if who != ANY_GM:
            return tuple(
                [each for throw in self.mine(check, who) for each in self._ways(game, check, throw)]
            )
        lie = [each for each in self.mine(check) if each.pool.successes > 0]
        able = [each for each in lie if dice.may_be_unlucky(each.pool)]
        found = [each for each in able if luck_left(game.sheet(each.who), UNLUCKY) > 0]
        return tuple([_unlucky(each, game.character(each.who).name) for each in found])

    def _ways(self, game: Game, check: Check[T], throw: Throw) -> Iterable[CheckOption]:
        """What may be done about one throw now, in the order of the rules."""
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
        throw = next(each for each in self.mine(check, who) if each.what == what)
        game = with_current_round(game, who, check.round)
        sheet: EgoSheet = game.sheet(who)
        pool, spent = throw.pool, throw.karma
        if how == "reroll":
            source = next(each for each in throw.sources if each.name == name)
            pool = dice.reroll(
                pool, source, dice.rerollable(pool, source)[0], game.rng_for(check, who)
            )
        elif how == "flip":
            pool, sheet = (
                dice.flip(pool),
                sheet.replace(round=sheet.round.replace(flipped=check.round is not None)),
            )
            spent = (throw.karma or (sheet.karma + FLIP.amount,))[0], sheet.karma
        elif how == "lucky":
            pool, sheet = dice.add_lucky_success(pool), sheet.replace(lucky=sheet.lucky + 1)
        else:
            pool, sheet = dice.take_unlucky_success(pool), sheet.replace(unlucky=sheet.unlucky + 1)
        data: Any = check.data
        now = throw.replace(pool=pool, karma=spent)
        data = data.replace(throws=tuple([now if each is throw else each for each in data.throws]))
        shown = {
            "how": how,
            "source": name if how == "reroll" else None,
            "successes": pool.successes,
        }
        return StageResult(game.with_sheet(who, sheet).state, data, said=Text("ego-changed", shown))
