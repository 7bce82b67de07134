"""Random flows of MasterBook with its referee, of what takes longer: chases, blasts, bleeding,
care, many at once.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Awaitable, Callable
from fractions import Fraction
from typing import Any, Final

import pytest

from tests.discord.masterbook.table import newest, sheet
from tests.discord.world import labels
from tests.flows.flow_table import agree
from tests.flows.masterbook_referee import (
    BLADES,
    CLEARING,
    COORDINATING,
    DEFENDING,
    GRENADE_DV,
    GROUNDS,
    HEALING,
    MEDICINE,
    RANKS,
    RATINGS,
    SOFT_GROUND,
    SPOTS,
    ZONES,
    Melee,
    Result,
    bled,
    bonus,
    coordinated,
    damage,
    maneuvered,
    measure,
    push_result,
    take_roll,
    thrown,
    value_of,
    zone,
)
from tests.flows.test_masterbook import GRENADE, GRENADES, Person, Referee, minus

_HARD: Final = tuple(each for each in BLADES if not each.soft)
_DRIVING: Final = "Vehicle Piloting"
_UNTRAINED_CAR: Final = -2
_THROWING: Final = "Thrown Weapons"


class Fates(Referee):
    """The same table, with what takes longer than one roll."""

    async def begin(self) -> None:
        self.adding = self.flow.likely(0.5)
        self.straying = self.flow.pick(("random", "by_miss"))
        self.rules = (
            ("grenade_adds_result_points", "on" if self.adding else "off"),
            ("grenade_deviation_method", self.straying),
        )
        await super().begin()

    async def twice(self, step: Callable[[], Awaitable[None]]) -> None:
        """A step that is sometimes taken back first, and that the bot does not always outlive."""
        flow = self.flow
        if flow.likely(0.3):
            before = await flow.moment()
            await step()
            await flow.back(before)
        await step()
        if flow.likely(0.15):
            await flow.restart()

    async def rolls(self, person: Person, name: str, number: int, *more: int) -> int:
        """The only roll of the newest check, against a number that is told; its result points."""
        faces = self.fell()
        dice = take_roll(faces, person.trained(name))
        self.flow.same("dice left", [], faces)
        text = await newest(self.flow.world)
        total = person.value(name) + person.worse(name) + self.rolled(text, dice) + sum(more)
        self.verdict(text.splitlines()[0], total, number, person.value(name))
        return total - number

    # --- chases -----------------------------------------------------------------------------------

    async def chases(self) -> None:
        """MB-SKILL-VEHICLE-PILOTING, MB-VAL-01: two rounds of a chase; the second starts from the
        first one's gap.
        """
        flow, chance = self.flow, self.flow.chance
        driver = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        speed, rival, gap = chance.randint(6, 12), chance.randint(6, 13), chance.randint(1, 400)
        flees, (_, number) = flow.likely(0.4), flow.pick(tuple(RATINGS.items()))
        trained = driver.trained(_DRIVING)
        told: dict[str, Any] = {
            "speed": speed,
            "rival": rival,
            "difficulty": str(number),
            "gap": gap,
        }
        told |= {"flees": True} if flees else {}
        told |= {"vehicle": "car/truck"} if trained else {"rows": "very common"}
        for _ in range(2):
            await self.twice(lambda: flow.do(flow.ana, "mb drive", **told))
            points = await self.rolls(driver, _DRIVING, number, 0 if trained else _UNTRAINED_CAR)
            meters = measure(speed) + (measure(points) if points >= 0 else 0)
            text = await newest(flow.world)
            shown = re.search(r"Drives ([\d,.]+) m", text)
            far = 0.0 if shown is None else float(shown[1].replace(",", ""))
            flow.same(
                f"{points} points at {speed}, {meters}: {text}",
                True,
                abs(far - meters) < max(1, far / 100),
            )
            ahead = meters - measure(rival)
            left = max(Fraction(0), gap + ahead if flees else gap - ahead)
            found = re.search(r"(\d+) m between them", text)
            gap = 0 if found is None else int(found[1])
            flow.same(
                f"{left} m: {text}",
                True,
                abs(left - gap) < 1 and ("caught up" in text) == (gap == 0),
            )
            if not gap:
                break
            told.pop("gap", None)
        await self.stands(driver)

    # --- blasts -----------------------------------------------------------------------------------

    async def blasts(self) -> None:
        """MB-EQ-10 to MB-EQ-14: a grenade among several, who get clear of it or not."""
        flow = self.flow
        thrower = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        person = self.boris = await self.bring("Boris", flow.ben, again=True)
        other = await self.enemy()
        bands = thrown(thrower.data["strength"])
        meters = flow.chance.randint(0, int(max(bands.values())))
        band = next(name for name, most in bands.items() if meters <= most)
        grounds = flow.some((*GROUNDS[:2], flow.pick((GROUNDS[2], SOFT_GROUND))), 2)
        number = SPOTS[band].number + sum(each.harder for each in grounds)
        near = {other.name: 0, "Boris": flow.chance.randint(0, 8)}
        asked = zone(near["Boris"]) < len(ZONES)
        dodges = asked and flow.likely(0.6)
        words = [
            f"range: {meters}",
            *(each.said for each in grounds),
            f"also: Boris {near['Boris']}",
        ]

        async def throws() -> None:
            said = {"weapon": GRENADE, "approach": "so", "with": ", ".join(words)}
            await flow.do(flow.ana, "attack", target=other.name, **said)
            if asked:
                panel = await flow.open(flow.ben, "Defend")
                wanted = "Active" if dodges else "Pass"
                label = next(each for each in labels(panel) if each.startswith(wanted))
                await flow.press(flow.ben, label, panel)

        await self.twice(throws)
        faces = self.fell()
        total = thrower.value(_THROWING) + thrower.worse(_THROWING)
        total += bonus(sum(take_roll(faces, thrower.trained(_THROWING))))
        away: int | None = None
        if dodges:
            got = max(DEFENDING, bonus(sum(take_roll(faces, person.trained("Dodge")))))
            away = person.value("Dodge") + person.worse("Dodge") + got - CLEARING
        head = (await newest(flow.world)).splitlines()[0]
        if total >= number:
            against = f"{minus(total)} against {minus(number)}"
            flow.holds("a throw", head, "On the spot", against)
        else:
            near = await self._strays(band, number - total, faces, head, near)
        flow.same("dice left", [], faces)
        text = await newest(flow.world)
        for target in (person, other):
            at = zone(near[target.name], away if target is person else None)
            clear = f"{target.name} gets clear"
            flow.same(f"{target.name} in zone {at}: {text}", at == len(ZONES), clear in text)
            if at < len(ZONES):
                value = GRENADE_DV + ZONES[at][1] + (max(0, total - number) if self.adding else 0)
                target.hit(damage(value - target.data["toughness"] - target.data["layers"]))
            await self.stands(target)
        arms = {each.name: each.rounds for each in (await sheet(flow.world, "Vesna")).arms}
        flow.same("grenades", GRENADES - 1, arms[GRENADE])

    async def _strays(
        self, band: str, miss: int, faces: list[int], head: str, near: dict[str, int]
    ) -> dict[str, int]:
        """Where it comes down, and how far everybody is from there as the GM says (MB-EQ-12)."""
        flow, spot, face = self.flow, SPOTS[band], faces.pop(0)
        where = (
            "short"
            if face < 3
            else "to the right"
            if face < 6
            else "to the left"
            if face < 9
            else "too far"
        )
        by_dice = self.straying == "random"
        meters = spot.least + faces.pop(0) - 1 if by_dice else min(spot.most, spot.least + miss - 1)
        flow.holds(f"{face}, by {miss}", head, f"{meters} m ", where)
        now = {name: flow.chance.randint(0, 8) for name in near}

        async def places() -> None:
            panel = await flow.open(flow.gina, "Say where it lands")
            await flow.press(flow.gina, "Say where it lands…", panel)
            said = "\n".join(f"{name} {far}" for name, far in now.items())
            await flow.write(flow.gina, panel, "Others, in meters…", also=said)
            await flow.press(flow.gina, "Say where it lands", panel)

        await self.twice(places)
        return now

    # --- wounds that bleed, knockouts, and who is saved -------------------------------------------

    async def fates(self) -> None:
        """MB-DMG-04 to MB-DMG-10, MB-DMO-04, MB-HEAL-02 to MB-HEAL-05, MB-HEAL-07: blows, rounds
        and care by turns.
        """
        flow = self.flow
        await flow.do(flow.gina, "gm settings", setting="bleeding", value="table")
        self.boris = await self.bring("Boris", flow.ben, again=True, hurt=False)
        bleeders = flow.pick((0, 0, 1, 2, 3))
        person = await self.bring(
            "Vesna", flow.ana, again=True, hurt=True, most=5, bleeders=bleeders
        )
        self.thug = await self.enemy()
        await self.stands(person)
        if counted := flow.likely(0.6):
            await self.count_rounds()
            await self._stood(person)
        cared = False
        for _ in range(6):
            before, was = await flow.moment(), copy.deepcopy((person, self.thug))
            step = flow.pick(("blow", "care", "care", "time", "time", "time"))
            if counted and cared and step == "care":  # one action a round
                step = "time"
            cared = step == "care" or (cared and step == "blow")
            for again in range(2):
                if step == "blow":
                    await self._blow(person, self.thug)
                elif step == "care":
                    await self._care(person)
                else:
                    await self._passes(person, counted=counted)
                await self._stood(person)
                if again or flow.likely(0.7):
                    break
                await flow.back(before)
                person, self.thug = was
                await self._stood(person)
            if flow.likely(0.1):
                await flow.restart()
        if counted:
            await flow.do(flow.gina, "initiative end")
        await flow.do(flow.gina, "gm settings", setting="bleeding", value="off")
        self.fell()

    async def _stood(self, person: Person) -> None:
        """Besides what every sheet is held against: what bleeds, who acts a level better or is
        stable.
        """
        await self.stands(person)
        harm = (await sheet(self.flow.world, person.name)).harm
        self.flow.same("bleeders", person.bleeders, harm.bleeders)
        if not person.dead:
            mine = (person.aided, person.stable, person.mortal)
            self.flow.same("aided, stable, mortal", mine, (harm.aided, harm.stable, harm.mortal))

    async def _blow(self, person: Person, thug: Person) -> None:
        """An attack of an NPC's that may do much, on somebody who stays as they are."""
        flow = self.flow
        weapon: Melee = flow.pick(BLADES)
        more = flow.chance.randint(0, 8)
        # How hard somebody is to hit who lies there GMs say.
        number = flow.chance.randint(1, 8) if person.out else 0
        words = f"modifier: {more}" + f", defense: {number}" * (number > 0)
        said = {"as": thug.name, "weapon": weapon.name, "approach": "so", "with": words}
        await flow.do(flow.gina, "attack", target=person.name, **said)
        if flow.buttons(
            "Defend", await flow.check()
        ):  # nobody who has just come round in a round is asked
            await flow.press(flow.ana, "Pass", await flow.open(flow.ana, "Defend"))
        faces = self.fell()
        total = thug.value(weapon.skill) + thug.worse(weapon.skill) + more
        total += bonus(sum(take_roll(faces, thug.trained(weapon.skill))))
        points = total - (number or person.value("Melee Parry") + person.worse("Melee Parry"))
        head = (await newest(flow.world)).splitlines()[0]
        flow.holds(f"{points} points", head, "Hit" if points >= 0 else "Miss")
        if points >= 0:
            dv = thug.data["strength"] + weapon.add
            over = dv + (min(points, dv) if self.capped else points)
            over -= person.data["toughness"] + person.data["layers"]
            result = bled(damage(over, soft=weapon.soft and self.soft), faces, weapon.soft)
            flow.holds(f"{result}", head, result.text() or "no damage to ")
            person.hit(result)
        flow.same("dice left", [], faces)

    async def _care(self, person: Person) -> None:
        flow, what = self.flow, self.flow.pick(("wounds", "shock", "bleeding", "steady"))
        number = person.needs(what)
        if (
            number is None
            or ("Boris" in person.tries and what == "wounds")
            or (what == "steady" and person.retry)
        ):
            await flow.refused(flow.ben, "heal", method=what, target=person.name)
            return
        await flow.do(flow.ben, "heal", method=what, target=person.name)
        points = await self.rolls(self.boris, self.boris.aid, number)
        person.tried(what, "Boris")
        if points >= 0:
            person.helped(what)

    async def _passes(self, person: Person, *, counted: bool) -> None:
        """Rounds, or minutes in which everybody rests."""
        flow = self.flow
        if not counted:
            minutes = flow.pick((1, 1, 2, 10))
            await flow.do(flow.gina, "gm time", advance=f"{minutes} minutes")
            for each in (person, self.thug) * (6 * minutes):
                each.round(resting=True)
        else:
            number = next(iter((await flow.world.state()).encounters.values())).round
            while next(iter((await flow.world.state()).encounters.values())).round == number:
                await flow.do(flow.gina, "initiative next")
            person.round(resting=False)  # the thug takes no part in them
        self.fell()

    # --- medicine ---------------------------------------------------------------------------------

    async def medicine(self) -> None:
        """MB-SKILL-MEDICINE, MB-HEAL-01, MB-HEAL-02, MB-HEAL-06: in the place of first aid, and for
        a healing roll.
        """
        flow = self.flow
        self.vesna = person = await self.bring("Vesna", flow.ana, again=True, hurt=True)
        self.boris = medic = await self.bring("Boris", flow.ben, again=True)
        aid = {"method": "wounds", "target": "Vesna", "skill": "Medicine"}
        helps = {"method": "medicine", "target": "Vesna"}
        if not medic.trained("Medicine") or not person.wounds:
            for said in (aid, helps):
                await flow.refused(flow.ben, "heal", **said)
            return
        begin = await flow.moment()
        if flow.likely(0.6):
            number = person.needs("wounds")
            assert number is not None
            await self.twice(lambda: flow.do(flow.ben, "heal", **aid))
            if await self.rolls(medic, "Medicine", number) >= 0:
                person.helped("wounds")
            await self.stands(person)
            flow.same("aided", person.aided, (await sheet(flow.world, "Vesna")).harm.aided)
        await flow.refused(flow.ben, "heal", **helps)
        number, days = HEALING[person.wounds]
        await flow.do(flow.gina, "gm time", advance=f"{days} days")
        self.fell()
        await self.twice(lambda: flow.do(flow.ben, "heal", **helps))
        # A night's rest has cleared whatever else there was.
        points = await self.rolls(self._rested(medic), "Medicine", MEDICINE[person.wounds])
        helped = push_result(points)[0] if points >= 0 else 0
        text = await newest(flow.world)
        flow.holds(
            f"{points} points", text, f"+{helped} at the next" if helped else "no help at the next"
        )
        await flow.refused(flow.ben, "heal", **helps)
        await self.twice(lambda: flow.do(flow.ana, "heal", method="healing"))
        faces = self.fell()
        dice = take_roll(faces, True)
        flow.same("dice left", [], faces)
        text = await newest(flow.world)
        total = person.data["endurance"] + self.rolled(text, dice) + helped
        self.verdict(text.splitlines()[0], total, number, person.data["endurance"])
        flow.same("a medic's help is told", helped > 0, f"a medic's help (+{helped})" in text)
        harm = (await sheet(flow.world, "Vesna")).harm
        flow.same("wounds", person.wounds - (total >= number), harm.wounds)
        await flow.back(begin)

    @staticmethod
    def _rested(person: Person) -> Person:
        found = copy.deepcopy(person)
        found.down = 0
        return found

    # --- maneuvers --------------------------------------------------------------------------------

    async def maneuvers(self) -> None:
        """MB-CMB-04, MB-INT-05, MB-INT-11, MB-SKILL-MANEUVER, MB-SKILL-ACROBATICS."""
        flow = self.flow
        first = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        second = self.boris = await self.bring("Boris", flow.ben, again=True)
        start = await flow.moment()
        await self.count_rounds()
        name = flow.pick(("Maneuver", "Maneuver", "Acrobatics"))
        harder = 2 if name == "Acrobatics" else 0
        # Whoever has learned acrobatics may stand on that: by 2 worse.
        ways = {"Agility": second.value("agility"), "Maneuver": second.value("Maneuver")}
        if second.trained("Acrobatics"):
            ways["Acrobatics"] = second.value("Acrobatics") - 2
        usual = max(ways.values()) + second.worse("Maneuver")
        active = ""

        async def acts() -> None:
            nonlocal active
            await flow.do(flow.ana, "mb interact", skill=name, target="Boris", approach="so")
            panel = await flow.open(flow.ben, "Defend", check=await flow.check())
            offers = [
                each
                for each in labels(panel)
                if each.startswith("Resist actively") and _DRIVING not in each
            ]
            active = flow.pick(offers) if offers and flow.likely(0.5) else ""
            await flow.press(flow.ben, active or "Pass", panel)

        before = await flow.moment()
        await acts()
        if flow.likely(0.3):
            await flow.back(before)
            await acts()
        faces = self.fell()
        dice = take_roll(faces, first.trained(name))
        text = await newest(flow.world)
        total = first.value(name) + first.worse(name) + self.rolled(text, dice)
        number = usual + harder
        if active:
            named = next(each for each in ways if each in active)
            number = ways[named] + second.worse("Maneuver") + harder
            number += self.rolled(text, take_roll(faces, second.trained(named)), DEFENDING)
        flow.same("dice left", [], faces)
        self.verdict(text.splitlines()[0], total, number, first.value(name))
        theirs, shock = maneuvered(total - number) if total >= number else (set[str](), 0)
        flow.same(f"marks of the target: {text}", theirs, await self.marks("Boris"))
        if total - number >= 20:
            flow.holds("at their mercy", text, "player's call")
        second.hit(Result(shock=shock))
        await self.stands(second)
        await flow.back(start)

    # --- many on one ------------------------------------------------------------------------------

    async def coordinates(self) -> None:
        """MB-CBN-02, MB-MUL-01: two at once on one."""
        flow = self.flow
        first = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        second = self.boris = await self.bring("Boris", flow.ben, again=True)
        target, weapon, own = await self.enemy(), flow.pick(_HARD), _HARD[0]
        joins = flow.likely(0.8)

        async def acts() -> None:
            said = {"weapon": weapon.name, "approach": "so", "with": "together: Boris"}
            await flow.do(flow.ana, "attack", target=target.name, **said)
            panel = await flow.open(flow.ben, "Join")
            await flow.press(flow.ben, "Coordinate with them" if joins else "Pass", panel)

        await self.twice(acts)
        people = [(first, weapon)] + [(second, own)] * joins
        number = target.value("Melee Parry") + target.worse("Melee Parry")
        totals = self._both([(each, kind.skill) for each, kind in people])
        made, more = coordinated(totals, number, COORDINATING)
        head = (await newest(flow.world)).splitlines()[0]
        flow.holds(f"{totals} against {number}", head, "Hit" if made else "Miss")
        if made:
            if joins:
                flow.holds(f"{made} of them", head, f"{len(made)} of {len(people)}")
            dv = sum(people[at][0].data["strength"] + people[at][1].add for at in made) // len(made)
            more += max(totals[at][1] for at in made) - number
            more = min(more, dv) if self.capped else more
            target.hit(damage(dv + more - target.data["toughness"] - target.data["layers"]))
        await self.stands(target)

    def _both(
        self, people: list[tuple[Person, str]], *, by_turns: bool = False
    ) -> list[tuple[int, int]]:
        """The totals of everybody's two rolls: all coordinate and then all act, or one after the
        other does both.
        """
        faces, count = self.fell(), len(people)
        order = [(at, lost) for lost in (RANKS[1], RANKS[0]) for at in range(count)]
        found: dict[tuple[int, int], int] = {}
        for at, lost in sorted(order) if by_turns else order:
            who, skill = people[at]
            total = who.value(skill) + who.worse(skill) + lost
            found[at, lost] = total + bonus(sum(take_roll(faces, who.trained(skill))))
        self.flow.same("dice left", [], faces)
        return [(found[at, RANKS[1]], found[at, RANKS[0]]) for at in range(count)]

    async def lifts_together(self) -> None:
        """MB-CBN-03, MB-LIFT-01: the best of those who coordinate lifts more, and all who tried
        share the shock.
        """
        flow = self.flow
        first = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        second = self.boris = await self.bring("Boris", flow.ben, again=True)
        mass = flow.chance.randint(200, 900)
        number = value_of(mass, up=True)

        async def acts() -> None:
            await flow.do(flow.ana, "mb move", mass=mass, together="Boris")
            await flow.press(flow.ben, "Coordinate with them", await flow.open(flow.ben, "Join"))

        await self.twice(acts)
        people = [first, second]
        totals = self._both([(each, "Lifting") for each in people], by_turns=True)
        made, more = coordinated(totals, number, COORDINATING)
        text = await newest(flow.world)
        best = max(made, key=lambda at: totals[at][1], default=None)
        able, shock = 0, 0
        if best is not None:
            gain, shock = push_result(totals[best][1] + more - number)
            able = people[best].data["strength"] - 3 + gain
        flow.same(
            f"{totals} against {number}: {text}",
            able >= number,
            "up to" in text and "not enough" not in text,
        )
        for each in people:
            each.hit(Result(shock=-(-shock // len(people))))
            await self.stands(each)


KINDS: Final[dict[str, Callable[[Fates], Awaitable[None]]]] = {
    "chases": Fates.chases,
    "blasts": Fates.blasts,
    "fates": Fates.fates,
    "medicine": Fates.medicine,
    "maneuvers": Fates.maneuvers,
    "coordination": Fates.coordinates,
    "lifts together": Fates.lifts_together,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_bot_and_the_referee_agree(kind: str) -> None:
    agree(Fates, KINDS, kind)
