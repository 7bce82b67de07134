"""Taking packages off a result with a Life Point before it is suffered (MB-LP-03)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Final, TypeVar

from rules.systems.masterbook import damage, harm
from rules.systems.masterbook.chart import Damage
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.standing import LIFE_POINT
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


class Lowering(Stage[T]):
    """Everybody who is to be hurt may take packages off with a Life Point, in secret."""

    name = LOWER

    @abstractmethod
    def hurt(self, game: Game, check: Check[T]) -> Iterable[tuple[str, Damage]]:
        """Who is to suffer what, of those who have taken nothing off yet."""

    @abstractmethod
    def lowered(self, check: Check[T], who: str, dropped: tuple[str, ...]) -> T:
        """The data once somebody has taken these packages off."""

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        who = [
            each
            for each, done in self.hurt(game, check)
            if damage.packages(done) and not game.sheet(each).harm.out
        ]
        return (Prompt(LOWER, tuple(who), "react", PASS, True),) if who else ()

    def options(self, game: Game, check: Check[T], prompt: str, who: str, /) -> Iterable[Option]:
        sheet: MasterbookSheet = game.sheet(who)
        done = dict(self.hurt(game, check)).get(who)
        if done is None or not harm.may_spend(sheet.harm) or not sheet.life_points:
            return ()
        form = Form((Many("packages", among=packages_of(done), needed=True, most=damage.PER_POINT),))
        return (Option(LOWER, Line("mb-lower", {"left": sheet.life_points}), form, LIFE_POINT),)

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> Step[T]:
        dropped = tuple([each.partition(":")[0] for each in choice.values["packages"]])
        return Step(game.state, self.lowered(check, choice.who, dropped))
