"""Random flows of MasterBook with its referee, of whole fights: what is declared in rounds, and
what it leaves open.
"""

from __future__ import annotations

import copy
from typing import Any, Final

import pytest

from tests.flows import masterbook_referee as referee
from tests.flows.flow_table import agree
from tests.flows.masterbook_referee import (
    BLADES,
    CLOSE,
    DEFENDING,
    GUNS,
    LOCATIONS,
    STEP_IN,
    TRIPPING,
    Option,
    Turn,
    accuracy,
    bonus,
    damage,
    take_roll,
)
from tests.flows.test_masterbook import Person
from tests.flows.test_masterbook_attacks import Blows

_PARRY, _DODGE = "Melee Parry", "Dodge"


class Fights(Blows):
    """The same table, in rounds."""

    async def rounds(self) -> None:
        """MB-INI-01, MB-RND-01, MB-ACT-01, MB-ACT-02, MB-MUL-01, MB-CMB-02, MB-CMB-03, MB-OPT-01 to
        MB-OPT-04.
        """
        flow = self.flow
        await flow.slash(flow.gina, "gm settings", setting="bleeding", value="off")
        self.vesna = await self.bring("Vesna", flow.ana, again=True, hurt=False)
        self.boris = await self.bring("Boris", flow.ben, again=True, hurt=False)
        thug = await self.enemy()
        self.people = {each.name: each for each in (self.vesna, self.boris, thug)}
        self.turns = {name: Turn() for name in self.people}
        self.begun: list[int] | None = None
        for who, command in ((flow.gina, "start"), (flow.ana, "join"), (flow.ben, "join")):
            await flow.do(who, f"initiative {command}")
        await flow.do(flow.gina, "initiative add", name=thug.name)
        for number in range(3):
            if len(self._standing()) < 2:
                break
            await self._initiative(resting=not number)
            while not all(each.over for each in self.turns.values()):
                await self._turn((await self._order())[(await self._encounter()).turn])
        await flow.do(flow.gina, "initiative end")
        self.fell()

    def _standing(self, but: str = "") -> list[str]:
        return [name for name, each in self.people.items() if name != but and not each.out]

    async def _encounter(self) -> Any:
        return next(iter((await self.flow.world.state()).encounters.values()))

    async def _order(self) -> list[str]:
        people = (await self.flow.world.state()).characters
        return [people[each.character].name for each in (await self._encounter()).order]

    async def _inner(self) -> Any:
        """What an undo has to bring back besides sheets and checks."""
        state = await self.flow.world.state()
        orders = {
            key: (each.round, each.turn, each.order) for key, each in state.encounters.items()
        }
        return {key: each for key, each in state.own.items() if key.startswith("marks:")}, orders

    async def _initiative(self, *, resting: bool) -> None:
        """By Agility and what the dice bring; the first round takes no time.

        The dice of a round that began by itself, with a player's last action, have fallen with it.
        """
        flow, before, begun = self.flow, await self.flow.moment(), await self._inner()
        scores: dict[str, int] = {}
        rolled, self.begun = self.begun, None
        for again in range(2):
            if rolled is None:
                await flow.do(flow.gina, "initiative next")
            faces, state = self.fell() if rolled is None else rolled, await flow.world.state()
            threw: Any = state.checks[await flow.check()].data.throws
            for name in [state.characters[each.who].name for each in threw]:
                scores[name] = self.people[name].data["agility"] + bonus(
                    sum(take_roll(faces, True))
                )
            flow.same("dice left", [], faces)
            if again or rolled is not None or flow.likely(0.8):
                break
            await flow.back(before)
            flow.same("an order taken back", begun, await self._inner())
        for name, person in self.people.items():
            if not resting and rolled is None:
                person.round(resting=False)
            self.turns[name].begins(scores[name])
            self.turns[name].over = person.out
            await self.stands(person)
        found = [scores[name] for name in await self._order() if not self.people[name].out]
        flow.same(f"the order {scores}", sorted(found, reverse=True), found)
        self._called(next(name for name in await self._order() if not self.turns[name].over))

    def _called(self, name: str) -> None:
        """Somebody begins: whoever acts at once with them acts as they are now."""
        if self.turns[name].before is not None:
            return
        score = self.turns[name].score
        group = [
            each
            for each, turn in self.turns.items()
            if turn.score == score and not turn.over and not turn.waited
        ]
        for each, turn in self.turns.items():
            turn.before = (
                self.people[each].hampered(True) if each in group and len(group) > 1 else None
            )

    async def _turn(self, name: str) -> None:
        flow, turn = self.flow, self.turns[name]
        who, as_ = self.played_by(self.people[name])
        apart = len({each.score for each in self.turns.values()}) == len(self.turns)
        others = [each for each in self.turns if each != name and self._acts_yet(each)]
        if apart and others and not turn.waited and not turn.done and flow.likely(0.1):
            await flow.do(who, "initiative delay")
            turn.waited = True
            return
        if not turn.done and len(turn.ranks) == 1 and flow.likely(0.4):
            turn.ranks = flow.pick(([1, 2], [2, 1], [3, 1, 2]))
            said = {"actions": len(turn.ranks), "ranks": " ".join(map(str, turn.ranks))}
            await flow.do(who, "mb declare", **said, **as_)
        for _ in range(flow.pick((0, 0, 0, 1, 3))):
            await flow.do(who, "mb act", action="look around", **as_)
            turn.simple += 1
        while self.turns[name].left and self._standing(name) and flow.likely(0.9):
            before, begun = await flow.moment(), await self._inner()
            was = copy.deepcopy((self.people, self.turns, self.begun))
            await self._acts(name)
            if flow.likely(0.2):
                await flow.back(before)
                flow.same("marks and order after an undo", begun, await self._inner())
                self.people, self.turns, self.begun = was
        if self.begun is not None:
            return
        if self._spent(name):
            await self._comes()
            return
        if not self.turns[name].left:
            target = next(each for each in self.people if each != name)
            await flow.refused(who, "attack", target=target, weapon="Knife", approach="so", **as_)
        self.turns[name].opens(())
        self.turns[name].over = True
        for each, one in self.turns.items():
            one.over = one.over or (self.people[each].out and one.before is None)
        await self._next()

    async def _next(self) -> None:
        """The next turn, if there is one; those who acted at once may be out by now."""
        group = [turn for turn in self.turns.values() if turn.before is not None and not turn.over]
        for each, turn in self.turns.items():
            turn.before = turn.before if group else None
            turn.over = turn.over or (self.people[each].out and turn.before is None)
        if any(map(self._acts_yet, self.turns)):
            await self.flow.do(self.flow.gina, "initiative next")
            self.fell()
            await self._comes()
        else:
            for turn in self.turns.values():
                turn.over = True

    def _spent(self, name: str) -> bool:
        """Whether a player's character has done all of its actions: its turn ends by itself."""
        turn = self.turns[name]
        return not self.people[name].npc and turn.done >= len(turn.ranks)

    def _acts_yet(self, name: str) -> bool:
        """Whether somebody's turn is still to come, or goes on."""
        out = self.people[name].out and self.turns[name].before is None
        return not (self.turns[name].over or out or self._spent(name))

    async def _comes(self) -> None:
        """It is somebody's turn now: whoever stands before them has had theirs, or spent it on a
        defense.
        """
        encounter, order = await self._encounter(), await self._order()
        name = order[encounter.turn]
        self.flow.same(f"{name} may act", True, self._acts_yet(name))
        for each, slot in zip(order[: encounter.turn], encounter.order, strict=False):
            self.turns[each].over = self.turns[each].over or not slot.delayed
        group = [turn for turn in self.turns.values() if turn.before is not None and not turn.over]
        for turn in self.turns.values():
            turn.before = turn.before if group else None
        self._called(name)

    def _done(self, name: str, faces: list[int]) -> None:
        """An action is over, and with the last one of a player's character its turn.

        Where nobody has anything left, the next round begins with it, and its dice fall.
        """
        if self._spent(name):
            self.turns[name].over = True
            group = [each for each in self.turns.values() if each.before is not None]
            if all(each.over for each in group):
                for each in group:
                    each.before = None
        if self._spent(name) and not any(map(self._acts_yet, self.turns)):
            for each, person in self.people.items():
                self.turns[each].over = True
                person.round(resting=False)
            self.begun = faces[:]
            faces.clear()
        self.flow.same("dice left", [], faces)

    async def _acts(self, name: str) -> None:
        """One action: an attack at somebody, or to aim at them."""
        flow, person, turn = self.flow, self.people[name], self.turns[name]
        target = self.people[flow.pick(self._standing(name))]
        words: list[str] = []
        if flow.likely(0.5):
            gun = flow.pick(GUNS)
            meters = flow.chance.randint(0, gun.ends[1])
            words.append(f"range: {meters}")
            if not turn.done and flow.likely(0.3):
                who, as_ = self.played_by(person)
                said = {"target": target.name, "weapon": gun.name, "with": f"{words[0]}, aim"}
                await flow.do(who, "attack", approach="so", **said, **as_)
                turn.opens((), referee.AIMING)
                turn.aims, turn.aimed, turn.ranks, turn.done = target.name, "", [1], 1
                self._done(name, self.fell())
                return
            options = [referee.AIMED] if turn.aimed == target.name else []
            reach = accuracy(gun, meters, None)
            await self._strikes(
                person, target, gun.name, "Fire Combat", gun.dv, options, words, reach
            )
        else:
            weapon = flow.pick(BLADES)
            options = flow.some((*CLOSE, flow.pick(LOCATIONS)), 2)
            if flow.likely(0.2):
                words.append("range: 3")
                options.append(STEP_IN)
            dv, soft = person.data["strength"] + weapon.add, weapon.soft and self.soft
            await self._strikes(
                person, target, weapon.name, weapon.skill, dv, options, words, 0, soft
            )

    async def _strikes(
        self,
        person: Person,
        target: Person,
        weapon: str,
        skill: str,
        dv: int,
        options: list[Option],
        words: list[str],
        reach: int,
        soft: bool = False,
    ) -> None:
        flow, turn, theirs = self.flow, self.turns[person.name], self.turns[target.name]
        who, as_ = self.played_by(person)
        parry = _DODGE if skill == "Fire Combat" else _PARRY
        said = [each.said for each in options if each.said]
        given = {"weapon": weapon, "approach": "so", "with": ", ".join([*words, *said]) or None}
        check = f"c{(await flow.world.state()).counters.check + 1}"
        await flow.do(who, "attack", target=target.name, **given, **as_)
        # Whoever let the turn pass without an action has not acted yet.
        able = theirs.left or not theirs.done
        may = not target.npc and able and parry not in theirs.held and not theirs.all_out
        active = await self.defends(target, may)
        faces = self.fell()
        worse = person.worse(skill) if turn.before is None else turn.before
        total = (
            person.value(skill)
            + worse
            + turn.causes()
            + reach
            + sum(each.attack for each in options)
        )
        total += bonus(sum(take_roll(faces, person.trained(skill))))
        worse = target.worse(parry) if theirs.before is None else theirs.before
        number = target.value(parry) + worse + theirs.guard
        if active:
            number += theirs.causes() + max(
                DEFENDING, bonus(sum(take_roll(faces, target.trained(parry))))
            )
            theirs.held[parry] = number
            theirs.done += 1
        number = theirs.held.get(parry, number)
        turn.opens(said)
        turn.done += 1
        points, result = total - number, None
        if points >= 0:
            more = points + sum(each.damage for each in options)
            over = dv + (min(more, dv) if self.capped else more)
            over -= target.data["toughness"] + target.data["layers"]
            result = damage(over, tripping=TRIPPING in options, soft=soft)
            target.hit(result)
            if result.text():
                theirs.aims = theirs.aimed = ""
        turn.aimed = turn.aims = ""
        self._done(person.name, faces)
        missed = self.missed(person, skill, -points if active or not target.npc else 0)
        what = f"{total} against {number}"
        await self.told_of(what, target, points, result, missed, check=check)
        await self.stands(person)
        await self.stands(target)


KINDS: Final = {"rounds": Fights.rounds}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_bot_and_the_referee_agree(kind: str) -> None:
    agree(Fights, KINDS, kind, parts=25)
