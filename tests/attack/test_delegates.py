"""Attacks on what people arrange: who answers for whom and how long, being away, orders, and what
reminders tell.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

import pytest

from tests.attack.forged_requests import no_faults, send
from tests.discord.ego.table import ORC, PISTOL, bring, misses
from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.world import (
    DAY,
    HOUR,
    World,
    button,
    controls,
    labels,
    message_of,
    pings,
    private,
    refusal_of,
    texts,
)
from tests.example_counts import nightly

Begin = Callable[..., Awaitable[None]]
#: An NPC off stage, and a name that nobody has.
HIDDEN, NOBODY = "Zorvath", "Qorvath"
POST: Final[dict[str, Any]] = {"live": False, "step_in_minutes": 60}
SYSTEMS: Final = pytest.mark.parametrize(
    ("begin", "villain"),
    [(ego_table, "Orc"), (masterbook_table, "Thug")],
    ids=["ego", "masterbook"],
)
#: Where there is time for a reminder before silence is an answer.
SLOWLY: Final = POST | {"step_in_minutes": 10_000, "answer_hours": 24}
_SO: Final = {"approach": "so"}


def _forged(custom_id: str) -> Iterator[str]:
    """The id as it was, and with each of its pieces another."""
    yield custom_id
    pieces = custom_id.split(":")
    for at in range(1, len(pieces)):
        for other in ("k2", "pass", *(("", "1", "2", "k1", "c1", "b", "x") if nightly() else ())):
            yield ":".join([*pieces[:at], other, *pieces[at + 1 :]])


async def _nothing(world: World, who: Any, *messages: Any, values: tuple[str, ...] = ()) -> None:
    """Whatever somebody makes of these messages' buttons and menus, nothing changes, and each is
    answered.
    """
    before, faces = await world.revision(), [texts(each) for each in world.messages()]
    real = [each for message in messages for each in controls(message)]
    assert real
    offered = [one["value"] for each in real for one in each.get("options", ())]
    with no_faults():
        for control in real:
            for each in _forged(control["custom_id"]):
                for chosen in (None, (*offered, *values)[:1]):
                    told = world.emit(who, each[:100], messages[-1], values=chosen)
                    await world.env.settle()
                    assert told.response is not None or told.modal is not None, each
                    assert await world.revision() == before, (each, chosen)
    assert [texts(each) for each in world.messages()] == faces


async def _attacked(world: World, begin: Begin, villain: str, **settings: Any) -> Any:
    """A table by post at which Vesna is attacked: the message that asks Ana; and Eve, who plays
    nobody.
    """
    await begin(world, gm_channel=True, **POST | settings)
    await world.gina.slash(world.zone, "attack", target="Vesna", **{"as": villain, **_SO})
    return world.newest("Defend")


async def _ended(world: World, how: str, eve: Any) -> None:
    """Eve does not answer for Vesna any more."""
    match how:
        case "taken back":
            await world.ana.slash(world.zone, "delegate", character="Vesna", to=eve, back=True)
        case "over":
            await world.env.advance_time(2 * HOUR)
        case "given away":
            await world.ana.slash(world.zone, "character give", character="Vesna", to=world.ben)
        case _:
            await world.restart()
            await world.ana.slash(world.zone, "delegate", character="Vesna", to=eve, back=True)


@SYSTEMS
@pytest.mark.parametrize("how", ["taken back", "over", "given away", "taken back later"])
async def test_what_a_delegate_has_open_is_dead_once_they_are_none(
    world: World, begin: Begin, villain: str, how: str
) -> None:
    asks = await _attacked(world, begin, villain)
    eve = world.member("eve")
    assert refusal_of(await world.press(eve, asks, "Defend"))
    until = {"until": "1 hour"} if how == "over" else {}
    await world.ana.slash(world.zone, "delegate", character="Vesna", to=eve, **until)
    panel = message_of(await world.press(eve, asks, "Defend"))
    assert "Nothing has changed" not in texts(panel), texts(panel)
    await _ended(world, how, eve)
    await _nothing(world, eve, asks, panel, values=("parry", "active", "pass"))
    assert refusal_of(await world.press(eve, world.newest("Defend"), "Defend"))


@SYSTEMS
async def test_a_delegate_answers_and_no_more_than_that(
    world: World, begin: Begin, villain: str
) -> None:
    asks = await _attacked(world, begin, villain)
    eve = world.member("eve")
    await world.ana.slash(world.zone, "delegate", character="Vesna", to=eve)
    before = await world.revision()
    for command, options in (
        ("delegate", {"character": "Vesna", "to": world.ben}),
        ("delegate", {"character": "Vesna", "to": eve, "back": True}),
        ("orders give", {"order": "/react/pass", "character": "Vesna"}),
        ("orders take", {"order": "/react/pass", "character": "Vesna"}),
        ("orders npc", {"npc": "Vesna"}),
        ("character give", {"character": "Vesna", "to": eve}),
        ("character retire", {"character": "Vesna"}),
        ("character export", {"character": "Vesna"}),
        ("check", {"skill": "Stealth", "as": "Vesna", **_SO}),
        ("attack", {"target": "Boris", "as": "Vesna", **_SO}),
        ("attack", {"target": "Boris", "as": "Vesna", "weapon": PISTOL, **_SO}),
        ("away", {"back": True}),
        ("gm undo", {}),
    ):
        assert refusal_of(await eve.slash(world.zone, command, **options)), command
    told = world.emit(eve, "sg:order:1:give", asks, values=("k1///react/pass",))
    await world.env.settle()
    assert refusal_of(told)
    assert await world.revision() == before
    panel = message_of(await world.press(eve, asks, "Defend"))
    await world.press(eve, panel, "Pass")
    assert await world.revision() > before, "that is what they are there for"


@SYSTEMS
async def test_whom_nobody_knows_of_cannot_be_told_from_nobody(
    world: World, begin: Begin, villain: str
) -> None:
    await begin(world, gm_channel=True, **POST)
    await world.gina.slash(world.zone, "gm npc add", name=HIDDEN, stage="off")
    found: list[list[str]] = []
    for name in (HIDDEN, NOBODY):
        told = [
            refusal_of(await world.ana.slash(world.zone, command, **options))
            for command, options in (
                ("delegate", {"character": name, "to": world.ben}),
                ("delegate", {"character": name, "to": world.ben, "back": True}),
                ("orders give", {"order": "/react/pass", "character": name}),
                ("orders take", {"order": "/react/pass", "character": name}),
                ("orders npc", {"npc": name}),
            )
        ]
        found.append([each.replace(name, "X") for each in told])
    assert found[0] == found[1]
    state = await world.state()
    key = next(each.id for each in state.characters.values() if each.name == HIDDEN)
    for verb in ("give", "take"):
        answers = []
        for who in (key, "k99"):
            told = world.emit(world.ana, f"sg:order:1:{verb}", values=(f"{who}///react/pass",))
            await world.env.settle()
            answers.append(refusal_of(told).replace(who, "X"))
        assert answers[0] == answers[1] and HIDDEN not in answers[0]
    for command, option in (
        ("delegate", "character"),
        ("orders npc", "npc"),
        ("orders give", "character"),
    ):
        offered = await world.ana.autocomplete(world.zone, command, option, HIDDEN[:3])
        assert HIDDEN not in str(offered) and key not in str(offered), command


@SYSTEMS
async def test_an_order_is_forged_for_nobody_else(world: World, begin: Begin, villain: str) -> None:
    await begin(world, gm_channel=True, **POST)
    await world.ben.slash(world.zone, "orders give", order="/react/pass", character="Boris")
    before = await world.revision()
    own = message_of(await world.ana.slash(world.zone, "orders list"))
    with no_faults():
        for verb in ("give", "take", "away2", "", "\ud800"):
            for value in (
                "k2///react/pass",
                "k3///react/pass",
                "///react/pass",
                "k2",
                "k2/a/b/c/d",
                "\x00",
                "k2/" * 40,
            ):
                told = world.emit(world.ana, f"sg:order:1:{verb}", own, values=(value,))
                await world.env.settle()
                assert refusal_of(told), (verb, value)
        for options in (
            {"order": "/react/pass", "character": "Boris"},
            {"order": "/react/pass", "character": villain},
            {"order": "x/y/z/w"},
            {"order": "/react/pass", "keep": "x", "amount": 3},
            {"order": "/react/pass", "with": "narrate"},
        ):
            told = send(world, world.ana, "orders give", options)
            await world.env.settle()
            assert refusal_of(told), options
    assert await world.revision() == before


# --- being away -----------------------------------------------------------------------------------


@SYSTEMS
async def test_gms_answer_for_who_is_away_until_they_are_back(
    world: World, begin: Begin, villain: str
) -> None:
    await begin(world, gm_channel=True, **POST)
    await world.ben.slash(world.zone, "check", skill="Stealth", **_SO)
    await world.rule(number="8", level=None)
    rolls = world.card()
    assert refusal_of(await world.press(world.gina, rolls, "Roll"))
    await world.ben.slash(world.zone, "away", note="@everyone <@1> **at sea**")
    # GMs may be called besides, as he is waited for; the note itself calls nobody.
    *_, note = [each for each in world.messages() if "at sea" in texts(each)]
    assert pings(note, world.env) == []
    await world.ben.slash(world.zone, "away", back=True)
    await _nothing(world, world.gina, rolls)
    await world.ben.slash(world.zone, "away", until="1 hour")
    await world.env.advance_time(2 * HOUR)
    await _nothing(world, world.gina, rolls)
    await world.ben.slash(world.zone, "away", until="1 hour")
    before = await world.revision()
    await world.press(world.gina, world.card(), "Roll")
    assert await world.revision() > before


# --- reminders ------------------------------------------------------------------------------------


@SYSTEMS
async def test_a_reminder_names_nobody_who_is_hidden(
    world: World, begin: Begin, villain: str
) -> None:
    """Of an attack of somebody unseen, of their turn, and of what GMs are asked about them."""
    await begin(world, gm_channel=True, **SLOWLY)
    sheet = ORC if villain == "Orc" else {}
    await bring(world, world.gina, HIDDEN, sheet, npc=True)
    await world.gina.slash(world.zone, "attack", target="Vesna", **{"as": HIDDEN, **_SO})
    await world.gina.slash(world.zone, "initiative start")
    await world.gina.slash(world.zone, "initiative add", name=HIDDEN)
    await world.ana.slash(world.zone, "initiative join")
    for _ in range(3):
        await world.gina.slash(world.zone, "initiative next")
        await world.env.advance_time(2 * DAY)
    for who in (world.ana, world.ben, world.member("eve")):
        assert HIDDEN not in world.told(who)
    said_so = "\n".join([f"{each.content} {texts(each)}" for each in world.messages()])
    assert "Continued below" in said_so, "whoever is asked is asked again"


@SYSTEMS
@pytest.mark.parametrize("ends", ["taken back", "over"])
async def test_whoever_answers_no_more_is_reminded_of_nothing(
    world: World, begin: Begin, villain: str, ends: str
) -> None:
    asks = await _attacked(world, begin, villain, **SLOWLY)
    eve = world.member("eve")
    await world.ana.slash(world.zone, "delegate", character="Vesna", to=eve, until="30 hours")
    await world.env.advance_time(DAY + HOUR)
    called = [each for each in world.messages() if eve.id in pings(each, world.env)]
    assert called, "as long as they answer they are reminded"
    if ends == "taken back":
        await world.ana.slash(world.zone, "delegate", character="Vesna", to=eve, back=True)
    before = {each.id for each in world.messages()}
    await world.env.advance_time(3 * DAY)
    later = [each for each in world.messages() if each.id not in before]
    assert not [each for each in later if eve.id in pings(each, world.env)]
    assert button(asks, "Defend")


@SYSTEMS
async def test_a_delegate_reads_what_is_for_whom_they_answer_for_and_only_then(
    world: World, begin: Begin, villain: str
) -> None:
    """Of a check that is for its player alone: not before, not of another's, not after."""
    await begin(world, gm_channel=True, **SLOWLY)
    eve = world.member("eve")

    async def tries(who: Any, plan: str) -> None:
        said_so = {"skill": "Stealth", "visibility": "private", "approach": plan}
        await who.slash(world.zone, "check", **said_so)
        await world.rule(world.newest("Answer", world.gm_room), number="8", level=None)

    async def looks() -> str:
        before = world.told(eve)
        for command in (
            *("moves", "table show", "table last", "table waiting"),
            *("orders list", "character list"),
        ):
            await eve.slash(world.zone, command)
        for key in (await world.state()).checks:
            await eve.slash(world.zone, "odds", check=key)
        await world.env.advance_time(2 * DAY)
        return world.told(eve)[len(before) :]

    await tries(world.ana, "xbeforex")
    await tries(world.ben, "xanotherx")
    assert "xbeforex" not in await looks()
    await world.ana.slash(world.zone, "delegate", character="Vesna", to=eve)
    moves = message_of(await eve.slash(world.zone, "moves"))
    assert "Vesna" in texts(moves) and "Boris" not in texts(moves)
    opened = next(each for each in labels(moves) if each.startswith("Open"))
    check = message_of(await world.press(eve, moves, opened))
    assert "xbeforex" in texts(check)
    await world.ana.slash(world.zone, "delegate", character="Vesna", to=eve, back=True)
    await tries(world.ana, "xafterx")
    found = await looks()
    assert not [each for each in ("xafterx", "xanotherx", "xbeforex") if each in found]
    assert "Nothing to do right now" in private(await eve.slash(world.zone, "moves"))
    await _nothing(world, eve, moves, check)


@SYSTEMS
async def test_points_are_spent_by_nobody_who_was_a_delegate(
    world: World, begin: Begin, villain: str
) -> None:
    await begin(world, gm_channel=True, **POST)
    await world.ana.slash(world.zone, "check", skill="Stealth", **_SO)
    await world.rule(number="2", level=None)
    # Dice that points may still improve.
    world.dice.lay(*(misses(4) if villain == "Orc" else (5, 5)))
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert world.dice.left == 0
    eve, asks = world.member("eve"), world.newest("React")
    await world.ana.slash(world.zone, "delegate", character="Vesna", to=eve)
    panel = message_of(await world.press(eve, asks, "React"))
    spends = [each for each in labels(panel) if "Life Point" in each or "Karma" in each]
    assert spends, labels(panel)
    await world.ana.slash(world.zone, "delegate", character="Vesna", to=eve, back=True)
    before = (await world.state()).characters
    await _nothing(world, eve, asks, panel)
    assert (await world.state()).characters == before
    told = await world.press(
        world.ana, message_of(await world.press(world.ana, asks, "React")), spends[0]
    )
    assert "Nothing has changed" not in texts(message_of(told)), "its player still does"
