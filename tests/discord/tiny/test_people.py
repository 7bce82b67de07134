"""Who answers for whom at a table of the smallest system, and what nobody gets to know."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from simcord.actors import MemberActor

from tests.discord.tiny.play import FINAL, answer, open_table, propose, roll_check
from tests.discord.world import World, card, labels, message_of, private, refusal_of, texts

CANARY = 9137


async def _values(
    world: World, command: str, option: str, who: MemberActor, **filled: Any
) -> list[str]:
    found = await who.autocomplete(world.zone, command, option, "", **filled)
    return [choice["value"] for choice in found]


async def test_a_second_gm_answers_as_the_first(world: World) -> None:
    await open_table(world)
    await world.gina.slash(world.zone, "gm members", add=world.ben)
    await propose(world)
    await answer(world, who=world.ben)
    assert card(world).startswith("## Marek, roll")
    assert "Meanwhile" not in card(world)


async def test_a_delegate_rolls_until_it_is_taken_back(world: World) -> None:
    await open_table(world)
    await world.ana.slash(world.zone, "delegate", character="Marek", to=world.ben, until="3 days")
    await propose(world)
    await answer(world)
    world.dice.lay(4)
    await world.press(world.ben, world.newest("Roll"), "Roll")
    assert card(world).startswith("## ✗ Failure so far")
    assert f"<@{world.ben.id}> answered for Marek" in card(world)
    text = private(await world.ana.slash(world.zone, "orders list"))
    assert re.search(rf"<@{world.ben.id}> can answer until <t:\d+:f>", text)
    await world.ana.slash(world.zone, "delegate", character="Marek", to=world.ben, back=True)
    panel = private(await world.press(world.ben, world.newest("React"), "React"))
    assert "Nothing for you to do here right now." in panel
    text = refusal_of(
        await world.ana.slash(world.zone, "delegate", character="Marek", to=world.ben, until="soon")
    )
    assert "3 days" in text


async def test_a_delegate_reads_the_sheet_until_it_is_taken_back(world: World) -> None:
    await open_table(world)
    assert "can see that sheet" in refusal_of(
        await world.ben.slash(world.zone, "character show", character="Marek")
    )
    told = private(await world.ana.slash(world.zone, "delegate", character="Marek", to=world.ben))
    assert "sees the sheet" in told
    assert "sees the sheet" in private(await world.press(world.ben, world.newest("Show"), "Show"))
    shown = message_of(await world.ben.slash(world.zone, "character show", character="Marek"))
    assert "Strength 3." in texts(shown)
    assert "their stand-in and the GMs can see this sheet" in texts(shown)
    assert "Edit" not in texts(shown), "whoever plays for a while writes nothing down"
    listed = message_of(await world.ben.slash(world.zone, "character list"))
    assert "Strength 3." in private(await world.choose(world.ben, listed, "Open a sheet", "k1"))
    assert "k1" in await _values(world, "character show", "character", world.ben)
    await world.ana.slash(world.zone, "delegate", character="Marek", to=world.ben, back=True)
    assert "can see that sheet" in refusal_of(
        await world.ben.slash(world.zone, "character show", character="Marek")
    )
    assert "k1" not in await _values(world, "character show", "character", world.ben)


async def test_an_order_answers_and_says_that_it_can_be_seen(world: World) -> None:
    await open_table(world)
    assert await _values(world, "orders give", "order", world.ana) == [
        "/react/pass",
        "check/react/push",
        "check/react/pass",
    ]
    assert await _values(world, "orders give", "keep", world.ana) == ["luck"]
    text = private(
        await world.ana.slash(
            world.zone, "orders give", order="check/react/push", keep="luck", amount=1
        )
    )
    assert "others can guess that you have one" in text
    assert "Throw again, keeping Luck at 1 or more" in text
    await roll_check(world, 2, 9)
    assert re.search("Standing order: Marek\n" + FINAL.pattern, card(world))
    text = private(await world.ana.slash(world.zone, "orders list"))
    assert "Check: Throw again, keeping Luck at 1 or more" in text
    assert await _values(world, "orders take", "order", world.ana) == ["check/react/push"]
    await world.ana.slash(world.zone, "orders take", order="check/react/push")
    assert "Nothing yet." in private(await world.ana.slash(world.zone, "orders list"))
    assert "can't give a standing order" in refusal_of(
        await world.ana.slash(world.zone, "orders give", order="dance")
    )


async def test_whoever_is_away_passes_and_gms_answer(world: World) -> None:
    await open_table(world)
    await world.ana.slash(world.zone, "away", until="3 days", note="at sea")
    assert re.search(r"is away until <t:\d+:f>", texts(world.last()))
    await propose(world)
    await answer(world)
    world.dice.lay(4)
    left = f"<@{world.ana.id}> is away: “at sea”"
    moves = message_of(await world.gina.slash(world.zone, "moves"))
    assert left in private(await world.press(world.gina, moves, "Open · c1")), (
        "who acts for them reads it"
    )
    await world.press(world.gina, world.newest("Roll"), "Roll")
    assert re.search(f"<@{world.gina.id}> answered for Marek\n" + FINAL.pattern, card(world))
    await world.ana.slash(world.zone, "away", back=True)
    assert "is back" in texts(world.last())


async def test_npcs_pass_unless_the_gm_wants_to_be_asked(world: World) -> None:
    await open_table(world)
    text = json.dumps({"name": "Orc", "strength": 5})
    await world.gina.slash(world.zone, "gm npc add", name="Orc", sheet=("orc.json", text.encode()))
    await world.gina.slash(world.zone, "orders npc", npc="Orc")
    text = private(await world.gina.slash(world.zone, "orders npc", npc="Orc", ask=False))
    assert "passes automatically" in text
    assert "Only the GM" in refusal_of(await world.ana.slash(world.zone, "orders npc", npc="Orc"))


async def test_moves_and_passing(world: World) -> None:
    await open_table(world)
    await roll_check(world, 4)
    panel = await world.ana.slash(world.zone, "moves")
    assert "c1 · Marek: Throw again or Accept result" in private(panel)
    panel = await world.press(world.ana, message_of(panel), "Open · c1")
    assert "Throw again" in labels(message_of(panel))
    await world.press(world.ana, message_of(panel), "Accept result")
    assert FINAL.search(card(world))
    moves = private(await world.ana.slash(world.zone, "moves"))
    assert "Yours to decide" not in moves and "### You could step in\nc1 · Marek" in moves


async def test_what_it_has_not_is_not_offered(world: World) -> None:
    await open_table(world)
    assert "This table plays Tiny, which doesn't use" in refusal_of(
        await world.ana.slash(world.zone, "odds", skill="Climbing")
    )
    assert await _values(world, "check", "skill", world.ana) == []
    assert await _values(world, "check", "difficulty", world.ana) == []
    assert await _values(world, "check", "with", world.ana) == []
    assert await _values(world, "heal", "method", world.ana) == []
    for topic in ("play", "fights", "words", "with", "own", "try"):
        text = private(await world.ana.slash(world.zone, "help", topic=topic))
        assert text.startswith("## Start here\n"), topic
        assert "Tiny" not in text  # nobody has written its pages
    assert "</orders give:" in await world.help(world.ana, "commands")


@pytest.mark.parametrize("gm_channel", [False, True])
@pytest.mark.parametrize("reveal", ["verdict", "degree"])
async def test_a_hidden_number_stays_with_the_gms(
    world: World, reveal: str, *, gm_channel: bool
) -> None:
    await open_table(world, gm_channel=gm_channel, reveal=reveal)
    await roll_check(world, 4, level=CANARY, hidden=True)
    for who in (world.ana, world.ben):
        await world.press(who, world.newest("React"), "React")
        await who.slash(world.zone, "moves")
        await who.slash(world.zone, "table show")
        await who.slash(world.zone, "table last")
    panel = await world.press(world.ana, world.newest("React"), "React")
    world.dice.lay(9)
    await world.press(world.ana, message_of(panel), "Throw again")
    await world.press(
        world.ana,
        message_of(await world.press(world.ana, world.newest("React"), "React")),
        "Accept result",
    )
    await world.gina.slash(world.zone, "gm undo")
    for who in (world.ana, world.ben):
        assert str(CANARY) not in world.told(who)
    assert str(CANARY) in world.told(world.gina)


@pytest.mark.parametrize("visibility", ["private", "blind"])
async def test_what_is_not_public_has_no_card(world: World, visibility: str) -> None:
    await open_table(world)
    proposal = await propose(world, visibility=visibility)
    assert "> up the drainpipe" in private(proposal)
    stub = world.newest("Show")
    opened = message_of(await world.press(world.gina, stub, "Show"))
    await answer(world, message=opened)
    opened = message_of(await world.press(world.ana, world.newest("Show"), "Show"))
    world.dice.lay(4)
    told = private(await world.press(world.ana, opened, "Roll"))
    assert ("Failure" in told) == (visibility == "private")
    assert "drainpipe" not in world.told(world.ben)


async def test_spending_by_name_and_what_is_open(world: World) -> None:
    await open_table(world)
    await roll_check(world, 4)
    assert await _values(world, "spend", "what", world.ana) == ["push"]
    assert await _values(world, "spend", "check", world.ana) == ["c1"]
    assert await _values(world, "spend", "what", world.ben) == []
    text = private(await world.ana.slash(world.zone, "spend"))
    assert "**Marek**, c1\nThrow again, 1 Luck\nPush" in text
    assert "You have no open check" in private(await world.ben.slash(world.zone, "spend"))
    assert "c1 · Marek: waiting for Marek" in private(
        await world.ben.slash(world.zone, "table show")
    )
    world.dice.lay(9)
    await world.ana.slash(world.zone, "spend", what="push")
    assert card(world).startswith("## ✓ Success so far")
    assert "Use push" in refusal_of(await world.ana.slash(world.zone, "spend", what="fate"))
    assert "You can't spend anything there right now" in refusal_of(
        await world.ben.slash(world.zone, "spend", what="push")
    )
