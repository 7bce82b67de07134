"""The calls to a turn: their buttons, what they tell, when they go, and that nobody hears of NPCs
who are hidden.
"""

from __future__ import annotations

from typing import Any

import discord

from tests.discord.world import (
    World,
    button,
    controls,
    head,
    is_layout,
    labels,
    message_of,
    pings,
    private,
    refusal_of,
    texts,
)

TURN = ["Attack", "Check", "Delay", "End turn"]


async def fight(world: World, *npcs: str, gm_channel: bool = False, **npc: Any) -> None:
    """Marek, Ilka and NPCs in this order; Marek's turn."""
    await world.table(gm_channel=gm_channel)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    for name in npcs:
        await world.gina.slash(world.zone, "gm npc add", name=name, **npc)
        await world.gina.slash(world.zone, "initiative add", name=name)
    await world.gina.slash(world.zone, "initiative next")


def call(world: World, room: Any = None) -> discord.Message:
    """The only call to a turn that stands there."""
    found = [
        each for each in world.messages(room) if "End turn" in labels(each) and not is_layout(each)
    ]
    assert len(found) == 1, [each.content for each in found]
    return found[0]


def calls(world: World, room: Any = None) -> int:
    return sum("End turn" in labels(each) and not is_layout(each) for each in world.messages(room))


async def test_whose_turn_it_is_acts_with_the_buttons_of_the_call(world: World) -> None:
    await fight(world)
    await world.bring(world.ana, "Marek", replace=True, sacrificed={"Fitness": 1})
    await world.ana.slash(world.zone, "initiative next")
    await world.ben.slash(world.zone, "initiative next")
    assert (
        call(world).content
        == f"{world.ana.mention}: **Marek, you're up.** Round 2, Fitness 0 of 1. Ilka goes next."
    )
    assert labels(call(world)) == TURN
    await world.restart()
    panel = await world.press(world.ana, call(world), "Attack")
    assert "Marek: who do you attack?" in private(panel)
    assert "Target" in str([each.get("placeholder") for each in controls(message_of(panel))])
    assert "Marek: what do you try?" in private(await world.press(world.ana, call(world), "Check"))
    for label in TURN:
        pressed = await world.press(world.ben, call(world), label)
        if label in ("Attack", "Check"):
            assert "Ilka: " in private(pressed), "in somebody else's turn the panel asks"
        else:
            assert "It's not your turn, it's Marek's." in refusal_of(pressed)
    told = refusal_of(await world.press(world.gina, call(world), "Check"))
    assert "It's not your turn, it's Marek's." in told, "players act for themselves"
    assert "Marek delays" in private(await world.press(world.ana, call(world), "Delay"))
    assert call(world).content.startswith(f"{world.ben.mention}: **Ilka, you're up.** Round 2.")


async def test_a_call_of_a_turn_that_has_passed_says_so(world: World) -> None:
    await fight(world)
    old = call(world)
    stale = {label: button(old, label) for label in TURN}
    await world.press(world.ana, old, "End turn")
    assert call(world).id != old.id
    for label in TURN:
        pressed = world.emit(world.ana, stale[label])
        await world.env.settle()
        assert "in round 1 it's Ilka's turn." in refusal_of(pressed)
    # What comes back by an undo is a turn of its own.
    await world.gina.slash(world.zone, "gm undo")
    pressed = world.emit(world.ana, stale["End turn"])
    await world.env.settle()
    refusal_of(pressed)
    assert pings(call(world), world.env) == [world.ana.id]
    await world.press(world.ana, call(world), "End turn")
    assert "Ilka, you're up." in call(world).content


async def test_a_gm_acts_as_the_npc_whose_turn_it_is(world: World) -> None:
    await fight(world, "Sidor", alias="the man in gray", stage="aliased")
    await world.press(world.ana, call(world), "End turn")
    await world.press(world.ben, call(world), "End turn")
    assert (
        call(world).content
        == f"{world.gina.mention}: **The man in gray's turn.** Round 1. Marek goes next."
    )
    panel = message_of(await world.press(world.gina, call(world), "Attack"))
    assert "Sidor" in head(panel) and "who do you attack?" in head(panel)
    panel = message_of(await world.press(world.ana, call(world), "Attack"))
    assert "Marek: who do you attack?" in head(panel)
    assert "It's not your turn, it's the man in gray's." in refusal_of(
        await world.press(world.ana, call(world), "End turn")
    )
    assert "Sidor" not in world.told(world.ana)


async def test_what_has_no_sheet_has_the_same_buttons(world: World) -> None:
    await fight(world)
    await world.gina.slash(world.zone, "initiative add", name="the fire")
    await world.press(world.ana, call(world), "End turn")
    await world.press(world.ben, call(world), "End turn")
    assert labels(call(world)) == TURN
    told = refusal_of(await world.press(world.gina, call(world), "Attack"))
    assert "The fire has no sheet to roll with. Press End turn after the action." in told


async def test_gms_are_called_in_their_channel_to_the_turn_of_a_hidden_npc(world: World) -> None:
    await fight(world, "Quillon", "Zadornov", gm_channel=True)
    await world.press(world.ana, call(world), "End turn")
    count = len(world.messages())
    edits = len(_edits(world))
    await world.press(world.ben, call(world), "End turn")
    assert (calls(world), len(world.messages())) == (0, count - 1), (
        "in public a call went, and none came"
    )
    mine = call(world, world.gm_room)
    assert "**Quillon's turn.** Round 1. Marek goes next." in mine.content
    assert pings(mine, world.env) == [world.gina.id]
    assert len(_edits(world)) == edits + 1
    panel = await world.gina.click(mine, custom_id=button(mine, "Check"))
    assert "Quillon: what do you try?" in private(panel)
    await world.restart()
    await world.gina.click(mine, custom_id=button(mine, "End turn"))
    mine = call(world, world.gm_room)
    assert "Zadornov's turn" in mine.content
    assert len(_edits(world)) == edits + 1, "nobody can tell one hidden turn from two"
    await world.gina.click(mine, custom_id=button(mine, "End turn"))
    assert (
        calls(world, world.gm_room),
        call(world).content.endswith("Round 2. Ilka goes next."),
    ) == (
        0,
        True,
    )
    for who in (world.ana, world.ben):
        told = world.told(who)
        assert "Quillon" not in told and "Zadornov" not in told and "Somebody" not in told


def _edits(world: World) -> list[Any]:
    return world.requests("PATCH", f"/channels/{world.zone.id}/messages")


async def test_without_a_gm_channel_a_hidden_turn_calls_with_something_private(
    world: World,
) -> None:
    await fight(world, "Quillon")
    await world.press(world.ana, call(world), "End turn")
    await world.press(world.ben, call(world), "End turn")
    stub = world.newest("Show")
    assert pings(stub, world.env) == [world.gina.id]
    shown = await world.press(world.gina, stub, "Show")
    assert "Quillon's turn" in private(shown) and labels(message_of(shown)) == TURN
    await world.press(world.gina, message_of(shown), "End turn")
    assert not [each for each in world.messages() if "Show" in labels(each)], (
        "it went with the turn"
    )
    assert "Marek, you're up." in call(world).content


async def test_a_check_from_the_gms_channel_stands_where_the_turn_is(world: World) -> None:
    await fight(world, "Quillon", gm_channel=True)
    await world.press(world.ana, call(world), "End turn")
    await world.press(world.ben, call(world), "End turn")
    mine = call(world, world.gm_room)
    panel = await world.gina.click(mine, custom_id=button(mine, "Check"))
    dialog = await world.gina.click(
        message_of(panel), custom_id=button(message_of(panel), "Write…")
    )
    panel = await world.gina.submit_modal(dialog, {"approach": "out of the dark"})
    await world.press(world.gina, message_of(panel), "Send")
    (check,) = (await world.state()).checks.values()
    assert check.place == str(world.zone.id)


# --- what the board shows -------------------------------------------------------------------------


def board(world: World) -> list[str]:
    """The lines of the board."""
    found = next(each for each in world.messages() if is_layout(each) and "Join" in labels(each))
    return texts(found).split("\n")


async def test_the_board_tells_how_everybody_is_as_far_as_everybody_may_know(world: World) -> None:
    await fight(world, gm_channel=True)
    hurt = {"injuries": [{"text": "cracked ribs", "part": "chest", "severity": "light"}]}
    for name, stage in (("Sidor", "revealed"), ("Quillon", "off")):
        await world.bring(world.gina, name, npc=True, sacrificed={"Fitness": 1}, **hurt)
        await world.gina.slash(world.zone, "initiative add", name=name)
        if stage != "off":
            await world.gina.slash(world.zone, "gm npc reveal", npc=name)
    assert board(world)[1:4] == ["▸ **Marek**: current turn", "Ilka", "Sidor · badly hurt"]
    await world.bring(world.ana, "Marek", replace=True, sacrificed={"Fitness": 1})
    assert board(world)[1] == "▸ **Marek**: current turn · Fitness 0 of 1", (
        "what is new is shown at once"
    )
    await world.press(world.ana, call(world), "End turn")
    assert board(world)[:3] == [
        "## Round 1: Ilka's turn",
        "-# Marek: done · Fitness 0 of 1",
        "▸ **Ilka**: current turn",
    ]
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")
    assert board(world)[1] == "▸ **Marek**: current turn · Fitness 0 of 1"
    for who in (world.ana, world.ben):
        assert "cracked ribs" not in world.told(who) and "Quillon" not in world.told(who)


async def test_the_board_links_to_what_was_done_last(world: World) -> None:
    await fight(world, "Sidor", alias="the [odd] man", stage="aliased")
    dice = {"skill": "Climbing", "attribute": "Fitness", "approach": "with a stone"}
    await world.ana.slash(world.zone, "attack", target="the [odd] man", **dice)
    await world.gina.slash(
        world.zone, "check", visibility="blind", approach="listens", **{"as": "Sidor"}
    )
    await world.rule(level="Easy")
    world.dice.lay(10, 8)
    await world.press(world.ana, world.card("c1"), "Roll")
    await world.gina.slash(world.zone, "gm settings", step_in_minutes=0)
    for check in (await world.state()).checks.values():
        if check.is_open:
            world.emit(world.gina, f"sg:close:1:{check.id}", world.last())
            await world.env.settle()
    await world.press(world.ana, call(world), "End turn")
    link = f"https://discord.com/channels/{world.guild.id}/{world.zone.id}/{world.card('c1').id}"
    assert f"-# Last: [Marek attacks the (odd) man]({link})" in board(world)
    assert "Sidor" not in world.told(world.ana)


# --- acting as NPCs -------------------------------------------------------------------------------


def the_board(world: World) -> discord.Message:
    return next(each for each in world.messages() if is_layout(each) and "NPCs" in labels(each))


async def test_a_gm_acts_as_any_npc_from_the_board(world: World) -> None:
    await fight(world, "Quillon")
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    await world.gina.slash(world.zone, "gm npc add", name="Elsewhere")
    await world.gina.slash(world.zone, "initiative add", name="Sidor")
    shown = texts(the_board(world)), labels(the_board(world))
    assert "Only the GM can do that" in refusal_of(
        await world.press(world.ana, the_board(world), "NPCs")
    )
    listed = await world.press(world.gina, the_board(world), "NPCs")
    assert "**Quillon**: off stage; unhurt" in private(listed) and "Elsewhere" not in private(
        listed
    )
    assert labels(message_of(listed)) == ["Attack", "Attack"]
    panel = await world.press(world.gina, message_of(listed), "Attack")
    assert "Quillon: who do you attack?" in private(panel)
    panel = await world.choose(world.gina, message_of(listed), "Check as…", "k4")
    assert "Sidor: what do you try?" in private(panel)
    assert (texts(the_board(world)), labels(the_board(world))) == shown, (
        "nobody else sees any of it"
    )
    # In a hidden turn the board's own buttons lead there, and from there the turn is passed on.
    await world.press(world.ana, call(world), "End turn")
    await world.press(world.ben, call(world), "End turn")
    await world.restart()
    assert labels(the_board(world)) == [*TURN, "My moves", "Join", "NPCs"]
    for label in TURN:
        pressed = await world.press(world.ben, the_board(world), label)
        if label in ("Attack", "Check"):
            assert "Ilka: " in private(pressed) and "Out of turn" not in private(pressed)
        else:
            assert "It's not your turn." in refusal_of(pressed)
    listed = await world.press(world.gina, the_board(world), "Attack")
    assert "▸ **Quillon**" in private(listed)
    assert labels(message_of(listed)) == ["Attack", "Attack", *TURN]
    await world.press(world.gina, message_of(listed), "End turn")
    assert "**Sidor's turn.**" in call(world).content
    for who in (world.ana, world.ben):
        assert "Quillon" not in world.told(who) and "k3" not in world.told(who)


async def test_the_ids_on_a_board_tell_nothing_of_who_is_there(world: World) -> None:
    await fight(world, "Quillon")
    ids = [each["custom_id"] for each in controls(the_board(world))]
    since = (await world.state()).encounters[str(world.zone.id)].since
    verbs = ("attack", "check", "delay", "next", "join", "npcs")
    own = [f"sg:board:1:{world.zone.id}:1:{since}:{verb}" for verb in verbs]
    assert ids == [*own[:4], "sg:moves:1", *own[4:]]
    await world.press(world.ana, call(world), "End turn")
    await world.press(world.ben, call(world), "End turn")
    ids = [each["custom_id"] for each in controls(the_board(world))]
    hidden = [f"sg:board:1:{world.zone.id}:1:0:{verb}" for verb in verbs]
    assert ids == [*hidden[:4], "sg:moves:1", *hidden[4:]]


async def test_a_gms_list_of_npcs_acts_and_turns_its_pages(world: World) -> None:
    await world.table()
    await world.gina.slash(
        world.zone, "gm npc add", name="Bandit", count=7, alias="a shape", stage="off"
    )
    listed = message_of(await world.gina.slash(world.zone, "gm npc list"))
    assert head(listed) == "NPCs, page 1 of 2"
    assert labels(listed) == ["Attack"] * 5 + ["More"]
    second = await world.press(world.gina, listed, "More")
    assert "**Bandit 7**: off stage; unhurt" in private(second)
    assert labels(message_of(second)) == ["Attack", "Attack", "Back"]
    seventh = (await world.state()).characters["k9"]
    assert seventh.name == "Bandit 7"
    panel = await world.choose(world.gina, message_of(second), "Check as…", "k9")
    assert "Bandit 7: what do you try?" in private(panel)
    told = await world.choose(world.gina, message_of(second), "Reveal…", "k9")
    assert "**Bandit 7**: players know them; unhurt" in private(told)
    assert (await world.state()).characters["k9"].stage == "revealed"
    await world.restart()
    for id in (
        "sg:npc:1:attack:k9:-",
        "sg:npcs:1:list:0:-",
        "sg:npc:1:hug:k9:-",
        "sg:npcs:1:reveal:0:-",
    ):
        pressed = world.emit(world.ana, id, world.last())
        await world.env.settle()
        assert "Only the GM can do that" in refusal_of(pressed)
    assert "Bandit 6" not in world.told(world.ana)


async def test_the_journal_names_whose_turn_has_ended(world: World) -> None:
    await fight(world)
    await world.press(world.ana, call(world), "End turn")
    await world.press(world.ben, call(world), "End turn")
    log = private(await world.gina.slash(world.zone, "gm log"))
    lines = [line.partition(" · ")[2] for line in log.split("\n") if line.startswith("- #")][-3:]
    assert lines[0].startswith(f"{world.gina.mention} began round 1 · ")
    assert lines[1].startswith(f"{world.ana.mention} ended a turn: Marek · ")
    assert lines[2].startswith(f"{world.ben.mention} ended a turn: Ilka · ")
