"""Cards that a finished action earns or costs (MB-CARD-A01 to MB-CARD-A03, MB-CARD-I12)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_economy import LINE, is_own_action, sets_of
from rules.systems.masterbook.checks.card_in_effect import card_for
from rules.systems.masterbook.checks.late_rulings import LateRuling, is_newest_of_actor
from rules.systems.masterbook.checks.procedure import means_of
from rules.systems.masterbook.checks.state import AnyAttempt
from rules.systems.masterbook.deck import card_lines
from rules.systems.masterbook.deck.card_lines import Deed
from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, HAND, POOL, character_place
from rules.systems.masterbook.deck.table_deck import current_cards, require_cards, with_cards
from rules.systems.masterbook.formulas import interaction
from rules.table.blocks import GMS_ONLY, Text, Viewers
from rules.table.check import ANY_GM, Check, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.marks import marks_of, with_marks
from rules.table.state import Mark
from rules.table.system import Game, is_npc

#: Mark of an action that has earned a card in this round; `what` is the action's number.
_AWARDED: Final = "awarded"
#: What bad luck is unless the GM makes a mark of it; the compensation as sheets write it, and its
#: worst column.
_MISHAP: Final = "mishap"
_BAD: Final = re.compile(r"bad luck\W*c?(i{1,3})\b", re.IGNORECASE)
_WORST: Final = 3
Deeds = Iterable[tuple[str, Deed]]


def _way(game: Game, check: AnyAttempt) -> str:
    """What somebody's talk or feint counts as; empty for all else (MB-CARD-A02)."""
    means = means_of(game, check.actor, check.data.request)
    way, _ = interaction.interaction_for_skill(means.skill, means.focus) or ("", 0)
    return "" if way == interaction.MANEUVER and check.kind != "interact" else way


def check_deeds(game: Game, check: AnyAttempt) -> Deeds:
    """What a check was, for whoever acted in it on their turn."""
    if check.data.result is None or not is_own_action(game, check.actor, free=check.data.free):
        return
    yield (
        check.actor,
        Deed(_way(game, check), check.data.request.skill, True, check.data.has_succeeded),
    )


def credit_deed(game: Game, who: str, deed: Deed) -> tuple[Game, bool]:
    """The game once a deed has earned its card, and whether it did; several at once earn one
    (MB-CARD-A03).
    """
    if card_for(game, who) is None:
        return game, False
    action = deed.during or sets_of(game, who)
    if action and marks_of(game.state, who, _AWARDED, str(action)):
        return game, False
    try:
        cards = card_lines.earn_card(require_cards(game), who, deed)
    except Impossible:
        return game, False
    game = with_cards(game, cards)
    mark = Mark(_AWARDED, str(action), until="round")
    return game.with_state(with_marks(game.state, who, mark)), True


class AwardStage(Stage[Any]):
    """Approved actions that have succeeded are noticed by themselves; a GM may take that back."""

    name = "noticed"

    def __init__(self, deeds: Callable[[Game, Any], Deeds]) -> None:
        self._deeds = deeds

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        data = check.data
        if data.noticed or check.round is None or check.gm_only or check.visibility == "blind":
            return None
        earns = list[str]()
        for who, deed in self._deeds(game, check):
            game, got = credit_deed(game, who, deed)
            earns += [who] if got else []
        return (
            StageResult(game.state, data.replace(noticed=True, earns=tuple(earns)))
            if earns
            else None
        )


class BadLuckStage(AwardStage, LateRuling):
    """Mishap after two low dice of a character with Bad Luck, unless the GM says otherwise.

    MB-CARD-L04. The stage is the last one, so that nothing public waits for a mishap that only the
    GM knows of.
    """

    name = "unlucky"

    def _unlucky_character(self, game: Game, check: Check[Any]) -> str:
        """The first of those who have thrown so low whose luck is not told yet; empty for none."""
        for each in check.data.throws:
            column = _column(game.sheet(each.who))
            if (
                column
                and each.who not in check.data.luckless
                and card_lines.unlucky(column, each.roll.low)
            ):
                return each.who
        return ""

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        if not self.asks_gms(game) or not self._unlucky_character(game, check):
            return ()
        seen = self.ruling_viewers(game, check)
        return (
            Prompt("bad-luck", (ANY_GM,), "answer", _MISHAP, visible_to=seen, button="mb-bad-luck"),
        )

    def ruling_viewers(self, game: Game, check: Check[Any], option: str = "") -> Viewers:
        """Of blind dice, and of what NPCs are like, it would tell."""
        struck = self._unlucky_character(game, check)
        if check.visibility == "blind" or not struck or is_npc(game, struck):
            return GMS_ONLY
        return super().ruling_viewers(game, check, option)

    def late_options(self, game: Game, check: Check[Any]) -> tuple[CheckOption, ...]:
        struck = "" if check.data is None else self._unlucky_character(game, check)
        if not struck or not is_newest_of_actor(game, check):
            return ()
        found = self.options(game, check, "bad-luck", ANY_GM)
        return tuple([each for each in found if each.value != _MISHAP])

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        struck = self._unlucky_character(game, check)
        column, name = (
            (_column(game.sheet(struck)), game.character(struck).name) if struck else (0, "")
        )
        # The worst of it is at least a setback.
        ways = {
            _MISHAP: True,
            interaction.STYMIED: column != _WORST,
            interaction.SETBACK: check.round is not None,
        }
        found = [each for each, may in ways.items() if may]
        return tuple(
            [
                CheckOption(each, Text("mb-bad-luck-is", {"name": name, "how": each}))
                for each in found
            ]
        )

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        who, state = self._unlucky_character(game, check), game.state
        if choice.option == interaction.STYMIED:
            state = with_marks(state, who, Mark(LINE, interaction.STYMIED, until="scene"))
        if choice.option == interaction.SETBACK:
            state = with_marks(state, who, Mark(interaction.SETBACK, until="encounter"))
        return StageResult(state, check.data.replace(luckless=(*check.data.luckless, who)))


def _column(sheet: MasterbookSheet) -> int:
    """How bad somebody's luck is, by the column of the compensation: `Bad Luck (CII)`; 0 without
    it.
    """
    found = [_BAD.search(each) for each in sheet.compensations]
    return max([len(each[1]) for each in found if each is not None], default=0)


class CardLossStage(LateRuling):
    """Where the round's card says so, a success of the GM's side takes a card away: a random one of
    the hand, unless the GM says otherwise (MB-CARD-I12).
    """

    name = "robbing"

    def enter(self, game: Game, check: AnyAttempt, /) -> StageResult[Any] | None:
        if self.asks_gms(game) or not self._robbing_skill(game, check):
            return None
        return self.rule_late(game, check, self.options(game, check, "rob", ANY_GM)[0].value)

    def _robbing_skill(self, game: Game, check: AnyAttempt) -> str:
        """The skill by which a card is taken from the target; empty for none."""
        result, who = check.data.result, check.target
        if check.data.robbed or who is None or result is None or not check.data.has_succeeded:
            return ""
        found = card_for(game, check.actor)
        if found is None or found[1] != "G" or found[0].gms != "skill" or is_npc(game, who):
            return ""
        way = _way(game, check).casefold()
        cards = require_cards(game)
        held = cards.deal.seat(who) is not None and (cards.at(HAND, who) or cards.at(POOL, who))
        return way if held and way == found[0].skill else ""

    def ask(self, game: Game, check: AnyAttempt, /) -> tuple[Prompt, ...]:
        if not self.asks_gms(game) or not self._robbing_skill(game, check):
            return ()
        default = next(iter(self.options(game, check, "rob", ANY_GM))).value
        return (Prompt("rob", (ANY_GM,), "answer", default, button="mb-card-rob"),)

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        cards, target = require_cards(game), check.target or ""
        hand = (CheckOption("hand", Text("mb-card-take-hand")),) if cards.at(HAND, target) else ()
        names = {each: cards.kind(each).name for each in cards.at(POOL, target)}
        takes = [
            (f"pool:{each}", Text("mb-card-take-pool", {"card": name}))
            for each, name in names.items()
        ]
        return (*hand, *[CheckOption(*each) for each in takes])

    def choose(self, game: Game, check: AnyAttempt, choice: Choice, /) -> StageResult[Any]:
        card = choice.option.partition(":")[2] or None
        skill, cards = self._robbing_skill(game, check), require_cards(game)
        cards = card_lines.take_card(cards, check.target or "", card, game.rng.secret, skill)
        name = cards.kind(cards.told[0].cards[0]).name
        return StageResult(with_cards(game, cards).state, check.data.replace(robbed=name))

    def late_options(self, game: Game, check: AnyAttempt) -> tuple[CheckOption, ...]:
        """Return the other cards of the pool while the lost card tops the discard pile."""
        who = check.target
        if who is None or not check.data.robbed or not is_newest_of_actor(game, check):
            return ()
        cards = current_cards(game)
        gone = cards.at(DISCARD_PILE)[:1]
        if not gone or cards.deal.seat(who) is None:
            return ()
        if cards.kind(gone[0]).name != check.data.robbed:
            return ()
        return tuple(
            CheckOption(
                f"pool:{each}",
                Text(
                    "mb-card-take-instead",
                    {"card": cards.kind(each).name, "other": check.data.robbed},
                ),
            )
            for each in cards.at(POOL, who)
        )

    def rule_late(self, game: Game, check: AnyAttempt, option: str) -> StageResult[Any]:
        who = check.target or ""
        if check.data.robbed:
            cards = require_cards(game)
            back = cards.at(DISCARD_PILE)[0]
            cards = cards.with_cards_moved(DISCARD_PILE, character_place(HAND, who), back)
            game = with_cards(game, cards)
            check = check.replace(data=check.data.replace(robbed=""))
        return self.choose(game, check, Choice("rob", option, ANY_GM))
