"""Panels of the dice pool: told twice, pressed at once, two restarts old, outdated, not one's own,
typed in late.
"""

from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.services.replay import replay
from tests.discord.barmore import MAREK, bar_table, bring, roll, rule, sheet_of, side
from tests.discord.world import (
    World,
    button,
    card,
    head,
    labels,
    menu,
    message_of,
    private,
    refusal_of,
    select,
    selected_values,
    texts,
)

TEAM: dict[str, Any] = {
    "mode": "combining dice",
    "skill": "Boats",
    "attribute": "Muscle Power",
    "approach": "pull",
}
#: A GM's choice in the menu, and what it means.
REFUSAL = "disallow: ability"
REFUSED = "Disallow Rapier for Blades"
MORE = "All the rest"


async def restarts(world: World) -> None:
    """Twice, so that nothing can be known but from the file."""
    await world.restart()
    await world.restart()


async def whole(world: World) -> None:
    """What is stored is what the journal makes of it."""
    assert await replay(world.bot.tables.store, 1) == await world.state()


async def join_panel(world: World) -> Any:
    """Ben's panel under a team of Ana's, with an ability chosen."""
    await world.ana.slash(world.zone, "barmore team start", **TEAM)
    return await side(world, world.ben, "Join", "Athletics")


async def side_panel(world: World) -> Any:
    """Ben's panel for his side of a contest."""
    idea = {"target": "Ilka", "skill": "Boats", "approach": "row faster"}
    await world.ana.slash(world.zone, "contest", **idea)
    await rule(world, None)
    return await side(world, world.ben, "Respond", "Athletics")


async def task_message(world: World) -> Any:
    """The message of a complex action with its button."""
    work = {
        "name": "Mend the hull",
        "who": "Marek",
        "difficulty": "10",
        "required": 50,
        "every": "1 hour",
    }
    await world.gina.slash(world.zone, "barmore task start", skill="Boats", **work)
    return world.newest("Roll on")


async def justification_panel(world: World) -> Any:
    """Gina's panel under a proposal with a justification, with a Difficulty set."""
    await world.ana.slash(world.zone, "check", skill="Blades", approach="so", difficulty="6")
    return message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))


async def roll_panel(world: World) -> Any:
    """Ana's panel before the roll, with a die chosen."""
    await world.ana.slash(world.zone, "check", skill="Boats", approach="so")
    await rule(world, "15")
    panel = message_of(await world.press(world.ana, world.newest("Roll"), "Roll"))
    await world.choose(world.ana, panel, "Die", "d12-2")
    return panel


async def refuse(world: World, panel: Any) -> None:
    """Gina refuses what stands in for something."""
    await world.choose(world.gina, panel, MORE, REFUSAL)


# --- the gateway says it twice --------------------------------------------------------------------


async def test_each_kind_of_press_told_twice_is_done_once(world: World) -> None:
    await bar_table(world)

    async def twice() -> None:
        before, count = await world.revision(), len(world.messages())
        await world.again()
        await world.again()
        assert (await world.revision(), len(world.messages())) == (before, count)

    panel = await join_panel(world)
    await world.press(world.ben, panel, "Join")
    await twice()
    assert len((await world.state()).checks["c1"].data.other_entries) == 1
    panel = await side_panel(world)
    await world.press(world.ben, panel, "Respond")
    await twice()
    panel = message_of(await world.press(world.ana, await task_message(world), "Roll on"))
    await world.press(world.ana, panel, "Roll d8")
    await twice()
    panel = await justification_panel(world)
    await refuse(world, panel)
    await world.again()
    assert selected_values(panel, MORE) == [REFUSAL], "a choice told twice is one choice"
    await world.press(world.gina, panel, "Call for a roll")
    await twice()
    panel = await roll_panel(world)
    await world.press(world.ana, panel, "Keep the die, roll later")
    await twice()
    await world.gina.slash(
        world.zone, "gm adjust", character="Ilka", what="new wound", value="physical 2"
    )
    await twice()
    assert len((await sheet_of(world, "Ilka")).wounds) == 1
    await world.gina.slash(world.zone, "gm time", advance="400 days")
    await twice()
    await whole(world)


# --- two at once ----------------------------------------------------------------------------------


async def test_two_presses_at_once_are_one_deed(world: World) -> None:
    await bar_table(world)
    task = await task_message(world)
    panels = [message_of(await world.press(world.ana, task, "Roll on")) for _ in range(3)]
    pressed = [world.emit(world.ana, button(panel, "Roll d8"), panel) for panel in panels]
    await world.env.settle()
    private(pressed[0])
    for late in pressed[1:]:
        assert "has moved on: it has" in refusal_of(late)
    panel = await side_panel(world)
    send = button(panel, "Respond")
    pressed = [world.emit(world.ben, send, panel) for _ in range(2)]
    await world.env.settle()
    private(pressed[0])
    assert "That has moved on" in refusal_of(pressed[1])
    assert len((await world.state()).checks["c1"].data.throws) == 2
    await world.ana.slash(world.zone, "barmore team start", **TEAM)
    proposal = world.newest("Join")
    panels = []
    cora = world.member("cora")
    for who in (world.ben, world.gina):
        panels.append((who, world.emit(who, button(proposal, "Join"), proposal)))
    stranger = world.emit(cora, button(proposal, "Join"), proposal)
    await world.env.settle()
    refusal_of(stranger)
    panel = message_of(panels[0][1])
    await world.choose(world.ben, panel, "Skill", "Knives")
    pressed = [world.emit(world.ben, button(panel, "Join"), panel) for _ in range(2)]
    await world.env.settle()
    team = (await world.state()).checks["c2"]
    assert [each.who for each in team.data.other_entries] == ["k2"]
    await whole(world)


async def test_joining_and_rolling_at_once(world: World) -> None:
    """Whoever comes second is told, or is in; the dice fit the pool either way."""
    await bar_table(world)
    await world.ana.slash(world.zone, "barmore team start", **TEAM)
    await rule(world, "15")
    panel = await side(world, world.ben, "Join", "Athletics")
    mine = message_of(await world.press(world.ana, world.newest("Roll"), "Roll"))
    rolled = world.emit(world.ana, button(mine, "Roll d8"), mine)
    joined = world.emit(world.ben, button(panel, "Join"), panel)
    await world.env.settle()
    private(rolled)
    assert "That has moved on" in refusal_of(joined)
    data = (await world.state()).checks["c1"].data
    assert data.other_entries == () and data.throws
    await whole(world)


# --- two restarts old -----------------------------------------------------------------------------


async def test_panels_two_restarts_old_act(world: World) -> None:
    await bar_table(world)
    panel = await join_panel(world)
    await restarts(world)
    await world.press(world.ben, panel, "Join")
    assert "**Ilka:** Athletics 1" in card(world)
    panel = await side_panel(world)
    await restarts(world)
    await world.choose(world.ben, panel, "Die", "d4+2")
    await restarts(world)
    await world.press(world.ben, panel, "Respond")
    assert "d4+2" in card(world, "c2")
    panel = await justification_panel(world)
    await restarts(world)
    await refuse(world, panel)
    await restarts(world)
    await world.press(world.gina, panel, "Call for a roll")
    assert "nothing stands in for Blades" in card(world, "c3")
    panel = await roll_panel(world)
    await restarts(world)
    await world.press(world.ana, panel, "Keep the die, roll later")
    assert "d12-2" in card(world, "c4")
    await whole(world)


# --- outdated -------------------------------------------------------------------------------------


async def test_panels_of_what_is_over_say_so_and_change_nothing(world: World) -> None:
    await bar_table(world)
    team, other, justification, ready = [
        await make(world) for make in (join_panel, side_panel, justification_panel, roll_panel)
    ]
    while any(check.is_open for check in (await world.state()).checks.values()):
        await world.gina.slash(world.zone, "gm undo")
    before = await world.revision()
    for who, panel, label in (
        (world.ben, team, "Join"),
        (world.ben, other, "Respond"),
        (world.gina, justification, "Call for a roll"),
        (world.ana, ready, "Roll d12-2"),
        (world.ana, ready, "Keep the die, roll later"),
    ):
        late = world.emit(who, button(panel, label) if label in labels(panel) else "sg:gone", panel)
        await world.env.settle()
        assert "fault in Storyguide" not in refusal_of(late), label
    for who, panel, placeholder, value in (
        (world.ben, other, "Skill", "Knives"),
        (world.gina, justification, MORE, REFUSAL),
        (world.ana, ready, "Die", "d8"),
    ):
        late = world.emit(who, select(panel, placeholder), panel, (value,))
        await world.env.settle()
        assert "fault in Storyguide" not in refusal_of(late), placeholder
    assert await world.revision() == before


async def test_a_justification_that_changed_meanwhile_is_judged_anew(world: World) -> None:
    """A helper brings a justification of their own while the GM's panel is open."""
    await bar_table(world)
    await world.ana.slash(world.zone, "barmore team start", **{**TEAM, "skill": "Blades"})
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await refuse(world, panel)
    await world.ben.slash(world.zone, "barmore team join", check="c1", skill="Blades")
    theirs = f"{REFUSAL}.k2"
    await world.choose(world.gina, panel, MORE)
    entries = {each["value"]: each["label"] for each in menu(panel, MORE)["options"]}
    assert entries[REFUSAL] == REFUSED
    assert entries[theirs] == "Disallow Knives for Blades"
    assert selected_values(panel, MORE) == []
    await whole(world)


# --- somebody else's ------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["ana", "cora"])
async def test_somebody_elses_panel_is_not_theirs(world: World, who: str) -> None:
    await bar_table(world)
    other = world.ana if who == "ana" else world.member("cora")
    panels = [await join_panel(world), await side_panel(world), await justification_panel(world)]
    skill = select(panels[0], "Skill")
    ids = [button(panels[0], "Join"), skill, button(panels[1], "Respond")]
    ids += [select(panels[2], MORE), button(panels[2], "Call for a roll")]
    before = await world.revision()
    for custom_id in ids:
        values = ("Boats",) if custom_id == skill else ()
        pressed = world.emit(other, custom_id, panels[0], values)
        await world.env.settle()
        text = refusal_of(pressed)
        assert "Athletics" not in text and "fault in Storyguide" not in text
    taken = world.emit(other, button(world.newest("Respond"), "Respond"), world.newest("Respond"))
    await world.env.settle()
    refusal_of(taken)
    assert await world.revision() == before


# --- typed over a restart -------------------------------------------------------------------------


async def test_dialogs_are_taken_after_restarts(world: World) -> None:
    await bar_table(world)
    panel = await join_panel(world)
    modal = await world.press(world.ben, panel, "Approach…")
    await restarts(world)
    assert "with both hands" in private(
        await world.ben.submit_modal(modal, {"approach": "with both hands"})
    )
    await world.press(world.ben, panel, "Join")
    assert "> with both hands" in card(world)
    panel = await side_panel(world)
    modal = await world.press(world.ben, panel, "Approach…")
    await restarts(world)
    assert "close to the bank" in private(
        await world.ben.submit_modal(modal, {"approach": "close to the bank"})
    )
    panel = await justification_panel(world)
    modal = await world.press(world.gina, panel, "Write…")
    await restarts(world)
    await world.gina.submit_modal(modal, {"difficulty": "7", "modifier": "-2"})
    await world.press(world.gina, panel, "Call for a roll")
    assert "2 Penalty Dice" in card(world, "c3") and "against 7" in card(world, "c3")
    await whole(world)


async def test_a_dialog_of_what_is_over_says_so(world: World) -> None:
    await bar_table(world)
    panel = await join_panel(world)
    modal = await world.press(world.ben, panel, "Approach…")
    await rule(world, "15")
    await roll(world)
    before = await world.revision()
    await restarts(world)
    assert "That has moved on" in refusal_of(
        await world.ben.submit_modal(modal, {"approach": "late"})
    )
    assert await world.revision() == before


@pytest.mark.parametrize("gone", [0, 1, 3])
async def test_a_page_of_a_card_that_somebody_deleted_comes_back(world: World, gone: int) -> None:
    """The last page has the buttons."""
    await bar_table(world)
    team = {"mode": "worst roller", "skill": "Athletics"}
    await world.ana.slash(world.zone, "barmore team start", approach="a" * 990, **team)
    for number in range(9):
        helper = world.member(f"helper{number}")
        await bring(world, helper, {**MAREK, "name": f"Helper{number}"})
        approach = f"({number})" + "z" * 990
        await helper.slash(
            world.zone, "barmore team join", check="c1", skill="Athletics", approach=approach
        )

    def pages() -> list[discord.Message]:
        return [each for each in world.messages() if " of 4)" in head(each)]

    world.env.backend.delete_message(world.zone.id, pages()[gone].id)
    await world.ben.slash(
        world.zone, "barmore team join", check="c1", skill="Athletics", approach="(9)"
    )
    assert [f"({number} of 4)" in head(each) for number, each in enumerate(pages(), 1)] == [
        True
    ] * 4
    whole = "\n".join(map(texts, pages()))
    assert all(whole.count(f"({number})") == 1 for number in range(10))
    assert "Join" in labels(pages()[-1])
