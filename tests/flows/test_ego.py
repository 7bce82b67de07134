"""Random flows of EGO through the commands, with a referee: 25 with every change, 2,000 at
night.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import pytest

from tests.discord.ego.table import newest, sheet, stand
from tests.discord.world import labels, private, texts
from tests.flows.ego_referee import (
    BANDS,
    BLADES,
    FACTORS,
    GUNS,
    KICK,
    PUNCH,
    RATINGS,
    SWORD,
    Body,
    Melee,
    clumsy,
    damage,
    dice_of,
    successes,
)
from tests.flows.flow_table import Flow, agree

#: How a panel offers each change of dice.
_SAID: Final = {
    "Agile": "die: Agile",
    "Stout": "die: Stout",
    "Karma": "Flip a die",
    "Lucky": "+1 success",
}
#: Skills that a check is made with, and their abilities.
_SKILLS: Final = {
    "Stealth": "agility",
    "Climbing": "muscle",
    "Medical": "intellect",
    "Survival": "intellect",
}
_ABILITIES: Final = ("muscle", "agility", "intellect", "vitality")
_FIGHTING: Final = ("Melee Combat", "Hand-to-hand Combat", "Gun Combat", "Acrobatics")


def _dice(count: int) -> str:
    return "d6" if count == 1 else f"{count}d6"


class Person(Body):
    """A character or an enemy as the referee knows them."""

    def __init__(self, name: str, data: dict[str, Any]) -> None:
        profile = data.get("profile")
        self.name, self.data = name, data
        armor = data.get("ar", 0)
        super().__init__(
            data["vitality"],
            armor,
            data.get("muscle"),
            data.get("lethal", 0),
            data.get("non_lethal", 0),
        )
        self.npc = profile is not None
        self.karma = data.get("karma", 0)
        self.skills: dict[str, int] = data.get("levels", {})
        self.weapon: int = data.get("specialty", 0)
        self.tumbling: int = data.get("tumbling", 0)

    def pool(self, ability: str) -> int:
        return dice_of(self.data[ability])

    @property
    def defense(self) -> int:
        return self.data["defence"] if self.npc else self.pool("agility")


class Referee:
    """One table: Ana's Vesna, Ben's Boris, and an enemy anew for each fight."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.halving = flow.pick(("per_die", "total_half_up"))
        self.quarters = flow.pick(("full_quarters", "entered_quarters"))
        self.tie = flow.pick(("ask", "both", "nobody", "reroll"))
        self.untrained = flow.likely(0.5)
        self.count = 0

    async def begin(self) -> None:
        flow, world = self.flow, self.flow.world
        await world.setup(system="ego")
        await flow.do(flow.gina, "gm settings", live=True, attacks_at_once=True, step_in_minutes=0)
        for key, value in (
            ("damage_halving", self.halving),
            ("impairment_mode", self.quarters),
            ("opposed_tie", self.tie),
            ("untrained_plus_one", "on" if self.untrained else "off"),
        ):
            await flow.slash(flow.gina, "gm settings", setting=key, value=value)
        self.vesna = await self.bring("Vesna", flow.ana)
        self.boris = await self.bring("Boris", flow.ben)
        flow.dice.take()

    def _harmed(self, vitality: int) -> dict[str, int]:
        flow = self.flow
        if flow.likely(0.4):
            return {}
        lethal = flow.chance.randint(0, vitality - 1)
        return {"lethal": lethal, "non_lethal": flow.chance.randint(0, 2 * vitality - 1)}

    async def bring(
        self, name: str, who: Any, again: bool = False, **traits: Sequence[str]
    ) -> Person:
        """A character of any numbers, by a file."""
        flow = self.flow
        scores = {each: flow.chance.randint(1, 16) for each in _ABILITIES}
        levels = {each: flow.chance.randint(1, 5) for each in _FIGHTING}
        levels |= {each: flow.chance.randint(1, 5) for each in _SKILLS if flow.likely(0.6)}
        specialty = flow.chance.randint(0, levels["Melee Combat"] - 1)
        tumbling = flow.chance.randint(0, levels["Acrobatics"] - 1)
        armor = flow.pick((0, 3, 5, 8))
        harmed = self._harmed(scores["vitality"]) if again else {}
        karma = flow.chance.randint(0, 9)
        text: dict[str, Any] = {
            "name": name,
            **scores,
            **harmed,
            "karma": karma,
            **traits,
            "skills": [{"name": key, "level": level} for key, level in levels.items()],
            "specialties": [
                *(
                    [{"name": "Melee Weapon", "level": specialty, "field": SWORD}]
                    if specialty
                    else []
                ),
                *([{"name": "Tumbling", "level": tumbling}] if tumbling else []),
            ],
            "arms": [
                *({"name": each.name, "drawn": True} for each in BLADES),
                *(
                    {"name": each.name, "drawn": True, "rounds": 200, "magazine": 200}
                    for each in GUNS
                ),
            ],
        }
        if armor:
            kind = {3: "Padded", 5: "Leather", 8: "Scale"}[armor]
            text["armour"] = f"{kind} {armor}/{armor}"
        more: dict[str, Any] = {"replace": True} if again else {}
        done = await flow.world.hand_in(
            flow.gina if again else who, "a.json", json.dumps(text), grown=True, **more
        )
        private(done)
        flow.done.append(f"{name}: {text}")
        return Person(
            name,
            {
                **scores,
                **harmed,
                "karma": karma,
                "levels": levels,
                "specialty": specialty,
                "tumbling": tumbling,
                "ar": armor,
            },
        )

    async def enemy(self) -> Person:
        flow = self.flow
        self.count += 1
        name = f"Orc {self.count}"
        data = {
            "attack": flow.chance.randint(1, 8),
            "defence": flow.chance.randint(1, 7),
            "vitality": flow.chance.randint(1, 20),
            "ar": flow.chance.randint(0, 8),
            "damage": flow.chance.randint(1, 8),
        }
        profile = ", ".join(
            f"{'att' if key == 'attack' else key} {value}" for key, value in data.items()
        )
        harmed = self._harmed(data["vitality"])
        text = json.dumps({"name": name, "profile": profile, **harmed})
        private(await flow.world.hand_in(flow.gina, "a.json", text, grown=True, npc=True))
        await flow.do(flow.gina, "gm npc reveal", npc=name)
        flow.done.append(text)
        return Person(name, {**data, **harmed, "profile": True})

    # --- what is told -----------------------------------------------------------------------------

    def faces(self, *counts: int) -> list[list[int]]:
        """What fell, in throws of so many dice; nothing else may have fallen."""
        fell = [each.face for each in self.flow.dice.take()]
        found: list[list[int]] = []
        for count in counts:
            found.append(fell[:count])
            del fell[:count]
        self.flow.same("dice", [list(counts), 0], [[len(each) for each in found], len(fell)])
        return found

    async def stands(self, person: Person) -> None:
        """What their sheet says is what the referee has."""
        found = await sheet(self.flow.world, person.name)
        self.flow.same(
            f"{person.name}'s harm and Karma",
            (person.lethal, person.non_lethal, person.karma),
            (found.lethal, found.non_lethal, found.karma),
        )
        if not person.npc and found.armour is not None:
            self.flow.same(f"{person.name}'s armor", person.armor, found.armour.ar)

    async def check(self) -> None:
        """EGO-DIE-01 to EGO-DIE-03, EGO-SKL-02, EGO-CHR-05, EGO-KAR-02, EGO-IMP-01."""
        flow = self.flow
        person = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        number, said = flow.pick([(value, key) for key, value in RATINGS.items()] + [(6, "6")])
        skill = flow.pick(("", *_SKILLS))
        ability = _SKILLS[skill] if skill else flow.pick(_ABILITIES)
        modifier, karma = flow.chance.randint(-4, 4), flow.chance.randint(0, min(3, person.karma))
        level = person.skills.get(skill, 0)
        pool = max(0, person.pool(ability) + level + modifier + karma)
        words = [f"modifier: {modifier}"] * bool(modifier) + [f"karma: {karma}"] * bool(karma)
        lacking = bool(skill) and not level and self.untrained
        number += person.harder(self.quarters) + lacking
        person.karma -= karma
        options: dict[str, Any] = {"with": ", ".join(words) or None}
        options |= {"skill": skill} if skill else {"attribute": ability}
        await flow.do(flow.ana, "check", difficulty=said, approach="so", **options)
        if (
            karma and not pool
        ):  # bought for nothing: whoever bought them may still think better of it
            await flow.press(flow.ana, "Roll")
        (rolled,) = self.faces(pool)
        got = successes(rolled)
        text = await newest(flow.world)
        head = text.splitlines()[0]
        flow.holds("a check", head, "Success" if got >= number and got else "Failure")
        flow.holds("a check", text, f"{got or 'no'} success", f"against {number}")
        await self.stands(person)

    async def changes(self) -> None:
        """EGO-DIE-05, EGO-KAR-03, EGO-ADV-02: forced first, then Agile, Stout, a flip and Lucky as
        they are chosen.
        """
        flow = self.flow
        await flow.do(flow.gina, "gm settings", step_in_minutes=10)
        traits = flow.some(("Agile", "Stout", "Lucky"))
        faults = flow.some(("Unattractive", "Unlucky"))
        person = self.vesna = await self.bring(
            "Vesna", flow.ana, again=True, advantages=traits, disadvantages=faults
        )
        ability, number = flow.pick(("agility", "vitality", "muscle")), flow.chance.randint(1, 4)
        charming = flow.likely(0.5)
        await flow.do(
            flow.ana,
            "check",
            attribute=ability,
            difficulty=str(number),
            approach="so",
            **{"with": "attraction" if charming else None},
        )
        number += person.harder(self.quarters)
        pool = person.pool(ability)
        fell = [each.face for each in flow.dice.take()]
        faces, again = fell[:pool], fell[pool:]
        forced = charming and "Unattractive" in faults and successes(faces) > 0
        flow.same("dice rolled again by force", int(forced), len(again))
        got = successes(faces) - forced + successes(again)
        # A die that was rolled again by force is out of what is rolled again by choice.
        free = pool - successes(faces)
        left = {"Agile": ability == "agility", "Stout": ability == "vitality", "Lucky": True}
        means = [each for each in traits if left[each]] + ["Karma"] * (person.karma > 0)
        while flow.buttons("React", await flow.check()):
            panel = await flow.open(flow.ana, "React")
            shown = texts(panel).splitlines()
            offered = {
                each: next((label for label in shown if _SAID[each] in label), "")
                for each in ("Agile", "Stout", "Karma", "Lucky")
            }
            for each, label in offered.items():
                legal = each in means and (
                    each == "Lucky" or (free > 0 if each != "Karma" else pool > got)
                )
                flow.same(f"{each} is offered: {shown}", legal, bool(label))
            open_ones = [label for label in offered.values() if label]
            if not open_ones or flow.likely(0.3):
                break
            label = flow.pick(open_ones)
            key = next(each for each, said in offered.items() if said == label)
            await flow.press(flow.ana, label, panel)
            rolled = [each.face for each in flow.dice.take()]
            means.remove(key)
            if key in ("Agile", "Stout"):
                flow.same("dice rolled again", 1, len(rolled))
                got += successes(rolled)
                free -= 1
            else:
                flow.same("dice rolled again", 0, len(rolled))
                got += 1
                person.karma -= key == "Karma"
                # Re-rolls come before the flip, and that before Lucky.
                later = ("Lucky",) if key == "Karma" else ()
                means = [each for each in means if each in later]
            head = (await newest(flow.world)).splitlines()[0]
            flow.holds(
                f"{got} against {number}", head, "Success" if got >= number and got else "Failure"
            )
        await flow.do(flow.gina, "gm settings", step_in_minutes=0)
        await self.stands(person)

    async def rounds(self) -> None:
        """EGO-CMB-01, EGO-INI-01, EGO-REC-02, EGO-IMP-01: two rounds of an order of action, then
        its end.
        """
        flow = self.flow
        self.vesna = await self.bring("Vesna", flow.ana, again=True)
        self.boris = await self.bring("Boris", flow.ben, again=True)
        both = (self.vesna, self.boris)
        before = await flow.moment()
        await flow.do(flow.gina, "initiative start")
        for who in (flow.ana, flow.ben):
            await flow.do(who, "initiative join")
        flow.dice.take()
        for turns in (1, 2):
            if turns == 2:
                if flow.likely(0.3):
                    await flow.restart()
                # Whoever was hurt before the first round recovers at its start, too.
                await flow.do(flow.gina, "initiative next")
            if flow.dice.take():
                raise AssertionError(flow.story("dice in the middle of a round"))
            await flow.do(flow.gina, "initiative next")
            fell = [each.face for each in flow.dice.take()]
            # The board has the details of a round's start.
            text = texts(flow.world.newest("NPCs"))
            totals: list[int] = []
            # Dice fall in the order of the round before.
            both = tuple(sorted(both, key=lambda each: text.index(f"{each.name}, initiative")))
            for each in both:
                each.non_lethal = max(0, each.non_lethal - dice_of(each.vitality))
                faces = fell[: each.pool("agility")]
                del fell[: len(faces)]
                worse = (0, 2, 4, 6, 6)[each.level(self.quarters)]
                totals.append(sum(faces) + each.pool("intellect") - worse)
                flow.holds(
                    "initiative",
                    text,
                    f"{each.name}, initiative: {_dice(len(faces))} (",
                    f"**{totals[-1]}**".replace("-", "−"),
                )
                await self.stands(each)
            tied = totals[0] == totals[1]
            ranks = [
                (total, each.data["agility"], each.data["intellect"])
                for total, each in zip(totals, both, strict=True)
            ]
            if not tied or ranks[0] != ranks[1]:
                flow.same("dice for a tie", [], fell)
                first = both[0] if ranks[0] > ranks[1] else both[1]
                told = next(
                    each
                    for each in map(texts, reversed(flow.world.messages()))
                    if "you're up" in each
                )
                flow.holds(
                    "who is first", told, f"{first.name}, you're up", f"{first.pool('agility')} of"
                )
        await flow.back(before)

    async def contest(self) -> None:
        """EGO-DIE-04."""
        flow = self.flow
        self.vesna = await self.bring("Vesna", flow.ana, again=True)
        self.boris = await self.bring("Boris", flow.ben, again=True)
        mine, theirs = flow.pick(_ABILITIES), flow.pick(_ABILITIES)
        await flow.do(flow.ana, "contest", target="Boris", attribute=mine, approach="pull")
        panel = await flow.open(flow.ben, "Respond")
        await flow.choose(flow.ben, panel, "Ability", theirs)
        await flow.press(flow.ben, "Respond", panel)
        await stand(flow.world)
        first, second = self.vesna.pool(mine), self.boris.pool(theirs)
        fell = [each.face for each in flow.dice.take()]
        while True:
            ours, others = successes(fell[:first]), successes(fell[first : first + second])
            del fell[: first + second]
            if ours != others or not ours or self.tie != "reroll":
                break
        flow.same("dice left", 0, len(fell))
        head = (await newest(flow.world)).splitlines()[0]
        if ours != others:
            winner = "Vesna" if ours > others else "Boris"
            flow.holds("a contest", head, f"{winner} wins", f"by {abs(ours - others)}")
        else:
            flow.lacks("a contest", head, "Vesna wins", "Boris wins")
            if ours:
                flow.holds(
                    "a tie",
                    head,
                    {"ask": "Tied", "both": "Both succeed", "nobody": "obody"}[self.tie],
                )
                if self.tie == "ask":
                    panel = await flow.open(flow.gina, "Answer")
                    await flow.press(flow.gina, "Both succeed", panel)
                    flow.holds("a tie answered", await newest(flow.world), "Both succeed")

    async def close(self) -> None:
        """EGO-ATK-01, EGO-DEF-01 to EGO-DEF-03, EGO-DMG-01 to EGO-DMG-04, EGO-IMP-01, EGO-EFF-01 to
        EGO-EFF-03.
        """
        flow = self.flow
        attacker = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        if attacker.out:
            return
        if person := flow.likely(0.6):
            target = self.boris = await self.bring("Boris", flow.ben, again=True)
        else:
            target = await self.enemy()
        weapon: Melee = flow.pick((PUNCH, KICK, *BLADES))
        own = attacker.weapon if weapon.name == SWORD else 0
        put = flow.chance.randint(0, own)
        dice, harder = flow.chance.randint(0, min(3, attacker.karma)), flow.likely(0.5)
        karma, hard = (0, dice) if harder else (dice, 0)
        words = [f"to damage: {put}"] * bool(put) + [f"karma: {karma}"] * bool(karma)
        words += [f"karma damage: {hard}"] * bool(hard)
        pool = max(
            0,
            attacker.pool("agility")
            + attacker.skills[weapon.skill]
            + own
            - put
            + karma
            - clumsy(attacker.data["muscle"], weapon.muscle),
        )
        hurting = attacker.pool("muscle") + weapon.dice + put + hard
        impaired = attacker.harder(self.quarters)
        given = {"target": target.name, "weapon": weapon.name, "with": ", ".join(words) or None}
        if karma and not pool:
            flow.holds(
                "Karma in vain",
                await flow.refused(flow.ana, "attack", **given),
                "spent for nothing",
            )
            return
        attacker.karma -= dice
        before = await flow.moment() if flow.likely(0.2) else None
        await flow.do(flow.ana, "attack", approach="so", **given)
        throws: list[int] = []
        if person:
            if flow.likely(0.2):
                await flow.restart()
            panel = await flow.open(flow.ben, "Defend")
            shown = labels(panel)
            tumble = target.tumbling and flow.likely(0.4)
            if tumble:
                await flow.press(
                    flow.ben, next(each for each in shown if each.startswith("Tumble")), panel
                )
                throws.append(target.tumbling)
                panel = await flow.open(flow.ben, "Defend")
                shown = labels(panel)
            chosen = flow.pick(
                [each for each in shown if each.startswith(("Parry", "Block", "Pass"))]
            )
            parry = chosen.startswith("Parry")
            block = "lock" in chosen
            # With several weapons in hand the sword of the specialty parries, where it is the best.
            throws.append(
                target.defense + (target.skills["Melee Combat"] + target.weapon if parry else 0)
            )
            if block:
                throws.append(target.pool("agility") + target.skills["Hand-to-hand Combat"])
            await flow.press(flow.ben, chosen, panel)
        else:
            throws.append(target.defense)
        await self._struck(
            attacker, target, [*throws, pool], impaired, hurting, weapon.flat, weapon.stuns
        )
        if before is not None:
            await flow.back(before)

    async def _struck(
        self,
        attacker: Person,
        target: Person,
        throws: list[int],
        number: int,
        hurting: int,
        flat: int,
        stuns: bool,
        ranged: bool = False,
    ) -> None:
        flow = self.flow
        await stand(flow.world)
        fell = [each.face for each in flow.dice.take()]
        rolled: list[list[int]] = []
        for count in throws:
            rolled.append(fell[:count])
            del fell[:count]
        got = successes(rolled[-1])
        number += sum(map(successes, rolled[:-1]))
        text = await newest(flow.world)
        head = text.splitlines()[0]
        hits = got >= max(1, number) if ranged else got > number
        flow.holds(f"{got} against {number}", head, "Hit" if hits else "Miss")
        conscious = not target.out
        if hits:
            points = damage(fell[:hurting], flat, self.halving)
            flow.same(f"damage dice: {text}", hurting, len(fell[:hurting]))
            del fell[:hurting]
            taken = target.hit(points, stuns)
            flow.holds("damage", text, f"= **{points}**")
            if target.dead:
                flow.holds("whose death", head, f": {target.name} ")
                flow.holds("death", head, "dies")
            elif conscious:
                if taken and target.level(self.quarters) == 4 and fell:
                    dice = dice_of(target.vitality)
                    flow.same("Vitality dice", dice, len(fell))
                    stays = successes(fell) >= 3
                    flow.holds("a level-4 roll", text, "stays conscious" if stays else "passes out")
                    fell = []
                elif taken and target.level(self.quarters) == 4 and not target.out:
                    flow.same("a level-4 roll", "rolled", "not rolled")
                if target.out:
                    flow.holds("a knock-out", text, "knocked out")
            if (
                stuns
                and not target.dead
                and taken > target.vitality
                and not target.npc
                and not target.out
            ):
                flow.holds("stunned", text, f"stunned for {taken - target.vitality} round")
            if stuns and target.muscle is not None and taken > target.muscle:
                flow.holds("knockback", text, f"{5 * (taken - target.muscle)} feet")
        flow.same("dice left", [], fell)
        await self.stands(attacker)
        await self.stands(target)

    async def shoot(self) -> None:
        """EGO-RNG-01, EGO-RNG-02, EGO-RNG-04, EGO-RNG-05, EGO-MUS-01."""
        flow = self.flow
        attacker = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        if attacker.out:
            return
        target = await self.enemy()
        gun = flow.pick(GUNS)
        distance = flow.chance.randint(1, 2 * gun.ends[2])
        band = next((at for at, end in enumerate(gun.ends) if distance <= end), 3)
        said = f"range: {distance}"
        if flow.likely(0.3):
            band = flow.chance.randint(0, 3)
            said = f"range: {BANDS[band]}"
        factors = flow.some(tuple(FACTORS), 3)
        way = flow.pick(("", "", "burst", "full auto")) if gun.automatic else ""
        shots = flow.chance.randint(1, gun.rate) if not way else 0
        words = [said, *factors, *([way] if way else [f"shots: {shots}"])]
        number = band + 1 + sum(FACTORS[each] for each in factors) + attacker.harder(self.quarters)
        pool = (
            attacker.pool("agility")
            + attacker.skills["Gun Combat"]
            - clumsy(attacker.data["muscle"], gun.muscle)
        )
        pool += {"": gun.rate - shots, "burst": -1, "full auto": -3}[way]
        hurting = {"": gun.dice, "burst": gun.dice + 1, "full auto": gun.dice * 2}[way]
        before = await flow.moment() if flow.likely(0.2) else None
        await flow.do(
            flow.ana,
            "attack",
            target=target.name,
            weapon=gun.name,
            approach="so",
            **{"with": ", ".join(words)},
        )
        await self._struck(
            attacker, target, [max(0, pool)], max(1, number), hurting, gun.flat, False, ranged=True
        )
        arms = {each.name: each.rounds for each in (await sheet(flow.world, "Vesna")).arms}
        flow.same("ammunition", 200 - {"": 1, "burst": 3, "full auto": 10}[way], arms[gun.name])
        if before is not None:
            await flow.back(before)


KINDS: Final[dict[str, Callable[[Referee], Awaitable[None]]]] = {
    "checks": Referee.check,
    "changes": Referee.changes,
    "contests": Referee.contest,
    "close": Referee.close,
    "shots": Referee.shoot,
    "rounds": Referee.rounds,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_bot_and_the_referee_agree(kind: str) -> None:
    agree(Referee, KINDS, kind)
