"""A round that begins with its card: kept or flipped, seized, what its line does, what it pays for.

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
from rules.systems.masterbook.checks.late_rulings import LateRuling
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
    Seat,
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
from rules.systems.masterbook.rounds import card_questions
from rules.table.blocks import FOR_EVERYONE, GMS_ONLY, Block, Fact, Ref, Text, Viewers
from rules.table.check import ANY_GM, PASS, AnyCheck, Check, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.forms import Form, Many, Option
from rules.table.initiative import encounter_in, require_encounter
from rules.table.marks import marks_of, with_marks, without_marks
from rules.table.permissions import public_name
from rules.table.state import Mark, TableState
from rules.table.system import Game

# --- the round ------------------------------------------------------------------------------------


class Opening(Record):
    """A round that begins: by dice or by its card, who acts when, and who loses the turn, with the
    reason.

    `card` is that of the round, `reading` what it says; it was `kept` from the last round, or has
    taken the place of `seized` ones, each with who did it. `spared` suffer a setback otherwise than
    the table usually plays it. `came` is what the line has done to whom, `drew` who has drawn a
    card for it. `order` are those who act, together where it is at once; `task` is what the card
    does for a task.
    """

    number: int = 0
    #: A side had to break off before this round.
    breaks: bool = False
    kind: Rounds = "combat"
    throws: tuple[Throw, ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    card: str = ""
    name: str = ""
    reading: CardReading | None = None
    kept: bool = False
    seized: tuple[tuple[str, str], ...] = ()
    judged: str = ""
    spared: tuple[str, ...] = ()
    befell: bool = False
    came: tuple[tuple[str, Facts], ...] = ()
    drew: tuple[str, ...] = ()
    order: tuple[tuple[str, ...], ...] = ()
    task: Text | None = None


# --- sides, and what is in force ------------------------------------------------------------------


def _uses_deck(game: Game, place: str) -> bool:
    """Whether rounds of a place are also those of the deck; there are such rounds in one place at a
    time.
    """
    now = current_cards(game).deal.round
    free = now is None or now.place == place or now.place not in game.state.encounters
    return free and (mode(game).lines or (mode(game).hands and has_deck(game)))


def ready_deck(game: Game) -> Cards:
    """The deck as it lies; one that nobody has been dealt from, such as one just brought, is
    shuffled first.
    """
    cards, there = current_cards(game), has_deck(game)
    unshuffled = deal.lay_out_deck(cards.faces)
    if there and cards.at(DRAW_PILE) != unshuffled.cards_at(DRAW_PILE):
        return cards
    return deal.shuffle_draw_pile(
        cards if there else cards.replace(piles=unshuffled), game.rng, "shuffled"
    )


def _possible_seizers(game: Game, cards: Cards) -> tuple[str, ...]:
    """Who could play Seize Initiative as everybody knows: pools lie open, and who has a critical
    moment.
    """

    def may(seat: Seat) -> bool:
        open_ = any(cards.kind(each).op in SEIZING_EFFECTS for each in cards.at(POOL, seat.who))
        return open_ or (seat.declared and bool(cards.at(HAND, seat.who)))

    found = [
        each.who for each in cards.deal.seats if play.may_play_combat_cards(cards) and may(each)
    ]
    return tuple(
        [each for each in found if each in game.state.characters and not game.sheet(each).harm.out]
    )


class RoundRuling(LateRuling):
    """A ruling on a round's card, which a GM may change until a character acts in the round."""

    def ruling_viewers(self, game: Game, check: AnyCheck, option: str = "") -> Viewers:
        return FOR_EVERYONE


def has_nobody_acted(game: Game, check: Check[Opening]) -> bool:
    """Return whether a round is the present one, and no character has acted in it."""
    encounter = encounter_in(game.state, check.place)
    if encounter is None or encounter.opening or encounter.round != check.data.number:
        return False
    lost = {who for who, _ in check.data.lost}
    before = encounter.order[: encounter.turn]
    people = [each.character for each in encounter.order if each.character]
    acted = any(
        marks_of(game.state, each, mark) for each in people for mark in (ACTED, SIMPLE, WAITED)
    )
    return not acted and all(each.character in lost for each in before)


# --- before the card ------------------------------------------------------------------------------


_ACHIEVED, _LEAVES, _TRAPPED = "achieved", "leaves", "trapped"


class BreakOffStage(RoundRuling):
    """The GM says how a side has done that had to break off; until then nothing has changed for it
    (MB-CARD-I11).
    """

    name = "breaks"

    def enter(self, game: Game, check: Check[Opening], /) -> StageResult[Opening] | None:
        if check.data.breaks or not self._must_break(game, check):
            return None
        return StageResult(game.state, check.data.replace(breaks=True))

    def _must_break(self, game: Game, check: Check[Opening]) -> bool:
        """Return whether a side had to break off by the last round's card, or is trapped."""
        read = card_here(game, check.place)
        if read is None or check.data.judged or check.data.number:
            return False
        stuck = any(
            marks_of(game.state, each, TRAPPED) for each in _slots(game, check.place, ["G"])
        )
        return stuck or read.gms == "breaks"

    def ask(self, game: Game, check: Check[Opening], /) -> tuple[Prompt, ...]:
        if not self.asks_gms(game) or not self._must_break(game, check):
            return ()
        return (Prompt("breaks", (ANY_GM,), "answer", PASS, button="mb-card-say"),)

    def late_options(self, game: Game, check: Check[Opening]) -> tuple[CheckOption, ...]:
        open_ = check.data.breaks and not check.data.judged and has_nobody_acted(game, check)
        return self.options(game, check, "breaks", ANY_GM) if open_ else ()

    def options(
        self, game: Game, check: Check[Opening], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        hows = (_ACHIEVED, _LEAVES, _TRAPPED)
        return tuple([CheckOption(each, Text("mb-breaks", {"how": each})) for each in hows])

    def choose(self, game: Game, check: Check[Opening], choice: Choice, /) -> StageResult[Opening]:
        state = game.state
        harder = trap_penalty(
            achieved=choice.option == _ACHIEVED, can_leave=choice.option != _TRAPPED
        )
        for each in _slots(game, check.place, ["G"]):
            state = without_marks(state, each, TRAPPED)
            if harder:
                state = with_marks(state, each, Mark(TRAPPED, value=harder, until="encounter"))
        return StageResult(state, check.data.replace(judged=choice.option))


class SeizeStage(Stage[Opening]):
    """Somebody may seize the initiative with a card, in one way (MB-CARD-E16)."""

    how: Seizing

    @abstractmethod
    def seizable_reading(self, game: Game, check: Check[Opening]) -> CardReading | None:
        """What the card says that somebody may seize now."""

    def ask(self, game: Game, check: Check[Opening], /) -> tuple[Prompt, ...]:
        read = self.seizable_reading(game, check)
        who = (
            ()
            if read is None or read.players == "confused"
            else _possible_seizers(game, require_cards(game))
        )
        return (Prompt(self.name, who, "answer", PASS),) if who else ()

    def options(
        self, game: Game, check: Check[Opening], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        cards, found = require_cards(game), list[CheckOption]()
        for each in seizing_from(cards, who):
            if (kind := cards.kind(each)).op in SEIZING_EFFECTS:
                said = Text("mb-card-seizes", {"how": self.how, "card": kind.name})
                found.append(CheckOption(f"{self.how}:{each}", said))
        return tuple(found)

    def choose(self, game: Game, check: Check[Opening], choice: Choice, /) -> StageResult[Opening]:
        card, data, flips = choice.option.partition(":")[2], check.data, self.how == "flip"
        cards = seize(require_cards(game), choice.who, card, self.how, game.rng)
        game = with_cards(game, cards)
        data = data.replace(seized=(*data.seized, (choice.who, data.name if flips else "")))
        data = _with_reading(game, data) if flips else data
        return StageResult(
            game.state, data, reopen=True, events=card_questions.shuffle_events(game, cards)
        )


class KeepCardStage(SeizeStage):
    """Before the next flip the last round's card may be kept."""

    name = how = "keep"

    def seizable_reading(self, game: Game, check: Check[Opening]) -> CardReading | None:
        now = current_cards(game).deal.round
        return (
            None if check.data.number or now is None or now.kept else card_here(game, check.place)
        )


def _with_reading(game: Game, data: Opening) -> Opening:
    """With what the card in force says."""
    cards = require_cards(game)
    card = current_round(cards).card
    return data.replace(card=card, name=cards.kind(card).name, reading=current_reading(cards))


# --- the card -------------------------------------------------------------------------------------


class FlipStage(Stage[Opening]):
    """The round's card is flipped where the order goes by cards (MB-CARD-I01)."""

    name = "flip"

    def enter(self, game: Game, check: Check[Opening], /) -> StageResult[Opening] | None:
        if check.data.number:
            return None
        encounter = require_encounter(game.state, check.place)
        kind: Rounds = (
            "combat" if encounter.data is None else encounter.data.at(encounter.round).kind
        )
        data = check.data.replace(number=encounter.round, kind=kind)
        if not _uses_deck(game, check.place):
            return StageResult(game.state, data)
        cards, over = ready_deck(game), list[str]()
        scene = "dramatic" if cards.deal.dramatic else "standard"
        now = cards.deal.round
        if now is None:
            over = [each for each in cards.deal.holders if deal.surplus(cards, each)]
            cards = deal.enter(cards, kind, scene)
        now = Flip() if now is None or now.place != check.place else now
        cards = cards.with_deal_changes(
            round=now.replace(kind=kind, scene=scene, place=check.place)
        )
        lines = mode(game).lines
        cards = flip(cards, scene, game.rng) if lines else deal.fresh_round(cards)
        game = with_cards(game, cards)
        data = _with_reading(game, data.replace(kept=now.kept)) if lines else data
        told = card_questions.shuffle_events(game, cards)
        # What a hand has too much it loses before rounds begin (OP-4).
        game, events = card_questions.ask_to_replenish(game, check.place, over, "discard")
        return StageResult(game.state, data, events=(*told, *events))


class ReplaceCardStage(SeizeStage):
    """Once the card is shown, and before it does anything, another one may take its place
    (MB-CARD-E16).
    """

    name, how = "seize", "flip"

    def seizable_reading(self, game: Game, check: Check[Opening]) -> CardReading | None:
        return None if check.data.kept else check.data.reading


# --- what it does ---------------------------------------------------------------------------------


def _slots(game: Game, place: str, sides: Iterable[Side]) -> list[str]:
    order = require_encounter(game.state, place).order
    return [each.character for each in order if each.character and side_of(game, each) in sides]


def _setback_victims(game: Game, check: Check[Opening]) -> list[str]:
    """Everybody who suffers a setback by the card."""
    read = check.data.reading or CardReading()
    return _slots(
        game, check.place, [each for each in read.sides if read.effect_on(each) == "setback"]
    )


class SetbackStage(RoundRuling):
    """Setback of each character: a lost action or a mishap (MB-CARD-I08).

    It is the table's default, unless the GM says otherwise.
    """

    name = "setback"

    def late_options(self, game: Game, check: Check[Opening]) -> tuple[CheckOption, ...]:
        if not check.data.befell or not has_nobody_acted(game, check):
            return ()
        usual = game.setting("setback_default")
        found: list[CheckOption] = []
        for each in _setback_victims(game, check):
            said = {"name": game.character(each).name, "usual": usual}
            if each not in check.data.spared:
                found.append(CheckOption(each, Text("mb-setback-late", said)))
        return tuple(found)

    def ruling_text(self, game: Game, check: AnyCheck, option: CheckOption) -> Text:
        named = ref(game.character(option.value))
        return Text(option.label.code, {**option.label.params, "name": named})

    def ruling_viewers(self, game: Game, check: AnyCheck, option: str = "") -> Viewers:
        """Return who may know of it: of an NPC that players don't know, the GMs."""
        known = not option or public_name(game.character(option))
        return FOR_EVERYONE if known else GMS_ONLY

    def rule_late(self, game: Game, check: Check[Opening], option: str) -> StageResult[Opening]:
        loses = game.setting("setback_default") == "lose_one_action"
        data = check.data.replace(spared=(*check.data.spared, option))
        came = [each for each in data.came if each[0] != option]
        data = data.replace(came=(*came, (option, (("mishap", 0),))) if loses else tuple(came))
        return StageResult(game.state, data)

    def ask(self, game: Game, check: Check[Opening], /) -> tuple[Prompt, ...]:
        if not self.asks_gms(game) or check.data.spared or check.data.befell:
            return ()
        if not _setback_victims(game, check):
            return ()
        return (Prompt("setback", (ANY_GM,), "answer", PASS, button="mb-card-say"),)

    def options(
        self, game: Game, check: Check[Opening], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        victims = [
            Option(each, Text("named", {"name": Ref(each)}))
            for each in _setback_victims(game, check)
        ]
        form = Form((Many("who", choices=tuple(victims), needed=True),))
        said = Text("mb-card-setback", {"usual": game.setting("setback_default")})
        return (CheckOption("spare", said, form),)

    def choose(self, game: Game, check: Check[Opening], choice: Choice, /) -> StageResult[Opening]:
        return StageResult(game.state, check.data.replace(spared=tuple(choice.values["who"])))


class CardLineStage(Stage[Opening]):
    """The card's line does what it says to each side (MB-CARD-I05 to MB-CARD-I10)."""

    name = "befall"

    def enter(self, game: Game, check: Check[Opening], /) -> StageResult[Opening] | None:
        data = check.data
        if data.befell or data.reading is None:
            return None
        came = list[tuple[str, Facts]]()
        for slot in require_encounter(game.state, check.place).order:
            if who := slot.character:
                effect = data.reading.effect_on(side_of(game, slot))
                other = who in data.spared
                game, facts = _apply_line(game, who, effect, check.id, other=other)
                came += [(who, facts)] if facts else []
        inspired = data.reading.players == "inspiration"
        data = data.replace(befell=True, came=tuple(came))
        if not inspired or not mode(game).hands:
            return StageResult(game.state, data)
        cards = require_cards(game)
        cards = deal.draw_each(cards, dict.fromkeys(cards.deal.holders, 1), game.rng)
        game, events = card_questions.finish_card_moves(
            game, check.place, cards.without_changes("drawn")
        )
        return StageResult(game.state, data.replace(drew=cards.deal.holders), events=events)


def _apply_line(
    game: Game, who: str, effect: LineEffect, by: str, *, other: bool
) -> tuple[Game, Facts]:
    """The game after what a line does to somebody; a setback that is `other` than usual."""
    sheet: MasterbookSheet = game.sheet(who)
    if effect == "fatigued" and not sheet.harm.dead:
        now, facts = apply_fatigue(sheet.harm, capacity(game, who))
        return with_harm(game, who, now), facts
    if effect == "inspiration":
        now, facts = apply_inspiration(sheet.harm)
        return with_harm(game, who, now), facts
    if effect == STYMIED and not marks_of(game.state, who, LINE, effect):
        return stymied_shock(_with_line_mark(game, who, effect), who, by)
    if effect in ("up", STYMIED):
        return _with_line_mark(game, who, effect), ()
    loses = (game.setting("setback_default") == "lose_one_action") != other
    if effect == "setback" and not deal.actions(effect, loses=loses):
        return game.with_state(with_marks(game.state, who, Mark(SETBACK, until="encounter"))), ()
    return game, (("mishap", 0),) if effect == "setback" else ()


def _with_line_mark(game: Game, who: str, effect: str) -> Game:
    """The game with somebody up or stymied for the round; who is so for longer by something else
    stays so.
    """
    if marks_of(game.state, who, LINE, effect):
        return game
    return game.with_state(with_marks(game.state, who, Mark(LINE, effect, until="round")))


def apply_line_to_newcomers(game: Game, before: TableState) -> Game:
    """The game once who has joined a side in mid-round is up or stymied with it (MB-CARD-I09,
    MB-CARD-I10).
    """
    flip = current_cards(game).deal.round
    place = "" if flip is None else flip.place
    read, was, now = (
        card_here(game, place),
        encounter_in(before, place),
        encounter_in(game.state, place),
    )
    if read is None or was is None or now is None or now.opening or now.round != was.round:
        return game
    there = {each.character for each in was.order}
    for slot in now.order:
        effect = read.effect_on(side_of(game, slot))
        if slot.character and slot.character not in there and effect in ("up", "stymied"):
            game = _with_line_mark(game, slot.character, effect)
    return game


# --- in words -------------------------------------------------------------------------------------


def card_news(data: Opening) -> list[Text]:
    """Return the card of the round and its line, as the call to the first turn tells them."""
    read = data.reading
    if read is None:
        return []
    about = {"name": data.name, "number": data.card, "kept": data.kept}
    found = [Text("mb-card-news", {"card": Text("mb-card-named", about)})]
    for side in read.sides:
        told = {"side": side, "effect": read.effect_on(side), "first": side == read.first}
        told["skill"] = read.skill if side == "G" else ""
        found.append(Text("mb-card-line", told))
    return found


def describe_round_card(game: Game, check: Check[Opening]) -> Iterable[Block]:
    """What the card says and has done."""
    data = check.data
    read = data.reading
    if read is None:
        return
    for who, before in data.seized:
        yield for_all("mb-card-seized", who=Ref(who), before=before or None, name=data.name)
    about = {"name": data.name, "number": data.card, "kept": data.kept}
    yield Fact(
        Text("mb-card-of-round"),
        Text("mb-card-named", about),
        FOR_EVERYONE,
        card=f"{data.card}:{read.scene}",
    )
    for side in read.sides:
        skill, first = read.skill if side == "G" else "", side == read.first
        yield for_all(
            "mb-card-line", side=side, effect=read.effect_on(side), skill=skill, first=first
        )
    if read.approved:
        yield Fact(Text("mb-card-approved"), read.approved, FOR_EVERYONE)
    yield from outcome_notes(game, check)
    if data.drew:
        yield for_all("mb-card-drew", who=tuple([Ref(each) for each in data.drew]))
