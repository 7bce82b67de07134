"""Complex actions, teams and the timeline at random, against a small reference of the same
rules.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from rules.systems import barmore
from rules.table.state import TableState
from tests.discord.barmore import bring, rule
from tests.discord.world import World, card, refusal_of
from tests.example_counts import nightly

_TREES: Final = json.loads(
    (Path(barmore.__file__).parent / "data/tree.json").read_text(encoding="utf-8")
)
_OF: Final = ("abilities", "attributes")
_PARENTS: Final = {of: {each["name"]: each["parent"] for each in _TREES[of]} for of in _OF}
_DICE: Final = {"d8": (8, 0), "d10-1": (10, -1), "d12-2": (12, -2), "d6+1": (6, 1), "d4+2": (4, 2)}
Pool = tuple[int, int, int]


def _above(of: str, name: str) -> list[str]:
    parent = _PARENTS[of][name]
    return [] if parent is None else [parent, *_above(of, parent)]


@dataclass
class Hero:
    """Somebody with scores, and who plays them."""

    name: str
    by: Any
    scores: dict[str, dict[str, int]]

    def score(self, of: str, wanted: str, *, refused: bool = False) -> tuple[int, bool]:
        """What counts, and whether it is claimed (BAR-TRAIT)."""
        scores = self.scores[of]
        for name in (wanted, *_above(of, wanted)):
            if name in scores:
                return scores[name], False
        below = [name for name in scores if wanted in _above(of, name)]
        return (0 if refused or len(below) != 1 else scores[below[0]]), len(below) == 1


@dataclass
class Idea:
    """What somebody brings to a roll."""

    wanted: tuple[str, str]
    die: str
    phobe: bool
    convert: int
    halvings: int
    doublings: int

    def options(self) -> dict[str, str]:
        numbers = {key: getattr(self, key) for key in ("convert", "halvings", "doublings")}
        words = [f"{key}: {number}" for key, number in numbers.items() if number]
        words += ["no dice" if self.phobe else f"die: {self.die}"]
        return {"skill": self.wanted[0], "attribute": self.wanted[1], "with": ", ".join(words)}

    def claims(self, hero: Hero) -> list[str]:
        named = zip(("ability", "attribute"), _OF, self.wanted, strict=True)
        found = [key for key, of, wanted in named if hero.score(of, wanted)[1]]
        return [*found, "time"] if self.halvings or self.doublings else found

    def pool(self, hero: Hero, modifier: int, refused: list[str]) -> Pool:
        """Add, Bonus and Penalty Dice (BAR-POOL, BAR-TIME)."""
        skill, attribute = self.wanted
        ability = hero.score("abilities", skill, refused="ability" in refused)[0]
        timely = "time" not in refused
        add, more = min(1, self.doublings), max(0, self.doublings - 1)
        add, more = (add - self.halvings, more) if timely else (0, 0)
        convert = min(self.convert, max(0, ability + min(0, add)))
        governs = hero.score("attributes", attribute, refused="attribute" in refused)[0]
        shifts = (governs, modifier, convert, more)
        return (
            1 + ability - convert + add,
            sum(n for n in shifts if n > 0),
            -sum(n for n in shifts if n < 0),
        )


@dataclass
class Fell:
    """A pool as it fell (BAR-ROLL, BAR-AUTO)."""

    add: int
    total: int
    botch: bool

    def judged(self, difficulty: int) -> tuple[bool, int]:
        """Whether it succeeds, and the level with its sign."""
        if self.add <= 0 or self.total < difficulty:
            return False, -(max(0, difficulty - self.total) // 5)
        return (False, 0) if self.botch else (True, (self.total - difficulty) // 5)


class Play:
    """A table of three with random scores."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.chance = world, Random(seed)
        people = (("Marek", world.ana), ("Ilka", world.ben), ("Vera", world.member("cora")))
        self.heroes = [Hero(name, by, {of: self._scores(of) for of in _OF}) for name, by in people]

    def _scores(self, of: str) -> dict[str, int]:
        lowest = -2 if of == "attributes" else 0
        return {
            each: self.chance.randint(lowest, 4) for each in self.chance.sample([*_PARENTS[of]], 6)
        }

    async def begin(self) -> None:
        await self.world.setup(system="barmore")
        for each in self.heroes:
            await bring(self.world, each.by, {"name": each.name, **each.scores})

    def idea(
        self, hero: Hero, wanted: tuple[str, str] | None = None, *, fails: bool = True
    ) -> Idea:
        """Something legal; an Add Die is left where it must not fail without a roll."""
        chance = self.chance
        skill, attribute = wanted or [chance.choice([*_PARENTS[of]]) for of in _OF]
        ability = hero.score("abilities", skill)[0]
        halvings, doublings = chance.choice([(0, 0), (0, 0), (0, 2), (0, 1), (1, 0), (2, 0)])
        halvings = halvings if fails else min(halvings, ability)
        convert = chance.randint(0, max(0, ability - halvings))
        return Idea(
            (skill, attribute),
            chance.choice([*_DICE]),
            chance.random() < 0.15,
            convert,
            halvings,
            doublings,
        )

    def fall(self, pool: Pool, idea: Idea) -> Fell:
        """Lay the dice of a pool, and say what comes of them."""
        add, left = pool[0], pool[1] - pool[2]
        if add <= 0 or idea.phobe:
            return Fell(add, 0 if add <= 0 else 5 * add + left, botch=False)
        sides, more = _DICE[idea.die]
        faces = [self.chance.randint(1, sides) for _ in range(add + abs(left))]
        self.world.dice.lay(*faces)
        total = sum(sorted(faces, reverse=left > 0)[:add]) + more * add
        return Fell(add, total, total <= add)

    async def do(self, who: Any, command: str, /, **options: Any) -> Any:
        return await who.slash(self.world.zone, command, **options)

    async def undone(self, before: TableState) -> bool:
        """One time in three what was done last is taken back, and nothing is as it was not."""
        if self.chance.random() > 0.3:
            return False
        await self.do(self.world.gina, "gm undo")
        now, was = [dict[str, Any](each.parts()) for each in (await self.world.state(), before)]
        assert now.keys() == was.keys()
        for key, part in was.items():
            changed = now[key]
            if key.startswith("encounter:"):  # whoever is called again begins their turn again
                changed = changed.replace(since=was[key].since)
            elif key.startswith("check:"):  # its old buttons are void
                changed = changed.replace(revision=was[key].revision, asked=was[key].asked)
            assert key == "counters" or changed == part
        return True


@pytest.fixture(params=range(60 if nightly() else 3))
async def play(world: World, request: pytest.FixtureRequest) -> Play:
    made = Play(world, request.param)
    await made.begin()
    return made


@pytest.mark.rule("BAR-COMPLEX", "BAR-TIME", "BAR-TRAIT")
async def test_complex_actions(play: Play) -> None:
    chance, world = play.chance, play.world
    for number in range(1, 4):
        hero, progress = chance.choice(play.heroes), (0, 0, 0)
        idea, every = play.idea(hero), chance.randint(1, 100)
        difficulty, required, task = chance.randint(-5, 25), chance.randint(1, 9), f"work {number}"
        given = {
            "name": task,
            "who": hero.name,
            "difficulty": str(difficulty),
            "required": required,
        }
        given |= {"every": f"{every} minutes", "skill": idea.wanted[0], "attribute": idea.wanted[1]}
        await play.do(world.gina, "barmore task start", **given, hidden=chance.random() < 0.3)
        for _ in range(4):
            idea, modifier = play.idea(hero, idea.wanted), chance.randint(-2, 2)
            claims = idea.claims(hero)
            refuses = [each for each in claims if chance.random() < 0.3]
            given = {"task": task, "with": idea.options()["with"], "modifier": modifier}
            before = await world.state()
            if claims:  # they wait for a GM
                await play.do(hero.by, "barmore task roll", **given)
                if await play.undone(before):
                    continue
                before = await world.state()
            fell = play.fall(idea.pool(hero, modifier, refuses), idea)
            if claims:
                more = {"refuse": ", ".join(refuses)} if refuses else {}
                await play.do(world.gina, "barmore task accept", task=task, **more)
            else:
                await play.do(hero.by, "barmore task roll", **given)
            assert world.dice.left == 0
            times = 1.0 if "time" in refuses else 2.0 ** (idea.doublings - idea.halvings)
            more = (fell.judged(difficulty)[1], ceil(every * times), 1)
            done, minutes, rolls = map(sum, zip(progress, more, strict=True))
            found = next(each for each in (await world.state()).own.values() if each.name == task)
            assert (found.done, found.minutes, found.rolls) == (done, minutes, rolls)
            if not await play.undone(before):
                progress = (done, minutes, rolls)
                if done >= required:
                    refusal_of(await play.do(hero.by, "barmore task roll", **given))
                    break


def _together(mode: str, pools: list[Pool]) -> Pool:
    """The one pool of a team (BAR-TEAM)."""
    adds, bonus, penalty = map(sum, zip(*pools, strict=True))
    most = max(each[0] for each in pools)
    if mode == "simple addition":
        return adds, bonus, penalty
    others = adds - most
    return (
        (most, bonus + others, penalty)
        if mode == "combining dice"
        else (most, bonus, penalty + others)
    )


@pytest.mark.rule("BAR-TEAM", "BAR-POOL", "BAR-ROLL", "BAR-AUTO")
async def test_teams(play: Play) -> None:
    chance, world = play.chance, play.world
    for number in range(1, 5):
        mode = chance.choice(("simple addition", "combining dice", "worst roller", "either or"))
        heroes = chance.sample(play.heroes, chance.randint(2, 3))
        ideas = [play.idea(each, fails=mode == "either or") for each in heroes]
        lead, first, check = heroes[0], ideas[0], f"c{number}"
        await play.do(lead.by, "barmore team start", mode=mode, approach="so", **first.options())
        for hero, idea in zip(heroes[1:], ideas[1:], strict=True):
            await play.do(hero.by, "barmore team join", check=check, **idea.options())
        difficulty, modifier = chance.randint(0, 30), chance.randint(-2, 2)
        await rule(world, str(difficulty), modifier=str(modifier))
        each = zip(heroes, ideas, strict=True)
        pools = [idea.pool(hero, 0 if hero is not lead else modifier, []) for hero, idea in each]
        before = await world.state()
        lucky = heroes
        if mode == "either or":
            fell = [play.fall(*each) for each in zip(pools, ideas, strict=True)]
            lucky = [heroes[at := chance.randrange(len(heroes))]]
            world.dice.lay(at + 1)
        else:
            fell = [play.fall(_together(mode, pools), first)]
        await play.do(lead.by, "barmore team roll")
        assert world.dice.left == 0
        data = (await world.check(check)).data
        assert [(each.total, each.botch) for each in data.throws] == [
            (each.total, each.botch) for each in fell
        ]
        for hero, mine, throw in zip(heroes, fell, data.throws, strict=False):
            found, (good, level) = data.judge_roll(throw), mine.judged(difficulty)
            assert (found.success, found.degree) == (
                good and hero in lucky,
                level if hero in lucky else min(level, 0),
            )
        good = lead in lucky and fell[0].judged(difficulty)[0]
        assert card(world, check).startswith("## ✓" if good else "## ✗")
        if await play.undone(before):
            await play.do(lead.by, "barmore team roll")


@pytest.mark.rule("BAR-PHASE", "BAR-MULTI")
async def test_phases(play: Play) -> None:
    chance, world = play.chance, play.world
    await play.do(world.gina, "initiative start")
    for hero in play.heroes:
        await play.do(hero.by, "initiative join")
    await play.do(world.gina, "initiative next")
    ends = {each.name: 1 for each in play.heroes}
    scores = {each.name: each.score("attributes", "Reaction Time")[0] for each in play.heroes}
    for _ in range(12):
        before, now = await world.state(), min(ends.values())
        (found,) = before.encounters.values()
        names = [before.characters[each.character or ""].name for each in found.order]
        assert found.round == now
        assert dict(zip(names, [each.ends or 1 for each in found.order], strict=True)) == ends
        assert [(ends[each], -scores[each]) for each in names] == sorted(
            (ends[each], -scores[each]) for each in names
        )
        hero, number = chance.choice(play.heroes), chance.randint(1, 3)
        busy = ends[hero.name] > now
        costs = [chance.randint(1, 9) for _ in range(number)]
        by = chance.choices(("Reaction Time", "Speed", "Wits"), k=number)
        governs = [hero.score("attributes", each)[0] for each in by]
        took = [max(1, cost - score) for cost, score in zip(costs, governs, strict=True)]
        given = {"action": "so", "cost": ", ".join(map(str, costs)), "score": ", ".join(by)}
        if busy:
            refusal_of(await play.do(hero.by, "barmore act", **given))
        await play.do(hero.by, "barmore switch" if busy else "barmore act", **given)
        if not await play.undone(before):
            ends[hero.name] = now + 2 * busy + (took[0] if number == 1 else max(took) + number)
            scores[hero.name] = governs[took.index(max(took))]
