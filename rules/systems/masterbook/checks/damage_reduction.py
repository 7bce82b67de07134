"""Stage in which victims lower damage by Life Points and cards (MB-LP-03)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks import card_windows
from rules.systems.masterbook.checks.roll_stages import (
    LIFE_POINT,
    OPEN,
    SPENT,
    CardStage,
    Dice,
    Moments,
    ResolutionWindow,
    RolledAction,
    can_spend_point,
)
from rules.systems.masterbook.checks.state import Blow
from rules.systems.masterbook.deck.play import Moment
from rules.systems.masterbook.formulas import damage
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.table.blocks import Text
from rules.table.check import PASS, AnyCheck, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, StageResult
from rules.table.forms.fields import Many, Option
from rules.table.forms.form import Form
from rules.table.system import Game

LOWER: Final = "lower"


def packages_of(done: Damage) -> tuple[Option, ...]:
    """Return the amounts of each kind of damage that one point may take away."""
    options: list[Option] = []
    for what, most in damage.packages(done).items():
        for number in range(1, min(most, damage.PACKAGES_PER_POINT) + 1):
            options.append(Option(f"{what}:{number}", amount_text(done, what, number)))
    return tuple(options)


def amount_text(done: Damage, what: str, number: int) -> Text:
    """Return a number of packages in words: `2 wounds`, `6 shock`."""
    shown = min(damage.SHOCK_PER_WOUND * number, done.shock) if what == "shock" else number
    return Text("mb-pieces", {"what": what, "number": shown})


def _read_packages(values: Values) -> tuple[str, ...]:
    """Return the packages of the chosen amounts. Raises InvalidInput("mb-one-amount")."""
    amounts = [amount.partition(":") for amount in values["packages"]]
    kinds = [what for what, _, _ in amounts]
    packages: list[str] = []
    for what, _, number in amounts:
        if kinds.count(what) > 1:
            raise InvalidInput("mb-one-amount", field="packages", value=None, what=what)
        packages += [what] * int(number)
    return tuple(packages)


class DamageReductionStage(CardStage):
    """Stage in which victims take damage packages off with a Life Point or a card, in secret.

    The data has the `blows` that hurt. The panel of an only victim also has its options about the
    dice and the result: choosing one of these takes the check back to their stage.
    """

    name = LOWER
    uses = ("packages",)

    def __init__(self, act: RolledAction | None = None) -> None:
        super().__init__()
        self._earlier = None if act is None else (Dice(act), ResolutionWindow(act))

    def _may_step_back(self, game: Game, check: AnyCheck, who: str) -> bool:
        """Return whether *who* may still choose about the dice and the result.

        A table that waits for every player has asked already.
        """
        blows = check.data.blows
        if self._earlier is None or game.state.settings.wait_for_everybody:
            return False
        return len(blows) == 1 and blows[0].who == who and not blows[0].dropped

    def _earlier_options(self, game: Game, check: AnyCheck, who: str) -> list[CheckOption]:
        """Return what *who* may still do about the dice, and about the result."""
        if self._earlier is None or not self._may_step_back(game, check, who):
            return []
        roll, result = self._earlier
        options: list[CheckOption] = []
        if who in roll.reactors(game, check):
            options += roll.reaction_options(game, check, who)
        return [*options, *result.card_options(game, check, who)]

    def _step_back(self, game: Game, check: AnyCheck, choice: Choice) -> StageResult[Any]:
        """Apply a choice about the dice or the result, before the damage."""
        if self._earlier is None:
            raise Impossible("not-offered", check=check.id)
        roll, result = self._earlier
        about_result = result.card_options(game, check, choice.who)
        if choice.option in [option.value for option in about_result]:
            return result.choose(game, check, choice)
        before = check.replace(data=check.data.replace(blows=()))
        reaction = roll.apply_reaction(game, before, choice)
        return reaction.replace(to=reaction.to or OPEN)

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        hurt = tuple(blow.who for blow in check.data.blows)
        return (Moment("after_resolution", check.actor, check.actor, against=hurt),)

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        if check.data.failed:
            return ()
        who = tuple(blow.who for blow in check.data.blows if self._may_lower(game, check, blow))
        return (Prompt(LOWER, who, "means", PASS, True, harms=True),) if who else ()

    def _may_lower(self, game: Game, check: AnyCheck, blow: Blow) -> bool:
        """Return whether the victim of a blow might take damage off, as everyone can see."""
        if not damage.packages(blow.left) or game.sheet(blow.who).harm.out:
            return False
        return not blow.own or blow.who in self.possible_players(game, check)

    def has_means(self, game: Game, check: AnyCheck, who: str, /) -> bool:
        own = any(blow.own for blow in check.data.blows if blow.who == who)
        if can_spend_point(game, who) and not own:
            return True
        if who in self.possible_players(game, check):
            return True
        if self._earlier is None or not self._may_step_back(game, check, who):
            return False
        return any(who in stage.possible_players(game, check) for stage in self._earlier)

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        sheet: MasterbookSheet = game.sheet(who)
        blow = next((blow for blow in check.data.blows if blow.who == who), None)
        if blow is None or sheet.harm.out:
            return ()
        packages = Many(
            "packages",
            title=Text("mb-packages"),
            choices=packages_of(blow.left),
            needed=True,
            most=damage.PACKAGES_PER_POINT,
        )
        form = Form((packages,))
        options = [card.replace(form=form) for card in self.card_options(game, check, who)]
        if sheet.life_points and not blow.own:
            label = Text("mb-lower", {"left": sheet.life_points, "most": damage.PACKAGES_PER_POINT})
            options.insert(0, CheckOption(LOWER, label, form, LIFE_POINT, helps="always"))
        return [*options, *self._earlier_options(game, check, who)]

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        if "packages" not in choice.values:
            return self._step_back(game, check, choice)
        dropped = _read_packages(choice.values)
        data, card, said = check.data, card_windows.is_card(choice), SPENT
        if card:
            game, data, _, said = self.play_card(game, check, choice)
        blows: list[Blow] = []
        for blow in data.blows:
            is_own = blow.who == choice.who
            blows.append(blow.lowered(dropped, card=card) if is_own else blow)
        return StageResult(game.state, data.replace(blows=tuple(blows)), said=said)
