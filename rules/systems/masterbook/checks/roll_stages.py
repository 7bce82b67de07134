"""Stages of every roll: open dice, Life Points and their canceling, windows for cards.

A kind of roll is a `RolledAction`, which answers what the stages ask.

MB-DIE-02, MB-DIE-03, MB-DIE-06, MB-LP-03, MB-LP-05, MB-CARD-13, MB-CBN-02.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, Final

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
from rules.systems.masterbook.formulas import dice
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.reference_rows import cause_total
from rules.table.absence import orders_of
from rules.table.blocks import FOR_EVERYONE, Block, Note, Ref, Text, first_verdict, public_verdict
from rules.table.check import ANY_GM, NEXT, OVER, PASS, AnyCheck, Choice, Cost, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult, procedure_of
from rules.table.checks.stages import ReactionStage, spend_refusal
from rules.table.system import Game, is_npc

OPEN, CANCEL = "open", "cancel"
LIFE_POINT: Final = Cost("life_points", 1)
#: Text of a spent Life Point. Other players may not learn how many are left.
SPENT: Final = Text("mb-spent-point")
_CANCELS: Final = CheckOption("cancel", Text("mb-react-cancel"), cost=LIFE_POINT, helps="never")
Moments = tuple[Moment, ...]


def can_spend_point(game: Game, who: str) -> bool:
    """Return whether a character is conscious and has a Life Point (MB-LP-05)."""
    sheet: MasterbookSheet = game.sheet(who)
    return sheet.life_points > 0 and not sheet.harm.out


def card_bonus(game: Game, check: AnyCheck, who: str, number: Named) -> int:
    """Return what cards on this check, and cards that last, add to a number of a character
    (MB-CARD-E01, MB-CARD-E07).
    """
    played = cause_total(card_causes(check.data.effects, who, number))
    return played + card_windows.lasting_card_bonus(game, who, check)


class RolledAction(ABC):
    """Rules of a kind of roll, which the stages of its dice ask. The check's data is a `RollData`.

    Moments are what cards may go on in a stage. Without moments, nobody may play a card there.
    """

    @abstractmethod
    def throws_due(self, game: Game, check: AnyCheck) -> tuple[Throw, ...]:
        """Roll the dice that are due. Dice that were rolled before stay."""

    def refresh_from_sheets(self, game: Game, check: AnyCheck, data: Any) -> Any:
        """Return the data with what the sheets have when the dice are rolled."""
        return data

    def use_up_effects(self, game: Game, check: AnyCheck) -> Game:
        """Return the game without the effects that waited for this roll."""
        return game

    def is_settled(self, game: Game, check: AnyCheck) -> bool:
        """Return whether everyone can see that no side could change the dice."""
        return check.gm_only

    def may_spend(self, check: AnyCheck, who: str) -> bool:
        """Return whether a character may spend anything on the dice at all."""
        return True

    def is_unaware(self, check: AnyCheck, who: str) -> bool:
        """Return whether a character doesn't know of the action."""
        return False

    def decides_when_hurt(self, check: AnyCheck, who: str) -> bool:
        """Return whether *who* decides about its dice together with the damage."""
        return False

    def untrained_moments(self, game: Game, check: AnyCheck) -> Moments:
        """Return the moments of rolls that lack the training they take."""
        return ()

    def open_dice_moments(self, game: Game, check: AnyCheck) -> Moments:
        """Return the moments while the dice may change."""
        return ()

    def impact_moments(self, game: Game, check: AnyCheck) -> Moments:
        """Return the moments before a success is told (MB-CARD-E07)."""
        return ()

    def resolution_moments(self, game: Game, check: AnyCheck) -> Moments:
        """Return the moments of a known result without effect so far (MB-CARD-E12, MB-CARD-E15)."""
        return ()

    def with_card(self, check: AnyCheck, data: Any, effect: CardEffect) -> Any:
        """Return the data with a card on numbers that have no dice."""
        return data

    def without_throws_of(self, data: Any, who: str) -> Any:
        """Return the data without the dice of *who*, and without what followed from them."""
        return data.replace(throws=tuple(throw for throw in data.throws if throw.who != who))


class CardStage(Stage[Any]):
    """Stage in which cards may be played on its moments."""

    #: Ways in which cards may be used here.
    uses: Collection[Use] = card_windows.PLAIN

    @abstractmethod
    def moments(self, game: Game, check: AnyCheck) -> Moments:
        """Return what cards may be played on."""

    def possible_players(self, game: Game, check: AnyCheck) -> tuple[str, ...]:
        """Return the characters who might play a card, as everyone can see."""
        return card_windows.possible_players(game, check, self.moments(game, check), self.uses)

    def card_options(self, game: Game, check: AnyCheck, who: str) -> tuple[CheckOption, ...]:
        """Return the cards that a character may play."""
        return card_windows.offers(game, check, who, self.moments(game, check), self.uses)

    def play_card(
        self, game: Game, check: AnyCheck, choice: Choice, *, early: bool = False
    ) -> tuple[Game, Any, CardEffect, Text]:
        """Play the chosen card. Return the game, the data, the card's effect, and its log line."""
        game, effect = card_windows.play_chosen_card(
            game, check, choice, self.moments(game, check), early=early
        )
        data = check.data.replace(effects=(*check.data.effects, effect))
        return game, data, effect, card_windows.card_played_text(effect)

    def throw_again(
        self, game: Game, data: Any, effect: CardEffect, to: str, said: Text
    ) -> StageResult[Any]:
        """Return to the stage of the dice, which are rolled once more by this card."""
        return StageResult(game.state, card_windows.reset_for_rethrow(data, effect), to, said=said)


def has_points_or_cards(game: Game, stage: CardStage, check: AnyCheck, who: str) -> bool:
    """Return whether everyone can see that *who* might spend a Life Point, Luck or a card here."""
    return can_spend_point(game, who) or who in stage.possible_players(game, check)


def _has_spent_point(check: AnyCheck, who: str) -> bool:
    """Return whether a character has spent a Life Point on its own dice (MB-DIE-03)."""
    return any(point.who == who and not point.card for point in check.data.points)


class _Acting(CardStage):
    """Stage that asks the rules of an action."""

    def __init__(self, act: RolledAction) -> None:
        super().__init__()
        self.act = act


class Dice(_Acting, ReactionStage[Any]):
    """Stage of open dice: a character may spend one point on its own, and play cards
    (MB-DIE-03, MB-CARD-13).

    The check enters the stage again after each point, and after a card that makes the actor roll
    once more (`rolls_again`).
    """

    name = OPEN
    uses = card_windows.OPEN
    #: Stage in which a point that is spent here may be canceled.
    cancel: str = CANCEL

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        return self.act.open_dice_moments(game, check)

    def enter(self, game: Game, check: AnyCheck, /) -> StageResult[Any] | None:
        data = check.data
        if data.rolls_again:
            throws = card_windows.with_lasting_cards(game, check, self.act.throws_due(game, check))
            data = data.replace(throws=(*throws, *data.throws), rolls_again=False)
            return StageResult(game.state, data)
        if not data.throws:
            check = check.replace(data=self.act.refresh_from_sheets(game, check, data))
            throws = self.act.throws_due(game, check)
            if not throws:
                return None
            now = card_windows.with_earlier_cards(game, check, check.data.replace(throws=throws))
            now = now.replace(effects=(*now.effects, *card_windows.waiting_effects(game, throws)))
            return StageResult(self.act.use_up_effects(game, check).state, now)
        return self._apply_point(game, check)

    def _apply_point(self, game: Game, check: AnyCheck) -> StageResult[Any] | None:
        """Roll the dice of an open point, unless the point was canceled (MB-DIE-03)."""
        data, point = check.data, check.data.open_point
        if point is None:
            return None
        data = data.with_point(point, point.replace(used=True))
        if point.by:
            return StageResult(game.state, data)
        scope, rng = game.setting("lp_tens_scope"), game.rng_for(check, point.who)
        throws: list[Throw] = []
        for throw in data.throws:
            if (throw.who, throw.what) == (point.who, point.what):
                throw = throw.replace(roll=dice.spend_point(throw.roll, rng, scope))
            throws.append(throw)
        return StageResult(game.state, data.replace(throws=tuple(throws)))

    def reactors(self, game: Game, check: AnyCheck) -> tuple[str, ...]:
        """Return the characters that rolled dice and spent nothing on them, and card holders.

        Other players don't know what those characters have left.
        """
        if self.act.is_settled(game, check):
            return ()
        reactors: list[str] = []
        for throw in check.data.throws:
            if _has_spent_point(check, throw.who):
                continue
            if check.visibility != "blind" or is_npc(game, throw.who):
                reactors.append(throw.who)
        # Of the others, only characters who may hold a card are asked about open dice.
        if card_windows.may_hold_cards(game):
            reactors += self.possible_players(game, check)
        return tuple(who for who in dict.fromkeys(reactors) if self.act.may_spend(check, who))

    def deciders(self, game: Game, check: AnyCheck, prompt: Prompt, /) -> tuple[str, ...]:
        """Return the characters that rolled dice and decide about them.

        Against a hidden number, a character that has spent a point decides no more.
        """
        rollers = {throw.who for throw in check.data.throws}
        deciders: list[str] = []
        for who in prompt.who or ():
            if who not in rollers or self.act.decides_when_hurt(check, who):
                continue
            if _has_spent_point(check, who) and self.has_secret_number(game, check):
                continue
            deciders.append(who)
        return tuple(deciders)

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
        rolls = [throw.what for throw in check.data.throws if throw.who == who]
        left = game.sheet(who).life_points
        options: list[CheckOption] = []
        for what in dict.fromkeys(rolls):
            about = {"what": what if len(rolls) > 1 else None, "left": left}
            label = Text("mb-react-point", about)
            options.append(CheckOption(f"point:{what}", label, cost=LIFE_POINT))
        return (*options, *cards)

    def apply_reaction(self, game: Game, check: AnyCheck, choice: Choice) -> StageResult[Any]:
        if not card_windows.is_card(choice):
            point = Point(choice.who, choice.option.partition(":")[2])
            data = check.data.replace(points=(*check.data.points, point))
            return StageResult(game.state, data, self.cancel, said=SPENT)
        game, _, effect, said = self.play_card(game, check, choice)
        data = card_windows.with_card_on_throws(game, check, check.data, effect)
        data = self.act.with_card(check, data, effect)
        if effect.op == "retry_action":
            data = self.act.without_throws_of(data, choice.who)
            return self.throw_again(game, data, effect, self.name, said)
        if effect.op != "life_point":
            return StageResult(game.state, data, said=said)
        data = data.replace(points=(*data.points, card_windows.point_of(effect)))
        return StageResult(game.state, data, self.cancel, said=said)


def _cancels_as(game: Game, npc: str) -> CheckOption:
    label = Text("mb-react-cancel-as", {"name": game.character(npc).name})
    return CheckOption(f"cancel:{npc}", label, cost=LIFE_POINT.replace(who=npc), helps="never")


def _are_opponents(game: Game, check: AnyCheck, one: str, other: str) -> bool:
    """Return whether two characters are on different sides of a check."""
    return {one, other} == {check.actor, check.target} or is_npc(game, one) != is_npc(game, other)


class CancelStage(_Acting):
    """Stage in which others may cancel a spent point with one of their own (MB-DIE-06).

    It stands before the stage of the dice, which the check enters again from here.
    """

    name = CANCEL
    passed = (CANCEL,)
    uses = ("cancel",)
    #: Stage of the dice on which points are spent.
    dice: str = OPEN

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        """Return the open point, which a card may cancel (MB-CARD-E09)."""
        point = check.data.open_point
        return () if point is None else (Moment("roll_pending", check.actor, point.who, "total"),)

    def _others(self, game: Game, check: AnyCheck) -> list[str]:
        """Return the characters who may cancel the open point."""
        point = check.data.open_point
        if point is None or point.sure or check.gm_only:
            return []
        others: list[str] = []
        for who, character in game.state.characters.items():
            if character.in_play and who != point.who and not self.act.is_unaware(check, who):
                others.append(who)
        return others

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        others = self._others(game, check)
        if not others:
            return ()
        asked = [who for who in others if self._may_be_asked(game, check, who)]
        gms = Prompt("gm-cancel", (ANY_GM,), None)
        return (Prompt(CANCEL, tuple(asked), "means", PASS), gms) if asked else (gms,)

    def _may_be_asked(self, game: Game, check: AnyCheck, who: str) -> bool:
        """Return whether a character has a prompt of its own.

        Other NPCs are the GMs' to answer for. In a private check, players aren't asked.
        """
        if self._asks_gms(game, check, who):
            return True
        if check.visibility != "public":
            return False
        return who in (check.actor, check.target) or not is_npc(game, who)

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
        involved = {check.actor, check.target, *[throw.who for throw in check.data.throws]}
        deciders: list[str] = []
        for who in prompt.who or ():
            opposes = who in involved and _are_opponents(game, check, who, point.who)
            if opposes or self._asks_gms(game, check, who):
                deciders.append(who)
        return tuple(deciders)

    def has_means(self, game: Game, check: AnyCheck, who: str, /) -> bool:
        return has_points_or_cards(game, self, check, who)

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        if prompt == CANCEL:
            point = check.data.open_point
            against = point is not None and _are_opponents(game, check, who, point.who)
            options = [_CANCELS] if can_spend_point(game, who) else []
            options += self.card_options(game, check, who)
            # The highlighted button never cancels a friend's roll.
            helps = "always" if against else "never"
            return tuple(option.replace(helps=helps) for option in options)
        own_prompt = check.prompt(CANCEL)
        # An NPC with a prompt of its own has the same option there.
        asked = () if own_prompt is None else own_prompt.waiting_for
        npcs: list[str] = []
        for other in self._others(game, check):
            if is_npc(game, other) and other not in asked and can_spend_point(game, other):
                npcs.append(other)
        return tuple(_cancels_as(game, npc) for npc in npcs)

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        data, point = check.data, check.data.open_point
        if card_windows.is_card(choice):
            game, _, effect, said = self.play_card(game, check, choice)
            canceled = point.replace(by=choice.who, with_=effect.name)
        else:
            said = Text("mb-canceled-point")
            canceled = point.replace(by=choice.option.partition(":")[2] or choice.who, with_="")
        return StageResult(game.state, data.with_point(point, canceled), self.dice, said=said)


# --- windows for cards ----------------------------------------------------------------------------


#: Stage of a roll that lacks the training it takes.
TRAINING: Final = "training"
_WITHDRAW: Final = CheckOption("withdraw", Text("answer-withdraw"), helps="never")


class Window(_Acting):
    """Stage that asks the characters who might play a card, until all pass."""

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
            data = self.act.without_throws_of(data, choice.who)
            return self.throw_again(game, data, effect, OPEN, said)
        reopen = any(who != choice.who for who in self.possible_players(game, check))
        return StageResult(game.state, data, reopen=reopen, said=said)


class ImpactWindow(Window):
    """Window before players read what a success does."""

    name = IMPACT
    step_in = "before-verdict"

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        return self.act.impact_moments(game, check)


#: Standing orders after an opponent's action: to play Opponent Fails, or to step in only unasked.
_FAILS: Final = (
    (AFTER, CheckOption(card_windows.option_value("opponent_fails"), Text("mb-order-fails"))),
    (AFTER, CheckOption(PASS, Text("mb-order-told"))),
)


class ResolutionWindow(Window):
    """Window after the result is known and before it takes effect.

    The target of a *hostile* action may have standing orders for it.
    """

    name = AFTER
    step_in = "after-verdict"

    def __init__(self, act: RolledAction, *, hostile: bool = True) -> None:
        super().__init__(act)
        self.orders = _FAILS if hostile else ()

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        return self.act.resolution_moments(game, check)


class TrainingStage(_Acting):
    """Stage in which the dice wait for a card that makes up for missing training (MB-CARD-E03).

    Public facts decide whether the check waits. A player without such a card withdraws.
    """

    name = TRAINING

    def moments(self, game: Game, check: AnyCheck) -> Moments:
        data = check.data
        if data.throws:
            return ()
        moments: list[Moment] = []
        for about in self.act.untrained_moments(game, check):
            if not card_windows.is_training_waived(data.effects, about.whose, about.what):
                moments.append(about)
        return tuple(moments)

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        who = tuple(dict.fromkeys(about.whose for about in self.moments(game, check)))
        if not who:
            return ()
        return (Prompt(TRAINING, who, default=_WITHDRAW.value, button="mb-open-training"),)

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        options: list[CheckOption] = []
        for option in self.card_options(game, check, who):
            if card_windows.is_training_card(game, option.value):
                options.append(option)
        return (*options, _WITHDRAW)

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        if not card_windows.is_card(choice):
            return StageResult(game.state, check.data, OVER)
        game, data, _, said = self.play_card(game, check, choice)
        return StageResult(game.state, data, said=said)


def training_notes(check: AnyCheck) -> list[Block]:
    """Return the note about characters who wait for a card instead of training."""
    prompt = check.prompt(TRAINING)
    if prompt is None:
        return []
    waiting = tuple(Ref(who) for who in prompt.waiting_for)
    return [Note(Text("mb-takes-training", {"who": waiting}), FOR_EVERYONE)]


def dice_stages(act: RolledAction, *between: Stage[Any]) -> tuple[Stage[Any], ...]:
    """Return the stages of an action's dice, with those *between* after the one for training."""
    return (TrainingStage(act), *between, CancelStage(act), Dice(act))


def idle(game: Game, check: AnyAttempt, who: str) -> Text:
    """Return why a character can spend nothing on an open check."""
    return spend_refusal(check, OPEN, certain=check.data.is_automatic) or Text("mb-no-spend")
