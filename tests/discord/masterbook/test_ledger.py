"""Adventures with cards at random, and an account of cards and points that is kept by an arithmetic
of its own.
"""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any, Final

import pytest

from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, DRAW_PILE, FACE, HAND
from tests.discord.masterbook.cards.deck import cards, order, who, whole
from tests.discord.masterbook.table import FIGHTER, bring, open_table, sheet
from tests.discord.world import World, labels, menu, message_of, texts

#: Subplots, and Life Points that they pay: at the end of each act, at the end of the adventure.
PLOTS: Final = (
    dict.fromkeys(("Alertness", "Common Ground"), (0, 0))
    | dict.fromkeys(("Martyr", "Mistaken Identity", "Nemesis", "Suspicion"), (1, 0))
    | {"Connection": (0, 1), "Personal Stake": (0, 2), "Romance": (0, 2)}
)
PICTURES: Final = ("Disaster", "General", "Interloper")
#: How many cards each holds, by how many play (MB-CARD-04).
LIMITS: Final = {1: 5, 2: 3, 3: 3, 4: 3, 5: 3, 6: 2}
NAMES: Final = ("Vesna", "Boris", "Cyril", "Dora", "Emil", "Flora")
#: Life Points at most; subplots that pay for being turned down, and those in effect.
MOST, REFUSALS, OPEN = 10, 2, 2
#: What is done in each adventure.
_STEPS: Final = 30


class Seat:
    """What somebody holds, and has lying open: decided on, or `pending`."""

    def __init__(self, points: int) -> None:
        self.points, self.skill, self.refused = points, 0, 0
        self.hand, self.face, self.pending = list[str](), list[str](), list[str]()

    def gain(self, points: int) -> bool:
        """Whether there was room for any of them."""
        before = self.points
        self.points = min(MOST, self.points + points)
        return self.points > before


class Ledger:
    """The account of an adventure: every card by its number, every point."""

    def __init__(self, world: World, chance: random.Random) -> None:
        self.world, self.chance = world, chance
        self.people: dict[str, Any] = {"Vesna": world.ana, "Boris": world.ben}
        self.names, self.seats = dict[str, str](), dict[str, Seat]()
        self.draw, self.used, self.due = list[str](), list[str](), list[str]()
        self.act, self.scenes, self.limit = 1, 0, 0

    def dealt(self, name: str, card: str, *, again: bool) -> None:
        """A card comes to somebody, as one that is drawn (MB-CARD-05)."""
        seat, kind = self.seats[name], self.names[card]
        if kind not in PLOTS and kind not in PICTURES:
            seat.hand.append(card)
            return
        seat.face.append(card)
        seat.pending += [card] * (kind in PLOTS)
        if again:
            self.drawn(name)

    def drawn(self, name: str, number: int = 1) -> None:
        for _ in range(number):
            self.dealt(name, self.draw.pop(0), again=True)

    def discards(self, name: str, *chosen: str) -> None:
        for each in chosen:
            self.seats[name].hand.remove(each)
            self.used.insert(0, each)

    def turned_down(self, name: str, card: str) -> None:
        """Nothing comes of a subplot: a Life Point, twice at most (MB-CARD-S00)."""
        seat = self.seats[name]
        seat.face.remove(card)
        seat.pending.remove(card)
        self.used.insert(0, card)
        if seat.refused < REFUSALS:
            seat.refused += seat.gain(1)

    def kept(self, name: str) -> list[str]:
        seat = self.seats[name]
        return [
            each for each in seat.face if each not in seat.pending and self.names[each] in PLOTS
        ]

    async def stands(self, after: str) -> None:
        deck = whole(await cards(self.world))
        for name, seat in self.seats.items():
            person, found = await who(self.world, name), await sheet(self.world, name)
            mine = (sorted(seat.hand), sorted(seat.face), seat.pending, seat.points, seat.skill)
            held = (sorted(deck.at(HAND, person)), sorted(deck.at(FACE, person)))
            theirs = (*held, list(deck.seat(person).pending), found.life_points, found.skill_points)
            assert theirs == mine, (after, name, theirs, mine)
            assert bool(deck.seat(person).due) == (name in self.due), (after, name)
        assert list(deck.at(DRAW_PILE)) == self.draw, after
        assert sorted(deck.at(DISCARD_PILE)) == sorted(self.used), after
        self.used = list(deck.at(DISCARD_PILE))  # of several at once the rules name no order

    async def all_there_is(self) -> Any:
        """Everything that an undo has to restore."""
        state = await self.world.state()
        return state.decks, state.own, {key: each.sheet for key, each in state.characters.items()}

    async def does(self, person: Any, command: str, **options: Any) -> None:
        told = texts(message_of(await person.slash(self.world.zone, command, **options)))
        assert "Nothing has changed" not in told, (command, options, told)

    async def opened(self, person: Any, label: str, *about: str) -> Any:
        """The panel behind a button, on the newest card that is about it."""
        open_ = [each for each in self.world.messages() if label in labels(each)]
        mine = [each for each in open_ if all(part in texts(each) for part in about)]
        assert mine, (label, about, [texts(each) for each in open_])
        return message_of(await self.world.press(person, mine[-1], label))

    async def decides(self) -> str:
        """The GM and the player say what becomes of the first subplot that somebody has
        turned up.
        """
        waiting = [(name, seat.pending[0]) for name, seat in self.seats.items() if seat.pending]
        if not waiting:
            return ""
        name, card = self.chance.choice(waiting)
        about, full = (
            (f"{name} draws a subplot", self.names[card]),
            len(self.kept(name)) >= OPEN,
        )
        panel = await self.opened(self.world.gina, "Answer", *about)
        assert ("Allow" in labels(panel)) is not full, (full, labels(panel))
        answer = self.chance.choice(("Allow a third" if full else "Allow", "Disallow"))
        await self.world.press(self.world.gina, panel, answer)
        if answer != "Disallow":
            panel = await self.opened(self.people[name], "Keep it?", *about)
            answer = self.chance.choice(("Keep", "Decline"))
            await self.world.press(self.people[name], panel, answer)
        if answer == "Keep":
            self.seats[name].pending.remove(card)
        else:
            self.turned_down(name, card)
        return f"{answer}: {name}'s {self.names[card]}"

    async def plays(self) -> str:
        """A card between actions: skill points, a card for everybody, cards given away and drawn,
        one claimed.
        """
        wanted = ("Drama", "Rally", "Leadership", *["Claim"] * bool(self.used))
        hands = [(name, card) for name, seat in self.seats.items() for card in seat.hand]
        found = [(name, card) for name, card in hands if self.names[card] in wanted]
        if not found:
            return ""
        name, card = self.chance.choice(found)
        kind, others = self.names[card], [each for each in self.seats if each != name]
        gifts = [each for each in self.seats[name].hand if each != card][
            : self.chance.randint(0, 2)
        ]
        to = self.chance.choice(others) if kind == "Leadership" and gifts and others else ""
        options = {"gifts": ", ".join(gifts), "to": to} if to else {}
        await self.does(self.people[name], "mb card play", card=card, **options, **{"as": name})
        top = self.used[:1]
        self.discards(name, card)
        if kind == "Drama":
            self.seats[name].skill += 3
        elif kind == "Claim":
            self.used.remove(top[0])
            self.dealt(name, top[0], again=False)
        elif kind == "Rally":
            for each in self.seats:
                self.drawn(each)
        else:
            for each in gifts if to else ():
                self.seats[name].hand.remove(each)
                self.seats[to].hand.append(each)
            self.drawn(name, 2)
        return f"{name} plays {kind} {options}"

    async def goes_on(self) -> str:
        """A scene begins, or an act ends: hands are filled up, Life Points are paid (MB-CARD-14,
        MB-CARD-X02).
        """
        if self.due or any(seat.pending for seat in self.seats.values()):
            return ""
        more = self.chance.randint(-1, 2)
        if self.scenes and self.chance.random() < 0.4:
            await self.does(self.world.gina, "mb adventure act", what="end", number=more)
            await self.paid("The act is over", max(0, self.scenes + more), (0,))
            self.act, self.scenes, self.due = self.act + 1, 0, list(self.seats)
            return f"an act ends, {more}"
        self.due = list(self.seats) if self.scenes else []
        await self.does(self.world.gina, "mb adventure scene", what="start")
        self.scenes += 1
        return "a scene begins"

    async def paid(self, what: str, points: int, when: tuple[int, ...]) -> None:
        paying = {
            name: [PLOTS[self.names[each]] for each in self.kept(name)] for name in self.seats
        }
        more = {
            name: sum(each[at] for each in found for at in when) for name, found in paying.items()
        }
        if any(more.values()):
            panel = await self.opened(self.world.gina, "Pay", what)
            await self.world.press(self.world.gina, panel, "Pay for all")
        for name, seat in self.seats.items():
            seat.gain(points + more[name])

    async def fills(self) -> str:
        """Somebody says what to discard, all that is too much at least, and draws."""
        if not self.due:
            return ""
        name = self.chance.choice(self.due)
        hand, person = self.seats[name].hand, self.people[name]
        chosen = self.chance.sample(
            hand, self.chance.randint(max(0, len(hand) - self.limit), len(hand))
        )
        panel = await self.opened(person, "Choose cards")
        if chosen:
            assert len(menu(panel, "Cards")["options"]) == len(hand), name
            panel = message_of(
                await self.world.choose(
                    person, panel, "Cards", *[f"cards: {each}" for each in chosen]
                )
            )
        wanted = "Discard" if chosen else "Keep all"
        label = next(each for each in labels(panel) if each.startswith(wanted))
        await self.world.press(person, panel, label)
        self.discards(name, *chosen)
        self.due.remove(name)
        self.drawn(name, max(0, self.limit - len(hand)))
        return f"{name} discards {chosen}"

    async def sits(self) -> str:
        """Somebody gets up and comes back, last in order, with a new hand (MB-CARD-04)."""
        if len(self.seats) < 2 or self.chance.random() < 0.7:
            return ""
        name = self.chance.choice([*self.seats])
        for how in ("leaves", "joins"):
            await self.does(self.world.gina, "mb card seat", how=how, character=name)
        seat = self.seats.pop(name)
        self.used = [*seat.hand, *seat.face, *self.used]
        seat.hand, seat.face, seat.pending = [], [], []
        self.seats[name], self.due = seat, [each for each in self.due if each != name]
        self.drawn(name, self.limit)
        return f"{name} gets up and comes back"

    async def begins(self, number: int) -> None:
        for name in NAMES[2:number]:
            self.people[name] = self.world.member(name.lower())
            await bring(self.world, self.people[name], name, FIGHTER)
        if number == 1:
            await self.does(self.world.ben, "character retire", character="Boris")
        self.world.dice.lay(*order(*self.chance.sample(range(1, 107), 106)))
        await self.does(self.world.gina, "mb adventure start")
        deck = await cards(self.world)
        self.limit, self.draw = LIMITS[number], list(deck.at(DRAW_PILE))
        self.names = {each: deck.kind(each).name for each in deck.faces}
        for name in NAMES[:number]:
            person, seat = (
                await who(self.world, name),
                Seat((await sheet(self.world, name)).life_points),
            )
            seat.hand, seat.face = list(deck.at(HAND, person)), list(deck.at(FACE, person))
            seat.pending = list(deck.seat(person).pending)
            assert len(seat.hand) == self.limit, name
            self.seats[name] = seat

    async def step(self) -> None:
        """Something is done; at times it is taken back, and everything is as it was."""
        before = deepcopy((self.seats, self.draw, self.used, self.due, self.act, self.scenes))
        was, revision = await self.all_there_is(), await self.world.revision()
        does = (
            self.decides,
            self.plays,
            self.plays,
            self.goes_on,
            self.fills,
            self.fills,
            self.sits,
        )
        done = await self.chance.choice(does)()
        await self.stands(done)
        if done and self.chance.random() < 0.25:
            for _ in range(await self.world.revision() - revision):
                await self.does(self.world.gina, "gm undo")
            assert await self.all_there_is() == was, done
            self.seats, self.draw, self.used, self.due, self.act, self.scenes = before
            await self.stands(f"{done}, taken back")


@pytest.mark.rule(
    "MB-CARD-04", "MB-CARD-05", "MB-CARD-14", "MB-CARD-S00", "MB-CARD-X02", "MB-CARD-X03"
)
@pytest.mark.parametrize("number", LIMITS)
async def test_the_account_of_an_adventure_is_right_at_every_step(
    world: World, number: int
) -> None:
    ledger = Ledger(world, random.Random(number))
    await open_table(world, rules={"cards_mode": "full"})
    await ledger.begins(number)
    for _ in range(_STEPS):
        await ledger.step()
    while ledger.due:
        await ledger.fills()
    await world.gina.slash(world.zone, "mb adventure end", number=1)
    await ledger.paid("The adventure is over", ledger.act + 1, (0, 1))
    deck = whole(await cards(world))
    for name, seat in ledger.seats.items():
        person = await who(world, name)
        assert (await sheet(world, name)).life_points == seat.points, name
        assert not deck.at(HAND, person) and not deck.at(FACE, person), name
