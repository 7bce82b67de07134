"""Random legal play: a game master, two players and the clock do whatever they may, in any order."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable
from typing import Any

from bot.services.outgoing import ReplyTo
from bot.services.perform import perform
from bot.services.requests import Performed
from bot.storage.records import Out
from rules.core.errors import RulesError
from rules.registry import look
from rules.systems.ebb.sheet import attributes
from rules.table.actions import (
    Action,
    Actor,
    AddNpcs,
    Advance,
    Answer,
    Approve,
    AskBack,
    ChangeGms,
    ChangeNpc,
    ChangePerson,
    ChangeSettings,
    Defend,
    Due,
    Edit,
    Give,
    ImportCharacter,
    Join,
    Learn,
    Propose,
    RemoveNpc,
    Retire,
    Revise,
    Roll,
    Settle,
    Spend,
    TakeHit,
    TakeOver,
    Undo,
    UseCharacter,
    Withdraw,
)
from rules.table.checks.challenges import KEPT, OPEN_MAX
from rules.table.checks.views import check_view
from rules.table.events import Event
from rules.table.lookup import playable
from rules.table.moves import Move, moves
from rules.table.permissions import is_gm
from rules.table.state import DAY, HOUR, SYSTEM, AnyChallenge, AnyCharacter, TableState
from rules.table.turns.encounters import place_of_wait
from tests.builders import ANN, BEN, GM, NOON, Session, by, ebb_character, waits

CLOCK = Actor(SYSTEM)
PLAYERS = (ANN, BEN)
OPTIONS = ("dilemma", "dilemma:3", "flaw:2", "missing-tools:2", "superior", "drawback", "injured")
#: How often a move is made, against the others.
LIKELY = {
    ("withdraw", "proposed"): 0.1,
    ("withdraw", "answered"): 0.1,
    ("revise", "proposed"): 0.2,
    ("ask", "proposed"): 0.2,
    ("answer", "answered"): 0.1,
    ("spend", "answered"): 0.2,
    ("settle", "rolled"): 0.5,
    ("defend", "answered"): 2,
    ("roll", "answered"): 2,
}
#: Difficulties that are found again wherever they turn up, by number or by name, shifted by some levels.
CANARIES = ("9137", "Legendary+3038")
CANARY = re.compile(r"(?<!\d)9[01]\d\d(?!\d)|Legendary\+30")
#: What may refuse a move that is offered: it depends on what the GM's answer asks for.
DEPENDS = frozenset({"ability-required", "leads-it", "team-full", "unknown-ability", "no-difficulty"})


class Walk:
    """One table and whoever acts at it.

    `kinds` are challenges that only some systems have.

    Every hidden roll is against a canary. With `secret` nobody but p1 ever leads the table, and it never shows
    everything. Who plays what stands in methods that another system's walk replaces.
    """

    depends = DEPENDS

    def __init__(
        self, session: Session, chance: random.Random, *, secret: bool = False, kinds: tuple[str, ...] = ()
    ) -> None:
        self.session = session
        self.chance = chance
        self.secret = secret
        self.kinds = kinds
        self.now = NOON
        self.done: list[Performed] = []
        self.refused: list[tuple[Actor, RulesError]] = []
        self._dropped: dict[str, int] = {}
        self._requests: list[tuple[Action, str]] = []

    # --- acting ---------------------------------------------------------------------------------------------

    async def step(self) -> None:
        """One thing is done, or refused; either way everything is as it has to be afterwards."""
        self.now += self.chance.choice((0, 1, 60, HOUR))
        before = await self.session.state()
        kinds = {
            self._move: 60,
            self._propose: 16,
            self._poke: 8,
            self._import: 3,
            self._people: 4,
            self._npcs: 4,
            self._settle_things: 5,
            self._undo: 6,
            self._due: 6,
            self._again: 4,
            **self._more(),
        }
        kind = self.chance.choices(list(kinds), list(kinds.values()))[0]
        await kind(before)
        await self.check(before)

    def _more(self) -> dict[Callable[[TableState], Awaitable[None]], int]:
        """What else is done at a table of this system, and how often."""
        return {}

    async def _do(self, action: Action, *, may_refuse: bool = True) -> None:
        reply = None if action.who is CLOCK else ReplyTo(self.chance.random() < 0.5, "token")
        request_id = f"w{len(self._requests)}"
        self._requests.append((action, request_id))
        try:
            done = await perform(self.session.tables, self.session.table_id, action, request_id, reply)
        except RulesError as error:
            if not may_refuse and error.code not in self.depends:
                raise
            self.refused.append((action.who, error))
        else:
            self.done.append(done)

    def _by(self, who: Actor) -> Any:
        return by(who, at=self.now)

    def _who(self) -> Actor:
        return self.chance.choice((GM, *PLAYERS))

    def _some(self, words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.chance.sample(words, min(len(words), self.chance.choice((0, 0, 1, 2)))))

    async def _move(self, state: TableState) -> None:
        able = [(who, move) for who in (GM, *PLAYERS) for move in moves(look(state), who)]
        if not able:
            await self._propose(state)
            return
        odds = [LIKELY.get((move.verb, state.challenges[move.challenge].status), 1) for _, move in able]
        who, move = self.chance.choices(able, odds)[0]
        await self._do(self._action(who, move, state), may_refuse=False)

    def _action(self, who: Actor, move: Move, state: TableState) -> Action:
        on: Any = {**self._by(who), "challenge": move.challenge, "revision": move.revision}
        chance = self.chance
        if move.verb == "answer":
            return self._answer(on, state.challenges[move.challenge])
        if move.verb == "defend":
            return Defend(**on, attribute=chance.choice((None, "Fitness")), approach="aside, at once")
        if move.verb == "join":
            mine = [each.name for each in playable(state, who)]
            return Join(**on, skill=chance.choice((None, "Climbing")), approach="so", as_=chance.choice(mine))
        if move.verb == "leave":
            return Join(**on, leave=True, as_=move.what)
        if move.verb == "hit":
            return TakeHit(**on, choice=move.what or "", text="a broken arm", part=chance.choice(("", "arm")))
        if move.verb == "ask":
            return AskBack(**on, question=chance.choice(("How?", "With what?")))
        if move.verb == "revise":
            character = state.characters[state.challenges[move.challenge].character]
            skill = chance.choice((None, "none", *(ability.name for ability in character.sheet.abilities)))
            approach, modifier = chance.choice((None, "again")), chance.choice((None, 2))
            return Revise(**on, skill=skill, approach=approach, modifier=modifier)
        if move.verb == "withdraw":
            return Withdraw(**on)
        if move.verb == "roll":
            return Roll(**on)
        if move.verb == "settle":
            return Settle(**on)
        choice = chance.choice(move.choices) if move.choices else None
        return Spend(**on, what=move.what or "", choice=choice)

    def _answer(self, on: Any, challenge: AnyChallenge) -> Answer:
        chance = self.chance
        kind = chance.choice(("roll", "roll", "roll", "roll", "margin-only", "free", "cannot"))
        if challenge.opposed and kind == "margin-only":
            kind = "roll"
        if challenge.kind == "rest":
            kind = chance.choice(("free", "cannot"))
        hidden = kind == "roll" and chance.random() < 0.5
        return Answer(
            **on,
            kind=kind,
            hidden=hidden,
            difficulty=chance.choice(CANARIES) if hidden else chance.choice(("Easy", "Tricky", "13")),
            options=(
                *self._some(("dilemma", "flaw", "drawback", "injured")),
                *(("specialist",) if chance.random() < 0.1 else ()),
            ),
            disallow=self._some(("ability", "attribute")),
            modifier=chance.choice((0, -3, 5)),
            note=chance.choice(("", "careful")),
            against=chance.choice((0, 2)),
        )

    async def _poke(self, state: TableState) -> None:
        """A player tries what may well be refused, on anybody's check, perhaps on what it was before."""
        if not state.challenges:
            return
        who = self.chance.choice(PLAYERS)
        challenge = self.chance.choice(list(state.challenges.values()))
        revision = challenge.revision - self.chance.choice((0, 0, 1))
        on: Any = {**self._by(who), "challenge": challenge.id, "revision": revision}
        several: list[Action] = [
            Roll(**on),
            Settle(**on),
            Withdraw(**on),
            Revise(**on, approach="again"),
            AskBack(**on, question="How?"),
            Answer(**on, kind="roll", difficulty="Easy"),
            Spend(**on, what=self.chance.choice(("luck", "reroll", "money")), choice=None),
            Due(**self._by(who), wait=f"{challenge.id}.{revision}"),
        ]
        await self._do(self.chance.choice(several))

    async def _propose(self, _state: TableState) -> None:
        chance = self.chance
        kind: Any = chance.choice(("check", "check", "attack", "attack", "treat", "rest", *self.kinds))
        tools = ("", "", "rifle", "a broken arm", "session")
        action = Propose(
            **self._by(self._who()),
            skill=chance.choice((None, "Climbing", "rif", "none")),
            attribute=chance.choice((None, "Fitness", "zone")),
            difficulty=chance.choice((None, None, "Tricky", "8")),
            approach=chance.choice(("", *["up the rope"] * 4)),
            options=self._some(OPTIONS),
            as_=chance.choice((None, None, None, None, "Rat", "Anna", "Bandit 1")),
            visibility=chance.choice(("public", "public", "private", "blind")),
            kind=kind,
            target=chance.choice((None, "Anna", "Boris", "Boris", "Bandit 1", "Rat")),
            tool=chance.choice(tools if kind not in self.kinds else ("", "", "indirect")),
            gm_only=chance.random() < 0.05,
        )
        await self._do(action)

    async def _import(self, _state: TableState) -> None:
        chance = self.chance
        data = ebb_character(chance.choice(("Anna", "Boris", "Rat", "Cat")), fate=chance.randrange(4))
        if chance.random() < 0.2:
            data.update(abilities=data["abilities"][5:], drawbacks=data["drawbacks"][5:])
        who = self._who()
        npc = who is GM and chance.random() < 0.7
        owner = chance.choice((None, "p2", "p3")) if who is GM else None
        await self._do(
            ImportCharacter(**self._by(who), data=data, npc=npc, owner=owner, replace=chance.random() < 0.6)
        )

    async def _people(self, _state: TableState) -> None:
        """Characters are let in, changed, handed on, retired; they learn and get better."""
        chance = self.chance
        who = self._who()
        name = chance.choice((None, "Anna", "Boris", "Rat", "k1", "k2"))
        of: Any = {**self._by(who), "character": name}
        several: list[Action] = [
            ChangeSettings(**self._by(GM), approve=chance.random() < 0.3),
            Approve(**of, accept=chance.random() < 0.7, note="more words"),
            Edit(**of, fields={"description": chance.choice(("Tall.", "Small."))}),
            Edit(**of, fields={"abilities": "Climbing, Fitness, d12", "drawbacks": "Proud"}),
            Learn(**of, skill="Diving", attribute="zone", drawback="Cold", explanation="the flood"),
            Advance(**of, skill=chance.choice(("Climbing", "rif"))),
            Give(**of, to=chance.choice((None, "p2", "p3"))),
            Retire(**of, back=chance.random() < 0.6),
            Retire(**of, back=True),
        ]
        await self._do(chance.choice(several))

    async def _npcs(self, _state: TableState) -> None:
        chance = self.chance
        who = chance.choice((GM, GM, GM, *PLAYERS))
        npc = chance.choice(("Rat", "Cat", "Bandit", "Bandit 1", "Bandit 2", "Lone"))
        alias, stage = (
            chance.choice((None, "", "a shape")),
            chance.choice((None, "off", "aliased", "revealed")),
        )
        several: list[Action] = [
            AddNpcs(
                **self._by(who),
                name=chance.choice(("Bandit", "Lone", "Anna")),
                count=chance.choice((1, 1, 2)),
                alias=alias or "",
                stage=stage,
            ),
            ChangeNpc(**self._by(who), npc=npc, alias=alias, stage=stage),
            ChangeNpc(**self._by(who), npc=npc, name=chance.choice(("Thug", "Bandit", "Bandit 1"))),
            RemoveNpc(**self._by(who), npc=npc),
        ]
        await self._do(chance.choice(several))

    async def _settle_things(self, _state: TableState) -> None:
        chance = self.chance
        reveal = ("verdict", "degree") if self.secret else ("verdict", "degree", "all")
        who = chance.choice((GM, GM, *PLAYERS))
        several: list[Action] = [
            ChangeSettings(**self._by(who), live=chance.choice((True, False))),
            ChangeSettings(**self._by(who), reveal=chance.choice(reveal)),
            ChangeSettings(**self._by(who), remind_after=chance.choice((0, HOUR, DAY))),
            ChangeSettings(**self._by(who), window=chance.choice((0, HOUR, DAY))),
            ChangeSettings(**self._by(who), player_undo=chance.choice((True, True, False))),
            ChangeSettings(**self._by(who), gm_place=chance.choice(("", "900"))),
            ChangePerson(**self._by(who), plain=chance.choice((True, False))),
            UseCharacter(**self._by(who), character=chance.choice(("Anna", "Bor", "Rat", "k1"))),
        ]
        if not self.secret:
            several += [
                ChangeGms(**self._by(who), add=chance.choice(("p1", "p2"))),
                ChangeGms(**self._by(who), remove=chance.choice(("p1", "p2"))),
                TakeOver(**self._by(GM)),
            ]
        await self._do(chance.choice(several))

    async def _undo(self, _state: TableState) -> None:
        table = await self.session.tables.get(self.session.table_id)
        entry = self.chance.choice((None, max(1, table.revision - self.chance.choice((0, 1, 2, 3, 12)))))
        await self._do(Undo(**self._by(self._who()), entry=entry, all_dependents=self.chance.random() < 0.6))

    async def _due(self, state: TableState) -> None:
        """The clock does what has run out, as the scheduler does it."""
        self.now += self.chance.choice((0, 0, HOUR, DAY))
        store = self.session.tables.store
        for _, wait, at in await store.due(self.now, limit=2):
            place = place_of_wait(wait) or state.challenges[wait.partition(".")[0]].place
            await self._do(Due(**by(CLOCK, place=place, at=self.now), wait=wait), may_refuse=False)
            await store.drop_due(self.session.table_id, wait)
            self._dropped[wait] = at

    async def _again(self, state: TableState) -> None:
        """An earlier request comes once more, perhaps after a restart: it gets its first result."""
        if self.chance.random() < 0.3:
            await self.session.restart()
        known = {done.seq: done for done in self.done}
        if not known or not self._requests:
            return
        action, request_id = self.chance.choice(self._requests)
        row = await self.session.tables.store.find_request(request_id)
        if row is None:
            return
        again = await perform(self.session.tables, self.session.table_id, action, request_id)
        assert again.repeated
        assert again.events == known[row[0].seq].events
        assert await self.session.state() == state

    # --- what has to be true ------------------------------------------------------------------------------------

    async def check(self, before: TableState) -> None:
        """The invariants after a step."""
        state = await self.session.state()
        assert state.counters.character >= before.counters.character
        assert state.counters.challenge >= before.counters.challenge
        assert state.settings.gms
        for character in state.characters.values():
            self._check_sheet(character)
            assert int(character.id[1:]) <= state.counters.character
        assert sum(challenge.open for challenge in state.challenges.values()) <= OPEN_MAX
        if state.counters.challenge > before.counters.challenge:
            # Room is made when a check is added; until then what was open may have ended.
            assert sum(not challenge.open for challenge in state.challenges.values()) <= 2 * KEPT
        for challenge in state.challenges.values():
            assert challenge.character in state.characters
            assert int(challenge.id[1:]) <= state.counters.challenge
            assert (challenge.rolled is not None) <= (challenge.ruling is not None)
            assert (challenge.status == "rolled") <= (challenge.deadline is not None)
            assert (challenge.deadline is not None) <= (challenge.status in ("rolled", "hit"))
            assert challenge.opposed <= (
                challenge.kind in ("attack", "contest") and challenge.target is not None
            )
            assert challenge.target is None or challenge.target in state.characters
            assert challenge.hidden <= (challenge.answer == "roll")
            old = before.challenges.get(challenge.id)
            if old is not None and old != challenge:
                only_helpers = old.but(helpers=challenge.helpers) == challenge
                assert challenge.revision > old.revision or (only_helpers and challenge.kind == "team")
        await self._check_waits(state)
        self._check_views(state)

    def _check_sheet(self, character: AnyCharacter) -> None:
        assert character.sheet.fate >= 0
        assert min(attributes(character.sheet).values()) >= 0

    async def _check_waits(self, state: TableState) -> None:
        expected = {name: wait.due for name, wait in waits(state).items() if wait.due is not None}
        self._dropped = {name: at for name, at in self._dropped.items() if expected.get(name) == at}
        for name in self._dropped:
            del expected[name]
        due = await self.session.tables.store.due(10**12, limit=1000)
        assert {wait: at for _, wait, at in due if place_of_wait(wait) is None} == expected
        opened = {challenge.id for challenge in state.challenges.values() if challenge.open}
        assert {wait.challenge for wait in waits(state).values()} == opened
        for wait in waits(state).values():
            challenge = state.challenges[wait.challenge]
            assert (wait.default == "settle") == (challenge.status == "rolled")
            gm = challenge.status == "proposed" and not challenge.question
            gm = gm or (challenge.status == "hit" and challenge.choice != "")
            assert (wait.by == "gm") == gm

    def _check_views(self, state: TableState) -> None:
        system = look(state)
        for challenge in state.challenges.values():
            abilities = [ability.name for ability in state.characters[challenge.character].sheet.abilities]
            if challenge.request.ability not in (None, *abilities):
                assert not challenge.open  # over, and the sheet was replaced since
                continue
            view = str(check_view(state, system, challenge, gm=False))
            if challenge.hidden and not (challenge.reveal == "all" and challenge.rolled is not None):
                assert not CANARY.search(view)

    # --- who may see what ------------------------------------------------------------------------------------------

    def told_to_players(self) -> list[str]:
        """Everything that players were shown: events, refusals, and what waits in the outbox for them."""
        found: list[str] = []
        for done in self.done:
            found += [str(event) for event in done.events if _for_players(event, done.state)]
            found += [
                str(done.events[index])
                for out in done.outs
                if _row_for_players(out, done.state)
                for index in out.events
            ]
        for who, error in self.refused:
            if who in PLAYERS:
                found.append(f"{error} {error.params} {[str(p) for p in getattr(error, 'problems', ())]}")
        return found


def _for_players(event: Event, state: TableState) -> bool:
    people = event.audience.people
    return event.audience.everyone or any(not is_gm(state, Actor(person)) for person in people)


def _row_for_players(out: Out, state: TableState) -> bool:
    """Whether players may read the message that this row becomes."""
    if out.kind == "mark":
        return False
    return out.public or (out.person is not None and not is_gm(state, Actor(out.person)))
