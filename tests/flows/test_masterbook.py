"""Random flows of MasterBook through the commands, with a referee: 25 with every change, 2,000 at
night.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from fractions import Fraction
from typing import Any, Final

import pytest

from tests.discord.masterbook.table import newest, sheet
from tests.discord.world import labels, private, texts
from tests.flows.flow_table import Flow, agree
from tests.flows.masterbook_referee import (
    AID,
    BLADES,
    CLIMBS,
    CLOSE,
    CONCEALED,
    COVERED,
    DEFENDING,
    GUNS,
    HEALING,
    LEVELS,
    LOCATIONS,
    RATINGS,
    SELECTED,
    SINGLE,
    STEP_IN,
    SURFACES,
    TALKS,
    TRIPPING,
    WAYS,
    Body,
    Option,
    Result,
    accuracy,
    bonus,
    damage,
    landing,
    level,
    marked,
    measure,
    push_result,
    rate,
    reached,
    take_added_dice,
    take_roll,
    together,
    value_of,
    without,
)

#: Attributes, and whether they are of the body.
_ATTRIBUTES: Final = {
    "agility": True,
    "dexterity": True,
    "endurance": True,
    "strength": True,
    "intellect": False,
    "mind": False,
    "confidence": False,
    "charisma": False,
}
#: Skills that anybody may try, and their Attributes.
_SKILLS: Final = {
    "Stealth": "agility",
    "Running": "agility",
    "Swimming": "agility",
    "Climbing": "agility",
    "Long Jumping": "agility",
    "Acrobatics": "agility",
    "Lifting": "strength",
    "Perception": "intellect",
    "Taunt": "charisma",
    "Trick": "intellect",
    "Willpower": "confidence",
    "Melee Combat": "agility",
    "Unarmed Combat": "agility",
    "Melee Parry": "agility",
    "Dodge": "agility",
    "Fire Combat": "dexterity",
    **{name: each.attribute for name, each in TALKS.items()},
    "First Aid": "intellect",
    "Maneuver": "agility",
    "Thrown Weapons": "dexterity",
}
#: Skills that take training, or are harder without, or have a focus.
_TRAINED: Final = {
    "Medicine": "mind",
    "Vehicle Piloting": "dexterity",
    "Heavy Weapons": "dexterity",
    "Missile Weapons": "dexterity",
}
_FOCUS: Final = {
    "Vehicle Piloting": "car/truck",
    "Heavy Weapons": "machine guns",
    "Missile Weapons": "bows",
}
#: Skills of special effects.
_MAGIC: Final = {"Conjuration": "mind"}
GRENADE: Final = "Fragmentation grenade"
GRENADES: Final = 5
_MAGAZINE: Final = 30


def minus(number: int) -> str:
    """A number as cards write it."""
    return str(number).replace("-", "−")


class Person(Body):
    """A character or an NPC as the referee knows them."""

    def __init__(self, name: str, data: dict[str, Any]) -> None:
        self.name, self.data = name, data
        self.npc: bool = data["npc"]
        self.points: int = data["life_points"]
        self.adds: dict[str, int] = data["adds"]
        super().__init__(
            data["endurance"] + self.adds.get("Resist Shock", 0),
            data["wounds"],
            data["shock"],
            data["k"],
            data["down"],
            data["bleeders"],
        )

    def value(self, name: str) -> int:
        """MB-SKL-01."""
        return self.data[self.attribute(name)] + self.adds.get(name, 0)

    @staticmethod
    def attribute(name: str) -> str:
        """What a skill is of."""
        return {**_SKILLS, **_TRAINED, **_MAGIC}.get(name, name)

    def trained(self, name: str) -> bool:
        """MB-DIE-02: whether tens are rolled again."""
        return name in _ATTRIBUTES or self.adds.get(name, 0) > 0

    @property
    def aid(self) -> str:
        """MB-SKILL-05, MB-HEAL-02: a medic treats with the better of both skills."""
        better = self.trained("Medicine") and self.value("Medicine") > self.value("First Aid")
        return "Medicine" if better else "First Aid"

    def worse(self, name: str) -> int:
        return self.hampered(_ATTRIBUTES[self.attribute(name)])


class Referee:
    """One table: Ana's Vesna, Ben's Boris, and an NPC anew for each fight; `rules` are more of its
    settings.
    """

    rules: tuple[tuple[str, str], ...] = ()
    #: Whether the GMs have a channel of their own.
    gm_channel = False

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.capped, self.soft, self.critical = (flow.likely(0.5) for _ in range(3))
        self.scope = flow.pick(("all", "new_dice_only"))
        self.behind = flow.pick(("from_defense", "zero"))
        self.count = 0
        self.undone = False
        #: Players' characters have Life Points, so there is something to wait for.
        self.spends = False

    async def begin(self) -> None:
        flow = self.flow
        await flow.world.setup(system="masterbook", gm_channel=self.gm_channel)
        await flow.do(
            flow.gina,
            "gm settings",
            live=True,
            attacks_at_once=True,
            step_in_minutes=0,
            reveal="all",
        )
        for key, value in (
            *self.rules,
            ("damage_cap", "on" if self.capped else "off"),
            ("non_lethal", "on" if self.soft else "off"),
            ("critical_failure", "on" if self.critical else "off"),
            ("lp_tens_scope", self.scope),
            ("cover_hit_rp", self.behind),
        ):
            await flow.slash(flow.gina, "gm settings", setting=key, value=value)
        self.vesna = await self.bring("Vesna", flow.ana)
        self.boris = await self.bring("Boris", flow.ben)
        flow.dice.take()

    async def wait_for_points(self, minutes: int) -> None:
        """Have everybody waited for so long. With 0 dice stand at once: nobody has a point."""
        flow, self.spends = self.flow, minutes > 0
        await flow.do(flow.gina, "gm settings", step_in_minutes=minutes)
        await flow.do(
            *(flow.gina, "gm settings"),
            setting="wait_for_everybody",
            value="on" if self.spends else "off",
        )

    async def bring(
        self,
        name: str,
        who: Any,
        again: bool = False,
        npc: bool = False,
        *,
        hurt: bool | None = None,
        most: int = 4,
        bleeders: int = 0,
        own: Mapping[str, Any] | None = None,
        learned: Mapping[str, int] | None = None,
    ) -> Person:
        """Somebody of any numbers, by a file; `hurt` or not where that is said, with so many wounds
        at `most`.

        `own` has what else is on the sheet, `learned` the adds of more skills.
        """
        flow = self.flow
        values = {each: flow.chance.randint(5, 13) for each in _ATTRIBUTES}
        adds = {
            each: flow.chance.randint(1, 6)
            for each in (*_SKILLS, *_TRAINED, "Resist Shock")
            if flow.likely(0.6)
        }
        adds |= learned or {}
        capacity = values["endurance"] + adds.get("Resist Shock", 0)
        if hurt is None:
            hurt = (again or npc) and flow.likely(0.5)
        tough, points = flow.chance.randint(6, 13), flow.chance.randint(0, 4)
        data: dict[str, Any] = {
            "toughness": tough,
            "life_points": points if npc or self.spends else 0,
        }
        harm = {
            "wounds": flow.chance.randint(0, most) if hurt else 0,
            "shock": flow.chance.randint(0, capacity - 1) if hurt else 0,
            "k": hurt and flow.likely(0.3),
            "down": hurt and flow.likely(0.3),
            "bleeders": bleeders,
        }
        layers = [flow.chance.randint(1, 6) for _ in range(flow.pick((0, 0, 1, 2)))]
        said = [f"{key} {harm[key]}" for key in ("wounds", "shock", "bleeders") if harm[key]]
        said += ["k 1800"] * harm["k"] + ["down 2"] * harm["down"]
        text: dict[str, Any] = {
            "name": name,
            **values,
            **data,
            "skills": [
                {"name": key, "adds": number, **({"focus": _FOCUS[key]} if key in _FOCUS else {})}
                for key, number in adds.items()
            ],
            "arms": [
                *({"name": each.name} for each in BLADES[1:]),
                *({"name": each.name, "rounds": _MAGAZINE, "magazine": _MAGAZINE} for each in GUNS),
                {"name": GRENADE, "rounds": GRENADES},
            ],
            "armour": [{"name": f"Coat {at}", "add": each} for at, each in enumerate(layers)],
            **(own or {}),
        }
        if said:
            text["harm"] = ", ".join(said)
        more: dict[str, Any] = {"replace": True} if again else {"npc": True} if npc else {}
        result = await flow.world.hand_in(
            flow.gina if again else who, "a.json", json.dumps(text), grown=True, **more
        )
        private(result)
        flow.done.append(f"{name}: {text}")
        return Person(
            name, {**values, **data, **harm, "adds": adds, "layers": sum(layers), "npc": npc}
        )

    async def enemy(self) -> Person:
        self.count += 1
        found = await self.bring(f"Thug {self.count}", self.flow.gina, npc=True)
        await self.flow.do(self.flow.gina, "gm npc reveal", npc=found.name)
        return found

    async def count_rounds(self, *others: Person) -> None:
        """Begin a round with these NPCs and a bystander in it, whose turn only a GM ends.

        So no action of the others is the last of the round, which would begin the next one.
        """
        flow, name = self.flow, f"Bystander {self.count}"
        self.count += 1
        await self.bring(name, flow.gina, npc=True, hurt=False)
        for who, command in ((flow.gina, "start"), (flow.ana, "join"), (flow.ben, "join")):
            await flow.do(who, f"initiative {command}")
        for each in (name, *(other.name for other in others)):
            await flow.do(flow.gina, "initiative add", name=each)
        await flow.do(flow.gina, "initiative next")
        self.fell()

    # --- what is told -----------------------------------------------------------------------------

    def fell(self) -> list[int]:
        """What fell since."""
        return [each.face for each in self.flow.dice.take()]

    async def stands(self, person: Person) -> None:
        """What their sheet says is what the referee has."""
        found = await sheet(self.flow.world, person.name)
        harm = found.harm
        said = (harm.wounds, harm.shock, harm.dead, found.life_points)
        mine = (person.wounds, person.shock, person.dead, person.points)
        self.flow.same(f"{person.name}'s wounds, shock, death, points", mine, said)
        if not person.dead:
            mine = (person.k > 0, person.down > 0, person.out)
            self.flow.same(
                f"{person.name}'s K, knockdown, out", mine, (harm.k > 0, harm.down > 0, harm.out)
            )
            if not person.out:
                self.flow.same(f"{person.name}'s O", person.o, harm.o)

    def verdict(self, head: str, total: int, number: int, value: int) -> None:
        flow = self.flow
        if total >= number:
            flow.holds(
                "a success",
                head,
                f"Success, {level(total - number)}: ",
                f"{minus(total)} against {minus(number)}",
            )
        else:
            critical = self.critical and number - total > value
            said = "Critical failure" if critical else "Failure"
            flow.holds("a failure", head, said, f"{minus(total)} against {minus(number)}")

    def missed(self, attacker: Person, skill: str, short: int) -> str:
        """What everybody reads of a miss that fell short by so much (MB-SUC-05)."""
        critical = self.critical and short > attacker.value(skill) and not attacker.npc
        return "Critical miss" if critical else "Miss"

    def rolled(self, text: str, dice: list[int], least: int = -99) -> int:
        """The bonus of these dice, and how a card says it."""
        got = max(least, bonus(sum(dice)))
        sign = f"+{got}" if got > 0 else minus(got)
        self.flow.holds("a roll", text, f"{len(dice)}d10", f"bonus {sign}, total **")
        return got

    async def check(self) -> None:
        """MB-DIE-01, MB-DIE-02, MB-SKL-01, MB-SKL-02, MB-DN-01, MB-SUC-01 to MB-SUC-05,
        MB-DMG-08.
        """
        flow = self.flow
        person = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        said, number = flow.pick([*RATINGS.items(), ("7", 7), ("20", 20)])
        name = flow.pick((*_SKILLS, *_ATTRIBUTES))
        before = await flow.moment() if flow.likely(0.2) else None
        given = {"attribute" if name in _ATTRIBUTES else "skill": name}
        await flow.do(flow.ana, "check", difficulty=said, approach="so", **given)
        faces = self.fell()
        dice = take_roll(faces, person.trained(name))
        flow.same("dice left", [], faces)
        text = await newest(flow.world)
        total = person.value(name) + person.worse(name) + self.rolled(text, dice)
        self.verdict(text.splitlines()[0], total, number, person.value(name))
        await self.stands(person)
        if before is not None:
            await flow.back(before)

    async def points(self) -> None:
        """MB-DIE-03, MB-DIE-06, MB-LP-01, MB-LP-02."""
        flow = self.flow
        await self.wait_for_points(10)
        person = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        other = self.boris = await self.bring("Boris", flow.ben, again=True)
        name, number = flow.pick(tuple(_SKILLS)), flow.pick((5, 8, 12))
        await flow.do(flow.ana, "check", difficulty=str(number), approach="so", skill=name)
        faces = self.fell()
        dice = take_roll(faces, person.trained(name))
        flow.same("dice left", [], faces)
        offer = f"Spend a Life Point: 2 more dice ({person.points} left)"
        panel = await flow.open(flow.ana, "React")
        flow.same("a point can be spent", person.points > 0, offer in labels(panel))
        if person.points:
            await flow.press(flow.ana, offer, panel)
            person.points -= 1
            canceled = other.points > 0 and flow.likely(0.4)
            if flow.likely(0.3):
                await flow.restart()
            if canceled:
                panel = await flow.open(flow.ben, "React")
                await flow.press(flow.ben, "Cancel it with one of your Life Points", panel)
                other.points -= 1
            elif flow.buttons("Pass", await flow.check()):  # nobody reads off who has points left
                await flow.press(flow.ben, "Pass")
            faces = self.fell()
            if not canceled:
                dice += take_added_dice(dice, faces, person.trained(name), self.scope)
            flow.same("dice left", [], faces)
        if " so far" in (await newest(flow.world)).splitlines()[0]:
            await flow.press(flow.ana, "Accept result", check=await flow.check())
        text = await newest(flow.world)
        total = person.value(name) + person.worse(name) + self.rolled(text, dice)
        self.verdict(text.splitlines()[0], total, number, person.value(name))
        await self.stands(person)
        await self.stands(other)
        await self.wait_for_points(0)

    async def contest(self) -> None:
        """MB-DN-02, MB-CMB-02, MB-CMB-03, MB-DIE-07."""
        flow = self.flow
        first = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        second = self.boris = await self.bring("Boris", flow.ben, again=True)
        mine, theirs = flow.pick((("Taunt", "Willpower"), ("Stealth", "Perception")))
        active = flow.likely(0.5)
        await flow.do(flow.ana, "contest", target="Boris", skill=mine, approach="so")
        panel = await flow.open(flow.ben, "Respond")
        while theirs not in flow.offered(panel, "Skill"):
            await flow.choose(flow.ben, panel, "Skill", ":more")
        await flow.choose(flow.ben, panel, "Skill", theirs)
        await flow.choose(flow.ben, panel, "Defense", "active" if active else "passive")
        if flow.likely(0.2):
            await flow.restart()
        await flow.press(flow.ben, "Respond", panel)
        faces = self.fell()
        dice = take_roll(faces, first.trained(mine))
        text = await newest(flow.world)
        total = first.value(mine) + first.worse(mine) + self.rolled(text, dice)
        number = second.value(theirs) + second.worse(theirs)
        if active:
            number += self.rolled(text, take_roll(faces, second.trained(theirs)), DEFENDING)
        flow.same("dice left", [], faces)
        self.verdict(text.splitlines()[0], total, number, first.value(mine))

    # --- talk -------------------------------------------------------------------------------------

    async def marks(self, name: str) -> set[str]:
        """What waits for somebody because of talk, or has cost the turn that came next.

        The turn of whoever talks ends by itself; a setback then takes the next one at once.
        """
        state = await self.flow.world.state()
        who = next(each.id for each in state.characters.values() if each.name == name)
        marks = state.own.get(f"marks:{who}")
        found = {each.key for each in marks.given} if marks is not None else set[str]()
        if "lost-turn" in found and not (await sheet(self.flow.world, name)).harm.out:
            found.add("setback")
        return found & {"stymied", "untrained", "setback", "break", "up"}

    async def talk(self) -> None:
        """MB-CMB-04, MB-INT-01, MB-INT-03, MB-INT-04, MB-INT-07 to MB-INT-09, MB-INT-11,
        MB-SKILL-WILLPOWER.
        """
        flow = self.flow
        first = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        second = self.boris = await self.bring("Boris", flow.ben, again=True)
        name = flow.pick(tuple(TALKS))
        kind = TALKS[name]
        before = await flow.moment()
        if kind.fights:
            await self.count_rounds()
        rows = flow.some(kind.rows, 2)
        groups = {"weakened": "position", "in control": "position", "helpless": "position"}
        if len({groups.get(row, row) for row, _ in rows}) < len(rows):
            rows = rows[:1]
        said = ", ".join(f"rows: {row}" for row, _ in rows)
        await flow.do(
            flow.ana,
            "mb interact",
            skill=name,
            target="Boris",
            approach="so",
            **{"with": said or None},
        )
        if flow.likely(0.2):
            await flow.restart()
        will = second.adds.get("Willpower", 0)
        by_will = will > 0 and second.value("Willpower") >= second.value(kind.other)
        resists = second.value("Willpower") if by_will else second.value(kind.other)
        resists += second.worse("Willpower" if by_will else kind.other)
        if not kind.fights:
            await flow.press(flow.gina, "Call for a roll", await flow.open(flow.gina, "Answer"))
            await flow.press(flow.ana, "Roll", check=await flow.check())
        panel = await flow.open(flow.ben, "Defend", check=await flow.check())
        assert labels(panel), flow.story(texts(panel))
        ways = [each for each in labels(panel) if each.startswith("Resist")]
        active = bool(ways) and flow.likely(0.4)
        await flow.press(flow.ben, ways[0] if active else "Pass", panel)
        faces = self.fell()
        dice = take_roll(faces, first.trained(name))
        text = await newest(flow.world)
        more = sum(number for _, number in rows)
        total = (
            first.value(name) + first.worse(name) + self.rolled(text, dice) + more * kind.attempt
        )
        number = resists + more * (not kind.attempt)
        if active:
            number += self.rolled(text, take_roll(faces, by_will), DEFENDING)
        flow.same("dice left", [], faces)
        self.verdict(text.splitlines()[0], total, number, first.value(name))
        theirs, mine = marked(name, total - number) if total >= number else (set[str](), set[str]())
        flow.same(f"marks of the target: {text}", theirs, await self.marks("Boris"))
        flow.same("marks of whoever talks", mine, await self.marks("Vesna"))
        await flow.back(before)
        await self.stands(second)

    # --- healing ----------------------------------------------------------------------------------

    async def healing(self) -> None:
        """MB-HEAL-01, MB-HEAL-02."""
        flow = self.flow
        self.vesna = await self.bring("Vesna", flow.ana, again=True)
        self.boris = await self.bring("Boris", flow.ben, again=True)
        person, medic = self.vesna, self.boris
        before = await flow.moment()
        if not person.wounds:
            told = await flow.refused(flow.ana, "heal", method="healing")
            flow.holds("nothing to heal", told, "No wounds to treat.")
            return
        if flow.likely(0.5):
            await flow.do(flow.ben, "heal", method="wounds", target="Vesna")
            faces = self.fell()
            dice = take_roll(faces, medic.trained(medic.aid))
            flow.same("dice left", [], faces)
            text = await newest(flow.world)
            total = medic.value(medic.aid) + medic.worse(medic.aid) + self.rolled(text, dice)
            number = AID[person.wounds]
            self.verdict(text.splitlines()[0], total, number, medic.value(medic.aid))
            harm = (await sheet(flow.world, "Vesna")).harm
            flow.same("patched up", total >= number, harm.aided)
            flow.same(
                "shock and K",
                (0, 0) if total >= number else (person.shock, person.k > 0),
                (harm.shock, harm.k if total >= number else harm.k > 0),
            )
        else:
            number, days = HEALING[person.wounds]
            await flow.refused(flow.ana, "heal", method="healing")
            await flow.do(flow.gina, "gm time", advance=f"{days} days")
            self.fell()
            await flow.do(flow.ana, "heal", method="healing")
            faces = self.fell()
            dice = take_roll(faces, True)
            flow.same("dice left", [], faces)
            text = await newest(flow.world)
            total = person.data["endurance"] + self.rolled(text, dice)
            self.verdict(text.splitlines()[0], total, number, person.data["endurance"])
            harm = (await sheet(flow.world, "Vesna")).harm
            flow.same("wounds", person.wounds - (total >= number), harm.wounds)
        await flow.back(before)
        await self.stands(person)

    # --- chances ----------------------------------------------------------------------------------

    async def odds(self) -> None:
        """MB-DN-04, MB-CMB-03, against every way in which dice can fall."""
        flow = self.flow
        value, number = flow.chance.randint(0, 15), flow.chance.randint(0, 25)
        trained, defended = flow.likely(0.6), flow.likely(0.4)
        given: dict[str, Any] = {"defense": number} if defended else {"dn": str(number)}
        if not trained:
            given["untrained"] = True
        text = flow.answer(await flow.do(flow.ana, "mb odds", value=value, **given))
        for label, point in (("as it is", False), ("with a Life Point", True)):
            exact = 100 * reached(
                value, number, trained=trained, point=point, scope=self.scope, defended=defended
            )
            found = re.search(rf"\*\*{label}:\*\* \D*?([\d.]+)%", text)
            assert found is not None, flow.story(text)
            flow.same(f"{label}: {exact}, {found[1]}%", True, abs(exact - float(found[1])) < 1)

    # --- moving -----------------------------------------------------------------------------------

    async def falls(self) -> None:
        """MB-FALL-01, MB-SKILL-ACROBATICS."""
        flow = self.flow
        person = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        meters, weight = flow.chance.randint(1, 3000), flow.chance.randint(1, 300)
        tumbles = flow.likely(0.5)
        before = await flow.moment() if flow.likely(0.3) else None
        more = {"acrobatics": True} if tumbles else {}
        await flow.do(flow.ana, "mb fall", meters=meters, weight=weight, **more)
        faces = self.fell()
        hard = landing(weight, meters, bonus(sum(take_roll(faces, False))))
        tough = person.data["toughness"] + min(person.data["layers"], 2)
        points = hard - tough
        text = await newest(flow.world)
        told = minus(points) if points else "no"
        flow.holds("a landing", text, f"{hard} against Toughness {tough}: {told} damage point")
        if tumbles and points >= 0:
            total = person.value("Acrobatics") + person.worse("Acrobatics")
            total += self.rolled(text, take_roll(faces, person.trained("Acrobatics")))
            self.verdict(text.splitlines()[0], total, 8, person.value("Acrobatics"))
            if total >= 8:
                points -= LEVELS.index(level(total - 8)) + 1
        flow.same("dice left", [], faces)
        person.hit(damage(points))
        await self.stands(person)
        if before is not None:
            await flow.back(before)

    async def moves(self) -> None:
        """MB-PSH-01, MB-CHAR-05, MB-SKILL-RUNNING, -SWIMMING, -LONG-JUMPING, -CLIMBING."""
        flow = self.flow
        person = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        way = flow.pick(WAYS)
        agile, strong = person.data["agility"], person.data["strength"]
        pace = rate(way.agile * agile + way.strong * strong, way.divisor, way.most)
        rows = flow.some(way.rows, 2)
        words, number = [each for each, _ in rows], pace + sum(each for _, each in rows)
        if way.how == "climbing":
            surface = flow.pick(tuple(SURFACES))
            words, number = [surface, *words], number - pace + SURFACES[surface] + CLIMBS
        before = await flow.moment() if flow.likely(0.3) else None
        await flow.do(flow.ana, "mb move", how=way.how, push=True, rows=", ".join(words) or None)
        faces = self.fell()
        dice = take_roll(faces, person.trained(way.skill))
        flow.same("dice left", [], faces)
        text = await newest(flow.world)
        total = person.value(way.skill) + person.worse(way.skill) + self.rolled(text, dice)
        self.verdict(text.splitlines()[0], total, number, person.value(way.skill))
        points, meters, shock = total - number, measure(pace), 0
        if points < 0 and way.how == "running":  # no less far than without a roll (MB-MOV-02)
            meters = max(meters, Fraction(2 * pace))
        if points >= 0:
            gain, shock = push_result(points)
            meters += measure(gain)
        elif -points >= way.missed:
            flow.holds("it went wrong", text, way.says)
            shock, person.down = way.shock, person.down or way.falls
            meters = meters if way.how == "running" else Fraction(0)
        elif not way.usual:
            flow.holds("no progress", text, "not enough")
            meters = Fraction(0)
        if meters:
            flow.holds(f"{way.how} {pace}, {points} points", text, f"s {float(meters):g} m")
        flow.same("shock is told", shock > 0, " shock" in text)
        person.hit(Result(shock=shock))
        await self.stands(person)
        if before is not None:
            await flow.back(before)

    async def lifts(self) -> None:
        """MB-LIFT-01, MB-VAL-02."""
        flow = self.flow
        person = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        mass = flow.chance.randint(20, 900)
        heavy, able = value_of(mass, up=True), person.data["strength"] - 3
        told = await flow.do(flow.ana, "mb move", mass=mass)
        if heavy <= able:
            flow.holds("light enough", flow.answer(told), "without a roll")
            return
        faces = self.fell()
        dice = take_roll(faces, person.trained("Lifting"))
        flow.same("dice left", [], faces)
        text = await newest(flow.world)
        total = person.value("Lifting") + person.worse("Lifting") + self.rolled(text, dice)
        self.verdict(text.splitlines()[0], total, heavy, person.value("Lifting"))
        gain, shock = push_result(total - heavy) if total >= heavy else (0, 0)
        flow.same("it is lifted", total >= heavy and able + gain >= heavy, "not enough" not in text)
        person.hit(Result(shock=shock))
        await self.stands(person)

    # --- attacks ----------------------------------------------------------------------------------

    async def mobs(self) -> None:
        """MB-CBN-01."""
        flow = self.flow
        target = self.boris = await self.bring("Boris", flow.ben, again=True)
        thug, weapon = await self.enemy(), flow.pick(BLADES)
        many = flow.chance.randint(2, 16)
        said = {"as": thug.name, "with": f"group: {many}", "weapon": weapon.name, "approach": "so"}
        await flow.do(flow.gina, "attack", target="Boris", **said)
        panel = await flow.open(flow.ben, "Defend")
        await flow.press(flow.ben, "Pass", panel)
        faces = self.fell()
        dice = take_roll(faces, thug.trained(weapon.skill))
        flow.same("dice left", [], faces)
        total = thug.value(weapon.skill) + thug.worse(weapon.skill) + bonus(sum(dice))
        number = target.value("Melee Parry") + target.worse("Melee Parry")
        hits, more = together(many, total, number)
        head = (await newest(flow.world)).splitlines()[0]
        if not hits:
            flow.holds(f"{total} against {number}", head, "Miss")
            return
        flow.holds(f"{hits} of {many}", head, f"{hits} of {many}")
        dv = thug.data["strength"] + weapon.add
        more = min(more, dv) if self.capped else more
        points = dv + more - target.data["toughness"] - target.data["layers"]
        result = damage(points, soft=weapon.soft and self.soft)
        told = result.text() or "no damage to Boris"
        flow.holds(f"{points} damage points", head, told)
        target.hit(result)
        await self.stands(target)

    async def close(self) -> None:
        """MB-CMB-01, MB-OPT-03, MB-OPT-05, MB-DMG-01, MB-DMO-01, MB-DMO-02."""
        flow = self.flow
        attacker = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        weapon = flow.pick(BLADES)
        options = flow.some(CLOSE, 2)
        if flow.likely(0.3):
            options.append(flow.pick(LOCATIONS))
        words: list[str] = []
        if flow.likely(0.2):
            words.append("range: 3")
            options.append(STEP_IN)
        dv = attacker.data["strength"] + weapon.add
        await self._attack(attacker, weapon.name, weapon.skill, dv, options, words, 0, weapon.soft)

    async def shoot(self) -> None:
        """MB-CMB-05, MB-EQ-01 to MB-EQ-04, MB-OPT-01, MB-COV-01."""
        flow = self.flow
        attacker = self.vesna = await self.bring("Vesna", flow.ana, again=True)
        gun = flow.pick(GUNS)
        meters = flow.chance.randint(0, gun.ends[flow.chance.randint(0, 4)])
        way = flow.pick((None, *gun.ways))
        options = [way] if way else []
        if flow.likely(0.3):
            options.append(flow.pick(LOCATIONS))
        reach = accuracy(gun, meters, way)
        hidden = flow.pick((*CONCEALED, "", "", ""))
        wall = flow.pick(tuple(COVERED)) if hidden else ""
        words = [f"range: {meters}"] + [f"concealment: {hidden}", f"cover: {wall}"] * bool(hidden)
        await self._attack(
            attacker, gun.name, "Fire Combat", gun.dv, options, words, reach, False, (hidden, wall)
        )
        spent = {None: 5 if gun.bursts else 1, SELECTED: 1, SINGLE: 1}.get(way, 0)
        if way is not None and not spent:
            spent = 2 if way.said == "single as multi" else _MAGAZINE
        if not self.undone:
            arms = {each.name: each.rounds for each in (await sheet(flow.world, "Vesna")).arms}
            flow.same("ammunition", _MAGAZINE - spent, arms[gun.name])

    async def _attack(
        self,
        attacker: Person,
        weapon: str,
        skill: str,
        dv: int,
        options: list[Option],
        words: list[str],
        reach: int,
        soft: bool,
        wall: tuple[str, str] = ("", ""),
    ) -> None:
        flow = self.flow
        person = flow.likely(0.6)
        lowering = person and flow.likely(0.4)
        if lowering:
            await self.wait_for_points(10)
        target = await self.bring("Boris", flow.ben, again=True) if person else await self.enemy()
        before = await flow.moment() if flow.likely(0.2) else None
        said = ", ".join([*words, *(each.said for each in options)])
        await flow.do(
            flow.ana,
            "attack",
            target=target.name,
            weapon=weapon,
            approach="so",
            **{"with": said or None},
        )
        parry = "Dodge" if skill == "Fire Combat" else "Melee Parry"
        active = False
        if person:
            if flow.likely(0.2):
                await flow.restart()
            panel = await flow.open(flow.ben, "Defend")
            active = flow.likely(0.5)
            wanted = "Active" if active else "Pass"
            found = [each for each in labels(panel) if each.startswith(wanted)]
            label = next((each for each in found if not active or parry in each), found[0])
            if active:
                flow.holds(
                    "a defense",
                    label.replace("\u2212", "-"),
                    f"{parry} {target.value(parry) + target.worse(parry)}",
                )
            await flow.press(flow.ben, label, panel)
        faces = self.fell()
        dice = take_roll(faces, attacker.trained(skill))
        total = (
            attacker.value(skill)
            + attacker.worse(skill)
            + reach
            + sum(each.attack for each in options)
        )
        total += bonus(sum(dice))
        defense = target.value(parry) + target.worse(parry)
        if active:
            defense += max(DEFENDING, bonus(sum(take_roll(faces, target.trained(parry)))))
        flow.same("dice left", [], faces)
        hidden, cover = wall
        whole = defense + CONCEALED.get(hidden, 0)
        number = whole if total >= whole else defense
        hit = total >= number
        if lowering:
            for who in (flow.ana, flow.ben) * 2:
                head = (await newest(flow.world)).splitlines()[0]
                if " so far" in head and not any(
                    each in head for each in ("unless changed", "no damage")
                ):
                    await flow.press(who, "Accept result", check=await flow.check())
        text = await newest(flow.world)
        head = text.splitlines()[0]
        flow.holds(f"{total} against {defense} and {whole}", text, f"total **{minus(total)}**")
        known = person or active  # how hard an NPC is to hit that does nothing only GMs read
        missed = self.missed(attacker, skill, defense - total if known else 0)
        flow.holds(f"an attack {text}", head, "Hit" if hit else missed)
        if hit:
            through = total < whole
            points = 0 if through and self.behind == "zero" else total - number
            more = points + sum(each.damage for each in options)
            if self.capped:
                more = min(more, dv)
            points = dv + more - target.data["toughness"] - target.data["layers"]
            points -= COVERED.get(cover, 0) if through else 0
            result = damage(points, tripping=TRIPPING in options, soft=soft and self.soft)
            flow.same(f"through cover: {head}", through, "through cover" in head)
            if person:
                told = result.text() or "no damage to Boris"
                flow.holds(f"{points} damage points", head, told)
            if (
                lowering
                and result.text()
                and target.points
                and flow.buttons("React", await flow.check())
            ):
                result = await self.lower(target, result)
            elif lowering and " so far" in head:
                await flow.press(flow.ben, "Pass", check=await flow.check())
            target.hit(result)
            if not person:
                told = f"{target.name} is {target.condition}"
                flow.holds("an NPC", head, told if result.text() else f"no damage to {target.name}")
        await self.stands(attacker)
        await self.stands(target)
        self.undone = before is not None
        if before is not None:
            await flow.back(before)
        if lowering:
            await self.wait_for_points(0)

    async def lower(self, target: Person, result: Any, who: Any = None) -> Any:
        """MB-LP-03: the character's player lowers damage; Ben, unless said."""
        flow = self.flow
        who = who or flow.ben
        panel = await flow.open(who, "React")
        label = f"Spend a Life Point ({target.points} left): take off up to 3 pieces of damage"
        await flow.press(who, f"{label}…", panel)
        name = "What to take off"
        menu = name if flow.offered(panel, name) else "All the rest"
        offers = flow.offered(panel, menu)
        mine = [each for each in offers if each.startswith("packages: ")]
        letters = len(result.letter.replace("/", "")) if result.letter != "K/O" else 1
        # Of what is alike no more than a point takes off.
        count = min(3, result.wounds) + min(3, -(-result.shock // 3)) + letters + result.knockdown
        flow.same(f"packages of {result}: {offers}", count, len(mine))
        amounts = [each.removeprefix("packages: ").split(":") for each in mine]
        chosen, gone = list[str](), list[str]()
        for at in flow.chance.sample(range(len(mine)), len(mine)):
            what, number = amounts[at]
            if what not in gone and len(gone) + int(number) <= 3:
                chosen.append(mine[at])
                gone += [what] * int(number)
        await flow.choose(who, panel, menu, *chosen)
        await flow.press(who, label, panel)
        target.points -= 1
        return without(result, gone)


KINDS: Final[dict[str, Callable[[Referee], Awaitable[None]]]] = {
    "checks": Referee.check,
    "points": Referee.points,
    "contests": Referee.contest,
    "close": Referee.close,
    "shots": Referee.shoot,
    "talk": Referee.talk,
    "healing": Referee.healing,
    "odds": Referee.odds,
    "falls": Referee.falls,
    "moves": Referee.moves,
    "lifts": Referee.lifts,
    "mobs": Referee.mobs,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_bot_and_the_referee_agree(kind: str) -> None:
    agree(Referee, KINDS, kind)
