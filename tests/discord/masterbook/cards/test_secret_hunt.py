"""A long random play with cards: nobody ever reads the name of a card that lies hidden from them.

Every card of the deck is the only one of its kind, and its name is like nothing else. Everything
that is sent is looked through for whoever can read it: messages, panels, completions, refusals,
files; and the log for all of them.
"""

from __future__ import annotations

import json
import logging
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

import pytest
from simcord.backend.errors import BackendError, SetupError

from bot.presenters.checks import option_id
from bot.presenters.errors import FAULT
from rules.registry import read_only_game
from rules.systems.masterbook.deck.deck_state import HAND, Cards
from rules.systems.masterbook.deck.table_deck import DECK, has_deck, require_cards
from rules.table.actions import Actor
from rules.table.checks.available_moves import available_moves
from rules.table.state import TableState
from tests.discord.masterbook.table import FIGHTER, bring, open_table
from tests.discord.world import World, controls, private
from tests.example_counts import nightly
from tests.sample_table import open_game

NUMBERS: Final = range(7001, 7061)
#: What playing a card does, and when: something for every window.
_DOES: Final[tuple[tuple[dict[str, Any], tuple[str, ...]], ...]] = (
    ({"op": "modify_total", "amount": 2, "scope": ["any"]}, ("pre_roll", "roll_pending")),
    (
        {"op": "modify_total", "amount": 3, "target": "other_character", "scope": ["any"]},
        ("roll_pending",),
    ),
    ({"op": "life_point", "skill_points": 1}, ("life_point_windows", "any_between_actions")),
    ({"op": "cancel_action"}, ("after_resolution",)),
    ({"op": "retry_action"}, ("after_resolution",)),
    ({"op": "modify_effect_value", "amount": 2, "scope": ["any"]}, ("effect_pending",)),
    ({"op": "give_and_draw", "count": 2}, ("any_between_actions",)),
    ({"op": "all_draw"}, ("any_between_actions",)),
    ({"op": "take_discard_top"}, ("any_between_actions",)),
    ({"op": "gm_hint"}, ("any_between_actions",)),
    ({"op": "extra_action"}, ("any_between_actions",)),
    ({"op": "initiative_control"}, ("initiative_revealed", "before_next_flip")),
    ({"op": "modify_all_totals", "amount": 1}, ("any_between_actions", "pre_roll", "roll_pending")),
)
_EFFECTS: Final = (
    ("up", "stymied"),
    ("flurry", "breaks"),
    ("inspiration", ""),
    ("", "skill"),
    ("", ""),
)


def _definition(number: int) -> dict[str, Any]:
    kind: dict[str, Any] = {"name": f"Zq{number}", "summary": f"Zq{number} it is."}
    if number % 12 == 0:
        return kind | {"type": "subplot", "award": {"when": "end_of_act", "life_points": 1}}
    if number % 12 == 6:
        return kind | {"type": "picture"}
    effect, windows = _DOES[number % len(_DOES)]
    return kind | {"type": "enhancement", "windows": [*windows], "effect": effect}


def _line(number: int) -> dict[str, Any]:
    players, gms = _EFFECTS[number % len(_EFFECTS)]
    skill = {"skill": "taunt"} if gms == "skill" else {}
    return {
        "first": "PG"[number % 2],
        "p": {"effect": players} if players else None,
        "g": {"effect": gms, **skill} if gms else None,
    }


CARDS: Final[dict[str, Any]] = {
    "format": "masterbook-deck",
    "format_version": 1,
    "deck_id": "each",
    "title": "Each its own",
    "definitions": {f"zq{number}": _definition(number) for number in NUMBERS},
    "cards": [
        {
            "number": number,
            "name": f"zq{number}",
            "standard": _line(number),
            "dramatic": _line(number + 1),
            "critical": {"kind": "letters", "letters": ["A", "B"]},
            "approved": ["any"],
        }
        for number in NUMBERS
    ],
}


#: All cards, as a file names them.
_EVERY: Final = ", ".join([f'"{number}"' for number in NUMBERS])


#: What every record has of its own: where and when it was made, and by which process.
_CLOCKED: Final = frozenset(logging.makeLogRecord({}).__dict__)


class Heard(logging.Handler):
    """What the log has told."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        # Libraries tell no more than that: `bot.logs`.
        if record.name.startswith("storyguide") or record.levelno >= logging.INFO:
            more = {key: each for key, each in record.__dict__.items() if key not in _CLOCKED}
            self.lines.append(f"{record.getMessage()} {record.exc_info} {more}")


@pytest.fixture
def heard() -> Iterator[Heard]:
    handler, root = Heard(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


class Hunt:
    """A GM and three players who do whatever they like with their cards, and whatever they
    may not.
    """

    def __init__(self, world: World, chance: random.Random) -> None:
        self.world, self.chance = world, chance
        self.cleo = world.member("cleo")
        self.heroes = {"Vesna": world.ana, "Boris": world.ben, "Zora": self.cleo}
        self.private: dict[int, list[Any]] = {who.id: [] for who in self.people}
        self.files: dict[int, list[str]] = {who.id: [] for who in self.people}
        #: What somebody has seen of cards since they were shuffled.
        self.known: dict[int, set[str]] = {who.id: set() for who in self.players}
        self.done = Counter[str]()
        self.given: dict[int, dict[str, Any]] = {}

    @property
    def players(self) -> tuple[Any, ...]:
        return tuple(self.heroes.values())

    @property
    def people(self) -> tuple[Any, ...]:
        return (self.world.gina, *self.players)

    def actor(self, who: Any) -> Actor:
        loaded = self.world.bot.tables.get_if_loaded(1)
        assert loaded is not None
        return Actor(loaded.directory.ensure_participant(str(who.id), who.name))

    async def begin(self, *, gm_channel: bool) -> None:
        world = self.world
        rules = {"cards_mode": "full", "exceptional_roleplaying_card": "on"}
        await open_table(world, gm_channel=gm_channel, rules=rules, step_in_minutes=60)
        await bring(world, self.cleo, "Zora", FIGHTER)
        text = json.dumps(CARDS).encode()
        private(await world.gina.slash(world.zone, "deck import", file=("deck.json", text)))
        await self.slash(world.gina, "mb adventure start", name="The Dam")
        self.learn(await world.state())

    # --- what they do -----------------------------------------------------------------------------

    async def step(self) -> None:
        world, chance = self.world, self.chance
        before, sent = await world.state(), len(world.env.http_requests)
        deeds = (
            self.lead,
            self.play,
            self.play,
            self.press,
            self.press,
            self.ask,
            self.pry,
            self.steal,
        )
        for _ in range(chance.choice((1, 1, 1, 2))):
            await chance.choice((*deeds, *(self.go_on,) * 6))()
        if chance.random() < 0.03:
            await world.restart()
        await world.env.settle()
        await self.look(before, sent)

    async def slash(self, who: Any, command: str, /, **options: Any) -> Any:
        try:
            result = await who.slash(self.world.zone, command, **options)
        except (AssertionError, BackendError, SetupError):
            return None
        self.given[result._interaction.id] = options
        return await self.keep(who, result)

    async def keep(self, who: Any, result: Any) -> Any:
        if result.response is not None:
            for each in (result.response, *result.followups):
                self.private[who.id].append(each)
                for file in each.attachments:
                    if not file.filename.endswith(".png"):
                        text = (await file.read()).decode("utf-8", "replace")
                        # Which cards there are everybody knows.
                        self.files[who.id].append(re.sub(r"\s+", " ", text).replace(_EVERY, ""))
        return result

    async def go_on(self) -> None:
        """Somebody answers what they are asked."""
        state = await self.world.state()
        found = [
            (who, move, option)
            for who in self.people
            for move in available_moves(open_game(state, self.actor(who)))
            for option in move.options
        ]
        if not found:
            return
        who, move, option = self.chance.choice(found)
        self.done[f"{move.prompt}:{option.value.partition(':')[0]}"] += 1
        result = self.world.emit(who, option_id(1, move, option.value))
        await self.world.env.settle()
        await self.keep(who, result)
        if result.modal is not None:
            await self.write(who, result)
        elif result.response is not None:
            await self.fill(who, result.response)

    async def fill(self, who: Any, panel: Any) -> None:
        """Choose something in every menu of a panel, and send it."""
        for each in controls(panel):
            if each.get("options") and each["custom_id"].startswith("sg:fm"):
                values = [self.chance.choice(each["options"])["value"]]
                await self.tried(who, who.select(panel, values, custom_id=each["custom_id"]))
        sends = [
            each
            for each in controls(panel)
            if ":b:" in each["custom_id"] and not each.get("disabled")
        ]
        if sends:
            pressed = self.chance.choice(sends)["custom_id"]
            result = await self.tried(who, who.click(panel, custom_id=pressed))
            if result is not None and result.modal is not None:
                await self.write(who, result)

    async def tried(self, who: Any, doing: Any) -> Any:
        """What came of it; nothing where no client would let them."""
        try:
            return await self.keep(who, await doing)
        except (AssertionError, BackendError, SetupError):
            return None

    async def write(self, who: Any, result: Any) -> None:
        keys = [row["component"]["custom_id"] for row in result.modal["components"]]
        words = {"order": "", "difficulty": "8"}
        await self.tried(
            who, who.submit_modal(result, {key: words.get(key, "aloud") for key in keys})
        )

    async def lead(self) -> None:
        pick, state = self.chance.choice, await self.world.state()
        hero, cards = pick([*self.heroes]), self.cards(state)
        top = (
            ", ".join(f"Zq{each}" for each in cards.at("draw")[-2:]) if cards is not None else "zz"
        )
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("mb adventure start", {}),
            ("mb adventure scene", {"what": "start", "kind": pick(("standard", "dramatic"))}),
            ("mb adventure scene", {"what": pick(("start", "end"))}),
            ("mb adventure act", {"what": pick(("start", "end"))}),
            (
                "mb card seat",
                {"how": pick(("bonus", "bonus", "leaves", "joins", "joins")), "character": hero},
            ),
            ("mb card approve", {"target": hero}),
            ("mb deck peek", {"number": 4}),
            ("mb deck stack", {"cards": top}),
            ("mb deck fiat", {}),
            ("deck shuffle", {}),
            ("initiative start", {}),
            ("initiative add", {"name": hero}),
            ("initiative next", {}),
            ("initiative next", {}),
            ("initiative next", {}),
            ("initiative next", {}),
            ("initiative add", {"name": "Thug"}),
            ("attack", {"as": "Thug", "target": hero, "approach": "so"}),
            ("gm undo", {}),
            ("gm log", {}),
            ("gm npc list", {}),
            ("card hand", {}),
            ("deck info", {}),
            ("moves", {}),
            ("character retire", {"character": hero, "back": pick((True, True, True, False))}),
            ("gm settings", {"step_in_minutes": pick((0, 60))}),
            ("gm settings", {"setting": "claim_source", "value": "last_card_played_by_another"}),
        )
        command, options = pick(deeds)
        await self.slash(self.world.gina, command, **options)

    async def play(self) -> None:
        pick, state = self.chance.choice, await self.world.state()
        name = pick([*self.heroes])
        who, other = self.heroes[name], pick([each for each in self.heroes if each != name])
        mine = (self.own_names(state, who) or ["zz"]) if self.cards(state) else ["zz"]
        card, more = pick(mine), pick(mine)
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("card play", {"card": card}),
            ("card discard", {"card": card}),
            ("card discard", {"card": card}),
            ("card give", {"card": card, "to": self.heroes[other]}),
            ("mb card play", {"card": card}),
            ("mb card play", {"card": card, "gifts": more, "to": other}),
            ("mb card pool", {"card": card}),
            ("mb card pool", {"card": card}),
            ("mb card trade", {"cards": card, "to": other}),
            ("mb card trade", {"cards": card, "to": other}),
            ("mb card trade", {"cards": f"{card}, {more}", "to": other}),
            ("mb card moment", {}),
            ("mb card campaign", {"subplot": card}),
            ("check", {"skill": "Stealth", "approach": "so", "difficulty": "Average"}),
            (
                "check",
                {"skill": "Stealth", "approach": "so", "visibility": pick(("private", "blind"))},
            ),
            ("mb interact", {"skill": "Taunt", "target": "Thug", "approach": "so"}),
            ("attack", {"target": pick(("Thug", other)), "weapon": "Knife", "approach": "so"}),
            ("initiative join", {}),
            ("draw-card", {}),
            ("table undo", {}),
            ("mb act", {"action": "looks around"}),
            ("orders give", {"order": pick(("/trade/decline", "/replenish/keep", "/react/pass"))}),
            ("away", {"back": pick((True, False))}),
        )
        command, options = pick(deeds)
        await self.slash(who, command, **options)

    async def ask(self) -> None:
        """A player asks for everything that can be asked for, also in the name of somebody else."""
        pick, who, state = (
            self.chance.choice,
            self.chance.choice(self.players),
            await self.world.state(),
        )
        other = pick([*self.heroes])
        check = pick([*state.checks, "c99"])
        entry = self.chance.randint(1, await self.world.revision())
        asked: tuple[tuple[str, dict[str, Any]], ...] = (
            ("moves", {}),
            ("table show", {}),
            ("table last", {}),
            ("table fair show", {"entry": entry}),
            ("card hand", {"deck": pick(("standard", DECK))}),
            ("deck info", {}),
            ("spend", {"check": check}),
            ("odds", {"check": check}),
            ("character show", {"character": other}),
            ("character export", {"character": other}),
            ("orders list", {}),
            ("privacy export", {}),
            ("gm export", {"what": "players", "journal": True}),
            ("gm log", {"character": other}),
            ("gm undo", {"entry": entry}),
            ("mb deck peek", {"number": 9}),
            ("mb deck fiat", {}),
            ("mb deck stack", {"cards": "zz"}),
            ("mb card seat", {"how": "bonus", "character": other}),
            ("mb card use", {"character": other, "card": pick(self.names)}),
            ("mb card martyr", {"how": "done", "character": other}),
            ("mb card approve", {"target": other}),
            ("mb adventure scene", {"what": "end"}),
            ("deck shuffle", {}),
            ("deck reshuffle", {"hands": True}),
        )
        command, options = pick(asked)
        await self.slash(who, command, **options)
        if self.chance.random() < 0.3:
            await self.slash(self.world.gina, "gm export", what="players", journal=True)
            # What is for the players, every one of them may read.
            made = self.files[self.world.gina.id][-1:]
            for each in self.players:
                self.files[each.id] += made

    async def pry(self) -> None:
        """A player tries what is somebody else's: cards, by name or as them; and has everything
        completed.
        """
        pick, world = self.chance.choice, self.world
        name = pick([*self.heroes])
        who, other = self.heroes[name], pick([each for each in self.heroes if each != name])
        card = pick(self.names)
        tries: tuple[tuple[str, dict[str, Any]], ...] = (
            ("card show", {"card": card}),
            ("card play", {"card": card}),
            ("card discard", {"card": card}),
            ("card give", {"card": card, "to": who}),
            ("mb card play", {"card": card, "as": other}),
            ("mb card pool", {"card": card, "as": other}),
            ("mb card trade", {"cards": card, "to": name, "as": other}),
            ("mb card trade", {"cards": card, "to": name}),
            ("mb card campaign", {"subplot": card, "as": other}),
            ("mb card moment", {"as": other}),
        )
        command, options = pick(tries)
        # The name that somebody guesses is theirs to read again.
        self.known[who.id].add(card.removeprefix("Zq"))
        await self.slash(who, command, **options)
        for of, option in (
            *(("mb card play", each) for each in ("card", "gifts", "to", "as_name")),
            *(("mb card trade", "cards"), ("mb card campaign", "subplot"), ("mb card use", "card")),
            *(
                ("card play", "card"),
                ("card discard", "card"),
                ("card show", "card"),
                ("card give", "card"),
            ),
            *(
                ("mb card pool", "card"),
                ("mb deck stack", "cards"),
                ("gm undo", "entry"),
                ("spend", "what"),
            ),
        ):
            for more in ({}, {"as": other}, {"character": other}):
                if self.chance.random() < 0.3:
                    try:
                        await who.autocomplete(world.zone, of, option, pick(("", "z", "7")), **more)
                    except (AssertionError, BackendError, SetupError):
                        continue

    async def press(self) -> None:
        """Anything that somebody sees, old or new."""
        who = self.chance.choice(self.people)
        there = [*self.world.messages(self.world.zone)[-10:], *self.private[who.id][-6:]]
        await self.pressed(who, there)

    async def steal(self) -> None:
        """A player presses what another was shown."""
        who, other = self.chance.sample(self.people, 2)
        if who is self.world.gina:
            who, other = other, who
        found = [
            (each, one)
            for each in self.private[other.id][-8:]
            for one in controls(each)
            if "custom_id" in one
        ]
        if not found:
            return
        _, one = self.chance.choice(found)
        values = tuple(each["value"] for each in one.get("options", ())[:1]) or None
        result = self.world.emit(who, one["custom_id"], self.world.last(), values=values)
        await self.world.env.settle()
        await self.keep(who, result)

    async def pressed(self, who: Any, there: list[Any]) -> None:
        found = [
            (each, one)
            for each in there
            for one in controls(each)
            if not one.get("disabled")
            and "custom_id" in one
            and "Delete" not in str(one.get("label"))
        ]
        if not found:
            return
        message, one = self.chance.choice(found)
        if one.get("options"):
            values = [self.chance.choice(one["options"])["value"]]
            result = await self.tried(who, who.select(message, values, custom_id=one["custom_id"]))
        elif "label" in one:
            result = await self.tried(who, who.click(message, custom_id=one["custom_id"]))
        else:
            return
        if result is not None and result.modal is not None:
            await self.write(who, result)

    # --- what may be known ------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        return [f"Zq{each}" for each in NUMBERS]

    def cards(self, state: TableState) -> Cards | None:
        game = read_only_game(state)
        return require_cards(game) if has_deck(game) else None

    def own(self, state: TableState, who: Any) -> set[str]:
        """The cards in hands of somebody's own characters."""
        cards, mine = self.cards(state), self.actor(who).id
        if cards is None:
            return set()
        theirs = [key for key, each in state.characters.items() if each.owner == mine]
        return {card for each in theirs for card in cards.at(HAND, each)}

    def own_names(self, state: TableState, who: Any) -> list[str]:
        cards = self.cards(state)
        assert cards is not None
        theirs = [each.id for each in state.characters.values() if each.owner == self.actor(who).id]
        pools = [card for each in theirs for card in cards.at("pool", each)]
        return [f"Zq{each}" for each in (*sorted(self.own(state, who)), *pools)]

    def learn(self, state: TableState) -> None:
        """Who has seen what by now: what lies open, what they hold, what they were offered."""
        cards = self.cards(state)
        if cards is None:
            return
        open_ = {
            c
            for place, held in cards.piles.places.items()
            if cards.piles.is_face_up(place)
            for c in held
        }
        for who in self.players:
            self.known[who.id] |= open_ | self.own(state, who)
        for check in state.checks.values():
            if check.kind == "trade":
                sides = [state.characters.get(each or "") for each in (check.actor, check.target)]
                for who in self.players:
                    if self.actor(who).id in [each.owner for each in sides if each is not None]:
                        self.known[who.id] |= {*check.data.given}
                        self.known[who.id] |= {each.removeprefix("Zq") for each in check.data.got}

    def options(self, sent: int) -> list[str]:
        """What was said with commands that were answered in public: everybody can read that
        there.
        """
        found: list[str] = []
        for request in self.world.env.http_requests[sent:]:
            pieces, body = request.path.strip("/").split("/"), request.json
            if (
                pieces[0] != "interactions"
                or not isinstance(body, dict)
                or body.get("type") not in (4, 5)
            ):
                continue
            if not int((body.get("data") or {}).get("flags") or 0) & 64:
                found.append(json.dumps(self.given.get(int(pieces[1]), {})))
        return found

    async def look(self, before: TableState, sent: int) -> None:
        world = self.world
        state = await world.state()
        self.learn(before)
        self.learn(state)
        cards = self.cards(state)
        if cards is not None:
            assert cards.piles.cards == tuple(sorted(cards.faces))
        for who in self.players:
            told = [
                json.dumps(request.json, ensure_ascii=False)
                for request in world.env.http_requests[sent:]
                if isinstance(request.json, dict) and world.reaches(who, request)
            ]
            told += [*self.files[who.id], *self.options(sent)]
            self.files[who.id] = []
            # What was shown to all, everybody has seen.
            shown = [each for each in told if "shows" in each]
            self.known[who.id] |= {
                c for c in map(str, NUMBERS) for each in shown if f"Zq{c}" in each
            }
            # A subplot lies open as soon as it is drawn, what is claimed lay there: even if either
            # has gone again.
            self.known[who.id] |= {
                c for each in told for up in _UP.findall(each) for c in _NAMED.findall(up)
            }
            secret = {*map(str, NUMBERS)} - self.known[who.id]
            for each in told:
                assert FAULT not in each
                leaked = secret & {*_NAMED.findall(each)}
                assert not leaked, (who.name, leaked, _around(each, leaked))


#: A card by its name, its key or its number.
_NAMED: Final = re.compile(r"\b(?:[Zz]q)?(70[0-6]\d)\b")


_UP: Final = re.compile(r"(?:turns up|takes) ([^.]*?)(?: with Claim)?\.")


def _around(text: str, cards: Iterable[str]) -> str:
    at = min(text.index(each) for each in cards)
    return text[max(0, at - 700) : at + 100]


@pytest.mark.parametrize("seed", range(20 if nightly() else 2))
async def test_no_card_is_read_by_whom_it_is_hidden_from(
    world: World, heard: Heard, seed: int
) -> None:
    hunt = Hunt(world, random.Random(f"cards {seed}"))
    await hunt.begin(gm_channel=seed % 2 == 1)
    for _ in range(400 if nightly() else 150):
        await hunt.step()
    private(await world.gina.slash(world.zone, "mb deck peek", number=9))
    await world.env.settle()
    told = {*_NAMED.findall(world.told(world.gina))}
    for who in hunt.players:
        assert told - hunt.known[who.id], "the hunt would find them"
    assert len(hunt.done) > 3, hunt.done
    assert not [line for line in heard.lines if _NAMED.search(line)]
