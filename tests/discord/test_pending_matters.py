"""What `/moves` and `/table show` say besides checks: turns, new characters, the story; and
refusals about them.
"""

from __future__ import annotations

import re

import pytest

from tests.discord.world import (
    DAY,
    World,
    labels,
    message_of,
    parts,
    private,
    refusal_of,
    select,
    texts,
)


async def _waiting(world: World) -> None:
    """A table that lets nobody in unseen, at which Ana's Marek delays."""
    await world.setup()
    await world.gina.slash(world.zone, "gm settings", approve=True)
    await world.bring(world.ana, "Marek")


async def test_a_new_character_is_among_the_moves_of_whoever_decides(world: World) -> None:
    await _waiting(world)
    asked = await world.gina.slash(world.zone, "moves")
    assert "Marek wants to join" in private(asked)
    sheet = await world.press(world.gina, message_of(asked), "Look at Marek")
    assert labels(message_of(sheet)) == ["Approve", "Send back…"]
    assert "Nothing to do right now." in private(await world.ben.slash(world.zone, "moves"))
    mine = private(await world.ana.slash(world.zone, "moves"))
    assert (
        "Marek is waiting for the GM. You can still change the sheet with `/character edit`."
        in mine
    )
    modal = await world.press(world.gina, message_of(sheet), "Send back…")
    sent = await world.gina.submit_modal(modal, {"note": "Younger, please."})
    assert f"{world.ana.mention} can change the sheet with `/character edit`" in texts(
        message_of(sent)
    )
    mine = private(await world.ana.slash(world.zone, "moves"))
    assert "Marek was sent back: change it with `/character edit` and send it again." in mine
    assert "Nothing to do right now." in private(await world.gina.slash(world.zone, "moves"))


async def test_whoever_cannot_act_is_told_why(world: World) -> None:
    await _waiting(world)
    for command, options in (("character use", {"character": "marek"}), ("check", {"as": "Marek"})):
        told = refusal_of(await world.ana.slash(world.zone, command, **options))
        assert "Marek is waiting for the GM and can't act until then." in told
    # Nobody else hears that there is a Marek.
    assert "waits" not in refusal_of(await world.ben.slash(world.zone, "check", **{"as": "Marek"}))
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm settings", approve=False)
    await world.bring(world.ana, "Marek")
    await world.ana.slash(world.zone, "character retire")
    told = refusal_of(await world.ana.slash(world.zone, "check", **{"as": "Marek"}))
    assert "Marek has retired. /character retire with `back` brings Marek back into play." in told


async def test_ones_turn_is_among_the_moves_and_in_the_overview(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative add", name="Sidor")
    await world.gina.slash(world.zone, "initiative next")
    await world.restart()
    mine = await world.ana.slash(world.zone, "moves")
    assert "Marek's turn." in private(mine)
    assert "Nothing to do right now." in private(await world.gina.slash(world.zone, "moves"))
    shown = private(await world.ben.slash(world.zone, "table show"))
    assert "- Day 1, 00:00; between sessions" in shown
    assert f"- Initiative in <#{world.zone.id}>: round 1, Marek's turn" in shown
    await world.press(world.ana, message_of(mine), "End turn · Marek")
    assert "Nothing to do right now." in private(await world.ana.slash(world.zone, "moves"))
    # It is the turn of somebody whom the players do not know.
    assert "Sidor's turn." in private(await world.gina.slash(world.zone, "moves"))
    shown = private(await world.ben.slash(world.zone, "table show"))
    assert shown.casefold().endswith("round 1") or "round 1\n" in shown.casefold()
    assert "somebody" not in shown
    assert "Sidor" not in shown


async def test_a_gm_may_act_by_the_alias(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", alias="the man in gray")
    await world.propose(world.gina, **{"as": "The man in gray"})
    assert "the man in gray" in texts(world.card())
    assert "Sidor" not in world.told(world.ana)


async def test_moves_say_on_whom_an_attack_is(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", alias="the man in gray")
    await world.ana.slash(world.zone, "attack", target="the man in gray", approach="with a stone")
    mine = private(await world.ana.slash(world.zone, "moves"))
    moves = "Edit, Withdraw or Roll when answered"
    assert f"c1 · Marek attacks the man in gray: {moves}\n-# “with a stone”" in mine
    theirs = private(await world.gina.slash(world.zone, "moves"))
    assert "c1 · Marek attacks Sidor (players know: the man in gray)\n" in theirs
    assert re.search(r"-# asked <t:\d+:R> · “with a stone”", theirs)
    assert "Sidor" not in world.told(world.ana)


async def test_a_gm_has_a_row_a_proposal_with_answer_beside_it_and_a_link(world: World) -> None:
    await world.table()
    for number in range(7):
        await world.propose(world.ana if number % 2 else world.ben, approach=f"idea {number}")
    listed = message_of(await world.gina.slash(world.zone, "moves"))
    assert labels(listed) == [f"Answer · c{number}" for number in range(1, 8)]
    beside = [each for each in parts(listed) if "custom_id" in each.get("accessory", {})]
    assert len(beside) == 7
    for number, row in enumerate(beside, 1):
        card = world.card(f"c{number}")
        text = row["components"][0]["content"].replace("\u00a0", " ")
        link = f"https://discord.com/channels/{world.guild.id}/{world.zone.id}/{card.id}"
        who = "Ilka" if number % 2 else "Marek"
        deed, _, small = text.partition("\n")
        assert deed == f"c{number} · {who}, no skill (d10 only)"
        assert small.endswith(f"· “idea {number - 1}” · [show]({link})")
    panel = message_of(await world.press(world.gina, listed, "Answer · c3"))
    assert select(panel, "Difficulty") and "idea 2" in texts(panel), "the panel opens at once"


async def test_a_link_that_stands_alone_says_what_it_shows(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "check", skill="Climbing")
    mine = private(await world.ana.slash(world.zone, "moves"))
    assert "-# [show the message](https://discord.com/channels/" in mine and "[show](" not in mine


@pytest.mark.rule("EBB-INJURY")
async def test_a_hit_on_an_npc_is_listed_once_and_for_as_long_as_an_answer(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    await world.ana.slash(
        world.zone,
        "attack",
        target="Sidor",
        approach="with a stone",
        skill="Climbing",
        attribute="Fitness",
    )
    await world.rule(level="Easy")
    world.dice.lay(10, 8)
    await world.press(world.ana, world.card(), "Roll")
    assert not (await world.check()).is_open, "the table's default is written at once"
    assert "Final · check c1" in texts(world.card())
    listed = await world.gina.slash(world.zone, "moves")
    assert private(listed).count("Marek attacks Sidor") == 1
    assert labels(message_of(listed)) == ["Open · c1"]
    panel = message_of(await world.press(world.gina, message_of(listed), "Open · c1"))
    assert labels(panel) == ["Tell it as it is", "Full damage…", "Amend"]
    assert "Tell it as it is: flesh wound, Fitness 0 left" in texts(panel)
    form = message_of(await world.press(world.gina, panel, "Full damage…"))
    await world.press(world.gina, form, "Full damage")
    assert private(await world.gina.slash(world.zone, "moves")).count("Marek attacks Sidor") == 1
    assert "Nothing to do right now." in private(await world.ana.slash(world.zone, "moves"))
    await world.env.advance_time(DAY)
    assert "Nothing to do right now." in private(await world.gina.slash(world.zone, "moves"))
    assert labels(world.card()) == ["Change the hit"], "the message still offers it"
    assert "Final · check c1" in texts(world.card())


async def test_a_group_known_in_part_is_not_said_to_be_known(world: World) -> None:
    await world.setup()
    await world.gina.slash(world.zone, "gm npc add", name="bandit", count=2)
    await world.gina.slash(world.zone, "gm npc reveal", npc="bandit 1")
    told = private(await world.gina.slash(world.zone, "gm npc edit", npc="bandit", notes="hungry"))
    assert (
        "Players know only some of them, or know them in different ways: see /gm npc list." in told
    )
    assert "know them by name" not in told


async def test_what_was_drawn_is_among_the_last_results(world: World) -> None:
    await world.table()
    world.dice.lay(3, 7, 4, 8)
    await world.gina.slash(world.zone, "ebb anomaly")
    await world.gina.slash(world.zone, "ebb artefact", visibility="blind")
    last = private(await world.ana.slash(world.zone, "table last"))
    assert "The latest result that you can see." in last
    assert "An anomaly" in last
    assert "An artefact" not in last
    assert "An artefact" in private(await world.gina.slash(world.zone, "table last"))


async def test_whose_sheet_is_asked_with_the_option_that_there_is(world: World) -> None:
    await world.table()
    for name in ("Sidor", "Quillon"):
        await world.gina.slash(world.zone, "gm npc add", name=name)
    told = private(await world.gina.slash(world.zone, "character show"))
    assert "Sidor" in told and "Quillon" in told


async def test_the_board_offers_what_it_has_in_moves(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    mine = await world.ana.slash(world.zone, "moves")
    assert "Initiative is running here, without you." in private(mine)
    await world.press(world.ana, message_of(mine), "Join")
    assert "Nothing to do right now." in private(await world.ana.slash(world.zone, "moves"))
    theirs = await world.gina.slash(world.zone, "moves")
    assert "Begin when everybody is." in private(theirs)
    await world.ben.slash(world.zone, "initiative join")
    await world.press(world.gina, message_of(theirs), "Begin")
    assert "Nothing to do right now." in private(await world.gina.slash(world.zone, "moves"))
    first = world.ana if "Marek" in texts(world.last()) else world.ben
    await first.slash(world.zone, "initiative delay")
    waits = await first.slash(world.zone, "moves")
    assert "delaying. Press Act now to take the turn." in private(waits)
    assert "acts now" in private(await world.press(first, message_of(waits), "Act now"))


async def test_a_gm_reads_no_answers_to_what_waits_for_somebody_else(world: World) -> None:
    await world.table()
    await world.answered()
    text = private(await world.gina.slash(world.zone, "moves"))
    assert "c1 · Marek, Climbing d8 (veteran) and Fitness 1\n" in text, (
        "the button opens what a GM may still change"
    )
    assert "Call for a roll" not in text and "Withdraw" not in text
    assert (
        "c1 · Marek, Climbing d8 (veteran) and Fitness 1: Roll or Luck: Fitness; Withdraw\n"
        in private(await world.ana.slash(world.zone, "moves"))
    )


@pytest.mark.rule("EBB-FAIL")
async def test_a_complication_is_listed_until_it_is_written(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.rolled(1, 1)
    await world.env.advance_time(3 * DAY)
    listed = message_of(await world.gina.slash(world.zone, "moves"))
    assert "c1 · Marek, Climbing" in texts(listed)
    assert labels(listed) == ["Open · c1"]
    panel = message_of(await world.press(world.gina, listed, "Open · c1"))
    form = await world.press(world.gina, panel, "Add a complication…")
    await world.gina.submit_modal(form, {"text": "The pipe breaks off."})
    assert "Nothing to do right now." in private(await world.gina.slash(world.zone, "moves"))
