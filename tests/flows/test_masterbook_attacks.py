"""Random flows of MasterBook with its referee, of single attacks: all that GMs may say, and points
on both sides.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, Final

import pytest

from tests.discord.masterbook.table import newest
from tests.discord.world import labels
from tests.flows import masterbook_referee as referee
from tests.flows.flow_table import agree
from tests.flows.masterbook_referee import (
    BLADES,
    CLOSE,
    CONCEALED,
    COVERED,
    DEFENDING,
    LEVELS,
    LOCATIONS,
    TRIPPING,
    Option,
    Result,
    bonus,
    damage,
    level,
    take_added_dice,
    take_roll,
)
from tests.flows.test_masterbook import Person, minus
from tests.flows.test_masterbook_long_flows import Fates

_PARRY, _DODGE = "Melee Parry", "Dodge"


class Blows(Fates):
    """The same table, at war."""

    def played_by(self, person: Person) -> tuple[Any, dict[str, Any]]:
        """Who plays somebody, and as whom."""
        if person.npc:
            return self.flow.gina, {"as": person.name}
        return (self.flow.ana if person.name == "Vesna" else self.flow.ben), {}

    async def defends(self, person: Person, may: bool, chance: float = 0.5) -> bool:
        """Whether somebody who may defend actively does; whoever may not is not asked."""
        check = await self.flow.check()
        self.flow.same(f"{person.name} is asked", may, bool(self.flow.buttons("Defend", check)))
        if not may:
            return False
        who, _ = self.played_by(person)
        panel = await self.flow.open(who, "Defend", check=check)
        active = self.flow.likely(chance)
        offers = [each for each in labels(panel) if each.startswith("Active" if active else "Pass")]
        await self.flow.press(who, offers[0], panel)
        return active

    async def told_of(
        self,
        what: str,
        target: Person,
        points: int,
        result: Result | None,
        missed: str = "Miss",
        *,
        check: str = "",
    ) -> str:
        """What the card says of a hit with these points, or of a miss: the newest, or this one."""
        text = self.flow.card(check) if check else await newest(self.flow.world)
        head = text.splitlines()[0]
        self.flow.holds(f"{what}: {text}", head, missed if result is None else "Hit")
        if result is not None and not target.npc:
            says = result.text() or "no damage to "
            self.flow.holds(
                f"{what}: {text}", head, f"Hit by {minus(points)}" if points else "Hit", says
            )
            if not points:
                self.flow.lacks(f"{what}: {text}", head, "Hit by")
        return head

    async def words(self) -> None:
        """MB-EQ-02, MB-EQ-20, MB-EQ-30, MB-COV-01, MB-SUR-01, MB-DMO-01 to MB-DMO-04: an NPC's, as
        its GM says.
        """
        flow, chance = self.flow, self.flow.chance
        knocking, bleeding, close = (
            flow.likely(0.5),
            flow.pick(("off", "gm", "table")),
            flow.likely(0.5),
        )
        for key, value in (
            ("knockout_attacks", "on" if knocking else "off"),
            ("bleeding", bleeding),
            ("rifle_point_blank_damage", "on" if close else "off"),
        ):
            await flow.slash(flow.gina, "gm settings", setting=key, value=value)
        layers = [
            (chance.randint(1, 8), chance.randint(9, 24)) for _ in range(chance.randint(0, 2))
        ]
        armor = [
            {"name": f"Coat {at}", "add": add, "maximum": most}
            for at, (add, most) in enumerate(layers)
        ]
        kind, most = flow.pick(referee.KINDS), chance.randint(8, 24)
        number = chance.randint(14, 27) if kind.ways else chance.randint(0, 10)
        arm = {"dv": number} if kind.ways else {"add": number, "maximum": most}
        target = self.boris = await self.bring("Boris", flow.ben, again=True, own={"armour": armor})
        self.count += 1
        arms = [{"name": "Thing", **({"kind": kind.name} if kind.name else {}), **arm}]
        foe = await self.bring(f"Thug {self.count}", flow.gina, npc=True, own={"arms": arms})
        if kind.skill == "Heavy Weapons" and not foe.trained(kind.skill):
            return
        dv = number if kind.ways else min(foe.data["strength"] + number, most)
        band = chance.randrange(len(kind.ends))
        dv += referee.CLOSE_BY * (close and kind.name == "rifle" and not band)
        meters = chance.randint(kind.ends[band - 1] + 1 if band else 0, kind.ends[band])
        way = flow.pick(kind.ways) if kind.ways else None
        options = ([way] if way else []) + [referee.SPRAY] * (way is not None and flow.likely(0.3))
        options += [] if kind.name else flow.some(CLOSE, 2)
        surprise = flow.pick((referee.PARTIAL, referee.COMPLETE))
        options += flow.some((flow.pick(LOCATIONS), referee.BLINDSIDE, surprise), 2)
        hidden, indirect, bare = (
            flow.pick((*CONCEALED, "complete", "", "")),
            flow.likely(0.3),
            flow.likely(0.1),
        )
        wall, harder, soft = (
            flow.pick(tuple(COVERED)),
            flow.pick((0, -3, 4)),
            self.soft and flow.likely(0.3),
        )
        knocks = chance.randint(1, 5) if knocking and flow.likely(0.4) else 0
        bleeds = chance.randint(1, 3) if bleeding == "gm" and flow.likely(0.4) else 0
        said = [f"range: {meters}", *(each.said for each in options)]
        said += [f"concealment: {hidden}", f"cover: {wall}"] * bool(hidden) + [
            "indirect"
        ] * indirect
        said += ["unarmored"] * bare + ["non lethal"] * soft + [f"harder: {harder}"] * bool(harder)
        said += [f"knockout: {knocks}"] * bool(knocks) + [f"bleeders: {bleeds}"] * bool(bleeds)
        if trick := flow.likely(0.2):
            options.append(Option("", chance.randint(-6, 2), chance.randint(-3, 4)))
            said += ["trick_shot", f"trick: {options[-1].attack} 0 {options[-1].damage}"]
        active, parry = False, _DODGE if kind.name else _PARRY

        async def attacks() -> None:
            nonlocal active
            given = {"weapon": "Thing", "as": foe.name, "with": ", ".join(said)}
            await flow.do(flow.gina, "attack", target="Boris", approach="so", **given)
            active = await self.defends(target, referee.COMPLETE not in options and not target.out)

        await self.twice(attacks)
        faces = self.fell()
        total = foe.value(kind.skill) + foe.worse(kind.skill) + kind.accuracy[band]
        total += sum(each.attack for each in options) + bonus(
            sum(take_roll(faces, foe.trained(kind.skill)))
        )
        number = target.value(parry) + target.worse(parry) + harder + knocks
        number += (
            max(DEFENDING, bonus(sum(take_roll(faces, target.trained(parry))))) if active else 0
        )
        more = 12 if hidden == "complete" else CONCEALED.get(hidden, 0)
        points, covered = referee.through(
            total, number, more, indirect=indirect, zero=self.behind == "zero"
        )
        result = None
        if points >= 0:
            over = points + sum(each.damage for each in options)
            over = (
                dv
                + (min(over, dv) if self.capped else over)
                - (COVERED[wall] if covered and hidden else 0)
            )
            over -= referee.armored(target.data["toughness"], [] if bare else layers)
            result = damage(over, tripping=TRIPPING in options)
            turned = min(result.wounds, LEVELS.index(level(points)) + 1 if knocks else int(soft))
            result = replace(result, wounds=result.wounds - turned, shock=result.shock + 3 * turned)
            if bleeding == "table":
                rolled = [faces.pop(0) for _ in range(result.wounds - 1)]
                bleeds = sum(each <= kind.bleeds for each in rolled)
            bleeds = min(bleeds, result.wounds)
            result = replace(result, wounds=result.wounds - bleeds, bleeders=bleeds)
            target.hit(result)
        flow.same("dice left", [], faces)
        await self.told_of(f"{total} against {number} and {more}, {trick}", target, points, result)
        await self.stands(target)

    # --- points on both sides ---------------------------------------------------------------------

    async def points_of_both(self) -> None:
        """MB-DIE-03, MB-DIE-06, MB-LP-02, MB-LP-03, MB-LP-05: on the attack, on the defense, and on
        what it does.
        """
        flow = self.flow
        await self.wait_for_points(10)
        await flow.slash(flow.gina, "gm settings", setting="bleeding", value="off")
        self.vesna = await self.bring("Vesna", flow.ana, again=True)
        self.boris = await self.bring("Boris", flow.ben, again=True)
        weapon = flow.pick(BLADES)
        await flow.do(flow.ana, "attack", target="Boris", weapon=weapon.name, approach="so")
        active = await self.defends(self.boris, not self.boris.out, 0.7)
        faces = self.fell()
        self.dice = [(weapon.skill, take_roll(faces, self.vesna.trained(weapon.skill)))]
        if active:
            self.dice.append((_PARRY, take_roll(faces, self.boris.trained(_PARRY))))
        flow.same("dice left", [], faces)
        before, was = await flow.moment(), copy.deepcopy((self.vesna, self.boris, self.dice))
        for again in range(2):
            for at in flow.chance.sample(range(len(self.dice)), len(self.dice)):
                await self._spends(at)
            if again or flow.likely(0.7):
                break
            await flow.back(before)
            self.vesna, self.boris, self.dice = copy.deepcopy(was)
        first, second = self.vesna, self.boris
        for who in (flow.ana, flow.ben):
            panel = (
                await flow.open(who, "React") if flow.buttons("React", await flow.check()) else None
            )
            if panel is not None and "Accept result" in labels(panel):
                await flow.press(who, "Accept result", panel)
        total = first.value(weapon.skill) + first.worse(weapon.skill) + bonus(sum(self.dice[0][1]))
        number = second.value(_PARRY) + second.worse(_PARRY)
        number += max(DEFENDING, bonus(sum(self.dice[1][1]))) if active else 0
        points, result = total - number, None
        if points >= 0:
            dv = first.data["strength"] + weapon.add
            over = dv + (min(points, dv) if self.capped else points)
            over -= second.data["toughness"] + second.data["layers"]
            result = damage(over, soft=weapon.soft and self.soft)
        missed = self.missed(first, weapon.skill, -points)
        head = await self.told_of(f"{total} against {number}", second, points, result, missed)
        if result is not None and result.text() and " so far" in head:
            before, was = await flow.moment(), second.points
            left = await self.lower(second, result) if second.points else None
            if left is not None and flow.likely(0.3):
                await flow.back(before)
                second.points = was
                left = await self.lower(second, result)
            if left is None:
                await flow.press(flow.ben, "Pass", check=await flow.check())
            result = result if left is None else left
        if result is not None:
            second.hit(result)
        await self.wait_for_points(0)
        await self.stands(first)
        await self.stands(second)

    async def _spends(self, at: int) -> None:
        """Perhaps a point on these dice, which the other side perhaps cancels."""
        flow, both = self.flow, ((self.vesna, self.flow.ana), (self.boris, self.flow.ben))
        (person, who), (other, against) = both[at], both[1 - at]
        if flow.likely(0.4) or person.out:
            return
        panel = await flow.open(who, "React")
        offers = [each for each in labels(panel) if "2 more dice" in each]
        flow.same(f"{person.name} may spend one", int(person.points > 0), len(offers))
        if not offers:
            return
        await flow.press(who, offers[0], panel)
        person.points -= 1
        cancels = "Cancel it with one of your Life Points"
        panel = await flow.open(against, "React")
        may = other.points > 0 and not other.out
        flow.same("it may be canceled", may, cancels in labels(panel))
        canceled = may and flow.likely(0.4)
        await flow.press(against, cancels if canceled else "Pass", panel)
        other.points -= canceled
        faces, (skill, dice) = self.fell(), self.dice[at]
        more = [] if canceled else take_added_dice(dice, faces, person.trained(skill), self.scope)
        self.dice[at] = skill, dice + more
        flow.same("dice left", [], faces)
        if flow.buttons("React", await flow.check()):
            told = "\n".join(labels(await flow.open(who, "React")))
            flow.lacks("only one", told, "2 more dice")


KINDS: Final = {"words": Blows.words, "points": Blows.points_of_both}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_bot_and_the_referee_agree(kind: str) -> None:
    agree(Blows, KINDS, kind, parts=13)
