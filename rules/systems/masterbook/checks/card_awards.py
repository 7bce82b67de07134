"""Cards that a finished action earns or costs, and Bad Luck after it.

MB-CARD-A01 to MB-CARD-A03, MB-CARD-I12, MB-BG-43.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.character.sheet import MasterbookSheet, option_effects
from rules.systems.masterbook.checks.action_economy import LINE, is_own_action, round_of, sets_of
from rules.systems.masterbook.checks.attempt_values import means_of
from rules.systems.masterbook.checks.card_in_effect import card_for
from rules.systems.masterbook.checks.late_rulings import LateRulingStage, is_newest_of_actor
from rules.systems.masterbook.checks.state import AnyAttempt
from rules.systems.masterbook.deck import card_lines
from rules.systems.masterbook.deck.card_lines import CardDeed
from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, HAND, POOL, character_place
from rules.systems.masterbook.deck.table_deck import current_cards, require_cards, with_cards
from rules.systems.masterbook.formulas import interaction
from rules.systems.masterbook.formulas.dice import Throw
from rules.table.blocks import GMS_ONLY, Text, Viewers
from rules.table.check import ANY_GM, AnyCheck, Check, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.marks import marks_of, with_marks, without_marks
from rules.table.state import Mark, TableState
from rules.table.system import Game, is_npc

#: Mark of an action that has earned a card in this round; `what` is the action's number.
_AWARDED: Final = "awarded"
#: Bad luck without a mark: the GM describes a mishap. It is the default.
_MISHAP: Final = "mishap"
#: Worst column of Bad Luck.
_WORST: Final = 3
#: Deeds that may earn cards, each with its character.
Deeds = Iterable[tuple[str, CardDeed]]


def _interaction_way(game: Game, check: AnyAttempt) -> str:
    """Return the kind of interaction that a check counts as; empty for others (MB-CARD-A02)."""
    source = means_of(game, check.actor, check.data.request)
    way, _ = interaction.interaction_for_skill(source.skill, source.focus) or ("", 0)
    if way == interaction.MANEUVER and check.kind != "interact":
        return ""
    return way


def check_deeds(game: Game, check: AnyAttempt) -> Deeds:
    """Yield the deed of a check, if its actor rolled on its own turn."""
    data = check.data
    if data.result is None or not is_own_action(game, check.actor, free=data.free):
        return
    way = _interaction_way(game, check)
    yield check.actor, CardDeed(way, data.request.skill, True, data.has_succeeded)


def credit_deed(game: Game, who: str, deed: CardDeed) -> tuple[Game, bool]:
    """Return the game with the card that a deed earns, and whether it earns one (MB-CARD-A03).

    Several deeds at once earn one card.
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
    """Stage in which successful approved actions earn cards. A GM may take a card back."""

    name = "noticed"

    def __init__(self, deeds: Callable[[Game, Any], Deeds]) -> None:
        self._deeds = deeds

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        data = check.data
        if data.card_earners or check.round is None or check.gm_only or check.visibility == "blind":
            return None
        earners: list[str] = []
        for who, deed in self._deeds(game, check):
            game, earned = credit_deed(game, who, deed)
            if earned:
                earners.append(who)
        if not earners:
            return None
        return StageResult(game.state, data.replace(card_earners=tuple(earners)))


#: Bad luck of a character that counts in this adventure, as a mark; `what` is the check.
_STRUCK: Final = "bad_luck"
#: Bad luck that the GM keeps for later in this adventure, as a mark; `what` is the check.
_BANKED: Final = "banked_luck"
_BANK, _SKIP = "bank", "skip"


class Fortune(Record):
    """Bad luck of a character in this adventure (MB-BG-43)."""

    #: Strokes that count. One that the GM skips does not.
    triggers: int = 0
    #: Strokes that the GM keeps for later.
    banked: int = 0


def fortune_of(game: Game, who: str) -> Fortune:
    """Return the bad luck of a character in this adventure."""
    struck, banked = marks_of(game.state, who, _STRUCK), marks_of(game.state, who, _BANKED)
    return Fortune(len(struck), len(banked))


def bad_luck_text(name: str, how: str, times: int = 0) -> Text:
    """Return the line about bad luck; *times* is told from the third stroke on (MB-BG-43)."""
    return Text("mb-bad-luck-is", {"name": name, "how": how, "times": times})


def _strike(state: TableState, who: str, how: str) -> TableState:
    """Return the table once bad luck takes effect; a mishap is the GM's to describe."""
    if how == interaction.STYMIED:
        return with_marks(state, who, Mark(LINE, interaction.STYMIED, until="scene"))
    if how == interaction.SETBACK:
        return with_marks(state, who, Mark(interaction.SETBACK, until="encounter"))
    return state


def spend_banked_luck(game: Game, who: str, how: str) -> Game:
    """Spend a banked stroke of bad luck on a mishap, or in rounds on a setback (MB-BG-43).

    Raises:
        Impossible("mb-no-banked-luck"): the GM has banked none for this character.
        InvalidInput("mb-bad-luck-how"): bad luck can't be this, or can't be it now.
    """
    banked = marks_of(game.state, who, _BANKED)
    if not banked:
        raise Impossible("mb-no-banked-luck", who=game.display_name(who))
    in_rounds = round_of(game, who) is not None
    ways = (_MISHAP, interaction.SETBACK) if in_rounds else (_MISHAP,)
    if how not in ways:
        raise InvalidInput("mb-bad-luck-how", field="how", value=how[:100], allowed=ways)
    state = without_marks(game.state, who, _BANKED, banked[0].what)
    return game.with_state(_strike(state, who, how))


def no_deeds(game: Game, check: AnyAttempt) -> Deeds:
    """Return no deeds, for checks that earn no card."""
    return ()


def rolled_throws(data: Any) -> Iterable[Throw]:
    """Return the throws that a check rolled."""
    return data.throws


class BadLuckStage(AwardStage, LateRulingStage):
    """Mishap after two low dice of a character with Bad Luck, unless the GM says otherwise.

    MB-CARD-L04, MB-BG-43. Dice of NPCs don't count. The stage is the last one, so that nothing
    public waits for a mishap that only the GM knows of.
    """

    name = "unlucky"

    def __init__(
        self,
        deeds: Callable[[Game, Any], Deeds] = no_deeds,
        throws: Callable[[Any], Iterable[Throw]] = rolled_throws,
    ) -> None:
        super().__init__(deeds)
        self._throws = throws

    def _unlucky_characters(self, game: Game, check: Check[Any]) -> tuple[str, ...]:
        """Return the characters who have rolled so low and whose bad luck is not ruled yet."""
        unlucky: list[str] = []
        for throw in self._throws(check.data):
            who = throw.who
            if who in unlucky or who in check.data.luckless or is_npc(game, who):
                continue
            if is_struck(game.sheet(who), throw.roll.low):
                unlucky.append(who)
        return tuple(unlucky)

    def _unlucky_character(self, game: Game, check: Check[Any]) -> str:
        """Return the first of `_unlucky_characters`; empty for none."""
        return next(iter(self._unlucky_characters(game, check)), "")

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        """Count the bad luck, and credit the deeds of the check."""
        state = game.state
        for who in self._unlucky_characters(game, check):
            state = with_marks(state, who, Mark(_STRUCK, check.id, until="adventure"))
        counted = game.with_state(state)
        credited = super().enter(counted, check)
        if credited is None and state is not game.state:
            return StageResult(state, check.data)
        return credited

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        if not self.asks_gms(game) or not self._unlucky_character(game, check):
            return ()
        seen = self.ruling_viewers(game, check)
        return (
            Prompt("bad-luck", (ANY_GM,), "answer", _MISHAP, visible_to=seen, button="mb-bad-luck"),
        )

    def ruling_viewers(self, game: Game, check: Check[Any], option: str = "") -> Viewers:
        """Only GMs know of the bad luck of blind dice."""
        if check.visibility == "blind" or not self._unlucky_character(game, check):
            return GMS_ONLY
        return super().ruling_viewers(game, check, option)

    def late_options(self, game: Game, check: Check[Any]) -> tuple[CheckOption, ...]:
        struck = "" if check.data is None else self._unlucky_character(game, check)
        if not struck or not is_newest_of_actor(game, check):
            return ()
        options = self.options(game, check, "bad-luck", ANY_GM)
        return tuple(option for option in options if option.value != _MISHAP)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        struck = self._unlucky_character(game, check)
        if not struck:
            return ()
        # The worst of it is at least a setback.
        worst = _column(game.sheet(struck)) == _WORST
        ways = {
            _MISHAP: True,
            interaction.STYMIED: not worst,
            interaction.SETBACK: check.round is not None,
            _BANK: worst,
            _SKIP: True,
        }
        name, times = game.character(struck).name, fortune_of(game, struck).triggers
        possible = [how for how, may in ways.items() if may]
        return tuple(CheckOption(how, bad_luck_text(name, how, times)) for how in possible)

    def ruling_text(self, game: Game, check: AnyCheck, option: CheckOption) -> Text:
        """Return the line without the number: it counts bad luck of blind dice, too."""
        name = game.character(self._unlucky_character(game, check)).name
        return bad_luck_text(name, option.value)

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        who, state = self._unlucky_character(game, check), game.state
        if choice.option == _SKIP:
            state = without_marks(state, who, _STRUCK, check.id)
        if choice.option == _BANK:
            state = with_marks(state, who, Mark(_BANKED, check.id, until="adventure"))
        state = _strike(state, who, choice.option)
        data = check.data.replace(luckless=(*check.data.luckless, who))
        said = bad_luck_text(game.character(who).name, choice.option)
        return StageResult(state, data, said=said)


def is_struck(sheet: MasterbookSheet, low: int) -> bool:
    """Return whether a natural pair this low is bad luck for a character (MB-BG-43)."""
    column = _column(sheet)
    return column > 0 and card_lines.is_unlucky(column, low)


def _column(sheet: MasterbookSheet) -> int:
    """Return the worst column of Bad Luck; 0 without it (MB-BG-43)."""
    return option_effects(sheet).bad_luck


class CardLossStage(LateRulingStage):
    """Stage in which a success of the GM's side takes a card from its target (MB-CARD-I12).

    The round's card has to say so. Unless the GM rules otherwise, it is a random card of the hand.
    """

    name = "robbing"

    def enter(self, game: Game, check: AnyAttempt, /) -> StageResult[Any] | None:
        if self.asks_gms(game) or not self._robbing_skill(game, check):
            return None
        return self.rule_late(game, check, self.options(game, check, "rob", ANY_GM)[0].value)

    def _robbing_skill(self, game: Game, check: AnyAttempt) -> str:
        """Return the skill by which a card is taken from the target; empty for none."""
        data, who = check.data, check.target
        if data.stolen_card or who is None or data.result is None or not data.has_succeeded:
            return ""
        reading, side = card_for(game, check.actor) or (None, "")
        if reading is None or side != "G" or reading.gms != "skill" or is_npc(game, who):
            return ""
        way = _interaction_way(game, check).casefold()
        cards = require_cards(game)
        if cards.deal.seat(who) is None or not (cards.at(HAND, who) or cards.at(POOL, who)):
            return ""
        return way if way == reading.skill else ""

    def ask(self, game: Game, check: AnyAttempt, /) -> tuple[Prompt, ...]:
        if not self.asks_gms(game) or not self._robbing_skill(game, check):
            return ()
        default = next(iter(self.options(game, check, "rob", ANY_GM))).value
        return (Prompt("rob", (ANY_GM,), "answer", default, button="mb-card-rob"),)

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        cards, target = require_cards(game), check.target or ""
        options: list[CheckOption] = []
        if cards.at(HAND, target):
            options.append(CheckOption("hand", Text("mb-card-take-hand")))
        for card in cards.at(POOL, target):
            label = Text("mb-card-take-pool", {"card": cards.kind(card).name})
            options.append(CheckOption(f"pool:{card}", label))
        return tuple(options)

    def choose(self, game: Game, check: AnyAttempt, choice: Choice, /) -> StageResult[Any]:
        card = choice.option.partition(":")[2] or None
        skill, cards = self._robbing_skill(game, check), require_cards(game)
        cards = card_lines.take_card(cards, check.target or "", card, game.rng.secret, skill)
        name = cards.kind(cards.changes[0].cards[0]).name
        return StageResult(with_cards(game, cards).state, check.data.replace(stolen_card=name))

    def late_options(self, game: Game, check: AnyAttempt) -> tuple[CheckOption, ...]:
        """Return the other cards of the pool while the lost card tops the discard pile."""
        who = check.target
        if who is None or not check.data.stolen_card or not is_newest_of_actor(game, check):
            return ()
        cards = current_cards(game)
        gone = cards.at(DISCARD_PILE)[:1]
        if not gone or cards.deal.seat(who) is None:
            return ()
        if cards.kind(gone[0]).name != check.data.stolen_card:
            return ()
        options: list[CheckOption] = []
        for card in cards.at(POOL, who):
            about = {"card": cards.kind(card).name, "other": check.data.stolen_card}
            options.append(CheckOption(f"pool:{card}", Text("mb-card-take-instead", about)))
        return tuple(options)

    def rule_late(self, game: Game, check: AnyAttempt, option: str) -> StageResult[Any]:
        who = check.target or ""
        if check.data.stolen_card:
            cards = require_cards(game)
            back = cards.at(DISCARD_PILE)[0]
            cards = cards.with_cards_moved(DISCARD_PILE, character_place(HAND, who), back)
            game = with_cards(game, cards)
            check = check.replace(data=check.data.replace(stolen_card=""))
        return self.choose(game, check, Choice("rob", option, ANY_GM))
