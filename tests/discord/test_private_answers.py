"""What was answered in private and is not edited again never says what has changed since."""

from __future__ import annotations

from tests.discord.world import World, card, labels, message_of, private, texts


def _lies(text: str) -> list[str]:
    return [each for each in ("Waiting for", "Final <t", "decide", "until <t") if each in text]


async def test_an_attackers_copy_stays_true(world: World) -> None:
    await world.table()
    given = {"skill": "Rifles", "attribute": "Alertness", "approach": "from the bus"}
    text = private(await world.ana.slash(world.zone, "attack", target="Ilka", **given))
    assert text.startswith("## Sent to the GM\nMarek attacks Ilka: Rifles")
    assert "-# See check c1 ·" in text and not _lies(text)
    await world.rule(level=None)
    assert card(world).startswith("## Marek attacks Ilka: choose a defense"), "it went on"


async def test_a_panel_of_a_check_stays_true(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert not _lies(texts(panel))
    await world.rule()
    world.dice.lay(5, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    mine = message_of(await world.press(world.ana, world.card(), "React"))
    assert texts(mine).startswith("## ✗ Near miss so far") and not _lies(texts(mine))


async def test_a_private_proposal_stays_true(world: World) -> None:
    await world.table()
    proposal = await world.propose(skill="Climbing", visibility="private")
    text = private(proposal)
    assert text.startswith("## Sent to the GM\n") and not _lies(text)
    assert "How it stands now: /table show" in text and labels(message_of(proposal)) == [
        "Edit",
        "React",
    ]


async def test_the_gms_question_is_told_once(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    modal = await world.press(world.gina, panel, "Ask…")
    await world.gina.submit_modal(modal, {"question": "With which rope?"})
    text = card(world)
    assert text.startswith("## The GM asks Marek\n“With which rope?”\nMarek: Climbing")
    assert text.count("The GM asks") == 1


async def test_whoever_defends_without_a_word_is_told_which_button_it_takes(world: World) -> None:
    await world.table()
    await world.ana.slash(
        world.zone, "attack", target="Ilka", skill="Climbing", approach="up the mast"
    )
    call = world.newest("Answer")
    assert call.content == f"{world.gina.mention}, your call: Marek attacks Ilka"
    await world.rule(level=None)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    assert "Approach…" in labels(panel)
    assert "**Approach:** First say how you do it.\n" in texts(panel) and "Edit" not in texts(panel)
    modal = await world.press(world.ben, panel, "Defend")
    assert modal.modal is not None and modal.modal["components"][0]["label"] == "Approach"


async def test_a_panel_that_is_out_of_date_says_so_itself_when_it_is_pressed(world: World) -> None:
    await world.table()
    await world.answered()
    world.dice.lay(5, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    mine = message_of(await world.press(world.ana, world.card(), "React"))
    assert "Accept result" in labels(mine)
    await world.press(world.ana, world.card(), "Accept result")
    before = await world.revision()
    pressed = await world.press(world.ana, mine, "Accept result")
    assert pressed.response is not None and pressed.response.id == mine.id, (
        "it takes the panel's place"
    )
    assert texts(message_of(pressed)).startswith("## That has moved on\nThe check is over.")
    assert labels(message_of(pressed)) == [] and pressed.followups == []
    assert await world.revision() == before
