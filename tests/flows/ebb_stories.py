"""What a flow of EBB is made of: one thing after another that people at a table do, each
refereed.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tests.discord.world import controls, labels, message_of, texts
from tests.flows.ebb_play import (
    FREE,
    IMPOSSIBLE,
    MOOK,
    NPC,
    ROLL,
    YARDSTICK,
    Referee,
    Ruling,
    Side,
    head,
    numbers,
)
from tests.flows.ebb_referee import GROUPS, LADDER, SHIFTS, Person, Throw, counting, odds, shifted

Story = Callable[[Referee], Awaitable[None]]
#: Holds what a card says of a throw.
Judge = Callable[[str, Throw], None]
#: What somebody who is attacked may say themselves: nothing that makes it easier.
HARDER: Final = [each for each, levels in SHIFTS.items() if levels > 0]
IDEA, ANSWER = "as best I can", "out of the way"
ACCEPT = "Accept result"
_HITS: Final = ("Flesh wound", "Full damage")
#: What its button says, and what stands in a menu.
_SACRIFICE: Final = re.compile(r"Luck: (\w+)|Sacrifice 1 (\w+): just succeed")


# --- checks ---------------------------------------------------------------------------------------


async def check(ref: Referee) -> None:
    """EBB-PROPOSAL, EBB-ROLL: a proposal, an answer, dice or luck, Fate, and what comes of it."""
    flow = ref.flow
    side = ref.side(flow.pick(ref.players))
    side.modifier = flow.pick((0, 0, 0, 1, -2))
    suggested = flow.pick(("", "", *LADDER, "11"))
    if not suggested and not side.modifier and not side.says and flow.likely(0.5):
        owner = ref.owner(side.person)
        panel = message_of(await flow.do(owner, "check"))
        await ref.fill(owner, panel, side, approach=IDEA)
        panel_odds(ref, texts(panel), side)
        await flow.press(owner, "Send", panel)
    else:
        await propose(ref, "check", side, suggested)
    name = await flow.check()
    if flow.likely(0.1):
        await asked(ref, name, side)
    ruling = await ref.step(partial(ref.rule, name, side, suggested))
    throw = await decided(ref, name, ruling, lambda text, throw: ref.verdict(text, throw, ruling))
    if throw is not None and ref.gm_channel and ruling.how == ROLL:
        copies = [texts(each) for each in flow.world.messages(flow.world.gm_room)]
        copy = "\n".join(each for each in copies if f"check {name}" in each)
        failed = throw.verdict(ruling.threshold) != "Success"
        flow.same("the GM is told of a price", failed, "at a price" in copy)
        flow.lacks("the players", flow.card(name), "at a price")


async def propose(ref: Referee, command: str, side: Side, suggested: str = "", **more: Any) -> None:
    """A proposal by options."""
    given: dict[str, Any] = {
        "skill": side.skill,
        "attribute": side.attribute,
        "with": ", ".join(side.says) or None,
    }
    given |= {"difficulty": suggested or None, "approach": IDEA}
    if side.modifier:
        given["modifier"] = side.modifier
    await ref.flow.do(ref.owner(side.person), command, **given, **ref.as_(side.person), **more)


async def asked(ref: Referee, name: str, side: Side) -> None:
    """The GM asks back, and the player says a little more."""
    flow, owner = ref.flow, ref.owner(side.person)
    panel = await flow.open(flow.gina, "Answer", check=name)
    await flow.write(flow.gina, panel, "Ask…", question="And then?")
    await flow.write(owner, flow.button("Reply", name), "Reply", approach="and then slowly")


async def decided(ref: Referee, name: str, ruling: Ruling, judge: Judge) -> Throw | None:
    """From the GM's answer to the end of a check against a number. Returns what fell; None where
    nothing did.
    """
    flow, side = ref.flow, ruling.side
    text = flow.card(name)
    if ruling.how in (FREE, IMPOSSIBLE):
        flow.same("a sign", "✓" if ruling.how == FREE else "✗", head(text)[3])
        flow.same("dice of a check without a roll", [], flow.dice.take())
        return None
    if ruling.how == ROLL:
        shown = counting(ruling.threshold)
        expected = "a hidden difficulty" if ruling.hidden else f"against {ruling.threshold}"
        flow.holds("the threshold", head(text), expected)
        if shown and "(" in head(text):
            flow.holds("its name", head(text), f"({shown})")
    flow.same("open", True, (await flow.world.check(name)).is_open)
    if flow.likely(0.3) and ruling.how == ROLL and not ruling.hidden:
        await odds_told(ref, side, ruling.threshold, check=name)
    if flow.likely(0.3):
        offered = await luck_offered(ref, name, ruling)
        if offered and flow.likely(0.6):
            await ref.step(lambda: just(ref, name, side, flow.pick(offered)))
            return None
    throw = await ref.step(lambda: rolled(ref, name, side))
    return await stands(ref, name, side, throw, judge, hidden=ruling.hidden)


async def rolled(ref: Referee, name: str, side: Side) -> Throw:
    """The dice of one side against a number."""
    await ref.flow.press(ref.owner(side.person), "Roll", check=name)
    (throw,) = ref.thrown((side, side.modifier))
    return throw


async def stands(
    ref: Referee,
    name: str,
    side: Side,
    throw: Throw,
    judge: Judge,
    *,
    hidden: bool = False,
    hit: Callable[[Throw], bool] = lambda throw: False,
) -> Throw:
    """EBB-FATE: what fell is re-rolled or accepted, until it is final. `hit` tells if it hurts."""
    flow, owner = ref.flow, ref.owner(side.person)
    while True:
        text = flow.card(name)
        ref.told(text, side.person.name, throw)
        judge(text, throw)
        waits = ACCEPT in labels(flow.world.card(name))
        # What Fate somebody has is nobody's business, so a die that could fall again is waited for.
        decides = ref.decides(side, own=True, hidden=hidden, hurt=hit(throw))
        expected = side.die is not None if ref.window else decides
        flow.same("a reaction is open", expected, waits)
        flow.same("it says so", waits, "so far" in head(text))
        if not waits:
            return throw
        if flow.likely(0.5) and ref.can_reroll(side):
            throw = await ref.step(partial(ref.reroll, name, side, throw))
        else:
            await ref.step(partial(flow.press, owner, ACCEPT, check=name))
            text = flow.card(name)
            ref.told(text, side.person.name, throw)
            judge(text, throw)
            flow.lacks("final", head(text), "so far")
            return throw


# --- luck -----------------------------------------------------------------------------------------


async def luck_offered(ref: Referee, name: str, ruling: Ruling) -> list[str]:
    """EBB-LUCK: attributes that may be sacrificed instead of the roll: the one that counts, where
    one does.
    """
    flow, side = ref.flow, ruling.side
    panel = await flow.open(ref.owner(side.person), "React", check=name)
    found = list(_sacrifices(panel))
    likely = [side.counted] if side.counted else [ruling.luck] if ruling.luck else list(GROUPS)
    expected = [each for each in likely if side.person.value(each) >= 1]
    if ruling.how == YARDSTICK:
        flow.same("luck where nothing can fail", [], found)
    elif side.attribute and not side.counted:
        # Whether a refused or defied attribute still is the most relevant one, the rules do not
        # say.
        flow.same("luck", True, all(side.person.value(each) >= 1 for each in found))
    else:
        flow.same("luck", expected, found)
    return found


def _sacrifices(panel: Any) -> dict[str, str]:
    """The attributes that a panel offers to sacrifice, with the value in its menu; "" for a
    button.
    """
    found = dict.fromkeys(labels(panel), "")
    found |= {
        option["label"].strip(): option["value"]
        for each in controls(panel)
        for option in each.get("options", ())
    }
    meant = {label: _SACRIFICE.fullmatch(label) for label in found}
    return {each[1] or each[2]: found[label] for label, each in meant.items() if each is not None}


async def just(ref: Referee, name: str, side: Side, attribute: str) -> None:
    """EBB-LUCK: a point for a success that is only just one."""
    flow, owner = ref.flow, ref.owner(side.person)
    if flow.likely(0.5):
        await flow.do(
            owner, "spend", what="luck", choice=attribute, check=name, **ref.as_(side.person)
        )
    else:
        panel = await flow.open(owner, "React", check=name)
        value = _sacrifices(panel)[attribute]
        if value:
            await flow.choose(owner, panel, "Choose", value)
        else:
            await flow.press(owner, f"Luck: {attribute}", panel)
    side.person.give(attribute)
    text = flow.card(name)
    flow.same("dice of luck", [], flow.dice.take())
    flow.holds("luck", head(text), "only just")
    flow.lacks("luck", head(text), "extra")
    flow.holds("luck", text, f"1 {attribute} sacrificed")
    left = re.search(rf"1 {attribute} sacrificed, counts as (\d+)", text)
    # What an NPC has left is the GMs' alone.
    now = None if side.person.name in (NPC, MOOK) else side.person.value(attribute)
    flow.same("what is left", now, int(left[1]) if left else None)
    flow.lacks("a sign", head(text), *["✗"] * ("Hit" not in head(text)))
    flow.met.add("EBB-LUCK")


# --- odds -----------------------------------------------------------------------------------------

_PARTS: Final = {
    "1+ extra": "1",
    "2+ extra": "2",
    "3+ extra": "3",
    "near miss": "near miss",
    "clear failure": "clear failure",
    "automatic failure": "automatic",
    "including fumble": "fumble",
}


_CHANCE: Final = r"((?:[a-z]+ )?[\d.]+%)"


def panel_odds(ref: Referee, text: str, side: Side) -> None:
    """The odds that a player's panel tells for every level."""
    for name, value, parts in re.findall(r"(?m)^(?:- )?([\w +]+) \((\d+)\): (.+%.*)$", text):
        ref.flow.same("a level", LADDER[name], int(value))
        exact = odds(side.die, side.value, int(value))
        first, *more = parts.split(" · ")
        ref.chance_told("odds in a panel", exact["success"], first)
        for part in more:
            key = next(each for each in _PARTS if part.startswith(each))
            ref.chance_told(key, exact[_PARTS[key]], part.removeprefix(key))


async def idea_odds(ref: Referee) -> None:
    """/odds of what somebody has in mind, against one number or all of the ladder."""
    flow = ref.flow
    side = ref.side(flow.pick(ref.players))
    side.modifier = flow.pick((0, 0, -3, 2))
    level = flow.pick(("", *LADDER, str(flow.chance.randint(4, 40))))
    given = {"skill": side.skill, "attribute": side.attribute, "with": ", ".join(side.says) or None}
    given |= {"difficulty": level or None}
    if level:
        await odds_told(ref, side, shifted(LADDER.get(level) or int(level), side.levels), **given)
        return
    told = await _odds(ref, side, **given)
    for name, base in LADDER.items():
        threshold = shifted(base, side.levels)
        level = f"{counting(threshold)} {threshold}"
        found = re.search(
            rf"{re.escape(level)}: as it is {_CHANCE}(?:, with a re-roll \(1 Fate\) {_CHANCE})?",
            told,
        )
        if found:
            exact = odds(side.die, side.value + side.modifier, threshold)
            ref.chance_told(f"odds of {name}", exact["success"], found[1], 1)
            if found[2]:
                ref.chance_told(f"odds of {name} with a re-roll", exact["fate"], found[2], 1)
    flow.same("levels told", True, "as it is" in told)


async def _odds(ref: Referee, side: Side, **options: Any) -> str:
    """What /odds says, its picture in words included."""
    if side.modifier and "check" not in options:
        options["modifier"] = side.modifier
    result = await ref.flow.do(ref.owner(side.person), "odds", **options)
    pictures = [each.description or "" for each in message_of(result).message.attachments]
    return "\n".join((ref.flow.answer(result), *pictures))


async def odds_told(ref: Referee, side: Side, threshold: int, **options: Any) -> None:
    """The odds against one number, of an idea or of a check as it was ruled."""
    told = await _odds(ref, side, **options)
    exact = odds(side.die, side.value + side.modifier, threshold)
    first = told.partition("\n")[0]
    ref.flow.holds("the threshold of the odds", first, f"against {threshold}")
    ref.chance_told("odds", exact["success"], first)
    for line in told.replace("Chances of success. ", "\n").replace(". With", "\nWith").splitlines():
        for beginning, key in (("As it is: ", "success"), ("With a re-roll (1 Fate): ", "fate")):
            plain = line.removeprefix("- ")
            if plain.startswith(beginning):
                parts = plain.removeprefix(beginning).split(", ")
                ref.chance_told(beginning, exact[key], parts[0], 1)
                for part in parts[1:] if key == "success" else ():
                    name = next(each for each in _PARTS if part.startswith(each))
                    ref.chance_told(name, exact[_PARTS[name]], part.removeprefix(name), 1)
    can = ref.can_reroll(side)
    ref.flow.same("odds of a re-roll are told", can, "re-roll (1 Fate)" in told)


# --- contests and attacks -------------------------------------------------------------------------


async def opposed(ref: Referee, command: str) -> None:
    """EBB-OPPOSED: both sides roll; a hit comes of an attack."""
    flow = ref.flow
    npc = ref.npcs_roll and flow.likely(0.5)
    target = flow.pick(ref.players)
    others = [each for each in ref.players if each is not target]
    side = ref.side(ref.people[NPC] if npc else others[0])
    await propose(ref, command, side, target=target.name)
    name = await flow.check()
    ruling, against = Ruling(ROLL, side), 0
    if not npc:  # what the GM begins needs no answer
        ruling, against = await ref.step(lambda: ref.rule_opposed(name, side))
    side = ruling.side
    if flow.likely(0.15):
        offered = await luck_offered(ref, name, ruling)
        if offered:
            await ref.step(lambda: just(ref, name, side, flow.pick(offered)))
            await struck(ref, name, target, command)
            return
    label = "Defend" if command == "attack" else "Respond"
    defense, luck, both = await ref.step(
        lambda: both_rolled(ref, name, side, target, label, against)
    )
    if luck:
        evaded(ref, name, target, luck, command)
        return
    won = await contested(ref, name, (side, defense), both, command)
    if won:
        await struck(ref, name, target, command)


async def met(ref: Referee, name: str, target: Person, label: str) -> tuple[Side, str | None]:
    """Whoever is attacked chooses: what to roll with, or a point to sacrifice."""
    flow, owner = ref.flow, ref.owner(target)
    defense = ref.side(target, ref.says(HARDER))
    panel = await flow.open(owner, label, check=name)
    luck = None
    offered = flow.offered(panel, "Luck")[1:]
    flow.same("luck of a defender", [each for each in GROUPS if target.value(each) >= 1], offered)
    if offered and flow.likely(0.2):
        luck = flow.pick(offered)
        defense = Side(target, None, None)
        await flow.choose(owner, panel, "Luck", luck)
    await ref.fill(owner, panel, defense, **{} if luck else {"approach": ANSWER})
    await flow.press(owner, label, panel)
    return defense, luck


async def both_rolled(
    ref: Referee, name: str, side: Side, target: Person, label: str, against: int
) -> tuple[Side, str | None, tuple[Throw, ...]]:
    """EBB-OPPOSED: the last side has answered, and all dice fall."""
    defense, luck = await met(ref, name, target, label)
    defense.modifier = against
    if luck is None:
        both = ref.thrown((side, side.opposed_bonus), (defense, defense.opposed_bonus))
        return defense, luck, tuple(both)
    defense.person.give(luck)
    return defense, luck, tuple(ref.thrown((side, side.opposed_bonus)))


def evaded(ref: Referee, name: str, target: Person, luck: str, command: str) -> None:
    """EBB-LUCK: the attack misses, only just, whatever fell."""
    text = ref.flow.card(name)
    if command == "attack":
        ref.flow.holds("luck of a defender", head(text), "Miss, only just")
    ref.flow.holds(
        "luck of a defender", text, f"1 {luck} sacrificed, counts as {target.value(luck)} "
    )
    ref.flow.met.add("EBB-LUCK")


async def contested(
    ref: Referee, name: str, sides: tuple[Side, Side], both: tuple[Throw, ...], command: str
) -> bool:
    """Both dice lie; Fate, until it is final. Returns whether the acting side has it."""
    flow, throws, last = ref.flow, list(both), 1
    while True:
        text = flow.card(name)
        won = outcome(ref, text, sides, throws, command)
        loser = sides[won]
        waits = "so far" in head(text)
        can = [ref.can_reroll(each) for each in sides]
        # Whoever has lost is waited for, or where they plainly can do nothing the other side; NPCs
        # are not.
        accepts = next((each for each in (loser, sides[not won]) if each.die is not None), None)
        awaited = accepts is not None and accepts.person.name != NPC
        if not ref.window:
            hurt, accepts = won and command == "attack", loser
            awaited = ref.decides(loser, own=int(won) == last, hurt=hurt)
        flow.same("a reaction is open", awaited, waits)
        if not waits or accepts is None:
            return won
        index = int(won) if flow.likely(0.7) else int(not won)
        if can[index] and flow.likely(0.5):
            throws[index] = await ref.step(partial(ref.reroll, name, sides[index], throws[index]))
            last = index
            continue
        await ref.step(partial(flow.press, ref.owner(accepts.person), ACCEPT, check=name))
        outcome(ref, flow.card(name), sides, throws, command)
        return won


def outcome(
    ref: Referee, text: str, sides: tuple[Side, Side], throws: list[Throw], command: str
) -> bool:
    """EBB-OPPOSED: who has it, by how much, and what a card says of it."""
    flow, (mine, theirs) = ref.flow, throws
    for side, throw in zip(sides, throws, strict=True):
        ref.told(text, side.person.name, throw)
    won = not mine.automatic and (theirs.automatic or mine.total >= theirs.total)
    words = head(text)
    if command == "attack":
        flow.holds("the outcome", words, "Hit" if won else "Miss")
    elif won or not mine.automatic:
        flow.holds("the outcome", words, f"{sides[not won].person.name} wins")
    else:
        flow.holds("the outcome", words, mine.verdict(theirs.total))
    extra = re.search(r"(\d+) extra result", words)
    flow.same(
        "extra results", mine.extra(theirs.total) if won else 0, int(extra[1]) if extra else 0
    )
    flow.same("neither", mine.automatic and theirs.automatic, "neither gets what it wanted" in text)
    if not won:
        flow.holds("what a failure leaves", text, "The chance is lost.")
    flow.met |= {"EBB-OPPOSED"}
    return won


async def struck(ref: Referee, name: str, target: Person | None, command: str = "attack") -> None:
    """EBB-INJURY: whoever is hit chooses; whoever has no sheet or no Fitness takes it in full."""
    flow = ref.flow
    if command != "attack":
        flow.same("over", False, (await flow.world.check(name)).is_open)
        return
    flow.met.add("EBB-ATTACK")
    if target is None or target.name == NPC:
        await ref.step(lambda: npc_hurt(ref, name, target))
    else:
        await ref.step(lambda: hurt(ref, name, target))
        flow.met.add("EBB-INJURY")
    flow.same("over", False, (await flow.world.check(name)).is_open)


async def npc_hurt(ref: Referee, name: str, target: Person | None) -> None:
    """EBB-INJURY: an NPC takes what the table agreed on at once; the GM may change it."""
    flow, change = ref.flow, "Change the hit"
    text = flow.card(name)
    flow.holds("nobody is told", head(text), "the GM says how badly")
    flow.lacks("nobody is told", text, "Fitness 0", "New injury")
    soft = target is not None and target.value("Fitness") >= 1
    panel = await flow.open(flow.gina, change, check=name)
    (as_it_is,) = [each for each in labels(panel) if each.startswith("Tell it as it is")]
    flow.holds("what it did", as_it_is, "flesh wound" if soft else "injury (light)")
    if flow.likely(0.5):
        await flow.press(flow.gina, as_it_is, panel)
        flow.holds("as it is", head(flow.card(name)), "flesh wound" if soft else "(injury)")
        if target is not None and soft:
            target.give("Fitness")
        elif target is not None:
            target.hurt("injury", "", "light")
        return
    words = await said_by_gm(ref, name, panel)
    if target is not None:
        target.hurt(*words)


async def hurt(ref: Referee, name: str, target: Person) -> None:
    """What a hit does, to its end."""
    flow, owner, fitness = ref.flow, ref.owner(target), target.value("Fitness")
    if fitness >= 1:
        flow.same("what a hit may do", list(_HITS), labels(flow.world.card(name))[:2])
        if flow.likely(0.5):
            await flow.press(owner, "Flesh wound", check=name)
            target.give("Fitness")
            flow.holds("a flesh wound", head(flow.card(name)), "flesh wound")
            return
        await flow.press(owner, "Full damage", check=name)
    flow.holds("an injury", flow.card(name), "New injury: injury (light)")
    if flow.likely(0.3):
        target.hurt("injury", "", "light")
        return
    panel = await flow.open(flow.gina, "Reword the injury", check=name)
    target.hurt(*await said_by_gm(ref, name, panel))


async def said_by_gm(ref: Referee, name: str, panel: Any) -> tuple[str, str, str]:
    """A GM says what a hit does: in words, where, and how bad."""
    flow = ref.flow
    part, severity = flow.pick(("head", "left leg", "")), flow.pick(("light", "serious", "severe"))
    words = f"a wound of {name}"
    await flow.write(flow.gina, panel, text=words, part=part, severity=severity)
    label = next(each for each in labels(panel) if each in ("Save the injury", "Full damage"))
    await flow.press(flow.gina, label, panel)
    flow.holds("an injury", head(flow.card(name)), "(injury)")
    return words, part, severity


async def against_npc(ref: Referee, command: str) -> None:
    """EBB-ATTACK, EBB-OPPOSED: NPCs do not roll, so the threshold is the GM's."""
    flow = ref.flow
    side = ref.side(flow.pick(ref.players))
    target = flow.pick((None, ref.people[NPC]))
    await propose(ref, command, side, target=target.name if target else MOOK)
    name = await flow.check()
    ruling = await ref.step(partial(ref.rule, name, side, among=(ROLL,)))
    won = False

    def judge(text: str, throw: Throw) -> None:
        nonlocal won
        won = throw.verdict(ruling.threshold) == "Success"
        if command == "attack":
            hit_or_miss(ref, text, throw, ruling, won)
        else:
            ref.verdict(text, throw, replace(ruling, urgent=True))

    throw = await decided(ref, name, ruling, judge)
    if throw is None or won:
        await struck(ref, name, target, command)


def hit_or_miss(ref: Referee, text: str, throw: Throw, ruling: Ruling, hit: bool) -> None:
    """The head of an attack's card that was rolled against a number, by whoever rolled."""
    flow, words = ref.flow, head(text)
    flow.holds("a hit or not", words, "Hit" if hit else "Miss")
    flow.lacks("a hit or not", words, "Miss" if hit else "Hit")
    if throw.automatic:
        flow.same(
            "a one", True, ("every die shows 1" if throw.fumble else "main die shows 1") in text
        )
    if not ruling.hidden and "so far" in words and not throw.automatic:
        flow.holds("the numbers", words, numbers(throw.total, ruling.threshold))


async def ambush(ref: Referee, command: str) -> None:
    """EBB-ATTACK: an NPC's attack is the player's roll against the GM's number."""
    flow = ref.flow
    if ref.npcs_roll:
        await opposed(ref, command)
        return
    target = flow.pick(ref.players)
    base = flow.pick(list(LADDER))
    options = {
        "as": flow.pick((NPC, MOOK)),
        "target": target.name,
        "difficulty": base,
        "approach": IDEA,
    }
    await flow.do(flow.gina, command, **options)
    name = await flow.check()
    side, luck, throw = await ref.step(lambda: evading(ref, name, target, command))
    if throw is None:
        evaded(ref, name, target, luck, command)
        flow.same("over", False, (await flow.world.check(name)).is_open)
        return
    ruling = Ruling(ROLL, side, shifted(LADDER[base], side.levels), urgent=True)
    failed = False

    def judge(text: str, throw: Throw) -> None:
        nonlocal failed
        failed = throw.verdict(ruling.threshold) != "Success"
        if command == "attack":
            hit_or_miss(ref, text, throw, ruling, failed)
        else:
            ref.verdict(text.replace(f"{target.name}: ", "", 1), throw, ruling)

    def hits(throw: Throw) -> bool:
        return command == "attack" and throw.verdict(ruling.threshold) != "Success"

    await stands(ref, name, side, throw, judge, hit=hits)
    if failed:
        await struck(ref, name, target, command)


async def evading(
    ref: Referee, name: str, target: Person, command: str
) -> tuple[Side, str, Throw | None]:
    """Whoever an NPC attacks or faces rolls against the number, or sacrifices a point."""
    flow = ref.flow
    side, luck = await met(ref, name, target, "Roll to evade" if command == "attack" else "Roll")
    if luck:
        flow.same("dice of luck", [], flow.dice.take())
        target.give(luck)
        return side, luck, None
    (throw,) = ref.thrown((side, 0))
    return side, "", throw
