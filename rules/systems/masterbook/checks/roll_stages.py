"""A roll in steps: dice lie open, a point makes more of them, others may cancel it; windows for
cards, and for packages that a point takes off; who does it together. Whatever is rolled goes
through these stages, as its `RolledAction` says.

MB-DIE-02, MB-DIE-03, MB-DIE-06, MB-LP-03, MB-LP-05, MB-CARD-13, MB-CBN-02.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks import card_windows
from rules.systems.masterbook.checks.state import AnyAttempt, Point
from rules.systems.masterbook.deck.play import (
    AFTER,
    IMPACT,
    CardEffect,
    Moment,
    Named,
    Use,
    card_causes,
)
from rules.systems.masterbook.formulas import damage, dice
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.reference_rows import cause_total
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.table.absence import orders_of
from rules.table.blocks import (
    FOR_EVERYONE,
    Block,
    Note,
    Ref,
    Text,
    first_verdict,
    public_verdict,
)
from rules.table.check import ANY_GM, NEXT, OVER, PASS, AnyCheck, Choice, Cost, Prompt, Values
from rules.table.checks.procedure import CheckOption, Stage, StageResult, procedure_of
from rules.table.checks.stages import ReactionStage, spend_refusal
from rules.table.forms import Form, Many, Option
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc

OPEN, CANCEL = "open", "cancel"
LIFE_POINT: Final = Cost("life_points", 1)
#: That one was spent; what is left is nobody else's.
SPENT: Final = Text("mb-spent-point")
_CANCELS: Final = CheckOption("cancel", Text("mb-react-cancel"), cost=LIFE_POINT, helps="never")
Moments = tuple[Moment, ...]


def can_spend_point(game: Game, who: str) -> bool:
    """Whether somebody has a Life Point and their wits about them (MB-LP-05)."""
    sheet: MasterbookSheet = game.sheet(who)
    return sheet.life_points > 0 and not sheet.harm.out


def card_bonus(game: Game, check: AnyCheck, who: str, number: Named) -> int:
    """What cards that were played on it, or that last, add to a number of somebody's (MB-CARD-E01,
    MB-CARD-E07).
    """
    return cause_total(
        card_causes(check.data.effects, who, number)
    ) + card_windows.lasting_card_bonus(game, who, check)


class RolledAction(ABC):
    """What is done with dice in a check whose data is a `RollData`, as the stages of this module
    ask about it.

    Moments are what cards may go on in a stage; there are none where nobody may play any.
    """

    @abstractmethod
    def throws_due(self, game: Game, check: AnyCheck) -> tuple[Throw, ...]:
        """What is thrown as the dice fall; what lies there already stays."""

    def refresh_from_sheets(self, game: Game, check: AnyCheck, data: Any) -> Any:
        """The data with what the sheets have as the dice fall."""
        return data

    def use_up_effects(self, game: Game, check: AnyCheck) -> Game:
        """The game once what waits for somebody's next roll is used up."""
        return game

    def is_settled(self, game: Game, check: AnyCheck) -> bool:
        """Whether, as everybody can see, nobody could make anything of the dice."""
        return check.gm_only

    def may_spend(self, check: AnyCheck, who: str) -> bool:
        """Whether somebody who is there may spend anything on the dice at all."""
        return True

    def is_unaware(self, check: AnyCheck, who: str) -> bool:
        """Whether somebody is not aware of what is done."""
        return False

    def decides_when_hurt(self, check: AnyCheck, who: str) -> bool:
        """Return whether `who` decides about its dice together with the damage."""
        return False

    def untrained_moments(self, game: Game, check: AnyCheck) -> Moments:
        """What is about to be rolled without the training that it takes."""
        return ()

    def open_dice_moments(self, game: Game, check: AnyCheck) -> Moments:
        """While the dice lie open."""
        return ()

    def impact_moments(self, game: Game, check: AnyCheck) -> Moments:
        """Before anybody reads what a success does (MB-CARD-E07)."""
        return ()

    def resolution_moments(self, game: Game, check: AnyCheck) -> Moments:
        """All of it is known, and nothing of it has been taken (MB-CARD-E12, MB-CARD-E15)."""
        return ()

    def with_card(self, check: AnyCheck, data: Any, effect: CardEffect) -> Any:
        """The data with a card on numbers that stand without dice."""
        return data

    def without_throws_of(self, data: Any, who: str) -> Any:
        """The data without what `who` has thrown, and what followed from it."""
        return data.replace(throws=tuple([each for each in data.throws if each.who != who]))


class CardStage(Stage[Any]):
    """A stage in which cards may be played, too: on its moments, in the ways of its `uses`."""

    uses: Collection[Use] = card_windows.PLAIN

    @abstractmethod
    def moments(self, game: Game, check: AnyCheck) -> Moments:
        """What cards may go on."""

    def possible_players(self, game: Game, check: AnyCheck) -> tuple[str, ...]:
        """Who might play one, as everybody can see."""
        return card_windows.possible_players(game, check, self.moments(game, check), self.uses)

    def card_options(self, game: Game, check: AnyCheck, who: str) -> tuple[CheckOption, ...]:
        """What somebody may play."""
        return card_windows.offers(game, check, who, self.moments(game, check), self.uses)

    def play_card(
        self, game: Game, check: AnyCheck, choice: Choice, *, early: bool = False
    ) -> tuple[Game, Any, CardEffect, Text]:
        """The game and the data once the chosen card was played, what it does, and that for the
        log.
        """
        game, effect = card_windows.play_chosen_card(
            game, check, choice, self.moments(game, check), early=early
        )
        return (
            game,
            check.data.replace(effects=(*check.data.effects, effect)),
            effect,
            card_windows.card_played_text(effect),
        )


def has_points_or_cards(game: Game, stage: CardStage, check: AnyCheck, who: str) -> bool:
    """Return whether everybody can see that `who` might spend a Life Point, Luck or a card here."""
    return can_spend_point(game, who) or who in stage.possible_players(game, check)


def _has_spent_point(check: AnyCheck, who: str) -> bool:
    """Return whether a character has spent a Life Point on its own dice (MB-DIE-03)."""
    return any(each.who == who and not each.card for each in check.data.points)


class _Acting(CardStage):
    """One that asks an action's rules."""

    def __init__(self, act: RolledAction) -> None:
        super().__init__()
        self.act = act


class Dice(_Acting, ReactionStage[Any]):
    """The dice lie open; whoever threw some may spend a point on them once, and play cards
    (MB-DIE-03, MB-CARD-13).

    Where the data says `anew`, whoever acts throws once more. After each point it is entered again.
    """

    name = OPEN
    uses = card_windows.OPEN
    #: Stage in which a point that is spent here may be canceled.
    cancel: str = CANCEL

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        return self.act.open_dice_moments(game, check)

    def enter(self, game: Game, check: AnyCheck, /) -> StageResult[Any] | None:
        data = check.data
        if data.anew:
            throws = card_windows.with_lasting_cards(game, check, self.act.throws_due(game, check))
            return StageResult(game.state, data.replace(throws=(*throws, *data.throws), anew=False))
        if not data.throws:
            check = check.replace(data=self.act.refresh_from_sheets(game, check, data))
            throws = self.act.throws_due(game, check)
            if not throws:
                return None
            now = card_windows.with_earlier_cards(game, check, check.data.replace(throws=throws))
            now = now.replace(effects=(*now.effects, *card_windows.waiting_effects(game, throws)))
            return StageResult(self.act.use_up_effects(game, check).state, now)
        point = data.open_point
        if point is None:
            return None
        points = tuple([each.replace(used=True) if each is point else each for each in data.points])
        throws, meant = data.throws, () if point.by else (point.who, point.what)
        scope, rng = game.setting("lp_tens_scope"), game.rng_for(check, point.who)
        throws = tuple(
            each.replace(roll=dice.spend_point(each.roll, rng, scope))
            if (each.who, each.what) == meant
            else each
            for each in data.throws
        )
        return StageResult(game.state, data.replace(points=points, throws=throws))

    def reactors(self, game: Game, check: AnyCheck) -> tuple[str, ...]:
        """Return the characters that threw dice and spent nothing on them, and card holders.

        Nobody else knows what those characters have left.
        """
        if self.act.is_settled(game, check):
            return ()
        spent = {each.who for each in check.data.points if not each.card}
        found = [
            each.who
            for each in check.data.throws
            if each.who not in spent and (check.visibility != "blind" or is_npc(game, each.who))
        ]
        # About dice that lie open only those are asked who may hold a card.
        holding = self.possible_players(game, check) if card_windows.may_hold_cards(game) else ()
        who = dict.fromkeys((*found, *holding))
        return tuple([each for each in who if self.act.may_spend(check, each)])

    def deciders(self, game: Game, check: AnyCheck, prompt: Prompt, /) -> tuple[str, ...]:
        """Return the characters that threw dice and decide about them.

        Against a hidden number, a character that has spent a point decides no more.
        """
        threw = {each.who for each in check.data.throws}
        return tuple(
            [
                each
                for each in prompt.who or ()
                if each in threw
                and not self.act.decides_when_hurt(check, each)
                and not (_has_spent_point(check, each) and self.has_secret_number(game, check))
            ]
        )

    def has_secret_number(self, game: Game, check: AnyCheck, /) -> bool:
        """Return whether only GMs read the verdict while the dice may change (MB-DIE-03).

        That goes for a verdict on an NPC's resistance too.
        """
        if check.hidden:
            return True
        blocks = procedure_of(game, check.kind).describe(game, check)
        return first_verdict(blocks) is not None and public_verdict(blocks) is None

    def has_means(self, game: Game, check: AnyCheck, who: str, /) -> bool:
        points = can_spend_point(game, who) and not _has_spent_point(check, who)
        if points or who in self.possible_players(game, check):
            return True
        return any(card_windows.luck_openings(game, who, self.moments(game, check), self.uses))

    def reaction_options(self, game: Game, check: AnyCheck, who: str) -> tuple[CheckOption, ...]:
        cards = self.card_options(game, check, who)
        if not can_spend_point(game, who) or _has_spent_point(check, who):
            return cards
        mine = [each.what for each in check.data.throws if each.who == who]
        left, several = game.sheet(who).life_points, len(mine) > 1
        about = {what: {"what": what if several else None, "left": left} for what in mine}
        points = [(f"point:{what}", Text("mb-react-point", each)) for what, each in about.items()]
        return (*[CheckOption(*each, cost=LIFE_POINT) for each in points], *cards)

    def apply_reaction(self, game: Game, check: AnyCheck, choice: Choice) -> StageResult[Any]:
        if not card_windows.is_card(choice):
            point = Point(choice.who, choice.option.partition(":")[2])
            data = check.data.replace(points=(*check.data.points, point))
            return StageResult(game.state, data, self.cancel, said=SPENT)
        game, _, effect, said = self.play_card(game, check, choice)
        data = self.act.with_card(
            check, card_windows.with_card_on_throws(game, check, check.data, effect), effect
        )
        if effect.op == "retry_action":
            return StageResult(
                game.state,
                card_windows.reset_for_rethrow(
                    self.act.without_throws_of(data, choice.who), effect
                ),
                self.name,
                said=said,
            )
        if effect.op != "life_point":
            return StageResult(game.state, data, said=said)
        return StageResult(
            game.state,
            data.replace(points=(*data.points, card_windows.point_of(effect))),
            self.cancel,
            said=said,
        )


def _cancels_as(game: Game, npc: str) -> CheckOption:
    label = Text("mb-react-cancel-as", {"name": game.character(npc).name})
    return CheckOption(f"cancel:{npc}", label, cost=LIFE_POINT.replace(who=npc), helps="never")


def _are_opponents(game: Game, check: AnyCheck, one: str, other: str) -> bool:
    """Return whether two characters are on different sides of a check."""
    return {one, other} == {check.actor, check.target} or is_npc(game, one) != is_npc(game, other)


class CancelStage(_Acting):
    """A point was spent: everybody who is aware of it may cancel it with one of theirs (MB-DIE-06).

    It stands before the dice, which are entered anew from here.
    """

    name = CANCEL
    passed = (CANCEL,)
    uses = ("cancel",)
    #: Stage of the dice on which points are spent.
    dice: str = OPEN

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        """The point, as what a card may cancel (MB-CARD-E09)."""
        point = check.data.open_point
        return () if point is None else (Moment("roll_pending", check.actor, point.who, "total"),)

    def _others(self, game: Game, check: AnyCheck) -> list[str]:
        """Who may have something against a point that is open."""
        point = check.data.open_point
        if point is None or point.sure or check.gm_only:
            return []
        people = [each.id for each in game.state.characters.values() if each.in_play]
        return [
            each for each in people if each != point.who and not self.act.is_unaware(check, each)
        ]

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        others, sides = self._others(game, check), (check.actor, check.target)
        gms = (Prompt("gm-cancel", (ANY_GM,), None),) if others else ()
        asked = [each for each in others if self._asks_gms(game, check, each)]
        if check.visibility == "public":
            who = [
                each for each in others if each in sides or each in asked or not is_npc(game, each)
            ]
        else:
            who = asked
        return (*((Prompt(CANCEL, tuple(who), "means", PASS),) if who else ()), *gms)

    def _asks_gms(self, game: Game, check: AnyCheck, who: str) -> bool:
        """Return whether an NPC of the other side has its GMs asked before it passes."""
        point = check.data.open_point
        if point is None or not is_npc(game, who) or not orders_of(game.state, who).ask:
            return False
        return _are_opponents(game, check, who, point.who)

    def deciders(self, game: Game, check: AnyCheck, prompt: Prompt, /) -> tuple[str, ...]:
        """Return the other side: participants of the check, and NPCs whose GMs want to be asked."""
        point = check.data.open_point
        if point is None:
            return ()
        part = {check.actor, check.target, *[each.who for each in check.data.throws]}
        return tuple(
            [
                each
                for each in prompt.who or ()
                if (each in part and _are_opponents(game, check, each, point.who))
                or self._asks_gms(game, check, each)
            ]
        )

    def has_means(self, game: Game, check: AnyCheck, who: str, /) -> bool:
        return has_points_or_cards(game, self, check, who)

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        if prompt == CANCEL:
            point = check.data.open_point
            against = point is not None and _are_opponents(game, check, who, point.who)
            found = [_CANCELS] if can_spend_point(game, who) else []
            found += self.card_options(game, check, who)
            # The highlighted button never cancels a friend's roll.
            return tuple([each.replace(helps="always" if against else "never") for each in found])
        asked = check.prompt(CANCEL)
        # An NPC that is asked by itself has the same option there.
        elsewhere = () if asked is None else asked.waiting_for
        npcs = [
            each
            for each in self._others(game, check)
            if is_npc(game, each) and each not in elsewhere
        ]
        return tuple([_cancels_as(game, each) for each in npcs if can_spend_point(game, each)])

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        data, point = check.data, check.data.open_point
        by, said, with_ = (
            choice.option.partition(":")[2] or choice.who,
            Text("mb-canceled-point"),
            "",
        )
        if card_windows.is_card(choice):
            game, _, effect, said = self.play_card(game, check, choice)
            by, with_ = choice.who, effect.name
        points = tuple(
            [each.replace(by=by, with_=with_) if each is point else each for each in data.points]
        )
        return StageResult(game.state, data.replace(points=points), self.dice, said=said)


# --- windows for cards ----------------------------------------------------------------------------


#: Where somebody waits for training that they lack.
TRAINING: Final = "training"
_WITHDRAW: Final = CheckOption("withdraw", Text("answer-withdraw"), helps="never")


class Window(_Acting):
    """Whoever may, as everybody can see, play a card now is asked, until all have nothing
    to add.
    """

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        who = self.possible_players(game, check)
        return (Prompt(self.name, who, "react", PASS),) if who else ()

    def deciders(self, game: Game, check: AnyCheck, prompt: Prompt, /) -> tuple[str, ...]:
        return ()

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return self.card_options(game, check, who)

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        game, data, effect, said = self.play_card(game, check, choice)
        if effect.op == "cancel_action":
            return StageResult(game.state, data.replace(failed=choice.who), NEXT, said=said)
        if effect.op == "retry_action":
            return StageResult(
                game.state,
                card_windows.reset_for_rethrow(
                    self.act.without_throws_of(data, choice.who), effect
                ),
                OPEN,
                said=said,
            )
        reopen = any(each != choice.who for each in self.possible_players(game, check))
        return StageResult(game.state, data, reopen=reopen, said=said)


class ImpactWindow(Window):
    """Nobody has read what a success does."""

    name = IMPACT
    step_in = "before-verdict"

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        return self.act.impact_moments(game, check)


#: What may be ordered where an opponent has acted: to play Opponent Fails, or to be left in peace
#: until one says so.
_FAILS: Final = (
    (AFTER, CheckOption(card_windows.option_value("opponent_fails"), Text("mb-order-fails"))),
    (AFTER, CheckOption(PASS, Text("mb-order-told"))),
)


class ResolutionWindow(Window):
    """All of it is known, and nothing has been taken; of what is `hostile` its target may order
    something.
    """

    name = AFTER
    step_in = "after-verdict"

    def __init__(self, act: RolledAction, *, hostile: bool = True) -> None:
        super().__init__(act)
        self.orders = _FAILS if hostile else ()

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        return self.act.resolution_moments(game, check)


class TrainingStage(_Acting):
    """What takes training somebody without any does only with a card; dice wait for it
    (MB-CARD-E03).

    Whether they may wait for one follows from what everybody knows; who has nothing for it
    withdraws.
    """

    name = TRAINING

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        data = check.data
        found = () if data.throws else self.act.untrained_moments(game, check)
        return tuple(
            [
                each
                for each in found
                if not card_windows.is_training_waived(data.effects, each.whose, each.what)
            ]
        )

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        who = tuple(dict.fromkeys([each.whose for each in self.moments(game, check)]))
        return (
            (Prompt(TRAINING, who, default=_WITHDRAW.value, button="mb-open-training"),)
            if who
            else ()
        )

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        found = self.card_options(game, check, who)
        return (
            *[each for each in found if card_windows.is_training_card(game, each.value)],
            _WITHDRAW,
        )

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        if not card_windows.is_card(choice):
            return StageResult(game.state, check.data, OVER)
        game, data, _, said = self.play_card(game, check, choice)
        return StageResult(game.state, data, said=said)


def training_notes(check: AnyCheck) -> list[Block]:
    """Who is waited for because a card has to make up for training."""
    asked = check.prompt(TRAINING)
    if asked is None:
        return []
    who = tuple([Ref(each) for each in asked.waiting_for])
    return [Note(Text("mb-takes-training", {"who": who}), FOR_EVERYONE)]


def dice_stages(act: RolledAction, *between: Stage[Any]) -> tuple[Stage[Any], ...]:
    """The stages of an action's dice; what happens `between` happens once nobody waits for training
    any more.
    """
    return (TrainingStage(act), *between, CancelStage(act), Dice(act))


# --- what a point takes off -----------------------------------------------------------------------

LOWER: Final = "lower"


def packages_of(done: Damage) -> tuple[Option, ...]:
    """Return the amounts of each kind of damage that one point may take away."""
    return tuple(
        Option(f"{what}:{number}", amount_text(done, what, number))
        for what, most in damage.packages(done).items()
        for number in range(1, min(most, damage.PACKAGES_PER_POINT) + 1)
    )


def amount_text(done: Damage, what: str, number: int) -> Text:
    """Return a number of packages in words: `2 wounds`, `6 shock`."""
    shown = min(damage.SHOCK_PER_WOUND * number, done.shock) if what == "shock" else number
    return Text("mb-pieces", {"what": what, "number": shown})


def _read_packages(values: Values) -> tuple[str, ...]:
    """Return the packages of the chosen amounts. Raises InvalidInput("mb-one-amount")."""
    amounts = [each.partition(":") for each in values["packages"]]
    kinds = [what for what, _, _ in amounts]
    twice = next((what for what in kinds if kinds.count(what) > 1), None)
    if twice is not None:
        raise InvalidInput("mb-one-amount", field="packages", value=None, what=twice)
    return tuple(what for what, _, number in amounts for _ in range(int(number)))


class DamageReductionStage(CardStage):
    """Everybody who is to be hurt may take packages off with a Life Point, and with cards that are
    one, in secret.

    The data has the `blows` that hurt. If an action hurts one character alone, its panel also has
    what it may still do about the dice and the result: the action steps back then.
    """

    name = LOWER
    uses = ("packages",)

    def __init__(self, act: RolledAction | None = None) -> None:
        super().__init__()
        self._earlier = None if act is None else (Dice(act), ResolutionWindow(act))

    def _may_step_back(self, game: Game, check: AnyCheck, who: str) -> bool:
        """Return whether `who` is asked for the first time about what was before the damage.

        A table that waits for everybody has asked already.
        """
        blows = check.data.blows
        if self._earlier is None or game.state.settings.wait_for_everybody:
            return False
        return len(blows) == 1 and blows[0].who == who and not blows[0].dropped

    def _earlier_options(self, game: Game, check: AnyCheck, who: str) -> list[CheckOption]:
        """Return what `who` may still do about the dice, and about the result."""
        if self._earlier is None or not self._may_step_back(game, check, who):
            return []
        roll, result = self._earlier
        found = roll.reaction_options(game, check, who) if who in roll.reactors(game, check) else ()
        return [*found, *result.card_options(game, check, who)]

    def _step_back(self, game: Game, check: AnyCheck, choice: Choice) -> StageResult[Any]:
        """Return what a choice about the dice or the result makes of it."""
        if self._earlier is None:
            raise Impossible("not-offered", check=check.id)
        roll, result = self._earlier
        about_result = [each.value for each in result.card_options(game, check, choice.who)]
        if choice.option in about_result:
            return result.choose(game, check, choice)
        made = roll.apply_reaction(game, check.replace(data=check.data.replace(blows=())), choice)
        return made.replace(to=made.to or OPEN)

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        hurt = tuple([each.who for each in check.data.blows])
        return (Moment("after_resolution", check.actor, check.actor, against=hurt),)

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        who = [
            each.who
            for each in (() if check.data.failed else check.data.blows)
            if damage.packages(each.left)
            and not game.sheet(each.who).harm.out
            and (not each.own or each.who in self.possible_players(game, check))
        ]
        return (Prompt(LOWER, tuple(who), "means", PASS, True, harms=True),) if who else ()

    def has_means(self, game: Game, check: AnyCheck, who: str, /) -> bool:
        own = any(each.own for each in check.data.blows if each.who == who)
        if can_spend_point(game, who) and not own:
            return True
        if who in self.possible_players(game, check):
            return True
        if self._earlier is None or not self._may_step_back(game, check, who):
            return False
        return any(who in each.possible_players(game, check) for each in self._earlier)

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        sheet: MasterbookSheet = game.sheet(who)
        blow = next((each for each in check.data.blows if each.who == who), None)
        if blow is None or sheet.harm.out:
            return ()
        form = Form(
            (
                Many(
                    "packages",
                    title=Text("mb-packages"),
                    choices=packages_of(blow.left),
                    needed=True,
                    most=damage.PACKAGES_PER_POINT,
                ),
            )
        )
        found = [each.replace(form=form) for each in self.card_options(game, check, who)]
        if sheet.life_points and not blow.own:
            label = Text("mb-lower", {"left": sheet.life_points, "most": damage.PACKAGES_PER_POINT})
            found.insert(0, CheckOption(LOWER, label, form, LIFE_POINT, helps="always"))
        return [*found, *self._earlier_options(game, check, who)]

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        if "packages" not in choice.values:
            return self._step_back(game, check, choice)
        dropped = _read_packages(choice.values)
        data, card, said = check.data, card_windows.is_card(choice), SPENT
        if card:
            game, data, _, said = self.play_card(game, check, choice)
        blows = [
            each.lowered(dropped, card=card) if each.who == choice.who else each
            for each in data.blows
        ]
        return StageResult(game.state, data.replace(blows=tuple(blows)), said=said)


# --- together -------------------------------------------------------------------------------------

JOIN = "join"


def is_enlisting_npcs(game: Game, check: AnyCheck) -> bool:
    """Whether a player names NPCs to do it with: a GM is asked then."""
    named = check.data.asked.get("together", ())
    return not is_gm(game.state, game.actor) and any(is_npc(game, each) for each in named)


def companion_notes(who: Iterable[str]) -> list[Note]:
    """With whom somebody means to do it."""
    named = tuple([Ref(each) for each in who])
    return [Note(Text("mb-together", {"who": named}), FOR_EVERYONE)] if named else []


class JoinStage(Stage[Any]):
    """They are asked once. The data has who has `joined`; `wanted` tells with whom, nobody once
    that is past.
    """

    name = "declared"
    orders = ((JOIN, CheckOption(JOIN, Text("mb-join"))),)

    def __init__(self, wanted: Callable[[Any], tuple[str, ...]]) -> None:
        self._wanted = wanted

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        joined = check.data.joined
        who = tuple(
            [
                each
                for each in self._wanted(check.data)
                if each not in joined and not is_npc(game, each)
            ]
        )
        return (Prompt(JOIN, who, "answer", PASS, button="answer-join"),) if who else ()

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        return [option for _, option in self.orders]

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        return StageResult(game.state, check.data.replace(joined=(*check.data.joined, choice.who)))


def idle(game: Game, check: AnyAttempt, who: str) -> Text:
    """Why somebody can spend nothing on a check that is open."""
    return spend_refusal(check, OPEN, certain=check.data.is_automatic) or Text("mb-no-spend")
