"""A roll in steps: dice lie open, a point makes more of them, others may cancel it; windows for cards, and for packages
that a point takes off; who does it together.

MB-DIE-02, MB-DIE-03, MB-DIE-06, MB-LP-03, MB-LP-05, MB-CARD-13, MB-CBN-02.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from rules.systems.masterbook import dice, harm
from rules.systems.masterbook.chart import Damage
from rules.systems.masterbook.check import Point
from rules.systems.masterbook.deck import rolls
from rules.systems.masterbook.deck.playing import AFTER, IMPACT, Effect, Moment
from rules.systems.masterbook.dice import Throw
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.table.blocks import ALL, Block, Note, Ref, Text
from rules.table.checks.check import GMS, NEXT, OVER, PASS, Check, Choice, Cost, Prompt
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.checks.stages import Standing
from rules.table.events import Line
from rules.table.forms import Form, Many
from rules.table.forms import Option as Offer
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc

T = TypeVar("T")

OPEN, CANCEL = "open", "cancel"
LIFE_POINT: Final = Cost("life_points", 1)
#: That one was spent; what is left is nobody else's.
SPENT: Final = Line("mb-spent-point")
_CANCELS: Final = Option("cancel", Line("mb-react-cancel"), cost=LIFE_POINT)


def able(game: Game, who: str) -> bool:
    """Whether somebody has a Life Point and their wits about them (MB-LP-05)."""
    sheet: MasterbookSheet = game.sheet(who)
    return sheet.life_points > 0 and not sheet.harm.out


def open_point(data: Any) -> Point | None:
    """The point that has been spent and has had no effect yet."""
    return next((each for each in data.points if not each.used), None)


class Dice(Standing[T]):
    """The dice lie open; whoever threw some may spend a point on them once, and play cards (MB-DIE-03, MB-CARD-13).

    The data has `throws` and `points`, `effects` of cards, and `anew` where whoever acts throws once more. After each
    point it is entered again.
    """

    name = OPEN

    @abstractmethod
    def due(self, game: Game, check: Check[T]) -> tuple[Throw, ...]:
        """What is thrown on entering it first."""

    def moments(self, game: Game, check: Check[T]) -> tuple[Moment, ...]:
        """The numbers that cards may go on while the dice lie open."""
        return ()

    def carded(self, check: Check[T], data: Any, effect: Effect) -> Any:
        """The data with a card on numbers that stand without dice."""
        return data

    def using(self, game: Game, check: Check[T]) -> Game:
        """The game once what waits for somebody's next roll is used up."""
        return game

    def settled(self, game: Game, check: Check[T]) -> bool:
        """Whether, as everybody can see, nobody could make anything of it."""
        return check.gm_only

    def enter(self, game: Game, check: Check[T], /) -> Step[T] | None:
        data: Any = check.data
        if data.anew:
            throws = rolls.thrown_anew(game, check, self.due(game, check))
            return Step(game.state, data.but(throws=(*throws, *data.throws), anew=False))
        if not data.throws:
            throws = self.due(game, check)
            if not throws:
                return None
            now = rolls.played_before(game, check, data.but(throws=throws))
            now = now.but(effects=(*now.effects, *rolls.carried(game, throws)))
            return Step(self.using(game, check).state, now)
        point = open_point(data)
        if point is None:
            return None
        points = tuple([each.but(used=True) if each is point else each for each in data.points])
        if point.by:
            return Step(game.state, data.but(points=points))
        scope, rng = game.setting("lp_tens_scope"), game.dice(check, point.who)
        throws = tuple(
            each.but(roll=dice.spend(each.roll, rng, scope))
            if (each.who, each.what) == (point.who, point.what)
            else each
            for each in data.throws
        )
        return Step(game.state, data.but(points=points, throws=throws))

    def aware(self, game: Game, check: Check[T]) -> tuple[str, ...]:
        """Who has thrown dice and spent nothing on them yet; what they have left nobody else knows."""
        data: Any = check.data
        if self.settled(game, check):
            return ()
        spent = {each.who for each in data.points if not each.card}
        found = [
            each.who
            for each in data.throws
            if each.who not in spent and (check.visibility != "blind" or is_npc(game, each.who))
        ]
        return tuple(
            dict.fromkeys((*found, *rolls.asked(game, check, self.moments(game, check), rolls.OPEN)))
        )

    def reactions(self, game: Game, check: Check[T], who: str) -> tuple[Option, ...]:
        data: Any = check.data
        cards = rolls.offers(game, check, who, self.moments(game, check), rolls.OPEN)
        if not able(game, who) or any(each.who == who and not each.card for each in data.points):
            return cards
        mine = [each for each in data.throws if each.who == who]
        left = game.sheet(who).life_points
        return (
            *[
                Option(
                    f"point:{each.what}",
                    Line("mb-react-point", {"what": each.what if len(mine) > 1 else None, "left": left}),
                    cost=LIFE_POINT,
                )
                for each in mine
            ],
            *cards,
        )

    def reacted(self, game: Game, check: Check[T], choice: Choice) -> Step[T]:
        data: Any = check.data
        if rolls.is_card(choice):
            game, effect = rolls.taken(game, check, choice, self.moments(game, check))
            data = self.carded(check, rolls.on_throws(game, check, data, effect), effect)
            if effect.op != "life_point":
                return Step(game.state, data, said=rolls.said(effect))
            points = (*data.points, rolls.point_of(effect))
            return Step(game.state, data.but(points=points), CANCEL, said=rolls.said(effect))
        point = Point(choice.who, choice.option.partition(":")[2])
        return Step(game.state, data.but(points=(*data.points, point)), CANCEL, said=SPENT)


class Cancelling(Stage[T]):
    """A point was spent: everybody who is aware of it may cancel it with one of theirs (MB-DIE-06).

    It stands before the dice, which are entered anew from here.
    """

    name = CANCEL

    def unaware(self, check: Check[T]) -> bool:
        """Whether nobody else is aware of what is done."""
        return False

    def _moments(self, check: Check[T]) -> tuple[Moment, ...]:
        """The point, as what a card may cancel (MB-CARD-E09)."""
        point = open_point(check.data)
        return () if point is None else (Moment("roll_pending", check.actor, point.who, "total"),)

    def others(self, game: Game, check: Check[T], spender: str) -> list[str]:
        """Who may be aware of it besides whoever spends it."""
        people = game.state.characters.values()
        return [each.id for each in people if each.in_play and each.id != spender]

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        point = open_point(check.data)
        if point is None or point.sure or self.unaware(check) or check.gm_only:
            return ()
        if check.visibility != "public":
            return (Prompt("gm-cancel", (GMS,), None),)
        sides = (check.actor, check.target)
        who = [
            each for each in self.others(game, check, point.who) if not is_npc(game, each) or each in sides
        ]
        asked = (Prompt(CANCEL, tuple(who), "react", PASS),) if who else ()
        return (*asked, Prompt("gm-cancel", (GMS,), None))

    def options(self, game: Game, check: Check[T], prompt: str, who: str, /) -> tuple[Option, ...]:
        point = open_point(check.data)
        if point is None:
            return ()
        if prompt == CANCEL:
            own = (_CANCELS,) if able(game, who) else ()
            return (*own, *rolls.offers(game, check, who, self._moments(check), ("cancel",)))
        npcs = [
            each for each in self.others(game, check, point.who) if is_npc(game, each) and able(game, each)
        ]
        return tuple(
            Option(
                f"cancel:{each}",
                Line("mb-react-cancel-as", {"name": game.character(each).name}),
                cost=LIFE_POINT.but(who=each),
            )
            for each in npcs
        )

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> Step[T]:
        data: Any = check.data
        point = open_point(data)
        assert point is not None, "asked only while one is open"
        by, said, with_ = choice.option.partition(":")[2] or choice.who, Line("mb-cancelled-point"), ""
        if rolls.is_card(choice):
            game, effect = rolls.taken(game, check, choice, self._moments(check))
            by, said, with_ = choice.who, rolls.said(effect), effect.name
        points = tuple([each.but(by=by, with_=with_) if each is point else each for each in data.points])
        return Step(game.state, data.but(points=points), OPEN, said=said)


# --- windows for cards ---------------------------------------------------------------------------------------


#: Where somebody waits for training that they lack.
TRAINING: Final = "training"
_WITHDRAW: Final = Option("withdraw", Line("answer-withdraw"))


class Window(Stage[T]):
    """Whoever may, as everybody can see, play a card now is asked, until all have nothing to add."""

    @abstractmethod
    def moments(self, game: Game, check: Check[T]) -> tuple[Moment, ...]:
        """What cards may go on."""

    def undone(self, data: Any, who: str) -> Any:
        """The data with everything gone that `who` has thrown, and what followed from it."""
        return data

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        who = rolls.asked(game, check, self.moments(game, check), rolls.PLAIN)
        return (Prompt(self.name, who, "react", PASS),) if who else ()

    def options(self, game: Game, check: Check[T], prompt: str, who: str, /) -> tuple[Option, ...]:
        return rolls.offers(game, check, who, self.moments(game, check), rolls.PLAIN)

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> Step[T]:
        game, effect = rolls.taken(game, check, choice, self.moments(game, check))
        now: Any = check.data
        data, said = now.but(effects=(*now.effects, effect)), rolls.said(effect)
        if effect.op == "cancel_action":
            return Step(game.state, data.but(failed=choice.who), NEXT, said=said)
        if effect.op == "retry_action":
            data = rolls.anew(self.undone(data, choice.who), effect)
            return Step(game.state, data, OPEN, said=said)
        return Step(game.state, data, said=said)


class Reading(Window[T]):
    """Before anybody reads what a success does (MB-CARD-E07)."""

    name = IMPACT


class Ending(Window[T]):
    """All of it is known, and nothing of it has been taken (MB-CARD-E12, MB-CARD-E15)."""

    name = AFTER


#: What may be ordered where an opponent has acted: to play Opponent Fails, or to be left in peace until one says so.
FAILS: Final = (
    (AFTER, Option(rolls.value_of("opponent_fails"), Line("mb-order-fails"))),
    (AFTER, Option(PASS, Line("mb-order-told"))),
)


class Training(Stage[T]):
    """What takes training somebody without any does only with a card; dice wait for it (MB-CARD-E03).

    Whether they may wait for one follows from what everybody knows; who has nothing for it withdraws.
    """

    name = TRAINING

    @abstractmethod
    def moments(self, game: Game, check: Check[T]) -> Iterable[Moment]:
        """What is rolled without the training that it takes."""

    def _left(self, game: Game, check: Check[T]) -> tuple[Moment, ...]:
        data: Any = check.data
        found = () if data.throws else self.moments(game, check)
        return tuple([each for each in found if not rolls.opened(data.effects, each.whose, each.what)])

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        who = tuple(dict.fromkeys([each.whose for each in self._left(game, check)]))
        return (Prompt(TRAINING, who, default=_WITHDRAW.value, button="mb-open-training"),) if who else ()

    def options(self, game: Game, check: Check[T], prompt: str, who: str, /) -> tuple[Option, ...]:
        found = rolls.offers(game, check, who, self._left(game, check), rolls.PLAIN)
        return (*[each for each in found if rolls.trains(game, each.value)], _WITHDRAW)

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> Step[T]:
        data: Any = check.data
        if not rolls.is_card(choice):
            return Step(game.state, data, OVER)
        game, effect = rolls.taken(game, check, choice, self._left(game, check))
        return Step(game.state, data.but(effects=(*data.effects, effect)), said=rolls.said(effect))


def untrained(check: Check[Any]) -> list[Block]:
    """Who is waited for because a card has to make up for training."""
    asked = check.prompt(TRAINING)
    if asked is None:
        return []
    who = tuple([Ref(each) for each in asked.left])
    return [Note(Text("mb-takes-training", {"who": who}), ALL)]


# --- what a point takes off ----------------------------------------------------------------------------------

LOWER: Final = "lower"


def packages_of(done: Damage) -> tuple[Offer, ...]:
    """What a point may take away, each by itself."""
    return tuple(
        Offer(f"{what}:{at}", Line("mb-package", {"what": what, "at": at if number > 1 else None}))
        for what, number in harm.packages(done).items()
        for at in range(1, number + 1)
    )


class Lowering(Stage[T]):
    """Everybody who is to be hurt may take packages off with a Life Point, and with cards that are one, in secret.

    The data has the `blows` that hurt.
    """

    name = LOWER

    def _moments(self, check: Check[T]) -> tuple[Moment, ...]:
        data: Any = check.data
        hurt = tuple([each.who for each in data.blows])
        return (Moment("after_resolution", check.actor, check.actor, against=hurt),)

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        data: Any = check.data
        held = rolls.asked(game, check, self._moments(check), ("packages",))
        who = [
            each.who
            for each in (() if data.failed else data.blows)
            if harm.packages(each.left)
            and not game.sheet(each.who).harm.out
            and (not each.own or each.who in held)
        ]
        return (Prompt(LOWER, tuple(who), "react", PASS, True),) if who else ()

    def options(self, game: Game, check: Check[T], prompt: str, who: str, /) -> Iterable[Option]:
        sheet: MasterbookSheet = game.sheet(who)
        data: Any = check.data
        blow = next((each for each in data.blows if each.who == who), None)
        if blow is None or sheet.harm.out:
            return ()
        form = Form((Many("packages", among=packages_of(blow.left), needed=True, most=harm.PER_POINT),))
        cards = rolls.offers(game, check, who, self._moments(check), ("packages",))
        found = [each.but(form=form) for each in cards]
        if sheet.life_points and not blow.own:
            found.insert(0, Option(LOWER, Line("mb-lower", {"left": sheet.life_points}), form, LIFE_POINT))
        return found

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> Step[T]:
        dropped = tuple([each.partition(":")[0] for each in choice.values["packages"]])
        data: Any = check.data
        card, said = rolls.is_card(choice), SPENT
        if card:
            game, effect = rolls.taken(game, check, choice, self._moments(check))
            data, said = data.but(effects=(*data.effects, effect)), rolls.said(effect)
        blows = [each.lowered(dropped, card=card) if each.who == choice.who else each for each in data.blows]
        return Step(game.state, data.but(blows=tuple(blows)), said=said)


# --- together ------------------------------------------------------------------------------------------------

JOIN = "join"


def enlists(game: Game, check: Check[Any]) -> bool:
    """Whether a player names NPCs to do it with: a GM is asked then."""
    named = check.data.asked.get("together", ())
    return not is_gm(game.state, game.actor) and any(is_npc(game, each) for each in named)


def together(who: Iterable[str]) -> list[Note]:
    """With whom somebody means to do it."""
    named = tuple([Ref(each) for each in who])
    return [Note(Text("mb-together", {"who": named}), ALL)] if named else []


class Joining(Stage[T]):
    """They are asked once. The data has who has `joined`."""

    name = "declared"
    orders = ((JOIN, Option(JOIN, Line("mb-join"))),)

    @abstractmethod
    def wanted(self, check: Check[T]) -> tuple[str, ...]:
        """With whom; nobody any more once that is past."""

    def _left(self, game: Game, check: Check[T]) -> tuple[str, ...]:
        data: Any = check.data
        return tuple(
            [each for each in self.wanted(check) if each not in data.joined and not is_npc(game, each)]
        )

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        who = self._left(game, check)
        return (Prompt(JOIN, who, "answer", PASS, button="answer-join"),) if who else ()

    def options(self, game: Game, check: Check[T], prompt: str, who: str, /) -> Iterable[Option]:
        return [option for _, option in self.orders]

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> Step[T]:
        data: Any = check.data
        return Step(game.state, data.but(joined=(*data.joined, choice.who)))
