"""Random games of Barmore's dice pool through the commands, counted again by a referee of their
own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

import pytest

from tests.discord.world import labels, message_of, selected_values, texts
from tests.flows import barmore_referee as referee
from tests.flows.barmore_referee import (
    DICE,
    NOTHING,
    USUAL,
    Armor,
    Outcome,
    Pace,
    Pool,
    Row,
    Throw,
    Trait,
    Weapon,
    Wound,
)
from tests.flows.flow_table import Die, Flow, meeting

ABILITIES: Mapping[str, str | None] = {
    "Fighting": None,
    "Blades": "Fighting",
    "Sword": "Blades",
    "Rapier": "Sword",
    "Knives": "Blades",
    "Brawling": "Fighting",
    "Water": None,
    "Boats": "Water",
    "Barges": "Boats",
    "Swimming": "Water",
    "Healing": None,
    "First Aid": "Healing",
    "Talk": None,
}
ATTRIBUTES: Mapping[str, str | None] = {
    "Body": None,
    "Strength": "Body",
    "Muscle Power": "Strength",
    "Toughness": "Body",
    "Physical Threshold": "Toughness",
    "Immune System": "Body",
    "Stamina": "Body",
    "Speed": "Body",
    "Reaction Time": "Body",
    "Mind": None,
    "Wits": "Mind",
    "Mental Threshold": "Mind",
}
ACTIVITIES = {"Body": "physical", "Mind": "mental"}
_KEYS: Sequence[str] = (
    "from",
    "name",
    "penalty",
    "other_penalty",
    "healing_days",
    "mental_healing_days",
)
#: Wound charts: that which comes with the bot, and one whose kinds heal at different rates.
CHARTS: tuple[tuple[tuple[Any, ...], ...], ...] = (
    (
        (1, "Scratch", 0, 0, 1, 1),
        (2, "Light", 1, 0, 7, 7),
        (4, "Moderate", 2, 0, 21, 21),
        (6, "Serious", 3, 1, 60, 60),
        (8, "Critical", 5, 2, 120, 120),
        (10, "Mortal", None, None, 240, 240),
    ),
    ((1, "Sore", 1, 0, 3, 2), (3, "Broken", 2, 1, 40, 30), (9, "Sinking", None, None, 200, 90)),
)
#: Kinds of damage, "" for one that has none.
DAMAGE = ("", "cutting", "piercing")
#: Who plays whom. The last two are NPCs, the very last without scores.
PLAYERS = {"Marek": "ana", "Ilka": "ben"}
SIDOR, RAT = "Sidor", "Rat"


# --- the table as the referee knows it ------------------------------------------------------------


@dataclass
class Person:
    """A character as the referee keeps it."""

    name: str
    who: str
    abilities: dict[str, int] = field(default_factory=dict)
    attributes: dict[str, int] = field(default_factory=dict)
    weapons: dict[str, Weapon] = field(default_factory=dict)
    armour: list[Armor] = field(default_factory=list)
    wounds: dict[int, Wound] = field(default_factory=dict)
    last: int = 0

    def score(self, attribute: str) -> int:
        """An attribute that the rules name."""
        return referee.looked_up(ATTRIBUTES, self.attributes, attribute).score

    @property
    def healing(self) -> dict[str, int]:
        return {kind: self.score(name) for kind, name in referee.HEALS_BY.items()}

    @property
    def minor(self) -> bool:
        """An NPC without scores never rolls."""
        return self.who == "gina" and not self.abilities and not self.attributes

    def hurt(self, wound: Wound | None) -> None:
        if wound is not None:
            self.last += 1
            self.wounds[self.last] = wound


@dataclass
class Table:
    """What changes in a flow."""

    people: dict[str, Person]
    chart: tuple[Row, ...]
    phobes: bool = True

    def penalty(self, name: str, activity: str) -> int | None:
        return referee.penalties(self.chart, self.people[name].wounds.values(), activity)

    def out(self, name: str) -> bool:
        """Whether somebody can do nothing at all."""
        return None in (self.penalty(name, "physical"), self.penalty(name, "mental"))

    def wait(self, minutes: int) -> None:
        """The story's time passes."""
        for each in self.people.values():
            left = {
                number: referee.later(self.chart, [wound], each.healing, minutes)
                for number, wound in each.wounds.items()
            }
            each.wounds = {number: wounds[0] for number, wounds in left.items() if wounds}


@dataclass(frozen=True)
class Wish:
    """What somebody says they roll with."""

    skill: str | None = None
    attribute: str | None = None
    die: str | None = None
    phobe: bool = False
    convert: int = 0
    supports: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    pace: Pace = USUAL
    modifier: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """As they are typed after `with`, or chosen in a menu."""
        return (
            *([f"die: {self.die}"] if self.die else ()),
            *(["no dice"] if self.phobe else ()),
            *([f"convert: {self.convert}"] if self.convert else ()),
            *(f"support: {each}" for each in self.supports),
            *(f"use: {each}" for each in self.uses),
            *pace_words(self.pace),
        )

    @property
    def options(self) -> dict[str, Any]:
        """As a command's options."""
        return {
            "skill": self.skill,
            "attribute": self.attribute,
            "with": ", ".join(self.words) or None,
            "modifier": self.modifier or None,
        }


def pace_words(pace: Pace) -> list[str]:
    names = {
        "halvings": "halvings",
        "doublings": "doublings",
        "saved": "phases saved",
        "extra": "phases extra",
    }
    return [f"{word}: {count}" for key, word in names.items() if (count := getattr(pace, key))]


def activity(attribute: str | None) -> str:
    """What hinders it: of nothing named, the body's."""
    return "physical" if attribute is None else ACTIVITIES[referee.root(ATTRIBUTES, attribute)]


def traits(person: Person, wish: Wish, refused: Iterable[str] = ()) -> tuple[Trait, Trait]:
    """What counts of somebody's traits: what the GM refused to let stand in does not."""
    found: list[Trait] = []
    for key, tree, scores, wanted in (
        ("ability", ABILITIES, person.abilities, wish.skill),
        ("attribute", ATTRIBUTES, person.attributes, wish.attribute),
    ):
        among = referee.stand_ins(tree, scores, wanted)
        named = [each for each in wish.uses if each in among] or (among if len(among) == 1 else [])
        claimed = named[0] if named and key not in refused else None
        found.append(referee.looked_up(tree, scores, wanted, claimed))
    return found[0], found[1]


def claims(person: Person, wish: Wish) -> list[str]:
    """What the GM accepts or refuses of it, each by its word."""
    ability, attribute = traits(person, wish)
    supports = [
        f"support{number if number > 1 else ''}" for number in range(1, len(wish.supports) + 1)
    ]
    return [
        *(["ability"] if ability.claimed else ()),
        *(["attribute"] if attribute.claimed else ()),
        *supports,
        *(["time"] if wish.pace != USUAL else ()),
    ]


def made(
    table: Table,
    name: str,
    wish: Wish,
    refused: Iterable[str] = (),
    granted: int | None = None,
    pace: Pace = USUAL,
) -> Pool:
    """Somebody's pool; `granted` is the GM's word on the modifier that was asked for, `pace` what
    the GM sets.
    """
    person = table.people[name]
    ability, attribute = traits(person, wish, refused)
    supported = [
        person.abilities[each]
        for number, each in enumerate(wish.supports, 1)
        if f"support{number if number > 1 else ''}" not in refused
    ]
    own = USUAL if "time" in refused else wish.pace
    return referee.pool(
        ability.score,
        attribute.score,
        supports=supported,
        wounds=table.penalty(name, activity(wish.attribute)) or 0,
        modifiers=(wish.modifier if granted is None else granted,),
        pace=own if pace == USUAL else pace,
        convert=wish.convert,
    )


# --- what is told ---------------------------------------------------------------------------------

_DICE = (
    r"(\d+) Add D\w+"
    r"(?:, (?P<bonus>\d+) Bonus D\w+ and (?P<penalty>\d+) Penalty D\w+"
    r"| and (?P<count>\d+) (?P<sign>Bonus|Penalty) D\w+)?"
)
_POOL = re.compile(rf"^Pool: {_DICE}\.$", re.M)
_HEAD = re.compile(
    r"## (?:[✓✗] )?(?P<word>[A-Z][a-z ]+?)(?:, level (?P<level>\d+))?"
    r"(?:: [A-Z][^()]*?)?"
    r"(?:[:,]? \(?(?P<total>−?\d+) against (?P<number>−?\d+|a hidden \w+)\)?)?$"
)
_THROW = re.compile(r"(\d*)d(\d+) \(([^)]*)\)(?: ([−+]) (\d+))? = \*\*(−?\d+)\*\*")
_COUNTED = re.compile(r"no dice = \*\*(−?\d+)\*\*")
_WAY = re.compile(
    r"(?<![\w-])(d8|d10-1|d12-2|d6\+1|d4\+2|No dice)(?: \(total (?:minus )?\d+\))?"
    r": ([^.]*(?:\.\d[^.]*)*)"
)
_SHARE = re.compile(r"(?:(level \d|failure|botch)\+? )?(under |over )?([\d.]+)%")
_MEAN = re.compile(r"average ((?:minus )?[\d.]+), ")


def number(text: str) -> int:
    return int(text.replace("−", "-"))


def pool_told(text: str) -> tuple[int, int] | None:
    """Add Dice, and Bonus (Penalty: below 0) Dice; None where no pool is told."""
    found = _POOL.search(text)
    if found is None:
        return None
    count = int(found["count"] or 0)
    left = count if found["sign"] == "Bonus" else -count
    return int(found[1]), left + int(found["bonus"] or 0) - int(found["penalty"] or 0)


def throws_told(text: str) -> list[tuple[Any, ...]]:
    """Of each throw: its sides, what is kept and dropped of the faces, its total."""
    found: list[tuple[int, tuple[Any, ...]]] = []
    for each in _THROW.finditer(text):
        faces = each[3].split(", ")
        kept = sorted(int(face) for face in faces if "~" not in face)
        dropped = sorted(int(face.strip("~")) for face in faces if "~" in face)
        assert len(faces) == int(each[1] or 1)
        found.append((each.start(), (int(each[2]), kept, dropped, number(each[6]))))
    found += [(each.start(), (0, [], [], number(each[1]))) for each in _COUNTED.finditer(text)]
    return [throw for _, throw in sorted(found)]


def throw_of(throw: Throw, die: str) -> tuple[Any, ...]:
    """A throw as `throws_told` reads it."""
    if not throw.kept:
        return 0, [], [], throw.total
    sides, shift = DICE[die]
    kept, dropped = (sorted(each - shift for each in dice) for dice in (throw.kept, throw.dropped))
    return sides, kept, dropped, throw.total


def head_told(text: str) -> dict[str, str | None]:
    """The word of the outcome, its level, the total and what it was against, where they are
    told.
    """
    found = _HEAD.match(text.partition("\n")[0])
    assert found, text
    return {key: value and value.replace("−", "-") for key, value in found.groupdict().items()}


# --- a game ---------------------------------------------------------------------------------------


class Game:
    """A flow with the table as the referee keeps it."""

    def __init__(self, flow: Flow, table: Table) -> None:
        self.flow = flow
        self.table = table

    def actor(self, name: str) -> Any:
        return getattr(self.flow, self.table.people[name].who)

    def person(self, name: str) -> Person:
        return self.table.people[name]

    def met(self, *rules: str) -> None:
        self.flow.met.update(f"BAR-{each}" for each in rules)

    async def step(self, act: Callable[[], Awaitable[None]]) -> None:
        """Do something; now and then it is taken back first, and done again."""
        if self.flow.likely(0.06):
            moment, before = await self.flow.moment(), deepcopy(self.table)
            await act()
            await self.flow.back(moment)
            self.table = before
            if self.flow.likely(0.3):
                await self.flow.restart()
        await act()

    # --- what is said -----------------------------------------------------------------------------

    def pace(self) -> Pace:
        """A pace, most often the usual one."""
        flow = self.flow
        if flow.likely(0.75):
            return USUAL
        return Pace(
            **{flow.pick(("halvings", "doublings", "saved", "extra")): flow.pick((1, 1, 2, 3))}
        )

    def wish(self, name: str, *, pace: bool = True) -> Wish:
        """Something legal that somebody may roll with."""
        flow, person = self.flow, self.person(name)
        skill = (
            flow.pick((*ABILITIES, None)) if flow.likely(0.8) else flow.pick(("Sword", "Blades"))
        )
        attribute = flow.pick((*ATTRIBUTES, None, None))
        uses: list[str] = []
        for tree, scores, wanted in (
            (ABILITIES, person.abilities, skill),
            (ATTRIBUTES, person.attributes, attribute),
        ):
            among = referee.stand_ins(tree, scores, wanted)
            if among and flow.likely(0.7):
                uses.append(flow.pick(among))
        wish = Wish(skill, attribute, uses=tuple(uses))
        if skill is not None and flow.likely(0.4):
            used = traits(person, wish)[0].used
            shut = {skill, used, *referee.ancestors(ABILITIES, skill)}
            among = [
                each for each, score in person.abilities.items() if score > 0 and each not in shut
            ]
            wish = replace(wish, supports=tuple(flow.some(among, 2)))
        wish = replace(wish, pace=self.pace() if pace else USUAL)
        ability = traits(person, wish)[0].score
        most = max(0, min(ability, ability + wish.pace.add))
        if most and flow.likely(0.3):
            wish = replace(wish, convert=flow.chance.randint(1, most))
        if flow.likely(0.5):
            wish = replace(wish, die=flow.pick(list(DICE)))
        elif flow.likely(0.1):
            wish = replace(wish, phobe=True)
        return replace(wish, modifier=flow.pick((0, 0, 0, -2, -1, 1, 2)))

    def about(self, pool: Pool) -> int:
        """A Difficulty that may be met or not."""
        return max(1, referee.counted(pool).total) + self.flow.pick(
            (-12, -7, -4, -1, 0, 1, 3, 6, 11)
        )

    # --- what a GM answers ------------------------------------------------------------------------

    async def rule(
        self,
        asked: Sequence[str],
        *options: str,
        press: str = "Call for a roll",
        menus: Mapping[str, str] = MappingProxyType({}),
        written: Mapping[str, str] = MappingProxyType({}),
    ) -> list[str]:
        """Gina's answer; `asked` are the claims that she has to be able to refuse. Returns what
        else was offered.
        """
        flow = self.flow
        panel = await flow.open(flow.gina, "Answer")
        if written:
            await flow.write(flow.gina, panel, **written)
        for placeholder, value in menus.items():
            await flow.choose(flow.gina, panel, placeholder, value)
        if any(each.startswith("More…") for each in labels(panel)):
            await flow.press(flow.gina, "More…", panel)
        offered = flow.offered(panel, "All the rest")
        refusals = [each for each in offered if each.startswith("disallow")]
        flow.same("claims", sorted(f"disallow: {each}" for each in asked), sorted(refusals))
        if options:
            kept = [each for each in selected_values(panel, "All the rest") if each not in options]
            await flow.choose(flow.gina, panel, "All the rest", *kept, *options)
        await flow.press(flow.gina, press, panel)
        return offered

    def refusals(self, asked: Iterable[str]) -> list[str]:
        return [each for each in asked if self.flow.likely(0.3)]

    # --- dice -------------------------------------------------------------------------------------

    async def roll(
        self,
        name: str,
        die: str | None = None,
        words: Sequence[str] | None = None,
        look: Callable[[Any], None] | None = None,
    ) -> list[Die]:
        """Press Roll, with this die and these words where they are asked for; what fell. `look`
        sees the panel.
        """
        flow, by = self.flow, self.actor(name)
        flow.dice.take()
        pressed = await flow.press(by, "Roll")
        panel = pressed.response
        if panel is not None and "Cancel" in labels(panel):
            if die is not None:
                await flow.choose(by, panel, "Die", die)
            if words is not None:
                await flow.choose(by, panel, "All the rest", *words)
            if look is not None:
                look(panel)
            (label,) = [
                each
                for each in labels(panel)
                if each.startswith("Roll") or each == "Go without dice"
            ]
            await flow.press(by, label, panel)
        return flow.dice.take()

    def thrown(self, pool: Pool, die: str, phobe: bool, fell: list[Die]) -> Throw | None:
        """What fell of a pool, taken from the front of what fell; None of one without Add Dice."""
        if pool.add <= 0:
            return None
        if phobe:
            return referee.counted(pool)
        mine = [fell.pop(0) for _ in range(pool.size)]
        self.flow.same("sides", {DICE[die][0]}, {each.sides for each in mine})
        return referee.thrown(pool, die, [each.face for each in mine])

    # --- odds -------------------------------------------------------------------------------------

    def odds(
        self,
        told: Any,
        pool: Pool,
        difficulty: int,
        least: int = 0,
        share: Fraction = Fraction(1),
        phobes: bool = True,
    ) -> None:
        """The picture's words against every die counted out."""
        (picture,) = message_of(told).attachments
        ways = {each[1]: each[2] for each in _WAY.finditer(str(picture.description))}
        self.flow.same("ways", {*DICE, *(["No dice"] if phobes else ())}, set(ways))
        for way, text in ways.items():
            die = way if way in DICE else None
            shares = {
                each[1] or "success": (each[2], Fraction(each[3]))
                for each in _SHARE.finditer(text.partition("average")[0])
            }
            success = referee.chance(pool, die, difficulty, least) * share
            botch = referee.botching(pool, die) if die else Fraction()
            expected = {"success": success, "failure": 1 - success - botch}
            for level in (1, 2, 3):
                if level > least:
                    expected[f"level {level}"] = (
                        referee.chance(pool, die, difficulty, level) * share
                    )
            if die:
                expected["botch"] = botch
            for key, chance in expected.items():
                self.share(f"{way} {key}", chance, *shares[key])
            mean = _MEAN.search(text)
            if mean and die:
                exact = sum(
                    (total * each for total, each in referee.spread(pool, die).items()), Fraction()
                )
                told_mean = Fraction(mean[1].replace("minus ", "-"))
                self.flow.same(f"{way} mean", True, abs(told_mean - exact) <= Fraction(51, 1000))

    def share(
        self, what: str, chance: Fraction, bound: str | None, told: Fraction, places: int = 1
    ) -> None:
        """A percentage as it is told."""
        grain = Fraction(1, 10**places)
        exact = chance * 100
        if bound:
            ok = exact < grain if bound == "under " else exact > 100 - grain
        else:
            ok = (
                abs(exact - told) <= grain / 2
                and (told != 0 or chance == 0)
                and (told != 100 or chance == 1)
            )
        self.flow.same(f"{what} ({float(exact)}; {bound or ''}{float(told)})", True, ok)

    def die_odds(self, panel: Any, pool: Pool, difficulty: int, least: int = 0) -> None:
        """The odds in the menu of dice."""
        for die in DICE:
            found = re.search(
                rf"(?m)^(?:Die: )?{re.escape(die)}, (under |over )?(\d+)% to succeed", texts(panel)
            )
            assert found, texts(panel)
            chance = referee.chance(pool, die, difficulty, least)
            self.share(f"menu {die}", chance, found[1], Fraction(found[2]), 0)

    # --- what is held after everything ------------------------------------------------------------

    async def hold(self, *names: str) -> None:
        """Sheets are what the referee has."""
        for name in names or tuple(self.table.people):
            person, sheet = self.person(name), await self.flow.sheet(name)
            self.flow.same(f"{name}'s abilities", person.abilities, sheet["abilities"])
            self.flow.same(f"{name}'s attributes", person.attributes, sheet["attributes"])
            self.flow.same(f"{name}'s wounds", *self._wounds(person, sheet["wounds"]))

    def _wounds(self, person: Person, found: Sequence[Mapping[str, Any]]) -> tuple[Any, Any]:
        expected = {}
        for key, wound in person.wounds.items():
            row = self.table.chart[wound.row]
            expected[key] = (
                *(wound.kind, wound.degree, row.name, row.penalty, row.other, row.days(wound.kind)),
                *(wound.healed, wound.factor, wound.life, wound.stabilised),
            )
        told = {
            each["number"]: (
                *(each[key] for key in ("kind", "degree", "name", "penalty", "other", "base_days")),
                *(Fraction(each[key]) for key in ("healed", "factor")),
                *(each[key] for key in ("activity", "stabilised")),
            )
            for each in found
        }
        return expected, told


# --- checks ---------------------------------------------------------------------------------------


async def a_check(game: Game) -> None:
    """`/check` from the proposal to the outcome."""
    flow, name = game.flow, game.flow.pick(list(PLAYERS))
    wish = game.wish(name)
    by = game.actor(name)
    game.met("TRAIT", "POOL", "DIE")
    if game.table.penalty(name, activity(wish.attribute)) is None:
        await flow.refused(by, "check", approach="so", **wish.options)
        game.met("TRAUMA")
        return
    presumed = made(game.table, name, wish)

    async def propose() -> None:
        await flow.do(by, "check", approach="so", **wish.options)
        card = flow.card(await flow.check())
        flow.same(
            "pool", (presumed.add, presumed.modifier) if presumed.add > 0 else None, pool_told(card)
        )

    if presumed.add > 0 and flow.likely(0.15):
        aim = game.about(presumed)
        game.odds(await flow.do(by, "odds", difficulty=str(aim), **wish.options), presumed, aim)
    await game.step(propose)
    await settle(game, name, wish)


async def settle(game: Game, name: str, wish: Wish) -> None:
    """The GM's answer to a check, and the roll."""
    flow, by = game.flow, game.actor(name)
    check = await flow.check()
    asked = claims(game.person(name), wish)
    if flow.likely(0.08):
        game.met("AUTO")
        free = flow.likely(0.5)
        panel = await flow.open(flow.gina, "Answer")
        label = "Grant success" if free else "Impossible"
        panel = message_of(await flow.press(flow.gina, f"{label}…", panel))
        flow.dice.take()
        await flow.press(flow.gina, label, panel)
        flow.same("dice without a roll", [], flow.dice.take())
        flow.same("sign", "✓" if free else "✗", flow.card(check)[3:4])
        return
    if flow.likely(0.06):
        game.met("AUTO")
        pool = made(game.table, name, wish)
        difficulty = game.about(pool)
        if pool.add > 0:
            await game.rule(asked, press="Roll how well", written={"difficulty": str(difficulty)})
            fell = await game.roll(name)
            throw = game.thrown(pool, wish.die or "d8", wish.phobe, fell)
            head, level = (
                head_told(flow.card(check)),
                max(0, referee.judged(throw, difficulty).level),
            )
            flow.same("margin", ("It succeeds", str(level)), (head["word"], head["level"]))
            return
    if flow.likely(0.06):
        panel = await flow.open(flow.gina, "Answer")
        await flow.write(flow.gina, panel, "Ask…", question="How?")
        await flow.write(by, flow.button("Reply", ""), "Reply", approach="like this")
        presumed = made(game.table, name, wish)
        flow.same(
            "pool after a question",
            (presumed.add, presumed.modifier) if presumed.add > 0 else None,
            pool_told(flow.card(check)),
        )
    refused = game.refusals(asked)
    granted = flow.pick((None, None, None, None, 0, -2, -1, 1, 3))
    pace = game.pace() if "time" not in asked else USUAL
    if pace.saved > 2 or pace.extra > 2 or pace.halvings > 2 or pace.doublings > 2:
        pace = Pace(halvings=2)
    least = flow.pick((0, 0, 0, 0, 1, 2))
    hidden = flow.likely(0.15)
    pool = made(game.table, name, wish, refused, granted, pace)
    difficulty = game.about(pool)

    async def answer() -> None:
        options = [*(f"disallow: {each}" for each in refused), *pace_words(pace)]
        options += [f"level: {least}"] * bool(least) + ["hidden"] * hidden
        written = {"difficulty": str(difficulty)} | (
            {} if granted is None else {"modifier": str(granted)}
        )
        await game.rule(asked, *options, written=written)
        card = flow.card(check)
        flow.same(
            "pool as ruled", (pool.add, pool.modifier) if pool.add > 0 else None, pool_told(card)
        )

    flow.dice.take()
    await game.step(answer)
    if pace != USUAL or wish.pace != USUAL:
        game.met("TIME")
    if pool.add > 0 and not hidden and pool.size <= 15 and flow.likely(0.25):
        game.odds(await flow.do(by, "odds", check=check), pool, difficulty, least)
    await game.step(
        lambda: rolled(game, name, wish, check, (refused, granted, pace), difficulty, least, hidden)
    )


async def rolled(
    game: Game,
    name: str,
    wish: Wish,
    check: str,
    ruled: tuple[Sequence[str], int | None, Pace],
    difficulty: int,
    least: int,
    hidden: bool,
) -> None:
    """The roll of a check as it was ruled, with another die or conversion than said before, or with
    those.
    """
    flow = game.flow
    pool = made(game.table, name, wish, *ruled)
    if pool.add <= 0:
        fell = await game.roll(name)
        flow.same("nothing to roll", [], fell)
        flow.same("rushed to nothing", "✗", flow.card(check)[3:4])
        return
    die, words, picked = None, None, wish
    if flow.likely(0.5):
        die = flow.pick(list(DICE))
        picked = replace(picked, die=die)
    unconverted = made(game.table, name, replace(wish, convert=0), *ruled)
    most = max(0, min(unconverted.add - 1, traits(game.person(name), wish, ruled[0])[0].score))
    if flow.likely(0.4):
        convert = flow.chance.randint(0, most)
        phobe = flow.likely(0.15)
        words = [*([f"convert: {convert}"] if convert else ()), *(["no dice"] if phobe else ())]
        picked = replace(picked, convert=convert, phobe=phobe)
    if words:
        pool = made(game.table, name, picked, *ruled)
    else:
        words, picked = None, replace(picked, convert=wish.convert, phobe=wish.phobe)

    def look(panel: Any) -> None:
        offered = [
            each for each in flow.offered(panel, "All the rest") if each.startswith("convert")
        ]
        flow.same("conversions", [f"convert: {count}" for count in range(1, most + 1)], offered)
        if not hidden and pool.size <= 12:  # counting out more takes a while
            game.die_odds(panel, pool, difficulty, least)

    fell = await game.roll(name, die, words, look)
    throw = game.thrown(pool, picked.die or "d8", picked.phobe, fell)
    assert throw is not None
    flow.same("dice left", [], fell)
    card = flow.card(check)
    flow.same("throw", [throw_of(throw, picked.die or "d8")], throws_told(card))
    outcome_told(game, card, throw, referee.judged(throw, difficulty, least), difficulty, hidden)


def outcome_told(
    game: Game, card: str, throw: Throw, outcome: Outcome, difficulty: int, hidden: bool = False
) -> None:
    """The head of a card with a roll against a Difficulty."""
    game.met("ROLL")
    if not throw.kept:
        game.met("AUTO")
    word = "Botch" if outcome.botch else "Success" if outcome.success else "Failure"
    head = head_told(card)
    game.flow.same("outcome", word, head["word"])
    if hidden:
        game.flow.same("hidden", True, str(difficulty) != head["number"])
        return
    if head["level"] is not None:
        game.flow.same("level", str(abs(outcome.level)), head["level"])
    if head["total"] is not None:
        game.flow.same(
            "numbers", (str(throw.total), str(difficulty)), (head["total"], head["number"])
        )


# --- against each other ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """One side of a contest as it was ruled."""

    name: str
    wish: Wish
    refused: tuple[str, ...] = ()
    granted: int | None = None
    out: bool = False


async def respond(game: Game, name: str, first: Sequence[str], label: str = "Respond") -> Part:
    """The other side says what it sets against it, and all dice fall; what it claims waits for the
    GM, who sees the `first` ones too, and whose answer rolls then.
    """
    flow, by = game.flow, game.actor(name)
    wish = replace(game.wish(name, pace=False), modifier=0)
    while game.table.penalty(name, activity(wish.attribute)) is None:
        wish = replace(wish, attribute=None if wish.attribute else "Wits")
    panel = await flow.open(by, label)
    for placeholder, value in (
        ("Skill", wish.skill or "none"),
        ("Attribute", wish.attribute),
        ("Die", wish.die),
    ):
        if value is not None:
            await flow.choose(by, panel, placeholder, value)
    # A menu has them with the best first, and keeps that order.
    scores = game.person(name).abilities
    wish = replace(wish, supports=tuple(sorted(wish.supports, key=lambda each: -scores[each])))
    words = [each for each in wish.words if not each.startswith("die: ")]
    if words:
        offered = flow.offered(panel, "All the rest")
        if not set(words) <= set(offered):  # on another page of the menu, or in a dialog
            wish = replace(wish, phobe=False, convert=0, supports=(), uses=())
        else:
            await flow.choose(by, panel, "All the rest", *words)
    flow.dice.take()
    await flow.press(by, label, panel)
    asked = claims(game.person(name), wish)
    led = game.person(name).who == "gina"
    refused = game.refusals(asked) if not led else []
    if asked and not led:
        theirs = [f"{each}.other" for each in asked]
        await game.rule([*first, *theirs], *(f"disallow: {each}.other" for each in refused))
    return Part(name, wish, tuple(refused))


def side_thrown(game: Game, part: Part, fell: list[Die]) -> Throw:
    """What a side throws, the dice taken from what fell."""
    if part.out:
        return NOTHING
    pool = made(game.table, part.name, part.wish, part.refused, part.granted)
    phobe = part.wish.phobe or game.person(part.name).minor
    throw = game.thrown(pool, part.wish.die or "d8", phobe, fell)
    assert throw is not None
    return throw


def won(card: str) -> int | None:
    """Who wins as the head of a card says: 0 who began it, 1 the other side."""
    return {"✓": 0, "✗": 1}.get(card[3:4])


async def opposed(
    game: Game, command: str, actor: str, target: str, **options: Any
) -> tuple[Any, Any]:
    """Proposed, answered, chosen and rolled: both sides, what they threw. None: it was refused."""
    flow, by = game.flow, game.actor(actor)
    wish = game.wish(actor, pace=False)
    words = options.pop("words", ())
    given = wish.options | options
    given["with"] = ", ".join((*wish.words, *words)) or None
    if game.person(actor).who == "gina":
        given["as"] = actor
    if game.table.penalty(actor, activity(wish.attribute)) is None:
        await flow.refused(by, command, target=target, approach="so", **given)
        return None, None
    await flow.do(by, command, target=target, approach="so", **given)
    return wish, claims(game.person(actor), wish)


async def a_contest(game: Game) -> None:
    """`/contest` directly or against one Difficulty; against an NPC without scores only one side
    rolls.
    """
    flow = game.flow
    actor = flow.pick(list(PLAYERS))
    target = flow.pick([each for each in (*PLAYERS, *PLAYERS, SIDOR, RAT) if each != actor])
    indirect = flow.likely(0.4)
    alone = game.person(target).minor and not indirect
    out = game.table.out(target)
    wish, asked = await opposed(
        game, "contest", actor, target, mode="indirect" if indirect else "direct"
    )
    if wish is None:
        return
    check = await flow.check()
    refused = game.refusals(asked)
    granted, against = flow.pick((None, None, -1, 2)), flow.pick((None, None, None, 1, -2))
    part = Part(actor, wish, tuple(refused), granted)
    written = {} if granted is None else {"modifier": str(granted)}
    written |= {} if against is None or out or alone else {"against": str(against)}
    measured, least, options = indirect or alone, 0, [f"disallow: {each}" for each in refused]
    difficulty = game.about(made(game.table, actor, wish, refused, granted)) if measured else None
    if difficulty is not None:
        written["difficulty"] = str(difficulty)
        least = flow.pick((0, 0, 1, 2))
        options += [f"level: {least}"] * bool(least)
    offered = await game.rule(asked, *options, written=written)
    flow.same("levels offered", measured, "level: 1" in offered)
    other = Part(target, Wish(), out=True)
    if not out and not alone:
        other = replace(await respond(game, target, asked), granted=against)
        fell = flow.dice.take()
    else:
        fell = await game.roll(actor)
    throws = [side_thrown(game, part, fell), *([] if alone else [side_thrown(game, other, fell)])]
    flow.same("dice left", [], fell)
    game.met("OPPOSED", "ROLL")
    card = flow.card(check)
    expected = [throw_of(throws[0], wish.die or "d8")]
    expected += [] if other.out else [throw_of(throws[1], other.wish.die or "d8")]
    flow.same("throws", expected, throws_told(card))
    if alone:
        assert difficulty is not None
        game.met("AUTO")
        outcome_told(
            game, card, throws[0], referee.judged(throws[0], difficulty, least), difficulty
        )
        return
    if difficulty is None:
        found = referee.direct(throws)
    else:
        found = referee.indirect([throws[0], None if out else throws[1]], difficulty, least)
    flow.same("winner", found.winner, won(card))
    flow.same("level", None if found.level is None else str(found.level), head_told(card)["level"])
    for each, throw in zip((part, other), throws, strict=True):
        told = re.search(rf"\*\*{each.name}:\*\* .*Botch", card)
        flow.same(f"{each.name}'s botch", throw.botch, told is not None)


async def an_attack(game: Game, at: str | None = None, *, sure: bool = False) -> None:
    """`/attack` with weapons of the sheet, with others and bare hands; of players' characters and
    NPCs.

    `at` is whom a player's character attacks; `sure`: the GM says that it hits.
    """
    flow = game.flow
    actor = flow.pick(
        (*PLAYERS, *PLAYERS, SIDOR, RAT) if at is None else [each for each in PLAYERS if each != at]
    )
    target = at or flow.pick([each for each in (*PLAYERS, *PLAYERS, SIDOR, RAT) if each != actor])
    attacker, victim = game.person(actor), game.person(target)
    led = attacker.who == "gina"
    if led and victim.who == "gina":
        return
    out = game.table.out(target)
    named = flow.pick((*attacker.weapons, None, *(["Oar"] if not led else ())))
    words = [each for each in ("mental", "non-lethal") if flow.likely(0.15)][:1]
    wish, asked = await opposed(game, "attack", actor, target, weapon=named, words=words)
    if wish is None:
        return
    check = await flow.check()
    weapon = attacker.weapons.get(named or "", Weapon(lethal=False))
    refused = game.refusals(asked) if not led else []
    granted = flow.pick((None, None, -1, 2)) if not led else None
    written = {} if granted is None else {"modifier": str(granted)}
    menus: dict[str, str] = {}
    if not led and named not in attacker.weapons and (named is not None or flow.likely(0.5)):
        damage = flow.pick((0, 1, 3))
        weapon = Weapon(damage, flow.likely(0.5), "non-lethal" not in words and flow.likely(0.5))
        menus = {
            "Lethal damage": "yes" if weapon.lethal else "no",
            "Muscle Power": "yes" if weapon.powered else "no",
        }
        written |= {"damage": str(damage)}
    if "mental" in words:
        weapon = replace(weapon, mental=True)
    if "non-lethal" in words:
        weapon = replace(weapon, lethal=False)
    part = Part(actor, wish, tuple(refused), granted)
    difficulty = None
    if victim.minor:
        game.met("AUTO")
        difficulty = game.about(made(game.table, actor, wish, refused, granted))
        written["difficulty"] = str(difficulty)
    refusals = [f"disallow: {each}" for each in refused]
    if not led:
        if sure or flow.likely(0.06):
            written = {key: value for key, value in written.items() if key == "damage"}
            await struck_without_dice(game, check, attacker, victim, weapon, menus, written)
            return
        await game.rule(asked, *refusals, menus=menus, written=written)
    if out or victim.minor:
        other = Part(target, Wish(), out=True)
        fell = await game.roll(actor)
    else:
        other = await respond(game, target, asked, "Defend")
        fell = flow.dice.take()
    card = await hit_or_miss(game, check, part, other, difficulty, fell)
    if card is not None:
        struck(game, attacker, victim, weapon, card)
    await game.hold(target)


async def struck_without_dice(
    game: Game,
    check: str,
    attacker: Person,
    victim: Person,
    weapon: Weapon,
    menus: Mapping[str, str],
    written: Mapping[str, str],
) -> None:
    """A hit that takes no dice: level 0, and all that follows from it."""
    flow = game.flow
    panel = await flow.open(flow.gina, "Answer")
    if written:
        await flow.write(flow.gina, panel, **written)
    for placeholder, value in menus.items():
        await flow.choose(flow.gina, panel, placeholder, value)
    panel = message_of(await flow.press(flow.gina, "Grant success…", panel))
    flow.dice.take()
    await flow.press(flow.gina, "Grant success", panel)
    flow.same("dice without a roll", [], flow.dice.take())
    game.met("AUTO")
    struck(game, attacker, victim, weapon, 0)


async def hit_or_miss(
    game: Game, check: str, part: Part, other: Part, difficulty: int | None, fell: list[Die]
) -> int | None:
    """What the dice of an attack say: the level of a hit, None for a miss."""
    flow, attacker = game.flow, game.person(part.name)
    card = flow.card(check)
    throws = [side_thrown(game, part, fell)]
    told = [throw_of(throws[0], part.wish.die or "d8")]
    if difficulty is None:
        throws.append(side_thrown(game, other, fell))
        told += [] if other.out else [throw_of(throws[1], other.wish.die or "d8")]
    flow.same("dice left", [], fell)
    flow.same("throws", told, throws_told(card))
    game.met("ROLL")
    if difficulty is not None:
        outcome = referee.judged(throws[0], difficulty)
        level = outcome.level if outcome.success else None
    elif attacker.minor:  # its total is the Difficulty of whoever it attacks
        game.met("AUTO")
        outcome = referee.judged(throws[1], throws[0].total)
        level = None if outcome.success else -outcome.level
    else:
        game.met("OPPOSED")
        found = referee.direct(throws)
        level = found.level if found.winner == 0 else None
    flow.same("a hit", level is not None, "Hit" in card.partition("\n")[0])
    if level is not None:
        found_level = re.search(r"(?i)\blevel (\d+)\b", card)
        assert found_level, card
        flow.same("level", level, int(found_level[1]))
    return level


def struck(
    game: Game, attacker: Person, victim: Person, weapon: Weapon, level: int
) -> referee.Blow:
    """What a hit does to its victim."""
    armor = referee.armor_against(victim.armour, weapon)
    if victim.armour:
        game.met("ARMOR")
    game.met("TRAUMA")
    if weapon.mental:
        blow = referee.mental_blow(level, armor, victim.score("Mental Threshold"))
    else:
        blow = referee.physical_blow(
            level,
            armor,
            attacker.score("Muscle Power") if weapon.powered else 0,
            weapon.modifier,
            victim.score("Toughness"),
            victim.score("Physical Threshold"),
            weapon.lethal
            and not any(weapon.kind in each.converts and not each.mental for each in victim.armour),
        )
    victim.hurt(referee.wounded(game.table.chart, "physical", blow.physical))
    victim.hurt(referee.wounded(game.table.chart, "mental", blow.mental))
    return blow


# --- together -------------------------------------------------------------------------------------

MODES = ("simple addition", "combining dice", "worst roller", "either or")


async def a_team(game: Game) -> None:
    """`/barmore team`: started, joined, answered, rolled."""
    flow = game.flow
    lead, helper = flow.chance.sample(list(PLAYERS), 2)
    mode = flow.pick(MODES)
    by, wish = game.actor(lead), replace(game.wish(lead, pace=False), modifier=0)
    if game.table.penalty(lead, activity(wish.attribute)) is None:
        await flow.refused(by, "barmore team start", mode=mode, approach="pull", **wish.options)
        return
    await flow.do(by, "barmore team start", mode=mode, approach="pull", **wish.options)
    check = await flow.check()
    parts = [Part(lead, wish)]
    theirs = replace(game.wish(helper, pace=False), modifier=0)
    if mode != "either or":
        theirs = replace(theirs, die=None, phobe=False)
    options = {key: value for key, value in theirs.options.items() if key != "modifier"}
    options["skill"] = theirs.skill or "none"
    blocked = game.table.penalty(helper, activity(theirs.attribute)) is None
    late = flow.likely(0.3)

    async def join() -> None:
        if blocked:
            await flow.refused(
                game.actor(helper), "barmore team join", check=check, approach="too", **options
            )
        else:
            await flow.do(
                game.actor(helper), "barmore team join", check=check, approach="too", **options
            )
            parts.append(Part(helper, theirs))

    def ids(part: Part, lead: bool) -> list[str]:
        """The words of what a part claims; of a helper's, with whose they are."""
        asked = claims(game.person(part.name), part.wish)
        return asked if lead else [f"{each}.{keys[part.name]}" for each in asked]

    state = await flow.world.state()
    keys = {each.name: key for key, each in state.characters.items()}
    if not late:
        await join()
    options_, chances, named = [], None, None
    asked = [each for number, part in enumerate(parts) for each in ids(part, number == 0)]
    refused = game.refusals(asked)
    if mode == "either or" and len(parts) == 2:
        if flow.likely(0.4):
            named = flow.pick((lead, helper))
            options_ = [f"chance: {keys[named]}"]
        else:
            chances = flow.pick((1, 1, 2))
            options_ = [f"chances: {chances}"]
    difficulty = game.about(made(game.table, lead, wish, refused))
    await game.rule(
        asked,
        *(f"disallow: {each}" for each in refused),
        *options_,
        written={"difficulty": str(difficulty)},
    )
    if late:
        await join()
        more = [each for part in parts[1:] for each in ids(part, False)]
        if more:
            again = game.refusals(more)
            refused += again
            await game.rule([*asked, *more], *(f"disallow: {each}" for each in again))
    pools = [
        made(
            game.table,
            part.name,
            part.wish,
            refused
            if part.name == lead
            else [e.partition(".")[0] for e in refused if e.endswith(f".{keys[part.name]}")],
        )
        for part in parts
    ]
    game.met("TEAM")
    if mode == "either or":
        await either_or(game, check, parts, pools, difficulty, chances, named)
        return
    pool = referee.team(mode, pools)
    card = flow.card(check)
    flow.same("team's pool", (pool.add, pool.modifier), pool_told(card))
    if flow.likely(0.3):
        game.odds(await flow.do(by, "odds", check=check), pool, difficulty)
    fell = await game.roll(lead)
    throw = game.thrown(pool, wish.die or "d8", wish.phobe, fell)
    assert throw is not None
    flow.same("dice left", [], fell)
    card = flow.card(check)
    flow.same("team's throw", [throw_of(throw, wish.die or "d8")], throws_told(card))
    outcome_told(game, card, throw, referee.judged(throw, difficulty), difficulty)


async def either_or(
    game: Game,
    check: str,
    parts: Sequence[Part],
    pools: Sequence[Pool],
    difficulty: int,
    chances: int | None,
    named: str | None,
) -> None:
    """Everybody rolls; who had no chance fails."""
    flow, by = game.flow, game.actor(parts[0].name)
    many = len(parts)
    if named is None and flow.likely(0.6):
        share = Fraction(chances or 1, many)
        game.odds(await flow.do(by, "odds", check=check), pools[0], difficulty, share=share)
    fell = await game.roll(parts[0].name)
    throws: list[tuple[Any, ...]] = []
    successes: list[bool] = []
    for part, pool in zip(parts, pools, strict=True):
        die = part.wish.die or "d8"
        throw = game.thrown(pool, die, part.wish.phobe, fell)
        assert throw is not None
        throws.append(throw_of(throw, die))
        successes.append(referee.judged(throw, difficulty).success)
    card = flow.card(check)
    flow.same("throws", throws, throws_told(card))
    found = re.search(r"(?m)^Only (.+) had a chance, (?:by the draw|as the GM chose): ", card)
    assert found, card
    lucky = [part.name for part in parts if part.name in found[1]]
    flow.same("how many have a chance", 1 if named else chances or 1, len(lucky))
    if named:
        flow.same("who has a chance", [named], lucky)
    for part, succeeds in zip(parts, successes, strict=True):
        success = succeeds and part.name in lucky
        if part is parts[0]:
            flow.same("who began it", "✓" if success else "✗", card[3:4])
        else:
            flow.same(f"{part.name}'s success", success, f"**{part.name}:** Success" in card)


# --- wounds and healing ---------------------------------------------------------------------------


async def a_wound(game: Game) -> None:
    """`/gm adjust`: a Wound, or how one is kept."""
    flow, name = game.flow, game.flow.pick((*PLAYERS, SIDOR))
    person = game.person(name)
    what = flow.pick(
        ("new wound", "new wound", "wound rest", "wound care", "wound stabilized", "wound healed")
    )
    if what == "new wound" or not person.wounds:
        kind, degree = flow.pick(("physical", "mental")), flow.pick((1, 2, 3, 4, 5, 7, 8, 9, 12))
        await adjust(game, name, "new wound", f"{kind} {degree}")
        person.hurt(referee.wounded(game.table.chart, kind, degree))
        game.met("TRAUMA")
        return
    key = flow.pick(list(person.wounds))
    wound = person.wounds[key]
    if what == "wound rest":
        life = flow.pick([each for each in ("rest", "slower", "stopped") if each != wound.life])
        await adjust(game, name, what, f"{key}: {life}")
        person.wounds[key] = replace(wound, life=life)
    elif what == "wound care":
        factor = flow.pick(
            [each for each in map(Fraction, ("2", "3", "3/2", "1/2")) if each != wound.factor]
        )
        await adjust(game, name, what, f"{key} x {factor}")
        person.wounds[key] = replace(wound, factor=factor)
    elif what == "wound stabilized":
        await adjust(game, name, what, str(key))
        person.wounds[key] = replace(wound, stabilised=not wound.stabilised)
    else:
        await adjust(game, name, what, str(key))
        del person.wounds[key]
    game.met("HEAL")


async def adjust(game: Game, name: str, what: str, value: str) -> None:
    await game.flow.do(game.flow.gina, "gm adjust", character=name, what=what, value=value)


async def a_score(game: Game) -> None:
    """`/gm adjust`: a score."""
    flow, name = game.flow, game.flow.pick((*PLAYERS, SIDOR))
    what = flow.pick(("ability", "attribute"))
    scores = game.person(name).abilities if what == "ability" else game.person(name).attributes
    trait = flow.pick(list(ABILITIES if what == "ability" else ATTRIBUTES))
    if trait in scores and flow.likely(0.3):
        await adjust(game, name, what, f"{trait} none")
        del scores[trait]
        return
    score = flow.pick(
        [each for each in range(0 if what == "ability" else -3, 5) if each != scores.get(trait)]
    )
    await adjust(game, name, what, f"{trait} {score}")
    scores[trait] = score


async def some_time(game: Game) -> None:
    """`/gm time`: Wounds heal."""
    flow = game.flow
    minutes = flow.pick((90, 1440, 3 * 1440, 2 * 1440 + 77, 10 * 1440, 45 * 1440))
    before = {name: set(each.wounds) for name, each in game.table.people.items()}
    told = flow.told(await flow.do(flow.gina, "gm time", advance=f"{minutes} minutes"))
    game.table.wait(minutes)
    for name, person in game.table.people.items():
        if before[name]:
            game.met("HEAL")
        flow.same(f"{name} has healed", before[name] != set(person.wounds), f"{name}: " in told)


async def a_treatment(game: Game) -> None:
    """`/heal method:treat`."""
    flow = game.flow
    healer = flow.pick(list(PLAYERS))
    among = [each for each in (*PLAYERS, SIDOR) if game.person(each).wounds]
    if not among:
        await a_wound(game)
        return
    name = flow.pick(among)
    key = flow.pick(list(game.person(name).wounds))
    wish, by = game.wish(healer, pace=False), game.actor(healer)
    options = wish.options | {
        "skill": wish.skill or "none",
        "method": "treat",
        "target": name,
        "injury": str(key),
        "approach": "bandages",
    }
    options = {each: value for each, value in options.items() if each != "modifier"}
    wish = replace(wish, modifier=0)
    if game.table.penalty(healer, activity(wish.attribute)) is None:
        await flow.refused(by, "heal", **options)
        return
    await flow.do(by, "heal", **options)
    check = await flow.check()
    asked = claims(game.person(healer), wish)
    refused = game.refusals(asked)
    pool = made(game.table, healer, wish, refused)
    difficulty, factor = game.about(pool), flow.pick(("1", "2", "3", "3/2"))
    written = {"difficulty": str(difficulty), "factor": factor}
    await game.rule(asked, *(f"disallow: {each}" for each in refused), written=written)
    fell = await game.roll(healer)
    throw = game.thrown(pool, wish.die or "d8", wish.phobe, fell)
    assert throw is not None
    outcome = referee.judged(throw, difficulty)
    outcome_told(game, flow.card(check), throw, outcome, difficulty)
    if outcome.success:
        patient = game.person(name)
        patient.wounds[key] = referee.treated(patient.wounds[key], Fraction(factor))
    game.met("HEAL")


async def a_rest(game: Game) -> None:
    """`/heal method:rest`."""
    flow, name = game.flow, game.flow.pick(list(PLAYERS))
    by, person = game.actor(name), game.person(name)
    if not person.wounds:
        await a_wound(game)
        return
    panel = message_of(await flow.do(by, "heal", method="rest"))
    await flow.press(by, "Send", panel)
    granted = flow.likely(0.7)
    panel = await flow.open(flow.gina, "Answer")
    await flow.press(
        flow.gina,
        "Allow the rest"
        if granted
        else next(e for e in labels(panel) if e.startswith("Refuse the rest")),
        panel,
    )
    if granted:
        person.wounds = {key: replace(each, life="rest") for key, each in person.wounds.items()}
    game.met("HEAL")


# --- time -----------------------------------------------------------------------------------------


async def some_work(game: Game) -> None:
    """`/barmore task`: rolls until it is done or given up."""
    flow, name = game.flow, game.flow.pick(list(PLAYERS))
    by, plain = game.actor(name), game.wish(name, pace=False)
    plain = replace(plain, supports=(), convert=0, modifier=0, uses=(), die=None, phobe=False)
    if game.table.penalty(name, activity(plain.attribute)) is None:
        return
    pool = made(game.table, name, plain)
    work = referee.Work(flow.pick((2, 4, 7)), flow.pick((8, 40, 240)))
    difficulty = max(1, game.about(pool))
    await flow.do(
        flow.gina,
        "barmore task start",
        name="Mend",
        who=name,
        difficulty=str(difficulty),
        required=work.required,
        every=f"{work.every} minutes",
        skill=plain.skill,
        attribute=plain.attribute,
    )
    while not work.over and work.rolls < 3:
        wish = plain
        if flow.likely(0.5):
            wish = replace(plain, pace=game.pace(), die=flow.pick((None, *DICE)))
            free = traits(game.person(name), wish)[0].score
            wish = replace(
                wish, convert=1 if free + min(0, wish.pace.add) > 0 and flow.likely(0.3) else 0
            )
        asked = claims(game.person(name), wish)
        flow.dice.take()
        options = {"with": ", ".join(wish.words) or None, "modifier": flow.pick((None, 1))}
        wish = replace(wish, modifier=options["modifier"] or 0)
        await flow.do(by, "barmore task roll", **options)
        refused: list[str] = []
        if asked:
            refused = game.refusals(asked)
            await flow.do(flow.gina, "barmore task accept", refuse=", ".join(refused) or None)
        fell = flow.dice.take()
        pool = made(game.table, name, wish, refused)
        throw = game.thrown(pool, wish.die or "d8", wish.phobe, fell)
        flow.same("dice left", [], fell)
        outcome = referee.judged(throw, difficulty)
        work = work.rolled(outcome.level, USUAL if "time" in refused else wish.pace)
        text = texts(flow.world.last())
        if throw is not None:
            flow.same("work's throw", [throw_of(throw, wish.die or "d8")], throws_told(text))
        found = re.search(r"(?m)^(?:Done\. )?(−?\d+) of (\d+) levels?(?: so far)?$", text)
        assert found, text
        flow.same("levels", (work.done, work.required), (number(found[1]), int(found[2])))
        flow.same("done", work.over, "Roll on" not in labels(flow.world.last()))
        flow.same("time", work.minutes, minutes_told(text))
        game.met("COMPLEX", "TIME")
    if not work.over:
        await flow.do(by, "barmore task drop")


_SPANS = {"day": 1440, "hour": 60, "minute": 1, "second": Fraction(1, 60)}


def span(text: str) -> Fraction:
    """A length of time as it is told, in minutes."""
    found = re.findall(r"(\d+(?:\.\d+)?) (day|hour|minute|second)s?", text)
    return sum((Fraction(count) * _SPANS[unit] for count, unit in found), Fraction())


def minutes_told(text: str) -> Fraction:
    found = re.search(r"(?m)rolls? so far, (.*) in all", text)
    assert found, text
    return span(found[1])


async def at_once(game: Game) -> None:
    """`/barmore at-once`."""
    flow = game.flow
    times = [flow.pick((15, 45, 60, 90, 200)) for _ in range(flow.pick((2, 3, 4)))]
    typed = ", ".join(f"{each} minutes" for each in times)
    told = flow.answer(await flow.do(flow.ana, "barmore at-once", times=typed))
    flow.same(
        "least time",
        referee.least_time(times),
        span(told.partition("at least")[2].partition("The GM")[0]),
    )
    game.met("MULTI")


async def a_timeline(game: Game) -> None:
    """`/initiative` and `/barmore act`: who is done when."""
    flow = game.flow
    await flow.do(flow.gina, "initiative start")
    for name in PLAYERS:
        await flow.do(game.actor(name), "initiative join")
    await flow.do(flow.gina, "initiative next")
    now, ends = 1, dict.fromkeys(PLAYERS, 1)
    for _ in range(flow.pick((2, 4, 5))):
        up = await whose(game)
        flow.same("whoever is done first", min(ends.values()), ends[up])
        now = ends[up]
        costs = [flow.chance.randint(1, 9) for _ in range(flow.pick((1, 1, 2, 3)))]
        governing = [flow.pick(("Speed", "Wits", "Reaction Time")) for _ in costs]
        if flow.likely(0.3):
            governing = governing[:1] * len(costs)
        person = game.person(up)
        durations = [
            referee.duration(cost, person.score(each))
            for cost, each in zip(costs, governing, strict=True)
        ]
        takes = durations[0] if len(costs) == 1 else referee.together(durations)
        told = flow.answer(
            await flow.do(
                game.actor(up),
                "barmore act",
                action="something",
                cost=", ".join(map(str, costs)),
                score=", ".join(
                    dict.fromkeys(governing) if len(set(governing)) == 1 else governing
                ),
            )
        )
        found = re.search(r"That takes (\d+) phases? \(", told)
        assert found, told
        flow.same("phases", takes, int(found[1]))
        ends[up] = now + takes
        game.met("PHASE", *(["MULTI"] if len(costs) > 1 else ()))
        if flow.likely(0.25):
            busy = [each for each in ends if ends[each] > min(ends.values())]
            if busy:
                name = flow.pick(busy)
                cost = flow.chance.randint(1, 6)
                shown = min(ends.values())
                await flow.do(game.actor(name), "barmore switch", action="duck", cost=str(cost))
                ends[name] = (
                    shown + referee.ABORT + referee.duration(cost, person_score(game, name))
                )
    busy = [each for each in ends if ends[each] > min(ends.values())]
    if busy and flow.likely(0.6):
        name = flow.pick(busy)
        pace = Pace(saved=flow.pick((1, 2))) if flow.likely(0.5) else Pace(extra=flow.pick((1, 2)))
        wish = Wish(flow.pick(list(ABILITIES)), pace=pace)
        if game.table.penalty(name, activity(None)) is not None:
            moved = await paced(game, name, wish)
            if moved:
                # Nobody is done before now.
                ends[name] = max(min(ends.values()), ends[name] - pace.saved + pace.extra)
    board = flow.answer(await flow.do(flow.ana, "initiative show"))
    for name, end in ends.items():
        if end > min(ends.values()):
            flow.holds("the board", board, f"{name}: busy until phase {end}")
    await flow.do(flow.gina, "initiative end")


def person_score(game: Game, name: str) -> int:
    return game.person(name).score("Reaction Time")


async def paced(game: Game, name: str, wish: Wish) -> bool:
    """A check that saves or takes phases; whether the GM accepts that."""
    flow = game.flow
    await flow.do(game.actor(name), "check", approach="quick", **wish.options)
    asked = claims(game.person(name), wish)
    refused = game.refusals(asked)
    await game.rule(asked, *(f"disallow: {each}" for each in refused), written={"difficulty": "9"})
    pool = made(game.table, name, wish, refused)
    fell = await game.roll(name)
    throw = game.thrown(pool, "d8", False, fell)
    card = flow.card(await flow.check())
    if throw is not None:
        flow.same("throw", [throw_of(throw, "d8")], throws_told(card))
        outcome_told(game, card, throw, referee.judged(throw, 9), 9)
    game.met("TIME")
    return "time" not in refused


async def whose(game: Game) -> str:
    """Who may act, as the board says."""
    board = game.flow.answer(await game.flow.do(game.flow.gina, "initiative show"))
    found = re.search(r"\*\*(?:▶ ?)?(Marek|Ilka)\*\*", board)
    assert found, board
    return found[1]


# --- stories --------------------------------------------------------------------------------------

Deed = Callable[[Game], Awaitable[None]]
#: What is done in each flow of a kind, and the rules that its flows meet.
KINDS: Mapping[str, tuple[tuple[Deed, ...], frozenset[str]]] = {
    "checks": (
        (a_check, a_check, a_check, a_score),
        frozenset({"TRAIT", "POOL", "DIE", "ROLL", "TIME"}),
    ),
    "attacks": (
        (an_attack, partial(an_attack, at="Ilka"), partial(an_attack, at=RAT, sure=True)),
        frozenset({"OPPOSED", "TRAUMA", "ARMOR", "AUTO"}),
    ),
    "together": ((a_contest, a_contest, a_team), frozenset({"OPPOSED", "TEAM"})),
    "recovery": (
        (a_wound, a_wound, some_time, a_treatment, a_rest, some_time),
        frozenset({"TRAUMA", "HEAL"}),
    ),
    "time": ((some_work, at_once, a_timeline), frozenset({"COMPLEX", "MULTI", "PHASE", "TIME"})),
}
DEEDS: tuple[Deed, ...] = tuple(deed for deeds, _ in KINDS.values() for deed in deeds)


def sheet(flow: Flow, name: str) -> dict[str, Any]:
    """A random sheet, as a file has it."""
    abilities = {each: flow.chance.randint(0, 4) for each in flow.some(list(ABILITIES), 6)}
    attributes = {each: flow.chance.randint(-2, 3) for each in flow.some(list(ATTRIBUTES), 7)}
    weapons = [
        {
            "name": each,
            "modifier": flow.chance.randint(-1, 3),
            "powered": flow.likely(0.6),
            "lethal": flow.likely(0.7),
            "kind": flow.pick(DAMAGE),
            "mental": False,
        }
        for each in ("Boathook", "Scalpel")
    ]
    weapons.append(
        {"name": "Curse", "modifier": 2, "powered": False, "lethal": True, "mental": True}
    )
    armor = [
        {
            "name": f"Coat {number}",
            "rating": flow.chance.randint(0, 2),
            "covers": flow.some(DAMAGE[1:]),
            "converts": flow.some(DAMAGE[1:], 1),
            "mental": flow.likely(0.3),
        }
        for number in range(flow.pick((0, 1, 1, 2)))
    ]
    return {
        "name": name,
        "attributes": attributes,
        "abilities": abilities,
        "weapons": weapons,
        "armour": armor,
    }


def person(data: Mapping[str, Any], who: str) -> Person:
    """What the referee makes of a sheet."""
    weapons = {
        each["name"]: Weapon(
            each["modifier"], each["powered"], each["lethal"], each.get("kind", ""), each["mental"]
        )
        for each in data["weapons"]
    }
    armor = [
        Armor(
            each["rating"], frozenset(each["covers"]), frozenset(each["converts"]), each["mental"]
        )
        for each in data["armour"]
    ]
    return Person(
        data["name"], who, dict(data["abilities"]), dict(data["attributes"]), weapons, armor
    )


async def begun(flow: Flow) -> Game:
    """A table with a campaign of the referee's own, two players' characters and two NPCs."""
    rows = [dict(zip(_KEYS, row, strict=True)) for row in flow.pick(CHARTS)]
    trees = {
        "abilities": [{"name": each, "parent": above} for each, above in ABILITIES.items()],
        "attributes": [
            {"name": each, "parent": above}
            | ({"activity": ACTIVITIES[each]} if each in ACTIVITIES else {})
            for each, above in ATTRIBUTES.items()
        ],
    }
    campaign = {"traits": trees, "chart": {"rows": rows}, "options": {"dice_phobes": True}}
    file = ("campaign.json", json.dumps(campaign).encode())
    await flow.do(flow.gina, "setup", game="barmore", name="The River", file=file)
    people: dict[str, Person] = {}
    for name, who in (*PLAYERS.items(), (SIDOR, "gina"), (RAT, "gina")):
        data = sheet(flow, name)
        if name == RAT:
            hide = {"name": "Hide", "rating": 1, "covers": [], "converts": [], "mental": False}
            data |= {"abilities": {}, "attributes": {}, "armour": [hide]}
        npc = {"npc": True} if who == "gina" else {}
        file = ("sheet.json", json.dumps(data).encode())
        await flow.do(getattr(flow, who), "character import", file=file, **npc)
        people[name] = person(data, who)
    for name in (SIDOR, RAT):
        await flow.do(flow.gina, "gm npc reveal", npc=name)
    return Game(flow, Table(people, referee.chart_of(rows)))


async def story(flow: Flow, deeds: Sequence[Deed]) -> None:
    """All of these and now and then another, in any order."""
    game = await begun(flow)
    every = [*deeds, *(flow.pick(DEEDS) for _ in range(flow.pick((0, 1))))]
    flow.chance.shuffle(every)
    for deed in every:

        async def act(deed: Deed = deed) -> None:
            await deed(game)

        await game.step(act)
        await game.hold(flow.pick(list(game.table.people)))
        if flow.likely(0.06):
            await flow.restart()
    await game.hold()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_bot_and_the_referee_agree(kind: str) -> None:
    deeds, rules = KINDS[kind]
    meeting({f"BAR-{each}" for each in rules}, len(KINDS), partial(story, deeds=deeds))
