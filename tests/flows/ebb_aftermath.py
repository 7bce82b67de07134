"""What a flow of EBB is made of beside rolls against something: recovery, growing, what the GM
keeps, generators.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tests.discord.world import labels, texts
from tests.flows.ebb_play import ROLL, Referee, Side, head
from tests.flows.ebb_referee import (
    GROUPS,
    LEARNING,
    TIERS,
    Person,
    Throw,
    drawn,
    new_faults,
    new_person,
)
from tests.flows.ebb_stories import IDEA, decided

SEVERITIES = ("light", "serious", "severe")

# --- recovery -------------------------------------------------------------------------------------


async def treat(ref: Referee) -> None:
    """EBB-HEAL: treating an injury is a task roll."""
    flow = ref.flow
    healer, patient = flow.pick(ref.players), flow.pick(ref.players)
    if not [each for each in patient.injuries if not each["treated"]]:
        words = f"bruise {len(patient.injuries)}"
        given = {"character": patient.name, "what": "injury", "value": f"{words}; knee; serious"}
        await flow.do(flow.gina, "gm adjust", **given)
        patient.hurt(words, "knee", "serious")
    untreated = [each for each in patient.injuries if not each["treated"]]
    wanted = flow.pick(untreated)
    side = ref.side(healer)
    given = {"skill": side.skill, "attribute": side.attribute, "with": ", ".join(side.says) or None}
    # Whoever treats somebody else does not know what stands on their sheet.
    given |= {"injury": wanted["text"]} if healer is patient else {}
    target = None if healer is patient else patient.name
    await flow.do(ref.owner(healer), "heal", method="treat", target=target, approach=IDEA, **given)
    name = await flow.check()
    ruling = await ref.step(lambda: ref.rule(name, side, among=(ROLL,)))
    throw = await decided(ref, name, ruling, lambda text, throw: ref.verdict(text, throw, ruling))
    if throw is None or throw.verdict(ruling.threshold) == "Success":
        if healer is not patient and len(untreated) > 1:
            worst = max(untreated, key=lambda each: SEVERITIES.index(each["severity"]))
            flow.holds("the worst is", flow.card(name), "worst injury is treated")
            if wanted["text"] != worst["text"]:
                owner = ref.owner(patient)
                panel = await flow.open(owner, "Treat another injury", check=name)
                named = tuple(each["text"] for each in untreated if each is not worst)
                offered = [each for each in labels(panel) if each.startswith(named)]
                flow.same("injuries to choose from", len(untreated) - 1, len(offered))
                chosen = next(each for each in offered if each.startswith(wanted["text"]))
                await flow.press(owner, chosen, panel)
            else:
                worst["treated"] = True
                return flow.met.add("EBB-HEAL")
        next(each for each in patient.injuries if each["text"] == wanted["text"])["treated"] = True
        flow.holds("treated", flow.card(name).casefold(), f"{wanted['text']} is treated".casefold())
    flow.same("over", False, (await flow.world.check(name)).is_open)
    flow.met.add("EBB-HEAL")


async def worn(ref: Referee, person: Person) -> None:
    """Somebody with something to restore: the GM says so, where play has not."""
    flow = ref.flow
    for group in GROUPS:
        if person.value(group) and flow.likely(0.4):
            person.give(group)
            value = str(person.sacrificed[group])
            await flow.do(
                flow.gina, "gm adjust", character=person.name, what=f"lost:{group}", value=value
            )


async def rest(ref: Referee) -> None:
    """EBB-HEAL: rest restores what the GM says that it covers."""
    flow = ref.flow
    person = flow.pick(ref.players)
    await worn(ref, person)
    await ref.step(lambda: rested(ref, person))
    flow.met.add("EBB-HEAL")


async def rested(ref: Referee, person: Person) -> None:
    """A rest, asked for and answered, or said by the GM."""
    flow = ref.flow
    lost = {group: points for group, points in person.sacrificed.items() if points}
    if flow.likely(0.3):
        await flow.do(flow.gina, "heal", method="rest", target=person.name)
        person.sacrificed.clear()
        return
    if not lost:
        told = await flow.refused(
            ref.owner(person), "heal", method="rest", approach="a week in the hut"
        )
        flow.holds("why", told, person.name, "nothing that rest heals")
        return
    await flow.do(ref.owner(person), "heal", method="rest", approach="a week in the hut")
    name = await flow.check()
    panel = await flow.open(flow.gina, "Answer", check=name)
    covers = {
        group: flow.chance.randint(1, points) for group, points in lost.items() if flow.likely(0.4)
    }
    offered = [each for each in flow.offered(panel, "All the rest") if each.startswith("covers")]
    every = [
        f"covers: {group} {most + 1}" for group, points in lost.items() for most in range(points)
    ]
    flow.same("what may be covered", sorted(every), sorted(offered))
    if covers:
        chosen = [f"covers: {group} {points}" for group, points in covers.items()]
        await flow.choose(flow.gina, panel, "All the rest", *chosen)
    time = flow.likely(0.8)
    await flow.press(flow.gina, "Allow the rest" if time else "Refuse the rest", panel)
    text = flow.card(name)
    flow.same("a sign", "✓" if time else "✗", head(text)[3])
    restored = (covers or lost) if time else {}
    for group, points in restored.items():
        flow.holds("restored", text, f"{group} +{points}")
        person.sacrificed[group] -= points


async def session(ref: Referee) -> None:
    """EBB-HEAL: the end of a session restores every point."""
    flow = ref.flow
    for person in ref.people.values():
        await worn(ref, person)
    await ref.step(lambda: _session(ref))
    flow.met.add("EBB-HEAL")


async def _session(ref: Referee) -> None:
    await ref.flow.do(ref.flow.gina, "session start")
    await ref.flow.do(ref.flow.gina, "session end")
    for person in ref.people.values():
        person.sacrificed.clear()


# --- growing --------------------------------------------------------------------------------------


async def learn(ref: Referee) -> None:
    """EBB-FATE, EBB-DRAWBACK: a new ability at d4, with a drawback, for 10 Fate and the
    GM's yes.
    """
    flow = ref.flow
    person = flow.pick(ref.players)
    await fate_for(ref, person)
    await ref.step(lambda: _learn(ref, person))
    flow.met |= {"EBB-FATE", "EBB-DRAWBACK", "EBB-TIER"}


async def fate_for(ref: Referee, person: Person) -> None:
    """Sometimes enough Fate to grow."""
    if ref.flow.likely(0.6) and person.fate < LEARNING:
        await award(ref, person, 10)


async def _learn(ref: Referee, person: Person) -> None:
    flow, owner = ref.flow, ref.owner(person)
    skill, group, drawback = (
        f"Craft {len(person.dice)}",
        flow.pick(GROUPS),
        f"Fears craft {len(person.dice)}",
    )
    given = {
        "skill": skill,
        "attribute": group,
        "drawback": drawback,
        "explanation": "A long winter.",
    }
    gm = flow.likely(0.3)
    who, whose = (flow.gina, {"character": person.name}) if gm else (owner, {})
    if person.fate < LEARNING:
        flow.holds(
            "the price", await flow.refused(who, "character learn", **given, **whose), str(LEARNING)
        )
        return
    await flow.do(who, "character learn", **given, **whose)
    if gm or await allowed(ref):
        person.fate -= LEARNING
        person.dice[skill], person.groups[skill] = 4, group
        person.drawbacks.append(drawback)


async def allowed(ref: Referee) -> bool:
    """The GM's yes or no to the newest check."""
    flow, name = ref.flow, await ref.flow.check()
    panel = await flow.open(flow.gina, "Answer", check=name)
    yes = flow.likely(0.7)
    await flow.press(flow.gina, "Allow" if yes else "Refuse", panel)
    flow.same("a sign", "✓" if yes else "✗", head(flow.card(name))[3])
    return yes


async def advance(ref: Referee) -> None:
    """EBB-FATE, EBB-TIER: an ability one die higher, for the highest face of the new one."""
    flow = ref.flow
    person = flow.pick(ref.players)
    await fate_for(ref, person)
    await ref.step(lambda: _advance(ref, person))
    flow.met |= {"EBB-FATE", "EBB-TIER"}


async def _advance(ref: Referee, person: Person) -> None:
    flow, owner = ref.flow, ref.owner(person)
    skill = flow.pick(list(person.dice))
    die = person.dice[skill] + 2
    explained = flow.likely(0.5)
    given = {"skill": skill, "explanation": "A winter on the cliffs." if explained else None}
    if die > max(TIERS) or person.fate < die:
        refusal = await flow.refused(owner, "character advance", **given)
        flow.holds("why not", refusal, f"d{max(TIERS)}" if die > max(TIERS) else str(die))
        return
    result = await flow.do(owner, "character advance", **given)
    if explained and not await allowed(ref):
        return
    person.fate -= die
    person.dice[skill] = die
    told = flow.card(await flow.check()) if explained else flow.told(result)
    told = told.replace(" → ", " to ")  # as plain text has it
    flow.holds(
        "what was raised", told, f"d{die - 2} to d{die} ({TIERS[die]})", f"{die} Fate points spent"
    )


# --- what the GM keeps ----------------------------------------------------------------------------


async def award(ref: Referee, to: Person | None = None, amount: int = 0) -> None:
    """EBB-FATE: for one or for the whole party."""
    flow = ref.flow
    amount = amount or flow.chance.randint(1, 4)
    if to is None and flow.likely(0.5):
        to = flow.pick(ref.players)
    given = {"kind": "fate", "amount": amount, "to": to.name if to else None}
    await flow.do(flow.gina, "gm award", **given)
    party = [each for each in ref.people.values() if ref.owner(each) is not flow.gina]
    for person in [to] if to else party:
        person.fate += amount
    flow.met.add("EBB-FATE")


async def adjust(ref: Referee) -> None:
    """Values set by hand, and what follows from them."""
    flow = ref.flow
    person = flow.pick(list(ref.people.values()))
    await ref.step(lambda: _adjust(ref, person))
    flow.met |= {"EBB-INJURY", "EBB-LUCK", "EBB-DRAWBACK"}


async def _adjust(ref: Referee, person: Person) -> None:
    flow = ref.flow

    async def put(what: str, value: Any) -> None:
        await flow.do(flow.gina, "gm adjust", character=person.name, what=what, value=str(value))

    group = flow.pick(GROUPS)
    points = flow.chance.randint(0, person.base(group))
    if points != person.sacrificed.get(group, 0):
        await put(f"lost:{group}", points)
        person.sacrificed[group] = points
    skill, die = flow.pick(list(person.dice)), flow.pick(list(TIERS))
    if die != person.dice[skill]:
        await put(f"die:{skill}", f"d{die}")
        person.dice[skill] = die
    number = flow.chance.randint(1, len(person.drawbacks))
    person.drawbacks[number - 1] = f"Fears number {flow.chance.randint(0, 999)}"
    await put(f"drawback:{number}", person.drawbacks[number - 1])
    if flow.likely(0.5):
        words = f"scratch {flow.chance.randint(0, 999)}"
        await put("injury", f"{words}; ; light")
        person.hurt(words, "", "light")
    if person.injuries and flow.likely(0.5):
        gone = flow.pick(person.injuries)
        await put("healed", person.injuries.index(gone) + 1)
        person.injuries.remove(gone)
    if flow.likely(0.3):
        person.scarring.append(f"scar {flow.chance.randint(0, 999)}")
        await put("scar", person.scarring[-1])


async def hand_in(ref: Referee) -> None:
    """EBB-CHAR, EBB-DRAWBACK: which new characters are taken."""
    flow = ref.flow
    person = new_person(flow.chance, f"Newcomer {flow.chance.randint(0, 9999)}", 0)
    for _ in range(flow.chance.randint(0, 2)):
        person.dice[flow.pick(list(person.dice))] = flow.pick((4, 6, 8, 10))
    if flow.likely(0.3):
        gone = flow.pick(list(person.dice))
        del person.dice[gone], person.groups[gone]
    if flow.likely(0.3):
        person.drawbacks.pop()
    faults = new_faults(list(person.dice.values()), len(person.drawbacks))
    file = ("x.json", json.dumps(person.file()).encode())
    if faults:
        refusal = await flow.refused(flow.ana, "character import", file=file)
        named = {each for each in ("abilities", "drawbacks") if f"`{each}" in refusal}
        flow.same("what is wrong", faults, named)
    else:
        await flow.do(flow.ana, "character import", file=file)
        ref.people[person.name], ref.owners[person.name] = person, flow.ana
    flow.met |= {"EBB-CHAR", "EBB-DRAWBACK"}


# --- generators, rounds ---------------------------------------------------------------------------


async def generated(ref: Referee) -> None:
    """EBB-ANOMALY, EBB-ARTEFACT."""
    flow = ref.flow
    for kind in ("anomaly", "artefact"):
        if flow.likely(0.3):
            flow.dice.lay(20, flow.chance.randint(1, 10), 20)
        text = flow.answer(await flow.do(flow.ana, f"ebb {kind}"))
        fell = iter(flow.dice.take())
        for found in drawn(kind, fell):
            name, _, nature = found.partition(", ")
            flow.holds("a property", text, f"**{name}** ({nature})" if nature else f"**{name}**")
        flow.same("dice too many", [], list(fell))
        flow.met.add(f"EBB-{kind.upper()}")


async def initiative(ref: Referee) -> None:
    """EBB-ROUND: the house rule orders by main die and Alertness; by Alertness and name where those
    are equal.
    """
    flow = ref.flow
    # Perhaps it is so already.
    await flow.slash(flow.gina, "gm settings", setting="house_initiative", value="on")
    await flow.do(flow.gina, "initiative start")
    totals: dict[str, int] = {}
    for person in ref.players:
        told = flow.answer(await flow.do(ref.owner(person), "initiative join"))
        throw = Throw.read(iter(flow.dice.take()), None, person.value("Alertness"), 0)
        totals[person.name] = throw.total
        flow.holds("a score", told, f"= {throw.total}")
    order = sorted(
        ref.players, key=lambda each: (-totals[each.name], -each.value("Alertness"), each.name)
    )
    board = next(
        texts(each) for each in reversed(flow.world.messages()) if "Initiative:" in texts(each)
    )
    told = re.findall(r"(Marek|Ilka) \((-?\d+)\)", board)
    flow.same("the order", [(each.name, str(totals[each.name])) for each in order], told)
    await flow.do(flow.gina, "initiative end")
    flow.met.add("EBB-ROUND")


async def specialist(ref: Referee) -> None:
    """EBB-SPECIALIST: without a suitable ability nobody may try, and luck does not help unless the
    GM allows it.
    """
    flow = ref.flow
    person = flow.pick(ref.players)
    owner = ref.owner(person)
    attribute = flow.pick(GROUPS)
    await flow.do(owner, "check", approach=IDEA, attribute=attribute)
    name = await flow.check()
    panel = await flow.open(flow.gina, "Answer", check=name)
    await flow.choose(flow.gina, panel, "Difficulty", "Tricky")
    luck = flow.likely(0.5)
    await flow.choose(flow.gina, panel, "All the rest", "specialist", *["specialist-luck"] * luck)
    await flow.press(flow.gina, ROLL, panel)
    flow.lacks("no roll", "\\n".join(labels(flow.world.card(name))), "Roll")
    found = labels(await flow.open(owner, "React", check=name))
    can = [each for each in found if each.startswith("Sacrifice")]
    if not luck:
        flow.same("luck without the ability", [], can)
    panel = await flow.open(owner, "Edit", check=name)
    skill = flow.pick(list(person.dice))
    await flow.choose(owner, panel, "Skill", skill)
    await flow.press(owner, "Save changes", panel)
    ruling = await ref.rule(name, Side(person, skill, attribute), "Tricky", among=(ROLL,))
    await decided(ref, name, ruling, lambda text, throw: ref.verdict(text, throw, ruling))
    flow.met.add("EBB-SPECIALIST")
