"""Taking packages off a result with a Life Point before it is suffered (MB-LP-03)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from rules.core.record import record
from rules.systems.masterbook import damage, harm
from rules.systems.masterbook.chart import Damage
from rules.systems.masterbook.deck import rolls
from rules.systems.masterbook.deck.playing import Moment
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.standing import LIFE_POINT, SPENT
from rules.table.checks.check import PASS, Check, Choice, Prompt
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.events import Line
from rules.table.forms import Form, Many
from rules.table.forms import Option as Offer
from rules.table.system import Game

LOWER: Final = "lower"
T = TypeVar("T")


def packages_of(done: Damage) -> tuple[Offer, ...]:
    """What a point may take away, each by itself."""
    return tuple(
        [
            Offer(f"{what}:{at}", Line("mb-package", {"what": what, "at": at if number > 1 else None}))
            for what, number in damage.packages(done).items()
            for at in range(1, number + 1)
        ]
    )


@record
class Hurt:
    """Somebody who is to be hurt: what is `left` of it, and whether an own point was `spent`."""

    who: str
    left: Damage
    spent: bool = False


class Lowering(Stage[T]):
    """Everybody who is to be hurt may take packages off with a Life Point, and with cards that are one, in secret."""

    name = LOWER

    @abstractmethod
    def hurt(self, game: Game, check: Check[T]) -> Iterable[Hurt]:
        """Who is to suffer what."""

    @abstractmethod
    def lowered(self, check: Check[T], who: str, dropped: tuple[str, ...], card: bool) -> T:
        """The data once somebody has taken these packages off, with a point or a `card`."""

    @abstractmethod
    def moments(self, check: Check[T]) -> tuple[Moment, ...]:
        """What cards may be played on."""

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        held = rolls.asked(game, check, self.moments(check), ("packages",))
        who = [
            each.who
            for each in self.hurt(game, check)
            if damage.packages(each.left)
            and not game.sheet(each.who).harm.out
            and (not each.spent or each.who in held)
        ]
        return (Prompt(LOWER, tuple(who), "react", PASS, True),) if who else ()

    def options(self, game: Game, check: Check[T], prompt: str, who: str, /) -> Iterable[Option]:
        sheet: MasterbookSheet = game.sheet(who)
        hurt = next((each for each in self.hurt(game, check) if each.who == who), None)
        if hurt is None or not harm.may_spend(sheet.harm):
            return ()
        form = Form((Many("packages", among=packages_of(hurt.left), needed=True, most=damage.PER_POINT),))
        found = [
            each.but(form=form) for each in rolls.offers(game, check, who, self.moments(check), ("packages",))
        ]
        if sheet.life_points and not hurt.spent:
            found.insert(0, Option(LOWER, Line("mb-lower", {"left": sheet.life_points}), form, LIFE_POINT))
        return found

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> Step[T]:
        dropped = tuple([each.partition(":")[0] for each in choice.values["packages"]])
        data: Any = check.data
        card, said = rolls.is_card(choice), SPENT
        if card:
            game, effect = rolls.taken(game, check, choice, self.moments(check))
            check, said = check.but(data=data.but(effects=(*data.effects, effect))), rolls.said(effect)
        return Step(game.state, self.lowered(check, choice.who, dropped, card), said=said)
