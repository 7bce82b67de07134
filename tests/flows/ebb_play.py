"""EBB played through the commands, each step held against the referee's own arithmetic
(tests/flows/ebb_referee.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypeVar

from simcord.actors import MemberActor

from tests.discord.world import labels, menu, menus, message_of, texts
from tests.flows.ebb_referee import (
    GROUPS,
    LADDER,
    REROLL,
    SHIFTS,
    STEP,
    Person,
    Throw,
    grown_person,
    new_person,
    odds,
    shifted,
)
from tests.flows.flow_table import Flow

T = TypeVar("T")
ROLL, YARDSTICK, FREE, IMPOSSIBLE = (
    "Call for a roll",
    "Roll how well",
    "Grant success",
    "Impossible",
)
NPC, MOOK = "Sidor", "Rat"

# --- what cards say -------------------------------------------------------------------------------

_LINE: Final = re.compile(
    r"(?m)^(?:(?P<who>[^:\n(]+): )?(?P<terms>\d*d\d+ \(.*) = \*\*(?P<total>[−-]?\d+)\*\*$"
)
_TERM: Final = re.compile(
    r"(?:^| ([+−]) )(?:\d*d(\d+) \(([\d, →]+)\)|([^+−(]+?) (\d+))(?= [+−] |$)"
)
_PERCENT: Final = re.compile(r"(\d+(?:\.\d+)?)%")


class Line(NamedTuple):
    """A line of dice on a card: faces of the main die and of the ability die, numbers beside them,
    and the total.
    """

    main: list[int]
    ability: list[int]
    added: int
    total: int


def _number(text: str) -> int:
    return int(text.replace("−", "-"))


def lines(text: str) -> dict[str, Line]:
    """The lines of dice by who rolled them."""
    found: dict[str, Line] = {}
    for match in _LINE.finditer(text):
        dice: list[list[int]] = []
        added = 0
        for sign, sides, faces, _, value in _TERM.findall(match["terms"]):
            if sides:
                dice.append([int(each) for each in re.split(", |→", faces)])
            else:
                added += -int(value) if sign == "−" else int(value)
        found[match["who"] or ""] = Line(
            dice[0], (dice[1:] or [[]])[0], added, _number(match["total"])
        )
    return found


def numbers(total: int, number: int | str) -> str:
    """`−1 against 10`."""
    return f"{total} against {number}".replace("-", "−")


def head(text: str) -> str:
    return text.partition("\n")[0]


# --- a side of a check ----------------------------------------------------------------------------


@dataclass
class Side:
    """What somebody rolls with: what they chose, what the GM made of it."""

    person: Person
    skill: str | None
    attribute: str | None
    says: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])
    modifier: int = 0

    @property
    def die(self) -> int | None:
        return (
            None
            if self.skill is None or "ability" in self.refused
            else self.person.dice[self.skill]
        )

    @property
    def counted(self) -> str | None:
        """The attribute that is added: EBB-ROLL, EBB-DRAWBACK."""
        lost = "attribute" in self.refused or "drawback" in self.says
        return None if lost else self.attribute

    @property
    def value(self) -> int:
        return 0 if self.counted is None else self.person.value(self.counted)

    @property
    def levels(self) -> int:
        return sum(SHIFTS[each] for each in self.says)

    @property
    def opposed_bonus(self) -> int:
        """EBB-OPPOSED: with nothing to shift, a level is a step of the ladder on the total (the
        project's reading).
        """
        return self.modifier - STEP * self.levels


@dataclass
class Ruling:
    """What the GM said to a proposal, and what it is rolled with then. `luck` is what luck would
    cost, if said.
    """

    how: str
    side: Side
    threshold: int = 0
    hidden: bool = False
    urgent: bool = False
    luck: str | None = None


class Referee:
    """The table's people as they have to be, and what is held against the bot."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.people: dict[str, Person] = {}
        self.owners: dict[str, MemberActor] = {}
        self.window = not flow.likely(0.3)
        self.npcs_roll = flow.likely(0.2)
        self.gm_channel = flow.likely(0.3)

    async def begin(self) -> None:
        """A table with Ana's Marek, Ben's Ilka, an NPC with a sheet and one without."""
        flow = self.flow
        await flow.world.setup(gm_channel=self.gm_channel)
        for name, owner in (("Marek", flow.ana), ("Ilka", flow.ben), (NPC, flow.gina)):
            grown = flow.likely(0.6)
            person = (grown_person if grown else new_person)(
                flow.chance, name, flow.pick((0, 1, 3, 25))
            )
            self.people[name], self.owners[name] = person, owner
            await self.hand_in(owner, person.file(), grown=grown, npc=True if name == NPC else None)
        await flow.do(flow.gina, "gm npc reveal", npc=NPC)
        await flow.do(flow.gina, "gm npc add", name=MOOK, stage="revealed")
        await flow.do(flow.gina, "gm settings", step_in_minutes=60 if self.window else 0)
        # So that every prompt can be looked at.
        await flow.do(flow.gina, "gm settings", wait_for_everybody=True)
        if self.npcs_roll:
            await flow.do(flow.gina, "gm settings", setting="npc_rolls", value="on")
        if flow.likely(0.5):
            await flow.do(flow.pick((flow.ana, flow.ben)), "table plain", on=True)
        await self.settled()

    async def hand_in(self, who: MemberActor, data: Any, **options: Any) -> Any:
        given = {key: value for key, value in options.items() if value}
        return await self.flow.do(
            who, "character import", file=("x.json", json.dumps(data).encode()), **given
        )

    @property
    def players(self) -> list[Person]:
        return [self.people["Marek"], self.people["Ilka"]]

    def owner(self, person: Person) -> MemberActor:
        return self.owners[person.name]

    # --- held against the bot ---------------------------------------------------------------------

    async def settled(self, *people: Person) -> None:
        """EBB-CHAR: sheets are as they have to be, all unless some are named."""
        for person in people or self.people.values():
            found = await self.flow.sheet(person.name)
            for key, value in person.state().items():
                self.flow.same(f"{key} of {person.name}", value, found[key])
            self.flow.same("drawbacks", person.drawbacks, found["drawbacks"])
            abilities = {each["name"]: (each["group"], each["die"]) for each in found["abilities"]}
            expected = {name: (person.groups[name], f"d{die}") for name, die in person.dice.items()}
            self.flow.same("abilities", expected, abilities)
            self.flow.same(
                "attributes", {each: person.base(each) for each in GROUPS}, found["attributes"]
            )
        self.flow.met.add("EBB-CHAR")

    async def shown(self, person: Person) -> None:
        """What `/character show` says of attributes and Fate."""
        text = (await self.flow.shown(person.name, self.owner(person))).replace("**", "")
        for group in GROUPS:
            base, value = person.base(group), person.value(group)
            told = re.search(rf"(?m)^{group} (\d+)(?: of (\d+))?(?::.*|$)", text)
            assert told, text
            self.flow.same(
                f"{group} on the sheet", (value, base), (int(told[1]), int(told[2] or told[1]))
            )
        self.flow.holds("Fate on the sheet", text, f"Fate: {person.fate or 'no'} point")
        for name, die in person.dice.items():
            self.flow.holds("the sheet", text, f"{name} d{die}")

    async def step(self, act: Callable[[], Awaitable[T]]) -> T:
        """Something done; now and then after a restart, or done, taken back, and done again with
        fresh dice.
        """
        if self.flow.likely(0.04):
            await self.flow.restart()
        if self.flow.likely(0.07):
            before = await self.flow.moment()
            people = deepcopy(self.people)
            await act()
            if await self.flow.world.revision() > before.revision:
                await self.flow.back(before)
            for name, person in self.people.items():
                person.__dict__.update(people[name].__dict__)
        return await act()

    # --- choosing ---------------------------------------------------------------------------------

    def side(self, person: Person, says: list[str] | None = None) -> Side:
        """What somebody rolls with, at random."""
        pick = self.flow.pick
        skill = pick((None, *person.dice)) if self.flow.likely(0.9) else None
        attribute = pick((None, *GROUPS)) if self.flow.likely(0.5) else self._fitting(person, skill)
        return Side(person, skill, attribute, self.says() if says is None else says)

    def _fitting(self, person: Person, skill: str | None) -> str | None:
        return None if skill is None else person.groups[skill]

    def says(self, among: list[str] | None = None) -> list[str]:
        """Some of what shifts a task; each of its kinds once at most."""
        if self.flow.likely(0.5):
            return []
        found: dict[str, str] = {}
        for each in self.flow.some(among if among is not None else list(SHIFTS), 3):
            found[each.partition(":")[0]] = each
        return list(found.values())

    async def fill(self, who: MemberActor, panel: Any, side: Side, **typed: str) -> None:
        """Say in a panel with what somebody rolls."""
        for placeholder, value in (("Skill", side.skill), ("Attribute", side.attribute)):
            if value is not None:
                await self.flow.choose(who, panel, placeholder, value)
        if side.says:
            await self.flow.choose(who, panel, "All the rest", *side.says)
        if typed:
            await self.flow.write(who, panel, **typed)

    # --- rolls ------------------------------------------------------------------------------------

    def thrown(self, *sides: tuple[Side, int]) -> list[Throw]:
        """EBB-ROLL: what fell for these sides, each with its bonus, in this order; nothing else
        fell.
        """
        fell = iter(self.flow.dice.take())
        found = [Throw.read(fell, side.die, side.value, bonus) for side, bonus in sides]
        self.flow.same("dice too many", [], list(fell))
        self.flow.met.add("EBB-ROLL")
        return found

    def told(self, text: str, who: str, throw: Throw) -> None:
        """The line of dice on a card."""
        found = lines(text)
        line = found.get(who) or found[""]
        self.flow.same("main die", throw.main, line.main)
        self.flow.same("ability die", throw.ability, line.ability)
        self.flow.same("attribute and bonus", throw.attribute + throw.bonus, line.added)
        self.flow.same("total", throw.total, line.total)

    def verdict(self, text: str, throw: Throw, ruling: Ruling) -> None:
        """EBB-ROLL, EBB-CRIT, EBB-FAIL: the head of a card of a roll against a number."""
        flow, said, threshold, hidden = self.flow, head(text), ruling.threshold, ruling.hidden
        if ruling.how == YARDSTICK:
            flow.holds("it cannot fail", said, "✓ It succeeds")
            return
        verdict = throw.verdict(threshold)
        if hidden and verdict in ("Near miss", "Clear failure"):
            flow.holds("the verdict", said, "Failure")
            flow.lacks("the verdict", said, "Near", "Clear", "extra")
        else:
            flow.holds("the verdict", said, verdict)
        extra = throw.extra(threshold) if verdict == "Success" else 0
        if not hidden:
            found = re.search(r"(\d+) extra result", said)
            flow.same("extra results", extra, int(found[1]) if found else 0)
        flow.same("a sign", "✓" if verdict == "Success" else "✗", said[3])
        if verdict in ("Success", "Near miss", "Clear failure"):
            shown = "a hidden difficulty" if hidden else str(threshold)
            flow.holds("the numbers", said, numbers(throw.total, shown))
        if not hidden:
            self.failure(text, verdict, ruling.urgent)
        flow.met |= {"EBB-ROLL", "EBB-CRIT" if verdict == "Success" else "EBB-FAIL"}

    def failure(self, text: str, verdict: str, urgent: bool) -> None:
        """EBB-FAIL: what a failure leaves."""
        notes = {
            "It has some effect.": verdict == "Near miss" and not urgent,
            "This way doesn't work now.": verdict == "Clear failure" and not urgent,
            "The chance is lost.": verdict != "Success" and urgent,
            "complication": verdict == "Fumble",
        }
        for note, due in notes.items():
            (self.flow.holds if due else self.flow.lacks)("what follows", text, note)

    def can_reroll(self, side: Side) -> bool:
        """EBB-FATE."""
        return side.die is not None and side.person.fate >= REROLL

    def decides(self, side: Side, *, own: bool, hidden: bool = False, hurt: bool = False) -> bool:
        """Whether somebody is waited for who has lost, where nobody has time to step in."""
        if not self.can_reroll(side) or side.person.name == NPC:
            return False
        if hurt:  # with Fitness they choose about their die with the hit
            return side.person.value("Fitness") < 1
        return hidden or not own

    async def reroll(self, check: str, side: Side, throw: Throw) -> Throw:
        """EBB-FATE: the ability die again, for a point."""
        flow, owner = self.flow, self.owner(side.person)
        again = deepcopy(throw)
        if flow.likely(0.4):
            await flow.do(owner, "spend", what="reroll", check=check, **self.as_(side.person))
        else:
            panel = await flow.open(owner, "React", check=check)
            label = f"Re-roll d{side.die}"
            price = f"Re-roll the d{side.die} for {REROLL} of your {side.person.fate} Fate"
            flow.holds("the price", texts(panel), price)
            await flow.press(owner, label, panel)
        (fell,) = flow.dice.take()
        again.again(fell)
        side.person.fate -= REROLL
        flow.met.add("EBB-FATE")
        return again

    def as_(self, person: Person) -> dict[str, Any]:
        return {"as": person.name} if self.owner(person) is self.flow.gina else {}

    # --- the GM's answer --------------------------------------------------------------------------

    async def rule(
        self,
        check: str,
        proposed: Side,
        suggested: str = "",
        *,
        panel: Any = None,
        among: tuple[str, ...] = (ROLL,) * 8 + (YARDSTICK, FREE, IMPOSSIBLE),
    ) -> Ruling:
        """The GM's answer to a proposal against a number, perhaps one that was suggested."""
        flow = self.flow
        gina = flow.gina
        panel = panel if panel is not None else await flow.open(gina, "Answer", check=check)
        ruling = Ruling(flow.pick(among), replace(proposed))
        side = ruling.side
        if f"{ROLL}…" in labels(panel):
            panel = message_of(await flow.press(gina, f"{ROLL}…", panel))
        if not suggested or flow.likely(0.5):
            suggested = flow.pick((*LADDER, str(flow.chance.randint(4, 30))))
            if suggested in LADDER:
                await flow.choose(gina, panel, "Difficulty", suggested)
            else:
                await flow.write(gina, panel, difficulty=suggested)
        if flow.likely(0.2):
            side.modifier = flow.chance.randint(-6, 6)
            await flow.write(gina, panel, modifier=str(side.modifier))
        if flow.likely(0.5):
            ruling.hidden = flow.likely(0.3)
            await self._judged(panel, ruling, ["hidden"] * ruling.hidden)
        if flow.likely(0.15) and not side.counted:
            ruling.luck = flow.pick(GROUPS)
            await flow.choose(gina, panel, "Sacrifice", ruling.luck)
        ruling.threshold = shifted(LADDER.get(suggested) or int(suggested), side.levels)
        self._chances(panel, side)
        if f"{ruling.how}…" in labels(panel):
            panel = message_of(await flow.press(gina, f"{ruling.how}…", panel))
        await flow.press(gina, ruling.how, panel)
        flow.met |= {"EBB-LADDER", "EBB-PROPOSAL"}
        flow.met |= {"EBB-SHIFT"} if side.levels else set()
        flow.met |= {"EBB-DRAWBACK"} if "drawback" in side.says else set()
        return ruling

    async def _judged(self, panel: Any, ruling: Ruling, more: list[str]) -> None:
        """What the GM makes of a proposal: this, and nothing of what was proposed."""
        flow, side = self.flow, ruling.side
        side.says = self.says()
        chosen = ["ability"] * (side.skill is not None) + ["attribute"] * (
            side.attribute is not None
        )
        side.refused = flow.some(chosen) if flow.likely(0.4) else []
        ruling.urgent = flow.likely(0.3)
        more = [
            *side.says,
            *(f"disallow: {each}" for each in side.refused),
            *more,
            *["urgent"] * ruling.urgent,
        ]
        if more or menus(panel, "All the rest"):
            await flow.choose(flow.gina, panel, "All the rest", *more)

    async def rule_opposed(self, check: str, proposed: Side) -> tuple[Ruling, int]:
        """The GM's answer where both sides roll, and what the other side gets."""
        flow, against = self.flow, 0
        panel = await flow.open(flow.gina, "Answer", check=check)
        ruling = Ruling(ROLL, replace(proposed))
        if flow.likely(0.4):
            ruling.side.modifier, against = flow.chance.randint(-4, 4), flow.chance.randint(-4, 4)
            typed = {"modifier": str(ruling.side.modifier), "against": str(against)}
            await flow.write(flow.gina, panel, **typed)
        if flow.likely(0.4):
            await self._judged(panel, ruling, [])
        await flow.press(flow.gina, ROLL, panel)
        return ruling, against

    def _chances(self, panel: Any, side: Side) -> None:
        """The odds beside each level in a menu."""
        for option in menu(panel, "Difficulty")["options"]:
            found = re.fullmatch(r"(?:Difficulty: )?([\w +]+) \((\d+)\) · (.+)", option["label"])
            if found:
                self.flow.same("a level", LADDER[found[1]], int(found[2]))
                exact = odds(
                    side.die, side.value + side.modifier, shifted(LADDER[found[1]], side.levels)
                )
                self.chance_told(f"odds of {found[1]}", exact["success"], found[3])

    def chance_told(self, what: str, exact: Any, told: str, places: int = 0) -> None:
        """A chance in the words of the bot is the exact one, rounded to so many places."""
        self.flow.compared += 1
        percent = float(100 * exact)
        number = _PERCENT.search(told)
        assert number, (what, told)
        told_percent = float(number[1])
        if "under" in told:
            fits = 0 < percent < told_percent
        elif "over" in told:
            fits = told_percent < percent < 100
        else:
            fits = abs(told_percent - percent) <= 0.5 * 10**-places + 1e-9
        assert fits, self.flow.story(f"{what}: {percent} told as {told!r}")
