"""Random flows of MasterBook's special effects through the commands, with their referee: castings,
durations, rituals and charges.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

import pytest

from rules.systems.masterbook.character.sheet import attribute
from tests.discord.masterbook.table import newest, sheet
from tests.discord.rounds import acts
from tests.discord.world import labels, message_of, texts
from tests.flows.flow_table import agree
from tests.flows.masterbook_effects_referee import (
    CROWD,
    ENCOURAGED,
    PARTICIPATION,
    PERFORMED,
    RELATED,
    Casting,
    Figures,
    Running,
    accurate,
    begun_rounds,
    cast,
    concentrating,
    crowd_number,
    hurts,
    in_words,
    moved,
    ranked,
    seconds,
)
from tests.flows.masterbook_referee import ROUND, Result, bonus, damage, level, take_roll
from tests.flows.test_masterbook import Person, Referee, minus

_SKILL: Final = "Conjuration"
#: Values that effects change here: none of them is cast with.
_TRAITS: Final = ("strength", "charisma")
#: Casting of a caster that fails before the roll of its effect.
_FAILED: Final = Casting(False, 0, 0, 0)
_MINUTE: Final = 60
#: How a line about an effect that runs ends.
_RUNS: Final = re.compile(
    r", (\d+ (day|hour|minute|second|round)s?\b[^:]*|run out)( \(illusion\))?\.$"
)


def signed(number: int) -> str:
    """A change as lists write it."""
    return f"+{number}" if number > 0 else minus(number)


def listing(numbers: list[int]) -> str:
    """Numbers as cards list them: `9, −1 and 8`."""
    *first, last = map(minus, numbers)
    return f"{', '.join(first)} and {last}" if first else last


class Spell(NamedTuple):
    """An effect as a caster knows it."""

    name: str
    figures: Figures
    learned: bool
    data: dict[str, Any]

    @property
    def row(self) -> dict[str, Any]:
        """The effect as a file has it."""
        given = {"given": {"dn": self.figures.dn, "fv": self.figures.fv}}
        return {"blueprint": self.data | given, "learned": self.learned, "approved": True}

    @property
    def own(self) -> Figures:
        """The figures before what the world adds."""
        return self.figures if self.learned else self.figures.unlearned()

    @property
    def traits(self) -> tuple[str, ...]:
        return tuple(self.data.get("traits", ()))

    @property
    def conditions(self) -> list[dict[str, Any]]:
        return self.data.get("conditions", [])


class Thrown(NamedTuple):
    """A casting as it fell: its total, its outcome, and the effect value that takes hold."""

    total: int | None
    outcome: Casting
    value: int


class Spells(Referee):
    """The same table, whose characters cast special effects; GMs read of NPCs in their channel."""

    gm_channel = True

    async def begin(self) -> None:
        flow = self.flow
        self.resisted, self.failing, self.breaking = (flow.likely(0.5) for _ in range(3))
        self.harder = flow.pick((0, 0, 2, 5))
        self.rules = (
            ("effect_feedback_resist", "mind" if self.resisted else "none"),
            ("effect_failure_feedback", "on" if self.failing else "off"),
            ("effect_interrupt_feedback", "on" if self.breaking else "off"),
            ("effect_world_difficulty", str(self.harder)),
        )
        self.running: list[Running] = []
        #: What the GM read in answer to the last casting of an NPC.
        self.answered = ""
        self.counting = False
        #: Whether a caster whom feedback put out has kept charges.
        self.stored = False
        #: Whether turns end by themselves, so that the last action of a round begins the next.
        self.turning = False
        #: Round in which a casting that takes several has begun.
        self.began = 0
        #: Whether the GM has let a helper fail, and the average skill of those without a name.
        self.unhelped, self.average = False, 0
        #: NPC at which a charge goes off.
        self.mark: Person | None = None
        #: Names of the illusions that Boris has seen through.
        self.seen_through: set[str] = set()
        await super().begin()

    # --- casters and their effects ----------------------------------------------------------------

    def spell(self, name: str, *, learned: bool = True, **more: Any) -> Spell:
        """An effect with any figures and values."""
        flow = self.flow
        figures = Figures(flow.chance.randint(3, 16), flow.chance.randint(0, 14))
        given = more.pop("figures", None)
        data = {
            "name": name,
            "skill": _SKILL,
            "effect_value": flow.chance.randint(6, 22),
            "range_value": 9,
            "duration_value": flow.chance.randint(0, 9),
            "points_up": flow.pick((0, 3, 4)),
            "points_down": flow.pick((0, 2, 5)),
            "extension": flow.pick((0, 6, 9)),
        }
        return Spell(name, given or figures, learned, data | more)

    async def caster(self, *spells: Spell, npc: bool = False, hurt: bool | None = None) -> Person:
        """A character who knows these effects: Vesna, or an NPC that everybody sees."""
        flow = self.flow
        own = {"effects": [each.row for each in spells]}
        skills = {_SKILL: flow.chance.randint(4, 8)}
        if not npc:
            found = await self.bring(
                "Vesna", flow.ana, again=True, own=own, learned=skills, hurt=hurt
            )
            self.vesna = found
            return found
        self.count += 1
        name, own = f"Wizard {self.count}", own | {"life_points": 0}
        found = await self.bring(name, flow.gina, npc=True, own=own, learned=skills, hurt=hurt)
        found.points = 0
        await flow.do(flow.gina, "gm npc reveal", npc=name)
        return found

    async def victim(self) -> Person:
        """Boris, or an NPC without Life Points."""
        flow = self.flow
        if flow.likely(0.5):
            self.boris = await self.bring("Boris", flow.ben, again=True, hurt=False)
            return self.boris
        return await self.thug()

    async def thug(self) -> Person:
        """An NPC without Life Points."""
        flow = self.flow
        self.count += 1
        name = f"Thug {self.count}"
        own = {"life_points": 0}
        found = await self.bring(name, flow.gina, npc=True, hurt=False, own=own)
        found.points = 0
        await flow.do(flow.gina, "gm npc reveal", npc=name)
        return found

    async def calm(self) -> None:
        """Let everything run out that still does."""
        for _ in range(2):
            await self.flow.do(self.flow.gina, "gm time", advance="3 hours")
        self.running = []
        self.fell()

    def player(self, person: Person) -> Any:
        """Return who plays a caster."""
        return self.flow.gina if person.npc else self.flow.ana

    def mind(self, person: Person) -> int | None:
        """The Mind that resists feedback at this table; None if none does."""
        return person.data["mind"] if self.resisted else None

    def since(self, before: set[int]) -> str:
        """What messages of both channels say that are newer than those, the players' first."""
        world = self.flow.world
        found = [*world.messages(), *world.messages(world.gm_room)]
        return "\n".join(texts(each) for each in found if each.id not in before)

    def messages(self) -> set[int]:
        """The ids of all messages so far."""
        world = self.flow.world
        return {each.id for each in (*world.messages(), *world.messages(world.gm_room))}

    async def synchronize(self, *people: Person) -> None:
        """Take over the health that sheets have, where time has passed since."""
        for person in people:
            harm = (await sheet(self.flow.world, person.name)).harm
            person.wounds, person.shock, person.bleeders = harm.wounds, harm.shock, harm.bleeders
            person.k, person.down, person.o = harm.k, harm.down, harm.o
            person.knocked, person.fainted = harm.out_for, harm.fainted
            person.gone = harm.dead_for

    # --- one casting ------------------------------------------------------------------------------

    def _condition(self, person: Person, condition: dict[str, Any]) -> tuple[str, int, int, bool]:
        """Return how a card names a condition, what is rolled against which number, and whether
        tens are rolled again (MB-SFX-31).
        """
        kind = condition["kind"]
        if kind == "concentration":
            skilled = person.adds.get("Willpower", 0) > 0
            name = "Willpower" if skilled else "confidence"
            number = concentrating(condition["time_value"])
            return "Concentration", person.value(name) + person.worse(name), number, True
        if kind == "gesture":
            best = max(person.value("dexterity"), person.value("agility"))
            value = best + person.worse("agility")
            return "Gesture", value, PERFORMED[condition["level"]], True
        if kind == "incantation":
            value = person.value("mind") + person.worse("mind")
            return "Incantation", value, PERFORMED[condition["level"]], True
        value = person.value("Stealth") + person.worse("Stealth")
        return "Related skill", value, RELATED[condition["level"]], True

    def _supported(
        self, person: Person, spell: Spell, faces: list[int], text: str
    ) -> tuple[str, bool]:
        """Hold the rolls for conditions against a card. Return the kind of the one that failed, and
        whether the effect is rolled for in spite of it.
        """
        order = ("concentration", "community", "gesture", "incantation", "related_skill")
        for condition in sorted(spell.conditions, key=lambda each: order.index(each["kind"])):
            if condition["kind"] == "community":
                if not self._helped(condition, faces, text):
                    return "community", False
                continue
            name, value, number, trained = self._condition(person, condition)
            total = value + bonus(sum(take_roll(faces, trained)))
            met = total >= number
            sign = "✓" if met else "✗"
            self.flow.holds(
                "a condition", text, f"{sign} {name}", f": {minus(total)} against {number}"
            )
            if not met:
                kind = condition["kind"]
                return kind, kind == "concentration" and self.failing
        return "", True

    def _helped(self, condition: dict[str, Any], faces: list[int], text: str) -> bool:
        """Hold the rolls of Boris, and of helpers without a name, against a card. Return whether
        all have succeeded (MB-SFX-31, MB-SFX-S17).
        """
        number, crowd = PARTICIPATION[condition["participation"]], condition["helpers"] - 1
        if self.unhelped:
            self.flow.holds("a helper who fails", text, "✗ Helpers", "The helpers fail")
            return False
        name = self.helper_skill
        total = self.boris.value(name) + self.boris.worse(name)
        total += bonus(sum(take_roll(faces, True)))
        met, told = total >= number, f": {minus(total)} against {number}"
        if met and crowd:
            rolls = 1 if crowd >= CROWD else crowd
            totals = [self.average + bonus(sum(take_roll(faces, True))) for _ in range(rolls)]
            more = crowd_number(number, crowd)
            met = min(totals) >= more
            told += f", the group {listing(totals)} against {more}"
        self.flow.holds("helpers", text, f"{'✓' if met else '✗'} Helpers{told}")
        return met

    @property
    def helper_skill(self) -> str:
        """What Boris helps with."""
        return "Willpower" if self.boris.adds.get("Willpower", 0) else "confidence"

    def judge(self, person: Person, spell: Spell, chosen: int, text: str) -> Thrown:
        """Work a casting out from the dice that fell, and hold its card against that.

        (MB-SFX-20, MB-SFX-21, MB-SFX-31, MB-SFX-93)
        """
        flow, faces = self.flow, self.fell()
        head, figures = text.splitlines()[0], spell.own.harder(self.harder)
        spoiled, rolls = self._supported(person, spell, faces, text)
        if not rolls:
            self.no_more(faces)
            left = figures.fv if self.failing else 0
            self.feedback(person, left, head)
            return Thrown(None, _FAILED._replace(left=left), chosen)
        dice = take_roll(faces, person.trained(_SKILL))
        self.no_more(faces)
        total = person.value(_SKILL) + person.worse(_SKILL) + bonus(sum(dice))
        outcome = cast(total, figures, spoiled=bool(spoiled))
        self.feedback(person, outcome.left, head)
        self.rolled(text, dice)
        flow.holds("a casting", text, f"{minus(total)} against {figures.dn}")
        if not spoiled:
            self.verdict(head, total, figures.dn, person.value(_SKILL))
        return Thrown(total, outcome, chosen + outcome.surplus)

    def no_more(self, faces: list[int]) -> None:
        """All dice have been read; what is left is the initiative of a round that has come."""
        if not self.turning:
            self.flow.same("dice left", [], faces)

    def feedback(self, person: Person, left: int, head: str) -> Result:
        """Hold what feedback does against the head of a card."""
        result = hurts(left, self.mind(person))
        told = f"feedback {left}: {result.text() or 'no damage'}" if left else "no feedback"
        self.flow.holds(f"{left} feedback", head, told)
        return result

    def chosen(self, spell: Spell) -> tuple[int, int, list[str]]:
        """Choose an effect value of the band and an extension, and how a command names them."""
        flow, data = self.flow, spell.data
        low = max(0, data["effect_value"] - data["points_down"] // 2)
        high = data["effect_value"] + data["points_up"] // 2
        value = flow.chance.randint(low, high)
        extension = flow.pick((0, data["extension"]))
        words = [f"value {value}"] * (value != data["effect_value"])
        words += [f"extension {extension}"] * (extension > 0)
        return value, extension, words

    def prepare(self) -> None:
        """Lay the next dice out now and then, instead of leaving them to chance."""
        if self.flow.likely(0.3):
            self.flow.dice.lay(*self.flow.pick(((5, 6), (9, 9), (1, 2), (8, 4))))

    async def declare(
        self, person: Person, spell: Spell, target: Person | None, words: list[str]
    ) -> str:
        """`/effect cast`, by the caster's player. Returns the card as that player reads it."""
        flow = self.flow
        said_with = [*words, "meters 3"] if target is not None and target is not person else words
        result = await flow.do(
            self.player(person),
            "effect cast",
            effect=spell.name,
            target=None if target is None else target.name,
            **{"with": ", ".join(said_with) or None, "as": person.name if person.npc else None},
        )
        check = self._casting_check(await flow.world.state())
        if not person.npc:
            return flow.card(check)
        found = [texts(each) for each in (result.response, *result.followups) if each is not None]
        self.answered = "\n".join(found)
        mine = [each for each in found if f"check {check}" in each and "Only GMs see" in each]
        flow.same(f"the GM's card of {check} in {found}", 1, len(mine))
        return mine[0]

    # --- castings ---------------------------------------------------------------------------------

    def _any_spell(self) -> Spell:
        """An effect of any action that its result is told of at once."""
        flow = self.flow
        action = flow.pick(("words", "general", "raise", "lower", "damage"))
        more: dict[str, Any] = {"action": action}
        if action == "general":
            more["resisting_number"] = flow.chance.randint(5, 18)
        elif action in ("raise", "lower"):
            more["traits"] = flow.pick((["Strength"], ["Charisma"], ["Strength", "Charisma"]))
        return self.spell("Spark", learned=flow.likely(0.5), **more)

    async def castings(self) -> None:
        """MB-SFX-14, MB-SFX-20, MB-SFX-21, MB-SFX-23 to MB-SFX-26, MB-SFX-93, MB-SFX-S08, -S10,
        -S11.
        """
        flow, spell = self.flow, self._any_spell()
        npc = flow.likely(0.3)
        alone = spell.data["action"] in ("words", "general")
        paying = alone and not npc and flow.likely(0.5)
        if paying:
            await self.wait_for_points(10)
        person = await self.caster(spell, npc=npc)
        target = None if alone else await self.victim()
        value, extension, words = self.chosen(spell)
        before = await flow.moment() if flow.likely(0.2) else None
        seen = self.messages()
        if paying:
            await self._cast_and_pay(person, spell, value, words)
        else:
            self.prepare()
            text = await self.declare(person, spell, target, words)
            thrown = self.judge(person, spell, value, text)
            person.hit(hurts(thrown.outcome.left, self.mind(person)))
            told = self.since(seen)
            if person.npc and target is not None and target.npc:
                # Of what NPCs do to each other the GM may read in the answer alone.
                told = f"{told}\n{self.answered}"
            await self._takes_hold(person, spell, target, thrown, extension, told)
        await self.stands(person)
        if before is not None:
            await flow.back(before)
        if paying:
            await self.wait_for_points(0)
        await self.calm()

    @staticmethod
    def _casting_check(state: Any) -> str:
        """The id of the newest casting."""
        found = [each for each in state.checks.values() if each.kind == "cast"]
        return max(found, key=lambda each: each.number).id

    async def _cast_and_pay(
        self, person: Person, spell: Spell, value: int, words: list[str]
    ) -> None:
        """MB-LP-03: a Life Point lowers feedback as any damage."""
        flow = self.flow
        await self.declare(person, spell, None, words)
        check = self._casting_check(await flow.world.state())
        for who in (flow.ana, flow.ben):
            head = flow.card(check).splitlines()[0]
            if " so far" in head and flow.buttons("Accept result", check):
                await flow.press(who, "Accept result", check=check)
        text = flow.card(check).replace("unless changed, ", "").replace(" so far", "")
        thrown = self.judge(person, spell, value, text)
        result = hurts(thrown.outcome.left, self.mind(person))
        if result.text() and person.points and flow.buttons("React", check):
            result = await self.lower(person, result, flow.ana)
        elif flow.buttons("Pass", check):  # nobody reads off who has points left
            await flow.press(flow.ana, "Pass", check=check)
        person.hit(result)

    async def _takes_hold(
        self,
        person: Person,
        spell: Spell,
        target: Person | None,
        thrown: Thrown,
        extension: int,
        told: str,
    ) -> None:
        """Hold how an effect takes hold against the messages since its casting."""
        flow = self.flow
        if not thrown.outcome.works:
            flow.lacks("a failure", told, "takes hold", "Lasts ", "Over at once")
            return
        changes = await self._reaches(person, spell, target, thrown.value, told)
        if changes is None:
            return
        span = seconds(spell.data["duration_value"], extension)
        over = f"Over at once: it lasts {span} second{'s' * (span != 1)}."
        count = begun_rounds(span)
        lasts = (
            f"Lasts {count} round{'s' * (count != 1)}."
            if self.counting
            else f"Lasts {in_words(span)}."
        )
        flow.holds("a duration", told, over if span < ROUND else lasts)
        struck, burns = 0, False
        if spell.data.get("every_round") and target is not None:
            armored = target.data["toughness"] + target.data["layers"]
            struck = damage(thrown.value - armored).wounds
            burns = thrown.value >= armored
        if span >= ROUND:
            self.running.append(
                Running(
                    spell.name,
                    person.name,
                    person.name if target is None else target.name,
                    span,
                    spell.own,
                    changes,
                    keeps=spell.data.get("maintenance", False),
                    burns=burns,
                    wounds=struck,
                    disbelief=spell.data.get("unreal", {}).get("disbelief_dn"),
                )
            )
        await self.lists()
        if target is not None:
            await self.values(target)

    async def _reaches(
        self, person: Person, spell: Spell, target: Person | None, value: int, told: str
    ) -> dict[str, int] | None:
        """Hold what an effect does to its target. Return what it changes; None if it has reached
        nobody.
        """
        flow, data = self.flow, spell.data
        if data["action"] == "words":
            flow.holds("words", told, f"effect value {value}: the GM says what happens")
            return {}
        if data["action"] == "general":
            number = data["resisting_number"]
            works = value >= number
            shown = level(value - number) if works else "no effect"
            flow.holds("a level", told.casefold(), f"{shown} ({value} against {number})")
            return {} if works else None
        assert target is not None, "these are aimed at characters"
        if data["action"] == "damage":
            points = value - target.data["toughness"] - target.data["layers"]
            result = damage(points)
            if not target.npc:
                shown = result.text() or f"no damage to {target.name}"
                flow.holds(f"damage of {value}", told, shown)
            target.hit(result)
            await self.stands(target)
            # It goes on without harm, too.
            return {}
        changes: dict[str, int] = {}
        sign = 1 if data["action"] == "raise" else -1
        for name, met in zip(spell.traits, ranked(value, len(spell.traits)), strict=True):
            now = self.value_now(target, name.casefold())
            by = moved(met, now)
            if by:
                changes[name.casefold()] = sign * by
                flow.holds(
                    f"{met} against {name}", told, f"{name} {now} → {max(0, now + sign * by)}"
                )
        if not changes:
            flow.holds("no change", told, "has no effect")
        return changes or None

    # --- what runs --------------------------------------------------------------------------------

    def value_now(self, person: Person, name: str) -> int:
        """A value with all that works on it now; effects lower none below 0."""
        mine = [each for each in self.running if each.target == person.name]
        found = [each for each in mine if each.works and not each.doubted]
        return max(0, person.data[name] + sum(each.changes.get(name, 0) for each in found))

    async def values(self, *people: Person) -> None:
        """Hold the values of sheets against what effects change (MB-SFX-24, MB-SFX-26)."""
        for person in people:
            found = await sheet(self.flow.world, person.name)
            for name in _TRAITS:
                shown = attribute(found, name)
                self.flow.same(f"{person.name}'s {name}", self.value_now(person, name), shown)

    async def lists(self) -> None:
        """Hold the GM's list of what runs, with what is left of it (MB-SFX-26)."""
        result = await self.flow.do(self.flow.gina, "effect running")
        self.flow.done.pop()
        found = [each for each in texts(message_of(result)).splitlines() if _RUNS.search(each)]
        expected: list[str] = []
        for each in self.running:
            changes = [f"{name.capitalize()} {signed(by)}" for name, by in each.changes.items()]
            told = f": {', '.join(changes)}" if changes and not each.doubted else ""
            left = each.text(counted=self.counting)
            expected.append(f"{each.name} on {each.target}{told}, {left}.")
        self.flow.same("what runs", sorted(expected), sorted(found))

    async def start_rounds(self, *others: Person) -> None:
        """Begin rounds with both players' characters and these NPCs; that takes no time."""
        await self.count_rounds(*others)
        self.counting = True

    async def end_rounds(self) -> None:
        await self.flow.do(self.flow.gina, "initiative end")
        self.counting = self.turning = False
        self.fell()

    async def next_round(self) -> str:
        """Have the next round come; what is said of it."""
        flow, seen = self.flow, self.messages()
        begun = await self._round()
        while await self._round() == begun:
            await flow.do(flow.gina, "initiative next")
        self.fell()
        return self.since(seen)

    async def _round(self) -> int:
        return next(iter((await self.flow.world.state()).encounters.values())).round

    async def minutes(self, number: int) -> str:
        """Move the story's clock; what is said of it."""
        seen = self.messages()
        await self.flow.do(self.flow.gina, "gm time", advance=f"{number} minutes")
        self.fell()
        return self.since(seen)

    async def pass_time(self, people: dict[str, Person]) -> bool:
        """Let a round or minutes pass, and hold what ends, strikes, or may be maintained
        (MB-SFX-26, MB-SFX-28). Return whether it was a round.
        """
        flow = self.flow
        await self.synchronize(*people.values())
        if self.counting and flow.likely(0.6):
            span, told = ROUND, await self.next_round()
        else:
            number = flow.chance.randint(1, 2)
            span, told = number * _MINUTE, await self.minutes(number)
        for each in tuple(self.running):
            target, waited = people[each.target], each.lapsing
            count = 0 if target.dead else each.strikes(span)
            self._struck(each, target, count, told)
            ends = f"{each.name} on {each.target} ends"
            if not each.age(span):
                flow.lacks("an effect that goes on", told, ends, f"{each.name} has run out")
            elif each.keeps and not waited:
                figures = each.figures.upkeep().harder(self.harder)
                flow.holds(
                    "a call to maintain",
                    told,
                    f"{each.name} has run out. {each.caster} may maintain it"
                    f" (DN {figures.dn}, FV {figures.fv})",
                )
                each.lapsing = True
            else:
                self.running.remove(each)
                if not waited:
                    flow.holds("an effect that ends", told, ends)
        await self.lists()
        await self.values(*people.values())
        return span == ROUND

    def _struck(self, effect: Running, target: Person, count: int, told: str) -> None:
        """Hold how often an effect has struck anew, unless the target has died of it meanwhile."""
        shown = told.count(f"{effect.name} strikes again: {target.name}")
        if target.wounds + count * effect.wounds < 5:
            self.flow.same(f"{effect.name} strikes {target.name}", count, shown)

    async def maintain(self, effect: Running, person: Person) -> None:
        """MB-SFX-21, MB-SFX-28: roll to keep an effect up."""
        flow, who = self.flow, self.player(person)
        await self.synchronize(person)
        figures = effect.figures.upkeep().harder(self.harder)
        panel = message_of(await flow.do(who, "effect running"))
        label = f"Maintain {effect.name} (DN {figures.dn}, FV {figures.fv})"
        self.fell()
        result = await flow.press(who, label, panel)
        sent = result.response
        if sent is not None and label in labels(sent):
            # A form asks for the extension; it begins with that of the casting.
            result = await flow.press(who, label, sent)
            sent = result.response
        if sent is not None and "Roll" in labels(sent):
            result = await flow.press(who, "Roll", sent)
        text = flow.answer(result) if person.npc else await newest(flow.world)
        faces = self.fell()
        dice = take_roll(faces, person.trained(_SKILL))
        flow.same("dice left", [], faces)
        total = person.value(_SKILL) + person.worse(_SKILL) + bonus(sum(dice))
        outcome = cast(total, figures)
        flow.holds("maintenance", text, f"{minus(total)} against {figures.dn}")
        kept = "goes on for its whole duration" if outcome.works else "is over"
        flow.holds("maintenance", text, f"{effect.name} {kept}.")
        result = hurts(outcome.left, self.mind(person))
        if result.text():
            flow.holds("its feedback", text, f"Feedback {outcome.left} for {person.name}")
        person.hit(result)
        await self.stands(person)
        if outcome.works:
            effect.renew()
        else:
            self.running.remove(effect)
        await self.lists()

    async def doubt(self, effect: Running, person: Person) -> None:
        """MB-SFX-30: Boris doubts what he has seen, illusion or not."""
        flow, seen = self.flow, self.messages()
        encouraged, harder = flow.likely(0.4), flow.pick((0, 0, 2, -3))
        asked = {"effect": effect.name, "encouraged": encouraged or None}
        await flow.do(flow.ben, "effect disbelieve", **asked)
        panel = await flow.open(flow.gina, "GM: how plausible is it?", check=await flow.check())
        self.fell()
        if harder:
            opens = next(each for each in labels(panel) if each.endswith("…"))
            await flow.press(flow.gina, opens, panel)
            writes = next(each for each in labels(panel) if each.endswith("…"))
            await flow.write(flow.gina, panel, writes, number=str(harder))
            await flow.press(flow.gina, opens.removesuffix("…"), panel)
        else:
            await flow.press(flow.gina, "Pass", panel)
        faces, told = self.fell(), self.since(seen)
        total = person.value("intellect") + ENCOURAGED * encouraged
        total += person.worse("intellect") + bonus(sum(take_roll(faces, True)))
        flow.same("dice left", [], faces)
        flow.holds("a doubt", told, f"total **{minus(total)}**")
        if effect.disbelief is None:
            flow.holds("a real effect", told, "It is real.")
        else:
            number = effect.disbelief + harder
            flow.holds("an illusion", told, f"Illusion, disbelief DN {minus(number)}.")
            if total >= number:
                effect.doubted = True
                self.seen_through.add(effect.name)
        await self.lists()
        await self.values(person)

    def _lasting(self, name: str, action: str, **more: Any) -> Spell:
        """An effect that is cast easily, and lasts for some rounds."""
        flow = self.flow
        figures = Figures(flow.chance.randint(2, 7), flow.pick((0, 0, 1, 2)))
        lasts = {"duration_value": flow.chance.randint(5, 9), "extension": flow.pick((0, 7))}
        return self.spell(name, action=action, figures=figures, **lasts, **more)

    async def durations(self) -> None:
        """MB-SFX-24, MB-SFX-26, MB-SFX-28, MB-SFX-S13: effects over rounds and the story's clock,
        in any mix.
        """
        flow = self.flow
        keeps = {"maintenance": flow.likely(0.7)}
        boost = self._lasting("Boost", "raise", traits=["Strength"], **keeps)
        self.count += 1
        illusion = {"unreal": {"disbelief_dn": flow.pick((0, 6, 10))}}
        unreal = flow.pick(({}, illusion, illusion))
        fog = self._lasting(f"Fog {self.count}", "lower", traits=["Charisma", "Strength"], **unreal)
        burn = self._lasting("Burn", "damage", every_round=True, effect_value=14)
        word = self._lasting("Word", "words", maintenance=True)
        gloom = self._lasting("Gloom", "lower", traits=["Strength"], **keeps)
        vesna = await self.caster(boost, fog, burn, hurt=False)
        wizard = await self.caster(word, gloom, npc=True, hurt=False)
        boris = self.boris = await self.bring("Boris", flow.ben, again=True, hurt=False)
        people = {each.name: each for each in (vesna, wizard, boris)}
        spells = {vesna.name: (boost, fog, burn), wizard.name: (word, gloom)}
        acted: set[str] = set()
        for _ in range(9):
            if not self.counting and flow.likely(0.25):
                await self.start_rounds(wizard)
                acted = set()
            able = [each for each in (vesna, wizard) if each.name not in acted]
            await self.synchronize(*people.values())
            seen = [each for each in self.running if each.name == fog.name and not each.doubted]
            if seen and not self.counting and not boris.out and flow.likely(0.8):
                await self.doubt(seen[0], boris)
                continue
            if not able or flow.likely(0.4):
                if await self.pass_time(people):
                    acted = set()
                continue
            person = flow.pick(able)
            if person.out:
                break
            await self._goes_on(person, spells[person.name], people)
            acted |= {person.name} if self.counting else set()
        if self.counting:
            await self.end_rounds()
        await self.calm()

    async def _goes_on(
        self, person: Person, spells: tuple[Spell, ...], people: dict[str, Person]
    ) -> None:
        """A caster maintains what has run out, or casts what does not run."""
        flow = self.flow
        waiting = [each for each in self.running if each.caster == person.name and each.lapsing]
        if waiting:
            await self.maintain(flow.pick(waiting), person)
            return
        names = {each.name for each in self.running}
        free = [each for each in spells if each.name not in names]
        if not free:
            return
        spell = flow.pick(free)
        target = None if spell.data["action"] == "words" else people["Boris"]
        if target is not None and (target.dead or spell.name in self.seen_through):
            return
        value, extension, words = self.chosen(spell)
        seen = self.messages()
        text = await self.declare(person, spell, target, words)
        thrown = self.judge(person, spell, value, text)
        person.hit(hurts(thrown.outcome.left, self.mind(person)))
        await self.stands(person)
        await self._takes_hold(person, spell, target, thrown, extension, self.since(seen))

    # --- castings that take their time ------------------------------------------------------------

    async def _until_turn(self, name: str) -> None:
        """Go on until it is a character's turn."""
        while await acts(self.flow.world) != name:
            await self.flow.do(self.flow.gina, "initiative next")
        self.fell()

    async def rituals(self) -> None:
        """MB-SFX-20, MB-SFX-31, MB-SFX-S19 to MB-SFX-S22: castings of several rounds or minutes,
        with the rolls at their end; now and then broken off.
        """
        flow = self.flow
        time_value = flow.pick((6, 7, 8, 9, 11, 12))
        conditions: list[dict[str, Any]] = [
            {"kind": "concentration", "time_value": flow.chance.randint(0, time_value)},
            {"kind": "gesture", "level": flow.pick((3, 4))},
            {"kind": "incantation", "level": flow.pick((3, 4))},
            {
                "kind": "community",
                "helpers": flow.pick((1, 3, 7)),
                "participation": flow.pick(("dn8", "dn10")),
            },
        ]
        some = flow.some(conditions)
        rite = self.spell("Rite", action="words", cast_time_value=time_value, conditions=some)
        person = await self.caster(rite, hurt=False)
        value, extension, words = self.chosen(rite)
        if any(each["kind"] == "community" for each in some):
            self.boris = await self.bring("Boris", flow.ben, again=True, hurt=False)
            words.append("help Boris")
        if flow.likely(0.5):
            await self.start_rounds()
            await self._until_turn("Vesna")
            self.began, self.turning = await self._round(), True
        seen = self.messages()
        await self.declare(person, rite, None, words)
        check = self._casting_check(await flow.world.state())
        if await self._waits(check, seconds(time_value), some, person, rite):
            await self.synchronize(person)
            panel = await flow.open(flow.ana, "Cast", check=check)
            await flow.press(flow.ana, "Cast it now", panel)
            await self._help(check, some)
            thrown = self.judge(person, rite, value, flow.card(check))
            person.hit(hurts(thrown.outcome.left, self.mind(person)))
            if not self.counting:
                await self._takes_hold(person, rite, None, thrown, extension, self.since(seen))
            elif thrown.outcome.works:
                await self._reaches(person, rite, None, thrown.value, self.since(seen))
        if self.counting:
            await self.end_rounds()
        else:
            await self.stands(person)
        await self.calm()

    async def _help(self, check: str, conditions: list[dict[str, Any]]) -> None:
        """Have the helpers answer in any order, if they are asked: Boris, and the GM for those
        without a name. Boris may be silent.
        """
        flow, self.unhelped = self.flow, False
        asked = [each for each in conditions if each["kind"] == "community"]
        if not asked or "ready" not in flow.card(check).splitlines()[0]:
            return
        crowd = asked[0]["helpers"] - 1
        flow.holds("helpers", flow.card(check), f"0 of {1 + (crowd > 0)} helper")
        for who in flow.chance.sample(("Boris", "crowd"), 2):
            if who == "Boris":
                await self._boris_answers(check)
            elif crowd and not self.unhelped:
                await self._crowd_answers(check, crowd)
            if flow.likely(0.1):
                await flow.restart()

    async def _boris_answers(self, check: str) -> None:
        flow = self.flow
        if flow.likely(0.6):
            panel = await flow.open(flow.ben, "Help", check=check)
            rolls = next(each for each in labels(panel) if each.startswith("Roll"))
            await flow.press(flow.ben, rolls, panel)
            return
        panel = await flow.open(flow.gina, "GM: the helpers", check=check)
        self.unhelped = flow.likely(0.4)
        await flow.press(flow.gina, "Boris fails" if self.unhelped else "Roll for Boris", panel)

    async def _crowd_answers(self, check: str, crowd: int) -> None:
        flow, self.average = self.flow, self.flow.chance.randint(8, 14)
        panel = await flow.open(flow.gina, "GM: roll for the group", check=check)
        await flow.write(flow.gina, panel, "Average skill…", value=str(self.average))
        one = f"One roll for all {crowd}"
        await flow.press(flow.gina, one if crowd >= CROWD else f"Roll for {crowd} helpers", panel)

    async def _waits(
        self,
        check: str,
        span: int,
        conditions: list[dict[str, Any]],
        person: Person,
        spell: Spell,
    ) -> bool:
        """Let the time of a casting pass, and hold how far it has come. Return whether it comes to
        its rolls: nobody broke it off.
        """
        flow, passed = self.flow, 0
        kept = max(
            (seconds(each["time_value"]) for each in conditions if "time_value" in each), default=0
        )
        step = ROUND if self.counting else _MINUTE
        # In rounds it is over with the last one, in which the caster rolls.
        while "Ready to cast" not in flow.card(check):
            text = flow.card(check)
            if self.counting:
                passed = ROUND * (await self._round() - self.began)
                number = passed // ROUND + 1
                flow.holds("rounds", text, f"Casting: round {number} of {begun_rounds(span)}")
            else:
                flow.holds("a time", text, "Casting: until")
            flow.same("not ready", True, span - passed > (ROUND if self.counting else 0))
            concentrates = span - passed <= kept
            flow.same("concentrating", concentrates, ", concentrating" in text)
            if not self.counting and flow.likely(0.1):
                await flow.press(flow.ana, "Break off", check=check)
                flow.holds("broken off", flow.card(check), "Broken off: nothing happens")
                return False
            if concentrates and flow.likely(0.2):
                panel = await flow.open(flow.gina, "GM: the casting", check=check)
                await flow.press(flow.gina, "Distract the caster", panel)
                head = flow.card(check).splitlines()[0]
                flow.holds("distracted", head, "The casting is broken up")
                left = spell.own.harder(self.harder).fv if self.breaking else 0
                person.hit(self.feedback(person, left, head))
                return False
            if self.counting:
                await self.next_round()
            else:
                await self.minutes(1)
            passed += step
            if flow.likely(0.1):
                await flow.restart()
        if self.counting:
            passed = ROUND * (await self._round() - self.began)
        flow.same("ready", True, span - passed <= (ROUND if self.counting else 0))
        if self.counting:
            await self._until_turn("Vesna")
        return True

    # --- charges ----------------------------------------------------------------------------------

    async def charges(self) -> None:
        """MB-SFX-29, MB-SFX-31: an object is charged, goes from hand to hand, and is used up."""
        flow = self.flow
        count, level_of = flow.chance.randint(1, 3), flow.pick((0, 3, 4))
        trigger = [{"kind": "gesture", "level": level_of, "at_release": True}] * (level_of > 0)
        self.count += 1
        shoots = flow.likely(0.5)
        does: dict[str, Any] = {
            "action": "general",
            "resisting_number": flow.chance.randint(5, 18),
        }
        if shoots:
            does = {"action": "damage", "to_hit": "casting", "accuracy": flow.pick((0, 1, 3, 6))}
        wand = self.spell(
            f"Wand {self.count}", charges=count, conditions=trigger, extension=0, **does
        )
        vesna = await self.caster(wand, hurt=False)
        boris = self.boris = await self.bring("Boris", flow.ben, again=True, hurt=False)
        value, _, words = self.chosen(wand)
        seen = self.messages()
        text = await self.declare(vesna, wand, None, [*words, "into an oak wand"])
        thrown = self.judge(vesna, Spell(wand.name, wand.figures, True, {}), value, text)
        vesna.hit(hurts(thrown.outcome.left, self.mind(vesna)))
        await self.stands(vesna)
        holder, hand, self.mark = vesna, flow.ana, None
        if vesna.out:
            self.stored |= thrown.outcome.works
            count = 0
        elif not thrown.outcome.works:
            flow.lacks("no charges", self.since(seen), "An oak wand holds")
            count = 0
        else:
            plural = "s" * (count != 1)
            flow.holds("charges", self.since(seen), f"An oak wand holds {count} charge{plural} of")
        while count:
            if holder is vesna and flow.likely(0.3):
                await flow.do(flow.ana, "effect use", charge=wand.name, give="Boris")
                why = await flow.refused(flow.ana, "effect use", charge=wand.name)
                if not self.stored:
                    flow.holds("handed over", why, "Vesna carries no charges")
                holder, hand = boris, flow.ben
            count -= await self._release(wand, holder, hand, thrown.value, level_of, count)
        if not vesna.out:
            why = await flow.refused(hand, "effect use", charge=wand.name)
            if not self.stored:
                flow.holds("used up", why, f"{holder.name} carries no charges")
        await self.calm()

    async def _release(
        self, wand: Spell, holder: Person, hand: Any, value: int, level_of: int, count: int
    ) -> bool:
        """Release a charge, or fail with its trigger. Return whether one is gone."""
        flow, aim = self.flow, dict[str, Any]()
        shoots = wand.data["action"] == "damage"
        if shoots:
            if self.mark is None or self.mark.out:
                self.mark = await self.thug()
            aim = {"target": self.mark.name, "with": "meters 3"}
        seen = self.messages()
        before = await flow.moment() if flow.likely(0.15) else None
        await flow.do(hand, "effect use", charge=wand.name, **aim)
        told, faces = self.since(seen), self.fell()
        text = told if shoots else await newest(flow.world)
        met = True
        if level_of:
            _, base, number, trained = self._condition(holder, wand.conditions[0])
            total = base + bonus(sum(take_roll(faces, trained)))
            flow.holds("a trigger", text, f"total **{minus(total)}**", f"Gesture: {number}.")
            met = total >= number
        if met and self.mark is not None:
            await self._hits(holder, wand, self.mark, value, faces, told)
        flow.same("dice left", [], faces)
        if met:
            flow.holds(
                "a release", told, f"{wand.name} goes off from an oak wand, {count - 1} left"
            )
            if not shoots:
                await self._reaches(holder, wand, None, value, told)
        else:
            flow.holds(
                "a failed trigger", told, f"{wand.name} stays in an oak wand: the trigger failed"
            )
            flow.lacks("a failed trigger", told, "against")
        await self.stands(holder)
        if before is not None:
            await flow.back(before)
            if self.mark is not None:
                await self.synchronize(self.mark)
            return False
        return met

    async def _hits(
        self,
        person: Person,
        wand: Spell,
        target: Person,
        value: int,
        faces: list[int],
        told: str,
    ) -> None:
        """MB-SFX-22, MB-SFX-23, MB-SFX-S12: the holder rolls to hit; points above the defense are
        lost.
        """
        name = _SKILL if person.trained(_SKILL) else "mind"
        total = person.value(name) + person.worse(name) + bonus(sum(take_roll(faces, True)))
        defense = target.worse("agility")
        defense += max(target.value("Dodge"), target.value("agility"))
        self.flow.holds("a roll to hit", told, f"total **{minus(total)}**")
        hit = total + accurate(wand.data["accuracy"]) >= defense
        self.flow.holds("a roll to hit", told.casefold(), "hit: " if hit else "miss")
        if hit:
            target.hit(damage(value - target.data["toughness"] - target.data["layers"]))
        await self.stands(target)


KINDS: Final[dict[str, Callable[[Spells], Awaitable[None]]]] = {
    "castings": Spells.castings,
    "durations": Spells.durations,
    "rituals": Spells.rituals,
    "charges": Spells.charges,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_bot_and_the_referee_agree(kind: str) -> None:
    agree(Spells, KINDS, kind)
