"""Random legal play of Barmore's dice pool: besides checks and fights its teams, complex actions, phases and time."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from fractions import Fraction
from typing import Any

from bot.services.opening import create
from rules.registry import look
from rules.systems.barmore.acts import BeginAction
from rules.systems.barmore.check import build, ruling_of
from rules.systems.barmore.dice import DIE_TYPES
from rules.systems.barmore.options import EITHER
from rules.systems.barmore.tasks import DropTask, RollTask, StartTask, view_of, visible_tasks
from rules.table.actions import (
    Action,
    Actor,
    AddNpcs,
    AddToEncounter,
    Adjust,
    AdvanceTime,
    Answer,
    AskBack,
    ChangeCampaign,
    ChangeSettings,
    CreateTable,
    Defend,
    Due,
    Edit,
    EndEncounter,
    Give,
    ImportCharacter,
    Join,
    JoinEncounter,
    NextTurn,
    Propose,
    Retire,
    Revise,
    Roll,
    Settle,
    Spend,
    StartEncounter,
    Withdraw,
)
from rules.table.checks.views import check_view
from rules.table.lookup import playable
from rules.table.moves import Move
from rules.table.state import AnyChallenge, AnyCharacter, TableState
from tests.builders import ANN, BEN, GM, GM_PLACE, GUILD, USERS, House, Session, by
from tests.property.walk import DEPENDS, PLAYERS, Walk

#: A Difficulty that is found again wherever it turns up; no total comes near it.
HIDDEN = "937"
BARMORE_CANARY = re.compile(r"(?<!\d)937(?!\d)")
SKILLS = (None, "Boats", "Brawling", "Knives", "Medicine", "none")
ATTRIBUTES = (None, "Speed", "Wits", "Perception")
WORDS = (
    "die: d12-2",
    "die: d4+2",
    "no dice",
    "convert: 1",
    "support: Athletics",
    "halvings: 2",
    "doublings: 1",
    "phases saved: 1",
    "phases extra: 2",
    "mental",
    "non-lethal",
)
NAMES = ("Anna", "Boris", "Rat", "Cat", "Hand 1")


def sheet(name: str, **changes: Any) -> dict[str, Any]:
    """A character as a JSON object."""
    return {
        "name": name,
        "abilities": {"Boats": 4, "Brawling": 5, "Athletics": 2, "Medicine": 3},
        "attributes": {"Body": 1, "Muscle Power": 3, "Mind": 0, "Wits": -1},
        "weapons": [{"name": "Boathook", "modifier": 4, "kind": "piercing"}],
        "armour": [{"name": "Oilskins", "rating": 1, "covers": ["cutting"]}],
        **changes,
    }


async def open_table(house: House, **settings: Any) -> Session:
    """A table with two players and their characters."""
    tables = await house.enter()
    creation = CreateTable(**by(GM), name="Harbour", system="barmore", gm_place=GM_PLACE)
    table = (await create(tables, GUILD, creation, "create", USERS[0], None)).table
    session = Session(house, tables, table.id)
    for user, name in USERS[1:]:
        table.directory.participant(user, name)
    if settings:
        await session.do(ChangeSettings(**by(GM), **settings))
    for who, name in ((ANN, "Anna"), (BEN, "Boris")):
        await session.do(ImportCharacter(**by(who), data=sheet(name)))
    return session


class BarmoreWalk(Walk):
    """One table and whoever acts at it. What is refused to an offered move depends on options drawn at random."""

    depends = DEPENDS | {
        "choose-before-roll",
        "incapacitated",
        "member-without-dice",
        "not-supporting",
        "pool-too-large",
        "quicker-and-slower",
        "other-time-mode",
        "too-many-converted",
    }

    def _more(self) -> dict[Callable[[TableState], Awaitable[None]], int]:
        return {self._tasks: 10, self._phases: 14, self._time: 4, self._keep: 5, self._campaign: 1}

    def _name(self, state: TableState) -> str:
        """Mostly somebody who is there, in play and revealed."""
        there = [
            each.name for each in state.characters.values() if not each.retired and each.stage == "revealed"
        ]
        return self.chance.choice(there if there and self.chance.random() < 0.9 else NAMES)

    def _own_name(self, state: TableState, who: Actor) -> str | None:
        """Mostly somebody whom that participant plays."""
        mine = [each.name for each in playable(state, who)]
        return self.chance.choice(mine) if mine and self.chance.random() < 0.9 else None

    def _options(self) -> dict[str, Any]:
        chance = self.chance
        return {
            "skill": chance.choice(SKILLS),
            "attribute": chance.choice(ATTRIBUTES),
            "options": self._some(WORDS) if chance.random() < 0.5 else (),
        }

    def _action(self, who: Actor, move: Move, state: TableState) -> Action:
        on: Any = {**self._by(who), "challenge": move.challenge, "revision": move.revision}
        chance = self.chance
        if move.verb == "defend":
            return Defend(
                **on, skill=chance.choice(SKILLS), attribute=chance.choice(ATTRIBUTES), approach="so"
            )
        if move.verb == "join":
            mine = [each.name for each in playable(state, who)]
            return Join(**on, skill=chance.choice(SKILLS), approach="so", as_=chance.choice(mine))
        if move.verb == "revise":
            return Revise(
                **on, skill=chance.choice(SKILLS), modifier=chance.choice((None, 2)), approach="again"
            )
        return super()._action(who, move, state)

    def _answer(self, on: Any, challenge: AnyChallenge) -> Answer:
        chance = self.chance
        kind = chance.choice(("roll", "roll", "roll", "roll", "margin-only", "free", "cannot"))
        if challenge.opposed and kind == "margin-only":
            kind = "roll"
        if challenge.kind == "rest":
            kind = chance.choice(("free", "cannot"))
        hidden = kind == "roll" and chance.random() < 0.4
        pace = ["halvings: 1", "doublings: 2"]
        pace += ["factor: 3/2"] if challenge.kind == "treat" else []
        pace += ["chances: 1"] if challenge.tool == EITHER else []
        return Answer(
            **on,
            kind=kind,
            hidden=hidden,
            difficulty=HIDDEN if hidden else chance.choice(("5", "10", "20", "-3")),
            options=(chance.choice(pace),) if chance.random() < 0.3 else (),
            disallow=self._some(("ability", "attribute", "support")),
            modifier=chance.choice((0, -3, 2)),
            against=chance.choice((0, 2)),
        )

    async def _poke(self, state: TableState) -> None:
        if not state.challenges:
            return
        who = self.chance.choice(PLAYERS)
        challenge = self.chance.choice(list(state.challenges.values()))
        on: Any = {
            **self._by(who),
            "challenge": challenge.id,
            "revision": challenge.revision - self.chance.choice((0, 1)),
        }
        several: list[Action] = [
            Roll(**on),
            Settle(**on),
            Withdraw(**on),
            AskBack(**on, question="How?"),
            Answer(**on, kind="roll", difficulty="10"),
            Join(**on, leave=self.chance.random() < 0.5, **self._options()),
            Spend(
                **on, what=self.chance.choice(("die", "convert")), choice=self.chance.choice(("d6+1", "9"))
            ),
            Due(**self._by(who), wait=f"{challenge.id}.{challenge.revision}"),
        ]
        await self._do(self.chance.choice(several))

    async def _propose(self, state: TableState) -> None:
        chance = self.chance
        kind = chance.choice(
            ("check", "check", "attack", "attack", "attack", "treat", "rest", "team", "contest")
        )
        modes = {"team": ("simple_addition", "combining_dice", "worst_roller", "either_or")}
        tools = modes.get(kind, ("direct", "indirect") if kind == "contest" else ("", "Boathook"))
        who = self._who()
        action = Propose(
            **self._by(who),
            **self._options(),
            difficulty=chance.choice((None, None, "10", "20")),
            approach="across the ice",
            as_=self._own_name(state, who),
            visibility=chance.choice(("public", "public", "private", "blind")),
            kind=kind,
            target=None if kind in ("check", "team") else self._name(state),
            tool=chance.choice(tools),
            gm_only=chance.random() < 0.05,
        )
        await self._do(action)

    async def _import(self, _state: TableState) -> None:
        chance = self.chance
        who = self._who()
        wound = {"name": "Light", "degree": 2, "penalty": 1, "base_days": 7, "healed": "1/3"}
        wounds = [wound] * chance.choice((0, 0, 2))
        data = sheet(chance.choice(NAMES), wounds=wounds, minor=chance.choice((None, True, False)))
        npc = who is GM and chance.random() < 0.7
        await self._do(ImportCharacter(**self._by(who), data=data, npc=npc, replace=chance.random() < 0.6))

    async def _people(self, state: TableState) -> None:
        chance = self.chance
        who = self._who()
        of: Any = {**self._by(who), "character": self._own_name(state, who)}
        several: list[Action] = [
            Edit(**of, fields={"description": chance.choice(("Tall.", "Small."))}),
            Edit(**of, fields={"abilities": "Boats 2\nKnives 3"}),
            Give(**of, to=chance.choice(("p2", "p3"))),
            Retire(**of, back=chance.random() < 0.8),
            Retire(**self._by(GM), character=chance.choice(NAMES), back=True),
        ]
        await self._do(chance.choice(several))

    async def _npcs(self, _state: TableState) -> None:
        chance = self.chance
        stage = chance.choice((None, "off", "aliased", "revealed"))
        new: Any = {"name": chance.choice(("Hand", "Lone")), "count": chance.choice((1, 2)), "stage": stage}
        alias = "a shape" if stage == "aliased" else ""
        data = chance.choice((None, sheet("Hand", minor=chance.choice((True, False)))))
        await self._do(AddNpcs(**self._by(GM), **new, alias=alias, data=data))

    async def _tasks(self, state: TableState) -> None:
        """Complex actions are set, rolled for, and given up."""
        chance = self.chance
        hidden = chance.random() < 0.3
        start = StartTask(
            **self._by(chance.choice((GM, GM, ANN))),
            name="the engine",
            as_=self._name(state),
            difficulty=HIDDEN if hidden else chance.choice(("5", "20")),
            required=chance.choice((1, 12)),
            every=60,
            skill=chance.choice(SKILLS),
            attribute=chance.choice(ATTRIBUTES),
            hidden=hidden,
        )
        on: Any = {**self._by(self._who()), "task": chance.choice([*state.own, "task:t1"]).partition(":")[2]}
        several: list[Action] = [
            start,
            RollTask(**on, options=self._some(WORDS)),
            RollTask(**on, rolls=chance.choice((None, 0, 1))),
            DropTask(**on),
        ]
        await self._do(chance.choices(several, (2, 3, 3, 1))[0])

    async def _phases(self, state: TableState) -> None:
        """The order of action on a timeline."""
        chance = self.chance
        who = chance.choice(PLAYERS)
        mine, gms, own = self._by(who), self._by(GM), self._own_name(state, who)
        costs = chance.choice((("3",), ("1", "5"), ("40",)))
        several: list[Action] = [
            StartEncounter(**gms),
            JoinEncounter(**mine, as_=own),
            AddToEncounter(
                **gms, name=chance.choice((self._name(state), "the tide")), score=chance.choice((None, 2))
            ),
            BeginAction(**mine, doing="runs", costs=costs, score=chance.choice((None, "Speed")), as_=own),
            BeginAction(**gms, doing="waits", costs=costs, switch=True, as_=self._name(state)),
            NextTurn(**gms),
            EndEncounter(**gms),
        ]
        await self._do(
            chance.choices(
                several, (1, 4, 3, 8, 2, 4, 0.3) if state.encounters else (4, 0, 0, 0.3, 0, 0.3, 0)
            )[0]
        )

    async def _time(self, _state: TableState) -> None:
        minutes = self.chance.choice((10, 60 * 24, 60 * 24 * 30, -60))
        await self._do(AdvanceTime(**self._by(GM), minutes=minutes))

    async def _keep(self, state: TableState) -> None:
        """The GM sets something by hand."""
        chance = self.chance
        what, value = chance.choice(
            (
                ("ability", "Boats 3"),
                ("ability", "Brawling none"),
                ("attribute", "Wits -2"),
                ("hurt", "physical 4"),
                *[("hurt", "mental 12")] * (chance.random() < 0.2),
                ("healed", ""),
                ("healed", "1"),
                ("healed", "2"),
                ("care", "1 x 2"),
                ("life", "1: slower"),
                ("stable", "1"),
                ("minor", "no"),
            )
        )
        who = chance.choice((GM, GM, ANN))
        await self._do(Adjust(**self._by(who), character=self._name(state), what=what, value=value))

    async def _campaign(self, _state: TableState) -> None:
        options = {"dice_phobes": self.chance.random() < 0.8, "minor_npcs": self.chance.random() < 0.5}
        await self._do(ChangeCampaign(**self._by(GM), data={"options": options}))

    # --- what has to be true --------------------------------------------------------------------------------

    def _check_sheet(self, character: AnyCharacter) -> None:
        found = character.sheet
        assert all(score >= 0 for _, score in found.abilities)
        for scores in (found.abilities, found.attributes):
            assert len(dict(scores)) == len(scores)
        assert len({wound.number for wound in found.wounds}) == len(found.wounds)
        for wound in found.wounds:
            assert 0 <= wound.healed < 1
            assert isinstance(wound.healed, Fraction) and isinstance(wound.factor, Fraction)
            assert wound.taken <= wound.as_of

    def _check_views(self, state: TableState) -> None:
        system: Any = look(state)
        for challenge in state.challenges.values():
            actor = state.characters[challenge.character]
            if challenge.open:
                system.course.require_traits(actor, challenge)
            if challenge.rolled is not None:
                self._check_dice(challenge)
            view = str(check_view(state, system, challenge, gm=False))
            if challenge.hidden and not (challenge.reveal == "all" and challenge.rolled is not None):
                assert not BARMORE_CANARY.search(view)
            if challenge.status == "answered" and challenge.kind == "check" and challenge.answer == "roll":
                wounds = actor.sheet.wounds
                if all(each.penalty is not None and each.other is not None for each in wounds):
                    build(actor.sheet, system.campaign, challenge.request, ruling_of(challenge))
        for task in visible_tasks(state, ANN):  # whoever is gone takes theirs along
            view = view_of(system, task, gm=False)
            assert (view.rolls, view.elapsed) == (task.progress.rolls, task.progress.rolls * task.every)
            assert not (task.hidden and BARMORE_CANARY.search(str(view)))

    @staticmethod
    def _check_dice(challenge: AnyChallenge) -> None:
        rolled: Any = challenge.rolled
        others = () if rolled.other is None else (rolled.other,)
        for thrown in (rolled.mine, *others, *(each for _, each in rolled.helpers)):
            roll = thrown.roll
            if roll is None:
                assert thrown.pool.add > 0 or thrown.total == 0
                continue
            die = DIE_TYPES[roll.die]
            assert len(roll.faces) == roll.pool.size == thrown.pool.size
            assert all(1 <= face <= die.sides for face in roll.faces)
            kept = [value for value, counts in zip(roll.values, roll.kept, strict=True) if counts]
            dropped = [value for value, counts in zip(roll.values, roll.kept, strict=True) if not counts]
            assert len(kept) == roll.pool.add
            assert sum(kept) == roll.total == thrown.total
            if dropped and roll.pool.bonus:
                assert max(dropped) <= min(kept)
            if dropped and roll.pool.penalty:
                assert min(dropped) >= max(kept)
