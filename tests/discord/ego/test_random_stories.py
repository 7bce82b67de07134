"""Random stories of EGO, worked out a second time from the dice that fell: rounds that stun and
wear, spells and powers, crashes. All of it is taken back at the end, and then everything is as it
was.
"""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable
from functools import partial
from math import ceil
from typing import Any, Final

import pytest

from rules.systems.ego.character.combat_values import points_of
from rules.systems.ego.vehicles.vehicles_in_play import Vehicle
from tests.discord.ego.table import newest, sheet
from tests.discord.world import labels
from tests.example_counts import nightly
from tests.flows.ego_referee import BANDS, FACTORS, Body, clumsy, damage, dice_of, successes
from tests.flows.flow_table import Flow, play

#: By name: Muscle, dice of damage, whether it stuns.
BLADES: Final = {"punch": (0, 0, True), "Mace": (10, 2, False), "Stun Baton": (5, 2, True)}
#: By name: sections, Damage Points of each, highest speed, acceleration, armor.
CARS: Final = {
    "Sports car": (2, 15, 12, 3, 5),
    "Sedan": (3, 15, 8, 2, 8),
    "Ski boat": (2, 10, 6, 3, 5),
}
SKILLS: Final = ("Melee Combat", "Hand-to-hand Combat", "Magic")
QUARTERS: Final = "full_quarters"


class Somebody(Body):
    """A character, with the counters of a round."""

    def __init__(self, name: str, data: dict[str, Any], armor: int) -> None:
        super().__init__(
            data["vitality"], armor, data["muscle"], data["lethal"], data["non_lethal"]
        )
        self.name, self.data, self.down, self.magic = name, data, "", data["magic"]
        self.stunned = self.coming = self.spent = self.stun = self.stopped = 0
        self.levels = {each["name"]: each["level"] for each in data["skills"]}

    def dice(self, ability: str) -> int:
        return dice_of(self.data[ability])

    def pool(self, skill: str, ability: str = "agility") -> int:
        return self.levels.get(skill, 0) + self.dice(ability)

    @property
    def points(self) -> int:
        return 0 if self.stunned or self.down else self.dice("agility") - self.spent

    def over(self) -> None:
        """A round is over: armor wears, stun counts from the next one on (EGO-ARM-02,
        EGO-EFF-02).
        """
        self.armor -= 0 < self.armor <= self.stopped
        self.stunned = max(self.stunned - 1, self.coming, 0)
        self.coming = self.spent = self.stun = self.stopped = 0

    def struck(self, points: int, stuns: bool) -> bool:
        """EGO-DMG-04, EGO-EFF-02, EGO-EFF-03; whether staying conscious has to be rolled
        (EGO-IMP-01).
        """
        stopped = min(points, self.armor)
        taken, self.stopped = points - stopped, self.stopped + stopped
        self.lethal += 0 if stuns else taken
        self.non_lethal += taken if stuns else 0
        self.stun += taken if stuns else 0
        self.down = "dead" if self.dead else self.down or ("unconscious" if self.out else "")
        if stuns and taken:
            self.coming = max(self.coming, self.stun - self.vitality)
        return bool(taken) and not self.down and self.level(QUARTERS) == 4


class Reckoning:
    """One table, in rounds or without; `more`: good hits hurt more."""

    def __init__(self, flow: Flow) -> None:
        self.flow, self.fell, self.more, self.fought = (
            flow,
            list[int](),
            flow.likely(0.5),
            flow.likely(0.7),
        )

    async def begin(self) -> None:
        flow = self.flow
        await flow.world.setup(system="ego")
        await flow.do(flow.gina, "gm settings", live=True, attacks_at_once=True, step_in_minutes=0)
        if self.more:
            await flow.do(
                flow.gina, "gm settings", setting="excess_successes_to_damage", value="on"
            )
        self.vesna, self.boris = (
            await self.bring("Vesna", flow.ana),
            await self.bring("Boris", flow.ben),
        )
        if self.fought:
            await flow.do(flow.gina, "initiative start")
            for who in (flow.ana, flow.ben):
                await flow.do(who, "initiative join")
            await self.next()
        self.start, self.own = await flow.moment(), (await flow.world.state()).own

    async def bring(self, name: str, who: Any) -> Somebody:
        number, ar = self.flow.chance.randint, self.flow.pick((0, 3, 5))
        data: dict[str, Any] = {
            key: number(4, 16) for key in ("muscle", "agility", "intellect", "vitality")
        }
        data |= {
            "lethal": number(0, data["vitality"] // 2),
            "non_lethal": number(0, data["vitality"]),
        }
        data["skills"] = [
            {"name": key, "level": number(1, 4)} for key in SKILLS if self.flow.likely(0.8)
        ]
        data["arms"] = [{"name": key, "drawn": True} for key in ("Mace", "Stun Baton")]
        data["magic"] = (
            number(0, 12) if {"Magic"} & {each["name"] for each in data["skills"]} else None
        )
        fire = {"name": "Fire", "rating": 0, "source": "magic"}
        data |= {
            "powers": [{"name": "Mimic", "rating": number(1, 5)}, fire],
            "armour": f"Leather {ar}/5",
        }
        text = json.dumps({"name": name, **data})
        self.flow.done.append(text)
        await self.flow.world.hand_in(who, "a.json", text, grown=True)
        return Somebody(name, data, ar)

    async def next(self) -> None:
        """On to the next round, whoever's turn it is."""
        place = str(self.flow.world.zone.id)
        before = (await self.flow.world.state()).encounters[place].round
        while (await self.flow.world.state()).encounters[place].round == before:
            await self.flow.do(self.flow.gina, "initiative next")
        for each in (self.vesna, self.boris):
            each.over()
            each.non_lethal = max(0, each.non_lethal - each.dice("vitality"))  # EGO-REC-02
        self.flow.dice.take()

    def take(self, number: int) -> list[int]:
        """The next dice that fell."""
        found, self.fell = self.fell[: max(0, number)], self.fell[max(0, number) :]
        self.flow.same("dice", max(0, number), len(found))
        return found

    def wounds(self, target: Somebody, points: int, stuns: bool = False) -> None:
        if target.struck(points, stuns) and successes(self.take(target.dice("vitality"))) < 3:
            target.down = "passed out"
        if not self.fought:  # each thing is a round of its own
            stunned = target.stunned
            target.over()
            target.stunned = max(stunned, target.stunned)

    async def hits(self, pool: int, number: int, dice: int, **how: bool) -> None:
        """The attack's dice against a number, and what a hit does (EGO-DMG-02, EGO-DMG-04)."""
        got, text = successes(self.take(pool)), await newest(self.flow.world)
        beats = got > number if how.get("close") else got >= max(1, number)
        self.flow.holds(f"{got} against {number}", text.splitlines()[0], "Hit" if beats else "Miss")
        if beats:
            over = got - (number if how.get("close") else max(1, number))
            faces = self.take(dice + (over if self.more and not how.get("spell") else 0))
            self.flow.holds("damage", text, f"= **{damage(faces, 0, 'per_die')}**")
            self.wounds(self.boris, damage(faces, 0, "per_die"), how.get("stuns", False))

    async def tries(self, command: str, legal: bool, **said: Any) -> bool:
        """Whether it was legal, and was done by Vesna."""
        if not legal or self.vesna.stunned or (self.fought and self.vesna.points < 1):
            await self.flow.refused(self.flow.ana, command, **said)
            return False
        await self.flow.do(self.flow.ana, command, **said)
        self.vesna.spent += self.fought
        return True

    async def met(self) -> int:
        """Successes of what Boris sets against it (EGO-DEF-01, EGO-DEF-02, EGO-AP-01)."""
        target, armed, chosen = self.boris, self.boris.levels.get("Melee Combat", 0), ""
        if not target.stunned:
            panel, free = (
                await self.flow.open(self.flow.ben, "Defend"),
                target.points if self.fought else 9,
            )
            shown = [each for each in labels(panel) if each.startswith(("Parry", "Block"))]
            self.flow.same(
                "ways", (free >= 1) + ((free >= 1) + (free >= 2) if armed else 0), len(shown)
            )
            chosen = self.flow.pick([*shown, "Pass"])
            await self.flow.press(self.flow.ben, chosen, panel)
        parry, block = chosen.startswith("Parry"), "lock" in chosen
        target.spent += (parry + block) * self.fought
        self.fell = [each.face for each in self.flow.dice.take()]
        number = successes(self.take(target.dice("agility") + (armed if parry else 0)))
        return number + (successes(self.take(target.pool("Hand-to-hand Combat"))) if block else 0)

    async def stands(self) -> None:
        """Everything is on the sheets as it was worked out, and no die fell besides."""
        self.flow.same("dice left", [], self.fell)
        for each in (self.vesna, self.boris):
            found = await sheet(self.flow.world, each.name)
            ar = found.armour and found.armour.ar
            wanted = each.lethal, each.non_lethal, each.down, each.armor, each.magic, each.stunned
            now = found.lethal, found.non_lethal, found.down, ar, found.magic, found.stunned
            self.flow.same(each.name, wanted, now)
            if self.fought:
                self.flow.same(f"{each.name}'s points", each.points, points_of(found).left)

    # --- stories ----------------------------------------------------------------------------------

    async def brawl(self) -> None:
        """EGO-ATK-01, EGO-AP-01, EGO-MUS-01."""
        who, weapon = self.vesna, self.flow.pick([*BLADES])
        muscle, dice, stuns = BLADES[weapon]
        if await self.tries("attack", True, target="Boris", weapon=weapon, approach="so"):
            number = await self.met() + who.harder(QUARTERS)
            pool = who.pool("Hand-to-hand Combat" if weapon == "punch" else "Melee Combat")
            pool -= clumsy(who.data["muscle"], muscle)
            await self.hits(pool, number, who.dice("muscle") + dice, close=True, stuns=stuns)

    async def use(self) -> None:
        """EGO-FX-02 to EGO-FX-04, EGO-MAG-02, EGO-MAG-03, EGO-RNG-02."""
        flow, who = self.flow, self.vesna
        points, how = flow.pick((0, 1, 2, 3, 4)), flow.pick(("difficulty", "range", "touch"))
        base, factors = flow.chance.randint(1, 4), flow.some([*FACTORS], 2)
        said: dict[str, Any] = {
            "effect": "Fire (magic)" if points else "Mimic",
            "points": points or None,
        }
        said |= {"difficulty": str(base)} if how == "difficulty" else {"target": "Boris"}
        said |= (
            {"range": BANDS[base - 1], "with": ", ".join(factors) or None} if how == "range" else {}
        )
        legal = points <= min(who.levels.get("Magic", 0), who.magic or 0)
        if not await self.tries("ego use", legal, **said, touch=how == "touch" or None):
            return
        who.magic = who.magic and who.magic - points
        number = who.harder(QUARTERS) + (await self.met() if how == "touch" else base)
        self.fell = self.fell or [each.face for each in flow.dice.take()]
        rating = points or who.data["powers"][0]["rating"]
        if how == "difficulty":
            got, text = successes(self.take(rating)), await newest(flow.world)
            flow.holds(f"{got} against {number}", text, "Success" if got >= number else "Failure")
        else:
            number += sum(FACTORS[each] for each in factors) if how == "range" else 0
            pool = who.pool("Magic", "intellect") if points else rating
            await self.hits(pool, number, rating, close=how == "touch", spell=points > 0)
        text = await newest(flow.world)
        works = "Success" in text.splitlines()[0] or "Hit" in text.splitlines()[0]
        flow.same("a time limit", works and not points, f"It lasts {rating} round" in text)

    async def crash(self) -> None:
        """EGO-VEH-01, EGO-VEH-03, EGO-VEH-08, EGO-VEH-09."""
        flow, people, models = (
            self.flow,
            (self.vesna, self.boris),
            self.flow.chance.choices([*CARS], k=2),
        )
        await flow.do(
            flow.gina, "ego vehicle add", kind=models[0], name="A", pilot="Vesna", aboard="Boris"
        )
        await flow.do(flow.gina, "ego vehicle add", kind=models[1], name="B")
        speed, (_, _, top, more, _) = 0, CARS[models[0]]
        while not (self.fought and speed) and speed < top and flow.likely(0.8):
            speed = min(top, speed + more)
            await flow.refused(flow.ana, "ego vehicle move", vehicle="A", speed=speed + 1)
            await flow.do(flow.ana, "ego vehicle move", vehicle="A", speed=speed)
        await flow.do(flow.gina, "ego vehicle collide", vehicle="A", other="B")
        self.fell = [each.face for each in flow.dice.take()]
        times, taken = max(1, ceil(5 * speed / top)), list[int]()
        for name, model, other in zip("AB", models, reversed(models), strict=True):
            at, left = self.take(1)[0] - 1, max(0, CARS[other][1] * times - CARS[model][4])
            sections = [CARS[model][1]] * CARS[model][0]
            taken.append(left)
            for each in (*range(at, len(sections)), *range(at)):
                sections[each], left = max(0, sections[each] - left), max(0, left - sections[each])
            parts = [
                each
                for each in (await flow.world.state()).own.values()
                if isinstance(each, Vehicle)
            ]
            flow.same(
                "sections", [(*sections,)], [each.sections for each in parts if each.name == name]
            )
            for each in () if any(sections) or name == "B" else people:
                each.lethal, each.down = each.vitality, "dead"
        braced = [
            (each, self.take(each.dice("agility"))) for each in people if taken[0] and not each.down
        ]
        for each, faces in braced:
            good = successes(faces) >= 2 + each.harder(QUARTERS)
            self.wounds(each, ceil(taken[0] / 4) if good else ceil(taken[0] / 2))


async def story(kind: Callable[[Reckoning], Awaitable[None]], flow: Flow) -> None:
    """Some of one kind; then all of it is taken back."""
    reckoning = Reckoning(flow)
    await reckoning.begin()
    for _ in range(4):
        await kind(reckoning)
        await reckoning.stands()
        if kind is Reckoning.crash or reckoning.vesna.down or reckoning.boris.down:
            break
        if reckoning.fought and flow.likely(0.5):
            await reckoning.next()
        if flow.likely(0.2):
            await flow.restart()
    await flow.back(reckoning.start)
    flow.same("vehicles after an undo", reckoning.own, (await flow.world.state()).own)


@pytest.mark.slow
@pytest.mark.rule("EGO-EFF-02", "EGO-ARM-02", "EGO-MAG-03", "EGO-FX-04", "EGO-VEH-08", "EGO-VEH-09")
@pytest.mark.parametrize("kind", [Reckoning.brawl, Reckoning.use, Reckoning.crash])
def test_stories_come_out_as_they_were_worked_out(
    kind: Callable[[Reckoning], Awaitable[None]],
) -> None:
    for seed in range(60 if nightly() else 4):
        play(random.Random(seed), partial(story, kind))
