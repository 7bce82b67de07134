"""A round that begins with its card: kept or flipped, seized, and what its line does (MB-CARD-I01 to -I11, -E16)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.record import Record, record
from rules.systems.masterbook.deck import asking, dealing, lines
from rules.systems.masterbook.deck.lines import Reading, Seizing, reading
from rules.systems.masterbook.deck.state import (
    DRAW,
    HAND,
    POOL,
    Cards,
    Deal,
    Flip,
    Moved,
    Moves,
    Rounds,
    Side,
)
from rules.systems.masterbook.deck.table import begun, cards_of, faces_of, kinds_of, mode, with_cards
from rules.systems.masterbook.dice import Throw
from rules.systems.masterbook.doing import LINE, TRAPPED
from rules.systems.masterbook.harm import Facts
from rules.systems.masterbook.hurting import capacity, with_harm
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.talk import SETBACK
from rules.systems.masterbook.telling import happened
from rules.table.blocks import ALL, GMS_ONLY, Block, Fact, Note, Ref, Seen, Text
from rules.table.checks.check import GMS, PASS, Check, Choice, Prompt
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.events import Line
from rules.table.forms import Asking, Form, Many
from rules.table.forms import Option as Offer
from rules.table.marks import marks_of, with_marks, without_marks
from rules.table.state import AnyEncounter, Mark, Slot, TableState
from rules.table.system import Game, is_npc
from rules.table.turns.order import encounter_in, here


@record
class Opening(Record):
    """A round that begins: by dice or by its card, who acts when, and who loses the turn, with the reason.

    `card` is that of the round, `reading` what it says; it was `kept` from the last round, or has taken the place of
    `seized` ones, each with who did it. `spared` suffer a setback otherwise than the table usually plays it. `came` is
    what the line has done to whom, `drew` who has drawn a card for it. `order` are those who act, together where
    it is at once; `task` is what the card does for a task.
    """

    number: int = 0
    kind: Rounds = "combat"
    throws: tuple[Throw, ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    card: str = ""
    name: str = ""
    reading: Reading | None = None
    kept: bool = False
    seized: tuple[tuple[str, str], ...] = ()
    judged: str = ""
    spared: tuple[str, ...] = ()
    befell: bool = False
    came: tuple[tuple[str, Facts], ...] = ()
    drew: tuple[str, ...] = ()
    order: tuple[tuple[str, ...], ...] = ()
    task: Text | None = None


AnyOpening = Check[Opening]


# --- sides, and what is in force -----------------------------------------------------------------------------


def side_of(game: Game, slot: Slot) -> Side:
    """Whose side somebody in the order is on: as a GM has said, else the players' or not (MB-CARD-I02)."""
    if slot.side:
        return "P" if slot.side == "P" else "G"
    return "G" if is_npc(game, slot.character) else "P"


def counted(game: Game, place: str) -> Cards | None:
    """The deck in rounds of this place, by its cards or by dice; None out of them."""
    cards = cards_of(game) if begun(game) else None
    now = None if cards is None else cards.deal.round
    return cards if now is not None and now.place == place else None


def _counts(game: Game, place: str) -> bool:
    """Whether rounds of a place are also those of the deck; there are such rounds in one place at a time."""
    if not mode(game).lines and not (mode(game).hands and begun(game)):
        return False
    now = cards_of(game).deal.round if begun(game) else None
    return now is None or now.place == place or now.place not in game.state.encounters


def card_here(game: Game, place: str) -> Reading | None:
    """What the card of this round says in a place; None where no card is in force there."""
    cards = counted(game, place) if mode(game).lines else None
    return None if cards is None else reading(cards)


def card_for(game: Game, who: str) -> tuple[Reading, Side] | None:
    """What the card of the round says in which somebody is, and whose side they are on; None without."""
    for place in game.state.encounters:
        found = encounter_in(game.state, place)
        for slot in found.order if found is not None and found.round else ():
            if slot.character == who:
                read = card_here(game, place)
                return None if read is None else (read, side_of(game, slot))
    return None


def laid(game: Game) -> tuple[Cards, Moves]:
    """The deck as it lies; one that nobody has been dealt from is shuffled first."""
    if begun(game):
        return cards_of(game), ()
    faces = faces_of(game)
    piles = dealing.laid(faces)
    order = piles.at(DRAW)
    piles = piles.shuffle(DRAW, game.rng.shuffle, game.rng.sealed)
    cards = Cards(piles, Deal(), faces, kinds_of(game), game.setting)
    return cards, (Moved("shuffled", cards=order, number=len(order)),)


def _seizing(game: Game, cards: Cards) -> tuple[str, ...]:
    """Who could play Seize Initiative as everybody knows: pools lie open, and who has a critical moment."""

    def may(who: str) -> bool:
        seat = cards.seat(who)
        open_ = any(cards.kind(each).op in ("initiative_control", "any_card") for each in cards.at(POOL, who))
        return open_ or (seat.declared and bool(cards.at(HAND, who)))

    return tuple(
        each.who
        for each in cards.deal.seats
        if each.who in game.state.characters and may(each.who) and not game.sheet(each.who).harm.out
    )


def _seizes(game: Game, who: str, how: Seizing) -> tuple[Option, ...]:
    """Each card of somebody's that seizes the initiative."""
    cards = cards_of(game)
    held = (*cards.at(POOL, who), *(cards.at(HAND, who) if cards.seat(who).declared else ()))
    return tuple(
        Option(f"{how}:{each}", Line("mb-card-seizes", {"how": how, "card": cards.kind(each).name}))
        for each in held
        if cards.kind(each).op in ("initiative_control", "any_card")
    )


# --- before the card -----------------------------------------------------------------------------------------


_ACHIEVED, _LEAVES, _TRAPPED = "achieved", "leaves", "trapped"


class Judging(Stage[Opening]):
    """The GM says how a side has done that had to break off (MB-CARD-I11)."""

    name = "breaks"

    def _asks(self, game: Game, check: AnyOpening) -> bool:
        read = card_here(game, check.place)
        if read is None or check.data.judged or check.data.number:
            return False
        stuck = any(marks_of(game.state, each, TRAPPED) for each in _slots(game, check.place, ["G"]))
        return read.gms == "breaks" or stuck

    def ask(self, game: Game, check: AnyOpening, /) -> tuple[Prompt, ...]:
        return (
            (Prompt("breaks", (GMS,), "answer", PASS, button="mb-card-say"),)
            if self._asks(game, check)
            else ()
        )

    def options(self, game: Game, check: AnyOpening, prompt: str, who: str, /) -> tuple[Option, ...]:
        return tuple(
            [Option(each, Line("mb-breaks", {"how": each})) for each in (_ACHIEVED, _LEAVES, _TRAPPED)]
        )

    def choose(self, game: Game, check: AnyOpening, choice: Choice, /) -> Step[Opening]:
        how = lines.breaking(achieved=choice.option == _ACHIEVED, can_leave=choice.option != _TRAPPED)
        state = game.state
        for each in _slots(game, check.place, ["G"]):
            state = without_marks(state, each, TRAPPED)
            if how.harder:
                state = with_marks(state, each, Mark(TRAPPED, value=how.harder, until="encounter"))
        return Step(state, check.data.but(judged=choice.option))


class Keeping(Stage[Opening]):
    """Before the next flip the last round's card may be kept (MB-CARD-E16)."""

    name = "keep"

    def ask(self, game: Game, check: AnyOpening, /) -> tuple[Prompt, ...]:
        read = card_here(game, check.place)
        if read is None or read.players == "confused" or check.data.number:
            return ()
        cards = cards_of(game)
        who = () if cards.deal.round is None or cards.deal.round.kept else _seizing(game, cards)
        return (Prompt("keep", who, "react", PASS, fresh=True),) if who else ()

    def options(self, game: Game, check: AnyOpening, prompt: str, who: str, /) -> tuple[Option, ...]:
        return _seizes(game, who, "keep")

    def choose(self, game: Game, check: AnyOpening, choice: Choice, /) -> Step[Opening]:
        return _seized(game, check, choice, "keep")


def _seized(game: Game, check: AnyOpening, choice: Choice, how: Seizing) -> Step[Opening]:
    card = choice.option.partition(":")[2]
    before = check.data
    cards, moves = lines.seize(cards_of(game), choice.who, card, how, game.rng)
    game = with_cards(game, cards)
    data = before.but(seized=(*before.seized, (choice.who, before.name if how == "flip" else "")))
    events = asking.shuffles(game, moves)
    return Step(game.state, _read(game, data) if how == "flip" else data, events=events)


def _read(game: Game, data: Opening) -> Opening:
    """With what the card in force says."""
    cards = cards_of(game)
    now = cards.deal.round
    assert now is not None, "a card was flipped"
    return data.but(card=now.card, name=cards.kind(now.card).name, reading=reading(cards))


# --- the card ------------------------------------------------------------------------------------------------


class Flipping(Stage[Opening]):
    """The round's card is flipped where the order goes by cards (MB-CARD-I01)."""

    name = "flip"

    def enter(self, game: Game, check: AnyOpening, /) -> Step[Opening] | None:
        if check.data.number:
            return None
        encounter = here(game.state, check.place)
        kind = kind_of(encounter)
        data = check.data.but(number=encounter.round, kind=kind)
        if not _counts(game, check.place):
            return Step(game.state, data)
        (cards, moves), over = laid(game), list[str]()
        scene = "dramatic" if cards.deal.dramatic else "standard"
        now = cards.deal.round
        if now is None:
            over = [each.who for each in cards.deal.seats if dealing.surplus(cards, each.who)]
            cards, _ = dealing.enter(cards, kind, scene)
            now = Flip()
        elif now.place != check.place:
            now = Flip()
        now = now.but(kind=kind, scene=scene, place=check.place)
        cards = cards.but(deal=cards.deal.but(round=now))
        if mode(game).lines:
            cards, more = lines.flip(cards, scene, game.rng)
            moves = (*moves, *more)
            game = with_cards(game, cards)
            data = _read(game, data.but(kept="kept" in {each.what for each in moves}))
        else:
            game = with_cards(game, dealing.fresh_round(cards))
        told = asking.shuffles(game, moves)
        # What a hand has too much it loses before rounds begin (OP-4).
        game, events = asking.refilled(game, check.place, over, "discard")
        return Step(game.state, data, events=(*told, *events))


def kind_of(encounter: AnyEncounter) -> Rounds:
    """What the rounds of an order of action are."""
    return "combat" if encounter.data is None else encounter.data.at(encounter.round).kind


class Revealing(Stage[Opening]):
    """Once the card is shown, and before it does anything, another one may take its place (MB-CARD-E16)."""

    name = "seize"

    def ask(self, game: Game, check: AnyOpening, /) -> tuple[Prompt, ...]:
        data = check.data
        if data.reading is None or data.kept or data.reading.players == "confused":
            return ()
        who = _seizing(game, cards_of(game))
        return (Prompt("seize", who, "react", PASS, fresh=True),) if who else ()

    def options(self, game: Game, check: AnyOpening, prompt: str, who: str, /) -> tuple[Option, ...]:
        return _seizes(game, who, "flip")

    def choose(self, game: Game, check: AnyOpening, choice: Choice, /) -> Step[Opening]:
        return _seized(game, check, choice, "flip")


# --- what it does --------------------------------------------------------------------------------------------


def _slots(game: Game, place: str, sides: Iterable[Side]) -> list[str]:
    return [
        each.character
        for each in here(game.state, place).order
        if each.character is not None and side_of(game, each) in sides
    ]


def _set_back(game: Game, check: AnyOpening) -> list[str]:
    """Everybody who suffers a setback by the card."""
    read = check.data.reading
    if read is None:
        return []
    return _slots(game, check.place, [each for each in read.sides if read.of(each) == "setback"])


def _victims(asked: Asking) -> tuple[Offer, ...]:
    check: Any = asked.check
    who = _set_back(asked.game, check) if check is not None else []
    return tuple([Offer(each, Line("named", {"name": Ref(each)})) for each in who])


_SPARED: Final = Form((Many("who", among=_victims, needed=True),))


class Sparing(Stage[Opening]):
    """The GM picks for each what a setback is: an action that is lost, or a mishap (MB-CARD-I08)."""

    name = "setback"

    def ask(self, game: Game, check: AnyOpening, /) -> tuple[Prompt, ...]:
        if check.data.spared or check.data.befell or not _set_back(game, check):
            return ()
        return (Prompt("setback", (GMS,), "answer", PASS, button="mb-card-say"),)

    def options(self, game: Game, check: AnyOpening, prompt: str, who: str, /) -> tuple[Option, ...]:
        usual = game.setting("setback_default")
        return (Option("spare", Line("mb-card-setback", {"usual": usual}), _SPARED),)

    def choose(self, game: Game, check: AnyOpening, choice: Choice, /) -> Step[Opening]:
        return Step(game.state, check.data.but(spared=tuple(choice.values["who"])))


class Befalling(Stage[Opening]):
    """The card's line does what it says to each side (MB-CARD-I05 to MB-CARD-I10)."""

    name = "befall"

    def enter(self, game: Game, check: AnyOpening, /) -> Step[Opening] | None:
        data = check.data
        if data.befell or data.reading is None:
            return None
        came = list[tuple[str, Facts]]()
        for slot in here(game.state, check.place).order:
            who = slot.character
            if who is None:
                continue
            effect = data.reading.of(side_of(game, slot))
            game, facts = _befallen(game, who, effect, other=who in data.spared)
            if facts:
                came.append((who, facts))
        inspired = data.reading.players == "inspiration"
        data = data.but(befell=True, came=tuple(came))
        if not inspired or not mode(game).hands:
            return Step(game.state, data)
        cards = cards_of(game)
        told = list[Any]()
        for seat in cards.deal.seats:
            wait = game.setting("hand_lock_other_draws")
            cards, moves = dealing.draw(cards, seat.who, game.rng, wait=wait)
            told += [each for each in moves if each.what != "drawn"]
        game, events = asking.met(with_cards(game, cards), check.place, told)
        return Step(game.state, data.but(drew=tuple([each.who for each in cards.deal.seats])), events=events)


def _befallen(game: Game, who: str, effect: str, *, other: bool) -> tuple[Game, Facts]:
    """The game after what a line does to somebody; a setback that is `other` than usual."""
    sheet: MasterbookSheet = game.sheet(who)
    if effect == "fatigued" and not sheet.harm.dead:
        now, facts = lines.fatigued(sheet.harm, capacity(game, who))
        return with_harm(game, who, now), facts
    if effect == "inspiration":
        now, facts = lines.inspired(sheet.harm)
        return with_harm(game, who, now), facts
    if effect in ("up", "stymied"):
        return _lasting(game, who, effect), ()
    loses = (game.setting("setback_default") == "lose_one_action") != other
    if effect == "setback" and not lines.actions("setback", loses=loses):
        return game.with_(with_marks(game.state, who, Mark(SETBACK, until="encounter"))), ()
    return game, (("mishap", 0),) if effect == "setback" else ()


def _lasting(game: Game, who: str, effect: str) -> Game:
    """The game with somebody up or stymied for the round; who is so for longer by something else stays so."""
    if marks_of(game.state, who, LINE, effect):
        return game
    return game.with_(with_marks(game.state, who, Mark(LINE, effect, until="round")))


def joined(game: Game, before: TableState) -> Game:
    """The game once who has joined a side in mid-round is up or stymied with it (MB-CARD-I09, MB-CARD-I10)."""
    flip = cards_of(game).deal.round if begun(game) else None
    place = "" if flip is None else flip.place
    read, was, now = card_here(game, place), encounter_in(before, place), encounter_in(game.state, place)
    if read is None or was is None or now is None or now.opening or now.round != was.round:
        return game
    there = {each.character for each in was.order}
    for slot in now.order:
        effect = read.of(side_of(game, slot))
        if slot.character and slot.character not in there and effect in ("up", "stymied"):
            game = _lasting(game, slot.character, effect)
    return game


# --- in words ------------------------------------------------------------------------------------------------


def told(game: Game, check: AnyOpening) -> Iterable[Block]:
    """What the card says and has done."""
    data = check.data
    read = data.reading
    if read is None:
        return
    for who, before in data.seized:
        seized = {"who": Ref(who), "before": before or None, "name": data.name}
        yield Note(Text("mb-card-seized", seized), ALL)
    about = {"name": data.name, "number": data.card, "kept": data.kept}
    yield Fact(Text("mb-card-of-round"), Text("mb-card-named", about), ALL, card=f"{data.card}:{read.scene}")
    for side in read.sides:
        line = {"side": side, "effect": read.of(side), "skill": read.skill if side == "G" else ""}
        yield Note(Text("mb-card-line", {**line, "first": side == read.first}), ALL)
    if read.approved:
        words = tuple([Line("mb-card-act", {"word": each}) for each in read.approved])
        yield Fact(Text("mb-card-approved"), words, ALL)
    for who, facts in data.came:
        seen: Seen = GMS_ONLY if is_npc(game, who) else ALL
        for line in happened(who, facts):
            yield Note(line, seen)
    if data.drew:
        yield Note(Text("mb-card-drew", {"who": tuple([Ref(each) for each in data.drew])}), ALL)
