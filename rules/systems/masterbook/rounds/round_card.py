"""The card of a round: kept, flipped or seized, and the effects of its line.

MB-CARD-I01 to MB-CARD-I13, MB-CARD-E16, MB-CARD-A01 to MB-CARD-A03, MB-CARD-L04.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from rules.core.record import Record
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_economy import (
    ACTED,
    LINE,
    SIMPLE,
    TRAPPED,
    WAITED,
    ref,
)
from rules.systems.masterbook.checks.card_in_effect import card_here, side_of
from rules.systems.masterbook.checks.late_rulings import LateRulingStage
from rules.systems.masterbook.checks.sheet_damage import capacity, stymied_shock, with_harm
from rules.systems.masterbook.checks.view import outcome_notes
from rules.systems.masterbook.deck import deal, play
from rules.systems.masterbook.deck.card_definitions import LineEffect, Side
from rules.systems.masterbook.deck.card_lines import (
    SEIZING_EFFECTS,
    CardReading,
    Seizing,
    apply_fatigue,
    apply_inspiration,
    current_reading,
    current_round,
    flip,
    seize,
    seizing_from,
    trap_penalty,
)
from rules.systems.masterbook.deck.deck_state import (
    DRAW_PILE,
    HAND,
    POOL,
    Cards,
    Flip,
    Rounds,
)
from rules.systems.masterbook.deck.table_deck import (
    current_cards,
    for_all,
    has_deck,
    mode,
    require_cards,
    with_cards,
)
from rules.systems.masterbook.formulas.damage import Facts
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.interaction import SETBACK, STYMIED
from rules.systems.masterbook.rounds import card_moves
from rules.table.blocks import FOR_EVERYONE, GMS_ONLY, Block, Fact, Ref, Text, Viewers
from rules.table.check import ANY_GM, PASS, AnyCheck, Check, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.forms.fields import Many, Option
from rules.table.forms.form import Form
from rules.table.initiative import encounter_in, require_encounter
from rules.table.marks import marks_of, with_marks, without_marks
from rules.table.permissions import public_name
from rules.table.state import Mark, TableState
from rules.table.system import Game

# --- the round ------------------------------------------------------------------------------------


class Opening(Record):
    """The beginning of a round, by dice or by its card."""

    number: int = 0
    #: A side had to break off before this round.
    breaks: bool = False
    kind: Rounds = "combat"
    #: Initiative rolls.
    throws: tuple[Throw, ...] = ()
    #: Characters who lose their turns, each with the reason.
    lost: tuple[tuple[str, str], ...] = ()
    #: The round's card, and its name and line.
    card: str = ""
    name: str = ""
    reading: CardReading | None = None
    #: Whether the card was kept from the last round.
    kept: bool = False
    #: Characters who seized the initiative, each with the name of the replaced card.
    seized: tuple[tuple[str, str], ...] = ()
    #: Ruling on the side that had to break off.
    judged: str = ""
    #: Characters with another setback than the table's default.
    spared: tuple[str, ...] = ()
    #: Whether the card's line has had its effects.
    befell: bool = False
    #: Effects of the line, by character.
    consequences: tuple[tuple[str, Facts], ...] = ()
    #: Characters who drew a card for it.
    drew: tuple[str, ...] = ()
    #: Characters in the order of initiative; those of one group act at once.
    order: tuple[tuple[str, ...], ...] = ()
    #: What the card allows for a task.
    task: Text | None = None


# --- the deck in rounds ---------------------------------------------------------------------------


def _uses_deck(game: Game, place: str) -> bool:
    """Return whether the rounds of a place use the deck. Only one place at a time can."""
    flipped = current_cards(game).deal.round
    if flipped is not None and flipped.place != place:
        if flipped.place in game.state.encounters:
            return False
    return mode(game).lines or (mode(game).hands and has_deck(game))


def ready_deck(game: Game) -> Cards:
    """Return the deck as it lies, shuffled first if no card was dealt or flipped yet."""
    cards, exists = current_cards(game), has_deck(game)
    unshuffled = deal.lay_out_deck(cards.faces)
    if exists and cards.at(DRAW_PILE) != unshuffled.cards_at(DRAW_PILE):
        return cards
    if not exists:
        cards = cards.replace(piles=unshuffled)
    return deal.shuffle_draw_pile(cards, game.rng, "shuffled")


def _possible_seizers(game: Game, cards: Cards) -> tuple[str, ...]:
    """Return the characters who, as everyone can see, could play Seize Initiative.

    Pools are face up. In a critical moment, the card may also be in the hand.
    """
    if not play.may_play_combat_cards(cards):
        return ()
    seizers: list[str] = []
    for seat in cards.deal.seats:
        has_card = any(cards.kind(card).op in SEIZING_EFFECTS for card in cards.at(POOL, seat.who))
        may_have_card = seat.moment_declared and bool(cards.at(HAND, seat.who))
        if not (has_card or may_have_card) or seat.who not in game.state.characters:
            continue
        if not game.sheet(seat.who).harm.out:
            seizers.append(seat.who)
    return tuple(seizers)


class RoundRuling(LateRulingStage):
    """A ruling on a round's card, which a GM may change until a character acts in the round."""

    def ruling_viewers(self, game: Game, check: AnyCheck, option: str = "") -> Viewers:
        return FOR_EVERYONE


def has_nobody_acted(game: Game, check: Check[Opening]) -> bool:
    """Return whether a round is the present one, and no character has acted in it."""
    encounter = encounter_in(game.state, check.place)
    if encounter is None or encounter.opening or encounter.round != check.data.number:
        return False
    for slot in encounter.order:
        if not slot.character:
            continue
        if any(marks_of(game.state, slot.character, mark) for mark in (ACTED, SIMPLE, WAITED)):
            return False
    lost = {who for who, _ in check.data.lost}
    return all(slot.character in lost for slot in encounter.order[: encounter.turn])


# --- before the card ------------------------------------------------------------------------------


_ACHIEVED, _LEAVES, _TRAPPED = "achieved", "leaves", "trapped"


class BreakOffStage(RoundRuling):
    """Ruling of the GM on a side that had to break off (MB-CARD-I11).

    Until then nothing has changed for the side.
    """

    name = "breaks"

    def enter(self, game: Game, check: Check[Opening], /) -> StageResult[Opening] | None:
        if check.data.breaks or not self._must_break(game, check):
            return None
        return StageResult(game.state, check.data.replace(breaks=True))

    def _must_break(self, game: Game, check: Check[Opening]) -> bool:
        """Return whether a side had to break off by the last round's card, or is trapped."""
        reading = card_here(game, check.place)
        if reading is None or check.data.judged or check.data.number:
            return False
        npcs = _characters_on(game, check.place, ["G"])
        is_trapped = any(marks_of(game.state, who, TRAPPED) for who in npcs)
        return is_trapped or reading.gms == "breaks"

    def ask(self, game: Game, check: Check[Opening], /) -> tuple[Prompt, ...]:
        if not self.asks_gms(game) or not self._must_break(game, check):
            return ()
        return (Prompt("breaks", (ANY_GM,), "answer", PASS, button="mb-card-say"),)

    def late_options(self, game: Game, check: Check[Opening]) -> tuple[CheckOption, ...]:
        data = check.data
        if not data.breaks or data.judged or not has_nobody_acted(game, check):
            return ()
        return self.options(game, check, "breaks", ANY_GM)

    def options(
        self, game: Game, check: Check[Opening], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        hows = (_ACHIEVED, _LEAVES, _TRAPPED)
        return tuple(CheckOption(how, Text("mb-breaks", {"how": how})) for how in hows)

    def choose(self, game: Game, check: Check[Opening], choice: Choice, /) -> StageResult[Opening]:
        state = game.state
        penalty = trap_penalty(
            achieved=choice.option == _ACHIEVED, can_leave=choice.option != _TRAPPED
        )
        for who in _characters_on(game, check.place, ["G"]):
            state = without_marks(state, who, TRAPPED)
            if penalty:
                state = with_marks(state, who, Mark(TRAPPED, value=penalty, until="encounter"))
        return StageResult(state, check.data.replace(judged=choice.option))


class SeizeStage(Stage[Opening]):
    """Stage at which a character may seize the initiative with a card (MB-CARD-E16)."""

    how: Seizing

    @abstractmethod
    def seizable_reading(self, game: Game, check: Check[Opening]) -> CardReading | None:
        """Return the reading of the card that can be seized now."""

    def ask(self, game: Game, check: Check[Opening], /) -> tuple[Prompt, ...]:
        reading = self.seizable_reading(game, check)
        if reading is None or reading.players == "confused":
            return ()
        who = _possible_seizers(game, require_cards(game))
        return (Prompt(self.name, who, "answer", PASS),) if who else ()

    def options(
        self, game: Game, check: Check[Opening], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        cards = require_cards(game)
        options: list[CheckOption] = []
        for card in seizing_from(cards, who):
            kind = cards.kind(card)
            if kind.op in SEIZING_EFFECTS:
                label = Text("mb-card-seizes", {"how": self.how, "card": kind.name})
                options.append(CheckOption(f"{self.how}:{card}", label))
        return tuple(options)

    def choose(self, game: Game, check: Check[Opening], choice: Choice, /) -> StageResult[Opening]:
        data, flips = check.data, self.how == "flip"
        card = choice.option.partition(":")[2]
        cards = seize(require_cards(game), choice.who, card, self.how, game.rng)
        game = with_cards(game, cards)
        data = data.replace(seized=(*data.seized, (choice.who, data.name if flips else "")))
        if flips:
            data = _with_reading(game, data)
        events = card_moves.shuffle_events(game, cards)
        return StageResult(game.state, data, reopen=True, events=events)


class KeepCardStage(SeizeStage):
    """Choice to keep the last round's card, before the next flip."""

    name = how = "keep"

    def seizable_reading(self, game: Game, check: Check[Opening]) -> CardReading | None:
        flipped = current_cards(game).deal.round
        if check.data.number or flipped is None or flipped.kept:
            return None
        return card_here(game, check.place)


def _with_reading(game: Game, data: Opening) -> Opening:
    """Return the opening with the round's card and its reading."""
    cards = require_cards(game)
    card = current_round(cards).card
    return data.replace(card=card, name=cards.kind(card).name, reading=current_reading(cards))


# --- the card -------------------------------------------------------------------------------------


class FlipStage(Stage[Opening]):
    """Flip of the round's card, where initiative goes by cards (MB-CARD-I01)."""

    name = "flip"

    def enter(self, game: Game, check: Check[Opening], /) -> StageResult[Opening] | None:
        if check.data.number:
            return None
        encounter = require_encounter(game.state, check.place)
        kind: Rounds = "combat"
        if encounter.data is not None:
            kind = encounter.data.at(encounter.round).kind
        data = check.data.replace(number=encounter.round, kind=kind)
        if not _uses_deck(game, check.place):
            return StageResult(game.state, data)
        cards = ready_deck(game)
        too_full: list[str] = []
        scene = "dramatic" if cards.deal.dramatic else "standard"
        flipped = cards.deal.round
        if flipped is None:
            too_full = [who for who in cards.deal.holders if deal.surplus(cards, who)]
            cards = deal.enter(cards, kind, scene)
        if flipped is None or flipped.place != check.place:
            flipped = Flip()
        opened = flipped.replace(kind=kind, scene=scene, place=check.place)
        cards = cards.with_deal_changes(round=opened)
        lines = mode(game).lines
        cards = flip(cards, scene, game.rng) if lines else deal.fresh_round(cards)
        game = with_cards(game, cards)
        if lines:
            data = _with_reading(game, data.replace(kept=flipped.kept))
        shuffles = card_moves.shuffle_events(game, cards)
        # A hand loses its surplus before rounds begin (OP-4).
        game, events = card_moves.ask_to_replenish(game, check.place, too_full, "discard")
        return StageResult(game.state, data, events=(*shuffles, *events))


class ReplaceCardStage(SeizeStage):
    """Choice to replace the card once it is shown, before its effects (MB-CARD-E16)."""

    name, how = "seize", "flip"

    def seizable_reading(self, game: Game, check: Check[Opening]) -> CardReading | None:
        return None if check.data.kept else check.data.reading


# --- effects of the line --------------------------------------------------------------------------


def _characters_on(game: Game, place: str, sides: Iterable[Side]) -> list[str]:
    """Return the characters of a place's rounds that are on these sides."""
    characters: list[str] = []
    for slot in require_encounter(game.state, place).order:
        if slot.character and side_of(game, slot) in sides:
            characters.append(slot.character)
    return characters


def _setback_victims(game: Game, check: Check[Opening]) -> list[str]:
    """Return the characters who suffer a setback by the card."""
    reading = check.data.reading or CardReading()
    sides: list[Side] = []
    for side in reading.sides:
        if reading.effect_on(side) == "setback":
            sides.append(side)
    return _characters_on(game, check.place, sides)


class SetbackStage(RoundRuling):
    """Setback of each character: a lost action or a mishap (MB-CARD-I08).

    It is the table's default, unless the GM says otherwise.
    """

    name = "setback"

    def late_options(self, game: Game, check: Check[Opening]) -> tuple[CheckOption, ...]:
        if not check.data.befell or not has_nobody_acted(game, check):
            return ()
        default = game.setting("setback_default")
        options: list[CheckOption] = []
        for who in _setback_victims(game, check):
            about = {"name": game.character(who).name, "usual": default}
            if who not in check.data.spared:
                options.append(CheckOption(who, Text("mb-setback-late", about)))
        return tuple(options)

    def ruling_text(self, game: Game, check: AnyCheck, option: CheckOption) -> Text:
        named = ref(game.character(option.value))
        return Text(option.label.code, {**option.label.params, "name": named})

    def ruling_viewers(self, game: Game, check: AnyCheck, option: str = "") -> Viewers:
        """Return who may know of it: of an NPC that players don't know, the GMs."""
        known = not option or public_name(game.character(option))
        return FOR_EVERYONE if known else GMS_ONLY

    def rule_late(self, game: Game, check: Check[Opening], option: str) -> StageResult[Opening]:
        loses_action = game.setting("setback_default") == "lose_one_action"
        effects = [effect for effect in check.data.consequences if effect[0] != option]
        if loses_action:
            effects.append((option, (("mishap", 0),)))
        spared = (*check.data.spared, option)
        return StageResult(
            game.state, check.data.replace(spared=spared, consequences=tuple(effects))
        )

    def ask(self, game: Game, check: Check[Opening], /) -> tuple[Prompt, ...]:
        if not self.asks_gms(game) or check.data.spared or check.data.befell:
            return ()
        if not _setback_victims(game, check):
            return ()
        return (Prompt("setback", (ANY_GM,), "answer", PASS, button="mb-card-say"),)

    def options(
        self, game: Game, check: Check[Opening], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        victims: list[Option] = []
        for victim in _setback_victims(game, check):
            victims.append(Option(victim, Text("named", {"name": Ref(victim)})))
        form = Form((Many("who", choices=tuple(victims), needed=True),))
        label = Text("mb-card-setback", {"usual": game.setting("setback_default")})
        return (CheckOption("spare", label, form),)

    def choose(self, game: Game, check: Check[Opening], choice: Choice, /) -> StageResult[Opening]:
        return StageResult(game.state, check.data.replace(spared=tuple(choice.values["who"])))


class CardLineStage(Stage[Opening]):
    """Effects of the card's line on each side (MB-CARD-I05 to MB-CARD-I10)."""

    name = "befall"

    def enter(self, game: Game, check: Check[Opening], /) -> StageResult[Opening] | None:
        data = check.data
        if data.befell or data.reading is None:
            return None
        effects: list[tuple[str, Facts]] = []
        for slot in require_encounter(game.state, check.place).order:
            who = slot.character
            if not who:
                continue
            effect = data.reading.effect_on(side_of(game, slot))
            spared = who in data.spared
            game, facts = _apply_line(game, who, effect, check.id, other=spared)
            if facts:
                effects.append((who, facts))
        inspired = data.reading.players == "inspiration"
        data = data.replace(befell=True, consequences=tuple(effects))
        if not inspired or not mode(game).hands:
            return StageResult(game.state, data)
        cards = require_cards(game)
        cards = deal.draw_each(cards, dict.fromkeys(cards.deal.holders, 1), game.rng)
        cards_to_report = cards.without_changes("drawn")
        game, events = card_moves.finish_card_moves(game, check.place, cards_to_report)
        return StageResult(game.state, data.replace(drew=cards.deal.holders), events=events)


def _apply_line(
    game: Game, who: str, effect: LineEffect, by: str, *, other: bool
) -> tuple[Game, Facts]:
    """Return the game after a line's effect on a character, and the facts.

    A setback is the *other* one than the table's default if the GM said so.
    """
    sheet: MasterbookSheet = game.sheet(who)
    if effect == "fatigued" and not sheet.harm.dead:
        harm, facts = apply_fatigue(sheet.harm, capacity(game, who))
        return with_harm(game, who, harm), facts
    if effect == "inspiration":
        harm, facts = apply_inspiration(sheet.harm)
        return with_harm(game, who, harm), facts
    if effect == STYMIED and not marks_of(game.state, who, LINE, effect):
        return stymied_shock(_with_line_mark(game, who, effect), who, by)
    if effect in ("up", STYMIED):
        return _with_line_mark(game, who, effect), ()
    if effect != "setback":
        return game, ()
    loses_action = (game.setting("setback_default") == "lose_one_action") != other
    if not deal.action_count(effect, loses=loses_action):
        return game.with_state(with_marks(game.state, who, Mark(SETBACK, until="encounter"))), ()
    return game, (("mishap", 0),)


def _with_line_mark(game: Game, who: str, effect: str) -> Game:
    """Return the game with a character up or stymied for the round.

    A mark that lasts longer by another cause stays as it is.
    """
    if marks_of(game.state, who, LINE, effect):
        return game
    return game.with_state(with_marks(game.state, who, Mark(LINE, effect, until="round")))


def apply_line_to_newcomers(game: Game, before: TableState) -> Game:
    """Return the game with the line's effect on characters who joined a side in mid-round.

    They are up or stymied with their side (MB-CARD-I09, MB-CARD-I10).
    """
    flipped = current_cards(game).deal.round
    place = "" if flipped is None else flipped.place
    reading = card_here(game, place)
    old, new = encounter_in(before, place), encounter_in(game.state, place)
    if reading is None or old is None or new is None:
        return game
    if new.opening or new.round != old.round:
        return game
    old_characters = {slot.character for slot in old.order}
    for slot in new.order:
        effect = reading.effect_on(side_of(game, slot))
        is_new = slot.character not in old_characters
        if slot.character and is_new and effect in ("up", "stymied"):
            game = _with_line_mark(game, slot.character, effect)
    return game


# --- texts ----------------------------------------------------------------------------------------


def card_news(data: Opening) -> list[Text]:
    """Return the card of the round and its line, as the call to the first turn tells them."""
    reading = data.reading
    if reading is None:
        return []
    about = {"name": data.name, "number": data.card, "kept": data.kept}
    news = [Text("mb-card-news", {"card": Text("mb-card-named", about)})]
    for side in reading.sides:
        about_line = {
            "side": side,
            "effect": reading.effect_on(side),
            "first": side == reading.first,
            "skill": reading.skill if side == "G" else "",
        }
        news.append(Text("mb-card-line", about_line))
    return news


def describe_round_card(game: Game, check: Check[Opening]) -> Iterable[Block]:
    """Describe the card and its effects."""
    data = check.data
    reading = data.reading
    if reading is None:
        return
    for who, before in data.seized:
        yield for_all("mb-card-seized", who=Ref(who), before=before or None, name=data.name)
    about = {"name": data.name, "number": data.card, "kept": data.kept}
    yield Fact(
        Text("mb-card-of-round"),
        Text("mb-card-named", about),
        FOR_EVERYONE,
        card=f"{data.card}:{reading.scene}",
    )
    for side in reading.sides:
        skill, first = reading.skill if side == "G" else "", side == reading.first
        yield for_all(
            "mb-card-line", side=side, effect=reading.effect_on(side), skill=skill, first=first
        )
    if reading.approved:
        yield Fact(Text("mb-card-approved"), reading.approved, FOR_EVERYONE)
    yield from outcome_notes(game, check)
    if data.drew:
        yield for_all("mb-card-drew", who=tuple(Ref(who) for who in data.drew))
