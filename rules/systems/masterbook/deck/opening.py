"""A round that begins with its card: kept or flipped, seized, what its line does, what it pays for.

MB-CARD-I01 to MB-CARD-I13, MB-CARD-E16, MB-CARD-A01 to MB-CARD-A03, MB-CARD-L04.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Final, Literal

from rules.core.record import Record
from rules.core.rng import Rng, Streams
from rules.systems.masterbook import harm as harms
from rules.systems.masterbook.chart import Damage
from rules.systems.masterbook.deck import asking, dealing, playing
from rules.systems.masterbook.deck.kinds import MODES, Box, Effect, Face, Lines, Side
from rules.systems.masterbook.deck.state import (
    DRAW,
    HAND,
    INITIATIVE,
    POOL,
    QUEUE,
    Cards,
    Flip,
    Rounds,
    Scene,
    Seat,
)
from rules.systems.masterbook.deck.table import begun, cards_of, for_all, lying, mode, with_cards
from rules.systems.masterbook.dice import Throw
from rules.systems.masterbook.doing import LINE, TRAPPED, encounter_of
from rules.systems.masterbook.harm import Facts, Harm
from rules.systems.masterbook.hurting import capacity, with_harm
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.talk import SETBACK
from rules.systems.masterbook.telling import came_notes
from rules.table.blocks import ALL, Block, Fact, Ref, Text
from rules.table.checks.check import GMS, PASS, Check, Choice, Prompt
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.events import Line
from rules.table.forms import Form, Many
from rules.table.forms import Option as Offer
from rules.table.marks import marks_of, with_marks, without_marks
from rules.table.state import Mark, Slot, TableState
from rules.table.system import Game, is_npc
from rules.table.turns.order import encounter_in, here

#: Shock of the fatigued; what a side that should have broken off and could not adds to its difficulties.
_FATIGUE: Final = 2
TRAPS: Final = 4
Seizing = Literal["flip", "keep"]
_SEIZES: Final = ("initiative_control", "any_card")


class Reading(Lines):
    """What a card says as the initiative card of a `scene`: its line, what earns a card, and its box."""

    approved: tuple[str, ...] = ()
    box: Box | None = None
    letters: tuple[str, ...] = ()
    scene: Scene = "standard"


def read(face: Face, scene: Scene) -> Reading:
    """A card by the line of its scene (MB-CARD-I01, MB-CARD-I04)."""
    line = face.line(scene)
    return Reading(
        line.first, line.players, line.gms, line.skill, face.approved, face.box, face.letters, scene
    )


def reading(cards: Cards) -> Reading | None:
    """What the card of this round says, as far as the table plays by it; None where there is none (MB-CARD-00)."""
    now, line = cards.deal.round, cards.lines
    if now is None or not now.card:
        return None
    found = read(cards.faces[now.card], now.scene)
    earns = now.kind == "combat" or cards.setting("interaction_rounds_use_cards") in ("both", "approved")
    approved = found.approved if earns and MODES[cards.setting("cards_mode")].awards else ()
    return found.replace(players=line.players, gms=line.gms, skill=line.skill, approved=approved)


# --- which card it is ----------------------------------------------------------------------------------------


def _round(cards: Cards) -> Flip:
    """Impossible("mb-card-not-in-rounds")."""
    if cards.deal.round is None:
        raise dealing.refused("not_in_rounds")
    return cards.deal.round


def _turned(cards: Cards, rng: Streams) -> Cards:
    """The next initiative card lies on its pile: one that a GM has kept for it, else the top of the draw pile.

    Impossible("mb-card-deck-exhausted").
    """
    source = QUEUE if cards.at(QUEUE) else DRAW
    cards = dealing.refill(cards, rng) if source == DRAW else cards
    dealing.refuse(deck_exhausted=not cards.at(source))
    card = cards.at(source)[0]
    now = _round(cards).replace(card=card)
    return cards.moved(source, INITIATIVE, card).dealt(round=now).tell("flipped", cards=(card,))


def flip(cards: Cards, scene: Scene, rng: Streams) -> Cards:
    """A round begins with its card, and everybody's counts anew; a card that was kept stays (MB-CARD-I01).

    Impossible("mb-card-not-in-rounds", "mb-card-deck-exhausted").
    """
    before = _round(cards)
    if before.kept:
        cards = cards.tell("kept", cards=(before.card,))
    else:  # the round before is over: its card may be shuffled in
        cards = _turned(cards.dealt(round=before.replace(card="")), rng)
    return dealing.fresh_round(cards).dealt(round=_round(cards).replace(scene=scene, kept=False))


def _seizing_from(cards: Cards, who: str) -> tuple[str, ...]:
    """The cards by which somebody may seize the initiative where they are for it: of the pool, as a rule."""
    return (*cards.at(POOL, who), *(cards.at(HAND, who) if cards.seat(who).declared else ()))


def seize(cards: Cards, who: str, card: str, how: Seizing, rng: Streams) -> Cards:
    """Seize Initiative: another card in place of the one just flipped, or this one for a round more (MB-CARD-E16).

    From the pool, in somebody's critical moment from the hand as well. Impossible("mb-card-not-in-rounds",
    "mb-card-confused", "mb-card-not-in-pool", "mb-card-wrong-window", "mb-card-deck-exhausted").
    """
    now = _round(cards)
    dealing.refuse(
        not_in_rounds=not playing.in_rounds(cards),
        confused=dealing.confused(cards),
        not_in_pool=card not in _seizing_from(cards, who),
        wrong_window=cards.kind(card).op not in _SEIZES or (how == "keep" and now.kept),
    )
    cards = dealing.spent(cards, who, card).tell("seized", who, (card,))
    return cards.dealt(round=now.replace(kept=True)) if how == "keep" else _turned(cards, rng)


# --- what its line does --------------------------------------------------------------------------------------


def fatigued(harm: Harm, capacity: int) -> tuple[Harm, Facts]:
    """2 shock at once, with what follows (MB-CARD-I05)."""
    return harms.apply(harm, Damage(shock=_FATIGUE), capacity)


def inspired(harm: Harm) -> tuple[Harm, Facts]:
    """Without shock, K, O and knockdown; whoever wakes is knocked down (MB-CARD-I07). Facts: `inspired`, `woken`."""
    if harm.dead:
        return harm, ()
    now = harm.replace(shock=0, k=0, o=False, out_for=0, fainted=False, down=0, step=0)
    if harm.out and not now.out:
        return now.replace(down=harms.KNOCKED_DOWN), (("woken", 0),)
    return now, (("inspired", 0),) if now != harm else ()


def breaking(*, achieved: bool, can_leave: bool) -> int:
    """What is added to all difficulties of a side that should have broken off and could not (MB-CARD-I11)."""
    return 0 if achieved or can_leave else TRAPS


def taken(cards: Cards, who: str, card: str | None, rng: Rng, skill: str) -> Cards:
    """The GM's side has succeeded with this skill against somebody: a card of theirs goes (MB-CARD-I12).

    One of the pool that the GM has chosen, without one a random card of the hand.
    Impossible("mb-card-effect-not-active", "mb-card-no-cards", "mb-card-not-in-pool").
    """
    line = cards.lines
    held = cards.at(HAND if card is None else POOL, who)
    dealing.refuse(
        effect_not_active=(line.gms, line.skill) != ("skill", skill),
        no_cards=not held,
        not_in_pool=card is not None and card not in held,
    )
    # The first received lies at the bottom.
    gone = held[::-1][rng.below(len(held))] if card is None else card
    return dealing.discarded(cards, who, (gone,)).tell("taken", who, (gone,))


# --- what from elsewhere is like it --------------------------------------------------------------------------

#: What a thrown pair comes to at most for bad luck, by the column of the compensation (MB-CARD-L04, MB-BG-43).
_UNLUCKY: Final = {1: 2, 2: 3, 3: 4}


def unlucky(column: int, low: int) -> bool:
    """Whether a throw of two dice, the first or a later one, that came to so little sets bad luck off."""
    return low <= _UNLUCKY[column]


# --- approved actions ----------------------------------------------------------------------------------------

ANY, DEFEND = "any", "defend"
#: Words of the Act line that name a kind of deed; any other is the name of a skill.
DEEDS: Final = (ANY, DEFEND, "intimidation", "maneuver", "taunt", "trick")
#: Rounds before a card that was earned may be pooled (MB-CARD-09).
_LOCKED: Final = 1


class Deed(Record):
    """Something that somebody has done.

    `kind` is what it counts as (a word of the Act line, such as `maneuver` for acrobatics used so), `skill` what was
    rolled; a simple action is not `rolled`. A defence has succeeded where it has `stopped` an attack.
    """

    kind: str = ""
    skill: str = ""
    rolled: bool = True
    succeeded: bool = False


def _key(name: str) -> str:
    return name.strip().casefold().replace(" ", "_")


def matches(word: str, deed: Deed) -> bool:
    """Whether a word of the Act line means it (MB-CARD-A02)."""
    return word in (ANY, _key(deed.kind)) or (word not in DEEDS and word == _key(deed.skill))


def stopped(total: int, attacks: Iterable[int]) -> bool:
    """Whether an active defence has kept off an attack: at least one was made and missed it (MB-CARD-A02)."""
    return any(each < total for each in attacks)


def listed(reading: Reading, deed: Deed) -> bool:
    """Whether the round's card pays for what was done, if it succeeds."""
    return deed.rolled and any(matches(each, deed) for each in reading.approved)


def earned(cards: Cards, who: str, deed: Deed) -> Cards:
    """A card more is due to somebody at the end of the round, unless a GM takes it back (MB-CARD-A01, MB-CARD-A03).

    Impossible("mb-card-no-seat", "mb-card-not-in-rounds", "mb-card-confused", "mb-card-limit-reached",
    "mb-card-not-rolled", "mb-card-not-listed", "mb-card-failed").
    """
    seat, now = cards.seat(who), reading(cards)
    dealing.refuse(
        not_in_rounds=now is None,
        confused=dealing.confused(cards) and cards.setting("confused_blocks_awards"),
        limit_reached=seat.awards >= dealing.chances(cards, seat),
        not_rolled=not deed.rolled,
        not_listed=not listed(now or Reading(), deed),
        failed=not deed.succeeded,
    )
    return cards.noted(who, awards=seat.awards + 1)


def denied(cards: Cards, who: str) -> Cards:
    """A GM takes back what an approved action has earned. Impossible("mb-card-precondition") for nothing earned."""
    awards = cards.seat(who).awards
    dealing.refuse(precondition=not awards and "earned")
    return cards.noted(who, awards=awards - 1)


def round_over(cards: Cards, rng: Streams) -> Cards:
    """A round ends: what lasted as long goes, then everybody draws what they have earned, locked (MB-CARD-A01)."""
    earned = {seat.who: seat.awards for seat in cards.deal.seats}
    cards = dealing.close_round(cards)
    cards = cards.dealt(seats=tuple([seat.replace(awards=0) for seat in cards.deal.seats]))
    return dealing.draw_each(cards, earned, rng, wait=_LOCKED)


# --- the round -----------------------------------------------------------------------------------------------


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


# --- sides, and what is in force -----------------------------------------------------------------------------


def side_of(game: Game, slot: Slot) -> Side:
    """Whose side somebody in the order is on: as a GM has said, else the players' or not (MB-CARD-I02)."""
    if slot.side:
        return "P" if slot.side == "P" else "G"
    return "G" if is_npc(game, slot.character) else "P"


def counted(game: Game, place: str) -> Cards | None:
    """The deck in rounds of this place, by its cards or by dice; None out of them."""
    cards = lying(game)
    now = cards.deal.round
    return cards if now is not None and now.place == place else None


def _counts(game: Game, place: str) -> bool:
    """Whether rounds of a place are also those of the deck; there are such rounds in one place at a time."""
    now = lying(game).deal.round
    free = now is None or now.place == place or now.place not in game.state.encounters
    return free and (mode(game).lines or (mode(game).hands and begun(game)))


def card_here(game: Game, place: str) -> Reading | None:
    """What the card of this round says in a place; None where no card is in force there."""
    cards = counted(game, place) if mode(game).lines else None
    return None if cards is None else reading(cards)


def card_for(game: Game, who: str) -> tuple[Reading, Side] | None:
    """What the card of the round says in which somebody is, and whose side they are on; None without."""
    found = encounter_of(game.state, who)
    if found is None or (read := card_here(game, found.place)) is None:
        return None
    return read, next(side_of(game, slot) for slot in found.order if slot.character == who)


def laid(game: Game) -> Cards:
    """The deck as it lies; one that nobody has been dealt from, such as one just brought, is shuffled first."""
    cards, there = lying(game), begun(game)
    unshuffled = dealing.laid(cards.faces)
    if there and cards.at(DRAW) != unshuffled.at(DRAW):
        return cards
    return dealing.shuffled(cards if there else cards.replace(piles=unshuffled), game.rng, "shuffled")


def _seizing(game: Game, cards: Cards) -> tuple[str, ...]:
    """Who could play Seize Initiative as everybody knows: pools lie open, and who has a critical moment."""

    def may(seat: Seat) -> bool:
        open_ = any(cards.kind(each).op in _SEIZES for each in cards.at(POOL, seat.who))
        return open_ or (seat.declared and bool(cards.at(HAND, seat.who)))

    found = [each.who for each in cards.deal.seats if playing.in_rounds(cards) and may(each)]
    return tuple([each for each in found if each in game.state.characters and not game.sheet(each).harm.out])


# --- before the card -----------------------------------------------------------------------------------------


_ACHIEVED, _LEAVES, _TRAPPED = "achieved", "leaves", "trapped"


class Judging(Stage[Opening]):
    """The GM says how a side has done that had to break off (MB-CARD-I11)."""

    name = "breaks"

    def ask(self, game: Game, check: Check[Opening], /) -> tuple[Prompt, ...]:
        read = card_here(game, check.place)
        if read is None or check.data.judged or check.data.number:
            return ()
        stuck = any(marks_of(game.state, each, TRAPPED) for each in _slots(game, check.place, ["G"]))
        asks = Prompt("breaks", (GMS,), "answer", PASS, button="mb-card-say")
        return (asks,) if stuck or read.gms == "breaks" else ()

    def options(self, game: Game, check: Check[Opening], prompt: str, who: str, /) -> tuple[Option, ...]:
        hows = (_ACHIEVED, _LEAVES, _TRAPPED)
        return tuple([Option(each, Line("mb-breaks", {"how": each})) for each in hows])

    def choose(self, game: Game, check: Check[Opening], choice: Choice, /) -> Step[Opening]:
        state = game.state
        harder = breaking(achieved=choice.option == _ACHIEVED, can_leave=choice.option != _TRAPPED)
        for each in _slots(game, check.place, ["G"]):
            state = without_marks(state, each, TRAPPED)
            if harder:
                state = with_marks(state, each, Mark(TRAPPED, value=harder, until="encounter"))
        return Step(state, check.data.replace(judged=choice.option))


class Seized(Stage[Opening]):
    """Somebody may seize the initiative with a card, in one way (MB-CARD-E16)."""

    how: Seizing

    @abstractmethod
    def seized(self, game: Game, check: Check[Opening]) -> Reading | None:
        """What the card says that somebody may seize now."""

    def ask(self, game: Game, check: Check[Opening], /) -> tuple[Prompt, ...]:
        read = self.seized(game, check)
        who = () if read is None or read.players == "confused" else _seizing(game, cards_of(game))
        return (Prompt(self.name, who, "react", PASS),) if who else ()

    def options(self, game: Game, check: Check[Opening], prompt: str, who: str, /) -> tuple[Option, ...]:
        cards, found = cards_of(game), list[Option]()
        for each in _seizing_from(cards, who):
            if (kind := cards.kind(each)).op in _SEIZES:
                said = Line("mb-card-seizes", {"how": self.how, "card": kind.name})
                found.append(Option(f"{self.how}:{each}", said))
        return tuple(found)

    def choose(self, game: Game, check: Check[Opening], choice: Choice, /) -> Step[Opening]:
        card, data, flips = choice.option.partition(":")[2], check.data, self.how == "flip"
        cards = seize(cards_of(game), choice.who, card, self.how, game.rng)
        game = with_cards(game, cards)
        data = data.replace(seized=(*data.seized, (choice.who, data.name if flips else "")))
        data = _read(game, data) if flips else data
        return Step(game.state, data, reopen=True, events=asking.shuffles(game, cards))


class Keeping(Seized):
    """Before the next flip the last round's card may be kept."""

    name = how = "keep"

    def seized(self, game: Game, check: Check[Opening]) -> Reading | None:
        now = lying(game).deal.round
        return None if check.data.number or now is None or now.kept else card_here(game, check.place)


def _read(game: Game, data: Opening) -> Opening:
    """With what the card in force says."""
    cards = cards_of(game)
    card = _round(cards).card
    return data.replace(card=card, name=cards.kind(card).name, reading=reading(cards))


# --- the card ------------------------------------------------------------------------------------------------


class Flipping(Stage[Opening]):
    """The round's card is flipped where the order goes by cards (MB-CARD-I01)."""

    name = "flip"

    def enter(self, game: Game, check: Check[Opening], /) -> Step[Opening] | None:
        if check.data.number:
            return None
        encounter = here(game.state, check.place)
        kind: Rounds = "combat" if encounter.data is None else encounter.data.at(encounter.round).kind
        data = check.data.replace(number=encounter.round, kind=kind)
        if not _counts(game, check.place):
            return Step(game.state, data)
        cards, over = laid(game), list[str]()
        scene = "dramatic" if cards.deal.dramatic else "standard"
        now = cards.deal.round
        if now is None:
            over = [each for each in cards.deal.who if dealing.surplus(cards, each)]
            cards = dealing.enter(cards, kind, scene)
        now = Flip() if now is None or now.place != check.place else now
        cards = cards.dealt(round=now.replace(kind=kind, scene=scene, place=check.place))
        lines = mode(game).lines
        cards = flip(cards, scene, game.rng) if lines else dealing.fresh_round(cards)
        game = with_cards(game, cards)
        data = _read(game, data.replace(kept=now.kept)) if lines else data
        told = asking.shuffles(game, cards)
        # What a hand has too much it loses before rounds begin (OP-4).
        game, events = asking.refilled(game, check.place, over, "discard")
        return Step(game.state, data, events=(*told, *events))


class Revealing(Seized):
    """Once the card is shown, and before it does anything, another one may take its place (MB-CARD-E16)."""

    name, how = "seize", "flip"

    def seized(self, game: Game, check: Check[Opening]) -> Reading | None:
        return None if check.data.kept else check.data.reading


# --- what it does --------------------------------------------------------------------------------------------


def _slots(game: Game, place: str, sides: Iterable[Side]) -> list[str]:
    order = here(game.state, place).order
    return [each.character for each in order if each.character and side_of(game, each) in sides]


def _set_back(game: Game, check: Check[Opening]) -> list[str]:
    """Everybody who suffers a setback by the card."""
    read = check.data.reading or Reading()
    return _slots(game, check.place, [each for each in read.sides if read.of(each) == "setback"])


class Sparing(Stage[Opening]):
    """The GM picks for each what a setback is: an action that is lost, or a mishap (MB-CARD-I08)."""

    name = "setback"

    def ask(self, game: Game, check: Check[Opening], /) -> tuple[Prompt, ...]:
        if check.data.spared or check.data.befell or not _set_back(game, check):
            return ()
        return (Prompt("setback", (GMS,), "answer", PASS, button="mb-card-say"),)

    def options(self, game: Game, check: Check[Opening], prompt: str, who: str, /) -> tuple[Option, ...]:
        victims = [Offer(each, Line("named", {"name": Ref(each)})) for each in _set_back(game, check)]
        form = Form((Many("who", among=tuple(victims), needed=True),))
        said = Line("mb-card-setback", {"usual": game.setting("setback_default")})
        return (Option("spare", said, form),)

    def choose(self, game: Game, check: Check[Opening], choice: Choice, /) -> Step[Opening]:
        return Step(game.state, check.data.replace(spared=tuple(choice.values["who"])))


class Befalling(Stage[Opening]):
    """The card's line does what it says to each side (MB-CARD-I05 to MB-CARD-I10)."""

    name = "befall"

    def enter(self, game: Game, check: Check[Opening], /) -> Step[Opening] | None:
        data = check.data
        if data.befell or data.reading is None:
            return None
        came = list[tuple[str, Facts]]()
        for slot in here(game.state, check.place).order:
            if who := slot.character:
                effect = data.reading.of(side_of(game, slot))
                game, facts = _befallen(game, who, effect, other=who in data.spared)
                came += [(who, facts)] if facts else []
        inspired = data.reading.players == "inspiration"
        data = data.replace(befell=True, came=tuple(came))
        if not inspired or not mode(game).hands:
            return Step(game.state, data)
        cards = cards_of(game)
        cards = dealing.draw_each(cards, dict.fromkeys(cards.deal.who, 1), game.rng)
        game, events = asking.met(game, check.place, cards.untold("drawn"))
        return Step(game.state, data.replace(drew=cards.deal.who), events=events)


def _befallen(game: Game, who: str, effect: Effect, *, other: bool) -> tuple[Game, Facts]:
    """The game after what a line does to somebody; a setback that is `other` than usual."""
    sheet: MasterbookSheet = game.sheet(who)
    if effect == "fatigued" and not sheet.harm.dead:
        now, facts = fatigued(sheet.harm, capacity(game, who))
        return with_harm(game, who, now), facts
    if effect == "inspiration":
        now, facts = inspired(sheet.harm)
        return with_harm(game, who, now), facts
    if effect in ("up", "stymied"):
        return _lasting(game, who, effect), ()
    loses = (game.setting("setback_default") == "lose_one_action") != other
    if effect == "setback" and not dealing.actions(effect, loses=loses):
        return game.with_(with_marks(game.state, who, Mark(SETBACK, until="encounter"))), ()
    return game, (("mishap", 0),) if effect == "setback" else ()


def _lasting(game: Game, who: str, effect: str) -> Game:
    """The game with somebody up or stymied for the round; who is so for longer by something else stays so."""
    if marks_of(game.state, who, LINE, effect):
        return game
    return game.with_(with_marks(game.state, who, Mark(LINE, effect, until="round")))


def joined(game: Game, before: TableState) -> Game:
    """The game once who has joined a side in mid-round is up or stymied with it (MB-CARD-I09, MB-CARD-I10)."""
    flip = lying(game).deal.round
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


def told(game: Game, check: Check[Opening]) -> Iterable[Block]:
    """What the card says and has done."""
    data = check.data
    read = data.reading
    if read is None:
        return
    for who, before in data.seized:
        yield for_all("mb-card-seized", who=Ref(who), before=before or None, name=data.name)
    about = {"name": data.name, "number": data.card, "kept": data.kept}
    yield Fact(Text("mb-card-of-round"), Text("mb-card-named", about), ALL, card=f"{data.card}:{read.scene}")
    for side in read.sides:
        skill, first = read.skill if side == "G" else "", side == read.first
        yield for_all("mb-card-line", side=side, effect=read.of(side), skill=skill, first=first)
    if read.approved:
        yield Fact(Text("mb-card-approved"), read.approved, ALL)
    yield from came_notes(game, check)
    if data.drew:
        yield for_all("mb-card-drew", who=tuple([Ref(each) for each in data.drew]))
